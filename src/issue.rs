//! Signing (feature `issue`): root grants, delegations, consent and proofs of possession.
//!
//! Everything is made in two steps. *Prepare* gives the exact bytes to sign and, as its `Display`, what they mean.
//! *Sign* with a [`Seed`] ends it here; *finish* takes a signature that was made elsewhere, as a principal's key belongs in a
//! phone, an HSM or a KMS and not beside the agent. Either way the result is checked by the verifier's own rules before it is given
//! out, and there is nothing here that signs bytes of the caller's choice.
//!
//! ```
//! use parley_grants::issue::{self, Seed};
//! use parley_grants::{Amount, Caveat, Verb};
//!
//! let principal = Seed::from_bytes(&[1; 32])?; // 32 random bytes, of course
//! let agent = Seed::from_bytes(&[2; 32])?;
//! let budget = Amount::new(50_00, "EUR").unwrap();
//! let caveats = [Caveat::Service(vec!["shop.example".into()]), Caveat::Expires(1_790_003_600), Caveat::Spend(budget)];
//! let draft = issue::prepare_root(principal.public_key(), agent.public_key(), &caveats, 1_789_999_900, "n1")?;
//! assert!(draft.to_string().contains("in total at most 5000 minor units of \"EUR\""));
//! let token = draft.sign(&principal)?;
//! let proof = issue::prepare_proof(agent.public_key(), "shop.example", Verb::Ask, "shop.order", 1_790_000_000)?.sign(&agent)?;
//! assert!(token.starts_with("pg1.") && proof.starts_with('{'));
//! # Ok::<(), parley_grants::Error>(())
//! ```

mod proof;

pub use proof::{ProofDraft, prepare_auto_proof, prepare_proof};

use crate::base64url;
use crate::caveat::Caveat;
use crate::chain::VerifiedGrant;
use crate::consent::MatchedConsent;
use crate::error::{Error, ErrorKind};
use crate::grant::{Grant, PREFIX};
use crate::inspect::Utc;
use crate::json::{MAX_INT, Members};
use crate::key::{PublicKey, Signature};
use crate::limits::Limits;
use crate::proof::Verb;
use crate::proposal::Proposal;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use base64ct::{Base64UrlUnpadded, Encoding as _};
use core::fmt;
use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::Zeroizing;

/// A signing key. It is wiped when dropped, is not shown by `Debug`, and cannot be read back, copied or compared.
///
/// Its bytes stay in one place on the heap, so moving it leaves no copy behind. What the signature crate does while it
/// signs is its own.
///
/// ```compile_fail,E0599
/// # fn f(seed: parley_grants::issue::Seed) {
/// let copy = seed.clone();
/// # }
/// ```
/// ```compile_fail,E0369
/// # fn f(a: parley_grants::issue::Seed, b: parley_grants::issue::Seed) -> bool {
/// a == b
/// # }
/// ```
pub struct Seed {
    bytes: Box<Zeroizing<[u8; 32]>>,
    public: PublicKey,
}

impl Seed {
    /// A signing key from 32 bytes, which must come from a cryptographic source of randomness. Wiping those is the
    /// caller's.
    ///
    /// # Errors
    /// None that could be reached: the public key of every seed is a canonical point of large order.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        let mut kept = Box::new(Zeroizing::new([0; 32]));
        kept.copy_from_slice(bytes);
        Self::kept(kept)
    }

    /// A signing key from its text, `b64url(32 bytes)` (A1.4), decoded in constant time.
    ///
    /// # Errors
    /// [`ErrorKind::Seed`] when it is not the one spelling of 32 bytes.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let mut kept = Box::new(Zeroizing::new([0; 32]));
        match Base64UrlUnpadded::decode(text, kept.as_mut_slice()) {
            Ok(decoded) if decoded.len() == 32 => Self::kept(kept),
            _ => Err(Error::new(ErrorKind::Seed)),
        }
    }

    fn kept(bytes: Box<Zeroizing<[u8; 32]>>) -> Result<Self, Error> {
        let public = PublicKey::from_bytes(SigningKey::from_bytes(&bytes).verifying_key().to_bytes())?;
        Ok(Self { bytes, public })
    }

    /// Its public key.
    pub const fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Signs for a draft of this module, whose signer must be this key.
    fn sign(&self, signer: &PublicKey, text: &[u8]) -> Result<[u8; 64], Error> {
        if *signer != self.public {
            return Err(Error::new(ErrorKind::WrongSigner));
        }
        Ok(SigningKey::from_bytes(&self.bytes).sign(text).to_bytes())
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed(secret of {})", self.public)
    }
}

/// A block that is ready to be signed. Its `Display` says what the signature will mean, with all that the chain says
/// already.
#[must_use]
pub struct GrantDraft {
    signer: PublicKey,
    caveats: Vec<Caveat>,
    /// What goes before the caveats when it is shown.
    meaning: String,
    /// JSON of the blocks before, without the bracket that ends them.
    before: String,
    payload: String,
}

/// Prepares a root grant (A3): `subject` may act for `issuer` within `caveats`. `issued_at` is in unix seconds; `nonce` is any text that makes this grant
/// differ from another with the same caveats.
///
/// # Errors
/// What a verifier would never accept: a caveat that is not well-formed, a time beyond `2^53-1`, or a token over the
/// default limits.
pub fn prepare_root(
    issuer: &PublicKey,
    subject: &PublicKey,
    caveats: &[Caveat],
    issued_at: i64,
    nonce: &str,
) -> Result<GrantDraft, Error> {
    let payload = payload(caveats, issued_at, subject, 0, |members| {
        members.with("iss", |out| issuer.write(out)).string("nonce", nonce)
    })?;
    let mut meaning = format!("{issuer} lets {subject} act, by a grant dated {}", Utc(issued_at));
    if caveats.is_empty() {
        meaning.push_str(", without any restriction, wherever its grants count");
    }
    let draft = GrantDraft {
        signer: *issuer,
        caveats: caveats.to_vec(),
        meaning,
        before: String::from("["),
        payload,
    };
    draft.check_length()?;
    Ok(draft)
}

/// Prepares a delegation (A3): the holder of `grant` hands it on to `subject`, narrowed by `caveats`. Only the holder can
/// sign it.
///
/// # Errors
/// As for [`prepare_root`]; also for a grant that has a malformed or unknown caveat already, or 16 blocks.
pub fn prepare_delegation(
    grant: &VerifiedGrant,
    subject: &PublicKey,
    caveats: &[Caveat],
    issued_at: i64,
) -> Result<GrantDraft, Error> {
    let grant = grant.grant();
    let index = grant.blocks().len();
    if index >= Limits::CEILING.blocks {
        return Err(Error::new(ErrorKind::TooManyBlocks).in_block(index));
    }
    check_caveats(grant)?;
    let payload = payload(caveats, issued_at, subject, index, |members| {
        members.with("prev", |out| grant.last().id().write(out))
    })?;
    let mut before = String::from(grant.json().strip_suffix(']').unwrap_or_default());
    before.push(',');
    let signer = *grant.holder();
    let further = if caveats.is_empty() { "nothing further" } else { "further" };
    let dated = Utc(issued_at);
    let meaning = format!("{signer} hands this on to {subject}, dated {dated}:\n{grant}\nand {further}");
    let draft = GrantDraft { signer, caveats: caveats.to_vec(), meaning, before, payload };
    draft.check_length()?;
    Ok(draft)
}

/// Prepares a consent (A9): a root grant by which `principal` lets `agent` commit exactly this proposal at this service,
/// before it expires. Its five caveats are made from the proposal's own bytes, so only a parsed one will do:
///
/// ```compile_fail,E0308
/// # use parley_grants::{PublicKey, Terms, issue};
/// # fn f(key: &PublicKey, terms: &Terms) {
/// issue::prepare_consent(key, key, terms, "shop.example", 0, "n"); // terms that somebody vouches for
/// # }
/// ```
///
/// The draft's `Display` is what the human must be shown: effects, cost, risk and undo, not only the summary.
///
/// # Errors
/// As for [`prepare_root`].
pub fn prepare_consent(
    principal: &PublicKey,
    agent: &PublicKey,
    proposal: &Proposal,
    service: &str,
    issued_at: i64,
    nonce: &str,
) -> Result<GrantDraft, Error> {
    let terms = proposal.terms();
    let caveats = [
        Caveat::Service(Vec::from([String::from(service)])),
        Caveat::Verbs(Vec::from([String::from(Verb::Commit.as_str())])),
        Caveat::Capabilities(Vec::from([String::from(terms.capability())])),
        Caveat::Only(String::from(terms.hash())),
        Caveat::Expires(terms.expires()),
    ];
    let meaning = format!("{principal} lets {agent} do exactly this:\n{proposal}\nby a grant");
    Ok(GrantDraft { meaning, ..prepare_root(principal, agent, &caveats, issued_at, nonce)? })
}

/// Prepares the consent that a service asked for, after its request was found to be about `matched`'s proposal: as
/// [`prepare_consent`], with nothing left to mistake. What the human must be shown is the `Display` of `matched`, or of the
/// draft.
///
/// # Errors
/// As for [`prepare_root`].
pub fn prepare_matched_consent(
    matched: &MatchedConsent<'_>,
    agent: &PublicKey,
    issued_at: i64,
    nonce: &str,
) -> Result<GrantDraft, Error> {
    prepare_consent(matched.principal(), agent, matched.proposal(), matched.service(), issued_at, nonce)
}

/// Writes a payload (A3.4, A3.6): `middle` adds what stands between `iat` and `sub`.
fn payload(
    caveats: &[Caveat],
    issued_at: i64,
    subject: &PublicKey,
    block: usize,
    middle: impl for<'o> FnOnce(Members<'o, String>) -> Members<'o, String>,
) -> Result<String, Error> {
    if caveats.len() > Limits::CEILING.caveats {
        return Err(Error::new(ErrorKind::TooManyCaveats).in_block(block));
    }
    if issued_at.unsigned_abs() > MAX_INT.unsigned_abs() {
        return Err(Error::new(ErrorKind::BadNumber).in_block(block));
    }
    let mut list = String::from("[");
    for (index, caveat) in caveats.iter().enumerate() {
        if index > 0 {
            list.push(',');
        }
        if !caveat.write(&mut list) {
            return Err(Error::new(ErrorKind::BadCaveat).in_block(block));
        }
    }
    list.push(']');
    let mut out = String::new();
    let members = Members::of(&mut out).with("caveats", |out| out.push_str(&list)).int("iat", issued_at);
    middle(members).with("sub", |out| subject.write(out)).end();
    Ok(out)
}

/// No block may have a caveat that denies everything.
fn check_caveats(grant: &Grant) -> Result<(), Error> {
    for (index, block) in grant.blocks().enumerate() {
        if block.caveats().iter().any(|caveat| caveat.name().is_none()) {
            return Err(Error::new(ErrorKind::BadCaveat).in_block(index));
        }
    }
    Ok(())
}

impl GrantDraft {
    /// The key that has to sign.
    pub const fn signer(&self) -> &PublicKey {
        &self.signer
    }

    /// The exact bytes that it has to sign, with plain Ed25519.
    pub fn bytes_to_sign(&self) -> &[u8] {
        self.payload.as_bytes()
    }

    /// Signs here, and gives the token.
    ///
    /// # Errors
    /// [`ErrorKind::WrongSigner`] for another key than the draft's signer.
    pub fn sign(self, seed: &Seed) -> Result<String, Error> {
        let signature = seed.sign(&self.signer, self.payload.as_bytes())?;
        self.finish(&signature)
    }

    /// Takes a signature that was made elsewhere, and gives the token.
    ///
    /// # Errors
    /// A signature that does not verify strictly (B2) for [`signer`](Self::signer) over
    /// [`bytes_to_sign`](Self::bytes_to_sign).
    pub fn finish(self, signature: &[u8; 64]) -> Result<String, Error> {
        let signature = Signature::from_bytes(*signature)?;
        let mut token = String::from(PREFIX);
        base64url::encode_into(self.json(&signature.text()).as_bytes(), &mut token);
        // The verifier's own rules have the last word.
        let grant = Grant::decode(&token, &Limits::default())?;
        check_caveats(&grant)?;
        if grant.last().caveats() != self.caveats {
            return Err(Error::new(ErrorKind::BadCaveat).in_block(grant.blocks().len().saturating_sub(1)));
        }
        let _checked = grant.verify(&|_: &PublicKey| true)?;
        Ok(token)
    }

    fn json(&self, signature: &str) -> String {
        let mut json = self.before.clone();
        Members::of(&mut json).with("p", |out| out.push_str(&self.payload)).string("s", signature).end();
        json.push(']');
        json
    }

    /// Nobody should be asked to sign what would be too long in the end.
    fn check_length(&self) -> Result<(), Error> {
        let json = self.before.len().saturating_add(self.payload.len());
        let json = json.saturating_add("{\"p\":,\"s\":\"\"}]".len()).saturating_add(base64url::LEN_64);
        if json.saturating_mul(4).div_ceil(3).saturating_add(PREFIX.len()) > Limits::CEILING.token_bytes {
            return Err(Error::new(ErrorKind::TooLong));
        }
        Ok(())
    }
}

impl fmt::Display for GrantDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.meaning)?;
        self.caveats.iter().try_for_each(|caveat| write!(f, "\n  {caveat}"))
    }
}

impl fmt::Debug for GrantDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GrantDraft(for {})", self.signer)
    }
}
