//! "Did you mean ...?": the name that a slip of the finger would turn into another.

/// The candidate that looks most like the name, if one is close enough to have been meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A short name is as near to any other short name: only a change of case is a slip there.
    let limit = match name.chars().count() {
        0..=2 => 0,
        length => (length / 3).max(1),
    };
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters must be put in, left out, replaced, or exchanged with their neighbour. A change of case is free.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    // rows[i][j]: from the first i characters of a to the first j of b.
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, nearest};

    #[test]
    fn likely_slips_are_near() {
        assert_eq!(edit_distance("Idel", "Idle"), 1);
        assert_eq!(edit_distance("idle", "Idle"), 0);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(
            nearest("Exclsive", ["Shared", "Exclusive", "Invalid"]),
            Some("Exclusive")
        );
        assert_eq!(nearest("X", ["Turn", "Y"]), None);
        assert_eq!(nearest("p1", ["p2", "P1"]), Some("P1"));
    }
}
