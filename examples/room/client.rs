//! An agent's side: what it was handed, and its one answer to it.

use crate::records::Letter;
use parley_grants::routes::{Handed, Reply, Scope};

pub struct Client {
    pub name: &'static str,
    pub scope: Scope,
    keys: u32,
}

/// A message that the agent may act on.
pub struct Turn {
    pub message: String,
    pub text: String,
    pub handed: Handed,
}

impl Client {
    pub const fn new(name: &'static str, scope: Scope) -> Self {
        Self { name, scope, keys: 0 }
    }

    /// Reads a letter; `None` for one that no server of this contract sends.
    pub fn open(&self, letter: &Letter) -> Option<Turn> {
        let route = letter.route.as_ref().map(|route| route.expose());
        let handed = Handed::received(route, letter.remaining.into())?;
        let text = String::from_utf8_lossy(&letter.body).into_owned();
        Some(Turn { message: letter.message.clone(), text, handed })
    }

    /// The answer, to be kept and sent until its receipt is known; `None` when no route came with the message.
    pub fn answer(&mut self, handed: Handed, body: &str) -> Option<Reply> {
        self.keys += 1;
        // In a product it is random.
        handed.reply(&format!("{}-{}", self.scope.agent, self.keys), body.as_bytes())
    }
}
