//! What is to be kept of a request that was allowed: all of it, from the plans alone.

use crate::books::Block;
use crate::hand::{self, Grant, Json, Key, Made};
use crate::model::{Case, Recorded, Request, Shown};
use crate::put;
use parley_grants::{Allowed, Claim, Committed, Owner, RecordedKey, SpendLine};

/// By this grant of the case, of these blocks; by none for EXPAND.
pub fn says_what_it_is(allowed: &Allowed, case: &Case, by: Option<(usize, &[Made])>) {
    let Some((index, blocks)) = by else { return expanded(allowed, case) };
    let grant = &case.grants[index];
    let (agent, principal) = (put::key(holder(grant)), put::key(grant.issuer));
    assert_eq!((allowed.grant_index(), allowed.issuer()), (Some(index), Some(&principal)), "{case:#?}");
    assert_eq!(allowed.grant_id().map(|id| *id.as_bytes()), Some(blocks[0].id()), "{case:#?}");
    assert_eq!(allowed.holder(), Some(&agent), "{case:#?}");
    assert_eq!(allowed.owner(), Owner::Key(RecordedKey::Key(agent)), "{case:#?}");

    // What is written down of an INTENT: its key and its principal.
    let is_intent = matches!(case.request, Request::Intent { .. } | Request::AutoIntent { .. });
    let origin = is_intent.then(|| put::origin(Recorded::Key(holder(grant)), Recorded::Key(grant.issuer)));
    assert_eq!(allowed.origin(), origin, "{case:#?}");
    let signed = if let Shown::Proof(_, skew) = case.shown { case.now + skew } else { case.now };
    assert_eq!(allowed.auto_claim("f", case.now), Some(Claim::for_auto(&agent, "f", case.now, signed)));

    // And of a COMMIT that is carried out: what its receipt is bound to, and what makes a consent count once.
    let proposal = match &case.request {
        Request::Commit { proposal, replay: false, .. } | Request::Auto { proposal, .. } => proposal,
        _ => {
            assert!(allowed.terms().is_none() && allowed.cost().is_none() && allowed.committed().is_none());
            return assert!(allowed.consent_claim().is_none() && allowed.spend().is_empty());
        }
    };
    let (Some(Json::Text(capability)), Some(Json::Int(expires))) =
        (proposal.get("capability"), proposal.get("expires"))
    else {
        panic!("allowed without a capability, or for all times: {case:#?}")
    };
    let hash = hand::proposal_hash(proposal);
    let of = Committed::recorded(RecordedKey::Key(agent), RecordedKey::Key(principal), capability, &hash);
    assert_eq!(allowed.committed(), Some(of), "{case:#?}");
    let is_one_time =
        grant.blocks.iter().flat_map(|block| &block.caveats).any(|caveat| caveat.get("only").is_some());
    let claim = is_one_time.then(|| Claim::for_consent(&principal, &hash, *expires));
    assert_eq!(allowed.consent_claim(), claim, "{case:#?}");
    assert_eq!(allowed.terms().map(|terms| terms.hash()), Some(hash.as_str()));
    let cost = allowed.cost().map(|cost| (cost.minor(), cost.currency()));
    assert_eq!(cost, hand_cost(proposal), "{case:#?}");
    assert!(allowed.spend().iter().map(line).eq(lines(grant, blocks, proposal)), "{case:#?}");
}

/// Under which blocks a proposal's cost is to be counted, up to which totals: once for each that has a `spend` caveat, whose
/// least limit binds.
pub fn lines(grant: &Grant, blocks: &[Made], proposal: &Json) -> Vec<(Block, u64, Option<i64>)> {
    if hand_cost(proposal).is_none() {
        return Vec::new();
    }
    let max = |caveat: &Json| match caveat.get("spend")?.get("max") {
        Some(Json::Int(max)) => Some(u64::try_from(*max).expect("well-formed, as it is satisfied")),
        _ => panic!("a limit that is no number is satisfied"),
    };
    let each = grant.blocks.iter().zip(blocks).zip(ends(grant));
    each.filter_map(|((block, made), end)| {
        Some((made.id(), block.caveats.iter().filter_map(max).min()?, end))
    })
    .collect()
}

/// What a good proposal costs.
pub fn hand_cost(proposal: &Json) -> Option<(u64, &str)> {
    let cost = proposal.get("cost")?;
    match (cost.get("amount"), cost.get("currency")) {
        (Some(Json::Int(amount)), Some(Json::Text(currency))) => {
            Some((u64::try_from(*amount).expect("a good proposal"), currency))
        }
        _ => None,
    }
}

/// EXPAND looks at no grants; a handle of nobody's stays so.
fn expanded(allowed: &Allowed, case: &Case) {
    let Request::Expand { owner } = case.request else { panic!("allowed by no grant: {case:#?}") };
    let key = if let Recorded::Key(key) = owner { Some(put::key(key)) } else { None };
    assert!(allowed.grant_index().is_none() && allowed.issuer().is_none() && allowed.grant_id().is_none());
    assert_eq!(allowed.holder(), key.as_ref(), "{case:#?}");
    let bound = key.map_or(Owner::Anyone, |key| Owner::Key(RecordedKey::Key(key)));
    assert_eq!(allowed.owner(), bound, "{case:#?}");
    assert!(allowed.origin().is_none() && allowed.committed().is_none() && allowed.spend().is_empty());
}

/// The key that a grant is for.
pub fn holder(grant: &Grant) -> Key {
    grant.blocks.last().expect("a block").subject
}

pub fn line(line: &SpendLine) -> (Block, u64, Option<i64>) {
    (*line.block.as_bytes(), line.max, line.forget_after)
}

/// The least `exp` of each block and those before it.
pub fn ends(grant: &Grant) -> impl Iterator<Item = Option<i64>> {
    grant.blocks.iter().scan(None, |end: &mut Option<i64>, block| {
        for caveat in &block.caveats {
            if let Some(Json::Int(exp)) = caveat.get("exp") {
                *end = Some(end.map_or(*exp, |end| end.min(*exp)));
            }
        }
        Some(*end)
    })
}
