//! Determinism: the same model twice gives the same verdict, certificate and number of checks; so do exploration with
//! one thread and with four, and `cubist check` with one job and with four. Also checks that memory stays bounded over
//! a great many checks in one process.

use crate::engine::{Claim, ENGINES, Engine, EngineOptions, claim};
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::program::{self, ProcessResult, cubist};
use crate::random::Dice;
use crate::source::Source;
use crate::tally::Campaign;
use explore::{Deadlock, SearchOptions, SearchVerdict, SilentObserver};
use logic::Cancellation;
use logic::{Function, Sort, term};
use smt::{Purpose, Solver, Z3Options, Z3Solver};
use std::sync::Arc;
use std::time::Duration;

/// Solver checks per case: `--count 1000` makes a million.
const CHECKS: u64 = 1_000;
/// One in this many checks is made by an engine.
const BY_ENGINES: u64 = 4;
/// The permitted growth of memory in bytes, after the first part of the checks.
const GROWTH: u64 = 100 << 20;
/// One in this many cases runs the program.
const PROGRAM: u64 = 20;

pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        let source = random_system(run.begin(case));
        for (engine_name, engine) in ENGINES {
            run.tried += 1;
            let (first, second) = (describe_result(&source, engine), describe_result(&source, engine));
            let ([Some(first), Some(second)], name) = ([first, second], format!("{}.m", run.name())) else {
                run.add("stopped by its limit", 1);
                continue;
            };
            if first != second {
                let what = format!(
                    "{engine_name}: the second time it is otherwise: {}",
                    difference(&first, &second)
                );
                run.failure(&name, &what, source.text.as_bytes());
            }
        }
        threads(run, &source);
        if case.is_multiple_of(PROGRAM) {
            jobs(run, &source);
        }
    }
    memory(run);
}

fn difference(first: &str, second: &str) -> String {
    let lines = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    lines.map_or_else(|| "one is longer".to_owned(), |(a, b)| format!("`{a}` and `{b}`"))
}

/// The complete result of an engine: its claim with the certificate, and its number of checks.
fn describe_result(source: &Source, engine: Engine) -> Option<String> {
    let source = source.clone();
    let ended = isolated(Duration::from_secs(10), move |cancellation| {
        let effort = EngineOptions::new(engine, cancellation);
        let claim = claim(&source, &effort);
        let detail = match &claim {
            Claim::Proved(Ok(text)) => text.clone(),
            Claim::Proved(Err(text)) | Claim::Refuted(text) | Claim::Unknown(text) => text.clone(),
        };
        let stopped = cancellation.is_cancelled();
        (!stopped).then(|| {
            format!(
                "{} after {} checks\n{detail}",
                claim.word(),
                effort.solvers.statistics().total()
            )
        })
    });
    match ended {
        Ended::Well(told) => told,
        Ended::Panicked | Ended::Hung => None,
    }
}

/// Compares one thread with four.
fn threads(run: &mut Campaign, source: &Source) {
    let Ok(instance) = source.instance(3) else { return };
    run.tried += 1;
    let explored = |jobs: usize| {
        let options = SearchOptions {
            deadlock: Deadlock::Off,
            max_states: Some(20_000),
            jobs,
            ..SearchOptions::default()
        };
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        let statistics = &outcome.statistics;
        let counts = (statistics.states, statistics.rules_fired, statistics.max_depth);
        match outcome.verdict {
            // Threads exceed a limit slightly, each by a different amount.
            SearchVerdict::Incomplete(_) => format!("{:?}", outcome.verdict),
            _ => format!("{:?} {counts:?}", outcome.verdict),
        }
    };
    let (one, four) = (explored(1), explored(4));
    if one != four {
        let name = format!("{}.m", run.name());
        run.failure(
            &name,
            &format!("1 thread says {one:.200}, 4 say {four:.200}"),
            source.text.as_bytes(),
        );
    }
}

/// Compares `cubist check` with one job, four jobs, and one job again.
fn jobs(run: &mut Campaign, source: &Source) {
    let Some(program) = cubist() else { return };
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-jobs-{}", std::process::id()));
    let file = folder.join(&source.name);
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &source.text));
    let shown = file.to_string_lossy();
    let checked = |jobs: &str| {
        let arguments = ["check", &shown, "--json", "--jobs", jobs, "--timeout", "20"];
        program::run(&program, &arguments, Duration::from_secs(60))
    };
    let all = written.and_then(|()| Ok((checked("1")?, checked("1")?, checked("4")?)));
    let _ = std::fs::remove_dir_all(&folder);
    let (first, second, parallel) = match all {
        Ok(all) => all,
        Err(error) => return run.stop("cannot run the program", &error),
    };
    run.tried += 1;
    let verdicts = [&first, &second, &parallel].map(ProcessResult::verdict);
    run.add("check with one job and with four", 1);
    // A timeout is inconclusive.
    let wrong = if verdicts.contains(&Some("unknown")) {
        None
    } else if verdicts[0] != verdicts[2] {
        Some(format!(
            "check says {:?} with one job and {:?} with four",
            verdicts[0], verdicts[2]
        ))
    } else {
        let differs = without_times(&first.output) != without_times(&second.output);
        differs.then(|| format!("check: {}", difference(&first.output, &second.output)))
    };
    if let Some(wrong) = wrong {
        run.failure(&format!("{}.m", run.name()), &wrong, source.text.as_bytes());
    }
}

/// A JSON report without the lines that contain times.
fn without_times(report: &str) -> Vec<&str> {
    let lines = report.lines();
    lines
        .filter(|line| !line.contains("_s\":") && !line.contains("memory"))
        .collect()
}

/// Makes `count` thousand checks in this process, whose memory must settle in the first tenth: most of them by one
/// solver, the others by the engines, which prove the same few systems repeatedly.
fn memory(run: &mut Campaign) {
    let checks = run.count * CHECKS;
    let by_engines = checks / BY_ENGINES;
    check_growth(run, "one solver", checks - by_engines, repeat_check(run.seed));
    check_growth(run, "the engines", by_engines, repeat_proof(run.seed));
}

/// Makes this many checks in portions, and monitors memory. `None` is an error of the solver.
fn check_growth(run: &mut Campaign, who: &str, checks: u64, mut some: impl FnMut() -> Option<u64>) {
    let (mut made, mut settled) = (0, None);
    while made < checks {
        let Some(more) = some() else {
            run.failure("determinism-memory.txt", "an error in the middle of many checks", b"");
            return;
        };
        made += more;
        if settled.is_none() && made >= checks / 10 {
            settled = Some(resident());
        }
    }
    let growth = resident().saturating_sub(settled.unwrap_or_default());
    run.add(&format!("checks by {who}"), made);
    run.add(
        &format!("MB more after all checks by {who} than after a tenth"),
        growth >> 20,
    );
    if growth > GROWTH {
        run.failure(
            "determinism-memory.txt",
            &format!("{} MB more by {who}", growth >> 20),
            b"",
        );
    }
}

/// One solver check with forty assumptions, half of them asserted.
fn repeat_check(seed: u64) -> impl FnMut() -> Option<u64> {
    let number = |n: u64| Function::constant(format!("n{n}").as_str(), Sort::Int).apply([]);
    let names: Vec<_> = (0..40)
        .map(|n| Function::constant(format!("b{n}").as_str(), Sort::Bool).apply([]))
        .collect();
    let mut solver = Z3Solver::new(Z3Options::default(), Arc::default());
    if let Ok(solver) = &mut solver {
        for (n, name) in (0..).zip(&names) {
            let ordered = term::less(number(n), number(n + 1));
            let _ = solver.assert(term::implies(*name, ordered));
        }
    }
    let mut dice = Dice::new(seed, 0);
    move || {
        let assumed: Vec<_> = names.iter().filter(|_| dice.chance(50)).copied().collect();
        let answer = solver.as_mut().ok()?.check_assuming(Purpose::Other, &assumed);
        answer.ok().map(|_| 1)
    }
}

/// One proof by one engine; returns its number of checks.
fn repeat_proof(seed: u64) -> impl FnMut() -> Option<u64> {
    let sources: Vec<Source> = (0..5).map(|case| random_system(Dice::new(seed, case))).collect();
    let mut proofs = (0..sources.len())
        .flat_map(|source| ENGINES.iter().map(move |(_, engine)| (source, *engine)))
        .collect::<Vec<_>>()
        .into_iter()
        .cycle();
    move || {
        let (source, engine) = proofs.next()?;
        // A hard proof needs much memory by itself, and its difficulty depends on the models that the solver finds.
        let effort = EngineOptions {
            cycles: 3,
            ..EngineOptions::new(engine, &Cancellation::new())
        };
        // As in the program, each proof has a thread of its own: Z3 numbers its terms by age, for each thread, so what
        // it did before would change the search, and each search would leave other terms.
        std::thread::scope(|scope| {
            let proof = std::thread::Builder::new().stack_size(driver::STACK);
            let proof = proof.spawn_scoped(scope, || claim(&sources[source], &effort)).ok()?;
            proof.join().ok()
        })?;
        // A proof without checks counts as progress; otherwise the loop might not end.
        Some(effort.solvers.statistics().total().max(1))
    }
}

/// The resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}
