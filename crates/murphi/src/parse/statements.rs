//! Statements.

use system::{Diagnostic, Span};

use super::blocks::BlockKind;
use super::recovery::{starts_block_statement, starts_item, starts_statement};
use super::words::{StatementWord, starts_expression};
use super::{MAXIMUM_NESTING, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Alias, Binder, PutArgument, Statement, StatementKind};

/// A statement, and the span of its header if it has a body; `None` if it is beyond repair.
pub(super) type ParsedStatement = Option<(StatementKind, Option<Span>)>;

impl Parser<'_> {
    /// Statements up to a word that closes or continues an enclosing block.
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            self.skip_semicolons();
            if self.at_end_of_statements() {
                return statements;
            }
            let before = self.position;
            self.after_brace = false;
            statements.extend(self.statement());
            if self.at(TokenKind::Semicolon) || self.after_brace || self.at_end_of_statements() {
                continue;
            }
            let next_starts = starts_statement(self.peek()) || self.at_name_of_statement();
            if !self.failed_here() && next_starts {
                let diagnostic = self.missing("`;`");
                self.report_here(diagnostic);
                // The next statement may have errors of its own.
                self.last_error = None;
            } else {
                let diagnostic = self.unmatched_bracket().unwrap_or_else(|| self.missing("`;`"));
                self.report_here(diagnostic);
                self.skip_statement();
            }
            if self.position == before {
                self.advance();
            }
        }
    }

    /// A name that can start a statement, and is not a superfluous one in the previous statement.
    fn at_name_of_statement(&self) -> bool {
        self.at(TokenKind::Identifier)
            && (self.first_on_line(self.position)
                || self.at_use_of_name()
                || self.statement_word().is_some()
                || starts_expression(self.peek_at(1)))
    }

    /// Whether the list of statements ends here. Misplaced tokens are reported and skipped.
    fn at_end_of_statements(&mut self) -> bool {
        loop {
            if self.at_keyword() && self.peek_at(1) == TokenKind::Assign {
                return false;
            }
            match self.peek() {
                TokenKind::EndOfFile => return true,
                kind if kind.is_end() || self.at_closing_brace() => return true,
                TokenKind::Const | TokenKind::Type | TokenKind::Var => {
                    if !self.misplaced_declaration() {
                        return true;
                    }
                }
                kind if starts_item(kind) => return true,
                TokenKind::Else | TokenKind::Elsif | TokenKind::Case => {
                    if self.continues_open_block() {
                        return true;
                    }
                    self.stray_branch();
                }
                TokenKind::Begin => {
                    let diagnostic = Diagnostic::error(self.span(), "unexpected `begin`")
                        .label("not needed here")
                        .help("blocks start with `then` or `do`; `begin` only stands before the body of a rule");
                    self.report_here(diagnostic);
                    self.advance();
                }
                TokenKind::Identifier => {
                    return self.at_end_of_choose()
                        || self.at_default()
                        || (self.statement_word().is_none() && self.at_item_in_rule());
                }
                _ => return false,
            }
        }
    }

    /// `default:` in a `switch`, for `else`.
    fn at_default(&self) -> bool {
        self.at_word("default")
            && self.peek_at(1) == TokenKind::Colon
            && self.open.last().is_some_and(|block| block.kind == BlockKind::Switch)
    }

    /// A message, if the current token is an unmatched closing bracket.
    pub(super) fn unmatched_bracket(&self) -> Option<Diagnostic> {
        let opening = match self.peek() {
            TokenKind::RightParenthesis => "(",
            TokenKind::RightBracket => "[",
            TokenKind::RightBrace => "{",
            _ => return None,
        };
        let message = format!("{} without `{opening}`", self.found());
        Some(Diagnostic::error(self.span(), message).label("nothing is open here"))
    }

    /// An item that starts with a context-dependent keyword, where a statement could be: two consecutive names are no
    /// statement.
    fn at_item_in_rule(&self) -> bool {
        let next = self.peek_at(1);
        self.item_word().is_some()
            && (next == TokenKind::Identifier || next == TokenKind::Text)
            && self.first_on_line(self.position)
    }

    /// `var` and the like among statements. False if it starts an item instead, because an `end` is missing.
    fn misplaced_declaration(&mut self) -> bool {
        let Some(outermost) = self.open.iter().rev().find(|block| block.kind.has_declarations()) else {
            return false;
        };
        if self.lines.column(self.span().start) <= self.lines.indentation(outermost.opening.start) {
            return false;
        }
        let diagnostic = Diagnostic::error(self.span(), format!("{} after the first statement", self.found()))
            .label("declarations come first")
            .help("move it before the `begin` of the rule, function or procedure");
        self.report_here(diagnostic);
        self.last_error = None;
        let mut items = Vec::new();
        self.section(&mut items, true);
        self.misplaced.append(&mut items);
        true
    }

    /// `else`, `elsif` or `case` without an enclosing block that takes it.
    fn stray_branch(&mut self) {
        let owner = if self.at(TokenKind::Case) { "switch" } else { "if" };
        let diagnostic = Diagnostic::error(self.span(), format!("{} without `{owner}`", self.found()))
            .label(format!("no `{owner}` is open here"))
            .help(format!(
                "is there an `end` too many before it, or is the `{owner}` missing?"
            ));
        self.report_here(diagnostic);
        match self.peek() {
            TokenKind::Else => {
                self.advance();
            }
            TokenKind::Elsif => {
                self.advance();
                self.condition();
                self.expect_then();
            }
            _ => {
                self.advance();
                self.case_values();
            }
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        if self.depth.statements >= MAXIMUM_NESTING {
            self.report_too_deep("statements");
            match starts_block_statement(self.peek()) {
                true => self.skip_block(),
                false => self.skip_statement(),
            }
            return None;
        }
        if self.at_keyword() && self.peek_at(1) == TokenKind::Assign {
            let diagnostic = Diagnostic::error(self.span(), format!("{} is a keyword", self.found()))
                .label("cannot be the name of a variable");
            self.report_here(diagnostic);
            self.advance();
            self.advance();
            self.expression();
            return None;
        }
        self.depth.statements += 1;
        let start = self.span();
        let statement = self.statement_kind(start);
        self.depth.statements -= 1;
        let (kind, header) = statement?;
        let span = header.unwrap_or(self.since(start));
        Some(Statement { kind, span })
    }

    /// The statement that starts here.
    pub(super) fn statement_kind(&mut self, start: Span) -> ParsedStatement {
        match self.peek() {
            TokenKind::If => {
                self.keyword();
                return self.if_statement(start);
            }
            TokenKind::For => {
                self.keyword();
                return self.for_statement(start);
            }
            TokenKind::While => {
                self.keyword();
                return self.while_statement(start);
            }
            TokenKind::Switch => {
                self.keyword();
                return self.switch(start);
            }
            TokenKind::Alias => return self.alias_statement(),
            _ => {}
        }
        let kind = match self.peek() {
            TokenKind::Assert | TokenKind::Invariant => self.assertion(),
            TokenKind::Clear => {
                self.advance();
                StatementKind::Clear(self.postfixed_expression())
            }
            TokenKind::Undefine => {
                self.advance();
                StatementKind::Undefine(self.postfixed_expression())
            }
            TokenKind::Error => self.error_statement(),
            TokenKind::Put => {
                self.advance();
                StatementKind::Put(match self.optional_text() {
                    Some(text) => PutArgument::Text(text),
                    None => PutArgument::Expression(self.expression()),
                })
            }
            TokenKind::Return => {
                self.advance();
                StatementKind::Return(starts_expression(self.peek()).then(|| self.expression()))
            }
            TokenKind::Identifier => match self.statement_word() {
                Some(word) => self.word_statement(word)?,
                None => return self.assignment_or_call(start),
            },
            kind => {
                if starts_expression(kind)
                    && let Some(statement) = self.without_keyword(start)
                {
                    return statement;
                }
                let diagnostic = self.unmatched_bracket().unwrap_or_else(|| self.expected("a statement"));
                self.report_here(diagnostic);
                return None;
            }
        };
        Some((kind, None))
    }

    /// `assert condition "message"`, or the message first; `invariant` means the same as a statement.
    fn assertion(&mut self) -> StatementKind {
        self.advance();
        let (condition, message) = self.named_condition();
        StatementKind::Assert { condition, message }
    }

    /// A formula with its optional name before or after it.
    pub(super) fn named_condition(&mut self) -> (crate::syntax::Expression, Option<String>) {
        let name = self.optional_text();
        let condition = self.condition();
        let name = name.or_else(|| self.optional_text());
        (condition, name)
    }

    fn error_statement(&mut self) -> StatementKind {
        self.advance();
        let message = self.optional_text().unwrap_or_else(|| {
            let diagnostic = self.missing("a text in quotes");
            self.report_here(diagnostic);
            String::new()
        });
        StatementKind::Error(message)
    }

    fn word_statement(&mut self, word: StatementWord) -> Option<StatementKind> {
        let start = self.advance();
        match word {
            StatementWord::Assume => {
                let (condition, message) = self.named_condition();
                Some(StatementKind::Assume { condition, message })
            }
            StatementWord::Cover => {
                let (condition, _) = self.named_condition();
                self.report(
                    Diagnostic::warning(start, "`cover` inside a rule is not counted")
                        .label("its condition is evaluated, and nothing more"),
                );
                Some(StatementKind::If {
                    branches: vec![(condition, Vec::new())],
                    otherwise: Vec::new(),
                })
            }
            StatementWord::Liveness => {
                self.named_condition();
                self.report(
                    Diagnostic::error(start, "`liveness` cannot be a statement")
                        .label("it speaks about all states, not about one")
                        .help("write it outside of rules; note that safety only is checked"),
                );
                None
            }
            StatementWord::Havoc => Some(self.havoc()),
            StatementWord::MultisetAdd => {
                let opening = self.advance();
                let element = self.expression();
                self.expect(TokenKind::Comma, ",");
                let multiset = self.expression();
                self.expect_closing(TokenKind::RightParenthesis, ")", opening);
                Some(StatementKind::MultisetAdd { element, multiset })
            }
            StatementWord::MultisetRemove => {
                let opening = self.advance();
                let index = self.expression();
                self.expect(TokenKind::Comma, ",");
                let multiset = self.expression();
                self.expect_closing(TokenKind::RightParenthesis, ")", opening);
                Some(StatementKind::MultisetRemove { index, multiset })
            }
            StatementWord::MultisetRemoveIf => {
                let opening = self.advance();
                let element = self.multiset_element();
                let condition = self.condition();
                self.expect_closing(TokenKind::RightParenthesis, ")", opening);
                let (name, multiset) = element?;
                Some(StatementKind::MultisetRemoveIf {
                    name,
                    multiset,
                    condition,
                })
            }
        }
    }

    /// `havoc a, b where formula`, after the keyword.
    fn havoc(&mut self) -> StatementKind {
        let mut targets = vec![self.postfixed_expression()];
        while self.eat(TokenKind::Comma) {
            targets.push(self.postfixed_expression());
        }
        let misspelt = !self.at_word("where") && self.at_misspelt("where");
        if misspelt {
            self.report_misspelt("where");
        }
        let constraint = (misspelt || self.at_word("where")).then(|| {
            self.advance();
            self.condition()
        });
        StatementKind::Havoc { targets, constraint }
    }

    // Statements with a body.

    /// From the condition on.
    pub(super) fn if_statement(&mut self, start: Span) -> ParsedStatement {
        self.open(BlockKind::If, start);
        let condition = self.condition();
        self.expect_then();
        let header = self.since(start);
        let mut branches = vec![(condition, self.statements())];
        let mut otherwise = Vec::new();
        let mut final_else = None;
        loop {
            let here = self.span();
            if let (TokenKind::Else | TokenKind::Elsif, Some(earlier)) = (self.peek(), final_else) {
                let diagnostic = Diagnostic::error(here, format!("{} after `else`", self.found()))
                    .label("`else` must be the last branch")
                    .related(earlier, "the `else` of this `if`");
                self.report_here(diagnostic);
            }
            if self.eat(TokenKind::Elsif) {
                let condition = self.condition();
                self.expect_then();
                branches.push((condition, self.statements()));
            } else if self.eat(TokenKind::Else) {
                final_else = Some(here);
                if self.at(TokenKind::If) && !self.first_on_line(self.position) && self.hints.else_if.is_none() {
                    self.hints.else_if = Some(here.to(self.span()));
                }
                otherwise = self.statements();
            } else {
                break;
            }
        }
        self.close();
        Some((StatementKind::If { branches, otherwise }, Some(header)))
    }

    fn expect_then(&mut self) {
        if !self.accept_brace("then") {
            self.expect_soon(TokenKind::Then, "then");
        }
    }

    /// From the subject on.
    pub(super) fn switch(&mut self, start: Span) -> ParsedStatement {
        self.open(BlockKind::Switch, start);
        let subject = self.condition();
        if let Some(diagnostic) = self.unmatched_bracket() {
            self.report_here(diagnostic);
        }
        if self.failed_here() {
            self.find_ahead(TokenKind::Case);
        }
        let header = self.since(start);
        let mut cases = Vec::new();
        let mut otherwise = None;
        loop {
            if self.eat(TokenKind::Case) {
                let values = self.case_values();
                cases.push((values, self.statements()));
            } else if self.at_default() || self.at(TokenKind::Else) {
                if self.at_default() {
                    let diagnostic = Diagnostic::error(self.span(), "unknown keyword `default`")
                        .label("expected `else`")
                        .help("write `else` for all other values");
                    self.report(diagnostic);
                }
                self.advance();
                self.eat(TokenKind::Colon);
                otherwise = Some(self.statements());
            } else if self.at(TokenKind::Identifier) || starts_statement(self.peek()) {
                let diagnostic = self
                    .expected("`case`, `else` or `end`")
                    .related(start, "in this `switch`");
                self.report_here(diagnostic);
                self.last_error = None;
                let before = self.span();
                self.statements();
                // An item may begin here: then there are neither statements nor an `end`.
                if self.span() == before {
                    break;
                }
            } else {
                break;
            }
        }
        self.close();
        let kind = StatementKind::Switch {
            subject,
            cases,
            otherwise,
        };
        Some((kind, Some(header)))
    }

    /// `a, b:` after `case`.
    fn case_values(&mut self) -> Vec<crate::syntax::Expression> {
        let mut values = Vec::new();
        while !self.at(TokenKind::Colon) {
            values.push(self.condition());
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_soon(TokenKind::Colon, ":");
        values
    }

    /// `for i: T do ... end`, from the binders on; CMurphi permits several binders, which are nested loops.
    pub(super) fn for_statement(&mut self, start: Span) -> ParsedStatement {
        self.open(BlockKind::For, start);
        let binders = self.binders();
        self.expect_do();
        let header = self.since(start);
        let mut body = self.statements();
        self.close();
        let mut binders: Vec<Binder> = binders;
        // A missing binder was reported; the body is useless without its variable.
        let first = if binders.is_empty() {
            return None;
        } else {
            binders.remove(0)
        };
        for binder in binders.into_iter().rev() {
            let kind = StatementKind::For { binder, body };
            body = vec![Statement { kind, span: header }];
        }
        Some((StatementKind::For { binder: first, body }, Some(header)))
    }

    /// From the condition on.
    pub(super) fn while_statement(&mut self, start: Span) -> ParsedStatement {
        self.open(BlockKind::While, start);
        let condition = self.condition();
        self.expect_do();
        let header = self.since(start);
        let body = self.statements();
        self.close();
        Some((StatementKind::While { condition, body }, Some(header)))
    }

    fn alias_statement(&mut self) -> ParsedStatement {
        let start = self.advance();
        self.open(BlockKind::Alias, start);
        let aliases = self.aliases();
        let header = self.since(start);
        let body = self.statements();
        self.close();
        Some((StatementKind::Alias { aliases, body }, Some(header)))
    }

    /// `a: b; c, d: e do`, for a statement or for rules. `,` instead of `;` is Murphi 1.
    ///
    /// In Rumur, `: e` does not name `e`; in CMurphi, `:` means `do`: after a first alias it is the latter.
    pub(super) fn aliases(&mut self) -> Vec<Alias> {
        let mut aliases = Vec::new();
        while self.at(TokenKind::Identifier) || (self.at(TokenKind::Colon) && aliases.is_empty()) {
            let names = self.declared_identifiers("the name of an alias");
            let target = self.expect_colon().then(|| self.expression());
            for name in names {
                let target = target.clone();
                aliases.extend(target.map(|target| Alias { name, target }));
            }
            if self.at(TokenKind::Comma) {
                let diagnostic = self.expected("`;`").help("aliases are separated by `;`");
                self.report_here(diagnostic);
                self.advance();
            } else if self.failed_here() {
                self.skip_alias();
            }
            self.skip_semicolons();
        }
        self.expect_do();
        aliases
    }

    /// Skips to the end of a broken alias.
    fn skip_alias(&mut self) {
        use TokenKind::*;
        while !matches!(self.peek(), Semicolon | Do | Assign | EndOfFile)
            && !self.peek().is_end()
            && !starts_item(self.peek())
            && !starts_statement(self.peek())
        {
            self.advance();
        }
    }
}
