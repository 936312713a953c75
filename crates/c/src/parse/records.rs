//! Structs, unions, and enumerations.

use super::declarators::Naming;
use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{EnumerationSpecifier, Enumerator, FieldDeclarator, Member, RecordSpecifier};
use system::Diagnostic;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn record(&mut self) -> Parse<RecordSpecifier> {
        let start = self.position;
        let is_union = self.at_word(Word::Union);
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = match self.kind() {
            Kind::Identifier => {
                let number = self.bump();
                Some(self.name_at(number))
            }
            _ => None,
        };
        let mut members = None;
        if self.at(Mark::LeftBrace) {
            members = Some(self.members()?);
            attributes.extend(self.pack_attribute());
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            let word = if is_union { "union" } else { "struct" };
            return Err(self.expected(&format!("a name or `{{` behind `{word}`")));
        }
        Ok(RecordSpecifier {
            is_union,
            tag,
            members,
            attributes,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn members(&mut self) -> Parse<Vec<Member>> {
        let open = self.bump();
        let mut members = Vec::new();
        while !self.at(Mark::RightBrace) && !self.at_end() {
            let start = self.position;
            if self.eat(Mark::Semicolon) {
                continue;
            }
            let depth = self.depth;
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => {
                    self.skip_statement(start);
                    self.depth = depth;
                }
            }
        }
        self.expect_close(Mark::RightBrace, open)?;
        Ok(members)
    }

    #[inline(never)]
    fn member(&mut self) -> Parse<Member> {
        if self.at_word(Word::StaticAssert) {
            return Ok(Member::StaticAssertion(self.static_assertion()?));
        }
        let start = self.position;
        let mut specifiers = self.specifiers()?;
        if specifiers.types.is_empty() {
            if self.kind() == Kind::Identifier && self.next_is(Mark::Star) {
                let unknown = self.unknown_type();
                specifiers.types.push(unknown);
            } else {
                return Err(self.expected("the type of a member"));
            }
        }
        let mut declarators = Vec::new();
        if !self.at(Mark::Semicolon) && !self.at(Mark::RightBrace) {
            loop {
                declarators.push(self.field()?);
                if !self.eat(Mark::Comma) {
                    break;
                }
                self.attributes(&mut specifiers.attributes)?;
            }
        }
        if self.at(Mark::RightBrace) {
            let warning = Diagnostic::warning(self.insertion(), "there is no `;` behind the last member");
            self.tell(warning.label("expected `;`"));
        } else {
            self.expect_semicolon("a member")?;
        }
        Ok(Member::Fields {
            specifiers,
            declarators,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn field(&mut self) -> Parse<FieldDeclarator> {
        let mut attributes = Vec::new();
        let mut declarator = None;
        if !self.at(Mark::Colon) {
            let (read, inner) = self.declarator_with_attributes(Naming::Always)?;
            declarator = Some(read);
            attributes = inner;
        }
        let mut width = None;
        if self.eat(Mark::Colon) {
            width = Some(self.conditional()?);
        }
        self.attributes(&mut attributes)?;
        Ok(FieldDeclarator {
            declarator,
            width,
            attributes,
        })
    }

    #[inline(never)]
    pub(super) fn enumeration(&mut self) -> Parse<EnumerationSpecifier> {
        let start = self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = match self.kind() {
            Kind::Identifier => {
                let number = self.bump();
                Some(self.name_at(number))
            }
            _ => None,
        };
        let mut enumerators = None;
        if self.at(Mark::LeftBrace) {
            enumerators = Some(self.enumerators()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a name or `{` behind `enum`"));
        }
        Ok(EnumerationSpecifier {
            tag,
            enumerators,
            attributes,
            span: self.since(start),
        })
    }

    #[inline(never)]
    fn enumerators(&mut self) -> Parse<Vec<Enumerator>> {
        let open = self.bump();
        let mut enumerators = Vec::new();
        loop {
            if self.at(Mark::RightBrace) && !enumerators.is_empty() {
                break;
            }
            let number = self.position;
            let name = self.name("the name of a constant")?;
            self.skip_attributes()?;
            let value = if self.eat(Mark::Equal) {
                Some(self.conditional()?)
            } else {
                None
            };
            self.scopes.declare(self.token_text(number), false);
            enumerators.push(Enumerator { name, value });
            if !self.eat(Mark::Comma) {
                break;
            }
        }
        self.expect_close(Mark::RightBrace, open)?;
        Ok(enumerators)
    }
}
