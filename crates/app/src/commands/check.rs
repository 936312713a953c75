//! `cubist check`: prove every property for every size, or find a violation.
//!
//! Small instances are searched for a bug first. Then each property, and each assertion of a rule, is a goal for predicate
//! abstraction. Nothing is called safe before solvers that did not find the proof have confirmed the certificate.

use crate::arguments::Check;
use crate::commands::explore::write_whole;
use crate::input::{InProofs, Input};
use crate::report::{self, check_report, diagnostics, explore_json, explore_text};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use abstraction::cegar::{Engine, Event, GoalReport, GoalVerdict, Settings, check_goal};
use abstraction::goal::{Goal, goals};
use anyhow::{Context as _, bail};
use explore::{Deadlock, Options, Outcome, Silent, Verdict};
use logic::{Lambda, Substitution, Term, Variable, term};
use smt::{Interrupt, SolverCommand, Statistics, Z3Options};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use system::TransitionSystem;
use system::certificate::Certificate;
use system::instance::Instance;
use system::transition::{Fact, Property, Rule};

/// Types of any size are explored with at most so many elements before a proof is tried.
const SMALL: i64 = 3;
/// How long a bug in small instances is looked for.
const LOOK: Duration = Duration::from_secs(2);
/// Discovery gives up after so many cycles.
const CYCLES: usize = 60;

/// What became of one property, or of the assertions of the rules.
pub(crate) struct PropertyResult {
    pub(crate) name: String,
    pub(crate) goals: Vec<(Goal, GoalReport)>,
}

impl PropertyResult {
    pub(crate) fn proved(&self) -> bool {
        self.goals
            .iter()
            .all(|(_, goal)| matches!(goal.verdict, GoalVerdict::Proved { .. }))
    }

    /// Why it is not proved.
    pub(crate) fn reason(&self) -> Option<String> {
        self.goals.iter().find_map(|(_, goal)| match &goal.verdict {
            GoalVerdict::Unknown { reason, .. } => Some(reason.clone()),
            GoalVerdict::Real(_) => Some("an abstract run into a bad state has a concrete one".to_owned()),
            GoalVerdict::Proved { .. } => None,
        })
    }
}

/// How a solver that did not find the proof judges it.
pub(crate) struct Confirmation {
    pub(crate) solver: String,
    pub(crate) confirmed: usize,
    pub(crate) total: usize,
}

/// Everything there is to report about a proof.
pub(crate) struct Proof {
    pub(crate) results: Vec<PropertyResult>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) confirmations: Vec<Confirmation>,
    /// Why the proof does not count.
    pub(crate) doubt: Option<String>,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) certificate: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let input = Input::read(&arguments.reading)?;
    let style = &arguments.style;
    let paint = Paint::stdout();
    if !style.json && !style.quiet {
        terminal::complain(&diagnostics::text(&input.diagnostics, &input.file, Paint::stderr()));
    }
    let mut system = input.system()?;
    system.name.clone_from(&input.file.name);
    let properties = chosen(arguments, &system)?;
    if let Some(found) = look_for_bug(arguments, &input, &[SMALL], limits, control) {
        return report_violation(arguments, &found, control);
    }
    let proof = interruptible(limits, control, |options| {
        prove(arguments, &input, &system, &properties, options)
    })?;
    let real = |result: &PropertyResult| {
        result
            .goals
            .iter()
            .any(|(_, g)| matches!(g.verdict, GoalVerdict::Real(_)))
    };
    if proof.results.iter().any(real)
        && let Some(found) = look_for_bug(arguments, &input, &[2, 3, 4, 5], limits, control)
    {
        return report_violation(arguments, &found, control);
    }
    let safe = proof.doubt.is_none() && proof.results.iter().all(PropertyResult::proved);
    let status = if safe { Status::Done } else { Status::Incomplete };
    if control.begin_report() {
        let text = if style.json {
            report::json(&check_report::json(
                &input,
                &proof,
                status,
                limits.started.elapsed().as_secs_f64(),
            ))?
        } else {
            check_report::text(&input, &system, &proof, style, paint)
        };
        terminal::print(&text)?;
    }
    Ok(status)
}

/// The properties that were asked for, and what the rules assert, each as a closed formula.
fn chosen(arguments: &Check, system: &TransitionSystem) -> anyhow::Result<Vec<Property>> {
    let mut properties = system.properties.clone();
    if !arguments.property.is_empty() {
        for name in &arguments.property {
            if properties.iter().all(|p| p.name != *name) {
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                bail!("there is no property `{name}`; the model has: {}", names.join(", "));
            }
        }
        properties.retain(|p| arguments.property.contains(&p.name));
    }
    for rule in system.starts.iter().chain(&system.rules) {
        for assertion in &rule.assertions {
            let name = format!("{} in rule \"{}\"", assertion.message, rule.name);
            let formula = closed(rule, term::implies(rule.guard, assertion.condition));
            properties.push(Property {
                name,
                formula,
                span: assertion.span,
            });
        }
    }
    Ok(properties)
}

/// A formula for all parameters and choices of a rule.
fn closed(rule: &Rule, formula: Term) -> Term {
    let mut variables = rule.parameters.clone();
    let mut lambdas = Vec::new();
    for choice in rule.choices.iter().filter(|choice| choice.parameters().is_empty()) {
        let variable = Variable::new(choice.name(), choice.result());
        variables.push(variable);
        lambdas.push((
            *choice,
            Lambda {
                parameters: Vec::new(),
                body: variable.term(),
            },
        ));
    }
    term::forall(variables, Substitution::of_functions(lambdas).apply(formula))
}

/// A violation that exploration found.
struct Found {
    input: Input,
    instance: Instance,
    outcome: Outcome,
}

/// Explores instances in which types of any size have these sizes, where nobody chose another.
fn look_for_bug(arguments: &Check, input: &Input, sizes: &[i64], limits: &Limits, control: &Control) -> Option<Found> {
    for size in sizes {
        let mut reading = arguments.reading.clone();
        for ty in &input.sizes {
            let chosen = reading.sizes.iter().any(|(name, _)| *name == ty.name);
            let shrink = sizes.len() > 1 || ty.size > *size;
            if matches!(ty.in_proofs, InProofs::AnySize { .. }) && !chosen && shrink {
                reading.sizes.push((ty.name.clone(), *size));
            }
        }
        let Ok(mut input) = Input::read(&reading) else { continue };
        let Ok(instance) = input.instance() else { continue };
        let time = limits.time_left().map_or(LOOK, |left| left.min(LOOK));
        let options = Options {
            deadlock: Deadlock::Off,
            time_limit: Some(time),
            ..Options::default()
        };
        let outcome = explore::explore(&instance, &options, &control.stop, &mut Silent);
        if matches!(outcome.verdict, Verdict::Violation(_)) {
            return Some(Found {
                input,
                instance,
                outcome,
            });
        }
    }
    None
}

fn report_violation(arguments: &Check, found: &Found, control: &Control) -> anyhow::Result<Status> {
    let Found {
        input,
        instance,
        outcome,
    } = found;
    let style = &arguments.style;
    let text = if style.json {
        report::json(&explore_json::outcome(
            input,
            instance,
            outcome,
            false,
            Status::Violated,
        ))?
    } else {
        let detail = explore_text::Detail {
            quiet: style.quiet,
            verbose: style.verbose,
            full_states: false,
            deadlock: false,
        };
        let paint = Paint::stdout();
        let introduction = explore_text::introduction(input, instance, paint);
        format!(
            "{introduction}\n{}",
            explore_text::outcome(input, instance, outcome, detail, paint)
        )
    };
    if control.begin_report() {
        terminal::print(&text)?;
    }
    Ok(Status::Violated)
}

/// Runs a proof whose solvers stop at Ctrl-C and at the time limit.
pub(crate) fn interruptible<T>(limits: &Limits, control: &Control, work: impl FnOnce(&Z3Options) -> T) -> T {
    let options = Z3Options {
        interrupt: Interrupt::new(),
        ..Z3Options::default()
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let late = limits.time_left().is_some_and(|left| left.is_zero());
                if late || control.stop.load(Ordering::Relaxed) {
                    options.interrupt.trigger();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let result = work(&options);
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn prove(
    arguments: &Check,
    input: &Input,
    system: &TransitionSystem,
    properties: &[Property],
    options: &Z3Options,
) -> anyhow::Result<Proof> {
    let options = Z3Options {
        seed: arguments.seed,
        ..options.clone()
    };
    let prepared = abstraction::prepare::instantiate_finite_parameters(system);
    let statistics = Arc::new(Statistics::default());
    let declared: Vec<Term> = match arguments.ignore_predicates {
        true => Vec::new(),
        false => system
            .predicates
            .iter()
            .filter(|p| p.indices.is_empty())
            .map(|p| p.formula)
            .collect(),
    };
    let settings = Settings {
        engine: Engine::default(),
        solver: options.clone(),
        statistics: Arc::clone(&statistics),
        maximal_cycles: if arguments.no_discovery { 0 } else { CYCLES },
    };
    let mut results = Vec::new();
    let mut certificate = Certificate::default();
    for property in properties {
        let mut of_property = Vec::new();
        for goal in goals(&property.name, property.formula, &prepared) {
            let mut tell = |event: Event| {
                if let Event::Predicate(predicate) = event
                    && arguments.style.verbose
                {
                    terminal::complain(&format!(
                        "predicate: {}\n",
                        check_report::formula(system, &goal, predicate)
                    ));
                }
            };
            let report = check_goal(&prepared, &goal, &declared, &settings, &mut tell)?;
            if let GoalVerdict::Proved { invariant, .. } = &report.verdict {
                add_facts(&mut certificate, &goal, invariant, property);
            }
            of_property.push((goal, report));
        }
        if system.properties.iter().any(|p| p.name == property.name) {
            certificate.properties.push(property.name.clone());
        }
        results.push(PropertyResult {
            name: property.name.clone(),
            goals: of_property,
        });
    }
    let mut proof = Proof {
        results,
        facts: certificate.facts.clone(),
        confirmations: Vec::new(),
        doubt: None,
        statistics,
        certificate: None,
    };
    if properties.is_empty() {
        proof.doubt = Some("the model has nothing to check".to_owned());
    } else if proof.results.iter().all(PropertyResult::proved) {
        certify(arguments, input, system, &certificate, &options, &mut proof)?;
    }
    Ok(proof)
}

fn add_facts(certificate: &mut Certificate, goal: &Goal, invariant: &[Term], property: &Property) {
    for formula in invariant {
        let formula = goal.close(*formula);
        if certificate.facts.iter().all(|fact| fact.formula != formula) {
            let name = format!("fact {}", certificate.facts.len() + 1);
            certificate.facts.push(Fact {
                name,
                formula,
                span: property.span,
            });
        }
    }
}

/// Every obligation must be confirmed by a solver that runs as another program, and refuted by none. Z3, which found the
/// proof inside of this one, is asked only where cvc5 leaves something open.
fn certify(
    arguments: &Check,
    input: &Input,
    system: &TransitionSystem,
    certificate: &Certificate,
    options: &Z3Options,
    proof: &mut Proof,
) -> anyhow::Result<()> {
    let digest = validate::sha256(input.file.text.as_bytes());
    let notes = [format!("source: {} (sha256 {digest})", input.file.name)];
    let text = match validate::certificate_text(system, certificate, &notes) {
        Ok(text) => text,
        Err(error) => {
            proof.doubt = Some(format!("the proof cannot be certified: {error}"));
            return Ok(());
        }
    };
    let mut open: Option<Vec<bool>> = None;
    for (name, solver) in solvers() {
        if open.as_ref().is_some_and(|open| !open.contains(&true)) {
            break;
        }
        let report = validate::confirm_text(&text, &solver, validate::Limits::default(), &options.interrupt)
            .context("the certificate just made cannot be read")?;
        if let Some(error) = &report.error {
            proof.doubt = Some(format!("{name} rejects the certificate: {error}"));
            return Ok(());
        }
        if let Some(query) = report.refuted().next() {
            proof.doubt = Some(format!("{name} refutes the certificate: {}", query.name));
            return Ok(());
        }
        let confirmed: Vec<bool> = report
            .outcomes
            .iter()
            .map(|(_, o)| *o == validate::Outcome::Confirmed)
            .collect();
        proof.confirmations.push(Confirmation {
            solver: name.to_owned(),
            confirmed: report.confirmed(),
            total: confirmed.len(),
        });
        let still = open.take().unwrap_or_else(|| vec![true; confirmed.len()]);
        open = Some(
            still
                .iter()
                .zip(&confirmed)
                .map(|(open, confirmed)| *open && !confirmed)
                .collect(),
        );
    }
    match open {
        None => {
            proof.doubt =
                Some("no solver is installed that could confirm the proof; `make setup` installs them".to_owned())
        }
        Some(open) if open.contains(&true) => {
            let left = open.iter().filter(|open| **open).count();
            proof.doubt = Some(format!(
                "{left} of {} proof obligations were confirmed by no solver",
                open.len()
            ));
        }
        Some(_) => {}
    }
    if let Some(path) = &arguments.certificate {
        write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        proof.certificate = Some(path.clone());
    }
    Ok(())
}

/// The solvers that confirm certificates: cvc5 first, then Z3 as a program of its own.
pub(crate) fn solvers() -> Vec<(&'static str, SolverCommand)> {
    let beside = |path: &str| {
        // The binary lies in target/release of the project that `make setup` prepared.
        let executable = std::env::current_exe().ok()?;
        let candidate = executable.ancestors().nth(3)?.join(path);
        candidate.is_file().then_some(candidate)
    };
    let on_path = |name: &str| {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders)
            .map(|folder| folder.join(name))
            .find(|candidate| candidate.is_file())
    };
    let cvc5 = on_path("cvc5").or_else(|| beside("tools/cvc5"));
    let z3 = beside("third-party/solvers/bin/z3").or_else(|| on_path("z3"));
    let found = [("cvc5", cvc5), ("z3", z3)];
    found
        .into_iter()
        .filter_map(|(name, path)| Some((name, SolverCommand::new(path?))))
        .collect()
}
