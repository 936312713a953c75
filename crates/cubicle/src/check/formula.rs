//! Type checking of formulas and terms.

use super::names::Global;
use super::{Binding, Checker, Scope};
use crate::model::*;
use crate::parse::{MAXIMAL_DEPTH, with_other_case};
use crate::syntax::{self, Addend, Argument, Identifier, ProcessName};
use logic::Rational;
use system::{Diagnostic, Span};

/// Nested predicates can grow exponentially when inlined: the maximum number of formulas.
const MAXIMAL_EXPANSION: usize = 100_000;

impl<'p> Checker<'p> {
    pub(super) fn formula(&mut self, formula: &'p syntax::Formula, scope: &mut Scope) -> Formula {
        scope.depth += 1;
        let kind = self.formula_kind(formula, scope);
        scope.depth -= 1;
        Formula {
            kind,
            span: formula.span,
        }
    }

    fn boxed(&mut self, formula: &'p syntax::Formula, scope: &mut Scope) -> Box<Formula> {
        Box::new(self.formula(formula, scope))
    }

    fn formula_kind(&mut self, formula: &'p syntax::Formula, scope: &mut Scope) -> FormulaKind {
        use syntax::FormulaKind as Syntax;
        match &formula.kind {
            Syntax::Boolean(value) => FormulaKind::Boolean(*value),
            Syntax::Compare(comparison, left, right) => self.compare(*comparison, left, right, scope),
            Syntax::Not(a) => FormulaKind::Not(self.boxed(a, scope)),
            Syntax::And(operands) => FormulaKind::And(operands.iter().map(|f| self.formula(f, scope)).collect()),
            Syntax::Or(operands) => FormulaKind::Or(operands.iter().map(|f| self.formula(f, scope)).collect()),
            Syntax::Implies(a, b) => FormulaKind::Implies(self.boxed(a, scope), self.boxed(b, scope)),
            Syntax::Iff(a, b) => FormulaKind::Iff(self.boxed(a, scope), self.boxed(b, scope)),
            Syntax::If(a, b, c) => {
                let condition = self.boxed(a, scope);
                FormulaKind::If(condition, self.boxed(b, scope), self.boxed(c, scope))
            }
            Syntax::Quantified {
                quantifier,
                other,
                variables,
                body,
            } => {
                let visible = scope.visible.len();
                for (number, name) in variables.iter().enumerate() {
                    if variables[..number].iter().any(|before| before.text == name.text) {
                        let message = format!("`{}` is bound twice by one quantifier", name.text);
                        self.report(Diagnostic::error(name.span, message).label("again"));
                    }
                }
                let variables = variables.iter().map(|name| scope.bind(name)).collect();
                let body = self.boxed(body, scope);
                scope.visible.truncate(visible);
                FormulaKind::Quantified {
                    quantifier: *quantifier,
                    other: *other,
                    variables,
                    body,
                }
            }
            Syntax::Call { name, arguments } => self.call(name, arguments, formula.span, scope),
            Syntax::Error => FormulaKind::Error,
        }
    }

    /// Inlines a predicate.
    fn call(&mut self, name: &Identifier, arguments: &'p [Argument], span: Span, scope: &mut Scope) -> FormulaKind {
        let arguments: Vec<Binding> = arguments
            .iter()
            .map(|argument| self.argument(argument, scope))
            .collect();
        let Some(entry) = self.predicates.get(name.text.as_str()) else {
            self.unknown_predicate(name);
            return FormulaKind::Error;
        };
        let (definition, broken) = (entry.definition, entry.broken);
        if definition.parameters.len() != arguments.len() {
            let count = match definition.parameters.len() {
                1 => "1 argument".to_owned(),
                count => format!("{count} arguments"),
            };
            let message = format!("the predicate `{}` takes {count}, not {}", name.text, arguments.len());
            let diagnostic = Diagnostic::error(span, message).label("here");
            self.report(diagnostic.related(definition.name.span, "defined here"));
            return FormulaKind::Error;
        }
        if broken {
            return FormulaKind::Error;
        }
        self.expanded += 1;
        if scope.depth > 2 * MAXIMAL_DEPTH || self.expanded > MAXIMAL_EXPANSION {
            let message = "the predicates used here are nested too deeply, or too large when put in line";
            self.report(Diagnostic::error(span, message).label("here"));
            // Otherwise the same error would be reported at every level above.
            self.expanded = 0;
            if let Some(entry) = self.predicates.get_mut(name.text.as_str()) {
                entry.broken = true;
            }
            return FormulaKind::Error;
        }
        // Only its parameters are visible in a predicate.
        let parameters = definition
            .parameters
            .iter()
            .map(|p| p.text.clone())
            .zip(arguments)
            .collect();
        let outside = std::mem::replace(&mut scope.visible, parameters);
        let before = self.diagnostics.len();
        let formula = self.formula(&definition.formula, scope);
        for diagnostic in &mut self.diagnostics[before..] {
            diagnostic.related.push((span, "where it is used".to_owned()));
        }
        scope.visible = outside;
        formula.kind
    }

    fn unknown_predicate(&mut self, name: &Identifier) {
        if self.program.unread.contains(&name.text) {
            return;
        }
        let mut diagnostic =
            Diagnostic::error(name.span, format!("there is no predicate `{}`", name.text)).label("not defined");
        let later = self.program.items.iter().find_map(|item| match item {
            syntax::Item::Predicate(predicate) if predicate.name.text == name.text => Some(predicate.name.span),
            _ => None,
        });
        if let Some(later) = later {
            diagnostic.message = format!("the predicate `{}` is used before it is defined", name.text);
            diagnostic = diagnostic.related(later, "defined here").help("move its definition up");
        } else if let Some(suggestion) = system::suggest::nearest(&name.text, self.predicates.keys().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{suggestion}`?"));
        }
        self.report(diagnostic);
    }

    fn argument(&mut self, argument: &'p Argument, scope: &mut Scope) -> Binding {
        match argument {
            Argument::Term(term) => match &term.kind {
                // Passed from one predicate to another, its type not known yet.
                syntax::TermKind::Process(ProcessName::Variable(name))
                    if matches!(scope.find(&name.text), Some(Binding::Parameter)) =>
                {
                    Binding::Parameter
                }
                _ => Binding::Term(self.term(term, scope)),
            },
            Argument::Formula(formula) => {
                self.formula(formula, scope);
                self.report(
                    Diagnostic::error(formula.span, "a predicate takes terms, not formulas")
                        .label("a formula")
                        .help("a parameter can only be a term in a comparison, or an index"),
                );
                Binding::Parameter
            }
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &syntax::Term,
        right: &syntax::Term,
        scope: &mut Scope,
    ) -> FormulaKind {
        let (a, b) = (self.term(left, scope), self.term(right, scope));
        if a.ty == Type::Unknown || b.ty == Type::Unknown {
            return FormulaKind::Error;
        }
        if a.ty != b.ty {
            let message = format!("{} cannot be compared with {}", self.of_type(a.ty), self.of_type(b.ty));
            self.mismatch(&a, &b, Diagnostic::error(left.span.to(right.span), message));
            return FormulaKind::Error;
        }
        if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            if !a.ty.is_numeric() && a.ty != Type::Process {
                let message = format!("values of type `{}` have no order", self.model.type_name(a.ty));
                self.report(
                    Diagnostic::error(left.span.to(right.span), message)
                        .label("compared by order")
                        .help("`<` and its like are there for `int`, `real` and `proc`"),
                );
                return FormulaKind::Error;
            }
            self.model.ordered |= a.ty == Type::Process;
        }
        if scope.distinct && comparison == Comparison::Equal {
            self.never_equal(&a, &b, scope);
        }
        match comparison {
            Comparison::Greater => FormulaKind::Compare(Comparison::Less, b, a),
            Comparison::GreaterEqual => FormulaKind::Compare(Comparison::LessEqual, b, a),
            _ => FormulaKind::Compare(comparison, a, b),
        }
    }

    /// Warns about `x = y` for two parameters, which denote different processes.
    fn never_equal(&mut self, a: &Term, b: &Term, scope: &Scope) {
        if let (TermKind::Process(Process::Local(x)), TermKind::Process(Process::Local(y))) = (&a.kind, &b.kind)
            && x != y
            && x.0 < scope.parameters
            && y.0 < scope.parameters
        {
            let (x, y) = (&scope.locals[x.0].name, &scope.locals[y.0].name);
            let message = format!("`{x}` and `{y}` are never the same process");
            self.report(
                Diagnostic::warning(a.span.to(b.span), message)
                    .label("always false")
                    .help("different variables in front denote different processes"),
            );
        }
    }

    /// "a value of type `t`"
    fn of_type(&self, ty: Type) -> String {
        match ty {
            Type::Process => "a process".to_owned(),
            Type::Integer => "an integer".to_owned(),
            Type::Real => "a real number".to_owned(),
            _ => format!("a value of type `{}`", self.model.type_name(ty)),
        }
    }

    /// Completes the message about two terms of different types.
    pub(super) fn mismatch(&mut self, a: &Term, b: &Term, diagnostic: Diagnostic) {
        let mut diagnostic = diagnostic.label(format!(
            "`{}` and `{}`",
            self.model.type_name(a.ty),
            self.model.type_name(b.ty)
        ));
        for (number, other) in [(a, b), (b, a)] {
            if let TermKind::Number(value) = &number.kind {
                if other.ty == Type::Real && value.denominator == 1 {
                    diagnostic = diagnostic.help(format!("real numbers are written with a point: `{value}.0`"));
                } else if other.ty == Type::Integer && value.denominator == 1 {
                    diagnostic = diagnostic.help(format!("integers are written without a point: `{value}`"));
                }
            }
        }
        self.report(diagnostic);
    }

    pub(super) fn term(&mut self, term: &syntax::Term, scope: &Scope) -> Term {
        let (kind, ty) = match &term.kind {
            syntax::TermKind::Name(name) => self.name(name),
            syntax::TermKind::Process(ProcessName::Variable(name)) => match scope.find(&name.text) {
                Some(Binding::Local(id)) => (TermKind::Process(Process::Local(*id)), Type::Process),
                Some(Binding::Term(value)) => (value.kind.clone(), value.ty),
                Some(Binding::Parameter) => (TermKind::Error, Type::Unknown),
                None => {
                    self.unknown_process(name, scope, None);
                    (TermKind::Error, Type::Unknown)
                }
            },
            syntax::TermKind::Process(ProcessName::Constant(number, span)) => match self.constant(*number, *span) {
                Some(process) => (TermKind::Process(process), Type::Process),
                None => (TermKind::Error, Type::Unknown),
            },
            syntax::TermKind::Cell { array, indices } => self.cell(array, indices, term.span, scope),
            syntax::TermKind::Number(number) => match number.value {
                Some(value) => (
                    TermKind::Number(value),
                    if number.is_real { Type::Real } else { Type::Integer },
                ),
                None => (TermKind::Error, Type::Unknown),
            },
            syntax::TermKind::Multiple(multiple) => self.multiple(multiple, false),
            syntax::TermKind::Sum { base, negative, addend } => self.sum(base, *negative, addend, scope),
            syntax::TermKind::Error => (TermKind::Error, Type::Unknown),
        };
        Term {
            kind,
            ty,
            span: term.span,
        }
    }

    fn name(&mut self, name: &Identifier) -> (TermKind, Type) {
        match self.names.global(&name.text) {
            Some(Global::Boolean(value)) => (TermKind::Boolean(value), Type::Boolean),
            Some(Global::Constructor { ty, position, .. }) => (TermKind::Constructor(position), Type::Declared(ty)),
            Some(Global::Symbol(id)) => {
                let symbol = self.model.symbol(id);
                if symbol.arity == 0 {
                    return (TermKind::Read(id, Vec::new()), symbol.ty);
                }
                let help = format!("write which cell is meant: `{}[x]`", name.text);
                let message = format!("`{}` is an array", name.text);
                let diagnostic = Diagnostic::error(name.span, message)
                    .label("used without an index")
                    .help(help);
                self.report(diagnostic);
                (TermKind::Error, Type::Unknown)
            }
            Some(Global::Ambiguous) => (TermKind::Error, Type::Unknown),
            None => {
                self.unknown_global(
                    name,
                    "variable, constant or constructor",
                    |checker, global| match global {
                        Global::Symbol(id) => checker.model.symbol(id).arity == 0,
                        _ => true,
                    },
                );
                (TermKind::Error, Type::Unknown)
            }
        }
    }

    fn cell(&mut self, array: &Identifier, indices: &[ProcessName], span: Span, scope: &Scope) -> (TermKind, Type) {
        let processes: Vec<Option<Process>> = indices.iter().map(|i| self.index(i, scope, None)).collect();
        let Some(symbol) = self.symbol_named(array, "array") else {
            return (TermKind::Error, Type::Unknown);
        };
        let (name, ty, arity) = {
            let symbol = self.model.symbol(symbol);
            (symbol.name.clone(), symbol.ty, symbol.arity)
        };
        if arity == 0 {
            let message = format!("`{name}` is not an array");
            self.report(Diagnostic::error(span, message).label("used with an index"));
            return (TermKind::Error, Type::Unknown);
        }
        if !self.arity(symbol, indices, span) {
            return (TermKind::Error, ty);
        }
        match processes.into_iter().collect() {
            Some(processes) => (TermKind::Read(symbol, processes), ty),
            None => (TermKind::Error, ty),
        }
    }

    /// The process in an array index. `update` is the array if it is on the left of `:=`.
    pub(super) fn index(&mut self, name: &ProcessName, scope: &Scope, update: Option<&str>) -> Option<Process> {
        let name = match name {
            ProcessName::Constant(number, span) => return self.constant(*number, *span),
            ProcessName::Variable(name) => name,
        };
        match scope.find(&name.text) {
            Some(Binding::Local(id)) => Some(Process::Local(*id)),
            Some(Binding::Term(Term {
                kind: TermKind::Process(process),
                ..
            })) => Some(*process),
            Some(Binding::Term(term)) => {
                if term.ty != Type::Unknown {
                    let span = term.span;
                    self.report(
                        Diagnostic::error(name.span, "an array is indexed by process variables and constants only")
                            .label("used as an index")
                            .related(span, format!("`{}` stands for this", name.text)),
                    );
                }
                None
            }
            Some(Binding::Parameter) => None,
            None => {
                self.unknown_process(name, scope, update);
                None
            }
        }
    }

    fn constant(&mut self, number: Option<u32>, span: Span) -> Option<Process> {
        self.process_constant.get_or_insert(span);
        match (self.process_limit, number) {
            (Some((limit, _)), Some(number)) if number <= limit => Some(Process::Constant(number - 1)),
            (Some((limit, declared)), _) => {
                self.report(
                    Diagnostic::error(span, format!("there are {limit} processes only"))
                        .label("not one of them")
                        .related(declared, "declared here"),
                );
                None
            }
            (None, _) => {
                self.report(
                    Diagnostic::error(span, "a process constant needs a number of processes")
                        .label("which process?")
                        .help("start the file with `number_procs` and how many processes there are"),
                );
                None
            }
        }
    }

    fn unknown_process(&mut self, name: &Identifier, scope: &Scope, update: Option<&str>) {
        let miscased = !self.program.complete && self.names.global(&with_other_case(&name.text)).is_some();
        if miscased || self.program.unread.contains(&name.text) {
            // The declaration was wrong, which has been reported.
            return;
        }
        let visible = scope.visible.iter().map(|(name, _)| name.as_str());
        let help = match (update, system::suggest::nearest(&name.text, visible)) {
            (Some(array), _) => format!(
                "to change all cells, write `{array}[{}] := case | ... | _ : ...`",
                name.text
            ),
            (None, Some(suggestion)) => format!("did you mean `{suggestion}`?"),
            (None, None) => "process variables are declared in parentheses in front, or by a quantifier".to_owned(),
        };
        let message = format!("there is no process variable `{}`", name.text);
        self.report(
            Diagnostic::error(name.span, message)
                .label("not declared here")
                .help(help),
        );
    }

    fn multiple(&mut self, multiple: &syntax::Multiple, negative: bool) -> (TermKind, Type) {
        let unknown = (TermKind::Error, Type::Unknown);
        let Some((constant, ty)) = self.numeric_constant(&multiple.constant) else {
            return unknown;
        };
        let Some(factor) = multiple.factor.value else {
            return unknown;
        };
        if multiple.factor.is_real {
            self.report(
                Diagnostic::error(multiple.factor.span, "a factor is a whole number")
                    .label("written with a point")
                    .help("only constants can be multiplied, by whole numbers"),
            );
            return unknown;
        }
        let factor = if negative { factor.checked_neg() } else { Some(factor) };
        match factor {
            Some(factor) => (TermKind::Multiple(factor.numerator, constant), ty),
            None => unknown,
        }
    }

    /// A numeric `const`.
    fn numeric_constant(&mut self, name: &Identifier) -> Option<(SymbolId, Type)> {
        let id = self.symbol_named(name, "constant")?;
        let symbol = self.model.symbol(id);
        let (ty, rigid, declared) = (symbol.ty, symbol.rigid, symbol.span);
        if !rigid {
            self.report(
                Diagnostic::error(name.span, "only numbers and constants can be added or multiplied")
                    .label("not declared with `const`")
                    .related(declared, "declared here"),
            );
            return None;
        }
        if !ty.is_numeric() {
            if ty != Type::Unknown {
                let message = format!("`{}` is not a number", name.text);
                let diagnostic = Diagnostic::error(name.span, message).label("used in a sum or product");
                self.report(diagnostic.related(declared, "declared here"));
            }
            return None;
        }
        Some((id, ty))
    }

    fn sum(&mut self, base: &syntax::Term, negative: bool, addend: &Addend, scope: &Scope) -> (TermKind, Type) {
        let base = self.term(base, scope);
        let (kind, ty, span) = match addend {
            Addend::Number(number) => {
                let value = number
                    .value
                    .and_then(|v| if negative { v.checked_neg() } else { Some(v) });
                let kind = value.map_or(TermKind::Error, TermKind::Number);
                // Cubicle accepts `R + 1` for a real R, and its meaning is clear.
                let ty = if number.is_real { Type::Real } else { base.ty };
                (kind, ty, number.span)
            }
            Addend::Name(name) => {
                let one = syntax::Number {
                    value: Some(Rational::ONE),
                    is_real: false,
                    span: name.span,
                };
                let multiple = syntax::Multiple {
                    factor: one,
                    constant: name.clone(),
                };
                let (kind, ty) = self.multiple(&multiple, negative);
                (kind, ty, name.span)
            }
            Addend::Multiple(multiple) => {
                let (kind, ty) = self.multiple(multiple, negative);
                (kind, ty, multiple.factor.span.to(multiple.constant.span))
            }
        };
        let unknown = (TermKind::Error, Type::Unknown);
        if base.ty == Type::Unknown || ty == Type::Unknown {
            return unknown;
        }
        if !base.ty.is_numeric() {
            let message = format!("{} is not a number", self.of_type(base.ty));
            self.report(Diagnostic::error(base.span, message).label("something is added to it"));
            return unknown;
        }
        let addend = Term { kind, ty, span };
        if base.ty != ty {
            let message = format!("{} cannot be added to {}", self.of_type(ty), self.of_type(base.ty));
            self.mismatch(&base, &addend, Diagnostic::error(base.span.to(span), message));
            return unknown;
        }
        (TermKind::Sum(Box::new(base), Box::new(addend)), ty)
    }
}
