//! What the driver tells, on the terminal: a line that shows what is being done and, with `-v`, every step.

use crate::arguments::Check;
use crate::outcomes::{check_json, check_report, diagnostics};
use crate::progress::ProofProgress;
use crate::supervise::{Control, LastWords, Limits};
use crate::terminal::{self, Paint, counted};
use children::usage::own_processor_time;
use driver::{Event, Input, LoweredModel, Observer, ParsedModel, Phase, notation};
use explore::ConfirmedExploration;
use report::{Outcome, Status};
use smt::Statistics;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use system::{Diagnostic, Severity, Span, TransitionSystem};

pub(crate) struct Narrator<'n> {
    arguments: &'n Check,
    limits: &'n Limits,
    control: &'n Control,
    progress: ProofProgress,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// To show formulas in the user's notation.
    system: Arc<TransitionSystem>,
    /// Warnings and notes that were told.
    told: Vec<Diagnostic>,
    /// The report if nothing more is found out.
    undecided: Outcome,
    /// How far the proof is: what it is about, and counts.
    proof: (String, String),
    /// The states of the file as it is written that were seen.
    explored: u64,
    /// What holds independently of the proof.
    as_written: Option<AsWritten>,
    /// The processor time when the proof began to be held against explored states.
    meeting: Option<f64>,
}

/// The title of a report, the report for programs, and the certificate.
struct AsWritten {
    title: String,
    outcome: Outcome,
    certificate: String,
}

impl<'n> Narrator<'n> {
    pub(crate) fn new(
        arguments: &'n Check,
        limits: &'n Limits,
        control: &'n Control,
        statistics: &Arc<Statistics>,
    ) -> Narrator<'n> {
        let style = &arguments.style;
        let wanted = !style.quiet && !style.verbose;
        Narrator {
            arguments,
            limits,
            control,
            progress: ProofProgress::new(wanted, limits.started, statistics),
            known: Mutex::default(),
        }
    }

    pub(crate) fn phase(&self, name: &str, detail: &str) {
        self.progress.phase(name, detail);
    }

    /// Removes the line, before the report is printed.
    pub(crate) fn finish(&self) {
        self.progress.finish();
    }

    /// The processor time that the explored states have taken, in seconds.
    pub(crate) fn meeting_time(&self) -> f64 {
        let before = self.known.lock().unwrap_or_else(PoisonError::into_inner).meeting;
        before.map_or(0.0, |before| (own_processor_time() - before).max(0.0))
    }

    fn begin(&self, written: &ParsedModel) {
        self.warn(&written.input);
        self.expect(&written.input, &written.stated(&self.arguments.property));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).meeting = None;
        self.proving("all properties", "");
    }

    fn lowered(&self, subject: &LoweredModel) {
        self.warn(&subject.input);
        self.expect(&subject.input, &subject.stated());
        self.known.lock().unwrap_or_else(PoisonError::into_inner).system = Arc::new(subject.system.clone());
        self.proving("all properties", "");
    }

    /// How far the proof is.
    fn proving(&self, goal: &str, counts: &str) {
        let detail = if counts.is_empty() {
            String::new()
        } else {
            format!(" ({counts})")
        };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).proof = (goal.to_owned(), detail);
        self.set_last_words();
    }

    /// How far the exploration of the file as it is written is.
    fn explored(&self, states: u64) {
        self.progress.explored(states);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).explored = states;
        self.set_last_words();
    }

    /// Tells what was not told before.
    fn warn(&self, input: &Input) {
        let style = &self.arguments.style;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = input.diagnostics.iter().filter(|found| !known.told.contains(found));
        let new: Vec<Diagnostic> = new.cloned().collect();
        known.told.extend_from_slice(&new);
        if !style.json {
            terminal::complain(&warnings(input, &new, style.quiet));
        }
    }

    fn expect(&self, input: &Input, stated: &[(String, Span)]) {
        let seconds = self.limits.started.elapsed().as_secs_f64();
        let undecided = check_json::undecided(self.arguments, input, stated, seconds);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).undecided = undecided;
    }

    /// What there is to say if an engine does not come back.
    fn set_last_words(&self) {
        let hint = self.arguments.going_on();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (status, title, outcome) = match &known.as_written {
            Some(AsWritten { title, outcome, .. }) => {
                let status = if self.arguments.strict {
                    Status::Incomplete
                } else {
                    Status::Done
                };
                (status, title.clone(), outcome.clone())
            }
            None => {
                let title = Paint::stdout().doubtful("Unknown:");
                let mut outcome = known.undecided.clone();
                if known.explored > 0 {
                    outcome.set("exploration", check_json::exploration_so_far(known.explored));
                }
                (Status::Incomplete, title, outcome)
            }
        };
        let (goal, counts) = &known.proof;
        let seen = match known.explored {
            0 => String::new(),
            _ if known.as_written.is_some() => String::new(),
            states => format!("  {}\n", check_report::seen_so_far(states)),
        };
        let text = match self.arguments.style.quiet {
            true => String::new(),
            false => format!("{seen}  {goal}: no proof yet{counts}\n\nWhat to try\n- {hint}\n"),
        };
        let certificate = known.as_written.as_ref().map(|known| known.certificate.clone());
        self.control.set_last_words(LastWords {
            status,
            title,
            text,
            json: serde_json::json!(outcome),
            certificate: self.arguments.certificate.clone().zip(certificate),
        });
    }

    /// Where other sizes matter, this is what is known of the file in any case.
    fn safe_as_written(&self, written: &ParsedModel, confirmed: &ConfirmedExploration, certificate: &str) {
        let title = check_report::as_written(&written.input, confirmed, Paint::stdout());
        let seconds = self.limits.started.elapsed().as_secs_f64();
        let outcome = check_json::as_written(self.arguments, written, confirmed, seconds);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).as_written = Some(AsWritten {
            title,
            outcome,
            certificate: certificate.to_owned(),
        });
        self.set_last_words();
    }

    /// A line for `--verbose`.
    fn say(&self, line: impl FnOnce(&TransitionSystem) -> String) {
        if self.arguments.style.verbose {
            let system = Arc::clone(&self.known.lock().unwrap_or_else(PoisonError::into_inner).system);
            terminal::complain(&format!("{}\n", line(&system)));
        }
    }
}

impl Observer for Narrator<'_> {
    fn event(&self, event: &Event) {
        let closed = notation::closed_formula;
        match event {
            Event::Begun(written) => self.begin(written),
            Event::Lowered(subject) => self.lowered(subject),
            Event::SafeAsWritten {
                parsed,
                confirmed,
                certificate,
            } => self.safe_as_written(parsed, confirmed, certificate),
            Event::Explored(states) => self.explored(*states),
            Event::Phase(phase) => {
                if *phase == Phase::CrossChecking {
                    let now = Some(own_processor_time());
                    self.known.lock().unwrap_or_else(PoisonError::into_inner).meeting = now;
                }
                self.progress.phase(&name(*phase), "");
            }
            Event::Examples { states, size } => {
                self.say(|_| format!("examples: {} at size {size}", counted(*states, "state")))
            }
            Event::Iteration {
                number,
                abstract_states,
            } => {
                let counts = format!("iteration {number}, {abstract_states} abstract states");
                self.progress.phase("proving", &format!(", {counts}"));
                self.say(|_| counts);
            }
            Event::Reached(fact) => self.say(|system| format!("  fact: {}", closed(system, *fact))),
            Event::Conjecture { number, formula } => {
                let count = format!(", {number} conjectures about every size");
                self.progress.phase("proving", &count);
                self.say(|system| format!("  conjecture: {}", closed(system, *formula)));
            }
            Event::Withdrawn { formula, needs } => self.say(|system| {
                let (formula, needs) = (closed(system, *formula), closed(system, *needs));
                format!("  withdrawn: {formula}; it needs {needs}")
            }),
            Event::NoProofAt { size, reason } => {
                self.say(|_| format!("no proof with examples of size {size}: {reason}"));
            }
            Event::NoProof { reason, known } => {
                self.say(|_| format!("no proof by facts about every size: {reason}"));
                for fact in *known {
                    self.say(|system| format!("  known all the same: {}", closed(system, *fact)));
                }
            }
            Event::BeginsBeside => {
                self.say(|_| "predicate abstraction begins beside the search for facts about every size".to_owned());
            }
            Event::Useless(what) => self.say(|_| what.clone()),
            Event::Predicate { goal, formula } => {
                self.say(|system| format!("  predicate: {}", notation::formula(system, goal, *formula)));
            }
            // Of programs.
            Event::Slam(_) | Event::Level(_) | Event::Contained(_) => {}
            Event::Searched {
                goal,
                cycle,
                predicates,
                refinements,
            } => {
                let counts = format!("cycle {cycle}, {predicates} predicates, {refinements} refinements");
                self.progress.phase("proving", &format!(", {counts}: {}", goal.name));
                self.proving(&goal.name, &counts);
                self.say(|_| format!("proving \"{}\": {counts}", goal.name));
            }
        }
    }
}

fn name(phase: Phase) -> String {
    match phase {
        Phase::Searching => "looking for a bug in finite instances".to_owned(),
        Phase::LookingForExamples => "looking for examples in a small instance".to_owned(),
        Phase::Proving => "proving".to_owned(),
        Phase::LookingAtAnotherRun => "looking at the invariant of another run".to_owned(),
        Phase::Minimising => "looking for the facts that matter".to_owned(),
        Phase::Confirming { solver } => format!("{solver} confirms the proof"),
        Phase::CrossChecking => "holding the proof against explored states".to_owned(),
        Phase::Unrolling => "unrolling the rules".to_owned(),
        Phase::Compiling => "compiling the run".to_owned(),
        Phase::FollowingRun => "looking for a run that violates a property".to_owned(),
    }
}

/// The warnings about the model and about the files that add something to it; in one line each where few words are
/// wanted.
fn warnings(input: &Input, found: &[Diagnostic], brief: bool) -> String {
    let (paint, sources) = (Paint::stderr(), input.sources());
    if !brief {
        return diagnostics::text(found, sources, paint);
    }
    let mut text = String::new();
    let is_warning = |found: &&Diagnostic| found.severity == Severity::Warning;
    for warning in found.iter().filter(is_warning) {
        let (file, (line, _)) = (sources.file(warning.span), sources.position(warning.span));
        let title = paint.doubtful("warning:");
        let _ = writeln!(text, "{title} {}:{line}: {}", file.name, warning.message);
    }
    text
}
