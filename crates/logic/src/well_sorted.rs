//! Sort checking of terms. Constructors check in debug builds only; solvers check always, since their libraries do not
//! tolerate ill-sorted terms.

use crate::bits::WIDEST;
use crate::sort::Sort;
use crate::term::{Kind, ListOperation, Term};
use crate::traverse::post_order;

/// An ill-sorted sub-term, if there is one.
pub fn ill_sorted_subterm(term: Term) -> Option<Term> {
    post_order(term, true).into_iter().find(|inner| !is_well_sorted(*inner))
}

/// Whether the outermost operator fits the sorts of its operands and of the term.
pub fn is_well_sorted(term: Term) -> bool {
    let sort = term.sort();
    let all = |terms: &[Term], wanted: Sort| terms.iter().all(|t| t.sort() == wanted);
    match term.kind() {
        Kind::Bool(_) => sort == Sort::Bool,
        Kind::Int(_) => sort == Sort::Int,
        Kind::Real(value) => sort == Sort::Real && value.denominator > 0,
        Kind::BitVector(bits) => sort == Sort::BitVector(bits.width()),
        Kind::Enumerator(of, position) => sort == Sort::Enum(*of) && (*position as usize) < of.values().len(),
        Kind::EmptyList(of) => sort == *of && matches!(sort, Sort::List(_)),
        Kind::Variable(variable) => sort == variable.sort && is_inhabited(sort),
        Kind::Apply(function, arguments) => {
            let parameters = function.parameters();
            sort == function.result()
                && parameters.iter().chain([&sort]).all(|sort| is_inhabited(*sort))
                && arguments.len() == parameters.len()
                && arguments
                    .iter()
                    .zip(parameters)
                    .all(|(argument, parameter)| argument.sort() == *parameter)
        }
        Kind::Not(a) => sort == Sort::Bool && a.sort() == Sort::Bool,
        Kind::And(operands) | Kind::Or(operands) => sort == Sort::Bool && all(operands, Sort::Bool),
        Kind::Implies(a, b) => sort == Sort::Bool && all(&[*a, *b], Sort::Bool),
        Kind::Equal(a, b) => sort == Sort::Bool && a.sort() == b.sort(),
        Kind::Ite(condition, a, b) => condition.sort() == Sort::Bool && all(&[*a, *b], sort),
        Kind::Less(a, b) | Kind::LessEqual(a, b) => sort == Sort::Bool && a.sort().is_numeric() && a.sort() == b.sort(),
        Kind::Add(operands) => sort.is_numeric() && !operands.is_empty() && all(operands, sort),
        Kind::Multiply(a, b) | Kind::Divide(a, b) => sort.is_numeric() && all(&[*a, *b], sort),
        Kind::Modulo(a, b) => sort == Sort::Int && all(&[*a, *b], sort),
        Kind::List(operation, operands) => is_well_sorted_list(sort, *operation, operands),
        Kind::Bits(operation, operands) => {
            let sorts: Vec<Sort> = operands.iter().map(|operand| operand.sort()).collect();
            operation.result(&sorts) == Some(sort)
        }
        Kind::Quantified(_, variables, body) => {
            sort == Sort::Bool && body.sort() == Sort::Bool && variables.iter().all(|v| is_inhabited(v.sort))
        }
    }
}

fn is_well_sorted_list(sort: Sort, operation: ListOperation, operands: &[Term]) -> bool {
    let Some(Sort::List(element)) = operands.first().map(|list| list.sort()) else {
        return false;
    };
    match (operation, operands) {
        (ListOperation::Append, [list, last]) => sort == list.sort() && last.sort() == *element,
        (ListOperation::Head, [_]) => sort == *element,
        (ListOperation::Tail, [list]) => sort == list.sort(),
        (ListOperation::Length, [_]) => sort == Sort::Int,
        _ => false,
    }
}

/// Sorts are never empty: an enumeration needs a value, a bit-vector at least one bit.
fn is_inhabited(sort: Sort) -> bool {
    match sort {
        Sort::Enum(enumeration) => !enumeration.values().is_empty(),
        Sort::List(element) => is_inhabited(*element),
        Sort::BitVector(width) => (1..=WIDEST).contains(&width),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Variable, int, less};
    use crate::testing::{Choices, Vocabulary};

    #[test]
    fn generated_terms_are_well_sorted() {
        for seed in 0..200 {
            let mut choices = Choices::random(seed, 300);
            let formula = Vocabulary::finite().formula(5, &mut choices);
            assert_eq!(ill_sorted_subterm(formula), None);
            assert_eq!(ill_sorted_subterm(crate::simplify(formula)), None);
        }
    }

    #[test]
    fn the_culprit_is_named() {
        let nothing = Variable::new("nothing", Sort::enumeration("Empty".into(), Vec::new())).term();
        assert_eq!(ill_sorted_subterm(nothing), Some(nothing));
        let mixed = less(int(1), Variable::new("r", Sort::Real).term());
        assert_eq!(ill_sorted_subterm(mixed), Some(mixed));
    }
}
