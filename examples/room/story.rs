//! How the story is told: each step asks the room, asserts what comes of it, and says so.

use crate::client::{Client, Turn};
use crate::records::{Entry, Failure, Sent};
use crate::room::Room;
use parley_grants::routes::{Handed, Reason, Refusal, Reply, RouteText, Scope};
use std::error::Error;

pub struct Story<R> {
    pub room: Room<R>,
    pub now: i64,
    step: u32,
}

impl<R: FnMut() -> [u8; 32]> Story<R> {
    pub const fn new(room: Room<R>, now: i64) -> Self {
        Self { room, now, step: 0 }
    }

    pub fn chapter(&mut self, title: &str) {
        self.step += 1;
        println!("\n{}. {title}", self.step);
        self.now += 60;
    }

    pub fn ask(&mut self, from: &Client, to: &Client, body: &str) -> Result<(), Failure> {
        let id = self.room.post(&from.scope, &to.scope, body.as_bytes(), self.now)?;
        println!("   {} writes {id} to {}: \"{body}\"", from.name, to.name);
        Ok(())
    }

    /// The one message that this client may act on now.
    pub fn receive(&mut self, client: &Client) -> Result<Turn, Box<dyn Error>> {
        let letters = self.room.drain(&client.scope, self.now)?;
        let [letter] = letters.as_slice() else { return Err("there is one message".into()) };
        let turn = client.open(letter).ok_or("a letter is as the contract says")?;
        let (name, id, text) = (client.name, &turn.message, &turn.text);
        let way = match (&letter.route, turn.handed.remaining()) {
            (None, _) => "without a route, no reply left".into(),
            (Some(_), 1) => "with a route, 1 reply left".into(),
            (Some(_), left) => format!("with a route, {left} replies left"),
        };
        println!("   {name} gets {id}, {way}: \"{text}\"");
        Ok(turn)
    }

    /// Receives a message that needs no answer.
    pub fn reads(&mut self, client: &Client) -> Result<(), Box<dyn Error>> {
        let turn = self.receive(client)?;
        Ok(self.room.acknowledge(&client.scope, &turn.message)?)
    }

    pub fn gets_nothing(&mut self, client: &Client) -> Result<(), Box<dyn Error>> {
        assert!(self.room.drain(&client.scope, self.now)?.is_empty());
        let held = self.room.waiting_for(&client.scope);
        assert!(held > 0);
        let messages = if held == 1 { "message is" } else { "messages are" };
        println!("   {} gets nothing now: {held} {messages} held, and not lost.", client.name);
        Ok(())
    }

    /// Sends an answer; gives its receipt.
    fn send(&mut self, scope: &Scope, reply: &Reply) -> Result<String, Failure> {
        let route = reply.route_text();
        let sent = Sent { route: route.expose(), key: reply.key(), body: reply.body() };
        self.room.redeem(scope, &sent, self.now)
    }

    /// An answer that makes a message, and settles the one that it answers.
    pub fn answers(&mut self, client: &Client, reply: &Reply) -> Result<(), Failure> {
        let before = self.room.messages();
        let receipt = self.send(&client.scope, reply)?;
        assert_eq!(self.room.messages(), before + 1);
        println!("   {} answers by the route. The receipt is {receipt}.", client.name);
        Ok(())
    }

    /// The last answer once more, which makes no second message.
    pub fn repeats(&mut self, client: &Client, reply: &Reply) -> Result<(), Failure> {
        let before = self.room.messages();
        let receipt = self.send(&client.scope, reply)?;
        assert_eq!((self.room.messages(), &receipt), (before, &format!("m-{before}")));
        println!(
            "   {} sends it again. The receipt is {receipt}, and there is no second message.",
            client.name
        );
        Ok(())
    }

    /// An answer that is refused: the caller is told always the same, and the operator the reason.
    pub fn refused(&mut self, (who, scope): (&str, &Scope), reply: &Reply, reason: Reason) {
        let before = (self.room.messages(), self.room.audit.len());
        let answer = self.send(scope, reply);
        assert_eq!(answer, Err(Failure::Route(Refusal)));
        assert_eq!((self.room.messages(), self.room.audit.len()), (before.0, before.1 + 1));
        assert_eq!(self.room.audit.last().map(|entry| entry.reason), Some(reason));
        println!("   {who} is told: {Refusal}.");
    }

    pub fn not_allowed(&self, who: &str, answer: &Result<(), Failure>) {
        let Err(failure @ Failure::NotAllowed(_)) = answer else { panic!("{who} may: {answer:?}") };
        println!("   {who} is told: {failure}.");
    }

    pub fn print_audit(&self) {
        for Entry { at, who, reason } in &self.room.audit {
            let session = who.session.as_ref().map(|session| format!(", {session}")).unwrap_or_default();
            println!("   {at}  {}  ({}{session})", reason.code(), who.agent);
        }
    }
}

/// A route with any key and body: what a client can send that does not keep to the rules.
pub fn forged(route: &RouteText, key: &str, body: &str) -> Result<Reply, Box<dyn Error>> {
    let handed = Handed::received(Some(route.expose()), 1).ok_or("it has the form of a route")?;
    Ok(handed.reply(key, body.as_bytes()).ok_or("it has a route")?)
}
