//! The loop of SLAM for programs, with Constrain: S. Das, *Predicate abstraction*, 2003, chapter 6.
//!
//! | figure 6.2 | here |
//! | --- | --- |
//! | C2BP | [`abstraction`]: a Boolean program from predicates |
//! | BEBOP | `boolean::check`: whether it can fail |
//! | NEWTON | [`newton`]: whether the run is one of the program, or else more predicates |
//! | CONSTRAIN | [`constrain`]: steps of the run that the program cannot make |
//!
//! Beside them: [`statements`], what a statement of the Boolean program says of the program; [`cubes`], the questions
//! to the solver; [`invariant`], what the Boolean program knows in the end, as facts about the unfolded program;
//! [`knowledge`], what another loop can begin with.
//!
//! Limits. Local variables have one place for all calls: results about a recursive procedure whose variables have their
//! address taken mean nothing. All results are validated: a proof by a certificate of the inlined program, and a run by
//! the interpreter.

pub mod abstraction;
pub mod constrain;
pub mod cubes;
pub mod invariant;
pub mod knowledge;
pub mod liveness;
pub mod newton;
pub mod predicates;
pub mod statements;

use abstraction::{Abstraction, Precision, abstraction};
use boolean::{Control, Trace, Verdict};
use constrain::{Constraints, constrain};
use cubes::Cubes;
use logic::Term;
use newton::{Detail, Explanation, explain};
use predicates::Predicates;
use smt::{SolverError, Solvers};
use statements::Steps;
use unfold::frames::{Move, Way};

/// When Constrain is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    None,
    /// Where no predicates are left that would make a difference.
    #[default]
    Lazy,
    /// Always, from an abstraction on that knows nothing.
    Eager,
}

/// Constraints of one call of Constrain, and calls before the loop goes on, in lazy mode (section 6.7).
const CONSTRAINTS: usize = 5;
const CALLS: usize = 4;

/// The default greatest length of cubes: single literals suffice nearly always, at a fraction of the checks; Constrain
/// recovers the rest (docs/results.md).
pub const LONGEST: usize = 1;

pub struct Settings<'a> {
    pub solvers: &'a Solvers,
    pub mode: Mode,
    /// The greatest length of cubes.
    pub longest: usize,
    /// Hears of each predicate and of each search.
    pub observer: &'a dyn Fn(Event),
}

#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    Predicate(Term),
    /// The Boolean program is searched once more.
    Searched {
        iteration: usize,
        predicates: &'a Predicates,
        constraints: &'a Constraints,
    },
}

/// How much work it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub iterations: usize,
    pub predicates: usize,
    /// Of these, those of no procedure.
    pub global_predicates: usize,
    pub constraints: usize,
    pub invariants: usize,
    /// How often Constrain was asked.
    pub calls: usize,
    /// How often no difference was found.
    pub no_difference: usize,
}

pub enum SlamResult {
    /// The Boolean program cannot fail.
    Safe(Box<SlamProof>),
    /// The program fails on these inputs, if the solver is right.
    Inputs(Vec<i128>),
    /// "No difference found": the run is none of the program, and neither predicates nor constraints exclude it.
    NoDifference,
    /// The solver does not know whether a run is one of the program.
    Unclear,
    Interrupted,
    /// The decision diagrams became too large.
    TooLarge,
}

/// What a proof is made of.
pub struct SlamProof {
    pub predicates: Predicates,
    pub constraints: Constraints,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Boolean(#[from] boolean::Error),
}

/// The loop.
pub struct Slam<'a, 'p> {
    pub steps: Steps<'p>,
    settings: &'a Settings<'a>,
    pub cubes: Cubes,
    pub predicates: Predicates,
    pub constraints: Constraints,
    pub statistics: Statistics,
}

impl<'a, 'p> Slam<'a, 'p> {
    pub fn new(steps: Steps<'p>, settings: &'a Settings<'a>) -> Result<Slam<'a, 'p>, Error> {
        Ok(Slam {
            steps,
            settings,
            cubes: Cubes::new(settings.solvers, settings.longest)?,
            predicates: Predicates::default(),
            constraints: Constraints::default(),
            statistics: Statistics::default(),
        })
    }

    /// Figure 6.2.
    pub fn run(&mut self) -> Result<SlamResult, Error> {
        // How often Constrain was asked since there were new predicates.
        let mut calls = 0;
        loop {
            let abstraction = self.c2bp()?;
            if self.is_over() {
                return Ok(SlamResult::Interrupted);
            }
            let trace = match self.bebop(&abstraction)? {
                Verdict::Unsafe(trace) => trace,
                Verdict::Safe | Verdict::Unknown(boolean::Reason::NothingToCheck | boolean::Reason::NoRun) => {
                    return Ok(SlamResult::Safe(Box::new(SlamProof {
                        predicates: self.predicates.clone(),
                        constraints: self.constraints.clone(),
                    })));
                }
                Verdict::Unknown(boolean::Reason::Interrupted) => return Ok(SlamResult::Interrupted),
                Verdict::Unknown(boolean::Reason::TooLarge) => return Ok(SlamResult::TooLarge),
            };
            let path = path(&abstraction, &trace);
            let found = match self.newton(&path, Detail::Path)? {
                Explanation::Feasible(inputs) => return Ok(SlamResult::Inputs(inputs)),
                Explanation::Unclear if self.is_over() => return Ok(SlamResult::Interrupted),
                Explanation::Unclear => return Ok(SlamResult::Unclear),
                Explanation::Infeasible(found) => found,
            };
            if self.is_over() {
                return Ok(SlamResult::Interrupted);
            }
            if self.settings.mode == Mode::Eager && self.constrain(&abstraction, &trace)? > 0 {
                continue;
            }
            if self.add(&found)? > 0 {
                calls = 0;
                continue;
            }
            self.statistics.no_difference += 1;
            if self.settings.mode == Mode::Lazy && calls < CALLS && self.constrain(&abstraction, &trace)? > 0 {
                calls += 1;
                continue;
            }
            calls = 0;
            if let Explanation::Infeasible(found) = self.newton(&path, Detail::All)?
                && self.add(&found)? > 0
            {
                continue;
            }
            if self.settings.mode == Mode::None || self.constrain(&abstraction, &trace)? == 0 {
                return Ok(match self.is_over() {
                    true => SlamResult::Interrupted,
                    false => SlamResult::NoDifference,
                });
            }
        }
    }

    /// How often the solver was asked.
    pub fn checks(&self) -> u64 {
        self.settings.solvers.statistics().total()
    }

    fn is_over(&self) -> bool {
        self.settings.solvers.cancellation().is_cancelled()
    }

    pub fn precision(&self) -> Precision {
        match self.settings.mode {
            Mode::Eager => Precision::Nothing,
            Mode::None | Mode::Lazy => Precision::Cartesian,
        }
    }

    pub fn c2bp(&mut self) -> Result<Abstraction, Error> {
        let (precision, steps, predicates) = (self.precision(), &self.steps, &self.predicates);
        Ok(abstraction(
            steps,
            predicates,
            &mut self.cubes,
            precision,
            &self.constraints,
        )?)
    }

    fn bebop(&mut self, abstraction: &Abstraction) -> Result<Verdict, Error> {
        self.statistics.iterations += 1;
        (self.settings.observer)(Event::Searched {
            iteration: self.statistics.iterations,
            predicates: &self.predicates,
            constraints: &self.constraints,
        });
        let answer = boolean::check_run_first(&abstraction.program, self.settings.solvers.cancellation())?;
        Ok(answer.verdict)
    }

    fn newton(&mut self, path: &[Move], detail: Detail) -> Result<Explanation, Error> {
        Ok(explain(&self.steps, self.settings.solvers, path, detail)?)
    }

    fn constrain(&mut self, abstraction: &Abstraction, trace: &Trace) -> Result<usize, Error> {
        let most = match self.settings.mode {
            Mode::Eager => usize::MAX,
            Mode::None | Mode::Lazy => CONSTRAINTS,
        };
        self.statistics.calls += 1;
        let (steps, predicates, constraints) = (&self.steps, &self.predicates, &mut self.constraints);
        let added = constrain(
            steps,
            predicates,
            &mut self.cubes,
            abstraction,
            trace,
            constraints,
            most,
        )?;
        self.count_constraints();
        Ok(added)
    }

    fn count_constraints(&mut self) {
        self.statistics.constraints = self.constraints.count();
        self.statistics.invariants = self.constraints.invariants();
    }

    /// Adds predicates, and says how many are new.
    pub fn add(&mut self, found: &[Term]) -> Result<usize, Error> {
        let mut added = 0;
        for formula in found {
            if self.predicates.knows(*formula) || !self.cubes.is_open(&self.steps, *formula)? {
                continue;
            }
            let steps = &self.steps;
            let is_changed = |procedure, cell| steps.writes(procedure, cell);
            if self.predicates.add(&steps.frames, &is_changed, *formula) {
                (self.settings.observer)(Event::Predicate(*formula));
                added += 1;
            }
        }
        self.statistics.predicates = self.predicates.len();
        self.statistics.global_predicates = self.predicates.global().count();
        Ok(added)
    }
}

/// The steps of the program that an abstract run stands for.
pub fn path(abstraction: &Abstraction, trace: &Trace) -> Vec<Move> {
    let mut path = Vec::new();
    let mut calls: Vec<Way> = Vec::new();
    for point in &trace.points {
        let Control::Before(number) = point.control else {
            continue;
        };
        let procedure = point.procedure.0;
        let origin = abstraction.origins[procedure][number];
        if let Some(way) = origin.begins {
            path.push(Move::Take(way));
        }
        if let boolean::Action::Call { .. } = abstraction.program.procedures[procedure].body[number].action {
            // The way began with the call or before it.
            calls.extend(path.iter().rev().find_map(|step| match step {
                Move::Take(way) => Some(*way),
                Move::Return(_) => None,
            }));
        }
        if origin.is_exit
            && let Some(way) = calls.pop()
        {
            path.push(Move::Return(way));
        }
    }
    path
}
