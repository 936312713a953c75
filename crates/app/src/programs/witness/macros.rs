//! Macros: a loop that one makes stands where the macro is used, and no statement of the file begins there.

use std::collections::{BTreeMap, BTreeSet};
use system::Sources;

const LOOPS: [&str; 4] = ["while", "for", "do", "goto"];

/// The macros of a program.
pub(super) struct Macros {
    /// The words of each definition; of several with one name, of all.
    words: BTreeMap<String, BTreeSet<String>>,
    /// Those that make loops, perhaps by others.
    looping: BTreeSet<String>,
}

impl Macros {
    pub(super) fn of(sources: &Sources) -> Macros {
        let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in std::iter::once(sources.model()).chain(sources.additions()) {
            let mut lines = file.text.lines();
            while let Some(line) = lines.next() {
                let Some(definition) = line.trim_start().strip_prefix('#') else {
                    continue;
                };
                let Some(definition) = definition.trim_start().strip_prefix("define") else {
                    continue;
                };
                let mut definition = definition.to_owned();
                while definition.ends_with('\\') {
                    definition.pop();
                    definition.push(' ');
                    definition.push_str(lines.next().unwrap_or_default());
                }
                let mut found = identifiers(&definition);
                if let Some(name) = found.next() {
                    words
                        .entry(name.to_owned())
                        .or_default()
                        .extend(found.map(str::to_owned));
                }
            }
        }
        let mut looping: BTreeSet<String> = LOOPS.map(str::to_owned).into();
        loop {
            let is_new = |(name, words): &(&String, &BTreeSet<String>)| {
                !looping.contains(*name) && words.iter().any(|word| looping.contains(word))
            };
            let new: Vec<String> = words.iter().filter(is_new).map(|(name, _)| name.clone()).collect();
            if new.is_empty() {
                break;
            }
            looping.extend(new);
        }
        LOOPS.iter().for_each(|word| {
            looping.remove(*word);
        });
        Macros { words, looping }
    }

    /// Whether a text begins with the use of a macro: of one that makes loops, where these are asked for.
    pub(super) fn begins(&self, text: &str, is_looping: bool) -> bool {
        let first = identifiers(text).next().filter(|word| text.starts_with(word));
        first.is_some_and(|word| match is_looping {
            true => self.looping.contains(word),
            false => self.words.contains_key(word),
        })
    }
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|each: char| !(each.is_alphanumeric() || each == '_'));
    words.filter(|word| word.starts_with(|first: char| !first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::SourceFile;

    #[test]
    fn macros_that_make_loops_are_known() {
        let text = "#define LESS(a, b) ((a) < (b))\n# define EACH(i, n) \\\n  for (i = 0; LESS(i, n); i++)\n\
                    #define TWICE(x) EACH(k, 2) x\nint main(void) { }\n";
        let macros = Macros::of(&Sources::new(SourceFile::new("a.c", text)));
        assert!(macros.begins("EACH(i, 3) x++;", true) && macros.begins("TWICE(x++);", true));
        assert!(!macros.begins("LESS(x, 3)", true) && macros.begins("LESS(x, 3)", false));
        assert!(!macros.begins("(LESS(x, 3))", false) && !macros.begins("main()", false));
        assert!(!macros.begins("while (x) ;", true));
    }
}
