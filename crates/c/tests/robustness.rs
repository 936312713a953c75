//! The parser answers on every input: no panic, no hang, no stack overflow.

#![allow(clippy::unwrap_used)]

mod support;

use c::parse::parse;
use system::{Role, Severity, SourceFile, Sources};

/// What is wrong with a text.
fn errors(text: &str) -> Vec<String> {
    let sources = Sources::new(SourceFile::new("test.i", text));
    let parsed = parse(&sources);
    // All is shown in short texts; in long ones each message takes its time.
    let shown = if text.len() < 10_000 { 100 } else { 1 };
    for found in parsed.diagnostics.iter().take(shown) {
        found.render(&sources, false);
    }
    let errors = parsed
        .diagnostics
        .into_iter()
        .filter(|found| found.severity == Severity::Error);
    errors.map(|found| found.message).collect()
}

/// What opens, and what closes it.
const IN_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("a[", "1", "]"),
    ("f(", "1", ")"),
    ("f(1, ", "1", ")"),
    ("({", "1;", "})"),
    ("{", ";", "}"),
    ("{ int a = 1; ", ";", "}"),
    ("sizeof(", "int", ")"),
    ("sizeof(", "1", ")"),
    ("sizeof ", "1", ""),
    ("-", "1", ""),
    ("- -", "1", ""),
    ("!", "1", ""),
    ("*&", "a", ""),
    ("(int)", "1", ""),
    ("(int[]){", "1", "}"),
    ("__extension__ ", "1", ""),
    ("a ? ", "1", " : 2"),
    ("a ? 1 : ", "2", ""),
    ("a ?: ", "2", ""),
    ("a = ", "2", ""),
    ("a, ", "2", ""),
    ("a + ", "2", ""),
    ("a || b && c | d ^ e & f == g < h << i + j * (", "2", ")"),
    ("if (1) ", ";", ""),
    ("if (1) ; else ", ";", ""),
    ("if (1) ; else {", ";", "}"),
    ("while (1) ", ";", ""),
    ("for (;;) ", ";", ""),
    ("for (int i = ({", "1;", "});;) ;"),
    ("do ", ";", " while (1);"),
    ("switch (1) ", ";", ""),
    ("case 1: ", ";", ""),
    ("default: ", ";", ""),
    ("l: ", ";", ""),
    ("case ", "1", ":"),
    ("_Generic(1, int: ", "1", ")"),
    ("__builtin_choose_expr(1, ", "1", ", 2)"),
    ("__builtin_offsetof(struct { int a[", "1", "]; }, a)"),
    ("typeof(", "int", ") a;"),
    ("typeof(typeof(", "int", ")) a;"),
    ("int a = {", "1", "};"),
    ("asm(\"\" : : \"r\"(", "1", "));"),
    ("return (", "1", ");"),
    ("\"a\" ", "\"b\"", ""),
    ("goto *", "a", ";"),
    ("++", "a", ""),
    ("a->", "b", ""),
    ("a[1]", "", ""),
    ("a()", "", ""),
    ("a++", "", ""),
    ("void f(void) {", "", "}"),
];

const OUTSIDE: &[(&str, &str, &str)] = &[
    ("struct { ", "int a;", "} a;"),
    ("struct a { union b { ", "int a;", "} a; } b;"),
    ("enum { A = sizeof(", "int", ") };"),
    ("int (", "a", ")"),
    ("int (*", "a", ")(void)"),
    ("int *", "a", ""),
    ("* const ", "a", ""),
    ("int a", "[1]", ""),
    ("int a[", "1", "]"),
    ("int f(int ", "a", ")"),
    ("int f(int (", "a", "))"),
    ("int a = {", "1", "}"),
    ("int a = {[1] = ", "1", "}"),
    ("int a = {.a", ".a", " = 1}"),
    ("__attribute__((", "a", ")) int a;"),
    ("__attribute__((aligned(", "1", "))) int a;"),
    ("int a asm(", "\"a\"", ");"),
    ("_Alignas(", "int", ") int a;"),
    ("_Atomic(", "int", ") a;"),
    ("typeof(", "int", ") a;"),
    ("_Static_assert(", "1", ", \"\");"),
    ("const ", "int a;", ""),
    ("long ", "int a;", ""),
    ("__extension__ ", "int a;", ""),
    ("void f(void) {", "", "}"),
    ("int f(a) int a; {", "", "}"),
    ("typedef int ", "a;", ""),
    ("#pragma pack(push, 1)\n", "int a;", ""),
    ("#line 3 \"a\"\n", "int a;", ""),
    ("/*", "", "*/"),
    ("}", "", ""),
    (")", "", ""),
    ("]", "", ""),
];

fn repeated(before: &str, (open, inner, close): (&str, &str, &str), count: usize, is_closed: bool) -> String {
    let end = if is_closed { close.repeat(count) } else { String::new() };
    let last = if !is_closed || before.is_empty() { "" } else { "; }" };
    format!("{before}{}{inner}{end}{last}", open.repeat(count))
}

#[test]
fn nesting_of_every_kind_is_refused_or_read_at_any_depth() {
    for (before, table) in [
        ("void f(void) { ", IN_FUNCTIONS),
        ("", OUTSIDE),
        ("int x = ", IN_FUNCTIONS),
    ] {
        for entry in table {
            for count in [1, 10, 127, 254, 1_000, 10_000] {
                for is_closed in [true, false] {
                    let errors = errors(&repeated(before, *entry, count, is_closed));
                    assert!(errors.len() <= 100, "{entry:?}");
                }
            }
        }
    }
}

#[test]
fn what_nests_too_deeply_is_told_once() {
    for entry in IN_FUNCTIONS
        .iter()
        .filter(|(open, ..)| ["(", "{", "f(", "-", "({"].contains(open))
    {
        let errors = errors(&repeated("void f(void) { ", *entry, 10_000, true));
        assert_eq!(errors, ["this is nested too deeply"], "{entry:?}");
    }
}

#[test]
fn what_is_long_is_no_deep_nesting() {
    let sum = format!("int f(void) {{ return 1{}; }}", " + 1".repeat(9_999));
    let statements = format!("void f(void) {{ {} }}", "a = b; ".repeat(20_000));
    let branches = format!(
        "void f(void) {{ if (0) ; {} else ; }}",
        "else if (1) x(); ".repeat(5_000)
    );
    let cases = format!("void f(void) {{ switch (1) {{ {} ; }} }}", "case 1: ".repeat(5_000));
    let list = format!("int a[] = {{ {} }};", "1, ".repeat(50_000));
    let commas = format!("int f(void) {{ return 1{}; }}", ", 1".repeat(9_999));
    let logic = format!("int f(void) {{ return 1{}; }}", " && 1 || 0".repeat(4_999));
    for text in [sum, statements, branches, cases, list, commas, logic] {
        assert_eq!(errors(&text), Vec::<String>::new(), "{}", &text[..60]);
    }
}

/// What is broken: whole programs, each with as many kinds of constructs as possible.
fn originals() -> Vec<String> {
    let mut originals: Vec<String> = support::snippets::FILES.iter().map(|text| (*text).to_owned()).collect();
    for statements in support::snippets::STATEMENTS {
        originals.push(format!("typedef int T2;\nvoid f(void)\n{{\n    {statements}\n}}\n"));
    }
    originals.push(support::snippets::FILES.join("\n"));
    originals
}

/// Pieces of a text that may be doubled, dropped or swapped.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut was_word = false;
    for (offset, character) in text.char_indices() {
        if offset > start && !(was_word && is_word(character)) {
            pieces.push(&text[start..offset]);
            start = offset;
        }
        was_word = is_word(character);
    }
    pieces.push(&text[start..]);
    pieces
}

fn mutated(random: &mut oorandom::Rand32, text: &str, others: &[String]) -> String {
    let mut below = |limit: usize| random.rand_range(0..u32::try_from(limit.max(1)).unwrap()) as usize;
    let kind = below(8);
    let mut bytes = text.as_bytes().to_vec();
    match kind {
        0 => bytes.truncate(below(bytes.len() + 1)),
        1 => {
            for _ in 0..=below(3) {
                let at = below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << below(8);
                }
            }
        }
        2 => {
            let at = below(bytes.len() + 1);
            let noise: Vec<u8> = (0..=below(5)).map(|_| u8::try_from(below(256)).unwrap()).collect();
            bytes.splice(at..at, noise);
        }
        3 => {
            let other = others[below(others.len())].as_bytes();
            bytes.truncate(below(bytes.len() + 1));
            bytes.extend_from_slice(&other[below(other.len() + 1)..]);
        }
        _ => {
            let mut pieces: Vec<&str> = pieces(text);
            for _ in 0..=below(2) {
                let (at, other) = (below(pieces.len()), below(pieces.len()));
                match kind {
                    4 => pieces.insert(at, pieces[at]),
                    5 => pieces[at] = "",
                    6 => pieces.swap(at, other),
                    _ => pieces[at] = pieces[other],
                }
            }
            bytes = pieces.concat().into_bytes();
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The number of mutations, from `CUBIST_MUTATIONS`.
#[test]
fn mutated_texts_have_an_answer() {
    let count = std::env::var("CUBIST_MUTATIONS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(20_000);
    let originals = originals();
    let mut random = oorandom::Rand32::new(15);
    for number in 0..count {
        let original = &originals[number % originals.len()];
        let text = mutated(&mut random, original, &originals);
        let mut sources = Sources::new(SourceFile::new("test.i", text.as_str()));
        if number % 4 == 0 {
            // What the preprocessor made need not fit to what the user wrote.
            let line = random.rand_range(1..5);
            let markers = format!("# 1 \"test.c\"\n# 1 \"<built-in>\"\n# {line} \"test.c\"\n");
            let written = format!("#define T(x) x\n#define int\n{original}");
            sources = Sources::new(SourceFile::new("test.c", written))
                .with_file(Role::Preprocessed, SourceFile::new("test.i", markers + &text));
        }
        let parsed = parse(&sources);
        for found in parsed.diagnostics.iter().take(if number % 50 == 0 { 10 } else { 0 }) {
            found.render(&sources, false);
        }
        let mut places: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|found| (found.span, &found.message))
            .collect();
        places.dedup();
        assert_eq!(places.len(), parsed.diagnostics.len(), "told twice: {text}");
        if parsed.diagnostics.is_empty() {
            // What is read can be printed.
            support::printer::unit(&parsed.unit);
        }
    }
}
