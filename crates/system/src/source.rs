//! Source files, spans, and diagnostics.

mod lines;
mod render;

use lines::Lines;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The index of a file among those read together; the model is the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(u16);

impl FileId {
    pub const MODEL: FileId = FileId(0);
}

/// A half-open byte range of one source file. The default, an empty range of the model, means "no place".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            file,
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The smallest span that covers both. If they are in different files, it ends with the first.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Diagnostics about options or about the input as a whole have no place.
    pub fn is_nowhere(self) -> bool {
        self == Span::default()
    }
}

/// The purpose of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Model,
    /// Further properties to prove.
    Properties,
    /// Predicates for a proof.
    Predicates,
    /// Properties that are only checked against the invariant that proves the others.
    Further,
    /// A file that the model includes or was generated from.
    Included,
    /// The preprocessed model.
    Preprocessed,
}

/// A file as the user supplied it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path shown in messages.
    pub name: String,
    pub text: String,
    id: FileId,
    role: Role,
    /// Line markers that generators leave in their output, in source order.
    origins: Vec<Origin>,
    /// Computed at the first position lookup.
    lines: OnceLock<Lines>,
}

/// A line marker: from this byte on, the lines come from another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Where the first of these lines begins.
    pub offset: u32,
    pub name: Arc<str>,
    pub line: u32,
}

impl SourceFile {
    /// A file with the role of the model, until it is added to one.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            name: name.into(),
            text: text.into(),
            id: FileId::MODEL,
            role: Role::Model,
            origins: Vec::new(),
            lines: OnceLock::new(),
        }
    }

    /// The file with its line markers.
    #[must_use]
    pub fn made_from(self, origins: Vec<Origin>) -> SourceFile {
        SourceFile { origins, ..self }
    }

    /// The original file and line of a byte, if a line marker applies.
    pub fn origin(&self, offset: u32) -> Option<(&str, usize)> {
        let number = self.origins.partition_point(|origin| origin.offset <= offset);
        let origin = self.origins.get(number.checked_sub(1)?)?;
        let line = |offset: u32| self.lines().line((offset as usize).min(self.text.len()));
        let between = line(offset).saturating_sub(line(origin.offset));
        Some((&*origin.name, origin.line as usize + between))
    }

    pub fn id(&self) -> FileId {
        self.id
    }

    pub fn role(&self) -> Role {
        self.role
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(&self.text))
    }

    /// Line and column of a byte offset, both counted from 1; columns count characters.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        self.position_of(offset)
    }

    fn position_of(&self, offset: usize) -> (usize, usize) {
        let lines = self.lines();
        (lines.line(offset) + 1, lines.column(&self.text, offset) + 1)
    }

    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The byte range of a span, clamped to the file and to character boundaries.
    fn range(&self, span: Span) -> Range<usize> {
        let boundary = |offset: u32| {
            let mut offset = (offset as usize).min(self.text.len());
            while !self.text.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        boundary(span.start.min(span.end))..boundary(span.end)
    }
}

/// The files that were read together: a model and its additions.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Never empty; the index of a file is its `FileId`.
    files: Vec<Arc<SourceFile>>,
}

impl Sources {
    pub fn new(model: SourceFile) -> Sources {
        let model = SourceFile {
            id: FileId::MODEL,
            role: Role::Model,
            ..model
        };
        Sources {
            files: vec![Arc::new(model)],
        }
    }

    /// These files and one more, which becomes the last.
    #[must_use]
    pub fn with_file(&self, role: Role, file: SourceFile) -> Sources {
        let id = FileId(u16::try_from(self.files.len()).unwrap_or(u16::MAX));
        let mut files = self.files.clone();
        files.push(Arc::new(SourceFile { id, role, ..file }));
        Sources { files }
    }

    pub fn model(&self) -> &SourceFile {
        &self.files[0]
    }

    /// The additions to the model.
    pub fn additions(&self) -> impl Iterator<Item = &SourceFile> {
        self.files[1..].iter().map(AsRef::as_ref)
    }

    /// The file that was added last, or the model.
    pub fn last(&self) -> &SourceFile {
        &self.files[self.files.len() - 1]
    }

    /// The file of a span.
    pub fn file(&self, span: Span) -> &SourceFile {
        self.files
            .get(usize::from(span.file.0))
            .map_or(self.model(), AsRef::as_ref)
    }

    /// The role of the file of a span.
    pub fn role(&self, span: Span) -> Role {
        self.file(span).role
    }

    /// Line and column of the start of a span, both counted from 1.
    pub fn position(&self, span: Span) -> (usize, usize) {
        self.file(span).position(span.start)
    }
}

impl From<&SourceFile> for Sources {
    fn from(model: &SourceFile) -> Sources {
        Sources::new(model.clone())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// A message about a place in the source: what is wrong, where, and what may help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// One sentence without a full stop, in lower case.
    pub message: String,
    pub span: Span,
    /// Shown below the caret.
    pub label: String,
    /// Further places, such as an earlier declaration, each with an explanation.
    pub related: Vec<(Span, String)>,
    /// A suggestion for the user.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
        }
    }

    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, message)
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, span, message)
    }

    /// The message, abbreviated in the middle if it quotes an extremely long word.
    pub fn short_message(&self) -> Cow<'_, str> {
        shortened(&self.message)
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// The maximum number of characters of a message.
const LONGEST: usize = 2000;

fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let characters: Vec<char> = text.chars().take(LONGEST / 2).collect();
    let mut last: Vec<char> = text.chars().rev().take(LONGEST / 4).collect();
    last.reverse();
    let shown = characters.into_iter().chain(" ... ".chars()).chain(last);
    Cow::Owned(shown.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_from_elsewhere_are_told_by_their_own_numbers() {
        let origin = Origin {
            offset: 2,
            name: Arc::from("driver.c"),
            line: 120,
        };
        let file = SourceFile::new("driver.i", "\n\nint x;\nint y\n").made_from(vec![origin]);
        assert_eq!(file.origin(0), None);
        let sources = Sources::new(file);
        let error = Diagnostic::error(Span::new(FileId::MODEL, 14, 14), "expected `;`").label("here");
        let expected = "\
error: expected `;`
 --> driver.i:4:6
  |
4 | int y
  |      ^ here
  |
  = note: this is line 121 of driver.c";
        assert_eq!(error.render(&sources, false), expected);
    }

    #[test]
    fn places_in_two_files_are_shown_with_their_own_lines() {
        let model = SourceFile::new("model.m", "-- one\nvar failed: boolean;\n");
        let sources = Sources::new(model).with_file(Role::Predicates, SourceFile::new("more.m", "index failed: P;\n"));
        let added = sources.last();
        let twice = Diagnostic::error(Span::new(added.id(), 6, 12), "`failed` is already declared")
            .label("declared again here")
            .related(Span::new(FileId::MODEL, 11, 17), "first declared here");
        let expected = "\
error: `failed` is already declared
 --> more.m:1:7
  |
1 | index failed: P;
  |       ^^^^^^ declared again here
  |
 ::: model.m:2:5
  |
2 | var failed: boolean;
  |     ------ first declared here";
        assert_eq!(twice.render(&sources, false), expected);
    }
}
