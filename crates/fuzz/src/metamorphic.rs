//! Semantics-preserving transformations: renaming, reordered rules, dead rules, irrelevant predicates, split
//! conjunctions, permuted symmetric names. The verdict never changes between safe and unsafe.

use crate::engine::{Claim, ENGINES, Engine};
use crate::generate::random_system;
use crate::isolation::Ended;
use crate::mutants::tokens;
use crate::random::Dice;
use crate::source::Source;
use crate::systems::{ALLOWED, ask};
use crate::tally::Campaign;

pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        let mut dice = run.begin(case);
        let source = random_system(dice.clone());
        let variants = variants(&source, &mut dice);
        for (engine_name, engine) in ENGINES {
            let Some(before) = verdict(&source, engine) else {
                continue;
            };
            for (kind, variant) in &variants {
                run.tried += 1;
                if variant.system().is_err() {
                    let name = format!("{}.m", run.name());
                    run.failure(&name, &format!("{kind}: refused"), variant.text.as_bytes());
                    continue;
                }
                let Some(after) = verdict(variant, engine) else {
                    continue;
                };
                let change = if before == after {
                    "the same".to_owned()
                } else {
                    format!("{before} became {after}")
                };
                run.add(&format!("{engine_name}: {change}"), 1);
                if before != after && before != "unknown" && after != "unknown" {
                    let both = format!("{}\n-- after: {kind}\n{}", source.text, variant.text);
                    let name = format!("{}-{engine_name}.txt", run.name());
                    run.failure(&name, &format!("{engine_name}: {kind}: {change}"), both.as_bytes());
                }
            }
        }
    }
}

fn verdict(source: &Source, engine: Engine) -> Option<&'static str> {
    match ask(source, engine, ALLOWED, false) {
        Ended::Well(answer) => match answer.claim {
            Claim::Proved(Err(_)) => None,
            claim => Some(claim.word()),
        },
        Ended::Panicked | Ended::Hung => None,
    }
}

fn variants(source: &Source, dice: &mut Dice) -> Vec<(&'static str, Source)> {
    let text = &source.text;
    let with = |text: String| Source::new(source.name.as_str(), text);
    let mut variants = vec![
        ("names changed", with(renamed(text))),
        ("rules reordered", with(reordered(text, dice))),
        ("a dead rule added", with(format!("{text}{DEAD}"))),
        (
            "irrelevant predicates added",
            with(format!("{text}{}", irrelevant(text))),
        ),
        ("the colours exchanged", with(exchanged(text))),
        ("a property stated twice", with(format!("{text}{}", twice(text)))),
        (
            "a guard written as a conditional",
            with(text.replacen("\n  true\n", "\n  (true ? true : false)\n", 1)),
        ),
        ("a conjunction split", with(split(text))),
    ];
    variants.retain(|(_, variant)| variant.text != source.text);
    variants
}

const DEAD: &str = "rule \"never\"\n  false\n==>\n  assert false;\nend;\n";

/// Prefixes every name of the model.
fn renamed(text: &str) -> String {
    let is_own = |word: &str| {
        let numbered = |prefix: char| {
            word.strip_prefix(prefix)
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        };
        [
            "NODE", "OTHER", "COLOUR", "SMALL", "COUNT", "red", "green", "blue", "p", "q", "s", "t", "w",
        ]
        .contains(&word)
            || !word.is_empty() && ['v', 'x', 'i'].into_iter().any(numbered)
    };
    let mut result = String::new();
    let mut last = 0;
    for (start, end) in tokens(text, true) {
        if is_own(&text[start..end]) {
            result.push_str(&text[last..start]);
            result.push_str("zz_");
            last = start;
        }
        result.push_str(&text[last..end]);
        last = end;
    }
    result.push_str(&text[last..]);
    result
}

/// Reorders the rules, with their rulesets.
fn reordered(text: &str, dice: &mut Dice) -> String {
    let Some(property) = text.find("invariant") else {
        return text.to_owned();
    };
    let (before, after) = text.split_at(property);
    // A rule begins with its first ruleset, at the start of a line after an `end;`.
    let mut pieces: Vec<String> = vec![String::new()];
    for line in before.split_inclusive('\n') {
        let begins = line.starts_with("rule")
            && pieces
                .last()
                .is_some_and(|piece| piece.is_empty() || piece.ends_with("\nend;\n"));
        if begins {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(line);
        }
    }
    // Declarations come first, then the start state.
    let mut rules = pieces.split_off(2.min(pieces.len()));
    let shift = dice.roll(rules.len().max(1));
    rules.rotate_left(shift);
    format!("{}{}{after}", pieces.concat(), rules.concat())
}

/// Predicates over the Boolean variables, most likely irrelevant to the property.
fn irrelevant(text: &str) -> String {
    let booleans = text.lines().filter_map(|line| line.trim().strip_suffix(": boolean;"));
    let names = booleans.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    names
        .map(|name| format!("predicate \"about {name}\" {name};\n"))
        .collect()
}

/// Swaps the first two colours, also in the declaration.
fn exchanged(text: &str) -> String {
    text.replace("red, green", "green, red")
}

/// Turns a guard into a conditional statement without an else branch.
fn split(text: &str) -> String {
    let Some(at) = text.find("\n  & ") else {
        return text.to_owned();
    };
    let end = at + 1 + text[at + 1..].find('\n').unwrap_or(0);
    let conjunct = &text[at + 5..end];
    format!(
        "{}\n  & ({conjunct} & {conjunct})\n  & true{}",
        &text[..at],
        &text[end..]
    )
}

fn twice(text: &str) -> String {
    let property = text.find("invariant").map_or("", |at| &text[at..]);
    property.replace("invariant \"property\"", "invariant \"again\"")
}
