//! What a store of routes does, and the two ways through it (C1, C3).

use super::controls::{Controls, Posture};
use super::delivery::{Delivery, Work};
use super::handed::Handed;
use super::redemption::{Attempt, Redemption, Step};
use super::terms::{Record, Terms, Used};
use super::value::{Route, RouteDigest};

/// Where routes are kept, by their digests. Two of its steps are atomic: nothing may come between what they look at and
/// what they write.
///
/// A store that is asked over a network need not be this trait: [`deliver`] and [`redeem`] are a few lines around
/// [`Delivery::decide`] and [`Attempt::decide`], which do no I/O, and can be written once more with `.await` in them:
///
/// ```
/// use parley_grants::routes::{Attempt, Controls, Record, Redemption, RouteDigest, Step, Used};
/// # struct Database;
/// # type Failure = core::convert::Infallible;
/// # impl Database {
/// #     async fn find(&self, _: &RouteDigest) -> Result<Option<Record>, Failure> { Ok(None) }
/// #     async fn consume(&self, _: &RouteDigest, _: &Used) -> Result<bool, Failure> { Ok(false) }
/// # }
/// async fn redeem(
///     database: &Database,
///     attempt: &Attempt<'_>,
///     controls: &Controls,
///     receipt: &str,
///     now: i64,
/// ) -> Result<Redemption, Failure> {
///     let record = database.find(&attempt.route.digest()).await?;
///     Ok(match attempt.decide(record.as_ref(), controls, now) {
///         Step::Done(redemption) => redemption,
///         // UPDATE .. SET state = 'consumed', .. WHERE digest = .. AND state = 'open', and the message: all in the transaction
///         // in which the controls were read, too
///         Step::Consume(consume) => match database.consume(consume.digest(), &consume.used(receipt)).await? {
///             true => consume.won(),
///             false => {
///                 let record = database.find(consume.digest()).await?;
///                 consume.lost(record.as_ref())
///             }
///         },
///     })
/// }
/// ```
pub trait Store {
    /// What can go wrong with it.
    type Error;

    /// The record of a route. A record that has not been forgotten is always found, whatever its state.
    ///
    /// # Errors
    /// The store's own.
    fn find(&mut self, digest: &RouteDigest) -> Result<Option<Record>, Self::Error>;

    /// In one atomic step: if a route for this room, message and recipient was consumed, nothing; else revokes those that are open, and
    /// keeps the new one as open (C3).
    ///
    /// # Errors
    /// The store's own.
    fn issue(&mut self, issue: &Issue<'_>) -> Result<Issued, Self::Error>;

    /// In one atomic step: if the route is open, consumes it and writes down with what; `false` and nothing changed if it is
    /// not, or not there.
    ///
    /// # Errors
    /// The store's own.
    fn consume(&mut self, digest: &RouteDigest, used: &Used) -> Result<bool, Self::Error>;
}

/// A route to be kept.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'i> {
    /// The id of the message that it is handed over with, in the room of the terms. With room and recipient, it is what a route is
    /// the only one for.
    pub message: &'i str,
    /// When that message will be deleted, in unix seconds: until then it can be delivered again.
    pub retention_end: i64,
    /// The digest of the route's value.
    pub digest: RouteDigest,
    /// What it is frozen to.
    pub terms: &'i Terms,
    /// Now, in unix seconds.
    pub now: i64,
}

/// What a store did with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Issued {
    /// It is kept, and open.
    Open,
    /// The recipient has answered the message before: there is no other route for it.
    Answered,
    /// It cannot be kept, for want of room or because its digest is not new, and nothing has changed: the message is to be
    /// delivered another time.
    Refused,
}

/// What comes of a delivery.
#[derive(Debug)]
#[must_use]
pub enum Delivered {
    /// It is no reactive work, as [`Work::None`] says.
    None,
    /// There would be a route, but the recipient has answered the message by one before: it is no work any more. Who hands it over all
    /// the same does so without a route.
    Answered,
    /// A control stands in the way. The message is neither acknowledged nor dropped nor skipped, and asked about anew when
    /// controls change.
    Held,
    /// The store could not keep the route, for want of room or because the random bytes were not new: an operator should know.
    /// The message is treated as one that is held.
    Refused,
    /// To be handed over together with this.
    Turn(Handed),
}

/// Decides on a delivery at `now`, in unix seconds, and makes the route that goes with it, from 32 bytes of a
/// cryptographic source of randomness.
///
/// A message has one live route for each recipient, so delivering it again ends the one that was handed over before: do that
/// when the first handing over failed, and not while the recipient is at it.
///
/// # Errors
/// The store's; then nothing is handed over.
pub fn deliver<S: Store>(
    store: &mut S,
    delivery: &Delivery<'_>,
    controls: &Controls,
    posture: Posture,
    random: &[u8; 32],
    now: i64,
) -> Result<Delivered, S::Error> {
    let terms = match delivery.decide(controls, posture, now) {
        Work::None => return Ok(Delivered::None),
        Work::Held => return Ok(Delivered::Held),
        Work::Turn(None) => return Ok(Delivered::Turn(Handed::without_route())),
        Work::Turn(Some(terms)) => terms,
    };
    let route = Route::from_random(random);
    let &Delivery { message, retention_end, .. } = delivery;
    let issued =
        store.issue(&Issue { message, retention_end, digest: route.digest(), terms: &terms, now })?;
    Ok(match issued {
        Issued::Open => Delivered::Turn(Handed::with_route(route, terms.remaining())),
        Issued::Answered => Delivered::Answered,
        Issued::Refused => Delivered::Refused,
    })
}

/// Decides on an attempt at `now`, in unix seconds, and consumes the route if it is the first good one. `receipt` is what this
/// attempt and every retry of it are answered with; the message itself is made by the caller. With a database, the store is
/// the open transaction in which the message is then made: were the route consumed and the message not made, retries would get the
/// receipt of nothing.
///
/// A refused attempt is one look into the store, whatever is wrong with it; only one that was good and lost a race takes more.
///
/// # Errors
/// The store's; then nothing is known, and the client's retry will tell.
pub fn redeem<S: Store>(
    store: &mut S,
    attempt: &Attempt<'_>,
    controls: &Controls,
    receipt: &str,
    now: i64,
) -> Result<Redemption, S::Error> {
    let record = store.find(&attempt.route.digest())?;
    let consume = match attempt.decide(record.as_ref(), controls, now) {
        Step::Done(redemption) => return Ok(redemption),
        Step::Consume(consume) => consume,
    };
    if store.consume(consume.digest(), &consume.used(receipt))? {
        return Ok(consume.won());
    }
    let record = store.find(consume.digest())?;
    Ok(consume.lost(record.as_ref()))
}
