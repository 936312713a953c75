//! The certificate of an exploration: written, and held against the model once more.

use crate::about::{self, Recorded};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::model::{ModelContext, ParsedModel, Question};
use crate::search::{self, DeclaredExploration};
use explore::{Budget, ConfirmedExploration, SilentObserver};
use system::frontend::TypeSize;
use validate::{Counted, ParsedExploration};

/// What was explored, as a file tells it.
pub(crate) fn text(model: &ModelContext, confirmed: &ConfirmedExploration) -> String {
    let reading = &model.question.reading;
    let about = about::lines_at(&model.parsed.input, &as_written(model.parsed), reading, |_, name| {
        name.to_owned()
    });
    validate::exploration_text(&about, &names(model), counted(confirmed.outcome()))
}

fn as_written(parsed: &ParsedModel) -> Vec<TypeSize> {
    parsed.input.sizes().iter().map(TypeSize::as_written).collect()
}

/// The names of the properties that hold.
fn names(model: &ModelContext) -> Vec<String> {
    let stated = model.parsed.stated(&model.question.only);
    stated.into_iter().map(|(name, _)| name).collect()
}

fn counted(outcome: &explore::SearchOutcome) -> Counted {
    let statistics = &outcome.statistics;
    Counted {
        states: statistics.states,
        rules_fired: statistics.rules_fired,
        symmetric: statistics.symmetric,
    }
}

/// What comes of exploring again what a certificate is about.
pub enum RevalidatedExploration {
    Confirmed {
        exploration: ConfirmedExploration,
        /// The invariants of the model that the certificate is not about.
        left_out: Vec<String>,
    },
    /// What the certificate says is not so: one sentence without a full stop.
    Refused(String),
    /// The time was over before all states were seen again.
    Stopped,
}

/// Reads the model again, and looks at all its states again: with the search that counts, and with the interpreter
/// that the search does not use.
pub fn revalidate_exploration(
    text: &str,
    certificate: &ParsedExploration,
    given: &Question,
    context: &Context,
) -> Result<RevalidatedExploration> {
    let recorded = Recorded::of(&certificate.header, given)?;
    let mut question = given.clone();
    question.reading = recorded.reading.clone();
    question.only.clone_from(&certificate.properties);
    for (role, path) in &recorded.files {
        match role {
            system::Role::Properties => question.properties = Some(path.clone()),
            system::Role::Predicates => question.predicates = Some(path.clone()),
            system::Role::Further => question.also = Some(path.clone()),
            system::Role::Model | system::Role::Included | system::Role::Preprocessed => {}
        }
    }
    let parsed = ParsedModel::read(&question)?;
    let model = ModelContext {
        question: &question,
        parsed: &parsed,
        context: context.clone(),
    };
    let Some(DeclaredExploration { found, again }) =
        search::declared(&model, None, Budget::UNLIMITED, &mut SilentObserver)
    else {
        return Err(Error::refused("the model has no finite instance"));
    };
    if let Some(violation) = found.violation() {
        return Ok(RevalidatedExploration::Refused(format!(
            "there is a violation: {}",
            violation.message
        )));
    }
    if context.stopped().is_some() {
        return Ok(RevalidatedExploration::Stopped);
    }
    let name = |word: &str, name: &str| {
        about::recorded_name(&certificate.header, word)
            .unwrap_or(name)
            .to_owned()
    };
    let about = about::lines_at(&parsed.input, &as_written(&parsed), &question.reading, name);
    let made = validate::exploration_made_by(&certificate.made_by, &about, &names(&model), counted(&found.outcome));
    if let Some(difference) = difference(text, &made) {
        return Ok(RevalidatedExploration::Refused(difference));
    }
    let all = parsed.stated(&[]).into_iter().map(|(name, _)| name);
    let left_out = all.filter(|name| !certificate.properties.contains(name)).collect();
    Ok(match again {
        Some(Ok(exploration)) if exploration.again().is_all => {
            RevalidatedExploration::Confirmed { exploration, left_out }
        }
        Some(Ok(_)) => RevalidatedExploration::Stopped,
        Some(Err(reason)) => RevalidatedExploration::Refused(reason.to_string()),
        None => RevalidatedExploration::Refused("not all states can be seen".to_owned()),
    })
}

/// The first line that is not as it should be.
fn difference(text: &str, again: &str) -> Option<String> {
    let lines = |text: &str| {
        let matters = |line: &&str| !line.starts_with("; sha256: ");
        text.lines().filter(matters).map(str::to_owned).collect::<Vec<String>>()
    };
    let (said, is) = (lines(text), lines(again));
    let length = said.len().max(is.len());
    let at = |lines: &[String], number: usize| lines.get(number).cloned().unwrap_or_else(|| "nothing".to_owned());
    (0..length)
        .find(|number| said.get(*number) != is.get(*number))
        .map(|number| {
            let plain = |line: String| line.trim_start_matches("; ").to_owned();
            format!(
                "the certificate says `{}`, and it is `{}`",
                plain(at(&said, number)),
                plain(at(&is, number))
            )
        })
}
