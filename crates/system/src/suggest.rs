//! "Did you mean ...?": the candidate that a typo would turn into the given name.

/// No suggestions beyond this many names or this name length: a file with thousands of unknown names does not suffer
/// from typos.
const MOST: usize = 3000;
const LONGEST: usize = 200;

/// The closest candidate, if it is close enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Any two short names are close: only a change of case counts as a typo there.
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

/// The number of characters to insert, delete, replace or transpose. A change of case is free.
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
