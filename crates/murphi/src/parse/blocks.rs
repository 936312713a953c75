//! Blocks, the words that close them, and diagnostics for unclosed ones.

use system::{Diagnostic, Span};

use super::Parser;
use crate::lex::TokenKind;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockKind {
    Alias,
    Choose,
    Exists,
    For,
    Forall,
    Function,
    If,
    Procedure,
    Record,
    Rule,
    Ruleset,
    Startstate,
    Switch,
    While,
}

impl BlockKind {
    fn keyword(self) -> &'static str {
        match self {
            BlockKind::Alias => "alias",
            BlockKind::Choose => "choose",
            BlockKind::Exists => "exists",
            BlockKind::For => "for",
            BlockKind::Forall => "forall",
            BlockKind::Function => "function",
            BlockKind::If => "if",
            BlockKind::Procedure => "procedure",
            BlockKind::Record => "record",
            BlockKind::Rule => "rule",
            BlockKind::Ruleset => "ruleset",
            BlockKind::Startstate => "startstate",
            BlockKind::Switch => "switch",
            BlockKind::While => "while",
        }
    }

    /// Whether this word, longer than `end`, closes the block. Rumur lets functions and procedures share theirs.
    fn closed_by(self, kind: TokenKind) -> bool {
        match self {
            BlockKind::Alias => kind == TokenKind::EndAlias,
            BlockKind::Choose => false,
            BlockKind::Exists => kind == TokenKind::EndExists,
            BlockKind::For => kind == TokenKind::EndFor,
            BlockKind::Forall => kind == TokenKind::EndForall,
            BlockKind::Function | BlockKind::Procedure => {
                matches!(kind, TokenKind::EndFunction | TokenKind::EndProcedure)
            }
            BlockKind::If => kind == TokenKind::EndIf,
            BlockKind::Record => kind == TokenKind::EndRecord,
            BlockKind::Rule => kind == TokenKind::EndRule,
            BlockKind::Ruleset => kind == TokenKind::EndRuleset,
            BlockKind::Startstate => kind == TokenKind::EndStartstate,
            BlockKind::Switch => kind == TokenKind::EndSwitch,
            BlockKind::While => kind == TokenKind::EndWhile,
        }
    }

    /// Whether this word starts another part of the block.
    fn continued_by(self, kind: TokenKind) -> bool {
        match self {
            BlockKind::If => matches!(kind, TokenKind::Else | TokenKind::Elsif),
            BlockKind::Switch => matches!(kind, TokenKind::Else | TokenKind::Case),
            _ => false,
        }
    }

    /// Whether declarations may precede its statements.
    pub(super) fn has_declarations(self) -> bool {
        matches!(
            self,
            BlockKind::Function | BlockKind::Procedure | BlockKind::Rule | BlockKind::Startstate
        )
    }

    /// The token that opens the block.
    fn opening(self) -> Option<TokenKind> {
        match self {
            BlockKind::Alias => Some(TokenKind::Alias),
            BlockKind::Choose => None,
            BlockKind::Exists => Some(TokenKind::Exists),
            BlockKind::For => Some(TokenKind::For),
            BlockKind::Forall => Some(TokenKind::Forall),
            BlockKind::Function => Some(TokenKind::Function),
            BlockKind::If => Some(TokenKind::If),
            BlockKind::Procedure => Some(TokenKind::Procedure),
            BlockKind::Record => Some(TokenKind::Record),
            BlockKind::Rule => Some(TokenKind::Rule),
            BlockKind::Ruleset => Some(TokenKind::Ruleset),
            BlockKind::Startstate => Some(TokenKind::Startstate),
            BlockKind::Switch => Some(TokenKind::Switch),
            BlockKind::While => Some(TokenKind::While),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OpenBlock {
    pub(super) kind: BlockKind,
    /// The keyword that opened it.
    pub(super) opening: Span,
    /// Whether its body starts with `{`, as in other languages: reported, and `}` may close it.
    pub(super) braced: bool,
}

/// Observations in the current item that may explain a missing `end`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints {
    /// The first block whose `end` is indented less than the block: it may have taken another block's `end`.
    misaligned: Option<(OpenBlock, Span)>,
    /// The first `else if`, which opens a nested block.
    pub(super) else_if: Option<Span>,
}

impl Parser<'_> {
    pub(super) fn open(&mut self, kind: BlockKind, opening: Span) {
        self.open.push(OpenBlock {
            kind,
            opening,
            braced: false,
        });
    }

    /// Consumes the `end` of the innermost open block, or reports that it is missing.
    pub(super) fn close(&mut self) {
        let Some(block) = self.open.pop() else { return };
        let kind = self.peek();
        let choose_end = block.kind == BlockKind::Choose && self.at_word("endchoose");
        if kind == TokenKind::End || block.kind.closed_by(kind) || choose_end {
            self.note_alignment(block);
            self.advance();
            self.end_in_two_words(block.kind);
        } else if block.braced && kind == TokenKind::RightBrace {
            self.advance();
            self.after_brace = true;
        } else if self.at_misspelt(&format!("end{}", block.kind.keyword())) {
            self.report_misspelt(&format!("end{}", block.kind.keyword()));
            self.advance();
        } else if kind.is_end() && !self.belongs_to_outer(block) {
            let keyword = block.kind.keyword();
            let diagnostic = Diagnostic::error(self.span(), format!("{} does not close `{keyword}`", self.found()))
                .label(format!("expected `end` or `end{keyword}`"))
                .related(block.opening, "to close this");
            self.report_here(diagnostic);
            self.advance();
            // If the right word follows immediately, this one was superfluous.
            if self.at(TokenKind::Semicolon) && block.kind.closed_by(self.peek_at(1)) {
                self.advance();
            }
            if block.kind.closed_by(self.peek()) {
                self.advance();
            }
        } else {
            self.report_unclosed(block);
        }
    }

    /// Whether the current `endif` or the like closes a block around the innermost `block`, and not the latter with the
    /// wrong word. If both are possible, indentation decides.
    fn belongs_to_outer(&self, block: OpenBlock) -> bool {
        let kind = self.peek();
        let indentation = |block: &OpenBlock| self.lines.indentation(block.opening.start);
        let column = self.lines.column(self.span().start);
        let aligned = self.first_on_line(self.position) && column == indentation(&block);
        self.open
            .iter()
            .any(|outer| outer.kind.closed_by(kind) && !(aligned && column != indentation(outer)))
    }

    /// `{` where the body of the innermost block should start with `opening`.
    pub(super) fn accept_brace(&mut self, opening: &str) -> bool {
        if !self.at(TokenKind::LeftBrace) {
            return false;
        }
        let diagnostic = Diagnostic::error(self.span(), format!("expected `{opening}`, found `{{`"))
            .label(format!("expected `{opening}`"))
            .help(format!("a block is written `{opening} ... end`, without braces"));
        self.report_here(diagnostic);
        self.advance();
        if let Some(block) = self.open.last_mut() {
            block.braced = true;
        }
        true
    }

    /// The `}` of a block that started with `{`.
    pub(super) fn at_closing_brace(&self) -> bool {
        self.at(TokenKind::RightBrace) && self.open.last().is_some_and(|block| block.braced)
    }

    /// `endchoose`, which is a keyword of CMurphi only.
    pub(super) fn at_end_of_choose(&self) -> bool {
        self.at_word("endchoose") && self.open.iter().any(|block| block.kind == BlockKind::Choose)
    }

    /// Whether the current word (`else`, `elsif`, `case`) continues some open block.
    pub(super) fn continues_open_block(&self) -> bool {
        self.continues_open_block_with(self.peek())
    }

    pub(super) fn continues_open_block_with(&self, kind: TokenKind) -> bool {
        self.open.iter().any(|block| block.kind.continued_by(kind))
    }

    fn note_alignment(&mut self, block: OpenBlock) {
        let end = self.span();
        if self.hints.misaligned.is_none()
            && self.first_on_line(self.position)
            && self.lines.column(end.start) < self.lines.indentation(block.opening.start)
        {
            self.hints.misaligned = Some((block, end));
        }
    }

    /// `end if;` for `endif;`
    fn end_in_two_words(&mut self, kind: BlockKind) {
        let same_line = !self.first_on_line(self.position);
        let closes = matches!(self.peek_at(1), TokenKind::Semicolon | TokenKind::EndOfFile);
        if same_line && closes && kind.opening() == Some(self.peek()) {
            let keyword = kind.keyword();
            let span = self.previous_span().to(self.span());
            self.report(
                Diagnostic::error(span, format!("`end {keyword}` is written as one word"))
                    .label("two words")
                    .help(format!("write `end` or `end{keyword}`")),
            );
            self.advance();
        }
    }

    fn report_unclosed(&mut self, block: OpenBlock) {
        let (culprit, label) = match self.hints.misaligned {
            Some((inner, _)) => (inner, "this one may lack its `end`"),
            None => (block, "opened here"),
        };
        let keyword = block.kind.keyword();
        let mut diagnostic = Diagnostic::error(culprit.opening, format!("missing `end`: `{keyword}` is not closed"));
        diagnostic = diagnostic.label(label);
        if let Some((_, end)) = self.hints.misaligned {
            diagnostic = diagnostic
                .related(end, "this `end` closes it, though it stands further left")
                .related(block.opening, format!("this `{keyword}` is left open"));
        }
        if self.at(TokenKind::EndOfFile) {
            diagnostic.message += " at the end of the file";
        } else {
            diagnostic = diagnostic.related(self.span(), format!("expected `end` or `end{keyword}` before this"));
        }
        if let Some(span) = self.hints.else_if {
            let line = self.lines.number(span.start);
            diagnostic = diagnostic.help(format!(
                "the `else if` in line {line} opens a second `if`, which needs an `end` of its own; `elsif` does not"
            ));
        }
        self.report_here(diagnostic);
    }
}
