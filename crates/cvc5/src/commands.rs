//! Cuts a stream of bytes between commands.

/// What was read and not executed yet.
#[derive(Default)]
pub(crate) struct Commands {
    pending: Vec<u8>,
    /// How many parentheses are open.
    depth: usize,
    inside: Inside,
}

/// Where parentheses do not count.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Nothing,
    Text,
    Quoted,
    Comment,
}

impl Commands {
    /// Takes more bytes; returns the commands that are complete now.
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
                    // One too many is an error, which the parser is to see.
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

    /// What is left at the end of the stream, complete or not.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out after each of these pieces.
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
