//! The service's process: flags, stores, log, signals.

use parley_grants::{PublicKey, Verifier};
use parley_grants_http::app::{App, Clock, Options, Random, Shared};
use parley_grants_http::records::{self, Records};
use parley_grants_http::revocation::Revocation;
use parley_grants_http::routes::router;
use parley_grants_http::serve::{GRACE, serve};
use parley_grants_http::telemetry::Lines;
use parley_grants_ledgers::{self as ledger, Store, StoreError};
use std::error::Error;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

type Failure = Box<dyn Error + Send + Sync>;

const HELP: &str = "\
parley-grants-http --principal KEY [--principal KEY].. [flags]

  --listen ADDRESS       where to serve (127.0.0.1:8080; port 0 for any free one, which is printed)
  --service ID           the id that grants and proofs name (shop.example)
  --principal KEY        trust this principal, ed25519:..
  --principals FILE      trust these, one a line
  --revoked FILE         honour no block whose id stands in this file, one a line, with a last line `# end` (without: no block
                         at all); read again whenever it changes: write another file and rename it
  --closed FILE          while this file exists, no order is carried out
  --store STORE          memory, postgres://.. or redis://.. (memory: what was spent and answered is forgotten with the process, so
                         after a restart every limit begins anew)
  --instance NAME        the name of this process among those that share a store (shop-1)
  --log FILE             where decisions and errors go, as lines of JSON (standard error)
  --verbose              log what was malformed, too
  --body-bytes N, --body-seconds N, --head-seconds N, --connection-seconds N, --connections N, --reading N, --working N
                         limits (1048576, 10, 10, 300, 1024, 256, 64), each 1 to 1000000, bytes to 1073741824
";

struct Flags {
    listen: String,
    service: String,
    principals: Vec<PublicKey>,
    store: String,
    log: Option<PathBuf>,
    is_verbose: bool,
    options: Options,
}

fn flags() -> Result<Option<Flags>, Failure> {
    use lexopt::prelude::*;
    let mut flags = Flags {
        listen: "127.0.0.1:8080".into(),
        service: "shop.example".into(),
        principals: Vec::new(),
        store: "memory".into(),
        log: None,
        is_verbose: false,
        options: Options::default(),
    };
    let options = &mut flags.options;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        let Long(name) = argument else { return Err(argument.unexpected().into()) };
        let name = name.to_owned();
        match name.as_str() {
            "help" => return Ok(None),
            "verbose" => flags.is_verbose = true,
            "listen" => flags.listen = parser.value()?.string()?,
            "service" => flags.service = parser.value()?.string()?,
            "principal" => flags.principals.push(principal(&parser.value()?.string()?)?),
            "principals" => {
                let text = fs::read_to_string(parser.value()?)?;
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                for line in lines.filter(|line| !line.starts_with('#')) {
                    flags.principals.push(principal(line)?);
                }
            }
            "revoked" => options.revocation = Revocation::from_file(parser.value()?.into()),
            "closed" => options.closed = Some(parser.value()?.into()),
            "store" => flags.store = parser.value()?.string()?,
            "instance" => options.instance = parser.value()?.string()?,
            "log" => flags.log = Some(parser.value()?.into()),
            "body-bytes" => options.limits.body_bytes = limit(&name, &mut parser, 1 << 30)?,
            "body-seconds" => {
                options.limits.body_time = Duration::from_secs(limit(&name, &mut parser, MOST)?)
            }
            "head-seconds" => {
                options.limits.head_time = Duration::from_secs(limit(&name, &mut parser, MOST)?)
            }
            "connection-seconds" => {
                options.limits.connection_time = Duration::from_secs(limit(&name, &mut parser, MOST)?);
            }
            "connections" => options.limits.connections = limit(&name, &mut parser, MOST)?,
            "reading" => options.limits.reading = limit(&name, &mut parser, MOST)?,
            "working" => options.limits.working = limit(&name, &mut parser, MOST)?,
            // For a transcript that is the same every time. Not in the help: with these, proofs can be replayed and names guessed.
            "fixed-clock" => options.clock = Clock::Fixed(parser.value()?.parse()?),
            "fixed-random" => options.random = Random::Fixed(AtomicU64::new(0), parser.value()?.string()?),
            _ => return Err(format!("no such flag: --{name}").into()),
        }
    }
    if flags.principals.is_empty() {
        return Err("no principal is trusted: --principal or --principals".into());
    }
    Ok(Some(flags))
}

/// So many fit into what they are counted with; none at all would serve nobody.
const MOST: u32 = 1_000_000;

fn limit<T: TryFrom<u32>>(name: &str, parser: &mut lexopt::Parser, most: u32) -> Result<T, Failure> {
    use lexopt::ValueExt as _;
    let number: u32 = parser.value()?.parse()?;
    if !(1..=most).contains(&number) {
        return Err(format!("--{name} is 1 to {most}").into());
    }
    T::try_from(number).map_err(|_| format!("--{name} is too large").into())
}

fn principal(text: &str) -> Result<PublicKey, Failure> {
    text.parse().map_err(|error| format!("a principal that is no key: {error}").into())
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parley-grants-http: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Failure> {
    let Some(flags) = flags()? else {
        print!("{HELP}");
        return Ok(());
    };
    let level = if flags.is_verbose { tracing::Level::DEBUG } else { tracing::Level::INFO };
    let log = tracing_subscriber::fmt().with_max_level(level).event_format(Lines);
    match &flags.log {
        Some(path) => {
            log.with_writer(Mutex::new(File::options().create(true).append(true).open(path)?)).init()
        }
        None => log.with_writer(std::io::stderr).init(),
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let store = flags.store.clone();
        match store.split(':').next() {
            Some("memory") => {
                tracing::warn!("what was spent and answered is kept in memory: a restart forgets it");
                run(flags, ledger::Memory::default(), records::Memory::with_room(100_000)).await
            }
            Some("postgres" | "postgresql") => {
                let ledger = ledger::Postgres::connect(&store).await?;
                run(flags, ledger, records::Postgres::connect(&store).await?).await
            }
            Some("redis") => {
                let ledger = ledger::Redis::connect(&store).await?;
                run(flags, ledger, records::Redis::connect(&store).await?).await
            }
            _ => Err("--store is memory, postgres://.. or redis://..".into()),
        }
    })
}

/// Housekeeping of a ledger: what no longer counts.
trait Forget: Store {
    fn forget(&self, now: i64) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

impl Forget for ledger::Memory {
    async fn forget(&self, _: i64) -> Result<u64, StoreError> {
        // It forgets when it is full.
        Ok(0)
    }
}

impl Forget for ledger::Postgres {
    async fn forget(&self, now: i64) -> Result<u64, StoreError> {
        self.forget(now).await
    }
}

impl Forget for ledger::Redis {
    async fn forget(&self, now: i64) -> Result<u64, StoreError> {
        self.forget(now).await
    }
}

async fn run<L: Forget, D: Records>(flags: Flags, ledger: L, records: D) -> Result<(), Failure> {
    let limits = flags.options.limits.clone();
    let verifier = Verifier::new(&flags.service, flags.principals);
    let app = Arc::new(App::new(verifier, (ledger, records), flags.options).ok_or("no randomness")?);
    let ended = app.restart(app.clock.now().ok_or("the clock is of no use")?).await?;
    tracing::info!("{ended} attempts of an earlier process were ended");
    let listener = TcpListener::bind(&flags.listen).await?;
    println!("serving on {}", listener.local_addr()?);
    let (stop, stopped) = watch::channel(false);
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        stop.send_replace(true);
    });
    tokio::spawn(keep_house(Arc::clone(&app)));
    let working = Arc::clone(&app.working);
    serve(listener, router(app), &limits, stopped).await;
    // What was begun for who hung up ends too.
    let all = u32::try_from(limits.working).unwrap_or(u32::MAX);
    if tokio::time::timeout(GRACE, working.acquire_many(all)).await.is_err() {
        tracing::warn!("stopped while requests were worked on: the next start ends what they left open");
    }
    Ok(())
}

/// Ends what a store's error kept from ending, and forgets what no longer counts.
async fn keep_house<L: Forget, D: Records>(app: Shared<L, D>) {
    for round in 0_u64.. {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let Some(now) = app.clock.now() else { continue };
        if let Err(error) = app.end_unfinished(now).await {
            tracing::error!("attempts have not ended: {error}");
        }
        if round % 720 == 0 {
            let kept = app.records.forget(now).await;
            if let Err(error) = kept.and(app.ledger.forget(now).await.map(|_| ())) {
                tracing::error!("nothing was forgotten: {error}");
            }
        }
    }
}
