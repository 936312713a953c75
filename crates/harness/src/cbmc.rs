//! Runs CBMC on a program, where the user has it installed; the project neither contains nor fetches it.
//!
//! CBMC unwinds loops and recursion to a bound and reports whether longer runs exist ("unwinding assertions"). A
//! violation is definite; its absence is conclusive only where no longer runs exist. Only calls of the error function
//! and failing assertions count.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first unwinding bound; it doubles from then on.
pub const FIRST: u32 = 2;

const SUCCESSFUL: &str = "VERIFICATION SUCCESSFUL";
const FAILED: &str = "VERIFICATION FAILED";

/// An installed CBMC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cbmc {
    program: PathBuf,
    pub version: String,
}

/// Its answer for one unwinding bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// No violation is reachable, and there are no longer runs.
    Safe,
    Unsafe,
    /// No violation is reachable within the bound, and there are longer runs.
    Open,
    /// It rejects the program, or did not finish.
    NoAnswer,
}

impl Cbmc {
    /// The executable at this path, if it runs.
    pub fn find(program: &Path) -> Option<Cbmc> {
        let output = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let cbmc = Cbmc {
            program: program.to_owned(),
            version: version(&String::from_utf8_lossy(&output.stdout))?.to_owned(),
        };
        output.status.success().then_some(cbmc)
    }

    /// The major version.
    fn major(&self) -> u32 {
        let first = self.version.split('.').next();
        first.and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// The command that checks a program in the data model of 32 or 64 bits; [`opinion`] parses its output.
    pub fn check(&self, file: &Path, bits: u32, unwind: u32) -> Command {
        let unwinding = ["--unwinding-assertions", "--unwind", &unwind.to_string()];
        self.command(bits, &unwinding, &[file])
    }

    /// The command that searches for a violation up to the bound; [`violating_inputs`] parses its output. `folder` gets
    /// a file that marks inputs in the trace.
    pub fn search(&self, file: &Path, bits: u32, unwind: u32, folder: &Path) -> std::io::Result<Command> {
        let inputs = folder.join("cbmc-inputs.c");
        let functions = INPUTS.map(|(name, ty)| {
            format!("{ty} {OURS}{name}(void) {{ {ty} value; __CPROVER_input(\"{MARK}\", value); return value; }}\n")
        });
        std::fs::write(&inputs, functions.concat())?;
        let renamed = INPUTS.map(|(name, _)| format!("__VERIFIER_nondet_{name}={OURS}{name}"));
        let mut words = vec!["--stop-on-fail", "--trace", "--unwind"];
        let unwind = unwind.to_string();
        words.push(&unwind);
        words.extend(renamed.iter().flat_map(|definition| ["-D", definition]));
        Ok(self.command(bits, &words, &[file, &inputs]))
    }

    fn command(&self, bits: u32, words: &[&str], files: &[&Path]) -> Command {
        let mut command = Command::new(&self.program);
        // Verdicts only, without a line for every iteration of every loop.
        command.arg(format!("--{bits}")).args(["--verbosity", "4"]);
        // Since version 6, checks are on by default.
        if self.major() >= 6 {
            command.arg("--no-standard-checks");
        }
        // CBMC knows the error function by this name only.
        command.args(["-D", "reach_error=__VERIFIER_error"]);
        command.args(words).args(files).stdin(Stdio::null());
        command
    }
}

/// The functions whose results are inputs, and their types.
pub const INPUTS: [(&str, &str); 9] = [
    ("bool", "_Bool"),
    ("char", "char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned int"),
    ("long", "long"),
    ("ulong", "unsigned long"),
];

/// The prefix of the functions that report inputs.
const OURS: &str = "cubist_nondet_";

/// The mark of inputs in a trace.
const MARK: &str = "cubist";

/// The inputs of the violation in the output, in order; none where there is no violation.
pub fn violating_inputs(output: &str) -> Option<Vec<u64>> {
    let is_violated = output.lines().any(|line| line.trim() == FAILED);
    is_violated.then(|| output.lines().filter_map(input).collect())
}

/// The bits in `INPUT cubist: 'a' (01100001)`.
fn input(line: &str) -> Option<u64> {
    let rest = line
        .trim()
        .strip_prefix("INPUT ")?
        .strip_prefix(MARK)?
        .strip_prefix(':')?;
    let (_, bits) = rest.strip_suffix(')')?.rsplit_once('(')?;
    u64::from_str_radix(&bits.replace(' ', ""), 2).ok()
}

/// `6.3.1` of `6.3.1 (n/a)`; none where it is no version.
fn version(printed: &str) -> Option<&str> {
    let word = printed.split_whitespace().next()?;
    word.starts_with(|first: char| first.is_ascii_digit()).then_some(word)
}

/// Parses the output of a check.
pub fn opinion(output: &str) -> Opinion {
    let ended = |words: &str| output.lines().any(|line| line.trim() == words);
    if ended(SUCCESSFUL) {
        return Opinion::Safe;
    }
    if !ended(FAILED) {
        return Opinion::NoAnswer;
    }
    let failed: Vec<&str> = output.lines().filter_map(failed_property).collect();
    if failed.iter().any(|name| name.contains(".assertion.")) {
        Opinion::Unsafe
    } else if failed.iter().all(|name| goes_on(name)) && !failed.is_empty() {
        Opinion::Open
    } else {
        Opinion::NoAnswer
    }
}

/// The name in `[main.assertion.1] line 7 assertion false: FAILURE`.
fn failed_property(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix('[')?.strip_suffix(": FAILURE")?;
    rest.split_once(']').map(|(name, _)| name)
}

fn goes_on(property: &str) -> bool {
    property.contains(".unwind.") || property.ends_with(".recursion")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failed: &[&str], last: &str) -> Opinion {
        let lines: String = failed
            .iter()
            .map(|name| format!("[{name}] line 7 words: FAILURE\n"))
            .collect();
        opinion(&format!(
            "CBMC version 6.3.1 (n/a) 64-bit x86_64 linux\n** Results:\na.c function main\n\
             [main.assertion.9] line 9 assertion false: SUCCESS\n{lines}\n** 1 of 2 failed (2 iterations)\n{last}\n"
        ))
    }

    #[test]
    fn a_violation_counts_and_an_unwinding_assertion_leaves_it_open() {
        assert_eq!(said(&[], SUCCESSFUL), Opinion::Safe);
        assert_eq!(said(&["main.assertion.1"], FAILED), Opinion::Unsafe);
        assert_eq!(said(&["main.unwind.0", "f.assertion.2"], FAILED), Opinion::Unsafe);
        assert_eq!(said(&["main.unwind.0", "f.recursion"], FAILED), Opinion::Open);
    }

    #[test]
    fn whatever_else_it_says_is_no_answer() {
        assert_eq!(said(&[], FAILED), Opinion::NoAnswer);
        assert_eq!(said(&["main.pointer_dereference.3"], FAILED), Opinion::NoAnswer);
        assert_eq!(said(&["main.unwind.0"], "VERIFICATION INCONCLUSIVE"), Opinion::NoAnswer);
        assert_eq!(opinion("PARSING ERROR\n"), Opinion::NoAnswer);
        assert_eq!(opinion(""), Opinion::NoAnswer);
        // The text of a program is none of it.
        assert_eq!(opinion("assertion \"VERIFICATION SUCCESSFUL\"\n"), Opinion::NoAnswer);
    }

    #[test]
    fn later_versions_look_for_less_when_told_to() {
        let words = |printed: &str| {
            let version = version(printed).unwrap().to_owned();
            let program = PathBuf::from("cbmc");
            let cbmc = Cbmc { program, version };
            let command = cbmc.check(Path::new("a.c"), 32, FIRST);
            let words: Vec<_> = command
                .get_args()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        let common = "-D reach_error=__VERIFIER_error --unwinding-assertions --unwind 2 a.c";
        assert_eq!(words("5.95.1 (cbmc-5.95.1)\n"), format!("--32 --verbosity 4 {common}"));
        assert_eq!(
            words("6.3.1 (n/a)\n"),
            format!("--32 --verbosity 4 --no-standard-checks {common}")
        );
        assert_eq!(version("cbmc: no such option\n"), None);
    }

    #[test]
    fn inputs_are_read_from_a_trace() {
        let trace = "State 20 file a.c function main line 5 thread 0\n----\n  x=7 (00000111)\n\n\
                     State 21 file cbmc-inputs.c function cubist_nondet_char line 2 thread 0\n----\n  \
                     INPUT cubist: 'a' (01100001)\n\n  INPUT cubist: -1 (11111111 11111111 11111111 11111111)\n  \
                     INPUT other: 3 (00000011)\n\nViolated property:\n  file a.c line 7\n";
        assert_eq!(
            violating_inputs(&format!("{trace}\n{FAILED}\n")),
            Some(vec![97, 0xFFFF_FFFF])
        );
        assert_eq!(violating_inputs(&format!("{trace}\n{SUCCESSFUL}\n")), None);
        assert_eq!(violating_inputs(trace), None);
    }
}
