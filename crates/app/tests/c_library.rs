//! Functions of the C library that have bodies of ours: programs that use them are proved, their bugs are found, and
//! reports tell of a call as one step. They need a C compiler.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, cubist, json};
use testing::{Outcome, tool};

const PRELUDE: &str = "#include <ctype.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void); extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)\n";

/// A name, a program that is safe, and a change that makes it unsafe.
const PAIRS: [(&str, &str, (&str, &str)); 11] = [
    (
        "the length of a copy",
        "int main(void) { char b[4]; strcpy(b, \"ab\"); check(strlen(b) == 2); }",
        ("== 2", "== 3"),
    ),
    (
        "one behind the other",
        "int main(void) { char b[4] = \"a\"; strcat(b, \"b\"); check(b[1] == 'b' && b[2] == 0); }",
        ("b[2] == 0", "b[2] != 0"),
    ),
    (
        "a part, without an end",
        "int main(void) { char b[2]; strncpy(b, \"xyz\", 2); check(b[0] == 'x' && b[1] == 'y'); }",
        ("b[1] == 'y'", "b[1] == 0"),
    ),
    (
        "characters are compared without a sign",
        "int main(void) { char a[2] = { __VERIFIER_nondet_char(), 0 }; check(a[0] >= 0 || strcmp(a, \"a\") > 0); }",
        ("> 0", "< 0"),
    ),
    (
        "only so many are compared",
        "int main(void) { char c = __VERIFIER_nondet_char(), a[3] = { 'a', c, 0 };
           check(c == 'b' || strncmp(a, \"ab\", 2) != 0); check(strncmp(a, \"ab\", 1) == 0); }",
        ("c == 'b' || ", ""),
    ),
    (
        "bytes",
        "int main(void) { unsigned char x[2] = { __VERIFIER_nondet_int(), 7 }, y[2] = { 200, 7 };
           check((memcmp(x, y, 2) > 0) == (x[0] > 200)); check(memchr(x, 7, 2) != 0); }",
        ("x[0] > 200", "x[0] >= 200"),
    ),
    (
        "where a character is",
        "int main(void) { char *at = strchr(\"abc\", 'b'), *none = strrchr(\"abc\", 'x');
           check(at != 0 && at[1] == 'c' && none == 0); }",
        ("none == 0", "none != 0"),
    ),
    (
        "a part, and how far characters are among others",
        "int main(void) { char s[3] = { 'a', __VERIFIER_nondet_char(), 0 }; char *at = strstr(s, \"b\");
           check((at != 0) == (s[1] == 'b')); check(strspn(s, \"a\") >= 1); check(strcspn(s, \"b\") <= 2);
           check(strpbrk(s, \"xa\") == s); }",
        ("strspn(s, \"a\") >= 1", "strspn(s, \"a\") > 1"),
    ),
    (
        "kinds of characters",
        "int main(void) { int c = __VERIFIER_nondet_int(); if (c < 0 || c > 255) return 0;
           check(!isdigit(c) || isalnum(c)); check(!isupper(c) || tolower(c) == c + 32);
           check(!isspace(c) || c <= 32); }",
        ("c <= 32", "c < 32"),
    ),
    (
        "absolute numbers",
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < -1000) return 0; check(abs(x) >= 0);
           check(labs(x) >= x); }",
        ("labs(x) >= x", "labs(x) > x"),
    ),
    (
        "a number from its text",
        "int main(void) { char s[3] = { __VERIFIER_nondet_char(), '2', 0 }; int x = atoi(s);
           check(x <= 92 && x >= -2); }",
        ("x <= 92", "x <= 91"),
    ),
];

fn programs_that_use_the_library_are_decided() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("c-library");
    let mut wrong = Vec::new();
    for (number, (name, program, (from, to))) in PAIRS.iter().enumerate() {
        assert!(program.contains(from), "{name}");
        let spoilt = program.replacen(from, to, 1);
        for (text, expected) in [(*program, "safe"), (spoilt.as_str(), "unsafe")] {
            for data_model in ["lp64", "ilp32"] {
                let path = folder.write(&format!("{number}-{expected}.c"), format!("{PRELUDE}{text}\n"));
                let (_, report) = json(&["check", &path, "--json", "--data-model", data_model, "--timeout", "90s"]);
                if report["verdict"] != expected || report["assumed"] != serde_json::json!([]) {
                    wrong.push(format!("{name}, {data_model}, {expected}: {report}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// What the standard leaves open decides nothing: neither a proof, nor a violation that gcc's library does not have.
fn only_what_is_specified_counts() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("c-library-open");
    for program in [
        "int main(void) { char a[] = \"b\", b[] = \"d\"; check(strcmp(b, a) != 1); }",
        "int main(void) { char a[] = \"b\", b[] = \"d\"; check(strcmp(b, a) == 1 || strcmp(b, a) == 2); }",
        "int main(void) { check(isalpha('a') != 1); }",
        "int main(void) { check(isalpha('a') < 1000000); }",
    ] {
        let path = folder.write("open.c", format!("{PRELUDE}{program}\n"));
        let (_, report) = json(&["check", &path, "--json", "--timeout", "60s"]);
        assert_eq!(report["verdict"], "unknown", "{program}: {report}");
        assert!(!report["reason"].to_string().contains("mistake"), "{program}: {report}");
    }
    let path = folder.write(
        "open.c",
        format!("{PRELUDE}int main(void) {{ check(isalpha('a') != 1); }}\n"),
    );
    let (_, report) = json(&["check", &path, "--json"]);
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("what `isalpha` returns where the C standard leaves that open"),
        "{reason}"
    );
    Ok(())
}

/// The lines of a report are the user's, also where something is undefined inside of the library.
fn a_call_of_the_library_is_one_step() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("c-library-step");
    let text = format!("{PRELUDE}int main(void) {{ char b[4];\nstrcpy(b, \"abc\");\ncheck(strlen(b) == 2); }}\n");
    let path = folder.write("step.c", &text);
    let page = folder.path("step.html");
    let run = cubist(&["check", &path, "--verbose", "--report", &page]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("strcpy(b, \"abc\");    -- strcpy(&b, "), "{run:?}");
    assert!(!run.stdout.contains("the C library"), "{run:?}");
    assert!(!std::fs::read_to_string(page).unwrap().contains("the C library"));
    let path = folder.write("behind.c", text.replace("b[4]", "b[3]"));
    let run = cubist(&["explore", &path]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(
        run.stdout.contains("outside of the object that the pointer points at"),
        "{run:?}"
    );
    assert!(run.stdout.contains("behind.c:7:1"), "{run:?}");
    let path = folder.write(
        "digit.c",
        format!("{PRELUDE}int main(void) {{ return\nisdigit(-2); }}\n"),
    );
    let run = cubist(&["explore", &path]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("digit.c:7:1"), "{run:?}");
    Ok(())
}

/// A body of the program wins, and so does an option that makes a function an error; what is not used is not there.
fn bodies_of_the_program_win() -> Outcome {
    tool("gcc", "--version")?;
    let folder = Folder::new("c-library-own");
    let own = "unsigned long strlen(const char *s) { return 7; }\nint main(void) { check(strlen(\"a\") == 7); }\n";
    let path = folder.write("own.c", format!("{PRELUDE}{own}"));
    let (_, report) = json(&["check", &path, "--json"]);
    assert_eq!(report["verdict"], "safe", "{report}");
    let shown = cubist(&["show", &path]);
    assert!(
        !shown.stdout.contains("strcpy") && !shown.stdout.contains("the C library"),
        "{shown:?}"
    );
    let path = folder.write(
        "error.c",
        format!("{PRELUDE}int main(void) {{ return strlen(\"a\"); }}\n"),
    );
    let (_, report) = json(&["check", &path, "--json", "--error-function", "strlen"]);
    assert_eq!(report["verdict"], "unsafe", "{report}");
    Ok(())
}

testing::tests!(
    programs_that_use_the_library_are_decided,
    only_what_is_specified_counts,
    a_call_of_the_library_is_one_step,
    bodies_of_the_program_win,
);
