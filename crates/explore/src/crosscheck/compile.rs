//! Compiles formulas of the transition system to code over the slots of one instance.
//!
//! Each sub-formula becomes one shared node, and quantifiers become loops over the elements of the instance. Slots are
//! decoded once per state; nodes then only look up decoded values.

use super::values::{Interned, UNKNOWN, code};
use logic::evaluate::Value;
use logic::term::ListOperation;
use logic::{Function, Kind, Name, Quantifier, Sort, Term, Variable};
use std::collections::HashMap;
use system::correspondence::{Correspondence, SlotDecoder};
use system::instance::{Instance, Type};

/// An index into the nodes.
pub(super) type NodeId = u32;

/// Deeper formulas are skipped: evaluation is recursive.
const DEPTH: u32 = 50_000;
/// The maximum number of cells of a dense table.
const CELLS: i64 = 1 << 22;
/// The number of integers tried for a variable over all integers.
const INTEGERS: i64 = 64;

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Constant(i64),
    /// The variable bound by the loop at this level.
    Bound(usize),
    /// A nullary state function.
    Entry(usize),
    Lookup(usize, Box<[NodeId]>),
    Not(NodeId),
    And(Box<[NodeId]>),
    Or(Box<[NodeId]>),
    Equal(NodeId, NodeId),
    EqualLists(NodeId, NodeId),
    Ite(NodeId, NodeId, NodeId),
    Less(NodeId, NodeId),
    LessEqual(NodeId, NodeId),
    Add(Box<[NodeId]>),
    Multiply(NodeId, NodeId),
    Divide(NodeId, NodeId),
    Modulo(NodeId, NodeId),
    LessReal(NodeId, NodeId),
    LessEqualReal(NodeId, NodeId),
    AddReal(Box<[NodeId]>),
    MultiplyReal(NodeId, NodeId),
    DivideReal(NodeId, NodeId),
    List(ListOperation, Box<[NodeId]>),
    Loop(Quantifier, usize, Domain, NodeId),
}

impl Operation {
    pub(super) fn for_each_operand(&self, visit: &mut dyn FnMut(NodeId)) {
        match self {
            Operation::Constant(_) | Operation::Bound(_) | Operation::Entry(_) => {}
            Operation::Not(a) | Operation::Loop(.., a) => visit(*a),
            Operation::Equal(a, b)
            | Operation::EqualLists(a, b)
            | Operation::Less(a, b)
            | Operation::LessEqual(a, b)
            | Operation::Multiply(a, b)
            | Operation::Divide(a, b)
            | Operation::Modulo(a, b)
            | Operation::LessReal(a, b)
            | Operation::LessEqualReal(a, b)
            | Operation::MultiplyReal(a, b)
            | Operation::DivideReal(a, b) => [*a, *b].into_iter().for_each(visit),
            Operation::Ite(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Operation::Lookup(_, operands)
            | Operation::And(operands)
            | Operation::Or(operands)
            | Operation::Add(operands)
            | Operation::AddReal(operands)
            | Operation::List(_, operands) => operands.iter().copied().for_each(visit),
        }
    }
}

/// The values of a bound variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    pub(super) low: i64,
    pub(super) count: i64,
    /// Whether these are all values.
    pub(super) whole: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) operation: Operation,
    /// One more than the level of the innermost loop that it depends on.
    pub(super) level: usize,
    /// Whether the node is shared, so that memoising its value pays off.
    pub(super) shared: bool,
}

/// Maps the arguments of a function to the entry of the correspondence.
#[derive(Clone, Debug)]
pub(super) enum Table {
    Row {
        /// The least argument, the number of arguments, and their stride.
        dimensions: Vec<(i64, i64, i64)>,
        entries: Vec<u32>,
    },
    Map(HashMap<Vec<i64>, u32>),
}

pub(super) const NO_ENTRY: u32 = u32::MAX;

/// How to decode the number in a slot.
#[derive(Clone, Debug)]
pub(super) enum Decode {
    Table { low: i64, values: Vec<i64> },
    Integer,
    Real(i64),
    Defined,
    IsOne,
    List(Box<Decode>),
}

/// All formulas of one instance.
#[derive(Default)]
pub(super) struct Code {
    pub(super) nodes: Vec<Node>,
    pub(super) tables: Vec<Table>,
    /// The slot and the decoder of each entry.
    pub(super) entries: Vec<(usize, Decode)>,
    /// The number of loop levels.
    pub(super) levels: usize,
}

pub(super) struct Compiler<'c> {
    correspondence: &'c Correspondence,
    orders: &'c [Function],
    pub(super) code: Code,
    constants: HashMap<Function, i64>,
    functions: HashMap<Function, usize>,
    known: HashMap<(Term, Vec<usize>), NodeId>,
    /// The variables of the enclosing loops, innermost last.
    bound: Vec<Variable>,
    integers: Domain,
    pub(super) interned: Interned,
}

impl<'c> Compiler<'c> {
    pub(super) fn new(instance: &Instance, correspondence: &'c Correspondence, orders: &'c [Function]) -> Self {
        let mut compiler = Compiler {
            correspondence,
            orders,
            code: Code::default(),
            constants: HashMap::new(),
            functions: HashMap::new(),
            known: HashMap::new(),
            bound: Vec::new(),
            integers: integers(instance),
            interned: Interned::default(),
        };
        for (function, value) in &correspondence.constants {
            let value = code(value, &mut compiler.interned);
            compiler.constants.insert(*function, value);
        }
        compiler.entries();
        compiler
    }

    fn entries(&mut self) {
        let mut arguments: HashMap<Function, Vec<(Vec<i64>, u32)>> = HashMap::new();
        let mut order = Vec::new();
        for (number, entry) in (0u32..).zip(&self.correspondence.entries) {
            let decode = decode(&entry.reading, &mut self.interned);
            self.code.entries.push((entry.slot, decode));
            let values: Vec<i64> = entry.arguments.iter().map(|a| code(a, &mut self.interned)).collect();
            let known = arguments.entry(entry.function).or_insert_with(|| {
                order.push(entry.function);
                Vec::new()
            });
            known.push((values, number));
        }
        for function in order {
            let cells = arguments.remove(&function).unwrap_or_default();
            self.functions.insert(function, self.code.tables.len());
            self.code.tables.push(table(cells));
        }
    }

    /// The node of a closed formula; `None` if it is too deep.
    pub(super) fn formula(&mut self, formula: Term) -> Option<NodeId> {
        (formula.depth() < DEPTH).then(|| self.node(formula))
    }

    /// One more than the level of the innermost loop that binds the variable.
    fn level_of(&self, variable: &Variable) -> Option<usize> {
        self.bound.iter().rposition(|bound| bound == variable).map(|n| n + 1)
    }

    fn node(&mut self, term: Term) -> NodeId {
        let levels: Vec<usize> = term
            .free_variables()
            .iter()
            .map(|variable| self.level_of(variable).unwrap_or(0))
            .collect();
        let level = levels.iter().copied().max().unwrap_or(0);
        let key = (term, levels);
        if let Some(known) = self.known.get(&key) {
            self.code.nodes[*known as usize].shared = true;
            return *known;
        }
        let operation = self.operation(term);
        let number = self.push(operation, level);
        self.known.insert(key, number);
        number
    }

    fn push(&mut self, operation: Operation, level: usize) -> NodeId {
        self.code.nodes.push(Node {
            operation,
            level,
            shared: false,
        });
        self.code.nodes.len() as NodeId - 1
    }

    fn nodes(&mut self, terms: &[Term]) -> Box<[NodeId]> {
        terms.iter().map(|term| self.node(*term)).collect()
    }

    fn operation(&mut self, term: Term) -> Operation {
        let real = |term: Term| term.sort() == Sort::Real;
        match term.kind() {
            Kind::Bool(value) => Operation::Constant(i64::from(*value)),
            Kind::Int(value) => Operation::Constant(i64::try_from(*value).unwrap_or(UNKNOWN)),
            Kind::Real(value) => Operation::Constant(self.interned.real(*value)),
            Kind::Enumerator(_, position) => Operation::Constant(i64::from(*position)),
            Kind::EmptyList(_) => Operation::Constant(self.interned.list(Vec::new())),
            Kind::Variable(variable) => match self.level_of(variable) {
                Some(level) => Operation::Bound(level - 1),
                None => Operation::Constant(UNKNOWN),
            },
            Kind::Apply(function, arguments) => self.application(*function, arguments),
            Kind::Not(a) => Operation::Not(self.node(*a)),
            Kind::And(operands) => Operation::And(self.nodes(operands)),
            Kind::Or(operands) => Operation::Or(self.nodes(operands)),
            Kind::Implies(a, b) => {
                let a = self.node(*a);
                let level = self.code.nodes[a as usize].level;
                let not = self.push(Operation::Not(a), level);
                Operation::Or(Box::new([not, self.node(*b)]))
            }
            Kind::Equal(a, b) => {
                let (left, right) = (self.node(*a), self.node(*b));
                match a.sort() {
                    Sort::List(_) => Operation::EqualLists(left, right),
                    _ => Operation::Equal(left, right),
                }
            }
            Kind::Ite(condition, then, otherwise) => {
                Operation::Ite(self.node(*condition), self.node(*then), self.node(*otherwise))
            }
            Kind::Less(a, b) if real(*a) => Operation::LessReal(self.node(*a), self.node(*b)),
            Kind::Less(a, b) => Operation::Less(self.node(*a), self.node(*b)),
            Kind::LessEqual(a, b) if real(*a) => Operation::LessEqualReal(self.node(*a), self.node(*b)),
            Kind::LessEqual(a, b) => Operation::LessEqual(self.node(*a), self.node(*b)),
            Kind::Add(operands) if real(term) => Operation::AddReal(self.nodes(operands)),
            Kind::Add(operands) => Operation::Add(self.nodes(operands)),
            Kind::Multiply(a, b) if real(term) => Operation::MultiplyReal(self.node(*a), self.node(*b)),
            Kind::Multiply(a, b) => Operation::Multiply(self.node(*a), self.node(*b)),
            Kind::Divide(a, b) if real(term) => Operation::DivideReal(self.node(*a), self.node(*b)),
            Kind::Divide(a, b) => Operation::Divide(self.node(*a), self.node(*b)),
            Kind::Modulo(a, b) => Operation::Modulo(self.node(*a), self.node(*b)),
            // Transition systems contain no bit-vectors.
            Kind::BitVector(_) | Kind::Bits(..) => Operation::Constant(UNKNOWN),
            Kind::List(operation, operands) => Operation::List(*operation, self.nodes(operands)),
            Kind::Quantified(quantifier, variables, body) => self.quantified(*quantifier, variables, *body),
        }
    }

    fn application(&mut self, function: Function, arguments: &[Term]) -> Operation {
        if let ([a, b], true) = (arguments, self.orders.contains(&function)) {
            return Operation::Less(self.node(*a), self.node(*b));
        }
        if let Some(value) = self.constants.get(&function).filter(|_| arguments.is_empty()) {
            return Operation::Constant(*value);
        }
        let Some(&table) = self.functions.get(&function) else {
            return Operation::Constant(UNKNOWN);
        };
        if arguments.is_empty() {
            let entry = self.code.tables[table].entry(|_| Some(0));
            return entry.map_or(Operation::Constant(UNKNOWN), Operation::Entry);
        }
        Operation::Lookup(table, self.nodes(arguments))
    }

    /// One loop for each variable.
    fn quantified(&mut self, quantifier: Quantifier, variables: &[Variable], body: Term) -> Operation {
        let outer = self.bound.len();
        self.bound.extend(variables);
        self.code.levels = self.code.levels.max(self.bound.len());
        let mut inner = self.node(body);
        self.bound.truncate(outer);
        let mut operation = Operation::And(Box::new([inner]));
        for (position, variable) in variables.iter().enumerate().rev() {
            let level = outer + position;
            operation = Operation::Loop(quantifier, level, self.domain(variable.sort), inner);
            if level > outer {
                inner = self.push(operation.clone(), level);
            }
        }
        operation
    }

    fn domain(&self, sort: Sort) -> Domain {
        let whole = |count: i64| Domain {
            low: 0,
            count,
            whole: true,
        };
        let size = |name: Name| self.correspondence.sizes.iter().find(|(of, _)| *of == name);
        match sort {
            Sort::Bool => whole(2),
            Sort::Enum(sort) => whole(i64::try_from(sort.values().len()).unwrap_or(i64::MAX)),
            Sort::Index(name) if size(name).is_some() => whole(size(name).map_or(0, |(_, size)| i64::from(*size))),
            Sort::Int => self.integers,
            _ => Domain {
                low: 0,
                count: 0,
                whole: false,
            },
        }
    }
}

/// Some integers: the window of the instance, or small ones.
fn integers(instance: &Instance) -> Domain {
    let window = instance.types.iter().find_map(|ty| match ty {
        Type::Integer { window } => Some(*window),
        _ => None,
    });
    let (low, high) = window.unwrap_or((-1, 8));
    let count = high.saturating_sub(low).saturating_add(1).clamp(0, INTEGERS);
    Domain {
        low,
        count,
        whole: false,
    }
}

fn decode(reading: &SlotDecoder, interned: &mut Interned) -> Decode {
    match reading {
        SlotDecoder::Integer => Decode::Integer,
        SlotDecoder::Real(scale) => Decode::Real(*scale),
        SlotDecoder::Defined => Decode::Defined,
        SlotDecoder::IsOne => Decode::IsOne,
        SlotDecoder::List(element) => Decode::List(Box::new(decode(element, interned))),
        SlotDecoder::Table(known) => {
            let (Some((low, _)), Some((high, _))) = (known.first_key_value(), known.last_key_value()) else {
                return Decode::Table {
                    low: 0,
                    values: Vec::new(),
                };
            };
            let count = high.saturating_sub(*low).clamp(0, CELLS);
            let value = |number: i64, interned: &mut Interned| {
                let value: Option<&Value> = known.get(&number);
                value.map_or(UNKNOWN, |value| code(value, interned))
            };
            let values = (0..=count).map(|offset| value(low + offset, interned)).collect();
            Decode::Table { low: *low, values }
        }
    }
}

fn table(cells: Vec<(Vec<i64>, u32)>) -> Table {
    let width = cells.first().map_or(0, |(arguments, _)| arguments.len());
    let mut dimensions = Vec::new();
    let mut size: i64 = 1;
    for position in (0..width).rev() {
        let of = || {
            cells
                .iter()
                .filter_map(|(arguments, _)| arguments.get(position).copied())
        };
        let (low, high) = (of().min().unwrap_or(0), of().max().unwrap_or(0));
        let count = high.saturating_sub(low).saturating_add(1);
        dimensions.push((low, count, size));
        size = size.saturating_mul(count);
    }
    dimensions.reverse();
    if size > CELLS {
        return Table::Map(cells.into_iter().collect());
    }
    let mut row = Table::Row {
        dimensions,
        entries: Vec::new(),
    };
    let places: Vec<(Option<usize>, u32)> = cells
        .iter()
        .map(|(arguments, entry)| (row.place(|position| arguments.get(position).copied()), *entry))
        .collect();
    if let Table::Row { entries, .. } = &mut row {
        entries.resize(usize::try_from(size).unwrap_or(0), NO_ENTRY);
        for (place, entry) in places {
            if let Some(cell) = place.and_then(|place| entries.get_mut(place)) {
                *cell = entry;
            }
        }
    }
    row
}

impl Table {
    /// The index in a dense table for these arguments.
    fn place(&self, mut argument: impl FnMut(usize) -> Option<i64>) -> Option<usize> {
        let Table::Row { dimensions, .. } = self else {
            return None;
        };
        let mut place = 0;
        for (position, (low, count, stride)) in dimensions.iter().enumerate() {
            let offset = argument(position)?.checked_sub(*low)?;
            if offset < 0 || offset >= *count {
                return None;
            }
            place += offset * stride;
        }
        usize::try_from(place).ok()
    }

    /// The entry for these arguments, if there is one.
    pub(super) fn entry(&self, mut argument: impl FnMut(usize) -> Option<i64>) -> Option<usize> {
        let entry = match self {
            Table::Row { entries, .. } => *entries.get(self.place(argument)?)?,
            Table::Map(entries) => {
                let width = entries.keys().next().map_or(0, Vec::len);
                let arguments: Option<Vec<i64>> = (0..width).map(&mut argument).collect();
                *entries.get(&arguments?)?
            }
        };
        (entry != NO_ENTRY).then_some(entry as usize)
    }

    /// Adds the entries for all arguments that agree with those that are known.
    pub(super) fn matching(&self, known: &[Option<i64>], found: &mut Vec<usize>) {
        let agrees = |position: usize, value: i64| match known.get(position) {
            Some(Some(known)) => *known == value,
            _ => true,
        };
        match self {
            Table::Row { .. } if known.iter().all(Option::is_some) => {
                found.extend(self.entry(|position| known.get(position).copied().flatten()));
            }
            Table::Row { dimensions, entries } => {
                let coordinates = |place: i64| {
                    let of = move |(low, count, stride): &(i64, i64, i64)| low + place / stride % count;
                    dimensions.iter().map(of)
                };
                let places = (0i64..).zip(entries).filter(|(_, entry)| **entry != NO_ENTRY);
                let matching = places.filter(|(place, _)| {
                    let mut values = coordinates(*place).enumerate();
                    values.all(|(position, value)| agrees(position, value))
                });
                found.extend(matching.map(|(_, entry)| *entry as usize));
            }
            Table::Map(entries) => {
                let matching = entries.iter().filter(|(arguments, _)| {
                    let mut values = arguments.iter().enumerate();
                    values.all(|(position, value)| agrees(position, *value))
                });
                found.extend(matching.map(|(_, entry)| *entry as usize));
            }
        }
    }
}
