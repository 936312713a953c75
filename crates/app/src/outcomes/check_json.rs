//! What `check` found out, for programs. Fields are added, never changed, without a new `schema`.

use super::Header;
use super::agreement;
use super::check_report::{Counts, Report, words};
use super::diagnostics;
use super::explore_json::{changes, peak_memory_mb};
use super::explore_text::message;
use super::induction;
use super::places;
use super::provided;
use super::trace::firing;
use crate::arguments::Check;
use crate::status::Status;
use abstraction::predicate::GoalVerdict;
use driver::notation::{closed_formula, formula};
use driver::{
    Account, Evidence, Exploration, Further, Input, Proof, PropertyResult, Safe, Standing, Unknown, Unsafe, Verdict,
    Written,
};
use explore::{ConfirmedExploration, ViolationKind};
use serde_json::{Map, Value, json};
use smt::Statistics;
use system::Span;
use system::frontend::TypeSize;
use system::transition::Fact;
use validate::Opinion;

/// Why nothing more is known where a violation was found.
const ANOTHER: &str = "not decided, since another property is violated";

/// The whole report.
pub(crate) fn decided(report: &Report, status: Status, seconds: f64, meeting_s: f64) -> Value {
    let input = report.decided.input();
    let mut object = match &report.decided.verdict {
        Verdict::Safe(safe) => self::safe(report, safe, meeting_s),
        Verdict::Unknown(unknown) => self::unknown(report, unknown),
        Verdict::Unsafe(violated) => violation(report, violated),
    };
    object["verdict"] = json!(match &report.decided.verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    });
    object["exit_status"] = json!(status.code());
    let caveats = report.decided.caveats.iter().map(|caveat| {
        let sizes = caveat.violated.iter().map(|(name, size)| (name.clone(), json!(size)));
        json!({
            "message": words(caveat),
            "sizes": sizes.collect::<Map<String, Value>>(),
        })
    });
    object["caveats"] = caveats.collect();
    object["diagnostics"] = messages(input);
    object["time_s"] = json!(seconds);
    object["peak_memory_mb"] = json!(peak_memory_mb());
    places::add(&mut object, report.decided, &report.arguments.property);
    object
}

fn safe(report: &Report, safe: &Safe, meeting_s: f64) -> Value {
    let mut object = match safe.evidence() {
        Evidence::Proof(proof) => proved(report, proof, meeting_s),
        Evidence::Exploration(exploration) => explored(report, exploration),
    };
    object["scope"] = scope(&safe.scope().sizes);
    let sources = report.decided.input().sources();
    object["qualified"] = json!(provided::provided_that(safe, sources).or(safe.qualification().map(str::to_owned)));
    object["provided"] = provided::json(safe, sources);
    object
}

fn proved(report: &Report, proof: &Proof, meeting_s: f64) -> Value {
    let account = proof.account();
    let of_property = |result: &PropertyResult| {
        let mut entry = property(report, account, result);
        entry["verdict"] = json!("safe");
        entry
    };
    let mut object = whole(report, account.results.iter().map(of_property).collect());
    let system = report.decided.subject.as_ref().map(|subject| &subject.system);
    let fact = |fact: &Fact| {
        let formula = system.map(|system| closed_formula(system, fact.formula));
        json!({ "name": fact.name, "formula": formula })
    };
    object["engine"] = json!(account.engine);
    object["invariant"] = proof.facts().iter().map(fact).collect();
    object["confirmations"] = proof.certificate().opinions().iter().map(confirmation).collect();
    object["also"] = also(proof.further());
    object["agreement"] = agreement::json(proof.agreement(), meeting_s);
    object["checks"] = checks(report.statistics, account.beside.as_deref());
    object
}

/// All states of the file as it is written were seen.
fn explored(report: &Report, exploration: &Exploration) -> Value {
    let decided = report.decided;
    let mut object = as_written(report.arguments, &decided.written, exploration.confirmed(), 0.0);
    object["reason"] = json!(exploration.beyond.as_ref().map(|beyond| beyond.reason.to_string()));
    object["others"] = agreement::others_json(decided.input(), &decided.explored());
    object["also"] = unchecked(report);
    if let Some(beyond) = &exploration.beyond {
        object["induction"] = induction::json(decided.input().sources(), &beyond.induction);
        object["conjectures"] = conjectures(&beyond.account);
    }
    let beside = exploration
        .beyond
        .as_ref()
        .and_then(|beyond| beyond.account.beside.as_deref());
    object["checks"] = checks(report.statistics, beside);
    let written = report
        .arguments
        .certificate
        .as_ref()
        .map(|path| path.display().to_string());
    for property in object["properties"].as_array_mut().into_iter().flatten() {
        property["certificate"] = json!(written);
    }
    object
}

/// What is known of a file of which all states were seen.
pub(crate) fn as_written(
    arguments: &Check,
    written: &Written,
    confirmed: &ConfirmedExploration,
    seconds: f64,
) -> Value {
    let sizes: Vec<TypeSize> = written.input.sizes().iter().map(TypeSize::as_written).collect();
    let instance = Some(instance(&written.input)).filter(|_| written.has_any_size());
    let of_property = |(name, _): &(String, Span)| {
        let mut entry = entry(name);
        entry["verdict"] = json!("safe");
        entry["instance"] = json!(instance);
        entry["certificate"] = json!(arguments.certificate.as_ref().map(|path| path.display().to_string()));
        entry
    };
    let stated = written.stated(&arguments.property);
    let mut object = object(arguments, &written.input, stated.iter().map(of_property).collect());
    places::add_to_properties(&mut object, written.input.sources(), &stated);
    let (statistics, again) = (&confirmed.outcome().statistics, confirmed.again());
    object["engine"] = json!("explore");
    object["verdict"] = json!("safe");
    object["scope"] = scope(&sizes);
    object["sizes"] = claimed_sizes(&sizes);
    object["exploration"] = json!({
        "states": statistics.states,
        "rules_fired": statistics.rules_fired,
        "symmetry": statistics.symmetric,
        "again": { "states": again.states, "all": again.is_all },
    });
    object["diagnostics"] = messages(&written.input);
    object["exit_status"] = json!(if arguments.strict { 20 } else { 0 });
    object["time_s"] = json!(seconds);
    object
}

fn unknown(report: &Report, unknown: &Unknown) -> Value {
    let account = &unknown.account;
    let of_property = |result: &PropertyResult| {
        let mut entry = property(report, account, result);
        if entry["reason"].is_null() {
            entry["reason"] = json!(unknown.reason.to_string());
        }
        entry
    };
    let mut entries: Vec<Value> = account.results.iter().map(of_property).collect();
    if entries.is_empty() {
        let undecided = |name: String| {
            let mut entry = entry(&name);
            entry["reason"] = json!(unknown.reason.to_string());
            entry
        };
        entries = stated(report).map(undecided).collect();
    }
    let mut object = whole(report, entries);
    if let Some(engine) = account.engine {
        object["engine"] = json!(engine);
    }
    object["reason"] = json!(unknown.reason.to_string());
    object["conjectures"] = conjectures(account);
    object["confirmations"] = unknown.opinions.iter().map(confirmation).collect();
    if let Some((_, outcome)) = &unknown.explored {
        let statistics = &outcome.statistics;
        object["exploration"] = json!({
            "states": statistics.states,
            "rules_fired": statistics.rules_fired,
            "symmetry": statistics.symmetric,
            "again": null,
        });
    }
    object["induction"] = induction::json(report.decided.input().sources(), &unknown.induction);
    object["checks"] = checks(report.statistics, account.beside.as_deref());
    object
}

/// The exploration of a file that was given up while it went on.
pub(crate) fn exploration_so_far(states: u64) -> Value {
    json!({ "states": states, "rules_fired": null, "symmetry": null, "again": null })
}

/// The names of all that is to be decided.
fn stated(report: &Report) -> impl Iterator<Item = String> {
    let stated = report.decided.stated(&report.arguments.property);
    stated.into_iter().map(|(name, _)| name)
}

/// The warnings and notes about what was read.
pub(super) fn messages(input: &Input) -> Value {
    json!(diagnostics::messages(&input.diagnostics, input.sources()))
}

/// What another solver says of the proof.
fn confirmation(confirmation: &Opinion) -> Value {
    json!({
        "solver": confirmation.solver,
        "obligations": confirmation.total,
        "undecided": confirmation.undecided,
        "time_s": confirmation.time.as_secs_f64(),
    })
}

/// The checks of those whose answer this is, by purpose, and those of an engine that it stopped.
pub(crate) fn checks(statistics: &Statistics, beside: Option<&Statistics>) -> Value {
    let counts = Counts::new(statistics, beside);
    json!({
        "total": counts.total,
        "abstraction": counts.abstraction,
        "trace": counts.trace,
        "discovery": counts.discovery,
        "other": counts.other(),
        "stopped": counts.stopped,
        "time_s": statistics.time().as_secs_f64(),
    })
}

/// The further properties: whether the invariant shows them.
fn also(further: &[Further]) -> Value {
    let entry = |further: &Further| {
        let verdict = if further.holds() { "safe" } else { "unknown" };
        let reason = (!further.holds()).then(|| further.standing.to_string());
        json!({ "name": further.name, "verdict": verdict, "reason": reason })
    };
    further.iter().map(entry).collect()
}

/// Nothing is known of any property yet.
pub(crate) fn undecided(arguments: &Check, input: &Input, stated: &[(String, Span)], seconds: f64) -> Value {
    let entries = stated.iter().map(|(name, _)| entry(name)).collect();
    let mut object = object(arguments, input, entries);
    object["diagnostics"] = messages(input);
    object["time_s"] = json!(seconds);
    places::add_to_properties(&mut object, input.sources(), stated);
    object
}

/// A violation in an instance: of the properties one is violated, and nothing is known of the others.
fn violation(report: &Report, violated: &Unsafe) -> Value {
    let found = violated.run().violation();
    let stated = match found.kind {
        ViolationKind::Invariant { property } => violated.instance.properties.get(property),
        _ => None,
    };
    let mut names: Vec<String> = self::stated(report).collect();
    let name = stated.map(|property| property.name.clone()).unwrap_or_else(|| {
        // An assertion or another error in a rule.
        let name = message(&violated.input, found);
        names.push(name.clone());
        name
    });
    let entry = |of: &String| {
        let mut entry = entry(of);
        if *of == name {
            entry["verdict"] = json!("unsafe");
            entry["reason"] = json!(message(&violated.input, found));
            entry["trace"] = trace(violated);
            entry["instance"] = instance(&violated.input);
        } else {
            entry["reason"] = json!(ANOTHER);
        }
        entry
    };
    let mut object = whole(report, names.iter().map(entry).collect());
    object["engine"] = json!("explore");
    let sizes: Vec<TypeSize> = violated.input.sizes().iter().map(TypeSize::as_written).collect();
    object["scope"] = scope(&sizes);
    for further in object["also"].as_array_mut().into_iter().flatten() {
        further["reason"] = json!(ANOTHER);
    }
    object["checks"] = checks(report.statistics, violated.beside.as_deref());
    object
}

/// The fields of every report about what was decided.
fn whole(report: &Report, properties: Vec<Value>) -> Value {
    let decided = report.decided;
    let mut object = object(report.arguments, decided.input(), properties);
    object["also"] = unchecked(report);
    object["others"] = agreement::others_json(decided.input(), &decided.explored());
    object
}

/// The further properties, as long as nothing is known of them.
fn unchecked(report: &Report) -> Value {
    let unchecked = |name: &String| Further {
        name: name.clone(),
        standing: Standing::Unchecked,
    };
    let further = report.decided.written.further.iter().map(unchecked);
    also(&further.collect::<Vec<Further>>())
}

/// What is taken at any size, from which size on and up to which, where that is not all sizes; and at which size the
/// rest is.
pub(super) fn scope(sizes: &[TypeSize]) -> Value {
    let (every, fixed): (Vec<&TypeSize>, Vec<&TypeSize>) = sizes.iter().partition(|ty| ty.is_any());
    let from = every.iter().filter(|ty| ty.least > 1);
    let from: Map<String, Value> = from.map(|ty| (ty.name.clone(), json!(ty.least))).collect();
    let to = every.iter().filter_map(|ty| Some((ty.name.clone(), json!(ty.most?))));
    let to: Map<String, Value> = to.collect();
    let fixed: Map<String, Value> = fixed.iter().map(|ty| (ty.name.clone(), json!(ty.size))).collect();
    json!({
        "every": every.iter().map(|ty| ty.name.as_str()).collect::<Vec<&str>>(),
        "from": from,
        "to": to,
        "fixed": fixed,
    })
}

/// The fields of every report, as long as nothing is known.
fn object(arguments: &Check, input: &Input, properties: Vec<Value>) -> Value {
    let header = Header::new(&input.file().name);
    json!({
        "cubist": header.cubist,
        "schema": header.schema,
        "file": header.file,
        "engine": arguments.engine.unwrap_or("automatic"),
        "verdict": "unknown",
        "reason": null,
        "scope": scope(input.sizes()),
        "qualified": null,
        "provided": [],
        "caveats": [],
        "properties": properties,
        "invariant": [],
        "confirmations": [],
        "also": [],
        "agreement": null,
        "exploration": null,
        "induction": [],
        "conjectures": null,
        "others": agreement::others_json(input, &[]),
        "sizes": claimed_sizes(input.sizes()),
        "diagnostics": [],
        "checks": checks(&Statistics::default(), None),
        "time_s": 0.0,
        "peak_memory_mb": peak_memory_mb(),
    })
}

/// How far the search for facts about every size came, where there was one without a proof.
fn conjectures(account: &Account) -> Value {
    account.conjectured.as_ref().map_or(
        Value::Null,
        |tried| json!({ "made": tried.made, "withdrawn": tried.withdrawn, "reason": tried.reason.to_string() }),
    )
}

/// The sizes that a proof is about: for each type the only one, or the least and the greatest, if there is one.
fn claimed_sizes(sizes: &[TypeSize]) -> Value {
    let entry = |ty: &TypeSize| match ty.is_any() {
        true => json!({ "type": ty.name, "from": ty.least, "to": ty.most }),
        false => json!({ "type": ty.name, "from": ty.size, "to": ty.size }),
    };
    sizes.iter().map(entry).collect()
}

/// A property of which nothing is known.
fn entry(name: &str) -> Value {
    json!({
        "name": name,
        "verdict": "unknown",
        "reason": null,
        "predicates": [],
        "discovery_cycles": 0,
        "iterations": 0,
        "abstract_states": 0,
        "trace": null,
        "instance": null,
        "certificate": null,
    })
}

fn property(report: &Report, account: &Account, result: &PropertyResult) -> Value {
    let (input, subject) = (report.decided.input(), report.decided.subject.as_ref());
    let goals = &result.goals;
    let states = |verdict: &GoalVerdict| match verdict {
        GoalVerdict::Proved { abstract_states, .. } => *abstract_states,
        _ => 0.0,
    };
    let mut predicates: Vec<String> = Vec::new();
    for (goal, report) in goals {
        for predicate in &report.predicates {
            let text = subject.map(|subject| formula(&subject.system, goal, *predicate));
            if let Some(text) = text.filter(|text| !predicates.contains(text)) {
                predicates.push(text);
            }
        }
    }
    if let (Some(subject), true) = (subject, account.iterations > 0) {
        let declared = subject.user_predicates(report.arguments.ignore_predicates);
        let formulas = declared.iter().map(|predicate| predicate.formula);
        predicates.extend(formulas.map(|formula| closed_formula(&subject.system, formula)));
    }
    let mut entry = entry(&result.name);
    entry["reason"] = json!(result.reason());
    entry["predicates"] = json!(predicates);
    entry["discovery_cycles"] = json!(goals.iter().map(|(_, report)| report.cycles).sum::<usize>());
    let refinements: usize = goals.iter().map(|(_, report)| report.refinements).sum();
    entry["iterations"] = json!(refinements + account.iterations);
    // A whole number, however large.
    let sum = goals.iter().map(|(_, report)| states(&report.verdict)).sum::<f64>() + account.abstract_states;
    entry["abstract_states"] = if sum < 2f64.powi(53) {
        json!(sum as u64)
    } else {
        json!(sum)
    };
    // A proof for some sizes only says for which.
    let fixed = input.sizes().iter().filter(|size| !size.is_any());
    let sizes: Map<String, Value> = fixed.map(|size| (size.name.clone(), json!(size.size))).collect();
    if !sizes.is_empty() {
        entry["instance"] = Value::Object(sizes);
    }
    let has_certificate = match &report.decided.verdict {
        Verdict::Safe(_) => true,
        Verdict::Unknown(unknown) => unknown.certificate.is_some(),
        Verdict::Unsafe(_) => false,
    };
    let written = report.arguments.certificate.as_ref().filter(|_| has_certificate);
    entry["certificate"] = json!(written.map(|path| path.display().to_string()));
    entry
}

/// The run, a rule with its parameters and what it changed at a time.
fn trace(found: &Unsafe) -> Value {
    let Some(trace) = found.run().violation().trace.as_ref() else {
        return Value::Null;
    };
    let steps = trace.steps.iter().enumerate();
    let mut steps: Vec<Value> = steps
        .map(|(number, step)| json!({ "rule": firing(&step.firing), "changes": changes(trace, &found.instance, number) }))
        .collect();
    // The rule that fails has no state behind it.
    steps.extend(
        trace
            .failing
            .iter()
            .map(|failing| json!({ "rule": firing(failing), "changes": {} })),
    );
    Value::Array(steps)
}

fn instance(input: &Input) -> Value {
    let sizes = input.sizes().iter().map(|size| (size.name.clone(), json!(size.size)));
    Value::Object(sizes.collect::<Map<String, Value>>())
}
