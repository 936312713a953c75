//! "Did you mean ...?"

/// The candidate that looks most like the name, if one is close enough to have been meant.
pub(super) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A short name is as near to any other short name: only a change of case is a slip there.
    let limit = match name.chars().count() {
        0..=2 => 0,
        length => (length / 3).max(1),
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters must be put in, left out, replaced, or exchanged with their neighbour. A change of case is free.
fn distance(a: &str, b: &str) -> usize {
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
    use super::{closest, distance};

    #[test]
    fn likely_slips_are_near() {
        assert_eq!(distance("Idel", "Idle"), 1);
        assert_eq!(distance("idle", "Idle"), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(
            closest("Exclsive", ["Shared", "Exclusive", "Invalid"]),
            Some("Exclusive")
        );
        assert_eq!(closest("X", ["Turn", "Y"]), None);
        assert_eq!(closest("p1", ["p2", "P1"]), Some("P1"));
    }
}
