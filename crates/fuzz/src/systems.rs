//! Random systems: every engine in isolation against exploration of all small sizes.

use crate::confirmation::{Batch, Confirmation, cvc5};
use crate::engine::{Answer, Claim, ENGINES, ERROR, Engine, EngineOptions, answer};
use crate::gated::gated_model;
use crate::generate::random_system;
use crate::isolation::{Ended, apart, isolated};
use crate::language::random_model;
use crate::minimise::{minimise_lines, minimise_program};
use crate::oracle::{self, Truth, explore_sizes};
use crate::program::{self, cubist};
use crate::random::Dice;
use crate::source::{Sizes, Source};
use crate::tally::Campaign;
use explore::{Difference, Disagreement};
use std::time::{Duration, Instant};

/// The processor time limit of an engine for one system.
pub const ALLOWED: Duration = Duration::from_secs(1);
/// The limit for a model that uses the whole language, few of which can be proved: wrong proofs are quick.
const BRIEFLY: Duration = Duration::from_millis(300);
/// The limit of `cubist check`.
const PROGRAM: Duration = Duration::from_secs(5);
/// The maximum size at which random systems are compared with instances.
pub const LARGEST: i64 = 5;

/// No further size is started after this time.
const COMPARING: Duration = Duration::from_secs(6);

/// The number of failing models that are minimised.
const SMALL: usize = 30;

/// The name prefix of models whose system may have more runs than the instances: a search over a parametric type may
/// find any match instead of the last one, and `clear` may give any element. For these, a refutation without a run is
/// not wrong.
const LOOSE: &str = "gated";

/// The number of states to compare, given the largest size.
fn compared(sizes: &Sizes) -> usize {
    match sizes.values().max() {
        None | Some(..=3) => 120,
        Some(4) => 60,
        _ => 40,
    }
}

/// Families of random models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ModelFamily {
    /// Guarded commands, of which much can be proved
    Simple,
    /// All of the language
    Language,
    /// All of the language, behind gates: what lowering easily gets wrong
    Gated,
}

impl ModelFamily {
    fn of(case: u64) -> ModelFamily {
        match case % 10 {
            9 => ModelFamily::Language,
            1 | 3 | 5 | 7 => ModelFamily::Gated,
            _ => ModelFamily::Simple,
        }
    }
}

/// Options for one model.
#[derive(Clone, Copy, Debug)]
pub struct SystemsOptions {
    /// The limit of each engine, in the order of the list.
    pub allowed: [Duration; ENGINES.len()],
    pub oracle: oracle::ExplorationLimits,
    /// Run engines in processes of their own, which can always be killed.
    pub apart: bool,
    /// One in this many models is also given to `cubist check`.
    pub check: u64,
    /// The maximum size at which the system is compared with instances.
    pub largest: i64,
    /// Only models of this family.
    pub only: Option<ModelFamily>,
    /// Whether to run engines, besides comparing instance and system.
    pub engines: bool,
}

impl Default for SystemsOptions {
    fn default() -> SystemsOptions {
        SystemsOptions {
            allowed: [ALLOWED; ENGINES.len()],
            oracle: oracle::ExplorationLimits::default(),
            apart: false,
            check: 20,
            largest: LARGEST,
            only: None,
            engines: true,
        }
    }
}

/// Half of the models use the whole language; more of the others can be proved.
pub fn drawn(case: u64, dice: Dice, only: Option<ModelFamily>) -> Source {
    match only.unwrap_or(ModelFamily::of(case)) {
        ModelFamily::Simple => random_system(dice),
        ModelFamily::Language => random_model(dice),
        ModelFamily::Gated => gated_model(dice),
    }
}

pub fn run(run: &mut Campaign, plan: &SystemsOptions) {
    let mut batch = Batch::new();
    for case in run.cases() {
        run.tried += 1;
        let source = drawn(case, run.begin(case), plan.only);
        let mut plan = *plan;
        if plan.only.unwrap_or(ModelFamily::of(case)) != ModelFamily::Simple {
            plan.allowed = plan.allowed.map(|allowed| allowed.min(BRIEFLY));
        }
        try_source(run, &source, case, &mut batch, &plan);
        if batch.is_full() {
            confirm(run, &mut batch);
        }
        if case % 500 == 499 {
            let line = format!("{} systems, {} wrong", case + 1, run.wrong.len());
            run.tell(&line);
        }
    }
    confirm(run, &mut batch);
}

/// Runs every engine on a model, and checks its claim; returns which engines reached a verdict.
pub fn try_source(
    run: &mut Campaign,
    source: &Source,
    case: u64,
    batch: &mut Batch<String>,
    plan: &SystemsOptions,
) -> [bool; ENGINES.len()] {
    let mut decided = [false; ENGINES.len()];
    if let Err(refused) = source.system() {
        run.add("not lowered", 1);
        let reason = refused.0.lines().next().unwrap_or_default().to_owned();
        run.add(&format!("not lowered because {}", without_names(&reason)), 1);
        run.tell(&format!("{}: {reason}", run.name()));
        return decided;
    }
    if let Some((sizes, disagreement)) = first_difference(run, source, plan.largest) {
        let what = format!("instance and system differ: {disagreement}");
        let differs = |source: &Source| difference_at(source, &sizes).is_some_and(|d| d.kind == disagreement.kind);
        run.tell(&format!("{}: {what}; making it smaller", run.name()));
        let mut fails = |text: &str| differs(&Source::new(source.name.as_str(), text));
        // The first few failures are minimised; for many more, their subject suffices.
        let small = if run.wrong.len() < SMALL {
            minimise_program(&source.text, 400, &mut fails)
        } else {
            minimise_lines(&source.text, 150, &mut fails)
        };
        let cause = cause_of(disagreement.kind, &small);
        if is_imprecise(&disagreement, &small) {
            run.add(&format!("imprecise: {cause}"), 1);
            return decided;
        }
        run.add(&format!("cause: {cause}"), 1);
        let what = format!("{cause}; with sizes {sizes:?} {what}");
        run.failure(&file_name(run, source), &what, small.as_bytes());
        return decided;
    }
    if !plan.engines {
        return decided;
    }
    let truth = explore_sizes(source, plan.oracle);
    let is_unsafe = truth.violated.is_some();
    run.add(if is_unsafe { "unsafe" } else { "not known to be unsafe" }, 1);
    for (number, (name, engine)) in ENGINES.iter().enumerate() {
        let allowed = plan.allowed[number];
        decided[number] = check_answer(run, source, &truth, name, batch, &|source| {
            ask(source, engine, allowed, plan.apart)
        });
    }
    // Some of each family, regardless of the case numbers.
    if (case + case / 10).is_multiple_of(plan.check)
        && let Some(program) = cubist()
    {
        check_answer(run, source, &truth, "check", batch, &|source| {
            program::check(&program, source, PROGRAM)
        });
    }
    decided
}

/// Reports a difference between instance and system of a model, or why it is not lowered.
pub fn compare(run: &mut Campaign, source: &Source) -> Result<(), String> {
    source.system().map_err(|refused| refused.0)?;
    match first_difference(run, source, LARGEST) {
        Some((sizes, disagreement)) => Err(format!("{:?} with sizes {sizes:?}: {disagreement}", disagreement.kind)),
        None => Ok(()),
    }
}

/// The first difference between instance and system, and the sizes where it occurs.
fn first_difference(run: &mut Campaign, source: &Source, largest: i64) -> Option<(Sizes, Disagreement)> {
    let begun = Instant::now();
    for sizes in source.sizes(largest).ok()? {
        if begun.elapsed() > COMPARING {
            run.add("sizes not compared for want of time", 1);
            continue;
        }
        match source.agreement_at(sizes.clone(), compared(&sizes)) {
            Ok(Ok(report)) => {
                run.add("states compared", report.states as u64);
                run.add("comparisons", report.firings as u64);
                run.add("comparisons that say nothing", report.silent as u64);
                run.add("faults compared", report.faults as u64);
            }
            Ok(Err(disagreement)) => return Some((sizes, disagreement)),
            Err(refused) => {
                let reason = without_names(refused.0.lines().next().unwrap_or_default());
                run.add(&format!("sizes that cannot be: {reason}"), 1);
            }
        }
    }
    None
}

fn difference_at(source: &Source, sizes: &Sizes) -> Option<Disagreement> {
    // Types that are no longer present have no size.
    let types = source.parametric_types().ok()?;
    let sizes: Sizes = sizes
        .iter()
        .filter(|(name, _)| types.contains(name))
        .map(|(n, s)| (n.clone(), *s))
        .collect();
    let limit = compared(&sizes);
    source.agreement_at(sizes, limit).ok()?.err()
}

/// Whether the system merely has more runs or errors than the instance, legitimately: a parametric type has no order,
/// so that quantifiers over it cannot exit early, and a loop may find any element as its first or last match. No proof
/// is wrong because of that.
fn is_imprecise(disagreement: &Disagreement, text: &str) -> bool {
    let kind = disagreement.kind;
    let is_stronger = disagreement
        .what
        .contains("the system says Ok(false), the instance true");
    if kind == Difference::Property && is_stronger && text.contains("function") && text.contains("for ") {
        return true;
    }
    // Not gates, which have variables of their own, nor quantifiers over few values.
    let over_elements = |word: &str| {
        let binders = text.split(word).skip(1).filter_map(|part| part.split(" do").next());
        let mut typed = binders
            .filter(|binder| !binder.starts_with('g'))
            .filter_map(|binder| binder.split_once(": "));
        typed.any(|(_, ty)| !["S", "E", "boolean"].contains(&ty))
    };
    let quantifies = over_elements("forall ") || over_elements("exists ");
    // In a loop with early exit or a counter, any iteration may be the first or the last.
    let loops = kind == Difference::AddedFault && over_elements("for ");
    matches!(kind, Difference::AddedFault | Difference::Enabled) && (quantifies || loops) && text.contains("function")
}

/// The message without quoted names, so that it can be counted.
fn without_names(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("_")
}

/// The probable cause of a difference, as far as a small text reveals it.
fn cause_of(kind: Difference, text: &str) -> String {
    let has = |word: &str| text.contains(word);
    let line = |start: &str, part: &str| {
        text.lines()
            .any(|l| l.trim_start().starts_with(start) && l.contains(part))
    };
    let calls = has("function") || has("procedure");
    let assumes = has("assume") || has(" where ");
    let quantifies = has("forall q") || has("exists q");
    let chooses = has("havoc") || line("for ", ": P do");
    let guess = match kind {
        Difference::MissedFault | Difference::Evaluation if assumes => "an assumption and an error",
        Difference::Fact if has("P_") => "a name that looks generated",
        Difference::Property if calls && chooses => "a choice in a property",
        _ if line("ruleset", "by -") => "a ruleset downwards",
        _ if quantifies && calls && chooses => "a choice in a quantifier",
        _ if has("switch") && calls => "a function in a switch",
        _ if has("alias") && calls && !quantifies => "an alias and a function",
        _ if quantifies && calls => "effects or errors in a quantifier",
        _ if calls => "a function",
        _ if text.matches("type").count() > 1 => "a local type",
        _ if has("alias") => "an alias",
        _ if has("clear") || has("undefine") => "clear or undefine",
        _ if has("havoc") => "a choice",
        _ => "something else",
    };
    format!("{kind:?}, {guess}")
}

fn file_name(run: &Campaign, source: &Source) -> String {
    let kind = if source.is_murphi() { "m" } else { "cub" };
    format!("{}.{kind}", run.name())
}

/// Compares a claim about a model with the truth; false if that is unknown.
fn check_answer(
    run: &mut Campaign,
    source: &Source,
    truth: &Truth,
    who: &str,
    batch: &mut Batch<String>,
    ask: &dyn Fn(&Source) -> Ended<Answer>,
) -> bool {
    run.add(&format!("{who}: tried"), 1);
    let file = file_name(run, source);
    let answer = match ask(source) {
        Ended::Well(answer) => answer,
        Ended::Panicked => {
            let what = format!("{who}: panic");
            let small = minimise(run, &what, source, &mut |source| matches!(ask(source), Ended::Panicked));
            run.failure(&file, &what, small.as_bytes());
            return false;
        }
        Ended::Hung => {
            run.failure(&file, &format!("{who}: hangs"), source.text.as_bytes());
            return false;
        }
    };
    let word = answer.claim.word();
    run.add(&format!("{who}: {word}"), 1);
    if answer.discovery {
        run.add(&format!("{who}: {word} with discovery"), 1);
    }
    if let Claim::Unknown(reason) = &answer.claim {
        run.add(&format!("{who}: unknown because {}", short(reason)), 1);
        if truth.violated.is_some() {
            run.add(&format!("{who}: unknown of an unsafe model"), 1);
        }
    }
    let wrong = verdict_on(&answer.claim, source, truth);
    if wrong.is_some() && means_nothing(&answer.claim) {
        run.add(
            &format!("{who}: proved of a model whose initial states contradict their types"),
            1,
        );
    } else if let Some(wrong) = wrong {
        let what = format!("{who}: {wrong}");
        let small = minimise(run, &what, source, &mut |source| is_wrong(source, ask, &wrong));
        run.failure(&file, &what, small.as_bytes());
    } else if let Claim::Proved(Ok(certificate)) = answer.claim {
        batch.add(format!("{}-{who}", run.name()), certificate);
    }
    word != "unknown"
}

fn short(reason: &str) -> &str {
    reason.split(['(', ':']).next().unwrap_or(reason).trim()
}

/// Whether the certificate itself states that there is no initial state: such a model is not called safe.
fn means_nothing(claim: &Claim) -> bool {
    let (Claim::Proved(Ok(certificate)), Some(solver)) = (claim, cvc5()) else {
        return false;
    };
    let mut alone = Batch::new();
    alone.add((), certificate.clone());
    let opinions = alone.confirm(&solver);
    opinions.iter().any(|(.., opinion)| opinion.says_no_initial_state())
}

/// Minimising may take a while: the failure is reported first.
fn minimise(run: &mut Campaign, what: &str, source: &Source, fails: &mut dyn FnMut(&Source) -> bool) -> String {
    run.tell(&format!("{}: {what}; making it smaller", run.name()));
    minimise_program(&source.text, 400, &mut |text| {
        let smaller = Source::new(source.name.as_str(), text);
        smaller.system().is_ok() && fails(&smaller)
    })
}

/// Whether it fails in the same way, judging by the first words.
fn is_wrong(source: &Source, ask: &dyn Fn(&Source) -> Ended<Answer>, how: &str) -> bool {
    let truth = explore_sizes(source, oracle::ExplorationLimits::default());
    match ask(source) {
        Ended::Well(answer) => {
            let wrong = verdict_on(&answer.claim, source, &truth);
            wrong.is_some_and(|wrong| wrong.split(' ').take(3).eq(how.split(' ').take(3)))
                && !means_nothing(&answer.claim)
        }
        Ended::Panicked | Ended::Hung => false,
    }
}

/// The claim of an engine about a model.
pub fn ask(source: &Source, engine: Engine, allowed: Duration, in_process: bool) -> Ended<Answer> {
    if in_process {
        return apart(source, engine, allowed);
    }
    let source = source.clone();
    isolated(allowed, move |cancellation| {
        answer(&source, &EngineOptions::new(engine, cancellation))
    })
}

/// Why a claim is wrong, if it is.
pub fn verdict_on(claim: &Claim, source: &Source, truth: &Truth) -> Option<String> {
    match (claim, &truth.violated) {
        (Claim::Proved(_), Some((size, message))) => Some(format!("proved, but with {size} elements: {message}")),
        (Claim::Proved(Err(error)), None) => Some(format!("proved, but there is no certificate: {error}")),
        (Claim::Refuted(property), None) if !source.name.starts_with(LOOSE) && !has_larger_run(source, truth) => {
            Some(format!("refuted ({property}), but there is no run"))
        }
        (Claim::Unknown(reason), _) if reason.starts_with(ERROR) => Some(reason.clone()),
        _ => None,
    }
}

/// Whether larger instances have a violation, or cannot be explored.
fn has_larger_run(source: &Source, truth: &Truth) -> bool {
    let effort = oracle::ExplorationLimits {
        largest: 6,
        states: 300_000,
        time: Duration::from_secs(5),
    };
    let larger = explore_sizes(source, effort);
    larger.violated.is_some() || larger.complete_up_to < 5 || truth.beside_the_point
}

/// Sends the waiting certificates to cvc5.
pub fn confirm(run: &mut Campaign, batch: &mut Batch<String>) {
    let Some(solver) = cvc5() else {
        run.tell("cvc5 is not installed (`make setup`): certificates are not confirmed");
        return;
    };
    for (name, text, opinion) in batch.confirm(&solver) {
        run.add("certificates", 1);
        match opinion {
            Confirmation::Confirmed => run.add("certificates confirmed", 1),
            Confirmation::Open(_) => {
                run.add("certificates left open", 1);
                run.tell(&format!("{name}: left open"));
            }
            opinion if opinion.says_no_initial_state() => {
                run.add("certificates refused since there is no initial state", 1);
            }
            Confirmation::Refuted(query) => run.failure(
                &format!("{name}.smt2"),
                &format!("certificate refuted: {query}"),
                text.as_bytes(),
            ),
            Confirmation::Rejected(error) => run.failure(
                &format!("{name}.smt2"),
                &format!("certificate rejected: {error}"),
                text.as_bytes(),
            ),
        }
    }
}
