//! The file as a whole, declarations, functions and procedures.

use system::{Diagnostic, Span};

use super::Parser;
use super::blocks::{BlockKind, Hints};
use super::recovery::{starts_item, starts_statement};
use super::rules::RULE_KEYWORDS;
use super::words::ItemWord;
use crate::lex::TokenKind;
use crate::syntax::{Block, Identifier, Item, ParameterGroup, Program, Subprogram, TypeExpression, TypeKind};

/// Keywords that start a declaration, as corrections of misspelt ones.
const DECLARATION_KEYWORDS: &[(&str, TokenKind)] = &[
    ("const", TokenKind::Const),
    ("type", TokenKind::Type),
    ("var", TokenKind::Var),
    ("function", TokenKind::Function),
    ("procedure", TokenKind::Procedure),
];

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut items = Vec::new();
        loop {
            self.skip_semicolons();
            self.hints = Hints::default();
            if self.at(TokenKind::EndOfFile) {
                return Program { items };
            }
            let before = self.position;
            self.item(&mut items);
            if self.position == before {
                self.advance();
            }
        }
    }

    /// `index i: Node; formula`
    pub(super) fn formula_alone(&mut self) -> Program {
        let mut items = Vec::new();
        while matches!(self.item_word(), Some(ItemWord::Index)) {
            self.index(&mut items);
        }
        let formula = self.expression();
        let span = formula.span;
        items.push(Item::Predicate {
            name: None,
            formula,
            span,
        });
        self.skip_semicolons();
        if !self.at(TokenKind::EndOfFile) {
            let diagnostic = self.expected("the end of the formula");
            self.report_here(diagnostic);
        }
        Program { items }
    }

    fn item(&mut self, items: &mut Vec<Item>) {
        if self.declaration(items) {
            return;
        }
        if let Some(rule) = self.rule_item() {
            items.append(&mut self.lifted);
            items.extend(rule.map(Item::Rule));
            self.end_of_rule();
            return;
        }
        match self.item_word() {
            Some(ItemWord::Uninterpreted) => self.uninterpreted(items),
            Some(ItemWord::Index) => self.index(items),
            Some(ItemWord::Axiom) => {
                let (formula, name, span) = self.named_formula();
                items.push(Item::Axiom { name, formula, span });
            }
            Some(ItemWord::Predicate) => {
                let (formula, name, span) = self.named_formula();
                items.push(Item::Predicate { name, formula, span });
            }
            Some(ItemWord::ExternalFunction | ItemWord::ExternalProcedure) => self.external(items),
            Some(ItemWord::Pctl) => self.pctl(),
            _ if self.correct_keyword(RULE_KEYWORDS) || self.correct_keyword(DECLARATION_KEYWORDS) => self.item(items),
            _ => self.no_item(),
        }
    }

    /// Parses declarations of plain Murphi, if they start here.
    pub(super) fn declaration(&mut self, items: &mut Vec<Item>) -> bool {
        match self.peek() {
            TokenKind::Const | TokenKind::Type | TokenKind::Var => self.section(items, false),
            TokenKind::Function | TokenKind::Procedure => items.extend(self.subprogram()),
            _ => return false,
        }
        true
    }

    /// Whether a statement could start here, inside a rule.
    pub(super) fn at_statement(&self) -> bool {
        use TokenKind::*;
        starts_statement(self.peek())
            || (self.at(Identifier) && matches!(self.peek_at(1), Assign | Dot | LeftBracket | LeftParenthesis))
    }

    fn no_item(&mut self) {
        let span = self.span();
        let diagnostic = if self.peek().is_end() {
            Diagnostic::error(span, format!("{} without anything to close", self.found()))
                .label("nothing is open here")
                .help("is there an `end` too many before it?")
        } else if self.at(TokenKind::Begin) {
            Diagnostic::error(span, "`begin` outside of a rule").label("no rule starts here")
        } else {
            let diagnostic = self.expected("a declaration or a rule");
            match self.at_statement() {
                true => diagnostic.help("statements stand inside rules; is there an `end` too many before?"),
                false => diagnostic,
            }
        };
        self.report_here(diagnostic);
        self.advance();
        self.skip_to_item();
    }

    fn named_formula(&mut self) -> (crate::syntax::Expression, Option<String>, Span) {
        let start = self.advance();
        let (formula, name) = self.named_condition();
        let span = self.since(start);
        self.end_of_rule();
        (formula, name, span)
    }

    /// A `const`, `type` or `var` section, from its keyword. Inside rules, statements may follow it.
    pub(super) fn section(&mut self, items: &mut Vec<Item>, local: bool) {
        let mut keyword = self.peek();
        self.advance();
        loop {
            self.skip_semicolons();
            if !self.at_declaration(keyword, local) {
                return;
            }
            let first = self.span();
            self.warn_nameless();
            let names = self.declared_identifiers("a name");
            let colon = self.expect_colon();
            if !colon && !self.at_type() {
                self.skip_declaration();
                continue;
            }
            self.last_error = None;
            if keyword == TokenKind::Const && self.at_type_keyword() {
                self.report(
                    Diagnostic::error(self.span(), "expected a value, found a type")
                        .label("not the value of a constant")
                        .related(first, "is `type` missing before this?"),
                );
                keyword = TokenKind::Type;
            }
            self.definition(keyword, names, items);
            self.end_of_declaration();
        }
    }

    /// A word that can only start a type.
    fn at_type_keyword(&self) -> bool {
        use TokenKind::*;
        matches!(self.peek(), Array | Record | Enum | Scalarset | Union)
    }

    fn definition(&mut self, keyword: TokenKind, names: Vec<Identifier>, items: &mut Vec<Item>) {
        match keyword {
            TokenKind::Const => {
                let value = self.expression();
                items.extend(names.into_iter().map(|name| Item::Constant {
                    name,
                    value: value.clone(),
                }));
            }
            TokenKind::Type => {
                let definition = self.type_expression();
                items.extend(names.into_iter().map(|name| Item::Type {
                    name,
                    definition: definition.clone(),
                }));
            }
            _ => {
                let ty = self.type_expression();
                if !names.is_empty() {
                    items.push(Item::Variables { names, ty });
                }
            }
        }
    }

    /// Rumur accepts `: 5` as a declaration of no names.
    fn warn_nameless(&mut self) {
        if self.at(TokenKind::Colon) {
            self.report(Diagnostic::warning(self.span(), "this declares nothing").label("no name before it"));
        }
    }

    /// Whether another declaration of the section starts here, possibly a broken one.
    fn at_declaration(&mut self, keyword: TokenKind, local: bool) -> bool {
        use TokenKind::*;
        match (self.peek(), self.peek_at(1)) {
            (Identifier, Colon) if !local && self.at_ruleset_without_keyword() => false,
            (Colon, _) | (Identifier, Colon | Comma) => true,
            (Identifier, Equal) => !local || keyword != Var,
            (Identifier, Assign) if local => false,
            (Identifier, _) if self.item_word().is_some() || self.statement_word().is_some() => false,
            // A misspelt keyword ends the section; the caller corrects it.
            (Identifier, Dot | LeftBracket | LeftParenthesis | Text) => false,
            (Identifier, _) => !self.looks_like_keyword() && (!local || self.type_follows_name()),
            // A keyword or number in place of a name. (After `var`, Rumur takes `: T` for a declaration.)
            (Number, Colon) => true,
            (Const | Type | Var | Ruleset, Colon) => false,
            (_, Colon) => self.at_keyword(),
            _ => false,
        }
    }

    pub(super) fn looks_like_keyword(&self) -> bool {
        let word = self.slice(self.span());
        RULE_KEYWORDS
            .iter()
            .chain(DECLARATION_KEYWORDS)
            .any(|(keyword, _)| super::recovery::misspells(word, keyword))
            || super::recovery::misspells(word, "begin")
    }

    /// `x T;` in a local section: the `:` is missing.
    fn type_follows_name(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.peek_at(1),
            Identifier | Number | Array | Record | Enum | Scalarset | Union
        ) && !self.first_on_line(self.position + 1)
    }

    fn at_type(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.peek(),
            Identifier | Number | Array | Record | Enum | Scalarset | Union
        ) && !self.first_on_line(self.position)
    }

    // Functions and procedures.

    fn subprogram(&mut self) -> Option<Item> {
        let kind = match self.peek() {
            TokenKind::Function => BlockKind::Function,
            _ => BlockKind::Procedure,
        };
        let start = self.keyword();
        self.open(kind, start);
        let name = self.declared_identifier("a name");
        let (parameters, result) = self.signature();
        let span = self.since(start);
        self.skip_semicolons();
        let body = self.block();
        self.close();
        name.map(|name| {
            Item::Subprogram(Subprogram {
                name,
                parameters,
                result,
                body,
                span,
            })
        })
    }

    /// `(a: T; var b: U): V`
    fn signature(&mut self) -> (Vec<ParameterGroup>, Option<TypeExpression>) {
        let opening = self.span();
        let open = self.eat(TokenKind::LeftParenthesis);
        if !open {
            let diagnostic = self.missing("`(`").help("write `()` where there are no parameters");
            self.report_here(diagnostic);
            self.last_error = None;
        }
        let first = matches!(
            self.peek(),
            TokenKind::Identifier | TokenKind::Var | TokenKind::RightParenthesis
        );
        let parameters = match open || (first && !self.first_on_line(self.position)) {
            true => self.parameters(opening),
            false => Vec::new(),
        };
        if let Some(diagnostic) = self.unmatched_bracket() {
            self.report_here(diagnostic);
            self.advance();
        }
        let result = self.eat(TokenKind::Colon).then(|| self.type_expression());
        (parameters, result)
    }

    /// `a: T; var b: U)`
    fn parameters(&mut self, opening: Span) -> Vec<ParameterGroup> {
        let mut parameters = Vec::new();
        loop {
            self.skip_semicolons();
            if !matches!(self.peek(), TokenKind::Var | TokenKind::Identifier) {
                break;
            }
            let by_reference = self.eat(TokenKind::Var);
            let names = self.declared_identifiers("the name of a parameter");
            if !self.expect_colon() {
                self.skip_parameter();
                continue;
            }
            let ty = self.type_expression();
            parameters.push(ParameterGroup {
                by_reference,
                names,
                ty,
            });
            self.end_of_parameter();
        }
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        parameters
    }

    fn end_of_parameter(&mut self) {
        use TokenKind::*;
        match self.peek() {
            Semicolon | RightParenthesis | Identifier | Var if !self.failed_here() => {}
            Comma => {
                let diagnostic = self.expected("`;`").help("parameters are separated by `;`");
                self.report_here(diagnostic);
                self.advance();
            }
            _ => {
                let diagnostic = self.missing("`;` or `)`");
                self.report_here(diagnostic);
                self.skip_parameter();
            }
        }
    }

    /// Skips to the end of a broken parameter.
    fn skip_parameter(&mut self) {
        use TokenKind::*;
        while !matches!(self.peek(), Semicolon | RightParenthesis | Begin | EndOfFile) && !starts_item(self.peek()) {
            self.advance();
        }
    }

    // Our extensions, and CMurphi's.

    /// `uninterpreted leader: Node; next(n: Node): Node;`
    fn uninterpreted(&mut self, items: &mut Vec<Item>) {
        self.advance();
        loop {
            self.skip_semicolons();
            let next = self.peek_at(1);
            let entry = matches!(next, TokenKind::Colon | TokenKind::Comma | TokenKind::LeftParenthesis);
            if !self.at(TokenKind::Identifier) || (!entry && (self.item_word().is_some() || self.looks_like_keyword()))
            {
                return;
            }
            let names = self.declared_identifiers("a name");
            let opening = self.span();
            let parameters = match self.eat(TokenKind::LeftParenthesis) {
                true => self.parameters(opening),
                false => Vec::new(),
            };
            if !self.expect_colon() {
                self.skip_declaration();
                continue;
            }
            let result = self.type_expression();
            items.push(Item::Uninterpreted {
                names,
                parameters,
                result,
            });
            self.end_of_declaration();
        }
    }

    /// `index i, j: Node; k: Key;`
    fn index(&mut self, items: &mut Vec<Item>) {
        self.advance();
        loop {
            self.skip_semicolons();
            if !self.at_declaration(TokenKind::Var, false) {
                return;
            }
            let names = self.declared_identifiers("a name");
            if !self.expect_colon() {
                self.skip_declaration();
                continue;
            }
            let ty = self.type_expression();
            items.push(Item::Index { names, ty });
            self.end_of_declaration();
        }
    }

    /// CMurphi's `externfun f(...): T "header";`. Its name is kept, so that only this is reported.
    fn external(&mut self, items: &mut Vec<Item>) {
        let start = self.advance();
        self.report(
            Diagnostic::error(start, "external functions are not supported")
                .label("its body is in another language")
                .help("write it as a Murphi function, or declare it `uninterpreted`"),
        );
        let name = self.declared_identifier("a name");
        let (parameters, result) = self.signature();
        let span = self.since(start);
        self.optional_text();
        items.extend(name.map(|name| {
            Item::Subprogram(Subprogram {
                name,
                parameters,
                result: result.map(|ty| TypeExpression {
                    kind: TypeKind::Error,
                    span: ty.span,
                }),
                body: Block::default(),
                span,
            })
        }));
    }

    /// CMurphi's probabilistic properties, which end the file.
    fn pctl(&mut self) {
        let span = self.advance();
        self.report(
            Diagnostic::error(span, "probabilistic properties are not supported").label("safety only is checked"),
        );
        while !self.at(TokenKind::Semicolon) && !self.at(TokenKind::EndOfFile) {
            self.advance();
        }
    }
}
