//! The whole state of a session as plain data in the user's notation.
//!
//! Nothing here proves anything. What the solver is asked for pictures is not counted among the checks of the session.

use crate::abstracting::{control, instances, trace_rows, wishes_of};
use crate::analysis::told;
use crate::reply::{Named, Row, Sequent};
use crate::session::{Session, World};
use crate::state::{Run, State};
use abstraction::goal::{Goal, goals};
use abstraction::predicate::discovery::unroll::{self, partial};
use abstraction::predicate::{Subject, abstract_graph};
use driver::notation;
use logic::normal_forms::values_of;
use logic::simplify::simplify;
use logic::{Cancellation, Sort, Term, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use std::sync::Arc;
use system::Span;
use system::graph::Graph;

/// Cells of a state that are shown.
const CELLS: usize = 60;
/// States of a picture times goals that the solver is asked about.
const QUESTIONS: usize = 1_000;

/// What is known, in words.
pub struct View {
    pub goals: Vec<GoalView>,
    pub facts: Vec<Named>,
    pub offers: Vec<Named>,
    /// What is left to show of the goal in hand; `None` before `induct`.
    pub subgoals: Option<Vec<Sequent>>,
    pub run: Option<RunView>,
    pub is_finished: bool,
}

pub struct GoalView {
    pub name: String,
    pub text: String,
    pub is_conjecture: bool,
    pub is_proved: bool,
    /// The solver has a run into a state in which it does not hold.
    pub is_refuted: bool,
    pub is_in_hand: bool,
    /// Nowhere for a conjecture.
    pub span: Span,
}

/// The abstract run that stands in the way.
pub struct RunView {
    /// What holds in its last state.
    pub bad: String,
    pub predicates: Vec<String>,
    pub rows: Vec<Row>,
}

/// A state that the solver found: how the user writes its parts, and their values.
pub type Concrete = Vec<(String, String)>;

/// The abstract states over the predicates in use.
pub struct Picture {
    pub graph: Graph,
    /// Of each state, one that the solver does not refute; `None` where there is none, or the solver was not asked.
    pub witnesses: Vec<Option<Concrete>>,
    /// What states can be told apart by: a goal or a wish, and whether it may fail in each of them.
    pub colours: Vec<(String, Vec<bool>)>,
    /// The one of them that the picture is about.
    pub about: usize,
}

impl Session<'_> {
    /// From now on this switch ends what is under way, too; what was to end it before must be its parent.
    pub fn listen_to(&mut self, cancellation: &Cancellation) {
        self.context.solvers = self.context.solvers.under(cancellation);
    }

    pub fn view(&self) -> View {
        let state = self.state();
        let goals = state.statements.iter().enumerate().map(|(number, statement)| GoalView {
            name: statement.name.clone(),
            text: notation::closed_formula(&self.prepared, statement.formula),
            is_conjecture: statement.is_conjecture,
            is_proved: statement.is_proved,
            is_refuted: statement.is_refuted,
            is_in_hand: number == state.focus,
            span: self.stated(&statement.name),
        });
        let run = state.run.as_ref().map(|run| {
            let text = |formula: Term| notation::formula(&self.prepared, &run.goal, formula);
            RunView {
                bad: text(run.goal.bad),
                predicates: run.predicates.iter().map(|predicate| text(*predicate)).collect(),
                rows: trace_rows(&self.world(), run),
            }
        });
        View {
            goals: goals.collect(),
            facts: self.proved_facts(),
            offers: self.offered_predicates(),
            subgoals: state.subgoals.is_some().then(|| wishes_of(&self.world(), state)),
            run,
            is_finished: state.is_finished(),
        }
    }

    fn stated(&self, name: &str) -> Span {
        let mut properties = self.subject().properties.iter();
        properties
            .find(|property| property.name == name)
            .map_or_else(Span::default, |property| property.span)
    }

    fn unaccounted(&self) -> Solvers {
        self.context.solvers.counting(&Arc::default())
    }

    /// Concrete states beside those of the abstract run, as far as there is a run through them: one state less than
    /// the run has means that its last step is impossible.
    pub fn concrete(&self) -> Result<Vec<Concrete>, SolverError> {
        let Some(run) = &self.state().run else {
            return Ok(Vec::new());
        };
        let solvers = self.unaccounted();
        let world = World {
            solvers: &solvers,
            ..self.world()
        };
        let known = known(self.state(), Some(run));
        let cells = self.cells(&run.goal);
        let mut found = Vec::new();
        for step in 0..run.trace.states.len() {
            let upto = |step| partial(&self.prepared, &run.goal, &run.predicates, &run.trace, None, step);
            let mut solver = told(&world, &run.goal, &known)?;
            for formula in &upto(step).formulas {
                solver.assert(simplify(*formula))?;
            }
            if solver.check(Purpose::Trace)? != Answer::Sat {
                break;
            }
            let model = solver.model()?;
            found = (0..=step)
                .map(|step| self.values(&run.goal, &cells, &upto(step), &*model))
                .collect();
        }
        Ok(found)
    }

    /// The abstract states over the predicates in use, about the run where there is one, or else about the goal in
    /// hand; `None` where no predicate is in use.
    pub fn picture(&self) -> Result<Option<Picture>, SolverError> {
        let state = self.state();
        let Some(statement) = state.in_hand().filter(|_| !state.predicates.is_empty()) else {
            return Ok(None);
        };
        let run = state.run.as_ref();
        let wishes = state.subgoals.as_deref().unwrap_or_default();
        let goal = match (run, wishes) {
            (Some(run), _) => Some(run.goal.clone()),
            (None, [wish, ..]) => Some(wish.goal.clone()),
            (None, []) => goals(&statement.name, statement.formula, &self.prepared)
                .into_iter()
                .next(),
        };
        let Some(goal) = goal else { return Ok(None) };
        let predicates = match run {
            Some(run) => run.predicates.clone(),
            None => self.predicates_of(&goal),
        };
        let texts: Vec<String> = predicates
            .iter()
            .map(|predicate| notation::formula(&self.prepared, &goal, *predicate))
            .collect();
        let solvers = self.unaccounted();
        let known = known(state, run);
        let subject = Subject {
            system: &self.prepared,
            goal: &goal,
            predicates: &predicates,
            texts: &texts,
            known: &known,
            trace: run.map(|run| &run.trace),
        };
        let graph = abstract_graph(&subject, &solvers)?;
        let states = graph.nodes.len();
        let failures = self.failures(1 + QUESTIONS / states.max(1));
        let about = match run {
            Some(run) => run.wish.map_or(0, |wish| wish + 1),
            None => usize::from(!wishes.is_empty()),
        };
        let colour = |(name, _): &(String, Term)| (name.clone(), vec![false; states]);
        let mut picture = Picture {
            witnesses: vec![None; states],
            colours: failures.iter().map(colour).collect(),
            about: about.min(failures.len().saturating_sub(1)),
            graph,
        };
        for number in 0..states {
            if solvers.cancellation().is_cancelled() {
                break;
            }
            self.look(&mut picture, number, &goal, &predicates, &failures)?;
        }
        Ok(Some(picture))
    }

    /// What can go wrong: the goal in hand, and each wish.
    fn failures(&self, most: usize) -> Vec<(String, Term)> {
        let state = self.state();
        let statement = state.in_hand().map(|s| (s.name.clone(), term::not(s.formula)));
        let wishes = (1..).zip(state.subgoals.as_deref().unwrap_or_default());
        let wishes = wishes.map(|(number, wish)| (format!("wish {number}"), wish.goal.bad));
        statement.into_iter().chain(wishes).take(most).collect()
    }

    /// Looks for a concrete state like one of a picture, and for what may fail there. What was assumed on the way to a
    /// violation may fail as well as anything else.
    fn look(
        &self,
        picture: &mut Picture,
        number: usize,
        goal: &Goal,
        predicates: &[Term],
        failures: &[(String, Term)],
    ) -> Result<(), SolverError> {
        let solvers = self.unaccounted();
        let world = World {
            solvers: &solvers,
            ..self.world()
        };
        let mut solver = told(&world, goal, &self.state().known())?;
        let mut here = unroll::Run::new();
        here.meet(predicates, &picture.graph.nodes[number].facts);
        for formula in &here.formulas {
            solver.assert(simplify(*formula))?;
        }
        if solver.check(Purpose::Trace)? == Answer::Sat {
            let model = solver.model()?;
            let values = self.values(goal, &self.cells(goal), &unroll::Run::new(), &*model);
            picture.witnesses[number] = Some(values);
        }
        for ((_, may_fail), (_, failure)) in picture.colours.iter_mut().zip(failures) {
            solver.push()?;
            solver.assert(simplify(*failure))?;
            may_fail[number] = solver.check(Purpose::Trace)? != Answer::Unsat;
            solver.pop()?;
        }
        Ok(())
    }

    fn predicates_of(&self, goal: &Goal) -> Vec<Term> {
        let mut predicates = control(&self.world(), goal);
        for predicate in &self.state().in_use() {
            for instance in instances(predicate, goal) {
                if !predicates.contains(&instance) {
                    predicates.push(instance);
                }
            }
        }
        predicates
    }

    /// The constants of a goal, and the parts of the state that speak of them.
    fn cells(&self, goal: &Goal) -> Vec<Term> {
        let constants = goal.constants.iter().map(|(constant, _)| constant.apply([]));
        let mut cells: Vec<Term> = constants.collect();
        for symbol in &self.prepared.state {
            let mut tuples = vec![Vec::new()];
            for sort in symbol.function.parameters() {
                let values = candidates(*sort, goal);
                let longer = |tuple: &Vec<Term>| {
                    let tuple = tuple.clone();
                    values
                        .iter()
                        .map(move |last| [&tuple[..], &[*last]].concat())
                        .collect::<Vec<_>>()
                };
                tuples = tuples.iter().flat_map(longer).take(CELLS).collect();
            }
            cells.extend(tuples.into_iter().map(|arguments| symbol.function.apply(arguments)));
        }
        cells.truncate(CELLS);
        cells
    }

    /// What a model says of the cells after a run; of what it says nothing, nothing is shown.
    fn values(&self, goal: &Goal, cells: &[Term], run: &unroll::Run, model: &dyn smt::Model) -> Concrete {
        let value = |cell: &Term| {
            let name = notation::formula(&self.prepared, goal, *cell);
            let value = model.value(simplify(run.state.apply(*cell))).ok()?;
            // Names with this sign are not the user's.
            Some((name, value.to_string())).filter(|(name, _)| !name.contains('!'))
        };
        cells.iter().filter_map(value).collect()
    }
}

/// What holds in every state on the way to a violation.
fn known(state: &State, run: Option<&Run>) -> Vec<Term> {
    let mut known = state.known();
    if run.is_some_and(|run| run.wish.is_some()) {
        known.extend(state.in_hand().map(|statement| statement.formula));
    }
    known
}

/// What can stand for an argument: the goal's constants, or all values where they are few.
fn candidates(sort: Sort, goal: &Goal) -> Vec<Term> {
    let constants = goal.constants.iter().filter(|(constant, _)| constant.result() == sort);
    let constants: Vec<Term> = constants.map(|(constant, _)| constant.apply([])).collect();
    match constants.is_empty() {
        true => values_of(sort).unwrap_or_default(),
        false => constants,
    }
}
