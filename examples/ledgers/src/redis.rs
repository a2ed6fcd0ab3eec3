//! Redis 7 or later: each step is one script (`src/redis/*.lua`).

mod forget;

use crate::{Bounds, LONGEST, Store, StoreError, forget_to};
use parley_grants::{BlockId, Claim, Claimed, Close, Closed, Demand, End, ReservationId, Reserve, Ticket};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, RedisError, RedisResult, Script};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// What all keys begin with; a part of them is only known inside the scripts. The hash tag puts all of them into one slot: a
/// ledger is on one node of a cluster, as it must be where a reservation is found by its id alone.
const BASE: &str = "{parley-grants}";

/// With a shebang, a script is refused before it begins when memory is full, unless its flags say otherwise.
macro_rules! script {
    ($flags:literal $(, $part:literal)+) => {
        LazyLock::new(|| {
            Script::new(concat!("#!lua flags=", $flags, "\n" $(, include_str!(concat!("redis/", $part, ".lua")))+))
        })
    };
}

static RESERVE: LazyLock<Script> = script!("", "number", "account", "reserve");
static TOTAL: LazyLock<Script> = script!("no-writes", "number", "account", "total");
static CLAIM: LazyLock<Script> = script!("", "number", "claim");
// What ends makes room.
static CLOSE: LazyLock<Script> = script!("allow-oom", "number", "account", "close");
static END: LazyLock<Script> = script!("allow-oom", "end");
static FORGET_CLAIMS: LazyLock<Script> = script!("allow-oom", "number", "forget_claims");
static FORGET_ENDED: LazyLock<Script> = script!("allow-oom", "forget_ended");
static FORGET_ACCOUNT: LazyLock<Script> = script!("allow-oom", "number", "account", "forget_account");

/// What a server must say of itself, or it may lose what it answered.
const DURABLE: [(&str, &str); 4] = [
    ("appendonly", "yes"),
    ("appendfsync", "always"),
    ("no-appendfsync-on-rewrite", "no"),
    ("maxmemory-policy", "noeviction"),
];

/// The ledger and the claims in Redis.
#[derive(Debug)]
pub struct Redis {
    client: Client,
    current: Mutex<Current>,
    /// The last connection on which a question was left without an answer. It is not used again, nor are those before it.
    broken: AtomicU64,
    bounds: Bounds,
    limit: Duration,
}

/// The connection that all steps share, and how many there were.
#[derive(Debug, Default)]
struct Current {
    number: u64,
    connection: Option<MultiplexedConnection>,
}

/// A question on a connection: unless it is answered, the connection is broken. Also when the caller gives up, and drops it.
struct Question<'r> {
    broken: &'r AtomicU64,
    number: u64,
}

impl Question<'_> {
    fn answered(mut self) {
        self.number = 0;
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.broken.fetch_max(self.number, Relaxed);
    }
}

impl Redis {
    /// Connects, by a `redis://` URL. 5 seconds a step; a connection that broke is replaced by the next step.
    ///
    /// # Errors
    /// Also when the server would answer before what it says is on the disk, or could evict it.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::connect_with(url, Duration::from_secs(5), Bounds::default()).await
    }

    /// As [`Redis::connect`], with so much time for each step, and bounds.
    ///
    /// # Errors
    /// As there.
    pub async fn connect_with(url: &str, limit: Duration, bounds: Bounds) -> Result<Self, StoreError> {
        let limit = limit.min(LONGEST);
        // Without the client's own text: a URL has a password in it.
        let client =
            Client::open(url).map_err(|_| StoreError::NotAsked("no URL of a Redis server".into()))?;
        let store = Self { client, current: Mutex::default(), broken: AtomicU64::new(0), bounds, limit };
        store.connection().await?;
        Ok(store)
    }

    async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        arguments: &[impl redis::ToRedisArgs],
    ) -> Result<T, StoreError> {
        let mut call = script.key(BASE);
        for argument in arguments {
            call.arg(argument);
        }
        self.ask(async |mut connection| call.invoke_async(&mut connection).await).await
    }

    /// Asks once, within the limit. A connection that broke, or did not answer in time, is not used again.
    async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(MultiplexedConnection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.limit;
        let (number, connection) = timeout_at(deadline, self.connection())
            .await
            .unwrap_or_else(|_| Err(StoreError::NotAsked("no connection in time".into())))?;
        let asked = Question { broken: &self.broken, number };
        match timeout_at(deadline, question(connection)).await {
            Ok(Ok(answer)) => {
                asked.answered();
                Ok(answer)
            }
            Ok(Err(error)) if is_told(&error) => {
                asked.answered();
                Err(StoreError::Failed(error.to_string()))
            }
            Ok(Err(error)) => Err(StoreError::Unknown(error.to_string())),
            Err(_) => Err(StoreError::Unknown("no answer in time".into())),
        }
    }

    async fn connection(&self) -> Result<(u64, MultiplexedConnection), StoreError> {
        let mut current = self.current.lock().await;
        if let Some(connection) = &current.connection
            && current.number > self.broken.load(Relaxed)
        {
            return Ok((current.number, connection.clone()));
        }
        let not_asked = |why: String| StoreError::NotAsked(format!("no connection: {why}"));
        let connection = connect(&self.client, self.limit).await.map_err(not_asked)?;
        current.number += 1;
        current.connection = Some(connection.clone());
        Ok((current.number, connection))
    }
}

/// A new connection to a server that keeps its word.
async fn connect(client: &Client, limit: Duration) -> Result<MultiplexedConnection, String> {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(limit)).set_response_timeout(Some(limit));
    let in_words = |error: RedisError| error.to_string();
    let mut connection =
        client.get_multiplexed_async_connection_with_config(&config).await.map_err(in_words)?;
    let mut get = redis::cmd("CONFIG");
    get.arg("GET").arg(&DURABLE.map(|(name, _)| name)[..]);
    let settings: HashMap<String, String> = get.query_async(&mut connection).await.map_err(in_words)?;
    for (name, wanted) in DURABLE {
        let is = settings.get(name).map_or("unknown", String::as_str);
        if is != wanted {
            return Err(format!("the server may lose what it answered: {name} is {is}, not {wanted}"));
        }
    }
    Ok(connection)
}

/// Errors with which the server says that it did not begin.
fn is_told(error: &RedisError) -> bool {
    let is_refused = |code| {
        ["OOM", "MISCONF", "READONLY", "LOADING", "NOSCRIPT", "NOAUTH", "BUSY", "NOREPLICAS"].contains(&code)
    };
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
        && error.code().is_some_and(is_refused)
}

/// Numbers are 20 digits, which is what the scripts reckon with.
fn number_text(number: impl Into<i128>) -> String {
    format!("{:020}", number.into())
}

/// From the first second that there is, so that the order of the texts is that of the times.
fn time_text(time: i64) -> String {
    number_text(i128::from(time) - i128::from(i64::MIN))
}

fn end_text(end: Option<i64>) -> String {
    end.map_or_else(|| "-".repeat(20), time_text)
}

/// The whole demand but for its time. No two have the same: all parts have their lengths, and what is left is the proposal.
fn demand_text(demand: &Demand<'_>) -> Vec<u8> {
    let count = demand.lines.iter().fold(0_u64, |count, _| count + 1);
    let mut text = number_text(count).into_bytes();
    text.extend(demand.grant.as_bytes());
    text.extend(number_text(demand.amount).bytes());
    for line in demand.lines {
        text.extend(line.block.as_bytes());
        text.extend(number_text(line.max).bytes());
        text.extend(end_text(line.forget_after).bytes());
    }
    text.extend(demand.proposal.bytes());
    text
}

fn unreadable(what: &str) -> StoreError {
    StoreError::Unknown(format!("not an answer: {what}"))
}

impl Store for Redis {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        let mut arguments = vec![
            demand.id.as_bytes().to_vec(),
            demand_text(demand),
            demand.grant.as_bytes().to_vec(),
            number_text(demand.amount).into_bytes(),
            end_text(forget_to(demand.now)).into_bytes(),
            self.bounds.blocks_per_grant.to_string().into_bytes(),
            self.bounds.held_per_grant.to_string().into_bytes(),
        ];
        for line in demand.lines {
            arguments.push(line.block.as_bytes().to_vec());
            arguments.push(number_text(line.max).into_bytes());
            arguments.push(end_text(line.forget_after).into_bytes());
        }
        let said: String = self.run(&RESERVE, &arguments).await?;
        match said.as_str() {
            "reserved" => Ok(Reserve::Reserved),
            "exceeded" => Ok(Reserve::Exceeded),
            "full" => Ok(Reserve::Full),
            "taken" => Ok(Reserve::Taken),
            other => Err(unreadable(other)),
        }
    }

    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        let how: &[u8] = match how {
            Close::Settle => b"settle",
            Close::Release => b"release",
        };
        match self.run(&CLOSE, &[&id.as_bytes()[..], how]).await? {
            1_u8 => Ok(Closed::Done),
            0 => Ok(Closed::NotHeld),
            _ => Err(unreadable("neither 0 nor 1")),
        }
    }

    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        let totals: Vec<String> = self.run(&TOTAL, &[&block.as_bytes()[..]]).await?;
        totals.iter().try_fold(0_u64, |sum, total| {
            let total = total.parse().map_err(|_| unreadable(total))?;
            Ok(sum.saturating_add(total))
        })
    }

    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        let last = claim.last();
        let score = last.map_or("-inf".into(), |last| last.to_string());
        let arguments = [
            claim.key().to_vec(),
            last.map_or_else(String::new, time_text).into_bytes(),
            time_text(now).into_bytes(),
            score.into_bytes(),
        ];
        let answer: Vec<String> = self.run(&CLAIM, &arguments).await?;
        match answer.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["first", turn] => {
                let turn = turn.parse().map_err(|_| unreadable(turn))?;
                Ok(Claimed::First(Ticket::from_parts(*claim.key(), turn)))
            }
            ["in progress"] => Ok(Claimed::InProgress),
            ["done"] => Ok(Claimed::Done),
            _ => Err(unreadable(&answer.join(", "))),
        }
    }

    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        let how = match how {
            End::Finish => "finish",
            End::Abandon => "abandon",
        };
        let turn = ticket.turn().to_string();
        match self.run(&END, &[&ticket.key()[..], turn.as_bytes(), how.as_bytes()]).await? {
            1_u8 => Ok(true),
            0 => Ok(false),
            _ => Err(unreadable("neither 0 nor 1")),
        }
    }
}
