//! `switch`: C11 6.8.4.2. The body is lowered first, which determines the scopes of the cases.

use super::builder::Builder;
use super::values;
use crate::tree::{Case, CaseId, Switch};
use system::Span;
use system::program::{Comparison, LocationId, Value};

impl Builder<'_, '_> {
    pub(super) fn switch(&mut self, switch: &Switch, span: Span) {
        let value = self.value(&switch.value);
        let value = self.save(value, switch.value.expression_type, switch.value.span);
        let scope = self.frame.scopes.current;
        let dispatch = self.frame.current;
        let end = self.location(span);
        // Before its first case, the body is reachable by labels only.
        self.frame.current = self.location(span);
        self.frame.breaks.push((end, scope));
        self.statements(&switch.body);
        self.frame.breaks.pop();
        self.go(end, span);
        self.frame.current = dispatch;
        for case in &switch.cases {
            self.ask_case(&value, case);
        }
        match switch.default {
            Some(default) => self.go_to_case(default, end, span),
            None => self.go(end, span),
        }
        self.frame.current = end;
    }

    /// Tests a case, and continues with the next one on failure.
    fn ask_case(&mut self, value: &Value, case: &Case) {
        let number = |number: i128| match value.scalar() {
            system::program::Scalar::Integer(integer) => Value::integer(integer.wrap(number), integer),
            _ => values::int(number),
        };
        let (yes, no) = (self.location(case.span), self.location(case.span));
        if case.low == case.high {
            let condition = values::compare(Comparison::Equal, value.clone(), number(case.low));
            self.split(condition, yes, no, case.span);
        } else {
            let between = self.location(case.span);
            let above = values::compare(Comparison::GreaterOrEqual, value.clone(), number(case.low));
            self.split(above, between, no, case.span);
            self.frame.current = between;
            let below = values::compare(Comparison::LessOrEqual, value.clone(), number(case.high));
            self.split(below, yes, no, case.span);
        }
        self.frame.current = yes;
        self.go_to_case(case.id, no, case.span);
        self.frame.current = no;
    }

    fn go_to_case(&mut self, case: CaseId, otherwise: LocationId, span: Span) {
        match self.frame.cases.get(case.0 as usize).copied().flatten() {
            Some((target, scope)) => self.jump(self.frame.scopes.current, scope, target, span),
            None => self.go(otherwise, span),
        }
    }
}
