//! The sequential handshake specifications as monitors: the routines of a component get bodies that do what their
//! abstractions say and tell a monitor, and `cubist check` decides whether it can come to an error. The two must agree.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{cubist, root};
use conformance::lts::{Action, Actions, Lts};
use conformance::specification::syntax::{Expression, Returns};
use conformance::specification::{self, Specification, StateMachine};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use system::SourceFile;

fn read(folder: &Path, names: &[&str]) -> Specification {
    let source = |name: &&str| SourceFile::new(*name, fs::read_to_string(folder.join(name)).unwrap());
    let mut sources: Vec<SourceFile> = names.iter().map(source).collect();
    let first = sources.remove(0);
    specification::read(first, sources)
        .map_err(|rejected| rejected.diagnostics)
        .unwrap()
}

/// A condition as C has it, with names for `$0` and `$1`.
fn words(condition: &Expression, result: &str) -> String {
    condition.to_string().replace("$0", result).replace("$1", "first")
}

/// `act_N` for each action of the specification: made deterministic, it goes on, or the action is not allowed.
fn monitor(lts: &Lts, actions: &Actions) -> (String, BTreeMap<Action, String>) {
    let mut sets: Vec<BTreeSet<usize>> = vec![lts.closure([lts.initial])];
    let mut moves: BTreeMap<Action, Vec<(usize, usize)>> = BTreeMap::new();
    let mut here = 0;
    while here < sets.len() {
        for action in &lts.alphabet {
            let after = lts.reach(&sets[here], *action);
            if after.is_empty() {
                continue;
            }
            let to = sets.iter().position(|set| *set == after).unwrap_or(sets.len());
            if to == sets.len() {
                sets.push(after);
            }
            moves.entry(*action).or_default().push((here, to));
        }
        here += 1;
    }
    let mut text = "static int monitor;\n".to_owned();
    let mut names = BTreeMap::new();
    for (number, action) in lts.alphabet.iter().enumerate() {
        let _ = writeln!(
            text,
            "static void act_{number}(void) /* {} */\n{{",
            actions.name(*action)
        );
        for (from, to) in moves.get(action).into_iter().flatten() {
            let _ = writeln!(text, "    if (monitor == {from}) {{ monitor = {to}; return; }}");
        }
        text.push_str("    reach_error();\n}\n");
        names.insert(*action, format!("act_{number}();"));
    }
    (text, names)
}

/// What an abstraction does, as statements: a label for each of its states.
fn behaviour(machine: &StateMachine, label: &str, is_void: bool, acts: &BTreeMap<Action, String>) -> String {
    let mut text = format!("        goto {label}_{};\n", machine.lts.initial);
    for state in 0..machine.lts.states() {
        let ways = machine.lts.from(state);
        if ways.is_empty() {
            continue;
        }
        let _ = writeln!(text, "    {label}_{state}:;");
        for (number, (action, to)) in ways.iter().enumerate() {
            let choice = if number + 1 < ways.len() { "if (nondet()) " } else { "" };
            let _ = match machine.returns.get(action) {
                Some(_) if is_void => writeln!(text, "        {choice}return;"),
                Some(Returns { condition, .. }) => {
                    let condition = condition
                        .as_ref()
                        .map_or("1".to_owned(), |condition| words(condition, "result"));
                    writeln!(
                        text,
                        "        {choice}{{ int result = nondet(); __VERIFIER_assume({condition}); return result; }}"
                    )
                }
                None => {
                    let act = acts.get(action).map_or("", String::as_str);
                    writeln!(text, "        {choice}{{ {act} goto {label}_{to}; }}")
                }
            };
        }
    }
    text
}

/// The component with its routines and a monitor, as one program.
fn program(folder: &Path, specification: &Specification, file: &str) -> String {
    let block = &specification.file.programs[0];
    let (component, abstraction) = (&block.components[0].text, &block.abstractions[0]);
    let machine = &specification.machines[&abstraction.process.text];
    let source = fs::read_to_string(folder.join(file)).unwrap();
    let mut text =
        "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\nvoid reach_error(void);\n".to_owned();
    let _ = writeln!(
        text,
        "#define nondet __VERIFIER_nondet_int\n#include \"{}\"",
        folder.join(file).display()
    );
    let (monitor, acts) = monitor(&machine.lts, &specification.actions);
    text.push_str(&monitor);
    for procedure in &specification.file.procedures {
        let name = &procedure.name.text;
        let is_declaration =
            |line: &&str| line.ends_with(");") && line.contains(&format!(" {name}(")) && !line.starts_with(' ');
        let Some(declared) = source.lines().find(is_declaration) else {
            continue;
        };
        let is_void = declared.starts_with("void");
        let head = match (is_void, declared.contains("(void)")) {
            (true, true) => format!("void {name}(void)"),
            (false, true) => format!("int {name}(void)"),
            (_, false) => format!("int {name}(int first)"),
        };
        let _ = writeln!(text, "{head}\n{{");
        for (number, one) in procedure.abstractions.iter().enumerate() {
            let machine = &specification.machines[&one.process.text];
            let _ = writeln!(text, "    if ({}) {{", words(&one.guards[0], ""));
            text.push_str(&behaviour(machine, &format!("in_{number}"), is_void, &acts));
            text.push_str("    }\n");
        }
        text.push_str(if is_void { "}\n" } else { "    return 0;\n}\n" });
    }
    let _ = writeln!(text, "int main(void)\n{{\n    int returned = {component}(nondet());");
    for (action, returns) in &machine.returns {
        let condition = returns
            .condition
            .as_ref()
            .map_or("1".to_owned(), |condition| words(condition, "returned"));
        let _ = writeln!(text, "    if ({condition}) {{ {} return 0; }}", acts[action]);
    }
    text.push_str(if machine.returns.is_empty() {
        ""
    } else {
        "    reach_error();\n"
    });
    text.push_str("    return returned;\n}\n");
    text
}

/// By which engines of `cubist check`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Horn,
    /// And by Boolean programs.
    Slam,
}

fn agree(names: &[&str], engine: Engine) {
    let folder = root().join("models/conformance").canonicalize().unwrap();
    let out = std::env::temp_dir().join(format!("cubist-monitors-{}-{}", names.join("-"), std::process::id()));
    fs::create_dir_all(&out).unwrap();
    for name in names {
        let side = name.split('-').next().unwrap();
        let (spec, routines) = (format!("{name}.spec"), format!("{side}-routines.spec"));
        let file = if name.ends_with("bug") {
            format!("{side}-bug.c")
        } else {
            format!("{side}.c")
        };
        let specification = read(&folder, &[&spec, "messages.spec", &routines]);
        let path = out.join(format!("{name}.c"));
        fs::write(&path, program(&folder, &specification, &file)).unwrap();
        let program = path.display().to_string();
        let checked = cubist(&["check", &program]);
        let path = |name: &str| folder.join(name).display().to_string();
        let conformed = cubist(&[
            "conform",
            "--spec",
            &path(&spec),
            "--spec",
            &path("messages.spec"),
            "--spec",
            &path(&routines),
            &path(&file),
        ]);
        assert!(
            matches!(checked.status, Some(0 | 10)),
            "{name}: {}{}",
            checked.stdout,
            checked.stderr
        );
        assert_eq!(
            checked.status, conformed.status,
            "{name}: {}\n{}",
            checked.stdout, conformed.stdout
        );
        if engine == Engine::Slam {
            let by_slam = cubist(&["check", &program, "--engine", "slam", "--timeout", "20m"]);
            assert_eq!(
                by_slam.status, conformed.status,
                "{name}: {}\n{}",
                by_slam.stdout, conformed.stdout
            );
        }
    }
    fs::remove_dir_all(&out).unwrap();
}

#[test]
fn monitors_agree() {
    agree(&["server-1", "client-1"], Engine::Horn);
}

#[test]
fn monitors_agree_by_boolean_programs() {
    agree(&["server-1", "server-8", "server-bug", "client-bug"], Engine::Slam);
}

#[test]
#[ignore = "minutes"]
fn all_monitors_agree() {
    for side in ["server", "client"] {
        let names: Vec<String> = (1..9)
            .map(|n| format!("{side}-{n}"))
            .chain([format!("{side}-bug")])
            .collect();
        agree(&names.iter().map(String::as_str).collect::<Vec<_>>(), Engine::Slam);
    }
}
