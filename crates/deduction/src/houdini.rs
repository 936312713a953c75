//! Houdini: the largest inductive subset of candidate invariants.
//!
//! C. Flanagan and K. R. M. Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001:
//!
//! ```text
//! S := all candidates
//! while some step leads from a state in which S holds to one in which some c in S does not:   S := S without c
//! ```
//!
//! The result does not depend on the order, as long as the solver decides every check. A candidate on which it does
//! not decide is dropped. [`Steps`] says what is checked: a step for all candidates that it may break, with a model
//! that refutes many of them at once, or for each candidate alone.

use smt::SolverError;
use std::collections::{BTreeMap, VecDeque};

/// The answer to a check: whether a step preserves candidates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Preservation {
    /// All of them, where these candidates hold before the step.
    Preserved(Vec<usize>),
    /// It may break these, and perhaps others.
    Broken(Vec<usize>),
    Unknown,
}

/// The steps that an inductive invariant has to be preserved by. Candidates are numbers.
pub trait Steps {
    /// A step, or a step and a candidate: what is checked at once, and again when a premise is dropped.
    type Obligation: Copy + Ord;

    /// The candidates that the obligation is about.
    fn candidates(&self, obligation: Self::Obligation) -> Vec<usize>;

    /// Whether the step preserves all of these where the `standing` candidates hold before it.
    fn check(
        &mut self,
        obligation: Self::Obligation,
        candidates: &[usize],
        standing: &[bool],
    ) -> Result<Preservation, SolverError>;

    /// Called before the checks of an obligation, for solvers that assert the premises once for all of them.
    fn enter(&mut self, _: Self::Obligation, _standing: &[bool]) -> Result<(), SolverError> {
        Ok(())
    }

    /// Called after them.
    fn leave(&mut self) -> Result<(), SolverError> {
        Ok(())
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The candidates that stand, and what is known of the obligations.
pub struct Houdini<O> {
    /// By candidate, whether it has not been dropped.
    pub standing: Vec<bool>,
    /// By discharged obligation, the candidates that suffice before its step.
    pub premises: BTreeMap<O, Vec<usize>>,
    checks: usize,
    max_checks: usize,
}

impl<O: Copy + Ord> Houdini<O> {
    pub fn new(standing: Vec<bool>, max_checks: usize) -> Houdini<O> {
        Houdini {
            standing,
            premises: BTreeMap::new(),
            checks: 0,
            max_checks,
        }
    }

    /// Discharges the obligations in order; those whose premises are dropped return to the end of the queue. False at
    /// the limit and after an interrupt: then what stands need not be inductive.
    pub fn run(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligations: impl IntoIterator<Item = O>,
    ) -> Result<bool, SolverError> {
        self.discharge(steps, obligations, |_| {})
    }

    /// The same, the least open obligation first.
    pub fn run_least_first(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligations: impl IntoIterator<Item = O>,
    ) -> Result<bool, SolverError> {
        self.discharge(steps, obligations, |pending| pending.make_contiguous().sort_unstable())
    }

    fn discharge(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligations: impl IntoIterator<Item = O>,
        arrange: impl Fn(&mut VecDeque<O>),
    ) -> Result<bool, SolverError> {
        let mut pending: VecDeque<O> = obligations.into_iter().collect();
        while let Some(obligation) = pending.pop_front() {
            if self.premises.contains_key(&obligation) || self.open(steps, obligation).is_empty() {
                continue;
            }
            let before = self.standing.clone();
            let premises = loop {
                match self.weaken(steps, obligation)? {
                    None => return Ok(false),
                    Some(premises) if premises.iter().all(|premise| self.standing[*premise]) => break premises,
                    Some(_) => {}
                }
            };
            self.premises.insert(obligation, premises);
            let is_dropped = |candidate: &usize| before[*candidate] && !self.standing[*candidate];
            let again = self
                .premises
                .extract_if(.., |_, premises| premises.iter().any(is_dropped));
            let again: Vec<O> = again.map(|(obligation, _)| obligation).collect();
            if !again.is_empty() {
                pending.extend(again);
                arrange(&mut pending);
            }
        }
        Ok(true)
    }

    /// The same, by checking all obligations until none of them drops anything: for steps whose premises are not known.
    pub fn run_in_rounds(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligations: &[O],
    ) -> Result<bool, SolverError> {
        loop {
            let before = self.standing.clone();
            for obligation in obligations {
                if self.weaken(steps, *obligation)?.is_none() {
                    return Ok(false);
                }
            }
            if self.standing == before {
                return Ok(true);
            }
        }
    }

    fn open(&self, steps: &impl Steps<Obligation = O>, obligation: O) -> Vec<usize> {
        let mut candidates = steps.candidates(obligation);
        candidates.retain(|candidate| self.standing[*candidate]);
        candidates
    }

    /// Drops candidates until the step preserves the rest. The premises that suffice for that: candidates that stood
    /// at the beginning. None at the limit and after an interrupt.
    fn weaken(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligation: O,
    ) -> Result<Option<Vec<usize>>, SolverError> {
        let mut open = self.open(steps, obligation);
        if open.is_empty() {
            return Ok(Some(Vec::new()));
        }
        steps.enter(obligation, &self.standing)?;
        let premises = loop {
            if open.is_empty() {
                break Some(Vec::new());
            }
            match self.check(steps, obligation, &open)? {
                None => break None,
                Some(Preservation::Preserved(premises)) => break Some(premises),
                Some(Preservation::Broken(broken)) if !broken.is_empty() => {
                    broken
                        .into_iter()
                        .for_each(|candidate| self.standing[candidate] = false);
                }
                Some(_) if open.len() == 1 => self.standing[open[0]] = false,
                Some(_) => break self.weaken_one_by_one(steps, obligation, &open)?,
            }
            open.retain(|candidate| self.standing[*candidate]);
        };
        steps.leave()?;
        Ok(premises)
    }

    fn weaken_one_by_one(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligation: O,
        open: &[usize],
    ) -> Result<Option<Vec<usize>>, SolverError> {
        let mut all = Vec::new();
        for candidate in open {
            match self.check(steps, obligation, &[*candidate])? {
                None => return Ok(None),
                Some(Preservation::Preserved(premises)) => all.extend(premises),
                Some(Preservation::Broken(_) | Preservation::Unknown) => self.standing[*candidate] = false,
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(Some(all))
    }

    fn check(
        &mut self,
        steps: &mut impl Steps<Obligation = O>,
        obligation: O,
        candidates: &[usize],
    ) -> Result<Option<Preservation>, SolverError> {
        if self.checks >= self.max_checks || steps.is_cancelled() {
            return Ok(None);
        }
        self.checks += 1;
        steps.check(obligation, candidates, &self.standing).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An explicit graph: candidates are sets of its states, steps are its edges.
    struct Graph {
        edges: Vec<(usize, usize)>,
        /// By candidate, the states in which it holds, as bits.
        holds: Vec<u32>,
        /// Whether an obligation is an edge with one candidate; else it is the edge with all of them.
        one_by_one: bool,
        /// No answer to checks of several candidates, and none to checks of this one.
        undecided: Option<usize>,
        entered: Option<Vec<bool>>,
    }

    impl Graph {
        fn holds(&self, candidate: usize, state: usize) -> bool {
            self.holds[candidate] >> state & 1 == 1
        }

        /// By brute force: the largest of all inductive subsets.
        fn largest(&self) -> Vec<bool> {
            let count = self.holds.len();
            let subset = |bits: u32| (0..count).map(|n| bits >> n & 1 == 1).collect::<Vec<bool>>();
            let is_inductive = |standing: &Vec<bool>| {
                let all = |state: usize| (0..count).all(|n| !standing[n] || self.holds(n, state));
                self.edges.iter().all(|(from, to)| !all(*from) || all(*to))
            };
            let inductive = (0..1u32 << count).map(subset).filter(is_inductive);
            inductive
                .max_by_key(|standing| standing.iter().filter(|is| **is).count())
                .unwrap()
        }

        fn obligations(&self) -> Vec<(usize, usize)> {
            let candidates = if self.one_by_one { self.holds.len() } else { 1 };
            (0..candidates)
                .flat_map(|candidate| (0..self.edges.len()).map(move |edge| (candidate, edge)))
                .collect()
        }
    }

    impl Steps for Graph {
        type Obligation = (usize, usize);

        fn candidates(&self, (candidate, _): (usize, usize)) -> Vec<usize> {
            match self.one_by_one {
                true => vec![candidate],
                false => (0..self.holds.len()).collect(),
            }
        }

        fn enter(&mut self, _: (usize, usize), standing: &[bool]) -> Result<(), SolverError> {
            assert_eq!(self.entered.replace(standing.to_vec()), None);
            Ok(())
        }

        fn leave(&mut self) -> Result<(), SolverError> {
            self.entered = None;
            Ok(())
        }

        fn check(
            &mut self,
            (_, edge): (usize, usize),
            candidates: &[usize],
            _: &[bool],
        ) -> Result<Preservation, SolverError> {
            if self
                .undecided
                .is_some_and(|one| candidates.len() > 1 || candidates == [one])
            {
                return Ok(Preservation::Unknown);
            }
            // Premises as they were at the beginning, which may be more than what stands by now.
            let standing = self.entered.clone().unwrap_or_default();
            let (from, to) = self.edges[edge];
            let premises = (0..standing.len()).filter(|n| standing[*n]);
            let refuting = premises.clone().find(|n| !self.holds(*n, from));
            if let Some(refuting) = refuting {
                return Ok(Preservation::Preserved(vec![refuting]));
            }
            let broken: Vec<usize> = candidates.iter().copied().filter(|n| !self.holds(*n, to)).collect();
            Ok(match broken.is_empty() {
                true => Preservation::Preserved(Vec::new()),
                false => Preservation::Broken(broken),
            })
        }
    }

    fn random_graph(seed: &mut u64, one_by_one: bool) -> Graph {
        let mut random = |bound: u64| {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % bound
        };
        let mut index = |bound: u64| usize::try_from(random(bound)).unwrap();
        Graph {
            edges: (0..index(12)).map(|_| (index(8), index(8))).collect(),
            holds: (0..6)
                .map(|_| u32::try_from(index(256) | index(256)).unwrap())
                .collect(),
            one_by_one,
            undecided: None,
            entered: None,
        }
    }

    #[test]
    fn what_stands_is_the_largest_inductive_subset() {
        let (mut seed, mut proper) = (7, 0);
        for round in 0..400 {
            let mut graph = random_graph(&mut seed, round % 2 == 0);
            let (largest, obligations) = (graph.largest(), graph.obligations());
            let mut queue = Houdini::new(vec![true; 6], usize::MAX);
            assert!(queue.run(&mut graph, obligations.iter().copied()).unwrap());
            assert_eq!(queue.standing, largest);
            let mut rounds = Houdini::new(vec![true; 6], usize::MAX);
            assert!(rounds.run_in_rounds(&mut graph, &obligations).unwrap());
            assert_eq!(rounds.standing, largest);
            let mut least = Houdini::new(vec![true; 6], usize::MAX);
            assert!(least.run_least_first(&mut graph, obligations.iter().copied()).unwrap());
            assert_eq!(least.standing, largest);
            let mut backwards = Houdini::new(vec![true; 6], usize::MAX);
            assert!(backwards.run(&mut graph, obligations.into_iter().rev()).unwrap());
            assert_eq!(backwards.standing, largest);
            proper += usize::from(largest.contains(&true) && largest.contains(&false));
            // All premises of what stands do stand.
            assert!(
                queue
                    .premises
                    .values()
                    .flatten()
                    .all(|premise| queue.standing[*premise])
            );
        }
        assert!(proper > 50, "too few for a test: {proper}");
    }

    #[test]
    fn an_undecided_candidate_falls_with_what_needs_it() {
        // Candidate 1 needs candidate 0 on the only edge; candidate 2 needs nothing.
        let graph = |undecided| Graph {
            edges: vec![(0, 1)],
            holds: vec![0b110, 0b101, 0b111],
            one_by_one: false,
            undecided,
            entered: None,
        };
        let standing = |undecided| {
            let mut houdini = Houdini::new(vec![true; 3], usize::MAX);
            assert!(houdini.run(&mut graph(undecided), [(0, 0)]).unwrap());
            houdini.standing
        };
        assert_eq!(standing(None), [true, true, true]);
        assert_eq!(standing(Some(0)), [false, false, true]);
        assert_eq!(standing(Some(2)), [true, true, false]);
    }

    #[test]
    fn at_the_limit_nothing_is_said() {
        let mut seed = 1;
        let mut graph = random_graph(&mut seed, true);
        graph.edges = vec![(0, 1); 4];
        let obligations = graph.obligations();
        let mut houdini = Houdini::new(vec![true; 6], 2);
        assert!(!houdini.run(&mut graph, obligations.clone()).unwrap());
        let mut houdini = Houdini::new(vec![true; 6], 2);
        assert!(!houdini.run_in_rounds(&mut graph, &obligations).unwrap());
    }
}
