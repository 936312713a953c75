//! Makes text from files safe to print: no character controls the terminal or reorders the text.

use std::borrow::Cow;

/// Characters with an effect instead of a glyph: control characters, and those that change the writing direction or
/// have no width.
pub fn is_hostile(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

/// Escapes such characters by code point, as in `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_hostile(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Escapes them in JSON, where they occur in strings only and have a different notation.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hostile(character) {
            let units = character.encode_utf16(&mut [0; 2]).to_vec();
            units.iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_reaches_the_terminal_as_a_command() {
        let name = "a\u{1b}[31mb\u{7}c\u{202e}d\u{9b}e\u{200b}f\r\n\tä";
        assert_eq!(
            printable(name),
            "a\\u{1b}[31mb\\u{7}c\\u{202e}d\\u{9b}e\\u{200b}f\\u{d}\n\tä"
        );
        assert_eq!(printable("plain ä €"), "plain ä €");
    }

    #[test]
    fn json_stays_json() {
        let object = "{\"name\": \"a\u{202e}b\u{e0001}\u{7f}\"}";
        let shown = printable_json(object);
        assert_eq!(shown, "{\"name\": \"a\\u202eb\\udb40\\udc01\\u007f\"}");
        assert!(!shown.contains(is_hostile));
    }
}
