//! Contracts: procedures that call themselves, without unfolding them.
//!
//! The contract of a procedure `p` is what holds whenever a call of it begins, `requires(in)`, and what holds whenever
//! one returns, `ensures(old, out)`: over its parameters, its result, and the cells beyond its own that its calls read
//! or write. The system of a program by contracts begins where the program does or, by choice, at the beginning of any
//! call of `p`, with all values that `requires` allows. A call of `p` is one step: it leads to [`Node::Broken`] unless
//! `requires` holds of what is given, and else the cells that a call may write hold anything that `ensures` allows.
//!
//! No formula is of a kind of its own: `requires` is what the facts of an invariant say at the beginning of `p`, and
//! `ensures` what they say at its exit. That they hold there whenever a call begins or returns is what the invariant
//! says; that a call begins with nothing else is the property that [`Node::Broken`] is not reached.
//!
//! Why this is sound. Let the facts be an invariant of the system by contracts which excludes [`Node::Broken`] and all
//! violations. Then no run of the program violates a property, by induction on its length: cut it into frames, one for
//! the first procedure and one for each call of a procedure with a contract, each without the steps of such calls
//! inside of it. The frame of a call is a run of the system from the beginning of `p`, where `requires` allows its
//! values: the caller's frame, which is shorter, is a run of the system, so it does not come to [`Node::Broken`]. A
//! call inside of a frame that has returned was itself a frame, and its invariant says at its exit that `ensures`
//! holds, so the step of the caller is one of the system. A violation would be the last step of some frame.
//!
//! What this rests on, and is looked at before: the cells of a procedure stand for those of its innermost call only, so
//! nobody may point at those of another one (the address of none of its variables is taken); nothing is allocated; and
//! what a call reads or writes beyond its own cells is known, since all its steps are in the system.

use crate::Refusal;
use crate::blocks::{Order, Transition, block};
use crate::contexts::{Context, ContextId, Contexts, Node};
use crate::frames::exposed;
use crate::machine::{Chosen, Machine};
use crate::numbers::kept;
use crate::objects::{CellId, Origin};
use crate::system_of::Unfolded;
use analysis::points_to::{PointsTo, edge, sites};
use logic::substitute::functions_of;
use logic::{Function, Kind, Substitution, Term, term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Body, Library, ProcedureId, Program, Scalar, VariableId};
use system::transition::{Fact, Rule, TransitionSystem, Update};

/// The name of the property that no procedure is called where its contract does not allow it.
pub(crate) const BROKEN: &str = "contracts are kept";

/// Contracts over more cells are not looked for.
const MOST_CELLS: usize = 80;

/// What is promised of every call of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    pub procedure: ProcedureId,
    /// Holds when a call begins.
    pub requires: Term,
    /// Holds when it returns; what was given is called `old(x)`.
    pub ensures: Term,
}

/// Why a procedure that calls itself has no contract.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoContract {
    #[error("the address of `{variable}` in `{procedure}` is taken")]
    Address { procedure: String, variable: String },
    #[error("`{procedure}` allocates memory")]
    Allocates { procedure: String },
    #[error("`{procedure}` takes any number of arguments")]
    Variadic { procedure: String },
    #[error("`{procedure}` reads and writes more than {MOST_CELLS} variables")]
    TooLarge { procedure: String },
    #[error("what is said of `{procedure}` speaks of `{symbol}`, which is not given to it")]
    Elsewhere { procedure: String, symbol: String },
}

/// What contracts are about, as far as blocks know.
#[derive(Clone, Default)]
pub(crate) struct Contracts {
    footprints: BTreeMap<ProcedureId, Footprint>,
    /// What cells hold after a call, by its context.
    returned: BTreeMap<ContextId, Vec<(CellId, Term)>>,
}

/// Cells beyond its own that a call of a procedure reads or writes, its own calls included.
#[derive(Clone, Default, PartialEq, Eq)]
struct Footprint {
    touched: BTreeSet<CellId>,
    written: BTreeSet<CellId>,
}

/// Where the contract of a procedure is, and the cells that it may speak of.
#[derive(Clone, Debug)]
pub struct Signature {
    pub procedure: ProcedureId,
    /// The position of its beginning among the nodes.
    pub entry: usize,
    pub exit: usize,
    pub given: Vec<Function>,
    pub returned: Vec<Function>,
}

/// A call by contract.
#[derive(Clone, Debug)]
pub struct Called {
    /// The position of the node.
    pub at: usize,
    pub procedure: ProcedureId,
    /// What the cells of the contract stand for, when the call begins and when it has returned.
    pub given: BTreeMap<Function, Term>,
    pub returned: BTreeMap<Function, Term>,
}

/// The procedures that may call themselves, where all of them can have contracts.
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
    suited(program, &inside)?;
    Ok(recursive)
}

/// Which procedure may call which.
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

/// Whether the cells of these procedures can stand for those of their innermost calls.
fn suited(program: &Program, inside: &BTreeSet<ProcedureId>) -> Result<(), NoContract> {
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
    for variable in exposed(program) {
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
    /// These procedures are called by contract.
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

    /// The procedure with a contract whose call a context is in.
    pub(crate) fn root_of(&self, context: ContextId) -> Option<ProcedureId> {
        if self.roots.is_empty() {
            return None;
        }
        let outermost = self.chain(context).last()?;
        let procedure = self.get(outermost).procedure;
        (self.roots.get(&procedure) == Some(&outermost)).then_some(procedure)
    }

    /// Where the steps of any call of a procedure begin.
    pub(crate) fn beginning(&self, procedure: ProcedureId) -> Option<Node> {
        let automaton = self.program[procedure].body.automaton()?;
        Some(Node::At(*self.roots.get(&procedure)?, automaton.entry))
    }

    /// Where any call of a procedure returns.
    pub(crate) fn end(&self, procedure: ProcedureId) -> Option<Node> {
        let automaton = self.program[procedure].body.automaton()?;
        Some(Node::At(*self.roots.get(&procedure)?, automaton.exit))
    }

    /// Where calls of procedures with contracts begin and return.
    pub(crate) fn entries(&self) -> Vec<Node> {
        let ends = self.roots.keys().filter_map(|procedure| self.end(*procedure));
        ends.chain(self.roots.keys().copied().map(Node::Entry)).collect()
    }

    /// Whether it is a cut point, also where it is not the head of a loop.
    pub(crate) fn is_cut(&self, node: Node) -> bool {
        match node {
            Node::Entry(_) => true,
            Node::At(context, location) => {
                self.get(context).is_by_contract
                    || (self.is_exit(context, location) && self.roots.values().any(|root| *root == context))
            }
            Node::Violated(_) | Node::TooDeep | Node::Broken => false,
        }
    }

    /// Whether there is one way on, which is no edge.
    pub(crate) fn is_passed(&self, node: Node) -> bool {
        match node {
            Node::Entry(_) => true,
            Node::At(context, location) => self.get(context).is_by_contract || self.is_exit(context, location),
            Node::Violated(_) | Node::TooDeep | Node::Broken => false,
        }
    }

    /// All calls of a procedure that are inlined, except in calls that stand for any.
    pub(crate) fn of_procedure(&self, procedure: Option<ProcedureId>) -> Vec<ContextId> {
        let all = (0..).map(ContextId).take(self.contexts.len());
        let is_of = |id: &ContextId| {
            Some(self.get(*id).procedure) == procedure && !self.get(*id).is_by_contract && self.root_of(*id).is_none()
        };
        all.filter(is_of).collect()
    }
}

impl Machine<'_, '_> {
    /// All blocks, with contracts that speak of all that calls read and write.
    pub(crate) fn blocks(
        &mut self,
        order: &Order,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<Transition>>, Refusal> {
        self.look_for_gone(order);
        loop {
            if let Some(hazards) = &mut self.hazards {
                hazards.clear();
            }
            let mut blocks = Vec::new();
            for cut in 0..order.cuts.len() {
                blocks.push(block(self, order, cut, is_over)?);
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
            if self.handed(procedure).len() > MOST_CELLS {
                let procedure = self.program[procedure].name.clone();
                return Err(NoContract::TooLarge { procedure });
            }
        }
        Ok(())
    }

    /// What blocks read and write, beside what is known already.
    fn footprints(&self, order: &Order, blocks: &[Vec<Transition>]) -> BTreeMap<ProcedureId, Footprint> {
        let cells = (0..).map(CellId).zip(&self.objects.cells);
        let cells: FxHashMap<Function, CellId> = cells.map(|(id, cell)| (cell.function, id)).collect();
        let mut footprints = self.contracts.footprints.clone();
        for procedure in self.contexts.roots.keys() {
            footprints.entry(*procedure).or_default();
        }
        for (node, block) in order.cuts.iter().zip(blocks) {
            let Some(procedure) = self.inside(*node) else { continue };
            let mut found = Footprint::default();
            for transition in block {
                let read = functions_of(transition.condition).into_iter();
                found.touched.extend(read.filter_map(|function| cells.get(&function)));
                for (cell, value) in &transition.state {
                    if *value != self.objects.cells[cell.0 as usize].function.apply([]) {
                        found.written.insert(*cell);
                        let read = functions_of(*value).into_iter();
                        found.touched.extend(read.filter_map(|function| cells.get(&function)));
                    }
                }
            }
            if let Node::At(context, _) = node
                && self.contexts.get(*context).is_by_contract
                && let Some(callee) = self.contracts.footprints.get(&self.contexts.get(*context).procedure)
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

    /// The procedure with a contract that a node is inside of.
    fn inside(&self, node: Node) -> Option<ProcedureId> {
        match node {
            Node::Entry(procedure) => Some(procedure),
            Node::At(context, _) => self.contexts.root_of(context),
            Node::Violated(_) | Node::TooDeep | Node::Broken => None,
        }
    }

    /// Whether each call of a procedure with a contract has a cell of its own.
    pub(crate) fn is_own(&self, cell: CellId, procedure: ProcedureId) -> bool {
        let object = self.objects.cells[cell.0 as usize].object;
        match self.objects.objects[object.0 as usize].origin {
            Origin::Variable(context, _) => {
                context.and_then(|context| self.contexts.root_of(context)) == Some(procedure)
            }
            Origin::Allocated(context, ..) => self.contexts.root_of(context) == Some(procedure),
            Origin::Procedure(of) => of == procedure,
        }
    }

    /// The cells of variables of a context, in an order that is the same for all contexts of a procedure.
    pub(crate) fn cells_of(&mut self, context: ContextId, variables: &[VariableId]) -> Vec<CellId> {
        let mut cells = Vec::new();
        for variable in variables {
            let object = self.variable_in(context, *variable);
            cells.extend(self.objects.objects[object.0 as usize].cells.values());
        }
        cells
    }

    /// The cells that a call is given: its parameters, and what it reads or writes beyond its own.
    fn handed(&mut self, procedure: ProcedureId) -> Vec<CellId> {
        let Some(root) = self.contexts.roots.get(&procedure).copied() else {
            return Vec::new();
        };
        let mut cells = self.cells_of(root, &self.program[procedure].parameters);
        if let Some(footprint) = self.contracts.footprints.get(&procedure) {
            cells.extend(&footprint.touched);
        }
        cells
    }

    /// The cells that a call in this context leaves behind: its result, and what it writes beyond its own.
    fn left(&mut self, procedure: ProcedureId, context: ContextId) -> Vec<CellId> {
        let result: Vec<VariableId> = self.program[procedure].result.into_iter().collect();
        let mut cells = self.cells_of(context, &result);
        if let Some(footprint) = self.contracts.footprints.get(&procedure) {
            cells.extend(&footprint.written);
        }
        cells
    }

    /// Goes on from where there is one way, which is no edge: to where, and what is required. None where a run ends.
    pub(crate) fn pass(&mut self, node: Node) -> Option<(Node, Term)> {
        match node {
            Node::Entry(procedure) => {
                self.begin(procedure);
                Some((self.contexts.beginning(procedure)?, term::bool(true)))
            }
            Node::At(context, _) => {
                let is_by_contract = self.contexts.get(context).is_by_contract;
                let promised = if is_by_contract {
                    self.returns(context)
                } else {
                    Vec::new()
                };
                let to = self.give_back(context)?;
                let required = std::mem::take(&mut self.requirements);
                Some((to, term::and(promised.into_iter().chain(required))))
            }
            Node::Violated(_) | Node::TooDeep | Node::Broken => None,
        }
    }

    /// Any call begins: what it was given is remembered, and its other variables hold nothing.
    fn begin(&mut self, procedure: ProcedureId) {
        let Some(root) = self.contexts.roots.get(&procedure).copied() else {
            return;
        };
        for cell in self.handed(procedure) {
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
            self.forget_uninitialised(object);
        }
    }

    /// A call has returned: what it may have written holds anything of its type.
    fn returns(&mut self, context: ContextId) -> Vec<Term> {
        let procedure = self.contexts.get(context).procedure;
        let (mut required, mut returned) = (Vec::new(), Vec::new());
        for cell in self.left(procedure, context) {
            // Not what an input may be: values that are kept may be others.
            let value = self.choose(None, Chosen::Approximation);
            if let Scalar::Integer(integer) = self.objects.cells[cell.0 as usize].scalar {
                required.push(kept(value, integer, self.undefined));
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
        self.objects.cells[cell.0 as usize].function
    }

    /// The cells that the contract of a procedure may speak of when a call begins, and when it returns.
    fn spoken(&mut self, procedure: ProcedureId) -> [Vec<CellId>; 2] {
        let given = self.handed(procedure);
        let mut returned: Vec<CellId> = Vec::new();
        for cell in &given {
            returned.push(self.objects.before(self.program, procedure, *cell));
        }
        if let Some(root) = self.contexts.roots.get(&procedure).copied() {
            returned.extend(self.left(procedure, root));
        }
        [given, returned]
    }

    /// What the cells of a contract stand for in a call.
    fn meant(&mut self, context: ContextId) -> [BTreeMap<Function, Term>; 2] {
        let procedure = self.contexts.get(context).procedure;
        let [given, returned] = self.spoken(procedure);
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

    fn by_contract(&self) -> Vec<ContextId> {
        let all = (0..).map(ContextId).take(self.contexts.contexts.len());
        all.filter(|id| self.contexts.get(*id).is_by_contract).collect()
    }

    /// Signatures and calls of a program with these nodes.
    pub(crate) fn agreed(&mut self, nodes: &[Node]) -> (Vec<Signature>, Vec<Called>) {
        let number = |node: Option<Node>| nodes.iter().position(|known| Some(*known) == node);
        let mut signatures = Vec::new();
        for procedure in self.contexts.roots.keys().copied().collect::<Vec<_>>() {
            let [given, returned] = self.spoken(procedure);
            let functions = |cells: Vec<CellId>| cells.into_iter().map(|cell| self.function(cell)).collect();
            let (given, returned) = (functions(given), functions(returned));
            let (entry, exit) = (Some(Node::Entry(procedure)), self.contexts.end(procedure));
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
        for context in self.by_contract() {
            let procedure = self.contexts.get(context).procedure;
            let entry = self.program[procedure]
                .body
                .automaton()
                .map(|automaton| automaton.entry);
            if let Some(at) = number(entry.map(|entry| Node::At(context, entry))) {
                let [given, returned] = self.meant(context);
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

/// The functions that contracts speak of, and those that stand for these in calls.
pub(crate) fn spoken_of(signatures: &[Signature], calls: &[Called]) -> Vec<Function> {
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
    /// The contracts that the facts of an invariant are.
    pub fn contracts(&self, facts: &[Fact]) -> Result<Vec<Contract>, NoContract> {
        let rigid: BTreeSet<Function> = self.system.rigid.iter().map(|symbol| symbol.function).collect();
        let mut contracts = Vec::new();
        for signature in &self.signatures {
            let said = |node: usize, about: &[Function]| {
                let said = term::and(facts.iter().filter_map(|fact| self.said_at(node, fact.formula)));
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

    /// What a fact says at a node.
    fn said_at(&self, node: usize, fact: Term) -> Option<Term> {
        let here = self.at(*self.nodes.get(node)?)?;
        match fact.kind() {
            Kind::Implies(premise, formula) if *premise == here => Some(*formula),
            Kind::Not(inner) if *inner == here => Some(term::bool(false)),
            _ => None,
        }
    }

    /// A system of the program in which procedures are called by these contracts.
    pub fn with_contracts(&self, mut system: TransitionSystem, contracts: &[Contract]) -> TransitionSystem {
        let Some(broken) = self.at_end(Node::Broken) else {
            return system;
        };
        let of = |procedure: ProcedureId| contracts.iter().find(|contract| contract.procedure == procedure);
        for call in &self.calls {
            let (Some(here), Some(contract)) = (self.at(self.nodes[call.at]), of(call.procedure)) else {
                continue;
            };
            let ensures = put(&call.returned, contract.ensures);
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
                guard: term::and([here, term::not(put(&call.given, contract.requires))]),
                updates: vec![broken.clone()],
                ..Rule::identity()
            });
        }
        for signature in &self.signatures {
            let entry = self.at_end(self.nodes[signature.entry]);
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

    /// The control is set to a node.
    fn at_end(&self, node: Node) -> Option<Update> {
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

/// What a formula says with other terms in the place of cells.
fn put(terms: &BTreeMap<Function, Term>, formula: Term) -> Term {
    Substitution::of_constants(terms.iter().map(|(function, term)| (*function, *term))).apply(formula)
}
