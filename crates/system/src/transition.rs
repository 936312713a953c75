//! Transition systems: state functions over terms, changed by guarded rules.
//!
//! A scalar variable is a state function without parameters and an array is a function of its indices; front ends split
//! records and unions. A rule gives every function that it changes a new meaning, `f'(u) = e(u)`. A predicate in the
//! next state is therefore a substitution plus beta-reduction: no primed variables, no frame axioms, and a loop over a
//! type of any size is one update.

use crate::source::Span;
use logic::normal_forms::for_all_functions;
use logic::substitute::functions_of;
use logic::{Function, Kind, Lambda, Name, Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet};

/// The input of every proof engine.
#[derive(Clone, Debug, Default)]
pub struct TransitionSystem {
    pub name: String,
    pub index_sorts: Vec<IndexSort>,
    /// Rigid symbols: their interpretation is arbitrary but never changes.
    pub rigid: Vec<Symbol>,
    /// Rigid symbols that denote an arbitrary element, where any element will do.
    pub arbitrary: BTreeSet<Function>,
    /// Choices that over-approximate the source (such as the count of a loop): a step that uses one may be spurious.
    pub approximate: BTreeSet<Function>,
    /// Closed formulas over rigid symbols that hold in every model.
    pub axioms: Vec<Fact>,
    /// The state functions.
    pub state: Vec<Symbol>,
    /// Closed formulas over the state that hold by the types of the variables (a subrange stays within its bounds).
    /// Rules preserve them: a violation would be an assertion failure of the rule.
    pub type_facts: Vec<Fact>,
    /// An initial state is one that some start produces.
    pub starts: Vec<Rule>,
    pub rules: Vec<Rule>,
    pub properties: Vec<Property>,
    /// Predicates that the user declared.
    pub predicates: Vec<Predicate>,
}

/// A non-empty finite sort of any size.
#[derive(Clone, Debug)]
pub struct IndexSort {
    pub name: Name,
    /// The declared size, if there is one: the default for exploration.
    pub declared_size: Option<u64>,
    /// Distinguished elements, such as a home node: nullary rigid symbols, pairwise distinct, each with its position in
    /// finite instances.
    pub constants: Vec<(Function, u64)>,
    /// A rigid relation that totally orders the sort (Cubicle's `<`); its axioms are among those of the system. In a
    /// finite instance it is the order of positions.
    pub order: Option<Function>,
    pub span: Span,
}

/// A rigid symbol or state function with its span.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub function: Function,
    /// The display form: a text with one `{}` for each parameter, such as `Chan[{}].Cmd`.
    pub display: String,
    pub span: Span,
}

/// A named closed formula.
#[derive(Clone, Debug)]
pub struct Fact {
    pub name: String,
    pub formula: Term,
    pub span: Span,
}

/// A guarded command, or a start that produces initial states.
///
/// It is enabled for values of `parameters` and `choices` that satisfy `guard`, and then simultaneously gives every
/// updated function its new meaning. All formulas are over the pre-state. A start has no pre-state: its updates do not
/// mention the state, functions without an update are arbitrary, and `constraint` restricts the produced state.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    /// The source name, shown in traces.
    pub parameters: Vec<Variable>,
    /// Values that the rule chooses nondeterministically: nullary symbols, or functions for whole arrays. Their names
    /// are unique in the system.
    pub choices: Vec<Function>,
    pub guard: Term,
    pub updates: Vec<Update>,
    /// For a start: a closed formula over the produced state (the part of an initial condition that is not an update).
    /// `true` for a rule.
    pub constraint: Term,
    /// What must hold whenever the guard does; a violation is a run-time error.
    pub assertions: Vec<Assertion>,
    pub span: Span,
}

/// `function'(parameters) = value`, where `value` is over the pre-state.
#[derive(Clone, Debug)]
pub struct Update {
    pub function: Function,
    pub parameters: Vec<Variable>,
    pub value: Term,
}

/// The kind of a run-time error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssertionKind {
    /// An `assert` or `error` of the source.
    Stated,
    /// A value outside the subrange of the variable, parameter or index that receives it.
    Range,
    /// Division by zero, the head of an empty list, a full multiset and the like.
    Operation,
    /// A read of an undefined value.
    UndefinedRead,
}

/// A formula over the pre-state, its parameters and choices.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub kind: AssertionKind,
    pub message: String,
    pub condition: Term,
    pub span: Span,
}

/// A closed formula that must hold in every reachable state.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub formula: Term,
    pub span: Span,
}

/// A predicate that the user declared; its free variables are index variables.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub name: String,
    pub indices: Vec<Variable>,
    pub formula: Term,
    /// The user claims that it holds for all values of the index variables. The claim is proved like any other.
    pub is_claim: bool,
    pub span: Span,
}

impl Rule {
    /// The rule that changes nothing.
    pub fn identity() -> Rule {
        Rule {
            name: String::new(),
            parameters: Vec::new(),
            choices: Vec::new(),
            guard: logic::term::bool(true),
            updates: Vec::new(),
            constraint: logic::term::bool(true),
            assertions: Vec::new(),
            span: Span::default(),
        }
    }

    /// The substitution that turns a formula over the post-state into one over the pre-state.
    pub fn substitution(&self) -> Substitution {
        Substitution::of_functions(self.updates.iter().map(|update| {
            (
                update.function,
                Lambda {
                    parameters: update.parameters.clone(),
                    body: update.value,
                },
            )
        }))
    }

    /// The weakest precondition of a closed formula: for all parameters and choices, the guard implies the formula with
    /// updated values (Rusu and Singerman, `pre~`).
    pub fn precondition(&self, formula: Term) -> Term {
        let after = self.substitution().apply(formula);
        let under_guard = under(self.guard_for(after), after);
        self.closed(&[under_guard]).pop().unwrap_or(under_guard)
    }

    /// The guard, without its constraints on functional choices that the formula does not mention: they cannot be
    /// quantified over, and fewer premises make the precondition stronger.
    fn guard_for(&self, formula: Term) -> Term {
        let is_for_each = |choice: &&Function| !choice.parameters().is_empty();
        let mut foreign: BTreeSet<Function> = self.choices.iter().filter(is_for_each).copied().collect();
        let Kind::And(conjuncts) = self.guard.kind() else {
            return self.guard;
        };
        if foreign.is_empty() {
            return self.guard;
        }
        let mentioned = functions_of(formula);
        foreign.retain(|choice| !mentioned.contains(choice));
        let is_kept = |conjunct: &&Term| functions_of(**conjunct).is_disjoint(&foreign);
        term::and(conjuncts.iter().filter(is_kept).copied())
    }

    /// The formulas, universally closed over parameters and choices of the rule.
    fn closed(&self, formulas: &[Term]) -> Vec<Term> {
        let (for_each, others): (Vec<Function>, Vec<Function>) =
            self.choices.iter().partition(|choice| !choice.parameters().is_empty());
        let for_each: BTreeSet<Function> = for_each.into_iter().collect();
        let mut variables = self.parameters.clone();
        let mut lambdas = Vec::new();
        for choice in others {
            let variable = Variable::new(choice.name(), choice.result());
            variables.push(variable);
            let lambda = Lambda {
                parameters: Vec::new(),
                body: variable.term(),
            };
            lambdas.push((choice, lambda));
        }
        let formulas: Vec<Term> = formulas.iter().map(|f| for_all_functions(&for_each, *f)).collect();
        let formulas = Substitution::of_functions(lambdas).apply_all(&formulas).into_iter();
        formulas
            .map(|formula| term::forall(variables.clone(), formula))
            .collect()
    }
}

/// The axioms of a total order, each with its adjective.
pub fn total_order(less: Function, sort: Sort) -> [(&'static str, Term); 3] {
    let [p, q, r] = ["p", "q", "r"].map(|name| Variable::new(name, sort));
    let below = |a: Variable, b: Variable| less.apply([a.term(), b.term()]);
    let transitive = term::implies(term::and([below(p, q), below(q, r)]), below(p, r));
    let total = term::or([below(p, q), term::equal(p.term(), q.term()), below(q, p)]);
    [
        ("irreflexive", term::forall([p], term::not(below(p, p)))),
        ("transitive", term::forall([p, q, r], transitive)),
        ("total", term::forall([p, q], total)),
    ]
}

/// `guard -> condition`, where conjuncts of the guard that the condition repeats (as the path to an assertion in a rule
/// does) are stated once.
fn under(guard: Term, condition: Term) -> Term {
    let parts = |formula: Term| match formula.kind() {
        Kind::And(parts) => parts.clone(),
        _ => vec![formula],
    };
    let known = parts(guard);
    match condition.kind() {
        Kind::Implies(premise, conclusion) => term::implies(term::and([guard, *premise]), *conclusion),
        Kind::Not(never) => {
            let rest = parts(*never).into_iter().filter(|part| !known.contains(part));
            term::implies(guard, term::not(term::and(rest)))
        }
        _ => term::implies(guard, condition),
    }
}

impl TransitionSystem {
    /// Whether a step of the rule may be spurious because the system over-approximates it.
    pub fn is_approximate(&self, rule: &Rule) -> bool {
        rule.choices.iter().any(|choice| self.approximate.contains(choice))
    }

    /// Whether the violation of an assertion at this place may be spurious.
    pub fn is_assertion_approximate(&self, span: Span) -> bool {
        let mut rules = self.starts.iter().chain(&self.rules);
        rules.any(|rule| self.is_approximate(rule) && rule.assertions.iter().any(|assertion| assertion.span == span))
    }

    /// The assertions of the rules as properties of their pre-states.
    pub fn asserted(&self) -> Vec<Property> {
        let mut properties = Vec::new();
        for rule in self.starts.iter().chain(&self.rules) {
            let condition = |a: &Assertion| under(rule.guard_for(a.condition), a.condition);
            let formulas = rule.closed(&rule.assertions.iter().map(condition).collect::<Vec<Term>>());
            properties.extend(
                rule.assertions
                    .iter()
                    .zip(formulas)
                    .map(|(assertion, formula)| Property {
                        name: format!("{} in rule \"{}\"", assertion.message, rule.name),
                        formula,
                        span: assertion.span,
                    }),
            );
        }
        properties
    }

    /// A name declared twice, with the declaring places: one symbol would have two meanings. Choices of different rules
    /// may share a name if it is the same symbol, since each rule makes its own choice.
    pub fn declared_twice(&self) -> Option<String> {
        let mut symbols: BTreeMap<Name, (Function, &str)> = BTreeMap::new();
        let groups = [("a rigid symbol", &self.rigid), ("part of the state", &self.state)];
        for (place, symbol) in groups
            .into_iter()
            .flat_map(|(place, group)| group.iter().map(move |s| (place, s)))
        {
            if let Some((_, earlier)) = symbols.insert(symbol.function.name(), (symbol.function, place)) {
                return Some(format!(
                    "`{}` is {earlier} and once more {place}",
                    symbol.function.name()
                ));
            }
        }
        for rule in self.starts.iter().chain(&self.rules) {
            let mut own = BTreeSet::new();
            for choice in &rule.choices {
                let name = choice.name();
                let earlier = symbols.entry(name).or_insert((*choice, "a choice"));
                if *earlier != (*choice, "a choice") || !own.insert(name) {
                    return Some(format!("`{name}` is {} and a choice of \"{}\"", earlier.1, rule.name));
                }
            }
        }
        None
    }

    pub fn index_sort(&self, sort: Sort) -> Option<&IndexSort> {
        self.index_sorts.iter().find(|index| sort == Sort::Index(index.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_declared_once() {
        let symbol = |function: Function| Symbol {
            function,
            display: String::new(),
            span: Span::default(),
        };
        let rule = |choices: &[Function]| Rule {
            choices: choices.to_vec(),
            ..Rule::identity()
        };
        let system = |rigid: &[Function], state: &[Function], rules: Vec<Rule>| TransitionSystem {
            rigid: rigid.iter().copied().map(symbol).collect(),
            state: state.iter().copied().map(symbol).collect(),
            rules,
            ..TransitionSystem::default()
        };
        let [a, b] = ["a", "b"].map(|name| Function::constant(name, Sort::Bool));
        let number = Function::constant("a", Sort::Int);
        let twice = |system: TransitionSystem| system.declared_twice().is_some();
        assert!(!twice(system(&[a], &[b], Vec::new())));
        assert!(!twice(system(&[], &[b], vec![rule(&[a]), rule(&[a])])));
        // The same symbol with two meanings, and one name for two symbols.
        assert!(twice(system(&[], &[a, a], Vec::new())));
        assert!(twice(system(&[a], &[a], Vec::new())));
        assert!(twice(system(&[], &[a, number], Vec::new())));
        assert!(twice(system(&[], &[a], vec![rule(&[a])])));
        assert!(twice(system(&[], &[b], vec![rule(&[a, a])])));
        assert!(twice(system(&[], &[b], vec![rule(&[a]), rule(&[number])])));
    }

    #[test]
    fn an_assertion_says_the_guard_once() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Function::constant(name, Sort::Bool).apply([]));
        let asserting = |condition: Term| {
            let assertion = Assertion {
                kind: AssertionKind::Stated,
                message: String::new(),
                condition,
                span: Span::default(),
            };
            let rule = Rule {
                guard: a,
                assertions: vec![assertion],
                ..Rule::identity()
            };
            let system = TransitionSystem {
                rules: vec![rule],
                ..TransitionSystem::default()
            };
            system.asserted()[0].formula
        };
        assert_eq!(asserting(term::implies(a, c)), term::implies(a, c));
        let path = term::and([a, b]);
        assert_eq!(asserting(term::implies(path, c)), term::implies(path, c));
        assert_eq!(asserting(term::not(path)), term::implies(a, term::not(b)));
        assert_eq!(asserting(term::not(a)), term::not(a));
        assert_eq!(asserting(c), term::implies(a, c));
    }
}
