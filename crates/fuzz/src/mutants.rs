//! Mutants: models with a changed guard, update, initial value or property, against exploration.
//!
//! A mutation changes one or two random tokens, and is kept if the front end still accepts the model.

use crate::confirmation::{Batch, root};
use crate::engine::ENGINES;
use crate::oracle;
use crate::random::Dice;
use crate::source::Source;
use crate::systems::{SystemsOptions, confirm, try_source};
use crate::tally::Campaign;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Attempts to find an accepted mutation.
const ATTEMPTS: usize = 40;

/// The initial time limit of an engine for a mutant in a soak test. Without a verdict, the limit is halved for the next
/// mutant of the same model, down to a minimum, and restored after a verdict: many models are too large to be proved
/// quickly, mutated or not.
pub const FULL: Duration = Duration::from_millis(1500);
const LEAST: Duration = Duration::from_millis(100);

const PLAN: SystemsOptions = SystemsOptions {
    allowed: [FULL; ENGINES.len()],
    oracle: oracle::ExplorationLimits {
        largest: 3,
        states: 20_000,
        time: Duration::from_millis(500),
    },
    apart: false,
    check: 20,
    largest: 2,
    only: None,
    engines: true,
};

/// The models of the project and, if present, of the corpus.
pub fn models() -> Vec<Source> {
    let root = root();
    let corpus = root.join("../shared/corpus");
    let folders = [root.join("models"), corpus.join("murphi"), corpus.join("cubicle")];
    folders.iter().flat_map(|folder| models_in(folder)).collect()
}

fn models_in(folder: &Path) -> Vec<Source> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_model = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "m" || extension == "cub")
    };
    let read = |path: &Path| {
        Some(Source::new(
            path.file_name()?.to_string_lossy(),
            std::fs::read_to_string(path).ok()?,
        ))
    };
    paths
        .iter()
        .filter(|path| is_model(path))
        .filter_map(|path| read(path))
        .collect()
}

/// With `apart`, engines run in separate processes, which only `cubist-fuzz` itself can start.
pub fn run(run: &mut Campaign, apart: bool, full: Duration) {
    let mut plan = SystemsOptions { apart, ..PLAN };
    let mut allowed = BTreeMap::new();
    let models = models();
    let mut batch = Batch::new();
    for case in run.cases() {
        let mut dice = run.begin(case);
        // Round-robin: all models are equally frequent.
        let original = models[case as usize % models.len()].clone();
        let Some(mutant) = mutant(&original, &mut dice) else {
            run.add("no change accepted", 1);
            continue;
        };
        run.tried += 1;
        let allowed = allowed.entry(original.name).or_insert([full; ENGINES.len()]);
        plan.allowed = *allowed;
        let decided = try_source(run, &mutant, case, &mut batch, &plan);
        for (allowed, decided) in allowed.iter_mut().zip(decided) {
            *allowed = if decided { full } else { (*allowed / 2).max(LEAST) };
        }
        if batch.is_full() {
            confirm(run, &mut batch);
        }
        if case % 100 == 99 {
            let line = format!("{} mutants, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
    confirm(run, &mut batch);
}

/// The model with one or two mutations, if some are accepted.
pub fn mutant(original: &Source, dice: &mut Dice) -> Option<Source> {
    for _ in 0..ATTEMPTS {
        let Some(mut text) = change(&original.text, original.is_murphi(), dice) else {
            continue;
        };
        if dice.chance(30) {
            text = change(&text, original.is_murphi(), dice).unwrap_or(text);
        }
        let mutant = Source::new(original.name.as_str(), text);
        if mutant.text != original.text && mutant.system().is_ok() {
            return Some(mutant);
        }
    }
    None
}

/// The positions of tokens: words, numbers and operators, without comments and strings.
pub fn tokens(text: &str, murphi: bool) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let until = |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if murphi && rest.starts_with("--") {
            at = until(at, "\n");
        } else if murphi && rest.starts_with("/*") {
            at = until(at + 2, "*/");
        } else if !murphi && rest.starts_with("(*") {
            at = until(at + 2, "*)");
        } else if rest.starts_with('"') {
            at = until(at + 1, "\"");
        } else if is_word(bytes[at]) {
            let end = (at..bytes.len())
                .find(|end| !is_word(bytes[*end]))
                .unwrap_or(bytes.len());
            tokens.push((at, end));
            at = end;
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
        } else {
            let long = [":=", "!=", "<>", "<=", ">=", "==>", "=>", "->", "&&", "||", ".."];
            let operator = long.iter().find(|operator| rest.starts_with(**operator));
            let length = operator.map_or(rest.chars().next().map_or(1, char::len_utf8), |operator| operator.len());
            tokens.push((at, at + length));
            at += length;
        }
    }
    tokens
}

/// Operators that can replace each other.
const SWAPS: [&[&str]; 7] = [
    &["=", "!=", "<>", "<", "<=", ">", ">="],
    &["&", "|", "->"],
    &["&&", "||", "=>"],
    &["+", "-"],
    &["true", "false"],
    &["True", "False"],
    &["forall", "exists"],
];

fn change(text: &str, murphi: bool, dice: &mut Dice) -> Option<String> {
    let tokens = tokens(text, murphi);
    if tokens.len() < 4 {
        return None;
    }
    let number = dice.roll(tokens.len());
    let (start, end) = tokens[number];
    let token = &text[start..end];
    let with = |start: usize, end: usize, new: &str| Some(format!("{}{new}{}", &text[..start], &text[end..]));
    // Removes a short conjunct.
    if ["&", "&&", "|", "||"].contains(&token) && dice.chance(40) {
        let (_, end) = tokens.get(number + 1 + dice.roll(6))?;
        return with(start, *end, "");
    }
    if let Some(group) = SWAPS.iter().find(|group| group.contains(&token)) {
        let new: &&str = dice.pick(group);
        return with(start, end, new);
    }
    match token {
        "!" | "not" => with(start, end, ""),
        // Removes a statement or a declaration.
        ";" => {
            let next = tokens[number + 1..]
                .iter()
                .find(|(start, end)| &text[*start..*end] == ";")?;
            with(end, next.1, "")
        }
        _ if token.bytes().all(|byte| byte.is_ascii_digit()) => {
            let value: i64 = token.parse().ok()?;
            with(start, end, &(value + [-1, 1, 2][dice.roll(3)]).max(0).to_string())
        }
        _ if token.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) => {
            let (other_start, other_end) = *dice.pick(&tokens);
            let other = &text[other_start..other_end];
            let is_name = other.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
            is_name.then(|| with(start, end, other))?
        }
        _ => with(start, end, &format!("{token} !")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_tokens() {
        let text = "rule \"a & b\" -- x = y\n p := q /* no */ <= 12;";
        let words: Vec<&str> = tokens(text, true)
            .iter()
            .map(|(start, end)| &text[*start..*end])
            .collect();
        assert_eq!(words, ["rule", "p", ":=", "q", "<=", "12", ";"]);
        let text = "unsafe (z) { (* not = *) S[z] <> x }";
        let words: Vec<&str> = tokens(text, false)
            .iter()
            .map(|(start, end)| &text[*start..*end])
            .collect();
        assert_eq!(
            words,
            ["unsafe", "(", "z", ")", "{", "S", "[", "z", "]", "<>", "x", "}"]
        );
    }

    #[test]
    fn most_models_have_mutants() {
        let mut dice = Dice::new(1, 1);
        let source = Source::new(
            "m.m",
            "var x: boolean; startstate x := false; end; rule !x ==> x := true; end; invariant !x;",
        );
        for _ in 0..20 {
            let mutant = mutant(&source, &mut dice).unwrap();
            assert_ne!(mutant.text, source.text);
        }
    }
}
