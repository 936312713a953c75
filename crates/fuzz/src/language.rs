//! Random models that use the whole language: records, unions, lists, multisets, functions and procedures with
//! reference parameters, loops, `switch`, `alias`, arithmetic, undefined values.
//!
//! They serve the state-by-state comparison of the lowered system with the instance rather than hard proofs: `%` keeps
//! numbers within their bounds, so that runs are long, and most values are defined.

mod expression;

use crate::random::Dice;
use crate::source::Source;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Boolean,
    Colour,
    /// `-2..2`
    Small,
    /// `-6..6`
    Wide,
    Node,
    /// A union of nodes and two names.
    Any,
    /// A record.
    Pair,
    /// Indexed by node.
    Numbers,
    Pairs,
    /// Indexed by number, from -2 on.
    Flags,
    List,
    Queue,
    /// Multisets.
    Bag,
    Letters,
}

use Type::{Any, Bag, Boolean, Colour, Flags, Letters, List, Node, Numbers, Pair, Pairs, Queue, Small, Wide};

impl Type {
    fn name(self) -> &'static str {
        match self {
            Boolean => "boolean",
            Colour => "COLOUR",
            Small => "SMALL",
            Wide => "WIDE",
            Node => "NODE",
            Any => "ANY",
            Pair => "PAIR",
            Numbers => "NUMBERS",
            Pairs => "PAIRS",
            Flags => "FLAGS",
            List => "LIST",
            Queue => "QUEUE",
            Bag => "BAG",
            Letters => "LETTERS",
        }
    }

    /// The element type of an array, list or multiset; otherwise the type itself.
    fn element(self) -> Type {
        match self {
            Numbers | List | Bag => Small,
            Pairs | Queue | Letters => Pair,
            Flags => Boolean,
            simple => simple,
        }
    }

    fn is_simple(self) -> bool {
        matches!(self, Boolean | Colour | Small | Wide | Node | Any)
    }
}

const DECLARATIONS: &str = "type
  NODE: scalarset(2);
  COLOUR: enum { red, green, blue };
  SMALL: -2..2;
  WIDE: -6..6;
  PAIR: record flag: boolean; who: NODE; count: SMALL; colour: COLOUR; end;
  NUMBERS: array [NODE] of SMALL;
  PAIRS: array [NODE] of PAIR;
  FLAGS: array [SMALL] of boolean;
  LIST: list of SMALL;
  QUEUE: list of PAIR;
";
/// For files that only CMurphi accepts.
const FURTHER: &str = "  ANY: union { NODE, enum { nobody, many } };
  BAG: multiset [2] of SMALL;
  LETTERS: multiset [2] of PAIR;
";

/// Between the guard of a rule and its statements.
const BEGIN: &str = "==>\nbegin\n";

/// A name, and whether it is assignable.
struct Named {
    name: String,
    ty: Type,
    variable: bool,
}

struct Maker {
    dice: Dice,
    /// Whether unions and multisets are permitted.
    cmurphi: bool,
    /// Whether values may be undefined.
    undefined: bool,
    scope: Vec<Named>,
    names: usize,
}

/// A random model with one property.
pub fn random_model(mut dice: Dice) -> Source {
    let cmurphi = dice.chance(50);
    let undefined = dice.chance(25);
    let mut maker = Maker {
        dice,
        cmurphi,
        undefined,
        scope: Vec::new(),
        names: 0,
    };
    let mut text = String::from(DECLARATIONS);
    if cmurphi {
        text.push_str(FURTHER);
    }
    text.push_str("var\n");
    maker.declare();
    for variable in &maker.scope {
        text.push_str(&format!("  {}: {};\n", variable.name, variable.ty.name()));
    }
    text.push_str(&maker.subprograms());
    text.push_str(&maker.start());
    for number in 0..2 + maker.dice.roll(4) {
        text.push_str(&maker.rule(number));
    }
    let property = maker.condition(2);
    text.push_str(&format!("invariant \"property\"\n  {property};\n"));
    Source::new("language.m", text)
}

impl Maker {
    /// Declares variables: one of every type that the calls need, and a few others.
    fn declare(&mut self) {
        let always = [Boolean, Small, Wide, Node, Pair];
        for ty in always {
            self.variable(ty);
        }
        let mut others = vec![
            Boolean, Colour, Small, Pair, Numbers, Numbers, Pairs, Flags, List, List, Queue,
        ];
        if self.cmurphi {
            others.extend([Any, Any, Bag, Letters]);
        }
        for _ in 0..2 + self.dice.roll(4) {
            let ty = *self.dice.pick(&others);
            self.variable(ty);
        }
    }

    fn variable(&mut self, ty: Type) {
        let name = format!("v{}", self.scope.len());
        self.name(&name, ty, true);
    }

    fn name(&mut self, name: &str, ty: Type, variable: bool) {
        let name = name.to_owned();
        self.scope.push(Named { name, ty, variable });
    }

    fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}{}", self.names)
    }

    /// Runs `make` with one more name in scope.
    fn with_name<T>(&mut self, name: &str, ty: Type, variable: bool, make: impl FnOnce(&mut Maker) -> T) -> T {
        self.name(name, ty, variable);
        let made = make(self);
        self.scope.pop();
        made
    }

    /// `f` returns a number and changes one, `change` changes a record, `swap` two numbers that may be aliased.
    fn subprograms(&mut self) -> String {
        let before = self.scope.len();
        self.name("x", Small, false);
        self.name("y", Wide, true);
        self.name("z", Small, true);
        let body = self.body(1);
        let (condition, early, late) = (self.condition(1), self.number(Small, 1), self.number(Small, 1));
        let function = format!(
            "function f(x: SMALL; var y: WIDE): SMALL;\nvar z: SMALL;\nbegin\n  z := x;\n{body}  if {condition} then return {early}; end;\n  y := -y;\n  return {late};\nend;\n"
        );
        self.scope.truncate(before);
        self.name("o", Pair, true);
        self.name("w", Node, false);
        let (body, condition) = (self.body(1), self.condition(1));
        let procedure = format!(
            "procedure change(var o: PAIR; w: NODE);\nbegin\n{body}  if {condition} then return; end;\n  o.who := w;\n  o.flag := !o.flag;\nend;\n"
        );
        self.scope.truncate(before);
        let swap = "procedure swap(var s: SMALL; var t: SMALL);\nvar h: SMALL;\nbegin\n  h := s;\n  s := t;\n  t := h;\n  s := (s + t) % 3;\nend;\n";
        format!("{function}{procedure}{swap}")
    }

    fn start(&mut self) -> String {
        let mut text = String::from("ruleset s: NODE do\nstartstate\n");
        let variables: Vec<(String, Type)> = self.scope.iter().map(|v| (v.name.clone(), v.ty)).collect();
        for (name, ty) in variables {
            if self.undefined && self.dice.chance(15) {
                text.push_str(&format!("  undefine {name};\n"));
                continue;
            }
            text.push_str(&self.first(&name, ty));
        }
        text.push_str("end;\nend;\n");
        text
    }

    /// Statements that initialise a place.
    fn first(&mut self, place: &str, ty: Type) -> String {
        let value = match ty {
            Boolean => ["false", "true"][self.dice.roll(2)].to_owned(),
            Colour => ["red", "green", "blue"][self.dice.roll(3)].to_owned(),
            Small => (self.dice.roll(5) as i64 - 2).to_string(),
            Wide => (self.dice.roll(13) as i64 - 6).to_string(),
            Node => "s".to_owned(),
            Any => ["s", "nobody", "many"][self.dice.roll(3)].to_owned(),
            List | Queue => "[]".to_owned(),
            Bag | Letters => return format!("  undefine {place};\n"),
            Pair => {
                let fields = [("flag", Boolean), ("who", Node), ("count", Small), ("colour", Colour)];
                return fields
                    .iter()
                    .map(|(field, ty)| self.first(&format!("{place}.{field}"), *ty))
                    .collect();
            }
            Numbers | Pairs | Flags => {
                let index = if ty == Flags { "SMALL" } else { "NODE" };
                let name = self.fresh("i");
                let inner = self.first(&format!("{place}[{name}]"), ty.element());
                return format!("  for {name}: {index} do\n{inner}  end;\n");
            }
        };
        format!("  {place} := {value};\n")
    }

    fn rule(&mut self, number: usize) -> String {
        let bags: Vec<(String, Type)> = self
            .scope
            .iter()
            .filter(|v| matches!(v.ty, Bag | Letters))
            .map(|v| (v.name.clone(), v.ty))
            .collect();
        if !bags.is_empty() && self.dice.chance(30) {
            let (bag, ty) = self.dice.pick(&bags).clone();
            let name = self.fresh("c");
            let element = format!("{bag}[{name}]");
            let mut inner = self.with_name(&element, ty.element(), false, |m| m.guarded(number));
            // A removed element is out of scope.
            if self.dice.chance(50)
                && let Some((guard, body)) = inner.split_once(BEGIN)
                && !body.contains(&format!("[{name}]"))
            {
                inner = format!("{guard}{BEGIN}  multisetremove({name}, {bag});\n{body}");
            }
            return format!("choose {name}: {bag} do\n{inner}end;\n");
        }
        let (name, ty) = [("p", Node), ("p", Node), ("k", Colour), ("j", Small)][self.dice.roll(4)];
        if self.dice.chance(30) {
            return self.guarded(number);
        }
        let inner = self.with_name(name, ty, false, |m| {
            let aliased = [Small, Pair][m.dice.roll(2)];
            match m.dice.chance(20).then(|| m.place(aliased)).flatten() {
                Some(place) => {
                    let alias = m.fresh("a");
                    let inner = m.with_name(&alias, aliased, true, |m| m.guarded(number));
                    format!("alias {alias}: {place} do\n{inner}end;\n")
                }
                None => m.guarded(number),
            }
        });
        format!("ruleset {name}: {} do\n{inner}end;\n", ty.name())
    }

    fn guarded(&mut self, number: usize) -> String {
        let mut text = format!("rule \"r{number}\"\n  true\n");
        for _ in 0..self.dice.roll(3) {
            let conjunct = self.condition(1);
            text.push_str(&format!("  & {conjunct}\n"));
        }
        let body = self.body(2);
        text.push_str(&format!("{BEGIN}{body}end;\n"));
        text
    }

    fn body(&mut self, depth: usize) -> String {
        (0..1 + self.dice.roll(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.dice.roll(if depth == 0 { 12 } else { 20 }) {
            12 | 13 => {
                let (condition, second) = (self.condition(1), self.condition(1));
                let [one, two, three] = [0; 3].map(|_| self.statement(depth - 1));
                match self.dice.roll(3) {
                    0 => format!("  if {condition} then\n{one}  end;\n"),
                    1 => format!("  if {condition} then\n{one}  else\n{two}  end;\n"),
                    _ => format!("  if {condition} then\n{one}  elsif {second} then\n{two}  else\n{three}  end;\n"),
                }
            }
            14 => self.switch(depth - 1),
            15 => self.for_loop(depth - 1),
            16 => {
                let name = self.fresh("n");
                let body = self.with_name(&name, Wide, false, |m| m.statement(depth - 1));
                let (from, to) = (self.dice.roll(3) as i64 - 2, self.dice.roll(3));
                format!("  for {name} := {from} to {to} do\n{body}  end;\n")
            }
            17 => {
                let ty = [Small, Pair, Numbers][self.dice.roll(3)];
                let Some(place) = self.place(ty) else {
                    return String::new();
                };
                let name = self.fresh("a");
                let body = self.with_name(&name, ty, true, |m| m.body(depth - 1));
                format!("  alias {name}: {place} do\n{body}  end;\n")
            }
            18 => self.call(),
            19 => self.while_loop(depth - 1),
            10 if self.dice.chance(20) => format!("  assert {};\n", self.condition(1)),
            11 => self.unusual(),
            _ => self.assignment(),
        }
    }

    fn switch(&mut self, depth: usize) -> String {
        let [one, two, three] = [0; 3].map(|_| self.statement(depth));
        if self.dice.chance(50) {
            let subject = self.value(Colour, 1);
            return format!("  switch {subject}\n  case red:\n{one}  case green, blue:\n{two}  end;\n");
        }
        let (subject, label) = (self.number(Wide, 1), self.number(Small, 0));
        format!("  switch {subject}\n  case 1, -1:\n{one}  case {label}:\n{two}  else\n{three}  end;\n")
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let (ty, name) = ([Node, Colour, Boolean, Small][self.dice.roll(4)], self.fresh("i"));
        let body = self.with_name(&name, ty, false, |m| m.body(depth));
        format!("  for {name}: {} do\n{body}  end;\n", ty.name())
    }

    /// A number decreases to zero.
    fn while_loop(&mut self, depth: usize) -> String {
        let places: Vec<String> = self.names_of(Small, true);
        if places.is_empty() {
            return String::new();
        }
        let place = self.dice.pick(&places).clone();
        // The body must not assign it.
        let hidden = self.scope.iter().position(|named| named.name == place);
        let kept = hidden.map(|at| (at, self.scope.remove(at)));
        let body = self.assignment();
        let inner = if depth > 0 { self.assignment() } else { String::new() };
        if let Some((at, named)) = kept {
            self.scope.insert(at, named);
        }
        format!("  while {place} > 0 do\n    {place} := {place} - 1;\n{body}{inner}  end;\n")
    }

    fn call(&mut self) -> String {
        let places = [Small, Wide, Pair].map(|ty| self.place(ty));
        let [Some(small), Some(wide), Some(pair)] = places else {
            return String::new();
        };
        match self.dice.roll(3) {
            0 => {
                let argument = self.number(Small, 1);
                format!("  {small} := f({argument}, {wide});\n")
            }
            1 => {
                let node = self.value(Node, 0);
                format!("  change({pair}, {node});\n")
            }
            _ => {
                let other = self.place(Small).unwrap_or_else(|| small.clone());
                format!("  swap({small}, {other});\n")
            }
        }
    }

    fn unusual(&mut self) -> String {
        let ty = [Boolean, Colour, Small, Node, Pair, Numbers, List][self.dice.roll(7)];
        match self.dice.roll(6) {
            0 | 1 if self.undefined => match self.place(ty) {
                Some(place) => format!("  undefine {place};\n"),
                None => String::new(),
            },
            2 => match self.place(ty).filter(|_| !matches!(ty, Node | Pair)) {
                Some(place) => format!("  clear {place};\n"),
                None => String::new(),
            },
            3 => match self.place(ty).filter(|_| ty.is_simple()) {
                Some(place) => format!("  put {place};\n"),
                None => String::new(),
            },
            _ => self.multiset().unwrap_or_default(),
        }
    }

    fn multiset(&mut self) -> Option<String> {
        let ty = [Bag, Letters][self.dice.roll(2)];
        let bags = self.names_of(ty, true);
        if bags.is_empty() {
            return None;
        }
        let bag = self.dice.pick(&bags).clone();
        let name = self.fresh("e");
        let condition = self.with_name(&format!("{bag}[{name}]"), ty.element(), false, |m| m.condition(1));
        Some(if self.dice.chance(70) {
            let value = self.value(ty.element(), 1);
            format!("  if multisetcount({name}: {bag}, true) < 2 then\n  multisetadd({value}, {bag});\n  end;\n")
        } else {
            format!("  multisetremovepred({name}: {bag}, {condition});\n")
        })
    }

    fn assignment(&mut self) -> String {
        for _ in 0..6 {
            let all = [
                Boolean, Colour, Small, Small, Wide, Node, Any, Pair, Numbers, Pairs, Flags, List, Queue,
            ];
            let ty = *self.dice.pick(&all);
            let Some(place) = self.place(ty) else { continue };
            let value = match ty {
                Small | Wide => self.number(ty, 2),
                List | Queue => return self.list(ty, &place),
                _ => self.value(ty, 1),
            };
            return format!("  {place} := {value};\n");
        }
        String::new()
    }

    /// Lists stay short.
    fn list(&mut self, ty: Type, place: &str) -> String {
        match self.dice.roll(5) {
            0 => format!("  if !empty({place}) then\n  {place} := tail({place});\n  end;\n"),
            1 => format!("  {place} := {};\n", self.value(ty, 1)),
            _ => {
                let value = self.value(ty.element(), 1);
                format!("  if length({place}) < 2 then\n  {place} := append({place}, {value});\n  end;\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nearly all are valid models, and the lowered system behaves like the instance.
    #[test]
    fn system_and_instance_do_the_same() {
        let mut refused = Vec::new();
        for case in 0..60 {
            let source = random_model(Dice::new(1, case));
            match source.agreement(2, 60) {
                Err(error) => refused.push(error.0),
                Ok(agreement) => assert_eq!(agreement, Ok(()), "{}", source.text),
            }
        }
        assert!(refused.len() < 10, "{} refused, such as {}", refused.len(), refused[0]);
    }
}
