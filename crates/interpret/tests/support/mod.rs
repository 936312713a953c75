//! Programs read from files, run here and by gcc.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use interpret::{End, Executable, FixedInputs, RunLimits, RunOutcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a program wrote, and its status.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pub output: String,
    pub status: Option<i32>,
}

/// A folder for the files of a test, which goes away with it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cubist-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where the headers of csmith are, if anywhere.
pub fn csmith_headers() -> PathBuf {
    PathBuf::from("/usr/include/csmith")
}

pub fn read(path: &Path, data_model: c::DataModel) -> c::Unit {
    let options = c::Options {
        include_paths: vec![csmith_headers()],
        ..c::Options::new(data_model)
    };
    c::read_file(path, &options).unwrap_or_else(|rejected| {
        let texts: Vec<String> = rejected
            .diagnostics
            .iter()
            .map(|found| found.render(&rejected.sources, false))
            .collect();
        panic!("{}", texts.join("\n"))
    })
}

pub fn interpreted(path: &Path, data_model: c::DataModel, limits: &RunLimits) -> RunOutcome {
    let unit = read(path, data_model);
    assert!(unit.program.malformed().is_empty());
    Executable::new(&unit.program).run(&mut FixedInputs::new(Vec::new()), limits)
}

/// A run as gcc's program shows it. Findings are shown in the place of a status.
pub fn seen(outcome: &RunOutcome) -> Result<Seen, End> {
    let status = match outcome.end {
        End::Exited(status) => Some(i32::from(status)),
        // Killed by a signal.
        End::Aborted => None,
        end => return Err(end),
    };
    Ok(Seen {
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        status,
    })
}

/// Compiles a program and runs it. None where it does not compile, or runs too long.
pub fn by_gcc(path: &Path, folder: &Folder, data_model: c::DataModel) -> Option<Seen> {
    let program = folder.0.join(format!("program{}", data_model.gcc_option()));
    let compiled = Command::new("gcc")
        .args([data_model.gcc_option(), "-O0", "-w", "-I"])
        .arg(csmith_headers())
        .arg(path)
        .arg("-o")
        .arg(&program)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    if !compiled.success() {
        return None;
    }
    let output = Command::new("timeout")
        .arg("10")
        .arg(&program)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let seen = Seen {
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        status: output.status.code(),
    };
    // `timeout` says 124 where it had to end the program, and 128 and a signal where another did.
    match seen.status {
        Some(124) => None,
        Some(signal) if signal > 128 => Some(Seen { status: None, ..seen }),
        _ => Some(seen),
    }
}

/// Whether gcc makes programs of this kind here.
pub fn gcc_has(data_model: c::DataModel) -> bool {
    let folder = Folder::new(&format!("gcc{}", data_model.gcc_option()));
    let path = folder.0.join("main.c");
    std::fs::write(&path, "#include <stdio.h>\nint main(void) { return 7; }\n").unwrap();
    by_gcc(&path, &folder, data_model).is_some_and(|seen| seen.status == Some(7))
}
