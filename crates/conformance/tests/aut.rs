#![allow(clippy::unwrap_used)]
use conformance::aut;
use conformance::lts::{Actions, TAU};
use system::SourceFile;

#[test]
fn what_is_written_is_read_again() {
    let text = "des (0, 3, 3)\n(0, \"lock\", 1)\n(1, \"i\", 2)\n(1, \"return {$0 == 0, 1}\", 2)\n";
    let mut actions = Actions::default();
    let lts = aut::read(&SourceFile::new("a.aut", text), &mut actions).unwrap();
    assert_eq!(lts.states(), 3);
    assert_eq!(lts.successors(1, TAU).collect::<Vec<_>>(), [2]);
    assert_eq!(aut::write(&lts, &actions), text);
}

#[test]
fn mistakes_have_places() {
    for (text, place) in [
        ("", 0),
        ("des (0, 1)\n", 0),
        ("des (3, 0, 3)\n", 0),
        ("des (0, 2, 2)\n(0, \"a\", 1)\n\n  (0, \"a\", 2)\n", 29),
        ("des (0, 2, 2)\n(0, \"a\"", 14),
    ] {
        let found = aut::read(&SourceFile::new("a.aut", text), &mut Actions::default()).unwrap_err();
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].span.start, place, "{text}");
    }
}
