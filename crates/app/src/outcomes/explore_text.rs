//! The report of `explore` for people.

use super::trace;
use crate::terminal::{Paint, counted, grouped, listed};
use children::usage;
use driver::Input;
use explore::{Incomplete, SearchOutcome, SearchVerdict, Simulation, Violation, ViolationKind};
use std::fmt::Write as _;
use std::time::Duration;
use system::Diagnostic;
use system::frontend::SizeOrigin;
use system::instance::{Instance, PropertyKind, Rule, Type};

/// More names in one line are counted only.
const NAMES: usize = 50;

/// How much to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) full_states: bool,
    pub(crate) deadlock: bool,
}

/// What was read, at which sizes: shown before the search starts.
pub(crate) fn introduction(input: &Input, instance: &Instance, paint: Paint) -> String {
    let (language, words) = (input.language().name(), input.language().words());
    let mut contents = vec![counted(instance.rules.len(), words.rule)];
    for (kind, noun) in [
        (PropertyKind::Invariant, words.invariant),
        (PropertyKind::Assumption, "assumption"),
        (PropertyKind::Cover, "cover property"),
    ] {
        let count = count(instance, kind);
        if count > 0 || kind == PropertyKind::Invariant {
            contents.push(counted(count, noun));
        }
    }
    let name = paint.bold(&input.file().name);
    let mut text = format!("{name}: a {language} model with {}\n", listed(&contents));
    let sizes: Vec<String> = input
        .sizes()
        .iter()
        .map(|size| {
            let origin = match size.origin {
                SizeOrigin::Declared => "as declared".to_owned(),
                SizeOrigin::Chosen => "as chosen".to_owned(),
                SizeOrigin::Default => format!("by default: choose with --size {}=N", size.name),
            };
            format!("{} = {} ({origin})", size.name, size.size)
        })
        .collect();
    if !sizes.is_empty() {
        let _ = writeln!(text, "sizes: {}", sizes.join(", "));
    }
    text
}

/// The result of a search.
pub(crate) fn outcome(
    input: &Input,
    instance: &Instance,
    outcome: &SearchOutcome,
    detail: Detail,
    paint: Paint,
) -> String {
    let mut text = String::new();
    match &outcome.verdict {
        SearchVerdict::Ok => no_violation(&mut text, input, instance, detail, paint),
        SearchVerdict::Violation(found) => violation(&mut text, input, instance, found, detail, paint),
        SearchVerdict::Incomplete(reason) => {
            let _ = writeln!(text, "{} {}.", paint.doubtful("Incomplete:"), limit(reason));
            if !detail.quiet {
                text.push_str("No violation in the states that were looked at.\n");
                if let Some(advice) = advice(reason) {
                    let _ = writeln!(text, "{advice}");
                }
            }
        }
    }
    if !detail.quiet {
        text.push('\n');
        statistics(&mut text, instance, outcome, detail, paint);
    }
    text
}

/// Which limit was hit.
pub(crate) fn limit(reason: &Incomplete) -> String {
    match reason {
        // The time left to the search is not the number that the user gave.
        Incomplete::TimeLimit(_) => "the time limit was reached".to_owned(),
        reason => reason.to_string(),
    }
}

/// How to see more.
fn advice(reason: &Incomplete) -> Option<&'static str> {
    match reason {
        Incomplete::StateLimit(_) => Some("A larger --max-states goes further."),
        Incomplete::DepthLimit(_) => Some("A larger --max-depth goes further."),
        Incomplete::TimeLimit(_) => Some("More --timeout or --jobs go further; smaller sizes may finish."),
        Incomplete::MemoryLimit(_) => Some("More --memory goes further; smaller sizes may finish."),
        Incomplete::NoInitialState => Some("Is there a start, and can its conditions hold together?"),
        Incomplete::IntegerWindow => Some("--integers LOW..HIGH chooses the numbers that are tried."),
        _ => None,
    }
}

fn no_violation(text: &mut String, input: &Input, instance: &Instance, detail: Detail, paint: Paint) {
    let _ = writeln!(text, "{}", paint.good("No violation in this instance."));
    if detail.quiet {
        return;
    }
    let invariants = (input.language().words().hold)(count(instance, PropertyKind::Invariant));
    let deadlock = if detail.deadlock {
        ", and there is no deadlock"
    } else {
        ""
    };
    let mut holds = format!("{invariants}{deadlock}.");
    let sizes: Vec<String> = input
        .sizes()
        .iter()
        .map(|size| format!("{} = {}", size.name, size.size))
        .collect();
    if !sizes.is_empty() {
        let _ = write!(
            holds,
            " This is known for {} only: no other size was looked at.",
            listed(&sizes)
        );
    }
    text.push_str(&wrapped(&holds, 100));
}

fn count(instance: &Instance, kind: PropertyKind) -> usize {
    let properties = instance.properties.iter();
    properties.filter(|property| property.kind == kind).count()
}

/// What is wrong, in the words of the language.
pub(crate) fn message(input: &Input, found: &Violation) -> String {
    match (&found.kind, input.language().words().violated) {
        (ViolationKind::Invariant { .. }, Some(words)) => words.to_owned(),
        (ViolationKind::Deadlock, _) => "deadlock: no rule leads to another state".to_owned(),
        _ => found.message.clone(),
    }
}

/// The violated property in its source, and the way there.
fn violation(text: &mut String, input: &Input, instance: &Instance, found: &Violation, detail: Detail, paint: Paint) {
    if detail.quiet {
        let _ = writeln!(text, "{} {}", paint.bad("Violation:"), message(input, found));
        return;
    }
    if found.span.is_nowhere() {
        let _ = writeln!(text, "{} {}", paint.bad("error:"), paint.bold(&message(input, found)));
    } else {
        let diagnostic = Diagnostic::error(found.span, message(input, found));
        let _ = writeln!(
            text,
            "{}",
            super::diagnostics::rendered(&diagnostic, input.sources(), paint)
        );
    }
    let Some(run) = &found.trace else {
        return;
    };
    let rules = run.steps.len().saturating_sub(1) + usize::from(run.failing.as_ref().is_some_and(|f| !f.start));
    let _ = match (&found.kind, rules) {
        (_, 0) => writeln!(text, "\nCounterexample, which is an initial state:\n"),
        (ViolationKind::Deadlock, _) => writeln!(text, "\nA shortest way there, {}:\n", counted(rules, "rule")),
        _ => writeln!(text, "\nA shortest counterexample, {}:\n", counted(rules, "rule")),
    };
    text.push_str(&trace::text(run, instance, detail.full_states, paint));
}

fn statistics(text: &mut String, instance: &Instance, outcome: &SearchOutcome, detail: Detail, paint: Paint) {
    let statistics = &outcome.statistics;
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {}  {value}", paint.dim(&format!("{name:<11}")));
    };
    let symmetry = if statistics.symmetric {
        format!(
            " (those that differ by renaming {} count once)",
            listed(&symmetric_types(instance))
        )
    } else {
        String::new()
    };
    line("states", format!("{}{symmetry}", grouped(statistics.states)));
    line("rules fired", grouped(statistics.rules_fired));
    line("depth", grouped(u64::from(statistics.max_depth)));
    let mut time = seconds(statistics.elapsed);
    // Below that, a rate says more about the clock than about the search.
    if statistics.elapsed >= Duration::from_millis(10) {
        let rate = statistics.states_per_second().max(0.0) as u64;
        let _ = write!(time, " ({} states per second)", grouped(rate));
    }
    line("time", time);
    let mut memory_used = format!("{:.0} bytes per state", statistics.bytes_per_state());
    if let Some(peak) = usage::peak() {
        let _ = write!(memory_used, ", {} MB in all", grouped(peak >> 20));
    }
    line("memory", memory_used);
    if detail.verbose {
        line(
            "state",
            format!(
                "{} in {} bits",
                counted(instance.slots.len(), "variable"),
                statistics.state_bits
            ),
        );
        line(
            "start",
            counted(
                usize::try_from(statistics.starts).unwrap_or(usize::MAX),
                "initial state",
            ),
        );
        for (rule, fired) in instance.rules.iter().zip(&statistics.fired_by_rule) {
            line("fired", format!("{:>12}  {}", grouped(*fired), rule.name));
        }
        for (property, hit) in &statistics.covered {
            let answer = if *hit { "covered" } else { "not covered" };
            line("cover", format!("{answer}: {}", instance.properties[*property].name));
        }
    }
    // A search that ended early has no right to say "never".
    if let SearchVerdict::Ok = outcome.verdict {
        let never = names_of(&statistics.never_fired(instance));
        if !never.is_empty() {
            line(
                "never fired",
                some_of(&never, detail.verbose, "--verbose and --json show"),
            );
        }
    }
}

/// Names in a line: the first ones where there are many, unless all are wanted, and what shows the others.
pub(crate) fn some_of(names: &[impl AsRef<str>], are_all_wanted: bool, shows: &str) -> String {
    let count = if are_all_wanted { names.len() } else { NAMES };
    let mut shown: Vec<String> = names.iter().take(count).map(|name| name.as_ref().to_owned()).collect();
    if let Some(more @ 1..) = names.len().checked_sub(count) {
        shown.push(format!("... and {} more, which {shows}", grouped(more as u64)));
    }
    shown.join(", ")
}

pub(crate) fn names_of<'r>(rules: &[&'r Rule]) -> Vec<&'r str> {
    rules.iter().map(|rule| rule.name.as_str()).collect()
}

pub(crate) fn seconds(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        "less than 1 ms".to_owned()
    } else if time < Duration::from_millis(100) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

fn symmetric_types(instance: &Instance) -> Vec<String> {
    let mut names = Vec::new();
    for ty in &instance.types {
        if let Type::Scalarset {
            name,
            symmetric: true,
            size,
            ..
        } = ty
            && *size > 1
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// The result of random runs.
pub(crate) fn simulation(
    input: &Input,
    instance: &Instance,
    simulation: &Simulation,
    detail: Detail,
    paint: Paint,
) -> String {
    let mut text = String::new();
    match (&simulation.violation, &simulation.last) {
        (Some(found), _) => violation(&mut text, input, instance, found, detail, paint),
        (None, last) => {
            if let Some(run) = last
                && !detail.quiet
                && (simulation.runs == 1 || detail.verbose)
            {
                text.push_str(&trace::text(run, instance, detail.full_states, paint));
                text.push('\n');
            }
            let verdict = paint.doubtful("No violation in these runs,");
            let _ = writeln!(text, "{verdict} which says little about the others.");
        }
    }
    if !detail.quiet {
        let runs = usize::try_from(simulation.runs).unwrap_or(usize::MAX);
        let stopped = if simulation.stopped { ", then stopped" } else { "" };
        let _ = writeln!(
            text,
            "\n  {}, {} rules fired, {} in the longest run, {}{stopped}",
            counted(runs, "run"),
            grouped(simulation.steps),
            grouped(simulation.longest),
            seconds(simulation.elapsed),
        );
    }
    text
}

/// Breaks lines at spaces.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            lines.push('\n');
            column = 0;
        }
        if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_names_are_not_all_shown() {
        let names: Vec<String> = (0..1_060).map(|number| format!("r{number}")).collect();
        let shown = some_of(&names, false, "--json shows");
        assert!(
            shown.ends_with(", r48, r49, ... and 1,010 more, which --json shows"),
            "{shown}"
        );
        assert_eq!(shown.split(", ").count(), NAMES + 2, "{shown}");
        assert_eq!(some_of(&names, true, "--json shows"), names.join(", "));
        assert_eq!(
            some_of(&names[..NAMES], false, "--json shows"),
            names[..NAMES].join(", ")
        );
    }

    #[test]
    fn long_lines_are_wrapped() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree\n");
        assert_eq!(wrapped("incomprehensibilities", 7), "incomprehensibilities\n");
    }
}
