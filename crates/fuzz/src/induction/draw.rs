//! Random one-shot models: one of many initial states, one or two rules that fire once each, and a few random formulas
//! about the resulting state.
//!
//! They are small enough to explore at many unequal sizes, and concentrate on what a lowering easily confuses between
//! types: counting loops and functions over two types and their union, multiset indices that outlive a removal, values
//! that are undefined at large sizes only.

use crate::random::Dice;
use crate::source::Source;

/// The types of loop and quantifier variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    P,
    Q,
    /// The union of both.
    U,
}

use Index::{P, Q, U};

impl Index {
    fn name(self) -> &'static str {
        match self {
            P => "P",
            Q => "Q",
            U => "U",
        }
    }
}

/// The features of a model. Each model has only some of them, so that one bug does not mask all others.
struct Features {
    integers: bool,
    functions: bool,
    union: bool,
    bag: bool,
    record: bool,
    undefined: bool,
    owners: bool,
    /// Whether every type-correct state is initial.
    any_start: bool,
}

struct Maker {
    dice: Dice,
    features: Features,
    capacity: usize,
    /// Names of elements in scope.
    scope: Vec<(String, Index)>,
    /// The index of a present or removed multiset element.
    element: Option<String>,
    names: usize,
    rules: usize,
}

/// A random model, and whether all type-correct states are initial and there is only one rule: every step of the system
/// is then part of a run.
pub(super) fn one_shot(mut dice: Dice) -> (Source, bool) {
    let bag = dice.chance(30);
    let features = Features {
        integers: dice.chance(if bag { 25 } else { 70 }),
        functions: dice.chance(30),
        union: !bag && dice.chance(20),
        bag,
        record: dice.chance(25),
        undefined: dice.chance(20),
        owners: dice.chance(30),
        any_start: !bag && dice.chance(60),
    };
    let mut maker = Maker {
        rules: if bag { 1 + dice.roll(2) } else { 1 },
        capacity: 2 + dice.roll(2),
        features,
        dice,
        scope: Vec::new(),
        element: None,
        names: 0,
    };
    let text = maker.model();
    let complete = maker.features.any_start && !maker.features.integers && !maker.features.undefined;
    (Source::new("one-shot.m", text), complete)
}

impl Maker {
    fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}{}", self.names)
    }

    fn model(&mut self) -> String {
        let features = &self.features;
        let mut text = "type\n  P: scalarset(2);\n  Q: scalarset(2);\n  S: 0..2;\n".to_owned();
        let line = |has: bool, line: &str| if has { format!("{line}\n") } else { String::new() };
        text += &line(features.union, "  U: union { P, Q };");
        text += &line(features.record, "  R: record flag: boolean; count: S; end;");
        text += &line(features.bag, &format!("  B: multiset [{}] of S;", self.capacity));
        text += "var\n  step: 0..2;\n  f: boolean;\n  x: S;\n  a: array [P] of boolean;\n  b: array [Q] of boolean;\n";
        text += &line(features.integers, "  n: integer;\n  m: integer;");
        text += &line(features.owners, "  h: P;\n  k: Q;");
        text += &line(features.record, "  r: R;");
        text += &line(features.bag, "  bag: B;");
        if self.features.functions {
            text += &self.function();
        }
        text += &self.start();
        for number in 0..self.rules {
            text += &self.rule(number);
        }
        for number in 0..3 + self.dice.roll(3) {
            let formula = self.condition(2);
            let when = self.rules - usize::from(self.rules > 1 && self.dice.chance(20));
            text += &format!("invariant \"i{number}\"\n  step >= {when} -> {formula};\n");
        }
        text
    }

    fn function(&mut self) -> String {
        let loops: String = (0..1 + self.dice.roll(2)).map(|_| self.counting("t")).collect();
        format!("function count(): integer;\nvar t: integer;\nbegin\n  t := 0;\n{loops}  return t;\nend;\n")
    }

    fn start(&mut self) -> String {
        let any = self.features.any_start;
        let mut text = "ruleset s: P do\nruleset t: Q do\nstartstate\nbegin\n  step := 0;\n".to_owned();
        let first = |dice: &mut Dice, place: &str, values: &[&str]| {
            if any || dice.chance(50) {
                format!("  havoc {place};\n")
            } else {
                format!("  {place} := {};\n", dice.pick(values))
            }
        };
        text += &first(&mut self.dice, "f", &["false", "true"]);
        text += &first(&mut self.dice, "x", &["0", "1", "2"]);
        text += &first(&mut self.dice, "a", &["a"]).replace("a := a;", "for i: P do a[i] := false; end;");
        text += &first(&mut self.dice, "b", &["b"]).replace("b := b;", "for i: Q do b[i] := true; end;");
        if self.features.integers {
            text += "  n := 0;\n  m := 0;\n";
        }
        if self.features.owners {
            text += "  h := s;\n  k := t;\n";
        }
        if self.features.record {
            text += &first(&mut self.dice, "r.flag", &["false", "true"]);
            text += &first(&mut self.dice, "r.count", &["0", "1"]);
        }
        if self.features.bag {
            text += "  undefine bag;\n";
            for _ in 0..self.dice.roll(self.capacity + 1) {
                text += &format!("  multisetadd({}, bag);\n", self.dice.roll(3));
            }
        }
        text + "end;\nend;\nend;\n"
    }

    /// Each rule fires once, after the previous one.
    fn rule(&mut self, number: usize) -> String {
        let (mut opened, mut closed) = (String::new(), String::new());
        for (name, index) in [("p", P), ("q", Q)] {
            if self.dice.chance(35) {
                opened += &format!("ruleset {name}: {} do\n", index.name());
                closed += "end;\n";
                self.scope.push((name.to_owned(), index));
            }
        }
        if self.features.bag && self.dice.chance(50) {
            opened += "choose e: bag do\n";
            closed += "end;\n";
            self.element = Some("e".to_owned());
        }
        let mut guard = format!("  step = {number}");
        if self.dice.chance(40) {
            guard += &format!("\n  & {}", self.condition(1));
        }
        let statements: String = (0..1 + self.dice.roll(4)).map(|_| self.statement(2)).collect();
        self.scope.clear();
        self.element = None;
        let next = number + 1;
        format!("{opened}rule \"r{number}\"\n{guard}\n==>\nbegin\n{statements}  step := {next};\nend;\n{closed}")
    }

    /// A loop that increments a counter for each matching element.
    fn counting(&mut self, counter: &str) -> String {
        let index = match self.features.union {
            true => *self.dice.pick(&[P, Q, U, U]),
            false => *self.dice.pick(&[P, Q]),
        };
        let fits = match (index, self.dice.roll(5)) {
            (_, 0 | 1) => String::new(),
            (_, 2) => "f".to_owned(),
            (P, _) => ["a[i]", "!a[i]"][self.dice.roll(2)].to_owned(),
            (Q, _) => ["b[i]", "!b[i]"][self.dice.roll(2)].to_owned(),
            (U, _) => ["ismember(i, P)", "ismember(i, Q)", "!f"][self.dice.roll(3)].to_owned(),
        };
        let step = *self.dice.pick(&["+ 1", "+ 1", "+ 1", "+ 2", "- 1"]);
        let add = format!("  {counter} := {counter} {step};\n");
        let body = match fits.as_str() {
            "" => add,
            fits => format!("  if {fits} then\n{add}  end;\n"),
        };
        format!("  for i: {} do\n{body}  end;\n", index.name())
    }

    /// Two loops over two types that count under the same condition, which may change in between.
    fn twins(&mut self) -> String {
        let condition = *self.dice.pick(&["", "f", "x > 0", "x = 1"]);
        let (opened, closed) = match condition {
            "" => (String::new(), ""),
            condition => (format!("  if {condition} then\n"), "  end;\n"),
        };
        let union = self.features.union && self.dice.chance(50);
        let second = if union { "U" } else { "Q" };
        let between = if self.dice.chance(30) {
            self.statement(0)
        } else {
            String::new()
        };
        let counted = |counter: &str, ty: &str| {
            format!("  {counter} := 0;\n  for i: {ty} do\n{opened}  {counter} := {counter} + 1;\n{closed}  end;\n")
        };
        counted("n", "P") + &between + &counted("m", second)
    }

    fn statement(&mut self, depth: usize) -> String {
        let bag = self.features.bag && self.dice.chance(50);
        match self.dice.roll(if depth == 0 { 7 } else { 9 }) {
            _ if bag => self.of_multiset(),
            0 if self.features.integers && depth > 0 && self.dice.chance(50) => self.twins(),
            0 | 1 if self.features.integers => {
                let counter = ["n", "m"][self.dice.roll(2)];
                self.counting(counter)
            }
            2 if self.features.integers && self.features.functions => {
                format!("  {} := count();\n", ["n", "m"][self.dice.roll(2)])
            }
            3 if self.features.undefined => {
                let place = if self.features.record {
                    ["x", "f", "r.flag", "r"][self.dice.roll(4)]
                } else {
                    ["x", "f"][self.dice.roll(2)]
                };
                format!("  if {} then\n  undefine {place};\n  end;\n", self.gate())
            }
            4 => {
                let (array, index) = [("a", P), ("b", Q)][self.dice.roll(2)];
                match self.element_of(index) {
                    Some(element) => format!("  {array}[{element}] := {};\n", self.condition(0)),
                    None => format!(
                        "  for i: {} do\n  {array}[i] := {};\n  end;\n",
                        index.name(),
                        self.condition(0)
                    ),
                }
            }
            5 => format!("  x := {};\n", self.small()),
            6 if self.features.record => ["  r.count := x;\n", "  r.flag := f;\n"][self.dice.roll(2)].to_owned(),
            7 | 8 => {
                let (condition, inner) = (self.condition(1), self.statement(depth - 1));
                format!("  if {condition} then\n{inner}  end;\n")
            }
            _ => format!("  f := {};\n", self.condition(1)),
        }
    }

    fn of_multiset(&mut self) -> String {
        match self.dice.roll(6) {
            0 | 1 => {
                let (capacity, value) = (self.capacity, self.small());
                format!("  if multisetcount(i: bag, true) < {capacity} then\n  multisetadd({value}, bag);\n  end;\n")
            }
            2 | 3 => {
                let inner = [
                    "multisetcount(j: bag, bag[j] = 0) > 0",
                    "bag[i] = 0",
                    "bag[i] < x",
                    "multisetcount(j: bag, true) > 1",
                    "multisetcount(j: bag, bag[j] = bag[i]) > 1",
                ];
                format!("  multisetremovepred(i: bag, {});\n", self.dice.pick(&inner))
            }
            _ => match self.element.clone() {
                // Its index is sometimes used again afterwards.
                Some(element) => match self.dice.roll(4) {
                    0 => format!("  x := bag[{element}];\n"),
                    1 => format!("  multisetremove({element}, bag);\n"),
                    2 => format!("  multisetremove({element}, bag);\n  x := bag[{element}];\n"),
                    _ => format!("  f := bag[{element}] = x;\n"),
                },
                None => format!(
                    "  x := (multisetcount(i: bag, bag[i] = {}) > 0 ? 1 : 0);\n",
                    self.dice.roll(3)
                ),
            },
        }
    }

    /// The condition that this many distinct elements exist.
    fn gate(&mut self) -> String {
        let (index, count) = (*self.dice.pick(&[P, P, Q]), 2 + self.dice.roll(3));
        let (mut text, mut names) = (String::new(), Vec::new());
        for _ in 0..count {
            let name = self.fresh("g");
            text += &format!("exists {name}: {} do ", index.name());
            names.iter().for_each(|other| text += &format!("{name} != {other} & "));
            names.push(name);
        }
        format!("({text}true{})", " end".repeat(count))
    }

    fn element_of(&mut self, index: Index) -> Option<String> {
        let mut names: Vec<String> = self
            .scope
            .iter()
            .filter(|(_, i)| *i == index)
            .map(|(n, _)| n.clone())
            .collect();
        if self.features.owners {
            names.push(if index == P { "h" } else { "k" }.to_owned());
        }
        (!names.is_empty()).then(|| self.dice.pick(&names).clone())
    }

    /// A value of the small range.
    fn small(&mut self) -> String {
        match self.dice.roll(5) {
            0 => "x".to_owned(),
            1 => "2 - x".to_owned(),
            2 if self.features.record => "r.count".to_owned(),
            _ => self.dice.roll(3).to_string(),
        }
    }

    fn number(&mut self) -> String {
        let functions = self.features.functions;
        match self.dice.roll(6) {
            0 | 1 if self.features.integers => "n".to_owned(),
            2 | 3 if self.features.integers => "m".to_owned(),
            4 if functions => "count()".to_owned(),
            5 if self.features.bag => {
                let of = ["true", "bag[j] = 0", "bag[j] = x", "bag[j] > 0"];
                format!("multisetcount(j: bag, {})", self.dice.pick(&of))
            }
            _ => self.small(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 {
            match self.dice.roll(8) {
                0 => return format!("!({})", self.condition(depth - 1)),
                1 | 2 => {
                    let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                    return format!("({a} {} {b})", ["&", "|", "->"][self.dice.roll(3)]);
                }
                3 | 4 => {
                    let (word, index, name) = (
                        ["forall", "exists"][self.dice.roll(2)],
                        [P, Q][self.dice.roll(2)],
                        self.fresh("v"),
                    );
                    self.scope.push((name.clone(), index));
                    let body = self.condition(depth - 1);
                    self.scope.pop();
                    return format!("({word} {name}: {} do {body} end)", index.name());
                }
                5 if self.dice.chance(30) => return self.gate(),
                _ => {}
            }
        }
        self.atom()
    }

    fn atom(&mut self) -> String {
        match self.dice.roll(9) {
            0..=2 => {
                let (a, b) = (self.number(), self.number());
                format!("{a} {} {b}", ["=", "=", "!=", "<", "<=", ">="][self.dice.roll(6)])
            }
            3 => self
                .element_of(P)
                .map_or("f".to_owned(), |element| format!("a[{element}]")),
            4 => self
                .element_of(Q)
                .map_or("f".to_owned(), |element| format!("b[{element}]")),
            5 if self.features.owners => self
                .element_of(P)
                .map_or("f".to_owned(), |element| format!("h = {element}")),
            6 if self.features.undefined => "isundefined(x)".to_owned(),
            7 if self.features.record => "r.flag".to_owned(),
            _ => ["f", "!f"][self.dice.roll(2)].to_owned(),
        }
    }
}
