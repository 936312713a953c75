//! Large programs, interrupts, and programs that were built wrongly.

#![allow(clippy::unwrap_used)]

use boolean::random::large;
use boolean::{
    Action, Error, Expression, LabelId, Malformed, Procedure, ProcedureId, Program, Reason, Statement, Variable,
    Verdict, check,
};
use logic::Cancellation;

/// With a thousand procedures it takes seconds (docs/boolean-programs.md); here are fewer of them.
#[test]
fn a_hundred_variables_and_many_procedures() {
    let safe = check(&large(100, 200, false), &Cancellation::new()).unwrap();
    assert_eq!(safe.verdict, Verdict::Safe);
    let broken = check(&large(100, 200, true), &Cancellation::new()).unwrap();
    assert!(matches!(broken.verdict, Verdict::Unsafe(_)));
}

#[test]
fn an_interrupt_is_never_safe() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let answer = check(&large(100, 200, false), &cancellation).unwrap();
    assert_eq!(answer.verdict, Verdict::Unknown(Reason::Interrupted));
    // At whatever moment.
    for milliseconds in [1, 3, 10, 30, 100, 200] {
        let cancellation = Cancellation::new();
        let other = cancellation.clone();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
            other.cancel();
        });
        for is_broken in [false, true] {
            let verdict = check(&large(60, 100, is_broken), &cancellation).unwrap().verdict;
            let is_right = match verdict {
                Verdict::Safe => !is_broken,
                Verdict::Unsafe(_) => is_broken,
                Verdict::Unknown(reason) => reason == Reason::Interrupted,
            };
            assert!(is_right);
        }
        canceller.join().unwrap();
    }
}

#[test]
fn a_counter_of_many_bits_is_no_matter_of_the_stack() {
    // Recursion a thousand deep in the trace: each call counts one further.
    let bits = 10;
    let global = |number| Expression::Variable(Variable::Global(number));
    let next = (0..bits).map(|bit| match bit {
        0 => global(0).negated(),
        1 => Expression::Differ(Box::new(global(1)), Box::new(global(0))),
        _ => {
            let below = Expression::And((0..bit).map(global).collect());
            Expression::Differ(Box::new(global(bit)), Box::new(below))
        }
    });
    let call = Action::Call {
        results: Vec::new(),
        procedure: ProcedureId(1),
        arguments: Vec::new(),
    };
    let count = Action::Assign {
        targets: (0..bits).map(Variable::Global).collect(),
        values: next.collect(),
        constraint: None,
    };
    let zero = Action::Assign {
        targets: (0..bits).map(Variable::Global).collect(),
        values: vec![Expression::Constant(false); bits],
        constraint: None,
    };
    let all = Expression::And((0..bits).map(global).collect());
    let procedure = |name: &str, actions: Vec<Action>| Procedure {
        name: name.to_owned(),
        body: actions.into_iter().map(Statement::from).collect(),
        ..Procedure::default()
    };
    let program = Program {
        globals: (0..bits).map(|bit| format!("bit{bit}")).collect(),
        procedures: vec![
            procedure("main", vec![zero, call.clone()]),
            procedure("count", vec![Action::Assert(all.negated()), count, call]),
        ],
        ..Program::default()
    };
    let answer = check(&program, &Cancellation::new()).unwrap();
    let Verdict::Unsafe(trace) = answer.verdict else {
        panic!("it reaches the last number");
    };
    // Two steps, and three for each number but the last.
    assert_eq!(trace.steps(), 2 + 3 * ((1 << bits) - 1));
    assert_eq!(trace.points.last().unwrap().depth, 1 << bits);
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let program = |statements: Vec<Statement>| Program {
        globals: vec!["g".to_owned()],
        procedures: vec![Procedure {
            name: "main".to_owned(),
            labels: vec!["L".to_owned()],
            body: statements,
            ..Procedure::default()
        }],
        ..Program::default()
    };
    let labelled = |action: Action| Statement {
        labels: vec![LabelId(0)],
        ..Statement::from(action)
    };
    let name = "the procedure `main`".to_owned();
    let refused = |action: Action| check(&program(vec![labelled(action)]), &Cancellation::new()).unwrap_err();
    let global = |number| Expression::Variable(Variable::Global(number));
    let procedure = || name.clone();
    assert_eq!(
        refused(Action::Assert(global(1))),
        Error::Malformed(Malformed::Variable { procedure: procedure() })
    );
    assert_eq!(
        refused(Action::Assert(Expression::Next(Variable::Global(0)))),
        Error::Malformed(Malformed::Next { procedure: procedure() })
    );
    assert_eq!(
        refused(Action::Dead(vec![Variable::Global(0); 2])),
        Error::Malformed(Malformed::Twice { procedure: procedure() })
    );
    assert_eq!(
        refused(Action::Return(vec![global(0)])),
        Error::Malformed(Malformed::Number { procedure: procedure() })
    );
    assert_eq!(
        refused(Action::Goto(vec![LabelId(1)])),
        Error::Malformed(Malformed::Label { procedure: procedure() })
    );
    assert_eq!(
        refused(Action::Assert(Expression::And(vec![global(0)]))),
        Error::Malformed(Malformed::Parts { procedure: procedure() })
    );
    let call = Action::Call {
        results: Vec::new(),
        procedure: ProcedureId(7),
        arguments: Vec::new(),
    };
    assert_eq!(
        refused(call),
        Error::Malformed(Malformed::Call { procedure: procedure() })
    );
    let deep = (0..3_000).fold(global(0), |inner, _| inner.negated());
    assert_eq!(
        refused(Action::Assert(deep)),
        Error::Malformed(Malformed::Deep { procedure: procedure() })
    );
    let nowhere = check(&program(vec![Action::Skip.into()]), &Cancellation::new());
    assert_eq!(
        nowhere.unwrap_err(),
        Error::Malformed(Malformed::Label { procedure: procedure() })
    );
    assert_eq!(
        check(&Program::default(), &Cancellation::new()).unwrap_err(),
        Error::Malformed(Malformed::Entry)
    );
}
