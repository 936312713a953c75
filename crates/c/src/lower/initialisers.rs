//! Initialisation of variables: C11 6.7.9.

use super::builder::Builder;
use super::image::{self, Image};
use crate::tree::{self, InitialisedPart, Initialiser, VariableId};
use crate::types::{Kind, Length, Type};
use system::Span;
use system::program::{Initial, Place, Selector, Step, Value, Variable, VariableKind};

/// At most this many parts are assigned one by one; otherwise the initialiser is copied from constant bytes.
const FEW_PARTS: u64 = 8;

impl Builder<'_, '_> {
    /// A local variable.
    pub(super) fn initialise(&mut self, id: VariableId, initialiser: &Initialiser, span: Span) {
        let place = Place::variable(self.lowering.variable(id));
        let own = self.lowering.unit[id].variable_type;
        match initialiser {
            Initialiser::Whole(value) if self.is_record(own) => self.copy_into(place, value, span),
            Initialiser::Whole(value) => self.assign_from(place, value, span),
            Initialiser::Parts(parts) => self.initialise_parts(&place, own, parts, initialiser, span),
        }
    }

    fn initialise_parts(
        &mut self,
        place: &Place,
        own: Type,
        parts: &[InitialisedPart],
        initialiser: &Initialiser,
        span: Span,
    ) {
        let leaves = self.leaves(own);
        let is_small = leaves.is_some_and(|leaves| leaves <= FEW_PARTS && leaves == parts.len() as u64);
        let are_scalar = parts
            .iter()
            .all(|part| self.lowering.unit.types.is_scalar(part.part_type));
        if is_small && are_scalar {
            // In the order of the type, as gcc does it.
            let mut parts: Vec<&InitialisedPart> = parts.iter().collect();
            parts.sort_by(|a, b| a.path.cmp(&b.path));
            for part in parts {
                self.initialise_part(place, part, span);
            }
            return;
        }
        let Some(Image { bytes, mut missing }) = image::image(self.lowering.unit, own, initialiser) else {
            self.refuse_large(span);
            return;
        };
        missing.sort_by(|a, b| parts[*a].path.cmp(&parts[*b].path));
        // Constant parts and zeros at once.
        let source = self.constant_object(own, image::as_initial(bytes), span);
        let target = place.clone();
        self.step(Step::Copy { target, source }, span);
        for position in missing {
            self.initialise_part(place, &parts[position], span);
        }
    }

    fn refuse_large(&mut self, span: Span) {
        let message = "this object is too large";
        let error = system::Diagnostic::error(span, message).label("larger than we initialise");
        self.lowering.diagnostics.push(error);
    }

    fn initialise_part(&mut self, whole: &Place, part: &InitialisedPart, span: Span) {
        let target = self.part_place(whole, &part.path);
        let at = if part.value.span.is_nowhere() {
            span
        } else {
            part.value.span
        };
        match self.is_record(part.part_type) {
            true => self.copy_into(target, &part.value, at),
            false => {
                let value = self.value(&part.value);
                self.assign(target, value, at);
            }
        }
    }

    fn part_place(&self, whole: &Place, path: &[tree::Step]) -> Place {
        let mut place = whole.clone();
        for step in path {
            place = place.select(match step {
                tree::Step::Field(field) => Selector::Field(*field),
                tree::Step::Index(index) => {
                    let index = Value::integer(i128::from(*index), self.size_integer());
                    Selector::Index(Box::new(index))
                }
            });
        }
        place
    }

    /// A constant object.
    fn constant_object(&mut self, own: Type, initial: Initial, span: Span) -> Place {
        let type_id = self.lowering.type_id(own);
        let variable = self.lowering.add_variable(Variable {
            name: "initial value".to_owned(),
            type_id,
            kind: VariableKind::Literal,
            procedure: None,
            initial,
            is_constant: true,
            span,
        });
        Place::variable(variable)
    }

    /// The number of scalars. None for types with unions, which are initialised otherwise.
    fn leaves(&self, own: Type) -> Option<u64> {
        let types = &self.lowering.unit.types;
        match types.kind(own) {
            Kind::Array {
                element,
                length: Length::Known(length),
            } => self.leaves(*element)?.checked_mul(*length),
            Kind::Record(id) if !types.record(*id).is_union => types
                .fields(*id)
                .iter()
                .map(|field| self.leaves(field.field_type))
                .sum(),
            _ => types.is_scalar(own).then_some(1),
        }
    }

    /// Stores the addresses in the initialiser of a global variable, once all objects exist.
    pub(super) fn initialise_addresses(&mut self, id: VariableId) {
        let unit = self.lowering.unit;
        let own = unit[id].variable_type;
        let Some(initialiser) = &unit[id].initialiser else {
            return;
        };
        let place = Place::variable(self.lowering.variable(id));
        let Some(Image { missing, .. }) = image::image(unit, own, initialiser) else {
            self.refuse_large(unit[id].span);
            return;
        };
        match initialiser {
            Initialiser::Whole(value) => {
                if !missing.is_empty() {
                    match self.is_record(own) {
                        true => self.copy_into(place, value, value.span),
                        false => self.assign_from(place, value, value.span),
                    }
                }
            }
            Initialiser::Parts(parts) => {
                for position in missing {
                    self.initialise_part(&place, &parts[position], unit[id].span);
                }
            }
        }
    }
}
