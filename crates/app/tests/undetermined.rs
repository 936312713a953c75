//! C programs that follow pointers which nobody determines, as drivers do with what only their system would fill: their
//! bugs are found, and nothing is made up. They need a C compiler for its preprocessor.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use testing::{Outcome, tool};

const PRELUDE: &str = "#include <stdlib.h>
#include <string.h>
extern int nondet(void); extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)
struct extension { int state; int code; struct extension *next; };
struct device { int id; struct extension *extension; };\n";

/// A name, a program that is safe, a change that makes it unsafe, and whether it uses memory at a fixed address. Each
/// needs a number that only a solver finds.
const PAIRS: [(&str, &str, (&str, &str), bool); 7] = [
    (
        "a pointer in a record that nobody sets",
        "int main(void) { struct device d; int x = nondet(), held = 0; d.extension->state = 1;
           if (5 * x == 350035) held = 1; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        false,
    ),
    (
        "a pointer in memory that nobody wrote to, and what it leads to is filled",
        "int main(void) { struct device *d = malloc(sizeof *d); int x = nondet(), held = 0;
           memset(d->extension, 0, sizeof(struct extension)); d->extension->state = 4;
           if (7 * x == 700049 && d->extension->code == 0) held++; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        false,
    ),
    (
        "what lies behind pointers decides",
        "int main(void) { struct device d; int locks = 0; struct extension *e = d.extension->next; int x = nondet();
           if (e->code == 77 && e->state == 12345) locks = 1; if (5 * x == 350035) locks++; check(locks <= 2); }",
        ("locks <= 2", "locks < 2"),
        false,
    ),
    (
        "it is read again and again, and is the same each time",
        "static int kind(struct extension *e) { if (e->code == 3) return 1; if (e->code == 4) return 2;
           if (e->code == 8) return 3; if (e->code == 900) return 4; return 0; }
         int main(void) { struct device d; int x = nondet(), held = 0; if (kind(d.extension) == 4) held = 1;
           if (5 * x == 350035) held += 2; check(held <= 3); }",
        ("held <= 3", "held < 3"),
        false,
    ),
    (
        "an element before the one that is pointed at",
        "int main(void) { struct device d; struct extension *last = d.extension - 1; int x = nondet(), held = 0;
           last->state = 3; last[1].state = 4; if (5 * x == 350035) held = 1; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        false,
    ),
    (
        "an allocator that is a stub",
        "static void *allocate(void) { return nondet() ? (char *)0 : (char *)1; }
         int main(void) { struct device *d = allocate(); int x = nondet(), held = 0; if (!d) return 0;
           d->extension->state = 4; if (5 * x == 350035) held = 1; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        true,
    ),
    (
        "registers of a device",
        "int main(void) { volatile int *status = (int *)0x4000, *command = (int *)0x4004; int x = nondet(), held = 0;
           *command = 1; if (*status == 5 && 5 * x == 350035) held = 1; check(held <= 1); }",
        ("held <= 1", "held < 1"),
        true,
    ),
];

/// What no run does, whether it is proved or not.
const NEVER: [(&str, &str); 13] = [
    (
        "null is followed",
        "int main(void) { struct extension *e = 0; e->state = 1; reach_error(); }",
    ),
    (
        "a member of null is not memory at a fixed address",
        "char *low = (char *)1; int main(void) { low[0] = 1; struct extension *e = nondet() ? 0 : 0; e->code = 1;
           reach_error(); }",
    ),
    (
        "what was written stays where only a part was",
        "int main(void) { int x; ((char *)&x)[0] = 5; check((x & 255) == 5); }",
    ),
    (
        "a pointer of which a byte was written",
        "union u { void *p; unsigned long n; unsigned char c[8]; };
         int main(void) { union u u; u.c[0] = 7; void *p = u.p; check((u.n & 255) == 7 && u.p == p); }",
    ),
    (
        "bits beside bits",
        "struct b { unsigned f : 3; unsigned g : 10; };
         int main(void) { struct b b; b.f = 5; unsigned g = b.g; check(b.f == 5 && b.g == g); }",
    ),
    (
        "a copy of a record",
        "int main(void) { struct extension a, b; b = a; check(a.state == b.state); }",
    ),
    (
        "a copy of memory",
        "int main(void) { struct device a, b; memcpy(&b, &a, sizeof a); check(b.extension == a.extension); }",
    ),
    (
        "a copy of a character",
        "int main(void) { char a, b; b = a; check(a == b); }",
    ),
    (
        "a copy of a byte",
        "int main(void) { int x; unsigned char c = ((unsigned char *)&x)[1]; check(((x >> 8) & 255) == c); }",
    ),
    (
        "a string",
        "int main(void) { char s[4]; s[3] = 0; unsigned long n = strlen(s); check(n > 0 || s[0] == 0); }",
    ),
    (
        "what is read twice",
        "int main(void) { struct device d; int a = d.extension->code, b = d.extension->code; check(a == b); }",
    ),
    (
        "fixed addresses side by side",
        "int main(void) { int *r = (int *)0x1000, *s = (int *)0x1004; *r = 1; *s = 2; check(*r == 1);
           check(*(int *)(0x1000 + 4) == 2); check((unsigned long)r + 4 == (unsigned long)s && r + 1 == s);
           check(s - r == 1 && r < s && s > (int *)0x800 && (char *)1 < (char *)2); }",
    ),
    (
        "the last address",
        "static void *map(void) { return (void *)-1; }
         int main(void) { char *p = map(); check(p == (void *)-1 && p == map()); check((unsigned long)p + 1 == 0);
           check(p); }",
    ),
];

const OWN: &str = "pointers that the program does not make (input -1) point at objects of their own";

fn pointers_that_nobody_determines_lead_somewhere() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("undetermined");
    let mut wrong = Vec::new();
    for (number, (name, program, (from, to), is_fixed)) in PAIRS.iter().enumerate() {
        assert!(program.contains(from), "{name}");
        let spoilt = program.replace(from, to);
        for (kind, text, expected) in [("safe", *program, "safe"), ("unsafe", spoilt.as_str(), "unsafe")] {
            let path = folder.write(&format!("{number}-{kind}.c"), format!("{PRELUDE}{text}\n"));
            let (_, report) = json(&["check", &path, "--json", "--timeout", "60s"]);
            if report["verdict"] != expected {
                wrong.push(format!("{name}, {kind}: {}, {}", report["verdict"], report["reason"]));
            }
            let assumed = report["assumed"].as_array().unwrap();
            let assumes = |what: &str| assumed.iter().any(|line| line.as_str().unwrap().contains(what));
            let is_told = assumes(if *is_fixed {
                "there is memory from the address"
            } else {
                OWN
            });
            if is_told != (expected == "unsafe") {
                wrong.push(format!("{name}, {kind}: {assumed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Neither by `check` nor by `explore`.
fn what_nobody_determines_is_not_made_up() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("not-made-up");
    let mut wrong = Vec::new();
    for (number, (name, program)) in NEVER.iter().enumerate() {
        let path = folder.write(&format!("{number}.c"), format!("{PRELUDE}{program}\n"));
        for undefined in ["wrap", "assume-absent"] {
            let (_, report) = json(&["check", &path, "--json", "--undefined", undefined, "--timeout", "30s"]);
            let (_, explored) = json(&[
                "explore",
                &path,
                "--json",
                "--undefined",
                undefined,
                "--simulate",
                "3000",
            ]);
            let is_unsafe = report["verdict"] == "unsafe" || !explored["violation"].is_null();
            if is_unsafe || report["reason"].to_string().contains("mistake") {
                wrong.push(format!("{name}, {undefined}: {report}, {}", explored["violation"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Whoever reads the answer knows what it rests on.
fn what_a_run_rests_on_is_told() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rests-on");
    let (.., own, (from, to), _) = &PAIRS[0];
    let own = folder.write("own.c", format!("{PRELUDE}{}\n", own.replace(from, to)));
    let sarif = folder.path("own.sarif");
    let run = cubist(&["check", &own, "--sarif", &sarif]);
    assert_eq!(run.status, Some(10), "{run:?}");
    for expected in [OWN, "not confirmed by gcc: the run reads an uninitialized variable"] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    assert!(std::fs::read_to_string(sarif).unwrap().contains(OWN));
    let (.., stub, (from, to), _) = &PAIRS[5];
    let stub = folder.write("stub.c", format!("{PRELUDE}{}\n", stub.replace(from, to)));
    let run = cubist(&["check", &stub]);
    for expected in [
        "assumed: there is memory from the address 0x1 on, a number in the program",
        "not confirmed by gcc: the run uses memory at the address 0x1",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    // Where it is asked for, that is undefined behaviour.
    let run = cubist(&["explore", &stub, "--undefined", "report", "--simulate", "200"]);
    assert!(run.stdout.contains("a null pointer is followed"), "{run:?}");
    Ok(())
}

/// Beyond the end of an object there is nothing: what the answer tells is the place of that, and not of what comes
/// before it and may well be defined.
fn an_access_beyond_an_object_stays_undefined() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("beyond");
    let text = "int main(void) { struct device d; int small; struct extension *e = (struct extension *)&small;
d.extension->state = 1;
e->code = 5;
reach_error(); }\n";
    let (status, report) = json(&["check", &folder.write("beyond.c", format!("{PRELUDE}{text}")), "--json"]);
    assert_eq!((status, &report["verdict"]), (Some(20), &"unknown".into()), "{report}");
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("beyond.c:9"), "{reason}");
    Ok(())
}

testing::tests!(
    pointers_that_nobody_determines_lead_somewhere,
    what_nobody_determines_is_not_made_up,
    what_a_run_rests_on_is_told,
    an_access_beyond_an_object_stays_undefined,
);
