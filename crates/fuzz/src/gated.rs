//! Random models that attack the lowering from source to transition system.
//!
//! They are small, so that proofs are quick, and concentrate on constructs that are easily lowered incorrectly:
//! functions with side effects, choices and errors wherever an expression can occur, aliases of everything, assumptions
//! around errors, names that look generated, descending steps, shadowing local types, literals of parametric types,
//! several such types. The error is behind a *gate*: a rule whose guard requires a number of distinct elements, so that
//! small instances miss it.

mod attack;
mod expression;
mod loops;
mod statement;
mod subprogram;

use crate::random::Dice;
use crate::source::Source;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Boolean,
    /// A small range.
    Number,
    Colour,
    /// Parametric.
    Node,
    /// Another parametric type.
    Other,
    Record,
    /// Indexed by node.
    Flags,
    Counts,
    Owners,
    /// Indexed by number.
    Bits,
}

use Type::{Bits, Boolean, Colour, Counts, Flags, Node, Number, Other, Owners, Record};

impl Type {
    /// The element type of an array.
    fn element(self) -> Type {
        match self {
            Flags | Bits => Boolean,
            Counts => Number,
            Owners => Other,
            simple => simple,
        }
    }
}

/// The fields of the record.
const FIELDS: [(&str, Type); 3] = [("flag", Boolean), ("who", Node), ("count", Number)];

struct Named {
    name: String,
    ty: Type,
    /// Whether it is assignable.
    variable: bool,
}

#[derive(Clone)]
struct Callable {
    name: String,
    /// Each parameter with whether it is passed by reference.
    parameters: Vec<(Type, bool)>,
    result: Option<Type>,
}

/// The features of a model. Each model has only some of them, so that one bug does not mask all others.
struct Features {
    /// Descending rulesets.
    down: bool,
    /// Assumption statements.
    assumes: bool,
    /// A global assumption.
    assumption: bool,
    aliases: bool,
    strange_names: bool,
    local_types: bool,
    chooses: bool,
    searches: bool,
    outside: bool,
    effects: bool,
    property_calls: bool,
}

impl Features {
    fn drawn(dice: &mut Dice) -> Features {
        let mut draw = |percent: usize| dice.chance(percent);
        Features {
            down: draw(10),
            assumes: draw(35),
            assumption: draw(12),
            aliases: draw(40),
            strange_names: draw(20),
            local_types: draw(25),
            chooses: draw(40),
            searches: draw(45),
            outside: draw(35),
            effects: draw(60),
            property_calls: draw(25),
        }
    }
}

struct Maker {
    dice: Dice,
    scope: Vec<Named>,
    callables: Vec<Callable>,
    /// The percentage of values that are calls.
    calls: usize,
    /// The percentage of values that may be out of range, or divisions by zero.
    errors: usize,
    /// Whether the first parametric type is a range, whose elements have literals.
    ranged: bool,
    features: Features,
    /// The range of numbers.
    low: i64,
    high: i64,
    other: String,
    undefined: bool,
    names: usize,
    /// The nesting depth of calls around the current expression.
    nesting: usize,
}

/// Names that a lowering might generate.
const STRANGE: [&str; 16] = [
    "P_1", "P_0", "P_2", "S_1", "x_1", "P_any", "any", "entry", "result", "cleared", "i1", "P", "w", "E_1", "R_1",
    "some_i1",
];

/// A random model.
pub fn gated_model(mut dice: Dice) -> Source {
    let (calls, errors) = (*dice.pick(&[20, 40, 60]), *dice.pick(&[0, 5, 15]));
    let low = *dice.pick(&[0, 0, -1]);
    let mut maker = Maker {
        calls,
        errors,
        ranged: dice.chance(35),
        features: Features::drawn(&mut dice),
        low,
        high: low + 2 + dice.roll(2) as i64,
        other: "Q".to_owned(),
        undefined: dice.chance(10),
        dice,
        scope: Vec::new(),
        callables: Vec::new(),
        names: 0,
        nesting: 0,
    };
    let mut text = maker.types();
    text.push_str(&maker.variables());
    text.push_str(&maker.subprograms());
    text.push_str(&maker.start());
    let rules = 1 + maker.dice.roll(3);
    for number in 0..rules {
        text.push_str(&maker.rule(number));
    }
    if maker.features.assumption {
        maker.calls *= usize::from(maker.features.property_calls);
        let condition = maker.assumed();
        text.push_str(&format!("assume \"assumed\" {condition};\n"));
    }
    text.push_str(&maker.property());
    Source::new("gated.m", text)
}

impl Maker {
    fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}{}", self.names)
    }

    /// Runs `make` with one more name in scope.
    fn with_name<T>(&mut self, name: &str, ty: Type, variable: bool, make: impl FnOnce(&mut Maker) -> T) -> T {
        let name = name.to_owned();
        self.scope.push(Named { name, ty, variable });
        let made = make(self);
        self.scope.pop();
        made
    }

    fn type_name(&self, ty: Type) -> String {
        let name = match ty {
            Boolean => "boolean",
            Number => "S",
            Colour => "E",
            Node => "P",
            Other => return self.other.clone(),
            Record => "R",
            Flags => "array [P] of boolean",
            Counts => "array [P] of S",
            Owners => return format!("array [P] of {}", self.other),
            Bits => "array [S] of boolean",
        };
        name.to_owned()
    }

    fn types(&mut self) -> String {
        let node = if self.ranged {
            ["0..N - 1", "1..N"][usize::from(self.dice.chance(30))]
        } else {
            ["scalarset(5)", "scalarset(N)"][self.dice.roll(2)]
        };
        if self.ranged && node.starts_with('1') {
            // Literals are drawn from 0 on.
            self.ranged = self.dice.chance(50);
        }
        let size = 2 + self.dice.roll(4);
        let mut decoys = String::new();
        if self.features.local_types && self.dice.chance(60) {
            // A name like that of a renamed local type.
            let number = 8 + self.dice.roll(12);
            let shadowed = *self.dice.pick(&["P", "S", "Q", "E"]);
            self.other = format!("{shadowed}_{number}");
            for further in number + 1..number + 4 {
                decoys.push_str(&format!("  {shadowed}_{further}: scalarset(2);\n"));
            }
        }
        format!(
            "const N: 5;\ntype\n  P: {node};\n  {}: scalarset({size});\n{decoys}  S: {}..{};\n  E: enum {{ red, green, blue }};\n  \
             R: record flag: boolean; who: P; count: S; end;\n",
            self.other, self.low, self.high
        )
    }

    /// Many rules set `bad`, and many properties test it.
    fn variables(&mut self) -> String {
        let mut text = String::from("var\n");
        let mut declared = vec![("bad".to_owned(), Boolean), ("x".to_owned(), Number)];
        let all = [
            Boolean, Number, Colour, Node, Node, Other, Record, Flags, Flags, Counts, Owners, Bits,
        ];
        for _ in 0..2 + self.dice.roll(3) {
            let ty = *self.dice.pick(&all);
            let mut name = format!("v{}", declared.len());
            if self.features.strange_names && self.dice.chance(60) {
                let strange = *self.dice.pick(&STRANGE[..if ty == Node { 3 } else { STRANGE.len() }]);
                let taken = strange == "P" || declared.iter().any(|(other, _)| other == strange);
                name = if taken { name } else { strange.to_owned() };
            }
            declared.push((name, ty));
        }
        for (name, ty) in declared {
            text.push_str(&format!("  {name}: {};\n", self.type_name(ty)));
            let variable = true;
            self.scope.push(Named { name, ty, variable });
        }
        text
    }

    fn start(&mut self) -> String {
        let mut text = format!("ruleset s: P do\nruleset t: {} do\nstartstate\nbegin\n", self.other);
        let variables: Vec<(String, Type)> = self.scope.iter().map(|v| (v.name.clone(), v.ty)).collect();
        for (name, ty) in variables {
            let statement = self.first(&name, ty);
            text.push_str(&statement);
        }
        text.push_str("end;\nend;\nend;\n");
        text
    }

    /// Statements that initialise a place.
    fn first(&mut self, place: &str, ty: Type) -> String {
        if self.dice.chance(8) {
            return format!("  clear {place};\n");
        } else if self.undefined && place != "bad" && self.dice.chance(20) {
            return format!("  undefine {place};\n");
        }
        let value = match ty {
            Boolean => "false".to_owned(),
            Number => self.literal(),
            Colour => ["red", "green", "blue"][self.dice.roll(3)].to_owned(),
            Node => "s".to_owned(),
            Other => "t".to_owned(),
            Record => {
                let fields = FIELDS.iter();
                return fields
                    .map(|(field, ty)| self.first(&format!("{place}.{field}"), *ty))
                    .collect();
            }
            Flags | Counts | Owners | Bits => {
                let index = if ty == Bits { "S" } else { "P" };
                let name = self.fresh("i");
                let inner = self.first(&format!("{place}[{name}]"), ty.element());
                return format!("  for {name}: {index} do\n{inner}  end;\n");
            }
        };
        format!("  {place} := {value};\n")
    }

    /// A number in range.
    fn literal(&mut self) -> String {
        let size = (self.high - self.low + 1) as usize;
        (self.low + self.dice.roll(size) as i64).to_string()
    }

    /// The condition that this many distinct elements exist.
    fn gate(&mut self) -> String {
        let count = *self.dice.pick(&[0, 2, 3, 4, 4, 4, 5]);
        let ty = if self.dice.chance(85) {
            "P".to_owned()
        } else {
            self.other.clone()
        };
        let mut text = String::new();
        let mut names: Vec<String> = Vec::new();
        for _ in 0..count {
            let name = self.fresh("g");
            text.push_str(&format!("exists {name}: {ty} do "));
            names
                .iter()
                .for_each(|other| text.push_str(&format!("{name} != {other} & ")));
            names.push(name);
        }
        text.push_str("true");
        text.push_str(&" end".repeat(count));
        format!("({text})")
    }

    fn rule(&mut self, number: usize) -> String {
        let before = self.scope.len();
        let (mut opened, mut closed) = (String::new(), String::new());
        for _ in 0..self.dice.roll(3) {
            let (line, named) = if self.features.aliases && self.dice.chance(50) {
                let (line, named) = self.alias();
                (format!("alias {line} do\n"), named)
            } else {
                self.ruleset()
            };
            opened.push_str(&line);
            closed.push_str("end;\n");
            self.scope.push(named);
        }
        let gate = self.gate();
        let mut guard = gate;
        for _ in 0..self.dice.roll(4).saturating_sub(1) {
            let condition = self.condition(2);
            guard.push_str(&format!("\n  & {condition}"));
        }
        let (locals, first) = self.locals();
        let mut body = self.body(2);
        if self.dice.chance(60) {
            body = if self.dice.chance(70) {
                self.attack() + &body
            } else {
                body + &self.attack()
            };
        }
        let last = match self.dice.roll(3) {
            0 => format!("  bad := {};\n", self.condition(1)),
            1 => format!("  if {} then\n  bad := true;\n  end;\n", self.condition(1)),
            _ => String::new(),
        };
        self.scope.truncate(before);
        format!("{opened}rule \"r{number}\"\n  {guard}\n==>\n{locals}begin\n{first}{body}{last}end;\n{closed}")
    }

    fn ruleset(&mut self) -> (String, Named) {
        let name = self.fresh("r");
        let (domain, ty) = if self.dice.chance(30) {
            let range = self.range();
            // Unless they may descend, the bounds are sorted.
            let is_down = range.contains("by -") && !self.features.down;
            (if is_down { " := 0 to 1".to_owned() } else { range }, Number)
        } else {
            let ty = *self.dice.pick(&[Node, Node, Other, Colour, Boolean, Number]);
            (format!(": {}", self.type_name(ty)), ty)
        };
        let variable = false;
        (format!("ruleset {name}{domain} do\n"), Named { name, ty, variable })
    }

    /// The range in a binder: constant bounds, often descending.
    fn range(&mut self) -> String {
        let size = (self.high - self.low + 1) as usize;
        let (a, b) = (self.dice.roll(size) as i64, self.dice.roll(size) as i64);
        let (low, high) = (self.low + a.min(b), self.low + a.max(b));
        match self.dice.roll(5) {
            0 => format!(" := {low} to {high}"),
            1 => format!(" := {low} to {high} by 2"),
            2 | 3 => format!(" := {high} to {low} by -1"),
            _ => format!(" := {high} to {low} by -2"),
        }
    }

    /// Declarations at the start of a rule or subprogram, sometimes with a shadowing type; and their initialisation.
    fn locals(&mut self) -> (String, String) {
        let (mut text, mut first) = (String::new(), String::new());
        if self.features.local_types && self.dice.chance(50) {
            let (name, ty) = match self.dice.roll(5) {
                0 => ("S", format!("{}..{}", self.low, self.low + 1)),
                1 => ("S", "0..7".to_owned()),
                2 | 3 => ("P", format!("scalarset({})", 2 + self.dice.roll(2))),
                _ => ("E", "enum { white, black }".to_owned()),
            };
            let local = self.fresh("l");
            text.push_str(&format!("type {name}: {ty};\nvar {local}: {name};\n"));
            // A shadowed name has changed its meaning, so only some places may use it.
            if name == "S" {
                first.push_str(&format!("  {local} := {};\n", self.low.max(0)));
                self.scope.push(Named {
                    name: local,
                    ty: Number,
                    variable: true,
                });
            } else {
                let bound = self.fresh("q");
                let is_all = format!("exists {bound}: {name} do {bound} != {local} end");
                first.push_str(&format!(
                    "  clear {local};\n  if {is_all} then\n  bad := !bad;\n  end;\n"
                ));
            }
        }
        if self.dice.chance(25) {
            let ty = *self.dice.pick(&[Number, Boolean, Node]);
            let name = self.fresh("l");
            text.push_str(&format!("var {name}: {};\n", self.type_name(ty)));
            if let Some(value) = self.value(ty, 0).filter(|_| !self.undefined) {
                first.push_str(&format!("  {name} := {value};\n"));
            }
            self.scope.push(Named {
                name,
                ty,
                variable: true,
            });
        }
        (text, first)
    }

    fn property(&mut self) -> String {
        let before = self.scope.len();
        let (mut opened, mut closed) = (String::new(), String::new());
        self.calls *= usize::from(self.features.property_calls);
        if self.dice.chance(15) {
            let (line, named) = if self.features.property_calls && self.dice.chance(40) {
                let (line, named) = self.alias();
                (format!("alias {line} do\n"), named)
            } else {
                self.ruleset()
            };
            self.scope.push(named);
            opened = line;
            closed.push_str("end;\n");
        }
        let condition = match self.dice.roll(10) {
            0..4 => "!bad".to_owned(),
            4 => format!("x >= {}", self.low),
            5 | 6 => {
                let condition = self.condition(1);
                format!("!bad | {condition}")
            }
            _ => self.condition(2),
        };
        self.scope.truncate(before);
        format!("{opened}invariant \"property\"\n  {condition};\n{closed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most are valid models; `systems` tests whether they are lowered correctly.
    #[test]
    fn most_are_models() {
        let refused: Vec<String> = (0..200)
            .filter_map(|case| gated_model(Dice::new(1, case)).parametric_types().err())
            .map(|refused| refused.0)
            .collect();
        assert!(
            refused.len() < 30,
            "{} refused, such as\n{}",
            refused.len(),
            refused.join("\n")
        );
    }
}
