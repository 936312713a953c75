//! The loop of counterexample-guided abstraction refinement (Das, figure 5.1).

use super::concrete::Concrete;
use super::discovery::Analysis;
use super::knowledge::{Knowledge, News};
use super::machine::AbstractTrace;
use super::refinement::{Refinement, Searched};
use crate::Reason;
use crate::goal::Goal;
use logic::Term;
use smt::{SolverError, Solvers};
use system::TransitionSystem;

/// What is known of a goal in the end.
pub enum GoalVerdict {
    /// Formulas over the goal's constants; closed by the goal, their conjunction is inductive.
    Proved { invariant: Vec<Term>, abstract_states: f64 },
    /// An abstract trace with a concrete run, or one that could not be shown to have none.
    Real {
        trace: AbstractTrace,
        concrete: Concrete,
        is_certain: bool,
    },
    Unknown {
        reason: Reason,
        trace: Option<AbstractTrace>,
    },
}

pub struct GoalReport {
    pub verdict: GoalVerdict,
    pub predicates: Vec<Term>,
    pub cycles: usize,
    pub refinements: usize,
}

impl GoalReport {
    /// There was no time even to begin.
    fn not_looked_at() -> GoalReport {
        GoalReport {
            verdict: GoalVerdict::Unknown {
                reason: Reason::NotLookedAt,
                trace: None,
            },
            predicates: Vec::new(),
            cycles: 0,
            refinements: 0,
        }
    }
}

/// How the abstract states are reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Exact images, one satisfiability check at a time (chapter 3).
    Implicit,
    /// A relation that is refined where a counterexample needs it (chapter 4).
    #[default]
    Approximate,
}

/// How a goal is to be checked.
#[derive(Clone)]
pub struct Settings {
    pub engine: Engine,
    /// Whether a relation starts with what each predicate does by itself, instead of with nothing.
    pub cartesian: bool,
    pub solvers: Solvers,
    /// Discovery gives up after this many cycles; none means no discovery.
    pub maximal_cycles: usize,
    /// What another engine knows, or comes to know.
    pub news: News,
}

/// What the loop tells while it works.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A predicate was found.
    Predicate(Term),
    /// The abstract states were searched once more.
    Searched {
        cycle: usize,
        refinements: usize,
        predicates: usize,
    },
}

/// Proves or refutes goals of one system, keeping what one teaches for the next.
pub struct Prover<'p> {
    system: &'p TransitionSystem,
    settings: Settings,
    /// Whether the integers were analysed.
    analysed: bool,
    /// What holds in every state, as far as it was proved.
    known: Vec<Term>,
    /// What proved the last goal.
    kept: Option<Refinement<'p>>,
}

impl<'p> Prover<'p> {
    pub fn new(system: &'p TransitionSystem, settings: Settings) -> Prover<'p> {
        Prover {
            system,
            settings,
            analysed: false,
            known: Vec::new(),
            kept: None,
        }
    }

    /// One that reaches abstract states in another way, and begins with what is known by now.
    pub fn by(&self, engine: Engine) -> Prover<'p> {
        let settings = Settings {
            engine,
            // What is told from now on is for the one who goes on.
            news: News::default(),
            ..self.settings.clone()
        };
        Prover {
            known: self.known.clone(),
            ..Prover::new(self.system, settings)
        }
    }

    /// Tells what was proved: it holds in every state from now on.
    pub fn proved(&mut self, property: Term) {
        self.known.push(property);
    }

    /// Proves or refutes a goal, finding predicates on the way; `observe` hears of each step.
    pub fn check(
        &mut self,
        goal: &Goal,
        declared: &[Term],
        observe: &mut dyn FnMut(Event),
    ) -> Result<GoalReport, SolverError> {
        self.check_from(goal, declared, &Knowledge::default(), observe, &mut |_| {})
    }

    /// The same, going on from what another run learned; `keep` is given what this one has learned, after every cycle.
    pub fn check_from(
        &mut self,
        goal: &Goal,
        declared: &[Term],
        learned: &Knowledge,
        observe: &mut dyn FnMut(Event),
        keep: &mut dyn FnMut(&Knowledge),
    ) -> Result<GoalReport, SolverError> {
        if self.settings.solvers.cancellation().is_cancelled() {
            return Ok(GoalReport::not_looked_at());
        }
        let mut refinement = self.begin(goal, declared, learned)?;
        let verdict = loop {
            self.assume(&self.settings.news.hear(), &mut refinement)?;
            keep(&refinement.knowledge());
            observe(refinement.searched());
            let run = match refinement.search()? {
                Searched::Proved {
                    invariant,
                    abstract_states,
                } => {
                    break GoalVerdict::Proved {
                        invariant,
                        abstract_states,
                    };
                }
                Searched::Unknown(reason, trace) => break GoalVerdict::Unknown { reason, trace },
                Searched::Run(run) => run,
            };
            if refinement.cycles() == self.settings.maximal_cycles {
                let cycles = refinement.cycles();
                break run.unknown(Reason::NoProofAfter { cycles });
            }
            // Before the first discovery: what can be known of the integers without a run.
            if self.analyse_integers(&mut refinement)? {
                continue;
            }
            let predicates = match refinement.analyse(&run)? {
                Analysis::Real { concrete, is_certain } => {
                    let trace = run;
                    break GoalVerdict::Real {
                        trace,
                        concrete,
                        is_certain,
                    };
                }
                Analysis::Undecided(reason) => break run.unknown(reason),
                Analysis::NotBad(values) => {
                    refinement.exclude(values);
                    continue;
                }
                Analysis::Spurious(predicates) => predicates,
            };
            let mut added = false;
            for predicate in &predicates {
                if refinement.add(*predicate)? {
                    observe(Event::Predicate(*predicate));
                    added = true;
                }
            }
            if !added {
                break run.unknown(Reason::PredicatesKnown { found: predicates });
            }
        };
        keep(&refinement.knowledge());
        Ok(self.end(refinement, verdict))
    }

    /// The steps of a goal, to be taken one by one. They begin with the abstraction of the last goal, where that is
    /// about the same constants and proved.
    pub fn begin(
        &mut self,
        goal: &Goal,
        declared: &[Term],
        learned: &Knowledge,
    ) -> Result<Refinement<'p>, SolverError> {
        self.known.extend(self.settings.news.hear());
        let mut goal = goal.clone();
        goal.known.extend(&self.known);
        let last = self.kept.take().filter(|last| {
            let last = last.goal();
            // Its constraints rest on its property, which must be the same or proved by now.
            let holds = last.property == goal.property || self.known.contains(&last.property);
            holds && last.constants == goal.constants && last.hypotheses == goal.hypotheses
        });
        let mut refinement = match last {
            Some(last) => last.turn_to(&goal)?,
            None => Refinement::new(self.system, &goal, &self.settings)?,
        };
        refinement.add_all(declared)?;
        if !learned.constraints.is_empty() {
            // They may rest on it.
            self.analyse_integers(&mut refinement)?;
        }
        refinement.recall(learned)?;
        Ok(refinement)
    }

    /// What came of a goal; where it is proved, the next one may go on from it.
    pub fn end(&mut self, refinement: Refinement<'p>, verdict: GoalVerdict) -> GoalReport {
        let report = GoalReport {
            predicates: refinement.predicates().to_vec(),
            cycles: refinement.cycles(),
            refinements: refinement.refinements(),
            verdict,
        };
        if matches!(report.verdict, GoalVerdict::Proved { .. }) {
            self.kept = Some(refinement);
        }
        report
    }

    /// Facts that hold in every state from now on.
    fn assume(&mut self, facts: &[Term], refinement: &mut Refinement) -> Result<(), SolverError> {
        self.known.extend(facts);
        refinement.assume(facts)
    }

    /// Once for the system; false where there is nothing new.
    fn analyse_integers(&mut self, refinement: &mut Refinement) -> Result<bool, SolverError> {
        if std::mem::replace(&mut self.analysed, true) {
            return Ok(false);
        }
        let (facts, new) = refinement.analyse_integers()?;
        self.known.extend(facts);
        Ok(new)
    }
}

impl AbstractTrace {
    fn unknown(self, reason: Reason) -> GoalVerdict {
        GoalVerdict::Unknown {
            reason,
            trace: Some(self),
        }
    }
}

impl Refinement<'_> {
    fn searched(&self) -> Event {
        Event::Searched {
            cycle: self.cycles(),
            refinements: self.refinements(),
            predicates: self.predicates().len(),
        }
    }
}
