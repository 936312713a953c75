//! Error reporting and recovery.

use super::{Failed, MOST_ERRORS, Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use system::{Diagnostic, Severity, Span};

impl Parser<'_> {
    /// Reports an error about the next token, unless one was reported already.
    #[inline(never)]
    pub(super) fn report(&mut self, error: Diagnostic) -> Failed {
        let position = self.position;
        let is_known = self.last_error == Some(position)
            || self.strays.binary_search(&position).is_ok()
            || position.checked_sub(1).is_some_and(|before| self.is_broken(before));
        self.last_error = Some(position);
        if !is_known && !self.is_broken(position) {
            self.tell(error);
        }
        Failed
    }

    /// Reports a diagnostic unconditionally.
    #[inline(never)]
    pub(super) fn tell(&mut self, found: Diagnostic) {
        if self.is_silent {
            return;
        }
        let is_error = found.severity == Severity::Error;
        self.diagnostics.push(found);
        let errors = self
            .diagnostics
            .iter()
            .filter(|other| other.severity == Severity::Error);
        if is_error && errors.count() >= MOST_ERRORS {
            self.is_silent = true;
            let message = format!("further errors are not shown: there are {MOST_ERRORS}");
            self.diagnostics
                .push(Diagnostic::new(Severity::Note, self.here(), message));
        }
    }

    /// An unterminated literal, which was reported.
    fn is_broken(&self, number: usize) -> bool {
        let kind = self.tokens.get(number).map(|token| token.kind);
        matches!(kind, Some(Kind::UnclosedText | Kind::UnclosedCharacter))
    }

    /// A token as shown in messages.
    #[inline(never)]
    pub(super) fn found(&self) -> String {
        if self.at_end() {
            return "the end of the file".to_owned();
        }
        let text = self.token_text(self.position);
        if text.chars().count() > 30 {
            let start: String = text.chars().take(30).collect();
            return format!("`{start}...`");
        }
        format!("`{text}`")
    }

    /// Reports a missing construct.
    #[inline(never)]
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let mut error = Diagnostic::error(self.here(), format!("expected {what}, found {}", self.found()));
        if what.contains("name") && matches!(self.kind(), Kind::Word(_)) {
            error = error.help(format!("{} is a reserved word", self.found()));
        }
        self.report(error.label(format!("expected {what}")))
    }

    pub(super) fn expect(&mut self, mark: Mark) -> Parse<()> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(self.missing(mark, None))
    }

    /// Expects the closing bracket of another one.
    pub(super) fn expect_close(&mut self, mark: Mark, open: usize) -> Parse<()> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(self.missing(mark, Some(open)))
    }

    /// Whether the next token begins a line.
    pub(super) fn at_line_start(&self) -> bool {
        self.starts_line(self.position)
    }

    fn starts_line(&self, number: usize) -> bool {
        let Some(before) = number.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return true;
        };
        let start = self
            .tokens
            .get(number)
            .map_or(self.text.len(), |token| token.start as usize);
        let between = self.text.get(before.end as usize..start).unwrap_or("");
        between.contains('\n')
    }

    fn starts_in_first_column(&self, number: usize) -> bool {
        let start = self.tokens.get(number).map_or(0, |token| token.start as usize);
        start == 0 || self.text.as_bytes().get(start - 1) == Some(&b'\n')
    }

    /// The end of the last token, if the next one is on another line: there something is missing.
    pub(super) fn insertion(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(before) if self.at_line_start() || self.at_end() => {
                let span = self.span(before);
                Span {
                    start: span.end,
                    ..span
                }
            }
            _ => self.here(),
        }
    }

    #[inline(never)]
    fn missing(&mut self, mark: Mark, open: Option<usize>) -> Failed {
        let text = mark.text();
        let message = format!("expected `{text}`, found {}", self.found());
        let mut error = Diagnostic::error(self.insertion(), message).label(format!("expected `{text}`"));
        if let Some(open) = open {
            let bracket = self.token_text(open);
            error = error.related(self.span(open), format!("to match this `{bracket}`"));
        }
        self.report(error)
    }

    /// The end of a declaration or statement. If the next line begins a new one, only the semicolon is missing.
    pub(super) fn expect_semicolon(&mut self, behind: &str) -> Parse<()> {
        if self.eat(Mark::Semicolon) {
            return Ok(());
        }
        let message = format!("expected `;` behind {behind}, found {}", self.found());
        let error = Diagnostic::error(self.insertion(), message);
        let failed = self.report(error.label("expected `;`"));
        if self.at_line_start() || self.at(Mark::RightBrace) {
            return Ok(());
        }
        Err(failed)
    }

    /// Whether a keyword begins a statement.
    fn at_statement_word(&self) -> bool {
        use Word::{Break, Case, Continue, Default, Do, For, Goto, If, Return, Switch, While};
        let Kind::Word(word) = self.kind() else {
            return false;
        };
        matches!(
            word,
            Break | Case | Continue | Default | Do | For | Goto | If | Return | Switch | While
        )
    }

    /// Skips a bracket with its content.
    fn skip_balanced(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            match self.kind() {
                Kind::Mark(Mark::LeftBrace) => depth += 1,
                Kind::Mark(Mark::RightBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips behind the next `;`, to the brace that closes the block, or to what must be a new statement.
    pub(super) fn skip_statement(&mut self, start: usize) {
        while !self.at_end() {
            match self.kind() {
                Kind::Mark(Mark::Semicolon) => {
                    self.bump();
                    return;
                }
                Kind::Mark(Mark::RightBrace) => return,
                Kind::Mark(Mark::LeftBrace) => {
                    self.skip_balanced();
                    if self.at_line_start() {
                        return;
                    }
                }
                _ if self.position > start && self.at_line_start() && self.at_statement_word() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips behind the closing parenthesis after an error inside. False where it is not found; if a block follows,
    /// only the parenthesis is missing.
    pub(super) fn skip_to_close(&mut self, open: usize, may_hold_semicolons: bool) -> bool {
        let mut depth = 0_usize;
        let mut position = open;
        while let Some(token) = self.tokens.get(position) {
            let is_new = position > self.position && self.starts_line(position);
            match token.kind {
                Kind::Mark(Mark::LeftParenthesis) => depth += 1,
                Kind::Mark(Mark::RightParenthesis) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && position >= self.position {
                        self.position = position + 1;
                        return true;
                    }
                }
                Kind::Mark(Mark::LeftBrace) if position >= self.position => {
                    self.position = position;
                    return true;
                }
                Kind::Mark(Mark::RightBrace) | Kind::End if position >= self.position => return false,
                Kind::Mark(Mark::Semicolon) if position >= self.position && !may_hold_semicolons => return false,
                Kind::Word(_) if is_new => return false,
                _ => {}
            }
            position += 1;
        }
        false
    }

    /// Skips a declaration at file scope with an error in it.
    pub(super) fn skip_declaration(&mut self, start: usize) {
        while !self.at_end() {
            let is_new = self.position > start && self.starts_in_first_column(self.position);
            match self.kind() {
                Kind::Mark(Mark::Semicolon) => {
                    self.bump();
                    return;
                }
                Kind::Mark(Mark::LeftBrace) => {
                    self.skip_balanced();
                    if self.at_line_start() || self.at_end() {
                        return;
                    }
                }
                _ if is_new && self.at_declaration_start() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips to the next declaration that begins a line, after unbalanced braces.
    pub(super) fn skip_to_declaration(&mut self) {
        self.bump();
        while !(self.at_end() || (self.starts_in_first_column(self.position) && self.at_declaration_start())) {
            self.bump();
        }
    }

    /// Reports invalid tokens, and removes them.
    pub(super) fn remove_strays(&mut self) {
        let is_stray = |kind: Kind| matches!(kind, Kind::Stray | Kind::Directive | Kind::UnclosedComment);
        let mut kept = 0;
        for number in 0..self.tokens.len() {
            let kind = self.tokens[number].kind;
            self.position = number;
            if let Some(error) = self.lexical_error(kind) {
                self.tell(error);
            }
            if is_stray(kind) {
                self.strays.push(kept);
                continue;
            }
            self.tokens[kept] = self.tokens[number];
            self.spans[kept] = self.spans[number];
            kept += 1;
        }
        self.tokens.truncate(kept);
        self.spans.truncate(kept);
        self.position = 0;
    }

    fn lexical_error(&self, kind: Kind) -> Option<Diagnostic> {
        let span = self.here();
        let first = Span {
            end: span.end.min(span.start.saturating_add(2)),
            ..span
        };
        let error = match kind {
            Kind::Stray => {
                Diagnostic::error(span, format!("{} is no part of C", self.found())).label("unexpected here")
            }
            Kind::UnclosedComment => Diagnostic::error(first, "this comment has no end")
                .label("begins here")
                .help("write `*/` where it ends"),
            Kind::UnclosedText => Diagnostic::error(span, "this string has no end on its line")
                .label("the closing `\"` is missing")
                .help("write `\\n` for a new line in a string"),
            Kind::UnclosedCharacter => {
                Diagnostic::error(span, "this character has no end on its line").label("the closing `'` is missing")
            }
            Kind::Directive if is_marker(self.token_text(self.position)) => {
                Diagnostic::error(span, "this line marker cannot be understood")
                    .label("expected a number, and perhaps a name in quotes")
            }
            Kind::Directive => Diagnostic::error(span, "a directive is left after the preprocessor")
                .label("only line markers and pragmas may stand here")
                .help("a file whose name ends in `.c` goes through the preprocessor"),
            _ => return None,
        };
        Some(error)
    }
}

/// Whether a directive is meant as a line marker.
fn is_marker(text: &str) -> bool {
    let rest = text.trim_start_matches('#').trim_start();
    rest.starts_with(|first: char| first.is_ascii_digit()) || rest.split_ascii_whitespace().next() == Some("line")
}
