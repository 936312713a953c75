//! SMT-LIB 2 text of terms, declarations and whole scripts, accepted by both Z3 and cvc5.
//!
//! Index sorts become uninterpreted sorts, enumerations datatypes with constants only, lists sequences. Free
//! variables become constants.

mod printer;
mod symbols;

pub use symbols::{Meaning, Symbols};

use crate::sort::{EnumSort, Sort};
use crate::term::{Function, Kind, Term, Variable};
use crate::traverse::post_order;
use std::collections::HashSet;
use std::fmt;

/// Displays a term as SMT-LIB 2.
pub struct TermText(pub Term);

impl fmt::Display for TermText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printer::print(self.0, &mut Symbols::default()))
    }
}

/// Symbols and the declarations made so far: in a dialogue with a solver, each term only needs the declarations that
/// are new.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    symbols: Symbols,
    declared_sorts: HashSet<Sort>,
    declared: HashSet<Meaning>,
}

impl Declarations {
    /// The declaration commands that the term needs and that were not returned before, one per line.
    pub fn declare(&mut self, term: Term) -> String {
        let mut commands = String::new();
        let subterms = post_order(term, true);
        for inner in &subterms {
            self.declare_sort(inner.sort(), &mut commands);
            match inner.kind() {
                Kind::Apply(function, _) => self.declare_function(*function, &mut commands),
                Kind::Quantified(_, variables, _) => {
                    variables
                        .iter()
                        .for_each(|variable| self.declare_sort(variable.sort, &mut commands));
                }
                _ => {}
            }
        }
        // After the functions, so that functions keep their names in a conflict.
        for variable in term.free_variables() {
            self.declare_variable(*variable, &mut commands);
        }
        commands
    }

    /// Declares a function even if no term uses it yet.
    pub fn declare_function(&mut self, function: Function, commands: &mut String) {
        if !self.declared.insert(Meaning::Function(function)) {
            return;
        }
        for sort in function.parameters().iter().chain([&function.result()]) {
            self.declare_sort(*sort, commands);
        }
        let symbol = self.symbols.function(function);
        if self.symbols.is_array(function) {
            let sort = self.symbols.array_sort(function.parameters(), function.result());
            commands.push_str(&format!("(declare-fun {symbol} () {sort})\n"));
            return;
        }
        let parameters: Vec<String> = function
            .parameters()
            .iter()
            .map(|sort| self.symbols.sort(*sort))
            .collect();
        let result = self.symbols.sort(function.result());
        commands.push_str(&format!("(declare-fun {symbol} ({}) {result})\n", parameters.join(" ")));
    }

    /// Declares a variable as a constant.
    pub fn declare_variable(&mut self, variable: Variable, commands: &mut String) {
        if self.declared.insert(Meaning::Variable(variable)) {
            self.declare_sort(variable.sort, commands);
            let (symbol, sort) = (self.symbols.variable(variable), self.symbols.sort(variable.sort));
            commands.push_str(&format!("(declare-fun {symbol} () {sort})\n"));
        }
    }

    pub fn declare_sort(&mut self, sort: Sort, commands: &mut String) {
        if !self.declared_sorts.insert(sort) {
            return;
        }
        match sort {
            Sort::Bool | Sort::Int | Sort::Real | Sort::BitVector(_) => {}
            Sort::List(element) => self.declare_sort(*element, commands),
            Sort::Index(_) => {
                let symbol = self.symbols.sort(sort);
                commands.push_str(&format!("(declare-sort {symbol} 0)\n"));
            }
            Sort::Enum(enumeration) => self.declare_enumeration(enumeration, commands),
        }
    }

    fn declare_enumeration(&mut self, enumeration: EnumSort, commands: &mut String) {
        let symbol = self.symbols.sort(Sort::Enum(enumeration));
        let values: Vec<String> = (0u32..)
            .zip(enumeration.values())
            .map(|(position, _)| format!("({})", self.symbols.enumerator(enumeration, position)))
            .collect();
        commands.push_str(&format!(
            "(declare-datatypes (({symbol} 0)) (({})))\n",
            values.join(" ")
        ));
    }

    /// The text of a term; [`Declarations::declare`] returns its declarations.
    pub fn term(&mut self, term: Term) -> String {
        printer::print(term, &mut self.symbols)
    }

    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    pub fn symbols_mut(&mut self) -> &mut Symbols {
        &mut self.symbols
    }
}

/// An SMT-LIB script under construction. Declarations are displayed first, so that a `(pop)` never removes them.
#[derive(Clone, Debug, Default)]
pub struct Script {
    declarations: Declarations,
    header: String,
    declared: String,
    commands: String,
}

impl Script {
    /// A script in logic `ALL`.
    pub fn new() -> Script {
        Script {
            header: "(set-logic ALL)\n".to_owned(),
            ..Script::default()
        }
    }

    /// A comment at the beginning, before any command.
    pub fn title(&mut self, text: &str) {
        self.header.insert_str(0, &commented(text));
    }

    pub fn comment(&mut self, text: &str) {
        self.commands.push_str(&commented(text));
    }

    /// Declares a function even if no assertion uses it.
    pub fn declare_function(&mut self, function: Function) {
        self.declarations.declare_function(function, &mut self.declared);
    }

    pub fn assert(&mut self, formula: Term) {
        let text = self.text(formula);
        self.commands.push_str(&format!("(assert {text})\n"));
    }

    /// The text of a term; its declarations are added to the script.
    pub fn text(&mut self, term: Term) -> String {
        self.declared.push_str(&self.declarations.declare(term));
        self.declarations.term(term)
    }

    pub fn push(&mut self) {
        self.commands.push_str("(push 1)\n");
    }

    pub fn pop(&mut self) {
        self.commands.push_str("(pop 1)\n");
    }

    pub fn check_sat(&mut self) {
        self.commands.push_str("(check-sat)\n");
    }

    /// Any other command, such as `(set-info :status unsat)`.
    pub fn command(&mut self, text: &str) {
        self.commands.push_str(text);
        self.commands.push('\n');
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.header, self.declared, self.commands)
    }
}

/// The text as comment lines. Only a line feed ends a comment for every solver; a carriage return may for some.
fn commented(text: &str) -> String {
    text.split(['\n', '\r']).map(|line| format!("; {line}\n")).collect()
}

#[cfg(test)]
mod tests;
