//! Abstraction relative to chosen predicates (2.4): `T/B` shows a wish, or has a run that breaks it.
//!
//! A wish is what would settle a pending subgoal: that no reachable state is like its case. The property in hand may be
//! assumed on the way, since its violation comes after such a state; once all wishes are granted, the property, the
//! wishes and what the abstract states say must be inductive together, and that is asked.

use crate::induct::{named, sequents};
use crate::reply::{Block, Reply, Row};
use crate::session::{World, fact};
use crate::state::{Offered, Run, State, Subgoal};
use abstraction::goal::{Goal, goals};
use abstraction::induction::pending;
use abstraction::predicate::{Analysis, Engine, News, Refinement, Searched, Settings};
use driver::notation;
use logic::normal_forms::values_of;
use logic::{Sort, Substitution, Term, Variable, term};
use smt::SolverError;
use system::transition::Fact;

/// A predicate with index variables has at most this many instances.
const INSTANCES: usize = 64;
/// Bad states that are no states are taken out at most this often.
const EXCLUSIONS: usize = 50;

/// Searches the abstract system over the predicates for each wish, or for the statement where nothing is pending.
pub(crate) fn search(world: &World, state: &mut State, labels: Vec<String>) -> Result<Reply, SolverError> {
    let Some(statement) = state.in_hand().cloned() else {
        return Ok(Reply::new("There is nothing to prove."));
    };
    state.predicates = labels;
    (state.run, state.explained) = (None, false);
    let mut facts: Vec<Fact> = vec![fact(&statement.name, statement.formula)];
    let mut known = state.known();
    let mut subgoals = state.subgoals.clone().unwrap_or_default();
    let wishes = match subgoals.is_empty() {
        true => goals(&statement.name, statement.formula, world.system),
        false => {
            known.push(statement.formula);
            let wish = |subgoal: &Subgoal| subgoal.goal.clone();
            subgoals.iter().map(wish).collect()
        }
    };
    let mut number_of_predicates = 0;
    for (number, goal) in wishes.iter().enumerate() {
        let wish = subgoals.get(number).map(|_| number);
        let searched = search_goal(world, state, goal, &known)?;
        number_of_predicates = number_of_predicates.max(searched.predicates.len());
        match searched.outcome {
            Outcome::Granted(invariant) => {
                let name = format!("abstract states of {}", goal.name);
                facts.push(fact(&goal.name, goal.property));
                facts.extend(invariant.into_iter().map(|formula| fact(&name, formula)));
                if let Some(wish) = wish {
                    subgoals[wish].is_granted = true;
                }
            }
            Outcome::Run(trace) => {
                state.run = Some(Run {
                    wish,
                    goal: goal.clone(),
                    predicates: searched.predicates,
                    trace,
                });
                break;
            }
            Outcome::Unknown(reason) => {
                keep(state, subgoals);
                return Ok(Reply::new(format!(
                    "The abstract states were not all reached: {reason}."
                )));
            }
        }
    }
    keep(state, subgoals);
    if let Some(run) = &state.run {
        let rules = run.trace.rules.len();
        let what = match run.wish {
            Some(wish) => format!("Wish {} is not granted", wish + 1),
            None => format!("\"{}\" is not shown", statement.name),
        };
        let title = format!("{what}: there is an abstract run of {rules} rules (`trace`, `why`).");
        return Ok(Reply::new(title).with(Block::Sequents(wishes_of(world, state))));
    }
    conclude(world, state, &statement.name, &facts, number_of_predicates)
}

fn keep(state: &mut State, subgoals: Vec<Subgoal>) {
    if state.subgoals.is_some() {
        state.subgoals = Some(subgoals);
    }
}

/// All wishes are granted: whether what follows is inductive.
fn conclude(
    world: &World,
    state: &mut State,
    name: &str,
    facts: &[Fact],
    predicates: usize,
) -> Result<Reply, SolverError> {
    let formulas: Vec<Term> = facts.iter().map(|fact| fact.formula).collect();
    let left = pending(world.system, &state.known(), &formulas, world.solvers)?;
    if !left.is_empty() {
        let title = format!("All wishes are granted, but \"{name}\" is still not inductive.");
        let rules = left
            .iter()
            .filter(|left| !left.is_start)
            .map(|left| &world.system.rules[left.rule].name);
        let rules: Vec<&str> = rules.map(String::as_str).collect();
        return Ok(Reply::new(title).say(format!(
            "The solver does not follow the rule \"{}\".",
            rules.join("\", \"")
        )));
    }
    state.prove(facts.iter().cloned());
    state.go_on();
    let title = format!("All wishes are granted, and \"{name}\" is proved.");
    Ok(Reply::new(title).say(format!("The abstract system has {predicates} predicates.")))
}

struct SearchedGoal {
    outcome: Outcome,
    predicates: Vec<Term>,
}

enum Outcome {
    /// Closed formulas.
    Granted(Vec<Term>),
    Run(abstraction::predicate::AbstractTrace),
    Unknown(String),
}

fn search_goal(world: &World, state: &State, goal: &Goal, known: &[Term]) -> Result<SearchedGoal, SolverError> {
    let settings = Settings {
        engine: Engine::Approximate,
        cartesian: false,
        solvers: world.solvers.clone(),
        maximal_cycles: 0,
        news: News::default(),
    };
    let mut refinement = Refinement::new(world.system, goal, &settings)?;
    refinement.assume(known)?;
    for predicate in control(world, goal) {
        refinement.add(predicate)?;
    }
    for predicate in &state.in_use() {
        for instance in instances(predicate, goal) {
            refinement.add(instance)?;
        }
    }
    let mut exclusions = 0;
    let outcome = loop {
        match refinement.search()? {
            Searched::Proved { invariant, .. } => {
                break Outcome::Granted(invariant.into_iter().map(|formula| goal.close(formula)).collect());
            }
            Searched::Unknown(reason, _) => break Outcome::Unknown(reason.to_string()),
            Searched::Run(trace) => {
                // A bad state that no concrete state is like is no counterexample.
                exclusions += 1;
                if exclusions <= EXCLUSIONS
                    && let Analysis::NotBad(values) = refinement.analyse(&trace)?
                {
                    refinement.exclude(values);
                    continue;
                }
                break Outcome::Run(trace);
            }
        }
    };
    Ok(SearchedGoal {
        outcome,
        predicates: refinement.predicates().to_vec(),
    })
}

/// Abstract states are labelled with the values of the control variables, for the elements that the goal names.
pub(crate) fn control(world: &World, goal: &Goal) -> Vec<Term> {
    let mut predicates = Vec::new();
    for symbol in &world.system.state {
        let function = symbol.function;
        if !matches!(function.result(), Sort::Enum(_)) {
            continue;
        }
        let values = values_of(function.result()).unwrap_or_default();
        for arguments in tuples(function.parameters(), goal) {
            let place = function.apply(arguments);
            predicates.extend(values.iter().map(|value| term::equal(place, *value)));
        }
    }
    predicates.truncate(INSTANCES);
    predicates
}

/// A predicate about the elements that the goal names.
pub(crate) fn instances(predicate: &Offered, goal: &Goal) -> Vec<Term> {
    let sorts: Vec<Sort> = predicate.indices.iter().map(|index| index.sort).collect();
    let instance = |values: Vec<Term>| {
        let pairs = predicate.indices.iter().copied().zip(values);
        Substitution::of_variables(pairs.collect::<Vec<(Variable, Term)>>()).apply(predicate.formula)
    };
    tuples(&sorts, goal).into_iter().map(instance).take(INSTANCES).collect()
}

/// All tuples of constants of the goal with these sorts.
fn tuples(sorts: &[Sort], goal: &Goal) -> Vec<Vec<Term>> {
    let mut tuples = vec![Vec::new()];
    for sort in sorts {
        let constants = goal.constants.iter().filter(|(constant, _)| constant.result() == *sort);
        let constants: Vec<Term> = constants.map(|(constant, _)| constant.apply([])).collect();
        let longer = |tuple: &Vec<Term>| {
            let tuple = tuple.clone();
            let with = move |last: &Term| [&tuple[..], &[*last]].concat();
            constants.iter().map(with).collect::<Vec<_>>()
        };
        tuples = tuples.iter().flat_map(longer).take(INSTANCES).collect();
    }
    tuples
}

pub(crate) fn wishes_of(world: &World, state: &State) -> Vec<crate::reply::Sequent> {
    sequents(world, state.subgoals.as_deref().unwrap_or_default())
}

/// The wishes, and whether they are granted.
pub(crate) fn wishes(world: &World, state: &State) -> Reply {
    let Some(subgoals) = &state.subgoals else {
        return Reply::new("There are no wishes yet: `induct` says what is pending.");
    };
    let granted = subgoals.iter().filter(|subgoal| subgoal.is_granted).count();
    let title = format!(
        "{granted} of {} wishes are granted: no reachable state is like these.",
        subgoals.len()
    );
    let block = Block::Formulas {
        heading: "abstract variables".to_owned(),
        formulas: named(state, &state.predicates),
    };
    Reply::new(title)
        .with(Block::Sequents(wishes_of(world, state)))
        .with(block)
}

/// The abstract run, state by state.
pub(crate) fn trace(world: &World, state: &State) -> Reply {
    let Some(run) = &state.run else {
        return Reply::new("There is no abstract run: `abstract` finds one, or a proof.");
    };
    let text = |predicate: &Term| notation::formula(world.system, &run.goal, *predicate);
    let block = Block::Trace {
        predicates: run.predicates.iter().map(text).collect(),
        rows: trace_rows(world, run),
    };
    let bad = notation::formula(world.system, &run.goal, run.goal.bad);
    Reply::new(format!(
        "An abstract run of {} rules into `{bad}`.",
        run.trace.rules.len()
    ))
    .with(block)
}

/// The states of a run, each with the rule that leads to it.
pub(crate) fn trace_rows(world: &World, run: &Run) -> Vec<Row> {
    let row = |(number, values): (usize, &Vec<bool>)| {
        let rule = match number {
            0 => &world.system.starts[run.trace.start],
            number => &world.system.rules[run.trace.rules[number - 1]],
        };
        Row {
            rule: rule.name.clone(),
            span: rule.span,
            values: values.clone(),
        }
    };
    run.trace.states.iter().enumerate().map(row).collect()
}
