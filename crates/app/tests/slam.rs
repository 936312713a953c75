//! `cubist check --engine slam`: the same answers as by Horn clauses, for the same reasons.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, corpus, cubist, json};
use testing::{Outcome, tool};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// A lock that a procedure takes through a pointer to it, in a loop.
const LOCK: &str = "struct lock { int held; };
static int take(struct lock *lock, int wanted) { if (!wanted) return 0; if (lock->held) reach_error(); lock->held = 1; return 1; }
int main(void) {
    struct lock lock = { 0 };
    while (__VERIFIER_nondet_int()) {
        int wanted = __VERIFIER_nondet_int();
        if (take(&lock, wanted)) lock.held = 0;
    }
    return 0;
}
";

/// Each condition is a predicate, and what follows from two of them is told by none.
const CHAIN: &str = "int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (a < b) if (b < c) if (!(a < c)) reach_error();
    return 0;
}
";

fn a_proof_has_its_certificate_and_a_violation_its_run() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("slam");
    let (safe, certificate) = (
        folder.write("lock.c", format!("{PRELUDE}{LOCK}")),
        folder.path("lock.smt2"),
    );
    let run = cubist(&["check", &safe, "--engine", "slam", "--certificate", &certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for expected in [
        "\nSafe.\n",
        "lock.held",
        "cvc5 confirms",
        "  slam: ",
        "no difference found",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    let run = cubist(&["validate", &certificate, "--model", &safe]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let spoilt = LOCK.replace("if (take(&lock, wanted)) lock.held = 0;", "take(&lock, wanted);");
    let spoilt = folder.write("lock-bug.c", format!("{PRELUDE}{spoilt}"));
    let run = cubist(&["check", &spoilt, "--engine", "slam"]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(
        run.stdout.contains("inputs: ") && run.stdout.contains("take(&lock"),
        "{run:?}"
    );
    Ok(())
}

fn constrain_brings_back_what_is_lost_without_it() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("constrain");
    let path = folder.write("chain.c", format!("{PRELUDE}{CHAIN}"));
    let of = |mode: &str| json(&["check", &path, "--engine", "slam", "--constrain", mode, "--json"]);
    let (status, none) = of("none");
    assert_eq!((status, &none["verdict"]), (Some(20), &"unknown".into()), "{none}");
    assert!(
        none["reason"].as_str().unwrap().starts_with("no difference found"),
        "{none}"
    );
    for mode in ["lazy", "eager"] {
        let (status, report) = of(mode);
        assert_eq!((status, &report["verdict"]), (Some(0), &"safe".into()), "{report}");
        let work = &report["slam"];
        assert_eq!(work["constrain"], mode);
        assert!(work["predicates"].as_u64() >= Some(3), "{report}");
        let found = ["constraints", "invariants"].map(|field| work[field].as_u64().unwrap());
        assert!(found.iter().sum::<u64>() > 0, "{report}");
    }
    Ok(())
}

/// Programs that take little time; the names say what others found.
fn verdicts_of_others_are_found() -> Outcome {
    tool("cc", "--version")?;
    let mut wrong = Vec::new();
    for (folder, wanted) in [
        ("locks", &["test_locks"][..]),
        ("ntdrivers-simplified", &["kbfiltr_simpl1"]),
        (
            "ssh-simplified",
            &["s3_clnt_1_false", "s3_srvr_1a", "s3_srvr_1b", "s3_srvr_6"],
        ),
    ] {
        let files = std::fs::read_dir(corpus(&format!("c/{folder}"))?).unwrap();
        let mut files: Vec<String> = files
            .map(|file| file.unwrap().path().to_str().unwrap().to_owned())
            .filter(|name| wanted.iter().any(|wanted| name.contains(wanted)))
            .collect();
        files.sort();
        for name in files {
            let options = [
                "--engine",
                "slam",
                "--data-model",
                "ilp32",
                "--json",
                "--timeout",
                "60s",
            ];
            let (_, report) = json(&[&["check", &name], options.as_slice()].concat());
            let expected = if name.contains("_false-unreach-call") {
                "unsafe"
            } else {
                "safe"
            };
            if report["verdict"] != expected {
                wrong.push(format!("{name}: {}, {}", report["verdict"], report["reason"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn what_means_nothing_is_refused() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("slam-refused");
    let program = folder.write("chain.c", format!("{PRELUDE}{CHAIN}"));
    for arguments in [
        ["models/good-bad.m", "--engine", "slam", "-q"].as_slice(),
        &["docs/examples/lock.bp", "--engine", "slam"],
        &[&program, "--constrain", "lazy"],
        &[&program, "--engine", "slam", "--constrain", "often"],
    ] {
        let run = cubist(&[&["check"], arguments].concat());
        assert_eq!(run.status, Some(2), "{arguments:?}: {run:?}");
    }
    Ok(())
}

testing::tests!(
    a_proof_has_its_certificate_and_a_violation_its_run,
    constrain_brings_back_what_is_lost_without_it,
    verdicts_of_others_are_found,
    what_means_nothing_is_refused,
);
