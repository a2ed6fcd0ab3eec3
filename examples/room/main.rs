//! A room in which two agents of two humans answer each other by bounded reply routes: the server in full (`room.rs`,
//! `records.rs`), the agents' side (`client.rs`), and here a story of which every outcome is asserted.
//!
//! `cargo run --features routes --example room` prints `story.txt`, byte for byte: the clock is fixed, and so are the bytes that
//! routes are made of (`random.rs`), which is for the example only.

mod client;
mod random;
mod records;
mod room;
mod story;

use client::Client;
use parley_grants::routes::{Posture, Reason, Route, Scope};
use records::Who;
use room::Room;
use std::error::Error;
use story::{Story, forged};

fn main() -> Result<(), Box<dyn Error>> {
    let mut room = Room::new("r-1", "Ann", random::for_the_example_only());
    for (agent, owner) in [("ada", "Ann"), ("bob", "Ben"), ("eve", "Eric")] {
        room.admit(agent, owner);
    }
    let mut ada = Client::new("Ada", Scope::agent("ada"));
    let mut bob = Client::new("Bob", Scope::session("bob", "laptop"));
    let (ann, ben) = (Who::Human("Ann"), Who::Human("Ben"));
    let mut story = Story::new(room, 1_790_000_000);
    println!("Ann's agent Ada and Ben's agent Bob are in a room, which is Ann's.");
    println!("An answer goes by a route. No agent is told who wrote to it.");

    story.chapter("To and fro, until sixteen replies are used");
    story.ask(&ada, &bob, "Shall we meet on Friday?")?;
    let lines = ["Yes, if it is early.", "At eight?", "A little later.", "How much?"];
    for (hop, line) in (0..16).zip(lines.iter().cycle()) {
        let client = if hop % 2 == 0 { &mut bob } else { &mut ada };
        let turn = story.receive(client)?;
        assert_eq!(turn.handed.remaining(), 16 - hop);
        if turn.handed.is_running_out() {
            println!("   {}'s client warns: this lineage is about to end.", client.name);
        }
        let reply = client.answer(turn.handed, line).ok_or("there is a route")?;
        story.answers(client, &reply)?;
    }
    let last = story.receive(&bob)?;
    assert!(bob.answer(last.handed, "One more thing.").is_none());
    story.room.acknowledge(&bob.scope, &last.message)?;
    println!("   Bob cannot answer it: no route, and no other way back.");

    story.chapter("A new question begins a new lineage. Then the platform is paused");
    story.ask(&ada, &bob, "Which room?")?;
    let question = story.receive(&bob)?;
    let reply = bob.answer(question.handed, "The blue one.").ok_or("there is a route")?;
    let pause = story.room.pause_platform(true, ben);
    story.not_allowed("Ben, who wants to pause it,", &pause);
    story.room.pause_platform(true, Who::Administrator)?;
    println!("   An administrator pauses it.");
    story.refused(("Bob, who answers,", &bob.scope), &reply, Reason::Paused);
    story.ask(&ada, &bob, "And at what time?")?;
    story.gets_nothing(&bob)?;
    story.room.pause_platform(false, Who::Administrator)?;
    println!("   The administrator ends the pause. It has used up no route and lost no message:");
    story.answers(&bob, &reply)?;
    let question = story.receive(&bob)?;
    story.reads(&ada)?;

    story.chapter("The room's policy is changed, which kills the routes from before");
    let old = bob.answer(question.handed, "At ten.").ok_or("there is a route")?;
    let change = story.room.set_policy(false, ben);
    story.not_allowed("Ben, who wants to change it,", &change);
    story.room.set_policy(false, ann)?;
    println!("   Ann lets no messages through from one human's agent to another's.");
    story.refused(("Bob, who answers,", &bob.scope), &old, Reason::OldGeneration);
    story.gets_nothing(&bob)?;
    story.room.set_policy(true, ann)?;
    println!("   Ann lets them through again.");
    story.refused(("Bob, who still has the old route,", &bob.scope), &old, Reason::OldGeneration);
    let question = story.receive(&bob)?;
    println!("   It is the same message, with a fresh route.");
    let reply = bob.answer(question.handed, "At ten.").ok_or("there is a route")?;
    story.answers(&bob, &reply)?;

    story.chapter("An answer is lost on the way, so the client sends the same again");
    let question = story.receive(&ada)?;
    let reply = ada.answer(question.handed, "Ten is fine.").ok_or("there is a route")?;
    story.answers(&ada, &reply)?;
    println!("   The answer is lost: Ada's client does not learn the receipt.");
    story.repeats(&ada, &reply)?;
    story.room.pause_platform(true, Who::Administrator)?;
    println!("   An administrator pauses the platform, which is no reason not to tell her.");
    story.repeats(&ada, &reply)?;
    story.room.pause_platform(false, Who::Administrator)?;
    println!("   The administrator ends the pause.");
    let route = reply.route_text();
    let (body, key) =
        (forged(&route, reply.key(), "Eleven is fine.")?, forged(&route, "another", "Ten is fine.")?);
    story.refused(("Ada, with the same key and another body,", &ada.scope), &body, Reason::OtherBody);
    story.refused(("Ada, with another key and the same body,", &ada.scope), &key, Reason::OtherKey);
    story.reads(&bob)?;

    story.chapter("A route is stolen");
    story.ask(&ada, &bob, "What shall I bring?")?;
    let question = story.receive(&bob)?;
    let reply = bob.answer(question.handed, "Only yourself.").ok_or("there is a route")?;
    let (eve, phone) = (Scope::agent("eve"), Scope::session("bob", "phone"));
    story.refused(("Eve, who is in the room too,", &eve), &reply, Reason::OtherScope);
    story.refused(("Bob, in the session on his phone,", &phone), &reply, Reason::OtherScope);
    story.refused(("Bob's agent, outside of any session,", &Scope::agent("bob")), &reply, Reason::OtherScope);
    story.refused(("Mallory, who is not in the room,", &Scope::agent("mallory")), &reply, Reason::OtherScope);
    let invented = forged(&Route::from_random(&[7; 32]).text(), "mine", "Hello.")?;
    story.refused(("Eve, with a route that there is not,", &eve), &invented, Reason::Unknown);
    println!("   Bob's own session can still use it:");
    story.answers(&bob, &reply)?;
    story.reads(&ada)?;

    story.chapter("Bob no longer wants to act by himself");
    story.ask(&ada, &bob, "Who else is coming?")?;
    let question = story.receive(&bob)?;
    story.room.set_posture("bob", Posture::Manual, Who::Agent(&bob.scope))?;
    println!("   Bob sets his posture to manual.");
    story.ask(&ada, &bob, "Are you there?")?;
    story.gets_nothing(&bob)?;
    println!("   The route that he has is still his to use:");
    let reply = bob.answer(question.handed, "Nobody.").ok_or("there is a route")?;
    story.answers(&bob, &reply)?;
    story.reads(&ada)?;
    let back = story.room.set_posture("bob", Posture::Reactive, Who::Agent(&bob.scope));
    story.not_allowed("Bob, who wants to be reactive again,", &back);
    let back = story.room.set_posture("bob", Posture::Reactive, ann);
    story.not_allowed("Ann, who owns the room but not Bob,", &back);
    story.room.set_posture("bob", Posture::Reactive, ben)?;
    println!("   Ben, whose agent he is, sets it back to reactive.");
    story.reads(&bob)?;

    println!("\nThe operator's audit log, which no agent sees");
    story.print_audit();
    println!("\nAt the end");
    let waiting: usize = [&ada, &bob].iter().map(|client| story.room.waiting_for(&client.scope)).sum();
    println!("   messages: {}", story.room.messages());
    println!("   held or not acknowledged: {waiting}");
    println!("   changes of the room's policy: {}", story.room.generation() - 1);
    assert_eq!(waiting, 0);
    Ok(())
}
