//! Housekeeping.

use super::{BASE, FORGET_ACCOUNT, FORGET_CLAIMS, FORGET_ENDED, Redis, end_text, time_text};
use crate::{KEEP_ENDED, MARGIN, StoreError, forget_to};

impl Redis {
    /// Forgets what no longer counts: ended reservations after [`KEEP_ENDED`], totals a day after their `forget_after`, where
    /// nothing is held under their grant, and claims a day after their end. Beside running traffic, every hour or so. Gives
    /// the number of reservations, accounts and claims that are gone.
    ///
    /// # Errors
    /// What is not forgotten then is the next time.
    pub async fn forget(&self, now: i64) -> Result<u64, StoreError> {
        // Scores of sorted sets are doubles.
        const EXACT: i64 = (1 << 53) - 1;
        let (true, Some(claims_end), Some(ended_before)) =
            ((-EXACT..=EXACT).contains(&now), now.checked_sub(MARGIN), now.checked_sub(KEEP_ENDED))
        else {
            return Err(StoreError::NotAsked(format!("{now} is no time of a clock")));
        };
        let mut gone = 0;
        loop {
            let arguments = [time_text(claims_end), format!("({claims_end}")];
            let claims: u64 = self.run(&FORGET_CLAIMS, &arguments).await?;
            gone += claims;
            if claims < 1000 {
                break;
            }
        }
        loop {
            let (seen, ended): (u64, u64) =
                self.run(&FORGET_ENDED, &[now.to_string(), ended_before.to_string()]).await?;
            gone += ended;
            if seen < 1000 && ended < 1000 {
                break;
            }
        }
        let mut cursor = 0_u64;
        loop {
            let mut scan = redis::cmd("SSCAN");
            scan.arg(format!("{BASE}:accounts")).arg(cursor).arg("COUNT").arg(1000);
            let (next, grants): (u64, Vec<Vec<u8>>) =
                self.ask(async |mut connection| scan.query_async(&mut connection).await).await?;
            for grant in grants {
                let to = end_text(forget_to(now)).into_bytes();
                gone += self.run::<u64>(&FORGET_ACCOUNT, &[grant, to]).await?;
            }
            cursor = next;
            if cursor == 0 {
                return Ok(gone);
            }
        }
    }
}
