//! Runs the program from the root of the project, as a user would.
#![allow(clippy::unwrap_used, clippy::panic, dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use testing::{Absent, Outcome};

/// What a run left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Run {
        Run {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The command, without the user's wishes about colours.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cubist"));
    command
        .args(arguments)
        .current_dir(root())
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

pub(crate) fn cubist(arguments: &[&str]) -> Run {
    Run::of(command(arguments).output().unwrap())
}

pub(crate) fn json(arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    let run = cubist(arguments);
    let value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    (run.status, value)
}

/// A file of the models of others.
pub(crate) fn corpus(file: &str) -> Result<String, Absent> {
    Ok(testing::corpus(file)?.to_str().unwrap().to_owned())
}

/// The program finds the solvers beside the target folder of the project; with another target folder nothing can be
/// confirmed.
pub(crate) fn solvers() -> Outcome {
    let root = Path::new(env!("CARGO_BIN_EXE_cubist")).ancestors().nth(3).unwrap();
    testing::expect(root.join("tools"))?;
    testing::expect(root.join("third-party/solvers"))?;
    Ok(())
}

/// A folder that is removed in the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cubist-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The digest, by a program that is not ours.
pub(crate) fn sha256(text: &str) -> String {
    let mut child = Command::new("sha256sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()[..64].to_owned()
}
