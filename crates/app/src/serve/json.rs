//! What the page is told.

use serde_json::{Value, json};
use session::{Block, Concrete, Named, Picture, Reply, Row, Sequent, Session, View};
use system::{FileId, SourceFile, Span};

pub(super) fn source(file: &SourceFile) -> Value {
    // A page writes no files.
    let commands: Vec<_> = session::HELP.iter().filter(|(word, _, _)| *word != "save").collect();
    json!({ "name": file.name, "text": file.text, "commands": commands })
}

/// The same with all texts as they may be shown.
pub(super) fn printable(value: &Value) -> Value {
    match value {
        Value::String(text) => system::printable(text).into(),
        Value::Array(values) => values.iter().map(printable).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), printable(value)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// All that is known, without what takes long to find.
pub(super) fn state(session: &Session) -> Value {
    let file = session.subject().input.file();
    let View {
        goals,
        facts,
        offers,
        subgoals,
        run,
        is_finished,
    } = session.view();
    let place = |at: Span| span(file, whole(file, at));
    let goal = |goal: &session::GoalView| {
        json!({
            "name": goal.name,
            "text": goal.text,
            "conjecture": goal.is_conjecture,
            "proved": goal.is_proved,
            "refuted": goal.is_refuted,
            "in_hand": goal.is_in_hand,
            "span": span(file, goal.span),
        })
    };
    let sequents = |sequents: &Vec<Sequent>| -> Vec<Value> {
        let placed = |sequent: &Sequent| {
            let mut value = sequent_of(sequent);
            value["span"] = place(sequent.span);
            value
        };
        sequents.iter().map(placed).collect()
    };
    let row = |row: &Row| json!({ "rule": row.rule, "values": row.values, "span": place(row.span) });
    let run = run.map(|run| {
        json!({
            "bad": run.bad,
            "predicates": run.predicates,
            "rows": run.rows.iter().map(row).collect::<Vec<Value>>(),
        })
    });
    let suggestions = session
        .suggestions()
        .into_iter()
        .map(|suggestion| json!({ "command": suggestion.command.to_string(), "reason": suggestion.reason }));
    json!({
        "goals": goals.iter().map(goal).collect::<Vec<Value>>(),
        "facts": facts.iter().map(named).collect::<Vec<Value>>(),
        "offers": offers.iter().map(named).collect::<Vec<Value>>(),
        "subgoals": subgoals.as_ref().map(sequents),
        "run": run,
        "suggestions": suggestions.collect::<Vec<Value>>(),
        "steps": session.script().lines().collect::<Vec<&str>>(),
        "finished": is_finished,
    })
}

/// A place in the model as the page counts: in units of UTF-16. Null where it is nowhere, or in another file.
pub(super) fn span(file: &SourceFile, span: Span) -> Value {
    let units = |end: u32| file.text.get(..end as usize).map(|text| text.encode_utf16().count());
    match (span.is_nowhere(), span.file == FileId::MODEL) {
        (false, true) => json!([units(span.start), units(span.end)]),
        _ => Value::Null,
    }
}

/// Rules have the place of their first line; what follows up to an empty line belongs to it, mostly.
pub(super) fn whole(file: &SourceFile, span: Span) -> Span {
    let rest = file
        .text
        .get(span.end as usize..)
        .filter(|_| !span.is_nowhere())
        .unwrap_or_default();
    let mut lines = rest.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let others = lines
        .take_while(|line| !line.trim().is_empty())
        .map(str::len)
        .sum::<usize>();
    let more = rest.get(..first + others).unwrap_or_default().trim_end().len();
    Span::new(span.file, span.start as usize, span.end as usize + more)
}

fn named(named: &Named) -> Value {
    json!({ "name": named.name, "text": named.text, "note": named.note })
}

fn sequent_of(sequent: &Sequent) -> Value {
    json!({
        "number": sequent.number,
        "rule": sequent.rule,
        "hypotheses": sequent.hypotheses,
        "conclusions": sequent.conclusions,
        "granted": sequent.is_granted,
    })
}

/// The reply to a command.
pub(super) fn reply(command: &str, reply: &Reply) -> Value {
    let block = |block: &Block| match block {
        Block::Text(text) => json!({ "text": text }),
        Block::Formulas { heading, formulas } => {
            json!({ "heading": heading, "formulas": formulas.iter().map(named).collect::<Vec<Value>>() })
        }
        Block::Sequents(sequents) => json!({ "sequents": sequents.iter().map(sequent_of).collect::<Vec<Value>>() }),
        Block::Step { rule, places } => json!({ "step": rule, "places": places }),
        Block::Trace { rows, .. } => {
            json!({ "text": format!("{} states; they are under \u{201c}Trace\u{201d}.", rows.len()) })
        }
        Block::Suggestions(list) => json!({ "commands": list }),
    };
    let blocks: Vec<Value> = reply.blocks.iter().map(block).collect();
    json!({ "command": command, "title": reply.title, "blocks": blocks })
}

/// Text that has its own lines.
pub(super) fn lines(command: &str, kind: &str, text: &str) -> Value {
    let (title, rest) = text.trim_end().split_once('\n').unwrap_or((text.trim_end(), ""));
    let blocks: Vec<Value> = Some(rest.trim_start_matches('\n'))
        .filter(|rest| !rest.is_empty())
        .map(|rest| json!({ "lines": rest }))
        .into_iter()
        .collect();
    json!({ "command": command, "kind": kind, "title": title, "blocks": blocks })
}

pub(super) fn concrete(states: &[Concrete]) -> Value {
    json!(states)
}

pub(super) fn picture(picture: &Picture, svg: &str) -> Value {
    let nodes = picture.graph.nodes.iter().zip(&picture.witnesses);
    let node = |(number, (node, witness)): (usize, (&system::graph::Node, &Option<Concrete>))| {
        json!({
            "facts": node.facts,
            "start": node.start,
            "bad": node.violation,
            "run": node.highlighted,
            "witness": witness,
            "fails": picture.colours.iter().map(|(_, may_fail)| may_fail[number]).collect::<Vec<bool>>(),
        })
    };
    json!({
        "svg": svg,
        "predicates": picture.graph.predicates,
        "notes": picture.graph.legend,
        "states": nodes.enumerate().map(node).collect::<Vec<Value>>(),
        "about": picture.about,
        "colours": picture.colours.iter().map(|(name, _)| name).collect::<Vec<&String>>(),
    })
}
