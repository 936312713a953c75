//! Single steps as terms, for cross-checking the encoding against concrete runs.
//!
//! The steps come from the same code as the rules of the system.

pub use analysis::points_to::Site;

use crate::blocks::block_by_nodes;
use crate::contexts::Node;
use crate::machine::{Machine, range};
use crate::objects::{CellId, ObjectOrigin, Objects};
use crate::system_of::{Unfolded, machine};
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use system::program::{Bits, ProcedureId, Scalar};

/// A step: where the condition holds, all updates are applied simultaneously.
#[derive(Debug)]
pub struct SymbolicStep {
    pub condition: Term,
    pub updates: BTreeMap<CellId, Term>,
    /// None where the run ends.
    pub to: Option<Node>,
    /// The choices, with their ranges.
    pub choices: Vec<(Function, Term)>,
}

/// A cell and its place in memory.
#[derive(Clone, Copy, Debug)]
pub struct CellInfo {
    pub origin: ObjectOrigin,
    pub offset: u64,
    pub bits: Option<Bits>,
    pub scalar: Scalar,
    pub function: Function,
    pub bytes: u64,
    /// Its value, if it never changes.
    pub constant: Option<Term>,
    /// Whether it is an allocation counter.
    pub is_counter: bool,
}

/// The index of an edge, and its callee; none for a return.
pub type StepEdge = Option<(usize, Option<ProcedureId>)>;

pub struct Stepwise<'u> {
    machine: Machine<'u, 'u>,
    known: FxHashMap<Node, Steps>,
    cells: FxHashMap<Function, CellId>,
}

/// The steps out of a node.
type Steps = Rc<Vec<(StepEdge, SymbolicStep)>>;

impl<'u> Stepwise<'u> {
    pub fn new(unfolded: &'u Unfolded<'u>) -> Stepwise<'u> {
        let machine = Machine {
            contexts: unfolded.contexts.clone(),
            objects: unfolded.objects.clone(),
            contracts: unfolded.contracts.clone(),
            allocated: unfolded.allocated.clone(),
            ..machine(unfolded.program, unfolded.points_to, &unfolded.options)
        };
        let cells = (0..).map(CellId).zip(&machine.objects.cells);
        let cells = cells.map(|(id, cell)| (cell.function, id)).collect();
        Stepwise {
            machine,
            known: FxHashMap::default(),
            cells,
        }
    }

    /// All steps out of a node. A call of an external procedure has no callee.
    pub fn steps(&mut self, node: Node) -> Steps {
        if let Some(known) = self.known.get(&node) {
            return Rc::clone(known);
        }
        let mut edges: Vec<StepEdge> = Vec::new();
        if let Node::At(context, location) = node {
            match self.machine.contexts.is_exit(context, location) {
                true => edges.push(None),
                false => {
                    for number in 0..self.machine.contexts.edges(context, location).len() {
                        let ways = self.machine.ways(context, location, number);
                        edges.extend(ways.into_iter().map(|callee| Some((number, callee))));
                    }
                }
            }
        }
        let steps = edges
            .into_iter()
            .filter_map(|edge| Some((edge, self.execute(node, edge)?)));
        let steps = Rc::new(steps.collect::<Vec<_>>());
        self.known.insert(node, Rc::clone(&steps));
        steps
    }

    fn execute(&mut self, node: Node, edge: StepEdge) -> Option<SymbolicStep> {
        let Node::At(context, location) = node else { return None };
        let machine = &mut self.machine;
        machine.state.clear();
        let (condition, to) = match edge {
            None => {
                machine.set_position(0, node, 0);
                let to = machine.return_from_call(context)?;
                (term::and(std::mem::take(&mut machine.requirements)), Some(to))
            }
            Some((number, callee)) => {
                let ways = machine.ways(context, location, number);
                let way = ways.iter().position(|way| *way == callee)?;
                machine.set_position(0, node, number * 100 + way);
                let taken = machine.take(context, location, number, ways[way]);
                (taken.condition, taken.to)
            }
        };
        let updates: BTreeMap<CellId, Term> = std::mem::take(&mut machine.state).into_iter().collect();
        let mut mentioned = functions_of(condition);
        updates
            .values()
            .for_each(|value| mentioned.extend(functions_of(*value)));
        let choices = mentioned.iter().filter_map(|function| machine.choices.get(function));
        let choices = choices
            .map(|choice| (choice.function, range(choice, machine.undefined)))
            .collect();
        Some(SymbolicStep {
            condition,
            updates,
            to,
            choices,
        })
    }

    pub fn cell_of(&self, function: Function) -> Option<CellId> {
        self.cells.get(&function).copied()
    }

    pub fn cell_info(&self, cell: CellId) -> Option<CellInfo> {
        let found = self.machine.objects.cells.get(cell.0 as usize)?;
        let object = self.machine.objects.objects.get(found.object.0 as usize)?;
        Some(CellInfo {
            origin: object.origin,
            bytes: found.bytes,
            is_counter: object.times == Some(cell),
            offset: found.offset,
            bits: found.bits,
            scalar: found.scalar,
            function: found.function,
            constant: found.constant,
        })
    }

    /// The cells that share a byte with this range.
    pub fn cells_in(&self, origin: ObjectOrigin, from: u64, bytes: u64) -> Vec<CellId> {
        let Some(object) = self.machine.objects.get(origin) else {
            return Vec::new();
        };
        let cells = &self.machine.objects[object].cells;
        let overlap = cells.values().filter(|id| {
            let cell = &self.machine.objects[**id];
            cell.offset < from.saturating_add(bytes) && from < cell.offset + cell.bytes
        });
        overlap.copied().collect()
    }

    /// The address of an object.
    pub fn address(&self, origin: ObjectOrigin) -> Option<i128> {
        self.machine.objects.get(origin).map(Objects::address)
    }

    /// An integer that is no address of an object, as a pointer: both are on the same line.
    pub fn pointer_of_number(&self, number: u64) -> i128 {
        i128::from(number)
    }

    /// The object whose address, as an integer, is this symbol.
    pub fn numbered(&self, function: Function) -> Option<ObjectOrigin> {
        let mut numbers = self.machine.objects.numbers.iter();
        let (object, _) = numbers.find(|(_, number)| **number == function)?;
        Some(self.machine.objects[*object].origin)
    }
}

/// The condition under which a block reaches each of its nodes, over the state at its cut point and the choices made
/// since. A cut point is given by its index among the nodes of the system.
pub fn node_conditions(unfolded: &Unfolded, cut: usize, is_cancelled: &dyn Fn() -> bool) -> Vec<NodeCondition> {
    let mut machine = Stepwise::new(unfolded).machine;
    if cut >= unfolded.order.cuts.len() {
        return Vec::new();
    }
    let mut nodes: Vec<(Node, Term)> = Vec::new();
    let told = block_by_nodes(
        &mut machine,
        &unfolded.order,
        cut,
        is_cancelled,
        &mut |node, condition| {
            nodes.push((node, condition));
        },
    );
    if told.is_err() {
        return Vec::new();
    }
    let with_choices = |(node, condition): (Node, Term)| {
        let mentioned = functions_of(condition);
        let choices = mentioned.iter().filter_map(|function| machine.choices.get(function));
        let choices = choices
            .map(|choice| (choice.function, range(choice, machine.undefined)))
            .collect();
        NodeCondition {
            node,
            condition,
            choices,
        }
    };
    nodes.into_iter().map(with_choices).collect()
}

/// A node of a block.
#[derive(Clone, Debug)]
pub struct NodeCondition {
    pub node: Node,
    pub condition: Term,
    /// The choices, with their ranges.
    pub choices: Vec<(Function, Term)>,
}
