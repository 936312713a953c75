//! Random values, conditions and places.

use super::Type::{Any, Bag, Boolean, Colour, Flags, Letters, List, Node, Numbers, Pair, Pairs, Queue, Small, Wide};
use super::{Maker, Named, Type};

impl Maker {
    pub(super) fn names_of(&self, ty: Type, assignable: bool) -> Vec<String> {
        let fits = |named: &&Named| named.ty == ty && (named.variable || !assignable);
        self.scope.iter().filter(fits).map(|named| named.name.clone()).collect()
    }

    /// An assignable place of the type.
    pub(super) fn place(&mut self, ty: Type) -> Option<String> {
        self.designator(ty, true)
    }

    fn designator(&mut self, ty: Type, assignable: bool) -> Option<String> {
        let mut found = self.names_of(ty, assignable);
        if ty == Pair {
            for array in self.names_of(Pairs, assignable) {
                let index = self.node();
                found.extend(index.map(|index| format!("{array}[{index}]")));
            }
        }
        let field = match ty {
            Boolean => Some("flag"),
            Node => Some("who"),
            Small => Some("count"),
            Colour => Some("colour"),
            _ => None,
        };
        if let Some(field) = field
            && self.dice.chance(50)
        {
            let records = self.designator(Pair, assignable);
            found.extend(records.map(|record| format!("{record}.{field}")));
        }
        if ty == Small {
            for array in self.names_of(Numbers, assignable) {
                let index = self.node();
                found.extend(index.map(|index| format!("{array}[{index}]")));
            }
        }
        if ty == Boolean {
            for array in self.names_of(Flags, assignable) {
                let index = self.number(Small, 0);
                found.push(format!("{array}[{index}]"));
            }
        }
        if found.is_empty() {
            return None;
        }
        Some(self.dice.pick(&found).clone())
    }

    /// An expression of type node.
    fn node(&mut self) -> Option<String> {
        let names = self.names_of(Node, false);
        (!names.is_empty()).then(|| self.dice.pick(&names).clone())
    }

    /// A number within the bounds of the type for all values of the variables; rarely one that may not be.
    pub(super) fn number(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 || self.dice.chance(20) {
            let held = if ty == Wide {
                [Small, Wide][self.dice.roll(2)]
            } else {
                Small
            };
            return match self.designator(held, false).filter(|_| self.dice.chance(70)) {
                Some(place) => place,
                None => (self.dice.roll(5) as i64 - 2).to_string(),
            };
        }
        let [a, b] = [0; 2].map(|_| self.number(Wide, depth - 1));
        let sum = match self.dice.roll(9) {
            0 | 1 => format!("{a} + {b}"),
            2 => format!("{a} - {b}"),
            3 => format!("{a} * {b}"),
            4 => format!("{a} / ({b} = 0 ? -2 : {b})"),
            5 => format!("{a} % ({b} = 0 ? 3 : {b})"),
            6 => {
                let condition = self.condition(0);
                format!("({condition} ? {a} : {b})")
            }
            7 => format!("-({a}) - {b}"),
            _ => match self.names_of(List, false).first() {
                Some(list) if self.dice.chance(50) => format!("length({list})"),
                Some(list) => format!("(empty({list}) ? {a} : head({list}))"),
                None => a,
            },
        };
        match ty {
            _ if self.dice.chance(2) => format!("({sum})"),
            Small => format!("(({sum}) % 3)"),
            _ => format!("(({sum}) % 7)"),
        }
    }

    pub(super) fn value(&mut self, ty: Type, depth: usize) -> String {
        match ty {
            Boolean => return self.condition(depth),
            Small | Wide => return self.number(ty, depth),
            _ => {}
        }
        if depth > 0 && self.dice.chance(15) {
            let (condition, a, b) = (self.condition(0), self.value(ty, 0), self.value(ty, 0));
            return format!("({condition} ? {a} : {b})");
        }
        if ty == Pair && self.dice.chance(20) {
            let queues = self.names_of(Queue, false);
            let other = self.designator(Pair, false);
            if let (Some(queue), Some(other)) = (queues.first(), other) {
                return format!("(empty({queue}) ? {other} : head({queue}))");
            }
        }
        if self.dice.chance(60)
            && let Some(place) = self.designator(ty, false)
        {
            return place;
        }
        match ty {
            Colour => ["red", "green", "blue"][self.dice.roll(3)].to_owned(),
            Any => match (self.dice.roll(3), self.node()) {
                (0, Some(node)) => node,
                (1, _) => "nobody".to_owned(),
                _ => "many".to_owned(),
            },
            List | Queue => "[]".to_owned(),
            // There is always an assignable variable of the other types.
            _ => self.designator(ty, false).or_else(|| self.node()).unwrap_or_default(),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 {
            match self.dice.roll(8) {
                0 => return format!("!({})", self.condition(depth - 1)),
                1 | 2 => {
                    let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                    return format!("({a} {} {b})", ["&", "|", "->"][self.dice.roll(3)]);
                }
                3 => {
                    let ty = [Node, Node, Colour, Boolean, Small][self.dice.roll(5)];
                    let (word, name) = (["forall", "exists"][self.dice.roll(2)], self.fresh("x"));
                    let body = self.with_name(&name, ty, false, |m| m.condition(depth - 1));
                    return format!("({word} {name}: {} do {body} end)", ty.name());
                }
                _ => {}
            }
        }
        self.atom()
    }

    fn atom(&mut self) -> String {
        let equality = ["=", "!="][self.dice.roll(2)];
        match self.dice.roll(12) {
            0 | 1 => {
                let (a, b) = (self.number(Wide, 1), self.number(Wide, 0));
                format!("{a} {} {b}", ["<", "<=", ">", ">=", "=", "!="][self.dice.roll(6)])
            }
            2 => {
                let a = self.designator(Node, false).unwrap_or_default();
                format!("{a} {equality} {}", self.value(Node, 0))
            }
            3 => match self.designator(Any, false) {
                Some(place) if self.dice.chance(40) => format!("ismember({place}, NODE)"),
                Some(place) => format!("{place} {equality} {}", self.value(Any, 0)),
                None => "true".to_owned(),
            },
            4 => {
                let ty = [Pair, Numbers, Pairs, Flags, List, Queue][self.dice.roll(6)];
                match self.designator(ty, false) {
                    Some(place) => {
                        let other = self.designator(ty, false).unwrap_or_else(|| place.clone());
                        format!("{place} {equality} {other}")
                    }
                    None => "false".to_owned(),
                }
            }
            5 if self.undefined => {
                let ty = [Boolean, Small, Node][self.dice.roll(3)];
                let place = self.place(ty);
                place.map_or_else(|| "true".to_owned(), |place| format!("isundefined({place})"))
            }
            6 => {
                let ty = [Bag, Letters][self.dice.roll(2)];
                match self.names_of(ty, true).first().cloned() {
                    Some(bag) => {
                        let name = self.fresh("e");
                        let inner = self.with_name(&format!("{bag}[{name}]"), ty.element(), false, Maker::atom);
                        format!("multisetcount({name}: {bag}, {inner}) {equality} 1")
                    }
                    None => "true".to_owned(),
                }
            }
            7 => {
                let colour = self.value(Colour, 0);
                format!("{colour} {equality} {}", self.value(Colour, 0))
            }
            8 => match self.names_of(List, false).first() {
                Some(list) => format!("empty({list})"),
                None => "false".to_owned(),
            },
            _ => match self.designator(Boolean, false) {
                Some(place) if self.dice.chance(50) => format!("!{place}"),
                Some(place) => place,
                None => "true".to_owned(),
            },
        }
    }
}
