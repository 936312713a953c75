//! `check --report`: the same page with an answer in it, read-only, in one file that needs nothing else.

use super::json;
use super::routes::{NONCE, PAGE};
use crate::outcomes::check_report::Report;
use crate::outcomes::trace::firing;
use crate::terminal::Paint;
use driver::{Evidence, Unsafe, Verdict, notation};
use serde_json::{Value, json};
use system::graph::Graph;
use system::printable::printable_json;

/// Where the answer stands in the page.
const PLACE: &str = "<script nonce=\"NONCE\">";

/// The page about what was decided, with the abstract states where they were drawn.
pub(crate) fn page(report: &Report, graph: Option<&Graph>) -> anyhow::Result<String> {
    let kept = json!({
        "source": json::source(report.decided.parsed.input.file()),
        "state": json::printable(&state(report, graph.is_some())),
        "graph": json::printable(&graph.map_or(Value::Null, picture)),
    });
    // Nothing in it ends the element that it stands in.
    let kept = printable_json(&kept.to_string()).replace('<', "\\u003c");
    let nonce = super::random()?;
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; \
         style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; form-action 'none'\">\n<meta charset=\"utf-8\">"
    );
    let data = format!("<script type=\"application/json\" id=\"kept\">{kept}</script>\n");
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    let before = before
        .replace("<meta charset=\"utf-8\">", &policy)
        .replace(NONCE, &nonce);
    Ok(format!("{before}{data}{}{after}", PLACE.replace(NONCE, &nonce)))
}

fn state(report: &Report, is_drawn: bool) -> Value {
    let decided = report.decided;
    let file = decided.parsed.input.file();
    let text = report.text(Paint { colour: false });
    let entry = match &decided.verdict {
        Verdict::Safe(_) => json::lines("", "verdict", &text),
        Verdict::Unsafe(found) => {
            let title = format!("Unsafe: {}.\n{text}", found.run().violation().message);
            json::lines("", "error", &title)
        }
        Verdict::Unknown(_) => json::lines("", "note", &text),
    };
    let (is_safe, facts, run) = match &decided.verdict {
        Verdict::Safe(safe) => {
            let facts = match safe.evidence() {
                Evidence::Proof(proof) => proof.facts(),
                Evidence::Exploration(_) => &[],
            };
            (true, facts, Value::Null)
        }
        Verdict::Unsafe(found) => (false, &[][..], run(found)),
        Verdict::Unknown(_) => (false, &[][..], Value::Null),
    };
    let subject = decided.subject.as_ref();
    let goals = subject.iter().flat_map(|subject| {
        subject.properties.iter().map(|property| {
            json!({
                "name": property.name,
                "text": notation::closed_formula(&subject.system, property.formula),
                "conjecture": false,
                "proved": is_safe,
                "in_hand": false,
                "span": json::span(file, property.span),
            })
        })
    });
    let facts = subject.iter().flat_map(|subject| {
        facts.iter().map(|fact| {
            let text = notation::closed_formula(&subject.system, fact.formula);
            json!({ "name": fact.name, "text": text, "note": "" })
        })
    });
    json!({
        "goals": goals.collect::<Vec<Value>>(),
        "facts": facts.collect::<Vec<Value>>(),
        "offers": [],
        "subgoals": null,
        "concrete": run["concrete"],
        "run": run,
        "suggestions": [],
        "steps": [],
        "finished": true,
        "log": [entry],
        "graph": is_drawn.then_some(1),
        "verdict": { "safe": is_safe, "title": entry["title"] },
        "certificate": false,
        "progress": { "version": 0, "busy": null, "drawing": false },
    })
}

/// The run of a violation: what happens, and all that holds then.
fn run(found: &Unsafe) -> Value {
    let violation = found.run().violation();
    let Some(trace) = &violation.trace else {
        return Value::Null;
    };
    let file = found.input.file();
    let row = |step: &explore::Firing| json!({ "rule": firing(step), "values": [], "span": json::span(file, json::whole(file, step.span)) });
    let firings = trace.steps.iter().map(|step| &step.firing).chain(&trace.failing);
    let state = |texts: &[String]| -> Vec<(String, String)> {
        let name = |(slot, value): (usize, &String)| (found.instance.slot_name(slot), value.clone());
        texts.iter().enumerate().map(name).collect()
    };
    json!({
        "bad": violation.message,
        "predicates": [],
        "rows": firings.map(row).collect::<Vec<Value>>(),
        "concrete": trace.steps.iter().map(|step| state(&step.texts)).collect::<Vec<_>>(),
    })
}

fn picture(graph: &Graph) -> Value {
    let node = |node: &system::graph::Node| {
        json!({
            "facts": node.facts,
            "run": node.highlighted,
            "witness": null,
            "fails": [node.violation.is_some()],
        })
    };
    json!({
        "svg": report::graph::svg(graph),
        "predicates": graph.predicates,
        "notes": graph.legend,
        "states": graph.nodes.iter().map(node).collect::<Vec<Value>>(),
        "about": 0,
        "colours": ["the goal"],
    })
}
