//! Rules about calls: small state machines in files of their own, woven into a program as monitors.
//!
//! A rule is read into C text ([`read`]): its state becomes variables, each of its events a function, the handler. This
//! text stands behind the program's own, with markers that say which line of the rule each line is, and goes through the
//! same parser and the same checks. Handlers get their parameters from the functions that the events are about
//! ([`declare`]). In the finished program, calls of these functions call the handlers, too ([`weave`]).

mod declare;
mod read;
mod weave;

pub(crate) use declare::declare;
use read::read;
pub(crate) use weave::weave;

use crate::options::RuleFile;
use system::{Diagnostic, Role, SourceFile, Sources, Span};

/// The program with the text of its rules behind its own.
pub(crate) fn add(sources: &Sources, files: &[RuleFile]) -> (Sources, Vec<Rule>, Vec<Diagnostic>) {
    let (mut sources, mut rules, mut diagnostics) = (sources.clone(), Vec::new(), Vec::new());
    if files.is_empty() {
        return (sources, rules, diagnostics);
    }
    let preprocessed = sources
        .additions()
        .filter(|file| file.role() == Role::Preprocessed)
        .last();
    let mut text = preprocessed.unwrap_or(sources.model()).text.clone();
    for (number, file) in files.iter().enumerate() {
        sources = sources.with(Role::Included, SourceFile::new(file.name.clone(), file.text.clone()));
        let (rule, found) = read(sources.last(), number);
        text.push('\n');
        text.push_str(&rule.text);
        rules.push(rule);
        diagnostics.extend(found);
    }
    let name = format!("{} with its rules", sources.model().name);
    let sources = sources.with(Role::Preprocessed, SourceFile::new(name, text));
    (sources, rules, diagnostics)
}

/// A rule, as C.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) events: Vec<Event>,
    /// As many lines as the file of the rule has.
    pub(crate) text: String,
}

/// Something that happens, and what the rule does then.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) moment: Moment,
    /// The name of the handler.
    pub(crate) handler: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Moment {
    Before(Call),
    After(Call),
    /// The program is about to end.
    End,
}

/// A call, with names for what it is given and what it gives.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: String,
    /// None for those that the rule does not want to know. Further arguments may follow.
    pub(crate) arguments: Vec<Option<String>>,
    pub(crate) result: Option<String>,
}

impl Event {
    pub(crate) fn call(&self) -> Option<&Call> {
        match &self.moment {
            Moment::Before(call) | Moment::After(call) => Some(call),
            Moment::End => None,
        }
    }
}

/// What the names of a rule's own variables begin with, so that the program does not see them.
pub(crate) fn prefix(number: usize) -> String {
    format!("rule${number}$")
}

/// What handlers call where a rule is broken; no name of the user's can be this.
pub(crate) const ERROR: &str = "rule$error";
