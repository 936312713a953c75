//! Random expressions without side effects or undefined behaviour.

use super::Generator;
use super::view::{INT, KINDS, TRUTH, ValueRange, ValueRanges};

#[derive(Clone, Debug)]
pub struct Expression {
    pub text: String,
    pub views: ValueRanges,
    /// Its precedence: 0 if it never needs parentheses, 15 for a comma expression.
    level: u8,
}

/// An integer object.
#[derive(Clone, Debug)]
pub struct Location {
    pub text: String,
    pub views: ValueRanges,
    /// The target type of a pointer to it; `None` if no pointer to it exists.
    pub kind: Option<usize>,
    pub is_constant: bool,
    /// The nesting level of its block; 0 for static lifetime.
    pub level: usize,
    /// Whether it is a plain variable: no call can change which object it denotes.
    pub is_plain: bool,
}

const BINARY: [(&str, u8); 18] = [
    ("*", 3),
    ("/", 3),
    ("%", 3),
    ("+", 4),
    ("-", 4),
    ("<<", 5),
    (">>", 5),
    ("<", 6),
    (">", 6),
    ("<=", 6),
    (">=", 6),
    ("==", 7),
    ("!=", 7),
    ("&", 8),
    ("^", 9),
    ("|", 10),
    ("&&", 11),
    ("||", 12),
];

impl Expression {
    pub fn new(text: impl Into<String>, views: ValueRanges) -> Expression {
        Expression {
            text: text.into(),
            views,
            level: 0,
        }
    }

    fn at(self, level: u8) -> String {
        if self.level > level {
            format!("({})", self.text)
        } else {
            self.text
        }
    }

    pub fn fits(&self, low: i128, high: i128) -> bool {
        self.views.iter().all(|view| low <= view.low && view.high <= high)
    }

    /// As an argument or an initialiser.
    pub fn argument(self) -> String {
        self.at(14)
    }
}

fn both(f: impl Fn(usize) -> Option<ValueRange>) -> Option<ValueRanges> {
    Some([f(0)?, f(1)?])
}

impl Generator {
    pub fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf();
        }
        match self.dice.roll(22) {
            0..=9 => self.binary(depth),
            10 | 11 => self.unary(depth),
            12 | 13 => self.cast(depth),
            14 => self.conditional(depth),
            15 => self.rare(depth),
            16 => {
                let divided = self.expression(depth - 1);
                self.division(divided)
            }
            _ => self.leaf(),
        }
    }

    /// An expression without variables.
    pub fn constant_expression(&mut self, depth: usize) -> Expression {
        let scope = std::mem::take(&mut self.scope);
        let marks = std::mem::replace(&mut self.is_constant, true);
        let expression = self.expression(depth);
        self.scope = scope;
        self.is_constant = marks;
        expression
    }

    pub fn leaf(&mut self) -> Expression {
        if self.scope.is_empty() || self.dice.chance(25) {
            return self.constant();
        }
        let location = self.dice.pick(&self.scope).clone();
        Expression::new(location.text, location.views)
    }

    pub fn constant(&mut self) -> Expression {
        let value: i128 = match self.dice.roll(10) {
            0..=4 => self.dice.roll(20) as i128,
            5 => self.dice.roll(70_000) as i128,
            6 => [127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536][self.dice.roll(8)],
            7 => (1 << 31) - 1 + self.dice.roll(3) as i128,
            8 => (1 << 32) - 1 + self.dice.roll(2) as i128,
            _ => (1i128 << 62) + self.dice.roll(1_000_000) as i128,
        };
        if value < 127 && self.dice.chance(20) {
            let text = match value {
                10 => "'\\n'".to_owned(),
                9 => "'\\t'".to_owned(),
                39 | 92 => format!("'\\x{value:x}'"),
                32.. => format!("'{}'", char::from(u8::try_from(value).unwrap_or(b'a'))),
                _ => format!("'\\{value:o}'"),
            };
            return Expression::new(text, [ValueRange::int(value, value); 2]);
        }
        let suffix = *self.dice.pick(&["", "", "", "u", "l", "UL", "ll", "ULL", "lu", "LLu"]);
        let (text, is_decimal) = match self.dice.roll(4) {
            0 => (format!("0x{value:x}{suffix}"), false),
            1 => (format!("0{value:o}{suffix}"), false),
            _ => (format!("{value}{suffix}"), true),
        };
        Expression::new(
            text,
            [0, 1].map(|model| constant_view(value, suffix, is_decimal, model)),
        )
    }

    fn binary(&mut self, depth: usize) -> Expression {
        let (operator, level) = *self.dice.pick(&BINARY);
        let mut left = self.expression(depth - 1);
        let mut right = self.expression(depth - 1);
        if matches!(operator, "/" | "%") {
            return self.division(left);
        }
        if matches!(operator, "<<" | ">>") {
            return self.shift(operator, left, right);
        }
        for attempt in 0..6 {
            if let Some(views) = both(|model| ValueRange::binary(operator, left.views[model], right.views[model])) {
                return joined(operator, level, left, right, views);
            }
            if attempt % 2 == 0 {
                right = self.narrow(right);
            } else {
                left = self.narrow(left);
            }
        }
        let views = [ValueRange::full(32, false); 2];
        let cast = |side: Expression| Expression {
            text: format!("(unsigned){}", side.at(2)),
            views,
            level: 2,
        };
        joined(operator, level, cast(left), cast(right), views)
    }

    /// A smaller value that may depend on it.
    pub fn narrow(&mut self, wide: Expression) -> Expression {
        let mask = [0x3f, 0xff, 7, 0x7f][self.dice.roll(4)];
        let (text, views, level) = match self.dice.roll(5) {
            0 => (
                format!("(signed char){}", wide.at(2)),
                [ValueRange::full(8, true); 2],
                2,
            ),
            1 => (
                format!("(unsigned char){}", wide.at(2)),
                [ValueRange::full(8, false); 2],
                2,
            ),
            2 => (format!("(short){}", wide.at(2)), [ValueRange::full(16, true); 2], 2),
            3 => {
                let views = wide.views.map(|view| {
                    let (left, _) = view.common(ValueRange::int(mask, mask));
                    ValueRange {
                        low: 0,
                        high: mask,
                        ..left
                    }
                });
                (format!("({} & {mask})", wide.at(8)), views, 0)
            }
            _ => {
                let views = wide
                    .views
                    .map(|view| ValueRange::binary("%", view, ValueRange::int(100, 100)));
                match views {
                    [Some(a), Some(b)] => (format!("({} % 100)", wide.at(3)), [a, b], 0),
                    _ => (
                        format!("(signed char){}", wide.at(2)),
                        [ValueRange::full(8, true); 2],
                        2,
                    ),
                }
            }
        };
        Expression { text, views, level }
    }

    fn division(&mut self, left: Expression) -> Expression {
        let operator = if self.dice.chance(50) { "/" } else { "%" };
        let right = match self.dice.roll(3) {
            0 => {
                let value = [1, 2, 3, 7, 10, 1000, -1, -3, -8, -100][self.dice.roll(10)];
                Expression {
                    text: value.to_string(),
                    views: [ValueRange::int(value, value); 2],
                    level: u8::from(value < 0) * 2,
                }
            }
            1 => {
                let divisor = self.leaf();
                let divisor = self.narrow(divisor);
                let views = divisor.views.map(|view| view.promoted());
                let low = views[0].low.min(views[1].low);
                let by = 1 - low;
                let views = views.map(|view| {
                    ValueRange::binary("+", view, ValueRange::int(by, by)).unwrap_or(ValueRange::int(1, 1))
                });
                Expression {
                    text: format!("({} + {by})", divisor.at(4)),
                    views,
                    level: 0,
                }
            }
            _ => {
                // Never zero and never minus one.
                let divisor = self.leaf();
                let divisor = self.narrow(divisor);
                let by = 5;
                let views = divisor.views.map(|view| view.common(ValueRange::int(by, by)).0);
                let high = 0xffff;
                Expression {
                    text: format!("(({} & 0xffff) | {by})", divisor.at(8)),
                    views: views.map(|view| ValueRange { low: by, high, ..view }),
                    level: 0,
                }
            }
        };
        let mut left = left;
        for _ in 0..3 {
            if let Some(views) = both(|model| ValueRange::binary(operator, left.views[model], right.views[model])) {
                return joined(operator, 3, left, right, views);
            }
            left = self.narrow(left);
        }
        left
    }

    fn shift(&mut self, operator: &'static str, left: Expression, right: Expression) -> Expression {
        let most = if self.dice.chance(60) { 7 } else { 31 };
        let amount = if right.fits(0, most) {
            right
        } else if self.dice.chance(30) {
            let by = self.dice.roll(most as usize + 1) as i128;
            Expression::new(by.to_string(), [ValueRange::int(by, by); 2])
        } else {
            let views = right.views.map(|view| ValueRange {
                low: 0,
                high: most,
                ..view.promoted()
            });
            Expression::new(format!("({} & {most})", right.at(8)), views)
        };
        let mut left = left;
        for attempt in 0..4 {
            if let Some(views) = both(|model| ValueRange::binary(operator, left.views[model], amount.views[model])) {
                return joined(operator, 5, left, amount, views);
            }
            left = if attempt < 2 {
                self.narrow(left)
            } else {
                Expression {
                    text: format!("(unsigned){}", left.at(2)),
                    views: [ValueRange::full(32, false); 2],
                    level: 2,
                }
            };
        }
        left
    }

    fn unary(&mut self, depth: usize) -> Expression {
        let operator = *self.dice.pick(&["-", "~", "!", "+", "!"]);
        let mut operand = self.expression(depth - 1);
        for _ in 0..3 {
            if let Some(views) = both(|model| ValueRange::unary(operator, operand.views[model])) {
                return Expression {
                    // A blank separates two signs.
                    text: format!("{operator} {}", operand.at(2)),
                    views,
                    level: 2,
                };
            }
            operand = self.narrow(operand);
        }
        operand
    }

    fn cast(&mut self, depth: usize) -> Expression {
        let operand = self.expression(depth - 1);
        let kind = KINDS[self.dice.roll(KINDS.len())];
        let views = [0, 1].map(|model| operand.views[model].converted(kind.bits[model], kind.is_signed));
        Expression {
            text: format!("({}){}", kind.name, operand.at(2)),
            views,
            level: 2,
        }
    }

    fn conditional(&mut self, depth: usize) -> Expression {
        let condition = self.expression(depth - 1);
        let otherwise = self.expression(depth - 1);
        if self.dice.chance(20) {
            let views = [0, 1].map(|model| condition.views[model].either(otherwise.views[model]));
            return Expression {
                text: format!("{} ?: {}", condition.at(12), otherwise.at(12)),
                views,
                level: 13,
            };
        }
        let then = self.expression(depth - 1);
        let views = [0, 1].map(|model| then.views[model].either(otherwise.views[model]));
        Expression {
            text: format!("{} ? {} : {}", condition.at(12), then.at(15), otherwise.at(13)),
            views,
            level: 13,
        }
    }

    /// Rare constructs.
    fn rare(&mut self, depth: usize) -> Expression {
        let inner = self.expression(depth - 1);
        let kind = self.dice.roll(KINDS.len());
        let name = KINDS[kind].name;
        let views = [0, 1].map(|model| inner.views[model].converted(KINDS[kind].bits[model], KINDS[kind].is_signed));
        let mark = self.number();
        match self.dice.roll(if self.is_constant { 2 } else { 8 }) {
            0 => {
                let sizes = KINDS[kind].bits.map(|bits| i128::from(bits.div_ceil(8)));
                let views = [0, 1].map(|model| ValueRange {
                    low: sizes[model],
                    high: sizes[model],
                    ..ValueRange::full([32, 64][model], false)
                });
                Expression::new(format!("sizeof({name})"), views)
            }
            1 => inner,
            2 => Expression::new(format!("({name}){{ {} }}", inner.argument()), views),
            3 => {
                let views = inner.views;
                Expression {
                    text: format!("(touch({}), {})", mark % 64, inner.at(14)),
                    views,
                    level: 0,
                }
            }
            4 => Expression::new(
                format!(
                    "({{ {name} t{mark} = {}; touch({}); t{mark}; }})",
                    inner.argument(),
                    mark % 64
                ),
                views,
            ),
            5 => Expression::new(
                format!("({{ __typeof__(({name})0) t{mark} = {}; t{mark}; }})", inner.argument()),
                views,
            ),
            6 if kind != TRUTH => Expression::new(
                format!(
                    "_Generic(({name})0, {name}: {}, default: \"no\"[0])",
                    inner.clone().argument()
                ),
                inner.views,
            ),
            _ => {
                let views = inner.views.map(|view| view.converted(64, true));
                Expression::new(format!("seen({}, {})", mark % 64, inner.argument()), views)
            }
        }
    }

    /// A number from zero up to `length`, exclusive.
    pub fn index(&mut self, length: usize) -> String {
        let inner = self.expression(1);
        let high = length as i128 - 1;
        if inner.fits(0, high) {
            return inner.text;
        }
        match self.dice.roll(3) {
            0 => self.dice.roll(length).to_string(),
            1 if length.is_power_of_two() => format!("({}) & {high}", inner.text),
            _ => format!("(unsigned)({}) % {length}u", inner.text),
        }
    }

    pub fn condition(&mut self) -> String {
        self.expression(2).text
    }

    /// A fresh number.
    pub fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// A type, rarely `_Bool`.
    pub fn kind(&mut self) -> usize {
        if self.dice.chance(20) {
            INT
        } else {
            self.dice.roll(KINDS.len())
        }
    }
}

fn joined(operator: &str, level: u8, left: Expression, right: Expression, views: ValueRanges) -> Expression {
    let (left, right) = (left.at(level), right.at(level - 1));
    Expression {
        text: format!("{left} {operator} {right}"),
        views,
        level,
    }
}

fn constant_view(value: i128, suffix: &str, is_decimal: bool, model: usize) -> ValueRange {
    let lower = suffix.to_lowercase();
    let is_unsigned = lower.contains('u');
    let long = [32, 64][model];
    let widths: &[u32] = match lower.matches('l').count() {
        0 => &[32, 0, 64],
        1 => &[0, 64],
        _ => &[64],
    };
    for width in widths {
        let bits = if *width == 0 { long } else { *width };
        let fits = |is_signed: bool| value <= ValueRange::full(bits, is_signed).high;
        let chosen = if is_unsigned {
            fits(false).then_some(false)
        } else if fits(true) {
            Some(true)
        } else {
            (!is_decimal && fits(false)).then_some(false)
        };
        if let Some(is_signed) = chosen {
            return ValueRange {
                bits,
                is_signed,
                low: value,
                high: value,
            };
        }
    }
    ValueRange {
        low: value,
        high: value,
        ..ValueRange::full(64, true)
    }
}
