//! The list of revoked blocks while it is changed: whatever a reader finds of it, what is revoked is not honoured.

mod common;

use common::agent::{Agent, human, policy};
use common::now;
use parley_grants::{
    BlockId, Decision, Grant, Limits, Possession, Presentable, Presented, Request, Verb, Verifier,
};
use parley_grants_http::revocation::Revocation;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("revoked-{name}-{}", std::process::id()))
}

fn is_honoured(revocation: &Revocation, agent: &Agent) -> bool {
    let verifier =
        Verifier::new("shop.example", vec![*human().public_key()]).with_revocation(revocation.clone());
    let proof = agent.proof(Verb::Ask, "shop.menu", now()).to_string();
    let grants = [Presentable::Token(&agent.grants[0])];
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: now() };
    let request = Request::Ask { capability: "shop.menu" };
    matches!(verifier.authorize(&request, &presented), Decision::Allowed(_))
}

fn id(agent: &Agent) -> BlockId {
    *Grant::decode(&agent.grants[0], &Limits::default()).expect("a grant").id()
}

fn other(number: u32) -> BlockId {
    BlockId::from_bytes([[0xaa; 28].as_slice(), &number.to_be_bytes()].concat().try_into().expect("32 bytes"))
}

/// A list that revokes the agent, behind many others.
fn long(agent: &Agent) -> String {
    let others: String = (0..5_000).map(|number| format!("{}\n", other(number))).collect();
    format!("# revoked\n{others}{}\n# end\n", id(agent))
}

#[test]
fn a_part_of_a_list_revokes_everything() {
    let (path, agent) = (file("part"), Agent::new(2, &policy(1_000)));
    let list = format!("# revoked\n{}\n{}\n# end\n", other(1), other(2));
    fs::write(&path, &list).expect("a file");
    let revocation = Revocation::from_file(path.clone());
    assert!(is_honoured(&revocation, &agent));
    // Without the last line break it is whole.
    for length in 0..list.len() - 1 {
        fs::write(&path, &list[..length]).expect("a file");
        revocation.refresh();
        assert!(!is_honoured(&revocation, &agent), "{:?}", &list[..length]);
    }
    // Of two lists in one file the first would look whole when it is cut there.
    for odd in [format!("{list}{list}"), format!("{list}{}\n", other(3)), list.replace("# end", "#end")] {
        fs::write(&path, &odd).expect("a file");
        revocation.refresh();
        assert!(!is_honoured(&revocation, &agent), "{odd}");
    }
    fs::write(&path, &list[..list.len() - 1]).expect("a file");
    revocation.refresh();
    assert!(is_honoured(&revocation, &agent));
    fs::remove_file(&path).expect("no file");
}

#[test]
fn a_list_that_is_rewritten_in_place_never_revokes_less() {
    let (path, agent) = (file("in-place"), Agent::new(2, &policy(1_000)));
    let list = long(&agent);
    fs::write(&path, &list).expect("a file");
    let revocation = Revocation::from_file(path.clone());
    let (is_over, mut reads) = (AtomicBool::new(false), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                fs::write(&path, &list).expect("a file");
            }
        });
        let start = Instant::now();
        let mut honoured = 0;
        while start.elapsed() < Duration::from_secs(1) {
            revocation.refresh();
            honoured += usize::from(is_honoured(&revocation, &agent));
            reads += 1;
        }
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(honoured, 0, "of {reads}");
    });
    println!("{reads} requests while the list was rewritten, none of a revoked grant honoured");
    fs::remove_file(&path).expect("no file");
}

#[test]
fn a_slow_reading_does_not_bring_an_older_list_back() {
    let (path, agent) = (file("slow"), Agent::new(2, &policy(1_000)));
    let new = file("slow-new");
    fs::write(&path, "# end\n").expect("a file");
    let revocation = Revocation::from_file(path.clone());
    // What is read from it comes when it is written.
    let pipe = file("slow-pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it ran").success());
    fs::rename(&pipe, &path).expect("renamed");
    let kept = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| revocation.refresh());
        std::thread::sleep(Duration::from_millis(200));
        fs::write(&new, format!("{}\n# end\n", id(&agent))).expect("a file");
        fs::rename(&new, &path).expect("renamed");
        let fast = scope.spawn(|| revocation.refresh());
        std::thread::sleep(Duration::from_millis(200));
        (&kept).write_all(b"# end\n").expect("written");
        drop(kept);
        slow.join().expect("it ended");
        fast.join().expect("it ended");
    });
    // The newest list is in force, and not what became of the older one.
    assert!(!is_honoured(&revocation, &agent));
    assert!(is_honoured(&revocation, &Agent::new(3, &policy(1_000))));
    fs::remove_file(&path).expect("no file");
}
