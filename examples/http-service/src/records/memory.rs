//! Records in memory.

use super::{Done, FOREVER, Kind, Life, MARGIN, Records, is_open};
use parley_grants_ledgers::StoreError;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// In memory, bounded: lost with the process.
pub struct Memory {
    room: usize,
    entries: Mutex<Entries>,
}

type Entries = BTreeMap<(Kind, String), (String, i64)>;

impl Memory {
    /// At most so many records. What does not fit is an error, and so nothing is done that needed it.
    pub fn with_room(room: usize) -> Self {
        Self { room, entries: Mutex::default() }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Entries>, StoreError> {
        self.entries
            .lock()
            .map_err(|_| StoreError::Failed("a thread panicked while it held the records".into()))
    }

    fn insert(&self, entries: &mut Entries, key: (Kind, String), text: &str, life: Life) -> Done {
        if entries.len() >= self.room && !entries.contains_key(&key) {
            forget(entries, life.now);
            if entries.len() >= self.room {
                return Err(StoreError::Failed("no room for another record".into()));
            }
        }
        entries.insert(key, (text.into(), life.until));
        Ok(())
    }
}

impl Records for Memory {
    async fn get(&self, kind: Kind, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.lock()?.get(&(kind, key.into())).map(|(text, _)| text.clone()))
    }

    async fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> Done {
        self.insert(&mut *self.lock()?, (kind, key.into()), text, life)
    }

    async fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> Result<bool, StoreError> {
        let mut entries = self.lock()?;
        let key = (kind, key.into());
        if entries.get(&key).map(|(text, _)| text.as_str()) != from {
            return Ok(false);
        }
        match to {
            Some(text) => self.insert(&mut entries, key, text, life)?,
            None => {
                entries.remove(&key);
            }
        }
        Ok(true)
    }

    async fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut orders = self.list(Kind::Order).await?;
        orders.retain(|(_, text)| is_open(Kind::Order, text));
        Ok(orders)
    }

    async fn list(&self, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
        let entries = self.lock()?;
        let of_kind = entries.iter().filter(|((of, _), _)| *of == kind);
        Ok(of_kind.map(|((_, key), (text, _))| (key.clone(), text.clone())).collect())
    }

    async fn forget(&self, now: i64) -> Done {
        forget(&mut *self.lock()?, now);
        Ok(())
    }
}

fn forget(entries: &mut Entries, now: i64) {
    entries.retain(|_, (_, until)| *until == FOREVER || until.saturating_add(MARGIN) > now);
}
