//! Random programs: what the model checker says against an enumeration of all states.

#![allow(clippy::unwrap_used)]

use boolean::interpret::Interpreter;
use boolean::random::{SMALL, program};
use boolean::{Action, Control, ProcedureId, Program, Reason, State, Verdict, check, check_run_first, enumerate, read};
use logic::Cancellation;
use oorandom::Rand64;
use std::collections::BTreeSet;
use system::SourceFile;

fn random_program(case: u128) -> Program {
    let mut rand = Rand64::new(case);
    program(&mut |sides| rand.rand_range(0..sides.max(1) as u64) as usize, SMALL)
}

#[test]
fn the_model_checker_agrees_with_enumeration() {
    let (mut safe, mut violated, mut nothing) = (0, 0, 0);
    for case in 0..300 {
        let program = random_program(case);
        let failing = enumerate::failing(&program);
        let answer = check(&program, &Cancellation::new()).unwrap_or_else(|error| panic!("{case}: {error}\n{program}"));
        let run_first = check_run_first(&program, &Cancellation::new()).unwrap();
        assert_eq!(run_first.verdict, answer.verdict, "{case}\n{program}");
        match &answer.verdict {
            Verdict::Safe => {
                safe += 1;
                assert!(failing.is_empty(), "{case}\n{program}");
            }
            Verdict::Unsafe(trace) => {
                violated += 1;
                assert!(failing.contains(&trace.failing), "{case}\n{program}");
            }
            Verdict::Unknown(reason) => {
                nothing += 1;
                assert_eq!(*reason, Reason::NoRun, "{case}\n{program}");
                assert!(
                    failing.is_empty() && !program.assertions().is_empty(),
                    "{case}\n{program}"
                );
            }
        }
    }
    assert!(
        safe > 30 && violated > 60 && nothing < 20,
        "{safe} {violated} {nothing}"
    );
}

#[test]
fn what_is_printed_is_read_back() {
    for case in 0..1_000 {
        let program = random_program(case);
        let text = program.to_string();
        let (again, _) = read(SourceFile::new("printed.bp", text.as_str())).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(again.without_origins(), program, "{text}");
    }
}

/// A state of the whole program: procedures with their places and states, the innermost last.
type Configuration = Vec<(ProcedureId, Control, State)>;

/// All states of a procedure.
fn states(program: &Program, procedure: ProcedureId) -> impl Iterator<Item = State> + use<> {
    let (globals, locals) = (program.globals.len(), program.procedures[procedure.0].local_count());
    (0..1u32 << (globals + locals)).map(move |row| {
        let bits = |from: usize, to: usize| (from..to).map(|bit| row >> bit & 1 == 1).collect::<Vec<bool>>();
        State {
            globals: bits(0, globals),
            locals: bits(globals, globals + locals),
        }
    })
}

/// How many steps the shortest run into a failing assertion has, by breadth-first search with the whole stack.
fn distance(program: &Program, limit: usize) -> Option<usize> {
    let interpreter = Interpreter::new(program);
    let entry = program.entry;
    let begin = interpreter.begin(entry);
    let first = states(program, entry).filter(|state| interpreter.is_enforced(entry, state));
    let mut ring: BTreeSet<Configuration> = first.map(|state| vec![(entry, begin, state)]).collect();
    let mut seen = ring.clone();
    for distance in 0.. {
        if ring.is_empty() || seen.len() > limit {
            return None;
        }
        let mut next = BTreeSet::new();
        for configuration in &ring {
            let (procedure, control, state) = configuration.last().unwrap();
            if interpreter.may_fail(*procedure, *control, state) {
                return Some(distance);
            }
            next.extend(successors(program, &interpreter, configuration));
        }
        ring = next.difference(&seen).cloned().collect();
        seen.extend(ring.iter().cloned());
    }
    None
}

fn successors(program: &Program, interpreter: &Interpreter<'_>, configuration: &Configuration) -> Vec<Configuration> {
    let Some(((procedure, control, state), callers)) = configuration.split_last() else {
        return Vec::new();
    };
    let here = (*control, state);
    match interpreter.action(*procedure, *control) {
        Some(Action::Call { procedure: called, .. }) => {
            let begin = interpreter.begin(*called);
            let entries = states(program, *called).filter(|entry| interpreter.may_call(*procedure, here, entry));
            entries
                .map(|entry| [configuration.as_slice(), &[(*called, begin, entry)]].concat())
                .collect()
        }
        None | Some(Action::Return(_)) => {
            let Some(((caller, at, before), others)) = callers.split_last() else {
                return Vec::new();
            };
            let Some(Action::Call { results, .. }) = interpreter.action(*caller, *at) else {
                return Vec::new();
            };
            let target = interpreter.targets(*caller, *at)[0];
            let rows = (0..1u32 << results.len()).filter_map(|row| {
                let values: Vec<bool> = (0..results.len()).map(|bit| row >> bit & 1 == 1).collect();
                let mut after = State {
                    globals: state.globals.clone(),
                    locals: before.locals.clone(),
                };
                results
                    .iter()
                    .zip(&values)
                    .for_each(|(result, value)| after.set(*result, *value));
                let allowed =
                    interpreter.may_return(*procedure, here, &values) && interpreter.is_enforced(*caller, &after);
                allowed.then(|| [others, &[(*caller, target, after)]].concat())
            });
            rows.collect()
        }
        Some(_) => {
            let targets = interpreter.targets(*procedure, *control);
            let pairs =
                states(program, *procedure).flat_map(|after| targets.iter().map(move |to| (*to, after.clone())));
            pairs
                .filter(|(target, after)| interpreter.may_step(*procedure, here, (*target, after)))
                .map(|(target, after)| [callers, &[(*procedure, target, after)]].concat())
                .collect()
        }
    }
}

#[test]
fn runs_are_shortest() {
    let mut compared = 0;
    for case in 0..150 {
        let program = random_program(case);
        let Ok(answer) = check(&program, &Cancellation::new()) else {
            panic!("{case}");
        };
        if let Verdict::Unsafe(trace) = &answer.verdict
            && let Some(distance) = distance(&program, 20_000)
        {
            compared += 1;
            assert_eq!(trace.steps(), distance, "{case}\n{program}");
        }
    }
    assert!(compared > 40, "{compared}");
}
