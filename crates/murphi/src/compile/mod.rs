//! Compiles the typed model to the finite instance that the explorer runs.
//!
//! Compilation starts from the typed model, not from the lowered transition system, so that the two are independent
//! translations of the source. The instance follows Rumur in every detail that affects the number of states and of rule
//! firings. Files with unions or multisets, which Rumur rejects, have CMurphi's semantics instead (`self.cmurphi`):
//!
//! - undefined values may be copied by `:=`, passed unless they are numbers of a different type than the parameter, and
//!   returned unless they are numbers;
//! - undefined scalarset and union values may be compared: they equal each other and nothing else;
//! - `for i := 2 to 1` has no iterations, constant or not;
//! - the result of a function is checked against its type.
//!
//! - `layout`: slots of the state and types;
//! - `unit`: the frame of one rule, property or subprogram;
//! - `place`, `expression`, `unions`, `lists`, `loops`, `statement`, `rules`: the code;
//! - `symmetry`, `order`: which scalarsets the explorer may permute.

mod expression;
mod layout;
mod lists;
mod loops;
mod order;
mod place;
mod rules;
mod statement;
mod symmetry;
#[cfg(test)]
mod tests;
mod unions;
mod unit;
mod walk;

use std::collections::BTreeSet;

use system::instance::Instance;
use system::{Diagnostic, Severity, Span};

use crate::model::{Model, TypeId, TypeKind};
use layout::Layout;

/// Options of compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// The integers that index arrays over `integer`, and that choices and loops over `integer` cover.
    pub integer_window: (i64, i64),
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            integer_window: (-8, 8),
        }
    }
}

/// Compiles a model that was checked without errors.
pub fn compile(model: &Model, options: &CompileOptions) -> (Instance, Vec<Diagnostic>) {
    let mut compiler = Compiler {
        model,
        cmurphi: model.is_cmurphi_only(),
        layout: Layout::new(model, options.integer_window),
        instance: Instance::default(),
        diagnostics: Vec::new(),
        linked: BTreeSet::new(),
    };

    compiler
        .layout
        .allocate_state(&mut compiler.instance, &mut compiler.diagnostics);
    if compiler
        .diagnostics
        .iter()
        .any(|message| message.severity == Severity::Error)
    {
        return (Instance::default(), compiler.diagnostics);
    }
    compiler.reject_lists_of_multisets();
    compiler.run();
    (compiler.instance, compiler.diagnostics)
}

struct Compiler<'m> {
    model: &'m Model,
    /// Whether the file has CMurphi's semantics.
    cmurphi: bool,
    layout: Layout<'m>,
    instance: Instance,
    diagnostics: Vec<Diagnostic>,
    /// Scalarset types whose values flow into another scalarset type.
    linked: BTreeSet<TypeId>,
}

impl<'m> Compiler<'m> {
    fn run(&mut self) {
        let model = self.model;
        for subprogram in &model.subprograms {
            let procedure = self.procedure(subprogram);
            self.instance.functions.push(procedure);
        }
        for start in &model.starts {
            let start = self.start(start);
            self.instance.starts.push(start);
        }
        for rule in &model.rules {
            let rule = self.rule(rule);
            self.instance.rules.push(rule);
        }
        for property in &model.properties {
            let property = self.property(property);
            self.instance.properties.push(property);
        }
        self.settle_symmetry();
    }

    /// Whether `havoc` and uninterpreted symbols can enumerate the values of the type.
    fn is_choosable(&self, ty: TypeId) -> bool {
        self.layout.is_simple(ty) && !matches!(self.model.kind(ty), TypeKind::List { .. } | TypeKind::Error)
    }

    fn report_unchoosable(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(span, "lists and multisets cannot be chosen freely in exploration")
                .label("has no bounded set of values"),
        );
    }

    /// A list stores each component of its elements in a list of its own, which multisets do not permit.
    fn reject_lists_of_multisets(&mut self) {
        for ty in &self.model.types {
            if let TypeKind::List { element } = &ty.kind
                && self.layout.contains_multiset(*element)
            {
                self.diagnostics.push(
                    Diagnostic::error(ty.span, "lists of multisets cannot be explored")
                        .label("its elements hold a multiset"),
                );
            }
        }
    }

    /// Reports a local that is too large; the frame of a rule may be as large as the state.
    fn reject_large_frame(&mut self, used: usize, size: usize, span: Span) -> bool {
        if used.saturating_add(size) <= layout::MAXIMUM_SLOTS {
            return false;
        }
        self.diagnostics.push(
            Diagnostic::error(span, "this value is too large to explore")
                .label(format!("takes {size} simple values"))
                .help("choose smaller sizes for its index types"),
        );
        true
    }
}
