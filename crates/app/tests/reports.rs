//! Results for other programs: JUnit XML and SARIF.
#![allow(clippy::unwrap_used, clippy::panic)] // In helpers, which are not recognised as tests.

mod common;

use common::{Folder, cubist};
use serde_json::Value;

const SAFE: &str = "models/good-bad.m";
const UNSAFE: &str = "models/peterson-bug.m";
const WRONG: &str = "docs/examples/mistakes.m";

/// An element of XML: enough of the language for what JUnit needs.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("{} has no {name}", self.name), |(_, value)| value)
    }

    fn number(&self, name: &str) -> usize {
        self.attribute(name).parse().unwrap()
    }

    fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Reads a document, and panics where it is not well formed.
fn parse(text: &str) -> Element {
    let rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap();
    let mut open = vec![Element::default()];
    let mut rest = rest;
    while let Some(start) = rest.find('<') {
        open.last_mut().unwrap().text += &unescape(&rest[..start]);
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let element = open.pop().unwrap();
            assert_eq!(element.name, name);
            open.last_mut().unwrap().children.push(element);
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let element = element(tag);
        match is_empty {
            true => open.last_mut().unwrap().children.push(element),
            false => open.push(element),
        }
    }
    assert_eq!((open.len(), rest), (1, "\n"), "something is left open");
    open.pop().unwrap().children.pop().unwrap()
}

fn element(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").unwrap();
        let (value, after) = after.split_once('"').unwrap();
        attributes.push((name.trim().to_owned(), unescape(value)));
        rest = after;
    }
    Element {
        name: name.to_owned(),
        attributes,
        ..Element::default()
    }
}

fn unescape(text: &str) -> String {
    let allowed = ["&amp;", "&lt;", "&gt;", "&quot;"];
    for (position, _) in text.match_indices('&') {
        assert!(
            allowed.iter().any(|entity| text[position..].starts_with(entity)),
            "{text}"
        );
    }
    assert!(!text.contains('>'), "{text}");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

fn junit(command: &str, files: &[&str], options: &[&str]) -> (Option<i32>, Element) {
    let folder = Folder::new(&format!("junit-{command}-{}", files.len()));
    let path = folder.path("results.xml");
    let run = cubist(&[&[command, "-q", "--junit", &path], options, files].concat());
    (run.status, parse(&std::fs::read_to_string(&path).unwrap()))
}

#[test]
fn junit_has_a_suite_for_each_model_and_a_case_for_each_property() {
    let (status, root) = junit("check", &[SAFE, UNSAFE, WRONG], &[]);
    assert_eq!(status, Some(10));
    assert_eq!(root.name, "testsuites");
    let count = |element: &Element| ["tests", "failures", "errors", "skipped"].map(|name| element.number(name));
    assert_eq!(count(&root), [4, 1, 1, 1]);
    let suites: Vec<&Element> = root.named("testsuite").collect();
    assert_eq!(
        suites.iter().map(|suite| suite.attribute("name")).collect::<Vec<_>>(),
        [SAFE, UNSAFE, WRONG]
    );
    for suite in &suites {
        let cases: Vec<&Element> = suite.named("testcase").collect();
        let with = |name: &str| cases.iter().filter(|case| case.named(name).next().is_some()).count();
        let counted = [cases.len(), with("failure"), with("error"), with("skipped")];
        assert_eq!(count(suite), counted);
        suite.attribute("time").parse::<f64>().unwrap();
        assert!(
            cases
                .iter()
                .all(|case| case.attribute("classname") == suite.attribute("name"))
        );
    }
    let violated = suites[1]
        .named("testcase")
        .find(|case| case.attribute("name") == "mutual exclusion");
    let failure = violated.unwrap().named("failure").next().unwrap();
    assert_eq!(
        failure.attribute("message"),
        "invariant \"mutual exclusion\" is violated"
    );
    assert!(failure.text.contains("\n   1  want (p = "), "{}", failure.text);
    let error = suites[2]
        .named("testcase")
        .next()
        .unwrap()
        .named("error")
        .next()
        .unwrap();
    assert!(
        error
            .text
            .starts_with("docs/examples/mistakes.m:17:17: unknown name `idel`\n"),
        "{error:?}"
    );
}

#[test]
fn junit_of_one_model() {
    let (status, root) = junit("explore", &[SAFE], &["--deadlock", "off"]);
    assert_eq!((status, root.number("tests"), root.number("failures")), (Some(0), 1, 0));
    // A deadlock is no property of the model, and a failure all the same.
    let (status, root) = junit("explore", &[SAFE], &[]);
    assert_eq!(
        (status, root.number("tests"), root.number("failures")),
        (Some(10), 2, 1)
    );
    let (status, root) = junit("explore", &["models/german.m"], &["--max-states", "5"]);
    assert_eq!((status, root.number("skipped")), (Some(20), root.number("tests")));
    let (status, root) = junit("check", &["no/such/file.m"], &[]);
    assert_eq!((status, root.number("errors")), (Some(2), 1));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    for option in ["--junit", "--sarif"] {
        let run = cubist(&["check", "-q", SAFE, option, "no/such/folder/x"]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("cannot write no/such/folder/x"), "{run:?}");
    }
}

fn sarif(command: &str, files: &[&str]) -> Value {
    let folder = Folder::new(&format!("sarif-{command}-{}", files.len()));
    let path = folder.path("results.sarif");
    cubist(&[&[command, "-q", "--sarif", &path], files].concat());
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
}

/// What the format requires of what we use of it.
fn expect_shape(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "cubist");
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    for result in run["results"].as_array().unwrap() {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(driver["rules"][index]["id"], result["ruleId"]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        // The format says so of every kind but `fail`.
        assert!(result["kind"].is_null() || result["level"] == "none", "{result}");
        expect_location(&result["locations"][0]);
        for step in result["codeFlows"][0]["threadFlows"][0]["locations"]
            .as_array()
            .into_iter()
            .flatten()
        {
            expect_location(&step["location"]);
            assert!(!step["location"]["message"]["text"].as_str().unwrap().is_empty());
        }
    }
}

fn expect_location(location: &Value) {
    let physical = &location["physicalLocation"];
    assert!(
        !physical["artifactLocation"]["uri"]
            .as_str()
            .unwrap()
            .contains([' ', '\\', '<'])
    );
    let region = &physical["region"];
    if !region.is_null() {
        let number = |name: &str| region[name].as_u64().unwrap();
        let (start, end) = (
            (number("startLine"), number("startColumn")),
            (number("endLine"), number("endColumn")),
        );
        assert!(start >= (1, 1) && end >= start, "{region}");
    }
}

#[test]
fn sarif_has_violations_with_their_runs_and_messages_with_their_places() {
    let log = sarif("check", &[SAFE, UNSAFE, WRONG]);
    expect_shape(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |rule: &str| {
        results
            .iter()
            .filter(|result| result["ruleId"] == rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (of("violation").len(), of("input-error").len(), of("not-decided").len()),
        (1, 8, 0)
    );
    let violation = of("violation")[0];
    let line = |location: &Value| location["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
    let text = std::fs::read_to_string(common::root().join(UNSAFE)).unwrap();
    let source = |location: &Value| text.lines().nth(usize::try_from(line(location)).unwrap() - 1).unwrap();
    assert!(source(&violation["locations"][0]).starts_with("invariant \"mutual exclusion\""));
    let steps = violation["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap();
    assert!(steps.len() > 5);
    assert!(source(&steps[1]["location"]).contains("rule \"want\""));
    let message = steps[1]["location"]["message"]["text"].as_str().unwrap();
    assert!(
        message.starts_with("want (p = ") && message.contains("\nat["),
        "{message}"
    );
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 10);
}

#[test]
fn sarif_of_explore_and_of_warnings() {
    let log = sarif("explore", &[UNSAFE]);
    expect_shape(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["ruleId"]), (1, &Value::from("violation")));
    assert!(
        results[0]["codeFlows"][0]["threadFlows"][0]["locations"][1]["location"]["physicalLocation"]["region"]
            .is_object()
    );
    let folder = Folder::new("sarif-warning");
    let model = folder.write(
        "never.m",
        "var x: boolean; startstate x := true; end;\nrule \"never\" x & !x ==> x := false; end;\ninvariant \"x\" x;\n",
    );
    let log = sarif("check", &[&model]);
    expect_shape(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["level"] == "warning"), "{results:?}");
}

/// The sample for continuous integration asks for what there is.
#[test]
fn the_sample_workflow_uses_options_that_exist() {
    let text = std::fs::read_to_string(common::root().join("contrib/github-actions.yml")).unwrap();
    let help = cubist(&["check", "--help"]).stdout;
    let command = text.lines().find(|line| line.contains("cubist check ")).unwrap();
    let options: Vec<&str> = command
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .collect();
    assert!(
        options.contains(&"--sarif") && options.contains(&"--junit"),
        "{options:?}"
    );
    assert!(options.iter().all(|option| help.contains(option)), "{options:?}");
}
