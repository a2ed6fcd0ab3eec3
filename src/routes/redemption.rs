//! What is to be done with one attempt to use a route (C3).

use super::controls::Controls;
use super::terms::{BodyDigest, LAST_HOP, Record, Scope, State, Terms, Used};
use super::value::{PresentedRoute, RouteDigest};
use alloc::string::String;
use core::fmt;

/// Most bytes of an idempotency key: a longer one is refused, as it would be stored.
pub const KEY_BYTES: usize = 1024;

/// Somebody tries to use a route.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// What they sent as route.
    pub route: &'a PresentedRoute,
    /// The room in which they do.
    pub room: &'a str,
    /// Who they are, as the server has authenticated them now.
    pub scope: &'a Scope,
    /// Do they have authority in that room now?
    pub authority: bool,
    /// The idempotency key that they sent. At most [`KEY_BYTES`].
    pub key: &'a str,
    /// The body that they sent.
    pub body: &'a [u8],
}

/// What came of an attempt. The caller gets the [answer](Self::into_answer), and the operator the
/// [audit](Self::audit); `Debug` shows no more than the answer.
#[must_use]
pub struct Redemption {
    answer: Result<Redeemed, Refusal>,
    reason: Option<Reason>,
}

/// A good attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Redeemed {
    /// The first: the message is to be made, in the same transaction in which the route was consumed.
    First(Terms),
    /// The same once more: nothing new happens, and this is the receipt of the first.
    Replay(String),
}

/// The one refusal: it says nothing about why (C3).
///
/// ```
/// assert_eq!(parley_grants::routes::Refusal.to_string(), "the route cannot be used");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the route cannot be used")
    }
}

impl core::error::Error for Refusal {}

/// Why an attempt was refused: for the operator's log alone. Where several things were wrong, the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// What was sent is the text of no route.
    NoRoute,
    /// No such route is known.
    Unknown,
    /// Its record has a hop that no route has.
    BadRecord,
    /// It is of another room.
    OtherRoom,
    /// It is not theirs: of another agent, of another session, or of the agent where a session asks.
    OtherScope,
    /// They have no authority in the room now.
    NoAuthority,
    /// It was revoked.
    Revoked,
    /// It was used with another idempotency key.
    OtherKey,
    /// It was used with this key and another body.
    OtherBody,
    /// The key is longer than [`KEY_BYTES`].
    LongKey,
    /// The room's policy was changed since.
    OldGeneration,
    /// It is over.
    Expired,
    /// The platform is paused.
    Paused,
    /// The room is not reactive, and the two act for different principals.
    RoomNotReactive,
}

impl Reason {
    /// Its name in a log.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoRoute => "no_route",
            Self::Unknown => "unknown",
            Self::BadRecord => "bad_record",
            Self::OtherRoom => "other_room",
            Self::OtherScope => "other_scope",
            Self::NoAuthority => "no_authority",
            Self::Revoked => "revoked",
            Self::OtherKey => "other_key",
            Self::OtherBody => "other_body",
            Self::LongKey => "long_key",
            Self::OldGeneration => "old_generation",
            Self::Expired => "expired",
            Self::Paused => "paused",
            Self::RoomNotReactive => "room_not_reactive",
        }
    }
}

/// What the operator may know of a refusal. It is no part of the answer, and never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Why.
    pub reason: Reason,
}

impl Redemption {
    const fn good(redeemed: Redeemed) -> Self {
        Self { answer: Ok(redeemed), reason: None }
    }

    const fn refused(reason: Reason) -> Self {
        Self { answer: Err(Refusal), reason: Some(reason) }
    }

    /// For the caller's reply.
    ///
    /// # Errors
    /// The one refusal.
    pub fn into_answer(self) -> Result<Redeemed, Refusal> {
        self.answer
    }

    /// For the operator's log, when it was refused.
    #[must_use]
    pub fn audit(&self) -> Option<Audit> {
        self.reason.map(|reason| Audit { reason })
    }
}

impl fmt::Debug for Redemption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redemption").field(&self.answer).finish()
    }
}

/// An attempt after the record was read.
#[derive(Debug)]
#[must_use]
pub enum Step<'a> {
    /// It is decided.
    Done(Redemption),
    /// It is good if the store can consume the route for it.
    Consume(Consume<'a>),
}

/// An attempt that is good unless another one was faster.
#[derive(Debug)]
#[must_use]
pub struct Consume<'a> {
    attempt: Attempt<'a>,
    digest: RouteDigest,
    terms: Terms,
    body: BodyDigest,
}

impl<'a> Attempt<'a> {
    /// Decides at `now`, in unix seconds, by the record that the store has of the route's digest, if it has one (C3). Whatever is
    /// wrong, the same is looked at: the digests are compared in constant time, and the body is hashed, also when there is
    /// no record.
    pub fn decide(&self, record: Option<&Record>, controls: &Controls, now: i64) -> Step<'a> {
        let body = BodyDigest::of(self.body);
        let digest = self.route.digest();
        // Nobody knows 32 bytes of which this is the digest.
        let nothing = RouteDigest::from_bytes([0; 32]);
        let is_known = digest == record.map_or(nothing, |record| record.digest);
        let Some(record) = record.filter(|_| is_known && self.route.is_route()) else {
            return Step::Done(Redemption::refused(if self.route.is_route() {
                Reason::Unknown
            } else {
                Reason::NoRoute
            }));
        };
        let terms = &record.terms;
        if let Some(reason) = self.stranger(terms) {
            return Step::Done(Redemption::refused(reason));
        }
        match &record.state {
            State::Revoked => Step::Done(Redemption::refused(Reason::Revoked)),
            State::Consumed(used) => Step::Done(self.again(used, body)),
            State::Open => match self.first(terms, controls, now) {
                Some(reason) => Step::Done(Redemption::refused(reason)),
                None => Step::Consume(Consume { attempt: *self, digest, terms: terms.clone(), body }),
            },
        }
    }

    /// What is asked of the first attempt and of every other.
    fn stranger(&self, terms: &Terms) -> Option<Reason> {
        let checks = [
            ((1..=LAST_HOP).contains(&terms.hop), Reason::BadRecord),
            (self.room == terms.room, Reason::OtherRoom),
            (*self.scope == terms.recipient, Reason::OtherScope),
            (self.authority, Reason::NoAuthority),
        ];
        failed(&checks)
    }

    /// What is asked of the first attempt only.
    fn first(&self, terms: &Terms, controls: &Controls, now: i64) -> Option<Reason> {
        let checks = [
            (self.key.len() <= KEY_BYTES, Reason::LongKey),
            (controls.room.generation() == terms.generation, Reason::OldGeneration),
            (now < terms.expires, Reason::Expired),
            (!controls.platform.is_on(), Reason::Paused),
            (!terms.cross_principal || controls.room.is_reactive(), Reason::RoomNotReactive),
        ];
        failed(&checks)
    }

    /// The answer to a retry: neither time nor controls matter to it, as nothing new happens.
    fn again(&self, used: &Used, body: BodyDigest) -> Redemption {
        match failed(&[(self.key == used.key, Reason::OtherKey), (body == used.body, Reason::OtherBody)]) {
            Some(reason) => Redemption::refused(reason),
            None => Redemption::good(Redeemed::Replay(used.receipt.clone())),
        }
    }
}

fn failed(checks: &[(bool, Reason)]) -> Option<Reason> {
    checks.iter().find(|(holds, _)| !holds).map(|(_, reason)| *reason)
}

impl Consume<'_> {
    /// What the store is to consume the route with, in one atomic step that fails when it is not open.
    pub const fn digest(&self) -> &RouteDigest {
        &self.digest
    }

    /// What it is to write down in that step. `receipt` is the answer to this attempt and to every retry of it.
    #[must_use]
    pub fn used(&self, receipt: &str) -> Used {
        Used { key: String::from(self.attempt.key), body: self.body, receipt: String::from(receipt) }
    }

    /// The store has consumed the route: the message is to be made.
    pub fn won(self) -> Redemption {
        Redemption::good(Redeemed::First(self.terms))
    }

    /// Another attempt was faster, or the route was revoked: decided by what the store has now.
    pub fn lost(self, record: Option<&Record>) -> Redemption {
        let Some(record) = record.filter(|record| record.digest == self.digest) else {
            return Redemption::refused(Reason::Unknown);
        };
        if let Some(reason) = self.attempt.stranger(&record.terms) {
            return Redemption::refused(reason);
        }
        match &record.state {
            State::Consumed(used) => self.attempt.again(used, self.body),
            // A store that says of an open route that it is not.
            State::Open => Redemption::refused(Reason::BadRecord),
            State::Revoked => Redemption::refused(Reason::Revoked),
        }
    }
}
