//! The input is choices (`chain.rs`): grants that are then really signed, and requests. Every answer is the naive model's.

use crate::chain::{self, Structured};
use crate::choose::Choices;
use crate::hand::{self, Flaw, Json};
use crate::model::{self, Case, Class, Recorded, Request};
use crate::put::{self, Made};
use arbitrary::{Arbitrary as _, Unstructured};
use parley_grants::{Allowed, Answer, Decision, SpendLine};

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok(Structured(mut case)) = Structured::arbitrary(&mut input) else { return };
    let blocks: Vec<_> = case.grants.iter().map(hand::make).collect();
    let mut made = Made::of(&case.grants, &blocks);
    if case.kept {
        made.keep();
    }
    judge(&case, &blocks, &made);

    // More requests to the same grants, which are verified by now: those reach the caveats at no signature check.
    made.keep();
    case.kept = true;
    let mut choices = Choices(&mut input);
    for _ in 0..choices.roll(8) {
        (case.request, case.shown, case.now) = chain::asked(&mut choices);
        judge(&case, &blocks, &made);
    }

    // A text that nobody signed is no grant, whatever else it is.
    if !case.grants.is_empty() && choices.flag() {
        let index = choices.roll(case.grants.len());
        let mut edited = Made::of(&case.grants, &blocks);
        let is_cut;
        (edited.tokens[index], is_cut) = edit(&blocks[index], &mut choices);
        if edited.tokens[index] != made.tokens[index] {
            let grant = &mut case.grants[index];
            match is_cut {
                // Who held the grant before has one too, but for what was wrong with the last block.
                true => cut(grant),
                false => grant.flaw = Some((Flaw::Extra, 0)),
            }
            case.kept = false;
            judge(&case, &blocks, &edited);
        }
    }
}

/// The grant without its last block.
fn cut(grant: &mut hand::Grant) {
    let count = grant.blocks.len();
    grant.flaw = grant.flaw.map(|(flaw, at)| (flaw, at % count)).filter(|(_, at)| at + 1 < count);
    grant.blocks.pop();
}

/// A byte of the JSON is another one, missing, or one more; or a block is, and then it may be the last that is missing.
fn edit(blocks: &[hand::Made], choices: &mut Choices<'_, '_>) -> (String, bool) {
    let mut is_cut = false;
    let mut json = hand::assemble(blocks).into_bytes();
    let at = (choices.roll(256) * 256 + choices.roll(256)) % json.len();
    match choices.roll(6) {
        0 => json[at] = choices.byte(),
        1 => json[at] ^= 1 << choices.roll(8),
        2 => drop(json.remove(at)),
        3 => json.insert(at, choices.byte()),
        how => {
            let mut order: Vec<_> = blocks.iter().collect();
            let place = choices.roll(blocks.len());
            let block = order.remove(place);
            if how == 5 {
                order.extend([block, block]);
            }
            is_cut = how == 4 && place > 0 && place == order.len();
            let block = |made: &&hand::Made| {
                format!("{{\"p\":{},\"s\":{}}}", made.payload, hand::quote(&made.signature))
            };
            json = format!("[{}]", order.iter().map(block).collect::<Vec<_>>().join(",")).into_bytes();
        }
    }
    (hand::token_of(&json), is_cut)
}

fn judge(case: &Case, blocks: &[Vec<hand::Made>], made: &Made) {
    let decision = put::decision_of(case, made);
    let class = model::decide(case);
    assert_eq!(put::class_of(&decision), class, "{case:#?}");
    // What each grant gives by itself.
    let first = |class| {
        let alone = |grant: &hand::Grant| {
            model::decide(&Case { grants: vec![grant.clone()], request: case.request.clone(), ..*case })
                == class
        };
        case.grants.iter().position(alone)
    };
    match &decision {
        Decision::Allowed(allowed) => {
            if matches!(case.request, Request::Expand { .. }) {
                return assert!(allowed.grant_index().is_none() && allowed.issuer().is_none());
            }
            assert_eq!(allowed.grant_index(), first(Class::Allowed), "{case:#?}");
            says_whose_it_is(case, blocks, allowed);
        }
        Decision::Refused(refusal) => {
            let denial = refusal.answer();
            assert!(!format!("{refusal:?}{}", denial.code()).is_empty());
            if let Answer::ConsentRequired(asked) = denial {
                let index = first(Class::ConsentRequired).expect("a grant that fails softly");
                assert_eq!(*asked.principal(), put::key(case.grants[index].issuer), "{case:#?}");
                let (Request::Commit { proposal, hash, .. } | Request::Auto { proposal, frame: hash, .. }) =
                    &case.request
                else {
                    panic!("nobody consents to this: {case:#?}")
                };
                assert_eq!((asked.service(), asked.hash()), (model::SERVICE, hash.as_str()));
                for (name, said) in [
                    ("id", asked.proposal()),
                    ("capability", asked.capability()),
                    ("summary", asked.summary()),
                ] {
                    assert_eq!(proposal.get(name), Some(&hand::text(said)), "{case:#?}");
                }
                assert_eq!(proposal.get("expires"), Some(&Json::Int(asked.expires())));
            }
        }
    }
}

/// The grant, its issuer, and what is to be counted where: the amount once for each block that has a `spend` caveat.
fn says_whose_it_is(case: &Case, blocks: &[Vec<hand::Made>], allowed: &Allowed) {
    let index = allowed.grant_index().expect("a grant");
    let (grant, blocks) = (&case.grants[index], &blocks[index]);
    assert_eq!(allowed.issuer(), Some(&put::key(grant.issuer)));
    assert_eq!(allowed.grant_id().map(|id| *id.as_bytes()), Some(blocks[0].id()));
    // What is written down of an INTENT: its key and its principal.
    let is_intent = matches!(case.request, Request::Intent { .. } | Request::AutoIntent { .. });
    let holder = Recorded::Key(grant.blocks.last().expect("a block").subject);
    let origin = is_intent.then(|| put::origin(holder, Recorded::Key(grant.issuer)));
    assert_eq!(allowed.origin(), origin, "{case:#?}");
    let pays = match &case.request {
        Request::Commit { proposal, replay: false, .. } | Request::Auto { proposal, .. } => {
            proposal.get("cost") != Some(&Json::Null)
        }
        _ => false,
    };
    let caps = |caveats: &[Json]| {
        caveats
            .iter()
            .filter_map(|caveat| caveat.get("spend")?.get("max").cloned())
            .map(|max| match max {
                Json::Int(max) => u64::try_from(max).expect("well-formed, as it is satisfied"),
                _ => panic!("a limit that is no number is satisfied"),
            })
            .min()
    };
    let mut lines = allowed.spend().iter();
    for (block, made) in grant.blocks.iter().zip(blocks) {
        if let Some(max) = caps(&block.caveats).filter(|_| pays) {
            let line: &SpendLine = lines.next().unwrap_or_else(|| panic!("not counted: {case:#?}"));
            assert_eq!((*line.block.as_bytes(), line.max), (made.id(), max), "{case:#?}");
        }
    }
    assert!(lines.next().is_none(), "counted for nothing: {case:#?}");
}
