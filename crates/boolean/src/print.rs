//! Programs as text that parses back to the same program.

use crate::program::{Action, Expression, Procedure, ProcedureId, Program, Statement, Variable};
use std::fmt::{self, Display, Write as _};

/// The binding strength of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Compare,
    Or,
    And,
    Operand,
}

/// Names of variables, for printing.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub program: &'a Program,
    pub procedure: ProcedureId,
}

impl<'a> Names<'a> {
    /// `a & !b`
    pub fn expression(self, expression: &Expression) -> String {
        let mut text = String::new();
        self.write(&mut text, expression, Level::Implies);
        text
    }

    pub fn variable(self, variable: Variable) -> &'a str {
        self.program.name(self.procedure, variable)
    }

    /// A statement in one line; for `if` and `while`, the condition.
    pub fn action(self, action: &Action) -> String {
        match action {
            Action::Skip => "skip".to_owned(),
            Action::Assign {
                targets,
                values,
                constraint,
            } => {
                let constraint = constraint
                    .as_ref()
                    .map(|e| format!(" constrain {}", self.expression(e)));
                let (targets, values) = (self.variables(targets), self.expressions(values));
                format!("{targets} := {values}{}", constraint.unwrap_or_default())
            }
            Action::Dead(variables) => format!("dead {}", self.variables(variables)),
            Action::Assume(condition) => format!("assume({})", self.expression(condition)),
            Action::Assert(condition) => format!("assert({})", self.expression(condition)),
            Action::Goto(labels) => {
                let labels: Vec<&str> = labels.iter().map(|label| self.label(label.0)).collect();
                format!("goto {}", labels.join(", "))
            }
            Action::Call {
                results,
                procedure,
                arguments,
            } => {
                let called = self
                    .program
                    .procedures
                    .get(procedure.0)
                    .map_or("?", |called| &called.name);
                let call = format!("{called}({})", self.expressions(arguments));
                match results.is_empty() {
                    true => call,
                    false => format!("{} := {call}", self.variables(results)),
                }
            }
            Action::Return(values) if values.is_empty() => "return".to_owned(),
            Action::Return(values) => format!("return {}", self.expressions(values)),
            Action::If { condition, .. } => format!("if ({})", self.expression(condition)),
            Action::While { condition, .. } => format!("while ({})", self.expression(condition)),
        }
    }

    fn label(self, number: usize) -> &'a str {
        let procedure = self.program.procedures.get(self.procedure.0);
        procedure
            .and_then(|procedure| procedure.labels.get(number))
            .map_or("?", String::as_str)
    }

    fn variables(self, variables: &[Variable]) -> String {
        let names: Vec<&str> = variables.iter().map(|variable| self.variable(*variable)).collect();
        names.join(", ")
    }

    fn expressions(self, expressions: &[Expression]) -> String {
        let texts: Vec<String> = expressions.iter().map(|e| self.expression(e)).collect();
        texts.join(", ")
    }

    /// In parentheses where it binds more loosely than `least`.
    fn write(self, text: &mut String, expression: &Expression, least: Level) {
        let level = level(expression);
        if level < least {
            text.push('(');
            self.write(text, expression, Level::Implies);
            text.push(')');
            return;
        }
        match expression {
            Expression::Constant(value) => text.push(if *value { 'T' } else { 'F' }),
            Expression::Any => text.push('*'),
            Expression::Variable(variable) => text.push_str(self.variable(*variable)),
            Expression::Next(variable) => {
                text.push('\'');
                text.push_str(self.variable(*variable));
            }
            Expression::Not(inner) => {
                text.push('!');
                self.write(text, inner, Level::Operand);
            }
            Expression::And(parts) => self.joined(text, parts, " & ", Level::Operand),
            Expression::Or(parts) => self.joined(text, parts, " | ", Level::And),
            Expression::Implies(a, b) => self.pair(text, (a, Level::Compare), " => ", (b, Level::Implies)),
            Expression::Equal(a, b) => self.pair(text, (a, Level::Or), " = ", (b, Level::Or)),
            Expression::Differ(a, b) => self.pair(text, (a, Level::Or), " != ", (b, Level::Or)),
            Expression::Choose(a, b) => {
                text.push_str("schoose[");
                self.pair(text, (a, Level::Implies), ", ", (b, Level::Implies));
                text.push(']');
            }
        }
    }

    fn joined(self, text: &mut String, parts: &[Expression], between: &str, least: Level) {
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                text.push_str(between);
            }
            self.write(text, part, least);
        }
    }

    fn pair(self, text: &mut String, first: (&Expression, Level), between: &str, second: (&Expression, Level)) {
        self.write(text, first.0, first.1);
        text.push_str(between);
        self.write(text, second.0, second.1);
    }

    fn block(self, text: &mut String, block: &[Statement], depth: usize) {
        for statement in block {
            self.statement(text, statement, depth);
        }
    }

    fn statement(self, text: &mut String, statement: &Statement, depth: usize) {
        let indent = "  ".repeat(depth);
        for label in &statement.labels {
            let _ = writeln!(text, "{}{}:", "  ".repeat(depth.saturating_sub(1)), self.label(label.0));
        }
        let _ = write!(text, "{indent}{}", self.action(&statement.action));
        match &statement.action {
            Action::If { then, otherwise, .. } => {
                text.push_str(" then\n");
                self.block(text, then, depth + 1);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{indent}else");
                    self.block(text, otherwise, depth + 1);
                }
                let _ = write!(text, "{indent}fi");
            }
            Action::While { body, .. } => {
                text.push_str(" do\n");
                self.block(text, body, depth + 1);
                let _ = write!(text, "{indent}od");
            }
            _ => {}
        }
        text.push_str(";\n");
    }

    fn procedure(self, text: &mut String, procedure: &Procedure) {
        let results = match procedure.results {
            0 => "void".to_owned(),
            1 => "bool".to_owned(),
            several => format!("bool<{several}>"),
        };
        let parameters = procedure.parameters.join(", ");
        let _ = writeln!(text, "{results} {}({parameters}) begin", procedure.name);
        if !procedure.locals.is_empty() {
            let _ = writeln!(text, "  decl {};", procedure.locals.join(", "));
        }
        for invariant in &procedure.enforced {
            let _ = writeln!(text, "  enforce {};", self.expression(invariant));
        }
        self.block(text, &procedure.body, 1);
        text.push_str("end\n");
    }
}

fn level(expression: &Expression) -> Level {
    match expression {
        Expression::Implies(..) => Level::Implies,
        Expression::Equal(..) | Expression::Differ(..) => Level::Compare,
        Expression::Or(_) => Level::Or,
        Expression::And(_) => Level::And,
        _ => Level::Operand,
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if !self.globals.is_empty() {
            let _ = writeln!(text, "decl {};", self.globals.join(", "));
        }
        let names = |procedure| Names {
            program: self,
            procedure: ProcedureId(procedure),
        };
        for invariant in &self.enforced {
            // It mentions globals only.
            let _ = writeln!(text, "enforce {};", names(usize::MAX).expression(invariant));
        }
        for (number, procedure) in self.procedures.iter().enumerate() {
            if !text.is_empty() {
                text.push('\n');
            }
            names(number).procedure(&mut text, procedure);
        }
        f.write_str(&text)
    }
}
