//! Small systems made by hand, with invariants that prove them, and the solvers that are installed.
#![allow(dead_code, clippy::unwrap_used)] // Each test uses a part.

use logic::Cancellation;
use logic::term::{add, and, bool, distinct, enumerator, equal, forall, implies, int, ite, less, less_equal, not};
use logic::{EnumSort, Function, Sort, Term, Variable};
use smt::SolverCommand;
use std::path::PathBuf;
use std::time::Duration;
use system::Span;
use system::certificate::Certificate;
use system::transition::{Assertion, AssertionKind, Fact, IndexSort, Property, Rule, Symbol, TransitionSystem, Update};
use validate::{Limits, Report, certificate_text, confirm_text, sha256};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The solvers that `make setup` installs, as programs.
pub(crate) fn programs() -> Vec<(&'static str, SolverCommand)> {
    let z3 = SolverCommand::new(root().join("third-party/solvers/bin/z3"));
    let cvc5 = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name() == "cvc5");
    let cvc5 = cvc5.expect("cubist-cvc5 is not built: `cargo test --workspace` or `cargo build -p cubist` does it");
    vec![("z3", z3), ("cvc5", cvc5)]
}

pub(crate) fn limits() -> Limits {
    Limits {
        query: Some(Duration::from_secs(60)),
        total: None,
    }
}

/// What the solver says of the certificate's text.
pub(crate) fn report(system: &TransitionSystem, certificate: &Certificate, solver: &SolverCommand) -> Report {
    let text = certificate_text(system, certificate, &[]).unwrap();
    confirm_text(&text, solver, limits(), &Cancellation::new()).unwrap()
}

/// The text with a new digest: what someone who knows the format would do.
pub(crate) fn reseal(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("; sha256: "));
    let rest: String = lines.collect();
    let digest = sha256(rest.as_bytes());
    let (title, behind) = rest.split_once('\n').unwrap_or((&rest, ""));
    format!("{title}\n; sha256: {digest}\n{behind}")
}

pub(crate) fn fact(name: &str, formula: Term) -> Fact {
    Fact {
        name: name.to_owned(),
        formula,
        span: Span::default(),
    }
}

pub(crate) fn property(name: &str, formula: Term) -> Property {
    Property {
        name: name.to_owned(),
        formula,
        span: Span::default(),
    }
}

pub(crate) fn symbol(function: Function, display: &str) -> Symbol {
    Symbol {
        function,
        display: display.to_owned(),
        span: Span::default(),
    }
}

pub(crate) fn rule(name: &str, parameters: &[Variable], guard: Term, updates: Vec<Update>) -> Rule {
    Rule {
        name: name.to_owned(),
        parameters: parameters.to_vec(),
        choices: Vec::new(),
        guard,
        updates,
        constraint: bool(true),
        assertions: Vec::new(),
        span: Span::default(),
    }
}

pub(crate) fn update(function: Function, parameters: &[Variable], value: Term) -> Update {
    Update {
        function,
        parameters: parameters.to_vec(),
        value,
    }
}

pub(crate) fn assertion(message: &str, condition: Term) -> Assertion {
    Assertion {
        kind: AssertionKind::Range,
        message: message.to_owned(),
        condition,
        span: Span::default(),
    }
}

fn within(value: Term) -> Term {
    and([less_equal(int(0), value), less_equal(value, int(3))])
}

/// Nodes enter and leave a critical section by way of a lock; a clock in `0..3` ticks beside. Starts pick the clock.
pub(crate) fn mutex() -> (TransitionSystem, Certificate) {
    let node = Sort::Index("Node".into());
    let phases = EnumSort::new("Phase".into(), vec!["idle".into(), "critical".into()]);
    let [idle, critical] = [0, 1].map(|position| enumerator(phases, position));
    let phase = Function::new("phase", vec![node], Sort::Enum(phases));
    let lock = Function::constant("lock", Sort::Bool);
    let clock = Function::constant("clock", Sort::Int);
    let home = Function::constant("home", node);
    let picked = Function::constant("clock?1", Sort::Int);
    let [i, j, u] = ["i", "j", "u"].map(|name| Variable::new(name, node));
    let is_critical = |v: Variable| equal(phase.apply([v.term()]), critical);
    let at = |value: Term| ite(equal(u.term(), i.term()), value, phase.apply([u.term()]));
    let tick = add([clock.apply([]), int(1)]);

    let mut start = rule(
        "start",
        &[],
        within(picked.apply([])),
        vec![
            update(phase, &[u], idle),
            update(lock, &[], bool(false)),
            update(clock, &[], picked.apply([])),
        ],
    );
    start.choices = vec![picked];
    let enter = rule(
        "enter",
        &[i],
        and([equal(phase.apply([i.term()]), idle), not(lock.apply([]))]),
        vec![update(phase, &[u], at(critical)), update(lock, &[], bool(true))],
    );
    let leave = rule(
        "leave",
        &[i],
        is_critical(i),
        vec![update(phase, &[u], at(idle)), update(lock, &[], bool(false))],
    );
    let mut ticks = rule(
        "tick",
        &[],
        less(clock.apply([]), int(3)),
        vec![update(clock, &[], tick)],
    );
    ticks.assertions = vec![assertion("clock outside of 0..3", within(tick))];

    let both = and([is_critical(i), is_critical(j)]);
    let exclusion = forall([i, j], implies(distinct(i.term(), j.term()), not(both)));
    let system = TransitionSystem {
        name: "mutex".to_owned(),
        index_sorts: vec![IndexSort {
            name: "Node".into(),
            declared_size: None,
            constants: vec![(home, 0)],
            order: None,
            span: Span::default(),
        }],
        rigid: vec![symbol(home, "home")],
        state: vec![symbol(phase, "phase[{}]"), symbol(lock, "lock"), symbol(clock, "clock")],
        type_facts: vec![fact("type of clock", within(clock.apply([])))],
        starts: vec![start],
        rules: vec![enter, leave, ticks],
        properties: vec![
            property("exclusion", exclusion),
            property("never critical", forall([i], not(is_critical(i)))),
        ],
        ..TransitionSystem::default()
    };
    let locked = forall([i], implies(is_critical(i), lock.apply([])));
    let certificate = Certificate {
        properties: vec!["exclusion".to_owned()],
        facts: vec![fact("exclusion", exclusion), fact("critical means locked", locked)],
        ..Certificate::default()
    };
    (system, certificate)
}

/// Two counters that go up and down together; `y` has its first value by a constraint.
pub(crate) fn counter() -> (TransitionSystem, Certificate) {
    let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int));
    let [at_x, at_y] = [x, y].map(|function| function.apply([]));
    let step = |by: i128| {
        vec![
            update(x, &[], add([at_x, int(by)])),
            update(y, &[], add([at_y, int(by)])),
        ]
    };
    let mut start = rule("zero", &[], bool(true), vec![update(x, &[], int(0))]);
    start.constraint = equal(at_y, int(0));
    let system = TransitionSystem {
        name: "counter".to_owned(),
        state: vec![symbol(x, "x"), symbol(y, "y")],
        starts: vec![start],
        rules: vec![
            rule("up", &[], bool(true), step(1)),
            rule("down", &[], less(int(0), at_x), step(-1)),
        ],
        properties: vec![property("y is not negative", less_equal(int(0), at_y))],
        ..TransitionSystem::default()
    };
    let certificate = Certificate {
        properties: vec!["y is not negative".to_owned()],
        facts: vec![
            fact("in step", equal(at_x, at_y)),
            fact("x is not negative", less_equal(int(0), at_x)),
        ],
        ..Certificate::default()
    };
    (system, certificate)
}
