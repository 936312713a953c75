//! Runs a gcc-compiled program on all its inputs.

use super::draw::{CHECK, DrawnProgram, Input};
use crate::c::gcc::{Failed, run};
use c::DataModel;
use std::collections::BTreeSet;
use std::path::Path;

/// The inputs of a run and its observed results.
#[derive(Clone, Debug)]
pub struct ObservedRun {
    /// As C expressions.
    pub inputs: Vec<String>,
    pub values: Vec<i64>,
    /// Whether `main` got an argument besides the program name.
    pub has_argument: bool,
}

/// Why a program is useless.
#[derive(Debug)]
pub enum Useless {
    NotCompiled(String),
    NotWritten(std::io::Error),
    /// Or it did not terminate.
    Undefined,
    Late,
}

/// Integer overflow wraps around.
const WRAPPING: &str = "-fwrapv";

const OPTIONS: [&str; 4] = [
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover=all",
    "-fno-sanitize=pointer-overflow",
    "-Dmain=program_main",
];

/// Runs the program on every input, each in a process of its own.
const HARNESS: &str = r#"
#undef main
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int program_main();
static long long queue[8];
static int position;
int __VERIFIER_nondet_int(void) { return (int)queue[position++]; }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)queue[position++]; }
unsigned int __VERIFIER_nondet_uint(void) { return (unsigned int)queue[position++]; }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)queue[position++]; }
void reach_error(void) { _exit(77); }
void __VERIFIER_assert(int holds) { if (!holds) reach_error(); }
void cubist_show(long long value) { printf(" %lld", value); }
NAMES
static const long long keys[] = {KEYS};
enum { KEPT = sizeof keys / sizeof *keys };
static char *program = "program", *argument = "x", *variable = "A=1";
static void all(unsigned count, void (*choose)(unsigned)) {
  for (unsigned number = 0; number < count; number++) {
    fflush(stdout);
    int process = fork();
    if (process == 0) {
      alarm(1);
      for (int i = 0; i < KEPT; i++) queue[i] = keys[i];
      choose(number);
      unsigned how = number / COUNT;
      char *argv[] = {program, how & 1 ? argument : 0, 0}, *envp[] = {how & 2 ? variable : 0, 0};
      printf("run");
      program_main(1 + (how & 1), argv, envp);
      printf("\n");
      fflush(stdout);
      _exit(0);
    }
    int status;
    waitpid(process, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) { printf("\nundefined\n"); _exit(1); }
  }
}
static void choose(unsigned number) {
CHOICES
}
int main(void) { all(COUNT * WAYS, choose); return 0; }
"#;

/// The results for every input, and whether any integer overflows.
pub fn all(drawn: &DrawnProgram, model: DataModel, folder: &Path) -> Result<(Vec<ObservedRun>, bool), Useless> {
    write(drawn, folder).map_err(Useless::NotWritten)?;
    match observe_runs(drawn, model, folder, &[]) {
        Err(Useless::Undefined) => Ok((observe_runs(drawn, model, folder, &[WRAPPING])?, false)),
        seen => Ok((seen?, !drawn.is_strange)),
    }
}

fn write(drawn: &DrawnProgram, folder: &Path) -> std::io::Result<()> {
    let keys: Vec<String> = drawn.keys.iter().map(i64::to_string).collect();
    let names: BTreeSet<&str> = drawn.inputs.iter().flat_map(Input::names).collect();
    let names: String = names.iter().map(|name| format!("extern int {name};\n")).collect();
    let mut choices = String::new();
    for (number, input) in drawn.inputs.iter().enumerate() {
        let texts = input.texts();
        let (values, count) = (texts.join(", (long long)"), texts.len());
        choices.push_str(&format!(
            "  {{ long long values[] = {{(long long){values}}}; queue[KEPT + {number}] = values[number % {count}]; number /= \
             {count}; }}\n"
        ));
    }
    let harness = HARNESS
        .replace("NAMES", &names)
        .replace("KEYS", &keys.join(", "))
        .replace("CHOICES", &choices)
        .replace("COUNT", &count(drawn).to_string())
        .replace("WAYS", &ways(drawn).to_string());
    let shown = drawn.observed.iter().map(|name| format!("cubist_show({name});"));
    let shown = format!(
        "{{ extern void cubist_show(long long); {} }}",
        shown.collect::<String>()
    );
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("probe.c"), drawn.text.replace(CHECK, &shown))?;
    std::fs::write(folder.join("harness.c"), harness)
}

/// The number of input combinations.
fn count(drawn: &DrawnProgram) -> usize {
    drawn.inputs.iter().map(|input| input.texts().len()).product()
}

/// The number of ways in which `main` is called.
fn ways(drawn: &DrawnProgram) -> usize {
    if drawn.has_arguments { 4 } else { 1 }
}

fn observe_runs(
    drawn: &DrawnProgram,
    model: DataModel,
    folder: &Path,
    further: &[&str],
) -> Result<Vec<ObservedRun>, Useless> {
    let (program, beside) = (folder.join("probe.c"), folder.join("harness.c"));
    let beside = beside.to_string_lossy().into_owned();
    let options = OPTIONS.iter().chain(further).copied().chain([beside.as_str()]);
    let ran = match run(&program, model, &options.collect::<Vec<_>>()) {
        Ok(ran) => ran,
        Err(Failed::Compiler(message)) => return Err(Useless::NotCompiled(message)),
        Err(Failed::Late) => return Err(Useless::Late),
    };
    if ran.status != Some(0) {
        return Err(Useless::Undefined);
    }
    let text = String::from_utf8_lossy(&ran.output).into_owned();
    let lines = text.lines().filter_map(|line| line.strip_prefix("run"));
    let seen = lines.enumerate().map(|(number, line)| ObservedRun {
        inputs: inputs(number, &drawn.inputs),
        has_argument: number / count(drawn) % 2 == 1,
        values: line.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
    });
    let seen: Vec<ObservedRun> = seen.collect();
    let is_whole = seen.iter().all(|seen| seen.values.len() == drawn.observed.len());
    if is_whole && !seen.is_empty() {
        Ok(seen)
    } else {
        Err(Useless::Undefined)
    }
}

fn inputs(number: usize, inputs: &[Input]) -> Vec<String> {
    let mut rest = number;
    let each = inputs.iter().filter_map(|input| {
        let mut texts = input.texts();
        let chosen = rest % texts.len().max(1);
        rest /= texts.len().max(1);
        (chosen < texts.len()).then(|| texts.swap_remove(chosen))
    });
    each.collect()
}
