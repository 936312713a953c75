//! Errors seeded into the system of a program, behind guards that no random run passes: the comparison with runs
//! detects each, and reports nothing without an error.

#![allow(clippy::unwrap_used)]

use analysis::points_to::PointsTo;
use driver::Context;
use driver::program::{CrossChecked, Question, cross_check};
use logic::{Term, term};
use smt::Solvers;
use std::process::ExitCode;
use system::transition::TransitionSystem;
use testing::trial;
use unfold::{Options, Undefinedness, unfold};

const GUARD: &str = "x - y == 98765 && x + 2 * y == 949766";

/// The guard comes first.
const EARLY: &str = "int g; int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), s = 0;
   if (GUARD) { g = 7; s = 1; }
   while (__VERIFIER_nondet_int()) { if (s && g != 7) reach_error(); }
   return 0; }";

/// The guard comes after a loop, and the store goes through a pointer.
const LATE: &str = "int g; int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), s = 0, i = 0;
   int *p = &s; while (i < 3) i++;
   if (GUARD) { p = &g; *p = 7; s = i - 2; }
   while (__VERIFIER_nondet_int()) { if (s && g != 7) reach_error(); }
   return 0; }";

/// The guard is in a procedure that is called in a loop.
const CALLED: &str = "int g, s; static void f(int x, int y) { if (GUARD) { g = 7; s = 1; } }
   int main(void) { while (__VERIFIER_nondet_int()) { f(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
   if (s && g != 7) reach_error(); } return 0; }";

/// Programs whose runs the flat interpreter and the system must represent identically: none has an error.
const HARMLESS: [(&str, &str); 3] = [
    (
        "devices at fixed addresses",
        "int g, h[3]; int main(void) { *(volatile int *)0x10000000 = 5; *(volatile int *)0x10030000 = 6;
         volatile int *r = (int *)0x10060000; while (__VERIFIER_nondet_int()) { r[1] = 3; if (g) reach_error(); }
         return 0; }",
    ),
    (
        "pointers far outside of objects",
        "char a[4]; int main(void) { char *p = a, *q; int i = __VERIFIER_nondet_int(); q = p + 400000;
         while (__VERIFIER_nondet_int()) { q = q + i; if (!q) reach_error(); } return 0; }",
    ),
    (
        "pointers as numbers and back",
        "int g, h; int main(void) { unsigned long n = (unsigned long)&g; int *p = (int *)(n + 8); p = p - 2;
         while (__VERIFIER_nondet_int()) { *p = 4; int *z = (int *)(n + 5000); z -= 1250; *z = 7;
         if (h) reach_error(); } return 0; }",
    ),
];

type Mistake = fn(&mut TransitionSystem, &str);

/// Removes the updates of the variable from every rule.
fn dropped(system: &mut TransitionSystem, name: &str) {
    for rule in &mut system.rules {
        rule.updates.retain(|update| !is(name, update.function));
    }
}

/// Replaces a stored number by another.
fn changed(system: &mut TransitionSystem, name: &str) {
    for update in system.rules.iter_mut().flat_map(|rule| &mut rule.updates) {
        if is(name, update.function) {
            let other = term::add([update.value, term::int(1)]);
            let zero = term::equal(update.value, term::int(0));
            update.value = term::ite(zero, update.value, other);
        }
    }
}

/// Disables rules that would store a nonzero number.
fn strengthened(system: &mut TransitionSystem, name: &str) {
    for rule in &mut system.rules {
        let values = rule.updates.iter().filter(|update| is(name, update.function));
        let zero: Vec<Term> = values.map(|update| term::equal(update.value, term::int(0))).collect();
        rule.guard = term::and([rule.guard].into_iter().chain(zero));
    }
}

fn is(name: &str, function: logic::Function) -> bool {
    function.name().to_string().split(':').next_back() == Some(name)
}

fn checked(text: &str, mistake: Option<(Mistake, &str)>) -> Result<CrossChecked, String> {
    let declared = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";
    let text = format!("{declared}{}", text.replace("GUARD", GUARD));
    let sources = c::preprocess::preprocessed("program.i", text, None);
    let unit = c::read(&sources, &c::Options::default()).unwrap();
    let points_to = PointsTo::of(&unit.program);
    let unfolded = unfold(&unit.program, &points_to, &Options::default(), &|| false).unwrap();
    let mut system = unfolded.system.clone();
    if let Some((mistake, name)) = mistake {
        mistake(&mut system, name);
    }
    let question = Question::new(&unit.program, &unit.sources, Undefinedness::Wraps);
    let context = Context::silent(Solvers::default());
    cross_check(&question, &unfolded, &system, &context)
}

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for (name, text) in [("early", EARLY), ("late", LATE), ("called", CALLED)] {
        trials.push(trial(&format!("{name}: nothing is wrong"), move || {
            let checked = checked(text, None).unwrap();
            assert!(checked.led > 0 && checked.rules > 0, "{checked:?}");
        }));
        let mistakes: [(&str, Mistake); 3] = [
            ("dropped", dropped),
            ("changed", changed),
            ("strengthened", strengthened),
        ];
        for (how, mistake) in mistakes {
            for variable in ["g", "s"] {
                trials.push(trial(&format!("{name}: {variable} {how}"), move || {
                    let found = checked(text, Some((mistake, variable)));
                    // Without its only update, a local variable is arbitrary from the start: such a system has all
                    // runs.
                    let is_mistake = (name, how, variable) != ("early", "dropped", "s");
                    assert_eq!(found.is_err(), is_mistake, "{found:?}");
                }));
            }
        }
    }
    for (name, text) in HARMLESS {
        trials.push(trial(&format!("harmless: {name}"), move || {
            let checked = checked(text, None).unwrap();
            assert!(checked.steps > 0, "{checked:?}");
        }));
    }
    testing::run(trials)
}
