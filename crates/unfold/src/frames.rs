//! Steps of single procedures: the effect of each step on any state, without inlining.
//!
//! Every procedure has one frame that holds its variables, as if at most one call of it were active at a time. That is
//! exact for programs without recursion; for recursive procedures, [`Frames::follow`] saves the frames of the callers.
//!
//! The effect of a step represents its weakest precondition: `wp(step, p)` is `p` with every written cell replaced by
//! the written term. A write through a pointer becomes an if-then-else for each cell that the pointer may point at,
//! according to the points-to analysis: Morris' axiom of assignment.

use crate::allocated::allocated;
use crate::back::Values;
use crate::contexts::{ContextId, Contexts, Node};
use crate::machine::{Choice, Machine, State, Walk};
use crate::numbers::{input_range, stored_range};
use crate::objects::{CellId, ObjectId, ObjectOrigin, Objects};
use crate::steps::Taken;
use crate::system_of::{initial_values, machine};
use crate::{Options, Unfolded};
use analysis::points_to::{PointsTo, edge, sites};
use logic::{Function, Kind, Term, term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use system::program::{
    Body, LocationId, ProcedureId, Program, PropertyId, Root, Scalar, Step, Value, VariableId, VariableKind,
};

/// An edge of the program, with the procedure that it calls resolved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Way {
    pub procedure: ProcedureId,
    pub location: LocationId,
    pub edge: usize,
    /// Which of the possible callees, counted from zero.
    pub number: usize,
    pub callee: Option<ProcedureId>,
}

/// Where a step leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Towards {
    Location(LocationId),
    /// Into a procedure; the writes include those to its parameters.
    Call(ProcedureId),
    Violated(PropertyId),
    Nowhere,
}

/// The effect of a step: where the condition holds, these cells are assigned.
#[derive(Clone, Debug)]
pub struct Effect {
    pub condition: Term,
    pub writes: BTreeMap<Function, Term>,
    pub towards: Towards,
}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    Take(Way),
    /// The return from the call that this edge made.
    Return(Way),
}

/// The owner of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Only steps of this procedure can change it.
    Procedure(ProcedureId, VariableId),
    /// Global variables, variables whose address is taken, and allocated memory.
    Memory,
}

/// The steps of a program.
pub struct Frames<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    options: Options,
    machine: Machine<'p, 'p>,
    cells: FxHashMap<Function, CellId>,
    exposed: BTreeSet<VariableId>,
    initial: Vec<(CellId, Term)>,
}

/// The symbolic execution of a path.
pub struct Followed {
    /// The condition of each step, over the choices.
    pub conditions: Vec<Term>,
    /// The ranges of the choices.
    pub ranges: Vec<Term>,
    /// The state before each step.
    states: Vec<State>,
}

impl<'p> Frames<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo, options: &Options) -> Frames<'p> {
        let mut machine = machine(program, points_to, options);
        machine.contexts = Contexts::one_per_procedure(program, points_to, options);
        machine.allocated = allocated(program, points_to);
        machine.make_objects();
        let cells = (0..).map(CellId).zip(&machine.objects.cells);
        Frames {
            program,
            points_to,
            options: *options,
            cells: cells.map(|(id, cell)| (cell.function, id)).collect(),
            exposed: address_taken(program),
            initial: initial_values(&machine),
            machine,
        }
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// All edges out of a location, with resolved callees.
    pub fn ways(&self, procedure: ProcedureId, location: LocationId) -> Vec<Way> {
        let context = ContextId(procedure.0);
        let edges = 0..self.machine.contexts.edges(context, location).len();
        let ways = edges.flat_map(|edge| {
            let callees = self.machine.ways(context, location, edge).into_iter().enumerate();
            callees.map(move |(number, callee)| Way {
                procedure,
                location,
                edge,
                number,
                callee,
            })
        });
        ways.collect()
    }

    /// The effect of a step on any state.
    pub fn effect(&mut self, way: Way) -> Effect {
        self.machine.state = State::new();
        self.machine.position = name(way);
        self.machine.counter = 0;
        let taken = take(&mut self.machine, way);
        let towards = match taken.to {
            None => Towards::Nowhere,
            Some(Node::Violated(property)) => Towards::Violated(property),
            Some(Node::At(context, location)) => match way.callee.map(|callee| &self.program[callee].body) {
                Some(Body::Automaton(_)) => Towards::Call(ProcedureId(context.0)),
                _ => Towards::Location(location),
            },
            Some(Node::TooDeep | Node::Entry(_) | Node::Broken) => Towards::Nowhere,
        };
        self.take_effect(taken.condition, towards)
    }

    /// The effect of returning from a call to its caller.
    pub fn returned(&mut self, way: Way) -> Effect {
        self.machine.state = State::new();
        self.machine.position = format!("{} back", name(way));
        self.machine.counter = 0;
        let required = store_call_result(&mut self.machine, way);
        let to = edge_of(self.program, way).map_or(Towards::Nowhere, |edge| Towards::Location(edge.to));
        self.take_effect(required, to)
    }

    fn take_effect(&mut self, condition: Term, towards: Towards) -> Effect {
        let state = std::mem::take(&mut self.machine.state);
        let cells = &self.machine.objects.cells;
        let writes = state
            .into_iter()
            .map(|(cell, value)| (cells[cell.0 as usize].function, value));
        let effect = Effect {
            condition,
            writes: writes.filter(|(cell, value)| *value != cell.apply([])).collect(),
            towards,
        };
        // A step may have created an object.
        let known = self.cells.len();
        for (id, cell) in (0..).map(CellId).zip(&self.machine.objects.cells).skip(known) {
            self.cells.insert(cell.function, id);
        }
        effect
    }

    /// The initial values of global variables.
    pub fn initial(&self) -> BTreeMap<Function, Term> {
        let cells = &self.machine.objects.cells;
        let initial = self.initial.iter();
        initial
            .map(|(cell, value)| (cells[cell.0 as usize].function, *value))
            .collect()
    }

    /// The object whose address, as an integer, is this function.
    fn numbered(&self, function: Function) -> Option<ObjectId> {
        let mut numbers = self.machine.objects.numbers.iter();
        numbers
            .find(|(_, number)| **number == function)
            .map(|(object, _)| *object)
    }

    /// The owner of a cell; integer values of addresses belong to memory. None for choices.
    pub fn owner(&self, function: Function) -> Option<Owner> {
        if self.numbered(function).is_some() {
            return Some(Owner::Memory);
        }
        let cell = &self.machine.objects.cells[self.cells.get(&function)?.0 as usize];
        let origin = self.machine.objects[cell.object].origin;
        Some(match origin {
            ObjectOrigin::Variable(Some(context), variable) if !self.exposed.contains(&variable) => {
                Owner::Procedure(ProcedureId(context.0), variable)
            }
            _ => Owner::Memory,
        })
    }

    /// The symbols that a formula about a state may use: cells, and integer values of addresses.
    pub fn vocabulary(&self) -> Vec<Function> {
        let cells = self.machine.objects.cells.iter().map(|cell| cell.function);
        cells.chain(self.machine.objects.numbers.values().copied()).collect()
    }

    /// The cells that only steps of a procedure can change.
    pub fn cells_of(&self, procedure: ProcedureId) -> Vec<Function> {
        let cells = self.machine.objects.cells.iter().map(|cell| cell.function);
        let is_own = |cell: &Function| matches!(self.owner(*cell), Some(Owner::Procedure(of, _)) if of == procedure);
        cells.filter(is_own).collect()
    }

    /// Whether a cell holds pointers.
    pub fn is_pointer(&self, function: Function) -> bool {
        let cell = self.cells.get(&function);
        cell.is_some_and(|cell| self.machine.objects[*cell].scalar == Scalar::Pointer)
    }

    pub fn kind(&self, variable: VariableId) -> VariableKind {
        self.program[variable].kind
    }

    /// The range of a cell or a choice.
    pub fn range(&self, function: Function) -> Option<Term> {
        if let Some(object) = self.numbered(function) {
            return Some(self.machine.objects.range_of_number(self.program, object, function));
        }
        let (scalar, range) = match self.cells.get(&function) {
            Some(cell) => (
                Some(self.machine.objects[*cell].scalar),
                stored_range as fn(_, _, _) -> _,
            ),
            None => (self.machine.choices.get(&function)?.scalar, input_range as _),
        };
        match scalar {
            Some(Scalar::Integer(integer)) => Some(range(function.apply([]), integer, self.machine.undefined)),
            _ => None,
        }
    }

    /// Translates a formula into the unfolded program, seen from a context: each frame becomes its innermost call on
    /// the chain. None where such a call does not exist or the system has dropped a cell.
    pub fn in_unfolded(&self, formula: Term, unfolded: &Unfolded, context: ContextId) -> Option<Term> {
        let moved_object = |origin: ObjectOrigin| {
            let moved = match origin {
                ObjectOrigin::Variable(Some(frame), variable) => {
                    ObjectOrigin::Variable(Some(unfolded.innermost(context, ProcedureId(frame.0))?), variable)
                }
                ObjectOrigin::Allocated(frame, site, time) => {
                    ObjectOrigin::Allocated(unfolded.innermost(context, ProcedureId(frame.0))?, site, time)
                }
                ObjectOrigin::Variable(None, _) | ObjectOrigin::Procedure(_) => origin,
            };
            unfolded.objects.get(moved)
        };
        let mut is_lost = false;
        let changed = rewrite(formula, |part| match part.kind() {
            Kind::Apply(function, _) if self.numbered(*function).is_some() => {
                let moved = self.numbered(*function).and_then(|object| {
                    let object = moved_object(self.machine.objects[object].origin)?;
                    let number = unfolded.objects.numbers.get(&object)?;
                    let mut rigid = unfolded.system.rigid.iter();
                    rigid.any(|symbol| symbol.function == *number).then_some(*number)
                });
                is_lost |= moved.is_none();
                moved.map_or(part, |number| number.apply([]))
            }
            Kind::Apply(function, _) => {
                let moved = self.cells.get(function).and_then(|id| {
                    let cell = &self.machine.objects[*id];
                    let object = moved_object(self.machine.objects[cell.object].origin)?;
                    let first = cell.bits.map_or(0, |bits| bits.first);
                    let times = self.machine.objects[cell.object].times;
                    let there = &unfolded.objects[object];
                    let moved = match times == Some(*id) {
                        true => there.times?,
                        false => *there.cells.get(&(cell.offset, first))?,
                    };
                    let moved = &unfolded.objects[moved];
                    let is_known = unfolded
                        .system
                        .state
                        .iter()
                        .any(|symbol| symbol.function == moved.function);
                    moved.constant.or(is_known.then(|| moved.function.apply([])))
                });
                match moved {
                    Some(moved) => moved,
                    None => {
                        is_lost = true;
                        part
                    }
                }
            }
            Kind::Int(address) => match self.machine.objects.at(*address) {
                Some((object, offset)) => {
                    let origin = self.machine.objects[object].origin;
                    match moved_object(origin) {
                        Some(moved) => term::int(Objects::address(moved) + offset),
                        None => {
                            is_lost = true;
                            part
                        }
                    }
                }
                None => part,
            },
            _ => part,
        });
        (!is_lost).then_some(changed)
    }

    /// Executes a path symbolically from the start of the program.
    pub fn follow(&self, path: &[Move]) -> Followed {
        let mut machine = self.walker(None);
        let mut followed = Followed {
            conditions: Vec::new(),
            ranges: Vec::new(),
            states: Vec::new(),
        };
        let mut stack = Vec::new();
        for (number, step) in path.iter().enumerate() {
            followed.states.push(machine.state.clone());
            let condition = advance(&mut machine, &mut stack, number, *step).condition;
            followed.conditions.push(logic::simplify(condition));
            for value in machine.state.values_mut() {
                if value.depth() > 3 {
                    *value = logic::simplify(*value);
                }
            }
        }
        let mut choices: Vec<&Choice> = machine.choices.values().collect();
        choices.sort_by_key(|choice| choice.function);
        followed.ranges = choices
            .into_iter()
            .map(|choice| crate::machine::range(choice, machine.undefined))
            .collect();
        let cells = machine.objects.cells.iter();
        followed
            .ranges
            .extend(cells.filter_map(|cell| self.range(cell.function)));
        followed
    }

    /// A formula evaluated before a step of the path, as a formula over the choices.
    pub fn at(&self, followed: &Followed, step: usize, formula: Term) -> Term {
        let state = &followed.states[step];
        let changed = rewrite(formula, |part| match part.kind() {
            Kind::Apply(function, _) => {
                let held = self.cells.get(function).and_then(|cell| state.get(cell));
                held.copied().unwrap_or(part)
            }
            _ => part,
        });
        logic::simplify(changed)
    }

    /// The inputs of a path under these values of the choices, in the order in which the program reads them.
    pub fn inputs(&self, path: &[Move], values: &Values) -> Vec<i128> {
        let mut machine = self.walker(Some(Walk::new(values)));
        let mut stack = Vec::new();
        for (number, step) in path.iter().enumerate() {
            advance(&mut machine, &mut stack, number, *step);
        }
        machine.walk.map(|walk| walk.inputs).unwrap_or_default()
    }

    fn walker<'g>(&self, walk: Option<Walk<'g>>) -> Machine<'p, 'g> {
        Machine {
            contexts: self.machine.contexts.clone(),
            objects: self.machine.objects.clone(),
            allocated: self.machine.allocated.clone(),
            state: self.initial.iter().copied().collect(),
            walk,
            ..machine(self.program, self.points_to, &self.options)
        }
    }
}

fn edge_of(program: &Program, way: Way) -> Option<&system::program::Edge> {
    let site = analysis::points_to::Site {
        procedure: way.procedure,
        location: way.location,
        edge: way.edge,
    };
    edge(program, site)
}

fn name(way: Way) -> String {
    format!("{}.{}.{}.{}", way.procedure.0, way.location.0, way.edge, way.number)
}

fn take(machine: &mut Machine, way: Way) -> Taken {
    machine.take(ContextId(way.procedure.0), way.location, way.edge, way.callee)
}

/// Stores the result of a call where the caller expects it; returns the condition under which that is defined.
fn store_call_result(machine: &mut Machine, way: Way) -> Term {
    let Some(callee) = way.callee else {
        return term::bool(false);
    };
    let frame = ContextId(callee.0);
    let called = (ContextId(way.procedure.0), way.location, way.edge);
    machine.contexts[frame].caller = Some(called);
    machine.store_call_result(frame);
    machine.contexts[frame].caller = None;
    term::and(std::mem::take(&mut machine.requirements))
}

/// The frame of a procedure saved before a recursive call.
type SavedFrame = (ProcedureId, State);

fn advance(machine: &mut Machine, stack: &mut Vec<SavedFrame>, number: usize, step: Move) -> Taken {
    machine.position = format!("step {number}");
    machine.counter = 0;
    match step {
        Move::Take(way) => {
            if let Some(callee) = way.callee
                && machine.program[callee].body.automaton().is_some()
            {
                stack.push((callee, frame_of(machine, callee)));
            }
            take(machine, way)
        }
        Move::Return(way) => {
            let Some((callee, mut kept)) = stack.pop() else {
                return Taken {
                    condition: term::bool(false),
                    to: None,
                };
            };
            let frame = ContextId(callee.0);
            if stack.iter().any(|(other, _)| *other == callee) || way.procedure == callee {
                // Restore the caller's frame, except for the result.
                let result = machine.program[callee]
                    .result
                    .map(|result| machine.variable_in(frame, result));
                let is_result = |cell: &CellId| Some(machine.objects[*cell].object) == result;
                kept.extend(machine.state.iter().filter(|(cell, _)| is_result(cell)));
                machine.leave(frame);
                machine.state.extend(kept);
                let condition = store_call_result(machine, way);
                return Taken { condition, to: None };
            }
            let condition = store_call_result(machine, way);
            machine.leave(frame);
            Taken { condition, to: None }
        }
    }
}

fn frame_of(machine: &Machine, procedure: ProcedureId) -> State {
    let frame = ContextId(procedure.0);
    let own = machine
        .state
        .iter()
        .filter(|(cell, _)| machine.objects.is_of(**cell, frame));
    own.map(|(cell, value)| (*cell, *value)).collect()
}

/// Rewrites a term bottom-up.
fn rewrite(term: Term, mut change: impl FnMut(Term) -> Term) -> Term {
    let mut made: FxHashMap<Term, Term> = FxHashMap::default();
    for part in logic::traverse::post_order(term, true) {
        let inner = logic::substitute::rebuild(part, |child| made.get(&child).copied().unwrap_or(child));
        let new = if inner == part { change(part) } else { inner };
        made.insert(part, new);
    }
    made.get(&term).copied().unwrap_or(term)
}

/// The variables whose address is taken.
pub(crate) fn address_taken(program: &Program) -> BTreeSet<VariableId> {
    let mut exposed = BTreeSet::new();
    for site in sites(program) {
        let Some(edge) = edge(program, site) else { continue };
        let mut step: Step = edge.step.clone();
        step.for_each_value_mut(&mut |value| {
            if let Value::Address(place) = value
                && let Root::Variable(variable) = place.root
            {
                exposed.insert(variable);
            }
        });
    }
    exposed
}
