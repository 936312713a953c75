//! Splits a byte stream into commands.

/// Bytes that were read and not executed yet.
#[derive(Default)]
pub(crate) struct Commands {
    pending: Vec<u8>,
    /// The number of open parentheses.
    depth: usize,
    inside: Inside,
}

/// Contexts in which parentheses do not count.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Nothing,
    Text,
    Quoted,
    Comment,
}

impl Commands {
    /// Adds bytes; returns the commands that are now complete.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let before = self.pending.len();
        let mut end = 0;
        for (position, byte) in bytes.iter().enumerate() {
            match (self.inside, byte) {
                (Inside::Text, b'"') | (Inside::Quoted, b'|') | (Inside::Comment, b'\n') => {
                    self.inside = Inside::Nothing;
                }
                (Inside::Text | Inside::Quoted | Inside::Comment, _) => {}
                (Inside::Nothing, b'"') => self.inside = Inside::Text,
                (Inside::Nothing, b'|') => self.inside = Inside::Quoted,
                (Inside::Nothing, b';') => self.inside = Inside::Comment,
                (Inside::Nothing, b'(') => self.depth += 1,
                (Inside::Nothing, b')') => {
                    // An unmatched parenthesis is an error for the parser to report.
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        end = before + position + 1;
                    }
                }
                (Inside::Nothing, _) => {}
            }
        }
        self.pending.extend(bytes);
        self.pending.drain(..end).collect()
    }

    /// The remaining bytes at the end of the stream, complete or not.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The complete commands after each piece of input.
    fn cut(pieces: &[&str]) -> Vec<String> {
        let mut commands = Commands::default();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let mut complete: Vec<String> = pieces
            .iter()
            .map(|piece| text(commands.take(piece.as_bytes())))
            .collect();
        complete.push(text(commands.rest()));
        complete
    }

    #[test]
    fn commands_come_out_when_they_are_complete() {
        assert_eq!(cut(&["(a (b", ") c)(d", ")"]), ["", "(a (b) c)", "(d)", ""]);
        assert_eq!(cut(&["(a)\n(b", ""]), ["(a)", "", "\n(b"]);
    }

    #[test]
    fn parentheses_that_do_not_count() {
        assert_eq!(
            cut(&["(a |)|", " \")\"\"", ")\"", ")"]),
            ["", "", "", "(a |)| \")\"\")\")", ""]
        );
        assert_eq!(cut(&["(a ; )", ")\n b", ")"]), ["", "", "(a ; ))\n b)", ""]);
    }

    #[test]
    fn one_too_many_comes_out() {
        assert_eq!(cut(&["(a))", "(b)"]), ["(a))", "(b)", ""]);
    }
}
