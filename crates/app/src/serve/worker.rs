//! The session on its own thread, and the desk where the page leaves commands and finds their replies.
//!
//! One command at a time. When nothing is to be done, the worker looks for what takes long and is only looked at (the
//! abstract states, a concrete run); a command ends that at once.

use super::json;
use crate::arguments::{Check, Serve};
use crate::commands::{check, prove};
use crate::outcomes::check_report::Report;
use crate::outcomes::{diagnostics, mistake};
use crate::supervise::Control;
use crate::terminal::Paint;
use anyhow::Context as _;
use driver::{Answer, Context, STACK, Silent, Verdict};
use logic::Cancellation;
use serde_json::{Value, json};
use session::{Command, Session};
use smt::{Solvers, Statistics};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// What was said longer ago is forgotten.
const LOG: usize = 300;

/// What connections share.
pub(super) struct Desk {
    pub(super) source: Value,
    /// What files to download are called.
    pub(super) stem: String,
    board: Arc<Board>,
    lines: Sender<String>,
}

/// A step is under way.
pub(super) struct Busy;

struct Board {
    shown: Mutex<Shown>,
    statistics: Arc<Statistics>,
    /// Ended by Ctrl-C.
    cancellation: Cancellation,
}

/// What the page sees.
#[derive(Default)]
struct Shown {
    /// Another number each time that something has changed.
    version: u64,
    state: Value,
    log: Vec<Value>,
    concrete: Value,
    /// The picture for the page, and as a file.
    picture: Option<(Value, String)>,
    pictured: u64,
    verdict: Value,
    certificate: Option<String>,
    script: String,
    under_way: Option<UnderWay>,
    /// Ends what is done for the looks of it.
    idle: Option<Cancellation>,
}

struct UnderWay {
    command: String,
    since: Instant,
    checks: u64,
    cancellation: Cancellation,
}

impl Board {
    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    /// Leaves a command for the session.
    pub(super) fn submit(&self, line: &str) -> Result<(), Busy> {
        let mut shown = self.board.shown();
        if shown.under_way.is_some() {
            return Err(Busy);
        }
        shown.under_way = Some(UnderWay {
            command: line.trim().to_owned(),
            since: Instant::now(),
            checks: self.board.statistics.total(),
            cancellation: self.board.cancellation.child(),
        });
        if let Some(idle) = shown.idle.take() {
            idle.cancel();
        }
        // Nobody is there only where the program ends.
        self.lines.send(line.to_owned()).map_err(|_| Busy)
    }

    /// Ends the step that is under way, and nothing else.
    pub(super) fn cancel(&self) {
        let under_way = self
            .board
            .shown()
            .under_way
            .as_ref()
            .map(|step| step.cancellation.clone());
        if let Some(cancellation) = under_way {
            cancellation.cancel();
        }
    }

    pub(super) fn progress(&self) -> Value {
        self.progress_of(&self.board.shown())
    }

    fn progress_of(&self, shown: &Shown) -> Value {
        let busy = shown.under_way.as_ref().map(|step| {
            json!({
                "command": step.command,
                "seconds": step.since.elapsed().as_secs_f64(),
                "checks": self.board.statistics.total().saturating_sub(step.checks),
            })
        });
        json!({
            "version": shown.version,
            "busy": busy,
            "drawing": shown.idle.is_some(),
            "checks": self.board.statistics.total(),
        })
    }

    pub(super) fn state(&self) -> Value {
        let shown = self.board.shown();
        let mut state = shown.state.clone();
        state["progress"] = self.progress_of(&shown);
        state["log"] = json!(shown.log);
        state["concrete"] = shown.concrete.clone();
        state["graph"] = json!(shown.picture.is_some().then_some(shown.pictured));
        state["verdict"] = shown.verdict.clone();
        state["certificate"] = json!(shown.certificate.is_some());
        state
    }

    /// Null where there is none, or none any more.
    pub(super) fn graph(&self) -> Value {
        let shown = self.board.shown();
        shown
            .picture
            .as_ref()
            .map_or(Value::Null, |(picture, _)| picture.clone())
    }

    pub(super) fn svg(&self) -> Option<String> {
        self.board.shown().picture.as_ref().map(|(_, svg)| svg.clone())
    }

    pub(super) fn certificate(&self) -> Option<String> {
        self.board.shown().certificate.clone()
    }

    pub(super) fn script(&self) -> String {
        self.board.shown().script.clone()
    }
}

/// Opens the session on a thread of its own, and waits until it is open.
pub(super) fn start(arguments: &Serve, control: &Control) -> anyhow::Result<(Desk, JoinHandle<()>)> {
    let board = Arc::new(Board {
        shown: Mutex::default(),
        statistics: Arc::default(),
        cancellation: control.cancellation.clone(),
    });
    let stem = arguments
        .file
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let (lines, received) = channel();
    let (opened, is_open) = channel();
    let (shared, arguments, name) = (Arc::clone(&board), arguments.clone(), stem.clone());
    let worker = std::thread::Builder::new().name("session".to_owned()).stack_size(STACK);
    let worker = worker.spawn(move || match Worker::open(&arguments, shared, &name) {
        Ok(mut worker) => {
            let file = worker.session.subject().input.file();
            let _ = opened.send(Ok(json::source(file)));
            worker.work(&received);
        }
        Err(error) => {
            let _ = opened.send(Err(error));
        }
    })?;
    let source = is_open.recv().context("the session has ended")??;
    let desk = Desk {
        source,
        stem,
        board,
        lines,
    };
    Ok((desk, worker))
}

struct Worker {
    session: Session<'static>,
    board: Arc<Board>,
    check: Check,
    path: Option<PathBuf>,
    /// The name of the script to download.
    script: String,
    /// The picture is one of an earlier state.
    is_stale: bool,
}

impl Worker {
    fn open(arguments: &Serve, board: Arc<Board>, stem: &str) -> anyhow::Result<Worker> {
        let check = arguments.check();
        let context = Context {
            solvers: Solvers::default()
                .counting(&board.statistics)
                .under(&board.cancellation),
            deadline: None,
            observer: &Silent,
            jobs: 1,
        };
        let question = driver::Question {
            resume: arguments.resume.clone(),
            ..check.question()
        };
        let mut worker = Worker {
            session: Session::open(question, context).map_err(prove::failure)?,
            board,
            check,
            path: arguments.session.clone(),
            script: format!("{stem}.script"),
            is_stale: true,
        };
        if let Some(path) = worker.path.clone().filter(|path| path.exists()) {
            prove::replay(&mut worker.session, &path)?;
            let steps = worker.session.script().lines().count();
            let said = format!("{steps} steps of {} were taken again.", path.display());
            worker.board.shown().log.push(json::lines("", "note", &said));
        }
        worker.show();
        Ok(worker)
    }

    fn work(&mut self, lines: &Receiver<String>) {
        loop {
            let line = match lines.try_recv() {
                Err(TryRecvError::Empty) if self.is_stale => {
                    self.draw();
                    continue;
                }
                Err(TryRecvError::Empty) => lines.recv().ok(),
                received => received.ok(),
            };
            let Some(line) = line else { return };
            self.follow(&line);
        }
    }

    /// Executes a command line and publishes the reply.
    fn follow(&mut self, line: &str) {
        let cancellation = self
            .board
            .shown()
            .under_way
            .as_ref()
            .map(|step| step.cancellation.clone());
        if let Some(cancellation) = &cancellation {
            self.session.listen_to(cancellation);
        }
        let before = self.session.script();
        let entry = self.answer(line);
        let is_changed = self.session.script() != before;
        let kept = match (&self.path, is_changed) {
            (Some(path), true) => prove::write(&self.session, path),
            _ => Ok(()),
        };
        let mut shown = self.board.shown();
        shown.log.extend(entry);
        shown
            .log
            .extend(kept.err().map(|error| json::lines("", "error", &format!("{error:#}"))));
        let forgotten = shown.log.len().saturating_sub(LOG);
        shown.log.drain(..forgotten);
        if is_changed {
            (shown.picture, shown.concrete) = (None, Value::Null);
            (shown.verdict, shown.certificate) = (Value::Null, None);
            self.is_stale = true;
        }
        drop(shown);
        self.show();
        self.board.shown().under_way = None;
    }

    /// What is said to a line; nothing where nothing is asked.
    fn answer(&mut self, line: &str) -> Option<Value> {
        let said = line.trim();
        let command = match Command::parse(line) {
            Ok(command) => command?,
            Err(complaint) => return Some(json::lines(said, "error", &complaint)),
        };
        let reply = match &command {
            Command::Qed => self.finish(said),
            Command::Save(_) => Err(anyhow::anyhow!("a page writes no files; the session can be downloaded")),
            command => {
                let reply = self.session.apply(command).map_err(prove::failure);
                reply.map(|reply| json::reply(said, &reply))
            }
        };
        Some(reply.unwrap_or_else(|error| json::lines(said, "error", &words(&error))))
    }

    /// `qed`: what `cubist check` would report.
    fn finish(&mut self, said: &str) -> anyhow::Result<Value> {
        let decided = match self.session.finish().map_err(prove::failure)?.answer {
            Answer::Decided(decided) => decided,
            Answer::Mistake(found) => {
                mistake::report(&found, false, &Control::default())?;
                anyhow::bail!("a mistake of Cubist, which the terminal tells of");
            }
        };
        let report = Report {
            arguments: &self.check,
            decided: &decided,
            statistics: &self.board.statistics,
            time: None,
        };
        let text = report.text(Paint { colour: false });
        let entry = json::lines(said, "verdict", &text);
        let is_safe = matches!(decided.verdict, Verdict::Safe(_));
        let mut shown = self.board.shown();
        shown.verdict = json!({ "safe": is_safe, "title": entry["title"] });
        shown.certificate = check::certificate(&decided.verdict)
            .filter(|_| is_safe)
            .map(str::to_owned);
        Ok(entry)
    }

    fn show(&self) {
        let state = json::state(&self.session);
        let script = prove::script(&self.session, &self.script);
        let mut shown = self.board.shown();
        (shown.state, shown.script) = (state, script);
        shown.version += 1;
    }

    /// Computes what is only shown, until the next command.
    fn draw(&mut self) {
        let idle = self.board.cancellation.child();
        {
            let mut shown = self.board.shown();
            if shown.under_way.is_some() {
                return;
            }
            shown.idle = Some(idle.clone());
        }
        self.session.listen_to(&idle);
        // What the solver cannot say is not shown.
        let concrete = self.session.concrete().unwrap_or_default();
        let picture = self.session.picture().unwrap_or_default();
        let mut shown = self.board.shown();
        if idle.is_cancelled() {
            return;
        }
        self.is_stale = false;
        shown.idle = None;
        shown.concrete = json::concrete(&concrete);
        shown.picture = picture.filter(|picture| picture.graph.states() > 0).map(|picture| {
            let svg = report::graph::svg(&picture.graph);
            (json::picture(&picture, &svg), svg)
        });
        shown.version += 1;
        shown.pictured = shown.version;
    }
}

/// An error with its place, where it has one.
fn words(error: &anyhow::Error) -> String {
    match crate::rejected(error) {
        Some(rejected) => diagnostics::text(&rejected.diagnostics, &rejected.sources, Paint { colour: false }),
        None => format!("{error:#}"),
    }
}
