//! Boolean programs on the command line: verdicts, exit statuses, runs, reports and mistakes.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, cubist, json};

#[test]
fn a_violation_is_shown_with_its_run() {
    let run = cubist(&["check", "docs/examples/lock.bp", "-q"]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.starts_with("Violation: assert("), "{run:?}");
    let (status, report) = json(&["check", "docs/examples/lock.bp", "--json"]);
    assert_eq!(status, Some(10));
    assert_eq!(report["verdict"], "unsafe");
    assert_eq!(report["exit_status"], 10);
    let properties = report["properties"].as_array().unwrap();
    assert_eq!(properties.len(), 2);
    let violated: Vec<_> = properties
        .iter()
        .filter(|property| property["verdict"] == "unsafe")
        .collect();
    assert_eq!(violated.len(), 1);
    let trace = violated[0]["trace"].as_array().unwrap();
    assert_eq!(trace[0]["procedure"], "main");
    assert!(trace.iter().any(|step| step["depth"] == 1), "calls are in it");
    assert!(trace.last().unwrap()["rule"].as_str().unwrap().starts_with("assert("));
    assert_eq!(trace.last().unwrap()["place"]["line"], violated[0]["place"]["line"]);
}

#[test]
fn what_holds_is_safe() {
    let run = cubist(&["check", "docs/examples/lock-fixed.bp", "-q"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "Safe: none of the 2 assertions can fail.\n")
    );
    let (status, report) = json(&["check", "docs/examples/lock-fixed.bp", "--json"]);
    assert_eq!(status, Some(0));
    assert_eq!(
        (&report["verdict"], &report["engine"]),
        (&"safe".into(), &"bebop".into())
    );
    assert!(
        report["properties"]
            .as_array()
            .unwrap()
            .iter()
            .all(|found| found["verdict"] == "safe")
    );
}

#[test]
fn labels_can_be_errors_and_nothing_to_check_is_unknown() {
    let folder = Folder::new("boolean-labels");
    let file = folder.write(
        "label.bp",
        "decl g;\nvoid main() begin\n  if (g) then ERROR: skip; fi;\nend\n",
    );
    let run = cubist(&["check", &file, "-q"]);
    assert_eq!(run.status, Some(20));
    assert_eq!(
        run.stdout,
        "Unknown: the program has no assertion: there is nothing to check.\n"
    );
    let run = cubist(&["check", &file, "-q", "--error-label", "ERROR"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(10), "Violation: label ERROR of main, line 3\n")
    );
    let run = cubist(&["check", &file, "--error-label", "NOWHERE"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("there is no label `NOWHERE`"), "{run:?}");
}

#[test]
fn mistakes_are_all_reported() {
    let folder = Folder::new("boolean-mistakes");
    let file = folder.write(
        "wrong.bp",
        "void main() begin\n  x := T;\n  start_thread main();\n  goto L;\nend\n",
    );
    for command in ["check", "show"] {
        let run = cubist(&[command, &file]);
        assert_eq!(run.status, Some(2), "{run:?}");
        let messages = [
            "there is no variable `x`",
            "programs with threads are not covered",
            "there is no label `L`",
        ];
        assert!(messages.iter().all(|message| run.stderr.contains(message)), "{run:?}");
        assert!(run.stderr.contains("wrong.bp:3:3"), "{run:?}");
    }
    let (status, report) = json(&["check", &file, "--json"]);
    assert_eq!((status, report["diagnostics"].as_array().unwrap().len()), (Some(2), 3));
    let run = cubist(&["check", "docs/examples/lock.bp", "--size", "N=3"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr.contains("--size means nothing for a Boolean program"),
        "{run:?}"
    );
}

#[test]
fn what_is_shown_can_be_read() {
    let shown = cubist(&["show", "docs/examples/lock.bp", "-q"]);
    assert_eq!(shown.status, Some(0));
    let folder = Folder::new("boolean-shown");
    let file = folder.write("shown.bp", &shown.stdout);
    assert_eq!(cubist(&["show", &file, "-q"]).stdout, shown.stdout);
    let (_, report) = json(&["show", "docs/examples/lock.bp", "--json"]);
    assert_eq!(report["procedures"].as_array().unwrap().len(), 4);
}

#[test]
fn several_files_make_a_table() {
    let run = cubist(&["check", "docs/examples/lock.bp", "docs/examples/lock-fixed.bp"]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("unsafe") && run.stdout.contains("safe"), "{run:?}");
}
