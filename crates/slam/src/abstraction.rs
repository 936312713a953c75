//! C2bp: from a program and predicates to a Boolean program.
//!
//! Ball, Majumdar, Millstein and Rajamani, *Automatic predicate abstraction of C programs*, 2001; Das, section 6.3. A
//! statement becomes a parallel assignment `b = schoose[F(wp(b)), F(not wp(b))]`, an assumption of `e` becomes one of
//! `not F(not e)`, and a call becomes the three statements of Das, section 6.4. Each predicate is taken by itself, and
//! cubes have a greatest length: what is lost that way Constrain brings back.

use crate::constrain::Constraints;
use crate::cubes::{Cube, CubeGoal, Cubes, equation};
use crate::liveness::forget_dead;
use crate::predicates::Predicates;
use crate::statements::{Bit, Meaning, Site, Steps};
use boolean::{Action, Expression, LabelId, Procedure, Statement, Variable};
use deduction::relevance::connected;
use logic::{Function, Term, term};
use rustc_hash::FxHashMap;
use smt::SolverError;
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Automaton, LocationId, ProcedureId};
use unfold::frames::{Owner, Towards, Way};

/// What a statement of the Boolean program comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub site: Option<Site>,
    /// The way that begins here.
    pub begins: Option<Way>,
    /// The procedure ends here.
    pub is_exit: bool,
}

/// Of what nothing in the program corresponds to.
const NOTHING: Origin = Origin {
    site: None,
    begins: None,
    is_exit: false,
};

/// A Boolean program, and what it comes from.
pub struct Abstraction {
    pub program: boolean::Program,
    /// By procedure and number of the statement.
    pub origins: Vec<Vec<Origin>>,
    /// By procedure: what its variables stand for.
    pub scopes: Vec<Scope>,
}

/// The variables that a procedure of the Boolean program sees.
#[derive(Clone, Default)]
pub struct Scope {
    pub variables: BTreeMap<Bit, Variable>,
}

/// How precise the first abstraction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    Cartesian,
    /// Everything may happen.
    Nothing,
}

/// What a statement is in the Boolean program, over bits.
#[derive(Clone)]
pub struct Abstracted {
    /// What excludes that it goes on; none where it always does.
    pub assumed: Option<Vec<Cube>>,
    /// Of each target, where it becomes true and where false.
    pub values: Vec<(Bit, Vec<Cube>, Vec<Cube>)>,
    /// Targets of which at most one becomes true: equations of the same cell with different numbers.
    pub exclusive: Vec<Vec<Bit>>,
    /// The bits of the formulas in cubes.
    pub bits: FxHashMap<Term, Bit>,
}

/// `F` for every part of a statement.
pub fn abstracted(
    steps: &Steps,
    predicates: &Predicates,
    cubes: &mut Cubes,
    precision: Precision,
    meaning: &Meaning,
) -> Result<Abstracted, SolverError> {
    let mut bits = FxHashMap::default();
    for (bit, formula) in &meaning.before {
        bits.entry(*formula).or_insert(*bit);
    }
    let candidates: Vec<Term> = meaning.before.iter().map(|(_, formula)| *formula).collect();
    let is_coarse = precision == Precision::Nothing;
    let mut values = Vec::new();
    let assumed = match meaning.condition.is_true() {
        true => None,
        false if is_coarse => Some(Vec::new()),
        false => {
            let fails = term::not(meaning.condition);
            Some(cubes.implying(steps, &candidates, term::bool(true), fails, CubeGoal::Assumption)?)
        }
    };
    for (bit, formula) in &meaning.after {
        let (holds, fails) = match is_coarse {
            true => (Vec::new(), Vec::new()),
            false => (
                cubes.implying(steps, &candidates, meaning.condition, *formula, CubeGoal::Value)?,
                cubes.implying(
                    steps,
                    &candidates,
                    meaning.condition,
                    term::not(*formula),
                    CubeGoal::Value,
                )?,
            ),
        };
        values.push((*bit, holds, fails));
    }
    Ok(Abstracted {
        assumed,
        exclusive: exclusive(predicates, &values),
        values,
        bits,
    })
}

/// Where each of several values is found by itself, two of them may contradict each other: a cell is equal to two
/// numbers. These are kept apart, since states that cannot be are very many, where a variable has many values.
fn exclusive(predicates: &Predicates, values: &[(Bit, Vec<Cube>, Vec<Cube>)]) -> Vec<Vec<Bit>> {
    let mut of_cells: BTreeMap<Term, Vec<Bit>> = BTreeMap::new();
    let is_open = |(_, holds, fails): &&(Bit, Vec<Cube>, Vec<Cube>)| {
        let is_always = |cubes: &[Cube]| cubes.iter().any(Vec::is_empty);
        !is_always(holds) && !is_always(fails)
    };
    for (bit, ..) in values.iter().filter(is_open) {
        let (Bit::Predicate(id) | Bit::Argument(id) | Bit::Result(id)) = bit;
        if let Some((cell, _)) = equation(predicates.get(*id).formula) {
            of_cells.entry(cell).or_default().push(*bit);
        }
    }
    of_cells.into_values().filter(|bits| bits.len() > 1).collect()
}

impl Abstracted {
    /// The statement, with what Constrain found of it. None where it does nothing.
    pub fn action(&self, variables: &dyn Fn(Bit) -> Variable, constraints: Vec<Expression>) -> Option<Action> {
        let cube = |cube: &Cube| {
            let literals = cube.iter().map(|(formula, value)| {
                let variable = Expression::Variable(variables(self.bits[formula]));
                if *value { variable } else { variable.negated() }
            });
            Expression::all(literals.collect())
        };
        let any_of = |cubes: &[Cube]| any(cubes.iter().map(cube).collect());
        let mut required: Vec<Expression> = Vec::new();
        if let Some(refuting) = &self.assumed
            && !refuting.is_empty()
        {
            required.push(any_of(refuting).negated());
        }
        required.extend(constraints);
        let next = |bit: &Bit| Expression::Next(variables(*bit));
        required.extend(
            self.exclusive
                .iter()
                .flat_map(|bits| at_most_one(&bits.iter().map(next).collect::<Vec<_>>())),
        );
        if self.values.is_empty() {
            let is_needed = self.assumed.is_some() || !required.is_empty();
            return is_needed.then(|| Action::Assume(Expression::all(required)));
        }
        let value = |(_, holds, fails): &(Bit, Vec<Cube>, Vec<Cube>)| match (holds.is_empty(), fails.is_empty()) {
            (true, true) => Expression::Any,
            _ if holds.iter().any(Vec::is_empty) => Expression::Constant(true),
            _ if fails.iter().any(Vec::is_empty) => Expression::Constant(false),
            _ => Expression::Choose(Box::new(any_of(holds)), Box::new(any_of(fails))),
        };
        Some(Action::Assign {
            targets: self.values.iter().map(|(bit, ..)| variables(*bit)).collect(),
            values: self.values.iter().map(value).collect(),
            constraint: (!required.is_empty()).then(|| Expression::all(required)),
        })
    }
}

/// That at most one of these is true: of each half, and not one of either half.
fn at_most_one(parts: &[Expression]) -> Vec<Expression> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    let both = Expression::all(vec![any(left.to_vec()), any(right.to_vec())]);
    let mut found = vec![both.negated()];
    found.extend(at_most_one(left));
    found.extend(at_most_one(right));
    found
}

/// The disjunction of any number.
pub fn any(mut parts: Vec<Expression>) -> Expression {
    match parts.len() {
        0 => Expression::Constant(false),
        1 => parts.remove(0),
        _ => Expression::Or(parts),
    }
}

/// The Boolean program of a program.
pub fn abstraction(
    steps: &Steps,
    predicates: &Predicates,
    cubes: &mut Cubes,
    precision: Precision,
    constraints: &Constraints,
) -> Result<Abstraction, SolverError> {
    let program = steps.frames.program();
    let count = u32::try_from(program.procedures.len()).unwrap_or(u32::MAX);
    let scopes: Vec<Scope> = (0..count)
        .map(|number| scope(steps, predicates, ProcedureId(number)))
        .collect();
    let mut made = Abstraction {
        program: boolean::Program {
            globals: predicates
                .global()
                .map(|(_, predicate)| name(predicate.formula))
                .collect(),
            enforced: constraints.enforced(None, &scopes[program.start.index()]),
            procedures: Vec::new(),
            entry: boolean::ProcedureId(program.start.index()),
        },
        origins: Vec::new(),
        scopes: Vec::new(),
    };
    for (number, procedure) in (0..count).zip(&program.procedures) {
        let id = ProcedureId(number);
        let scope = &scopes[id.index()];
        let mut builder = Builder {
            steps,
            predicates,
            cubes,
            precision,
            constraints,
            scope,
            procedure: Procedure {
                name: procedure.name.clone(),
                enforced: constraints.enforced(Some(id), scope),
                results: returned(predicates, id).count(),
                origin: Some(procedure.span),
                ..Procedure::default()
            },
            origins: Vec::new(),
        };
        builder.declare(id);
        if let Some(automaton) = procedure.body.automaton() {
            builder.body(id, automaton)?;
        }
        let kept = kept(steps, predicates, id, scope);
        let of_origin = |origin: Origin| {
            let (way, callee) = match origin.site {
                Some(Site::Results(way)) => (Some(way), way.callee),
                _ => (origin.begins, None),
            };
            let results = callee.into_iter().flat_map(|callee| returned(predicates, callee));
            let results = results.map(|id| scope.variables[&Bit::Result(id)]);
            let of_location = way.and_then(|way| kept.get(&way.location)).into_iter().flatten();
            results.chain(of_location.copied()).collect()
        };
        forget_dead(&mut builder.procedure, &mut builder.origins, NOTHING, &of_origin);
        made.program.procedures.push(builder.procedure);
        made.origins.push(builder.origins);
    }
    made.scopes = scopes;
    Ok(made)
}

/// By location: the predicates of a procedure that say something of variables that are read later, or of what has to
/// do with them. The Boolean program may not read them, but Constrain wants to know them.
fn kept(
    steps: &Steps,
    predicates: &Predicates,
    procedure: ProcedureId,
    scope: &Scope,
) -> BTreeMap<LocationId, Vec<Variable>> {
    let is_memory = |cell: &Function| steps.frames.owner(*cell) == Some(Owner::Memory);
    let own: Vec<_> = predicates.of(procedure).collect();
    let cells: Vec<BTreeSet<Function>> = own.iter().map(|(_, predicate)| predicate.cells.clone()).collect();
    let memory: BTreeSet<Function> = cells.iter().flatten().copied().filter(is_memory).collect();
    let of_location = |live: BTreeSet<Function>| -> Vec<Variable> {
        let connected = connected(live.union(&memory).copied().collect(), &cells);
        let variables = connected
            .into_iter()
            .map(|at| scope.variables[&Bit::Predicate(own[at].0)]);
        let variables: BTreeSet<Variable> = variables.collect();
        variables.into_iter().collect()
    };
    let live = steps.live(procedure).into_iter();
    live.map(|(location, live)| (location, of_location(live))).collect()
}

fn name(formula: Term) -> String {
    logic::pretty::pretty(formula)
}

/// The predicates whose values a procedure returns.
pub fn returned(
    predicates: &Predicates,
    procedure: ProcedureId,
) -> impl Iterator<Item = crate::predicates::PredicateId> + '_ {
    let own = predicates.of(procedure).filter(|(_, predicate)| predicate.is_returned);
    own.map(|(id, _)| id)
}

/// The predicates whose values a procedure is given.
pub fn parameters(
    predicates: &Predicates,
    procedure: ProcedureId,
) -> impl Iterator<Item = crate::predicates::PredicateId> + '_ {
    let own = predicates.of(procedure).filter(|(_, predicate)| predicate.is_parameter);
    own.map(|(id, _)| id)
}

/// Parameters first, then other predicates, then what calls need.
pub fn locals(steps: &Steps, predicates: &Predicates, procedure: ProcedureId) -> Vec<Bit> {
    let own = predicates
        .of(procedure)
        .filter(|(_, predicate)| !predicate.is_parameter);
    let mut bits: Vec<Bit> = parameters(predicates, procedure).map(Bit::Predicate).collect();
    bits.extend(own.map(|(id, _)| Bit::Predicate(id)));
    for callee in steps.callees(procedure) {
        bits.extend(parameters(predicates, callee).map(Bit::Argument));
        bits.extend(returned(predicates, callee).map(Bit::Result));
    }
    bits
}

fn scope(steps: &Steps, predicates: &Predicates, procedure: ProcedureId) -> Scope {
    let global = predicates.global().map(|(id, _)| Bit::Predicate(id)).enumerate();
    let global = global.map(|(number, bit)| (bit, Variable::Global(number)));
    let local = locals(steps, predicates, procedure).into_iter().enumerate();
    let local = local.map(|(number, bit)| (bit, Variable::Local(number)));
    Scope {
        variables: global.chain(local).collect(),
    }
}

struct Builder<'a, 'p> {
    steps: &'a Steps<'p>,
    predicates: &'a Predicates,
    cubes: &'a mut Cubes,
    precision: Precision,
    constraints: &'a Constraints,
    scope: &'a Scope,
    procedure: Procedure,
    origins: Vec<Origin>,
}

impl Builder<'_, '_> {
    fn declare(&mut self, id: ProcedureId) {
        let count = parameters(self.predicates, id).count();
        for (number, bit) in locals(self.steps, self.predicates, id).into_iter().enumerate() {
            let name = match bit {
                Bit::Predicate(id) => name(self.predicates.get(id).formula),
                Bit::Argument(id) => format!("argument {}", name(self.predicates.get(id).formula)),
                Bit::Result(id) => format!("result {}", name(self.predicates.get(id).formula)),
            };
            match number < count {
                true => self.procedure.parameters.push(name),
                false => self.procedure.locals.push(name),
            }
        }
    }

    fn put(&mut self, labels: Vec<LabelId>, action: Action, origin: Origin) {
        let mut statement = Statement::from(action);
        statement.labels = labels;
        self.procedure.body.push(statement);
        self.origins.push(origin);
    }

    fn label(&mut self, name: String) -> LabelId {
        self.procedure.labels.push(name);
        LabelId(self.procedure.labels.len() - 1)
    }

    fn body(&mut self, id: ProcedureId, automaton: &Automaton) -> Result<(), SolverError> {
        let program = self.steps.frames.program();
        let labels: Vec<LabelId> = (0..automaton.locations.len())
            .map(|number| self.label(format!("l{number}")))
            .collect();
        if id == program.start
            && let Some(action) = self.action(Site::Start)?
        {
            let origin = Origin {
                site: Some(Site::Start),
                ..NOTHING
            };
            self.put(Vec::new(), action, origin);
        }
        if automaton.entry.index() != 0 {
            self.put(Vec::new(), Action::Goto(vec![labels[automaton.entry.index()]]), NOTHING);
        }
        for location in (0..).map(LocationId).take(automaton.locations.len()) {
            let here = labels[location.index()];
            if location == automaton.exit {
                let values = returned(self.predicates, id).map(|id| self.value(Bit::Predicate(id)));
                let values = values.collect();
                let origin = Origin {
                    is_exit: true,
                    ..NOTHING
                };
                self.put(vec![here], Action::Return(values), origin);
                continue;
            }
            let ways = self.steps.ways(id, location).to_vec();
            match ways.as_slice() {
                [] => self.put(vec![here], Action::Assume(Expression::Constant(false)), NOTHING),
                [only] => self.way(here, *only, &labels)?,
                several => {
                    let each: Vec<LabelId> = (0..several.len())
                        .map(|number| self.label(format!("l{}_{number}", location.0)))
                        .collect();
                    self.put(vec![here], Action::Goto(each.clone()), NOTHING);
                    for (label, way) in each.into_iter().zip(several) {
                        self.way(label, *way, &labels)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&self, bit: Bit) -> Expression {
        Expression::Variable(self.scope.variables[&bit])
    }

    fn action(&mut self, site: Site) -> Result<Option<Action>, SolverError> {
        let meaning = self.steps.meaning(site, self.predicates);
        let abstracted = abstracted(self.steps, self.predicates, self.cubes, self.precision, &meaning)?;
        let variables = |bit: Bit| self.scope.variables[&bit];
        Ok(abstracted.action(&variables, self.constraints.of(site, &variables)))
    }

    /// The statements of a way.
    fn way(&mut self, label: LabelId, way: Way, labels: &[LabelId]) -> Result<(), SolverError> {
        let towards = self.steps.effect(way).towards;
        let mut first = vec![label];
        let mut begins = Some(way);
        let mut put = |builder: &mut Self, action: Action, site: Option<Site>| {
            let origin = Origin {
                site,
                begins: begins.take(),
                is_exit: false,
            };
            builder.put(std::mem::take(&mut first), action, origin);
        };
        match towards {
            Towards::Nowhere => put(self, Action::Assume(Expression::Constant(false)), None),
            Towards::Violated(_) => {
                if let Some(action) = self.action(Site::Step(way))? {
                    put(self, action, Some(Site::Step(way)));
                }
                put(self, Action::Assert(Expression::Constant(false)), None);
            }
            Towards::Location(to) => {
                if let Some(action) = self.action(Site::Step(way))? {
                    put(self, action, Some(Site::Step(way)));
                }
                put(self, Action::Goto(vec![labels[to.index()]]), None);
            }
            Towards::Call(callee) => {
                if let Some(action) = self.action(Site::Arguments(way))? {
                    put(self, action, Some(Site::Arguments(way)));
                }
                let arguments = parameters(self.predicates, callee).map(|id| self.value(Bit::Argument(id)));
                let results = returned(self.predicates, callee).map(|id| self.scope.variables[&Bit::Result(id)]);
                let call = Action::Call {
                    results: results.collect(),
                    procedure: boolean::ProcedureId(callee.index()),
                    arguments: arguments.collect(),
                };
                put(self, call, None);
                if let Some(action) = self.action(Site::Results(way))? {
                    put(self, action, Some(Site::Results(way)));
                }
                match self.steps.returned(way).map(|back| back.towards) {
                    Some(Towards::Location(to)) => put(self, Action::Goto(vec![labels[to.index()]]), None),
                    _ => put(self, Action::Assume(Expression::Constant(false)), None),
                }
            }
        }
        Ok(())
    }
}
