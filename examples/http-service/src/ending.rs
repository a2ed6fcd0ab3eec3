//! How an attempt ends, by where it stands: at once, when its store answers again, or at the next start.

use crate::app::App;
use crate::commit::reached;
use crate::records::{FOREVER, Kind, Life, Order, Records, State};
use parley_grants::{Close, ReservationId};
use parley_grants_ledgers::{Store, StoreError};

pub(crate) async fn step_to<L: Store, D: Records>(
    app: &App<L, D>,
    key: &str,
    from: Option<&Order>,
    to: Option<&Order>,
    now: i64,
) -> Result<bool, StoreError> {
    let (from, to) = (from.map(Order::to_json), to.map(Order::to_json));
    let life = Life { now, until: FOREVER };
    app.records.swap(Kind::Order, key, from.as_deref(), to.as_deref(), life).await
}

/// Ends an attempt by where it stands; what a store's error keeps from ending is tried again later.
pub(crate) async fn end<L: Store, D: Records>(app: &App<L, D>, key: &str, order: &Order, now: i64) {
    if let Err(error) = try_end(app, key, order, now).await {
        tracing::error!("an attempt has not ended: {error}");
        app.later(key, order);
    }
}

/// To do it again changes nothing: a reservation ends once, and a step is taken from where it was seen to stand.
async fn try_end<L: Store, D: Records>(
    app: &App<L, D>,
    key: &str,
    order: &Order,
    now: i64,
) -> Result<(), StoreError> {
    let failed = match &order.state {
        State::Done(_) => return Ok(()),
        State::Executed(receipt) => {
            // That it is no longer held is as good: an earlier try ended it.
            let _closed = app.ledger.close(&order.attempt, Close::Settle).await?;
            reached("settled");
            let done = Order { state: State::Done(receipt.clone()), ..order.clone() };
            step_to(app, key, Some(order), Some(&done), now).await?;
            reached("finished");
            return Ok(());
        }
        State::Failed => order.clone(),
        State::Open => {
            // From here on it cannot be executed any more, so its cost can be given back.
            let failed = Order { state: State::Failed, ..order.clone() };
            if !step_to(app, key, Some(order), Some(&failed), now).await? {
                return Err(StoreError::Failed("somebody else has ended it".into()));
            }
            failed
        }
    };
    reached("failed");
    let _closed = app.ledger.close(&order.attempt, Close::Release).await?;
    reached("released");
    step_to(app, key, Some(&failed), None, now).await?;
    reached("abandoned");
    Ok(())
}

impl<L: Store, D: Records> App<L, D> {
    pub(crate) fn later(&self, key: &str, order: &Order) {
        if let Ok(mut unfinished) = self.unfinished.lock() {
            unfinished.insert((key.into(), order.attempt));
        }
    }

    /// What a dead process of this name left open. To be run before the first request, and again until it succeeds.
    ///
    /// # Errors
    /// When a store does not answer.
    pub async fn restart(&self, now: i64) -> Result<usize, StoreError> {
        let mut ended = 0_usize;
        for (key, text) in self.records.open().await? {
            let order = Order::read(&text)?;
            if order.instance == self.instance && !matches!(order.state, State::Done(_)) {
                try_end(self, &key, &order, now).await?;
                ended = ended.saturating_add(1);
            }
        }
        Ok(ended)
    }

    /// What a store's error kept from ending, while this process serves.
    ///
    /// # Errors
    /// When a store does not answer.
    pub async fn end_unfinished(&self, now: i64) -> Result<(), StoreError> {
        let list = self.unfinished.lock().map(|list| list.clone()).unwrap_or_default();
        for (key, attempt) in list {
            self.end_one(&key, attempt, now).await?;
            if let Ok(mut unfinished) = self.unfinished.lock() {
                unfinished.remove(&(key, attempt));
            }
        }
        Ok(())
    }

    /// Only this attempt: another under the same order may be at work.
    pub(crate) async fn end_one(
        &self,
        key: &str,
        attempt: ReservationId,
        now: i64,
    ) -> Result<(), StoreError> {
        let order = self.records.get(Kind::Order, key).await?;
        match order.map(|text| Order::read(&text)).transpose()? {
            Some(order) if order.attempt == attempt => try_end(self, key, &order, now).await,
            // What was executed stays on record: this was not, and never will be. Its cost may have been counted.
            _ => self.ledger.close(&attempt, Close::Release).await.map(|_| ()),
        }
    }
}
