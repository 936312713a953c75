//! The answer as JSON.

use super::super::explore::violation;
use super::super::formula::formula;
use super::super::provided::Proviso;
use super::super::run::{self, Line};
use super::super::{Head, assumed_by, place};
use super::answer::Answer;
use super::how;
use crate::arguments::ConstrainName;
use crate::outcomes::{check_json, diagnostics, places};
use c::Unit;
use driver::program::{CrossChecked, Placed, Promised, Unsafe, Verdict};
use serde::Serialize;
use serde_json::json;
use smt::Purpose;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    head: Head,
    engine: &'static str,
    /// Of the engine slam.
    #[serde(skip_serializing_if = "Option::is_none")]
    slam: Option<SlamReport>,
    verdict: &'static str,
    reason: Option<String>,
    /// What qualifies the verdict, in the words of the first line.
    qualified: Option<String>,
    /// What a proof is provided that.
    provided: Vec<Proviso>,
    properties: Vec<PropertyReport>,
    invariant: Vec<FactReport>,
    /// Of procedures that call themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<ContractReport>,
    /// With all calls inlined; of proofs.
    locations: Option<usize>,
    /// Of the transition system of a proof.
    variables: Option<usize>,
    /// Random runs of the interpreter that go the same way in that system.
    runs_followed: Option<u64>,
    /// Those that go the same way up to where they cannot be followed.
    prefixes_followed: Option<u64>,
    cross_checked: Option<CrossCheckedJson>,
    certificate: Option<String>,
    inputs: Option<Vec<String>>,
    /// Of a run that violates a property.
    gcc: Option<CompiledReport>,
    harness: Option<String>,
    diagnostics: Vec<diagnostics::Message>,
    checks: serde_json::Value,
    time_s: f64,
}

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
    /// Why nobody knows.
    reason: Option<String>,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    verdict: &'static str,
    reason: Option<String>,
    place: serde_json::Value,
    trace: Option<Vec<serde_json::Value>>,
}

/// What holds whenever a procedure is called, and whenever it returns.
#[derive(Serialize)]
struct ContractReport {
    procedure: String,
    requires: String,
    ensures: String,
}

impl ContractReport {
    fn of(promised: &Promised) -> ContractReport {
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

    fn fact(&self, fact: &Placed) -> FactReport {
        FactReport {
            place: place(&self.unit.sources, fact.span),
            calls: fact.calls.clone(),
            formula: formula(fact.formula),
        }
    }

    /// What becomes of each property; with the lines of the run into the one that is violated.
    fn properties(&self, trace: Option<&[Line]>) -> Vec<PropertyReport> {
        let violated = match self.verdict {
            Verdict::Unsafe(found) => Some(found.property()),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
        let properties = self.unit.program.properties.iter().zip(0..).map(|(property, number)| {
            let is_violated = violated.is_some_and(|id| id.0 == number);
            PropertyReport {
                name: property.name.clone(),
                verdict: match self.verdict {
                    Verdict::Safe(_) => "safe",
                    Verdict::Unsafe(_) if is_violated => "unsafe",
                    Verdict::Unsafe(_) | Verdict::Unknown(_) => "unknown",
                },
                reason: match self.verdict {
                    Verdict::Unsafe(found) if is_violated => Some(found_violation(self.unit, found)),
                    Verdict::Unknown(unknown) => Some(self.why(&unknown.reason)),
                    Verdict::Safe(_) | Verdict::Unsafe(_) => None,
                },
                place: places::place(&self.unit.sources, property.span),
                trace: trace
                    .filter(|_| is_violated)
                    .map(|lines| lines.iter().map(step).collect()),
            }
        });
        properties.collect()
    }

    pub(super) fn report(&self) -> Report {
        let (mut reason, mut inputs, mut trace, mut invariant) = (None, None, None, Vec::new());
        let (mut gcc, mut harness, mut contracts) = (None, None, Vec::new());
        match self.verdict {
            Verdict::Safe(safe) => {
                let facts = safe.invariant().iter();
                invariant = facts.map(|fact| self.fact(fact)).collect();
                contracts = safe.contracts.iter().map(ContractReport::of).collect();
            }
            Verdict::Unsafe(found) => {
                (gcc, harness) = self.compiled_report(found);
                inputs = Some(found.outcome().inputs.iter().map(ToString::to_string).collect());
                trace = Some(run::lines(
                    &self.unit.program,
                    &self.unit.sources,
                    &found.outcome().trace,
                    true,
                ));
            }
            Verdict::Unknown(unknown) => reason = Some(self.why(&unknown.reason)),
        }
        let certificate = match (&self.arguments.certificate, self.verdict) {
            (Some(path), Verdict::Safe(_)) => Some(path.display().to_string()),
            _ => None,
        };
        let proved = match self.verdict {
            Verdict::Safe(safe) => Some(safe),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        };
        Report {
            head: Head {
                assumed: self.assumed(),
                ..Head::new(self.unit, self.meaning)
            },
            engine: if self.slam.is_some() { "slam" } else { "horn" },
            slam: self.slam.map(|work| self.work(work)),
            verdict: self.word(),
            reason,
            qualified: self.qualified(),
            provided: self.provisos(),
            properties: self.properties(trace.as_deref()),
            invariant,
            contracts,
            locations: proved.map(|proved| proved.locations),
            variables: proved.map(|proved| proved.state),
            runs_followed: proved.map(|proved| proved.runs),
            prefixes_followed: proved.map(|proved| proved.prefixes),
            cross_checked: proved.map(|proved| CrossCheckedJson::of(&proved.checked)),
            certificate,
            inputs,
            gcc,
            harness,
            diagnostics: diagnostics::messages(&self.unit.diagnostics, &self.unit.sources),
            checks: check_json::checks(self.statistics, None),
            time_s: self.seconds,
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

/// A line of a run, as a step of any other run: what happened, and where.
fn step(line: &Line) -> serde_json::Value {
    let rule = match line.effects.is_empty() {
        true => line.text.clone(),
        false => format!("{}  -- {}", line.text, line.effects.join(", ")),
    };
    let place = line.place.as_deref().and_then(|place| {
        let (file, number) = place.rsplit_once(':')?;
        Some(json!({ "file": file, "line": number.parse::<u64>().ok()?, "column": 1 }))
    });
    json!({
        "rule": rule, "procedure": line.procedure, "depth": line.depth, "matters": line.matters, "changes": {}, "place": place,
    })
}
