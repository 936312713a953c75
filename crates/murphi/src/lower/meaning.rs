//! Symbolic values and how places are read and written.
//!
//! The meaning of a variable is a row of lambdas, one for each component of its type. Their parameters are always the
//! variables [`parameter`]`(0, ..)`, `(1, ..)`, ..., so two meanings of one type combine body by body.

use logic::{Kind, Lambda, Sort, Substitution, Term, Variable, substitute, term};

/// One lambda for each component.
pub(crate) type Meaning = Vec<Lambda>;

/// The canonical parameter of a lambda at this position. Murphi names cannot begin with an underscore.
pub(crate) fn parameter(position: usize, sort: Sort) -> Variable {
    Variable::new(format!("_{position}").as_str(), sort)
}

/// Whether a variable is such a parameter.
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

/// A step from a place to a part of it, with its indices evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// These components of a record.
    Field { offset: usize, width: usize },
    /// An array at an index, or a multiset (whose first component says what is present) at a number.
    Index { index: Term, offset: usize, width: usize },
    /// An array indexed by a union: its parts are laid out one after the other, `width` components each. Each part
    /// has the condition under which the index selects it and, unless the part is a single element, the index inside.
    Cases {
        parts: Vec<(Term, Option<Term>)>,
        width: usize,
    },
}

/// The part of a meaning that the steps lead to.
pub(crate) fn read(meaning: &[Lambda], steps: &[Step]) -> Meaning {
    read_below(meaning, steps, &mut Vec::new())
}

/// `indices` are those met on the way. They are substituted in the end, and only in what was asked for: the parts of a
/// record may be large.
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

/// Writes `new` where the steps lead, under a condition.
pub(crate) fn assign(meaning: &mut [Lambda], steps: &[Step], condition: Term, new: &[Lambda]) {
    assign_below(meaning, steps, condition, 0, new);
}

/// `depth` parameters of the lambdas have been met on the way.
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

/// `lambda $0.. . body` with its first parameters fixed; the others move down.
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

/// The body of a lambda with its parameters moved up by `depth`.
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

/// Where conditions are substituted in a term, it is no deeper than this: that is done by recursion.
pub(super) const DEEPEST: u32 = 2000;

/// The term where a fact is known to hold: what the fact says of its parts is put in their place.
pub(crate) fn assuming(term: Term, fact: Term) -> Term {
    if term.depth() > DEEPEST {
        return term;
    }
    // As a whole first: one part may occur in another, which is no longer found where the first was replaced in it.
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
