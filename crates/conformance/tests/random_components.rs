//! Random small components with random specifications, judged by enumerating their runs with the interpreter: no
//! verdict may be wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Subject, about, confirming};
use conformance::confirm::{self, Confirming};
use conformance::containment::trace_containment;
use conformance::lts::Lts;
use conformance::minimise::Minimisation;
use conformance::runs;
use conformance::verify::{Levels, LoopVerdict, Options, verify};
use logic::Cancellation;
use oorandom::Rand32;
use smt::Solvers;
use std::fmt::Write as _;
use unfold::Undefinedness;

const CASES: u64 = 12;

struct Draw(Rand32);

impl Draw {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.rand_range(0..bound)
    }

    fn value(&mut self) -> String {
        match self.below(6) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => "p".to_owned(),
            3 => format!(
                "(signed char)({} + {})",
                ["x", "y", "p"][self.below(3) as usize],
                self.below(3)
            ),
            _ => self.below(3).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let operator = ["==", "!=", "<", ">"][self.below(4) as usize];
        format!(
            "{} {operator} {}",
            ["x", "y", "p"][self.below(3) as usize],
            self.value()
        )
    }

    fn statements(&mut self, depth: u32, indent: &str, text: &mut String) {
        for _ in 0..1 + self.below(3) {
            let _ = match self.below(if depth > 0 { 7 } else { 4 }) {
                0 => writeln!(text, "{indent}x = {};", self.value()),
                1 => writeln!(text, "{indent}y = get();"),
                2 => writeln!(text, "{indent}do_{}();", ["a", "b"][self.below(2) as usize]),
                3 => writeln!(text, "{indent}put({});", self.value()),
                4 => writeln!(text, "{indent}if ({}) return {};", self.condition(), self.value()),
                _ => {
                    let condition = self.condition();
                    let _ = writeln!(text, "{indent}if ({condition}) {{");
                    self.statements(depth - 1, &format!("{indent}    "), text);
                    let _ = writeln!(text, "{indent}}} else {{");
                    self.statements(depth - 1, &format!("{indent}    "), text);
                    writeln!(text, "{indent}}}")
                }
            };
        }
    }

    fn component(&mut self, name: &str) -> String {
        let mut text = format!("int {name}(signed char p)\n{{\n    signed char x = 0, y = 1;\n");
        if self.below(3) == 0 {
            let _ = writeln!(text, "    for (x = 0; x < {}; x++) {{", 1 + self.below(2));
            self.statements(1, "        ", &mut text);
            text.push_str("    }\n");
        }
        self.statements(2, "    ", &mut text);
        let _ = writeln!(text, "    return {};\n}}\n", self.value());
        text
    }

    /// A process over some actions: random transitions among a few states.
    fn process(&mut self, actions: &[&str]) -> String {
        let states = 2 + self.below(3);
        let mut definitions = Vec::new();
        for state in 0..states {
            let mut branches = Vec::new();
            for action in actions {
                if self.below(3) > 0 {
                    let to = self.below(states);
                    let to = if action.contains("return") {
                        "STOP".to_owned()
                    } else {
                        format!("S{to}")
                    };
                    branches.push(format!("{action} -> {to}"));
                }
            }
            if branches.is_empty() {
                branches.push("tau -> STOP".to_owned());
            }
            definitions.push(format!("S{state} = ( {} )", branches.join(" | ")));
        }
        format!("{} + {{{}}}.\n", definitions.join(",\n"), actions.join(", "))
    }
}

const ROUTINES: &str = "
DO_A = ( a -> return {} -> STOP ).
DO_B = ( b -> return {} -> STOP ).
GET = ( return {$0 == 0} -> STOP | got -> return {$0 == 1} -> STOP ).
PUT_0 = ( zero -> return {} -> STOP ).
PUT_1 = ( other -> return {} -> STOP ).
cproc do_a { abstract { a, (1), DO_A }; }
cproc do_b { abstract { b, (1), DO_B }; }
cproc get { abstract { get, (1), GET }; }
cproc put { abstract { zero, ($1 == 0), PUT_0 }; abstract { other, ($1 != 0), PUT_1 }; }
";

/// All traces of a component: every parameter, and every result of routines.
fn truth(system: &conformance::assembly::System, opened: &[conformance::assembly::ClosedComponent]) -> Vec<Vec<Lts>> {
    let mut all = Vec::new();
    for (component, opened) in system.components.iter().zip(opened) {
        let mut found: Vec<Lts> = Vec::new();
        // Conditions compare with small numbers, and sums wrap around at the ends.
        for parameter in (-128..=-125).chain(-2..=5).chain(124..=127) {
            // The results of the first calls of `get`; later ones are 0.
            for bits in 0..64u32 {
                let inputs = std::iter::once(parameter).chain((0..40).map(|bit| i128::from(bits >> bit.min(31) & 1)));
                let run = runs::run(component, opened, inputs.collect(), Undefinedness::Wraps);
                let asked = run.calls.len();
                let lts = runs::traces(component, &run).unwrap();
                if !found.contains(&lts) {
                    found.push(lts);
                }
                if asked == 0 {
                    break;
                }
            }
        }
        all.push(found);
    }
    all
}

/// A program and a specification; none where no action is left to speak of.
fn drawn(seed: u64, components: usize) -> Option<(String, String)> {
    let mut draw = Draw(Rand32::new(seed));
    let names = ["left", "right"];
    let mut program = "void do_a(void);\nvoid do_b(void);\nint get(void);\nvoid put(int);\n".to_owned();
    for name in &names[..components] {
        program.push_str(&draw.component(name));
    }
    let used = |action: &&&str| match **action {
        "a" => program.contains("    do_a"),
        "b" => program.contains("    do_b"),
        "got" => program.contains("= get()"),
        "zero" | "other" => program.contains("    put("),
        _ => true,
    };
    let all = ["a", "b", "got", "zero", "other"];
    let mut actions: Vec<&str> = all.iter().filter(used).copied().filter(|_| draw.below(4) > 0).collect();
    if components == 1 {
        actions.extend([
            "return {$0 == 0}",
            "return {$0 == 1}",
            "return {$0 > 1}",
            "return {$0 < 0}",
        ]);
    }
    if actions.is_empty() {
        return None;
    }
    let guards = "(1), ".repeat(components);
    let process = draw.process(&actions);
    let who = names[..components].join(" || ");
    let text = format!("{process}{ROUTINES}\nprogram {who} {{ abstract {{ all, {guards}S0 }}; }}\n");
    Some((program, text))
}

fn judge(seed: u64, components: usize) -> Option<bool> {
    let (program, text) = drawn(seed, components)?;
    let folder = std::env::temp_dir().join(format!("cubist-conform-{}-{components}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (spec, file) = (folder.join("a.spec"), folder.join("a.c"));
    std::fs::write(&spec, &text).unwrap();
    std::fs::write(&file, &program).unwrap();
    let subject = Subject::read(&spec, &[file]);
    std::fs::remove_dir_all(&folder).unwrap();
    let system = subject
        .system(0, seed.is_multiple_of(2))
        .map_err(|found| panic!("{found:?}\n{text}\n{program}"))
        .unwrap();
    let is_violated = is_violated(&system, &subject.opened[0]);
    for (levels, minimisation) in [
        (Levels::Two, Minimisation::Minimum),
        (Levels::One, Minimisation::None),
        (Levels::Two, Minimisation::Greedy),
    ] {
        let options = Options {
            levels,
            minimisation,
            iterations: 2000,
            ..Options::default()
        };
        let outcome = verify(&system, &options, &Solvers::default(), &mut |_| {}, &|| false);
        match outcome.verdict {
            LoopVerdict::Conforms(proof) => {
                assert!(!is_violated, "seed {seed}: a wrong proof\n{text}\n{program}");
                let solvers = Solvers::default();
                let confirming = Confirming {
                    finding: &solvers,
                    solvers: &confirming(),
                    cancellation: &Cancellation::new(),
                    undefined: Undefinedness::Wraps,
                    is_over: &|| false,
                    about: &about(),
                };
                let confirmed = confirm::conforms(&system, &subject.opened[0], &proof, &confirming);
                assert!(
                    confirmed.is_ok(),
                    "seed {seed}: {}\n{text}\n{program}",
                    confirmed.unwrap_err()
                );
            }
            LoopVerdict::Violates(violation) => {
                assert!(
                    is_violated,
                    "seed {seed}: a wrong violation {violation:?}\n{text}\n{program}"
                );
                let confirmed = confirm::violates(&system, &subject.opened[0], &violation, Undefinedness::Wraps);
                assert!(
                    confirmed.is_ok(),
                    "seed {seed}: {}\n{text}\n{program}",
                    confirmed.unwrap_err()
                );
            }
            LoopVerdict::Unknown(reason) => println!("seed {seed}: {reason}"),
        }
    }
    Some(is_violated)
}

/// Whether some runs together have a trace that the specification does not have.
fn is_violated(system: &conformance::assembly::System, opened: &[conformance::assembly::ClosedComponent]) -> bool {
    let found = truth(system, opened);
    let mut is_violated = false;
    let others = found.get(1).cloned().unwrap_or_default();
    for one in &found[0] {
        for other in others.iter().map(Some).chain(others.is_empty().then_some(None)) {
            let systems: Vec<Lts> = std::iter::once(one)
                .chain(other)
                .map(|lts| lts.hiding(&system.hidden))
                .collect();
            let systems: Vec<&Lts> = systems.iter().collect();
            let checked = trace_containment(&systems, &system.specification, 100_000, &|| false).unwrap();
            is_violated |= checked.counterexample.is_some();
        }
    }
    is_violated
}

fn judge_all(components: usize) {
    let cases = std::env::var("CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(CASES);
    let (mut violated, mut kept) = (0, 0);
    for seed in 0..cases {
        match judge(seed, components) {
            Some(true) => violated += 1,
            Some(false) => kept += 1,
            None => {}
        }
    }
    println!("{violated} violated, {kept} kept");
    assert!(
        violated > cases / 10 && kept > cases / 20,
        "{violated} and {kept}: one kind is too rare to be a test"
    );
}

#[test]
fn no_verdict_about_one_component_is_wrong() {
    judge_all(1);
}

#[test]
fn no_verdict_about_two_components_is_wrong() {
    judge_all(2);
}
