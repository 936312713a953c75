//! Large programs, interrupts, and programs that were built wrongly.

use boolean::random::large;
use boolean::{Action, Error, Expression, Malformed, Reason, Statement, Variable, Verdict, check};
use logic::Cancellation;

#[test]
fn a_hundred_variables_and_a_thousand_procedures() {
    let safe = check(&large(100, 1_000, false), &Cancellation::new());
    assert_eq!(safe.map(|answer| answer.verdict), Ok(Verdict::Safe));
    let broken = check(&large(100, 1_000, true), &Cancellation::new());
    let verdict = broken.map(|answer| answer.verdict);
    // The last procedure is ten calls away by halving.
    assert!(
        matches!(&verdict, Ok(Verdict::Unsafe(trace)) if trace.steps() > 20),
        "{verdict:?}"
    );
}
