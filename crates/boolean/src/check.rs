//! Name resolution: from the syntax tree to the program, with diagnostics.

use crate::program::{Action, Expression, LabelId, Procedure, ProcedureId, Program, Statement, Variable};
use crate::syntax::{self, ExpressionKind, File, Identifier, Operator};
use std::collections::{BTreeMap, BTreeSet};
use system::suggest::nearest;
use system::{Diagnostic, Span};

/// The entry procedure.
const ENTRY: &str = "main";

/// The program of a syntax tree. It is valid only where nothing is reported.
pub(crate) fn check(file: &File, whole: Span) -> (Program, Vec<Diagnostic>) {
    let mut checker = Checker {
        file,
        globals: BTreeMap::new(),
        procedures: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    let program = checker.program(whole);
    let mut diagnostics = checker.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    (program, diagnostics)
}

struct Checker<'a> {
    file: &'a File,
    globals: BTreeMap<&'a str, usize>,
    procedures: BTreeMap<&'a str, usize>,
    diagnostics: Vec<Diagnostic>,
}

/// The names in a procedure.
#[derive(Default)]
struct Scope<'a> {
    name: &'a str,
    results: usize,
    locals: BTreeMap<&'a str, usize>,
    /// The index of each label, and its first source location.
    labels: BTreeMap<&'a str, (usize, Span)>,
    label_names: Vec<String>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Assigns indices to names, and reports duplicates.
    fn declare(&mut self, what: &str, names: impl Iterator<Item = &'a Identifier>) -> BTreeMap<&'a str, usize> {
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        for (number, name) in names.enumerate() {
            if let Some(before) = first.get(name.text.as_str()) {
                let message = format!("the {what} `{}` is already declared", name.text);
                let diagnostic = Diagnostic::error(name.span, message).label("declared again here");
                self.report(diagnostic.related(*before, "first declared here"));
            } else {
                first.insert(&name.text, name.span);
                numbers.insert(name.text.as_str(), number);
            }
        }
        numbers
    }

    fn program(&mut self, whole: Span) -> Program {
        let file = self.file;
        self.globals = self.declare("variable", file.globals.iter());
        self.procedures = self.declare("procedure", file.procedures.iter().map(|procedure| &procedure.name));
        let entry = self.procedures.get(ENTRY).copied();
        if entry.is_none() && !file.unread.contains(ENTRY) {
            let diagnostic = Diagnostic::error(whole, format!("there is no procedure `{ENTRY}`"));
            self.report(
                diagnostic
                    .label("runs begin there")
                    .help("write `void main() begin ... end`"),
            );
        }
        let nowhere = Scope::default();
        let enforced = file.enforced.iter().map(|e| self.expression(e, &nowhere, false));
        Program {
            globals: texts(&file.globals),
            enforced: enforced.collect(),
            procedures: file
                .procedures
                .iter()
                .map(|procedure| self.procedure(procedure))
                .collect(),
            entry: ProcedureId(entry.unwrap_or(0)),
        }
    }

    fn procedure(&mut self, procedure: &'a syntax::Procedure) -> Procedure {
        let locals = self.declare("local", procedure.parameters.iter().chain(&procedure.locals));
        let mut scope = Scope {
            name: &procedure.name.text,
            results: procedure.results,
            locals,
            ..Scope::default()
        };
        self.labels(&procedure.body, &mut scope);
        let enforced = procedure.enforced.iter().map(|e| self.expression(e, &scope, false));
        Procedure {
            name: procedure.name.text.clone(),
            parameters: texts(&procedure.parameters),
            locals: texts(&procedure.locals),
            results: procedure.results,
            enforced: enforced.collect(),
            body: self.block(&procedure.body, &scope),
            labels: scope.label_names,
            origin: Some(procedure.name.span),
        }
    }

    /// Collects all labels. SLAM repeats a label before one statement; that is one label.
    fn labels(&mut self, block: &'a [syntax::Statement], scope: &mut Scope<'a>) {
        for statement in block {
            let mut here = BTreeSet::new();
            for label in statement.labels.iter().filter(|label| here.insert(&label.text)) {
                if let Some((_, before)) = scope.labels.get(label.text.as_str()) {
                    let message = format!("the label `{}` stands before another statement already", label.text);
                    let diagnostic = Diagnostic::error(label.span, message).label("again here");
                    self.report(diagnostic.related(*before, "first here"));
                } else {
                    let number = scope.label_names.len();
                    scope.labels.insert(&label.text, (number, label.span));
                    scope.label_names.push(label.text.clone());
                }
            }
            match &statement.action {
                syntax::Action::If { then, otherwise, .. } => {
                    self.labels(then, scope);
                    self.labels(otherwise, scope);
                }
                syntax::Action::While { body, .. } => self.labels(body, scope),
                _ => {}
            }
        }
    }

    fn block(&mut self, block: &[syntax::Statement], scope: &Scope<'_>) -> Vec<Statement> {
        block.iter().map(|statement| self.statement(statement, scope)).collect()
    }

    fn statement(&mut self, statement: &syntax::Statement, scope: &Scope<'_>) -> Statement {
        let mut labels: Vec<LabelId> = Vec::new();
        for label in &statement.labels {
            let number = scope
                .labels
                .get(label.text.as_str())
                .map(|(number, _)| LabelId(*number));
            labels.extend(number.filter(|number| !labels.contains(number)));
        }
        Statement {
            labels,
            action: self.action(statement, scope),
            origin: Some(statement.span),
        }
    }

    fn action(&mut self, statement: &syntax::Statement, scope: &Scope<'_>) -> Action {
        match &statement.action {
            syntax::Action::Skip(printed) => {
                self.expressions(printed, scope);
                Action::Skip
            }
            syntax::Action::Assign {
                targets,
                values,
                constraint,
            } => {
                if targets.len() != values.len() {
                    let (targets, values) = (counted(targets.len(), "variable"), counted(values.len(), "value"));
                    let message = format!("{values} for {targets}");
                    self.report(Diagnostic::error(statement.span, message).label("the numbers differ"));
                }
                Action::Assign {
                    targets: self.targets(targets, scope),
                    values: self.expressions(values, scope),
                    constraint: constraint.as_ref().map(|e| self.expression(e, scope, true)),
                }
            }
            syntax::Action::Dead(variables) => Action::Dead(self.targets(variables, scope)),
            syntax::Action::Assume(condition) => Action::Assume(self.expression(condition, scope, false)),
            syntax::Action::Assert(condition) => Action::Assert(self.expression(condition, scope, false)),
            syntax::Action::Goto(labels) => {
                let found = labels.iter().map(|label| self.label(label, scope));
                Action::Goto(found.collect())
            }
            syntax::Action::Call {
                results,
                procedure,
                arguments,
            } => self.call(results, procedure, arguments, scope),
            syntax::Action::Return(values) => {
                if values.len() != scope.results {
                    let (found, stated) = (counted(values.len(), "value"), counted(scope.results, "value"));
                    let message = format!("`{}` returns {stated}, and {found} here", scope.name);
                    self.report(Diagnostic::error(statement.span, message).label("the numbers differ"));
                }
                Action::Return(self.expressions(values, scope))
            }
            syntax::Action::If {
                condition,
                then,
                otherwise,
            } => Action::If {
                condition: self.expression(condition, scope, false),
                then: self.block(then, scope),
                otherwise: self.block(otherwise, scope),
            },
            syntax::Action::While { condition, body } => Action::While {
                condition: self.expression(condition, scope, false),
                body: self.block(body, scope),
            },
        }
    }

    /// The targets of a parallel assignment.
    fn targets(&mut self, names: &[Identifier], scope: &Scope<'_>) -> Vec<Variable> {
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        for name in names {
            if let Some(before) = first.insert(&name.text, name.span) {
                let message = format!("`{}` is written to twice at once", name.text);
                let diagnostic = Diagnostic::error(name.span, message).label("again here");
                self.report(diagnostic.related(before, "first here"));
            }
        }
        names
            .iter()
            .map(|name| self.variable(&name.text, name.span, scope))
            .collect()
    }

    fn label(&mut self, label: &Identifier, scope: &Scope<'_>) -> LabelId {
        if let Some((number, _)) = scope.labels.get(label.text.as_str()) {
            return LabelId(*number);
        }
        if !self.file.unread.contains(&label.text) {
            let message = format!("there is no label `{}` in `{}`", label.text, scope.name);
            let near = nearest(&label.text, scope.labels.keys().copied());
            self.report(with_hint(
                Diagnostic::error(label.span, message).label("not found"),
                near,
            ));
        }
        LabelId(0)
    }

    fn call(
        &mut self,
        results: &[Identifier],
        procedure: &Identifier,
        arguments: &[syntax::Expression],
        scope: &Scope<'_>,
    ) -> Action {
        let number = self.procedures.get(procedure.text.as_str()).copied();
        match number.and_then(|number| self.file.procedures.get(number)) {
            Some(called) => {
                let name = &called.name.text;
                if called.parameters.len() != arguments.len() {
                    let (wanted, given) = (called.parameters.len(), counted(arguments.len(), "argument"));
                    let message = format!("`{name}` has {}, and {given} here", counted(wanted, "parameter"));
                    let diagnostic = Diagnostic::error(procedure.span, message).label("the numbers differ");
                    self.report(diagnostic.related(called.name.span, "declared here"));
                }
                if called.results != results.len() {
                    let (wanted, given) = (called.results, counted(results.len(), "variable"));
                    let returned = counted(wanted, "value");
                    let message = format!("`{name}` returns {returned} for {given}");
                    let diagnostic = Diagnostic::error(procedure.span, message).label("the numbers differ");
                    self.report(diagnostic.related(called.name.span, "declared here"));
                }
            }
            None if self.file.unread.contains(&procedure.text) => {}
            None => {
                let message = format!("there is no procedure `{}`", procedure.text);
                let near = nearest(&procedure.text, self.procedures.keys().copied());
                self.report(with_hint(
                    Diagnostic::error(procedure.span, message).label("not declared"),
                    near,
                ));
            }
        }
        Action::Call {
            results: self.targets(results, scope),
            procedure: ProcedureId(number.unwrap_or(0)),
            arguments: self.expressions(arguments, scope),
        }
    }

    fn variable(&mut self, name: &str, span: Span, scope: &Scope<'_>) -> Variable {
        if let Some(number) = scope.locals.get(name) {
            return Variable::Local(*number);
        }
        if let Some(number) = self.globals.get(name) {
            return Variable::Global(*number);
        }
        if !self.file.unread.contains(name) {
            let candidates = scope.locals.keys().chain(self.globals.keys()).copied();
            let near = nearest(name, candidates);
            let message = format!("there is no variable `{name}`");
            self.report(with_hint(Diagnostic::error(span, message).label("not declared"), near));
        }
        Variable::Global(0)
    }

    fn expressions(&mut self, expressions: &[syntax::Expression], scope: &Scope<'_>) -> Vec<Expression> {
        expressions.iter().map(|e| self.expression(e, scope, false)).collect()
    }

    fn expression(&mut self, expression: &syntax::Expression, scope: &Scope<'_>, may_be_next: bool) -> Expression {
        let inner = |checker: &mut Self, e: &syntax::Expression| checker.expression(e, scope, may_be_next);
        match &expression.kind {
            ExpressionKind::Constant(value) => Expression::Constant(*value),
            ExpressionKind::Any => Expression::Any,
            ExpressionKind::Name(name) => Expression::Variable(self.variable(name, expression.span, scope)),
            ExpressionKind::Next(name) => {
                if !may_be_next {
                    let message = format!("`'{name}` means something only after `constrain`");
                    let label = "the value after an assignment";
                    self.report(Diagnostic::error(expression.span, message).label(label));
                }
                Expression::Next(self.variable(name, expression.span, scope))
            }
            ExpressionKind::Not(of) => inner(self, of).negated(),
            ExpressionKind::And(parts) => Expression::And(parts.iter().map(|part| inner(self, part)).collect()),
            ExpressionKind::Or(parts) => Expression::Or(parts.iter().map(|part| inner(self, part)).collect()),
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (Box::new(inner(self, left)), Box::new(inner(self, right)));
                match operator {
                    Operator::Implies => Expression::Implies(left, right),
                    Operator::Equal => Expression::Equal(left, right),
                    Operator::Differ => Expression::Differ(left, right),
                    Operator::Choose => Expression::Choose(left, right),
                }
            }
        }
    }
}

fn texts(names: &[Identifier]) -> Vec<String> {
    names.iter().map(|name| name.text.clone()).collect()
}

fn counted(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn with_hint(diagnostic: Diagnostic, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}
