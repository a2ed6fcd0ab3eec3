//! Every caveat of every block against a request: one truth table, one exhaustive match (A4, B4, B6).
//!
//! | caveat | ASK, INTENT, UNDO, EXPAND, HELLO | COMMIT | replayed COMMIT | failing is |
//! |---|---|---|---|---|
//! | `svc`, `verbs`, `can`, `exp`, `nbf` | checked | checked | checked | hard |
//! | `only` | satisfied | checked | checked | hard |
//! | `per`, `spend`, `risk` | satisfied | checked | satisfied | soft |
//! | unknown, malformed | fails | fails | fails | hard |

use crate::caveat::{Amount, Caveat};
use crate::chain::VerifiedGrant;
use crate::grant::BlockId;
use crate::proof::{ProvenKey, Verb};
use crate::proposal::{Terms, is_reserved};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::fmt;

/// What a request wants to do.
#[derive(Clone, Copy, Debug)]
pub enum Action<'q> {
    /// HELLO, under a capability.
    Hello(&'q str),
    /// ASK for a capability.
    Ask(&'q str),
    /// INTENT for a capability.
    Intent(&'q str),
    /// COMMIT a proposal: there is none without its terms (B4).
    Commit(&'q Terms),
    /// COMMIT a proposal once more that is committed already (A8.7). What it costs plays no part.
    Replay {
        /// The proposal's capability.
        capability: &'q str,
        /// Its hash.
        hash: &'q str,
    },
    /// UNDO what was done under a capability.
    Undo(&'q str),
    /// EXPAND a handle, under a capability.
    Expand(&'q str),
}

impl Action<'_> {
    /// The verb that the `verbs` caveat is about.
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Hello(_) => Verb::Hello,
            Self::Ask(_) => Verb::Ask,
            Self::Intent(_) => Verb::Intent,
            Self::Commit(_) | Self::Replay { .. } => Verb::Commit,
            Self::Undo(_) => Verb::Undo,
            Self::Expand(_) => Verb::Expand,
        }
    }

    /// The capability that the `can` caveat is about.
    pub fn capability(&self) -> &str {
        match self {
            Self::Hello(name)
            | Self::Ask(name)
            | Self::Intent(name)
            | Self::Undo(name)
            | Self::Expand(name) => name,
            Self::Replay { capability, .. } => capability,
            Self::Commit(terms) => terms.capability(),
        }
    }
}

/// How much has been counted already under a block's id: spent, and reserved but not released.
///
/// A map or a closure will do. When a total cannot be read, answer `u64::MAX`: that never allows.
pub trait Spent {
    /// Minor units counted under `block` at this service.
    fn spent(&self, block: &BlockId) -> u64;
}

impl<F: Fn(&BlockId) -> u64> Spent for F {
    fn spent(&self, block: &BlockId) -> u64 {
        self(block)
    }
}

impl Spent for BTreeMap<BlockId, u64> {
    fn spent(&self, block: &BlockId) -> u64 {
        self.get(block).copied().unwrap_or(0)
    }
}

#[cfg(feature = "std")]
impl<S: core::hash::BuildHasher> Spent for std::collections::HashMap<BlockId, u64, S> {
    fn spent(&self, block: &BlockId) -> u64 {
        self.get(block).copied().unwrap_or(0)
    }
}

/// What a failing caveat does to the answer; several failures combine by the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The human may consent.
    Soft,
    /// Nobody may.
    Hard,
}

/// Why a caveat is not satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// `svc` does not name this service.
    Service,
    /// `verbs` does not name the verb.
    Verb,
    /// No pattern of `can` matches the capability.
    Capability,
    /// The time of `exp` has come.
    Expired,
    /// The time of `nbf` has not come.
    NotYet,
    /// `only` names another proposal.
    OtherProposal,
    /// The cost is over `per`.
    PerCommit,
    /// The cost is in another currency than `per`.
    PerCurrency,
    /// The cost and what was counted before are together over `spend`.
    Spend,
    /// The cost is in another currency than `spend`.
    SpendCurrency,
    /// The proposal's risk is over `risk`.
    Risk,
    /// A caveat of no known kind.
    Unknown,
    /// A caveat that is not well-formed.
    Malformed,
}

impl Reason {
    /// Hard or soft (A4).
    pub const fn severity(self) -> Severity {
        match self {
            Self::Service
            | Self::Verb
            | Self::Capability
            | Self::Expired
            | Self::NotYet
            | Self::OtherProposal
            | Self::Unknown
            | Self::Malformed => Severity::Hard,
            Self::PerCommit | Self::PerCurrency | Self::Spend | Self::SpendCurrency | Self::Risk => {
                Severity::Soft
            }
        }
    }

    /// A stable code for logs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Service => "svc",
            Self::Verb => "verbs",
            Self::Capability => "can",
            Self::Expired => "exp",
            Self::NotYet => "nbf",
            Self::OtherProposal => "only",
            Self::PerCommit => "per",
            Self::PerCurrency => "per_currency",
            Self::Spend => "spend",
            Self::SpendCurrency => "spend_currency",
            Self::Risk => "risk",
            Self::Unknown => "unknown",
            Self::Malformed => "malformed",
        }
    }
}

/// One caveat that is not satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Index of the block in the grant, the root being 0.
    pub block: usize,
    /// Index of the caveat in the block.
    pub caveat: usize,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.reason.severity() {
            Severity::Soft => "soft",
            Severity::Hard => "hard",
        };
        write!(f, "block {}, caveat {}: {} ({severity})", self.block, self.caveat, self.reason.code())
    }
}

/// What one grant says to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub enum Outcome {
    /// Every caveat is satisfied.
    Allowed,
    /// Only soft ones are not.
    ConsentRequired,
    /// Some hard one is not, or the capability is reserved (B8).
    Forbidden,
}

/// What a grant says to a request, with every caveat that is not satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Evaluation {
    reserved: bool,
    failures: Vec<Failure>,
}

impl Evaluation {
    /// The answer. It does not depend on the order of caveats or blocks.
    pub fn outcome(&self) -> Outcome {
        if self.reserved {
            return Outcome::Forbidden;
        }
        match self.failures.iter().map(|failure| failure.reason.severity()).max() {
            None => Outcome::Allowed,
            Some(Severity::Soft) => Outcome::ConsentRequired,
            Some(Severity::Hard) => Outcome::Forbidden,
        }
    }

    /// Is the capability one that no request may name? (B8)
    pub const fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// Every caveat that is not satisfied, in the order of blocks and caveats.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    pub(crate) fn into_failures(self) -> Vec<Failure> {
        self.failures
    }
}

/// One block under which a cost counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpendLine {
    /// The block under whose id the cost counts.
    pub block: BlockId,
    /// The least `max` of the block's `spend` caveats, in minor units: what the total must not pass.
    pub max: u64,
    /// The least `exp` of this block and those before it, in unix seconds: from then on no request can count here again, so
    /// the total may be forgotten. `None` when it must never be. A later block's `exp` plays no part: anybody who holds the
    /// grant can append one, and an appended short one must not make the root's total start again.
    pub forget_after: Option<i64>,
}

impl VerifiedGrant {
    /// Evaluates every caveat of every block for a request of its holder to `service` at `now`, in unix seconds (A4).
    ///
    /// This is policy alone, for who binds requests to keys and proposals by other means than
    /// [`Verifier`](crate::Verifier). Not asked here: whether the principal is trusted now, what `holder` was proven for, and
    /// every rule around COMMIT, UNDO and replays (A8). `None` when `holder` is not the grant's holder.
    pub fn evaluate_unbound(
        &self,
        holder: &ProvenKey,
        service: &str,
        action: &Action<'_>,
        now: i64,
        spent: &impl Spent,
    ) -> Option<Evaluation> {
        (holder.key() == self.holder()).then(|| evaluate(self, &Query { service, action, now }, spent))
    }

    /// The blocks under which a COMMIT with these terms counts, once each (B6.2), in the order of the chain. Empty
    /// when it costs nothing.
    pub fn spend_lines(&self, terms: &Terms) -> impl Iterator<Item = SpendLine> {
        let counts = terms.cost().is_some();
        let mut forget_after: Option<i64> = None;
        self.grant().blocks().filter(move |_| counts).filter_map(move |block| {
            let ends = block.caveats().iter().filter_map(end).min();
            forget_after = forget_after.into_iter().chain(ends).min();
            let max = block.caveats().iter().filter_map(spend_limit).map(Amount::minor).min()?;
            Some(SpendLine { block: *block.id(), max, forget_after })
        })
    }
}

const fn spend_limit(caveat: &Caveat) -> Option<&Amount> {
    match caveat {
        Caveat::Spend(limit) => Some(limit),
        Caveat::Service(_)
        | Caveat::Verbs(_)
        | Caveat::Capabilities(_)
        | Caveat::Expires(_)
        | Caveat::NotBefore(_)
        | Caveat::Only(_)
        | Caveat::PerCommit(_)
        | Caveat::Risk(_)
        | Caveat::Unknown(_)
        | Caveat::Malformed(_) => None,
    }
}

const fn end(caveat: &Caveat) -> Option<i64> {
    match caveat {
        Caveat::Expires(time) => Some(*time),
        Caveat::Service(_)
        | Caveat::Verbs(_)
        | Caveat::Capabilities(_)
        | Caveat::NotBefore(_)
        | Caveat::Only(_)
        | Caveat::PerCommit(_)
        | Caveat::Spend(_)
        | Caveat::Risk(_)
        | Caveat::Unknown(_)
        | Caveat::Malformed(_) => None,
    }
}

/// A request, as caveats see it.
pub(crate) struct Query<'q> {
    pub(crate) service: &'q str,
    pub(crate) action: &'q Action<'q>,
    pub(crate) now: i64,
}

pub(crate) fn evaluate(grant: &VerifiedGrant, query: &Query<'_>, spent: &impl Spent) -> Evaluation {
    let mut failures = Vec::new();
    for (block_index, block) in grant.grant().blocks().enumerate() {
        // Every `spend` of a block is held against one and the same total, asked for once and only if there is one.
        let total = OnceCell::new();
        let total = || *total.get_or_init(|| spent.spent(block.id()));
        for (caveat_index, caveat) in block.caveats().iter().enumerate() {
            if let Err(reason) = check(caveat, query, &total) {
                failures.push(Failure { block: block_index, caveat: caveat_index, reason });
            }
        }
    }
    Evaluation { reserved: is_reserved(query.action.capability()), failures }
}

/// Is the caveat satisfied? The one place where a caveat gets its meaning (A4).
fn check(caveat: &Caveat, query: &Query<'_>, total: &impl Fn() -> u64) -> Result<(), Reason> {
    let require = |satisfied: bool, reason| if satisfied { Ok(()) } else { Err(reason) };
    // What `only` looks at: any COMMIT. What `per`, `spend` and `risk` look at: its first time only.
    let (committed, first) = match query.action {
        Action::Commit(terms) => (Some(terms.hash()), Some(*terms)),
        Action::Replay { hash, .. } => (Some(*hash), None),
        Action::Hello(_) | Action::Ask(_) | Action::Intent(_) | Action::Undo(_) | Action::Expand(_) => {
            (None, None)
        }
    };
    let cost = first.and_then(Terms::cost);
    match caveat {
        Caveat::Service(ids) => require(ids.iter().any(|id| id == query.service), Reason::Service),
        Caveat::Verbs(verbs) => {
            require(verbs.iter().any(|verb| verb == query.action.verb().as_str()), Reason::Verb)
        }
        Caveat::Capabilities(patterns) => require(
            patterns.iter().any(|pattern| matches(pattern, query.action.capability())),
            Reason::Capability,
        ),
        Caveat::Expires(time) => require(query.now < *time, Reason::Expired),
        Caveat::NotBefore(time) => require(query.now >= *time, Reason::NotYet),
        Caveat::Only(hash) => require(committed.is_none_or(|sent| sent == hash), Reason::OtherProposal),
        Caveat::PerCommit(limit) => match cost {
            Some(cost) if cost.currency() != limit.currency() => Err(Reason::PerCurrency),
            Some(cost) => require(cost.minor() <= limit.minor(), Reason::PerCommit),
            None => Ok(()),
        },
        Caveat::Spend(limit) => match cost {
            Some(cost) if cost.currency() != limit.currency() => Err(Reason::SpendCurrency),
            Some(cost) => {
                let total = total().checked_add(cost.minor());
                require(total.is_some_and(|total| total <= limit.minor()), Reason::Spend)
            }
            None => Ok(()),
        },
        Caveat::Risk(most) => require(first.is_none_or(|terms| terms.risk() <= *most), Reason::Risk),
        Caveat::Unknown(_) => Err(Reason::Unknown),
        Caveat::Malformed(_) => Err(Reason::Malformed),
    }
}

/// Equal, or a pattern that ends in `*` and a capability that starts with what stands before that last `*`.
fn matches(pattern: &str, capability: &str) -> bool {
    pattern == capability || pattern.strip_suffix('*').is_some_and(|start| capability.starts_with(start))
}
