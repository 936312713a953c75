//! Expressions, by operator precedence.
//!
//! Weakest first, as in Rumur; CMurphi has a subset of the operators (`&&`, `||`, `^`, `<<`, `>>`, `~` are missing)
//! with the same precedence, so the tools agree on every text:
//!
//! ```text
//! ?:   ->   || ∨   && ∧   |   ^   &   !   < <= = == != >= >   << >>   + -   * / % and the signs   ~
//! ```
//!
//! Two peculiarities of both tools are preserved: `!a = b` is `!(a = b)`, and `->`, comparisons and `?:` do not chain.

use system::{Diagnostic, Span};

use super::blocks::BlockKind;
use super::{MAXIMUM_NESTING, Parser};
use crate::lex::TokenKind;
use crate::syntax::{Binary, Binder, Expression, ExpressionKind, Identifier, Quantifier, Unary};

/// Bounds on the tree that a chain such as `a + b + ...` or mixed operators can build without brackets.
const MAXIMUM_HEIGHT: usize = 500;
const MAXIMUM_OPERATORS: usize = 600;

/// A chain of `&` or `|` from this length on becomes a balanced tree, which evaluates in the same order.
const LONG_CHAIN: usize = 16;

const CONDITIONAL: u8 = 1;
const IMPLIES: u8 = 2;
const COMPARISON: u8 = 9;
const SIGN: u8 = 13;

/// An expression and the height of its tree.
pub(super) struct Tree {
    expression: Expression,
    height: usize,
}

impl Tree {
    fn leaf(kind: ExpressionKind, span: Span) -> Tree {
        let expression = Expression { kind, span };
        Tree { expression, height: 1 }
    }

    fn error(span: Span) -> Tree {
        Tree::leaf(ExpressionKind::Error, span)
    }

    fn boxed(self) -> Box<Expression> {
        Box::new(self.expression)
    }
}

fn operator(kind: TokenKind) -> Option<(Binary, u8)> {
    Some(match kind {
        TokenKind::Implies => (Binary::Implies, IMPLIES),
        TokenKind::PipePipe => (Binary::Or, 3),
        TokenKind::AmpersandAmpersand => (Binary::And, 4),
        TokenKind::Pipe => (Binary::BitOr, 5),
        TokenKind::Caret => (Binary::BitXor, 6),
        TokenKind::Ampersand => (Binary::BitAnd, 7),
        TokenKind::Less => (Binary::Less, COMPARISON),
        TokenKind::LessEqual => (Binary::LessEqual, COMPARISON),
        TokenKind::Greater => (Binary::Greater, COMPARISON),
        TokenKind::GreaterEqual => (Binary::GreaterEqual, COMPARISON),
        TokenKind::Equal => (Binary::Equal, COMPARISON),
        TokenKind::NotEqual => (Binary::NotEqual, COMPARISON),
        TokenKind::ShiftLeft => (Binary::ShiftLeft, 10),
        TokenKind::ShiftRight => (Binary::ShiftRight, 10),
        TokenKind::Plus => (Binary::Add, 11),
        TokenKind::Minus => (Binary::Subtract, 11),
        TokenKind::Star => (Binary::Multiply, 12),
        TokenKind::Slash => (Binary::Divide, 12),
        TokenKind::Percent => (Binary::Modulo, 12),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Expression {
        self.tree(CONDITIONAL).expression
    }

    /// An expression in a context where `:=` can only be a typo for `=`.
    pub(super) fn condition(&mut self) -> Expression {
        let outer = std::mem::replace(&mut self.comparing, true);
        let expression = self.expression();
        self.comparing = outer;
        expression
    }

    /// Parses one level deeper than the enclosing expression.
    fn nested(&mut self, weakest: u8) -> Tree {
        if self.depth.expressions >= MAXIMUM_NESTING {
            self.report_too_deep("expressions");
            let start = self.span();
            self.skip_expression();
            return Tree::error(self.since(start));
        }
        self.depth.expressions += 1;
        let tree = self.tree(weakest);
        self.depth.expressions -= 1;
        tree
    }

    /// An expression whose outermost operator binds at least as strongly as `weakest`.
    fn tree(&mut self, weakest: u8) -> Tree {
        if self.depth.operators >= MAXIMUM_OPERATORS {
            self.report_too_deep("expressions");
            let start = self.span();
            self.skip_expression();
            return Tree::error(self.since(start));
        }
        self.depth.operators += 1;
        let mut left = self.prefixed();
        let mut previous_level = u8::MAX;
        while let Some((binary, level)) = self.next_operator() {
            if level < weakest {
                break;
            }
            if level == previous_level && matches!(level, CONDITIONAL | IMPLIES | COMPARISON) {
                self.report_chain(level);
            }
            previous_level = level;
            left = match binary {
                None => self.conditional(left),
                Some(binary @ (Binary::Or | Binary::And | Binary::BitOr | Binary::BitAnd)) => {
                    self.chain(left, binary, level)
                }
                Some(binary) => {
                    self.advance();
                    let right = self.tree(level + 1);
                    self.binary(binary, left, right)
                }
            };
        }
        self.depth.operators -= 1;
        left
    }

    /// The current operator; the inner `None` is `?`. Operators of other languages are reported and accepted.
    fn next_operator(&mut self) -> Option<(Option<Binary>, u8)> {
        if self.at(TokenKind::Question) {
            return Some((None, CONDITIONAL));
        }
        self.correct_operator();
        operator(self.peek()).map(|(binary, level)| (Some(binary), level))
    }

    fn report_chain(&mut self, level: u8) {
        if self.failed_here() {
            return;
        }
        let what = match level {
            CONDITIONAL => "`?:` inside `?:` needs parentheses",
            IMPLIES => "`->` does not chain",
            _ => "comparisons do not chain",
        };
        self.report(
            Diagnostic::error(self.span(), what)
                .label("a second one in a row")
                .help("use parentheses to say which comes first"),
        );
    }

    /// `condition ? then : otherwise`, from the `?`.
    fn conditional(&mut self, condition: Tree) -> Tree {
        self.advance();
        let then = self.nested(CONDITIONAL);
        if !self.expect(TokenKind::Colon, ":") {
            return Tree::error(self.since(condition.expression.span));
        }
        let otherwise = self.tree(IMPLIES);
        let span = condition.expression.span.to(otherwise.expression.span);
        let height = 1 + condition.height.max(then.height).max(otherwise.height);
        let kind = ExpressionKind::If(condition.boxed(), then.boxed(), otherwise.boxed());
        self.limited(kind, span, height)
    }

    /// `a & b & c ...`, from the first operator.
    fn chain(&mut self, first: Tree, binary: Binary, level: u8) -> Tree {
        let mut operands = vec![first];
        while self.next_operator() == Some((Some(binary), level)) {
            self.advance();
            operands.push(self.tree(level + 1));
        }
        if operands.len() <= LONG_CHAIN {
            let mut operands = operands.into_iter();
            let first = operands.next().unwrap_or(Tree::error(Span::default()));
            return operands.fold(first, |left, right| self.binary(binary, left, right));
        }
        while operands.len() > 1 {
            let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some(left) = rest.next() {
                pairs.push(match rest.next() {
                    Some(right) => self.binary(binary, left, right),
                    None => left,
                });
            }
            operands = pairs;
        }
        operands.pop().unwrap_or(Tree::error(Span::default()))
    }

    fn binary(&mut self, binary: Binary, left: Tree, right: Tree) -> Tree {
        let span = left.expression.span.to(right.expression.span);
        let height = 1 + left.height.max(right.height);
        self.limited(
            ExpressionKind::Binary(binary, left.boxed(), right.boxed()),
            span,
            height,
        )
    }

    /// A node, unless the tree becomes too high for recursive traversal.
    fn limited(&mut self, kind: ExpressionKind, span: Span, height: usize) -> Tree {
        if height > MAXIMUM_HEIGHT {
            if !self.depth.reported {
                self.depth.reported = true;
                self.report(
                    Diagnostic::error(span, "this expression is too long")
                        .label(format!("more than {MAXIMUM_HEIGHT} operators on top of each other"))
                        .help("give parts of it names of their own"),
                );
            }
            return Tree::error(span);
        }
        let expression = Expression { kind, span };
        Tree { expression, height }
    }

    /// `!a`, `-a`, `+a`, `~a`, or an expression without a prefix.
    fn prefixed(&mut self) -> Tree {
        let (unary, weakest) = match self.peek() {
            TokenKind::Bang => (Unary::Not, COMPARISON),
            TokenKind::Minus => (Unary::Negate, SIGN),
            TokenKind::Plus => (Unary::Plus, SIGN),
            TokenKind::Tilde => (Unary::BitNot, SIGN),
            _ if self.at_word_for_not() => (Unary::Not, COMPARISON),
            _ => return self.postfixed(),
        };
        let start = self.advance();
        if unary == Unary::Negate && self.at(TokenKind::Number) && self.slice(self.span()) == "9223372036854775808" {
            self.advance();
            return Tree::leaf(ExpressionKind::Number(i64::MIN), self.since(start));
        }
        let operand = self.nested(weakest);
        let span = start.to(operand.expression.span);
        let height = 1 + operand.height;
        self.limited(ExpressionKind::Unary(unary, operand.boxed()), span, height)
    }

    /// `a.field[index]...`. The tools permit this after names only; after a call it is useful for lists.
    pub(super) fn postfixed_expression(&mut self) -> Expression {
        self.postfixed().expression
    }

    fn postfixed(&mut self) -> Tree {
        let mut tree = self.primary();
        loop {
            let start = tree.expression.span;
            match self.peek() {
                TokenKind::Dot => {
                    self.advance();
                    let Some(field) = self.identifier("the name of a field") else {
                        return Tree::error(self.since(start));
                    };
                    let height = tree.height + 1;
                    tree = self.limited(ExpressionKind::Field(tree.boxed(), field), self.since(start), height);
                }
                TokenKind::LeftBracket => tree = self.indexed(tree),
                _ => return tree,
            }
        }
    }

    /// `[i]` after an array.
    fn indexed(&mut self, array: Tree) -> Tree {
        let start = array.expression.span;
        let opening = self.keyword();
        // In `a[i := 1` the bracket is missing.
        let outer = std::mem::replace(&mut self.comparing, false);
        let index = self.nested(CONDITIONAL);
        let height = 1 + array.height.max(index.height);
        let mut tree = self.limited(
            ExpressionKind::Index(array.boxed(), index.boxed()),
            self.since(start),
            height,
        );
        while self.at(TokenKind::Comma) && self.closing_ahead(TokenKind::RightBracket).is_some() {
            self.report(
                Diagnostic::error(self.span(), "an array has one index")
                    .label("second index")
                    .help("write `a[i][j]`"),
            );
            self.advance();
            let index = self.nested(CONDITIONAL);
            let height = 1 + tree.height.max(index.height);
            let kind = ExpressionKind::Index(tree.boxed(), index.boxed());
            tree = self.limited(kind, self.since(start), height);
        }
        self.comparing = outer;
        self.expect_closing(TokenKind::RightBracket, "]", opening);
        tree.expression.span = self.since(start);
        tree
    }

    /// Consumes the bracket that closes `opening`; if it is missing, searches further on.
    pub(super) fn expect_closing(&mut self, closing: TokenKind, spelling: &str, opening: Span) {
        if self.eat(closing) {
            return;
        }
        let diagnostic = self.missing(&format!("`{spelling}`")).related(opening, "to close this");
        self.report_here(diagnostic);
        if self.find_closing(closing) {
            self.advance();
        }
    }

    fn primary(&mut self) -> Tree {
        let span = self.span();
        match self.peek() {
            TokenKind::Number => {
                self.advance();
                Tree::leaf(ExpressionKind::Number(self.number(span)), span)
            }
            TokenKind::Real => {
                self.advance();
                self.report(
                    Diagnostic::error(span, "real numbers are not supported")
                        .label("only whole numbers")
                        .help("scale the values to whole numbers"),
                );
                Tree::error(span)
            }
            TokenKind::LeftParenthesis => {
                self.advance();
                let outer = std::mem::replace(&mut self.comparing, true);
                let mut tree = self.nested(CONDITIONAL);
                self.comparing = outer;
                self.expect_closing(TokenKind::RightParenthesis, ")", span);
                tree.expression.span = self.since(span);
                tree
            }
            TokenKind::LeftBracket if self.peek_at(1) == TokenKind::RightBracket => {
                self.advance();
                self.advance();
                Tree::leaf(ExpressionKind::EmptyList, self.since(span))
            }
            TokenKind::Forall => self.quantified(Quantifier::Forall, BlockKind::Forall),
            TokenKind::Exists => self.quantified(Quantifier::Exists, BlockKind::Exists),
            TokenKind::IsUndefined => self.is_undefined(),
            TokenKind::Identifier => self.name_or_call(),
            _ => self.no_expression(),
        }
    }

    fn no_expression(&mut self) -> Tree {
        let mut diagnostic = self.expected("an expression");
        let span = self.span();
        diagnostic = match self.peek() {
            TokenKind::If => diagnostic.help("inside an expression write `condition ? one : other`"),
            TokenKind::LeftBracket => diagnostic.help("`[]` is the empty list; longer lists are made by `append`"),
            TokenKind::LessGreater => diagnostic.help("`!=` compares for difference"),
            TokenKind::Text => diagnostic.help("a text in quotes is not a value"),
            TokenKind::EndOfFile => self.missing("an expression"),
            _ => diagnostic,
        };
        self.report_here(diagnostic);
        Tree::error(Span {
            end: span.start,
            ..span
        })
    }

    pub(super) fn number(&mut self, span: Span) -> i64 {
        let text = self.slice(span);
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        value.unwrap_or_else(|_| {
            self.report(
                Diagnostic::error(span, "this number is too large").label(format!("the largest is {}", i64::MAX)),
            );
            0
        })
    }

    fn is_undefined(&mut self) -> Tree {
        let start = self.advance();
        let opening = self.span();
        if !self.expect(TokenKind::LeftParenthesis, "(") {
            return Tree::error(self.since(start));
        }
        let operand = self.nested(CONDITIONAL);
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        let height = operand.height + 1;
        self.limited(ExpressionKind::IsUndefined(operand.boxed()), self.since(start), height)
    }

    fn name_or_call(&mut self) -> Tree {
        if self.correct_quantifier() {
            return self.primary();
        }
        let call = self.peek_at(1) == TokenKind::LeftParenthesis;
        if call && self.at_undeclared_word("ismember") {
            return self.is_member();
        }
        if call && self.at_undeclared_word("multisetcount") {
            return self.multiset_count();
        }
        if !call && self.at_undeclared_word("undefined") {
            let span = self.advance();
            return Tree::leaf(ExpressionKind::Undefined, span);
        }
        let Some(name) = self.identifier("a name") else {
            return Tree::error(self.span());
        };
        let span = name.span;
        if call {
            let (arguments, height) = self.arguments();
            return self.limited(ExpressionKind::Call { name, arguments }, self.since(span), height + 1);
        }
        // Both tools reserve these two in any case.
        let kind = if name.text.eq_ignore_ascii_case("true") {
            ExpressionKind::Boolean(true)
        } else if name.text.eq_ignore_ascii_case("false") {
            ExpressionKind::Boolean(false)
        } else {
            ExpressionKind::Name(name)
        };
        Tree::leaf(kind, span)
    }

    /// `(a, b)`, with an optional trailing comma as in Rumur; and the greatest height.
    fn arguments(&mut self) -> (Vec<Expression>, usize) {
        let opening = self.advance();
        let outer = std::mem::replace(&mut self.comparing, true);
        let mut arguments = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightParenthesis) {
            let tree = self.nested(CONDITIONAL);
            height = height.max(tree.height);
            arguments.push(tree.expression);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.comparing = outer;
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        (arguments, height)
    }

    /// `ismember(value, type)`
    fn is_member(&mut self) -> Tree {
        let start = self.advance();
        let opening = self.advance();
        let value = self.nested(CONDITIONAL);
        self.expect(TokenKind::Comma, ",");
        let ty = self.type_expression();
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        let height = value.height + 1;
        let kind = ExpressionKind::IsMember(value.boxed(), Box::new(ty));
        self.limited(kind, self.since(start), height)
    }

    /// `multisetcount(i: multiset, condition)`
    fn multiset_count(&mut self) -> Tree {
        let start = self.advance();
        let opening = self.advance();
        let element = self.multiset_element();
        let outer = std::mem::replace(&mut self.comparing, true);
        let condition = self.nested(CONDITIONAL);
        self.comparing = outer;
        self.expect_closing(TokenKind::RightParenthesis, ")", opening);
        let Some((name, multiset)) = element else {
            return Tree::error(self.since(start));
        };
        let height = condition.height + 1;
        let kind = ExpressionKind::MultisetCount {
            name,
            multiset: Box::new(multiset),
            condition: condition.boxed(),
        };
        self.limited(kind, self.since(start), height)
    }

    /// `i: multiset,`
    pub(super) fn multiset_element(&mut self) -> Option<(Identifier, Expression)> {
        let name = self.declared_identifier("a name for the element");
        self.expect(TokenKind::Colon, ":");
        let multiset = self.nested(CONDITIONAL).expression;
        self.expect(TokenKind::Comma, ",");
        Some((name?, multiset))
    }

    /// `forall i: T do body end`; CMurphi allows several binders.
    fn quantified(&mut self, quantifier: Quantifier, block: BlockKind) -> Tree {
        let start = self.keyword();
        self.open(block, start);
        let binders = self.binders();
        self.expect_do();
        let outer = std::mem::replace(&mut self.comparing, true);
        let mut tree = self.nested(CONDITIONAL);
        self.comparing = outer;
        if !self.peek().is_end() && !self.at_misspelt("end") {
            let diagnostic = self.missing("`end`").related(start, "to close this");
            self.report_here(diagnostic);
            self.find_end();
        }
        self.close();
        let span = self.since(start);
        for binder in binders.into_iter().rev() {
            let height = tree.height + 1;
            tree = self.limited(quantify(quantifier, binder, tree.expression), span, height);
        }
        tree.expression.span = span;
        tree
    }
}

fn quantify(quantifier: Quantifier, binder: Binder, body: Expression) -> ExpressionKind {
    ExpressionKind::Quantified {
        quantifier,
        binder: Box::new(binder),
        body: Box::new(body),
    }
}
