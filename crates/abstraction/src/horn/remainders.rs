//! Remainders as unknowns, of which a little is known: enough where it does not matter what they are.
//!
//! Solvers of Horn clauses learn little from `2 i mod 2^32 != 2 n mod 2^32`. Often all that matters is that
//! `2 i != 2 n`: remainders of equal numbers are equal (W. Ackermann's congruence), and a small number is its own.

use logic::substitute::rebuild;
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, term};
use std::collections::BTreeMap;

/// With more in one clause, nothing is said of pairs.
const MOST: usize = 12;

/// Unknowns for the remainders of one clause.
#[derive(Default)]
pub(super) struct Remainders {
    /// What is divided, and by what.
    unknowns: BTreeMap<(Term, i128), Term>,
}

impl Remainders {
    /// The term with unknowns in the place of remainders.
    pub(super) fn put(&mut self, term: Term) -> Term {
        let mut made: BTreeMap<Term, Term> = BTreeMap::new();
        for part in post_order(term, false) {
            let put = rebuild(part, |operand| made.get(&operand).copied().unwrap_or(operand));
            let put = match put.kind() {
                Kind::Modulo(of, by) => match by.kind() {
                    Kind::Int(by) if *by > 0 => self.unknown(*of, *by),
                    _ => put,
                },
                _ => put,
            };
            made.insert(part, put);
        }
        made.get(&term).copied().unwrap_or(term)
    }

    fn unknown(&mut self, of: Term, by: i128) -> Term {
        let name = format!("remainder {}", self.unknowns.len());
        let unknown = || Function::constant(name.as_str(), Sort::Int).apply([]);
        *self.unknowns.entry((of, by)).or_insert_with(unknown)
    }

    /// What is known of them.
    pub(super) fn axioms(&self) -> Term {
        let each = self.unknowns.iter().map(|((of, by), unknown)| near(*of, *by, *unknown));
        let mut axioms: Vec<Term> = each.collect();
        if self.unknowns.len() <= MOST {
            for (number, ((of, by), unknown)) in self.unknowns.iter().enumerate() {
                let others = self.unknowns.iter().skip(number + 1);
                for ((other, _), same) in others.filter(|((_, divisor), _)| divisor == by) {
                    axioms.push(term::implies(term::equal(*of, *other), term::equal(*unknown, *same)));
                }
            }
        }
        term::and(axioms)
    }
}

/// `0 <= r < by`, and what it is where the quotient is -1, 0 or 1.
fn near(of: Term, by: i128, unknown: Term) -> Term {
    let within = |value: Term| {
        let is_negative = term::less(value, term::int(0));
        term::and([term::not(is_negative), term::less(value, term::int(by))])
    };
    let shifted = [-by, 0, by].map(|shift| term::add([of, term::int(shift)]));
    let known = shifted.map(|value| term::implies(within(value), term::equal(unknown, value)));
    term::and([within(unknown)].into_iter().chain(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::simplify;
    use logic::substitute::replace;

    /// What is said of a remainder is true of it.
    #[test]
    fn remainders_have_what_is_known_of_them() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let mut remainders = Remainders::default();
        let [of_x, of_y] = [x, y].map(|of| remainders.put(term::modulo(of, term::int(4))));
        let axioms = remainders.axioms();
        for (a, b) in (-13..13).flat_map(|a: i128| (-13..13).map(move |b: i128| (a, b))) {
            let with = |r: i128, s: i128| {
                let values = [(x, a), (y, b), (of_x, r), (of_y, s)];
                simplify(
                    values
                        .iter()
                        .fold(axioms, |formula, (what, by)| replace(formula, *what, term::int(*by))),
                )
            };
            assert!(with(a.rem_euclid(4), b.rem_euclid(4)).is_true(), "{a} {b}");
            assert!(with(4, b.rem_euclid(4)).is_false());
            if (-4..8).contains(&a) || a == b {
                assert!(with((a + 1).rem_euclid(4), b.rem_euclid(4)).is_false(), "{a} {b}");
            }
        }
    }
}
