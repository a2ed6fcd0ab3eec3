//! A service in a process of its own: one COMMIT that is cut off at a step, what comes after a restart, or many clients.

#[expect(dead_code, reason = "this process needs a part of it")]
#[path = "../random.rs"]
mod random;
#[expect(dead_code, reason = "this process needs a part of it")]
#[path = "../story.rs"]
mod story;

use parley_grants::{Claim, Claimed, Close, End, Reservation, ReservationId, Ticket};
use parley_grants_ledgers::{Postgres, Redis, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use story::{Chains, NOW, Until};

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let url = &arguments[0];
    if url.starts_with("redis:") {
        run(Redis::connect(url).await.unwrap(), &arguments[1..]).await;
    } else {
        run(Postgres::connect(url).await.unwrap(), &arguments[1..]).await;
    }
}

async fn run(store: impl Store, arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse().unwrap();
    match arguments[..] {
        ["commit", folder, proposal, attempt, abort_at] => {
            let service = Service { store, folder: folder.into(), abort_at: number(abort_at) };
            println!("{}", service.commit(proposal, attempt).await);
        }
        ["restart", folder, abort_at] => {
            let service = Service { store, folder: folder.into(), abort_at: number(abort_at) };
            service.restart().await;
        }
        ["traffic", chains, name, clients, attempts] => {
            let chains = Arc::new(Chains::new(chains, 1));
            let until = Until::Attempts(number(attempts));
            let told = story::traffic(&Arc::new(store), &chains, name, number(clients), until).await;
            print!("{} {} {}", told.reserved, told.exceeded, told.released);
            for block in chains.caps.keys() {
                print!(" {}", told.settled.get(block).copied().unwrap_or(0));
            }
            println!();
        }
        _ => panic!("what is to be done?"),
    }
}

/// What it stores is a folder: `open` is the attempt that has not ended, and a file for each execution.
struct Service<S> {
    store: S,
    folder: PathBuf,
    abort_at: u64,
}

impl<S: Store> Service<S> {
    /// Here the process may end.
    fn step(&self, number: u64) {
        if number == self.abort_at {
            std::process::abort();
        }
    }

    fn open(&self) -> PathBuf {
        self.folder.join("open")
    }

    fn execution_of(&self, proposal: &str) -> PathBuf {
        self.folder.join(format!("executed {proposal}"))
    }

    async fn commit(&self, proposal: &str, attempt: &str) -> &'static str {
        let chains = Chains::new("service", 1);
        let terms = story::terms(proposal, 10);
        let attempt_id = ReservationId::of(attempt);
        self.step(0);
        let ticket =
            match self.store.claim(&Claim::for_commit(terms.hash(), terms.expires()), NOW).await.unwrap() {
                Claimed::First(ticket) => ticket,
                Claimed::InProgress => return "in progress",
                Claimed::Done => return "done",
                Claimed::Full => return "full",
            };
        self.step(1);
        let key: String = ticket.key().iter().map(|byte| format!("{byte:02x}")).collect();
        write_whole(&self.open(), &format!("{proposal}\n{attempt}\n{key}\n{}", ticket.turn()));
        self.step(2);
        let decided = chains.commit_as(&self.store, &chains.holders[4], &terms, attempt_id).await.unwrap();
        let (_, reservation) = decided.expect("there is room");
        self.step(3);
        // Twice would fail.
        std::fs::File::create_new(self.execution_of(proposal)).unwrap();
        self.step(4);
        let _ = self.store.close(reservation.id(), Close::Settle).await.unwrap();
        self.step(5);
        assert!(self.store.end(&ticket, End::Finish).await.unwrap());
        self.step(6);
        std::fs::remove_file(self.open()).unwrap();
        self.step(7);
        "executed"
    }

    /// Ends what an earlier process left, by what it stored.
    async fn restart(&self) {
        let Ok(open) = std::fs::read_to_string(self.open()) else { return };
        let [proposal, attempt, key, turn] = open.split('\n').collect::<Vec<_>>()[..] else {
            panic!("{open}")
        };
        let mut name = [0; 32];
        for (byte, hex) in name.iter_mut().zip(key.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap();
        }
        let is_executed = self.execution_of(proposal).exists();
        let (close, end) =
            if is_executed { (Close::Settle, End::Finish) } else { (Close::Release, End::Abandon) };
        self.step(0);
        let reservation = Reservation::resume(ReservationId::of(attempt));
        let _ = self.store.close(reservation.id(), close).await.unwrap();
        self.step(1);
        let ticket = Ticket::from_parts(name, turn.parse().unwrap());
        let _ = self.store.end(&ticket, end).await.unwrap();
        self.step(2);
        std::fs::remove_file(self.open()).unwrap();
        self.step(3);
    }
}

/// All of it or nothing.
fn write_whole(path: &Path, text: &str) {
    let whole = path.with_extension("new");
    std::fs::write(&whole, text).unwrap();
    std::fs::rename(whole, path).unwrap();
}
