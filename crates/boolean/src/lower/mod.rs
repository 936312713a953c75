//! Boolean programs as transition systems, for any engine.
//!
//! The state is where the program is (an enumeration), the globals, and the locals of each procedure, which are those
//! of its innermost call. No call is inlined. A run of the system is a run of one *frame*, the steps of one call
//! without those of the calls that it makes:
//!
//! | rule | for each |
//! | --- | --- |
//! | *start*: any state that is enforced | program |
//! | *step*: guard and simultaneous update of the statement | statement, and way that it may go |
//! | *pass*: what the callee may write, and its results, become any that its contract allows | call |
//! | *return*: the results are remembered at the exit | `return`, and the end of each procedure that is called |
//! | *enter*: the parameters become the arguments | call |
//! | *begin*: the frame remembers globals and parameters; other locals become any | procedure that is called |
//! | *fail*: to a location of its own | assertion |
//!
//! A *contract* of a procedure is a formula over the globals and results at its exit and the values that globals and
//! parameters had at its beginning, `old(x)`. [`Lowered::system`] has none: each call may leave any values behind.
//! [`Lowered::with_contracts`] puts some in, and makes each a property of its own, `at the exit: contract`. So whoever
//! proves all properties of that system has proved the contracts with the rest, and no contract is ever assumed that
//! is not proved: where they come from (Bebop's path edges, Horn clauses) does not matter.
//!
//! Why this is sound. Let `S` be the system with contracts, and let all its properties hold in its reachable states.
//! Claim: for each run of the program, the state of its innermost frame (globals, locals, what the frame began with) at
//! the location where control is, is reachable in `S`; and wherever a frame ends, its contract holds of the values that
//! it began with and left behind. By induction on the length of the run:
//!
//! - The run begins: a start of `S`. Parameters, locals and globals are arbitrary, as far as they are enforced.
//! - A statement that is no call and no return: the rule for this way of it, by the claim for the state before.
//! - A call begins: *enter*, then *begin*, from the caller's state at the call, which is reachable by the claim.
//! - A frame ends: *return* leads to the exit, which is reachable; so the property of the contract holds there.
//! - A call returns: let `s` be the caller's state at the call, reachable by the claim for the shorter run. The frame
//!   of the call, which began in `s`, has ended, so its contract holds of the values of globals in `s`, the arguments,
//!   the globals now, and the results; globals that no procedure below can write are as in `s`. So *pass* leads from
//!   `s` to the state now.
//!
//! An assertion that fails in a run would lead by *fail* to a location that a property of `S` excludes.
//!
//! Trusted, beside the certificate and the solver: that the rules are what the statements mean (`expressions.rs`,
//! `rules.rs`, `blocks.rs`: tests compare them with the interpreter in both directions), that the globals which a
//! procedure may write are all in `symbols.rs`, and this argument. Not trusted: Bebop, its diagrams, and the formulas
//! read off them.
//!
//! Certificates are about the same system with larger steps (`blocks.rs`).
//!
//! The converse: with no calls, or with contracts that are exact, each run of the system is one of a frame of the
//! program; [`Lowered::replay`] makes a run of the whole program of it, and the interpreter has the last word.

mod blocks;
mod contracts;
mod expressions;
mod facts;
mod replay;
mod rules;
mod symbols;

pub use contracts::{Called, Contract, NoContract, Signature};
pub use facts::Proof;
pub use replay::{NoReplay, SystemStep};

use crate::interpret::Interpreter;
use crate::print::Names;
use crate::program::{ProcedureId, Program, StatementId};
use crate::trace::{Control, Point, State};
use crate::well_formed::Malformed;
use logic::{Function, Kind, Name, Sort, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use symbols::{Symbols, value};
use system::Span;
use system::transition::{Property, Symbol, TransitionSystem};
use thiserror::Error;

/// Why a program has no transition system.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    #[error("the program does not hold together: {0}")]
    Malformed(#[from] Malformed),
    #[error("the program has more than {most} locations")]
    TooLarge { most: usize },
}

/// A location of the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A call of the procedure is made: its parameters have their values.
    Entry(ProcedureId),
    At(ProcedureId, Control),
    /// A call of the procedure has ended.
    Exit(ProcedureId),
    /// This assertion has failed.
    Failed(StatementId),
}

/// What a rule is of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleKind {
    /// A step within a procedure.
    Step,
    /// A call as a whole, by its number in [`Lowered::calls`].
    Pass(usize),
    /// A call begins, and its caller is forgotten.
    Enter(usize),
    Begin,
    Return,
    Fail,
}

/// A rule with the locations that it leads from and to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoweredRule {
    pub from: Node,
    pub to: Node,
    pub kind: RuleKind,
}

/// A Boolean program as a transition system, with the way back.
pub struct Lowered<'p> {
    /// With no contracts: a call may leave any values behind.
    pub system: TransitionSystem,
    /// Where the program is.
    pub control: Function,
    /// By position in the sort of the control.
    pub nodes: Vec<Node>,
    /// By position among the rules of the system.
    pub rules: Vec<LoweredRule>,
    /// By position among the properties of the system: what they say.
    pub assertions: Vec<StatementId>,
    pub signatures: Vec<Signature>,
    pub calls: Vec<Called>,
    program: &'p Program,
    interpreter: Interpreter<'p>,
    symbols: Symbols,
    numbers: BTreeMap<Node, usize>,
    /// The name of each choice, by its number in a rule.
    choices: Vec<Function>,
}

/// Programs with more locations are refused: the solvers' enumerations end somewhere.
const MOST_LOCATIONS: usize = 100_000;

/// The transition system of a program; each assertion is a property, called by its statement and procedure.
pub fn lower(program: &Program) -> Result<Lowered<'_>, Refusal> {
    lower_with_names(program, &|id| name(program, id))
}

/// The same, with names for the properties.
pub fn lower_with_names<'p>(
    program: &'p Program,
    name: &dyn Fn(StatementId) -> String,
) -> Result<Lowered<'p>, Refusal> {
    program.well_formed()?;
    let interpreter = Interpreter::new(program);
    let mut symbols = Symbols::new(program);
    let nodes = nodes(program, &interpreter, &symbols);
    if nodes.len() > MOST_LOCATIONS {
        return Err(Refusal::TooLarge { most: MOST_LOCATIONS });
    }
    let sort = Sort::enumeration(Name::new("Location"), node_names(program, &nodes));
    let control = Function::constant(symbols.fresh("location").as_str(), sort);
    let mut lowered = Lowered {
        system: TransitionSystem::default(),
        control,
        numbers: nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect(),
        nodes,
        rules: Vec::new(),
        assertions: program.assertions(),
        signatures: Vec::new(),
        calls: Vec::new(),
        program,
        interpreter,
        symbols,
        choices: Vec::new(),
    };
    lowered.make_choice();
    lowered.make_signatures();
    lowered.make_rules();
    let control = Symbol {
        function: control,
        display: control.name().to_string(),
        span: Span::default(),
    };
    let variables = lowered.symbols.state(program);
    lowered.system.state = [control].into_iter().chain(variables).collect();
    let properties = lowered.assertions.iter().map(|id| Property {
        name: name(*id),
        formula: term::not(lowered.at(Node::Failed(*id)).unwrap_or(term::bool(false))),
        span: lowered.span(*id),
    });
    lowered.system.properties = properties.collect();
    Ok(lowered)
}

/// `assert(x) in main`
fn name(program: &Program, id: StatementId) -> String {
    let names = Names {
        program,
        procedure: id.procedure,
    };
    let procedure = &program.procedures[id.procedure.0].name;
    let text = program.statement(id).map(|statement| names.action(&statement.action));
    format!("{} in {procedure}", text.unwrap_or_default())
}

/// All locations that control may come to, procedure by procedure, and those of failed assertions.
fn nodes(program: &Program, interpreter: &Interpreter<'_>, symbols: &Symbols) -> Vec<Node> {
    let mut nodes = Vec::new();
    let procedures = (0..program.procedures.len()).map(ProcedureId);
    for procedure in procedures.filter(|procedure| symbols.is_live[procedure.0]) {
        let is_called = symbols.is_called[procedure.0];
        nodes.extend(is_called.then_some(Node::Entry(procedure)));
        let mut found = BTreeSet::new();
        let mut pending = vec![interpreter.begin(procedure)];
        while let Some(control) = pending.pop() {
            if found.insert(control) {
                pending.extend(interpreter.targets(procedure, control));
            }
        }
        nodes.extend(found.into_iter().map(|control| Node::At(procedure, control)));
        nodes.extend(is_called.then_some(Node::Exit(procedure)));
    }
    nodes.extend(program.assertions().into_iter().map(Node::Failed));
    nodes
}

/// `main.3`: the statement with this number, before it is done.
fn node_names(program: &Program, nodes: &[Node]) -> Vec<Name> {
    let of = |procedure: &ProcedureId| &program.procedures[procedure.0].name;
    let name = |node: &Node| match node {
        Node::Entry(procedure) => format!("call {}", of(procedure)),
        Node::At(procedure, Control::Before(number)) => format!("{}.{number}", of(procedure)),
        Node::At(procedure, Control::End) => format!("{}.end", of(procedure)),
        Node::Exit(procedure) => format!("exit {}", of(procedure)),
        Node::Failed(id) => format!("failed {}.{}", of(&id.procedure), id.number),
    };
    let mut taken = BTreeSet::new();
    let mut unique = |mut name: String| {
        while !taken.insert(name.clone()) {
            name.push('\'');
        }
        Name::new(&name)
    };
    nodes.iter().map(|node| unique(name(node))).collect()
}

impl Lowered<'_> {
    pub fn program(&self) -> &Program {
        self.program
    }

    /// That the program is at a location.
    pub fn at(&self, node: Node) -> Option<Term> {
        Some(term::equal(value(self.control), self.location(node)?))
    }

    /// The value of the control there.
    fn location(&self, node: Node) -> Option<Term> {
        match self.control.result() {
            Sort::Enum(sort) => Some(term::enumerator(sort, *self.numbers.get(&node)?)),
            _ => None,
        }
    }

    /// A fact `location = l -> formula`, as the place and the formula.
    pub fn located(&self, fact: Term) -> Option<(Node, Term)> {
        let (premise, formula) = match fact.kind() {
            Kind::Implies(premise, formula) => (*premise, *formula),
            Kind::Not(never) => (*never, term::bool(false)),
            _ => return None,
        };
        let Kind::Equal(a, b) = premise.kind() else { return None };
        let is_control = |side: &Term| *side == value(self.control);
        if ![a, b].into_iter().any(is_control) {
            return None;
        }
        [a, b].into_iter().find_map(|side| match side.kind() {
            Kind::Enumerator(_, position) => Some((*self.nodes.get(*position as usize)?, formula)),
            _ => None,
        })
    }

    /// Where a statement is in the source.
    pub fn span(&self, id: StatementId) -> Span {
        let statement = self.program.statement(id);
        statement.and_then(|statement| statement.origin).unwrap_or_default()
    }

    /// What a location is called, by its position.
    fn node_name(&self, number: usize) -> &'static str {
        match self.control.result() {
            Sort::Enum(sort) => sort.values().get(number).map_or("", |name| name.as_str()),
            _ => "",
        }
    }

    /// The statement before which control is at a location.
    pub fn statement(&self, node: Node) -> Option<StatementId> {
        match node {
            Node::At(procedure, Control::Before(number)) => Some(StatementId { procedure, number }),
            Node::Failed(id) => Some(id),
            _ => None,
        }
    }

    /// The moment of a run that a location and the values of state functions are; `depth` calls are open. None where
    /// the program is between two steps.
    pub fn point(&self, node: Node, depth: usize, value: &dyn Fn(Function) -> bool) -> Option<Point> {
        let (procedure, control) = match node {
            Node::At(procedure, control) => (procedure, control),
            Node::Failed(id) => (id.procedure, Control::Before(id.number)),
            Node::Entry(_) | Node::Exit(_) => return None,
        };
        let values = |functions: &[Function]| functions.iter().map(|function| value(*function)).collect();
        Some(Point {
            procedure,
            control,
            depth,
            state: State {
                globals: values(&self.symbols.globals),
                locals: values(&self.symbols.locals[procedure.0]),
            },
        })
    }

    /// The state function of a variable of a procedure.
    pub fn function(&self, procedure: ProcedureId, variable: crate::Variable) -> Function {
        self.symbols.variable(procedure, variable)
    }
}
