//! The two-level loop, figure 1.
//!
//! Two things differ from the paper. τ is taken out of `MP` before states are put together, so that a trace is the same
//! however many internal steps it takes. And what was learned stays: answers of the solver, the sets of branches that
//! eliminate each counterexample, and the classes of states, which the next `MP` begins with.

use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{Abstractor, Model, Oracle, Place, Trouble};
use crate::component::path::{Checked, Path};
use crate::containment::{Contained, Stopped, contained};
use crate::lts::{Action, Lts, projection};
use crate::minimise::{self, Limits, Minimisation, Spurious};
use crate::quotient::Partition;
use logic::Function;
use smt::{Solver, Solvers};
use std::collections::{BTreeMap, BTreeSet};

/// How many levels of abstraction there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Levels {
    /// Predicate abstraction alone: the products of the `MP` are searched.
    One,
    #[default]
    Two,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub levels: Levels,
    pub minimisation: Minimisation,
    pub limits: Limits,
    /// Of one component's abstraction, and of all side by side.
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

/// What is known in the meantime.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub predicate_iterations: usize,
    pub action_iterations: usize,
    /// Of all components side by side, as far as they were searched.
    pub states: usize,
    /// Branches that were chosen.
    pub branches: usize,
}

/// What a run of the loop came to.
pub struct Outcome {
    pub verdict: Verdict,
    pub statistics: Statistics,
}

pub enum Verdict {
    /// Every trace of the components is one of the specification.
    Conforms(Box<Proof>),
    Violates(Box<Violation>),
    Unknown(Reason),
}

/// What a proof rests on.
pub struct Proof {
    /// `MP_i`
    pub models: Vec<Model>,
    /// Which state of `MA_i` each state of `MP_i` without τ is.
    pub partitions: Vec<Option<Partition>>,
    /// All that was met.
    pub contained: Contained,
}

/// A trace that the specification does not have.
#[derive(Debug)]
pub struct Violation {
    pub trace: Vec<Action>,
    /// How each component does its part.
    pub parts: Vec<Part>,
}

#[derive(Debug)]
pub struct Part {
    pub path: Path,
    /// Steps of the unfolded program, and the values of what each chooses.
    pub steps: Vec<usize>,
    pub values: Vec<BTreeMap<Function, i128>>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Reason {
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error("the conditions of `{component}` are not enough to exclude a trace that it does not have")]
    NoPredicates { component: String, trace: Vec<Action> },
    #[error("`{component}` may call, through a pointer, a procedure that is not known")]
    Astray { component: String },
    #[error("there were {0} iterations")]
    Iterations(usize),
}

/// The figures of the paper.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// `PIt`
    pub predicate_iterations: usize,
    /// `LIt`
    pub action_iterations: usize,
    /// States of the components side by side in the last search.
    pub states: usize,
    /// Of each `MP_i`.
    pub model_states: Vec<usize>,
    /// Of each `MA_i`; of each `MP_i` where there is one level.
    pub abstract_states: Vec<usize>,
    /// Expressions; predicates, where those that exclude each other count as one; and branches that were chosen.
    pub predicates: (usize, usize, usize),
    /// What was asked about statements, apart from what was known.
    pub questions: usize,
    /// Of minimisation: eliminating sets, and the largest of them.
    pub eliminating: (usize, usize),
}

/// The abstractions of one component.
struct Level<'c, 'p> {
    component: &'c Component<'p>,
    oracle: Oracle,
    chosen: BTreeSet<usize>,
    spurious: Vec<Spurious>,
    model: Model,
    /// `MP` without τ and hidden actions; of each state, which one of `MP` it is.
    observable: Lts,
    origins: Vec<usize>,
    partition: Option<Partition>,
    /// `MA`
    abstraction: Lts,
}

/// Where the classes of a state are remembered, from one `MP` to the next.
type Classes = BTreeMap<Place, BTreeSet<u32>>;

struct Loop<'l> {
    options: &'l Options,
    hidden: &'l BTreeSet<Action>,
    is_over: &'l dyn Fn() -> bool,
}

impl Loop<'_> {
    /// Predicate abstraction, and then action-guided abstraction.
    fn level<'c, 'p>(&self, component: &'c Component<'p>, solvers: &Solvers) -> Result<Level<'c, 'p>, Trouble> {
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

    fn model(&self, component: &Component, chosen: &BTreeSet<usize>, oracle: &mut Oracle) -> Result<Model, Trouble> {
        let predicates = component.predicates(chosen);
        Abstractor::new(component, &predicates, oracle).model(&predicates, self.options.states, self.is_over)
    }

    /// `MA^0`, or what is left of the `MA` before: states that were told apart stay so.
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

    /// Chooses predicates that eliminate the path, and all before it.
    fn refine_predicates(&self, level: &mut Level, path: Path, because: &BTreeSet<usize>) -> Result<bool, Trouble> {
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

    /// Splits classes of `MA` until it does not have the trace. False where it is one of `MP`.
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

/// Whether the components, side by side, conform to the specification.
pub fn verify(
    system: &System,
    options: &Options,
    solvers: &Solvers,
    tell: &mut dyn FnMut(Progress),
    is_over: &dyn Fn() -> bool,
) -> Outcome {
    let mut statistics = Statistics::default();
    let verdict = figure_1(system, options, solvers, tell, is_over, &mut statistics);
    Outcome {
        verdict: verdict.unwrap_or_else(Verdict::Unknown),
        statistics,
    }
}

fn figure_1(
    system: &System,
    options: &Options,
    solvers: &Solvers,
    tell: &mut dyn FnMut(Progress),
    is_over: &dyn Fn() -> bool,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    let steps = Loop {
        options,
        hidden: &system.hidden,
        is_over,
    };
    let mut levels = Vec::new();
    for component in &system.components {
        levels.push(steps.level(component, solvers)?);
    }
    let mut solver = solvers.solver().map_err(Trouble::from)?;
    // The first abstraction counts as an iteration, as in the paper.
    statistics.predicate_iterations = 1;
    for _ in 0..options.iterations {
        // L(MA_1 || ... || MA_n) ⊆ L(Spec)?
        let abstractions: Vec<&Lts> = levels.iter().map(|level| &level.abstraction).collect();
        let found = contained(&abstractions, &system.specification, options.states, is_over)?;
        statistics.note(&levels, &found);
        tell(statistics.progress());
        let Some(trace) = found.counterexample.clone() else {
            return Ok(Verdict::Conforms(Box::new(proof(levels, found))));
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
                    None => Ok(Verdict::Violates(Box::new(Violation { trace, parts }))),
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

/// What a trace of the `MP` comes to in the components.
enum Validated {
    Real(Vec<Part>),
    /// Paths that components cannot take.
    Spurious(Vec<(usize, Path, BTreeSet<usize>)>),
}

/// Each component for itself: by theorem 1 that is enough.
fn validate(
    levels: &[Level],
    trace: &[Action],
    hidden: &BTreeSet<Action>,
    solver: &mut dyn Solver,
) -> Result<Validated, Trouble> {
    let (mut parts, mut spurious) = (Vec::new(), Vec::new());
    for (position, level) in levels.iter().enumerate() {
        let own = projection(trace, &level.abstraction.alphabet);
        let Some(path) = level.model.path(&own, hidden) else {
            return Err(Trouble::Lost);
        };
        match level.component.check(&path, solver)? {
            Checked::Real { steps, values } => parts.push(Part { path, steps, values }),
            Checked::Spurious { because } => spurious.push((position, path, because)),
        }
    }
    Ok(match spurious.is_empty() {
        true => Validated::Real(parts),
        false => Validated::Spurious(spurious),
    })
}

fn proof(levels: Vec<Level>, contained: Contained) -> Proof {
    let mut proof = Proof {
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

impl Statistics {
    fn note(&mut self, levels: &[Level], found: &Contained) {
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

/// How many predicates there are where `x == 1`, `x == 2` and so on are one with many values.
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
