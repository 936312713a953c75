//! Abstract states on a page: boxes that say what holds in them. Where there are too many states for a page, a box
//! stands for all that agree on some of the predicates.

use super::Graph;
use super::ranks::{Line, Ranks, Size, places};
use crate::drawing::{escape, width, wrapped};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

/// A page, upright, at 96 pixels to the inch; without what stands below the picture.
const WIDEST: f64 = 940.0;
const HIGHEST: f64 = 1220.0;
/// More boxes than this are too many for anybody.
const MOST: usize = 20;
/// And so are more lines between them.
const WAYS: usize = 36;
pub(super) const MARGIN: f64 = 16.0;
pub(super) const LINE: f64 = 14.0;
const INDENT: f64 = 12.0;
/// Letters in a line of a box, and of a label.
const BOX: usize = 30;
const LABEL: usize = 20;
/// Lines of a label; what follows is counted.
const LABELS: usize = 3;
/// Letters in a line below the picture.
const LEGEND: usize = 140;

pub(super) const STYLE: &str = r##"<style>
  text { font: 11px Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d2733; }
  .middle { text-anchor: middle; }
  .state { fill: #eef3f8; stroke: #2f5d8a; }
  .start { stroke-width: 3; }
  .run { fill: #fbe3c0; stroke: #d9822b; }
  .bad { fill: #f4a6a0; stroke: #a3231a; }
  .number { fill: #7b8794; font-size: 9px; }
  .loop { fill: #55626f; font-style: italic; }
  .edge { fill: none; stroke: #7b8794; stroke-width: 1.2; }
  .edge.run { stroke: #d9822b; stroke-width: 2.4; }
  .label { fill: #2f4a63; }
  g:hover > .edge { stroke: #c2185b; stroke-width: 2.4; }
  g:hover > .label { fill: #c2185b; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#5b6b7b"/></marker></defs>
"##;

/// All states that agree on what is told apart.
#[derive(Default)]
struct Group {
    members: Vec<usize>,
    /// What holds, of what is told apart.
    says: Vec<String>,
    /// Rules that stay inside.
    loops: Vec<String>,
    row: usize,
    is_start: bool,
    is_bad: bool,
    is_run: bool,
}

/// Rules that lead from a group to another.
#[derive(Default)]
struct Way {
    labels: Vec<String>,
    is_run: bool,
}

struct Page<'g> {
    graph: &'g Graph,
    /// Numbers of the predicates that groups differ in.
    kept: Vec<usize>,
    groups: Vec<Group>,
    ways: BTreeMap<(usize, usize), Way>,
}

/// The picture with the most boxes that fits.
pub(super) fn svg(graph: &Graph) -> String {
    let mut most = MOST;
    loop {
        let page = Page::of(graph, most);
        let ranks = page.ranks();
        let fits = ranks.width <= WIDEST && ranks.height <= HIGHEST && page.ways.len() <= WAYS;
        if fits || page.groups.len() <= 2 {
            return page.drawn(&ranks);
        }
        most = page.groups.len() - 1;
    }
}

impl<'g> Page<'g> {
    fn of(graph: &'g Graph, most: usize) -> Page<'g> {
        let mut page = Page {
            graph,
            kept: Vec::new(),
            groups: Vec::new(),
            ways: BTreeMap::new(),
        };
        for predicate in 0..graph.predicates.len() {
            page.kept.push(predicate);
            if page.keys().len() > most {
                page.kept.pop();
            }
        }
        page.group();
        page.connect();
        page.set_rows();
        page
    }

    /// What is told apart: initial and bad states always, and the predicates.
    fn key(&self, node: usize) -> (bool, bool, Vec<bool>) {
        let node = &self.graph.nodes[node];
        let fact = |predicate: &usize| node.facts.get(*predicate).copied().unwrap_or(false);
        (
            !node.start,
            node.violation.is_some(),
            self.kept.iter().map(fact).collect(),
        )
    }

    /// The groups, in the order of their first members.
    fn keys(&self) -> BTreeMap<(bool, bool, Vec<bool>), usize> {
        let mut keys = BTreeMap::new();
        for node in 0..self.graph.nodes.len() {
            let next = keys.len();
            keys.entry(self.key(node)).or_insert(next);
        }
        keys
    }

    fn group(&mut self) {
        let keys = self.keys();
        self.groups.resize_with(keys.len(), Group::default);
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let position = keys[&self.key(number)];
            let group = &mut self.groups[position];
            group.members.push(number);
            group.is_start |= node.start;
            group.is_bad |= node.violation.is_some();
            group.is_run |= node.highlighted;
        }
        // What all have in common stands below the picture.
        let of =
            |group: &Group, predicate: usize| self.graph.nodes[group.members[0]].facts.get(predicate) == Some(&true);
        let differs = |predicate: &&usize| {
            let mut holding = self.groups.iter().filter(|group| of(group, **predicate));
            holding.next().is_some() && self.groups.iter().any(|group| !of(group, **predicate))
        };
        let kept: Vec<usize> = self.kept.iter().filter(differs).copied().collect();
        let says: Vec<Vec<String>> = self
            .groups
            .iter()
            .map(|group| {
                kept.iter()
                    .filter(|p| of(group, **p))
                    .map(|p| self.graph.predicates[*p].clone())
                    .collect()
            })
            .collect();
        for (group, says) in self.groups.iter_mut().zip(says) {
            group.says = says;
        }
        self.kept = kept;
    }

    fn connect(&mut self) {
        let mut group_of = vec![0; self.graph.nodes.len()];
        for (number, group) in self.groups.iter().enumerate() {
            for member in &group.members {
                group_of[*member] = number;
            }
        }
        for edge in &self.graph.edges {
            let (from, to) = (group_of[edge.from], group_of[edge.to]);
            let labels = match from == to {
                true => &mut self.groups[from].loops,
                false => {
                    let way = self.ways.entry((from, to)).or_default();
                    way.is_run |= edge.highlighted;
                    &mut way.labels
                }
            };
            for label in &edge.labels {
                if !labels.contains(label) {
                    labels.push(label.clone());
                }
            }
        }
    }

    /// Rows by distance from the starts; where a row is too wide, the rest goes into the next one.
    fn set_rows(&mut self) {
        let mut distance: Vec<Option<usize>> = self.groups.iter().map(|group| group.is_start.then_some(0)).collect();
        let starts = (0..self.groups.len()).filter(|group| self.groups[*group].is_start);
        let mut queue: VecDeque<usize> = starts.collect();
        while let Some(group) = queue.pop_front() {
            let next = distance[group].map(|distance| distance + 1);
            for (from, to) in self.ways.keys() {
                if *from == group && distance[*to].is_none() {
                    distance[*to] = next;
                    queue.push_back(*to);
                }
            }
        }
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|group| distance[*group].unwrap_or(0));
        let (mut row, mut used, mut last) = (0, 0.0, 0);
        for group in order {
            let distance = distance[group].unwrap_or(0);
            let width = self.groups[group].size().width + MARGIN;
            if distance != last || used + width > WIDEST * 0.9 {
                row += usize::from(used > 0.0);
                (used, last) = (0.0, distance);
            }
            used += width;
            self.groups[group].row = row;
        }
    }

    fn ranks(&self) -> Ranks {
        let boxes: Vec<Size> = self.groups.iter().map(Group::size).collect();
        let rows: Vec<usize> = self.groups.iter().map(|group| group.row).collect();
        let lines = self.ways.iter().map(|((from, to), way)| Line {
            from: *from,
            to: *to,
            label: label_size(&way.lines()),
        });
        places(&boxes, &rows, &lines.collect::<Vec<Line>>())
    }

    /// Writing to a string cannot fail, so its results are dropped.
    fn drawn(&self, ranks: &Ranks) -> String {
        let legend = self.legend();
        let legend_width = legend.iter().map(|line| width(line) * 11.0 / 12.0).fold(0.0, f64::max);
        let total = ranks.width.max(legend_width) + 2.0 * MARGIN;
        let left = (total - ranks.width) / 2.0;
        let mut body = String::new();
        let ports = ports(ranks, self.groups.len());
        for (((_, way), path), ends) in self.ways.iter().zip(&ranks.paths).zip(&ports) {
            let drawn = Drawn {
                title: way.labels.join("\n"),
                lines: way.lines(),
                is_run: way.is_run,
            };
            draw_way(&mut body, &drawn, path, *ends, ranks);
        }
        for (group, item) in self.groups.iter().zip(&ranks.items) {
            let corner = (item.x - item.size.width / 2.0, item.top);
            self.draw_group(&mut body, group, corner, item.size);
        }
        let below = ranks.height + 2.0 * MARGIN + 8.0;
        let height = below + LINE * legend.len() as f64 + MARGIN / 2.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total:.0} {height:.0}\" width=\"{total:.0}\" \
             height=\"{height:.0}\">\n{STYLE}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let _ = writeln!(out, "<g transform=\"translate({left:.1},{MARGIN})\">\n{body}</g>");
        for (number, line) in legend.iter().enumerate() {
            let y = below + LINE * number as f64 + 4.0;
            let _ = writeln!(out, r#"<text x="{MARGIN}" y="{y:.1}">{}</text>"#, escape(line));
        }
        out.push_str("</svg>\n");
        out
    }

    fn draw_group(&self, out: &mut String, group: &Group, (x, y): (f64, f64), size: Size) {
        let kind = match (group.is_bad, group.is_run) {
            (true, _) => " bad",
            (false, true) => " run",
            (false, false) => "",
        };
        let start = if group.is_start { " start" } else { "" };
        let of = |member: &usize| {
            let node = &self.graph.nodes[*member];
            let violation = node.violation.iter().map(|violation| format!("{violation}\n"));
            format!("state {member}\n{}{}", violation.collect::<String>(), node.text)
        };
        let title: Vec<String> = group.members.iter().take(5).map(of).collect();
        let members: Vec<String> = group.members.iter().map(usize::to_string).collect();
        let _ = writeln!(
            out,
            "<g data-states=\"{}\"><title>{}</title>",
            members.join(" "),
            escape(&title.join("\n\n"))
        );
        let Size { width, height } = size;
        let _ = writeln!(
            out,
            r#"<rect class="state{start}{kind}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="6"/>"#
        );
        for (number, (class, indent, line)) in group.lines().iter().enumerate() {
            let (x, y) = (x + 8.0 + indent, y + 14.0 + LINE * number as f64);
            let _ = writeln!(
                out,
                r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#,
                escape(line)
            );
        }
        out.push_str("</g>\n");
    }

    fn legend(&self) -> Vec<String> {
        let graph = self.graph;
        let holds = |predicate: usize, value: bool| {
            let mut facts = graph.nodes.iter().map(|node| node.facts.get(predicate).copied());
            facts.all(|fact| fact == Some(value))
        };
        let listed = |value: bool| {
            let predicates = graph.predicates.iter().enumerate();
            let found = predicates.filter(|(number, _)| holds(*number, value));
            found.map(|(_, text)| text.as_str()).collect::<Vec<&str>>().join("; ")
        };
        let mut lines = vec![
            "Thick line: initial. Red: may be bad. Orange: the abstract run. ↻: rules that stay there. What only other \
             boxes say does not hold in a box."
                .to_owned(),
        ];
        let (boxes, states) = (self.groups.len(), graph.nodes.len());
        if boxes < states {
            lines.push(format!(
                "Of {states} abstract states, each box stands for all that agree on what the boxes say."
            ));
        }
        lines.extend(graph.legend.iter().cloned());
        for (title, value) in [("In every state: ", true), ("In no state: ", false)] {
            let listed = listed(value);
            if !listed.is_empty() {
                lines.push(format!("{title}{listed}"));
            }
        }
        let open = (0..graph.predicates.len()).filter(|predicate| {
            !self.kept.contains(predicate) && !holds(*predicate, true) && !holds(*predicate, false)
        });
        let open: Vec<&str> = open.map(|predicate| graph.predicates[predicate].as_str()).collect();
        if !open.is_empty() {
            lines.push(format!("Not told apart here: {}", open.join("; ")));
        }
        lines.iter().flat_map(|line| wrapped(line, LEGEND)).collect()
    }
}

impl Group {
    /// What stands in the box: each line with its style, and how far it is moved to the right.
    fn lines(&self) -> Vec<(&'static str, f64, String)> {
        let mut lines = Vec::new();
        if self.members.len() > 1 {
            lines.push(("number", 0.0, format!("{} states", self.members.len())));
        }
        for fact in &self.says {
            for (number, line) in wrapped(fact, BOX).into_iter().enumerate() {
                lines.push(("fact", if number == 0 { 0.0 } else { INDENT }, line));
            }
        }
        if self.says.is_empty() {
            lines.push(("number", 0.0, "nothing that others say".to_owned()));
        }
        let mut loops = wrapped(&format!("↻ {}", self.loops.join(", ")), BOX).into_iter();
        if !self.loops.is_empty() {
            lines.extend(loops.next().map(|line| ("loop", 0.0, line)));
            let second = loops.next();
            let rest = if loops.next().is_some() { " …" } else { "" };
            lines.extend(second.map(|line| ("loop", INDENT, line + rest)));
        }
        lines
    }

    fn size(&self) -> Size {
        let lines = self.lines();
        let widest = lines.iter().map(|(_, indent, line)| indent + width(line) * 11.0 / 12.0);
        Size {
            width: widest.fold(0.0, f64::max) + 16.0,
            height: lines.len() as f64 * LINE + 8.0,
        }
    }
}

impl Way {
    /// The label.
    fn lines(&self) -> Vec<String> {
        let mut lines = wrapped(&self.labels.join(", "), LABEL);
        if lines.len() > LABELS {
            lines.truncate(LABELS);
            if let Some(last) = lines.last_mut() {
                last.push_str(" …");
            }
        }
        lines
    }
}

pub(super) fn label_size(lines: &[String]) -> Size {
    Size {
        width: lines.iter().map(|line| width(line) * 11.0 / 12.0).fold(0.0, f64::max) + 8.0,
        height: lines.len() as f64 * LINE + 4.0,
    }
}

/// Where each way leaves its first box and reaches its last one: side by side, in the order of where they go.
pub(super) fn ports(ranks: &Ranks, boxes: usize) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); ranks.paths.len()];
    for group in 0..boxes {
        let item = ranks.items[group];
        for is_below in [false, true] {
            // Each end at this side: the way, whether it is its first end, and where it comes from.
            let mut ends: Vec<(usize, bool, f64)> = Vec::new();
            for (number, path) in ranks.paths.iter().enumerate() {
                let (first, last) = ((path[0], path[1]), (path[path.len() - 1], path[path.len() - 2]));
                for (is_first, (end, near)) in [(true, first), (false, last)] {
                    if end == group && (ranks.items[near].rank > item.rank) == is_below {
                        ends.push((number, is_first, ranks.items[near].x));
                    }
                }
            }
            ends.sort_by(|a, b| a.2.total_cmp(&b.2));
            for (position, (number, is_first, _)) in ends.iter().enumerate() {
                let share = (position as f64 + 1.0) / (ends.len() as f64 + 1.0);
                let x = item.x + item.size.width * (share - 0.5) * 0.9;
                match is_first {
                    true => ports[*number].0 = x,
                    false => ports[*number].1 = x,
                }
            }
        }
    }
    ports
}

/// A line between boxes.
pub(super) struct Drawn {
    /// Shown where the pointer rests.
    pub(super) title: String,
    /// The label.
    pub(super) lines: Vec<String>,
    pub(super) is_run: bool,
}

/// The line before the label, the label, and the line after it.
pub(super) fn draw_way(out: &mut String, way: &Drawn, path: &[usize], (leaves, reaches): (f64, f64), ranks: &Ranks) {
    let _ = writeln!(out, "<g><title>{}</title>", escape(&way.title));
    let class = if way.is_run { "edge run" } else { "edge" };
    let last = path.len() - 1;
    let x = |position: usize| match position {
        0 => leaves,
        position if position == last => reaches,
        position => ranks.items[path[position]].x,
    };
    let mut line = String::new();
    for position in 0..last {
        let (one, two) = (ranks.items[path[position]], ranks.items[path[position + 1]]);
        let (upper, lower) = (ranks.bands[one.rank.min(two.rank)], ranks.bands[one.rank.max(two.rank)]);
        let downwards = one.rank < two.rank;
        // Within the bands lines are upright, so that they pass beside other items.
        let edge = |item: super::ranks::Item, is_upper: bool| match is_upper {
            true => item.top + item.size.height,
            false => item.top,
        };
        let (from, to) = (edge(one, downwards), edge(two, !downwards));
        let (bend, end) = match downwards {
            true => (upper.bottom, lower.top),
            false => (lower.top, upper.bottom),
        };
        if line.is_empty() {
            let _ = write!(line, "M{:.1},{from:.1}", x(position));
        }
        curve(&mut line, (x(position), bend), (x(position + 1), end), to);
        // The label interrupts the line.
        if position == 0 && last > 1 && !way.lines.is_empty() {
            let _ = writeln!(out, r#"<path class="{class}" d="{line}"/>"#);
            line.clear();
        }
    }
    let _ = writeln!(out, r#"<path class="{class}" d="{line}" marker-end="url(#tip)"/>"#);
    let label = ranks.items[path[1]];
    for (number, text) in way.lines.iter().enumerate() {
        let (x, y) = (label.x, label.top + 12.0 + LINE * number as f64);
        let _ = writeln!(
            out,
            r#"<text class="label middle" x="{x:.1}" y="{y:.1}">{}</text>"#,
            escape(text)
        );
    }
    out.push_str("</g>\n");
}

/// Upright to where the rank ends, over to the next rank, and upright again.
fn curve(line: &mut String, (from, bend): (f64, f64), (to, end): (f64, f64), target: f64) {
    let middle = f64::midpoint(bend, end);
    let _ = write!(
        line,
        " L{from:.1},{bend:.1} C{from:.1},{middle:.1} {to:.1},{middle:.1} {to:.1},{end:.1}"
    );
    // A line without a length has no direction, and the tip of an arrow needs one.
    if (end - target).abs() > 0.1 {
        let _ = write!(line, " L{to:.1},{target:.1}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node};

    /// All states of so many bits, each of which can be set and cleared.
    fn cube(bits: usize) -> Graph {
        let mut graph = Graph {
            predicates: (0..bits)
                .map(|bit| format!("a fact with number {bit} & x < {bit}"))
                .collect(),
            ..Graph::default()
        };
        for state in 0..1usize << bits {
            graph.nodes.push(Node {
                start: state == 0,
                facts: (0..bits).map(|bit| state >> bit & 1 == 1).collect(),
                violation: (state + 1 == 1 << bits).then(|| "all set".to_owned()),
                ..Node::default()
            });
            for bit in 0..bits {
                graph.edges.push(Edge {
                    from: state,
                    to: state ^ 1 << bit,
                    labels: vec![format!("flip {bit}")],
                    highlighted: false,
                });
            }
        }
        graph
    }

    fn attribute(svg: &str, name: &str) -> f64 {
        let value = svg
            .split(&format!(" {name}=\""))
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        value.unwrap().parse().unwrap()
    }

    #[test]
    fn however_many_states_there_are_they_fit_a_page() {
        for bits in 1..=7 {
            let svg = svg(&cube(bits));
            let boxes = svg.matches("<rect class=\"state").count();
            assert!((2..=MOST).contains(&boxes), "{bits}: {boxes}");
            assert!(attribute(&svg, "width") <= 980.0, "{bits}");
            assert!(attribute(&svg, "height") <= 1400.0, "{bits}");
            assert_eq!(svg.matches("class=\"state bad").count(), 1, "{bits}");
            assert_eq!(svg.matches("class=\"state start").count(), 1, "{bits}");
            assert_eq!(svg.contains("Of 128 abstract states"), bits == 7);
        }
    }

    #[test]
    fn boxes_say_what_holds_and_the_rest_stands_below() {
        let mut graph = cube(2);
        graph.predicates.extend(["always".to_owned(), "never".to_owned()]);
        for node in &mut graph.nodes {
            node.facts.extend([true, false]);
        }
        graph.edges.push(Edge {
            from: 0,
            to: 0,
            labels: vec!["wait".to_owned()],
            highlighted: false,
        });
        let svg = svg(&graph);
        for expected in [
            "nothing that others say",
            "a fact with number 0 &amp; x",
            "↻ wait",
            "In every state: always",
            "In no state: never",
            "flip 1",
        ] {
            assert!(svg.contains(expected), "{expected} is missing in {svg}");
        }
    }
}
