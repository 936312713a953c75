//! Boolean programs: what `check` and `show` do with them.

use crate::arguments::{Check, Reading, Show};
use crate::outcomes::explore_json::peak_memory_mb;
use crate::outcomes::{self, Header, check_report, mistake};
use crate::supervise::{Control, Limits, cores};
use crate::terminal::{self, Paint, counted, grouped};
use ::boolean::print::Names;
use ::boolean::{Control as Location, Point, ProcedureId, Program, Statement, StatementId, Variable};
use anyhow::{Context as _, bail};
use driver::boolean::{Evidence, Question, Verdict};
use driver::{Answer, Context, Kind, Silent, write_whole};
use report::Status;
use report::outcome::{self, Outcome, Place, Property, Scope, fields};
use report::run::{self, Line};
use serde_json::{Map, Value, json};
use smt::{Solvers, Statistics};
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use system::{Sources, Span};

/// A program as it was read.
struct Subject {
    program: Program,
    sources: Sources,
    /// Labels that must not be reached.
    error_labels: Vec<String>,
}

impl Subject {
    fn read(path: &Path, reading: &Reading, others: &[(&str, bool)]) -> anyhow::Result<Subject> {
        let of_models = [
            ("--size", !reading.sizes.is_empty()),
            ("--const", !reading.constants.is_empty()),
            ("--parametric", !reading.parametric.is_empty()),
            ("--fixed", !reading.fixed.is_empty()),
            ("--integers", reading.integers.is_some()),
            ("--language", reading.language.is_some()),
        ];
        let mut options = of_models.iter().chain(others);
        if let Some((option, _)) = options.find(|(_, is_given)| *is_given) {
            bail!("{option} means nothing for a Boolean program");
        }
        let (program, sources) = ::boolean::read(driver::read_file(path)?)?;
        Ok(Subject {
            program,
            sources,
            error_labels: Vec::new(),
        })
    }

    /// What the header of a certificate says of what was read.
    fn about(&self) -> Vec<(&'static str, String)> {
        let model = self.sources.model();
        let digest = validate::sha256(model.text.as_bytes());
        let labels = self
            .error_labels
            .iter()
            .map(|label| ("option", format!("--error-label {label}")));
        [("model", format!("sha256 {digest} of {}", model.name))]
            .into_iter()
            .chain(labels)
            .collect()
    }

    fn span(&self, statement: StatementId) -> Span {
        let statement = self.program.statement(statement);
        statement.and_then(|statement| statement.origin).unwrap_or_default()
    }

    fn line(&self, span: Span) -> usize {
        self.sources.position(span).0
    }

    /// What an assertion is called.
    fn name(&self, id: StatementId) -> String {
        let names = Names {
            program: &self.program,
            procedure: id.procedure,
        };
        let line = self.line(self.span(id));
        let procedure = &self.program.procedures[id.procedure.0];
        let Some(statement) = self.program.statement(id) else {
            return String::new();
        };
        let mut labels = statement.labels.iter().map(|label| &procedure.labels[label.0]);
        match labels.find(|label| self.error_labels.contains(label)) {
            Some(label) => format!("label {label} of {}, line {line}", procedure.name),
            None => format!("{} in {}, line {line}", names.action(&statement.action), procedure.name),
        }
    }

    fn introduction(&self, paint: Paint) -> String {
        let name = paint.bold(&self.sources.model().name);
        let globals = counted(self.program.globals.len(), "global");
        let procedures = counted(self.program.procedures.len(), "procedure");
        format!("{name}: a Boolean program ({globals}, {procedures})\n")
    }
}

/// `cubist check FILE.bp`
pub(crate) fn check(arguments: &Check, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let further = [
        ("--property", !arguments.property.is_empty()),
        ("--report", arguments.report.is_some()),
        ("--run", arguments.run.is_some()),
        ("--resume", arguments.resume.is_some()),
    ];
    let of_models = [
        &arguments.of_models(),
        further.as_slice(),
        &arguments.of_programs(),
        &arguments.meaning.of_c(),
    ]
    .concat();
    arguments.expect_engine(Kind::BooleanProgram)?;
    let mut subject = Subject::read(arguments.file(), &arguments.reading, &of_models)?;
    for label in &arguments.meaning.error_label {
        if subject.program.forbid_label(label) == 0 {
            bail!("there is no label `{label}` in {}", subject.sources.model().name);
        }
        subject.error_labels.push(label.clone());
    }
    let statistics = Arc::new(Statistics::default());
    let context = Context {
        solvers: Solvers::default().counting(&statistics).under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &Silent,
        jobs: arguments.jobs.unwrap_or_else(cores),
    };
    let question = Question {
        program: &subject.program,
        sources: &subject.sources,
        name: &|id| subject.name(id),
        about: subject.about(),
        engine: arguments.engine,
    };
    let answer = match driver::boolean::check(&question, &context)? {
        Answer::Decided(decided) => *decided,
        Answer::Mistake(found) => return mistake::report(&found, arguments.style.json, control),
    };
    let status = match &answer.verdict {
        Verdict::Safe(_) => Status::Done,
        Verdict::Unsafe(_) => Status::Violated,
        Verdict::Unknown(_) => Status::Incomplete,
    };
    if let (Some(path), Some(certificate)) = (&arguments.certificate, answer.certificate()) {
        write_whole(path, certificate.text()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !control.begin_report() {
        return Ok(status);
    }
    let decided = Decided {
        subject: &subject,
        answer: &answer,
        certificate: arguments
            .certificate
            .as_deref()
            .filter(|_| answer.certificate().is_some()),
    };
    let outcome = || decided.outcome(status, limits.started.elapsed().as_secs_f64());
    if control.keeps_report() {
        control.keep_report(&outcome());
    }
    let style = &arguments.style;
    let text = || decided.text(style.quiet, style.verbose, Paint::stdout());
    terminal::print(&outcomes::written(style.json, outcome, text)?)?;
    Ok(status)
}

/// The result of a check.
struct Decided<'a> {
    subject: &'a Subject,
    answer: &'a driver::boolean::Decided,
    /// The file that the certificate is in.
    certificate: Option<&'a Path>,
}

impl Decided<'_> {
    fn text(&self, quiet: bool, verbose: bool, paint: Paint) -> String {
        let subject = self.subject;
        let assertions = subject.program.assertions().len();
        let headline = match &self.answer.verdict {
            Verdict::Safe(_) => {
                let what = match assertions {
                    1 => "the assertion cannot fail".to_owned(),
                    _ => format!("none of the {assertions} assertions can fail"),
                };
                format!("{} {what}.\n", paint.good("Safe:"))
            }
            Verdict::Unsafe(trace) => format!("{} {}\n", paint.bad("Violation:"), subject.name(trace.failing)),
            Verdict::Unknown(unknown) => format!("{} {}.\n", paint.doubtful("Unknown:"), unknown.reason),
        };
        if quiet {
            return headline;
        }
        let mut text = format!("{}\n{headline}", subject.introduction(paint));
        match &self.answer.verdict {
            Verdict::Unsafe(trace) => {
                let _ = writeln!(text, "\nA shortest run there, {}:\n", counted(trace.steps(), "step"));
                text.push_str(&self.run(&trace.points));
            }
            Verdict::Safe(proved) => match &proved.evidence {
                Evidence::Certificate(certificate) => check_report::opinions(&mut text, certificate.opinions(), true),
                Evidence::PathEdges(reason) => {
                    let _ = writeln!(
                        text,
                        "  The states at each location were confirmed to be an invariant, by another routine. There is no \
                         certificate: {reason}."
                    );
                }
            },
            Verdict::Unknown(_) => {}
        }
        if verbose {
            let statistics = &self.answer.statistics;
            let _ = writeln!(
                text,
                "  locations  {}, sets looked at  {}, nodes of diagrams  {}",
                grouped(statistics.locations as u64),
                grouped(statistics.rounds),
                grouped(statistics.nodes as u64),
            );
        }
        text
    }

    /// The steps of a run, below the values that it begins with.
    fn run(&self, points: &[Point]) -> String {
        let lines: Vec<Line> = self.steps(points).into_iter().map(|step| step.line).collect();
        let file = &self.subject.sources.model().name;
        let run = run::text(&lines, 0, file, true, "");
        let initial = shown(&self.initial(points));
        match initial.is_empty() {
            true => run,
            false => format!(
                "{}at first {}\n{run}",
                " ".repeat(4 + run::width(&lines, file)),
                initial.join(", ")
            ),
        }
    }

    fn steps(&self, points: &[Point]) -> Vec<Step> {
        let subject = self.subject;
        let procedures = (0..subject.program.procedures.len()).map(ProcedureId);
        let statements: Vec<Vec<&Statement>> = procedures.map(|id| subject.program.statements(id)).collect();
        let statement = |point: &Point| match point.control {
            Location::Before(number) => statements[point.procedure.0].get(number).copied(),
            Location::End => None,
        };
        let mut calls: Vec<&Statement> = Vec::new();
        let mut steps = Vec::new();
        for (number, point) in points.iter().enumerate() {
            let names = Names {
                program: &subject.program,
                procedure: point.procedure,
            };
            let here = statement(point);
            let span = here.and_then(|statement| statement.origin).unwrap_or_default();
            let next = points.get(number + 1);
            let changes = next.map_or_else(Vec::new, |next| match next.depth.cmp(&point.depth) {
                Ordering::Greater => {
                    calls.extend(here);
                    self.passed(next)
                }
                Ordering::Equal => self.changes(point, next),
                Ordering::Less => self.returned(point, next, calls.pop()),
            });
            let file = &subject.sources.model().name;
            steps.push(Step {
                line: Line {
                    depth: point.depth,
                    procedure: subject.program.procedures[point.procedure.0].name.clone(),
                    place: (!span.is_nowhere()).then(|| format!("{file}:{}", subject.line(span))),
                    text: here.map_or("end".to_owned(), |statement| names.action(&statement.action)),
                    effects: shown(&changes),
                    matters: true,
                },
                changes,
                span,
            });
        }
        steps
    }

    /// The values that the run begins with, of globals and parameters.
    fn initial(&self, points: &[Point]) -> Vec<(String, u8)> {
        let Some(first) = points.first() else {
            return Vec::new();
        };
        let globals = (0..first.state.globals.len()).map(|global| self.named(first, Variable::Global(global)));
        globals.chain(self.passed(first)).collect()
    }

    fn named(&self, point: &Point, variable: Variable) -> (String, u8) {
        let name = self.subject.program.name(point.procedure, variable);
        (name.to_owned(), u8::from(point.state.get(variable)))
    }

    /// The arguments of a call.
    fn passed(&self, after: &Point) -> Vec<(String, u8)> {
        let parameters = self.subject.program.procedures[after.procedure.0].parameters.len();
        let parameters = (0..parameters).map(Variable::Local);
        parameters.map(|parameter| self.named(after, parameter)).collect()
    }

    /// The variables with other values after a step in a procedure.
    fn changes(&self, before: &Point, after: &Point) -> Vec<(String, u8)> {
        let locals = (0..after.state.locals.len()).map(Variable::Local);
        let all = (0..after.state.globals.len()).map(Variable::Global).chain(locals);
        let changed = all.filter(|variable| before.state.get(*variable) != after.state.get(*variable));
        changed.map(|variable| self.named(after, variable)).collect()
    }

    /// The results of a call.
    fn returned(&self, before: &Point, after: &Point, call: Option<&Statement>) -> Vec<(String, u8)> {
        let results = call.map_or(&[][..], Statement::written);
        let globals = (0..after.state.globals.len()).map(Variable::Global);
        let changed = globals.filter(|global| before.state.get(*global) != after.state.get(*global));
        let changed = changed.filter(|global| !results.contains(global));
        changed
            .chain(results.iter().copied())
            .map(|variable| self.named(after, variable))
            .collect()
    }

    fn outcome(&self, status: Status, seconds: f64) -> Outcome {
        let subject = self.subject;
        let (violated, reason) = match &self.answer.verdict {
            Verdict::Safe(_) => (None, None),
            Verdict::Unsafe(trace) => (Some(trace), None),
            Verdict::Unknown(unknown) => (None, Some(unknown.reason.to_string())),
        };
        let property = |id: StatementId| {
            let trace = violated.filter(|trace| trace.failing == id);
            let reason = match (&trace, violated) {
                (Some(_), _) => Some("this assertion fails".to_owned()),
                (None, Some(_)) => Some("not decided, since another property is violated".to_owned()),
                (None, None) => reason.clone(),
            };
            Property {
                name: subject.name(id),
                verdict: match (trace, status) {
                    (Some(_), _) => outcome::Verdict::Unsafe,
                    (None, Status::Done) => outcome::Verdict::Safe,
                    (None, _) => outcome::Verdict::Unknown,
                },
                reason,
                trace: trace.map(|trace| self.trace(&trace.points)),
                place: Place::of(&subject.sources, subject.span(id)),
                details: fields(json!({
                    "predicates": [],
                    "discovery_cycles": 0,
                    "iterations": 0,
                    "abstract_states": 0,
                    "initial": trace.map(|trace| values(&self.initial(&trace.points))),
                    "certificate": self.certificate.map(|path| path.display().to_string()),
                })),
                ..Property::default()
            }
        };
        let statistics = &self.answer.statistics;
        Outcome {
            language: Some("Boolean program".to_owned()),
            engine: Some(self.answer.engine().to_owned()),
            verdict: status.verdict(),
            properties: subject.program.assertions().into_iter().map(property).collect(),
            reason: reason.clone(),
            scope: Some(Scope::default()),
            exit_status: Some(status.code()),
            time_s: Some(seconds),
            peak_memory_mb: peak_memory_mb(),
            ..Outcome::new(&subject.sources.model().name)
        }
        .with(json!({
            "checks": { "total": 0, "abstraction": 0, "trace": 0, "discovery": 0, "other": 0, "stopped": 0 },
            "search": { "locations": statistics.locations, "sets": statistics.rounds, "nodes": statistics.nodes },
        }))
    }

    fn trace(&self, points: &[Point]) -> Vec<outcome::Step> {
        let step = |step: Step| outcome::Step {
            rule: step.line.text,
            changes: values(&step.changes),
            place: Place::of(&self.subject.sources, step.span),
            details: fields(json!({ "procedure": step.line.procedure, "depth": step.line.depth })),
        };
        self.steps(points).into_iter().map(step).collect()
    }
}

/// `x = 1`, for each variable.
fn shown(values: &[(String, u8)]) -> Vec<String> {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect()
}

/// Names with truth values.
fn values(changes: &[(String, u8)]) -> Map<String, Value> {
    let values = changes.iter().map(|(name, value)| (name.clone(), json!(*value == 1)));
    values.collect()
}

/// A statement of a run.
struct Step {
    line: Line,
    changes: Vec<(String, u8)>,
    span: Span,
}

/// `cubist show FILE.bp`: the program as it was understood.
pub(crate) fn show(arguments: &Show) -> anyhow::Result<Status> {
    let of_models = [
        ("--points-to", arguments.points_to),
        ("--graph", arguments.graph.is_some()),
        ("--system", arguments.system),
    ];
    let subject = Subject::read(&arguments.file, &arguments.reading, &of_models)?;
    let object = || {
        let header = Header::new(&subject.sources.model().name);
        let procedures = subject.program.procedures.iter().map(|procedure| {
            json!({
                "name": procedure.name,
                "parameters": procedure.parameters,
                "locals": procedure.locals,
                "results": procedure.results,
            })
        });
        let properties =
            subject.program.assertions().into_iter().map(
                |id| json!({ "name": subject.name(id), "kind": "assertion", "line": subject.line(subject.span(id)) }),
            );
        json!({
            "cubist": header.cubist,
            "schema": header.schema,
            "file": header.file,
            "language": "Boolean program",
            "globals": subject.program.globals,
            "procedures": procedures.collect::<Vec<Value>>(),
            "properties": properties.collect::<Vec<Value>>(),
            "diagnostics": [],
        })
    };
    let text = || match arguments.quiet {
        true => subject.program.to_string(),
        false => format!("{}\n{}", subject.introduction(Paint::stdout()), subject.program),
    };
    terminal::print(&outcomes::written(arguments.json, object, text)?)?;
    Ok(Status::Done)
}
