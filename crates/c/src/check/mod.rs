//! Semantic analysis: from the syntax tree to the checked program, with resolved names, types and conversions. What gcc
//! rejects and what we do not support is reported.
//!
//! - [`scope`]: names and their scopes;
//! - [`specifiers`], [`records`], [`declarators`], [`attributes`]: from syntax to types;
//! - [`declarations`], [`functions`], [`initialisers`]: declared entities;
//! - [`conversions`], [`expressions`], [`operators`], [`assignments`], [`calls`], [`builtins`]: expressions;
//! - [`statements`].

mod assignments;
mod attributes;
mod builtins;
mod calls;
mod conversions;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod initialisers;
mod operators;
mod records;
mod scope;
mod specifiers;
mod statements;

use crate::options::Options;
use crate::syntax::{Expression as Syntax, Item, StaticAssertion, TranslationUnit};
use crate::tree::{Expression, Function, FunctionId, Literal, LiteralId, Statement, Unit, Variable, VariableId};
use crate::types::{LengthId, Types};
use crate::{constant, tree};
use declarators::ParameterList;
use functions::FunctionContext;
use scope::Scopes;
use std::collections::HashMap;
use system::{Diagnostic, Span};

/// The checked program and the diagnostics. If there is an error among them, the program must not be used.
pub(crate) fn check(
    library: &TranslationUnit,
    program: &TranslationUnit,
    options: &Options,
) -> (Unit, Vec<Diagnostic>) {
    let mut checker = Checker::new(options);
    for item in &library.items {
        checker.item(item);
    }
    checker.end_library();
    for item in &program.items {
        checker.item(item);
    }
    checker.finish();
    (checker.unit, checker.diagnostics)
}

/// The maximum depth of the tree, on which later passes rely.
const DEEPEST: u32 = 20_000;

struct Checker {
    unit: Unit,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    /// The function whose body is checked.
    function: Option<FunctionContext>,
    /// The parameters of the function declarator checked last.
    parameters: Option<ParameterList>,
    /// The lengths of variable-length arrays in the current declaration.
    lengths: Vec<(LengthId, Expression)>,
    next_length: u32,
    literals: HashMap<(Vec<u32>, u32), LiteralId>,
    /// For variables whose alignment differs from that of their type.
    alignments: HashMap<VariableId, u64>,
    depth: u32,
}

impl Checker {
    fn new(options: &Options) -> Checker {
        let unit = Unit {
            types: Types::new(options.data_model),
            variables: Vec::new(),
            functions: Vec::new(),
            literals: Vec::new(),
            library: HashMap::new(),
        };
        Checker {
            unit,
            diagnostics: Vec::new(),
            scopes: Scopes::new(),
            function: None,
            parameters: None,
            lengths: Vec::new(),
            next_length: 0,
            literals: HashMap::new(),
            alignments: HashMap::new(),
            depth: 0,
        }
    }

    /// Ends the library, whose names are invisible to the program.
    fn end_library(&mut self) {
        let functions = (0..).map(FunctionId).zip(&self.unit.functions);
        let defined = functions.filter(|(_, function)| function.definition.is_some());
        self.unit.library = defined.map(|(id, function)| (function.name.clone(), id)).collect();
        self.scopes = Scopes::new();
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Declaration(declaration) => {
                // Nothing at file scope is executed: initialisers stay with their variables.
                let mut statements = Vec::new();
                self.declaration(declaration, &mut statements);
            }
            Item::Function(definition) => self.function_definition(definition),
            Item::StaticAssertion(assertion) => self.static_assertion(assertion),
            Item::Assembler(span) => {
                let message = "assembler between functions is not supported";
                self.report(Diagnostic::error(*span, message).label("what it defines is not known"));
            }
        }
    }

    fn static_assertion(&mut self, assertion: &StaticAssertion) {
        let Some(value) = self.constant_expression(&assertion.condition, "the condition of a static assertion") else {
            return;
        };
        if value == 0 {
            let message = match &assertion.message {
                Some(message) => format!("static assertion failed: {message}"),
                None => "static assertion failed".to_owned(),
            };
            self.report(Diagnostic::error(assertion.condition.span, message).label("this is 0"));
        }
    }

    /// The value of an integer constant expression, or an error. `role` describes it in messages.
    fn constant_expression(&mut self, syntax: &Syntax, role: &str) -> Option<i128> {
        let checked = self.expression(syntax);
        let checked = self.value(checked);
        if self.unit.types.is_error(checked.expression_type) {
            return None;
        }
        if !self.unit.types.is_integer(checked.expression_type) {
            let name = self.unit.types.name(checked.expression_type);
            self.report(
                Diagnostic::error(syntax.span, format!("{role} is no integer")).label(format!("of type `{name}`")),
            );
            return None;
        }
        let value = constant::integer(&self.unit, &checked);
        if value.is_none() {
            let message = format!("{role} is not constant");
            self.report(Diagnostic::error(syntax.span, message).label("known only when the program runs"));
        }
        value
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error, and returns an error expression, which is never reported again.
    fn wrong(&mut self, diagnostic: Diagnostic) -> Expression {
        let span = diagnostic.span;
        self.report(diagnostic);
        Expression::error(&self.unit.types, span)
    }

    /// Reports an unsupported construct. In an unreachable function, it is ignored.
    fn refuse(&mut self, diagnostic: Diagnostic) {
        match &mut self.function {
            Some(function) => function.refusals.push(diagnostic),
            None => self.report(diagnostic),
        }
    }

    fn refused(&mut self, diagnostic: Diagnostic) -> Expression {
        let span = diagnostic.span;
        self.refuse(diagnostic);
        Expression::error(&self.unit.types, span)
    }

    fn is_error(&self, expression: &Expression) -> bool {
        self.unit.types.is_error(expression.expression_type)
    }

    /// Called before recursion. Returns false, with an error reported, where the tree is too deep.
    fn descend(&mut self, span: Span) -> bool {
        self.depth += 1;
        if self.depth == DEEPEST {
            self.report(Diagnostic::error(span, "this is nested too deeply").label("nothing further in is read"));
        }
        self.depth < DEEPEST
    }

    fn ascend(&mut self) {
        self.depth -= 1;
    }

    fn new_variable(&mut self, variable: Variable) -> VariableId {
        self.unit.variables.push(variable);
        VariableId(u32::try_from(self.unit.variables.len() - 1).unwrap_or(u32::MAX))
    }

    fn new_function(&mut self, function: Function) -> FunctionId {
        self.unit.functions.push(function);
        FunctionId(u32::try_from(self.unit.functions.len() - 1).unwrap_or(u32::MAX))
    }

    /// Equal strings share one object.
    fn literal(&mut self, literal: Literal) -> LiteralId {
        let key = (literal.units.clone(), literal.unit_bytes);
        if let Some(id) = self.literals.get(&key) {
            return *id;
        }
        self.unit.literals.push(literal);
        let id = LiteralId(u32::try_from(self.unit.literals.len() - 1).unwrap_or(u32::MAX));
        self.literals.insert(key, id);
        id
    }

    fn new_length(&mut self) -> LengthId {
        self.next_length += 1;
        LengthId(self.next_length - 1)
    }

    /// The statements that compute the pending array lengths.
    fn take_lengths(&mut self, span: Span) -> Vec<Statement> {
        let lengths = std::mem::take(&mut self.lengths);
        let statement = |(id, value)| Statement {
            kind: tree::StatementKind::Length(id, value),
            span,
        };
        lengths.into_iter().map(statement).collect()
    }
}
