//! Rules, startstates, properties, and constructs around them.

use system::{Diagnostic, Span};

use super::blocks::BlockKind;
use super::recovery::{starts_item, starts_statement};
use super::words::{ItemWord, starts_expression};
use super::{MAXIMUM_NESTING, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Block, Expression, PropertyKind, RuleItem};

/// Keywords that start a rule or the like, as corrections of misspelt ones.
pub(super) const RULE_KEYWORDS: &[(&str, TokenKind)] = &[
    ("rule", TokenKind::Rule),
    ("ruleset", TokenKind::Ruleset),
    ("startstate", TokenKind::Startstate),
    ("invariant", TokenKind::Invariant),
    ("assert", TokenKind::Assert),
    ("alias", TokenKind::Alias),
];

impl Parser<'_> {
    /// The rule, property or group of them that starts here, if any.
    pub(super) fn rule_item(&mut self) -> Option<Option<RuleItem>> {
        if !self.at_rule_item() {
            return None;
        }
        if self.depth.rules >= MAXIMUM_NESTING {
            self.report_too_deep("rulesets");
            self.skip_block();
            return Some(None);
        }
        self.depth.rules += 1;
        let item = self.rule_kind();
        self.depth.rules -= 1;
        Some(item)
    }

    fn at_rule_item(&self) -> bool {
        use TokenKind::*;
        matches!(self.peek(), Rule | Startstate | Ruleset | Alias | Invariant | Assert)
            || (self.at(Text) && self.arrow_ahead().is_some())
            || self.at_ruleset_without_keyword()
            || matches!(
                self.item_word(),
                Some(ItemWord::Assume | ItemWord::Cover | ItemWord::Liveness | ItemWord::Choose)
            )
    }

    /// `i: T do` where an item should start.
    pub(super) fn at_ruleset_without_keyword(&self) -> bool {
        use TokenKind::*;
        let tokens = [0, 1, 2, 3].map(|distance| self.peek_at(distance));
        tokens == [Identifier, Colon, Identifier, Do]
    }

    fn rule_kind(&mut self) -> Option<RuleItem> {
        let kind = match (self.peek(), self.item_word()) {
            (TokenKind::Rule, _) => {
                let start = self.keyword();
                return Some(self.rule(start));
            }
            (TokenKind::Text, _) => {
                let start = self.span();
                self.report_without_keyword("rule", "a rule", "a name");
                return Some(self.rule(start));
            }
            (TokenKind::Startstate, _) => return Some(self.startstate()),
            (TokenKind::Ruleset, _) => {
                let start = self.keyword();
                return Some(self.ruleset(start));
            }
            (TokenKind::Alias, _) => return Some(self.alias_rules()),
            _ if self.at_ruleset_without_keyword() => {
                self.report_without_keyword("ruleset", "a rule", "a group of rules");
                return Some(self.ruleset(self.span()));
            }
            (_, Some(ItemWord::Choose)) => return self.choose(),
            (_, Some(ItemWord::Assume)) => PropertyKind::Assumption,
            (_, Some(ItemWord::Cover)) => PropertyKind::Cover,
            (_, Some(ItemWord::Liveness)) => PropertyKind::Liveness,
            _ => PropertyKind::Invariant,
        };
        Some(self.property(kind))
    }

    fn property(&mut self, kind: PropertyKind) -> RuleItem {
        let start = self.advance();
        let (formula, name) = self.named_condition();
        RuleItem::Property {
            kind,
            name,
            formula,
            span: self.since(start),
        }
    }

    fn startstate(&mut self) -> RuleItem {
        let start = self.advance();
        self.open(BlockKind::Startstate, start);
        let name = self.optional_text();
        let span = self.since(start);
        let body = self.block();
        self.close();
        RuleItem::Start { name, body, span }
    }

    /// From its priority or name on.
    fn rule(&mut self, start: Span) -> RuleItem {
        self.open(BlockKind::Rule, start);
        let priority = self.priority();
        let name = self.optional_text();
        let span = self.since(start);
        let guard = self.guard(start);
        let body = self.block();
        self.close();
        RuleItem::Rule {
            priority,
            name,
            guard,
            body,
            span,
        }
    }

    /// CMurphi's `rule 3 "name"`: of the enabled rules, only those with the least number fire. The default is 0.
    fn priority(&mut self) -> i64 {
        let next = self.peek_at(1);
        let follows = matches!(next, TokenKind::Text | TokenKind::Begin | TokenKind::Number)
            || starts_statement(next)
            || matches!(
                next,
                TokenKind::Identifier | TokenKind::Forall | TokenKind::Exists | TokenKind::Bang
            );
        if !self.at(TokenKind::Number) || !follows {
            return 0;
        }
        let span = self.advance();
        self.number(span)
    }

    /// `condition ==>`, if there is one.
    fn guard(&mut self, start: Span) -> Option<Expression> {
        let expected = starts_expression(self.peek()) && !self.at_statement_without_guard();
        let broken = !expected && !starts_statement(self.peek()) && self.arrow_ahead().is_some();
        if !expected && !broken {
            return None;
        }
        self.in_guard = true;
        let guard = self.condition();
        self.in_guard = false;
        if self.at(TokenKind::Arrow) {
            self.keyword();
            return Some(guard);
        }
        if self.at(TokenKind::FatArrow) {
            let diagnostic = Diagnostic::error(self.span(), "expected `==>`, found `=>`")
                .label("the guard of a rule ends with `==>`")
                .help("write `==>`");
            self.report_here(diagnostic);
            self.advance();
            return Some(guard);
        }
        let diagnostic = match self.unmatched_bracket() {
            Some(diagnostic) => diagnostic,
            None => self.missing("`==>`").related(start, "after the guard of this rule"),
        };
        self.report_here(diagnostic);
        if let Some(position) = self.arrow_ahead() {
            self.position = position;
            self.advance();
        } else if !starts_statement(self.peek()) && !self.at(TokenKind::Identifier) {
            self.skip_statement();
        } else {
            self.last_error = None;
        }
        Some(guard)
    }

    /// Whether the following is no guard but the first statement of a rule without one. The Murphi manual permits such
    /// a rule, but neither tool's parser can look ahead that far.
    fn at_statement_without_guard(&self) -> bool {
        if !self.at(TokenKind::Identifier) || self.ahead(TokenKind::Arrow).is_some() {
            return false;
        }
        if self.statement_word().is_some() {
            return true;
        }
        let next = self.peek_at(self.after_designator());
        matches!(next, TokenKind::Assign | TokenKind::Semicolon) || next.is_end()
    }

    /// From the binders on.
    fn ruleset(&mut self, start: Span) -> RuleItem {
        self.open(BlockKind::Ruleset, start);
        let binders = self.binders();
        self.expect_do();
        let span = self.since(start);
        let rules = self.rules();
        self.close();
        RuleItem::Ruleset { binders, rules, span }
    }

    fn alias_rules(&mut self) -> RuleItem {
        let start = self.advance();
        self.open(BlockKind::Alias, start);
        let aliases = self.aliases();
        let span = self.since(start);
        let rules = self.rules();
        self.close();
        RuleItem::Alias { aliases, rules, span }
    }

    /// `choose i: multiset do rules end`
    fn choose(&mut self) -> Option<RuleItem> {
        let start = self.advance();
        self.open(BlockKind::Choose, start);
        let name = self.declared_identifier("a name for the element");
        self.expect_colon();
        let multiset = self.postfixed_expression();
        self.expect_do();
        let span = self.since(start);
        let rules = self.rules();
        self.close();
        name.map(|name| RuleItem::Choose {
            name,
            multiset,
            rules,
            span,
        })
    }

    /// The rules inside a ruleset, alias or choose, up to its `end`.
    fn rules(&mut self) -> Vec<RuleItem> {
        use TokenKind::*;
        let mut rules = Vec::new();
        loop {
            self.skip_semicolons();
            if self.peek().is_end() || self.at_end_of_choose() {
                return rules;
            }
            match self.peek() {
                EndOfFile => return rules,
                Const | Type | Var | Function | Procedure if self.lift_declaration() => continue,
                Const | Type | Var | Function | Procedure => return rules,
                _ => {}
            }
            if let Some(rule) = self.rule_item() {
                rules.extend(rule);
                self.end_of_rule();
            } else if self.item_word().is_some() {
                return rules;
            } else if !self.correct_keyword(RULE_KEYWORDS) {
                let mut diagnostic = self.expected("a rule");
                if self.at_statement() {
                    diagnostic = diagnostic.help("statements stand inside rules; is there an `end` too many before?");
                }
                self.report_here(diagnostic);
                self.skip_to_item();
            }
        }
    }

    /// A misplaced declaration inside a ruleset. False if the ruleset more likely lacks its `end`.
    fn lift_declaration(&mut self) -> bool {
        let Some(block) = self.open.last().copied() else {
            return false;
        };
        if self.lines.column(self.span().start) <= self.lines.indentation(block.opening.start) {
            return false;
        }
        let diagnostic = Diagnostic::error(
            self.span(),
            format!("{} inside of `{}`", self.found(), self.slice(block.opening)),
        )
        .label("only rules and properties can stand here")
        .related(block.opening, "in here")
        .help("move it before, or close this with `end` first");
        self.report_here(diagnostic);
        self.last_error = None;
        let mut items = Vec::new();
        self.declaration(&mut items);
        self.lifted.append(&mut items);
        true
    }

    /// After a rule or property: `;` is optional, but only another item can follow.
    pub(super) fn end_of_rule(&mut self) {
        use TokenKind::*;
        let fits = match self.peek() {
            Semicolon | EndOfFile | Invariant | Assert | Alias => true,
            Identifier => {
                self.item_word().is_some()
                    || self.at_end_of_choose()
                    || self.looks_like_keyword()
                    || self.at_statement()
            }
            kind => kind.is_end() || starts_item(kind),
        };
        if !fits {
            let diagnostic = self.missing("`;`");
            self.report_here(diagnostic);
            self.skip_to_item();
        }
    }

    /// Declarations, `begin` and statements: the body of a rule, startstate or subprogram.
    pub(super) fn block(&mut self) -> Block {
        let mut declarations = Vec::new();
        while matches!(self.peek(), TokenKind::Const | TokenKind::Type | TokenKind::Var) {
            self.section(&mut declarations, true);
        }
        self.eat(TokenKind::Begin);
        let statements = self.statements();
        declarations.append(&mut self.misplaced);
        Block {
            declarations,
            statements,
        }
    }
}
