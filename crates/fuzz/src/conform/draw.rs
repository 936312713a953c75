//! Random small components, in shapes that have provoked wrong answers.
//!
//! Conditions only compare bytes, of which all values are tried, or the parameter `x`, which is constant and only
//! compared with the constants of a component: trying these and their neighbours is exhaustive.

use crate::random::Dice;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A component as C text. The marker `FALLS` means that the body ends without `return`, and `SPINS` an endless loop:
/// compilers get something else for them.
pub(super) struct Component {
    pub(super) name: &'static str,
    pub(super) text: String,
    /// The type of its result; `None` for `void`.
    pub(super) result: Option<&'static str>,
    /// The target type of its pointer parameter.
    pub(super) pointee: Option<&'static str>,
    /// The constants that `x` is compared with.
    pub(super) constants: BTreeSet<i32>,
    /// The actions that it may perform, directly or through calls.
    pub(super) actions: BTreeSet<&'static str>,
}

struct Draw<'d> {
    dice: &'d mut Dice,
    name: &'static str,
    constants: BTreeSet<i32>,
    actions: BTreeSet<&'static str>,
    /// The helpers so far: whether each returns a value, and its actions.
    helpers: Vec<(bool, BTreeSet<&'static str>)>,
    loops: usize,
    has_pointer: bool,
    result: Option<&'static str>,
}

pub(super) fn component(dice: &mut Dice, name: &'static str, shared: &[&'static str]) -> Component {
    let result = *dice.pick(&[
        Some("int"),
        Some("int"),
        Some("signed char"),
        Some("unsigned char"),
        None,
        None,
    ]);
    let pointee = *dice.pick(&[None, None, None, Some("signed char"), Some("struct record")]);
    let mut draw = Draw {
        dice,
        name,
        constants: BTreeSet::from([0]),
        actions: BTreeSet::new(),
        helpers: Vec::new(),
        loops: 0,
        has_pointer: false,
        result: None,
    };
    let mut text = format!("static signed char g_{name};\nstatic struct record r_{name};\n");
    for _ in 0..draw.dice.roll(3) {
        let helper = draw.helper(shared);
        text.push_str(&helper);
    }
    draw.has_pointer = pointee.is_some();
    draw.result = result;
    let parameter = pointee.map_or(String::new(), |pointee| format!(", {pointee} *q"));
    let _ = writeln!(
        text,
        "{} {name}(int x, signed char p{parameter})\n{{",
        result.unwrap_or("void")
    );
    text.push_str("    signed char y = 0, z = 1;\n");
    draw.block(2, "    ", shared, &mut text);
    draw.end("    ", shared, &mut text);
    text.push_str("}\n\n");
    let pointed = if pointee == Some("struct record") {
        "q->n = 5"
    } else {
        "*q = 5"
    };
    let text = text.replace("POINTED = 5", pointed);
    Component {
        name,
        text,
        result,
        pointee,
        constants: draw.constants,
        actions: draw.actions,
    }
}

impl Draw<'_> {
    /// A function that the component calls, possibly with a tail call of its own.
    fn helper(&mut self, shared: &[&'static str]) -> String {
        let number = self.helpers.len();
        let others = std::mem::take(&mut self.actions);
        let returns = self.dice.chance(50);
        self.result = returns.then_some("signed char");
        let mut text = format!(
            "static {} {}_{number}(int x, signed char p)\n{{\n    signed char y = 2, z = 0;\n",
            self.result.unwrap_or("void"),
            self.name
        );
        if self.dice.chance(60) {
            self.block(1, "    ", shared, &mut text);
        }
        match returns {
            true => {
                let value = self.returned();
                let _ = writeln!(text, "    return {value};");
            }
            false => self.choice_of_calls("    ", shared, &mut text),
        }
        text.push_str("}\n\n");
        let own = std::mem::replace(&mut self.actions, others);
        self.helpers.push((returns, own));
        text
    }

    fn byte(&mut self) -> String {
        match self.dice.roll(8) {
            0 => "y".to_owned(),
            1 => "z".to_owned(),
            2 | 3 => "p".to_owned(),
            4 => format!(
                "(signed char)({} + {})",
                self.dice.pick(&["y", "z", "p"]),
                self.dice.roll(3)
            ),
            5 => format!("g_{}", self.name),
            _ => (self.dice.roll(4) as i32 - 1).to_string(),
        }
    }

    /// A variable, not a constant, so that compilers cannot fold the condition.
    fn variable(&mut self) -> &'static str {
        ["y", "z", "p", "p"][self.dice.roll(4)]
    }

    fn constant(&mut self) -> i32 {
        let constant = match self.dice.roll(4) {
            0 => self.dice.roll(3) as i32,
            1 => 123_457,
            2 => -7,
            _ => i32::from(u16::try_from(self.dice.roll(60_000)).unwrap_or(0)) - 30_000,
        };
        self.constants.insert(constant);
        constant
    }

    fn condition(&mut self) -> String {
        match self.dice.roll(9) {
            // A pointer converted from a number.
            8 => self.number_as_pointer(),
            // A bug that hides behind one of 2^32 numbers.
            0 | 1 => {
                let constant = self.constant();
                let factor = *self.dice.pick(&[7919, 3, -5, 65_537]);
                format!("x * {factor} == {}", constant.wrapping_mul(factor))
            }
            2 => {
                let constant = self.constant();
                format!("x {} {constant}", self.dice.pick(&["==", "!=", "<", ">", "<=", ">="]))
            }
            3 => format!("({} & 3) == {}", self.variable(), self.dice.roll(4)),
            4 => format!("{} == 0{:o}", self.variable(), 8 + self.dice.roll(20)),
            _ => {
                let (left, right) = (self.variable(), self.byte());
                format!("{left} {} {right}", self.dice.pick(&["==", "!=", "<", ">", "<=", ">="]))
            }
        }
    }

    /// The order or the distance of two pointers converted from numbers.
    fn number_as_pointer(&mut self) -> String {
        let (at, by) = (64 * (1 + self.dice.roll(64)), self.dice.roll(4));
        let moved = format!("(char *)({at}UL + ({} & 3))", self.variable());
        let field = format!("&((struct record *)({at}UL + ({} & 3)))->m", self.variable());
        match self.dice.roll(4) {
            0 => format!(
                "{moved} + 2 {} (char *){}UL",
                self.dice.pick(&["<", ">", "==", "!="]),
                at + by
            ),
            1 => format!(
                "(char *){}UL - ({moved}) {} {by}",
                at + 3,
                self.dice.pick(&["==", "<", ">="])
            ),
            2 => format!("(unsigned long)({moved} + {by}) == {}UL", at + 2),
            _ => format!("(unsigned long){field} == {}UL", at + 1 + by),
        }
    }

    /// Stores to the global record through a pointer to its would-be container, and through one into its middle.
    fn before_record(&mut self, indent: &str, shared: &[&'static str], text: &mut String) -> std::fmt::Result {
        let name = self.name;
        let (value, number) = (5 + self.dice.roll(2), 5 + self.dice.roll(2));
        let store = match self.dice.roll(3) {
            0 => format!(
                "((struct outer *)((char *)&r_{name} - __builtin_offsetof(struct outer, r)))->r.n = (signed char)(p & 1 ? \
                 {value} : 2);"
            ),
            1 => format!("(&r_{name}.m)[-1] = {value};"),
            _ => format!("*(signed char *)((unsigned long)&r_{name}.n + (p & 1)) = {value};"),
        };
        let call = self.call(shared);
        writeln!(text, "{indent}{store}\n{indent}if (r_{name}.n == {number}) {call}")
    }

    fn call(&mut self, shared: &[&'static str]) -> String {
        match self.dice.roll(6) {
            0 | 1 => {
                let action = *self.dice.pick(shared);
                self.actions.insert(action);
                format!("do_{action}();")
            }
            2 => {
                self.actions.extend(["zero", "other"]);
                format!("put({});", self.byte())
            }
            3 => {
                self.actions.insert("got");
                "y = get();".to_owned()
            }
            4 if !self.helpers.is_empty() => {
                let number = self.dice.roll(self.helpers.len());
                let target = if self.helpers[number].0 { "z = " } else { "" };
                format!("{target}{};", self.call_of_helper(number))
            }
            _ => {
                let action = *self.dice.pick(shared);
                self.actions.insert(action);
                format!("do_{action}();")
            }
        }
    }

    fn call_of_helper(&mut self, number: usize) -> String {
        let argument = self.byte();
        self.actions.extend(self.helpers[number].1.clone());
        format!("{}_{number}(x, {argument})", self.name)
    }

    /// The returned expression, possibly the result of a routine.
    fn returned(&mut self) -> String {
        match self.dice.roll(6) {
            0 => {
                self.actions.insert("got");
                "get()".to_owned()
            }
            1 if self.helpers.iter().any(|(returns, _)| *returns) => {
                let number = self.helpers.iter().position(|(returns, _)| *returns).unwrap_or(0);
                self.call_of_helper(number)
            }
            2 => format!("-{}", 1 + self.dice.roll(2)),
            3 => (8 + self.dice.roll(3)).to_string(),
            _ => self.byte(),
        }
    }

    fn block(&mut self, depth: usize, indent: &str, shared: &[&'static str], text: &mut String) {
        for _ in 0..1 + self.dice.roll(3) {
            self.statement(depth, indent, shared, text);
        }
    }

    fn statement(&mut self, depth: usize, indent: &str, shared: &[&'static str], text: &mut String) {
        let deeper = format!("{indent}    ");
        let _ = match self.dice.roll(if depth > 0 { 13 } else { 5 }) {
            12 => self.before_record(indent, shared, text),
            0 => {
                let target = self.dice.pick(&["y", "z"]).to_string();
                writeln!(text, "{indent}{target} = {};", self.byte())
            }
            1 => {
                let value = self.byte();
                writeln!(text, "{indent}g_{} = {value};", self.name)
            }
            2..=4 => writeln!(text, "{indent}{}", self.call(shared)),
            5 => {
                let condition = self.condition();
                match self.result {
                    Some(_) => writeln!(text, "{indent}if ({condition}) return {};", self.returned()),
                    None => writeln!(text, "{indent}if ({condition}) return;"),
                }
            }
            6 if self.has_pointer => self.through_pointer(indent, shared, text),
            7 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                let _ = writeln!(
                    text,
                    "{indent}for (int {counter} = 0; {counter} < {}; {counter}++) {{",
                    1 + self.dice.roll(2)
                );
                self.block(depth - 1, &deeper, shared, text);
                writeln!(text, "{indent}}}")
            }
            8 if self.dice.chance(40) => {
                let condition = self.condition();
                let end = *self.dice.pick(&["SPINS", "exit(1)"]);
                writeln!(text, "{indent}if ({condition}) {end};")
            }
            _ => {
                let condition = self.condition();
                let _ = writeln!(text, "{indent}if ({condition}) {{");
                self.block(depth - 1, &deeper, shared, text);
                if self.dice.chance(60) {
                    let _ = writeln!(text, "{indent}}} else {{");
                    self.block(depth - 1, &deeper, shared, text);
                }
                writeln!(text, "{indent}}}")
            }
        };
    }

    /// A pointer parameter may be null or point to a global variable.
    fn through_pointer(&mut self, indent: &str, shared: &[&'static str], text: &mut String) -> std::fmt::Result {
        let variable = match self.dice.chance(50) {
            true => format!("g_{}", self.name),
            false => format!("r_{}.n", self.name),
        };
        let call = self.call(shared);
        let number = 5 + self.dice.roll(2);
        writeln!(
            text,
            "{indent}if (q) {{\n{indent}    {variable} = 0;\n{indent}    POINTED = 5;\n{indent}    if ({variable} == \
             {number}) {call}\n{indent}}}"
        )
    }

    fn choice_of_calls(&mut self, indent: &str, shared: &[&'static str], text: &mut String) {
        let condition = self.condition();
        let (first, second) = (self.call(shared), self.call(shared));
        let _ = writeln!(
            text,
            "{indent}if ({condition})\n{indent}    {first}\n{indent}else\n{indent}    {second}"
        );
    }

    fn end(&mut self, indent: &str, shared: &[&'static str], text: &mut String) {
        match (self.result, self.dice.roll(4)) {
            (Some(_), 0) => {
                self.choice_of_calls(indent, shared, text);
                let _ = writeln!(text, "{indent}FALLS;");
            }
            (Some(_), _) => {
                let value = self.returned();
                let _ = writeln!(text, "{indent}return {value};");
            }
            (None, 0) => {
                let call = self.call(shared);
                let _ = writeln!(text, "{indent}{call}");
            }
            (None, _) => self.choice_of_calls(indent, shared, text),
        }
    }
}
