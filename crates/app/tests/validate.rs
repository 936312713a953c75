//! `cubist validate --model`: a certificate held against its model, and forged ones refused.

#![allow(clippy::unwrap_used)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, Run, cubist, json, sha256};

/// A lock; the guard of `enter` is what makes it safe.
const LOCK: &str = "\
const N: 3; K: 4;
type P: scalarset(N); C: 0..K;
var inside: array [P] of boolean; free: boolean; count: C;
startstate \"init\" for p: P do inside[p] := false; end; free := true; count := 0; end;
ruleset p: P do
  rule \"enter\" free ==> inside[p] := true; free := false; end;
  rule \"leave\" inside[p] ==> inside[p] := false; free := true; end;
end;
rule \"count\" count < K ==> count := count + 1; end;
invariant \"alone\" forall p: P do forall q: P do p = q | !(inside[p] & inside[q]) end end;
invariant \"bounded\" count <= K;
";

/// The same as Cubicle writes it.
const CUBICLE: &str = "\
type location = Idle | Inside
array Where[proc] : location
var Free : bool
init (p) { Where[p] = Idle && Free = True }
unsafe (p q) { Where[p] = Inside && Where[q] = Inside }
transition enter (p) requires { Free = True && Where[p] = Idle }
{ Free := False; Where[x] := case | x = p : Inside | _ : Where[x]; }
transition leave (p) requires { Where[p] = Inside }
{ Free := True; Where[x] := case | x = p : Idle | _ : Where[x]; }
";

struct Proved {
    folder: Folder,
    model: String,
    certificate: String,
    text: String,
}

/// A model with its certificate.
fn proved(name: &str, file: &str, model: &str, options: &[&str]) -> Proved {
    let folder = Folder::new(name);
    let model = folder.write(file, model);
    let certificate = folder.path("proof.smt2");
    let run = cubist(&[&["check", &model, "--certificate", &certificate], options].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let text = std::fs::read_to_string(&certificate).unwrap();
    Proved {
        folder,
        model,
        certificate,
        text,
    }
}

impl Proved {
    fn validate(&self, options: &[&str]) -> Run {
        cubist(&[&["validate", &self.certificate, "--model", &self.model], options].concat())
    }

    /// Another text under the same name, with the digest that fits.
    fn forged(&self, text: &str) -> Run {
        let rest: String = text
            .lines()
            .filter(|line| !line.starts_with("; sha256: "))
            .fold(String::new(), |all, line| all + line + "\n");
        let (title, behind) = rest.split_once('\n').unwrap();
        let forged = self
            .folder
            .write("forged.smt2", format!("{title}\n; sha256: {}\n{behind}", sha256(&rest)));
        cubist(&["validate", &forged, "--model", &self.model])
    }
}

#[test]
fn a_certificate_is_confirmed_of_its_model() {
    let proved = proved("validate-model", "lock.m", LOCK, &["--property", "alone"]);
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for expected in [
        "Confirmed. ",
        "made again from ",
        &format!("lock.m (sha256 {})", sha256(LOCK)),
        "  options  none\n",
        "  type     P, at any size\n",
        "- \"alone\" holds in every reachable state of ",
        "Not established:\n- \"bounded\": the certificate is not about it\n",
    ] {
        assert!(
            run.stdout.contains(expected),
            "`{expected}` is missing in {}",
            run.stdout
        );
    }
    let (status, value) = json(&["validate", &proved.certificate, "--model", &proved.model, "--json"]);
    assert_eq!((status, &value["verdict"]), (Some(0), &"confirmed".into()));
    assert_eq!(value["model"]["sha256"], sha256(LOCK));
    assert_eq!(value["properties"], serde_json::json!(["alone"]));
    assert_eq!(value["confirmed"], value["obligations"]);
}

#[test]
fn the_solver_is_called_by_its_name() {
    let proved = proved("validate-names", "lock.m", LOCK, &[]);
    let z3 = common::root().join("third-party/solvers/bin/z3");
    for (options, name) in [
        (vec![], "cvc5"),
        (vec!["--solver", env!("CARGO_BIN_EXE_cubist-cvc5")], "cvc5"),
        (vec!["--solver", z3.to_str().unwrap()], "z3"),
    ] {
        let run = proved.validate(&options);
        assert!(
            run.stdout.starts_with(&format!("Confirmed. {name} confirms ")),
            "{run:?}"
        );
    }
}

#[test]
fn without_a_model_it_is_said_what_is_not_established() {
    let proved = proved("validate-alone", "lock.m", LOCK, &[]);
    let run = cubist(&["validate", &proved.certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("of the system that the file defines"), "{run:?}");
    assert!(
        run.stdout
            .contains("Not established:\n- that the system of the file is that of "),
        "{run:?}"
    );
    let (_, value) = json(&["validate", &proved.certificate, "--json"]);
    assert!(value["model"].is_null());
    assert_eq!(value["not_established"].as_array().unwrap().len(), 4);
}

#[test]
fn cubicle_models_are_read_again_too() {
    let proved = proved("validate-cubicle", "lock.cub", CUBICLE, &[]);
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("  type     proc, at any size\n"), "{run:?}");
    let forged = proved.text.replacen("Idle", "Inside", 3);
    assert_eq!(proved.forged(&forged).status, Some(10));
}

#[test]
fn the_options_of_the_certificate_are_used() {
    let options = ["--fixed", "P", "--size", "P=2", "--const", "K=2"];
    // By a proof, where exploration would do.
    let proved = proved(
        "validate-options",
        "lock.m",
        LOCK,
        &[&options[..], &["--engine", "approximate"]].concat(),
    );
    assert!(proved.text.contains("; type: P, at size 2\n"), "{}", proved.text);
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("  options  --const K=2 --fixed P --size P=2\n"),
        "{run:?}"
    );
    assert_eq!(proved.validate(&options).status, Some(0));
    let run = proved.validate(&["--size", "P=3"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("was made with `--const K=2 --fixed P --size P=2`"),
        "{run:?}"
    );
    for (old, new) in [
        ("; option: --size P=2\n", "; option: --size P=3\n"),
        ("; option: --size P=2\n", ""),
        ("; option: --fixed P\n", ""),
        ("; type: P, at size 2\n", "; type: P, at any size\n"),
    ] {
        let run = proved.forged(&proved.text.replacen(old, new, 1));
        assert_eq!(run.status, Some(10), "{old} -> {new}: {run:?}");
    }
    let run = proved.forged(
        &proved
            .text
            .replacen("; option: --fixed P\n", "; option: --quiet P\n", 1),
    );
    assert_eq!(run.status, Some(2), "{run:?}");
}

#[test]
fn files_of_properties_are_part_of_what_was_read() {
    let folder = Folder::new("validate-properties");
    let more = folder.write("more.m", "invariant \"free\" forall p: P do inside[p] -> !free end;\n");
    let also = folder.write("also.m", "invariant \"small\" count < 9;\n");
    let options = ["--properties", more.as_str(), "--also", also.as_str()];
    let proved = proved("validate-with-properties", "lock.m", LOCK, &options);
    assert!(proved.text.contains("; proves: free\n") && proved.text.contains("; proves: small\n"));
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    folder.write("more.m", "invariant \"free\" forall p: P do true end;\n");
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("`properties` is"), "{run:?}");
}

#[test]
fn another_model_is_refused() {
    let proved = proved("validate-other", "lock.m", LOCK, &[]);
    let other = |old: &str, new: &str| {
        let model = LOCK.replacen(old, new, 1);
        assert_ne!(model, LOCK);
        let path = proved.folder.write("other.m", &model);
        let digest = |text: &str| proved.text.replace(&sha256(LOCK), &sha256(text));
        // The forger writes the digest of the other model into the certificate.
        let forged = proved.folder.write("honest.smt2", digest(&model));
        let run = cubist(&["validate", &forged, "--model", &path]);
        assert_eq!(run.status, Some(2), "its own digest does not fit: {run:?}");
        let honest = cubist(&["validate", &proved.certificate, "--model", &path]);
        assert_eq!(honest.status, Some(10), "{old} -> {new}: {honest:?}");
        honest.stdout
    };
    let weaker = other("\"enter\" free", "\"enter\" free | count = K");
    assert!(weaker.contains("the definition of `rule-1-guard`"), "{weaker}");
    let more = other(
        "rule \"count\"",
        "rule \"break\" true ==> free := true; end;\nrule \"count\"",
    );
    assert!(more.contains("missing: the definition of `rule-4"), "{more}");
    let property = other("!(inside[p] & inside[q])", "!inside[p]");
    assert!(property.contains("the definition of `property-1`"), "{property}");
    let start = other("free := true; count := 0", "free := true; havoc count");
    assert!(start.contains("start-1"), "{start}");
    // Not a rule, not a letter of a formula: still not what was read.
    let comment = other("const", "-- a comment\nconst");
    assert!(comment.contains("`model` is"), "{comment}");
}

/// A stranger's certificate may name anything: what is no plain file is not opened.
#[test]
fn only_plain_files_are_read_where_a_certificate_says_so() {
    let proved = proved("validate-files", "lock.m", LOCK, &[]);
    for (name, expected) in [
        ("/dev/zero", "no plain file"),
        ("-", "no such file"),
        ("nothing.m", "no such file"),
    ] {
        let forged = proved
            .text
            .replacen("\n; type: ", &format!("\n; also: sha256 0 of {name}\n; type: "), 1);
        let run = proved.forged(&forged);
        assert!(
            run.status == Some(2) && run.stderr.contains(expected),
            "{name}: {run:?}"
        );
    }
}

/// A certificate may be about some properties only, which must be seen.
#[test]
fn an_exploration_says_what_it_is_about() {
    let model = "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end;
invariant \"small\" x <= 3; invariant \"odd\" x != 2;";
    let proved = proved("validate-explored", "count.m", model, &["--property", "small"]);
    let run = proved.validate(&[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("\"small\" holds in every reachable state"),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("\"odd\": the certificate is not about it"),
        "{run:?}"
    );
    let (_, report) = json(&["validate", &proved.certificate, "--model", &proved.model, "--json"]);
    assert_eq!(report["left_out"], serde_json::json!(["odd"]), "{report}");
    let run = proved.validate(&["--data-model", "lp64"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("--data-model is about witnesses"),
        "{run:?}"
    );
    let lies = "; made by: this holds for every size\n";
    let run = proved.forged(&proved.text.replacen("; model: ", &format!("{lies}; model: "), 1));
    assert_eq!(run.status, Some(2), "{run:?}");
    let run = proved.forged(
        &proved
            .text
            .replacen("; All reachable", &format!("{lies}; All reachable"), 1),
    );
    assert_eq!(run.status, Some(10), "{run:?}");
}

#[test]
fn forged_certificates_are_refused() {
    let proved = proved("validate-forged", "lock.m", LOCK, &[]);
    let text = &proved.text;
    assert_eq!(proved.forged(text).status, Some(0));
    let line = |beginning: &str| {
        text.lines()
            .find(|line| line.starts_with(beginning))
            .unwrap()
            .to_owned()
            + "\n"
    };
    let forgeries = [
        // By what is seen in the model only.
        (
            line("(define-fun rule-1-guard "),
            "(define-fun rule-1-guard () Bool false)\n",
            10,
        ),
        (
            line("(define-fun property-1 "),
            "(define-fun property-1 () Bool true)\n",
            10,
        ),
        (line("(declare-sort P "), "(declare-datatypes ((P 0)) (((only))))\n", 10),
        (
            line("(define-fun invariant "),
            "(define-fun invariant () Bool false)\n",
            10,
        ),
        ("(assert rule-1-guard)\n".to_owned(), "", 10),
        (line("; model: "), "; model: sha256 0 of lock.m\n", 10),
        (line("; enabled where: "), "; enabled where: never\n", 10),
        // By their form alone.
        ("(assert rule-1-guard)\n".to_owned(), "(assert false)\n", 10),
        ("(push 1)\n".to_owned(), "(push 1)\n(reset)\n", 2),
        ("(set-logic ALL)\n".to_owned(), "(set-logic ALL)\n(assert false)\n", 2),
    ];
    for (old, new, status) in forgeries {
        let forged = text.replacen(&old, new, 1);
        assert_ne!(forged, *text, "{old}");
        let run = proved.forged(&forged);
        assert!(
            run.status == Some(status) || run.status == Some(2),
            "{old} -> {new}: {run:?}"
        );
        let (shown, _) = (run.stdout + &run.stderr, ());
        assert!(
            shown.contains("Refused.") || shown.contains("is refused"),
            "{old} -> {new}: {shown}"
        );
    }
    // All queries of a rule, with the counts that fit.
    let without: String = text
        .split("\n; query ")
        .filter(|query| !query.contains(": inductive, rule 2,"))
        .collect::<Vec<_>>()
        .join("\n; query ");
    assert_ne!(proved.forged(&without).status, Some(0));
}
