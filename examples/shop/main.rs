//! A shop that agents buy from, in full: its handlers (`shop.rs`, `commit.rs`), what it stores (`store.rs`), the agents' and
//! the human's side (`agent.rs`), and here a story of one day, of which every outcome is asserted.
//!
//! `cargo run --features issue --example shop` prints `story.txt`, byte for byte: keys and clock are fixed.

mod agent;
mod commit;
mod shop;
mod store;
mod story;

use agent::{Agent, Human};
use parley_grants::{Amount, Block, Caveat, Error, MemoryClaims, Risk, Verb, Verifier};
use shop::{Incident, Reply, Shop};
use store::Remote;
use story::Story;

pub const SHOP: &str = "shop.example";
pub const ORDER: &str = "shop.order";

fn euro(cents: u64) -> Amount {
    Amount::new(cents, "EUR").expect("an amount within 2^53")
}

fn receipt(id: &str) -> Reply {
    Reply::Receipt(id.into())
}

fn main() -> Result<(), Error> {
    let human = Human::new([1; 32])?;
    let mut agent = Agent::new([2; 32], SHOP)?;
    let mut helper = Agent::new([3; 32], SHOP)?;
    let mut stranger = Agent::new([4; 32], SHOP)?;
    let incident = Incident::default();
    let (ledger, claims) = (Remote::default(), MemoryClaims::with_room(1_000));
    let shop = Shop::new(SHOP, vec![*human.key()], incident.clone(), ledger, claims);
    let mut story = Story { shop, now: 1_790_000_000, step: 0 };
    let trusted = Verifier::new(SHOP, vec![*human.key()]);

    story.chapter("The human signs a policy for the agent");
    let policy = [
        Caveat::Service(vec![SHOP.into()]),
        Caveat::Capabilities(vec!["shop.*".into()]),
        Caveat::Expires(story.now + 86_400),
        Caveat::PerCommit(euro(3_000)),
        Caveat::Spend(euro(10_000)),
        Caveat::Risk(Risk::Low),
    ];
    agent.grants.push(human.grant(agent.key(), &policy, story.now, "a policy")?);
    let counted = |story: &Story, grant: &str| -> Result<Vec<u64>, Error> {
        let total = |block: &Block| story.shop.ledger.ledger.total(block.id());
        Ok(trusted.verify(grant)?.grant().blocks().map(total).collect())
    };
    policy.iter().for_each(|caveat| println!("   {}", caveat.to_string().replace("\n   ", "")));

    story.chapter("The agent asks for an order, and looks closer");
    let (cups, machine) = story.intent(("agent", &agent))?;
    let handle = format!("details of {}", cups.terms().id());
    let reply = story.shop.expand(&handle, &agent.call(Verb::Expand, &handle, story.now)?, story.now);
    story.answer("agent", "EXPAND", &reply, &Reply::Details("Two cups: blue, in a box".into()));
    let reply = story.shop.expand(&handle, &helper.call(Verb::Expand, &handle, story.now)?, story.now);
    story.answer("helper", "EXPAND of the agent's handle", &reply, &Reply::Refused("forbidden"));

    story.chapter("An order within the policy");
    story.commit(("agent", &agent), &cups, &receipt("r-1"))?;

    story.chapter(
        "The answer was lost, so the agent tries again: the same answer, and nothing is counted twice",
    );
    story.commit(("agent", &agent), &cups, &receipt("r-1"))?;
    assert_eq!(story.shop.warehouse.sent, ["Two cups"]);
    assert_eq!(counted(&story, &agent.grants[0])?, [1_800]);

    story.chapter("An order beyond the policy: the shop asks for consent");
    let request = story.ask(("agent", &agent), &machine)?;
    story.logged("soft");
    // It must be about what the shop really offered.
    let other = agent.matched(&request, &cups, human.key()).expect_err("it is about the machine");
    println!("   agent: compared with the cups -> {other}: nothing is shown");
    let matched = agent.matched(&request, &machine, human.key())?;
    let consent = human.consent(&matched, agent.key(), story.now, "one machine", |screen| {
        println!("   human: is shown");
        screen.lines().for_each(|line| println!("     | {line}"));
        println!("   human: yes");
        screen.contains("24000 minor units of \"EUR\"")
    })?;
    agent.grants.extend(consent);
    story.commit(("agent", &agent), &machine, &receipt("r-2"))?;
    story.commit(("agent", &agent), &machine, &receipt("r-2"))?;
    let (_, second) = story.intent(("agent", &agent))?;
    story.ask(("agent", &agent), &second)?;
    println!("   (the consent was for one machine, and the next is another)");
    agent.grants.truncate(1);

    story.chapter("An undo, which gives no budget back");
    story.undo(("agent", &agent), "r-1", &Reply::Undone)?;
    story.undo(("agent", &agent), "r-1", &Reply::Undone)?;
    story.undo(("agent", &agent), "r-99", &Reply::Refused("forbidden"))?;
    assert_eq!(counted(&story, &agent.grants[0])?, [1_800]);

    story.chapter("The agent hands a narrower grant to a helper");
    let narrower = [Caveat::Capabilities(vec![ORDER.into()]), Caveat::Spend(euro(2_000))];
    helper.grants.push(agent.delegate(human.key(), helper.key(), &narrower, story.now)?);
    narrower.iter().for_each(|caveat| println!("   {}", caveat.to_string().replace("\n   ", "")));
    let (helper_cups, helper_machine) = story.intent(("helper", &helper))?;
    story.commit(("helper", &helper), &helper_cups, &receipt("r-3"))?;
    story.ask(("helper", &helper), &helper_machine)?;
    let (more_cups, _) = story.intent(("helper", &helper))?;
    story.ask(("helper", &helper), &more_cups)?;
    story.logged("over a limit in total");
    let call = helper.call(Verb::Intent, "shop.refund", story.now)?;
    let reply = story.shop.intent("shop.refund", &call, story.now);
    story.answer("helper", "INTENT shop.refund", &reply, &Reply::Refused("forbidden"));

    story.chapter("A stranger, with the agent's grant and with one of their own making");
    stranger.grants.extend(agent.grants.clone());
    stranger.grants.push(Human::new([5; 32])?.grant(stranger.key(), &policy, story.now, "")?);
    let reply = story.shop.intent(ORDER, &stranger.call(Verb::Intent, ORDER, story.now)?, story.now);
    story.answer("stranger", "INTENT shop.order", &reply, &Reply::Refused("unauthorized"));
    story.logged("grant 1");

    story.chapter("A stolen proposal, a wrong hash, and a proposal that there is not");
    let (mine, _) = story.intent(("agent", &agent))?;
    story.commit(("helper", &helper), &mine, &Reply::Refused("forbidden"))?;
    let (id, wrong) = (mine.terms().id(), machine.terms().hash());
    let reply = story.shop.commit(id, wrong, &agent.call(Verb::Commit, wrong, story.now)?, story.now);
    story.answer("agent", "COMMIT with another hash", &reply, &Reply::Refused("conflict"));
    let reply = story.shop.commit("p-0", wrong, &agent.call(Verb::Commit, wrong, story.now)?, story.now);
    story.answer("agent", "COMMIT p-0", &reply, &Reply::Refused("forbidden"));

    story.chapter(
        "The warehouse is closed, and opens again: what failed cost nothing, and can be tried again",
    );
    story.shop.warehouse.is_closed = true;
    story.commit(("agent", &agent), &mine, &Reply::Refused("unavailable"))?;
    assert_eq!(counted(&story, &agent.grants[0])?, [3_600]);
    story.shop.warehouse.is_closed = false;
    story.commit(("agent", &agent), &mine, &receipt("r-4"))?;

    story.chapter("The ledger's answer is lost: nothing is executed until a restart has cleared it up");
    let (more, _) = story.intent(("agent", &agent))?;
    story.shop.ledger.loses_after = Some(0);
    story.commit(("agent", &agent), &more, &Reply::Busy)?;
    assert_eq!(counted(&story, &agent.grants[0])?, [7_200], "it stays counted");
    story.commit(("agent", &agent), &more, &Reply::Busy)?;
    story.shop.restart();
    assert_eq!(counted(&story, &agent.grants[0])?, [5_400]);
    println!("   shop: restarts");
    story.shop.ledger.loses_after = Some(1);
    story.commit(("agent", &agent), &more, &receipt("r-5"))?;
    println!("   shop: its settling was lost, so it restarts");
    assert_eq!(story.shop.store.open.len(), 1);
    story.shop.restart();
    story.commit(("agent", &agent), &more, &receipt("r-5"))?;
    assert_eq!(counted(&story, &agent.grants[0])?, [7_200]);

    story.chapter("An INTENT with auto, and its repeat");
    let reply = story.shop.auto_intent(ORDER, "f-1", &agent.auto_call(ORDER, "f-1", story.now)?, story.now);
    story.answer("agent", "INTENT shop.order, auto", &reply, &receipt("r-6"));
    let again = story.shop.auto_intent(ORDER, "f-1", &agent.auto_call(ORDER, "f-1", story.now)?, story.now);
    story.answer("agent", "the same frame", &again, &reply);

    story.chapter("The budget is used up: the next auto is answered as without");
    let reply = story.shop.auto_intent(ORDER, "f-2", &agent.auto_call(ORDER, "f-2", story.now)?, story.now);
    assert!(matches!(&reply, Reply::Proposals(texts) if texts.len() == 2));
    story.answer("agent", "INTENT shop.order, auto", &reply, &reply);
    story.logged("over a limit in total");
    let again = story.shop.auto_intent(ORDER, "f-2", &agent.auto_call(ORDER, "f-2", story.now)?, story.now);
    story.answer("agent", "the same frame", &again, &reply);

    story.chapter("The helper's key leaks: its block is revoked. Then, for a moment, everything is");
    let grant = trusted.verify(&helper.grants[0])?;
    let blocks: Vec<_> = grant.grant().blocks().map(|block| *block.id()).collect();
    incident.revoke(blocks[1]);
    let reply = story.shop.intent(ORDER, &helper.call(Verb::Intent, ORDER, story.now)?, story.now);
    story.answer("helper", "INTENT shop.order", &reply, &Reply::Refused("unauthorized"));
    story.logged("is revoked");
    story.commit(("agent", &agent), &cups, &receipt("r-1"))?;
    incident.set_everything(true);
    story.commit(("agent", &agent), &cups, &Reply::Refused("unauthorized"))?;
    incident.set_everything(false);
    story.commit(("agent", &agent), &cups, &receipt("r-1"))?;

    println!("\nCounted at the end");
    let totals = counted(&story, &helper.grants[0])?;
    println!("   the agent's policy  {} of 10000", totals[0]);
    println!("   the helper's block  {} of 2000", totals[1]);
    println!("   the warehouse sent  {}", story.shop.warehouse.sent.join(", "));
    assert_eq!(totals, [9_000, 1_800], "five times two cups, one of them by the helper");
    assert!(story.shop.store.open.is_empty(), "every attempt has ended");
    story.shop.restart();
    assert_eq!(counted(&story, &helper.grants[0])?, totals);
    Ok(())
}
