//! Renders diagnostics with the source lines they refer to, as compilers do.

use super::{Diagnostic, FileId, Severity, SourceFile, Sources, Span, shortened};
use crate::printable::printable;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// Places further apart than this many lines are shown in separate excerpts.
const NEAR: usize = 100;
/// A longer line is abbreviated around the place.
const LONG_LINE: usize = 2000;
/// The number of characters shown on each side of the place.
const AROUND: usize = 60;

/// A marked place and its label.
struct Mark<'t> {
    range: Range<usize>,
    text: &'t str,
    is_primary: bool,
}

impl Diagnostic {
    /// The message with the source line and a caret. Related places in other files follow.
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group = Group::with_title(level.primary_title(self.short_message()));
        let mut others: Vec<FileId> = self.related.iter().map(|(span, _)| span.file).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|file| *file != self.span.file);
        for file in std::iter::once(self.span.file).chain(others) {
            let source = sources.file(Span { file, ..self.span });
            for marks in self.excerpts(source) {
                group = with_lines(source, marks, group);
            }
        }
        if let Some((name, line)) = sources.file(self.span).origin(self.span.start) {
            let name = printable(name);
            group = group.element(Level::NOTE.message(format!("this is line {line} of {name}")));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(shortened(help)));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group]).to_string()
    }

    /// The marked places of a file, grouped by proximity; the message's own place comes first.
    fn excerpts(&self, file: &SourceFile) -> Vec<Vec<Mark<'_>>> {
        let mut marks: Vec<Mark<'_>> = Vec::new();
        if file.id == self.span.file {
            marks.push(Mark {
                range: file.range(self.span),
                text: &self.label,
                is_primary: true,
            });
        }
        for (span, text) in self.related.iter().filter(|(span, _)| span.file == file.id) {
            marks.push(Mark {
                range: file.range(*span),
                text,
                is_primary: false,
            });
        }
        let lines = file.lines();
        let mut excerpts: Vec<Vec<Mark<'_>>> = Vec::new();
        for mark in marks {
            let line = lines.line(mark.range.start);
            let is_near = |other: &Mark<'_>| lines.line(other.range.start).abs_diff(line) <= NEAR;
            match excerpts.iter_mut().find(|excerpt| excerpt.iter().any(is_near)) {
                Some(excerpt) => excerpt.push(mark),
                None => excerpts.push(vec![mark]),
            }
        }
        excerpts
    }
}

/// Adds the lines of these places to the group.
fn with_lines<'a>(file: &'a SourceFile, mut marks: Vec<Mark<'a>>, group: Group<'a>) -> Group<'a> {
    let lines = file.lines();
    // A place that spans very many lines is shown by its first line.
    for mark in &mut marks {
        let first = lines.line(mark.range.start);
        if lines.line(mark.range.end) > first + NEAR {
            mark.range.end = line_end(file, first).max(mark.range.start);
        }
    }
    // The end of the file is shown after its last line instead of on an empty one.
    let line = |mark: &Mark<'_>| match mark.range.start {
        start if start == file.text.len() && file.text.ends_with('\n') => lines.line(start) - 1,
        start => lines.line(start),
    };
    let first = marks.iter().map(line).min().unwrap_or(0);
    let last = marks.iter().map(|mark| lines.line(mark.range.end)).max().unwrap_or(0);
    let is_long = (first..=last).any(|line| line_end(file, line) - lines.start(line, &file.text) > LONG_LINE);
    let path = printable(&file.name);
    let kind = |mark: &Mark<'_>| match mark.is_primary {
        true => AnnotationKind::Primary,
        false => AnnotationKind::Context,
    };
    if !is_long {
        let start = lines.start(first, &file.text);
        let snippet = Snippet::source(&file.text[start..lines.start(last + 1, &file.text)])
            .path(path)
            .line_start(first + 1)
            .fold(true);
        let annotated = marks.iter().map(|mark| {
            let range = mark.range.start - start..mark.range.end - start;
            kind(mark)
                .span(range)
                .label(printable(&shortened(mark.text)).into_owned())
        });
        return group.element(snippet.annotations(annotated));
    }
    marks.into_iter().fold(group, |group, mark| {
        let (line, column) = file.position_of(mark.range.start);
        let origin = Origin::path(path.clone()).line(line).char_column(column);
        let (text, range) = around(file, &mark.range);
        let annotation = kind(&mark)
            .span(range)
            .label(printable(&shortened(mark.text)).into_owned());
        let snippet = Snippet::source(text).line_start(line).annotation(annotation);
        group.element(origin).element(snippet)
    })
}

/// The end of a line, without its terminator.
fn line_end(file: &SourceFile, line: usize) -> usize {
    let lines = file.lines();
    let next = lines.start(line + 1, &file.text);
    if line + 1 < lines.count() { next - 1 } else { next }
}

/// The text around the start of a place, and the range of the place in it.
fn around(file: &SourceFile, range: &Range<usize>) -> (String, Range<usize>) {
    let lines = file.lines();
    let line = lines.line(range.start);
    let (start, end) = (lines.start(line, &file.text), line_end(file, line));
    let boundary = |mut offset: usize| {
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let from = boundary(range.start.saturating_sub(AROUND).max(start));
    let to = boundary((range.start + AROUND).min(end).max(range.start));
    let before = if from > start { "..." } else { "" };
    let after = if to < end { "..." } else { "" };
    let moved = |offset: usize| offset.clamp(from, to) - from + before.len();
    let text = format!("{before}{}{after}", &file.text[from..to]);
    (text, moved(range.start)..moved(range.end))
}
