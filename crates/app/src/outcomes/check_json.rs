//! The outcome of `check` for a model, which JSON is a rendering of.

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
use abstraction::predicate::GoalVerdict;
use driver::notation::{closed_formula, formula};
use driver::{
    Account, Evidence, Exploration, FurtherProperty, FurtherStatus, Input, ParsedModel, Proof, PropertyResult, Safe,
    Unknown, Unsafe, Verdict,
};
use explore::{ConfirmedExploration, ViolationKind};
use report::Status;
use report::outcome::{self, Outcome, Property, Scope, Step, fields};
use serde_json::{Map, Value, json};
use smt::Statistics;
use system::Span;
use system::frontend::TypeSize;
use system::transition::Fact;
use validate::Opinion;

/// Why nothing more is known where a violation was found.
const ANOTHER: &str = "not decided, since another property is violated";

/// The outcome of all.
pub(crate) fn decided(report: &Report, status: Status, seconds: f64, meeting_s: f64) -> Outcome {
    let mut outcome = match &report.decided.verdict {
        Verdict::Safe(safe) => self::safe(report, safe, meeting_s),
        Verdict::Unknown(unknown) => self::unknown(report, unknown),
        Verdict::Unsafe(violated) => violation(report, violated),
    };
    outcome.verdict = match &report.decided.verdict {
        Verdict::Safe(_) => outcome::Verdict::Safe,
        Verdict::Unsafe(_) => outcome::Verdict::Unsafe,
        Verdict::Unknown(_) => outcome::Verdict::Unknown,
    };
    outcome.exit_status = Some(status.code());
    let caveats = report.decided.caveats.iter().map(|caveat| {
        let sizes = caveat.violated.iter().map(|(name, size)| (name.clone(), json!(size)));
        outcome::Caveat {
            message: words(caveat),
            sizes: sizes.collect(),
        }
    });
    outcome.caveats = caveats.collect();
    outcome.diagnostics = messages(report.decided.input());
    outcome.time_s = Some(seconds);
    places::add(&mut outcome, report.decided, &report.arguments.property);
    outcome
}

fn safe(report: &Report, safe: &Safe, meeting_s: f64) -> Outcome {
    let mut outcome = match safe.evidence() {
        Evidence::Proof(proof) => proved(report, proof, meeting_s),
        Evidence::Exploration(exploration) => explored(report, exploration),
    };
    outcome.scope = Some(scope(&safe.scope().sizes));
    let sources = report.decided.input().sources();
    outcome.qualified = provided::provided_that(safe, sources).or(safe.qualification().map(str::to_owned));
    outcome.provided = provided::provisos(safe, sources);
    outcome
}

fn proved(report: &Report, proof: &Proof, meeting_s: f64) -> Outcome {
    let account = proof.account();
    let of_property = |result: &PropertyResult| {
        let mut entry = property(report, account, result);
        entry.verdict = outcome::Verdict::Safe;
        entry
    };
    let mut outcome = whole(report, account.results.iter().map(of_property).collect());
    let system = report.decided.subject.as_ref().map(|subject| &subject.system);
    let fact = |fact: &Fact| {
        let formula = system.map(|system| closed_formula(system, fact.formula));
        json!({ "name": fact.name, "formula": formula })
    };
    outcome.engine = account.engine.map(str::to_owned);
    outcome.set("invariant", proof.facts().iter().map(fact).collect::<Value>());
    outcome.set(
        "confirmations",
        proof
            .certificate()
            .opinions()
            .iter()
            .map(confirmation)
            .collect::<Value>(),
    );
    outcome.also = also(proof.further());
    outcome.set("agreement", agreement::json(proof.agreement(), meeting_s));
    outcome.set("checks", checks(report.statistics, account.beside.as_deref()));
    outcome
}

/// All states of the file as it is written were seen.
fn explored(report: &Report, exploration: &Exploration) -> Outcome {
    let decided = report.decided;
    let mut outcome = as_written(report.arguments, &decided.parsed, exploration.confirmed(), 0.0);
    outcome.reason = exploration.beyond.as_ref().map(|beyond| beyond.reason.to_string());
    outcome.set("others", agreement::others_json(decided.input(), &decided.explored()));
    outcome.also = unchecked(report);
    if let Some(beyond) = &exploration.beyond {
        outcome.set(
            "induction",
            induction::json(decided.input().sources(), &beyond.induction),
        );
        outcome.set("conjectures", conjectures(&beyond.account));
    }
    let beside = exploration
        .beyond
        .as_ref()
        .and_then(|beyond| beyond.account.beside.as_deref());
    outcome.set("checks", checks(report.statistics, beside));
    let written = report
        .arguments
        .certificate
        .as_ref()
        .map(|path| path.display().to_string());
    for property in &mut outcome.properties {
        property.set("certificate", json!(written));
    }
    outcome
}

/// What is known of a file of which all states were seen.
pub(crate) fn as_written(
    arguments: &Check,
    written: &ParsedModel,
    confirmed: &ConfirmedExploration,
    seconds: f64,
) -> Outcome {
    let sizes: Vec<TypeSize> = written.input.sizes().iter().map(TypeSize::as_written).collect();
    let instance = Some(instance(&written.input)).filter(|_| written.has_any_size());
    let of_property = |(name, _): &(String, Span)| {
        let mut entry = entry(name);
        entry.verdict = outcome::Verdict::Safe;
        entry.instance.clone_from(&instance);
        entry.set(
            "certificate",
            json!(arguments.certificate.as_ref().map(|path| path.display().to_string())),
        );
        entry
    };
    let stated = written.stated(&arguments.property);
    let mut outcome = object(arguments, &written.input, stated.iter().map(of_property).collect());
    places::add_to_properties(&mut outcome, written.input.sources(), &stated);
    let (statistics, again) = (&confirmed.outcome().statistics, confirmed.again());
    outcome.engine = Some("explore".to_owned());
    outcome.verdict = outcome::Verdict::Safe;
    outcome.scope = Some(scope(&sizes));
    outcome.set("sizes", claimed_sizes(&sizes));
    outcome.set(
        "exploration",
        json!({
            "states": statistics.states,
            "rules_fired": statistics.rules_fired,
            "symmetry": statistics.symmetric,
            "again": { "states": again.states, "all": again.is_all },
        }),
    );
    outcome.diagnostics = messages(&written.input);
    outcome.exit_status = Some(if arguments.strict { 20 } else { 0 });
    outcome.time_s = Some(seconds);
    outcome
}

fn unknown(report: &Report, unknown: &Unknown) -> Outcome {
    let account = &unknown.account;
    let of_property = |result: &PropertyResult| {
        let mut entry = property(report, account, result);
        entry.reason.get_or_insert_with(|| unknown.reason.to_string());
        entry
    };
    let mut entries: Vec<Property> = account.results.iter().map(of_property).collect();
    if entries.is_empty() {
        let undecided = |name: String| {
            let mut entry = entry(&name);
            entry.reason = Some(unknown.reason.to_string());
            entry
        };
        entries = stated(report).map(undecided).collect();
    }
    let mut outcome = whole(report, entries);
    if let Some(engine) = account.engine {
        outcome.engine = Some(engine.to_owned());
    }
    outcome.reason = Some(unknown.reason.to_string());
    outcome.set("conjectures", conjectures(account));
    outcome.set(
        "confirmations",
        unknown.opinions.iter().map(confirmation).collect::<Value>(),
    );
    if let Some((_, explored)) = &unknown.explored {
        let statistics = &explored.statistics;
        outcome.set(
            "exploration",
            json!({
                "states": statistics.states,
                "rules_fired": statistics.rules_fired,
                "symmetry": statistics.symmetric,
                "again": null,
            }),
        );
    }
    outcome.set(
        "induction",
        induction::json(report.decided.input().sources(), &unknown.induction),
    );
    outcome.set("checks", checks(report.statistics, account.beside.as_deref()));
    outcome
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
pub(super) fn messages(input: &Input) -> Vec<outcome::Message> {
    diagnostics::messages(&input.diagnostics, input.sources())
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
fn also(further: &[FurtherProperty]) -> Vec<Property> {
    let entry = |further: &FurtherProperty| Property {
        name: further.name.clone(),
        verdict: match further.holds() {
            true => outcome::Verdict::Safe,
            false => outcome::Verdict::Unknown,
        },
        reason: (!further.holds()).then(|| further.standing.to_string()),
        ..Property::default()
    };
    further.iter().map(entry).collect()
}

/// Nothing is known of any property yet.
pub(crate) fn undecided(arguments: &Check, input: &Input, stated: &[(String, Span)], seconds: f64) -> Outcome {
    let entries = stated.iter().map(|(name, _)| entry(name)).collect();
    let mut outcome = object(arguments, input, entries);
    outcome.diagnostics = messages(input);
    outcome.time_s = Some(seconds);
    places::add_to_properties(&mut outcome, input.sources(), stated);
    outcome
}

/// A violation in an instance: of the properties one is violated, and nothing is known of the others.
fn violation(report: &Report, violated: &Unsafe) -> Outcome {
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
            entry.verdict = outcome::Verdict::Unsafe;
            entry.reason = Some(message(&violated.input, found));
            entry.trace = trace(violated);
            entry.instance = Some(instance(&violated.input));
        } else {
            entry.reason = Some(ANOTHER.to_owned());
        }
        entry
    };
    let mut outcome = whole(report, names.iter().map(entry).collect());
    outcome.engine = Some("explore".to_owned());
    let sizes: Vec<TypeSize> = violated.input.sizes().iter().map(TypeSize::as_written).collect();
    outcome.scope = Some(scope(&sizes));
    for further in &mut outcome.also {
        further.reason = Some(ANOTHER.to_owned());
    }
    outcome.set("checks", checks(report.statistics, violated.beside.as_deref()));
    outcome
}

/// The fields of every report about what was decided.
fn whole(report: &Report, properties: Vec<Property>) -> Outcome {
    let decided = report.decided;
    let mut outcome = object(report.arguments, decided.input(), properties);
    outcome.also = unchecked(report);
    outcome.set("others", agreement::others_json(decided.input(), &decided.explored()));
    outcome
}

/// The further properties, as long as nothing is known of them.
fn unchecked(report: &Report) -> Vec<Property> {
    let unchecked = |name: &String| FurtherProperty {
        name: name.clone(),
        standing: FurtherStatus::Unchecked,
    };
    let further = report.decided.parsed.further.iter().map(unchecked);
    also(&further.collect::<Vec<FurtherProperty>>())
}

/// What is taken at any size, from which size on and up to which, where that is not all sizes; and at which size the
/// rest is.
pub(super) fn scope(sizes: &[TypeSize]) -> Scope {
    let (every, fixed): (Vec<&TypeSize>, Vec<&TypeSize>) = sizes.iter().partition(|ty| ty.is_any());
    let from = every.iter().filter(|ty| ty.least > 1);
    let from: Map<String, Value> = from.map(|ty| (ty.name.clone(), json!(ty.least))).collect();
    let to = every.iter().filter_map(|ty| Some((ty.name.clone(), json!(ty.most?))));
    let to: Map<String, Value> = to.collect();
    let fixed: Map<String, Value> = fixed.iter().map(|ty| (ty.name.clone(), json!(ty.size))).collect();
    Scope {
        every: every.iter().map(|ty| ty.name.clone()).collect(),
        from,
        to,
        fixed,
    }
}

/// The fields of every report, as long as nothing is known.
fn object(arguments: &Check, input: &Input, properties: Vec<Property>) -> Outcome {
    Outcome {
        engine: Some(arguments.engine.unwrap_or("automatic").to_owned()),
        scope: Some(scope(input.sizes())),
        properties,
        peak_memory_mb: peak_memory_mb(),
        ..Outcome::new(&input.file().name)
    }
    .with(json!({
        "invariant": [],
        "confirmations": [],
        "agreement": null,
        "exploration": null,
        "induction": [],
        "conjectures": null,
        "others": agreement::others_json(input, &[]),
        "sizes": claimed_sizes(input.sizes()),
        "checks": checks(&Statistics::default(), None),
    }))
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
fn entry(name: &str) -> Property {
    Property {
        name: name.to_owned(),
        details: fields(json!({
            "predicates": [],
            "discovery_cycles": 0,
            "iterations": 0,
            "abstract_states": 0,
            "certificate": null,
        })),
        ..Property::default()
    }
}

fn property(report: &Report, account: &Account, result: &PropertyResult) -> Property {
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
    entry.reason = result.reason();
    entry.set("predicates", json!(predicates));
    entry.set(
        "discovery_cycles",
        json!(goals.iter().map(|(_, report)| report.cycles).sum::<usize>()),
    );
    let refinements: usize = goals.iter().map(|(_, report)| report.refinements).sum();
    entry.set("iterations", json!(refinements + account.iterations));
    // A whole number, however large.
    let sum = goals.iter().map(|(_, report)| states(&report.verdict)).sum::<f64>() + account.abstract_states;
    entry.set(
        "abstract_states",
        if sum < 2f64.powi(53) {
            json!(sum as u64)
        } else {
            json!(sum)
        },
    );
    // A proof for some sizes only says for which.
    let fixed = input.sizes().iter().filter(|size| !size.is_any());
    let sizes: Map<String, Value> = fixed.map(|size| (size.name.clone(), json!(size.size))).collect();
    if !sizes.is_empty() {
        entry.instance = Some(sizes);
    }
    let has_certificate = match &report.decided.verdict {
        Verdict::Safe(_) => true,
        Verdict::Unknown(unknown) => unknown.certificate.is_some(),
        Verdict::Unsafe(_) => false,
    };
    let written = report.arguments.certificate.as_ref().filter(|_| has_certificate);
    entry.set("certificate", json!(written.map(|path| path.display().to_string())));
    entry
}

/// The run, a rule with its parameters and what it changed at a time.
fn trace(found: &Unsafe) -> Option<Vec<Step>> {
    let trace = found.run().violation().trace.as_ref()?;
    let steps = trace.steps.iter().enumerate().map(|(number, step)| Step {
        rule: firing(&step.firing),
        changes: changes(trace, &found.instance, number),
        ..Step::default()
    });
    // The rule that fails has no state behind it.
    let failing = trace.failing.iter().map(|failing| Step {
        rule: firing(failing),
        ..Step::default()
    });
    Some(steps.chain(failing).collect())
}

fn instance(input: &Input) -> Map<String, Value> {
    let sizes = input.sizes().iter().map(|size| (size.name.clone(), json!(size.size)));
    sizes.collect()
}
