//! What is measured: chains of so many blocks with a proof, and JSON of several sizes.

use std::collections::HashMap;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use parley_grants::issue::{prepare_delegation, prepare_proof, prepare_root};
use parley_grants::{
    Action, Amount, Caveat, Decision, Outcome, Possession, Presentable, Presented, Proposal, ProvenKey,
    PublicKey, Request, Risk, Verb, VerifiedGrant, Verifier,
};

pub const NOW: i64 = 1_790_000_000;
pub const SERVICE: &str = "shop.example";
pub const CAPABILITY: &str = "shop.order";
pub const SIZES: [usize; 5] = [1, 2, 4, 8, 16];

fn signer(name: usize) -> SigningKey {
    SigningKey::from_bytes(&[u8::try_from(name).expect("few") + 1; 32])
}

fn public(key: &SigningKey) -> PublicKey {
    PublicKey::from_bytes(key.verifying_key().to_bytes()).expect("a key")
}

/// A grant and a proof for ASK.
pub struct Chain {
    pub token: String,
    pub proof: String,
    pub verifier: Verifier<Vec<PublicKey>>,
    pub kept: VerifiedGrant,
    /// The same by its token's text.
    by_token: HashMap<String, VerifiedGrant>,
    /// What each signature is of, and by whom: blocks, then the proof.
    pub signed: Vec<Signed>,
    proposal: Proposal,
    holder: ProvenKey,
}

pub struct Signed {
    key: [u8; 32],
    message: Vec<u8>,
    signature: [u8; 64],
}

impl Signed {
    fn by(key: &SigningKey, message: &[u8]) -> Self {
        let signature = key.sign(message).to_bytes();
        Self { key: key.verifying_key().to_bytes(), message: message.to_vec(), signature }
    }

    /// One check, as the signature crate does it: the floor.
    pub fn check(&self) -> bool {
        let key = VerifyingKey::from_bytes(&self.key).expect("a key");
        key.verify_strict(&self.message, &Signature::from_bytes(&self.signature)).is_ok()
    }
}

impl Chain {
    /// Six caveats in the root, two in each delegation.
    pub fn of(blocks: usize, principal: usize) -> Self {
        let amount = |minor| Amount::new(minor, "EUR").expect("an amount");
        let root = [
            Caveat::Service(vec![SERVICE.into()]),
            Caveat::Capabilities(vec!["shop.*".into()]),
            Caveat::Expires(NOW + 86_400),
            Caveat::PerCommit(amount(3_000)),
            Caveat::Spend(amount(10_000)),
            Caveat::Risk(Risk::Low),
        ];
        let narrower = [Caveat::Expires(NOW + 3_600), Caveat::PerCommit(amount(2_500))];
        let key = |index: usize| signer(principal + index);
        let verifier = Verifier::new(SERVICE, vec![public(&key(0))]);
        let (mut signed, mut token) = (Vec::new(), String::new());
        for index in 0..blocks {
            let subject = public(&key(index + 1));
            let draft = if index == 0 {
                prepare_root(&public(&key(0)), &subject, &root, NOW, "n-1")
            } else {
                let grant = verifier.verify(&token).expect("a good grant");
                prepare_delegation(&grant, &subject, &narrower, NOW)
            };
            let draft = draft.expect("a good block");
            let block = Signed::by(&key(index), draft.bytes_to_sign());
            token = draft.finish(&block.signature).expect("its own key");
            signed.push(block);
        }
        let holder = public(&key(blocks));
        let draft = prepare_proof(&holder, SERVICE, Verb::Ask, CAPABILITY, NOW).expect("a proof");
        let proof = Signed::by(&key(blocks), draft.bytes_to_sign());
        let text = draft.finish(&proof.signature).expect("its own key");
        signed.push(proof);
        let kept = verifier.verify(&token).expect("a good grant");
        let proposal = serde_json::to_vec(&super::texts::proposal_10k()).expect("JSON");
        let proposal = Proposal::parse(&proposal).expect("a proposal");
        Self {
            by_token: HashMap::from([(token.clone(), kept.clone())]),
            token,
            proof: text,
            verifier,
            kept,
            signed,
            proposal,
            holder: ProvenKey::assume_proven(holder),
        }
    }

    /// The signature checks of a decision from texts, and nothing else.
    pub fn floor(&self) -> bool {
        self.signed.iter().all(Signed::check)
    }

    /// That of a decision with the grant kept.
    pub fn cached_floor(&self) -> bool {
        self.signed.last().is_some_and(Signed::check)
    }

    /// Policy alone, for a COMMIT: the verb that every caveat looks at.
    pub fn evaluate(&self) -> bool {
        let action = Action::Commit(self.proposal.terms());
        let said = self.kept.evaluate_unbound(&self.holder, SERVICE, &action, NOW, &|_: &_| 0);
        said.is_some_and(|said| said.outcome() == Outcome::Allowed)
    }

    /// From texts to the decision.
    pub fn cold(&self) -> bool {
        self.asked(Presentable::Token(&self.token), &self.verifier)
    }

    /// With the grant kept.
    pub fn cached(&self) -> bool {
        self.asked(Presentable::Kept(&self.kept), &self.verifier)
    }

    /// With the grant kept, and found by its token's text.
    pub fn by_token(&self) -> bool {
        self.by_token.get(&self.token).is_some_and(|kept| self.asked(Presentable::Kept(kept), &self.verifier))
    }

    /// From texts, at a service that trusts other principals.
    pub fn refused(&self, stranger: &Self) -> bool {
        !self.asked(Presentable::Token(&self.token), &stranger.verifier)
    }

    fn asked(&self, grant: Presentable<'_>, verifier: &Verifier<Vec<PublicKey>>) -> bool {
        let proof = Possession::Proof(self.proof.as_bytes());
        let presented = Presented { grants: &[grant], proof, now: NOW };
        let decision = verifier.authorize(&Request::Ask { capability: CAPABILITY }, &presented);
        matches!(decision, Decision::Allowed(_))
    }
}
