//! The running example of Lahiri and Bryant (VMCAI 2004), with the sets that it must reach.

#![allow(clippy::unwrap_used, clippy::panic)]

use abstraction::indexed::Reachability;
use bdd::Manager;
use system::transition::Predicate;
use system::{SourceFile, TransitionSystem};

/// `F = lambda u. u` at first; a step makes `F(i)` what `F(i + 1)` was.
const EXAMPLE: &str = "
var F: array [integer] of integer;
index x: integer;
startstate \"identity\"
begin
end;
ruleset i: integer do rule \"copy\" true ==> F[i] := F[i + 1]; end end;
predicate \"p\" F[x] >= 0;
predicate \"q\" x >= 0;
invariant \"non-negative\" forall x: integer do x >= 0 -> F[x] >= 0 end;
";

fn example() -> TransitionSystem {
    let file = SourceFile::new("running-example.m", EXAMPLE);
    let (program, found) = murphi::parse(&file);
    assert!(found.is_empty(), "{found:?}");
    let (model, found) = murphi::check(&program, &murphi::CheckOptions::default());
    assert!(found.iter().all(|d| d.severity != system::Severity::Error), "{found:?}");
    murphi::lower(&model).ok().unwrap().system
}

#[test]
fn the_running_example_reaches_what_the_paper_says() {
    let mut system = example();
    // A start that says F = lambda u. u, which Murphi's loops cannot.
    let function = system.state[0].function;
    let u = logic::Variable::new("u", logic::Sort::Int);
    system.starts[0].choices.clear();
    system.starts[0].updates = vec![system::transition::Update {
        function,
        parameters: vec![u],
        value: u.term(),
    }];
    let solvers = smt::Solvers::default();
    let predicates: Vec<Predicate> = system.predicates.clone();
    let mut reachability = Reachability::new(&system, &predicates, &solvers);
    let [p, q] = [0, 2].map(|v| reachability.manager.variable(v));
    let equivalent = reachability.manager.iff(p, q);
    let not_q = reachability.manager.not(q);
    let implied = reachability.manager.or(p, not_q);

    let rho_0 = reachability.initial().unwrap().unwrap();
    assert_eq!(rho_0, equivalent);
    let rho_1 = reachability.next(rho_0).unwrap().unwrap();
    assert_eq!(rho_1, implied);
    assert_eq!(reachability.next(rho_1).unwrap(), Some(rho_1));

    let reached = reachability.fixpoint(&mut |_, _| ()).unwrap().unwrap();
    assert_eq!(reached.iterations, 2);
    assert_eq!(reached.abstract_states, 3.0);
    assert_ne!(rho_1, Manager::TRUE);
    assert_eq!(reached.facts.len(), 1);
}
