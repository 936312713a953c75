//! A symbolic state, and what is chosen and required on the way.

use crate::Undefinedness;
use crate::allocated::Allocated;
use crate::contexts::{ContextId, Contexts};
use crate::contracts::Contracts;
use crate::hazards::Hazards;
use crate::objects::{CellId, FURTHER, ObjectId, Objects, Origin};
use analysis::points_to::Site;
use logic::{Function, Kind, Sort, Term, term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use system::Span;
use system::program::{Integer, LocationId, ProcedureId, Program, Scalar, Undefined, VariableId};

/// What cells hold, where that is not what they held at the beginning of the block: terms over the state there, and
/// over what was chosen since.
pub(crate) type State = BTreeMap<CellId, Term>;

/// What a choice stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// The program asks for it.
    Input,
    /// What a variable holds that nobody gave a value.
    Uninitialised,
    /// What a function of the library leaves open: all of these values are possible, and a run has zero.
    Unspecified,
    /// What is beyond the encoding: some of these values may be impossible.
    Approximation,
}

#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub function: Function,
    pub scalar: Option<Scalar>,
    pub chosen: Chosen,
}

/// A walk along one path: where choices get their values from, and what the program asked for.
pub(crate) struct Walk<'g> {
    pub(crate) given: &'g dyn Fn(Function) -> i128,
    pub(crate) inputs: Vec<i128>,
    /// Cells that hold what nobody gave them: an input as soon as they are read.
    pub(crate) unwritten: BTreeSet<CellId>,
    /// What is read is only copied.
    pub(crate) is_quiet: bool,
    /// Inputs that are given one after the other, instead of values for choices.
    pub(crate) replay: Option<Replay>,
    pub(crate) planned: Planned,
}

impl<'g> Walk<'g> {
    /// At its beginning, where nothing was asked for.
    pub(crate) fn new(given: &'g dyn Fn(Function) -> i128) -> Walk<'g> {
        Walk {
            given,
            inputs: Vec::new(),
            unwritten: BTreeSet::new(),
            is_quiet: false,
            replay: None,
            planned: Planned::default(),
        }
    }
}

/// What a walk says of its steps, for those who make it again elsewhere.
#[derive(Default)]
pub(crate) struct Planned {
    /// The step that is taken.
    pub(crate) at: Option<Step>,
    /// The first place where the run took what is beyond the encoding.
    pub(crate) approximated: Option<Span>,
    /// Which edge of a branch was taken.
    pub(crate) branches: Vec<(Step, usize)>,
    /// What steps asked for, and what they read that is beyond the encoding.
    pub(crate) values: Vec<(Step, i128, Chosen)>,
}

/// A step, by the place that it leaves.
pub(crate) type Step = (ProcedureId, LocationId);

impl Planned {
    fn note(&mut self, value: i128, chosen: Chosen) {
        self.values.extend(self.at.map(|at| (at, value, chosen)));
    }
}

/// Inputs of the program, in the order in which it asks for them.
#[derive(Clone, Default)]
pub(crate) struct Replay {
    pub(crate) inputs: Vec<i128>,
    pub(crate) used: usize,
    /// Something was chosen that is beyond the encoding, or no input was left: nothing follows from such a walk.
    pub(crate) is_approximate: bool,
}

impl Replay {
    /// The next input, as a value of its type. What a pointer that is an input points at is not known here.
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

pub(crate) struct Machine<'p, 'g> {
    pub(crate) program: &'p Program,
    pub(crate) contexts: Contexts<'p>,
    pub(crate) objects: Objects,
    pub(crate) contracts: Contracts,
    pub(crate) undefined: Undefinedness,
    /// The types of objects that steps allocate, as they are used.
    pub(crate) allocated: BTreeMap<Site, Allocated>,
    pub(crate) state: State,
    /// The context that the step is in.
    pub(crate) context: ContextId,
    /// What must hold for the step to be defined.
    pub(crate) requirements: Vec<Term>,
    /// Names the choices of a step: the block, the place and the edge.
    pub(crate) position: String,
    pub(crate) counter: usize,
    pub(crate) choices: FxHashMap<Function, Choice>,
    pub(crate) walk: Option<Walk<'g>>,
    /// Whether calls of procedures that nobody knows are told, with their arguments.
    pub(crate) tells_calls: bool,
    /// The last one.
    pub(crate) called: Option<crate::Call>,
    /// Products of unknowns are what they are, and not anything.
    pub(crate) exact_products: bool,
    pub(crate) own_pointers: bool,
    /// Whether there are any.
    pub(crate) has_products: bool,
    /// Where undefined behaviour is looked for.
    pub(crate) hazards: Option<Hazards>,
}

impl<'p> Machine<'p, '_> {
    /// Any value of the type; any number at all where there is none.
    pub(crate) fn choose(&mut self, scalar: Option<Scalar>, chosen: Chosen) -> Term {
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
                Chosen::Input => replay.next(scalar),
                Chosen::Uninitialised | Chosen::Unspecified => 0,
                Chosen::Approximation => {
                    replay.is_approximate = true;
                    0
                }
            }),
            Some(walk) => {
                let value = (walk.given)(function);
                if chosen == Chosen::Input {
                    walk.inputs.push(value);
                }
                if matches!(chosen, Chosen::Input | Chosen::Approximation) {
                    walk.planned.note(value, chosen);
                }
                term::int(value)
            }
            None => {
                self.choices.insert(function, choice);
                function.apply([])
            }
        }
    }

    /// The step is undefined where the condition does not hold.
    pub(crate) fn require(&mut self, kind: Undefined, condition: Term) {
        let is_harmless = match self.undefined {
            Undefinedness::Wraps => matches!(kind, Undefined::Overflow | Undefined::Shift | Undefined::Conversion),
            Undefinedness::Unbounded => kind == Undefined::Conversion,
            Undefinedness::Absent => false,
        };
        if !is_harmless {
            self.note(kind, condition);
            self.requirements.push(condition);
        }
    }

    /// In a walk, what no rule needs to know is zero.
    pub(crate) fn held(&self, cell: CellId) -> Term {
        if let Some(constant) = self.objects.cells[cell.0 as usize].constant {
            return constant;
        }
        match self.state.get(&cell) {
            Some(term) => *term,
            None if self.walk.is_some() => term::int(0),
            None => self.objects.cells[cell.0 as usize].function.apply([]),
        }
    }

    pub(crate) fn get(&mut self, cell: CellId) -> Term {
        let held = self.held(cell);
        let scalar = self.objects.cells[cell.0 as usize].scalar;
        let Some(walk) = &mut self.walk else { return held };
        if walk.is_quiet {
            if let (Some(replay), true) = (&mut walk.replay, walk.unwritten.contains(&cell)) {
                replay.is_approximate = true;
            }
            return held;
        }
        if !walk.unwritten.remove(&cell) {
            return held;
        }
        let Some(replay) = &mut walk.replay else {
            if let Some(value) = crate::numbers::constant(held) {
                walk.inputs.push(value);
                walk.planned.note(value, Chosen::Uninitialised);
            }
            return held;
        };
        let value = term::int(replay.next(Some(scalar)));
        self.state.insert(cell, value);
        value
    }

    pub(crate) fn set(&mut self, cell: CellId, value: Term) {
        if let Some(walk) = &mut self.walk {
            walk.unwritten.remove(&cell);
        }
        // The program ends where it writes to a constant.
        if self.objects.cells[cell.0 as usize].constant.is_none() {
            self.state.insert(cell, value);
        }
    }

    /// The new value under the condition, and else what the cell holds.
    pub(crate) fn set_if(&mut self, condition: Term, cell: CellId, value: Term) {
        if condition.is_true() {
            return self.set(cell, value);
        }
        let held = self.held(cell);
        self.set(cell, term::ite(condition, value, held));
    }

    /// The cell holds anything.
    pub(crate) fn forget_if(&mut self, condition: Term, cell: CellId, chosen: Chosen) {
        let scalar = self.objects.cells[cell.0 as usize].scalar;
        let value = self.choose(Some(scalar), chosen);
        self.set_if(condition, cell, value);
    }

    /// The object of a variable, in the context that the step is in.
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
        let origin = Origin::Variable(context, id);
        self.objects.object(self.program, origin, Some(variable.type_id), &name)
    }

    pub(crate) fn address_of_procedure(&mut self, id: system::program::ProcedureId) -> Term {
        let object = self.objects.object(self.program, Origin::Procedure(id), None, "");
        term::int(Objects::address(object))
    }
}

/// The range of what may be chosen.
pub(crate) fn range(choice: &Choice, undefined: Undefinedness) -> Term {
    let value = choice.function.apply([]);
    match choice.scalar {
        Some(Scalar::Integer(integer)) => crate::numbers::given(value, integer, undefined),
        _ => term::bool(true),
    }
}

/// Whether an address is one of an object that was allocated where another was before.
pub(crate) fn is_further(pointer: Term) -> Term {
    term::less_equal(term::int(FURTHER), pointer)
}

/// The type of truth values where nothing else is known.
pub(crate) const INT: Integer = Integer::new(32, true);

/// `a = b`, seen through choices between known numbers.
pub(crate) fn equal(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::equal(a, b))
}

pub(crate) fn less(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::less(a, b))
}

pub(crate) fn less_equal(a: Term, b: Term) -> Term {
    compare(a, b, 0, &|a, b| term::less_equal(a, b))
}

const DEEPEST: usize = 12;

fn compare(a: Term, b: Term, depth: usize, relation: &dyn Fn(Term, Term) -> Term) -> Term {
    let known = |term: Term| matches!(term.kind(), Kind::Int(_));
    if depth < DEEPEST {
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
