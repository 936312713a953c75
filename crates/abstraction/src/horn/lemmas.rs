//! The lemmas of a running search, read from its trace.
//!
//! It works level by level: what it knows at level `k` is true in the first `k` steps. Each lemma is one of a location,
//! about the arguments `P_l_0_n`, `P_l_1_n` and so on of its relation:
//!
//! ```text
//! * LEVEL 3
//! ** add-lemma: 2 exprID: 410 pobID: 307
//! P2
//! (< P2_0_n 100)
//! ```
//!
//! They are candidates only: `Flow::knowing` checks them.

use super::clauses::{self, Clauses};
use deduction::reading::read_formula_over;
use logic::{Term, term};
use std::collections::BTreeMap;
use system::Span;
use system::transition::Fact;

/// The greatest number of lemmas that are kept: those of the highest levels.
const MOST: usize = 500;
/// Longer ones are not read.
const LONGEST: usize = 20_000;

pub(super) struct Lemmas<'c, 'f, 's> {
    clauses: &'c Clauses<'f, 's>,
    /// Their text, with the highest level of each; it is read on demand.
    found: BTreeMap<(usize, String), Level>,
    reading: Reading,
}

/// How many steps a lemma is true for, at least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Steps(usize),
    /// It is inductive, together with others of this level.
    Always,
}

#[derive(Default)]
enum Reading {
    #[default]
    Nothing,
    Name(Level),
    Body(Level, usize, String),
}

impl<'c, 'f, 's> Lemmas<'c, 'f, 's> {
    pub(super) fn new(clauses: &'c Clauses<'f, 's>) -> Lemmas<'c, 'f, 's> {
        Lemmas {
            clauses,
            found: BTreeMap::new(),
            reading: Reading::default(),
        }
    }

    /// Reads the next line. The level, where it begins a new one.
    pub(super) fn hear(&mut self, line: &str) -> Option<usize> {
        if let Some(rest) = line.strip_prefix("* LEVEL ") {
            self.reading = Reading::Nothing;
            return rest.trim().parse().ok();
        }
        self.reading = match std::mem::take(&mut self.reading) {
            _ if line.starts_with("** ") => line.strip_prefix("** add-lemma: ").and_then(level).into(),
            Reading::Nothing => Reading::Nothing,
            Reading::Name(level) => match self.location(line) {
                Some(location) => Reading::Body(level, location, String::new()),
                None => Reading::Nothing,
            },
            Reading::Body(level, location, text) if line.is_empty() => {
                self.add(level, location, text);
                Reading::Nothing
            }
            Reading::Body(_, _, text) if text.len() + line.len() > LONGEST => Reading::Nothing,
            Reading::Body(level, location, mut text) => {
                text.push_str(line);
                text.push('\n');
                Reading::Body(level, location, text)
            }
        };
        None
    }

    fn location(&self, name: &str) -> Option<usize> {
        let is_asked_for = self.clauses.relations().contains_key(name);
        is_asked_for.then(|| clauses::location(name)).flatten()
    }

    fn add(&mut self, level: Level, location: usize, text: String) {
        let known = self.found.entry((location, text)).or_insert(level);
        *known = level.max(*known);
        if self.found.len() > 4 * MOST {
            let kept = self.highest().into_iter().map(|(key, level)| (key.clone(), level));
            self.found = kept.collect();
        }
    }

    fn highest(&self) -> Vec<(&(usize, String), Level)> {
        let mut all: Vec<_> = self.found.iter().map(|(key, level)| (key, *level)).collect();
        all.sort_by_key(|(key, level)| (std::cmp::Reverse(*level), *key));
        all.truncate(MOST);
        all
    }

    /// The formula of a lemma, where that is one.
    fn read(&self, location: usize, text: &str) -> Option<Term> {
        let relation = clauses::name(location);
        let about = self.clauses.relations().get(&relation).into_iter().flatten();
        let names = about
            .enumerate()
            .map(|(number, term)| (format!("{relation}_{number}_n"), *term));
        read_formula_over(text, names.collect())
    }

    /// `c = l and x = k -> lemma`, for each lemma, and for what else is known where `x` is `k`.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let flow = self.clauses.flow();
        let known = (0..flow.locations()).filter(|location| flow.matters(*location));
        let known = known.flat_map(|location| flow.found(location).into_iter().map(move |fact| (location, fact)));
        let lemmas = self.highest().into_iter();
        let lemmas = lemmas.filter_map(|((location, text), _)| Some((*location, self.read(*location, text)?)));
        let fact = |(location, formula): (usize, Term)| {
            let value = flow.value(location);
            let here = flow.at(value).unwrap_or(term::bool(true));
            Fact {
                name: flow.name(value),
                formula: term::implies(term::and([here, flow.told_apart(location)]), formula),
                span: Span::default(),
            }
        };
        known.chain(lemmas).map(fact).collect()
    }
}

impl From<Option<Level>> for Reading {
    fn from(level: Option<Level>) -> Reading {
        level.map_or(Reading::Nothing, Reading::Name)
    }
}

/// That of the head of a lemma. What is true in no step says nothing.
fn level(head: &str) -> Option<Level> {
    match head.split_whitespace().next()? {
        "oo" => Some(Level::Always),
        steps => steps.parse().ok().filter(|steps| *steps > 0).map(Level::Steps),
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Flow;
    use super::super::testing::counting;
    use super::*;
    use logic::pretty::pretty;

    #[test]
    fn lemmas_are_read_and_nonsense_is_not() {
        let system = counting();
        let flow = Flow::of(&system).unwrap();
        let clauses = Clauses::new(&flow);
        let mut lemmas = Lemmas::new(&clauses);
        let text = "** expand-pob: P0 level: 1\n(> P0_0_n 9)\n\n\
            * LEVEL 1\n** add-lemma: 1 exprID: 4 pobID: 3\nP0\n(let ((a!1 (+ P0_0_n 1)))\n  (not (< a!1 P0_1_n)))\n\n\
            ** add-lemma: 0 exprID: 4 pobID: 3\nP0\nfalse\n\n\
            ** add-lemma: 1 exprID: 4 pobID: 3\nP0\n(f P0_0_n)\n\n\
            ** add-lemma: 1 exprID: 4 pobID: 3\nquery!0\nfalse\n\n\
            ** add-lemma: oo exprID: 4 pobID: 3\nP1\n(<= P1_0_n 20)\n\n\
            * LEVEL 2\n** add-lemma: 2 exprID: 4 pobID: 3\nP0\n(>= P0_0_n 0)";
        let levels: Vec<usize> = text.lines().filter_map(|line| lemmas.hear(line)).collect();
        assert_eq!(levels, [1, 2]);
        let facts: Vec<String> = lemmas.facts().iter().map(|fact| pretty(fact.formula)).collect();
        assert_eq!(facts, ["place = end -> y <= 20", "place = head -> x + 1 >= y"]);
    }
}
