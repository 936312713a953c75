//! Random small systems against definitions 2 and 5, taken literally: all traces up to a length are enumerated.
#![allow(clippy::unwrap_used)]

use conformance::compose::Composition;
use conformance::containment::contained;
use conformance::lts::{Action, Lts, TAU, projection};
use conformance::quotient::Partition;
use oorandom::Rand32;
use std::collections::BTreeSet;

const LONGEST: usize = 6;
const CASES: u64 = 1500;

fn draw(random: &mut Rand32, states: u32, actions: &[u32], with_tau: bool) -> Lts {
    let states = 1 + random.rand_range(0..states) as usize;
    let mut lts = Lts::new(states, 0, actions.iter().map(|action| Action(*action)));
    for _ in 0..random.rand_range(0..(2 * states as u32 + 2)) {
        let from = random.rand_range(0..states as u32) as usize;
        let to = random.rand_range(0..states as u32) as usize;
        let action = match with_tau && random.rand_range(0..4) == 0 {
            true => TAU,
            false => Action(actions[random.rand_range(0..actions.len() as u32) as usize]),
        };
        lts.add(from, action, to);
    }
    lts
}

type Language = BTreeSet<Vec<Action>>;

/// The traces up to a length: paths one by one, with no more cleverness than the definition has. A path takes at most so
/// many τ in a row as there are states: more lead nowhere new.
fn language(initial: &[usize], step: &dyn Fn(&[usize]) -> Vec<(Action, Vec<usize>)>) -> Language {
    let mut found = Language::new();
    let mut seen: BTreeSet<(Vec<Action>, Vec<usize>)> = BTreeSet::new();
    let mut pending = vec![(Vec::new(), initial.to_vec())];
    while let Some((trace, state)) = pending.pop() {
        if !seen.insert((trace.clone(), state.clone())) {
            continue;
        }
        found.insert(trace.clone());
        for (action, next) in step(&state) {
            let mut longer = trace.clone();
            if action != TAU {
                longer.push(action);
            }
            if longer.len() <= LONGEST {
                pending.push((longer, next));
            }
        }
    }
    found
}

fn language_of(lts: &Lts) -> Language {
    language(&[lts.initial], &|state| {
        lts.from(state[0])
            .iter()
            .map(|(action, to)| (*action, vec![*to]))
            .collect()
    })
}

/// Definition 5, case by case, for two systems.
fn language_of_both(a: &Lts, b: &Lts) -> Language {
    language(&[a.initial, b.initial], &|state| {
        let mut next = Vec::new();
        for (action, to) in a.from(state[0]) {
            if !b.alphabet.contains(action) {
                next.push((*action, vec![*to, state[1]]));
            } else {
                for (other, there) in b.from(state[1]) {
                    if action == other {
                        next.push((*action, vec![*to, *there]));
                    }
                }
            }
        }
        for (action, to) in b.from(state[1]) {
            if !a.alphabet.contains(action) {
                next.push((*action, vec![state[0], *to]));
            }
        }
        next
    })
}

#[test]
fn composition_and_containment_are_as_defined() {
    let (mut violated, mut kept) = (0, 0);
    for seed in 0..CASES {
        let mut random = Rand32::new(seed);
        let a = draw(&mut random, 4, &[1, 2], true);
        let b = draw(&mut random, 4, &[2, 3], true);
        let specified: &[u32] = if seed % 3 == 0 { &[1, 2] } else { &[1, 2, 3] };
        let specification = draw(&mut random, 4, specified, true);
        let composition = Composition::new(vec![&a, &b]);
        let product = composition.product(1000).unwrap();
        let both = language_of_both(&a, &b);
        assert_eq!(language_of(&product), both, "seed {seed}");
        let allowed = language_of(&specification);
        let bad = |trace: &&Vec<Action>| !allowed.contains(&projection(trace, &specification.alphabet));
        let shortest = both.iter().filter(bad).map(Vec::len).min();
        let found = contained(&[&a, &b], &specification, 100_000, &|| false).unwrap();
        match (found.counterexample, shortest) {
            (Some(trace), Some(length)) => {
                assert_eq!(trace.len(), length, "seed {seed}");
                assert!(both.contains(&trace) && bad(&&trace), "seed {seed}");
                violated += 1;
            }
            // Longer than what was enumerated; then it must still be one of both and none of the specification.
            (Some(trace), None) => {
                assert!(trace.len() > LONGEST && product.accepts(&trace), "seed {seed}");
                assert!(
                    !specification.accepts(&projection(&trace, &specification.alphabet)),
                    "seed {seed}"
                );
            }
            (None, shortest) => {
                assert_eq!(shortest, None, "seed {seed}");
                kept += 1;
            }
        }
    }
    assert!(
        violated > CASES / 5 && kept > CASES / 10,
        "{violated} and {kept}: one kind is too rare to be a test"
    );
}

#[test]
fn observable_systems_have_the_same_traces() {
    for seed in 0..CASES {
        let lts = draw(&mut Rand32::new(seed), 6, &[1, 2, 3], true);
        let (observable, _) = lts.observable();
        assert_eq!(language_of(&lts), language_of(&observable), "seed {seed}");
        assert!((0..observable.states()).all(|state| observable.successors(state, TAU).next().is_none()));
    }
}

/// Theorem 2: what is refined has every trace of the system, not the one it was refined for, and at most as many states.
#[test]
fn refinement_is_as_theorem_2_says() {
    let mut refined = 0;
    for seed in 0..CASES {
        let lts = draw(&mut Rand32::new(seed), 7, &[1, 2, 3], false);
        let concrete = language_of(&lts);
        let mut partition = Partition::by_export(&lts);
        for _ in 0..20 {
            let coarse = language_of(&partition.abstraction(&lts));
            assert!(concrete.is_subset(&coarse), "seed {seed}");
            let Some(trace) = coarse.difference(&concrete).min_by_key(|trace| trace.len()) else {
                break;
            };
            assert!(partition.refine(&lts, trace) > 0, "seed {seed}");
            let finer = language_of(&partition.abstraction(&lts));
            assert!(
                concrete.is_subset(&finer) && finer.is_subset(&coarse) && !finer.contains(trace),
                "seed {seed}"
            );
            assert!(partition.classes <= lts.states());
            refined += 1;
        }
    }
    assert!(refined > 200, "only {refined} refinements");
}
