//! JSON, tokens, proofs and hashes from the format's text alone (A1, A2, A3, A5, A7). Nothing of the crate is used.

use ed25519_dalek::{Signer as _, SigningKey};
use sha2::{Digest as _, Sha256};
use std::sync::OnceLock;

pub const MAX_INT: i64 = (1 << 53) - 1;

/// A JSON value; members stand in the order of writing.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// A number that A2 cannot express, as its text.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

pub fn text(text: &str) -> Json {
    Json::Text(text.into())
}

pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

impl Json {
    /// In the order of its members.
    pub fn plain(&self) -> String {
        let joined = |texts: Vec<String>| texts.join(",");
        match self {
            Json::Null => "null".into(),
            Json::Bool(value) => value.to_string(),
            Json::Int(value) => value.to_string(),
            Json::Number(text) => text.clone(),
            Json::Text(text) => quote(text),
            Json::List(items) => format!("[{}]", joined(items.iter().map(Json::plain).collect())),
            Json::Object(members) => {
                let member = |(key, value): &(String, Json)| format!("{}:{}", quote(key), value.plain());
                format!("{{{}}}", joined(members.iter().map(member).collect()))
            }
        }
    }

    /// With all members sorted by code point.
    pub fn sorted(&self) -> Json {
        match self {
            Json::List(items) => Json::List(items.iter().map(Json::sorted).collect()),
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().map(|(k, v)| (k.clone(), v.sorted())).collect();
                members.sort_by(|a, b| a.0.chars().cmp(b.0.chars()));
                Json::Object(members)
            }
            other => other.clone(),
        }
    }

    /// The bytes that are hashed and signed (A2).
    pub fn canonical(&self) -> String {
        self.sorted().plain()
    }

    /// Can A2 express it?
    pub fn is_a2(&self) -> bool {
        self.is_a2_but_for(&|_| false)
    }

    /// Can A2 express it, if these of its numbers were others?
    pub fn is_a2_but_for(&self, numbers: &dyn Fn(&Json) -> bool) -> bool {
        match self {
            Json::Null | Json::Bool(_) | Json::Text(_) => true,
            Json::Int(value) => (-MAX_INT..=MAX_INT).contains(value) || numbers(self),
            Json::Number(_) => numbers(self),
            Json::List(items) => items.iter().all(|item| item.is_a2_but_for(numbers)),
            Json::Object(members) => {
                let twice = |key| members.iter().filter(|(other, _)| other == key).count() > 1;
                members.iter().all(|(key, value)| !twice(key) && value.is_a2_but_for(numbers))
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// With this member, in place of one of the same name.
    pub fn with(&self, name: &str, value: Json) -> Json {
        let Json::Object(mut members) = self.without(&[name]) else { return self.clone() };
        members.push((name.into(), value));
        Json::Object(members)
    }

    pub fn without(&self, names: &[&str]) -> Json {
        let Json::Object(members) = self else { return self.clone() };
        Json::Object(members.iter().filter(|(key, _)| !names.contains(&key.as_str())).cloned().collect())
    }
}

/// A string in its canonical spelling.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\u{8}' => out += "\\b",
            '\t' => out += "\\t",
            '\n' => out += "\\n",
            '\u{c}' => out += "\\f",
            '\r' => out += "\\r",
            '\0'..'\u{20}' => out += &format!("\\u{:04x}", character as u32),
            _ => out.push(character),
        }
    }
    out + "\""
}

pub const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub fn b64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..=chunk.len() {
            out.push(ALPHABET[(bits >> (18 - 6 * i) & 63) as usize] as char);
        }
    }
    out
}

pub fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// The hash of a proposal (A7).
pub fn proposal_hash(proposal: &Json) -> String {
    b64(&sha256(&proposal.without(&["hash", "data"]).canonical()))
}

/// One of a few fixed keys, by its number.
pub type Key = usize;

pub fn signer(key: Key) -> &'static SigningKey {
    static KEYS: OnceLock<Vec<SigningKey>> = OnceLock::new();
    &KEYS.get_or_init(|| (0..8).map(|n| SigningKey::from_bytes(&[n + 1; 32])).collect())[key]
}

pub fn public_bytes(key: Key) -> [u8; 32] {
    signer(key).verifying_key().to_bytes()
}

pub fn public(key: Key) -> String {
    format!("ed25519:{}", b64(&public_bytes(key)))
}

pub fn sign(key: Key, text: &str) -> [u8; 64] {
    signer(key).sign(text.as_bytes()).to_bytes()
}

/// A grant to be made.
#[derive(Clone, Debug)]
pub struct Grant {
    pub issuer: Key,
    pub nonce: String,
    pub blocks: Vec<Block>,
    /// What is wrong with it, and in which block (counted around).
    pub flaw: Option<(Flaw, usize)>,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub subject: Key,
    pub caveats: Vec<Json>,
    pub iat: i64,
    /// What has been counted under its id.
    pub spent: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Flaw {
    /// Signed by this key instead.
    Signer(Key),
    /// One bit of the signature is flipped.
    Bit(usize),
    /// `prev` is of the root, of itself or of nothing. In the root: there is one.
    Prev,
    /// A member too many, or one that is missing.
    Extra,
    Missing,
    /// The subject is the point of order 1.
    WeakKey,
}

/// A block as it stands in a token.
pub struct Made {
    pub value: Json,
    pub payload: String,
    pub signature: String,
}

impl Made {
    pub fn id(&self) -> [u8; 32] {
        sha256(&self.signature)
    }
}

/// Makes the blocks. `respell` may change a payload's text before it is signed; `resign` the signature's text after.
pub fn blocks(
    grant: &Grant,
    respell: impl Fn(usize, &Json) -> String,
    resign: impl Fn(usize, String) -> String,
) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    let mut holder = grant.issuer;
    for (index, block) in grant.blocks.iter().enumerate() {
        let flaw = grant.flaw.filter(|(_, at)| at % grant.blocks.len() == index).map(|(flaw, _)| flaw);
        let mut payload = object([
            ("caveats", Json::List(block.caveats.clone())),
            ("iat", Json::Int(block.iat)),
            ("sub", Json::Text(public(block.subject))),
        ]);
        if let Some(before) = made.last() {
            payload = payload.with("prev", Json::Text(b64(&before.id())));
        } else {
            payload = payload.with("iss", Json::Text(public(grant.issuer)));
            payload = payload.with("nonce", text(&grant.nonce));
        }
        let (mut key, mut bit) = (holder, None);
        match flaw {
            None => {}
            // Another key than the right one, whichever that is.
            Some(Flaw::Signer(other)) => key = if other == holder { (other + 1) % 8 } else { other },
            Some(Flaw::Bit(at)) => bit = Some(at % 512),
            Some(Flaw::Prev) => payload = payload.with("prev", text(&b64(&[index as u8; 32]))),
            Some(Flaw::Extra) => payload = payload.with("note", text("")),
            Some(Flaw::Missing) => payload = payload.without(&["iat"]),
            Some(Flaw::WeakKey) => {
                let mut one = [0; 32];
                one[0] = 1;
                payload = payload.with("sub", Json::Text(format!("ed25519:{}", b64(&one))));
            }
        }
        let value = payload;
        let payload = respell(index, &value);
        let mut signature = sign(key, &payload);
        if let Some(at) = bit {
            signature[at / 8] ^= 1 << (at % 8);
        }
        made.push(Made { value, payload, signature: resign(index, b64(&signature)) });
        holder = block.subject;
    }
    made
}

pub fn assemble(blocks: &[Made]) -> String {
    let block = |made: &Made| format!("{{\"p\":{},\"s\":{}}}", made.payload, quote(&made.signature));
    format!("[{}]", blocks.iter().map(block).collect::<Vec<_>>().join(","))
}

pub fn token_of(json: &[u8]) -> String {
    format!("pg1.{}", b64(json))
}

pub fn make(grant: &Grant) -> Vec<Made> {
    blocks(grant, |_, payload| payload.canonical(), |_, signature| signature)
}

pub fn token(blocks: &[Made]) -> String {
    token_of(assemble(blocks).as_bytes())
}

/// The text that a proof signs (A5).
pub fn proof_text(aud: &str, verb: &str, target: &str, ts: i64) -> String {
    object([("aud", text(aud)), ("verb", text(verb)), ("target", text(target)), ("ts", Json::Int(ts))])
        .canonical()
}

pub fn proof(key: Key, aud: &str, verb: &str, target: &str, ts: i64) -> Json {
    let signature = sign(key, &proof_text(aud, verb, target, ts));
    object([("key", Json::Text(public(key))), ("ts", Json::Int(ts)), ("sig", Json::Text(b64(&signature)))])
}
