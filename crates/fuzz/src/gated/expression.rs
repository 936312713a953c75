//! Random values, conditions, places and calls.

use super::Type::{Bits, Boolean, Colour, Counts, Flags, Node, Number, Other, Owners, Record};
use super::{FIELDS, Maker, Named, Type};

impl Maker {
    pub(super) fn names_of(&self, ty: Type, assignable: bool) -> Vec<String> {
        let fits = |named: &&Named| named.ty == ty && (named.variable || !assignable);
        self.scope.iter().filter(fits).map(|named| named.name.clone()).collect()
    }

    /// An assignable place of the type.
    pub(super) fn place(&mut self, ty: Type) -> Option<String> {
        self.designator(ty, true)
    }

    pub(super) fn designator(&mut self, ty: Type, assignable: bool) -> Option<String> {
        let mut found = self.names_of(ty, assignable);
        let arrays = [Flags, Bits, Counts, Owners];
        for array_type in arrays.into_iter().filter(|array| array.element() == ty) {
            for array in self.names_of(array_type, assignable) {
                let index = if array_type == Bits { self.index() } else { self.node(0) };
                found.extend(index.map(|index| format!("{array}[{index}]")));
            }
        }
        for (field, _) in FIELDS.iter().filter(|(_, of)| *of == ty) {
            let records = self.names_of(Record, assignable);
            found.extend(records.iter().map(|record| format!("{record}.{field}")));
        }
        self.one_of(&found)
    }

    /// Prefers the most recent names: quantified variables, aliases, parameters.
    fn one_of(&mut self, found: &[String]) -> Option<String> {
        let is_bound = |name: &&String| self.scope.iter().rev().take(3).any(|named| named.name == **name);
        let recent: Vec<&String> = found.iter().filter(is_bound).collect();
        if !recent.is_empty() && self.dice.chance(45) {
            return Some((*self.dice.pick(&recent)).clone());
        }
        (!found.is_empty()).then(|| self.dice.pick(found).clone())
    }

    /// An index of an array indexed by number.
    fn index(&mut self) -> Option<String> {
        Some(if self.dice.chance(self.errors) {
            self.number(1)
        } else {
            self.safe_number()
        })
    }

    /// A call of a function with this result type.
    pub(super) fn call(&mut self, result: Option<Type>, depth: usize) -> Option<String> {
        let fitting: Vec<_> = self.callables.iter().filter(|f| f.result == result).cloned().collect();
        if fitting.is_empty() || self.nesting > 1 {
            return None;
        }
        let callable = self.dice.pick(&fitting).clone();
        self.nesting += 1;
        let mut arguments = Vec::new();
        for (ty, by_reference) in &callable.parameters {
            arguments.push(if *by_reference {
                self.place(*ty)
            } else {
                self.value(*ty, depth.saturating_sub(1))
            });
        }
        self.nesting -= 1;
        let arguments: Vec<String> = arguments.into_iter().collect::<Option<_>>()?;
        Some(format!("{}({})", callable.name, arguments.join(", ")))
    }

    fn called(&mut self, result: Type, depth: usize) -> Option<String> {
        if self.dice.chance(self.calls) {
            self.call(Some(result), depth)
        } else {
            None
        }
    }

    pub(super) fn value(&mut self, ty: Type, depth: usize) -> Option<String> {
        match ty {
            Boolean => Some(self.condition(depth)),
            Number if self.dice.chance(self.errors) => Some(self.number(depth)),
            Number => Some(self.safe_number()),
            Node => self.node(depth),
            _ => {
                if let Some(call) = self.called(ty, depth) {
                    return Some(call);
                }
                match self.designator(ty, false) {
                    Some(place) => Some(place),
                    None if ty == Colour => Some(["red", "green", "blue"][self.dice.roll(3)].to_owned()),
                    None => None,
                }
            }
        }
    }

    pub(super) fn node(&mut self, depth: usize) -> Option<String> {
        if depth > 0 {
            if let Some(call) = self.called(Node, depth) {
                return Some(call);
            }
            if self.dice.chance(10) {
                let (condition, a, b) = (self.condition(0), self.node(0)?, self.node(0)?);
                return Some(format!("({condition} ? {a} : {b})"));
            }
        }
        if self.ranged && self.dice.chance(25) {
            return Some(self.dice.roll(3).to_string());
        }
        let mut names = self.names_of(Node, false);
        names.extend(
            self.names_of(Record, false)
                .iter()
                .map(|record| format!("{record}.who")),
        );
        self.one_of(&names)
    }

    /// A number in range, unless it is a function result.
    pub(super) fn safe_number(&mut self) -> String {
        if let Some(call) = self.called(Number, 0) {
            return call;
        }
        match self.dice.roll(5) {
            0 | 1 => self.literal(),
            2 => {
                let (condition, a, b) = (self.condition(0), self.literal(), self.literal());
                format!("({condition} ? {a} : {b})")
            }
            _ => self.designator(Number, false).unwrap_or_else(|| "x".to_owned()),
        }
    }

    /// Any number.
    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.safe_number();
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.dice.roll(9) {
            0 | 1 => format!("{a} + {b}"),
            2 => format!("{a} - {b}"),
            3 => format!("{a} * ({b})"),
            4 if self.dice.chance(self.errors) => format!("{a} / ({b})"),
            5 => format!("{a} % 2"),
            6 => format!("-({a})"),
            _ => a,
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if let Some(call) = self.called(Boolean, depth) {
            return call;
        }
        if depth > 0 {
            match self.dice.roll(10) {
                0 => return format!("!({})", self.condition(depth - 1)),
                1..4 => {
                    let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                    return format!("({a} {} {b})", ["&", "|", "->"][self.dice.roll(3)]);
                }
                4 => {
                    let (a, b, c) = (self.condition(0), self.condition(depth - 1), self.condition(0));
                    return format!("({a} ? {b} : {c})");
                }
                5..8 => return self.quantified(depth),
                _ => {}
            }
        }
        self.atom()
    }

    fn quantified(&mut self, depth: usize) -> String {
        let (word, name) = (["forall", "exists"][self.dice.roll(2)], self.fresh("q"));
        let (domain, ty) = if self.dice.chance(25) {
            (self.range(), Number)
        } else {
            let ty = *self.dice.pick(&[Node, Node, Other, Number, Number, Colour, Boolean]);
            (format!(": {}", self.type_name(ty)), ty)
        };
        // Often a call, since its effect in each iteration is easily lowered incorrectly.
        let body = self.with_name(&name, ty, false, |m| match m.dice.chance(m.calls) {
            true => m.call(Some(Boolean), 1).unwrap_or_else(|| m.atom()),
            false => m.condition(depth - 1),
        });
        format!("({word} {name}{domain} do {body} end)")
    }

    pub(super) fn atom(&mut self) -> String {
        let equality = ["=", "!="][self.dice.roll(2)];
        match self.dice.roll(12) {
            0..3 => {
                let (a, b) = (self.number(1), self.safe_number());
                format!("{a} {} {b}", ["<", "<=", ">", ">=", "=", "!="][self.dice.roll(6)])
            }
            3..6 => match (self.node(1), self.node(1)) {
                (Some(a), Some(b)) => format!("{a} {equality} {b}"),
                _ => "true".to_owned(),
            },
            6 => {
                let ty = *self.dice.pick(&[Other, Colour, Record, Flags, Bits]);
                match (self.value(ty, 1), self.value(ty, 1)) {
                    (Some(a), Some(b)) => format!("{a} {equality} {b}"),
                    _ => "false".to_owned(),
                }
            }
            7 if self.undefined => {
                let ty = *self.dice.pick(&[Boolean, Number, Node]);
                let place = self.place(ty);
                place.map_or_else(|| "true".to_owned(), |place| format!("isundefined({place})"))
            }
            _ => match self.designator(Boolean, false) {
                Some(place) if self.dice.chance(50) => format!("!{place}"),
                Some(place) => place,
                None => "true".to_owned(),
            },
        }
    }

    /// A condition for an assumption, sometimes one whose evaluation may fail.
    pub(super) fn assumed(&mut self) -> String {
        match self.dice.roll(4) {
            0 => {
                let (kept, of) = (self.errors, self.literal());
                self.errors = 60;
                let number = self.number(1);
                self.errors = kept;
                let bits = self.names_of(Bits, false);
                match bits.first() {
                    Some(bits) if self.dice.chance(60) => format!("!{bits}[{number} + 1]"),
                    _ => format!("{of} / (x - {of}) < 3"),
                }
            }
            1 => format!("x {} {}", ["<", "!=", "<="][self.dice.roll(3)], self.literal()),
            _ => self.condition(1),
        }
    }
}
