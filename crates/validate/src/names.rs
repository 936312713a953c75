//! The symbols of a certificate: declarations, and the names of what it defines.
//!
//! They are given in an order that depends on the system alone, so that the certificate of a system is always the
//! same text.

use crate::obligation::{Obligation, Part, Step};
use logic::smtlib::Declarations;
use logic::substitute::functions_of;
use logic::traverse::post_order;
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use system::transition::{Rule, Symbol, TransitionSystem};

/// The names of all that a certificate declares and defines.
pub(crate) struct Names<'a> {
    pub(crate) declarations: Declarations,
    /// Declarations of the rigid symbols, of the state, and of other symbols.
    pub(crate) declared: [String; 3],
    pub(crate) axioms: Group,
    pub(crate) types: Group,
    pub(crate) facts: Vec<String>,
    /// The conjunction of types and facts.
    pub(crate) invariant: String,
    /// By their positions in the system.
    pub(crate) properties: Vec<String>,
    pub(crate) steps: Vec<StepNames<'a>>,
}

/// Names of formulas, and the name of their conjunction.
pub(crate) struct Group {
    pub(crate) names: Vec<String>,
    pub(crate) all: String,
}

/// What is defined for a rule or start.
pub(crate) struct StepNames<'a> {
    pub(crate) step: Step,
    pub(crate) rule: &'a Rule,
    pub(crate) guard: String,
    pub(crate) constraint: String,
    pub(crate) assertions: Group,
    /// For each update, the function that is what the updated one is afterwards, and its symbol.
    pub(crate) after: Vec<(Function, String)>,
}

impl StepNames<'_> {
    /// The formula about the state after the step: the same, with the functions of that state.
    pub(crate) fn afterwards(&self, formula: Term) -> Term {
        let renamed = self.rule.updates.iter().zip(&self.after).map(|(update, (after, _))| {
            let arguments: Vec<Term> = update.parameters.iter().map(|parameter| parameter.term()).collect();
            let lambda = Lambda {
                parameters: update.parameters.clone(),
                body: after.apply(arguments),
            };
            (update.function, lambda)
        });
        Substitution::of_functions(renamed).apply(formula)
    }
}

impl<'a> Names<'a> {
    /// For a certificate with this many facts. Of the obligations only those matter that are made of formulas that
    /// occur nowhere else.
    pub(crate) fn new(system: &'a TransitionSystem, facts: usize, obligations: &[Obligation]) -> Names<'a> {
        let mut declarations = Declarations::default();
        let declared = declare_all(system, obligations, &mut declarations);
        let mut define = |name: &str| declarations.symbols_mut().definition(name);
        let mut group = |word: &str, all: &str, count: usize| Group {
            names: (1..=count).map(|number| define(&format!("{word}-{number}"))).collect(),
            all: define(all),
        };
        let axioms = group("axiom", "axioms", system.axioms.len());
        let types = group("type", "types", system.type_facts.len());
        let invariant = group("fact", "invariant", facts);
        let properties = group("property", "properties", system.properties.len()).names;
        let known = functions(system);
        let mut step_names = |(step, rule): (Step, &'a Rule)| {
            let of = step_name(step);
            let mut define = |name: &str| declarations.symbols_mut().definition(&format!("{of}-{name}"));
            let (guard, constraint, all) = (define("guard"), define("constraint"), define("assertions"));
            let names = (1..=rule.assertions.len()).map(|number| define(&format!("assertion-{number}")));
            let names = names.collect();
            let after = rule.updates.iter().map(|update| {
                let function = renamed(update.function, &of, &known);
                (function, declarations.symbols_mut().function(function))
            });
            StepNames {
                step,
                rule,
                guard,
                constraint,
                assertions: Group { names, all },
                after: after.collect(),
            }
        };
        let steps = steps(system).map(&mut step_names).collect();
        Names {
            declared,
            axioms,
            types,
            facts: invariant.names,
            invariant: invariant.all,
            properties,
            steps,
            declarations,
        }
    }

    pub(crate) fn text(&mut self, formula: Term) -> String {
        self.declarations.term(formula)
    }
}

/// `rule-3`, as in the names of what is defined for it.
pub(crate) fn step_name(step: Step) -> String {
    match step {
        Step::Start(position) => format!("start-{}", position + 1),
        Step::Rule(position) => format!("rule-{}", position + 1),
    }
}

pub(crate) fn steps(system: &TransitionSystem) -> impl Iterator<Item = (Step, &Rule)> {
    let starts = (0..).map(Step::Start).zip(&system.starts);
    starts.chain((0..).map(Step::Rule).zip(&system.rules))
}

pub(crate) fn symbols(system: &TransitionSystem) -> impl Iterator<Item = &Symbol> {
    system.rigid.iter().chain(&system.state)
}

fn functions(system: &TransitionSystem) -> BTreeSet<Function> {
    let choices = steps(system).flat_map(|(_, rule)| &rule.choices).copied();
    symbols(system).map(|symbol| symbol.function).chain(choices).collect()
}

/// A function of the same sorts, and a name that no other has.
fn renamed(function: Function, step: &str, known: &BTreeSet<Function>) -> Function {
    let mut name = format!("{step}.{}", function.name());
    loop {
        let candidate = Function::new(name.as_str(), function.parameters().to_vec(), function.result());
        if !known.contains(&candidate) {
            return candidate;
        }
        name.push('\'');
    }
}

/// Whether two names are the same in a certificate, where each stands on one line.
pub fn is_same_name(left: &str, right: &str) -> bool {
    one_line(left) == one_line(right)
}

/// Text on one line: nothing in a name may end a comment.
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.trim().to_owned()
}

fn declare_all(system: &TransitionSystem, obligations: &[Obligation], declarations: &mut Declarations) -> [String; 3] {
    let rigid = declare(declarations, &system.rigid);
    let state = declare(declarations, &system.state);
    let mut others = String::new();
    let used = Used::of(system, obligations);
    for sort in &used.sorts {
        declarations.declare_sort(*sort, &mut others);
    }
    for function in &used.functions {
        declarations.declare_function(*function, &mut others);
    }
    for variable in &used.variables {
        declarations.declare_variable(*variable, &mut others);
    }
    [rigid, state, others]
}

/// Declares the symbols, each with how the user writes it where that is different.
fn declare(declarations: &mut Declarations, symbols: &[Symbol]) -> String {
    let mut text = String::new();
    for symbol in symbols {
        declarations.declare_function(symbol.function, &mut text);
        if symbol.display != symbol.function.name().as_str() && text.ends_with('\n') {
            text.pop();
            let _ = writeln!(text, " ; {}", one_line(&symbol.display));
        }
    }
    text
}

/// What the formulas of a system mention.
#[derive(Default)]
struct Used {
    sorts: BTreeSet<Sort>,
    functions: BTreeSet<Function>,
    variables: BTreeSet<Variable>,
}

impl Used {
    fn of(system: &TransitionSystem, obligations: &[Obligation]) -> Used {
        let mut used = Used::default();
        used.sorts
            .extend(system.index_sorts.iter().map(|sort| Sort::Index(sort.name)));
        let closed = system.axioms.iter().chain(&system.type_facts).map(|fact| fact.formula);
        closed.for_each(|formula| used.add(formula, &[]));
        system
            .properties
            .iter()
            .for_each(|property| used.add(property.formula, &[]));
        for (_, rule) in steps(system) {
            used.add(rule.guard, &[]);
            used.add(rule.constraint, &[]);
            rule.assertions
                .iter()
                .for_each(|assertion| used.add(assertion.condition, &[]));
            rule.updates
                .iter()
                .for_each(|update| used.add(update.value, &update.parameters));
        }
        for part in obligations.iter().flat_map(|obligation| &obligation.parts) {
            if let Part::Formula(formula) = part {
                used.add(*formula, &[]);
            }
        }
        used
    }

    fn add(&mut self, term: Term, bound: &[Variable]) {
        for inner in post_order(term, true) {
            self.sorts.insert(inner.sort());
            if let Kind::Quantified(_, variables, _) = inner.kind() {
                self.sorts.extend(variables.iter().map(|variable| variable.sort));
            }
        }
        self.functions.extend(functions_of(term));
        let free = term
            .free_variables()
            .iter()
            .filter(|variable| !bound.contains(variable));
        self.variables.extend(free);
    }
}
