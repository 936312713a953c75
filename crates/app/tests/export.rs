//! `cubist export`: other programs read what it writes, and answer as they should.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, corpus, cubist, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testing::{Absent, Outcome};

const FORMATS: [&str; 3] = ["vmt", "chc", "smt2"];

/// A solver that `make setup` unpacks.
fn solver(path: &str) -> Result<PathBuf, Absent> {
    testing::expect(root().join(path))
}

fn z3() -> Result<PathBuf, Absent> {
    solver("third-party/solvers/bin/z3")
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// The models of a folder with this ending, sorted.
fn models(folder: &Path, ending: &str) -> Vec<String> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == ending))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

/// Exports the model in every format; Z3 must read each without an error. Horn clauses are only read: answers can
/// take for ever.
fn exports(model: &str, folder: &Folder, z3: &Path) {
    for format in FORMATS {
        let file = folder.path(&format!("export.{format}.smt2"));
        let exported = cubist(&["export", model, "--to", format, "--output", &file]);
        if exported.status == Some(2) {
            assert!(
                exported.stderr.contains("error"),
                "{model}: a refusal says why: {exported:?}"
            );
            let lists = format == "chc" && exported.stderr.contains("Horn clauses have no sort for lists");
            assert!(lists || !model.contains("/models/"), "{model} is ours: {exported:?}");
            continue;
        }
        assert_eq!(exported.status, Some(0), "{model}: {exported:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        if format == "chc" {
            assert!(text.ends_with("\n(check-sat)\n"), "{model}");
            std::fs::write(&file, text.replace("\n(check-sat)\n", "\n")).unwrap();
        }
        let output = run(z3, &["-T:20", &file]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && said.is_empty(),
            "{model} to {format}: {said}"
        );
    }
}

fn z3_reads_every_model_of_the_library() -> Outcome {
    let folder = Folder::new("export-library");
    let found = models(&root().join("models"), "m");
    assert!(!found.is_empty());
    let z3 = z3()?;
    for model in found {
        exports(&model, &folder, &z3);
    }
    Ok(())
}

fn z3_reads_every_model_of_the_corpus() -> Outcome {
    let folder = Folder::new("export-corpus");
    let z3 = z3()?;
    for (name, ending) in [("cubicle", "cub"), ("murphi", "m")] {
        for model in models(&testing::corpus(name)?, ending) {
            exports(&model, &folder, &z3);
        }
    }
    Ok(())
}

fn cvc5_reads_vmt_and_definitions() -> Outcome {
    let folder = Folder::new("export-cvc5");
    for model in [
        "models/german.m",
        "models/bakery-any.m",
        "models/alternating-bit-fifo.m",
    ] {
        for format in ["vmt", "smt2"] {
            let file = folder.path(&format!("export.{format}.smt2"));
            assert_eq!(
                cubist(&["export", model, "--to", format, "--output", &file]).status,
                Some(0)
            );
            let output = Command::new(env!("CARGO_BIN_EXE_cubist-cvc5"))
                .stdin(std::fs::File::open(&file).unwrap())
                .output()
                .unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(
                output.status.success() && !said.contains("error"),
                "{model} to {format}: {said}"
            );
        }
    }
    Ok(())
}

/// What Spacer says of the Horn clauses of a model.
fn spacer(z3: &Path, folder: &Folder, model: &str) -> String {
    let file = folder.path("horn.smt2");
    let exported = cubist(&["export", model, "--to", "chc", "--output", &file]);
    assert_eq!(exported.status, Some(0), "{exported:?}");
    answer(z3, &["-T:60", &file])
}

fn answer(z3: &Path, arguments: &[&str]) -> String {
    String::from_utf8(run(z3, arguments).stdout).unwrap().trim().to_owned()
}

fn spacer_answers_about_the_library() -> Outcome {
    let z3 = z3()?;
    let folder = Folder::new("export-spacer");
    for (model, answer) in [
        ("models/counter-unbounded-bug.m", "unsat"),
        ("models/peterson.m", "sat"),
        ("models/bakery.m", "sat"),
        ("models/bakery-bug.m", "unsat"),
    ] {
        assert_eq!(spacer(&z3, &folder, model), answer, "{model}");
    }
    Ok(())
}

/// Anybody may enter where somebody is inside: two processes are enough to break it.
const OPEN_DOOR: &str = "
var Free : bool
array Inside[proc] : bool
init (p) { Free = True && Inside[p] = False }
unsafe (p q) { Inside[p] = True && Inside[q] = True }
transition enter (p) requires { Inside[p] = False } { Free := False; Inside[p] := True; }
";

/// Spacer goes on for ever where a constant array is the initial state; unrolling the same clauses finds the bug.
fn unrolled_clauses_have_the_bug_of_any_size() -> Outcome {
    let z3 = z3()?;
    let folder = Folder::new("export-open-door");
    let (model, file) = (folder.write("open-door.cub", OPEN_DOOR), folder.path("horn.smt2"));
    assert_eq!(
        cubist(&["export", &model, "--to", "chc", "--output", &file]).status,
        Some(0)
    );
    assert_eq!(answer(&z3, &["-T:60", "fp.engine=bmc", &file]), "unsat");
    Ok(())
}

fn assertions_are_part_of_the_clauses() -> Outcome {
    let z3 = z3()?;
    let folder = Folder::new("export-assertion");
    let model = |bound: u32| {
        format!(
            "var x: 0..3; startstate x := 0; end; rule x < {bound} ==> x := x + 1; end; \
             invariant \"small\" x <= 3;"
        )
    };
    let good = folder.write("good.m", model(3));
    assert_eq!(spacer(&z3, &folder, &good), "sat");
    let bad = folder.write("bad.m", model(4));
    assert_eq!(spacer(&z3, &folder, &bad), "unsat", "4 does not fit into the variable");
    Ok(())
}

fn wrong_options_are_refused() {
    let run = cubist(&["export", "models/german.m"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("--to <FORMAT>"), "{}", run.stderr);
    let run = cubist(&["export", "models/german.m", "--to", "btor"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr.contains("[possible values: vmt, chc, smt2]"),
        "{}",
        run.stderr
    );
    let run = cubist(&["export", "models/absent.m", "--to", "vmt"]);
    assert_eq!(run.status, Some(2));
    let run = cubist(&["export", "models/german.m", "--to", "vmt", "--output", "absent/x.vmt"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("cannot write absent/x.vmt"), "{}", run.stderr);
}

fn the_same_model_gives_the_same_text() -> Outcome {
    let model = corpus("cubicle/german_baukus.cub")?;
    for format in FORMATS {
        let arguments = ["export", &model, "--to", format];
        assert_eq!(cubist(&arguments).stdout, cubist(&arguments).stdout);
    }
    Ok(())
}

testing::tests!(
    z3_reads_every_model_of_the_library,
    z3_reads_every_model_of_the_corpus,
    cvc5_reads_vmt_and_definitions,
    spacer_answers_about_the_library,
    unrolled_clauses_have_the_bug_of_any_size,
    assertions_are_part_of_the_clauses,
    wrong_options_are_refused,
    the_same_model_gives_the_same_text,
);
