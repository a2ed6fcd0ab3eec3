//! Records in PostgreSQL: each call is one statement, and so one transaction.

use super::{Done, Kind, Life, MARGIN, Records};
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use parley_grants_ledgers::StoreError;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::error::Severity;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Row};

const LIMIT: Duration = Duration::from_secs(5);

/// On READ COMMITTED a swap that waited for another sees what that one wrote, and then matches or does not.
/// The last index is of what a start looks for. To build one may take longer than a statement otherwise may.
const SCHEMA: &str = "set statement_timeout = 0;
    create table if not exists parley_record (
    kind text, key text, body text not null, until bigint not null, primary key (kind, key));
    create index if not exists parley_record_until on parley_record (until);
    create index if not exists parley_record_open on parley_record (key)
        where kind = 'order' and position('\"state\":\"done\"' in body) = 0;
    set statement_timeout = '5s'";

/// As the index has it.
const OPEN: &str = "select key, body from parley_record
    where kind = 'order' and position('\"state\":\"done\"' in body) = 0 and key > $1 order by key limit 1000";

pub struct Postgres(Pool);

impl Postgres {
    /// Connects, and creates the table when it is missing.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn connect(config: &str) -> Result<Self, StoreError> {
        // The parser's own error may quote the text, which has a password in it.
        let mut config: tokio_postgres::Config =
            config.parse().map_err(|_| StoreError::NotAsked("no connection string of PostgreSQL".into()))?;
        config.connect_timeout(LIMIT);
        // A statement that nobody waits for any more ends. What is answered is on the disk.
        config.options(
            "-c statement_timeout=5s -c synchronous_commit=on -c default_transaction_isolation=read\\ committed",
        );
        let manager =
            Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = Pool::builder(manager).max_size(16).runtime(Runtime::Tokio1);
        let pool = pool.wait_timeout(Some(LIMIT)).create_timeout(Some(LIMIT)).build();
        let store = Self(pool.map_err(|error| StoreError::NotAsked(error.to_string()))?);
        let client = store.client().await?;
        // Two services that start at once: the second finds it a moment later.
        if client.batch_execute(SCHEMA).await.is_err() {
            tokio::time::sleep(Duration::from_millis(200)).await;
            client.batch_execute(SCHEMA).await.map_err(|error| StoreError::Failed(error.to_string()))?;
        }
        Ok(store)
    }

    async fn client(&self) -> Result<Object, StoreError> {
        self.0.get().await.map_err(|error| StoreError::NotAsked(error.to_string()))
    }

    async fn rows(&self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        let client = self.client().await?;
        let error = match timeout(LIMIT, client.query(text, values)).await {
            Ok(Ok(rows)) => return Ok(rows),
            // The message alone: the details may quote a key.
            Ok(Err(error)) => match error.as_db_error() {
                // The server has undone the statement, and waits for the next.
                Some(told) if told.parsed_severity() == Some(Severity::Error) => {
                    return Err(StoreError::Failed(told.message().to_owned()));
                }
                Some(told) => told.message().to_owned(),
                None => error.to_string(),
            },
            Err(_) => "no answer in time".into(),
        };
        // What was asked may go on on this connection.
        drop(Object::take(client));
        Err(StoreError::Unknown(error))
    }
}

impl Records for Postgres {
    async fn get(&self, kind: Kind, key: &str) -> Result<Option<String>, StoreError> {
        let select = "select body from parley_record where kind = $1 and key = $2";
        let rows = self.rows(select, &[&kind.as_str(), &key]).await?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    async fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> Done {
        let put = "insert into parley_record (kind, key, body, until) values ($1, $2, $3, $4)
            on conflict (kind, key) do update set body = excluded.body, until = excluded.until";
        self.rows(put, &[&kind.as_str(), &key, &text, &life.until]).await.map(|_| ())
    }

    async fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> Result<bool, StoreError> {
        let kind = kind.as_str();
        let changed = match (from, to) {
            (None, None) => {
                let absent =
                    "select where not exists (select from parley_record where kind = $1 and key = $2)";
                self.rows(absent, &[&kind, &key]).await?
            }
            (None, Some(to)) => {
                let insert = "insert into parley_record (kind, key, body, until) values ($1, $2, $3, $4)
                    on conflict do nothing returning key";
                self.rows(insert, &[&kind, &key, &to, &life.until]).await?
            }
            (Some(from), Some(to)) => {
                let update = "update parley_record set body = $4, until = $5
                    where kind = $1 and key = $2 and body = $3 returning key";
                self.rows(update, &[&kind, &key, &from, &to, &life.until]).await?
            }
            (Some(from), None) => {
                let delete =
                    "delete from parley_record where kind = $1 and key = $2 and body = $3 returning key";
                self.rows(delete, &[&kind, &key, &from]).await?
            }
        };
        Ok(!changed.is_empty())
    }

    async fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut orders: Vec<(String, String)> = Vec::new();
        loop {
            // No name of an order is empty.
            let last = orders.last().map_or("", |(key, _)| key.as_str()).to_owned();
            let rows = self.rows(OPEN, &[&last]).await?;
            if rows.is_empty() {
                return Ok(orders);
            }
            orders.extend(rows.iter().map(|row| (row.get(0), row.get(1))));
        }
    }

    async fn list(&self, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
        let select = "select key, body from parley_record where kind = $1 order by key";
        let rows = self.rows(select, &[&kind.as_str()]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    async fn forget(&self, now: i64) -> Done {
        let Some(before) = now.checked_sub(MARGIN) else { return Ok(()) };
        // A thousand at a time, each looked at again, as it may have been written anew. What is kept for ever is later than this.
        let delete = "delete from parley_record where until <= $1 and (kind, key) in (
            select kind, key from parley_record where until <= $1 limit 1000) returning key";
        while !self.rows(delete, &[&before]).await?.is_empty() {}
        Ok(())
    }
}
