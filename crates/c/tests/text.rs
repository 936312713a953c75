//! What small programs become, as text.
#![allow(clippy::unwrap_used, clippy::panic)]

use c::{DataModel, Options, Unit};

fn read_with(text: &str, options: &Options) -> Unit {
    let sources = c::preprocess::preprocessed("program.c", text, None);
    let unit = match c::read(&sources, options) {
        Ok(unit) => unit,
        Err(rejected) => panic!("{}", rejected.diagnostics[0].render(&rejected.sources, false)),
    };
    assert_eq!(unit.program.malformed(), []);
    unit
}

fn read(text: &str) -> Unit {
    read_with(text, &Options::new(DataModel::Lp64))
}

/// The automaton of `main`, or of another procedure.
fn procedure(unit: &Unit, name: &str) -> String {
    let found = unit
        .program
        .procedures
        .iter()
        .find(|procedure| procedure.name == name)
        .unwrap();
    unit.program.procedure_text(found)
}

fn main_of(body: &str) -> String {
    let declarations =
        "int f(int a); int g, a[10]; struct p { int x, y; unsigned b : 3; } s, *q; int *p; struct p h(void);";
    let unit = read(&format!("{declarations}\nint main(void) {{ {body} }}"));
    procedure(&unit, "main")
}

#[test]
fn effects_become_steps_in_the_order_of_gcc() {
    insta::assert_snapshot!(main_of("return g + f(g) * g++;"));
}

#[test]
fn a_target_is_evaluated_once() {
    insta::assert_snapshot!(main_of("a[g++] += 2; s.b = g; q->b++; *p++ = 1; return 0;"));
}

#[test]
fn short_circuit_becomes_ways() {
    insta::assert_snapshot!(main_of("if (g && (p || !f(1))) g = 2; return g > 1 ? 3 : f(2);"));
}

#[test]
fn records_are_copied() {
    insta::assert_snapshot!(main_of("struct p t = { 1, 2 }; s = t; *q = h(); return h().y;"));
}

#[test]
fn lives_end_where_blocks_are_left() {
    let body = "for (int i = 0; i < 3; i++) { int x = i; if (x == 1) continue; if (x == 2) goto out; } out: return 0;";
    insta::assert_snapshot!(main_of(body));
}

#[test]
fn a_switch_may_lead_into_blocks() {
    let body = "switch (g) { case 1: { int x; case 2 ... 5: x = 3; g = x; } default: g++; } return 0;";
    insta::assert_snapshot!(main_of(body));
}

#[test]
fn conversions_are_written_out() {
    let body = "unsigned char c = g; _Bool b = p; c += 1; long l = c; g = l < 2u; float x = g; return x;";
    insta::assert_snapshot!(main_of(body));
}

#[test]
fn a_table_is_bytes_and_addresses_are_put_into_it_at_the_start() {
    let text = "int n[] = { 1, 2, [4] = 5 }; struct { char c; int *p; } t[] = { { 'a' }, { 'b', &n[2] } };
int main(void) { return t[1].c + *t[1].p; }";
    let unit = read(text);
    insta::assert_snapshot!(unit.program.text());
}

#[test]
fn the_library_has_its_meaning() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
extern void __assert_fail(const char *, const char *, unsigned, const char *); void reach_error() { __assert_fail(\"0\", \"f\", 1, \"g\"); }
extern void __VERIFIER_assert(int); int unknown(int *p); void *malloc(unsigned long);
int main(void) {
  int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 1); __VERIFIER_assert(x != 5);
  if (x == 6) reach_error(); if (!(x < 9)) __assert_fail(\"x < 9\", \"f.c\", 3, \"main\");
  int *p = malloc(4); return unknown(p); }";
    let unit = read(text);
    let assumed: Vec<&str> = unit.assumed.iter().map(|assumed| assumed.what.as_str()).collect();
    let properties: Vec<&str> = unit
        .program
        .properties
        .iter()
        .map(|property| property.name.as_str())
        .collect();
    insta::assert_snapshot!(procedure(&unit, "main"));
    assert_eq!(
        properties,
        ["__VERIFIER_assert(x != 5)", "reach_error()", "assert(x < 9)"]
    );
    insta::assert_snapshot!(assumed.join("\n"));
}

#[test]
fn what_others_may_write_to_is_told() {
    let text = "volatile int state; volatile int *reg; int *volatile next; int plain; int volatile table[2];
int main(void) { volatile int own = 1; return state + *reg + *next + plain + table[1] + own; }";
    let unit = read(text);
    let assumed: Vec<&str> = unit.assumed.iter().map(|assumed| assumed.what.as_str()).collect();
    let told = ["state", "reg", "next", "table"]
        .map(|name| format!("`{name}` is volatile, or points at what is: only the program writes there"));
    assert_eq!(assumed, told);
}

#[test]
fn a_label_may_be_an_error() {
    let options = Options {
        error_labels: vec!["ERROR".to_owned()],
        ..Options::default()
    };
    let unit = read_with("int x; int main(void) { if (x) { ERROR: x = 1; } return 0; }", &options);
    assert_eq!(unit.program.properties[0].name, "ERROR");
}

#[test]
fn further_arguments_are_a_pointer() {
    let text = "int sum(int n, ...) { __builtin_va_list l; int s = 0; __builtin_va_start(l, n);
while (n--) s += __builtin_va_arg(l, int); __builtin_va_end(l); return s; } int main(void) { return sum(2, 1, 2); }";
    insta::assert_snapshot!(procedure(&read(text), "sum"));
    let unit = read_with(text, &Options::new(DataModel::Ilp32));
    insta::assert_snapshot!(procedure(&unit, "sum"));
}
