//! Bounded search by the solver: is there a run of so many steps into a violation?
//!
//! A. Biere, A. Cimatti, E. M. Clarke and Y. Zhu, "Symbolic model checking without BDDs" (TACAS 1999), in a universe of
//! a few elements and over integers without bounds: rules are unrolled one after the other, in one solver for each
//! universe, and after each the solver is asked for a bad state. It sees at once what exploration meets only state by
//! state: integers far away from where they begin, and every initial array.
//!
//! The result is a run to be replayed. Limits: no lists; indices and quantifiers over integers in a
//! window of a few; that nothing is found says nothing.

use crate::finite::{Failure, Universe, Unrolling, Unsuited};
use crate::predicate::{Concrete, Taken};
use logic::{Function, Sort, Term, term};
use smt::{Answer, Model, Purpose, SolverError, Solvers, UnknownReason};
use system::TransitionSystem;

/// How far to search.
pub struct Settings<'s> {
    pub solvers: &'s Solvers,
    /// How many elements index sorts have, one universe after the other.
    pub sizes: &'s [u32],
    /// The greatest number of rules.
    pub depth: usize,
}

/// What the next look brought.
#[derive(Clone, Debug)]
pub enum BoundedResult {
    /// A run, to be replayed.
    Run(Concrete),
    /// There is none of as many rules as were allowed, in the universes that were looked at.
    Nothing,
    /// The system cannot be written that way.
    Unsuited(Unsuited),
    /// Someone asked to stop.
    Cancelled,
}

/// A search that can be gone on with after each run that it finds.
pub struct Search<'s> {
    system: &'s TransitionSystem,
    /// Some property does not hold.
    bad: Term,
    settings: Settings<'s>,
    universes: Vec<Place>,
    /// Where the last look was.
    depth: usize,
}

/// How far the search is in one universe.
struct Place {
    size: u32,
    /// How many rules the next runs have that are looked for.
    next: usize,
    is_over: bool,
    unrolled: Option<Unrolled>,
}

impl<'s> Search<'s> {
    pub fn new(system: &'s TransitionSystem, properties: &[Term], settings: Settings<'s>) -> Search<'s> {
        // Without index sorts they are all the same.
        let different = if system.index_sorts.is_empty() { 1 } else { usize::MAX };
        let sizes = settings.sizes.iter().take(different);
        Search {
            system,
            bad: term::or(properties.iter().map(|property| term::not(*property))),
            universes: sizes
                .map(|size| Place {
                    size: *size,
                    next: 0,
                    is_over: false,
                    unrolled: None,
                })
                .collect(),
            settings,
            depth: 0,
        }
    }

    /// How many rules the runs have that were looked for last.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The next run that fires other rules than the runs before, a shortest one in its universe.
    pub fn next_run(&mut self) -> Result<BoundedResult, SolverError> {
        while let Some(place) = self.due() {
            if self.settings.solvers.cancellation().is_cancelled() {
                return Ok(BoundedResult::Cancelled);
            }
            match self.look(place) {
                Ok(Some(concrete)) => return Ok(BoundedResult::Run(concrete)),
                Ok(None) => self.universes[place].next += 1,
                Err(Failure::Solver(error)) => return Err(error),
                Err(Failure::Unsuited(Unsuited::Cancelled)) => return Ok(BoundedResult::Cancelled),
                Err(Failure::Unsuited(unsuited)) if place == 0 => return Ok(BoundedResult::Unsuited(unsuited)),
                // A smaller universe will have to do.
                Err(Failure::Unsuited(_)) => self.universes[place].is_over = true,
            }
        }
        Ok(BoundedResult::Nothing)
    }

    /// The universe to look at next. Each is half as deep as the one before it: it is larger, and a step there costs
    /// several times as much.
    fn due(&self) -> Option<usize> {
        let open = |place: &usize| {
            let place = &self.universes[*place];
            !place.is_over && place.next <= self.settings.depth
        };
        let cost = |place: &usize| (self.universes[*place].next as u128 + 1) << (*place).min(60);
        (0..self.universes.len()).filter(open).min_by_key(cost)
    }

    /// Looks for a run of the depth that is due in a universe.
    fn look(&mut self, number: usize) -> Result<Option<Concrete>, Failure> {
        let place = &mut self.universes[number];
        self.depth = place.next;
        let unrolled = match &mut place.unrolled {
            Some(unrolled) => unrolled,
            None => {
                let universe = Universe::new(self.system, place.size);
                let unrolled = Unrolled::new(self.system, universe, self.bad, self.settings.solvers)?;
                place.unrolled.insert(unrolled)
            }
        };
        if unrolled.steps < self.depth {
            unrolled.deepen(self.bad)?;
        }
        let run = unrolled.run(self.system)?;
        place.is_over = unrolled.is_over;
        Ok(run)
    }
}

/// The runs of one universe.
struct Unrolled {
    unrolling: Unrolling,
    /// How many rules.
    steps: usize,
    /// There are no longer runs, or the solver does not know.
    is_over: bool,
}

/// That the state at the end is bad.
fn bad_literal(steps: usize) -> Term {
    Function::constant(format!("bad@{steps}").as_str(), Sort::Bool).apply([])
}

impl Unrolled {
    fn new(system: &TransitionSystem, universe: Universe, bad: Term, solvers: &Solvers) -> Result<Unrolled, Failure> {
        let mut unrolling = Unrolling::new(system, universe, solvers, Purpose::Bounded)?;
        unrolling.start()?;
        let mut unrolled = Unrolled {
            unrolling,
            steps: 0,
            is_over: false,
        };
        unrolled.name_bad(bad)?;
        Ok(unrolled)
    }

    fn name_bad(&mut self, bad: Term) -> Result<(), Failure> {
        let bad = self.unrolling.formula(bad, self.steps)?;
        self.unrolling.assert(term::implies(bad_literal(self.steps), bad))
    }

    fn deepen(&mut self, bad: Term) -> Result<(), Failure> {
        self.unrolling.assert(term::not(bad_literal(self.steps)))?;
        self.unrolling.step(self.steps)?;
        self.steps += 1;
        self.name_bad(bad)
    }

    /// A run of just as many steps into a bad state.
    fn run(&mut self, system: &TransitionSystem) -> Result<Option<Concrete>, Failure> {
        let bad = bad_literal(self.steps);
        match self.unrolling.check(&[bad])? {
            Answer::Sat => {}
            Answer::Unknown(UnknownReason::Interrupted) => return Err(Unsuited::Cancelled.into()),
            Answer::Unknown(_) => {
                self.is_over = true;
                return Ok(None);
            }
            Answer::Unsat => {
                // Where the bad state is not to blame, there is no run of this length at all.
                self.is_over = self.unrolling.core()?.is_empty();
                return Ok(None);
            }
        }
        let model = self.unrolling.small_model(&[bad], self.steps)?;
        let concrete = self.concrete(system, model.as_ref())?;
        self.exclude(model.as_ref())?;
        Ok(Some(concrete))
    }

    fn numbers(&mut self) -> Result<Vec<Term>, Failure> {
        let mut numbers = Vec::new();
        for moment in 0..=self.steps {
            numbers.extend(self.unrolling.numbers(moment)?);
        }
        Ok(numbers)
    }

    /// The instances that the model takes: a start, and then rules.
    fn taken(&self, model: &dyn Model) -> Result<(usize, Vec<usize>), SolverError> {
        let holds = |literal: Term| Ok::<bool, SolverError>(model.value(literal)?.as_bool() == Some(true));
        let mut start = 0;
        for number in (0..self.unrolling.starts.len()).rev() {
            if holds(self.unrolling.start_selector(number))? {
                start = number;
            }
        }
        let mut rules = Vec::new();
        for moment in 0..self.steps {
            for number in 0..self.unrolling.rules.len() {
                if holds(self.unrolling.selector(number, moment))? {
                    rules.push(number);
                }
            }
        }
        Ok((start, rules))
    }

    fn concrete(&mut self, system: &TransitionSystem, model: &dyn Model) -> Result<Concrete, Failure> {
        let (start, rules) = self.taken(model)?;
        let unrolling = &self.unrolling;
        let start = Taken::new(&system.starts[unrolling.starts[start].rule]);
        let rules = rules
            .iter()
            .map(|n| Taken::new(&system.rules[unrolling.rules[*n].rule]));
        let (rules, sizes) = (rules.collect(), unrolling.universe.sizes());
        let mut met: Vec<i64> = Vec::new();
        for number in self.numbers()? {
            let value = model.value(number)?.as_int();
            met.extend(value.and_then(|value| i64::try_from(value).ok()));
        }
        Ok(Concrete {
            sizes,
            numbers: met.iter().min().copied().zip(met.iter().max().copied()),
            start,
            rules,
        })
    }

    /// No further run fires the same rules.
    fn exclude(&mut self, model: &dyn Model) -> Result<(), Failure> {
        let (start, rules) = self.taken(model)?;
        let unrolling = &self.unrolling;
        let (start, taken) = (unrolling.starts[start].rule, rules);
        let starts = (0..unrolling.starts.len()).filter(|n| unrolling.starts[*n].rule == start);
        let mut others = vec![term::and(starts.map(|n| term::not(unrolling.start_selector(n))))];
        for (moment, number) in taken.into_iter().enumerate() {
            let rule = unrolling.rules[number].rule;
            let same = (0..unrolling.rules.len()).filter(|n| unrolling.rules[*n].rule == rule);
            others.push(term::and(same.map(|n| term::not(unrolling.selector(n, moment)))));
        }
        let excluded = term::implies(bad_literal(self.steps), term::or(others));
        self.unrolling.assert(excluded)
    }
}
