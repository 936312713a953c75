//! Any SMT-LIB 2 solver as a child process.
//!
//! With `:print-success` every command has exactly one response, so nothing that goes wrong is passed over: a response
//! other than the expected one ends the process and is an error. The limit on time is a hard one: the process is
//! killed, and the next command starts another one with the same assertions.

use crate::assertions::{Assertions, Literals};
use crate::expression::{self, Expression};
use crate::process::{Dialogue, Received, SolverCommand};
use crate::process_model::ProcessModel;
use crate::solver::{Answer, Model, Solver, SolverError, UnknownReason};
use crate::statistics::{Purpose, Statistics};
use logic::Cancellation;
use logic::smtlib::Declarations;
use logic::well_sorted::ill_sorted_subterm;
use logic::{Term, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After this many checks the process is replaced: cvc5 becomes slower with each, at 1,000 about three times as slow.
const CHECKS_PER_PROCESS: u32 = 500;

/// How long a program may take to get ready.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How a solver is to be run.
#[derive(Clone, Debug)]
pub struct ProcessOptions {
    pub command: SolverCommand,
    /// The limit of one exchange in wall-clock time. Hard: the process is killed.
    pub timeout: Option<Duration>,
    /// The limit of one check in the solver's own units (`:reproducible-resource-limit`). Soft.
    pub resource_limit: Option<u32>,
    pub seed: u32,
    pub cancellation: Cancellation,
}

impl ProcessOptions {
    pub fn new(command: SolverCommand) -> ProcessOptions {
        ProcessOptions {
            command,
            timeout: None,
            resource_limit: None,
            seed: 0,
            cancellation: Cancellation::new(),
        }
    }
}

/// What the last check left behind.
enum Outcome {
    None,
    Sat,
    /// With the assumption behind each literal.
    Unsat(HashMap<Expression, Term>),
}

/// Why an exchange did not come to its end.
enum Break {
    Unknown(UnknownReason),
    Error(SolverError),
}

impl From<SolverError> for Break {
    fn from(error: SolverError) -> Break {
        Break::Error(error)
    }
}

/// See the module.
pub struct ProcessSolver {
    options: ProcessOptions,
    statistics: Arc<Statistics>,
    assertions: Assertions,
    /// The process and what was declared to it; `None` until it is needed and after it was killed.
    dialogue: Option<Dialogue>,
    declarations: Declarations,
    /// How many commands were sent whose `success` was not read yet.
    unconfirmed: usize,
    /// How many checks the process has answered.
    checks: u32,
    /// Whether the process has a level of its own for the last check, to be popped before anything else is done.
    extra_level: bool,
    outcome: Outcome,
}

impl ProcessSolver {
    /// Starts the solver, to find out early whether that works.
    pub fn new(options: ProcessOptions, statistics: Arc<Statistics>) -> Result<ProcessSolver, SolverError> {
        let mut solver = ProcessSolver {
            options,
            statistics,
            assertions: Assertions::new(),
            dialogue: None,
            declarations: Declarations::default(),
            unconfirmed: 0,
            checks: 0,
            extra_level: false,
            outcome: Outcome::None,
        };
        solver.start()?;
        Ok(solver)
    }

    /// The process that runs now, if one does: for those who want to see what happens when it is killed.
    pub fn process_id(&self) -> Option<u32> {
        self.dialogue.as_ref().map(Dialogue::process_id)
    }

    /// Starts a process and brings it into the state of our assertions.
    fn start(&mut self) -> Result<(), SolverError> {
        self.dialogue = Some(Dialogue::start(&self.options.command)?);
        self.declarations = Declarations::default();
        self.unconfirmed = 0;
        self.checks = 0;
        self.extra_level = false;
        self.outcome = Outcome::None;
        self.command("(set-option :print-success true)")?;
        self.command("(set-option :global-declarations true)")?;
        self.command("(set-option :produce-models true)")?;
        self.command("(set-option :produce-unsat-assumptions true)")?;
        self.command(&format!("(set-option :random-seed {})", self.options.seed))?;
        if let Some(limit) = self.options.resource_limit {
            self.command(&format!("(set-option :reproducible-resource-limit {limit})"))?;
        }
        self.command("(set-logic ALL)")?;
        self.wait_until_ready()?;
        let levels: Vec<Vec<Term>> = self.assertions.levels().map(<[Term]>::to_vec).collect();
        for (number, level) in levels.into_iter().enumerate() {
            if number > 0 {
                self.command("(push 1)")?;
            }
            for formula in level {
                self.send_assertion(formula)?;
            }
        }
        Ok(())
    }

    /// Reads what is due, so that the time a program takes to start does not count as time of a check.
    fn wait_until_ready(&mut self) -> Result<(), SolverError> {
        let confirmed = self.confirmations(Instant::now().checked_add(START_LIMIT));
        confirmed.map_err(|broken| {
            self.dialogue = None;
            match broken {
                Break::Error(error) => error,
                Break::Unknown(reason) => SolverError::Died(format!("while starting: {reason}")),
            }
        })
    }

    fn ensure_running(&mut self) -> Result<(), SolverError> {
        if self.dialogue.is_none() { self.start() } else { Ok(()) }
    }

    /// Sends a command whose response will be `success`.
    fn command(&mut self, text: &str) -> Result<(), SolverError> {
        self.send(text)?;
        self.unconfirmed += 1;
        Ok(())
    }

    fn send(&mut self, text: &str) -> Result<(), SolverError> {
        let Some(dialogue) = &mut self.dialogue else {
            return Err(SolverError::Died("not running".to_owned()));
        };
        let sent = dialogue.send(format!("{text}\n"));
        if sent.is_err() {
            self.dialogue = None;
        }
        sent
    }

    fn send_assertion(&mut self, formula: Term) -> Result<(), SolverError> {
        self.declare(formula)?;
        let text = self.declarations.term(formula);
        self.command(&format!("(assert {text})"))
    }

    fn declare(&mut self, term: Term) -> Result<(), SolverError> {
        self.declarations
            .declare(term)
            .lines()
            .try_for_each(|line| self.command(line))
    }

    /// Sends a command and returns its response, after those to all earlier commands.
    fn exchange(&mut self, text: &str) -> Result<String, Break> {
        self.send(text)?;
        let deadline = self
            .options
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout));
        let response = self.responses(deadline);
        if response.is_err() {
            // We no longer know what it would say next.
            self.dialogue = None;
        }
        response
    }

    fn responses(&mut self, deadline: Option<Instant>) -> Result<String, Break> {
        self.confirmations(deadline)?;
        self.response(deadline)
    }

    fn confirmations(&mut self, deadline: Option<Instant>) -> Result<(), Break> {
        while self.unconfirmed > 0 {
            let response = self.response(deadline)?;
            if response != "success" {
                return Err(unexpected(&response).into());
            }
            self.unconfirmed -= 1;
        }
        Ok(())
    }

    fn response(&mut self, deadline: Option<Instant>) -> Result<String, Break> {
        let Some(dialogue) = &mut self.dialogue else {
            return Err(SolverError::Died("not running".to_owned()).into());
        };
        match dialogue.receive(deadline, &self.options.cancellation)? {
            Received::Response(response) if response.starts_with("(error") => Err(unexpected(&response).into()),
            Received::Response(response) => Ok(response),
            Received::End => Err(dialogue.death().into()),
            Received::Timeout => Err(Break::Unknown(UnknownReason::Timeout)),
            Received::Interrupted => Err(Break::Unknown(UnknownReason::Interrupted)),
        }
    }

    /// The last check is over: its model and core are gone.
    fn leave_check(&mut self) -> Result<(), SolverError> {
        self.outcome = Outcome::None;
        let extra = std::mem::take(&mut self.extra_level);
        if extra && self.dialogue.is_some() {
            self.command("(pop 1)")
        } else {
            Ok(())
        }
    }

    /// Declares and asserts what the check needs; returns the literals as text and the assumption behind each.
    fn prepare(&mut self, assumptions: &[Term]) -> Result<(Vec<String>, HashMap<Expression, Term>), SolverError> {
        assumptions.iter().try_for_each(|assumption| well_sorted(*assumption))?;
        let Literals { pairs, implications } = Literals::of(assumptions)?;
        if !implications.is_empty() {
            self.command("(push 1)")?;
            self.extra_level = true;
            implications
                .into_iter()
                .try_for_each(|implication| self.send_assertion(implication))?;
        }
        let mut texts = Vec::new();
        let mut meanings = HashMap::new();
        for (literal, assumption) in pairs {
            self.declare(literal)?;
            let text = self.declarations.term(literal);
            meanings.insert(expression::parse(&text).map_err(SolverError::Protocol)?, assumption);
            texts.push(text);
        }
        Ok((texts, meanings))
    }

    fn ask(&mut self, assumptions: &[Term]) -> Result<Answer, Break> {
        self.leave_check()?;
        if self.options.cancellation.is_cancelled() {
            return Err(Break::Unknown(UnknownReason::Interrupted));
        }
        if self.checks == CHECKS_PER_PROCESS {
            self.dialogue = None;
        }
        self.ensure_running()?;
        self.checks += 1;
        let (literals, meanings) = self.prepare(assumptions)?;
        let question = match literals.as_slice() {
            [] => "(check-sat)".to_owned(),
            _ => format!("(check-sat-assuming ({}))", literals.join(" ")),
        };
        match self.exchange(&question)?.as_str() {
            "sat" => {
                self.outcome = Outcome::Sat;
                Ok(Answer::Sat)
            }
            "unsat" => {
                self.outcome = Outcome::Unsat(meanings);
                Ok(Answer::Unsat)
            }
            "unknown" => Ok(Answer::Unknown(self.reason()?)),
            "timeout" => Ok(Answer::Unknown(UnknownReason::Timeout)),
            other => {
                self.dialogue = None;
                Err(unexpected(other).into())
            }
        }
    }

    fn reason(&mut self) -> Result<UnknownReason, Break> {
        let info = self.exchange("(get-info :reason-unknown)")?;
        let words = match expression::parse(&info) {
            Ok(Expression::List(parts)) => match parts.get(1) {
                Some(Expression::Text(words) | Expression::Symbol(words)) => words.clone(),
                _ => info,
            },
            _ => info,
        };
        let limited = words.contains("canceled") && self.options.resource_limit.is_some();
        Ok(match words {
            _ if words.contains("timeout") => UnknownReason::Timeout,
            _ if limited || words.contains("resource") => UnknownReason::ResourceLimit,
            _ => UnknownReason::Incomplete(words),
        })
    }

    /// Asks for something about the last answer. A limit here is an error: there is no answer to give.
    fn inquire(&mut self, text: &str) -> Result<String, SolverError> {
        self.exchange(text).map_err(|broken| match broken {
            Break::Error(error) => error,
            Break::Unknown(reason) => SolverError::Died(reason.to_string()),
        })
    }

    fn process_model(&mut self) -> Result<ProcessModel, SolverError> {
        let Outcome::Sat = self.outcome else {
            return Err(SolverError::NoModel);
        };
        let text = self.inquire("(get-model)")?;
        ProcessModel::read(&text, self.declarations.symbols().clone())
    }

    /// After `sat`: the value that the solver itself computes for a term over symbols that it knows.
    pub fn value(&mut self, term: Term) -> Result<Value, SolverError> {
        well_sorted(term)?;
        let model = self.process_model()?;
        if !self.declarations.clone().declare(term).is_empty() {
            return Err(SolverError::NoValue(term));
        }
        let text = self.declarations.term(term);
        let response = self.inquire(&format!("(get-value ({text}))"))?;
        let parsed = expression::parse(&response).map_err(SolverError::Protocol)?;
        let value = parsed.list().and_then(|pairs| pairs.first()?.list()?.get(1));
        value
            .and_then(|value| model.literal(value, term.sort()))
            .ok_or(SolverError::NoValue(term))
    }
}

fn well_sorted(term: Term) -> Result<(), SolverError> {
    ill_sorted_subterm(term).map_or(Ok(()), |culprit| Err(SolverError::IllSorted(culprit)))
}

/// The error for a response that should not be there.
pub(crate) fn unexpected(response: &str) -> SolverError {
    match expression::parse(response) {
        Ok(Expression::List(parts)) if parts.first().and_then(Expression::symbol) == Some("error") => {
            match parts.get(1) {
                Some(Expression::Text(message)) => SolverError::Reported(message.clone()),
                _ => SolverError::Reported(response.to_owned()),
            }
        }
        _ => SolverError::Protocol(response.chars().take(200).collect()),
    }
}

impl Solver for ProcessSolver {
    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        well_sorted(formula)?;
        self.leave_check()?;
        self.assertions.assert(formula)?;
        if self.dialogue.is_some() {
            self.send_assertion(formula)
        } else {
            Ok(())
        }
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.leave_check()?;
        self.assertions.push();
        if self.dialogue.is_some() {
            self.command("(push 1)")
        } else {
            Ok(())
        }
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.leave_check()?;
        self.assertions.pop()?;
        if self.dialogue.is_some() {
            self.command("(pop 1)")
        } else {
            Ok(())
        }
    }

    fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError> {
        let started = Instant::now();
        let outcome = match self.ask(assumptions) {
            Ok(answer) => Ok(answer),
            Err(Break::Unknown(reason)) => Ok(Answer::Unknown(reason)),
            Err(Break::Error(error)) => Err(error),
        };
        self.statistics.count(purpose, &outcome, started.elapsed());
        self.options.cancellation.count_check();
        outcome
    }

    fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError> {
        if !matches!(self.outcome, Outcome::Unsat(_)) {
            return Err(SolverError::NoCore);
        }
        let text = self.inquire("(get-unsat-assumptions)")?;
        let core = expression::parse(&text).map_err(SolverError::Protocol)?;
        let Outcome::Unsat(meanings) = &self.outcome else {
            return Err(SolverError::NoCore);
        };
        let Some(literals) = core.list() else {
            return Err(unexpected(&text));
        };
        literals
            .iter()
            .map(|literal| meanings.get(literal).copied().ok_or_else(|| unexpected(&text)))
            .collect()
    }

    fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        self.process_model().map(|model| Box::new(model) as Box<dyn Model>)
    }
}
