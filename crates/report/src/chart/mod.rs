//! A run as a message sequence chart: a line for each element that takes part, and a row for each step.

mod svg;

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// What the run is of, and what is wrong in its end.
    pub title: String,
    pub subtitle: String,
    pub lifelines: Vec<Lifeline>,
    pub rows: Vec<Row>,
    /// What the last state violates.
    pub end: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifeline {
    pub name: String,
    /// The state that belongs to no element, instead of an element.
    pub is_shared: bool,
}

/// A step.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The rule, with those of its parameters that have no line.
    pub label: String,
    /// The same with all parameters, shown where the pointer rests.
    pub detail: String,
    /// The lines of its parameters, in their order.
    pub at: Vec<usize>,
    /// Further lines whose part of the state it changes.
    pub touches: Vec<usize>,
    /// What changes, a line for each variable.
    pub changes: Vec<String>,
    /// The beginning is not about any element.
    pub is_start: bool,
    /// The rule cannot be run to its end.
    pub fails: bool,
}

impl Chart {
    /// The chart as a picture, at most as wide as a page.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }
}
