//! Lowered programs against the enumeration of all states, and the way back from runs of the system.

#![allow(clippy::unwrap_used)]

mod support;

use boolean::interpret::Interpreter;
use boolean::lower::{Lowered, NoReplay, Node, SystemStep, lower};
use boolean::{Program, Verdict, check, enumerate};
use logic::{Cancellation, Term, term};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use support::{Values, disagreement, facts, random_program, states, successors, values};
use system::transition::{Fact, Rule, TransitionSystem};

#[test]
fn rules_do_what_the_interpreter_does_and_no_more() {
    let mut edges = 0;
    for case in 0..250 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let facts = facts(&program, &lowered);
        let proof = lowered.proof(&facts).unwrap();
        assert_eq!(proof.system.declared_twice(), None);
        let system = lowered.with_contracts(&proof.contracts);
        let reached = enumerate::reached(&program);
        edges += reached.edges.len();
        if let Some(found) = disagreement(&lowered, &system, &facts, &reached) {
            panic!("{case}: {found}\n{program}");
        }
    }
    assert!(edges > 10_000, "{edges}");
}

fn by_contracts(lowered: &Lowered, facts: &[Fact]) -> TransitionSystem {
    lowered.with_contracts(&lowered.contracts(facts).unwrap())
}

/// The states of locations that are left are reached from each other as by small steps.
#[test]
fn large_steps_do_what_small_ones_do() {
    let (mut small, mut large, mut compared) = (0, 0, 0);
    for case in 0..150 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let facts = facts(&program, &lowered);
        let system = by_contracts(&lowered, &facts);
        let proof = lowered.proof(&facts).unwrap();
        small += system.rules.len();
        large += proof.system.rules.len();
        let end_of = |rule: &Rule| {
            let update = rule.updates.iter().find(|update| update.function == lowered.control);
            let here = term::equal(lowered.control.apply([]), update.unwrap().value);
            lowered.located(term::not(here)).unwrap().0
        };
        let begin_of = |rule: &Rule| {
            let mut parts = term::conjuncts(rule.guard).into_iter();
            parts
                .find_map(|part| Some(lowered.located(term::not(part))?.0))
                .unwrap()
        };
        let rules: Vec<(Node, Node, &Rule)> = proof
            .system
            .rules
            .iter()
            .map(|rule| (begin_of(rule), end_of(rule), rule))
            .collect();
        let mut left: BTreeSet<Node> = rules.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        let entry = program.entry;
        left.insert(Node::At(entry, Interpreter::new(&program).begin(entry)));
        left.extend(lowered.nodes.iter().filter(|node| !matches!(node, Node::At(..))));
        for edge in enumerate::reached(&program).edges.iter().take(300) {
            let node = Node::At(edge.entry.0, edge.control);
            if !left.contains(&node) {
                continue;
            }
            let here = values(&lowered, edge.entry.0, &edge.entry.1, &edge.state);
            let mut by_small = BTreeSet::new();
            let mut seen = BTreeSet::new();
            let mut pending = vec![(node, here.clone())];
            while let Some((from, before)) = pending.pop() {
                for (known, rule) in lowered
                    .rules
                    .iter()
                    .zip(&system.rules)
                    .filter(|(known, _)| known.from == from)
                {
                    for after in successors(&lowered, rule, from, known.to, &before) {
                        match left.contains(&after.0) {
                            true => drop(by_small.insert(after)),
                            false if seen.insert(after.clone()) => pending.push(after),
                            false => {}
                        }
                    }
                }
            }
            let mut by_large = BTreeSet::new();
            for (from, to, rule) in rules.iter().filter(|(from, _, _)| *from == node) {
                if rule.choices.len() <= 10 {
                    by_large.extend(successors(&lowered, rule, *from, *to, &here));
                }
            }
            if rules
                .iter()
                .all(|(from, _, rule)| *from != node || rule.choices.len() <= 10)
            {
                compared += 1;
                assert_eq!(by_small, by_large, "{case}: {edge:?}\n{program}");
            }
        }
    }
    assert!(large * 3 < small * 2 && compared > 2_000, "{small} {large} {compared}");
}

/// Ways to get a rule wrong.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    /// An update is forgotten.
    Update(usize),
    /// A part of the guard is.
    Guard(usize),
    /// What may be anything is not.
    Choice(usize),
    /// A value is the opposite.
    Value(usize),
}

fn mistaken(system: &TransitionSystem, rule: usize, mistake: Mistake) -> Option<TransitionSystem> {
    let mut system = system.clone();
    let rule = &mut system.rules[rule];
    match mistake {
        // The first update is that of the control, and the first part of the guard tests it.
        Mistake::Update(number) if number + 1 < rule.updates.len() => drop(rule.updates.remove(number + 1)),
        Mistake::Value(number) if number + 1 < rule.updates.len() => {
            let update = &mut rule.updates[number + 1];
            update.value = term::not(update.value);
        }
        Mistake::Guard(number) => {
            let mut parts: Vec<Term> = term::conjuncts(rule.guard);
            if number + 1 >= parts.len() {
                return None;
            }
            parts.remove(number + 1);
            rule.guard = term::and(parts);
        }
        Mistake::Choice(number) if number < rule.choices.len() => {
            let choice = rule.choices.remove(number);
            let fixed = logic::Substitution::of_constants([(choice, term::bool(false))]);
            rule.guard = fixed.apply(rule.guard);
            for update in &mut rule.updates {
                update.value = fixed.apply(update.value);
            }
        }
        _ => return None,
    }
    Some(system)
}

#[test]
fn mistakes_in_rules_are_noticed() {
    let (mut made, mut noticed) = (BTreeMap::new(), BTreeMap::new());
    for case in 0..60 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let facts = facts(&program, &lowered);
        let system = by_contracts(&lowered, &facts);
        let reached = enumerate::reached(&program);
        // Where nothing comes, nothing can be noticed.
        let is_reached = |node: Node| match node {
            Node::At(procedure, control) => reached
                .edges
                .iter()
                .any(|edge| (edge.entry.0, edge.control) == (procedure, control)),
            Node::Entry(procedure) => reached.edges.iter().any(|edge| edge.entry.0 == procedure),
            _ => false,
        };
        if reached.edges.len() > 400 {
            continue;
        }
        for rule in (0..system.rules.len()).filter(|rule| is_reached(lowered.rules[*rule].from)) {
            let kinds = [Mistake::Update, Mistake::Guard, Mistake::Choice, Mistake::Value];
            for (kind, mistake) in kinds.iter().enumerate() {
                for number in 0..4 {
                    let Some(wrong) = mistaken(&system, rule, mistake(number)) else {
                        break;
                    };
                    *made.entry(kind).or_insert(0) += 1;
                    let found = disagreement(&lowered, &wrong, &facts, &reached).is_some();
                    *noticed.entry(kind).or_insert(0) += usize::from(found);
                }
            }
        }
    }
    // The others change nothing that can be reached: `x := x`, say, or a guard that always holds.
    for (kind, made) in &made {
        let noticed: usize = noticed[kind];
        assert!(*made > 30 && noticed * 5 > made * 2, "{kind}: {noticed} of {made}");
    }
    let (all, seen) = (made.values().sum::<usize>(), noticed.values().sum::<usize>());
    assert!(seen * 2 > all, "{seen} of {all}: {noticed:?} of {made:?}");
}

/// The rules of a shortest run of the system into a failed assertion.
fn run(lowered: &Lowered, system: &TransitionSystem) -> Option<Vec<usize>> {
    let entry = lowered.program().entry;
    let interpreter = Interpreter::new(lowered.program());
    let begin = Node::At(entry, interpreter.begin(entry));
    let first = states(lowered.program(), entry).into_iter();
    let first = first.filter(|state| interpreter.is_enforced(entry, state));
    let mut pending: VecDeque<(Node, Values, Vec<usize>)> = first
        .map(|state| (begin, values(lowered, entry, &state, &state), Vec::new()))
        .collect();
    let mut seen: BTreeSet<(Node, Values)> = BTreeSet::new();
    while let Some((node, values, rules)) = pending.pop_front() {
        if matches!(node, Node::Failed(_)) {
            return Some(rules);
        }
        if !seen.insert((node, values.clone())) {
            continue;
        }
        for (number, (known, rule)) in lowered.rules.iter().zip(&system.rules).enumerate() {
            if known.from == node {
                for (to, after) in successors(lowered, rule, node, known.to, &values) {
                    pending.push_back((to, after, [rules.as_slice(), &[number]].concat()));
                }
            }
        }
    }
    None
}

fn steps(rules: &[usize]) -> Vec<SystemStep> {
    let step = |rule: &usize| SystemStep {
        rule: *rule,
        ..SystemStep::default()
    };
    rules.iter().map(step).collect()
}

fn is_safe(program: &Program) -> bool {
    enumerate::failing(program).is_empty()
}

#[test]
fn runs_of_the_system_are_runs_of_the_program() {
    let (mut replayed, mut passed, mut entered) = (0, 0, 0);
    for case in 0..200 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let exact = by_contracts(&lowered, &facts(&program, &lowered));
        let cancellation = Cancellation::new();
        let Some(rules) = run(&lowered, &exact) else {
            assert!(is_safe(&program), "{case}\n{program}");
            continue;
        };
        let trace = lowered.replay(&exact, &steps(&rules), &cancellation);
        let trace = trace.unwrap_or_else(|error| panic!("{case}: {error}\n{program}"));
        assert!(enumerate::failing(&program).contains(&trace.failing));
        replayed += 1;
        let kinds = || rules.iter().map(|rule| lowered.rules[*rule].kind);
        passed += kinds()
            .filter(|kind| matches!(kind, boolean::lower::RuleKind::Pass(_)))
            .count();
        entered += kinds()
            .filter(|kind| matches!(kind, boolean::lower::RuleKind::Enter(_)))
            .count();
    }
    assert!(
        replayed > 80 && passed > 5 && entered > 5,
        "{replayed} {passed} {entered}"
    );
}

#[test]
fn spurious_runs_are_not_replayed() {
    let mut spurious = 0;
    for case in 0..400 {
        let program = random_program(case);
        if !is_safe(&program) {
            continue;
        }
        let lowered = lower(&program).unwrap();
        // With no contracts, calls may do anything.
        if let Some(rules) = run(&lowered, &lowered.system) {
            let replayed = lowered.replay(&lowered.system, &steps(&rules), &Cancellation::new());
            assert!(
                matches!(replayed, Err(NoReplay::Spurious(_))),
                "{case}: {replayed:?}\n{program}"
            );
            spurious += 1;
        }
    }
    assert!(spurious > 5, "{spurious}");
}

#[test]
fn what_is_no_run_is_refused() {
    let case = (0..).find(|case| !is_safe(&random_program(*case))).unwrap();
    let program = random_program(case);
    let lowered = lower(&program).unwrap();
    let replay = |rules: &[usize]| lowered.replay(&lowered.system, &steps(rules), &Cancellation::new());
    assert_eq!(replay(&[]), Err(NoReplay::NoFailure));
    assert_eq!(replay(&[usize::MAX]), Err(NoReplay::NoRule(0)));
    let elsewhere = lowered
        .rules
        .iter()
        .position(|rule| matches!(rule.from, Node::At(p, c) if p != program.entry || c == boolean::Control::End));
    if let Some(elsewhere) = elsewhere {
        assert_eq!(replay(&[elsewhere]), Err(NoReplay::NoRule(0)));
    }
}

#[test]
fn bebop_says_the_same_with_relations() {
    for case in 0..60 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let (answer, relations) = boolean::check_with_relations(&program, &lowered, &Cancellation::new()).unwrap();
        assert_eq!(answer, check(&program, &Cancellation::new()).unwrap());
        assert_eq!(relations.is_some(), answer.verdict == Verdict::Safe);
    }
}
