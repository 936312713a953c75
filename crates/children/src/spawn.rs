//! Starts child processes that do not outlive this process.
#![allow(unsafe_code)]

use crate::{kill_group, over, run};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit};
use std::io::{Read as _, Write as _};
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};

/// A child process with its whole process group. Killed on drop.
#[derive(Debug)]
pub struct Started {
    child: Child,
}

impl Started {
    /// Kills the child and everything it has started.
    pub fn kill(&mut self) -> std::io::Result<()> {
        // After its exit was observed, its process id may be reused.
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

/// Starts a child that the system kills when this process ends, even by SIGKILL. It is also killed when the thread that
/// started it ends, so that thread must be the one that waits.
pub fn spawn(command: &mut Command) -> std::io::Result<Started> {
    spawn_within(command, Vec::new())
}

/// Like [`spawn`], with resource limits that apply before the program begins: limits set afterwards could come too
/// late.
pub fn spawn_within(command: &mut Command, limits: Vec<(Resource, u64)>) -> std::io::Result<Started> {
    let parent = getpid();
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        for (resource, most) in &limits {
            let limit = Rlimit {
                current: Some(*most),
                maximum: Some(*most),
            };
            // Lower limits set by the user remain in force.
            let _ = setrlimit(*resource, limit);
        }
        // The parent may have died already, without a signal.
        if getppid() == Some(parent) {
            Ok(())
        } else {
            Err(Errno::SRCH.into())
        }
    };
    // Ctrl-C reaches every process of a group. Only this process should receive it: it then stops its solvers and knows
    // why they ended.
    command.process_group(0);
    // SAFETY: between fork and exec only async-signal-safe code may run. These are system calls, and nothing allocates.
    unsafe { command.pre_exec(prepare) };
    let mut run = run();
    if run.is_finished {
        return Err(over());
    }
    // Without our folder it uses its own default for temporary files.
    if let Ok(folder) = run.own_folder() {
        command.env("TMPDIR", folder);
    }
    let child = command.spawn()?;
    run.groups.insert(child.id());
    let line = format!("+ {}\n", child.id());
    run.tell(&line);
    Ok(Started { child })
}

/// Runs a program to its end with this standard input.
pub fn output(command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut started = spawn(command)?;
    let (stdin, stderr) = (started.stdin.take(), started.stderr.take());
    let (mut stdout, mut said) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        // It may exit before it has read all input: its messages say why.
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
