//! Declarations: types, symbols, blocks, predicates and transitions with their updates.

use super::{Parsed, Parser, Reported, is_keyword, starts_item};
use crate::lex::TokenKind;
use crate::syntax::*;
use system::tokens::Kind;
use system::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.tokens.peek() != TokenKind::EndOfFile {
            if !starts_item(self.tokens.peek()) {
                let mut diagnostic = self.tokens.expected("a declaration");
                if self.tokens.peek() == TokenKind::RightBrace {
                    diagnostic = diagnostic.help("there is one `}` too many before this place");
                } else {
                    diagnostic = diagnostic.help(
                        "a file is made of `type`, `var`, `array`, `const`, `init`, `unsafe`, `invariant`, \
                         `predicate` and `transition`",
                    );
                }
                self.tokens.report(diagnostic);
                self.skip_to_item();
                continue;
            }
            let start = self.tokens.position();
            match self.item() {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    self.skip_to_item();
                    self.note_unread(start);
                }
            }
        }
        items
    }

    fn skip_to_item(&mut self) {
        while self.tokens.peek() != TokenKind::EndOfFile && !starts_item(self.tokens.peek()) {
            self.tokens.advance();
        }
    }

    /// Records the names that the broken declaration from `start` would have declared.
    fn note_unread(&mut self, start: usize) {
        use TokenKind::{Array, Const, LowerName, Predicate, Type, UpperName, Var};
        let given_up = self.tokens.read_since(start);
        if let [first, ..] = given_up
            && matches!(first.kind, Type | Var | Const | Array | Predicate)
        {
            let names = given_up
                .iter()
                .filter(|token| matches!(token.kind, LowerName | UpperName));
            self.unread
                .extend(names.map(|token| self.tokens.text_of(token.span).to_owned()));
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let keyword = self.tokens.advance();
        let start = keyword.span;
        match keyword.kind {
            TokenKind::NumberProcs => {
                let token = self.tokens.expect(TokenKind::Integer)?;
                let number = self.tokens.text_of(token.span).parse().ok().filter(|n| *n <= 1_000_000);
                Ok(Item::NumberOfProcesses {
                    number,
                    span: token.span,
                })
            }
            TokenKind::Type => self.type_definition(start),
            TokenKind::Var => self.symbol(SymbolKind::Variable, start),
            TokenKind::Const => self.symbol(SymbolKind::Constant, start),
            TokenKind::Array => self.symbol(SymbolKind::Array, start),
            TokenKind::Init => self.block(BlockKind::Init, start),
            TokenKind::Unsafe => self.block(BlockKind::Unsafe, start),
            TokenKind::Invariant => self.block(BlockKind::Invariant, start),
            TokenKind::Predicate => self.predicate(start),
            _ => self.transition(start),
        }
    }

    fn type_definition(&mut self, start: Span) -> Parsed<Item> {
        let name = self.lower_name("the name of a type")?;
        let mut constructors = None;
        if self.tokens.eat(TokenKind::Equal) {
            self.tokens.eat(TokenKind::Bar);
            let mut names = vec![self.upper_name("a constructor")?];
            while self.tokens.eat(TokenKind::Bar) {
                names.push(self.upper_name("a constructor")?);
            }
            constructors = Some(names);
        }
        Ok(Item::Type {
            name,
            constructors,
            span: self.tokens.span_from(start),
        })
    }

    fn symbol(&mut self, kind: SymbolKind, start: Span) -> Parsed<Item> {
        let what = match kind {
            SymbolKind::Variable => "the name of a variable",
            SymbolKind::Constant => "the name of a constant",
            SymbolKind::Array => "the name of an array",
        };
        let name = self.upper_name(what)?;
        let mut indices = Vec::new();
        if kind == SymbolKind::Array {
            let opening = self.tokens.expect(TokenKind::LeftBracket)?.span;
            indices.push(self.lower_name("a type")?);
            while self.tokens.eat(TokenKind::Comma) {
                indices.push(self.lower_name("a type")?);
            }
            self.expect_closing(TokenKind::RightBracket, opening)?;
        } else if self.tokens.peek() == TokenKind::LeftBracket {
            let diagnostic = self
                .tokens
                .expected("`:`")
                .help(format!("arrays are declared with `array {}[proc] : ...`", name.text));
            return Err(self.tokens.report(diagnostic));
        }
        self.tokens.expect(TokenKind::Colon)?;
        let ty = self.lower_name("a type")?;
        if self.tokens.peek() == TokenKind::Semicolon {
            let semicolon = self.tokens.advance();
            self.tokens.report(
                Diagnostic::error(semicolon.span, "no semicolon stands after a declaration")
                    .label("not expected")
                    .help("leave it out"),
            );
        }
        Ok(Item::Symbol {
            kind,
            name,
            indices,
            ty,
            span: self.tokens.span_from(start),
        })
    }

    /// The names in parentheses, separated by blanks or, for `predicate`, by commas.
    fn variables(&mut self, commas: bool) -> Parsed<Vec<Identifier>> {
        let opening = self.tokens.expect(TokenKind::LeftParenthesis)?.span;
        let mut names: Vec<Identifier> = Vec::new();
        let mut complained = false;
        while self.tokens.peek() != TokenKind::RightParenthesis {
            if !names.is_empty() {
                let comma = self.tokens.token();
                let found = self.tokens.eat(TokenKind::Comma);
                if found != commas && !complained && (found || self.tokens.peek() == TokenKind::LowerName) {
                    complained = true;
                    let (message, help) = if commas {
                        (
                            "the parameters of a predicate are separated by commas",
                            "put a comma before this name",
                        )
                    } else {
                        ("process variables are separated by blanks", "leave the commas out")
                    };
                    self.tokens
                        .report(Diagnostic::error(comma.span, message).label("here").help(help));
                }
            }
            if self.tokens.peek() != TokenKind::LowerName && self.tokens.peek() != TokenKind::UpperName {
                let diagnostic = self
                    .tokens
                    .expected("`)` or the name of a process variable")
                    .related(opening, "opened here");
                return Err(self.tokens.report(diagnostic));
            }
            names.push(self.lower_name("a process variable")?);
        }
        self.tokens.advance();
        Ok(names)
    }

    /// A formula in braces.
    fn braced_formula(&mut self) -> Parsed<Formula> {
        let opening = self.tokens.expect(TokenKind::LeftBrace)?.span;
        if self.tokens.peek() == TokenKind::RightBrace {
            let diagnostic = self
                .tokens
                .expected("a formula")
                .help("write `true` where nothing is asked for");
            self.tokens.report(diagnostic);
            let span = self.tokens.advance().span;
            return Ok(Formula {
                kind: FormulaKind::Error,
                span: opening.to(span),
            });
        }
        let formula = self.formula()?;
        self.expect_closing(TokenKind::RightBrace, opening)?;
        Ok(formula)
    }

    fn block(&mut self, kind: BlockKind, start: Span) -> Parsed<Item> {
        let mut variables = Vec::new();
        if self.tokens.peek() == TokenKind::LeftParenthesis {
            variables = self.variables(false)?;
        }
        let formula = self.braced_formula()?;
        Ok(Item::Block(Block {
            kind,
            variables,
            formula,
            span: self.tokens.span_from(start),
        }))
    }

    /// `(x y) { formula }`, or a formula without variables, up to the end of the text.
    pub(super) fn formula_alone(&mut self) -> Parsed<Item> {
        let start = self.tokens.token().span;
        let variables = match self.variables_ahead() {
            true => self.variables(false)?,
            false => Vec::new(),
        };
        let formula = match self.tokens.peek() {
            TokenKind::LeftBrace => self.braced_formula()?,
            _ => self.formula()?,
        };
        let span = self.tokens.span_from(start);
        if self.tokens.peek() != TokenKind::EndOfFile {
            let diagnostic = self.tokens.expected("the end of the formula");
            return Err(self.tokens.report(diagnostic));
        }
        Ok(Item::Block(Block {
            kind: BlockKind::Invariant,
            variables,
            formula,
            span,
        }))
    }

    /// Names in parentheses followed by a brace: no formula starts like this.
    fn variables_ahead(&self) -> bool {
        let is_name = |ahead: &usize| self.tokens.token_at(*ahead).kind == TokenKind::LowerName;
        let names = (1..).take_while(is_name).count();
        let behind = [
            self.tokens.token_at(names + 1).kind,
            self.tokens.token_at(names + 2).kind,
        ];
        self.tokens.peek() == TokenKind::LeftParenthesis
            && behind == [TokenKind::RightParenthesis, TokenKind::LeftBrace]
    }

    fn predicate(&mut self, start: Span) -> Parsed<Item> {
        let name = self.lower_name("the name of a predicate")?;
        let parameters = self.variables(true)?;
        let formula = self.braced_formula()?;
        Ok(Item::Predicate(Predicate {
            name,
            parameters,
            formula,
            span: self.tokens.span_from(start),
        }))
    }

    fn transition(&mut self, start: Span) -> Parsed<Item> {
        if !self.tokens.at(&[TokenKind::LowerName, TokenKind::UpperName]) {
            let mut diagnostic = self.tokens.expected("the name of the transition");
            if is_keyword(self.tokens.peek()) {
                diagnostic = diagnostic.help(format!(
                    "{} is a keyword and cannot be a name",
                    self.tokens.peek().describe()
                ));
            }
            return Err(self.tokens.report(diagnostic));
        }
        let name = self.identifier();
        let span = self.tokens.span_from(start);
        if self.tokens.peek() != TokenKind::LeftParenthesis {
            let diagnostic = self
                .tokens
                .expected("`(`")
                .help("the parentheses stand there even without parameters: `transition t () ...`");
            return Err(self.tokens.report(diagnostic));
        }
        let parameters = self.variables(false)?;
        let mut guard = None;
        if self.tokens.eat(TokenKind::Requires) {
            guard = Some(self.guard()?);
        } else if self.tokens.peek() != TokenKind::LeftBrace {
            let diagnostic = self
                .tokens
                .expected("`requires` or `{`")
                .help("a guard is written `requires { ... }`");
            return Err(self.tokens.report(diagnostic));
        }
        let (lets, updates) = self.body()?;
        Ok(Item::Transition(Transition {
            name,
            parameters,
            guard,
            lets,
            updates,
            span,
        }))
    }

    /// The guard; after an error in it, the updates are still parsed.
    fn guard(&mut self) -> Parsed<Formula> {
        let start = self.tokens.token().span;
        match self.braced_formula() {
            Ok(formula) => Ok(formula),
            Err(Reported) => {
                self.skip_to(&[TokenKind::RightBrace]);
                if !self.tokens.eat(TokenKind::RightBrace) {
                    return Err(Reported);
                }
                Ok(Formula {
                    kind: FormulaKind::Error,
                    span: self.tokens.span_from(start),
                })
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn body(&mut self) -> Parsed<(Vec<(Identifier, Term)>, Vec<Update>)> {
        let opening = self.tokens.expect(TokenKind::LeftBrace)?.span;
        let mut lets = Vec::new();
        while self.tokens.eat(TokenKind::Let) {
            let name = self.lower_name("a name for the term")?;
            self.tokens.expect(TokenKind::Equal)?;
            let value = self.term()?;
            self.tokens.expect(TokenKind::In)?;
            lets.push((name, value));
        }
        let mut updates = Vec::new();
        while !self.tokens.at(&[TokenKind::RightBrace, TokenKind::EndOfFile]) && !starts_item(self.tokens.peek()) {
            let before = self.tokens.position();
            match self.update() {
                Ok(update) => updates.push(update),
                Err(Reported) => self.skip_to(&[TokenKind::Semicolon, TokenKind::RightBrace]),
            }
            if !self.tokens.eat(TokenKind::Semicolon) && self.tokens.peek() != TokenKind::RightBrace {
                self.missing_separator();
            }
            if self.tokens.position() == before {
                // An unmatched closing bracket: nothing else stops the skipping.
                self.tokens.advance();
            }
        }
        self.expect_closing(TokenKind::RightBrace, opening)?;
        Ok((lets, updates))
    }

    /// Neither `;` nor `}` after an update. If another update follows, only the semicolon is missing.
    fn missing_separator(&mut self) {
        if self.tokens.peek() == TokenKind::EndOfFile || starts_item(self.tokens.peek()) {
            return;
        }
        let mut diagnostic = self.tokens.expected("`;` or `}`");
        if self.starts_update() {
            diagnostic = diagnostic.help("updates are separated by `;`");
            self.tokens.report(diagnostic);
            return;
        }
        self.tokens.report(diagnostic);
        self.skip_to(&[TokenKind::Semicolon, TokenKind::RightBrace]);
        self.tokens.eat(TokenKind::Semicolon);
    }

    fn starts_update(&self) -> bool {
        self.tokens.peek() == TokenKind::UpperName
            && matches!(self.tokens.token_at(1).kind, TokenKind::Assign | TokenKind::LeftBracket)
    }

    fn update(&mut self) -> Parsed<Update> {
        let start = self.tokens.token().span;
        let target = self.upper_name("the name of a variable or array")?;
        let mut indices = None;
        if self.tokens.peek() == TokenKind::LeftBracket {
            indices = Some(self.indices()?);
        }
        if self.tokens.peek() == TokenKind::Equal {
            let diagnostic = self.tokens.expected("`:=`").help("`=` compares, `:=` changes");
            self.tokens.report(diagnostic);
            self.tokens.advance();
        } else {
            self.tokens.expect(TokenKind::Assign)?;
        }
        let value = match self.tokens.peek() {
            TokenKind::Case => {
                self.tokens.advance();
                UpdateValue::Case(self.branches()?)
            }
            TokenKind::Point | TokenKind::QuestionMark => UpdateValue::Arbitrary(self.tokens.advance().span),
            _ => UpdateValue::Term(self.term()?),
        };
        Ok(Update {
            target,
            indices,
            value,
            span: self.tokens.span_from(start),
        })
    }

    fn branches(&mut self) -> Parsed<Vec<Branch>> {
        let mut branches: Vec<Branch> = Vec::new();
        loop {
            let start = self.tokens.token().span;
            if !self.tokens.eat(TokenKind::Bar) {
                if !branches.is_empty() {
                    return Ok(branches);
                }
                let diagnostic = self
                    .tokens
                    .expected("`|`")
                    .help("every branch starts with `|`, the first one too");
                self.tokens.report(diagnostic);
            }
            if let Some(last) = branches.last()
                && last.condition.is_none()
            {
                let span = last.span;
                self.tokens.report(
                    Diagnostic::error(span, "the branch `_` must be the last one")
                        .label("what follows it is never reached"),
                );
            }
            let condition = if self.tokens.eat(TokenKind::Underscore) {
                None
            } else {
                Some(self.formula()?)
            };
            self.tokens.expect(TokenKind::Colon)?;
            let value = self.term()?;
            branches.push(Branch {
                condition,
                value,
                span: self.tokens.span_from(start),
            });
        }
    }
}
