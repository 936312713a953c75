//! C programs: proved and refuted. They need a C compiler for its preprocessor.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, corpus, cubist, json};
use testing::{Outcome, tool};

const LOCK: &str = "programs/lock.c";
const LOCK_BUG: &str = "programs/lock-bug.c";
const RULE: &str = "rules/spin-lock.rule";

/// What every program below begins with.
const PRELUDE: &str = "extern int nondet(void); extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)\n";

/// A name, a program that is safe, and a change that makes it unsafe.
const PAIRS: [(&str, &str, (&str, &str)); 30] = [
    (
        "arguments are inputs, from right to left as gcc has it",
        "static int is_pair(int a, int b) { return a == 1 && b == 2; }
         int main(void) { check(!is_pair(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()) || 1); }",
        (" || 1", ""),
    ),
    (
        "what a call changes is read behind it",
        "int g = 1; static int more(void) { g += 10; return 5; }
         int main(void) { g += more(); check(g == 16); check(g + more() == 31); check(g - more() == 21); }",
        ("== 31", "== 21"),
    ),
    (
        "a pointer is the same number on both sides of a loop",
        "static int same(int *p) { unsigned long before = (unsigned long)p; while (__VERIFIER_nondet_int()) ;
           return before == (unsigned long)p; }
         int main(void) { int x = 0, y = 0; int *p = __VERIFIER_nondet_int() ? &x : &y; check(same(p)); }",
        ("before ==", "before !="),
    ),
    (
        "a state that is kept in a variable, and one that comes next",
        "int main(void) { int state = 10, next = nondet(), seen = 0; while (nondet()) switch (state) {
           case 10: next = 30; state = 20; break;
           case 20: if (nondet()) { seen = 1; state = next; } break;
           case 30: check(seen == 1); next = 50; state = 40; break;
           case 40: seen = 2; state = next; break;
           case 50: check(seen == 2); state = 10; break;
           default: reach_error(); } return 0; }",
        ("seen = 2", "seen = 3"),
    ),
    (
        "a number is put together from bytes",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned char a = x, b = x >> 8, c = x >> 16, d = x >> 24;
           unsigned y = a | b << 8 | c << 16 | d << 24; check(x == y); }",
        ("c << 16", "c << 15"),
    ),
    (
        "bits of two unknown bytes",
        "int main(void) { unsigned char a = nondet(), b = nondet(); check((a & b) <= a && (a | b) >= b
           && (a ^ b) == (a | b) - (a & b)); }",
        ("(a & b) <= a", "(a & b) < a"),
    ),
    (
        "a member by its number, as CIL writes it",
        "struct inner { int n; }; struct outer { int m; struct inner *next; };
         int main(void) { struct inner in; struct outer out; struct outer *p = &out; out.m = 1;
           unsigned long at = (unsigned long)p + __builtin_offsetof(struct outer, next); *(struct inner **)at = &in;
           unsigned long again = (unsigned long)p; again += __builtin_offsetof(struct outer, next);
           (*(struct inner **)again)->n = 4; check(in.n == 4 && out.m == 1); }",
        ("out.m == 1", "out.m == 2"),
    ),
    (
        "a loop with more rounds than anyone unrolls",
        "int main(void) { unsigned x = 0; while (x < 3000000) x += 2; check(x >= 3000000); }",
        ("x >= 3000000", "x > 3000000"),
    ),
    (
        "a loop",
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; check(i >= n); return 0; }",
        ("i >= n", "i == n"),
    ),
    (
        "unsigned numbers wrap around",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned y = x + 1; check(y != 0 || x == 4294967295u); }",
        ("x == 4294967295u", "x == 0"),
    ),
    (
        "conversions keep the low bits",
        "int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = x; signed char s = c;
          check(c >= 0 && c < 256 && s >= -128 && (c < 128 ? s == c : s == c - 256)); }",
        ("c - 256", "c - 255"),
    ),
    (
        "a pointer to a local of the caller",
        "static void set(int *p, int v) { *p = v; }
         int main(void) { int a = 0, b = 0; int x = __VERIFIER_nondet_int(); set(x ? &a : &b, 5); check(a + b == 5); }",
        ("a + b == 5", "a == 5"),
    ),
    (
        "records by value and by pointer",
        "struct s { int x; struct { short y; char z[3]; } in; };
         static struct s turn(struct s v) { v.in.y = -v.in.y; return v; }
         int main(void) { struct s v = { 1, { 7, { 1, 2, 3 } } }, *p = &v; struct s w = turn(*p); p->x += w.in.y;
           check(v.x == -6 && w.in.y == -7 && v.in.y == 7 && w.in.z[2] == 3); }",
        ("v.in.y == 7", "v.in.y == -7"),
    ),
    (
        "an array at an unknown index",
        "int main(void) { int a[5] = { 1, 2, 3, 4, 5 }; unsigned i = __VERIFIER_nondet_uint() % 5; a[i] = 9;
           int sum = 0; for (int k = 0; k < 5; k++) sum += a[k]; check(sum == 15 - (int)(i + 1) + 9); }",
        ("+ 9)", "+ 8)"),
    ),
    (
        "recursion",
        "static int sum(int n) { int rest = n <= 0 ? 0 : sum(n - 1); return n + rest; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5) return 0; check(sum(n) <= 15); }",
        ("<= 15", "< 15"),
    ),
    (
        "bits in a loop without inputs",
        "int main(void) { unsigned sum = 0, x = 7; for (int i = 0; i < 20; i++) { x = (x * 5 + 1) & 255;
           sum += x & 15; } check(sum == 142); }",
        ("sum == 142", "sum == 143"),
    ),
    (
        "inline functions",
        "inline int twice(int x) { return 2 * x; } static inline int half(int x) { return x / 2; }
         __inline void must(int c) { check(c); }
         int main(void) { unsigned x = __VERIFIER_nondet_uint() % 9; must(half(twice(x)) < 9); }",
        ("< 9);", "!= 7);"),
    ),
    (
        "a search in a table",
        "int main(void) { int a[8] = { 1, 3, 5, 7, 9, 11, 13, 15 }, key = __VERIFIER_nondet_int(), low = 0, high = 7;
           while (low <= high) { int middle = low + (high - low) / 2; check(middle >= 0 && middle < 8);
             if (a[middle] == key) { check(key % 2 != 0); return 0; }
             if (a[middle] < key) low = middle + 1; else high = middle - 1; } }",
        ("key % 2 != 0", "key != 13"),
    ),
    (
        "an array that is sorted",
        "int main(void) { int a[4]; for (int i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_int();
           for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++)
             if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
           for (int i = 0; i < 3; i++) check(a[i] <= a[i + 1]); }",
        ("j < 3 - i", "j < 2 - i"),
    ),
    (
        "remainders by unknowns",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a <= 0 || b <= 0) return 0;
           while (b != 0) { int rest = a % b; a = b; b = rest; check(b < a); } check(a >= 1); }",
        ("a >= 1", "a != 6"),
    ),
    (
        "products of unknowns",
        "static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; check(fact(n) <= 24); }",
        ("<= 24", "< 24"),
    ),
    (
        "a call by a pointer",
        "static int up(int x) { return x + 1; } static int down(int x) { return x - 1; }
         int main(void) { int (*f)(int) = __VERIFIER_nondet_int() ? up : down; int y = f(10); check(y == 11 || y == 9); }",
        ("y == 9", "y == 10"),
    ),
    (
        "objects that are allocated",
        "#include <stdlib.h>
         struct n { int v; struct n *next; };
         int main(void) { struct n *a = malloc(sizeof *a); if (!a) return 0; struct n *b = malloc(sizeof *b); if (!b) return 0;
           a->v = 1; b->v = 2; a->next = b; a->next->v = 3; check(b->v == 3 && a->v == 1); }",
        ("a->v == 1", "a->v == 3"),
    ),
    (
        "bits",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned y = (x & 0xf0u) >> 4, z = x | 1u;
           check(y < 16 && z % 2 == 1); }",
        ("y < 16", "y < 15"),
    ),
    (
        "division rounds towards zero",
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < -100 || x > 100) return 0;
           check(x / 7 * 7 + x % 7 == x && x / 7 >= -14 && (x >= 0 || x % 7 <= 0)); }",
        ("x % 7 <= 0", "x % 7 >= 0"),
    ),
    (
        "fields with bits of their own",
        "struct f { unsigned a : 3; signed b : 4; unsigned c : 9; };
         int main(void) { struct f f = { 0 }; int x = __VERIFIER_nondet_int(); f.a = x; f.b = x; f.c = 300;
           check(f.a == (x & 7) && f.b >= -8 && f.b <= 7 && f.c == 300); }",
        ("f.b <= 7", "f.b <= 6"),
    ),
    (
        "a switch that falls through, and a goto",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = 0; switch (x) { case 1: y += 1; case 2: y += 2; break;
           default: if (y) goto out; y = 9; } check(y == 3 || y == 2 || y == 9); out: return 0; }",
        ("y == 3 || ", ""),
    ),
    (
        "a union is its bytes",
        "union u { unsigned n; unsigned char b[4]; };
         int main(void) { union u u; u.n = __VERIFIER_nondet_uint(); u.b[1] = 7;
           check((u.n >> 8) % 256 == 7 && u.b[0] == u.n % 256); }",
        ("== 7", "== 8"),
    ),
    (
        "bytes of a number",
        "int main(void) { int x = -2; unsigned char *b = (unsigned char *)&x; b[0] = 1; check(x == -255 && b[3] == 255); }",
        ("x == -255", "x == -254"),
    ),
    (
        "memory is copied",
        "#include <string.h>
         struct s { int a; short b; char c[2]; };
         int main(void) { struct s x = { __VERIFIER_nondet_int(), 2, { 3, 4 } }, y; memcpy(&y, &x, sizeof y);
           check(y.a == x.a && y.b == 2 && y.c[1] == 4); }",
        ("y.c[1] == 4", "y.c[1] == 3"),
    ),
];

fn what_holds_is_proved_and_what_does_not_is_refuted() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("pairs");
    let mut wrong = Vec::new();
    for (number, (name, program, (from, to))) in PAIRS.iter().enumerate() {
        assert!(program.contains(from), "{name}");
        let spoilt = program.replace(from, to);
        for (kind, text, expected) in [("safe", *program, "safe"), ("unsafe", spoilt.as_str(), "unsafe")] {
            let path = folder.write(&format!("{number}-{kind}.c"), format!("{PRELUDE}{text}\n"));
            let (_, report) = json(&["check", &path, "--json", "--timeout", "60s"]);
            if report["verdict"] != expected {
                wrong.push(format!("{name}, {kind}: {}, {}", report["verdict"], report["reason"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn a_rule_is_proved_and_its_certificate_made_again() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("certified");
    let certificate = folder.path("lock.smt2");
    let run = cubist(&["check", LOCK, "--rule", RULE, "--certificate", &certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for expected in [
        "\nSafe.\n",
        "in main: held == 0\n",
        "cvc5 confirms",
        "`spin_lock` has no body",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    let run = cubist(&["validate", &certificate, "--model", LOCK]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Confirmed."), "{run:?}");
    let run = cubist(&["validate", &certificate, "--model", LOCK_BUG]);
    assert_ne!(run.status, Some(0), "{run:?}");
    Ok(())
}

/// Whoever reads only the first line of `validate` knows which program it is about.
fn what_a_certificate_is_about_is_said_first() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("as-read");
    let text = "extern void reach_error(void);
int other(void) { int x = 0; if (x) reach_error(); return x; }
int main(void) {
#ifndef OFF
  reach_error();
#endif
  return other();
}
";
    let (file, certificate) = (folder.write("f.c", text), folder.path("f.smt2"));
    for (options, said) in [
        (["--define", "OFF"].as_slice(), "--define OFF"),
        (
            &["--entry", "other", "--error-label", "out"],
            "--entry other --error-label out",
        ),
        (
            &["-DOFF", "--undefined", "assume-absent", "--data-model", "ilp32"],
            "--data-model ilp32 --undefined assume-absent --define OFF",
        ),
        (&["-DOFF", "--ints", "unbounded"], "--ints unbounded --define OFF"),
    ] {
        let run = cubist(&[&["check", &file, "--certificate", &certificate], options].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        let run = cubist(&["validate", &certificate, "--model", &file]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let first = run.stdout.lines().next().unwrap();
        let as_read = format!("{file} as read with {said}");
        assert!(first.ends_with(&format!("made again from {as_read}.")), "{run:?}");
        assert!(
            run.stdout.contains(&format!("reachable state of {as_read}\n")),
            "{run:?}"
        );
        let (_, report) = json(&["validate", &certificate, "--model", &file, "--json"]);
        let read_with: Vec<&str> = report["model"]["read_with"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|option| option.as_str())
            .collect();
        assert_eq!(read_with.join(" "), said, "{report}");
    }
    Ok(())
}

/// With the numbers of the papers, whatever rests on their end is otherwise.
fn integers_may_have_no_end() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("unbounded");
    let program = |name: &str, text: &str| folder.write(name, format!("{PRELUDE}{text}"));
    let greater = program(
        "greater.c",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = x + 1; check(y > x); return 0; }",
    );
    assert_eq!(cubist(&["check", &greater]).status, Some(10));
    let certificate = folder.path("greater.smt2");
    let run = cubist(&["check", &greater, "--ints", "unbounded", "--certificate", &certificate]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("integers are those of mathematics"), "{run:?}");
    let text = std::fs::read_to_string(&certificate).unwrap();
    assert!(text.contains("--ints unbounded"), "{text}");
    assert_eq!(cubist(&["validate", &certificate, "--model", &greater]).status, Some(0));
    // The same proof is none of the machine's numbers.
    std::fs::write(&certificate, text.replace("--ints unbounded", "--ints machine")).unwrap();
    assert_ne!(cubist(&["validate", &certificate, "--model", &greater]).status, Some(0));

    let below = program(
        "below.c",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); check(x - 1 < x); return 0; }",
    );
    assert_eq!(cubist(&["explore", &below]).status, Some(10));
    let (status, report) = json(&["explore", &below, "--ints", "unbounded", "--json"]);
    assert_eq!((status, &report["ints"]), (Some(20), &"unbounded".into()), "{report}");
    assert_eq!(cubist(&["check", &below, "--ints", "unbounded"]).status, Some(0));

    let five = program(
        "five.c",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); check((x & ~1u) != 4 || x != 5); return 0; }",
    );
    assert_eq!(cubist(&["check", &five, "--ints", "unbounded"]).status, Some(10));
    let options = ["--ints", "unbounded", "--undefined", "assume-absent"];
    let run = cubist(&[&["check", &five][..], &options].concat());
    assert_eq!(run.status, Some(2), "{run:?}");
    Ok(())
}

/// Whatever is changed in a certificate, it is none of the program any more.
fn a_forged_certificate_is_refused() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("forged");
    let certificate = folder.path("lock.smt2");
    assert_eq!(
        cubist(&["check", LOCK, "--rule", RULE, "--certificate", &certificate]).status,
        Some(0)
    );
    let text = std::fs::read_to_string(&certificate).unwrap();
    let forgeries = [
        (
            "a query",
            text.replacen("(check-sat)", "(assert false)\n(check-sat)", 1),
        ),
        (
            "an option",
            text.replace("--undefined wrap", "--undefined assume-absent"),
        ),
        (
            "the rule",
            text.replace("option: --rule rules/spin-lock.rule", "option: --entry main"),
        ),
        (
            "a fact",
            text.replacen("|held| 0", "|held| 1", 1).replacen("held 0", "held 1", 1),
        ),
    ];
    for (what, forged) in forgeries {
        assert_ne!(forged, text, "{what}");
        let digest = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with("; sha256:"));
            validate::sha256(lines.map(|line| format!("{line}\n")).collect::<String>().as_bytes())
        };
        // Whoever forges a certificate also makes its digest right.
        let seal = format!("; sha256: {}", digest(&forged));
        let sealed: Vec<&str> = forged
            .lines()
            .map(|line| {
                if line.starts_with("; sha256:") {
                    seal.as_str()
                } else {
                    line
                }
            })
            .collect();
        let path = folder.write("forged.smt2", &(sealed.join("\n") + "\n"));
        let run = cubist(&["validate", &path, "--model", LOCK]);
        assert_ne!(run.status, Some(0), "{what}: {run:?}");
    }
    Ok(())
}

fn a_broken_rule_is_shown_with_its_run() -> Outcome {
    tool("cc", "--version")?;
    let run = cubist(&["check", LOCK_BUG, "--rule", RULE]);
    assert_eq!(run.status, Some(10), "{run:?}");
    for expected in [
        "Unsafe: locks are taken and given back in turn: the lock is never given back.\n",
        "inputs: 4097",
        "-- submit(&device, 4097)",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    Ok(())
}

/// JUnit and SARIF have the run, as they have those of models.
fn reports_for_other_tools_have_the_run() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("reports-of-programs");
    let (junit, sarif) = (folder.path("results.xml"), folder.path("results.sarif"));
    let run = cubist(&[
        "check", LOCK, LOCK_BUG, "--rule", RULE, "-q", "--junit", &junit, "--sarif", &sarif,
    ]);
    assert_eq!(run.status, Some(10), "{run:?}");
    let junit = std::fs::read_to_string(junit).unwrap();
    for expected in [
        "tests=\"6\"",
        "failures=\"1\"",
        "message=\"locks are taken",
        "submit(&amp;device, 4097)",
    ] {
        assert!(junit.contains(expected), "{expected}: {junit}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(sarif).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let violation = results.iter().find(|result| result["ruleId"] == "violation").unwrap();
    let steps = violation["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap();
    assert!(steps.len() > 5, "{violation}");
    Ok(())
}

fn verdicts_of_others_are_found() -> Outcome {
    tool("cc", "--version")?;
    let mut wrong = Vec::new();
    for folder in ["locks", "loops", "ntdrivers-simplified"] {
        let folder = corpus(&format!("c/{folder}"))?;
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.to_str().unwrap();
            let (status, report) = json(&["check", name, "--data-model", "ilp32", "--json", "--timeout", "60s"]);
            let expected = if name.contains("_false-unreach-call") {
                "unsafe"
            } else {
                "safe"
            };
            if report["verdict"] != expected {
                wrong.push(format!(
                    "{name}: {status:?}, {}, {}",
                    report["verdict"], report["reason"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// C does not say how a run goes on that divides by zero: the answer is where it does.
fn undefined_behaviour_before_a_violation_is_named() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("undefined-first");
    // Proofs know nothing of floats.
    let program = |divisor: &str| {
        let text = format!(
            "extern void reach_error(void);
int main(void) {{
  double half = 0.5;
  int two = (int)(half * 4);
  int quotient = 10 / {divisor};
  if (quotient == 5) reach_error();
  return 0;
}}
"
        );
        folder.write("first.c", text)
    };
    let (status, report) = json(&["check", &program("(two - 2)"), "--json"]);
    assert_eq!((status, &report["verdict"]), (Some(20), &"unknown".into()), "{report}");
    let reason = report["reason"].as_str().unwrap();
    for expected in ["undefined behaviour on the way", "first.c:5", "division by zero"] {
        assert!(reason.contains(expected), "{reason}");
    }
    // Mended, it is a violation as any other.
    let (status, report) = json(&["check", &program("two"), "--json"]);
    assert_eq!((status, &report["verdict"]), (Some(10), &"unsafe".into()), "{report}");
    Ok(())
}

/// The line where a run first takes what is beyond the encoding; inside of the library, that of the call.
fn what_is_approximated_is_named() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("approximated");
    for (name, text, line) in [
        (
            "array.c",
            "int row[99];\nint main(void) {\nrow[9] = 4;\nint k = row[9];\ncheck(k == 4); }",
            8,
        ),
        (
            "string.c",
            "char s[99] = \"ab\";\nint main(void) {\nint k = s[0] == 'a';\ncheck(strlen(s) == 2); }",
            7,
        ),
        (
            "call.c",
            "char s[99] = \"ab\";\nint main(void) {\ncheck(s != 0);\ncheck(strlen(s) == 2); }",
            8,
        ),
    ] {
        let prelude = "#include <string.h>\nextern void reach_error(void);\n\
                       #define check(c) do { if (!(c)) reach_error(); } while (0)\n";
        let path = folder.write(name, format!("{prelude}\n{text}\n"));
        let (status, report) = json(&["check", &path, "--json"]);
        assert_eq!((status, &report["verdict"]), (Some(20), &"unknown".into()), "{report}");
        let reason = report["reason"].as_str().unwrap();
        assert!(reason.ends_with(&format!("the first is at {path}:{line}")), "{reason}");
        // Whether the program has such a run is not known.
        assert!(reason.contains("that no run confirms: "), "{reason}");
    }
    Ok(())
}

fn unknown_functions_of_the_library_do_what_they_do() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("library-functions");
    let prelude = "#include <ctype.h>\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\
                   extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    for (program, expected) in [
        ("if (strtok((char[]){\"ab\"}, \"b\") == 0) reach_error();", "unknown"),
        ("if (atol(\"-5\") == -5) reach_error();", "unsafe"),
        (
            "char b[8] = \"\"; stpcpy(b, \"ab\"); if (strlen(b) != 2) reach_error();",
            "unknown",
        ),
        (
            "int x = __VERIFIER_nondet_int(); if (x == 77 && toascii(353) == 97) reach_error();",
            "unsafe",
        ),
        ("if (strtol(\"12\", 0, 10) == 13) reach_error();", "unknown"),
        ("if (rand() < 0 || random() < 0) reach_error();", "safe"),
        ("if (rand() == 4711) reach_error();", "unsafe"),
    ] {
        let file = folder.write(
            "library.c",
            format!("{prelude}int main(void) {{ {program} return 0; }}\n"),
        );
        let (_, report) = json(&["check", &file, "--json", "--timeout", "60s"]);
        assert_eq!(report["verdict"], expected, "{program}: {report}");
        let is_guessed = report["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("give it a body"));
        assert_eq!(expected == "unknown", is_guessed, "{program}: {report}");
    }
    Ok(())
}

/// A program, where it begins, and the status that it ends with.
const OUTSIDE: [(&str, &str, Option<i32>); 20] = [
    ("int f(int n) { if (n == 5) reach_error(); return 0; }", "f", Some(10)),
    (
        "int f(unsigned char n) { if (n == 500) reach_error(); return 0; }",
        "f",
        Some(0),
    ),
    ("int f(_Bool n) { if (n > 1) reach_error(); return 0; }", "f", Some(0)),
    (
        "struct r { int op, len; }; void f(struct r r) { if (r.op == 2 && r.len == 9) reach_error(); }",
        "f",
        Some(10),
    ),
    (
        "int f(n) char n; { if (n > 127) reach_error(); return 0; }",
        "f",
        Some(0),
    ),
    ("void f(int *p) { if (!p) reach_error(); }", "f", Some(10)),
    (
        "_Noreturn void panic(void); int main(void) { if (__VERIFIER_nondet_int()) { panic(); reach_error(); } return 0; }",
        "main",
        Some(0),
    ),
    (
        "void panic(void) __attribute__((noreturn)); int main(void) { panic(); reach_error(); }",
        "main",
        Some(0),
    ),
    (
        "void panic(void); int main(void) { panic(); reach_error(); }",
        "main",
        Some(10),
    ),
    (
        "int getchar(void); int main(void) { int c = getchar(); if (c < -1 || c > 255) reach_error(); return 0; }",
        "main",
        Some(0),
    ),
    (
        "int getchar(void); int main(void) { if (getchar() == 255) reach_error(); return 0; }",
        "main",
        Some(10),
    ),
    (
        "long read(int, void *, unsigned long); int main(void) { unsigned long n = 4;
             if (read(0, &n, n) > 4) reach_error(); return 0; }",
        "main",
        Some(0),
    ),
    (
        "long n = 1L << 40; int main(void) { if (__sync_fetch_and_add(&n, 2) != 1L << 40) reach_error();
             if (__atomic_load_n(&n, 5) != (1L << 40) + 2) reach_error(); return 0; }",
        "main",
        Some(0),
    ),
    (
        "__attribute__((weak)) void hook(void); int main(void) { if (hook) reach_error(); return 0; }",
        "main",
        Some(2),
    ),
    (
        "int main(void) { if (lround(5e9) > 0) reach_error(); return 0; }",
        "main",
        Some(2),
    ),
    (
        "int main(void) { if (labs(-5000000000L) > 0) reach_error(); return 0; }",
        "main",
        Some(2),
    ),
    (
        "int printf(const char *, ...); int main(void) { int n; printf(\"%d%%n%-3ln\", 1, &n); reach_error(); }",
        "main",
        Some(2),
    ),
    (
        "int printf(const char *, ...); int main(void) { printf(\"%d%%n\", 1); return 0; reach_error(); }",
        "main",
        Some(0),
    ),
    (
        "void *malloc(unsigned long); unsigned long __VERIFIER_nondet_ulong(void);
             int main(void) { if (!malloc(__VERIFIER_nondet_ulong())) reach_error(); return 0; }",
        "main",
        Some(10),
    ),
    (
        "void *calloc(unsigned long, unsigned long); int __VERIFIER_nondet_int(void);
             int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0 && !calloc(n, 8)) reach_error(); return 0; }",
        "main",
        Some(0),
    ),
];

/// A function other than `main` is called with any arguments; one that does not return ends the run; results of the
/// library are what they can be. What nobody here can know is refused.
fn what_comes_from_outside_is_what_it_can_be() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("outside");
    let prelude = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);";
    for (text, entry, expected) in OUTSIDE {
        let file = folder.write("outside.c", format!("{prelude}\n{text}\n"));
        let run = cubist(&["check", &file, "--entry", entry]);
        assert_eq!(run.status, expected, "{text}: {run:?}");
    }
    Ok(())
}

fn what_is_not_for_programs_is_refused() -> Outcome {
    tool("cc", "--version")?;
    for options in [
        ["--undefined", "report"].as_slice(),
        &["--engine", "indexed"],
        &["--size", "N=3"],
        &["--property", "mutual exclusion"],
        &["--graph", "x.svg"],
    ] {
        let run = cubist(&[&["check", LOCK], options].concat());
        assert_eq!(run.status, Some(2), "{options:?}: {run:?}");
    }
    // The message is the command that answers it.
    let folder = Folder::new("overflow");
    let property = folder.write("o.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let run = cubist(&["check", LOCK, "--property", &property]);
    assert_eq!(run.status, Some(2), "{run:?}");
    let command = format!("`cubist explore {LOCK} --property {property}` looks for it");
    assert!(run.stderr.contains(&command), "{run:?}");
    let run = cubist(&["check", LOCK, "-q"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    assert!(
        run.stdout.starts_with("Unknown: the program has nothing to check"),
        "{run:?}"
    );
    // A rule was given: it is about what the program does not do.
    let run = cubist(&["check", LOCK, "-q", "--rule", "rules/double-close.rule"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    let expected = "Unknown: the program has nothing to check: the rule is about calls of `close`, `read`, `write`, \
                    `open` and 51 others, and the program makes none; nor has it an assertion";
    assert!(run.stdout.starts_with(expected), "{run:?}");
    Ok(())
}

/// A compiler that says something else is believed: *unsafe* is not said, and everything is kept.
fn a_run_that_gcc_does_not_confirm_is_a_mistake() -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    tool("cc", "--version")?;
    let folder = Folder::new("elsewhere");
    let file = folder.write(
        "wrong.i",
        "extern void reach_error(void); int main(void) { reach_error(); return 0; }",
    );
    let harness = folder.path("run.c");
    let (status, report) = json(&["check", &file, "--json", "--harness", &harness]);
    assert_eq!((status, report["gcc"]["is_reached"].as_bool()), (Some(10), Some(true)));
    assert!(std::fs::read_to_string(&harness).unwrap().contains("cubist_reached"));
    let fake = folder.write(
        "gcc",
        "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\nexit 3\\n' > \"$2\"\nchmod +x \"$2\"\n",
    );
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let kept = Folder::new("elsewhere-kept");
    let mut command = common::command(&["check", &file, "--json"]);
    command
        .env("PATH", format!("{}:{path}", folder.0.display()))
        .env("TMPDIR", &kept.0);
    let run = common::Run::of(command.output().unwrap());
    assert_eq!(run.status, Some(70), "{run:?}");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let kept = report["internal_error"]["folder"].as_str().unwrap();
    assert!(std::path::Path::new(kept).join("harness.c").exists());
    let mut command = common::command(&["check", &file, "--json"]);
    command.env("PATH", folder.path("nowhere"));
    let run = common::Run::of(command.output().unwrap());
    assert!(
        run.stdout.contains("gcc is not installed") && run.status == Some(10),
        "{run:?}"
    );
    Ok(())
}

const SAFE: &str = "int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    if (x < 100) { x = x + 1; y = y + 1; }
  }
  check(x == y);
  return 0;
}";
const UNSAFE: &str = "int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  check(x != 77 || y != -5);
  return 0;
}";

/// A witness is confirmed; whatever is changed in it that means something is not.
fn witnesses_are_confirmed_and_corrupted_ones_are_not() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("witnesses");
    let mut refused = 0;
    for (name, program) in [("safe.c", SAFE), ("unsafe.c", UNSAFE)] {
        let file = folder.write(name, format!("{PRELUDE}{program}"));
        let path = folder.path(&format!("{name}.yml"));
        cubist(&["check", &file, "--witness", &path, "-q"]);
        let witness = std::fs::read_to_string(&path).unwrap();
        let run = cubist(&["validate", &path, "--model", &file]);
        assert_eq!(run.status, Some(0), "{run:?}\n{witness}");
        let kind = if name == "safe.c" {
            "loop_invariant"
        } else {
            "function_return"
        };
        assert!(witness.contains(kind), "{witness}");
        for (number, line) in witness.lines().enumerate() {
            let free = [
                "uuid",
                "creation_time",
                "producer",
                "name:",
                " version:",
                "function:",
                "column",
                "acsl",
            ];
            if free.iter().any(|word| line.contains(word)) {
                continue;
            }
            let changed = match line.rsplit_once(|each: char| each.is_ascii_digit()) {
                // Another number.
                Some((before, behind)) => format!("{before}{}{behind}", if line.contains('9') { 4 } else { 9 }),
                None => String::new(),
            };
            let with = |line: &str| {
                let mut lines: Vec<&str> = witness.lines().collect();
                lines[number] = line;
                lines.join("\n")
            };
            for mutant in [with(&changed), with("")] {
                if mutant.trim_end() == witness.trim_end() {
                    continue;
                }
                let path = folder.write("mutant.yml", &mutant);
                let run = cubist(&["validate", &path, "--model", &file]);
                let is_told = run.status == Some(20) || format!("{}{}", run.stdout, run.stderr).contains("mutant.yml");
                assert!(matches!(run.status, Some(2 | 10 | 20)) && is_told, "{run:?}\n{mutant}");
                refused += 1;
            }
        }
    }
    assert!(refused > 40, "{refused}");
    Ok(())
}

/// A loop, and beside it what is no place for an invariant.
const PLACES: &str = "#include <limits.h>
extern void reach_error(void); extern void other(void);
int calls;
int helper(void) { calls++; return 1; }
int main(void) {
  int x = 0;
  // while (x < 5) is no loop; x = 4;
  while (x < 10) {
    x++;
  }
  if (x != 10) reach_error();
  x = 3;
  if (x == 3) other();
#if 0
  while (x < 3) ;
#endif
  return 0;
}
";

/// An invariant of a witness: of a loop or a location, its line and column, and what it says.
type Stated<'s> = (&'s str, usize, usize, &'s str);

/// A correctness witness with one invariant each of these: kind, line, column, value.
fn correctness(program: &str, property: &str, invariants: &[Stated]) -> String {
    let digest = common::sha256(program);
    let mut text = format!(
        "- entry_type: invariant_set
  metadata:
    format_version: \"2.0\"
    task:
      input_files:
      - \"a.c\"
      input_file_hashes:
        \"a.c\": {digest}
      specification: \"CHECK( init(main()), LTL(G ! call({property}())) )\"
      data_model: LP64
      language: C
  content:{}\n",
        if invariants.is_empty() { " []" } else { "" }
    );
    for (kind, line, column, value) in invariants {
        text += &format!(
            "  - invariant:
      type: {kind}_invariant
      location:
        line: {line}
        column: {column}
      value: \"{value}\"
      format: c_expression\n"
        );
    }
    text
}

/// Invariants that say nothing, hide others, or stand where there is no code; and a property that nobody asked for.
fn forged_invariants_are_refused() -> Outcome {
    tool("cc", "--version")?;
    common::solvers()?;
    let folder = Folder::new("forged-invariants");
    let file = folder.write("a.c", PLACES);
    let validate = |property: &str, invariants: &[Stated]| {
        let witness = folder.write("a.yml", correctness(PLACES, property, invariants));
        cubist(&["validate", &witness, "--model", &file])
    };
    let run = validate(
        "reach_error",
        &[("loop", 8, 3, "x <= 10"), ("location", 12, 3, "x == 10")],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout
            .contains("all 2 invariants hold, and the program has the property"),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("property  CHECK( init(main()), LTL(G ! call(reach_error())) )"),
        "{run:?}"
    );
    let wrong = ("location", 12, 3, "x == 99");
    let forgeries: [(&[Stated], i32); 10] = [
        (&[wrong], 10),
        (&[("loop", 7, 6, "0")], 2),
        (&[("location", 7, 37, "0")], 2),
        (&[("loop", 15, 3, "0")], 2),
        (&[("location", 11, 3, "(helper)() == 1")], 10),
        (&[("location", 11, 3, "x == 99 /*(*/ ) || (1 /*)*/")], 2),
        (&[("location", 11, 3, "1/0 == 5")], 20),
        (&[("location", 11, 3, "1/(x-10) == 5"), wrong], 20),
        (&[("location", 11, 3, "*(int*)0 == 5"), wrong], 20),
        (&[("location", 11, 3, "x / 2 == 5"), wrong], 10),
    ];
    for (invariants, status) in forgeries {
        let run = validate("reach_error", invariants);
        assert_eq!(run.status, Some(status), "{invariants:?}: {run:?}");
    }
    // The property is the witness' own: it is shown.
    let run = validate("other", &[]);
    assert_eq!(run.status, Some(10), "{run:?}");
    let witness = folder.write("a.yml", correctness(PLACES, "reach_error", &[]));
    let asked = |option: &[&str]| cubist(&[&["validate", &witness, "--model", &file], option].concat());
    let property = |name: &str| {
        let text = format!("CHECK( init(main()), LTL(G ! call({name}())) )\n");
        folder.write(&format!("{name}.prp"), text)
    };
    assert_eq!(asked(&["--property", &property("reach_error")]).status, Some(0));
    assert_eq!(asked(&["--data-model", "lp64"]).status, Some(0));
    let run = asked(&["--property", &property("other")]);
    assert!(
        run.status == Some(2) && run.stderr.contains("another property"),
        "{run:?}"
    );
    let run = asked(&["--data-model", "ilp32"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("another data model"),
        "{run:?}"
    );
    let run = cubist(&["validate", &witness, "--model", &file, "--size", "P=3"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("--size is about models"),
        "{run:?}"
    );
    Ok(())
}

/// The terminal shows both ends of a long run; the middle is counted, and other reports have all of it.
fn a_long_run_is_folded() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("long");
    let text = "static int add(int n, int x) {
  return n + (x == x);
}
int main(void) {
  int n = 0;
  while (n < 300)
    n = add(n, __VERIFIER_nondet_int());
  check(n == 0);
  return 0;
}";
    let file = folder.write("long.c", format!("{PRELUDE}{text}"));
    let run = cubist(&["check", &file]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.lines().count() < 250, "{run:?}");
    for expected in [
        " lines; --verbose, --json or --report shows all\n\n",
        "... and 200 more, which --verbose and --json show\n",
        "-- n = 0\n",
        "n = 300\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    let whole = cubist(&["check", &file, "--verbose"]);
    assert!(whole.stdout.lines().count() > 900, "{whole:?}");
    assert!(!whole.stdout.contains("shows all"), "{whole:?}");
    let (_, report) = json(&["check", &file, "--json"]);
    let properties = report["properties"].as_array().unwrap();
    let trace = properties.iter().find_map(|property| property["trace"].as_array());
    assert!(trace.unwrap().len() > 600, "{report}");
    Ok(())
}

/// The lines that the violation depends on come first, also what was forgotten; the others are counted.
fn a_run_shows_what_matters() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("matters");
    let text = "int main(void) {
  int held = 0, other = 0, size = __VERIFIER_nondet_int();
  for (int i = 0; i < 5; i++)
    other += i;
  held = 1;
  if (size < 10)
    held = 0;
  if (other == 3)
    other = 4;
  check(held == 0);
  return 0;
}";
    let file = folder.write("run.c", format!("{PRELUDE}{text}"));
    let (_, report) = json(&["check", &file, "--json"]);
    let properties = report["properties"].as_array().unwrap();
    let steps = properties
        .iter()
        .find_map(|property| property["trace"].as_array())
        .unwrap();
    let kept: Vec<u64> = steps
        .iter()
        .filter(|step| step["matters"] == true)
        .filter_map(|step| step["place"]["line"].as_u64())
        .collect();
    // `size` is read in line 5, `held` is written in line 8, kept in line 9 and looked at in line 13.
    assert_eq!(kept, [5, 8, 9, 13], "{steps:?}");
    let run = cubist(&["check", &file]);
    assert!(
        run.stdout.contains("lines\n") && !run.stdout.contains("other += i"),
        "{}",
        run.stdout
    );
    assert!(cubist(&["check", &file, "-v"]).stdout.contains("other += i"));
    Ok(())
}

/// One file that needs no other, whatever stands in the source.
fn an_answer_is_a_page() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("pages");
    let page = folder.path("report.html");
    for (file, verdict, expected) in [
        (LOCK_BUG, "unsafe", "class=\"bad\""),
        (LOCK, "safe", "<div class=\"inv\">held == 0</div>"),
    ] {
        cubist(&["check", file, "--rule", RULE, "-q", "--report", &page]);
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains(&format!("badge {verdict}")) && text.contains(expected) && text.contains("<svg"));
        assert!(
            !text.contains("src=") && !text.contains("<link") && !text.contains("<script"),
            "{text}"
        );
    }
    let file = folder.write(
        "mark.i",
        "void reach_error(void); int main(void) { if (1 < 2) reach_error(); /* </pre><script> */ }",
    );
    cubist(&["check", &file, "-q", "--report", &page]);
    assert!(!std::fs::read_to_string(&page).unwrap().contains("<script>"));
    let run = cubist(&["check", "models/mutex-server.m", "--witness", &page]);
    assert!(
        run.status == Some(2) && run.stderr.contains("--witness is about C programs"),
        "{run:?}"
    );
    Ok(())
}

testing::tests!(
    what_holds_is_proved_and_what_does_not_is_refuted,
    a_rule_is_proved_and_its_certificate_made_again,
    what_a_certificate_is_about_is_said_first,
    integers_may_have_no_end,
    a_forged_certificate_is_refused,
    a_broken_rule_is_shown_with_its_run,
    reports_for_other_tools_have_the_run,
    verdicts_of_others_are_found,
    undefined_behaviour_before_a_violation_is_named,
    what_is_approximated_is_named,
    unknown_functions_of_the_library_do_what_they_do,
    what_comes_from_outside_is_what_it_can_be,
    what_is_not_for_programs_is_refused,
    a_run_shows_what_matters,
    a_long_run_is_folded,
    an_answer_is_a_page,
    witnesses_are_confirmed_and_corrupted_ones_are_not,
    forged_invariants_are_refused,
    a_run_that_gcc_does_not_confirm_is_a_mistake,
);
