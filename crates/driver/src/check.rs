//! From a question to a verdict.

use crate::account::Account;
use crate::beside::{self, Findings};
use crate::certify::{self, certify};
use crate::context::{Context, Stopped};
use crate::crosscheck::{self, ContradictedFact, CrosscheckOutcome, ExploredInstance};
use crate::engine::{Claim, Task};
use crate::error::{Error, Result};
use crate::event::{Event, Phase};
use crate::exploration;
use crate::input::Input;
use crate::mistake::Mistake;
use crate::model::{LoweredModel, ModelContext, ModelTask, ParsedModel, Question};
use crate::portfolio::{Engines, PORTFOLIO, Row};
use crate::reads::{self, Reads};
use crate::reason::Reason;
use crate::run_folder::RunFolder;
use crate::search::{self, DeclaredExploration, SearchedInstance};
use crate::step_check::StepDisagreement;
use crate::subject::{self, ProofAttempt, ProofAttemptOf, Subject};
use crate::verdict::{Evidence, Proved, Safe, Scope, Unknown, Unsafe, Verdict};
use abstraction::induction::Induction;
use std::collections::HashSet;
use std::sync::OnceLock;
use system::frontend::TypeSize;
use system::instance::Rule;
use system::transition::{Fact, Property};
use system::{Diagnostic, Span};

/// What is known of a model.
pub struct Decided {
    pub parsed: ParsedModel,
    /// The model as proofs see it. None where no proof began.
    pub subject: Option<LoweredModel>,
    pub verdict: Verdict,
    /// What the verdict is not about, and should be known all the same.
    pub caveats: Vec<Caveat>,
}

impl Decided {
    /// The instances of which something is known that is no matter of safety.
    pub fn explored(&self) -> Vec<ExploredInstance> {
        let of = |instance, outcome| vec![ExploredInstance::of(&self.parsed.input, instance, outcome)];
        match &self.verdict {
            Verdict::Safe(safe) => match safe.evidence() {
                Evidence::Proof(proof) => proof.agreement().instances.clone(),
                Evidence::Exploration(seen) => of(&seen.instance, seen.confirmed().outcome()),
            },
            Verdict::Unknown(unknown) => {
                let explored = unknown.explored.as_ref();
                explored
                    .map(|(instance, outcome)| of(instance, outcome))
                    .unwrap_or_default()
            }
            Verdict::Unsafe(_) => Vec::new(),
        }
    }

    /// The engine that has proved the model, or was at work last.
    pub fn engine(&self) -> Option<&'static str> {
        match &self.verdict {
            Verdict::Safe(safe) => match safe.evidence() {
                Evidence::Proof(proof) => proof.account().engine,
                Evidence::Exploration(_) => None,
            },
            Verdict::Unknown(unknown) => unknown.account.engine,
            Verdict::Unsafe(_) => None,
        }
    }

    /// What is to be decided: names and places.
    pub fn stated(&self, only: &[String]) -> Vec<(String, Span)> {
        // Whether a proof had begun when a run was found is a matter of time.
        match (&self.subject, &self.verdict) {
            (Some(subject), Verdict::Safe(_) | Verdict::Unknown(_)) => subject.stated(),
            _ => self.parsed.stated(only),
        }
    }

    /// The model, with all that is known of the sizes at which proofs take its types.
    pub fn input(&self) -> &Input {
        self.subject
            .as_ref()
            .map_or(&self.parsed.input, |subject| &subject.input)
    }
}

/// There is a violation at other sizes than the file declares, and the verdict is about those.
#[derive(Clone, Debug)]
pub struct Caveat {
    pub violated: Vec<(String, i64)>,
    pub declared: Vec<(String, i64)>,
    /// Whether a proof could be about these sizes, too. Else they are values of a constant.
    pub in_proofs: bool,
    pub message: String,
}

pub type ModelAnswer = subject::Answer<Decided>;

/// Whether every property of a model holds at every size, by the engines of this portfolio.
pub fn check_by(question: &Question, portfolio: &[Row], context: &Context) -> Result<ModelAnswer> {
    let engines = Engines::new(portfolio, question.engine);
    subject::check(ModelCheck::new(question, context)?, engines)
}

/// Whether every property of a model holds at every size.
pub fn check(question: &Question, context: &Context) -> Result<ModelAnswer> {
    check_by(question, &PORTFOLIO, context)
}

/// The verdict that facts lead to which the user takes for an inductive invariant that proves the properties. They are
/// confirmed and cross-checked as those of an engine are.
pub fn check_facts(question: &Question, facts: &[Fact], context: &Context) -> Result<ModelAnswer> {
    let check = ModelCheck::new(question, context)?;
    let findings = beside::validate_facts(&check, facts)?;
    check.conclude(findings, Engines::new(&PORTFOLIO, None))
}

/// A model while it is checked.
pub(crate) struct ModelCheck<'c> {
    pub(crate) question: &'c Question,
    pub(crate) parsed: ParsedModel,
    pub(crate) context: Context<'c>,
    folder: Option<RunFolder>,
    /// The model as proofs see it, as soon as it is known whether there is such a thing.
    pub(crate) lowered: OnceLock<Option<LoweredModel>>,
    /// The same, where reads of undefined values are errors: the second proof is about it, which excludes them.
    pub(crate) asserting: OnceLock<LoweredModel>,
    /// Which rules keep the properties, as soon as that is known.
    pub(crate) induction: OnceLock<Vec<Induction>>,
}

pub(crate) type ModelAttempt = ProofAttempt<Proved, SearchedInstance>;

impl<'c> ModelCheck<'c> {
    pub(crate) fn new(question: &'c Question, context: &Context<'c>) -> Result<ModelCheck<'c>> {
        let parsed = ParsedModel::read(question)?;
        context.tell(Event::Begun(&parsed));
        let folder = RunFolder::open(question, &parsed.input)?;
        Ok(ModelCheck {
            question,
            parsed,
            context: context.clone(),
            folder,
            lowered: OnceLock::new(),
            asserting: OnceLock::new(),
            induction: OnceLock::new(),
        })
    }

    pub(crate) fn model(&self) -> ModelContext<'_> {
        ModelContext {
            question: self.question,
            parsed: &self.parsed,
            context: self.context.clone(),
        }
    }

    pub(crate) fn task<'t>(&'t self, subject: &'t LoweredModel, context: &Context<'t>) -> ModelTask<'t> {
        ModelTask {
            question: self.question,
            subject,
            context: context.clone(),
            folder: self.folder.as_ref(),
        }
    }
}

impl Subject for ModelCheck<'_> {
    type Proof = Proved;
    type Run = SearchedInstance;
    type Findings = Findings;
    type Decided = Decided;

    fn first_runs(&self) -> Result<Option<Findings>> {
        Ok(None)
    }

    fn side_by_side(&self, engines: Engines) -> Result<Findings> {
        beside::findings(self, engines)
    }

    fn validate(&self, task: &Task, claim: Claim) -> Result<ProofAttemptOf<Self>> {
        let task = task.model()?;
        let attempt = match claim {
            Claim::Invariant(invariant, account) if account.results.is_empty() => {
                // An engine that knows nothing of models: the properties are part of what it claims.
                let stated = task.subject.properties.iter().map(property_fact);
                let mut invariant = *invariant;
                invariant.certificate.facts.splice(0..0, stated);
                let together = Account::together(account.engine.unwrap_or_default(), &task.subject.properties);
                certify(task, invariant, together)
            }
            Claim::Invariant(invariant, account) => certify(task, *invariant, account),
            Claim::Unknown(unknown) => ProofAttempt::Unproved(unknown),
            _ => certify::unproved(task, Reason::NoRun, Account::default()),
        };
        Ok(match attempt {
            // An engine that claims an invariant has a proof of each obligation, unless it builds on what a run folder
            // says, which may be forged.
            ProofAttempt::Unproved(unknown) if unknown.reason.is_refuted() && self.question.resume.is_none() => {
                let mistake = Mistake::refuted(task.subject.input.sources(), &unknown);
                ProofAttempt::Mistake(Box::new(mistake))
            }
            attempt => attempt,
        })
    }

    fn conclude(self, findings: Findings, engines: Engines) -> Result<ModelAnswer> {
        make_answer(self, findings, engines)
    }
}

/// A property as a fact about all states.
fn property_fact(property: &Property) -> Fact {
    Fact {
        name: property.name.clone(),
        formula: property.formula,
        span: property.span,
    }
}

fn make_answer(check: ModelCheck, findings: Findings, engines: Engines) -> Result<ModelAnswer> {
    let context = check.context.clone();
    let mut end = conclude_findings(&check, findings, engines)?;
    // What the verdict is about, where a proof excludes reads of undefined values.
    let is_asserting = matches!(&end, Conclusion::Verdict(Verdict::Safe(safe), _) if safe.excludes_reads())
        || matches!(&end, Conclusion::Contradicted(proved, _) if proved.excludes_reads);
    if let Conclusion::Verdict(Verdict::Safe(safe), None) = &end
        && let Some((names, found)) = search::with_constants(&check.model(), &narrowed_types(&check.model(), safe))
    {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match confirm_caveat(&check.model(), found, &names, false)? {
            Ok(found) => {
                if let Conclusion::Verdict(_, caveat) = &mut end {
                    *caveat = Some(found);
                }
            }
            Err(mistake) => end = mistake,
        }
    }
    let ModelCheck {
        parsed,
        lowered,
        asserting,
        induction,
        ..
    } = check;
    if let (Conclusion::Verdict(verdict, _), Some(steps)) = (&mut end, induction.into_inner()) {
        verdict.explain(steps);
    }
    let (verdict, caveats) = match end {
        Conclusion::Verdict(verdict, caveat) => (verdict, Vec::from_iter(caveat)),
        Conclusion::Narrower(narrower, caveat) => return check_narrower(&narrower, caveat, engines, &context),
        Conclusion::Mistake(mistake) => return Ok(subject::Answer::Mistake(mistake)),
        Conclusion::Contradicted(proved, found) => {
            let asserting = asserting.into_inner().filter(|_| is_asserting);
            let Some(subject) = asserting.or(lowered.into_inner().flatten()) else {
                return Err(Error::refused("there is a proof of no system"));
            };
            return Ok(subject::Answer::Mistake(Box::new(match *found {
                ProofContradiction::State(found) => Mistake::contradicted(&subject, &proved, &found),
                ProofContradiction::Step(found) => Mistake::disagreed(&subject, &proved, &found),
            })));
        }
    };
    let asserting = asserting.into_inner().filter(|_| is_asserting);
    let (mut parsed, mut subject) = (parsed, lowered.into_inner().flatten());
    if let Some(mut asserting) = asserting {
        let told = subject.map(|subject| subject.input.diagnostics);
        asserting.input.diagnostics = told.unwrap_or_default();
        subject = Some(asserting);
    }
    let warnings = dead_rule_warnings(&parsed, &verdict);
    let lowered = subject.iter_mut().map(|subject| &mut subject.input);
    lowered
        .chain([&mut parsed.input])
        .for_each(|input| add_warnings(input, &warnings));
    Ok(subject::Answer::Decided(Box::new(Decided {
        subject,
        parsed,
        verdict,
        caveats,
    })))
}

/// The types of any size that the proof is about one size of.
fn narrowed_types(model: &ModelContext, safe: &Safe) -> Vec<String> {
    let Evidence::Proof(_) = safe.evidence() else {
        return Vec::new();
    };
    let types = model.instances().sizes().iter().filter(|ty| ty.is_any());
    let is_fixed = |name: &str| safe.scope().sizes.iter().any(|ty| ty.name == name && !ty.is_any());
    types
        .filter(|ty| is_fixed(&ty.name))
        .map(|ty| ty.name.clone())
        .collect()
}

/// Warnings about rules that fire in no state, where all there are were seen.
fn dead_rule_warnings(parsed: &ParsedModel, verdict: &Verdict) -> Vec<Diagnostic> {
    let Verdict::Safe(safe) = verdict else {
        return Vec::new();
    };
    let Evidence::Exploration(seen) = safe.evidence() else {
        return Vec::new();
    };
    if parsed.has_any_size() {
        return Vec::new();
    }
    let never = seen.confirmed().outcome().statistics.never_fired(&seen.instance);
    let warning = |rule: &&Rule| {
        let message = format!("the rule \"{}\" can never fire", rule.name);
        Diagnostic::warning(rule.span, message).label("its guard holds in no reachable state")
    };
    never.iter().map(warning).collect()
}

/// Adds warnings, except for those that the solver gave before.
fn add_warnings(input: &mut Input, warnings: &[Diagnostic]) {
    let known = input.diagnostics.iter().map(|known| known.message.as_str());
    let known: HashSet<&str> = known.collect();
    let new = warnings
        .iter()
        .filter(|warning| !known.contains(warning.message.as_str()));
    let new: Vec<Diagnostic> = new.cloned().collect();
    input.diagnostics.extend(new);
}

/// The same question with some types at the sizes that the file declares.
fn check_narrower(question: &Question, caveat: Caveat, engines: Engines, context: &Context) -> Result<ModelAnswer> {
    let mut answer = subject::check(ModelCheck::new(question, context)?, engines)?;
    if let subject::Answer::Decided(decided) = &mut answer {
        decided.caveats.insert(0, caveat);
    }
    Ok(answer)
}

enum Conclusion {
    Verdict(Verdict, Option<Caveat>),
    Narrower(Box<Question>, Caveat),
    Mistake(Box<Mistake>),
    Contradicted(Proved, Box<ProofContradiction>),
}

/// What a proof is wrong about.
pub(crate) enum ProofContradiction {
    State(ContradictedFact),
    Step(StepDisagreement),
}

/// What follows from what was found out. A bug has the first word, whoever comes first: what is undefined is an error
/// of a run, and arbitrary in a proof.
fn conclude_findings(check: &ModelCheck, findings: Findings, engines: Engines) -> Result<Conclusion> {
    let model = &check.model();
    let Findings {
        declared,
        elsewhere,
        proving,
    } = findings;
    let declared = match (declared, elsewhere) {
        (Some(declared), _) if declared.is_violated() => return confirm_violation(declared.found),
        (declared, Some(found)) => return conclude_other_size(model, found, declared),
        (Some(declared), None) if beside::is_all(model, &declared) => {
            return conclude_explored(model, declared, None, None);
        }
        (declared, None) => declared,
    };
    let attempt = match proving {
        Some(attempt) => attempt?,
        None => return Err(Error::refused("there is no answer")),
    };
    match (attempt, declared) {
        (ProofAttempt::Proved(proved), declared) => cross_check(check, engines, *proved, declared),
        (ProofAttempt::Violated(found), declared) => conclude_other_size(model, *found, declared),
        (ProofAttempt::Mistake(mistake), _) => Ok(Conclusion::Mistake(mistake)),
        (ProofAttempt::Unproved(unknown), declared) => conclude_unproved(model, *unknown, declared),
    }
}

/// There is no proof for every size, or none that one can be sure of: what is known of the file as it is written stays.
fn conclude_unproved(
    model: &ModelContext,
    unknown: Unknown,
    declared: Option<DeclaredExploration>,
) -> Result<Conclusion> {
    match declared {
        Some(declared) if declared.is_safe() && !unknown.reason.is_nothing() => {
            conclude_explored(model, declared, Some(unknown), None)
        }
        declared => {
            let unknown = Unknown {
                explored: declared.map(|declared| (declared.found.instance, declared.found.outcome)),
                ..unknown
            };
            Ok(Conclusion::Verdict(Verdict::Unknown(Box::new(unknown)), None))
        }
    }
}

/// A proof is cross-checked against explored states.
fn cross_check(
    check: &ModelCheck,
    engines: Engines,
    proved: Proved,
    declared: Option<DeclaredExploration>,
) -> Result<Conclusion> {
    let model = &check.model();
    let Some(subject) = check.lowered.get().and_then(Option::as_ref) else {
        return Err(Error::refused("there is a proof of no system"));
    };
    let task = check.task(subject, &model.context);
    task.context.tell(Event::Phase(Phase::CrossChecking));
    match crosscheck::crosscheck(&task, &proved) {
        CrosscheckOutcome::Agreed(agreement) => {
            if let Some(folder) = task.folder {
                let engine = proved.account.engine.unwrap_or_default();
                folder.finish(task.system(), engine, &proved.facts)?;
            }
            let scope = Scope {
                sizes: task.sizes().to_vec(),
            };
            let safe = match reads::look(check, engines, subject, &proved)? {
                Reads::None => Safe::by_proof(proved, agreement, scope, Vec::new()),
                Reads::Open(places) => Safe::by_proof(proved, agreement, scope, places),
                Reads::Excluded(excluded) => {
                    let (excluding, agreement) = *excluded;
                    Safe::by_proof(proved.excluding_reads(excluding), agreement, scope, Vec::new())
                }
                Reads::Run(found) => return conclude_other_size(model, *found, declared),
                Reads::Contradicted(excluding, found) => {
                    return Ok(Conclusion::Contradicted(proved.excluding_reads(*excluding), found));
                }
            };
            Ok(Conclusion::Verdict(Verdict::Safe(Box::new(safe)), None))
        }
        CrosscheckOutcome::Violation(found) => conclude_other_size(model, *found, declared),
        CrosscheckOutcome::Contradiction(found) => Ok(Conclusion::Contradicted(
            proved,
            Box::new(ProofContradiction::State(*found)),
        )),
        CrosscheckOutcome::Disagreement(found) => Ok(Conclusion::Contradicted(
            proved,
            Box::new(ProofContradiction::Step(*found)),
        )),
        CrosscheckOutcome::Stopped => {
            let stopped = task.context.stopped().unwrap_or(Stopped::Interrupted);
            let unknown = Unknown {
                opinions: proved.certificate.opinions().to_vec(),
                ..Unknown::of(&task, Reason::NotCrossChecked(stopped), proved.account)
            };
            conclude_unproved(model, unknown, declared)
        }
    }
}

/// A violation, confirmed by another interpreter than the one that found it.
fn confirm_violation(found: SearchedInstance) -> Result<Conclusion> {
    let Some(violation) = found.violation() else {
        return Err(Error::refused("a search that found nothing has no run"));
    };
    Ok(match explore::confirm(&found.instance, violation) {
        Ok(run) => {
            let mut verdict = Unsafe::new(found.input, found.instance, found.outcome, run);
            verdict.beside = found.beside;
            Conclusion::Verdict(Verdict::Unsafe(Box::new(verdict)), None)
        }
        Err(reason) => {
            let mistake = Mistake::unconfirmed_run(&found.input, &found.instance, violation, &reason);
            Conclusion::Mistake(Box::new(mistake))
        }
    })
}

/// A violation at other sizes than the file declares. Where the file as it is written has none, the question becomes
/// one about the sizes that it declares.
fn conclude_other_size(
    model: &ModelContext,
    found: SearchedInstance,
    declared: Option<DeclaredExploration>,
) -> Result<Conclusion> {
    let types = search::other_than_declared(model, &found.input);
    if types.is_empty() {
        return confirm_violation(found);
    }
    let again = || {
        search::declared(
            model,
            Some(search::PATIENCE),
            search::AGAIN,
            &mut explore::SilentObserver,
        )
    };
    let is_known = |declared: &DeclaredExploration| declared.is_safe() || declared.is_violated();
    let declared = match declared.filter(is_known).or_else(again) {
        Some(declared) if declared.is_safe() => declared,
        Some(declared) if declared.is_violated() => return confirm_violation(declared.found),
        _ => return confirm_violation(found),
    };
    let names: Vec<&str> = types.iter().map(|ty| ty.name.as_str()).collect();
    let caveat = match confirm_caveat(model, found, &names, true)? {
        Ok(caveat) => caveat,
        Err(mistake) => return Ok(mistake),
    };
    let is_left = |ty: &TypeSize| ty.is_any() && !names.contains(&ty.name.as_str());
    if !model.instances().sizes().iter().any(is_left) {
        return conclude_explored(model, declared, None, Some(caveat));
    }
    let mut narrower = model.question.clone();
    narrower.reading.fixed.extend(types.into_iter().map(|ty| ty.name));
    // What is learned now is of no use for any size.
    (narrower.run, narrower.resume) = (None, None);
    Ok(Conclusion::Narrower(Box::new(narrower), caveat))
}

/// What is to be said of a violation at other sizes of these types, where it is confirmed; else what that is.
fn confirm_caveat(
    model: &ModelContext,
    found: SearchedInstance,
    names: &[&str],
    in_proofs: bool,
) -> Result<std::result::Result<Caveat, Conclusion>> {
    let (message, taken) = match confirm_violation(found)? {
        Conclusion::Verdict(Verdict::Unsafe(other), _) => (other.run().violation().message.clone(), other.input),
        end => return Ok(Err(end)),
    };
    let sizes = |input: &Input| {
        let sizes = input.sizes().iter().filter(|ty| names.contains(&ty.name.as_str()));
        sizes.map(|ty| (ty.name.clone(), ty.size)).collect()
    };
    Ok(Ok(Caveat {
        violated: sizes(&taken),
        declared: sizes(&model.parsed.input),
        in_proofs,
        message,
    }))
}

/// The file as it is written is safe: another interpreter than the one that explored it says the same.
fn conclude_explored(
    model: &ModelContext,
    declared: DeclaredExploration,
    beyond: Option<Unknown>,
    caveat: Option<Caveat>,
) -> Result<Conclusion> {
    let (context, found) = (&model.context, declared.found);
    let confirmed = match declared.again {
        Some(Ok(confirmed)) => confirmed,
        Some(Err(reason)) => {
            let mistake = Mistake::unconfirmed_states(&found.input, &reason);
            return Ok(Conclusion::Mistake(Box::new(mistake)));
        }
        None => return Err(Error::refused("not all states were seen")),
    };
    if let (Some(stopped), false) = (context.stopped(), confirmed.is_enough()) {
        let account = beyond.map(|beyond| beyond.account).unwrap_or_default();
        let unknown = Unknown {
            explored: Some((found.instance, confirmed.outcome().clone())),
            ..Unknown::without_proof(Reason::NotCrossChecked(stopped), account)
        };
        return Ok(Conclusion::Verdict(Verdict::Unknown(Box::new(unknown)), caveat));
    }
    // Where there are no other sizes, nothing is unknown.
    let beyond = beyond.filter(|_| model.parsed.has_any_size());
    let certificate = exploration::text(model, &confirmed);
    let safe = Safe::by_exploration(&found.input, found.instance, confirmed, certificate, beyond);
    Ok(Conclusion::Verdict(Verdict::Safe(Box::new(safe)), caveat))
}
