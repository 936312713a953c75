//! What rules are about and a program does not have.

use crate::arguments::Meaning;
use crate::terminal::{counted, listed};
use c::Unit;
use std::collections::BTreeMap;
use system::Diagnostic;

/// A rule about a library names more functions than a message should.
const NAMED: usize = 4;

/// The rule and the function, where a note says that the program does not have what an event is about.
fn absent<'a>(unit: &'a Unit, meaning: &Meaning, note: &Diagnostic) -> Option<(&'a str, String)> {
    if note.span.is_nowhere() {
        return None;
    }
    let file = unit.sources.file(note.span);
    let mut rules = meaning.rule.iter();
    rules.find(|path| path.display().to_string() == file.name)?;
    // Such as `after stream = fopen(_, _)`.
    let event = file.text.get(note.span.start as usize..note.span.end as usize)?;
    let call = event.strip_prefix("before").or_else(|| event.strip_prefix("after"))?;
    let name = call.split('(').next()?.split_whitespace().last()?;
    Some((&file.name, format!("`{name}`")))
}

/// The names of all such functions, shortened; `None` where there are none.
pub(super) fn absent_functions(unit: &Unit, meaning: &Meaning) -> Option<String> {
    let names: Vec<String> = by_rule(unit, meaning).into_values().flatten().collect();
    (!names.is_empty()).then(|| shortened(names))
}

/// ``a`, `b`, `c`, `d` and 3 others``
fn shortened(mut names: Vec<String>) -> String {
    let others = names.len().saturating_sub(NAMED);
    if others > 1 {
        names.truncate(NAMED);
        names.push(counted(others, "other"));
    }
    listed(&names)
}

/// The same, a sentence for each rule.
pub(super) fn unheard(unit: &Unit, meaning: &Meaning) -> Vec<String> {
    let rules = by_rule(unit, meaning).into_iter();
    let sentence = |(rule, names): (&str, Vec<String>)| {
        format!("{rule} is about {}, which the program does not have", shortened(names))
    };
    rules.map(sentence).collect()
}

/// The other warnings and notes: a rule may be about much that one program does not need, and is told of last.
pub(super) fn complaints(unit: &Unit, meaning: &Meaning) -> Vec<Diagnostic> {
    let notes = unit.diagnostics.iter();
    let others = notes.filter(|note| absent(unit, meaning, note).is_none());
    others.cloned().collect()
}

fn by_rule<'a>(unit: &'a Unit, meaning: &Meaning) -> BTreeMap<&'a str, Vec<String>> {
    let mut rules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (rule, name) in unit.diagnostics.iter().filter_map(|note| absent(unit, meaning, note)) {
        let names = rules.entry(rule).or_default();
        // Several events may be about one function.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    rules
}
