//! Runs as message sequence charts.
#![allow(clippy::unwrap_used, clippy::panic)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, cubist};

fn drawn(arguments: &[&str]) -> (String, String) {
    let folder = Folder::new(&format!("chart-{}", arguments.join("-").replace('/', "-")));
    let path = folder.path("run.svg");
    let run = cubist(&[arguments, &["--chart", &path]].concat());
    assert!(
        run.stdout.ends_with(&format!("The run is drawn in {path}.\n")),
        "{run:?}"
    );
    (run.stdout, std::fs::read_to_string(&path).unwrap())
}

fn texts(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text ").skip(1).filter_map(|rest| rest.split_once('>'));
    texts.filter_map(|(_, rest)| rest.split("</text>").next()).collect()
}

#[test]
fn a_run_has_a_line_for_each_element_and_a_row_for_each_step() {
    for command in ["explore", "check"] {
        let (said, svg) = drawn(&[command, "models/german-bug.m"]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        let texts = texts(&svg);
        for expected in ["PROC_1", "PROC_2", "ask to read", "home accepts a request"] {
            assert!(texts.contains(&expected), "{expected} is missing in {texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("shared")), "{texts:?}");
        let steps = said
            .lines()
            .filter(|line| line.get(..6).is_some_and(|number| number.trim().parse::<u32>().is_ok()));
        assert_eq!(svg.matches("<g><title>").count(), steps.count());
        assert!(
            texts.contains(&"cache[PROC_1].asks: no_request → ask_read"),
            "{texts:?}"
        );
        // DATA is no node: nothing is kept for each of its elements.
        assert!(!texts.contains(&"DATA_1"));
        assert!(
            texts.contains(&"invariant &quot;a writer is alone&quot; is violated"),
            "{texts:?}"
        );
    }
}

#[test]
fn a_rule_with_two_nodes_is_an_arrow() {
    let (_, svg) = drawn(&["explore", "models/mutex-server-bug.m"]);
    assert!(svg.matches("marker-end").count() >= 4, "{svg}");
    assert!(texts(&svg).contains(&"MESSAGE_1"));
}

#[test]
fn numbers_that_are_nodes_have_the_name_of_their_parameter() {
    let (_, svg) = drawn(&["explore", "models/peterson-bug.m"]);
    assert!(
        texts(&svg).contains(&"p = 0") && texts(&svg).contains(&"p = 1"),
        "{svg}"
    );
}

#[test]
fn a_random_run_can_be_drawn() {
    let (_, svg) = drawn(&["explore", "models/mutex-ring.m", "--simulate", "1", "--steps", "9"]);
    assert!(texts(&svg).contains(&"models/mutex-ring.m: a random run"), "{svg}");
    assert_eq!(svg.matches("<g><title>").count(), 10);
}

/// Also where there are no nodes at all, and where a rule fails.
#[test]
fn every_run_can_be_drawn() {
    let folder = Folder::new("chart-plain");
    let model = folder.write(
        "plain.m",
        "var x: 0..3; startstate x := 0; end; rule \"up\" x < 9 ==> x := x + 1; end;\n",
    );
    let (_, svg) = drawn(&["explore", &model]);
    assert_eq!(svg.matches("<rect class=\"bad\"").count(), 2, "{svg}");
    assert!(texts(&svg).contains(&"shared state"));
}

#[test]
fn where_there_is_no_run_nothing_is_drawn() {
    let folder = Folder::new("chart-none");
    let path = folder.path("run.svg");
    let run = cubist(&["explore", "models/peterson.m", "--chart", &path]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("No chart is drawn where there is no run to show."),
        "{run:?}"
    );
    assert!(!std::path::Path::new(&path).exists());
    let run = cubist(&["check", "models/peterson.m", "--chart", "run.png"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("--chart run.png: the name must end in .svg"),
        "{run:?}"
    );
    let run = cubist(&["explore", "models/german-bug.m", "--chart", "no/such/folder/run.svg"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("cannot write no/such/folder/run.svg"), "{run:?}");
}
