//! A small system for tests: `x = 0; y = 0; while (x < 10) { x++; y += 2; }`, after which `y` must not be above 20.

use logic::{Function, Sort, Term, term};
use system::Span;
use system::transition::{Property, Rule, Symbol, TransitionSystem, Update};

pub(super) fn variable(name: &str) -> Term {
    Function::constant(name, Sort::Int).apply([])
}

fn updates(values: &[(&str, Term)]) -> Vec<Update> {
    let update = |(name, value): &(&str, Term)| Update {
        function: Function::constant(*name, value.sort()),
        parameters: Vec::new(),
        value: *value,
    };
    values.iter().map(update).collect()
}

fn rule(guard: Term, values: &[(&str, Term)]) -> Rule {
    Rule {
        name: "step".to_owned(),
        parameters: Vec::new(),
        choices: Vec::new(),
        guard,
        updates: updates(values),
        constraint: term::bool(true),
        assertions: Vec::new(),
        span: Span::default(),
    }
}

pub(super) fn counting() -> TransitionSystem {
    let Sort::Enum(places) = Sort::enumeration("Place".into(), vec!["head".into(), "end".into()]) else {
        unreachable!()
    };
    let (x, y) = (variable("x"), variable("y"));
    let place = Function::constant("place", Sort::Enum(places));
    let [head, end] = [0, 1].map(|number| term::enumerator(places, number));
    let is_at_head = term::equal(place.apply([]), head);
    let (one, two, ten) = (term::int(1), term::int(2), term::int(10));
    let goes_on = [("x", term::add([x, one])), ("y", term::add([y, two]))];
    let functions = [
        place,
        Function::constant("x", Sort::Int),
        Function::constant("y", Sort::Int),
    ];
    let state = functions.map(|function| Symbol {
        function,
        display: function.name().to_string(),
        span: Span::default(),
    });
    TransitionSystem {
        state: state.to_vec(),
        starts: vec![rule(
            term::bool(true),
            &[("x", term::int(0)), ("y", term::int(0)), ("place", head)],
        )],
        rules: vec![
            rule(term::and([is_at_head, term::less(x, ten)]), &goes_on),
            rule(term::and([is_at_head, term::less_equal(ten, x)]), &[("place", end)]),
        ],
        properties: vec![Property {
            name: "not above 20".to_owned(),
            formula: term::implies(term::equal(place.apply([]), end), term::less_equal(y, term::int(20))),
            span: Span::default(),
        }],
        ..TransitionSystem::default()
    }
}
