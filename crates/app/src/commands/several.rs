//! Several models in one call: each is looked at in a process of its own, one after the other. So each has its own
//! limits of time and memory, and a failure of one, of any kind, does not stop the others.

use crate::arguments::Command;
use crate::files::Folder;
use crate::outputs::Outputs;
use crate::supervise::{Control, GRACE, REPORT, STOPPING};
use crate::terminal::{self, Paint};
use anyhow::{Context as _, bail};
use report::{Finished, Status, summary};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};
use system::printable::printable_json;

/// How often it is looked whether a process has ended.
const PERIOD: Duration = Duration::from_millis(10);

pub(crate) fn run(command: &Command, outputs: &Outputs, control: &Control) -> anyhow::Result<Status> {
    if let Some(option) = command.written().first() {
        bail!("{option} is for one model: with several, each would write over the one before");
    }
    if let Command::Check(check) = command
        && check.induction.is_some()
    {
        bail!("--induction is about one model: its answer is no verdict");
    }
    let started = Instant::now();
    let folder = Folder::new()?;
    let mut all = Vec::new();
    for number in 0..command.files().len() {
        let finished = one(command, number, &folder, control)?;
        if command.json() {
            let line = serde_json::to_string(&finished.report)?;
            terminal::print(&(printable_json(&line).into_owned() + "\n"))?;
        }
        all.push(finished);
    }
    if !command.json() && !command.quiet() {
        terminal::print(&summary::text(&all, started.elapsed(), Paint::stdout()))?;
    }
    outputs.write(&all)?;
    Ok(Status::worst(all.iter().map(|finished| finished.status)))
}

/// Looks at one model. What is printed for people comes straight from its process, unless that is one line.
fn one(command: &Command, number: usize, folder: &Folder, control: &Control) -> anyhow::Result<Finished> {
    let files = command.files();
    let name = driver::shown_name(&files[number]);
    if control.is_interrupted() {
        return Ok(Finished::new(name, Status::Incomplete, None, Duration::ZERO));
    }
    let speaks = !command.json() && !command.quiet();
    if speaks {
        let gap = if number == 0 { "" } else { "\n" };
        let heading = Paint::stdout().bold(&format!("[{}/{}] {name}", number + 1, files.len()));
        terminal::print(&format!("{gap}{heading}\n"))?;
    }
    let (report, output) = (
        folder.path.join(format!("{number}.json")),
        folder.path.join(format!("{number}.txt")),
    );
    let mut process = part(number, &report)?;
    if !speaks {
        let file = File::create(&output).with_context(|| format!("cannot write {}", output.display()))?;
        process.stdout(file);
    }
    if !driver::is_standard_input(&files[number]) {
        process.stdin(Stdio::null());
    }
    let started = Instant::now();
    let mut child = process.spawn().context("cannot start a process for a model")?;
    let status = ended(&mut child, control)?;
    let kept = std::fs::read(&report)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok());
    let finished = Finished::new(name, status, kept, started.elapsed());
    if command.quiet() {
        terminal::print(&line(&finished, &output)?)?;
    }
    Ok(finished)
}

/// The same command line, for one of its files.
fn part(number: usize, report: &Path) -> anyhow::Result<Process> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let mut process = Process::new(program);
    let mut arguments = std::env::args_os().skip(1);
    process.args(arguments.next());
    let mut option = OsString::from(format!("--part={}:{number}:", std::process::id()));
    option.push(report);
    process.arg(option).args(arguments);
    Ok(process)
}

/// Waits for a process. At Ctrl-C it is told, and ended if it does not listen.
fn ended(child: &mut Child, control: &Control) -> anyhow::Result<Status> {
    let mut told: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the process of a model")? {
            // One that was killed here has not failed.
            return Ok(match status.code() {
                None if told.is_some() => Status::Incomplete,
                code => Status::of_code(code),
            });
        }
        match told {
            None if control.is_interrupted() => {
                terminal::complain_above(STOPPING);
                told = Some(Instant::now());
                let _ = kill_process(Pid::from_child(child), Signal::INT);
            }
            Some(since) if since.elapsed() > GRACE + REPORT => {
                let _ = child.kill();
            }
            _ => {}
        }
        std::thread::sleep(PERIOD);
    }
}

/// What `-q` prints of a model: its name, and all that its process said, in one line.
fn line(finished: &Finished, output: &Path) -> anyhow::Result<String> {
    let said = std::fs::read_to_string(output).with_context(|| format!("cannot read {}", output.display()))?;
    let said = said.lines().collect::<Vec<&str>>().join(" ");
    let said = match said.is_empty() {
        true => format!("{}: {}", summary::capitalised(finished.verdict()), finished.message()),
        false => said,
    };
    Ok(format!("{}: {said}\n", Paint::stdout().bold(&finished.file)))
}
