//! Instantiation of quantifiers: when it says that it is not complete, and how it ends.

use deduction::Grounding;
use logic::Cancellation;
use logic::{Function, Sort, Term, Variable, term};

fn node() -> Sort {
    Sort::Index("NODE".into())
}

/// `p(n1, n2, n3) | ...` for all triples; with many constants there are many instances.
fn triples() -> Term {
    let variables = ["x", "y", "z"].map(|name| Variable::new(name, node()));
    let triple = variables.map(|variable| variable.term());
    // Each variable alone, so that the formula is not one about a tuple of arguments.
    let alone = variables.map(|variable| Function::new("alone", vec![node()], Sort::Bool).apply([variable.term()]));
    let parts = (0..30).map(|n| Function::new(format!("p{n}").as_str(), vec![node(); 3], Sort::Bool).apply(triple));
    term::forall(variables, term::or(parts.chain(alone)))
}

/// Makes `count` constants known.
fn constants(count: usize) -> Term {
    let known = Function::new("known", vec![node()], Sort::Bool);
    let constant = |n| Function::constant(format!("c{n}").as_str(), node()).apply([]);
    term::and((0..count).map(|n| known.apply([constant(n)])))
}

fn is_incomplete(formulas: &[Term], mut grounding: Grounding) -> bool {
    for formula in formulas {
        grounding.assert(*formula);
    }
    grounding.incomplete
}

#[test]
fn what_may_be_weaker_than_the_formulas_is_called_incomplete() {
    let number = Variable::new("i", Sort::Int);
    let element = Function::new("a", vec![Sort::Int], Sort::Int);
    let at = |index: Term| element.apply([index]);
    let next = term::add([number.term(), term::int(1)]);
    let first = term::equal(at(term::int(0)), term::int(0));
    let sorted = term::forall([number], term::less_equal(at(number.term()), at(next)));
    let positive = term::forall([number], term::less_equal(term::int(0), at(number.term())));
    let variable = Variable::new("n", node());
    let pointer = Function::new("next", vec![node()], node());
    let endless = term::forall(
        [variable],
        term::distinct(pointer.apply([variable.term()]), variable.term()),
    );
    for (formulas, expected) in [
        (vec![constants(3), triples()], false),
        // Numbers that no formula mentions matter for what speaks of neighbours, not for what speaks of each element
        // alone.
        (vec![first, sorted], true),
        (vec![first, positive], false),
        (vec![constants(1), endless], true),
        (vec![constants(20), triples()], true),
    ] {
        assert_eq!(is_incomplete(&formulas, Grounding::new("")), expected, "{formulas:?}");
        assert_eq!(
            is_incomplete(&formulas, Grounding::where_applied("")),
            expected,
            "{formulas:?}"
        );
    }
}

#[test]
fn an_interrupt_ends_instantiation() {
    let instances = |cancellation: &Cancellation| {
        let mut grounding = Grounding::new("").listening(cancellation);
        let formulas = grounding.assert(term::and([constants(15), triples()]));
        (formulas.len(), grounding.incomplete)
    };
    let cancellation = Cancellation::new();
    let (all, incomplete) = instances(&cancellation);
    assert!(all > 15 * 15 * 15 && !incomplete);
    cancellation.cancel();
    let (few, incomplete) = instances(&cancellation);
    assert!(few < 10 && incomplete);
}
