//! Corrupted files are refused by their form alone, and corrupted solvers by their answers. No solver is needed.

#![allow(clippy::unwrap_used)] // In helpers, which are not recognised as tests.

mod support;

use logic::Cancellation;
use smt::{SolverCommand, UnknownReason};
use std::time::Duration;
use support::*;
use validate::{CertificateError, Limits, QueryResult, Report, certificate_text, confirm_text, parse_certificate};

fn text() -> String {
    let (system, certificate) = mutex();
    certificate_text(&system, &certificate, &[]).unwrap()
}

#[test]
fn any_change_of_the_text_is_seen() {
    let text = text();
    parse_certificate(&text).unwrap();
    assert_eq!(reseal(&text), text);
    let changes = [
        ("critical", "idle"),
        ("; proves: exclusion", "; proves: everything"),
        ("(set-logic ALL)", "(set-logic ALL) "),
        ("(assert invariant)", "(assert false)"),
        ("\n", "\r\n"),
    ];
    for (old, new) in changes {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text);
        assert!(parse_certificate(&changed).is_err(), "{old}");
    }
    let no_digest: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("; sha256"))
        .collect();
    assert_eq!(
        parse_certificate(&no_digest).unwrap_err(),
        CertificateError::WrongDigest
    );
    assert_eq!(parse_certificate("").unwrap_err(), CertificateError::NotACertificate);
    assert_eq!(
        parse_certificate("(check-sat)").unwrap_err(),
        CertificateError::NotACertificate
    );
}

#[test]
fn a_truncated_file_is_refused_even_with_a_new_digest() {
    let text = text();
    for (end, _) in text.match_indices('\n').filter(|(end, _)| end + 1 < text.len()) {
        assert!(parse_certificate(&text[..end]).is_err());
        assert!(parse_certificate(&reseal(&text[..=end])).is_err(), "up to byte {end}");
    }
}

/// The text from each `; query` to the next.
fn pieces(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.match_indices("\n; query ").map(|(start, _)| start).collect();
    let mut pieces = vec![&text[..starts[0]]];
    starts.push(text.len());
    pieces.extend(starts.windows(2).map(|pair| &text[pair[0]..pair[1]]));
    pieces
}

#[test]
fn a_missing_query_is_refused_even_with_new_numbers() {
    let text = text();
    let pieces = pieces(&text);
    for gone in 1..pieces.len() {
        let mut rest: String = pieces[0].to_owned();
        for (number, piece) in (1..).zip(pieces.iter().skip(1).filter(|piece| **piece != pieces[gone])) {
            let (_, behind) = piece.split_once(": ").unwrap();
            rest.push_str(&format!("\n; query {number}: {behind}"));
        }
        assert!(parse_certificate(&reseal(&rest)).is_err(), "query {gone}");
        // With its counts changed, too: then what a proof needs is missing.
        let word = pieces[gone].split([' ', ',', '\n']).nth(4).unwrap();
        let count = |key: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(&format!("; {key}: ")))
                .unwrap();
            (
                format!("; {key}: {line}\n"),
                format!("; {key}: {}\n", line.parse::<usize>().unwrap() - 1),
            )
        };
        for (old, new) in [count("queries"), count(&format!("queries of kind {word}"))] {
            rest = rest.replacen(&old, &new, 1);
        }
        let result = parse_certificate(&reseal(&rest));
        // How many types and assertions there must be only the system can tell.
        if !matches!(word, "types" | "assertion") {
            assert!(
                matches!(result, Err(CertificateError::MissingQuery(_))),
                "{word}: {result:?}"
            );
        }
    }
}

#[test]
fn nothing_but_plain_queries_may_stand_in_the_file() {
    let text = text();
    let insertions = [
        ("(push 1)\n", "(assert false)\n(push 1)\n"),
        ("(push 1)\n", "(push 1)\n(push 1)\n"),
        ("(push 1)\n", "(push 1)\n(reset-assertions)\n"),
        ("(push 1)\n", "(push 1)\n(check-sat)\n"),
        ("(push 1)\n", "(push 1)\n(define-fun other () Bool false)\n"),
        ("(push 1)\n", "(push 1)\n(echo \"unsat\")\n"),
        ("(check-sat) ; expected unsat", "(check-sat)"),
        ("(check-sat) ; expected unsat", "(check-sat) ; expected sat"),
        (
            "(check-sat) ; expected unsat",
            "(check-sat-assuming (false)) ; expected unsat",
        ),
        (":status unsat", ":status sat"),
        ("(pop 1)", "(pop 2)"),
        ("(pop 1)", ""),
        ("(set-logic ALL)", "(set-logic ALL)(assert false)"),
        ("(set-logic ALL)", "(set-option :produce-models true)(set-logic ALL)"),
        ("(define-fun invariant () Bool", "(define-fun invariant () Bool ("),
        ("; rules: 3", "; rules: 4"),
        ("; rules: 3", "; rules: many"),
        ("; facts: 2", "; facts: 0"),
        ("; starts: 1", "; starts: 99999999999"),
        ("; rule 3 does not touch: 2", "; rule 3 does not touch:"),
        (
            "; query 5: inductive, rule 1, number 1",
            "; query 5: inductive, rule 1, number 2",
        ),
        ("; query 5: inductive", "; query 5: property"),
        ("; proves: exclusion\n", "; proves: exclusion\n; proves: everything\n"),
    ];
    for (old, new) in insertions {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        assert!(parse_certificate(&reseal(&changed)).is_err(), "{old} -> {new}");
    }
}

/// What becomes of a right certificate with a solver that runs this shell command.
fn with_solver(command: &str, limit: u64) -> Report {
    let solver = SolverCommand {
        program: "sh".into(),
        arguments: vec!["-c".to_owned(), command.to_owned()],
    };
    let limits = Limits {
        query: Some(Duration::from_millis(limit)),
        total: Some(Duration::from_millis(4 * limit)),
    };
    confirm_text(&text(), &solver, limits, &Cancellation::new()).unwrap()
}

const LONG: u64 = 60_000;

#[test]
fn unknown_is_never_confirmed() {
    // Once for all queries together, then once for each.
    let report = with_solver("grep -x '(check-sat)' | sed 's/.*/unknown/'", LONG);
    assert!(!report.is_confirmed());
    assert_eq!(
        (report.confirmed(), report.refuted().count(), report.error.is_none()),
        (0, 0, true)
    );
    assert_eq!(report.unknown().count(), report.outcomes.len());
}

#[test]
fn one_unknown_is_not_confirmed() {
    let count = parse_certificate(&text()).unwrap().queries.len();
    for position in 2..=count {
        let edit = format!("s/.*/unsat/; 1s/.*/sat/; {position}s/.*/unknown/");
        let command =
            format!("n=$(grep -cx '(check-sat)'); if [ $n = 1 ]; then echo unknown; else seq $n | sed '{edit}'; fi");
        let report = with_solver(&command, LONG);
        assert_eq!(report.error, None);
        assert!(!report.is_confirmed());
        assert_eq!((report.confirmed(), report.unknown().count()), (count - 1, 1));
        assert!(matches!(
            report.outcomes[position - 1].1,
            QueryResult::Unknown(UnknownReason::Incomplete(_))
        ));
    }
}

#[test]
fn what_is_not_an_answer_rejects() {
    let right = "grep -x '(check-sat)' | sed 's/.*/unsat/; 1s/.*/sat/'";
    let report = with_solver(right, LONG);
    assert!(report.is_confirmed(), "{report:?}");
    let wrong = [
        format!("{right} | sed '$d'"),
        format!("{right}; echo unsat"),
        format!("{right}; exit 1"),
        format!("{right} | sed '3i(error \"line 7: unknown constant\")'"),
        format!("{right}; echo '(error \"late\")'"),
        format!("{right} | sed '3s/.*/segmentation fault/'"),
        "cat > /dev/null".to_owned(),
        "exit 0".to_owned(),
        "exit 3".to_owned(),
    ];
    for command in wrong {
        let report = with_solver(&command, LONG);
        assert!(report.error.is_some(), "{command}: {report:?}");
        assert!(!report.is_confirmed());
    }
    let missing = SolverCommand::new("/no/such/solver");
    let report = confirm_text(&text(), &missing, Limits::default(), &Cancellation::new()).unwrap();
    assert!(report.error.is_some() && !report.is_confirmed());
}

#[test]
fn a_solver_that_takes_too_long_is_stopped() {
    let report = with_solver("echo sat; exec sleep 1000", 300);
    assert_eq!(report.error, None);
    assert!(!report.is_confirmed());
    assert_eq!(report.outcomes[1].1, QueryResult::Unknown(UnknownReason::Timeout));
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let solver = SolverCommand {
        program: "sh".into(),
        arguments: vec!["-c".to_owned(), "exec sleep 1000".to_owned()],
    };
    let report = confirm_text(&text(), &solver, Limits::default(), &cancellation).unwrap();
    assert!(!report.is_confirmed());
    assert!(
        report
            .unknown()
            .all(|(_, reason)| *reason == UnknownReason::Interrupted)
    );
}
