//! Predicate discovery from spurious traces (Das, chapter 5; Das and Dill 2002).
//!
//! Steps: is the trace real (5.2.1); the minimal spurious trace; the conditions `psi` on the first state of its real
//! tail, from a model of formula (5.2); the smallest subset that the first step of the trace cannot meet (5.2.2);
//! quantification over what is not part of the state, with scopes narrowed and equalities eliminated (5.2.3).

mod implicant;
pub(super) mod lookahead;
pub mod unroll;

use crate::goal::Goal;
use crate::predicate::Concrete;
use crate::predicate::approximate::facts;
use crate::predicate::machine::{AbstractState, AbstractTrace};
use crate::predicate::query::Literal;
use crate::{Reason, SolverQuestion};
use deduction::GroundSolver;
use deduction::Grounding;
use deduction::comparisons::comparison;
use deduction::formulas::{atom, collect_atoms};
use implicant::Implicant;
use logic::{Function, Kind, Sort, Substitution, Term, Variable, simplify::simplify, substitute, term};
use smt::{Answer, Model, Purpose, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::TransitionSystem;
use unroll::{Run, partial};

/// What came of looking at a trace.
pub enum Analysis {
    /// There is a concrete run; for certain, unless what the solver was told is weaker than the formulas.
    Real { concrete: Concrete, is_certain: bool },
    /// There is none: predicates that rule the trace out.
    Spurious(Vec<Term>),
    /// No state is like the last one of the trace: these predicates cannot have these values where a state is bad.
    NotBad(Vec<Literal>),
    /// The solver does not know, or what it found cannot be said as a predicate.
    Undecided(Reason),
}

pub struct Discovery<'d> {
    pub system: &'d TransitionSystem,
    pub goal: &'d Goal,
    pub solvers: &'d Solvers,
    /// Whether predicates about some element say as much as can be of which one it is.
    pub specific: bool,
}

/// The formulas of a run without quantifiers, in a solver.
struct Asked {
    solver: GroundSolver,
    ground: Vec<Term>,
}

/// Locals that are taken for other elements, and a model in which they are.
struct Identified {
    same: Vec<(Term, Term)>,
    model: Box<dyn Model>,
}

impl Discovery<'_> {
    pub fn analyse(&self, predicates: &[Term], trace: &AbstractTrace) -> Result<Analysis, SolverError> {
        let last = trace.states.len() - 1;
        let run = |from: Option<usize>, to: usize| partial(self.system, self.goal, predicates, trace, from, to);
        let mut whole = self.ask(&run(None, last).formulas, "")?;
        match whole.solver.check(Purpose::Trace)? {
            Answer::Sat => {
                let model = whole.solver.model()?;
                let grounding = &whole.solver.grounding;
                return Ok(Analysis::Real {
                    concrete: Concrete::read(self.system, trace, grounding, model.as_ref()),
                    is_certain: !grounding.incomplete,
                });
            }
            Answer::Unknown(reason) => return Ok(Analysis::Undecided(Reason::undecided(SolverQuestion::Run, reason))),
            Answer::Unsat => {}
        }
        // Drop states from the beginning while the rest is spurious; the start is the first to go.
        let mut first: Option<usize> = None;
        loop {
            let next = first.map_or(0, |n| n + 1);
            if next > last {
                return self.not_bad(predicates, &trace.states[last]);
            }
            match self.satisfiable(&run(Some(next), last))? {
                Answer::Unsat => first = Some(next),
                _ => break,
            }
        }
        // Drop states from the end while it stays spurious.
        let tail = first.map_or(0, |n| n + 1);
        let mut end = last;
        while end > tail {
            match self.satisfiable(&run(first, end - 1))? {
                Answer::Unsat => end -= 1,
                _ => break,
            }
        }
        self.separate(predicates, trace, first, tail, &run(Some(tail), end))
    }

    /// What is known contradicts an abstract state that is bad: the values that do.
    fn not_bad(&self, predicates: &[Term], state: &AbstractState) -> Result<Analysis, SolverError> {
        let mut asked = self.ask(&[self.goal.bad], "")?;
        let mut named = Vec::new();
        for (number, (predicate, value)) in predicates.iter().zip(state).enumerate() {
            let name = Function::constant(format!("value#{number}").as_str(), Sort::Bool).apply([]);
            let literal = if *value { *predicate } else { term::not(*predicate) };
            asked.solver.assert(term::implies(name, simplify(literal)))?;
            named.push(name);
        }
        if asked.solver.check_assuming(Purpose::Trace, &named)? != Answer::Unsat {
            return Ok(Analysis::Undecided(Reason::BadStateStays));
        }
        let core = asked.solver.unsat_core()?;
        let values = state.iter().enumerate().zip(&named);
        let core = values
            .filter(|(_, name)| core.contains(name))
            .map(|((predicate, value), _)| Literal {
                predicate,
                after: false,
                value: *value,
            });
        Ok(Analysis::NotBad(core.collect()))
    }

    /// Finds what holds of the first state of the real tail and of no state that the first step leads to.
    fn separate(
        &self,
        predicates: &[Term],
        trace: &AbstractTrace,
        first: Option<usize>,
        tail: usize,
        run: &Run,
    ) -> Result<Analysis, SolverError> {
        let mut asked = self.ask(&run.formulas, "tail.")?;
        match asked.solver.check(Purpose::Discovery)? {
            Answer::Sat => {}
            // It was not known to be spurious before.
            Answer::Unsat => return Ok(Analysis::Undecided(Reason::WeakConditions)),
            Answer::Unknown(reason) => return Ok(Analysis::Undecided(Reason::undecided(SolverQuestion::Tail, reason))),
        }
        let locals = self.locals(run, &asked.solver.grounding);
        let identified = self.identify(&mut asked, &locals)?;
        let mut conditions = self.conditions(&asked, &identified)?;
        conditions.sort_by_key(|condition| strangeness(*condition, &locals));
        // The step before the tail: from the state `first`, or from nothing by a start.
        let mut step = Run::new();
        match first {
            None => step.step(&self.system.starts[trace.start], 0),
            Some(state) => {
                step.meet(predicates, &trace.states[state]);
                step.require(self.goal.property);
                step.step(&self.system.rules[trace.rules[state]], tail);
            }
        }
        // The parameters of the step must not be taken for those of the tail.
        let prefixed = conditions
            .iter()
            .map(|c| simplify(step.state.apply(*c)))
            .collect::<Vec<_>>();
        let mut before = self.ask(&step.formulas, "step.")?;
        let named: Vec<Term> = (0..conditions.len())
            .map(|n| Function::constant(format!("psi#{n}").as_str(), Sort::Bool).apply([]))
            .collect();
        for (name, condition) in named.iter().zip(&prefixed) {
            before.solver.assert(term::implies(*name, *condition))?;
        }
        let strangeness: Vec<u128> = conditions.iter().map(|c| strangeness(*c, &locals)).collect();
        if let Err(reason) = refute(&mut before, &named, &strangeness)? {
            return Ok(Analysis::Undecided(reason));
        }
        let core = before.solver.least_core(Purpose::Discovery)?;
        let chosen: Vec<Term> = named
            .iter()
            .zip(&conditions)
            .filter(|(name, _)| core.contains(name))
            .map(|(_, c)| *c)
            .collect();
        let chosen = if self.specific {
            specify(chosen, &conditions, &locals)
        } else {
            chosen
        };
        Ok(Analysis::Spurious(quantify(&chosen, &locals, &self.goal.constants)))
    }

    /// Symbols that are neither state nor rigid.
    fn locals(&self, run: &Run, grounding: &Grounding) -> BTreeMap<Function, Variable> {
        let mut locals: BTreeMap<Function, Variable> = grounding.skolems.clone();
        for local in &run.locals {
            if local.parameters().is_empty() {
                let name = local.name().as_str();
                let name = name.split('@').next().unwrap_or(name);
                locals.insert(*local, Variable::new(name, local.result()));
            }
        }
        locals
    }

    /// Which constants of the goal the locals can be, or else which other locals, and a model that agrees with it. What
    /// a run does to the processes that the property speaks of says more than what it does to some process, and what it
    /// does to one says more than what it does to two.
    fn identify(&self, asked: &mut Asked, locals: &BTreeMap<Function, Variable>) -> Result<Identified, SolverError> {
        let mut same: Vec<(Term, Term)> = Vec::new();
        let mut model = asked.solver.model()?;
        let constants = self.goal.constants.iter().map(|(constant, _)| constant.apply([]));
        let mut others: Vec<Term> = constants.collect();
        for local in locals.keys().filter(|local| matches!(local.result(), Sort::Index(_))) {
            let local = local.apply([]);
            let candidates: Vec<Term> = others.iter().copied().filter(|o| o.sort() == local.sort()).collect();
            match first_equal(asked, local, &candidates, &same, &mut model)? {
                Some(other) => same.push((local, other)),
                None => others.push(local),
            }
        }
        Ok(Identified { same, model })
    }

    /// The literals over the atoms of the ground formulas that the model satisfies; what implies the formulas.
    fn conditions(&self, asked: &Asked, identified: &Identified) -> Result<Vec<Term>, SolverError> {
        let Identified { same, model } = identified;
        let mut implicant = Implicant::new(&**model);
        for formula in &asked.ground {
            implicant.explain(*formula)?;
        }
        let atoms = implicant.atoms;
        let with_others = |literal: Term| {
            same.iter().fold(literal, |literal, (local, constant)| {
                substitute::replace(literal, *local, *constant)
            })
        };
        let mut conditions = Vec::new();
        for (atom, value) in atoms {
            let meaning = asked.solver.grounding.meaning(atom);
            match (atom.kind(), value) {
                // Numbers that are equal are at most and at least each other: often one of it suffices.
                (Kind::Equal(a, b), true) if a.sort() == Sort::Int => {
                    conditions.extend([term::less_equal(*a, *b), term::less_equal(*b, *a)]);
                }
                (Kind::Equal(a, b), false) if a.sort() == Sort::Int => {
                    let less = model.value(term::less(*a, *b))?.as_bool() == Some(true);
                    conditions.push(if less { term::less(*a, *b) } else { term::less(*b, *a) });
                }
                (_, true) => conditions.push(meaning.unwrap_or(atom)),
                // A proxy that does not hold says nothing.
                (_, false) if meaning.is_none() => conditions.push(term::not(atom)),
                _ => {}
            }
        }
        let mut conditions: Vec<Term> = conditions.into_iter().map(|c| simplify(with_others(c))).collect();
        self.eliminate_equalities(&mut conditions);
        conditions.extend(chains(&conditions));
        let mut seen = BTreeSet::new();
        conditions.retain(|c| !c.is_true() && seen.insert(*c));
        Ok(conditions)
    }

    /// Where a condition says that a term is a constant, the others speak of the constant (5.2.3): they may then say
    /// nothing of locals any more.
    fn eliminate_equalities(&self, conditions: &mut [Term]) {
        let of_goal = self.goal.constants.iter().map(|(constant, _)| *constant);
        let rigid = self.system.rigid.iter().map(|symbol| symbol.function);
        let is_constant =
            |function: &Function| function.parameters().is_empty() && matches!(function.result(), Sort::Index(_));
        let constants: BTreeSet<Term> = of_goal.chain(rigid).filter(is_constant).map(|c| c.apply([])).collect();
        let equal = |condition: &Term| match condition.kind() {
            Kind::Equal(a, b) if constants.contains(a) && !constants.contains(b) => Some((*b, *a)),
            Kind::Equal(a, b) if constants.contains(b) && !constants.contains(a) => Some((*a, *b)),
            _ => None,
        };
        let equalities: Vec<(Term, Term)> = conditions.iter().filter_map(equal).collect();
        for condition in conditions.iter_mut().filter(|condition| equal(condition).is_none()) {
            for (what, constant) in &equalities {
                *condition = substitute::replace(*condition, *what, *constant);
            }
            *condition = simplify(*condition);
        }
    }

    fn satisfiable(&self, run: &Run) -> Result<Answer, SolverError> {
        self.ask(&run.formulas, "")?.solver.check(Purpose::Trace)
    }

    fn ask(&self, formulas: &[Term], prefix: &str) -> Result<Asked, SolverError> {
        let mut solver = GroundSolver::with(self.solvers, Grounding::where_applied(prefix))?;
        for fact in facts(self.system, self.goal) {
            solver.assert(fact)?;
        }
        let mut ground = Vec::new();
        for formula in formulas {
            ground.extend(solver.assert(simplify(*formula))?);
        }
        Ok(Asked { solver, ground })
    }
}

/// The first candidate that the local can be where others are the `same`. The model is one of that, before and after;
/// it may tell of a candidate that the local is, and then only those before it are asked about, all at once.
fn first_equal(
    asked: &mut Asked,
    local: Term,
    candidates: &[Term],
    same: &[(Term, Term)],
    model: &mut Box<dyn Model>,
) -> Result<Option<Term>, SolverError> {
    let mut open = candidates;
    let mut found = None;
    let mut asked_about = usize::MAX;
    loop {
        for (position, other) in open.iter().enumerate() {
            if model.value(term::equal(local, *other))?.as_bool() == Some(true) {
                (open, found) = (&open[..position], Some(*other));
                break;
            }
        }
        if open.is_empty() || open.len() == asked_about {
            return Ok(found);
        }
        asked_about = open.len();
        let one_of = term::or(open.iter().map(|other| term::equal(local, *other)));
        let known = same.iter().map(|(local, other)| term::equal(*local, *other));
        let assumed: Vec<Term> = known.chain([one_of]).collect();
        if asked.solver.check_assuming(Purpose::Discovery, &assumed)? != Answer::Sat {
            return Ok(found);
        }
        *model = asked.solver.model()?;
    }
}

/// How far a condition is from what a proof might need: locals and quantifiers first, then large numbers.
fn strangeness(condition: Term, locals: &BTreeMap<Function, Variable>) -> u128 {
    let is_local = substitute::functions_of(condition)
        .iter()
        .any(|f| locals.contains_key(f));
    let number = |leaf: &Term| match leaf.kind() {
        Kind::Int(value) => value.unsigned_abs(),
        _ => 0,
    };
    let numbers = leaves(condition).iter().map(number).fold(0, u128::saturating_add);
    let penalty = if condition.has_quantifier() {
        1 << 101
    } else if is_local {
        1 << 100
    } else {
        0
    };
    numbers.saturating_add(penalty)
}

/// Asks for a contradiction among the least strange conditions that have one; `named` is in the order of strangeness.
fn refute(before: &mut Asked, named: &[Term], strangeness: &[u128]) -> Result<Result<(), Reason>, SolverError> {
    for end in 1..=named.len() {
        if end < named.len() && strangeness[end] == strangeness[end - 1] {
            continue;
        }
        match before.solver.check_assuming(Purpose::Discovery, &named[..end])? {
            Answer::Unsat => return Ok(Ok(())),
            Answer::Unknown(reason) if end == named.len() => {
                return Ok(Err(Reason::undecided(SolverQuestion::Step, reason)));
            }
            _ => {}
        }
    }
    Ok(Err(Reason::WeakConditions))
}

/// The constants and values in a term, as often as they occur.
fn leaves(term: Term) -> Vec<Term> {
    let children = term.children();
    if children.is_empty() {
        return vec![term];
    }
    children.into_iter().flat_map(leaves).collect()
}

/// `a <= b` for an inequality of integers.
fn sides(condition: Term) -> Option<(Term, Term)> {
    let found = comparison(condition).filter(|found| found.left.sort() == Sort::Int)?;
    let left = match found.is_strict {
        true => term::add([found.left, term::int(1)]),
        false => found.left,
    };
    Some((left, found.right))
}

/// The sum of two inequalities, for all pairs whose sum says less: `a <= c` where there are `a <= b` and `b <= c`. What
/// a trace says of `b` is an accident; what it says of `a` and `c` often is not.
fn chains(conditions: &[Term]) -> Vec<Term> {
    let inequalities: Vec<(Term, Term)> = conditions.iter().filter_map(|c| sides(*c)).collect();
    let width = |condition: Term| leaves(condition).len();
    let mut sums = Vec::new();
    for (number, (low, high)) in inequalities.iter().enumerate() {
        for (lower, higher) in &inequalities[..number] {
            let sum = simplify(term::less_equal(term::add([*low, *lower]), term::add([*high, *higher])));
            let parts = width(term::less_equal(*low, *high)) + width(term::less_equal(*lower, *higher));
            if width(sum) + 2 <= parts && !sum.is_false() {
                sums.push(sum);
            }
        }
    }
    sums
}

/// What is said of a local also says which one it is: its parts that are known values or constants. `some message is a
/// reply` is seldom what a proof needs.
fn specify(mut chosen: Vec<Term>, conditions: &[Term], locals: &BTreeMap<Function, Variable>) -> Vec<Term> {
    let locals_of = |condition: Term| -> BTreeSet<Function> {
        let functions = substitute::functions_of(condition);
        functions.into_iter().filter(|f| locals.contains_key(f)).collect()
    };
    let about: BTreeSet<Function> = chosen.iter().flat_map(|c| locals_of(*c)).collect();
    let is_constant =
        |term: Term| term.is_value() || matches!(term.kind(), Kind::Apply(_, arguments) if arguments.is_empty());
    for condition in conditions {
        let tells = match condition.kind() {
            Kind::Equal(a, b) if a.sort() != Sort::Int => is_constant(*a) || is_constant(*b),
            _ => false,
        };
        let of = locals_of(*condition);
        if tells && of.len() == 1 && of.is_subset(&about) && !chosen.contains(condition) {
            chosen.push(*condition);
        }
    }
    chosen
}

/// `exists locals. conditions`, split into parts that share no locals.
fn quantify(
    conditions: &[Term],
    locals: &BTreeMap<Function, Variable>,
    constants: &[(Function, Variable)],
) -> Vec<Term> {
    let uses = |term: Term| -> BTreeSet<Function> {
        substitute::functions_of(term)
            .into_iter()
            .filter(|f| locals.contains_key(f))
            .collect()
    };
    let mut groups: Vec<(BTreeSet<Function>, Vec<Term>)> = Vec::new();
    for condition in conditions {
        let mut symbols = uses(*condition);
        let mut members = vec![*condition];
        groups.retain(|(others, more)| {
            let joined = !others.is_disjoint(&symbols);
            if joined {
                symbols.extend(others);
                members.extend(more);
            }
            !joined
        });
        groups.push((symbols, members));
    }
    let mut predicates = Vec::new();
    for (symbols, members) in groups {
        let mut variables = Vec::new();
        let mut lambdas = Vec::new();
        for symbol in symbols {
            let taken = |v: Variable| variables.contains(&v) || constants.iter().any(|(_, c)| c.name == v.name);
            let variable = substitute::fresh_variable(locals[&symbol], taken);
            variables.push(variable);
            lambdas.push((
                symbol,
                logic::Lambda {
                    parameters: Vec::new(),
                    body: variable.term(),
                },
            ));
        }
        let rename = Substitution::of_functions(lambdas);
        let mut members: Vec<Term> = members.iter().map(|member| rename.apply(*member)).collect();
        // One order, so that the same predicate is found only once.
        members.sort();
        let body = term::and(members);
        let predicate = simplify(term::exists(variables, body));
        if predicate.has_quantifier() {
            predicates.push(predicate);
        } else {
            // Without quantifiers the atoms alone say more.
            collect_atoms(predicate, &mut predicates);
        }
    }
    predicates.into_iter().map(atom).collect()
}
