//! Bad input: no text makes a reader panic, or hang for ten seconds.
//!
//! Models, predicate files, certificates and run folders, spoilt: cut off, with bytes changed, tokens doubled, nested deeply, with huge
//! numbers. Front ends and the reader of certificates run in this process, many inputs to a thread; one input in a few hundred goes
//! through the program, where bytes need not even be text. `fuzz/` has the same targets for `cargo fuzz`.

use crate::engine::{Claim, ENGINES, Effort, claim};
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::mutants::{models, tokens};
use crate::program::{self, cubist};
use crate::random::Dice;
use crate::source::Source;
use crate::tally::Run;
use smt::Interrupt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What predicates and run folders are about.
const MODEL: &str = "models/good-bad.m";
const ALLOWED: Duration = Duration::from_secs(10);
/// Inputs of one thread.
const TOGETHER: u64 = 50;
/// One batch in so many goes through the program as well.
const THROUGH_PROGRAM: u64 = 10;

/// What an input is given to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Model,
    Certificate,
}

#[derive(Clone)]
struct Case {
    target: Target,
    name: String,
    bytes: Vec<u8>,
}

pub fn run(run: &mut Run) {
    let models = models();
    let certificate = certificate();
    let kept = kept_run();
    let (mut case, end) = (run.from, run.cases().end);
    while case < end {
        run.begin(case);
        let batch: Vec<Case> = (case..(case + TOGETHER).min(end))
            .map(|case| spoilt(&models, &certificate, &mut Dice::new(run.seed, case)))
            .collect();
        run.tried += batch.len() as u64;
        read_batch(run, case, &batch);
        if (case / TOGETHER).is_multiple_of(THROUGH_PROGRAM) {
            through_program(run, case, &batch[0], kept.as_deref());
        }
        case += TOGETHER;
    }
}

/// Some certificate.
fn certificate() -> String {
    let proofs = (0..).map(|case| random_system(Dice::new(1, case))).take(100);
    let texts = proofs.filter_map(
        |source| match claim(&source, &Effort::new(ENGINES[0].1, &Interrupt::new())) {
            Claim::Proved(Ok(text)) => Some(text),
            _ => None,
        },
    );
    texts.max_by_key(String::len).unwrap_or_default()
}

/// What a run folder holds.
fn kept_run() -> Option<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("cubist-kept-{}", std::process::id()));
    let shown = folder.to_string_lossy();
    let arguments = ["check", MODEL, "--ignore-predicates", "--run", &shown];
    program::run(&cubist()?, &arguments, ALLOWED).ok()?;
    let kept = std::fs::read(folder.join("learned.json")).ok();
    let _ = std::fs::remove_dir_all(&folder);
    kept
}

/// All inputs on one thread; where that goes wrong, one by one.
fn read_batch(run: &mut Run, first: u64, batch: &[Case]) {
    let all = batch.to_vec();
    if let Ended::Well(()) = isolated(ALLOWED, move |_| all.iter().for_each(read)) {
        return;
    }
    for (case, input) in (first..).zip(batch) {
        let copy = input.clone();
        let what = match isolated(ALLOWED, move |_| read(&copy)) {
            Ended::Well(()) => continue,
            Ended::Panicked => "panic",
            Ended::Hung => "hangs",
        };
        let name = format!("inputs-{}-{case}-{}", run.seed, input.name);
        run.failure(&name, what, &input.bytes);
    }
}

/// Everything that a text goes through before an engine sees it.
fn read(case: &Case) {
    let text = String::from_utf8_lossy(&case.bytes);
    match case.target {
        Target::Certificate => {
            let _ = validate::parse_certificate(&text);
        }
        Target::Model => {
            let source = Source::new(case.name.as_str(), text);
            let _ = source.system();
            let _ = source.instance(2);
        }
    }
}

/// An input that was right before.
fn spoilt(models: &[Source], certificate: &str, dice: &mut Dice) -> Case {
    let (target, name, text) = if dice.chance(15) {
        (
            Target::Certificate,
            "certificate.smt2".to_owned(),
            certificate.to_owned(),
        )
    } else {
        let model = dice.pick(models);
        (Target::Model, model.name.clone(), model.text.clone())
    };
    let murphi = name.ends_with(".m");
    let mut bytes = text.into_bytes();
    for _ in 0..1 + dice.roll(3) {
        spoil(&mut bytes, murphi, dice);
    }
    Case { target, name, bytes }
}

fn spoil(bytes: &mut Vec<u8>, murphi: bool, dice: &mut Dice) {
    let at = dice.roll(bytes.len() + 1);
    let insert = |bytes: &mut Vec<u8>, new: &[u8]| {
        bytes.splice(at..at, new.iter().copied());
    };
    match dice.roll(12) {
        0 => bytes.truncate(at),
        1 => insert(bytes, &[0]),
        2 => insert(bytes, &[0xff, 0xfe, 0xc0]),
        3 => insert(bytes, "\u{202e}\u{1f980}\u{0}é".as_bytes()),
        4 => {
            let opening: &[u8] = [&b"("[..], b"!", b"[", b"{", b"-", b"if ", b"forall "][dice.roll(7)];
            let depth = [70, 3_000, 100_000][dice.roll(3)];
            insert(bytes, &opening.repeat(depth));
        }
        5 => {
            let numbers = [
                "99999999999999999999",
                "9223372036854775807",
                "-9223372036854775808",
                "0x7fffffffffffffff",
                "1e309",
            ];
            insert(bytes, format!(" {} ", dice.pick(&numbers)).as_bytes());
        }
        6 => {
            for _ in 0..1 + dice.roll(20) {
                let place = dice.roll(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = dice.roll(256) as u8;
                }
            }
        }
        7 => {
            let (from, length) = (dice.roll(bytes.len() + 1), dice.roll(2_000));
            let piece = bytes[from..(from + length).min(bytes.len())].to_vec();
            insert(bytes, &piece);
        }
        8 => {
            let end = (at + dice.roll(200)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => replace_token(bytes, murphi, dice),
    }
}

/// One token for another: the text stays nearly right, and gets further.
fn replace_token(bytes: &mut Vec<u8>, murphi: bool, dice: &mut Dice) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let tokens = tokens(&text, murphi);
    if tokens.is_empty() {
        return;
    }
    let ((start, end), (from, to)) = (*dice.pick(&tokens), *dice.pick(&tokens));
    *bytes = format!("{}{}{}", &text[..start], &text[from..to], &text[end..]).into_bytes();
}

/// The program must answer, or refuse the input, in time.
fn through_program(run: &mut Run, case: u64, input: &Case, kept: Option<&[u8]>) {
    let Some(program) = cubist() else {
        run.add("without the program, which is not built", 1);
        return;
    };
    let folder = std::env::temp_dir().join(format!("cubist-inputs-{}", std::process::id()));
    let path = folder.join(&input.name);
    if std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, &input.bytes))
        .is_err()
    {
        return;
    }
    let shown = path.to_string_lossy();
    let commands: Vec<Vec<&str>> = match input.target {
        Target::Certificate => vec![vec!["validate", &shown, "--timeout", "3"]],
        Target::Model => vec![
            vec!["show", &shown, "--system"],
            vec!["check", &shown, "--timeout", "2"],
            vec!["check", MODEL, "--predicates", &shown, "--timeout", "2"],
        ],
    };
    for arguments in commands {
        judge_program(
            run,
            &program,
            &arguments,
            &format!("inputs-{}-{case}-{}", run.seed, input.name),
            &input.bytes,
        );
    }
    if let Some(kept) = kept {
        spoilt_run_folder(run, &program, &folder, case, kept);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn judge_program(run: &mut Run, program: &PathBuf, arguments: &[&str], name: &str, bytes: &[u8]) {
    run.tried += 1;
    run.add("through the program", 1);
    let Ok(finished) = program::run(program, arguments, ALLOWED) else {
        return;
    };
    if !finished.is_in_order() {
        let what = format!(
            "cubist {} ends with {:?}, late: {}",
            arguments[0], finished.status, finished.late
        );
        run.failure(name, &what, bytes);
    }
}

/// A damaged run folder is refused, or was damaged where it does not matter; it never crashes the program.
fn spoilt_run_folder(run: &mut Run, program: &PathBuf, folder: &Path, case: u64, kept: &[u8]) {
    let mut bytes = kept.to_vec();
    spoil(&mut bytes, false, &mut Dice::new(run.seed, case));
    let kept = folder.join("run");
    if std::fs::create_dir_all(&kept)
        .and_then(|()| std::fs::write(kept.join("learned.json"), &bytes))
        .is_err()
    {
        return;
    }
    let shown = kept.to_string_lossy();
    let arguments = ["check", MODEL, "--resume", &shown, "--timeout", "4"];
    judge_program(
        run,
        program,
        &arguments,
        &format!("inputs-{}-{case}-learned.json", run.seed),
        &bytes,
    );
}
