//! Pragmas: those that change the layout of records are applied, other relevant ones are reported.

use super::Parser;
use crate::lex::Pragma;
use crate::syntax::{Attribute, Expression, ExpressionKind, IntegerLiteral, Name};
use system::{Diagnostic, Span};

/// `#pragma pack`: the maximum alignment of fields.
#[derive(Debug, Default)]
pub(super) struct Packing {
    /// The tokens from which each limit applies, and the pragma.
    limits: Vec<(usize, Option<u32>, Span)>,
    /// The stack of saved limits.
    stack: Vec<(Option<String>, Option<u32>)>,
}

impl Packing {
    fn current(&self) -> Option<u32> {
        self.limits.last().and_then(|(_, limit, _)| *limit)
    }

    fn at(&self, offset: usize) -> Option<(u32, Span)> {
        let number = self.limits.partition_point(|(start, _, _)| *start <= offset);
        let (_, limit, span) = self.limits.get(number.checked_sub(1)?)?;
        limit.map(|limit| (limit, *span))
    }
}

impl Parser<'_> {
    pub(super) fn read_pragmas(&mut self, pragmas: &[Pragma], place: impl Fn(u32, u32) -> Span) {
        for pragma in pragmas {
            let span = place(pragma.start, pragma.end);
            let text = pragma.text.trim();
            let word_length = text
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(text.len());
            let (word, rest) = text.split_at(word_length);
            match word {
                "pack" => self.pack(rest.trim(), pragma.start as usize, span),
                "scalar_storage_order" | "redefine_extname" | "weak" => {
                    let error = Diagnostic::error(span, format!("`#pragma {word}` is not supported"));
                    self.tell(error.label("changes what the program means"));
                }
                "omp" | "acc" => {
                    let warning = Diagnostic::warning(span, format!("`#pragma {word}` is not done"));
                    self.tell(warning.label("what follows is read as if it were not there"));
                }
                _ => {}
            }
        }
    }

    /// `pack(push, name, 4)`, `pack(pop)`, `pack(4)`, `pack()`.
    fn pack(&mut self, text: &str, offset: usize, span: Span) {
        let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let Some((inside, _)) = inside else {
            let error = Diagnostic::error(span, "`#pragma pack` without parentheses").label("expected `(`");
            return self.tell(error.help("write `#pragma pack(push, 4)` or the like"));
        };
        let words: Vec<&str> = inside
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect();
        let mut limit = self.packing.current();
        let mut rest = words.as_slice();
        match rest.split_first() {
            None => limit = None,
            Some((&"push", behind)) => {
                let (name, behind) = name_of(behind);
                self.packing.stack.push((name, limit));
                rest = behind;
            }
            Some((&"pop", behind)) => {
                let (name, behind) = name_of(behind);
                rest = behind;
                let found = match &name {
                    None => self.packing.stack.len().checked_sub(1),
                    Some(_) => self.packing.stack.iter().rposition(|(other, _)| *other == name),
                };
                let Some(found) = found else {
                    let warning = Diagnostic::warning(span, "`#pragma pack(pop)` without a `push` before it");
                    return self.tell(warning.label("changes nothing"));
                };
                limit = self.packing.stack[found].1;
                self.packing.stack.truncate(found);
            }
            Some(_) => {}
        }
        match rest {
            [] => {}
            [number] => match number.parse::<u32>() {
                Ok(0) => limit = None,
                Ok(number) if number.is_power_of_two() && number <= 16 => limit = Some(number),
                _ => return self.tell(bad_pack(span, number)),
            },
            [_, other, ..] => return self.tell(bad_pack(span, other)),
        }
        self.packing.limits.push((offset, limit, span));
    }

    /// The current limit as an attribute of a record that ends before the next token.
    pub(super) fn pack_attribute(&self) -> Option<Attribute> {
        let offset = self.tokens.get(self.position.checked_sub(1)?)?.start as usize;
        let (limit, span) = self.packing.at(offset)?;
        let value = IntegerLiteral {
            value: u128::from(limit),
            is_decimal: true,
            is_unsigned: false,
            longs: 0,
        };
        Some(Attribute {
            name: Name {
                text: "pragma pack".to_owned(),
                span,
            },
            arguments: vec![Expression {
                kind: ExpressionKind::Integer(value),
                span,
            }],
        })
    }
}

fn name_of<'t, 'w>(words: &'t [&'w str]) -> (Option<String>, &'t [&'w str]) {
    match words.split_first() {
        Some((word, rest)) if !word.starts_with(|c: char| c.is_ascii_digit()) => (Some((*word).to_owned()), rest),
        _ => (None, words),
    }
}

fn bad_pack(span: Span, found: &str) -> Diagnostic {
    let error = Diagnostic::error(span, format!("`#pragma pack` cannot be understood: `{found}`"));
    error.label("an alignment is 1, 2, 4, 8 or 16")
}
