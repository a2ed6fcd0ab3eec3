//! PostgreSQL: each step is one function of `schema.sql`, so one statement and one transaction.

mod forget;

use crate::{Bounds, LONGEST, Store, StoreError, forget_to};
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use parley_grants::{
    BlockId, Claim, Claimed, Close, Closed, Demand, End, ReservationId, Reserve, SpendLine, Ticket,
};
use std::error::Error;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::{FromSqlOwned, ToSql};
use tokio_postgres::{Client, NoTls, Row};

/// Of `schema.sql`.
const VERSION: i32 = 1;

/// Tries of a step that lost to another and left nothing behind.
const TRIES: u32 = 5;

/// The ledger and the claims in PostgreSQL.
#[derive(Clone, Debug)]
pub struct Postgres {
    pool: Pool,
    bounds: Bounds,
    limit: Duration,
}

impl Postgres {
    /// Connects, by `tokio-postgres`' connection string or URL, and creates the schema when it is missing. 16 connections at
    /// most, which are made when needed and replaced when broken; 5 seconds a step.
    ///
    /// # Errors
    /// Also when the server would answer before what it says is on the disk.
    pub async fn connect(config: &str) -> Result<Self, StoreError> {
        Self::connect_with(config, 16, Duration::from_secs(5), Bounds::default()).await
    }

    /// As [`Postgres::connect`], with so many connections, time for each step, and bounds.
    ///
    /// # Errors
    /// As there.
    pub async fn connect_with(
        config: &str,
        connections: usize,
        limit: Duration,
        bounds: Bounds,
    ) -> Result<Self, StoreError> {
        let limit = limit.min(LONGEST);
        // The parser's own error may quote the text, which has a password in it.
        let mut config: tokio_postgres::Config =
            config.parse().map_err(|_| StoreError::NotAsked("no connection string of PostgreSQL".into()))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(limit);
        }
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method });
        let pool = Pool::builder(manager)
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(limit))
            .create_timeout(Some(limit))
            .post_create(Hook::async_fn(move |client, _| {
                Box::pin(async move { prepare(client, limit).await.map_err(HookError::message) })
            }))
            .build()
            .map_err(|error| StoreError::NotAsked(in_full(&error)))?;
        let store = Self { pool, bounds, limit };
        store.create_schema().await?;
        Ok(store)
    }

    async fn create_schema(&self) -> Result<(), StoreError> {
        let mut created = Ok(());
        for _ in 0..TRIES {
            if self.step("select to_regclass('parley_schema') is not null", &[]).await? {
                return match self.step("select version from parley_schema", &[]).await? {
                    VERSION => Ok(()),
                    other => {
                        Err(StoreError::Failed(format!("the schema has version {other}, not {VERSION}")))
                    }
                };
            }
            // Two services that start at once: the second waits for the first at the first table, and then fails.
            let deadline = Instant::now() + self.limit;
            let lent = self.client(deadline).await?;
            let schema = format!("begin;\n{}\ncommit;", include_str!("../schema.sql"));
            created = finish(timeout_at(deadline, lent.client()?.batch_execute(&schema)).await, lent);
        }
        created
    }

    async fn client(&self, deadline: Instant) -> Result<Lent, StoreError> {
        match timeout_at(deadline, self.pool.get()).await {
            Ok(Ok(client)) => Ok(Lent(Some(client))),
            Ok(Err(error)) => Err(StoreError::NotAsked(in_full(&error))),
            Err(_) => Err(StoreError::NotAsked("no connection in time".into())),
        }
    }

    /// One statement with one row; again when it lost to another.
    async fn row(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, StoreError> {
        let deadline = Instant::now() + self.limit;
        let mut tries = 1;
        loop {
            let lent = self.client(deadline).await?;
            let client = lent.client()?;
            let asked = async {
                let statement = client.prepare_cached(statement).await?;
                client.query_one(&statement, values).await
            };
            let answer = timeout_at(deadline, asked).await;
            if tries < TRIES && matches!(&answer, Ok(Err(error)) if lost_to_another(error)) {
                tries += 1;
                lent.back();
                continue;
            }
            return finish(answer, lent);
        }
    }

    async fn step<T: FromSqlOwned>(
        &self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<T, StoreError> {
        column(&self.row(statement, values).await?, 0)
    }
}

/// Makes a new connection fit, or refuses it.
async fn prepare(client: &Client, limit: Duration) -> Result<(), String> {
    let in_words = |error: tokio_postgres::Error| in_full(&error);
    // Nothing of a step whose caller gave up goes on for long.
    let settings = format!(
        "set default_transaction_isolation = 'read committed'; set statement_timeout = {}",
        limit.as_millis().max(1)
    );
    client.batch_execute(&settings).await.map_err(in_words)?;
    // Set to what it is, so that no later change of the server's settings reaches this connection.
    let durable = "select current_setting('fsync'),
        set_config('synchronous_commit', current_setting('synchronous_commit'), false)";
    let row = client.query_one(durable, &[]).await.map_err(in_words)?;
    match (row.try_get(0).map_err(in_words)?, row.try_get(1).map_err(in_words)?) {
        ("on", "on" | "remote_apply") => Ok(()),
        (fsync, commit) => Err(format!(
            "the server may lose what it answered: fsync is {fsync}, synchronous_commit is {commit}"
        )),
    }
}

/// A connection of the pool. Unless it goes back, it is not used again: when it failed, when somebody still waits on it, and
/// when the caller gives up, and drops the call.
struct Lent(Option<Object>);

impl Lent {
    fn client(&self) -> Result<&Object, StoreError> {
        self.0.as_ref().ok_or_else(|| StoreError::NotAsked("no connection".into()))
    }

    fn back(mut self) {
        self.0 = None;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.take().map(Object::take);
    }
}

/// The answer.
fn finish<T>(
    answer: Result<Result<T, tokio_postgres::Error>, tokio::time::error::Elapsed>,
    lent: Lent,
) -> Result<T, StoreError> {
    match answer {
        Ok(Ok(answer)) => {
            lent.back();
            Ok(answer)
        }
        Ok(Err(error)) => Err(unanswered(&error)),
        Err(_) => Err(StoreError::Unknown("no answer in time".into())),
    }
}

/// A plain error has undone the statement. One that ends the connection or the server may have come after its commit.
fn unanswered(error: &tokio_postgres::Error) -> StoreError {
    let severity = error.as_db_error().and_then(|error| error.parsed_severity());
    let text = in_full(error);
    if severity == Some(Severity::Error) { StoreError::Failed(text) } else { StoreError::Unknown(text) }
}

/// Nothing of the statement is left, and the next try sees what the other has done.
fn lost_to_another(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|state| {
        [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::UNIQUE_VIOLATION]
            .contains(state)
    })
}

/// With what it was caused by.
fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn column<T: FromSqlOwned>(row: &Row, index: usize) -> Result<T, StoreError> {
    row.try_get(index).map_err(|error| unreadable(&in_full(&error)))
}

fn unreadable(what: &str) -> StoreError {
    StoreError::Unknown(format!("not an answer: {what}"))
}

impl Store for Postgres {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        let lines = demand.lines.iter();
        let blocks: Vec<&[u8]> = lines.clone().map(|line| &line.block.as_bytes()[..]).collect();
        // As texts: no type of SQL's client side holds a u64.
        let maxes: Vec<String> = lines.clone().map(|line| line.max.to_string()).collect();
        let ends: Vec<Option<i64>> = lines.map(|SpendLine { forget_after, .. }| *forget_after).collect();
        let (id, grant) = (&demand.id.as_bytes()[..], &demand.grant.as_bytes()[..]);
        let (proposal, amount) = (demand.proposal.as_bytes(), demand.amount.to_string());
        let (most_blocks, most_held) =
            (i64::from(self.bounds.blocks_per_grant), i64::from(self.bounds.held_per_grant));
        let statement = "select parley_reserve($1, $2, $3, $4::text::numeric, $5, $6, $7::text[]::numeric[], $8, $9, $10)";
        let said: String = self
            .step(
                statement,
                &[
                    &id,
                    &grant,
                    &proposal,
                    &amount,
                    &forget_to(demand.now),
                    &blocks,
                    &maxes,
                    &ends,
                    &most_blocks,
                    &most_held,
                ],
            )
            .await?;
        match said.as_str() {
            "reserved" => Ok(Reserve::Reserved),
            "exceeded" => Ok(Reserve::Exceeded),
            "full" => Ok(Reserve::Full),
            "taken" => Ok(Reserve::Taken),
            other => Err(unreadable(other)),
        }
    }

    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        let state = match how {
            Close::Settle => "settled",
            Close::Release => "released",
        };
        let is_done: bool = self.step("select parley_close($1, $2)", &[&&id.as_bytes()[..], &state]).await?;
        Ok(if is_done { Closed::Done } else { Closed::NotHeld })
    }

    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        let statement = "select least(coalesce(sum(amount), 0), 18446744073709551615)::text from parley_total where block = $1";
        let total: String = self.step(statement, &[&&block.as_bytes()[..]]).await?;
        total.parse().map_err(|_| unreadable(&total))
    }

    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        let statement = "select said, turn_given from parley_make_claim($1, $2, $3)";
        let row = self.row(statement, &[&&claim.key()[..], &claim.last(), &now]).await?;
        let said: String = column(&row, 0)?;
        match said.as_str() {
            "first" => {
                let turn: i64 = column(&row, 1)?;
                let turn = u64::try_from(turn).map_err(|_| unreadable("a turn below 0"))?;
                Ok(Claimed::First(Ticket::from_parts(*claim.key(), turn)))
            }
            "in progress" => Ok(Claimed::InProgress),
            "done" => Ok(Claimed::Done),
            other => Err(unreadable(other)),
        }
    }

    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        // The sequence gives no turn beyond.
        let Ok(turn) = i64::try_from(ticket.turn()) else { return Ok(false) };
        let is_done = match how {
            End::Finish => true,
            End::Abandon => false,
        };
        self.step("select parley_end_claim($1, $2, $3)", &[&&ticket.key()[..], &turn, &is_done]).await
    }
}
