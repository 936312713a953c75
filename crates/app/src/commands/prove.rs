//! `cubist prove`: a proof step by step, at a prompt or by a script.

use crate::arguments::Prove;
use crate::commands::check;
use crate::outcomes::check_report::Report;
use crate::outcomes::{mistake, session as layout};
use crate::programs;
use crate::prompt::{Line, Prompt};
use crate::supervise::{Control, Limits};
use crate::terminal::{self, Paint};
use anyhow::Context as _;
use driver::{Answer, Context, Silent, write_whole};
use report::Status;
use session::{Command, Error, Session};
use smt::{Solvers, Statistics};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(arguments: &Prove, limits: &Limits, control: &Control) -> anyhow::Result<Status> {
    programs::expect_model(&arguments.file, "prove")?;
    let statistics = Arc::new(Statistics::default());
    let context = Context {
        solvers: Solvers::default().counting(&statistics).under(&control.cancellation),
        deadline: limits.deadline(),
        observer: &Silent,
        jobs: 1,
    };
    let question = driver::Question {
        resume: arguments.resume.clone(),
        ..arguments.check().question()
    };
    let session = Session::open(question, context).map_err(failure)?;
    let mut dialogue = Dialogue {
        arguments,
        limits,
        control,
        statistics,
        session,
        is_loud: !arguments.style.quiet && !arguments.style.json,
    };
    match &arguments.script {
        Some(script) => dialogue.play(script),
        None => dialogue.talk(),
    }
}

/// One session with a user, or with a file.
struct Dialogue<'d> {
    arguments: &'d Prove,
    limits: &'d Limits,
    control: &'d Control,
    statistics: Arc<Statistics>,
    session: Session<'d>,
    is_loud: bool,
}

/// What a line leads to.
enum Next {
    On,
    End(Status),
}

impl Dialogue<'_> {
    /// Takes the steps of a script, and finishes the proof where they prove everything.
    fn play(&mut self, script: &Path) -> anyhow::Result<Status> {
        let text = driver::read_file(script)?.text;
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("{}:{number}", script.display());
            let command = Command::parse(line)
                .map_err(|error| anyhow::anyhow!("{error}"))
                .with_context(place)?;
            let Some(command) = command else { continue };
            self.say(&format!("{} {command}\n", Paint::stdout().dim(">")))?;
            match self.follow(&command) {
                Ok(Next::On) => {}
                Ok(Next::End(status)) => return Ok(status),
                Err(error) => return Err(error.context(place())),
            }
        }
        match self.session.state().is_finished() {
            true => self.finish(),
            false => {
                self.say("The script has come to an end, and not everything is proved.\n")?;
                let _ = self.control.begin_report();
                Ok(Status::Incomplete)
            }
        }
    }

    /// Reads lines until the session ends.
    fn talk(&mut self) -> anyhow::Result<Status> {
        if let Some(path) = self.arguments.session.clone().filter(|path| path.exists()) {
            replay(&mut self.session, &path)?;
        }
        let mut prompt = Prompt::new(self.is_loud)?;
        let name = self.session.subject().input.file().name.clone();
        self.say(&format!(
            "{} {name}; `suggest` says what to do, `help` what can be said.\n",
            "Proving"
        ))?;
        let status = self.session.apply(&Command::Status).map_err(failure)?;
        self.say(&layout::text(&status, Paint::stdout()))?;
        loop {
            let line = match prompt.read()? {
                Line::Text(line) => line,
                Line::Nothing => continue,
                Line::End => break,
            };
            let command = match Command::parse(&line) {
                Ok(Some(command)) => command,
                Ok(None) => continue,
                Err(complaint) => {
                    terminal::complain(&format!("{complaint}\n"));
                    continue;
                }
            };
            match self.follow(&command) {
                Ok(Next::On) => {}
                Ok(Next::End(status)) => return Ok(status),
                Err(error) => crate::report_to_person(&error),
            }
            // `auto` may have taken steps before one of them failed.
            self.keep()?;
        }
        let _ = self.control.begin_report();
        Ok(match self.session.state().is_finished() {
            true => Status::Done,
            false => Status::Incomplete,
        })
    }

    fn follow(&mut self, command: &Command) -> anyhow::Result<Next> {
        match command {
            Command::Qed => self.finish().map(Next::End),
            Command::Save(path) => {
                write(&self.session, Path::new(path))?;
                self.say(&format!("The steps are in {path}.\n"))?;
                Ok(Next::On)
            }
            command => {
                let reply = self.session.apply(command).map_err(failure)?;
                self.say(&layout::text(&reply, Paint::stdout()))?;
                Ok(Next::On)
            }
        }
    }

    /// `qed`: the same report as `cubist check` makes.
    fn finish(&mut self) -> anyhow::Result<Status> {
        let check = self.arguments.check();
        let decided = match self.session.finish().map_err(failure)?.answer {
            Answer::Decided(decided) => decided,
            Answer::Mistake(found) => return mistake::report(&found, check.style.json, self.control),
        };
        let report = Report {
            arguments: &check,
            decided: &decided,
            statistics: &self.statistics,
            time: None,
        };
        check::tell(&report, "", 0.0, self.limits, self.control)
    }

    fn keep(&self) -> anyhow::Result<()> {
        let path = self.arguments.session.as_deref();
        path.map_or(Ok(()), |path| write(&self.session, path))
    }

    fn say(&self, text: &str) -> anyhow::Result<()> {
        match self.is_loud {
            true => terminal::print(text),
            false => Ok(()),
        }
    }
}

/// The steps of an earlier session, which are all taken again: what was proved is proved anew.
pub(crate) fn replay(session: &mut Session, path: &Path) -> anyhow::Result<()> {
    let text = driver::read_file(path)?.text;
    for (number, line) in (1..).zip(text.lines()) {
        let place = || format!("{}:{number}", path.display());
        let command = Command::parse(line)
            .map_err(|error| anyhow::anyhow!("{error}"))
            .with_context(place)?;
        if let Some(command) = command {
            session.apply(&command).map_err(failure).with_context(place)?;
        }
    }
    Ok(())
}

/// Writes the steps so far into a file.
pub(crate) fn write(session: &Session, path: &Path) -> anyhow::Result<()> {
    let text = script(session, &path.display().to_string());
    write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))
}

/// The steps so far, as a file by this name has them.
pub(crate) fn script(session: &Session, file: &str) -> String {
    let name = &session.subject().input.file().name;
    format!("# cubist prove {name} --script {file}\n{}", session.script())
}

/// So that what is wrong with a formula is shown with its place.
pub(crate) fn failure(error: Error) -> anyhow::Error {
    match error {
        Error::Rejected(rejected) => anyhow::Error::new(rejected),
        Error::Driver(error) => anyhow::Error::new(error),
        other => anyhow::Error::new(other),
    }
}
