//! The two-level refinement loop, figure 1.
//!
//! Two differences from the paper: τ is removed from `MP` before states are merged, so that a trace is independent of
//! the number of internal steps; and results are kept across iterations: answers of the solver, the sets of branches
//! that eliminate each counterexample, and the classes of states, with which the next `MP` begins.

use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{AbstractionError, Abstractor, ControlState, Model, Oracle};
use crate::component::path::{Path, PathCheck};
use crate::containment::{ContainmentResult, ContainmentStopped, trace_containment};
use crate::lts::{Action, Lts, projection};
use crate::minimise::{self, Limits, Minimisation, Spurious};
use crate::quotient::Partition;
use logic::Function;
use smt::{Solver, Solvers};
use std::collections::{BTreeMap, BTreeSet};

/// The number of levels of abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Levels {
    /// Predicate abstraction only: the product of the `MP` is searched.
    One,
    #[default]
    Two,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub levels: Levels,
    pub minimisation: Minimisation,
    pub limits: Limits,
    /// The maximum number of states of one component's abstraction, and of the composition.
    pub states: usize,
    pub iterations: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            levels: Levels::default(),
            minimisation: Minimisation::default(),
            limits: Limits::default(),
            states: 2_000_000,
            iterations: 100_000,
        }
    }
}

/// Intermediate results.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub predicate_iterations: usize,
    pub action_iterations: usize,
    /// States of the composition explored so far.
    pub states: usize,
    /// The number of selected branches.
    pub branches: usize,
}

/// The result of the loop.
pub struct LoopOutcome {
    pub verdict: LoopVerdict,
    pub statistics: LoopStatistics,
}

pub enum LoopVerdict {
    /// Every trace of the components is a trace of the specification.
    Conforms(Box<ConformanceProof>),
    Violates(Box<TraceViolation>),
    Unknown(Reason),
}

/// The claims of a proof.
pub struct ConformanceProof {
    /// `MP_i`
    pub models: Vec<Model>,
    /// The class in `MA_i` of each state of `MP_i` without τ.
    pub partitions: Vec<Option<Partition>>,
    /// The explored pairs.
    pub contained: ContainmentResult,
}

/// A trace that the specification does not allow.
#[derive(Debug)]
pub struct TraceViolation {
    pub trace: Vec<Action>,
    /// The path of each component.
    pub parts: Vec<ComponentPath>,
}

#[derive(Debug)]
pub struct ComponentPath {
    pub path: Path,
    /// The steps of the unfolded program, each with the values of its choices.
    pub steps: Vec<usize>,
    pub values: Vec<BTreeMap<Function, i128>>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Reason {
    #[error(transparent)]
    AbstractionError(#[from] AbstractionError),
    #[error(transparent)]
    ContainmentStopped(#[from] ContainmentStopped),
    #[error("the conditions of `{component}` are not enough to exclude a trace that it does not have")]
    NoPredicates { component: String, trace: Vec<Action> },
    #[error("`{component}` may call, through a pointer, a procedure that is not known")]
    Astray { component: String },
    #[error("there were {0} iterations")]
    Iterations(usize),
}

/// The statistics of the paper.
#[derive(Clone, Debug, Default)]
pub struct LoopStatistics {
    /// `PIt`
    pub predicate_iterations: usize,
    /// `LIt`
    pub action_iterations: usize,
    /// The number of states of the composition in the last search.
    pub states: usize,
    /// For each `MP_i`.
    pub model_states: Vec<usize>,
    /// For each `MA_i`; with one level, for each `MP_i`.
    pub abstract_states: Vec<usize>,
    /// The numbers of expressions, of predicates, where mutually exclusive expressions count once, and of selected
    /// branches.
    pub predicates: (usize, usize, usize),
    /// The number of solver queries about statements.
    pub questions: usize,
    /// Of minimisation: the number of eliminating sets, and the size of the largest.
    pub eliminating: (usize, usize),
}

/// The abstractions of one component.
struct Level<'c, 'p> {
    component: &'c Component<'p>,
    oracle: Oracle,
    chosen: BTreeSet<usize>,
    spurious: Vec<Spurious>,
    model: Model,
    /// `MP` without τ and hidden actions, and the state of `MP` for each of its states.
    observable: Lts,
    origins: Vec<usize>,
    partition: Option<Partition>,
    /// `MA`
    abstraction: Lts,
}

/// The classes of each control position, kept from one `MP` to the next.
type Classes = BTreeMap<ControlState, BTreeSet<u32>>;

struct Loop<'l> {
    options: &'l Options,
    hidden: &'l BTreeSet<Action>,
    is_over: &'l dyn Fn() -> bool,
}

impl Loop<'_> {
    /// Computes the predicate abstraction and the action-guided abstraction of a component.
    fn level<'c, 'p>(
        &self,
        component: &'c Component<'p>,
        solvers: &Solvers,
    ) -> Result<Level<'c, 'p>, AbstractionError> {
        let mut oracle = Oracle::new(solvers.solver()?);
        let model = self.model(component, &BTreeSet::new(), &mut oracle)?;
        let mut level = Level {
            component,
            oracle,
            chosen: BTreeSet::new(),
            spurious: Vec::new(),
            model,
            observable: Lts::default(),
            origins: Vec::new(),
            partition: None,
            abstraction: Lts::default(),
        };
        self.abstract_actions(&mut level, &Classes::new());
        Ok(level)
    }

    fn model(
        &self,
        component: &Component,
        chosen: &BTreeSet<usize>,
        oracle: &mut Oracle,
    ) -> Result<Model, AbstractionError> {
        let predicates = component.predicates(chosen);
        Abstractor::new(component, &predicates, oracle).model(&predicates, self.options.states, self.is_over)
    }

    /// `MA^0`, or the previous `MA` as far as it applies: states that were split stay apart.
    fn abstract_actions(&self, level: &mut Level, known: &Classes) {
        let visible = level.model.lts.hiding(self.hidden);
        if self.options.levels == Levels::One {
            level.abstraction = visible;
            return;
        }
        (level.observable, level.origins) = visible.observable();
        let place = |state: usize| level.model.states[level.origins[state]].place;
        let kind = |state: usize| (level.observable.export(state), known.get(&place(state)));
        let partition = Partition::by(level.observable.states(), kind);
        level.abstraction = partition.abstraction(&level.observable);
        level.partition = Some(partition);
    }

    /// Selects predicates that eliminate the path and all earlier ones.
    fn refine_predicates(
        &self,
        level: &mut Level,
        path: Path,
        because: &BTreeSet<usize>,
    ) -> Result<bool, AbstractionError> {
        let (component, oracle) = (level.component, &mut level.oracle);
        let spurious = minimise::eliminating(component, path, because, &self.options.limits, oracle)?;
        let Some(first) = spurious.eliminating.first().cloned() else {
            return Ok(false);
        };
        level.spurious.push(spurious);
        let chosen = match self.options.minimisation {
            Minimisation::Minimum => {
                let rows: Vec<&[BTreeSet<usize>]> = level.spurious.iter().map(|one| &one.eliminating[..]).collect();
                minimise::minimum(&rows)
            }
            Minimisation::None => level.chosen.union(&first).copied().collect(),
            Minimisation::Greedy => {
                let all = level.chosen.union(&first).copied().collect();
                minimise::greedy(component, &mut level.spurious, all, oracle)?
            }
        };
        level.chosen = chosen;
        let mut known = Classes::new();
        if let Some(partition) = &level.partition {
            for (state, origin) in level.origins.iter().enumerate() {
                let place = level.model.states[*origin].place;
                known.entry(place).or_default().insert(partition.class_of[state]);
            }
        }
        level.model = self.model(component, &level.chosen, oracle)?;
        self.abstract_actions(level, &known);
        Ok(true)
    }

    /// Splits classes of `MA` until it excludes the trace. False if the trace is one of `MP`.
    fn refine_actions(&self, level: &mut Level, trace: &[Action]) -> bool {
        let Some(partition) = &mut level.partition else {
            return false;
        };
        if level.observable.accepts(trace) {
            return false;
        }
        partition.refine(&level.observable, trace);
        level.abstraction = partition.abstraction(&level.observable);
        true
    }
}

/// Whether the parallel components conform to the specification.
pub fn verify(
    system: &System,
    options: &Options,
    solvers: &Solvers,
    tell: &mut dyn FnMut(Progress),
    is_over: &dyn Fn() -> bool,
) -> LoopOutcome {
    let mut statistics = LoopStatistics::default();
    let verdict = figure_1(system, options, solvers, tell, is_over, &mut statistics);
    LoopOutcome {
        verdict: verdict.unwrap_or_else(LoopVerdict::Unknown),
        statistics,
    }
}

fn figure_1(
    system: &System,
    options: &Options,
    solvers: &Solvers,
    tell: &mut dyn FnMut(Progress),
    is_over: &dyn Fn() -> bool,
    statistics: &mut LoopStatistics,
) -> Result<LoopVerdict, Reason> {
    let steps = Loop {
        options,
        hidden: &system.hidden,
        is_over,
    };
    let mut levels = Vec::new();
    for component in &system.components {
        levels.push(steps.level(component, solvers)?);
    }
    let mut solver = solvers.solver().map_err(AbstractionError::from)?;
    // The first abstraction counts as an iteration, as in the paper.
    statistics.predicate_iterations = 1;
    for _ in 0..options.iterations {
        // L(MA_1 || ... || MA_n) ⊆ L(Spec)?
        let abstractions: Vec<&Lts> = levels.iter().map(|level| &level.abstraction).collect();
        let found = trace_containment(&abstractions, &system.specification, options.states, is_over)?;
        statistics.note(&levels, &found);
        tell(statistics.progress());
        let Some(trace) = found.counterexample.clone() else {
            return Ok(LoopVerdict::Conforms(Box::new(proof(levels, found))));
        };
        // π ↾ Act_i ∈ L(MP_i)?
        let mut is_refined = false;
        for level in &mut levels {
            let own = projection(&trace, &level.abstraction.alphabet);
            is_refined |= steps.refine_actions(level, &own);
        }
        if is_refined {
            statistics.action_iterations += 1;
            continue;
        }
        // π ↾ Act_i ∈ L(C_i)?
        let parts = match validate(&levels, &trace, &system.hidden, solver.as_mut())? {
            Validated::Real(parts) => {
                let is_astray = |level: &&Level| level.component.astray.is_some_and(|action| trace.contains(&action));
                return match levels.iter().find(is_astray) {
                    None => Ok(LoopVerdict::Violates(Box::new(TraceViolation { trace, parts }))),
                    Some(level) => Err(Reason::Astray {
                        component: level.component.name.clone(),
                    }),
                };
            }
            Validated::Spurious(paths) => paths,
        };
        for (position, path, because) in parts {
            if !steps.refine_predicates(&mut levels[position], path, &because)? {
                let component = levels[position].component.name.clone();
                return Err(Reason::NoPredicates { component, trace });
            }
        }
        statistics.predicate_iterations += 1;
    }
    Err(Reason::Iterations(options.iterations))
}

/// The result of validating a trace of the `MP`.
enum Validated {
    Real(Vec<ComponentPath>),
    /// Infeasible paths.
    Spurious(Vec<(usize, Path, BTreeSet<usize>)>),
}

/// Validates each component separately, which theorem 1 justifies.
fn validate(
    levels: &[Level],
    trace: &[Action],
    hidden: &BTreeSet<Action>,
    solver: &mut dyn Solver,
) -> Result<Validated, AbstractionError> {
    let (mut parts, mut spurious) = (Vec::new(), Vec::new());
    for (position, level) in levels.iter().enumerate() {
        let own = projection(trace, &level.abstraction.alphabet);
        let Some(path) = level.model.path(&own, hidden) else {
            return Err(AbstractionError::Lost);
        };
        match level.component.check(&path, solver)? {
            PathCheck::Real { steps, values } => parts.push(ComponentPath { path, steps, values }),
            PathCheck::Spurious { because } => spurious.push((position, path, because)),
        }
    }
    Ok(match spurious.is_empty() {
        true => Validated::Real(parts),
        false => Validated::Spurious(spurious),
    })
}

fn proof(levels: Vec<Level>, contained: ContainmentResult) -> ConformanceProof {
    let mut proof = ConformanceProof {
        models: Vec::new(),
        partitions: Vec::new(),
        contained,
    };
    for level in levels {
        proof.models.push(level.model);
        proof.partitions.push(level.partition);
    }
    proof
}

impl LoopStatistics {
    fn note(&mut self, levels: &[Level], found: &ContainmentResult) {
        self.states = found.states;
        self.model_states = levels.iter().map(|level| level.model.states.len()).collect();
        self.abstract_states = levels.iter().map(|level| level.abstraction.states()).collect();
        self.questions = levels.iter().map(|level| level.oracle.questions).sum();
        let sets = levels
            .iter()
            .flat_map(|level| &level.spurious)
            .flat_map(|one| &one.eliminating);
        self.eliminating = (sets.clone().count(), sets.map(BTreeSet::len).max().unwrap_or(0));
        self.predicates = (0, 0, 0);
        for level in levels {
            let expressions = level.model.predicates.expressions();
            self.predicates.0 += expressions.len();
            self.predicates.1 += many_valued(&expressions);
            self.predicates.2 += level.chosen.len();
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            predicate_iterations: self.predicate_iterations,
            action_iterations: self.action_iterations,
            states: self.states,
            branches: self.predicates.2,
        }
    }
}

/// The number of predicates, where `x == 1`, `x == 2` and so on are one predicate with many values.
fn many_valued(expressions: &BTreeSet<logic::Term>) -> usize {
    let mut compared: BTreeSet<logic::Term> = BTreeSet::new();
    let mut others = 0;
    for expression in expressions {
        let sides = match expression.kind() {
            logic::Kind::Equal(a, b) => Some((*a, *b)),
            logic::Kind::Not(inner) => match inner.kind() {
                logic::Kind::Equal(a, b) => Some((*a, *b)),
                _ => None,
            },
            _ => None,
        };
        let is_number = |term: logic::Term| matches!(term.kind(), logic::Kind::Int(_));
        match sides {
            Some((a, b)) if is_number(b) => {
                compared.insert(a);
            }
            Some((a, b)) if is_number(a) => {
                compared.insert(b);
            }
            _ => others += 1,
        }
    }
    compared.len() + others
}
