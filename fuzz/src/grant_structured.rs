//! The input is choices (`chain.rs`): grants that are then really signed, and requests. Every answer is the naive model's.

use crate::allowed::says_what_it_is;
use crate::chain::{self, Structured};
use crate::choose::Choices;
use crate::hand::{self, Flaw, Grant, Json};
use crate::model::{self, Case, Class, Request};
use crate::put::{self, Made};
use arbitrary::{Arbitrary as _, Unstructured};
use parley_grants::{Answer, Decision, Limits, Link};
use std::collections::HashMap;

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok(Structured(mut case)) = Structured::arbitrary(&mut input) else { return };
    let blocks: Vec<_> = case.grants.iter().map(hand::make).collect();
    let mut made = Made::of(&case.grants, &blocks);
    if case.kept {
        made.keep();
    }
    let mut service = Service::default();
    service.judge(&case, &blocks, &made);

    // More requests to the same grants, which are verified by now: those reach the caveats at no signature check.
    // And by services that have revoked something, or take less.
    made.keep();
    case.kept = true;
    let mut choices = Choices(&mut input);
    for _ in 0..choices.roll(8) {
        (case.request, case.shown, case.now) = chain::asked(&mut choices);
        service = Service::of(&mut choices);
        service.judge(&case, &blocks, &made);
    }

    // A text that nobody signed is no grant, whatever else it is.
    if !case.grants.is_empty() && choices.flag() {
        let index = choices.roll(case.grants.len());
        let mut edited = Made::of(&case.grants, &blocks);
        let is_cut;
        (edited.tokens[index], is_cut) = edit(&blocks[index], &mut choices);
        if edited.tokens[index] != made.tokens[index] {
            let grant = &mut case.grants[index];
            if is_cut {
                // Who held the grant before has one too, but for what was wrong with the last block.
                cut(grant);
            } else {
                // It may be that it mends what was wrong.
                let right = Grant { flaw: None, ..grant.clone() };
                let is_right = edited.tokens[index] == hand::token(&hand::make(&right));
                grant.flaw = (!is_right).then_some((Flaw::Extra, 0));
            }
            case.kept = false;
            service.judge(&case, &blocks, &edited);
        }
    }
}

/// The grant without its last block.
fn cut(grant: &mut Grant) {
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

/// What a service takes, and what it no longer honours: a block of one of the grants.
struct Service {
    blocks: usize,
    caveats: usize,
    grants: usize,
    revoked: Option<(usize, usize)>,
}

impl Default for Service {
    fn default() -> Self {
        Self { blocks: 16, caveats: 64, grants: 16, revoked: None }
    }
}

impl Service {
    fn of(choices: &mut Choices<'_, '_>) -> Self {
        let plain = Self::default();
        match choices.roll(16) {
            12 => Self { blocks: choices.roll(4), ..plain },
            13 => Self { caveats: choices.roll(4), ..plain },
            14 => Self { grants: choices.roll(3), ..plain },
            15 => Self { revoked: Some((choices.roll(3), choices.roll(4))), ..plain },
            _ => plain,
        }
    }

    /// What one of the grants gives by itself.
    fn alone(&self, case: &Case, index: usize) -> Class {
        let mut grant = case.grants[index].clone();
        if grant.blocks.len() > self.blocks
            || grant.blocks.iter().any(|block| block.caveats.len() > self.caveats)
        {
            grant.flaw = Some((Flaw::Extra, 0));
        }
        let is_revoked = self.revoked.is_some_and(|(of, block)| of == index && block < grant.blocks.len());
        match Self::class(case, vec![grant]) {
            Class::Allowed | Class::ConsentRequired if is_revoked => Self::class(case, vec![]),
            class => class,
        }
    }

    fn class(case: &Case, grants: Vec<Grant>) -> Class {
        model::decide(&Case { grants, request: case.request.clone(), ..*case })
    }

    fn expected(&self, case: &Case) -> Class {
        let grants = case.grants.len();
        if grants > self.grants {
            // Too many for it are as many as are too many for all.
            return Self::class(case, vec![case.grants[0].clone(); 17]);
        }
        let alone = (0..grants).map(|index| self.alone(case, index));
        alone.min().unwrap_or_else(|| Self::class(case, vec![]))
    }

    fn judge(&self, case: &Case, blocks: &[Vec<hand::Made>], made: &Made) {
        let limits =
            Limits::default().with_blocks(self.blocks).with_caveats(self.caveats).with_grants(self.grants);
        let links = links(&case.grants, blocks);
        let revoked = self.revoked.and_then(|(grant, block)| Some(blocks.get(grant)?.get(block)?.id()));
        let is_revoked = |link: &Link<'_>| {
            // It is told whose block it is.
            let (signer, subject, grant) = links[link.block.as_bytes()];
            assert_eq!((*link.signer, *link.subject), (put::key(signer), put::key(subject)));
            assert_eq!(*link.grant.as_bytes(), grant);
            Some(*link.block.as_bytes()) == revoked
        };
        let verifier = put::verifier().with_limits(limits).with_revocation(is_revoked);
        let decision = put::decision_by(&verifier, case, made);
        assert_eq!(put::class_of(&decision), self.expected(case), "{case:#?}");
        match &decision {
            Decision::Allowed(allowed) => {
                let is_expand = matches!(case.request, Request::Expand { .. });
                let by = (0..case.grants.len()).find(|index| self.alone(case, *index) == Class::Allowed);
                let by = by.filter(|_| !is_expand);
                says_what_it_is(allowed, case, by.map(|index| (index, blocks[index].as_slice())));
            }
            Decision::Refused(refusal) => {
                assert!(!format!("{refusal:?}{}", refusal.answer().code()).is_empty());
                if let Answer::ConsentRequired(_) = refusal.answer() {
                    let of = (0..case.grants.len())
                        .find(|index| self.alone(case, *index) == Class::ConsentRequired);
                    asks_the_right_one(case, refusal.answer(), of.expect("a grant that fails softly"));
                }
            }
        }
    }
}

type Whose = (hand::Key, hand::Key, [u8; 32]);

/// Who signed each block, whom it is for, and of which grant it is.
fn links(grants: &[Grant], blocks: &[Vec<hand::Made>]) -> HashMap<[u8; 32], Whose> {
    let mut links = HashMap::new();
    for (grant, made) in grants.iter().zip(blocks) {
        let mut signer = grant.issuer;
        for (block, one) in grant.blocks.iter().zip(made) {
            links.insert(one.id(), (signer, block.subject, made[0].id()));
            signer = block.subject;
        }
    }
    links
}

fn asks_the_right_one(case: &Case, answer: &Answer, of: usize) {
    let (Answer::ConsentRequired(asked), Request::Commit { proposal, hash, .. }) = (answer, &case.request)
    else {
        panic!("nobody is asked about this: {case:#?}")
    };
    assert_eq!(*asked.principal(), put::key(case.grants[of].issuer), "{case:#?}");
    assert_eq!((asked.service(), asked.hash()), (model::SERVICE, hash.as_str()));
    for (name, said) in
        [("id", asked.proposal()), ("capability", asked.capability()), ("summary", asked.summary())]
    {
        assert_eq!(proposal.get(name), Some(&hand::text(said)), "{case:#?}");
    }
    assert_eq!(proposal.get("expires"), Some(&Json::Int(asked.expires())));
}
