//! Error recovery: where to resume parsing, and what the user may have meant.

use system::Diagnostic;
use system::suggest::edit_distance;

use super::Parser;
use super::words::starts_expression;
use crate::lex::TokenKind;

/// The number of tokens to look ahead after an error: enough for any reasonable expression, and a bound on the time
/// spent on a hopeless file.
const LOOK_AHEAD: usize = 500;

/// Line starts and indentation: layout reveals the intent where the tokens do not.
pub(super) struct Lines {
    /// Byte offsets of the line and of its first visible character.
    starts: Vec<(u32, u32)>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Lines {
        let mut starts = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let blank = line.len() - line.trim_start().len();
            let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            starts.push((clamp(offset), clamp(offset + blank)));
            offset += line.len();
        }
        Lines { starts }
    }

    /// The index of the line that contains an offset.
    fn line(&self, offset: u32) -> usize {
        self.starts
            .partition_point(|&(start, _)| start <= offset)
            .saturating_sub(1)
    }

    /// Counted from 1.
    pub(super) fn number(&self, offset: u32) -> usize {
        self.line(offset) + 1
    }

    pub(super) fn column(&self, offset: u32) -> u32 {
        let start = self.starts.get(self.line(offset)).map_or(0, |&(start, _)| start);
        offset.saturating_sub(start)
    }

    /// The column of the first visible character of the line.
    pub(super) fn indentation(&self, offset: u32) -> u32 {
        self.starts
            .get(self.line(offset))
            .map_or(0, |&(start, visible)| visible - start)
    }
}

impl Parser<'_> {
    pub(super) fn first_on_line(&self, position: usize) -> bool {
        let start = self.token_at(position).span.start;
        match position.checked_sub(1) {
            Some(previous) => {
                let end = self.token_at(previous).span.end.saturating_sub(1);
                self.lines.line(end) < self.lines.line(start)
            }
            None => true,
        }
    }

    // Misspelt keywords.

    /// Whether the current token is a name similar to `keyword`, where no name can be.
    pub(super) fn at_misspelt(&self, keyword: &str) -> bool {
        let next = self.peek_at(1);
        self.at(TokenKind::Identifier)
            && !matches!(
                next,
                TokenKind::Assign | TokenKind::Dot | TokenKind::LeftBracket | TokenKind::LeftParenthesis
            )
            && misspells(self.slice(self.span()), keyword)
    }

    pub(super) fn report_misspelt(&mut self, keyword: &str) {
        let diagnostic = Diagnostic::error(self.span(), format!("unknown keyword {}", self.found()))
            .label(format!("expected `{keyword}`"))
            .help(format!("did you mean `{keyword}`?"));
        self.report_here(diagnostic);
    }

    /// If the current name resembles one of the keywords: reports it and replaces it by that keyword.
    pub(super) fn correct_keyword(&mut self, keywords: &[(&str, TokenKind)]) -> bool {
        if !self.at(TokenKind::Identifier) {
            return false;
        }
        let word = self.slice(self.span()).to_ascii_lowercase();
        let best = keywords
            .iter()
            .filter(|(keyword, _)| misspells(&word, keyword))
            .min_by_key(|(keyword, _)| edit_distance(&word, keyword));
        let Some(&(keyword, kind)) = best else { return false };
        self.report_misspelt(keyword);
        // The rest may have errors of its own.
        self.last_error = None;
        self.tokens[self.position].kind = kind;
        true
    }

    // Skipping.

    /// Advances to the next `kind` in the same statement, if there is one.
    pub(super) fn find_ahead(&mut self, kind: TokenKind) -> bool {
        let found = self.ahead(kind);
        self.position = found.unwrap_or(self.position);
        found.is_some()
    }

    /// The position of the next `kind` in the same statement.
    pub(super) fn ahead(&self, kind: TokenKind) -> Option<usize> {
        let mut nested = 0_usize;
        for position in self.position..self.tokens.len().min(self.position + LOOK_AHEAD) {
            let here = self.token_at(position).kind;
            match here {
                _ if here == kind && nested == 0 => return Some(position),
                TokenKind::Forall | TokenKind::Exists => nested += 1,
                _ if here.is_end() && nested > 0 => nested -= 1,
                TokenKind::EndOfFile => return None,
                _ if starts_item(here) => return None,
                TokenKind::Assign if kind == TokenKind::Arrow => {}
                _ if nested == 0 && self.stops_expression(position) => return None,
                _ => {}
            }
        }
        None
    }

    /// The position of the rule's `==>`, even after a broken guard.
    pub(super) fn arrow_ahead(&self) -> Option<usize> {
        use TokenKind::*;
        for position in self.position..self.tokens.len().min(self.position + LOOK_AHEAD) {
            match self.token_at(position).kind {
                Arrow => return Some(position),
                EndOfFile | Semicolon | Begin => return None,
                kind if starts_item(kind) || starts_statement(kind) => return None,
                _ => {}
            }
        }
        None
    }

    /// The distance to the token after the designator or call that starts at the cursor.
    pub(super) fn after_designator(&self) -> usize {
        let mut brackets = 0_usize;
        let mut distance = 1;
        while distance < LOOK_AHEAD {
            match self.peek_at(distance) {
                TokenKind::LeftBracket | TokenKind::LeftParenthesis => brackets += 1,
                TokenKind::RightBracket | TokenKind::RightParenthesis if brackets > 0 => brackets -= 1,
                TokenKind::EndOfFile | TokenKind::Semicolon => break,
                TokenKind::Dot => distance += 1,
                _ if brackets == 0 => break,
                _ => {}
            }
            distance += 1;
        }
        distance
    }

    /// Whether no expression extends over this token (except quantified ones, which contain `do` and `end`).
    fn stops_expression(&self, position: usize) -> bool {
        use TokenKind::*;
        let kind = self.token_at(position).kind;
        kind.is_end()
            || starts_item(kind)
            || starts_block_statement(kind)
            || matches!(
                kind,
                Semicolon
                    | EndOfFile
                    | Assign
                    | Arrow
                    | Then
                    | Do
                    | Else
                    | Elsif
                    | Case
                    | Begin
                    | Put
                    | Clear
                    | Undefine
                    | Return
            )
    }

    /// After an error inside brackets: advances to the closing bracket, if it is in the same expression.
    pub(super) fn find_closing(&mut self, closing: TokenKind) -> bool {
        let found = self.closing_ahead(closing);
        self.position = found.unwrap_or(self.position);
        found.is_some()
    }

    /// The position of the bracket that closes the enclosing ones.
    pub(super) fn closing_ahead(&self, closing: TokenKind) -> Option<usize> {
        let mut brackets = 0_usize;
        let mut nested = 0_usize;
        for position in self.position..self.tokens.len().min(self.position + LOOK_AHEAD) {
            let kind = self.token_at(position).kind;
            match kind {
                _ if kind == closing && brackets == 0 && nested == 0 => return Some(position),
                TokenKind::LeftParenthesis | TokenKind::LeftBracket | TokenKind::LeftBrace => brackets += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket | TokenKind::RightBrace => {
                    brackets = brackets.checked_sub(1)?;
                }
                TokenKind::Forall | TokenKind::Exists => nested += 1,
                _ if kind.is_end() && nested > 0 => nested -= 1,
                TokenKind::Do if nested > 0 => {}
                _ if self.stops_expression(position) => return None,
                _ => {}
            }
        }
        None
    }

    /// After an error inside a quantified expression: advances to its `end`, if it is in the same expression.
    pub(super) fn find_end(&mut self) {
        let mut nested = 0_usize;
        for position in self.position..self.tokens.len().min(self.position + LOOK_AHEAD) {
            let kind = self.token_at(position).kind;
            match kind {
                _ if kind.is_end() && nested == 0 => {
                    self.position = position;
                    return;
                }
                _ if kind.is_end() => nested -= 1,
                TokenKind::Forall | TokenKind::Exists => nested += 1,
                TokenKind::Do => {}
                _ if self.stops_expression(position) => return,
                _ => {}
            }
        }
    }

    // Constructs of other languages.

    /// If the current token is an operator of another language: reports it and replaces it by ours.
    pub(super) fn correct_operator(&mut self) {
        let (kind, ours) = match self.peek() {
            TokenKind::LessGreater => (TokenKind::NotEqual, "!="),
            TokenKind::EqualLess => (TokenKind::LessEqual, "<="),
            TokenKind::FatArrow if !self.ends_guard() => (TokenKind::Implies, "->"),
            TokenKind::Assign if self.comparing => {
                self.report(
                    Diagnostic::error(self.span(), "`:=` assigns, but a value is needed here")
                        .label("this is no comparison")
                        .help("write `=` to compare"),
                );
                self.tokens[self.position].kind = TokenKind::Equal;
                return;
            }
            TokenKind::Identifier if starts_expression(self.peek_at(1)) => {
                match self.slice(self.span()).to_ascii_lowercase().as_str() {
                    "and" => (TokenKind::Ampersand, "&"),
                    "or" => (TokenKind::Pipe, "|"),
                    "mod" => (TokenKind::Percent, "%"),
                    "div" => (TokenKind::Slash, "/"),
                    "xor" => (TokenKind::NotEqual, "!="),
                    "implies" => (TokenKind::Implies, "->"),
                    "iff" => (TokenKind::Equal, "="),
                    _ => return,
                }
            }
            _ => return,
        };
        self.report_foreign(ours);
        self.tokens[self.position].kind = kind;
    }

    fn report_foreign(&mut self, ours: &str) {
        let diagnostic = Diagnostic::error(self.span(), format!("unknown operator {}", self.found()))
            .label(format!("written `{ours}` in Murphi"))
            .help(format!("replace it by `{ours}`"));
        self.report(diagnostic);
    }

    /// Whether the current `=>` is meant as the `==>` after the guard of a rule.
    fn ends_guard(&self) -> bool {
        self.in_guard && self.ahead(TokenKind::Arrow).is_none()
    }

    /// `not` for `!`, reported.
    pub(super) fn at_word_for_not(&mut self) -> bool {
        let found = self.at_undeclared_word("not")
            && matches!(
                self.peek_at(1),
                TokenKind::Identifier
                    | TokenKind::LeftParenthesis
                    | TokenKind::Bang
                    | TokenKind::Forall
                    | TokenKind::Exists
                    | TokenKind::IsUndefined
            );
        if found {
            self.report_foreign("!");
        }
        found
    }

    /// Replaces a misspelt `forall` or `exists` by the keyword.
    pub(super) fn correct_quantifier(&mut self) -> bool {
        self.peek_at(1) == TokenKind::Identifier
            && matches!(self.peek_at(2), TokenKind::Colon | TokenKind::Assign)
            && self.ahead(TokenKind::Do).is_some()
            && self.correct_keyword(&[("forall", TokenKind::Forall), ("exists", TokenKind::Exists)])
    }

    // Skipping.

    /// Skips an expression that is nested too deeply, to where the enclosing expression continues.
    pub(super) fn skip_expression(&mut self) {
        let mut brackets = 0_usize;
        let mut nested = 0_usize;
        let mut conditionals = 0_usize;
        loop {
            let kind = self.peek();
            match kind {
                TokenKind::Question if nested == 0 && brackets == 0 => conditionals += 1,
                TokenKind::Colon if nested == 0 && brackets == 0 => {
                    if conditionals == 0 {
                        return;
                    }
                    conditionals -= 1;
                }
                TokenKind::LeftParenthesis | TokenKind::LeftBracket | TokenKind::LeftBrace => brackets += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket | TokenKind::RightBrace => {
                    if brackets == 0 {
                        return;
                    }
                    brackets -= 1;
                }
                TokenKind::Forall | TokenKind::Exists => nested += 1,
                _ if kind.is_end() && nested > 0 => nested -= 1,
                TokenKind::Do | TokenKind::Assign if nested > 0 => {}
                _ if self.stops_expression(self.position) => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to the end of a statement: its `;`, or where another statement or part of a block clearly starts.
    pub(super) fn skip_statement(&mut self) {
        let mut nested = 0_usize;
        loop {
            let kind = self.peek();
            let new_line = self.first_on_line(self.position);
            if kind == TokenKind::EndOfFile || starts_item(kind) {
                return;
            }
            if nested == 0 {
                let next = self.peek_at(1);
                let assignment = kind == TokenKind::Identifier && next == TokenKind::Assign;
                let boundary = kind.is_end()
                    || matches!(
                        kind,
                        TokenKind::Semicolon | TokenKind::Else | TokenKind::Elsif | TokenKind::Case | TokenKind::Begin
                    );
                if boundary || (new_line && (assignment || starts_statement(kind))) {
                    return;
                }
            }
            match kind {
                TokenKind::Forall | TokenKind::Exists => nested += 1,
                _ if starts_block_statement(kind) => nested += 1,
                _ if kind.is_end() => nested = nested.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips a block from its opening keyword to its `end`.
    pub(super) fn skip_block(&mut self) {
        let mut nested = 0_usize;
        while !self.at(TokenKind::EndOfFile) {
            let kind = self.peek();
            if opens_block(kind) {
                nested += 1;
            }
            self.advance();
            if kind.is_end() {
                nested = nested.saturating_sub(1);
            }
            if nested == 0 {
                return;
            }
        }
    }

    /// Skips a broken declaration: past its `;`, or to the next item.
    pub(super) fn skip_declaration(&mut self) {
        let mut brackets = 0_usize;
        let mut records = 0_usize;
        loop {
            let kind = self.peek();
            match kind {
                TokenKind::EndOfFile => return,
                _ if starts_item(kind) || kind == TokenKind::Begin => return,
                TokenKind::Semicolon if brackets == 0 && records == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::LeftParenthesis => brackets += 1,
                TokenKind::RightParenthesis => brackets = brackets.saturating_sub(1),
                TokenKind::Record => records += 1,
                _ if kind.is_end() => {
                    if records == 0 {
                        return;
                    }
                    records -= 1;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to the next item. Inside a ruleset, also to its `end`: the first one outside the skipped blocks that is
    /// not indented further than the ruleset.
    pub(super) fn skip_to_item(&mut self) {
        let margin = self
            .open
            .last()
            .map(|block| self.lines.indentation(block.opening.start));
        let mut nested = 0_usize;
        loop {
            let kind = self.peek();
            if kind == TokenKind::EndOfFile || starts_item(kind) || kind == TokenKind::Invariant {
                return;
            }
            if kind.is_end() {
                if let (0, Some(margin)) = (nested, margin) {
                    let further_right =
                        self.first_on_line(self.position) && self.lines.column(self.span().start) > margin;
                    if !further_right {
                        return;
                    }
                }
                nested = nested.saturating_sub(1);
            } else if starts_block_statement(kind) || matches!(kind, TokenKind::Forall | TokenKind::Exists) {
                nested += 1;
            } else if self.first_on_line(self.position) && self.item_word().is_some() {
                return;
            }
            self.advance();
        }
    }

    /// Reports once per file that something is nested too deeply.
    pub(super) fn report_too_deep(&mut self, what: &str) {
        if !self.depth.reported {
            self.depth.reported = true;
            let limit = super::MAXIMUM_NESTING;
            self.report(
                Diagnostic::error(self.span(), format!("{what} are nested more than {limit} levels deep"))
                    .label("this level is one too many")
                    .help("give parts of it names of their own"),
            );
        }
    }
}

/// Keywords that only start an item. (`invariant`, `assert` and `alias` also start statements.)
pub(super) fn starts_item(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Const | Type | Var | Function | Procedure | Rule | Ruleset | Startstate
    )
}

pub(super) fn starts_block_statement(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, If | For | While | Switch | Alias)
}

/// Keywords that start a statement.
pub(super) fn starts_statement(kind: TokenKind) -> bool {
    use TokenKind::*;
    starts_block_statement(kind) || matches!(kind, Assert | Clear | Error | Invariant | Put | Return | Undefine)
}

fn opens_block(kind: TokenKind) -> bool {
    use TokenKind::*;
    starts_block_statement(kind)
        || matches!(
            kind,
            Forall | Exists | Record | Rule | Ruleset | Startstate | Function | Procedure
        )
}

/// Whether `word` is likely a misspelt `keyword`. Short keywords are too similar to short names for more than swapped
/// letters.
pub(super) fn misspells(word: &str, keyword: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if word.len().abs_diff(keyword.len()) > 2 {
        return false;
    }
    match (keyword.len(), edit_distance(&word, keyword)) {
        (0..=3, 1) => anagram(&word, keyword),
        (4.., 0 | 1) => true,
        (6.., 2) => word.as_bytes().first() == keyword.as_bytes().first(),
        _ => false,
    }
}

fn anagram(left: &str, right: &str) -> bool {
    let sorted = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    sorted(left) == sorted(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (left, right, expected) in [
            ("rule", "rule", 0),
            ("strtstate", "startstate", 1),
            ("tehn", "then", 1),
            ("invarient", "invariant", 1),
            ("procedrue", "procedure", 1),
            ("", "end", 3),
        ] {
            assert_eq!(edit_distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn short_names_are_not_misspelt_keywords() {
        assert!(misspells("od", "do"));
        assert!(misspells("thn", "then"));
        assert!(!misspells("d", "do"));
        assert!(!misspells("x", "if"));
        assert!(!misspells("i", "if"));
        assert!(!misspells("state", "startstate"));
    }
}
