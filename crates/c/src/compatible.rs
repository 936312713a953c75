//! Compatible and composite types: C11 6.2.7.

use crate::types::{FunctionType, Kind, Length, Type, Types};

impl Types {
    /// C11 6.2.7p1: the same type, or types without contradictions; with the same qualifiers.
    pub(crate) fn is_compatible(&self, left: Type, right: Type) -> bool {
        left.is_const == right.is_const
            && left.is_volatile == right.is_volatile
            && self.is_compatible_unqualified(left, right)
    }

    pub(crate) fn is_compatible_unqualified(&self, left: Type, right: Type) -> bool {
        if left.id == right.id || self.is_error(left) || self.is_error(right) {
            return true;
        }
        match (self.kind(left), self.kind(right)) {
            (Kind::Pointer(left), Kind::Pointer(right)) => self.is_compatible(*left, *right),
            (
                Kind::Array { element, length },
                Kind::Array {
                    element: other,
                    length: other_length,
                },
            ) => {
                let lengths_fit = match (length, other_length) {
                    (Length::Known(left), Length::Known(right)) => left == right,
                    _ => true,
                };
                lengths_fit && self.is_compatible(*element, *other)
            }
            (Kind::Function(left), Kind::Function(right)) => self.are_functions_compatible(left, right),
            // C11 6.7.2.2p4: an enumeration is compatible with the integer type that it is made of.
            (Kind::Enumeration(id), Kind::Integer(kind)) | (Kind::Integer(kind), Kind::Enumeration(id)) => {
                self.enumeration(*id).underlying == Some(*kind)
            }
            _ => false,
        }
    }

    /// C11 6.7.6.3p15.
    fn are_functions_compatible(&self, left: &FunctionType, right: &FunctionType) -> bool {
        if !self.is_compatible_unqualified(left.result, right.result) {
            return false;
        }
        match (&left.parameters, &right.parameters) {
            (None, None) => true,
            (Some(parameters), None) | (None, Some(parameters)) => {
                let is_variadic = left.is_variadic || right.is_variadic;
                !is_variadic && parameters.iter().all(|parameter| self.is_promoted(*parameter))
            }
            (Some(ours), Some(theirs)) => {
                let pairs = ours.iter().zip(theirs);
                left.is_variadic == right.is_variadic
                    && ours.len() == theirs.len()
                    && pairs
                        .into_iter()
                        .all(|(ours, theirs)| self.is_compatible_unqualified(*ours, *theirs))
            }
        }
    }

    /// Whether an argument of this type is unchanged by the default argument promotions: C11 6.5.2.2p6.
    fn is_promoted(&self, of: Type) -> bool {
        match self.kind(of) {
            Kind::Float(kind) => *kind != crate::types::FloatKind::Single,
            _ => self.integer_of(of).is_none_or(|integer| integer.bits >= 32),
        }
    }

    /// The composite type of two compatible types: C11 6.2.7p3.
    #[must_use]
    pub(crate) fn composite(&mut self, left: Type, right: Type) -> Type {
        if left.id == right.id {
            return left;
        }
        let composite = match (self.kind(left).clone(), self.kind(right).clone()) {
            (Kind::Pointer(ours), Kind::Pointer(theirs)) => {
                let target = self.composite(ours, theirs);
                self.pointer_to(target)
            }
            (
                Kind::Array { element, length },
                Kind::Array {
                    element: other,
                    length: other_length,
                },
            ) => {
                let element = self.composite(element, other);
                let length = if matches!(length, Length::Known(_)) {
                    length
                } else {
                    other_length
                };
                self.array_of(element, length)
            }
            (Kind::Function(ours), Kind::Function(theirs)) => {
                let result = self.composite(ours.result, theirs.result);
                let is_variadic = ours.is_variadic || theirs.is_variadic;
                let parameters = match (ours.parameters, theirs.parameters) {
                    (Some(ours), Some(theirs)) => {
                        let pairs = ours.iter().zip(&theirs);
                        Some(pairs.map(|(ours, theirs)| self.composite(*ours, *theirs)).collect())
                    }
                    (ours, theirs) => ours.or(theirs),
                };
                self.of(Kind::Function(FunctionType {
                    result,
                    parameters,
                    is_variadic,
                }))
            }
            _ => return left,
        };
        composite.qualified_as(left)
    }
}
