//! An order of terms that does not depend on when they were made.
//!
//! Which side of an equation stands first depends on which of the two is older (`term::equal`). Text that another process has
//! to write again in the same way, such as that of a certificate, cannot go by that.

use crate::hashing::FastMap;
use crate::term::{Kind, Term};
use crate::traverse::post_order;

/// What is known of a term without its age: a hash of its structure.
#[derive(Clone, Debug, Default)]
pub struct StructuralOrder {
    hashes: FastMap<Term, u128>,
}

impl StructuralOrder {
    /// For a term and all that is in it.
    pub fn of(term: Term) -> StructuralOrder {
        let mut order = StructuralOrder::default();
        for inner in post_order(term, true) {
            let hash = order.hash_of(inner);
            order.hashes.insert(inner, hash);
        }
        order
    }

    /// Different for different terms, unless chance has it otherwise.
    pub fn hash(&self, term: Term) -> u128 {
        self.hashes.get(&term).copied().unwrap_or_default()
    }

    /// The sides of an equation: an application before a variable before a value, names in their order.
    pub fn sides(&self, a: Term, b: Term) -> [Term; 2] {
        let key = |term: Term| {
            let (rank, name) = match term.kind() {
                Kind::Apply(function, _) => (0, function.name().as_str()),
                Kind::Variable(variable) => (2, variable.name.as_str()),
                _ if term.is_value() => (3, ""),
                _ => (1, ""),
            };
            (rank, name, self.hash(term))
        };
        if key(a) <= key(b) { [a, b] } else { [b, a] }
    }

    /// The immediate sub-terms, the sides of an equation in their order.
    pub fn children(&self, term: Term) -> Vec<Term> {
        match term.kind() {
            Kind::Equal(a, b) => self.sides(*a, *b).to_vec(),
            _ => term.children(),
        }
    }

    fn hash_of(&self, term: Term) -> u128 {
        let mut hash = Fnv::default();
        let text = match term.kind() {
            Kind::Bool(value) => format!("bool {value}"),
            Kind::Int(value) => format!("int {value}"),
            Kind::Real(value) => format!("real {} {}", value.numerator, value.denominator),
            Kind::Enumerator(sort, position) => format!("value {} {position}", sort.name()),
            Kind::EmptyList(sort) => format!("empty {sort}"),
            Kind::Variable(variable) => format!("variable {} {}", variable.sort, variable.name),
            Kind::Apply(function, _) => format!("apply {}", function.name()),
            Kind::Not(_) => "not".to_owned(),
            Kind::And(_) => "and".to_owned(),
            Kind::Or(_) => "or".to_owned(),
            Kind::Implies(..) => "implies".to_owned(),
            Kind::Equal(..) => "equal".to_owned(),
            Kind::Ite(..) => "ite".to_owned(),
            Kind::Less(..) => "less".to_owned(),
            Kind::LessEqual(..) => "less or equal".to_owned(),
            Kind::Add(_) => "add".to_owned(),
            Kind::Multiply(..) => "multiply".to_owned(),
            Kind::Divide(..) => "divide".to_owned(),
            Kind::Modulo(..) => "modulo".to_owned(),
            Kind::List(operation, _) => format!("list {operation:?}"),
            Kind::Quantified(quantifier, variables, _) => {
                let variables = variables
                    .iter()
                    .map(|variable| format!("{} {}", variable.sort, variable.name));
                format!("{quantifier:?} {}", variables.collect::<Vec<_>>().join(", "))
            }
        };
        hash.add(text.as_bytes());
        let mut below: Vec<u128> = term.children().iter().map(|child| self.hash(*child)).collect();
        if let Kind::Equal(..) = term.kind() {
            below.sort_unstable();
        }
        below.iter().for_each(|child| hash.add(&child.to_le_bytes()));
        hash.0
    }
}

/// The hash of Fowler, Noll and Vo, with 128 bits.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;
    use crate::term::{Function, Variable, and, equal, int};

    /// The names are new to the process, so that it is the order of creation that differs.
    #[test]
    fn the_sides_of_an_equation_do_not_depend_on_their_age() {
        let text = |first: &str, second: &str| {
            let made = [first, second].map(|name| Function::constant(name, Sort::Int).apply([]));
            let formula = equal(made[0], made[1]);
            crate::smtlib::TermText(formula).to_string()
        };
        assert_eq!(text("order-a", "order-b"), "(= order-a order-b)");
        assert_eq!(text("order-d", "order-c"), "(= order-c order-d)");
    }

    #[test]
    fn different_terms_have_different_hashes() {
        let x = Variable::new("x", Sort::Int).term();
        let [a, b] = ["a", "b"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let formulas = [equal(a, x), equal(b, x), equal(a, int(1)), equal(a, int(2))];
        let order = StructuralOrder::of(and(formulas));
        let mut hashes: Vec<u128> = formulas.iter().map(|formula| order.hash(*formula)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), formulas.len());
        assert_eq!(order.sides(x, a), [a, x]);
        assert_eq!(order.sides(int(1), x), [x, int(1)]);
    }
}
