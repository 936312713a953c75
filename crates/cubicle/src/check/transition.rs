//! Transitions and their updates.

use super::{Binding, Checker, Scope};
use crate::model::*;
use crate::syntax::{self, Branch, ProcessName, UpdateValue};
use system::{Diagnostic, Span};

impl<'p> Checker<'p> {
    pub(super) fn transition(&mut self, transition: &'p syntax::Transition) {
        let mut scope = Scope::new(true);
        self.parameters(&transition.parameters, &mut scope, true);
        let guard = match &transition.guard {
            Some(guard) => self.formula(guard, &mut scope),
            None => Formula::default(),
        };
        for (name, value) in &transition.lets {
            let value = self.term(value, &scope);
            scope.visible.push((name.text.clone(), Binding::Term(value)));
        }
        let mut updates: Vec<Update> = Vec::new();
        for update in &transition.updates {
            let Some(checked) = self.update(update, &mut scope) else {
                continue;
            };
            match updates.iter().find(|before| before.symbol == checked.symbol) {
                Some(before) => {
                    let first = before.span;
                    self.changed_twice(update, first);
                }
                None => updates.push(checked),
            }
        }
        self.model.transitions.push(Transition {
            name: transition.name.text.clone(),
            parameters: scope.parameters,
            locals: scope.locals,
            guard,
            updates,
            span: transition.span,
        });
    }

    fn changed_twice(&mut self, update: &syntax::Update, first: Span) {
        let name = &update.target.text;
        let message = format!("`{name}` is changed twice in one transition");
        let mut diagnostic = Diagnostic::error(update.span, message)
            .label("again")
            .related(first, "first here");
        if update.indices.is_some() {
            diagnostic = diagnostic.help(format!(
                "write one update with several branches: `{name}[j] := case | ...`"
            ));
        }
        self.report(diagnostic);
    }

    fn update(&mut self, update: &'p syntax::Update, scope: &mut Scope) -> Option<Update> {
        let symbol = self.symbol_named(&update.target, "variable or array")?;
        let (name, arity, ty, rigid, declared) = {
            let symbol = self.model.symbol(symbol);
            (symbol.name.clone(), symbol.arity, symbol.ty, symbol.rigid, symbol.span)
        };
        if rigid {
            self.report(
                Diagnostic::error(update.target.span, format!("`{name}` is a constant and never changes"))
                    .label("changed here")
                    .related(declared, "declared here")
                    .help("declare it with `var` to change it"),
            );
            return None;
        }
        let kind = match (&update.indices, arity) {
            (None, 0) => self.variable_update(symbol, ty, update, scope),
            (Some(indices), 1..) => self.array_update(symbol, ty, indices, update, scope)?,
            (None, _) => {
                let help = format!("change one cell with `{name}[x] := ...`, or all with `{name}[j] := case ...`");
                let message = format!("`{name}` is an array");
                self.report(
                    Diagnostic::error(update.target.span, message)
                        .label("changed as a whole")
                        .help(help),
                );
                return None;
            }
            (Some(_), _) => {
                let message = format!("`{name}` is not an array");
                let diagnostic = Diagnostic::error(update.target.span, message).label("used with an index");
                self.report(diagnostic.related(declared, "declared here"));
                return None;
            }
        };
        Some(Update {
            symbol,
            kind,
            span: update.span,
        })
    }

    fn variable_update(
        &mut self,
        symbol: SymbolId,
        ty: Type,
        update: &'p syntax::Update,
        scope: &mut Scope,
    ) -> UpdateKind {
        match &update.value {
            UpdateValue::Arbitrary(_) => UpdateKind::Arbitrary,
            UpdateValue::Term(term) => {
                let default = self.assigned(term, ty, scope);
                UpdateKind::Variable(Value {
                    branches: Vec::new(),
                    default,
                })
            }
            UpdateValue::Case(branches) => UpdateKind::Variable(self.case(branches, symbol, Vec::new(), update, scope)),
            UpdateValue::Error => UpdateKind::Arbitrary,
        }
    }

    fn array_update(
        &mut self,
        symbol: SymbolId,
        ty: Type,
        indices: &[ProcessName],
        update: &'p syntax::Update,
        scope: &mut Scope,
    ) -> Option<UpdateKind> {
        let name = &update.target.text;
        match &update.value {
            UpdateValue::Term(term) => {
                let processes: Vec<_> = indices.iter().map(|i| self.index(i, scope, Some(name))).collect();
                let fits = self.arity(symbol, indices, update.target.span);
                let value = self.assigned(term, ty, scope);
                let processes: Option<Vec<Process>> = processes.into_iter().collect();
                processes
                    .filter(|_| fits)
                    .map(|processes| UpdateKind::Cell(processes, value))
            }
            UpdateValue::Case(branches) => {
                let visible = scope.visible.len();
                let fits = self.arity(symbol, indices, update.target.span);
                let locals = self.update_variables(name, indices, scope);
                let own = locals.iter().flatten().map(|id| Process::Local(*id)).collect();
                let value = self.case(branches, symbol, own, update, scope);
                scope.visible.truncate(visible);
                locals.filter(|_| fits).map(|locals| UpdateKind::All(locals, value))
            }
            UpdateValue::Arbitrary(span) => {
                self.report(
                    Diagnostic::error(*span, "a cell of an array cannot take an arbitrary value")
                        .label("only variables can")
                        .help("choose the value in a variable (`X := .`) one step earlier"),
                );
                None
            }
            UpdateValue::Error => None,
        }
    }

    /// The index variables of `A[i, j] := case`: new names, bound in the branches.
    fn update_variables(&mut self, array: &str, indices: &[ProcessName], scope: &mut Scope) -> Option<Vec<LocalId>> {
        let first = scope.locals.len();
        let mut locals = Vec::new();
        for index in indices {
            let ProcessName::Variable(name) = index else {
                self.report(
                    Diagnostic::error(index.span(), "`case` changes all cells of an array")
                        .label("not a variable")
                        .help(format!("write `{array}[j] := case | j = ... : ... | _ : {array}[j]`")),
                );
                continue;
            };
            let taken = scope.locals[..scope.parameters]
                .iter()
                .any(|local| local.name == name.text);
            let repeated = scope.locals[first..].iter().any(|local| local.name == name.text);
            if taken {
                let text = &name.text;
                self.report(
                    Diagnostic::error(name.span, format!("`{text}` is a parameter of the transition"))
                        .label("`case` changes all cells and needs a name of its own")
                        .help(format!(
                            "write `{array}[j] := case | j = {text} : ... | _ : {array}[j]`"
                        )),
                );
            } else if repeated {
                let message = format!("`{}` stands for two indices", name.text);
                self.report(Diagnostic::error(name.span, message).label("again"));
            } else {
                locals.push(scope.bind(name));
            }
        }
        (locals.len() == indices.len()).then_some(locals)
    }

    /// `own` are the indices of the updated cell.
    fn case(
        &mut self,
        branches: &'p [Branch],
        symbol: SymbolId,
        own: Vec<Process>,
        update: &'p syntax::Update,
        scope: &mut Scope,
    ) -> Value {
        let ty = self.model.symbol(symbol).ty;
        let mut checked = Vec::new();
        let mut default = None;
        for branch in branches {
            let condition = branch
                .condition
                .as_ref()
                .map(|condition| self.formula(condition, scope));
            let value = self.assigned(&branch.value, ty, scope);
            match condition {
                Some(condition) => checked.push((condition, value)),
                None => default = Some(value),
            }
        }
        let default = default.unwrap_or_else(|| {
            self.no_default(branches, update);
            Term {
                kind: TermKind::Read(symbol, own),
                ty,
                span: update.span,
            }
        });
        Value {
            branches: checked,
            default,
        }
    }

    /// If no condition of a `case` holds, the behaviour of Cubicle depends on its engine.
    fn no_default(&mut self, branches: &[Branch], update: &syntax::Update) {
        let span = branches.last().map_or(update.span, |branch| branch.span);
        let mut target = update.target.text.clone();
        let names: Vec<&str> = update
            .indices
            .iter()
            .flatten()
            .filter_map(|index| match index {
                ProcessName::Variable(name) => Some(name.text.as_str()),
                ProcessName::Constant(..) => None,
            })
            .collect();
        if !names.is_empty() {
            target = format!("{target}[{}]", names.join(", "));
        }
        self.report(
            Diagnostic::warning(span, "this `case` does not say what happens when no condition holds")
                .label("the last branch")
                .help(format!(
                    "the value is then left as it is; end with `| _ : {target}` to say so"
                )),
        );
    }

    /// A term on the right of `:=`.
    fn assigned(&mut self, term: &syntax::Term, ty: Type, scope: &Scope) -> Term {
        let value = self.term(term, scope);
        if value.ty != ty && value.ty != Type::Unknown && ty != Type::Unknown {
            let message = format!(
                "a value of type `{}` cannot be assigned to one of type `{}`",
                self.model.type_name(value.ty),
                self.model.type_name(ty)
            );
            let target = Term {
                kind: TermKind::Error,
                ty,
                span: term.span,
            };
            self.mismatch(&value, &target, Diagnostic::error(term.span, message));
        }
        value
    }
}
