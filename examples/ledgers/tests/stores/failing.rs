//! PostgreSQL fails in the middle of a step: nothing of it is left, and the caller is told what is known.

use crate::servers::{Kind, Server};
use crate::story::Chains;
use parley_grants::{Close, Closed};
use parley_grants_ledgers::{Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::{Client, NoTls};

async fn sql(server: &Server) -> Client {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Every write to this table fails so often, with this code; the sequence counts the failures, as nothing undoes it.
async fn fail(sql: &Client, table: &str, times: u32, code: &str) {
    let trigger = format!(
        "drop sequence if exists failures; create sequence failures;
        create or replace function fail() returns trigger language plpgsql as $$ begin
            if nextval('failures') <= {times} then raise exception 'made up' using errcode = '{code}'; end if;
            return coalesce(new, old);
        end $$;
        create or replace trigger fail before insert or update or delete on {table} for each row execute function fail();"
    );
    sql.batch_execute(&trigger).await.unwrap();
}

async fn heal(sql: &Client, table: &str) -> i64 {
    sql.batch_execute(&format!("drop trigger fail on {table}")).await.unwrap();
    sql.query_one("select last_value from failures", &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_step_leaves_nothing() {
    let server = Server::start(Kind::Postgres);
    let (store, sql) = (server.postgres().await.unwrap(), sql(&server).await);
    let chains = Chains::new("failing", 1);
    let (holder, root) = (&chains.holders[4], &chains.roots[2]);
    let mut spent = 0;
    for table in ["parley_account", "parley_reservation", "parley_total"] {
        for how in [Close::Settle, Close::Release] {
            let name = format!("{table} {how:?}");
            fail(&sql, table, 1_000, "XX000").await;
            let error = chains.commit(&store, holder, &name, 10).await.map(|_| ()).unwrap_err();
            assert!(matches!(&error, StoreError::Failed(why) if why.contains("made up")), "{error}");
            heal(&sql, table).await;
            assert_eq!(store.total(root).await, Ok(spent), "{name}");
            let (_, held) = chains.commit(&store, holder, &name, 10).await.unwrap().unwrap();
            assert_eq!(store.total(root).await, Ok(spent + 10), "{name}");
            fail(&sql, table, 1_000, "XX000").await;
            let closed = store.close(held.id(), how).await;
            heal(&sql, table).await;
            // To settle writes no total.
            if !(table == "parley_total" && how == Close::Settle) {
                assert!(matches!(closed, Err(StoreError::Failed(_))), "{name}: {closed:?}");
                assert_eq!(store.total(root).await, Ok(spent + 10), "{name}");
                assert_eq!(store.close(held.id(), how).await, Ok(Closed::Done), "{name}");
            }
            spent += if how == Close::Settle { 10 } else { 0 };
            assert_eq!(store.total(root).await, Ok(spent), "{name}");
        }
    }
}

/// Who lost to another is asked again; for ever is an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_is_asked_again() {
    let server = Server::start(Kind::Postgres);
    let (store, sql) = (server.postgres().await.unwrap(), sql(&server).await);
    let chains = Chains::new("deadlock", 1);
    let (holder, root) = (&chains.holders[4], &chains.roots[2]);
    for (number, code) in ["40P01", "40001"].into_iter().enumerate() {
        fail(&sql, "parley_total", 3, code).await;
        let _ = chains.commit(&store, holder, code, 10).await.unwrap().unwrap();
        // The fourth time it was let in; an update of what is there comes after the try to insert it.
        assert_eq!(heal(&sql, "parley_total").await, 4 + number as i64);
        assert_eq!(store.total(root).await, Ok(10 + 10 * number as u64));
    }
    fail(&sql, "parley_total", 1_000, "40P01").await;
    let error = chains.commit(&store, holder, "for ever", 10).await.map(|_| ()).unwrap_err();
    assert!(matches!(&error, StoreError::Failed(_)), "{error}");
    heal(&sql, "parley_total").await;
    assert_eq!(store.total(root).await, Ok(20));
}

/// The server ends the connection while a step waits: nobody knows what came of it until it is asked again.
#[tokio::test(flavor = "multi_thread")]
async fn an_ended_connection_is_an_unknown_answer() {
    let server = Server::start(Kind::Postgres);
    let (store, mut sql) = (Arc::new(server.postgres().await.unwrap()), sql(&server).await);
    let chains = Arc::new(Chains::new("ended", 1));
    let locked = sql.transaction().await.unwrap();
    locked.batch_execute("lock table parley_account in exclusive mode").await.unwrap();
    let waiting = {
        let (store, chains) = (Arc::clone(&store), Arc::clone(&chains));
        tokio::spawn(async move { chains.commit(&*store, &chains.holders[4], "once", 10).await.map(|_| ()) })
    };
    let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity where wait_event_type = 'Lock'";
    while locked.query_one(end, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(&error, StoreError::Unknown(why) if why.contains("terminating connection")), "{error}");
    locked.rollback().await.unwrap();
    for _ in 0..2 {
        let _ = chains.commit(&*store, &chains.holders[4], "once", 10).await.unwrap().unwrap();
        assert_eq!(store.total(&chains.roots[2]).await, Ok(10));
    }
}
