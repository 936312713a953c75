//! Expressions with keywords, which take types.

use super::{Parse, Parser};
use crate::lex::{Mark, Word};
use crate::syntax::{Designator, ExpressionKind};

impl Parser<'_> {
    /// None where the keyword begins no expression.
    #[inline(never)]
    pub(super) fn builtin(&mut self, word: Word) -> Parse<Option<ExpressionKind>> {
        let kind = match word {
            Word::Generic => self.in_parentheses(Self::generic)?,
            Word::Offsetof => self.in_parentheses(Self::offset_of)?,
            Word::VariadicArgument => self.in_parentheses(Self::variadic_argument)?,
            Word::TypesCompatible => self.in_parentheses(Self::types_compatible)?,
            Word::ChooseExpression => self.in_parentheses(Self::choose)?,
            Word::Unsupported => {
                let text = self.token_text(self.position);
                return Err(self.unsupported(&format!("`{text}`"), ""));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn in_parentheses<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.bump();
        let open = self.position;
        self.expect(Mark::LeftParenthesis)?;
        let result = self.nested(read)?;
        self.expect_close(Mark::RightParenthesis, open)?;
        Ok(result)
    }

    #[inline(never)]
    fn generic(&mut self) -> Parse<ExpressionKind> {
        let control = Box::new(self.assignment()?);
        let mut choices = Vec::new();
        self.expect(Mark::Comma)?;
        loop {
            let type_name = if self.eat_word(Word::Default) {
                None
            } else {
                Some(self.type_name()?)
            };
            self.expect(Mark::Colon)?;
            choices.push((type_name, self.assignment()?));
            if !self.eat(Mark::Comma) {
                return Ok(ExpressionKind::Generic { control, choices });
            }
        }
    }

    #[inline(never)]
    fn offset_of(&mut self) -> Parse<ExpressionKind> {
        let type_name = Box::new(self.type_name()?);
        self.expect(Mark::Comma)?;
        let mut designators = vec![Designator::Field(self.name("the name of a member")?)];
        self.designators(&mut designators)?;
        Ok(ExpressionKind::Offsetof { type_name, designators })
    }

    #[inline(never)]
    fn variadic_argument(&mut self) -> Parse<ExpressionKind> {
        let list = Box::new(self.assignment()?);
        self.expect(Mark::Comma)?;
        let type_name = Box::new(self.type_name()?);
        Ok(ExpressionKind::VariadicArgument { list, type_name })
    }

    #[inline(never)]
    fn types_compatible(&mut self) -> Parse<ExpressionKind> {
        let left = Box::new(self.type_name()?);
        self.expect(Mark::Comma)?;
        let right = Box::new(self.type_name()?);
        Ok(ExpressionKind::TypesCompatible(left, right))
    }

    #[inline(never)]
    fn choose(&mut self) -> Parse<ExpressionKind> {
        let condition = Box::new(self.assignment()?);
        self.expect(Mark::Comma)?;
        let then = Box::new(self.assignment()?);
        self.expect(Mark::Comma)?;
        let otherwise = Box::new(self.assignment()?);
        Ok(ExpressionKind::Choose {
            condition,
            then,
            otherwise,
        })
    }
}
