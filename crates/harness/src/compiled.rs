//! Compiles a harness with gcc and runs it: in a temporary folder, with limits on time and memory.

use crate::REACHED;
use children::Started;
use rustix::process::Resource;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const COMPILER: &str = "gcc";
const COMPILING: Duration = Duration::from_secs(60);
const RUNNING: Duration = Duration::from_secs(10);
/// The memory limit of a harness, in bytes.
const MEMORY: u64 = 2 << 30;

/// The result of compiling and running a harness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tried {
    /// It reaches the violation.
    Reached,
    /// It takes another path, described here.
    Elsewhere(String),
    /// It was not run, for this reason.
    NotRun(String),
}

/// The options that align gcc with our semantics: integers wrap around, uninitialized variables are zero, functions
/// report their entry, unused code may be missing, and floats have no excess precision.
pub fn options(machine: &str) -> Vec<&str> {
    let mut options = vec![
        machine,
        "-std=gnu11",
        "-O0",
        "-w",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fno-builtin",
        "-fcommon",
        "-ftrivial-auto-var-init=zero",
        "-finstrument-functions",
        "-no-pie",
        "-Wl,--unresolved-symbols=ignore-all",
    ];
    if machine == "-m32" && cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        options.extend(["-msse2", "-mfpmath=sse"]);
    }
    options
}

/// Compiles and runs a harness. Polls `is_over` and stops early when it returns true.
pub fn try_it(text: &str, machine: &str, is_over: &dyn Fn() -> bool) -> Tried {
    let folder = match children::folder("harness") {
        Ok(folder) => folder,
        Err(error) => return Tried::NotRun(format!("there is no folder for it: {error}")),
    };
    let (source, program) = (folder.path().join("harness.c"), folder.path().join("harness"));
    if let Err(error) = std::fs::write(&source, text) {
        return Tried::NotRun(format!("it cannot be written: {error}"));
    }
    let mut compiler = Command::new(COMPILER);
    compiler
        .args(options(machine))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-lm");
    compiler.current_dir(folder.path()).env("LC_ALL", "C");
    match run(compiler, folder.path(), COMPILING, Vec::new(), is_over) {
        Ok((status, _)) if status.success() => {}
        Ok((_, said)) => return Tried::NotRun(format!("gcc cannot compile it: {}", first_error(&said))),
        Err(Failed::NotStarted(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Tried::NotRun("gcc is not installed".to_owned());
        }
        Err(failed) => return Tried::NotRun(format!("gcc {}", failed.words())),
    }
    let mut command = Command::new(&program);
    command.current_dir(folder.path());
    match run(command, folder.path(), RUNNING, limits(), is_over) {
        Ok((status, _)) if status.code() == Some(REACHED) => Tried::Reached,
        Ok((status, said)) => Tried::Elsewhere(match said.lines().last() {
            Some(line) => format!("{line} ({status})"),
            None => status.to_string(),
        }),
        Err(Failed::Late) => Tried::Elsewhere(format!("it does not end within {} s", RUNNING.as_secs())),
        Err(failed) => Tried::NotRun(format!("the program {}", failed.words())),
    }
}

/// The first error message, without its location in the temporary file.
fn first_error(said: &str) -> String {
    let mut errors = said.lines().filter_map(|line| {
        let at = line.find("error: ").or_else(|| line.find("undefined reference"))?;
        line.get(at..)
    });
    let first = errors
        .next()
        .or_else(|| said.lines().next())
        .unwrap_or("no reason given");
    first.trim_start_matches("error: ").to_owned()
}

enum Failed {
    NotStarted(std::io::Error),
    Late,
    Stopped,
}

impl Failed {
    fn words(&self) -> String {
        match self {
            Failed::NotStarted(error) => format!("cannot be started: {error}"),
            Failed::Late => "takes too long".to_owned(),
            Failed::Stopped => "was stopped: the time is over".to_owned(),
        }
    }
}

/// Runs a command and returns its diagnostics. These are redirected to a file, since a pipe could fill up.
fn run(
    mut command: Command,
    folder: &Path,
    most: Duration,
    limits: Vec<(Resource, u64)>,
    is_over: &dyn Fn() -> bool,
) -> Result<(ExitStatus, String), Failed> {
    let said = folder.join("said");
    let file = File::create(&said).map_err(Failed::NotStarted)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    let mut child = children::spawn_within(&mut command, limits).map_err(Failed::NotStarted)?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if is_over() => return Err(killed(child, Failed::Stopped)),
            Ok(None) if begun.elapsed() > most => return Err(killed(child, Failed::Late)),
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(killed(child, Failed::NotStarted(error))),
        }
    };
    let text = std::fs::read(&said).unwrap_or_default();
    Ok((status, String::from_utf8_lossy(&text).into_owned()))
}

fn limits() -> Vec<(Resource, u64)> {
    vec![
        (Resource::As, MEMORY),
        (Resource::Fsize, 1 << 20),
        (Resource::Core, 0),
        (Resource::Cpu, RUNNING.as_secs()),
    ]
}

fn killed(mut child: Started, failed: Failed) -> Failed {
    let _ = child.kill();
    let _ = child.wait();
    failed
}
