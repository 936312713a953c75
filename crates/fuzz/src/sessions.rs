//! Sessions (`cubist prove`) on random systems, automatic or perturbed by random commands, against exploration: no
//! explored state violates a fact that a session claims as proved, and `qed` does not answer *safe* if there is a
//! violation.

use crate::isolation::{Ended, isolated};
use crate::oracle::{self, explore_sizes};
use crate::random::Dice;
use crate::source::Source;
use crate::systems::{ModelFamily, drawn};
use crate::tally::Campaign;
use driver::{Answer, Context, FormulaTest, Question, Verdict};
use logic::Cancellation;
use session::{Command, Error, Session};
use smt::Solvers;
use std::path::Path;
use std::time::Duration;

/// The processor time limit of a session.
const ALLOWED: Duration = Duration::from_secs(8);
/// The number of random commands, if the session is perturbed.
const COMMANDS: usize = 14;

/// The result of a session.
#[derive(Default)]
struct Told {
    /// Why it could not be opened.
    refused: Option<String>,
    /// Names and formulas of claimed facts that an explored state violates.
    false_facts: Vec<String>,
    facts: u64,
    /// Whether the session claims every property as proved.
    is_finished: bool,
    /// The answer of `qed`.
    verdict: Option<&'static str>,
}

pub fn run(run: &mut Campaign, only: Option<ModelFamily>) {
    for case in run.cases() {
        run.tried += 1;
        let dice = run.begin(case);
        let source = drawn(case, dice, only);
        if let Some(what) = find_error(run, case, &source) {
            let file = format!("{}.{}", run.name(), if source.is_murphi() { "m" } else { "cub" });
            run.failure(&file, &what, source.text.as_bytes());
        }
        if case % 100 == 99 {
            let line = format!("{} sessions, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
}

/// The error in a session's claims, if any.
fn find_error(run: &mut Campaign, case: u64, source: &Source) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-sessions-{}-{case}", std::process::id()));
    let file = folder.join(&source.name);
    if let Err(error) = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &source.text)) {
        run.stop("cannot write the model", &error);
        return None;
    }
    let dice = (case % 2 == 1).then(|| Dice::new(run.seed.wrapping_add(1), case));
    let path = file.clone();
    let ended = isolated(ALLOWED, move |cancellation| run_session(&path, dice, cancellation));
    let _ = std::fs::remove_dir_all(&folder);
    let told = match ended {
        Ended::Well(told) => told,
        Ended::Panicked => return Some("panicked".to_owned()),
        Ended::Hung => return Some("did not stop".to_owned()),
    };
    run.add("facts", told.facts);
    if told.refused.is_some() {
        run.add("refused", 1);
        return None;
    }
    if !told.false_facts.is_empty() {
        return Some(format!("proved, and false: {}", told.false_facts.join("; ")));
    }
    let word = match (told.is_finished, told.verdict) {
        (false, _) => "open",
        (true, Some(verdict)) => verdict,
        (true, None) => "stopped",
    };
    run.add(word, 1);
    if word == "mistake" {
        return Some("what was proved is contradicted by explored states".to_owned());
    }
    let violated = explore_sizes(source, oracle::ExplorationLimits::default()).violated;
    let (size, violation) = violated?;
    match told.is_finished && told.verdict != Some("unsafe") {
        // A proof may cover the declared sizes only, which `qed` then states.
        true if told.verdict != Some("safe as written") => {
            Some(format!("proved ({word}), but with {size} elements: {violation}"))
        }
        _ => {
            run.add("violated, and not proved", 1);
            None
        }
    }
}

fn run_session(file: &Path, dice: Option<Dice>, cancellation: &Cancellation) -> Told {
    let context = Context::silent(Solvers::default().under(cancellation));
    let question = Question {
        file: file.to_owned(),
        ..Question::default()
    };
    let mut session = match Session::open(question.clone(), context.clone()) {
        Ok(session) => session,
        Err(error) => {
            let refused = Some(error.to_string());
            return Told {
                refused,
                ..Told::default()
            };
        }
    };
    if let Some(mut dice) = dice {
        for _ in 0..COMMANDS {
            let command = random_command(&session, &mut dice);
            // A rejected command changes nothing.
            let _ = session.apply(&command);
        }
    }
    let _ = session.apply(&Command::Auto);
    let state = session.state();
    let is_false = |formula| {
        let seen = driver::test_formula(&question, session.subject(), formula, true, &context);
        matches!(seen, FormulaTest::Fails)
    };
    let facts = state.facts.iter().filter(|fact| is_false(fact.formula));
    let false_facts = facts.map(|fact| format!("{}: {:?}", fact.name, fact.formula)).collect();
    let is_finished = state.is_finished();
    Told {
        refused: None,
        false_facts,
        facts: state.facts.len() as u64,
        is_finished,
        verdict: is_finished.then(|| verdict(&session)).flatten(),
    }
}

/// The answer of `qed`; `None` if it was cancelled.
fn verdict(session: &Session) -> Option<&'static str> {
    let answer = match session.finish() {
        Ok(finished) => finished.answer,
        Err(Error::Refused(_)) => return Some("refused by qed"),
        Err(_) => return None,
    };
    match answer {
        Answer::Mistake(_) => Some("mistake"),
        Answer::Decided(decided) => match decided.verdict {
            Verdict::Safe(safe) if safe.scope().is_every_size() => Some("safe"),
            Verdict::Safe(_) => Some("safe as written"),
            Verdict::Unsafe(_) => Some("unsafe"),
            Verdict::Unknown(_) => Some("unknown"),
        },
    }
}

/// A suggestion, an arbitrary step, or a false conjecture.
fn random_command(session: &Session, dice: &mut Dice) -> Command {
    let suggestions = session.suggestions();
    if !suggestions.is_empty() && dice.chance(40) {
        return suggestions[dice.roll(suggestions.len())].command.clone();
    }
    let state = session.state();
    let label = |dice: &mut Dice| match state.offers.len() {
        0 => "c1".to_owned(),
        offers => state.offers[dice.roll(offers)].label.clone(),
    };
    let line = match dice.roll(10) {
        0 => "undo".to_owned(),
        1 => "analyze".to_owned(),
        2 | 3 => "induct".to_owned(),
        4 => format!("strengthen {}", 1 + dice.roll(3)),
        5 => format!("abstract with {} {}", label(dice), label(dice)),
        6 => "why".to_owned(),
        7 => format!("goal {}", 1 + dice.roll(state.statements.len().max(1))),
        8 => format!("conjecture {}", label(dice)),
        _ => "conjecture false".to_owned(),
    };
    match Command::parse(&line) {
        Ok(Some(command)) => command,
        _ => Command::Induct,
    }
}
