//! Affine relations at locations, substituted: `sum = 2 i - 2` modulo `2^32`, and the like.
//!
//! Solvers of Horn clauses know inequalities, and few congruences. Where variables count, the relations between them
//! are found first, and what one of them is by the others is put in its place: there is less to find then.
//!
//! The relations are the strongest that are inductive. As long as a rule leads from what holds at one location to what
//! does not at the next, the solver gives a point, and it is added there (T. Reps, M. Sagiv and G. Yorsh, *Symbolic
//! implementation of the best transformer*, 2004). They end up in the facts of the certificate as everything else.

use super::affine::{Hull, Relation, nearest};
use super::control::{Edge, Flow, Held};
use deduction::comparisons::Ranges;
use logic::substitute::{functions_of, replace};
use logic::traverse::post_order;
use logic::{Function, Kind, Sort, Term, Value, simplify, term};
use smt::{Answer, Purpose, Solver, SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of variables at a location.
const VARIABLES: usize = 20;
/// The greatest number of checks.
const CHECKS: usize = 2_000;
/// For each check.
const RESOURCES: u32 = 2_000_000;

impl<'s> Flow<'s> {
    /// Whether some variable gets a sum of what it was and something else.
    pub(super) fn counts(&self) -> bool {
        self.calls.is_empty() && !self.counters().is_empty()
    }

    fn counters(&self) -> BTreeSet<Function> {
        let is_sum = |term: Term| {
            let mut parts = post_order(term, false).into_iter();
            parts.any(|part| matches!(part.kind(), Kind::Add(_) | Kind::Multiply(..)))
        };
        let edges = self.edges.iter().filter(|edge| self.matters(edge.to));
        let updates = edges.flat_map(|edge| &edge.updates);
        let counting = updates.filter(|(function, value)| {
            function.result() == Sort::Int && functions_of(**value).contains(*function) && is_sum(**value)
        });
        counting.map(|(function, _)| *function).collect()
    }

    /// The same program, with relations between its variables substituted. None where there are none.
    pub(super) fn related(&self, solvers: &Solvers) -> Result<Option<Flow<'s>>, SolverError> {
        let mut search = Search::new(self, solvers)?;
        if !search.all()? {
            return Ok(None);
        }
        let known: Vec<Known> = (0..self.locations())
            .map(|location| search.known(location, &self.ranges(location)))
            .collect();
        if known.iter().all(Known::is_empty) {
            return Ok(None);
        }
        let mut flow = self.put(&known);
        // Often what must not happen is excluded already.
        flow.without_dead_edges(&solvers.with_resources(RESOURCES))?;
        Ok(Some(flow))
    }

    /// Counters first, and then what rules and properties mention together with them.
    fn tracked(&self) -> Vec<Function> {
        let counters = self.counters();
        let properties = (0..self.locations()).flat_map(|location| self.properties(location));
        let edges = self.edges.iter().chain(&self.starts);
        let terms = edges.flat_map(|edge| edge.updates.values().copied().chain([edge.guard]));
        let mut others = BTreeSet::new();
        for term in terms.chain(properties) {
            let mentioned = functions_of(term);
            if !mentioned.is_disjoint(&counters) {
                others.extend(mentioned);
            }
        }
        others.retain(|function| function.result() == Sort::Int && self.state.contains(function));
        let others = others.difference(&counters).copied();
        counters.iter().copied().chain(others).collect()
    }

    fn put(&self, known: &[Known]) -> Flow<'s> {
        let mut flow = self.clone();
        for (place, known) in flow.places.iter_mut().zip(known) {
            let values = known.values.iter();
            place
                .known
                .extend(values.map(|(function, value)| (*function, Held::Equals(*value))));
            let given = place.given.iter().map(|given| simplify(known.put(*given)));
            place.given = given.chain(known.given.iter().copied()).collect();
        }
        for edge in &mut flow.edges {
            let known = &known[edge.from];
            for (function, value) in &known.values {
                edge.updates.entry(*function).or_insert(*value);
            }
            edge.updates
                .values_mut()
                .for_each(|update| *update = simplify(known.put(*update)));
            let guard = [known.put(edge.guard)].into_iter().chain(known.given.iter().copied());
            edge.guard = simplify(term::and(guard));
        }
        flow.look();
        flow
    }
}

/// What relations say at a location.
#[derive(Default)]
struct Known {
    /// By variables that have none.
    values: BTreeMap<Function, Term>,
    /// What is left: congruences, and types of variables that have values.
    given: Vec<Term>,
}

impl Known {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.given.is_empty()
    }

    fn put(&self, formula: Term) -> Term {
        let values = self.values.iter();
        values.fold(formula, |formula, (function, value)| {
            replace(formula, function.apply([]), *value)
        })
    }
}

struct Search<'f, 's> {
    flow: &'f Flow<'s>,
    solver: Box<dyn Solver>,
    cancellation: logic::Cancellation,
    checks: usize,
    /// By location.
    tracked: Vec<Vec<Function>>,
    /// None where nothing leads to yet.
    hulls: Vec<Option<Hull>>,
    relations: Vec<Vec<Relation>>,
    /// Where nothing is said, since the solver did not know.
    unknown: BTreeSet<usize>,
    /// How many rules test a variable. Those that few test are put in terms of the others.
    tested: BTreeMap<Function, usize>,
}

impl<'f, 's> Search<'f, 's> {
    fn new(flow: &'f Flow<'s>, solvers: &Solvers) -> Result<Search<'f, 's>, SolverError> {
        let mut solver = solvers.with_resources(RESOURCES).solver()?;
        for fact in flow.system.type_facts.iter().chain(&flow.system.axioms) {
            solver.assert(fact.formula)?;
        }
        let all = flow.tracked();
        let live = |location: usize| {
            all.iter()
                .filter(move |function| flow.live[location].contains(function))
        };
        let mut tested: BTreeMap<Function, usize> = BTreeMap::new();
        for function in flow.edges.iter().flat_map(|edge| functions_of(edge.guard)) {
            *tested.entry(function).or_default() += 1;
        }
        let tracked = (0..flow.locations()).map(|location| live(location).copied().take(VARIABLES).collect());
        Ok(Search {
            flow,
            solver,
            cancellation: solvers.cancellation().clone(),
            checks: 0,
            tracked: tracked.collect(),
            hulls: vec![None; flow.locations()],
            relations: vec![Vec::new(); flow.locations()],
            unknown: BTreeSet::new(),
            tested,
        })
    }

    /// Whether it came to an end.
    fn all(&mut self) -> Result<bool, SolverError> {
        let flow = self.flow;
        loop {
            let mut is_new = false;
            for start in &flow.starts {
                let constraint = flow.here(flow.system.starts[start.rule].constraint, start.to);
                is_new |= self.follow(start, flow.before(start, constraint))?;
            }
            for edge in flow.edges.iter().filter(|edge| flow.matters(edge.from)) {
                if self.hulls[edge.from].is_some() {
                    let before = self.formulas(edge.from);
                    is_new |= self.follow(edge, term::and(before))?;
                }
            }
            if self.checks > CHECKS || self.cancellation.is_cancelled() {
                return Ok(false);
            }
            if !is_new {
                return Ok(true);
            }
        }
    }

    /// Adds points until what holds before a rule implies what holds after it. Whether there were any.
    fn follow(&mut self, edge: &Edge, before: Term) -> Result<bool, SolverError> {
        if !self.flow.matters(edge.to) || self.unknown.contains(&edge.to) {
            return Ok(false);
        }
        self.solver.push()?;
        self.solver.assert(term::and([before, edge.guard]))?;
        let mut is_new = false;
        while self.checks <= CHECKS && self.another(edge)? {
            is_new = true;
        }
        self.solver.pop()?;
        Ok(is_new)
    }

    fn another(&mut self, edge: &Edge) -> Result<bool, SolverError> {
        let after: Vec<Term> = match self.hulls[edge.to] {
            Some(_) => self.formulas(edge.to),
            None => vec![term::bool(false)],
        };
        for formula in after {
            let fails = term::not(self.flow.before(edge, formula));
            self.checks += 1;
            self.solver.push()?;
            self.solver.assert(fails)?;
            let answer = self.solver.check(Purpose::Abstraction)?;
            let point = match answer {
                Answer::Sat => Some(self.point(edge)?),
                Answer::Unsat | Answer::Unknown(_) => None,
            };
            self.solver.pop()?;
            match (answer, point.flatten()) {
                (Answer::Unsat, _) => {}
                (_, Some(point)) => {
                    let order = self.order(edge.to);
                    let hull = self.hulls[edge.to].get_or_insert_default();
                    hull.add(&point);
                    self.relations[edge.to] = hull.relations(&order);
                    return Ok(true);
                }
                (_, None) => {
                    self.hulls[edge.to].get_or_insert_default();
                    self.relations[edge.to].clear();
                    return Ok(self.unknown.insert(edge.to));
                }
            }
        }
        Ok(false)
    }

    /// What the variables are after the rule, in the model.
    fn point(&mut self, edge: &Edge) -> Result<Option<Vec<i128>>, SolverError> {
        let model = self.solver.model()?;
        let mut point = Vec::new();
        for function in &self.tracked[edge.to] {
            let after = edge.updates.get(function).copied();
            match model.value(after.unwrap_or_else(|| function.apply([])))? {
                Value::Int(value) => point.push(value),
                _ => return Ok(None),
            }
        }
        Ok(Some(point))
    }

    fn order(&self, location: usize) -> Vec<usize> {
        let tracked = &self.tracked[location];
        let mut order: Vec<usize> = (0..tracked.len()).collect();
        order.sort_by_key(|position| self.tested.get(&tracked[*position]));
        order
    }

    /// `x = c1 y1 + ... + c` at a location, modulo what it is known for.
    fn formulas(&self, location: usize) -> Vec<Term> {
        let relations = self.relations[location].iter();
        relations.map(|relation| self.congruence(location, relation)).collect()
    }

    fn congruence(&self, location: usize, relation: &Relation) -> Term {
        let here = self.tracked[location][relation.variable].apply([]);
        let difference = term::subtract(here, self.sum(location, relation, relation.bits));
        let rest = term::modulo(difference, term::int(1 << relation.bits));
        term::equal(rest, term::int(0))
    }

    fn sum(&self, location: usize, relation: &Relation, bits: u32) -> Term {
        let tracked = &self.tracked[location];
        let others = relation.coefficients.iter().map(|(other, coefficient)| {
            term::multiply(term::int(nearest(*coefficient, bits)), tracked[*other].apply([]))
        });
        term::add(others.chain([term::int(nearest(relation.constant, bits))]))
    }

    /// What is substituted: an equation, where types say that nothing wraps around or where exactly, or a congruence.
    fn known(&self, location: usize, ranges: &Ranges) -> Known {
        let mut known = Known::default();
        // What one is solved for is in none of those behind it.
        for relation in self.relations[location].iter().rev() {
            let function = self.tracked[location][relation.variable];
            let range = ranges.get(&function);
            let width = range.map(width).filter(|width| *width <= relation.bits);
            let value = match (range, width) {
                _ if self.is_exact(location, relation, ranges) => self.sum(location, relation, relation.bits),
                (Some((least, _)), Some(width)) => {
                    let from_least = term::subtract(self.sum(location, relation, width), term::int(*least));
                    term::add([term::modulo(from_least, term::int(1 << width)), term::int(*least)])
                }
                _ => {
                    let left = known.put(self.congruence(location, relation));
                    known.given.push(simplify(left));
                    continue;
                }
            };
            let value = simplify(known.put(value));
            let is_within = |(least, greatest): &&(i128, i128)| {
                let sum = self.range_of_sum(location, relation, ranges);
                sum.is_some_and(|(lowest, highest)| least <= &lowest && &highest <= greatest)
            };
            if let Some(range) = range.filter(|range| !fills(value, **range) && !is_within(range)) {
                known.given.push(simplify(in_range(value, *range)));
            }
            known.values.insert(function, value);
        }
        known
    }

    /// Whether the two sides differ by less than the modulus for all values of the variables.
    fn is_exact(&self, location: usize, relation: &Relation, ranges: &Ranges) -> bool {
        let difference = || {
            let (lowest, highest) = self.range_of_sum(location, relation, ranges)?;
            let (least, greatest) = ranges.get(&self.tracked[location][relation.variable])?;
            Some((lowest.checked_sub(*greatest)?, highest.checked_sub(*least)?))
        };
        let modulus = 1 << relation.bits;
        difference().is_some_and(|(lowest, highest)| -modulus < lowest && highest < modulus)
    }

    /// Between which numbers the sum of a relation is.
    fn range_of_sum(&self, location: usize, relation: &Relation, ranges: &Ranges) -> Option<(i128, i128)> {
        let near = |number: i128| nearest(number, relation.bits);
        let constant = near(relation.constant);
        let mut coefficients = relation.coefficients.iter();
        coefficients.try_fold((constant, constant), |(lowest, highest), (other, coefficient)| {
            let (least, greatest) = ranges.get(&self.tracked[location][*other])?;
            let (one, two) = (
                near(*coefficient).checked_mul(*least)?,
                near(*coefficient).checked_mul(*greatest)?,
            );
            Some((lowest.checked_add(one.min(two))?, highest.checked_add(one.max(two))?))
        })
    }
}

/// The number of bits for as many values.
fn width((least, greatest): &(i128, i128)) -> u32 {
    (greatest - least)
        .cast_unsigned()
        .checked_ilog2()
        .map_or(0, |bits| bits + 1)
}

fn in_range(value: Term, (least, greatest): (i128, i128)) -> Term {
    let is_least = term::less_equal(term::int(least), value);
    term::and([is_least, term::less_equal(value, term::int(greatest))])
}

/// Whether a value is in the range for the way in which it is computed.
fn fills(value: Term, (least, greatest): (i128, i128)) -> bool {
    match value.kind() {
        Kind::Int(value) => (least..=greatest).contains(value),
        Kind::Add(parts) => parts.iter().any(|part| is_modulo(*part, greatest - least + 1)) && parts.len() == 2,
        _ => least == 0 && is_modulo(value, greatest + 1),
    }
}

fn is_modulo(term: Term, modulus: i128) -> bool {
    matches!(term.kind(), Kind::Modulo(_, by) if *by == term::int(modulus))
}
