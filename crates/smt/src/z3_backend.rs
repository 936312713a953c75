//! Z3 inside of the process: incremental, with reproducible limits.
//!
//! What has to be known about Z3: a check under a limit answers `unknown` with the reason "canceled" for any
//! limit; its limits are soft, and some queries run on past them; a solver that lives through very many checks
//! grows, so it is replaced now and then by a fresh one with the same assertions; a core is to be had after `unsat`
//! only.

use crate::assertions::{Assertions, Literals};
use crate::solver::{Answer, Model, Solver, SolverError, UnknownReason};
use crate::statistics::{Purpose, Statistics};
use crate::z3_model::Z3Model;
use crate::z3_raw::interruptible;
use crate::z3_translate::Translation;
use logic::Cancellation;
use logic::Term;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use z3::ast::Bool;
use z3::{Context, Params, SatResult, StatisticsValue};

/// The version of Z3 that `make setup` installs; the solver's answers, and so our counts, depend on it.
pub const Z3_VERSION: &str = env!("Z3_SYS_Z3_VERSION");

/// After this many checks the solver is replaced.
const CHECKS_PER_SOLVER: u64 = 20_000;

/// Another Z3 than the one that the headers were of may answer anything.
fn require_version(found: &str) -> Result<(), SolverError> {
    if found == Z3_VERSION {
        return Ok(());
    }
    Err(SolverError::WrongVersion {
        expected: Z3_VERSION.to_owned(),
        found: found.to_owned(),
    })
}

/// How Z3 is to work.
#[derive(Clone, Debug, Default)]
pub struct Z3Options {
    pub seed: u32,
    /// The limit of one check in Z3's own units, the same on every machine. Soft.
    pub resource_limit: Option<u32>,
    /// The limit of one check in time. Soft, and not reproducible.
    pub timeout: Option<Duration>,
    /// Whether nothing but truth values will occur: then its solver for propositional logic is asked, which is much
    /// faster, and knows of nothing else.
    pub propositional: bool,
    pub cancellation: Cancellation,
}

/// What the last check left behind.
enum Outcome {
    None,
    Sat(Rc<z3::Model>),
    /// With the assumption behind each literal.
    Unsat(HashMap<Bool, Term>),
}

/// See the module. Bound to the thread that made it.
pub struct Z3Solver {
    options: Z3Options,
    statistics: Arc<Statistics>,
    translation: Rc<RefCell<Translation>>,
    solver: z3::Solver,
    assertions: Assertions,
    outcome: Outcome,
    checks: u64,
    /// Whether the solver has a level of its own for the last check, to be popped before anything else is done.
    extra_level: bool,
}

impl Z3Solver {
    pub fn new(options: Z3Options, statistics: Arc<Statistics>) -> Result<Z3Solver, SolverError> {
        require_version(z3::full_version())?;
        Ok(Z3Solver {
            solver: fresh_solver(&options),
            options,
            statistics,
            translation: Translation::of_thread(),
            assertions: Assertions::new(),
            outcome: Outcome::None,
            checks: 0,
            extra_level: false,
        })
    }

    /// The resources that Z3 has spent in this thread, in the unit of the limit: the difference of two readings is the
    /// same in every run.
    pub fn resources(&self) -> u64 {
        match self.solver.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(count)) => u64::from(count),
            _ => 0,
        }
    }

    /// Replaces the solver by a fresh one in the same state.
    pub fn recycle(&mut self) -> Result<(), SolverError> {
        self.solver = fresh_solver(&self.options);
        self.outcome = Outcome::None;
        self.checks = 0;
        self.extra_level = false;
        let mut translation = self.translation.borrow_mut();
        translation.shrink();
        for (number, level) in self.assertions.levels().enumerate() {
            if number > 0 {
                self.solver.push();
            }
            for formula in level {
                tell(
                    &self.solver,
                    &translation.formula(*formula)?,
                    &self.options.cancellation,
                );
            }
        }
        Ok(())
    }

    fn ask(&mut self, assumptions: &[Term]) -> Result<Answer, SolverError> {
        self.leave_check();
        if self.checks >= CHECKS_PER_SOLVER {
            self.recycle()?;
        }
        self.checks += 1;
        let Literals { pairs, implications } = Literals::of(assumptions)?;
        let mut translation = self.translation.borrow_mut();
        let mut meanings = HashMap::new();
        let mut literals = Vec::new();
        for (literal, assumption) in pairs {
            let literal = translation.formula(literal)?;
            meanings.insert(literal.clone(), assumption);
            literals.push(literal);
        }
        let implications: Vec<Bool> = implications
            .into_iter()
            .map(|implication| translation.formula(implication))
            .collect::<Result<_, _>>()?;
        drop(translation);
        if !implications.is_empty() {
            self.solver.push();
            self.extra_level = true;
            for implication in &implications {
                tell(&self.solver, implication, &self.options.cancellation);
            }
        }
        let before = self.options.resource_limit.map(|_| self.resources());
        let start = Instant::now();
        let context = self.solver.get_context();
        let run = || {
            if literals.is_empty() {
                self.solver.check()
            } else {
                self.solver.check_assumptions(&literals)
            }
        };
        match until_stopped(&self.options.cancellation, context, run) {
            None => Ok(Answer::Unknown(UnknownReason::Interrupted)),
            // A check that is stopped at its very end says `sat`, but has no model.
            Some(SatResult::Sat) => match self.solver.get_model() {
                Some(model) => {
                    self.outcome = Outcome::Sat(Rc::new(model));
                    Ok(Answer::Sat)
                }
                None => Ok(Answer::Unknown(self.reason(before, start))),
            },
            Some(SatResult::Unsat) => {
                self.outcome = Outcome::Unsat(meanings);
                Ok(Answer::Unsat)
            }
            Some(SatResult::Unknown) => Ok(Answer::Unknown(self.reason(before, start))),
        }
    }

    /// The last check is over: its model and core are gone.
    fn leave_check(&mut self) {
        self.outcome = Outcome::None;
        if self.extra_level {
            self.solver.pop(1);
            self.extra_level = false;
        }
    }

    /// Finds out which limit Z3 means by "canceled".
    fn reason(&self, resources_before: Option<u64>, start: Instant) -> UnknownReason {
        let words = self.solver.get_reason_unknown().unwrap_or_default();
        if self.options.cancellation.is_cancelled() {
            return UnknownReason::Interrupted;
        }
        if let (Some(limit), Some(before)) = (self.options.resource_limit, resources_before)
            && self.resources().saturating_sub(before) >= u64::from(limit)
        {
            return UnknownReason::ResourceLimit;
        }
        let is_limit = ["canceled", "timeout", "resource"]
            .iter()
            .any(|word| words.contains(word));
        match self.options.timeout {
            Some(timeout) if is_limit && start.elapsed() >= timeout / 2 => UnknownReason::Timeout,
            _ => UnknownReason::Incomplete(words),
        }
    }
}

/// Asserts a formula. Z3 simplifies it at once, which may take very long: products of sums are multiplied out. What it
/// drops at an interrupt does not matter, since no check begins after that.
fn tell(solver: &z3::Solver, formula: &Bool, cancellation: &Cancellation) {
    until_stopped(cancellation, solver.get_context(), || solver.assert(formula));
}

/// Does work that the switch can stop; `None` where it is on already. An interrupt that Z3 hears outside of a check, or
/// at the very end of one, stays with the context until a check begins: up to there all solvers of the thread would let
/// go of what they are told. So one begins at once.
fn until_stopped<R>(cancellation: &Cancellation, context: &Context, work: impl FnOnce() -> R) -> Option<R> {
    let result = interruptible(cancellation, context, work)?;
    if cancellation.is_cancelled() {
        let _ = fresh_solver(&Z3Options::default()).check();
    }
    Some(result)
}

fn fresh_solver(options: &Z3Options) -> z3::Solver {
    let propositional = options.propositional.then(|| z3::Solver::new_for_logic("QF_FD"));
    let is_propositional = matches!(propositional, Some(Some(_)));
    let solver = propositional.flatten().unwrap_or_else(z3::Solver::new);
    let mut parameters = Params::new();
    parameters.set_u32("random_seed", options.seed);
    // Z3 would take Ctrl-C for itself while it works: one check would be given up, and the rest would go on.
    parameters.set_bool("ctrl_c", false);
    // Products of unknowns can keep it busy for minutes, deaf to every limit and interrupt.
    if !is_propositional {
        parameters.set_bool("arith.nl.grobner", false);
    }
    if let Some(limit) = options.resource_limit {
        parameters.set_u32("rlimit", limit);
    }
    if let Some(timeout) = options.timeout {
        let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        parameters.set_u32("timeout", milliseconds.max(1));
    }
    solver.set_params(&parameters);
    solver
}

impl Solver for Z3Solver {
    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        let translated = self.translation.borrow_mut().formula(formula)?;
        // The `z3` crate does not check this, and Z3 would drop the formula.
        debug_assert_eq!(*self.solver.get_context(), Context::thread_local());
        self.leave_check();
        self.assertions.assert(formula)?;
        tell(&self.solver, &translated, &self.options.cancellation);
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.leave_check();
        self.assertions.push();
        self.solver.push();
        Ok(())
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.leave_check();
        self.assertions.pop()?;
        self.solver.pop(1);
        Ok(())
    }

    fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError> {
        let started = Instant::now();
        let outcome = self.ask(assumptions);
        self.statistics.count(purpose, &outcome, started.elapsed());
        self.options.cancellation.count_check();
        outcome
    }

    fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError> {
        let Outcome::Unsat(meanings) = &self.outcome else {
            return Err(SolverError::NoCore);
        };
        let unknown = |literal: &Bool| SolverError::Protocol(format!("{literal} in the core was not assumed"));
        let core = self.solver.get_unsat_core();
        core.iter()
            .map(|literal| meanings.get(literal).copied().ok_or_else(|| unknown(literal)))
            .collect()
    }

    fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        let Outcome::Sat(model) = &self.outcome else {
            return Err(SolverError::NoModel);
        };
        Ok(Box::new(Z3Model::new(Rc::clone(model), Rc::clone(&self.translation))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_of_z3_is_refused() {
        assert!(require_version(z3::full_version()).is_ok());
        let error = require_version("Z3 4.8.12.0").map_err(|error| error.to_string());
        assert!(error.is_err_and(|message| message.contains("4.8.12") && message.contains(Z3_VERSION)));
    }
}
