//! What is to be done with one attempt to use a route (C3).

use super::controls::Controls;
use super::terms::{BodyDigest, LAST_HOP, Record, Scope, State, Terms, Used};
use super::value::{PresentedRoute, RouteDigest};
use alloc::string::String;
use core::fmt;

/// Somebody tries to use a route.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// What they sent as route.
    pub route: &'a PresentedRoute,
    /// The room in which they do.
    pub room: &'a str,
    /// Who they are, as the server has authenticated them now.
    pub scope: &'a Scope,
    /// Do they have authority in that room now?
    pub authority: bool,
    /// The idempotency key that they sent. It will be stored: whoever reads the request bounds its length.
    pub key: &'a str,
    /// The body that they sent.
    pub body: &'a [u8],
}

/// What came of an attempt. The caller gets the [answer](Self::into_answer), and the operator the
/// [audit](Self::audit); `Debug` shows no more than the answer.
#[must_use]
pub struct Redemption {
    answer: Result<Redeemed, Refusal>,
    audit: Option<Audit>,
}

/// A good attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Redeemed {
    /// The first: the message is to be made, in the same transaction in which the route was consumed.
    First(First),
    /// The same once more: nothing new happens, and this is the receipt of the first.
    Replay(String),
}

/// An answer to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The id of the message that is answered.
    pub answers: String,
    /// By whom and to whom, in which room, lineage and hop.
    pub terms: Terms,
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
    /// Its record has a hop that no route has, or the store contradicts itself.
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
    /// The digest of what was sent, by which the store finds the record if there is one.
    pub digest: RouteDigest,
}

impl Redemption {
    const fn good(redeemed: Redeemed) -> Self {
        Self { answer: Ok(redeemed), audit: None }
    }

    fn replay(used: &Used) -> Self {
        Self::good(Redeemed::Replay(used.receipt.clone()))
    }

    const fn refused(reason: Reason, digest: RouteDigest) -> Self {
        Self { answer: Err(Refusal), audit: Some(Audit { reason, digest }) }
    }

    /// For the caller's reply.
    ///
    /// # Errors
    /// The one refusal.
    pub fn into_answer(self) -> Result<Redeemed, Refusal> {
        self.answer
    }

    /// For the operator's log, when it was refused. To be taken before the answer is.
    #[must_use]
    pub const fn audit(&self) -> Option<Audit> {
        self.audit
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
    body: BodyDigest,
    first: First,
}

/// What a record says to those who may ask.
enum Known<'r> {
    Open(&'r Record),
    Consumed(&'r Used),
}

/// Without key and body, which are private.
impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { room, scope, authority, .. } = self;
        f.debug_struct("Attempt")
            .field("room", room)
            .field("scope", scope)
            .field("authority", authority)
            .finish_non_exhaustive()
    }
}

impl<'a> Attempt<'a> {
    /// Decides at `now`, in unix seconds, by the record that the store has of the route's digest, if it has one (C3). Also when
    /// there is none, the body is hashed and digests are compared in constant time.
    ///
    /// Scope, authority, controls and time have to be those of the moment in which the store then consumes the route: they are
    /// read under the same lock or in the same transaction.
    pub fn decide(&self, record: Option<&Record>, controls: &Controls, now: i64) -> Step<'a> {
        let (digest, body) = (self.route.digest(), BodyDigest::of(self.body));
        let decided = self.known(record, &digest).and_then(|known| match known {
            Known::Open(record) => self.check_first(&record.terms, controls, now).map(|()| {
                let first = First { answers: record.message.clone(), terms: record.terms.clone() };
                Step::Consume(Consume { attempt: *self, digest, body, first })
            }),
            Known::Consumed(used) => {
                self.check_again(used, body).map(|()| Step::Done(Redemption::replay(used)))
            }
        });
        decided.unwrap_or_else(|reason| Step::Done(Redemption::refused(reason, digest)))
    }

    /// What is asked of the first attempt and of every other.
    fn known<'r>(&self, record: Option<&'r Record>, digest: &RouteDigest) -> Result<Known<'r>, Reason> {
        // Nobody knows 32 bytes of which this is the digest.
        let nothing = RouteDigest::from_bytes([0; 32]);
        let is_known = *digest == record.map_or(nothing, |record| record.digest);
        let record = record.filter(|_| is_known).ok_or(Reason::Unknown);
        if !self.route.is_route() {
            return Err(Reason::NoRoute);
        }
        let record = record?;
        let Terms { room, recipient, hop, .. } = &record.terms;
        check(&[
            ((1..=LAST_HOP).contains(hop), Reason::BadRecord),
            (self.room == room, Reason::OtherRoom),
            (self.scope == recipient, Reason::OtherScope),
            (self.authority, Reason::NoAuthority),
        ])?;
        match &record.state {
            State::Open => Ok(Known::Open(record)),
            State::Consumed(used) => Ok(Known::Consumed(used)),
            State::Revoked => Err(Reason::Revoked),
        }
    }

    /// What is asked of the first attempt only.
    fn check_first(&self, terms: &Terms, controls: &Controls, now: i64) -> Result<(), Reason> {
        check(&[
            (controls.room.generation() == terms.generation, Reason::OldGeneration),
            (now < terms.expires, Reason::Expired),
            (!controls.platform.is_on(), Reason::Paused),
            (!terms.cross_principal || controls.room.is_reactive(), Reason::RoomNotReactive),
        ])
    }

    /// What is asked of a retry: neither time nor controls matter to it, as nothing new happens.
    fn check_again(&self, used: &Used, body: BodyDigest) -> Result<(), Reason> {
        check(&[(self.key == used.key, Reason::OtherKey), (body == used.body, Reason::OtherBody)])
    }
}

fn check(checks: &[(bool, Reason)]) -> Result<(), Reason> {
    checks.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, reason)| Err(*reason))
}

impl Consume<'_> {
    /// What the route is frozen to, for a store that looks at generation and expiry once more in its atomic step.
    pub const fn terms(&self) -> &Terms {
        &self.first.terms
    }

    /// The digest of the route that the store is to consume in one atomic step, which fails when it is not open.
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
        Redemption::good(Redeemed::First(self.first))
    }

    /// Another attempt was faster, or the route was revoked: decided by what the store has now.
    pub fn lost(self, record: Option<&Record>) -> Redemption {
        let decided = self.attempt.known(record, &self.digest).and_then(|known| match known {
            Known::Consumed(used) => {
                self.attempt.check_again(used, self.body).map(|()| Redemption::replay(used))
            }
            // A store that says of an open route that it is not.
            Known::Open(_) => Err(Reason::BadRecord),
        });
        decided.unwrap_or_else(|reason| Redemption::refused(reason, self.digest))
    }
}
