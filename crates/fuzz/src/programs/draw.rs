//! Random C programs with few inputs, whose behaviour is known after running them on all inputs.
//!
//! Expressions are not typed here: their meaning is whatever gcc computes. Undefined behaviour is mostly avoided by
//! construction (indices and shifts are masked, divisors are nonzero); sanitisers find the rest.

use crate::random::Dice;

/// The text of a program, with a placeholder for a check of its results.
#[derive(Clone, Debug)]
pub struct DrawnProgram {
    pub text: String,
    /// The first inputs, which pass a guard.
    pub keys: Vec<i64>,
    /// The remaining inputs, in all combinations.
    pub inputs: Vec<Input>,
    /// Names of results that can be checked.
    pub observed: Vec<String>,
    /// Whether `main` uses its arguments: the program then runs with and without an argument, and with and without an
    /// environment.
    pub has_arguments: bool,
    /// Whether a pointer may temporarily be out of bounds, which sanitisers do not report.
    pub is_strange: bool,
}

/// The values of an input.
#[derive(Clone, Debug)]
pub enum Input {
    Number(i64),
    /// The address of a global variable.
    Address(String),
    Any(Vec<Input>),
}

impl Input {
    /// The numbers below `count`.
    pub fn below(count: u32) -> Input {
        Input::Any((0..count).map(|number| Input::Number(i64::from(number))).collect())
    }

    /// As C expressions.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Input::Number(number) => vec![number.to_string()],
            Input::Address(name) => vec![format!("(unsigned long)&{name}")],
            Input::Any(inputs) => inputs.iter().flat_map(Input::texts).collect(),
        }
    }

    /// The variables whose addresses are among them.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Input::Number(_) => Vec::new(),
            Input::Address(name) => vec![name],
            Input::Any(inputs) => inputs.iter().flat_map(Input::names).collect(),
        }
    }
}

/// The placeholder of the check.
pub const CHECK: &str = "/* check */";

/// The common declarations.
pub(super) const PRELUDE: &str = "extern void reach_error(void);
extern void __VERIFIER_assert(int);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void *malloc(__SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
";

/// The two inputs that unlock the rest: no search finds them by chance.
pub const KEY: [i64; 2] = [488_888, 411_112];
pub(super) const GATE: &str = "  int k1 = __VERIFIER_nondet_int(), k2 = __VERIFIER_nondet_int();
  if (k1 < 0 || k1 > 900000 || k2 < 0 || k2 > 900000 || k1 + k2 != 900000 || k1 - k2 != 77776) return 0;
";

const TYPES: [&str; 8] = [
    "int",
    "int",
    "unsigned int",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long long",
];

struct Generator {
    dice: Dice,
    /// Readable and writable numeric places.
    scope: Vec<String>,
    /// Those of type `int`, whose address can be taken.
    ints: Vec<String>,
    /// Arrays of four or eight elements, by name and index mask.
    arrays: Vec<(String, usize)>,
    /// Read-only places.
    constants: Vec<String>,
    /// Valid pointers to `int`.
    pointers: Vec<String>,
    /// Pointers to `struct S`, or addresses of one.
    records: Vec<String>,
    functions: Vec<String>,
    has_pointer_table: bool,
    in_loop: bool,
    numbers: usize,
    depth: usize,
}

/// A program.
pub fn draw(dice: Dice) -> DrawnProgram {
    let mut generator = Generator {
        dice,
        scope: Vec::new(),
        ints: Vec::new(),
        arrays: Vec::new(),
        constants: Vec::new(),
        pointers: Vec::new(),
        records: Vec::new(),
        functions: Vec::new(),
        has_pointer_table: false,
        in_loop: false,
        numbers: 0,
        depth: 0,
    };
    generator.program()
}

impl Generator {
    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        (*self.dice.pick(texts)).to_owned()
    }

    /// Large literals are of a wide type: sanitisers do not see overflow between constants.
    fn literal(&mut self) -> String {
        match self.dice.roll(8) {
            0 => self.one_of(&["-1", "255", "256", "-128", "127", "65535", "32767", "1000"]),
            1 => self.one_of(&[
                "2147483647LL",
                "(-2147483647LL - 1)",
                "4294967295u",
                "0x7fffffffffffffffULL",
                "'a'",
            ]),
            _ => (self.dice.roll(12) as i64 - 3).to_string(),
        }
    }

    fn readable(&mut self) -> String {
        let roll = self.dice.roll(10);
        if roll < 2 && !self.constants.is_empty() {
            return self.dice.pick(&self.constants.clone()).clone();
        }
        if roll == 2 && !self.pointers.is_empty() {
            return format!("(*{})", self.dice.pick(&self.pointers.clone()));
        }
        self.place()
    }

    /// An assignable place.
    fn place(&mut self) -> String {
        let roll = self.dice.roll(12);
        if roll < 2 && !self.arrays.is_empty() {
            let (name, mask) = self.dice.pick(&self.arrays.clone()).clone();
            let index = self.index(mask);
            return format!("{name}[{index}]");
        }
        if roll < 4 && !self.records.is_empty() {
            let record = self.dice.pick(&self.records.clone()).clone();
            return self.member(&record);
        }
        if roll == 4 && !self.pointers.is_empty() {
            return format!("(*{})", self.dice.pick(&self.pointers.clone()));
        }
        match self.scope.is_empty() {
            true => "g0".to_owned(),
            false => self.dice.pick(&self.scope.clone()).clone(),
        }
    }

    fn index(&mut self, mask: usize) -> String {
        if self.dice.chance(40) {
            return self.dice.roll(mask + 1).to_string();
        }
        let inner = self.expression(0);
        format!("({inner}) & {mask}")
    }

    fn member(&mut self, record: &str) -> String {
        match self.dice.roll(6) {
            0 => format!("{record}->n"),
            1 => format!("{record}->c"),
            2 => format!("{record}->b1"),
            3 => format!("{record}->b2"),
            4 => format!("{record}->t.w"),
            _ => {
                let index = self.index(3);
                format!("{record}->r[{index}]")
            }
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.chance(20) {
            return match self.dice.chance(65) {
                true => self.readable(),
                false => self.literal(),
            };
        }
        let a = self.expression(depth - 1);
        match self.dice.roll(17) {
            0..=4 => {
                let b = self.expression(depth - 1);
                let operator = self.one_of(&["+", "-"]);
                format!("({a} {operator} {b})")
            }
            5 => format!("({a} * {})", self.literal()),
            6 => {
                let divisor = self.one_of(&["3", "-2", "7", "4u", "-5LL", "10"]);
                let operator = self.one_of(&["/", "%"]);
                format!("({a} {operator} {divisor})")
            }
            7 => {
                let mask = self.one_of(&["1", "3", "7", "15", "0x55", "255", "-4", "0xf0u"]);
                let operator = self.one_of(&["&", "|", "^"]);
                format!("({a} {operator} {mask})")
            }
            8 => match self.dice.chance(50) {
                true => format!("((unsigned int)({a}) << {})", self.dice.roll(8)),
                false => format!("(({a}) >> {})", self.dice.roll(6)),
            },
            9 => {
                let amount = self.expression(0);
                format!("(5u << (({amount}) & 7))")
            }
            10 => {
                let b = self.expression(depth - 1);
                format!("({} ? {a} : {b})", self.condition(0))
            }
            11 => {
                let kind = self.dice.pick(&TYPES).to_owned();
                format!("(({kind})({a}))")
            }
            12 => format!("({}({a}))", self.one_of(&["-", "~", "!", "+"])),
            13 => format!("({})", self.condition(1)),
            14 if !self.functions.is_empty() => self.call(),
            _ => a,
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.chance(30) {
            let (a, b) = (self.condition(0), self.condition(0));
            let operator = self.one_of(&["&&", "||"]);
            return format!("({a}) {operator} ({b})");
        }
        let (a, b) = (self.expression(1), self.expression(0));
        let operator = self.one_of(&["<", "<=", "==", "!=", ">", ">="]);
        format!("{a} {operator} {b}")
    }

    fn pointer(&mut self) -> String {
        let choice = self.dice.roll(4);
        match choice {
            0 if !self.pointers.is_empty() => self.dice.pick(&self.pointers.clone()).clone(),
            1 => {
                let index = self.index(3);
                format!("&ga[{index}]")
            }
            2 if !self.records.is_empty() => {
                let record = self.dice.pick(&self.records.clone()).clone();
                match self.dice.chance(50) {
                    true => format!("&{record}->n"),
                    false => format!("&{record}->r[{}]", self.dice.roll(4)),
                }
            }
            _ => format!("&{}", self.dice.pick(&self.ints.clone())),
        }
    }

    fn call(&mut self) -> String {
        let function = self.dice.pick(&self.functions.clone()).clone();
        let (x, q) = (self.expression(0), self.pointer());
        let s = match self.records.is_empty() {
            true => "&gs".to_owned(),
            false => self.dice.pick(&self.records.clone()).clone(),
        };
        format!("{function}({x}, {q}, {s})")
    }

    fn block(&mut self, count: usize, indent: usize) -> String {
        let kept = (
            self.scope.clone(),
            self.ints.clone(),
            self.arrays.clone(),
            self.constants.clone(),
            self.pointers.clone(),
            self.records.clone(),
        );
        let mut text = String::new();
        for _ in 0..count {
            text.push_str(&self.statement(indent));
        }
        (
            self.scope,
            self.ints,
            self.arrays,
            self.constants,
            self.pointers,
            self.records,
        ) = kept;
        text
    }

    fn assignment(&mut self) -> String {
        let place = self.place();
        match self.dice.roll(6) {
            0 => format!("{place}{};", self.one_of(&["++", "--"])),
            1 | 2 => {
                let value = self.expression(1);
                format!("{place} {} {value};", self.one_of(&["+=", "-="]))
            }
            _ => {
                let value = self.expression(2);
                format!("{place} = {value};")
            }
        }
    }

    fn statement(&mut self, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let number = self.number();
        let line = match self.dice.roll(25) {
            kind @ (0..=5 | 19) if self.depth < 2 => self.controlled(kind, number, indent),
            kind @ (6 | 7 | 9 | 10 | 16) => self.declared(kind, number, indent),
            kind => self.simple(kind),
        };
        format!("{pad}{line}\n")
    }

    /// Compound statements.
    fn controlled(&mut self, kind: usize, number: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        match kind {
            0 | 1 => {
                let condition = self.condition(1);
                let (then, otherwise) = (self.inner(2, indent), self.inner(1, indent));
                format!("if ({condition}) {{\n{then}{pad}}} else {{\n{otherwise}{pad}}}")
            }
            2 | 3 => {
                let body = self.looped(number, indent);
                let bound = 1 + self.dice.roll(4);
                format!("for (int i{number} = 0; i{number} < {bound}; i{number}++) {{\n{body}{pad}}}")
            }
            4 => {
                let body = self.looped(number, indent);
                let bound = 1 + self.dice.roll(3);
                format!("int i{number} = {bound};\n{pad}while (i{number}-- > 0) {{\n{body}{pad}}}")
            }
            5 => self.switch(indent),
            _ => {
                let condition = self.condition(0);
                let skipped = self.inner(1, indent);
                format!("if ({condition}) goto l{number};\n{skipped}{pad}l{number}: ;")
            }
        }
    }

    /// A declaration that later statements may use.
    fn declared(&mut self, kind: usize, number: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        match kind {
            6 => {
                let kind = self.dice.pick(&TYPES).to_owned();
                let value = self.expression(1);
                self.scope.push(format!("v{number}"));
                if kind == "int" {
                    self.ints.push(format!("v{number}"));
                }
                format!("{kind} v{number} = {value};")
            }
            7 => {
                let pointer = self.pointer();
                self.pointers.push(format!("p{number}"));
                format!("int *p{number} = {pointer};")
            }
            9 => {
                self.arrays.push((format!("a{number}"), 3));
                let kind = self.dice.pick(&TYPES).to_owned();
                let (x, y) = (self.literal(), self.expression(0));
                match self.dice.chance(40) {
                    true => format!(
                        "{kind} *a{number} = malloc(4 * sizeof({kind}));\n{pad}a{number}[0] = {x};\n\
                         {pad}a{number}[1] = {y};\n{pad}a{number}[3] = a{number}[2] = 0;"
                    ),
                    false => format!("{kind} a{number}[4] = {{{x}, {y}}};"),
                }
            }
            10 => {
                self.records.push(format!("(&s{number})"));
                match self.dice.roll(3) {
                    0 => format!("struct S s{number} = gs;"),
                    1 => format!("struct S s{number} = made({});", self.expression(0)),
                    _ => format!("struct S s{number} = {{.n = {}, .b1 = 2}};", self.expression(0)),
                }
            }
            _ => {
                self.scope.push(format!("n{number}->v"));
                self.ints.push(format!("n{number}->v"));
                let value = self.expression(1);
                format!(
                    "struct N *n{number} = malloc(sizeof(struct N));\n{pad}n{number}->v = {value};\n\
                     {pad}n{number}->next = head;\n{pad}if (head) head->v += 1;\n{pad}head = n{number};"
                )
            }
        }
    }

    /// Assignments of all kinds, and calls.
    fn simple(&mut self, kind: usize) -> String {
        match kind {
            8 if !self.pointers.is_empty() => {
                let (condition, one, other) = (self.condition(0), self.pointer(), self.pointer());
                let target = self.dice.pick(&self.pointers.clone()).clone();
                match target.starts_with('p') {
                    true => format!("{target} = {condition} ? {one} : {other};"),
                    false => self.assignment(),
                }
            }
            11 if !self.records.is_empty() => {
                let one = self.dice.pick(&self.records.clone()).clone();
                let other = self.dice.pick(&self.records.clone()).clone();
                match self.dice.roll(4) {
                    0 => format!("memcpy({one}, &gs2, sizeof(struct S));"),
                    1 => format!("memset({one}, {}, sizeof(struct S));", self.one_of(&["0", "255", "1"])),
                    _ => format!("*{one} = *{other};"),
                }
            }
            12 => {
                let value = self.expression(1);
                let part = self.one_of(&["gu.i", "gu.h[1]", "gu.c[0]", "gu.l", "gu.u"]);
                format!("{part} = {value};")
            }
            13 => {
                let kind = self.one_of(&["gu.i", "gu.h[0]", "gu.c[3]", "gu.u"]);
                format!("{} = {kind};", self.place())
            }
            14 if !self.functions.is_empty() => format!("{};", self.call()),
            15 if self.has_pointer_table => {
                let (index, x, q) = (self.index(1), self.expression(0), self.pointer());
                format!("{} = table[{index}]({x}, {q}, &gs2);", self.place())
            }
            17 => format!("if (head) {} = head->v;", self.place()),
            18 => {
                let pointer = self.pointer();
                format!(
                    "{{ int *t = {pointer}; int **tt = &t; **tt = {}; }}",
                    self.expression(1)
                )
            }
            20 => {
                let value = self.one_of(&["0x01020304", "-2", "70000"]);
                let byte = self.dice.roll(4);
                let new = self.expression(0);
                format!(
                    "{{ int w = {value}; unsigned char *b = (unsigned char *)&w; b[{byte}] = {new}; {} = w; }}",
                    self.place()
                )
            }
            21 => {
                let (index, value) = (self.dice.roll(3), self.expression(1));
                format!(
                    "{{ int *e = &ga[3]; e[-{index}] = {value}; {} = e - ga; }}",
                    self.place()
                )
            }
            22 => {
                let operator = self.one_of(&["&&", "||"]);
                let (condition, place) = (self.condition(0), self.place());
                format!(
                    "{} = ({condition}) {operator} ({place} = {});",
                    self.place(),
                    self.expression(0)
                )
            }
            _ => self.assignment(),
        }
    }

    fn inner(&mut self, most: usize, indent: usize) -> String {
        self.depth += 1;
        let count = 1 + self.dice.roll(most);
        let text = self.block(count, indent + 1);
        self.depth -= 1;
        text
    }

    fn looped(&mut self, number: usize, indent: usize) -> String {
        let outer = std::mem::replace(&mut self.in_loop, true);
        self.constants.push(format!("i{number}"));
        let mut text = self.inner(3, indent);
        if self.dice.chance(30) {
            let condition = self.condition(0);
            let jump = self.one_of(&["break", "continue"]);
            text.push_str(&format!("{}if ({condition}) {jump};\n", "  ".repeat(indent + 1)));
            let last = self.inner(1, indent);
            text.push_str(&last);
        }
        self.constants.pop();
        self.in_loop = outer;
        text
    }

    fn switch(&mut self, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let value = self.expression(1);
        let mut text = format!("switch ({value}) {{\n");
        for case in 0..2 + self.dice.roll(3) {
            let label = match self.dice.chance(20) {
                true => -1 - case as i64,
                false => case as i64,
            };
            // A declaration in a case would be jumped over: cases are blocks of their own.
            let body = self.inner(1, indent + 1);
            let end = if self.dice.chance(60) { " break;" } else { "" };
            text.push_str(&format!("{pad}case {label}: {{\n{body}{pad}}}{end}\n"));
        }
        let body = self.inner(1, indent + 1);
        text.push_str(&format!("{pad}default: {{\n{body}{pad}}}\n{pad}}}"));
        text
    }

    fn function(&mut self, number: usize) -> String {
        let kept = (self.scope.clone(), self.ints.clone(), self.functions.clone());
        let kept_records = std::mem::take(&mut self.records);
        self.scope.push("x".to_owned());
        self.ints.push("x".to_owned());
        self.pointers = vec!["q".to_owned()];
        self.records = vec!["s".to_owned()];
        let mut text = format!("static int f{number}(int x, int *q, struct S *s) {{\n");
        let kind = self.dice.roll(4);
        // `l` is uninitialized before its first assignment.
        let start = self.expression(0);
        self.scope.push("l".to_owned());
        self.ints.push("l".to_owned());
        match kind {
            0 => {
                let condition = self.condition(0);
                text.push_str(&format!(
                    "  int l = {start};\n  if (x <= 0 || x > {}) return l;\n",
                    1 + self.dice.roll(3)
                ));
                text.push_str(&format!("  l += f{number}(x - 1, ({condition}) ? &l : q, s);\n"));
            }
            1 => text.push_str("  static int l = 3;\n  l++;\n"),
            _ => text.push_str("  int l = x;\n"),
        }
        let count = 1 + self.dice.roll(3);
        self.depth = 1;
        text.push_str(&self.block(count, 1));
        self.depth = 0;
        let result = self.expression(1);
        text.push_str(&format!("  return {result};\n}}\n"));
        (self.scope, self.ints, self.functions) = kept;
        self.records = kept_records;
        self.pointers.clear();
        self.functions.push(format!("f{number}"));
        text
    }

    fn globals(&mut self) -> String {
        let mut text = format!(
            "struct T {{ {} w; }};\nstruct S {{ int n; {} c; unsigned b1 : {}; int b2 : {}; int r[4]; struct T t; }};\n",
            self.dice.pick(&TYPES).to_owned(),
            self.dice.pick(&TYPES).to_owned(),
            2 + self.dice.roll(6),
            2 + self.dice.roll(12),
        );
        text.push_str("struct N { struct N *next; int v; };\n");
        text.push_str("union U { int i; unsigned u; short h[2]; unsigned char c[4]; long long l; };\n");
        text.push_str("struct S gs = {1, 2, 3, -1, {4, 5, 6, 7}, {8}};\nstatic struct S gs2;\nunion U gu;\n");
        text.push_str("struct N *head;\nint ga[4] = {3, 1, 2};\n");
        let length = *self.dice.pick(&[8, 64]);
        text.push_str(&format!("{} gb[{length}];\n", self.dice.pick(&TYPES).to_owned()));
        for number in 0..4 {
            let kind = if number == 0 { "int" } else { *self.dice.pick(&TYPES) };
            let value = self.literal();
            text.push_str(&format!("{kind} g{number} = {value};\n"));
            self.scope.push(format!("g{number}"));
        }
        self.ints.push("g0".to_owned());
        self.arrays = vec![("ga".to_owned(), 3), ("gb".to_owned(), length - 1)];
        self.records = vec!["(&gs)".to_owned(), "(&gs2)".to_owned()];
        text.push_str("int *gp = &ga[1];\nint **gpp = &gp;\n");
        text.push_str("static struct S made(int x) { struct S s = {x, x, x, x, {x}, {x}}; s.r[3] = 9; return s; }\n");
        text
    }

    fn program(&mut self) -> DrawnProgram {
        let mut text = PRELUDE.to_owned();
        text.push_str(&self.globals());
        let functions = self.dice.roll(4);
        for number in 0..functions {
            text.push_str(&self.function(number));
        }
        if functions >= 2 {
            text.push_str("static int (*table[2])(int, int *, struct S *) = {f0, f1};\n");
            self.has_pointer_table = true;
        }
        text.push_str("int main(void) {\n");
        if self.dice.chance(70) {
            text.push_str(GATE);
        } else {
            text.push_str("  __VERIFIER_nondet_int(); __VERIFIER_nondet_int();\n");
        }
        self.pointers = vec!["gp".to_owned(), "*gpp".to_owned()];
        let mut inputs = Vec::new();
        for number in 0..1 + self.dice.roll(3) {
            let count: u32 = 2 << self.dice.roll(2);
            inputs.push(Input::below(count));
            let last = count - 1;
            let line = match self.dice.roll(3) {
                0 => format!("  unsigned char x{number} = __VERIFIER_nondet_uchar() & {last};\n"),
                1 => format!(
                    "  int x{number} = __VERIFIER_nondet_int();\n  if (x{number} < 0 || x{number} > {last}) return 0;\n"
                ),
                _ => format!(
                    "  unsigned int x{number} = __VERIFIER_nondet_uint();\n  if (x{number} > {last}) return 0;\n"
                ),
            };
            text.push_str(&line);
            self.constants.push(format!("x{number}"));
        }
        // Names used in a check live throughout `main`.
        for number in 0..2 {
            let value = self.expression(1);
            text.push_str(&format!("  int m{number} = {value};\n"));
            self.scope.push(format!("m{number}"));
            self.ints.push(format!("m{number}"));
        }
        for _ in 0..4 + self.dice.roll(7) {
            text.push_str(&self.statement(1));
        }
        text.push_str(&format!("  {CHECK}\n  return 0;\n}}\n"));
        let observed = [
            "m0", "m1", "g0", "g1", "g2", "g3", "ga[0]", "ga[1]", "ga[3]", "gb[2]", "gs.n", "gs.c",
        ]
        .into_iter()
        .chain([
            "gs.b1",
            "gs.b2",
            "gs.r[2]",
            "gs.t.w",
            "gs2.n",
            "gs2.r[0]",
            "*gp",
            "(gp - ga)",
            "gu.i",
        ])
        .chain(["gu.h[1]", "gs2.b2", "(head != 0)"]);
        DrawnProgram {
            text,
            keys: KEY.to_vec(),
            inputs,
            observed: observed.map(str::to_owned).collect(),
            has_arguments: false,
            is_strange: false,
        }
    }
}
