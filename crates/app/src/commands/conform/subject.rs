//! What is read: the specification, its questions, and the components that they are about.

use crate::arguments::{Conform, UndefinedName};
use crate::terminal::listed;
use anyhow::bail;
use c::{Outline, Unit};
use conformance::assembly::{ClosedComponent, ConformanceProblem, System, SystemOptions, exclusive, problems};
use conformance::certificate::about::Asked;
use conformance::specification::{self, Specification};
use driver::file_name;
use logic::{Term, term};
use std::path::PathBuf;
use system::{Diagnostic, Rejected, Sources, Span, suggest};
use unfold::Undefinedness;

/// All that was read.
pub(super) struct Subject {
    pub(super) specification: Specification,
    pub(super) questions: Vec<ConformanceProblem>,
    /// For each question, for each component.
    pub(super) opened: Vec<Vec<ClosedComponent>>,
    pub(super) units: Vec<Vec<Unit>>,
    pub(super) undefined: Undefinedness,
}

impl Subject {
    pub(super) fn read(arguments: &Conform) -> anyhow::Result<Subject> {
        if let Some(other) = arguments
            .files
            .iter()
            .find(|path| driver::kind_of(path) != driver::Kind::Program)
        {
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
            specified: specification.specified(),
            ..c::Options::new(arguments.data_model.data_model())
        };
        let mut outlines = Vec::new();
        for path in &arguments.files {
            outlines.push((path.clone(), c::outline(path, &base)?));
        }
        let is_defined = |name: &str| outlines.iter().any(|(_, outline)| outline.defined.contains(name));
        let questions = problems(&specification, &is_defined);
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

    /// The specification and the components, each with a name for a copy of it.
    pub(super) fn read_texts(&self) -> Vec<(String, Sources)> {
        let units = self.units.iter().flatten().map(|unit| &unit.sources);
        let name = |sources: &Sources| file_name(&sources.model().name);
        let all = [&self.specification.sources].into_iter().chain(units);
        all.map(|sources| (name(sources), sources.clone())).collect()
    }

    /// What a question asks, and what was read for it.
    pub(super) fn asked<'a>(&'a self, number: usize, options: &'a [String]) -> Asked<'a> {
        Asked {
            specification: &self.specification,
            questions: &self.questions,
            number,
            programs: self.units[number].iter().map(|unit| &unit.sources).collect(),
            options,
        }
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
        question: &ConformanceProblem,
        outlines: &[(PathBuf, Outline)],
        base: &c::Options,
    ) -> anyhow::Result<(Vec<ClosedComponent>, Vec<Unit>)> {
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
            match ClosedComponent::new(name, &unit.program, &self.specification) {
                Ok(one) => opened.push(ClosedComponent { spoken_of, ..one }),
                Err(error) => self.reject(vec![Diagnostic::error(component.span, error.to_string())])?,
            }
            units.push(unit);
            places.push((path, outline));
        }
        self.reject(shared_variables(question, &opened, &places))?;
        Ok((opened, units))
    }

    /// The components of all questions, with guards that exclude each other and, of programs, leave nothing out.
    pub(super) fn systems(&self, making: &SystemOptions) -> anyhow::Result<Vec<System<'_>>> {
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
            let same = |other: &&(&ConformanceProblem, &System)| {
                other
                    .0
                    .components
                    .iter()
                    .map(|component| component.text.as_str())
                    .eq(names.iter().copied())
            };
            let all: Vec<(&ConformanceProblem, &System)> = self.questions.iter().zip(&systems).collect();
            let own: Vec<&(&ConformanceProblem, &System)> = all.iter().filter(same).collect();
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
fn shared_variables(
    question: &ConformanceProblem,
    opened: &[ClosedComponent],
    places: &[(&PathBuf, &Outline)],
) -> Vec<Diagnostic> {
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
