//! Parsing Murphi: the corpus, expression trees, every kind of syntax error, and all sorts of broken files.

#![allow(clippy::unwrap_used, clippy::panic)]

mod print;

use oorandom::Rand64;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use murphi::parse;
use murphi::syntax::{Expression, Item, RuleItem};
use print::{expression_text, program_text};
use system::{Diagnostic, Severity, SourceFile, Sources};
use testing::{Absent, Outcome};

/// The models in a folder, sorted by name.
fn models(folder: &Path) -> Vec<SourceFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        SourceFile::new(name, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn corpus() -> Result<Vec<SourceFile>, Absent> {
    Ok(models(&testing::corpus("murphi")?))
}

fn rendered(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}\n", diagnostic.render(&Sources::from(file), false)).unwrap();
    }
    text
}

/// The messages about a text.
fn messages(text: &str) -> Vec<String> {
    let (_, diagnostics) = parse(&SourceFile::new("test.m", text));
    diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn the_corpus_is_read_without_complaint() -> Outcome {
    for file in corpus()? {
        let (_, diagnostics) = parse(&file);
        assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    }
    Ok(())
}

fn the_models_with_everything_are_read_without_error() {
    for file in models(&here("tests/models")) {
        let (_, diagnostics) = parse(&file);
        let warnings = diagnostics
            .iter()
            .all(|diagnostic| diagnostic.severity == Severity::Warning);
        assert!(warnings, "{}", rendered(&file, &diagnostics));
    }
}

fn errors_are_explained() {
    let files = models(&here("tests/errors/syntax"));
    assert!(files.len() >= 25);
    for file in files {
        let (_, diagnostics) = parse(&file);
        assert!(!diagnostics.is_empty(), "{}", file.name);
        let name = file.name.trim_end_matches(".m").to_string();
        insta::with_settings!({ snapshot_path => "errors/syntax/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, rendered(&file, &diagnostics));
        });
    }
}

fn a_switch_without_its_end_before_an_item_ends() {
    for item in [
        "predicate \"p\" c;",
        "axiom c;",
        "index i: boolean;",
        "uninterpreted f: boolean;",
    ] {
        let text = format!("var c: boolean; rule switch c case true: c := false; {item} invariant c;");
        assert!(!messages(&text).is_empty(), "{item}");
    }
}

/// The code blocks of the reference in a language, without their fences.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    text.split(&format!("```{language}\n"))
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or(""))
        .collect()
}

fn the_examples_of_the_reference_are_models() {
    let reference = std::fs::read_to_string(here("../../docs/language.md")).unwrap();
    let examples = blocks(&reference, "murphi");
    assert!(examples.len() > 5);
    // The first one is complete; those about the extensions form one model together.
    for text in [examples[0].to_string(), examples[1..].join("\n")] {
        let file = SourceFile::new("language.md", text);
        let (program, mut diagnostics) = parse(&file);
        diagnostics.extend(murphi::check(&program, &murphi::CheckOptions::default()).1);
        assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    }
    for file in models(&here("tests/errors/syntax")) {
        if file.name == "else_if.m" {
            let (_, diagnostics) = parse(&file);
            assert!(reference.contains(rendered(&file, &diagnostics).trim_end()));
        }
    }
}

// Trees.

fn invariant(text: &str) -> Expression {
    let file = SourceFile::new("test.m", format!("invariant {text};"));
    let (program, diagnostics) = parse(&file);
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    match program.items.into_iter().next() {
        Some(Item::Rule(RuleItem::Property { formula, .. })) => formula,
        other => panic!("{other:?}"),
    }
}

fn operators_bind_as_in_both_tools() {
    let table = [
        ("a", "a"),
        ("a + b * c", "(+ a (* b c))"),
        ("a * b + c", "(+ (* a b) c)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a / b % c * d", "(* (% (/ a b) c) d)"),
        ("-a * b", "(* (neg a) b)"),
        ("-a + b", "(+ (neg a) b)"),
        ("a - -b", "(- a (neg b))"),
        ("a * -b + c", "(+ (* a (neg b)) c)"),
        ("- -a", "(neg (neg a))"),
        ("+a + b", "(+ (pos a) b)"),
        ("~a + b", "(+ (~ a) b)"),
        ("-~a", "(neg (~ a))"),
        ("!a = b", "(! (= a b))"),
        ("!a & b", "(& (! a) b)"),
        ("!!a", "(! (! a))"),
        ("a = !b = c", "(= a (! (= b c)))"),
        ("a = b & c != d", "(& (= a b) (!= c d))"),
        ("a == b", "(= a b)"),
        ("a < b | c >= d", "(| (< a b) (>= c d))"),
        ("a & b | c & d", "(| (& a b) (& c d))"),
        ("a | b & c | d", "(| (| a (& b c)) d)"),
        ("a -> b | c", "(-> a (| b c))"),
        ("a & b -> c & d", "(-> (& a b) (& c d))"),
        ("(a -> b) -> c", "(-> (-> a b) c)"),
        ("a ? b : c", "(? a b c)"),
        ("a -> b ? c : d -> e", "(? (-> a b) c (-> d e))"),
        ("a ? b ? c : d : e", "(? a (? b c d) e)"),
        ("a = b ? c + d : e", "(? (= a b) (+ c d) e)"),
        // Rumur's operators.
        ("a || b && c", "(|| a (&& b c))"),
        ("a | b && c", "(&& (| a b) c)"),
        ("a || b | c", "(|| a (| b c))"),
        ("a ^ b | c", "(| (^ a b) c)"),
        ("a ^ b & c", "(^ a (& b c))"),
        ("a << b + c >> d", "(>> (<< a (+ b c)) d)"),
        ("a << b < c", "(< (<< a b) c)"),
        ("a ∧ b ∨ ¬c → d", "(-> (|| (&& a b) (! c)) d)"),
        ("a − b × c ÷ d", "(- a (/ (* b c) d))"),
        ("a ≤ b ∧ c ≥ d ∧ e ≠ f", "(&& (&& (<= a b) (>= c d)) (!= e f))"),
        // Designators, calls and quantifiers.
        ("a.b[c].d", "(. ([] (. a b) c) d)"),
        ("a[b[c]][d]", "([] ([] a ([] b c)) d)"),
        ("f(a, b + c,).d", "(. (f a (+ b c)) d)"),
        ("f() & g(-1)", "(& (f) (g (neg 1)))"),
        ("forall i: T do a end & b", "(& (forall (i T) a) b)"),
        ("exists i: T : a endexists", "(exists (i T) a)"),
        (
            "forall i: T; j := 1 to 3 by 2 do a end",
            "(forall (i T) (forall (j 1 3 2) a))",
        ),
        (
            "∀ i: 0..3 do ∃ j: boolean do a endexists endforall",
            "(forall (i (.. 0 3)) (exists (j boolean) a))",
        ),
        (
            "isundefined(a.b) -> ismember(c, T)",
            "(-> (isundefined (. a b)) (ismember c T))",
        ),
        (
            "multisetcount(i: m, m[i] = 1) < 2",
            "(< (multisetcount i m (= ([] m i) 1)) 2)",
        ),
        ("TRUE & False", "(& true false)"),
        ("[] = q", "(= [] q)"),
        ("0x1F + 010", "(+ 31 10)"),
        (
            "-9223372036854775808 < 9223372036854775807",
            "(< -9223372036854775808 9223372036854775807)",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(expression_text(&invariant(text)), expected, "{text}");
    }
}

fn long_chains_keep_their_order() {
    let names: Vec<String> = (0..10_000).map(|number| format!("a{number}")).collect();
    for operator in [" & ", " | ", " && ", " || "] {
        let text = expression_text(&invariant(&names.join(operator)));
        let leaves: Vec<&str> = text
            .split([' ', '(', ')'])
            .filter(|part| part.starts_with('a'))
            .collect();
        assert_eq!(leaves, names);
    }
    assert_eq!(
        messages(&format!("invariant {} > 0;", names.join(" + "))),
        ["this expression is too long"]
    );
    invariant(&format!("{} > 0", names[..400].join(" + ")));
}

fn words_of_extensions_are_names_where_names_stand() {
    let text = r#"
        const list: 3; multiset: 4;
        type index: 0..list; predicate: enum {axiom, havoc, liveness};
        var choose, uninterpreted: index; assume: array [index] of predicate; cover: record where: index; end;
            undefined: index;
        procedure multisetadd(ismember: index; var real: index); begin real := ismember; end;
        startstate
          choose := 1; uninterpreted := undefined; assume[1] := axiom; cover.where := 2;
          undefined := choose;
          multisetadd(choose, uninterpreted);
        end;
        rule "r" undefined = choose ==> var havoc: index; begin
          havoc := 1;
          assume[havoc] := liveness;
        end;
    "#;
    let file = SourceFile::new("test.m", text);
    let (program, diagnostics) = parse(&file);
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    insta::assert_snapshot!(program_text(&program));
}

fn everything_can_be_written_without_semicolons() {
    let text = r#"
        const a: 1 b: 2
        type t: a..b u: enum {c, d,} v: record x, y: t z: boolean endrecord
        var e: t f, g: v
        function h(i: t var j: t): boolean var k: t begin return i = j endfunction
        procedure p() end
        startstate e := 1 end
        startstate "s" begin e := 2; end
        rule e = 1 ==> e := 2 end
        rule p() end
        rule if e = 1 then e := 2 end end
        rule begin endrule
        ruleset i: t; j: boolean do rule i = 1 & j ==> begin e := i end invariant j | !j end
        alias q: e w: f do rule q = 1 ==> q := 2 end endalias
        invariant e > 0
        invariant "name" e > 0
        invariant e > 0 "name"
    "#;
    let file = SourceFile::new("test.m", text);
    let (program, diagnostics) = parse(&file);
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    insta::assert_snapshot!(program_text(&program));
}

// Depth.

/// Nesting constructs: prefix, opening, content, closing, and suffix.
const NESTS: &[(&str, &str, &str, &str, &str)] = &[
    ("invariant ", "(", "a", ")", ";"),
    ("invariant ", "!", "a", "", ";"),
    ("invariant ", "a[", "b", "]", ";"),
    ("invariant ", "f(", "b", ")", ";"),
    ("invariant ", "(1 + ", "b", ")", " > 0;"),
    ("invariant ", "a ? ", "b", " : c", ";"),
    ("invariant ", "forall i: T do ", "a", " end", ";"),
    ("startstate ", "if a then ", "b := 1;", " end;", " end;"),
    ("startstate ", "for i: T do ", "b := 1;", " end;", " end;"),
    ("startstate ", "while a do ", "b := 1;", " end;", " end;"),
    ("startstate ", "switch a case 1: ", "b := 1;", " end;", " end;"),
    ("startstate ", "alias a: b do ", "b := 1;", " end;", " end;"),
    ("startstate ", "if a then else ", "b := 1;", " end;", " end;"),
    ("", "ruleset i: T do ", "invariant a;", " end;", ""),
    ("", "alias a: b do ", "invariant a;", " end;", ""),
    ("type a: ", "array [T] of ", "T", "", ";"),
    ("type a: ", "record b: ", "T", "; end", ";"),
    ("type a: ", "list of ", "T", "", ";"),
];

fn nesting_is_limited_and_the_rest_is_still_read() {
    for &(before, open, inside, close, after) in NESTS {
        let nested = |levels: usize| {
            // Statements and rulesets contain one more level: their content.
            let (open, close) = (open.repeat(levels), close.repeat(levels));
            format!("{before}{open}{inside}{close}{after} invariant c := 1;")
        };
        let mistake = "`:=` assigns, but a value is needed here";
        assert_eq!(messages(&nested(199)), [mistake], "{open}");
        for levels in [202, 1_000, 50_000] {
            let found = messages(&nested(levels));
            assert_eq!(found.len(), 2, "{open} {levels}: {found:?}");
            assert!(found[0].contains("nested more than 200 levels"), "{found:?}");
            assert_eq!(found[1], mistake);
        }
    }
}

// Broken files.

struct Numbers(Rand64);

impl Numbers {
    fn new(seed: u128) -> Numbers {
        Numbers(Rand64::new(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.rand_range(0..limit.max(1) as u64) as usize
    }
}

/// Parses, and checks invariants that hold for any text.
fn survives(text: &str) {
    let file = SourceFile::new("test.m", text);
    let (_, diagnostics) = parse(&file);
    assert!(diagnostics.len() <= text.len() + 1);
    for diagnostic in &diagnostics {
        assert!(diagnostic.span.start <= diagnostic.span.end && diagnostic.span.end as usize <= text.len());
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.label.is_empty(),
            "{diagnostic:?}"
        );
    }
    // Rendering cuts the text at spans, which must be at character boundaries.
    if let Some(diagnostic) = diagnostics.first() {
        assert!(!diagnostic.render(&Sources::from(&file), false).is_empty());
    }
}

fn seeds() -> Vec<String> {
    let mut files = models(&here("tests/models"));
    files.extend(models(&here("tests/errors/syntax")));
    // Models of others are used if present.
    files.extend(corpus().unwrap_or_default());
    files
        .into_iter()
        .map(|file| file.text)
        .filter(|text| text.len() < 20_000)
        .collect()
}

fn truncated_files_are_survived() {
    for text in seeds() {
        let step = (text.len() / 40).max(1);
        for end in (0..text.len()).step_by(step) {
            if let Some(start) = text.get(..end) {
                survives(start);
            }
            if let Some(rest) = text.get(end..) {
                survives(rest);
            }
        }
    }
}

fn mutated_files_are_survived() {
    let mut numbers = Numbers::new(0x9E37_79B9_7F4A_7C15);
    let garbage = [
        "\"",
        "“",
        "'",
        "/*",
        "*/",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "end",
        "endif",
        "if",
        "begin",
        "rule",
        ":=",
        "==>",
        ";",
        "∀",
        "\u{0}",
        "é",
        "🦀",
        "99999999999999999999",
        "var",
        "else",
        "do",
        ":",
        "..",
        "record",
        "choose i",
        "list of",
    ];
    for text in seeds() {
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', ')']).collect();
        for _ in 0..30 {
            let mut mutated: Vec<&str> = words.clone();
            for _ in 0..=numbers.below(6) {
                let place = numbers.below(mutated.len());
                match numbers.below(4) {
                    0 if !mutated.is_empty() => {
                        mutated.remove(place);
                    }
                    1 if !mutated.is_empty() => mutated.insert(place, mutated[numbers.below(mutated.len())]),
                    2 if !mutated.is_empty() => {
                        let other = numbers.below(mutated.len());
                        mutated.swap(place, other);
                    }
                    _ => mutated.insert(place, garbage[numbers.below(garbage.len())]),
                }
            }
            survives(&mutated.concat());
        }
    }
}

fn garbage_is_survived() {
    let mut numbers = Numbers::new(0x1234_5678_9ABC_DEF1);
    let alphabet: Vec<char> = " \n\t;:=.,()[]{}<>!&|+-*/%?~^\"'`#@$\\_abcendifrule019“”∀≔⇒é\u{0}"
        .chars()
        .collect();
    for length in 0..1_000 {
        let text: String = (0..length).map(|_| alphabet[numbers.below(alphabet.len())]).collect();
        survives(&text);
    }
}

fn the_time_for_a_hopeless_file_grows_with_its_length_only() {
    // Each of these once made some look-ahead scan to the end of the file from every position.
    for piece in [
        "const a: ( x ",
        "rule x[( ",
        "x := (a ",
        "forall i: ",
        "if ( ",
        "case 1 ",
        "\" \n",
        "@ ",
        "a.b ",
        "end ",
    ] {
        survives(&piece.repeat(20_000));
    }
}

testing::tests!(
    the_corpus_is_read_without_complaint,
    the_models_with_everything_are_read_without_error,
    errors_are_explained,
    a_switch_without_its_end_before_an_item_ends,
    the_examples_of_the_reference_are_models,
    operators_bind_as_in_both_tools,
    long_chains_keep_their_order,
    words_of_extensions_are_names_where_names_stand,
    everything_can_be_written_without_semicolons,
    nesting_is_limited_and_the_rest_is_still_read,
    truncated_files_are_survived,
    mutated_files_are_survived,
    garbage_is_survived,
    the_time_for_a_hopeless_file_grows_with_its_length_only,
);
