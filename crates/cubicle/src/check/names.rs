//! Declarations of types and symbols, and the lookup of names.

use super::Checker;
use crate::model::*;
use crate::syntax::{self, Identifier, Item, SymbolKind};
use std::collections::BTreeMap;
use system::{Diagnostic, Span};

/// The meaning of names with global scope.
#[derive(Default)]
pub(super) struct Names {
    types: BTreeMap<String, (Type, Option<Span>)>,
    globals: BTreeMap<String, Global>,
}

/// The meaning of a name with a capital first letter.
#[derive(Clone, Copy)]
pub(super) enum Global {
    Symbol(SymbolId),
    Constructor {
        ty: TypeId,
        position: usize,
        span: Span,
    },
    Boolean(bool),
    /// Declared twice, which was reported: its meaning is ambiguous.
    Ambiguous,
}

impl Names {
    pub(super) fn global(&self, name: &str) -> Option<Global> {
        self.globals.get(name).copied()
    }
}

impl Checker<'_> {
    pub(super) fn declarations(&mut self) {
        for (name, ty) in [
            ("proc", Type::Process),
            ("bool", Type::Boolean),
            ("int", Type::Integer),
            ("real", Type::Real),
        ] {
            self.names.types.insert(name.to_owned(), (ty, None));
        }
        for (name, value) in [("True", true), ("False", false)] {
            self.names.globals.insert(name.to_owned(), Global::Boolean(value));
        }
        let program = self.program;
        for item in &program.items {
            match item {
                Item::NumberOfProcesses { number, span } => self.process_limit(*number, *span),
                Item::Type {
                    name,
                    constructors,
                    span,
                } => self.declare_type(name, constructors.as_deref(), *span),
                _ => {}
            }
        }
        for item in &program.items {
            if let Item::Symbol {
                kind,
                name,
                indices,
                ty,
                span,
            } = item
            {
                self.declare_symbol(*kind, name, indices, ty, *span);
            }
        }
    }

    fn process_limit(&mut self, number: Option<u32>, span: Span) {
        if let Some((_, first)) = self.process_limit {
            self.report(
                Diagnostic::error(span, "`number_procs` is given twice")
                    .label("again")
                    .related(first, "first here"),
            );
            return;
        }
        match number {
            Some(number) if number > 0 => self.process_limit = Some((number, span)),
            Some(_) => self.report(
                Diagnostic::error(span, "there is always at least one process")
                    .label("not a number of processes")
                    .help("leave `number_procs` out where their number is not limited"),
            ),
            None => {
                let label = "not a number of processes";
                self.report(Diagnostic::error(span, "the number of processes is out of range").label(label));
            }
        }
    }

    fn declare_type(&mut self, name: &Identifier, constructors: Option<&[Identifier]>, span: Span) {
        if let Some((_, first)) = self.names.types.get(&name.text) {
            let diagnostic = Diagnostic::error(name.span, format!("the type `{}` is declared twice", name.text));
            let diagnostic = match first {
                Some(first) => diagnostic.label("again").related(*first, "first here"),
                None => diagnostic.label("the name of a built-in type"),
            };
            self.report(diagnostic);
            return;
        }
        let ty = TypeId(self.model.types.len());
        self.names
            .types
            .insert(name.text.clone(), (Type::Declared(ty), Some(name.span)));
        let mut names = Vec::new();
        for constructor in constructors.into_iter().flatten() {
            let global = Global::Constructor {
                ty,
                position: names.len(),
                span: constructor.span,
            };
            if self.declare_global(constructor, "a constructor", global) {
                names.push(constructor.text.clone());
            }
        }
        self.model.types.push(TypeDefinition {
            name: name.text.clone(),
            constructors: constructors.map(|_| names),
            span,
        });
    }

    fn declare_symbol(
        &mut self,
        kind: SymbolKind,
        name: &Identifier,
        indices: &[Identifier],
        ty: &Identifier,
        span: Span,
    ) {
        for index in indices {
            if index.text != "proc" {
                self.report(
                    Diagnostic::error(index.span, "arrays are indexed by processes only")
                        .label("not `proc`")
                        .help("write `proc`"),
                );
            }
        }
        let ty = self.type_named(ty);
        let what = match kind {
            SymbolKind::Variable => "a variable",
            SymbolKind::Constant => "a constant",
            SymbolKind::Array => "an array",
        };
        let id = SymbolId(self.model.symbols.len());
        if self.declare_global(name, what, Global::Symbol(id)) {
            self.model.symbols.push(Symbol {
                name: name.text.clone(),
                arity: indices.len(),
                ty,
                rigid: kind == SymbolKind::Constant,
                span,
            });
        }
    }

    /// Declares a name; false if it was declared before.
    fn declare_global(&mut self, name: &Identifier, what: &str, global: Global) -> bool {
        let Some(first) = self.names.global(&name.text) else {
            self.names.globals.insert(name.text.clone(), global);
            return true;
        };
        let message = format!("the name `{}` is taken", name.text);
        let diagnostic = Diagnostic::error(name.span, message).label(format!("declared again as {what}"));
        let diagnostic = match first {
            Global::Symbol(id) => diagnostic.related(self.model.symbol(id).span, "first declared here"),
            Global::Constructor { span, .. } => diagnostic.related(span, "a constructor since here"),
            Global::Boolean(_) => diagnostic.help("`True` and `False` are the values of `bool`"),
            Global::Ambiguous => diagnostic,
        };
        self.report(diagnostic);
        if matches!((first, global), (Global::Symbol(_), _) | (_, Global::Symbol(_))) {
            self.names.globals.insert(name.text.clone(), Global::Ambiguous);
        }
        false
    }

    fn type_named(&mut self, name: &Identifier) -> Type {
        if let Some((ty, _)) = self.names.types.get(&name.text) {
            return *ty;
        }
        if self.program.unread.contains(&name.text) {
            return Type::Unknown;
        }
        let suggestion = system::suggest::nearest(&name.text, self.names.types.keys().map(String::as_str));
        let help = match (name.text.as_str(), suggestion) {
            ("integer", _) => "the type is called `int`".to_owned(),
            ("boolean", _) => "the type is called `bool`".to_owned(),
            (_, Some(suggestion)) => format!("did you mean `{suggestion}`?"),
            (text, None) => format!("declare it with `type {text} = ...`, or use proc, bool, int or real"),
        };
        let message = format!("there is no type `{}`", name.text);
        self.report(Diagnostic::error(name.span, message).label("not known").help(help));
        Type::Unknown
    }

    /// Reports an undeclared name with a capital first letter.
    pub(super) fn unknown_global(&mut self, name: &Identifier, what: &str, wanted: impl Fn(&Self, Global) -> bool) {
        if self.program.unread.contains(&name.text) {
            return;
        }
        let candidates = self.names.globals.iter().filter(|(_, global)| wanted(self, **global));
        let suggestion = system::suggest::nearest(&name.text, candidates.map(|(name, _)| name.as_str()));
        let help = match suggestion {
            Some(suggestion) => format!("did you mean `{suggestion}`?"),
            None => "variables, constants, arrays and constructors are declared at the start of the file".to_owned(),
        };
        let message = format!("there is no {what} `{}`", name.text);
        self.report(Diagnostic::error(name.span, message).label("not declared").help(help));
    }

    /// The symbol with this name, if it is one.
    pub(super) fn symbol_named(&mut self, name: &Identifier, what: &str) -> Option<SymbolId> {
        match self.names.global(&name.text) {
            Some(Global::Symbol(id)) => Some(id),
            Some(Global::Ambiguous) => None,
            Some(_) => {
                let message = format!("`{}` is a value, not a {what}", name.text);
                self.report(Diagnostic::error(name.span, message).label("a constructor"));
                None
            }
            None => {
                self.unknown_global(name, what, |_, global| matches!(global, Global::Symbol(_)));
                None
            }
        }
    }

    /// Reports a wrong number of indices.
    pub(super) fn arity(&mut self, symbol: SymbolId, indices: &[syntax::ProcessName], span: Span) -> bool {
        let symbol = self.model.symbol(symbol);
        if symbol.arity == indices.len() {
            return true;
        }
        let count = |n: usize| {
            if n == 1 {
                "1 index".to_owned()
            } else {
                format!("{n} indices")
            }
        };
        let declared = symbol.span;
        let message = format!("`{}` takes {}, not {}", symbol.name, count(symbol.arity), indices.len());
        let diagnostic = Diagnostic::error(span, message)
            .label("here")
            .related(declared, "declared here");
        self.report(diagnostic);
        false
    }
}
