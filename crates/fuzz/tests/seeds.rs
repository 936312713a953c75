//! The solver's seed may change the intermediate results of a proof, but never the verdict.

#![allow(clippy::panic)]

use fuzz::engine::{Claim, ENGINES, EngineOptions, answer};
use fuzz::source::Source;
use logic::Cancellation;

/// A process enters only if no other is inside; where `busy` is not set, another may follow.
const MUTEX: &str = "
type NODE: scalarset(2);
var busy: boolean; inside: array [NODE] of boolean;
startstate busy := false; for n: NODE do inside[n] := false; end; end;
ruleset n: NODE do
  rule \"enter\" !busy ==> BUSY inside[n] := true; end;
  rule \"leave\" inside[n] ==> busy := false; inside[n] := false; end;
end;
invariant \"one\" forall m: NODE; n: NODE do inside[m] & inside[n] -> m = n end;
";

#[test]
fn engines_alone_agree_for_every_seed() {
    for (text, is_safe) in [
        (MUTEX.replace("BUSY", "busy := true;"), true),
        (MUTEX.replace("BUSY", ""), false),
    ] {
        let source = Source::new("mutex.m", text);
        for (name, engine) in ENGINES {
            for seed in 0..20 {
                let mut effort = EngineOptions::new(engine, &Cancellation::new());
                effort.solvers = effort.solvers.with_seed(seed);
                match answer(&source, &effort).claim {
                    Claim::Proved(_) => assert!(is_safe, "{name}, seed {seed}: proved"),
                    Claim::Refuted(_) => assert!(!is_safe, "{name}, seed {seed}: refuted"),
                    // It proves, but does not refute.
                    Claim::Unknown(_) if *engine == "strengthening" && !is_safe => {}
                    Claim::Unknown(reason) => panic!("{name}, seed {seed}: {reason}"),
                }
            }
        }
    }
}
