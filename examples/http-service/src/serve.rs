//! Connections: a bound on how many there are, and a time limit for heads, so that who sends slowly or nothing holds none for long.

use crate::app::Limits;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// How long requests may take to end once the service stops.
pub const GRACE: Duration = Duration::from_secs(30);

/// Serves until `stop` changes, and then until what was begun has ended.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits, mut stop: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    loop {
        // Beyond the bound, connections wait in the system's queue.
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { break };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Of this connection, or too many open files: either way the next may work.
                    tracing::warn!("not accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stop.changed() => break,
        };
        let (router, limits, stop) = (router.clone(), limits.clone(), stop.clone());
        tokio::spawn(async move {
            connection(stream, router, &limits, stop).await;
            drop(slot);
        });
    }
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    if tokio::time::timeout(GRACE, slots.acquire_many(all)).await.is_err() {
        tracing::warn!("stopped while requests were not ended");
    }
}

async fn connection(stream: TcpStream, router: Router, limits: &Limits, mut stop: watch::Receiver<bool>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(64 * 1024);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let grace = tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.changed() => GRACE,
        // Who does not read its answers would hold its place for ever.
        () = tokio::time::sleep(limits.connection_time) => limits.head_time,
    };
    connection.as_mut().graceful_shutdown();
    let _ended = tokio::time::timeout(grace, connection).await;
}
