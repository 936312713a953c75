//! `cubist check` and `cubist validate` from the command line.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solvers;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testing::Outcome;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cubist(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cubist"))
        .args(arguments)
        .current_dir(project())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn a_quantified_predicate_is_found_and_the_proof_confirmed() -> Outcome {
    solvers()?;
    let output = cubist(&[
        "check",
        "models/good-bad.m",
        "--ignore-predicates",
        "--engine",
        "approximate",
    ]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.starts_with("Safe for every number of PROC.\n"), "{text}");
    assert!(text.contains("!(exists p: PROC. status[p] = bad)"), "{text}");
    assert!(text.contains("cvc5 confirms 5 of 5"), "{text}");
    Ok(())
}

/// A fact that no universal quantifier over the caches says: where nobody holds a copy, the memory is right.
fn german_with_data_needs_no_predicates() -> Outcome {
    solvers()?;
    let output = cubist(&["check", "models/german.m", "--ignore-predicates"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("(forall q: PROC. !home.holder[q]) -> home.memory = latest"),
        "{text}"
    );
    Ok(())
}

/// Of the facts about FLASH only those are shown that matter, without variables that they do not need.
fn invariants_are_minimised_and_readable() -> Outcome {
    solvers()?;
    let output = cubist(&["check", "models/flash.m", "--engine", "approximate"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("- lemma 1: "), "{text}");
    assert!(
        text.contains(
            "- one exclusive copy: forall m: NODE, n: NODE. m != n -> !(copy[m] = exclusive & copy[n] = exclusive)\n"
        ),
        "{text}"
    );
    assert!(text.contains(": writing_back -> dirty\n"), "{text}");
    let facts = text.lines().filter(|line| line.starts_with("- ")).count();
    assert!(facts <= 15, "{facts} facts in {text}");
    Ok(())
}

/// Table 5.1 of Das's thesis: 14 cycles.
fn the_predicates_of_aodv_are_found() {
    let output = cubist(&[
        "check",
        "models/aodv.m",
        "--ignore-predicates",
        "--engine",
        "approximate",
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["verdict"], "safe", "{json}");
    assert!(
        json["properties"][0]["discovery_cycles"].as_u64().unwrap() <= 14,
        "{json}"
    );
}

fn the_implicit_engine_finds_predicates_too() {
    let output = cubist(&[
        "check",
        "models/good-bad.m",
        "--ignore-predicates",
        "--engine",
        "implicit",
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["engine"], "implicit");
    assert_eq!(json["properties"][0]["discovery_cycles"], 1);
    assert_eq!(json["properties"][0]["abstract_states"], 1.0);
}

fn without_discovery_other_sizes_are_unknown() {
    let strict = ["--ignore-predicates", "--no-discovery", "--strict"];
    let output = cubist(&[&["check", "models/good-bad.m"], &strict[..]].concat());
    assert_eq!(output.status.code(), Some(20), "{}", text(&output));
    assert!(
        text(&output).contains("no proof after 0 discovery cycles"),
        "{}",
        text(&output)
    );
}

fn a_violation_comes_with_a_run() {
    let output = cubist(&["check", "models/good-bad-bug.m"]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output));
    assert!(text(&output).contains("A shortest counterexample"), "{}", text(&output));
}

fn json_has_the_fields_of_the_schema() {
    let output = cubist(&["check", "models/good-bad.m", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in [
        "cubist",
        "schema",
        "file",
        "engine",
        "verdict",
        "properties",
        "checks",
        "time_s",
        "peak_memory_mb",
    ] {
        assert!(json.get(field).is_some(), "{field} is missing in {json}");
    }
    let property = &json["properties"][0];
    for field in [
        "name",
        "verdict",
        "reason",
        "predicates",
        "discovery_cycles",
        "iterations",
        "abstract_states",
        "trace",
        "instance",
        "certificate",
    ] {
        assert!(property.get(field).is_some(), "{field} is missing in {property}");
    }
    let facts = json["invariant"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact["name"] == property["name"]), "{json}");
    let confirmation = &json["confirmations"][0];
    assert_eq!(confirmation["solver"], "cvc5");
    assert!(confirmation["obligations"].as_u64() >= Some(3), "{confirmation}");
    assert_eq!(confirmation["undecided"], serde_json::json!([]));
}

/// The fields of DESIGN.md, and no others.
fn a_violation_as_json_has_the_same_schema() {
    let output = cubist(&["check", "models/good-bad-bug.m", "--json"]);
    assert_eq!(output.status.code(), Some(10));
    let unsafe_model: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let output = cubist(&[
        "check",
        "models/good-bad.m",
        "--json",
        "--no-discovery",
        "--ignore-predicates",
    ]);
    let unknown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&unsafe_model), keys(&unknown));
    assert_eq!(unsafe_model["verdict"], "unsafe");
    let property = &unsafe_model["properties"][0];
    assert_eq!(keys(property), keys(&unknown["properties"][0]));
    assert_eq!(property["name"], "no error");
    assert_eq!(property["verdict"], "unsafe");
    assert_eq!(property["instance"], serde_json::json!({ "PROC": 3 }));
    let trace = property["trace"].as_array().unwrap();
    assert_eq!(trace.len(), 2, "{trace:?}");
    assert!(
        trace[1]["rule"].as_str().unwrap().starts_with("fail (p = PROC_"),
        "{trace:?}"
    );
    assert_eq!(trace[1]["changes"], serde_json::json!({ "failed": true }));
    assert_eq!(keys(&trace[1]), ["rule", "changes", "place"]);
}

fn an_unknown_verdict_says_what_is_known_and_what_to_try() {
    let output = cubist(&["check", "models/good-bad.m", "--ignore-predicates", "--no-discovery"]);
    let text = text(&output);
    for expected in [
        "the last abstract run into a bad state, 1 rule:\n      0  init\n      1  fail\n           now  failed\n",
        "the predicates so far:\n    - failed\n",
        "What to try\n- leave out `--no-discovery`",
        "`--predicates FILE`",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
}

/// More states than can be explored in the time that `check` takes for it.
const LARGE: &str = "var x: array [1..12] of 0..9;\n\
    startstate begin for i := 1 to 12 do x[i] := 0; end; end;\n\
    ruleset i: 1..12 do rule \"up\" x[i] < 9 ==> begin x[i] := x[i] + 1; end; end;\n\
    invariant \"small\" forall i: 1..12 do x[i] < 10 end;\n";

fn a_time_limit_is_named() {
    let folder = tempfile();
    let path = folder.join("large.m");
    std::fs::write(&path, LARGE).unwrap();
    let output = cubist(&["check", path.to_str().unwrap(), "--timeout", "0.15", "--jobs", "1"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(20), "{text}");
    assert!(text.starts_with("Unknown: the time limit was reached."), "{text}");
    for expected in ["Of the file as it is written,", "a larger `--timeout`"] {
        assert!(text.contains(expected), "`{expected}` is missing in {text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// `script` gives the program a terminal.
fn progress_is_shown_on_a_terminal_only() -> Outcome {
    // It makes a terminal.
    testing::tool("script", "--version")?;
    // It takes much longer.
    let arguments = ["check", "models/german-fifo.m", "--timeout", "1.6", "--jobs", "1"];
    assert_eq!(String::from_utf8_lossy(&cubist(&arguments).stderr), "");
    let command = format!("{} {}", env!("CARGO_BIN_EXE_cubist"), arguments.join(" "));
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(project())
        .env("TERM", "xterm")
        .output();
    let shown = text(&output.unwrap());
    assert!(shown.contains(", 1 s, ") && shown.contains(" checks"), "{shown}");
    assert!(shown.contains("the time limit was reached"), "{shown}");
    Ok(())
}

/// A property that is violated does not matter where another one was asked for.
fn only_the_properties_that_were_asked_for_count() {
    let model = "var x: 0..1; y: 0..1;\nstartstate begin x := 0; y := 0; end;\n\
                 rule x = 0 ==> begin x := 1; end;\ninvariant \"x\" x = 0;\ninvariant \"y\" y = 0;\n";
    let folder = tempfile();
    let path = folder.join("two.m");
    std::fs::write(&path, model).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(cubist(&["check", path]).status.code(), Some(10));
    assert_eq!(cubist(&["check", path, "--property", "x"]).status.code(), Some(10));
    let output = cubist(&["check", path, "--property", "y"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn certificates_are_confirmed_and_damaged_ones_refused() -> Outcome {
    solvers()?;
    let folder = tempfile();
    let path = folder.join("proof.smt2");
    let output = cubist(&[
        "check",
        "models/mutex-server.m",
        "--certificate",
        path.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let output = cubist(&["validate", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).starts_with("Confirmed."), "{}", text(&output));
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(cubist(&["validate", path.to_str().unwrap()]).status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

/// The abstract states of the thesis's server, and a failed proof with its run into the bad state.
fn abstract_states_are_drawn() {
    let folder = tempfile();
    let draw = |model: &str, file: &str, options: &[&str]| {
        let path = folder.join(file);
        let arguments = [&["check", model, "--graph", path.to_str().unwrap()], options].concat();
        let output = cubist(&arguments);
        let drawn = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {}", text(&output)));
        (text(&output), drawn)
    };
    let (said, svg) = draw("models/good-bad.m", "proved.svg", &["--ignore-predicates"]);
    assert!(
        said.contains("The abstract state graph of \"no error\" (1 state) is in"),
        "{said}"
    );
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(
        svg.contains("In no state: failed") && !svg.contains("class=\"state bad"),
        "{svg}"
    );
    let unproved = ["--ignore-predicates", "--no-discovery"];
    let (_, dot) = draw("models/good-bad.m", "failed.dot", &unproved);
    for expected in [
        "s0 [label=\"0\", penwidth=3, style=filled",
        "s1 [label=\"failed\\l\", style=filled, fillcolor=\"#f4a6a0\", tooltip=\"\\\"no error\\\" may fail",
        "s0 -> s1 [label=\"fail\", color=",
    ] {
        assert!(dot.contains(expected), "`{expected}` is missing in {dot}");
    }
    // Nine Booleans have 512 states.
    let names: Vec<String> = (1..=9).map(|n| format!("x{n}")).collect();
    let each = |text: &str| names.iter().map(|name| text.replace('?', name)).collect::<String>();
    let model = format!(
        "var {}, y: boolean;\nstartstate begin {} y := true; end;\n{}{}invariant \"still\" y;\n",
        names.join(", "),
        each("? := false;"),
        each("rule \"set ?\" !? ==> begin ? := true; end;\n"),
        each("predicate ?;\n"),
    );
    let path = folder.join("cube.m");
    std::fs::write(&path, model).unwrap();
    let (_, svg) = draw(path.to_str().unwrap(), "cube.svg", &[]);
    assert!(svg.contains("not all states are shown, only the first 200"), "{svg}");
    assert!(
        svg.contains("Of 200 abstract states, each box stands for all that agree"),
        "{svg}"
    );
    assert!(svg.matches("<rect class=\"state").count() > 3, "{svg}");
    let output = cubist(&["check", "models/good-bad.m", "--graph", "states.png"]);
    assert_eq!(output.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn an_unknown_property_is_an_error() {
    let output = cubist(&["check", "models/good-bad.m", "--property", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A folder of this test process.
fn tempfile() -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("cubist-check-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

testing::tests!(
    a_quantified_predicate_is_found_and_the_proof_confirmed,
    german_with_data_needs_no_predicates,
    invariants_are_minimised_and_readable,
    the_predicates_of_aodv_are_found,
    the_implicit_engine_finds_predicates_too,
    without_discovery_other_sizes_are_unknown,
    a_violation_comes_with_a_run,
    json_has_the_fields_of_the_schema,
    a_violation_as_json_has_the_same_schema,
    an_unknown_verdict_says_what_is_known_and_what_to_try,
    a_time_limit_is_named,
    progress_is_shown_on_a_terminal_only,
    only_the_properties_that_were_asked_for_count,
    certificates_are_confirmed_and_damaged_ones_refused,
    abstract_states_are_drawn,
    an_unknown_property_is_an_error,
);
