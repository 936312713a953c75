//! What gcc makes of a program on all its inputs.

use super::draw::{CHECK, Drawn, KEY};
use crate::c::gcc::{Failed, run};
use c::DataModel;
use std::path::Path;

/// Of one run: its inputs, and what was observed at its end.
#[derive(Clone, Debug)]
pub struct Seen {
    pub inputs: Vec<i64>,
    pub values: Vec<i64>,
}

/// Why a program is of no use.
#[derive(Debug)]
pub enum Useless {
    NotCompiled(String),
    NotWritten(std::io::Error),
    /// Or it did not end.
    Undefined,
    Late,
}

/// Numbers that overflow wrap around.
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
int program_main(void);
static long long queue[8];
static int position;
int __VERIFIER_nondet_int(void) { return (int)queue[position++]; }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)queue[position++]; }
unsigned int __VERIFIER_nondet_uint(void) { return (unsigned int)queue[position++]; }
void reach_error(void) { _exit(77); }
void __VERIFIER_assert(int holds) { if (!holds) reach_error(); }
void cubist_show(long long value) { printf(" %lld", value); }
static const unsigned counts[] = {COUNTS};
enum { INPUTS = sizeof counts / sizeof *counts };
int main(void) {
  unsigned all = 1;
  for (int i = 0; i < INPUTS; i++) all *= counts[i];
  for (unsigned number = 0; number < all; number++) {
    unsigned rest = number;
    queue[0] = KEY1; queue[1] = KEY2;
    for (int i = 0; i < INPUTS; i++) { queue[2 + i] = rest % counts[i]; rest /= counts[i]; }
    fflush(stdout);
    int process = fork();
    if (process == 0) {
      alarm(1);
      printf("run");
      program_main();
      printf("\n");
      fflush(stdout);
      _exit(0);
    }
    int status;
    waitpid(process, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) { printf("\nundefined\n"); return 1; }
  }
  return 0;
}
"#;

/// What is observed at the end, for every input; and whether no number overflows.
pub fn all(drawn: &Drawn, model: DataModel, folder: &Path) -> Result<(Vec<Seen>, bool), Useless> {
    write(drawn, folder).map_err(Useless::NotWritten)?;
    match seen(drawn, model, folder, &[]) {
        Err(Useless::Undefined) => Ok((seen(drawn, model, folder, &[WRAPPING])?, false)),
        seen => Ok((seen?, true)),
    }
}

fn write(drawn: &Drawn, folder: &Path) -> std::io::Result<()> {
    let counts: Vec<String> = drawn.inputs.iter().map(u32::to_string).collect();
    let harness = HARNESS
        .replace("COUNTS", &counts.join(", "))
        .replace("KEY1", &KEY[0].to_string())
        .replace("KEY2", &KEY[1].to_string());
    let shown = drawn.observed.iter().map(|name| format!("cubist_show({name});"));
    let shown = format!(
        "{{ extern void cubist_show(long long); {} }}",
        shown.collect::<String>()
    );
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("probe.c"), drawn.text.replace(CHECK, &shown))?;
    std::fs::write(folder.join("harness.c"), harness)
}

fn seen(drawn: &Drawn, model: DataModel, folder: &Path, further: &[&str]) -> Result<Vec<Seen>, Useless> {
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
    let seen = lines.enumerate().map(|(number, line)| Seen {
        inputs: inputs(number, &drawn.inputs),
        values: line.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
    });
    let seen: Vec<Seen> = seen.collect();
    let is_whole = seen.iter().all(|seen| seen.values.len() == drawn.observed.len());
    if is_whole && !seen.is_empty() {
        Ok(seen)
    } else {
        Err(Useless::Undefined)
    }
}

fn inputs(number: usize, counts: &[u32]) -> Vec<i64> {
    let mut rest = number;
    let each = counts.iter().map(|count| {
        let value = rest % *count as usize;
        rest /= *count as usize;
        value as i64
    });
    each.collect()
}
