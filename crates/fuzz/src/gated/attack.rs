//! Statements that call an arbitrary function where that is easily lowered incorrectly.

use super::Type::{Bits, Boolean, Colour, Node, Number, Other};
use super::{Maker, Type};

impl Maker {
    /// One such statement, followed by an observation of its effect on the state.
    pub(super) fn attack(&mut self) -> String {
        let made = match self.dice.roll(8) {
            0 | 1 => self.rounds_in_order(),
            2 | 3 => self.rounds_over_elements(),
            4 | 5 => self.alias_of_a_result(),
            6 => self.labels_in_order(),
            _ => self.sides_in_order(),
        };
        let Some(made) = made else {
            return self.statement(1);
        };
        let look = match self.dice.roll(4) {
            0 => format!("  assert {};\n", self.atom()),
            1 => format!("  bad := {};\n", self.atom()),
            _ => String::new(),
        };
        made + &look
    }

    /// A call with the named value among its arguments.
    fn call_on(&mut self, name: &str, of: Type, result: Type) -> Option<String> {
        for _ in 0..6 {
            let call = self.with_name(name, of, false, |m| m.call(Some(result), 1))?;
            if call.contains(name) {
                return Some(call);
            }
        }
        None
    }

    /// Quantifiers and loops over few values exit early.
    fn rounds_in_order(&mut self) -> Option<String> {
        let (word, name) = (["forall", "exists"][self.dice.roll(2)], self.fresh("q"));
        let of = *self.dice.pick(&[Number, Number, Boolean, Colour]);
        let domain = if of == Number && self.dice.chance(50) {
            self.range()
        } else {
            format!(": {}", self.type_name(of))
        };
        let call = self.call_on(&name, of, Boolean)?;
        let truth = format!("{word} {name}{domain} do {call} end");
        Some(match self.dice.roll(4) {
            0 => format!("  bad := {truth};\n"),
            1 => format!("  assert {truth};\n"),
            2 => format!("  if {truth} then\n{}  end;\n", self.statement(0)),
            _ => format!("  for {name}{domain} do\n  if {call} then\n  bad := !bad;\n  end;\n  end;\n"),
        })
    }

    /// The same over a parametric type, whose elements have no order.
    fn rounds_over_elements(&mut self) -> Option<String> {
        let (word, name) = (["forall", "exists"][self.dice.roll(2)], self.fresh("q"));
        let of = *self.dice.pick(&[Node, Node, Other]);
        let domain = self.type_name(of);
        let body = if self.dice.chance(60) {
            let result = *self.dice.pick(&[Node, Node, Number, Other, Boolean]);
            let call = self.call_on(&name, of, result).or_else(|| self.call(Some(result), 1))?;
            match result {
                Boolean => call,
                Number => format!("{call} {} {}", ["=", "<", ">"][self.dice.roll(3)], self.literal()),
                result if result == of => format!("{call} {} {name}", ["=", "!="][self.dice.roll(2)]),
                result => format!("{call} = {}", self.value(result, 1)?),
            }
        } else {
            self.call_on(&name, of, Boolean)?
        };
        let truth = format!("{word} {name}: {domain} do {body} end");
        Some(match self.dice.roll(4) {
            0 | 1 => format!("  bad := {truth};\n"),
            2 => format!("  assert {truth};\n"),
            _ => format!("  if {truth} then\n  bad := true;\n  end;\n"),
        })
    }

    /// Function results are not checked, so they may be outside of their type.
    fn alias_of_a_result(&mut self) -> Option<String> {
        let name = self.fresh("z");
        let call = self.call(Some(Number), 1)?;
        let bound = self.fresh("i");
        let bits = self.names_of(Bits, true).first().cloned();
        let (low, number) = (self.low, self.literal());
        let body = match (self.dice.roll(7), bits) {
            (0, _) => format!("  for {bound} := {low} to {name} do\n  x := {bound};\n  end;\n"),
            (1, _) => format!("  bad := exists {bound} := {low} to {name} do {bound} > {number} end;\n"),
            (2, Some(bits)) => format!("  {bits}[{name}] := true;\n"),
            (3, Some(bits)) => format!("  bad := {bits}[{name}];\n"),
            (4, _) => format!("  bad := {name} / 2 = {number};\n"),
            (5, _) => format!("  x := {name};\n"),
            (_, _) => format!("  bad := {name} > {number};\n"),
        };
        let body = if self.dice.chance(40) {
            self.statement(0) + &body
        } else {
            body
        };
        Some(format!("  alias {name}: {call} do\n{body}  end;\n"))
    }

    /// Labels are evaluated in order until one matches.
    fn labels_in_order(&mut self) -> Option<String> {
        let ty = *self.dice.pick(&[Number, Boolean, Boolean, Node]);
        let subject = self.value(ty, 0)?;
        let (first, second) = (self.call(Some(ty), 1)?, self.call(Some(ty), 1)?);
        let [one, two] = [0; 2].map(|_| self.statement(0));
        let separator = [", ", &format!(":\n{two}  case ")][self.dice.roll(2)].to_owned();
        Some(format!(
            "  switch {subject}\n  case {first}{separator}{second}:\n{one}  end;\n"
        ))
    }

    /// The right operand is evaluated only if the left one does not decide.
    fn sides_in_order(&mut self) -> Option<String> {
        let (first, second) = (self.call(Some(Boolean), 1)?, self.call(Some(Boolean), 1)?);
        let third = self.condition(0);
        let truth = match self.dice.roll(4) {
            0 => format!("{first} & {second}"),
            1 => format!("{first} | {second}"),
            2 => format!("{first} -> {second}"),
            _ => format!("{first} ? {second} : {third}"),
        };
        Some(match self.dice.roll(3) {
            0 => format!("  assert ({truth});\n"),
            1 => format!("  assume ({truth});\n"),
            _ => format!("  bad := ({truth});\n"),
        })
    }
}
