//! Housekeeping.

use super::{Postgres, finish};
use crate::{KEEP_ENDED, MARGIN, StoreError, forget_to};
use tokio::time::{Instant, timeout_at};

impl Postgres {
    /// Forgets what no longer counts: ended reservations after [`KEEP_ENDED`], totals a day after their `forget_after`, where
    /// nothing is held under their grant, and claims a day after their end. Beside running traffic, every hour or so. Gives
    /// the number of rows that are gone.
    ///
    /// # Errors
    /// What is not forgotten then is the next time.
    pub async fn forget(&self, now: i64) -> Result<u64, StoreError> {
        // What is locked is in use: the next time.
        let claims = "with old as (select key from parley_claim where last is null or last < $1
            limit 1000 for update skip locked) delete from parley_claim c using old where c.key = old.key";
        let seen =
            "with new as (select id from parley_reservation where state <> 'held' and ended_seen is null
            limit 1000 for update skip locked)
            update parley_reservation r set ended_seen = $1 from new where r.id = new.id";
        let ended = "with old as (select id from parley_reservation where state <> 'held' and ended_seen <= $1
            limit 1000 for update skip locked) delete from parley_reservation r using old where r.id = old.id";
        let accounts = "select count(parley_forget_account(grant_id, $1)) from (
            select grant_id from parley_account a where held = 0
                and (not exists (select from parley_total t where t.grant_id = a.grant_id) or exists (
                    select from parley_total t where t.grant_id = a.grant_id
                    and t.forget_after <= $1))
            order by grant_id limit 1000) as idle";
        let mut gone = 0;
        let (claims_end, ended_before) = (now.checked_sub(MARGIN), now.checked_sub(KEEP_ENDED));
        for (statement, time, counts) in
            [(claims, claims_end, true), (seen, Some(now), false), (ended, ended_before, true)]
        {
            let Some(time) = time else { continue };
            loop {
                let deadline = Instant::now() + self.limit;
                let lent = self.client(deadline).await?;
                let client = lent.client()?;
                let asked = async { client.execute(statement, &[&time]).await };
                let changed = finish(timeout_at(deadline, asked).await, lent)?;
                gone += if counts { changed } else { 0 };
                if changed < 1000 {
                    break;
                }
            }
        }
        loop {
            let visited: i64 = self.step(accounts, &[&forget_to(now)]).await?;
            gone += visited.unsigned_abs();
            if visited < 1000 {
                return Ok(gone);
            }
        }
    }
}
