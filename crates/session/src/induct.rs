//! Induction and strengthening (2.3).
//!
//! ```text
//! I is inductive:         I => pre~(I)
//! strengthened n times:   I & pre~(I) & ... & pre~^n(I) => pre~^(n+1)(I)        (formula 1)
//! ```

use crate::cases::{self, is_about_state, is_control};
use crate::generalise::{self, Without};
use crate::reply::{Block, Named, Reply, Sequent};
use crate::session::{World, fact};
use crate::state::{Offered, State, Statement, Subgoal};
use crate::suggest::{IN_SUBGOAL, PROVABLE};
use abstraction::goal::{Goal, goals};
use abstraction::induction::{
    self, Pending, Settings, StepSearch, is_contradiction, largest_inductive_subset, pending,
};
use deduction::formulas::atom;
use deduction::formulas::has_alternation;
use deduction::{GroundSolver, Grounding, sufficient_facts};
use driver::notation;
use logic::simplify::simplify;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Function, Lambda, Sort, Substitution, Term, Variable, term};
use smt::{Answer, Purpose, SolverError};
use std::collections::BTreeSet;
use system::transition::{Property, Rule, Symbol};

/// More cases of one rule than this are not told apart.
const CASES: usize = 24;
/// With more literals, implied ones are not removed.
const LITERALS: usize = 16;
/// Steps are shown with this many elements, and no more than so many.
const SIZES: [u32; 3] = [1, 2, 3];
const STEPS: usize = 4;
/// More formulas than this are no use to anybody.
const MEMBERS: usize = 60;

/// Asks whether every rule keeps the statement in hand, and makes a subgoal of each case in which one may not.
pub(crate) fn induct(world: &World, state: &mut State) -> Result<Reply, SolverError> {
    let Some(statement) = state.in_hand().cloned() else {
        return Ok(Reply::new("There is nothing to prove."));
    };
    let proved = fact(&statement.name, statement.formula);
    if sufficient_facts(world.system, &state.known(), statement.formula, world.solvers)?.is_some() {
        state.prove([proved]);
        state.go_on();
        return Ok(Reply::new(format!(
            "\"{}\" follows from what is proved.",
            statement.name
        )));
    }
    if let Some(reply) = together_with_others(world, state)? {
        return Ok(reply);
    }
    let assumed = state.assumed();
    let left = pending(world.system, &assumed, &[statement.formula], world.solvers)?;
    if left.is_empty() {
        let kept = kept(world, state)?;
        let title = format!("Every rule keeps {} where the other open goals hold.", kept.join(", "));
        return Ok(Reply::new(title));
    }
    if let Some(start) = left.iter().find(|pending| pending.is_start) {
        let is_certain = !start.undecided && world.is_believed(&[statement.formula]);
        if is_certain {
            state.refute();
            state.go_on();
        }
        return Ok(not_initial(world, start.rule, is_certain, &statement.name));
    }
    let subgoals = subgoals(world, state, &statement.name, statement.formula, &left)?;
    let count = match subgoals.len() {
        1 => "one subgoal is pending".to_owned(),
        count => format!("{count} subgoals are pending"),
    };
    let title = format!("\"{}\" is not inductive: {count}.", statement.name);
    let labels = offer_predicates(world, state, &subgoals);
    let shown = sequents(world, &subgoals);
    state.turn_to(state.focus);
    state.subgoals = Some(subgoals);
    let mut conjectures = without_cases(world, state)?;
    let (steps, of_steps) = steps(world, state, &statement.name, statement.formula)?;
    conjectures.extend(of_steps);
    state.latest.clone_from(&conjectures);
    let block = |heading: &str, labels: &[String]| Block::Formulas {
        heading: heading.to_owned(),
        formulas: named(state, labels),
    };
    let reply = Reply::new(title)
        .with(Block::Sequents(shown))
        .with(block("predicates in them", &labels));
    let reply = steps.into_iter().fold(reply, Reply::with);
    Ok(reply.with(block("conjectures that rule such steps out", &conjectures)))
}

/// Proves the open goals that are inductive together, with what is proved; `None` where that in hand is none of them.
fn together_with_others(world: &World, state: &mut State) -> Result<Option<Reply>, SolverError> {
    let known = state.known();
    let open: Vec<Statement> = state
        .statements
        .iter()
        .filter(|statement| !statement.is_proved)
        .cloned()
        .collect();
    let all: Vec<Term> = known
        .iter()
        .copied()
        .chain(open.iter().map(|statement| statement.formula))
        .collect();
    let inductive = largest_inductive_subset(world.system, &all, true, world.solvers)?;
    let is_inductive = inductive.into_iter().skip(known.len());
    let found: Vec<&Statement> = open
        .iter()
        .zip(is_inductive)
        .filter(|(_, is)| *is)
        .map(|(s, _)| s)
        .collect();
    let Some(in_hand) = state.in_hand().map(|statement| statement.formula) else {
        return Ok(None);
    };
    if found.iter().all(|statement| statement.formula != in_hand) {
        return Ok(None);
    }
    state.prove(found.iter().map(|statement| fact(&statement.name, statement.formula)));
    state.go_on();
    let names: Vec<String> = found
        .iter()
        .map(|statement| format!("\"{}\"", statement.name))
        .collect();
    Ok(Some(Reply::new(match &names[..] {
        [name] => format!("{name} is inductive, and proved."),
        names => format!("{} are inductive together, and proved.", names.join(", ")),
    })))
}

/// The statement in hand is kept where the other open goals hold; goes on until one is in hand that is not. The names
/// of those that are.
fn kept(world: &World, state: &mut State) -> Result<Vec<String>, SolverError> {
    let mut names = Vec::new();
    loop {
        state.statements[state.focus].is_kept = true;
        names.push(format!("\"{}\"", state.statements[state.focus].name));
        state.go_on();
        let Some(next) = state.in_hand().filter(|next| next.is_open() && !next.is_kept) else {
            return Ok(names);
        };
        if !pending(world.system, &state.assumed(), &[next.formula], world.solvers)?.is_empty() {
            return Ok(names);
        }
    }
}

/// Conjectures that exclude the cases of subgoals, where arrays are indexed with numbers.
fn without_cases(world: &World, state: &mut State) -> Result<Vec<String>, SolverError> {
    let is_array = |symbol: &Symbol| symbol.function.parameters().contains(&Sort::Int);
    if !world.system.state.iter().any(is_array) {
        return Ok(Vec::new());
    }
    let mut assumed = state.assumed();
    assumed.extend(state.in_hand().map(|statement| statement.formula));
    let subgoals = state.subgoals.iter().flatten().take(STEPS);
    let cases: Vec<Goal> = subgoals.map(|subgoal| subgoal.goal.clone()).collect();
    let mut found: Vec<(String, Term)> = Vec::new();
    let without = cases
        .iter()
        .flat_map(|goal| generalise::without_case(world, goal, goal.bad));
    for Without { formula, is_explored } in without.collect::<Vec<_>>() {
        if found.iter().any(|(_, known)| *known == formula) || assumed.contains(&formula) {
            continue;
        }
        let reason = match strengthened(world, &assumed, formula, 1)? {
            Strengthened::Inductive { .. } => PROVABLE.to_owned(),
            _ if !is_explored => continue,
            _ => match world.seen(formula, false) {
                Some(states) => format!("holds in {states} explored states"),
                None => continue,
            },
        };
        found.push((reason, formula));
    }
    found.sort_by_key(|(reason, _)| reason != PROVABLE);
    let offered = found.into_iter().map(|(reason, formula)| {
        let text = notation::closed_formula(world.system, formula);
        let indices = Vec::new();
        state.offer('c', Offered { indices, formula }, text, &reason)
    });
    Ok(offered.collect())
}

/// A step by each rule that breaks the statement, and that no state is like the one before it, where no explored state
/// is.
fn steps(
    world: &World,
    state: &mut State,
    name: &str,
    formula: Term,
) -> Result<(Vec<Block>, Vec<String>), SolverError> {
    let settings = Settings {
        solvers: world.solvers,
        sizes: &SIZES,
    };
    let property = Property {
        name: name.to_owned(),
        formula,
        span: system::Span::default(),
    };
    let results = induction::check(world.system, &state.assumed(), &[property], &settings)?;
    let (mut blocks, mut labels) = (Vec::new(), Vec::new());
    for failure in results.iter().flat_map(|result| &result.failures) {
        let StepSearch::Step(step) = &failure.found else {
            continue;
        };
        let places = step.places.iter();
        blocks.push(Block::Step {
            rule: failure.by.name.clone(),
            places: places
                .map(|place| {
                    (
                        place.text.clone(),
                        place.before.clone().unwrap_or_default(),
                        place.after.clone(),
                    )
                })
                .collect(),
        });
        if generalise::is_about_numbers(step.like) {
            continue;
        }
        let formula = simplify(term::not(generalise::less_specific(world, step.like)));
        if let Some(states) = world.seen(formula, false) {
            let text = notation::closed_formula(world.system, formula);
            let indices = Vec::new();
            let reason = format!("holds in {states} explored states");
            labels.push(state.offer('c', Offered { indices, formula }, text, &reason));
        }
        if blocks.len() == STEPS {
            break;
        }
    }
    labels.dedup();
    Ok((blocks, labels))
}

fn not_initial(world: &World, start: usize, is_certain: bool, name: &str) -> Reply {
    let by = &world.system.starts[start].name;
    let from = if by.is_empty() {
        String::new()
    } else {
        format!(" (start \"{by}\")")
    };
    Reply::new(match is_certain {
        true => format!("\"{name}\" does not hold initially{from}: it is no invariant."),
        false => format!("The solver does not see that \"{name}\" holds initially{from}."),
    })
}

/// Adds weakest preconditions to the statement in hand, as often as this, until all of it is inductive.
pub(crate) fn strengthen(world: &World, state: &mut State, rounds: usize) -> Result<Reply, SolverError> {
    let Some(statement) = state.in_hand().cloned() else {
        return Ok(Reply::new("There is nothing to prove."));
    };
    Ok(match strengthened(world, &state.known(), statement.formula, rounds)? {
        Strengthened::Inductive { facts, rounds } => {
            let count = facts.len() - 1;
            let named = facts.iter().enumerate().map(|(number, formula)| match number {
                0 => fact(&statement.name, *formula),
                number => fact(&format!("{}, precondition {number}", statement.name), *formula),
            });
            state.prove(named);
            state.go_on();
            let how = match rounds {
                0 => "It is inductive".to_owned(),
                1 => format!("Once strengthened it is inductive, with {count} preconditions"),
                rounds => format!("Strengthened {rounds} times it is inductive, with {count} preconditions"),
            };
            Reply::new(format!("\"{}\" is proved.", statement.name)).say(format!("{how}."))
        }
        Strengthened::Refuted { rounds } => {
            if !world.is_believed(&[&state.known()[..], &[statement.formula]].concat()) {
                let title = format!("Strengthening \"{}\" has not come to an end.", statement.name);
                return Ok(Reply::new(title).say(format!(
                    "The solver does not see that the preconditions of round {rounds} hold initially."
                )));
            }
            state.refute();
            state.go_on();
            let title = format!("\"{}\" is no invariant.", statement.name);
            let how = match rounds {
                0 => "It does not hold initially.".to_owned(),
                rounds => format!("There is a run of {rounds} rules into a state in which it does not hold."),
            };
            Reply::new(title).say(how)
        }
        Strengthened::Open { members } => {
            let title = format!("Strengthening \"{}\" has not come to an end.", statement.name);
            let counts = format!("After {rounds} rounds there are {members} formulas, and not all of them are kept.");
            Reply::new(title).say(counts)
        }
    })
}

pub(crate) enum Strengthened {
    Inductive {
        facts: Vec<Term>,
        rounds: usize,
    },
    /// A precondition does not hold initially.
    Refuted {
        rounds: usize,
    },
    Open {
        members: usize,
    },
}

/// Formula 1, precondition by precondition: only those of rules that do not keep what is there already.
pub(crate) fn strengthened(
    world: &World,
    known: &[Term],
    formula: Term,
    rounds: usize,
) -> Result<Strengthened, SolverError> {
    let mut members = vec![formula];
    for round in 0..=rounds {
        let left = pending(world.system, known, &members, world.solvers)?;
        if left.is_empty() {
            return Ok(Strengthened::Inductive {
                facts: members,
                rounds: round,
            });
        }
        if left.iter().any(|pending| pending.is_start && !pending.undecided) {
            return Ok(Strengthened::Refuted { rounds: round });
        }
        if round == rounds || left.iter().any(|pending| pending.is_start) || members.len() > MEMBERS {
            break;
        }
        for pending in left {
            let before = world.system.rules[pending.rule].precondition(members[pending.formula]);
            let before = simplify(before);
            if !members.contains(&before) {
                members.push(before);
            }
        }
    }
    Ok(Strengthened::Open { members: members.len() })
}

/// The cases of `property & guard & not property'`, without those that cannot be.
fn subgoals(
    world: &World,
    state: &State,
    name: &str,
    formula: Term,
    left: &[Pending],
) -> Result<Vec<Subgoal>, SolverError> {
    let mut known = state.assumed();
    known.push(formula);
    let mut found: Vec<Subgoal> = Vec::new();
    for goal in goals(name, formula, world.system) {
        for pending in left {
            let rule = &world.system.rules[pending.rule];
            let (renaming, constants) = apart(rule, &goal);
            let after = rule.substitution().apply(goal.bad);
            let guard = for_every_choice(rule, renaming.apply(rule.guard));
            let after = simplify(renaming.apply(after));
            let before = simplify(term::not(goal.bad));
            for case in cases::cases(term::and([guard, after, before]), CASES) {
                let constants = goal.constants.iter().chain(&constants).cloned().collect();
                let parts = (conjuncts(guard), conjuncts(after));
                if let Some(subgoal) = subgoal(world, &goal, rule, &known, constants, (case, parts))?
                    && found.iter().all(|other| other.goal.property != subgoal.goal.property)
                {
                    found.push(subgoal);
                }
            }
        }
    }
    Ok(found)
}

/// The parameters and choices of a rule as constants beside those of a goal, with the variables they stand for.
fn apart(rule: &Rule, goal: &Goal) -> (Substitution, Vec<(Function, Variable)>) {
    let mut renaming = Substitution::default();
    let mut constants: Vec<(Function, Variable)> = Vec::new();
    let mut add = |variable: Variable| {
        let used: Vec<Variable> = goal
            .constants
            .iter()
            .chain(&constants)
            .map(|(_, variable)| *variable)
            .collect();
        let fresh = logic::substitute::fresh_variable(variable, |v| used.iter().any(|used| used.name == v.name));
        let constant = Function::constant(format!("{}@rule", fresh.name).as_str(), variable.sort);
        constants.push((constant, fresh));
        constant
    };
    for parameter in &rule.parameters {
        renaming.variables.insert(*parameter, add(*parameter).apply([]));
    }
    for choice in rule.choices.iter().filter(|choice| choice.parameters().is_empty()) {
        let constant = add(Variable::new(choice.name(), choice.result()));
        let body = constant.apply([]);
        renaming.functions.insert(
            *choice,
            Lambda {
                parameters: Vec::new(),
                body,
            },
        );
    }
    (renaming, constants)
}

/// Without what is said of choices that are made for each element: they cannot be named.
fn for_every_choice(rule: &Rule, guard: Term) -> Term {
    let each: BTreeSet<Function> = rule
        .choices
        .iter()
        .copied()
        .filter(|c| !c.parameters().is_empty())
        .collect();
    term::and(
        conjuncts(guard)
            .into_iter()
            .filter(|part| functions_of(*part).is_disjoint(&each)),
    )
}

type Parts = (Vec<Term>, (Vec<Term>, Vec<Term>));

/// A case as a subgoal, without literals that the others imply; `None` where it cannot be.
fn subgoal(
    world: &World,
    goal: &Goal,
    rule: &Rule,
    known: &[Term],
    constants: Vec<(Function, Variable)>,
    (mut case, (guard, after)): Parts,
) -> Result<Option<Subgoal>, SolverError> {
    let hypotheses = &goal.hypotheses;
    if is_impossible(world, known, hypotheses, &case)? {
        return Ok(None);
    }
    // What the guard says is left alone; what the property says goes first.
    let is_guard = |literal: &Term| guard.contains(literal);
    let is_after = |literal: &Term| after.contains(literal);
    let mut order: Vec<Term> = case.iter().copied().filter(|l| !is_guard(l) && !is_after(l)).collect();
    order.extend(case.iter().copied().filter(|l| !is_guard(l) && is_after(l)));
    if case.len() <= LITERALS {
        for literal in order {
            let others: Vec<Term> = case.iter().copied().filter(|other| *other != literal).collect();
            let without: Vec<Term> = others.iter().copied().chain([term::not(literal)]).collect();
            if is_impossible(world, &[], hypotheses, &without)? {
                case = others;
            }
        }
    }
    let is_conclusion = |literal: &Term| !is_guard(literal) && atom(*literal) != *literal && !is_control(*literal);
    let (below, above): (Vec<Term>, Vec<Term>) = case.iter().partition(|literal| is_conclusion(literal));
    let bad = term::and(case);
    let mut wish = Goal {
        name: format!("{}, before \"{}\"", goal.name, rule.name),
        constants,
        hypotheses: goal.hypotheses.clone(),
        known: Vec::new(),
        property: bad,
        bad,
    };
    wish.property = wish.close(term::not(bad));
    Ok(Some(Subgoal {
        rule: rule.name.clone(),
        span: rule.span,
        goal: wish,
        hypotheses: above,
        conclusions: below.into_iter().map(atom).collect(),
        is_granted: false,
    }))
}

/// Whether literals cannot hold together in a state in which all that is known holds.
fn is_impossible(world: &World, known: &[Term], hypotheses: &[Term], case: &[Term]) -> Result<bool, SolverError> {
    let mut solver = GroundSolver::with(world.solvers, Grounding::where_applied(""))?;
    let always = world.system.axioms.iter().chain(&world.system.type_facts);
    for fact in always.map(|fact| fact.formula).chain(known.iter().copied()) {
        solver.assert(fact)?;
    }
    for literal in hypotheses.iter().chain(case) {
        solver.assert(simplify(*literal))?;
    }
    if solver.check(Purpose::Induction)? == Answer::Unsat {
        return Ok(true);
    }
    let all: Vec<Term> = known.iter().chain(hypotheses).chain(case).copied().collect();
    let is_hard = all.iter().any(|formula| has_alternation(*formula));
    Ok(is_hard && is_contradiction(world.system, &all, world.solvers)?)
}

/// Names the atoms of subgoals that say something of the data; returns their labels.
fn offer_predicates(world: &World, state: &mut State, subgoals: &[Subgoal]) -> Vec<String> {
    let mut labels = Vec::new();
    for subgoal in subgoals {
        for literal in subgoal.conclusions.iter().chain(&subgoal.hypotheses) {
            let label = offer_predicate(world, state, &subgoal.goal, *literal, IN_SUBGOAL);
            labels.extend(label);
        }
    }
    labels.sort_by_key(|label| label[1..].parse::<usize>().unwrap_or_default());
    labels.dedup();
    labels
}

/// Offers the atom of a literal as a predicate, unless it only says where control is.
pub(crate) fn offer_predicate(
    world: &World,
    state: &mut State,
    goal: &Goal,
    literal: Term,
    reason: &str,
) -> Option<String> {
    let formula = atom(literal);
    if is_control(formula) || !is_about_state(world.system, formula) {
        return None;
    }
    let text = notation::formula(world.system, goal, formula);
    Some(state.offer('p', generalised(goal, formula), text, reason))
}

/// A formula over the constants of a goal, with variables in their place.
pub(crate) fn generalised(goal: &Goal, formula: Term) -> Offered {
    let mentioned = functions_of(formula);
    let constants = goal
        .constants
        .iter()
        .filter(|(constant, _)| mentioned.contains(constant));
    let constants: Vec<(Function, Variable)> = constants.cloned().collect();
    let lambdas = constants.iter().map(|(constant, variable)| {
        let body = variable.term();
        let parameters = Vec::new();
        (*constant, Lambda { parameters, body })
    });
    Offered {
        formula: Substitution::of_functions(lambdas).apply(formula),
        indices: constants.iter().map(|(_, variable)| *variable).collect(),
    }
}

pub(crate) fn sequents(world: &World, subgoals: &[Subgoal]) -> Vec<Sequent> {
    let text = |goal: &Goal, terms: &[Term]| -> Vec<String> {
        terms
            .iter()
            .map(|term| notation::formula(world.system, goal, *term))
            .collect()
    };
    let sequent = |(number, subgoal): (usize, &Subgoal)| Sequent {
        number: number + 1,
        rule: subgoal.rule.clone(),
        span: subgoal.span,
        hypotheses: text(
            &subgoal.goal,
            &[&subgoal.goal.hypotheses[..], &subgoal.hypotheses].concat(),
        ),
        conclusions: text(&subgoal.goal, &subgoal.conclusions),
        is_granted: subgoal.is_granted,
    };
    subgoals.iter().enumerate().map(sequent).collect()
}

/// What was offered under these labels.
pub(crate) fn named(state: &State, labels: &[String]) -> Vec<Named> {
    let offers = state.offers.iter().filter(|offer| labels.contains(&offer.label));
    let named = offers.map(|offer| Named {
        name: offer.label.clone(),
        text: offer.text.clone(),
        note: offer.reason.clone(),
    });
    named.collect()
}
