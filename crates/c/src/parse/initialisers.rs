//! Initialisers.

use super::{Parse, Parser};
use crate::lex::{Kind, Mark};
use crate::syntax::{Designator, Initialiser, InitialiserItem, InitialiserList};

impl Parser<'_> {
    pub(super) fn initialiser(&mut self) -> Parse<Initialiser> {
        if self.at(Mark::LeftBrace) {
            return Ok(Initialiser::List(self.nested(|parser| parser.initialiser_list())?));
        }
        Ok(Initialiser::Expression(self.assignment()?))
    }

    #[inline(never)]
    pub(super) fn initialiser_list(&mut self) -> Parse<InitialiserList> {
        let open = self.bump();
        let mut items = Vec::new();
        while !self.at(Mark::RightBrace) && !self.at_end() {
            let designators = self.designation()?;
            let initialiser = self.initialiser()?;
            items.push(InitialiserItem {
                designators,
                initialiser,
            });
            if !self.eat(Mark::Comma) {
                break;
            }
        }
        self.expect_close(Mark::RightBrace, open)?;
        Ok(InitialiserList {
            items,
            span: self.since(open),
        })
    }

    /// `.field[3] =`, or the obsolete `field:`.
    #[inline(never)]
    fn designation(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        if self.kind() == Kind::Identifier && self.next_is(Mark::Colon) {
            let number = self.bump();
            self.bump();
            designators.push(Designator::Field(self.name_at(number)));
            return Ok(designators);
        }
        self.designators(&mut designators)?;
        if designators.is_empty() || self.eat(Mark::Equal) {
            return Ok(designators);
        }
        // The obsolete `[3] value`.
        match designators.as_slice() {
            [Designator::Index(_) | Designator::Range(..)] => Ok(designators),
            _ => Err(self.expected("`=`")),
        }
    }

    #[inline(never)]
    pub(super) fn designators(&mut self, designators: &mut Vec<Designator>) -> Parse<()> {
        loop {
            if self.eat(Mark::Dot) {
                designators.push(Designator::Field(self.name("the name of a member")?));
            } else if self.at(Mark::LeftBracket) {
                let open = self.bump();
                let low = self.nested(|parser| parser.expression())?;
                designators.push(if self.eat(Mark::Ellipsis) {
                    Designator::Range(low, self.nested(|parser| parser.expression())?)
                } else {
                    Designator::Index(low)
                });
                self.expect_close(Mark::RightBracket, open)?;
            } else {
                return Ok(());
            }
        }
    }
}
