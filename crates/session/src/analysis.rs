//! Trace analysis (2.5): whether an abstract run has a concrete one, and what the abstraction does not know.
//!
//! ```text
//! forward:    post of the initial condition along the run, met with the abstract states (formula 4, proposition 2.1);
//!             it stops at the first step that is impossible
//! backward:   pre of the violating state along the same rules, to the start of the run
//! ```

use crate::cases::{equation, is_control};
use crate::command::ROUNDS;
use crate::induct::{Strengthened, named, offer_predicate, strengthened};
use crate::reply::{Block, Reply};
use crate::session::World;
use crate::state::{Offered, Run, State};
use crate::suggest::PROVABLE;
use abstraction::goal::Goal;
use abstraction::predicate::Analysis;
use abstraction::predicate::discovery::Discovery;
use abstraction::predicate::discovery::unroll::{self, partial};
use deduction::formulas::literal;
use deduction::{GroundSolver, Grounding};
use driver::notation;
use logic::simplify::simplify;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Function, Term, term};
use smt::{Answer, Purpose, SolverError};
use std::collections::BTreeSet;
use system::transition::Rule;

/// Conjectures are tried by strengthening before they are offered, with so much of the solver.
const RESOURCES: u32 = 2_000_000;

/// Analyses the run that stands in the way; what follows from it is offered.
pub(crate) fn why(world: &World, state: &mut State) -> Result<Reply, SolverError> {
    let Some(run) = state.run.clone() else {
        return Ok(Reply::new(
            "There is no abstract run: `abstract` finds one, or a proof.",
        ));
    };
    let mut known = state.known();
    if run.wish.is_some() {
        known.extend(state.in_hand().map(|statement| statement.formula));
    }
    state.explained = true;
    state.latest.clear();
    let reply = match forward(world, &run, &known)? {
        Forward::Real => return Ok(real(world, state, &run, &known)),
        Forward::Unknown => {
            return Ok(Reply::new(
                "The solver does not know whether there is a concrete run like it.",
            ));
        }
        Forward::Spurious { step, guard, values } => spurious(world, &run, step, &guard, &values),
    };
    let causes = backward(world, &run, &known)?;
    let mut found = causes.believed.clone();
    if found.iter().all(|literal| is_control(*literal)) {
        found = discovered(world, &run, &known)?;
    }
    let mut predicates = Vec::new();
    for literal in found {
        let label = offer_predicate(world, state, &run.goal, literal, "is unknown to the abstraction");
        predicates.extend(label.filter(|label| !state.predicates.contains(label)));
    }
    let conjectures = conjectures(world, state, &run.goal, &known, &causes)?;
    state.latest = [&predicates[..], &conjectures].concat();
    let believed = causes.believed.iter().filter(|literal| !is_control(**literal));
    let believed: Vec<String> = believed
        .map(|l| notation::formula(world.system, &run.goal, *l))
        .collect();
    let place: Vec<String> = causes
        .place
        .iter()
        .map(|l| notation::formula(world.system, &run.goal, *l))
        .collect();
    let mut reply = reply;
    if !believed.is_empty() {
        let place = if place.is_empty() {
            "initially".to_owned()
        } else {
            format!("when {}", place.join(" and "))
        };
        reply = reply.say(format!(
            "Backwards: the abstraction believes that {} can hold {place}.",
            believed.join(" and ")
        ));
    }
    let (predicates, conjectures) = (named(state, &predicates), named(state, &conjectures));
    let heading = |text: &str| text.to_owned();
    Ok(reply
        .with(Block::Formulas {
            heading: heading("predicates to add"),
            formulas: predicates,
        })
        .with(Block::Formulas {
            heading: heading("conjectures that would rule it out"),
            formulas: conjectures,
        }))
}

/// The solver has a run: the goal is given up where that is one.
fn real(world: &World, state: &mut State, run: &Run, known: &[Term]) -> Reply {
    if !world.is_believed(&[known, &run.predicates, &[run.goal.bad]].concat()) {
        return Reply::new("Nothing that is known rules out a concrete run like it (`cubist check` looks for one).");
    }
    state.refute();
    Reply::new("There is a concrete run like it: the goal does not hold (`cubist check` shows the run).")
}

enum Forward {
    Real,
    /// The first step that is impossible: conjuncts of its guard that do not hold, or values that predicates cannot
    /// have after it.
    Spurious {
        step: usize,
        guard: Vec<Term>,
        values: Vec<(usize, bool)>,
    },
    Unknown,
}

/// `post` along the run, one step more at a time.
fn forward(world: &World, run: &Run, known: &[Term]) -> Result<Forward, SolverError> {
    let last = run.trace.states.len() - 1;
    for step in 0..=last {
        let prefix = partial(world.system, &run.goal, &run.predicates, &run.trace, None, step);
        let mut solver = told(world, &run.goal, known)?;
        for formula in &prefix.formulas {
            solver.assert(simplify(*formula))?;
        }
        match solver.check(Purpose::Trace)? {
            Answer::Sat => {}
            Answer::Unknown(_) => return Ok(Forward::Unknown),
            Answer::Unsat => return impossible(world, run, known, step),
        }
    }
    Ok(Forward::Real)
}

/// Why a step is impossible after the steps before it, which are possible.
fn impossible(world: &World, run: &Run, known: &[Term], step: usize) -> Result<Forward, SolverError> {
    let before = match step {
        0 => unroll::Run::new(),
        step => partial(world.system, &run.goal, &run.predicates, &run.trace, None, step - 1),
    };
    let rule = taken(world, run, step);
    let mut solver = told(world, &run.goal, known)?;
    for formula in &before.formulas {
        solver.assert(simplify(*formula))?;
    }
    let guard = conjuncts(rule.guard);
    let mut parts: Vec<Term> = Vec::new();
    for conjunct in &guard {
        let mut alone = before.clone();
        let only = Rule {
            guard: *conjunct,
            updates: Vec::new(),
            constraint: term::bool(true),
            ..rule.clone()
        };
        alone.step(&only, step);
        parts.extend(alone.formulas.last().copied());
    }
    let mut after = before.clone();
    after.step(rule, step);
    for formula in &after.formulas[(before.formulas.len() + 1).min(after.formulas.len())..] {
        solver.assert(simplify(*formula))?;
    }
    let values: Vec<bool> = run.trace.states[step].clone();
    for (predicate, value) in run.predicates.iter().zip(&values) {
        parts.push(after.state.apply(literal(*predicate, *value)));
    }
    if step + 1 == run.trace.states.len() {
        parts.push(after.state.apply(run.goal.bad));
    }
    let parts: Vec<Term> = parts.iter().map(|part| simplify(*part)).collect();
    let Some(core) = solver.contradiction(Purpose::Trace, "part", &parts)? else {
        return Ok(Forward::Spurious {
            step,
            guard: Vec::new(),
            values: Vec::new(),
        });
    };
    let is_guard = |number: &&usize| **number < guard.len();
    let values = core.iter().filter(|number| !is_guard(number)).filter_map(|number| {
        let predicate = number - guard.len();
        values.get(predicate).map(|value| (predicate, *value))
    });
    Ok(Forward::Spurious {
        step,
        values: values.collect(),
        guard: core.iter().filter(is_guard).map(|number| guard[*number]).collect(),
    })
}

/// The rule that leads to a state of the run, or the start.
fn taken<'w>(world: &World<'w>, run: &Run, step: usize) -> &'w Rule {
    match step {
        0 => &world.system.starts[run.trace.start],
        step => &world.system.rules[run.trace.rules[step - 1]],
    }
}

pub(crate) fn told(world: &World, goal: &Goal, known: &[Term]) -> Result<GroundSolver, SolverError> {
    let mut solver = GroundSolver::with(world.solvers, Grounding::where_applied(""))?;
    let always = world.system.axioms.iter().chain(&world.system.type_facts);
    for fact in always.map(|fact| fact.formula).chain(known.iter().copied()) {
        solver.assert(fact)?;
    }
    for hypothesis in &goal.hypotheses {
        solver.assert(*hypothesis)?;
    }
    Ok(solver)
}

fn spurious(world: &World, run: &Run, step: usize, guard: &[Term], values: &[(usize, bool)]) -> Reply {
    let rule = taken(world, run, step);
    let place = match step {
        0 => "The initial state".to_owned(),
        step => format!("Step {step}, \"{}\"", rule.name),
    };
    let reply = Reply::new(format!(
        "There is no concrete run like it: {} is impossible.",
        lower_first(&place)
    ));
    let formula = |term: Term| notation::formula(world.system, &run.goal, term);
    let guard: Vec<String> = guard.iter().map(|conjunct| formula(*conjunct)).collect();
    let values: Vec<String> = values
        .iter()
        .map(|(predicate, value)| {
            let text = formula(run.predicates[*predicate]);
            if *value { text } else { format!("!({text})") }
        })
        .collect();
    match (guard.is_empty(), values.is_empty()) {
        (false, true) => reply.say(format!(
            "Forwards: its guard does not hold there, for {}.",
            guard.join(" and ")
        )),
        (true, false) => reply.say(format!("Forwards: {} cannot be afterwards.", values.join(" and "))),
        (false, false) => reply.say(format!(
            "Forwards: with {} before, {} cannot be afterwards.",
            guard.join(" and "),
            values.join(" and ")
        )),
        (true, true) => reply,
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// What the abstraction assumes of the initial state of the run.
#[derive(Default)]
struct Causes {
    /// Where control is there.
    place: Vec<Term>,
    /// What must hold there for the run to be taken, and does not.
    believed: Vec<Term>,
}

/// `pre` of the violating state along the rules of the run, and which of its conjuncts no initial state has. Nothing
/// where rules have parameters: what they speak of is not part of the state.
fn backward(world: &World, run: &Run, known: &[Term]) -> Result<Causes, SolverError> {
    let mut whole = unroll::Run::new();
    for step in 1..run.trace.states.len() {
        whole.step(taken(world, run, step), step);
    }
    whole.require(run.goal.bad);
    let locals: BTreeSet<Function> = whole.locals.iter().copied().collect();
    let mut literals: Vec<Term> = Vec::new();
    for formula in whole.formulas.iter().flat_map(|formula| conjuncts(simplify(*formula))) {
        if functions_of(formula).is_disjoint(&locals) && !literals.contains(&formula) {
            literals.push(formula);
        }
    }
    let mut solver = told(world, &run.goal, known)?;
    let mut start = unroll::Run::new();
    start.step(taken(world, run, 0), 0);
    for formula in &start.formulas {
        solver.assert(simplify(*formula))?;
    }
    let there: Vec<Term> = literals
        .iter()
        .map(|literal| simplify(start.state.apply(*literal)))
        .collect();
    let Some(core) = solver.contradiction(Purpose::Trace, "part", &there)? else {
        return Ok(Causes::default());
    };
    Ok(Causes {
        place: literals
            .iter()
            .copied()
            .filter(|literal| is_control(*literal))
            .collect(),
        believed: core.into_iter().map(|number| literals[number]).collect(),
    })
}

/// Predicates by discovery (Das, chapter 5), for runs whose rules have parameters.
fn discovered(world: &World, run: &Run, known: &[Term]) -> Result<Vec<Term>, SolverError> {
    let mut goal = run.goal.clone();
    goal.known.extend(known);
    let discovery = Discovery {
        system: world.system,
        goal: &goal,
        solvers: world.solvers,
        specific: true,
    };
    Ok(match discovery.analyse(&run.predicates, &run.trace)? {
        Analysis::Spurious(predicates) => predicates,
        Analysis::Real { .. } | Analysis::NotBad(_) | Analysis::Undecided(_) => Vec::new(),
    })
}

/// Where control is there, the abstraction's assumption does not hold; and, where that is a comparison, the stronger
/// equation. Those come first that strengthening proves at once.
fn conjectures(
    world: &World,
    state: &mut State,
    goal: &Goal,
    known: &[Term],
    causes: &Causes,
) -> Result<Vec<String>, SolverError> {
    let believed: Vec<Term> = causes
        .believed
        .iter()
        .copied()
        .filter(|literal| !is_control(*literal))
        .collect();
    if believed.is_empty() {
        return Ok(Vec::new());
    }
    let place = term::and(causes.place.iter().copied());
    let equations = believed.iter().filter_map(|literal| equation(*literal));
    let weakest = term::not(term::and(believed.iter().copied()));
    let mut tried = Vec::new();
    let world = &World {
        solvers: &world.solvers.with_resources(RESOURCES),
        ..*world
    };
    for body in equations.chain([weakest]) {
        let formula = simplify(goal.close(term::implies(place, body)));
        let reason = match strengthened(world, known, formula, ROUNDS)? {
            Strengthened::Inductive { .. } => PROVABLE.to_owned(),
            Strengthened::Open { .. } => match world.seen(formula, false) {
                Some(states) => format!("holds in {states} explored states"),
                None => continue,
            },
            Strengthened::Refuted { .. } => continue,
        };
        tried.push((reason, formula));
    }
    // The order of the alternatives is kept among equals.
    tried.sort_by_key(|(reason, _)| reason != PROVABLE);
    let mut labels = Vec::new();
    for (reason, formula) in tried {
        let text = notation::closed_formula(world.system, formula);
        let indices = Vec::new();
        labels.push(state.offer('c', Offered { indices, formula }, text, &reason));
    }
    Ok(labels)
}
