//! Random small C components with random specifications: compares `cubist conform` with all their runs.
//!
//! The reference shares no code with Cubist: gcc compiles the components with routines that log their calls and
//! enumerate all results, and with the conditions of the specification, so that gcc defines their meaning. Walking
//! along the traces decides which of them the specification has.

mod draw;
mod judge;

use crate::c::gcc;
use crate::random::Dice;
use crate::tally::Campaign;
use conformance::assembly::{ClosedComponent, System, SystemOptions, problems};
use conformance::certificate::against;
use conformance::lts::TAU;
use conformance::minimise::Minimisation;
use conformance::specification;
use conformance::verify::{Levels, Options};
use draw::Component;
use driver::components::{self, Verdict};
use driver::{Answer, Context, Silent};
use judge::{Event, Specified, Traces};
use smt::Solvers;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use system::SourceFile;
use unfold::Undefinedness;

/// The time limit of each answer.
const ALLOWED: Duration = Duration::from_secs(20);

/// Tests random pairs; does nothing without gcc.
pub fn run(run: &mut Campaign) {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-conform-{}", std::process::id()));
    let is_ready = std::fs::create_dir_all(&folder).is_ok() && gcc::is_installed("gcc", &folder);
    for case in run.cases().filter(|_| is_ready) {
        let dice = run.begin(case);
        match case_of(dice, &folder) {
            Err(why) => run.add(&why, 1),
            Ok(pair) => {
                run.tried += 1;
                check_pair(run, &pair, &folder);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// Components and a specification, with the expected verdict.
struct Pair {
    components: Vec<Component>,
    program: String,
    specification: String,
    is_violated: bool,
    /// Whether some runs were truncated.
    is_cut: bool,
}

fn check_pair(run: &mut Campaign, pair: &Pair, folder: &Path) {
    let text = format!("{}\n/*\n{}*/\n", pair.program, pair.specification);
    let name = format!("{}.c", run.name());
    run.add(
        if pair.is_violated {
            "pairs that violate"
        } else {
            "pairs that conform"
        },
        1,
    );
    run.add("of several components", u64::from(pair.components.len() > 1));
    let answers = match answers(pair, folder) {
        Ok(answers) => answers,
        Err(Refused::Input(why)) => return run.failure(&name, &format!("refused: {why}"), text.as_bytes()),
        Err(Refused::Alphabet) => return run.add("with another alphabet", 1),
    };
    for (way, answer) in answers {
        let what = match (answer.as_str(), pair.is_violated) {
            ("conforms", true) => Some("said to conform, and does not"),
            (refused, _) if refused.starts_with("conforms, ") => Some(refused),
            ("violated", false) if !pair.is_cut => Some("said to be violated, and is not"),
            (mistake, _) if mistake.starts_with("a mistake: ") => Some("Cubist notices a mistake of its own"),
            _ => None,
        };
        match what {
            Some(what) => run.failure(&name, &format!("{what} ({way})"), text.as_bytes()),
            None => run.add(&answer, 1),
        }
    }
}

enum Refused {
    Input(String),
    Alphabet,
}

/// The verdicts in three configurations.
fn answers(pair: &Pair, folder: &Path) -> Result<Vec<(&'static str, String)>, Refused> {
    let refused = |what: &dyn std::fmt::Debug| Refused::Input(format!("{what:?}"));
    let file = folder.join("pair.c");
    std::fs::write(&file, &pair.program).map_err(|error| refused(&error))?;
    let specification = specification::read(SourceFile::new("a.spec", pair.specification.as_str()), Vec::new())
        .map_err(|rejected| refused(&rejected.diagnostics))?;
    let question = problems(&specification, &|_| true).swap_remove(0);
    let mut opened = Vec::new();
    for component in &pair.components {
        let options = c::Options {
            entry: component.name.to_owned(),
            specified: specification.specified(),
            ..c::Options::default()
        };
        let unit = c::read_file(&file, &options).map_err(|rejected| refused(&rejected.diagnostics))?;
        opened.push(
            ClosedComponent::new(component.name, &unit.program, &specification).map_err(|error| refused(&error))?,
        );
    }
    let begun = Instant::now();
    let is_over = || begun.elapsed() > ALLOWED;
    let solvers = Solvers::default();
    let making = SystemOptions {
        undefined: Undefinedness::Wraps,
        predicates: 32,
        constants: true,
        solvers: &solvers,
        is_over: &is_over,
    };
    let system = System::new(&specification, &question, &opened, &making).map_err(|found| refused(&found))?;
    for (component, made) in pair.components.iter().zip(&system.components) {
        let own = made.alphabet.iter().filter(|action| **action != TAU);
        let names = own.map(|action| system.actions.name(*action));
        let names: BTreeSet<&str> = names.filter(|name| !name.contains("return")).collect();
        if names != component.actions {
            return Err(Refused::Alphabet);
        }
    }
    let context = Context {
        solvers: solvers.clone(),
        deadline: begun.checked_add(ALLOWED),
        observer: &Silent,
        jobs: 1,
    };
    let ways = [
        ("two levels", Levels::Two, Minimisation::Minimum),
        ("one level", Levels::One, Minimisation::None),
        ("greedy", Levels::Two, Minimisation::Greedy),
    ];
    let answer = |(way, levels, minimisation)| {
        let question = components::Question {
            system: &system,
            opened: &opened,
            options: Options {
                levels,
                minimisation,
                iterations: 2000,
                ..Options::default()
            },
            undefined: Undefinedness::Wraps,
            sources: Vec::new(),
            about: vec![("proves", "it".to_owned())],
        };
        let said = answer_text(components::check(&question, &context), |text| {
            against(text, &system, &question.about, &is_over).map_or_else(|refusal| Some(refusal.to_string()), |_| None)
        });
        (way, said)
    };
    Ok(ways.map(answer).into())
}

/// An answer in a word; `refused` says why a certificate is refused, where it is.
fn answer_text(
    answer: driver::Result<Answer<components::Decided>>,
    refused: impl Fn(&str) -> Option<String>,
) -> String {
    let decided = match answer {
        Ok(Answer::Decided(decided)) => decided,
        Ok(Answer::Mistake(mistake)) => return format!("a mistake: {}", mistake.message),
        Err(error) => return format!("an error: {error}"),
    };
    match decided.verdict {
        Verdict::Safe(proved) => match refused(proved.confirmed.certificate.text()) {
            None => "conforms".to_owned(),
            Some(refusal) => format!("conforms, with a certificate that is refused: {refusal}"),
        },
        Verdict::Unsafe(_) => "violated".to_owned(),
        Verdict::Unknown(unknown) => format!("unknown: {}", general(&unknown.reason.to_string())),
    }
}

/// The reason without names of components.
fn general(reason: &str) -> String {
    reason
        .replace("`left`", "a component")
        .replace("`right`", "a component")
}

/// The common prefix of both files.
const DECLARATIONS: &str = "void do_a(void); void do_b(void); void do_c(void); int get(void); void put(int n);
void exit(int status);
struct record { signed char n, m; };
struct outer { long long l; int i; struct record r; };

";

const ROUTINES: &str = "
DO_A = ( a -> return {} -> STOP ).
DO_B = ( b -> return {} -> STOP ).
DO_C = ( c -> return {} -> STOP ).
GET = ( return {$0 == 0} -> STOP | got -> return {$0 == 01} -> STOP ).
PUT_0 = ( zero -> return {} -> STOP ).
PUT_1 = ( other -> return {} -> STOP ).
cproc do_a { abstract { a, (1), DO_A }; }
cproc do_b { abstract { b, (1), DO_B }; }
cproc do_c { abstract { c, (1), DO_C }; }
cproc get { abstract { get, (1), GET }; }
cproc put { abstract { zero, (n == 0x0), PUT_0 }; abstract { other, ($1 != 0), PUT_1 }; }
";

/// A pair with its expected verdict, or why there is none.
fn case_of(mut dice: Dice, folder: &Path) -> Result<Pair, String> {
    let count = 1 + usize::from(dice.chance(30)) + usize::from(dice.chance(5));
    let shared: [&[&'static str]; 3] = [&["a", "b"], &["b", "c"], &["c", "a"]];
    let names = ["left", "right", "third"];
    let components: Vec<Component> = (0..count)
        .map(|number| draw::component(&mut dice, names[number], shared[number]))
        .collect();
    let conditions = judge::conditions(&mut dice, components[0].result);
    let guard = match dice.roll(4) {
        0 => format!(
            "$1 {} {}",
            dice.pick(&["==", "!=", ">"]),
            components[0].constants.iter().next().copied().unwrap_or(0)
        ),
        _ => "1".to_owned(),
    };
    let texts: String = components.iter().map(|component| component.text.as_str()).collect();
    let program = format!("{DECLARATIONS}{texts}")
        .replace("    FALLS;\n", "")
        .replace("SPINS", "for (;;)");
    let harness = harness(&components, &conditions, &guard);
    let file = folder.join("runs.c");
    let declarations = DECLARATIONS.replace("void exit(int status);", "");
    let ours = format!("{PRELUDE}{declarations}{texts}{harness}").replace("FALLS", "fallen = 1; return 0");
    std::fs::write(&file, ours).map_err(|error| error.to_string())?;
    let ran = gcc::run(&file, c::DataModel::Lp64, &["-fwrapv"]).map_err(|failed| match failed {
        gcc::Failed::Compiler(what) => format!("gcc refuses it: {what}"),
        gcc::Failed::Late => "takes too long to run".to_owned(),
    })?;
    let output = String::from_utf8_lossy(&ran.output).into_owned();
    if ran.status != Some(0) {
        return Err(format!("runs end with {:?}", ran.status));
    }
    let mut traces: Vec<Traces> = components
        .iter()
        .map(|component| Traces::new(&component.actions))
        .collect();
    let mut is_cut = false;
    for line in output.lines() {
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        match words.next().and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number < count => traces[number].add(words.map(Event::new).collect()),
            _ => is_cut = true,
        }
    }
    let specified = Specified::drawn(&mut dice, &traces, conditions);
    let Some(is_violated) = judge::is_violated(&traces, &specified) else {
        return Err("too many states together".to_owned());
    };
    if is_cut && !is_violated {
        return Err("runs are too long to try them all".to_owned());
    }
    let specification = specification_of(&mut dice, &specified, &components, &guard);
    let names = special_names(&mut dice);
    Ok(Pair {
        specification: renamed(&specification, &names),
        program: renamed(&program, &names),
        components,
        is_violated,
        is_cut,
    })
}

/// Renames some routines to functions that have built-in semantics in Cubist unless a specification names them.
fn special_names(dice: &mut Dice) -> Vec<(&'static str, &'static str)> {
    let special: [(&str, &[&str]); 3] = [
        ("do_c", &["reach_error", "__VERIFIER_error", "abort"]),
        ("get", &["__VERIFIER_nondet_int", "rand", "getchar"]),
        ("put", &["__VERIFIER_assume"]),
    ];
    let mut names = Vec::new();
    for (routine, others) in special {
        if dice.chance(20) {
            names.push((routine, *dice.pick(others)));
        }
    }
    names
}

/// The text with renamed routines. Only Cubist reads it: to gcc some of these names have a meaning.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut renamed = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word);
        let other = names.iter().find(|(name, _)| *name == word);
        renamed.push_str(other.map_or(word, |(_, other)| other));
        let between = after.find(is_part).unwrap_or(after.len());
        renamed.push_str(&after[..between]);
        rest = &after[between..];
    }
    renamed
}

fn specification_of(dice: &mut Dice, specified: &Specified, components: &[Component], guard: &str) -> String {
    let who = components
        .iter()
        .map(|component| component.name)
        .collect::<Vec<_>>()
        .join(" || ");
    let further = "(1), ".repeat(components.len() - 1);
    let mut text = specified.text(dice, components.len() > 1);
    text.push_str(ROUTINES);
    let _ = match guard {
        "1" => writeln!(text, "program {who} {{ abstract {{ all, (1), {further}S }}; }}"),
        guard => writeln!(
            text,
            "ANY = ( tau -> ANY ).\nprogram {who} {{\n  abstract {{ some, ({guard}), {further}S }};\n  abstract {{ rest, \
             (!({guard})), {further}ANY }};\n}}"
        ),
    };
    text
}

/// Routines that log their calls and enumerate all results.
const PRELUDE: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf out;
static int answers[16], asked, known, fallen;
static char line[4000];
static void note(const char *what) { if (strlen(line) > 3900) longjmp(out, 2); strcat(line, " "); strcat(line, what); }
void do_a(void) { note("a"); }
void do_b(void) { note("b"); }
void do_c(void) { note("c"); }
void put(int n) { note(n == 0 ? "zero" : "other"); }
int get(void) {
    if (asked == known) { if (known == 7) longjmp(out, 2); answers[known++] = 0; }
    if (answers[asked++]) { note("got"); return 1; }
    return 0;
}
#define SPINS longjmp(out, 1)
static unsigned long seen[1 << 16];
static void say(int who, const char *what) {
    unsigned long hash = 1469598103934665603ul + (unsigned long)who;
    for (const char *at = what; *at; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211ul;
    unsigned long place = hash & 0xffff;
    for (int tries = 0; tries < 50 && seen[place]; tries++) {
        if (seen[place] == hash) return;
        place = (place + 1) & 0xffff;
    }
    seen[place] = hash;
    printf("%d%s\n", who, what);
}
/* The next answers; 0 where all were tried. */
static int next(void) {
    while (known > 0 && answers[known - 1]) known--;
    if (known == 0) return 0;
    answers[known - 1] = 1;
    return 1;
}
#define exit(status) leave()
static void leave(void) { longjmp(out, 1); }
"#;

/// A function that enumerates all runs of each component, and a `main` that calls them.
fn harness(components: &[Component], conditions: &[Option<String>], guard: &str) -> String {
    let (mut text, mut calls) = ("\n".to_owned(), String::new());
    for (number, component) in components.iter().enumerate() {
        // The specification observes the returns of the first component, and starts where its guard holds.
        let (conditions, guard) = match number {
            0 => (conditions, guard.replace("$1", "x")),
            _ => (&[][..], "1".to_owned()),
        };
        text.push_str(&noting_returns(component, conditions));
        text.push_str(&trying(component, number));
        calls.push_str(&arguments_of(component, &guard));
    }
    let _ = writeln!(text, "int main(void) {{\n{calls}    return 0;\n}}");
    text
}

/// Logs which return conditions hold of a value, as evaluated by gcc.
fn noting_returns(component: &Component, conditions: &[Option<String>]) -> String {
    let mut mask = String::new();
    for condition in conditions {
        let holds = condition
            .as_ref()
            .map_or("1".to_owned(), |condition| condition.replace("$0", "v"));
        let _ = writeln!(mask, "    strcat(word, ({holds}) ? \"1\" : \"0\");");
    }
    let (name, of) = (component.name, component.result.unwrap_or("int"));
    format!("static void returned_{name}({of} v) {{\n    char word[40] = \"return:\";\n{mask}    note(word);\n}}\n")
}

/// Enumerates all results of routines, and all return values if the component ends without `return`.
fn trying(component: &Component, number: usize) -> String {
    let (name, of) = (component.name, component.result.unwrap_or("int"));
    let own = component.pointee.unwrap_or("signed char");
    let pointer = match component.pointee {
        None => String::new(),
        Some("signed char") => format!(", place == 0 ? 0 : place == 1 ? &own : place == 2 ? &g_{name} : &r_{name}.n"),
        Some(_) => format!(", place == 0 ? 0 : place == 1 ? &own : &r_{name}"),
    };
    let call = match component.result {
        None => format!("{name}(x, (signed char)p{pointer}); returned_{name}(0);"),
        Some(of) => format!("volatile {of} v = {name}(x, (signed char)p{pointer}); if (!fallen) returned_{name}(v);"),
    };
    format!(
        "static void try_{name}(int x, int p, int place) {{
    known = 0;
    do {{
        static {own} own;
        memset(&own, 0, sizeof own); g_{name} = 0; r_{name}.n = r_{name}.m = 0;
        asked = 0; fallen = 0; line[0] = 0;
        int how = setjmp(out);
        if (how == 0) {{ {call} }}
        if (how == 2) say(99, \"\");
        say({number}, line);
        if (fallen) {{
            static char before[4000];
            strcpy(before, line);
            for (long v = -300; v <= 300; v++) {{ strcpy(line, before); returned_{name}(({of})v); say({number}, line); }}
            strcpy(line, before); returned_{name}(({of})2147483647); say({number}, line);
            strcpy(line, before); returned_{name}(({of})(-2147483647 - 1)); say({number}, line);
        }}
    }} while (next());
}}
"
    )
}

/// Enumerates all bytes, all pointer targets, and for `x` the compared constants and their neighbours.
fn arguments_of(component: &Component, guard: &str) -> String {
    let Component { name, constants, .. } = component;
    let near = constants
        .iter()
        .flat_map(|number| [number.wrapping_sub(1), *number, number.wrapping_add(1)]);
    let numbers: BTreeSet<i32> = near.chain([i32::MIN, i32::MAX]).collect();
    let numbers: Vec<String> = numbers.iter().map(|number| format!("(int){number}L")).collect();
    let places = match component.pointee {
        None => 1,
        Some("signed char") => 4,
        Some(_) => 3,
    };
    format!(
        "    static const int x_{name}[] = {{ {} }};
    for (unsigned i = 0; i < sizeof x_{name} / sizeof *x_{name}; i++) {{
        int x = x_{name}[i];
        if ({guard}) for (int p = -128; p < 128; p++) for (int place = 0; place < {places}; place++) try_{name}(x, p, place);
    }}
",
        numbers.join(", ")
    )
}
