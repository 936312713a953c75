//! Types, and the binders of loops, rulesets and quantifiers.

use system::Diagnostic;

use super::blocks::BlockKind;
use super::{MAXIMUM_NESTING, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Binder, BinderDomain, Expression, ExpressionKind, Identifier, TypeExpression, TypeKind};

impl Parser<'_> {
    pub(super) fn type_expression(&mut self) -> TypeExpression {
        let start = self.span();
        let kind = if self.depth.types >= MAXIMUM_NESTING {
            self.report_too_deep("types");
            self.skip_type();
            TypeKind::Error
        } else {
            self.depth.types += 1;
            let outer = std::mem::replace(&mut self.comparing, false);
            let kind = self.type_kind();
            self.comparing = outer;
            self.depth.types -= 1;
            kind
        };
        let span = self.since(start);
        TypeExpression { kind, span }
    }

    fn type_kind(&mut self) -> TypeKind {
        match self.peek() {
            TokenKind::Enum => self.enumeration(),
            TokenKind::Record => self.record(),
            TokenKind::Array => self.array(),
            TokenKind::Scalarset => self.scalarset(),
            TokenKind::Union => self.union(),
            TokenKind::Identifier => match self.peek_at(1) {
                TokenKind::LeftBracket if self.at_word("multiset") => self.multiset(),
                TokenKind::Of if self.at_word("list") => {
                    self.advance();
                    self.advance();
                    TypeKind::List(Box::new(self.type_expression()))
                }
                TokenKind::Identifier if self.at_list_without_of() => {
                    self.advance();
                    let diagnostic = self.expected("`of`");
                    self.report_here(diagnostic);
                    TypeKind::List(Box::new(self.type_expression()))
                }
                TokenKind::LeftParenthesis if self.at_undeclared_word("real") => self.real(),
                _ => self.range_or_name(),
            },
            _ => self.range_or_name(),
        }
    }

    /// `list T`: a type, and not the name of one before the next declaration.
    fn at_list_without_of(&self) -> bool {
        self.at_undeclared_word("list")
            && !self.first_on_line(self.position + 1)
            && !matches!(self.peek_at(2), TokenKind::Colon | TokenKind::Comma | TokenKind::Assign)
    }

    /// `enum {a, b}`
    fn enumeration(&mut self) -> TypeKind {
        self.advance();
        let opening = self.span();
        if !self.expect(TokenKind::LeftBrace, "{") {
            return TypeKind::Error;
        }
        let mut members = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            let Some(member) = self.declared_identifier("the name of a value") else {
                break;
            };
            members.push(member);
            if !self.eat(TokenKind::Comma) {
                let semicolon = self.at(TokenKind::Semicolon)
                    && self.peek_at(1) == TokenKind::Identifier
                    && matches!(self.peek_at(2), TokenKind::Comma | TokenKind::RightBrace);
                if !self.at(TokenKind::Identifier) && !semicolon {
                    break;
                }
                let diagnostic = self
                    .missing("`,`")
                    .help("the values of an `enum` are separated by commas");
                self.report_here(diagnostic);
                self.eat(TokenKind::Semicolon);
            }
        }
        self.expect_closing(TokenKind::RightBrace, "}", opening);
        TypeKind::Enum(members)
    }

    /// `record a, b: T; ... end`
    fn record(&mut self) -> TypeKind {
        let start = self.advance();
        self.open(BlockKind::Record, start);
        let mut fields = Vec::new();
        loop {
            self.skip_semicolons();
            if !matches!(self.peek(), TokenKind::Identifier | TokenKind::Colon) || self.at_misspelt("endrecord") {
                if self.peek().is_end() || super::recovery::starts_item(self.peek()) || self.at(TokenKind::EndOfFile) {
                    break;
                }
                let diagnostic = self.expected("a field or `end`");
                self.report_here(diagnostic);
                self.advance();
                self.skip_declaration();
                continue;
            }
            let names = self.field_names();
            self.expect_colon();
            let ty = self.type_expression();
            if !names.is_empty() {
                fields.push((names, ty));
            }
            self.end_of_declaration();
        }
        self.close();
        TypeKind::Record(fields)
    }

    /// The names of fields, which hide nothing.
    fn field_names(&mut self) -> Vec<Identifier> {
        let mut names = Vec::new();
        while self.at(TokenKind::Identifier) {
            names.extend(self.identifier("the name of a field"));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        names
    }

    /// `array [T] of U`
    fn array(&mut self) -> TypeKind {
        self.advance();
        let opening = self.span();
        if !self.expect(TokenKind::LeftBracket, "[") {
            return TypeKind::Error;
        }
        let mut indices = vec![self.type_expression()];
        while self.at(TokenKind::Comma) {
            self.report(
                Diagnostic::error(self.span(), "an array has one index type")
                    .label("second index type")
                    .help("write `array [A] of array [B] of ...`"),
            );
            self.advance();
            indices.push(self.type_expression());
        }
        self.expect_closing(TokenKind::RightBracket, "]", opening);
        self.expect(TokenKind::Of, "of");
        let mut element = self.type_expression();
        while let Some(index) = indices.pop() {
            let span = index.span.to(element.span);
            let kind = TypeKind::Array {
                index: Box::new(index),
                element: Box::new(element),
            };
            if indices.is_empty() {
                return kind;
            }
            element = TypeExpression { kind, span };
        }
        TypeKind::Error
    }

    /// `multiset [n] of T`
    fn multiset(&mut self) -> TypeKind {
        self.advance();
        let opening = self.advance();
        let capacity = self.expression();
        self.expect_closing(TokenKind::RightBracket, "]", opening);
        self.expect(TokenKind::Of, "of");
        let element = Box::new(self.type_expression());
        TypeKind::Multiset { capacity, element }
    }

    /// `scalarset(n)`
    fn scalarset(&mut self) -> TypeKind {
        self.advance();
        let opening = self.span();
        if !self.expect(TokenKind::LeftParenthesis, "(") {
            return TypeKind::Error;
        }
        let size = self.expression();
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        TypeKind::Scalarset(size)
    }

    /// `union {A, B}`
    fn union(&mut self) -> TypeKind {
        self.advance();
        let opening = self.span();
        if !self.expect(TokenKind::LeftBrace, "{") {
            return TypeKind::Error;
        }
        let mut members = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            members.push(self.type_expression());
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightBrace, "}", opening);
        TypeKind::Union(members)
    }

    /// CMurphi's `real(digits, exponent)`.
    fn real(&mut self) -> TypeKind {
        let span = self.advance();
        self.report(
            Diagnostic::error(span, "real numbers are not supported")
                .label("CMurphi rounds to so many digits: neither exploration nor proofs do")
                .help("use a range or `integer`, and scale the values to whole numbers"),
        );
        let opening = self.advance();
        while !self.at(TokenKind::RightParenthesis) {
            self.expression();
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        TypeKind::Error
    }

    /// `T` or `low..high`
    fn range_or_name(&mut self) -> TypeKind {
        if !super::words::starts_expression(self.peek()) {
            let diagnostic = self.missing("a type");
            self.report_here(diagnostic);
            return TypeKind::Error;
        }
        let messages = self.diagnostics.len();
        let first = self.expression();
        if self.eat(TokenKind::DotDot) {
            let last = self.expression();
            return TypeKind::Range(first, last);
        }
        match first.kind {
            ExpressionKind::Name(mut name) => {
                // Reserved by both tools, in any case.
                if name.text.eq_ignore_ascii_case("boolean") {
                    name.text = "boolean".to_string();
                }
                TypeKind::Named(name)
            }
            ExpressionKind::Error => TypeKind::Error,
            _ if self.diagnostics.len() > messages => TypeKind::Error,
            _ => {
                self.report_no_type(&first);
                TypeKind::Error
            }
        }
    }

    fn report_no_type(&mut self, found: &Expression) {
        let mut diagnostic = Diagnostic::error(found.span, "expected a type, found a value").label("not a type");
        if let ExpressionKind::Number(number) = found.kind {
            diagnostic = diagnostic.help(format!("did you mean the range `0..{number}`?"));
        }
        self.report(diagnostic);
        if !matches!(self.peek_at(1), TokenKind::Colon | TokenKind::Comma) {
            self.last_error = Some(self.position);
        }
    }

    /// Skips a type that is nested too deeply.
    fn skip_type(&mut self) {
        let mut records = 0_usize;
        let mut brackets = 0_usize;
        loop {
            let kind = self.peek();
            match kind {
                TokenKind::EndOfFile => return,
                _ if super::recovery::starts_item(kind) => return,
                TokenKind::Record => records += 1,
                TokenKind::LeftBracket | TokenKind::LeftBrace | TokenKind::LeftParenthesis => brackets += 1,
                TokenKind::RightBracket | TokenKind::RightBrace | TokenKind::RightParenthesis => {
                    if brackets == 0 {
                        return;
                    }
                    brackets -= 1;
                }
                TokenKind::Semicolon if records == 0 => return,
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

    // Binders.

    /// `i: T; j := 1 to 3`, up to `do`.
    pub(super) fn binders(&mut self) -> Vec<Binder> {
        let mut binders = Vec::new();
        loop {
            self.binder_group(&mut binders);
            if binders.len() > MAXIMUM_NESTING {
                self.report_too_deep("binders");
                binders.truncate(MAXIMUM_NESTING);
            }
            if !self.at(TokenKind::Semicolon) {
                return binders;
            }
            self.skip_semicolons();
            if !self.at(TokenKind::Identifier) {
                return binders;
            }
        }
    }

    fn binder_group(&mut self, binders: &mut Vec<Binder>) {
        let Some(first) = self.declared_identifier("a name") else {
            if matches!(self.peek(), TokenKind::Colon | TokenKind::Assign) {
                self.binder_domain();
            }
            return;
        };
        let mut names = vec![first];
        while self.at(TokenKind::Comma) {
            self.report(
                Diagnostic::error(self.span(), "each of several names needs its own type here")
                    .label("second name")
                    .help("write `i: T; j: T`"),
            );
            self.advance();
            names.extend(self.declared_identifier("a name"));
        }
        let Some(domain) = self.binder_domain() else { return };
        for name in names {
            let domain = domain.clone();
            binders.push(Binder { name, domain });
        }
    }

    fn binder_domain(&mut self) -> Option<BinderDomain> {
        if self.eat(TokenKind::Colon) {
            return Some(BinderDomain::Type(self.type_expression()));
        }
        if self.at_word("in") {
            self.report(
                Diagnostic::error(self.span(), "`in` is not used here")
                    .label("expected `:`")
                    .help("write `i: T` for all values of a type, or `i := a to b`"),
            );
            self.advance();
            return Some(BinderDomain::Type(self.type_expression()));
        }
        if self.at(TokenKind::Equal) {
            self.report(
                Diagnostic::error(self.span(), "expected `:=`, found `=`")
                    .label("expected `:=`")
                    .help("write `i := a to b`"),
            );
        } else if !self.at(TokenKind::Assign) {
            let diagnostic = self.expected("`:` or `:=`");
            self.report_here(diagnostic);
            self.ahead(TokenKind::Do).inspect(|&position| self.position = position);
            return None;
        }
        self.advance();
        let low = self.expression();
        self.expect(TokenKind::To, "to");
        let high = self.expression();
        let step = self.eat(TokenKind::By).then(|| self.expression());
        Some(BinderDomain::Range { low, high, step })
    }

    /// `do`, or CMurphi's `:`.
    pub(super) fn expect_do(&mut self) {
        if self.failed_here() && self.find_ahead(TokenKind::Do) {
            self.advance();
        } else if !self.eat(TokenKind::Colon) && !self.accept_brace("do") {
            self.expect_soon(TokenKind::Do, "do");
        }
    }

    /// The `:` after the names of a declaration. `=` and `:=` are typos.
    pub(super) fn expect_colon(&mut self) -> bool {
        if matches!(self.peek(), TokenKind::Equal | TokenKind::Assign) {
            self.report(
                Diagnostic::error(self.span(), format!("expected `:`, found {}", self.found()))
                    .label("expected `:`")
                    .help("declarations are written `name: value` and `name: type`"),
            );
            self.advance();
            return true;
        }
        if self.eat(TokenKind::Colon) {
            return true;
        }
        let diagnostic = self.missing("`:`");
        self.report_here(diagnostic);
        false
    }

    /// After a type or constant: reports and skips what cannot follow.
    pub(super) fn end_of_declaration(&mut self) {
        if self.eat(TokenKind::Semicolon) {
            self.skip_semicolons();
            return;
        }
        match self.peek() {
            // The tools differ on whether `;` is optional; here it is.
            TokenKind::Identifier | TokenKind::Colon if !self.failed_here() => {}
            TokenKind::EndOfFile | TokenKind::Begin => {}
            kind if kind.is_end() || super::recovery::starts_item(kind) => {}
            kind if super::recovery::starts_statement(kind) => {}
            TokenKind::Comma => {
                let diagnostic = self.expected("`;`").help("declarations are separated by `;`");
                self.report_here(diagnostic);
                self.advance();
            }
            TokenKind::Assign | TokenKind::Equal => {
                let diagnostic = Diagnostic::error(self.span(), "a declaration has no initial value")
                    .label("not allowed here")
                    .help("give the variable its value in a `startstate`");
                self.report_here(diagnostic);
                self.skip_declaration();
            }
            _ => {
                let diagnostic = self.missing("`;`");
                self.report_here(diagnostic);
                self.skip_declaration();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use system::Span;

    #[test]
    fn spans_cover_the_whole_type() {
        let file = system::SourceFile::new("t.m", "type t: array [0..3] of record a: boolean; end;");
        let (program, diagnostics) = crate::parse(&file);
        assert!(diagnostics.is_empty());
        let crate::syntax::Item::Type { definition, .. } = &program.items[0] else {
            panic!("no type");
        };
        assert_eq!(definition.span, Span::new(system::FileId::MODEL, 8, 46));
    }
}
