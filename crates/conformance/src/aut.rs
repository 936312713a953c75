//! The Aldebaran format: `des (initial, transitions, states)`, then `(from, "action", to)`, one per line.

use crate::lts::{Actions, Lts, TAU};
use std::fmt::Write as _;
use system::{Diagnostic, SourceFile, Span};

/// The maximum number of states of a file.
const MOST_STATES: usize = 10_000_000;

pub fn write(lts: &Lts, actions: &Actions) -> String {
    let mut text = format!("des ({}, {}, {})\n", lts.initial, lts.transitions(), lts.states());
    for state in 0..lts.states() {
        for (action, to) in lts.from(state) {
            let name = if *action == TAU { "i" } else { actions.name(*action) };
            let _ = writeln!(text, "({state}, \"{name}\", {to})");
        }
    }
    text
}

/// Parses a system. `i` and `tau` are τ.
pub fn read(file: &SourceFile, actions: &mut Actions) -> Result<Lts, Vec<Diagnostic>> {
    let mut lines = Lines { file, offset: 0 };
    let Some((line, span)) = lines.next() else {
        let span = Span::new(file.id(), 0, 0);
        return Err(vec![Diagnostic::error(
            span,
            "expected `des (initial, transitions, states)`",
        )]);
    };
    let head = line.strip_prefix("des").and_then(|rest| fields(rest.trim()));
    let number = |field: &&str| field.parse::<usize>().ok();
    let (initial, states) = match head.as_deref() {
        Some([initial, _, states]) => match (number(initial), number(states)) {
            (Some(initial), Some(states)) if initial < states && states <= MOST_STATES => (initial, states),
            _ => return Err(vec![Diagnostic::error(span, "the initial state is none of the states")]),
        },
        _ => {
            let message = "expected `des (initial, transitions, states)`";
            return Err(vec![
                Diagnostic::error(span, message).label("not the head of an `.aut` file"),
            ]);
        }
    };
    let mut lts = Lts::new(states, initial, []);
    let mut diagnostics = Vec::new();
    for (line, span) in lines {
        match fields(line).as_deref() {
            Some([from, label, to]) => match (number(from), number(to)) {
                (Some(from), Some(to)) if from < states && to < states => {
                    let action = match label.trim_matches('"') {
                        "i" | "tau" => TAU,
                        name => actions.named(name),
                    };
                    lts.add(from, action, to);
                }
                _ => {
                    let message = format!("a state of this transition is none of the {states} states");
                    diagnostics.push(Diagnostic::error(span, message));
                }
            },
            _ => {
                let message = "expected `(from, \"action\", to)`";
                diagnostics.push(Diagnostic::error(span, message).label("not a transition"));
            }
        }
    }
    match diagnostics.is_empty() {
        true => Ok(lts),
        false => Err(diagnostics),
    }
}

/// `(a, b, c)`, where the first and the last field have no commas.
fn fields(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let (first, rest) = inside.split_once(',')?;
    let (middle, last) = rest.rsplit_once(',')?;
    Some(vec![first.trim(), middle.trim(), last.trim()])
}

/// The nonempty lines, with their source locations.
struct Lines<'f> {
    file: &'f SourceFile,
    offset: usize,
}

impl<'f> Iterator for Lines<'f> {
    type Item = (&'f str, Span);

    fn next(&mut self) -> Option<(&'f str, Span)> {
        loop {
            let rest = self.file.text.get(self.offset..).filter(|rest| !rest.is_empty())?;
            let line = rest.split_inclusive('\n').next()?;
            let start = self.offset + (line.len() - line.trim_start().len());
            self.offset += line.len();
            let text = line.trim();
            if !text.is_empty() {
                return Some((text, Span::new(self.file.id(), start, start + text.len())));
            }
        }
    }
}
