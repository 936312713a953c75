//! Random well-typed guarded-command systems, as Murphi source.
//!
//! They contain Booleans, an enumeration, a small range, one or two parametric index types, arrays over them (also of
//! pointers), quantified guards and properties, loops as simultaneous updates, choices and assertions. Everything is
//! initialised, so that exploration and proof have the same semantics. Each conjunct and statement is on a line of its
//! own: failing models are minimised by removing lines.

use crate::confirmation::countermodel;
use crate::random::Dice;
use crate::source::Source;
use explore::{Deadlock, SearchOptions, SearchVerdict, SilentObserver, ViolationKind};
use logic::Cancellation;
use std::collections::BTreeMap;
use std::time::Duration;
use system::TransitionSystem;
use system::certificate::Certificate;
use system::transition::Fact;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Boolean,
    Enumeration,
    Small,
    Node,
    Other,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Boolean => "boolean",
            Sort::Enumeration => "COLOUR",
            Sort::Small => "SMALL",
            Sort::Node => "NODE",
            Sort::Other => "OTHER",
        }
    }
}

struct Variable {
    name: String,
    indices: Vec<Sort>,
    value: Sort,
}

const COLOURS: [&str; 3] = ["red", "green", "blue"];

struct Maker {
    dice: Dice,
    /// Whether nodes are a range, whose first element has a literal.
    range: bool,
    variables: Vec<Variable>,
    /// Names of elements in scope.
    scope: Vec<(String, Sort)>,
    names: usize,
    /// The array that a loop changes: its iterations must not depend on each other through it.
    hidden: Option<usize>,
}

/// A random system with one property. From several candidates, it usually selects a property that small instances
/// satisfy, and prefers one that is violated late or is not inductive by itself.
pub fn random_system(dice: Dice) -> Source {
    let mut maker = Maker {
        dice,
        range: false,
        variables: Vec::new(),
        scope: Vec::new(),
        names: 0,
        hidden: None,
    };
    let model = maker.model();
    let predicates = maker.predicates();
    let candidates: Vec<String> = (0..24).map(|_| maker.property()).collect();
    let all: String = candidates
        .iter()
        .enumerate()
        .map(|(number, property)| format!("invariant \"{number}\"\n{property};\n"))
        .collect();
    let all = Source::new("candidates.m", format!("{model}{all}"));
    let violated = violated_properties(&all);
    let with = |number: usize| {
        let text = format!("{model}{predicates}invariant \"property\"\n{};\n", candidates[number]);
        Source::new("random.m", text)
    };
    let late = violated.iter().max_by_key(|(_, depth)| **depth);
    if maker.dice.chance(35)
        && let Some((number, _)) = late
    {
        return with(*number);
    }
    let mut satisfied: Vec<usize> = (0..candidates.len()).filter(|n| !violated.contains_key(n)).collect();
    if maker.dice.chance(75)
        && let Ok(system) = all.system()
    {
        for _ in 0..satisfied.len().min(12) {
            let number = satisfied.swap_remove(maker.dice.roll(satisfied.len()));
            if !is_inductive(&system, number) {
                return with(number);
            }
        }
    }
    with(satisfied.first().copied().unwrap_or(0))
}

/// The properties that fail with two elements, and after how many rules.
fn violated_properties(source: &Source) -> BTreeMap<usize, usize> {
    let mut violated = BTreeMap::new();
    let Ok(mut instance) = source.instance(2) else {
        return violated;
    };
    let options = SearchOptions {
        deadlock: Deadlock::Off,
        max_states: Some(20_000),
        time_limit: Some(Duration::from_secs(1)),
        max_violations: usize::MAX,
        ..SearchOptions::default()
    };
    // Each state reports only the first violated property; later ones appear once that property is removed.
    loop {
        let outcome = explore::explore(&instance, &options, &Cancellation::new(), &mut SilentObserver);
        let first = match &outcome.verdict {
            SearchVerdict::Violation(first) => Some(&**first),
            _ => None,
        };
        let mut found = Vec::new();
        for violation in first.into_iter().chain(&outcome.further) {
            if let ViolationKind::Invariant { property } = violation.kind {
                let name = instance.properties[property].name.clone();
                let depth = violation.trace.as_ref().map_or(0, |trace| trace.steps.len());
                violated.extend(name.parse::<usize>().map(|number| (number, depth)));
                found.push(name);
            }
        }
        if found.is_empty() {
            return violated;
        }
        instance.properties.retain(|property| !found.contains(&property.name));
    }
}

/// Whether the property with this index is inductive by itself, also from unreachable states.
fn is_inductive(system: &TransitionSystem, number: usize) -> bool {
    let Some(property) = system
        .properties
        .iter()
        .find(|property| property.name == number.to_string())
    else {
        return true;
    };
    let certificate = Certificate {
        properties: vec![property.name.clone()],
        facts: vec![Fact {
            name: property.name.clone(),
            formula: property.formula,
            span: property.span,
        }],
        ..Certificate::default()
    };
    countermodel(system, &certificate, 50_000) == Some(false)
}

impl Maker {
    fn model(&mut self) -> String {
        self.range = self.dice.chance(20);
        let two = self.dice.chance(15);
        let mut text = String::from("const COUNT: 3;\ntype\n");
        text.push_str(if self.range {
            "  NODE: 1..COUNT;\n"
        } else {
            "  NODE: scalarset(COUNT);\n"
        });
        if two {
            text.push_str("  OTHER: scalarset(2);\n");
        }
        text.push_str("  COLOUR: enum { red, green, blue };\n  SMALL: 0..2;\nvar\n");
        self.declare(two);
        for variable in &self.variables {
            let arrays: String = variable
                .indices
                .iter()
                .map(|i| format!("array [{}] of ", i.name()))
                .collect();
            text.push_str(&format!("  {}: {arrays}{};\n", variable.name, variable.value.name()));
        }
        text.push_str(&self.start(two));
        for number in 0..1 + self.dice.roll(6) {
            text.push_str(&self.rule(number, two));
        }
        text
    }

    /// Sometimes predicates: about one or two elements, or about global state.
    fn predicates(&mut self) -> String {
        if self.dice.chance(70) {
            return String::new();
        }
        let indices = 1 + self.dice.roll(2);
        let names = &["i", "j"][..indices];
        let mut text = format!("index {}: NODE;\n", names.join(", "));
        for number in 0..1 + self.dice.roll(4) {
            if self.dice.chance(80) {
                self.scope = names.iter().map(|name| ((*name).to_owned(), Sort::Node)).collect();
            }
            let formula = self.condition(self.names % 2);
            text.push_str(&format!("predicate \"p{number}\" {formula};\n"));
            self.scope.clear();
        }
        text
    }

    fn declare(&mut self, two: bool) {
        let node = if two && self.dice.chance(30) {
            Sort::Other
        } else {
            Sort::Node
        };
        let kinds: [(&[Sort], Sort); 12] = [
            (&[], Sort::Boolean),
            (&[], Sort::Boolean),
            (&[], Sort::Enumeration),
            (&[], Sort::Small),
            (&[], Sort::Node),
            (&[Sort::Node], Sort::Boolean),
            (&[Sort::Node], Sort::Boolean),
            (&[Sort::Node], Sort::Enumeration),
            (&[Sort::Node], Sort::Small),
            (&[node], Sort::Node),
            (&[Sort::Enumeration], Sort::Boolean),
            (&[Sort::Node, node], Sort::Boolean),
        ];
        // Pointers and tables are rarer: properties about them are hard to prove.
        let weights = [14, 10, 14, 8, 8, 16, 12, 16, 6, 3, 3, 4];
        for number in 0..2 + self.dice.roll(5) {
            let mut roll = self.dice.roll(weights.iter().sum());
            let mut kind = 0;
            while roll >= weights[kind] {
                roll -= weights[kind];
                kind += 1;
            }
            let (indices, value) = kinds[kind];
            self.variables.push(Variable {
                name: format!("v{number}"),
                indices: indices.to_vec(),
                value,
            });
        }
        if two {
            self.variables.push(Variable {
                name: "w".to_owned(),
                indices: vec![Sort::Other],
                value: Sort::Boolean,
            });
        }
    }

    /// A parameter `s` initialises the pointers.
    fn start(&mut self, two: bool) -> String {
        self.scope = vec![("s".to_owned(), Sort::Node)];
        if two {
            self.scope.push(("t".to_owned(), Sort::Other));
        }
        let mut text = String::from("ruleset s: NODE do\n");
        if two {
            text.push_str("ruleset t: OTHER do\n");
        }
        text.push_str("startstate\n");
        for number in 0..self.variables.len() {
            let (name, indices) = (
                self.variables[number].name.clone(),
                self.variables[number].indices.clone(),
            );
            let value = self.variables[number].value;
            if self.dice.chance(4) {
                text.push_str(&format!("  havoc {name};\n"));
                continue;
            }
            let names: Vec<String> = (0..indices.len()).map(|n| format!("i{n}")).collect();
            let before = self.scope.len();
            for (name, sort) in names.iter().zip(&indices) {
                text.push_str(&format!("  for {name}: {} do\n", sort.name()));
                if matches!(sort, Sort::Node | Sort::Other) {
                    self.scope.push((name.clone(), *sort));
                }
            }
            let places: String = names.iter().map(|name| format!("[{name}]")).collect();
            let value = self.first_value(value);
            text.push_str(&format!("  {name}{places} := {value};\n"));
            text.push_str(&"  end;\n".repeat(indices.len()));
            self.scope.truncate(before);
        }
        text.push_str("end;\nend;\n");
        if two {
            text.push_str("end;\n");
        }
        self.scope.clear();
        text
    }

    fn first_value(&mut self, sort: Sort) -> String {
        match sort {
            Sort::Boolean if self.dice.chance(10) => {
                let (a, b) = (self.element(Sort::Node), self.element(Sort::Node));
                format!("{a} = {b}")
            }
            Sort::Boolean => ["false", "false", "true"][self.dice.roll(3)].to_owned(),
            Sort::Enumeration => COLOURS[self.dice.roll(2)].to_owned(),
            Sort::Small => self.dice.roll(2).to_string(),
            Sort::Node | Sort::Other => self.element(sort),
        }
    }

    fn rule(&mut self, number: usize, two: bool) -> String {
        let parameters: usize = [0, 1, 1, 1, 2][self.dice.roll(5)];
        let mut text = String::new();
        for name in &["p", "q"][..parameters] {
            let sort = if two && self.dice.chance(25) {
                Sort::Other
            } else {
                Sort::Node
            };
            text.push_str(&format!("ruleset {name}: {} do\n", sort.name()));
            self.scope.push(((*name).to_owned(), sort));
        }
        text.push_str(&format!("rule \"r{number}\"\n  true\n"));
        for _ in 0..[0, 1, 1, 2, 2, 3, 4][self.dice.roll(7)] {
            let conjunct = self.condition(1);
            text.push_str(&format!("  & {conjunct}\n"));
        }
        text.push_str("==>\n");
        for _ in 0..1 + self.dice.roll(3) {
            text.push_str(&self.statement(2));
        }
        text.push_str("end;\n");
        text.push_str(&"end;\n".repeat(parameters));
        self.scope.clear();
        text
    }

    fn property(&mut self) -> String {
        let count = self.dice.roll(3);
        let names: Vec<String> = (0..count).map(|_| self.fresh()).collect();
        for name in &names {
            self.scope.push((name.clone(), Sort::Node));
        }
        let mut body = String::new();
        if let [a, b] = names.as_slice()
            && self.dice.chance(80)
        {
            body.push_str(&format!("{a} != {b} -> "));
        }
        if self.dice.chance(70) {
            let literals: Vec<String> = (0..2 + self.dice.roll(3))
                .map(|_| self.condition(self.names % 2))
                .collect();
            body.push_str(&format!("({})", literals.join(" | ")));
        } else {
            body.push_str(&self.condition(2));
        }
        self.scope.clear();
        let opening: String = names.iter().map(|name| format!("forall {name}: NODE do ")).collect();
        format!("  {opening}{body}{}", " end".repeat(count))
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    /// An element of an index type that is not read from a variable, if there is one.
    fn element(&mut self, sort: Sort) -> String {
        let named: Vec<String> = self
            .scope
            .iter()
            .filter(|(_, s)| *s == sort)
            .map(|(n, _)| n.clone())
            .collect();
        if named.is_empty() {
            return self.pointer(sort).unwrap_or_default();
        }
        self.dice.pick(&named).clone()
    }

    /// A place that holds a value of the sort.
    fn pointer(&mut self, sort: Sort) -> Option<String> {
        let holds: Vec<usize> = (0..self.variables.len())
            .filter(|n| {
                let variable = &self.variables[*n];
                self.hidden != Some(*n)
                    && variable.value == sort
                    && variable.indices.iter().all(|index| self.is_nameable(*index))
            })
            .collect();
        if holds.is_empty() {
            return None;
        }
        let number = *self.dice.pick(&holds);
        Some(self.place(number))
    }

    /// Whether some element has a name.
    fn is_nameable(&self, sort: Sort) -> bool {
        match sort {
            Sort::Node | Sort::Other => self.scope.iter().any(|(_, s)| *s == sort),
            _ => true,
        }
    }

    fn place(&mut self, number: usize) -> String {
        let indices = self.variables[number].indices.clone();
        let mut text = self.variables[number].name.clone();
        for index in indices {
            let value = self.value(index, 0);
            text.push_str(&format!("[{value}]"));
        }
        text
    }

    /// A value of the sort; for index types only if one has a name.
    fn value(&mut self, sort: Sort, depth: usize) -> String {
        if sort == Sort::Boolean {
            return self.condition(depth);
        }
        if self.dice.chance(35)
            && let Some(place) = self.pointer(sort)
        {
            return place;
        }
        match sort {
            Sort::Enumeration => COLOURS[self.dice.roll(3)].to_owned(),
            Sort::Small => self.dice.roll(3).to_string(),
            Sort::Node if self.range && self.dice.chance(10) => "1".to_owned(),
            _ => self.element(sort),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 {
            match self.dice.roll(10) {
                0 => {
                    let a = self.condition(depth - 1);
                    return format!("!({a})");
                }
                1..=4 => {
                    let word = ["&", "|", "->"][self.dice.roll(3)];
                    let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                    return format!("({a} {word} {b})");
                }
                5 | 6 => return self.quantified(depth),
                _ => {}
            }
        }
        self.atom()
    }

    fn quantified(&mut self, depth: usize) -> String {
        let word = ["forall", "exists"][self.dice.roll(2)];
        let name = self.fresh();
        let sort = if self.variables.iter().any(|v| v.name == "w") && self.dice.chance(30) {
            Sort::Other
        } else {
            Sort::Node
        };
        self.scope.push((name.clone(), sort));
        let mut body = self.condition(depth - 1);
        // It usually mentions all others.
        if self.scope.len() > 1 && sort == self.scope[0].1 && self.dice.chance(50) {
            let other = self.scope[0].0.clone();
            let link = if word == "forall" { "->" } else { "&" };
            body = format!("{name} != {other} {link} {body}");
        }
        self.scope.pop();
        format!("({word} {name}: {} do {body} end)", sort.name())
    }

    fn atom(&mut self) -> String {
        for _ in 0..8 {
            let number = self.dice.roll(self.variables.len());
            let nameable = |maker: &Maker| maker.variables[number].indices.iter().all(|i| maker.is_nameable(*i));
            if !nameable(self) || self.hidden == Some(number) {
                continue;
            }
            let value = self.variables[number].value;
            let place = self.place(number);
            return match value {
                Sort::Boolean if self.dice.chance(50) => format!("!{place}"),
                Sort::Boolean => place,
                Sort::Small if self.dice.chance(30) => {
                    let other = self.value(Sort::Small, 0);
                    format!("{place} {} {other}", ["<", "<="][self.dice.roll(2)])
                }
                Sort::Node | Sort::Other if !self.is_nameable(value) => continue,
                _ => {
                    let other = self.value(value, 0);
                    format!("{place} {} {other}", ["=", "=", "!="][self.dice.roll(3)])
                }
            };
        }
        if self.scope.len() > 1 && self.scope[0].1 == self.scope[1].1 {
            return format!("{} != {}", self.scope[0].0, self.scope[1].0);
        }
        "true".to_owned()
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.dice.roll(if depth == 0 { 14 } else { 20 }) {
            14..=16 => {
                let condition = self.condition(1);
                let (yes, no) = (self.statement(depth - 1), self.statement(depth - 1));
                if self.dice.chance(50) {
                    format!("  if {condition} then\n{yes}  end;\n")
                } else {
                    format!("  if {condition} then\n{yes}  else\n{no}  end;\n")
                }
            }
            17..=19 => self.simultaneous(),
            13 if self.dice.chance(12) => {
                let condition = self.condition(1);
                format!("  assert {condition};\n")
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> String {
        for _ in 0..8 {
            let number = self.dice.roll(self.variables.len());
            let variable = &self.variables[number];
            let value = variable.value;
            if !variable.indices.iter().all(|index| self.is_nameable(*index))
                || matches!(value, Sort::Node | Sort::Other) && !self.is_nameable(value)
            {
                continue;
            }
            let place = self.place(number);
            if self.dice.chance(3) {
                return format!("  havoc {place};\n");
            }
            let value = self.new_value(value, &place);
            return format!("  {place} := {value};\n");
        }
        String::new()
    }

    fn new_value(&mut self, sort: Sort, place: &str) -> String {
        match sort {
            Sort::Boolean if self.dice.chance(70) => ["true", "false"][self.dice.roll(2)].to_owned(),
            Sort::Enumeration if self.dice.chance(70) => COLOURS[self.dice.roll(3)].to_owned(),
            Sort::Small => match self.dice.roll(8) {
                0 if self.dice.chance(25) => format!("{place} + 1"),
                1 | 2 => format!("({place} = 2 ? 0 : {place} + 1)"),
                3 => format!("2 - {place}"),
                _ => self.value(sort, 1),
            },
            _ => self.value(sort, 1),
        }
    }

    /// A loop that updates a whole array simultaneously.
    fn simultaneous(&mut self) -> String {
        let arrays: Vec<usize> = (0..self.variables.len())
            .filter(|n| self.variables[*n].indices.len() == 1 && self.variables[*n].indices[0] != Sort::Enumeration)
            .collect();
        if arrays.is_empty() {
            return self.assignment();
        }
        let number = *self.dice.pick(&arrays);
        let (name, sort) = (self.variables[number].name.clone(), self.variables[number].indices[0]);
        let value = self.variables[number].value;
        let index = self.fresh();
        self.scope.push((index.clone(), sort));
        self.hidden = Some(number);
        let text = if matches!(value, Sort::Node | Sort::Other) && !self.is_nameable(value) {
            String::new()
        } else {
            let condition = self.condition(1);
            let value = self.new_value(value, &format!("{name}[{index}]"));
            let change = format!("  {name}[{index}] := {value};\n");
            let body = if self.dice.chance(50) {
                format!("  if {condition} then\n{change}  end;\n")
            } else {
                change
            };
            format!("  for {index}: {} do\n{body}  end;\n", sort.name())
        };
        self.hidden = None;
        self.scope.pop();
        text
    }
}
