//! Forged certificates, held against the model that they claim to be about.
//!
//! A forger writes the right digest, and can do two things: change the text, or have the program make the certificate of another system.
//! Neither may pass for a certificate of the model. The certificate itself must pass, made from the model as it is read again.

use crate::random::Dice;
use crate::source::Source;
use crate::tally::Run;
use logic::{Sort, Variable, term};
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::Fact;
use validate::{against, certificate_text, sealed};

/// Of each kind, for each certificate.
const TRIES: usize = 6;

/// Holds the certificate of a model against the model, and then forged ones.
pub fn run(run: &mut Run, name: &str, source: &Source, certificate: &Certificate, text: &str, dice: &mut Dice) {
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
    // A change that changes nothing is no forgery.
    forged.retain(|(_, forged)| forged != text);
    forged
}

/// One line below the header is changed. What defines facts is left alone: the facts are for the certificate to state, and other ones may
/// do as well.
fn changed_line(text: &str, dice: &mut Dice) -> Option<(&'static str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let below = lines.iter().position(|line| *line == ";")?;
    let at = below + dice.roll(lines.len() - below);
    if lines[at].starts_with("(define-fun fact-") {
        return None;
    }
    let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let is_assertion = lines[at].starts_with("(assert ");
    let kind = match dice.roll(if is_assertion { 8 } else { 6 }) {
        0 => {
            changed.remove(at);
            "a line is gone"
        }
        1 => {
            changed.insert(at, lines[at].to_owned());
            "a line is said twice"
        }
        2 => {
            let other = below + dice.roll(lines.len() - below);
            changed.swap(at, other);
            if lines[other].starts_with("(define-fun fact-") {
                return None;
            }
            "two lines change places"
        }
        3 => {
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
            changed.insert(at, (*dice.pick(&COMMANDS)).to_owned());
            "a command is added"
        }
        4 => {
            let words: Vec<&str> = text[text.len() / 4..]
                .split([' ', '(', ')', '\n'])
                .filter(|w| !w.is_empty())
                .collect();
            let own: Vec<&str> = lines[at]
                .split([' ', '(', ')'])
                .filter(|word| !word.is_empty())
                .collect();
            if own.is_empty() || words.is_empty() {
                return None;
            }
            changed[at] = lines[at].replacen(dice.pick(&own), dice.pick(&words), 1);
            "a word is replaced"
        }
        5 => {
            changed[at].push_str(" ; and more");
            "a comment is added"
        }
        6 => {
            changed[at] = "(assert false)".to_owned();
            "an assertion is made false"
        }
        _ => {
            changed[at] = "(assert (not true))".to_owned();
            "a conclusion is made trivial"
        }
    };
    Some((kind, sealed(&(changed.join("\n") + "\n"))))
}

/// A system that is like the other but for one thing.
fn other_system(system: &TransitionSystem, dice: &mut Dice) -> Option<(&'static str, TransitionSystem)> {
    let mut other = system.clone();
    let rule = dice.roll(other.rules.len());
    let kind = match dice.roll(8) {
        0 => {
            other.rules.get_mut(rule)?.guard = term::bool(false);
            "a guard is false"
        }
        1 => {
            // Of another rule: most often something else.
            let guard = other.rules.get(dice.roll(system.rules.len()))?.guard;
            let first = other.rules.get_mut(rule)?;
            let stronger = term::and([first.guard, term::not(guard)]);
            first.guard = stronger;
            "a guard is stronger"
        }
        2 => {
            if rule >= other.rules.len() {
                return None;
            }
            other.rules.remove(rule);
            "a rule is gone"
        }
        3 => {
            let updates = &mut other.rules.get_mut(rule)?.updates;
            let update = dice.roll(updates.len());
            if update >= updates.len() {
                return None;
            }
            updates.remove(update);
            "an update is gone"
        }
        4 => {
            let property = dice.roll(other.properties.len());
            other.properties.get_mut(property)?.formula = term::bool(true);
            "a property is trivial"
        }
        5 => {
            let sort = other.index_sorts.first()?.name;
            let [a, b] = ["a", "b"].map(|name| Variable::new(name, Sort::Index(sort)));
            other.axioms.push(Fact {
                name: "one element".to_owned(),
                formula: term::forall([a, b], term::equal(a.term(), b.term())),
                span: system::Span::default(),
            });
            "a sort has one element"
        }
        6 => {
            let rule = other.rules.iter_mut().find(|rule| !rule.assertions.is_empty())?;
            rule.assertions.clear();
            "assertions are gone"
        }
        _ => {
            other.starts.first_mut()?.guard = term::bool(false);
            "a start is gone"
        }
    };
    Some((kind, other))
}
