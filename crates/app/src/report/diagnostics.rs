//! Messages about the input: as compilers show them, or as a list of objects.

use super::Header;
use crate::terminal::{Paint, counted};
use serde::Serialize;
use system::{Diagnostic, Severity, SourceFile, Span};

/// More messages than this are not shown: nobody reads them, and a file that is no model can have one for each of its bytes.
const SHOWN: usize = 100;

/// The messages one after the other.
pub(crate) fn text(diagnostics: &[Diagnostic], file: &SourceFile, paint: Paint) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        text.push_str(&one(diagnostic, file, paint));
        text.push('\n');
    }
    if let Some(further) = diagnostics.len().checked_sub(SHOWN + 1) {
        let further = counted(further + 1, "further message");
        text.push_str(&format!("{} {further} not shown\n\n", paint.bold("note:")));
    }
    text
}

/// `could not read x.m: 2 errors and 1 warning`; nothing where the one message has no place and so says it all.
pub(crate) fn summary(diagnostics: &[Diagnostic], file: &SourceFile, paint: Paint) -> String {
    let count = |severity| diagnostics.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors == 0 || diagnostics.iter().all(without_place) {
        return String::new();
    }
    let mut text = format!("{} {} has {}", paint.bad("error:"), file.name, counted(errors, "error"));
    if warnings > 0 {
        text.push_str(&format!(" and {}", counted(warnings, "warning")));
    }
    text.push('\n');
    text
}

/// Messages about options or about the file as a whole point nowhere.
fn without_place(diagnostic: &Diagnostic) -> bool {
    diagnostic.span == Span::default()
}

fn one(diagnostic: &Diagnostic, file: &SourceFile, paint: Paint) -> String {
    if !without_place(diagnostic) {
        return format!("{}\n", diagnostic.render(file, paint.colour));
    }
    let title = match diagnostic.severity {
        Severity::Error => paint.bad("error:"),
        Severity::Warning => paint.doubtful("warning:"),
        Severity::Note => paint.bold("note:"),
    };
    let mut text = format!("{title} {}\n", paint.bold(&diagnostic.message));
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  = help: {help}\n"));
    }
    text
}

/// A message as an element of the JSON field `diagnostics`.
#[derive(Serialize)]
pub(crate) struct Message {
    severity: &'static str,
    message: String,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    label: Option<String>,
    help: Option<String>,
}

pub(crate) fn messages(diagnostics: &[Diagnostic], file: &SourceFile) -> Vec<Message> {
    let message = |diagnostic: &Diagnostic| {
        let place = |offset| (!without_place(diagnostic)).then(|| file.position(offset));
        let (start, end) = (place(diagnostic.span.start), place(diagnostic.span.end));
        Message {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: diagnostic.message.clone(),
            file: file.name.clone(),
            line: start.map(|(line, _)| line),
            column: start.map(|(_, column)| column),
            end_line: end.map(|(line, _)| line),
            end_column: end.map(|(_, column)| column),
            label: Some(diagnostic.label.clone()).filter(|label| !label.is_empty()),
            help: diagnostic.help.clone(),
        }
    };
    diagnostics.iter().map(message).collect()
}

/// The object for a run that ended before it had a verdict.
#[derive(Serialize)]
pub(crate) struct Failure {
    #[serde(flatten)]
    pub(crate) header: Header,
    pub(crate) verdict: &'static str,
    pub(crate) complete: bool,
    pub(crate) message: String,
    pub(crate) diagnostics: Vec<Message>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { colour: false };

    #[test]
    fn very_many_messages_are_not_all_shown() {
        let file = SourceFile::new("x.m", "[".repeat(300));
        let error = |at: usize| Diagnostic::error(Span::new(at, at + 1), "one `[` too many");
        let shown = |count: usize| text(&(0..count).map(error).collect::<Vec<_>>(), &file, PLAIN);
        assert_eq!(shown(300).matches("too many").count(), 100);
        assert!(shown(300).ends_with("note: 200 further messages not shown\n\n"));
        assert!(shown(101).ends_with("note: 1 further message not shown\n\n"));
        assert_eq!(shown(100).matches("note:").count(), 0);
    }

    #[test]
    fn messages_with_and_without_a_place() {
        let file = SourceFile::new("x.m", "var a: b;\n");
        let diagnostics = [
            Diagnostic::error(Span::default(), "size X=3: no such type").help("did you mean `Y`?"),
            Diagnostic::error(Span::new(7, 8), "unknown type `b`"),
        ];
        let shown = text(&diagnostics, &file, PLAIN);
        assert!(
            shown.starts_with("error: size X=3: no such type\n  = help: did you mean `Y`?\n"),
            "{shown}"
        );
        assert!(shown.contains("--> x.m:1:8"), "{shown}");
        assert_eq!(summary(&diagnostics, &file, PLAIN), "error: x.m has 2 errors\n");
        assert_eq!(summary(&diagnostics[..1], &file, PLAIN), "");
        let listed = messages(&diagnostics, &file);
        assert_eq!((listed[0].line, listed[0].column), (None, None));
        assert_eq!(
            (listed[1].line, listed[1].column, listed[1].end_column),
            (Some(1), Some(8), Some(9))
        );
    }
}
