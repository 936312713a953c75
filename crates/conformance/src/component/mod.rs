//! Components: a procedure, the assumptions about the routines that it calls, and its observable actions.

pub mod abstraction;
mod atoms;
pub mod automaton;
pub mod entry;
pub mod path;
pub mod predicates;

use crate::lts::{Action, TAU};
use crate::specification::StateMachine;
use automaton::{Automaton, CfaEdge, canonical};
use deduction::comparisons::{Ranges, ranges};
use deduction::constants::{self, evaluate, substitute};
use logic::term::conjuncts;
use logic::{Function, Kind, Term, simplify, term};
use predicates::Predicates;
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::ProcedureId;
use unfold::Flow;

/// The assumptions about a library routine, section 3.4.
#[derive(Clone, Debug)]
pub struct Routine {
    pub name: String,
    pub procedure: ProcedureId,
    /// Its parameters and its result, as guards and return conditions mention them.
    pub parameters: Vec<Option<Function>>,
    pub result: Option<Function>,
    /// Mutually exclusive and exhaustive.
    pub abstractions: Vec<Assumption>,
}

/// Where the guard holds, the routine behaves like the machine.
#[derive(Clone, Debug)]
pub struct Assumption {
    pub guard: Term,
    pub machine: StateMachine,
    /// The condition of each return action.
    pub returns: BTreeMap<Action, Term>,
}

/// A call site of a routine.
#[derive(Clone, Debug)]
pub struct Site {
    pub routine: usize,
    /// The guard of each abstraction over the state before the call, conjoined with the condition that a call through a
    /// pointer reaches this routine.
    pub guards: Vec<Term>,
    /// For each abstraction, the edge that stores the result, by return action.
    pub after: Vec<BTreeMap<Action, usize>>,
}

/// The return actions of a component.
#[derive(Clone, Debug)]
pub struct Ending {
    /// Return actions with their mutually exclusive conditions on the result.
    pub returns: Vec<(Action, Term)>,
    /// The action where none of them holds: one that no specification allows, or τ if returns are not observed.
    pub otherwise: Action,
}

pub struct Component<'p> {
    pub name: String,
    pub flow: Flow<'p>,
    pub automaton: Automaton,
    pub routines: Vec<Routine>,
    /// Keyed by the index of the edge.
    pub sites: BTreeMap<usize, Site>,
    /// The state functions of the parameters and of the result.
    pub parameters: Vec<Option<Function>>,
    pub result: Option<Function>,
    pub ending: Ending,
    /// The action of a call through a pointer to an external procedure; no specification allows it.
    pub astray: Option<Action>,
    /// Holds at the entry of the procedure.
    pub guard: Term,
    /// `Act`
    pub alphabet: BTreeSet<Action>,
    /// Predicates that are always used: those about returned values, and those of the user.
    pub base: Predicates,
    /// Branches and guarded calls, whose predicates can be selected.
    pub candidates: Vec<Candidate>,
    /// The constant cells of each node.
    pub constants: Vec<BTreeMap<Function, Term>>,
    into: Vec<Vec<usize>>,
    /// The ranges of cells.
    bounds: Ranges,
}

/// A branch whose conditions may become predicates: a multiway branch yields all of its mutually exclusive conditions,
/// as one predicate with many values.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub node: usize,
    pub span: Span,
    pub conditions: BTreeSet<Term>,
    /// The predicates inferred from the conditions.
    pub inferred: Predicates,
}

/// The parts of a component.
pub struct Parts<'p> {
    pub name: String,
    pub flow: Flow<'p>,
    pub automaton: Automaton,
    pub routines: Vec<Routine>,
    pub parameters: Vec<Option<Function>>,
    pub result: Option<Function>,
    pub ending: Ending,
    pub astray: Option<Action>,
    pub guard: Term,
    /// Predicates of the user, at every node where they are meaningful.
    pub predicates: Vec<Term>,
    /// The maximum number of predicates at a node, for each candidate.
    pub most: usize,
    /// Whether constants are propagated; the paper does not do so.
    pub constants: bool,
}

impl<'p> Component<'p> {
    pub fn new(parts: Parts<'p>) -> Component<'p> {
        let mut component = Component {
            name: parts.name,
            flow: parts.flow,
            base: Predicates::none(parts.automaton.nodes.len()),
            automaton: parts.automaton,
            routines: parts.routines,
            sites: BTreeMap::new(),
            parameters: parts.parameters,
            result: parts.result,
            ending: parts.ending,
            astray: parts.astray,
            guard: parts.guard,
            alphabet: BTreeSet::new(),
            candidates: Vec::new(),
            constants: Vec::new(),
            into: Vec::new(),
            bounds: Ranges::new(),
        };
        component.bounds = ranges(component.flow.cells.values().copied());
        component.begin_where_the_guard_holds();
        component.make_sites();
        component.constants = vec![BTreeMap::new(); component.automaton.nodes.len()];
        if parts.constants {
            component.propagate_constants();
        }
        component.find_predicates(&parts.predicates, parts.most);
        let ending = component.ending.returns.iter().map(|(action, _)| *action);
        let called = component
            .sites
            .values()
            .flat_map(|site| &component.routines[site.routine].abstractions);
        let inside = called.flat_map(|assumption| {
            let machine = &assumption.machine;
            machine
                .lts
                .alphabet
                .iter()
                .filter(|action| !machine.returns.contains_key(action))
        });
        let others = component.astray.into_iter().chain([component.ending.otherwise]);
        let alphabet = inside.copied().chain(ending).chain(others);
        component.alphabet = alphabet.filter(|action| *action != TAU).collect();
        component
    }

    fn begin_where_the_guard_holds(&mut self) {
        for number in (0..self.automaton.edges.len())
            .filter(|number| self.begins(*number))
            .collect::<Vec<_>>()
        {
            let edge = &mut self.automaton.edges[number];
            edge.condition = simplify(term::and([edge.condition, edge.before(self.guard)]));
        }
    }

    /// Whether an edge enters the procedure; the entry may also be a loop head with other incoming edges.
    pub fn begins(&self, edge: usize) -> bool {
        let edge = &self.automaton.edges[edge];
        edge.to == self.automaton.entry && self.automaton.nodes[edge.from].is_before
    }

    /// Expands each call of a routine into its abstractions, with an edge for each of their returns.
    fn make_sites(&mut self) {
        let number_of_calls = self.automaton.edges.len();
        for number in 0..number_of_calls {
            let Some(call) = self.automaton.edges[number].call.clone() else {
                continue;
            };
            let Some(routine) = self
                .routines
                .iter()
                .position(|routine| routine.procedure == call.callee)
            else {
                continue;
            };
            let Routine {
                parameters,
                abstractions,
                result,
                ..
            } = &self.routines[routine];
            let pairs = parameters.iter().zip(&call.arguments);
            let arguments: BTreeMap<Function, Term> = pairs
                .filter_map(|(parameter, argument)| Some(((*parameter)?, (*argument)?)))
                .collect();
            let condition = self.automaton.edges[number].condition;
            let guards = abstractions
                .iter()
                .map(|assumption| simplify(term::and([condition, substitute(&arguments, assumption.guard)])));
            let guards = guards.collect();
            let mut after = Vec::new();
            let mut made = Vec::new();
            for assumption in abstractions {
                let mut edges = BTreeMap::new();
                for (action, condition) in &assumption.returns {
                    edges.insert(*action, self.automaton.edges.len() + made.len());
                    let returned = returning(&self.automaton.edges[number], *condition, *result, call.result);
                    made.push(returned);
                }
                after.push(edges);
            }
            self.automaton.edges.extend(made);
            self.sites.insert(number, Site { routine, guards, after });
        }
        self.into = vec![Vec::new(); self.automaton.nodes.len()];
        for (number, edge) in self.automaton.edges.iter().enumerate() {
            if !self.sites.contains_key(&number) {
                self.into[edge.to].push(number);
            }
        }
    }

    /// Constant propagation, such as for arguments of calls.
    fn propagate_constants(&mut self) {
        let edges = self.automaton.edges.iter().enumerate();
        let edges = edges.filter(|(number, _)| !self.sites.contains_key(number));
        let edges: Vec<constants::Edge> = edges
            .map(|(_, edge)| constants::Edge {
                from: edge.from,
                to: edge.to,
                updates: &edge.updates,
            })
            .collect();
        let at = constants::propagate(self.automaton.nodes.len(), &edges);
        self.constants = at.into_iter().map(Option::unwrap_or_default).collect();
        for edge in &mut self.automaton.edges {
            let known = &self.constants[edge.from];
            edge.condition = evaluate(known, edge.condition);
            for value in edge.updates.values_mut() {
                *value = evaluate(known, *value);
            }
        }
        for (number, site) in &mut self.sites {
            let known = &self.constants[self.automaton.edges[*number].from];
            for guard in &mut site.guards {
                *guard = evaluate(known, *guard);
            }
        }
    }

    fn find_predicates(&mut self, of_user: &[Term], most: usize) {
        let nodes = self.automaton.nodes.len();
        // `e == RetVal(r)` at return statements, for every return action of the specification.
        let mut seeds: Vec<(usize, Term)> = Vec::new();
        for edge in self.edges_into(self.automaton.last) {
            let conditions = self.ending.returns.iter().map(|(_, condition)| *condition);
            for condition in conditions.flat_map(|condition| conjuncts(edge.before(condition))) {
                seeds.push((edge.from, condition));
            }
        }
        let base_most = most.max(seeds.len());
        for node in 0..nodes {
            seeds.extend(of_user.iter().map(|formula| (node, *formula)));
        }
        self.base = self.infer(seeds, base_most + of_user.len());
        for node in 0..nodes {
            let mut conditions = match self.automaton.nodes[node].edges.len() {
                // A single outgoing edge may have a condition, too.
                0 => BTreeSet::new(),
                _ => self.automaton.conditions(node),
            };
            for site in self.automaton.nodes[node]
                .edges
                .iter()
                .filter_map(|edge| self.sites.get(edge))
            {
                let guards = site.guards.iter().flat_map(|guard| conjuncts(*guard));
                let guards = guards.flat_map(|guard| self.automaton.without_choices(guard));
                conditions.extend(guards.map(|guard| canonical(guard).0));
            }
            if conditions.is_empty() || node == 0 {
                continue;
            }
            let inferred = self.infer(conditions.iter().map(|condition| (node, *condition)), most);
            self.candidates.push(Candidate {
                node,
                span: self.automaton.nodes[node].span,
                conditions,
                inferred,
            });
        }
    }

    /// As [`Self::predicates`], at some nodes only.
    pub fn predicates_at(&self, nodes: &BTreeSet<usize>, chosen: &BTreeSet<usize>) -> Predicates {
        let mut predicates = Predicates::none(self.automaton.nodes.len());
        for node in nodes {
            predicates.at[*node].extend(&self.base.at[*node]);
            for candidate in chosen {
                predicates.at[*node].extend(&self.candidates[*candidate].inferred.at[*node]);
            }
        }
        predicates
    }

    /// The predicates of the selected candidates, with the base predicates.
    pub fn predicates(&self, chosen: &BTreeSet<usize>) -> Predicates {
        let mut predicates = self.base.clone();
        for candidate in chosen {
            predicates.add(&self.candidates[*candidate].inferred);
        }
        predicates
    }
}

/// The edge of a call that returned a value with this property: `WP[x = RetVal(a)]` for a single value.
fn returning(edge: &CfaEdge, condition: Term, result: Option<Function>, wanted: Option<Function>) -> CfaEdge {
    let mut edge = CfaEdge {
        call: None,
        ..edge.clone()
    };
    let (Some(result), Some(wanted)) = (result, wanted) else {
        return edge;
    };
    match value_of(condition, result) {
        Some(value) => {
            let known = BTreeMap::from([(wanted, value)]);
            edge.condition = simplify(substitute(&known, edge.condition));
            for update in edge.updates.values_mut() {
                *update = simplify(substitute(&known, *update));
            }
        }
        None => {
            let holds = substitute(&BTreeMap::from([(result, wanted.apply([]))]), condition);
            edge.condition = simplify(term::and([edge.condition, holds]));
        }
    }
    edge
}

/// The value that the condition determines.
fn value_of(condition: Term, result: Function) -> Option<Term> {
    let Kind::Equal(left, right) = condition.kind() else {
        return None;
    };
    let is_number = |term: Term| matches!(term.kind(), Kind::Int(_));
    match (*left == result.apply([]), *right == result.apply([])) {
        (true, _) if is_number(*right) => Some(*right),
        (_, true) if is_number(*left) => Some(*left),
        _ => None,
    }
}
