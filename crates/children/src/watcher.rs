//! A shell that briefly outlives this process to clean up, even after SIGKILL.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Input lines are `+ GROUP` and `- GROUP`. At the end of input, the script kills all remaining groups and removes the
/// folder: twice, since killed processes may still write for a moment.
const SCRIPT: &str = r#"
groups=
while read -r what group; do
    case $what in
        +) groups="$groups $group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -9 -- "-$group"; done
rm -rf -- "$1"
if test -e "$1"; then sleep 1; rm -rf -- "$1"; fi
"#;

pub(crate) struct Watcher {
    shell: Child,
    lines: ChildStdin,
}

impl Watcher {
    /// `None` if there is no shell.
    pub(crate) fn start(folder: &Path) -> Option<Watcher> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "sh"]).arg(folder).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C must not reach it.
        let mut shell = shell.process_group(0).spawn().ok()?;
        let lines = shell.stdin.take()?;
        Some(Watcher { shell, lines })
    }

    pub(crate) fn tell(&mut self, line: &str) {
        let _ = self.lines.write_all(line.as_bytes());
    }

    /// Returns after it has ended.
    pub(crate) fn finish(mut self) {
        drop(self.lines);
        let _ = self.shell.wait();
    }
}
