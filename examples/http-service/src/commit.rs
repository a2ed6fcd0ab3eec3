//! COMMIT: claim, reserve, execute, settle, finish; on failure release, abandon.
//!
//! An order is one record, which goes from step to step by compare-and-swap. So a claim and what a restart needs to know of it are
//! written in one step, and of *execute* and *abandon* exactly one happens, however late a lost write arrives:
//!
//! ```text
//! (absent) -claim-> open -execute-> executed -settle, finish-> done
//!                   open -fail----> failed   -release, abandon-> (absent)
//! ```

use crate::app::{App, text_of};
use crate::ending::{end, step_to};
use crate::frame::Frame;
use crate::records::{FOREVER, Kind, Life, Order, Receipt, Records, State, order_of};
use crate::telemetry;
use parley_grants::{Allowed, Commit, Proposal, Refusal, ReservationId, Step};
use parley_grants_ledgers::{Store, StoreError, drive};

/// A COMMIT whose execution is claimed and whose cost is counted. Only [`begin`] makes one, and nothing else can be executed.
///
/// ```compile_fail,E0451
/// let attempt = parley_grants_http::commit::Attempt { ..todo!() }; // the fields are private
/// ```
#[must_use = "an attempt that is not executed stays open until a restart"]
pub struct Attempt {
    key: String,
    order: Order,
    undo: i64,
    now: i64,
    allowed: Allowed,
}

/// What became of an attempt. Who confuses the last two tells somebody that nothing was bought, and keeps the money.
#[derive(Debug)]
pub enum Outcome {
    Executed(Receipt),
    /// It was not executed, and never will be under this attempt.
    NotExecuted,
    /// The store did not tell. It is ended later, by what it became.
    Unknown,
}

/// Why a COMMIT was not begun, and so is not executed.
#[derive(Debug)]
pub enum Stop {
    Refused(Refusal),
    /// Somebody else is at it, or a store did not answer.
    Busy,
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        tracing::error!("{error}");
        Self::Busy
    }
}

/// A first COMMIT, from either door. Without a proposal it is one of nobody's.
///
/// # Errors
/// When it may not be executed.
pub async fn begin<L: Store, D: Records>(
    app: &App<L, D>,
    commit: &Commit<'_>,
    proposal: Option<&Proposal>,
    frame: &Frame,
    now: i64,
) -> Result<Attempt, Stop> {
    let grants = frame.presentables();
    let presented = frame.presented(&grants, now);
    // The name of this attempt: new for each, as one that was released is used up.
    let attempt = ReservationId::from_bytes(app.random.bytes().ok_or(Stop::Busy)?);
    let refused = |refusal: Refusal| {
        telemetry::decided(&app.verifier.record_commit(commit, &presented, Err(&refusal)));
        Stop::Refused(refusal)
    };
    // All that needs no store comes first: who is refused here has claimed nothing.
    let step = match app.verifier.commit(commit, &presented, attempt) {
        Step::Refused(refusal) => return Err(refused(refusal)),
        step => step,
    };
    let terms = proposal.ok_or(Stop::Busy)?.terms();
    let key = order_of(terms.id()).ok_or(Stop::Busy)?;
    let order = Order { instance: app.instance.clone(), attempt, state: State::Open };
    // 1. Claim: of any number of requests for this proposal one goes on.
    match step_to(app, &key, None, Some(&order), now).await {
        Ok(true) => {}
        Ok(false) => return Err(Stop::Busy),
        Err(error) => {
            app.later(&key, &order);
            return Err(error.into());
        }
    }
    reached("claimed");
    // 2. Reserve: the check of every limit and the count are one step.
    let mut decided = drive(step, &app.ledger).await;
    if let Err(error) = &decided {
        // An answer that was lost is asked for again under the same name, which counts once.
        tracing::warn!("asked again: {error}");
        decided = drive(app.verifier.commit(commit, &presented, attempt), &app.ledger).await;
    }
    let (allowed, reservation) = match decided {
        Ok(Ok(allowed)) => allowed,
        Ok(Err(refusal)) => {
            end(app, &key, &order, now).await;
            return Err(refused(refusal));
        }
        Err(error) => {
            // It may be held, or be held in a moment: released later.
            app.later(&key, &order);
            return Err(error.into());
        }
    };
    reached("reserved");
    telemetry::decided(&app.verifier.record_commit(commit, &presented, Ok((&allowed, &reservation))));
    let undo = i64::try_from(terms.undo().unwrap_or(0)).unwrap_or(0);
    let begun = Attempt { key, order, undo, now, allowed };
    match begun.may_use_consent(app).await {
        Ok(true) => Ok(begun),
        Ok(false) => {
            end(app, &begun.key, &begun.order, now).await;
            Err(Stop::Busy)
        }
        Err(error) => {
            app.later(&begun.key, &begun.order);
            Err(error.into())
        }
    }
}

impl Attempt {
    /// A one-time consent is for one order, whose every attempt may use it, as one of them at most is executed. So a failed
    /// attempt does not use it up, and nothing of it has to be ended.
    async fn may_use_consent<L: Store, D: Records>(&self, app: &App<L, D>) -> Result<bool, StoreError> {
        let Some(claim) = self.allowed.consent_claim() else { return Ok(true) };
        let (name, life) = (text_of(*claim.key()), Life { now: self.now, until: FOREVER });
        let is_first = app.records.swap(Kind::Consent, &name, None, Some(&self.key), life).await?;
        let is_ours =
            is_first || app.records.get(Kind::Consent, &name).await?.as_deref() == Some(self.key.as_str());
        reached("consent");
        Ok(is_ours)
    }

    /// 3. Executes it, 4. settles, 5. finishes; or releases and abandons.
    pub async fn execute<L: Store, D: Records>(self, app: &App<L, D>) -> Outcome {
        let receipt = self
            .allowed
            .committed()
            .map(|committed| Receipt { committed, undo_until: self.now.saturating_add(self.undo) });
        let is_closed = app.closed.as_ref().is_some_and(|file| file.exists());
        let (Some(receipt), false) = (receipt, is_closed) else {
            tracing::warn!("an order was not carried out");
            end(app, &self.key, &self.order, self.now).await;
            return Outcome::NotExecuted;
        };
        // The order is the record. A warehouse elsewhere is called between `open` and `executed`, with the order's name as its
        // idempotency key, and asked by it after a crash.
        let executed = Order { state: State::Executed(receipt.clone()), ..self.order.clone() };
        let mut answer = step_to(app, &self.key, Some(&self.order), Some(&executed), self.now).await;
        for _ in 0..2 {
            let Err(error) = &answer else { break };
            tracing::warn!("asked again: {error}");
            answer = self.execute_again(app, &executed).await;
        }
        match answer {
            Ok(true) => {}
            Ok(false) => {
                // Another process of this name took this one for dead and gave the attempt up, perhaps before its cost was counted.
                if let Err(error) = app.end_one(&self.key, self.order.attempt, self.now).await {
                    tracing::error!("an attempt has not ended: {error}");
                    app.later(&self.key, &self.order);
                }
                return Outcome::NotExecuted;
            }
            Err(error) => {
                tracing::error!("{error}");
                app.later(&self.key, &self.order);
                return Outcome::Unknown;
            }
        }
        reached("executed");
        // It has happened, and the answer says so; what does not end now is ended later.
        end(app, &self.key, &executed, self.now).await;
        Outcome::Executed(receipt)
    }

    /// The step again, whose answer was lost: it happens once. Where it does not happen now, the record tells whether it did before:
    /// what was executed stays on record.
    async fn execute_again<L: Store, D: Records>(
        &self,
        app: &App<L, D>,
        executed: &Order,
    ) -> Result<bool, StoreError> {
        if step_to(app, &self.key, Some(&self.order), Some(executed), self.now).await? {
            return Ok(true);
        }
        let order = app.records.get(Kind::Order, &self.key).await?;
        let order = order.map(|text| Order::read(&text)).transpose()?;
        Ok(order.is_some_and(|order| order.attempt == self.order.attempt && order.receipt().is_some()))
    }
}

/// A step of a COMMIT. In a build for the tests of recovery the process dies here if the environment says so.
pub(crate) fn reached(_step: &str) {
    #[cfg(feature = "crash")]
    if std::env::var("CRASH_AT").is_ok_and(|at| at == _step) {
        std::process::abort();
    }
}
