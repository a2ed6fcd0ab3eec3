//! Decision records and metrics. Neither holds a token, a proof or a handle.

use parley_grants::{Record, Verb};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

pub const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// A decision, for the log.
pub fn decided(record: &Record) {
    tracing::info!(target: "decision", "{}", record.to_json());
}

/// One line of JSON an event: a decision as the record has it, anything else with its level.
pub struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut message = Message(String::new());
        event.record(&mut message);
        if event.metadata().target() == "decision" {
            return writeln!(out, "{}", message.0);
        }
        let level = event.metadata().level().as_str();
        writeln!(out, "{}", json!({"level": level, "message": message.0}))
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

/// Requests by verb and class. Both are closed sets: nothing in a request makes a new series.
#[derive(Default)]
pub struct Metrics(Mutex<BTreeMap<(Verb, &'static str), u64>>);

impl Metrics {
    pub fn count(&self, verb: Verb, class: &'static str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry((verb, class)).or_default();
        *count = count.saturating_add(1);
    }

    /// In Prometheus' text form, with how many bodies are read and requests worked on now.
    pub fn render(&self, (reading, working): (usize, usize)) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let series = counts.iter().map(|((verb, class), count)| {
            format!("parley_requests_total{{verb=\"{}\",outcome=\"{class}\"}} {count}\n", verb.as_str())
        });
        format!(
            "# HELP parley_requests_total Requests by verb and outcome.\n# TYPE parley_requests_total counter\n{}\
             # HELP parley_in_flight Requests now, by what is done with them.\n# TYPE parley_in_flight gauge\n\
             parley_in_flight{{stage=\"reading\"}} {reading}\nparley_in_flight{{stage=\"working\"}} {working}\n",
            series.collect::<String>()
        )
    }
}
