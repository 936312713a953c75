//! C programs whose invariants are relations between numbers that wrap around: proved, and their bugs found. They need
//! a C compiler.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist};
use testing::{Outcome, tool};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void); extern short __VERIFIER_nondet_short(void);
extern long long __VERIFIER_nondet_longlong(void); extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)\n";

/// A name, a program that is safe, and a change that makes it unsafe.
const PAIRS: [(&str, &str, (&str, &str)); 13] = [
    (
        "a relation that bounds make exact",
        "int main(void) { unsigned x = 0, y = 0, z = 0;
           while (__VERIFIER_nondet_int()) {
             if (x < 100) { x++; y += 2; } else if (z < 1000) { z++; y++; } else { x = 0; y = 0; z = 0; }
             check(y >= x); }
           check(y >= z); }",
        ("y >= x", "y != 204"),
    ),
    (
        "a sum of signed numbers",
        "int main(void) { int n = __VERIFIER_nondet_int(), sum = 0, i;
           for (i = 0; i < n; i++) sum = sum + 3;
           check(n < 0 || sum == n * 3); }",
        ("n < 0 || sum == n * 3", "n < 0 || n > 4 || sum != n * 3 || sum != 12"),
    ),
    (
        "a sum of unsigned numbers",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), sum = 7, i;
           for (i = 0; i != n; i++) sum += 5;
           check(sum == 5 * n + 7); }",
        ("5 * n + 7", "5 * n + 8"),
    ),
    (
        "down",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), left = n, done = 0;
           while (left != 0) { left--; done = done + 2; }
           check(done == 2 * n); }",
        ("done == 2 * n", "done != 6"),
    ),
    (
        "below zero",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = 1, i = n;
           while (i > 0) { i = i - 1; x = x - 3; }
           check(x == 1 - 3 * n); }",
        ("1 - 3 * n", "1 - 3 * n - (n == 5)"),
    ),
    (
        "bytes beside a counter of another width",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i; unsigned char c = 0;
           for (i = 0; i != n; i++) c = c + 3;
           check(c == (unsigned char) (3 * n)); }",
        ("(3 * n)", "(3 * n + (n == 4))"),
    ),
    (
        "signed numbers of 16 bits",
        "int main(void) { short n = __VERIFIER_nondet_short(), s = 0, i;
           for (i = 0; i < n; i++) s = s + 7;
           check(n < 0 || s == (short) (7 * n)); }",
        ("n < 0 || s == (short) (7 * n)", "s != 21"),
    ),
    (
        "64 bits",
        "int main(void) { long long n = __VERIFIER_nondet_longlong(), s = 0, i;
           for (i = 0; i < n; i++) s = s + 2;
           check(n < 0 || s == (long long) (2ULL * (unsigned long long) n)); }",
        (
            "n < 0 || s == (long long) (2ULL * (unsigned long long) n)",
            "n != 3 || s != 6",
        ),
    ),
    (
        "three variables",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), a = 0, b = 0, i;
           for (i = 0; i < n; i++) { if (__VERIFIER_nondet_int()) a += 2; else b += 2; }
           check(a + b == 2 * n); }",
        ("a + b == 2 * n", "a == 2 * n"),
    ),
    (
        "one loop after the other",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), up = 0, i;
           for (i = 0; i != n; i++) up += 4;
           for (i = 0; i != n; i++) up -= 3;
           check(up == n); }",
        ("check(up == n)", "check(up == n || n != 2); check(n != 3)"),
    ),
    (
        "one loop in the other",
        "int main(void) { unsigned x = 0, y = 0;
           while (__VERIFIER_nondet_int()) { x += 2; y += 6; while (__VERIFIER_nondet_int()) { x++; y += 3; } }
           check(y == 3 * x); }",
        ("y == 3 * x", "y == 3 * x && x != 5"),
    ),
    (
        "what is even stays so",
        "int main(void) { unsigned x = 4;
           while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) x += 6; else x = x * 3; }
           check(x % 2 == 0); }",
        ("x % 2 == 0", "x % 4 == 0"),
    ),
    (
        "doubled",
        "int main(void) { unsigned x = 1, y = 3;
           while (__VERIFIER_nondet_int()) { x = x * 2; y = y * 2; }
           check(y == 3 * x); }",
        ("y = y * 2", "y = y * 2 + (x == 16)"),
    ),
];

fn check(file: &str) -> (Option<i32>, serde_json::Value) {
    let fixed = ["check", file, "--data-model", "ilp32", "--json", "--timeout", "120s"];
    let run = cubist(&fixed);
    (run.status, serde_json::from_str(&run.stdout).unwrap_or_default())
}

fn relations_modulo_powers_of_two_are_found() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("wrap-around");
    let mut wrong = Vec::new();
    for (name, program, (from, to)) in PAIRS {
        assert!(program.contains(from), "{name}");
        let bug = program.replacen(from, to, 1);
        for (expected, text) in [("safe", program.to_owned()), ("unsafe", bug)] {
            let file = folder.write("wrap.c", format!("{PRELUDE}{text}\n"));
            let (status, report) = check(&file);
            if report["verdict"] != expected {
                wrong.push(format!(
                    "{name}, {expected}: {status:?} {} {}",
                    report["verdict"], report["reason"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

testing::tests!(relations_modulo_powers_of_two_are_found,);
