//! The points-to relation as text.

use super::{Object, Offset, PointsTo, Target, edge};
use std::collections::BTreeMap;
use system::Span;
use system::program::{Program, Type, TypeId};

/// Formats a span, such as `driver.c:12`.
type Named<'a> = &'a dyn Fn(Span) -> Option<String>;

impl PointsTo {
    /// For each part of an object that may hold a pointer, its targets: `main: list.next`,
    /// `allocated at driver.c:12`.
    pub fn shown(&self, program: &Program, named: Named<'_>) -> BTreeMap<String, Vec<String>> {
        let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (target, held) in self.all() {
            // Its content is every object that they know.
            if target.object == Object::External {
                let known = self.all_shown().filter(|object| *object != Object::External);
                let known = known.map(|object| name(program, Target::start(object), named));
                shown.entry(name(program, target, named)).or_default().extend(known);
                continue;
            }
            let names = held.iter().map(|held| name(program, *held, named));
            shown.entry(name(program, target, named)).or_default().extend(names);
        }
        shown
    }
}

fn name(program: &Program, target: Target, named: Named<'_>) -> String {
    let at = |type_id: Option<TypeId>| match (target.offset, type_id) {
        (Offset::Known(offset), Some(type_id)) => part(program, type_id, offset),
        (Offset::Known(0), None) => String::new(),
        (Offset::Known(offset), None) => format!(" + {offset}"),
        (Offset::Any, _) => " (any part)".to_owned(),
    };
    match target.object {
        Object::Variable(variable) => {
            let owner = program[variable].procedure;
            let owner = owner.map_or(String::new(), |id| format!("{}: ", program[id].name));
            let name = &program[variable].name;
            format!("{owner}{name}{}", at(Some(program[variable].type_id)))
        }
        Object::Procedure(id) => program[id].name.clone(),
        Object::Allocated(site) => {
            let place = edge(program, site).and_then(|edge| named(edge.span));
            format!("allocated at {}{}", place.unwrap_or_default(), at(None))
        }
        Object::Variadic(id) => format!("further arguments of {}", program[id].name),
        Object::External => "what unknown procedures know".to_owned(),
        Object::Number => "memory at an address that was a number".to_owned(),
    }
}

/// The part of an object at an offset, in the syntax of C: `.next`, `[].x`.
fn part(program: &Program, type_id: TypeId, offset: u64) -> String {
    match &program.types[type_id] {
        Type::Array { element, .. } => match program.types.size(*element) {
            Some(size) if size > 0 => format!("[]{}", part(program, *element, offset % size)),
            _ => "[]".to_owned(),
        },
        Type::Record(record) if !program.types[*record].is_union => {
            let fields = program.types[*record].fields.iter();
            match fields.rev().find(|field| field.offset <= offset) {
                Some(field) => format!(".{}{}", field.name, part(program, field.type_id, offset - field.offset)),
                None => String::new(),
            }
        }
        _ if offset == 0 => String::new(),
        _ => format!(" + {offset}"),
    }
}
