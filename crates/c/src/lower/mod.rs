//! Lowering: from the checked program to control flow automata.
//!
//! Everything reachable from the entry function is lowered, and nothing else. Each file has one concern:
//!
//! - [`types`]: types; [`objects`]: variables, literals and functions, created on demand;
//! - [`builder`]: construction of an automaton; [`scopes`]: lifetimes of block-scoped variables;
//! - [`values`]: values without side effects; [`places`]; [`expressions`]; [`branches`]; [`calls`]; [`variadic`];
//! - [`statements`]; [`switches`]; [`initialisers`]; [`image`]: static initialisers as bytes;
//! - [`start`]: what happens before and after the entry function.

mod arguments;
mod branches;
mod builder;
mod calls;
mod expressions;
mod functions;
mod image;
mod initialisers;
mod objects;
mod places;
mod scopes;
mod start;
mod statements;
mod switches;
mod types;
mod values;
mod variadic;

use crate::options::Options;
use crate::tree::{FunctionId, LiteralId, Unit, VariableId};
use builder::Frame;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use system::program::{self, Integer, Library, ProcedureId, Program, Types};
use system::{Diagnostic, Sources, Span};

/// An assumption about code outside of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// A sentence without a full stop.
    pub what: String,
    pub span: Span,
}

pub(crate) struct Lowered {
    pub(crate) program: Program,
    pub(crate) assumed: Vec<Assumed>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The procedure of each function, in the order of the functions.
    pub(crate) functions: Vec<(FunctionId, ProcedureId)>,
}

/// The functions that rules mention.
#[derive(Debug, Default)]
pub(crate) struct RuleFunctions {
    /// Lowered although the program does not call them.
    pub(crate) handlers: BTreeSet<String>,
    /// Functions with events. Each of their calls is a step of its own, into which handlers are woven.
    pub(crate) watched: BTreeSet<String>,
    /// Pointers of the library: each that is defined elsewhere points at an object of its own.
    pub(crate) variables: BTreeSet<String>,
}

/// None where there is no entry function, which is reported.
pub(crate) fn lower(
    unit: &Unit,
    options: &Options,
    of_rules: &RuleFunctions,
    sources: &Sources,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(unit, options, of_rules, sources);
    lowering.run()?;
    let errors = lowering
        .diagnostics
        .iter()
        .any(|found| found.severity == system::Severity::Error);
    if errors {
        return Err(lowering.diagnostics);
    }
    let mut functions: Vec<(FunctionId, ProcedureId)> = lowering.functions.into_iter().collect();
    functions.sort();
    Ok(Lowered {
        functions,
        program: lowering.program,
        assumed: lowering.assumed,
        diagnostics: lowering.diagnostics,
    })
}

/// The type of comparisons.
const INT: Integer = Integer::new(32, true);

struct Lowering<'u> {
    unit: &'u Unit,
    options: &'u Options,
    of_rules: &'u RuleFunctions,
    sources: &'u Sources,
    program: Program,
    assumed: Vec<Assumed>,
    diagnostics: Vec<Diagnostic>,
    /// The types of the unit, and those that only the library needs.
    own_types: crate::types::Types,
    type_ids: HashMap<program::Type, program::TypeId>,
    known_types: HashMap<crate::types::TypeId, program::TypeId>,
    records: HashMap<crate::types::RecordId, program::RecordId>,
    variables: HashMap<VariableId, program::VariableId>,
    literals: HashMap<LiteralId, program::VariableId>,
    functions: HashMap<FunctionId, ProcedureId>,
    /// Undeclared functions that have been checked.
    refused: HashSet<FunctionId>,
    /// Library procedures without a name in the program.
    hidden: HashMap<Library, ProcedureId>,
    /// Functions whose bodies have not been lowered yet.
    pending: VecDeque<FunctionId>,
    /// Variables with addresses in their initialisers, and variables defined elsewhere.
    pending_globals: VecDeque<VariableId>,
}

impl<'u> Lowering<'u> {
    fn new(unit: &'u Unit, options: &'u Options, of_rules: &'u RuleFunctions, sources: &'u Sources) -> Lowering<'u> {
        Lowering {
            unit,
            options,
            of_rules,
            sources,
            program: Program {
                types: Types::new(options.data_model.pointer_bits()),
                variables: Vec::new(),
                procedures: Vec::new(),
                start: ProcedureId(0),
                properties: Vec::new(),
            },
            assumed: Vec::new(),
            diagnostics: Vec::new(),
            own_types: unit.types.clone(),
            type_ids: HashMap::new(),
            known_types: HashMap::new(),
            records: HashMap::new(),
            variables: HashMap::new(),
            literals: HashMap::new(),
            functions: HashMap::new(),
            refused: HashSet::new(),
            hidden: HashMap::new(),
            pending: VecDeque::new(),
            pending_globals: VecDeque::new(),
        }
    }

    fn run(&mut self) -> Result<(), Vec<Diagnostic>> {
        let Some(entry) = self.function(&self.options.entry) else {
            let message = format!("there is no function `{}` with a body", self.options.entry);
            let error = Diagnostic::error(Span::default(), message);
            return Err(vec![error.help("runs begin there")]);
        };
        self.refuse_weak();
        let mut start = self.begin_start();
        let main = self.procedure(entry);
        for name in &self.of_rules.handlers {
            if let Some(function) = self.function(name) {
                self.procedure(function);
            }
        }
        let spoken_of = |variable: &crate::tree::Variable| {
            variable.storage == crate::tree::Storage::Static && self.options.variables.contains(&variable.name)
        };
        let variables = (0..).map(VariableId).zip(&self.unit.variables);
        let kept: Vec<VariableId> = variables.filter(|(_, one)| spoken_of(one)).map(|(id, _)| id).collect();
        for id in kept {
            self.variable(id);
        }
        // Lowering a body may reach more functions and variables.
        loop {
            if let Some(function) = self.pending.pop_front() {
                self.lower_function(function);
            } else if let Some(variable) = self.pending_globals.pop_front() {
                start = self.initialise_global(start, variable);
            } else {
                break;
            }
        }
        self.finish_start(start, entry, main);
        Ok(())
    }

    /// The function of this name, if it has a body.
    fn function(&self, name: &str) -> Option<FunctionId> {
        let is_it = |function: &crate::tree::Function| function.name == name && function.definition.is_some();
        let found = self.unit.functions.iter().position(is_it)?;
        u32::try_from(found).ok().map(FunctionId)
    }

    fn assume(&mut self, what: String, span: Span) {
        let assumed = Assumed { what, span };
        if !self.assumed.contains(&assumed) {
            self.assumed.push(assumed);
        }
    }

    fn builder(&mut self, frame: Frame) -> builder::Builder<'_, 'u> {
        builder::Builder { lowering: self, frame }
    }
}
