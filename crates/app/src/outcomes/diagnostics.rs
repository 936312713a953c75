//! Messages about the input: as compilers show them, or as a list of objects.

use crate::terminal::{Paint, coloured, counted};
use report::outcome::{self, Message};
use system::{Diagnostic, Severity, SourceFile, Sources, Span};

/// More messages than this are not shown: a file that is no model can have one for each of its bytes.
const SHOWN: usize = 100;
/// The same in reports for programs.
const LISTED: usize = 1000;

/// The messages one after the other.
pub(crate) fn text(diagnostics: &[Diagnostic], sources: &Sources, paint: Paint) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        text.push_str(&one(diagnostic, sources, paint));
        text.push('\n');
    }
    if let Some(further) = diagnostics.len().checked_sub(SHOWN + 1) {
        let further = counted(further + 1, "further message");
        text.push_str(&format!("{} {further} not shown\n\n", paint.bold("note:")));
    }
    text
}

/// `x.m has 2 errors and 1 warning`, for each file with errors; nothing where no message has a place, and so each
/// says it all.
pub(crate) fn summary(diagnostics: &[Diagnostic], sources: &Sources, paint: Paint) -> String {
    if diagnostics.iter().all(|found| found.span.is_nowhere()) {
        return String::new();
    }
    let files = std::iter::once(sources.model()).chain(sources.additions());
    files.map(|file| summary_of(file, diagnostics, paint)).collect()
}

fn summary_of(file: &SourceFile, diagnostics: &[Diagnostic], paint: Paint) -> String {
    let own = || diagnostics.iter().filter(|found| found.span.file == file.id());
    let count = |severity| own().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors == 0 {
        return String::new();
    }
    let mut text = format!("{} {} has {}", paint.bad("error:"), file.name, counted(errors, "error"));
    if warnings > 0 {
        text.push_str(&format!(" and {}", counted(warnings, "warning")));
    }
    text.push('\n');
    text
}

/// The message with its line.
pub(crate) fn rendered(diagnostic: &Diagnostic, sources: &Sources, paint: Paint) -> String {
    coloured(&diagnostic.render(sources, paint.colour))
}

fn one(diagnostic: &Diagnostic, sources: &Sources, paint: Paint) -> String {
    if !diagnostic.span.is_nowhere() {
        return rendered(diagnostic, sources, paint) + "\n";
    }
    let title = match diagnostic.severity {
        Severity::Error => paint.bad("error:"),
        Severity::Warning => paint.doubtful("warning:"),
        Severity::Note => paint.bold("note:"),
    };
    let mut text = format!("{title} {}\n", paint.bold(&diagnostic.short_message()));
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  = help: {help}\n"));
    }
    text
}

/// The messages as data.
pub(crate) fn messages(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<Message> {
    let message = |diagnostic: &Diagnostic| {
        let file = sources.file(diagnostic.span);
        let number = |(line, column): (usize, usize)| (line as u64, column as u64);
        let place = |offset| (!diagnostic.span.is_nowhere()).then(|| number(file.position(offset)));
        let (start, end) = (place(diagnostic.span.start), place(diagnostic.span.end));
        Message {
            severity: match diagnostic.severity {
                Severity::Error => outcome::Severity::Error,
                Severity::Warning => outcome::Severity::Warning,
                Severity::Note => outcome::Severity::Note,
            },
            message: diagnostic.short_message().into_owned(),
            file: file.name.clone(),
            line: start.map(|(line, _)| line),
            column: start.map(|(_, column)| column),
            end_line: end.map(|(line, _)| line),
            end_column: end.map(|(_, column)| column),
            label: Some(diagnostic.label.clone()).filter(|label| !label.is_empty()),
            help: diagnostic.help.clone().or_else(|| elsewhere(diagnostic, sources)),
        }
    };
    let mut listed: Vec<Message> = diagnostics.iter().take(LISTED).map(message).collect();
    if let Some(further) = diagnostics.len().checked_sub(LISTED + 1) {
        let further = format!("{} not shown", counted(further + 1, "further message"));
        listed.push(message(&Diagnostic::new(Severity::Note, Span::default(), further)));
    }
    listed
}

/// A related place in another file, in words.
fn elsewhere(diagnostic: &Diagnostic, sources: &Sources) -> Option<String> {
    let mut related = diagnostic.related.iter();
    let (span, text) = related.find(|(span, _)| span.file != diagnostic.span.file)?;
    let (line, column) = sources.position(*span);
    Some(format!("{text}: {}:{line}:{column}", sources.file(*span).name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::FileId;

    const PLAIN: Paint = Paint { colour: false };

    fn sources(text: impl Into<String>) -> Sources {
        Sources::new(SourceFile::new("x.m", text))
    }

    #[test]
    fn very_many_messages_are_not_all_shown() {
        let sources = sources("[".repeat(300));
        let error = |at: usize| Diagnostic::error(Span::new(FileId::MODEL, at, at + 1), "one `[` too many");
        let shown = |count: usize| text(&(0..count).map(error).collect::<Vec<_>>(), &sources, PLAIN);
        assert_eq!(shown(300).matches("too many").count(), 100);
        assert!(shown(300).ends_with("note: 200 further messages not shown\n\n"));
        assert!(shown(101).ends_with("note: 1 further message not shown\n\n"));
        assert_eq!(shown(100).matches("note:").count(), 0);
        let listed = |count: usize| messages(&(0..count).map(error).collect::<Vec<_>>(), &sources);
        assert_eq!(listed(1000).len(), 1000);
        assert_eq!(listed(2500).len(), 1001);
        assert_eq!(listed(2500)[1000].message, "1500 further messages not shown");
    }

    #[test]
    fn messages_with_and_without_a_place() {
        let sources = sources("var a: b;\n");
        let diagnostics = [
            Diagnostic::error(Span::default(), "size X=3: no such type").help("did you mean `Y`?"),
            Diagnostic::error(Span::new(FileId::MODEL, 7, 8), "unknown type `b`"),
        ];
        let shown = text(&diagnostics, &sources, PLAIN);
        assert!(
            shown.starts_with("error: size X=3: no such type\n  = help: did you mean `Y`?\n"),
            "{shown}"
        );
        assert!(shown.contains("--> x.m:1:8"), "{shown}");
        assert_eq!(summary(&diagnostics, &sources, PLAIN), "error: x.m has 2 errors\n");
        assert_eq!(summary(&diagnostics[..1], &sources, PLAIN), "");
        let listed = messages(&diagnostics, &sources);
        assert_eq!((listed[0].line, listed[0].column), (None, None));
        assert_eq!(
            (listed[1].line, listed[1].column, listed[1].end_column),
            (Some(1), Some(8), Some(9))
        );
    }
}
