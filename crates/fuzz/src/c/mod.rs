//! C programs: compares Cubist with gcc.
//!
//! There are two sources of random programs: random expressions, statements, records and procedures ([`expression`],
//! [`statement`], [`records`]), which track the range of every value ([`view`]) so that nothing is undefined; and
//! [`template`]s for rare constructs, with random numbers, types and operators.

pub mod compare;
pub mod contained;
pub mod expression;
pub mod gcc;
pub mod records;
pub mod statement;
pub mod template;
mod templates;
pub mod view;

use crate::random::Dice;
use expression::Location;
use records::{Record, Shape};
use statement::{Passed, Pointer, Procedure, Returned, Whole};
use templates::{PRELUDE, TEMPLATES};
use view::KINDS;

/// A program under construction.
pub struct Generator {
    dice: Dice,
    /// Finished types, variables and procedures.
    top: String,
    /// Of the current procedure.
    body: String,
    scope: Vec<Location>,
    pointers: Vec<Pointer>,
    wholes: Vec<Whole>,
    records: Vec<Record>,
    procedures: Vec<Procedure>,
    /// Declared in the current block.
    names: Vec<String>,
    /// The last fresh number.
    numbers: usize,
    /// Whether variables and calls are currently forbidden.
    is_constant: bool,
    /// The current nesting level of blocks.
    depth: usize,
    /// How often a call executes the current statement.
    often: usize,
    /// The approximate number of steps of a call.
    cost: usize,
}

/// A random program that prints what it computes.
pub fn random_program(dice: Dice) -> String {
    let mut generator = Generator::new(dice);
    for _ in 0..1 + generator.dice.roll(4) {
        generator.record();
    }
    generator.globals();
    let globals = generator.scope.clone();
    let mut calls = Vec::new();
    for _ in 0..2 + generator.dice.roll(4) {
        let template = *generator.dice.pick(TEMPLATES);
        let number = generator.numbers + 1;
        let text = generator.filled(template);
        generator.top.push_str(&text);
        generator.top.push('\n');
        calls.push(format!("gadget{number}();"));
    }
    for _ in 0..1 + generator.dice.roll(5) {
        generator.procedure();
    }
    generator.main(&globals, &calls);
    generator.top
}

impl Generator {
    fn new(dice: Dice) -> Generator {
        Generator {
            dice,
            top: PRELUDE.to_owned(),
            body: String::new(),
            scope: Vec::new(),
            pointers: Vec::new(),
            wholes: Vec::new(),
            records: Vec::new(),
            procedures: Vec::new(),
            names: Vec::new(),
            numbers: 0,
            is_constant: false,
            depth: 0,
            often: 1,
            cost: 0,
        }
    }

    fn globals(&mut self) {
        for _ in 0..3 + self.dice.roll(6) {
            let number = self.number();
            let name = format!("g{number}");
            let shape = match self.dice.roll(6) {
                0 | 1 => Shape::Record(self.dice.roll(self.records.len())),
                2 => Shape::Array(Box::new(Shape::Integer(self.kind())), 1 + self.dice.roll(5)),
                3 => Shape::Array(Box::new(Shape::Record(self.dice.roll(self.records.len()))), 2),
                _ => Shape::Integer(self.kind()),
            };
            let value = match self.dice.chance(80) {
                true => format!(" = {}", self.initialiser(&shape, true)),
                false => String::new(),
            };
            let declared = self.declared(&shape, &name);
            let word = *self.dice.pick(&["", "static ", "static volatile "]);
            self.top.push_str(&format!("{word}{declared}{value};\n"));
            let mut parts = self.parts(&name, &shape, 0);
            if word.contains("volatile") {
                parts.iter_mut().for_each(|part| part.kind = None);
            } else if let Shape::Record(record) = shape {
                self.wholes.push(Whole { text: name, record });
            }
            self.scope.extend(parts);
        }
        for _ in 0..self.dice.roll(4) {
            let name = format!("p{}", self.number());
            let kind = self.kind();
            if let Some(address) = self.plain_address(kind) {
                let table = self.dice.chance(30);
                let type_name = KINDS[kind].name;
                if table {
                    self.top
                        .push_str(&format!("{type_name} *{name}[2] = {{ {address}, {address} }};\n"));
                    self.add_pointer(&format!("{name}[0]"), kind, 0);
                    self.add_pointer(&format!("{name}[1]"), kind, 0);
                } else {
                    self.top.push_str(&format!("static {type_name} *{name} = {address};\n"));
                    self.add_pointer(&name, kind, 0);
                    self.top.push_str(&format!("static {type_name} **p{name} = &{name};\n"));
                    self.add_pointer(&format!("*p{name}"), kind, 0);
                }
            }
        }
    }

    /// The address of a global variable, as an initialiser.
    fn plain_address(&mut self, kind: usize) -> Option<String> {
        let all: Vec<String> = self
            .scope
            .iter()
            .filter(|location| location.kind == Some(kind))
            .map(|location| format!("&{}", location.text))
            .collect();
        (!all.is_empty()).then(|| self.dice.pick(&all).clone())
    }

    fn procedure(&mut self) {
        let (scope, pointers, wholes) = (self.scope.clone(), self.pointers.clone(), self.wholes.clone());
        let name = format!("f{}", self.number());
        let (parameters, declared) = self.parameters();
        let kind = self.kind();
        let result = match self.dice.roll(5) {
            0 => Returned::Nothing,
            1 => Returned::Record(self.dice.roll(self.records.len())),
            _ => Returned::Integer(kind),
        };
        self.start_body();
        for _ in 0..2 {
            self.declaration();
        }
        let type_name = match &result {
            Returned::Nothing => "void".to_owned(),
            Returned::Integer(kind) => KINDS[*kind].name.to_owned(),
            Returned::Record(record) => self.records[*record].name.clone(),
        };
        let count = 2 + self.dice.roll(6);
        self.statements(count);
        match &result {
            Returned::Nothing => {}
            Returned::Integer(_) => {
                let value = self.expression(2);
                self.line(&format!("return {};", value.text));
            }
            Returned::Record(record) => {
                let value = self.record_argument(*record);
                self.line(&format!("return {value};"));
            }
        }
        let inline = *self
            .dice
            .pick(&["", "__attribute__((noinline)) ", "inline ", "__attribute__((unused)) "]);
        let list = if declared.is_empty() {
            "void".to_owned()
        } else {
            declared.join(", ")
        };
        self.top.push_str(&format!(
            "static {inline}{type_name} {name}({list}) {{\n{}}}\n",
            self.body
        ));
        self.procedures.push(Procedure {
            name,
            parameters,
            result,
            cost: self.cost,
        });
        self.scope = scope;
        self.pointers = pointers;
        self.wholes = wholes;
    }

    /// The parameters of a procedure and their declarations.
    fn parameters(&mut self) -> (Vec<Passed>, Vec<String>) {
        let mut parameters = Vec::new();
        let mut declared = Vec::new();
        self.depth = 1;
        for number in 0..self.dice.roll(5) {
            let name = format!("a{number}");
            let kind = self.kind();
            match self.dice.roll(6) {
                0 => {
                    let record = self.dice.roll(self.records.len());
                    let shape = Shape::Record(record);
                    declared.push(self.declared(&shape, &name));
                    let parts = self.parts(&name, &shape, 1);
                    self.scope.extend(parts);
                    self.wholes.push(Whole { text: name, record });
                    parameters.push(Passed::Record(record));
                }
                1 => {
                    declared.push(format!("{} *{name}", KINDS[kind].name));
                    self.add_pointer(&name, kind, 1);
                    parameters.push(Passed::Pointer(kind));
                }
                _ => {
                    declared.push(format!("{} {name}", KINDS[kind].name));
                    let parts = self.parts(&name, &Shape::Integer(kind), 1);
                    self.scope.extend(parts);
                    parameters.push(Passed::Integer(kind));
                }
            }
        }
        (parameters, declared)
    }

    fn start_body(&mut self) {
        self.body.clear();
        self.names.clear();
        self.cost = 1;
        self.often = 1;
        self.depth = 1;
    }

    fn main(&mut self, globals: &[Location], calls: &[String]) {
        self.start_body();
        let shown = globals.len().min(12);
        for call in calls {
            self.line(call);
        }
        let (scope, pointers, wholes) = (self.scope.clone(), self.pointers.clone(), self.wholes.clone());
        for _ in 0..2 {
            self.declaration();
        }
        self.statements(6);
        for _ in 0..3 {
            self.call();
        }
        // Declared after a block of its own would have hidden it.
        let locals = self.scope.len().saturating_sub(scope.len()).min(6);
        for location in self.scope.clone().iter().rev().take(locals) {
            self.line(&format!("show(\"{0}\", {0});", location.text));
        }
        let body = std::mem::take(&mut self.body);
        self.scope = scope;
        self.pointers = pointers;
        self.wholes = wholes;
        self.top.push_str(&format!("static void work(void) {{\n{body}}}\n"));
        self.start_body();
        self.line("work();");
        for (number, location) in globals.iter().enumerate() {
            let text = &location.text;
            let kind = location.kind.map(|kind| KINDS[kind]);
            match kind {
                Some(kind) if number < shown => self.line(&format!(
                    "printf(\"{text} = {}\\n\", {text}); add((unsigned long long){text});",
                    kind.format
                )),
                _ if number < shown => self.line(&format!("show(\"{text}\", (long long){text});")),
                _ => self.line(&format!("add((unsigned long long){text});")),
            }
        }
        self.line("for (int i = 0; i < 64; i++) add(touched[i]);");
        self.line("printf(\"checksum = %llx\\n\", checksum);");
        self.line("return (int)(checksum >> 7 & 0x3f);");
        self.top.push_str(&format!("int main(void) {{\n{}}}\n", self.body));
    }
}
