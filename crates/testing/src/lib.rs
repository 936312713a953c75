//! Tests with optional prerequisites: solvers, models of others, other tools.
//!
//! Rust's own harness only knows passed and failed tests. A test that found nothing to test is neither: here it is
//! *ignored*, with the reason in the report. With `CUBIST_REQUIRE_ALL=1`, as in `.ci/run`, it fails if the missing
//! prerequisite should be present.
//!
//! A file of such tests has `harness = false` in its Cargo.toml and ends with [`tests!`], or builds its own list for
//! [`run`].

pub use libtest_mimic::Trial;
use libtest_mimic::{Arguments, Completion, Failed};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Why there is nothing to test.
#[derive(Debug)]
pub struct Absent {
    reason: String,
    /// A prerequisite that development machines have.
    expected: bool,
}

/// The result of a test: nothing, or why it could not run.
pub type Outcome = Result<(), Absent>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder of the models of others, beside the project or in `CUBIST_CORPUS`.
pub fn corpus(path: &str) -> Result<PathBuf, Absent> {
    let folder = std::env::var_os("CUBIST_CORPUS").map(PathBuf::from);
    expect(folder.unwrap_or_else(|| root().join("../shared/corpus")).join(path))
}

/// The folder into which `make setup` unpacks the solvers.
pub fn solvers() -> Result<PathBuf, Absent> {
    expect(root().join("third-party/solvers"))
}

/// A file or folder that development machines have.
pub fn expect(path: PathBuf) -> Result<PathBuf, Absent> {
    match path.canonicalize() {
        Ok(path) => Ok(path),
        Err(_) => Err(Absent {
            reason: format!("{} is absent", path.display()),
            expected: true,
        }),
    }
}

/// Another tool, which is present if it responds to this option.
pub fn tool(program: &str, option: &str) -> Outcome {
    let status = Command::new(program)
        .arg(option)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(_) => Ok(()),
        Err(_) => Err(Absent {
            reason: format!("`{program}` is not installed"),
            expected: false,
        }),
    }
}

/// Tests return nothing, or an [`Outcome`].
pub trait Returned {
    fn outcome(self) -> Outcome;
}

impl Returned for () {
    fn outcome(self) -> Outcome {
        Ok(())
    }
}

impl Returned for Outcome {
    fn outcome(self) -> Outcome {
        self
    }
}

/// A test with this name.
pub fn trial<R: Returned>(name: &str, test: impl FnOnce() -> R + Send + 'static) -> Trial {
    // `stringify` inserts spaces into paths.
    Trial::ignorable_test(name.replace(' ', ""), || judged(test().outcome(), requires_all()))
}

fn judged(outcome: Outcome, requires_all: bool) -> Result<Completion, Failed> {
    match outcome {
        Ok(()) => Ok(Completion::Completed),
        Err(absent) if absent.expected && requires_all => Err(Failed::from(absent.reason)),
        Err(absent) => Ok(Completion::ignored_with(absent.reason)),
    }
}

fn requires_all() -> bool {
    std::env::var_os("CUBIST_REQUIRE_ALL").is_some_and(|value| value == "1")
}

/// Runs tests according to the command line.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The `main` of a test file: the names of its tests and, after `ignored:`, of those that take too long for daily use.
#[macro_export]
macro_rules! tests {
    ($($test:path),* $(,)? $(; ignored: $($ignored:path),* $(,)?)?) => {
        fn main() -> std::process::ExitCode {
            $crate::run(vec![
                $($crate::trial(stringify!($test), $test),)*
                $($($crate::trial(stringify!($ignored), $ignored).with_ignored_flag(true),)*)?
            ])
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_ignored_with_the_reason_or_fails() {
        let ignored = |outcome: Outcome, requires_all| match judged(outcome, requires_all) {
            Ok(Completion::Ignored { reason }) => reason,
            _ => None,
        };
        let nowhere = || corpus("nowhere").map(|_| ());
        assert!(ignored(nowhere(), false).is_some_and(|reason| reason.ends_with("nowhere is absent")));
        let failed = judged(nowhere(), true).err();
        assert!(failed.is_some_and(|failed| failed.message().is_some_and(|message| message.contains("nowhere"))));
        let tool = || tool("no-such-tool", "--version");
        assert_eq!(
            ignored(tool(), true).as_deref(),
            Some("`no-such-tool` is not installed")
        );
        assert!(matches!(judged(Ok(()), true), Ok(Completion::Completed)));
    }
}
