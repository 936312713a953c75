//! What a session answers, on the terminal.

use crate::terminal::Paint;
use session::{Block, Named, Reply, Row, Sequent};
use std::fmt::Write as _;

pub(crate) fn text(reply: &Reply, paint: Paint) -> String {
    let mut text = format!("{}\n", paint.bold(&reply.title));
    for block in &reply.blocks {
        match block {
            Block::Text(words) => {
                let _ = writeln!(text, "  {words}");
            }
            Block::Formulas { heading, formulas } => formulas_of(&mut text, heading, formulas, paint),
            Block::Sequents(sequents) => sequents
                .iter()
                .for_each(|sequent| sequent_of(&mut text, sequent, paint)),
            Block::Step { rule, places } => step(&mut text, rule, places, paint),
            Block::Trace { predicates, rows } => trace(&mut text, predicates, rows, paint),
            Block::Suggestions(list) => suggestions(&mut text, list, paint),
        }
    }
    text
}

fn formulas_of(text: &mut String, heading: &str, formulas: &[Named], paint: Paint) {
    let _ = writeln!(text, "  {}", paint.dim(heading));
    let width = formulas
        .iter()
        .map(|named| named.name.chars().count())
        .max()
        .unwrap_or(0);
    for Named {
        name,
        text: formula,
        note,
    } in formulas
    {
        let note = match note.is_empty() {
            true => String::new(),
            false => paint.dim(&format!("   ({note})")),
        };
        let _ = writeln!(text, "    {name:width$}  {formula}{note}");
    }
}

/// Hypotheses over a line over conclusions.
fn sequent_of(text: &mut String, sequent: &Sequent, paint: Paint) {
    let granted = if sequent.is_granted {
        paint.good(" (granted)")
    } else {
        String::new()
    };
    let _ = writeln!(text, "  {}. rule \"{}\"{granted}", sequent.number, sequent.rule);
    let lines = sequent.hypotheses.iter().chain(&sequent.conclusions);
    let width = lines.map(|line| line.chars().count()).max().unwrap_or(0).clamp(8, 60);
    for line in &sequent.hypotheses {
        let _ = writeln!(text, "       {line}");
    }
    let _ = writeln!(text, "     {}", "-".repeat(width + 4));
    if sequent.conclusions.is_empty() {
        let _ = writeln!(text, "       {}", paint.dim("false: these must not hold together"));
    }
    for line in &sequent.conclusions {
        let _ = writeln!(text, "       {line}");
    }
}

/// What matters of a step, with what it changes.
fn step(text: &mut String, rule: &str, places: &[(String, String, String)], paint: Paint) {
    let _ = writeln!(
        text,
        "  {}",
        paint.dim(&format!("a step that breaks it, by \"{rule}\""))
    );
    let width = places
        .iter()
        .map(|(place, _, _)| place.chars().count())
        .max()
        .unwrap_or(0);
    for (place, before, after) in places {
        let value = match before == after || before.is_empty() {
            true => after.clone(),
            false => format!("{before} -> {after}"),
        };
        let _ = writeln!(text, "       {place:width$}  {value}");
    }
}

/// Of the first state all that holds, of the others what changes.
fn trace(text: &mut String, predicates: &[String], rows: &[Row], paint: Paint) {
    let mut before: Option<&Row> = None;
    for (number, row) in rows.iter().enumerate() {
        let rule = if row.rule.is_empty() { "start" } else { &row.rule };
        let _ = writeln!(text, "  {number}. {}", paint.bold(rule));
        for (position, (predicate, value)) in predicates.iter().zip(&row.values).enumerate() {
            let is_shown = match before {
                None => *value,
                Some(before) => before.values.get(position) != Some(value),
            };
            if is_shown {
                let sign = if *value { "+" } else { "-" };
                let _ = writeln!(text, "       {sign} {predicate}");
            }
        }
        before = Some(row);
    }
}

fn suggestions(text: &mut String, list: &[(String, String)], paint: Paint) {
    let width = list
        .iter()
        .map(|(command, _)| command.chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    for (number, (command, reason)) in (1..).zip(list) {
        let _ = writeln!(text, "  {number:2}. {command:width$}  {}", paint.dim(reason));
    }
}
