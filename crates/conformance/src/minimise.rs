//! Predicate minimisation, section 6.3: a smallest set of branches that eliminates every spurious counterexample so
//! far.

use crate::component::Component;
use crate::component::abstraction::{AbstractionError, Oracle};
use crate::component::path::Path;
use deduction::combinations::subsets;
use deduction::cores::shrink;
use std::collections::BTreeSet;

/// How the branches are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Minimisation {
    /// All branches that eliminate a counterexample are kept.
    None,
    /// Figure 10: branches are left out one by one.
    Greedy,
    #[default]
    Minimum,
}

/// The limits of the search for each counterexample.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// MAXSUB: combinations of branches.
    pub subsets: usize,
    /// MAXELM: combinations that eliminate it.
    pub eliminating: usize,
    /// The greatest size of a combination.
    pub size: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            subsets: 1000,
            eliminating: 20,
            size: 4,
        }
    }
}

/// A spurious counterexample, and the sets of branches that are known to eliminate it.
#[derive(Clone, Debug)]
pub struct Spurious {
    path: Path,
    on_path: BTreeSet<usize>,
    /// Branches that have predicates on the path.
    near: BTreeSet<usize>,
    /// Sets of branches each of which eliminates it, in the order of their size.
    pub eliminating: Vec<BTreeSet<usize>>,
    /// Further sets that do, and sets that do not.
    does: Vec<BTreeSet<usize>>,
    does_not: Vec<BTreeSet<usize>>,
}

impl Spurious {
    fn new(component: &Component, path: Path) -> Spurious {
        let on_path = component.nodes_of(&path);
        let is_near = |number: &usize| {
            let inferred = &component.candidates[*number].inferred;
            on_path.iter().any(|node| !inferred.at[*node].is_empty())
        };
        let near = (0..component.candidates.len()).filter(is_near).collect();
        Spurious {
            path,
            on_path,
            near,
            eliminating: Vec::new(),
            does: Vec::new(),
            does_not: Vec::new(),
        }
    }

    /// Whether these branches eliminate it: more branches eliminate more paths, so that much is known already.
    fn is_eliminated(
        &mut self,
        component: &Component,
        chosen: &BTreeSet<usize>,
        oracle: &mut Oracle,
    ) -> Result<bool, AbstractionError> {
        let chosen: BTreeSet<usize> = chosen.intersection(&self.near).copied().collect();
        let mut known = self.eliminating.iter().chain(&self.does);
        if known.any(|set| set.is_subset(&chosen)) {
            return Ok(true);
        }
        if self.does_not.iter().any(|set| chosen.is_subset(set)) {
            return Ok(false);
        }
        let predicates = component.predicates_at(&self.on_path, &chosen);
        let is_eliminated = component.eliminates(&self.path, &predicates, oracle)?;
        match is_eliminated {
            true => self.does.push(chosen),
            false => self.does_not.push(chosen),
        }
        Ok(is_eliminated)
    }
}

/// A path with sets of branches that eliminate it, in the order of their size. None at all where all branches together
/// do not.
///
/// Those are tried first at nodes because of whose conditions the path is impossible, since their predicates are what
/// decides about these conditions; then, alone, every branch that has predicates on the path.
pub fn eliminating(
    component: &Component,
    path: Path,
    because: &BTreeSet<usize>,
    limits: &Limits,
    oracle: &mut Oracle,
) -> Result<Spurious, AbstractionError> {
    let mut spurious = Spurious::new(component, path);
    let near: Vec<usize> = spurious.near.iter().copied().collect();
    let is_core = |number: &usize| because.contains(&component.candidates[*number].node);
    let core: Vec<usize> = near.iter().copied().filter(is_core).collect();
    let (mut found, mut tried) = (Vec::<BTreeSet<usize>>::new(), 0);
    let alone: Vec<usize> = near.iter().copied().filter(|number| !core.contains(number)).collect();
    let rounds = [(1, &core), (1, &alone)]
        .into_iter()
        .chain((2..=limits.size).map(|size| (size, &core)));
    for (size, members) in rounds {
        for choice in subsets(members.len(), size) {
            let subset: BTreeSet<usize> = choice.iter().map(|position| members[*position]).collect();
            tried += 1;
            if spurious.is_eliminated(component, &subset, oracle)? {
                found.push(subset);
            }
            if tried >= limits.subsets || found.len() >= limits.eliminating {
                break;
            }
        }
        if !found.is_empty() || tried >= limits.subsets {
            break;
        }
    }
    for all in [core, near] {
        if found.is_empty() {
            let all: BTreeSet<usize> = all.into_iter().collect();
            if spurious.is_eliminated(component, &all, oracle)? {
                found.push(greedy(component, std::slice::from_mut(&mut spurious), all, oracle)?);
            }
        }
    }
    spurious.eliminating = found;
    Ok(spurious)
}

/// Figure 10: leaves out branches one by one, as long as the rest eliminates every path. One round is enough: fewer
/// branches eliminate fewer paths.
pub fn greedy(
    component: &Component,
    paths: &mut [Spurious],
    chosen: BTreeSet<usize>,
    oracle: &mut Oracle,
) -> Result<BTreeSet<usize>, AbstractionError> {
    let order = chosen.clone();
    shrink(chosen, order, |rest, _| {
        // The latest paths are the most likely ones to need the branch.
        for path in paths.iter_mut().rev() {
            if !path.is_eliminated(component, rest, oracle)? {
                return Ok(None);
            }
        }
        Ok(Some(rest.clone()))
    })
}

/// A minimum of `σ = ⋀ ⋁ s(CE, i)`: of each row one set, so that their union is as small as possible. Branch and bound.
pub fn minimum(rows: &[&[BTreeSet<usize>]]) -> BTreeSet<usize> {
    let mut ordered: Vec<&[BTreeSet<usize>]> = rows.iter().copied().filter(|row| !row.is_empty()).collect();
    ordered.sort_by_key(|row| row.len());
    let mut best: BTreeSet<usize> = ordered.iter().flat_map(|row| &row[0]).copied().collect();
    search(&ordered, &BTreeSet::new(), &mut best, &mut 0);
    best
}

/// Further combinations of sets than this are not looked at: the best so far is an eliminating one, too.
const MOST_COMBINATIONS: usize = 1_000_000;

fn search(rows: &[&[BTreeSet<usize>]], chosen: &BTreeSet<usize>, best: &mut BTreeSet<usize>, combinations: &mut usize) {
    *combinations += 1;
    if chosen.len() >= best.len() || *combinations > MOST_COMBINATIONS {
        return;
    }
    // Rows that are satisfied already cost nothing.
    let open = rows.iter().position(|row| !row.iter().any(|set| set.is_subset(chosen)));
    let Some(open) = open else {
        best.clone_from(chosen);
        return;
    };
    let mut sets: Vec<&BTreeSet<usize>> = rows[open].iter().collect();
    sets.sort_by_key(|set| set.difference(chosen).count());
    for set in sets {
        let more: BTreeSet<usize> = chosen.union(set).copied().collect();
        search(&rows[open + 1..], &more, best, combinations);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(members: &[usize]) -> BTreeSet<usize> {
        members.iter().copied().collect()
    }

    #[test]
    fn example_5() {
        let first = [set(&[1, 3, 5]), set(&[2, 5])];
        let second = [set(&[2, 3]), set(&[4])];
        let found = minimum(&[&first, &second]);
        assert!(
            found == set(&[2, 4, 5]) || found == set(&[2, 3, 5]),
            "of three, as {{2, 4, 5}}: {found:?}"
        );
        let third = [set(&[2, 4, 5])];
        assert_eq!(minimum(&[&first, &second, &third]), set(&[2, 4, 5]));
    }

    /// All choices of one set for each row, one by one.
    #[test]
    fn minima_are_minima() {
        let mut random = oorandom::Rand32::new(7);
        for _ in 0..300 {
            let rows: Vec<Vec<BTreeSet<usize>>> = (0..random.rand_range(1..5))
                .map(|_| {
                    let sets = 0..random.rand_range(1..5);
                    let draw = |random: &mut oorandom::Rand32| {
                        (0..random.rand_range(1..4))
                            .map(|_| random.rand_range(0..7) as usize)
                            .collect()
                    };
                    sets.map(|_| draw(&mut random)).collect()
                })
                .collect();
            let mut unions = vec![BTreeSet::new()];
            for row in &rows {
                let unite = |known: &BTreeSet<usize>| -> Vec<BTreeSet<usize>> {
                    row.iter().map(|set| known.union(set).copied().collect()).collect()
                };
                unions = unions.iter().flat_map(unite).collect();
            }
            let smallest = unions.iter().map(BTreeSet::len).min().unwrap();
            let rows: Vec<&[BTreeSet<usize>]> = rows.iter().map(Vec::as_slice).collect();
            let found = minimum(&rows);
            assert_eq!(found.len(), smallest);
            assert!(rows.iter().all(|row| row.iter().any(|set| set.is_subset(&found))));
        }
    }
}
