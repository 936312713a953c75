//! Random statements.

use super::Type::{Bits, Boolean, Colour, Counts, Flags, Node, Number, Other, Owners, Record};
use super::{Maker, Named};

impl Maker {
    pub(super) fn body(&mut self, depth: usize) -> String {
        (0..1 + self.dice.roll(3)).map(|_| self.statement(depth)).collect()
    }

    pub(super) fn statement(&mut self, depth: usize) -> String {
        match self.dice.roll(if depth == 0 { 11 } else { 20 }) {
            0..5 => self.assignment(),
            5 | 6 => self.stopping(),
            7 => self.assumption(),
            8 => self
                .call(None, 1)
                .map_or_else(|| self.assignment(), |call| format!("  {call};\n")),
            9 => self.unusual(),
            10 if self.dice.chance(50) => self.assumption() + &self.stopping(),
            10 => self.stopping() + &self.assumption(),
            11 | 12 => self.conditional(depth - 1),
            13 | 14 => self.switch(depth - 1),
            15 | 16 => self.for_loop(depth - 1),
            17 | 18 if self.features.aliases => {
                let (line, named) = self.alias();
                self.scope.push(named);
                let body = self.body(depth - 1);
                self.scope.pop();
                format!("  alias {line} do\n{body}  end;\n")
            }
            _ => self.while_loop(),
        }
    }

    /// An alias of a place, a value or a function result, and its name.
    pub(super) fn alias(&mut self) -> (String, Named) {
        let name = self.fresh("z");
        for _ in 0..8 {
            let ty = *self.dice.pick(&[
                Number, Number, Number, Boolean, Node, Node, Other, Colour, Record, Flags, Counts, Owners, Bits,
            ]);
            let place = self.dice.chance(40);
            let target = if place {
                self.place(ty)
            } else if self.dice.chance(60) {
                self.call(Some(ty), 1)
            } else {
                self.value(ty, 1)
            };
            if let Some(target) = target {
                let variable = place;
                return (format!("{name}: {target}"), Named { name, ty, variable });
            }
        }
        let (ty, variable) = (Number, false);
        (format!("{name}: x + 0"), Named { name, ty, variable })
    }

    fn assignment(&mut self) -> String {
        for _ in 0..6 {
            let ty = *self.dice.pick(&[
                Boolean, Boolean, Number, Number, Node, Other, Colour, Record, Flags, Counts, Owners, Bits,
            ]);
            if let Some(value) = self.value(ty, 1)
                && let Some(place) = self.place(ty)
            {
                return format!("  {place} := {value};\n");
            }
        }
        String::new()
    }

    /// A statement that fails under some condition.
    fn stopping(&mut self) -> String {
        match self.dice.roll(7) {
            6 => self.by_alias(),
            0 | 1 => format!("  assert {};\n", self.condition(1)),
            2 => format!("  if {} then\n  error \"stop\";\n  end;\n", self.condition(1)),
            3 => match self.names_of(Bits, true).first().cloned() {
                Some(bits) => format!("  {bits}[{}] := true;\n", self.number(1)),
                None => format!("  x := {};\n", self.number(1)),
            },
            4 => {
                let (divisor, number) = (self.number(1), self.safe_number());
                format!("  bad := 3 / ({divisor}) = {number};\n")
            }
            _ => format!("  x := {};\n", self.number(1)),
        }
    }

    /// A number, perhaps an alias outside its type, as an index, divisor or value.
    fn by_alias(&mut self) -> String {
        let number = self.designator(Number, false).unwrap_or_else(|| "x".to_owned());
        match (self.dice.roll(3), self.names_of(Bits, true).first().cloned()) {
            (0, Some(bits)) => format!("  bad := {bits}[{number}];\n"),
            (1, _) => {
                let of = self.safe_number();
                format!("  bad := {of} % ({number} + 1) = {of};\n")
            }
            (_, _) => format!("  x := {number};\n"),
        }
    }

    fn assumption(&mut self) -> String {
        let mut ty = *self.dice.pick(&[Boolean, Number, Node, Other, Colour, Flags]);
        if ty == Flags && self.dice.chance(70) {
            // Whole arrays have too many values.
            ty = Boolean;
        }
        let kind = match (self.features.assumes, self.features.chooses) {
            (true, true) => self.dice.roll(3),
            (true, false) => 2,
            (false, true) => 0,
            (false, false) => return self.assignment(),
        };
        match kind {
            0 => match self.place(ty) {
                Some(place) => format!("  havoc {place};\n"),
                None => String::new(),
            },
            1 => match self.place(ty) {
                Some(place) => format!("  havoc {place} where {};\n", self.assumed()),
                None => String::new(),
            },
            _ => format!("  assume {};\n", self.assumed()),
        }
    }

    fn unusual(&mut self) -> String {
        let ty = *self
            .dice
            .pick(&[Boolean, Colour, Number, Node, Node, Other, Record, Flags, Counts, Bits]);
        match (self.dice.roll(4), self.place(ty)) {
            (0, Some(place)) if self.undefined => format!("  undefine {place};\n"),
            (0 | 1, Some(place)) => format!("  clear {place};\n"),
            (2, Some(place)) => format!("  put {place};\n"),
            (_, _) => match self.call(Some(Boolean), 1) {
                Some(call) => format!("  put {call};\n"),
                None => String::new(),
            },
        }
    }

    fn conditional(&mut self, depth: usize) -> String {
        let (condition, second) = (self.condition(2), self.condition(1));
        let [one, two, three] = [0; 3].map(|_| self.statement(depth));
        match self.dice.roll(3) {
            0 => format!("  if {condition} then\n{one}  end;\n"),
            1 => format!("  if {condition} then\n{one}  else\n{two}  end;\n"),
            _ => format!("  if {condition} then\n{one}  elsif {second} then\n{two}  else\n{three}  end;\n"),
        }
    }

    /// Labels may be calls.
    fn switch(&mut self, depth: usize) -> String {
        let [one, two, three] = [0; 3].map(|_| self.statement(depth));
        let ty = *self.dice.pick(&[Number, Number, Boolean, Node, Colour]);
        let subject = self.value(ty, 1);
        let mut labels = [0; 3].map(|_| self.value(ty, 1)).into_iter().flatten();
        let (Some(subject), Some(first), Some(second), Some(third)) =
            (subject, labels.next(), labels.next(), labels.next())
        else {
            return one;
        };
        format!("  switch {subject}\n  case {first}, {second}:\n{one}  case {third}:\n{two}  else\n{three}  end;\n")
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let name = self.fresh("i");
        let (domain, ty) = match self.dice.roll(10) {
            0..3 => (self.range(), Number),
            3 | 4 => {
                let from = if self.dice.chance(60) {
                    self.literal()
                } else {
                    self.safe_number()
                };
                let to = self.designator(Number, false).unwrap_or_else(|| "x".to_owned());
                (format!(" := {from} to {to}"), Number)
            }
            _ => {
                let ty = *self.dice.pick(&[Node, Node, Node, Other, Colour, Boolean, Number]);
                (format!(": {}", self.type_name(ty)), ty)
            }
        };
        let body = self.with_name(&name, ty, false, |m| m.body(depth));
        format!("  for {name}{domain} do\n{body}  end;\n")
    }

    /// It terminates: a number increases to the end of its range.
    fn while_loop(&mut self) -> String {
        let body = self.assignment();
        let high = self.high;
        if body.contains("  x :=") {
            return body;
        }
        format!("  while x < {high} do\n{body}  x := {high};\n  end;\n")
    }
}
