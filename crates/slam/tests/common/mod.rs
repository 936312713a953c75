//! Programs as text, and what the loop makes of them.
#![allow(dead_code, clippy::unwrap_used)]

use analysis::points_to::PointsTo;
use slam::statements::Steps;
use slam::{Mode, Settings, Slam, SlamResult, Statistics};
use smt::Solvers;
use system::program::Program;
use system::{SourceFile, Sources};
use unfold::frames::Frames;

pub(crate) fn program(text: &str) -> Program {
    let prelude = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);";
    let sources = Sources::new(SourceFile::new("test.i", format!("{prelude}\n{text}\n")));
    c::read(&sources, &c::Options::new(c::DataModel::Ilp32))
        .unwrap()
        .program
}

/// Does something with the loop for a program.
pub(crate) fn with<R>(text: &str, mode: Mode, longest: usize, then: impl FnOnce(&mut Slam) -> R) -> R {
    let program = program(text);
    let points_to = PointsTo::of(&program);
    let frames = Frames::new(&program, &points_to, &unfold::Options::default());
    let settings = Settings {
        solvers: &Solvers::default(),
        mode,
        longest,
        observer: &|_| {},
    };
    then(&mut Slam::new(Steps::new(frames), &settings).unwrap())
}

/// `safe`, `inputs`, or what else came of it, and how much work it was.
pub(crate) fn word(text: &str, mode: Mode, longest: usize) -> (&'static str, Statistics) {
    with(text, mode, longest, |slam| {
        let word = match slam.run().unwrap() {
            SlamResult::Safe(_) => "safe",
            SlamResult::Inputs(_) => "inputs",
            SlamResult::NoDifference => "no difference",
            SlamResult::Unclear | SlamResult::Interrupted | SlamResult::TooLarge => "unknown",
        };
        (word, slam.statistics)
    })
}
