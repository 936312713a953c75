//! Existing C programs with a changed operator, constant or statement. Counterexamples are executed by gcc; proofs are
//! never contradicted by runs of `explore`, nor by CBMC if one is given.

use super::{ProgramOptions, cbmc};
use crate::confirmation::root;
use crate::program::{ProcessResult, run as run_program};
use crate::random::Dice;
use crate::tally::Campaign;
use harness::cbmc::Cbmc;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file name of a mutant.
pub(super) const MUTANT: &str = "mutant.c";

/// Attempts to find a mutation.
const ATTEMPTS: usize = 40;
/// The time that `explore` searches for a run that contradicts a proof, in seconds.
const EXPLORED: &str = "3";

/// Operators that can replace each other.
const SWAPS: [&[&str]; 6] = [
    &["==", "!=", "<", "<=", ">", ">="],
    &["+", "-"],
    &["&&", "||"],
    &["++", "--"],
    &["+=", "-="],
    &["&", "|"],
];

/// The programs in these files and folders; by default, those of the project and of the corpus.
pub fn programs(given: &[PathBuf]) -> Vec<PathBuf> {
    let own = [root().join("programs"), root().join("../shared/corpus/c")];
    let mut pending: Vec<PathBuf> = if given.is_empty() { own.to_vec() } else { given.to_vec() };
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            pending.extend(entries.flatten().map(|entry| entry.path()));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "c" || extension == "i")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub fn run(run: &mut Campaign, cubist: &PathBuf, files: &[PathBuf], plan: &ProgramOptions, cbmc: Option<&Cbmc>) {
    let files = programs(files);
    if files.is_empty() {
        run.tell("there are no programs to change");
        return;
    }
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-program-mutants-{}", std::process::id()));
    for number in run.cases() {
        let mut dice = run.begin(number);
        let file = dice.pick(&files).clone();
        let Some(text) = std::fs::read_to_string(&file)
            .ok()
            .and_then(|text| mutant(&text, &mut dice))
        else {
            continue;
        };
        run.tried += 1;
        let wrong = match check_mutant(run, cubist, &text, &file, &folder, plan) {
            Judged::Wrong(what) => Some(what),
            // CBMC does not support the rules of the project.
            Judged::Proved if is_of_corpus(&file) => cbmc.and_then(|cbmc| cbmc::contradiction(run, cbmc, &folder)),
            Judged::Proved | Judged::Fine => None,
        };
        if let Some(what) = wrong {
            let name = format!("{}.c", run.name());
            run.failure(&name, &format!("{}: {what}", file.display()), text.as_bytes());
        }
        if number % 20 == 19 {
            let line = format!("{} mutants, {} wrong", number + 1, run.wrong.len());
            run.tell(&line);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The evaluation of an answer.
enum Judged {
    Wrong(String),
    /// Proved, and no run of `explore` contradicts it.
    Proved,
    Fine,
}

fn is_of_corpus(file: &Path) -> bool {
    file.to_string_lossy().contains("corpus")
}

fn check_mutant(
    run: &mut Campaign,
    cubist: &PathBuf,
    text: &str,
    file: &Path,
    folder: &Path,
    plan: &ProgramOptions,
) -> Judged {
    let path = folder.join(MUTANT);
    if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text)) {
        run.stop("cannot write the mutant", &error);
        return Judged::Fine;
    }
    let shown = path.to_string_lossy().into_owned();
    let is_corpus = is_of_corpus(file);
    let model = if is_corpus { "ilp32" } else { "lp64" };
    let rule = root().join("rules/spin-lock.rule").to_string_lossy().into_owned();
    let ask = |words: &[&str], allowed: Duration| -> std::io::Result<ProcessResult> {
        let mut arguments = vec![words[0], &shown, "--data-model", model, "--json"];
        arguments.extend(&words[1..]);
        if !is_corpus {
            arguments.extend(["--rule", &rule]);
        }
        run_program(cubist, &arguments, allowed)
    };
    let seconds = plan.allowed.as_secs().to_string();
    let checked = match ask(&["check", "--timeout", &seconds], plan.allowed + plan.patience) {
        Ok(checked) => checked,
        Err(error) => {
            run.stop("cannot run the program", &error);
            return Judged::Fine;
        }
    };
    if checked.late {
        return Judged::Wrong("does not end".to_owned());
    }
    let report: Value = serde_json::from_str(&checked.answer).unwrap_or_default();
    match (checked.verdict(), checked.status) {
        (Some("unsafe"), _) => {
            match report["gcc"]["reason"].as_str() {
                None if report["gcc"]["is_reached"] == true => run.add("unsafe, and executed", 1),
                reason => run.add(&format!("unsafe, not executed: {}", reason.unwrap_or("no reason")), 1),
            }
            Judged::Fine
        }
        (Some("safe"), _) => {
            let words = ["explore", "--undefined", "wrap", "--timeout", EXPLORED, "--seed", "77"];
            let explored = ask(&words, Duration::from_secs(30));
            let report: Value = explored.map_or(Value::Null, |explored| {
                serde_json::from_str(&explored.answer).unwrap_or_default()
            });
            run.add("safe", 1);
            match report["runs"].as_u64() {
                None => run.add("safe, not explored", 1),
                Some(runs) => run.add("runs that did not contradict", runs),
            }
            let violation = &report["violation"];
            match violation.is_null() {
                true => Judged::Proved,
                false => Judged::Wrong(format!("proved, but a run violates it: {violation}")),
            }
        }
        (Some(_), _) => {
            run.add("unknown", 1);
            Judged::Fine
        }
        (None, Some(2)) => {
            run.add("refused", 1);
            Judged::Fine
        }
        (None, status) => Judged::Wrong(format!("no verdict: {status:?} {}", checked.output)),
    }
}

/// The program with one mutation.
pub fn mutant(text: &str, dice: &mut Dice) -> Option<String> {
    (0..ATTEMPTS).find_map(|_| change(text, dice).filter(|changed| changed != text))
}

fn change(text: &str, dice: &mut Dice) -> Option<String> {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return None;
    }
    let number = dice.roll(tokens.len());
    let (start, end) = tokens[number];
    let token = &text[start..end];
    let with = |start: usize, end: usize, new: &str| Some(format!("{}{new}{}", &text[..start], &text[end..]));
    if let Some(group) = SWAPS.iter().find(|group| group.contains(&token)) {
        let new: &&str = dice.pick(group);
        return with(start, end, new);
    }
    match token {
        // Removes the following statement if it is not compound.
        ";" => {
            let next = tokens[number + 1..]
                .iter()
                .find(|(start, end)| ["{", "}", ";"].contains(&&text[*start..*end]))?;
            (&text[next.0..next.1] == ";").then(|| with(end, next.0, " "))?
        }
        _ if token.bytes().all(|byte| byte.is_ascii_digit()) => {
            let value: i64 = token.parse().ok()?;
            with(start, end, &(value + [-1, 1, 2][dice.roll(3)]).max(0).to_string())
        }
        _ => None,
    }
}

/// Words, numbers and operators, without comments, strings and preprocessor lines.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    const LONG: [&str; 14] = [
        "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "->", "<<", ">>", "...",
    ];
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let until = |from: usize, end: &str| {
        text.get(from..)
            .and_then(|rest| rest.find(end))
            .map_or(text.len(), |at| from + at + end.len())
    };
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let begin = at;
        match bytes[at] {
            b'#' => at = until(at, "\n"),
            b'/' if rest.starts_with(b"//") => at = until(at, "\n"),
            b'/' if rest.starts_with(b"/*") => at = until(at + 2, "*/"),
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            byte if is_word(byte) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                tokens.push((begin, at));
            }
            byte if byte.is_ascii_whitespace() || !byte.is_ascii() => at += 1,
            _ => {
                let long = LONG.iter().find(|long| rest.starts_with(long.as_bytes()));
                at += long.map_or(1, |long| long.len());
                tokens.push((begin, at));
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_changed() {
        let text = "#define N 3\nint main(void) { int x = 1; /* 5 */ x = x + 2; if (x == 3) f(\"7 == 7\"); return 0; }";
        let mut seen = std::collections::BTreeSet::new();
        for case in 0..300 {
            let mut dice = Dice::new(1, case);
            let changed = mutant(text, &mut dice).unwrap();
            // A statement may be removed with its comment or string; neither is ever changed.
            assert!(changed.starts_with("#define N 3\n"));
            assert!(!changed.contains("/*") || changed.contains("/* 5 */"));
            assert!(!changed.contains('"') || changed.contains("\"7 == 7\""));
            seen.insert(changed);
        }
        assert!(seen.iter().any(|text| text.contains("x - 2")));
        assert!(seen.iter().any(|text| text.contains("x != 3")));
        assert!(
            seen.iter()
                .any(|text| text.contains("int x = 1;   /* 5 */") || !text.contains("x = x + 2"))
        );
        assert!(seen.len() > 10, "{seen:?}");
    }
}
