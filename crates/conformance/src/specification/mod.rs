//! Specifications: processes in MAGIC's notation (an extended FSP), assumptions about library routines, and the
//! components of a program.
//!
//! ```text
//! LOCKED = ( lock -> return {$0 == 0} -> STOP | return {$0 != 0} -> STOP ).
//! cproc take { abstract { take, (1), LOCKED }; }
//! program left || right { abstract { both, (1), (1), SPEC }; }
//! ```

mod expression;
mod lex;
mod machine;
mod parse;
pub mod syntax;

pub use expression::{Formula, Meanings, formula};
pub use machine::StateMachine;
pub use parse::parse;

use crate::aut;
use crate::lts::{Action, Actions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syntax::{Abstraction, Body, Branch, File, Identifier, Label, Process};
use system::program::Program;
use system::{Diagnostic, Rejected, Role, SourceFile, Sources, Span};

/// A parsed and checked specification.
#[derive(Clone, Debug)]
pub struct Specification {
    pub file: File,
    pub actions: Actions,
    /// The machines of the processes that abstractions name.
    pub machines: BTreeMap<String, StateMachine>,
    pub sources: Sources,
}

impl Specification {
    /// The functions that the specification describes: front ends give them no built-in meaning.
    pub fn specified(&self) -> BTreeSet<String> {
        let components = self.file.programs.iter().flat_map(|block| &block.components);
        let procedures = self
            .file
            .procedures
            .iter()
            .filter(|block| !block.abstractions.is_empty());
        let names = procedures.map(|block| &block.name).chain(components);
        names.map(|name| name.text.clone()).collect()
    }

    /// The variables of conditions that a program does not have.
    pub fn unused_variables(&self, program: &Program) -> BTreeSet<String> {
        let file = &self.file;
        let of_programs = file.programs.iter().flat_map(|block| &block.abstractions);
        let of_procedures = file.procedures.iter().flat_map(|block| &block.abstractions);
        let predicates = file.procedures.iter().flat_map(|block| &block.predicates);
        let mut names = BTreeSet::new();
        let guards = of_programs.chain(of_procedures).flat_map(|one| &one.guards);
        guards
            .chain(predicates)
            .for_each(|condition| condition.names(&mut names));
        let known = program.variables.iter().filter(|variable| variable.procedure.is_none());
        known.for_each(|variable| {
            names.remove(&variable.name);
        });
        names
    }
}

/// Parses and checks a specification in one or more files; reports all errors at once.
pub fn read(first: SourceFile, further: Vec<SourceFile>) -> Result<Specification, Rejected> {
    let mut sources = Sources::new(first);
    for source in further {
        sources = sources.with_file(Role::Included, source);
    }
    let (mut file, mut diagnostics) = parse_any(sources.model());
    for source in sources.additions() {
        let (mut part, mut found) = parse_any(source);
        file.processes.append(&mut part.processes);
        file.procedures.append(&mut part.procedures);
        file.programs.append(&mut part.programs);
        diagnostics.append(&mut found);
    }
    let is_readable = diagnostics.is_empty();
    let mut actions = Actions::default();
    let mut machines = BTreeMap::new();
    let mut makers = machine::Maker::new(&file, &mut actions);
    let of_procedures = file.procedures.iter().flat_map(|block| &block.abstractions);
    let of_programs = file.programs.iter().flat_map(|block| &block.abstractions);
    for (abstraction, returns) in of_procedures.map(|a| (a, true)).chain(of_programs.map(|a| (a, false))) {
        let Abstraction { process, .. } = abstraction;
        if !machines.contains_key(&process.text)
            && let Some(machine) = makers.machine(process)
        {
            machines.insert(process.text.clone(), machine);
        }
        if let (true, Some(machine)) = (returns && is_readable, machines.get(&process.text)) {
            makers.diagnostics.extend(machine.not_of_a_procedure(process));
        }
    }
    diagnostics.append(&mut makers.diagnostics);
    check_blocks(&file, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    diagnostics.dedup();
    match diagnostics.is_empty() {
        true => Ok(Specification {
            file,
            actions,
            machines,
            sources,
        }),
        false => Err(Rejected { sources, diagnostics }),
    }
}

/// Parses the notation of specifications; or an `.aut` file, whose system is a process with the name of the file.
fn parse_any(source: &SourceFile) -> (File, Vec<Diagnostic>) {
    match Path::new(&source.name)
        .extension()
        .is_some_and(|extension| extension == "aut")
    {
        true => exchanged(source),
        false => parse(source),
    }
}

/// One process for each state of the system: `name` is the initial one, `name.3` is state 3.
fn exchanged(source: &SourceFile) -> (File, Vec<Diagnostic>) {
    let mut actions = Actions::default();
    let lts = match aut::read(source, &mut actions) {
        Ok(lts) => lts,
        Err(diagnostics) => return (File::default(), diagnostics),
    };
    let span = Span::new(source.id(), 0, source.text.lines().next().map_or(0, str::len));
    let stem = Path::new(&source.name)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let name = |state: usize| Identifier {
        text: match state == lts.initial {
            true => stem.clone(),
            false => format!("{stem}.{state}"),
        },
        span,
    };
    let (mut file, mut diagnostics) = (File::default(), Vec::new());
    let mut labels: BTreeMap<Action, Label> = BTreeMap::new();
    for action in &lts.alphabet {
        match parse::label(actions.name(*action), span) {
            Some(label) => drop(labels.insert(*action, label)),
            None => {
                let message = format!("`{}` is no action", actions.name(*action));
                diagnostics.push(Diagnostic::error(span, message).help("an action is a name, or `return {...}`"));
            }
        }
    }
    let silent = Label {
        name: "tau".to_owned(),
        returns: None,
        span,
    };
    for state in 0..lts.states() {
        let branch = |(action, to): &(Action, usize)| Branch {
            actions: vec![vec![labels.get(action).unwrap_or(&silent).clone()]],
            body: Body::Name(name(*to)),
        };
        let stop = Identifier {
            text: machine::STOP.to_owned(),
            span,
        };
        file.processes.push(Process {
            name: name(state),
            body: match lts.from(state).is_empty() {
                true => Body::Name(stop),
                false => Body::Choice(lts.from(state).iter().map(branch).collect()),
            },
            further: Vec::new(),
        });
    }
    (file, diagnostics)
}

/// Checks that each procedure has one block, and each abstraction a guard for each component.
fn check_blocks(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    for (number, block) in file.procedures.iter().enumerate() {
        let name = &block.name;
        let first = file.procedures[..number]
            .iter()
            .find(|other| other.name.text == name.text);
        if let Some(first) = first {
            let message = format!("`{}` has two blocks", name.text);
            diagnostics.push(
                Diagnostic::error(name.span, message)
                    .label("the second")
                    .related(first.name.span, "the first"),
            );
        }
    }
    let of_procedures = file.procedures.iter().map(|block| (1, &block.abstractions));
    let of_programs = file
        .programs
        .iter()
        .map(|block| (block.components.len(), &block.abstractions));
    for (components, abstractions) in of_procedures.chain(of_programs) {
        for abstraction in abstractions {
            let guards = abstraction.guards.len();
            if guards != components {
                let message = format!("there must be a guard for each of the {components} components, not {guards}");
                let help = "a guard stands in parentheses; `(1)` is no restriction";
                diagnostics.push(Diagnostic::error(abstraction.span, message).help(help));
            }
        }
    }
    for program in &file.programs {
        for (number, component) in program.components.iter().enumerate() {
            if program.components[..number]
                .iter()
                .any(|other| other.text == component.text)
            {
                let message = format!("`{}` is a component twice", component.text);
                diagnostics.push(Diagnostic::error(component.span, message));
            }
        }
    }
}
