//! Translates formulas and terms of the model to the logic.

use super::Lowering;
use crate::model::*;
use logic::sort::Sort;
use logic::{Name, Variable, term};
use std::collections::BTreeSet;

/// The process variables of one block or transition.
pub(super) struct Scope<'l, 'm> {
    lowering: &'l Lowering<'m>,
    /// One variable per local, all distinct: a quantifier may reuse a name that its body still needs.
    variables: Vec<Variable>,
    parameters: usize,
}

impl<'l, 'm> Scope<'l, 'm> {
    pub(super) fn new(lowering: &'l Lowering<'m>, locals: &[Local], parameters: usize) -> Scope<'l, 'm> {
        let mut taken: BTreeSet<String> = locals.iter().map(|local| local.name.clone()).collect();
        let mut used = BTreeSet::new();
        let mut variables = Vec::new();
        for local in locals {
            let mut name = local.name.clone();
            if !used.insert(name.clone()) {
                let mut number = 1;
                while taken.contains(&name) {
                    name = format!("{}_{number}", local.name);
                    number += 1;
                }
                taken.insert(name.clone());
            }
            variables.push(Variable::new(name.as_str(), lowering.lowered.processes));
        }
        Scope {
            lowering,
            variables,
            parameters,
        }
    }

    pub(super) fn variable(&self, id: LocalId) -> Variable {
        self.variables[id.0]
    }

    pub(super) fn parameters(&self) -> &[Variable] {
        &self.variables[..self.parameters]
    }

    /// A variable outside the scope.
    pub(super) fn fresh(&self, number: usize) -> Variable {
        let base = Variable::new(
            ["i", "j", "k"].get(number).copied().unwrap_or("l"),
            self.lowering.lowered.processes,
        );
        let other = |v: Variable| self.variables.contains(&v);
        // Beyond three indices, the number disambiguates.
        let base = match number {
            0..=2 => base,
            _ => Variable {
                name: Name::new(&format!("l{number}")),
                ..base
            },
        };
        logic::substitute::fresh_variable(base, other)
    }

    fn process(&self, process: Process) -> logic::Term {
        match process {
            Process::Local(id) => self.variable(id).term(),
            Process::Constant(number) => {
                // The checker has ensured that there is one for each number.
                self.lowering.constants[number as usize].apply([])
            }
        }
    }

    pub(super) fn processes(&self, processes: &[Process]) -> Vec<logic::Term> {
        processes.iter().map(|process| self.process(*process)).collect()
    }

    pub(super) fn term(&self, term: &Term) -> logic::Term {
        let sort = self.lowering.sort(term.ty);
        match &term.kind {
            TermKind::Process(process) => self.process(*process),
            TermKind::Boolean(value) => term::bool(*value),
            TermKind::Constructor(position) => match sort {
                Sort::Enum(values) => term::enumerator(values, *position),
                _ => term::bool(false),
            },
            TermKind::Number(value) => match term.ty {
                Type::Real => term::real(*value),
                _ => term::int(value.numerator),
            },
            TermKind::Read(symbol, indices) => self.lowering.function(*symbol).apply(self.processes(indices)),
            TermKind::Multiple(factor, symbol) => {
                let factor = match term.ty {
                    Type::Real => term::real(logic::Rational::from_integer(*factor)),
                    _ => term::int(*factor),
                };
                term::multiply(factor, self.lowering.function(*symbol).apply([]))
            }
            TermKind::Sum(base, addend) => term::add([self.term(base), self.term(addend)]),
            // Models with errors are not lowered.
            TermKind::Error => term::bool(false),
        }
    }

    fn compare(&self, comparison: Comparison, left: &Term, right: &Term) -> logic::Term {
        let (a, b) = (self.term(left), self.term(right));
        let less = |a, b| match self.lowering.less {
            Some(less) if left.ty == Type::Process => less.apply([a, b]),
            _ => term::less(a, b),
        };
        let less_equal = |a, b| match left.ty {
            Type::Process => term::or([less(a, b), term::equal(a, b)]),
            _ => term::less_equal(a, b),
        };
        match comparison {
            Comparison::Equal => term::equal(a, b),
            Comparison::NotEqual => term::distinct(a, b),
            Comparison::Less => less(a, b),
            Comparison::LessEqual => less_equal(a, b),
            Comparison::Greater => less(b, a),
            Comparison::GreaterEqual => less_equal(b, a),
        }
    }

    pub(super) fn formula(&self, formula: &Formula) -> logic::Term {
        match &formula.kind {
            FormulaKind::Boolean(value) => term::bool(*value),
            FormulaKind::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            FormulaKind::Not(a) => term::not(self.formula(a)),
            FormulaKind::And(operands) => term::and(operands.iter().map(|f| self.formula(f))),
            FormulaKind::Or(operands) => term::or(operands.iter().map(|f| self.formula(f))),
            FormulaKind::Implies(a, b) => term::implies(self.formula(a), self.formula(b)),
            FormulaKind::Iff(a, b) => term::equal(self.formula(a), self.formula(b)),
            FormulaKind::If(a, b, c) => term::ite(self.formula(a), self.formula(b), self.formula(c)),
            FormulaKind::Quantified {
                quantifier,
                other,
                variables,
                body,
            } => {
                let variables: Vec<Variable> = variables.iter().map(|id| self.variable(*id)).collect();
                let mut range = vec![self.lowering.distinct_processes(&variables)];
                if *other {
                    for variable in &variables {
                        let differs = |p: &Variable| term::distinct(p.term(), variable.term());
                        range.extend(self.parameters().iter().map(differs));
                    }
                }
                let (range, body) = (term::and(range), self.formula(body));
                match quantifier {
                    Quantifier::Forall => term::forall(variables, term::implies(range, body)),
                    Quantifier::Exists => term::exists(variables, term::and([range, body])),
                }
            }
            FormulaKind::Error => term::bool(false),
        }
    }

    /// The first branch whose condition holds, otherwise the default.
    pub(super) fn value(&self, value: &Value) -> logic::Term {
        let default = self.term(&value.default);
        let branches = value.branches.iter().rev();
        branches.fold(default, |rest, (condition, term)| {
            term::ite(self.formula(condition), self.term(term), rest)
        })
    }
}
