//! Rules about calls: small state machines in files of their own, woven into a program as monitors.
//!
//! A rule is translated to C ([`read`]): its state becomes variables, each of its events a function, the handler. The
//! text is appended to the program's own, with line markers into the rule, and passes through the same parser and
//! checks. Handlers get their parameters from the functions with events ([`declare`]). In the lowered program, calls of
//! these functions call the handlers, too ([`weave`]).

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

/// Appends the text of its rules to a program.
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

/// A rule as C text.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) events: Vec<Event>,
    /// Events of functions that the file does not declare.
    pub(crate) left_out: Vec<Event>,
    /// Program variables that the rule declares. Those defined elsewhere point at objects of their own.
    pub(crate) variables: Vec<String>,
    /// Has as many lines as the rule file.
    pub(crate) text: String,
    /// The origins of the text, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of generated text and its origin in the rule file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) span: Span,
    /// Mapped byte by byte; otherwise as a whole.
    pub(crate) is_copied: bool,
}

impl Piece {
    /// The location of a token in this piece.
    pub(crate) fn place(&self, start: usize, end: usize) -> Span {
        if !self.is_copied {
            return self.span;
        }
        let moved = |offset: usize| offset - self.start + self.span.start as usize;
        Span::new(self.span.file, moved(start), moved(end))
    }
}

/// Replaces generated names in messages by those in the rule.
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

/// An event and its handler.
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

/// A call pattern, with names for arguments and result.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: String,
    /// None for unnamed arguments. The call may have more arguments.
    pub(crate) arguments: Vec<Option<String>>,
    pub(crate) result: Option<String>,
}

impl Moment {
    /// The names that an event binds.
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

/// The prefix of a rule's own variables, which hides them from the program.
pub(crate) fn prefix(number: usize) -> String {
    format!("rule${number}$")
}

/// The function that handlers call when a rule is broken; it is no valid name of a user.
pub(crate) const ERROR: &str = "rule$error";

/// The prefix of program variables.
pub(crate) const EXTERN: &str = "extern$";

/// The function that handlers call to assume what the library guarantees.
pub(crate) const ASSUME: &str = "rule$assume";
