//! Fault injection while a C program is checked: for every k, the k-th solver check fails; solvers for confirmation or
//! invariants lie, die, hang or print garbage. A verdict may only become unknown.

use crate::confirmation::root;
use crate::isolation::{Ended, isolated};
use crate::program::run as run_program;
use crate::tally::Campaign;
use c::{DataModel, Options};
use driver::program::{Question, Verdict, check};
use driver::{Answer, Context};
use smt::{Fault, SharedFault, Solvers};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unfold::Undefinedness;

const ALLOWED: Duration = Duration::from_secs(20);
/// Of runs with more checks, only this many are tested.
const CHECKS: u64 = 60;

/// The common declarations.
const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// Whether it is safe, and a program. Each needs the solver: no small input is a violation.
const PROGRAMS: [(bool, &str); 4] = [
    (
        true,
        "int main(void) { int x = 0, y = 0; while (__VERIFIER_nondet_int()) { if (x < 100) { x++; y++; } }
           if (x != y) reach_error(); return 0; }",
    ),
    (
        false,
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
           if (x - y == 48611 && x + y == 104729) reach_error(); return 0; }",
    ),
    (
        true,
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, a[3] = { 0 }; if (n < 0 || n > 1000) return 0;
           while (i < n) { a[i % 3] = 1; i++; } if (i != n || a[0] + a[1] + a[2] > 3) reach_error(); return 0; }",
    ),
    (
        false,
        "static void set(int *p, int v) { *p = v; }
         int main(void) { int x = __VERIFIER_nondet_int(), y = 0, i; for (i = 0; i < 3; i++) set(&y, y + x);
           if (y == 299979) reach_error(); return 0; }",
    ),
];

/// A fake solver: a name, and a script.
const SOLVERS: [(&str, &str); 6] = [
    ("dies", "kill -9 $$"),
    ("says nothing", "cat > /dev/null"),
    ("hangs", "exec sleep 60"),
    (
        "says unsat",
        "while read -r line; do case \"$line\" in *check-sat*) echo unsat;; esac; done",
    ),
    (
        "says sat",
        "while read -r line; do case \"$line\" in *check-sat*) echo sat;; esac; done",
    ),
    ("talks nonsense", "while read -r line; do echo '(error \"7\") )('; done"),
];

/// Every kind of fault, for every program.
pub fn run(run: &mut Campaign, cubist: Option<&Path>) {
    for (number, (is_safe, text)) in PROGRAMS.iter().enumerate() {
        let text = format!("{PRELUDE}{text}");
        failing_checks(run, number, *is_safe, &text);
        if let Some(cubist) = cubist {
            bad_solvers(run, number, *is_safe, &text, cubist);
        }
    }
}

/// The verdict on a program and the number of checks. `None` after a panic or a hang.
fn verdict_under_fault(text: &str, fault: Option<SharedFault>) -> Option<(Result<&'static str, String>, u64)> {
    let text = text.to_owned();
    let ended = isolated(ALLOWED, move |cancellation| {
        let sources = c::preprocess::preprocessed("program.i", text, None);
        let Ok(unit) = c::read(&sources, &Options::new(DataModel::Lp64)) else {
            return (Err("the program cannot be read".to_owned()), 0);
        };
        let mut solvers = Solvers::default().under(cancellation);
        if let Some(fault) = fault {
            solvers = solvers.failing(fault);
        }
        let context = Context::silent(solvers);
        let question = Question::new(&unit.program, &unit.sources, Undefinedness::Wraps);
        let verdict = match check(&question, &context) {
            Ok(Answer::Decided(decided)) => Ok(match decided.verdict {
                Verdict::Safe(_) => "safe",
                Verdict::Unsafe(_) => "unsafe",
                Verdict::Unknown(_) => "unknown",
            }),
            Ok(Answer::Mistake(mistake)) => Err(mistake.message),
            Err(error) => Err(error.to_string()),
        };
        (verdict, context.solvers.statistics().total())
    });
    match ended {
        Ended::Well(said) => Some(said),
        Ended::Panicked | Ended::Hung => None,
    }
}

fn failing_checks(run: &mut Campaign, number: usize, is_safe: bool, text: &str) {
    let truth = if is_safe { "safe" } else { "unsafe" };
    let Some((_, checks)) = verdict_under_fault(text, None) else {
        return;
    };
    for fault in [Fault::Unknown, Fault::Timeout, Fault::Error] {
        for failing in 1..=checks.min(CHECKS) {
            run.tried += 1;
            let wrong = match verdict_under_fault(text, Some(SharedFault::new(fault, failing))) {
                None => Some("it panics or hangs".to_owned()),
                Some((Ok(verdict), _)) => {
                    run.add(&format!("{truth} C program became {verdict}"), 1);
                    (verdict != truth && verdict != "unknown").then(|| format!("{truth} became {verdict}"))
                }
                Some((Err(error), _)) => {
                    run.add("C program: an error, and no verdict", 1);
                    (fault != Fault::Error).then_some(error)
                }
            };
            if let Some(wrong) = wrong {
                let what = format!("{fault:?} at check {failing}: {wrong}");
                run.failure(&format!("{}-program-{number}.i", run.name()), &what, text.as_bytes());
            }
        }
    }
}

/// Checks the program with fake solvers.
fn bad_solvers(run: &mut Campaign, number: usize, is_safe: bool, text: &str, cubist: &Path) {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-solvers-{}", std::process::id()));
    let (bin, lib) = (folder.join("target/debug"), folder.join("target/lib/cubist"));
    let made = std::fs::create_dir_all(&bin)
        .and_then(|()| std::fs::create_dir_all(&lib))
        .and_then(|()| copy_program(cubist, &bin.join("cubist")))
        .and_then(|()| std::os::unix::fs::symlink(root().join("third-party"), folder.join("third-party")))
        .and_then(|()| std::fs::write(folder.join("program.i"), text));
    let real = cubist.with_file_name("cubist-cvc5");
    if let Err(error) = made {
        run.stop("cannot write the solvers", &error);
    } else {
        let program = folder.join("program.i").to_string_lossy().into_owned();
        for (name, script) in SOLVERS {
            for place in [bin.join("cubist-cvc5"), lib.join("z3")] {
                let _ = std::fs::remove_file(lib.join("z3"));
                let _ = std::fs::remove_file(bin.join("cubist-cvc5"));
                if place != bin.join("cubist-cvc5") && copy_program(&real, &bin.join("cubist-cvc5")).is_err() {
                    continue;
                }
                if write_script(&place, script).is_err() {
                    continue;
                }
                run.tried += 1;
                let arguments = ["check", &program, "--timeout", "3", "-q"];
                let Ok(finished) = run_program(&bin.join("cubist"), &arguments, Duration::from_secs(40)) else {
                    continue;
                };
                let truth = if is_safe { "safe" } else { "unsafe" };
                let verdict = finished.verdict().unwrap_or("none");
                // A lying confirmation is accepted: the proof itself is right.
                let is_right = verdict == truth || verdict == "unknown";
                run.add(&format!("C program with a bad solver: {verdict}"), 1);
                if !is_right || !finished.is_in_order() {
                    let who = place.file_name().unwrap_or_default().to_string_lossy();
                    let what = format!("{who} {name}: {verdict}, status {:?}, not {truth}", finished.status);
                    run.failure(&format!("{}-program-{number}.i", run.name()), &what, text.as_bytes());
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A copy in another folder: the program searches for solvers beside itself.
fn copy_program(from: &Path, to: &PathBuf) -> std::io::Result<()> {
    std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(|_| ()))
}

fn write_script(path: &Path, script: &str) -> std::io::Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{script}\n"))?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
