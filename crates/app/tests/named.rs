//! Functions whose names mean something to us before a program or a rule says what they are.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist};
use testing::{Outcome, tool};

fn verdict(folder: &Folder, program: &str, options: &[&str]) -> Option<i32> {
    let file = folder.write("a.c", program);
    cubist(&[&["check", &file], options].concat()).status
}

/// The table says that the library's `read` returns at most what it was asked for.
fn own_functions_are_not_bounded_as_those_of_the_library() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("named-own");
    for (definition, call) in [
        (
            "long read(int f, void *b, unsigned long n) { return 100; }",
            "read(0, b, 4) == 100",
        ),
        ("static int rand(void) { return -5; }", "rand() < 0"),
        ("static int getchar(void) { return 1000; }", "getchar() == 1000"),
        (
            "char *fgets(char *s, int n, void *f) { return s + 1; }",
            "fgets(b, 4, 0) == b + 1",
        ),
        (
            "int send(int s, char *m, int n, int f) { return -7; }",
            "send(1, b, 4, 0) == -7",
        ),
    ] {
        let program = |holds: &str| {
            format!(
                "extern void reach_error(void);\n{definition}\n\
                 int main(void) {{ char b[4]; if ({holds}({call})) reach_error(); return 0; }}\n"
            )
        };
        assert_eq!(verdict(&folder, &program(""), &[]), Some(10), "{call}");
        assert_eq!(verdict(&folder, &program("!"), &[]), Some(0), "{call}");
    }
    Ok(())
}

fn rules_see_calls_whatever_the_function_means() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("named-rules");
    for (declaration, call, event) in [
        (
            "int __VERIFIER_nondet_int(void);",
            "__VERIFIER_nondet_int()",
            "__VERIFIER_nondet_int()",
        ),
        (
            "void __VERIFIER_assume(int);",
            "__VERIFIER_assume(0)",
            "__VERIFIER_assume(_)",
        ),
        (
            "void __VERIFIER_assert(int);",
            "__VERIFIER_assert(1)",
            "__VERIFIER_assert(_)",
        ),
        (
            "void __VERIFIER_assert(int);",
            "void (*p)(int) = __VERIFIER_assert; p(1)",
            "__VERIFIER_assert(_)",
        ),
        ("void abort(void);", "abort()", "abort()"),
        ("void exit(int);", "exit(0)", "exit(_)"),
        ("unsigned long strlen(const char *);", "strlen(\"a\")", "strlen(_)"),
        ("int printf(const char *, ...);", "printf(\"a\")", "printf(_)"),
    ] {
        let rule = folder.write(
            "a.rule",
            format!("rule \"never\";\nbefore {event} {{ error \"called\"; }}\n"),
        );
        let other = folder.write(
            "b.rule",
            format!("rule \"no harm\";\nint n = 0;\nbefore {event} {{ n = n + 1; if (n > 1) error \"twice\"; }}\n"),
        );
        let program = format!("{declaration}\nint main(void) {{ {call}; return 0; }}\n");
        assert_eq!(verdict(&folder, &program, &["--rule", &rule]), Some(10), "{call}");
        assert_eq!(verdict(&folder, &program, &["--rule", &other]), Some(0), "{call}");
    }
    // What follows an assumption and an input is as without the rule.
    let rule = "rule \"inputs\";\nint last = 0;\nafter x = __VERIFIER_nondet_int() { last = x; }\n\
        before __VERIFIER_assume(c) { if (last == 7 && !c) error \"seven is excluded\"; }\n";
    let rule = folder.write("c.rule", rule);
    let program = |least: u32| {
        format!(
            "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void __VERIFIER_assert(int);\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > {least});\n\
             __VERIFIER_assert(x > 3); return 0; }}\n"
        )
    };
    assert_eq!(verdict(&folder, &program(5), &["--rule", &rule]), Some(0));
    assert_eq!(verdict(&folder, &program(2), &["--rule", &rule]), Some(10));
    assert_eq!(verdict(&folder, &program(1), &["--rule", &rule]), Some(10));
    assert_eq!(verdict(&folder, &program(8), &["--rule", &rule]), Some(10));
    // A pointer to a function with any number of arguments hides its calls from a rule.
    let rule = folder.write("d.rule", "rule \"never\";\nbefore printf(_) { error \"called\"; }\n");
    let program =
        "int printf(const char *, ...);\nint main(void) { int (*p)(const char *, ...) = printf; p(\"a\"); }\n";
    assert_eq!(verdict(&folder, program, &["--rule", &rule]), Some(2));
    Ok(())
}

fn assertions_fail_through_pointers() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("named-pointers");
    let program = |pointer: &str| {
        format!(
            "void reach_error(void); void __VERIFIER_assert(int);\n\
             void __assert_fail(const char *, const char *, unsigned, const char *);\n\
             int main(void) {{ int x = 3; {pointer} if (x > 5) reach_error(); return 0; }}\n"
        )
    };
    let asserts = |value: u32| format!("void (*p)(int) = __VERIFIER_assert; p({value});");
    let fails =
        "void (*p)(const char *, const char *, unsigned, const char *) = __assert_fail; p(\"\", \"\", 1, \"\");";
    assert_eq!(verdict(&folder, &program(&asserts(0)), &[]), Some(10));
    assert_eq!(verdict(&folder, &program(&asserts(1)), &[]), Some(0));
    assert_eq!(verdict(&folder, &program(fails), &[]), Some(10));
    Ok(())
}

testing::tests!(
    own_functions_are_not_bounded_as_those_of_the_library,
    rules_see_calls_whatever_the_function_means,
    assertions_fail_through_pointers,
);
