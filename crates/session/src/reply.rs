//! What a session answers: text in the user's own notation, in a structure that front ends lay out.

use system::Span;

/// The answer to one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// One sentence that says what came of it.
    pub title: String,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Text(String),
    /// Formulas under a heading.
    Formulas {
        heading: String,
        formulas: Vec<Named>,
    },
    Sequents(Vec<Sequent>),
    /// A step that breaks a goal: places of the state, before and after.
    Step {
        rule: String,
        places: Vec<(String, String, String)>,
    },
    /// A run: the predicates, and what holds of them in each state.
    Trace {
        predicates: Vec<String>,
        rows: Vec<Row>,
    },
    /// Commands, each with what speaks for it.
    Suggestions(Vec<(String, String)>),
}

/// A formula with what it is called; the note may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub text: String,
    pub note: String,
}

/// A pending subgoal: what holds before a rule (above the line), and what must hold then (below it). Where nothing
/// stands below, what stands above must not hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequent {
    pub number: usize,
    pub rule: String,
    /// Where the rule stands; others may have the same name.
    pub span: Span,
    pub hypotheses: Vec<String>,
    pub conclusions: Vec<String>,
    pub is_granted: bool,
}

/// A state of a run, and the rule that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub rule: String,
    pub span: Span,
    pub values: Vec<bool>,
}

impl Reply {
    pub(crate) fn new(title: impl Into<String>) -> Reply {
        Reply {
            title: title.into(),
            blocks: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, block: Block) -> Reply {
        let is_empty = match &block {
            Block::Text(text) => text.is_empty(),
            Block::Formulas { formulas, .. } => formulas.is_empty(),
            Block::Sequents(sequents) => sequents.is_empty(),
            Block::Step { places, .. } => places.is_empty(),
            Block::Trace { rows, .. } => rows.is_empty(),
            Block::Suggestions(suggestions) => suggestions.is_empty(),
        };
        if !is_empty {
            self.blocks.push(block);
        }
        self
    }

    pub(crate) fn say(self, text: impl Into<String>) -> Reply {
        self.with(Block::Text(text.into()))
    }
}
