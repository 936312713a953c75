//! Random small labelled transition systems against definitions 2 and 5 of the MAGIC paper: composition, containment,
//! τ-elimination and action-guided refinement, each compared with an enumeration of all traces up to a length.

use crate::random::Dice;
use crate::tally::Campaign;
use conformance::aut;
use conformance::compose::Composition;
use conformance::containment::trace_containment;
use conformance::lts::{Action, Actions, Lts, TAU, projection};
use conformance::quotient::Partition;
use std::collections::BTreeSet;
use system::SourceFile;

const LONGEST: usize = 6;
const MOST_STATES: usize = 100_000;

pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        let mut dice = run.begin(case);
        run.tried += 1;
        let drawn = RandomSystems::new(&mut dice);
        if let Err(what) = drawn.check(run) {
            let name = format!("{}.aut", run.name());
            run.failure(&name, &what, drawn.text().as_bytes());
        }
    }
}

struct RandomSystems {
    systems: Vec<Lts>,
    specification: Lts,
}

type Language = BTreeSet<Vec<Action>>;

/// The possible actions of a state, with successors.
type Step<'s> = &'s dyn Fn(&[usize]) -> Vec<(Action, Vec<usize>)>;

impl RandomSystems {
    fn new(dice: &mut Dice) -> RandomSystems {
        let alphabets: [&[u32]; 3] = [&[1, 2], &[2, 3], &[1, 3, 4]];
        let count = 1 + dice.roll(3);
        let systems = alphabets[..count].iter().map(|own| draw(dice, 4, own)).collect();
        let specified = &[1, 2, 3, 4][..2 + dice.roll(3)];
        let specification = draw(dice, 4, specified);
        RandomSystems { systems, specification }
    }

    fn text(&self) -> String {
        let mut actions = Actions::default();
        ["a", "b", "c", "d"].iter().for_each(|name| {
            actions.named(name);
        });
        let all = self.systems.iter().chain([&self.specification]);
        all.map(|lts| aut::write(lts, &actions)).collect()
    }

    fn check(&self, run: &mut Campaign) -> Result<(), String> {
        self.composition_and_containment(run)?;
        for lts in self.systems.iter().chain([&self.specification]) {
            observable(lts)?;
            refinement(lts, run)?;
            exchange(lts)?;
        }
        Ok(())
    }

    fn composition_and_containment(&self, run: &mut Campaign) -> Result<(), String> {
        let systems: Vec<&Lts> = self.systems.iter().collect();
        let product = Composition::new(systems.clone()).product(MOST_STATES);
        let product = product.ok_or("a product that is too large")?;
        let all = language_of_all(&self.systems);
        if language_of(&product) != all {
            return Err("the product has other traces than definition 5 says".to_owned());
        }
        let specification = &self.specification;
        let allowed = language_of(specification);
        let bad = |trace: &&Vec<Action>| !allowed.contains(&projection(trace, &specification.alphabet));
        let shortest = all.iter().filter(bad).map(Vec::len).min();
        let found = trace_containment(&systems, specification, MOST_STATES, &|| false)
            .map_err(|stopped| stopped.to_string())?;
        match (found.counterexample, shortest) {
            (Some(trace), Some(length)) => {
                run.add("violated", 1);
                let is_one = all.contains(&trace) && bad(&&trace) && trace.len() == length;
                is_one
                    .then_some(())
                    .ok_or("a counterexample that is none, or not a shortest one".to_owned())
            }
            // Longer than the enumeration; it must still be a trace of all systems and none of the specification.
            (Some(trace), None) => {
                run.add("violated later", 1);
                let own = projection(&trace, &specification.alphabet);
                let is_one = trace.len() > LONGEST && product.accepts(&trace) && !specification.accepts(&own);
                is_one
                    .then_some(())
                    .ok_or("a long counterexample that is none".to_owned())
            }
            (None, None) => {
                run.add("contained", 1);
                Ok(())
            }
            (None, Some(_)) => Err("a counterexample is not found".to_owned()),
        }
    }
}

fn draw(dice: &mut Dice, most: usize, actions: &[u32]) -> Lts {
    let states = 1 + dice.roll(most);
    let mut lts = Lts::new(states, 0, actions.iter().map(|action| Action(*action)));
    for _ in 0..dice.roll(3 * states + 2) {
        let (from, to) = (dice.roll(states), dice.roll(states));
        let action = if dice.chance(20) {
            TAU
        } else {
            Action(*dice.pick(actions))
        };
        lts.add(from, action, to);
    }
    lts
}

/// The traces up to a length: path by path, literally as in the definition.
fn language(initial: &[usize], step: Step) -> Language {
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
            longer.extend((action != TAU).then_some(action));
            if longer.len() <= LONGEST {
                pending.push((longer, next));
            }
        }
    }
    found
}

fn language_of(lts: &Lts) -> Language {
    language_of_all(std::slice::from_ref(lts))
}

/// Definition 5: an action occurs if all systems with it in their alphabets perform it.
fn language_of_all(systems: &[Lts]) -> Language {
    let initial: Vec<usize> = systems.iter().map(|lts| lts.initial).collect();
    language(&initial, &|state| {
        let mut next = Vec::new();
        for (number, lts) in systems.iter().enumerate() {
            for (action, to) in lts.from(state[number]).iter().filter(|(action, _)| *action == TAU) {
                let mut moved = state.to_vec();
                moved[number] = *to;
                next.push((*action, moved));
            }
        }
        for action in (1..=4).map(Action) {
            let mut ways = vec![state.to_vec()];
            let mut is_known = false;
            for (number, lts) in systems
                .iter()
                .enumerate()
                .filter(|(_, lts)| lts.alphabet.contains(&action))
            {
                is_known = true;
                let targets = lts.from(state[number]).iter().filter(|(own, _)| *own == action);
                let targets: Vec<usize> = targets.map(|(_, to)| *to).collect();
                let moved = |way: Vec<usize>| {
                    targets.iter().map(move |to| {
                        let mut moved = way.clone();
                        moved[number] = *to;
                        moved
                    })
                };
                ways = ways.into_iter().flat_map(moved).collect();
            }
            next.extend(ways.into_iter().filter(|_| is_known).map(|way| (action, way)));
        }
        next
    })
}

fn observable(lts: &Lts) -> Result<(), String> {
    let (observable, _) = lts.observable();
    let is_silent = (0..observable.states()).any(|state| observable.successors(state, TAU).next().is_some());
    match language_of(lts) == language_of(&observable) && !is_silent {
        true => Ok(()),
        false => Err("without τ a system has other traces".to_owned()),
    }
}

/// Theorem 2: the refined system has every trace of the original except the one it was refined for, and at most as many
/// states.
fn refinement(lts: &Lts, run: &mut Campaign) -> Result<(), String> {
    let (lts, _) = lts.observable();
    let concrete = language_of(&lts);
    let mut partition = Partition::by_export(&lts);
    for _ in 0..20 {
        let coarse = language_of(&partition.abstraction(&lts));
        if !concrete.is_subset(&coarse) {
            return Err("an abstraction lacks a trace of its system".to_owned());
        }
        let Some(trace) = coarse.difference(&concrete).min_by_key(|trace| trace.len()) else {
            return Ok(());
        };
        let splits = partition.refine(&lts, trace);
        let finer = language_of(&partition.abstraction(&lts));
        let is_between = concrete.is_subset(&finer) && finer.is_subset(&coarse) && !finer.contains(trace);
        if splits == 0 || !is_between || partition.classes > lts.states() {
            return Err("refinement is not as theorem 2 says".to_owned());
        }
        run.add("refinements", 1);
    }
    Err("refinement does not end".to_owned())
}

/// Written and parsed again.
fn exchange(lts: &Lts) -> Result<(), String> {
    let mut actions = Actions::default();
    ["a", "b", "c", "d"].iter().for_each(|name| {
        actions.named(name);
    });
    let text = aut::write(lts, &actions);
    let again = aut::read(&SourceFile::new("a.aut", text), &mut actions).map_err(|_| "what is written is refused")?;
    let is_same = language_of(&again) == language_of(lts) && again.states() == lts.states();
    is_same
        .then_some(())
        .ok_or("what is written is read as something else".to_owned())
}
