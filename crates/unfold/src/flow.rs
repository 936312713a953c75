//! The inlined program with one transition per edge, as terms.
//!
//! Where `system_of` merges all steps between two loop heads into one rule, this module keeps every step apart, and
//! records calls of external procedures with their arguments and results.

use crate::allocated::allocated;
use crate::back::{Values, walker_from};
use crate::blocks::order;
use crate::contexts::{ContextId, Node};
use crate::hazards::Hazards;
use crate::machine::{Choice, Machine, State, Walk, range};
use crate::numbers::stored_range;
use crate::system_of::{initial_values, machine};
use crate::{Options, Undefinedness, UnfoldError};
use analysis::points_to::PointsTo;
use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::{LocationId, ProcedureId, Program, Scalar, Step, Undefined, Value, VariableId};

/// The inlined program as a graph of symbolic steps.
pub struct Flow<'p> {
    /// The first is the initial node.
    pub nodes: Vec<Node>,
    pub steps: Vec<FlowStep>,
    /// Initial values of cells; all other cells start uninitialized.
    pub initial: Vec<(Function, Term)>,
    /// The cells, each with the range of its type as a formula.
    pub cells: BTreeMap<Function, Term>,
    machine: Machine<'p, 'p>,
    first: State,
    options: Options,
}

/// An edge: where the condition holds, the updates are applied simultaneously.
#[derive(Clone, Debug)]
pub struct FlowStep {
    pub from: usize,
    /// None where the run ends or does not move on.
    pub to: Option<usize>,
    pub condition: Term,
    pub updates: BTreeMap<Function, Term>,
    /// The choices in the condition and the updates, with their ranges.
    pub choices: Vec<(Choice, Term)>,
    pub call: Option<Call>,
    /// A call through a pointer that may point at an external procedure.
    pub is_astray: bool,
    pub span: Span,
    /// The kinds of undefined behaviour of this step, each with its condition.
    pub hazards: Vec<(Undefined, Term)>,
    /// The index of the edge, and the index of the callee.
    way: Option<(usize, usize)>,
}

/// A call of an external procedure.
#[derive(Clone, Debug)]
pub struct Call {
    pub callee: ProcedureId,
    /// None for arguments that are not scalar.
    pub arguments: Vec<Option<Term>>,
    /// The choice that represents the returned value, where the caller uses it.
    pub result: Option<Function>,
}

impl<'p> Flow<'p> {
    pub fn new(
        program: &'p Program,
        points_to: &'p PointsTo,
        options: &Options,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Flow<'p>, UnfoldError> {
        let mut machine = machine(program, points_to, options);
        machine.allocated = allocated(program, points_to);
        machine.records_calls = true;
        machine.hazards = Some(Hazards::default());
        let order = order(&mut machine, options.locations, is_cancelled)?;
        machine.make_objects();
        machine.compute_expired(&order);
        let mut nodes: Vec<Node> = order.position.keys().copied().collect();
        nodes.sort_unstable_by_key(|node| order.position[node]);
        let mut flow = Flow {
            nodes,
            steps: Vec::new(),
            initial: Vec::new(),
            cells: BTreeMap::new(),
            machine,
            first: State::new(),
            options: *options,
        };
        for number in 0..flow.nodes.len() {
            if is_cancelled() {
                return Err(UnfoldError::Stopped);
            }
            flow.steps_from(number, &order.position);
        }
        let cells = flow.machine.objects.cells.iter();
        flow.cells = cells
            .map(|cell| (cell.function, range_of(cell, options.undefined)))
            .collect();
        flow.first = initial_values(&flow.machine).into_iter().collect();
        let function = |cell: &crate::CellId| flow.machine.objects[*cell].function;
        flow.initial = flow
            .first
            .iter()
            .map(|(cell, value)| (function(cell), *value))
            .collect();
        Ok(flow)
    }

    fn steps_from(&mut self, from: usize, numbers: &rustc_hash::FxHashMap<Node, usize>) {
        let Node::At(context, location) = self.nodes[from] else {
            return;
        };
        let machine = &mut self.machine;
        let mut add = |machine: &mut Machine<'p, 'p>, condition, to: Option<Node>, call, is_astray, span, way| {
            let changed = std::mem::take(&mut machine.state).into_iter();
            let function = |cell: crate::CellId| machine.objects[cell].function;
            let updates: BTreeMap<Function, Term> = changed.map(|(cell, value)| (function(cell), value)).collect();
            let mut mentioned: BTreeSet<Function> = functions_of(condition);
            updates
                .values()
                .for_each(|value| mentioned.extend(functions_of(*value)));
            let hazards = machine.noted_hazards();
            hazards
                .iter()
                .for_each(|(_, condition)| mentioned.extend(functions_of(*condition)));
            let choices = mentioned.iter().filter_map(|function| machine.choices.get(function));
            self.steps.push(FlowStep {
                from,
                to: to.and_then(|node| numbers.get(&node).copied()),
                condition,
                updates,
                choices: choices
                    .map(|choice| (*choice, range(choice, machine.undefined)))
                    .collect(),
                call,
                is_astray,
                span,
                hazards,
                way,
            });
        };
        if machine.contexts.is_exit(context, location) {
            machine.set_position(0, Node::At(context, location), 0);
            machine.state = State::new();
            let span = machine.span_of_call(Node::At(context, location)).unwrap_or_default();
            if let Some(to) = machine.return_from_call(context) {
                let required = std::mem::take(&mut machine.requirements);
                add(machine, logic::term::and(required), Some(to), None, false, span, None);
            }
            return;
        }
        for number in 0..machine.contexts.edges(context, location).len() {
            for (way, callee) in machine.ways(context, location, number).into_iter().enumerate() {
                machine.set_position(0, Node::At(context, location), number * 100 + way);
                machine.state = State::new();
                machine.called = None;
                let taken = machine.take(context, location, number, callee);
                let edge = &machine.contexts.edges(context, location)[number];
                let is_astray = callee.is_none() && matches!(edge.step, Step::Call { .. });
                let (call, span, way) = (machine.called.take(), edge.span, Some((number, way)));
                add(machine, taken.condition, taken.to, call, is_astray, span, way);
            }
        }
    }

    pub fn program(&self) -> &'p Program {
        self.machine.program
    }

    /// The procedure that a context calls, and its caller.
    pub fn context(&self, context: ContextId) -> &crate::Context {
        &self.machine.contexts[context]
    }

    pub fn is_exit(&self, context: ContextId, location: LocationId) -> bool {
        self.machine.contexts.is_exit(context, location)
    }

    /// The formula that a value is not zero, in a context. None where the encoding havocs it.
    pub fn truth(&mut self, context: ContextId, value: &Value) -> Option<Term> {
        let machine = &mut self.machine;
        machine.state = State::new();
        machine.context = context;
        machine.requirements.clear();
        machine.position = "formula".to_owned();
        machine.counter = 0;
        let truth = machine.truth(value);
        machine.requirements.clear();
        let is_chosen = functions_of(truth)
            .iter()
            .any(|function| machine.choices.contains_key(function));
        (!is_chosen).then_some(truth)
    }

    /// The state function of a scalar variable in a context.
    pub fn variable(&mut self, context: ContextId, variable: VariableId) -> Option<Function> {
        let object = self.machine.variable_in(context, variable);
        let cell = *self.machine.objects[object].cells.get(&(0, 0))?;
        let cell = &self.machine.objects[cell];
        self.cells.insert(cell.function, range_of(cell, self.options.undefined));
        Some(cell.function)
    }

    /// The inputs of a path under these values of the choices, one map per step, in the order in which the program
    /// reads them. None where the path is infeasible.
    pub fn inputs(&self, path: &[usize], values: &[Values]) -> Option<Vec<i128>> {
        let mut state = self.first.clone();
        let (mut inputs, mut uninitialized) = (Vec::new(), BTreeSet::new());
        for (step, chosen) in path.iter().zip(values) {
            let step = self.steps.get(*step)?;
            let node = self.nodes[step.from];
            let Node::At(context, location) = node else { return None };
            let walk = Walk {
                inputs: std::mem::take(&mut inputs),
                uninitialized: std::mem::take(&mut uninitialized),
                ..Walk::new(chosen)
            };
            let mut machine = walker_from(&self.machine, &self.options, std::mem::take(&mut state), walk);
            let to = match step.way {
                None => {
                    machine.set_position(0, node, 0);
                    machine.return_from_call(context)
                }
                Some((number, way)) => {
                    let callee = machine.ways(context, location, number).get(way).copied()?;
                    machine.set_position(0, node, number * 100 + way);
                    let taken = machine.take(context, location, number, callee);
                    if !logic::simplify(taken.condition).is_true() {
                        return None;
                    }
                    taken.to
                }
            };
            if to != step.to.map(|to| self.nodes[to]) {
                return None;
            }
            let walk = machine.walk.take()?;
            (inputs, uninitialized) = (walk.inputs, walk.uninitialized);
            state = machine.state;
        }
        Some(inputs)
    }
}

/// The range of the type of a cell.
fn range_of(cell: &crate::Cell, undefined: Undefinedness) -> Term {
    match cell.scalar {
        Scalar::Integer(integer) => stored_range(cell.function.apply([]), integer, undefined),
        _ => logic::term::bool(true),
    }
}
