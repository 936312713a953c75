//! C programs that access memory behind the ends of their objects: undefined, unless a logical memory model is asked
//! for. They need a C compiler for its preprocessor.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, corpus, cubist, json};
use testing::{Outcome, tool};

const PRELUDE: &str = "#include <stdlib.h>
#include <string.h>
extern int nondet(void); extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)
struct record { int state; int code; struct record *next; };
int small, a[4], b[4];\n";

const LOGICAL: [&str; 2] = ["--memory-model", "logical"];

/// A name, a program that no run violates, a change that makes it unsafe, and behind what there has to be memory.
const PAIRS: [(&str, &str, (&str, &str), &str); 8] = [
    (
        "a record in a variable that is too small, and a number that only a solver finds",
        "int main(void) { int irp; struct record *r = (struct record *)&irp; int x = nondet(), held = 0; r->code = 5;
           if (5 * x == 350035) held = 1; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        "`irp` (main)",
    ),
    (
        "what nobody wrote there is anything, and stays what it is",
        "int main(void) { struct record *r = (struct record *)&small; int before = r->code, held = 0;
           if (before == 770077) held = 1; check(held <= 1 && r->code == before); }",
        ("held <= 1", "held < 1"),
        "`small`",
    ),
    (
        "too little is allocated",
        "int main(void) { struct record *r = malloc(sizeof(int)); r->next = r; r->next->code = nondet();
           check(r->next == r && r->code == r->next->code); }",
        ("r->next == r", "r->code != 12"),
        "what is allocated",
    ),
    (
        "behind an array, without an input: its runs end there by default, and it is safe",
        "int main(void) { a[5] = 3; a[3] = 4; check(b[1] == 0 && a[5] == 3); }",
        ("b[1] == 0", "b[1] != 0"),
        "`a`",
    ),
    (
        "behind two arrays, and neither is in the way of the other",
        "int main(void) { int *p = a + 4, *q = b + 4, i; for (i = 0; i < 20; i++) { p[i] = 1; q[i] = 2; }
           check(p[0] == 1 && p[19] == 1 && q[0] == 2 && q[19] == 2 && a[0] == 0 && b[3] == 0); }",
        ("q[19] == 2", "q[19] == 1"),
        "`b`",
    ),
    (
        "many bytes at once",
        "int main(void) { struct record r = { 1, 2, &r }, *s = (struct record *)&small; memset(s, 7, sizeof *s);
           check(s->code == 0x07070707); memcpy(s, &r, sizeof r); check(s->next == &r && s->code == 2); }",
        ("s->code == 2", "s->code != 2"),
        "`small`",
    ),
    (
        "by an address that was a number",
        "int main(void) { unsigned long n = (unsigned long)&small + 8, m = (unsigned long)&a[0]; *(int *)n = 7;
           check(((int *)&small)[2] == 7 && (n > m + 16 || n < m)); }",
        ("[2] == 7", "[2] != 7"),
        "`small`",
    ),
    (
        "a function without a body fills it",
        "extern void fill(struct record *r);
         int main(void) { struct record *r = (struct record *)&small; r->code = 1; fill(r);
           check(r->code == r->code); }",
        ("r->code == r->code", "r->code == 1"),
        "`small`",
    ),
];

/// What no run does in a logical memory model, either.
const NEVER: [(&str, &str); 7] = [
    (
        "before the object",
        "int main(void) { int *p = a - 1; *p = 1; reach_error(); }",
    ),
    ("far behind it", "int main(void) { a[5000] = 1; reach_error(); }"),
    (
        "across the end of what is there",
        "int main(void) { *(int *)((char *)a + sizeof a + 4093) = 1; reach_error(); }",
    ),
    (
        "an object that is gone",
        "int main(void) { int *p = malloc(4); p[1] = 1; free(p); p[1] = 2; reach_error(); }",
    ),
    (
        "behind null",
        "int main(void) { struct record *r = 0; r->code = 1; reach_error(); }",
    ),
    (
        "behind a literal",
        "int main(void) { char *s = \"ab\"; s[7] = 1; reach_error(); }",
    ),
    (
        "what is allocated anew has nothing of the old one",
        "int main(void) { int *p = malloc(4), *q; p[1] = 5; q = malloc(4); q[1] = 6; check(p[1] == 5); }",
    ),
];

/// Only where it is asked for, and the answer says what it rests on.
fn memory_behind_objects_is_there_where_it_is_asked_for() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("memory-model");
    let mut wrong = Vec::new();
    for (number, (name, program, (from, to), object)) in PAIRS.iter().enumerate() {
        assert!(program.contains(from), "{name}");
        let spoilt = program.replace(from, to);
        for (kind, text, expected) in [("sound", *program, "unknown"), ("spoilt", spoilt.as_str(), "unsafe")] {
            let path = folder.write(&format!("{number}-{kind}.c"), format!("{PRELUDE}{text}\n"));
            let checked = ["check", &path, "--json", "--timeout", "60s"];
            let (_, default) = json(&checked);
            let (_, report) = json(&[&checked[..], &LOGICAL].concat());
            let told = format!("there is memory behind the end of {object}");
            let assumed = |report: &serde_json::Value| report["assumed"].to_string().contains(&told);
            let is_right = report["verdict"] == expected && assumed(&report) == (expected == "unsafe");
            let is_default = default["verdict"] != "unsafe" && !default["assumed"].to_string().contains("behind");
            let is_mistaken = [&default, &report]
                .iter()
                .any(|report| report["reason"].to_string().contains("mistake"));
            if !is_right || !is_default || is_mistaken || report["memory_model"] != "logical" {
                wrong.push(format!("{name}, {kind}: {report}\nby default: {}", default["verdict"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Neither by `check` nor by `explore`.
fn there_is_no_other_memory() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("no-other");
    let mut wrong = Vec::new();
    for (number, (name, program)) in NEVER.iter().enumerate() {
        let path = folder.write(&format!("{number}.c"), format!("{PRELUDE}{program}\n"));
        let (_, report) = json(&[&["check", &path, "--json", "--timeout", "30s"][..], &LOGICAL].concat());
        let explore = ["explore", &path, "--json", "--simulate", "1000"];
        let (_, explored) = json(&[&explore[..], &LOGICAL].concat());
        let is_found = !explored["violation"].is_null() || report["verdict"] != "unknown";
        if is_found || report["reason"].to_string().contains("mistake") {
            wrong.push(format!("{name}: {report}, {}", explored["violation"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// In every kind of report, and where a proof would be taken for one of this model.
fn what_rests_on_memory_behind_objects_says_so() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("model-told");
    let (_, program, (from, to), _) = &PAIRS[0];
    let spoilt = folder.write("spoilt.c", format!("{PRELUDE}{}\n", program.replace(from, to)));
    let (sarif, page) = (folder.path("a.sarif"), folder.path("a.html"));
    let told = "there is memory behind the end of `irp` (main)";
    let run = cubist(&[&["check", &spoilt, "--sarif", &sarif, "--report", &page][..], &LOGICAL].concat());
    assert_eq!(run.status, Some(10), "{run:?}");
    let gcc = "not confirmed by gcc: the run uses memory behind the end of an object";
    for expected in [told, gcc, "behind each object lies memory of its own"] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    for file in [sarif, page] {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(told), "{file}");
    }
    // A violation that the machine does not have: by default, its runs end before, and that is proved.
    let (_, program, (from, to), _) = &PAIRS[3];
    let behind = folder.write("behind.c", format!("{PRELUDE}{}\n", program.replace(from, to)));
    assert_eq!(cubist(&["check", &behind]).status, Some(0));
    assert_eq!(cubist(&[&["check", &behind][..], &LOGICAL].concat()).status, Some(10));
    // By default, the reason names the option.
    let (_, report) = json(&["check", &spoilt, "--json"]);
    assert!(
        report["reason"].to_string().contains("--memory-model logical"),
        "{report}"
    );

    let safe = folder.write(
        "safe.c",
        format!("{PRELUDE}int main(void) {{ int x = nondet(); check(x == x); }}\n"),
    );
    let certificate = folder.path("safe.smt2");
    let run = cubist(&["check", &safe, "--certificate", &certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for engine in [&[][..], &["--engine", "slam"]] {
        let (status, report) = json(&[&["check", &safe, "--json"][..], &LOGICAL, engine].concat());
        assert_eq!((status, &report["verdict"]), (Some(20), &"unknown".into()), "{report}");
        assert!(report["reason"].to_string().contains("nothing is proved"), "{report}");
    }
    let text = std::fs::read_to_string(&certificate).unwrap();
    let data_model = text.lines().find(|line| line.contains("--data-model")).unwrap();
    let logical = data_model.replace("--data-model lp64", "--memory-model logical");
    // Whoever forges a certificate also makes its digest right.
    let forged = validate::sealed(&text.replace(data_model, &format!("{data_model}\n{logical}")));
    std::fs::write(&certificate, forged).unwrap();
    let run = cubist(&["validate", &certificate, "--model", &safe]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr
            .contains("--memory-model logical, with which nothing is proved"),
        "{run:?}"
    );
    Ok(())
}

/// A run that reads what lies there has inputs, so it is not the only one.
fn exploring_is_never_complete_with_memory_behind_objects() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("model-explored");
    let string = "int main(void) { char s[2] = { 'a', 'b' }; check(strlen(s) >= 2); return 0; }";
    let path = folder.write("string.c", format!("{PRELUDE}{string}\n"));
    let explore = ["explore", &path, "--undefined", "wrap"];
    let run = cubist(&[&explore[..], &LOGICAL].concat());
    assert_eq!(run.status, Some(20), "{run:?}");
    let plain = folder.write(
        "plain.c",
        format!("{PRELUDE}int main(void) {{ check(a[1] == 0); return 0; }}\n"),
    );
    let run = cubist(&[&["explore", &plain][..], &LOGICAL].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    // By default, it is a finding.
    let beyond = folder.write(
        "beyond.c",
        format!("{PRELUDE}int main(void) {{ a[4] = 1; return 0; }}\n"),
    );
    assert_eq!(cubist(&["explore", &beyond]).status, Some(10));
    assert_ne!(cubist(&[&["explore", &beyond][..], &LOGICAL].concat()).status, Some(10));
    Ok(())
}

fn where_it_means_nothing_it_is_refused() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("model-refused");
    let model = folder.write("a.m", "var x : boolean; startstate begin x := true end; invariant x");
    for command in ["check", "explore"] {
        let run = cubist(&[&[command, &model][..], &LOGICAL].concat());
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("--memory-model is about programs"), "{run:?}");
    }
    let program = folder.write(
        "a.c",
        format!("{PRELUDE}int main(void) {{ check(a[1] == 0); return 0; }}\n"),
    );
    for (option, file) in [("--witness", "a.yml"), ("--certificate", "a.smt2")] {
        let run = cubist(&[&["check", &program, option, &folder.path(file)][..], &LOGICAL].concat());
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(
            run.stderr.contains("does not go with --memory-model logical"),
            "{run:?}"
        );
    }
    let property = folder.write("a.prp", "CHECK( init(main()), LTL(G valid-deref) )\n");
    let explore = ["explore", &program, "--property", &property];
    assert_eq!(cubist(&explore).status, Some(0));
    let run = cubist(&[&explore[..], &LOGICAL].concat());
    assert_eq!(run.status, Some(2), "{run:?}");
    Ok(())
}

/// A driver that fills a record in a variable of four bytes.
fn a_driver_of_the_competition() -> Outcome {
    tool("cc", "--version")?;
    let driver = corpus("c/ntdrivers/kbfiltr_false-unreach-call.i.cil.c")?;
    let options = ["check", &driver, "--data-model", "ilp32", "--json"];
    let (_, report) = json(&[&options[..], &LOGICAL].concat());
    assert_eq!(report["verdict"], "unsafe", "{}", report["reason"]);
    assert!(
        report["assumed"]
            .to_string()
            .contains("there is memory behind the end of `irp`")
    );
    Ok(())
}

testing::tests!(
    memory_behind_objects_is_there_where_it_is_asked_for,
    there_is_no_other_memory,
    what_rests_on_memory_behind_objects_says_so,
    exploring_is_never_complete_with_memory_behind_objects,
    where_it_means_nothing_it_is_refused,
    a_driver_of_the_competition,
);
