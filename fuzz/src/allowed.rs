//! What is to be kept of a request that was allowed: all of it, from the plans alone.

use crate::attempt::holder;
use crate::hand::{self, Json};
use crate::model::{Case, Recorded, Request, Shown};
use crate::put;
use parley_grants::{Allowed, Claim, Committed, Owner, RecordedKey};

/// By this grant of the case; by none for EXPAND. The lines of what it spends are left to the caller.
pub fn says_what_it_is(allowed: &Allowed, case: &Case, by: Option<usize>) {
    let Some(index) = by else { return expanded(allowed, case) };
    let grant = &case.grants[index];
    let (agent, principal) = (put::key(holder(grant)), put::key(grant.issuer));
    assert_eq!((allowed.grant_index(), allowed.issuer()), (Some(index), Some(&principal)), "{case:#?}");
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
