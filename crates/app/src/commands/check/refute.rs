//! A bug in a small instance is looked for before a proof is tried.

use crate::arguments::Check;
use crate::input::{InProofs, Input};
use crate::report::{self, explore_json, explore_text};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use explore::{Deadlock, Options, Outcome, Silent, Verdict};
use std::time::Duration;
use system::instance::Instance;

/// How long a bug in small instances is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// A violation that exploration found.
pub(super) struct Found {
    input: Input,
    instance: Instance,
    outcome: Outcome,
}

/// Explores instances in which types of any size have these sizes, where nobody chose another.
pub(super) fn look_for_bug(
    arguments: &Check,
    input: &Input,
    sizes: &[i64],
    limits: &Limits,
    control: &Control,
) -> Option<Found> {
    for size in sizes {
        let mut reading = arguments.reading.clone();
        for ty in &input.sizes {
            let chosen = reading.sizes.iter().any(|(name, _)| *name == ty.name);
            let shrink = sizes.len() > 1 || ty.size > *size;
            if matches!(ty.in_proofs, InProofs::AnySize { .. }) && !chosen && shrink {
                reading.sizes.push((ty.name.clone(), *size));
            }
        }
        let Ok(mut input) = Input::read(&reading) else { continue };
        let Ok(instance) = input.instance() else { continue };
        let time = limits.time_left().map_or(LOOK, |left| left.min(LOOK));
        let options = Options {
            deadlock: Deadlock::Off,
            time_limit: Some(time),
            ..Options::default()
        };
        let outcome = explore::explore(&instance, &options, &control.stop, &mut Silent);
        if matches!(outcome.verdict, Verdict::Violation(_)) {
            return Some(Found {
                input,
                instance,
                outcome,
            });
        }
    }
    None
}

pub(super) fn report_violation(arguments: &Check, found: &Found, control: &Control) -> anyhow::Result<Status> {
    let Found {
        input,
        instance,
        outcome,
    } = found;
    let style = &arguments.style;
    let text = if style.json {
        report::json(&explore_json::outcome(
            input,
            instance,
            outcome,
            false,
            Status::Violated,
        ))?
    } else {
        let detail = explore_text::Detail {
            quiet: style.quiet,
            verbose: style.verbose,
            full_states: false,
            deadlock: false,
        };
        let paint = Paint::stdout();
        let introduction = explore_text::introduction(input, instance, paint);
        format!(
            "{introduction}\n{}",
            explore_text::outcome(input, instance, outcome, detail, paint)
        )
    };
    if control.begin_report() {
        terminal::print(&text)?;
    }
    Ok(Status::Violated)
}
