//! Makes a failing input smaller, line by line.

/// Leaves lines out as long as the rest still fails; `fails` is asked at most `questions` times.
pub fn minimise_lines(text: &str, questions: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut left = questions;
    let mut chunk = lines.len() / 2;
    while chunk > 0 {
        let mut start = 0;
        let mut removed = false;
        while start < lines.len() {
            let end = (start + chunk).min(lines.len());
            let rest: Vec<&str> = lines[..start].iter().chain(&lines[end..]).copied().collect();
            if left == 0 {
                return lines.concat();
            }
            left -= 1;
            if fails(&rest.concat()) {
                lines = rest;
                removed = true;
            } else {
                start = end;
            }
        }
        if !removed {
            chunk /= 2;
        }
    }
    lines.concat()
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
