//! Seeded mistakes about C programs: each ends as a mistake, and none as a verdict.

use super::*;
use c::Unit;
use smt::Solvers;
use system::transition::TransitionSystem;

const SETS: &str = "extern void reach_error(void); int g;
int main(void) { int i = 0; while (i < 3) { i++; g = 1; } if (g) reach_error(); return 0; }";

fn unit(text: &str) -> Unit {
    let sources = c::preprocess::preprocessed("program.i", text.to_owned(), None);
    c::read(&sources, &c::Options::default()).unwrap()
}

fn context() -> Context<'static> {
    Context::silent(Solvers::default())
}

/// What comes of a program whose system is spoiled before engines see it.
fn spoiled(text: &str, spoil: fn(&mut TransitionSystem)) -> ProgramAttempt {
    let unit = unit(text);
    let question = Question::new(&unit.program, &unit.sources, Undefinedness::Wraps);
    let executable = Executable::new(question.program);
    let check = ProgramCheck {
        question: &question,
        search: &Search::new(&question, &executable),
        points_to: &PointsTo::of(question.program),
        context: context(),
        board: Blackboard::default(),
    };
    let [linear, _] = question.options();
    let mut unfolded = check.unfold(&linear, &check.context).unwrap();
    spoil(&mut unfolded.system);
    let flow = flow_of(&unfolded, &check.context).unwrap();
    let engines = Engines::new(&PORTFOLIO, None);
    check.prove(engines, &unfolded, &flow, &check.context).unwrap()
}

#[test]
fn a_lowering_that_drops_an_update_is_a_mistake() {
    if solvers().len() < 2 {
        return;
    }
    let attempt = spoiled(SETS, |_| ());
    assert!(matches!(attempt, ProofAttempt::Unproved(_)));
    let attempt = spoiled(SETS, |system| {
        for rule in &mut system.rules {
            rule.updates
                .retain(|update| !update.function.name().as_str().starts_with('g'));
        }
    });
    let ProofAttempt::Mistake(mistake) = attempt else {
        panic!("the mistake is not noticed");
    };
    assert!(matches!(
        mistake.kind,
        MistakeKind::ContradictedProof | MistakeKind::WrongSystem
    ));
    assert!(mistake.files.iter().any(|(name, _)| *name == "certificate.smt2"));
}

/// gcc compiles another program than the one that the interpreter runs.
#[test]
fn an_interpreter_that_disagrees_with_gcc_is_a_mistake() {
    let unit = unit(SETS);
    let question = Question {
        source: Some(harness::Source {
            name: "program.i".to_owned(),
            text: SETS.replace("g = 1", "g = 0"),
            defined: unit.defined.clone(),
            symbols: unit.symbols.clone(),
            entry: unit.entry.clone(),
            labels: unit.error_labels.clone(),
            machine: c::DataModel::default().gcc_option(),
        }),
        ..Question::new(&unit.program, &unit.sources, Undefinedness::Wraps)
    };
    let Answer::Mistake(mistake) = check(&question, &context()).unwrap() else {
        panic!("the mistake is not noticed");
    };
    assert_eq!(mistake.kind, MistakeKind::UnconfirmedRun);
    assert!(mistake.files.iter().any(|(name, _)| *name == "harness.c"));
}
