//! "Did you mean ...?": the name that a slip of the finger would turn into another.

/// Among more names, and for longer ones, nothing is suggested: a file with thousands of unknown names is none that
/// has a
/// slip or two.
const MOST: usize = 3000;
const LONGEST: usize = 200;

/// The candidate that looks most like the name, if one is close enough to have been meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A short name is as near to any other short name: only a change of case is a slip there.
    let limit = match name.chars().count() {
        0..=2 => 0,
        length => (length / 3).max(1),
    };
    let candidates: Vec<&str> = candidates.into_iter().take(MOST + 1).collect();
    if candidates.len() > MOST || name.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST + LONGEST / 3)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters must be put in, left out, replaced, or exchanged with their neighbour. A change of case is free.
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
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
