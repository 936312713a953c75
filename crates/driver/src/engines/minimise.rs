//! Simplification of an invariant: only the lemmas that the induction and the properties need, without variables that
//! they do not mention, each with a name.
//!
//! Minimal cores of the proof obligations tell which lemmas are needed: the properties need some, and each lemma needs
//! some before a rule to hold after it. Soundness does not depend on this: the certificate of what is left is validated
//! like any other.

use abstraction::goal::Goal;
use deduction::GroundSolver;
use deduction::cores::{label, shrink};
use deduction::formulas::size;
use logic::hashing::FastMap;
use logic::{Function, Kind, Name, Substitution, Term, Variable, substitute, term};
use smt::{Answer, Purpose, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::certificate::Certificate;
use system::transition::{Fact, Property, TransitionSystem};
use validate::{Obligation, ObligationKind};

/// For each check, in the solver's units.
const RESOURCES: u32 = 20_000_000;

/// The facts of all goals as they were found, and in a form for people.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) found: Vec<Fact>,
    readable: Vec<Fact>,
}

impl Facts {
    /// Facts as they are.
    pub(super) fn of(facts: &[Fact]) -> Facts {
        Facts {
            found: facts.to_vec(),
            readable: facts.to_vec(),
        }
    }

    pub(super) fn add(&mut self, goal: &Goal, invariant: &[Term], property: &Property) {
        let stated = readable(goal, term::not(goal.bad));
        for formula in invariant {
            push(&mut self.found, goal.close(*formula), None, property);
            let formula = readable(goal, *formula);
            let name = (formula == stated).then(|| goal.name.clone());
            push(&mut self.readable, formula, name, property);
        }
    }

    /// A certificate of as few facts as possible; of all of them where the solver cannot tell.
    pub(super) fn certificate(
        self,
        system: &TransitionSystem,
        properties: Vec<String>,
        solvers: &Solvers,
    ) -> Result<Certificate, SolverError> {
        let solvers = solvers.with_resources(RESOURCES);
        for facts in [self.readable, self.found.clone()] {
            let mut certificate = Certificate {
                properties: properties.clone(),
                facts,
                ..Certificate::default()
            };
            let Ok(obligations) = validate::obligations(system, &certificate) else {
                continue;
            };
            let mut needs = Needs::new(obligations, &certificate.facts, &solvers);
            if let Some(needed) = needs.few()? {
                certificate.premises = needs.premises(&needed);
                let mut number = 0..;
                certificate
                    .facts
                    .retain(|_| number.next().is_some_and(|n| needed.contains(&n)));
                name(&mut certificate.facts);
                return Ok(certificate);
            }
        }
        let mut facts = self.found;
        name(&mut facts);
        Ok(Certificate {
            properties,
            facts,
            ..Certificate::default()
        })
    }
}

fn push(facts: &mut Vec<Fact>, formula: Term, name: Option<String>, property: &Property) {
    if !formula.is_true() && facts.iter().all(|fact| fact.formula != formula) {
        facts.push(Fact {
            name: name.unwrap_or_default(),
            formula,
            span: property.span,
        });
    }
}

/// What has no name yet is a lemma.
fn name(facts: &mut [Fact]) {
    let unnamed = facts.iter_mut().filter(|fact| fact.name.is_empty());
    for (number, fact) in unnamed.enumerate() {
        fact.name = format!("lemma {}", number + 1);
    }
}

/// `forall i. hypotheses & premises -> conclusions`, over those constants of the goal that the formula mentions. This
/// is stronger than what the engine found where a sort has so few elements that the hypotheses fail.
fn readable(goal: &Goal, formula: Term) -> Term {
    let mentioned = substitute::functions_of(formula);
    let constants: BTreeSet<Function> = goal.constants.iter().map(|(constant, _)| *constant).collect();
    let is_about = |hypothesis: &Term| {
        let about = substitute::functions_of(*hypothesis);
        about
            .intersection(&constants)
            .all(|constant| mentioned.contains(constant))
    };
    let (premises, conclusion) = sequent(formula);
    let hypotheses = goal.hypotheses.iter().copied().filter(is_about);
    let narrow = Goal {
        constants: goal
            .constants
            .iter()
            .filter(|(constant, _)| mentioned.contains(constant))
            .cloned()
            .collect(),
        hypotheses: hypotheses.chain(premises).collect(),
        ..goal.clone()
    };
    let symbols = mentioned.iter().map(|function| function.name()).collect();
    PlainNames::default().formula(narrow.close(conclusion), &symbols)
}

/// `!(a & b & !c)` as `a & b` and `c`.
fn sequent(formula: Term) -> (Vec<Term>, Term) {
    let whole = (Vec::new(), formula);
    let Kind::Not(cube) = formula.kind() else { return whole };
    let Kind::And(parts) = cube.kind() else { return whole };
    let is_negation = |part: &&Term| matches!(part.kind(), Kind::Not(_));
    let (conclusions, premises): (Vec<Term>, Vec<Term>) = parts.iter().partition(is_negation);
    if conclusions.is_empty() {
        return whole;
    }
    (premises, term::or(conclusions.into_iter().map(term::not)))
}

/// Gives bound variables plain names: `p`, or where another one around it is called so, `p_1` and so on.
#[derive(Default)]
struct PlainNames {
    /// The names around a formula, by number.
    around: BTreeMap<BTreeSet<Name>, usize>,
    /// A formula stands in others many times over, and is renamed once for all places with the same names around it.
    done: FastMap<(usize, Term), Term>,
}

impl PlainNames {
    fn formula(&mut self, formula: Term, used: &BTreeSet<Name>) -> Term {
        let next = self.around.len();
        let around = *self.around.entry(used.clone()).or_insert(next);
        self.part(formula, (used, around))
    }

    fn part(&mut self, part: Term, names: (&BTreeSet<Name>, usize)) -> Term {
        if !part.has_quantifier() {
            return part;
        }
        if let Some(renamed) = self.done.get(&(names.1, part)) {
            return *renamed;
        }
        let renamed = match part.kind() {
            Kind::Quantified(quantifier, variables, body) => {
                let mut used = names.0.clone();
                let renamed: Vec<Variable> = variables.iter().map(|variable| plain(variable, &mut used)).collect();
                let values = renamed.iter().map(|variable| variable.term());
                let body = Substitution::of_variables(variables.iter().copied().zip(values)).apply(*body);
                term::quantified(*quantifier, renamed, self.formula(body, &used))
            }
            _ => substitute::rebuild(part, |inner| self.part(inner, names)),
        };
        self.done.insert((names.1, part), renamed);
        renamed
    }
}

/// The variable with the first name that is not used yet, which is used then.
fn plain(variable: &Variable, used: &mut BTreeSet<Name>) -> Variable {
    let stem = stem(variable.name.as_str());
    let mut fresh = Name::new(stem);
    let mut number = 0;
    while !used.insert(fresh) {
        number += 1;
        fresh = Name::new(&format!("{stem}_{number}"));
    }
    Variable::new(fresh, variable.sort)
}

/// The name without the numbers that kept it apart from others: `p` for `p_1_2`.
fn stem(name: &str) -> &str {
    let front = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match front.strip_suffix('_') {
        Some(shorter) if !shorter.is_empty() && front.len() < name.len() => stem(shorter),
        _ => name,
    }
}

/// Which facts the proof obligations need.
struct Needs<'n> {
    obligations: Vec<Obligation>,
    facts: Vec<Term>,
    /// Sufficient facts for an obligation, as far as it was checked.
    cores: Vec<Option<BTreeSet<usize>>>,
    solvers: &'n Solvers,
}

impl<'n> Needs<'n> {
    fn new(obligations: Vec<Obligation>, facts: &[Fact], solvers: &'n Solvers) -> Needs<'n> {
        Needs {
            cores: vec![None; obligations.len()],
            obligations,
            facts: facts.iter().map(|fact| fact.formula).collect(),
            solvers,
        }
    }

    /// Sufficient facts, none of which was found superfluous; `None` where not even all of them are known to suffice.
    fn few(&mut self) -> Result<Option<BTreeSet<usize>>, SolverError> {
        let Some(needed) = self.closure(&(0..self.facts.len()).collect())? else {
            return Ok(None);
        };
        let mut largest_first: Vec<usize> = needed.iter().copied().collect();
        largest_first.sort_by_key(|fact| std::cmp::Reverse((size(self.facts[*fact]), *fact)));
        shrink(needed, largest_first, |without, _| self.closure(without)).map(Some)
    }

    /// By their positions among the facts that are needed: what each needs before a rule, as far as it was asked.
    fn premises(&self, needed: &BTreeSet<usize>) -> BTreeMap<usize, BTreeSet<usize>> {
        let positions: BTreeMap<usize, usize> = needed.iter().copied().zip(0..).collect();
        let mut premises: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (obligation, core) in self.obligations.iter().zip(&self.cores) {
            if let (ObligationKind::Inductive { fact, .. }, Some(core)) = (&obligation.kind, core)
                && let Some(position) = positions.get(fact)
            {
                let core = core.iter().filter_map(|fact| positions.get(fact));
                premises.entry(*position).or_default().extend(core);
            }
        }
        premises
    }

    /// The facts that properties and assertions need, those that these need, and so on.
    fn closure(&mut self, allowed: &BTreeSet<usize>) -> Result<Option<BTreeSet<usize>>, SolverError> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> = (0..self.obligations.len()).collect();
        let is_due = |kind: &ObligationKind, needed: &BTreeSet<usize>| match kind {
            ObligationKind::InitialExists => false,
            ObligationKind::Initial { fact, .. } | ObligationKind::Inductive { fact, .. } => needed.contains(fact),
            _ => true,
        };
        while let Some(place) = open.iter().position(|n| is_due(&self.obligations[*n].kind, &needed)) {
            let number = open.swap_remove(place);
            match self.core(number, allowed, &needed)? {
                Some(core) => needed.extend(core),
                None => return Ok(None),
            }
        }
        Ok(Some(needed))
    }

    /// Allowed facts that suffice for an obligation, among those that are needed anyway if possible.
    fn core(
        &mut self,
        number: usize,
        allowed: &BTreeSet<usize>,
        needed: &BTreeSet<usize>,
    ) -> Result<Option<BTreeSet<usize>>, SolverError> {
        if let Some(core) = &self.cores[number]
            && core.is_subset(allowed)
        {
            return Ok(Some(core.clone()));
        }
        let mut solver = GroundSolver::new(self.solvers)?;
        let name = |fact: usize| label("fact", fact);
        for formula in &self.obligations[number].formulas {
            let formula = match self.facts.iter().position(|fact| fact == formula) {
                Some(fact) => term::implies(name(fact), *formula),
                None => *formula,
            };
            solver.assert(formula)?;
        }
        // Simple ones first: the others are the first to go.
        let mut simple_first: Vec<usize> = allowed.iter().copied().collect();
        simple_first.sort_by_key(|fact| (size(self.facts[*fact]), *fact));
        let anyway: Vec<Term> = simple_first
            .iter()
            .filter(|f| needed.contains(f))
            .map(|f| name(*f))
            .collect();
        let all: Vec<Term> = simple_first.iter().map(|fact| name(*fact)).collect();
        for assumptions in [anyway, all] {
            if solver.check_assuming(Purpose::Other, &assumptions)? == Answer::Unsat {
                let core = solver.least_core(Purpose::Other)?;
                let core: BTreeSet<usize> = simple_first.into_iter().filter(|f| core.contains(&name(*f))).collect();
                self.cores[number] = Some(core.clone());
                return Ok(Some(core));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;
    use logic::pretty::pretty;
    use system::Span;
    use system::transition::Symbol;

    #[test]
    fn facts_are_put_as_people_would() {
        let node = Sort::Index("Node".into());
        let busy = Function::new("busy", vec![node], Sort::Bool);
        let free = Function::constant("free", Sort::Bool);
        let (i, j) = (Variable::new("i", node), Variable::new("j", node));
        let both = term::and([busy.apply([i.term()]), busy.apply([j.term()])]);
        let property = term::implies(term::distinct(i.term(), j.term()), term::not(both));
        let symbol = |function: Function| Symbol {
            function,
            display: function.name().to_string(),
            span: Span::default(),
        };
        let system = TransitionSystem {
            state: vec![symbol(busy), symbol(free)],
            ..TransitionSystem::default()
        };
        let free = free.apply([]);
        let goal = &abstraction::goal::goals("alone", term::forall(vec![i, j], property), &system)[0];
        let at = |number: usize| goal.constants[number].0.apply([]);
        assert_eq!(["p_1_2", "p", "p_", "_1", "p2"].map(stem), ["p", "p", "p_", "_1", "p2"]);
        let inner = Variable::new("i_7", node);
        let somebody = term::exists(vec![inner], busy.apply([inner.term()]));
        let cases = [
            // A variable that is not mentioned, and what is said of it, goes.
            (
                term::not(term::and([busy.apply([at(0)]), free])),
                "forall i: Node. !(busy(i) & free)",
            ),
            (
                term::not(term::and([busy.apply([at(1)]), term::not(free)])),
                "forall j: Node. busy(j) -> free",
            ),
            (
                term::not(term::and([free, somebody])),
                "!(free & (exists i: Node. busy(i)))",
            ),
            // An inner variable makes way for an outer one.
            (
                term::not(term::and([busy.apply([at(0)]), term::not(somebody)])),
                "forall i: Node. busy(i) -> (exists i_1: Node. busy(i_1))",
            ),
        ];
        for (formula, expected) in cases {
            assert_eq!(pretty(readable(goal, formula)), expected);
        }
    }

    #[test]
    fn what_stands_in_many_places_is_renamed_once() {
        let node = Sort::Index("Node".into());
        let busy = Function::new("busy", vec![node], Sort::Bool);
        let fact = |name: String| Function::constant(name.as_str(), Sort::Bool).apply([]);
        // Written out, the last one has the first 2^100 times.
        let nested = |name: &str| {
            let variable = Variable::new(name, node);
            let somebody = term::exists(vec![variable], busy.apply([variable.term()]));
            (0..100).fold(somebody, |inner, number| {
                let yes = term::and([inner, fact(format!("a{number}"))]);
                let no = term::and([term::not(inner), fact(format!("b{number}"))]);
                term::or([yes, no])
            })
        };
        let renamed = PlainNames::default().formula(nested("i_7"), &BTreeSet::new());
        assert_eq!(renamed, nested("i"));
    }
}
