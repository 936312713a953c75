//! Undefined behaviour in C: each finding, with the place that it is at.

#![allow(clippy::unwrap_used)]

use interpret::{End, Executable, FixedInputs, RunLimits, RunOutcome, Uninitialized};
use system::program::Undefined;

fn run(text: &str, inputs: Vec<i128>, limits: &RunLimits) -> (RunOutcome, String) {
    let sources = c::preprocess::preprocessed("test.i", text, None);
    let unit = c::read(&sources, &c::Options::new(c::DataModel::Ilp32)).unwrap();
    let outcome = Executable::new(&unit.program).run(&mut FixedInputs::new(inputs), limits);
    let snippet = unit.sources.file(outcome.span).snippet(outcome.span).to_owned();
    (outcome, snippet)
}

const DECLARATIONS: &str = "
    void *malloc(unsigned); void *realloc(void *, unsigned); void free(void *);
    void *memcpy(void *, const void *, unsigned); unsigned strlen(const char *);
    int printf(const char *, ...); int __VERIFIER_nondet_int(void);
    struct list { struct list *next; int value; };
    int zero, *null; int minimum = -2147483647 - 1;
    int *dangling(void) { int x = 1; int *p = &x; return p; }
    int nothing(int x) { if (x) return 1; }
    int one(int x) { return x; }
";

/// What is undefined, how, and where.
const UNDEFINED: &[(&str, Undefined, &str)] = &[
    ("int x = 2147483647; x++;", Undefined::Overflow, "x++"),
    ("return -minimum;", Undefined::Overflow, "-minimum"),
    ("return minimum / -1;", Undefined::Overflow, "minimum / -1"),
    (
        "return minimum % (zero - 1);",
        Undefined::Overflow,
        "minimum % (zero - 1)",
    ),
    ("return 1 / zero;", Undefined::DivisionByZero, "1 / zero"),
    ("return 1u % zero;", Undefined::DivisionByZero, "1u % zero"),
    ("return 1 << (zero + 32);", Undefined::Shift, "1 << (zero + 32)"),
    ("return 1 >> (zero - 1);", Undefined::Shift, "1 >> (zero - 1)"),
    ("return (zero - 1) << 1;", Undefined::Shift, "(zero - 1) << 1"),
    ("return *null;", Undefined::NullPointer, "*null"),
    (
        "struct list *l = 0; return l->value;",
        Undefined::NullPointer,
        "l->value",
    ),
    (
        "return *(int *)(zero + 0x12345678);",
        Undefined::InvalidPointer,
        "*(int *)(zero + 0x12345678)",
    ),
    (
        "int a[3] = {0}; return a[zero + 3];",
        Undefined::OutOfBounds,
        "a[zero + 3]",
    ),
    (
        "int a[3]; int *p = a + 4 + zero;",
        Undefined::OutOfBounds,
        "a + 4 + zero",
    ),
    ("int a[3]; int *p = a - 1;", Undefined::OutOfBounds, "a - 1"),
    ("char *p = malloc(2); p[2] = 1;", Undefined::OutOfBounds, "p[2] = 1"),
    (
        "char t[2] = {'a', 'b'}; return strlen(t);",
        Undefined::OutOfBounds,
        "strlen(t)",
    ),
    (
        "char t[2]; memcpy(t, \"abc\", 4);",
        Undefined::OutOfBounds,
        "memcpy(t, \"abc\", 4)",
    ),
    ("return *dangling();", Undefined::DeadObject, "*dangling()"),
    ("int *p; { int x = 1; p = &x; } return *p;", Undefined::DeadObject, "*p"),
    ("int *p = malloc(4); free(p); *p = 1;", Undefined::DeadObject, "*p = 1"),
    ("int x; return x;", Undefined::Uninitialised, "return x;"),
    ("int *p = malloc(4); return *p;", Undefined::Uninitialised, "*p"),
    (
        "struct list l; l.value = 1; return l.next == 0;",
        Undefined::Uninitialised,
        "l.next == 0",
    ),
    ("char *p = \"text\"; *p = 1;", Undefined::Constant, "*p = 1"),
    ("int x; free(&x);", Undefined::Free, "free(&x)"),
    ("int *p = malloc(8); free(p + 1);", Undefined::Free, "free(p + 1)"),
    ("int *p = malloc(8); free(p); free(p);", Undefined::Free, "free(p)"),
    (
        "int *p = malloc(8); free(p); realloc(p, 4);",
        Undefined::Free,
        "realloc(p, 4)",
    ),
    ("int x, y; return &x < &y;", Undefined::DifferentObjects, "&x < &y"),
    ("int x, y; return &x - &y;", Undefined::DifferentObjects, "&x - &y"),
    ("double d = 1e10; return (int)d;", Undefined::Conversion, "(int)d"),
    (
        "int (*f)(int, int) = (void *)one; return f(1, 2);",
        Undefined::Call,
        "f(1, 2)",
    ),
    ("return nothing(0);", Undefined::MissingReturn, "nothing(0)"),
    (
        "__builtin_unreachable();",
        Undefined::Unreachable,
        "__builtin_unreachable()",
    ),
];

#[test]
fn each_finding_has_its_place() {
    let mut wrong = Vec::new();
    for (body, kind, place) in UNDEFINED {
        let text = format!("{DECLARATIONS} int main(void) {{ {body} return 0; }}");
        let (outcome, snippet) = run(&text, vec![], &RunLimits::default());
        // A place may be that of the statement around it.
        if outcome.end != End::Undefined(*kind) || !snippet.contains(place) {
            wrong.push(format!("{body}: {:?} at `{snippet}`", outcome.end));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_defined_is_no_finding() {
    let cases = [
        "unsigned x = 4294967295u; x++; return x;",
        "int a[3] = {1, 2, 3}; int *end = a + 3; int *p = a; while (p != end) p++; return p == end ? 0 : 1;",
        "struct list a, b; a.value = 3; b = a; return b.value - 3;",
        "unsigned char a[4], b[4]; for (int i = 0; i < 4; i++) a[i] = b[i]; return 0;",
        "int *p = 0; free(p); return (int)(unsigned)&((struct list *)0)->value - 4;",
        "int *p = malloc(4); int *q = p; free(p); return p == q ? 0 : 1;",
        "int x = 5; int *p = &x; int **q = &p; return **q - 5;",
        "nothing(0); return 0;",
        "int x, *p = &x; return p == 0;",
        "char *a = \"x\"; int y; return a == (char *)&y;",
        "return one == 0;",
    ];
    for body in cases {
        let text = format!("{DECLARATIONS} int main(void) {{ {body} }}");
        let (outcome, snippet) = run(&text, vec![], &RunLimits::default());
        assert_eq!(outcome.end, End::Exited(0), "{body} at {snippet}");
    }
}

#[test]
fn what_nobody_gave_a_value_is_an_input_where_one_says_so() {
    let limits = RunLimits {
        uninitialised: Uninitialized::Input,
        ..RunLimits::default()
    };
    let text = format!("{DECLARATIONS} int main(void) {{ int x; int a[2]; return x + x + a[1] + a[1]; }}");
    assert_eq!(run(&text, vec![3, 5], &limits).0.end, End::Exited(16));
}

#[test]
fn allocation_fails_where_an_input_says_so() {
    let limits = RunLimits {
        allocation_may_fail: true,
        ..RunLimits::default()
    };
    let text = format!("{DECLARATIONS} int main(void) {{ return malloc(4) == 0; }}");
    let ends = [0, 1].map(|input| run(&text, vec![input], &limits).0.end);
    assert_eq!(ends, [End::Exited(0), End::Exited(1)]);
}
