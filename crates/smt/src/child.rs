//! Starts a program that does not outlive this one, however this one ends.
#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

/// Starts a program that the system kills when this process ends, even by SIGKILL. It is killed when the thread that
/// started it ends, too, so that thread must be the one that waits.
pub fn spawn(command: &mut Command) -> std::io::Result<Child> {
    let parent = getpid();
    let die_with_parent = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
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
    // SAFETY: between fork and exec only what is safe in a signal handler may run. These are two system calls, and
    // nothing allocates.
    unsafe { command.pre_exec(die_with_parent) };
    command.spawn()
}
