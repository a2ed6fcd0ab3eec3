//! The shop's handlers for INTENT, INTENT with auto, EXPAND and UNDO. COMMIT is in `commit.rs`.

use crate::store::{Offer, Store, Warehouse};
use parley_grants::{
    Allowed, Answer, BlockId, Claim, Claimed, Claims, Commit, Committed, Decision, End, Ledger, Link,
    Offered, Owner, Possession, Presentable, Presented, Proposal, PublicKey, RecordedKey, Refusal, Request,
    Revoke, Verifier,
};
use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};

/// What comes with every request, as it stood on the wire.
pub struct Call {
    pub grants: Vec<String>,
    pub proof: Option<String>,
}

impl Call {
    pub fn grants(&self) -> Vec<Presentable<'_>> {
        self.grants.iter().map(|token| Presentable::Token(token)).collect()
    }

    pub fn presented<'r>(&'r self, grants: &'r [Presentable<'r>], now: i64) -> Presented<'r> {
        let proof = self.proof.as_deref().map_or(Possession::None, |text| Possession::Proof(text.as_bytes()));
        Presented { grants, proof, now }
    }
}

/// What goes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The proposals, as JSON.
    Proposals(Vec<String>),
    /// The receipt's id.
    Receipt(String),
    Details(String),
    Undone,
    /// The class of the refusal, and nothing of its reason (B10.1).
    Refused(&'static str),
    /// A consent request, as JSON.
    Consent(String),
    /// Try again later; nothing is known to have been done.
    Busy,
}

/// What the shop no longer honours; the operator can change it while the shop runs.
#[derive(Clone, Default)]
pub struct Incident(Arc<RwLock<Revoked>>);

#[derive(Default)]
struct Revoked {
    everything: bool,
    blocks: BTreeSet<BlockId>,
}

impl Incident {
    pub fn revoke(&self, block: BlockId) {
        self.0.write().expect("the list of revoked blocks").blocks.insert(block);
    }

    pub fn set_everything(&self, is_revoked: bool) {
        self.0.write().expect("the list of revoked blocks").everything = is_revoked;
    }
}

impl Revoke for Incident {
    fn is_revoked(&self, link: &Link<'_>) -> bool {
        // A list that cannot be read revokes.
        self.0.read().map_or(true, |revoked| revoked.everything || revoked.blocks.contains(link.block))
    }
}

pub struct Shop<L, C> {
    pub verifier: Verifier<Vec<PublicKey>, Incident>,
    pub ledger: L,
    pub claims: C,
    pub store: Store,
    pub warehouse: Warehouse,
    /// The service's own log, for its own eyes.
    pub log: Vec<String>,
}

impl<L: Ledger, C: Claims> Shop<L, C> {
    pub fn new(id: &str, principals: Vec<PublicKey>, incident: Incident, ledger: L, claims: C) -> Self {
        let verifier = Verifier::new(id, principals).with_revocation(incident);
        let (store, warehouse) = (Store::default(), Warehouse::default());
        Self { verifier, ledger, claims, store, warehouse, log: Vec::new() }
    }

    /// INTENT: makes proposals, and stores whose INTENT made them.
    pub fn intent(&mut self, capability: &str, call: &Call, now: i64) -> Reply {
        let grants = call.grants();
        match self.verifier.authorize(&Request::Intent { capability }, &call.presented(&grants, now)) {
            Decision::Allowed(allowed) => {
                let ids = self.propose(capability, &allowed, now);
                Reply::Proposals(self.texts(&ids))
            }
            Decision::Refused(refusal) => self.refuse(&refusal),
        }
    }

    /// INTENT with auto: the first proposal is committed at once where that needs nobody's consent. In every other case
    /// the answer is that of an INTENT, and a repeat gets the first answer, whichever it was (A8.27).
    pub fn auto_intent(&mut self, capability: &str, frame: &str, call: &Call, now: i64) -> Reply {
        let grants = call.grants();
        let presented = call.presented(&grants, now);
        let allowed = match self.verifier.authorize(&Request::AutoIntent { capability, frame }, &presented) {
            Decision::Allowed(allowed) => allowed,
            Decision::Refused(refusal) => return self.refuse(&refusal),
        };
        let Some(claim) = allowed.auto_claim(frame, now) else { return Reply::Busy };
        let ticket = match self.claims.claim(&claim, now) {
            Ok(Claimed::First(ticket)) => ticket,
            Ok(Claimed::Done) => return self.store.answers.get(claim.key()).cloned().unwrap_or(Reply::Busy),
            Ok(Claimed::InProgress | Claimed::Full) | Err(_) => return Reply::Busy,
        };
        let ids = self.propose(capability, &allowed, now);
        let committed = ids.first().and_then(|id| {
            let offer = self.store.offers.get(id).cloned()?;
            let (proposal, origin) = (Offered::Kept(&offer.proposal), &offer.origin);
            let commit = Commit::Auto { proposal, capability, frame, origin };
            match self.begin(&commit, offer.proposal.terms(), &presented) {
                receipt @ Reply::Receipt(_) => Some(receipt),
                _ => None,
            }
        });
        let reply = committed.unwrap_or_else(|| Reply::Proposals(self.texts(&ids)));
        // First the answer, then done: who finds it done finds the answer. A crash before this leaves the frame in progress and
        // its repeats without an answer. It is never abandoned: a repeat could then commit a second time.
        self.store.answers.insert(*claim.key(), reply.clone());
        if self.claims.end(&ticket, End::Finish).is_err() {
            self.log.push(
                "the frame's claim was not finished: it stays in progress until its time is over".into(),
            );
        }
        reply
    }

    /// EXPAND: the details of a proposal, for the key that asked for it (A8.14).
    pub fn expand(&mut self, handle: &str, call: &Call, now: i64) -> Reply {
        // A handle that there is not is nobody's: so nobody learns which ones there are.
        let nobody = (String::new(), Owner::Key(RecordedKey::Unreadable));
        let (text, owner) = self.store.details.get(handle).cloned().unwrap_or(nobody);
        match self.verifier.authorize(&Request::Expand { handle, owner }, &call.presented(&[], now)) {
            Decision::Allowed(_) => Reply::Details(text),
            Decision::Refused(refusal) => self.refuse(&refusal),
        }
    }

    /// UNDO: once, in its window, and for the principal on whose behalf it was committed. What was spent stays spent
    /// (A8.25): the ledger is not asked.
    pub fn undo(&mut self, receipt: &str, call: &Call, now: i64) -> Reply {
        let found = self.store.receipt(receipt).cloned();
        let nobody = Committed::without_principal(RecordedKey::Unreadable, "", "");
        let of = found.as_ref().map_or(&nobody, |found| &found.committed);
        let grants = call.grants();
        match self.verifier.authorize(&Request::Undo { receipt, of }, &call.presented(&grants, now)) {
            Decision::Allowed(_) => {}
            Decision::Refused(refusal) => return self.refuse(&refusal),
        }
        let Some(found) = found else { return Reply::Refused("forbidden") };
        // The window is the service's own promise to keep. Should it crash on the way, the receipt stays in progress, for
        // a person to look at.
        let claim = Claim::for_other("undo", receipt, i64::MAX);
        match self.claims.claim(&claim, now) {
            Ok(Claimed::Done) => Reply::Undone,
            Ok(Claimed::First(ticket)) => {
                let is_undone =
                    now < found.undo_until && self.warehouse.send(&format!("return of {receipt}"));
                let how = if is_undone { End::Finish } else { End::Abandon };
                match self.claims.end(&ticket, how) {
                    Ok(_) if is_undone => Reply::Undone,
                    Ok(_) => Reply::Refused("expired"),
                    Err(_) => Reply::Busy,
                }
            }
            Ok(Claimed::InProgress | Claimed::Full) | Err(_) => Reply::Busy,
        }
    }

    /// What leaves the service is the class; the reasons go to its own log (B10).
    pub fn refuse(&mut self, refusal: &Refusal) -> Reply {
        self.log.push(refusal.log().to_string());
        match refusal.answer() {
            Answer::ConsentRequired(request) => Reply::Consent(request.to_json()),
            answer => Reply::Refused(answer.code()),
        }
    }

    /// Two proposals, each stored with its origin, and with a handle for its details.
    fn propose(&mut self, capability: &str, allowed: &Allowed, now: i64) -> Vec<String> {
        let (Some(origin), Some(holder)) = (allowed.origin(), allowed.holder()) else { return Vec::new() };
        let goods = [("Two cups", 1_800, "low"), ("An espresso machine", 24_000, "medium")];
        let mut ids = Vec::new();
        for (summary, amount, risk) in goods {
            let id = format!("p-{}", self.store.offers.len() + 1);
            let expires = now + 900;
            let text = format!(
                r#"{{"id":"{id}","capability":"{capability}","summary":"{summary}","effects":[{{"op":"create","target":"order","detail":"{summary}, sent tomorrow"}}],"cost":{{"amount":{amount},"currency":"EUR"}},"risk":"{risk}","undo":{{"window":600}},"expires":{expires}}}"#
            );
            match Proposal::parse(text.as_bytes()) {
                Ok(proposal) => {
                    let details =
                        (format!("{summary}: blue, in a box"), Owner::Key(RecordedKey::Key(*holder)));
                    self.store.details.insert(format!("details of {id}"), details);
                    self.store.offers.insert(id.clone(), Offer { text, proposal, origin });
                    ids.push(id);
                }
                Err(error) => self.log.push(format!("no proposal for {capability:?}: {error}")),
            }
        }
        ids
    }

    fn texts(&self, ids: &[String]) -> Vec<String> {
        ids.iter().filter_map(|id| self.store.offers.get(id)).map(|offer| offer.text.clone()).collect()
    }
}
