//! Diagnostics have source locations in the user's files, not in the preprocessed text.

#![allow(clippy::unwrap_used)]

use c::parse::parse;
use c::preprocess::{self, Preprocessing};
use std::path::PathBuf;
use system::Sources;
use testing::Outcome;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("cubist-places-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in files {
            std::fs::write(path.join(file), text).unwrap();
        }
        Folder(path)
    }

    /// All messages about a file, without the name of the folder.
    fn messages(&self, file: &str, preprocessing: &Preprocessing) -> String {
        let shown = |found: &[system::Diagnostic], sources: &Sources| {
            let found = found.iter().map(|found| found.render(sources, false));
            found.collect::<Vec<_>>().join("\n")
        };
        let text = match preprocess::read(&self.0.join(file), preprocessing) {
            Ok((sources, found)) => {
                let parsed = parse(&sources);
                format!("{}\n{}", shown(&found, &sources), shown(&parsed.diagnostics, &sources))
            }
            Err(rejected) => shown(&rejected.diagnostics, &rejected.sources),
        };
        text.replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn macros() -> Outcome {
    testing::tool("cc", "--version")?;
    let text = "\
#define TWICE(x) ((x) + (x))
#define EMPTY
#define BAD (3 + )
#define NAME value
#define CALL(f, ...) f(__VA_ARGS__)
#define LOOP for (;;
int f(int a) {
    EMPTY int b = TWICE(a
        + 1) + TWICE(2) q;
    return BAD;
}
int g(void) { return TWICE(1 2) + TWICE(3); }
int h(void) { NAME = NAME + ; CALL(f, 1, NAME) NAME; EMPTY EMPTY x = ; }
int i(void) { CALL(f, 1, 2 3); return TWICE(TWICE(1 +)); }
int j(void) { LOOP) ; }
#if 0
int k(void) { = }
#endif
int \\
  l = ]; int m = }; /* comment */ int n = ;
";
    let folder = Folder::new("macros", &[("test.c", text)]);
    insta::assert_snapshot!("macros", folder.messages("test.c", &Preprocessing::default()));
    Ok(())
}

/// What `assert` of the C library becomes has a `;` before its end, as the use of the macro has behind it.
fn assertions_in_a_row() -> Outcome {
    testing::tool("cc", "--version")?;
    let text = "\
#define CHECK(c) ({ if (c) ; else fail(c 1); })
void f(int a, int b) {
    CHECK(a);
    CHECK(b);
    CHECK(a);
}
";
    let folder = Folder::new("assertions", &[("test.c", text)]);
    let messages = folder.messages("test.c", &Preprocessing::default());
    for line in 3..=5 {
        assert_eq!(
            messages.matches(&format!("--> test.c:{line}:")).count(),
            1,
            "{messages}"
        );
    }
    Ok(())
}

fn included_files() -> Outcome {
    testing::tool("cc", "--version")?;
    let folder = Folder::new(
        "included",
        &[
            (
                "test.c",
                "#include \"a.h\"\nint x = ;\n#include \"b.h\"\nint a[] = {\n#include \"list\"\n};\nint y = ;\n",
            ),
            (
                "a.h",
                "#ifndef A\n#define A\nint a\n#include \"b.h\"\nint a2 = ;\n#endif\n",
            ),
            ("b.h", "#include \"a.h\"\nint b = );\n#pragma pack(3)\n"),
            ("list", "1, 2, = 3\n"),
        ],
    );
    insta::assert_snapshot!("included", folder.messages("test.c", &Preprocessing::default()));
    Ok(())
}

fn line_directives() -> Outcome {
    testing::tool("cc", "--version")?;
    let text = "\
int a = ;
#line 100 \"grammar.y\"
int b = ;
int c = ;
# 7 \"test.c\"
int d = ;
#line 100 \"grammar.y\"
int e = ;


int f = ;
";
    let folder = Folder::new("directives", &[("test.c", text)]);
    insta::assert_snapshot!("directives", folder.messages("test.c", &Preprocessing::default()));
    Ok(())
}

/// A file that was preprocessed elsewhere, and one whose original is there.
fn preprocessed_files() {
    let elsewhere = "# 1 \"/nowhere/driver.c\"\n# 1 \"<built-in>\"\n# 120 \"/nowhere/driver.c\"\nint x;\nint y = ;\n";
    let folder = Folder::new(
        "preprocessed",
        &[("test.i", elsewhere), ("here.c", "\n#define ONE 1\nint x = ONE ONE;\n")],
    );
    insta::assert_snapshot!("elsewhere", folder.messages("test.i", &Preprocessing::default()));
    let here = format!("# 1 \"{}\"\n\n\nint x = 1 1;\n", folder.0.join("here.c").display());
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(folder.0.join("here.i"), &here).unwrap();
    insta::assert_snapshot!("here", folder.messages("here.i", &Preprocessing::default()));
    // The original changed since.
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(folder.0.join("here.c"), "int other;\n\nint x;\n").unwrap();
    insta::assert_snapshot!("changed", folder.messages("here.i", &Preprocessing::default()));
}

fn failures_of_the_preprocessor() -> Outcome {
    testing::tool("gcc", "--version")?;
    let folder = Folder::new(
        "failures",
        &[
            ("missing.c", "int x;\n#include \"missing.h\"\n#include <other.h>\n"),
            (
                "error.c",
                "#warning attention\n#ifndef N\n#error N is not set\n#endif\n#if N\nint x = ;\n#endif\n",
            ),
        ],
    );
    let gcc = Preprocessing {
        program: Some("gcc".to_owned()),
        ..Preprocessing::default()
    };
    let with = Preprocessing {
        definitions: vec!["N=1".to_owned()],
        ..gcc.clone()
    };
    let without = Preprocessing {
        program: Some("no-such-compiler".to_owned()),
        ..Preprocessing::default()
    };
    let all = [
        folder.messages("missing.c", &gcc),
        folder.messages("error.c", &gcc),
        folder.messages("error.c", &with),
        folder.messages("error.c", &without),
        folder.messages("absent.c", &gcc),
    ];
    insta::assert_snapshot!("failures", all.join("\n\n"));
    Ok(())
}

/// Bytes that are no UTF-8 do no harm in comments.
fn other_encodings() -> Outcome {
    testing::tool("cc", "--version")?;
    let folder = Folder::new("encodings", &[]);
    std::fs::write(
        folder.0.join("test.c"),
        b"/* \xe9t\xe9 */ int x = ;\nchar *y = \"\xe9\";\n",
    )
    .unwrap();
    insta::assert_snapshot!("encodings", folder.messages("test.c", &Preprocessing::default()));
    Ok(())
}

testing::tests!(
    macros,
    assertions_in_a_row,
    included_files,
    line_directives,
    preprocessed_files,
    failures_of_the_preprocessor,
    other_encodings,
);
