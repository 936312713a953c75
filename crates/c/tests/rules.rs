//! What is wrong with a rule or a property file is told with its place.
#![allow(clippy::unwrap_used)]

use c::{DataModel, Options, RuleFile};
use std::fmt::Write as _;
use system::{SourceFile, Sources};

const PROGRAM: &str = "\
struct lock { int number; };
void lock(struct lock *lock);
int open(const char *name, int mode);
void give(struct lock lock);
int main(void) { struct lock l; lock(&l); give(l); return open(\"a\", 1); }
";

/// Rules with one mistake each.
const RULES: &[&str] = &[
    // As a whole.
    "",
    "rule \"says nothing\";\nint held = 0;\n",
    "rule locks;\nbefore lock(l) { }\n",
    "rule \"locks\"\nbefore lock(l) { }\n",
    "42;\n",
    // Events.
    "before { }\n",
    "before lock { }\n",
    "before lock(1) { }\n",
    "before lock(l;) { }\n",
    "before lock(l)\n",
    "before lock(l) { if (1) {\n",
    "before r = lock(l) { }\n",
    "after = lock(l) { }\n",
    "at start { }\n",
    "watch 3;\nbefore lock(l) { }\n",
    "watch lock\nbefore lock(lock) { }\n",
    "before lock(l, m) { }\n",
    "before give(l) { }\n",
    "after r = lock(l) { if (r) error \"r\"; }\n",
    "before close(file) { }\n",
    "before main() { }\n",
    // What is done.
    "int held = 0;\nbefore lock(l) { if (held error \"twice\"; held = 1; }\n",
    "int held = 0;\nbefore lock(l) { if (hold) error \"twice\"; held = 1; }\n",
    "int held = 0;\nbefore lock(l) {\n    held = l->numbr;\n}\n",
    "int held = 0;\nbefore lock(l) { held = *held; }\n",
    "int held = 0;\nbefore lock(l) { held = held + missing(l) * 2; }\n",
    "int held = 0;\nafter f = open(name, mode) { held = 1; if (f < 0) held = nobody; }\n",
    "int held = 0;\nbefore lock(l) { error twice; }\n",
    "int held = 0;\nbefore lock(l) { error \"twice\" }\n",
    "int held = ;\nbefore lock(l) { held = 1; }\n",
    "int held = 0, held = 1;\nbefore lock(l) { held = 1; }\n",
    "watch l;\nint held = 0;\nbefore lock(l) { held = l + l; }\n",
    "int held = 0;\nbefore lock(l) { goto away; held = 1; }\n",
    "int held = 0;\nbefore lock(l) { return held; }\n",
    "strukt s held;\nbefore lock(l) { held = 1; }\n",
];

/// Property files with one mistake each.
const PROPERTIES: &[&str] = &[
    "",
    "check( init(main()), LTL(G ! call(reach_error())) )\n",
    "CHECK( main(), LTL(G ! call(reach_error())) )\n",
    "CHECK( init(main), LTL(G ! call(reach_error())) )\n",
    "CHECK( init(1()), LTL(G ! call(reach_error())) )\n",
    "CHECK( init(main()) LTL(G ! call(reach_error())) )\n",
    "CHECK( init(main()), CTL(G ! call(reach_error())) )\n",
    "CHECK( init(main()), LTL(X ! call(reach_error())) )\n",
    "CHECK( init(main()), LTL(G call(reach_error())) )\n",
    "CHECK( init(main()), LTL(G ! call(reach_error)) )\n",
    "CHECK( init(main()), LTL(G ! reach_error()) )\n",
    "CHECK( init(main()), LTL(G ! call(reach_error())) \n",
    "CHECK( init(main()), LTL(F end) )\n",
    "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-memtrack) )\n",
    "CHECK( init(main()), LTL(G ! data-race) )\n",
    "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n",
    "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(start()), LTL(G valid-deref) )\n",
    "CHECK( init(main()), LTL(G ! overflow) ) and more\n",
    "\u{0}\u{202e}é(((((((((",
];

fn about_rule(rule: &str) -> String {
    let rules = vec![RuleFile {
        name: "a.rule".to_owned(),
        text: rule.to_owned(),
    }];
    let options = Options {
        rules,
        ..Options::new(DataModel::Lp64)
    };
    let sources = Sources::new(SourceFile::new("a.i", PROGRAM));
    let (diagnostics, sources) = match c::read(&sources, &options) {
        Ok(unit) => (unit.diagnostics, unit.sources),
        Err(rejected) => (rejected.diagnostics, rejected.sources),
    };
    let shown = diagnostics.iter().map(|found| found.render(&sources, false) + "\n");
    shown.collect()
}

fn about_property(text: &str) -> String {
    match c::specification(SourceFile::new("a.prp", text)) {
        Ok(read) => format!("{read:?}\n"),
        Err(rejected) => rejected
            .diagnostics
            .iter()
            .map(|found| found.render(&rejected.sources, false) + "\n")
            .collect(),
    }
}

fn all(texts: &[&str], about: fn(&str) -> String) -> String {
    let mut told = String::new();
    for text in texts {
        let _ = writeln!(told, "==== {text:?}\n{}", about(text).trim_end());
    }
    told
}

#[test]
fn rules() {
    insta::assert_snapshot!(all(RULES, about_rule));
}

#[test]
fn properties() {
    insta::assert_snapshot!(all(PROPERTIES, about_property));
}

#[test]
fn property_files_of_others() {
    let read = |text: &str| c::specification(SourceFile::new("a.prp", text)).unwrap();
    let calls = read("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n");
    assert_eq!(
        (calls.entry.as_str(), calls.functions),
        ("main", vec!["reach_error".to_owned()])
    );
    let older = read("CHECK(init(start()),LTL(G ! call(__VERIFIER_error())))");
    assert_eq!(
        (older.entry.as_str(), older.functions),
        ("start", vec!["__VERIFIER_error".to_owned()])
    );
    let label = read("CHECK( init(main()), LTL(G ! label(ERROR)) )");
    assert_eq!(label.labels, ["ERROR"]);
    let memory = read("CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n");
    assert_eq!(memory.undefined.len(), 5);
}

/// The names of the properties of a program, as a property file has them.
fn asked(property: &str) -> Vec<String> {
    let program = "\
void reach_error(void); void __VERIFIER_error(void); void __assert_fail(const char *, const char *, unsigned, const char *);
int main(int argc, char **argv) {
  if (argc == 1) reach_error();
  if (argc == 2) __VERIFIER_error();
  if (argc == 3) __assert_fail(\"argc != 3\", \"a.c\", 4, \"main\");
  ERROR: return argc + 1;
}
";
    let mut options = Options::new(DataModel::Lp64);
    options.specify(&c::specification(SourceFile::new("a.prp", property)).unwrap());
    let unit = c::read(&c::preprocess::preprocessed("a.i", program, None), &options).unwrap();
    let names = unit.program.properties.iter().map(|property| property.name.clone());
    names.collect()
}

#[test]
fn only_what_a_property_file_says_is_an_error() {
    let calls = asked("CHECK( init(main()), LTL(G ! call(reach_error())) )");
    assert_eq!(calls, ["reach_error()"]);
    let label = asked("CHECK( init(main()), LTL(G ! label(ERROR)) )");
    assert_eq!(label.len(), 1, "{label:?}");
    assert_eq!(asked("CHECK( init(main()), LTL(G ! overflow) )"), Vec::<String>::new());
}
