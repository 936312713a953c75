//! Ctrl-C while Z3 works is heard by whoever listens to it, and not by Z3. In a process of its own: a handler is for
//! all of it.

mod support;

use logic::term::{add, equal, int, less, multiply};
use logic::{Cancellation, Function, Sort, Term};
use smt::{Answer, Purpose, Solver, UnknownReason, Z3Options};
use std::process::Command;
use std::time::Duration;
use support::z3_with;

#[test]
fn z3_leaves_ctrl_c_to_us() {
    let cancellation = Cancellation::new();
    let heard = cancellation.clone();
    ctrlc::set_handler(move || heard.cancel()).unwrap();
    let options = Z3Options {
        cancellation: cancellation.clone(),
        timeout: Some(Duration::from_secs(60)),
        ..Z3Options::default()
    };
    let mut solver = z3_with(options);
    let number = |name: &str| Function::constant(name, Sort::Int).apply([]);
    let [a, b, c] = ["a", "b", "c"].map(number);
    let cube = |n: Term| multiply(n, multiply(n, n));
    for n in [a, b, c] {
        solver.assert(less(int(100), n)).unwrap();
    }
    solver.assert(equal(add([cube(a), cube(b)]), cube(c))).unwrap();
    let process = std::process::id().to_string();
    let signal = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        Command::new("kill").args(["-INT", &process]).status().unwrap()
    });
    let answer = solver.check(Purpose::Other);
    assert!(signal.join().unwrap().success());
    assert_eq!(answer, Ok(Answer::Unknown(UnknownReason::Interrupted)));
    assert!(cancellation.is_cancelled());
}
