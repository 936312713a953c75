//! The figures of a run, and where its findings are kept.

use crate::random::Dice;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// One kind of attack, in progress.
pub struct Run {
    /// Its name on the command line.
    pub kind: &'static str,
    /// What else was on the command line, with a blank before it, so that cases can be found again.
    pub options: String,
    pub seed: u64,
    /// The first case.
    pub from: u64,
    pub count: u64,
    /// No case is begun after that.
    pub until: Option<Instant>,
    /// The case at hand.
    case: u64,
    /// Where failing inputs are written.
    pub folder: PathBuf,
    pub tried: u64,
    /// One line for each wrong verdict, crash and hang.
    pub wrong: Vec<String>,
    /// Everything else that is counted, by name.
    pub counts: BTreeMap<String, u64>,
    /// Called now and then with the figures so far.
    pub progress: Option<fn(&str)>,
}

fn is_past(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

impl Run {
    pub fn new(kind: &'static str, seed: u64, count: u64, folder: PathBuf) -> Run {
        Run {
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
            counts: BTreeMap::new(),
            progress: None,
        }
    }

    /// The numbers of the cases, as many as there is time for.
    pub fn cases(&self) -> impl Iterator<Item = u64> + use<> {
        let until = self.until;
        (self.from..self.from + self.count).take_while(move |_| !is_past(until))
    }

    /// Whether no further case is begun.
    pub fn is_over(&self) -> bool {
        is_past(self.until)
    }

    /// A case with its random numbers, which are the same whichever others are tried.
    pub fn begin(&mut self, case: u64) -> Dice {
        self.case = case;
        Dice::new(self.seed, case)
    }

    /// What a case is called in files.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.kind, self.seed, self.case)
    }

    pub fn add(&mut self, name: &str, number: u64) {
        *self.counts.entry(name.to_owned()).or_default() += number;
    }

    pub fn count_of(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Something is wrong: says so, and keeps the input that shows it, with a note beside it how it was found.
    pub fn failure(&mut self, name: &str, what: &str, input: &[u8]) {
        let path = self.folder.join(name);
        let note = format!(
            "{what}\n\nFound by: cubist-fuzz {}{} --seed {} --from {} --count 1\n",
            self.kind, self.options, self.seed, self.case
        );
        let kept = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&path, input))
            .and_then(|()| std::fs::write(self.folder.join(format!("{name}.note")), note));
        let place = match kept {
            Ok(()) => path.display().to_string(),
            Err(error) => format!("not kept: {error}"),
        };
        let line = format!("{what} ({place})");
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

    /// All figures; the last line is the one that counts.
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
