//! Bounded reply routes (part C of the contract): agent A asks agent B in a room, and B can answer without learning A's
//! address, at most sixteen times to and fro.
//!
//! A server hands a message over together with a [`Route`]: 32 random bytes of which it keeps only the digest. Whoever received
//! it, and nobody else, can answer by it once. Everything is decided anew at every attempt, by explicit inputs: the record, who
//! asks, the [`Controls`], the time. Storage, clock and randomness are the caller's.
//!
//! ```
//! use parley_grants::routes::{
//!     Attempt, Controls, Delivered, Delivery, Kind, MemoryStore, PlatformPause, Posture, PresentedRoute, Redeemed,
//!     RoomPolicy, Scope, deliver, redeem,
//! };
//! let mut store = MemoryStore::with_capacity(10_000);
//! let controls = Controls { platform: PlatformPause::recorded(false), room: RoomPolicy::recorded(true, 7) };
//! let (ada, bob) = (Scope::agent("ada"), Scope::session("bob", "s-1"));
//! let now = 1_790_000_000;
//!
//! // Ada asks Bob. The server decides, and hands the question over with a route.
//! let question = Delivery {
//!     message: "m-1", room: "r-1", kind: Kind::Direct, hop: 0, lineage: "l-1", author: &ada, recipient: &bob,
//!     cross_principal: true, admitted: true, moderated: true, alive: true, duplicate: false, retention_end: now + 86_400,
//! };
//! # let random = [7; 32];
//! let Delivered::Turn(handed) = deliver(&mut store, &question, &controls, Posture::Reactive, &random, now)?
//! else { panic!("neither held nor without work") };
//! assert_eq!(handed.remaining(), 16);
//!
//! // Bob's side answers, and may send the same again until it knows the receipt.
//! let reply = handed.reply("k-1", b"Yes, at ten.").ok_or("no way to answer")?;
//! let attempt = Attempt {
//!     route: &PresentedRoute::read(reply.route_text().expose()),
//!     room: "r-1", scope: &bob, authority: true, key: reply.key(), body: reply.body(),
//! };
//! let redemption = redeem(&mut store, &attempt, &controls, "receipt-1", now)?;
//! if let Some(audit) = redemption.audit() {
//!     eprintln!("refused: {}", audit.reason.code()); // for the operator, and never part of the reply
//! }
//! let Redeemed::First(first) = redemption.into_answer()? else { panic!("the first time") };
//! assert_eq!((&*first.answers, first.terms.hop, &first.terms.target), ("m-1", 1, &ada));
//! let again = redeem(&mut store, &attempt, &controls, "receipt-2", now + 99)?;
//! assert_eq!(again.into_answer(), Ok(Redeemed::Replay("receipt-1".into())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod controls;
mod delivery;
mod handed;
mod memory;
mod redemption;
mod store;
mod terms;
mod value;

#[cfg(test)]
mod tests;

pub use controls::{Controls, NotAllowed, PlatformPause, Posture, Role, RoomPolicy};
pub use delivery::{Delivery, Kind, Work};
pub use handed::{Handed, Reply};
pub use memory::{MARGIN, MemoryStore};
pub use redemption::{Attempt, Audit, Consume, First, Reason, Redeemed, Redemption, Refusal, Step};
pub use store::{Delivered, Issue, Issued, Store, deliver, redeem};
pub use terms::{BodyDigest, LAST_HOP, LONGEST, Record, Scope, State, Terms, Used};
pub use value::{PresentedRoute, Route, RouteDigest, RouteText};
