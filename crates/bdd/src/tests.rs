//! Diagrams compared with truth tables.

use super::*;

/// A function of three variables; there are 256.
fn from_table(manager: &mut Manager, table: u32) -> Bdd {
    let mut f = Manager::FALSE;
    for row in 0..8u32 {
        if table >> row & 1 == 1 {
            let cube = (0..3).fold(Manager::TRUE, |cube, v| {
                let literal = manager.literal(v, row >> v & 1 == 1);
                manager.and(cube, literal)
            });
            f = manager.or(f, cube);
        }
    }
    f
}

#[test]
fn covers_are_exact() {
    for table in 0..256 {
        let mut manager = Manager::new();
        let f = from_table(&mut manager, table);
        let (cubes, covered) = manager.cover(f, f);
        assert_eq!(covered, f);
        let sum = cubes.iter().fold(Manager::FALSE, |sum, cube| {
            let product = cube.iter().fold(Manager::TRUE, |product, (v, value)| {
                let literal = manager.literal(*v, *value);
                manager.and(product, literal)
            });
            manager.or(sum, product)
        });
        assert_eq!(sum, f);
        assert_eq!(manager.count(f, 3), f64::from(table.count_ones()));
        assert_eq!(manager.pick(f).is_none(), table == 0);
    }
}

#[test]
fn covers_end_after_an_interrupt() {
    let cancellation = Cancellation::new();
    let mut manager = Manager::interruptible(&cancellation);
    let functions: Vec<Bdd> = (0..256).map(|table| from_table(&mut manager, table)).collect();
    cancellation.cancel();
    let notices = (100..).find(|v| {
        manager.variable(*v);
        manager.is_exhausted()
    });
    assert!(notices.is_some());
    for f in functions {
        manager.cover(f, f);
    }
}

/// All operations on the functions of three variables, by what they do in each row.
#[test]
fn operations_are_those_of_truth_tables() {
    let mut manager = Manager::new();
    let functions: Vec<Bdd> = (0..256).map(|table| from_table(&mut manager, table)).collect();
    let of = |table: u32| functions[table as usize & 255];
    for (f, g, h) in (0..256).flat_map(|f| (0..256).step_by(7).map(move |g| (f, g, (f * 31 + g) % 256))) {
        assert_eq!(manager.and(of(f), of(g)), of(f & g));
        assert_eq!(manager.or(of(f), of(g)), of(f | g));
        assert_eq!(manager.iff(of(f), of(g)), of(!(f ^ g)));
        assert_eq!(manager.ite(of(f), of(g), of(h)), of(f & g | !f & h));
        // Over the variables 0 and 2: rows that differ in these alone.
        let both = f & g;
        let rows = |value: u32| {
            (0..8)
                .filter(|row| row >> 1 & 1 == value)
                .any(|row| both >> row & 1 == 1)
        };
        let expected = (0..8).filter(|row| rows(row >> 1 & 1)).map(|row| 1 << row).sum();
        assert_eq!(manager.and_exists(of(f), of(g), 0), of(expected));
    }
}

/// What is kept stays what it is, also where it is made anew in places that were freed, and what operations came to is
/// not mixed up with what was there before.
#[test]
fn nodes_that_nobody_needs_are_freed() {
    let mut manager = Manager::new();
    let mut seed = 1u32;
    let mut random = |manager: &mut Manager| {
        let mut f = Manager::FALSE;
        for _ in 0..40 {
            let cube = (0..12).fold(Manager::TRUE, |cube, v| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let literal = manager.literal(v, seed >> 20 & 1 == 1);
                if seed >> 24 & 1 == 1 {
                    manager.and(cube, literal)
                } else {
                    cube
                }
            });
            f = manager.or(f, cube);
        }
        f
    };
    let kept: Vec<Bdd> = (0..5).map(|_| random(&mut manager)).collect();
    let counts: Vec<f64> = kept.iter().map(|f| manager.count(*f, 12)).collect();
    let all = kept.iter().fold(Manager::TRUE, |all, f| manager.and(all, *f));
    let all_count = manager.count(all, 12);
    for _ in 0..20 {
        random(&mut manager);
        let before = manager.nodes.used();
        manager.free_others(kept.iter().copied());
        assert!(manager.nodes.used() < before);
        assert_eq!(kept.iter().map(|f| manager.count(*f, 12)).collect::<Vec<_>>(), counts);
        let again = kept.iter().fold(Manager::TRUE, |all, f| manager.and(all, *f));
        assert_eq!(manager.count(again, 12), all_count);
        let not = manager.not(kept[0]);
        assert_eq!(manager.and(not, kept[0]), Manager::FALSE);
    }
    manager.free_others([]);
    assert_eq!(manager.nodes.used(), 2);
}

/// A counter of 30 bits counts on for a while: without freeing there would be millions of nodes.
#[test]
fn a_long_search_stays_small() {
    let mut manager = Manager {
        crowded: 1 << 12,
        ..Manager::new()
    };
    let mut state = (0..30).fold(Manager::TRUE, |all, bit| {
        let zero = manager.literal(2 * bit, false);
        manager.and(all, zero)
    });
    let (mut next, mut carry) = (Manager::TRUE, Manager::TRUE);
    for bit in 0..30 {
        let [now, then] = [2 * bit, 2 * bit + 1].map(|v| manager.variable(v));
        let stays = manager.iff(now, then);
        let flips = manager.not(stays);
        let step = manager.ite(carry, flips, stays);
        next = manager.and(next, step);
        carry = manager.and(carry, now);
    }
    let mut reached = state;
    for _ in 0..3_000 {
        let image = manager.and_exists(state, next, 0);
        state = manager.shift(image, false);
        reached = manager.or(reached, state);
        manager.collect([state, reached, next]);
        manager.crowded = 1 << 12;
    }
    assert!(manager.nodes.used() < 1 << 13, "{}", manager.nodes.used());
    assert_eq!(manager.count(reached, 30), 3_001.0);
}

/// As many variables as there may be, on a stack as engines have it; and one more.
#[test]
fn very_many_variables_are_no_danger_to_the_stack() {
    let work = || {
        let mut manager = Manager::new();
        let all = (0..VARIABLES - 1).rev().fold(Manager::TRUE, |all, variable| {
            let literal = manager.variable(variable);
            manager.and(literal, all)
        });
        let not = manager.not(all);
        let shifted = manager.shift(not, true);
        let both = manager.ite(all, shifted, not);
        let quantified = manager.exists_parity(all, 0);
        assert!(both != Manager::FALSE && quantified != Manager::TRUE && manager.count(not, 2) > 0.0);
        assert!(!manager.is_exhausted());
        manager.variable(VARIABLES);
        assert!(manager.is_exhausted());
    };
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(work);
    thread.unwrap().join().unwrap();
}

#[test]
fn functions_take_the_place_of_variables() {
    let mut manager = Manager::new();
    let [a, b, x, y] = [0, 2, 1, 3].map(|v| manager.variable(v));
    let implies = manager.ite(a, b, Manager::TRUE);
    assert!(manager.is_disjoint(implies, &[(0, true), (2, false)]));
    assert!(!manager.is_disjoint(implies, &[(0, true)]));
    let both = manager.and(x, y);
    assert_eq!(manager.compose(implies, &[both, x]), Manager::TRUE);
    let composed = manager.compose(implies, &[x, both]);
    assert_eq!(composed, manager.ite(x, y, Manager::TRUE));
    assert_eq!(manager.compose(implies, &[Manager::TRUE, y]), y);
}

/// Every set of variables, every function of three variables, against truth tables.
#[test]
fn quantification_is_over_any_set_of_variables() {
    let mut manager = Manager::new();
    let functions: Vec<Bdd> = (0..256).map(|table| from_table(&mut manager, table)).collect();
    let of = |table: u32| functions[table as usize & 255];
    for (f, set) in (0..256u32).flat_map(|f| (0..8u32).map(move |set| (f, set))) {
        let cube = manager.cube((0..3).filter(|v| set >> v & 1 == 1));
        for g in (0..256).step_by(11).chain([255]) {
            let both = f & g;
            let holds = |row: u32| (0..8).any(|other| (row ^ other) & !set == 0 && both >> other & 1 == 1);
            let expected = (0..8).filter(|row| holds(*row)).map(|row| 1 << row).sum();
            assert_eq!(manager.and_exists_cube(of(f), of(g), cube), of(expected));
            assert_eq!(manager.without(of(f), of(g)), of(f & !g));
        }
    }
}

/// Every permutation of three variables, and every exchange of a variable for a fresh one.
#[test]
fn renaming_and_substitution_are_those_of_truth_tables() {
    let mut manager = Manager::new();
    let functions: Vec<Bdd> = (0..256).map(|table| from_table(&mut manager, table)).collect();
    let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (table, permutation) in (0..256u32).flat_map(|table| permutations.map(move |p| (table, p))) {
        let f = functions[table as usize];
        let renaming = Renaming::new((0..3).map(|v| (v, permutation[v as usize])));
        let row_before = |row: u32| (0..3).map(|v| (row >> permutation[v as usize] & 1) << v).sum::<u32>();
        let expected: u32 = (0..8)
            .filter(|row| table >> row_before(*row) & 1 == 1)
            .map(|row| 1 << row)
            .sum();
        let renamed = manager.rename(f, &renaming);
        assert_eq!(renamed, functions[expected as usize]);
        for row in 0..8u32 {
            assert_eq!(
                manager.evaluate(renamed, &|v| row >> v & 1 == 1),
                expected >> row & 1 == 1
            );
        }
        let variables = permutation.map(|v| manager.variable(v));
        assert_eq!(manager.substitute(f, &|v| Some(variables[v as usize])), renamed);
        // By the conjunction of the two others in the place of the first.
        let [_, b, c] = [0, 1, 2].map(|v| manager.variable(v));
        let both = manager.and(b, c);
        let first = |row: u32| row & 6 | u32::from(row & 6 == 6);
        let expected: u32 = (0..8)
            .filter(|row| table >> first(*row) & 1 == 1)
            .map(|row| 1 << row)
            .sum();
        let composed = manager.substitute(f, &|v| (v == 0).then_some(both));
        assert_eq!(composed, functions[expected as usize]);
        let mut other = Manager::new();
        let copy = other.copied(&manager, f, &mut FastMap::default());
        assert_eq!(copy, from_table(&mut other, table));
        let fresh = manager.rename(f, &Renaming::new([(1, 7), (0, 9)]));
        let back = manager.rename(fresh, &Renaming::new([(7, 1), (9, 0)]));
        assert_eq!(back, f);
    }
}

#[test]
fn literals_are_a_conjunction() {
    let mut manager = Manager::new();
    let cube = manager.literals([(5, false), (2, true)]);
    let [a, b] = [manager.literal(2, true), manager.literal(5, false)];
    assert_eq!(cube, manager.and(a, b));
}
