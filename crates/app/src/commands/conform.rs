//! `cubist conform`: components in C against state machines.

use crate::arguments::{Conform, LevelsName, MinimisationName, UndefinedName};
use crate::programs;
use crate::report::chart::ChartFile;
use crate::report::conform_page::Page;
use crate::report::explore_json::peak_memory_mb;
use crate::report::{self, Header, places};
use crate::status::Status;
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint, counted, grouped, listed};
use anyhow::{Context as _, bail};
use c::{Outline, Unit};
use conformance::answer::{Answer, Answered, Search};
use conformance::assembly::{Making, Opened, Question, System, exclusive, questions};
use conformance::aut;
use conformance::component::abstraction::Via;
use conformance::lts::Action;
use conformance::minimise;
use conformance::specification::{self, Specification};
use conformance::verify::{Levels, Options, Progress, Violation};
use driver::write_whole;
use logic::{Term, term};
use serde_json::{Value, json};
use smt::Solvers;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use system::chart::{Chart, Lifeline, Row};
use system::{Diagnostic, Rejected, Role, Span, suggest};
use unfold::Undefinedness;

pub(crate) fn run(arguments: &Conform, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let chart = arguments.chart.as_deref().map(ChartFile::new).transpose()?;
    let subject = Subject::read(arguments)?;
    let solvers = Solvers::default().under(&control.cancellation);
    let is_over = || control.cancellation.is_cancelled() || limits.time_left().is_some_and(|left| left.is_zero());
    let making = Making {
        undefined: subject.undefined,
        predicates: arguments.max_predicates,
        constants: true,
        solvers: &solvers,
        is_over: &is_over,
    };
    let systems = match subject.systems(&making) {
        Err(_) if is_over() => return stopped(arguments, limits, control),
        systems => systems?,
    };
    let Some(confirming) = smt::installed_solvers().into_iter().next() else {
        bail!("there is no solver that could confirm a proof: `cubist-cvc5` should lie beside `cubist`");
    };
    let confirmed_by = confirming.name();
    let confirming = Solvers::of_program(confirming).under(&control.cancellation);
    let search = Search {
        options: options(arguments),
        undefined: subject.undefined,
        solvers: &solvers,
        confirming: &confirming,
        is_over: &is_over,
    };
    let mut spinner = crate::progress::Line::new(arguments.style.quiet || arguments.style.json);
    let mut answers = Vec::new();
    for (number, system) in systems.iter().enumerate() {
        let mut tell = |progress: Progress| spinner.show(&words(&progress));
        answers.push(search.answer(system, &subject.opened[number], &mut tell));
    }
    spinner.finish();
    let report = Report {
        subject: &subject,
        systems: &systems,
        answers: &answers,
        confirmed_by: &confirmed_by,
        is_late: limits.time_left().is_some_and(|left| left.is_zero()),
    };
    let status = report.status();
    if let Some(chart) = &chart {
        report.draw(chart)?;
    }
    if let Some(path) = &arguments.report {
        let page = report.page(status);
        write_whole(path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(folder) = &arguments.aut {
        report.exchange(folder)?;
    }
    if !control.begin_report() {
        return Ok(status);
    }
    let seconds = limits.started.elapsed().as_secs_f64();
    let style = &arguments.style;
    let object = || report.json(status, seconds);
    if control.keeps_report() {
        control.keep_report(&object());
    }
    let text = || report.text(arguments, chart.as_ref(), Paint::stdout());
    terminal::print(&report::written(style.json, object, text)?)?;
    Ok(status)
}

/// The time was over, or Ctrl-C pressed, before anything was known.
fn stopped(arguments: &Conform, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    let status = Status::Incomplete;
    let reason = match limits.time_left().is_some_and(|left| left.is_zero()) {
        true => "the time limit was reached before the components were read",
        false => "interrupted before the components were read",
    };
    if !control.begin_report() {
        return Ok(status);
    }
    let header = Header::new(&driver::shown_name(&arguments.spec[0]));
    let object = || {
        json!({
            "cubist": header.cubist,
            "schema": header.schema,
            "file": header.file,
            "verdict": status.verdict(),
            "reason": reason,
            "properties": [],
        })
    };
    if control.keeps_report() {
        control.keep_report(&object());
    }
    let text = || format!("{} {reason}.\n", Paint::stdout().doubtful("Unknown:"));
    terminal::print(&report::written(arguments.style.json, object, text)?)?;
    Ok(status)
}

fn options(arguments: &Conform) -> Options {
    Options {
        levels: match arguments.levels {
            LevelsName::One => Levels::One,
            LevelsName::Two => Levels::Two,
        },
        minimisation: match arguments.minimise {
            MinimisationName::None => minimise::Minimisation::None,
            MinimisationName::Greedy => minimise::Minimisation::Greedy,
            MinimisationName::Minimum => minimise::Minimisation::Minimum,
        },
        limits: minimise::Limits {
            subsets: arguments.max_subsets,
            eliminating: arguments.max_eliminating,
            size: arguments.max_size,
        },
        ..Options::default()
    }
}

fn words(progress: &Progress) -> String {
    format!(
        "verifying: {} by predicates, {} by actions, {}, {}",
        counted(progress.predicate_iterations, "iteration"),
        grouped(progress.action_iterations as u64),
        counted(progress.branches, "branch").replace("branchs", "branches"),
        counted(progress.states, "state"),
    )
}

/// All that was read.
struct Subject {
    specification: Specification,
    questions: Vec<Question>,
    /// For each question, for each component.
    opened: Vec<Vec<Opened>>,
    units: Vec<Vec<Unit>>,
    undefined: Undefinedness,
}

impl Subject {
    fn read(arguments: &Conform) -> anyhow::Result<Subject> {
        if let Some(other) = arguments.files.iter().find(|path| !programs::is_program(path)) {
            bail!("{} is no C program: its name must end in .c or .i", other.display());
        }
        let mut specs = arguments
            .spec
            .iter()
            .map(|path| driver::read_file(path))
            .collect::<Result<Vec<_>, _>>()?;
        let specification = specification::read(specs.remove(0), specs)?;
        let base = c::Options {
            include_paths: arguments.include.clone(),
            definitions: arguments.define.clone(),
            ..c::Options::new(arguments.data_model.data_model())
        };
        let mut outlines = Vec::new();
        for path in &arguments.files {
            outlines.push((path.clone(), c::outline(path, &base)?));
        }
        let is_defined = |name: &str| outlines.iter().any(|(_, outline)| outline.defined.contains(name));
        let questions = questions(&specification, &is_defined);
        let mut diagnostics = unknown_procedures(&specification, &outlines);
        if questions.is_empty() && diagnostics.is_empty() {
            let message = "there is nothing to verify: no `program`, and no `cproc` of a procedure with a body";
            diagnostics.push(Diagnostic::error(Span::default(), message));
        }
        let mut subject = Subject {
            specification,
            questions,
            opened: Vec::new(),
            units: Vec::new(),
            undefined: match arguments.undefined {
                Some(UndefinedName::AssumeAbsent) => Undefinedness::Absent,
                Some(UndefinedName::Wrap) | None => Undefinedness::Wraps,
                Some(UndefinedName::Report) => {
                    bail!("proofs are not about undefined behaviour; `cubist explore` looks for it")
                }
            },
        };
        subject.reject(diagnostics)?;
        for question in subject.questions.clone() {
            let (opened, units) = subject.open(&question, &outlines, &base)?;
            subject.opened.push(opened);
            subject.units.push(units);
        }
        Ok(subject)
    }

    fn reject(&self, diagnostics: Vec<Diagnostic>) -> anyhow::Result<()> {
        match diagnostics.is_empty() {
            true => Ok(()),
            false => Err(Rejected::new(self.specification.sources.clone(), diagnostics).into()),
        }
    }

    /// Reads each component from the file that defines it.
    fn open(
        &self,
        question: &Question,
        outlines: &[(PathBuf, Outline)],
        base: &c::Options,
    ) -> anyhow::Result<(Vec<Opened>, Vec<Unit>)> {
        let (mut opened, mut units, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for component in &question.components {
            let name = &component.text;
            let mut defining = outlines.iter().filter(|(_, outline)| outline.defined.contains(name));
            let (Some((path, outline)), None) = (defining.next(), defining.next()) else {
                let message = format!("`{name}` must be defined in one of the files, and only in one");
                self.reject(vec![Diagnostic::error(component.span, message)])?;
                continue;
            };
            let options = c::Options {
                entry: name.clone(),
                ..base.clone()
            };
            let mut unit = c::read_file(path, &options)?;
            let spoken_of = self.specification.unused_variables(&unit.program);
            if !spoken_of.is_empty() {
                let variables = spoken_of.iter().cloned().collect();
                unit = c::read_file(path, &c::Options { variables, ..options })?;
            }
            match Opened::new(name, &unit.program, &self.specification) {
                Ok(one) => opened.push(Opened { spoken_of, ..one }),
                Err(error) => self.reject(vec![Diagnostic::error(component.span, error.to_string())])?,
            }
            units.push(unit);
            places.push((path, outline));
        }
        self.reject(shared_variables(question, &opened, &places))?;
        Ok((opened, units))
    }

    /// The components of all questions, with guards that exclude each other and, of programs, leave nothing out.
    fn systems(&self, making: &Making) -> anyhow::Result<Vec<System<'_>>> {
        let (mut systems, mut diagnostics) = (Vec::new(), Vec::new());
        for (question, opened) in self.questions.iter().zip(&self.opened) {
            match System::new(&self.specification, question, opened, making) {
                Ok(system) => systems.push(system),
                Err(mut found) => diagnostics.append(&mut found),
            }
        }
        diagnostics.dedup();
        self.reject(diagnostics)?;
        let mut seen: Vec<Vec<&str>> = Vec::new();
        let mut diagnostics = Vec::new();
        for question in &self.questions {
            let names: Vec<&str> = question
                .components
                .iter()
                .map(|component| component.text.as_str())
                .collect();
            if seen.contains(&names) {
                continue;
            }
            let same = |other: &&(&Question, &System)| {
                other
                    .0
                    .components
                    .iter()
                    .map(|component| component.text.as_str())
                    .eq(names.iter().copied())
            };
            let all: Vec<(&Question, &System)> = self.questions.iter().zip(&systems).collect();
            let own: Vec<&(&Question, &System)> = all.iter().filter(same).collect();
            let guards: Vec<(Span, Term)> = own
                .iter()
                .map(|(question, system)| (question.span, guard(system)))
                .collect();
            let ranges: Vec<Term> = own.iter().flat_map(|(_, system)| ranges(system)).collect();
            let is_program = !self.specification.file.programs.is_empty();
            let place = question.components[0].span;
            let what = format!("`{}`", names.join(" || "));
            diagnostics.extend(exclusive(&guards, place, &what, &ranges, making.solvers, is_program));
            seen.push(names);
        }
        self.reject(diagnostics)?;
        Ok(systems)
    }
}

/// Under which condition a specification is meant: the guards of all components.
fn guard(system: &System) -> Term {
    let guards = system.components.iter().enumerate();
    term::and(guards.map(|(position, component)| System::renamed(position, component.guard)))
}

/// What types say of what guards speak of.
fn ranges(system: &System) -> Vec<Term> {
    let mut ranges = Vec::new();
    for (position, component) in system.components.iter().enumerate() {
        for function in logic::substitute::functions_of(component.guard) {
            let range = component.flow.cells.get(&function);
            ranges.extend(range.map(|range| System::renamed(position, *range)));
        }
    }
    ranges
}

/// Blocks about procedures that no file declares.
fn unknown_procedures(specification: &Specification, outlines: &[(PathBuf, Outline)]) -> Vec<Diagnostic> {
    let known = || {
        outlines
            .iter()
            .flat_map(|(_, outline)| &outline.functions)
            .map(String::as_str)
    };
    let file = &specification.file;
    let named = file.procedures.iter().map(|block| &block.name);
    let components = file.programs.iter().flat_map(|block| &block.components);
    let unknown = named
        .chain(components)
        .filter(|name| !known().any(|function| function == name.text));
    let diagnostic = |name: &specification::syntax::Identifier| {
        let message = format!("there is no procedure `{}` in the C files", name.text);
        let diagnostic = Diagnostic::error(name.span, message).label("not declared");
        match suggest::nearest(&name.text, known()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    };
    unknown.map(diagnostic).collect()
}

/// Variables that two components would share: they have nothing in common but their actions.
fn shared_variables(question: &Question, opened: &[Opened], places: &[(&PathBuf, &Outline)]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for second in 0..opened.len() {
        for first in 0..second {
            let (one, other) = (opened[first].globals(), opened[second].globals());
            let is_shared = |name: &&String| {
                places[first].0 == places[second].0
                    || (places[first].1.shared.contains(*name) && places[second].1.shared.contains(*name))
            };
            let shared: Vec<String> = one
                .intersection(&other)
                .filter(is_shared)
                .map(|name| format!("`{name}`"))
                .collect();
            if !shared.is_empty() {
                let names = (&opened[first].name, &opened[second].name);
                let message = format!("`{}` and `{}` share {}", names.0, names.1, listed(&shared));
                diagnostics.push(
                    Diagnostic::error(question.components[second].span, message)
                        .help("components may only communicate by actions; variables of their own can be `static`"),
                );
            }
        }
    }
    diagnostics
}

/// What came of all questions.
struct Report<'r> {
    subject: &'r Subject,
    systems: &'r [System<'r>],
    answers: &'r [Answered],
    confirmed_by: &'r str,
    is_late: bool,
}

/// An action of a trace, with where each component does it.
struct Done {
    action: Action,
    places: Vec<Option<Span>>,
    /// The specification is not about it.
    is_aside: bool,
}

impl Report<'_> {
    fn status_of(answer: &Answer) -> Status {
        match answer {
            Answer::Conforms(_) => Status::Done,
            Answer::Violates { .. } => Status::Violated,
            Answer::Unknown(_) => Status::Incomplete,
        }
    }

    fn status(&self) -> Status {
        Status::worst(self.answers.iter().map(|answered| Self::status_of(&answered.answer)))
    }

    fn reason(&self, answer: &Answer) -> Option<String> {
        match answer {
            Answer::Unknown(_) if self.is_late => Some("the time limit was reached".to_owned()),
            Answer::Unknown(reason) => Some(reason.to_string()),
            _ => None,
        }
    }

    fn components(&self, number: usize) -> String {
        let names = self.subject.questions[number]
            .components
            .iter()
            .map(|component| component.text.as_str());
        names.collect::<Vec<_>>().join(" || ")
    }

    /// The actions of a violation in one order that all components agree with.
    fn done(&self, number: usize, violation: &Violation) -> Vec<Done> {
        let system = &self.systems[number];
        let own = |position: usize| {
            let component = &system.components[position];
            let steps = violation.parts[position].path.steps.iter();
            steps.filter_map(|step| {
                let edge = match step.via {
                    Via::Inside(edge, _) | Via::Return(edge, _) => edge,
                    _ => return None,
                };
                let node = component.automaton.edges[edge].from;
                let is_action = step.action != conformance::lts::TAU;
                is_action.then_some((step.action, component.automaton.nodes[node].span))
            })
        };
        let count = system.components.len();
        let mut pending: Vec<std::collections::VecDeque<(Action, Span)>> =
            (0..count).map(|position| own(position).collect()).collect();
        let mut done = Vec::new();
        for action in &violation.trace {
            let mut places = vec![None; count];
            for (position, queue) in pending.iter_mut().enumerate() {
                if !system.components[position].alphabet.contains(action) {
                    continue;
                }
                while let Some((next, span)) = queue.pop_front() {
                    if next == *action {
                        places[position] = Some(span);
                        break;
                    }
                    let mut alone = vec![None; count];
                    alone[position] = Some(span);
                    done.push(Done {
                        action: next,
                        places: alone,
                        is_aside: true,
                    });
                }
            }
            done.push(Done {
                action: *action,
                places,
                is_aside: !system.specification.alphabet.contains(action),
            });
        }
        done
    }

    /// `server.c:12`
    fn place(&self, number: usize, position: usize, span: Option<Span>) -> String {
        let unit = &self.subject.units[number][position];
        span.and_then(|span| programs::place(&unit.sources, span))
            .unwrap_or_default()
    }

    fn text(&self, arguments: &Conform, chart: Option<&ChartFile>, paint: Paint) -> String {
        let mut text = String::new();
        if !arguments.style.quiet {
            let undefined = match self.subject.undefined {
                Undefinedness::Wraps | Undefinedness::Unbounded => "numbers that overflow wrap around",
                Undefinedness::Absent => "runs end where their behaviour is undefined",
            };
            let name = paint.bold(&self.subject.specification.sources.model().name);
            let questions = counted(self.answers.len(), "question");
            let _ = writeln!(text, "{name}: a specification with {questions} ({undefined})");
        }
        for (number, answered) in self.answers.iter().enumerate() {
            if !arguments.style.quiet {
                text.push('\n');
            }
            let _ = writeln!(text, "{}", self.headline(number, paint));
            if !arguments.style.quiet {
                self.details(number, answered, arguments.style.verbose, &mut text);
            }
        }
        if let (Some(chart), false) = (chart, arguments.style.quiet) {
            let is_drawn = self
                .answers
                .iter()
                .any(|answered| matches!(answered.answer, Answer::Violates { .. }));
            text.push_str(&chart.words(is_drawn));
        }
        text
    }

    /// The answer to a question, in a line.
    fn headline(&self, number: usize, paint: Paint) -> String {
        let question = &self.subject.questions[number];
        let (components, process, name) = (self.components(number), &question.process.text, &question.name);
        match &self.answers[number].answer {
            Answer::Conforms(_) => format!("{} {components} to {process} ({name}).", paint.good("Conforms:")),
            Answer::Violates { .. } => {
                let violated = paint.bad("Violated:");
                format!("{violated} {components} does what {process} does not allow ({name}).")
            }
            answer => format!(
                "{} {components} against {process} ({name}): {}.",
                paint.doubtful("Unknown:"),
                self.reason(answer).unwrap_or_default()
            ),
        }
    }

    fn details(&self, number: usize, answered: &Answered, verbose: bool, text: &mut String) {
        let statistics = &answered.statistics;
        match &answered.answer {
            Answer::Conforms(confirmed) => {
                let (obligations, runs) = (confirmed.obligations, confirmed.runs);
                let _ = writeln!(
                    text,
                    "{} confirms {obligations} of {obligations} proof obligations; {} of the components conform, too.",
                    self.confirmed_by,
                    counted(runs, "run"),
                );
            }
            Answer::Violates { violation, inputs } => self.violation(number, violation, inputs, text),
            Answer::Unknown(_) => {
                if let Some(suspected) = &answered.suspected {
                    let actions = counted(suspected.trace.len(), "action");
                    let _ = writeln!(text, "\nA trace that they may have, {actions}:\n");
                    self.trace(number, suspected, text);
                }
            }
        }
        for line in self.assumed(number) {
            let _ = writeln!(text, "  assumed: {line}");
        }
        if verbose {
            let (expressions, predicates, branches) = statistics.predicates;
            let sizes = |sizes: &[usize]| sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
            let _ = writeln!(
                text,
                "  iterations  {} by predicates, {} by actions\n  predicates  {expressions} expressions, {predicates} \
                 predicates, {branches} branches\n  states      {} side by side; of components {}, before the second \
                 level {}",
                statistics.predicate_iterations,
                statistics.action_iterations,
                statistics.states,
                sizes(&statistics.abstract_states),
                sizes(&statistics.model_states),
            );
        }
    }

    fn violation(&self, number: usize, violation: &Violation, inputs: &[Vec<i128>], text: &mut String) {
        let actions = counted(violation.trace.len(), "action");
        let _ = writeln!(text, "\nA shortest trace, {actions}:\n");
        self.trace(number, violation, text);
        for (component, inputs) in self.systems[number].components.iter().zip(inputs) {
            let given: Vec<String> = inputs.iter().map(ToString::to_string).collect();
            let given = if given.is_empty() {
                "no inputs".to_owned()
            } else {
                given.join(", ")
            };
            let _ = writeln!(
                text,
                "  the interpreter has made the run of {} (inputs: {given})",
                component.name
            );
        }
    }

    /// A trace, with the line of each component beside each action.
    fn trace(&self, number: usize, violation: &Violation, text: &mut String) {
        let system = &self.systems[number];
        let done = self.done(number, violation);
        let mut rows: Vec<Vec<String>> = Vec::new();
        let heads = system.components.iter().map(|component| component.name.clone());
        rows.push(std::iter::once(String::new()).chain(heads).collect());
        for one in &done {
            let name = system.actions.name(one.action);
            let name = if one.is_aside {
                format!("({name})")
            } else {
                name.to_owned()
            };
            let places = one.places.iter().enumerate();
            let places = places.map(|(position, span)| self.place(number, position, *span));
            rows.push(std::iter::once(name).chain(places).collect());
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            let line = cells.collect::<Vec<_>>().join("   ");
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        let last = violation.trace.last().map_or("", |action| system.actions.name(*action));
        let process = &self.subject.questions[number].process.text;
        let _ = writeln!(text, "\n{process} does not allow `{last}` there.");
    }

    /// What was taken for granted.
    fn assumed(&self, number: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for opened in &self.subject.opened[number] {
            lines.extend(opened.assumptions.iter().map(|what| format!("{}: {what}", opened.name)));
        }
        let system = &self.systems[number];
        if !system.ignored.is_empty() {
            let names: Vec<String> = system
                .ignored
                .iter()
                .map(|action| format!("`{}`", system.actions.name(*action)))
                .collect();
            let process = &self.subject.questions[number].process.text;
            lines.push(format!(
                "{} may happen at any time: {process} does not speak of it",
                listed(&names)
            ));
        }
        lines
    }

    fn violation_of(&self, number: usize) -> Option<&Violation> {
        match &self.answers[number].answer {
            Answer::Violates { violation, .. } => Some(violation),
            _ => None,
        }
    }

    /// The first violation as a picture.
    fn draw(&self, file: &ChartFile) -> anyhow::Result<()> {
        let Some(chart) = (0..self.answers.len()).find_map(|number| self.chart(number)) else {
            return Ok(());
        };
        write_whole(&file.path, &chart.svg()).with_context(|| format!("cannot write {}", file.path.display()))
    }

    /// The systems of all questions, for other tools.
    fn exchange(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (number, answered) in self.answers.iter().enumerate() {
            let (question, system) = (&self.subject.questions[number], &self.systems[number]);
            let mut systems = vec![(&question.process.text, &system.specification)];
            if let Answer::Conforms(confirmed) = &answered.answer {
                let names = question.components.iter().map(|component| &component.text);
                systems.extend(names.zip(&confirmed.systems));
            }
            for (name, lts) in systems {
                let path = folder.join(format!("{}-{name}.aut", question.name));
                let text = aut::write(lts, &system.actions);
                write_whole(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }

    fn chart(&self, number: usize) -> Option<Chart> {
        let violation = self.violation_of(number)?;
        let system = &self.systems[number];
        let question = &self.subject.questions[number];
        let row = |one: &Done| {
            let at: Vec<usize> = (0..one.places.len())
                .filter(|position| one.places[*position].is_some())
                .collect();
            let name = system.actions.name(one.action).to_owned();
            Row {
                label: name.clone(),
                detail: name,
                changes: at
                    .iter()
                    .map(|position| self.place(number, *position, one.places[*position]))
                    .collect(),
                at,
                ..Row::default()
            }
        };
        let lifeline = |name: &str| Lifeline {
            name: name.to_owned(),
            is_shared: false,
        };
        Some(Chart {
            title: format!("{}: a violation of {}", self.components(number), question.process.text),
            subtitle: self.subject.specification.sources.model().name.clone(),
            lifelines: system
                .components
                .iter()
                .map(|component| lifeline(&component.name))
                .collect(),
            rows: self.done(number, violation).iter().map(row).collect(),
            end: Some(format!("{} does not allow this", question.process.text)),
        })
    }

    /// The answers as a page of HTML that needs nothing else.
    fn page(&self, status: Status) -> String {
        let mut page = Page::new(&self.subject.specification.sources.model().name, status.verdict());
        for (number, answered) in self.answers.iter().enumerate() {
            let mut details = String::new();
            self.details(number, answered, true, &mut details);
            page.question(&self.headline(number, Paint::none()), &details);
            if let (Some(violation), Some(chart)) = (self.violation_of(number), self.chart(number)) {
                page.picture(&chart.svg());
                for one in self.done(number, violation) {
                    let places = one.places.iter().enumerate();
                    page.mark(places.map(|(position, span)| self.place(number, position, *span)));
                }
            }
        }
        let specification = &self.subject.specification.sources;
        let units = self.subject.units.iter().flatten().map(|unit| &unit.sources);
        let files = std::iter::once(specification)
            .chain(units)
            .flat_map(|sources| std::iter::once(sources.model()).chain(sources.additions()));
        page.finish(files.filter(|file| file.role() != Role::Preprocessed))
    }

    fn json(&self, status: Status, seconds: f64) -> Value {
        let header = Header::new(&self.subject.specification.sources.model().name);
        let properties: Vec<Value> = (0..self.answers.len()).map(|number| self.property(number)).collect();
        json!({
            "cubist": header.cubist,
            "schema": header.schema,
            "file": header.file,
            "language": "C",
            "engine": "magic",
            "verdict": status.verdict(),
            "properties": properties,
            "time_s": seconds,
            "peak_memory_mb": peak_memory_mb(),
        })
    }

    fn property(&self, number: usize) -> Value {
        let (question, answered) = (&self.subject.questions[number], &self.answers[number]);
        let (system, statistics) = (&self.systems[number], &answered.statistics);
        let (violation, inputs) = match &answered.answer {
            Answer::Violates { violation, inputs } => (Some(violation), Some(inputs)),
            _ => (None, None),
        };
        let step = |one: &Done| {
            let places: serde_json::Map<String, Value> = system
                .components
                .iter()
                .zip(&one.places)
                .enumerate()
                .filter_map(|(position, (component, span))| {
                    let sources = &self.subject.units[number][position].sources;
                    let mut place = places::place(sources, (*span)?);
                    place["shown"] = self.place(number, position, *span).into();
                    Some((component.name.clone(), place))
                })
                .collect();
            json!({ "action": system.actions.name(one.action), "specified": !one.is_aside, "places": places })
        };
        let steps = |violation: &Violation| self.done(number, violation).iter().map(step).collect::<Vec<_>>();
        let suspected = answered.suspected.as_deref().map(steps);
        let trace = violation.map(steps);
        let confirmed = match &answered.answer {
            Answer::Conforms(confirmed) => Some(json!({
                "by": self.confirmed_by, "obligations": confirmed.obligations, "runs": confirmed.runs,
            })),
            _ => None,
        };
        json!({
            "name": question.name,
            "components": question.components.iter().map(|component| component.text.as_str()).collect::<Vec<_>>(),
            "specification": question.process.text,
            "verdict": Self::status_of(&answered.answer).verdict(),
            "reason": self.reason(&answered.answer),
            "trace": trace,
            "suspected": suspected,
            "inputs": inputs,
            "confirmed": confirmed,
            "assumed": self.assumed(number),
            "iterations": { "predicates": statistics.predicate_iterations, "actions": statistics.action_iterations },
            "predicates": {
                "expressions": statistics.predicates.0,
                "predicates": statistics.predicates.1,
                "branches": statistics.predicates.2,
            },
            "states": {
                "together": statistics.states,
                "abstract": statistics.abstract_states,
                "models": statistics.model_states,
            },
            "eliminating": { "sets": statistics.eliminating.0, "largest": statistics.eliminating.1 },
            "questions": statistics.questions,
            "place": places::place(&self.subject.specification.sources, question.span),
        })
    }
}
