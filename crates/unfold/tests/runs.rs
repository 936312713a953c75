//! Regression tests for soundness: runs of programs that an earlier encoding lost.
//!
//! The programs have no loops, so one rule leads from the start to the violation. Whether it can be taken is found out
//! by trying a few values for each choice.
#![allow(clippy::unwrap_used, clippy::panic)]

use analysis::points_to::PointsTo;
use c::DataModel;
use logic::substitute::functions_of;
use logic::{Function, Term, simplify, substitute, term};
use system::{SourceFile, Sources};
use unfold::{Node, Options, unfold};

/// The values tried for choices, beside the constants of the program.
const TRIED: [i128; 4] = [0, 1, 7, -1];
/// Larger searches mean that a program here is too large.
const MOST: usize = 20_000;

fn may_fail(model: DataModel, body: &str, has_axioms: bool) -> bool {
    let prelude =
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned);
        extern unsigned long __VERIFIER_nondet_ulong(void); extern unsigned __VERIFIER_nondet_uint(void);";
    let file = SourceFile::new("test.i", format!("{prelude}\n{body}\n"));
    let sources = Sources::new(file);
    let unit = c::read(&sources, &c::Options::new(model)).unwrap();
    let points_to = PointsTo::of(&unit.program);
    let unfolded = unfold(&unit.program, &points_to, &Options::default(), &|| false).unwrap();
    let start: Vec<(Function, Term)> = unfolded.system.starts[0]
        .updates
        .iter()
        .map(|update| (update.function, update.value))
        .collect();
    let violates = |rule: &&system::transition::Rule| matches!(unfolded.end_of(rule), Some(Node::Violated(_)));
    let mut rules = unfolded.system.rules.iter().filter(violates);
    rules.any(|rule| {
        let axioms = unfolded.system.axioms.iter().filter(|_| has_axioms);
        let mut guard = term::and([rule.guard].into_iter().chain(axioms.map(|axiom| axiom.formula)));
        for (function, value) in &start {
            guard = substitute::replace(guard, function.apply([]), *value);
        }
        let numbers = substitute::numbers_of(&[guard]);
        let mut values: Vec<i128> = TRIED
            .into_iter()
            .chain(numbers)
            .filter(|n| n.abs() <= 1 << 100)
            .collect();
        values.sort_unstable();
        values.dedup();
        let mut left = MOST;
        is_possible(simplify(guard), &values, &mut left)
    })
}

/// Whether some of these values make a formula true.
fn is_possible(formula: Term, values: &[i128], left: &mut usize) -> bool {
    let Some(unknown) = functions_of(formula).into_iter().next() else {
        return formula.is_true();
    };
    assert!(*left > 0, "too many values to try");
    *left -= 1;
    values.iter().any(|value| {
        let put = substitute::replace(formula, unknown.apply([]), term::int(*value));
        let put = simplify(put);
        !put.is_false() && is_possible(put, values, left)
    })
}

fn loses_no_run(body: &str) {
    for model in DataModel::ALL {
        assert!(may_fail(model, body, false), "{model:?}: {body}");
    }
}

fn has_no_run(body: &str) {
    for model in DataModel::ALL {
        assert!(!may_fail(model, body, true), "{model:?}: {body}");
    }
}

#[test]
fn bits_of_two_unknowns_are_those_of_the_machine() {
    let bytes = "unsigned char a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();";
    loses_no_run(&format!(
        "int main(void) {{ {bytes} if ((a & b) == 1 && a == 7) reach_error(); }}"
    ));
    loses_no_run(&format!(
        "int main(void) {{ {bytes} if ((a ^ b) == 6 && a == 7) reach_error(); }}"
    ));
    has_no_run(&format!("int main(void) {{ {bytes} if ((a & b) > a) reach_error(); }}"));
    has_no_run(&format!(
        "int main(void) {{ {bytes} if ((a | b << 8) != a + b * 256) reach_error(); }}"
    ));
    // The sign of a byte is in all bits above.
    loses_no_run(
        "int main(void) { signed char a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
         if ((a & b << 8) < 0) reach_error(); }",
    );
}

#[test]
fn a_number_leads_back_into_its_object() {
    let program = |offset: u32, expected: &str| {
        format!(
            "struct s {{ int a; int b; }} o; int main(void) {{ o.a = 2; o.b = 3; unsigned long n = (unsigned long)&o;
             n += {offset}; if (*(int *)n {expected}) reach_error(); return 0; }}"
        )
    };
    has_no_run(&program(4, "!= 3"));
    has_no_run(&program(0, "!= 2"));
    loses_no_run(&program(4, "== 3"));
    loses_no_run(&program(0, "== 2"));
}

#[test]
fn an_index_outside_of_a_row_is_in_the_next() {
    loses_no_run(
        "int main(void) { int a[2][2] = {{1, 2}, {7, 4}}; int i = __VERIFIER_nondet_int();
            if (i == 2 && a[0][i] == 7) reach_error(); return 0; }",
    );
    has_no_run(
        "int main(void) { int a[2] = {1, 7}; int i = __VERIFIER_nondet_int();
            if (i == 0 && a[i] == 7) reach_error(); return 0; }",
    );
}

#[test]
fn an_array_at_the_end_of_a_record_goes_on_behind_it() {
    for length in ["1", "0", ""] {
        loses_no_run(&format!(
            "struct s {{ int n; int a[{length}]; }}; int main(void) {{ struct s *p = malloc(40); p->a[3] = 7;
                if (p->a[3] == 7) reach_error(); return 0; }}"
        ));
    }
}

#[test]
fn shifts_by_too_many_bits_are_not_shifts_by_none() {
    loses_no_run(
        "int main(void) { int s = __VERIFIER_nondet_int(); int x = 1; if (s == 33 && x << s == 2) reach_error();
            return 0; }",
    );
    has_no_run(
        "int main(void) { int s = __VERIFIER_nondet_int(); int x = 1; if (s == 3 && x << s != 8) reach_error();
            return 0; }",
    );
}

#[test]
fn a_copy_covers_all_bits_of_its_bytes() {
    loses_no_run(
        "struct a { unsigned a : 3; }; struct b { unsigned a : 3; unsigned b : 5; };
            int main(void) { struct b b; b.a = 1; b.b = 5; struct a a; *(unsigned *)&a = 0; *(struct a *)&b = a;
            if (b.b == 0) reach_error(); return 0; }",
    );
}

#[test]
fn the_greatest_index_is_a_step_back() {
    for number in ["(unsigned long)i", "-1UL"] {
        loses_no_run(&format!(
            "int main(void) {{ int a[3] = {{1, 2, 3}}; int *p = a + 2; int i = __VERIFIER_nondet_int(); if (i != -1)
                return 0; p[{number}] = 7; if (a[1] == 7) reach_error(); return 0; }}"
        ));
    }
}

#[test]
fn what_is_constant_is_what_no_step_changes() {
    // Parameters that are given numbers: written to, by a pointer, or not at all.
    for (change, other) in [
        ("x = 7;", 7),
        ("int *p = &x; *p = 7;", 7),
        ("change(&x);", 7),
        ("x++;", 4),
        ("", 3),
    ] {
        let program = format!(
            "static void change(int *p) {{ *p = 7; }} static void f(int x) {{ {change}
                if (x == {other}) reach_error(); }} int main(void) {{ f(3); return 0; }}"
        );
        loses_no_run(&program);
        has_no_run(&program.replace("if (x ==", "if (x !="));
    }
    // The first call passes a constant, the second an input through another parameter.
    loses_no_run(
        "static int g(int y) { return y; } static int f(int x) { return g(x); }
            int main(void) { f(3); if (f(__VERIFIER_nondet_int()) == 7) reach_error(); return 0; }",
    );
    // Constants get addresses when the program starts, and those of other files hold anything.
    loses_no_run(
        "static int seven = 7; int *const p = &seven;
            int main(void) { if (p == &seven && *p == 7) reach_error(); return 0; }",
    );
    loses_no_run("extern const int other; int main(void) { if (other == 7) reach_error(); return 0; }");
    loses_no_run(
        "const short row[3] = { 1, -2 }; int main(void) { if (row[1] == -2 && !row[2]) reach_error(); return 0; }",
    );
    has_no_run(
        "const short row[3] = { 1, -2 }; int main(void) { if (row[1] != -2 || row[2]) reach_error(); return 0; }",
    );
}
