//! Random statements, all of which terminate.

use super::Generator;
use super::expression::Location;
use super::records::Shape;
use super::view::{KINDS, ValueRange};

/// A pointer variable that always points to a live integer.
#[derive(Clone, Debug)]
pub struct Pointer {
    pub text: String,
    pub kind: usize,
    /// The nesting level of its block; 0 for static lifetime.
    pub level: usize,
}

/// A whole struct or union that can be assigned.
#[derive(Clone, Debug)]
pub struct Whole {
    pub text: String,
    pub record: usize,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub parameters: Vec<Passed>,
    pub result: Returned,
    /// The approximate number of steps.
    pub cost: usize,
}

#[derive(Clone, Debug)]
pub enum Passed {
    Integer(usize),
    Record(usize),
    Pointer(usize),
}

#[derive(Clone, Debug)]
pub enum Returned {
    Nothing,
    Integer(usize),
    Record(usize),
}

/// The approximate maximum number of steps of a procedure.
const COST: usize = 4000;

impl Generator {
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.body.push_str("  ");
        }
        self.body.push_str(text);
        self.body.push('\n');
        self.cost += self.often;
    }

    pub fn block(&mut self, count: usize) {
        let (scope, pointers, wholes) = (self.scope.clone(), self.pointers.clone(), self.wholes.clone());
        let names = std::mem::take(&mut self.names);
        self.depth += 1;
        for _ in 0..count {
            self.statement();
        }
        self.depth -= 1;
        self.names = names;
        self.scope = scope;
        self.pointers = pointers;
        self.wholes = wholes;
    }

    pub fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let is_deep = self.depth > 4 || self.cost > COST;
        match self.dice.roll(if is_deep { 10 } else { 20 }) {
            0..=3 => self.assignment(),
            4 | 5 => self.compound(),
            6 => self.count(),
            7 => self.point(),
            8 => self.copy(),
            9 => self.declaration(),
            10 | 11 => self.branch(),
            12..=14 => self.repeat(),
            15 => self.switch(),
            16 => self.jump(),
            _ => self.call(),
        }
    }

    fn target(&mut self) -> Option<Location> {
        let open: Vec<Location> = self
            .scope
            .iter()
            .filter(|location| !location.is_constant)
            .cloned()
            .collect();
        (!open.is_empty()).then(|| self.dice.pick(&open).clone())
    }

    fn assignment(&mut self) {
        let Some(target) = self.target() else { return };
        let value = self.expression(3);
        match self.dice.roll(12) {
            0 => {
                let Some(first) = self
                    .target()
                    .filter(|first| first.text != target.text && first.is_plain)
                else {
                    return;
                };
                // In either order: neither assignment reads the target of the other.
                let value = value.argument();
                self.line(&format!("{} = 1, {} = {value};", target.text, first.text));
            }
            1 if target.is_plain => self.line(&format!("({{ {} = {}; }});", target.text, value.text)),
            _ => self.line(&format!("{} = {};", target.text, value.text)),
        }
    }

    fn compound(&mut self) {
        let Some(target) = self.target() else { return };
        let operator = *self.dice.pick(&["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"]);
        for _ in 0..4 {
            let value = self.expression(2);
            let defined =
                (0..2).all(|model| ValueRange::binary(operator, target.views[model], value.views[model]).is_some());
            if defined {
                let value = value.argument();
                self.line(&format!("{} {operator}= {value};", target.text));
                return;
            }
        }
        if self.dice.chance(50) {
            let value = self.leaf();
            let value = self.narrow(value).argument();
            let (text, operator) = (&target.text, *self.dice.pick(&["+", "-", "*"]));
            self.line(&format!(
                "if ({text} > -1000 && {text} < 1000) {text} {operator}= (short)({value});"
            ));
            return;
        }
        let by = 1 + self.dice.roll(6);
        let operator = *self.dice.pick(&["&", "|", "^", ">>", "/"]);
        self.line(&format!("{} {operator}= {by};", target.text));
    }

    /// `++` and `--`, including narrow types at their limits.
    fn count(&mut self) {
        let Some(target) = self.target() else { return };
        let wraps = target.views.iter().all(|view| {
            if view.is_signed {
                view.bits < 32
            } else {
                view.bits != 31
            }
        });
        let operator = *self.dice.pick(&["++", "--"]);
        let text = &target.text;
        if !wraps {
            let guard = if operator == "++" { "< 100" } else { "> -100" };
            self.line(&format!("if ({text} {guard}) {text}{operator};"));
            return;
        }
        let other = self.target().filter(|other| other.is_plain && other.text != *text);
        match (self.dice.roll(4), other) {
            (0, _) => self.line(&format!("{operator}{text};")),
            (1, Some(other)) if target.is_plain => self.line(&format!("{} = {text}{operator};", other.text)),
            (2, Some(other)) if target.is_plain => self.line(&format!("{} = {operator}{text};", other.text)),
            _ => self.line(&format!("{text}{operator};")),
        }
    }

    /// Redirects a pointer.
    fn point(&mut self) {
        if self.pointers.is_empty() {
            return self.assignment();
        }
        let pointer = self.dice.pick(&self.pointers).clone();
        if let Some(address) = self.address(pointer.kind, pointer.level) {
            self.line(&format!("{} = {address};", pointer.text));
        }
    }

    /// The address of an integer of a type that lives at least as long as a block.
    pub fn address(&mut self, kind: usize, level: usize) -> Option<String> {
        let mut all: Vec<String> = self
            .scope
            .iter()
            .filter(|location| location.kind == Some(kind) && !location.is_constant && location.level <= level)
            .map(|location| format!("&{}", location.text))
            .collect();
        let pointers = self.pointers.iter();
        all.extend(
            pointers
                .filter(|pointer| pointer.kind == kind && pointer.level <= level)
                .map(|pointer| pointer.text.clone()),
        );
        if all.is_empty() {
            return None;
        }
        let text = self.dice.pick(&all).clone();
        Some(match self.dice.roll(6) {
            0 => format!("(&*{text})"),
            1 => format!("({text} + 1) - 1"),
            2 => format!("({} *)(void *)({text})", KINDS[kind].name),
            3 => format!("({} *)(unsigned long)({text})", KINDS[kind].name),
            _ => text,
        })
    }

    fn copy(&mut self) {
        if self.wholes.is_empty() {
            return self.assignment();
        }
        let target = self.dice.pick(&self.wholes).clone();
        let same: Vec<_> = self
            .wholes
            .iter()
            .filter(|whole| whole.record == target.record)
            .cloned()
            .collect();
        let source = self.dice.pick(&same).clone();
        let name = self.records[target.record].name.clone();
        match self.dice.roll(4) {
            0 => {
                let value = self.initialiser(&Shape::Record(target.record), false);
                self.line(&format!("{} = ({name}){value};", target.text));
            }
            1 if source.text != target.text => {
                self.line(&format!("memcpy(&{}, &{}, sizeof({name}));", target.text, source.text))
            }
            2 => {
                let condition = self.condition();
                let other = self.dice.pick(&same).clone();
                self.line(&format!(
                    "{} = ({condition}) ? {} : {};",
                    target.text, source.text, other.text
                ));
            }
            _ => self.line(&format!("{} = {};", target.text, source.text)),
        }
    }

    pub fn declaration(&mut self) {
        let name = self.fresh_name();
        let is_static = self.dice.chance(15);
        let level = if is_static { 0 } else { self.depth };
        let kind = self.kind();
        if !self.records.is_empty() && self.dice.chance(25) {
            let record = self.dice.roll(self.records.len());
            let shape = Shape::Record(record);
            let value = self.initialiser(&shape, is_static);
            let declared = self.declared(&shape, &name);
            self.line(&format!(
                "{}{declared} = {value};",
                ["", "static "][usize::from(is_static)]
            ));
            let parts = self.parts(&name, &shape, level);
            self.scope.extend(parts);
            self.wholes.push(Whole { text: name, record });
            return;
        }
        let address = if self.dice.chance(25) {
            self.address(kind, self.depth)
        } else {
            None
        };
        if let Some(address) = address {
            self.line(&format!("{} *{name} = {address};", KINDS[kind].name));
            self.add_pointer(&name, kind, self.depth);
            return;
        }
        let value = if is_static {
            self.constant_expression(2)
        } else {
            self.expression(2)
        };
        let qualifier = match (is_static, self.dice.roll(8)) {
            (true, _) => "static ",
            (false, 0) => "register ",
            (false, 1) => "const ",
            (false, 2) => "volatile ",
            _ => "",
        };
        self.line(&format!(
            "{qualifier}{} {name} = {};",
            KINDS[kind].name,
            value.argument()
        ));
        self.scope.push(Location {
            text: name,
            views: KINDS[kind].views(),
            kind: (!matches!(qualifier, "register " | "volatile " | "const ")).then_some(kind),
            is_constant: qualifier == "const ",
            level,
            is_plain: true,
        });
    }

    /// A fresh name, or rarely one that hides another, which is then unavailable.
    fn fresh_name(&mut self) -> String {
        let mut name = format!("v{}", self.dice.roll(self.numbers + 1));
        if self.names.contains(&name) || self.dice.chance(85) {
            name = format!("v{}", self.number());
        }
        self.names.push(name.clone());
        self.forget(&name);
        name
    }

    /// Forgets everything that a hidden name denoted.
    fn forget(&mut self, name: &str) {
        let mentions = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| word == name)
        };
        self.scope.retain(|location| !mentions(&location.text));
        self.pointers.retain(|pointer| !mentions(&pointer.text));
        self.wholes.retain(|whole| !mentions(&whole.text));
    }

    pub fn add_pointer(&mut self, name: &str, kind: usize, level: usize) {
        self.pointers.push(Pointer {
            text: name.to_owned(),
            kind,
            level,
        });
        self.scope.push(Location {
            text: format!("(*{name})"),
            views: KINDS[kind].views(),
            kind: None,
            is_constant: false,
            level: self.depth,
            is_plain: false,
        });
    }

    fn branch(&mut self) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        let count = 1 + self.dice.roll(3);
        self.block(count);
        while self.dice.chance(25) {
            let condition = self.condition();
            self.line(&format!("}} else if ({condition}) {{"));
            self.block(1);
        }
        if self.dice.chance(50) {
            self.line("} else {");
            self.block(2);
        }
        self.line("}");
    }

    fn repeat(&mut self) {
        let number = self.number();
        let rounds = 1 + self.dice.roll(5);
        let counter = format!("i{number}");
        let form = self.dice.roll(5);
        let (before, head, tail) = match form {
            0 => (
                String::new(),
                format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"),
                "}".to_owned(),
            ),
            1 => (
                format!("unsigned char {counter} = {rounds};"),
                format!("while ({counter}--) {{"),
                "}".to_owned(),
            ),
            2 => (
                format!("short {counter} = 0;"),
                "do {".to_owned(),
                format!("}} while (++{counter} < {rounds});"),
            ),
            3 => (format!("long {counter} = 0;"), "for (;;) {".to_owned(), "}".to_owned()),
            _ => (
                format!("int {counter} = {rounds} * 2;"),
                format!("for (; {counter} > 0; {counter} -= 2, touch({})) {{", number % 64),
                "}".to_owned(),
            ),
        };
        let bits = [[32, 32], [8, 8], [16, 16], [32, 64], [32, 32]][form];
        let views = bits.map(|bits| ValueRange {
            low: 0,
            high: 12,
            ..ValueRange::full(bits, form != 1)
        });
        self.line("{");
        self.line(&before);
        self.line(&head);
        if form == 3 {
            self.line(&format!("  if ({counter}++ >= {rounds}) break;"));
        }
        let often = self.often;
        self.often *= rounds;
        self.scope.push(Location {
            text: counter,
            views,
            kind: None,
            is_constant: true,
            level: self.depth,
            is_plain: true,
        });
        let count = 1 + self.dice.roll(4);
        // Braces keep later declarations from being hidden.
        self.line("{");
        self.block(count);
        self.line("}");
        if self.dice.chance(30) {
            let condition = self.condition();
            let word = *self.dice.pick(&["break", "continue"]);
            self.line(&format!("  if ({condition}) {word};"));
            self.line("  {");
            self.block(1);
            self.line("  }");
        }
        self.scope.pop();
        self.often = often;
        self.line(&tail);
        self.line("}");
    }

    fn switch(&mut self) {
        let value = self.expression(2);
        let value = if self.dice.chance(60) {
            format!("({}) & 7", value.text)
        } else {
            value.text
        };
        self.line(&format!("switch ({value}) {{"));
        let mut labels = Vec::new();
        let mut next = 0;
        for _ in 0..2 + self.dice.roll(4) {
            next += self.dice.roll(2);
            let to = next + self.dice.roll(3);
            let label = match self.dice.roll(4) {
                0 => format!("case {next} ... {to}:"),
                1 => format!("case {next}: case {}:", to + 1),
                2 => format!("case '\\{next:o}':"),
                _ => format!("case {next}:"),
            };
            next = to + 2;
            labels.push(label);
        }
        if self.dice.chance(70) {
            let at = self.dice.roll(labels.len() + 1);
            labels.insert(at, "default:".to_owned());
        }
        for label in labels {
            self.line(&format!("{label} {{"));
            let count = 1 + self.dice.roll(2);
            self.block(count);
            let end = if self.dice.chance(60) { "} break;" } else { "}" };
            self.line(end);
        }
        self.line("}");
    }

    /// A jump forwards over statements, or backwards a few times.
    fn jump(&mut self) {
        let number = self.number();
        let condition = self.condition();
        if self.dice.chance(50) {
            self.line(&format!("if ({condition}) goto l{number};"));
            self.line("{");
            self.block(2);
            self.line("}");
            self.line(&format!("l{number}: ;"));
            return;
        }
        let rounds = 1 + self.dice.roll(4);
        self.line("{");
        self.line(&format!("  int n{number} = 0;"));
        self.line(&format!("  l{number}: n{number}++;"));
        let often = self.often;
        self.often *= rounds + 1;
        self.line("  {");
        self.block(2);
        self.line("  }");
        self.often = often;
        self.line(&format!("  if (n{number} < {rounds} && ({condition})) goto l{number};"));
        self.line("}");
    }

    pub fn call(&mut self) {
        let affordable: Vec<Procedure> = self
            .procedures
            .iter()
            .filter(|procedure| self.cost + self.often * procedure.cost <= COST)
            .cloned()
            .collect();
        if affordable.is_empty() {
            return self.assignment();
        }
        let procedure = self.dice.pick(&affordable).clone();
        let mut arguments = Vec::new();
        for parameter in &procedure.parameters {
            arguments.push(match parameter {
                Passed::Integer(_) => self.expression(2).argument(),
                Passed::Record(record) => self.record_argument(*record),
                Passed::Pointer(kind) => {
                    let name = KINDS[*kind].name;
                    let literal = format!("&({name}){{ 3 }}");
                    self.address(*kind, self.depth).unwrap_or(literal)
                }
            });
        }
        let callee = match self.dice.roll(6) {
            0 => format!("(*{})", procedure.name),
            1 => format!("(&{})", procedure.name),
            _ => procedure.name.clone(),
        };
        let call = format!("{callee}({})", arguments.join(", "));
        self.cost += self.often * procedure.cost;
        match procedure.result {
            Returned::Nothing => self.line(&format!("{call};")),
            Returned::Integer(_) => {
                let target = self.target().filter(|target| target.is_plain);
                match target {
                    Some(target) => self.line(&format!("{} = {call};", target.text)),
                    None => self.line(&format!("(void){call};")),
                }
            }
            Returned::Record(record) => {
                let target = self.wholes.iter().find(|whole| whole.record == record).cloned();
                let parts = self.parts(&call, &Shape::Record(record), self.depth);
                let part = self.dice.pick(&parts).text.clone();
                match (target, self.target().filter(|target| target.is_plain)) {
                    (Some(target), _) if self.dice.chance(50) => self.line(&format!("{} = {call};", target.text)),
                    (_, Some(target)) => self.line(&format!("{} = {part};", target.text)),
                    _ => self.line(&format!("{call};")),
                }
            }
        }
    }

    pub fn record_argument(&mut self, record: usize) -> String {
        let same: Vec<_> = self
            .wholes
            .iter()
            .filter(|whole| whole.record == record)
            .cloned()
            .collect();
        if same.is_empty() || self.dice.chance(20) {
            let name = self.records[record].name.clone();
            let value = self.initialiser(&Shape::Record(record), false);
            return format!("({name}){value}");
        }
        self.dice.pick(&same).text.clone()
    }
}
