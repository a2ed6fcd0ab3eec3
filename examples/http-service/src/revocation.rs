//! What the shop no longer honours: a file with the ids of blocks, one a line, or the word `everything`. It can only refuse.

use parley_grants::{BlockId, Link, Revoke};
use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

/// A list that requests read while it is replaced.
#[derive(Clone, Debug, Default)]
pub struct Revocation {
    path: Option<PathBuf>,
    list: Arc<RwLock<List>>,
}

#[derive(Debug, Default)]
struct List {
    is_everything: bool,
    blocks: HashSet<BlockId>,
    /// Of the file that was read: inode, size, and times of change in nanoseconds.
    version: Option<[i128; 4]>,
}

impl Revocation {
    pub fn from_file(path: PathBuf) -> Self {
        let revocation = Self { path: Some(path), list: Arc::default() };
        revocation.refresh();
        revocation
    }

    /// Reads the file again if it is another one than before. A file that cannot be read revokes everything until it can be.
    pub fn refresh(&self) {
        let Some(path) = &self.path else { return };
        let version = fs::metadata(path).ok().map(|file| version(&file));
        let is_same = |list: &List| version.is_some() && list.version == version;
        if self.list.read().is_ok_and(|list| is_same(&list)) {
            return;
        }
        let list = read(path, version);
        if list.version.is_none() {
            tracing::error!("the list of revoked blocks cannot be read: everything is revoked");
        }
        if let Ok(mut kept) = self.list.write() {
            *kept = list;
        }
    }
}

fn version(file: &Metadata) -> [i128; 4] {
    let nanos = |seconds: i64, rest: i64| {
        i128::from(seconds).saturating_mul(1_000_000_000).saturating_add(i128::from(rest))
    };
    [
        i128::from(file.ino()),
        i128::from(file.size()),
        nanos(file.mtime(), file.mtime_nsec()),
        nanos(file.ctime(), file.ctime_nsec()),
    ]
}

/// The version is that from before the reading, so that a change in between is seen next time.
fn read(path: &Path, version: Option<[i128; 4]>) -> List {
    let Ok(text) = fs::read_to_string(path) else {
        return List { is_everything: true, blocks: HashSet::new(), version: None };
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    // A line that is no id was meant to revoke something.
    match lines.map(str::parse).collect() {
        Ok(blocks) => List { is_everything: false, blocks, version },
        Err(_) => List { is_everything: true, blocks: HashSet::new(), version },
    }
}

impl Revoke for Revocation {
    fn is_revoked(&self, link: &Link<'_>) -> bool {
        // A list that cannot be looked into revokes.
        self.list.read().map_or(true, |list| list.is_everything || list.blocks.contains(link.block))
    }
}
