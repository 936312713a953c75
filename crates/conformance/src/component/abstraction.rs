//! Predicate abstraction of a component, sections 5.2 to 5.4: from predicates at nodes to a labelled transition system.
//!
//! A transition is left out only where the solver says that the statement does not lead there. Conditions and the
//! values of predicates afterwards are asked for together, which is a little more precise than the pairs of the paper.
//! What a predicate before the statement decides by its value is not asked.

use super::Component;
use super::automaton::{canonical, conjuncts};
use super::predicates::Predicates;
use crate::lts::{Action, Lts, TAU};
use logic::substitute::functions_of;
use logic::{Function, Term, Value, term};
use rustc_hash::FxHashMap;
use smt::{Answer, Purpose, Solver, SolverError, UnknownReason};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The values of the predicates of a node, in their order.
pub type Valuation = Box<[bool]>;

/// Where a component is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    At(usize),
    /// In a routine: the edge of the call, the abstraction, and its state.
    Inside(usize, usize, usize),
    Stop,
}

/// A state of `MP`: `(s, V)`, `(s, V, c)` or STOP.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    pub place: Place,
    pub valuation: Valuation,
}

/// Which rule of section 5.4 a transition comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Via {
    /// An assignment or a branch.
    Edge(usize),
    /// A call of a routine begins: the edge of the call, and the abstraction.
    Enter(usize, usize),
    /// The routine does something.
    Inside(usize, usize),
    /// The routine returns: the edge that takes the result.
    Leave(usize),
    /// The component returns, by this edge and with this action; the edge may take the result of a routine.
    Return(usize, Action),
    /// A call through a pointer leads to what nobody knows.
    Astray(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub action: Action,
    pub to: usize,
    pub via: Via,
}

/// `MP(P)`. State 0 is INIT.
#[derive(Clone, Debug)]
pub struct Model {
    pub states: Vec<State>,
    pub moves: Vec<Vec<Move>>,
    pub lts: Lts,
    pub predicates: Predicates,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Trouble {
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

/// All values that formulas can have together.
type Answers = Rc<Vec<Valuation>>;

/// Asks the solver, and remembers what it said: the same is asked again in later iterations.
pub struct Oracle {
    solver: Box<dyn Solver>,
    /// By what is assumed and what is asked.
    known: FxHashMap<(Vec<Term>, Vec<Term>), Answers>,
    /// `WP[edge]{formula}`
    before: FxHashMap<(usize, Term), Term>,
    /// What a formula speaks of.
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

    /// All values that the asked formulas can have together where the assumptions hold.
    fn values(&mut self, assumptions: Vec<Term>, asked: Vec<Term>) -> Result<Answers, Trouble> {
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
                Answer::Unknown(UnknownReason::Interrupted) => break Err(Trouble::Interrupted),
                Answer::Unknown(reason) => break Err(Trouble::Undecided(reason)),
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

pub(crate) fn literal(formula: Term, value: bool) -> Term {
    if value { formula } else { term::not(formula) }
}

/// What is known of a formula before a statement.
enum Slot {
    Known(bool),
    /// The value of a predicate there, or its opposite.
    Copied(usize, bool),
    Asked(Term),
}

/// What an edge does with predicates.
struct Plan {
    conditions: Vec<Slot>,
    results: Vec<Slot>,
    question: Option<Question>,
}

/// What is asked about a statement: it depends on some of the predicates before it only.
struct Question {
    /// Their positions.
    relevant: Vec<usize>,
    /// What is assumed beside their values.
    assumed: Vec<Term>,
    asked: Vec<Term>,
    /// By the values of the relevant ones.
    answers: RefCell<FxHashMap<Vec<bool>, Answers>>,
}

/// The transitions of a component, one state at a time.
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

    /// `MP(P)`, as far as it can be reached.
    pub fn model(
        &mut self,
        predicates: &Predicates,
        most: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Model, Trouble> {
        let mut states = vec![Self::init()];
        let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
        numbers.insert(Self::init(), 0);
        let mut moves: Vec<Vec<Move>> = Vec::new();
        let mut lts = Lts::new(1, 0, self.component.alphabet.iter().copied());
        while moves.len() < states.len() {
            if is_over() {
                return Err(Trouble::Interrupted);
            }
            let here = moves.len();
            let mut found = Vec::new();
            for (action, to, via) in self.successors(&states[here].clone())? {
                let number = *numbers.entry(to.clone()).or_insert_with(|| {
                    states.push(to);
                    lts.add_state()
                });
                lts.add(here, action, number);
                found.push(Move {
                    action,
                    to: number,
                    via,
                });
            }
            moves.push(found);
            if states.len() > most {
                return Err(Trouble::TooManyStates { states: most });
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
    pub fn init() -> State {
        State {
            place: Place::At(0),
            valuation: Box::new([]),
        }
    }

    fn stop() -> State {
        State {
            place: Place::Stop,
            valuation: Box::new([]),
        }
    }

    /// Where a state leads.
    pub fn successors(&mut self, state: &State) -> Result<Vec<(Action, State, Via)>, Trouble> {
        let component = self.component;
        let mut found = Vec::new();
        match state.place {
            Place::Stop => {}
            Place::At(node) => {
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
            Place::Inside(edge, abstraction, inside) => {
                let site = &component.sites[&edge];
                let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                for (action, to) in machine.lts.from(inside) {
                    match site.after[abstraction].get(action) {
                        None => {
                            let to = State {
                                place: Place::Inside(edge, abstraction, *to),
                                valuation: state.valuation.clone(),
                            };
                            found.push((*action, to, Via::Inside(edge, abstraction)));
                        }
                        // A call in tail position: nothing lies between it and the end of the component.
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

    /// The transitions that come from one rule, apart from those in a routine.
    pub fn along(&mut self, state: &State, via: Via, found: &mut Vec<(Action, State, Via)>) -> Result<(), Trouble> {
        let component = self.component;
        match via {
            // Assignments, gotos and branches: `Adm(Γ(V1) ∧ c, WP[L(s1)]{Γ(V2)})`; so are results of routines.
            Via::Edge(edge) | Via::Leave(edge) => {
                let to = component.automaton.edges[edge].to;
                for valuation in self.values_after(state, edge, false)? {
                    let place = Place::At(to);
                    found.push((TAU, State { place, valuation }, via));
                }
            }
            // Call-sites, step 1 and 2: `Adm(g'_i, Γ(V1))`
            Via::Enter(edge, abstraction) => {
                let site = &component.sites[&edge];
                let plan = self.guard(edge, abstraction);
                if !self.follow(&plan, edge, &state.valuation)?.is_empty() {
                    let machine = &component.routines[site.routine].abstractions[abstraction].machine;
                    let place = Place::Inside(edge, abstraction, machine.lts.initial);
                    let to = State {
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

    /// Return statements: every return action whose condition can hold of the value; and where none needs to, an action
    /// that no specification has.
    fn returns(&mut self, state: &State, edge: usize, found: &mut Vec<(Action, State, Via)>) -> Result<(), Trouble> {
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

    /// What the predicates after an edge can be; of a return, the conditions on the value.
    fn values_after(&mut self, state: &State, edge: usize, is_return: bool) -> Result<Vec<Valuation>, Trouble> {
        let plan = self.plan(edge, is_return);
        self.follow(&plan, edge, &state.valuation)
    }

    /// What can come of a plan.
    fn follow(&mut self, plan: &Plan, edge: usize, valuation: &Valuation) -> Result<Vec<Valuation>, Trouble> {
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

    /// What is known at a node of conditions and of what comes after, and what must be asked.
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
            // Predicates that have to do with it, and those that have to do with these.
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
            Question {
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

    /// Asks, given the values of the predicates that have to do with it.
    fn ask(&mut self, question: &Question, edge: usize, valuation: &Valuation) -> Result<Answers, Trouble> {
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
    /// What the types of cells and choices say.
    pub fn ranges(&self, functions: &BTreeSet<Function>) -> Vec<Term> {
        let range = |function: &Function| {
            let cell = self.flow.cells.get(function);
            cell.or(self.automaton.ranges.get(function)).copied()
        };
        let ranges = functions.iter().filter_map(range);
        ranges.filter(|range| !range.is_true()).collect()
    }
}

/// Of a formula that is simplified.
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
