//! From the checked program to control-flow automata.
//!
//! Whatever can be reached from the function where runs begin is lowered; nothing else is. Each file has one concern:
//!
//! - [`types`]: types; [`objects`]: variables, literals and functions, made where they are met first;
//! - [`builder`]: the automaton of a procedure while it grows; [`scopes`]: whose life begins and ends where;
//! - [`values`]: values without effects; [`places`]; [`expressions`]; [`branches`]; [`calls`]; [`variadic`];
//! - [`statements`]; [`switches`]; [`initialisers`]; [`image`]: bytes that are known before the program runs;
//! - [`start`]: what happens before and after the user's first function.

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

/// Something that was taken for granted, because it is not in the file.
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
    /// Which procedure each function became, in the order of the functions.
    pub(crate) functions: Vec<(FunctionId, ProcedureId)>,
}

/// The functions that rules name.
#[derive(Debug, Default)]
pub(crate) struct RuleFunctions {
    /// Lowered though the program does not call them.
    pub(crate) handlers: BTreeSet<String>,
    /// Functions with events. Each call of theirs is a step of its own, so that handlers can be woven in.
    pub(crate) watched: BTreeSet<String>,
    /// Pointers of the library: each that lies in another file points at an object of its own.
    pub(crate) variables: BTreeSet<String>,
}

/// None where there is no first function, about which there is a message.
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

/// The type that comparisons have.
const INT: Integer = Integer::new(32, true);

struct Lowering<'u> {
    unit: &'u Unit,
    options: &'u Options,
    of_rules: &'u RuleFunctions,
    sources: &'u Sources,
    program: Program,
    assumed: Vec<Assumed>,
    diagnostics: Vec<Diagnostic>,
    /// Those of the unit, and such that only the library needs.
    own_types: crate::types::Types,
    type_ids: HashMap<program::Type, program::TypeId>,
    known_types: HashMap<crate::types::TypeId, program::TypeId>,
    records: HashMap<crate::types::RecordId, program::RecordId>,
    variables: HashMap<VariableId, program::VariableId>,
    literals: HashMap<LiteralId, program::VariableId>,
    functions: HashMap<FunctionId, ProcedureId>,
    /// Functions that nobody declared, and that were looked at.
    refused: HashSet<FunctionId>,
    /// Procedures of the library that nobody named.
    hidden: HashMap<Library, ProcedureId>,
    /// Functions whose bodies are still to be lowered.
    pending: VecDeque<FunctionId>,
    /// Variables whose initial values hold addresses, or which lie in another file.
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
        // Whatever is reached may reach more.
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
