//! Fewer and larger steps: rules through a location are composed where that location is then not needed.
//!
//! A certificate has a question for each rule and what holds at each location, so that its size is their product. The
//! location of a statement that only one rule leads to, or away from, goes away: each rule into it and each out of it
//! become one, `a; b`, whose guard is that of `a` and, after the updates of `a`, that of `b`. The states that are
//! reached at the other locations are the same, and no property speaks of those that go away: only statements do, and
//! properties are about failed assertions and exits.

use super::{Lowered, Node};
use logic::hashing::FastSet;
use logic::{Function, Sort, Substitution, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::transition::{Rule, TransitionSystem, Update};

/// Guards and updates of a composed rule have at most so many different parts: larger ones are looked at more slowly
/// than the two rules.
const MOST_PARTS: usize = 2_000;

struct Blocks<'l, 'p> {
    lowered: &'l Lowered<'p>,
    rules: Vec<Option<(Node, Node, Rule)>>,
    into: BTreeMap<Node, BTreeSet<usize>>,
    out_of: BTreeMap<Node, BTreeSet<usize>>,
    /// By number; they are the same for all rules.
    choices: Vec<Function>,
    taken: BTreeSet<&'static str>,
    /// Where runs begin and calls are made.
    needed: BTreeSet<Node>,
}

/// The system with composed rules, and the locations that are left.
pub(super) fn composed(lowered: &Lowered, mut system: TransitionSystem) -> (TransitionSystem, BTreeSet<Node>) {
    let symbols = system.state.iter().map(|symbol| symbol.function.name().as_str());
    let mut blocks = Blocks {
        lowered,
        rules: Vec::new(),
        into: BTreeMap::new(),
        out_of: BTreeMap::new(),
        choices: lowered.choices.clone(),
        taken: symbols.collect(),
        needed: lowered
            .calls
            .iter()
            .map(|call| call.at)
            .chain([lowered.beginning()])
            .collect(),
    };
    for (known, rule) in lowered.rules.iter().zip(std::mem::take(&mut system.rules)) {
        if !term::conjuncts(rule.guard).contains(&lowered.never()) {
            blocks.add(known.from, known.to, rule);
        }
    }
    let mut left = BTreeSet::new();
    for node in &lowered.nodes {
        if !blocks.leaves_out(*node) {
            left.insert(*node);
        }
    }
    system.rules = blocks.rules.into_iter().flatten().map(|(_, _, rule)| rule).collect();
    (system, left)
}

impl Blocks<'_, '_> {
    fn add(&mut self, from: Node, to: Node, rule: Rule) {
        let number = self.rules.len();
        self.into.entry(to).or_default().insert(number);
        self.out_of.entry(from).or_default().insert(number);
        self.rules.push(Some((from, to, rule)));
    }

    fn remove(&mut self, number: usize) {
        if let Some((from, to, _)) = self.rules[number].take() {
            self.into.entry(to).or_default().remove(&number);
            self.out_of.entry(from).or_default().remove(&number);
        }
    }

    fn is_needed(&self, node: Node) -> bool {
        !matches!(node, Node::At(..)) || self.needed.contains(&node)
    }

    /// Composes the rules through a location, if it is not needed.
    fn leaves_out(&mut self, node: Node) -> bool {
        if self.is_needed(node) {
            return false;
        }
        let into = self.into.get(&node).cloned().unwrap_or_default();
        let out_of = self.out_of.get(&node).cloned().unwrap_or_default();
        if into.len() > 1 && out_of.len() > 1 || !into.is_disjoint(&out_of) {
            return false;
        }
        let mut made = Vec::new();
        for first in &into {
            for second in &out_of {
                let (Some((from, _, first)), Some((_, to, second))) = (&self.rules[*first], &self.rules[*second])
                else {
                    return false;
                };
                let (from, to) = (*from, *to);
                let (first, second) = (first.clone(), second.clone());
                let rule = self.sequence(&first, second, from, to);
                if parts(&rule) > MOST_PARTS {
                    return false;
                }
                made.push((from, to, rule));
            }
        }
        into.iter().chain(&out_of).for_each(|number| self.remove(*number));
        for (from, to, rule) in made {
            if !rule.guard.is_false() {
                self.add(from, to, rule);
            }
        }
        true
    }

    /// One rule, and then the other.
    fn sequence(&mut self, first: &Rule, second: Rule, from: Node, to: Node) -> Rule {
        let second = self.renamed(second, first.choices.len());
        let after = first.substitution();
        let guard = term::and([first.guard, after.apply(second.guard)]);
        let mut updates: BTreeMap<Function, Term> = BTreeMap::new();
        updates.extend(first.updates.iter().map(|update| (update.function, update.value)));
        let later = second.updates.iter();
        updates.extend(later.map(|update| (update.function, after.apply(update.value))));
        // What stays as it is.
        updates.retain(|function, value| *function == self.lowered.control || *value != function.apply([]));
        let updates = updates.into_iter().map(|(function, value)| Update {
            function,
            parameters: Vec::new(),
            value,
        });
        let name = |node: Node| {
            self.lowered
                .number(node)
                .map_or("", |number| self.lowered.node_name(number))
        };
        Rule {
            name: format!("{} to {}", name(from), name(to)),
            choices: first.choices.iter().chain(&second.choices).copied().collect(),
            guard,
            updates: updates.collect(),
            span: first.span,
            ..Rule::identity()
        }
    }

    /// The rule with choices that come after so many others.
    fn renamed(&mut self, rule: Rule, others: usize) -> Rule {
        if others == 0 || rule.choices.is_empty() {
            return rule;
        }
        let choices: Vec<Function> = (0..rule.choices.len())
            .map(|number| self.choice(others + number))
            .collect();
        let pairs = rule.choices.iter().zip(&choices);
        let renaming = Substitution::of_constants(pairs.map(|(old, new)| (*old, new.apply([]))));
        let updates = rule.updates.into_iter().map(|update| Update {
            value: renaming.apply(update.value),
            ..update
        });
        Rule {
            guard: renaming.apply(rule.guard),
            updates: updates.collect(),
            choices,
            ..rule
        }
    }

    fn choice(&mut self, number: usize) -> Function {
        while self.choices.len() <= number {
            let mut name = format!("any {}", self.choices.len() + 1);
            while self.taken.contains(name.as_str()) {
                name.push('\'');
            }
            self.choices.push(Function::constant(name.as_str(), Sort::Bool));
        }
        self.choices[number]
    }
}

/// How many different parts the terms of a rule have.
fn parts(rule: &Rule) -> usize {
    let terms = rule.updates.iter().map(|update| update.value).chain([rule.guard]);
    let mut seen: FastSet<Term> = FastSet::default();
    let mut pending: Vec<Term> = terms.collect();
    while let Some(part) = pending.pop() {
        if seen.insert(part) {
            pending.extend(part.children());
        }
    }
    seen.len()
}
