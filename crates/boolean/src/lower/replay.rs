//! From a run of the system to one of the program.
//!
//! An engine hands over which rules a run takes, and the values that it knows. The run is followed with a diagram for
//! each variable, over the state in which it begins and the choices of its rules; what the guards and the known values
//! leave open is picked. Where a rule passes a call, Bebop looks for a run of the callee between the two states, in a
//! program made for that. The interpreter replays the whole.

use super::{Lowered, LoweredRule, Node, RuleKind};
use crate::bebop::{self, Verdict, check_run_first};
use crate::interpret::NotAllowed;
use crate::program::{Action, Expression, Procedure, ProcedureId, Program, Statement, StatementId, Variable};
use crate::trace::{Point, State, Trace};
use bdd::{Bdd, Manager};
use logic::{Cancellation, Function, Kind, Term};
use std::collections::BTreeMap;
use system::transition::{Rule, TransitionSystem};
use thiserror::Error;

/// A rule that a run takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemStep {
    /// Its position in the system.
    pub rule: usize,
    /// What is known: the values of its choices, and of state functions before it. None has to be.
    pub values: BTreeMap<Function, bool>,
}

/// Why a run of the system is none of the program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoReplay {
    #[error("step {0} of the run is no rule of the system, or begins elsewhere than the one before it ends")]
    NoRule(usize),
    #[error("step {0} of the run is not possible after those before it")]
    NotEnabled(usize),
    /// The contract of the callee allows more than the callee does.
    #[error("no run of the procedure that step {0} passes leads to the values after it")]
    Spurious(usize),
    #[error("the run ends at no assertion that fails")]
    NoFailure,
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    #[error(transparent)]
    Bebop(#[from] bebop::Error),
}

/// The values of variables, by the state in which a run begins and by its choices.
struct Symbolic {
    manager: Manager,
    values: BTreeMap<Function, Bdd>,
    next: u32,
}

impl Lowered<'_> {
    /// The run of the program that these rules of a system are: [`Lowered::system`], or one with contracts.
    pub fn replay(
        &self,
        system: &TransitionSystem,
        steps: &[SystemStep],
        cancellation: &Cancellation,
    ) -> Result<Trace, NoReplay> {
        let rules = self.rules_of(steps)?;
        let states = self.states(system, steps, &rules, cancellation)?;
        let mut points = Vec::new();
        let mut depth = 0;
        let point = |node: Node, depth: usize, state: &BTreeMap<Function, bool>| {
            self.point(node, depth, &|function| {
                state.get(&function).copied().unwrap_or_default()
            })
        };
        points.extend(point(self.beginning(), depth, &states[0]));
        for (number, (rule, pair)) in rules.iter().zip(states.windows(2)).enumerate() {
            let (before, after) = (point(rule.from, depth, &pair[0]), point(rule.to, depth, &pair[1]));
            match rule.kind {
                RuleKind::Step => points.extend(after),
                RuleKind::Enter(_) => depth += 1,
                RuleKind::Begin => points.extend(point(rule.to, depth, &pair[1])),
                RuleKind::Return => {}
                RuleKind::Pass(call) => {
                    if let (Some(before), Some(after)) = (before, after) {
                        let inside = self.inside(self.calls[call].statement, &before.state, &after.state, cancellation);
                        let inside = inside?.ok_or(NoReplay::Spurious(number))?;
                        points.extend(inside.into_iter().map(|inner| Point {
                            depth: inner.depth + depth,
                            ..inner
                        }));
                        points.push(after);
                    }
                }
                RuleKind::Fail => {
                    let Node::Failed(failing) = rule.to else {
                        return Err(NoReplay::NoFailure);
                    };
                    let trace = Trace { points, failing };
                    self.interpreter.replay(&trace)?;
                    return Ok(trace);
                }
            }
        }
        Err(NoReplay::NoFailure)
    }

    pub(super) fn beginning(&self) -> Node {
        let entry = self.program.entry;
        Node::At(entry, self.interpreter.begin(entry))
    }

    /// The rules, where each begins where the one before it ends.
    fn rules_of(&self, steps: &[SystemStep]) -> Result<Vec<LoweredRule>, NoReplay> {
        let mut here = self.beginning();
        let mut rules = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let rule = self.rules.get(step.rule).filter(|rule| rule.from == here);
            let rule = *rule.ok_or(NoReplay::NoRule(number))?;
            here = rule.to;
            rules.push(rule);
        }
        Ok(rules)
    }

    /// Values of all variables before, between and after the rules.
    fn states(
        &self,
        system: &TransitionSystem,
        steps: &[SystemStep],
        rules: &[LoweredRule],
        cancellation: &Cancellation,
    ) -> Result<Vec<BTreeMap<Function, bool>>, NoReplay> {
        let mut symbolic = Symbolic {
            manager: Manager::interruptible(cancellation),
            values: BTreeMap::new(),
            next: 0,
        };
        let variables = system.state.iter().map(|symbol| symbol.function);
        let variables: Vec<Function> = variables.filter(|function| *function != self.control).collect();
        for variable in &variables {
            symbolic.choose(*variable);
        }
        let mut possible = Manager::TRUE;
        for start in &system.starts {
            let constraint = symbolic.of(start.constraint, self, self.beginning());
            possible = symbolic.manager.and(possible, constraint);
        }
        let mut symbolic_states = vec![symbolic.values.clone()];
        for (number, (step, lowered)) in steps.iter().zip(rules).enumerate() {
            let rule = system.rules.get(step.rule).ok_or(NoReplay::NoRule(number))?;
            let enabled = self.step(&mut symbolic, rule, step, lowered.from);
            possible = symbolic.manager.and(possible, enabled);
            if symbolic.manager.is_exhausted() {
                return Err(NoReplay::Interrupted);
            }
            if possible == Manager::FALSE {
                return Err(NoReplay::NotEnabled(number));
            }
            symbolic_states.push(symbolic.values.clone());
        }
        let picked = symbolic.manager.pick(possible).unwrap_or_default();
        let picked: BTreeMap<u32, bool> = picked.into_iter().collect();
        let value = |variable: u32| picked.get(&variable).copied().unwrap_or_default();
        let concrete = symbolic_states.iter().map(|state| {
            let values = state.iter();
            let values = values.map(|(function, bdd)| (*function, symbolic.manager.evaluate(*bdd, &value)));
            values.collect()
        });
        Ok(concrete.collect())
    }

    /// Takes a rule: where it may be.
    fn step(&self, symbolic: &mut Symbolic, rule: &Rule, step: &SystemStep, here: Node) -> Bdd {
        for choice in &rule.choices {
            symbolic.choose(*choice);
        }
        let mut enabled = symbolic.of(rule.guard, self, here);
        for (function, value) in &step.values {
            if let Some(known) = symbolic.values.get(function).copied() {
                let known = if *value { known } else { symbolic.manager.not(known) };
                enabled = symbolic.manager.and(enabled, known);
            }
        }
        let updates = rule.updates.iter().filter(|update| update.function != self.control);
        let after: Vec<(Function, Bdd)> = updates
            .map(|update| (update.function, symbolic.of(update.value, self, here)))
            .collect();
        symbolic.values.extend(after);
        for choice in &rule.choices {
            symbolic.values.remove(choice);
        }
        enabled
    }

    /// The moments inside of a call that leads from one state of the caller to another, one call deep. None where
    /// there is no such run.
    fn inside(
        &self,
        call: StatementId,
        before: &State,
        after: &State,
        cancellation: &Cancellation,
    ) -> Result<Option<Vec<Point>>, NoReplay> {
        let Some(Action::Call { .. }) = self.program.statement(call).map(|statement| &statement.action) else {
            return Ok(None);
        };
        let program = between(self.program, call, before, after);
        match check_run_first(&program, cancellation)?.verdict {
            Verdict::Safe => Ok(None),
            Verdict::Unknown(bebop::Reason::NoRun) => Ok(None),
            Verdict::Unknown(_) => Err(NoReplay::Interrupted),
            Verdict::Unsafe(trace) => {
                let is_inside = |point: &Point| point.depth > 0;
                Ok(Some(trace.points.into_iter().filter(is_inside).collect()))
            }
        }
    }
}

impl Symbolic {
    /// Any value.
    fn choose(&mut self, function: Function) {
        let variable = self.manager.variable(self.next);
        self.next += 1;
        self.values.insert(function, variable);
    }

    /// The value of a formula, where control is here. What is no formula over Booleans is not true.
    fn of(&mut self, formula: Term, lowered: &Lowered<'_>, here: Node) -> Bdd {
        match formula.kind() {
            Kind::Bool(value) => [Manager::FALSE, Manager::TRUE][usize::from(*value)],
            Kind::Apply(function, _) => self.values.get(function).copied().unwrap_or(Manager::FALSE),
            Kind::Not(inner) => {
                let inner = self.of(*inner, lowered, here);
                self.manager.not(inner)
            }
            Kind::And(parts) => parts.iter().fold(Manager::TRUE, |all, part| {
                let part = self.of(*part, lowered, here);
                self.manager.and(all, part)
            }),
            Kind::Or(parts) => parts.iter().fold(Manager::FALSE, |any, part| {
                let part = self.of(*part, lowered, here);
                self.manager.or(any, part)
            }),
            Kind::Implies(a, b) => {
                let (a, b) = (self.of(*a, lowered, here), self.of(*b, lowered, here));
                self.manager.ite(a, b, Manager::TRUE)
            }
            Kind::Ite(condition, then, otherwise) => {
                let condition = self.of(*condition, lowered, here);
                let (then, otherwise) = (self.of(*then, lowered, here), self.of(*otherwise, lowered, here));
                self.manager.ite(condition, then, otherwise)
            }
            Kind::Equal(..) if lowered.at(here) == Some(formula) => Manager::TRUE,
            Kind::Equal(a, b) if a.sort() == logic::Sort::Bool => {
                let (a, b) = (self.of(*a, lowered, here), self.of(*b, lowered, here));
                self.manager.iff(a, b)
            }
            _ => Manager::FALSE,
        }
    }
}

/// The program in which an assertion fails where a call in one state of its caller can leave behind another.
fn between(program: &Program, call: StatementId, before: &State, after: &State) -> Program {
    let mut program = program.clone();
    let caller = &program.procedures[call.procedure.0];
    let is = |state: &State| {
        let globals = (0..state.globals.len()).map(Variable::Global);
        let variables = globals.chain((0..state.locals.len()).map(Variable::Local));
        let literals = variables.map(|variable| match state.get(variable) {
            true => Expression::Variable(variable),
            false => Expression::Variable(variable).negated(),
        });
        Expression::all(literals.collect())
    };
    let action = program
        .statement(call)
        .map_or(Action::Skip, |found| found.action.clone());
    let body = [Action::Assume(is(before)), action, Action::Assert(is(after).negated())];
    let only = Procedure {
        labels: Vec::new(),
        body: body.into_iter().map(Statement::from).collect(),
        ..caller.clone()
    };
    // Those of the program are another matter.
    for procedure in &mut program.procedures {
        assume(&mut procedure.body);
    }
    program.entry = ProcedureId(program.procedures.len());
    program.procedures.push(only);
    program
}

/// Assertions only hold where runs go on.
fn assume(block: &mut [Statement]) {
    for statement in block {
        if let Action::Assert(condition) = &statement.action {
            statement.action = Action::Assume(condition.clone());
        }
        for block in statement.blocks_mut() {
            assume(block);
        }
    }
}
