//! Decoding a token into blocks: bounded, one spelling, nothing verified yet (A3, B1, B3, B5).

use crate::base64url;
use crate::caveat::Caveat;
use crate::error::{Error, ErrorKind};
use crate::json::{self, Reader};
use crate::key::{PublicKey, Signature};
use crate::limits::Limits;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::str::FromStr;
use sha2::{Digest as _, Sha256};

pub(crate) const PREFIX: &str = "pg1.";

/// The id of a block: SHA-256 of its signature's text (A3). The grant's id is that of its root block.
///
/// As a signature has one spelling here (B1, B2), a block has one id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId([u8; 32]);

impl BlockId {
    fn of(signature: &str) -> Self {
        Self(Sha256::digest(signature).into())
    }

    /// An id from its 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Writes the text form as a JSON string. It has no character that needs an escape.
    #[cfg(feature = "issue")]
    pub(crate) fn write(&self, out: &mut String) {
        out.push('"');
        out.push_str(base64url::encode_32(&self.0).as_str());
        out.push('"');
    }
}

impl FromStr for BlockId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        base64url::decode_array(text).map(Self)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(base64url::encode_32(&self.0).as_str())
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A token that was decoded: well-formed, within bounds and in its only spelling. **Nothing in it is verified**: anyone
/// can write one. Its `Display` shows a person what it says, block by block.
///
/// ```no_run
/// use parley_grants::{Grant, Limits};
/// # let token = "";
/// let grant = Grant::decode(token, &Limits::default())?;
/// println!("{grant}");
/// # Ok::<(), parley_grants::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Grant {
    /// The decoded token. Signatures are checked over slices of it.
    json: String,
    /// How deep its JSON nests.
    depth: usize,
    issuer: PublicKey,
    nonce: String,
    root: Block,
    delegations: Vec<Block>,
}

/// One block of a grant.
#[derive(Clone, PartialEq, Eq)]
pub struct Block {
    id: BlockId,
    prev: Option<BlockId>,
    subject: PublicKey,
    issued_at: i64,
    caveats: Vec<Caveat>,
    payload: Range<usize>,
    signature: Signature,
}

impl Block {
    /// Its id.
    pub const fn id(&self) -> &BlockId {
        &self.id
    }

    /// The id of the block before, in a delegation.
    pub const fn prev(&self) -> Option<&BlockId> {
        self.prev.as_ref()
    }

    /// The key that this block hands the grant to.
    pub const fn subject(&self) -> &PublicKey {
        &self.subject
    }

    /// When it was issued, as its signer says, in unix seconds. Nothing is decided by it.
    pub const fn issued_at(&self) -> i64 {
        self.issued_at
    }

    /// Its caveats, in their order.
    pub fn caveats(&self) -> &[Caveat] {
        &self.caveats
    }

    pub(crate) const fn signature(&self) -> &Signature {
        &self.signature
    }
}

impl Grant {
    /// Decodes a token's text.
    ///
    /// # Errors
    /// Anything that is not the one spelling of a well-formed token within `limits`; no signature is checked and no
    /// curve point decompressed.
    pub fn decode(token: &str, limits: &Limits) -> Result<Self, Error> {
        if token.len() > limits.token_bytes {
            return Err(Error::new(ErrorKind::TooLong));
        }
        let encoded = token.strip_prefix(PREFIX).ok_or(Error::new(ErrorKind::Prefix))?;
        let bytes = base64url::decode(encoded)?;
        let mut reader = json::canonical(&bytes, limits)?;
        let mut grant = read_grant(&mut reader, limits)?;
        grant.json = String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::NotUtf8))?;
        Ok(grant)
    }

    /// The id of the grant: that of its root block.
    pub const fn id(&self) -> &BlockId {
        self.root.id()
    }

    /// The key that the root block names as the principal.
    pub const fn issuer(&self) -> &PublicKey {
        &self.issuer
    }

    /// The key that the last block hands the grant to.
    pub fn holder(&self) -> &PublicKey {
        self.last().subject()
    }

    /// The root block's nonce.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The blocks, root first: 1 to 16.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &Block> + Clone {
        Blocks { root: Some(&self.root), delegations: self.delegations.iter() }
    }

    /// Each block with the key that signs it: the root by the issuer, every other by the subject of the block before
    /// (A3.5, A3.7).
    pub(crate) fn signed_blocks(&self) -> impl Iterator<Item = (&PublicKey, &Block)> {
        self.blocks()
            .scan(self.issuer(), |signer, block| Some((core::mem::replace(signer, block.subject()), block)))
    }

    pub(crate) fn last(&self) -> &Block {
        self.delegations.last().unwrap_or(&self.root)
    }

    /// The bytes that a block's signature is over: a slice of those that arrived.
    pub(crate) fn payload(&self, block: &Block) -> &[u8] {
        self.json.as_bytes().get(block.payload.clone()).unwrap_or_default()
    }

    /// Is the grant within these limits? `Grant::decode` sees to it; this is for one that was decoded under others.
    pub(crate) fn check_limits(&self, limits: &Limits) -> Result<(), Error> {
        // Every limit is named, so that a new one is not forgotten here.
        let Limits { token_bytes, blocks, caveats, depth, grants: _, json_bytes: _, proof_bytes: _ } =
            *limits;
        let over = |kind| Err(Error::new(kind));
        // Four characters for three bytes; cannot overflow for a text that once was within the ceiling.
        let encoded = self.json.len().saturating_mul(4).div_ceil(3);
        if encoded.saturating_add(PREFIX.len()) > token_bytes {
            return over(ErrorKind::TooLong);
        }
        if self.blocks().len() > blocks {
            return over(ErrorKind::TooManyBlocks);
        }
        if self.blocks().any(|block| block.caveats.len() > caveats) {
            return over(ErrorKind::TooManyCaveats);
        }
        if self.depth > depth { over(ErrorKind::TooDeep) } else { Ok(()) }
    }

    #[cfg(feature = "issue")]
    pub(crate) fn json(&self) -> &str {
        &self.json
    }
}

/// Root first, then the delegations.
#[derive(Clone)]
struct Blocks<'g> {
    root: Option<&'g Block>,
    delegations: core::slice::Iter<'g, Block>,
}

impl<'g> Iterator for Blocks<'g> {
    type Item = &'g Block;

    fn next(&mut self) -> Option<&'g Block> {
        self.root.take().or_else(|| self.delegations.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.delegations.len().saturating_add(usize::from(self.root.is_some()));
        (left, Some(left))
    }
}

impl ExactSizeIterator for Blocks<'_> {}

/// Reads the array of blocks in one pass. Everything but the caveats has one spelling, so its text is compared, not
/// parsed: a field that is missing, unknown, out of order or spelled otherwise is not the text that must come (B1, B3).
fn read_grant(reader: &mut Reader<'_>, limits: &Limits) -> Result<Grant, Error> {
    reader.enter()?;
    reader.take(b'[')?;
    if reader.accept(b']') {
        return Err(reader.error(ErrorKind::NoBlocks));
    }
    if limits.blocks == 0 {
        return Err(reader.error(ErrorKind::TooManyBlocks));
    }
    let (root, (issuer, nonce)) = read_block(reader, limits, 0, |reader| {
        reader.expect(",\"iss\":")?;
        let issuer = read_key(reader)?;
        reader.expect(",\"nonce\":")?;
        Ok((issuer, reader.string()?.decode().into_owned()))
    })?;
    let mut delegations = Vec::new();
    while reader.accept(b',') {
        let index = delegations.len().saturating_add(1);
        if index >= limits.blocks {
            return Err(reader.error(ErrorKind::TooManyBlocks));
        }
        let (mut block, prev) = read_block(reader, limits, index, |reader| {
            reader.expect(",\"prev\":")?;
            let here = reader.at();
            // A text that is no digest is not the id of the block before either.
            reader.string()?.decode().parse().map_err(|_| Error::at(ErrorKind::NotChained, here))
        })?;
        block.prev = Some(prev);
        delegations.push(block);
    }
    reader.take(b']')?;
    reader.leave();
    reader.end()?;
    Ok(Grant { json: String::new(), depth: reader.deepest(), issuer, nonce, root, delegations })
}

/// Reads `{"p":{"caveats":[..],"iat":int<middle>,"sub":key},"s":signature}`.
fn read_block<'t, T>(
    reader: &mut Reader<'t>,
    limits: &Limits,
    index: usize,
    middle: impl FnOnce(&mut Reader<'t>) -> Result<T, Error>,
) -> Result<(Block, T), Error> {
    let read = || {
        reader.enter()?;
        reader.expect("{\"p\":")?;
        let start = reader.at();
        reader.enter()?;
        reader.expect("{\"caveats\":")?;
        let caveats = read_caveats(reader, limits)?;
        reader.expect(",\"iat\":")?;
        let issued_at = reader.int()?;
        let middle = middle(reader)?;
        reader.expect(",\"sub\":")?;
        let subject = read_key(reader)?;
        reader.expect("}")?;
        reader.leave();
        let payload = start..reader.at();
        reader.expect(",\"s\":")?;
        let here = reader.at();
        let text = reader.string()?.decode();
        let signature = Signature::read(&text).map_err(|error| Error::at(error.kind(), here))?;
        reader.expect("}")?;
        reader.leave();
        let id = BlockId::of(&text);
        Ok((Block { id, prev: None, subject, issued_at, caveats, payload, signature }, middle))
    };
    read().map_err(|error: Error| error.in_block(index))
}

fn read_caveats(reader: &mut Reader<'_>, limits: &Limits) -> Result<Vec<Caveat>, Error> {
    let mut caveats = Vec::new();
    reader.enter()?;
    reader.take(b'[')?;
    if !reader.accept(b']') {
        loop {
            if caveats.len() >= limits.caveats {
                return Err(reader.error(ErrorKind::TooManyCaveats));
            }
            caveats.push(Caveat::read(reader)?);
            if !reader.accept(b',') {
                break;
            }
        }
        reader.take(b']')?;
    }
    reader.leave();
    Ok(caveats)
}

fn read_key(reader: &mut Reader<'_>) -> Result<PublicKey, Error> {
    let here = reader.at();
    PublicKey::read(&reader.string()?.decode()).map_err(|error| Error::at(error.kind(), here))
}
