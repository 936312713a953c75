//! Runs that the interpreter finds, made by gcc: it comes to the same end. One construct in each program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use harness::{Source, Tried, Unwritable, text, try_it};
use interpret::search::{SearchOptions, search};
use interpret::{End, Executable, FixedInputs, RunLimits, RunOutcome, UndefinedMode, Uninitialized};
use std::process::ExitCode;
use system::program::PropertyId;
use testing::{Trial, trial};

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = PROGRAMS
        .iter()
        .flat_map(|(name, program)| {
            c::DataModel::ALL.map(|model| {
                let name = format!("{name}{}", model.gcc_option());
                trial(&name, move || {
                    testing::tool("gcc", "--version")?;
                    reached(program, model);
                    Ok(())
                })
            })
        })
        .collect();
    trials.push(trial("another_input_leads_elsewhere", || {
        testing::tool("gcc", "--version")?;
        elsewhere();
        Ok(())
    }));
    trials.push(trial("values_that_nobody_gave", uninitialised));
    testing::run(trials)
}

/// Each has one way into its error.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "inputs",
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         unsigned char __VERIFIER_nondet_uchar(void); _Bool __VERIFIER_nondet_bool(void);
         int main(void) { int a = __VERIFIER_nondet_int(); __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_int();
           unsigned char c = __VERIFIER_nondet_uchar(); _Bool d = __VERIFIER_nondet_bool();
           if (a == 7 && b == -3 && c == 200 && d == 1) reach_error(); return 0; }",
    ),
    (
        "floats",
        "double __VERIFIER_nondet_double(void); void reach_error(void);
         int main(void) { double d = __VERIFIER_nondet_double(); if (d == 0.5) reach_error(); return 0; }",
    ),
    (
        "an_error_function_with_a_body",
        "int __VERIFIER_nondet_int(void); static int n; void reach_error(void) { n++; }
         int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return 0; }",
    ),
    (
        "a_static_error_function",
        "int __VERIFIER_nondet_int(void); static void reach_error(void) { }
         int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return 0; }",
    ),
    (
        "an_assertion",
        "extern void __assert_fail(const char *, const char *, unsigned int, const char *);
         int __VERIFIER_nondet_int(void);
         int main(int argc, char **argv) { int x = __VERIFIER_nondet_int();
           if (argc == 1 && argv[0] && !argv[1]) (x != 3) ? (void)0 : __assert_fail(\"x != 3\", \"a.c\", 1, \"main\");
           return 0; }",
    ),
    (
        "a_label",
        "int __VERIFIER_nondet_int(void);
         int main(void) { int x = __VERIFIER_nondet_int(); int y = 1 ? x : x; switch (x) { case 4: goto ERROR; }
           return 0; ERROR : x = 1; return x; }",
    ),
    (
        "an_unknown_function",
        "struct s { char c; int i; unsigned b : 3; long l; }; extern int fill(struct s *, int, double);
         extern short half(void); extern void nothing(char *); void reach_error(void);
         int main(void) { struct s s; char c = 0; int r = fill(&s, 1, 2.0); fill(&s, 1, 2.0); nothing(&c);
           if (r == 0 && s.c == 0 && s.i == -1 && s.b == 2 && c == 0 && half() == -1) reach_error();
           return 0; }",
    ),
    (
        "variables_of_other_files",
        "extern int outside; struct pair { char a; short b; }; extern struct pair pair; extern int row[2];
         void reach_error(void);
         int main(void) { if (outside == 2 && pair.a == 1 && pair.b == -1 && row[1] == 1) reach_error(); return 0; }",
    ),
    (
        "memory",
        "void *malloc(__SIZE_TYPE__); void reach_error(void); int __VERIFIER_nondet_int(void);
         int main(void) { int *p = malloc(8); int a[3]; p[0] = __VERIFIER_nondet_int(); a[0] = p[0];
           if (p[1] == 0 && a[0] == 2 && a[2] == 0) reach_error(); return 0; }",
    ),
    (
        "names_of_the_library",
        "int write(int, char *, int); int open(const char *); void exit(int); void reach_error(void);
         int main(void) { char c = 0; int f = open(\"x\"); if (f == 2 && write(f, &c, 1) == 1 && c == 1) reach_error();
           exit(10); }",
    ),
    (
        "code_that_is_never_called",
        "extern int nowhere; extern void nobody(int); static void unused(void) { nobody(nowhere); }
         void reach_error(void); int main(void) { reach_error(); return 0; }",
    ),
    (
        "an_assumption",
        "void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void); void reach_error(void);
         int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 100); if (x < 102) reach_error();
           return 0; }",
    ),
    (
        "overflow",
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < 0) reach_error(); return 0; }",
    ),
    (
        "by_a_pointer",
        "void reach_error(void); int __VERIFIER_nondet_int(void); int (*input)(void) = __VERIFIER_nondet_int;
         int main(void) { void (*f)(void) = reach_error; if (input() == 2) f(); return 0; }",
    ),
];

struct Read {
    unit: c::Unit,
    source: Source,
}

fn read(program: &str, model: c::DataModel) -> Read {
    let options = c::Options {
        error_labels: vec!["ERROR".to_owned()],
        ..c::Options::new(model)
    };
    let sources = c::preprocess::preprocessed("program.i", program, None);
    let unit = c::read(&sources, &options).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    let source = Source {
        name: "program.i".to_owned(),
        text: program.to_owned(),
        defined: unit.defined.clone(),
        symbols: unit.symbols.clone(),
        entry: "main".to_owned(),
        labels: options.error_labels,
        machine: model.gcc_option(),
    };
    Read { unit, source }
}

fn limits() -> RunLimits {
    RunLimits {
        undefined: UndefinedMode::Wrap,
        uninitialised: Uninitialized::Input,
        trace: 1000,
        ..SearchOptions::default().limits
    }
}

fn found(read: &Read) -> (RunOutcome, PropertyId) {
    let executable = Executable::new(&read.unit.program);
    let options = SearchOptions {
        limits: RunLimits { trace: 0, ..limits() },
        ..SearchOptions::default()
    };
    let violation = search(&executable, &options, &|| false).violation.expect("a violation");
    let outcome = executable.run(&mut FixedInputs::new(violation.inputs), &limits());
    match outcome.end {
        End::Violated(property) => (outcome, property),
        end => panic!("{end:?}"),
    }
}

fn reached(program: &str, model: c::DataModel) {
    let read = read(program, model);
    let (outcome, property) = found(&read);
    let written = text(&read.unit.program, &read.source, &outcome, property).unwrap();
    let tried = try_it(&written, read.source.machine, &|| false);
    if matches!(&tried, Tried::NotRun(_)) && model == c::DataModel::Ilp32 && !has_32_bits() {
        return;
    }
    assert_eq!(tried, Tried::Reached, "{written}");
}

fn has_32_bits() -> bool {
    try_it("int main(void) { return 10; }", "-m32", &|| false) == Tried::Reached
}

fn elsewhere() {
    let read = read(PROGRAMS[0].1, c::DataModel::Lp64);
    let (mut outcome, property) = found(&read);
    for asked in &mut outcome.from_outside.asked {
        asked.value = 0;
    }
    let written = text(&read.unit.program, &read.source, &outcome, property).unwrap();
    let tried = try_it(&written, "-m64", &|| false);
    assert!(
        matches!(&tried, Tried::Elsewhere(how) if how.contains("ends")),
        "{tried:?}"
    );
    outcome.from_outside.asked.clear();
    let written = text(&read.unit.program, &read.source, &outcome, property).unwrap();
    let tried = try_it(&written, "-m64", &|| false);
    assert!(
        matches!(&tried, Tried::Elsewhere(how) if how.contains("more often")),
        "{tried:?}"
    );
    assert!(matches!(try_it("int main;", "-m64", &|| true), Tried::NotRun(_)));
    let wrong = try_it("int main(void) { return x; }", "-m64", &|| false);
    assert!(
        matches!(&wrong, Tried::NotRun(why) if why.contains("undeclared")),
        "{wrong:?}"
    );
    let greedy = "void *malloc(unsigned long); int main(void) { return malloc(3ul << 30) ? 10 : 1; }";
    assert!(matches!(try_it(greedy, "-m64", &|| false), Tried::Elsewhere(_)));
}

fn uninitialised() {
    let program = "void reach_error(void); int main(void) { int x; if (x == 3) reach_error(); return 0; }";
    let read = read(program, c::DataModel::Lp64);
    let (outcome, property) = found(&read);
    let refused = text(&read.unit.program, &read.source, &outcome, property).unwrap_err();
    assert_eq!(refused, Unwritable::Uninitialized(3));
}
