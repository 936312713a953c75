//! Plain line plots as SVG.

use std::fmt::Write as _;

/// One pair of axes.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    pub(crate) series: Vec<Series>,
}

/// One line, from left to right.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 220.0;
const MARGIN: f64 = 56.0;
/// They differ in lightness as well, for colour-blind readers.
const COLOURS: [&str; 5] = ["#1b4965", "#d1495b", "#66a182", "#edae49", "#8d6a9f"];

/// Panels side by side, with one legend. All axes begin at 0.
pub(crate) fn plot(x_title: &str, panels: &[Panel]) -> String {
    let names: Vec<&str> = panels.first().map_or(Vec::new(), |panel| {
        panel.series.iter().map(|s| s.name.as_str()).collect()
    });
    let width = panels.len() as f64 * (WIDTH + MARGIN) + MARGIN / 2.0;
    let legend = HEIGHT + 2.0 * MARGIN;
    let height = legend + 20.0 * names.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let left = MARGIN + number as f64 * (WIDTH + MARGIN);
        let _ = writeln!(text, "<g transform=\"translate({left:.0} {:.0})\">", MARGIN / 2.0);
        draw(panel, x_title, &mut text);
        text.push_str("</g>\n");
    }
    for (number, name) in names.iter().enumerate() {
        let (y, colour) = (legend + 20.0 * number as f64, COLOURS[number % COLOURS.len()]);
        let _ = writeln!(
            text,
            "<path d=\"M{MARGIN} {:.0}h24\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{:.0}\" y=\"{y:.0}\">{}</text>",
            y - 4.0,
            MARGIN + 32.0,
            escaped(name)
        );
    }
    text.push_str("</svg>\n");
    text
}

fn draw(panel: &Panel, x_title: &str, text: &mut String) {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let largest_x = points().map(|(x, _)| *x).fold(1.0, f64::max);
    let step = step(points().map(|(_, y)| *y).fold(f64::MIN_POSITIVE, f64::max));
    let largest_y = 4.0 * step;
    let x_of = |x: f64| x / largest_x * WIDTH;
    let y_of = |y: f64| HEIGHT - y / largest_y * HEIGHT;
    for mark in 0..=4 {
        let value = f64::from(mark) * step;
        let y = y_of(value);
        let _ = writeln!(
            text,
            "<path d=\"M0 {y:.1}h{WIDTH}\" stroke=\"#ddd\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            y + 4.0
        );
    }
    let mut marks: Vec<f64> = points().map(|(x, _)| *x).collect();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    for mark in marks {
        let x = x_of(mark);
        let _ = writeln!(
            text,
            "<text x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{mark}</text>",
            HEIGHT + 16.0
        );
    }
    let middle = WIDTH / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"-8\" text-anchor=\"middle\">{}</text>",
        escaped(panel.title)
    );
    let below = HEIGHT + 34.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{}</text>",
        escaped(x_title)
    );
    for (number, series) in panel.series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let at: Vec<String> = series
            .points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", x_of(*x), y_of(*y)))
            .collect();
        let line = at.join(" ");
        let _ = writeln!(
            text,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        for (x, y) in &series.points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x_of(*x),
                y_of(*y)
            );
        }
    }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten such that four steps reach the largest value.
fn step(largest: f64) -> f64 {
    let power = 10f64.powf((largest / 4.0).log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0];
    let enough = factors
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| 4.0 * step >= largest);
    enough.unwrap_or(10.0 * power)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_above_the_largest_value() {
        for (largest, expected) in [
            (7.9, 2.0),
            (8.1, 2.5),
            (0.3, 0.1),
            (4.0, 1.0),
            (1999.0, 500.0),
            (3900.0, 1000.0),
        ] {
            assert!((step(largest) - expected).abs() < 1e-9, "{largest}: {}", step(largest));
        }
    }

    #[test]
    fn every_point_is_drawn() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        let panel = Panel {
            title: "seconds",
            series: vec![series("a < b", &[(0.0, 1.0), (4.0, 2.0)]), series("none", &[])],
        };
        let text = plot("added", &[panel]);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(
            text.contains("a &lt; b") && text.contains("points=\"0.0,110.0 320.0,0.0\""),
            "{text}"
        );
    }
}
