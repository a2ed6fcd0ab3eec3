//! Other spellings of the same JSON.

use crate::hand::{Json, quote};

/// A source of choices that one generated number decides.
pub struct Dice(pub u64);

impl Dice {
    /// Below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % sides as u64) as usize
    }

    fn space(&mut self, out: &mut String) {
        while self.roll(3) == 0 {
            out.push([' ', '\t', '\n', '\r'][self.roll(4)]);
        }
    }
}

/// Any spelling that RFC 8259 allows, but for the numbers, which stay as they are.
pub fn anyhow(value: &Json, dice: &mut Dice) -> String {
    let mut out = String::new();
    write(value, dice, &mut out);
    out
}

fn write(value: &Json, dice: &mut Dice, out: &mut String) {
    dice.space(out);
    match value {
        Json::Text(text) => string(text, dice, out),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, dice, out);
            }
            dice.space(out);
            out.push(']');
        }
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            for at in 1..members.len() {
                members.swap(at, dice.roll(at + 1));
            }
            out.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                dice.space(out);
                string(key, dice, out);
                dice.space(out);
                out.push(':');
                write(value, dice, out);
            }
            dice.space(out);
            out.push('}');
        }
        scalar => *out += &scalar.plain(),
    }
    dice.space(out);
}

fn string(text: &str, dice: &mut Dice, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        let plain = quote(&character.to_string());
        match dice.roll(4) {
            0 => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| *out += &escape(*unit, dice)),
            1 if character == '/' => *out += "\\/",
            _ => *out += &plain[1..plain.len() - 1],
        }
    }
    out.push('"');
}

fn escape(unit: u16, dice: &mut Dice) -> String {
    if dice.roll(2) == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") }
}

/// The strings, numbers, words and signs of a JSON text without white space.
pub fn lexemes(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let mut lexeme = String::from(character);
        if character == '"' {
            while let Some(next) = characters.next() {
                lexeme.push(next);
                match next {
                    '"' => break,
                    '\\' => lexeme.extend(characters.next()),
                    _ => {}
                }
            }
        } else if !"{}[]:,".contains(character) {
            while let Some(next) = characters.next_if(|next| !"{}[]:,".contains(*next)) {
                lexeme.push(next);
            }
        }
        out.push(lexeme);
    }
    out
}

/// One way to spell a canonical text otherwise.
#[derive(Clone, Debug)]
pub enum Odd {
    /// White space before a lexeme, or at the end.
    Space(char),
    /// A byte order mark.
    Mark,
    /// Something after the end.
    After(&'static str),
    /// A character of a string as `\u`.
    Escape { upper: bool },
    /// A slash with a backslash.
    Slash,
    /// An integer in another form.
    Number(&'static str),
    /// A number from zero, negated.
    MinusZero,
    /// Two members of an object change places.
    Swap,
    /// A member once more: with the same value, or with null before or after it.
    Twice(Option<bool>),
}

/// The text spelled otherwise at one of the places where that can be done; `None` when there is none.
pub fn oddly(value: &Json, odd: &Odd, dice: &mut Dice) -> Option<String> {
    if let Odd::Swap | Odd::Twice(_) = odd {
        let mut value = value.sorted();
        let mut at = dice.roll(objects(&mut value, odd, None));
        objects(&mut value, odd, Some((&mut at, dice)));
        return Some(value.plain());
    }
    let text = value.canonical();
    let mut parts = lexemes(&text);
    let is_there = |part: &String| match odd {
        Odd::Space(_) => true,
        Odd::Escape { .. } => part.len() > 2 && part.starts_with('"'),
        Odd::Slash => part.contains('/'),
        Odd::Number(_) => part.parse::<i64>().is_ok(),
        Odd::MinusZero => part == "0",
        Odd::Mark | Odd::After(_) | Odd::Swap | Odd::Twice(_) => false,
    };
    let places: Vec<usize> = (0..parts.len()).filter(|at| is_there(&parts[*at])).collect();
    if let Odd::Mark = odd {
        return Some(format!("\u{feff}{text}"));
    }
    if let Odd::After(more) = odd {
        return Some(text + more);
    }
    if places.is_empty() {
        return None;
    }
    let part = &mut parts[places[dice.roll(places.len())]];
    *part = match odd {
        Odd::Space(space) if dice.roll(2) == 0 => format!("{space}{part}"),
        Odd::Space(space) => format!("{part}{space}"),
        Odd::Slash => part.replacen('/', "\\/", 1),
        Odd::Number(form) => form.replace('n', part),
        Odd::MinusZero => "-0".into(),
        Odd::Escape { upper } => respell_character(part, *upper, dice),
        Odd::Mark | Odd::After(_) | Odd::Swap | Odd::Twice(_) => unreachable!("done above"),
    };
    Some(parts.concat()).filter(|other| *other != text)
}

/// One character of a string's text as a `\\u` escape, or with other digits in one that is there.
fn respell_character(string: &str, upper: bool, dice: &mut Dice) -> String {
    let mut units: Vec<String> = Vec::new();
    let mut characters = string[1..string.len() - 1].chars();
    while let Some(character) = characters.next() {
        let mut unit = String::from(character);
        if character == '\\' {
            unit.extend(characters.next());
            if unit == "\\u" {
                unit.extend(characters.by_ref().take(4));
            }
        }
        units.push(unit);
    }
    let at = dice.roll(units.len());
    let character = match units[at].as_str() {
        "\\n" => '\n',
        "\\t" => '\t',
        "\\r" => '\r',
        "\\b" => '\u{8}',
        "\\f" => '\u{c}',
        escape if escape.len() == 6 && escape.starts_with('\\') => {
            char::from_u32(u32::from_str_radix(&escape[2..], 16).unwrap()).unwrap()
        }
        other => other.chars().last().unwrap(),
    };
    let hex = |unit: &u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    units[at] = character.encode_utf16(&mut [0; 2]).iter().map(hex).collect();
    format!("\"{}\"", units.concat())
}

/// Counts the objects that have enough members, or changes the one with this number.
fn objects(value: &mut Json, odd: &Odd, mut change: Option<(&mut usize, &mut Dice)>) -> usize {
    let mut count = 0;
    if let Json::Object(members) = value
        && members.len() > usize::from(matches!(odd, Odd::Swap))
    {
        count = 1;
        if let Some((at, dice)) = &mut change {
            if **at == 0 {
                match odd {
                    Odd::Twice(how) => {
                        let from = dice.roll(members.len());
                        let mut again = members[from].clone();
                        again.1 = if how.is_some() { Json::Null } else { again.1 };
                        members.insert(from + usize::from(*how == Some(true)), again);
                    }
                    _ => members.rotate_left(1),
                }
                **at = usize::MAX;
                return count;
            }
            **at -= 1;
        }
    }
    let inner: Vec<&mut Json> = match value {
        Json::List(items) => items.iter_mut().collect(),
        Json::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        _ => vec![],
    };
    for value in inner {
        count += objects(value, odd, change.as_mut().map(|(at, dice)| (&mut **at, &mut **dice)));
    }
    count
}
