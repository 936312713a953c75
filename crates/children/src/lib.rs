//! Child processes and temporary files. Whichever way this process ends, neither processes (compilers start their own)
//! nor files remain.
//!
//! - Each child leads a process group and is killed with it ([`Started::kill`]).
//! - All temporary files are in one folder per run ([`folder`]), which children see as `TMPDIR`.
//! - [`finish`] kills all groups and removes the folder. Every exit path of the process calls it.
//! - SIGKILL bypasses this. A shell that reads from our pipe then sees its end, and cleans up instead ([`watcher`]).

mod folder;
mod spawn;
pub mod usage;
mod watcher;

pub use folder::{Folder, folder};
pub use spawn::{Started, output, spawn, spawn_within};

use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use watcher::Watcher;

/// One of our binaries: beside the current one, or one folder above in tests.
pub fn beside(name: &str) -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let mut folders = here.ancestors().skip(1).take(2);
    folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
}

/// What to clean up at the end of the run.
#[derive(Default)]
struct Run {
    groups: BTreeSet<u32>,
    folder: Option<PathBuf>,
    watcher: Option<Watcher>,
    is_finished: bool,
}

static RUN: Mutex<Run> = Mutex::new(Run {
    groups: BTreeSet::new(),
    folder: None,
    watcher: None,
    is_finished: false,
});

fn run() -> MutexGuard<'static, Run> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all children and removes all temporary files. No new ones can be created afterwards.
pub fn finish() {
    // A panic may have poisoned the lock.
    for _ in 0..200 {
        let mut run = match RUN.try_lock() {
            Ok(run) => run,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        run.is_finished = true;
        for group in std::mem::take(&mut run.groups) {
            kill_group(group);
        }
        if let Some(folder) = run.folder.take() {
            folder::remove(&folder);
        }
        if let Some(watcher) = run.watcher.take() {
            watcher.finish();
        }
        return;
    }
}

fn over() -> io::Error {
    io::Error::other("the run is over")
}

fn kill_group(group: u32) {
    let group = i32::try_from(group).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It may have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Run {
    /// Informs the watcher; without one, only the cleanup after SIGKILL is lost.
    fn tell(&mut self, line: &str) {
        if let Some(watcher) = &mut self.watcher {
            watcher.tell(line);
        }
    }
}
