//! The statistics of a fuzzing campaign, and the storage of its findings.

use crate::random::Dice;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A program and its derived files need less space than this.
const ROOM: usize = 16 << 20;

/// One kind of attack in progress.
pub struct Campaign {
    /// Its name on the command line.
    pub kind: &'static str,
    /// The remaining command line, with a leading blank, so that cases can be reproduced.
    pub options: String,
    pub seed: u64,
    /// The first case.
    pub from: u64,
    pub count: u64,
    /// No case starts after this time.
    pub until: Option<Instant>,
    /// The current case.
    case: u64,
    /// The folder for failing inputs.
    pub folder: PathBuf,
    pub tried: u64,
    /// One line for each wrong verdict, crash and hang.
    pub wrong: Vec<String>,
    /// Why the campaign stopped early: without room for files, it says nothing about the program.
    broken: Arc<OnceLock<String>>,
    /// All other counters, by name.
    pub counts: BTreeMap<String, u64>,
    /// Receives the statistics from time to time.
    pub progress: Option<fn(&str)>,
}

/// Whether a file of this size can be written there.
fn has_room(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(format!("cubist-fuzz-room-{}", std::process::id()));
    let written = std::fs::write(&file, vec![1; ROOM]);
    let _ = std::fs::remove_file(&file);
    written
}

fn is_past(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

impl Campaign {
    pub fn new(kind: &'static str, seed: u64, count: u64, folder: PathBuf) -> Campaign {
        Campaign {
            kind,
            options: String::new(),
            seed,
            from: 0,
            count,
            until: None,
            case: 0,
            folder,
            tried: 0,
            wrong: Vec::new(),
            broken: Arc::default(),
            counts: BTreeMap::new(),
            progress: None,
        }
    }

    /// The case numbers, until the time limit.
    pub fn cases(&self) -> impl Iterator<Item = u64> + use<> {
        let (until, broken) = (self.until, Arc::clone(&self.broken));
        (self.from..self.from + self.count).take_while(move |_| !is_past(until) && broken.get().is_none())
    }

    /// Whether no further case starts.
    pub fn is_over(&self) -> bool {
        is_past(self.until) || self.broken().is_some()
    }

    /// Why the campaign stopped early, if it could not continue.
    pub fn broken(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// Stops the campaign because of an environment error, such as a failed write.
    pub fn stop(&mut self, what: &str, error: &std::io::Error) {
        let why = format!("{what}: {error}");
        self.tell(&why);
        // The first reason counts.
        let _ = self.broken.set(why);
    }

    /// A case with its random numbers, which do not depend on other cases.
    pub fn begin(&mut self, case: u64) -> Dice {
        self.case = case;
        Dice::new(self.seed, case)
    }

    /// The name of a case in files.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.kind, self.seed, self.case)
    }

    pub fn add(&mut self, name: &str, number: u64) {
        *self.counts.entry(name.to_owned()).or_default() += number;
    }

    pub fn count_of(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Records a failure: prints it, and stores the input with a note on how to reproduce it. If files cannot be
    /// written, the failure may be a consequence of that, and is not recorded.
    pub fn failure(&mut self, name: &str, what: &str, input: &[u8]) {
        let path = self.folder.join(name);
        let note = format!(
            "{what}\n\nFound by: cubist-fuzz {}{} --seed {} --from {} --count 1\n",
            self.kind, self.options, self.seed, self.case
        );
        let kept = has_room(&std::env::temp_dir())
            .and_then(|()| std::fs::create_dir_all(&self.folder))
            .and_then(|()| std::fs::write(&path, input))
            .and_then(|()| std::fs::write(self.folder.join(format!("{name}.note")), note));
        if let Err(error) = kept {
            return self.stop(&format!("no judgement on {name} ({what})"), &error);
        }
        let line = format!("{what} ({})", path.display());
        self.tell(&format!("wrong: {line}"));
        self.wrong.push(line);
    }

    pub fn tell(&mut self, line: &str) {
        if let Some(progress) = self.progress {
            progress(line);
        }
    }

    /// `part` of `whole` in percent.
    pub fn share(&self, part: &str, whole: &str) -> f64 {
        100.0 * self.count_of(part) as f64 / self.count_of(whole).max(1) as f64
    }

    /// All statistics; the last line is the summary.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for line in &self.wrong {
            text.push_str(&format!("wrong: {line}\n"));
        }
        for (name, number) in &self.counts {
            text.push_str(&format!("{name}: {number}\n"));
        }
        text.push_str(&format!("{} tried, {} wrong\n", self.tried, self.wrong.len()));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_write_its_files_stops_and_counts_nothing() {
        let folder = std::env::temp_dir().join(format!("cubist-fuzz-tally-{}", std::process::id()));
        let mut run = Campaign::new("systems", 1, 10, folder.clone());
        run.failure("first.m", "something is wrong", b"");
        assert_eq!((run.wrong.len(), run.broken(), run.cases().count()), (1, None, 10));
        // Nothing can be stored below a file.
        run.folder = folder.join("first.m");
        let begun = run.cases();
        run.failure("second.m", "something is wrong", b"");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(run.wrong.len(), 1);
        let why = run.broken().unwrap();
        assert!(why.contains("second.m (something is wrong)"), "{why}");
        assert_eq!((begun.count(), run.cases().count(), run.is_over()), (0, 0, true));
    }
}
