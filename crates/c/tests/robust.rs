//! Every input gets an answer: long programs, deeply nested ones, and damaged ones.
#![allow(clippy::unwrap_used)]

use c::{DataModel, Options, Unit};
use oorandom::Rand32;
use std::fmt::Write;
use system::Rejected;

fn read(text: &str) -> Result<Unit, Rejected> {
    let sources = c::preprocess::preprocessed("input.c", text, None);
    let read = c::read(&sources, &Options::new(DataModel::Ilp32));
    if let Ok(unit) = &read {
        assert_eq!(unit.program.malformed(), [], "{text}");
    }
    read
}

#[test]
fn long_sums_are_read() {
    let terms = vec!["x"; 9_000].join(" + ");
    assert!(read(&format!("int x; int main(void) {{ return {terms}; }}")).is_ok());
    let calls = vec!["f(x)"; 9_000].join(" - ");
    assert!(
        read(&format!(
            "int x; int f(int a) {{ return a; }} int main(void) {{ return {calls}; }}"
        ))
        .is_ok()
    );
    let conditions = vec!["x"; 9_000].join(" && ");
    assert!(read(&format!("int x; int main(void) {{ return {conditions}; }}")).is_ok());
    let commas = vec!["x++"; 9_000].join(", ");
    assert!(read(&format!("int x; int main(void) {{ return {commas}; }}")).is_ok());
}

#[test]
fn long_bodies_are_read() {
    let statements = "x = x + 1;\n".repeat(20_000);
    assert!(read(&format!("int x; int main(void) {{ {statements} return x; }}")).is_ok());
    let mut chain = String::new();
    for number in 0..5_000 {
        let _ = writeln!(chain, "if (x == {number}) x++; else ");
    }
    assert!(read(&format!("int x; int main(void) {{ {chain} x--; return x; }}")).is_ok());
    let cases: String = (0..5_000).map(|number| format!("case {number}: x++; ")).collect();
    assert!(
        read(&format!(
            "int x; int main(void) {{ switch (x) {{ {cases} }} return x; }}"
        ))
        .is_ok()
    );
    let numbers: Vec<String> = (0..50_000).map(|number| number.to_string()).collect();
    assert!(
        read(&format!(
            "int a[] = {{ {} }}; int main(void) {{ return a[3]; }}",
            numbers.join(", ")
        ))
        .is_ok()
    );
}

#[test]
fn deep_programs_have_an_answer() {
    for depth in [100, 290, 1_000, 100_000] {
        for (open, close) in [
            ("(", ")"),
            ("-(", ")"),
            ("f(", ")"),
            ("x ? ", " : 1"),
            ("({ ", "; })"),
            ("x = ", ""),
        ] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let _ = read(&format!(
                "int x; int f(int a) {{ return a; }} int main(void) {{ return {text}; }}"
            ));
        }
        let text = format!("{}x++;{}", "{ ".repeat(depth), " }".repeat(depth));
        let _ = read(&format!("int x; int main(void) {text}"));
        let loops = "while (x) ".repeat(depth);
        let _ = read(&format!("int x; int main(void) {{ {loops} x--; return 0; }}"));
        let pointers = "*".repeat(depth);
        let _ = read(&format!("int {pointers}x; int main(void) {{ return 0; }}"));
    }
}

const PROGRAM: &str = r#"
typedef unsigned char byte;
struct point { int x, y; struct { long z : 7; byte b[3]; }; };
union word { int i; byte b[4]; };
enum colour { RED, GREEN = 5, BLUE };
static struct point origin = { .x = 1, .y = 2, .b = { 1, [2] = 3 } };
static int *where = &origin.y, table[] = { [3] = 4, 5 };
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int sum(int count, ...) {
    __builtin_va_list list; int total = 0;
    __builtin_va_start(list, count);
    for (int i = 0; i < count; i++) total += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return total;
}
static struct point move(struct point p, int by) { p.x += by; p.z--; return p; }
int main(int argc, char **argv) {
    int n = __VERIFIER_nondet_int(), a[n > 0 ? n : 1];
    union word w = { .i = 0x01020304 };
    struct point p = move(origin, argc), *q = &p;
    int (*f)(int, ...) = sum;
    switch (n) { case RED: a[0] = f(2, 1, 2); break; case GREEN ... 7: { int k = 3; goto out; default: k = 1; *where = k; } }
    do { q->b[n & 1]++, n >>= 1; if (n == 3) continue; } while (n && w.b[1] != 2 || !table[0]);
    q = (struct point[]){ { 1 }, move(p, 2) };
    const char *text = "text" "more";
out:
    if ((q + 1)->x != ({ int t = (int)sizeof a; t * 2; }) ? text[0] : 1.5 > n) reach_error();
    return _Generic(n, int: origin.x, default: 0);
}
"#;

#[test]
fn damaged_programs_have_an_answer() {
    assert!(read(PROGRAM).is_ok());
    let tokens: Vec<&str> = PROGRAM
        .split_inclusive(|each: char| !each.is_alphanumeric() && each != '_')
        .collect();
    let mut random = Rand32::new(1);
    let mut accepted = 0;
    for _ in 0..600 {
        let mut damaged = tokens.clone();
        for _ in 0..random.rand_range(1..4) {
            let at = random.rand_range(0..damaged.len() as u32) as usize;
            let from = tokens[random.rand_range(0..tokens.len() as u32) as usize];
            match random.rand_range(0..4) {
                0 => drop(damaged.remove(at)),
                1 => damaged.insert(at, from),
                2 => damaged[at] = from,
                _ => damaged.truncate(at.max(1)),
            }
        }
        accepted += u32::from(read(&damaged.concat()).is_ok());
    }
    assert!(accepted > 0);
}
