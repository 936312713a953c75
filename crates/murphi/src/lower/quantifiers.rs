//! Quantifiers, and the values of bound names.

use super::execute::{Binding, Executor, State};
use super::meaning::{self, Meaning};
use super::shape::Case;
use crate::model::*;
use logic::{Quantifier as LogicQuantifier, Sort, Term, Variable, substitute, term};
use system::Span;
use system::transition::AssertionKind;

/// Help for code that has no meaning for a parametric type.
pub(super) const FIXED: &str = "`--fixed` takes the type at its declared size instead";

/// A value of a bound name: a constant, or (with `variable`) an arbitrary one of a sort.
pub(crate) struct BoundValue {
    pub(crate) meaning: Meaning,
    pub(crate) variable: Option<Variable>,
    /// Holds if the value is in the range.
    pub(crate) condition: Term,
}

impl BoundValue {
    fn constant(term: Term) -> BoundValue {
        BoundValue {
            meaning: vec![meaning::constant(term)],
            variable: None,
            condition: term::bool(true),
        }
    }
}

impl Executor<'_, '_> {
    /// Values are evaluated in order, until one decides.
    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        binder: &Binder,
        body: &Expression,
        span: Span,
    ) -> Term {
        let Some(values) = self.values(binder, 1000) else {
            let help = "quantify over a type, or between constant bounds";
            self.unsupported(span, "the range of this quantifier is not known", help);
            return term::bool(true);
        };
        let is_universal = quantifier == Quantifier::Forall;
        let mut result = term::bool(is_universal);
        for value in values {
            let undecided = if is_universal { result } else { term::not(result) };
            let (condition, variable) = (value.condition, value.variable);
            let look = term::and([undecided, condition]);
            if look.is_false() {
                continue;
            }
            let holds = |e: &mut Self| {
                e.bind(binder.local, Binding::Value(value.meaning));
                match variable {
                    Some(variable) => e.for_any(quantifier, variable, body, span),
                    None => e.scalar(body),
                }
            };
            let part = if look.is_true() {
                holds(self)
            } else {
                self.branch(look, holds, |_| term::bool(is_universal)).0
            };
            result = if is_universal {
                term::and([result, term::implies(condition, part)])
            } else {
                term::or([result, term::and([condition, part])])
            };
        }
        result
    }

    /// The body for all, or for some, elements of a parametric type. Its elements have no order for early exit: an
    /// error for any of them may occur, and evaluation must not have side effects.
    fn for_any(&mut self, quantifier: Quantifier, variable: Variable, body: &Expression, span: Span) -> Term {
        let (assertions, choices) = (self.assertions.len(), self.choices.len());
        let before = self.state.clone();
        self.scope.push(variable);
        self.rounds.push(variable);
        let part = self.scalar(body);
        self.rounds.pop();
        self.scope.pop();
        self.generalise(variable, assertions, choices);
        let after = std::mem::replace(&mut self.state, before);
        let type_name = variable.sort;
        if after.possible != self.state.possible {
            let message = format!("an assumption inside a quantifier over `{type_name}`, a type of any size");
            self.unsupported_at_any_size(variable.sort, span, message, FIXED);
        } else if self.is_changed(&after) {
            let message = format!("this quantifier over `{type_name}`, a type of any size, changes variables");
            self.unsupported_at_any_size(variable.sort, span, message, FIXED);
        }
        let quantifier = match quantifier {
            Quantifier::Forall => LogicQuantifier::Forall,
            Quantifier::Exists => LogicQuantifier::Exists,
        };
        term::quantified(quantifier, [variable], part)
    }

    /// Whether the code that led to this state changed a variable of the model or of the surrounding code. Its own
    /// bindings do not count.
    fn is_changed(&self, after: &State) -> bool {
        let is_bound = |frame: usize, local: usize| self.local_of(frame, local).kind == LocalKind::Bound;
        let frames = self.state.frames.iter().zip(&after.frames).enumerate();
        let mut locals = frames.flat_map(|(frame, (before, after))| {
            let pairs = before.locals.iter().zip(&after.locals).enumerate();
            pairs.map(move |(local, pair)| (frame, local, pair))
        });
        after.variables != self.state.variables
            || after.active != self.state.active
            || locals.any(|(frame, local, (before, after))| before != after && !is_bound(frame, local))
    }

    /// Generalises the assertions, and the axioms of choices, since these positions to all values of the variable.
    pub(crate) fn generalise(&mut self, variable: Variable, assertions: usize, choices: usize) {
        for assertion in &mut self.assertions[assertions..] {
            assertion.condition = term::forall([variable], assertion.condition);
        }
        for choice in &mut self.choices[choices..] {
            choice.fact = term::forall([variable], choice.fact);
        }
    }

    /// A variable for a bound name that no enclosing quantifier uses.
    pub(crate) fn fresh(&self, name: &str, sort: Sort) -> Variable {
        substitute::fresh_variable(Variable::new(name, sort), |v| {
            self.scope.iter().any(|s| s.name == v.name)
        })
    }

    fn local_name(&self, binder: &Binder) -> String {
        self.local(binder.local).name.clone()
    }

    /// The values of a binder, in order; `None` if they cannot be determined.
    pub(crate) fn values(&mut self, binder: &Binder, limit: usize) -> Option<Vec<BoundValue>> {
        match &binder.domain {
            Domain::Type(ty) => self.values_of_type(&self.local_name(binder), *ty, limit),
            Domain::Range { low, .. } if binder.domain.single().is_some() => {
                let value = self.scalar(low);
                Some(vec![BoundValue::constant(value)])
            }
            Domain::Range { low, high, step } => self.values_of_range(low, high, step.as_ref(), limit),
        }
    }

    fn values_of_type(&self, name: &str, ty: TypeId, limit: usize) -> Option<Vec<BoundValue>> {
        let shapes = &self.lowering.shapes;
        if let Some(union) = shapes.union(ty) {
            let mut values = Vec::new();
            for (number, case) in union.cases.iter().enumerate() {
                let (has_payload, inner) = match case {
                    Case::Fixed { .. } => (false, vec![BoundValue::constant(term::bool(true))]),
                    Case::Payload { member, .. } => (true, self.values_of_type(name, *member, limit)?),
                };
                values.extend(inner.into_iter().map(|value| BoundValue {
                    meaning: self.injected(ty, number, has_payload.then(|| value.meaning[0].body)),
                    ..value
                }));
            }
            return Some(values);
        }
        let scalar = shapes.scalar(ty)?;
        let (low, high) = match (scalar.sort, scalar.bounds) {
            (Sort::Index(_), _) | (Sort::Int, None) => {
                let variable = self.fresh(name, scalar.sort);
                return Some(vec![BoundValue {
                    variable: Some(variable),
                    ..BoundValue::constant(variable.term())
                }]);
            }
            (Sort::Bool, _) => (0, 1),
            (Sort::Enum(sort), _) => (0, sort.values().len() as i64 - 1),
            (_, bounds) => bounds?,
        };
        let count = usize::try_from(high.checked_sub(low)?.checked_add(1)?).unwrap_or(0);
        (count <= limit).then(|| {
            (low..=high)
                .filter_map(|v| shapes.literal(ty, v))
                .map(BoundValue::constant)
                .collect()
        })
    }

    /// The numbers of a range whose bounds may depend on the state: all that the types of the bounds permit, each with
    /// the condition that it is in the range. A range in the wrong direction is empty if its bounds are constant or the
    /// file is for CMurphi; otherwise it counts down or, with a step, is an error, as in Rumur.
    fn values_of_range(
        &mut self,
        low: &Expression,
        high: &Expression,
        step: Option<&Expression>,
        limit: usize,
    ) -> Option<Vec<BoundValue>> {
        if self.lowering.model.kind(low.ty).is_element() {
            return None;
        }
        let step_bounds = step.map_or(Some((1, 1)), |s| self.bounds(s))?;
        let step_size = (step_bounds.0 == step_bounds.1 && step_bounds.0 != 0).then_some(step_bounds.0)?;
        let (first, last) = (self.bounds(low)?, self.bounds(high)?);
        let (low_term, high_term) = (self.scalar(low), self.scalar(high));
        let (least, greatest) = (first.0.min(last.0), first.1.max(last.1));
        if usize::try_from(greatest.checked_sub(least)?).ok()? > limit {
            return None;
        }
        let number = |v: i64| term::int(i128::from(v));
        let on_step = |v: i64| {
            let distance = term::subtract(number(v), low_term);
            let step = term::int(i128::from(step_size).abs());
            term::equal(term::modulo(distance, step), number(0))
        };
        let between =
            |a: Term, v: i64, b: Term| term::and([term::less_equal(a, number(v)), term::less_equal(number(v), b)]);
        let mut values = Vec::new();
        let mut push = |v: i64, condition: Term| {
            let condition = term::and([condition, on_step(v)]);
            if !condition.is_false() {
                values.push(BoundValue {
                    condition,
                    ..BoundValue::constant(number(v))
                });
            }
        };
        let constant = [low, high].iter().all(|e| matches!(e.kind, ExpressionKind::Literal(_)));
        let strict = !constant && !self.lowering.model.is_cmurphi_only();
        let backwards = term::less(high_term, low_term);
        if step_size > 0 {
            (least..=greatest).for_each(|v| push(v, between(low_term, v, high_term)));
        }
        if step.is_none() && strict {
            let down = |v| term::and([backwards, between(high_term, v, low_term)]);
            (least..=greatest).rev().for_each(|v| push(v, down(v)));
        } else if step_size < 0 {
            (least..=greatest)
                .rev()
                .for_each(|v| push(v, between(high_term, v, low_term)));
        }
        if step.is_some() && strict {
            let away = if step_size > 0 {
                backwards
            } else {
                term::less(low_term, high_term)
            };
            let message = "the step leads away from the end of the range";
            self.require(AssertionKind::Operation, term::not(away), message, low.span);
        }
        Some(values)
    }
}
