//! Starts programs that do not outlive this one.
#![allow(unsafe_code)]

use crate::{kill_group, over, run};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit};
use std::io::{Read as _, Write as _};
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};

/// A program that was started, and all that it starts itself. Dropped, it is killed.
#[derive(Debug)]
pub struct Started {
    child: Child,
}

impl Started {
    /// Ends it, and all that it has started.
    pub fn kill(&mut self) -> std::io::Result<()> {
        // Once its end was seen, its number may be another's.
        if let Ok(None) = self.child.try_wait() {
            kill_group(self.child.id());
        }
        self.child.kill()
    }
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.kill();
        let _ = self.child.wait();
        let mut run = run();
        if run.groups.remove(&self.child.id()) {
            let line = format!("- {}\n", self.child.id());
            run.tell(&line);
        }
    }
}

/// Starts a program that the system kills when this process ends, even by SIGKILL. It is killed when the thread that
/// started it ends, too, so that thread must be the one that waits.
pub fn spawn(command: &mut Command) -> std::io::Result<Started> {
    spawn_within(command, Vec::new())
}

/// The same with limits, which hold before the program begins: set afterwards, a quick program would be faster.
pub fn spawn_within(command: &mut Command, limits: Vec<(Resource, u64)>) -> std::io::Result<Started> {
    let parent = getpid();
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        for (resource, most) in &limits {
            let limit = Rlimit {
                current: Some(*most),
                maximum: Some(*most),
            };
            // Where the user has set lower ones, those hold.
            let _ = setrlimit(*resource, limit);
        }
        // The parent may be gone already; nobody would tell.
        if getppid() == Some(parent) {
            Ok(())
        } else {
            Err(Errno::SRCH.into())
        }
    };
    // Ctrl-C reaches every process of a group. It is for this one, which then stops its solvers and knows why they
    // ended.
    command.process_group(0);
    // SAFETY: between fork and exec only what is safe in a signal handler may run. These are system calls, and nothing
    // allocates.
    unsafe { command.pre_exec(prepare) };
    let mut run = run();
    if run.is_finished {
        return Err(over());
    }
    // Without a folder it puts its files where it likes.
    if let Ok(folder) = run.own_folder() {
        command.env("TMPDIR", folder);
    }
    let child = command.spawn()?;
    run.groups.insert(child.id());
    let line = format!("+ {}\n", child.id());
    run.tell(&line);
    Ok(Started { child })
}

/// Runs a program to its end, with this input.
pub fn output(command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut started = spawn(command)?;
    let (stdin, stderr) = (started.stdin.take(), started.stderr.take());
    let (mut stdout, mut said) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        // It may end before it has read everything: its messages say why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        let complaints = scope.spawn(|| stderr.map(|mut stderr| stderr.read_to_end(&mut said)));
        let read = started.stdout.take().map(|mut pipe| pipe.read_to_end(&mut stdout));
        let _ = complaints.join();
        read.transpose()
    })?;
    let status = started.wait()?;
    Ok(Output {
        status,
        stdout,
        stderr: said,
    })
}
