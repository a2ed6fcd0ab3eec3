//! What may stand in a text that a human is shown before they sign.

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
