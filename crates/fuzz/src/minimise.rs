//! Makes a failing input smaller.

/// Leaves lines out as long as the rest still fails; `fails` is asked at most `questions` times.
pub fn minimise_lines(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    minimise(lines, questions, &mut |lines| fails(&lines.concat())).concat()
}

/// The same, byte by byte in the end.
pub fn minimise_bytes(bytes: &[u8], questions: usize, fails: &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> {
    minimise(bytes.to_vec(), questions, fails)
}

/// Leaves out halves, quarters and so on.
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
    fn what_does_not_matter_goes() {
        let text: String = (0..50).map(|number| format!("line {number}\n")).collect();
        let small = minimise_lines(&text, 1000, &mut |text| {
            text.contains("line 7\n") && text.contains("line 31\n")
        });
        assert_eq!(small, "line 7\nline 31\n");
        assert_eq!(minimise_lines("a\nb\n", 0, &mut |_| true), "a\nb\n");
    }
}
