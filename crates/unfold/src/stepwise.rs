//! Single steps as terms, for those who compare them with what a run of the program does.
//!
//! Nothing here is a way of its own to say what a step means: it is what rules are made of.

pub use analysis::points_to::Site;

use crate::blocks::block_by_nodes;
use crate::contexts::Node;
use crate::machine::{Machine, range};
use crate::objects::{CellId, Objects, Origin};
use crate::system_of::{Unfolded, machine};
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use system::program::{Bits, ProcedureId, Scalar};

/// What a step does: where the condition holds, all cells change at once.
#[derive(Debug)]
pub struct SymbolicStep {
    pub condition: Term,
    pub updates: BTreeMap<CellId, Term>,
    /// None where the program ends.
    pub to: Option<Node>,
    /// What is chosen, and in which range.
    pub choices: Vec<(Function, Term)>,
}

/// A cell, and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub origin: Origin,
    pub offset: u64,
    pub bits: Option<Bits>,
    pub scalar: Scalar,
    pub function: Function,
    pub bytes: u64,
    /// What it always holds.
    pub constant: Option<Term>,
    /// Whether it only counts how often its step has allocated.
    pub is_counter: bool,
}

/// An edge of the program, and whom it calls; none where a call returns.
pub type Edge = Option<(usize, Option<ProcedureId>)>;

pub struct Stepwise<'u> {
    machine: Machine<'u, 'u>,
    known: FxHashMap<Node, Steps>,
    cells: FxHashMap<Function, CellId>,
}

/// What may be done at a node.
type Steps = Rc<Vec<(Edge, SymbolicStep)>>;

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

    /// All steps out of a node. A call of somebody whom the system does not know has no callee.
    pub fn steps(&mut self, node: Node) -> Steps {
        if let Some(known) = self.known.get(&node) {
            return Rc::clone(known);
        }
        let mut edges: Vec<Edge> = Vec::new();
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
            .filter_map(|edge| Some((edge, self.made(node, edge)?)));
        let steps = Rc::new(steps.collect::<Vec<_>>());
        self.known.insert(node, Rc::clone(&steps));
        steps
    }

    fn made(&mut self, node: Node, edge: Edge) -> Option<SymbolicStep> {
        let Node::At(context, location) = node else { return None };
        let machine = &mut self.machine;
        machine.state.clear();
        let (condition, to) = match edge {
            None => {
                machine.place(0, node, 0);
                let to = machine.give_back(context)?;
                (term::and(std::mem::take(&mut machine.requirements)), Some(to))
            }
            Some((number, callee)) => {
                let ways = machine.ways(context, location, number);
                let way = ways.iter().position(|way| *way == callee)?;
                machine.place(0, node, number * 100 + way);
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

    pub fn held(&self, cell: CellId) -> Option<Held> {
        let found = self.machine.objects.cells.get(cell.0 as usize)?;
        let object = self.machine.objects.objects.get(found.object.0 as usize)?;
        Some(Held {
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

    /// The cells that share a byte with these.
    pub fn cells_in(&self, origin: Origin, from: u64, bytes: u64) -> Vec<CellId> {
        let Some(object) = self.machine.objects.get(origin) else {
            return Vec::new();
        };
        let cells = &self.machine.objects.objects[object.0 as usize].cells;
        let overlap = cells.values().filter(|id| {
            let cell = &self.machine.objects.cells[id.0 as usize];
            cell.offset < from.saturating_add(bytes) && from < cell.offset + cell.bytes
        });
        overlap.copied().collect()
    }

    /// The pointer to the beginning of an object.
    pub fn address(&self, origin: Origin) -> Option<i128> {
        self.machine.objects.get(origin).map(Objects::address)
    }

    /// The pointer that a number is which is in no object: all are on one line.
    pub fn pointer_of_number(&self, number: u64) -> i128 {
        i128::from(number)
    }

    /// The object whose address, as a number, this symbol stands for.
    pub fn numbered(&self, function: Function) -> Option<Origin> {
        let mut numbers = self.machine.objects.numbers.iter();
        let (object, _) = numbers.find(|(_, number)| **number == function)?;
        Some(self.machine.objects.objects[object.0 as usize].origin)
    }
}

/// Under which condition on the state at a cut point, and on what is chosen from there on, its block leads to each
/// node. Cut points are told by their position among the nodes of the system.
pub fn reached(unfolded: &Unfolded, cut: usize, is_over: &dyn Fn() -> bool) -> Vec<Reached> {
    let mut machine = Stepwise::new(unfolded).machine;
    if cut >= unfolded.order.cuts.len() {
        return Vec::new();
    }
    let mut nodes: Vec<(Node, Term)> = Vec::new();
    let told = block_by_nodes(&mut machine, &unfolded.order, cut, is_over, &mut |node, condition| {
        nodes.push((node, condition));
    });
    if told.is_err() {
        return Vec::new();
    }
    let with_choices = |(node, condition): (Node, Term)| {
        let mentioned = functions_of(condition);
        let choices = mentioned.iter().filter_map(|function| machine.choices.get(function));
        let choices = choices
            .map(|choice| (choice.function, range(choice, machine.undefined)))
            .collect();
        Reached {
            node,
            condition,
            choices,
        }
    };
    nodes.into_iter().map(with_choices).collect()
}

/// A node of a block.
#[derive(Clone, Debug)]
pub struct Reached {
    pub node: Node,
    pub condition: Term,
    /// What is chosen, and in which range.
    pub choices: Vec<(Function, Term)>,
}
