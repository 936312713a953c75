//! `cubist conform --certificate` and `cubist validate` of what it writes.
#![allow(clippy::unwrap_used)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, Run, cubist, json, sha256};

const HEADER: &str = "
#define FEW 2
int ask(void); void a(void); void b(void);
";

const LEFT: &str = "#include \"all.h\"
int left(int x) { int r = ask(); while (r > FEW) { a(); r = ask(); } b(); return 100 / x; }
";

const RIGHT: &str = "#include \"all.h\"
void right(void) { while (ask()) a(); }
";

const SPECIFICATION: &str = "
ASK = ( return {} -> STOP ).
A = ( a -> return {} -> STOP ).
B = ( b -> return {} -> STOP ).
cproc ask { abstract { ask, (1), ASK }; }
cproc a { abstract { a, (1), A }; }
cproc b { abstract { b, (1), B }; }
";

const QUESTIONS: &str = "
S = ( a -> S | b -> left.return {} -> STOP ).
T = ( a -> T ) + {b}.
program left { abstract { first, (1), S }; }
program left || right { abstract { both, (1), (1), S }; }
program right { abstract { second, (1), T }; }
";

/// A certificate, and what it is of.
struct Certified {
    folder: Folder,
    certificate: String,
    text: String,
    files: [String; 4],
}

fn certified(name: &str, options: &[&str]) -> Certified {
    let folder = Folder::new(name);
    folder.write("all.h", HEADER);
    let files = [
        folder.write("routines.spec", SPECIFICATION),
        folder.write("questions.spec", QUESTIONS),
        folder.write("left.c", LEFT),
        folder.write("right.c", RIGHT),
    ];
    let certificate = folder.path("proof.smt2");
    let [routines, questions, left, right] = files.each_ref().map(String::as_str);
    let run = cubist(
        &[
            &[
                "conform",
                "--spec",
                questions,
                "--spec",
                routines,
                left,
                right,
                "--certificate",
                &certificate,
            ],
            options,
        ]
        .concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.ends_with(&format!("The certificate is in {certificate}.\n")),
        "{run:?}"
    );
    let text = std::fs::read_to_string(&certificate).unwrap();
    Certified {
        folder,
        certificate,
        text,
        files,
    }
}

impl Certified {
    /// With these of the files.
    fn validate(&self, certificate: &str, files: &[&str], options: &[&str]) -> Run {
        let models = files.iter().flat_map(|file| ["--model", file]);
        let arguments: Vec<&str> = ["validate", certificate]
            .into_iter()
            .chain(models)
            .chain(options.iter().copied())
            .collect();
        cubist(&arguments)
    }

    fn all(&self) -> Vec<&str> {
        self.files.iter().map(String::as_str).collect()
    }

    /// Another text, with digests that fit.
    fn forged(&self, text: &str) -> Run {
        let parts = text.split("(reset)\n").map(|part| {
            let rest: String = part
                .split_inclusive('\n')
                .filter(|line| !line.starts_with("; sha256: "))
                .collect();
            let (title, behind) = rest.split_once('\n').unwrap_or((&rest, ""));
            format!("{title}\n; sha256: {}\n{behind}", sha256(&rest))
        });
        let parts: Vec<String> = parts.collect();
        let forged = self.folder.write("forged.smt2", parts.join("(reset)\n"));
        self.validate(&forged, &self.all(), &[])
    }
}

#[test]
fn components_are_confirmed_of_their_sources() {
    let own = certified("conform-certified", &[]);
    let run = own.validate(&own.certificate, &own.all(), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for line in [
        "proof obligations, made again from the sources; 60 runs of the components conform, too.",
        "- left conforms to S (first) of ",
        "- left || right conforms to S (both) of ",
        "- right conforms to T (second) of ",
        "provided that ",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
    assert!(!run.stdout.contains("Not established"), "{run:?}");
    // In another order, and where they are now.
    let [routines, questions, left, right] = own.files.each_ref().map(String::as_str);
    let run = own.validate(&own.certificate, &[right, routines, left, questions], &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let moved = Folder::new("conform-moved");
    moved.write("all.h", HEADER);
    let there = [
        moved.write("r.spec", SPECIFICATION),
        moved.write("q.spec", QUESTIONS),
        moved.write("l.c", LEFT),
        moved.write("r.c", RIGHT),
    ];
    let run = own.validate(&own.certificate, &there.each_ref().map(String::as_str), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    // With another solver, and for programs.
    let files = own.all();
    let models = files.iter().flat_map(|file| ["--model", file]);
    let arguments: Vec<&str> = ["validate", &own.certificate, "--json"]
        .into_iter()
        .chain(models)
        .collect();
    let (status, value) = json(&arguments);
    assert_eq!(status, Some(0));
    assert_eq!(value["verdict"], "confirmed");
    assert_eq!(value["obligations"], value["confirmed"]);
    assert_eq!(value["properties"].as_array().unwrap().len(), 3);
    assert_eq!(value["model"]["left_out"], serde_json::json!([]));
    assert!(!value["provided"].as_array().unwrap().is_empty(), "{value}");
    let run = own.validate(
        &own.certificate,
        &own.all(),
        &["--solver", "third-party/solvers/bin/z3"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn without_sources_it_is_said_what_is_not_established() {
    let own = certified("conform-alone", &[]);
    let run = own.validate(&own.certificate, &[], &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("proof obligations that the file defines."),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("Not established:\n- that the queries are those of any components"),
        "{run:?}"
    );
    let first = own.text.split("(reset)\n").next().unwrap();
    let one = own.folder.write("one.smt2", first);
    let run = own.validate(&one, &own.all(), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout
            .contains("\"right conforms to T (second)\": the certificate is not about it"),
        "{run:?}"
    );
    let (status, value) = json(&["validate", &one, "--json"]);
    assert_eq!(
        (status, &value["model"], &value["verdict"]),
        (Some(0), &serde_json::Value::Null, &"confirmed".into())
    );
}

#[test]
fn options_are_those_of_the_certificate() {
    let own = certified("conform-options", &["-D", "MORE=1", "--data-model", "ilp32"]);
    assert!(own.text.contains("; option: --data-model ilp32\n"), "{}", own.text);
    assert!(own.text.contains("; option: --define MORE=1\n"), "{}", own.text);
    let run = own.validate(&own.certificate, &own.all(), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout
            .contains("  options  --data-model ilp32 --undefined wrap --define MORE=1\n"),
        "{run:?}"
    );
    for (option, with) in [
        ("--data-model ilp32", "--data-model lp64"),
        ("--undefined wrap", "--undefined assume-absent"),
        ("--define MORE=1", "--define FEW2=1"),
    ] {
        // The digests of what was read stay the same.
        let run = own.forged(&own.text.replace(option, with));
        assert_ne!(run.status, Some(101), "{run:?}");
    }
    for option in [
        "--report /tmp/x.html",
        "--certificate /tmp/x",
        "--data-model",
        "--define",
        "--frobnicate 1",
    ] {
        let run = own.forged(&own.text.replace("--define MORE=1", option));
        assert_eq!(run.status, Some(2), "{option}: {run:?}");
    }
}

#[test]
fn other_sources_are_refused() {
    let own = certified("conform-others", &[]);
    let folder = Folder::new("conform-others-there");
    folder.write("all.h", HEADER);
    let [routines, questions, left, right] = own.files.each_ref().map(String::as_str);
    let changed = |name: &str, text: &str| folder.write(name, text);
    let other_left = changed("left.c", &LEFT.replace("r > FEW", "r > 3"));
    let other_right = changed("right.c", &RIGHT.replace("while", "if"));
    let other_questions = changed("questions.spec", &QUESTIONS.replace("( a -> T ) + {b}", "( a -> T )"));
    let other_routines = changed(
        "routines.spec",
        &SPECIFICATION.replace("( a -> return", "( b -> return"),
    );
    // A certificate names the files of its question only: of the right component only the second one speaks.
    let (missing, different) = ("none of the files is the ", "which the sources do not give");
    for (files, said) in [
        ([routines, questions, &other_left, right], missing),
        ([routines, questions, left, &other_right], different),
        ([routines, &other_questions, left, right], missing),
        ([&other_routines, questions, left, right], missing),
    ] {
        let run = own.validate(&own.certificate, &files, &[]);
        assert_eq!(run.status, Some(10), "{files:?}: {run:?}");
        assert!(run.stdout.contains(said), "{files:?}: {run:?}");
    }
    // What is included is part of what was read.
    folder.write("all.h", HEADER.replace('2', "3"));
    let (same_left, same_right) = (changed("left.c", LEFT), changed("right.c", RIGHT));
    let run = own.validate(&own.certificate, &[routines, questions, &same_left, &same_right], &[]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("`included` is "), "{run:?}");
    // A digest is written in a moment; then it is the text that differs.
    let forged = own
        .text
        .replace(&sha256(LEFT), &sha256(&LEFT.replace("r > FEW", "r > 3")));
    let forged_file = own.folder.write("left-forged.smt2", &forged);
    let run = own.validate(&forged_file, &[routines, questions, &other_left, right], &[]);
    assert_eq!(run.status, Some(2), "{run:?}");
    for files in [
        &[left, right][..],
        &[routines, questions],
        &[questions, left, right],
        &[routines, questions, left],
    ] {
        let run = own.validate(&own.certificate, files, &[]);
        assert!(matches!(run.status, Some(2 | 10)), "{files:?}: {run:?}");
    }
    let run = own.validate(&own.certificate, &own.all(), &["--size", "P=3"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    let run = own.validate(&own.certificate, &own.all(), &["--property", "x.prp"]);
    assert_eq!(run.status, Some(2), "{run:?}");
}

#[test]
#[allow(clippy::too_many_lines)]
fn forged_certificates_of_components_are_refused() {
    let own = certified("conform-forged", &[]);
    let text = &own.text;
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    let replaced = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let parts: Vec<&str> = text.split("(reset)\n").collect();
    let (moves, state, pair) = (line("; from 1: "), line("; state 1: "), line("; together: "));
    for (what, forged, status) in [
        ("no moves", replaced(&format!("{moves}\n"), ""), 10),
        ("no pair", replaced(&format!("{pair}\n"), ""), 10),
        ("no claim", replaced("; claim\n", "; nothing\n"), 10),
        (
            "a state out of range",
            replaced(&state, "; state 1: location 4000000000, values -"),
            10,
        ),
        (
            "a state beyond numbers",
            replaced(&state, "; state 1: location 99999999999999999999999999, values -"),
            10,
        ),
        (
            "a count beyond numbers",
            replaced("; queries: ", "; queries: 99999999999999999999999999"),
            2,
        ),
        (
            "another question",
            replaced("; question: 1 of 3", "; question: 3 of 3"),
            2,
        ),
        (
            "a question out of range",
            replaced("; question: 1 of 3", "; question: 18446744073709551615 of 3"),
            2,
        ),
        ("no question", replaced("; question: 1 of 3\n", ""), 2),
        (
            "another claim",
            replaced(
                "; proves: left conforms to S (first)",
                "; proves: left conforms to T (first)",
            ),
            10,
        ),
        ("the same twice", format!("{}(reset)\n{}", parts[0], parts[0]), 2),
        ("an empty part", format!("{}(reset)\n", parts[0]), 2),
        (
            "a reset inside",
            replaced("(set-logic ALL)\n", "(set-logic ALL)\n(reset)\n"),
            2,
        ),
        (
            "an assertion",
            replaced("(set-logic ALL)\n", "(set-logic ALL)\n(assert false)\n"),
            2,
        ),
        (
            "an invariant",
            replaced("; Cubist conformance certificate 1", "; Cubist certificate 2"),
            2,
        ),
        (
            "a later version",
            replaced(
                "; Cubist conformance certificate 1",
                "; Cubist conformance certificate 2",
            ),
            2,
        ),
    ] {
        let run = own.forged(&forged);
        assert_eq!(run.status, Some(status), "{what}: {run:?}");
        assert!(
            run.stdout.contains("Refused.") || run.stderr.contains("refused") || run.stderr.contains("no "),
            "{what}: {run:?}"
        );
        assert!(!run.stderr.contains("panicked"), "{what}: {run:?}");
    }
    // Cut off, with and without a digest that fits.
    for part in 0..8 {
        let cut = &text[..text.len() * part / 8];
        let run = own.forged(cut);
        assert!(matches!(run.status, Some(2 | 10)), "{part}: {run:?}");
        let file = own.folder.write("cut.smt2", cut);
        assert_eq!(own.validate(&file, &own.all(), &[]).status, Some(2), "{part}");
    }
    // Limits hold.
    let run = own.validate(&own.certificate, &own.all(), &["--timeout", "1ms"]);
    assert_eq!(run.status, Some(20), "{run:?}");
}

#[test]
fn there_is_no_certificate_where_components_do_not_conform() {
    let folder = Folder::new("conform-none");
    let certificate = folder.path("proof.smt2");
    let run = cubist(&[
        "conform",
        "--spec",
        "docs/examples/transfer/transfer.spec",
        "docs/examples/transfer/sender.c",
        "docs/examples/transfer/receiver.c",
        "--certificate",
        &certificate,
    ]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(!std::path::Path::new(&certificate).exists());
    // One model is enough for other certificates.
    let model = folder.write(
        "a.m",
        "var x: 0..1; startstate x := 0; end; rule x = 0 ==> x := 0; end; invariant x = 0;",
    );
    let proof = folder.path("model.smt2");
    assert_eq!(cubist(&["check", &model, "--certificate", &proof]).status, Some(0));
    let run = cubist(&["validate", &proof, "--model", &model, "--model", &model]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("only a certificate of components"), "{run:?}");
}
