//! Proof of possession: the only maker of a proven key (A5, B3, B8).

use crate::error::{Error, ErrorKind};
use crate::json::{self, Members, Scratch};
use crate::key::{PublicKey, Signature};
use crate::limits::Limits;

/// Most seconds between a proof's time and the service's, either way (A5).
pub(crate) const WINDOW: u64 = 300;

/// What a request asks a service to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `HELLO`
    Hello,
    /// `ASK`
    Ask,
    /// `INTENT`
    Intent,
    /// `COMMIT`
    Commit,
    /// `UNDO`
    Undo,
    /// `EXPAND`
    Expand,
}

impl Verb {
    /// The verb of this name, spelled exactly so.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "HELLO" => Some(Self::Hello),
            "ASK" => Some(Self::Ask),
            "INTENT" => Some(Self::Intent),
            "COMMIT" => Some(Self::Commit),
            "UNDO" => Some(Self::Undo),
            "EXPAND" => Some(Self::Expand),
            _ => None,
        }
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hello => "HELLO",
            Self::Ask => "ASK",
            Self::Intent => "INTENT",
            Self::Commit => "COMMIT",
            Self::Undo => "UNDO",
            Self::Expand => "EXPAND",
        }
    }
}

/// What a proof is for: the text that it signs, but for the time.
#[derive(Clone, Copy)]
pub(crate) struct Purpose<'r> {
    pub(crate) service: &'r str,
    pub(crate) verb: Verb,
    /// The target, in parts that stand one after the other.
    pub(crate) target: &'r [&'r str],
}

impl Purpose<'_> {
    /// Writes the canonical text that a proof made at `time` signs (A5.2).
    pub(crate) fn write(&self, time: i64, out: &mut Scratch) {
        Members::of(out)
            .string("aud", self.service)
            .parts("target", self.target)
            .int("ts", time)
            .string("verb", self.verb.as_str())
            .end();
    }
}

/// A key whose holder has just shown that they have it. Only a proof makes one, or the caller's own word for it.
///
/// ```compile_fail,E0451
/// # fn f(key: parley_grants::PublicKey) {
/// let proven = parley_grants::ProvenKey { key }; // the field is private
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ProvenKey {
    key: PublicKey,
    time: Option<i64>,
}

impl ProvenKey {
    /// Checks a proof of possession (A5): its JSON text in any spelling, for a request to `service` with `verb` and
    /// `target`, at `now` in unix seconds.
    ///
    /// What comes out is a key and no longer says what it was proven for, and the target is taken as it stands: this is
    /// for who binds requests to keys by other means than [`Verifier`](crate::Verifier), which does all of it.
    ///
    /// The target is the capability for ASK and INTENT, the proposal's hash for COMMIT, the receipt's id for UNDO and the
    /// handle for EXPAND. For an INTENT with auto-commit it is `auto:{capability}:{frame id}`, which is the same text for other
    /// requests too unless those are refused whose capability starts with `auto:`, or has a `:` in it with auto (B8).
    ///
    /// # Errors
    /// A proof that is not well-formed, more than 300 seconds away from `now`, over a text longer than
    /// 64 KiB, or not signed by its key over just this. Costs at most one signature check.
    pub fn from_unbound_proof(
        proof: &[u8],
        service: &str,
        verb: Verb,
        target: &str,
        now: i64,
    ) -> Result<Self, Error> {
        Unproven::read(proof, &Purpose { service, verb, target: &[target] }, now, &Limits::default())?
            .verify()
    }

    /// Takes the caller's word that the request was made by the holder of `key`: its connection was authenticated by
    /// that key, say. Nothing is checked here, and a wrong word is a full break of every grant that `key` holds.
    pub const fn assume_proven(key: PublicKey) -> Self {
        Self { key, time: None }
    }

    /// The key.
    pub const fn key(&self) -> &PublicKey {
        &self.key
    }

    /// When its proof says that it was made, in unix seconds; `None` when there was none.
    pub const fn proof_time(&self) -> Option<i64> {
        self.time
    }
}

/// A proof for a purpose, in time and within bounds, whose signature was not checked yet.
pub(crate) struct Unproven {
    key: PublicKey,
    time: i64,
    signature: Signature,
    text: Scratch,
}

impl Unproven {
    /// Everything that can be seen without arithmetic (B5).
    pub(crate) fn read(
        proof: &[u8],
        purpose: &Purpose<'_>,
        now: i64,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let proof = Proof::read(proof, limits)?;
        if now.abs_diff(proof.time) > WINDOW {
            return Err(Error::new(ErrorKind::Stale));
        }
        let mut text = Scratch::new(limits.proof_bytes);
        purpose.write(proof.time, &mut text);
        text.finish().ok_or(Error::new(ErrorKind::TooLong))?;
        Ok(Self { key: proof.key, time: proof.time, signature: proof.signature, text })
    }

    /// The key that is claimed.
    pub(crate) const fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Checks the signature.
    pub(crate) fn verify(&self) -> Result<ProvenKey, Error> {
        let text = self.text.finish().unwrap_or_default();
        self.key.open()?.verify(text, &self.signature)?;
        Ok(ProvenKey { key: self.key, time: Some(self.time) })
    }
}

/// The key that a proof claims, for a log: nothing of it is verified.
pub(crate) fn claimed_key(proof: &[u8], limits: &Limits) -> Option<PublicKey> {
    Proof::read(proof, limits).ok().map(|proof| proof.key)
}

/// A proof as it was written; nothing verified yet.
struct Proof {
    key: PublicKey,
    time: i64,
    signature: Signature,
}

impl Proof {
    /// Reads exactly `key`, `ts` and `sig`, once each, in any order (B3).
    fn read(text: &[u8], limits: &Limits) -> Result<Self, Error> {
        let mut reader = json::any(text, limits)?;
        let (mut key, mut time, mut signature) = (None, None, None);
        reader.enter()?;
        reader.take(b'{')?;
        loop {
            reader.peek();
            let here = reader.at();
            let name = reader.string()?;
            reader.take(b':')?;
            let twice = if name.is("key") {
                reader.peek();
                key.replace(PublicKey::read(&reader.string()?.decode())?).is_some()
            } else if name.is("ts") {
                time.replace(reader.int()?).is_some()
            } else if name.is("sig") {
                reader.peek();
                signature.replace(Signature::read(&reader.string()?.decode())?).is_some()
            } else {
                return Err(Error::at(ErrorKind::Field("key, ts, sig"), here));
            };
            if twice {
                return Err(Error::at(ErrorKind::DuplicateKey, here));
            }
            if !reader.accept(b',') {
                break;
            }
        }
        reader.take(b'}')?;
        reader.end()?;
        let missing = Error::new(ErrorKind::Field("key, ts, sig"));
        match (key, time, signature) {
            (Some(key), Some(time), Some(signature)) => Ok(Self { key, time, signature }),
            _ => Err(missing),
        }
    }
}
