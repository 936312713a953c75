//! Rules about calls: small state machines in files of their own, woven into a program as monitors.
//!
//! A rule is read into C text ([`read`]): its state becomes variables, each of its events a function, the handler. This
//! text stands behind the program's own, with markers that say which line of the rule each line is, and goes through
//! the same parser and the same checks. Handlers get their parameters from the functions that the events are about
//! ([`declare`]). In the finished program, calls of these functions call the handlers, too ([`weave`]).

mod declare;
mod names;
mod read;
mod weave;

pub(crate) use declare::declare;
pub(crate) use names::Names;
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
    let mut text = match preprocessed {
        Some(file) => file.text.clone(),
        None => format!("# 1 {:?}\n{}", sources.model().name, sources.model().text),
    };
    for (number, file) in files.iter().enumerate() {
        sources = sources.with_file(Role::Included, SourceFile::new(file.name.clone(), file.text.clone()));
        let (rule, found) = read(sources.last(), number);
        text.push('\n');
        let base = text.len();
        text.push_str(&rule.text);
        let pieces = rule.pieces.into_iter().map(|piece| Piece {
            start: piece.start + base,
            end: piece.end + base,
            ..piece
        });
        rules.push(Rule {
            pieces: pieces.collect(),
            ..rule
        });
        diagnostics.extend(found);
    }
    let name = format!("{} with its rules", sources.model().name);
    let sources = sources.with_file(Role::Preprocessed, SourceFile::new(name, text));
    (sources, rules, diagnostics)
}

/// A rule, as C.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) events: Vec<Event>,
    /// Those of functions that the file does not declare.
    pub(crate) left_out: Vec<Event>,
    /// Variables of the program that it declares. Those of another file point at objects of their own.
    pub(crate) variables: Vec<String>,
    /// As many lines as the file of the rule has.
    pub(crate) text: String,
    /// Where the text comes from, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of text that was made from something in the file of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) span: Span,
    /// Byte by byte; else all of it stands for all of that.
    pub(crate) is_copied: bool,
}

impl Piece {
    /// The place of a token in this piece.
    pub(crate) fn place(&self, start: usize, end: usize) -> Span {
        if !self.is_copied {
            return self.span;
        }
        let moved = |offset: usize| offset - self.start + self.span.start as usize;
        Span::new(self.span.file, moved(start), moved(end))
    }
}

/// Messages name what the user named.
pub(crate) fn in_own_names(diagnostics: &mut [Diagnostic], rules: usize) {
    let plain = |text: &mut String| {
        if text.contains("rule$") {
            *text = text.replace(ERROR, "error").replace(ASSUME, "assume");
            (0..rules).for_each(|number| *text = text.replace(&prefix(number), ""));
        }
    };
    for diagnostic in diagnostics {
        plain(&mut diagnostic.message);
        plain(&mut diagnostic.label);
        diagnostic.help.iter_mut().for_each(plain);
        diagnostic.related.iter_mut().for_each(|(_, text)| plain(text));
    }
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

impl Rule {
    /// Whether an event is about a function of this name.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        let mut calls = self.events.iter().filter_map(Event::call);
        calls.any(|call| call.function == name)
    }
}

/// A call, with names for what it is given and what it gives.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: String,
    /// None for those that the rule does not want to know. Further arguments may follow.
    pub(crate) arguments: Vec<Option<String>>,
    pub(crate) result: Option<String>,
}

impl Moment {
    /// What an event names.
    fn names(&self) -> impl Iterator<Item = &String> {
        let call = match self {
            Moment::Before(call) | Moment::After(call) => Some(call),
            Moment::End => None,
        };
        let all = call.map(|call| call.arguments.iter().flatten().chain(&call.result));
        all.into_iter().flatten()
    }
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

/// What stands before the name of a variable of the program.
pub(crate) const EXTERN: &str = "extern$";

/// What they call to say what the library promises.
pub(crate) const ASSUME: &str = "rule$assume";
