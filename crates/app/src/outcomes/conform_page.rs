//! What `cubist conform` says as one page of HTML: the answers, traces as charts, and the sources with their lines
//! marked.

use crate::programs::page::STYLE;
use report::drawing::escape;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use system::SourceFile;

pub(crate) struct Page {
    text: String,
    /// Lines of a trace, `file:line`; true of the last.
    marks: BTreeMap<String, bool>,
}

impl Page {
    pub(crate) fn new(name: &str, verdict: &str) -> Page {
        let name = escape(name);
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{name}: {verdict}</title><style>{STYLE}</style></head><body>\n\
             <header><h1>{name} <span class=\"badge {verdict}\">{verdict}</span></h1></header>\n<main>\n"
        );
        Page {
            text,
            marks: BTreeMap::new(),
        }
    }

    /// An answer, and what is said beside it.
    pub(crate) fn question(&mut self, headline: &str, details: &str) {
        let (headline, details) = (escape(headline), escape(details.trim_matches('\n')));
        let _ = writeln!(
            self.text,
            "<section class=\"wide\"><h2>{headline}</h2><pre>{details}</pre></section>"
        );
    }

    pub(crate) fn picture(&mut self, svg: &str) {
        let _ = writeln!(
            self.text,
            "<section class=\"wide\"><div class=\"picture\">{svg}</div></section>"
        );
    }

    /// Where something of a trace happens, one thing after the other.
    pub(crate) fn mark(&mut self, places: impl Iterator<Item = String>) {
        self.marks.values_mut().for_each(|is_last| *is_last = false);
        self.marks
            .extend(places.filter(|place| !place.is_empty()).map(|place| (place, true)));
    }

    pub(crate) fn finish<'f>(mut self, files: impl Iterator<Item = &'f SourceFile>) -> String {
        let mut seen = BTreeSet::new();
        for file in files.filter(|file| seen.insert(file.name.clone())) {
            let name = escape(&file.name);
            let _ = write!(
                self.text,
                "<section class=\"wide\"><h2>{name}</h2><div class=\"source\"><pre style=\"margin:0\">"
            );
            for (number, line) in (1..).zip(file.text.lines()) {
                let class = match self.marks.get(&format!("{}:{number}", file.name)) {
                    Some(true) => " class=\"bad\"",
                    Some(false) => " class=\"matters\"",
                    None => "",
                };
                let line = escape(&line.replace('\t', "    "));
                let _ = write!(self.text, "<div{class}><span class=\"n\">{number}</span>{line}</div>");
            }
            self.text.push_str("</pre></div></section>\n");
        }
        self.text.push_str("</main></body></html>\n");
        self.text
    }
}
