//! Symbolic values, and reading and writing of places.
//!
//! The meaning of a variable is a vector of lambdas, one for each component of its type. Their parameters are always
//! [`parameter`]`(0, ..)`, `(1, ..)`, ..., so two meanings of one type combine body by body.

use logic::{Kind, Lambda, Sort, Substitution, Term, Variable, substitute, term};

/// One lambda for each component.
pub(crate) type Meaning = Vec<Lambda>;

/// The canonical parameter of a lambda at this position. Murphi identifiers cannot begin with an underscore.
pub(crate) fn parameter(position: usize, sort: Sort) -> Variable {
    Variable::new(format!("_{position}").as_str(), sort)
}

/// Whether a variable is a canonical parameter.
pub(crate) fn is_parameter(variable: Variable) -> bool {
    variable.name.as_str().starts_with('_')
}

/// A lambda without parameters.
pub(crate) fn constant(body: Term) -> Lambda {
    Lambda {
        parameters: Vec::new(),
        body,
    }
}

/// A step from a place to a component, with evaluated indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// These components of a record.
    Field { offset: usize, width: usize },
    /// An array at an index, or a multiset (whose first component is the presence mark) at an element index.
    Index { index: Term, offset: usize, width: usize },
    /// An array indexed by a union, laid out case by case with `width` components each. Each case has the condition
    /// under which the index selects it and, unless it is a single element, the index inside.
    Cases {
        parts: Vec<(Term, Option<Term>)>,
        width: usize,
    },
}

/// The component of a meaning that the steps lead to.
pub(crate) fn read(meaning: &[Lambda], steps: &[Step]) -> Meaning {
    read_below(meaning, steps, &mut Vec::new())
}

/// `indices` are those of the steps so far. They are substituted at the end, only in the selected component: records
/// may be large.
fn read_below(meaning: &[Lambda], steps: &[Step], indices: &mut Vec<Term>) -> Meaning {
    let Some((step, rest)) = steps.split_first() else {
        return meaning.iter().map(|lambda| fix_first(lambda, indices)).collect();
    };
    match step {
        Step::Field { offset, width } => read_below(&meaning[*offset..offset + width], rest, indices),
        Step::Index { index, offset, width } => {
            indices.push(*index);
            let part = read_below(&meaning[*offset..offset + width], rest, indices);
            indices.pop();
            part
        }
        Step::Cases { parts, width } => {
            let mut result: Option<Meaning> = None;
            for (number, (condition, index)) in parts.iter().enumerate().rev() {
                indices.extend(*index);
                let part = read_below(&meaning[number * width..(number + 1) * width], rest, indices);
                indices.truncate(indices.len() - usize::from(index.is_some()));
                result = Some(match result {
                    Some(otherwise) => choose(*condition, &part, &otherwise),
                    None => part,
                });
            }
            result.unwrap_or_default()
        }
    }
}

/// Writes `new` to the component that the steps lead to, under a condition.
pub(crate) fn assign(meaning: &mut [Lambda], steps: &[Step], condition: Term, new: &[Lambda]) {
    assign_below(meaning, steps, condition, 0, new);
}

/// `depth` parameters of the lambdas are already fixed.
fn assign_below(meaning: &mut [Lambda], steps: &[Step], condition: Term, depth: usize, new: &[Lambda]) {
    let Some((step, rest)) = steps.split_first() else {
        for (old, new) in meaning.iter_mut().zip(new) {
            old.body = term::ite(condition, shift(new, depth), old.body);
        }
        return;
    };
    match step {
        Step::Field { offset, width } => {
            assign_below(&mut meaning[*offset..offset + width], rest, condition, depth, new);
        }
        Step::Index { index, offset, width } => {
            let here = term::equal(parameter(depth, index.sort()).term(), *index);
            let condition = term::and([condition, here]);
            assign_below(&mut meaning[*offset..offset + width], rest, condition, depth + 1, new);
        }
        Step::Cases { parts, width } => {
            for (number, (case, index)) in parts.iter().enumerate() {
                let mut condition = term::and([condition, *case]);
                let mut depth = depth;
                if let Some(index) = index {
                    let here = term::equal(parameter(depth, index.sort()).term(), *index);
                    condition = term::and([condition, here]);
                    depth += 1;
                }
                assign_below(
                    &mut meaning[number * width..(number + 1) * width],
                    rest,
                    condition,
                    depth,
                    new,
                );
            }
        }
    }
}

/// Fixes the first parameters of `lambda $0.. . body`; the others move down.
fn fix_first(lambda: &Lambda, indices: &[Term]) -> Lambda {
    if indices.is_empty() {
        return lambda.clone();
    }
    let others = lambda.parameters.iter().skip(indices.len()).enumerate();
    let parameters: Vec<Variable> = others.map(|(n, p)| parameter(n, p.sort)).collect();
    let mut arguments = indices.to_vec();
    arguments.extend(parameters.iter().map(|p| p.term()));
    Lambda {
        body: lambda.apply(&arguments),
        parameters,
    }
}

/// The body of a lambda with its parameters shifted up by `depth`.
fn shift(lambda: &Lambda, depth: usize) -> Term {
    if depth == 0 || lambda.parameters.is_empty() {
        return lambda.body;
    }
    let moved = lambda
        .parameters
        .iter()
        .enumerate()
        .map(|(n, p)| (*p, parameter(n + depth, p.sort).term()));
    Substitution::of_variables(moved).apply(lambda.body)
}

/// `if condition then a else b`, component by component.
pub(crate) fn choose(condition: Term, a: &[Lambda], b: &[Lambda]) -> Meaning {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(x, y)| Lambda {
            parameters: x.parameters.clone(),
            body: term::ite(condition, x.body, y.body),
        })
        .collect()
}

/// Conditions are only substituted in terms of at most this depth, since substitution is recursive.
pub(super) const DEEPEST: u32 = 2000;

/// Simplifies a term under a fact: replaces sub-terms whose value the fact states.
pub(crate) fn assuming(term: Term, fact: Term) -> Term {
    if term.depth() > DEEPEST {
        return term;
    }
    // The fact as a whole first: replacing one of its conjuncts inside another would hide the latter.
    let parts = match fact.kind() {
        Kind::And(parts) => [&[fact], parts.as_slice()].concat(),
        _ => vec![fact],
    };
    parts.into_iter().fold(term, |term, part| match part.kind() {
        Kind::Bool(_) => term,
        Kind::Not(inner) => substitute::replace(term, *inner, term::bool(false)),
        _ => substitute::replace(term, part, term::bool(true)),
    })
}
