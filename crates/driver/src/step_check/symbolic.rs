//! The code of a rule of an instance, read with a symbol in each slot: what its guard says, and where its body
//! branches.
//!
//! This says where a state could be of interest, and nothing rests on it: what it cannot read (lists, unbounded loops,
//! products) is a new symbol, of which nothing is known.

use logic::substitute::functions_of;
use logic::{Function, Kind, Sort, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use system::instance::{
    Argument, Base, Binary, Expression, Fold, Instance, Place, PropertyKind, Range, Rule, Statement, Type, Unary,
};

/// This much code is read for one rule.
const FUEL: usize = 6_000;
/// A place with more cells than this is not told apart, and loops are read for this many rounds.
const CELLS: usize = 40;
/// Calls within calls.
const DEPTH: usize = 12;

/// What is known of a rule for some values of its parameters.
pub(super) struct Outline {
    /// The conjuncts of the guard.
    pub(super) guard: Vec<Term>,
    /// For each branch of the body the condition on the way there, without the guard.
    pub(super) branches: Vec<Term>,
}

/// The symbol in a slot.
pub(super) fn symbol(instance: &Instance, slot: usize) -> Function {
    let sort = match instance.types[instance.slots[slot].ty] {
        Type::Boolean => Sort::Bool,
        _ => Sort::Int,
    };
    Function::constant(format!("slot {slot}").as_str(), sort)
}

/// The length of the lists of a state, which is the same for all of them.
pub(super) fn length() -> Function {
    Function::constant("length of lists", Sort::Int)
}

pub(super) fn outline(instance: &Instance, rule: &Rule, parameters: &[i64]) -> Outline {
    let mut reader = Reader::new(instance);
    for (number, value) in parameters.iter().enumerate() {
        reader.memory.insert(reader.frame + number, int(*value));
    }
    reader.run(&rule.prologue);
    let guard = reader.truth(&rule.guard);
    let mut guard = term::conjuncts(guard);
    guard.retain(|conjunct| !conjunct.is_true());
    // What the body branches on is said of the state before it.
    reader.branches.clear();
    reader.run(&rule.body);
    Outline {
        guard,
        branches: reader.branches,
    }
}

/// What the model assumes: of all states, and, where starts choose them, of the slots that never change.
pub(super) fn assumed(instance: &Instance, rigid: &BTreeSet<usize>) -> Term {
    let mut all = conditions(instance, PropertyKind::Assumption);
    if let Some(start) = instance.starts.first() {
        let mut reader = Reader::new(instance);
        reader.is_start = true;
        reader.run(&start.prologue);
        reader.run(&start.body);
        let symbols: BTreeSet<Function> = rigid.iter().map(|slot| symbol(instance, *slot)).collect();
        let is_of_rigid = |condition: &Term| functions_of(*condition).is_subset(&symbols);
        all.extend(reader.assumptions.into_iter().filter(is_of_rigid));
    }
    term::and(all)
}

/// What properties of a kind say, of each for a few values of its parameters.
pub(super) fn conditions(instance: &Instance, kind: PropertyKind) -> Vec<Term> {
    let mut reader = Reader::new(instance);
    let mut all = Vec::new();
    for property in instance.properties.iter().filter(|property| property.kind == kind) {
        let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in &property.parameters {
            let longer = tuples.iter().flat_map(|tuple| {
                let values = (0..).map_while(|n| parameter.low.checked_add(parameter.step.checked_mul(n)?));
                let values = values.take_while(|value| parameter.step > 0 && *value <= parameter.high);
                values.take(CELLS).map(|value| [tuple.as_slice(), &[value]].concat())
            });
            tuples = longer.take(CELLS).collect();
        }
        let of_property = tuples.into_iter().map(|tuple| {
            let values = tuple.into_iter().enumerate();
            reader.memory = values
                .map(|(number, value)| (reader.frame + number, int(value)))
                .collect();
            reader.run(&property.prologue);
            reader.truth(&property.condition)
        });
        all.push(term::and(of_property.collect::<Vec<Term>>()));
    }
    all
}

fn int(value: i64) -> Term {
    term::int(i128::from(value))
}

fn as_truth(value: Term) -> Term {
    match value.sort() {
        Sort::Bool => value,
        _ => term::not(term::equal(value, int(0))),
    }
}

fn as_number(value: Term) -> Term {
    match value.sort() {
        Sort::Bool => term::ite(value, int(1), int(0)),
        _ => value,
    }
}

fn constant(value: Term) -> Option<i64> {
    match as_number(value).kind() {
        Kind::Int(number) => i64::try_from(*number).ok(),
        _ => None,
    }
}

struct Reader<'i> {
    instance: &'i Instance,
    /// By address: slots first, then frames.
    memory: BTreeMap<usize, Term>,
    /// Where the current frame begins.
    frame: usize,
    path: Vec<Term>,
    branches: Vec<Term>,
    /// What a start demands; what it chooses there keeps its symbol.
    assumptions: Vec<Term>,
    is_start: bool,
    fuel: usize,
    fresh: usize,
    depth: usize,
    /// What the call at hand has returned: where, and what.
    returned: Vec<(Term, Term)>,
}

impl<'i> Reader<'i> {
    fn new(instance: &'i Instance) -> Reader<'i> {
        Reader {
            instance,
            memory: BTreeMap::new(),
            frame: instance.slots.len(),
            path: Vec::new(),
            branches: Vec::new(),
            assumptions: Vec::new(),
            is_start: false,
            fuel: FUEL,
            fresh: 0,
            depth: 0,
            returned: Vec::new(),
        }
    }

    fn anything(&mut self) -> Term {
        self.fresh += 1;
        Function::constant(format!("unknown {}", self.fresh).as_str(), Sort::Int).apply([])
    }

    fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    fn truth(&mut self, expression: &Expression) -> Term {
        as_truth(self.value(expression))
    }

    fn number(&mut self, expression: &Expression) -> Term {
        as_number(self.value(expression))
    }

    fn value(&mut self, expression: &Expression) -> Term {
        if !self.spend() {
            return self.anything();
        }
        match expression {
            Expression::Constant(value) => int(*value),
            Expression::Load(place) | Expression::LoadRaw(place) => self.load(place),
            Expression::IsUndefined(..) => term::bool(false),
            Expression::Address(place) => match self.cells(place).as_slice() {
                [(_, address)] => int(i64::try_from(*address).unwrap_or_default()),
                _ => self.anything(),
            },
            Expression::Unary(Unary::Not, operand) => term::not(self.truth(operand)),
            Expression::Unary(Unary::Negate, operand) => term::negate(self.number(operand)),
            Expression::Binary(operator, a, b, _) => self.binary(*operator, a, b),
            Expression::If(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                merged(condition, then, otherwise)
            }
            Expression::Fold {
                fold,
                slot,
                range,
                body,
            } => self.fold(*fold, *slot, range, body),
            Expression::SameBlock(a, b, length) => self.same(a, b, *length),
            Expression::Call(function, arguments, _) => self.call(*function, arguments),
            Expression::Sequence(statements, value) => {
                self.run(statements);
                self.value(value)
            }
            Expression::InRange { value, .. } => self.value(value),
            Expression::Length(list) => self.length(list),
            Expression::Unary(Unary::BitNot, _)
            | Expression::EmptyList
            | Expression::Append(..)
            | Expression::Head(..)
            | Expression::Tail(..) => self.anything(),
        }
    }

    /// Of a list that the rule has not changed yet.
    fn length(&mut self, list: &Expression) -> Term {
        let (Expression::Load(place) | Expression::LoadRaw(place)) = list else {
            return self.anything();
        };
        let slots = self.instance.slots.len();
        let cells = self.cells(place);
        let is_old = |(_, address): &(Term, usize)| *address < slots && !self.memory.contains_key(address);
        match !cells.is_empty() && cells.iter().all(is_old) {
            true => length().apply([]),
            false => self.anything(),
        }
    }

    fn binary(&mut self, operator: Binary, a: &Expression, b: &Expression) -> Term {
        let (left, right) = (self.value(a), self.value(b));
        let (x, y) = (as_number(left), as_number(right));
        match operator {
            Binary::Add => term::add([x, y]),
            Binary::Subtract => term::subtract(x, y),
            Binary::Multiply if constant(x).is_some() || constant(y).is_some() => term::multiply(x, y),
            Binary::Equal => equal(left, right),
            Binary::NotEqual => term::not(equal(left, right)),
            Binary::Less => term::less(x, y),
            Binary::LessEqual => term::less_equal(x, y),
            Binary::And => term::and([as_truth(left), as_truth(right)]),
            Binary::Or => term::or([as_truth(left), as_truth(right)]),
            Binary::Implies => term::implies(as_truth(left), as_truth(right)),
            Binary::Multiply
            | Binary::Divide
            | Binary::Modulo
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor
            | Binary::ShiftLeft
            | Binary::ShiftRight => self.anything(),
        }
    }

    /// The values of a range, where they are few and known.
    fn values(&mut self, range: &Range) -> Option<Vec<i64>> {
        let [low, high, step] = [&range.low, &range.high, &range.step].map(|bound| self.number(bound));
        let (low, high, step) = (constant(low)?, constant(high)?, constant(step)?);
        let mut values = Vec::new();
        let mut value = low;
        while step != 0 && (if step > 0 { value <= high } else { value >= high }) {
            if values.len() >= CELLS {
                return None;
            }
            values.push(value);
            value = value.checked_add(step)?;
        }
        Some(values)
    }

    fn fold(&mut self, fold: Fold, slot: usize, range: &Range, body: &Expression) -> Term {
        let Some(values) = self.values(range) else {
            return self.anything();
        };
        let mut parts = Vec::new();
        for value in values {
            self.memory.insert(self.frame + slot, int(value));
            parts.push(self.truth(body));
        }
        match fold {
            Fold::Forall => term::and(parts),
            Fold::Exists => term::or(parts),
            Fold::Count => term::add(parts.into_iter().map(as_number)),
        }
    }

    fn same(&mut self, a: &Place, b: &Place, length: usize) -> Term {
        let (a, b) = (self.cells(a), self.cells(b));
        match (a.as_slice(), b.as_slice()) {
            ([(_, a)], [(_, b)]) if length <= CELLS => {
                let pairs: Vec<Term> = (0..length).map(|n| equal(self.at(a + n), self.at(b + n))).collect();
                term::and(pairs)
            }
            _ => as_truth(self.anything()),
        }
    }

    /// What an address holds.
    fn at(&mut self, address: usize) -> Term {
        if let Some(value) = self.memory.get(&address) {
            return *value;
        }
        match address < self.instance.slots.len() {
            true => symbol(self.instance, address).apply([]),
            false => self.anything(),
        }
    }

    /// The addresses that a place may be, each with its condition; none where nobody knows.
    fn cells(&mut self, place: &Place) -> Vec<(Term, usize)> {
        let base = match place.base {
            Base::State(slot) => slot,
            Base::Frame(slot) => self.frame + slot,
            Base::Reference(slot) => {
                let address = self.at(self.frame + slot);
                match constant(address).and_then(|address| usize::try_from(address).ok()) {
                    Some(address) => address,
                    None => return Vec::new(),
                }
            }
        };
        let mut cells = vec![(term::bool(true), base + place.offset)];
        for subscript in &place.subscripts {
            let index = self.number(&subscript.index);
            let offset = |value: i64| {
                let steps = usize::try_from(value.checked_sub(subscript.low)?).ok()?;
                steps.checked_mul(subscript.stride)
            };
            let values: Vec<i64> = match constant(index) {
                Some(value) if (subscript.low..=subscript.high).contains(&value) => vec![value],
                Some(_) => Vec::new(),
                None if subscript.low.abs_diff(subscript.high) < CELLS as u64 => {
                    (subscript.low..=subscript.high).collect()
                }
                None => Vec::new(),
            };
            if cells.len() * values.len() > CELLS {
                return Vec::new();
            }
            let of_value = |(condition, address): &(Term, usize), value: i64| {
                let is = term::equal(index, int(value));
                Some((term::and([*condition, is]), address.checked_add(offset(value)?)?))
            };
            cells = cells
                .iter()
                .flat_map(|cell| values.iter().filter_map(move |value| of_value(cell, *value)))
                .collect();
        }
        cells
    }

    fn load(&mut self, place: &Place) -> Term {
        let mut value: Option<Term> = None;
        for (condition, address) in self.cells(place).into_iter().rev() {
            let here = self.at(address);
            value = Some(value.map_or(here, |others| merged(condition, here, others)));
        }
        match value {
            Some(value) => value,
            None => self.anything(),
        }
    }

    fn store(&mut self, place: &Place, value: Term) {
        for (condition, address) in self.cells(place) {
            let before = self.at(address);
            self.memory.insert(address, merged(condition, value, before));
        }
    }

    fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            if !self.spend() {
                return;
            }
            self.step(statement);
        }
    }

    fn step(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { place, value, .. } | Statement::Store { place, value } => {
                let value = self.value(value);
                self.store(place, value);
            }
            Statement::CopyBlock { to, from, length } => {
                let (to, from) = (self.cells(to), self.cells(from));
                if let ([(_, to)], [(_, from)]) = (to.as_slice(), from.as_slice()) {
                    let values: Vec<Term> = (0..*length).map(|n| self.at(from + n)).collect();
                    self.memory
                        .extend(values.into_iter().enumerate().map(|(n, value)| (to + n, value)));
                }
            }
            Statement::Fill { place, values } => {
                if let [(_, address)] = self.cells(place).as_slice() {
                    let filled = values.iter().enumerate().map(|(n, value)| (address + n, int(*value)));
                    self.memory.extend(filled);
                }
            }
            Statement::Choose { place, .. } if self.is_start => {
                for (_, address) in self.cells(place) {
                    self.memory.remove(&address);
                }
            }
            Statement::Assume { condition } | Statement::Prune { condition } => {
                let condition = self.truth(condition);
                self.assumptions.extend(term::conjuncts(condition));
            }
            Statement::Choose { place, .. } => {
                let value = self.anything();
                self.store(place, value);
            }
            Statement::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise),
            Statement::For { slot, range, body } => {
                for value in self.values(range).unwrap_or_default() {
                    self.memory.insert(self.frame + slot, int(value));
                    self.run(body);
                }
            }
            Statement::While { condition, body, .. } => {
                let condition = self.truth(condition);
                self.at_branch(condition);
                self.run(body);
            }
            Statement::Call {
                function, arguments, ..
            } => {
                self.call(*function, arguments);
            }
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => self.value(value),
                    None => int(0),
                };
                self.returned.push((term::and(self.path.iter().copied()), value));
            }
            Statement::Assert { condition, .. } => {
                let condition = self.truth(condition);
                self.at_branch(term::not(condition));
            }
            _ => {}
        }
    }

    /// Notes that the way here can be gone on under this condition.
    fn at_branch(&mut self, condition: Term) {
        let way = term::and(self.path.iter().copied().chain([condition]));
        if !way.is_false() && !way.is_true() && !self.branches.contains(&way) {
            self.branches.push(way);
        }
    }

    fn branch(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement]) {
        let condition = self.truth(condition);
        self.at_branch(condition);
        self.at_branch(term::not(condition));
        let before = self.memory.clone();
        self.path.push(condition);
        self.run(then);
        self.path.pop();
        let after = std::mem::replace(&mut self.memory, before);
        self.path.push(term::not(condition));
        self.run(otherwise);
        self.path.pop();
        let addresses: Vec<usize> = after.keys().chain(self.memory.keys()).copied().collect();
        for address in addresses {
            let here = self.at(address);
            let there = match after.get(&address) {
                Some(value) => *value,
                None if address < self.instance.slots.len() => symbol(self.instance, address).apply([]),
                None => here,
            };
            self.memory.insert(address, merged(condition, there, here));
        }
    }

    fn call(&mut self, function: usize, arguments: &[Argument]) -> Term {
        let procedure = &self.instance.functions[function];
        if self.depth >= DEPTH {
            return self.anything();
        }
        let mut values = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(value) => values.push(self.value(value)),
                Argument::Block(place, length) => {
                    let cells = self.cells(place);
                    for number in 0..*length {
                        let value = match cells.as_slice() {
                            [(_, address)] => self.at(address + number),
                            _ => self.anything(),
                        };
                        values.push(value);
                    }
                }
            }
        }
        // Frames lie far apart, so that none reaches into another.
        let (frame, depth) = (self.frame, self.depth);
        self.depth += 1;
        self.frame = self.instance.slots.len() + (self.depth << 20);
        let first = self.frame;
        self.memory.retain(|address, _| *address < first);
        self.memory
            .extend(values.into_iter().enumerate().map(|(n, value)| (first + n, value)));
        let (path, returned) = (self.path.clone(), std::mem::take(&mut self.returned));
        self.run(&procedure.body);
        let results = std::mem::replace(&mut self.returned, returned);
        (self.frame, self.depth, self.path) = (frame, depth, path);
        let mut result: Option<Term> = None;
        for (way, value) in results.into_iter().rev() {
            result = Some(result.map_or(value, |later| merged(way, value, later)));
        }
        match result {
            Some(result) => result,
            None => self.anything(),
        }
    }
}

fn equal(a: Term, b: Term) -> Term {
    match (a.sort(), b.sort()) {
        (Sort::Bool, Sort::Bool) => term::equal(a, b),
        // A truth value as it is written.
        (Sort::Bool, _) if constant(b).is_some() => truth_is(a, b),
        (_, Sort::Bool) if constant(a).is_some() => truth_is(b, a),
        _ => term::equal(as_number(a), as_number(b)),
    }
}

fn truth_is(truth: Term, number: Term) -> Term {
    match constant(number) {
        Some(0) => term::not(truth),
        Some(1) => truth,
        _ => term::bool(false),
    }
}

fn merged(condition: Term, then: Term, otherwise: Term) -> Term {
    match then.sort() == otherwise.sort() {
        true => term::ite(condition, then, otherwise),
        false => term::ite(condition, as_number(then), as_number(otherwise)),
    }
}
