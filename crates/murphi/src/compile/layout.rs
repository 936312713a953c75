//! Layout: the number of slots of a type, the slots of each variable, and the instance type of each model type.
//!
//! A record is the concatenation of its fields, an array that of its elements in index order, and a multiset has `1 +
//! size` slots per element (see [`instance::Multiset`]). A list of records is one list for each simple component, and
//! everything else is one slot.

use std::collections::HashMap;

use system::Diagnostic;
use system::Span;
use system::instance::{self, Instance, Multiset, Slot};

use crate::model::{Model, TypeId, TypeKind, UninterpretedId, VariableId};

/// The maximum number of slots of a state; larger states are impractical to store.
pub(super) const MAXIMUM_SLOTS: usize = 1 << 20;

/// The values of an ordered type: `low..=high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub low: i64,
    pub high: i64,
    /// Whether the type has more values than these (`integer`).
    pub windowed: bool,
}

impl Bounds {
    pub(super) fn count(self) -> i64 {
        self.high.saturating_sub(self.low).saturating_add(1).max(0)
    }

    pub(super) fn contains(self, other: Bounds) -> bool {
        self.windowed || (!other.windowed && self.low <= other.low && other.high <= self.high)
    }
}

/// Types and slots of one model at one size.
pub(super) struct Layout<'m> {
    pub(super) model: &'m Model,
    window: (i64, i64),
    sizes: Vec<usize>,
    /// The first slot of each variable and of each uninterpreted symbol.
    variables: Vec<usize>,
    symbols: Vec<usize>,
    /// The instance type of each simple model type, computed on demand.
    types: Vec<Option<instance::TypeId>>,
    families: HashMap<String, usize>,
}

impl<'m> Layout<'m> {
    pub(super) fn new(model: &'m Model, window: (i64, i64)) -> Layout<'m> {
        let mut layout = Layout {
            model,
            window,
            sizes: Vec::with_capacity(model.types.len()),
            variables: Vec::new(),
            symbols: Vec::new(),
            types: vec![None; model.types.len()],
            families: HashMap::new(),
        };
        let mut sizes = vec![None; model.types.len()];
        for ty in 0..model.types.len() {
            layout.measure(TypeId(ty), &mut sizes);
        }
        layout.sizes = sizes.into_iter().map(|size| size.unwrap_or(1)).collect();
        layout
    }

    fn measure(&self, ty: TypeId, sizes: &mut Vec<Option<usize>>) -> usize {
        if let Some(size) = sizes[ty.0] {
            return size;
        }
        let size = match self.model.kind(ty) {
            TypeKind::Record { fields } => fields
                .iter()
                .fold(0_usize, |sum, field| sum.saturating_add(self.measure(field.ty, sizes))),
            TypeKind::Array { index, element } => {
                let count = usize::try_from(self.bounds(*index).count()).unwrap_or(usize::MAX);
                count.saturating_mul(self.measure(*element, sizes))
            }
            TypeKind::Multiset { capacity, element } => {
                let capacity = usize::try_from(*capacity).unwrap_or(0);
                capacity.saturating_mul(self.measure(*element, sizes).saturating_add(1))
            }
            TypeKind::List { element } => self.measure(*element, sizes),
            _ => 1,
        };
        sizes[ty.0] = Some(size);
        size
    }

    /// The number of slots of a value of the type.
    pub(super) fn size(&self, ty: TypeId) -> usize {
        self.sizes[ty.0]
    }

    /// Whether a value of the type is a single slot that expressions compute.
    pub(super) fn is_simple(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Record { .. } | TypeKind::Array { .. } | TypeKind::Multiset { .. } => false,
            TypeKind::List { element } => self.is_simple(*element),
            _ => true,
        }
    }

    /// The values of a simple type; meaningless for lists.
    pub(super) fn bounds(&self, ty: TypeId) -> Bounds {
        let (low, high, windowed) = match self.model.kind(ty) {
            TypeKind::Boolean => (0, 1, false),
            TypeKind::Range { low, high } => (*low, *high, false),
            TypeKind::Enum { values } => (0, i64::try_from(values.len()).unwrap_or(i64::MAX) - 1, false),
            TypeKind::Scalarset { size } => (0, size - 1, false),
            TypeKind::Union { members } => {
                let counts = members.iter().map(|member| self.bounds(*member).count());
                (0, counts.fold(0, i64::saturating_add) - 1, false)
            }
            TypeKind::Integer => (self.window.0, self.window.1, true),
            _ => (0, 0, false),
        };
        Bounds { low, high, windowed }
    }

    /// The first slot of a variable.
    pub(super) fn variable(&self, variable: VariableId) -> usize {
        self.variables[variable.0]
    }

    /// The first slot of the table of an uninterpreted symbol.
    pub(super) fn symbol(&self, symbol: UninterpretedId) -> usize {
        self.symbols[symbol.0]
    }

    /// The number of slots of the table of an uninterpreted symbol.
    pub(super) fn symbol_size(&self, symbol: UninterpretedId) -> usize {
        let symbol = &self.model.uninterpreted[symbol.0];
        let counts = symbol
            .parameters
            .iter()
            .map(|ty| usize::try_from(self.bounds(*ty).count()).unwrap_or(usize::MAX));
        counts.fold(1, usize::saturating_mul)
    }

    /// Allocates the slots of all variables and uninterpreted symbols.
    pub(super) fn allocate_state(&mut self, instance: &mut Instance, diagnostics: &mut Vec<Diagnostic>) {
        let model = self.model;
        for variable in &model.variables {
            self.variables.push(instance.slots.len());
            let size = self.size(variable.ty);
            if self.reject_large(instance.slots.len(), size, &variable.name, variable.span, diagnostics) {
                continue;
            }
            self.add_slots(instance, &variable.name, &mut Vec::new(), variable.ty, 0);
        }
        for (id, symbol) in model.uninterpreted.iter().enumerate() {
            self.symbols.push(instance.slots.len());
            let size = self.symbol_size(UninterpretedId(id));
            if self.reject_large(instance.slots.len(), size, &symbol.name, symbol.span, diagnostics) {
                continue;
            }
            let holes = vec!["{}"; symbol.parameters.len()].join(", ");
            let name = match symbol.parameters.is_empty() {
                true => symbol.name.clone(),
                false => format!("{}({holes})", symbol.name),
            };
            self.add_table(instance, &name, &mut Vec::new(), &symbol.parameters, symbol.result);
        }
    }

    fn reject_large(
        &self,
        before: usize,
        size: usize,
        name: &str,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        if before.saturating_add(size) <= MAXIMUM_SLOTS {
            return false;
        }
        diagnostics.push(
            Diagnostic::error(span, format!("`{name}` makes the state too large to explore"))
                .label(format!(
                    "takes {size} simple values; all variables may have {MAXIMUM_SLOTS} together"
                ))
                .help("choose smaller sizes for its index types"),
        );
        true
    }

    /// Adds the slots of a value inside this many lists.
    fn add_slots(
        &mut self,
        instance: &mut Instance,
        path: &str,
        indices: &mut Vec<(instance::TypeId, i64)>,
        ty: TypeId,
        lists: usize,
    ) {
        let model = self.model;
        match model.kind(ty) {
            TypeKind::Record { fields } => {
                for field in fields {
                    self.add_slots(instance, &format!("{path}.{}", field.name), indices, field.ty, lists);
                }
            }
            TypeKind::Array { index, element } => {
                let bounds = self.bounds(*index);
                instance.windowed |= bounds.windowed;
                let index = self.simple_type(instance, *index);
                let path = format!("{path}[{{}}]");
                for value in bounds.low..=bounds.high {
                    indices.push((index, value));
                    self.add_slots(instance, &path, indices, *element, lists);
                    indices.pop();
                }
            }
            TypeKind::Multiset { capacity, element } => {
                let base = instance.slots.len();
                let number = self.range_type(instance, 0, capacity - 1);
                let path = format!("{path}[{{}}]");
                for value in 0..*capacity {
                    indices.push((number, value));
                    let mark = self.leaf_type(instance, Leaf::Presence);
                    self.add_slot(instance, &format!("present({path})"), indices, mark);
                    self.add_slots(instance, &path, indices, *element, lists);
                    indices.pop();
                }
                instance.multisets.push(Multiset {
                    base,
                    capacity: usize::try_from(*capacity).unwrap_or(0),
                    stride: self.size(*element),
                });
            }
            TypeKind::List { element } if !self.is_simple(ty) => {
                self.add_slots(instance, path, indices, *element, lists + 1);
            }
            _ => {
                let ty = self.leaf_type(instance, Leaf::Simple { ty, lists });
                self.add_slot(instance, path, indices, ty);
            }
        }
    }

    fn add_table(
        &mut self,
        instance: &mut Instance,
        path: &str,
        indices: &mut Vec<(instance::TypeId, i64)>,
        parameters: &[TypeId],
        result: TypeId,
    ) {
        let Some((first, rest)) = parameters.split_first() else {
            return self.add_slots(instance, path, indices, result, 0);
        };
        let bounds = self.bounds(*first);
        instance.windowed |= bounds.windowed;
        let ty = self.simple_type(instance, *first);
        for value in bounds.low..=bounds.high {
            indices.push((ty, value));
            self.add_table(instance, path, indices, rest, result);
            indices.pop();
        }
    }

    fn add_slot(
        &mut self,
        instance: &mut Instance,
        path: &str,
        indices: &[(instance::TypeId, i64)],
        ty: instance::TypeId,
    ) {
        let family = match self.families.get(path) {
            Some(family) => *family,
            None => {
                instance.families.push(path.to_owned());
                self.families.insert(path.to_owned(), instance.families.len() - 1);
                instance.families.len() - 1
            }
        };
        instance.slots.push(Slot {
            ty,
            family,
            indices: indices.to_vec(),
        });
    }

    /// The instance type of a simple model type.
    pub(super) fn simple_type(&mut self, instance: &mut Instance, ty: TypeId) -> instance::TypeId {
        if let Some(known) = self.types[ty.0] {
            return known;
        }
        let name = |fallback: &str| match &self.model.types[ty.0].name {
            Some(name) => name.clone(),
            None => fallback.to_owned(),
        };
        let made = match self.model.kind(ty) {
            TypeKind::Range { low, high } => instance::Type::Range { low: *low, high: *high },
            TypeKind::Enum { values } => instance::Type::Enum {
                name: name("enum"),
                values: values.iter().map(|(value, _)| value.clone()).collect(),
            },
            TypeKind::Scalarset { size } => instance::Type::Scalarset {
                name: name("scalarset"),
                size: *size,
                symmetric: true,
                labels: None,
            },
            TypeKind::Union { members } => instance::Type::Union {
                members: members
                    .iter()
                    .map(|member| self.simple_type(instance, *member))
                    .collect(),
            },
            TypeKind::Integer => instance::Type::Integer { window: self.window },
            TypeKind::List { element } => instance::Type::List {
                element: self.simple_type(instance, *element),
            },
            _ => instance::Type::Boolean,
        };
        // Scalarsets and enumerations are distinct types even if they look the same.
        let id = match made {
            instance::Type::Scalarset { .. } | instance::Type::Enum { .. } => {
                instance.types.push(made);
                instance.types.len() - 1
            }
            _ => self.intern(instance, made),
        };
        self.types[ty.0] = Some(id);
        id
    }

    /// An anonymous subrange.
    pub(super) fn range_type(&mut self, instance: &mut Instance, low: i64, high: i64) -> instance::TypeId {
        self.intern(instance, instance::Type::Range { low, high })
    }

    fn intern(&mut self, instance: &mut Instance, ty: instance::Type) -> instance::TypeId {
        match instance.types.iter().position(|known| *known == ty) {
            Some(known) => known,
            None => {
                instance.types.push(ty);
                instance.types.len() - 1
            }
        }
    }

    /// The offset of a field in its record.
    pub(super) fn field_offset(&self, record: TypeId, position: usize) -> usize {
        match self.model.kind(record) {
            TypeKind::Record { fields } => fields[..position].iter().map(|field| self.size(field.ty)).sum(),
            _ => 0,
        }
    }

    /// The slots of a value, in order; empty for values reported as too large.
    pub(super) fn leaves(&self, ty: TypeId) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        if self.size(ty) <= MAXIMUM_SLOTS {
            self.collect_leaves(ty, 0, &mut leaves);
        }
        leaves
    }

    pub(super) fn contains_multiset(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Multiset { .. } => true,
            TypeKind::Record { fields } => fields.iter().any(|field| self.contains_multiset(field.ty)),
            TypeKind::Array { element, .. } | TypeKind::List { element } => self.contains_multiset(*element),
            _ => false,
        }
    }

    fn collect_leaves(&self, ty: TypeId, lists: usize, leaves: &mut Vec<Leaf>) {
        match self.model.kind(ty) {
            TypeKind::Record { fields } => {
                fields
                    .iter()
                    .for_each(|field| self.collect_leaves(field.ty, lists, leaves));
            }
            TypeKind::Array { index, element } => {
                for _ in 0..self.bounds(*index).count() {
                    self.collect_leaves(*element, lists, leaves);
                }
            }
            TypeKind::Multiset { capacity, element } => {
                for _ in 0..*capacity {
                    leaves.push(Leaf::Presence);
                    let start = leaves.len();
                    self.collect_leaves(*element, lists, leaves);
                    leaves[start..].iter_mut().for_each(Leaf::put_into_multiset);
                }
            }
            TypeKind::List { element } if !self.is_simple(ty) => self.collect_leaves(*element, lists + 1, leaves),
            _ => leaves.push(Leaf::Simple { ty, lists }),
        }
    }

    /// The instance type of a slot.
    pub(super) fn leaf_type(&mut self, instance: &mut Instance, leaf: Leaf) -> instance::TypeId {
        let (ty, lists) = match leaf {
            Leaf::Presence => return self.intern(instance, instance::Type::Boolean),
            Leaf::Simple { ty, lists } | Leaf::Element { ty, lists } => (ty, lists),
        };
        let mut made = self.simple_type(instance, ty);
        for _ in 0..lists {
            made = self.intern(instance, instance::Type::List { element: made });
        }
        made
    }
}

/// The role of one slot of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// A value of a simple type, inside this many lists.
    Simple { ty: TypeId, lists: usize },
    /// The presence mark of a multiset element.
    Presence,
    /// Part of a multiset element.
    Element { ty: TypeId, lists: usize },
}

impl Leaf {
    fn put_into_multiset(&mut self) {
        if let Leaf::Simple { ty, lists } = *self {
            *self = Leaf::Element { ty, lists };
        }
    }
}
