//! Expressions as terms. Each `*` is either value, independently of the others, so an expression is two formulas: that
//! it can be true, and that it can be false.

use crate::program::{Expression, Variable};
use logic::{Function, Term, term};

/// What the variables of an expression are.
#[derive(Clone, Copy)]
pub(super) struct Meaning<'m> {
    pub(super) now: &'m dyn Fn(Variable) -> Term,
    /// After an assignment.
    pub(super) next: &'m dyn Fn(Variable) -> Term,
}

/// Where an expression can be true, and where it can be false. One of them always holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Possible {
    pub(super) truth: Term,
    pub(super) falsity: Term,
}

impl Possible {
    fn only(value: Term) -> Possible {
        Possible {
            truth: value,
            falsity: term::not(value),
        }
    }

    /// The value, where there is only one in every state.
    pub(super) fn value(self) -> Option<Term> {
        (self.falsity == term::not(self.truth)).then_some(self.truth)
    }

    fn negated(self) -> Possible {
        Possible {
            truth: self.falsity,
            falsity: self.truth,
        }
    }

    /// A possible value: each possible one for some value of the choice, and no other.
    pub(super) fn chosen(self, choice: impl FnOnce() -> Function) -> Term {
        match self.value() {
            Some(value) => value,
            None => {
                let open = term::or([term::not(self.falsity), choice().apply([])]);
                term::and([self.truth, open])
            }
        }
    }

    pub(super) fn of(expression: &Expression, meaning: Meaning<'_>) -> Possible {
        let of = |e: &Expression| Possible::of(e, meaning);
        match expression {
            Expression::Constant(value) => Possible::only(term::bool(*value)),
            Expression::Any => Possible {
                truth: term::bool(true),
                falsity: term::bool(true),
            },
            Expression::Variable(variable) => Possible::only((meaning.now)(*variable)),
            Expression::Next(variable) => Possible::only((meaning.next)(*variable)),
            Expression::Not(inner) => of(inner).negated(),
            Expression::And(parts) => conjunction(parts.iter().map(of)),
            Expression::Or(parts) => conjunction(parts.iter().map(|part| of(part).negated())).negated(),
            Expression::Implies(a, b) => conjunction([of(a), of(b).negated()].into_iter()).negated(),
            Expression::Equal(a, b) => equal(of(a), of(b)),
            Expression::Differ(a, b) => equal(of(a), of(b)).negated(),
            Expression::Choose(a, b) => {
                let (a, b) = (of(a), of(b));
                let open = term::and([a.falsity, b.falsity]);
                Possible {
                    truth: term::or([a.truth, open]),
                    // Where the first is false: `b` makes it false, and without `b` either value is possible.
                    falsity: a.falsity,
                }
            }
        }
    }
}

fn conjunction(parts: impl Iterator<Item = Possible>) -> Possible {
    let parts: Vec<Possible> = parts.collect();
    let truth = term::and(parts.iter().map(|part| part.truth));
    match parts.iter().all(|part| part.value().is_some()) {
        true => Possible::only(truth),
        false => Possible {
            truth,
            falsity: term::or(parts.iter().map(|part| part.falsity)),
        },
    }
}

fn equal(a: Possible, b: Possible) -> Possible {
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return Possible::only(term::equal(a, b));
    }
    let either = |first: [Term; 2], second: [Term; 2]| term::or([term::and(first), term::and(second)]);
    Possible {
        truth: either([a.truth, b.truth], [a.falsity, b.falsity]),
        falsity: either([a.truth, b.falsity], [a.falsity, b.truth]),
    }
}
