//! Das' figures 6.3 to 6.5: what a cartesian abstraction loses, and Constrain brings back.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use boolean::Verdict;
use common::{with, word};
use logic::{Cancellation, Function, Sort, Term, term};
use slam::constrain::constrain;
use slam::cubes::Blamed;
use slam::predicates::PredicateId;
use slam::statements::{Bit, Meaning};
use slam::{Mode, Slam};

/// Figure 6.3.
const EXAMPLE: &str = "int main(void) { int x, y, z;
    if (x < y) { if (y < z) { if (!(x < z)) { reach_error(); } } } return 0; }";

fn variable(name: &str) -> Term {
    Function::constant(format!("main:{name}").as_str(), Sort::Int).apply([])
}

/// `b1`, `b2` and `b3`, in this order.
fn predicates(x: Term, y: Term, z: Term) -> [Term; 3] {
    [(x, y), (y, z), (x, z)].map(|(a, b)| term::less(a, b))
}

fn with_predicates<R>(then: impl FnOnce(&mut Slam) -> R) -> R {
    with(EXAMPLE, Mode::Lazy, 1, |slam| {
        let predicates = predicates(variable("x"), variable("y"), variable("z"));
        assert_eq!(slam.add(&predicates).unwrap(), 3);
        then(slam)
    })
}

#[test]
fn the_cartesian_abstraction_fails_and_one_call_of_constrain_repairs_it() {
    with_predicates(|slam| {
        let figure_6_4 = slam.c2bp().unwrap();
        let answer = boolean::check(&figure_6_4.program, &Cancellation::default()).unwrap();
        let Verdict::Unsafe(trace) = answer.verdict else {
            panic!("figure 6.4 fails: {:?}", answer.verdict);
        };
        let (steps, predicates) = (&slam.steps, &slam.predicates);
        let added = constrain(
            steps,
            predicates,
            &mut slam.cubes,
            &figure_6_4,
            &trace,
            &mut slam.constraints,
            5,
        );
        assert!(added.unwrap() > 0);
        let figure_6_5 = slam.c2bp().unwrap();
        // b1 && b2 && !b3 can not be.
        let text = figure_6_5.program.to_string();
        assert!(text.contains("enforce"), "{text}");
        let answer = boolean::check(&figure_6_5.program, &Cancellation::default()).unwrap();
        assert_eq!(answer.verdict, Verdict::Safe, "{text}");
    });
}

/// Section 6.6: from `b1 && b2 && b3`, line 4 does not lead to `b1 && b2 && !b3`, and only the state after it is to
/// blame.
#[test]
fn the_constraint_is_as_small_as_that_of_the_thesis() {
    with_predicates(|slam| {
        let bits = [0, 1, 2].map(|number| Bit::Predicate(PredicateId(number)));
        let fresh = |name: &str| Function::constant(name, Sort::Int).apply([]);
        let before = predicates(variable("x"), variable("y"), variable("z"));
        let after = predicates(fresh("x0"), fresh("y0"), fresh("z0"));
        let meaning = Meaning {
            before: bits.into_iter().zip(before).collect(),
            condition: term::bool(true),
            after: bits.into_iter().zip(after).collect(),
        };
        let blamed = slam
            .cubes
            .spurious(&slam.steps, &meaning, &|_| true, &|bit| bit != bits[2])
            .unwrap()
            .unwrap();
        let literal = |number: usize, value| Blamed {
            bit: bits[number],
            is_after: true,
            value,
        };
        assert_eq!(blamed, [literal(0, true), literal(1, true), literal(2, false)]);
        // A step that there is.
        let real = slam.cubes.spurious(&slam.steps, &meaning, &|_| true, &|_| true);
        assert_eq!(real.unwrap(), None);
    });
}

#[test]
fn without_constrain_no_difference_is_found_and_with_it_the_program_is_safe() {
    let (word_none, none) = word(EXAMPLE, Mode::None, 1);
    assert_eq!(word_none, "no difference");
    assert!(none.no_difference > 0);
    let (word_lazy, lazy) = word(EXAMPLE, Mode::Lazy, 1);
    assert_eq!(word_lazy, "safe");
    assert!(lazy.no_difference > 0 && lazy.constraints + lazy.invariants > 0);
    assert_eq!(word(EXAMPLE, Mode::Eager, 1).0, "safe");
    // The length of cubes is of no help: each condition is a predicate.
    assert_eq!(word(EXAMPLE, Mode::None, 3).0, "no difference");
}
