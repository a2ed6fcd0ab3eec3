//! Answers: events, one a line, and exactly one final reply, which is the last line.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use parley_grants::{Answer, Refusal};
use serde_json::{Value, json};
use std::convert::Infallible;

/// What goes back. The frame's id is set by the layer, for all replies in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: StatusCode,
    pub events: Vec<Value>,
    /// The members of the final line but for `parley` and `re`.
    pub last: Value,
    pub re: Option<String>,
}

/// The class of an answer, for the metrics.
#[derive(Clone, Copy)]
pub struct Class(pub &'static str);

impl Reply {
    pub fn new(re: &str, last: Value) -> Self {
        Self { status: StatusCode::OK, events: Vec::new(), last, re: Some(re.into()) }
    }

    pub fn error(status: StatusCode, code: &str) -> Self {
        Self { status, events: Vec::new(), last: json!({"kind": "error", "error": code}), re: None }
    }

    /// Try again later; nothing is known to have been done.
    pub fn unavailable() -> Self {
        Self::error(StatusCode::SERVICE_UNAVAILABLE, "unavailable")
    }

    pub fn expired() -> Self {
        Self::error(StatusCode::GONE, "expired")
    }

    pub fn forbidden() -> Self {
        Self::error(StatusCode::FORBIDDEN, "forbidden")
    }

    pub fn malformed() -> Self {
        Self::error(StatusCode::BAD_REQUEST, "malformed")
    }

    /// The class and, for consent, the request. The reasons stay in the log.
    pub fn refused(refusal: &Refusal) -> Self {
        let answer = refusal.answer();
        let status = match answer {
            Answer::ConsentRequired(request) => {
                let consent: Result<Value, _> = serde_json::from_str(&request.to_json());
                return consent.map_or_else(
                    |_| Self::unavailable(),
                    |consent| Self {
                        status: StatusCode::PAYMENT_REQUIRED,
                        events: Vec::new(),
                        last: json!({"kind": "consent_required", "consent": consent}),
                        re: None,
                    },
                );
            }
            Answer::Unauthorized => StatusCode::UNAUTHORIZED,
            Answer::Conflict => StatusCode::CONFLICT,
            Answer::Expired => StatusCode::GONE,
            Answer::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            // A review is answered with proposals, where there are any: that it comes here is a no.
            Answer::Forbidden | Answer::Review => return Self::forbidden(),
        };
        Self::error(status, answer.code())
    }

    pub fn re(self, re: &str) -> Self {
        Self { re: Some(re.into()), ..self }
    }

    pub fn with_events(self, events: Vec<Value>) -> Self {
        Self { events, ..self }
    }

    /// One of few words.
    fn class(&self) -> &'static str {
        match self.status {
            StatusCode::OK => "ok",
            StatusCode::BAD_REQUEST => "malformed",
            StatusCode::UNAUTHORIZED => "unauthorized",
            StatusCode::PAYMENT_REQUIRED => "consent_required",
            StatusCode::FORBIDDEN => "forbidden",
            StatusCode::REQUEST_TIMEOUT => "timeout",
            StatusCode::CONFLICT => "conflict",
            StatusCode::GONE => "expired",
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::SERVICE_UNAVAILABLE => "unavailable",
            _ => "other",
        }
    }
}

fn line(mut value: Value, re: Option<&Option<String>>) -> String {
    if let Value::Object(members) = &mut value {
        members.insert("parley".into(), Value::from(1));
        if let Some(re) = re {
            members.insert("re".into(), json!(re));
        }
    }
    format!("{value}\n")
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let class = Class(self.class());
        let last = line(self.last, Some(&self.re));
        let body = if self.events.is_empty() {
            Body::from(last)
        } else {
            let events = self.events.into_iter().map(|event| line(event, None));
            Body::from_stream(stream::iter(events.chain([last]).map(Ok::<_, Infallible>)))
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let ndjson = HeaderValue::from_static("application/x-ndjson");
        response.headers_mut().insert(header::CONTENT_TYPE, ndjson);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.extensions_mut().insert(class);
        response
    }
}
