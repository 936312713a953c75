//! From a Boolean program that cannot fail to facts about the unfolded program.
//!
//! The Boolean program is unfolded as the program was: each call in its place, with variables of its own. What is
//! reached there before a cut point becomes a fact of that point: over the predicates of the procedure, of those around
//! it that no call in between can have made stale, and of memory. A return may rest on more (on what was true before
//! the call); then the facts are too weak, and their certificate is not confirmed.

use crate::abstraction::{Abstracted, Precision, abstracted, locals, parameters, returned};
use crate::constrain::Constraints;
use crate::cubes::Cubes;
use crate::liveness::forget_dead;
use crate::predicates::Predicates;
use crate::statements::{Bit, Site, Steps};
use crate::{Error, SlamProof};
use boolean::{Action, Expression, LabelId, Procedure, Statement, StatementId, Variable};
use logic::{Cancellation, Term, term};
use std::collections::BTreeMap;
use system::Span;
use system::program::{LocationId, ProcedureId};
use system::transition::Fact;
use unfold::frames::{Towards, Way};
use unfold::{ContextId, Node, Unfolded};

/// A variable of the unfolded Boolean program: a bit of a context, or of memory.
type Place = (Option<ContextId>, Bit);

struct Inliner<'a, 'p, 'u> {
    steps: &'a Steps<'p>,
    unfolded: &'a Unfolded<'u>,
    predicates: &'a Predicates,
    constraints: &'a Constraints,
    cubes: &'a mut Cubes,
    precision: Precision,
    made: BTreeMap<Site, Abstracted>,
    variables: BTreeMap<Place, Variable>,
    procedure: Procedure,
    labels: BTreeMap<(ContextId, LocationId), LabelId>,
    /// Behind calls, by the context that was called.
    behind: BTreeMap<ContextId, LabelId>,
}

/// Facts about cut points. None where the unfolded Boolean program can fail after all, or is too large.
pub fn facts(
    steps: &Steps,
    unfolded: &Unfolded,
    cubes: &mut Cubes,
    precision: Precision,
    proved: &SlamProof,
    cancellation: &Cancellation,
) -> Result<Option<Vec<Fact>>, Error> {
    let mut inliner = Inliner {
        steps,
        unfolded,
        predicates: &proved.predicates,
        constraints: &proved.constraints,
        cubes,
        precision,
        made: BTreeMap::new(),
        variables: BTreeMap::new(),
        procedure: Procedure {
            name: "unfolded".to_owned(),
            ..Procedure::default()
        },
        labels: BTreeMap::new(),
        behind: BTreeMap::new(),
    };
    let program = inliner.program()?;
    let positions = positions(&program);
    let cuts: Vec<(Node, ContextId, LocationId)> = unfolded
        .nodes
        .iter()
        .filter_map(|node| match node {
            Node::At(context, location) => Some((*node, *context, *location)),
            Node::Violated(_) | Node::TooDeep | Node::Entry(_) | Node::Broken => None,
        })
        .collect();
    let at: Vec<StatementId> = cuts
        .iter()
        .map(|(_, context, location)| StatementId {
            procedure: boolean::ProcedureId(0),
            number: positions[&inliner.labels[&(*context, *location)]],
        })
        .collect();
    let places: BTreeMap<Variable, Place> = inliner.variables.iter().map(|(place, v)| (*v, *place)).collect();
    let meaning = |cut: usize, variable: Variable| inliner.meaning(cuts[cut].1, *places.get(&variable)?);
    let Some(formulas) = boolean::invariants(&program, &at, &meaning, cancellation)? else {
        return Ok(None);
    };
    let fact = |(node, formula): (Node, Term)| {
        let formula = term::implies(unfolded.at(node)?, formula);
        Some(Fact {
            name: unfolded.name(node),
            formula,
            span: Span::default(),
        })
    };
    let ends = unfolded.nodes.iter().filter(|node| !matches!(node, Node::At(..)));
    let ends = ends.map(|node| (*node, term::bool(false)));
    let known = cuts.iter().map(|(node, ..)| *node).zip(formulas);
    let facts = known.chain(ends).filter_map(fact);
    Ok(Some(facts.filter(|fact| !fact.formula.is_true()).collect()))
}

/// Where each label stands.
fn positions(program: &boolean::Program) -> BTreeMap<LabelId, usize> {
    let statements = program
        .procedures
        .iter()
        .flat_map(|procedure| procedure.body.iter().enumerate());
    let labels = statements.flat_map(|(number, statement)| statement.labels.iter().map(move |label| (*label, number)));
    labels.collect()
}

impl Inliner<'_, '_, '_> {
    /// What a variable says at a place in a context, where it says anything.
    fn meaning(&self, context: ContextId, (owner, bit): Place) -> Option<Term> {
        let Bit::Predicate(id) = bit else { return None };
        let predicate = self.predicates.get(id);
        let frames = &self.steps.frames;
        let Some(owner) = owner else {
            return frames.in_unfolded(predicate.formula, self.unfolded, context);
        };
        let around = self.unfolded.around(context);
        let position = around.iter().position(|id| *id == owner)?;
        if position > 0 {
            let inner = self.unfolded.context(around[position - 1]).procedure;
            if predicate.cells.iter().any(|cell| self.steps.changes(inner, *cell)) {
                return None;
            }
        }
        frames.in_unfolded(predicate.formula, self.unfolded, owner)
    }

    /// All are locals of the single procedure: their initial values do not matter.
    fn declare(&mut self) {
        let mut places: Vec<Place> = Vec::new();
        places.extend(self.predicates.global().map(|(id, _)| (None, Bit::Predicate(id))));
        for context in self.unfolded.contexts() {
            let procedure = self.unfolded.context(context).procedure;
            let bits = locals(self.steps, self.predicates, procedure).into_iter();
            places.extend(bits.map(|bit| (Some(context), bit)));
        }
        for (number, place) in places.into_iter().enumerate() {
            self.variables.insert(place, Variable::Local(number));
            self.procedure.locals.push(format!("b{number}"));
        }
    }

    fn variable(&self, context: ContextId, bit: Bit) -> Variable {
        let is_global = matches!(bit, Bit::Predicate(id) if self.predicates.get(id).scope.is_none());
        let owner = (!is_global).then_some(context);
        self.variables[&(owner, bit)]
    }

    fn label(&mut self) -> LabelId {
        let name = format!("l{}", self.procedure.labels.len());
        self.procedure.labels.push(name);
        LabelId(self.procedure.labels.len() - 1)
    }

    fn put(&mut self, labels: Vec<LabelId>, action: Action) {
        let mut statement = Statement::from(action);
        statement.labels = labels;
        self.procedure.body.push(statement);
    }

    fn program(&mut self) -> Result<boolean::Program, Error> {
        self.declare();
        let program = self.steps.frames.program();
        let contexts: Vec<ContextId> = self.unfolded.contexts().collect();
        let automaton = |procedure: ProcedureId| program[procedure].body.automaton();
        for context in &contexts {
            let procedure = self.unfolded.context(*context).procedure;
            let count = automaton(procedure).map_or(0, |automaton| automaton.locations.len());
            for location in (0..).map(LocationId).take(count) {
                let label = self.label();
                self.labels.insert((*context, location), label);
            }
            if self.unfolded.context(*context).caller.is_some() {
                let label = self.label();
                self.behind.insert(*context, label);
            }
        }
        let Some(first) = contexts.first() else {
            return Ok(boolean::Program::default());
        };
        if let Some(action) = self.action(*first, Site::Start)? {
            self.put(Vec::new(), action);
        }
        if let Some(automaton) = automaton(program.start) {
            let entry = self.labels[&(*first, automaton.entry)];
            self.put(Vec::new(), Action::Goto(vec![entry]));
        }
        for context in contexts {
            self.context(context)?;
        }
        self.procedure.enforced = self.enforced();
        let mut nothing = vec![(); self.procedure.body.len()];
        forget_dead(&mut self.procedure, &mut nothing, (), &|()| Vec::new());
        Ok(boolean::Program {
            procedures: vec![std::mem::take(&mut self.procedure)],
            entry: boolean::ProcedureId(0),
            ..boolean::Program::default()
        })
    }

    /// Of memory only: of a procedure, an invariant holds while control is in it.
    fn enforced(&self) -> Vec<Expression> {
        let pairs = self.variables.iter().filter(|((owner, _), _)| owner.is_none());
        let scope = crate::abstraction::Scope {
            variables: pairs.map(|((_, bit), variable)| (*bit, *variable)).collect(),
        };
        self.constraints.enforced(None, &scope)
    }

    fn action(&mut self, context: ContextId, site: Site) -> Result<Option<Action>, Error> {
        if !self.made.contains_key(&site) {
            let meaning = self.steps.meaning(site, self.predicates);
            let made = abstracted(self.steps, self.predicates, self.cubes, self.precision, &meaning)?;
            self.made.insert(site, made);
        }
        let variables = |bit: Bit| self.variable(context, bit);
        let mut constraints = self.constraints.of(site, &variables);
        // What is known of every state of the procedure is known of this one.
        let procedure = self.unfolded.context(context).procedure;
        if site != Site::Start {
            let bits = locals(self.steps, self.predicates, procedure).into_iter();
            let global = self.predicates.global().map(|(id, _)| Bit::Predicate(id));
            let scope = crate::abstraction::Scope {
                variables: bits.chain(global).map(|bit| (bit, variables(bit))).collect(),
            };
            constraints.extend(self.constraints.enforced(Some(procedure), &scope));
        }
        Ok(self.made[&site].action(&variables, constraints))
    }

    fn context(&mut self, context: ContextId) -> Result<(), Error> {
        let procedure = self.unfolded.context(context).procedure;
        let Some(automaton) = self.steps.frames.program()[procedure].body.automaton() else {
            return Ok(());
        };
        for location in (0..).map(LocationId).take(automaton.locations.len()) {
            let here = self.labels[&(context, location)];
            if location == automaton.exit {
                self.exit(context, procedure, here);
                continue;
            }
            let ways = self.steps.ways(procedure, location).to_vec();
            match ways.as_slice() {
                [] => self.put(vec![here], Action::Assume(Expression::Constant(false))),
                [only] => self.way(context, here, *only)?,
                several => {
                    let each: Vec<LabelId> = several.iter().map(|_| self.label()).collect();
                    self.put(vec![here], Action::Goto(each.clone()));
                    for (label, way) in each.into_iter().zip(several) {
                        self.way(context, label, *way)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn way(&mut self, context: ContextId, label: LabelId, way: Way) -> Result<(), Error> {
        let mut first = vec![label];
        let site = match self.steps.effect(way).towards {
            Towards::Call(_) => Site::Arguments(way),
            _ => Site::Step(way),
        };
        if let Some(action) = self.action(context, site)? {
            self.put(std::mem::take(&mut first), action);
        }
        match self.steps.effect(way).towards {
            Towards::Nowhere => self.put(first, Action::Assume(Expression::Constant(false))),
            Towards::Violated(_) => self.put(first, Action::Assert(Expression::Constant(false))),
            Towards::Location(to) => self.put(first, Action::Goto(vec![self.labels[&(context, to)]])),
            Towards::Call(callee) => self.call(context, first, way, callee)?,
        }
        Ok(())
    }

    /// Into the context that is called, and what is behind the call.
    fn call(&mut self, context: ContextId, first: Vec<LabelId>, way: Way, callee: ProcedureId) -> Result<(), Error> {
        let automaton = self.steps.frames.program()[callee].body.automaton();
        let (Some(child), Some(automaton)) = (self.unfolded.called(context, way), automaton) else {
            // Deeper than calls are inlined.
            self.put(first, Action::Assert(Expression::Constant(false)));
            return Ok(());
        };
        let given: Vec<_> = parameters(self.predicates, callee).collect();
        let bind = Action::Assign {
            targets: given
                .iter()
                .map(|id| self.variable(child, Bit::Predicate(*id)))
                .collect(),
            values: given
                .iter()
                .map(|id| Expression::Variable(self.variable(context, Bit::Argument(*id))))
                .collect(),
            constraint: None,
        };
        let bind = if given.is_empty() { Action::Skip } else { bind };
        self.put(first, bind);
        let entry = self.labels[&(child, automaton.entry)];
        self.put(Vec::new(), Action::Goto(vec![entry]));
        let mut behind = vec![self.behind[&child]];
        if let Some(action) = self.action(context, Site::Results(way))? {
            self.put(std::mem::take(&mut behind), action);
        }
        let action = match self.steps.returned(way).map(|back| back.towards) {
            Some(Towards::Location(to)) => Action::Goto(vec![self.labels[&(context, to)]]),
            _ => Action::Assume(Expression::Constant(false)),
        };
        self.put(behind, action);
        Ok(())
    }

    /// What is returned goes to the caller.
    fn exit(&mut self, context: ContextId, procedure: ProcedureId, here: LabelId) {
        let Some((caller, ..)) = self.unfolded.context(context).caller else {
            return self.put(vec![here], Action::Assume(Expression::Constant(false)));
        };
        let results: Vec<_> = returned(self.predicates, procedure).collect();
        let give = Action::Assign {
            targets: results
                .iter()
                .map(|id| self.variable(caller, Bit::Result(*id)))
                .collect(),
            values: results
                .iter()
                .map(|id| Expression::Variable(self.variable(context, Bit::Predicate(*id))))
                .collect(),
            constraint: None,
        };
        let give = if results.is_empty() { Action::Skip } else { give };
        self.put(vec![here], give);
        self.put(Vec::new(), Action::Goto(vec![self.behind[&context]]));
    }
}
