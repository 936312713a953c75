//! Declarations, functions, and the whole file.

use super::declarators::Naming;
use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{
    Attribute, Block, Declaration, Declarator, Derivation, Expression, ExpressionKind, FunctionDefinition,
    InitialisedDeclarator, Initialiser, IntegerLiteral, Item, Parameters, Specifiers, StaticAssertion, Storage,
    TranslationUnit, TypeSpecifier, TypeWord,
};
use system::{Diagnostic, Span};

/// A construct that begins with specifiers.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(FunctionDefinition),
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> TranslationUnit {
        let mut items = Vec::new();
        while !self.at_end() {
            if self.eat(Mark::Semicolon) {
                continue;
            }
            let start = self.position;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    self.skip_declaration(start);
                    if self.position == start {
                        self.bump();
                    }
                }
            }
            self.depth = 0;
        }
        TranslationUnit { items }
    }

    #[inline(never)]
    fn item(&mut self) -> Parse<Item> {
        let start = self.position;
        let mut ahead = 0;
        while self.peek(ahead) == Kind::Word(Word::Extension) {
            ahead += 1;
        }
        match self.peek(ahead) {
            Kind::Word(Word::Assembler) => {
                self.position += ahead;
                self.assembler()?;
                self.expect_semicolon("the assembler code")?;
                Ok(Item::Assembler(self.since(start)))
            }
            Kind::Word(Word::StaticAssert) => {
                self.position += ahead;
                Ok(Item::StaticAssertion(self.static_assertion()?))
            }
            Kind::Mark(Mark::RightBrace) => {
                let error = Diagnostic::error(self.here(), "this `}` closes nothing").label("no `{` belongs to it");
                let failed = self.report(error);
                self.skip_to_declaration();
                Err(failed)
            }
            Kind::Word(
                Word::Break
                | Word::Case
                | Word::Continue
                | Word::Default
                | Word::Do
                | Word::Else
                | Word::For
                | Word::Goto
                | Word::If
                | Word::Return
                | Word::Switch
                | Word::While,
            ) => {
                let message = format!("a statement outside of functions: {}", self.found());
                let error = Diagnostic::error(self.here(), message).label("expected a declaration");
                let failed = self.report(error.help("a `}` before it may be one too many"));
                self.skip_to_declaration();
                Err(failed)
            }
            _ => Ok(match self.declaration()? {
                Declared::Declaration(declaration) => Item::Declaration(declaration),
                Declared::Function(function) => Item::Function(function),
            }),
        }
    }

    #[inline(never)]
    pub(super) fn static_assertion(&mut self) -> Parse<StaticAssertion> {
        let start = self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let condition = self.conditional()?;
        let message = if self.eat(Mark::Comma) {
            Some(self.plain_text()?)
        } else {
            None
        };
        self.expect_close(Mark::RightParenthesis, open)?;
        self.expect_semicolon("the assertion")?;
        Ok(StaticAssertion {
            condition,
            message,
            span: self.since(start),
        })
    }

    /// A declaration or the definition of a function.
    #[inline(never)]
    pub(super) fn declaration(&mut self) -> Parse<Declared> {
        let start = self.position;
        let mut specifiers = self.specifiers()?;
        let inferred = self.inferred.take();
        if self.eat(Mark::Semicolon) {
            return Ok(Declared::Declaration(Declaration {
                specifiers,
                declarators: Vec::new(),
                span: self.since(start),
            }));
        }
        let has_type = !specifiers.types.is_empty();
        if !has_type {
            self.missing_type(&mut specifiers)?;
        }
        let is_typed = !specifiers.types.is_empty();
        let name = self.position;
        let (mut declarator, mut attributes) = self.declarator_with_attributes(Naming::Always)?;
        if !is_typed {
            self.tell_implicit_type(name, &declarator);
            let span = declarator.span;
            specifiers.types.push(TypeSpecifier::Word(TypeWord::Int, span));
        }
        declarator.assembler_name = self.behind_declarator(&mut attributes)?;
        self.declare(&declarator, is_typedef(&specifiers));
        if self.is_definition(&declarator) {
            return Ok(Declared::Function(
                self.definition(start, specifiers, declarator, attributes)?,
            ));
        }
        let mut declaration = self.declared(start, specifiers, declarator, attributes)?;
        if let Some(span) = inferred {
            self.infer(span, &mut declaration);
        }
        Ok(Declared::Declaration(declaration))
    }

    /// The rest of a declaration behind its first declarator.
    #[inline(never)]
    fn declared(
        &mut self,
        start: usize,
        specifiers: Specifiers,
        declarator: Declarator,
        attributes: Vec<Attribute>,
    ) -> Parse<Declaration> {
        let is_typedef = is_typedef(&specifiers);
        let mut declarators = vec![self.initialised(declarator, attributes)?];
        while self.eat(Mark::Comma) {
            let mut before = Vec::new();
            self.attributes(&mut before)?;
            let (mut declarator, mut attributes) = self.declarator_with_attributes(Naming::Always)?;
            declarator.assembler_name = self.behind_declarator(&mut attributes)?;
            attributes.append(&mut before);
            self.declare(&declarator, is_typedef);
            declarators.push(self.initialised(declarator, attributes)?);
        }
        self.expect_semicolon("the declaration")?;
        Ok(Declaration {
            specifiers,
            declarators,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn initialised(&mut self, declarator: Declarator, attributes: Vec<Attribute>) -> Parse<InitialisedDeclarator> {
        let initialiser = if self.eat(Mark::Equal) {
            Some(self.initialiser()?)
        } else {
            None
        };
        Ok(InitialisedDeclarator {
            declarator,
            initialiser,
            attributes,
        })
    }

    /// Declarations begin with a type. An unknown name counts as one where it looks like one.
    #[inline(never)]
    fn missing_type(&mut self, specifiers: &mut Specifiers) -> Parse<()> {
        match self.kind() {
            Kind::Identifier if self.next_is(Mark::Star) => {
                let unknown = self.unknown_type();
                specifiers.types.push(unknown);
                Ok(())
            }
            Kind::Identifier
                if self.next_is(Mark::LeftParenthesis)
                    && matches!(self.peek(2), Kind::Text | Kind::Number | Kind::Character) =>
            {
                let name = self.token_text(self.position);
                let error = Diagnostic::error(self.here(), format!("`{name}(...)` is no declaration"));
                let error = error.label("neither a type nor a name with one");
                Err(self.report(error.help("if it is a macro, the file that defines it is not included")))
            }
            Kind::Identifier | Kind::Mark(Mark::Star | Mark::LeftParenthesis) => Ok(()),
            _ => Err(self.expected("a declaration")),
        }
    }

    /// Implicit `int` before C99: a warning, as in gcc.
    #[inline(never)]
    fn tell_implicit_type(&mut self, name: usize, declarator: &Declarator) {
        let text = declarator.name.as_ref().map_or("this", |name| name.text.as_str());
        let span = declarator.name.as_ref().map_or(self.span(name), |name| name.span);
        let warning = Diagnostic::warning(span, format!("`{text}` is declared without a type: `int` is taken"));
        self.tell(warning.label("its type is missing").help(format!("write `int {text}`")));
    }

    /// `__auto_type x = value` has the type of the value after the conversions of the comma operator.
    #[inline(never)]
    fn infer(&mut self, span: Span, declaration: &mut Declaration) {
        let [only] = declaration.declarators.as_slice() else {
            let error = Diagnostic::error(span, "`__auto_type` declares one name").label("there are several behind it");
            return self.tell(error);
        };
        let is_plain = only.declarator.derivations.is_empty();
        let value = match &only.initialiser {
            Some(Initialiser::Expression(value)) if is_plain => value.clone(),
            _ => {
                let error = Diagnostic::error(span, "`__auto_type` needs a name alone, and its value");
                return self.tell(error.label("the type of what it declares is not known"));
            }
        };
        let zero = IntegerLiteral {
            value: 0,
            is_decimal: false,
            is_unsigned: false,
            longs: 0,
        };
        let zero = Expression {
            kind: ExpressionKind::Integer(zero),
            span,
        };
        let value = Expression {
            kind: ExpressionKind::Comma(Box::new(zero), Box::new(value)),
            span,
        };
        declaration.specifiers.types = vec![TypeSpecifier::TypeofExpression(Box::new(value), span)];
    }

    /// Declares a name as a type, or as a name that hides one.
    pub(super) fn declare(&mut self, declarator: &Declarator, is_typedef: bool) {
        let Some(name) = &declarator.name else {
            return;
        };
        if !is_typedef && !self.scopes.is_type(&name.text) {
            return;
        }
        // The tokens hold the text for as long as the scopes live.
        let end = self.position;
        let number = (0..end).rev().find(|number| self.token_text(*number) == name.text);
        if let Some(number) = number {
            let text = self.token_text(number);
            self.scopes.declare(text, is_typedef);
        }
    }

    /// Whether a body, or the declarations of old-style parameters, come next.
    fn is_definition(&self, declarator: &Declarator) -> bool {
        match declarator.derivations.last() {
            Some(Derivation::Function(Parameters::Names(_), _)) => {
                self.at(Mark::LeftBrace) || self.at_declaration_start()
            }
            Some(Derivation::Function(..)) => self.at(Mark::LeftBrace),
            _ => false,
        }
    }

    #[inline(never)]
    fn definition(
        &mut self,
        start: usize,
        specifiers: Specifiers,
        declarator: Declarator,
        attributes: Vec<Attribute>,
    ) -> Parse<FunctionDefinition> {
        self.scopes.enter();
        let body = self.definition_body(&declarator);
        self.scopes.leave();
        let (old_parameters, body) = body?;
        Ok(FunctionDefinition {
            specifiers,
            declarator,
            old_parameters,
            body,
            attributes,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn definition_body(&mut self, declarator: &Declarator) -> Parse<(Vec<Declaration>, Block)> {
        let mut old_parameters = Vec::new();
        match declarator.derivations.last() {
            Some(Derivation::Function(Parameters::Names(_), _)) => {
                while !self.at(Mark::LeftBrace) {
                    match self.declaration()? {
                        Declared::Declaration(declaration) => old_parameters.push(declaration),
                        Declared::Function(function) => {
                            let error = Diagnostic::error(function.span, "a function among the types of parameters");
                            return Err(self.report(error.label("expected the body of the function before it")));
                        }
                    }
                    if !self.at(Mark::LeftBrace) && !self.at_declaration_start() {
                        return Err(self.expected("the body of the function"));
                    }
                }
            }
            Some(Derivation::Function(Parameters::Types { parameters, .. }, _)) => {
                for parameter in parameters {
                    self.declare(&parameter.declarator, false);
                }
            }
            _ => {}
        }
        let body = self.nested(|parser| parser.block())?;
        Ok((old_parameters, body))
    }
}

fn is_typedef(specifiers: &Specifiers) -> bool {
    specifiers
        .storage
        .iter()
        .any(|(storage, _)| *storage == Storage::Typedef)
}
