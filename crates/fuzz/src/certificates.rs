//! Certificates: cvc5 must confirm those of the engines, and refuse corrupted ones.
//!
//! Every corruption certainly invalidates the certificate: an unsatisfiable property, no initial states, a negated
//! fact, removed queries of a rule, an error, a missing part, a changed byte. A fact is omitted only if a model of Z3
//! shows that it is needed.
//!
//! Each certificate is also validated against its model, and so are forged ones (`forgeries`).

use crate::confirmation::{Batch, Confirmation, countermodel, cvc5};
use crate::engine::{ENGINES, Engine, EngineOptions, Proof, prove};
use crate::forgeries;
use crate::generate::random_system;
use crate::isolation::{Ended, isolated};
use crate::mutants::models;
use crate::random::Dice;
use crate::source::Source;
use crate::tally::Campaign;
use logic::term;
use smt::SolverCommand;
use std::time::Duration;
use system::TransitionSystem;
use system::certificate::Certificate;
use validate::{certificate_text, sealed};

/// The time limit of a proof; slower ones are skipped.
const ALLOWED: Duration = Duration::from_secs(3);

/// The resource limit of Z3 for finding a countermodel.
const RESOURCES: u32 = 2_000_000;

/// A certificate and the system it is about.
struct Subject {
    name: String,
    system: TransitionSystem,
    certificate: Certificate,
    text: String,
}

/// `count` random systems, and all available models up to a tenth of that number.
pub fn run(run: &mut Campaign) {
    let Some(solver) = cvc5() else {
        run.tell("cvc5 is not installed (`make setup`): nothing to do");
        return;
    };
    let mut right = Batch::new();
    let mut corrupted = Batch::new();
    let models = models().into_iter().take((run.count / 10) as usize);
    let seed = run.seed;
    let random = run.cases().map(move |case| random_system(Dice::new(seed, case)));
    for (case, source) in (run.from..).zip(models.chain(random)) {
        if run.is_over() {
            break;
        }
        run.begin(case);
        for (engine_name, engine) in ENGINES {
            let name = format!("{}-{engine_name}", run.name());
            let Some(subject) = subject(&name, &source, engine) else {
                continue;
            };
            let mut dice = Dice::new(run.seed, case);
            forgeries::run(run, &name, &source, &subject.certificate, &subject.text, &mut dice);
            right.add(name, subject.text.clone());
            for (kind, text) in corruptions(&subject, &mut dice) {
                corrupted.add((kind, subject.name.clone()), text);
            }
        }
        if right.is_full() {
            crate::systems::confirm(run, &mut right);
        }
        if corrupted.is_full() {
            refuse(run, &mut corrupted, &solver);
        }
    }
    crate::systems::confirm(run, &mut right);
    refuse(run, &mut corrupted, &solver);
}

fn subject(name: &str, source: &Source, engine: Engine) -> Option<Subject> {
    let source = source.clone();
    let ended = isolated(ALLOWED, move |cancellation| {
        match prove(&source, &EngineOptions::new(engine, cancellation)) {
            Proof::Proved(system, certificate) => Some((*system, certificate)),
            Proof::Refuted(_) | Proof::Unknown(_) => None,
        }
    });
    let Ended::Well(Some((system, certificate))) = ended else {
        return None;
    };
    let text = certificate_text(&system, &certificate, &[]).ok()?;
    Some(Subject {
        name: name.to_owned(),
        system,
        certificate,
        text,
    })
}

fn refuse(run: &mut Campaign, batch: &mut Batch<(&'static str, String)>, cvc5: &SolverCommand) {
    for ((kind, name), text, opinion) in batch.confirm(cvc5) {
        run.tried += 1;
        run.add(&format!("corrupted: {kind}"), 1);
        if opinion == Confirmation::Confirmed {
            let file = format!("{name}-{}.smt2", kind.replace(' ', "-"));
            run.failure(&file, &format!("accepted although {kind}"), text.as_bytes());
        }
    }
}

/// All applicable corruptions of a certificate.
fn corruptions(subject: &Subject, dice: &mut Dice) -> Vec<(&'static str, String)> {
    let mut corrupted = Vec::new();
    let (system, certificate) = (&subject.system, &subject.certificate);
    let mut make = |kind, system: &TransitionSystem, certificate: &Certificate| {
        if let Ok(text) = certificate_text(system, certificate, &[]) {
            corrupted.push((kind, text));
        }
    };
    let fails = |certificate: &Certificate| countermodel(system, certificate, RESOURCES) == Some(true);
    if !certificate.facts.is_empty() {
        let chosen = dice.roll(certificate.facts.len());
        let without = |fact: usize| {
            let mut weaker = certificate.clone();
            weaker.facts.remove(fact);
            // The numbers are fact indices.
            weaker.premises.clear();
            weaker
        };
        let mut weaker = (0..certificate.facts.len()).map(without);
        if let Some(weaker) = weaker.find(|weaker| fails(weaker)) {
            make("a fact that is needed is dropped", system, &weaker);
        }
        let premises = certificate.premises.iter();
        let pairs = premises.flat_map(|(fact, premises)| premises.iter().map(|premise| (*fact, *premise)));
        let mut fewer = pairs.take(20).map(|(fact, premise)| {
            let mut fewer = certificate.clone();
            fewer.premises.entry(fact).or_default().remove(&premise);
            fewer
        });
        if let Some(fewer) = fewer.find(|fewer| fails(fewer)) {
            make("a premise that is needed is dropped", system, &fewer);
        }
        let mut negated = certificate.clone();
        negated.facts[chosen].formula = term::not(negated.facts[chosen].formula);
        make("a fact is negated", system, &negated);
    }
    let mut other = system.clone();
    for property in &mut other.properties {
        property.formula = term::bool(false);
    }
    if !other.properties.is_empty() {
        make("the property is replaced", &other, certificate);
    }
    let mut empty = system.clone();
    for start in &mut empty.starts {
        start.guard = term::bool(false);
    }
    make("there are no initial states", &empty, certificate);
    corrupted.extend(corrupted_texts(&subject.text, dice));
    corrupted
}

/// Textual corruptions; for malformed syntax, the digest is recomputed.
fn corrupted_texts(text: &str, dice: &mut Dice) -> Vec<(&'static str, String)> {
    let mut corrupted = Vec::new();
    let replaced = |old: &str, new: &str| {
        let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
        let at = places.get(places.len().checked_sub(1)? / 2)?;
        Some(sealed(&format!("{}{new}{}", &text[..*at], &text[at + old.len()..])))
    };
    let insertions = [
        ("an error is inserted", "(push 1)\n", "(push 1)\n(assert undeclared)\n"),
        ("an assumption is inserted", "(push 1)\n", "(assert false)\n(push 1)\n"),
        (
            "an answer is expected that is none",
            "; expected unsat",
            "; expected sat",
        ),
    ];
    for (kind, old, new) in insertions {
        corrupted.extend(replaced(old, new).map(|text| (kind, text)));
    }
    corrupted.extend(without_a_rule(text).map(|text| ("the queries of a rule are dropped", text)));
    let line_ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    // The last line ends the file: anything cut after it leaves the file complete.
    let cut = line_ends[dice.roll(line_ends.len() - 1)];
    corrupted.push(("it is cut off", sealed(&text[..cut])));
    corrupted.push(("it is cut off under its old digest", text[..cut].to_owned()));
    let at = dice.roll(text.len());
    if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
        let new = if &text[at..=at] == "x" { "y" } else { "x" };
        corrupted.push(("a byte is changed", format!("{}{new}{}", &text[..at], &text[at + 1..])));
    }
    corrupted
}

/// Removes the queries on the first rule that has any.
fn without_a_rule(text: &str) -> Option<String> {
    let marker = "\n; query ";
    let first = text.find(marker)?;
    let mut starts: Vec<usize> = text.match_indices(marker).map(|(at, _)| at).collect();
    starts.push(text.len());
    let queries: Vec<&str> = starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
    let rule = queries.iter().find_map(|query| {
        let (_, behind) = query.lines().nth(1)?.split_once("inductive, rule ")?;
        behind.split(',').next()
    })?;
    let about = format!("inductive, rule {rule},");
    let kept: String = queries
        .iter()
        .filter(|query| !query.contains(&about))
        .copied()
        .collect();
    Some(sealed(&format!("{}{kept}", &text[..first])))
}
