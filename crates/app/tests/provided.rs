//! What qualifies a proof about a C program is in its first line, in every output. The verdict of each twin is that of
//! C: the one that is proved never leaves its objects, the other one may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use testing::{Outcome, tool};

/// A program with `body` in `main`, behind declarations of its own.
fn program(before: &str, body: &str) -> String {
    format!(
        "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n{before}\n\
         int main(void) {{\n  int n = __VERIFIER_nondet_int();\n{body}\n  return 0;\n}}\n"
    )
}

/// The words of the JSON report: what is taken not to happen, and where.
fn provided(file: &str) -> Vec<(String, u64)> {
    let (status, report) = json(&["check", file, "--json", "--timeout", "60s"]);
    assert_eq!((status, &report["verdict"]), (Some(0), &"safe".into()), "{report}");
    let provided = report["provided"].as_array().unwrap().iter();
    let kind = |one: &serde_json::Value| one["kind"].as_str().unwrap().to_owned();
    provided.map(|one| (kind(one), one["line"].as_u64().unwrap())).collect()
}

/// Of each pair, the first is safe without a word, and the second one only where a line (8 is the first of the body)
/// has no undefined behaviour of a kind.
const TWINS: [(&str, &str, &str, &str, &str, u64); 16] = [
    (
        "a loop over an array",
        "int a[10];",
        "for (int i = 0; i < n && i < 10; i++) { a[i] = i; }\nassert(a[0] == 0);",
        "for (int i = 0; i < n; i++) { a[i] = i; }\nassert(n == n);",
        "bounds",
        8,
    ),
    (
        "a sentinel",
        "int a[1024];",
        "int i;\nfor (i = 0; i < 1024 && a[i] != 0; i++) {}\nassert(i <= 1024);",
        "int i;\nfor (i = 0; a[i] != 0; i++) {}\nassert(i <= 1024);",
        "bounds",
        9,
    ),
    (
        "a pointer that walks",
        "int a[10];",
        "int *p = a;\nwhile (p < a + 10) { *p = 1; p++; }\nassert(n == n);",
        "int *p = a;\nwhile (n-- > 0) { *p = 1; p++; }\nassert(p >= a);",
        "bounds",
        9,
    ),
    (
        "an index by a remainder",
        "int a[8];",
        "unsigned u = n;\na[u % 8] = 1;\nassert(a[0] <= 1);",
        "unsigned u = n;\na[u % 9] = 1;\nassert(a[0] <= 1);",
        "bounds",
        9,
    ),
    (
        "behind the end of allocated memory",
        "",
        "int *p = malloc(4 * sizeof(int));\nif (!p) return 0;\np[n & 3] = 1;\nassert(p != 0);",
        "int *p = malloc(4 * sizeof(int));\nif (!p) return 0;\np[n & 4] = 1;\nassert(p != 0);",
        "bounds",
        10,
    ),
    (
        "an array of a record",
        "struct s { int a[4]; int b; } s;",
        "if (n >= 0 && n < 4) s.a[n] = 1;\nassert(s.b == 0);",
        "if (n >= 0 && n < 6) s.a[n] = 0;\nassert(n == n);",
        "bounds",
        8,
    ),
    (
        "null",
        "int x;",
        "int *p = n ? &x : 0;\nif (p) *p = 1;\nassert(x <= 1);",
        "int *p = n ? &x : 0;\n*p = 1;\nassert(x <= 1);",
        "null",
        9,
    ),
    (
        "division",
        "",
        "int x = n != 0 ? 7 / n : 0;\nassert(x <= 7);",
        "int x = 7 / n;\nassert(n != 0);",
        "division",
        8,
    ),
    (
        "after free",
        "",
        "int *p = malloc(sizeof(int));\nif (!p) return 0;\n*p = 1;\nfree(p);\nassert(n == n);",
        "int *p = malloc(sizeof(int));\nif (!p) return 0;\nfree(p);\n*p = 1;\nassert(n == n);",
        "gone",
        11,
    ),
    (
        "freed twice",
        "",
        "int *p = malloc(sizeof(int));\nif (n) free(p); else\nfree(p);\nassert(n == n);",
        "int *p = malloc(sizeof(int));\nif (n) free(p);\nfree(p);\nassert(n == n);",
        "free",
        10,
    ),
    (
        "a variable of a block",
        "",
        "int *p, x = 0;\n{ int y = 1; p = &y; x = *p; }\np = &x;\nassert(*p == 1);",
        "int *p, x = 0;\n{ int y = 1; p = &y; }\nx = *p;\nassert(x == x);",
        "gone",
        10,
    ),
    (
        "a variable of a call",
        "int *f(void) { static int x; return &x; }\nint *g(void) { int x; int *p = &x; return p; }",
        "int *p = f();\n*p = 1;\nassert(n == n);",
        "int *p = g();\n*p = 1;\nassert(n == n);",
        "gone",
        9,
    ),
    (
        "bytes that are copied",
        "char a[8], b[16];",
        "if (n >= 0 && n <= 8) memcpy(a, b, n);\nassert(n == n);",
        "if (n >= 0 && n <= 9) memcpy(a, b, n);\nassert(n == n);",
        "bounds",
        8,
    ),
    (
        "a literal",
        "",
        "char s[] = \"abc\";\nchar *p = s;\np[0] = 'x';\nassert(s[1] == 'b');",
        "char *s = \"abc\";\nchar *p = s;\np[0] = 'x';\nassert(s[1] == 'b');",
        "constant",
        10,
    ),
    (
        "before the beginning",
        "int a[4], b;",
        "int *p = a + 1;\np[-1] = 1;\nassert(b == 0);",
        "int *p = a;\np[-1] = 1;\nassert(b == 0);",
        "bounds",
        9,
    ),
    (
        "the order of pointers",
        "int a[4], b[4];",
        "int *p = a + 1, *q = a + 2;\nassert(p < q);",
        "int *p = a, *q = b;\nif (p < q) n = 1; else n = 2;\nassert(n > 0);",
        "order",
        9,
    ),
];

fn twins_differ_in_what_is_provided() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided");
    for (name, before, proved, open, kind, line) in TWINS {
        let lines = u64::try_from(before.lines().count().max(1)).unwrap();
        let file = folder.write("proved.c", program(before, proved));
        assert_eq!(provided(&file), [], "{name}");
        let run = cubist(&["check", &file, "--strict", "-q", "--timeout", "60s"]);
        assert_eq!(
            (run.status, run.stdout.lines().next()),
            (Some(0), Some("Safe.")),
            "{name}: {run:?}"
        );
        let file = folder.write("open.c", program(before, open));
        let (file, expected) = (file, (kind.to_owned(), line + lines - 1));
        assert!(
            provided(&file).contains(&expected),
            "{name}: {:?} instead of {expected:?}",
            provided(&file)
        );
        let run = cubist(&["check", &file, "--strict", "-q", "--timeout", "60s"]);
        assert_eq!(run.status, Some(20), "{name}: {run:?}");
        let first = run.stdout.lines().next().unwrap();
        let is_named = first.starts_with("Safe, provided that ") && first.contains(&format!("line {}", expected.1));
        assert!(is_named, "{name}: {run:?}");
    }
    Ok(())
}

const SENTINEL: &str = "#include <assert.h>\nint a[1024];\nint main(void) {\n  int i;\n  \
                        for (i = 0; a[i] != 0; i++) {}\n  assert(i <= 1024);\n  return 0;\n}\n";
const BOUNDED: &str = "#include <assert.h>\nint a[10];\nint main(void) {\n  int i;\n  \
                       for (i = 0; i < 10; i++) { a[i] = i; }\n  assert(i == 10);\n  return 0;\n}\n";
const PROVISO: &str = "provided that no access is outside of its object (line 5: not proved)";

fn every_output_says_it() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("first-line");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let (open, proved) = (folder.write("open.c", SENTINEL), folder.write("proved.c", BOUNDED));
    let files = ["r.html", "w.yml", "r.sarif", "r.xml"].map(path);
    let [page, witness, sarif, junit] = files.each_ref().map(String::as_str);
    let outputs = [
        "--report",
        page,
        "--witness",
        witness,
        "--sarif",
        sarif,
        "--junit",
        junit,
    ];
    let run = cubist(&[&["check", &open], &outputs[..]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains(&format!("\nSafe, {PROVISO}.\n")), "{run:?}");
    for (name, text) in [
        ("r.html", read("r.html")),
        ("r.xml", read("r.xml")),
        ("w.yml", read("w.yml")),
    ] {
        assert!(text.contains(PROVISO), "{name}: {text}");
    }
    let log: serde_json::Value = serde_json::from_str(&read("r.sarif")).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "proviso");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 5);
    let run = cubist(&["validate", witness, "--model", &open]);
    assert!(run.status == Some(0) && run.stdout.contains(PROVISO), "{run:?}");
    // Several files, in a table and line by line.
    let run = cubist(&["check", &open, &proved, "--strict"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stdout.contains("partly safe") && run.stdout.contains("provided that no access"),
        "{run:?}"
    );
    let run = cubist(&["check", &open, &proved, "-q"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines,
        [format!("{open}: Safe, {PROVISO}."), format!("{proved}: Safe.")],
        "{run:?}"
    );
    let run = cubist(&[&["check", &proved], &outputs[..]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    for name in ["r.html", "w.yml", "r.sarif", "r.xml"] {
        assert!(!read(name).contains("no access is outside"), "{name}: {}", read(name));
    }
    Ok(())
}

fn certificates_say_what_is_excluded() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided-certificates");
    let path = folder.0.join("c.smt2").to_str().unwrap().to_owned();
    let open = folder.write("open.c", SENTINEL);
    let proved = folder.write("proved.c", BOUNDED);
    let mixed = SENTINEL.replace("assert(i <= 1024)", "if (i > 0 && i < 900) a[i] = 1; assert(i <= 1024)");
    let mixed = folder.write("mixed.c", mixed);
    let mut certificates = Vec::new();
    for (file, is_open) in [(&open, true), (&mixed, true), (&proved, false)] {
        let run = cubist(&["check", file, "-q", "--certificate", &path]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let run = cubist(&["validate", &path, "--model", file]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(run.stdout.contains(PROVISO), is_open, "{run:?}");
        let (_, report) = json(&["validate", &path, "--model", file, "--json"]);
        assert_eq!(report["model"]["qualified"].is_string(), is_open, "{report}");
        certificates.push(std::fs::read_to_string(&path).unwrap());
    }
    // Whoever says that more is excluded is refused, and so is one whose obligations are those of less.
    let [_, mixed_text, proved_text] = certificates.as_slice() else {
        panic!()
    };
    let without = |text: &str, word: &str| {
        let kept = text.lines().filter(|line| !line.starts_with(word));
        kept.map(|line| format!("{line}\n")).collect::<String>()
    };
    let forged = [
        (&mixed, without(mixed_text, "; undefined: not proved")),
        (&proved, without(proved_text, "; undefined: ")),
        (
            &proved,
            proved_text.replace("; undefined: excluded", "; undefined: excluded, all"),
        ),
    ];
    for (file, text) in forged {
        assert!(!certificates.contains(&text), "nothing was forged");
        // With the digest that fits.
        let rest = without(&text, "; sha256: ");
        let (title, behind) = rest.split_once('\n').unwrap();
        let sealed = format!("{title}\n; sha256: {}\n{behind}", common::sha256(&rest));
        std::fs::write(&path, sealed).unwrap();
        let run = cubist(&["validate", &path, "--model", file]);
        assert_eq!(run.status, Some(10), "{run:?}");
    }
    Ok(())
}

/// In proofs with `assume-absent`, overflow is one thing more that is taken not to happen.
fn what_is_assumed_absent_is_named() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided-absent");
    let open = folder.write("open.c", program("", "int m = n + 1;\nassert(m > n);"));
    let run = cubist(&["check", &open, "-q", "--undefined", "assume-absent", "--strict"]);
    let expected = "Safe, provided that no signed number overflows (line 8: not proved).\n";
    assert!(run.status == Some(20) && run.stdout.starts_with(expected), "{run:?}");
    assert!(
        run.stdout
            .contains("assumed: runs end where their behaviour is undefined"),
        "{run:?}"
    );
    let proved = folder.write("proved.c", program("", "int m = n < 7 ? n + 1 : n;\nassert(m >= n);"));
    let run = cubist(&["check", &proved, "-q", "--undefined", "assume-absent", "--strict"]);
    assert!(run.status == Some(0) && run.stdout.starts_with("Safe.\n"), "{run:?}");
    // Without it, numbers wrap around.
    assert_eq!(cubist(&["check", &open, "-q"]).status, Some(10));
    Ok(())
}

/// Whatever an answer rests on is in the shortest output, too.
fn assumptions_are_in_every_output() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided-assumed");
    let text = program("extern int other(int *);", "int x = other(&n);\nassert(x == x);");
    let file = folder.write("a.c", text);
    for (options, expected) in [
        (&[][..], "`other` has no body"),
        (&["--ints", "unbounded"][..], "--ints unbounded"),
    ] {
        let run = cubist(&[&["check", &file, "-q"], options].concat());
        assert!(run.stdout.contains(expected), "{run:?}");
        let (_, report) = json(&[&["check", &file, "--json"], options].concat());
        let assumed = report["assumed"].as_array().unwrap();
        let is_said = assumed.iter().any(|line| line.as_str().unwrap().contains(expected));
        assert!(is_said, "{report}");
    }
    Ok(())
}

/// Runs without an end are compared as far as they are made; where there is no run at all, that is said.
fn a_proof_that_no_run_was_compared_with_says_so() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided-net");
    let endless = folder.write(
        "endless.c",
        program("", "unsigned x = 0;\nwhile (1) { x += 2; assert(x % 2 == 0); }"),
    );
    let run = cubist(&["check", &endless, "-q", "--strict"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "Safe.\n"), "{run:?}");
    let (_, report) = json(&["check", &endless, "--json"]);
    assert_eq!(
        (&report["runs_followed"], &report["prefixes_followed"]),
        (&0.into(), &50.into()),
        "{report}"
    );
    let guarded = program(
        "extern void __VERIFIER_assume(int);",
        "int m = __VERIFIER_nondet_int();\n__VERIFIER_assume(n - m == 98765);\n\
         __VERIFIER_assume(n + 2 * m == 949766);\nassert(n != m);",
    );
    let guarded = folder.write("guarded.c", guarded);
    let run = cubist(&["check", &guarded, "-q", "--strict"]);
    let is_said = run.stdout.starts_with("Safe, not cross-checked: ");
    assert!(run.status == Some(20) && is_said, "{run:?}");
    Ok(())
}

/// What another of the files defines is not one that nobody knows.
fn files_that_call_each_other_are_refused() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("provided-files");
    let main = "#include <assert.h>\nint pop(void);\nint main(void) { assert(pop() == 0); return 0; }\n";
    let main = folder.write("main.c", main);
    let queue = folder.write("queue.c", "\nint pop(void) { return 0; }\n");
    for command in ["check", "explore"] {
        let run = cubist(&[command, &main, &queue]);
        assert_eq!(run.status, Some(2), "{run:?}");
        let (here, there) = (format!("{main}:3"), format!("{queue}:2 defines it"));
        let is_said = run.stderr.contains(&there) && run.stderr.contains(&here) && run.stderr.contains("`pop`");
        assert!(is_said, "{run:?}");
    }
    // What is static, and what another program has, is its own.
    for other in [
        "static int pop(void) { return 0; }\nint f(void) { return pop(); }\n",
        "int pop(void) { return 0; }\nint main(void) { return pop(); }\n",
    ] {
        let other = folder.write("other.c", other);
        let run = cubist(&["check", &main, &other, "-q"]);
        assert!(!run.stderr.contains("defines it"), "{run:?}");
    }
    Ok(())
}

const TICK: &str = "\
TICK = ( tick -> return {} -> STOP ).
cproc tick { abstract { tick, (1), TICK }; }
SPEC = ( tick -> RETURNS ),
RETURNS = ( return {$0 == 0} -> STOP ).
program run { abstract { run, (1), SPEC }; }
";

fn components_say_it_too() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("provided-conform");
    let spec = folder.write("run.spec", TICK);
    let (head, tail) = (
        "extern void tick(void);\nint a[4];\nint run(int n) {\n  a[",
        "] = 1;\n  tick();\n  return 0;\n}\n",
    );
    for (index, is_open) in [("n & 3", false), ("n & 7", true)] {
        let file = folder.write("run.c", format!("{head}{index}{tail}"));
        let words = "provided that no access is outside of its object (line 4: not proved)";
        let run = cubist(&["conform", "--spec", &spec, &file, "-q"]);
        assert_eq!((run.status, run.stdout.contains(words)), (Some(0), is_open), "{run:?}");
        let (_, report) = json(&["conform", "--spec", &spec, &file, "--json"]);
        let provided = report["properties"][0]["provided"].as_array().unwrap();
        assert_eq!(provided.len(), usize::from(is_open), "{report}");
    }
    Ok(())
}

testing::tests!(
    twins_differ_in_what_is_provided,
    every_output_says_it,
    certificates_say_what_is_excluded,
    what_is_assumed_absent_is_named,
    assumptions_are_in_every_output,
    a_proof_that_no_run_was_compared_with_says_so,
    files_that_call_each_other_are_refused,
    components_say_it_too
);
