//! Runs a program and measures its processor time and memory.
//!
//! Both are read from `/proc` while the program runs; processor time is read once more after it has ended and before it
//! is reaped, when it is exact. Processor time, unlike wall-clock time, makes the figures of two programs comparable on
//! a shared machine.

use anyhow::{Context as _, bail};
use logic::Cancellation;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The sampling period: shorter memory peaks are missed.
const PERIOD: Duration = Duration::from_millis(5);

/// When to kill a run. A limit of processor time does not depend on the load of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) clock: Option<Duration>,
    pub(crate) processor_s: f64,
    pub(crate) bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            clock: None,
            processor_s: f64::INFINITY,
            bytes: u64::MAX,
        }
    }
}

/// The resources of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) processor_s: f64,
    pub(crate) clock_s: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) output: String,
    pub(crate) code: Option<i32>,
}

impl Usage {
    /// Subtracts the time of cross-checks against explored states, which are independent of how the proof was found.
    fn count_apart(&mut self) {
        let report: serde_json::Value = serde_json::from_str(&self.output).unwrap_or_default();
        let seconds = |field: &str| report["agreement"][field].as_f64().unwrap_or(0.0);
        self.processor_s = (self.processor_s - seconds("processor_s")).max(0.0);
        self.clock_s = (self.clock_s - seconds("time_s")).max(0.0);
    }
}

/// A folder for the files of a run, removed at the end.
pub(crate) fn temporary_folder() -> anyhow::Result<children::Folder> {
    children::folder("bench").context("cannot make a folder for temporary files")
}

/// A command that runs the measured program.
pub(crate) fn cubist() -> anyhow::Result<Command> {
    let program = children::beside("cubist");
    let program = program.context("there is no `cubist` beside this program: `make build` makes it")?;
    Ok(Command::new(program))
}

/// Runs a program in `folder` to its end. Its output is redirected to a file there, since a full pipe would block it.
pub(crate) fn run(command: &mut Command, folder: &Path, cancellation: &Cancellation) -> anyhow::Result<Usage> {
    run_within(command, folder, cancellation, None)
}

/// Like [`run`], but kills the program after `limit`; it has no exit code then.
pub(crate) fn run_within(
    command: &mut Command,
    folder: &Path,
    cancellation: &Cancellation,
    limit: Option<Duration>,
) -> anyhow::Result<Usage> {
    let limits = Limits {
        clock: limit,
        ..Limits::default()
    };
    run_at_most(command, folder, cancellation, limits)
}

/// Like [`run_within`], with other limits as well.
pub(crate) fn run_at_most(
    command: &mut Command,
    folder: &Path,
    cancellation: &Cancellation,
    limits: Limits,
) -> anyhow::Result<Usage> {
    let path = folder.join("output");
    let output = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let started = Instant::now();
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
    let mut usage = Usage::default();
    let process = format!("/proc/{}", child.id());
    loop {
        let status = std::fs::read_to_string(format!("{process}/status")).unwrap_or_default();
        usage.peak_bytes = usage.peak_bytes.max(children::usage::peak_in(&status).unwrap_or(0));
        let stat = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        let Some((state, taken_s)) = children::usage::parse_stat(&stat) else {
            break;
        };
        usage.processor_s = taken_s;
        if state == 'Z' {
            break;
        }
        if cancellation.is_cancelled() {
            let _ = child.kill();
            let _ = child.wait();
            bail!("interrupted");
        }
        let is_late = limits.clock.is_some_and(|limit| started.elapsed() > limit);
        if is_late || usage.processor_s > limits.processor_s || usage.peak_bytes > limits.bytes {
            child.kill()?;
        }
        std::thread::sleep(PERIOD);
    }
    usage.clock_s = started.elapsed().as_secs_f64();
    usage.code = child.wait()?.code();
    usage.output = std::fs::read_to_string(&path)?;
    usage.count_apart();
    Ok(usage)
}

/// Whether a program can be started.
pub(crate) fn is_installed(program: &str) -> bool {
    let status = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// A warning if the machine was busy with other work, which distorts wall-clock times.
pub(crate) fn busy() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let processors = std::thread::available_parallelism().ok()?.get();
    // Our own load is at most two.
    (load > processors as f64 + 0.5).then(|| {
        format!(
            "The machine was busy with other work (load {load:.0} on {processors} processors): whatever is limited or\n\
             measured by the clock is worse than it would be."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_a_program() {
        let folder = std::env::temp_dir().join(format!("cubist-measure-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let usage = run(
            Command::new("sh").args(["-c", "echo hello; exit 3"]),
            &folder,
            &Cancellation::default(),
        )
        .unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((usage.output.as_str(), usage.code), ("hello\n", Some(3)));
    }

    #[test]
    fn ends_a_program_that_takes_too_long() {
        let folder = std::env::temp_dir().join(format!("cubist-measure-limit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let limit = Some(Duration::from_millis(50));
        let usage = run_within(
            Command::new("sleep").arg("60"),
            &folder,
            &Cancellation::default(),
            limit,
        )
        .unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(usage.code, None);
        assert!(usage.clock_s < 30.0);
    }

    #[test]
    fn ends_a_program_that_takes_too_much_of_the_processor() {
        let folder = std::env::temp_dir().join(format!("cubist-measure-processor-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let busy = ["-c", "while :; do :; done"];
        let limits = Limits {
            processor_s: 0.1,
            ..Limits::default()
        };
        let usage = run_at_most(Command::new("sh").args(busy), &folder, &Cancellation::default(), limits).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(usage.code, None);
        assert!(usage.processor_s > 0.1 && usage.processor_s < 10.0);
    }

    #[test]
    fn ends_a_program_that_takes_too_much_memory() {
        let folder = std::env::temp_dir().join(format!("cubist-measure-memory-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let limits = Limits {
            clock: Some(Duration::from_secs(60)),
            bytes: 1 << 16,
            ..Limits::default()
        };
        let usage = run_at_most(
            Command::new("sleep").arg("60"),
            &folder,
            &Cancellation::default(),
            limits,
        )
        .unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(usage.code, None);
        assert!(usage.clock_s < 30.0);
    }
}
