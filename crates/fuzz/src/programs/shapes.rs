//! Statements that earlier attacks on proofs used, with random parameters: pointers made of numbers, pointers before
//! their object, and pointers that are converted to numbers and back.
//!
//! A shape computes small numbers that depend on inputs, but not on addresses. gcc determines their values.

use crate::random::Dice;

/// Part of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) globals: String,
    pub(super) body: String,
    /// Names of results that can be checked.
    pub(super) observed: Vec<String>,
    /// A global variable whose address is a value of the input `n`.
    pub(super) address_input: Option<String>,
}

/// The name of a family of shapes on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Family {
    /// Arithmetic behind a guard that only a solver passes
    Guards,
    /// Pointers made of numbers
    Numbers,
    /// Pointers that are rebuilt from bytes, bits or numbers
    Rebuilt,
    /// Pointers before their object
    Before,
    /// What `main` is given
    Main,
    /// Procedures that call themselves
    Deep,
}

/// A shape of a family, with fresh names.
pub(super) fn shape(dice: &mut Dice, family: Family, number: usize) -> Shape {
    let all: &[fn(&mut Dice, usize) -> Shape] = match family {
        Family::Guards | Family::Main | Family::Deep => &[arithmetic],
        Family::Numbers => &[moved_number, field_of_number, compared_numbers, register, low_bits],
        Family::Rebuilt => &[
            there_and_back,
            tagged,
            equal_number,
            bytes,
            byte_table,
            bits,
            exclusive,
            table_of_bits,
        ],
        Family::Before => &[container, kernel_list, middle, before_array, previous_record],
    };
    dice.pick(all)(dice, number)
}

fn results(number: usize, count: usize) -> Vec<String> {
    (0..count).map(|result| format!("r{number}[{result}]")).collect()
}

fn declared(number: usize) -> String {
    format!("static int r{number}[3];\n")
}

/// A stored value that depends on an input.
fn stored(dice: &mut Dice) -> String {
    let number = 5 + dice.roll(40);
    match dice.roll(3) {
        0 => number.to_string(),
        1 => format!("(int)x0 + {number}"),
        _ => format!("x0 == 1 ? {number} : 3"),
    }
}

fn arithmetic(dice: &mut Dice, n: usize) -> Shape {
    let (a, b, c) = (1 + dice.roll(9), dice.roll(50), 2 + dice.roll(5));
    let body = match dice.roll(4) {
        0 => format!("  r{n}[0] = k1 - k2 + {a} * (int)x0; if (r{n}[0] > {b}) r{n}[1] = r{n}[0] - {b};\n"),
        1 => format!("  int *p{n} = x0 > 1 ? &r{n}[0] : &r{n}[1]; *p{n} = k2 % {c} + {a};\n"),
        2 => format!("  for (int i{n} = 0; i{n} < {c}; i{n}++) r{n}[0] += (int)x0 + {a};\n"),
        _ => format!("  int *p{n} = &r{n}[x0 & 1]; if (k1 > k2) *p{n} = {b}; else r{n}[2] = {a};\n"),
    };
    Shape {
        globals: declared(n),
        body,
        observed: results(n, 3),
        ..Shape::default()
    }
}

/// An address that occurs as a literal.
fn fixed(dice: &mut Dice) -> usize {
    match dice.roll(3) {
        0 => 16 * (1 + dice.roll(40)),
        1 => 0x4000 + 64 * dice.roll(100),
        _ => 0xfee0_0000 + 4096 * dice.roll(16),
    }
}

/// `(char *)100 + 5`
fn moved_number(dice: &mut Dice, n: usize) -> Shape {
    let (at, by, kind) = (
        fixed(dice),
        dice.roll(9),
        *dice.pick(&["char", "int", "short", "long long"]),
    );
    let sign = *dice.pick(&["+", "+", "-"]);
    let mut body = format!("  {kind} *p{n} = ({kind} *){at}UL, *q{n} = p{n} {sign} {by};\n");
    body.push_str(&match dice.roll(3) {
        0 => format!("  r{n}[0] = q{n} == ({kind} *)({at}UL {sign} {by} * sizeof({kind}));\n"),
        1 => format!("  r{n}[0] = (int)((unsigned long)q{n} - {at}UL);\n"),
        _ => format!("  r{n}[0] = (int)(q{n} - p{n}) + (int)x0;\n"),
    });
    body.push_str(&format!(
        "  r{n}[1] = q{n} > p{n};\n  p{n} += x0;\n  r{n}[2] = (int)((unsigned long)p{n} & 255);\n"
    ));
    Shape {
        globals: declared(n),
        body,
        observed: results(n, 3),
        ..Shape::default()
    }
}

/// `&((struct R *)16)->b`
fn field_of_number(dice: &mut Dice, n: usize) -> Shape {
    let at = if dice.chance(30) { 0 } else { fixed(dice) };
    let field = *dice.pick(&["b", "c[2]", "c[x0 & 3]", "s.d", "e"]);
    let body = match dice.roll(3) {
        0 => format!("  r{n}[0] = (int)((unsigned long)&((struct R{n} *){at}UL)->{field} - {at}UL);\n"),
        1 => format!(
            "  struct R{n} *p{n} = (struct R{n} *){at}UL;\n  r{n}[0] = (char *)&p{n}->{field} - (char *)p{n};\n  \
             r{n}[1] = (char *)&p{n}->{field} > (char *)p{n};\n"
        ),
        _ => format!(
            "  struct R{n} *p{n} = (struct R{n} *){at}UL;\n  p{n} += x0;\n  r{n}[0] = (int)((unsigned long)&p{n}->{field} \
             - {at}UL);\n  r{n}[1] = (unsigned long)&p{n}->{field} == {at}UL + {};\n",
            4 * dice.roll(20)
        ),
    };
    Shape {
        globals: format!(
            "{}struct R{n} {{ int a; int b; short c[4]; struct {{ char f; int d; }} s; long long e; }};\n",
            declared(n)
        ),
        body,
        observed: results(n, 2),
        ..Shape::default()
    }
}

fn compared_numbers(dice: &mut Dice, n: usize) -> Shape {
    let (at, apart) = (fixed(dice), 8 * dice.roll(4));
    let comparison = *dice.pick(&["<", ">", "<=", ">=", "==", "!="]);
    let made = match dice.roll(2) {
        0 => format!("(char *)({at}UL + 8 * (unsigned long)x0)"),
        _ => format!("(char *){at}UL + 8 * x0"),
    };
    let body = format!(
        "  char *p{n} = {made}, *q{n} = (char *){}UL;\n  r{n}[0] = p{n} {comparison} q{n};\n  r{n}[1] = (int)(q{n} - p{n});\n  \
         r{n}[2] = p{n} ? 1 : 2;\n",
        at + apart
    );
    Shape {
        globals: declared(n),
        body,
        observed: results(n, 3),
        ..Shape::default()
    }
}

/// Device registers: their addresses are computed, but not accessed.
fn register(dice: &mut Dice, n: usize) -> Shape {
    let (at, count) = (fixed(dice), 2 + dice.roll(6));
    let body = match dice.roll(2) {
        0 => format!(
            "  volatile unsigned *p{n} = (volatile unsigned *){at}UL;\n  for (unsigned i{n} = 0; i{n} < {count}; i{n}++) \
             {{ if (p{n} + i{n} >= (volatile unsigned *){}UL) r{n}[0]++; }}\n",
            at + 4 * dice.roll(8)
        ),
        _ => format!(
            "  struct D{n} *p{n} = (struct D{n} *){at}UL;\n  volatile unsigned *q{n} = x0 & 1 ? &p{n}->status : \
             &p{n}->data[{}];\n  r{n}[0] = (int)((unsigned long)q{n} - {at}UL);\n  if ((unsigned long)q{n} == {}UL) \
             r{n}[1] = 7;\n",
            dice.roll(4),
            at + 4
        ),
    };
    Shape {
        globals: format!(
            "{}struct D{n} {{ volatile unsigned control, status, data[4]; }};\n",
            declared(n)
        ),
        body,
        observed: results(n, 2),
        ..Shape::default()
    }
}

/// The low bits of a pointer made of a number.
fn low_bits(dice: &mut Dice, n: usize) -> Shape {
    let (at, mask) = (fixed(dice), 1 + dice.roll(15));
    let body = format!(
        "  void *p{n} = (void *)({at}UL | (x0 & 3));\n  r{n}[0] = (int)((unsigned long)p{n} & {mask});\n  r{n}[1] = p{n} \
         == (void *){}UL;\n",
        at + dice.roll(4)
    );
    Shape {
        globals: declared(n),
        body,
        observed: results(n, 2),
        ..Shape::default()
    }
}

/// An array, one of whose elements is written through a pointer that was temporarily converted.
fn array(n: usize) -> (String, Vec<String>) {
    let globals = format!("static int a{n}[4] = {{1, 2, 3, 4}};\n");
    (globals, (0..4).map(|element| format!("a{n}[{element}]")).collect())
}

fn there_and_back(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let (value, element) = (stored(dice), dice.roll(2));
    let body = match dice.roll(3) {
        0 => format!(
            "  unsigned long u{n} = (unsigned long)&a{n}[{element}];\n  u{n} += 4 * (x0 & 1);\n  *(int *)u{n} = {value};\n"
        ),
        1 => format!(
            "  unsigned long u{n} = (unsigned long)a{n} + {};\n  u{n} = u{n} - {};\n  int *p{n} = (int *)u{n};\n  p{n}[x0 & \
             1] = {value};\n",
            1000,
            1000 - 4 * element
        ),
        _ => format!(
            "  long u{n} = (long)&a{n}[3];\n  u{n} -= 4 * (long)(x0 & 3);\n  int *p{n} = (int *)u{n};\n  *p{n} = {value};\n"
        ),
    };
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

fn tagged(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let value = stored(dice);
    let untagged = *dice.pick(&["& ~1UL", "& ~3UL", "- 1"]);
    let body = format!(
        "  unsigned long u{n} = (unsigned long)&a{n}[{}] | (x0 & 1);\n  if (u{n} & 1) {{ int *p{n} = (int *)(u{n} \
         {untagged}); *p{n} = {value}; }}\n",
        dice.roll(4)
    );
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

/// An input that equals the address of an object.
fn equal_number(dice: &mut Dice, n: usize) -> Shape {
    let value = stored(dice);
    let body = match dice.roll(3) {
        0 => format!("  if (n == (unsigned long)&h{n}) *(int *)n = {value};\n"),
        1 => format!("  if (n > 3) {{ int *p{n} = (int *)n; *p{n} = {value}; }}\n"),
        _ => format!("  int *p{n} = (int *)n;\n  if (p{n} == &h{n}) *p{n} = {value};\n"),
    };
    Shape {
        globals: format!("int h{n} = 2;\n"),
        body,
        observed: vec![format!("h{n}")],
        address_input: Some(format!("h{n}")),
    }
}

/// Copies a pointer byte by byte.
fn bytes(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let (value, element) = (stored(dice), dice.roll(4));
    let size = "(int)sizeof(int *)";
    let middle = match dice.roll(4) {
        0 => format!("for (int i{n} = 0; i{n} < {size}; i{n}++) d{n}[i{n}] = b{n}[i{n}];"),
        1 => format!("memcpy(d{n}, b{n}, sizeof(int *));"),
        2 => format!("for (int i{n} = 0; i{n} < {size}; i{n}++) d{n}[i{n}] = (unsigned char)(b{n}[i{n}] ^ 85) ^ 85;"),
        _ => format!(
            "for (int i{n} = 0; i{n} < {size}; i{n}++) {{ unsigned char c{n} = b{n}[i{n}]; d{n}[i{n}] = c{n} > 9 ? c{n} : \
             c{n}; }}"
        ),
    };
    let body = format!(
        "  int *p{n} = &a{n}[{element}], *q{n} = 0;\n  unsigned char b{n}[8], d{n}[8];\n  memcpy(b{n}, &p{n}, sizeof \
         p{n});\n  {middle}\n  memcpy(&q{n}, d{n}, sizeof q{n});\n  *q{n} = {value};\n"
    );
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

/// Copies the bytes of a pointer through a lookup table.
fn byte_table(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let (value, element) = (stored(dice), dice.roll(4));
    let table: Vec<String> = (0..256).map(|byte| byte.to_string()).collect();
    let body = format!(
        "  int *p{n} = &a{n}[{element}], *q{n};\n  unsigned char *b{n} = (unsigned char *)&p{n}, *d{n} = (unsigned char \
         *)&q{n};\n  for (int i{n} = 0; i{n} < (int)sizeof p{n}; i{n}++) d{n}[i{n}] = t{n}[b{n}[i{n}]];\n  *q{n} = {value};\n"
    );
    Shape {
        globals: format!(
            "{globals}static const unsigned char t{n}[256] = {{{}}};\n",
            table.join(",")
        ),
        body,
        observed,
        ..Shape::default()
    }
}

/// Copies the bits of an address by branches, so that there is no data flow.
fn bits(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let value = stored(dice);
    let body = format!(
        "  unsigned long u{n} = (unsigned long)&a{n}[{}], v{n} = 0;\n  for (int i{n} = 0; i{n} < (int)sizeof u{n} * 8; \
         i{n}++) if (u{n} >> i{n} & 1) v{n} |= 1UL << i{n};\n  *(int *)v{n} = {value};\n",
        dice.roll(4)
    );
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

/// Distinguishes the two possible addresses of a pointer by a branch on a bit.
fn table_of_bits(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let value = stored(dice);
    let body = format!(
        "  unsigned long u{n} = (unsigned long)&a{n}[x0 & 1], v{n} = (unsigned long)a{n};\n  for (int i{n} = 0; i{n} < 4; \
         i{n}++) if (u{n} - v{n} == 4UL * i{n}) {{ v{n} += 4UL * i{n}; break; }}\n  int *p{n} = (int *)v{n};\n  *p{n} = \
         {value};\n"
    );
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

fn exclusive(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let (value, one, other) = (stored(dice), dice.roll(4), dice.roll(4));
    let body = match dice.roll(2) {
        0 => format!(
            "  unsigned long u{n} = (unsigned long)&a{n}[{one}] ^ (unsigned long)&r{n}[0];\n  int *p{n} = (int *)(u{n} ^ \
             (unsigned long)&r{n}[0]);\n  *p{n} = {value};\n"
        ),
        _ => format!(
            "  unsigned long u{n} = (unsigned long)&a{n}[{one}] ^ (unsigned long)&a{n}[{other}];\n  unsigned long v{n} = \
             (x0 & 1) ? u{n} ^ (unsigned long)&a{n}[{one}] : u{n} ^ (unsigned long)&a{n}[{other}];\n  *(int *)v{n} = \
             {value};\n"
        ),
    };
    Shape {
        globals: format!("{globals}{}", declared(n)),
        body,
        observed,
        ..Shape::default()
    }
}

/// `container_of` of an object without its container: the pointer precedes the object.
fn container(dice: &mut Dice, n: usize) -> Shape {
    let globals = format!(
        "struct H{n} {{ int a; int b; }};\nstruct E{n} {{ int x; long long y; struct H{n} h; int z; }};\nstatic struct H{n} \
         g{n} = {{1, 2}};\n"
    );
    let value = stored(dice);
    let offset = format!("__builtin_offsetof(struct E{n}, h)");
    let made = format!("struct E{n} *e{n} = (struct E{n} *)((char *)&g{n} - {offset});");
    let member = *dice.pick(&["a", "b"]);
    let body = match dice.roll(4) {
        0 => format!("  {made}\n  e{n}->h.{member} = {value};\n"),
        1 => format!("  {made}\n  struct H{n} *h{n} = &e{n}->h;\n  h{n}->{member} = {value};\n"),
        2 => format!("  {made}\n  struct H{n} w{n} = {{{value}, 9}};\n  e{n}->h = w{n};\n"),
        _ => format!("  {made}\n  int *i{n} = x0 & 1 ? &e{n}->h.a : &e{n}->h.b;\n  *i{n} += {value};\n"),
    };
    Shape {
        globals,
        body,
        observed: vec![format!("g{n}.a"), format!("g{n}.b")],
        ..Shape::default()
    }
}

/// The kernel's lists: the loop also visits the bare head.
fn kernel_list(dice: &mut Dice, n: usize) -> Shape {
    let globals = format!(
        "struct L{n} {{ struct L{n} *next, *prev; }};\nstruct E{n} {{ int v; struct L{n} l; int w; }};\nstatic struct L{n} \
         head{n} = {{&head{n}, &head{n}}};\nstatic struct E{n} e{n}[2] = {{{{1}}, {{2}}}};\nstatic int s{n}, c{n};\n\
         static void add{n}(struct L{n} *x, struct L{n} *h) {{ h->next->prev = x; x->next = h->next; x->prev = h; h->next = \
         x; }}\n"
    );
    let entry = format!("((struct E{n} *)((char *)(POINTER) - __builtin_offsetof(struct E{n}, l)))");
    let of = |pointer: &str| entry.replace("POINTER", pointer);
    let value = stored(dice);
    let mut body = format!("  add{n}(&e{n}[0].l, &head{n});\n  if (x0 & 1) add{n}(&e{n}[1].l, &head{n});\n");
    let first = of(&format!("head{n}.next"));
    let head = of(&format!("&head{n}"));
    body.push_str(&match dice.roll(3) {
        0 => format!(
            "  for (struct E{n} *p{n} = {first}; &p{n}->l != &head{n}; p{n} = {}) {{ s{n} += p{n}->v; p{n}->w = {value}; \
             c{n}++; }}\n",
            of(&format!("p{n}->l.next"))
        ),
        1 => format!(
            "  struct E{n} *p{n} = {head};\n  p{n}->l.next = &e{n}[1].l;\n  s{n} = ({})->v;\n",
            of(&format!("head{n}.next"))
        ),
        _ => format!(
            "  struct E{n} *p{n} = {first};\n  p{n} = {};\n  p{n}->l.prev = &e{n}[0].l;\n  c{n} = head{n}.prev == \
             &e{n}[0].l;\n  s{n} = p{n}->l.next == &head{n};\n",
            of(&format!("p{n}->l.next"))
        ),
    });
    Shape {
        globals,
        body,
        observed: vec![
            format!("s{n}"),
            format!("c{n}"),
            format!("e{n}[0].w"),
            format!("(head{n}.next == &e{n}[1].l)"),
        ],
        ..Shape::default()
    }
}

fn middle(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let value = stored(dice);
    let body = match dice.roll(4) {
        0 => format!("  int *p{n} = &a{n}[2];\n  p{n}[-1] = {value};\n"),
        1 => format!("  int *p{n} = &a{n}[3];\n  p{n}[-(int)(x0 & 3)] = {value};\n"),
        2 => format!("  int *p{n} = a{n} + 4;\n  *--p{n} = {value};\n  p{n} -= 2;\n  *p{n} = 9;\n"),
        _ => format!("  char *p{n} = (char *)&a{n}[2];\n  *(int *)(p{n} - 4 * (x0 & 1)) = {value};\n"),
    };
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

/// A pointer before the array that is moved back.
fn before_array(dice: &mut Dice, n: usize) -> Shape {
    let (globals, observed) = array(n);
    let (value, before) = (stored(dice), 1 + dice.roll(4));
    let body = match dice.roll(3) {
        0 => format!(
            "  int *p{n} = a{n} - {before};\n  p{n}[{}] = {value};\n",
            before + dice.roll(4)
        ),
        1 => format!("  int *p{n} = a{n} - {before};\n  p{n}[{before} + (x0 & 3)] = {value};\n"),
        _ => format!(
            "  struct V{n} {{ int v[8]; }} *p{n} = (struct V{n} *)(a{n} - {before});\n  p{n}->v[{}] = {value};\n",
            before + dice.roll(4)
        ),
    };
    Shape {
        globals,
        body,
        observed,
        ..Shape::default()
    }
}

fn previous_record(dice: &mut Dice, n: usize) -> Shape {
    let value = stored(dice);
    let body = match dice.roll(2) {
        0 => format!("  struct P{n} *p{n} = &q{n}[1];\n  p{n}[-1].b = {value};\n"),
        _ => format!("  struct P{n} *p{n} = &q{n}[x0 & 1];\n  (p{n} - (x0 & 1))->b = {value};\n"),
    };
    Shape {
        globals: format!("struct P{n} {{ int a; int b; }};\nstatic struct P{n} q{n}[2] = {{{{1, 2}}, {{3, 4}}}};\n"),
        body,
        observed: vec![format!("q{n}[0].b"), format!("q{n}[1].a"), format!("q{n}[1].b")],
        ..Shape::default()
    }
}
