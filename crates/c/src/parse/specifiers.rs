//! Declaration specifiers.

use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{Alignment, Qualifiers, Specifiers, Storage, TypeName, TypeSpecifier, TypeWord};
use system::Diagnostic;
use system::suggest::nearest;

/// Keywords that are equivalent to one or two type specifiers.
fn type_words(word: Word) -> &'static [TypeWord] {
    match word {
        Word::Void => &[TypeWord::Void],
        Word::Char => &[TypeWord::Char],
        Word::Short => &[TypeWord::Short],
        Word::Int => &[TypeWord::Int],
        Word::Long => &[TypeWord::Long],
        Word::Signed => &[TypeWord::Signed],
        Word::Unsigned => &[TypeWord::Unsigned],
        // Distinct types with the same values and the same layout.
        Word::Float | Word::Float32 => &[TypeWord::Float],
        Word::Double | Word::Float64 | Word::Float32x => &[TypeWord::Double],
        Word::Float64x => &[TypeWord::Long, TypeWord::Double],
        Word::Bool => &[TypeWord::Bool],
        Word::Complex => &[TypeWord::Complex],
        Word::Int128 => &[TypeWord::Int128],
        Word::UnsignedInt128 => &[TypeWord::Unsigned, TypeWord::Int128],
        Word::Float128 => &[TypeWord::Float128],
        Word::VariadicList => &[TypeWord::VariadicList],
        _ => &[],
    }
}

fn storage(word: Word) -> Option<Storage> {
    Some(match word {
        Word::Typedef => Storage::Typedef,
        Word::Extern => Storage::Extern,
        Word::Static => Storage::Static,
        Word::Auto => Storage::Auto,
        Word::Register => Storage::Register,
        Word::ThreadLocal => Storage::ThreadLocal,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Whether the next identifier is a type name, or an undeclared one that must be a type.
    pub(super) fn at_type_name(&self) -> bool {
        self.kind() == Kind::Identifier && self.is_type_name(self.position)
    }

    fn is_type_name(&self, number: usize) -> bool {
        let name = self.token_text(number);
        self.scopes.is_type(name)
    }

    /// Whether a type begins here, as in a cast.
    pub(super) fn at_type(&self) -> bool {
        self.is_type_at(0)
    }

    /// As `at_type`, some tokens ahead.
    pub(super) fn is_type_at(&self, ahead: usize) -> bool {
        let mut ahead = ahead;
        while self.peek(ahead) == Kind::Word(Word::Extension) {
            ahead += 1;
        }
        match self.peek(ahead) {
            Kind::Identifier => self.is_type_name(self.position + ahead),
            Kind::Word(word) => {
                !type_words(word).is_empty()
                    || matches!(
                        word,
                        Word::Struct
                            | Word::Union
                            | Word::Enum
                            | Word::Typeof
                            | Word::Atomic
                            | Word::Const
                            | Word::Volatile
                            | Word::Restrict
                            | Word::Attribute
                            | Word::Alignas
                            | Word::AutoType
                    )
            }
            _ => false,
        }
    }

    /// Whether a declaration begins here.
    pub(super) fn at_declaration_start(&self) -> bool {
        match self.kind() {
            Kind::Word(Word::Extension) => self.is_declaration_behind_extension(),
            Kind::Word(word) => {
                storage(word).is_some()
                    || matches!(word, Word::Inline | Word::Noreturn | Word::StaticAssert)
                    || self.at_type()
            }
            Kind::Identifier => self.at_type() || self.at_unknown_type(),
            _ => false,
        }
    }

    fn is_declaration_behind_extension(&self) -> bool {
        let mut ahead = 1;
        while self.peek(ahead) == Kind::Word(Word::Extension) {
            ahead += 1;
        }
        match self.peek(ahead) {
            Kind::Word(word) => {
                storage(word).is_some()
                    || matches!(word, Word::Inline | Word::Noreturn | Word::StaticAssert)
                    || self.is_type_at(ahead)
            }
            _ => self.is_type_at(ahead),
        }
    }

    /// `name name`: only a declaration looks like this.
    pub(super) fn at_unknown_type(&self) -> bool {
        self.kind() == Kind::Identifier
            && matches!(
                self.peek(1),
                Kind::Identifier | Kind::Word(Word::Const | Word::Volatile | Word::Restrict)
            )
    }

    /// Declaration specifiers. Where a type is expected, another name is an error.
    #[inline(never)]
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let start = self.position;
        let mut specifiers = Specifiers::default();
        self.inferred = None;
        loop {
            match self.kind() {
                Kind::Word(Word::Attribute) => self.attributes(&mut specifiers.attributes)?,
                Kind::Word(word) => {
                    if !self.specifier(word, &mut specifiers)? {
                        break;
                    }
                }
                Kind::Identifier if specifiers.types.is_empty() => {
                    if self.at_type_name() {
                        let number = self.bump();
                        let is_unknown = self.unknown_types.contains(self.token_text(number));
                        specifiers.types.push(if is_unknown {
                            TypeSpecifier::Error(self.span(number))
                        } else {
                            TypeSpecifier::Named(self.name_at(number))
                        });
                    } else if self.at_unknown_type() {
                        specifiers.types.push(self.unknown_type());
                    } else {
                        break;
                    }
                }
                _ => break,
            }
        }
        if self.position > start {
            specifiers.span = self.since(start);
        } else {
            specifiers.span = self.here();
        }
        Ok(specifiers)
    }

    /// Treats an unknown name as a type.
    #[inline(never)]
    pub(super) fn unknown_type(&mut self) -> TypeSpecifier {
        let name = self.token_text(self.position);
        let mut error = Diagnostic::error(self.here(), format!("`{name}` is no type")).label("not declared as a type");
        if let Some(other) = nearest(name, self.scopes.types()) {
            error = error.help(format!("there is a type `{other}`"));
        }
        self.report(error);
        let number = self.bump();
        self.unknown_types.insert(self.token_text(number));
        self.scopes.declare(self.token_text(number), true);
        TypeSpecifier::Error(self.span(number))
    }

    /// One keyword, if it is a specifier.
    #[inline(never)]
    fn specifier(&mut self, word: Word, specifiers: &mut Specifiers) -> Parse<bool> {
        let span = self.here();
        if let Some(storage) = storage(word) {
            specifiers.storage.push((storage, span));
        } else if !type_words(word).is_empty() {
            let words = type_words(word).iter();
            specifiers
                .types
                .extend(words.map(|word| TypeSpecifier::Word(*word, span)));
        } else if self.qualifier(word, &mut specifiers.qualifiers) {
            return Ok(true);
        } else {
            match word {
                Word::Extension => {}
                Word::Inline => specifiers.is_inline = true,
                Word::Noreturn => specifiers.is_noreturn = true,
                Word::Struct | Word::Union => {
                    let record = self.nested(|parser| parser.record())?;
                    specifiers.types.push(TypeSpecifier::Record(record));
                    return Ok(true);
                }
                Word::Enum => {
                    let enumeration = self.enumeration()?;
                    specifiers.types.push(TypeSpecifier::Enumeration(enumeration));
                    return Ok(true);
                }
                Word::Typeof => {
                    let specifier = self.typeof_specifier()?;
                    specifiers.types.push(specifier);
                    return Ok(true);
                }
                Word::Atomic => {
                    let specifier = self.atomic_specifier()?;
                    specifiers.types.push(specifier);
                    return Ok(true);
                }
                Word::Alignas => {
                    let alignment = self.alignment()?;
                    specifiers.alignments.push(alignment);
                    return Ok(true);
                }
                Word::AutoType => {
                    self.inferred = Some(span);
                    specifiers.types.push(TypeSpecifier::Error(span));
                }
                Word::Unsupported => {
                    let text = self.token_text(self.position);
                    self.unsupported(&format!("`{text}`"), "");
                    specifiers.types.push(TypeSpecifier::Error(span));
                }
                _ => return Ok(false),
            }
        }
        self.bump();
        Ok(true)
    }

    /// Rejects a construct that gcc supports.
    #[inline(never)]
    pub(super) fn unsupported(&mut self, what: &str, help: &str) -> super::Failed {
        let error = Diagnostic::error(self.here(), format!("{what} is not supported")).label("cannot be read");
        self.report(if help.is_empty() { error } else { error.help(help) })
    }

    /// Consumes a qualifier, if there is one. `_Atomic(` is none.
    pub(super) fn qualifier(&mut self, word: Word, qualifiers: &mut Qualifiers) -> bool {
        match word {
            Word::Const => qualifiers.is_const = true,
            Word::Volatile => qualifiers.is_volatile = true,
            Word::Restrict => qualifiers.is_restrict = true,
            Word::Atomic if !self.next_is(Mark::LeftParenthesis) => qualifiers.is_atomic = true,
            _ => return false,
        }
        self.bump();
        true
    }

    #[inline(never)]
    fn typeof_specifier(&mut self) -> Parse<TypeSpecifier> {
        let start = self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        if self.at_type() {
            let name = self.nested(|parser| parser.type_name())?;
            self.expect_close(Mark::RightParenthesis, open)?;
            return Ok(TypeSpecifier::TypeofType(Box::new(name), self.since(start)));
        }
        let expression = self.nested(|parser| parser.expression())?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(TypeSpecifier::TypeofExpression(Box::new(expression), self.since(start)))
    }

    #[inline(never)]
    fn atomic_specifier(&mut self) -> Parse<TypeSpecifier> {
        let start = self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let name = self.nested(|parser| parser.type_name())?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(TypeSpecifier::Atomic(Box::new(name), self.since(start)))
    }

    #[inline(never)]
    fn alignment(&mut self) -> Parse<Alignment> {
        self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let alignment = if self.at_type() {
            Alignment::Type(self.nested(|parser| parser.type_name())?)
        } else {
            Alignment::Expression(self.nested(|parser| parser.conditional())?)
        };
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(alignment)
    }

    /// A type as in a cast: specifiers, and a declarator without a name.
    #[inline(never)]
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let start = self.position;
        let mut specifiers = self.specifiers()?;
        if specifiers.types.is_empty() {
            return Err(self.expected("a type"));
        }
        let outer = std::mem::take(&mut self.declarator_attributes);
        let declarator = self.declarator(super::declarators::Naming::Never);
        let inner = std::mem::replace(&mut self.declarator_attributes, outer);
        let declarator = declarator?;
        specifiers.attributes.extend(inner);
        Ok(TypeName {
            specifiers,
            declarator,
            span: self.since(start),
        })
    }
}
