//! What is wrong with a program is told with its place. gcc refuses the same.
#![allow(clippy::unwrap_used, clippy::panic)]

use c::{DataModel, Options};
use std::process::{Command, Stdio};

/// Programs with one mistake each, which gcc refuses, too.
const WRONG: &[&str] = &[
    // Names.
    "int main(void) { int counter = 0; return countr; }",
    "int main(void) { int a; int a; return 0; }",
    "int f(void); float f(void); int main(void) { return 0; }",
    "int x; double x; int main(void) { return 0; }",
    "int f(void) { return 1; } int f(void) { return 2; } int main(void) { return 0; }",
    "int x = 1; int x = 2; int main(void) { return x; }",
    "typedef int number; int main(void) { return number; }",
    "int f(int a, int a) { return a; } int main(void) { return 0; }",
    "enum e { A, B, A }; int main(void) { return 0; }",
    "int f; int f(void) { return 0; } int main(void) { return 0; }",
    // Types.
    "long float x; int main(void) { return 0; }",
    "struct s { int a; }; struct s { int a; }; int main(void) { return 0; }",
    "struct s { int a; }; union s x; int main(void) { return 0; }",
    "struct s { int a; char a; }; int main(void) { return 0; }",
    "struct t; struct s { struct t a; }; int main(void) { return 0; }",
    "struct s { int a[]; int b; }; int main(void) { return 0; }",
    "struct s { int a : 33; }; int main(void) { return 0; }",
    "struct s { float a : 3; }; int main(void) { return 0; }",
    "struct s { int a : 0; }; int main(void) { return 0; }",
    "int a[-1]; int main(void) { return 0; }",
    "int a[1.5]; int main(void) { return 0; }",
    "int n; int a[n]; int main(void) { return 0; }",
    "int main(void) { void x; return 0; }",
    "void a[3]; int main(void) { return 0; }",
    "int f(void)[3]; int main(void) { return 0; }",
    "struct s x; int main(void) { return 0; }",
    "int main(void) { struct s; struct s x; return 0; }",
    "enum e { A = x }; int main(void) { return 0; }",
    "static extern int x; int main(void) { return 0; }",
    "typedef int wide __attribute__((aligned(8))); wide a[2]; int main(void) { return 0; }",
    "int x __attribute__((aligned(3))); int main(void) { return 0; }",
    "_Static_assert(sizeof(int) == 2, \"int has two bytes\"); int main(void) { return 0; }",
    // Expressions.
    "struct s { int value; }; int main(void) { struct s x; return x.valeu; }",
    "struct s { int v; }; int main(void) { struct s x, *p = &x; return p.v; }",
    "struct s { int v; }; int main(void) { struct s x; return x->v; }",
    "struct s; int f(struct s *p) { return p->v; } int main(void) { return 0; }",
    "int main(void) { int x = 3; return x.v; }",
    "int main(void) { int x = 3; return *x; }",
    "int main(void) { int x = 3; return x[2]; }",
    "int main(void) { 3 = 4; return 0; }",
    "int main(void) { const int x = 3; x = 4; return x; }",
    "int main(void) { int a[3], b[3]; a = b; return 0; }",
    "struct s { const int c; }; int main(void) { struct s a = {1}, b = {2}; a = b; return 0; }",
    "int main(void) { int x = 1; return &x * 2 ? 1 : 0; }",
    "struct s { int v; }; int main(void) { struct s a = {1}; return a + 1; }",
    "int main(void) { double d = 1; return d % 2; }",
    "int main(void) { double d = 1; return ~d; }",
    "int main(void) { return &3 != 0; }",
    "struct s { int a : 3; } x; int main(void) { int *p = &x.a; return 0; }",
    "struct s { int a : 3; } x; int main(void) { return sizeof(x.a); }",
    "struct s; int main(void) { return sizeof(struct s); }",
    "int main(void) { int x = 3; return x(); }",
    "int f(int a, int b) { return a + b; } int main(void) { return f(1); }",
    "int f(int a) { return a; } int main(void) { return f(1, 2); }",
    "struct s { int v; }; int f(int a) { return a; } int main(void) { struct s x = {1}; return f(x); }",
    "struct s { int v; }; int main(void) { int x = 1; struct s y = {2}; y = x; return 0; }",
    "struct s { int v; }; int main(void) { struct s y = {2}; return (int)y; }",
    "struct s { int v; }; int main(void) { struct s y = {2}; if (y) return 1; return 0; }",
    "struct s { int v; } y; struct t { int v; } z; int main(void) { 1 ? y : z; return 0; }",
    "void f(void) { } int main(void) { int x = f(); return x; }",
    "int main(void) { int x = 1, *p = &x; p += p; return 0; }",
    "int main(void) { float f = 1; int *p = (int *)f; return 0; }",
    "struct s *p; int main(void) { p++; return 0; }",
    "int main(void) { return _Generic(1.0, int: 1); }",
    "int main(void) { return __builtin_offsetof(struct { int a; }, b); }",
    // Initialisers.
    "int f(void); int x = f(); int main(void) { return x; }",
    "struct s { int v; } x = { .w = 3 }; int main(void) { return 0; }",
    "int a[3] = { [3] = 1 }; int main(void) { return 0; }",
    "int a[3] = 1; int main(void) { return 0; }",
    "int x = { .v = 1 }; int main(void) { return 0; }",
    "int main(void) { int n = 3; int a[n] = { 1 }; return 0; }",
    "struct s { int v; } x = 3; int main(void) { return 0; }",
    "typedef int t = 3; int main(void) { return 0; }",
    // Statements.
    "int main(void) { break; return 0; }",
    "int main(void) { continue; return 0; }",
    "int main(void) { case 1: return 0; }",
    "int main(void) { default: return 0; }",
    "int main(void) { switch (1) { case 1: case 1: return 0; } return 0; }",
    "int main(void) { switch (1) { default: default: return 0; } return 0; }",
    "int main(void) { switch (1.5) { default: return 0; } return 0; }",
    "int main(void) { int x = 1; switch (1) { case x: return 0; } return 0; }",
    "int main(void) { goto ende; end: return 0; }",
    "int main(void) { again: again: return 0; }",
    "struct s { int v; }; struct s f(void) { return 1; } int main(void) { return 0; }",
];

/// What gcc accepts, but we do not.
const REFUSED: &[&str] = &[
    "int f(void) { __builtin_va_list l; __builtin_va_start(l, 0); return 0; } int main(void) { return f(); }",
    "int main(void) { return 99999999999999999999999999; }",
    "int main(void) { void *p = &&end; goto *p; end: return 0; }",
    "int main(void) { int f(int a) { return a; } return f(1); }",
    "int main(void) { int x; __asm__ volatile (\"mov %0, 1\" : \"=r\"(x) : : \"memory\"); return x; }",
    "int main(void) { long double x = 1; return x > 0; }",
    "int main(void) { unsigned __int128 x = 1; return x > 0; }",
    "_Complex double z; int main(void) { return z == 0; }",
    "long double half(long double); int main(void) { return half(1) > 0; }",
    "int setjmp(int *); int main(void) { int b[9]; return setjmp(b); }",
    "int main(void) { return __builtin_frame_address(0) != 0; }",
    "static void f(int *p) { } int main(void) { int x __attribute__((cleanup(f))) = 1; return x; }",
    "typedef int v __attribute__((vector_size(16))); int main(void) { return 0; }",
    "struct s { int n; int a[]; } x = { 1, { 2, 3 } }; int main(void) { return x.n; }",
    "asm(\"nop\"); int main(void) { return 0; }",
    "int f(void) { return 1; }",
];

fn messages(text: &str) -> String {
    let sources = c::preprocess::preprocessed("wrong.c", text, None);
    match c::read(&sources, &Options::new(DataModel::Lp64)) {
        Ok(_) => panic!("accepted: {text}"),
        Err(rejected) => {
            let errors = rejected
                .diagnostics
                .iter()
                .filter(|found| found.severity == system::Severity::Error);
            let texts: Vec<String> = errors.map(|found| found.render(&rejected.sources, false)).collect();
            texts.join("\n")
        }
    }
}

#[test]
fn mistakes_are_told_with_their_places() {
    let texts: Vec<String> = WRONG.iter().map(|text| messages(text)).collect();
    insta::assert_snapshot!("wrong", texts.join("\n\n"));
}

#[test]
fn what_is_not_supported_is_refused() {
    let texts: Vec<String> = REFUSED.iter().map(|text| messages(text)).collect();
    insta::assert_snapshot!("refused", texts.join("\n\n"));
}

/// One mistake, one message.
#[test]
fn no_mistake_is_told_twice() {
    for text in WRONG {
        let count = messages(text).matches("error: ").count();
        assert_eq!(count, 1, "{}", messages(text));
    }
}

#[test]
fn gcc_refuses_the_same() {
    use std::io::Write;
    for text in WRONG {
        let compiler = Command::new("gcc")
            .args(["-std=gnu11", "-m64", "-w", "-fsyntax-only", "-x", "c", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        // Where there is no gcc, there is nothing to compare with.
        let Ok(mut compiler) = compiler else { return };
        compiler.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(!compiler.wait().unwrap().success(), "gcc accepts {text}");
    }
}

/// Errors in an uncalled function are reported; unsupported constructs in it are not.
#[test]
fn what_cannot_be_reached_may_hold_anything() {
    let text = "static long double f(long double x) { return x * 2; } int main(void) { return 0; }";
    let sources = c::preprocess::preprocessed("fine.c", text, None);
    assert!(c::read(&sources, &Options::default()).is_ok());
}
