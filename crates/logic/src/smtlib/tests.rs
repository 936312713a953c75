//! The form of the text. The crate `smt` tests that solvers accept it and agree on its meaning.

use super::*;
use crate::rational::Rational;
use crate::term::{self, add, and, append, equal, exists, forall, int, less, or};

fn text(term: Term) -> String {
    TermText(term).to_string()
}

fn flag(name: &str) -> Term {
    Function::constant(name, Sort::Bool).apply([])
}

#[test]
fn literals_have_no_negative_numerals() {
    assert_eq!(text(int(-3)), "(- 3)");
    assert_eq!(text(int(i128::MIN)), "(- 170141183460469231731687303715884105728)");
    assert_eq!(text(term::real(Rational::new(-1, 3).unwrap())), "(- (/ 1.0 3.0))");
    assert_eq!(text(term::real(Rational::from_integer(2))), "2.0");
    assert_eq!(
        text(term::empty_list(Sort::list(Sort::Int))),
        "(as seq.empty (Seq (Seq Int)))"
    );
}

#[test]
fn operators_and_lists() {
    let list = Function::constant("q", Sort::list(Sort::Int)).apply([]);
    assert_eq!(
        text(term::tail(append(list, int(1)))),
        "(seq.extract (seq.++ q (seq.unit 1)) 1 (seq.len (seq.++ q (seq.unit 1))))"
    );
    assert_eq!(text(term::head(list)), "(seq.nth q 0)");
    let n = Function::constant("n", Sort::Int).apply([]);
    assert_eq!(
        text(less(term::divide(n, int(2)), term::modulo(n, int(2)))),
        "(< (div n 2) (mod n 2))"
    );
    let r = Function::constant("r", Sort::Real).apply([]);
    assert_eq!(
        text(term::divide(r, term::real(Rational::from_integer(2)))),
        "(/ r 2.0)"
    );
}

#[test]
fn variables_of_one_name_and_two_sorts_do_not_hide_each_other() {
    let [number, node] = [Sort::Int, Sort::Index("Node".into())].map(|sort| Variable::new("x", sort));
    let relation = Function::new("r", vec![Sort::Int, node.sort], Sort::Bool);
    let formula = forall([number], exists([node], relation.apply([number.term(), node.term()])));
    assert_eq!(text(formula), "(forall ((x Int)) (exists ((x_2 Node)) (r x x_2)))");
}

#[test]
fn shared_subterms_are_named_in_their_scope() {
    let x = Variable::new("x", Sort::Int);
    let f = Function::new("f", vec![Sort::Int], Sort::Int);
    let [a, b] = ["a", "b"].map(|name| Function::constant(name, Sort::Int).apply([]));
    let closed = add([f.apply([a]), f.apply([b]), f.apply([add([a, b])])]);
    let open = add([f.apply([closed]), f.apply([x.term()]), x.term()]);
    let formula = and([
        less(closed, int(7)),
        forall([x], or([less(open, int(0)), less(int(9), open)])),
    ]);
    assert_eq!(
        text(formula),
        "(let (($1 (+ (f a) (f b) (f (+ a b))))) (and (< $1 7) (forall ((x Int)) \
         (let (($2 (+ (f $1) (f x) x))) (or (< $2 0) (< 9 $2))))))"
    );
}

#[test]
fn a_hidden_variable_is_not_shared_with_the_outer_one() {
    let x = Variable::new("x", Sort::Int);
    let f = Function::new("f", vec![Sort::Int], Sort::Int);
    let big = f.apply([f.apply([f.apply([f.apply([f.apply([f.apply([f.apply([f.apply([x.term()])])])])])])])]);
    let once = less(big, int(0));
    let formula = forall(
        [x],
        or([once, exists([x], and([equal(big, int(1)), equal(x.term(), big)]))]),
    );
    let printed = text(formula);
    assert_eq!(printed.matches("let").count(), 1, "{printed}");
    assert!(printed.contains("(exists ((x Int)) (let (($1 "), "{printed}");
}

#[test]
fn text_grows_linearly_with_the_shared_term() {
    let mut list = Function::constant("q", Sort::list(Sort::Int)).apply([]);
    let mut number = Function::constant("n", Sort::Int).apply([]);
    for _ in 0..5000 {
        number = term::multiply(number, add([number, int(1)]));
        list = append(term::tail(list), number);
    }
    let length = text(equal(term::head(list), number)).len();
    assert!(length < 5000 * 200, "{length}");
}

#[test]
fn scripts_declare_what_they_use() {
    let colour = Sort::enumeration("Colour".into(), vec!["red".into(), "dark green".into()]);
    let Sort::Enum(values) = colour else { unreachable!() };
    let node = Sort::Index("Node".into());
    let paint = Function::new("paint", vec![node], colour);
    let queue = Function::new("queue", vec![node], Sort::list(colour));
    let n = Variable::new("n", node);
    let mut script = Script::new();
    script.title("two\nlines");
    script.push();
    script.assert(equal(paint.apply([n.term()]), term::enumerator(values, 1)));
    script.assert(or([
        flag("go"),
        equal(queue.apply([n.term()]), term::empty_list(colour)),
    ]));
    script.check_sat();
    script.pop();
    assert_eq!(
        script.to_string(),
        "; two\n; lines\n(set-logic ALL)\n\
         (declare-sort Node 0)\n(declare-datatypes ((Colour 0)) (((red) (|dark green|))))\n\
         (declare-fun paint (Node) Colour)\n(declare-fun n () Node)\n(declare-fun go () Bool)\n\
         (declare-fun queue (Node) (Seq Colour))\n(push 1)\n(assert (= (paint n) |dark green|))\n\
         (assert (or go (= (queue n) (as seq.empty (Seq Colour)))))\n(check-sat)\n(pop 1)\n"
    );
}
