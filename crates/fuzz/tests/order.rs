//! A proof does not depend on the history of the process: the checks, facts and certificate are identical.

#![allow(clippy::unwrap_used)]

use fuzz::engine::{Claim, EngineOptions, claim};
use fuzz::source::Source;
use logic::Cancellation;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variables of the child process: the models to prove in sequence, and the output file.
const MODELS: &str = "CUBIST_TEST_ORDER_MODELS";
const ANSWERS: &str = "CUBIST_TEST_ORDER_ANSWERS";
/// The separator between two proofs in the file.
const NEXT: &str = "\n==== next ====\n";
const TEST: &str = "a_proof_is_the_same_whatever_was_proved_before";

/// The complete results of two engines on a model, with their numbers of checks.
fn told(model: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(model);
    let source = Source::new(model, std::fs::read_to_string(path).unwrap());
    let mut told = format!("{model}\n");
    for engine in ["approximate", "implicit"] {
        // A Z3 context belongs to a thread, and so does a proof.
        let source = source.clone();
        let proof = std::thread::spawn(move || {
            let effort = EngineOptions::new(engine, &Cancellation::new());
            let claim = claim(&source, &effort);
            let detail = match &claim {
                Claim::Proved(Ok(text)) => text,
                Claim::Proved(Err(text)) | Claim::Refuted(text) | Claim::Unknown(text) => text,
            };
            format!(
                "{} after {} checks\n{detail}\n",
                claim.word(),
                effort.solvers.statistics().total()
            )
        });
        told.push_str(&proof.join().unwrap());
    }
    told
}

/// The results of a new process on these models in sequence, and its number of terms after each.
fn told_by_a_process(models: &[&str]) -> (Vec<String>, Vec<usize>) {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("order-{}", models.join("-")));
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST])
        .env(MODELS, models.join(" "))
        .env(ANSWERS, &file)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    let answers = std::fs::read_to_string(file).unwrap();
    let with_count = |answer: &str| {
        let (count, answer) = answer.split_once('\n').unwrap();
        (answer.to_owned(), count.parse::<usize>().unwrap())
    };
    answers.split(NEXT).map(with_count).unzip()
}

/// The faulty models share symbols and most terms with the correct ones, but create them in a different order.
#[test]
fn a_proof_is_the_same_whatever_was_proved_before() {
    if let (Ok(models), Ok(file)) = (std::env::var(MODELS), std::env::var(ANSWERS)) {
        let with_count = |model| {
            let answer = told(model);
            format!("{}\n{answer}", logic::term::count())
        };
        let answers: Vec<String> = models.split(' ').map(with_count).collect();
        std::fs::write(file, answers.join(NEXT)).unwrap();
        return;
    }
    for [one, other] in [["peterson.m", "peterson-bug.m"], ["semaphore.m", "bakery.m"]] {
        let (one_first, counts) = told_by_a_process(&[one, other, one]);
        // Repeating a proof creates no new terms.
        assert_eq!(counts[1], counts[2], "{counts:?}");
        let (other_first, _) = told_by_a_process(&[other, one, other]);
        assert!(one_first[0].contains("\nproved after"), "{}", one_first[0]);
        for again in [&one_first[2], &other_first[1]] {
            assert_eq!(&one_first[0], again);
        }
        for again in [&other_first[2], &one_first[1]] {
            assert_eq!(&other_first[0], again);
        }
    }
}
