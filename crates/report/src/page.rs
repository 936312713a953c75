//! An answer about programs as one page of HTML that needs nothing else: the sources with what happened beside them,
//! the run line by line, charts, and the control flow of procedures.

use crate::drawing::escape;
use crate::outcome::Verdict;
use crate::run::Line;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use system::SourceFile;

/// What a page shows.
#[derive(Default)]
pub struct Page<'a> {
    /// The program or the specification.
    pub name: &'a str,
    pub verdict: Verdict,
    /// A sentence.
    pub message: String,
    /// The evidence, a line each.
    pub facts: Vec<String>,
    pub answers: Vec<Answer>,
    pub files: Vec<&'a SourceFile>,
    /// The run.
    pub lines: Vec<Line>,
    /// Steps before the first line.
    pub left_out: u64,
    /// Lines of traces, `file:line`; true of the last ones.
    pub marks: BTreeMap<String, bool>,
    /// What holds, by place.
    pub invariants: Vec<(String, String)>,
    /// The control flow of procedures, as SVG; or the number of its locations, where these are too many.
    pub control_flow: Vec<(String, Result<String, usize>)>,
}

/// The answer to one of several questions.
pub struct Answer {
    pub headline: String,
    pub details: String,
    /// A chart of the violation, as SVG.
    pub chart: Option<String>,
}

const STYLE: &str = r#"
:root { --line: #d5dbe3; --soft: #f4f6f9; --ink: #1d2733; --mute: #66727f; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: #fff; }
header { padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--soft); }
h1 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 .5rem; font-size: 1rem; }
.badge { display: inline-block; padding: 0 .6em; border-radius: 1em; color: #fff; font-weight: 600; }
.safe { background: #1b7f4b; } .unsafe { background: #b3261e; } .unknown { background: #8a6100; }
header p { margin: .35rem 0 0; overflow-wrap: anywhere; } header ul { margin: .35rem 0 0; padding-left: 1.2rem; color: var(--mute); }
main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
section { padding: 1rem 1.25rem; min-width: 0; }
section + section { border-left: 1px solid var(--line); }
.wide { grid-column: 1 / -1; border-left: 0 !important; border-top: 1px solid var(--line); }
pre, code, td.code { font: 13px/1.5 "DejaVu Sans Mono", ui-monospace, monospace; }
.source { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: 0 0 1rem; padding: .4rem 0; }
.source div { white-space: pre; padding-right: 1rem; min-width: max-content; scroll-margin-top: 4rem; }
.source .n { display: inline-block; width: 3.6rem; padding-right: .8rem; text-align: right; color: var(--mute); user-select: none; }
.ran { background: #fff4de; } .matters { background: #ffe1a8; } .bad { background: #f8c6c1; }
.source div:target { outline: 2px solid #2f5d8a; outline-offset: -2px; }
.inv { margin: 0 0 .2rem 3.6rem; padding: .1rem .6rem; border-left: 3px solid #1b7f4b; background: #e6f4ec; white-space: pre-wrap !important; min-width: 0 !important; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
td { vertical-align: top; padding: .15rem .5rem .15rem 0; border-top: 1px solid #eef1f5; overflow-wrap: anywhere; }
td.at { color: var(--mute); width: 8.5rem; font-size: 13px; } td.at a { color: #2f5d8a; }
td.value { color: #7a3e00; width: 38%; }
tr.call td { color: var(--mute); font-style: italic; }
details { margin: .3rem 0; } summary { cursor: pointer; color: #2f5d8a; }
.picture { overflow: auto; max-height: 44rem; border: 1px solid var(--line); border-radius: 6px; }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); } section + section { border-left: 0; border-top: 1px solid var(--line); } }
"#;

impl Page<'_> {
    pub fn html(&self) -> String {
        let (name, verdict) = (escape(self.name), self.verdict.word());
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{name}: {verdict}</title><style>{STYLE}</style></head><body>\n\
             <header><h1>{name} <span class=\"badge {verdict}\">{verdict}</span></h1>"
        );
        if !self.message.is_empty() {
            let _ = write!(page, "<p>{}</p>", escape(&self.message));
        }
        if !self.facts.is_empty() {
            let facts: String = self
                .facts
                .iter()
                .map(|fact| format!("<li>{}</li>", escape(fact)))
                .collect();
            let _ = write!(page, "<ul>{facts}</ul>");
        }
        page.push_str("</header>\n<main>\n");
        for answer in &self.answers {
            let (headline, details) = (escape(&answer.headline), escape(answer.details.trim_matches('\n')));
            let _ = writeln!(
                page,
                "<section class=\"wide\"><h2>{headline}</h2><pre>{details}</pre></section>"
            );
            if let Some(svg) = &answer.chart {
                let _ = writeln!(
                    page,
                    "<section class=\"wide\"><div class=\"picture\">{svg}</div></section>"
                );
            }
        }
        let has_run = !self.lines.is_empty();
        let _ = writeln!(page, "<section{}>", if has_run { "" } else { " class=\"wide\"" });
        self.sources(&mut page);
        page.push_str("</section>\n");
        if has_run {
            page.push_str("<section><h2>The run</h2>\n");
            self.run(&mut page);
            page.push_str("</section>\n");
        }
        self.pictures(&mut page);
        page.push_str("</main></body></html>\n");
        page
    }

    /// Marks the places of the next action of a trace.
    pub fn mark(&mut self, places: impl Iterator<Item = String>) {
        self.marks.values_mut().for_each(|is_last| *is_last = false);
        let places = places.filter(|place| !place.is_empty());
        self.marks.extend(places.map(|place| (place, true)));
    }

    /// The files that the run or the invariant is about.
    pub fn named_files(&self) -> BTreeSet<String> {
        let run = self.lines.iter().filter_map(Line::file_and_line);
        let invariants = self.invariants.iter().filter_map(|(place, _)| split(place));
        run.chain(invariants).map(|(file, _)| file.to_owned()).collect()
    }

    /// The class of each line that is marked: `ran`, `matters` or `bad`.
    fn classes(&self) -> BTreeMap<(&str, usize), &'static str> {
        const CLASSES: [&str; 3] = ["ran", "matters", "bad"];
        let last = self.lines.len().saturating_sub(1);
        let run = self.lines.iter().enumerate().filter_map(|(number, line)| {
            let rank = if number == last { 2 } else { usize::from(line.matters) };
            Some((line.file_and_line()?, rank))
        });
        let traces = self.marks.iter();
        let traces = traces.filter_map(|(place, is_last)| Some((split(place)?, 1 + usize::from(*is_last))));
        let mut ranks = BTreeMap::new();
        for (place, rank) in run.chain(traces) {
            let known = ranks.entry(place).or_insert(rank);
            *known = rank.max(*known);
        }
        ranks.into_iter().map(|(place, rank)| (place, CLASSES[rank])).collect()
    }

    fn sources(&self, page: &mut String) {
        let classes = self.classes();
        let mut invariants: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
        for (place, formula) in &self.invariants {
            if let Some(place) = split(place) {
                invariants.entry(place).or_default().push(formula);
            }
        }
        let mut seen = BTreeSet::new();
        for file in self.files.iter().filter(|file| seen.insert(&file.name)) {
            let _ = writeln!(page, "<h2>{}</h2>", escape(&file.name));
            page.push_str("<div class=\"source\"><pre style=\"margin:0\">");
            for (number, line) in (1..).zip(file.text.lines()) {
                let place = (file.name.as_str(), number);
                for formula in invariants.get(&place).into_iter().flatten() {
                    let _ = write!(page, "<div class=\"inv\">{}</div>", escape(formula));
                }
                let class = classes.get(&place).map(|class| format!(" class=\"{class}\""));
                let _ = write!(
                    page,
                    "<div id=\"{}\"{}><span class=\"n\">{number}</span>{}</div>",
                    anchor(&file.name, number),
                    class.unwrap_or_default(),
                    escape(&line.replace('\t', "    "))
                );
            }
            page.push_str("</pre></div>\n");
        }
    }

    /// What matters, and the rest behind a word that opens it.
    fn run(&self, page: &mut String) {
        if self.left_out > 0 {
            let _ = writeln!(page, "<p>{} steps before are not shown.</p>", self.left_out);
        }
        let mut position = 0;
        while position < self.lines.len() {
            let matters = self.lines[position].matters;
            let length = self.lines[position..]
                .iter()
                .take_while(|line| line.matters == matters)
                .count();
            let rows = &self.lines[position..position + length];
            if matters {
                self.rows(rows, position, page);
            } else {
                let words = match length {
                    1 => "one line that does not matter".to_owned(),
                    _ => format!("{length} lines that do not matter"),
                };
                let _ = writeln!(page, "<details><summary>{words}</summary>");
                self.rows(rows, position, page);
                page.push_str("</details>\n");
            }
            position += length;
        }
    }

    fn rows(&self, rows: &[Line], first: usize, page: &mut String) {
        let mut before = first.checked_sub(1).and_then(|before| self.lines.get(before));
        let least = self.lines.iter().map(|line| line.depth).min().unwrap_or(0);
        page.push_str("<table>\n");
        for line in rows {
            let depth = u32::try_from(line.depth.saturating_sub(least)).unwrap_or(u32::MAX);
            let indent = format!("padding-left:{}rem", f64::from(depth.min(40)) * 1.2);
            if before.is_none_or(|before| (before.depth, &before.procedure) != (line.depth, &line.procedure)) {
                let _ = writeln!(
                    page,
                    "<tr class=\"call\"><td class=\"at\"></td><td colspan=\"2\" style=\"{indent}\">in {}</td></tr>",
                    escape(&line.procedure)
                );
            }
            let place = line.place.as_deref().unwrap_or_default();
            let at = match split(place) {
                Some((file, number)) => {
                    let shown = match file == self.name {
                        true => number.to_string(),
                        false => format!("{}:{number}", file_name(file)),
                    };
                    format!("<a href=\"#{}\">{}</a>", anchor(file, number), escape(&shown))
                }
                None => escape(place),
            };
            let _ = writeln!(
                page,
                "<tr><td class=\"at\">{at}</td><td class=\"code\" style=\"{indent}\">{}</td>\
                 <td class=\"code value\">{}</td></tr>",
                escape(&line.text),
                escape(&line.effects.join(", "))
            );
            before = Some(line);
        }
        page.push_str("</table>\n");
    }

    fn pictures(&self, page: &mut String) {
        if self.control_flow.is_empty() {
            return;
        }
        page.push_str("<section class=\"wide\"><h2>Control flow</h2>\n");
        for (name, picture) in &self.control_flow {
            let name = escape(name);
            let _ = match picture {
                Ok(svg) => writeln!(
                    page,
                    "<details><summary>{name}</summary><div class=\"picture\">{svg}</div></details>"
                ),
                Err(locations) => writeln!(page, "<p>{name} has {locations} locations: too many for a picture.</p>"),
            };
        }
        page.push_str("</section>\n");
    }
}

/// `driver.c:12`
fn split(place: &str) -> Option<(&str, usize)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

fn anchor(file: &str, line: usize) -> String {
    let name: String = file
        .chars()
        .map(|each| if each.is_ascii_alphanumeric() { each } else { '-' })
        .collect();
    format!("{name}-{line}")
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_the_source_with_the_run_and_what_holds() {
        let file = SourceFile::new("a.c", "int x;\nx < 1;\ncheck(x);\n");
        let line = |number: usize, matters| Line {
            procedure: "main".to_owned(),
            place: Some(format!("a.c:{number}")),
            text: "x".to_owned(),
            matters,
            ..Line::default()
        };
        let page = Page {
            name: "a.c",
            verdict: Verdict::Unsafe,
            files: vec![&file],
            lines: vec![line(1, false), line(2, true), line(3, true)],
            invariants: vec![("a.c:2".to_owned(), "x <= 1".to_owned())],
            ..Page::default()
        };
        let html = page.html();
        for expected in [
            "badge unsafe",
            "<div id=\"a-c-1\" class=\"ran\">",
            "<div class=\"inv\">x &lt;= 1</div><div id=\"a-c-2\" class=\"matters\">",
            "<div id=\"a-c-3\" class=\"bad\">",
            "one line that does not matter",
        ] {
            assert!(html.contains(expected), "{expected}: {html}");
        }
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    }

    #[test]
    fn only_the_end_of_the_last_trace_is_bad() {
        let mut page = Page::default();
        page.mark(["a.c:1", "a.c:2"].map(str::to_owned).into_iter());
        page.mark(["a.c:1", ""].map(str::to_owned).into_iter());
        assert_eq!(page.classes(), [(("a.c", 1), "bad"), (("a.c", 2), "matters")].into());
    }
}
