//! The order of terms: by structure, never by when or on which thread a term was created.
//!
//! A proof must not depend on what the process did before. Neither may the text of a certificate, which another process
//! must reproduce.

use crate::bits::{BitOperation, Bits};
use crate::sort::Sort;
use crate::term::{Function, Kind, ListOperation, Quantifier, Term, Variable};
use std::cmp::Ordering;

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Shallower terms come first, so a term comes after its sub-terms; then by kind, by name, and by the first differing
/// children.
///
/// Equal children are the same pointer, so at most one pair of children is compared: the cost is that of one path
/// through the terms, regardless of sharing.
impl Ord for Term {
    fn cmp(&self, other: &Term) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        while a != b {
            let heads = a.depth().cmp(&b.depth()).then_with(|| Head::of(a).cmp(&Head::of(b)));
            if heads != Ordering::Equal {
                return heads;
            }
            match first_difference(a, b) {
                Some(parts) => (a, b) = parts,
                None => return Ordering::Equal,
            }
        }
        Ordering::Equal
    }
}

/// The first differing children of two terms with equal heads.
fn first_difference(a: Term, b: Term) -> Option<(Term, Term)> {
    let differ = |(a, b): &(Term, Term)| a != b;
    match (a.kind(), b.kind()) {
        (Kind::Apply(_, parts_of_a), Kind::Apply(_, parts_of_b))
        | (Kind::And(parts_of_a), Kind::And(parts_of_b))
        | (Kind::Or(parts_of_a), Kind::Or(parts_of_b)) => {
            parts_of_a.iter().copied().zip(parts_of_b.iter().copied()).find(differ)
        }
        _ => a.children().into_iter().zip(b.children()).find(differ),
    }
}

/// The sides of an equation: applications before variables before values, names in their order.
pub(crate) fn sides(a: Term, b: Term) -> [Term; 2] {
    let key = |term: Term| match term.kind() {
        Kind::Apply(function, _) => (0, function.name().as_str()),
        Kind::Variable(variable) => (2, variable.name.as_str()),
        _ if term.is_value() => (3, ""),
        _ => (1, ""),
    };
    if key(a).cmp(&key(b)).then_with(|| a.cmp(&b)) == Ordering::Greater {
        [b, a]
    } else {
        [a, b]
    }
}

/// A term without its children, which are represented by their count. The declaration order of the variants is the
/// order of kinds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Bool(bool),
    Int(i128),
    Real(i128, i128),
    BitVector(Bits),
    /// Sorts of one name may differ in their values.
    Enumerator(Sort, u32),
    EmptyList(Sort),
    Variable(Variable),
    Apply(Function),
    List(ListOperation),
    Bits(BitOperation),
    Add(usize),
    Multiply,
    Divide,
    Modulo,
    Equal,
    Less,
    LessEqual,
    Not,
    And(usize),
    Or(usize),
    Implies,
    Ite,
    Quantified(Quantifier, &'static [Variable]),
}

impl Head {
    fn of(term: Term) -> Head {
        match term.kind() {
            Kind::Bool(value) => Head::Bool(*value),
            Kind::Int(value) => Head::Int(*value),
            Kind::Real(value) => Head::Real(value.numerator, value.denominator),
            Kind::BitVector(bits) => Head::BitVector(*bits),
            Kind::Enumerator(sort, position) => Head::Enumerator(Sort::Enum(*sort), *position),
            Kind::EmptyList(sort) => Head::EmptyList(*sort),
            Kind::Variable(variable) => Head::Variable(*variable),
            Kind::Apply(function, _) => Head::Apply(*function),
            Kind::List(operation, _) => Head::List(*operation),
            Kind::Bits(operation, _) => Head::Bits(*operation),
            Kind::Add(operands) => Head::Add(operands.len()),
            Kind::Multiply(..) => Head::Multiply,
            Kind::Divide(..) => Head::Divide,
            Kind::Modulo(..) => Head::Modulo,
            Kind::Equal(..) => Head::Equal,
            Kind::Less(..) => Head::Less,
            Kind::LessEqual(..) => Head::LessEqual,
            Kind::Not(_) => Head::Not,
            Kind::And(operands) => Head::And(operands.len()),
            Kind::Or(operands) => Head::Or(operands.len()),
            Kind::Implies(..) => Head::Implies,
            Kind::Ite(..) => Head::Ite,
            Kind::Quantified(quantifier, variables, _) => Head::Quantified(*quantifier, variables),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{and, equal, exists, forall, int, less, not, or};

    fn constant(name: &str) -> Term {
        Function::constant(name, Sort::Int).apply([])
    }

    /// The names are new to the process, so that it is the order of creation that differs.
    #[test]
    fn the_sides_of_an_equation_do_not_depend_on_their_age() {
        let text = |first: &str, second: &str| {
            let made = [first, second].map(constant);
            crate::smtlib::TermText(equal(made[0], made[1])).to_string()
        };
        assert_eq!(text("order-a", "order-b"), "(= order-a order-b)");
        assert_eq!(text("order-d", "order-c"), "(= order-c order-d)");
    }

    #[test]
    fn the_sides_of_an_equation_are_easy_to_read() {
        let [a, x] = [constant("a"), Variable::new("x", Sort::Int).term()];
        assert_eq!(sides(x, a), [a, x]);
        assert_eq!(sides(int(1), x), [x, int(1)]);
    }

    /// Made in one order and in the opposite one, under names that compare alike.
    #[test]
    fn the_order_does_not_depend_on_age() {
        let sorted = |prefix: &str, backwards: bool| {
            let mut names = ["a", "b", "c", "d"];
            if backwards {
                names.reverse();
            }
            let mut made: Vec<Term> = names.iter().map(|name| constant(&format!("{prefix}{name}"))).collect();
            let pairs: Vec<Term> = made.windows(2).map(|pair| less(pair[0], pair[1])).collect();
            // The same set of terms, whichever way it was made.
            let less = |a: &str, b: &str| less(constant(&format!("{prefix}{a}")), constant(&format!("{prefix}{b}")));
            made.extend(pairs);
            made.extend([less("a", "b"), less("b", "c"), less("c", "d")]);
            made.extend([less("b", "a"), less("c", "b"), less("d", "c")]);
            made.sort();
            made.dedup();
            let texts = made.iter().map(|term| format!("{term:?}").replace(prefix, ""));
            texts.collect::<Vec<String>>()
        };
        assert_eq!(sorted("forwards-", false), sorted("backwards-", true));
    }

    #[test]
    fn different_terms_are_never_equal_in_the_order() {
        let x = Variable::new("x", Sort::Int);
        let [a, b] = ["a", "b"].map(constant);
        let atoms = [
            equal(a, x.term()),
            equal(b, x.term()),
            equal(a, int(1)),
            less(a, b),
            less(b, a),
        ];
        let mut terms = vec![a, b, x.term(), int(1), and(atoms), or(atoms), and([atoms[0], atoms[1]])];
        terms.extend(atoms);
        terms.extend(atoms.map(not));
        terms.extend(atoms.map(|atom| forall([x], or([atom, less(x.term(), a)]))));
        terms.extend(atoms.map(|atom| exists([x], or([atom, less(x.term(), a)]))));
        for (place, one) in terms.iter().enumerate() {
            for (other_place, other) in terms.iter().enumerate() {
                assert_eq!(
                    one.cmp(other) == Ordering::Equal,
                    place == other_place,
                    "{one:?}, {other:?}"
                );
                assert_eq!(one.cmp(other), other.cmp(one).reverse(), "{one:?}, {other:?}");
            }
        }
    }

    #[test]
    fn what_is_shared_is_looked_at_once() {
        let mut towers = ["a", "b"].map(constant);
        for _ in 0..10_000 {
            towers = towers.map(|tower| crate::term::multiply(tower, tower));
        }
        assert_eq!(towers[0].cmp(&towers[1]), Ordering::Less);
    }
}
