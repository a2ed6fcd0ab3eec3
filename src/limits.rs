//! How much work may the input cost? Every number with its reason (B5).

/// Bounds on the work that input may cause, all checked before any signature.
///
/// The defaults are ceilings: a limit can be lowered, and a larger value than the default counts as the
/// default. So every array of this crate whose size follows from a limit has a known maximum.
///
/// ```
/// use parley_grants::Limits;
/// let small = Limits::default().with_token_bytes(8 * 1024).with_blocks(4);
/// assert_eq!(small.with_blocks(1000), Limits::default().with_token_bytes(8 * 1024));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) token_bytes: usize,
    pub(crate) blocks: usize,
    pub(crate) caveats: usize,
    pub(crate) grants: usize,
    pub(crate) depth: usize,
    pub(crate) json_bytes: usize,
    pub(crate) proof_bytes: usize,
}

impl Limits {
    /// The defaults, and the ceilings.
    pub(crate) const CEILING: Self = Self {
        // A block with a few caveats is about 400 bytes of token text; sixteen full ones still fit.
        token_bytes: 64 * 1024,
        // One signature check a block: this bounds the time of one grant to that of 16 checks.
        blocks: 16,
        // Nine kinds of caveat exist; 64 leaves room for several of each.
        caveats: 64,
        // With `blocks`, bounds one request to 256 signature checks plus the proof's.
        grants: 16,
        // A token nests five deep; people's JSON seldom more than ten. Bounds every stack of open brackets.
        depth: 32,
        // A proposal with its `data` is a page of text; more is no plan that a person can approve.
        json_bytes: 1024 * 1024,
        // Service id, verb, target and time: this is hashed once a request before anything is known of the caller.
        proof_bytes: 64 * 1024,
    };

    /// Longest token text, in bytes, prefix included (at most and by default 64 KiB).
    pub const fn with_token_bytes(mut self, bytes: usize) -> Self {
        self.token_bytes = least(bytes, Self::CEILING.token_bytes);
        self
    }

    /// Most blocks in a grant (at most and by default 16).
    pub const fn with_blocks(mut self, blocks: usize) -> Self {
        self.blocks = least(blocks, Self::CEILING.blocks);
        self
    }

    /// Most caveats in one block (at most and by default 64).
    pub const fn with_caveats(mut self, caveats: usize) -> Self {
        self.caveats = least(caveats, Self::CEILING.caveats);
        self
    }

    /// Most grants presented with one request (at most and by default 16).
    pub const fn with_grants(mut self, grants: usize) -> Self {
        self.grants = least(grants, Self::CEILING.grants);
        self
    }

    /// Most nested arrays and objects in any JSON (at most and by default 32; a token needs 5, with a limit
    /// or a list in a caveat 6).
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = least(depth, Self::CEILING.depth);
        self
    }

    /// Longest JSON text that is no token, in bytes (at most and by default 1 MiB).
    pub const fn with_json_bytes(mut self, bytes: usize) -> Self {
        self.json_bytes = least(bytes, Self::CEILING.json_bytes);
        self
    }

    /// Longest text that a proof signs, in bytes (at most and by default 64 KiB).
    pub const fn with_proof_bytes(mut self, bytes: usize) -> Self {
        self.proof_bytes = least(bytes, Self::CEILING.proof_bytes);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::CEILING
    }
}

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}
