//! Malformed input: no text makes a reader panic, or hang for ten seconds.
//!
//! Models, additional files with predicates and properties, certificates, run folders, C programs, rules and property
//! files are corrupted: truncated, with changed bytes, duplicated tokens, deep nesting, huge numbers. The
//! [`readers`](crate::readers) run in this process, many inputs per thread; one in a few hundred inputs goes to the
//! program, where bytes need not even be text. `fuzz/` has the same readers as targets for `cargo fuzz`.

use crate::confirmation::root;
use crate::engine::{Claim, ENGINES, EngineOptions, claim};
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::minimise::minimise_bytes;
use crate::mutants::{models, tokens};
use crate::program::{self, cubist};
use crate::random::Dice;
use crate::readers::{READERS, Reader};
use crate::tally::Campaign;
use logic::Cancellation;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The model for predicates, properties and run folders that go to the program.
const MODEL: &str = "models/good-bad.m";
/// The program for rules and property files that go to the program.
const PROGRAM: &str = "programs/lock.c";
const ALLOWED: Duration = Duration::from_secs(10);
/// Inputs per thread.
const TOGETHER: u64 = 50;
/// One in this many batches also goes to the program.
const THROUGH_PROGRAM: u64 = 40;

/// Valid additions to the model of the readers.
const ADDITIONS: &str = "\
index i, j: NODE; n: integer;
predicate \"red\" colour[i] = red & count[i] <= n;
predicate \"same\" i = j -> (count[i] + 1 > count[j] | owner != j);
predicate \"queue\" length(queue) = 0 | head(queue) = owner;
invariant \"on\" on | forall p: NODE do exists q: NODE do count[p] <= count[q] & colour[p] != green end end;
";
/// A valid run folder about that model.
const LEARNED: &str = r#"{"goals": {"positive": {"predicates": [
{"formula": ["forall", [["n", "NODE"]], ["=>", ["=", ["apply", "colour", ["var", "n"]], ["value", "COLOUR", "red"]],
["<=", ["int", "0"], ["+", ["apply", "count", ["var", "n"]], ["*", ["int", "2"], ["int", "-3"]]]]]]},
{"formula": ["or", ["apply", "on"], ["not", ["=", ["length", ["tail", ["apply", "queue"]]], ["int", "0"]]]]},
{"formula": ["ite", true, ["=", ["head", ["apply", "queue"]], ["apply", "owner"]], ["<", ["int", "1"], ["mod", ["int", "7"], ["int", "2"]]]]}],
"constraints": [{"place": "rule", "name": "step", "not": [[0, true, false], [1, false, true]]}, {"place": "bad", "name": null, "not": [[2, false, true]]}]}}}"#;

/// A valid SV-COMP property file.
const PROPERTIES: &str = "\
CHECK( init(main()), LTL(G ! call(reach_error())) )
CHECK( init(main()), LTL(G ! label(ERROR)) )
CHECK( init(main()), LTL(G ! overflow) )
CHECK( init(main()), LTL(G valid-free) )
CHECK( init(main()), LTL(G valid-deref) )
";

/// An input before corruption, and its reader.
#[derive(Clone)]
struct Seed {
    reader: &'static str,
    /// The file extension.
    name: String,
    text: String,
}

#[derive(Clone)]
struct Case {
    reader: Reader,
    seed: Seed,
    bytes: Vec<u8>,
}

pub fn run(run: &mut Campaign) {
    let seeds = seeds();
    let kept = kept_run();
    let end = run.from + run.count;
    for case in run.cases().step_by(TOGETHER as usize) {
        run.begin(case);
        let batch: Vec<Case> = (case..(case + TOGETHER).min(end))
            .map(|case| spoilt(&seeds, &mut Dice::new(run.seed, case)))
            .collect();
        run.tried += batch.len() as u64;
        read_batch(run, case, &batch);
        if (case / TOGETHER).is_multiple_of(THROUGH_PROGRAM) {
            through_program(run, case, &batch[0], kept.as_deref());
            let of_programs = |case: &&Case| matches!(case.seed.reader, "program" | "rule" | "property");
            if let Some(input) = batch[1..].iter().find(of_programs) {
                through_program(run, case, input, None);
            }
        }
    }
}

/// By kind: all kinds are equally frequent, except models, of which there are many.
fn seeds() -> Vec<Vec<Seed>> {
    let seed = |reader, name: &str, text: &str| Seed {
        reader,
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let models: Vec<Seed> = models()
        .iter()
        .map(|model| {
            let reader = if model.is_murphi() { "murphi" } else { "cubicle" };
            seed(reader, &model.name, &model.text)
        })
        .collect();
    let additions = vec![seed("additions", "additions.m", ADDITIONS)];
    let learned = vec![seed("run_folder", "learned.json", LEARNED)];
    let certificate = vec![seed("certificate", "certificate.smt2", &certificate())];
    let programs = files("crates/c/tests/programs", "c", "program");
    let programs: Vec<Seed> = programs
        .into_iter()
        .filter(|seed| !seed.text.contains("#include"))
        .collect();
    let rules = files("rules", "rule", "rule");
    let properties = vec![seed("property", "property.prp", PROPERTIES)];
    let kinds = [models.clone(), models, additions, learned, certificate];
    let of_programs = [programs.clone(), programs, rules, properties];
    kinds
        .into_iter()
        .chain(of_programs)
        .filter(|kind| !kind.is_empty())
        .collect()
}

/// The files of a folder with this extension.
fn files(folder: &str, extension: &str, reader: &'static str) -> Vec<Seed> {
    let entries = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let seed = |path: &PathBuf| {
        Some(Seed {
            reader,
            name: path.file_name()?.to_string_lossy().into_owned(),
            text: std::fs::read_to_string(path).ok()?,
        })
    };
    paths.iter().filter_map(seed).collect()
}

/// Some certificate.
fn certificate() -> String {
    let proofs = (0..).map(|case| random_system(Dice::new(1, case))).take(20);
    let texts =
        proofs.filter_map(
            |source| match claim(&source, &EngineOptions::new(ENGINES[0].1, &Cancellation::new())) {
                Claim::Proved(Ok(text)) => Some(text),
                _ => None,
            },
        );
    texts.max_by_key(String::len).unwrap_or_default()
}

/// The contents of a run folder written by the program.
fn kept_run() -> Option<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("cubist-kept-{}", std::process::id()));
    let (model, shown) = (root().join(MODEL), folder.to_string_lossy());
    let model = model.to_string_lossy();
    let arguments = ["check", &model, "--ignore-predicates", "--run", &shown];
    program::run(&cubist()?, &arguments, ALLOWED).ok()?;
    let kept = std::fs::read(folder.join("learned.json")).ok();
    let _ = std::fs::remove_dir_all(&folder);
    kept
}

/// Reads all inputs on one thread; after a failure, one by one.
fn read_batch(run: &mut Campaign, first: u64, batch: &[Case]) {
    for case in batch {
        run.add(&format!("read as {}", case.seed.reader), 1);
    }
    let all = batch.to_vec();
    if let Ended::Well(()) = isolated(ALLOWED, move |_| {
        all.iter().for_each(|case| read(case.reader, &case.bytes))
    }) {
        return;
    }
    for (case, input) in (first..).zip(batch) {
        run.begin(case);
        let (reader, bytes) = (input.reader, input.bytes.clone());
        let what = match isolated(ALLOWED, move |_| read(reader, &bytes)) {
            Ended::Well(()) => continue,
            Ended::Panicked => "panic",
            Ended::Hung => "hangs",
        };
        let panics = |bytes: &[u8]| {
            let bytes = bytes.to_vec();
            matches!(isolated(ALLOWED, move |_| read(reader, &bytes)), Ended::Panicked)
        };
        let small = match what {
            "panic" => minimise_bytes(&input.bytes, 300, &mut |bytes| panics(bytes)),
            _ => input.bytes.clone(),
        };
        let name = format!("{}-{}", run.name(), input.seed.name);
        run.failure(&name, &format!("{}: {what}", input.seed.reader), &small);
    }
}

fn read(reader: Reader, bytes: &[u8]) {
    reader(&String::from_utf8_lossy(bytes));
}

/// A corrupted, formerly valid input.
fn spoilt(seeds: &[Vec<Seed>], dice: &mut Dice) -> Case {
    let kind: &Vec<Seed> = dice.pick(seeds);
    let seed = dice.pick(kind).clone();
    let reader = READERS.iter().find(|(name, _)| *name == seed.reader);
    let murphi = seed.name.ends_with(".m");
    let mut bytes = seed.text.clone().into_bytes();
    for _ in 0..1 + dice.roll(3) {
        spoil(&mut bytes, murphi, dice);
    }
    Case {
        reader: reader.map_or(READERS[0].1, |(_, reader)| *reader),
        seed,
        bytes,
    }
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

/// Replaces one token by another: the text stays nearly valid, and gets further.
fn replace_token(bytes: &mut Vec<u8>, murphi: bool, dice: &mut Dice) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let tokens = tokens(&text, murphi);
    if tokens.is_empty() {
        return;
    }
    let ((start, end), (from, to)) = (*dice.pick(&tokens), *dice.pick(&tokens));
    *bytes = format!("{}{}{}", &text[..start], &text[from..to], &text[end..]).into_bytes();
}

/// The program must answer, or reject the input, in time.
fn through_program(run: &mut Campaign, case: u64, input: &Case, kept: Option<&[u8]>) {
    let Some(program) = cubist() else {
        run.add("without the program, which is not built", 1);
        return;
    };
    let folder = std::env::temp_dir().join(format!("cubist-inputs-{}", std::process::id()));
    let path = folder.join(&input.seed.name);
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &input.bytes));
    if let Err(error) = written {
        return run.stop("cannot write the input", &error);
    }
    let (shown, model) = (path.to_string_lossy(), root().join(MODEL));
    let model = model.to_string_lossy();
    let about = root().join(PROGRAM);
    let about = about.to_string_lossy();
    let commands: Vec<Vec<&str>> = match input.seed.reader {
        "certificate" => vec![vec!["validate", &shown, "--timeout", "3"]],
        "run_folder" => Vec::new(),
        "program" => vec![
            vec!["show", &shown, "--points-to"],
            vec!["explore", &shown, "--timeout", "2"],
        ],
        "rule" => vec![vec!["explore", &about, "--rule", &shown, "--timeout", "2"]],
        "property" => vec![vec!["show", &about, "--property", &shown]],
        _ => vec![
            vec!["show", &shown, "--system"],
            vec!["check", &shown, "--timeout", "2"],
            vec!["check", &model, "--predicates", &shown, "--timeout", "2"],
            vec!["check", &model, "--properties", &shown, "--timeout", "2"],
        ],
    };
    for arguments in commands {
        let name = format!("{}-{}", run.name(), input.seed.name);
        judge_program(run, &program, &arguments, &name, &input.bytes);
    }
    if let Some(kept) = kept {
        spoilt_run_folder(run, &program, &folder, case, kept);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn judge_program(run: &mut Campaign, program: &PathBuf, arguments: &[&str], name: &str, bytes: &[u8]) {
    run.tried += 1;
    run.add("through the program", 1);
    let finished = match program::run(program, arguments, ALLOWED) {
        Ok(finished) => finished,
        Err(error) => return run.stop("cannot run the program", &error),
    };
    if !finished.is_in_order() {
        let what = format!(
            "cubist {} ends with {:?}, late: {}",
            arguments[0], finished.status, finished.late
        );
        run.failure(name, &what, bytes);
    }
}

/// A damaged run folder is rejected, or the damage is irrelevant; it never crashes the program.
fn spoilt_run_folder(run: &mut Campaign, program: &PathBuf, folder: &Path, case: u64, kept: &[u8]) {
    let mut bytes = kept.to_vec();
    spoil(&mut bytes, false, &mut Dice::new(run.seed, case));
    let kept = folder.join("run");
    let written = std::fs::create_dir_all(&kept).and_then(|()| std::fs::write(kept.join("learned.json"), &bytes));
    if let Err(error) = written {
        return run.stop("cannot write the run folder", &error);
    }
    let shown = kept.to_string_lossy();
    let model = root().join(MODEL);
    let arguments = ["check", &model.to_string_lossy(), "--resume", &shown, "--timeout", "4"];
    let name = format!("{}-learned.json", run.name());
    judge_program(run, program, &arguments, &name, &bytes);
}
