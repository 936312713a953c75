//! Contracts: modular encoding of recursive procedures.
//!
//! The contract of a procedure `p` consists of a precondition `requires(in)` and a postcondition `ensures(old, out)`
//! over its parameters, its result, and the other cells that its calls read or write. The system by contracts begins
//! either at the start of the program or at the entry of an arbitrary call of `p`, in any state that satisfies
//! `requires`. A call of `p` is one step: it leads to [`Node::Broken`] unless `requires` holds of its arguments;
//! otherwise it havocs the cells that the call may write and assumes `ensures`.
//!
//! Contracts are read off an invariant: `requires` is the conjunction of its facts at the entry of `p`, and `ensures`
//! that of its facts at the exit. The invariant states that they hold at entry and exit; the property that
//! [`Node::Broken`] is unreachable states that every call establishes `requires`.
//!
//! Soundness. Let the facts be an inductive invariant of the system by contracts that excludes [`Node::Broken`] and all
//! violations. Then no run of the program violates a property, by induction on its length. Cut the run into frames: one
//! for the start procedure and one for each call of a procedure with a contract, each without the steps of nested such
//! calls. The frame of a call is a run of the system from the entry of `p`, in a state that satisfies `requires`: the
//! caller's frame is shorter and a run of the system, so it does not reach [`Node::Broken`]. A nested call that has
//! returned was a frame itself, and the invariant at its exit implies `ensures`, so the caller's step is a step of the
//! system. A violation would be the last step of some frame.
//!
//! Preconditions, checked beforehand: the cells of a procedure represent those of its innermost call only, so no
//! pointer may point at a variable of another call (no address of a local is taken); the procedures allocate nothing;
//! and the cells that a call reads or writes are known, since all its steps are in the system.

use crate::UnfoldError;
use crate::blocks::{Order, Transition, block};
use crate::contexts::{Context, ContextId, Contexts, Node};
use crate::frames::address_taken;
use crate::machine::{ChoiceKind, Machine};
use crate::numbers::stored_range;
use crate::objects::{CellId, ObjectOrigin};
use crate::system_of::Unfolded;
use analysis::points_to::{PointsTo, edge, sites};
use logic::substitute::functions_of;
use logic::{Function, Kind, Substitution, Term, term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Body, Library, ProcedureId, Program, Scalar, VariableId};
use system::transition::{Fact, Rule, TransitionSystem, Update};

/// The name of the property that every call establishes the precondition of its contract.
pub(crate) const BROKEN: &str = "contracts are kept";

/// The maximum number of cells of a contract.
const MAX_CELLS: usize = 80;

/// The contract of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    pub procedure: ProcedureId,
    /// Precondition.
    pub requires: Term,
    /// Postcondition, in which `old(x)` is the value of `x` on entry.
    pub ensures: Term,
}

/// Why a recursive procedure has no contract.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoContract {
    #[error("the address of `{variable}` in `{procedure}` is taken")]
    Address { procedure: String, variable: String },
    #[error("`{procedure}` allocates memory")]
    Allocates { procedure: String },
    #[error("`{procedure}` takes any number of arguments")]
    Variadic { procedure: String },
    #[error("`{procedure}` reads and writes more than {MAX_CELLS} variables")]
    TooLarge { procedure: String },
    #[error("what is said of `{procedure}` speaks of `{symbol}`, which is not given to it")]
    Elsewhere { procedure: String, symbol: String },
}

/// Facts about calls by contract that blocks depend on.
#[derive(Clone, Default)]
pub(crate) struct Contracts {
    footprints: BTreeMap<ProcedureId, Footprint>,
    /// The values of cells after a call, by its context.
    returned: BTreeMap<ContextId, Vec<(CellId, Term)>>,
}

/// The cells that a call of a procedure, including its callees, reads or writes, except its own.
#[derive(Clone, Default, PartialEq, Eq)]
struct Footprint {
    touched: BTreeSet<CellId>,
    written: BTreeSet<CellId>,
}

/// The nodes of a contract, and the cells that it may mention.
#[derive(Clone, Debug)]
pub struct Signature {
    pub procedure: ProcedureId,
    /// The index of its entry among the nodes.
    pub entry: usize,
    pub exit: usize,
    pub given: Vec<Function>,
    pub returned: Vec<Function>,
}

/// A call by contract.
#[derive(Clone, Debug)]
pub struct Called {
    /// The index of its node.
    pub at: usize,
    pub procedure: ProcedureId,
    /// The actual terms for the cells of the contract, before and after the call.
    pub given: BTreeMap<Function, Term>,
    pub returned: BTreeMap<Function, Term>,
}

/// The recursive procedures, if all of them can have contracts.
pub fn recursive(program: &Program, points_to: &PointsTo) -> Result<Vec<ProcedureId>, NoContract> {
    let called = calls(program, points_to);
    let reached = |from: ProcedureId| -> BTreeSet<ProcedureId> {
        let mut reached = BTreeSet::new();
        let mut pending = vec![from];
        while let Some(procedure) = pending.pop() {
            let callees = called.get(&procedure).into_iter().flatten();
            pending.extend(callees.copied().filter(|callee| reached.insert(*callee)));
        }
        reached
    };
    let live = reached(program.start);
    let mut inside = BTreeSet::new();
    let mut recursive = Vec::new();
    for procedure in live {
        let below = reached(procedure);
        if below.contains(&procedure) {
            recursive.push(procedure);
            inside.extend(below);
        }
    }
    check_representable(program, &inside)?;
    Ok(recursive)
}

/// The call graph.
fn calls(program: &Program, points_to: &PointsTo) -> BTreeMap<ProcedureId, BTreeSet<ProcedureId>> {
    let mut calls: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
    for site in sites(program) {
        let is_call = |edge: &system::program::Edge| matches!(edge.step, system::program::Step::Call { .. });
        if edge(program, site).is_some_and(is_call) {
            let callees = points_to.callees(program, site);
            calls.entry(site.procedure).or_default().extend(callees);
        }
    }
    calls
}

/// Checks that one set of cells per procedure can represent its innermost call.
fn check_representable(program: &Program, inside: &BTreeSet<ProcedureId>) -> Result<(), NoContract> {
    let name = |id: ProcedureId| program[id].name.clone();
    for id in inside {
        match &program[*id].body {
            Body::Library(Library::Allocate | Library::AllocateZero | Library::AllocateLocal | Library::Reallocate) => {
                return Err(NoContract::Allocates { procedure: name(*id) });
            }
            Body::Automaton(_) if program[*id].is_variadic => {
                return Err(NoContract::Variadic { procedure: name(*id) });
            }
            _ => {}
        }
    }
    for variable in address_taken(program) {
        let of = program[variable].procedure.filter(|of| inside.contains(of));
        if let Some(of) = of {
            return Err(NoContract::Address {
                procedure: name(of),
                variable: program[variable].name.clone(),
            });
        }
    }
    Ok(())
}

impl Contexts<'_> {
    /// Declares that these procedures are called by contract.
    pub(crate) fn give_contracts(&mut self, procedures: Vec<ProcedureId>) {
        for procedure in procedures {
            let id = ContextId(u32::try_from(self.contexts.len()).unwrap_or(u32::MAX));
            self.contexts.push(Context {
                procedure,
                caller: None,
                is_by_contract: false,
            });
            self.roots.insert(procedure, id);
        }
    }

    /// The procedure whose arbitrary call contains a context.
    pub(crate) fn root_of(&self, context: ContextId) -> Option<ProcedureId> {
        if self.roots.is_empty() {
            return None;
        }
        let outermost = self.chain(context).last()?;
        let procedure = self[outermost].procedure;
        (self.roots.get(&procedure) == Some(&outermost)).then_some(procedure)
    }

    /// The first location of the arbitrary call of a procedure.
    pub(crate) fn entry_of(&self, procedure: ProcedureId) -> Option<Node> {
        let automaton = self.program[procedure].body.automaton()?;
        Some(Node::At(*self.roots.get(&procedure)?, automaton.entry))
    }

    /// The exit of the arbitrary call of a procedure.
    pub(crate) fn exit_of(&self, procedure: ProcedureId) -> Option<Node> {
        let automaton = self.program[procedure].body.automaton()?;
        Some(Node::At(*self.roots.get(&procedure)?, automaton.exit))
    }

    /// The entries and exits of procedures with contracts.
    pub(crate) fn entries(&self) -> Vec<Node> {
        let ends = self.roots.keys().filter_map(|procedure| self.exit_of(*procedure));
        ends.chain(self.roots.keys().copied().map(Node::Entry)).collect()
    }

    /// Whether a node is a cut point regardless of loops.
    pub(crate) fn is_cut(&self, node: Node) -> bool {
        match node {
            Node::Entry(_) => true,
            Node::At(context, location) => {
                self[context].is_by_contract
                    || (self.is_exit(context, location) && self.roots.values().any(|root| *root == context))
            }
            Node::Violated(_) | Node::TooDeep | Node::Broken => false,
        }
    }

    /// Whether a node has one successor that is not reached by an edge.
    pub(crate) fn has_single_successor(&self, node: Node) -> bool {
        match node {
            Node::Entry(_) => true,
            Node::At(context, location) => self[context].is_by_contract || self.is_exit(context, location),
            Node::Violated(_) | Node::TooDeep | Node::Broken => false,
        }
    }

    /// All inlined calls of a procedure, except those in arbitrary calls.
    pub(crate) fn of_procedure(&self, procedure: Option<ProcedureId>) -> Vec<ContextId> {
        let all = (0..).map(ContextId).take(self.contexts.len());
        let is_of = |id: &ContextId| {
            Some(self[*id].procedure) == procedure && !self[*id].is_by_contract && self.root_of(*id).is_none()
        };
        all.filter(is_of).collect()
    }
}

impl Machine<'_, '_> {
    /// Computes all blocks, with contracts whose footprints are a fixed point.
    pub(crate) fn blocks(
        &mut self,
        order: &Order,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<Transition>>, UnfoldError> {
        self.compute_expired(order);
        loop {
            if let Some(hazards) = &mut self.hazards {
                hazards.clear();
            }
            let mut blocks = Vec::new();
            for cut in 0..order.cuts.len() {
                blocks.push(block(self, order, cut, is_cancelled)?);
            }
            let footprints = self.footprints(order, &blocks);
            if footprints == self.contracts.footprints {
                self.check_sizes()?;
                return Ok(blocks);
            }
            self.contracts.footprints = footprints;
        }
    }

    fn check_sizes(&mut self) -> Result<(), NoContract> {
        for procedure in self.contexts.roots.keys().copied().collect::<Vec<_>>() {
            if self.input_cells(procedure).len() > MAX_CELLS {
                let procedure = self.program[procedure].name.clone();
                return Err(NoContract::TooLarge { procedure });
            }
        }
        Ok(())
    }

    /// The cells that blocks read and write, added to the known footprints.
    fn footprints(&self, order: &Order, blocks: &[Vec<Transition>]) -> BTreeMap<ProcedureId, Footprint> {
        let cells = (0..).map(CellId).zip(&self.objects.cells);
        let cells: FxHashMap<Function, CellId> = cells.map(|(id, cell)| (cell.function, id)).collect();
        let mut footprints = self.contracts.footprints.clone();
        for procedure in self.contexts.roots.keys() {
            footprints.entry(*procedure).or_default();
        }
        for (node, block) in order.cuts.iter().zip(blocks) {
            let Some(procedure) = self.contract_procedure(*node) else {
                continue;
            };
            let mut found = Footprint::default();
            for transition in block {
                let read = functions_of(transition.condition).into_iter();
                found.touched.extend(read.filter_map(|function| cells.get(&function)));
                for (cell, value) in &transition.state {
                    if *value != self.objects[*cell].function.apply([]) {
                        found.written.insert(*cell);
                        let read = functions_of(*value).into_iter();
                        found.touched.extend(read.filter_map(|function| cells.get(&function)));
                    }
                }
            }
            if let Node::At(context, _) = node
                && self.contexts[*context].is_by_contract
                && let Some(callee) = self.contracts.footprints.get(&self.contexts[*context].procedure)
            {
                found.touched.extend(&callee.touched);
                found.written.extend(&callee.written);
            }
            found.touched.extend(&found.written);
            let known = footprints.entry(procedure).or_default();
            known
                .touched
                .extend(found.touched.iter().filter(|cell| !self.is_own(**cell, procedure)));
            known
                .written
                .extend(found.written.iter().filter(|cell| !self.is_own(**cell, procedure)));
        }
        footprints
    }

    /// The procedure with a contract that contains a node.
    fn contract_procedure(&self, node: Node) -> Option<ProcedureId> {
        match node {
            Node::Entry(procedure) => Some(procedure),
            Node::At(context, _) => self.contexts.root_of(context),
            Node::Violated(_) | Node::TooDeep | Node::Broken => None,
        }
    }

    /// Whether a cell is local to each call of a procedure with a contract.
    pub(crate) fn is_own(&self, cell: CellId, procedure: ProcedureId) -> bool {
        let object = self.objects[cell].object;
        match self.objects[object].origin {
            ObjectOrigin::Variable(context, _) => {
                context.and_then(|context| self.contexts.root_of(context)) == Some(procedure)
            }
            ObjectOrigin::Allocated(context, ..) => self.contexts.root_of(context) == Some(procedure),
            ObjectOrigin::Procedure(of) => of == procedure,
        }
    }

    /// The cells of variables in a context, in an order that is the same for all contexts of a procedure.
    pub(crate) fn cells_of(&mut self, context: ContextId, variables: &[VariableId]) -> Vec<CellId> {
        let mut cells = Vec::new();
        for variable in variables {
            let object = self.variable_in(context, *variable);
            cells.extend(self.objects[object].cells.values());
        }
        cells
    }

    /// The input cells of a call: its parameters and its footprint.
    fn input_cells(&mut self, procedure: ProcedureId) -> Vec<CellId> {
        let Some(root) = self.contexts.roots.get(&procedure).copied() else {
            return Vec::new();
        };
        let mut cells = self.cells_of(root, &self.program[procedure].parameters);
        if let Some(footprint) = self.contracts.footprints.get(&procedure) {
            cells.extend(&footprint.touched);
        }
        cells
    }

    /// The output cells of a call: its result and the cells that it may write.
    fn output_cells(&mut self, procedure: ProcedureId, context: ContextId) -> Vec<CellId> {
        let result: Vec<VariableId> = self.program[procedure].result.into_iter().collect();
        let mut cells = self.cells_of(context, &result);
        if let Some(footprint) = self.contracts.footprints.get(&procedure) {
            cells.extend(&footprint.written);
        }
        cells
    }

    /// Leaves a node that has a single successor without an edge: returns that node and a condition. None where a run
    /// ends.
    pub(crate) fn step_through(&mut self, node: Node) -> Option<(Node, Term)> {
        match node {
            Node::Entry(procedure) => {
                self.enter_arbitrary_call(procedure);
                Some((self.contexts.entry_of(procedure)?, term::bool(true)))
            }
            Node::At(context, _) => {
                let is_by_contract = self.contexts[context].is_by_contract;
                let promised = if is_by_contract {
                    self.havoc_outputs(context)
                } else {
                    Vec::new()
                };
                let to = self.return_from_call(context)?;
                let required = std::mem::take(&mut self.requirements);
                Some((to, term::and(promised.into_iter().chain(required))))
            }
            Node::Violated(_) | Node::TooDeep | Node::Broken => None,
        }
    }

    /// Enters an arbitrary call: saves its input cells as `old` and leaves its locals uninitialized.
    fn enter_arbitrary_call(&mut self, procedure: ProcedureId) {
        let Some(root) = self.contexts.roots.get(&procedure).copied() else {
            return;
        };
        for cell in self.input_cells(procedure) {
            let before = self.objects.before(self.program, procedure, cell);
            let held = self.held(cell);
            self.state.insert(before, held);
        }
        let is_other = |id: &VariableId| {
            self.program[*id].procedure == Some(procedure) && !self.program[procedure].parameters.contains(id)
        };
        let variables = (0..).map(VariableId).take(self.program.variables.len());
        for variable in variables.filter(is_other).collect::<Vec<_>>() {
            let object = self.variable_in(root, variable);
            self.make_uninitialized(object);
        }
    }

    /// Returns from a call by contract: havocs the cells that it may have written.
    fn havoc_outputs(&mut self, context: ContextId) -> Vec<Term> {
        let procedure = self.contexts[context].procedure;
        let (mut required, mut returned) = (Vec::new(), Vec::new());
        for cell in self.output_cells(procedure, context) {
            // The range of stored values: it is larger than that of inputs.
            let value = self.choose(None, ChoiceKind::Approximation);
            if let Scalar::Integer(integer) = self.objects[cell].scalar {
                required.push(stored_range(value, integer, self.undefined));
            }
            self.set(cell, value);
            returned.push((cell, value));
        }
        self.contracts.returned.insert(context, returned);
        required
    }

    /// Whether a call of a procedure may write a cell that is not its own.
    pub(crate) fn may_write(&self, procedure: ProcedureId, cell: CellId) -> bool {
        let footprint = self.contracts.footprints.get(&procedure);
        footprint.is_some_and(|footprint| footprint.written.contains(&cell))
    }

    fn function(&self, cell: CellId) -> Function {
        self.objects[cell].function
    }

    /// The cells that a contract may mention in its precondition and in its postcondition.
    fn contract_cells(&mut self, procedure: ProcedureId) -> [Vec<CellId>; 2] {
        let given = self.input_cells(procedure);
        let mut returned: Vec<CellId> = Vec::new();
        for cell in &given {
            returned.push(self.objects.before(self.program, procedure, *cell));
        }
        if let Some(root) = self.contexts.roots.get(&procedure).copied() {
            returned.extend(self.output_cells(procedure, root));
        }
        [given, returned]
    }

    /// The actual terms for the cells of a contract in a call.
    fn bind_contract(&mut self, context: ContextId) -> [BTreeMap<Function, Term>; 2] {
        let procedure = self.contexts[context].procedure;
        let [given, returned] = self.contract_cells(procedure);
        let mut passed = self.cells_of(context, &self.program[procedure].parameters);
        passed.extend(given.iter().skip(passed.len()).copied().collect::<Vec<_>>());
        let passed: Vec<Term> = passed.iter().map(|cell| self.function(*cell).apply([])).collect();
        let after = self.contracts.returned.get(&context).cloned().unwrap_or_default();
        let after = passed.iter().copied().chain(after.into_iter().map(|(_, value)| value));
        let functions = |cells: &[CellId]| -> Vec<Function> { cells.iter().map(|cell| self.function(*cell)).collect() };
        let (given, returned) = (functions(&given), functions(&returned));
        [
            given.into_iter().zip(passed.iter().copied()).collect(),
            returned.into_iter().zip(after).collect(),
        ]
    }

    fn contract_calls(&self) -> Vec<ContextId> {
        let all = (0..).map(ContextId).take(self.contexts.contexts.len());
        all.filter(|id| self.contexts[*id].is_by_contract).collect()
    }

    /// The signatures and the calls by contract, with positions among these nodes.
    pub(crate) fn signatures_and_calls(&mut self, nodes: &[Node]) -> (Vec<Signature>, Vec<Called>) {
        let number = |node: Option<Node>| nodes.iter().position(|known| Some(*known) == node);
        let mut signatures = Vec::new();
        for procedure in self.contexts.roots.keys().copied().collect::<Vec<_>>() {
            let [given, returned] = self.contract_cells(procedure);
            let functions = |cells: Vec<CellId>| cells.into_iter().map(|cell| self.function(cell)).collect();
            let (given, returned) = (functions(given), functions(returned));
            let (entry, exit) = (Some(Node::Entry(procedure)), self.contexts.exit_of(procedure));
            if let (Some(entry), Some(exit)) = (number(entry), number(exit)) {
                signatures.push(Signature {
                    procedure,
                    entry,
                    exit,
                    given,
                    returned,
                });
            }
        }
        let mut calls = Vec::new();
        for context in self.contract_calls() {
            let procedure = self.contexts[context].procedure;
            let entry = self.program[procedure]
                .body
                .automaton()
                .map(|automaton| automaton.entry);
            if let Some(at) = number(entry.map(|entry| Node::At(context, entry))) {
                let [given, returned] = self.bind_contract(context);
                calls.push(Called {
                    at,
                    procedure,
                    given,
                    returned,
                });
            }
        }
        (signatures, calls)
    }
}

/// The functions that contracts may mention, and those in the actual terms of calls.
pub(crate) fn contract_functions(signatures: &[Signature], calls: &[Called]) -> Vec<Function> {
    let mut functions: BTreeSet<Function> = BTreeSet::new();
    for signature in signatures {
        functions.extend(signature.given.iter().chain(&signature.returned));
    }
    for call in calls {
        let terms = call.given.values().chain(call.returned.values());
        functions.extend(terms.flat_map(|term| functions_of(*term)));
    }
    functions.into_iter().collect()
}

impl Unfolded<'_> {
    /// Reads the contracts off the facts of an invariant.
    pub fn contracts(&self, facts: &[Fact]) -> Result<Vec<Contract>, NoContract> {
        let rigid: BTreeSet<Function> = self.system.rigid.iter().map(|symbol| symbol.function).collect();
        let mut contracts = Vec::new();
        for signature in &self.signatures {
            let said = |node: usize, about: &[Function]| {
                let said = term::and(facts.iter().filter_map(|fact| self.formula_at(node, fact.formula)));
                let known = |function: &Function| about.contains(function) || rigid.contains(function);
                match functions_of(said).into_iter().find(|function| !known(function)) {
                    None => Ok(said),
                    Some(symbol) => Err(NoContract::Elsewhere {
                        procedure: self.program[signature.procedure].name.clone(),
                        symbol: symbol.name().to_string(),
                    }),
                }
            };
            contracts.push(Contract {
                procedure: signature.procedure,
                requires: said(signature.entry, &signature.given)?,
                ensures: said(signature.exit, &signature.returned)?,
            });
        }
        Ok(contracts)
    }

    /// The formula that a fact states at a node.
    fn formula_at(&self, node: usize, fact: Term) -> Option<Term> {
        let here = self.at(*self.nodes.get(node)?)?;
        match fact.kind() {
            Kind::Implies(premise, formula) if *premise == here => Some(*formula),
            Kind::Not(inner) if *inner == here => Some(term::bool(false)),
            _ => None,
        }
    }

    /// The system in which these contracts are assumed at calls and checked at entries.
    pub fn with_contracts(&self, mut system: TransitionSystem, contracts: &[Contract]) -> TransitionSystem {
        let Some(broken) = self.update_to(Node::Broken) else {
            return system;
        };
        let of = |procedure: ProcedureId| contracts.iter().find(|contract| contract.procedure == procedure);
        for call in &self.calls {
            let (Some(here), Some(contract)) = (self.at(self.nodes[call.at]), of(call.procedure)) else {
                continue;
            };
            let ensures = substitute(&call.returned, contract.ensures);
            let is_from = |rule: &&mut Rule| self.is_from(rule, here);
            for rule in system.rules.iter_mut().filter(is_from) {
                rule.guard = term::and([rule.guard, ensures]);
                let chosen = call.returned.values().flat_map(|value| functions_of(*value));
                let is_known = |function: &Function| system.state.iter().any(|symbol| symbol.function == *function);
                let chosen: BTreeSet<Function> = chosen.filter(|function| !is_known(function)).collect();
                let mentioned = functions_of(ensures);
                let mut choices: BTreeSet<Function> = rule.choices.iter().copied().collect();
                choices.extend(chosen.intersection(&mentioned));
                rule.choices = choices.into_iter().collect();
            }
            system.rules.push(Rule {
                name: format!("{} breaks a contract", call.at),
                guard: term::and([here, term::not(substitute(&call.given, contract.requires))]),
                updates: vec![broken.clone()],
                ..Rule::identity()
            });
        }
        for signature in &self.signatures {
            let entry = self.update_to(self.nodes[signature.entry]);
            if let (Some(begun), Some(contract)) = (entry, of(signature.procedure)) {
                system.starts.push(Rule {
                    name: format!("any call of {}", self.program[signature.procedure].name),
                    updates: vec![begun],
                    constraint: contract.requires,
                    ..Rule::identity()
                });
            }
        }
        system
    }

    /// The update that sets the program counter to a node.
    fn update_to(&self, node: Node) -> Option<Update> {
        let here = self.at(node)?;
        let Kind::Equal(a, b) = here.kind() else { return None };
        let is_control = |side: &Term| *side == self.control.apply([]);
        let value = [*a, *b].into_iter().find(|side| !is_control(side))?;
        Some(Update {
            function: self.control,
            parameters: Vec::new(),
            value,
        })
    }

    fn is_from(&self, rule: &Rule, here: Term) -> bool {
        match rule.guard.kind() {
            Kind::And(parts) => parts.contains(&here),
            _ => rule.guard == here,
        }
    }
}

/// Replaces cells by terms in a formula.
fn substitute(terms: &BTreeMap<Function, Term>, formula: Term) -> Term {
    Substitution::of_constants(terms.iter().map(|(function, term)| (*function, *term))).apply(formula)
}
