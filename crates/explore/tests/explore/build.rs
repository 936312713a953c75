//! Helpers for writing instances by hand.

use system::Span;
use system::instance::{
    Base, Binary, Expression, Fold, Instance, Multiset, Parameter, Place, Property, PropertyKind, Range, Rule, Slot,
    Statement, Subscript, Type, TypeId, Unary,
};

#[derive(Default)]
pub(crate) struct Build {
    pub(crate) instance: Instance,
}

impl Build {
    pub(crate) fn ty(&mut self, ty: Type) -> TypeId {
        self.instance.types.push(ty);
        self.instance.types.len() - 1
    }

    pub(crate) fn boolean(&mut self) -> TypeId {
        self.ty(Type::Boolean)
    }

    pub(crate) fn range(&mut self, low: i64, high: i64) -> TypeId {
        self.ty(Type::Range { low, high })
    }

    pub(crate) fn scalarset(&mut self, name: &str, size: i64) -> TypeId {
        self.ty(Type::Scalarset {
            name: name.to_owned(),
            size,
            symmetric: true,
            labels: None,
        })
    }

    pub(crate) fn family(&mut self, name: &str) -> usize {
        self.instance.families.push(name.to_owned());
        self.instance.families.len() - 1
    }

    pub(crate) fn slot(&mut self, ty: TypeId, family: usize, indices: Vec<(TypeId, i64)>) -> usize {
        self.instance.slots.push(Slot { ty, family, indices });
        self.instance.slots.len() - 1
    }

    /// A variable of one slot.
    pub(crate) fn scalar(&mut self, name: &str, ty: TypeId) -> Variable {
        let family = self.family(name);
        let slot = self.slot(ty, family, Vec::new());
        Variable {
            slot,
            ty,
            low: 0,
            high: 0,
        }
    }

    /// A variable indexed by a type.
    pub(crate) fn array(&mut self, name: &str, index: TypeId, ty: TypeId) -> Variable {
        let (low, count) = self.instance.bounds(index);
        let family = self.family(&format!("{name}[{{}}]"));
        let slot = self.instance.slots.len();
        for value in low..low + count {
            self.slot(ty, family, vec![(index, value)]);
        }
        Variable {
            slot,
            ty,
            low,
            high: low + count - 1,
        }
    }

    /// A multiset of elements of one slot.
    pub(crate) fn multiset(&mut self, name: &str, capacity: usize, ty: TypeId) -> usize {
        let flag = self.boolean();
        let position = self.range(0, capacity as i64 - 1);
        let present = self.family(&format!("{name}[{{}}]?"));
        let element = self.family(&format!("{name}[{{}}]"));
        let base = self.instance.slots.len();
        for number in 0..capacity as i64 {
            self.slot(flag, present, vec![(position, number)]);
            self.slot(ty, element, vec![(position, number)]);
        }
        self.instance.multisets.push(Multiset {
            base,
            capacity,
            stride: 1,
        });
        base
    }

    /// A slot, possibly undefined.
    pub(crate) fn raw(slot: usize) -> Expression {
        Expression::LoadRaw(Variable::of_scalar(slot, 0).place())
    }

    pub(crate) fn parameter(&self, name: &str, ty: TypeId) -> Parameter {
        let (low, count) = self.instance.bounds(ty);
        Parameter {
            name: name.to_owned(),
            ty,
            low,
            high: low + count - 1,
            step: 1,
        }
    }

    pub(crate) fn start(&mut self, name: &str, parameters: Vec<Parameter>, body: Vec<Statement>) {
        let rule = rule(name, parameters, constant(1), body);
        self.instance.starts.push(rule);
    }

    pub(crate) fn rule(&mut self, name: &str, parameters: Vec<Parameter>, guard: Expression, body: Vec<Statement>) {
        let rule = rule(name, parameters, guard, body);
        self.instance.rules.push(rule);
    }

    pub(crate) fn property(&mut self, kind: PropertyKind, name: &str, condition: Expression) {
        self.instance.properties.push(Property {
            name: name.to_owned(),
            kind,
            parameters: Vec::new(),
            prologue: Vec::new(),
            condition,
            frame: FRAME,
            span: Span::default(),
        });
    }

    pub(crate) fn invariant(&mut self, name: &str, condition: Expression) {
        self.property(PropertyKind::Invariant, name, condition);
    }
}

/// Frames of this size suffice for every test.
pub(crate) const FRAME: usize = 12;

fn rule(name: &str, parameters: Vec<Parameter>, guard: Expression, body: Vec<Statement>) -> Rule {
    Rule {
        name: name.to_owned(),
        priority: 0,
        parameters,
        prologue: Vec::new(),
        guard,
        body,
        frame: FRAME,
        span: Span::default(),
    }
}

/// A variable of the state.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) slot: usize,
    pub(crate) ty: TypeId,
    low: i64,
    high: i64,
}

impl Variable {
    pub(crate) fn of_scalar(slot: usize, ty: TypeId) -> Variable {
        Variable {
            slot,
            ty,
            low: 0,
            high: 0,
        }
    }

    pub(crate) fn place(self) -> Place {
        Place {
            base: Base::State(self.slot),
            offset: 0,
            subscripts: Vec::new(),
            span: Span::default(),
        }
    }

    pub(crate) fn at(self, index: Expression) -> Place {
        let subscript = Subscript {
            index,
            low: self.low,
            high: self.high,
            stride: 1,
            windowed: false,
        };
        Place {
            subscripts: vec![subscript],
            ..self.place()
        }
    }

    pub(crate) fn load(self) -> Expression {
        Expression::Load(self.place())
    }

    pub(crate) fn load_at(self, index: Expression) -> Expression {
        Expression::Load(self.at(index))
    }

    pub(crate) fn set(self, value: Expression) -> Statement {
        assign(self.place(), value, self.ty)
    }

    pub(crate) fn set_at(self, index: Expression, value: Expression) -> Statement {
        assign(self.at(index), value, self.ty)
    }
}

pub(crate) fn assign(place: Place, value: Expression, ty: TypeId) -> Statement {
    Statement::Assign {
        place,
        value,
        ty,
        span: Span::default(),
    }
}

/// A slot of the frame.
pub(crate) fn local(slot: usize) -> Place {
    Place {
        base: Base::Frame(slot),
        offset: 0,
        subscripts: Vec::new(),
        span: Span::default(),
    }
}

pub(crate) fn load_local(slot: usize) -> Expression {
    Expression::Load(local(slot))
}

pub(crate) fn constant(value: i64) -> Expression {
    Expression::Constant(value)
}

pub(crate) fn binary(operator: Binary, a: Expression, b: Expression) -> Expression {
    Expression::Binary(operator, Box::new(a), Box::new(b), Span::default())
}

pub(crate) fn equal(a: Expression, b: Expression) -> Expression {
    binary(Binary::Equal, a, b)
}

pub(crate) fn not(a: Expression) -> Expression {
    Expression::Unary(Unary::Not, Box::new(a))
}

pub(crate) fn and(a: Expression, b: Expression) -> Expression {
    binary(Binary::And, a, b)
}

pub(crate) fn or(a: Expression, b: Expression) -> Expression {
    binary(Binary::Or, a, b)
}

pub(crate) fn add(a: Expression, b: Expression) -> Expression {
    binary(Binary::Add, a, b)
}

pub(crate) fn range(low: i64, high: i64) -> Range {
    Range {
        low: constant(low),
        high: constant(high),
        step: constant(1),
        windowed: false,
    }
}

pub(crate) fn fold(fold: Fold, slot: usize, range: Range, body: Expression) -> Expression {
    Expression::Fold {
        fold,
        slot,
        range: Box::new(range),
        body: Box::new(body),
    }
}

pub(crate) fn when(condition: Expression, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    Statement::If {
        condition,
        then,
        otherwise,
    }
}

pub(crate) fn each(slot: usize, range: Range, body: Vec<Statement>) -> Statement {
    Statement::For { slot, range, body }
}
