//! C templates with holes, for constructs that random statements lack.
//!
//! - `$@`: a fresh number for each use of the template;
//! - `$[1,9]`: a number from 1 to 9;
//! - `$(a|b|c)`: one of these, which may contain holes;
//! - `$name=(a|b|c)`: the same, stored as `$name`; `$!name=(…)` stores it without output;
//! - `#int` as the only alternative: any integer type; `#narrow`: one that is promoted; `#e`: a constant expression.

use super::Generator;
use super::view::KINDS;
use std::collections::BTreeMap;

impl Generator {
    /// Fills the holes of a template.
    pub fn filled(&mut self, template: &str) -> String {
        let number = self.number();
        let mut names = BTreeMap::new();
        self.fill(template, number, &mut names)
    }

    fn fill(&mut self, template: &str, number: usize, names: &mut BTreeMap<String, String>) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, hole)) = rest.split_once('$') {
            text.push_str(before);
            if let Some(after) = hole.strip_prefix('@') {
                text.push_str(&number.to_string());
                rest = after;
            } else if let Some((range, after)) = hole.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
                text.push_str(&self.in_range(range).to_string());
                rest = after;
            } else if hole.starts_with('(') {
                let (inside, after) = enclosed(hole);
                text.push_str(&self.alternative(inside, number, names));
                rest = after;
            } else {
                let (is_silent, hole) = match hole.strip_prefix('!') {
                    Some(hole) => (true, hole),
                    None => (false, hole),
                };
                let end = hole.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(hole.len());
                let (name, after) = hole.split_at(end);
                rest = after;
                if let Some(choice) = after.strip_prefix('=').filter(|choice| choice.starts_with('(')) {
                    let (inside, after) = enclosed(choice);
                    let chosen = self.alternative(inside, number, names);
                    names.insert(name.to_owned(), chosen);
                    rest = after;
                }
                if !is_silent {
                    text.push_str(names.get(name).map_or("", String::as_str));
                }
            }
        }
        text.push_str(rest);
        text
    }

    fn in_range(&mut self, range: &str) -> i64 {
        let (low, high) = range.split_once(',').unwrap_or((range, range));
        let low: i64 = low.trim().parse().unwrap_or(0);
        let high: i64 = high.trim().parse().unwrap_or(low);
        low + self.dice.roll(usize::try_from(high - low + 1).unwrap_or(1)) as i64
    }

    fn alternative(&mut self, inside: &str, number: usize, names: &mut BTreeMap<String, String>) -> String {
        match inside {
            "#int" => KINDS[self.kind()].name.to_owned(),
            "#narrow" => KINDS[1 + self.dice.roll(5)].name.to_owned(),
            "#e" => self.constant_expression(2).argument(),
            _ => {
                let all = alternatives(inside);
                let chosen = *self.dice.pick(&all);
                self.fill(chosen, number, names)
            }
        }
    }
}

/// The content of the parentheses at the start of a text, and the text after them.
fn enclosed(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (position, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[1..position], &text[position + 1..]);
        }
    }
    (text.get(1..).unwrap_or(""), "")
}

/// Splits at bars outside of parentheses.
fn alternatives(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (position, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => {
                all.push(&text[from..position]);
                from = position + 1;
            }
            _ => {}
        }
    }
    all.push(&text[from..]);
    all
}
