//! What may stand in a text that a human is shown before they sign, and what must.

use crate::hand::Json;

/// Blocks whose characters take no place, reorder or join others, or have no agreed glyph.
const NOT_PLAIN: [(char, char); 27] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{a0}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    // Marks that sit on the character before.
    ('\u{300}', '\u{36f}'),
    ('\u{483}', '\u{489}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{1ab0}', '\u{1ace}'),
    ('\u{1dc0}', '\u{1dff}'),
    // Spaces, joiners, marks and embeddings of direction, line and paragraph ends.
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{20d0}', '\u{20f0}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    // For private use.
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{fe20}', '\u{fe2f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    // Tags, variation selectors and the planes for private use.
    ('\u{e0000}', '\u{10ffff}'),
];

pub fn is_plain(character: char) -> bool {
    let is_noncharacter = u32::from(character) & 0xfffe == 0xfffe;
    !is_noncharacter && !NOT_PLAIN.iter().any(|(first, last)| (first..=last).contains(&&character))
}

/// A line as it must be: words; or words and then somebody's text in quotation marks, or a time.
#[derive(Clone, Debug)]
pub enum Line {
    Words(String),
    Text(String, String),
    Time(&'static str, i64),
}

impl Line {
    pub fn text(words: &str, text: String) -> Self {
        Self::Text(words.into(), text)
    }

    pub fn is(&self, line: &str) -> bool {
        match self {
            Self::Words(words) => line == words,
            Self::Text(words, text) => line.strip_prefix(&**words).and_then(unquoted).as_ref() == Some(text),
            Self::Time(words, at) => line.strip_prefix(words).and_then(time) == Some(*at),
        }
    }
}

/// The text that stands here in quotation marks and with escapes, which nothing can end but the last character.
fn unquoted(quoted: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?.chars();
    while let Some(character) = rest.next() {
        text.push(match character {
            '"' => return None,
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let code = rest.as_str().strip_prefix('{')?.split_once('}')?.0;
                    rest = rest.as_str()[code.len() + 2..].chars();
                    char::from_u32(u32::from_str_radix(code, 16).ok()?)?
                }
                plain @ ('"' | '\\') => plain,
                _ => return None,
            },
            plain => plain,
        });
    }
    Some(text)
}

/// A time in UTC in unix seconds, by the calendar's own rules.
fn time(text: &str) -> Option<i64> {
    let (date, clock) = text.strip_suffix(" UTC")?.split_once(' ')?;
    let clock: Vec<&str> = clock.split(':').collect();
    let date: Vec<&str> = date.rsplitn(3, '-').collect();
    let ([hour, minute, second], [day, month, year]) = (clock.as_slice(), date.as_slice()) else {
        return None;
    };
    let below = |text: &str, end: i64| {
        let number: i64 = text.parse().ok().filter(|_| text.len() == 2)?;
        (0..end).contains(&number).then_some(number)
    };
    let (hour, minute, second) = (below(hour, 24)?, below(minute, 60)?, below(second, 60)?);
    let (month, day) = (below(month, 13)?, below(day, 32)?);
    let year: i64 = year.parse().ok()?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let months = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = &months[..usize::try_from(month - 1).ok()?];
    if day < 1 || day > months[before.len()] {
        return None;
    }
    let leap_days = |year: i64| {
        let before = year - 1;
        before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400)
    };
    let days = (year - 1970) * 365 + leap_days(year) - leap_days(1970) + before.iter().sum::<i64>() + day - 1;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// All that a proposal says, line by line (A9.6).
pub fn lines(proposal: &Json, hash: &str, expires: i64) -> Vec<Line> {
    let string = |of: &Json, name| match of.get(name) {
        Some(Json::Text(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    };
    let mut lines = vec![
        Line::text("proposal ", string(proposal, "id")),
        Line::text("  capability: ", string(proposal, "capability")),
        Line::text("  summary: ", string(proposal, "summary")),
    ];
    let Some(Json::List(effects)) = proposal.get("effects") else { panic!("{proposal:?}") };
    for effect in effects {
        lines.push(Line::text("  effect: ", string(effect, "op")));
        lines.push(Line::text("    target: ", string(effect, "target")));
        let Json::Object(others) = effect.without(&["op", "target"]).sorted() else { panic!("{effect:?}") };
        for (name, value) in others {
            lines.push(Line::text("    member: ", name));
            lines.push(Line::text("      is: ", value.canonical()));
        }
    }
    lines.push(match proposal.get("cost") {
        Some(cost @ Json::Object(_)) => {
            let amount = cost.get("amount").expect("well-formed").canonical();
            Line::text(&format!("  cost: {amount} minor units of "), string(cost, "currency"))
        }
        _ => Line::Words("  cost: none".into()),
    });
    lines.push(Line::Words(format!("  risk: {}", string(proposal, "risk"))));
    let window = proposal.get("undo").and_then(|undo| undo.get("window"));
    lines.push(Line::Words(match window {
        // None at all, or one of no length.
        None | Some(Json::Int(0)) => "  undo: not possible".into(),
        Some(window) => format!("  undo: for {} seconds", window.canonical()),
    }));
    lines.push(Line::Time("  expires: ", expires));
    lines.push(Line::text("  hash: ", hash.into()));
    lines
}
