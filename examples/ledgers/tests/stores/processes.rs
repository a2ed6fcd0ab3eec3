//! Services in processes of their own: cut off between every two steps, and two at once on one ledger.

use crate::servers::{Kind, Server};
use crate::story::{Chains, NOW, Tally, check_full, fill, terms};
use parley_grants::{Claim, Claimed};
use parley_grants_ledgers::{Postgres, Redis, Store};
use std::path::Path;
use std::process::{Command, Output};

fn service(arguments: &[&str]) -> Command {
    // Built along with the tests.
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples/service");
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    service(arguments).output().unwrap()
}

fn said(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = output(arguments);
    assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap().trim().to_owned()
}

fn is_aborted(arguments: &[&str]) {
    let Output { status, stderr, .. } = output(arguments);
    let why = String::from_utf8_lossy(&stderr);
    assert!(status.code().is_none() && why.is_empty(), "{arguments:?} was not cut off: {status}, {why}");
}

const NEVER: &str = "99";

/// A COMMIT ends at step 0 to 7 (before the claim, and after claim, note, reserve, execute, settle, finish, end of the
/// note), and the restart after it at its step 0 to 3.
async fn survives_a_cut_at_every_step(name: &str, store: impl Store, server: &Server) {
    let (url, scratch) = (&*server.url(), server.folder().join("service"));
    let root = Chains::new("service", 1).roots[2];
    let (mut executions, mut cuts) = (0, 0);
    let total = async || store.total(&root).await.unwrap();
    for cut in 0..=7 {
        // Where there is no note, or nothing but its end is to come, the restart is cut at once or not at all.
        for second_cut in if (2..=6).contains(&cut) { 0..=3 } else { 9..=9 } {
            let proposal = &format!("cut {cut}, then {second_cut}");
            let folder = scratch.join(proposal);
            std::fs::create_dir_all(&folder).unwrap();
            let folder = folder.to_str().unwrap();
            let try_again = |attempt: &str| {
                said(&[url, "commit", folder, proposal, &format!("{proposal} {attempt}"), NEVER])
            };
            let is_executed = || Path::new(folder).join(format!("executed {proposal}")).exists();
            let before = total().await;

            let first = format!("{proposal} first");
            is_aborted(&[url, "commit", folder, proposal, &first, &cut.to_string()]);
            cuts += 1;
            assert_eq!(is_executed(), cut >= 4);
            assert_eq!(total().await - before, if cut >= 3 { 10 } else { 0 }, "cut {cut}");
            if cut >= 1 {
                // Another request for it, before the restart.
                let expected = if cut >= 6 { "done" } else { "in progress" };
                assert_eq!(try_again("second"), expected, "cut {cut}");
            }

            if second_cut <= 3 {
                is_aborted(&[url, "restart", folder, &second_cut.to_string()]);
                cuts += 1;
            }
            for _ in 0..2 {
                said(&[url, "restart", folder, NEVER]);
                assert_eq!(is_executed(), cut >= 4);
                assert_eq!(total().await - before, if cut >= 4 { 10 } else { 0 }, "cut {cut}, {second_cut}");
            }

            // What was not executed can be, once; and what was is not again.
            match cut {
                1 => {
                    // The one gap: its ticket is lost, so it stays in progress until its end, and nothing is counted.
                    assert_eq!(try_again("third"), "in progress");
                    let terms = terms(proposal, 10);
                    let claim = Claim::for_commit(terms.hash(), terms.expires());
                    assert_eq!(store.claim(&claim, terms.expires() - 1).await, Ok(Claimed::InProgress));
                    let said = store.claim(&claim, NOW + 600).await;
                    assert!(matches!(said, Ok(Claimed::First(_))), "{said:?}");
                }
                0 | 2 | 3 => assert_eq!(try_again("third"), "executed"),
                _ => assert_eq!(try_again("third"), "done"),
            }
            let once = u64::from(cut != 1);
            assert_eq!(is_executed(), once == 1);
            assert_eq!(total().await - before, 10 * once, "cut {cut}, {second_cut}");
            executions += once;
        }
    }
    assert_eq!(total().await, 10 * executions);
    println!("{name}: {cuts} cuts, {executions} proposals executed once each, total {}", 10 * executions);
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_survives_a_cut_at_every_step() {
    let server = Server::start(Kind::Postgres);
    survives_a_cut_at_every_step("postgres", server.postgres().await.unwrap(), &server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_survives_a_cut_at_every_step() {
    let server = Server::start(Kind::Redis);
    survives_a_cut_at_every_step("redis", server.redis().await.unwrap(), &server).await;
}

/// Two processes with 16 clients each, and both find the caps.
async fn two_processes_share_it(name: &str, store: impl Store, url: &str) {
    let processes = ["one", "two"].map(|process| {
        let mut command = service(&[url, "traffic", name, process, "16", "80"]);
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    });
    let chains = Chains::new(name, 1);
    let mut all = Tally::default();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let numbers: Vec<u64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [reserved, exceeded, released, settled @ ..] = &numbers[..] else { panic!("{text}") };
        let settled = chains.caps.keys().copied().zip(settled.iter().copied()).collect();
        println!("{name}: one of two processes: {reserved} reserved, {exceeded} exceeded");
        assert!(*reserved > 100 && *exceeded > 100, "it was alone");
        let (reserved, exceeded, released) = (*reserved, *exceeded, *released);
        all.add(&Tally { reserved, exceeded, released, settled, ..Tally::default() });
    }
    fill(&store, &chains, "the rest", &mut all).await;
    println!(
        "{name}: {} reserved, {} exceeded; {}",
        all.reserved,
        all.exceeded,
        check_full(&store, &chains, &all).await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_postgres() {
    let server = Server::start(Kind::Postgres);
    let store: Postgres = server.postgres().await.unwrap();
    two_processes_share_it("postgres", store, &server.url()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_redis() {
    let server = Server::start(Kind::Redis);
    let store: Redis = server.redis().await.unwrap();
    two_processes_share_it("redis", store, &server.url()).await;
}
