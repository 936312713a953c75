//! Random structs and unions, their initialisers, and their members.

use super::Generator;
use super::expression::Location;
use super::view::{KINDS, ValueRange};

#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub is_union: bool,
    pub is_packed: bool,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Integer(usize),
    /// A bit-field of this type and width. Without a name it is padding.
    Bits(usize, u32),
    Record(usize),
    Array(Box<Shape>, usize),
}

/// The maximum number of integers used of one variable.
const PARTS: usize = 20;

impl Generator {
    pub fn record(&mut self) {
        let number = self.records.len();
        let is_union = self.dice.chance(25);
        let members = if is_union { self.union_members() } else { self.members() };
        let is_packed = !is_union && self.dice.chance(15);
        let record = Record {
            name: format!("{} r{number}", if is_union { "union" } else { "struct" }),
            is_union,
            is_packed,
            members,
        };
        let mut text = format!("{} {{\n", record.name);
        for member in &record.members {
            text.push_str(&format!("  {};\n", self.declared(&member.shape, &member.name)));
        }
        let attribute = match (is_packed, self.dice.roll(10)) {
            (true, _) => " __attribute__((packed))",
            (false, 0) => " __attribute__((aligned(8)))",
            (false, 1) => " __attribute__((__aligned__(16), unused))",
            _ => "",
        };
        text.push_str(&format!("}}{attribute};\n"));
        self.records.push(record);
        self.top.push_str(&text);
    }

    pub fn declared(&self, shape: &Shape, name: &str) -> String {
        match shape {
            Shape::Integer(kind) => format!("{} {name}", KINDS[*kind].name),
            Shape::Bits(kind, width) => format!("{} {name}:{width}", KINDS[*kind].name),
            Shape::Record(record) => format!("{} {name}", self.records[*record].name),
            Shape::Array(element, length) => self.declared(element, &format!("{name}[{length}]")),
        }
    }

    fn members(&mut self) -> Vec<Member> {
        let count = 1 + self.dice.roll(6);
        let mut members: Vec<Member> = Vec::new();
        for number in 0..count {
            let shape = match self.dice.roll(10) {
                0..=4 => self.bits(),
                5 if !self.records.is_empty() => Shape::Record(self.dice.roll(self.records.len())),
                6 => {
                    let element = match self.dice.roll(3) {
                        0 if !self.records.is_empty() => Shape::Record(self.dice.roll(self.records.len())),
                        1 => Shape::Array(Box::new(Shape::Integer(self.kind())), 1 + self.dice.roll(3)),
                        _ => Shape::Integer(self.kind()),
                    };
                    Shape::Array(Box::new(element), 1 + self.dice.roll(4))
                }
                _ => Shape::Integer(self.kind()),
            };
            let name = match shape {
                Shape::Bits(_, 0) => String::new(),
                Shape::Bits(..) if self.dice.chance(10) => String::new(),
                _ => format!("m{number}"),
            };
            members.push(Member { name, shape });
        }
        if members.iter().all(|member| member.name.is_empty()) {
            members.push(Member {
                name: "last".to_owned(),
                shape: Shape::Integer(self.kind()),
            });
        }
        members
    }

    fn bits(&mut self) -> Shape {
        let kind = self.kind();
        let most = KINDS[kind].bits[0] as usize;
        let width = match self.dice.roll(8) {
            0 => 0,
            1 => most,
            2 => most.min(1),
            _ => 1 + self.dice.roll(most),
        };
        Shape::Bits(kind, u32::try_from(width).unwrap_or(1))
    }

    /// Members of equal size in both data models, so that any of them can be read after writing any other.
    fn union_members(&mut self) -> Vec<Member> {
        let wide = self.dice.chance(50);
        let bytes = if wide { 8 } else { 4 };
        let mut shapes = vec![
            Shape::Array(Box::new(Shape::Integer(3)), bytes),
            Shape::Array(Box::new(Shape::Integer(4)), bytes / 2),
            Shape::Integer(if wide { 11 } else { 7 }),
            Shape::Integer(if wide { 10 } else { 6 }),
            Shape::Array(Box::new(Shape::Array(Box::new(Shape::Integer(2)), 2)), bytes / 2),
        ];
        if wide {
            shapes.push(Shape::Array(Box::new(Shape::Integer(6)), 2));
        }
        let count = 2 + self.dice.roll(3);
        let mut members = Vec::new();
        for number in 0..count {
            let shape = shapes.swap_remove(self.dice.roll(shapes.len()));
            let name = format!("u{number}");
            members.push(Member { name, shape });
        }
        members
    }

    /// The integers in a variable of struct or union type, each with its expression.
    pub fn parts(&mut self, text: &str, shape: &Shape, level: usize) -> Vec<Location> {
        let mut parts = Vec::new();
        self.add_parts(text, shape, level, true, &mut parts);
        while parts.len() > PARTS {
            let number = self.dice.roll(parts.len());
            parts.swap_remove(number);
        }
        parts
    }

    fn add_parts(&mut self, text: &str, shape: &Shape, level: usize, aligned: bool, parts: &mut Vec<Location>) {
        match shape {
            Shape::Integer(kind) => parts.push(Location {
                text: text.to_owned(),
                views: KINDS[*kind].views(),
                kind: aligned.then_some(*kind),
                is_constant: false,
                level,
                is_plain: true,
            }),
            Shape::Bits(kind, width) => {
                let view = ValueRange::full(*width, KINDS[*kind].is_signed);
                parts.push(Location {
                    text: text.to_owned(),
                    views: [view; 2],
                    kind: None,
                    is_constant: false,
                    level,
                    is_plain: true,
                });
            }
            Shape::Record(record) => {
                let record = self.records[*record].clone();
                for member in record.members.iter().filter(|member| !member.name.is_empty()) {
                    let text = format!("{text}.{}", member.name);
                    let aligned = aligned && !record.is_packed;
                    self.add_parts(&text, &member.shape, level, aligned, parts);
                }
            }
            Shape::Array(element, length) => {
                for number in 0..*length {
                    self.add_parts(&format!("{text}[{number}]"), element, level, aligned, parts);
                }
            }
        }
    }

    /// An initialiser; constant for a static variable.
    pub fn initialiser(&mut self, shape: &Shape, is_static: bool) -> String {
        match shape {
            Shape::Integer(_) | Shape::Bits(..) => {
                if is_static {
                    self.constant_expression(1).argument()
                } else {
                    self.expression(1).argument()
                }
            }
            Shape::Record(record) => {
                let record = self.records[*record].clone();
                self.record_initialiser(&record, is_static)
            }
            Shape::Array(element, length) => self.array_initialiser(element, *length, is_static),
        }
    }

    fn record_initialiser(&mut self, record: &Record, is_static: bool) -> String {
        let named: Vec<&Member> = record.members.iter().filter(|member| !member.name.is_empty()).collect();
        if record.is_union {
            let member = named[self.dice.roll(named.len())];
            let value = self.initialiser(&member.shape, is_static);
            return format!("{{ .{} = {value} }}", member.name);
        }
        let mut parts = Vec::new();
        match self.dice.roll(4) {
            0 => {
                // In any order, with repetitions: the last one counts. Without side effects, since it is unspecified
                // whether those of overridden ones happen.
                for _ in 0..1 + self.dice.roll(4) {
                    let member = named[self.dice.roll(named.len())];
                    let value = self.initialiser(&member.shape, true);
                    parts.push(format!(".{} = {value}", member.name));
                }
            }
            1 => {
                let first = self.dice.roll(named.len());
                for (number, member) in named[first..].iter().enumerate() {
                    let value = self.initialiser(&member.shape, is_static);
                    let designator = if number == 0 {
                        format!(".{} = ", member.name)
                    } else {
                        String::new()
                    };
                    parts.push(format!("{designator}{value}"));
                }
            }
            2 => {
                let count = 1 + self.dice.roll(named.len());
                for member in &named[..count] {
                    parts.push(self.initialiser(&member.shape, is_static));
                }
            }
            _ => {
                // Without inner braces.
                for member in &named {
                    self.flat(&member.shape, is_static, &mut parts);
                }
            }
        }
        format!("{{ {} }}", parts.join(", "))
    }

    fn flat(&mut self, shape: &Shape, is_static: bool, parts: &mut Vec<String>) {
        match shape {
            Shape::Integer(_) | Shape::Bits(..) => parts.push(self.initialiser(shape, is_static)),
            Shape::Array(element, length) => {
                for _ in 0..*length {
                    self.flat(element, is_static, parts);
                }
            }
            Shape::Record(record) => {
                let record = self.records[*record].clone();
                if record.is_union {
                    // The first member by default.
                    return self.flat(&record.members[0].shape, is_static, parts);
                }
                for member in record.members.iter().filter(|member| !member.name.is_empty()) {
                    self.flat(&member.shape, is_static, parts);
                }
            }
        }
    }

    fn array_initialiser(&mut self, element: &Shape, length: usize, is_static: bool) -> String {
        if matches!(element, Shape::Integer(1..=3)) && self.dice.chance(30) {
            let all = [
                ("\"\"", 1),
                ("\"x\"", 1),
                ("\"ab\"", 2),
                ("\"\\377\\n\"", 2),
                ("\"a\\0b\"", 3),
                ("\"\\x41\" \"bc\"", 3),
            ];
            let fitting = all.iter().take_while(|(_, characters)| *characters <= length).count();
            let (text, _) = all[self.dice.roll(fitting)];
            return if self.dice.chance(20) {
                format!("{{ {text} }}")
            } else {
                text.to_owned()
            };
        }
        let mut parts = Vec::new();
        match self.dice.roll(3) {
            0 => {
                let from = self.dice.roll(length);
                let to = from + self.dice.roll(length - from);
                let value = self.initialiser(element, true);
                parts.push(format!("[{from} ... {to}] = {value}"));
                let at = self.dice.roll(length);
                let value = self.initialiser(element, true);
                parts.push(format!("[{at}] = {value}"));
            }
            1 => {
                let at = self.dice.roll(length);
                let value = self.initialiser(element, is_static);
                parts.push(format!("[{at}] = {value}"));
                if at + 1 < length {
                    parts.push(self.initialiser(element, is_static));
                }
            }
            _ => {
                for _ in 0..1 + self.dice.roll(length) {
                    parts.push(self.initialiser(element, is_static));
                }
            }
        }
        format!("{{ {} }}", parts.join(", "))
    }
}
