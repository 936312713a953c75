//! Runs C programs compiled by gcc.

use c::DataModel;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The header folder of csmith.
const CSMITH_HEADERS: &str = "/usr/include/csmith";

/// Programs that run longer are skipped.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time limit for compiling or generating a program.
const COMPILING: Duration = Duration::from_secs(30);

/// The output of a program, and how it exited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    pub output: Vec<u8>,
    /// `None` if a signal killed it.
    pub status: Option<i32>,
}

/// Why there is nothing to compare with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// The compiler's message, or why its files cannot be written.
    Compiler(String),
    /// Or it cannot be started.
    Late,
}

/// Whether a tool can be started; it may leave files in the folder.
pub fn is_installed(tool: &str, folder: &Path) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether programs for a data model can be compiled and run: 32-bit libraries are not installed everywhere.
pub fn has(model: DataModel, folder: &Path) -> bool {
    static KNOWN: [OnceLock<bool>; DataModel::ALL.len()] = [const { OnceLock::new() }; DataModel::ALL.len()];
    let known = DataModel::ALL.iter().position(|other| *other == model);
    let tried = || {
        let file = folder.join("has.c");
        let text = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";
        let is_ready = std::fs::create_dir_all(folder).is_ok() && std::fs::write(&file, text).is_ok();
        is_ready && run(&file, model, &[]).is_ok()
    };
    known.is_some_and(|number| *KNOWN[number].get_or_init(tried))
}

/// The include path for random programs.
pub fn include_paths() -> Vec<PathBuf> {
    vec![PathBuf::from(CSMITH_HEADERS)]
}

/// A program by csmith, without floats and volatile variables. Csmith leaves a file in its working directory, which is
/// therefore a temporary folder.
pub fn csmith(seed: u64, folder: &Path) -> Option<String> {
    let options = [
        "--no-float",
        "--no-volatiles",
        "--no-volatile-pointers",
        "--no-argc",
        "--max-funcs",
        "5",
        "--seed",
    ];
    let mut command = Command::new("csmith");
    command.args(options).arg(seed.to_string()).current_dir(folder);
    let (text, status) = output_of(command, &folder.join("csmith.c"), false, COMPILING).ok()?;
    status.success().then(|| String::from_utf8_lossy(&text).into_owned())
}

/// Compiles and runs a file.
pub fn run(file: &Path, model: DataModel, further: &[&str]) -> Result<Ran, Failed> {
    let program = file.with_extension("exe");
    let mut compiler = Command::new("gcc");
    compiler
        .args(["-O0", "-w", "-std=gnu11", model.gcc_option(), "-I", CSMITH_HEADERS])
        .args(further)
        .arg(file)
        .arg("-o")
        .arg(&program);
    let messages = file.with_extension("messages");
    let (compiled, status) = output_of(compiler, &messages, true, COMPILING)?;
    if !status.success() {
        return Err(Failed::Compiler(String::from_utf8_lossy(&compiled).into_owned()));
    }
    let both = !further.is_empty();
    let (output, status) = output_of(Command::new(&program), &messages, both, PATIENCE)?;
    let status = status.code();
    Ok(Ran { output, status })
}

/// Redirects output to a file, since a pipe could fill up.
pub(crate) fn output_of(
    mut command: Command,
    file: &Path,
    errors: bool,
    most: Duration,
) -> Result<(Vec<u8>, ExitStatus), Failed> {
    let failed = |error: std::io::Error| Failed::Compiler(format!("its files: {error}"));
    let output = std::fs::File::create(file).map_err(failed)?;
    command.stdin(Stdio::null());
    if errors {
        command.stderr(output.try_clone().map_err(failed)?);
    } else {
        command.stderr(Stdio::null());
    }
    let mut child = command.stdout(output).spawn().map_err(|_| Failed::Late)?;
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Ok((std::fs::read(file).map_err(failed)?, status));
        }
        if begun.elapsed() > most {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failed::Late);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
