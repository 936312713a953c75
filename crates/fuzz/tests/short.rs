//! Each attack, briefly; `make soak` runs them at length.

use fuzz::engine::ENGINES;
use fuzz::oracle::ExplorationLimits;
use fuzz::systems::SystemsOptions;
use fuzz::tally::Campaign;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn run(kind: &'static str, count: u64) -> Campaign {
    Campaign::new(kind, 1, count, PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz"))
}

fn nothing_wrong(run: &Campaign) {
    assert!(run.tried > 0 && run.wrong.is_empty(), "{}", run.summary());
}

#[test]
fn systems() {
    let mut run = run("systems", 160);
    let plan = SystemsOptions {
        allowed: [Duration::from_millis(200); ENGINES.len()],
        oracle: ExplorationLimits {
            states: 5_000,
            time: Duration::from_millis(200),
            ..ExplorationLimits::default()
        },
        check: 100,
        ..SystemsOptions::default()
    };
    fuzz::systems::run(&mut run, &plan);
    nothing_wrong(&run);
    for (engine, _) in ENGINES {
        let count = |claim: &str| run.count_of(&format!("{engine}: {claim}"));
        // One engine does not refute.
        let of_interest = count("unknown") - count("unknown of an unsafe model");
        assert!(count("proved") > 40 && of_interest < 100, "{engine}: {}", run.summary());
        assert!(
            *engine == "strengthening" || count("refuted") > 35,
            "{engine}: {}",
            run.summary()
        );
    }
    assert!(run.count_of("not lowered") < 50);
}

#[test]
fn check() {
    let Some(program) = fuzz::program::cubist() else {
        return;
    };
    let mut run = run("check", 40);
    fuzz::checks::run(&mut run, &program, None);
    nothing_wrong(&run);
    assert!(
        run.count_of("unsafe") > 5 && run.count_of("safe for every size") > 5,
        "{}",
        run.summary()
    );
}

#[test]
fn prove() {
    let mut run = run("prove", 12);
    fuzz::sessions::run(&mut run, Some(fuzz::systems::ModelFamily::Simple));
    nothing_wrong(&run);
    assert!(run.count_of("facts") > 5, "{}", run.summary());
}

#[test]
fn programs() {
    let folder = std::env::temp_dir();
    let (Some(program), true) = (fuzz::program::cubist(), fuzz::c::gcc::is_installed("gcc", &folder)) else {
        return;
    };
    let mut run = run("programs", 8);
    let plan = fuzz::programs::ProgramOptions {
        allowed: Duration::from_secs(5),
        ..fuzz::programs::ProgramOptions::default()
    };
    fuzz::programs::run(&mut run, &program, &plan);
    nothing_wrong(&run);
}

#[test]
fn certificates() {
    let mut run = run("certificates", 8);
    fuzz::certificates::run(&mut run);
    nothing_wrong(&run);
}

#[test]
fn faults() {
    let mut run = run("faults", 3);
    fuzz::faults::run(&mut run);
    nothing_wrong(&run);
    assert!(run.count_of("proved became unknown") > 5);
}

#[test]
fn faults_of_programs() {
    let mut run = run("faults", 0);
    fuzz::programs::faults::run(&mut run, None);
    nothing_wrong(&run);
    assert!(run.tried > 10, "{:?}", run.counts);
}

#[test]
fn program_mutants() {
    let folder = std::env::temp_dir();
    let (Some(program), true) = (fuzz::program::cubist(), fuzz::c::gcc::is_installed("gcc", &folder)) else {
        return;
    };
    let mut run = run("program-mutants", 6);
    let plan = fuzz::programs::ProgramOptions {
        allowed: Duration::from_secs(4),
        ..fuzz::programs::ProgramOptions::default()
    };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    fuzz::programs::mutants::run(&mut run, &program, &[own], &plan, None);
    nothing_wrong(&run);
}

#[test]
fn inputs() {
    let mut run = run("inputs", 500);
    fuzz::inputs::run(&mut run);
    nothing_wrong(&run);
}

#[test]
fn constructed() {
    let mut run = run("constructed", 3);
    fuzz::constructed::run(&mut run);
    nothing_wrong(&run);
}

#[test]
fn metamorphic() {
    let mut run = run("metamorphic", 8);
    fuzz::metamorphic::run(&mut run);
    nothing_wrong(&run);
}

#[test]
fn mutants() {
    let mut run = run("mutants", 25);
    fuzz::mutants::run(&mut run, false, Duration::from_millis(200));
    nothing_wrong(&run);
}

#[test]
fn limits() {
    let mut run = run("limits", 4);
    // Other tests keep the machine busy.
    fuzz::limits::run(&mut run, Duration::from_secs(10));
    if fuzz::program::cubist().is_some() {
        nothing_wrong(&run);
    }
}

#[test]
fn boolean() {
    let mut run = run("boolean", 300);
    fuzz::boolean::run(&mut run);
    nothing_wrong(&run);
    for kind in [
        "safe, confirmed by a solver",
        "unsafe",
        "recursive",
        "several results",
        "with constrain",
        "with enforce",
        "with schoose",
    ] {
        assert!(run.count_of(kind) > 50, "{kind}: {}", run.summary());
    }
}
