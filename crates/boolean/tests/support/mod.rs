//! Lowered programs beside the enumeration of their states.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use boolean::enumerate::{PathEdge, Reached, valuations};
use boolean::interpret::Interpreter;
use boolean::lower::{Lowered, Node};
use boolean::random::{SMALL, program};
use boolean::{Action, Control, ProcedureId, Program, State, Statement, Variable, Vocabulary};
use logic::{Cancellation, Function, Kind, Term};
use oorandom::Rand64;
use std::collections::{BTreeMap, BTreeSet};
use system::transition::{Fact, Rule, TransitionSystem};

pub(crate) fn random_program(case: u128) -> Program {
    let mut rand = Rand64::new(case);
    program(&mut |sides| rand.rand_range(0..sides.max(1) as u64) as usize, SMALL)
}

/// The program in which assertions are assumptions: statements have the same numbers.
pub(crate) fn assuming(program: &Program) -> Program {
    fn assume(block: &mut [Statement]) {
        for statement in block {
            match &mut statement.action {
                Action::Assert(condition) => statement.action = Action::Assume(condition.clone()),
                Action::If { then, otherwise, .. } => {
                    assume(then);
                    assume(otherwise);
                }
                Action::While { body, .. } => assume(body),
                _ => {}
            }
        }
    }
    let mut program = program.clone();
    program
        .procedures
        .iter_mut()
        .for_each(|procedure| assume(&mut procedure.body));
    program
}

/// What Bebop finds, also where assertions fail.
pub(crate) fn facts(program: &Program, lowered: &Lowered) -> Vec<Fact> {
    let found = boolean::relations(&assuming(program), lowered, &Cancellation::new()).unwrap();
    lowered.facts(&found.unwrap())
}

pub(crate) type Values = BTreeMap<Function, bool>;

/// The value of a formula at a location. Values that are not given are false.
pub(crate) fn holds(formula: Term, lowered: &Lowered, here: Node, values: &Values) -> bool {
    let of = |part: Term| holds(part, lowered, here, values);
    match formula.kind() {
        Kind::Bool(value) => *value,
        Kind::Apply(function, _) => values.get(function).copied().unwrap_or_default(),
        Kind::Not(inner) => !of(*inner),
        Kind::And(parts) => parts.iter().all(|part| of(*part)),
        Kind::Or(parts) => parts.iter().any(|part| of(*part)),
        Kind::Implies(a, b) => !of(*a) || of(*b),
        Kind::Ite(condition, then, otherwise) => of(if of(*condition) { *then } else { *otherwise }),
        Kind::Equal(a, b) if a.sort() == logic::Sort::Bool => of(*a) == of(*b),
        Kind::Equal(..) => lowered.at(here) == Some(formula),
        _ => panic!("{formula:?}"),
    }
}

/// The functions that mean something at a location.
pub(crate) fn relevant(lowered: &Lowered, node: Node) -> BTreeSet<Function> {
    let program = lowered.program();
    let globals = |procedure: ProcedureId| (0..program.globals.len()).map(move |number| (procedure, number));
    match node {
        Node::Entry(procedure) => {
            let parameters = 0..program.procedures[procedure.0].parameters.len();
            let parameters = parameters.map(|number| lowered.now(procedure, Variable::Local(number)));
            let globals =
                globals(procedure).map(|(procedure, number)| lowered.now(procedure, Variable::Global(number)));
            globals.chain(parameters).collect()
        }
        Node::At(procedure, _) => {
            let locals = 0..program.procedures[procedure.0].local_count();
            let locals = locals.map(|number| lowered.now(procedure, Variable::Local(number)));
            let of_globals: Vec<Function> = globals(procedure)
                .map(|(procedure, number)| lowered.now(procedure, Variable::Global(number)))
                .collect();
            let old = given(program, procedure).filter_map(|variable| lowered.before(procedure, variable));
            of_globals.into_iter().chain(locals).chain(old).collect()
        }
        Node::Exit(procedure) => {
            let mut signatures = lowered.signatures.iter();
            signatures
                .find(|known| known.procedure == procedure)
                .unwrap()
                .functions
                .clone()
        }
        Node::Failed(_) => BTreeSet::new(),
    }
}

fn given(program: &Program, procedure: ProcedureId) -> impl Iterator<Item = Variable> {
    let parameters = program.procedures[procedure.0].parameters.len();
    (0..program.globals.len())
        .map(Variable::Global)
        .chain((0..parameters).map(Variable::Local))
}

/// The values of the system in a moment of a procedure that began so, if that is remembered.
pub(crate) fn values(lowered: &Lowered, procedure: ProcedureId, entry: &State, state: &State) -> Values {
    let program = lowered.program();
    let mut values = Values::new();
    for variable in given(program, procedure) {
        if let Some(old) = lowered.before(procedure, variable) {
            values.insert(old, entry.get(variable));
        }
    }
    let locals = (0..program.procedures[procedure.0].local_count()).map(Variable::Local);
    for variable in (0..program.globals.len()).map(Variable::Global).chain(locals) {
        values.insert(lowered.now(procedure, variable), state.get(variable));
    }
    values
}

fn restricted(lowered: &Lowered, node: Node, values: &Values) -> (Node, Values) {
    let relevant = relevant(lowered, node);
    let values = relevant
        .iter()
        .map(|function| (*function, values.get(function).copied().unwrap_or_default()));
    (node, values.collect())
}

/// All that a rule makes of a state.
pub(crate) fn successors(
    lowered: &Lowered,
    rule: &Rule,
    from: Node,
    to: Node,
    before: &Values,
) -> BTreeSet<(Node, Values)> {
    let mut found = BTreeSet::new();
    for row in valuations(rule.choices.len()) {
        let mut with_choices = before.clone();
        with_choices.extend(rule.choices.iter().copied().zip(row));
        if !holds(rule.guard, lowered, from, &with_choices) {
            continue;
        }
        let mut after = before.clone();
        for update in rule.updates.iter().filter(|update| update.function != lowered.control) {
            after.insert(update.function, holds(update.value, lowered, from, &with_choices));
        }
        found.insert(restricted(lowered, to, &after));
    }
    found
}

/// The successors that the interpreter and the summaries allow.
#[allow(clippy::too_many_lines)]
fn expected(
    lowered: &Lowered,
    interpreter: &Interpreter,
    reached: &Reached,
    edge: &PathEdge,
) -> BTreeSet<(Node, Values)> {
    let program = lowered.program();
    let (procedure, ref entry) = edge.entry;
    let here = (edge.control, &edge.state);
    let mut found = BTreeSet::new();
    let mut add = |node: Node, values: Values| found.insert(restricted(lowered, node, &values));
    let of = |state: &State| values(lowered, procedure, entry, state);
    if let (true, Control::Before(number)) = (interpreter.may_fail(procedure, edge.control, &edge.state), edge.control)
    {
        add(Node::Failed(boolean::StatementId { procedure, number }), Values::new());
    }
    match interpreter.action(procedure, edge.control) {
        Some(Action::Call {
            procedure: callee,
            results,
            ..
        }) => {
            let parameters = program.procedures[callee.0].parameters.len();
            let target = interpreter.targets(procedure, edge.control)[0];
            for row in valuations(parameters) {
                let given = State {
                    globals: edge.state.globals.clone(),
                    locals: row,
                };
                // Of the callee's other locals and what it enforces, the call itself knows nothing.
                let Some(Action::Call { arguments, .. }) = interpreter.action(procedure, edge.control) else {
                    continue;
                };
                let fits = |(argument, value): (&boolean::Expression, &bool)| {
                    boolean::interpret::possible(argument, &edge.state, &edge.state).allows(*value)
                };
                if !arguments.iter().zip(&given.locals).all(fits) {
                    continue;
                }
                add(Node::Entry(*callee), values(lowered, *callee, &given, &given));
                let summaries = reached.summaries.get(&(*callee, given));
                for (globals, returned) in summaries.into_iter().flatten() {
                    let mut after = State {
                        globals: globals.clone(),
                        locals: edge.state.locals.clone(),
                    };
                    results
                        .iter()
                        .zip(returned)
                        .for_each(|(result, value)| after.set(*result, *value));
                    if interpreter.is_enforced(procedure, &after) {
                        add(Node::At(procedure, target), of(&after));
                    }
                }
            }
        }
        None | Some(Action::Return(_)) => {
            if lowered.number(Node::Exit(procedure)).is_some() {
                for row in valuations(program.procedures[procedure.0].results) {
                    if interpreter.may_return(procedure, here, &row) {
                        let mut after = of(&edge.state);
                        after.extend(
                            (0..)
                                .map(|number| lowered.result(procedure, number))
                                .zip(row)
                                .take(program.procedures[procedure.0].results),
                        );
                        add(Node::Exit(procedure), after);
                    }
                }
            }
        }
        Some(_) => {
            for after in states(program, procedure) {
                for target in interpreter.targets(procedure, edge.control) {
                    if interpreter.may_step(procedure, here, (target, &after)) {
                        add(Node::At(procedure, target), of(&after));
                    }
                }
            }
        }
    }
    found
}

/// All states of a procedure.
pub(crate) fn states(program: &Program, procedure: ProcedureId) -> Vec<State> {
    let locals = program.procedures[procedure.0].local_count();
    let all = valuations(program.globals.len()).flat_map(|globals| {
        valuations(locals).map(move |locals| State {
            globals: globals.clone(),
            locals,
        })
    });
    all.collect()
}

/// Where a system and the enumeration disagree, on all reachable states and in both directions.
#[allow(clippy::too_many_lines)]
pub(crate) fn disagreement(
    lowered: &Lowered,
    system: &TransitionSystem,
    facts: &[Fact],
    reached: &Reached,
) -> Option<String> {
    let program = lowered.program();
    let interpreter = Interpreter::new(program);
    let mut facts_at: BTreeMap<Node, Vec<Term>> = BTreeMap::new();
    for fact in facts {
        let (node, formula) = lowered.located(fact.formula).unwrap();
        facts_at.entry(node).or_default().push(formula);
    }
    let is_known = |node: Node, values: &Values| {
        let facts = facts_at.get(&node).into_iter().flatten();
        let mut facts = facts.filter(|_| !matches!(node, Node::Failed(_)));
        facts.all(|formula| holds(*formula, lowered, node, values))
    };
    let of_system = |node: Node, values: &Values| {
        let rules = lowered
            .rules
            .iter()
            .zip(&system.rules)
            .filter(|(lowered, _)| lowered.from == node);
        let found = rules.flat_map(|(known, rule)| successors(lowered, rule, known.from, known.to, values));
        found.collect::<BTreeSet<(Node, Values)>>()
    };
    let entry = program.entry;
    for state in states(program, entry) {
        let begin = Node::At(entry, interpreter.begin(entry));
        let mut first = values(lowered, entry, &state, &state);
        let is_enforced = interpreter.is_enforced(entry, &state);
        if holds(system.starts[0].constraint, lowered, begin, &first) != is_enforced {
            return Some(format!("the start, {state:?}"));
        }
        for variable in given(program, entry) {
            let old = lowered
                .before(entry, variable)
                .filter(|old| *old != lowered.now(entry, variable));
            if let Some(old) = old {
                first.entry(old).and_modify(|value| *value = !*value);
                if holds(system.starts[0].constraint, lowered, begin, &first) {
                    return Some(format!("the start remembers something else, {state:?}"));
                }
                first.entry(old).and_modify(|value| *value = !*value);
            }
        }
    }
    let mut begun = BTreeSet::new();
    for edge in &reached.edges {
        let node = Node::At(edge.entry.0, edge.control);
        let here = values(lowered, edge.entry.0, &edge.entry.1, &edge.state);
        if !is_known(node, &here) {
            return Some(format!("a fact excludes {edge:?}"));
        }
        let (theirs, ours) = (expected(lowered, &interpreter, reached, edge), of_system(node, &here));
        if theirs != ours {
            let lost: Vec<_> = theirs.difference(&ours).collect();
            let more: Vec<_> = ours.difference(&theirs).collect();
            return Some(format!("steps from {edge:?}: lost {lost:?}, more {more:?}"));
        }
        if let Some((node, after)) = theirs.iter().find(|(node, after)| !is_known(*node, after)) {
            return Some(format!("a fact excludes {node:?} {after:?}"));
        }
        let procedure = edge.entry.0;
        let is_called = lowered.number(Node::Entry(procedure)).is_some();
        if is_called && begun.insert(edge.entry.clone()) {
            let (procedure, given) = &edge.entry;
            let entry = Node::Entry(*procedure);
            let begin = Node::At(*procedure, interpreter.begin(*procedure));
            let others = valuations(program.procedures[procedure.0].locals.len());
            let first = others.map(|others| State {
                globals: given.globals.clone(),
                locals: [given.locals.clone(), others].concat(),
            });
            let first = first.filter(|state| interpreter.is_enforced(*procedure, state));
            let first = first.map(|state| restricted(lowered, begin, &values(lowered, *procedure, given, &state)));
            let before = restricted(lowered, entry, &values(lowered, *procedure, given, given)).1;
            if of_system(entry, &before) != first.collect() {
                return Some(format!("the beginning of a call, {given:?}"));
            }
        }
    }
    None
}
