//! Limits from the first byte on, nothing left behind, no commands to the terminal; and some programs of correct use.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, command, cubist, root};
use std::process::Stdio;
use std::time::{Duration, Instant};
use testing::{Outcome, tool};

/// What makes a file of some kind, and how it is read.
const KINDS: [(&str, &str, &[&str]); 6] = [
    ("m", "rule", &["check"]),
    ("cub", "transition", &["check"]),
    ("i", "struct", &["check"]),
    ("bp", "begin", &["check"]),
    ("rule", "before", &["check", "OK.c", "--rule"]),
    ("spec", "cproc", &["conform", "OK.c", "--spec"]),
];

/// Of one to two megabytes each.
fn malformed(word: &str) -> Vec<(&'static str, Vec<u8>)> {
    let repeated = |text: &str| text.repeat(1_200_000 / text.len()).into_bytes();
    let mut seed = 88_172_645_463_325_252_u64;
    let random = std::iter::repeat_with(|| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 32) as u8
    });
    vec![
        ("a keyword again and again", repeated(&format!("{word} "))),
        ("a keyword in each line", repeated(&format!("{word}\n"))),
        ("open parentheses", repeated("(")),
        ("open braces", repeated("{ ")),
        ("operators", repeated("x + ! ")),
        ("random bytes", random.take(1_200_000).collect()),
        ("one line", repeated("abc")),
        ("an error in each line", repeated("@\n")),
        ("an open comment", format!("/*{}", "a ".repeat(600_000)).into_bytes()),
        ("an open text", format!("\"{}", "a ".repeat(600_000)).into_bytes()),
        ("NULs", vec![0; 1_200_000]),
        ("no UTF-8", vec![0xff; 1_200_000]),
    ]
}

/// More than the supervisor allows a command that does not come back, since machines are busy.
const SLACK: Duration = Duration::from_secs(8);

fn malformed_files_end_within_their_limit() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("limits-malformed");
    let correct = folder.write("ok.c", "int main(void) { return 0; }\n");
    for (kind, word, arguments) in KINDS {
        for (name, bytes) in malformed(word) {
            let file = folder.write(&format!("a.{kind}"), &bytes);
            let mut arguments: Vec<&str> = arguments
                .iter()
                .map(|one| if *one == "OK.c" { &correct } else { *one })
                .collect();
            arguments.extend([file.as_str(), "--timeout", "4s"]);
            let begun = Instant::now();
            let run = cubist(&arguments);
            let seconds = begun.elapsed();
            let ends = run.status == Some(2) || run.status == Some(20) || run.status == Some(0);
            assert!(
                ends && seconds < Duration::from_secs(4) + SLACK,
                "{kind}, {name}: {:?}, {seconds:?}",
                run.status
            );
            assert!(run.stderr.len() + run.stdout.len() < 200_000, "{kind}, {name}");
        }
    }
    Ok(())
}

/// Rules of which none ever fires; what is done with each of them must not look at all the others.
fn reports_about_very_many_rules_come_within_their_limit() -> Outcome {
    let folder = Folder::new("limits-rules");
    let rules = |count: usize| -> String {
        (0..count)
            .map(|number| format!("rule \"r{number}\" x = 2 ==> begin x := 0; end;\n"))
            .collect()
    };
    let model = |name: &str, count, rest: &str| {
        let start = "var x: 0..3;\nstartstate begin x := 0; end;\n";
        folder.write(name, format!("{start}{}{rest}", rules(count)))
    };
    let on = "rule \"on\" x < 2 ==> begin x := 1 - x; end;\ninvariant \"x\" x < 2;\n";
    let stuck = model("stuck.m", 100_000, "invariant \"x\" x = 0;\n");
    let moves = model("moves.m", 100_000, on);
    let within = |arguments: &[&str]| {
        let begun = Instant::now();
        let run = cubist(&[arguments, &["--timeout", "4s"]].concat());
        let seconds = begun.elapsed();
        assert!(seconds < Duration::from_secs(4) + SLACK, "{arguments:?}: {seconds:?}");
        run
    };
    for form in ["--full-states", "--quiet", "--json", "--verbose"] {
        let run = within(&["explore", &stuck, form]);
        assert_eq!(run.status, Some(10), "{form}: {}", run.stderr);
        let run = within(&["explore", &moves, form]);
        assert_eq!(run.status, Some(0), "{form}: {}", run.stderr);
        let never = run.stdout.lines().find(|line| line.starts_with("  never fired"));
        assert_eq!(never.is_some(), !["--quiet", "--json"].contains(&form), "{form}");
        let names = never.map_or(0, |line| line.matches(" r").count());
        match form {
            "--full-states" => {
                assert_eq!(names, 50);
                assert!(
                    run.stdout
                        .contains("... and 99,950 more, which --verbose and --json show")
                );
                assert!(run.stdout.len() < 2_000, "{}", run.stdout.len());
            }
            "--verbose" => assert_eq!(names, 100_000),
            "--json" => {
                let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                assert_eq!(report["never_fired"].as_array().unwrap().len(), 100_000);
            }
            _ => {}
        }
    }
    let few = model("few.m", 5_000, on);
    let run = within(&["check", &few]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("\"r49\", ... and 4,950 more, which --verbose shows."),
        "{}",
        run.stdout
    );
    Ok(())
}

/// Processes whose command line or environment has this text.
fn processes(text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok());
    let has = |entry: &std::fs::DirEntry| {
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let all = [read("environ"), read("cmdline")].concat();
        String::from_utf8_lossy(&all).contains(text)
    };
    all.filter(has)
        .map(|entry| entry.path().display().to_string())
        .collect()
}

/// By Ctrl-C, politely, and not at all politely.
fn killed_checks_leave_nothing() -> Outcome {
    tool("gcc", "--version")?;
    tool("kill", "--version")?;
    let folder = Folder::new("limits-killed");
    let functions: String = (0..400)
        .map(|n| format!("int f{n}(int x) {{ if (x == {n}) return x + {n}; return x * {n}; }}\n"))
        .collect();
    let calls: String = (0..400).map(|n| format!("x += f{n}(x);\n")).collect();
    let program = format!(
        "#include <stdio.h>\n#include <stdlib.h>\nextern void reach_error(void);\n{functions}\n\
         int main(void) {{ int x = 1;\n{calls}\nreach_error(); return 0; }}\n"
    );
    let program = folder.write("a.c", program);
    let temporary = folder.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    for (number, signal) in ["-KILL", "-TERM", "-INT"].into_iter().cycle().take(12).enumerate() {
        let mut command = command(&["check", &program]);
        command
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + 90 * number as u64));
        let _ = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        let _ = child.wait().unwrap();
        // Whoever removes what is left may need a moment.
        let begun = Instant::now();
        let is_empty = || std::fs::read_dir(&temporary).unwrap().next().is_none();
        while !(is_empty() && processes(&temporary).is_empty()) && begun.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let left: Vec<_> = std::fs::read_dir(&temporary)
            .unwrap()
            .map(|one| one.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{signal} {number}: {left:?}");
        assert_eq!(processes(&temporary), Vec::<String>::new(), "{signal} {number}");
    }
    Ok(())
}

fn is_hostile(character: char) -> bool {
    character.is_control() && character != '\n' && character != '\t' || ('\u{202a}'..='\u{202e}').contains(&character)
}

/// Names that would paint the terminal, ring it and turn it around.
fn names_are_no_commands_to_the_terminal() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("limits-names");
    let name = "\u{1b}[31m\u{7}\u{202e}\u{9b}1m x";
    let model = folder.write(
        &format!("{name}.m"),
        format!(
            "var b: boolean;\nstartstate \"{name}\" begin b := false; end;\nrule \"{name}\" !b ==> begin b := true; end;\n\
             invariant \"{name}\" !b;\n"
        ),
    );
    let wrong = folder.write(
        "wrong.m",
        format!("var b: boolean;\nrule \"{name}\" c ==> begin {name} := 1; end;\n"),
    );
    let program = folder.write(
        &format!("{name}.c"),
        format!(
            "void __assert_fail(const char *, const char *, unsigned, const char *);\n\
             int main(void) {{ __assert_fail(\"{name}\", \"{name}\", 1, \"{name}\"); return 0; }}\n"
        ),
    );
    let rule = folder.write("a.rule", format!("rule \"{name}\";\nat end {{ error \"{name}\"; }}\n"));
    let correct = folder.write("ok.c", "int main(void) { return 0; }\n");
    let spec = folder.write("a.spec", format!("S = ( {name} -> STOP ).\n"));
    let (page, chart) = (folder.path("page.html"), folder.path("chart.svg"));
    for arguments in [
        &["check", &model][..],
        &["check", &model, "--json"],
        &["check", &model, "-q"],
        &["check", &model, "--report", &page, "--chart", &chart],
        &["explore", &model],
        &["explore", &model, "--json"],
        &["explore", &model, "--simulate", "3"],
        &["show", &model],
        &["show", &model, "--json"],
        &["check", &wrong],
        &["check", &wrong, "--json"],
        &["check", &model, &model],
        &["check", &program],
        &["check", &program, "--json"],
        &["check", &program, "--report", &page],
        &["explore", &program],
        &["show", &program],
        &["check", &correct, "--rule", &rule],
        &["check", &correct, "--rule", &rule, "--json"],
        &["conform", &correct, "--spec", &spec],
        &["validate", &model, "--model", &model],
        &["prove", &model],
    ] {
        let run = cubist(arguments);
        assert_ne!(run.status, Some(70), "{arguments:?}: {run:?}");
        assert!(!run.stdout.contains(is_hostile), "{arguments:?}: {run:?}");
        assert!(!run.stderr.contains(is_hostile), "{arguments:?}: {run:?}");
        if arguments.contains(&"--json") {
            assert!(
                serde_json::from_str::<serde_json::Value>(&run.stdout).is_ok(),
                "{arguments:?}: {run:?}"
            );
        }
        for file in [&page, &chart] {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            assert!(!text.contains(is_hostile), "{arguments:?}: {file}");
        }
    }
    // What is right stays as it is.
    let run = cubist(&[
        "explore",
        &folder.write(
            "ä.m",
            "var b: boolean;\nstartstate \"größe €\" begin b := true; end;\ninvariant \"größe €\" !b;\n",
        ),
    ]);
    assert!(run.stdout.contains("größe €") && run.stdout.contains("ä.m"), "{run:?}");
    Ok(())
}

const COPY: &str = "
typedef struct file FILE; extern int nondet(void);
FILE *fopen(const char *name, const char *mode); int fclose(FILE *stream);
unsigned long fread(void *to, unsigned long size, unsigned long count, FILE *stream);
unsigned long fwrite(const void *from, unsigned long size, unsigned long count, FILE *stream);
int main(void) { char text[8]; unsigned long n;
  FILE *in = fopen(\"a\", \"r\"); if (!in) return 1;
  FILE *out = fopen(\"b\", \"w\"); if (!out) { fclose(in); return 1; }
  while ((n = fread(text, 1, 8, in)) > 0) { if (fwrite(text, 1, n, out) != n) break; }
  fclose(in); fclose(out); return 0; }
";
const COPY_BY_NUMBERS: &str = "
int open(const char *name, int flags, ...); int close(int descriptor); int creat(const char *name, int mode);
int dup(int descriptor); long read(int d, void *to, unsigned long n); long write(int d, const void *from, unsigned long n);
int main(void) { char text[8]; long n;
  int in = open(\"a\", 0); if (in < 0) return 1;
  int out = creat(\"b\", 438); if (out < 0) { close(in); return 1; }
  int also = dup(out); if (also < 0) { close(out); close(in); return 1; }
  while ((n = read(in, text, 8)) > 0) { if (write(out, text, n) != n) break; }
  close(in); close(out); write(also, text, 8); close(also); return 0; }
";
const LISTEN: &str = "
int socket(int, int, int); int bind(int, const void *, unsigned); int listen(int, int); int close(int);
int main(void) { int a = socket(1, 2, 3); if (a < 0) return 1; if (bind(a, 0, 0) != 0) return 1;
  int b = socket(1, 2, 3); if (b < 0) return 1; if (bind(b, 0, 0) != 0) return 1; listen(a, 1); listen(b, 1); close(a); close(b); return 0; }
";
const TRY: &str = "
typedef struct { int raw; } lock_t; void spin_lock(lock_t *l); void spin_unlock(lock_t *l); int spin_trylock(lock_t *l);
lock_t lock; int main(void) { spin_lock(&lock); if (spin_trylock(&lock)) { spin_unlock(&lock); } spin_unlock(&lock); return 0; }
";

/// A handle that is open is not given out again.
fn handles_are_distinct_while_they_are_open() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("limits-handles");
    let status = |rule: &str, program: &str| {
        let rule = root().join("rules").join(format!("{rule}.rule"));
        let file = folder.write("a.c", program);
        let run = cubist(&["check", &file, "--rule", rule.to_str().unwrap()]);
        (run.status, run.stdout)
    };
    for (rule, correct, wrong) in [
        (
            "file-handle",
            COPY,
            &[
                ("fclose(out); return 0", "fclose(in); return 0"),
                ("fclose(out); return 0", "fclose(out); fclose(out); return 0"),
                ("fclose(in); fclose(out); return 0", "fclose(out); return 0"),
                (
                    "fclose(in); fclose(out);",
                    "fclose(in); fread(text, 1, 8, in); fclose(out);",
                ),
                ("if (!out) { fclose(in); return 1; }", "if (!out) { return 1; }"),
            ][..],
        ),
        (
            "double-close",
            COPY_BY_NUMBERS,
            &[
                ("close(also);", "close(out);"),
                (
                    "close(in); close(out); write",
                    "close(out); close(in); read(in, text, 8); write",
                ),
                (
                    "write(also, text, 8); close(also);",
                    "close(also); write(also, text, 8);",
                ),
            ],
        ),
        (
            "socket",
            LISTEN,
            &[
                ("if (bind(b, 0, 0) != 0) return 1;", ""),
                ("bind(a, 0, 0) != 0", "bind(a, 0, 0) == 0"),
            ],
        ),
        (
            "spin-lock",
            TRY,
            &[("spin_lock(&lock); if", "if"), ("spin_unlock(&lock); return", "return")],
        ),
    ] {
        let (found, text) = status(rule, correct);
        // What is known of pointers from outside is not enough for a proof that a stream is closed in the end.
        let is_right = found == Some(0) || (rule == "file-handle" && found == Some(20));
        assert!(is_right, "{rule}: {text}");
        for (from, to) in wrong {
            let program = correct.replacen(from, to, 1);
            assert_ne!(program, correct, "{from}");
            let (found, text) = status(rule, &program);
            assert_eq!(found, Some(10), "{rule}: {to}: {text}");
        }
    }
    // Reopened in vain, it is closed; and what was closed may come again.
    let reopened = "typedef struct file FILE; FILE *fopen(const char *, const char *); int fclose(FILE *);\n\
        FILE *freopen(const char *, const char *, FILE *);\n\
        int main(void) { FILE *f = fopen(\"a\", \"r\"); if (!f) return 1; FILE *g = freopen(\"b\", \"r\", f);\n\
        if (g) { fclose(g); } f = fopen(\"a\", \"r\"); if (f) { fclose(f); } return 0; }\n";
    assert_ne!(status("file-handle", reopened).0, Some(10));
    let closed = reopened.replace("if (g) { fclose(g); }", "fclose(f);");
    assert_eq!(status("file-handle", &closed).0, Some(10));
    Ok(())
}

/// Loops that macros make have no place in the file.
fn witnesses_of_loops_from_macros_are_confirmed() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("limits-witness");
    for (number, (macros, body)) in [
        (
            "#define REPEAT(n, body) do { int k; for (k = 0; k < (n); k++) { body; } } while (0)",
            "int x = 0; REPEAT(10, x++); if (x != 10) reach_error();",
        ),
        (
            "#define FOREACH(i, n) for (int i = 0; i < (n); i++)",
            "int x = 0; FOREACH(j, 10) x++; if (x != 10) reach_error();",
        ),
        (
            "#define UNTIL(v) ({ int t = 0; while (t < (v)) t = t + 2; t; })",
            "int y = UNTIL(9); if (y != 10) reach_error();",
        ),
        (
            "#define LESS(a, b) ((a) < (b))",
            "int x = 0; while (LESS(x, 10)) x++; if (x != 10) reach_error();",
        ),
        (
            "#define STEPS(v) ({ int t = 0; while (t < 3) { t = t + 1; } v; })",
            "int x = 0; while (STEPS(x < 10)) { x++; } if (x != 10) reach_error();",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let program = format!("extern void reach_error(void);\n{macros}\nint main(void) {{ {body} return 0; }}\n");
        let file = folder.write(&format!("w{number}.c"), program);
        let witness = folder.path(&format!("w{number}.yml"));
        let run = cubist(&["check", &file, "--witness", &witness]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let run = cubist(&["validate", &witness, "--model", &file]);
        assert_eq!(run.status, Some(0), "{macros}: {run:?}");
    }
    Ok(())
}

testing::tests!(
    malformed_files_end_within_their_limit,
    reports_about_very_many_rules_come_within_their_limit,
    killed_checks_leave_nothing,
    names_are_no_commands_to_the_terminal,
    handles_are_distinct_while_they_are_open,
    witnesses_of_loops_from_macros_are_confirmed,
);
