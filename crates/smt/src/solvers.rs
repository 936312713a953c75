//! Where solvers come from.

use crate::faulty::{FaultySolver, SharedFault};
use crate::process::SolverCommand;
use crate::process_backend::{ProcessOptions, ProcessSolver};
use crate::solver::{Solver, SolverError};
use crate::statistics::Statistics;
use crate::z3_backend::{Z3Options, Z3Solver};
use logic::Cancellation;
use std::sync::Arc;

/// Makes solvers that are all alike: who asks needs to know neither who answers nor under which limits. They count
/// their checks together and stop together. Cheap to clone; by default Z3, without limits.
#[derive(Clone, Debug, Default)]
pub struct Solvers {
    backend: Backend,
    seed: u32,
    resource_limit: Option<u32>,
    propositional: bool,
    statistics: Arc<Statistics>,
    cancellation: Cancellation,
    fault: Option<SharedFault>,
}

/// What answers.
#[derive(Clone, Debug, Default)]
enum Backend {
    /// Z3 inside of the process.
    #[default]
    Z3,
    Program(SolverCommand),
}

impl Solvers {
    /// Solvers that run as programs and speak SMT-LIB 2.
    pub fn of_program(command: SolverCommand) -> Solvers {
        Solvers {
            backend: Backend::Program(command),
            ..Solvers::default()
        }
    }

    /// The same with another seed.
    pub fn with_seed(&self, seed: u32) -> Solvers {
        Solvers { seed, ..self.clone() }
    }

    /// The same, each check of which may spend this much, in the solver's own units: the same on every machine.
    pub fn with_resources(&self, limit: u32) -> Solvers {
        Solvers {
            resource_limit: Some(limit),
            ..self.clone()
        }
    }

    /// The same for those who speak of truth values alone, if they do.
    pub fn propositional(&self, propositional: bool) -> Solvers {
        Solvers {
            propositional,
            ..self.clone()
        }
    }

    /// The same, whose checks are counted here.
    pub fn counting(&self, statistics: &Arc<Statistics>) -> Solvers {
        Solvers {
            statistics: Arc::clone(statistics),
            ..self.clone()
        }
    }

    /// The same, stopped by this.
    pub fn under(&self, cancellation: &Cancellation) -> Solvers {
        Solvers {
            cancellation: cancellation.clone(),
            ..self.clone()
        }
    }

    /// For tests: the same, but one check of all that they make fails.
    pub fn failing(&self, fault: SharedFault) -> Solvers {
        Solvers {
            fault: Some(fault),
            ..self.clone()
        }
    }

    pub fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// A solver without assertions, bound to this thread.
    pub fn solver(&self) -> Result<Box<dyn Solver>, SolverError> {
        let solver = self.without_fault()?;
        Ok(match &self.fault {
            Some(fault) => Box::new(FaultySolver::sharing(solver, fault.clone())),
            None => solver,
        })
    }

    fn without_fault(&self) -> Result<Box<dyn Solver>, SolverError> {
        let (seed, resource_limit) = (self.seed, self.resource_limit);
        let (cancellation, statistics) = (self.cancellation.clone(), Arc::clone(&self.statistics));
        Ok(match &self.backend {
            Backend::Z3 => {
                let options = Z3Options {
                    seed,
                    resource_limit,
                    cancellation,
                    propositional: self.propositional,
                    ..Z3Options::default()
                };
                Box::new(Z3Solver::new(options, statistics)?)
            }
            Backend::Program(command) => {
                let options = ProcessOptions {
                    seed,
                    resource_limit,
                    cancellation,
                    ..ProcessOptions::new(command.clone())
                };
                Box::new(ProcessSolver::new(options, statistics)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faulty::Fault;
    use crate::solver::{Answer, UnknownReason};
    use crate::statistics::Purpose;

    #[test]
    fn all_solvers_count_and_fail_together() {
        let statistics = Arc::new(Statistics::default());
        let solvers = Solvers::default()
            .counting(&statistics)
            .failing(SharedFault::new(Fault::Timeout, 2));
        let ask = || solvers.solver().unwrap().check(Purpose::Other).unwrap();
        let answers = [(); 3].map(|()| ask());
        assert_eq!(
            answers,
            [Answer::Sat, Answer::Unknown(UnknownReason::Timeout), Answer::Sat]
        );
        assert_eq!(statistics.total(), 3);
        solvers.cancellation().cancel();
        assert_eq!(ask(), Answer::Unknown(UnknownReason::Interrupted));
    }
}
