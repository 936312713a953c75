//! C types as types of the program, without qualifiers, type names and integer ranks.

use super::Lowering;
use crate::types::{self, FloatKind, Kind, Length};
use system::program::{self, Field, Float, Integer, Record, Scalar, Type, TypeId};

impl Lowering<'_> {
    pub(super) fn type_id(&mut self, of: types::Type) -> TypeId {
        if let Some(known) = self.known_types.get(&of.id) {
            return *known;
        }
        let made = match self.unit.types.kind(of).clone() {
            Kind::Error | Kind::Void => Type::Void,
            Kind::Bool | Kind::Integer(_) | Kind::Bits { .. } | Kind::Enumeration(_) => {
                Type::Integer(self.unit.types.integer_of(of).unwrap_or(super::INT))
            }
            Kind::Float(kind) => Type::Float(self.float(kind)),
            Kind::Complex(kind) => {
                let part = Type::Float(self.float(kind));
                Type::Array {
                    element: self.add_type(part),
                    length: Some(2),
                }
            }
            Kind::Pointer(target) => {
                // A record may contain pointers to itself, so it is registered before its fields.
                Type::Pointer(self.type_id(target))
            }
            Kind::Array { element, length } => Type::Array {
                element: self.type_id(element),
                length: match length {
                    Length::Known(length) => Some(length),
                    _ => None,
                },
            },
            Kind::Record(record) => Type::Record(self.record(record)),
            Kind::Function(function) => Type::Procedure {
                is_variadic: function.is_variadic || function.parameters.is_none(),
                result: self.type_id(function.result),
                parameters: function
                    .parameters
                    .unwrap_or_default()
                    .iter()
                    .map(|each| self.type_id(*each))
                    .collect(),
            },
        };
        let id = self.add_type(made);
        self.known_types.insert(of.id, id);
        id
    }

    pub(super) fn add_type(&mut self, made: Type) -> TypeId {
        if let Some(known) = self.type_ids.get(&made) {
            return *known;
        }
        let id = self.program.types.add(made.clone());
        self.type_ids.insert(made, id);
        id
    }

    pub(super) fn float(&self, kind: FloatKind) -> Float {
        match kind {
            FloatKind::Single => Float::Single,
            FloatKind::Double => Float::Double,
            FloatKind::Long if self.program.types.pointer_bits == 32 => Float::Extended { bytes: 12 },
            FloatKind::Long | FloatKind::Quadruple => Float::Extended { bytes: 16 },
        }
    }

    /// Its fields are added later.
    fn record(&mut self, id: types::RecordId) -> program::RecordId {
        if let Some(known) = self.records.get(&id) {
            return *known;
        }
        let record = self.unit.types.record(id);
        let made = self.program.types.add_record(Record {
            name: self.unit.types.record_name(id),
            is_union: record.is_union,
            fields: Vec::new(),
            size: record.fields.is_some().then_some(record.size),
            alignment: record.alignment,
            span: record.span,
        });
        self.records.insert(id, made);
        if record.fields.is_some() {
            self.complete_record(id, made);
        }
        made
    }

    fn complete_record(&mut self, id: types::RecordId, made: program::RecordId) {
        let unit = self.unit;
        let mut fields = Vec::new();
        for field in unit.types.fields(id) {
            let type_id = match field.bits {
                Some(bits) => {
                    let is_signed = unit
                        .types
                        .integer_of(field.field_type)
                        .is_some_and(|integer| integer.is_signed);
                    self.add_type(Type::Integer(Integer::new(bits.width, is_signed)))
                }
                None => self.type_id(field.field_type),
            };
            fields.push(Field {
                name: field.name.clone().unwrap_or_default(),
                type_id,
                offset: field.offset,
                bits: field.bits,
            });
        }
        let record = self.program.types[made].clone();
        self.program.types.complete(made, Record { fields, ..record });
    }

    /// The type of a scalar.
    pub(super) fn scalar(&self, of: types::Type) -> Scalar {
        match self.unit.types.kind(of) {
            Kind::Float(kind) => Scalar::Float(self.float(*kind)),
            Kind::Pointer(_) | Kind::Array { .. } | Kind::Function(_) => Scalar::Pointer,
            _ => Scalar::Integer(self.unit.types.integer_of(of).unwrap_or(super::INT)),
        }
    }
}
