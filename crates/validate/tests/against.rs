//! Certificates held against the system that they should be about: forged ones are refused, whoever made them and
//! however well.

#![allow(clippy::unwrap_used)] // In helpers, which are not recognised as tests.

mod support;

use logic::Cancellation;
use logic::term::{and, bool, equal, forall, implies, int, less, not, or};
use logic::{Function, Sort, Variable};
use support::*;
use system::certificate::Certificate;
use system::transition::TransitionSystem;
use validate::{Refusal, against, certificate_text, confirm, parse_certificate};

fn about() -> Vec<(&'static str, String)> {
    vec![
        ("model", format!("sha256 {} of mutex.m", "0".repeat(64))),
        ("option", "--size Node=3".to_owned()),
        ("type", "Node, at any size".to_owned()),
    ]
}

fn text_of(system: &TransitionSystem, certificate: &Certificate) -> String {
    certificate_text(system, certificate, &about()).unwrap()
}

/// All that is said against a text.
fn refused(text: &str, system: &TransitionSystem) -> String {
    let refusal = against(text, system, &about()).unwrap_err();
    match &refusal {
        Refusal::Differences { differences, .. } => {
            assert!(!differences.is_empty());
            differences.iter().map(|difference| format!("{difference}\n")).collect()
        }
        other => other.to_string(),
    }
}

fn replaced(text: &str, old: &str, new: &str) -> String {
    let changed = text.replacen(old, new, 1);
    assert_ne!(changed, text, "`{old}` does not occur in {text}");
    reseal(&changed)
}

#[test]
fn right_certificates_are_made_again() {
    let (system, mut certificate) = mutex();
    certificate.premises = [(0, [0, 1].into()), (1, [0].into())].into();
    for (system, certificate) in [mutex(), counter(), (system, certificate)] {
        let text = text_of(&system, &certificate);
        let parsed = against(&text, &system, &about()).unwrap();
        for (name, solver) in programs() {
            let report = confirm(&parsed, &solver, limits(), &Cancellation::new());
            assert!(report.is_confirmed(), "{name}: {report:?}");
        }
    }
}

/// Bound variables that want the names of parameters, of functions, of definitions, of each other.
#[test]
fn names_come_out_the_same_again() {
    let (mut system, mut certificate) = mutex();
    let node = Sort::Index("Node".into());
    let clock = Function::constant("clock", Sort::Int).apply([]);
    for name in [
        "i",
        "u",
        "clock",
        "i_2",
        "fact-1",
        "rule-1.phase",
        "start-1-guard",
        "a b",
        "|",
    ] {
        let [one, other] = [node, Sort::Int].map(|sort| Variable::new(name, sort));
        let about_both = or([
            less(other.term(), clock),
            equal(clock, other.term()),
            less(clock, other.term()),
        ]);
        certificate.facts.push(fact(name, forall([other], about_both)));
        certificate.facts.push(fact(
            name,
            forall([one], implies(lock(), or([lock(), not(critical(one))]))),
        ));
    }
    let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int));
    system.state.extend([symbol(x, "x"), symbol(y, "fact-2")]);
    let text = text_of(&system, &certificate);
    against(&text, &system, &about()).unwrap();
}

fn lock() -> logic::Term {
    Function::constant("lock", Sort::Bool).apply([])
}

fn critical(v: Variable) -> logic::Term {
    let (system, _) = mutex();
    let phase = system.state[0].function;
    let Sort::Enum(phases) = phase.result() else {
        unreachable!()
    };
    equal(phase.apply([v.term()]), logic::term::enumerator(phases, 1))
}

/// What is replaced, and by what.
const FORGERIES: &[(&str, &str)] = &[
    // Queries that ask nothing.
    ("(assert start-1-guard)\n", "(assert start-1-guard)\n(assert false)\n"),
    ("(assert rule-1-guard)\n", ""),
    ("(assert invariant)\n", ""),
    ("(assert (not property-1))", "(assert (not true))"),
    ("(assert (not property-1))", "(assert false)"),
    ("(assert (not property-1))", "(assert (not property-2))"),
    // Another system.
    (
        "(define-fun rule-1-guard () Bool ",
        "(define-fun rule-1-guard () Bool false) ; ",
    ),
    (
        "(define-fun rule-1.lock () Bool true)",
        "(define-fun rule-1.lock () Bool lock)",
    ),
    (
        "(define-fun property-1 () Bool ",
        "(define-fun property-1 () Bool true) ; ",
    ),
    ("(declare-sort Node 0)", "(declare-datatypes ((Node 0)) (((only))))"),
    (
        "(declare-datatypes ((Phase 0)) (((idle) (critical))))",
        "(declare-datatypes ((Phase 0)) (((idle) (critical) (other))))",
    ),
    ("(declare-fun home () Node)", "(define-fun home () Node home)"),
    ("(declare-fun clock () Int)", "(define-fun clock () Int 1)"),
    ("(define-fun type-1 () Bool ", "(define-fun type-1 () Bool false) ; "),
    (
        "(define-fun types () Bool type-1)",
        "(define-fun types () Bool (and type-1 false))",
    ),
    // Assumptions beside the queries.
    ("(set-logic ALL)\n", "(set-logic ALL)\n(assert false)\n"),
    ("(set-logic ALL)\n", "(set-logic QF_UF)\n"),
    ("(set-logic ALL)\n", "(set-logic ALL)\n(set-info :status unsat)\n"),
    (
        "(set-logic ALL)\n",
        "(set-logic ALL)\n(define-fun more () Bool false)\n",
    ),
    ("(set-logic ALL)\n", "(set-logic ALL)\n(echo \"unsat\")\n"),
    (
        "(push 1)\n",
        "(assert (forall ((a Node) (b Node)) (= a b)))\n(push 1)\n",
    ),
    ("(push 1)\n", "(push 1)\n(push 1)\n"),
    ("(push 1)\n", "(push 1)\n(define-fun fact-1 () Bool true)\n"),
    ("(pop 1)\n", "(pop 1)\n(reset)\n"),
    ("(pop 1)\n", "(pop 1)\n(reset-assertions)\n"),
    (
        "(check-sat) ; expected unsat",
        "(check-sat-assuming (false)) ; expected unsat",
    ),
    (
        "(check-sat) ; expected unsat",
        "(check-sat) ; expected unsat\n(check-sat)",
    ),
    // Definitions that change on the way, or hide others.
    (
        "(define-fun rule-1-guard",
        "(define-fun fact-1 () Bool true)\n(define-fun rule-1-guard",
    ),
    (
        "(define-fun rule-1-guard",
        "(define-fun |fact-1| () Bool true)\n(define-fun rule-1-guard",
    ),
    (
        "(define-fun invariant () Bool (and type-1 fact-1 fact-2))",
        "(define-fun invariant () Bool (and type-1 fact-1))",
    ),
    (
        "(define-fun invariant () Bool (and type-1 fact-1 fact-2))",
        "(define-fun invariant () Bool false)",
    ),
    // The header.
    ("; proves: exclusion", "; proves: never critical"),
    ("; rule 3 does not touch: 2", "; rule 3 does not touch: 1 2"),
    ("; type: Node, at any size", "; type: Node, at size 1"),
    ("; option: --size Node=3\n", "; option: --size Node=2\n"),
    ("; option: --size Node=3\n", ""),
    ("; model: sha256 0", "; model: sha256 1"),
    ("; fact 1: exclusion", "; fact 1: something else"),
    // What people read.
    ("; enabled where: ", "; enabled where: never, or "),
    ("; never: clock outside of 0..3", "; never: nothing"),
    ("; This file proves", "; This file surely proves"),
    ("; The state.\n", "; The state.\n; (assert false)\n"),
    ("(push 1)\n", "(push 1) \n"),
    ("\n\n", "\n"),
];

/// A forger who knows the format, and writes the right digest under the text.
#[test]
fn changed_texts_are_refused() {
    let (system, certificate) = mutex();
    let text = text_of(&system, &certificate);
    for (old, new) in FORGERIES {
        let said = refused(&replaced(&text, old, new), &system);
        assert!(!said.is_empty(), "{old} -> {new}");
    }
    let changed = replaced(
        &text,
        "(define-fun rule-1-guard () Bool ",
        "(define-fun rule-1-guard () Bool false) ; ",
    );
    let line = 1 + changed
        .lines()
        .position(|line| line.starts_with("(define-fun rule-1-guard"))
        .unwrap();
    let said = refused(&changed, &system);
    assert!(
        said.starts_with(&format!("line {line}: the definition of `rule-1-guard` is `false`")),
        "{said}"
    );
}

/// Every line, gone or doubled.
#[test]
fn no_line_can_be_taken_out_or_said_twice() {
    let (system, mut certificate) = mutex();
    certificate.premises = [(0, [0, 1].into()), (1, [0].into())].into();
    let text = text_of(&system, &certificate);
    let lines: Vec<&str> = text.lines().collect();
    for number in 0..lines.len() {
        if lines[number].starts_with("; sha256: ") {
            continue;
        }
        let mut fewer = lines.clone();
        fewer.remove(number);
        let fewer = reseal(&(fewer.join("\n") + "\n"));
        let mut more = lines.clone();
        more.insert(number, lines[number]);
        let more = reseal(&(more.join("\n") + "\n"));
        // Fewer premises are another proof, which is for the solver to judge: but its queries must be those.
        assert!(
            against(&fewer, &system, &about()).is_err(),
            "without `{}`",
            lines[number]
        );
        assert!(against(&more, &system, &about()).is_err(), "twice `{}`", lines[number]);
    }
}

/// A forger who has the program, and makes the certificate of another system under the name of this one.
#[test]
fn certificates_of_other_systems_are_refused() {
    let (system, certificate) = mutex();
    let forge = |change: &dyn Fn(&mut TransitionSystem, &mut Certificate)| {
        let (mut other, mut certificate) = (system.clone(), certificate.clone());
        change(&mut other, &mut certificate);
        refused(&text_of(&other, &certificate), &system)
    };
    let guard = forge(&|other, _| other.rules[0].guard = and([other.rules[0].guard, bool(false)]));
    assert!(guard.contains("the definition of `rule-1-guard`"), "{guard}");
    let stronger = forge(&|other, _| {
        let home = Function::constant("home", Sort::Index("Node".into())).apply([]);
        let alone = equal(other.rules[1].parameters[0].term(), home);
        other.rules[1].guard = and([other.rules[1].guard, alone]);
    });
    assert!(stronger.contains("the definition of `rule-2-guard`"), "{stronger}");
    let dropped = forge(&|other, _| drop(other.rules.remove(0)));
    assert!(dropped.contains("missing: "), "{dropped}");
    let update = forge(&|other, _| drop(other.rules[0].updates.pop()));
    assert!(update.contains("missing: the definition of `rule-1.lock`"), "{update}");
    let assertion = forge(&|other, _| other.rules[2].assertions.clear());
    assert!(
        assertion.contains("missing: the query `assertion, rule 3, number 1`"),
        "{assertion}"
    );
    let start = forge(&|other, _| other.starts[0].guard = and([other.starts[0].guard, less(int(1), int_choice())]));
    assert!(start.contains("the definition of `start-1-guard`"), "{start}");
    let property = forge(&|other, _| other.properties[0].formula = bool(true));
    assert!(property.contains("the definition of `property-1`"), "{property}");
    let axiom = forge(&|other, _| {
        let [a, b] = ["a", "b"].map(|name| Variable::new(name, Sort::Index("Node".into())));
        other
            .axioms
            .push(fact("alone", forall([a, b], equal(a.term(), b.term()))));
    });
    assert!(
        axiom.contains("the definition of `axiom-1` is nothing that the model gives"),
        "{axiom}"
    );
    let typed = forge(&|other, _| drop(other.type_facts.pop()));
    assert!(typed.contains("missing: the definition of `type-1`"), "{typed}");
    // Nothing of this can be proved about it at all.
    let unknown = refused(
        &replaced(
            &text_of(&system, &certificate),
            "; proves: exclusion",
            "; proves: peace",
        ),
        &system,
    );
    assert_eq!(
        unknown,
        "nothing can be proved by it of this model: there is no property `peace`"
    );
    // Another model with the same system is not the same model.
    let other: Vec<(&'static str, String)> = vec![("model", "sha256 1 of mutex.m".to_owned())];
    assert!(against(&text_of(&system, &certificate), &system, &other).is_err());
}

fn int_choice() -> logic::Term {
    Function::constant("clock?1", Sort::Int).apply([])
}

#[test]
fn facts_are_read_with_care() {
    let (system, certificate) = mutex();
    let text = text_of(&system, &certificate);
    let at = text
        .lines()
        .find(|line| line.starts_with("(define-fun fact-2 "))
        .unwrap();
    for value in [
        "(assert false)",
        "types",
        "rule-1-guard",
        "(! lock :named x)",
        "nothing",
        "clock?1",
        "i",
        "1",
    ] {
        let said = refused(
            &replaced(&text, at, &format!("(define-fun fact-2 () Bool {value})")),
            &system,
        );
        assert!(
            said.contains("`fact-2` is no formula over the state"),
            "{value}: {said}"
        );
    }
    let first = text
        .lines()
        .find(|line| line.starts_with("(define-fun fact-1 "))
        .unwrap();
    let doubled = replaced(&text, at, &first.replace("fact-1", "fact-2"));
    assert_eq!(refused(&doubled, &system), "the facts 1 and 2 say the same");
    let gone = replaced(&text, at, "(define-fun other () Bool true)");
    assert_eq!(refused(&gone, &system), "the certificate does not define `fact-2`");
    for (old, new) in [
        ("; facts: 2", "; facts: 3"),
        ("; fact 1: ", "; premises of fact 1: 3\n; fact 1: "),
    ] {
        assert!(parse_certificate(&replaced(&text, old, new)).is_err(), "{new}");
    }
}

/// What is stated is not believed either: it is made obligations of, and these fail.
#[test]
fn wrong_facts_and_premises_are_for_the_solver() {
    let (system, mut certificate) = mutex();
    certificate.facts[1].formula = not(lock());
    let weak = text_of(&system, &certificate);
    let (_, mut certificate) = mutex();
    certificate.premises = [(0, [0].into())].into();
    let circular = text_of(&system, &certificate);
    for text in [weak, circular] {
        let parsed = against(&text, &system, &about()).unwrap();
        for (name, solver) in programs() {
            let report = confirm(&parsed, &solver, limits(), &Cancellation::new());
            assert!(!report.is_confirmed(), "{name}");
        }
    }
}

/// Without a model, what the file alone shows.
#[test]
fn some_forgeries_are_seen_without_a_model() {
    let (system, certificate) = mutex();
    let text = text_of(&system, &certificate);
    for (old, new) in [
        ("(assert (not property-1))", "(assert false)"),
        ("(assert rule-1-guard)\n", "(assert rule-1-guard)\n(assert false)\n"),
        ("(assert rule-1-guard)\n", "(assert (and rule-1-guard false))\n"),
        (
            "(define-fun rule-1-guard",
            "(define-fun |fact-1| () Bool true)\n(define-fun rule-1-guard",
        ),
        (
            "; rule 3 does not touch: 2",
            "; rule 3 does not touch: 2\n; rule 1 does not touch: 1",
        ),
        ("(set-logic ALL)\n", "(set-logic QF_UF)\n"),
        ("; proves: exclusion", "; proves: exclusion\u{1b}[2J"),
        ("; proves: exclusion\n", "; proves: exclusion\r\n"),
        ("(set-logic ALL)\n", "(set-logic ALL)\n(set-info :status unsat)\n"),
        (
            "(set-logic ALL)\n",
            "(set-logic ALL)\n(define-fun-rec f () Bool false)\n",
        ),
    ] {
        assert!(parse_certificate(&replaced(&text, old, new)).is_err(), "{old} -> {new}");
    }
}
