//! Random Boolean programs: compares the model checker with an enumeration of all states, and prints and re-parses the
//! programs.

use crate::tally::Campaign;
use boolean::random::{SMALL, program};
use boolean::{Action, Expression, ProcedureId, Program, enumerate, read};
use driver::boolean::{Evidence, Question, Verdict};
use driver::{Answer, Context, Reason};
use smt::Solvers;
use system::SourceFile;

pub fn run(run: &mut Campaign) {
    for case in run.cases() {
        let mut dice = run.begin(case);
        let program = program(&mut |sides| dice.roll(sides), SMALL);
        run.tried += 1;
        count(run, &program);
        if let Err(what) = compare(run, &program) {
            let name = format!("{}.bp", run.name());
            run.failure(&name, &what, program.to_string().as_bytes());
        }
    }
}

/// Counts features of the generated programs.
fn count(run: &mut Campaign, program: &Program) {
    let all: Vec<_> = (0..program.procedures.len())
        .map(|number| program.statements(ProcedureId(number)))
        .collect();
    let statements = || all.iter().flatten();
    let calls = |from: usize| {
        let calls = all[from].iter().filter_map(|statement| match statement.action {
            Action::Call { procedure, .. } => Some(procedure.0),
            _ => None,
        });
        calls.collect::<Vec<usize>>()
    };
    // Whether a procedure may be recursive.
    let is_recursive = (0..all.len()).any(|start| {
        let (mut seen, mut pending) = (vec![false; all.len()], calls(start));
        while let Some(next) = pending.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                pending.extend(calls(next));
            }
        }
        seen[start]
    });
    let several = statements().any(|statement| match &statement.action {
        Action::Call { results, .. } => results.len() > 1,
        _ => false,
    });
    let constrained = statements().any(|statement| match &statement.action {
        Action::Assign { constraint, .. } => constraint.is_some(),
        _ => false,
    });
    let chooses = statements().any(|statement| statement.expressions().into_iter().any(has_choice));
    let enforces = !program.enforced.is_empty() || program.procedures.iter().any(|found| !found.enforced.is_empty());
    for (name, is_there) in [
        ("recursive", is_recursive),
        ("several results", several),
        ("with constrain", constrained),
        ("with schoose", chooses),
        ("with enforce", enforces),
    ] {
        run.add(name, u64::from(is_there));
    }
}

fn has_choice(expression: &Expression) -> bool {
    matches!(expression, Expression::Choose(..)) || expression.parts().into_iter().any(has_choice)
}

fn compare(run: &mut Campaign, program: &Program) -> Result<(), String> {
    let text = program.to_string();
    let again = read(SourceFile::new("random.bp", text.as_str())).map_err(|_| "what is printed is refused")?;
    if again.0.without_origins() != *program {
        return Err("what is printed is read as something else".to_owned());
    }
    let failing = enumerate::failing(program);
    let question = Question {
        program,
        sources: &again.1,
        name: &|id| format!("assertion {} of procedure {}", id.number, id.procedure.0),
        about: Vec::new(),
        engine: None,
    };
    let context = Context::silent(Solvers::default());
    let decided = match driver::boolean::check(&question, &context).map_err(|error| error.to_string())? {
        Answer::Decided(decided) => decided,
        Answer::Mistake(mistake) => return Err(mistake.message),
    };
    let name = match &decided.verdict {
        Verdict::Safe(proved) if failing.is_empty() => match &proved.evidence {
            Evidence::Certificate(_) => "safe, confirmed by a solver",
            Evidence::PathEdges(_) => "safe, without a certificate",
        },
        Verdict::Unsafe(trace) if failing.contains(&trace.failing) => "unsafe",
        Verdict::Unknown(unknown) if failing.is_empty() && matches!(unknown.reason, Reason::NoRunBegins) => {
            "no run begins"
        }
        Verdict::Safe(_) => return Err(format!("safe, but these fail: {failing:?}")),
        Verdict::Unsafe(trace) => return Err(format!("{trace:?}, but these fail: {failing:?}")),
        Verdict::Unknown(unknown) => return Err(format!("{}, but these fail: {failing:?}", unknown.reason)),
    };
    run.add(name, 1);
    Ok(())
}
