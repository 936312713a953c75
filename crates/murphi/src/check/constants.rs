//! Named constants: their values, their dependencies, and overrides by options.

use std::collections::BTreeMap;

use system::instance::UNDEFINED;
use system::{Diagnostic, Span};

use super::expressions::symbol;
use super::names::Entity;
use super::{CheckOptions, Checker};
use crate::model::{ExpressionKind, TypeId, TypeKind};
use crate::syntax::{self, Binary, Unary};

/// Index into [`Checker::constants`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ConstantId(pub(super) usize);

#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) ty: TypeId,
    /// `None` if the definition was wrong.
    pub(super) value: Option<i64>,
    /// The constants that its definition mentions.
    pub(super) mentions: Vec<(ConstantId, Span)>,
    /// Its definition over base constants, if it is linear.
    pub(super) form: Option<Linear>,
    global: bool,
}

/// A linear combination of constants: how a size depends on the constants of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) number: i64,
    pub(super) terms: BTreeMap<ConstantId, i64>,
}

impl Linear {
    pub(super) fn number(number: i64) -> Linear {
        Linear {
            number,
            terms: BTreeMap::new(),
        }
    }

    pub(super) fn plus(&self, other: &Linear, factor: i64) -> Option<Linear> {
        let mut sum = self.clone();
        sum.number = sum.number.checked_add(other.number.checked_mul(factor)?)?;
        for (constant, coefficient) in &other.terms {
            let entry = sum.terms.entry(*constant).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        Some(sum)
    }

    fn times(&self, factor: i64) -> Option<Linear> {
        Linear::default().plus(self, factor)
    }
}

/// The bounds of a scalarset or range as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SymbolicSize {
    /// For a scalarset, 0 and its size minus 1.
    pub(super) low: Option<Linear>,
    pub(super) high: Option<Linear>,
    pub(super) mentions: Vec<(ConstantId, Span)>,
    /// The source text: `0..N-1`.
    pub(super) text: String,
}

impl SymbolicSize {
    /// high - low + 1
    fn count(&self) -> Option<Linear> {
        self.high
            .as_ref()?
            .plus(self.low.as_ref()?, -1)?
            .plus(&Linear::number(1), 1)
    }

    /// The constant whose value is the number of elements.
    pub(super) fn counting_constant(&self) -> Option<ConstantId> {
        let Linear { number: 0, terms } = self.count()? else {
            return None;
        };
        let mut terms = terms.into_iter();
        match (terms.next(), terms.next()) {
            (Some((constant, 1)), None) => Some(constant),
            _ => None,
        }
    }
}

/// The overrides by options, after sizes of types have been converted to values of constants.
#[derive(Clone, Debug, Default)]
pub(super) struct Overrides {
    pub(super) constants: BTreeMap<String, i64>,
    /// Scalarsets whose size does not depend on a single constant.
    pub(super) scalarsets: BTreeMap<String, i64>,
}

/// A larger size is certainly a mistake: explored instances are far smaller.
pub(super) const LARGEST_SIZE: i64 = 1_000_000;

impl Overrides {
    /// Resolves the options against the model as declared without them.
    pub(super) fn new(options: &CheckOptions, plain: &Checker, diagnostics: &mut Vec<Diagnostic>) -> Overrides {
        let mut overrides = Overrides::default();
        let mut report = |message: String, help: Option<String>| {
            let mut diagnostic = Diagnostic::error(Span::default(), message);
            diagnostic.help = help;
            diagnostics.push(diagnostic);
        };
        for (name, value) in &options.constants {
            if let Err((message, help)) =
                overrides.set_constant(plain, name, *value, &format!("constant {name}={value}"))
            {
                report(message, help);
            }
        }
        for (name, size) in &options.sizes {
            if let Err((message, help)) = overrides.set_size(plain, name, *size) {
                report(message, help);
            }
        }
        overrides
    }

    fn set_size(&mut self, plain: &Checker, name: &str, size: i64) -> Result<(), Complaint> {
        let option = format!("size {name}={size}");
        if size < 1 {
            return Err((format!("{option}: a size must be at least 1"), None));
        }
        if size > LARGEST_SIZE {
            return Err((format!("{option}: a size can be at most {LARGEST_SIZE}"), None));
        }
        let ty = match plain.scopes.lookup(name).map(|declared| declared.entity) {
            Some(Entity::Type(ty)) => ty,
            Some(Entity::Constant(_)) => return self.set_constant(plain, name, size, &option),
            Some(_) => return Err((format!("{option}: `{name}` is neither a type nor a constant"), None)),
            None => {
                let near = plain
                    .scopes
                    .nearest(name, |entity| matches!(entity, Entity::Type(_) | Entity::Constant(_)));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                return Err((format!("{option}: the model has no type or constant `{name}`"), help));
            }
        };
        let kind = plain.model.kind(ty);
        if !matches!(kind, TypeKind::Scalarset { .. } | TypeKind::Range { .. }) {
            let help = match kind {
                TypeKind::Union { .. } => Some("set the sizes of its members instead".to_owned()),
                _ => Some("only scalarsets and ranges have a size to choose".to_owned()),
            };
            return Err((
                format!("{option}: the size of `{name}` is fixed by its declaration"),
                help,
            ));
        }
        let count = plain.sizes.get(&ty).and_then(SymbolicSize::count);
        if let Some(Linear { number, terms }) = count {
            let mut terms = terms.iter();
            if let (Some((constant, 1)), None) = (terms.next(), terms.next()) {
                let constant = &plain.constants[constant.0];
                let Some(value) = size.checked_sub(number) else {
                    return Err((
                        format!("{option}: the constant `{}` would be too large", constant.name),
                        None,
                    ));
                };
                return self.set_constant(plain, &constant.name, value, &option);
            }
        }
        if matches!(kind, TypeKind::Scalarset { .. }) {
            // Other names of the same type must not get different sizes, so the declared name is the key.
            let declared = plain.model.types[ty.0].name.clone().unwrap_or_else(|| name.to_owned());
            return match self.scalarsets.insert(declared, size) {
                Some(other) if other != size => Err((format!("{option}: another option makes it {other}"), None)),
                _ => Ok(()),
            };
        }
        Err((
            format!("{option}: the size of `{name}` is fixed by its declaration"),
            Some("only a bound that is a constant, or a constant plus or minus a number, can be chosen".to_owned()),
        ))
    }

    fn set_constant(&mut self, plain: &Checker, name: &str, value: i64, option: &str) -> Result<(), Complaint> {
        let constant = match plain.scopes.lookup(name).map(|declared| declared.entity) {
            Some(Entity::Constant(constant)) => &plain.constants[constant.0],
            Some(_) => return Err((format!("{option}: `{name}` is not a constant"), None)),
            None => {
                let near = plain
                    .scopes
                    .nearest(name, |entity| matches!(entity, Entity::Constant(_)));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                return Err((format!("{option}: the model has no constant `{name}`"), help));
            }
        };
        let fits = match plain.model.kind(constant.ty) {
            TypeKind::Boolean => (0..=1).contains(&value),
            TypeKind::Enum { .. } => false,
            _ => true,
        };
        if !fits {
            return Err((format!("{option}: `{name}` is not a number"), None));
        }
        if value == UNDEFINED {
            return Err((format!("{option}: this number is too small"), None));
        }
        match self.constants.insert(name.to_owned(), value) {
            Some(other) if other != value => Err((
                format!("{option}: it makes the constant `{name}` {value}, but another option makes it {other}"),
                None,
            )),
            _ => Ok(()),
        }
    }
}

/// A message and an optional help text.
type Complaint = (String, Option<String>);

impl Checker {
    pub(super) fn declare_constant(&mut self, name: &syntax::Identifier, definition: &syntax::Expression) {
        let before = self.constant_uses.len();
        let value = self.expression(definition);
        let mut mentions = self.constant_uses.split_off(before);
        let mut form = self.linear(definition);
        let mut number = match value.kind {
            ExpressionKind::Literal(number) => Some(number),
            ExpressionKind::Error => None,
            _ => {
                self.report(
                    Diagnostic::error(definition.span, format!("the value of `{}` is not constant", name.text))
                        .label("it must be known before the model runs"),
                );
                None
            }
        };
        let global = self.scopes.is_global();
        if let Some(chosen) = self.overrides.constants.get(&name.text)
            && global
        {
            number = number.map(|_| *chosen);
            mentions.clear();
            form = Some(Linear::number(*chosen));
        }
        let id = ConstantId(self.constants.len());
        self.constants.push(Constant {
            name: name.text.clone(),
            ty: value.ty,
            value: number,
            mentions,
            form,
            global,
        });
        self.declare(name, Entity::Constant(id));
    }

    /// A base constant, which an option could override, is a term of its own; others are expanded.
    fn form_of_constant(&self, id: ConstantId) -> Option<Linear> {
        let constant = &self.constants[id.0];
        match &constant.form {
            Some(form) if !form.terms.is_empty() || !constant.global => Some(form.clone()),
            _ => Some(Linear {
                number: 0,
                terms: BTreeMap::from([(id, 1)]),
            }),
        }
    }

    pub(super) fn linear(&self, expression: &syntax::Expression) -> Option<Linear> {
        match &expression.kind {
            syntax::ExpressionKind::Number(number) => Some(Linear::number(*number)),
            syntax::ExpressionKind::Name(name) => match self.scopes.lookup(&name.text)?.entity {
                Entity::Constant(id) => self.form_of_constant(id),
                _ => None,
            },
            syntax::ExpressionKind::Unary(Unary::Negate, operand) => self.linear(operand)?.times(-1),
            syntax::ExpressionKind::Unary(Unary::Plus, operand) => self.linear(operand),
            syntax::ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.linear(left)?, self.linear(right)?);
                match operator {
                    Binary::Add => left.plus(&right, 1),
                    Binary::Subtract => left.plus(&right, -1),
                    Binary::Multiply if left.terms.is_empty() => right.times(left.number),
                    Binary::Multiply if right.terms.is_empty() => left.times(right.number),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The source text of a constant expression, approximately.
pub(super) fn written(expression: &syntax::Expression) -> String {
    match &expression.kind {
        syntax::ExpressionKind::Number(number) => number.to_string(),
        syntax::ExpressionKind::Name(name) => name.text.clone(),
        syntax::ExpressionKind::Unary(Unary::Negate, operand) => format!("-{}", written_operand(operand)),
        syntax::ExpressionKind::Binary(operator, left, right) => {
            format!(
                "{}{}{}",
                written_operand(left),
                symbol(*operator),
                written_operand(right)
            )
        }
        _ => "...".to_owned(),
    }
}

fn written_operand(expression: &syntax::Expression) -> String {
    match expression.kind {
        syntax::ExpressionKind::Binary(..) => format!("({})", written(expression)),
        _ => written(expression),
    }
}

/// The value of an operation on literals; `None` on division by zero or overflow. The least 64-bit number marks
/// undefined slots and counts as an overflow.
pub(super) fn fold_binary(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let value = match operator {
        Binary::Implies => i64::from(left == 0 || right != 0),
        Binary::Or => i64::from(left != 0 || right != 0),
        Binary::And => i64::from(left != 0 && right != 0),
        Binary::Less => i64::from(left < right),
        Binary::LessEqual => i64::from(left <= right),
        Binary::Greater => i64::from(left > right),
        Binary::GreaterEqual => i64::from(left >= right),
        Binary::Equal => i64::from(left == right),
        Binary::NotEqual => i64::from(left != right),
        Binary::Add => left.checked_add(right)?,
        Binary::Subtract => left.checked_sub(right)?,
        Binary::Multiply => left.checked_mul(right)?,
        // As in C: truncation towards zero, and the remainder has the sign of the dividend.
        Binary::Divide => left.checked_div(right)?,
        Binary::Modulo => left.checked_rem(right)?,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => shift_left(left, right)?,
        Binary::ShiftRight => shift_left(left, right.checked_neg()?)?,
    };
    Some(value).filter(|value| *value != UNDEFINED)
}

/// A negative count shifts right, as in Rumur.
fn shift_left(value: i64, count: i64) -> Option<i64> {
    if count >= 0 {
        let factor = i64::checked_pow(2, u32::try_from(count).ok()?);
        match factor {
            Some(factor) => value.checked_mul(factor),
            None if value == 0 => Some(0),
            None => None,
        }
    } else {
        Some(value >> count.unsigned_abs().min(63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_checked() {
        assert_eq!(fold_binary(Binary::Divide, -7, 2), Some(-3));
        assert_eq!(fold_binary(Binary::Modulo, -7, 3), Some(-1));
        assert_eq!(fold_binary(Binary::Divide, 1, 0), None);
        assert_eq!(fold_binary(Binary::Add, i64::MAX, 1), None);
        assert_eq!(fold_binary(Binary::Divide, i64::MIN, -1), None);
        assert_eq!(fold_binary(Binary::ShiftLeft, 1, 70), None);
        assert_eq!(fold_binary(Binary::ShiftLeft, 8, -2), Some(2));
        assert_eq!(fold_binary(Binary::ShiftRight, -8, 1), Some(-4));
        assert_eq!(fold_binary(Binary::ShiftRight, 8, i64::MIN), None);
        assert_eq!(fold_binary(Binary::Subtract, -i64::MAX, 1), None);
        assert_eq!(fold_binary(Binary::BitXor, -1, i64::MAX), None);
        assert_eq!(fold_binary(Binary::Subtract, -i64::MAX, 0), Some(-i64::MAX));
    }
}
