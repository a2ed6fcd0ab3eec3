//! The closed set of caveats (A4), with "unknown" and "malformed" as values that always deny.

use crate::error::Error;
use crate::json::{self, Reader};
use crate::limits::Limits;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// One restriction on a grant (A4). A request is authorized only if every caveat of every block is satisfied.
///
/// What a block says that is none of the nine kinds, or not well-formed, is kept as a value that fails every
/// request, whatever its verb: a newer issuer may have meant a restriction by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// `svc`: the services that the grant may be used at, by their ids.
    Service(Vec<String>),
    /// `verbs`: the verbs that it may be used for.
    Verbs(Vec<String>),
    /// `can`: patterns for capabilities. A pattern matches what equals it; one that ends in `*` also what starts with
    /// the text before that `*`.
    Capabilities(Vec<String>),
    /// `exp`: valid before this time, in unix seconds.
    Expires(i64),
    /// `nbf`: valid at and after this time, in unix seconds.
    NotBefore(i64),
    /// `only`: COMMIT of the proposal with this hash only.
    Only(String),
    /// `per`: most that one COMMIT may cost.
    PerCommit(Amount),
    /// `spend`: most that all COMMITs under the block may cost together, at one service.
    Spend(Amount),
    /// `risk`: highest risk that a COMMIT may have.
    Risk(Risk),
    /// A key that is none of the nine; holds the caveat's canonical JSON.
    Unknown(Box<str>),
    /// No object with exactly one key, or a value that is not well-formed; holds the caveat's canonical JSON.
    Malformed(Box<str>),
}

impl Caveat {
    /// Reads one caveat from its JSON text in any spelling. What is JSON and no well-formed caveat gives one of the two
    /// values that always deny.
    ///
    /// # Errors
    /// A text that A2 cannot express, with its byte offset.
    ///
    /// ```
    /// use parley_grants::{Caveat, Risk};
    /// assert_eq!(Caveat::parse(br#"{"risk":"low"}"#)?, Caveat::Risk(Risk::Low));
    /// assert!(matches!(Caveat::parse(br#"{"risk":"toString"}"#)?, Caveat::Malformed(_)));
    /// assert!(matches!(Caveat::parse(br#"{"days":["monday"]}"#)?, Caveat::Unknown(_)));
    /// # Ok::<(), parley_grants::Error>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let canonical = json::canonicalize(text)?;
        Self::read(&mut json::canonical(canonical.as_bytes(), &Limits::default())?)
    }

    /// Reads the caveat that comes next. JSON that is not canonical is an error; anything else is a caveat.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut attempt = reader.clone();
        if let Ok(Some(caveat)) = Self::read_known(&mut attempt) {
            *reader = attempt;
            return Ok(caveat);
        }
        // Once more from the start, now as any JSON: it must be canonical all the same (B1).
        let start = reader.at();
        let mut again = reader.clone();
        json::skip(reader)?;
        let text = Box::from(reader.since(start));
        let is_unknown = only_name(&mut again).is_ok_and(|name| !NAMES.contains(&&*name));
        Ok(if is_unknown { Self::Unknown(text) } else { Self::Malformed(text) })
    }

    /// A well-formed caveat of a known kind; anything else is an error or `None`.
    fn read_known(reader: &mut Reader<'_>) -> Result<Option<Self>, Error> {
        reader.enter()?;
        reader.take(b'{')?;
        let name = reader.string()?.decode();
        reader.take(b':')?;
        let caveat = match &*name {
            "svc" => Some(Self::Service(strings(reader)?)),
            "verbs" => Some(Self::Verbs(strings(reader)?)),
            "can" => Some(Self::Capabilities(strings(reader)?)),
            "exp" => Some(Self::Expires(reader.int()?)),
            "nbf" => Some(Self::NotBefore(reader.int()?)),
            "only" => Some(Self::Only(reader.string()?.decode().into_owned())),
            "per" => limit(reader)?.map(Self::PerCommit),
            "spend" => limit(reader)?.map(Self::Spend),
            "risk" => Risk::read(&reader.string()?.decode()).map(Self::Risk),
            _ => None,
        };
        reader.take(b'}')?;
        reader.leave();
        Ok(caveat)
    }

    /// Writes a well-formed caveat in its canonical form; `false` and nothing written when it is not well-formed.
    #[cfg(feature = "issue")]
    pub(crate) fn write(&self, out: &mut String) -> bool {
        let Some(name) = self.name() else { return false };
        if let Self::Expires(time) | Self::NotBefore(time) = self
            && time.unsigned_abs() > json::MAX_INT.unsigned_abs()
        {
            return false;
        }
        let object = json::Members::of(out);
        match self {
            Self::Service(list) | Self::Verbs(list) | Self::Capabilities(list) => {
                object.with(name, |out| json::push_list(out, list, |out, text| json::push_string(out, text)))
            }
            Self::Expires(time) | Self::NotBefore(time) => object.int(name, *time),
            Self::Only(hash) => object.string(name, hash),
            Self::PerCommit(limit) | Self::Spend(limit) => object.with(name, |out| {
                json::Members::of(out)
                    .string("currency", &limit.currency)
                    .int("max", limit.minor.cast_signed())
                    .end();
            }),
            Self::Risk(risk) => object.string(name, risk.as_str()),
            Self::Unknown(_) | Self::Malformed(_) => return false,
        }
        .end();
        true
    }

    /// The caveat's key, when it is one of the nine and well-formed.
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Self::Service(_) => Some("svc"),
            Self::Verbs(_) => Some("verbs"),
            Self::Capabilities(_) => Some("can"),
            Self::Expires(_) => Some("exp"),
            Self::NotBefore(_) => Some("nbf"),
            Self::Only(_) => Some("only"),
            Self::PerCommit(_) => Some("per"),
            Self::Spend(_) => Some("spend"),
            Self::Risk(_) => Some("risk"),
            Self::Unknown(_) | Self::Malformed(_) => None,
        }
    }
}

/// The keys of the nine kinds.
const NAMES: [&str; 9] = ["svc", "verbs", "can", "exp", "nbf", "only", "per", "spend", "risk"];

/// The key of an object that has exactly one.
fn only_name<'t>(reader: &mut Reader<'t>) -> Result<Cow<'t, str>, Error> {
    reader.take(b'{')?;
    let name = reader.string()?.decode();
    reader.take(b':')?;
    json::skip(reader)?;
    reader.take(b'}')?;
    Ok(name)
}

fn strings(reader: &mut Reader<'_>) -> Result<Vec<String>, Error> {
    let mut list = Vec::new();
    reader.enter()?;
    reader.take(b'[')?;
    if !reader.accept(b']') {
        loop {
            list.push(reader.string()?.decode().into_owned());
            if !reader.accept(b',') {
                break;
            }
        }
        reader.take(b']')?;
    }
    reader.leave();
    Ok(list)
}

/// Exactly `currency` and `max`, the latter not negative (B3, B4).
fn limit(reader: &mut Reader<'_>) -> Result<Option<Amount>, Error> {
    reader.enter()?;
    reader.expect("{\"currency\":")?;
    let currency = reader.string()?;
    reader.expect(",\"max\":")?;
    let max = reader.int()?;
    reader.take(b'}')?;
    reader.leave();
    Ok(u64::try_from(max).ok().and_then(|max| Amount::new(max, &currency.decode())))
}

/// An amount of money: minor units (cents) of a currency, at most `2^53-1` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    minor: u64,
    currency: String,
}

impl Amount {
    /// An amount; `None` when `minor` is greater than `2^53-1`, which A2 cannot write.
    pub fn new(minor: u64, currency: &str) -> Option<Self> {
        (minor <= json::MAX_INT.unsigned_abs()).then(|| Self { minor, currency: String::from(currency) })
    }

    /// Minor units.
    pub const fn minor(&self) -> u64 {
        self.minor
    }

    /// The currency, which is compared to the letter: `usd` is not `USD`.
    pub fn currency(&self) -> &str {
        &self.currency
    }
}

/// How dangerous a proposal is, in its service's judgement: `low < medium < high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
}

impl Risk {
    /// The risk of this name, spelled exactly so.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "low" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            _ => None,
        }
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
