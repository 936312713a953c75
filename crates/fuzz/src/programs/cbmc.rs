//! Cross-checks proofs with CBMC: a violation counts if the gcc-compiled program reaches it with the same inputs,
//! without undefined behaviour on the way.

use super::mutants::MUTANT;
use crate::c::gcc::{Failed, output_of, run as compiled};
use crate::tally::Campaign;
use c::DataModel;
use harness::cbmc::{Cbmc, INPUTS, violating_inputs};
use std::path::Path;
use std::time::Duration;

/// The loop unwinding bound.
const UNWIND: u32 = 8;
/// The time limit of CBMC.
const ALLOWED: Duration = Duration::from_secs(10);

/// The exit status of a program that reaches the violation.
const REACHED: i32 = 77;

/// Integer overflow wraps around; all other undefined behaviour aborts the program.
const OPTIONS: [&str; 4] = [
    "-fwrapv",
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover=all",
    "-fno-sanitize=pointer-overflow",
];

/// Reports that the proved mutant in the folder reaches a violation, if it does.
pub(super) fn contradiction(run: &mut Campaign, cbmc: &Cbmc, folder: &Path) -> Option<String> {
    let file = folder.join(MUTANT);
    let command = match cbmc.search(&file, 32, UNWIND, folder) {
        Ok(command) => command,
        Err(error) => {
            run.stop("cannot write what CBMC needs", &error);
            return None;
        }
    };
    let Ok((output, status)) = output_of(command, &folder.join("cbmc.output"), false, ALLOWED) else {
        run.add("safe, no answer of CBMC in time", 1);
        return None;
    };
    match violating_inputs(&String::from_utf8_lossy(&output)) {
        Some(inputs) => executed(run, &file, &inputs, folder),
        None if status.success() => {
            run.add("safe, and CBMC finds no violation", 1);
            None
        }
        None => {
            run.add("safe, not taken by CBMC", 1);
            None
        }
    }
}

fn executed(run: &mut Campaign, file: &Path, inputs: &[u64], folder: &Path) -> Option<String> {
    let beside = folder.join("inputs.c");
    if let Err(error) = std::fs::write(&beside, definitions(inputs)) {
        run.stop("cannot write the inputs", &error);
        return None;
    }
    let beside = beside.to_string_lossy().into_owned();
    let options = OPTIONS.into_iter().chain([beside.as_str()]);
    let ended = match compiled(file, DataModel::Ilp32, &options.collect::<Vec<_>>()) {
        Ok(ran) if ran.status == Some(REACHED) => {
            return Some(format!(
                "proved, but gcc's program reaches CBMC's violation: {inputs:?}"
            ));
        }
        Ok(ran) => format!("ends with {:?}", ran.status),
        Err(Failed::Compiler(_)) => "is none".to_owned(),
        Err(Failed::Late) => "takes too long".to_owned(),
    };
    run.add("safe, with a violation of CBMC's that gcc's program does not reach", 1);
    run.tell(&format!("{}: CBMC has {inputs:?}, gcc's program {ended}", run.name()));
    None
}

/// Definitions of external functions, unless the program has its own.
fn definitions(inputs: &[u64]) -> String {
    let values: String = inputs.iter().map(|value| format!("{value}ull, ")).collect();
    let functions = INPUTS.map(|(name, ty)| {
        format!("__attribute__((weak)) {ty} __VERIFIER_nondet_{name}(void) {{ return ({ty})next(); }}\n")
    });
    let ends = ["__VERIFIER_error", "reach_error"]
        .map(|name| format!("__attribute__((weak)) void {name}(void) {{ _exit({REACHED}); }}\n"));
    format!(
        "void _exit(int);\nstatic const unsigned long long inputs[] = {{ {values}0 }};\nstatic unsigned position;\n\
         static unsigned long long next(void) {{\n  if (position >= {}) _exit(3);\n  return inputs[position++];\n}}\n\
         {}{}__attribute__((weak)) void __VERIFIER_assume(int holds) {{ if (!holds) _exit(4); }}\n",
        inputs.len(),
        functions.concat(),
        ends.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::gcc;

    #[test]
    fn only_what_gcc_reaches_contradicts() {
        let folder = std::env::temp_dir().join(format!("cubist-fuzz-cbmc-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        if gcc::has(DataModel::Ilp32, &folder) {
            let mut run = Campaign::new("program-mutants", 1, 1, folder.join("found"));
            let file = folder.join(MUTANT);
            let text = "extern void __VERIFIER_error();\nextern int __VERIFIER_nondet_int();\n\
                        int main() { int x = __VERIFIER_nondet_int(); int y = 10 / (x - 1);\n\
                        if (y + x > 9) __VERIFIER_error(); return 0; }\n";
            std::fs::write(&file, text).unwrap();
            let contradicts = [2, 5, 1].map(|input| executed(&mut run, &file, &[input], &folder).is_some());
            // The second does not get there; the third divides by zero on the way.
            assert_eq!(contradicts, [true, false, false]);
            assert_eq!(executed(&mut run, &file, &[], &folder), None, "there is one input more");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
