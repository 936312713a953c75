//! Runs the program as users do.

use crate::engine::{Answer, Claim, ERROR};
use crate::isolation::{Ended, wait};
use crate::source::Source;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The grace period after its time limit before the program is killed.
const PATIENCE: Duration = Duration::from_secs(20);

/// The result of a run of the program.
#[derive(Clone, Debug)]
pub struct ProcessResult {
    /// `None` if a signal killed it, possibly ours after the time limit.
    pub status: Option<i32>,
    pub output: String,
    /// Standard output.
    pub answer: String,
    pub elapsed: Duration,
    pub late: bool,
}

impl ProcessResult {
    /// Safe, unsafe or unknown; `None` if it is no verdict.
    pub fn verdict(&self) -> Option<&'static str> {
        match self.status? {
            0 => Some("safe"),
            10 => Some("unsafe"),
            20 => Some("unknown"),
            _ => None,
        }
    }

    /// Whether it exited regularly: with a verdict, or rejecting its input.
    pub fn is_in_order(&self) -> bool {
        !self.late && (self.verdict().is_some() || self.status == Some(2))
    }
}

/// The program under test.
pub fn cubist() -> Option<PathBuf> {
    children::beside("cubist")
}

/// The answer of `cubist check` about a model at every size.
pub fn check(program: &PathBuf, source: &Source, allowed: Duration) -> Ended<Answer> {
    let folder = std::env::temp_dir().join(format!("cubist-fuzz-check-{}", std::process::id()));
    let (file, certificate) = (folder.join(&source.name), folder.join("certificate.smt2"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &source.text));
    let types = source.parametric_types().unwrap_or_default();
    let seconds = allowed.as_secs_f64().to_string();
    let (shown, shown_certificate) = (file.to_string_lossy(), certificate.to_string_lossy());
    let mut arguments = vec![
        "check",
        &shown,
        "--timeout",
        &seconds,
        "--certificate",
        &shown_certificate,
    ];
    if source.is_murphi() {
        arguments.extend(types.iter().flat_map(|name| ["--parametric", name]));
    }
    let finished = written.and_then(|()| run(program, &arguments, allowed + PATIENCE));
    let certificate = std::fs::read_to_string(&certificate);
    let _ = std::fs::remove_dir_all(&folder);
    let Ok(finished) = finished else { return Ended::Hung };
    let claim = match (finished.verdict(), finished.status) {
        // Such an answer is not about other sizes, and has no proof for a solver.
        (Some("safe"), _) if certificate.as_ref().is_ok_and(|text| validate::is_exploration(text)) => {
            Claim::Unknown("all states were explored".to_owned())
        }
        (Some("safe"), _) => Claim::Proved(certificate.map_err(|error| error.to_string())),
        (Some("unsafe"), _) => Claim::Refuted(finished.output),
        (Some(_), _) => Claim::Unknown("the program does not know".to_owned()),
        // An assumption may exclude every start: nothing can be said about such a model.
        (None, Some(2)) if finished.output.contains("there is no initial state") => {
            Claim::Unknown("there is no initial state".to_owned())
        }
        (None, Some(2)) => Claim::Unknown(format!("{ERROR}{}", finished.output)),
        (None, _) if finished.late => return Ended::Hung,
        (None, _) => return Ended::Panicked,
    };
    Ended::Well(Answer {
        claim,
        discovery: false,
    })
}

pub fn start(program: &PathBuf, arguments: &[&str]) -> std::io::Result<Child> {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Runs the program to its end, or kills it.
pub fn run(program: &PathBuf, arguments: &[&str], allowed: Duration) -> std::io::Result<ProcessResult> {
    let started = Instant::now();
    let mut child = start(program, arguments)?;
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.as_mut().and_then(|stream| stream.read_to_end(&mut text).ok());
        text
    });
    let complaints = std::thread::spawn(move || {
        let mut text = Vec::new();
        stderr.as_mut().and_then(|stream| stream.read_to_end(&mut text).ok());
        text
    });
    let status = wait(&mut child, allowed);
    let elapsed = started.elapsed();
    let mut output = reader.join().unwrap_or_default();
    let answer = String::from_utf8_lossy(&output).into_owned();
    output.extend(complaints.join().unwrap_or_default());
    Ok(ProcessResult {
        status: status.and_then(|status| status.code()),
        output: String::from_utf8_lossy(&output).into_owned(),
        answer,
        elapsed,
        late: status.is_none(),
    })
}
