//! What the process back end promises, for every solver that is installed: cores, models, hard limits, and errors for
//! whatever is not as it should be.
#![allow(clippy::unwrap_used)]

mod support;

use logic::Cancellation;
use logic::smtlib::Script;
use logic::term::{self, and, append, distinct, equal, forall, int, less, multiply, not, or};
use logic::testing::{Choices, Vocabulary, colour, node};
use logic::{Function, Sort, Term, Value, Variable};
use smt::{Answer, ProcessOptions, ProcessSolver, Purpose, Solver, SolverCommand, SolverError, UnknownReason};
use smt::{Statistics, run_script};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{process, process_with, programs};

const OTHER: Purpose = Purpose::Other;
const MINUTE: Option<Duration> = Some(Duration::from_secs(60));

fn flag(name: &str) -> Term {
    Function::constant(name, Sort::Bool).apply([])
}

fn number(name: &str) -> Term {
    Function::constant(name, Sort::Int).apply([])
}

/// A solver made of shell commands.
fn shell(commands: &str) -> SolverCommand {
    SolverCommand::new("/bin/sh").argument("-c").argument(commands)
}

#[test]
fn cores_models_and_levels() {
    for (name, command) in programs() {
        let mut solver = process(command);
        let (n, p, q) = (number("n"), flag("p"), flag("a | b"));
        solver.assert(or([not(p), less(n, int(3))])).unwrap();
        solver.push().unwrap();
        let large = less(int(5), n);
        assert_eq!(
            solver.check_assuming(OTHER, &[q, large, p]),
            Ok(Answer::Unsat),
            "{name}"
        );
        let mut core = solver.unsat_core().unwrap();
        core.sort();
        let mut expected = vec![p, large];
        expected.sort();
        assert_eq!(core, expected, "{name}");
        assert_eq!(solver.model().err(), Some(SolverError::NoModel));
        solver.assert(large).unwrap();
        assert_eq!(solver.check_assuming(OTHER, &[not(q)]), Ok(Answer::Sat), "{name}");
        assert_eq!(solver.unsat_core(), Err(SolverError::NoCore));
        let model = solver.model().unwrap();
        assert_eq!(
            model.value(and([not(p), not(q), large])),
            Ok(Value::Bool(true)),
            "{name}"
        );
        solver.pop().unwrap();
        assert_eq!(solver.pop(), Err(SolverError::PopWithoutPush));
        assert_eq!(solver.check_assuming(OTHER, &[p]), Ok(Answer::Sat), "{name}");
        assert!(matches!(solver.assert(int(1)), Err(SolverError::NotAFormula(_))));
    }
}

/// What we read from `(get-model)` is what the solver says to `(get-value)`.
#[test]
fn models_are_read_as_they_are_meant() {
    for (name, command) in programs() {
        let mut solver = process(command);
        let node_at = |name: &str| Function::constant(name, node()).apply([]);
        let [a, b] = ["a", "b"].map(node_at);
        let next = Function::new("next", vec![node()], node());
        let count = Function::new("count", vec![node(), Sort::Int], Sort::Int);
        let paint = Function::new("paint", vec![node()], Sort::Enum(colour()));
        let queue = Function::new("queue", vec![node()], Sort::list(Sort::Int));
        let ratio = Function::constant("ratio", Sort::Real).apply([]);
        let third = term::real(logic::Rational::new(-1, 3).unwrap());
        let x = Variable::new("x", node());
        for formula in [
            distinct(a, b),
            equal(next.apply([a]), b),
            equal(next.apply([b]), a),
            equal(count.apply([a, int(-3)]), int(7)),
            less(count.apply([b, int(2)]), int(-7)),
            equal(paint.apply([b]), term::enumerator(colour(), 1)),
            equal(
                queue.apply([a]),
                append(append(term::empty_list(Sort::Int), int(-5)), int(6)),
            ),
            less(ratio, third),
            forall([x], or([equal(x.term(), a), equal(x.term(), b)])),
        ] {
            solver.assert(formula).unwrap();
        }
        // cvc5 may be unsure about the quantifier.
        if solver.check(OTHER).unwrap() != Answer::Sat {
            continue;
        }
        let model = solver.model().unwrap();
        assert_eq!(model.domain(node()).unwrap().len(), 2, "{name}");
        for term in [
            a,
            b,
            next.apply([next.apply([a])]),
            count.apply([a, int(-3)]),
            count.apply([b, int(2)]),
            count.apply([next.apply([a]), int(100)]),
            paint.apply([a]),
            queue.apply([a]),
            queue.apply([b]),
            ratio,
            equal(queue.apply([b]), queue.apply([a])),
        ] {
            let value = solver.value(term);
            assert!(value.is_ok(), "{name}: {term:?} {value:?}");
            assert_eq!(model.value(term), value, "{name}: {term:?}");
        }
        assert!(model.value(number("never mentioned")).is_ok());
        assert!(solver.value(number("never mentioned")).is_err());
    }
}

/// Every name that someone claims, as a variable, a function, a sort and an enumerator of it.
#[test]
fn no_name_is_refused() {
    let mut names: Vec<String> = "and or not xor ite true false let forall exists as par match assert _ ! => + - * / div mod abs < \
        <= to_real to_int is_int select store const seq.len seq.empty str.len head tail nil insert List Int Bool Real Seq \
        Array String implies iff if distinct divisible concat extract repeat union intersection subset bv2nat bvadd map exp \
        sin pi sqrt ^ ** tuple set.union bag Set BitVec check-sat define-fun model min max real.pi arctan is is-red lambda \
        choice iand int.pow2 cons @x .x $1 Tuple unit RoundingMode RNE re.all _x NUMERAL default array-ext as-array pair \
        first 12 1.5 #b1 #xF :key a|b a\\b ; \" ( ) Node red x!val!0 Node!val!0 @Node_0 div0 é 変数"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    names.extend(["", " ", "a b", "nul\0", "line\nfeed", "\u{1}assumption 1"].map(str::to_owned));
    for (name, command) in programs() {
        let mut solver = process(command);
        for text in &names {
            let sort = Sort::Index(text.as_str().into());
            let enumeration = Sort::enumeration(text.as_str().into(), vec![text.as_str().into(), "red".into()]);
            let Sort::Enum(values) = enumeration else {
                unreachable!()
            };
            let function = Function::new(text.as_str(), vec![sort, enumeration], Sort::Bool);
            let variable = Variable::new(text.as_str(), sort);
            let applied = function.apply([variable.term(), term::enumerator(values, 0)]);
            let formula = and([applied, flag(text), forall([variable], or([applied, flag(text)]))]);
            solver.push().unwrap();
            solver.assert(formula).unwrap();
            let answer = solver.check(OTHER);
            assert!(
                answer.is_ok() && answer != Ok(Answer::Unsat),
                "{name}, {text:?}: {answer:?}"
            );
            solver.pop().unwrap();
        }
    }
}

#[test]
fn hard_limits_kill_and_the_next_check_starts_afresh() {
    for (name, command) in programs() {
        let options = ProcessOptions {
            timeout: Some(Duration::from_millis(300)),
            ..ProcessOptions::new(command)
        };
        let mut solver = process_with(options);
        solver.assert(flag("p")).unwrap();
        solver.push().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(number);
        let cube = |n: Term| multiply(n, multiply(n, n));
        for n in [a, b, c] {
            solver.assert(less(int(100), n)).unwrap();
        }
        solver.assert(equal(term::add([cube(a), cube(b)]), cube(c))).unwrap();
        let start = Instant::now();
        let answer = solver.check(OTHER);
        assert!(matches!(answer, Ok(Answer::Unknown(_))), "{name}: {answer:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
        solver.pop().unwrap();
        assert_eq!(
            solver.check_assuming(OTHER, &[not(flag("p"))]),
            Ok(Answer::Unsat),
            "{name}"
        );
    }
}

#[test]
fn interruption_kills() {
    for (name, command) in programs() {
        let cancellation = Cancellation::new();
        let options = ProcessOptions {
            cancellation: cancellation.clone(),
            ..ProcessOptions::new(command)
        };
        let mut solver = process_with(options);
        let [a, b, c] = ["a", "b", "c"].map(number);
        let cube = |n: Term| multiply(n, multiply(n, n));
        solver.push().unwrap();
        for n in [a, b, c] {
            solver.assert(less(int(100), n)).unwrap();
        }
        solver.assert(equal(term::add([cube(a), cube(b)]), cube(c))).unwrap();
        let trigger = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            cancellation.cancel();
        });
        assert_eq!(
            solver.check(OTHER),
            Ok(Answer::Unknown(UnknownReason::Interrupted)),
            "{name}"
        );
        trigger.join().unwrap();
    }
}

#[test]
fn whatever_is_not_an_answer_is_an_error() {
    let ready = "i=0; while [ $i -lt 6 ]; do read line; echo success; i=$((i+1)); done";
    let cases = [
        ("exit 3", "started"),
        ("echo nonsense", "started"),
        ("echo '(error \"no\")'; cat > /dev/null", "started"),
        (&format!("{ready}; read line; exit 0"), "died"),
        (&format!("{ready}; kill -9 $$"), "died"),
        (
            &format!("{ready}; read line; echo '(error \"what?\")'; echo sat; cat > /dev/null"),
            "answered",
        ),
        (
            &format!("{ready}; read line; echo success; cat > /dev/null"),
            "answered",
        ),
        (&format!("{ready}; read line; echo maybe; cat > /dev/null"), "answered"),
        (&format!("{ready}; read line; echo '(sat'"), "answered"),
        (
            &format!("{ready}; read line; printf '\\377\\n'; cat > /dev/null"),
            "answered",
        ),
    ];
    for (commands, when) in cases {
        let options = ProcessOptions {
            timeout: Some(Duration::from_secs(5)),
            ..ProcessOptions::new(shell(commands))
        };
        let solver = ProcessSolver::new(options, Arc::new(Statistics::default()));
        match solver {
            Ok(mut solver) => {
                assert_ne!(when, "started", "{commands}");
                let answer = solver.check(OTHER);
                assert!(answer.is_err(), "{commands}: {answer:?}");
            }
            Err(error) => assert_eq!(when, "started", "{commands}: {error}"),
        }
    }
    let missing = ProcessOptions::new(SolverCommand::new("/no/such/solver"));
    let error = ProcessSolver::new(missing, Arc::new(Statistics::default())).err();
    assert!(matches!(error, Some(SolverError::CannotStart { .. })));
}

#[test]
fn a_killed_process_is_an_error_and_then_replaced() {
    for (name, command) in programs() {
        let mut solver = process(command);
        solver.assert(flag("p")).unwrap();
        assert_eq!(solver.check(OTHER), Ok(Answer::Sat), "{name}");
        let id = solver.process_id().unwrap().to_string();
        assert!(Command::new("kill").args(["-9", &id]).status().unwrap().success());
        let answer = solver.check(OTHER);
        assert!(matches!(answer, Err(SolverError::Died(_))), "{name}: {answer:?}");
        assert_eq!(
            solver.check_assuming(OTHER, &[not(flag("p"))]),
            Ok(Answer::Unsat),
            "{name}"
        );
    }
}

#[test]
fn a_silent_program_is_killed_in_time() {
    let ready = "i=0; while [ $i -lt 6 ]; do read line; echo success; i=$((i+1)); done; exec sleep 1000";
    let options = ProcessOptions {
        timeout: Some(Duration::from_millis(100)),
        ..ProcessOptions::new(shell(ready))
    };
    let mut solver = process_with(options);
    // More than a pipe holds, to a program that does not read.
    let long = Function::constant("x".repeat(300_000).as_str(), Sort::Bool).apply([]);
    solver.assert(long).unwrap();
    assert_eq!(solver.check(OTHER), Ok(Answer::Unknown(UnknownReason::Timeout)));
}

fn script(seed: u64) -> String {
    let mut choices = Choices::random(seed, 300);
    let vocabulary = Vocabulary::decidable().quantifier_free();
    let mut script = Script::new();
    for _ in 0..4 {
        script.push();
        script.assert(vocabulary.formula(3, &mut choices));
        script.check_sat();
        script.pop();
    }
    script.to_string()
}

#[test]
fn scripts_are_run_and_corrupted_ones_refused() {
    for (name, command) in programs() {
        let run = |text: &str| run_script(&command, text, MINUTE, &Cancellation::new());
        let text = script(1);
        assert_eq!(run(&text).unwrap().len(), 4, "{name}");
        for (from, to) in [
            ("(assert", "(asert"),
            ("(declare-fun", "(declare-funn"),
            ("(check-sat)", "(check-sat"),
            ("(assert ", "(assert undeclared_symbol "),
            ("(assert ", "(assert (not 1)) (assert "),
            ("(pop 1)", "(pop 2)"),
            ("(set-logic ALL)\n", "(set-logic ALL)\n)\n"),
        ] {
            let corrupted = text.replacen(from, to, 1);
            assert_ne!(corrupted, text, "{from}");
            let outcome = run(&corrupted);
            assert!(outcome.is_err(), "{name}, {to}: {outcome:?}");
        }
        // Cut off anywhere within a command.
        let cut = &text[..text.rfind("(check-sat)").unwrap() + 4];
        assert!(run(cut).is_err(), "{name}");
        let slow = "(set-logic QF_NIA)(declare-fun a () Int)(declare-fun b () Int)(declare-fun c () Int)\
            (assert (and (> a 99) (> b 99) (> c 99) (= (+ (* a a a) (* b b b)) (* c c c))))(check-sat)";
        let answers = run_script(&command, slow, Some(Duration::from_millis(500)), &Cancellation::new()).unwrap();
        assert!(
            matches!(answers.as_slice(), [Answer::Unknown(_)]),
            "{name}: {answers:?}"
        );
    }
}
