//! The answer about a program as one page of HTML that needs nothing else: the source with what happened beside it, the
//! run line by line, and the control flow of the procedures that it went through.

use super::graph::automaton;
use super::run::Line;
use c::Unit;
use report::drawing::escape;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use system::program::ProcedureId;
use system::{Role, SourceFile};

/// What a page shows.
pub(super) struct Page<'a> {
    pub(super) unit: &'a Unit,
    /// `safe`, `unsafe` or `unknown`.
    pub(super) verdict: &'static str,
    /// A sentence.
    pub(super) message: String,
    /// What the answer rests on, a line each.
    pub(super) facts: Vec<String>,
    pub(super) lines: Vec<Line>,
    /// Steps before the first line.
    pub(super) left_out: u64,
    /// What holds, by place.
    pub(super) invariants: Vec<(String, String)>,
}

/// Larger automata are no picture.
const LARGEST: usize = 250;

pub(crate) const STYLE: &str = r#"
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
    pub(super) fn html(&self) -> String {
        let name = escape(&self.unit.sources.model().name);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{name}: {}</title><style>{STYLE}</style></head><body>\n\
             <header><h1>{name} <span class=\"badge {}\">{}</span></h1><p>{}</p>",
            self.verdict,
            self.verdict,
            self.verdict,
            escape(&self.message)
        );
        if !self.facts.is_empty() {
            page.push_str("<ul>");
            for fact in &self.facts {
                let _ = write!(page, "<li>{}</li>", escape(fact));
            }
            page.push_str("</ul>");
        }
        page.push_str("</header>\n<main>\n");
        let has_run = !self.lines.is_empty();
        let _ = writeln!(
            page,
            "<section{}><h2>Source</h2>",
            if has_run { "" } else { " class=\"wide\"" }
        );
        self.sources(&mut page);
        page.push_str("</section>\n");
        if has_run {
            page.push_str("<section><h2>The run</h2>\n");
            self.run(&mut page);
            page.push_str("</section>\n");
        }
        page.push_str("<section class=\"wide\"><h2>Control flow</h2>\n");
        self.pictures(&mut page);
        page.push_str("</section>\n</main></body></html>\n");
        page
    }

    /// How much each line of each file matters: 1 where it was run, 2 where it matters, 3 at the end.
    fn marks(&self) -> BTreeMap<(&str, usize), u8> {
        let mut marks = BTreeMap::new();
        for (number, line) in self.lines.iter().enumerate() {
            let Some(place) = line.place.as_deref().and_then(split) else {
                continue;
            };
            let mark = match () {
                () if number + 1 == self.lines.len() => 3,
                () if line.matters => 2,
                () => 1,
            };
            let known = marks.entry(place).or_insert(mark);
            *known = mark.max(*known);
        }
        marks
    }

    /// The program, and what else the run or the invariant is about.
    fn sources(&self, page: &mut String) {
        let marks = self.marks();
        let mut invariants: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
        for (place, formula) in &self.invariants {
            if let Some(place) = split(place) {
                invariants.entry(place).or_default().push(formula);
            }
        }
        let named: BTreeSet<&str> = marks.keys().chain(invariants.keys()).map(|(file, _)| *file).collect();
        let model = self.unit.sources.model();
        let others = self.unit.sources.additions();
        let others = others.filter(|file| file.role() != Role::Preprocessed && named.contains(file.name.as_str()));
        for file in std::iter::once(model).chain(others) {
            if file.name != model.name {
                let _ = writeln!(page, "<h2>{}</h2>", escape(&file.name));
            }
            page.push_str("<div class=\"source\"><pre style=\"margin:0\">");
            self.file(file, &marks, &invariants, page);
            page.push_str("</pre></div>\n");
        }
    }

    fn file(
        &self,
        file: &SourceFile,
        marks: &BTreeMap<(&str, usize), u8>,
        invariants: &BTreeMap<(&str, usize), Vec<&str>>,
        page: &mut String,
    ) {
        for (number, line) in file.text.lines().enumerate() {
            let number = number + 1;
            for formula in invariants.get(&(file.name.as_str(), number)).into_iter().flatten() {
                let _ = write!(page, "<div class=\"inv\">{}</div>", escape(formula));
            }
            let class = match marks.get(&(file.name.as_str(), number)) {
                Some(1) => " class=\"ran\"",
                Some(2) => " class=\"matters\"",
                Some(_) => " class=\"bad\"",
                None => "",
            };
            let _ = write!(
                page,
                "<div id=\"{}\"{class}><span class=\"n\">{number}</span>{}</div>",
                anchor(&file.name, number),
                escape(&line.replace('\t', "    "))
            );
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
                    let shown = match file == self.unit.sources.model().name {
                        true => number.to_string(),
                        false => format!("{}:{number}", driver::file_name(file)),
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

    /// The control flow of the procedures that the run went through, or of all that the invariant is about.
    fn pictures(&self, page: &mut String) {
        let program = &self.unit.program;
        let named: BTreeSet<&str> = self.lines.iter().map(|line| line.procedure.as_str()).collect();
        for (number, procedure) in program.procedures.iter().enumerate() {
            let id = ProcedureId(u32::try_from(number).unwrap_or(u32::MAX));
            let Some(own) = procedure
                .body
                .automaton()
                .filter(|own| id != program.start && own.locations.len() > 2)
            else {
                continue;
            };
            if !named.is_empty() && !named.contains(procedure.name.as_str()) {
                continue;
            }
            let name = escape(&procedure.name);
            if own.locations.len() > LARGEST {
                let _ = writeln!(
                    page,
                    "<p>{name} has {} locations: too many for a picture.</p>",
                    own.locations.len()
                );
                continue;
            }
            let _ = writeln!(
                page,
                "<details><summary>{name}</summary><div class=\"picture\">{}</div></details>",
                picture(&report::graph::svg(&automaton(program, id)))
            );
        }
    }
}

/// Without the head of a file of its own.
fn picture(svg: &str) -> &str {
    svg.find("<svg").and_then(|start| svg.get(start..)).unwrap_or(svg)
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
