//! The effect of the rules on chosen terms. tests/meaning.rs tests that they preserve meaning.

use super::simplify;
use crate::sort::Sort;
use crate::term::{
    self, Function, Kind, Term, Variable, add, and, append, equal, exists, forall, head, int, ite, less, less_equal,
};
use crate::term::{enumerator, implies, length, multiply, not, or, tail};
use crate::testing::{colour, node};

fn constant(name: &str, sort: Sort) -> Term {
    Function::constant(name, sort).apply([])
}

fn text(term: Term) -> String {
    crate::smtlib::TermText(simplify(term)).to_string()
}

#[test]
fn connectives_use_what_their_operands_say() {
    let [p, q, r] = ["p", "q", "r"].map(|name| constant(name, Sort::Bool));
    assert_eq!(text(and([p, or([not(p), q]), or([p, r])])), "(and p q)");
    assert_eq!(text(or([p, and([not(p), q])])), "(or p q)");
    assert_eq!(
        text(implies(and([p, q]), or([and([p, r]), not(q)]))),
        "(=> (and p q) r)"
    );
    let n = constant("n", Sort::Int);
    let f = Function::new("f", vec![Sort::Int], Sort::Int);
    assert_eq!(
        text(and([equal(n, int(3)), less(f.apply([n]), n)])),
        "(and (= n 3) (<= (f 3) 2))"
    );
    assert_eq!(text(ite(p, ite(p, n, int(0)), ite(p, int(1), n))), "n");
}

#[test]
fn facts_do_not_pass_a_binder_of_their_variable() {
    let x = Variable::new("x", Sort::Int);
    let f = Function::new("f", vec![Sort::Int], Sort::Int);
    let inner = forall([x], less(f.apply([x.term()]), x.term()));
    let formula = and([equal(x.term(), int(3)), inner]);
    assert_eq!(simplify(formula), and([equal(x.term(), int(3)), simplify(inner)]));
}

#[test]
fn conditionals_are_compared_branch_by_branch() {
    let [p, q] = ["p", "q"].map(|name| constant(name, Sort::Bool));
    let [red, green, blue] = [0, 1, 2].map(|n| enumerator(colour(), n));
    assert_eq!(text(equal(ite(p, red, ite(q, green, blue)), green)), "(and (not p) q)");
    assert_eq!(text(equal(ite(p, red, green), blue)), "false");
    assert_eq!(text(equal(ite(p, ite(q, red, green), blue), green)), "(and p (not q))");
}

#[test]
fn enumerations_are_finite() {
    let c = constant("c", Sort::Enum(colour()));
    let [red, green, blue] = [0, 1, 2].map(|n| equal(c, enumerator(colour(), n)));
    assert_eq!(text(or([red, green, blue])), "true");
    assert_eq!(text(and([not(red), not(green)])), "(= c blue)");
}

#[test]
fn comparisons_have_one_form() {
    let [n, m] = ["a", "b"].map(|name| constant(name, Sort::Int));
    assert_eq!(text(less(add([n, int(1)]), add([m, int(1)]))), "(< a b)");
    assert_eq!(text(less(m, n)), "(not (<= a b))");
    assert_eq!(simplify(less(n, m)), not(simplify(less_equal(m, n))));
    assert_eq!(simplify(less_equal(add([n, int(1)]), m)), simplify(less(n, m)));
    assert_eq!(text(less(multiply(int(2), n), int(5))), "(<= a 2)");
    assert_eq!(text(equal(multiply(int(2), n), int(5))), "false");
    assert_eq!(text(equal(add([n, n, int(-4)]), multiply(int(2), m))), "(= a (+ b 2))");
    assert_eq!(text(term::subtract(add([n, m]), n)), "b");
}

#[test]
fn quantifiers_shrink_or_vanish() {
    let [x, y] = ["x", "y"].map(|name| Variable::new(name, node()));
    let a = constant("a", node());
    let [owns, waits] = ["owns", "waits"].map(|name| Function::new(name, vec![node()], Sort::Bool));
    let [own, wait] = [owns.apply([x.term()]), waits.apply([y.term()])];
    assert_eq!(text(exists([x], and([own, equal(x.term(), a)]))), "(owns a)");
    assert_eq!(text(forall([x], implies(equal(x.term(), a), own))), "(owns a)");
    assert_eq!(
        text(forall([x, y], or([own, wait]))),
        "(or (forall ((x Node)) (owns x)) (forall ((y Node)) (waits y)))"
    );
    assert_eq!(
        text(exists([x], and([own, waits.apply([a])]))),
        "(and (waits a) (exists ((x Node)) (owns x)))"
    );
    let i = Variable::new("i", Sort::Int);
    let f = Function::new("f", vec![Sort::Int], Sort::Bool);
    let n = constant("n", Sort::Int);
    assert_eq!(
        text(exists(
            [i],
            and([equal(add([i.term(), int(1)]), n), f.apply([i.term()])])
        )),
        "(f (+ n (- 1)))"
    );
}

#[test]
fn lists_are_taken_apart() {
    let list = constant("l", Sort::list(Sort::Int));
    let empty = term::empty_list(Sort::Int);
    assert_eq!(simplify(head(append(append(empty, int(1)), int(2)))), int(1));
    assert_eq!(
        simplify(tail(append(append(list, int(1)), int(2)))),
        append(tail(append(list, int(1))), int(2))
    );
    assert_eq!(
        simplify(equal(append(list, int(1)), append(list, int(2)))),
        term::bool(false)
    );
    assert_eq!(
        simplify(equal(list, append(append(list, int(1)), int(2)))),
        term::bool(false)
    );
    assert_eq!(simplify(less(int(0), length(list))), not(equal(list, empty)));
}

#[test]
fn deep_and_wide_terms_are_no_problem() {
    let c = constant("c", Sort::Enum(colour()));
    let mut chain = c;
    for n in 0..5_000 {
        chain = ite(
            constant(&format!("p{n}"), Sort::Bool),
            enumerator(colour(), n % 2),
            chain,
        );
    }
    let formula = equal(chain, enumerator(colour(), 2));
    assert_ne!(simplify(formula), formula);
    let clauses = (0..2_000).map(|n| {
        or([
            constant(&format!("p{n}"), Sort::Bool),
            constant(&format!("q{n}"), Sort::Bool),
        ])
    });
    let wide = and(clauses);
    assert_eq!(simplify(wide), wide);
}

#[test]
fn sums_have_no_operand_twice() {
    let [n, m] = ["n", "m"].map(|name| constant(name, Sort::Int));
    let text = |term: Term| crate::smtlib::TermText(term).to_string();
    assert_eq!(text(add([n, m, n, int(2), n])), "(+ (* 3 n) m 2)");
    assert_eq!(text(term::subtract(add([n, m]), add([n, int(1)]))), "(+ m (- 1))");
    assert_eq!(text(multiply(int(2), multiply(int(3), n))), "(* 6 n)");
    // The result of the loop `m := m - n; n := n + m - m / 7`.
    let (mut a, mut b) = (n, m);
    for _ in 0..100 {
        b = term::subtract(b, a);
        a = add([a, b, term::negate(term::divide(b, int(7)))]);
    }
    assert!(matches!(a.kind(), Kind::Add(operands) if operands.len() <= 103));
}
