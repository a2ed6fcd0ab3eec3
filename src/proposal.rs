//! What is being committed to: terms taken from the very bytes that were hashed (A7, B4).

use crate::base64url;
use crate::caveat::{Amount, Risk};
use crate::error::{Error, ErrorKind};
use crate::json::{self, Document, Node};
use crate::limits::Limits;
use alloc::string::String;
use alloc::vec::Vec;
use sha2::{Digest as _, Sha256};

/// The members that are not hashed (A7).
const NOT_HASHED: [&str; 2] = ["hash", "data"];

/// The hash of a proposal text: of its canonical form without `hash` and `data` (A7).
///
/// Any JSON object has one; whether it is a well-formed proposal, [`Proposal::parse`] tells. At most 1 MiB.
///
/// # Errors
/// When the text is no JSON object that A2 can express, `data` aside.
///
/// ```
/// let hash = parley_grants::proposal_hash(br#"{"a":1,"data":[1e999],"hash":"?"}"#)?;
/// assert_eq!(hash, parley_grants::proposal_hash(br#"{ "a": 1 }"#)?);
/// # Ok::<(), parley_grants::Error>(())
/// ```
pub fn proposal_hash(text: &[u8]) -> Result<String, Error> {
    let (document, _) = document(text, &Limits::default())?;
    Ok(hash(&canonical_without(&document)))
}

/// The document, and how deep it nests.
fn document<'t>(text: &'t [u8], limits: &Limits) -> Result<(Document<'t>, usize), Error> {
    let mut reader = json::any(text, limits)?;
    let document = json::read_proposal(&mut reader)?;
    reader.end()?;
    if let Node::Object(_) = document.root() {
        Ok((document, reader.deepest()))
    } else {
        Err(Error::at(ErrorKind::Syntax, 0))
    }
}

fn canonical_without(document: &Document<'_>) -> String {
    let mut out = String::new();
    json::write_except(document, document.root(), &NOT_HASHED, &mut out);
    out
}

fn hash(canonical: &str) -> String {
    String::from(base64url::encode_32(&Sha256::digest(canonical).into()).as_str())
}

/// A concrete plan that a service offers (A7), read from its bytes. It is inert until a COMMIT.
///
/// ```
/// use parley_grants::{Proposal, Risk};
/// let text = br#"{"id":"p-1","capability":"shop.order","summary":"Two cups",
///   "effects":[{"op":"create","target":"order"}],"cost":{"amount":1800,"currency":"EUR"},
///   "risk":"low","undo":{"window":600},"expires":1790000600,"data":{"weight":0.31}}"#;
/// let proposal = Proposal::parse(text)?;
/// assert_eq!(proposal.terms().cost().map(|c| c.minor()), Some(1800));
/// assert_eq!(proposal.terms().risk(), Risk::Low);
/// assert_eq!(proposal.terms().hash(), parley_grants::proposal_hash(text)?);
/// # Ok::<(), parley_grants::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Proposal {
    terms: Terms,
    effects: Vec<Effect>,
    canonical: String,
    /// Length and depth of the text that was read.
    bytes: usize,
    depth: usize,
}

/// Equal when they say the same, however their texts are spelled and whatever their `hash` and `data`.
impl PartialEq for Proposal {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Proposal {}

impl Proposal {
    /// Reads a proposal in any JSON spelling, within the default limits.
    ///
    /// # Errors
    /// Anything that makes it not well-formed (A7): with [`ErrorKind::Field`] the member that is wrong.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        Self::parse_within(text, &Limits::default())
    }

    /// As [`Proposal::parse`], within `limits`.
    ///
    /// # Errors
    /// As there.
    pub fn parse_within(text: &[u8], limits: &Limits) -> Result<Self, Error> {
        let (document, depth) = document(text, limits)?;
        let root = Object::root(&document);
        if let Some(hash) = root.get("hash") {
            string(hash).ok_or(Error::new(ErrorKind::Field("hash")))?;
        }
        let canonical = canonical_without(&document);
        let terms = Terms::vouch_for(VouchedTerms {
            id: root.string("id")?,
            hash: hash(&canonical),
            capability: root.string("capability")?,
            summary: root.string("summary")?,
            cost: root.nullable("cost", Object::amount)?,
            risk: Risk::read(&root.string("risk")?).ok_or(Error::new(ErrorKind::Field("risk")))?,
            undo: root.nullable("undo", Object::window)?,
            expires: root.int("expires")?,
        })?;
        let effects = root.effects().ok_or(Error::new(ErrorKind::Field("effects")))?;
        Ok(Self { terms, effects, canonical, bytes: text.len(), depth })
    }

    /// Is it within these limits? [`Proposal::parse_within`] sees to it; this is for one that was read under others.
    pub(crate) const fn check_limits(&self, limits: &Limits) -> Result<(), Error> {
        if self.bytes > limits.json_bytes {
            return Err(Error::new(ErrorKind::TooLong));
        }
        if self.depth > limits.depth { Err(Error::new(ErrorKind::TooDeep)) } else { Ok(()) }
    }

    /// What decides about a COMMIT of it.
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn into_terms(self) -> Terms {
        self.terms
    }

    /// What it will do.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// The canonical form that was hashed: without `hash` and `data`.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }
}

/// One effect of a proposal, in its service's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    op: String,
    target: String,
    others: Vec<(String, String)>,
}

impl Effect {
    /// What is done.
    pub fn op(&self) -> &str {
        &self.op
    }

    /// To what.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// All other members (`field`, `from`, `to`, `detail` and any more), each as its key and the canonical JSON of
    /// its value, in the order of their keys.
    pub fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        self.others.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// What decides about a COMMIT: the terms of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    id: String,
    hash: String,
    capability: String,
    summary: String,
    cost: Option<Amount>,
    risk: Risk,
    undo: Option<u64>,
    expires: i64,
}

/// Terms that a service did not take from a proposal's bytes: the input of [`Terms::vouch_for`].
#[derive(Clone, Debug)]
pub struct VouchedTerms {
    /// The proposal's id.
    pub id: String,
    /// Its hash. That the other terms are those of the bytes with this hash is what the service vouches for.
    pub hash: String,
    /// The capability that a COMMIT needs.
    pub capability: String,
    /// What a human is told first.
    pub summary: String,
    /// What it costs; `None` for nothing.
    pub cost: Option<Amount>,
    /// How dangerous it is.
    pub risk: Risk,
    /// For how many seconds it can be undone; `None` when it cannot.
    pub undo: Option<u64>,
    /// From when on it can no longer be committed, in unix seconds.
    pub expires: i64,
}

impl Terms {
    /// Terms for whose truth the caller vouches: a human's consent and the hash that a caveat names cover the
    /// proposal's bytes, and nothing here can check that these terms are theirs. [`Proposal::parse`] takes them from the bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Field`] for a capability that starts with `auto:` (A7.14), and for times beyond `2^53-1`.
    pub fn vouch_for(terms: VouchedTerms) -> Result<Self, Error> {
        let VouchedTerms { id, hash, capability, summary, cost, risk, undo, expires } = terms;
        if is_reserved(&capability) {
            return Err(Error::new(ErrorKind::Field("capability")));
        }
        if undo.is_some_and(|window| window > json::MAX_INT.unsigned_abs()) {
            return Err(Error::new(ErrorKind::Field("undo")));
        }
        if expires.unsigned_abs() > json::MAX_INT.unsigned_abs() {
            return Err(Error::new(ErrorKind::Field("expires")));
        }
        Ok(Self { id, hash, capability, summary, cost, risk, undo, expires })
    }

    /// The proposal's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its hash, as text.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The capability that a COMMIT needs.
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// What a human is told first. It is covered by the hash, and it is still only the service's word.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// What it costs; `None` for nothing.
    pub const fn cost(&self) -> Option<&Amount> {
        self.cost.as_ref()
    }

    /// How dangerous it is.
    pub const fn risk(&self) -> Risk {
        self.risk
    }

    /// For how many seconds it can be undone; `None` when it cannot. Zero seconds is no undo either (A8).
    pub const fn undo(&self) -> Option<u64> {
        self.undo
    }

    /// From when on it can no longer be committed, in unix seconds.
    pub const fn expires(&self) -> i64 {
        self.expires
    }
}

/// Would a proof for this capability also be the proof of another request? (B8)
pub(crate) fn is_reserved(capability: &str) -> bool {
    capability.starts_with("auto:")
}

/// The same for an INTENT with auto: `auto:{capability}:{frame id}` must have one reading (B8.2).
pub(crate) fn is_reserved_for_auto(capability: &str) -> bool {
    is_reserved(capability) || capability.contains(':')
}

/// A node that is an object; of any other kind it has no members.
pub(crate) struct Object<'d, 't> {
    document: &'d Document<'t>,
    node: Node<'t>,
}

impl<'d, 't> Object<'d, 't> {
    pub(crate) fn root(document: &'d Document<'t>) -> Self {
        Self { document, node: document.root() }
    }

    /// It is an object with just these members.
    pub(crate) fn exactly(&self, names: &[&'static str]) -> Result<(), Error> {
        let members = self.members().ok_or(Error::at(ErrorKind::Syntax, 0))?;
        match names.iter().find(|name| self.get(name).is_none()) {
            Some(missing) => Err(Error::new(ErrorKind::Field(missing))),
            None if members.len() != names.len() => Err(Error::new(ErrorKind::UnknownField)),
            None => Ok(()),
        }
    }

    pub(crate) fn int(&self, name: &'static str) -> Result<i64, Error> {
        self.get(name).and_then(int).ok_or(Error::new(ErrorKind::Field(name)))
    }

    fn members(&self) -> Option<&'d [json::Child<'t>]> {
        let Node::Object(members) = self.node else { return None };
        Some(self.document.children(members))
    }

    fn get(&self, name: &str) -> Option<Node<'t>> {
        let member = self.members()?.iter().find(|member| member.key.is_some_and(|key| key.is(name)))?;
        Some(member.node)
    }

    pub(crate) fn string(&self, name: &'static str) -> Result<String, Error> {
        self.get(name).and_then(string).ok_or(Error::new(ErrorKind::Field(name)))
    }

    /// A member that must be there, and is null or what `read` takes.
    fn nullable<T>(&self, name: &'static str, read: fn(&Self) -> Option<T>) -> Result<Option<T>, Error> {
        match self.get(name) {
            Some(Node::Null) => Ok(None),
            Some(node) => match read(&Self { document: self.document, node }) {
                Some(value) => Ok(Some(value)),
                None => Err(Error::new(ErrorKind::Field(name))),
            },
            None => Err(Error::new(ErrorKind::Field(name))),
        }
    }

    /// A member that is an integer of at least 0.
    fn natural(&self, name: &str) -> Option<u64> {
        u64::try_from(int(self.get(name)?)?).ok()
    }

    /// Exactly an amount of at least 0 and a currency.
    fn amount(&self) -> Option<Amount> {
        if self.members()?.len() != 2 {
            return None;
        }
        Amount::new(self.natural("amount")?, &self.get("currency").and_then(string)?)
    }

    /// Exactly a window of at least 0 seconds.
    fn window(&self) -> Option<u64> {
        if self.members()?.len() == 1 { self.natural("window") } else { None }
    }

    fn effects(&self) -> Option<Vec<Effect>> {
        let Node::Array(effects) = self.get("effects")? else { return None };
        self.document.children(effects).iter().map(|effect| self.effect(effect.node)).collect()
    }

    fn effect(&self, node: Node<'t>) -> Option<Effect> {
        let effect = Self { document: self.document, node };
        let (op, target) = (string(effect.get("op")?)?, string(effect.get("target")?)?);
        let others = effect
            .members()?
            .iter()
            .filter_map(|member| member.key.map(|key| (key.decode().into_owned(), member.node)))
            .filter(|(key, _)| key != "op" && key != "target")
            .map(|(key, node)| {
                let mut value = String::new();
                json::write_except(self.document, node, &[], &mut value);
                (key, value)
            })
            .collect();
        Some(Effect { op, target, others })
    }
}

fn string(node: Node<'_>) -> Option<String> {
    if let Node::Str(text) = node { Some(text.decode().into_owned()) } else { None }
}

const fn int(node: Node<'_>) -> Option<i64> {
    if let Node::Int(int) = node { Some(int) } else { None }
}
