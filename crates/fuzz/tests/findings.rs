//! What the harness found once, and must not find again. The first line of each model says what is true of it.

use fuzz::engine::{Claim, ENGINES};
use fuzz::isolation::Ended;
use fuzz::oracle::{Effort, explore_sizes};
use fuzz::source::Source;
use fuzz::systems::{Plan, ask, verdict_on};
use std::path::Path;
use std::time::Duration;

#[test]
fn what_was_wrong_is_right() {
    let plan = Plan {
        allowed: Duration::from_secs(3),
        ..Plan::default()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let is_safe = text.starts_with("-- safe;") || text.starts_with("(* safe;");
        let is_unsafe = text.starts_with("-- unsafe;") || text.starts_with("(* unsafe;");
        let source = Source::new(name.as_str(), text);
        assert!(is_safe || is_unsafe, "{name} does not say what it is");
        assert!(matches!(source.agreement(2, 1000), Ok(Ok(()))), "{name}");
        let truth = explore_sizes(&source, Effort::default());
        assert_eq!(truth.violated.is_some(), is_unsafe, "{name}");
        for (engine_name, engine) in ENGINES {
            let Ended::Well(answer) = ask(&source, *engine, &plan) else {
                panic!("{name}: {engine_name} panics or hangs");
            };
            assert_eq!(
                verdict_on(&answer.claim, &source, &truth),
                None,
                "{name}: {engine_name}"
            );
            let fits = match answer.claim {
                Claim::Proved(_) => is_safe,
                Claim::Refuted(_) => is_unsafe,
                Claim::Unknown(_) => true,
            };
            assert!(fits, "{name}: {engine_name}");
        }
    }
}
