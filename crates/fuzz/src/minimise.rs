//! Delta debugging: minimises failing inputs.

/// Removes lines as long as the rest still fails; calls `fails` at most `questions` times.
pub fn minimise_lines(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    minimise(lines, questions, &mut |lines| fails(&lines.concat())).concat()
}

/// For programs: removes lines, then pairs of lines, such as the first and last one of a loop, then words.
pub fn minimise_program(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut text = minimise_lines(text, questions, fails);
    text = minimise_pairs(&text, questions * 2, fails);
    text = minimise_lines(&text, questions, fails);
    text = minimise_words(&text, questions * 4, fails);
    minimise_pairs(&text, questions, fails)
}

/// Removes two lines at once.
fn minimise_pairs(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut left = questions;
    let mut first = 0;
    while first < lines.len() {
        let mut second = first + 1;
        let mut removed = false;
        while second < lines.len() && left > 0 && !removed {
            left -= 1;
            let kept = lines.iter().enumerate().filter(|(n, _)| *n != first && *n != second);
            let rest: Vec<&str> = kept.map(|(_, line)| *line).collect();
            if fails(&rest.concat()) {
                lines = rest;
                removed = true;
            }
            second += 1;
        }
        first += usize::from(!removed);
    }
    lines.concat()
}

/// Removes up to thirty words at once.
fn minimise_words(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut words = words(text);
    let mut left = questions;
    for length in [30, 20, 14, 10, 8, 6, 5, 4, 3, 2, 1] {
        let mut start = 0;
        while start + length <= words.len() && left > 0 {
            let rest: Vec<&str> = [&words[..start], &words[start + length..]].concat();
            left -= 1;
            if fails(&rest.concat()) {
                words = rest;
            } else {
                start += 1;
            }
        }
    }
    words.concat()
}

/// Names, numbers, strings and operators, each with the preceding whitespace.
fn words(text: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let blanks = rest.len() - rest.trim_start().len();
        let Some(first) = rest[blanks..].chars().next() else {
            break;
        };
        let body = if is_name(first) {
            rest[blanks..].find(|c| !is_name(c))
        } else if first == '"' {
            rest[blanks + 1..].find('"').map(|end| end + 2)
        } else if ":=-><!.".contains(first) {
            rest[blanks..].find(|c| !":=-><!.".contains(c))
        } else {
            Some(first.len_utf8())
        };
        let end = body.map_or(rest.len(), |body| blanks + body);
        let (word, others) = rest.split_at(end);
        words.push(word);
        rest = others;
    }
    if !rest.is_empty() {
        words.push(rest);
    }
    words
}

/// Like `minimise_lines`, byte by byte.
pub fn minimise_bytes(bytes: &[u8], questions: usize, fails: &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> {
    minimise(bytes.to_vec(), questions, fails)
}

/// Removes halves, quarters and so on.
fn minimise<T: Copy>(mut pieces: Vec<T>, questions: usize, fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut left = questions;
    let mut chunk = pieces.len() / 2;
    while chunk > 0 {
        let mut start = 0;
        let mut removed = false;
        while start < pieces.len() {
            let end = (start + chunk).min(pieces.len());
            let rest: Vec<T> = pieces[..start].iter().chain(&pieces[end..]).copied().collect();
            if left == 0 {
                return pieces;
            }
            left -= 1;
            if fails(&rest) {
                pieces = rest;
                removed = true;
            } else {
                start = end;
            }
        }
        if !removed {
            chunk /= 2;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_program_words_go_too() {
        let text = "if a & (b | c) then\n  x := 1;\nend;\ny := 2;\n";
        let small = minimise_program(text, 500, &mut |text| {
            text.contains("x := 1") && text.contains('(') == text.contains(')')
        });
        assert_eq!(small.trim(), "x := 1");
        assert_eq!(words(text).concat(), text);
    }

    #[test]
    fn what_does_not_matter_goes() {
        let text: String = (0..50).map(|number| format!("line {number}\n")).collect();
        let small = minimise_lines(&text, 1000, &mut |text| {
            text.contains("line 7\n") && text.contains("line 31\n")
        });
        assert_eq!(small, "line 7\nline 31\n");
        assert_eq!(minimise_lines("a\nb\n", 0, &mut |_| true), "a\nb\n");
    }
}
