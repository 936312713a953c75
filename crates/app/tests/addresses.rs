//! Addresses as numbers, pointers before their objects, pointers that no analysis follows, and the arguments of `main`.
//! What a program does is gcc's word: each of these is compiled and run as well.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist};
use std::path::Path;
use std::process::Command;
use testing::{Outcome, tool};

const PRELUDE: &str = "extern int nondet(void); extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__), *memset(void *, int, __SIZE_TYPE__);
typedef unsigned long uptr; typedef unsigned char byte;
#define check(c) do { if (!(c)) reach_error(); } while (0)
#define container_of(p, T, m) ((T *)((char *)(p) - __builtin_offsetof(T, m)))
#define HIDDEN if (nondet() * 7 - 3 != 86419750) return 0
#define BITS (8 * (int)sizeof(uptr))
struct list { struct list *next, *prev; }; struct node { int data; struct list list; }; struct R { int a, b, c; };
static byte table[256]; static void fill(void) { int i; for (i = 0; i < 256; i++) table[i] = i; }
struct list head; struct node node; int x, y, a[4]; struct R r[3];\n";

/// What `nondet` returns when gcc's program runs: only a solver finds it.
const STUB: &str = "#include <stdlib.h>
int nondet(void) { return 12345679; }\nvoid reach_error(void) { _Exit(42); }\n";

/// A name, a program that gcc's runs show to be safe, and a change after which they fail.
const PAIRS: [(&str, &str, (&str, &str)); 24] = [
    (
        "a number and an offset",
        "int main(void) { HIDDEN; check((char *)100 + 5 == (char *)105); }",
        ("== (char *)105", "!= (char *)105"),
    ),
    (
        "a field of a record at a number",
        "int main(void) { HIDDEN; check((uptr)&((struct R *)16)->b == 20); }",
        ("== 20", "!= 20"),
    ),
    (
        "numbers in order",
        "int main(void) { HIDDEN; check((char *)100 < (char *)200 && (char *)200 > (char *)0); }",
        ("< (char *)200", "> (char *)200"),
    ),
    (
        "the distance of numbers",
        "int main(void) { HIDDEN; check((int *)200 - (int *)100 == 25); }",
        ("== 25", "== -25"),
    ),
    (
        "null and an offset, and around the end",
        "int main(void) { struct R *n = 0; HIDDEN; check((uptr)&n->c == 8 && (char *)0 - 1 == (char *)-1L); }",
        ("- 1 == (char *)-1L", "- 1 != (char *)-1L"),
    ),
    (
        "an index behind a number that is not known",
        "int main(void) { int n = nondet() & 15; HIDDEN; check((uptr)&((int *)(uptr)(64 + 4 * n))[3] == 76 + 4 * n); }",
        ("== 76", "== 52"),
    ),
    (
        "a register that is walked to",
        "int main(void) { char *p = (char *)16; int i; HIDDEN; for (i = 0; i < 10; i++) p += 4; check(p == (char *)56); }",
        ("p == (char *)56", "p != (char *)56"),
    ),
    (
        "a variable that holds a number at the start",
        "char *g = (char *)0x100; int main(void) { HIDDEN; check(g + 1 == (char *)0x101 && g > (char *)0); }",
        ("g + 1 ==", "g - 1 =="),
    ),
    (
        "a number that is negative goes there and back",
        "int main(void) { int n = -(nondet() & 255); void *p = (void *)(long)n; HIDDEN; check((long)p == n); }",
        ("(long)p == n", "(long)p == -n"),
    ),
    (
        "a number of an error beside an object",
        "void *get(int n) { return n ? (void *)(long)-n : (void *)&x; }
         int main(void) { int n = nondet() & 15; void *p = get(n); HIDDEN; if (n) check(p != &x && (uptr)p >= -15UL); }",
        ("(uptr)p >= -15UL", "(uptr)p < -15UL"),
    ),
    (
        "the bare head of a list",
        "int main(void) { struct node *n = container_of(&head, struct node, list); HIDDEN; n->list.next = &head;
           check(head.next == &head && head.prev == 0); }",
        ("head.next == &head &&", "head.next == 0 &&"),
    ),
    (
        "the bare head of a list, or an entry",
        "int main(void) { int k = nondet(); struct node *n = k ? container_of(&head, struct node, list) : &node; HIDDEN;
           n->list.prev = &head; check(k ? head.prev == &head : node.list.prev == &head); }",
        ("k ? head.prev == &head", "k ? head.prev == 0"),
    ),
    (
        "an array from before its beginning",
        "int main(void) { int *p = a - 3, i = nondet() & 3; HIDDEN; p[3 + i] = 7; check(a[i] == 7); }",
        ("a[i] == 7", "a[i] == 0"),
    ),
    (
        "records from before their beginning",
        "int main(void) { struct R *p = r - 2; HIDDEN; p[2].b = 7; check(r[0].b == 7 && r[0].a == 0); }",
        ("r[0].b == 7", "r[0].b == 0"),
    ),
    (
        "a step back, and on",
        "int main(void) { char *p = (char *)&x - 100; HIDDEN; p += 100; *(int *)p = 5; check(x == 5); }",
        ("check(x == 5)", "check(x == 0)"),
    ),
    (
        "a pointer that a number was made, and an object that is none of its business",
        "int main(void) { uptr n = (uptr)&x; int *p = (int *)n; HIDDEN; y = 3; *p = 5; check(y == 3 && x == 5); }",
        ("x == 5", "x == 0"),
    ),
    (
        "an element by a number",
        "int main(void) { uptr n = (uptr)a; int i = nondet() & 3; HIDDEN; ((int *)n)[i] = 5; check(a[i] == 5); }",
        ("a[i] == 5", "a[i] != 5"),
    ),
    (
        "a pointer that equals an address",
        "int main(void) { uptr n = (uptr)&x; int *p = (int *)n; HIDDEN; check(p == &x && (uptr)&x != (uptr)&y); }",
        ("p == &x", "p != &x"),
    ),
    (
        "addresses are not null, and lie somewhere",
        "int main(void) { HIDDEN; check((char *)&x > (char *)0 && (uptr)&x != 0); }",
        ("(uptr)&x != 0", "(uptr)&x == 0"),
    ),
    (
        "the numbers of arguments",
        "int main(int argc, char **argv) { check(argc >= 1 && argv[0] != 0); }",
        ("argc >= 1", "argc == 1"),
    ),
    (
        "the last of a few arguments",
        "int main(int argc, char **argv) { if (argc <= 3) check(argv[argc] == 0); if (argc == 3) check(argv[1] != 0); }",
        ("argv[1] != 0", "argv[1] == 0"),
    ),
    (
        "a character of an argument",
        "int main(int argc, char **argv) { if (argc > 1) { argv[1][0] = 'x'; check(argv[1] != 0); } }",
        ("argv[1] != 0", "argv[1][0] != 'x'"),
    ),
    (
        "the name of the program is written",
        "int main(int argc, char **argv) { argv[0][0] = 'x'; check(argv[0] != 0); }",
        ("argv[0] != 0", "argv[0][0] != 'x'"),
    ),
    (
        "the environment",
        "int main(int argc, char **argv, char **envp) { check(envp != 0); }",
        ("envp != 0", "envp[0] == 0"),
    ),
];

/// Safe by gcc, and not proved: the baseline did not prove it, either. Its change must be found like any other.
const NOT_PROVED: &str = "a number of an error beside an object";

/// Programs that gcc's runs show to fail: no proof may miss how the pointer was made.
const LOST: [(&str, &str); 20] = [
    (
        "from bits by branches",
        "uptr n = (uptr)&x, m = 0; int i; for (i = 0; i < BITS; i++) if (n >> i & 1) m |= 1UL << i;
         *(int *)m = 5; check(x == 0);",
    ),
    (
        "from bytes through a table",
        "int *p = &x, *q; byte *s = (byte *)&p, *d = (byte *)&q; int i; fill();
         for (i = 0; i < (int)sizeof p; i++) d[i] = table[s[i]]; *q = 5; check(x == 0);",
    ),
    (
        "a pointer to a function, through a table",
        "void (*f)(void) = set, (*g)(void); byte *s = (byte *)&f, *d = (byte *)&g; int i; fill();
         for (i = 0; i < (int)sizeof f; i++) d[i] = table[s[i]]; g(); check(x == 0);",
    ),
    (
        "an input that equals an address",
        "uptr n = (uptr)&x - 3; for (;; n++) if ((int *)n == &x) { *(int *)n = 5; break; } check(x == 0);",
    ),
    ("a tag", "uptr n = (uptr)&x | 1; *(int *)(n & ~1UL) = 5; check(x == 0);"),
    (
        "a list by differences of bits",
        "uptr link = (uptr)&x ^ (uptr)&y; *(int *)(link ^ (uptr)&x) = 9; check(y == 0);",
    ),
    (
        "a pointer in a table of numbers",
        "static uptr known[4]; uptr n = (uptr)&x; int i; known[n >> 4 & 3] = n;
         for (i = 0; i < 4; i++) if (known[i]) *(int *)known[i] = 7; check(x == 0);",
    ),
    (
        "copied bytes",
        "int *p = &x, *q; char kept[sizeof p]; memcpy(kept, &p, sizeof p); memcpy(&q, kept, sizeof q); *q = 5;
         check(x == 0);",
    ),
    ("halves", "uptr n = (uptr)&x; unsigned short lo = n; uptr hi = n >> 16; *(int *)(hi << 16 | lo) = 5; check(x == 0);"),
    ("a float", "double d = (double)(uptr)&x; *(int *)(uptr)d = 5; check(x == 0);"),
    (
        "the distance of two objects",
        "long d = (char *)&y - (char *)&x; *(int *)((char *)&x + d) = 5; check(y == 0);",
    ),
    (
        "memory that is set",
        "uptr n = (uptr)&x, m = 0; int i; x = 1; for (i = 0; i < BITS; i++) if (n >> i & 1) m |= 1UL << i;
         memset((void *)m, 0, 4); check(x == 1);",
    ),
    (
        "a record that is copied",
        "uptr n = (uptr)&r[0], m = 0; struct R s = { 1, 2, 3 }; int i; for (i = 0; i < BITS; i++) if (n >> i & 1) m |= 1UL << i;
         *(struct R *)m = s; check(r[0].b == 0);",
    ),
    (
        "a pointer that is stored where nobody follows",
        "static int *box; uptr n = (uptr)&box, m = 0; int i; for (i = 0; i < BITS; i++) if (n >> i & 1) m |= 1UL << i;
         *(int **)m = &x; *box = 5; check(x == 0);",
    ),
    (
        "aligned",
        "static char buffer[64]; char *p = (char *)(((uptr)buffer + 15) & ~15UL); int i, s = 0; *p = 3;
         for (i = 0; i < 64; i++) s += buffer[i]; check(s == 0);",
    ),
    (
        "memory that was allocated",
        "int *p = malloc(4); uptr n, m = 0; int i; *p = 0; n = (uptr)p;
         for (i = 0; i < BITS; i++) if (n >> i & 1) m |= 1UL << i; *(int *)m = 5; check(*p == 0);",
    ),
    (
        "the head of a list by numbers",
        "struct node *n = (struct node *)((uptr)&head - __builtin_offsetof(struct node, list)); n->list.next = &head;
         check(head.next == 0);",
    ),
    (
        "the head of a list, set and copied",
        "struct node *n = container_of(&head, struct node, list); struct node s = { 0 }; s.list.next = &head;
         n->list = s.list; check(head.next == 0);",
    ),
    ("objects in order", "check((&x < &y) == (&y < &x));"),
    ("the distance of an address and null", "check(((char *)&x - (char *)0) % 4096 == 1);"),
];

fn verdict(file: &Path, more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let file = file.to_str().unwrap();
    let run = cubist(&[&["check", file, "--json"], more].concat());
    (run.status, serde_json::from_str(&run.stdout).unwrap_or_default())
}

/// Whether gcc's program fails, with any of a few arguments.
fn fails(folder: &Folder, file: &Path) -> bool {
    let (stub, program) = (folder.write("stub.c", STUB), folder.write("program", ""));
    std::fs::remove_file(&program).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-w", "-no-pie"])
        .arg(file)
        .arg(&stub)
        .arg("-o")
        .arg(&program);
    let compiled = gcc.output().unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let mut arguments = [&[][..], &["a"], &["a", "-v"]].into_iter();
    arguments.any(|arguments: &[&str]| {
        let run = Command::new(&program).args(arguments).status().unwrap();
        assert!(matches!(run.code(), Some(0 | 42)), "{run:?}");
        run.code() == Some(42)
    })
}

fn what_is_safe_is_proved_and_no_failure_is_missed() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("addresses");
    let mut wrong = Vec::new();
    for (name, program, (from, to)) in PAIRS {
        assert!(program.contains(from), "{name}");
        for (text, is_safe) in [(program.to_owned(), true), (program.replacen(from, to, 1), false)] {
            let file = folder.write("address.c", format!("{PRELUDE}{text}\n"));
            let file = Path::new(&file);
            assert_eq!(fails(&folder, file), !is_safe, "{name}, by gcc: {text}");
            let (status, report) = verdict(file, &["--timeout", "60s"]);
            let (_, by_slam) = verdict(file, &["--timeout", "20s", "--engine", "slam"]);
            let is_right = match is_safe {
                true if name == NOT_PROVED => report["verdict"] != "unsafe" && by_slam["verdict"] != "unsafe",
                true => report["verdict"] == "safe" && by_slam["verdict"] != "unsafe",
                false => report["verdict"] == "unsafe" && by_slam["verdict"] != "safe",
            };
            if !is_right {
                let verdicts = (&report["verdict"], &by_slam["verdict"]);
                wrong.push(format!(
                    "{name}, safe: {is_safe}: {status:?} {verdicts:?} {}",
                    report["reason"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn no_pointer_is_lost() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("lost-pointers");
    let mut wrong = Vec::new();
    for (name, body) in LOST {
        let text =
            format!("{PRELUDE}void set(void) {{ x = 1; }}\nint main(void) {{ HIDDEN; {{ {body} }} return 0; }}\n");
        let file = folder.write("lost.c", text);
        let file = Path::new(&file);
        assert!(fails(&folder, file), "{name}, by gcc");
        for more in [&["--timeout", "6s"][..], &["--timeout", "6s", "--engine", "slam"]] {
            let (status, report) = verdict(file, more);
            if !matches!(status, Some(10 | 20)) {
                wrong.push(format!(
                    "{name} {more:?}: {status:?} {} {}",
                    report["verdict"], report["reason"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Conditions that hold in some program that C allows for the text, after the declarations before them.
const TOUCHING: [(&str, &str, &str); 12] = [
    (
        "the end of a variable",
        "static char p[4], q[4]; int i = nondet() & 7;",
        "i <= 4 && p + i == q",
    ),
    (
        "by a table",
        "static char p[4], q[4]; static char *ends[2] = { p + 4, q + 4 };",
        "ends[nondet() & 1] == q",
    ),
    (
        "arguments and environment",
        "",
        "(void *)(argv + argc + 1) == (void *)envp",
    ),
    ("two arguments", "", "argc == 2 && argv[1] == argv[0] + 5"),
    (
        "the end of an argument",
        "int n = 0; while (argv[0][n]) n++;",
        "argc == 2 && argv[0] + n + 1 == argv[1]",
    ),
    (
        "a literal that is the end of another",
        "const char *p = \"hello\", *q = \"ello\";",
        "p + 1 == q",
    ),
    (
        "the same in a loop",
        "const char *p = \"sunday\", *q = \"day\"; while (*p && p != q) p++;",
        "p == q",
    ),
    (
        "their numbers",
        "const char *p = \"xabc\", *q = \"abc\";",
        "(uptr)q - (uptr)p == 1",
    ),
    (
        "an empty literal",
        "const char *p = \"%d\\n\", *q = \"\";",
        "p + 3 == q",
    ),
    (
        "objects without a byte",
        "struct E {}; static struct E e, f; struct E *volatile p = &e, *volatile q = &f;",
        "p == q",
    ),
    (
        "no bytes on the stack",
        "char *p = __builtin_alloca(0), *q = __builtin_alloca(0);",
        "p == q",
    ),
    (
        "the end of an allocated object",
        "char *p = malloc(16), *q = malloc(16); int i = nondet() & 31;",
        "i <= 16 && p + i == q",
    ),
];

/// Never safe: C leaves it open, and some program of gcc does it.
fn objects_may_touch() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("touching");
    for (name, body, condition) in TOUCHING {
        for more in [&["--timeout", "20s"][..], &["--timeout", "10s", "--engine", "slam"]] {
            let main = "int main(int argc, char **argv, char **envp)";
            let text = format!("{PRELUDE}{main} {{ {body} if ({condition}) reach_error(); return 0; }}\n");
            let file = folder.write("touching.c", text);
            let (status, report) = verdict(Path::new(&file), more);
            assert!(
                matches!(status, Some(10 | 20)),
                "{name} {more:?}: {status:?} {}",
                report["reason"]
            );
        }
    }
    Ok(())
}

/// What keeps objects apart all the same.
fn beginnings_differ() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("apart");
    for body in [
        "static char p[4], q[4]; int i = nondet() & 3; check(p + i != q);",
        "int *p = malloc(4), *q = malloc(4), *s = nondet() ? p : q; check(p != q && (s == p) != (s == q));",
        "int n = nondet() & 7, *p = malloc(4 * n), *q = malloc(4 * n); check(p != q);",
        "const char *p = \"one\", *q = \"two\"; check(p != q);",
        "struct node *p = malloc(sizeof *p), *q = &node; p->list.next = &q->list; check(p->list.next != &p->list);",
    ] {
        let file = folder.write("apart.c", format!("{PRELUDE}int main(void) {{ {body} return 0; }}\n"));
        let (status, report) = verdict(Path::new(&file), &["--timeout", "60s"]);
        assert_eq!(status, Some(0), "{body}: {} {}", report["verdict"], report["reason"]);
    }
    Ok(())
}

/// The names by which gcc's program knows its functions, and numbers that do not fit.
fn runs_are_those_of_gcc() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("as-gcc");
    for (text, status) in [
        ("int f(int) __asm__(\"f64\"); int main(void) { check(f(1) != 9); }", 10),
        (
            "int f(int) __asm__(\"odd$name\"); int main(void) { check(f(1) != 9); }",
            10,
        ),
        (
            "int open(const char *, int, ...) __asm__(\"open64\"); int main(void) { check(open(\"x\", 0) != 9); }",
            10,
        ),
        ("int main(void) { check(sizeof __func__ != 5); }", 10),
        (
            "int main(void) { check(__func__[0] != 'm' || __PRETTY_FUNCTION__[3] != 'n'); }",
            10,
        ),
        (
            "static int f(void) { return sizeof __func__; } int main(void) { check(f() == 2); }",
            0,
        ),
        (
            "int main(void) { check(__builtin_object_size(&x, 0) == 4 && __builtin_object_size(a, 1) == 16); }",
            0,
        ),
        ("int main(void) { check(__builtin_object_size(\"abc\", 2) != 4); }", 10),
    ] {
        let file = folder.write("run.c", format!("{PRELUDE}{text}\n"));
        let (found, report) = verdict(Path::new(&file), &["--timeout", "60s"]);
        assert_eq!(
            found,
            Some(status),
            "{text}: {} {}",
            report["verdict"],
            report["reason"]
        );
    }
    let conversions = "double v[] = { -1, 300, 70000.7, -70000, 3e9, -3e9, 5e9, 1e19, 2e19, -1e19, 1e30, -1e30, 0.5 };
        unsigned long h = 0; int i;
        for (i = 0; i < 13; i++) {
            unsigned char a = v[i]; signed char b = v[i]; unsigned short c = v[i]; short d = v[i];
            unsigned e = v[i]; int f = v[i]; unsigned long g = v[i]; long k = v[i];
            h = h * 31 + a; h = h * 31 + b; h = h * 31 + c; h = h * 31 + d;
            h = h * 31 + e; h = h * 31 + f; h = h * 31 + g; h = h * 31 + k;
        }";
    // What gcc's program computes, bit by bit.
    for bit in (0..64).step_by(8) {
        let text = format!("{PRELUDE}int main(void) {{ {conversions} check(!(h >> {bit} & 1)); }}\n");
        let file = folder.write("conversions.c", text);
        if fails(&folder, Path::new(&file)) {
            let (status, report) = verdict(Path::new(&file), &["--timeout", "60s"]);
            assert_eq!(status, Some(10), "bit {bit}: {}", report["reason"]);
        }
    }
    Ok(())
}

/// What gcc makes of a promise that a body breaks is left open: here, a program means what its bodies say.
fn broken_promises_mean_what_the_bodies_say() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("promises");
    for (promise, is_kept) in [
        ("const", false),
        ("__pure__", false),
        ("nonnull", false),
        ("const", true),
    ] {
        let effect = if is_kept { "" } else { "x++;" };
        let text = format!(
            "{PRELUDE}int f(int *) __attribute__(({promise})); int f(int *p) {{ {effect} return p == 0; }}
             int main(void) {{ f(&x); check(x == 0 && f(0) == 1); }}\n"
        );
        let file = folder.write("promise.c", text);
        let (status, report) = verdict(Path::new(&file), &["--timeout", "60s"]);
        let expected = if is_kept { Some(0) } else { Some(10) };
        assert_eq!(status, expected, "{promise}: {}", report["reason"]);
    }
    Ok(())
}

testing::tests!(
    what_is_safe_is_proved_and_no_failure_is_missed,
    no_pointer_is_lost,
    objects_may_touch,
    beginnings_differ,
    runs_are_those_of_gcc,
    broken_promises_mean_what_the_bodies_say,
);
