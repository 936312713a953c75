//! What drawings have in common.

use system::printable;

/// Text for SVG and HTML. Tabs become blanks; what is no text is shown by its number.
pub fn escape(text: &str) -> String {
    let text = printable(text).replace('\t', " ");
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// About how wide a text is in the font of our drawings, at 12 pixels: rather too much than too little.
pub(crate) fn width(text: &str) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | '(' | ')' | '[' | ']' | ' ' => 4.2,
        'f' | 'r' | 't' => 4.8,
        'm' | 'w' => 10.0,
        'M' | 'W' | '→' | '↔' => 10.5,
        'A'..='Z' | '&' => 8.3,
        _ => 7.0,
    };
    text.chars().map(letter).sum()
}

/// Lines of at most so many letters, broken at blanks where there are some. Never none.
pub(crate) fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let letters = letters.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().collect();
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.len() > letters {
            lines.push(String::new());
        }
        // A word that is too long is broken, too.
        for (number, piece) in word.chunks(letters).enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.extend(piece);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            escape("a<b & \"c\"\t\u{7}\u{202e}"),
            "a&lt;b &amp; &quot;c&quot; \\u{7}\\u{202e}"
        );
    }

    #[test]
    fn text_is_wrapped() {
        assert_eq!(
            wrapped("home gives the right to write", 12),
            ["home gives", "the right to", "write"]
        );
        assert_eq!(wrapped("unbreakable it is", 4), ["unbr", "eaka", "ble", "it", "is"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
