//! Real servers in scratch folders, on loopback and free ports. They end with the test that started them.

use parley_grants_ledgers::{Bounds, Postgres, Redis, StoreError};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Postgres,
    Redis,
}

/// What a server would lose nothing with.
pub const DURABLE_POSTGRES: &[&str] = &["fsync=on", "synchronous_commit=on"];
pub const DURABLE_REDIS: &[&str] =
    &["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"];

pub struct Server {
    kind: Kind,
    folder: PathBuf,
    port: u16,
    settings: Vec<String>,
    process: Option<Child>,
}

impl Server {
    pub fn start(kind: Kind) -> Self {
        Self::start_with(
            kind,
            match kind {
                Kind::Postgres => DURABLE_POSTGRES,
                Kind::Redis => DURABLE_REDIS,
            },
        )
    }

    pub fn start_with(kind: Kind, settings: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(format!("parley-ledgers-{}-{port}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let settings = settings.iter().map(ToString::to_string).collect();
        let mut server = Self { kind, folder, port, settings, process: None };
        if kind == Kind::Postgres {
            // It refuses to run as root.
            if let Some((user, group)) = unprivileged() {
                chown(&server.folder, Some(user), Some(group)).unwrap();
            }
            let mut initdb = as_unprivileged(&postgres_program("initdb"));
            let data = server.folder.join("data");
            initdb.args(["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "-D"]);
            let said = initdb.arg(data).current_dir(&server.folder).output().unwrap();
            assert!(said.status.success(), "initdb: {}", String::from_utf8_lossy(&said.stderr));
        }
        server.up();
        server
    }

    pub fn url(&self) -> String {
        self.url_by(self.port)
    }

    /// The same server by another port, where a proxy listens.
    pub fn url_by(&self, port: u16) -> String {
        match self.kind {
            Kind::Postgres => format!("postgres://postgres@127.0.0.1:{port}/postgres"),
            Kind::Redis => format!("redis://127.0.0.1:{port}/"),
        }
    }

    /// What is in it goes with the server.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Starts it, and waits until it answers.
    pub fn up(&mut self) {
        let mut command = match self.kind {
            Kind::Postgres => {
                let mut command = as_unprivileged(&postgres_program("postgres"));
                command.arg("-D").arg(self.folder.join("data")).arg("-p").arg(self.port.to_string());
                command.arg("-k").arg(&self.folder);
                for setting in
                    ["listen_addresses=127.0.0.1", "max_connections=200", "recovery_init_sync_method=syncfs"]
                {
                    command.args(["-c", setting]);
                }
                for setting in &self.settings {
                    command.args(["-c", setting]);
                }
                command
            }
            Kind::Redis => {
                let mut command = Command::new("setpriv");
                command.args(["--pdeathsig", "KILL", "--", "redis-server"]);
                command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"]);
                command.arg("--dir").arg(&self.folder).args(&self.settings);
                command
            }
        };
        let log = std::fs::File::options().create(true).append(true).open(self.folder.join("log")).unwrap();
        command.current_dir(&self.folder).stdout(log.try_clone().unwrap()).stderr(log).stdin(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        let started = Instant::now();
        while !self.answers() {
            let exited = self.process.as_mut().unwrap().try_wait().unwrap();
            let log = || std::fs::read_to_string(self.folder.join("log")).unwrap();
            assert!(exited.is_none() && started.elapsed() < Duration::from_secs(30), "no server: {}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn answers(&self) -> bool {
        match self.kind {
            Kind::Redis => TcpStream::connect(("127.0.0.1", self.port)).is_ok(),
            Kind::Postgres => {
                let mut ready = Command::new(postgres_program("pg_isready"));
                ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
                ready.status().is_ok_and(|status| status.success())
            }
        }
    }

    /// It and all that it forked.
    fn ids(&self) -> Vec<String> {
        let Some(process) = &self.process else { return Vec::new() };
        let mut ids = vec![process.id().to_string()];
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &ids[0]]).output().unwrap();
        ids.extend(String::from_utf8(children.stdout).unwrap().split_whitespace().map(String::from));
        ids
    }

    /// Sends a signal to it and all that it forked.
    pub fn signal(&self, signal: &str) {
        // Some of them may end by themselves in between.
        Command::new("kill").arg(signal).args(self.ids()).stderr(Stdio::null()).status().unwrap();
    }

    /// As if it had crashed: SIGKILL to all of it.
    pub fn kill(&mut self) {
        let Some(process) = &self.process else { return };
        // Stopped first, so that it forks no more.
        Command::new("kill").args(["-STOP", &process.id().to_string()]).status().unwrap();
        let ids = self.ids();
        self.signal("-9");
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
        // A zombie, which somebody else has yet to reap, does nothing any more.
        let is_alive = |id: &String| {
            let stat = std::fs::read_to_string(Path::new("/proc").join(id).join("stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        };
        while ids.iter().any(is_alive) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub async fn postgres(&self) -> Result<Postgres, StoreError> {
        Postgres::connect(&self.url()).await
    }

    pub async fn redis(&self) -> Result<Redis, StoreError> {
        Redis::connect(&self.url()).await
    }

    pub async fn postgres_within(&self, bounds: Bounds) -> Postgres {
        Postgres::connect_with(&self.url(), 4, LIMIT, bounds).await.unwrap()
    }

    pub async fn redis_within(&self, bounds: Bounds) -> Redis {
        Redis::connect_with(&self.url(), LIMIT, bounds).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let is_kept = std::thread::panicking() && std::env::var_os("KEEP").is_some();
        if !is_kept {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Debian keeps them out of the path, in a folder for each version: the newest.
fn postgres_program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("Debian's package postgresql");
    let newest = versions.map(|entry| entry.unwrap().path()).max().expect("a version of PostgreSQL");
    newest.join("bin").join(name)
}

/// The user of Debian's package, when the tests run as root.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |option| {
        let said = Command::new("id").args([option, "postgres"]).output().unwrap();
        String::from_utf8(said.stdout).unwrap().trim().parse().expect("a user postgres")
    };
    let me = Command::new("id").arg("-u").output().unwrap();
    (me.stdout == b"0\n").then(|| (id("-u"), id("-g")))
}

fn as_unprivileged(program: &Path) -> Command {
    match unprivileged() {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}"));
            // The server must not outlive a test that was killed.
            command.args(["--clear-groups", "--pdeathsig", "KILL", "--"]).arg(program);
            command
        }
    }
}
