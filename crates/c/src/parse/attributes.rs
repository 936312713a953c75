//! `__attribute__((...))`, `asm("name")`, and other elements that are allowed almost anywhere.

use super::{Parse, Parser};
use crate::lex::{Kind, Mark, Word};
use crate::syntax::{Attribute, Expression, ExpressionKind, Name};

impl Parser<'_> {
    /// Zero or more attributes.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parse<()> {
        while self.eat_word(Word::Attribute) {
            let outer = self.position;
            self.expect(Mark::LeftParenthesis)?;
            let inner = self.position;
            self.expect(Mark::LeftParenthesis)?;
            loop {
                if let Kind::Identifier | Kind::Word(_) = self.kind() {
                    attributes.push(self.attribute()?);
                }
                if !self.eat(Mark::Comma) {
                    break;
                }
            }
            self.expect_close(Mark::RightParenthesis, inner)?;
            self.expect_close(Mark::RightParenthesis, outer)?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let number = self.bump();
        let text = self.token_text(number);
        let bare = text
            .strip_prefix("__")
            .and_then(|text| text.strip_suffix("__"))
            .unwrap_or(text);
        let name = Name {
            text: bare.to_owned(),
            span: self.span(number),
        };
        let mut arguments = Vec::new();
        let open = self.position;
        if self.eat(Mark::LeftParenthesis) {
            while !self.at(Mark::RightParenthesis) && !self.at_end() {
                arguments.push(self.attribute_argument()?);
                if !self.eat(Mark::Comma) {
                    break;
                }
            }
            self.expect_close(Mark::RightParenthesis, open)?;
        }
        Ok(Attribute { name, arguments })
    }

    /// `printf` in `format(printf, 1, 2)` is a name, regardless of declarations.
    fn attribute_argument(&mut self) -> Parse<Expression> {
        let is_alone = self.next_is(Mark::Comma) || self.next_is(Mark::RightParenthesis);
        if is_alone && let Kind::Identifier | Kind::Word(_) = self.kind() {
            let number = self.bump();
            return Ok(Expression {
                kind: ExpressionKind::Identifier(self.token_text(number).to_owned()),
                span: self.span(number),
            });
        }
        self.assignment()
    }

    /// Attributes without effect, such as those of labels.
    pub(super) fn skip_attributes(&mut self) -> Parse<()> {
        self.attributes(&mut Vec::new())
    }

    /// `asm("name")` and attributes behind a declarator.
    pub(super) fn behind_declarator(&mut self, attributes: &mut Vec<Attribute>) -> Parse<Option<String>> {
        self.attributes(attributes)?;
        let mut name = None;
        if self.eat_word(Word::Assembler) {
            let open = self.position;
            self.expect(Mark::LeftParenthesis)?;
            name = Some(self.plain_text()?);
            self.expect_close(Mark::RightParenthesis, open)?;
            self.attributes(attributes)?;
        }
        Ok(name)
    }
}
