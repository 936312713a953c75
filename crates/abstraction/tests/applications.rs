//! Applications of Lahiri and Bryant (VMCAI 2004) with the predicates that the models declare: an end is reached, and
//! soon.

#![allow(clippy::unwrap_used, clippy::panic)]

use abstraction::indexed::{Reachability, Reached};
use system::transition::Predicate;
use system::{SourceFile, TransitionSystem};

/// A model of models/.
fn model(name: &str) -> TransitionSystem {
    let path = format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"));
    lowered(&std::fs::read_to_string(path).unwrap())
}

fn lowered(text: &str) -> TransitionSystem {
    let file = SourceFile::new("model.m", text);
    let (program, found) = murphi::parse(&file);
    assert!(found.is_empty(), "{found:?}");
    let (model, found) = murphi::check(&program, &murphi::CheckOptions::default());
    assert!(found.iter().all(|d| d.severity != system::Severity::Error), "{found:?}");
    murphi::lower(&model).ok().unwrap().system
}

fn reached(system: &TransitionSystem, is_used: impl Fn(&Predicate) -> bool) -> (Reached, u64) {
    let solvers = smt::Solvers::default();
    let predicates: Vec<Predicate> = system.predicates.iter().filter(|p| is_used(p)).cloned().collect();
    let mut reachability = Reachability::new(system, &predicates, &solvers);
    let reached = reachability.fixpoint(&mut |_, _| ()).unwrap().unwrap();
    (reached, solvers.statistics().total())
}

#[test]
fn the_bakery_converges() {
    let (reached, checks) = reached(&model("bakery-non-atomic.m"), |_| true);
    assert!(reached.iterations > 1 && !reached.facts.is_empty());
    assert!(checks < 1500, "{checks}");
}

/// As many facts as the invariants that were once written by hand for it (13), and one more; far fewer checks than
/// abstract states.
#[test]
fn the_out_of_order_unit_has_few_facts() {
    let (reached, checks) = reached(&model("out-of-order.m"), |_| true);
    assert_eq!(reached.facts.len(), 14);
    assert!(
        checks < 4000 && f64::from(u32::try_from(checks).unwrap()) < reached.abstract_states,
        "{checks}"
    );
}

/// Without the predicates about requests, which the property does not need: with them it takes longer.
#[test]
fn german_with_queues_converges() {
    let about_requests = |predicate: &Predicate| {
        ["requests", "i asks", "i is served"]
            .iter()
            .any(|w| predicate.name.starts_with(w))
    };
    let (reached, checks) = reached(&model("german-fifo.m"), |predicate| !about_requests(predicate));
    assert!(reached.iterations > 1 && !reached.facts.is_empty());
    assert!(checks < 2000, "{checks}");
}

/// What a list holds is as the model has it.
#[test]
fn lists_are_arranged() {
    let text = "
type P: scalarset(2); M: enum { give, take };
var channel: array [P] of list of M; right: array [P] of boolean; free: boolean;
index i, j: P;
predicate \"same\" i = j;
predicate \"free\" free;
predicate \"right of i\" right[i];
predicate \"right of j\" right[j];
predicate \"nothing to i\" empty(channel[i]);
predicate \"give to i\" head(channel[i]) = give;
predicate \"nothing to j\" empty(channel[j]);
predicate \"no more to i\" length(channel[i]) <= 1;
startstate free := true; for p: P do channel[p] := []; right[p] := false; end; end;
ruleset p: P do
  rule \"send\" free ==> free := false; channel[p] := append(channel[p], give); end;
  rule \"receive\" !empty(channel[p]) & head(channel[p]) = give ==> right[p] := true; channel[p] := tail(channel[p]); end;
  rule \"return\" right[p] ==> right[p] := false; free := true; end;
end;
";
    let (reached, _) = reached(&lowered(text), |_| true);
    assert_eq!((reached.iterations, reached.abstract_states), (2, 18.0));
}

/// As many abstract states as when each step took the image of all rules at once, in half the iterations.
#[test]
fn german_converges() {
    let (reached, checks) = reached(&model("german.m"), |_| true);
    assert_eq!((reached.iterations, reached.abstract_states), (6, 120.0));
    assert!(checks < 150, "{checks}");
}
