//! Declarators: names with type derivations around them.

use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{ArrayLength, Attribute, Declarator, Derivation, Name, Parameter, Parameters, Qualifiers};

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    Always,
    /// Parameters.
    Maybe,
    /// Casts and the like.
    Never,
}

impl Parser<'_> {
    /// A declarator, and the attributes inside of it.
    #[inline(never)]
    pub(super) fn declarator_with_attributes(&mut self, naming: Naming) -> Parse<(Declarator, Vec<Attribute>)> {
        let outer = std::mem::take(&mut self.declarator_attributes);
        let declarator = self.declarator(naming);
        let inner = std::mem::replace(&mut self.declarator_attributes, outer);
        Ok((declarator?, inner))
    }

    /// Leaves the attributes inside of it in `declarator_attributes`.
    pub(super) fn declarator(&mut self, naming: Naming) -> Parse<Declarator> {
        let start = self.position;
        let mut derivations = Vec::new();
        let name = self.nested(|parser| parser.derived(naming, &mut derivations))?;
        let span = if self.position > start {
            self.since(start)
        } else {
            self.here()
        };
        Ok(Declarator {
            name,
            derivations,
            assembler_name: None,
            span,
        })
    }

    /// Adds derivations in the order in which they apply to the specified type: pointers, then suffixes from right to
    /// left, then those in parentheses.
    #[inline(never)]
    fn derived(&mut self, naming: Naming, derivations: &mut Vec<Derivation>) -> Parse<Option<Name>> {
        self.inner_attributes()?;
        while self.eat(Mark::Star) {
            let mut qualifiers = Qualifiers::default();
            while let Kind::Word(word) = self.kind() {
                if word == Word::Attribute {
                    self.inner_attributes()?;
                } else if !self.qualifier(word, &mut qualifiers) {
                    break;
                }
            }
            derivations.push(Derivation::Pointer(qualifiers));
        }
        let mut inside = Vec::new();
        let mut name = None;
        if self.at(Mark::LeftParenthesis) && self.is_parenthesised(naming) {
            let open = self.bump();
            name = self.nested(|parser| parser.derived(naming, &mut inside))?;
            self.expect_close(Mark::RightParenthesis, open)?;
        } else if self.kind() == Kind::Identifier && naming != Naming::Never {
            let number = self.bump();
            name = Some(self.name_at(number));
        } else if naming == Naming::Always {
            return Err(self.expected("a name"));
        }
        let first = derivations.len();
        loop {
            if self.at(Mark::LeftBracket) {
                let derivation = self.nested(|parser| parser.array())?;
                derivations.push(derivation);
            } else if self.at(Mark::LeftParenthesis) {
                let derivation = self.nested(|parser| parser.function())?;
                derivations.push(derivation);
            } else {
                break;
            }
        }
        if let Some(behind) = derivations.get_mut(first..) {
            behind.reverse();
        }
        derivations.append(&mut inside);
        Ok(name)
    }

    fn inner_attributes(&mut self) -> Parse<()> {
        if self.at_word(Word::Attribute) {
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            self.declarator_attributes.extend(attributes);
        }
        Ok(())
    }

    /// Whether a parenthesis holds a declarator rather than parameters.
    fn is_parenthesised(&self, naming: Naming) -> bool {
        match self.peek(1) {
            Kind::Mark(Mark::Star | Mark::LeftParenthesis | Mark::LeftBracket) => true,
            Kind::Word(Word::Attribute) => naming != Naming::Never || !self.is_type_behind_attributes(),
            Kind::Mark(Mark::RightParenthesis) => false,
            Kind::Identifier => match naming {
                Naming::Always => true,
                // A type here is that of a parameter.
                Naming::Maybe => !self.is_type_at(1),
                Naming::Never => false,
            },
            _ => naming == Naming::Always,
        }
    }

    /// `(__attribute__((x)) int)` has parameters, `(__attribute__((x)) *)` has none.
    fn is_type_behind_attributes(&self) -> bool {
        let mut ahead = 1;
        while self.peek(ahead) == Kind::Word(Word::Attribute) {
            let mut depth = 0_usize;
            ahead += 1;
            loop {
                match self.peek(ahead) {
                    Kind::Mark(Mark::LeftParenthesis) => depth += 1,
                    Kind::Mark(Mark::RightParenthesis) => depth = depth.saturating_sub(1),
                    Kind::End => return false,
                    _ => {}
                }
                ahead += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        self.is_type_at(ahead)
    }

    #[inline(never)]
    fn array(&mut self) -> Parse<Derivation> {
        let open = self.bump();
        // `static` and qualifiers constrain arguments, which has no effect here.
        let mut qualifiers = Qualifiers::default();
        while let Kind::Word(word) = self.kind() {
            if word == Word::Static {
                self.bump();
            } else if word == Word::Attribute {
                self.skip_attributes()?;
            } else if !self.qualifier(word, &mut qualifiers) {
                break;
            }
        }
        let length = if self.at(Mark::RightBracket) {
            ArrayLength::Unknown
        } else if self.at(Mark::Star) && self.next_is(Mark::RightBracket) {
            self.bump();
            ArrayLength::AnyVariable
        } else {
            ArrayLength::Expression(Box::new(self.assignment()?))
        };
        self.expect_close(Mark::RightBracket, open)?;
        Ok(Derivation::Array(length, self.since(open)))
    }

    #[inline(never)]
    fn function(&mut self) -> Parse<Derivation> {
        let open = self.bump();
        self.scopes.enter();
        let parameters = self.parameters();
        self.scopes.leave();
        let parameters = parameters?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(Derivation::Function(parameters, self.since(open)))
    }

    #[inline(never)]
    fn parameters(&mut self) -> Parse<Parameters> {
        if self.at(Mark::RightParenthesis) {
            return Ok(Parameters::Unknown);
        }
        if self.at_word(Word::Void) && self.next_is(Mark::RightParenthesis) {
            self.bump();
            return Ok(Parameters::Types {
                parameters: Vec::new(),
                is_variadic: false,
            });
        }
        let is_name = self.kind() == Kind::Identifier && !self.at_type();
        if is_name && (self.next_is(Mark::Comma) || self.next_is(Mark::RightParenthesis)) {
            return self.parameter_names();
        }
        let mut parameters = Vec::new();
        let mut is_variadic = false;
        loop {
            if self.eat(Mark::Ellipsis) {
                is_variadic = true;
                break;
            }
            parameters.push(self.parameter()?);
            if !self.eat(Mark::Comma) {
                break;
            }
        }
        Ok(Parameters::Types {
            parameters,
            is_variadic,
        })
    }

    fn parameter_names(&mut self) -> Parse<Parameters> {
        let mut names = Vec::new();
        loop {
            names.push(self.name("the name of a parameter")?);
            if !self.eat(Mark::Comma) {
                return Ok(Parameters::Names(names));
            }
        }
    }

    #[inline(never)]
    fn parameter(&mut self) -> Parse<Parameter> {
        let mut specifiers = self.specifiers()?;
        if specifiers.types.is_empty() {
            let is_type = self.kind() == Kind::Identifier
                && matches!(
                    self.peek(1),
                    Kind::Mark(Mark::Star | Mark::Comma | Mark::RightParenthesis | Mark::LeftBracket)
                );
            if !is_type {
                return Err(self.expected("the type of a parameter"));
            }
            let unknown = self.unknown_type();
            specifiers.types.push(unknown);
        }
        let (declarator, mut attributes) = self.declarator_with_attributes(Naming::Maybe)?;
        let assembler_name = self.behind_declarator(&mut attributes)?;
        let declarator = Declarator {
            assembler_name,
            ..declarator
        };
        self.declare(&declarator, false);
        Ok(Parameter {
            specifiers,
            declarator,
            attributes,
        })
    }
}
