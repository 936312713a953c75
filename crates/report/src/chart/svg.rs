//! Charts as pictures that need no other program.
//!
//! A row has the name of its rule in a box, and below it a line that connects the elements that it is about; beside
//! the chart stands what it changes. So no text covers another: rows are as high as what they hold.

use super::{Chart, Row};
use crate::drawing::{escape, width, wrapped};
use std::fmt::Write;

/// The whole is never wider, as many lines as there are.
const WIDTH: f64 = 960.0;
const MARGIN: f64 = 16.0;
/// Where numbers of steps stand.
const NUMBERS: f64 = 22.0;
const NARROWEST: f64 = 250.0;
const COLUMN: f64 = 104.0;
/// The widest that the lines together may be.
const WIDEST: f64 = 540.0;
const GAP: f64 = 18.0;
/// Heights of lines of text, and widths of letters: those of names are not all the same, so the widest usual one.
const LINE: f64 = 14.0;
const LETTER: f64 = 6.7;
/// Letters of what changes all have the same width.
const CODE: f64 = 6.05;
/// Letters in a line of a box.
const BOX: usize = 24;
/// After so many lines of changes, the rest is counted.
const CHANGES: usize = 12;

const LEGEND: &str = "● a parameter of the rule, → from the first to the second, ○ changed as well";

const STYLE: &str = r##"<style>
  text { font: 12px Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d2733; }
  .title { font-weight: bold; font-size: 14px; }
  .small { font-size: 11px; fill: #55626f; }
  .code { font: 10px "DejaVu Sans Mono", Menlo, Consolas, monospace; }
  .middle { text-anchor: middle; }
  .end { text-anchor: end; }
  .life { stroke: #9aa7b4; stroke-dasharray: 5 4; }
  .head { fill: #e3ecf6; stroke: #2f5d8a; }
  .shared { fill: #eceff1; stroke: #6b7785; }
  .rule { fill: #fff8e6; stroke: #b98a2f; }
  .whole { fill: #f2f4f6; stroke: #8895a3; }
  .bad { fill: #fbdedb; stroke: #a3231a; }
  .wire { stroke: #2f5d8a; stroke-width: 1.6; }
  .touch { stroke: #2f5d8a; stroke-width: 1; stroke-dasharray: 2 3; }
  .dot { fill: #2f5d8a; }
  .ring { fill: #fff; stroke: #2f5d8a; stroke-width: 1.4; }
  .stripe { fill: #f7f9fb; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#2f5d8a"/></marker></defs>
"##;

/// Where things stand from left to right.
struct Columns {
    lines: Vec<f64>,
    left: f64,
    right: f64,
    changes: f64,
    /// Letters in a line of what changes.
    letters: usize,
    width: f64,
}

impl Columns {
    fn of(chart: &Chart) -> Columns {
        let count = chart.lifelines.len().max(1) as f64;
        let left = MARGIN + NUMBERS;
        let span = (count * COLUMN).clamp(NARROWEST, WIDEST);
        let column = span / count;
        let lines = (0..chart.lifelines.len()).map(|number| left + column * (number as f64 + 0.5));
        let changes = left + span + GAP;
        let longest = chart
            .rows
            .iter()
            .flat_map(|row| &row.changes)
            .map(|change| change.chars().count());
        let room = ((WIDTH - MARGIN - changes) / CODE).floor();
        let letters = (longest.max().unwrap_or(0) as f64 + 2.0).clamp(30.0, room);
        Columns {
            lines: lines.collect(),
            left,
            right: left + span,
            changes,
            letters: letters as usize,
            width: changes + letters * CODE + MARGIN,
        }
    }
}

/// Writing to a string cannot fail, so its results are dropped.
pub(super) fn svg(chart: &Chart) -> String {
    let columns = Columns::of(chart);
    let mut body = String::new();
    let title_letters = ((columns.width - 2.0 * MARGIN) / (LETTER * 1.15)) as usize;
    let mut y = MARGIN + 12.0;
    for line in wrapped(&chart.title, title_letters) {
        let _ = writeln!(
            body,
            r#"<text class="title" x="{MARGIN}" y="{y:.1}">{}</text>"#,
            escape(&line)
        );
        y += 18.0;
    }
    let subtitle = escape(&chart.subtitle);
    let _ = writeln!(body, r#"<text class="small" x="{MARGIN}" y="{y:.1}">{subtitle}</text>"#);
    y += 14.0;
    let heads = y;
    let top = heads + head_height(chart, &columns);
    let mut rows = String::new();
    let mut bottom = top + 8.0;
    for (number, row) in chart.rows.iter().enumerate() {
        bottom += draw_row(&mut rows, number, row, &columns, bottom);
    }
    if let Some(end) = &chart.end {
        bottom += draw_whole(&mut rows, end, "bad", &columns, bottom + 4.0) + 4.0;
    }
    let feet = bottom;
    let y = bottom + 14.0;
    let _ = writeln!(
        rows,
        r#"<text class="small" x="{:.1}" y="{y:.1}">{LEGEND}</text>"#,
        columns.left
    );
    bottom = y;
    for (lifeline, x) in chart.lifelines.iter().zip(&columns.lines) {
        let _ = writeln!(
            body,
            r#"<line class="life" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{feet:.1}"/>"#
        );
        let class = if lifeline.is_shared { "shared" } else { "head" };
        draw_head(&mut body, &lifeline.name, class, *x, &columns, (heads, top));
    }
    body.push_str(&rows);
    let (width, height) = (columns.width, bottom + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n{STYLE}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// The room that a line has for its name.
fn column(columns: &Columns) -> f64 {
    (columns.right - columns.left) / columns.lines.len().max(1) as f64 - 6.0
}

/// A name above a line, broken only where it must be.
fn head(name: &str, columns: &Columns) -> Vec<String> {
    let room = column(columns) - 8.0;
    let mut letters = name.chars().count().max(1);
    loop {
        let lines = wrapped(name, letters);
        if letters <= 3 || lines.iter().all(|line| width(line) <= room) {
            return lines;
        }
        letters -= 1;
    }
}

fn head_height(chart: &Chart, columns: &Columns) -> f64 {
    let lines = chart
        .lifelines
        .iter()
        .map(|lifeline| head(&lifeline.name, columns).len());
    lines.max().unwrap_or(0) as f64 * LINE + 10.0
}

fn draw_head(body: &mut String, name: &str, class: &str, x: f64, columns: &Columns, (top, bottom): (f64, f64)) {
    let lines = head(name, columns);
    let width = block_width(&lines).min(column(columns));
    let _ = writeln!(
        body,
        r#"<rect class="{class}" x="{:.1}" y="{top:.1}" width="{width:.1}" height="{:.1}" rx="3"/>"#,
        x - width / 2.0,
        bottom - top
    );
    let first = (top + bottom) / 2.0 - LINE * (lines.len() as f64 - 1.0) / 2.0 + 4.0;
    centred(body, &lines, x, first);
}

fn block_width(lines: &[String]) -> f64 {
    lines.iter().map(|line| width(line)).fold(0.0, f64::max) + 12.0
}

fn centred(body: &mut String, lines: &[String], x: f64, first: f64) {
    for (number, line) in lines.iter().enumerate() {
        let y = first + LINE * number as f64;
        let _ = writeln!(
            body,
            r#"<text class="middle" x="{x:.1}" y="{y:.1}">{}</text>"#,
            escape(line)
        );
    }
}

/// Draws a step below `top`, and says how high it is.
fn draw_row(out: &mut String, number: usize, row: &Row, columns: &Columns, top: f64) -> f64 {
    let changes = changes(row, columns.letters);
    let text_height = changes.len() as f64 * 13.0;
    let mut body = String::new();
    let drawn = match row.is_start || columns.lines.is_empty() {
        true => draw_whole(
            &mut body,
            &row.label,
            if row.fails { "bad" } else { "whole" },
            columns,
            top + 5.0,
        ),
        false => draw_rule(&mut body, row, columns, top + 5.0),
    };
    let height = (drawn + 12.0).max(text_height + 12.0);
    if number % 2 == 1 {
        let (x, width) = (MARGIN / 2.0, columns.width - MARGIN);
        let _ = writeln!(
            out,
            r#"<rect class="stripe" x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
        );
        // The stripe covers the lines.
        for x in &columns.lines {
            let end = top + height;
            let _ = writeln!(
                out,
                r#"<line class="life" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{end:.1}"/>"#
            );
        }
    }
    let (x, y) = (MARGIN + NUMBERS - 8.0, top + 5.0 + LINE);
    let _ = writeln!(out, r#"<text class="small end" x="{x:.1}" y="{y:.1}">{number}</text>"#);
    let _ = writeln!(out, "<g><title>{}</title>", escape(&row.detail));
    out.push_str(&body);
    out.push_str("</g>\n");
    for (line, text) in changes.iter().enumerate() {
        let (x, y) = (columns.changes, top + 17.0 + 13.0 * line as f64);
        let text = escape(text);
        let _ = writeln!(
            out,
            r#"<text class="code" xml:space="preserve" x="{x:.1}" y="{y:.1}">{text}</text>"#
        );
    }
    height
}

/// What changes, as lines that fit; of very many, the rest is counted.
fn changes(row: &Row, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (number, change) in row.changes.iter().enumerate() {
        let rest = row.changes.len() - number;
        if lines.len() >= CHANGES && rest > 1 {
            lines.push(format!("and {rest} more"));
            break;
        }
        for (part, line) in wrapped(change, letters.saturating_sub(2)).into_iter().enumerate() {
            lines.push(if part == 0 { line } else { format!("  {line}") });
        }
    }
    lines
}

/// A box over all lines, and how high it is.
fn draw_whole(out: &mut String, label: &str, class: &str, columns: &Columns, top: f64) -> f64 {
    let width = columns.right - columns.left - 8.0;
    let lines = wrapped(label, ((width - 12.0) / LETTER) as usize);
    let height = lines.len() as f64 * LINE + 8.0;
    let (x, middle) = (columns.left + 4.0, (columns.left + columns.right) / 2.0);
    let _ = writeln!(
        out,
        r#"<rect class="{class}" x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="9"/>"#
    );
    centred(out, &lines, middle, top + LINE);
    height
}

/// The box of a rule at the lines of its parameters, and the wire below it where it is about more than one.
fn draw_rule(out: &mut String, row: &Row, columns: &Columns, top: f64) -> f64 {
    let x = |lifeline: &usize| columns.lines.get(*lifeline).copied();
    let at: Vec<f64> = row.at.iter().filter_map(x).collect();
    let touches: Vec<f64> = row.touches.iter().filter_map(x).collect();
    let all: Vec<f64> = at.iter().chain(&touches).copied().collect();
    // Whoever comes first is the one that acts.
    let middle = all.first().copied().unwrap_or((columns.left + columns.right) / 2.0);
    let lines = wrapped(&row.label, BOX);
    let (width, height) = (block_width(&lines), lines.len() as f64 * LINE + 8.0);
    let left = (middle - width / 2.0).min(columns.right - width).max(columns.left);
    let class = if row.fails { "bad" } else { "rule" };
    let _ = writeln!(
        out,
        r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="5"/>"#
    );
    centred(out, &lines, left + width / 2.0, top + LINE);
    if all.len() < 2 {
        return height;
    }
    let y = top + height + 10.0;
    draw_wires(out, &at, &touches, y);
    height + 15.0
}

/// What a rule connects: a full line between its parameters (an arrow where there are two), a dotted one to whatever
/// else it changes.
fn draw_wires(out: &mut String, at: &[f64], touches: &[f64], y: f64) {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: Vec<f64> = at.iter().chain(touches).copied().collect();
    if !touches.is_empty() {
        let (from, to) = (least(&all), most(&all));
        let _ = writeln!(
            out,
            r#"<line class="touch" x1="{from:.1}" y1="{y:.1}" x2="{to:.1}" y2="{y:.1}"/>"#
        );
    }
    let is_arrow = at.len() == 2 && at[0] != at[1];
    if is_arrow {
        let (from, to) = (at[0], at[1]);
        let _ = writeln!(
            out,
            r#"<line class="wire" x1="{from:.1}" y1="{y:.1}" x2="{to:.1}" y2="{y:.1}" marker-end="url(#tip)"/>"#
        );
    } else if at.len() > 1 {
        let (from, to) = (least(at), most(at));
        let _ = writeln!(
            out,
            r#"<line class="wire" x1="{from:.1}" y1="{y:.1}" x2="{to:.1}" y2="{y:.1}"/>"#
        );
    }
    let dots = if is_arrow { &at[..1] } else { at };
    for x in dots {
        let _ = writeln!(out, r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3.5"/>"#);
    }
    for x in touches {
        let _ = writeln!(out, r#"<circle class="ring" cx="{x:.1}" cy="{y:.1}" r="3.5"/>"#);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Lifeline;

    fn chart(lines: usize) -> Chart {
        let lifeline = |number: usize| Lifeline {
            name: format!("PROCESS_{number}"),
            is_shared: number == 0,
        };
        let row = |at: &[usize], touches: &[usize]| Row {
            label: "home gives <a> right to whoever has asked for it before all others".to_owned(),
            at: at.to_vec(),
            touches: touches.to_vec(),
            changes: vec!["x[PROCESS_1]: undefined → something_with_a_very_long_name_indeed".repeat(3)],
            ..Row::default()
        };
        Chart {
            title: "x.m: a & b".to_owned(),
            lifelines: (0..lines).map(lifeline).collect(),
            rows: vec![row(&[], &[]), row(&[1], &[]), row(&[1, 2], &[]), row(&[2], &[0, 1])],
            end: Some("wrong".to_owned()),
            ..Chart::default()
        }
    }

    fn width(svg: &str) -> f64 {
        let value = svg.split(" width=\"").nth(1).and_then(|rest| rest.split('"').next());
        value.unwrap().parse().unwrap()
    }

    #[test]
    fn a_chart_is_no_wider_than_a_page() {
        for lines in [0, 1, 3, 6, 12, 24] {
            let svg = svg(&chart(lines));
            assert!(width(&svg) <= WIDTH, "{lines}: {}", width(&svg));
            let ends = svg.split(" x=\"").skip(1).filter_map(|rest| rest.split('"').next());
            assert!(
                ends.map(|x| x.parse::<f64>().unwrap())
                    .all(|x| (0.0..WIDTH).contains(&x))
            );
        }
    }

    #[test]
    fn two_parameters_are_an_arrow_and_what_is_touched_a_ring() {
        let svg = svg(&chart(4));
        assert_eq!(svg.matches("marker-end").count(), 1);
        assert_eq!(svg.matches("class=\"ring\"").count(), 2);
        assert!(svg.contains("x.m: a &amp; b") && svg.contains("&lt;a&gt;"));
        assert!(svg.contains("class=\"bad\""));
    }

    #[test]
    fn of_very_many_changes_the_rest_is_counted() {
        let row = |count: usize| Row {
            changes: (0..count).map(|number| number.to_string()).collect(),
            ..Row::default()
        };
        assert_eq!(changes(&row(13), 20).len(), 13);
        assert_eq!(changes(&row(20), 20).last().map(String::as_str), Some("and 8 more"));
    }
}
