//! Ranges of loops and quantifiers.
//!
//! Bounds and step are evaluated once, before the first iteration. A constant range in the wrong direction is empty, as
//! in CMurphi (Rumur rejects it). For bounds that are only known at run time, files that only CMurphi accepts get
//! CMurphi's empty ranges. All others get Rumur's semantics: without a step, a range from a greater to a smaller number
//! counts down, and a step of 0 or in the wrong direction is an error.

use system::Span;
use system::instance::{Binary, Expression, Range, Statement};

use super::Compiler;
use super::expression::and_then;
use super::unit::{Unit, frame_value, set_frame};
use super::walk::contains_call;
use crate::model::{Domain, Expression as ModelExpression};

const ZERO_STEP: &str = "infinite loop: the step is 0";
const WRONG_DIRECTION: &str = "infinite loop: the step leads away from the end of the range";

pub(super) fn constant_range(low: i64, high: i64) -> Range {
    Range {
        low: Expression::Constant(low),
        high: Expression::Constant(high),
        step: Expression::Constant(1),
        windowed: false,
    }
}

impl<'m> Compiler<'m> {
    /// `before` receives the statements that must run before the loop.
    pub(super) fn range(
        &mut self,
        unit: &mut Unit<'m>,
        domain: &'m Domain,
        span: Span,
        before: &mut Vec<Statement>,
    ) -> Range {
        match domain {
            Domain::Type(ty) => {
                let bounds = self.layout.bounds(*ty);
                self.instance.windowed |= bounds.windowed;
                Range {
                    windowed: bounds.windowed,
                    ..constant_range(bounds.low, bounds.high)
                }
            }
            Domain::Range { low, high, step } => self.number_range(unit, low, high, step.as_ref(), span, before),
        }
    }

    fn number_range(
        &mut self,
        unit: &mut Unit<'m>,
        low: &'m ModelExpression,
        high: &'m ModelExpression,
        step: Option<&'m ModelExpression>,
        span: Span,
        before: &mut Vec<Statement>,
    ) -> Range {
        let direction = self.direction(unit, low, high);
        // Values that the checks below use again must not be evaluated twice.
        let keep = contains_call(low) || contains_call(high) || step.is_some_and(contains_call);
        let mut evaluate = |compiler: &mut Self, node| {
            let value = compiler.expression(unit, node);
            if !keep || matches!(value, Expression::Constant(_)) {
                return value;
            }
            let slot = unit.allocate(1);
            before.push(set_frame(slot, value));
            frame_value(slot)
        };
        let low = evaluate(self, low);
        let high = evaluate(self, high);
        let step = step.map(|step| evaluate(self, step));
        let constant = matches!((&low, &high), (Expression::Constant(_), Expression::Constant(_)));
        let step = match step {
            None if constant || self.cmurphi => Expression::Constant(1),
            None => match direction {
                Some(true) => Expression::Constant(1),
                Some(false) => Expression::Constant(-1),
                None => Expression::If(
                    Box::new(compare(Binary::LessEqual, low.clone(), high.clone())),
                    Box::new(Expression::Constant(1)),
                    Box::new(Expression::Constant(-1)),
                ),
            },
            Some(Expression::Constant(0)) => {
                before.push(failure(ZERO_STEP, span));
                Expression::Constant(1)
            }
            Some(Expression::Constant(step)) => {
                if !constant && !self.cmurphi && direction != Some(step > 0) {
                    let wrong = match step > 0 {
                        true => compare(Binary::Less, high.clone(), low.clone()),
                        false => compare(Binary::Less, low.clone(), high.clone()),
                    };
                    before.push(check(wrong, WRONG_DIRECTION, span));
                }
                Expression::Constant(step)
            }
            Some(step) => {
                let zero = || Expression::Constant(0);
                before.push(check(compare(Binary::Equal, step.clone(), zero()), ZERO_STEP, span));
                let down = and_then(
                    compare(Binary::Less, low.clone(), high.clone()),
                    compare(Binary::Less, step.clone(), zero()),
                );
                let up = and_then(
                    compare(Binary::Less, high.clone(), low.clone()),
                    compare(Binary::Less, zero(), step.clone()),
                );
                before.push(check(down, WRONG_DIRECTION, span));
                before.push(check(up, WRONG_DIRECTION, span));
                step
            }
        };
        Range {
            low,
            high,
            step,
            windowed: false,
        }
    }

    /// Whether the range is known to count up (or to hold one number only), or down.
    fn direction(&self, unit: &Unit<'m>, low: &ModelExpression, high: &ModelExpression) -> Option<bool> {
        let (low, high) = (self.static_bounds(unit, low)?, self.static_bounds(unit, high)?);
        match () {
            () if low.high <= high.low => Some(true),
            () if low.low > high.high => Some(false),
            () => None,
        }
    }
}

fn compare(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right), Span::default())
}

fn failure(message: &str, span: Span) -> Statement {
    Statement::Error {
        message: message.to_owned(),
        span,
    }
}

fn check(wrong: Expression, message: &str, span: Span) -> Statement {
    Statement::If {
        condition: wrong,
        then: vec![failure(message, span)],
        otherwise: Vec::new(),
    }
}
