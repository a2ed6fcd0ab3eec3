#![allow(dead_code, reason = "each test file uses a part")]

pub mod agent;
pub mod http;

use agent::{SHOP, human};
use axum::Router;
use parley_grants::Verifier;
use parley_grants_http::app::{App, Options, Shared};
use parley_grants_http::{records, routes, serve};
use parley_grants_ledgers as ledger;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

pub const BINARY: &str = env!("CARGO_BIN_EXE_parley-grants-http");

/// A server in a process of its own.
pub struct Server {
    pub child: Child,
    pub address: String,
}

impl Server {
    pub fn start(flags: &[&str]) -> Self {
        Self::start_with(flags, &[])
    }

    pub fn start_with(flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let key = human().public_key().to_string();
        let mut child = Command::new(BINARY)
            .args(["--listen", "127.0.0.1:0", "--principal", &key])
            .args(flags)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("serving on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _status = self.child.wait();
    }
}

pub fn now() -> i64 {
    parley_grants_http::app::Clock::System.now().expect("a clock")
}

pub fn app<L, D>(stores: (L, D), options: Options) -> Shared<L, D> {
    let verifier = Verifier::new(SHOP, vec![*human().public_key()]);
    Arc::new(App::new(verifier, stores, options).expect("randomness"))
}

/// A server in this process, whose stores can be looked into. Ends with the runtime.
pub fn serve_here<L: ledger::Store, D: records::Records>(app: &Shared<L, D>) -> (Runtime, String) {
    serve_router(routes::router(app.clone()), Options::default())
}

pub fn serve_router(router: Router, options: Options) -> (Runtime, String) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("one");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    runtime.spawn(async move {
        let (_stop, stopped) = watch::channel(false);
        serve::serve(listener, router, &options.limits, stopped).await;
    });
    (runtime, address)
}
