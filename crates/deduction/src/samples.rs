//! Explored states of a small instance: whether a cube holds in one, for some values of its index variables.
//!
//! A row is a reached state and a tuple of different elements, one for each variable. Bit vectors say for each atom in
//! which rows it may hold and in which it may fail: both where the instance leaves a value undefined, which the
//! transition system chooses nondeterministically. A cube is then an intersection of bit vectors.

use crate::combinations::distinct_tuples;
use crate::formulas::signed_atom;
use logic::Cancellation;
use logic::hashing::FastMap;
use logic::traverse::post_order;
use logic::{Environment, Function, Interpretation, Kind, Name, Sort, Term, Value, Variable, evaluate};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use system::correspondence::{Correspondence, SlotDecoder};
use system::{ReachedStates, TransitionSystem};

/// The greatest number of rows: the last states are left out.
const ROWS: usize = 16 << 20;

/// One bit for each row.
pub type Rows = Rc<Vec<u64>>;

/// Reached states of an instance (by default none), read as states of the transition system.
#[derive(Default)]
pub struct Samples {
    states: ReachedStates,
    entries: HashMap<(Function, Vec<Value>), (usize, SlotDecoder)>,
    /// All slots of a function.
    slots: HashMap<Function, Vec<usize>>,
    constants: HashMap<Function, Value>,
    sizes: BTreeMap<Name, u32>,
    orders: Vec<Function>,
    members: BTreeMap<Sort, usize>,
    codes: Vec<Codes>,
    columns: HashMap<(Vec<Variable>, Term), Column>,
    cancellation: Cancellation,
}

#[derive(Default)]
struct Column {
    /// How many states were looked at.
    states: usize,
    may_hold: Rows,
    may_fail: Rows,
}

/// One state as an interpretation.
struct World<'w> {
    samples: &'w Samples,
    state: &'w [i64],
}

impl Interpretation for World<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        if let Some((slot, reading)) = self.samples.entries.get(&(function, arguments.to_vec())) {
            let lists = |list: i64| self.samples.states.lists.get(&list).cloned().unwrap_or_default();
            return reading.value(self.state[*slot], &lists);
        }
        match arguments {
            [] => self.samples.constants.get(&function).cloned(),
            [Value::Index(_, a), Value::Index(_, b)] if self.samples.orders.contains(&function) => {
                Some(Value::Bool(a < b))
            }
            _ => None,
        }
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let Sort::Index(name) = sort else { return None };
        let size = self.samples.sizes.get(&name)?;
        Some((0..*size).map(|n| Value::Index(name, n)).collect())
    }
}

impl Samples {
    pub fn new(system: &TransitionSystem, correspondence: &Correspondence, states: ReachedStates) -> Samples {
        let mut samples = Samples {
            states,
            entries: HashMap::new(),
            slots: HashMap::new(),
            constants: correspondence.constants.iter().cloned().collect(),
            sizes: correspondence.sizes.iter().copied().collect(),
            orders: system.index_sorts.iter().filter_map(|sort| sort.order).collect(),
            members: BTreeMap::new(),
            codes: Vec::new(),
            columns: HashMap::new(),
            cancellation: Cancellation::default(),
        };
        for entry in &correspondence.entries {
            let key = (entry.function, entry.arguments.clone());
            samples.entries.insert(key, (entry.slot, entry.reading.clone()));
            samples.slots.entry(entry.function).or_default().push(entry.slot);
        }
        samples.members = samples.count_members(system);
        samples.codes.resize_with(samples.states.width, Codes::default);
        for state in samples.states.states() {
            samples
                .codes
                .iter_mut()
                .zip(state)
                .for_each(|(codes, value)| codes.push(*value));
        }
        samples
    }

    /// Adds states, with the lists in them.
    pub fn add(&mut self, states: ReachedStates) {
        for state in states.states() {
            self.codes
                .iter_mut()
                .zip(state)
                .for_each(|(codes, value)| codes.push(*value));
        }
        self.states.slots.extend(states.slots);
        self.states.lists.extend(states.lists);
    }

    pub fn state(&self, number: usize) -> &[i64] {
        &self.states.slots[number * self.states.width..][..self.states.width]
    }

    /// Arrays have cells for members only.
    fn count_members(&self, system: &TransitionSystem) -> BTreeMap<Sort, usize> {
        let arrays = system.state.iter().map(|symbol| symbol.function);
        let arrays = arrays.filter(|f| f.parameters().len() == 1);
        let cells = |f: Function| Some((*f.parameters().first()?, self.slots.get(&f)?.len()));
        arrays.filter_map(cells).collect()
    }

    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// Whether a limit left states out.
    pub fn is_cut(&self) -> bool {
        self.states.cut
    }

    pub fn is_complete(&self) -> bool {
        self.states.complete
    }

    /// How many elements the sort has here.
    pub fn size(&self, sort: Sort) -> usize {
        match sort {
            Sort::Index(name) => self.sizes.get(&name).copied().unwrap_or(0) as usize,
            _ => 0,
        }
    }

    /// The size of an index sort, without elements that only stand for values outside of it.
    pub fn members(&self, sort: Sort) -> usize {
        self.members.get(&sort).copied().unwrap_or_else(|| self.size(sort))
    }

    /// Whether there are enough elements for these variables to be different.
    pub fn has_room(&self, variables: &[Variable]) -> bool {
        let of = |sort: Sort| variables.iter().filter(|v| v.sort == sort).count();
        variables.iter().all(|v| of(v.sort) <= self.size(v.sort))
    }

    /// After an interrupt nothing more is evaluated.
    pub fn listen_to(&mut self, cancellation: &Cancellation) {
        self.cancellation = cancellation.clone();
    }

    pub fn is_interrupted(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// The rows, for tuples of these variables, in which the literal may hold: those of a state one after the other.
    pub fn rows(&mut self, variables: &[Variable], literal: Term) -> Rows {
        let (atom, positive) = signed_atom(literal);
        let key = (variables.to_vec(), atom);
        let mut column = self.columns.remove(&key).unwrap_or_default();
        self.extend(&mut column, variables, atom);
        let rows = Rc::clone(if positive { &column.may_hold } else { &column.may_fail });
        self.columns.insert(key, column);
        rows
    }

    /// Looks at the states that are new since the last time.
    fn extend(&self, column: &mut Column, variables: &[Variable], atom: Term) {
        let tuples = self.tuples(variables);
        let states = self.states.len().min(ROWS / tuples.len().max(1));
        let before = std::mem::replace(&mut column.states, states);
        if before >= states {
            return;
        }
        let words = (states * tuples.len()).div_ceil(64);
        if self.is_interrupted() {
            let all = Rc::new(vec![u64::MAX; words]);
            (column.may_hold, column.may_fail) = (Rc::clone(&all), all);
            return;
        }
        let may_hold = Rc::make_mut(&mut column.may_hold);
        let may_fail = Rc::make_mut(&mut column.may_fail);
        may_hold.resize(words, 0);
        may_fail.resize(words, 0);
        for (number, tuple) in tuples.iter().enumerate() {
            let environment = environment(variables, tuple);
            let slots = self.slots_of(atom, &environment);
            let mut known = Known::new(&slots, &self.codes);
            for (row, state) in self.states.states().enumerate().take(states).skip(before) {
                let may = known.get(row, state, || self.may(atom, &environment, state));
                let bit = row * tuples.len() + number;
                may_hold[bit / 64] |= u64::from(may[0]) << (bit % 64);
                may_fail[bit / 64] |= u64::from(may[1]) << (bit % 64);
            }
        }
    }

    /// Whether the atom may hold in the state, and whether it may fail.
    pub fn may(&self, atom: Term, environment: &Environment, state: &[i64]) -> [bool; 2] {
        match evaluate(atom, environment, &World { samples: self, state }) {
            Ok(Value::Bool(holds)) => [holds, !holds],
            _ => [true, true],
        }
    }

    /// All tuples of values in which variables of the same sort differ.
    pub fn tuples(&self, variables: &[Variable]) -> Vec<Vec<Value>> {
        let sorts = variables.iter().map(|variable| variable.sort);
        distinct_tuples(sorts.filter(|sort| matches!(sort, Sort::Index(_))), |sort| {
            let Sort::Index(name) = sort else { return Vec::new() };
            (0..self.size(sort) as u32).map(|n| Value::Index(name, n)).collect()
        })
    }

    /// The slots that the value of the atom can depend on.
    pub fn slots_of(&self, atom: Term, environment: &Environment) -> Vec<usize> {
        let mut slots = BTreeSet::new();
        for term in post_order(atom, true) {
            let Kind::Apply(function, arguments) = term.kind() else {
                continue;
            };
            let value = |argument: &Term| match argument.kind() {
                Kind::Variable(variable) => environment.get(*variable).cloned(),
                _ => None,
            };
            let known: Option<Vec<Value>> = arguments.iter().map(value).collect();
            match known.map(|arguments| self.entries.get(&(*function, arguments))) {
                Some(Some((slot, _))) => {
                    slots.insert(*slot);
                }
                Some(None) => {}
                None => slots.extend(self.slots.get(function).into_iter().flatten()),
            }
        }
        slots.into_iter().collect()
    }
}

/// The variables with these values.
pub fn environment(variables: &[Variable], tuple: &[Value]) -> Environment {
    let mut environment = Environment::new();
    variables
        .iter()
        .zip(tuple)
        .for_each(|(variable, value)| environment.bind(*variable, value.clone()));
    environment
}

/// The values of a slot, numbered; a slot with too many has none.
#[derive(Default)]
struct Codes {
    numbers: FastMap<i64, u16>,
    /// By state.
    codes: Vec<u16>,
}

impl Codes {
    fn push(&mut self, value: i64) {
        let next = self.numbers.len();
        if next < usize::from(u16::MAX) {
            let code = *self.numbers.entry(value).or_insert(next as u16);
            self.codes.push(code);
        }
    }

    /// How many there are.
    fn count(&self) -> usize {
        match self.numbers.len() {
            count if count < usize::from(u16::MAX) => count,
            _ => usize::MAX,
        }
    }
}

/// The values of an atom, by those of the few slots that it depends on.
enum Known<'k> {
    /// One entry for each combination of values.
    Table {
        slots: Vec<&'k Codes>,
        entries: Vec<Option<[bool; 2]>>,
    },
    Map {
        slots: &'k [usize],
        entries: FastMap<Vec<i64>, [bool; 2]>,
    },
}

impl<'k> Known<'k> {
    /// The greatest size of a table.
    const ENTRIES: usize = 1 << 16;

    fn new(slots: &'k [usize], codes: &'k [Codes]) -> Known<'k> {
        let coded: Vec<&Codes> = slots.iter().map(|slot| &codes[*slot]).collect();
        let size = coded
            .iter()
            .fold(1usize, |size, codes| size.saturating_mul(codes.count()));
        if size <= Self::ENTRIES {
            return Known::Table {
                slots: coded,
                entries: vec![None; size],
            };
        }
        Known::Map {
            slots,
            entries: FastMap::default(),
        }
    }

    fn get(&mut self, row: usize, state: &[i64], evaluate: impl FnOnce() -> [bool; 2]) -> [bool; 2] {
        match self {
            Known::Table { slots, entries } => {
                let combine = |place, slot: &&Codes| place * slot.count() + usize::from(slot.codes[row]);
                *entries[slots.iter().fold(0, combine)].get_or_insert_with(evaluate)
            }
            Known::Map { slots, entries } => {
                let key: Vec<i64> = slots.iter().map(|slot| state[*slot]).collect();
                *entries.entry(key).or_insert_with(evaluate)
            }
        }
    }
}
