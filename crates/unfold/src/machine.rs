//! The symbolic state, with the choices and requirements of the current step.

use crate::Undefinedness;
use crate::allocated::Allocated;
use crate::back::Values;
use crate::contexts::{ContextId, Contexts};
use crate::contracts::Contracts;
use crate::hazards::Hazards;
use crate::objects::{CellId, FIRST_UNNAMED, ObjectId, ObjectOrigin, Objects};
use analysis::points_to::Site;
use logic::{Function, Kind, Sort, Term, term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::{Integer, LocationId, ProcedureId, Program, Scalar, Undefined, VariableId};

/// The cells whose values changed since the beginning of the block, as terms over the state there and the choices
/// made since.
pub(crate) type State = BTreeMap<CellId, Term>;

/// Why a value is nondeterministic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// The program reads an input.
    Input,
    /// An uninitialized variable is read.
    Uninitialized,
    /// A library function leaves its result unspecified: every value is possible, and a run takes zero.
    Unspecified,
    /// The value is beyond the encoding: some of these values may be infeasible.
    Approximation,
}

#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub function: Function,
    pub scalar: Option<Scalar>,
    pub chosen: ChoiceKind,
}

/// A walk along one concrete path: the values of choices, and the inputs that the program reads.
pub(crate) struct Walk<'g> {
    pub(crate) given: &'g Values,
    pub(crate) inputs: Vec<i128>,
    /// Uninitialized cells; the first read of one is an input.
    pub(crate) uninitialized: BTreeSet<CellId>,
    /// Reads only copy values.
    pub(crate) is_quiet: bool,
    /// A sequence of inputs, instead of values of choices.
    pub(crate) replay: Option<Replay>,
    pub(crate) record: WalkRecord,
}

impl<'g> Walk<'g> {
    /// The value of a choice.
    pub(crate) fn given(&self, function: Function) -> i128 {
        self.given.get(&function).copied().unwrap_or(0)
    }

    /// A walk at its beginning.
    pub(crate) fn new(given: &'g Values) -> Walk<'g> {
        Walk {
            given,
            inputs: Vec::new(),
            uninitialized: BTreeSet::new(),
            is_quiet: false,
            replay: None,
            record: WalkRecord::default(),
        }
    }
}

/// What a walk records to guide a concrete search.
#[derive(Default)]
pub(crate) struct WalkRecord {
    /// The current step.
    pub(crate) at: Option<Step>,
    /// The first step that depends on a value beyond the encoding.
    pub(crate) approximated: Option<Span>,
    /// The edge taken at each branch.
    pub(crate) branches: Vec<(Step, usize)>,
    /// Inputs, and values beyond the encoding, by the step that reads them.
    pub(crate) values: Vec<(Step, i128, ChoiceKind)>,
}

/// A step, by the location that it leaves.
pub(crate) type Step = (ProcedureId, LocationId);

impl WalkRecord {
    fn note(&mut self, value: i128, chosen: ChoiceKind) {
        self.values.extend(self.at.map(|at| (at, value, chosen)));
    }
}

/// Inputs of the program, in the order in which it reads them.
#[derive(Clone, Default)]
pub(crate) struct Replay {
    pub(crate) inputs: Vec<i128>,
    pub(crate) used: usize,
    /// The walk depended on a value beyond the encoding or ran out of inputs, so it proves nothing.
    pub(crate) is_approximate: bool,
}

impl Replay {
    /// The next input, as a value of its type. Only null pointers are supported as inputs.
    pub(crate) fn next(&mut self, scalar: Option<Scalar>) -> i128 {
        let input = self.inputs.get(self.used).copied();
        self.used += 1;
        match (scalar, input) {
            (Some(Scalar::Integer(integer)), Some(input)) => integer.wrap(input),
            (Some(Scalar::Pointer), Some(0)) => 0,
            _ => {
                self.is_approximate = true;
                0
            }
        }
    }
}

/// Executes steps symbolically, or concretely along a [`Walk`].
pub(crate) struct Machine<'p, 'g> {
    pub(crate) program: &'p Program,
    pub(crate) contexts: Contexts<'p>,
    pub(crate) objects: Objects,
    pub(crate) contracts: Contracts,
    pub(crate) undefined: Undefinedness,
    /// The element types of allocated objects, according to their uses.
    pub(crate) allocated: BTreeMap<Site, Allocated>,
    pub(crate) state: State,
    /// The context of the current step.
    pub(crate) context: ContextId,
    /// The conditions under which the step is defined.
    pub(crate) requirements: Vec<Term>,
    /// Prefix for the names of the choices of a step: block, location and edge.
    pub(crate) position: String,
    pub(crate) counter: usize,
    pub(crate) choices: FxHashMap<Function, Choice>,
    pub(crate) walk: Option<Walk<'g>>,
    /// Whether calls of external procedures are recorded, with their arguments.
    pub(crate) records_calls: bool,
    /// The call recorded last.
    pub(crate) called: Option<crate::Call>,
    /// Encode products of two unknowns exactly instead of havocking them.
    pub(crate) exact_products: bool,
    pub(crate) own_pointers: bool,
    /// Whether products of two unknowns have occurred.
    pub(crate) has_products: bool,
    /// Present where undefined behaviour is checked.
    pub(crate) hazards: Option<Hazards>,
}

impl<'p> Machine<'p, '_> {
    /// A nondeterministic value of the type; any integer where there is none.
    pub(crate) fn choose(&mut self, scalar: Option<Scalar>, chosen: ChoiceKind) -> Term {
        let function = Function::constant(format!("{}!{}", self.position, self.counter).as_str(), Sort::Int);
        self.counter += 1;
        let choice = Choice {
            function,
            scalar,
            chosen,
        };
        match &mut self.walk {
            Some(Walk {
                replay: Some(replay), ..
            }) => term::int(match chosen {
                ChoiceKind::Input => replay.next(scalar),
                ChoiceKind::Uninitialized | ChoiceKind::Unspecified => 0,
                ChoiceKind::Approximation => {
                    replay.is_approximate = true;
                    0
                }
            }),
            Some(walk) => {
                let value = walk.given(function);
                if chosen == ChoiceKind::Input {
                    walk.inputs.push(value);
                }
                if matches!(chosen, ChoiceKind::Input | ChoiceKind::Approximation) {
                    walk.record.note(value, chosen);
                }
                term::int(value)
            }
            None => {
                self.choices.insert(function, choice);
                function.apply([])
            }
        }
    }

    /// The step is undefined unless the condition holds.
    pub(crate) fn require(&mut self, kind: Undefined, condition: Term) {
        let is_harmless = match self.undefined {
            Undefinedness::Wraps => matches!(kind, Undefined::Overflow | Undefined::Shift | Undefined::Conversion),
            Undefinedness::Unbounded => kind == Undefined::Conversion,
            Undefinedness::Absent => false,
        };
        if !is_harmless {
            self.note_hazard(kind, condition);
            self.requirements.push(condition);
        }
    }

    /// The value of a cell. In a walk, cells that no rule depends on are zero.
    pub(crate) fn held(&self, cell: CellId) -> Term {
        if let Some(constant) = self.objects[cell].constant {
            return constant;
        }
        match self.state.get(&cell) {
            Some(term) => *term,
            None if self.walk.is_some() => term::int(0),
            None => self.objects[cell].function.apply([]),
        }
    }

    pub(crate) fn get(&mut self, cell: CellId) -> Term {
        let held = self.held(cell);
        let scalar = self.objects[cell].scalar;
        let Some(walk) = &mut self.walk else { return held };
        if walk.is_quiet {
            if let (Some(replay), true) = (&mut walk.replay, walk.uninitialized.contains(&cell)) {
                replay.is_approximate = true;
            }
            return held;
        }
        if !walk.uninitialized.remove(&cell) {
            return held;
        }
        let Some(replay) = &mut walk.replay else {
            if let Some(value) = crate::numbers::constant(held) {
                walk.inputs.push(value);
                walk.record.note(value, ChoiceKind::Uninitialized);
            }
            return held;
        };
        let value = term::int(replay.next(Some(scalar)));
        self.state.insert(cell, value);
        value
    }

    pub(crate) fn set(&mut self, cell: CellId, value: Term) {
        if let Some(walk) = &mut self.walk {
            walk.uninitialized.remove(&cell);
        }
        // The program ends where it writes to a constant.
        if self.objects[cell].constant.is_none() {
            self.state.insert(cell, value);
        }
    }

    /// Assigns under a condition.
    pub(crate) fn set_if(&mut self, condition: Term, cell: CellId, value: Term) {
        if condition.is_true() {
            return self.set(cell, value);
        }
        let held = self.held(cell);
        self.set(cell, term::ite(condition, value, held));
    }

    /// Havocs the cell under a condition.
    pub(crate) fn havoc_if(&mut self, condition: Term, cell: CellId, chosen: ChoiceKind) {
        let scalar = self.objects[cell].scalar;
        let value = self.choose(Some(scalar), chosen);
        self.set_if(condition, cell, value);
    }

    /// The object of a variable in the current context.
    pub(crate) fn variable(&mut self, id: VariableId) -> ObjectId {
        self.variable_in(self.context, id)
    }

    pub(crate) fn variable_in(&mut self, context: ContextId, id: VariableId) -> ObjectId {
        let variable = &self.program[id];
        let (context, name) = match variable.procedure {
            None => (None, variable.name.clone()),
            Some(procedure) => (
                Some(context),
                format!("{}:{}", self.program[procedure].name, variable.name),
            ),
        };
        let origin = ObjectOrigin::Variable(context, id);
        self.objects.object(self.program, origin, Some(variable.type_id), &name)
    }

    pub(crate) fn address_of_procedure(&mut self, id: system::program::ProcedureId) -> Term {
        let object = self.objects.object(self.program, ObjectOrigin::Procedure(id), None, "");
        term::int(Objects::address(object))
    }
}

/// The range of a choice.
pub(crate) fn range(choice: &Choice, undefined: Undefinedness) -> Term {
    let value = choice.function.apply([]);
    match choice.scalar {
        Some(Scalar::Integer(integer)) => crate::numbers::input_range(value, integer, undefined),
        _ => term::bool(true),
    }
}

/// Whether an address is that of an unnamed object.
pub(crate) fn is_unnamed(pointer: Term) -> Term {
    term::less_equal(term::int(FIRST_UNNAMED), pointer)
}

/// The type of truth values where no other is specified.
pub(crate) const INT: Integer = Integer::new(32, true);

/// `a = b`, distributed over if-then-else between known integers.
pub(crate) fn equal(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::equal(a, b))
}

pub(crate) fn less(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::less(a, b))
}

pub(crate) fn less_equal(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::less_equal(a, b))
}

/// How deep comparisons are distributed over if-then-else.
const MAX_DEPTH: usize = 12;

fn compare(a: Term, b: Term, depth: usize, relation: &dyn Fn(Term, Term) -> Term) -> Term {
    let known = |term: Term| matches!(term.kind(), Kind::Int(_));
    if depth < MAX_DEPTH {
        match (a.kind(), b.kind()) {
            (Kind::Ite(condition, then, otherwise), _) if known(b) && (known(*then) || known(*otherwise)) => {
                let then = compare(*then, b, depth + 1, relation);
                let otherwise = compare(*otherwise, b, depth + 1, relation);
                return term::ite(*condition, then, otherwise);
            }
            (_, Kind::Ite(condition, then, otherwise)) if known(a) && (known(*then) || known(*otherwise)) => {
                let then = compare(a, *then, depth + 1, relation);
                let otherwise = compare(a, *otherwise, depth + 1, relation);
                return term::ite(*condition, then, otherwise);
            }
            _ => {}
        }
    }
    relation(a, b)
}
