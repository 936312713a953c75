//! The published programs (SATABS' regression tests): each gives the expected result, or is refused for its threads.

#![allow(clippy::unwrap_used)]

use boolean::{Action, Expression, Reason, Verdict, check, read};
use logic::Cancellation;
use std::path::{Path, PathBuf};
use system::SourceFile;
use testing::Outcome;

/// Programs with threads, by the way that they start them.
const THREADS: [&str; 8] = [
    "Simple4",
    "Threads1",
    "Threads3",
    "Threads5",
    "Threads7",
    "n-conc",
    "n-peterson",
    "p-peterson",
];

struct Case {
    name: String,
    text: String,
    error_label: Option<String>,
    is_safe: bool,
}

/// What `test.desc` says: the file, options, and what is printed.
fn case(folder: &Path) -> Case {
    let description = std::fs::read_to_string(folder.join("test.desc")).unwrap();
    let mut lines = description.lines().skip(1);
    let file = lines.next().unwrap();
    let options = lines.next().unwrap();
    Case {
        name: folder.file_name().unwrap().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(folder.join(file)).unwrap(),
        error_label: options.strip_prefix("-l ").map(|label| label.trim().to_owned()),
        is_safe: description.contains("^VERIFICATION SUCCESSFUL$"),
    }
}

fn every_program_gives_the_expected_result() -> Outcome {
    let folder = testing::corpus("boolean-programs")?;
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert_eq!(folders.len(), 19);
    let mut refused = Vec::new();
    for folder in folders {
        let case = case(&folder);
        let (mut program, _) = match read(SourceFile::new(case.name.as_str(), case.text)) {
            Ok(found) => found,
            Err(rejected) => {
                let of_threads = |message: &str| message == "programs with threads are not covered";
                let messages: Vec<&str> = rejected
                    .diagnostics
                    .iter()
                    .map(|found| found.message.as_str())
                    .collect();
                assert!(
                    messages.iter().all(|message| of_threads(message)),
                    "{}: {messages:?}",
                    case.name
                );
                refused.push(case.name);
                continue;
            }
        };
        if let Some(label) = &case.error_label {
            assert_eq!(program.forbid_label(label), 1, "{}", case.name);
        }
        let mut answer = check(&program, &Cancellation::new()).unwrap();
        if answer.verdict == Verdict::Unknown(Reason::NothingToCheck) {
            // Nothing can fail in it; what it does is looked at all the same.
            let holds = Action::Assert(Expression::Constant(true));
            program.procedures[program.entry.0].body.insert(0, holds.into());
            answer = check(&program, &Cancellation::new()).unwrap();
        }
        match answer.verdict {
            Verdict::Safe => assert!(case.is_safe, "{}", case.name),
            Verdict::Unsafe(_) => assert!(!case.is_safe, "{}", case.name),
            Verdict::Unknown(reason) => unreachable!("{}: {reason}", case.name),
        }
    }
    assert_eq!(refused, THREADS);
    Ok(())
}

testing::tests!(every_program_gives_the_expected_result);
