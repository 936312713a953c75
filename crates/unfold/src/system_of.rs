//! The transition system of a program.

use crate::allocated::{Allocated, allocated};
use crate::blocks::{Order, Transition, order};
use crate::contexts::{Context, ContextId, Contexts, Node};
use crate::contracts::{BROKEN, Called, Contracts, Signature, contract_functions, recursive};
use crate::hazards::{Hazard, Hazards};
use crate::machine::{Choice, Machine, State, range};
use crate::numbers::stored_range;
use crate::objects::{CellId, ObjectId, ObjectOrigin, Objects};
use crate::{Options, UnfoldError};
use analysis::points_to::{PointsTo, Site, sites};
use logic::substitute::functions_of;
use logic::{Function, Kind, Name, Sort, Term, term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use system::Span;
use system::program::{Initial, Integer, LocationId, ProcedureId, Program, PropertyId, Scalar, VariableId};
use system::transition::{Fact, Property, Rule, Symbol, TransitionSystem, Update};

/// A program as a transition system, with the mapping back to the program.
pub struct Unfolded<'p> {
    pub system: TransitionSystem,
    /// The program counter: a cut point, or the property that is violated.
    pub control: Function,
    /// Indexed by the position in the sort of `control`.
    pub nodes: Vec<Node>,
    /// Whether products or quotients of two unknowns occur.
    pub has_products: bool,
    /// The number of locations once all calls are inlined.
    pub locations: usize,
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) options: Options,
    pub(crate) contexts: Contexts<'p>,
    pub(crate) objects: Objects,
    pub(crate) order: Order,
    pub(crate) contracts: Contracts,
    /// The signatures of the procedures that have contracts.
    pub signatures: Vec<Signature>,
    pub calls: Vec<Called>,
    pub(crate) allocated: BTreeMap<Site, Allocated>,
    /// The initial values of the cells of global variables, including cells that the system drops.
    pub(crate) initial: Vec<(CellId, Term)>,
    /// Steps with undefined behaviour in some states.
    pub hazards: Vec<Hazard>,
    /// The rules with all their updates, including updates of cells that the system drops.
    rules: Vec<Rule>,
    choices: FxHashMap<Function, Choice>,
}

/// The name of the property that no call is deeper than the inlining depth.
pub(crate) const DEPTH: &str = "no deeper recursion";

impl Unfolded<'_> {
    /// Splits a fact `location = l -> formula` into the node and the formula.
    pub fn located(&self, fact: Term) -> Option<(Node, Term)> {
        let Kind::Implies(premise, formula) = fact.kind() else {
            return None;
        };
        let Kind::Equal(a, b) = premise.kind() else { return None };
        [a, b].into_iter().find_map(|side| match side.kind() {
            Kind::Enumerator(_, position) => Some((*self.nodes.get(*position as usize)?, *formula)),
            _ => None,
        })
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn program(&self) -> &Program {
        self.program
    }

    /// The source location of a node, and the names of the procedures on its call chain.
    pub fn place(&self, node: Node) -> Option<(Span, Vec<String>)> {
        let Node::At(context, location) = node else { return None };
        if self.contexts[context].is_by_contract {
            return None;
        }
        let procedure = &self.program[self.contexts[context].procedure];
        let span = procedure.body.automaton()?.locations.get(location.index())?.span;
        let chain = self.contexts.chain(context).filter(|id| *id != ContextId(0));
        let mut calls: Vec<String> = chain
            .map(|id| self.program[self.contexts[id].procedure].name.clone())
            .collect();
        calls.reverse();
        Some((span, calls))
    }

    /// The innermost active call of the procedure in a context; otherwise its only call in the program.
    pub fn innermost(&self, context: ContextId, procedure: ProcedureId) -> Option<ContextId> {
        let is_of = |id: &ContextId| self.contexts[*id].procedure == procedure;
        let mut all = self.contexts().filter(is_of);
        let only = all.next().filter(|_| all.next().is_none());
        self.contexts.chain(context).find(is_of).or(only)
    }

    /// The call chain of a context, innermost first, starting with the context itself.
    pub fn around(&self, context: ContextId) -> Vec<ContextId> {
        self.contexts.chain(context).collect()
    }

    pub fn context(&self, id: ContextId) -> &Context {
        &self.contexts[id]
    }

    pub fn contexts(&self) -> impl Iterator<Item = ContextId> {
        (0..).map(ContextId).take(self.contexts.contexts.len())
    }

    /// Whether a context lies inside of the arbitrary call that a contract is checked on.
    pub fn is_any_call(&self, context: ContextId) -> bool {
        self.contexts.root_of(context).is_some()
    }

    /// The context of the call that this edge makes, if it is inlined.
    pub fn called(&self, caller: ContextId, way: crate::frames::Way) -> Option<ContextId> {
        let callee = way.callee?;
        self.contexts.known_child(caller, way.location, way.edge, callee)
    }

    /// The context of the call of `callee` that an edge makes, if it is inlined.
    pub fn child(
        &self,
        caller: ContextId,
        location: LocationId,
        edge: usize,
        callee: ProcedureId,
    ) -> Option<ContextId> {
        self.contexts.known_child(caller, location, edge, callee)
    }

    /// Such as `main.5/submit.3`: the locations of the calls on the chain, then the location itself.
    pub fn name(&self, node: Node) -> String {
        self.contexts.name(node)
    }

    /// The formula that the program counter is at a node.
    pub fn at(&self, node: Node) -> Option<Term> {
        let number = self.nodes.iter().position(|known| *known == node)?;
        match self.control.result() {
            Sort::Enum(sort) => Some(term::equal(self.control.apply([]), term::enumerator(sort, number))),
            _ => None,
        }
    }

    /// The node that a rule leads to.
    pub fn end_of(&self, rule: &Rule) -> Option<Node> {
        let update = rule.updates.iter().find(|update| update.function == self.control)?;
        match update.value.kind() {
            Kind::Enumerator(_, position) => self.nodes.get(*position as usize).copied(),
            _ => None,
        }
    }
}

/// Unfolds a program. Polls `is_cancelled` and stops early when it returns true.
pub fn unfold<'p>(
    program: &'p Program,
    points_to: &'p PointsTo,
    options: &Options,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Unfolded<'p>, UnfoldError> {
    let mut machine = machine(program, points_to, options);
    machine.allocated = allocated(program, points_to);
    machine.hazards = Some(Hazards::default());
    if options.by_contracts {
        let procedures = recursive(program, points_to)?;
        machine.contexts.give_contracts(procedures);
    }
    let order = order(&mut machine, options.locations, is_cancelled)?;
    machine.make_objects();
    machine.find_constants();
    let blocks = machine.blocks(&order, is_cancelled)?;
    let is_deep = blocks.iter().flatten().any(|transition| transition.to == Node::TooDeep);
    let mut nodes = order.cuts.clone();
    let properties = (0..).map(PropertyId).take(program.properties.len());
    nodes.extend(properties.map(Node::Violated));
    nodes.extend(is_deep.then_some(Node::TooDeep));
    nodes.extend((!machine.contexts.roots.is_empty()).then_some(Node::Broken));
    let control = control(&machine.contexts, &nodes);
    let (signatures, calls) = machine.signatures_and_calls(&nodes);
    let initial = initial_values(&machine);
    let hazards = machine.hazards.take().map(Hazards::all).unwrap_or_default();
    let mut unfolded = Unfolded {
        system: TransitionSystem::default(),
        control,
        nodes,
        has_products: machine.has_products,
        locations: order.position.len(),
        program,
        points_to,
        options: *options,
        contexts: machine.contexts,
        objects: machine.objects,
        contracts: machine.contracts,
        signatures,
        calls,
        order,
        allocated: machine.allocated,
        initial,
        hazards,
        rules: Vec::new(),
        choices: machine.choices,
    };
    for (cut, transitions) in blocks.iter().enumerate() {
        let rules = transitions.iter().map(|transition| unfolded.rule(cut, transition));
        unfolded.rules.extend(rules.collect::<Vec<_>>());
    }
    unfolded.system = unfolded.system_of(Vec::new());
    Ok(unfolded)
}

pub(crate) fn machine<'p, 'g>(program: &'p Program, points_to: &'p PointsTo, options: &Options) -> Machine<'p, 'g> {
    Machine {
        program,
        contexts: Contexts::new(program, points_to, options),
        objects: Objects::default(),
        contracts: Contracts::default(),
        undefined: options.undefined,
        allocated: BTreeMap::new(),
        state: State::new(),
        context: ContextId(0),
        requirements: Vec::new(),
        position: String::new(),
        counter: 0,
        choices: FxHashMap::default(),
        walk: None,
        records_calls: false,
        called: None,
        exact_products: options.exact_products,
        own_pointers: options.own_pointers,
        has_products: false,
        hazards: None,
    }
}

fn control(contexts: &Contexts, nodes: &[Node]) -> Function {
    let names = nodes.iter().map(|node| match node {
        Node::At(..) => contexts.name(*node),
        Node::Violated(property) => format!("violated {}", property.0),
        Node::TooDeep => DEPTH.to_owned(),
        Node::Entry(procedure) => format!("any {}", contexts.program[*procedure].name),
        Node::Broken => BROKEN.to_owned(),
    });
    let names: Vec<Name> = names.map(|name| Name::new(&name)).collect();
    Function::constant("location", Sort::enumeration(Name::new("Location"), names))
}

impl Machine<'_, '_> {
    /// Creates every object that a step may access, in a deterministic order.
    pub(crate) fn make_objects(&mut self) {
        let mut variables: FxHashMap<Option<ProcedureId>, Vec<VariableId>> = FxHashMap::default();
        for (id, variable) in (0..).map(VariableId).zip(&self.program.variables) {
            variables.entry(variable.procedure).or_default().push(id);
        }
        let mut sites_of: FxHashMap<ProcedureId, Vec<Site>> = FxHashMap::default();
        for site in sites(self.program) {
            if self.allocates(site) {
                sites_of.entry(site.procedure).or_default().push(site);
            }
        }
        for id in (0..).map(ProcedureId).take(self.program.procedures.len()) {
            self.objects.object(self.program, ObjectOrigin::Procedure(id), None, "");
        }
        for id in variables.get(&None).into_iter().flatten() {
            self.variable_in(ContextId(0), *id);
        }
        for number in 0..self.contexts.contexts.len() {
            let context = ContextId(u32::try_from(number).unwrap_or(u32::MAX));
            let procedure = self.contexts[context].procedure;
            for id in variables.get(&Some(procedure)).into_iter().flatten() {
                self.variable_in(context, *id);
            }
            for site in sites_of.get(&procedure).into_iter().flatten() {
                self.objects_of(context, *site);
            }
        }
    }
}

impl Unfolded<'_> {
    /// The system in which these hazards are violations, with one rule for each cut point.
    pub fn guarded(&self, is_guarded: &dyn Fn(&Hazard) -> bool) -> TransitionSystem {
        let mut conditions: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for hazard in self.hazards.iter().filter(|hazard| is_guarded(hazard)) {
            conditions.entry(hazard.cut).or_default().push(hazard.condition);
        }
        let rules = conditions.into_iter();
        self.system_of(
            rules
                .map(|(cut, parts)| self.hazard_rule(cut, term::or(parts)))
                .collect(),
        )
    }

    /// As [`Self::guarded`], with one rule for each hazard; these are the last rules of the system.
    pub fn guarded_by_each(&self, hazards: &[&Hazard]) -> TransitionSystem {
        let rules = hazards
            .iter()
            .map(|hazard| self.hazard_rule(hazard.cut, hazard.condition));
        self.system_of(rules.collect())
    }

    /// The cut point that the condition of a hazard refers to.
    pub fn node_of(&self, hazard: &Hazard) -> Node {
        self.nodes[hazard.cut]
    }

    fn hazard_rule(&self, cut: usize, condition: Term) -> Rule {
        let to = self.index_of(Node::Violated(PropertyId(0)));
        Rule {
            name: format!("undefined behaviour after {cut}"),
            guard: term::and([self.at_cut(cut), condition]),
            updates: vec![update(self.control, self.location(to))],
            ..Rule::identity()
        }
    }

    /// The system with additional rules beside those of the program.
    fn system_of(&self, beside: Vec<Rule>) -> TransitionSystem {
        let (program, options) = (self.program, &self.options);
        let mut rules = self.rules.clone();
        rules.extend(beside);
        let mut starts = vec![self.start_rule()];
        let needed = cone_of_influence(&rules, self.control, &contract_functions(&self.signatures, &self.calls));
        for rule in rules.iter_mut().chain(&mut starts) {
            rule.updates.retain(|update| needed.contains(&update.function));
            self.add_choices(rule);
        }
        let cells = self.objects.cells.iter();
        let state = cells.filter(|cell| needed.contains(&cell.function));
        let symbol = |function: Function| Symbol {
            function,
            display: function.name().to_string(),
            span: Span::default(),
        };
        let type_facts = state.clone().filter_map(|cell| match cell.scalar {
            Scalar::Integer(integer) => Some(Fact {
                name: format!("{} is in the range of its type", cell.function.name()),
                formula: stored_range(cell.function.apply([]), integer, options.undefined),
                span: Span::default(),
            })
            .filter(|fact| !fact.formula.is_true()),
            _ => None,
        });
        let property = |(number, node): (usize, &Node)| {
            let (name, span) = match node {
                Node::At(..) | Node::Entry(_) => return None,
                Node::Violated(id) => (program[*id].name.clone(), program[*id].span),
                Node::TooDeep => (format!("{DEPTH} than {}", options.recursion), Span::default()),
                Node::Broken => (BROKEN.to_owned(), Span::default()),
            };
            let never = term::not(term::equal(self.control.apply([]), self.location(number)));
            Some(Property {
                name: match node {
                    Node::Violated(id) => format!("{name} ({})", id.0),
                    _ => name,
                },
                formula: never,
                span,
            })
        };
        let numbers: Vec<(ObjectId, Function)> = self
            .objects
            .numbers
            .iter()
            .filter(|(_, function)| needed.contains(function))
            .map(|(object, function)| (*object, *function))
            .collect();
        let system = TransitionSystem {
            name: "program".to_owned(),
            rigid: numbers.iter().map(|(_, function)| symbol(*function)).collect(),
            axioms: self.axioms(&numbers),
            state: [symbol(self.control)]
                .into_iter()
                .chain(state.clone().map(|cell| symbol(cell.function)))
                .collect(),
            type_facts: type_facts.collect(),
            starts,
            rules,
            properties: self.nodes.iter().enumerate().filter_map(property).collect(),
            ..TransitionSystem::default()
        };
        let twice = system.declared_twice();
        assert!(twice.is_none(), "a name is declared twice: {twice:?}");
        system
    }

    /// Objects are disjoint and not null.
    fn axioms(&self, numbers: &[(ObjectId, Function)]) -> Vec<Fact> {
        let program = self.program;
        let before = |first: (ObjectId, Function), second: (ObjectId, Function)| {
            let bytes = self.objects.kept_apart(program, first.0, second.0)?;
            let end = term::add([first.1.apply([]), term::int(bytes)]);
            Some(term::less_equal(end, second.1.apply([])))
        };
        let mut formulas = Vec::new();
        for (position, here) in numbers.iter().enumerate() {
            formulas.push(self.objects.range_of_number(program, here.0, here.1));
            for there in &numbers[..position] {
                let ways = before(*here, *there).zip(before(*there, *here));
                formulas.extend(ways.map(|(before, behind)| term::or([before, behind])));
            }
        }
        let fact = |formula| Fact {
            name: "objects lie apart".to_owned(),
            formula,
            span: Span::default(),
        };
        formulas.into_iter().map(fact).collect()
    }

    fn location(&self, number: usize) -> Term {
        match self.control.result() {
            Sort::Enum(sort) => term::enumerator(sort, number),
            _ => term::bool(false),
        }
    }

    fn at_cut(&self, number: usize) -> Term {
        term::equal(self.control.apply([]), self.location(number))
    }

    fn index_of(&self, node: Node) -> usize {
        self.nodes.iter().position(|known| *known == node).unwrap_or(0)
    }

    fn rule(&self, cut: usize, transition: &Transition) -> Rule {
        let here = self.at_cut(cut);
        let to = self.index_of(transition.to);
        let mut updates = vec![update(self.control, self.location(to))];
        // A violation ends the run, so the rest of the state is irrelevant.
        if matches!(transition.to, Node::At(..)) {
            updates.extend(transition.state.iter().map(|(cell, value)| {
                let function = self.objects[*cell].function;
                update(function, *value)
            }));
        }
        Rule {
            name: format!("{cut} to {to}"),
            guard: term::and([here, transition.condition]),
            updates,
            ..Rule::identity()
        }
    }

    /// Restricts the rule to its choices and their ranges.
    fn add_choices(&self, rule: &mut Rule) {
        let terms = rule.updates.iter().map(|update| update.value).chain([rule.guard]);
        let mut mentioned: Vec<Choice> = Vec::new();
        let mut met = FxHashSet::default();
        for term in terms {
            for function in functions_of(term) {
                if met.insert(function) {
                    mentioned.extend(self.choices.get(&function));
                }
            }
        }
        mentioned.sort_by_key(|choice| choice.function);
        let ranges = mentioned.iter().map(|choice| range(choice, self.options.undefined));
        rule.guard = term::and([rule.guard].into_iter().chain(ranges));
        rule.choices = mentioned.iter().map(|choice| choice.function).collect();
    }

    /// The rule that enters the initial state.
    fn start_rule(&self) -> Rule {
        let mut updates = vec![update(self.control, self.location(0))];
        let initial = self.initial.iter().copied();
        updates.extend(initial.map(|(cell, value)| update(self.objects[cell].function, value)));
        Rule {
            name: "start".to_owned(),
            updates,
            ..Rule::identity()
        }
    }
}

/// Initial cell values: globals hold their initialisers, allocation counters zero.
pub(crate) fn initial_values(machine: &Machine) -> Vec<(CellId, Term)> {
    let mut values = Vec::new();
    for object in &machine.objects.objects {
        values.extend(object.times.map(|cell| (cell, term::int(0))));
        let ObjectOrigin::Variable(None, variable) = object.origin else {
            continue;
        };
        let bytes = match &machine.program[variable].initial {
            Initial::Undefined => continue,
            Initial::Zero => None,
            Initial::Bytes(bytes) => Some(bytes.as_slice()),
        };
        for id in object.cells.values() {
            let cell = &machine.objects[*id];
            let value = bytes.map_or(0, |bytes| initial_integer(bytes, cell));
            values.push((*id, term::int(value)));
        }
    }
    values
}

fn update(function: Function, value: Term) -> Update {
    Update {
        function,
        parameters: Vec::new(),
        value,
    }
}

/// The little-endian integer in the initialiser's bytes. Addresses are written by the program itself.
fn initial_integer(bytes: &[u8], cell: &crate::objects::Cell) -> i128 {
    let from = usize::try_from(cell.offset).unwrap_or(usize::MAX);
    let part = bytes.get(from..).unwrap_or(&[]);
    let bytes = part.iter().take(usize::try_from(cell.bytes).unwrap_or(0).min(16));
    let number = bytes.rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let number = i128::try_from(number & ((1 << 120) - 1)).unwrap_or(0);
    let (shifted, integer) = match (cell.bits, cell.scalar) {
        (Some(bits), Scalar::Integer(integer)) => (number >> bits.first, integer),
        (_, Scalar::Integer(integer)) => (number, integer),
        _ => return number,
    };
    Integer::new(integer.bits, integer.is_signed).wrap(shifted)
}

/// Cone of influence: the functions that control flow depends on.
fn cone_of_influence(rules: &[Rule], control: Function, contract_functions: &[Function]) -> FxHashSet<Function> {
    let mut needed: FxHashSet<Function> = FxHashSet::default();
    needed.insert(control);
    let mut pending = contract_functions.to_vec();
    for rule in rules {
        pending.extend(functions_of(rule.guard));
    }
    let mut values: FxHashMap<Function, Vec<Term>> = FxHashMap::default();
    for update in rules.iter().flat_map(|rule| &rule.updates) {
        values.entry(update.function).or_default().push(update.value);
    }
    while let Some(function) = pending.pop() {
        if needed.insert(function) {
            for value in values.get(&function).into_iter().flatten() {
                pending.extend(functions_of(*value));
            }
        }
    }
    needed
}
