//! The server's side of a room: a function each for what can be asked of it. Of a route it keeps no more than what the store
//! does, which is its digest.
//!
//! Each function is one step: keep a room behind one lock, or in a database and each function in one transaction.

use crate::records::{Entry, Failure, Letter, Member, Message, Sent, Who};
use parley_grants::routes::{
    Attempt, Controls, Delivered, Delivery, First, Kind, MemoryStore, PlatformPause, Posture, PresentedRoute,
    Redeemed, Role, RoomPolicy, Scope, deliver, redeem,
};
use std::collections::{BTreeMap, BTreeSet};
use zeroize::Zeroizing;

/// How long a message is kept, in seconds.
const RETENTION: i64 = 30 * 24 * 60 * 60;

pub struct Room<R> {
    id: String,
    /// The human who sets its policy.
    owner: String,
    controls: Controls,
    /// By the agent's id.
    members: BTreeMap<String, Member>,
    messages: Vec<Message>,
    /// Which messages are not done with: held, or handed over and not acknowledged.
    waiting: BTreeSet<usize>,
    routes: MemoryStore,
    /// A cryptographic source of randomness.
    random: R,
    /// For the operator's eyes alone.
    pub audit: Vec<Entry>,
}

impl<R: FnMut() -> [u8; 32]> Room<R> {
    pub fn new(id: &str, owner: &str, random: R) -> Self {
        Self {
            id: id.into(),
            owner: owner.into(),
            controls: Controls {
                platform: PlatformPause::recorded(false),
                room: RoomPolicy::recorded(true, 1),
            },
            members: BTreeMap::new(),
            messages: Vec::new(),
            waiting: BTreeSet::new(),
            routes: MemoryStore::with_capacity(10_000),
            random,
            audit: Vec::new(),
        }
    }

    /// Lets an agent in, which acts for this human and, as the human says, by itself.
    pub fn admit(&mut self, agent: &str, owner: &str) {
        let member = Member { owner: owner.into(), posture: Posture::Reactive };
        self.members.insert(agent.into(), member);
    }

    /// A direct message, which begins a lineage of its own.
    pub fn post(&mut self, author: &Scope, to: &Scope, body: &[u8], now: i64) -> Result<String, Failure> {
        for who in [author, to] {
            self.members.get(&who.agent).ok_or(Failure::NotFound)?;
        }
        let lineage = self.next_id();
        Ok(self.keep(author.clone(), to.clone(), (0, lineage), body, now))
    }

    /// What waits for this caller and may be acted on. Nothing leaves the queue by being held or handed over: it comes again,
    /// with a fresh route in place of the earlier one, until it is acknowledged.
    pub fn drain(&mut self, caller: &Scope, now: i64) -> Result<Vec<Letter>, Failure> {
        let recipient = self.members.get(&caller.agent).ok_or(Failure::NotFound)?;
        let (mut letters, mut no_work) = (Vec::new(), BTreeSet::new());
        for at in &self.waiting {
            // A message to a session is for just that session, and for no other of its agent.
            let Some(message) = self.messages.get(*at).filter(|message| message.to == *caller) else {
                continue;
            };
            let author = self.members.get(&message.author.agent);
            let delivery = Delivery {
                message: &message.id,
                room: &self.id,
                kind: Kind::Direct,
                hop: message.hop,
                lineage: &message.lineage,
                author: &message.author,
                recipient: caller,
                cross_principal: author.is_none_or(|author| author.owner != recipient.owner),
                admitted: author.is_some(),
                moderated: message.passed,
                alive: now < message.retention_end,
                duplicate: message.handled,
                retention_end: message.retention_end,
            };
            let random = Zeroizing::new((self.random)());
            match deliver(&mut self.routes, &delivery, &self.controls, recipient.posture, &random, now)? {
                // In this room, nothing of it can change: what is no work stays none.
                Delivered::None | Delivered::Answered => {
                    no_work.insert(*at);
                }
                // It stays where it is, and is asked about again by the next drain. (A real server tells its operator of the latter.)
                Delivered::Held | Delivered::Refused => {}
                Delivered::Turn(handed) => letters.push(Letter {
                    message: message.id.clone(),
                    body: message.body.clone(),
                    route: handed.route_text(),
                    remaining: handed.remaining(),
                }),
            }
        }
        self.waiting.retain(|at| !no_work.contains(at));
        Ok(letters)
    }

    /// An answer by a route. The receipt is the id of the message that it makes.
    pub fn redeem(&mut self, caller: &Scope, sent: &Sent<'_>, now: i64) -> Result<String, Failure> {
        let receipt = self.next_id();
        let attempt = Attempt {
            route: &PresentedRoute::read(sent.route),
            room: &self.id,
            scope: caller,
            authority: self.members.contains_key(&caller.agent),
            key: sent.key,
            body: sent.body,
        };
        let redemption = redeem(&mut self.routes, &attempt, &self.controls, &receipt, now)?;
        if let Some(audit) = redemption.audit() {
            self.audit.push(Entry { at: now, who: caller.clone(), reason: audit.reason });
        }
        match redemption.into_answer()? {
            Redeemed::Replay(receipt) => Ok(receipt),
            // Everything about the message comes from the terms, and nothing from the caller but the body. It has the id that the
            // receipt says, as nothing comes in between.
            Redeemed::First(First { answers, terms }) => {
                self.acknowledge(caller, &answers)?;
                Ok(self.keep(terms.recipient, terms.target, (terms.hop, terms.lineage), sent.body, now))
            }
        }
    }

    /// The recipient is done with a message: it does not come again.
    pub fn acknowledge(&mut self, caller: &Scope, message: &str) -> Result<(), Failure> {
        let is_it = |kept: &&mut Message| kept.id == message && kept.to == *caller;
        self.messages.iter_mut().find(is_it).ok_or(Failure::NotFound)?.handled = true;
        Ok(())
    }

    pub fn pause_platform(&mut self, paused: bool, by: Who<'_>) -> Result<(), Failure> {
        let role = match by {
            Who::Administrator => Role::PlatformAdministrator,
            Who::Human(_) | Who::Agent(_) => Role::Other,
        };
        self.controls.platform = self.controls.platform.set(paused, role)?;
        Ok(())
    }

    pub fn set_policy(&mut self, reactive: bool, by: Who<'_>) -> Result<(), Failure> {
        let role = match by {
            Who::Human(name) if name == self.owner => Role::RoomOwner,
            Who::Human(_) | Who::Agent(_) | Who::Administrator => Role::Other,
        };
        self.controls.room = self.controls.room.set(reactive, role)?;
        Ok(())
    }

    /// Of one agent in this room. Any session of it is the agent itself; another agent is anybody.
    pub fn set_posture(&mut self, agent: &str, to: Posture, by: Who<'_>) -> Result<(), Failure> {
        let member = self.members.get_mut(agent).ok_or(Failure::NotFound)?;
        let role = match by {
            Who::Human(name) if name == member.owner => Role::AgentOwner,
            Who::Agent(scope) if scope.agent == agent => Role::Agent,
            Who::Human(_) | Who::Agent(_) | Who::Administrator => Role::Other,
        };
        member.posture = member.posture.set(to, role)?;
        Ok(())
    }

    pub fn generation(&self) -> u64 {
        self.controls.room.generation()
    }

    /// How many messages there are.
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// How many of them this recipient has not acknowledged.
    pub fn waiting_for(&self, who: &Scope) -> usize {
        let waiting = self.waiting.iter().filter_map(|at| self.messages.get(*at));
        waiting.filter(|message| message.to == *who && !message.handled).count()
    }

    fn next_id(&self) -> String {
        format!("m-{}", self.messages.len() + 1)
    }

    fn keep(
        &mut self,
        author: Scope,
        to: Scope,
        (hop, lineage): (i64, String),
        body: &[u8],
        now: i64,
    ) -> String {
        let id = self.next_id();
        self.waiting.insert(self.messages.len());
        self.messages.push(Message {
            id: id.clone(),
            author,
            to,
            hop,
            lineage,
            body: body.to_vec(),
            retention_end: now.saturating_add(RETENTION),
            // Here is the place of a moderation.
            passed: !body.is_empty(),
            handled: false,
        });
        id
    }
}
