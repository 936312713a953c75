//! Forged certificates, validated against the model that they claim to be about.
//!
//! A forger computes correct digests and has two options: change the text, or generate the certificate of a different
//! system. Neither may pass as a certificate of the model. The genuine certificate must pass when the model is read
//! again.

use crate::random::Dice;
use crate::source::Source;
use crate::tally::Campaign;
use logic::{Sort, Variable, term};
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::Fact;
use validate::{against, certificate_text, sealed};

/// The number of forgeries of each kind per certificate.
const TRIES: usize = 6;

/// Validates the certificate of a model, and then forged ones.
pub fn run(run: &mut Campaign, name: &str, source: &Source, certificate: &Certificate, text: &str, dice: &mut Dice) {
    let Ok(system) = source.system() else { return };
    run.tried += 1;
    match against(text, &system, &[]) {
        Ok(_) => run.add("made again from the model", 1),
        Err(refusal) => run.failure(
            &format!("{name}.smt2"),
            &format!("not made again: {refusal:?}"),
            text.as_bytes(),
        ),
    }
    for (kind, forged) in forgeries(&system, certificate, text, dice) {
        run.tried += 1;
        run.add(&format!("forged: {kind}"), 1);
        if against(&forged, &system, &[]).is_ok() {
            let file = format!("{name}-{}.smt2", kind.replace(' ', "-"));
            run.failure(
                &file,
                &format!("passes for the model although {kind}"),
                forged.as_bytes(),
            );
        }
    }
}

fn forgeries(
    system: &TransitionSystem,
    certificate: &Certificate,
    text: &str,
    dice: &mut Dice,
) -> Vec<(&'static str, String)> {
    let mut forged: Vec<(&'static str, String)> = Vec::new();
    for _ in 0..TRIES {
        forged.extend(changed_line(text, dice));
        if let Some((kind, other)) = other_system(system, dice)
            && let Ok(other) = certificate_text(&other, certificate, &[])
        {
            forged.push((kind, other));
        }
    }
    // A change without effect is no forgery.
    forged.retain(|(_, forged)| forged != text);
    forged
}

/// Changes one line below the header. Definitions of facts are left alone: the certificate may state any facts, and
/// others may be valid as well.
fn changed_line(text: &str, dice: &mut Dice) -> Option<(&'static str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let below = lines.iter().position(|line| *line == ";")?;
    let assertions: Vec<usize> = (below..lines.len())
        .filter(|at| lines[*at].starts_with("(assert "))
        .collect();
    let at = match dice.chance(40) && !assertions.is_empty() {
        true => *dice.pick(&assertions),
        false => below + dice.roll(lines.len() - below),
    };
    if lines[at].starts_with("(define-fun fact-") {
        return None;
    }
    let kind = dice.roll(if lines[at].starts_with("(assert ") { 8 } else { 6 });
    let (kind, changed) = match kind {
        4 => ("a word is replaced", vec![with_another_word(lines[at], text, dice)?]),
        3 => (
            "a command is added",
            vec![(*dice.pick(&COMMANDS)).to_owned(), lines[at].to_owned()],
        ),
        other => {
            let (kind, changed): (_, &[&str]) = match other {
                0 => ("a line is gone", &[]),
                1 => ("a line is said twice", &[lines[at], lines[at]]),
                2 => (
                    "a line comes early",
                    &[lines.get(at + 1).copied()?, lines[at], lines[at + 1]],
                ),
                5 => ("a comment is added", &["; and more", lines[at]]),
                6 => ("an assertion is made false", &["(assert false)"]),
                _ => ("a conclusion is made trivial", &["(assert (not true))"]),
            };
            (kind, changed.iter().map(|line| (*line).to_owned()).collect())
        }
    };
    let before = lines[..at].iter().map(|line| (*line).to_owned());
    let behind = lines[at + 1..].iter().map(|line| (*line).to_owned());
    let all: Vec<String> = before.chain(changed).chain(behind).collect();
    Some((kind, sealed(&(all.join("\n") + "\n"))))
}

/// Commands that are not permitted in a certificate, or only in certain places.
const COMMANDS: [&str; 8] = [
    "(assert false)",
    "(reset)",
    "(push 1)",
    "(pop 1)",
    "(check-sat)",
    "(echo \"unsat\")",
    "(set-info :status unsat)",
    "(define-fun more () Bool false)",
];

fn with_another_word(line: &str, text: &str, dice: &mut Dice) -> Option<String> {
    fn words(text: &str) -> Vec<&str> {
        text.split([' ', '(', ')', '\n'])
            .filter(|word| !word.is_empty())
            .collect()
    }
    let (own, all) = (words(line), words(text));
    let old = (!own.is_empty()).then(|| *dice.pick(&own))?;
    Some(line.replacen(old, dice.pick::<&str>(&all), 1))
}

/// A system that differs from the other in one respect.
fn other_system(system: &TransitionSystem, dice: &mut Dice) -> Option<(&'static str, TransitionSystem)> {
    let mut other = system.clone();
    let kind = match dice.roll(8) {
        0 => {
            let property = dice.roll(other.properties.len());
            other.properties.get_mut(property)?.formula = term::bool(true);
            "a property is trivial"
        }
        1 => {
            let sort = other.index_sorts.first()?.name;
            let [a, b] = ["a", "b"].map(|name| Variable::new(name, Sort::Index(sort)));
            other.axioms.push(Fact {
                name: "one element".to_owned(),
                formula: term::forall([a, b], term::equal(a.term(), b.term())),
                span: system::Span::default(),
            });
            "a sort has one element"
        }
        2 => {
            other.starts.first_mut()?.guard = term::bool(false);
            "a start is gone"
        }
        _ => other_rule(&mut other, dice)?,
    };
    Some((kind, other))
}

/// Changes a rule; returns a description of the change.
fn other_rule(system: &mut TransitionSystem, dice: &mut Dice) -> Option<&'static str> {
    let number = dice.roll(system.rules.len());
    let of_another = system.rules.get(dice.roll(system.rules.len()))?.guard;
    let rule = system.rules.get_mut(number)?;
    Some(match dice.roll(5) {
        0 => {
            rule.guard = term::bool(false);
            "a guard is false"
        }
        1 => {
            rule.guard = term::and([rule.guard, term::not(of_another)]);
            "a guard is stronger"
        }
        2 => {
            let update = dice.roll(rule.updates.len());
            if update >= rule.updates.len() {
                return None;
            }
            rule.updates.remove(update);
            "an update is gone"
        }
        3 => {
            rule.assertions.pop()?;
            "an assertion is gone"
        }
        _ => {
            system.rules.remove(number);
            "a rule is gone"
        }
    })
}
