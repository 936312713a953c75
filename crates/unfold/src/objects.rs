//! Memory as cells: which parts of which objects are variables of the transition system.
//!
//! Every instance of a variable, one for each call that is inlined, is an object of its own. Each scalar in it is
//! a cell; parts that overlap otherwise (unions), long arrays and floats have no cells: whoever reads there reads
//! anything. All pointers are on one line of integers: null is zero, a number that was made a pointer is itself, and
//! each
//! object has a fixed address beyond all numbers, far from all others. So arithmetic is the same on all of them.

use crate::allocated::Allocated;
use crate::contexts::ContextId;
use analysis::points_to::Site;
use logic::{Function, Sort, Term, term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use system::program::{Bits, Integer, ProcedureId, Program, Scalar, Type, TypeId, VariableId};

/// Longer arrays have no cells.
pub(crate) const LONGEST_ARRAY: u64 = 40;
/// Objects with more have none at all.
const MOST_CELLS: usize = 600;
/// All objects lie beyond here, and so beyond every number that the machine has.
const FIRST: i128 = 1 << 80;
/// No system has an object below this address.
const LEAST: i128 = 1 << 16;
/// How far objects are apart.
const DISTANCE: i128 = 1 << 40;
/// Pointers this far from the beginning of an object are arithmetic in that object.
pub(crate) const NEAR: i128 = 1 << 38;
/// From here on lie objects that were allocated where others have been before: nothing is known of what they hold.
pub(crate) const FURTHER: i128 = 1 << 100;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(pub(crate) u32);

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// Of a call, unless it is a global one.
    Variable(Option<ContextId>, VariableId),
    /// What this step of this call allocates the first time, the second time, and so on, from zero on.
    Allocated(ContextId, Site, u32),
    Procedure(ProcedureId),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub(crate) type_id: Option<TypeId>,
    /// How many of that type lie in a row.
    pub(crate) count: u64,
    /// By the offset in bytes and the first bit in that byte.
    pub(crate) cells: BTreeMap<(u64, u32), CellId>,
    /// Of the first object that a step allocates: how often that was taken, as far as this is counted.
    pub(crate) times: Option<CellId>,
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub object: ObjectId,
    pub offset: u64,
    pub bits: Option<Bits>,
    pub scalar: Scalar,
    pub(crate) bytes: u64,
    pub function: Function,
    /// What it holds, where that is always the same: then it is no variable of the transition system.
    pub(crate) constant: Option<Term>,
}

/// A scalar in a type.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) offset: u64,
    pub(crate) bits: Option<Bits>,
    pub(crate) scalar: Scalar,
    pub(crate) type_id: TypeId,
    /// Of a field with bits of its own, all that it has a bit in.
    pub(crate) bytes: u64,
    /// Such as `.pending` or `[2]`.
    path: String,
}

#[derive(Clone, Default)]
pub(crate) struct Objects {
    pub(crate) objects: Vec<Object>,
    pub(crate) cells: Vec<Cell>,
    by_origin: FxHashMap<Origin, ObjectId>,
    names: FxHashMap<String, u32>,
    leaves: FxHashMap<TypeId, Vec<Leaf>>,
    /// What a call of a procedure with a contract was given, by the cell that held it.
    before: BTreeMap<(ProcedureId, CellId), CellId>,
    /// The numbers that pointers to objects become, where a program makes numbers of them: nobody knows which.
    pub(crate) numbers: BTreeMap<ObjectId, Function>,
}

impl Objects {
    pub(crate) fn get(&self, origin: Origin) -> Option<ObjectId> {
        self.by_origin.get(&origin).copied()
    }

    /// Whether a cell is part of a variable of this call.
    pub(crate) fn is_of(&self, cell: CellId, context: ContextId) -> bool {
        let object = self.cells[cell.0 as usize].object;
        matches!(self.objects[object.0 as usize].origin, Origin::Variable(Some(of), _) if of == context)
    }

    /// The object, made where it was not met before.
    pub(crate) fn object(
        &mut self,
        program: &Program,
        origin: Origin,
        type_id: Option<TypeId>,
        name: &str,
    ) -> ObjectId {
        let row = type_id.map(Allocated::one);
        self.row(program, origin, row, name)
    }

    /// What a step allocates, made where it was not met before.
    pub(crate) fn allocated(
        &mut self,
        program: &Program,
        origin: Origin,
        row: Option<Allocated>,
        name: &str,
    ) -> ObjectId {
        let is_new = !self.by_origin.contains_key(&origin);
        let id = self.row(program, origin, row, name);
        if is_new && matches!(origin, Origin::Allocated(_, _, 0)) {
            let number = Leaf {
                offset: 0,
                bits: None,
                scalar: Scalar::Integer(Integer::new(8, false)),
                type_id: TypeId(0),
                bytes: 1,
                path: String::new(),
            };
            let cell = self.cell(id, &format!("{name} is allocated"), &number);
            self.objects[id.0 as usize].times = Some(cell);
        }
        id
    }

    fn row(&mut self, program: &Program, origin: Origin, row: Option<Allocated>, name: &str) -> ObjectId {
        if let Some(known) = self.by_origin.get(&origin) {
            return *known;
        }
        let id = ObjectId(u32::try_from(self.objects.len()).unwrap_or(u32::MAX));
        self.by_origin.insert(origin, id);
        let count = row.map_or(1, |row| row.count);
        self.objects.push(Object {
            origin,
            type_id: row.map(|row| row.type_id),
            count,
            cells: BTreeMap::new(),
            times: None,
        });
        let Some(Allocated { type_id, .. }) = row else {
            return id;
        };
        let size = program.types.size(type_id).unwrap_or(0);
        let leaves = self.leaves(program, type_id);
        let has_cells = |leaf: &&Leaf| !matches!(leaf.scalar, Scalar::Float(_));
        let all = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_mul(leaves.len());
        for number in (0..count).filter(|_| all <= MOST_CELLS) {
            let element = if count == 1 {
                String::new()
            } else {
                format!("[{number}]")
            };
            for leaf in leaves.iter().filter(has_cells) {
                let leaf = Leaf {
                    offset: leaf.offset + number * size,
                    ..leaf.clone()
                };
                let cell = self.cell(id, &format!("{name}{element}{}", leaf.path), &leaf);
                let first = leaf.bits.map_or(0, |bits| bits.first);
                self.objects[id.0 as usize].cells.insert((leaf.offset, first), cell);
            }
        }
        id
    }

    fn cell(&mut self, object: ObjectId, name: &str, leaf: &Leaf) -> CellId {
        let count = self.names.entry(name.to_owned()).or_default();
        *count += 1;
        let name = match count {
            1 => name.to_owned(),
            _ => format!("{name}#{count}"),
        };
        let id = CellId(u32::try_from(self.cells.len()).unwrap_or(u32::MAX));
        self.cells.push(Cell {
            object,
            offset: leaf.offset,
            bits: leaf.bits,
            scalar: leaf.scalar,
            bytes: leaf.bytes,
            function: Function::constant(name.as_str(), Sort::Int),
            constant: None,
        });
        id
    }

    /// What the cell held when a call of the procedure began, as a cell of its own.
    pub(crate) fn before(&mut self, program: &Program, procedure: ProcedureId, cell: CellId) -> CellId {
        if let Some(known) = self.before.get(&(procedure, cell)) {
            return *known;
        }
        let object = self.object(program, Origin::Procedure(procedure), None, "");
        let of = &program[procedure].name;
        let held = self.cells[cell.0 as usize].clone();
        let full = held.function.name().to_string();
        let own = full.strip_prefix(&format!("{of}:")).unwrap_or(&full);
        let own = own.split_once('#').map_or(own, |(own, _)| own);
        let leaf = Leaf {
            offset: held.offset,
            bits: held.bits,
            scalar: held.scalar,
            type_id: TypeId(0),
            bytes: held.bytes,
            path: String::new(),
        };
        let made = self.cell(object, &format!("{of}:old({own})"), &leaf);
        self.before.insert((procedure, cell), made);
        made
    }

    /// The scalars of a type that lie apart from all others, in order.
    pub(crate) fn leaves(&mut self, program: &Program, type_id: TypeId) -> Vec<Leaf> {
        if let Some(known) = self.leaves.get(&type_id) {
            return known.clone();
        }
        let mut leaves = Vec::new();
        collect(program, type_id, 0, "", &mut leaves);
        let leaves = if leaves.len() > MOST_CELLS {
            Vec::new()
        } else {
            apart(leaves)
        };
        self.leaves.insert(type_id, leaves.clone());
        leaves
    }

    /// The number that a pointer to the beginning of an object becomes.
    pub(crate) fn number(&mut self, object: ObjectId) -> Function {
        let made = || Function::constant(format!("number of object {}", object.0).as_str(), Sort::Int);
        *self.numbers.entry(object).or_insert_with(made)
    }

    /// An object lies somewhere in memory, and not at null or in the pages behind it.
    pub(crate) fn range_of_number(&self, program: &Program, object: ObjectId, number: Function) -> Term {
        let (number, size) = (number.apply([]), self.size(program, object).max(1));
        let end = term::add([number, term::int(i128::from(size))]);
        let most = term::int((1 << program.types.pointer_bits) - 1);
        term::and([term::less_equal(term::int(LEAST), number), term::less_equal(end, most)])
    }

    /// How many bytes an object has, where that is known.
    pub(crate) fn size(&self, program: &Program, object: ObjectId) -> u64 {
        let object = &self.objects[object.0 as usize];
        let size = object.type_id.and_then(|type_id| program.types.size(type_id));
        size.unwrap_or(0).saturating_mul(object.count)
    }

    pub(crate) fn address(object: ObjectId) -> i128 {
        FIRST + i128::from(object.0) * DISTANCE
    }

    /// The number of the object that an address is in: all that are numbers are one.
    pub(crate) fn number_of(address: Term) -> Term {
        let before = term::int(DISTANCE / 2 - FIRST);
        let number = term::divide(term::add([address, before]), term::int(DISTANCE));
        term::ite(term::less(number, term::int(0)), term::int(-1), number)
    }

    /// The object and offset that an address is in.
    pub(crate) fn at(&self, address: i128) -> Option<(ObjectId, i128)> {
        // Just before an object is far behind another.
        let number = (address - FIRST + DISTANCE / 2).div_euclid(DISTANCE);
        let id = ObjectId(u32::try_from(number).ok()?);
        self.objects.get(id.0 as usize)?;
        Some((id, address - Objects::address(id)))
    }

    /// The cells of an object that share a byte with these, and whether each lies in them as a whole.
    pub(crate) fn overlapping(&self, object: ObjectId, from: i128, bytes: Option<u64>) -> Vec<(CellId, bool)> {
        let end = bytes.map_or(i128::MAX, |bytes| from.saturating_add(i128::from(bytes)));
        let cells = self.objects[object.0 as usize].cells.values();
        let overlap = cells.filter_map(|id| {
            let cell = &self.cells[id.0 as usize];
            let (first, last) = (i128::from(cell.offset), i128::from(cell.offset + cell.bytes));
            (first < end && from < last).then_some((*id, from <= first && last <= end))
        });
        overlap.collect()
    }
}

/// Whether a pointer is arithmetic in the object at an address. It may lie before it: what is selected from there may
/// lead back.
pub(crate) fn inside(pointer: Term, address: i128) -> Term {
    let (first, last) = (term::int(address - NEAR), term::int(address + NEAR));
    term::and([term::less_equal(first, pointer), term::less_equal(pointer, last)])
}

fn collect(program: &Program, type_id: TypeId, offset: u64, path: &str, leaves: &mut Vec<Leaf>) {
    if leaves.len() > MOST_CELLS {
        return;
    }
    match &program.types[type_id] {
        Type::Void | Type::Procedure { .. } => {}
        Type::Integer(_) | Type::Float(_) | Type::Pointer(_) => {
            if let Some(scalar) = program.types.scalar(type_id) {
                leaves.push(Leaf {
                    offset,
                    bits: None,
                    scalar,
                    type_id,
                    bytes: program.types.size(type_id).unwrap_or(0),
                    path: path.to_owned(),
                });
            }
        }
        Type::Array { element, length } => {
            let size = program.types.size(*element).unwrap_or(0);
            for index in 0..length.filter(|length| *length <= LONGEST_ARRAY).unwrap_or(0) {
                collect(
                    program,
                    *element,
                    offset + index * size,
                    &format!("{path}[{index}]"),
                    leaves,
                );
            }
        }
        Type::Record(record) => {
            for field in &program.types[*record].fields {
                let path = match field.name.is_empty() {
                    true => path.to_owned(),
                    false => format!("{path}.{}", field.name),
                };
                match (field.bits, program.types.scalar(field.type_id)) {
                    (Some(bits), Some(scalar)) => leaves.push(Leaf {
                        offset: offset + field.offset,
                        bits: Some(bits),
                        scalar,
                        type_id: field.type_id,
                        bytes: u64::from((bits.first + bits.width).div_ceil(8)),
                        path,
                    }),
                    _ => collect(program, field.type_id, offset + field.offset, &path, leaves),
                }
            }
        }
    }
}

/// Scalars at the same place count once, and integers inside of another are parts of that one. Of those that overlap
/// otherwise, none counts.
fn apart(leaves: Vec<Leaf>) -> Vec<Leaf> {
    let extent = |leaf: &Leaf| match leaf.bits {
        Some(bits) => (leaf.offset * 8 + u64::from(bits.first), u64::from(bits.width)),
        None => (leaf.offset * 8, leaf.bytes * 8),
    };
    let is_whole = |leaf: &Leaf| leaf.bits.is_none() && matches!(leaf.scalar, Scalar::Integer(_));
    let is_same = |a: &Leaf, b: &Leaf| extent(a) == extent(b) && (a.scalar == b.scalar || (is_whole(a) && is_whole(b)));
    let overlap = |a: &Leaf, b: &Leaf| {
        let ((first, width), (other, other_width)) = (extent(a), extent(b));
        first < other + other_width && other < first + width
    };
    let is_inside = |inner: &Leaf, outer: &Leaf| {
        let ((first, width), (start, whole)) = (extent(inner), extent(outer));
        is_whole(inner) && is_whole(outer) && start <= first && first + width <= start + whole
    };
    let mut kept: Vec<Leaf> = Vec::new();
    for leaf in &leaves {
        let harms = |other: &Leaf| overlap(leaf, other) && !is_same(leaf, other) && !is_inside(other, leaf);
        if !leaves.iter().any(harms) && !kept.iter().any(|other| is_same(leaf, other)) {
            kept.push(leaf.clone());
        }
    }
    kept
}
