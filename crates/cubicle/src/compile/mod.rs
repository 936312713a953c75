//! Compiles the model to a finite instance with a given number of processes, for exploration and replay.
//!
//! Compilation starts from the checked tree, not from the lowered system, so that the two are independent translations
//! of the source and can be compared.

mod code;
mod layout;
mod start;
mod update;

use crate::model::*;
use code::Code;
use layout::Layout;
pub(crate) use layout::{Shape, display};
use system::instance::{self, Expression, Instance, PropertyKind};
use system::{Diagnostic, Span};

/// Options of compilation.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    pub processes: u32,
    /// The range of an arbitrary number, integer or real.
    pub integer_window: (i64, i64),
    /// The number of values of type `proc` that are no process; `None` means one if the model needs them, otherwise
    /// none.
    pub outsiders: Option<u32>,
    /// The number of values of an abstract type.
    pub abstract_values: u32,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            processes: 3,
            integer_window: (-4, 15),
            outsiders: None,
            abstract_values: 2,
        }
    }
}

/// The maximum number of slots, and of instances of a conjunct of the initial condition.
const MAXIMAL_SIZE: usize = 1_000_000;

/// Compiles an instance. It is empty if a diagnostic is an error.
pub fn compile(model: &Model, options: &CompileOptions) -> (Instance, Vec<Diagnostic>) {
    let layout = match refusal(model, options) {
        Some(diagnostic) => Err(diagnostic),
        None => Layout::new(model, options),
    };
    match layout {
        Ok(layout) => {
            let mut compiler = Compiler {
                model,
                layout: &layout,
                diagnostics: Vec::new(),
            };
            let instance = compiler.instance();
            let mut diagnostics = compiler.diagnostics;
            if diagnostics.is_empty() {
                diagnostics.extend(start::warning(model, &instance));
                (instance, diagnostics)
            } else {
                (Instance::default(), diagnostics)
            }
        }
        Err(diagnostic) => (Instance::default(), vec![diagnostic]),
    }
}

/// Why there is no instance of this size.
fn refusal(model: &Model, options: &CompileOptions) -> Option<Diagnostic> {
    let nowhere = Span::default();
    if model.broken {
        return Some(Diagnostic::error(nowhere, "a file with errors cannot be explored"));
    }
    let n = options.processes;
    match model.processes {
        _ if n == 0 => Some(Diagnostic::error(nowhere, "there is always at least one process")),
        Processes::AtMost(limit) if n > limit => {
            let message = format!("this file allows at most {limit} processes (`number_procs`), not {n}");
            Some(Diagnostic::error(nowhere, message))
        }
        Processes::Exactly(count) if n != count => {
            let message =
                format!("this file is about {count} processes (`number_procs` and constants such as `#1`), not {n}");
            Some(Diagnostic::error(nowhere, message))
        }
        _ if options.integer_window.0 > options.integer_window.1 => {
            Some(Diagnostic::error(nowhere, "the window for integers is empty"))
        }
        _ if options.abstract_values == 0 => {
            Some(Diagnostic::error(nowhere, "an abstract type has at least one value"))
        }
        _ => None,
    }
}

struct Compiler<'m> {
    model: &'m Model,
    layout: &'m Layout,
    diagnostics: Vec<Diagnostic>,
}

impl Compiler<'_> {
    fn instance(&mut self) -> Instance {
        let (starts, chosen) = self.start();
        let rules = self
            .model
            .transitions
            .iter()
            .map(|transition| self.rule(transition))
            .collect();
        let properties = self
            .model
            .unsafes
            .iter()
            .enumerate()
            .map(|(n, block)| self.property(n, block))
            .collect();
        Instance {
            types: self.layout.types.clone(),
            slots: self.layout.slots.clone(),
            families: self.layout.families.clone(),
            starts,
            rules,
            properties,
            windowed: self.layout.incomplete || chosen || self.chooses_numbers(),
            ..Instance::default()
        }
    }

    fn chooses_numbers(&self) -> bool {
        let mut updates = self.model.transitions.iter().flat_map(|transition| &transition.updates);
        updates.any(|update| {
            matches!(update.kind, UpdateKind::Arbitrary) && self.model.symbol(update.symbol).ty.is_numeric()
        })
    }

    fn rule(&mut self, transition: &Transition) -> instance::Rule {
        let mut code = self.code(&transition.locals, transition.parameters);
        let mut guard = code.pairwise_distinct(transition.parameters);
        guard.push(code.formula(&transition.guard));
        let guard = code::conjunction(guard);
        let body = code.updates(&transition.updates);
        let frame = code.frame;
        let diagnostics = code.diagnostics;
        self.diagnostics.extend(diagnostics);
        instance::Rule {
            name: transition.name.clone(),
            priority: 0,
            parameters: self.parameters(&transition.locals[..transition.parameters]),
            prologue: Vec::new(),
            guard,
            body,
            frame,
            span: transition.span,
        }
    }

    /// The property that no distinct processes satisfy the formula.
    fn property(&mut self, number: usize, block: &Block) -> instance::Property {
        let mut code = self.code(&block.locals, block.variables);
        let mut bad = code.pairwise_distinct(block.variables);
        bad.push(code.formula(&block.formula));
        let (frame, diagnostics) = (code.frame, code.diagnostics);
        self.diagnostics.extend(diagnostics);
        instance::Property {
            name: property_name(number),
            kind: PropertyKind::Invariant,
            parameters: self.parameters(&block.locals[..block.variables]),
            prologue: Vec::new(),
            condition: Expression::Unary(instance::Unary::Not, Box::new(code::conjunction(bad))),
            frame,
            span: block.span,
        }
    }

    fn code(&self, locals: &[Local], parameters: usize) -> Code<'_> {
        Code::new(self.layout, locals.len(), parameters)
    }

    fn parameters(&self, locals: &[Local]) -> Vec<instance::Parameter> {
        let parameter = |local: &Local| instance::Parameter {
            name: local.name.clone(),
            ty: layout::PROCESS,
            low: 0,
            high: self.layout.shape.processes - 1,
            step: 1,
        };
        locals.iter().map(parameter).collect()
    }
}

/// The name of an `unsafe` formula; `number` counts from 0.
pub(crate) fn property_name(number: usize) -> String {
    format!("unsafe {}", number + 1)
}
