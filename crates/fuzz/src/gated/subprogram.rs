//! Functions and procedures with side effects, choices, errors, and results outside of their type.

use super::Type::{Boolean, Colour, Node, Number, Other, Record};
use super::{Callable, Maker, Named, Type};

impl Maker {
    pub(super) fn subprograms(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..2 + self.dice.roll(3) {
            let features = &self.features;
            let (effects, outside, searches) = (features.effects, features.outside, features.searches);
            let chooses = features.chooses;
            text.push_str(&match self.dice.roll(12) {
                0 | 1 if effects => self.truth_with_effect(),
                2 | 11 if outside => self.outside(),
                3 if searches => self.last_hit(),
                4 | 10 if searches => self.element_loop(),
                5 if chooses => self.choosing(Node),
                6 if chooses => {
                    let ty = *self.dice.pick(&[Boolean, Number, Other, Colour]);
                    self.choosing(ty)
                }
                7 if effects => self.by_reference(),
                8 => self.failing(),
                9 => self.procedure(),
                _ => {
                    let ty = *self.dice.pick(&[Boolean, Number, Node, Other]);
                    self.any_function(ty)
                }
            });
        }
        text
    }

    pub(super) fn declare(&mut self, parameters: &[(Type, bool)], result: Option<Type>) -> String {
        let name = self.fresh("f");
        let parameters = parameters.to_vec();
        let callable = Callable {
            name: name.clone(),
            parameters,
            result,
        };
        self.callables.push(callable);
        name
    }

    /// Records something, and returns whether its parameter has some value.
    fn truth_with_effect(&mut self) -> String {
        let ty = *self.dice.pick(&[Number, Number, Node, Boolean, Colour]);
        let (effect, result) = self.with_name("e", ty, false, |m| {
            let mut effect = m.effect();
            if ty == Number && m.dice.chance(50) {
                effect = "  x := e;\n".to_owned();
            }
            (effect, m.condition(1))
        });
        let name = self.declare(&[(ty, false)], Some(Boolean));
        let ty = self.type_name(ty);
        format!("function {name}(e: {ty}): boolean;\nbegin\n{effect}  return {result};\nend;\n")
    }

    /// A small change of the state without an error.
    fn effect(&mut self) -> String {
        let ty = *self.dice.pick(&[Boolean, Number, Number, Node, Colour, Other]);
        if !self.features.effects {
            return String::new();
        }
        let (kept, kept_errors) = (self.calls, self.errors);
        (self.calls, self.errors) = (kept / 2, 0);
        let value = self.value(ty, 0);
        let place = self.place(ty);
        (self.calls, self.errors) = (kept, kept_errors);
        match (place, value) {
            (Some(place), Some(value)) => format!("  {place} := {value};\n"),
            _ => "  x := x;\n".to_owned(),
        }
    }

    /// A result that is, or may be, outside of its type.
    fn outside(&mut self) -> String {
        let (high, low) = (self.high, self.low);
        let result = match self.dice.roll(4) {
            0 => format!("{}", high + 1 + self.dice.roll(2) as i64),
            1 => format!("{}", low - 1),
            2 => format!("x + {}", self.dice.roll(2) + 1),
            _ => self.number(2),
        };
        let effect = if self.dice.chance(30) {
            self.effect()
        } else {
            String::new()
        };
        let name = self.declare(&[], Some(Number));
        format!("function {name}(): S;\nbegin\n{effect}  return {result};\nend;\n")
    }

    /// Iterates over all elements, and returns the last one that satisfies a condition.
    fn last_hit(&mut self) -> String {
        let effect = if self.dice.chance(20) {
            self.effect()
        } else {
            String::new()
        };
        let condition = match self.dice.roll(4) {
            0 => "i != e".to_owned(),
            1 => "true".to_owned(),
            _ => self.with_name("e", Node, false, |m| m.with_name("i", Node, false, |m| m.condition(1))),
        };
        let name = self.declare(&[(Node, false)], Some(Node));
        format!(
            "function {name}(e: P): P;\nvar w: P;\nbegin\n  w := e;\n{effect}  for i: P do\n  if {condition} then\n  w := i;\n  end;\n  end;\n  return w;\nend;\n"
        )
    }

    /// Returns an arbitrary value, or an arbitrary one that satisfies a condition.
    fn choosing(&mut self, ty: Type) -> String {
        let condition = self.with_name("w", ty, true, |m| m.condition(1));
        let fits = match self.dice.roll(3) {
            0 => String::new(),
            _ => format!(" where {condition}"),
        };
        let effect = if self.dice.chance(20) {
            self.effect()
        } else {
            String::new()
        };
        let name = self.declare(&[], Some(ty));
        let ty = self.type_name(ty);
        format!("function {name}(): {ty};\nvar w: {ty};\nbegin\n{effect}  havoc w{fits};\n  return w;\nend;\n")
    }

    fn by_reference(&mut self) -> String {
        let ty = *self.dice.pick(&[Number, Boolean, Node]);
        let (value, result) = self.with_name("r", ty, true, |m| (m.value(ty, 1), m.condition(1)));
        let Some(value) = value else { return String::new() };
        let name = self.declare(&[(ty, true)], Some(Boolean));
        let ty = self.type_name(ty);
        format!("function {name}(var r: {ty}): boolean;\nbegin\n  r := {value};\n  return {result};\nend;\n")
    }

    /// An error for some arguments.
    fn failing(&mut self) -> String {
        let ty = *self.dice.pick(&[Number, Node, Boolean]);
        let (stop, result) = self.with_name("e", ty, false, |m| {
            let condition = m.condition(1);
            let stop = match m.dice.roll(3) {
                0 => format!("  assert {condition};\n"),
                1 => format!("  if {condition} then\n  error \"stop\";\n  end;\n"),
                _ => format!("  x := {};\n", m.number(1)),
            };
            (stop, m.condition(1))
        });
        let name = self.declare(&[(ty, false)], Some(Boolean));
        let ty = self.type_name(ty);
        format!("function {name}(e: {ty}): boolean;\nbegin\n{stop}  return {result};\nend;\n")
    }

    fn procedure(&mut self) -> String {
        let ty = *self.dice.pick(&[Number, Boolean, Record]);
        let before = self.scope.len();
        self.scope.push(Named {
            name: "r".to_owned(),
            ty,
            variable: true,
        });
        let (locals, first) = self.locals();
        let body = self.body(1);
        let early = if self.dice.chance(25) {
            format!("  if {} then\n  return;\n  end;\n{}", self.condition(1), self.effect())
        } else {
            String::new()
        };
        self.scope.truncate(before);
        let name = self.declare(&[(ty, true)], None);
        let ty = self.type_name(ty);
        format!("procedure {name}(var r: {ty});\n{locals}begin\n{first}{body}{early}end;\n")
    }

    fn any_function(&mut self, ty: Type) -> String {
        let before = self.scope.len();
        let parameter = *self.dice.pick(&[Number, Node, Boolean]);
        self.scope.push(Named {
            name: "e".to_owned(),
            ty: parameter,
            variable: false,
        });
        let (locals, first) = self.locals();
        let body = if self.features.effects {
            self.body(1)
        } else {
            String::new()
        };
        let (condition, early, late) = (self.condition(1), self.value(ty, 1), self.value(ty, 1));
        self.scope.truncate(before);
        let (Some(early), Some(late)) = (early, late) else {
            return String::new();
        };
        let early = if self.dice.chance(40) {
            format!("  if {condition} then\n  return {early};\n  end;\n")
        } else {
            String::new()
        };
        let name = self.declare(&[(parameter, false)], Some(ty));
        let (parameter, ty) = (self.type_name(parameter), self.type_name(ty));
        format!("function {name}(e: {parameter}): {ty};\n{locals}begin\n{first}{body}{early}  return {late};\nend;\n")
    }
}
