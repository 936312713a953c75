//! Memory as cells: the parts of objects that become variables of the transition system.
//!
//! Every instance of a variable, one for each inlined call, is an object of its own, and each scalar in it is a cell.
//! Partially overlapping fields (unions), long arrays and floats have no cells: reading them yields an arbitrary value.
//! Pointers are integers on one line: null is zero, an integer cast to a pointer keeps its value, and each object has
//! a fixed address beyond all machine integers, far from all others. So pointer arithmetic is integer arithmetic.

use crate::allocated::Allocated;
use crate::contexts::ContextId;
use analysis::points_to::Site;
use logic::{Function, Sort, Term, term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use system::program::{Bits, Integer, ProcedureId, Program, Scalar, Type, TypeId, VariableId};

/// Longer arrays have no cells: their contents are havocked.
pub(crate) const MAX_ARRAY_LENGTH: u64 = 40;
/// Objects with more scalars have no cells at all.
const MAX_CELLS: usize = 600;
/// The address of the first object, beyond every machine integer.
const FIRST_ADDRESS: i128 = 1 << 80;
/// The smallest integer value that the address of an object has at run time.
const LEAST_ADDRESS: i128 = 1 << 16;
/// The distance between the addresses of two objects.
const SPACING: i128 = 1 << 40;
/// Pointers within this distance of an object result from arithmetic in that object.
pub(crate) const NEAR: i128 = 1 << 38;
/// Addresses from here on belong to unnamed objects: those that an allocation yields beyond its named ones.
pub(crate) const FIRST_UNNAMED: i128 = 1 << 100;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(pub(crate) u32);

/// What created an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectOrigin {
    /// A variable of a call; globals have no context.
    Variable(Option<ContextId>, VariableId),
    /// The n-th object that this allocation site creates in this context, counted from zero.
    Allocated(ContextId, Site, u32),
    Procedure(ProcedureId),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: ObjectOrigin,
    pub(crate) type_id: Option<TypeId>,
    /// The number of array elements of that type.
    pub(crate) count: u64,
    /// Keyed by byte offset and first bit in that byte.
    pub(crate) cells: BTreeMap<(u64, u32), CellId>,
    /// Of the first object of an allocation site: the saturating counter of its allocations.
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
    /// The value of a cell that never changes; such a cell is not a variable of the transition system.
    pub(crate) constant: Option<Term>,
}

/// A scalar in a type.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) offset: u64,
    pub(crate) bits: Option<Bits>,
    pub(crate) scalar: Scalar,
    pub(crate) type_id: TypeId,
    /// Of a bit-field, the number of bytes that it touches.
    pub(crate) bytes: u64,
    /// Such as `.pending` or `[2]`.
    path: String,
}

#[derive(Clone, Default)]
pub(crate) struct Objects {
    pub(crate) objects: Vec<Object>,
    pub(crate) cells: Vec<Cell>,
    by_origin: FxHashMap<ObjectOrigin, ObjectId>,
    names: FxHashMap<String, u32>,
    leaves: FxHashMap<TypeId, Vec<Leaf>>,
    /// The values of cells on entry to a procedure with a contract, by the cell.
    before: BTreeMap<(ProcedureId, CellId), CellId>,
    /// The integer values of object addresses, where a program observes them: unknown but fixed.
    pub(crate) numbers: BTreeMap<ObjectId, Function>,
}

impl Index<ObjectId> for Objects {
    type Output = Object;

    fn index(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }
}

impl IndexMut<ObjectId> for Objects {
    fn index_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0 as usize]
    }
}

impl Index<CellId> for Objects {
    type Output = Cell;

    fn index(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }
}

impl IndexMut<CellId> for Objects {
    fn index_mut(&mut self, id: CellId) -> &mut Cell {
        &mut self.cells[id.0 as usize]
    }
}

impl Objects {
    pub(crate) fn get(&self, origin: ObjectOrigin) -> Option<ObjectId> {
        self.by_origin.get(&origin).copied()
    }

    /// Whether a cell belongs to a variable of this call.
    pub(crate) fn is_of(&self, cell: CellId, context: ContextId) -> bool {
        let object = self[cell].object;
        matches!(self[object].origin, ObjectOrigin::Variable(Some(of), _) if of == context)
    }

    /// The object of this origin, created on demand.
    pub(crate) fn object(
        &mut self,
        program: &Program,
        origin: ObjectOrigin,
        type_id: Option<TypeId>,
        name: &str,
    ) -> ObjectId {
        let row = type_id.map(Allocated::one);
        self.array(program, origin, row, name)
    }

    /// The object of an allocation, created on demand.
    pub(crate) fn allocated(
        &mut self,
        program: &Program,
        origin: ObjectOrigin,
        row: Option<Allocated>,
        name: &str,
    ) -> ObjectId {
        let is_new = !self.by_origin.contains_key(&origin);
        let id = self.array(program, origin, row, name);
        if is_new && matches!(origin, ObjectOrigin::Allocated(_, _, 0)) {
            let number = Leaf {
                offset: 0,
                bits: None,
                scalar: Scalar::Integer(Integer::new(8, false)),
                type_id: TypeId(0),
                bytes: 1,
                path: String::new(),
            };
            let cell = self.cell(id, &format!("{name} is allocated"), &number);
            self[id].times = Some(cell);
        }
        id
    }

    fn array(&mut self, program: &Program, origin: ObjectOrigin, row: Option<Allocated>, name: &str) -> ObjectId {
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
        for number in (0..count).filter(|_| all <= MAX_CELLS) {
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
                self[id].cells.insert((leaf.offset, first), cell);
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

    /// A cell that keeps the value which another cell had on entry to the procedure.
    pub(crate) fn before(&mut self, program: &Program, procedure: ProcedureId, cell: CellId) -> CellId {
        if let Some(known) = self.before.get(&(procedure, cell)) {
            return *known;
        }
        let object = self.object(program, ObjectOrigin::Procedure(procedure), None, "");
        let of = &program[procedure].name;
        let held = self[cell].clone();
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

    /// The scalars of a type that do not partially overlap, in order.
    pub(crate) fn leaves(&mut self, program: &Program, type_id: TypeId) -> Vec<Leaf> {
        if let Some(known) = self.leaves.get(&type_id) {
            return known.clone();
        }
        let mut leaves = Vec::new();
        collect(program, type_id, 0, "", &mut leaves);
        let leaves = if leaves.len() > MAX_CELLS {
            Vec::new()
        } else {
            without_overlaps(leaves)
        };
        self.leaves.insert(type_id, leaves.clone());
        leaves
    }

    /// The integer value of the address of an object.
    pub(crate) fn number(&mut self, object: ObjectId) -> Function {
        let made = || Function::constant(format!("number of object {}", object.0).as_str(), Sort::Int);
        *self.numbers.entry(object).or_insert_with(made)
    }

    /// The range of an object's address at run time: not null, nor in the pages next to it, nor beyond memory.
    pub(crate) fn range_of_number(&self, program: &Program, object: ObjectId, number: Function) -> Term {
        let (number, size) = (number.apply([]), self.size(program, object).max(1));
        let end = term::add([number, term::int(i128::from(size))]);
        let most = term::int((1 << program.types.pointer_bits) - 1);
        term::and([
            term::less_equal(term::int(LEAST_ADDRESS), number),
            term::less_equal(end, most),
        ])
    }

    /// The size of an object in bytes, zero where it is unknown.
    pub(crate) fn size(&self, program: &Program, object: ObjectId) -> u64 {
        let object = &self[object];
        let size = object.type_id.and_then(|type_id| program.types.size(type_id));
        size.unwrap_or(0).saturating_mul(object.count)
    }

    pub(crate) fn address(object: ObjectId) -> i128 {
        FIRST_ADDRESS + i128::from(object.0) * SPACING
    }

    /// The index of the object that an address points into; all plain integers have the same index.
    pub(crate) fn number_of(address: Term) -> Term {
        let before = term::int(SPACING / 2 - FIRST_ADDRESS);
        let number = term::divide(term::add([address, before]), term::int(SPACING));
        term::ite(term::less(number, term::int(0)), term::int(-1), number)
    }

    /// The object and the offset that an address points at.
    pub(crate) fn at(&self, address: i128) -> Option<(ObjectId, i128)> {
        // Addresses shortly before an object belong to it, too.
        let number = (address - FIRST_ADDRESS + SPACING / 2).div_euclid(SPACING);
        let id = ObjectId(u32::try_from(number).ok()?);
        self.objects.get(id.0 as usize)?;
        Some((id, address - Objects::address(id)))
    }

    /// The cells of an object that share a byte with a range, and whether each lies completely in it.
    pub(crate) fn overlapping(&self, object: ObjectId, from: i128, bytes: Option<u64>) -> Vec<(CellId, bool)> {
        let end = bytes.map_or(i128::MAX, |bytes| from.saturating_add(i128::from(bytes)));
        let cells = self[object].cells.values();
        let overlap = cells.filter_map(|id| {
            let cell = &self[*id];
            let (first, last) = (i128::from(cell.offset), i128::from(cell.offset + cell.bytes));
            (first < end && from < last).then_some((*id, from <= first && last <= end))
        });
        overlap.collect()
    }
}

/// Whether a pointer results from arithmetic in the object at an address. It may point before the object, since a
/// selector may lead back into it.
pub(crate) fn inside(pointer: Term, address: i128) -> Term {
    let (first, last) = (term::int(address - NEAR), term::int(address + NEAR));
    term::and([term::less_equal(first, pointer), term::less_equal(pointer, last)])
}

fn collect(program: &Program, type_id: TypeId, offset: u64, path: &str, leaves: &mut Vec<Leaf>) {
    if leaves.len() > MAX_CELLS {
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
            for index in 0..length.filter(|length| *length <= MAX_ARRAY_LENGTH).unwrap_or(0) {
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

/// Drops partially overlapping scalars. Scalars with the same extent count once, and integers inside of a larger
/// integer are parts of that one.
fn without_overlaps(leaves: Vec<Leaf>) -> Vec<Leaf> {
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
