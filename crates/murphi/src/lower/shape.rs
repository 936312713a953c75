//! The representation of a Murphi type in the transition system: a vector of components, each a function of the array
//! indices on the path to it.
//!
//! Records are split into fields. A union becomes a tag and, for each parametric member, a payload; equal unions have
//! equal tags and, where the tag selects them, equal payloads. A multiset of capacity `n` is an array of `n` elements,
//! each with a Boolean presence mark. If a model observes whether values of a type are defined, each of them carries a
//! Boolean definedness mark.

use crate::model::{Model, TypeId, TypeKind};
use logic::{EnumSort, Name, Sort, Term, term};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use system::Span;

/// A sort with the bounds of a subrange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) sort: Sort,
    pub(crate) bounds: Option<(i64, i64)>,
}

/// The role of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Value,
    /// Whether the scalar is defined.
    Defined,
    /// Whether the multiset element is present.
    Present,
}

/// One of the functions that represent a variable.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Appended to the name of the variable.
    pub(crate) suffix: String,
    /// The suffix in the user's notation, with `{}` for each parameter.
    pub(crate) display: String,
    pub(crate) parameters: Vec<Scalar>,
    pub(crate) value: Scalar,
    pub(crate) role: Role,
}

/// The representation of a union: the tag is an enumeration of all enumerators of its fixed members and the names of
/// the others.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    pub(crate) tag: EnumSort,
    pub(crate) cases: Vec<Case>,
    /// The members with payloads, with their scalars.
    pub(crate) payloads: Vec<(TypeId, Scalar)>,
}

/// One value of a union's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// The value with this position (from the least one) of a member type.
    Fixed { member: TypeId, value: i64 },
    /// Any value of a member; the index of the payload that holds it.
    Payload { member: TypeId, payload: usize },
}

/// How an array is split by its index.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// The index is a parameter of the function.
    Parameter(Scalar),
    /// The index is a union: one part for each case.
    Union(TypeId),
}

/// The representations of all types of a model.
pub(crate) struct Shapes<'m> {
    pub(crate) model: &'m Model,
    /// Types whose values carry a definedness mark.
    pub(crate) tracked: BTreeSet<TypeId>,
    unions: BTreeMap<TypeId, Union>,
    names: BTreeMap<TypeId, String>,
    /// Memoised, by type.
    scalars: Vec<OnceCell<Option<Scalar>>>,
    widths: Vec<OnceCell<usize>>,
}

/// A type without a representation, and why.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported {
    pub(crate) message: String,
    pub(crate) span: Span,
}

impl<'m> Shapes<'m> {
    pub(crate) fn new(model: &'m Model, tracked: BTreeSet<TypeId>) -> Shapes<'m> {
        let mut shapes = Shapes {
            model,
            tracked,
            unions: BTreeMap::new(),
            names: BTreeMap::new(),
            scalars: vec![OnceCell::new(); model.types.len()],
            widths: vec![OnceCell::new(); model.types.len()],
        };
        let mut taken = BTreeSet::new();
        for (number, ty) in model.types.iter().enumerate() {
            // Generated names have a dot before a number, unlike any name in a source.
            let name = match &ty.name {
                Some(name) if taken.insert(name) => name.clone(),
                Some(name) => format!("{name}.{number}"),
                None => format!("type.{number}"),
            };
            shapes.names.insert(TypeId(number), name);
        }
        for number in 0..model.types.len() {
            if let TypeKind::Union { members } = &model.types[number].kind {
                let mut union = shapes.union_of(TypeId(number), members);
                // Unions of the same members are one type.
                let values = shapes.values_of(&union);
                let same = |other: &&Union| shapes.values_of(other) == values;
                if let Some(first) = shapes.unions.values().find(same) {
                    union.tag = first.tag;
                }
                shapes.unions.insert(TypeId(number), union);
            }
        }
        shapes
    }

    /// The meaning of each case of a union: a value of an enumeration, or any value of the member.
    fn values_of(&self, union: &Union) -> Vec<(Option<Scalar>, Option<i64>)> {
        let value = |case: &Case| match case {
            Case::Fixed { member, value } => (self.scalar(*member), Some(*value)),
            Case::Payload { member, .. } => (self.scalar(*member), None),
        };
        union.cases.iter().map(value).collect()
    }

    /// Enumerations with the same values are one type: the first of them.
    fn first_enumeration(&self, ty: TypeId) -> TypeId {
        let names = |ty: TypeId| match self.model.kind(ty) {
            TypeKind::Enum { values } => Some(values.iter().map(|(name, _)| name)),
            _ => None,
        };
        let Some(values) = names(ty) else { return ty };
        let is_same = |other: &TypeId| names(*other).is_some_and(|others| others.eq(values.clone()));
        (0..ty.0).map(TypeId).find(is_same).unwrap_or(ty)
    }

    fn union_of(&self, ty: TypeId, members: &[TypeId]) -> Union {
        let mut tags = Vec::new();
        let mut cases = Vec::new();
        let mut payloads = Vec::new();
        for &member in members {
            let scalar = self.scalar(member);
            match scalar.map(|s| s.sort) {
                Some(Sort::Enum(sort)) => {
                    for (position, name) in sort.values().iter().enumerate() {
                        // A scalarset of fixed size may have values named like those of an enumeration.
                        let tag = match tags.contains(name) {
                            true => Name::new(&format!("{name}.{}", tags.len())),
                            false => *name,
                        };
                        tags.push(tag);
                        cases.push(Case::Fixed {
                            member,
                            value: position as i64,
                        });
                    }
                }
                Some(_) => {
                    tags.push(Name::new(&self.names[&member]));
                    cases.push(Case::Payload {
                        member,
                        payload: payloads.len(),
                    });
                    payloads.extend(scalar.map(|s| (member, s)));
                }
                None => {}
            }
        }
        Union {
            tag: EnumSort::new(Name::new(&self.names[&ty]), tags),
            cases,
            payloads,
        }
    }

    pub(crate) fn union(&self, ty: TypeId) -> Option<&Union> {
        self.unions.get(&ty)
    }

    /// The name of a type, generated if it has none.
    pub(crate) fn type_name(&self, ty: TypeId) -> &str {
        self.names.get(&ty).map_or("", String::as_str)
    }

    /// The representative of parametric types that are the same set.
    pub(crate) fn representative(&self, ty: TypeId) -> TypeId {
        self.model.types[ty.0]
            .parametric
            .as_ref()
            .map_or(ty, |p| p.representative)
    }

    /// The parametric type of this sort.
    pub(crate) fn type_of_sort(&self, sort: Sort) -> Option<TypeId> {
        let Sort::Index(name) = sort else { return None };
        let is_it = |ty: &&TypeId| self.model.types[ty.0].parametric.is_some() && self.names[ty] == name.as_str();
        self.names.keys().find(is_it).copied()
    }

    /// Whether an instance iterates over the elements of a sort in an order that the model can observe.
    pub(crate) fn has_order(&self, sort: Sort) -> bool {
        let ty = self.type_of_sort(sort);
        ty.is_some_and(|ty| matches!(self.model.kind(ty), TypeKind::Range { .. }))
    }

    /// Scalarsets of fixed size whose values mix have the values of the first of them.
    fn first_of_mixed(&self, ty: TypeId) -> TypeId {
        let decisions = &self.model.decisions;
        let class = decisions.iter().find(|decision| decision.types.contains(&ty));
        class.and_then(|class| class.types.first()).copied().unwrap_or(ty)
    }

    /// The scalar of a simple type; `None` for unions and compound types.
    pub(crate) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        *self.scalars[ty.0].get_or_init(|| self.scalar_of(ty))
    }

    fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        let plain = |sort| Some(Scalar { sort, bounds: None });
        if self.model.types[ty.0].parametric.is_some() {
            return plain(Sort::Index(Name::new(self.type_name(self.representative(ty)))));
        }
        match self.model.kind(ty) {
            TypeKind::Boolean => plain(Sort::Bool),
            TypeKind::Integer => plain(Sort::Int),
            TypeKind::Range { low, high } => Some(Scalar {
                sort: Sort::Int,
                bounds: Some((*low, *high)),
            }),
            TypeKind::Enum { values } => {
                let values = values.iter().map(|(name, _)| Name::new(name)).collect();
                let name = self.type_name(self.first_enumeration(ty));
                plain(Sort::enumeration(Name::new(name), values))
            }
            TypeKind::Scalarset { size } => {
                let name = self.type_name(self.first_of_mixed(ty));
                let values = (1..=*size).map(|n| Name::new(&format!("{name}_{n}"))).collect();
                plain(Sort::enumeration(Name::new(name), values))
            }
            _ => None,
        }
    }

    /// How an array with this index type is split.
    pub(crate) fn index(&self, ty: TypeId) -> Index {
        match self.scalar(ty) {
            Some(scalar) => Index::Parameter(scalar),
            None => Index::Union(ty),
        }
    }

    /// The display name of a union's case, as in `Cells[Home]`.
    fn case_label(&self, union: &Union, case: usize) -> String {
        union.tag.values()[case].to_string()
    }

    /// The components of a type, in a fixed order.
    pub(crate) fn components(&self, ty: TypeId) -> Result<Vec<Component>, Unsupported> {
        let mut components = Vec::new();
        match self.model.kind(ty) {
            TypeKind::Record { fields } => {
                for field in fields {
                    let prefix = format!(".{}", field.name);
                    components.extend(
                        self.components(field.ty)?
                            .into_iter()
                            .map(|c| c.under(&prefix, &prefix)),
                    );
                }
            }
            TypeKind::Array { index, element } => {
                let element = self.components(*element)?;
                match self.index(*index) {
                    Index::Parameter(scalar) => components.extend(element.iter().map(|c| c.indexed("", scalar))),
                    Index::Union(ty) => components.extend(self.split_by_union(ty, &element)),
                }
            }
            TypeKind::Multiset { capacity, element } => {
                let number = Scalar {
                    sort: Sort::Int,
                    bounds: Some((0, capacity - 1)),
                };
                let present = Component::scalar(
                    Scalar {
                        sort: Sort::Bool,
                        bounds: None,
                    },
                    Role::Present,
                );
                components.push(present.under("?present", " is present").indexed("", number));
                components.extend(self.components(*element)?.iter().map(|c| c.indexed("", number)));
            }
            TypeKind::List { element } => components = self.list_components(ty, *element)?,
            TypeKind::Union { .. } => components = self.union_components(ty),
            _ => components.extend(self.scalar(ty).map(|scalar| Component::scalar(scalar, Role::Value))),
        }
        if self.tracked.contains(&ty) {
            let defined = Component::scalar(
                Scalar {
                    sort: Sort::Bool,
                    bounds: None,
                },
                Role::Defined,
            );
            components.push(defined.under("?defined", " is defined"));
        }
        Ok(components)
    }

    /// One list for each simple component of the elements, and for its definedness mark.
    fn list_components(&self, ty: TypeId, element: TypeId) -> Result<Vec<Component>, Unsupported> {
        let parts = self.components(element)?.into_iter();
        let list = |part: Component| {
            if !part.parameters.is_empty() {
                let message = "a list of arrays cannot be lowered to a transition system".to_owned();
                let span = self.model.types[ty.0].span;
                return Err(Unsupported { message, span });
            }
            let sort = Sort::list(part.value.sort);
            let value = Scalar { sort, bounds: None };
            let role = Role::Value;
            Ok(Component { value, role, ..part })
        };
        parts.map(list).collect()
    }

    /// The tag, then the payloads.
    fn union_components(&self, ty: TypeId) -> Vec<Component> {
        let Some(union) = self.union(ty) else { return Vec::new() };
        let sort = Sort::Enum(union.tag);
        let mut components = vec![Component::scalar(Scalar { sort, bounds: None }, Role::Value)];
        for (member, scalar) in &union.payloads {
            let name = format!(".{}", self.type_name(*member));
            components.push(Component::scalar(*scalar, Role::Value).under(&name, &name));
        }
        components
    }

    fn split_by_union(&self, ty: TypeId, element: &[Component]) -> Vec<Component> {
        let mut components = Vec::new();
        if let Some(union) = self.union(ty) {
            for (number, case) in union.cases.iter().enumerate() {
                let label = self.case_label(union, number);
                match case {
                    Case::Fixed { .. } => {
                        let prefix = format!("[{label}]");
                        components.extend(element.iter().map(|c| c.clone().under(&prefix, &prefix)));
                    }
                    Case::Payload { payload, .. } => {
                        let scalar = union.payloads[*payload].1;
                        components.extend(element.iter().map(|c| c.indexed(&format!("[{label}]"), scalar)));
                    }
                }
            }
        }
        components
    }

    /// The element of a simple type with this value, if it is known.
    pub(crate) fn literal(&self, ty: TypeId, value: i64) -> Option<Term> {
        let scalar = self.scalar(ty)?;
        Some(match scalar.sort {
            Sort::Bool => term::bool(value != 0),
            Sort::Int => term::int(i128::from(value)),
            Sort::Enum(sort) => {
                let position = usize::try_from(value).ok().filter(|p| *p < sort.values().len())?;
                term::enumerator(sort, position)
            }
            Sort::Index(_) => self.distinguished(ty, value).apply([]),
            _ => return None,
        })
    }

    /// The constant for a literal of a parametric type.
    pub(crate) fn distinguished(&self, ty: TypeId, value: i64) -> logic::Function {
        let representative = self.representative(ty);
        let name = self.type_name(representative);
        logic::Function::constant(format!("{name}.{value}").as_str(), Sort::Index(Name::new(name)))
    }

    /// The relation that orders a parametric type.
    pub(crate) fn less(&self, sort: Sort) -> logic::Function {
        logic::Function::new(format!("{sort}.<").as_str(), vec![sort, sort], Sort::Bool)
    }

    /// The number of components of the type.
    pub(crate) fn width(&self, ty: TypeId) -> usize {
        *self.widths[ty.0].get_or_init(|| self.components(ty).map_or(0, |c| c.len()))
    }
}

impl Component {
    fn scalar(value: Scalar, role: Role) -> Component {
        Component {
            suffix: String::new(),
            display: String::new(),
            parameters: Vec::new(),
            value,
            role,
        }
    }

    fn under(mut self, suffix: &str, display: &str) -> Component {
        self.suffix.insert_str(0, suffix);
        self.display.insert_str(0, display);
        self
    }

    fn indexed(&self, suffix: &str, index: Scalar) -> Component {
        let mut component = self.clone().under(suffix, "[{}]");
        component.parameters.insert(0, index);
        component
    }
}
