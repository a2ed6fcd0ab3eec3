//! What a grant says, for a person: block by block, amounts with currency, times in UTC.

use crate::caveat::{Amount, Caveat};
use crate::chain::VerifiedGrant;
use crate::consent::MatchedConsent;
use crate::grant::{Block, Grant};
use crate::proposal::Proposal;
use core::fmt;

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "grant {}", self.id())?;
        writeln!(f, "principal {}", self.issuer())?;
        write!(f, "holder {}", self.holder())?;
        self.blocks().enumerate().try_for_each(|(index, block)| write_block(f, index, block))
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grant({}, {} blocks)", self.id(), self.blocks().len())
    }
}

impl fmt::Display for VerifiedGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.grant(), f)
    }
}

impl fmt::Debug for VerifiedGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifiedGrant({}, {} blocks)", self.id(), self.grant().blocks().len())
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block")
            .field("id", self.id())
            .field("prev", &self.prev())
            .field("subject", self.subject())
            .field("issued_at", &self.issued_at())
            .field("caveats", &self.caveats())
            .finish_non_exhaustive()
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, index: usize, block: &Block) -> fmt::Result {
    write!(f, "\nblock {index} {}", block.id())?;
    write!(f, "\n  issued {} to {}", Utc(block.issued_at()), block.subject())?;
    block.caveats().iter().try_for_each(|caveat| write!(f, "\n  {caveat}"))
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(ids) => write_list(f, "only at these services:", ids),
            Self::Verbs(verbs) => write_list(f, "only these verbs:", verbs),
            Self::Capabilities(patterns) => write_list(f, "only these capabilities:", patterns),
            Self::Expires(time) => write!(f, "until {}", Utc(*time)),
            Self::NotBefore(time) => write!(f, "not before {}", Utc(*time)),
            Self::Only(hash) => write!(f, "COMMIT only of the proposal {}", Visible(hash)),
            Self::PerCommit(most) => write!(f, "a COMMIT at most {most}"),
            Self::Spend(most) => write!(f, "in total at most {most}"),
            Self::Risk(most) => write!(f, "risk at most {}", most.as_str()),
            Self::Unknown(json) => write!(f, "never: unknown caveat {}", Visible(json)),
            Self::Malformed(json) => write!(f, "never: malformed caveat {}", Visible(json)),
        }
    }
}

/// One text a line, so that none can pass for two, or for what stands around it.
fn write_list(f: &mut fmt::Formatter<'_>, what: &str, list: &[alloc::string::String]) -> fmt::Result {
    f.write_str(what)?;
    if list.is_empty() {
        f.write_str(" none at all")?;
    }
    list.iter().try_for_each(|text| write!(f, "\n    {}", Visible(text)))
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} minor units of {}", self.minor(), Visible(self.currency()))
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.terms();
        write!(f, "proposal {}", Visible(terms.id()))?;
        write!(f, "\n  capability: {}", Visible(terms.capability()))?;
        write!(f, "\n  summary: {}", Visible(terms.summary()))?;
        for effect in self.effects() {
            write!(f, "\n  effect: {}", Visible(effect.op()))?;
            write!(f, "\n    target: {}", Visible(effect.target()))?;
            for (key, value) in effect.others() {
                write!(f, "\n    member: {}\n      is: {}", Visible(key), Visible(value))?;
            }
        }
        match terms.cost() {
            Some(cost) => write!(f, "\n  cost: {cost}")?,
            None => f.write_str("\n  cost: none")?,
        }
        write!(f, "\n  risk: {}", terms.risk().as_str())?;
        match terms.undo() {
            Some(window) if window > 0 => write!(f, "\n  undo: for {window} seconds")?,
            Some(_) | None => f.write_str("\n  undo: not possible")?,
        }
        write!(f, "\n  expires: {}", Utc(terms.expires()))?;
        write!(f, "\n  hash: {}", Visible(terms.hash()))
    }
}

impl fmt::Display for MatchedConsent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "for {}", self.principal())?;
        writeln!(f, "asked by the service {}", Visible(self.service()))?;
        fmt::Display::fmt(self.proposal(), f)
    }
}

/// Somebody else's text in quotation marks, on one line, with nothing in it that is invisible or reorders what stands
/// around it. Letters of scripts that are written from right to left stay as they are; so it stands at the end of its line.
pub(crate) struct Visible<'t>(pub(crate) &'t str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        f.write_char('"')?;
        self.0.chars().try_for_each(|character| match character {
            '\'' => f.write_char(character),
            // Letters and signs without a glyph, to the standard library as good as any.
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}'
            | '\u{ffa0}' | '\u{13441}' | '\u{13442}' | '\u{1d159}' => {
                character.escape_unicode().try_for_each(|shown| f.write_char(shown))
            }
            // Control and format characters, separators, marks that sit on another character, and what is not assigned.
            _ => character.escape_debug().try_for_each(|shown| f.write_char(shown)),
        })?;
        f.write_char('"')
    }
}

/// A time in unix seconds as a date and time of day in UTC, in the proleptic Gregorian calendar.
pub(crate) struct Utc(pub(crate) i64);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.0.div_euclid(86_400), self.0.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let (hour, minute, second) =
            (second.div_euclid(3_600), second.div_euclid(60).rem_euclid(60), second.rem_euclid(60));
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

/// Year, month and day of a count of days since 1970-01-01. Years are counted from March here, so that the leap
/// day is the last of its year, and in eras of 400 years, which all have 146097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    // No i64 of seconds has more than 2^47 days, so nothing here comes near an overflow.
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leap_days =
        day.div_euclid(1_460).saturating_sub(day.div_euclid(36_524)).saturating_add(day.div_euclid(146_096));
    let year = day.saturating_sub(leap_days).div_euclid(365);
    let before =
        year.saturating_mul(365).saturating_add(year.div_euclid(4)).saturating_sub(year.div_euclid(100));
    let day = day.saturating_sub(before);
    let month = day.saturating_mul(5).saturating_add(2).div_euclid(153);
    let first = month.saturating_mul(153).saturating_add(2).div_euclid(5);
    let (month, shift) = if month < 10 { (month.saturating_add(3), 0) } else { (month.saturating_sub(9), 1) };
    let year = era.saturating_mul(400).saturating_add(year).saturating_add(shift);
    (year, month, day.saturating_sub(first).saturating_add(1))
}
