//! The abstract state graph over some predicates, to be looked at.
//!
//! Breadth-first from the abstract initial states, one state and rule at a time. What may follow is kept in a diagram
//! for each rule: a candidate that the solver refutes takes its core out of it, so that no two candidates fail for the
//! same reason. A transition is drawn unless it is refuted.

use super::approximate::facts;
use super::machine::{AbstractState, AbstractTrace, after, before};
use super::query::{Literal, Possible, Query};
use crate::goal::Goal;
use bdd::{Bdd, Manager};
use logic::Cancellation;
use logic::Term;
use smt::{SolverError, Solvers};
use std::collections::{BTreeMap, VecDeque};
use system::TransitionSystem;
use system::graph::{Graph, Node};
use system::transition::Rule;

/// More states than this are of no use to anybody.
pub const GRAPH_LIMIT: usize = 200;
/// The solver is asked at most so often.
const CHECKS: usize = 20_000;

/// What is drawn.
pub struct Subject<'s> {
    pub system: &'s TransitionSystem,
    pub goal: &'s Goal,
    pub predicates: &'s [Term],
    /// The predicates in the user's notation.
    pub texts: &'s [String],
    /// What holds in every reachable state, and was proved beside the predicates.
    pub known: &'s [Term],
    /// A run into a bad state, to be seen at once.
    pub trace: Option<&'s AbstractTrace>,
}

/// Draws the states that are reachable in the abstraction; where they are too many, those nearest to the initial ones.
pub fn abstract_graph(subject: &Subject, solvers: &Solvers) -> Result<Graph, SolverError> {
    let mut builder = Builder::new(subject, solvers)?;
    builder.add_trace();
    builder.search()?;
    Ok(builder.finish())
}

/// A start or rule, with what is known of its abstract relation.
struct Step {
    name: String,
    query: Query,
    relation: Bdd,
}

struct Builder<'s> {
    subject: &'s Subject<'s>,
    manager: Manager,
    starts: Vec<Step>,
    rules: Vec<Step>,
    bad: Query,
    numbers: BTreeMap<AbstractState, usize>,
    graph: Graph,
    cancellation: Cancellation,
    checks: usize,
    /// Something was left out.
    cut: bool,
}

fn variable(literal: &Literal) -> u32 {
    match literal.after {
        true => after(literal.predicate),
        false => before(literal.predicate),
    }
}

fn literals(state: &AbstractState, after: bool) -> impl Iterator<Item = Literal> + '_ {
    state.iter().enumerate().map(move |(predicate, value)| Literal {
        predicate,
        after,
        value: *value,
    })
}

impl<'s> Builder<'s> {
    fn new(subject: &'s Subject<'s>, solvers: &Solvers) -> Result<Builder<'s>, SolverError> {
        let Subject {
            system,
            goal,
            predicates,
            known,
            ..
        } = subject;
        let always = [facts(system, goal).as_slice(), known].concat();
        let rigid: Vec<Term> = system.axioms.iter().map(|axiom| axiom.formula).collect();
        let rigid: Vec<Term> = rigid.into_iter().chain(goal.hypotheses.iter().copied()).collect();
        let query = |facts: &[Term], more: &[Term], step| {
            let mut query = Query::new(solvers, &[facts, more].concat(), step)?;
            predicates
                .iter()
                .try_for_each(|predicate| query.add_predicate(*predicate))?;
            Ok::<_, SolverError>(query)
        };
        let step = |facts: &[Term], rule: &Rule| {
            let substitution = rule.substitution();
            let constraint = substitution.apply(rule.constraint);
            Ok::<_, SolverError>(Step {
                name: rule.name.clone(),
                query: query(facts, &[rule.guard, constraint], substitution)?,
                relation: Manager::TRUE,
            })
        };
        let steps = |facts: &[Term], rules: &[Rule]| {
            let steps = rules.iter().map(|rule| step(facts, rule));
            steps.collect::<Result<Vec<Step>, SolverError>>()
        };
        Ok(Builder {
            subject,
            manager: Manager::new(),
            starts: steps(&rigid, &system.starts)?,
            rules: steps(&always, &system.rules)?,
            bad: query(&always, &[goal.bad], logic::Substitution::default())?,
            numbers: BTreeMap::new(),
            graph: Graph::default(),
            cancellation: solvers.cancellation().clone(),
            checks: 0,
            cut: false,
        })
    }

    /// The number of a state, which is added if it is new; `None` where there are too many.
    fn number(&mut self, state: &AbstractState, depth: usize) -> Option<usize> {
        if let Some(known) = self.numbers.get(state) {
            return Some(*known);
        }
        if self.graph.nodes.len() == GRAPH_LIMIT {
            self.cut = true;
            return None;
        }
        let line = |(text, value): (&String, &bool)| format!("{}{text}", if *value { "" } else { "not  " });
        let lines: Vec<String> = self.subject.texts.iter().zip(state).map(line).collect();
        self.graph.nodes.push(Node {
            depth,
            text: lines.join("\n"),
            facts: state.clone(),
            ..Node::default()
        });
        self.numbers.insert(state.clone(), self.graph.nodes.len() - 1);
        Some(self.graph.nodes.len() - 1)
    }

    fn add_trace(&mut self) {
        let Some(trace) = self.subject.trace else { return };
        let mut before = None;
        for (depth, state) in trace.states.iter().enumerate() {
            let Some(number) = self.number(state, depth) else {
                return;
            };
            self.graph.nodes[number].highlighted = true;
            self.graph.nodes[number].start |= depth == 0;
            if let Some(before) = before {
                self.graph
                    .connect(before, number, &self.rules[trace.rules[depth - 1]].name);
                self.highlight(before, number);
            }
            before = Some(number);
        }
    }

    fn highlight(&mut self, from: usize, to: usize) {
        let edges = self.graph.edges.iter_mut();
        edges
            .filter(|edge| edge.from == from && edge.to == to)
            .for_each(|edge| edge.highlighted = true);
    }

    fn search(&mut self) -> Result<(), SolverError> {
        let mut queue = VecDeque::new();
        for start in 0..self.starts.len() {
            for state in self.successors(true, start, &Vec::new())? {
                if let Some(number) = self.number(&state, 0) {
                    self.graph.nodes[number].start = true;
                    queue.push_back(state);
                }
            }
        }
        let mut seen: Vec<bool> = Vec::new();
        while let Some(state) = queue.pop_front() {
            let Some(from) = self.numbers.get(&state).copied() else {
                continue;
            };
            seen.resize(seen.len().max(from + 1), false);
            if std::mem::replace(&mut seen[from], true) {
                continue;
            }
            if self.cancellation.is_cancelled() {
                self.cut = true;
                return Ok(());
            }
            self.checks += 1;
            let bad: Vec<Literal> = literals(&state, false).collect();
            if !matches!(self.bad.possible(&bad)?, Possible::No(_)) {
                // Bad states are not left.
                self.graph.nodes[from].violation = Some(format!("\"{}\" may fail", self.subject.goal.name));
                continue;
            }
            let depth = self.graph.nodes[from].depth + 1;
            for rule in 0..self.rules.len() {
                for next in self.successors(false, rule, &state)? {
                    if let Some(to) = self.number(&next, depth) {
                        self.graph.connect(from, to, &self.rules[rule].name);
                        queue.push_back(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// The states that a rule may lead to, or that a start may make.
    fn successors(
        &mut self,
        is_start: bool,
        number: usize,
        from: &AbstractState,
    ) -> Result<Vec<AbstractState>, SolverError> {
        let predicates = self.subject.predicates.len();
        let manager = &mut self.manager;
        let step = if is_start {
            &mut self.starts[number]
        } else {
            &mut self.rules[number]
        };
        let given: Vec<Literal> = literals(from, false).collect();
        let mut found = Vec::new();
        let here = cube(manager, &given);
        let mut candidates = manager.and(step.relation, here);
        while let Some(path) = manager.pick(candidates) {
            let enough = self.checks >= CHECKS || found.len() > GRAPH_LIMIT;
            if enough || self.cancellation.is_cancelled() {
                self.cut = true;
                break;
            }
            self.checks += 1;
            let path: BTreeMap<u32, bool> = path.into_iter().collect();
            // What the diagram leaves open probably stays as it is.
            let value = |n: usize| {
                let known = path.get(&after(n)).copied();
                known.unwrap_or_else(|| from.get(n).copied().unwrap_or(false))
            };
            let state: AbstractState = (0..predicates).map(value).collect();
            let made: Vec<Literal> = literals(&state, true).collect();
            let refuted = match step.query.possible(&[given.as_slice(), &made].concat())? {
                Possible::No(core) => {
                    let core = cube(manager, &core);
                    let rest = manager.not(core);
                    step.relation = manager.and(step.relation, rest);
                    core
                }
                Possible::Yes | Possible::Maybe(_) => {
                    found.push(state);
                    cube(manager, &made)
                }
            };
            let rest = manager.not(refuted);
            candidates = manager.and(candidates, rest);
        }
        Ok(found)
    }

    fn finish(mut self) -> Graph {
        self.graph.predicates = self.subject.texts.to_vec();
        if self.cut {
            let note = format!("not all states are shown, only the first {}", self.graph.nodes.len());
            self.graph.legend.push(note);
        }
        self.graph
    }
}

/// The assignments in which all these literals hold.
fn cube(manager: &mut Manager, literals: &[Literal]) -> Bdd {
    let mut cube = Manager::TRUE;
    for literal in literals {
        let literal = manager.literal(variable(literal), literal.value);
        cube = manager.and(cube, literal);
    }
    cube
}
