//! A bug in a small instance is looked for before a proof is tried.

use super::Task;
use crate::input::{Input, Origin, TypeSize};
use crate::report::{self, check_json, check_report, explore_text};
use crate::status::Status;
use crate::terminal::{self, Paint};
use explore::{Deadlock, Options, Outcome, Silent, Verdict, Violation};
use logic::Cancellation;
use smt::Statistics;
use std::sync::Arc;
use std::time::Duration;
use system::instance::{Instance, PropertyKind};

/// How long a bug in one small instance is looked for.
const LOOK: Duration = Duration::from_secs(2);

/// A violation that exploration found.
pub(crate) struct Found {
    /// The model at the size of the instance.
    pub(crate) input: Input,
    pub(crate) instance: Instance,
    pub(crate) outcome: Outcome,
    /// The checks of a proof that went on beside the search.
    pub(crate) beside: Option<Arc<Statistics>>,
}

impl Found {
    pub(crate) fn violation(&self) -> Option<&Violation> {
        match &self.outcome.verdict {
            Verdict::Violation(violation) => Some(violation),
            _ => None,
        }
    }
}

/// Explores instances in which types of any size have these sizes, where nobody chose another; smaller types stay as they are unless
/// they are to `grow`. No instance is explored twice.
pub(super) fn look_for_bug(task: &Task, sizes: &[i64], grow: bool, cancellation: &Cancellation) -> Option<Found> {
    let mut seen = Vec::new();
    for size in sizes {
        let Some((input, instance)) = at_size(task, *size, grow) else {
            continue;
        };
        let taken: Vec<i64> = input.sizes.iter().map(|ty| ty.size).collect();
        if seen.contains(&taken) {
            continue;
        }
        seen.push(taken);
        let found = explored(task, input, instance, cancellation);
        if found.violation().is_some() {
            return Some(found);
        }
    }
    None
}

/// Leaves properties out that were not asked for. That something can be reached is not a matter of safety.
pub(super) fn keep_asked_for(task: &Task, instance: &mut Instance, with_covers: bool) {
    let is_asked_for = |name: &str| task.properties.iter().any(|property| property.name == name);
    instance.properties.retain(|property| match property.kind {
        PropertyKind::Invariant => is_asked_for(&property.name),
        PropertyKind::Assumption => true,
        PropertyKind::Cover => with_covers,
    });
}

fn explored(task: &Task, input: Input, mut instance: Instance, cancellation: &Cancellation) -> Found {
    keep_asked_for(task, &mut instance, false);
    let time = task.limits.time_left().map_or(LOOK, |left| left.min(LOOK));
    let options = Options {
        deadlock: Deadlock::Off,
        time_limit: Some(time),
        ..Options::default()
    };
    let outcome = explore::explore(&instance, &options, cancellation, &mut Silent);
    Found {
        beside: None,
        input,
        instance,
        outcome,
    }
}

/// The types that a violation needs at another size than the file declares, where there is none at the declared sizes: Peterson's
/// algorithm is one for two processes, and the file says two. Whoever demands any size gets the violation.
pub(super) fn only_at_other_sizes(task: &Task, found: &Found) -> Vec<TypeSize> {
    let differs = |ty: &&TypeSize| {
        let taken = found.input.sizes.iter().find(|other| other.name == ty.name);
        // Where the file says how many there are at most, it is about fewer, too.
        let is_one = ty.origin == Origin::Declared && ty.most.is_none();
        is_one && taken.is_some_and(|taken| taken.size != ty.size)
    };
    let types: Vec<TypeSize> = task.input.sizes.iter().filter(differs).cloned().collect();
    let demanded = types
        .iter()
        .any(|ty| task.arguments.reading.parametric.contains(&ty.name));
    if types.is_empty() || demanded {
        return Vec::new();
    }
    let Ok(mut input) = Input::read_with(&task.arguments.reading, &task.arguments.additions()) else {
        return Vec::new();
    };
    let cancellation = &task.control.cancellation;
    let declared = input
        .instance()
        .map(|instance| explored(task, input, instance, cancellation));
    match declared {
        Ok(declared) if matches!(declared.outcome.verdict, Verdict::Ok) => types,
        _ => Vec::new(),
    }
}

/// The model with types of any size at this size, unless the user chose another; smaller ones stay as they are unless `grow`.
pub(super) fn at_size(task: &Task, size: i64, grow: bool) -> Option<(Input, Instance)> {
    with_sizes(task, |ty| if grow { size } else { ty.size.min(size) })
}

/// The model with types of any size at these sizes, unless the user chose others. None is smaller than the elements that the model names
/// allow, or larger than it says: there is no such instance.
pub(super) fn with_sizes(task: &Task, size: impl Fn(&TypeSize) -> i64) -> Option<(Input, Instance)> {
    let mut reading = task.arguments.reading.clone();
    for ty in &task.input.sizes {
        let chosen = reading.sizes.iter().any(|(name, _)| *name == ty.name);
        let size = size(ty).max(ty.least).min(ty.most.unwrap_or(i64::MAX));
        if ty.is_any() && !chosen && size != ty.size {
            reading.sizes.push((ty.name.clone(), size));
        }
    }
    let mut input = Input::read_with(&reading, &task.arguments.additions()).ok()?;
    let instance = input.instance().ok()?;
    Some((input, instance))
}

pub(super) fn report_violation(task: &Task, found: &Found) -> anyhow::Result<Status> {
    task.progress.finish();
    let style = &task.arguments.style;
    let text = if style.json {
        let seconds = task.limits.started.elapsed().as_secs_f64();
        report::json(&check_json::violation(task, found, seconds))?
    } else {
        let detail = explore_text::Detail {
            quiet: style.quiet,
            verbose: style.verbose,
            full_states: false,
            deadlock: false,
        };
        let paint = Paint::stdout();
        let introduction = match style.quiet {
            true => String::new(),
            false => explore_text::introduction(&found.input, &found.instance, paint) + "\n",
        };
        let mut text =
            introduction + &explore_text::outcome(&found.input, &found.instance, &found.outcome, detail, paint);
        if !style.quiet {
            check_report::others(&mut text, task, None, paint);
        }
        text
    };
    if task.control.begin_report() {
        terminal::print(&text)?;
        if task.drawing.is_some() && !style.quiet && !style.json {
            terminal::complain(
                "note: no abstract states are drawn where a violation is found; `cubist explore --graph` draws concrete ones\n",
            );
        }
    }
    Ok(Status::Violated)
}
