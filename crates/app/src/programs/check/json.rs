//! The outcome of `check` for a program, which JSON is a rendering of.

use super::super::explore::violation;
use super::super::formula::formula;
use super::super::run;
use super::super::{ReadAs, assumed_by, place};
use super::answer::Answer;
use super::how;
use crate::arguments::ConstrainName;
use crate::outcomes::explore_json::peak_memory_mb;
use crate::outcomes::{check_json, diagnostics};
use c::Unit;
use driver::program::{CrossChecked, LocatedFact, ProvedContract, Unsafe, Verdict};
use report::outcome::{self, Outcome, Place, Property};
use report::run::Line;
use serde::Serialize;
use serde_json::json;
use smt::Purpose;

/// How much work the loop was.
#[derive(Serialize)]
struct SlamReport {
    constrain: &'static str,
    cube_length: usize,
    predicates: usize,
    /// Of these, those of no procedure.
    global_predicates: usize,
    iterations: usize,
    constraints: usize,
    /// Invariants that are enforced.
    invariants: usize,
    /// How often Constrain was asked.
    calls: usize,
    /// How often no difference was found.
    no_difference: usize,
    checks_for_constraints: u64,
}

/// Whether gcc's program goes the same way.
#[derive(Serialize)]
struct CompiledReport {
    is_reached: bool,
    /// Why that is unknown.
    reason: Option<String>,
}

/// What holds whenever a procedure is called, and whenever it returns.
#[derive(Serialize)]
struct ContractReport {
    procedure: String,
    requires: String,
    ensures: String,
}

impl ContractReport {
    fn of(promised: &ProvedContract) -> ContractReport {
        ContractReport {
            procedure: promised.procedure.clone(),
            requires: formula(promised.requires),
            ensures: formula(promised.ensures),
        }
    }
}

/// What holds at a place, whenever it is reached by these calls.
#[derive(Serialize)]
struct FactReport {
    place: Option<String>,
    calls: Vec<String>,
    formula: String,
}

impl Answer<'_> {
    fn work(&self, work: slam::Statistics) -> SlamReport {
        SlamReport {
            constrain: match self.arguments.constrain {
                Some(ConstrainName::None) => "none",
                Some(ConstrainName::Eager) => "eager",
                Some(ConstrainName::Lazy) | None => "lazy",
            },
            cube_length: how(self.arguments).longest,
            predicates: work.predicates,
            global_predicates: work.global_predicates,
            iterations: work.iterations,
            constraints: work.constraints,
            invariants: work.invariants,
            calls: work.calls,
            no_difference: work.no_difference,
            checks_for_constraints: self.statistics.checks(Purpose::Constrain),
        }
    }

    /// What gcc says of a run, and where its program is.
    fn compiled_report(&self, found: &Unsafe) -> (Option<CompiledReport>, Option<String>) {
        let compiled = found.compiled();
        let report = CompiledReport {
            is_reached: compiled.is_reached,
            reason: compiled.reason.clone(),
        };
        let path = self.arguments.harness.as_ref().filter(|_| compiled.harness.is_some());
        (Some(report), path.map(|path| path.display().to_string()))
    }

    fn fact(&self, fact: &LocatedFact) -> FactReport {
        FactReport {
            place: place(&self.unit.sources, fact.span),
            calls: fact.calls.clone(),
            formula: formula(fact.formula),
        }
    }

    /// The verdict about each property; with the lines of the run into the one that is violated.
    fn properties(&self, trace: Option<&[Line]>) -> Vec<Property> {
        let properties = self.unit.program.properties.iter().zip(0..).map(|(property, number)| {
            let violated = match self.verdict {
                Verdict::Unsafe(found) if found.property().0 == number => Some(found),
                _ => None,
            };
            let (verdict, reason) = match (self.verdict, violated) {
                (Verdict::Safe(_), _) => (outcome::Verdict::Safe, None),
                (_, Some(found)) => (outcome::Verdict::Unsafe, Some(found_violation(self.unit, found))),
                (Verdict::Unsafe(_), None) => (outcome::Verdict::Unknown, None),
                (Verdict::Unknown(unknown), None) => (outcome::Verdict::Unknown, Some(self.why(&unknown.reason))),
            };
            Property {
                name: property.name.clone(),
                verdict,
                reason,
                trace: violated.and(trace).map(|lines| lines.iter().map(Line::step).collect()),
                place: Place::of(&self.unit.sources, property.span),
                ..Property::default()
            }
        });
        properties.collect()
    }

    pub(super) fn outcome(&self) -> Outcome {
        let unit = self.unit;
        let mut outcome = Outcome {
            language: Some("C".to_owned()),
            engine: Some(if self.slam.is_some() { "slam" } else { "horn" }.to_owned()),
            verdict: self.word(),
            qualified: self.qualified(),
            provided: self.provisos(),
            diagnostics: diagnostics::messages(&unit.diagnostics, &unit.sources),
            time_s: Some(self.seconds),
            peak_memory_mb: peak_memory_mb(),
            ..Outcome::new(&unit.sources.model().name)
        }
        .with(json!(ReadAs::new(self.meaning, self.assumed())))
        .with(json!({
            "invariant": [],
            "locations": null,
            "variables": null,
            "runs_followed": null,
            "prefixes_followed": null,
            "cross_checked": null,
            "certificate": null,
            "inputs": null,
            "gcc": null,
            "harness": null,
            "checks": check_json::checks(self.statistics, None),
        }));
        if let Some(work) = self.slam {
            outcome = outcome.with(json!({ "slam": self.work(work) }));
        }
        match self.verdict {
            Verdict::Safe(safe) => {
                let proved = safe;
                outcome.properties = self.properties(None);
                outcome = outcome.with(json!({
                    "invariant": proved.invariant().iter().map(|fact| self.fact(fact)).collect::<Vec<_>>(),
                    "locations": proved.locations,
                    "variables": proved.state,
                    "runs_followed": proved.runs,
                    "prefixes_followed": proved.prefixes,
                    "cross_checked": CrossCheckedJson::of(&proved.checked),
                    "certificate": self.arguments.certificate.as_ref().map(|path| path.display().to_string()),
                }));
                if !proved.contracts.is_empty() {
                    let contracts: Vec<_> = proved.contracts.iter().map(ContractReport::of).collect();
                    outcome = outcome.with(json!({ "contracts": contracts }));
                }
                outcome
            }
            Verdict::Unsafe(found) => {
                let run = found.outcome();
                let lines = run::lines(&unit.program, &unit.sources, &run.trace, true);
                outcome.properties = self.properties(Some(&lines));
                let (gcc, harness) = self.compiled_report(found);
                outcome.with(json!({
                    "inputs": run.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    "gcc": gcc,
                    "harness": harness,
                }))
            }
            Verdict::Unknown(unknown) => {
                outcome.reason = Some(self.why(&unknown.reason));
                outcome.properties = self.properties(None);
                outcome
            }
        }
    }
}

/// How much of the system was compared with the second reading of the program.
#[derive(Serialize)]
struct CrossCheckedJson {
    steps: u64,
    rules: u64,
    /// Runs whose inputs the solver chose.
    led: u64,
    places_passed: usize,
    places: usize,
    /// Comparisons that nothing follows from.
    undecided: u64,
}

impl CrossCheckedJson {
    fn of(checked: &CrossChecked) -> CrossCheckedJson {
        CrossCheckedJson {
            steps: checked.steps,
            rules: checked.rules,
            led: checked.led,
            places_passed: checked.passed,
            places: checked.places,
            undecided: checked.undecided,
        }
    }
}

/// What a run violates, and what it takes for granted.
fn found_violation(unit: &Unit, found: &Unsafe) -> String {
    let (property, assumed) = (&unit.program[found.property()], assumed_by(unit, found.outcome()));
    match assumed.is_empty() {
        true => violation(property),
        false => format!("{}; assumed: {}", violation(property), assumed.join("; ")),
    }
}
