//! Programs and specifications that once had a wrong answer, or none: each stands for a cause.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{verdict, verdict_where};

const ROUTINES: &str = "
A = ( a -> return {} -> STOP ).
B = ( b -> return {} -> STOP ).
C = ( c -> return {} -> STOP ).
ASK = ( return {$0 == 0} -> STOP | return {$0 == 7} -> STOP ).
cproc a { abstract { a, (1), A }; }
cproc b { abstract { b, (1), B }; }
cproc c { abstract { c, (1), C }; }
cproc ask { abstract { ask, (1), ASK }; }
";
const DECLARATIONS: &str = "void a(void); void b(void); void c(void); int ask(void);\n";

/// What is said of the component `f`, whose specification is `S`.
fn answer(program: &str, specification: &str) -> String {
    let specification = format!("{specification}{ROUTINES}program f {{ abstract {{ all, (1), S }}; }}\n");
    verdict(&format!("{DECLARATIONS}{program}\n"), &specification)
}

#[track_caller]
fn violated(program: &str, specification: &str) {
    assert_eq!(answer(program, specification), "violated", "{program}\n{specification}");
}

#[track_caller]
fn conforms(program: &str, specification: &str) {
    assert_eq!(answer(program, specification), "conforms", "{program}\n{specification}");
}

#[test]
fn returns_behind_calls_in_tail_position_are_seen() {
    let choice = "void f(int x) { if (x * 7919 == 123457) b(); else a(); }";
    violated(choice, "S = ( a -> return {} -> STOP ).");
    violated(choice, "S = ( a -> return {} -> STOP ) + {b}.");
    violated(choice, "S = ( a -> return {} -> STOP | b -> STOP ).");
    conforms(choice, "S = ( a -> return {} -> STOP | b -> return {} -> STOP ).");
    violated("void f(void) { a(); }", "S = ( a -> S ) + {return {}}.");
    violated("int f(void) { return ask(); }", "S = ( return {$0 == 0} -> STOP ).");
    violated(
        "int f(void) { a(); return ask(); }",
        "S = ( a -> return {$0 == 7} -> STOP ).",
    );
    conforms(
        "int f(void) { a(); return ask(); }",
        "S = ( a -> R ), R = ( return {$0 == 7} -> STOP | return {$0 == 0} -> STOP ).",
    );
    conforms(
        "long f(void) { return ask(); }",
        "S = ( return {$0 == 0} -> STOP | return {$0 != 0} -> STOP ).",
    );
    // Inside of helpers.
    let helper = "static void g(int x) { if (x == 123) b(); else a(); }";
    violated(
        &format!("{helper} void f(int x) {{ g(x); }}"),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    conforms(
        &format!("{helper} void f(int x) {{ g(x); }}"),
        "S = ( a -> return {} -> STOP | b -> return {} -> STOP ).",
    );
    let helper = "static int g(int x) { return ask(); }";
    violated(
        &format!("{helper} int f(int x) {{ return g(x); }}"),
        "S = ( return {$0 == 0} -> STOP ).",
    );
    conforms(
        &format!("{helper} int f(int x) {{ return g(x); }}"),
        "S = ( return {$0 == 0} -> STOP | return {$0 == 7} -> STOP ).",
    );
    violated(
        &format!("{helper} int f(int x) {{ return g(x) + 1; }}"),
        "S = ( return {$0 == 1} -> STOP ).",
    );
}

#[test]
fn guards_hold_at_the_beginning_only() {
    let specification = |guard: &str| {
        format!(
            "S = ( a -> S | return {{}} -> STOP ) + {{b}}.{ROUTINES}program f {{ abstract {{ one, ({guard}), S }}; \
                 abstract {{ two, (!({guard})), ANY }}; }}\nANY = ( {{a, b, return {{}}}} -> ANY ).\n"
        )
    };
    let program = format!("{DECLARATIONS}void f(int x) {{ while (x != 3) {{ if (x == 2) b(); a(); x++; }} }}\n");
    assert_eq!(verdict(&program, &specification("$1 == 1")), "violated");
    assert_eq!(verdict(&program, &specification("$1 == 3")), "conforms");
    let program =
        format!("{DECLARATIONS}void f(int x) {{ again: if (x == 2) b(); a(); x++; if (x < 3) goto again; }}\n");
    assert_eq!(verdict(&program, &specification("$1 == 1")), "violated");
}

#[test]
fn alphabets_are_extended_whatever_the_body() {
    violated(
        "void f(void) { b(); a(); }",
        "S = T + {b}. T = ( a -> return {} -> STOP ).",
    );
    violated("void f(void) { a(); b(); }", "S = STOP + {b}.");
    violated("void f(void) { a(); b(); }", "S = ( a -> Q ). Q = STOP + {b}.");
    violated("void f(void) { a(); b(); }", "S = ( a -> Q ). Q = R. R = STOP + {b}.");
    conforms("void f(void) { a(); }", "S = ( a -> Q ). Q = STOP + {b}.");
    // No component performs it, and the specification forbids it.
    conforms("void f(void) { a(); }", "S = ( a -> return {} -> STOP ) + {zzz}.");
}

#[test]
fn calls_may_be_forgotten() {
    violated("void f(void) { }", "S = ( a -> return {} -> STOP ).");
    violated("void f(void) { b(); }", "S = ( a -> b -> return {} -> STOP ).");
    violated("void f(void) { a(); }", "S = ( a -> b -> return {} -> STOP ).");
    conforms("void f(void) { }", "S = ( a -> S | return {} -> STOP ).");
}

#[test]
fn pointers_may_point_at_variables() {
    let global = "int g; ";
    violated(
        &format!("{global} void f(int *p) {{ g = 0; if (p) {{ *p = 5; if (g == 5) b(); }} a(); }}"),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    conforms(
        &format!("{global} void f(int *p) {{ g = 0; if (p) {{ *p = 5; if (g == 6) b(); }} a(); }}"),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    let record = "struct r { int n; int m; }; struct r g; ";
    violated(
        &format!("{record} void f(struct r *p) {{ g.m = 0; if (p) {{ p->m = 5; if (g.m) b(); }} a(); }}"),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    violated(
        &format!("{record} void f(int *p) {{ g.m = 0; if (p) {{ *p = 5; if (g.m) b(); }} a(); }}"),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    violated(
        "int t[3]; void f(int *p) { t[2] = 0; if (p) { *p = 5; if (t[2]) b(); } a(); }",
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
    // Two parameters may point at the same.
    let two = "struct r { int n; };";
    violated(
        &format!(
            "{two} void f(struct r *p, struct r *q) {{ if (p && q) {{ p->n = 0; q->n = 1; if (p->n) b(); }} a(); }}"
        ),
        "S = ( a -> return {} -> STOP ) + {b}.",
    );
}

#[test]
fn components_that_fall_off_their_end_return_anything() {
    violated("int f(void) { a(); }", "S = ( a -> return {$0 == 0} -> STOP ).");
    violated(
        "int f(int x) { if (x == 77777) return 1; a(); }",
        "S = ( a -> return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).",
    );
    violated(
        "static int g(int x) { if (x) return 1; } int f(int x) { return g(x); }",
        "S = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).",
    );
    conforms(
        "int f(void) { a(); }",
        "S = ( a -> return {$0 == 0} -> STOP | a -> return {$0 != 0} -> STOP ).",
    );
    conforms("void f(void) { a(); }", "S = ( a -> return {} -> STOP ).");
}

#[test]
fn numbers_are_those_of_c() {
    let eight = "int f(void) { return 8; }";
    conforms(eight, "S = ( return {$0 == 010} -> STOP ).");
    violated(eight, "S = ( return {$0 == 10} -> STOP ).");
    conforms(
        "int f(void) { return -1; }",
        "S = ( return {$0 == 0xFFFFFFFF} -> STOP ).",
    );
    conforms(
        "int f(void) { return -1; }",
        "S = ( return {$0 == 4294967295u} -> STOP ).",
    );
    violated(
        "int f(void) { return -1; }",
        "S = ( return {$0 == 4294967295} -> STOP ).",
    );
    violated(
        "long f(void) { return -1; }",
        "S = ( return {$0 == 0xFFFFFFFF} -> STOP ).",
    );
    conforms("int f(void) { return -1; }", "S = ( return {$0 > 5u} -> STOP ).");
    violated("int f(void) { return -1; }", "S = ( return {$0 > 5l} -> STOP ).");
    conforms(
        "long f(void) { return -1; }",
        "S = ( return {$0 == 0xFFFFFFFFFFFFFFFF} -> STOP ).",
    );
    conforms("int f(void) { return 'a'; }", "S = ( return {$0 == 'a'} -> STOP ).");
    conforms(
        "int f(void) { return -2147483647 - 1; }",
        "S = ( return {$0 == -2147483648} -> STOP ).",
    );
    for (number, complaint) in [
        ("08", "octal"),
        ("1uu", "suffix"),
        ("18446744073709551616", "too large"),
        ("1lul", "suffix"),
    ] {
        let said = answer(eight, &format!("S = ( return {{$0 == {number}}} -> STOP )."));
        assert!(
            said.starts_with("rejected") && said.contains(complaint),
            "{number}: {said}"
        );
    }
}

#[test]
fn calls_of_what_nobody_knows_are_not_taken_for_nothing() {
    let unknown = "unknown: `f` may call, through a pointer, a procedure that is not known";
    let specification = "S = ( a -> return {} -> STOP ) + {b}.";
    assert_eq!(
        answer("void f(void (*p)(void)) { if (p) p(); a(); }", specification),
        unknown
    );
    assert_eq!(
        answer(
            "extern void (*hook)(void); void f(void) { if (hook) hook(); a(); }",
            specification
        ),
        unknown
    );
    assert_eq!(
        answer(
            "void (*table[2])(void); void f(void (*p)(void)) { table[1] = p; if (p) table[1](); a(); }",
            specification
        ),
        unknown
    );
    // What is known is called.
    conforms("void (*p)(void); void f(int x) { p = a; p(); }", specification);
    violated(
        "void (*p)(void) = a; void f(int x) { if (x == 99) p = b; p(); }",
        specification,
    );
    conforms(
        "static void no(void) {} void f(int x) { void (*p)(void) = no; if (x) p = a; p(); if (!x) a(); }",
        specification,
    );
}

#[test]
fn ranges_of_values_are_known_at_returns() {
    conforms(
        "unsigned char f(unsigned char c) { return c; }",
        "S = ( return {$0 >= 0} -> STOP ).",
    );
    conforms(
        "unsigned char f(int c) { return c; }",
        "S = ( return {$0 >= 0 && $0 < 256} -> STOP ).",
    );
    conforms(
        "unsigned f(unsigned c) { a(); return c; }",
        "S = ( a -> return {$0 >= 0} -> STOP ).",
    );
    conforms(
        "_Bool f(int x) { return x; }",
        "S = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).",
    );
    conforms(
        "signed char f(int x) { return ask() + x; }",
        "S = ( return {$0 >= -128 && $0 <= 127} -> STOP ).",
    );
    conforms(
        "static unsigned char n; int f(void) { a(); n++; return n; }",
        "S = ( a -> return {$0 >= 0} -> STOP ).",
    );
    conforms(
        "static unsigned char n; int f(int x) { while (x--) n++; return n; }",
        "S = ( return {$0 <= 255} -> STOP ).",
    );
    conforms(
        "int f(unsigned char c) { if (c > 3) return 1; return c; }",
        "S = ( return {$0 >= 0} -> STOP ).",
    );
    conforms(
        "short get(void); short f(void) { return get(); }",
        "GET = ( return {} -> STOP ). cproc get { abstract { get, (1), GET }; } S = ( return {$0 >= -32768} -> STOP ).",
    );
}

#[test]
fn loops_with_counters_are_followed() {
    let three = "S = ( a -> a -> a -> b -> return {} -> STOP ).";
    conforms("void f(void) { int i; for (i = 0; i < 3; i++) a(); b(); }", three);
    violated("void f(void) { int i; for (i = 0; i < 4; i++) a(); b(); }", three);
    violated("void f(void) { int i; for (i = 0; i <= 1; i++) a(); b(); }", three);
    conforms(
        "void f(void) { int n = 0; again: a(); if (++n < 3) goto again; if (n != 3) c(); b(); }",
        three,
    );
    conforms(
        "void f(void) { unsigned i; for (i = 3; i-- > 0;) a(); if (i != 4294967295u) c(); b(); }",
        three,
    );
    conforms(
        "void f(void) { int t[4] = {0, 0, 0, 1}; for (int i = 0; i < 4; i++) if (t[i]) b(); else a(); }",
        three,
    );
    conforms(
        "void f(void) { int k = 0; while (ask()) { if (k % 2 == 0) a(); else b(); k++; } }",
        "S = ( a -> T | return {} -> STOP ), T = ( b -> S | return {} -> STOP ).",
    );
    violated(
        "void f(void) { int k = 0; while (ask()) { if (k % 3 == 0) a(); else b(); k++; } }",
        "S = ( a -> T | return {} -> STOP ), T = ( b -> S | return {} -> STOP ).",
    );
}

#[test]
fn pointers_to_numbers_point_at_some() {
    let specification = "S = ( a -> return {} -> STOP ) + {b}.";
    violated("void f(int *p) { if (p && *p == 77) b(); a(); }", specification);
    conforms(
        "void f(int *p) { if (p && *p == 77 && *p == 78) b(); a(); }",
        specification,
    );
    conforms("void f(int *p) { *p = 3; if (*p != 3) b(); a(); }", specification);
    // A buffer.
    violated(
        "void f(const char *p) { if (p && p[0] == 'O' && p[1] == 'K') b(); a(); }",
        specification,
    );
    violated("void f(long *p) { if (p && p[1] == 5) b(); a(); }", specification);
    violated(
        "void f(const char *p, const char *end) { while (p && end && p < end) if (*p++ == 'q') { b(); break; } a(); }",
        specification,
    );
    // Two that may be the same.
    violated(
        "void f(int *p, int *q) { if (p && q) { *p = 1; *q = 2; if (*p == 2) b(); } a(); }",
        specification,
    );
    conforms(
        "void f(int *p, int *q) { if (p && q && p != q) { *p = 1; *q = 2; if (*p == 2) b(); } a(); }",
        specification,
    );
    // One inside of what another points at, whichever comes first.
    let record = "struct r { int n; int m; };";
    let body = "{ if (s && q) { s->m = 0; *q = 1; if (s->m) b(); } a(); }";
    violated(&format!("{record} void f(struct r *s, int *q) {body}"), specification);
    violated(&format!("{record} void f(int *q, struct r *s) {body}"), specification);
    // Beyond what it points at there may be anything.
    let beyond = answer("void f(int *p) { if (p && p[99] == 5) b(); a(); }", specification);
    assert!(beyond.starts_with("unknown: no run"), "{beyond}");
}

#[test]
fn components_may_run_forever_side_by_side() {
    let program = format!(
        "{DECLARATIONS}void p(void) {{ for (;;) {{ a(); }} }}\nvoid q(void) {{ for (;;) {{ a(); b(); }} }}\n\
         void r(void) {{ for (;;) {{ b(); c(); }} }}\n"
    );
    let specification =
        |process: &str| format!("{process}{ROUTINES}program p || q || r {{ abstract {{ all, (1), (1), (1), S }}; }}\n");
    let right = specification("S = ( a -> T | c -> S ), T = ( b -> S | c -> T ).");
    assert_eq!(verdict(&program, &right), "conforms");
    let wrong = specification("S = ( a -> b -> c -> S ).");
    assert_eq!(verdict(&program, &wrong), "violated");
}

/// A function of a name with a meaning of its own: its declaration, a call, and what it returns.
const WITH_MEANINGS: [(&str, &str, &str); 22] = [
    ("reach_error", "void reach_error(void);", "reach_error()"),
    (
        "__VERIFIER_error",
        "extern void __VERIFIER_error() __attribute__((noreturn));",
        "__VERIFIER_error()",
    ),
    (
        "__assert_fail",
        "void __assert_fail(const char *, const char *, unsigned, const char *);",
        "__assert_fail(\"\", \"\", 1, \"\")",
    ),
    (
        "__VERIFIER_assert",
        "void __VERIFIER_assert(int);",
        "__VERIFIER_assert(0)",
    ),
    (
        "__VERIFIER_assume",
        "void __VERIFIER_assume(int);",
        "__VERIFIER_assume(0)",
    ),
    ("abort", "_Noreturn void abort(void);", "abort()"),
    ("exit", "_Noreturn void exit(int);", "exit(0)"),
    ("malloc", "void *malloc(unsigned long);", "malloc(1)"),
    ("free", "void free(void *);", "free(0)"),
    (
        "__VERIFIER_nondet_int",
        "int __VERIFIER_nondet_int(void);",
        "__VERIFIER_nondet_int()",
    ),
    (
        "memcpy",
        "void *memcpy(void *, const void *, unsigned long);",
        "memcpy(m, m, 1)",
    ),
    ("memset", "void *memset(void *, int, unsigned long);", "memset(m, 0, 1)"),
    ("strlen", "unsigned long strlen(const char *);", "strlen(m)"),
    ("abs", "int abs(int);", "abs(-1)"),
    ("puts", "int puts(const char *);", "puts(m)"),
    ("printf", "int printf(const char *, ...);", "printf(m)"),
    ("rand", "int rand(void);", "rand()"),
    ("read", "long read(int, void *, unsigned long);", "read(0, m, 1)"),
    ("fgets", "char *fgets(char *, int, void *);", "fgets(m, 1, 0)"),
    ("setjmp", "int setjmp(void *);", "setjmp(m)"),
    (
        "qsort",
        "void qsort(void *, unsigned long, unsigned long, void *);",
        "qsort(m, 1, 1, 0)",
    ),
    ("f", "void f(void) { }", "f()"),
];

#[test]
fn what_a_specification_names_has_the_meaning_that_it_gives() {
    for (name, declaration, call) in WITH_MEANINGS {
        let program = format!("{declaration}\nvoid a(void); char m[4];\nvoid go(void) {{ {call}; a(); }}\n");
        let specification = |allowed: &str| {
            format!(
                "A = ( a -> return {{}} -> STOP ).\nNAMED = ( named -> return {{}} -> STOP ).\n{allowed}\n\
                 cproc a {{ abstract {{ a, (1), A }}; }}\ncproc {name} {{ abstract {{ n, (1), NAMED }}; }}\n\
                 program go {{ abstract {{ all, (1), S }}; }}\n"
            )
        };
        let forbidden = specification("S = ( a -> return {} -> STOP | return {} -> STOP ) + {named}.");
        assert_eq!(verdict(&program, &forbidden), "violated", "{name}");
        let without_a = specification("S = ( named -> return {} -> STOP ) + {a}.");
        assert_eq!(verdict(&program, &without_a), "violated", "{name}, which returns");
        let allowed = specification("S = ( named -> a -> return {} -> STOP ).");
        assert_eq!(verdict(&program, &allowed), "conforms", "{name}");
    }
}

#[test]
fn results_of_named_functions_are_those_of_the_specification() {
    let specification = |value: i32| {
        format!(
            "R = ( return {{$0 == {value}}} -> STOP ).\nS = ( return {{$0 == {value}}} -> STOP ).\n\
             cproc rand {{ abstract {{ r, (1), R }}; }}\ncproc abs {{ abstract {{ r, (1), R }}; }}\n\
             cproc strlen {{ abstract {{ r, (1), R }}; }}\nprogram go {{ abstract {{ all, (1), S }}; }}\n"
        )
    };
    let declared = "int rand(void); int abs(int); unsigned long strlen(const char *);\n";
    for (call, value) in [("rand()", -5), ("abs(3)", -3), ("(int)strlen(\"abc\")", 7)] {
        let program = |result: &str| format!("{declared}int go(void) {{ return {result}; }}\n");
        assert_eq!(verdict(&program(call), &specification(value)), "conforms", "{call}");
        let other = program(&format!("1 + {call}"));
        assert_eq!(verdict(&other, &specification(value)), "violated", "{call}");
    }
}

#[test]
fn only_calls_of_the_program_are_calls_of_what_it_names() {
    // Our body of `strstr` may call `strlen`; an array of variable length is no call of `alloca`.
    let specification = "N = ( named -> return {} -> STOP ).\nS = ( return {} -> STOP ) + {named}.\n\
        cproc strlen { abstract { n, (1), N }; }\ncproc alloca { abstract { n, (1), N }; }\n\
        program go { abstract { all, (1), S }; }\n";
    let program = |body: &str| {
        format!(
            "unsigned long strlen(const char *); char *strstr(const char *, const char *);\n\
             void *alloca(unsigned long);\nvoid go(void) {{ int n = 2; {body} }}\n"
        )
    };
    assert_eq!(verdict(&program("strstr(\"ab\", \"b\");"), specification), "conforms");
    assert_eq!(
        verdict(&program("strstr(\"ab\", \"b\"); strlen(\"a\");"), specification),
        "violated"
    );
    assert_eq!(verdict(&program("alloca(2);"), specification), "violated");
}

/// The systems are those of programs in which a store is lost, a branch is swapped, a number is another.
#[test]
fn systems_of_other_programs_are_mistakes() {
    let specification =
        format!("S = ( a -> return {{}} -> STOP ) + {{b}}.\n{ROUTINES}program f {{ abstract {{ all, (1), S }}; }}\n");
    for (seen, executed) in [
        (
            "void f(void) { int x = 1; if (x == 1) a(); else b(); }",
            "void f(void) { int x = 1; x = 2; if (x == 1) a(); else b(); }",
        ),
        (
            "void f(void) { int x = 1; if (x == 1) a(); else b(); }",
            "void f(void) { int x = 1; if (x != 1) a(); else b(); }",
        ),
        (
            "void f(int y) { y = 0; if (y) b(); a(); }",
            "void f(int y) { y = 1; if (y) b(); a(); }",
        ),
    ] {
        let program = |body: &str| format!("{DECLARATIONS}{body}\n");
        assert_eq!(verdict(&program(seen), &specification), "conforms", "{seen}");
        let said = verdict_where(&program(seen), &program(executed), &specification);
        assert!(said.starts_with("mistake: "), "{said}: {executed}");
    }
}
