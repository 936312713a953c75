//! Bebop's proofs as certificates that another solver confirms.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use abstraction::horn::{self, Called, Flow, HornResult, Settings, Unrolling, UnrollingResult};
use boolean::lower::{Node, Proof, SystemStep, lower};
use boolean::{Action, Expression, Program, Reason, Verdict, read};
use logic::Cancellation;
use smt::SolverCommand;
use std::path::PathBuf;
use std::time::Instant;
use support::{facts, random_program};
use system::SourceFile;
use testing::{Absent, Outcome};
use validate::{Confirmed, Unconfirmed, certificate_text};

fn cvc5() -> Result<SolverCommand, Absent> {
    let cvc5 = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name().contains("cvc5"));
    match cvc5 {
        Some(cvc5) => Ok(cvc5),
        None => testing::expect(PathBuf::from("cubist-cvc5")).map(SolverCommand::new),
    }
}

fn confirmed(proof: &Proof, cvc5: &SolverCommand) -> Result<Confirmed, Unconfirmed> {
    let text = certificate_text(&proof.system, &proof.certificate, &[]).unwrap();
    Confirmed::of(text, std::slice::from_ref(cvc5), &Cancellation::new(), &mut |_| {})
}

fn safe_programs_are_certified() -> Outcome {
    let cvc5 = cvc5()?;
    let mut certified = 0;
    for case in 0..1_000 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let (answer, relations) = boolean::check_with_relations(&program, &lowered, &Cancellation::new()).unwrap();
        if answer.verdict != Verdict::Safe {
            continue;
        }
        let proof = lowered.proof(&lowered.facts(&relations.unwrap())).unwrap();
        if let Err(error) = confirmed(&proof, &cvc5) {
            panic!("{case}: {error:?}\n{program}");
        }
        // From its own facts, the same text is made again.
        let text = certificate_text(&proof.system, &proof.certificate, &[]).unwrap();
        let stated = validate::stated_facts(&text, &lowered.with_contract_names()).unwrap();
        let again = lowered.proof(&stated).unwrap();
        assert_eq!(
            certificate_text(&again.system, &again.certificate, &[]).unwrap(),
            text,
            "{case}"
        );
        certified += 1;
        if certified == 200 {
            break;
        }
    }
    assert!(certified > 150, "{certified}");
    Ok(())
}

/// With the facts of the program in which assertions cannot fail, and with those of one that was safe before.
fn violated_programs_are_not_certified() -> Outcome {
    let cvc5 = cvc5()?;
    let mut refused = 0;
    for case in 0..150 {
        let program = random_program(case);
        let answer = boolean::check(&program, &Cancellation::new()).unwrap();
        let Verdict::Unsafe(_) = answer.verdict else {
            continue;
        };
        let lowered = lower(&program).unwrap();
        let proof = lowered.proof(&facts(&program, &lowered)).unwrap();
        match confirmed(&proof, &cvc5) {
            Err(Unconfirmed::Judged(judgement)) => assert!(judgement.report.refuted().next().is_some(), "{case}"),
            other => panic!("{case}: {other:?}\n{program}"),
        }
        refused += 1;
    }
    assert!(refused > 60, "{refused}");
    Ok(())
}

/// A contract that says more than is true is refused, since it is a property of the system that it is put into.
fn contracts_are_proved() -> Outcome {
    let cvc5 = cvc5()?;
    let mut refused = 0;
    for case in 0..300 {
        let program = random_program(case);
        let lowered = lower(&program).unwrap();
        let (_, relations) = boolean::check_with_relations(&program, &lowered, &Cancellation::new()).unwrap();
        let Some(mut relations) = relations else { continue };
        let Some(callee) = (0..relations.exits.len()).find(|callee| {
            let is_called = lowered.signatures.iter().any(|known| known.procedure.0 == *callee);
            is_called && !relations.exits[*callee].is_false() && !relations.entries[*callee].is_false()
        }) else {
            continue;
        };
        // It never returns.
        relations.exits[callee] = logic::term::bool(false);
        let proof = lowered.proof(&lowered.facts(&relations)).unwrap();
        let reached = boolean::enumerate::reached(&program);
        let returns = reached.summaries.keys().any(|(procedure, _)| procedure.0 == callee);
        let is_confirmed = confirmed(&proof, &cvc5).is_ok();
        assert!(!is_confirmed || !returns, "{case}\n{program}");
        refused += usize::from(returns);
        if refused == 25 {
            break;
        }
    }
    assert!(refused > 10, "{refused}");
    Ok(())
}

/// Horn clauses, which know nothing of Boolean programs, find contracts and invariants, or that there are none. What
/// they find is confirmed as what Bebop finds.
fn an_engine_for_systems_decides_programs() -> Outcome {
    let cvc5 = cvc5()?;
    let z3 = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name() == "z3");
    let Some(z3) = z3 else {
        return testing::expect(PathBuf::from("z3")).map(|_| ());
    };
    let (mut safe, mut violated, mut with_calls) = (0, 0, 0);
    for case in 0..60 {
        let program = random_program(case);
        let answer = boolean::check(&program, &Cancellation::new()).unwrap();
        let lowered = lower(&program).unwrap();
        let system = lowered.without_entering();
        let number = |node: Node| lowered.number(node).unwrap();
        let calls = lowered.calls.iter().map(|call| Called {
            at: number(call.at),
            entry: number(Node::Entry(call.procedure)),
            exit: number(Node::Exit(call.procedure)),
            given: call.given.clone(),
            returned: call.returned.clone(),
        });
        let flow = Flow::with_calls(&system, calls.collect()).unwrap();
        let settings = Settings {
            solver: &z3,
            solvers: &smt::Solvers::default(),
            deadline: None,
            cancellation: &Cancellation::new(),
            believed: &[],
            observer: &|_| {},
        };
        match (horn::solve(&flow, &settings).unwrap(), &answer.verdict) {
            (HornResult::Invariant(facts), Verdict::Safe) => {
                let proof = lowered.proof(&facts).unwrap();
                assert!(confirmed(&proof, &cvc5).is_ok(), "{case}\n{program}");
                safe += 1;
                with_calls += usize::from(!proof.contracts.iter().all(|contract| contract.ensures.is_true()));
            }
            (HornResult::Invariant(_), Verdict::Unknown(Reason::NoRun)) => {}
            (HornResult::Refuted, Verdict::Unsafe(_)) => violated += 1,
            (outcome, verdict) => panic!("{case}: {outcome:?} {verdict:?}\n{program}"),
        }
    }
    assert!(
        safe > 5 && violated > 20 && with_calls > 0,
        "{safe} {violated} {with_calls}"
    );
    Ok(())
}

/// A run that the solver finds by unrolling the rules becomes one of the program.
fn runs_of_an_engine_are_replayed() -> Outcome {
    let mut replayed = 0;
    for case in 0..40 {
        let program = random_program(case);
        let answer = boolean::check(&program, &Cancellation::new()).unwrap();
        let Verdict::Unsafe(_) = answer.verdict else { continue };
        let lowered = lower(&program).unwrap();
        let contracts = lowered.contracts(&facts(&program, &lowered)).unwrap();
        let system = lowered.with_contracts(&contracts);
        let flow = Flow::of(&system).unwrap();
        let mut unrolling = Unrolling::new(&flow, &smt::Solvers::default()).unwrap();
        let run = loop {
            match unrolling.go_on().unwrap() {
                Some(UnrollingResult::Run(run)) => break run,
                Some(UnrollingResult::None) => panic!("{case}: no run\n{program}"),
                None => {}
            }
        };
        let steps = run.steps.iter().map(|step| SystemStep {
            rule: step.rule,
            values: step
                .values
                .iter()
                .map(|(choice, value)| (*choice, *value != 0))
                .collect(),
        });
        let steps: Vec<SystemStep> = steps.collect();
        let trace = lowered.replay(&system, &steps, &Cancellation::new());
        assert!(trace.is_ok(), "{case}: {trace:?} {steps:?}\n{program}");
        replayed += 1;
    }
    assert!(replayed > 10, "{replayed}");
    Ok(())
}

fn programs() -> Result<Vec<(String, Program, Option<bool>)>, Absent> {
    let mut programs = Vec::new();
    let folder = testing::corpus("boolean-programs")?;
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    for folder in folders.into_iter().filter(|path| path.is_dir()) {
        let description = std::fs::read_to_string(folder.join("test.desc")).unwrap();
        let mut lines = description.lines().skip(1);
        let file = folder.join(lines.next().unwrap());
        let label = lines
            .next()
            .unwrap()
            .strip_prefix("-l ")
            .map(|label| label.trim().to_owned());
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        // Those with threads are refused.
        if let Ok((mut program, _)) = read(SourceFile::new(name.as_str(), text)) {
            if let Some(label) = label {
                program.forbid_label(&label);
            }
            if program.assertions().is_empty() {
                let holds = Action::Assert(Expression::Constant(true));
                program.procedures[program.entry.0].body.insert(0, holds.into());
            }
            let is_safe = description.contains("^VERIFICATION SUCCESSFUL$");
            programs.push((name, program, Some(is_safe)));
        }
    }
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    for file in ["lock.bp", "lock-fixed.bp"] {
        let text = std::fs::read_to_string(examples.join(file)).unwrap();
        let (program, _) = read(SourceFile::new(file, text)).unwrap();
        programs.push((file.to_owned(), program, Some(file != "lock.bp")));
    }
    Ok(programs)
}

fn published_programs_are_certified() -> Outcome {
    let cvc5 = cvc5()?;
    for (name, program, is_safe) in programs()? {
        let lowered = lower(&program).unwrap();
        let (answer, relations) = boolean::check_with_relations(&program, &lowered, &Cancellation::new()).unwrap();
        assert_eq!(Some(answer.verdict == Verdict::Safe), is_safe, "{name}");
        if let Some(relations) = relations {
            let proof = lowered.proof(&lowered.facts(&relations)).unwrap();
            assert!(confirmed(&proof, &cvc5).is_ok(), "{name}");
        }
    }
    Ok(())
}

/// How large certificates become: printed, not asserted.
#[expect(clippy::print_stdout)]
fn sizes() -> Outcome {
    let cvc5 = cvc5()?;
    for (variables, procedures) in [(10, 3), (10, 5), (20, 10), (40, 20), (60, 40), (100, 80), (100, 200)] {
        let program = boolean::random::large(variables, procedures, false);
        let started = Instant::now();
        let lowered = lower(&program).unwrap();
        let (answer, relations) = boolean::check_with_relations(&program, &lowered, &Cancellation::new()).unwrap();
        assert_eq!(answer.verdict, Verdict::Safe);
        let found = started.elapsed();
        let proof = lowered.proof(&lowered.facts(&relations.unwrap())).unwrap();
        let text = certificate_text(&proof.system, &proof.certificate, &[]).unwrap();
        let written = started.elapsed();
        let (size, queries) = (text.len(), text.matches("(check-sat)").count());
        println!(
            "{variables} {procedures}: {} locations, {} rules, {} facts, {queries} questions, {size} bytes, found {found:?}, written {:?}",
            proof.locations,
            proof.system.rules.len(),
            proof.certificate.facts.len(),
            written - found
        );
        if size > 200_000_000 {
            break;
        }
        let result = Confirmed::of(text, std::slice::from_ref(&cvc5), &Cancellation::new(), &mut |_| {});
        println!("  confirmed {}: {:?}", result.is_ok(), started.elapsed() - written);
        if started.elapsed().as_secs() > 240 {
            break;
        }
    }
    Ok(())
}

testing::tests!(
    safe_programs_are_certified,
    violated_programs_are_not_certified,
    contracts_are_proved,
    published_programs_are_certified,
    an_engine_for_systems_decides_programs,
    runs_of_an_engine_are_replayed;
    ignored: sizes,
);
