//! Records in Redis: each call is one command or one script. The server must be one that keeps its word, which the ledger beside
//! this checks when it connects: `appendonly yes`, `appendfsync always`, `maxmemory-policy noeviction`.

use super::{Done, FOREVER, Kind, Life, MARGIN, Records, is_open};
use parley_grants_ledgers::StoreError;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, RedisResult, Script};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

const LIMIT: Duration = Duration::from_secs(5);
const BASE: &str = "parley-record";

/// The names of the orders that are not done.
const OPEN: &str = "parley-record-open";

/// `from` and `to` begin with `=`, or are empty for absent; then the seconds to keep it, or none; then, for an order, its name and
/// whether it is open, which the second key keeps.
static SWAP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local is = redis.call('GET', KEYS[1])
        if ARGV[1] ~= (is and '=' .. is or '') then return 0 end
        if ARGV[2] == '' then redis.call('DEL', KEYS[1])
        elseif ARGV[3] == '' then redis.call('SET', KEYS[1], string.sub(ARGV[2], 2))
        else redis.call('SET', KEYS[1], string.sub(ARGV[2], 2), 'EX', ARGV[3]) end
        if ARGV[5] == 'open' then redis.call('SADD', KEYS[2], ARGV[4])
        elseif ARGV[5] == 'not' then redis.call('SREM', KEYS[2], ARGV[4]) end
        return 1",
    )
});

pub struct Redis {
    client: Client,
    current: Mutex<Current>,
    limit: Duration,
}

/// The connection that all calls share, and how many there were.
#[derive(Default)]
struct Current {
    number: u64,
    connection: Option<MultiplexedConnection>,
}

impl Redis {
    /// Connects, by a `redis://` URL. 5 seconds a call.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::connect_with(url, LIMIT).await
    }

    /// As [`Redis::connect`], with so much time for each call.
    ///
    /// # Errors
    /// As there.
    pub async fn connect_with(url: &str, limit: Duration) -> Result<Self, StoreError> {
        // Without the client's own text: a URL has a password in it.
        let client =
            Client::open(url).map_err(|_| StoreError::NotAsked("no URL of a Redis server".into()))?;
        let store = Self { client, current: Mutex::default(), limit };
        store.connection().await?;
        Ok(store)
    }

    /// Asks once; to wait for the connection, to make it and to ask take no longer than the limit together. A connection that
    /// broke, or did not answer in time, is not used again: the next call makes another.
    async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(MultiplexedConnection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.limit;
        let (number, connection) = timeout_at(deadline, self.connection())
            .await
            .unwrap_or_else(|_| Err(StoreError::NotAsked("no connection in time".into())))?;
        let error = match timeout_at(deadline, question(connection)).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in time".into(),
        };
        let mut current = self.current.lock().await;
        if current.number == number {
            current.connection = None;
        }
        Err(StoreError::Unknown(error))
    }

    async fn connection(&self) -> Result<(u64, MultiplexedConnection), StoreError> {
        let mut current = self.current.lock().await;
        if let Some(connection) = &current.connection {
            return Ok((current.number, connection.clone()));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.limit))
            .set_response_timeout(Some(self.limit));
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await;
        let connection = connection.map_err(|error| StoreError::NotAsked(error.to_string()))?;
        current.number = current.number.wrapping_add(1);
        current.connection = Some(connection.clone());
        Ok((current.number, connection))
    }

    /// All pages of a scan, of the names like this.
    async fn names(&self, scan: &Cmd, like: &str) -> Result<BTreeSet<String>, StoreError> {
        let (mut cursor, mut names) = (0_u64, BTreeSet::new());
        loop {
            let mut page = scan.clone();
            page.arg(cursor).arg("COUNT").arg(1000);
            if !like.is_empty() {
                page.arg("MATCH").arg(like);
            }
            let (next, some): (u64, Vec<String>) =
                self.ask(async |mut connection| page.query_async(&mut connection).await).await?;
            // It may name one twice.
            names.extend(some);
            cursor = next;
            if cursor == 0 {
                return Ok(names);
            }
        }
    }

    async fn records(&self, kind: Kind, keys: BTreeSet<String>) -> Result<Vec<(String, String)>, StoreError> {
        let mut records = Vec::new();
        for key in keys {
            if let Some(text) = self.get(kind, &key).await? {
                records.push((key, text));
            }
        }
        Ok(records)
    }
}

fn name(kind: Kind, key: &str) -> String {
    format!("{BASE}:{}:{key}", kind.as_str())
}

/// Seconds by the server's clock, which ticks like the caller's: at least a day longer than the record is alive.
fn seconds(life: Life) -> Option<i64> {
    let margin = MARGIN.saturating_mul(2);
    (life.until != FOREVER).then(|| life.until.saturating_sub(life.now).max(0).saturating_add(margin))
}

impl Records for Redis {
    async fn get(&self, kind: Kind, key: &str) -> Result<Option<String>, StoreError> {
        self.ask(async |mut connection| {
            redis::cmd("GET").arg(name(kind, key)).query_async(&mut connection).await
        })
        .await
    }

    async fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> Done {
        if kind == Kind::Order {
            return Err(StoreError::Failed("an order is only swapped".into()));
        }
        let mut set = redis::cmd("SET");
        set.arg(name(kind, key)).arg(text);
        if let Some(seconds) = seconds(life) {
            set.arg("EX").arg(seconds);
        }
        self.ask(async |mut connection| set.query_async(&mut connection).await).await
    }

    async fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> Result<bool, StoreError> {
        let text = |text: Option<&str>| text.map_or(String::new(), |text| format!("={text}"));
        let open = match to {
            _ if kind != Kind::Order => "",
            Some(text) if is_open(kind, text) => "open",
            _ => "not",
        };
        let mut call = SWAP.key(name(kind, key));
        call.key(OPEN);
        call.arg(text(from)).arg(text(to)).arg(seconds(life).map_or(String::new(), |time| time.to_string()));
        call.arg(key).arg(open);
        let swapped: bool = self.ask(async |mut connection| call.invoke_async(&mut connection).await).await?;
        Ok(swapped)
    }

    async fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut scan = redis::cmd("SSCAN");
        scan.arg(OPEN);
        self.records(Kind::Order, self.names(&scan, "").await?).await
    }

    async fn list(&self, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
        let start = name(kind, "");
        let names = self.names(&redis::cmd("SCAN"), &format!("{start}*")).await?;
        let keys = names.iter().filter_map(|name| name.strip_prefix(&start)).map(str::to_owned).collect();
        self.records(kind, keys).await
    }

    async fn forget(&self, _: i64) -> Done {
        // It forgets by itself.
        Ok(())
    }
}
