//! Texts that must not be read, each with all that is said about it.

use c::parse::parse;
use std::fmt::Write;
use system::{SourceFile, Sources};

fn messages(texts: &[&str]) -> String {
    let mut result = String::new();
    for text in texts {
        let sources = Sources::new(SourceFile::new("test.i", *text));
        let parsed = parse(&sources);
        assert!(!parsed.diagnostics.is_empty(), "{text} is read");
        for found in &parsed.diagnostics {
            writeln!(result, "{}", found.render(&sources, false)).ok();
        }
        result.push('\n');
    }
    result
}

#[test]
fn declarations() {
    insta::assert_snapshot!(messages(&[
        "int x\nint y;\n",
        "int x y;\n",
        "int;x;\n",
        "int x = ;\n",
        "int = 3;\n",
        "int x,;\n",
        "int a[3;\n",
        "int a[3] = {1, 2;\n",
        "int f(int a {\n  return 1;\n}\nint g;\n",
        "int f(int a,) { return 1; }\n",
        "int f(int, 3);\n",
        "main() { return 0; }\n",
        "static x = 3;\n",
        "f(void);\n",
        "foo x;\nfoo y;\n",
        "typedef int counter_t;\ncuonter_t x;\nvoid f(cuonter_t a, other b);\n",
        "unknown *f(void);\n",
        "struct { int a; unknown b; other *c; } s;\n",
        "struct;\n",
        "struct s { int a int b; };\n",
        "struct s { int a;\nint x;\n",
        "struct s { a; };\n",
        "struct s { int; int (; int c; };\n",
        "enum e { };\n",
        "enum;\n",
        "enum e { A B };\n",
        "enum e { A = };\n",
        "enum e { 3 };\n",
        "struct s v = { .a 3 };\n",
        "struct s v = { . = 3 };\n",
        "int a[] = { [1 = 2 };\n",
        "_Static_assert(1, 2);\n",
        "_Alignas() int x;\n",
        "__attribute__((packed) int x;\n",
        "__attribute__(packed) int x;\n",
        "int x __attribute__((aligned(8));\n",
        "typeof() x;\n",
        "_Decimal32 x; _Decimal32 y;\n",
        "int f(a) int a;\nint x = 1;\n",
        "int x asm(y);\n",
        "+ 3;\nint x;\n",
        "3;\n",
        "}\nint x;\n",
        "void f(void) { } }\nint x\n",
        "return 1;\nint x\n",
        "MODULE(\"name\");\nint x\n",
        "int (*f)(int;\n",
        "extern \"C\" { int x; }\n",
    ]));
}

#[test]
fn statements() {
    insta::assert_snapshot!(messages(&[
        "void f(void) {\n  x = 1\n  y = 2;\n}\n",
        "void f(void) {\n  x = 1\n}\n",
        "void f(void) { x = 1 y = 2; }\n",
        "void f(void) {\n  if x { }\n  y = ;\n}\n",
        "void f(void) { if (x { } }\n",
        "void f(void) { if (x) ; ; else ; }\n",
        "void f(void) { else ; }\n",
        "void f(void) { if (x) int y; }\n",
        "void f(void) { while (x) typedef int y; }\n",
        "void f(void) { while () ; }\n",
        "void f(void) { do ; (x); }\n",
        "void f(void) { do ; while (x) }\n",
        "void f(void) { for (i = 0; i < 3) ; }\n",
        "void f(void) { for i = 0; ; }\n",
        "void f(void) { for (int i = 0, i < 3; i++) ; }\n",
        "void f(void) { switch { } }\n",
        "void f(void) { case 1 x; }\n",
        "void f(void) { case : x; }\n",
        "void f(void) { goto ; }\n",
        "void f(void) { goto 3; }\n",
        "void f(void) { break x; return 1 2; }\n",
        "void f(void) { __label__ ; }\n",
        "void f(void) { asm goto (\"\" : : : : l); l: ; }\n",
        "void f(void) { asm(x); }\n",
        "void f(void) { asm(\"\" : \"r\" x); }\n",
        "void f(void) {\n  {\n    x = 1;\n",
        "void f(void) {\n  foo x = 1;\n  foo y;\n}\n",
        "void f(void) { int x = 1; int y = 2 }\n",
        "void f(void) { struct { int a; ) x; }\nint g(void) { return ; }\n",
        "void f(void) { int if = 3; x = ; y = ); z = 1; }\nvoid g(void) { x = ]; }\n",
        "void f(void) { __auto_type x; __auto_type y = 1, z = 2; __auto_type *p = q; }\n",
    ]));
}

#[test]
fn expressions() {
    insta::assert_snapshot!(messages(&[
        "int x = 1 +;\n",
        "int x = (1 + 2;\n",
        "int x = 1 + 2);\n",
        "int x = a[1;\n",
        "int x = a[];\n",
        "int x = f(1, );\n",
        "int x = f(1 2);\n",
        "int x = a ? b;\n",
        "int x = a.;\n",
        "int x = a->3;\n",
        "int x = * ;\n",
        "int x = ();\n",
        "int x = sizeof;\n",
        "int x = sizeof(int;\n",
        "int x = (int) ;\n",
        "typedef int T;\nint x = T + 1;\n",
        "typedef int T;\nint x = 1 + T;\n",
        "int x = (int +) 3;\n",
        "int x = &&3;\n",
        "int x = _Generic(1);\n",
        "int x = _Generic(1, int 2);\n",
        "int x = __builtin_offsetof(struct s);\n",
        "int x = __builtin_va_arg(ap);\n",
        "int x = __builtin_convertvector(v, int);\n",
        "int x = ({ 1; ;\n",
        "int x = return;\n",
        "int x = (int){1, 2;\n",
        "int x = {1, {2, 3};\n",
    ]));
}

#[test]
fn literals() {
    insta::assert_snapshot!(messages(&[
        "int x = 089;\n",
        "int x = 0b102;\n",
        "int x = 0x;\n",
        "int x = 12abc;\n",
        "int x = 1lul;\n",
        "int x = 1lL;\n",
        "int x = 18446744073709551616;\n",
        "double x = 1.5q;\n",
        "double x = 1.5abc;\n",
        "double x = 1e;\n",
        "double x = 1.2.3;\n",
        "double x = 0x1.8;\n",
        "double x = 1.5i;\n",
        "int x = 'a;\nint y = 3;\n",
        "int x = '';\n",
        "int x = 'abcde';\n",
        "int x = u8'a';\n",
        "char *x = \"abc;\nint y = 3;\n",
        "char *x = \"a\\xg\";\n",
        "char *x = \"a\\q\";\n",
        "char *x = \"\\u12\";\n",
        "char *x = \"\\ud800\";\n",
        "char *x = \"\\x1234\";\n",
        "char *x = L\"a\" u\"b\";\n",
        "char *x = \"\u{fffd}\";\n",
        "int x = 3 @ 4;\n",
        "int `x`;\n",
        "int x; \u{1}\u{2}\n",
        "int x = a \\ b;\n",
        "int x; /* no end\nint y;\n",
        "#define X 3\nint x = X;\n",
        "#include <stdio.h>\n",
        "#if 1\nint x;\n#endif\n",
        "#line\nint x;\n",
        "# 3 \"file\nint x;\n",
        "#pragma pack\nint x;\n",
        "#pragma pack(push, 3)\nint x;\n",
        "#pragma pack(pop)\nint x;\n",
        "#pragma weak f\nint x;\n",
        "#pragma omp parallel for\nint x;\n",
        "struct s { int a };\n",
    ]));
}

#[test]
fn too_deep_and_too_long() {
    let deep = format!("int x = {}1{};\nint y\n", "(".repeat(300), ")".repeat(300));
    let long = format!("int x = 1{};\nint y\n", " + 1".repeat(10_001));
    let many = "int x = ;\n".repeat(120);
    let shown = |text: &str| {
        let sources = Sources::new(SourceFile::new("test.i", text));
        let found = parse(&sources).diagnostics;
        let last = found.last().map_or(String::new(), |last| last.message.clone());
        format!("{} messages, the last one: {last}", found.len())
    };
    assert_eq!(shown(&deep), "1 messages, the last one: this is nested too deeply");
    assert_eq!(shown(&long), "1 messages, the last one: this is too long a chain");
    assert_eq!(
        shown(&many),
        "101 messages, the last one: further errors are not shown: there are 100"
    );
}
