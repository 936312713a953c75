//! Words and colours of reports.
//!
//! Names in a text come from files of others: no character of theirs may be a command to the terminal. The colours of
//! [`Paint`] are marks, which no file can guess; [`shown`] makes escape sequences of them, and shows each character
//! that would be a command by its number.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use system::printable;
pub use system::printable::grouped;

/// The mark in place of the escape character in texts of ours.
fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let private = |salt: u32| {
            // 65,534 characters of a plane that has no others.
            let number = u32::try_from(RandomState::new().hash_one(salt) % 0xfffe).unwrap_or(0);
            char::from_u32(0x0010_0000 + number).unwrap_or('\u{100000}')
        };
        (0..3).map(private).collect()
    })
}

/// A text whose escape sequences are colours only, and which is printable otherwise.
pub fn coloured(text: &str) -> String {
    text.replace('\x1b', mark())
}

/// The text as it is written.
pub fn shown(text: &str) -> String {
    let parts: Vec<_> = text.split(mark()).map(printable).collect();
    parts.join("\x1b")
}

/// Colours, or their absence.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    pub colour: bool,
}

impl Paint {
    pub fn stdout() -> Paint {
        Paint {
            colour: wanted() && io::stdout().is_terminal(),
        }
    }

    pub fn stderr() -> Paint {
        Paint {
            colour: wanted() && io::stderr().is_terminal(),
        }
    }

    /// For files.
    pub fn none() -> Paint {
        Paint { colour: false }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour {
            let mark = mark();
            format!("{mark}[{code}m{text}{mark}[0m")
        } else {
            text.to_owned()
        }
    }

    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub fn good(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    pub fn doubtful(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }
}

/// See <https://no-color.org>.
fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// `1 rule`, `2 rules`, `2 properties`.
pub fn counted(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_colours_reach_the_terminal() {
        let paint = Paint { colour: true };
        let name = "a\x1b[31mb\u{7}\u{202e}c\u{100000}";
        let text = format!("{} {name}\n", paint.bold(name));
        let plain = "a\\u{1b}[31mb\\u{7}\\u{202e}c\u{100000}";
        assert_eq!(shown(&text), format!("\x1b[1m{plain}\x1b[0m {plain}\n"));
        assert_eq!(shown(&coloured("\x1b[1mx\x1b[0m")), "\x1b[1mx\x1b[0m");
        assert_eq!(shown(&Paint::none().bad(name)), plain);
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn nouns_are_counted() {
        assert_eq!(counted(1, "rule"), "1 rule");
        assert_eq!(counted(0, "rule"), "0 rules");
        assert_eq!(counted(2, "property"), "2 properties");
    }

    #[test]
    fn items_are_listed() {
        let items = |n: usize| ["a", "b", "c"][..n].iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(listed(&items(1)), "a");
        assert_eq!(listed(&items(2)), "a and b");
        assert_eq!(listed(&items(3)), "a, b and c");
    }
}
