//! `cubist conform`: the models of models/conformance, and specifications that are wrong.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{cubist, root};
use std::fs;
use std::path::PathBuf;

/// The verdict on the first line of a specification, and what it is verified with.
fn expected(path: &PathBuf) -> Option<(i32, Vec<String>)> {
    let text = fs::read_to_string(path).unwrap();
    let first = text.lines().next()?.strip_prefix("// expect: ")?.to_owned();
    let (verdict, with) = first.split_once(" (").unwrap();
    let status = match verdict {
        "conforms" => 0,
        "violated" => 10,
        other => panic!("{}: unknown verdict {other}", path.display()),
    };
    let folder = path.parent().unwrap();
    let mut arguments = vec!["conform".to_owned(), "--spec".to_owned(), path.display().to_string()];
    for file in with.trim_end_matches(')').split(' ') {
        if file.ends_with(".spec") {
            arguments.push("--spec".to_owned());
        }
        arguments.push(folder.join(file).display().to_string());
    }
    Some((status, arguments))
}

fn verify(is_wanted: &dyn Fn(&str) -> bool) -> usize {
    let mut verified = 0;
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("models/conformance"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "spec"))
    {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some((status, arguments)) = expected(path).filter(|_| is_wanted(name)) else {
            continue;
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = cubist(&arguments);
        assert_eq!(run.status, Some(status), "{name}: {}{}", run.stdout, run.stderr);
        verified += 1;
    }
    verified
}

/// Those that take seconds each.
fn is_long(name: &str) -> bool {
    let is_quick = [
        "server-1",
        "server-8",
        "server-bug",
        "client-1",
        "client-6",
        "client-bug",
        "handshake-1",
    ];
    ["server", "client", "handshake"]
        .iter()
        .any(|start| name.starts_with(start))
        && !is_quick.contains(&name)
}

#[test]
fn models_are_as_their_first_line_says() {
    assert!(verify(&|name| !is_long(name)) >= 18);
}

#[test]
#[ignore = "a minute and more"]
fn long_models_are_as_their_first_line_says() {
    assert!(verify(&is_long) >= 20);
}

const PROGRAM: &str = "void step(void); int ask(int n); int main_loop(int n) { step(); return ask(n); }\n";
const GOOD: &str = "
STEP = ( step -> return {} -> STOP ).
ASK = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).
SPEC = ( step -> return {$0 == 0} -> STOP | step -> return {$0 == 1} -> STOP ).
cproc step { abstract { step, (1), STEP }; }
cproc ask { abstract { zero, ($1 == 0), ASK }; abstract { other, ($1 != 0), ASK }; }
cproc main_loop { abstract { all, (1), SPEC }; }
";

/// What is said about a change of a good specification, or of the program.
fn complaint(name: &str, program: &str, specification: &str) -> (i32, String) {
    let folder = std::env::temp_dir().join(format!("cubist-conform-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (spec, file) = (folder.join("a.spec"), folder.join("a.c"));
    fs::write(&spec, specification).unwrap();
    fs::write(&file, program).unwrap();
    let run = cubist(&[
        "conform",
        "--spec",
        &spec.display().to_string(),
        &file.display().to_string(),
    ]);
    fs::remove_dir_all(&folder).unwrap();
    (run.status.unwrap(), run.stderr + &run.stdout)
}

#[test]
fn bad_specifications_are_errors_with_places() {
    assert_eq!(
        complaint("good", PROGRAM, GOOD).0,
        0,
        "{}",
        complaint("good", PROGRAM, GOOD).1
    );
    let changes = [
        ("overlap", "($1 != 0)", "($1 >= 0)", "can hold at once", 6),
        ("gap", "($1 != 0)", "($1 > 0)", "leave cases out", 6),
        (
            "action",
            "SPEC = ( step ->",
            "SPEC = ( stop ->",
            "no component and no routine does `stop`",
            4,
        ),
        (
            "procedure",
            "cproc ask",
            "cproc asks",
            "there is no procedure `asks`",
            6,
        ),
        ("process", "ASK };", "ASKS };", "there is no process `ASKS`", 6),
        ("parameter", "$1 != 0", "$2 != 0", "there is no parameter 2", 6),
        ("variable", "$1 != 0", "m != 0", "there is no variable `m`", 6),
        ("returned", "(1), SPEC", "($0 == 1), SPEC", "which is not known yet", 7),
        (
            "void",
            "step -> return {}",
            "step -> return {$0 == 1}",
            "nothing is returned here",
            2,
        ),
        (
            "stop",
            "STEP = ( step -> return {} -> STOP )",
            "STEP = ( step -> STOP )",
            "only a return leads to `STOP`",
            2,
        ),
        ("syntax", "ASK = ( return", "ASK = ( -> return", "expected an action", 3),
        (
            "returns",
            "return {$0 == 1} -> STOP ).\ncproc",
            "return {$0 >= 0} -> STOP ).\ncproc",
            "can hold at once",
            4,
        ),
    ];
    for (name, what, by, message, line) in changes {
        assert!(GOOD.contains(what), "{name}");
        let (status, text) = complaint(name, PROGRAM, &GOOD.replacen(what, by, 1));
        assert_eq!(status, 2, "{name}: {text}");
        assert!(
            text.contains(message) && text.contains(&format!("a.spec:{line}:")) && text.contains('^'),
            "{name}: {text}"
        );
    }
    let recursive = PROGRAM.replace("return ask(n);", "return n ? main_loop(n - 1) : ask(n);");
    let (status, text) = complaint("recursion", &recursive, GOOD);
    assert!(
        status == 2 && text.contains("recursion") && text.contains("a.spec:7:"),
        "{text}"
    );
    let without = GOOD.replace("cproc step { abstract { step, (1), STEP }; }\n", "");
    let (status, text) = complaint("bodiless", PROGRAM, &without);
    assert!(
        status == 2 && text.contains("neither a body nor an abstraction"),
        "{text}"
    );
}

#[test]
fn shared_variables_are_refused() {
    let program =
        "int shared; void step(void); void a(void) { shared++; step(); } void b(void) { if (shared) step(); }\n";
    let specification = "STEP = ( step -> return {} -> STOP ).\nS = ( step -> S ).\n\
        cproc step { abstract { step, (1), STEP }; }\nprogram a || b { abstract { all, (1), (1), S }; }\n";
    let (status, text) = complaint("shared", program, specification);
    assert!(
        status == 2 && text.contains("share `shared`") && text.contains("a.spec:4:"),
        "{text}"
    );
}

#[test]
fn violations_are_told_to_programs_and_drawn() {
    let folder = root().join("models/conformance");
    let chart = std::env::temp_dir().join(format!("cubist-conform-{}.svg", std::process::id()));
    let path = |name: &str| folder.join(name).display().to_string();
    let (spec, file, drawn) = (path("ring-bug.spec"), path("ring-bug.c"), chart.display().to_string());
    let run = cubist(&["conform", "--spec", &spec, &file, "--json", "--chart", &drawn]);
    assert_eq!(run.status, Some(10), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let property = &report["properties"][0];
    assert_eq!(property["verdict"], "unsafe");
    let trace: Vec<&str> = property["trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["action"].as_str().unwrap())
        .collect();
    assert_eq!(trace, ["enter_0", "enter_1"]);
    let svg = fs::read_to_string(&chart).unwrap();
    fs::remove_file(&chart).unwrap();
    assert!(svg.contains("enter_1") && svg.contains("node_2"));
}

#[test]
fn limits_are_ordinary_answers() {
    let folder = root().join("models/conformance");
    let path = |name: &str| folder.join(name).display().to_string();
    let run = cubist(&[
        "conform",
        "--spec",
        &path("handshake-9.spec"),
        "--spec",
        &path("messages.spec"),
        "--spec",
        &path("server-routines.spec"),
        "--spec",
        &path("client-routines.spec"),
        &path("server.c"),
        &path("client.c"),
        "--timeout",
        "300ms",
    ]);
    assert_eq!(run.status, Some(20), "{}{}", run.stdout, run.stderr);
}

/// What is said of a program and a specification, of which one is verified with the other.
fn status(name: &str, program: &str, specification: &str) -> i32 {
    let (status, text) = complaint(name, program, specification);
    assert_ne!(status, 2, "{name}: {text}");
    status
}

#[test]
fn what_is_right_is_not_refused() {
    // Routines that return pointers.
    let program = "char *name(void); int *cell(int n); void step(void); void f(void) { if (name()) step(); }\n";
    let specification = "NAME = ( return {$0 == 0} -> STOP | return {$0 != 0} -> STOP ).\nSTEP = ( step -> return {} -> STOP ).\n\
        S = ( step -> return {} -> STOP | return {} -> STOP ).\ncproc name { abstract { name, (1), NAME }; }\n\
        cproc cell { abstract { cell, (1), NAME }; }\ncproc step { abstract { step, (1), STEP }; }\n\
        program f { abstract { all, (1), S }; }\n";
    assert_eq!(status("pointers", program, specification), 0);
    // Guards that name parameters of routines without bodies, by the names of their declarations.
    let named = GOOD
        .replace("($1 == 0)", "(n == 0)")
        .replace("($1 != 0)", "(!(n == 0))");
    assert_eq!(status("parameters", PROGRAM, &named), 0);
    // Guards that name variables of the file which the component does not use: they hold what they hold at the start.
    let program = format!("int mode = 3; static int other;\n{PROGRAM}");
    let guarded = GOOD.replace("{ all, (1), SPEC }", "{ all, (mode == 3 && other == 0), SPEC }");
    assert_eq!(status("variables", &program, &guarded), 0);
    // What is never done may be forbidden.
    let forbidden = GOOD.replace(
        "return {$0 == 1} -> STOP ).\ncproc step",
        "return {$0 == 1} -> STOP ) + {never}.\ncproc step",
    );
    assert_ne!(forbidden, GOOD);
    assert_eq!(status("forbidden", PROGRAM, &forbidden), 0);
    // A variable that only a guard speaks of is not shared.
    let program = "int mode; void step(void); void a(void) { step(); } void b(void) { step(); }\n";
    let specification = "STEP = ( step -> return {} -> STOP ).\nS = ( step -> S ).\ncproc step { abstract { step, (1), STEP }; }\n\
        program a || b { abstract { all, (mode == 0), (mode == 0), S }; abstract { not, (mode != 0), (1), S };\n\
        abstract { neither, (mode == 0), (mode != 0), S }; }\n";
    assert_eq!(status("only-a-guard", program, specification), 0);
}

#[test]
fn loops_without_actions_are_no_trouble() {
    let program = "void step(void); void f(int n) { step(); if (n == 7) step(); while (n != 7) ; }\n";
    let specification = "STEP = ( step -> return {} -> STOP ).\nS = ( step -> T ), T = ( step -> return {} -> STOP ).\n\
        cproc step { abstract { step, (1), STEP }; }\nprogram f { abstract { all, (1), S }; }\n";
    let begun = std::time::Instant::now();
    assert_eq!(status("silent", program, specification), 0);
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
}

#[test]
fn systems_of_other_tools_are_specifications() {
    let folder = std::env::temp_dir().join(format!("cubist-conform-aut-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let rest = GOOD
        .replace(GOOD.lines().find(|line| line.starts_with("SPEC")).unwrap(), "")
        .replace("SPEC", "allowed");
    fs::write(path("rest.spec"), rest).unwrap();
    fs::write(path("a.c"), PROGRAM).unwrap();
    let good = "des (0, 3, 4)\n(0, \"step\", 1)\n(1, \"return {$0 == 0}\", 2)\n(1, \"return {$0 == 1}\", 3)\n";
    let worse = good.replace("(1, \"return {$0 == 1}\", 3)\n", "");
    let wrong = good.replace("return {$0 == 1}", "return {$2 == 1}");
    let unreadable = good.replace("\"step\"", "\"step?\"");
    for (text, expected, said) in [
        (good.to_owned(), 0, "Conforms"),
        (worse, 10, "Violated"),
        (wrong, 2, "allowed.aut:1:"),
        (unreadable, 2, "`step?` is no action"),
    ] {
        fs::write(path("allowed.aut"), &text).unwrap();
        let run = cubist(&[
            "conform",
            "--spec",
            &path("rest.spec"),
            "--spec",
            &path("allowed.aut"),
            &path("a.c"),
        ]);
        assert_eq!(run.status, Some(expected), "{text}{}{}", run.stdout, run.stderr);
        assert!((run.stdout + &run.stderr).contains(said), "{text}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn systems_are_written_for_other_tools() {
    let folder = std::env::temp_dir().join(format!("cubist-conform-out-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    fs::write(path("good.spec"), GOOD).unwrap();
    fs::write(path("a.c"), PROGRAM).unwrap();
    let run = cubist(&[
        "conform",
        "--spec",
        &path("good.spec"),
        &path("a.c"),
        "--aut",
        &path("out"),
    ]);
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    let written = fs::read_to_string(path("out/all-main_loop.aut")).unwrap();
    assert!(written.contains("\"step\""), "{written}");
    // What was written is a specification with the same traces, and so is what stands for the component.
    let rest = GOOD
        .replace(GOOD.lines().find(|line| line.starts_with("SPEC")).unwrap(), "")
        .replace("SPEC", "again");
    fs::write(path("rest.spec"), rest).unwrap();
    for name in ["out/all-SPEC.aut", "out/all-main_loop.aut"] {
        fs::copy(path(name), path("again.aut")).unwrap();
        let (rest, again) = (path("rest.spec"), path("again.aut"));
        let run = cubist(&["conform", "--spec", &rest, "--spec", &again, &path("a.c")]);
        assert_eq!(run.status, Some(0), "{name}: {}{}", run.stdout, run.stderr);
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn traces_without_a_run_are_shown() {
    let program = "void a(void); void b(void);\nvoid f(int *p) { if (p && p[99] == 5) b(); a(); }\n";
    let specification = "A = ( a -> return {} -> STOP ).\nB = ( b -> return {} -> STOP ).\n\
                         cproc a { abstract { a, (1), A }; }\ncproc b { abstract { b, (1), B }; }\n\
                         S = ( a -> return {} -> STOP ) + {b}.\nprogram f { abstract { all, (1), S }; }\n";
    let (status, said) = complaint("no-run", program, specification);
    assert_eq!(status, 20, "{said}");
    assert!(said.contains("no run of `f` could be made"), "{said}");
    assert!(said.contains("A trace that they may have, 1 action"), "{said}");
    assert!(said.contains("S does not allow `b` there."), "{said}");
}

#[test]
fn reports_are_pages() {
    let folder = root().join("models/conformance");
    let page = std::env::temp_dir().join(format!("cubist-conform-{}.html", std::process::id()));
    let path = |name: &str| folder.join(name).display().to_string();
    let written = page.display().to_string();
    for (spec, file, status) in [("ring-bug.spec", "ring-bug.c", 10), ("ring-2.spec", "ring.c", 0)] {
        let run = cubist(&["conform", "--spec", &path(spec), &path(file), "--report", &written]);
        assert_eq!(run.status, Some(status), "{}", run.stderr);
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"));
        assert!(text.contains(spec) && text.contains(&format!("{file}</h2>")));
        assert_eq!(text.contains("<svg"), status == 10);
        assert_eq!(text.contains("class=\"bad\""), status == 10);
    }
    fs::remove_file(&page).unwrap();
}
