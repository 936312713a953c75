//! Right certificates are confirmed; wrong ones are refused, each for its reason.

mod support;

use logic::Cancellation;
use logic::term::{and, bool, equal, exists, forall, implies, int, less, less_equal, not, or};
use logic::{Function, Sort, Variable};
use smt::SolverError;
use support::*;
use system::certificate::Certificate;
use system::transition::TransitionSystem;
use validate::{
    ObligationError, QueryKind, QueryResult, certificate_text, confirm_text, obligations, parse_certificate,
};

/// That no solver confirms every query of this kind, and z3 refutes one. (Where quantifiers are left, cvc5 answers
/// `unknown` instead of `sat`.)
fn refuted(system: &TransitionSystem, certificate: &Certificate, kind: QueryKind) {
    for (name, solver) in programs() {
        let report = report(system, certificate, &solver);
        assert_eq!(report.error, None, "{name}");
        assert!(!report.is_confirmed(), "{name}");
        let mut outcomes = report.outcomes.iter().filter(|(query, _)| query.label.kind == kind);
        let wanted = |outcome: &QueryResult| match outcome {
            QueryResult::Confirmed => false,
            QueryResult::Refuted => true,
            QueryResult::Unknown(_) => name != "z3",
        };
        assert!(
            outcomes.any(|(_, outcome)| wanted(outcome)),
            "{name}: {:?}",
            report.outcomes
        );
    }
}

#[test]
fn right_certificates_are_confirmed() {
    for (system, certificate) in [mutex(), counter()] {
        let text = certificate_text(&system, &certificate, &[("model", "a note".to_owned())]).unwrap();
        let parsed = parse_certificate(&text).unwrap();
        assert_eq!(parsed.queries.len(), obligations(&system, &certificate).unwrap().len());
        assert_eq!(
            (parsed.system.clone(), parsed.properties.clone()),
            (system.name.clone(), certificate.properties.clone())
        );
        assert_eq!(parsed.about("model"), ["a note"]);
        for (name, solver) in programs() {
            let report = report(&system, &certificate, &solver);
            assert!(report.is_confirmed(), "{name}: {report:?}");
            assert_eq!(report.confirmed(), report.outcomes.len());
        }
    }
}

/// Where a certificate says which facts are enough, no others are assumed: too few are found out.
#[test]
fn premises_are_all_that_is_assumed() {
    let (system, mut certificate) = mutex();
    // Who leaves was alone, so that nobody is critical any more where nothing is locked.
    certificate.premises = [(0, [0, 1].into()), (1, [0].into())].into();
    let text = certificate_text(&system, &certificate, &[]).unwrap();
    assert!(text.contains("(assert types)\n(assert fact-1)\n"), "{text}");
    for (name, solver) in programs() {
        let report = report(&system, &certificate, &solver);
        assert!(report.is_confirmed(), "{name}: {report:?}");
    }
    certificate.premises = [(0, [0].into())].into();
    refuted(&system, &certificate, QueryKind::Inductive);
}

#[test]
fn every_kind_of_query_is_there() {
    let (system, certificate) = mutex();
    let parsed = parse_certificate(&certificate_text(&system, &certificate, &[]).unwrap()).unwrap();
    let labels: Vec<String> = parsed.queries.iter().map(|query| query.label.to_string()).collect();
    assert_eq!(
        labels,
        [
            "initial-states",
            "types, start 1, number 1",
            "initial, start 1, number 1",
            "initial, start 1, number 2",
            "inductive, rule 1, number 1",
            "inductive, rule 1, number 2",
            "inductive, rule 2, number 1",
            "inductive, rule 2, number 2",
            "assertion, rule 3, number 1",
            "types, rule 3, number 1",
            // The clock is in no fact. A rule without any query would look like one that was forgotten.
            "inductive, rule 3, number 1",
            "property, number 1",
        ]
    );
}

#[test]
fn solvers_accept_the_file_as_it_is() {
    let (system, certificate) = mutex();
    let text = certificate_text(&system, &certificate, &[]).unwrap();
    for (name, solver) in programs() {
        let answers = smt::run_script(&solver, &text, limits().query, &Cancellation::new()).unwrap();
        let words: Vec<String> = answers
            .iter()
            .map(|answer| format!("{answer:?}").to_lowercase())
            .collect();
        let expected: Vec<&str> = parse_certificate(&text)
            .unwrap()
            .queries
            .iter()
            .map(|query| query.expected.word())
            .collect();
        assert_eq!(words, expected, "{name}");
    }
}

#[test]
fn a_weakened_invariant_is_refuted() {
    let (system, mut certificate) = mutex();
    certificate.facts.truncate(1);
    refuted(&system, &certificate, QueryKind::Inductive);
    certificate.facts.clear();
    refuted(&system, &certificate, QueryKind::Property);
}

#[test]
fn an_invariant_that_no_start_establishes_is_refuted() {
    let (system, mut certificate) = counter();
    certificate.facts[1].formula = less(int(0), Function::constant("x", Sort::Int).apply([]));
    refuted(&system, &certificate, QueryKind::Initial);
}

#[test]
fn another_rule_breaks_the_proof() {
    let (mut system, certificate) = counter();
    system.rules[1].guard = bool(true);
    refuted(&system, &certificate, QueryKind::Inductive);
}

#[test]
fn a_proof_about_no_initial_states_is_refuted() {
    let (mut system, mut certificate) = counter();
    // Without this query the certificate would be accepted: anything holds of no state.
    system.starts[0].constraint = bool(false);
    refuted(&system, &certificate, QueryKind::InitialStates);
    let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
    system.starts[0].constraint = and([less(y, x), less(x, y)]);
    refuted(&system, &certificate, QueryKind::InitialStates);
    certificate.facts[0].formula = bool(false);
    refuted(&system, &certificate, QueryKind::InitialStates);
}

#[test]
fn a_proof_from_contradictory_axioms_is_refuted() {
    let (mut system, certificate) = counter();
    let limit = Function::constant("limit", Sort::Int);
    system.rigid.push(symbol(limit, "limit"));
    system.axioms = vec![
        fact("large", less(int(9), limit.apply([]))),
        fact("small", less(limit.apply([]), int(9))),
    ];
    refuted(&system, &certificate, QueryKind::InitialStates);
}

#[test]
fn another_property_is_refuted() {
    let (system, mut certificate) = mutex();
    certificate.properties = vec!["never critical".to_owned()];
    refuted(&system, &certificate, QueryKind::Property);
}

#[test]
fn assertions_are_proved_too() {
    let (mut system, certificate) = mutex();
    system.rules[2].guard = bool(true);
    refuted(&system, &certificate, QueryKind::Assertion);
    // Where nothing guards the type of the clock, its type fact must not be believed.
    system.rules[2].assertions.clear();
    refuted(&system, &certificate, QueryKind::Types);
    let (mut system, certificate) = mutex();
    system.starts[0].guard = bool(true);
    refuted(&system, &certificate, QueryKind::Types);
}

#[test]
fn an_error_of_the_solver_rejects_the_certificate() {
    let (system, certificate) = counter();
    let text = certificate_text(&system, &certificate, &[]).unwrap();
    let broken = reseal(&text.replacen("(assert (not (", "(assert (not (no-such-thing ", 1));
    assert_ne!(broken, reseal(&text));
    for (name, solver) in programs() {
        let report = confirm_text(&broken, &solver, limits(), &Cancellation::new()).unwrap();
        assert!(
            matches!(report.error, Some(SolverError::Reported(_))),
            "{name}: {:?}",
            report.error
        );
        assert!(!report.is_confirmed());
    }
}

#[test]
fn types_alone_can_be_a_proof() {
    let (mut system, mut certificate) = mutex();
    let clock = Function::constant("clock", Sort::Int).apply([]);
    system
        .properties
        .push(property("clock is small", less_equal(clock, int(3))));
    certificate.properties = vec!["clock is small".to_owned()];
    certificate.facts.clear();
    for (name, solver) in programs() {
        let report = report(&system, &certificate, &solver);
        assert!(report.is_confirmed(), "{name}: {report:?}");
    }
}

#[test]
fn several_starts_of_which_one_makes_a_state() {
    let (mut system, certificate) = counter();
    let mut second = system.starts[0].clone();
    second.guard = bool(false);
    system.starts.insert(0, second);
    for (name, solver) in programs() {
        assert!(report(&system, &certificate, &solver).is_confirmed(), "{name}");
    }
    system.starts[1].guard = bool(false);
    refuted(&system, &certificate, QueryKind::InitialStates);
}

#[test]
fn odd_names_do_no_harm() {
    let (mut system, mut certificate) = counter();
    let names = ["fact-1", "invariant", "not", "a|b", "sp ace"];
    for name in names {
        let function = Function::constant(name, Sort::Bool);
        system.state.push(symbol(function, "two\nlines (check-sat)"));
        certificate.facts.push(fact(
            "(assert false)\n(assert false)",
            not(and([function.apply([]), not(function.apply([]))])),
        ));
        certificate
            .facts
            .push(fact(name, equal(function.apply([]), bool(true))));
        system.starts[0].updates.push(update(function, &[], bool(true)));
    }
    system.properties[0].name = "evil\n(assert false)\r; query 1".to_owned();
    certificate.properties = vec![system.properties[0].name.clone()];
    for (name, solver) in programs() {
        let report = report(&system, &certificate, &solver);
        assert!(report.is_confirmed(), "{name}: {report:?}");
    }
}

#[test]
fn what_makes_no_sense_has_no_obligations() {
    let error = |change: &dyn Fn(&mut TransitionSystem, &mut Certificate)| {
        let (mut system, mut certificate) = counter();
        change(&mut system, &mut certificate);
        obligations(&system, &certificate).unwrap_err()
    };
    let [x, z] = ["x", "z"].map(|name| Function::constant(name, Sort::Int));
    let free = Variable::new("i", Sort::Int).term();
    assert_eq!(error(&|system, _| system.starts.clear()), ObligationError::NoStart);
    assert_eq!(
        error(&|_, certificate| certificate.properties.clear()),
        ObligationError::NothingToProve
    );
    assert_eq!(
        error(&|_, certificate| certificate.properties.push("other".to_owned())),
        ObligationError::UnknownProperty("other".to_owned())
    );
    let open = error(&|_, certificate| certificate.facts[0].formula = less(free, int(0)));
    assert!(matches!(open, ObligationError::NotClosed { .. }));
    let foreign = error(&|_, certificate| certificate.facts[0].formula = less(z.apply([]), int(0)));
    assert!(matches!(foreign, ObligationError::SymbolOutOfPlace { .. }));
    let axiom = error(&|system, _| system.axioms.push(fact("a", less(x.apply([]), int(0)))));
    assert!(matches!(axiom, ObligationError::SymbolOutOfPlace { .. }));
    let start = error(&|system, _| system.starts[0].guard = less(x.apply([]), int(0)));
    assert!(matches!(start, ObligationError::SymbolOutOfPlace { .. }));
    let choice = error(&|system, _| system.rules[0].choices.push(x));
    assert!(matches!(choice, ObligationError::DeclaredTwice(_)));
    let lost = error(&|system, _| system.rules[0].updates.push(update(z, &[], int(0))));
    assert!(matches!(lost, ObligationError::WrongUpdate { .. }));
    let twice = error(&|system, _| system.rules[0].updates.push(update(x, &[], int(0))));
    assert!(matches!(twice, ObligationError::WrongUpdate { .. }));
    let constraint = error(&|system, _| system.rules[0].constraint = bool(false));
    assert!(matches!(constraint, ObligationError::ConstraintOfRule { .. }));
}

#[test]
fn parameters_are_not_captured() {
    // The parameter of the rule has the name of the variable that the fact binds.
    let node = Sort::Index("Node".into());
    let [i, u] = ["i", "u"].map(|name| Variable::new(name, node));
    let others = and([
        not(equal(u.term(), i.term())),
        Function::new("mark", vec![node], Sort::Bool).apply([u.term()]),
    ]);
    let [mark, last] = [
        Function::new("mark", vec![node], Sort::Bool),
        Function::constant("last", node),
    ];
    let system = TransitionSystem {
        state: vec![symbol(mark, "mark[{}]"), symbol(last, "last")],
        starts: vec![rule("all", &[], bool(true), vec![update(mark, &[i], bool(true))])],
        rules: vec![rule(
            "erase",
            &[i],
            bool(true),
            vec![update(mark, &[u], others), update(last, &[], i.term())],
        )],
        properties: vec![property("all marked", forall([i], mark.apply([i.term()])))],
        ..TransitionSystem::default()
    };
    let certificate = Certificate {
        properties: vec!["all marked".to_owned()],
        facts: vec![fact("all marked", forall([i], mark.apply([i.term()])))],
        ..Certificate::default()
    };
    refuted(&system, &certificate, QueryKind::Inductive);
}

#[test]
fn initial_states_are_found_although_axioms_have_quantifiers() {
    let (mut system, certificate) = mutex();
    let node = Sort::Index("Node".into());
    let [x, y, z] = ["x", "y", "z"].map(|name| Variable::new(name, node));
    let less = Function::new("less", vec![node, node], Sort::Bool);
    let before = |a: Variable, b: Variable| less.apply([a.term(), b.term()]);
    system.rigid.push(symbol(less, "({} < {})"));
    system.axioms = vec![
        fact("nothing before itself", forall([x], not(before(x, x)))),
        fact(
            "transitive",
            forall([x, y, z], implies(and([before(x, y), before(y, z)]), before(x, z))),
        ),
        fact(
            "total",
            forall([x, y], or([equal(x.term(), y.term()), before(x, y), before(y, x)])),
        ),
    ];
    for (name, solver) in programs() {
        let report = report(&system, &certificate, &solver);
        assert!(report.is_confirmed(), "{name}: {report:?}");
    }
    // Only an infinite set is like that, and index sorts are finite.
    system
        .axioms
        .push(fact("no last one", forall([x], exists([y], before(x, y)))));
    refuted(&system, &certificate, QueryKind::InitialStates);
}
