//! Whether a rule keeps a fact, given all facts: one incremental solver for each rule.
//!
//! Facts hold before the rule for all values of their variables. They are instantiated with the constants of the
//! question (the elements that the fact in question speaks of, and the parameters of the rule) at once, and with
//! further terms of index sorts where a model needs it. Every fact has a literal, so that it can be withdrawn, and so
//! that an unsatisfiable core tells which facts a step depends on.

use super::clauses::excluded;
use super::implicant::Implicant;
use super::satisfying::Satisfying;
use deduction::GroundSolver;
use deduction::combinations::distinct_tuples;
use deduction::conditionals::lift_conditionals;
use deduction::generalisation::{Cube, all_different};
use deduction::houdini::Preservation;
use logic::Cancellation;
use logic::{Function, Kind, Quantifier, Sort, Substitution, Term, Value, simplify::simplify, substitute, term};
use smt::{Answer, Model, Purpose, SolverError, Solvers, UnknownReason};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use system::TransitionSystem;
use system::transition::Rule;

/// This many instances of one cube are told for one model, and this many at first.
const INSTANCES: usize = 1_000;

/// A closed formula that is to hold in every reachable state.
#[derive(Clone, Debug)]
pub(crate) struct Conjecture {
    pub formula: Term,
    /// The cube that it excludes, where it comes from one.
    pub cube: Option<Cube>,
    /// All cubes that it excludes, where that is all that it says.
    excluded: Vec<Cube>,
    pub functions: BTreeSet<Function>,
}

impl Conjecture {
    pub(crate) fn of_formula(formula: Term) -> Conjecture {
        let formula = logic::normal_forms::negation_normal_form(logic::normal_forms::expand_finite(formula));
        Conjecture {
            formula,
            cube: None,
            excluded: excluded(formula).unwrap_or_default(),
            functions: substitute::functions_of(formula),
        }
    }

    pub(super) fn of_cube(cube: Cube) -> Conjecture {
        Conjecture {
            formula: cube.fact(),
            functions: substitute::functions_of(cube.fact()),
            excluded: vec![cube.clone()],
            cube: Some(cube),
        }
    }

    /// Its negation about certain elements, the same ones for all conjectures.
    fn negation(&self) -> Term {
        let mut counts: BTreeMap<Sort, usize> = BTreeMap::new();
        let mut body = self.formula;
        while let Kind::Quantified(Quantifier::Forall, variables, inner) = body.kind() {
            let mut values = Vec::new();
            for variable in variables {
                let count = counts.entry(variable.sort).or_default();
                values.push((*variable, element(variable.sort, *count)));
                *count += 1;
            }
            body = Substitution::of_variables(values).apply(*inner);
        }
        logic::normal_forms::negation_normal_form(term::not(body))
    }
}

/// The constant for an element that a conjecture speaks of.
fn element(sort: Sort, number: usize) -> Term {
    Function::constant(format!("{sort}!{number}").as_str(), sort).apply([])
}

fn fact_literal(conjecture: usize) -> Term {
    Function::constant(format!("fact#{conjecture}").as_str(), Sort::Bool).apply([])
}

fn negation_literal(conjecture: usize) -> Term {
    Function::constant(format!("fails#{conjecture}").as_str(), Sort::Bool).apply([])
}

/// Whether a conjecture holds after a rule.
pub(super) enum Kept {
    /// It does if these conjectures hold before.
    Yes(Vec<usize>),
    /// It may fail after a state that satisfies the cube.
    No(Cube),
    Unknown(UnknownReason),
}

/// The same without the details.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    Kept(Vec<usize>),
    /// There is a counterexample, as far as quantifiers were instantiated.
    MayBreak,
    Unknown(UnknownReason),
}

/// What the solver says.
enum Reply {
    Kept(Vec<usize>),
    Broken(Box<dyn Model>),
    Unknown(UnknownReason),
}

/// The rigid relations that tell which elements of a sort are meant, such as those that are processes.
pub(super) fn relations(system: &TransitionSystem) -> BTreeSet<Function> {
    let rigid = system.rigid.iter().map(|symbol| symbol.function);
    rigid
        .filter(|f| matches!(f.parameters(), [Sort::Index(_)]) && f.result() == Sort::Bool)
        .collect()
}

/// A cube that a fact excludes, or an axiom where there is no fact, for some values of its variables.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Instance {
    fact: Option<usize>,
    cube: usize,
    values: Vec<Term>,
}

/// A rule, or a start, and its solver.
pub(crate) struct Step {
    pub(super) name: String,
    solver: GroundSolver,
    cancellation: Cancellation,
    guard: Term,
    substitution: Substitution,
    changed: BTreeSet<Function>,
    is_start: bool,
    /// Terms of index sorts that are neither state nor rigid.
    locals: Vec<Term>,
    rigid_constants: Vec<Term>,
    /// Rigid relations of one argument.
    relations: BTreeSet<Function>,
    /// By conjecture: what it means that it fails after the rule.
    failures: HashMap<usize, Term>,
    /// How many groups of conjectures were asked about.
    groups: usize,
    /// The constants for what the guard says to exist, and, by conjecture, for what its failure does.
    witnesses: BTreeSet<Function>,
    failure_witnesses: HashMap<usize, BTreeSet<Function>>,
    /// The same for facts.
    fact_witnesses: HashMap<usize, BTreeSet<Function>>,
    /// What never holds.
    axioms: Vec<Cube>,
    /// Facts that were asserted, and the instances of what they exclude.
    asserted: HashSet<usize>,
    instances: HashSet<Instance>,
}

impl Step {
    pub(crate) fn new(
        system: &TransitionSystem,
        rule: &Rule,
        is_start: bool,
        solvers: &Solvers,
    ) -> Result<Step, SolverError> {
        let substitution = rule.substitution();
        let constraint = substitution.apply(rule.constraint);
        let guard = lift_conditionals(simplify(term::and([rule.guard, constraint])));
        let is_index = |sort: Sort| matches!(sort, Sort::Index(_));
        let parameters = rule.parameters.iter().map(|p| p.term());
        let choices = rule.choices.iter().filter(|c| c.parameters().is_empty());
        let locals = parameters.chain(choices.map(|c| c.apply([])));
        let rigid = system.rigid.iter().map(|symbol| symbol.function);
        let is_constant = |f: &Function| f.parameters().is_empty() && is_index(f.result());
        let rigid = rigid.filter(|f| is_constant(f) && !system.arbitrary.contains(f));
        let mut step = Step {
            name: rule.name.clone(),
            solver: GroundSolver::new(solvers)?,
            cancellation: solvers.cancellation().clone(),
            guard,
            substitution,
            changed: rule.updates.iter().map(|update| update.function).collect(),
            is_start,
            locals: locals.filter(|t| is_index(t.sort())).collect(),
            rigid_constants: rigid.map(|f| f.apply([])).collect(),
            relations: relations(system),
            failures: HashMap::new(),
            groups: 0,
            witnesses: BTreeSet::new(),
            failure_witnesses: HashMap::new(),
            fact_witnesses: HashMap::new(),
            axioms: Vec::new(),
            asserted: HashSet::new(),
            instances: HashSet::new(),
        };
        let type_facts = system.type_facts.iter().filter(|_| !is_start);
        for axiom in system.axioms.iter().chain(type_facts) {
            match excluded(axiom.formula) {
                Some(cubes) => step.axioms.extend(cubes),
                None => {
                    step.assert(axiom.formula)?;
                }
            }
        }
        step.witnesses = step.assert(guard)?;
        Ok(step)
    }

    /// Whether the rule changes anything that the conjecture speaks of.
    pub(crate) fn touches(&self, conjecture: &Conjecture) -> bool {
        self.is_start || !self.changed.is_disjoint(&conjecture.functions)
    }

    /// Returns the constants for what the formula says to exist.
    fn assert(&mut self, formula: Term) -> Result<BTreeSet<Function>, SolverError> {
        let mut witnesses = BTreeSet::new();
        for ground in self.solver.assert(formula)? {
            let functions = substitute::functions_of(ground).into_iter();
            witnesses.extend(functions.filter(|function| self.solver.grounding.skolems.contains_key(function)));
        }
        Ok(witnesses)
    }

    /// Whether conjecture `number` holds after the rule if the `believed` ones hold before.
    pub(super) fn keeps(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        number: usize,
        global: &BTreeSet<Function>,
    ) -> Result<Kept, SolverError> {
        Ok(match self.ask(conjectures, believed, &[number])? {
            Reply::Kept(needed) => Kept::Yes(needed),
            Reply::Unknown(reason) => Kept::Unknown(reason),
            Reply::Broken(model) => Kept::No(self.cube(model.as_ref(), number, global)),
        })
    }

    /// Whether the rule may break the conjecture, without saying how.
    pub(super) fn breaks(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        number: usize,
    ) -> Result<bool, SolverError> {
        let decision = self.decide(conjectures, believed, number)?;
        Ok(!matches!(decision, Decision::Kept(_)))
    }

    /// Whether the rule keeps the conjecture, without saying how it does not.
    pub(crate) fn decide(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        number: usize,
    ) -> Result<Decision, SolverError> {
        Ok(match self.ask(conjectures, believed, &[number])? {
            Reply::Kept(needed) => Decision::Kept(needed),
            Reply::Broken(_) => Decision::MayBreak,
            Reply::Unknown(reason) => Decision::Unknown(reason),
        })
    }

    /// The same as an answer to Houdini.
    pub(crate) fn preserves(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        number: usize,
    ) -> Result<Preservation, SolverError> {
        Ok(match self.decide(conjectures, believed, number)? {
            Decision::Kept(needed) => Preservation::Preserved(needed),
            Decision::MayBreak => Preservation::Broken(vec![number]),
            Decision::Unknown(_) => Preservation::Unknown,
        })
    }

    /// Which of several conjectures the rule may break, by one model for as many as it is one for.
    pub(crate) fn decide_all(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        numbers: &[usize],
    ) -> Result<Preservation, SolverError> {
        Ok(match self.ask(conjectures, believed, numbers)? {
            Reply::Kept(needed) => Preservation::Preserved(needed),
            Reply::Unknown(_) => Preservation::Unknown,
            Reply::Broken(model) => {
                let holds = |formula: Term| matches!(model.value(formula), Ok(Value::Bool(true)));
                let fails = |number: &usize| holds(negation_literal(*number)) || holds(self.failures[number]);
                Preservation::Broken(numbers.iter().copied().filter(fails).collect())
            }
        })
    }

    /// Whether the rule keeps all of these conjectures.
    fn ask(&mut self, conjectures: &[Conjecture], believed: &[bool], numbers: &[usize]) -> Result<Reply, SolverError> {
        let assumptions = self.assumptions(conjectures, believed, numbers)?;
        loop {
            match self.solver.check_assuming(Purpose::Abstraction, &assumptions)? {
                Answer::Unknown(reason) => return Ok(Reply::Unknown(reason)),
                Answer::Unsat => {
                    let core = self.solver.unsat_core()?;
                    let used = (0..conjectures.len()).filter(|n| core.contains(&fact_literal(*n)));
                    return Ok(Reply::Kept(used.collect()));
                }
                Answer::Sat => {}
            }
            let model = self.solver.model()?;
            let missing = self.violated_instances(model.as_ref(), conjectures, believed, numbers);
            if self.cancellation.is_cancelled() {
                return Ok(Reply::Unknown(UnknownReason::Interrupted));
            }
            if missing.is_empty() {
                return Ok(Reply::Broken(model));
            }
            for instance in missing {
                self.instantiate(conjectures, instance)?;
            }
        }
    }

    /// The assumptions that one of the conjectures fails after the rule, and that the believed ones hold before.
    fn assumptions(
        &mut self,
        conjectures: &[Conjecture],
        believed: &[bool],
        numbers: &[usize],
    ) -> Result<Vec<Term>, SolverError> {
        for number in numbers {
            self.name_failure(conjectures, *number)?;
        }
        let failure = match numbers {
            [number] => negation_literal(*number),
            _ => {
                self.groups += 1;
                let name = format!("fails#group#{}", self.groups);
                let group = Function::constant(name.as_str(), Sort::Bool).apply([]);
                let failures = term::or(numbers.iter().map(|number| negation_literal(*number)));
                self.solver.assert_ground(term::implies(group, failures))?;
                group
            }
        };
        let mut assumptions = vec![failure];
        if !self.is_start {
            for fact in (0..conjectures.len()).filter(|n| believed[*n]) {
                if self.asserted.insert(fact) {
                    self.assert_fact(fact, conjectures)?;
                }
                assumptions.push(fact_literal(fact));
            }
        }
        Ok(assumptions)
    }

    fn name_failure(&mut self, conjectures: &[Conjecture], number: usize) -> Result<(), SolverError> {
        if self.failures.contains_key(&number) {
            return Ok(());
        }
        let after = self.substitution.apply(conjectures[number].negation());
        let after = lift_conditionals(simplify(after));
        self.failures.insert(number, after);
        let witnesses = self.assert(term::implies(negation_literal(number), after))?;
        self.failure_witnesses.insert(number, witnesses);
        Ok(())
    }

    fn assert_fact(&mut self, number: usize, conjectures: &[Conjecture]) -> Result<(), SolverError> {
        let conjecture = &conjectures[number];
        if conjecture.excluded.is_empty() {
            let witnesses = self.assert(term::implies(fact_literal(number), conjecture.formula))?;
            self.fact_witnesses.insert(number, witnesses);
        }
        let constants = self.constants();
        for (cube, excluded) in conjecture.excluded.iter().enumerate() {
            for values in different_tuples(excluded, &constants).into_iter().take(INSTANCES) {
                let fact = Some(number);
                self.instantiate(conjectures, Instance { fact, cube, values })?;
            }
        }
        Ok(())
    }

    fn constants(&self) -> Vec<Term> {
        let mut constants = self.rigid_constants.clone();
        let sorts: BTreeSet<Sort> = self.solver.grounding.index_terms().map(Term::sort).collect();
        constants.extend(sorts.iter().flat_map(|sort| (0..2).map(|n| element(*sort, n))));
        constants.extend(&self.locals);
        constants
    }

    fn instantiate(&mut self, conjectures: &[Conjecture], instance: Instance) -> Result<(), SolverError> {
        if !self.instances.insert(instance.clone()) {
            return Ok(());
        }
        let Instance { fact, cube, values } = instance;
        let Some(fact) = fact else {
            let excluded = term::not(self.axioms[cube].instance(&values));
            return self.solver.assert_ground(excluded);
        };
        let excluded = term::not(conjectures[fact].excluded[cube].instance(&values));
        let implication = term::implies(fact_literal(fact), excluded);
        if implication.has_quantifier() {
            let witnesses = self.assert(implication)?;
            self.fact_witnesses.entry(fact).or_default().extend(witnesses);
            return Ok(());
        }
        self.solver.assert_ground(implication)
    }

    /// Instances of axioms and facts that are false in the model, for all elements of index sorts that it must speak
    /// of; not all of them where there are very many, but none only where there is none.
    fn violated_instances(
        &self,
        model: &dyn Model,
        conjectures: &[Conjecture],
        believed: &[bool],
        numbers: &[usize],
    ) -> Vec<Instance> {
        let facts: Vec<usize> = (0..conjectures.len())
            .filter(|n| believed[*n] && !self.is_start)
            .collect();
        let mut known: HashMap<Term, bool> = HashMap::new();
        let mut violated = Vec::new();
        let mut look = |fact: Option<usize>, cubes: &[Cube], elements: &[Term]| {
            for (cube, excluded) in cubes.iter().enumerate() {
                let mut found = 0;
                let mut search = Satisfying::new(excluded, elements, model, &mut known, &self.cancellation);
                search.search(&mut Vec::new(), &mut |values| {
                    let values = values.to_vec();
                    let instance = Instance { fact, cube, values };
                    if !self.instances.contains(&instance) {
                        violated.push(instance);
                        found += 1;
                    }
                    found >= INSTANCES
                });
            }
        };
        let mut witnesses = self.witnesses.clone();
        witnesses.extend(numbers.iter().flat_map(|number| &self.failure_witnesses[number]));
        let elements = self.elements(model, &witnesses);
        for fact in &facts {
            look(Some(*fact), &conjectures[*fact].excluded, &elements);
        }
        let of_facts = facts.iter().filter_map(|fact| self.fact_witnesses.get(fact));
        witnesses.extend(of_facts.flatten());
        look(None, &self.axioms, &self.elements(model, &witnesses));
        violated
    }

    /// A term for each element that formulas mention, without the Skolem constants of formulas that are not assumed
    /// now: there are many, and they constrain nothing.
    fn elements(&self, model: &dyn Model, witnesses: &BTreeSet<Function>) -> Vec<Term> {
        let is_named = |t: &Term| match t.kind() {
            Kind::Apply(function, _) => {
                !self.solver.grounding.skolems.contains_key(function) || witnesses.contains(function)
            }
            _ => true,
        };
        let mentioned = self
            .solver
            .grounding
            .index_terms()
            .filter(|t| is_named(t) && t.children().iter().all(is_named));
        let mut elements: BTreeMap<Value, Term> = BTreeMap::new();
        for candidate in self.constants().into_iter().chain(mentioned) {
            if let Ok(value) = model.value(candidate) {
                elements.entry(value).or_insert(candidate);
            }
        }
        elements.into_values().collect()
    }

    /// A cube of states from which the rule leads to a failure, around the state of the model.
    fn cube(&self, model: &dyn Model, number: usize, global: &BTreeSet<Function>) -> Cube {
        let mut constants = self.rigid_constants.clone();
        let failure = self.failures[&number];
        let spoken: BTreeSet<Function> = substitute::functions_of(failure);
        let sorts: BTreeSet<Sort> = self.solver.grounding.index_terms().map(Term::sort).collect();
        for sort in sorts {
            let named = (0..8).map(|n| element(sort, n));
            let is_used = |t: &Term| matches!(t.kind(), Kind::Apply(f, _) if spoken.contains(f));
            constants.extend(named.filter(is_used));
        }
        constants.extend(&self.locals);
        // Universal formulas were instantiated with what is mentioned.
        let mentioned: BTreeSet<Term> = self.solver.grounding.index_terms().collect();
        constants.retain(|constant| mentioned.contains(constant));
        let witnesses = self.witnesses.union(&self.failure_witnesses[&number]);
        let witnesses = witnesses.filter(|w| matches!(w.result(), Sort::Index(_)));
        let witnesses = witnesses.map(|w| w.apply([])).collect();
        let mut implicant = Implicant::new(model, global, &constants, witnesses, &self.cancellation);
        implicant.collect(self.guard, true);
        implicant.collect(failure, true);
        implicant.cube(&self.relations)
    }
}

/// The values that the variables of a cube can have, different where the sort is the same.
fn different_tuples(cube: &Cube, terms: &[Term]) -> Vec<Vec<Term>> {
    let sorts = cube.variables.iter().map(|variable| variable.sort);
    let mut tuples = distinct_tuples(sorts, |sort| {
        terms.iter().copied().filter(|t| t.sort() == sort).collect()
    });
    tuples.retain(|tuple| !all_different(tuple).iter().any(|d| d.is_false()));
    tuples
}
