//! The control of a system: where the program is.

use logic::substitute::{functions_of, replace};
use logic::{Cancellation, Function, Kind, Sort, Term, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::transition::{Rule, TransitionSystem};

/// The state variable that says where the program is: every rule tests it for one value, and sets it to one.
#[derive(Clone, Debug)]
pub struct Control {
    pub function: Function,
    sort: logic::EnumSort,
}

/// Where the program is: a value of the control, and what else is known there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) control: usize,
    pub(super) known: Known,
    /// What else was found out, with what is known substituted.
    pub(super) given: Vec<Term>,
}

/// What is known of variables.
pub(super) type Known = BTreeMap<Function, Held>;

/// What is known of a variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Held {
    Is(i128),
    /// It is none of these.
    IsNone(BTreeSet<i128>),
    /// It is this, by variables that are not known.
    Equals(Term),
}

impl Held {
    /// The formula with what is known substituted.
    pub(super) fn put(&self, formula: Term, variable: Function) -> Term {
        let held = variable.apply([]);
        match self {
            Held::Is(value) => replace(formula, held, term::int(*value)),
            Held::Equals(value) => replace(formula, held, *value),
            Held::IsNone(others) => others.iter().fold(formula, |formula, other| {
                replace(formula, term::equal(held, term::int(*other)), term::bool(false))
            }),
        }
    }

    pub(super) fn formula(&self, variable: Function) -> Term {
        let is = |value: i128| term::equal(variable.apply([]), term::int(value));
        match self {
            Held::Is(value) => is(*value),
            Held::Equals(value) => term::equal(variable.apply([]), *value),
            Held::IsNone(others) => term::and(others.iter().map(|other| term::not(is(*other)))),
        }
    }
}

/// A rule, by the locations that it leads from and to.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// The position of the rule in the system.
    pub rule: usize,
    /// The guard without what it says of the control.
    pub guard: Term,
    pub updates: BTreeMap<Function, Term>,
}

/// A location at which a procedure is called by what the relations of its beginning and its end say: the first must
/// hold of what is given, and the rules from here may be taken where the second holds of what is returned.
#[derive(Clone, Debug)]
pub struct Called {
    pub at: usize,
    pub entry: usize,
    pub exit: usize,
    /// What the variables of the relation stand for.
    pub given: BTreeMap<Function, Term>,
    pub returned: BTreeMap<Function, Term>,
}

/// A system of scalars as a graph of locations. Where there is no control, there is one location only.
#[derive(Clone)]
pub struct Flow<'s> {
    pub system: &'s TransitionSystem,
    pub control: Option<Control>,
    /// By location. At first there is one for each value of the control.
    pub(super) places: Vec<Place>,
    pub state: BTreeSet<Function>,
    pub edges: Vec<Edge>,
    /// As edges; `from` means nothing.
    pub starts: Vec<Edge>,
    /// Where procedures are called.
    pub calls: Vec<Called>,
    /// By location: the variables that matter there for what may still happen.
    pub live: Vec<BTreeSet<Function>>,
    pub(super) reached: BTreeSet<usize>,
    pub(super) matter: BTreeSet<usize>,
}

impl<'s> Flow<'s> {
    /// None for a system with types of any size, or with arrays.
    pub fn of(system: &'s TransitionSystem) -> Option<Flow<'s>> {
        Flow::with_calls(system, Vec::new())
    }

    /// The same for a system in which procedures are called at some values of the control.
    pub fn with_calls(system: &'s TransitionSystem, calls: Vec<Called>) -> Option<Flow<'s>> {
        let is_scalar = |function: Function| {
            let sort = function.result();
            function.parameters().is_empty() && matches!(sort, Sort::Bool | Sort::Int | Sort::Enum(_))
        };
        let symbols = system.state.iter().chain(&system.rigid);
        if !system.index_sorts.is_empty() || !symbols.clone().all(|symbol| is_scalar(symbol.function)) {
            return None;
        }
        let rules = system.rules.iter().chain(&system.starts);
        if rules
            .clone()
            .any(|rule| !rule.parameters.is_empty() || !rule.choices.iter().all(|c| is_scalar(*c)))
        {
            return None;
        }
        let control = control(system);
        let state = symbols
            .map(|symbol| symbol.function)
            .filter(|function| control.as_ref().is_none_or(|control| control.function != *function))
            .collect();
        let edges = system.rules.iter().enumerate();
        let starts = system.starts.iter().enumerate();
        let mut flow = Flow {
            places: Vec::new(),
            edges: edges
                .map(|(number, rule)| edge(control.as_ref(), number, rule))
                .collect(),
            starts: starts
                .map(|(number, rule)| edge(control.as_ref(), number, rule))
                .collect(),
            system,
            control,
            state,
            calls,
            live: Vec::new(),
            reached: BTreeSet::new(),
            matter: BTreeSet::new(),
        };
        let place = |control: usize| Place {
            control,
            known: BTreeMap::new(),
            given: Vec::new(),
        };
        flow.places = flow.values().map(place).collect();
        flow.look();
        Some(flow)
    }

    /// Finds out what matters where.
    pub(super) fn look(&mut self) {
        self.live = self.lives();
        (self.reached, self.matter) = self.between();
    }

    pub fn locations(&self) -> usize {
        self.places.len()
    }

    /// Those of the control.
    pub(super) fn values(&self) -> std::ops::Range<usize> {
        0..self.control.as_ref().map_or(1, |control| control.sort.values().len())
    }

    /// That of the control at a location.
    pub(super) fn value(&self, location: usize) -> usize {
        self.places[location].control
    }

    /// That the control has this value.
    pub(super) fn at(&self, value: usize) -> Option<Term> {
        let control = self.control.as_ref()?;
        let here = term::enumerator(control.sort, value);
        Some(term::equal(control.function.apply([]), here))
    }

    pub(super) fn name(&self, value: usize) -> String {
        match &self.control {
            Some(control) => format!("at {}", control.sort.values()[value]),
            None => "invariant".to_owned(),
        }
    }

    /// What is known at a location, by definition.
    pub(super) fn known(&self, location: usize) -> Term {
        term::and([self.told_apart(location)].into_iter().chain(self.found(location)))
    }

    /// By which values a location is told apart from others of the same control.
    pub(super) fn told_apart(&self, location: usize) -> Term {
        let known = self.places[location].known.iter();
        let known = known.filter(|(_, held)| !matches!(held, Held::Equals(_)));
        term::and(known.map(|(function, held)| held.formula(*function)))
    }

    /// What was found out about a location beside that.
    pub(super) fn found(&self, location: usize) -> Vec<Term> {
        let place = &self.places[location];
        let equations = place.known.iter().filter(|(_, held)| matches!(held, Held::Equals(_)));
        let equations = equations.map(|(function, held)| held.formula(*function));
        equations.chain(place.given.iter().copied()).collect()
    }

    /// Whether rules lead there from a start.
    pub fn is_reached(&self, location: usize) -> bool {
        self.reached.contains(&location)
    }

    /// Whether the program may get there, and from there to where something can be violated.
    pub fn matters(&self, location: usize) -> bool {
        self.matter.contains(&location)
    }

    /// Locations that starts lead to, and those of them that lead to where something can be violated.
    fn between(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut forward: BTreeSet<usize> = self.starts.iter().map(|start| start.to).collect();
        let with_property = (0..self.locations()).filter(|location| !self.properties(*location).is_empty());
        let mut backward: BTreeSet<usize> = with_property.collect();
        loop {
            let before = (forward.len(), backward.len());
            for edge in &self.edges {
                if forward.contains(&edge.from) {
                    forward.insert(edge.to);
                }
            }
            for edge in self.edges.iter().rev() {
                if backward.contains(&edge.to) {
                    backward.insert(edge.from);
                }
            }
            for call in &self.calls {
                if forward.contains(&call.at) {
                    forward.insert(call.entry);
                }
                if backward.contains(&call.entry) {
                    backward.insert(call.at);
                }
                if backward.contains(&call.at) {
                    backward.insert(call.exit);
                }
            }
            if before == (forward.len(), backward.len()) {
                let between = forward.intersection(&backward).copied().collect();
                return (forward, between);
            }
        }
    }

    /// Removes edges that no state can take.
    pub fn without_dead_edges(&mut self, solvers: &Solvers) -> Result<(), SolverError> {
        let mut possible = Possible::new(self.system, solvers)?;
        let mut kept = Vec::new();
        for edge in std::mem::take(&mut self.edges) {
            if possible.is(edge.guard)? {
                kept.push(edge);
            }
        }
        self.edges = kept;
        self.look();
        Ok(())
    }

    /// A formula over the state, at a location.
    pub fn here(&self, formula: Term, location: usize) -> Term {
        let place = &self.places[location];
        let formula = match &self.control {
            Some(control) => {
                let here = term::enumerator(control.sort, place.control);
                replace(formula, control.function.apply([]), here)
            }
            None => formula,
        };
        let known = place.known.iter();
        logic::simplify(known.fold(formula, |formula, (function, held)| held.put(formula, *function)))
    }

    /// What must hold at a location, where it may fail.
    pub fn properties(&self, location: usize) -> Vec<Term> {
        let properties = self.system.properties.iter().map(|property| property.formula);
        let asserted = self.system.asserted().into_iter().map(|property| property.formula);
        let given = term::and(self.places[location].given.iter().copied());
        let all = properties.chain(asserted).map(|formula| self.here(formula, location));
        let all = all.map(|formula| term::implies(given, formula));
        all.filter(|formula| !formula.is_true()).collect()
    }

    /// A variable matters where a guard or property tests it, or where it is in the new value of one that does.
    fn lives(&self) -> Vec<BTreeSet<Function>> {
        let of_state =
            |term: Term| -> BTreeSet<Function> { functions_of(term).intersection(&self.state).copied().collect() };
        let mut live: Vec<BTreeSet<Function>> = (0..self.locations())
            .map(|location| self.properties(location).into_iter().flat_map(of_state).collect())
            .collect();
        for call in &self.calls {
            live[call.exit].extend(call.returned.keys());
        }
        let guards: Vec<BTreeSet<Function>> = self.edges.iter().map(|edge| of_state(edge.guard)).collect();
        let uses = |edge: &Edge| -> BTreeMap<Function, BTreeSet<Function>> {
            let updates = edge.updates.iter();
            updates.map(|(function, value)| (*function, of_state(*value))).collect()
        };
        let uses: Vec<_> = self.edges.iter().map(uses).collect();
        loop {
            let mut is_new = false;
            // Most lead from what was reached before to what was reached after it.
            for (number, edge) in self.edges.iter().enumerate().rev() {
                let mut needed = guards[number].clone();
                for function in &live[edge.to] {
                    match uses[number].get(function) {
                        Some(used) => needed.extend(used),
                        None => {
                            needed.insert(*function);
                        }
                    }
                }
                let before = live[edge.from].len();
                live[edge.from].extend(needed);
                is_new |= live[edge.from].len() > before;
            }
            for call in &self.calls {
                let given = live[call.entry].iter().filter_map(|function| call.given.get(function));
                let terms: Vec<Term> = given.chain(call.returned.values()).copied().collect();
                let before = live[call.at].len();
                live[call.at].extend(terms.into_iter().flat_map(of_state));
                is_new |= live[call.at].len() > before;
            }
            if !is_new {
                return live;
            }
        }
    }
}

/// Asks whether a formula can hold in a state of the system's types.
pub(super) struct Possible {
    solver: Box<dyn Solver>,
    cancellation: Cancellation,
}

impl Possible {
    pub(super) fn new(system: &TransitionSystem, solvers: &Solvers) -> Result<Possible, SolverError> {
        let mut solver = solvers.solver()?;
        for fact in system.type_facts.iter().chain(&system.axioms) {
            solver.assert(fact.formula)?;
        }
        let cancellation = solvers.cancellation().clone();
        Ok(Possible { solver, cancellation })
    }

    pub(super) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Whether the formula may hold in one.
    pub(super) fn is(&mut self, formula: Term) -> Result<bool, SolverError> {
        if formula.is_false() {
            return Ok(false);
        }
        self.solver.push()?;
        self.solver.assert(formula)?;
        let answer = self.solver.check(Purpose::Other)?;
        self.solver.pop()?;
        Ok(answer != Answer::Unsat)
    }
}

fn control(system: &TransitionSystem) -> Option<Control> {
    let candidates = system.state.iter().filter_map(|symbol| match symbol.function.result() {
        Sort::Enum(sort) => Some(Control {
            function: symbol.function,
            sort,
        }),
        _ => None,
    });
    let is_control = |control: &Control| {
        let tests = system.rules.iter().all(|rule| tested(control, rule).is_some());
        let sets = system
            .rules
            .iter()
            .chain(&system.starts)
            .all(|rule| set(control, rule).is_some());
        tests && sets
    };
    candidates.into_iter().find(is_control)
}

/// The value that a rule tests the control for.
fn tested(control: &Control, rule: &Rule) -> Option<usize> {
    let conjuncts = match rule.guard.kind() {
        Kind::And(parts) => parts.as_slice(),
        _ => std::slice::from_ref(&rule.guard),
    };
    conjuncts.iter().find_map(|conjunct| is_at(control, *conjunct))
}

fn is_at(control: &Control, formula: Term) -> Option<usize> {
    let Kind::Equal(a, b) = formula.kind() else { return None };
    let here = control.function.apply([]);
    [(a, b), (b, a)].into_iter().find_map(|(x, y)| match y.kind() {
        Kind::Enumerator(_, position) if *x == here => Some(*position as usize),
        _ => None,
    })
}

/// The value that a rule gives to the control.
fn set(control: &Control, rule: &Rule) -> Option<usize> {
    let update = rule.updates.iter().find(|update| update.function == control.function);
    match update {
        Some(update) => match update.value.kind() {
            Kind::Enumerator(_, position) => Some(*position as usize),
            _ => None,
        },
        None => tested(control, rule),
    }
}

fn edge(control: Option<&Control>, number: usize, rule: &Rule) -> Edge {
    let (from, to) = match control {
        Some(control) => {
            let from = tested(control, rule).unwrap_or(0);
            (from, set(control, rule).unwrap_or(from))
        }
        None => (0, 0),
    };
    let guard = match (control, rule.guard.kind()) {
        (Some(control), Kind::And(parts)) => {
            term::and(parts.iter().copied().filter(|part| is_at(control, *part).is_none()))
        }
        (Some(control), _) if is_at(control, rule.guard).is_some() => term::bool(true),
        _ => rule.guard,
    };
    let is_data = |function: Function| control.is_none_or(|control| control.function != function);
    let updates = rule.updates.iter().filter(|update| is_data(update.function));
    Edge {
        from,
        to,
        rule: number,
        guard,
        updates: updates.map(|update| (update.function, update.value)).collect(),
    }
}
