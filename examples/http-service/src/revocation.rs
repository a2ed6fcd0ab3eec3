//! What the shop no longer honours: a file with the ids of blocks, one a line, or the word `everything`, and a last line `# end`.
//! It can only refuse. It is changed by a rename: what is written in place revokes everything until it is whole again.

use parley_grants::{BlockId, Link, Revoke};
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

const END: &str = "# end";
/// Nanoseconds after which a change has another time than the one before: a file system's clock may tick slowly.
const TICK: i128 = 2_000_000_000;

/// A list that requests read while it is replaced.
#[derive(Clone, Debug, Default)]
pub struct Revocation {
    path: Option<PathBuf>,
    list: Arc<RwLock<List>>,
    /// Held from the look at the file to the keeping of its list: so no list replaces a newer one.
    reading: Arc<Mutex<()>>,
}

#[derive(Debug, Default)]
struct List {
    /// Why everything is revoked.
    everything: Option<&'static str>,
    blocks: HashSet<BlockId>,
    /// Of the file that was read, where any change of it would show.
    version: Option<Version>,
}

/// Inode, size, and times of change in nanoseconds.
type Version = [i128; 4];

impl Revocation {
    pub fn from_file(path: PathBuf) -> Self {
        let revocation = Self { path: Some(path), ..Self::default() };
        revocation.refresh();
        revocation
    }

    /// Reads the file again if it is another one than before. A file that cannot be read revokes everything until it can be.
    pub fn refresh(&self) {
        let Some(path) = &self.path else { return };
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let version = std::fs::metadata(path).ok().map(|file| version(&file));
        if version.is_some() && self.list.read().is_ok_and(|list| list.version == version) {
            return;
        }
        let list = read(path).unwrap_or_else(|why| everything(why, None));
        if let Ok(mut kept) = self.list.write() {
            if let Some(why) = list.everything.filter(|_| kept.everything != list.everything) {
                tracing::error!("everything is revoked: {why}");
            }
            *kept = list;
        }
    }
}

fn everything(why: &'static str, version: Option<Version>) -> List {
    List { everything: Some(why), blocks: HashSet::new(), version }
}

fn version(file: &Metadata) -> Version {
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

/// A file that was changed just now may change again without another time: it has no version yet, and is read each time.
fn settled(version: Version) -> Option<Version> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let before = i128::try_from(now).ok()?.saturating_sub(TICK);
    let [_, _, modified, changed] = version;
    (modified < before && changed < before).then_some(version)
}

fn read(path: &Path) -> Result<List, &'static str> {
    let unreadable = |_| "the list cannot be read";
    let mut file = File::open(path).map_err(unreadable)?;
    let before = version(&file.metadata().map_err(unreadable)?);
    let stable = settled(before);
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    if version(&file.metadata().map_err(unreadable)?) != before {
        return Err("the list was changed while it was read");
    }
    // Where the end is missing, or in the middle, there may have been more.
    let mut lines: Vec<_> = text.lines().map(str::trim).collect();
    if lines.pop() != Some(END) {
        return Ok(everything("the list has no last line `# end`", stable));
    }
    if lines.contains(&END) {
        return Ok(everything("the list has more than one end", stable));
    }
    // A line that is no id was meant to revoke something.
    let ids = lines.into_iter().filter(|line| !line.is_empty() && !line.starts_with('#'));
    match ids.map(str::parse).collect() {
        Ok(blocks) => Ok(List { everything: None, blocks, version: stable }),
        Err(_) => Ok(everything("a line of the list is no id of a block", stable)),
    }
}

impl Revoke for Revocation {
    fn is_revoked(&self, link: &Link<'_>) -> bool {
        // A list that cannot be looked into revokes.
        self.list.read().map_or(true, |list| list.everything.is_some() || list.blocks.contains(link.block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a second change would have another time depends on the file system, so its clock is not asked.
    #[test]
    fn what_changed_just_now_is_read_again() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i128);
        assert!(now > 0);
        let long_ago = now - 2 * TICK;
        for (modified, changed, is_kept) in [
            (long_ago, long_ago, true),
            (now, long_ago, false),
            (long_ago, now, false),
            (now + TICK, now + TICK, false),
            (now - TICK / 2, now - TICK / 2, false),
        ] {
            assert_eq!(settled([1, 2, modified, changed]).is_some(), is_kept, "{modified} {changed}, {now}");
        }
    }
}
