//! Loops over all elements of a parametric type, as in protocols: searches with early exit, counters, flags, and
//! broadcasts with a temporary.

use super::Maker;
use super::Type::{Boolean, Flags, Node, Record};

impl Maker {
    pub(super) fn element_loop(&mut self) -> String {
        match self.dice.roll(5) {
            0 => self.first_hit(),
            1 => self.is_found(),
            2 => self.counter(),
            3 => self.once(),
            _ => self.broadcast(),
        }
    }

    /// A condition on an element.
    fn fitting(&mut self) -> String {
        match self.dice.roll(5) {
            0 => "i != e".to_owned(),
            1 => "i = e".to_owned(),
            _ => self.with_name("e", Node, false, |m| m.with_name("i", Node, false, |m| m.condition(1))),
        }
    }

    /// Sometimes an action on an element.
    fn done(&mut self) -> String {
        if self.dice.chance(50) {
            return String::new();
        }
        self.with_name("e", Node, false, |m| m.with_name("i", Node, false, |m| m.statement(0)))
    }

    /// Returns the first element that satisfies a condition.
    fn first_hit(&mut self) -> String {
        let (fits, done) = (self.fitting(), self.done());
        let name = self.declare(&[(Node, false)], Some(Node));
        format!(
            "function {name}(e: P): P;\nbegin\n  for i: P do\n  if {fits} then\n{done}  return i;\n  end;\n  end;\n  \
             return e;\nend;\n"
        )
    }

    /// Returns whether an element, or a pair, satisfies a condition.
    fn is_found(&mut self) -> String {
        let (fits, value) = (self.fitting(), self.dice.chance(50));
        let name = self.declare(&[(Node, false)], Some(Boolean));
        let search = match self.dice.chance(30) {
            false => format!("  for i: P do\n  if {fits} then\n  return {value};\n  end;\n  end;\n"),
            true => format!(
                "  for j: P do\n  for i: P do\n  if i != j & {fits} then\n  return {value};\n  end;\n  end;\n  end;\n"
            ),
        };
        format!(
            "function {name}(e: P): boolean;\nbegin\n{search}  return {};\nend;\n",
            !value
        )
    }

    /// Counts matching elements, in a range that may be too small.
    fn counter(&mut self) -> String {
        let (fits, done) = (self.fitting(), self.done());
        let (from, step) = *self
            .dice
            .pick(&[(0, "+ 1"), (0, "+ 1"), (0, "+ 1"), (3, "- 1"), (0, "+ 2")]);
        let range = *self.dice.pick(&["0..3", "0..4", "integer", "integer"]);
        let result = *self.dice.pick(&["n = 0", "n > 0", "n > 1", "n = 1", "n >= 2", "n = 3"]);
        let name = self.declare(&[(Node, false)], Some(Boolean));
        format!(
            "function {name}(e: P): boolean;\nvar n: {range};\nbegin\n  n := {from};\n  for i: P do\n  \
             if {fits} then\n  n := n {step};\n{done}  end;\n  end;\n  return {result};\nend;\n"
        )
    }

    /// Acts on the first matching element, and records that in a flag.
    fn once(&mut self) -> String {
        let (fits, done) = (self.fitting(), self.done());
        let flag = match self.dice.chance(50) {
            true => "w".to_owned(),
            false => self.place(Boolean).unwrap_or_else(|| "w".to_owned()),
        };
        let name = self.declare(&[(Node, false)], Some(Boolean));
        format!(
            "function {name}(e: P): boolean;\nvar w: boolean;\nbegin\n  w := false;\n  for i: P do\n  if !{flag} & \
             {fits} then\n  {flag} := true;\n{done}  end;\n  end;\n  return w;\nend;\n"
        )
    }

    /// Fills a temporary for each matching element, and copies it on.
    fn broadcast(&mut self) -> String {
        let (fits, done) = (self.fitting(), self.done());
        let kept = self.names_of(Flags, true).first().cloned();
        let keep = kept.map_or_else(String::new, |flags| format!("  {flags}[i] := t.flag;\n"));
        let record = self.place(Record).filter(|_| self.dice.chance(40));
        let record = record.map_or_else(String::new, |record| format!("  {record} := t;\n"));
        let (low, flag) = (self.low, self.dice.chance(50));
        let last = match self.dice.chance(30) {
            true => "t.flag",
            false => "true",
        };
        let name = self.declare(&[(Node, false)], Some(Boolean));
        format!(
            "function {name}(e: P): boolean;\nvar t: R;\nbegin\n  t.flag := false;\n  t.who := e;\n  \
             t.count := {low};\n  for i: P do\n  if {fits} then\n  t.flag := {flag};\n  t.who := i;\n{keep}{record}{done}  end;\n  end;\n  \
             return {last};\nend;\n"
        )
    }
}
