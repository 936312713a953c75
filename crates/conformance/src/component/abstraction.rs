//! Predicate abstraction of a component, sections 5.2 to 5.4: from predicates at nodes to a labelled transition system.
//!
//! A transition is omitted only if the solver proves it infeasible. One query covers the conditions and the values of
//! the predicates afterwards, which is slightly more precise than the pairwise queries of the paper. Values that follow
//! directly from predicates before the statement need no query.

use super::Component;
use super::automaton::canonical;
use super::predicates::Predicates;
use crate::lts::{Action, Lts, TAU};
use deduction::formulas::literal;
use logic::substitute::functions_of;
use logic::term::conjuncts;
use logic::{Function, Term, Value, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, SolverError, UnknownReason};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The values of the predicates of a node, in their order.
pub type Valuation = Box<[bool]>;

/// The control position of a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ControlState {
    At(usize),
    /// In a routine: the edge of the call, the index of the abstraction, and its state.
    Inside(usize, usize, usize),
    Stop,
}

/// A state of `MP`: `(s, V)`, `(s, V, c)` or STOP.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractState {
    pub place: ControlState,
    pub valuation: Valuation,
}

/// The rule of section 5.4 that yields a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Via {
    /// An assignment or a branch.
    Edge(usize),
    /// Entering a routine: the edge of the call, and the abstraction.
    Enter(usize, usize),
    /// A step of the routine.
    Inside(usize, usize),
    /// The return of the routine, by the edge that stores the result.
    Leave(usize),
    /// The return of the component, by this edge and with this action; the edge may store the result of a routine.
    Return(usize, Action),
    /// A call through a pointer to an external procedure.
    Astray(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AbstractTransition {
    pub action: Action,
    pub to: usize,
    pub via: Via,
}

/// `MP(P)`. AbstractState 0 is INIT.
#[derive(Clone, Debug)]
pub struct Model {
    pub states: Vec<AbstractState>,
    pub moves: Vec<Vec<AbstractTransition>>,
    pub lts: Lts,
    pub predicates: Predicates,
}

/// Why the abstraction fails.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AbstractionError {
    #[error("interrupted")]
    Interrupted,
    #[error("the abstraction of a component has more than {states} states")]
    TooManyStates { states: usize },
    #[error("{0}")]
    Doubted(String),
    #[error("internal error: a trace of an abstraction has no path in it")]
    Lost,
    #[error("the solver cannot decide what a statement does ({0})")]
    Undecided(UnknownReason),
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// All joint values of a list of formulas.
type Answers = Rc<Vec<Valuation>>;

/// A solver with a cache: later iterations repeat most queries.
pub struct Oracle {
    solver: Box<dyn Solver>,
    /// Keyed by assumptions and queried formulas.
    known: FxHashMap<(Vec<Term>, Vec<Term>), Answers>,
    /// `WP[edge]{formula}`
    before: FxHashMap<(usize, Term), Term>,
    /// The symbols of a formula.
    functions: FxHashMap<Term, Rc<BTreeSet<Function>>>,
    pub questions: usize,
}

impl Oracle {
    pub fn new(solver: Box<dyn Solver>) -> Oracle {
        Oracle {
            solver,
            known: FxHashMap::default(),
            before: FxHashMap::default(),
            functions: FxHashMap::default(),
            questions: 0,
        }
    }

    /// All joint values of the formulas under the assumptions.
    fn values(&mut self, assumptions: Vec<Term>, asked: Vec<Term>) -> Result<Answers, AbstractionError> {
        let key = (assumptions, asked);
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        self.questions += 1;
        let (assumptions, asked) = &key;
        self.solver.push()?;
        for assumption in assumptions {
            self.solver.assert(*assumption)?;
        }
        let mut found: Vec<Valuation> = Vec::new();
        let outcome = loop {
            match self.solver.check(Purpose::Abstraction)? {
                Answer::Unsat => break Ok(()),
                Answer::Unknown(UnknownReason::Interrupted) => break Err(AbstractionError::Interrupted),
                Answer::Unknown(reason) => break Err(AbstractionError::Undecided(reason)),
                Answer::Sat => {}
            }
            let model = self.solver.model()?;
            let mut valuation = Vec::new();
            for formula in asked {
                valuation.push(model.value(*formula)? == Value::Bool(true));
            }
            let literals = asked
                .iter()
                .zip(&valuation)
                .map(|(formula, value)| literal(*formula, *value));
            let again = term::and(literals);
            found.push(valuation.into());
            self.solver.assert(term::not(again))?;
        };
        self.solver.pop()?;
        outcome?;
        found.sort_unstable();
        let found = Rc::new(found);
        self.known.insert(key, Rc::clone(&found));
        Ok(found)
    }
}

/// How the value of a formula before a statement is determined.
enum Slot {
    Known(bool),
    /// The value of a predicate there, or its negation.
    Copied(usize, bool),
    Asked(Term),
}

/// The effect of an edge on predicates.
struct Plan {
    conditions: Vec<Slot>,
    results: Vec<Slot>,
    question: Option<Query>,
}

/// A query about a statement: it depends on a subset of the predicates before it.
struct Query {
    /// The positions of these predicates.
    relevant: Vec<usize>,
    /// Further assumptions.
    assumed: Vec<Term>,
    asked: Vec<Term>,
    /// Keyed by the values of the relevant predicates.
    answers: RefCell<FxHashMap<Vec<bool>, Answers>>,
}

/// Computes the transitions of a component state by state.
pub struct Abstractor<'c, 'p, 'o> {
    component: &'c Component<'p>,
    oracle: &'o mut Oracle,
    predicates: Vec<Vec<Term>>,
    plans: FxHashMap<(usize, bool), Rc<Plan>>,
    guards: FxHashMap<(usize, usize), Rc<Plan>>,
}

impl<'c, 'p, 'o> Abstractor<'c, 'p, 'o> {
    pub fn new(component: &'c Component<'p>, predicates: &Predicates, oracle: &'o mut Oracle) -> Self {
        Abstractor {
            component,
            oracle,
            predicates: predicates.at.iter().map(|at| at.iter().copied().collect()).collect(),
            plans: FxHashMap::default(),
            guards: FxHashMap::default(),
        }
    }

    /// The reachable part of `MP(P)`.
    pub fn model(
        &mut self,
        predicates: &Predicates,
        most: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Model, AbstractionError> {
        let mut states = vec![Self::init()];
        let mut numbers: FxHashMap<AbstractState, usize> = FxHashMap::default();
        numbers.insert(Self::init(), 0);
        let mut moves: Vec<Vec<AbstractTransition>> = Vec::new();
        let mut lts = Lts::new(1, 0, self.component.alphabet.iter().copied());
        while moves.len() < states.len() {
            if is_over() {
                return Err(AbstractionError::Interrupted);
            }
            let here = moves.len();
            let mut found = Vec::new();
            for (action, to, via) in self.successors(&states[here].clone())? {
                let number = *numbers.entry(to.clone()).or_insert_with(|| {
                    states.push(to);
                    lts.add_state()
                });
                lts.add(here, action, number);
                found.push(AbstractTransition {
                    action,
                    to: number,
                    via,
                });
            }
            moves.push(found);
            if states.len() > most {
                return Err(AbstractionError::TooManyStates { states: most });
            }
        }
        Ok(Model {
            states,
            moves,
            lts,
            predicates: predicates.clone(),
        })
    }

    /// INIT
    pub fn init() -> AbstractState {
        AbstractState {
            place: ControlState::At(0),
            valuation: Box::new([]),
        }
    }

    fn stop() -> AbstractState {
        AbstractState {
            place: ControlState::Stop,
            valuation: Box::new([]),
        }
    }

    /// The transitions of a state.
    pub fn successors(&mut self, state: &AbstractState) -> Result<Vec<(Action, AbstractState, Via)>, AbstractionError> {
        let component = self.component;
        let mut found = Vec::new();
        match state.place {
            ControlState::Stop => {}
            ControlState::At(node) => {
                for edge in &component.automaton.nodes[node].edges {
                    match component.sites.get(edge) {
                        Some(site) => {
                            for abstraction in 0..site.guards.len() {
                                let via = Via::Enter(*edge, abstraction);
                                self.along(state, via, &mut found)?;
                            }
                        }
                        None if component.automaton.edges[*edge].is_astray => {
                            self.along(state, Via::Astray(*edge), &mut found)?;
                        }
                        None if component.automaton.edges[*edge].to == component.automaton.last => {
                            self.returns(state, *edge, &mut found)?;
                        }
                        None => self.along(state, Via::Edge(*edge), &mut found)?,
                    }
                }
            }
            ControlState::Inside(edge, abstraction, inside) => {
                let site = &component.sites[&edge];
                let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                for (action, to) in machine.lts.from(inside) {
                    match site.after[abstraction].get(action) {
                        None => {
                            let to = AbstractState {
                                place: ControlState::Inside(edge, abstraction, *to),
                                valuation: state.valuation.clone(),
                            };
                            found.push((*action, to, Via::Inside(edge, abstraction)));
                        }
                        // A tail call: the component returns right after it.
                        Some(after) if component.automaton.edges[*after].to == component.automaton.last => {
                            self.returns(state, *after, &mut found)?;
                        }
                        Some(after) => self.along(state, Via::Leave(*after), &mut found)?,
                    }
                }
            }
        }
        Ok(found)
    }

    /// The transitions of one rule, except those inside of a routine.
    pub fn along(
        &mut self,
        state: &AbstractState,
        via: Via,
        found: &mut Vec<(Action, AbstractState, Via)>,
    ) -> Result<(), AbstractionError> {
        let component = self.component;
        match via {
            // Assignments, gotos and branches: `Adm(Γ(V1) ∧ c, WP[L(s1)]{Γ(V2)})`; results of routines likewise.
            Via::Edge(edge) | Via::Leave(edge) => {
                let to = component.automaton.edges[edge].to;
                for valuation in self.values_after(state, edge, false)? {
                    let place = ControlState::At(to);
                    found.push((TAU, AbstractState { place, valuation }, via));
                }
            }
            // Call sites, steps 1 and 2: `Adm(g'_i, Γ(V1))`
            Via::Enter(edge, abstraction) => {
                let site = &component.sites[&edge];
                let plan = self.guard(edge, abstraction);
                if !self.follow(&plan, edge, &state.valuation)?.is_empty() {
                    let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                    let place = ControlState::Inside(edge, abstraction, machine.lts.initial);
                    let to = AbstractState {
                        place,
                        valuation: state.valuation.clone(),
                    };
                    found.push((TAU, to, via));
                }
            }
            Via::Return(edge, action) => {
                let mut all = Vec::new();
                self.returns(state, edge, &mut all)?;
                found.extend(all.into_iter().filter(|(taken, ..)| *taken == action));
            }
            Via::Astray(edge) => {
                if let (Some(action), false) = (component.astray, self.values_after(state, edge, false)?.is_empty()) {
                    found.push((action, Self::stop(), via));
                }
            }
            Via::Inside(..) => {}
        }
        Ok(())
    }

    /// Return statements: every return action whose condition may hold of the value; if none of them must hold, also an
    /// action that no specification has.
    fn returns(
        &mut self,
        state: &AbstractState,
        edge: usize,
        found: &mut Vec<(Action, AbstractState, Via)>,
    ) -> Result<(), AbstractionError> {
        let ending = &self.component.ending;
        let mut actions = BTreeSet::new();
        for values in self.values_after(state, edge, true)? {
            let holding = ending.returns.iter().zip(&values).filter(|(_, holds)| **holds);
            let holding: Vec<Action> = holding.map(|((action, _), _)| *action).collect();
            match holding.is_empty() {
                true => actions.extend([ending.otherwise]),
                false => actions.extend(holding),
            }
        }
        for action in actions {
            found.push((action, Self::stop(), Via::Return(edge, action)));
        }
        Ok(())
    }

    /// The possible values of the predicates after an edge; for a return, of the conditions on the value.
    fn values_after(
        &mut self,
        state: &AbstractState,
        edge: usize,
        is_return: bool,
    ) -> Result<Vec<Valuation>, AbstractionError> {
        let plan = self.plan(edge, is_return);
        self.follow(&plan, edge, &state.valuation)
    }

    /// The possible results of a plan.
    fn follow(&mut self, plan: &Plan, edge: usize, valuation: &Valuation) -> Result<Vec<Valuation>, AbstractionError> {
        for slot in &plan.conditions {
            let is_so = match slot {
                Slot::Known(value) => *value,
                Slot::Copied(position, is_same) => valuation[*position] == *is_same,
                Slot::Asked(_) => true,
            };
            if !is_so {
                return Ok(Vec::new());
            }
        }
        let answers = match &plan.question {
            None => Rc::new(vec![Valuation::default()]),
            Some(question) => self.ask(question, edge, valuation)?,
        };
        let complete = |answer: &Valuation| {
            let mut answers = answer.iter();
            let value = |slot: &Slot| match slot {
                Slot::Known(value) => *value,
                Slot::Copied(position, is_same) => valuation[*position] == *is_same,
                Slot::Asked(_) => answers.next().copied().unwrap_or(false),
            };
            plan.results.iter().map(value).collect()
        };
        Ok(answers.iter().map(complete).collect())
    }

    fn plan(&mut self, edge: usize, is_return: bool) -> Rc<Plan> {
        if let Some(known) = self.plans.get(&(edge, is_return)) {
            return Rc::clone(known);
        }
        let taken = &self.component.automaton.edges[edge];
        let after: Vec<Term> = match is_return {
            true => self
                .component
                .ending
                .returns
                .iter()
                .map(|(_, condition)| *condition)
                .collect(),
            false => self.predicates[taken.to].clone(),
        };
        let known = &mut self.oracle.before;
        let mut weakest = |formula: Term| *known.entry((edge, formula)).or_insert_with(|| taken.before(formula));
        let results: Vec<Term> = after.into_iter().map(&mut weakest).collect();
        let plan = Rc::new(self.planned(taken.from, &conjuncts(taken.condition), &results));
        self.plans.insert((edge, is_return), Rc::clone(&plan));
        plan
    }

    fn guard(&mut self, edge: usize, abstraction: usize) -> Rc<Plan> {
        if let Some(known) = self.guards.get(&(edge, abstraction)) {
            return Rc::clone(known);
        }
        let guard = self.component.sites[&edge].guards[abstraction];
        let node = self.component.automaton.edges[edge].from;
        let plan = Rc::new(self.planned(node, &conjuncts(guard), &[]));
        self.guards.insert((edge, abstraction), Rc::clone(&plan));
        plan
    }

    /// Splits formulas at a node into those determined by its predicates and those that need a query.
    fn planned(&mut self, node: usize, conditions: &[Term], results: &[Term]) -> Plan {
        let before = &self.predicates[node];
        let conditions: Vec<Slot> = conditions.iter().map(|formula| slot(*formula, before)).collect();
        let results: Vec<Slot> = results.iter().map(|formula| slot(*formula, before)).collect();
        let asked_of = |slots: &[Slot]| -> Vec<Term> {
            let asked = slots.iter().filter_map(|slot| match slot {
                Slot::Asked(formula) => Some(*formula),
                _ => None,
            });
            asked.collect()
        };
        let (assumed, asked) = (asked_of(&conditions), asked_of(&results));
        let question = (!assumed.is_empty() || !asked.is_empty()).then(|| {
            let functions = &mut self.oracle.functions;
            let mut of = |term: Term| Rc::clone(functions.entry(term).or_insert_with(|| Rc::new(functions_of(term))));
            let mut mentioned: BTreeSet<Function> = BTreeSet::new();
            for formula in assumed.iter().chain(&asked) {
                mentioned.extend(of(*formula).iter());
            }
            // The transitive closure of predicates that share symbols with the query.
            let mut relevant: BTreeSet<usize> = BTreeSet::new();
            loop {
                let count = relevant.len();
                for (position, predicate) in before.iter().enumerate() {
                    if !relevant.contains(&position) && !of(*predicate).is_disjoint(&mentioned) {
                        relevant.insert(position);
                        mentioned.extend(of(*predicate).iter());
                    }
                }
                if relevant.len() == count {
                    break;
                }
            }
            let mut assumed = assumed;
            assumed.extend(self.component.ranges(&mentioned));
            Query {
                relevant: relevant.into_iter().collect(),
                assumed,
                asked,
                answers: RefCell::default(),
            }
        });
        Plan {
            conditions,
            results,
            question,
        }
    }

    /// Runs a query under the values of its relevant predicates.
    fn ask(&mut self, question: &Query, edge: usize, valuation: &Valuation) -> Result<Answers, AbstractionError> {
        let values: Vec<bool> = question.relevant.iter().map(|position| valuation[*position]).collect();
        if let Some(known) = question.answers.borrow().get(&values) {
            return Ok(Rc::clone(known));
        }
        let node = self.component.automaton.edges[edge].from;
        let predicates = question
            .relevant
            .iter()
            .map(|position| self.predicates[node][*position]);
        let literals = predicates
            .zip(&values)
            .map(|(predicate, value)| literal(predicate, *value));
        let mut assumptions: Vec<Term> = literals.chain(question.assumed.iter().copied()).collect();
        assumptions.sort_unstable();
        assumptions.dedup();
        let answers = self.oracle.values(assumptions, question.asked.clone())?;
        question.answers.borrow_mut().insert(values, Rc::clone(&answers));
        Ok(answers)
    }
}

impl Component<'_> {
    /// The ranges of cells and choices.
    pub fn ranges(&self, functions: &BTreeSet<Function>) -> Vec<Term> {
        let range = |function: &Function| {
            let cell = self.flow.cells.get(function);
            cell.or(self.automaton.ranges.get(function)).copied()
        };
        let ranges = functions.iter().filter_map(range);
        ranges.filter(|range| !range.is_true()).collect()
    }
}

/// The slot of a simplified formula.
fn slot(formula: Term, predicates: &[Term]) -> Slot {
    if formula.is_true() || formula.is_false() {
        return Slot::Known(formula.is_true());
    }
    let (predicate, is_same) = canonical(formula);
    match predicates.binary_search(&predicate) {
        Ok(position) => Slot::Copied(position, is_same),
        Err(_) => Slot::Asked(formula),
    }
}
