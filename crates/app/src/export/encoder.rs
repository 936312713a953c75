//! What the three encodings share: names, declarations, and updates as equations.

use super::one_line;
use logic::smtlib::Declarations;
use logic::substitute::Substitution;
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, Variable, term};
use std::fmt::Write as _;
use system::TransitionSystem;
use system::transition::{Fact, Rule, Symbol, Update};

pub(super) struct Encoder<'a> {
    pub(super) system: &'a TransitionSystem,
    pub(super) declarations: Declarations,
    /// How many more steps the lambda at hand may take.
    steps_left: usize,
}

/// A conditional on several indices can have exponentially many cases: after this many steps a quantifier says it
/// better.
const LARGEST_LAMBDA: usize = 200;

/// The function in the state after a step. No identifier of a model has an apostrophe.
pub(super) fn next(function: Function) -> Function {
    let name = format!("{}'", function.name());
    Function::new(name.as_str(), function.parameters().to_vec(), function.result())
}

impl<'a> Encoder<'a> {
    /// State functions stay functions.
    pub(super) fn of_functions(system: &'a TransitionSystem) -> Encoder<'a> {
        Encoder {
            system,
            declarations: Declarations::default(),
            steps_left: 0,
        }
    }

    /// Everything that is not a constant becomes an array: for languages in which a state consists of constants.
    pub(super) fn of_arrays(system: &'a TransitionSystem) -> Encoder<'a> {
        let mut encoder = Encoder::of_functions(system);
        let symbols = encoder.declarations.symbols_mut();
        for symbol in system.rigid.iter().chain(&system.state) {
            symbols.as_array(symbol.function);
            symbols.as_array(next(symbol.function));
        }
        for choice in steps(system).flat_map(|step| &step.choices) {
            symbols.as_array(*choice);
        }
        encoder
    }

    /// The declarations of all sorts that occur.
    pub(super) fn sorts(&mut self) -> String {
        let mut text = String::new();
        let symbols = self.system.rigid.iter().chain(&self.system.state);
        let choices = steps(self.system).flat_map(|step| step.choices.iter().copied());
        let functions = symbols.map(|symbol| symbol.function).chain(choices);
        let mut sorts: Vec<Sort> = self
            .system
            .index_sorts
            .iter()
            .map(|sort| Sort::Index(sort.name))
            .collect();
        for function in functions {
            sorts.extend(function.parameters());
            sorts.push(function.result());
        }
        for formula in formulas(self.system) {
            for inner in post_order(formula, true) {
                sorts.push(inner.sort());
                if let Kind::Quantified(_, variables, _) = inner.kind() {
                    sorts.extend(variables.iter().map(|variable| variable.sort));
                }
            }
        }
        for sort in sorts {
            self.declarations.declare_sort(sort, &mut text);
        }
        text
    }

    /// Declares the symbols, each with how the user writes it where that is different.
    pub(super) fn declare(&mut self, symbols: &[Symbol], make: impl Fn(Function) -> Function) -> String {
        let mut text = String::new();
        for symbol in symbols {
            self.declarations.declare_function(make(symbol.function), &mut text);
            if symbol.display != symbol.function.name().as_str() && text.ends_with('\n') {
                text.pop();
                let _ = writeln!(text, " ; {}", one_line(&symbol.display));
            }
        }
        text
    }

    /// A name for something that is defined here: the word itself, unless the model has it.
    pub(super) fn name(&mut self, word: &str) -> String {
        let function = Function::constant(format!("{word} of the export").as_str(), Sort::Bool);
        self.declarations.symbols_mut().named(function, word)
    }

    pub(super) fn symbol(&mut self, function: Function) -> String {
        self.declarations.symbols_mut().function(function)
    }

    pub(super) fn term(&mut self, term: Term) -> String {
        self.declarations.term(term)
    }

    pub(super) fn terms(&mut self, terms: impl IntoIterator<Item = Term>) -> Vec<String> {
        terms.into_iter().map(|term| self.term(term)).collect()
    }

    /// `(name sort)`, as a quantifier binds it.
    pub(super) fn bound_variables(&mut self, variables: &[Variable]) -> Vec<String> {
        let symbols = self.declarations.symbols_mut();
        let bound = |variable: &Variable| format!("({} {})", symbols.variable(*variable), symbols.sort(variable.sort));
        variables.iter().map(bound).collect()
    }

    /// The same for constants and arrays.
    pub(super) fn bound_functions(&mut self, functions: &[Function]) -> Vec<String> {
        let symbols = self.declarations.symbols_mut();
        let bound = |function: &Function| {
            let sort = symbols.array_sort(function.parameters(), function.result());
            format!("({} {sort})", symbols.function(*function))
        };
        functions.iter().map(bound).collect()
    }

    /// Parameters and choices of a rule or start, as a quantifier binds them.
    pub(super) fn bound_by(&mut self, rule: &Rule) -> Vec<String> {
        let mut bound = self.bound_variables(&rule.parameters);
        bound.extend(self.bound_functions(&rule.choices));
        bound
    }

    /// That `target` is what the update makes: `target = e`, or `forall u. target(u) = e(u)`.
    pub(super) fn assignment(&mut self, target: Function, update: &Update) -> String {
        match self.array(update) {
            Some(value) if !update.parameters.is_empty() => format!("(= {} {value})", self.symbol(target)),
            _ => {
                let arguments: Vec<Term> = update.parameters.iter().map(|parameter| parameter.term()).collect();
                let equation = term::equal(target.apply(arguments), update.value);
                self.term(term::forall(update.parameters.clone(), equation))
            }
        }
    }

    /// What restricts the state that a start makes: its guard, its updates, its constraint, and the types of what it
    /// leaves open.
    pub(super) fn start(&mut self, start: &Rule) -> Vec<String> {
        let after = start.substitution();
        let mut parts = vec![self.term(start.guard)];
        for update in &start.updates {
            parts.push(self.assignment(update.function, update));
        }
        parts.push(self.term(start.constraint));
        let open = |fact: &&Fact| after.apply(fact.formula) == fact.formula;
        let types: Vec<Term> = self
            .system
            .type_facts
            .iter()
            .filter(open)
            .map(|fact| fact.formula)
            .collect();
        parts.extend(self.terms(types));
        parts
    }

    /// The new value of an updated array without quantifiers, or `None` where it takes one.
    pub(super) fn array(&mut self, update: &Update) -> Option<String> {
        if !self.declarations.symbols().is_array(update.function) {
            return update.parameters.is_empty().then(|| self.term(update.value));
        }
        self.steps_left = LARGEST_LAMBDA;
        self.lambda(&update.parameters, update.value)
    }

    /// `lambda parameters. value` as constant arrays, stores and conditionals.
    ///
    /// `lambda u. u = t ? v(u) : w(u)` is `(store W t v(t))`, where `W` is `lambda u. w(u)`; for several parameters
    /// `v(t)` is an array itself.
    fn lambda(&mut self, parameters: &[Variable], value: Term) -> Option<String> {
        let Some((first, rest)) = parameters.split_first() else {
            return Some(self.term(value));
        };
        self.steps_left = self.steps_left.checked_sub(1)?;
        if !mentions(value, &[*first]) {
            let element = self.lambda(rest, value)?;
            let sorts: Vec<Sort> = parameters.iter().map(|parameter| parameter.sort).collect();
            let sort = self.declarations.symbols_mut().array_sort(&sorts, value.sort());
            return Some(format!("((as const {sort}) {element})"));
        }
        if let Some(array) = self.eta(parameters, value) {
            return Some(array);
        }
        let (condition, then, otherwise) = conditional(value, parameters)?;
        if !mentions(condition, parameters) {
            let condition = self.term(condition);
            let (then, otherwise) = (self.lambda(parameters, then)?, self.lambda(parameters, otherwise)?);
            return Some(format!("(ite {condition} {then} {otherwise})"));
        }
        let (index, remaining) = pinned(*first, condition, parameters)?;
        let at_index = Substitution::of_variables([(*first, index)]);
        let element = at_index.apply(term::ite(remaining, then, otherwise));
        let (base, element) = (self.lambda(parameters, otherwise)?, self.lambda(rest, element)?);
        Some(format!("(store {base} {} {element})", self.term(index)))
    }

    /// `lambda u. f(t, u)` is `(select f t)`.
    fn eta(&mut self, parameters: &[Variable], value: Term) -> Option<String> {
        let Kind::Apply(function, arguments) = value.kind() else {
            return None;
        };
        let (front, back) = arguments.split_at(arguments.len().checked_sub(parameters.len())?);
        let same = back
            .iter()
            .zip(parameters)
            .all(|(argument, parameter)| *argument == parameter.term());
        if !same || front.iter().any(|argument| mentions(*argument, parameters)) {
            return None;
        }
        let array = self.symbol(*function);
        let select = |array: String, index: String| format!("(select {array} {index})");
        Some(self.terms(front.iter().copied()).into_iter().fold(array, select))
    }
}

fn mentions(term: Term, variables: &[Variable]) -> bool {
    variables
        .iter()
        .any(|variable| term.free_variables().binary_search(variable).is_ok())
}

/// The term as `condition ? then : otherwise`, where the condition pins the first parameter or depends on none.
fn conditional(value: Term, parameters: &[Variable]) -> Option<(Term, Term, Term)> {
    let first = *parameters.first()?;
    let useful = |condition: Term| !mentions(condition, parameters) || pinned(first, condition, parameters).is_some();
    let without = |operands: &[Term], position: usize| {
        let rest = operands.iter().enumerate().filter(move |(other, _)| *other != position);
        rest.map(|(_, operand)| *operand).collect::<Vec<Term>>()
    };
    match value.kind() {
        Kind::Ite(condition, then, otherwise) => match condition.kind() {
            _ if useful(*condition) => Some((*condition, *then, *otherwise)),
            Kind::Not(inner) => conditional(term::ite(*inner, *otherwise, *then), parameters),
            Kind::Or(operands) => {
                let position = operands.iter().position(|operand| useful(*operand))?;
                let rest = term::or(without(operands, position));
                Some((operands[position], *then, term::ite(rest, *then, *otherwise)))
            }
            _ => None,
        },
        Kind::Or(operands) => {
            let position = operands.iter().position(|operand| useful(*operand))?;
            Some((
                operands[position],
                term::bool(true),
                term::or(without(operands, position)),
            ))
        }
        Kind::And(operands) => {
            let position = operands.iter().position(|operand| useful(term::not(*operand)))?;
            let condition = term::not(operands[position]);
            Some((condition, term::bool(false), term::and(without(operands, position))))
        }
        Kind::Implies(condition, then) if useful(*condition) => Some((*condition, *then, term::bool(true))),
        Kind::Not(inner) => {
            let (condition, then, otherwise) = conditional(*inner, parameters)?;
            Some((condition, term::not(then), term::not(otherwise)))
        }
        _ => None,
    }
}

/// The index `t` and the rest `c` of a condition `parameter = t and c`, where `t` depends on no parameter.
fn pinned(parameter: Variable, condition: Term, parameters: &[Variable]) -> Option<(Term, Term)> {
    match condition.kind() {
        Kind::Equal(left, right) => {
            let pins = |side: Term, other: Term| side == parameter.term() && !mentions(other, parameters);
            let index = if pins(*left, *right) {
                *right
            } else if pins(*right, *left) {
                *left
            } else {
                return None;
            };
            Some((index, term::bool(true)))
        }
        Kind::And(operands) => operands.iter().enumerate().find_map(|(position, operand)| {
            let (index, _) = pinned(parameter, *operand, parameters)?;
            let others = operands.iter().enumerate().filter(|(other, _)| *other != position);
            Some((index, term::and(others.map(|(_, operand)| *operand))))
        }),
        _ => None,
    }
}

pub(super) fn steps(system: &TransitionSystem) -> impl Iterator<Item = &Rule> {
    system.starts.iter().chain(&system.rules)
}

fn formulas(system: &TransitionSystem) -> impl Iterator<Item = Term> {
    let facts = system.axioms.iter().chain(&system.type_facts).map(|fact| fact.formula);
    let of_step = |step: &Rule| {
        let values = step.updates.iter().map(|update| update.value);
        let conditions = step.assertions.iter().map(|assertion| assertion.condition);
        [step.guard, step.constraint]
            .into_iter()
            .chain(values)
            .chain(conditions)
            .collect::<Vec<Term>>()
    };
    let properties = system.properties.iter().map(|property| property.formula);
    facts.chain(steps(system).flat_map(of_step)).chain(properties)
}
