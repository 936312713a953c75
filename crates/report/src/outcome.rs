//! An outcome: the result of one command about one subject, as plain data. Its serialisation is the JSON report.
//!
//! The fields here are those that all kinds of subjects share, and that renderings read. What only one kind has stands
//! in `details`, which is part of the same JSON object. Fields are added, never changed, without a new `schema`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use system::{Sources, Span};

/// The fields that every JSON object starts with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    pub cubist: String,
    pub schema: u32,
    pub file: String,
}

impl Header {
    pub fn new(file: &str) -> Header {
        Header {
            cubist: env!("CARGO_PKG_VERSION").to_owned(),
            schema: 1,
            file: file.to_owned(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Safe,
    Unsafe,
    #[default]
    #[serde(other)]
    Unknown,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
            Verdict::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    #[serde(flatten)]
    pub header: Header,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    pub verdict: Verdict,
    pub reason: Option<String>,
    /// What qualifies a proof, in the words of the first line.
    pub qualified: Option<String>,
    /// What a proof assumes of single lines.
    pub provided: Vec<Proviso>,
    /// The sizes that a proof is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The sizes that a violation is found at.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub instance: Map<String, Value>,
    pub caveats: Vec<Caveat>,
    pub properties: Vec<Property>,
    /// Further properties.
    pub also: Vec<Property>,
    pub diagnostics: Vec<Message>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal_error: Option<InternalError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_mb: Option<f64>,
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Outcome {
    /// An outcome without an answer.
    pub fn new(file: &str) -> Outcome {
        Outcome {
            header: Header::new(file),
            ..Outcome::default()
        }
    }

    /// An outcome of a command that ends before there is a verdict.
    pub fn without_verdict(file: &str, message: String) -> Outcome {
        let mut outcome = Outcome::new(file);
        outcome.message = Some(message);
        outcome.set("complete", false);
        outcome
    }

    /// Sets a field that only this kind of subject has.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.details.insert(name.to_owned(), value.into());
    }

    /// The same for all fields of an object.
    pub fn with(mut self, details: Value) -> Outcome {
        self.details.extend(fields(details));
        self
    }
}

/// The fields of an object.
pub fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// What a proof is about: types of every size (from a least one, up to a greatest one), and types of one size.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Scope {
    pub every: Vec<String>,
    pub from: Map<String, Value>,
    pub to: Map<String, Value>,
    pub fixed: Map<String, Value>,
}

/// A violation at sizes that the verdict is not about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Caveat {
    pub message: String,
    pub sizes: Map<String, Value>,
}

/// A line that a proof assumes to be defined.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Proviso {
    pub what: String,
    pub kind: String,
    pub file: Option<String>,
    pub line: Option<usize>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Property {
    pub name: String,
    pub verdict: Verdict,
    pub reason: Option<String>,
    /// The run that violates it.
    pub trace: Option<Vec<Step>>,
    /// The sizes of that run.
    pub instance: Option<Map<String, Value>>,
    pub place: Option<Place>,
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Property {
    /// Sets a field that only this kind of subject has.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.details.insert(name.to_owned(), value.into());
    }
}

/// A step of a run, and what it changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    pub rule: String,
    pub changes: Map<String, Value>,
    pub place: Option<Place>,
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

impl Step {
    /// `owner = P_1`, for each variable that the step changes.
    pub fn changes(&self) -> impl Iterator<Item = String> {
        let text = |value: &Value| match value {
            Value::Null => "undefined".to_owned(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        self.changes
            .iter()
            .map(move |(name, value)| format!("{name} = {}", text(value)))
    }
}

/// A place in a source, counted from 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    Region {
        file: String,
        line: u64,
        column: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_line: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_column: Option<u64>,
    },
    /// `driver.c:12`
    Line(String),
}

impl Place {
    /// The first column of a line.
    pub fn at_line(file: &str, line: usize) -> Place {
        Place::Region {
            file: file.to_owned(),
            line: line as u64,
            column: 1,
            end_line: None,
            end_column: None,
        }
    }

    /// The place of a span; none of a span that is nowhere.
    pub fn of(sources: &Sources, span: Span) -> Option<Place> {
        if span.is_nowhere() {
            return None;
        }
        let file = sources.file(span);
        let ((line, column), (end_line, end_column)) = (file.position(span.start), file.position(span.end));
        Some(Place::Region {
            file: file.name.clone(),
            line: line as u64,
            column: column as u64,
            end_line: Some(end_line as u64),
            end_column: Some(end_column as u64),
        })
    }
}

/// A message about the input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    pub severity: Severity,
    pub message: String,
    pub file: String,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub end_line: Option<u64>,
    pub end_column: Option<u64>,
    pub label: Option<String>,
    pub help: Option<String>,
}

impl Message {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub fn place(&self) -> Option<Place> {
        Some(Place::Region {
            file: self.file.clone(),
            line: self.line?,
            column: self.column?,
            end_line: self.end_line,
            end_column: self.end_column,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    #[default]
    Note,
}

/// A mistake of Cubist, and the folder that keeps everything about it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InternalError {
    pub message: String,
    pub folder: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_outcome_is_read_as_it_is_written() {
        let place = |line| Place::at_line("a.c", line);
        let step = Step {
            rule: "x = 1;".to_owned(),
            place: Some(place(3)),
            details: fields(json!({ "procedure": "main", "depth": 0 })),
            ..Step::default()
        };
        let outcome = Outcome {
            verdict: Verdict::Unsafe,
            properties: vec![Property {
                name: "assertion".to_owned(),
                verdict: Verdict::Unsafe,
                trace: Some(vec![step]),
                place: Some(place(3)),
                ..Property::default()
            }],
            ..Outcome::new("a.c")
        }
        .with(json!({ "inputs": ["1"] }));
        let written = json!(outcome);
        assert_eq!(written["verdict"], "unsafe");
        assert_eq!(written["inputs"][0], "1");
        assert_eq!(written["properties"][0]["trace"][0]["place"]["line"], 3);
        assert_eq!(written["properties"][0]["trace"][0]["depth"], 0);
        let read: Outcome = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(json!(read), written);
    }

    #[test]
    fn reports_of_other_commands_are_outcomes_too() {
        let report = json!({
            "file": "a.c",
            "verdict": "confirmed",
            "properties": [{ "name": "p", "verdict": "safe", "place": "a.c:3" }],
        });
        let outcome: Outcome = serde_json::from_value(report).unwrap();
        assert_eq!(outcome.verdict, Verdict::Unknown);
        assert!(matches!(&outcome.properties[0].place, Some(Place::Line(place)) if place == "a.c:3"));
    }
}
