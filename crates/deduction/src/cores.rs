//! Minimal subsets: unsatisfiable cores, sufficient facts, generalised cubes.
//!
//! Deletion: leave out one element after the other, and for good where the rest still suffices. Where more elements
//! always suffice where fewer do, no element of the result can be left out.

use logic::{Function, Sort, Term, term};
use smt::{Answer, Purpose, Solver, SolverError};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Tries to leave out the elements in this order. `subset` gets what is left without the element, and the element; it
/// returns a subset of that which suffices, if there is one.
pub fn shrink<E>(
    elements: BTreeSet<usize>,
    order: impl IntoIterator<Item = usize>,
    mut subset: impl FnMut(&BTreeSet<usize>, usize) -> Result<Option<BTreeSet<usize>>, E>,
) -> Result<BTreeSet<usize>, E> {
    let mut kept = elements;
    for element in order {
        let mut rest = kept.clone();
        if rest.remove(&element)
            && let Some(fewer) = subset(&rest, element)?
        {
            kept = fewer;
        }
    }
    Ok(kept)
}

/// The same for a list, from its last element to its first, that keeps at least one.
pub fn shrink_list<T: Copy>(elements: &[T], mut suffices: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let at = |positions: &BTreeSet<usize>| positions.iter().map(|at| elements[*at]).collect::<Vec<T>>();
    let all = (0..elements.len()).collect();
    let kept = shrink(all, (0..elements.len()).rev(), |rest, _| {
        let is_enough = !rest.is_empty() && suffices(&at(rest));
        Ok::<_, Infallible>(is_enough.then(|| rest.clone()))
    });
    let Ok(kept) = kept;
    at(&kept)
}

/// An unsatisfiable core without what was found superfluous, in its order. Undecided checks leave more in it.
pub fn minimise_core(solver: &mut dyn Solver, purpose: Purpose, core: Vec<Term>) -> Result<Vec<Term>, SolverError> {
    let kept = shrink((0..core.len()).collect(), (0..core.len()).rev(), |rest, candidate| {
        // First what was found necessary.
        let necessary = rest.range(candidate..).rev();
        let assumptions: Vec<Term> = necessary.chain(rest.range(..candidate)).map(|at| core[*at]).collect();
        Ok::<_, SolverError>(match solver.check_assuming(purpose, &assumptions)? {
            Answer::Unsat => {
                let smaller = solver.unsat_core()?;
                Some(rest.iter().copied().filter(|at| smaller.contains(&core[*at])).collect())
            }
            Answer::Sat | Answer::Unknown(_) => None,
        })
    })?;
    Ok(kept.into_iter().map(|at| core[at]).collect())
}

/// A minimal subset of the assumptions that contradicts what is asserted; none where they are not known to.
pub fn minimal_core(
    solver: &mut dyn Solver,
    purpose: Purpose,
    assumptions: &[Term],
) -> Result<Option<Vec<Term>>, SolverError> {
    match solver.check_assuming(purpose, assumptions)? {
        Answer::Unsat => {
            let core = solver.unsat_core()?;
            minimise_core(solver, purpose, core).map(Some)
        }
        Answer::Sat | Answer::Unknown(_) => Ok(None),
    }
}

/// A Boolean constant that implies the formula with this number: as an assumption, it tells whether a core needs it.
pub fn label(word: &str, number: usize) -> Term {
    Function::constant(format!("{word}#{number}").as_str(), Sort::Bool).apply([])
}

/// `label => formula`, for each formula.
pub fn labelled<'f>(word: &str, formulas: &'f [Term]) -> (Vec<Term>, impl Iterator<Item = Term> + use<'f>) {
    let labels: Vec<Term> = (0..formulas.len()).map(|number| label(word, number)).collect();
    let implications = labels.clone().into_iter().zip(formulas);
    (
        labels,
        implications.map(|(label, formula)| term::implies(label, *formula)),
    )
}

/// The positions of those labels that are in a core.
pub fn positions(labels: &[Term], core: &[Term]) -> Vec<usize> {
    let labels = labels.iter().enumerate();
    labels
        .filter(|(_, label)| core.contains(label))
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Solvers;

    /// `x0 < x1 < ... < x0`, with an inequality that does not belong to it.
    #[test]
    fn a_minimal_core_has_no_superfluous_assumption() {
        let x = |n: usize| Function::constant(format!("x{}", n % 5).as_str(), Sort::Int).apply([]);
        let mut formulas: Vec<Term> = (0..5).map(|n| term::less(x(n), x(n + 1))).collect();
        formulas.insert(2, term::less(x(0), x(3)));
        formulas.insert(0, term::less(x(1), x(4)));
        let mut solver = Solvers::default().solver().unwrap();
        let (labels, implications) = labelled("part", &formulas);
        for implication in implications {
            solver.assert(implication).unwrap();
        }
        let core = minimal_core(solver.as_mut(), Purpose::Other, &labels).unwrap().unwrap();
        let core = positions(&labels, &core);
        let is_unsat = |solver: &mut dyn Solver, parts: &[usize]| {
            let assumed: Vec<Term> = parts.iter().map(|n| labels[*n]).collect();
            solver.check_assuming(Purpose::Other, &assumed).unwrap() == Answer::Unsat
        };
        assert!(is_unsat(solver.as_mut(), &core));
        for left_out in &core {
            let rest: Vec<usize> = core.iter().copied().filter(|n| n != left_out).collect();
            assert!(!is_unsat(solver.as_mut(), &rest), "{core:?} without {left_out}");
        }
        let satisfiable = minimal_core(solver.as_mut(), Purpose::Other, &labels[1..4]).unwrap();
        assert_eq!(satisfiable, None);
    }

    #[test]
    fn lists_shrink_from_the_end_and_never_to_nothing() {
        let mut asked = Vec::new();
        let kept = shrink_list(&[4, 1, 3, 2], |rest| {
            asked.push(rest.to_vec());
            rest.iter().sum::<i32>() >= 4
        });
        assert_eq!(kept, [4]);
        assert_eq!(asked, [vec![4, 1, 3], vec![4, 1], vec![4]]);
        assert_eq!(shrink_list(&[1, 2], |_| true), [1]);
        assert_eq!(shrink_list(&[1, 2], |_| false), [1, 2]);
        assert_eq!(shrink_list(&[] as &[i32], |_| true), [] as [i32; 0]);
    }

    /// What an oracle finds out beside goes at once, and is not asked about again.
    #[test]
    fn a_smaller_subset_is_taken_as_it_is() {
        let mut asked = Vec::new();
        let kept: Result<_, ()> = shrink((0..6).collect(), 0..6, |rest, element| {
            asked.push(element);
            let smaller = rest.intersection(&BTreeSet::from([1, 4, 5])).copied().collect();
            Ok(rest.is_superset(&BTreeSet::from([1, 5])).then_some(smaller))
        });
        assert_eq!(kept, Ok(BTreeSet::from([1, 5])));
        assert_eq!(asked, [0, 1, 4, 5]);
    }
}
