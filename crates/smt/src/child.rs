//! Starts a program that does not outlive this one, however this one ends.
#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

/// Starts a program that the system kills when this process ends, even by SIGKILL. It is killed when the thread that
/// started it ends, too, so that thread must be the one that waits.
pub fn spawn(command: &mut Command) -> std::io::Result<Child> {
    spawn_within(command, Vec::new())
}

/// The same with limits, which hold before the program begins: set afterwards, a quick program would be faster.
pub fn spawn_within(command: &mut Command, limits: Vec<(Resource, u64)>) -> std::io::Result<Child> {
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
    command.spawn()
}
