//! What the process refuses to start with, and how it stops.

mod common;

use common::agent::{Agent, human, policy};
use common::{BINARY, Server, now};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn fails(arguments: &[&str], why: &str) {
    let mut command = Command::new(BINARY);
    let mut child = command.args(arguments).stderr(Stdio::piped()).spawn().expect("it ran");
    let start = Instant::now();
    while child.try_wait().expect("its state").is_none() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // One that started serves until it is killed, which is no failure of its own.
    let _killed = child.kill();
    let out = child.wait_with_output().expect("its end");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && said.contains(why), "{arguments:?}: {said}");
}

#[test]
fn it_does_not_start_with_what_it_cannot_keep_to() {
    let key = human().public_key().to_string();
    fails(&[], "no principal is trusted");
    fails(&["--principal", "ed25519:AAAA"], "no key");
    fails(&["--principal", &key, "--trust-everybody"], "no such flag");
    fails(&["--principal", &key, "--store", "mysql://x"], "--store is");
    fails(&["--principal", &key, "--store", "redis://127.0.0.1:1/"], "could not be asked");
    fails(&["--principal", &key, "--listen", "nowhere"], "invalid socket address");
    fails(&["--principals", "/nonexistent"], "No such file");
    let huge = "18446744073709551615";
    for (name, most) in [
        ("--body-bytes", 1_u64 << 30),
        ("--body-seconds", 1_000_000),
        ("--head-seconds", 1_000_000),
        ("--connection-seconds", 1_000_000),
        ("--connections", 1_000_000),
        ("--reading", 1_000_000),
        ("--working", 1_000_000),
    ] {
        fails(&["--principal", &key, name, "0"], &format!("{name} is 1 to {most}"));
        fails(&["--principal", &key, name, &(most + 1).to_string()], &format!("{name} is 1 to {most}"));
        fails(&["--principal", &key, name, huge], huge);
    }
}

#[test]
fn with_the_largest_limits_it_serves_and_says_what_memory_forgets() {
    let log = std::env::temp_dir().join(format!("flags-log-{}", std::process::id()));
    let mut flags = vec!["--log", log.to_str().expect("a path"), "--body-bytes", "1073741824"];
    for name in [
        "--body-seconds",
        "--head-seconds",
        "--connection-seconds",
        "--connections",
        "--reading",
        "--working",
    ] {
        flags.extend([name, "1000000"]);
    }
    let mut server = Server::start(&flags);
    let agent = Agent::new(2, &policy(5_000));
    assert_eq!(agent.intent(&server.address, now()).len(), 2);
    let told = Command::new("kill").arg(server.child.id().to_string()).status().expect("it ran");
    assert!(told.success() && server.child.wait().expect("its end").success());
    let said = std::fs::read_to_string(&log).expect("a log");
    std::fs::remove_file(&log).expect("no file");
    let warns = |line: &str| line.contains("WARN") && line.contains("a restart forgets it");
    assert!(said.lines().any(warns), "{said}");
}

#[test]
fn principals_are_read_from_a_file_and_it_stops_when_told() {
    let file = std::env::temp_dir().join(format!("principals-{}", std::process::id()));
    let other = Agent::new(9, &[]);
    std::fs::write(&file, format!("# the humans\n\n{}\n", other.seed.public_key())).expect("a file");
    let path = file.to_str().expect("a path");
    let mut server = Server::start(&["--principals", path]);
    let mut agent = Agent::new(2, &[]);
    agent.grants = vec![common::agent::grant(&other.seed, agent.seed.public_key(), &policy(5_000), "")];
    assert_eq!(agent.intent(&server.address, now()).len(), 2);
    let told = Command::new("kill").arg(server.child.id().to_string()).status().expect("it ran");
    assert!(told.success() && server.child.wait().expect("its end").success());
    std::fs::remove_file(&file).expect("no file");
}
