//! Systems that are wrong behind a guard are noticed, and those that only do more are not.

use super::*;
use crate::beside::Findings;
use crate::check::ModelCheck;
use crate::context::Context;
use crate::engines;
use crate::input::Input;
use crate::mistake::MistakeKind;
use crate::model::{LoweredModel, Question};
use crate::portfolio::{Engines, PORTFOLIO};
use crate::subject::{Answer, ProofAttempt, Subject};
use system::transition::Rule as Step;

/// No run reaches the rule: the start is far away, and nothing moves it.
const HARD: &str = "type P: scalarset(2); L: list of 0..3;
var x: integer; y: integer; bad: boolean; st: array [P] of boolean; l: L; u: 0..3;
startstate begin x := 0; y := 0; bad := false; u := 0; l := []; for p: P do st[p] := false; end; end;
ruleset p: P do
  rule \"up\" !st[p] ==> begin st[p] := true; if isundefined(u) then u := 0; else undefine u; end; end;
  rule \"hard\" x - y == 98765 & x + 2*y == 949766 & st[p] ==> begin
    y := y + 1;
    if length(l) < 2 then l := append(l, 1); end;
    if x > 0 & !bad then
      st[p] := false;
      assert \"far\" exists q: P do st[q] end;
    end;
  end;
end;
invariant \"ok\" !bad;
";

fn hard() -> String {
    HARD.replace(" == ", " = ")
}

struct Model(Question);

impl Model {
    fn new(name: &str, text: &str) -> Model {
        let file = std::env::temp_dir().join(format!("cubist-behind-{name}-{}.m", std::process::id()));
        std::fs::write(&file, text).unwrap();
        Model(Question {
            file,
            ..Question::default()
        })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0.file);
    }
}

fn context() -> Context<'static> {
    Context::silent(Solvers::default())
}

/// What the net says where the system is spoilt like this.
fn looked(name: &str, text: &str, spoil: impl FnOnce(&mut TransitionSystem)) -> Result<StepCheck, explore::Difference> {
    let model = Model::new(name, text);
    let mut subject = LoweredModel::of(Input::read(&model.0.file, &model.0.reading).unwrap()).unwrap();
    spoil(&mut subject.system);
    let task = ModelTask {
        question: &model.0,
        subject: &subject,
        context: context(),
        folder: None,
    };
    let looked = check_steps(&task).expect("an instance");
    looked.map_err(|found| found.disagreement.kind)
}

fn rule<'s>(system: &'s mut TransitionSystem, name: &str) -> &'s mut Step {
    let mut rules = system.rules.iter_mut();
    rules
        .find(|rule| rule.name == name && !rule.updates.is_empty())
        .unwrap()
}

fn without(system: &mut TransitionSystem, name: &str, variable: &str) {
    let symbol = system
        .state
        .iter()
        .find(|symbol| symbol.display.starts_with(variable))
        .unwrap();
    let function = symbol.function;
    let updates = &mut rule(system, name).updates;
    let before = updates.len();
    updates.retain(|update| update.function != function);
    assert!(updates.len() < before);
}

#[test]
fn a_right_system_agrees() {
    let behind = looked("right", &hard(), |_| ()).unwrap();
    assert_eq!((behind.rules, behind.of), (2, 2), "{behind:?}");
    assert!(behind.states >= 6, "{behind:?}");
}

#[test]
fn an_update_that_is_lost_behind_a_guard_is_noticed() {
    for variable in ["y", "st", "l"] {
        let found = looked("lost", &hard(), |system| without(system, "hard", variable));
        assert_eq!(found.err(), Some(explore::Difference::Successor), "{variable}");
    }
}

#[test]
fn other_mistakes_behind_a_guard_are_noticed() {
    let never = looked("never", &hard(), |system| {
        rule(system, "hard").guard = term::bool(false)
    });
    assert_eq!(never.unwrap_err(), explore::Difference::Guard);
    let another = looked("another", &hard(), |system| {
        let update = &mut rule(system, "hard").updates;
        update
            .iter_mut()
            .filter(|u| u.value.sort() == Sort::Int)
            .for_each(|u| u.value = term::int(7));
    });
    assert_eq!(another.unwrap_err(), explore::Difference::Successor);
    let unasserted = looked("unasserted", &hard(), |system| {
        system.rules.iter_mut().for_each(|rule| rule.assertions.clear());
    });
    assert_eq!(unasserted.unwrap_err(), explore::Difference::MissedFault);
    let property = looked("property", &hard(), |system| {
        system.properties[0].formula = term::bool(true)
    });
    assert_eq!(property.unwrap_err(), explore::Difference::Property);
}

/// A system that does more than the instance proves less, and nothing wrong.
#[test]
fn more_behaviour_is_no_mistake() {
    let always = looked("always", &hard(), |system| {
        rule(system, "hard").guard = term::bool(true)
    });
    assert!(always.is_ok(), "{always:?}");
    let stronger = looked("stronger", &hard(), |system| {
        system.properties[0].formula = term::bool(false)
    });
    assert!(stronger.is_ok(), "{stronger:?}");
}

/// Axioms, multisets and unions: states are those that the types and the assumptions allow.
#[test]
fn chosen_states_are_possible() {
    let text = "uninterpreted k: integer; axiom \"k\" k >= 5;
type P: scalarset(2); Q: scalarset(2); U: union { P, Q }; B: multiset [2] of U;
var b: B; u: U; n: integer; f: boolean;
startstate begin undefine b; n := k; f := false; clear u; end;
choose i: b do rule \"take\" n = k + 1234567 ==> begin u := b[i]; multisetremove(i, b); end; end;
ruleset p: P do rule \"put\" n > k & multisetcount(i: b, true) < 2 ==> begin multisetadd(p, b); n := n - k; end; end;
invariant \"few\" !f;
";
    let behind = looked("possible", text, |_| ()).unwrap();
    assert_eq!((behind.rules, behind.of), (2, 2), "{behind:?}");
    let found = looked("multiset", text, |system| without(system, "put", "n"));
    assert_eq!(found.unwrap_err(), explore::Difference::Successor);
}

/// From the question to the answer: a proof of a system that lost an update is a mistake, and no verdict.
#[test]
fn a_proof_of_a_wrong_system_is_a_mistake() {
    if crate::solvers::solvers().is_empty() {
        return;
    }
    let model = Model::new("mistake", &hard());
    let answer = |spoil: &dyn Fn(&mut TransitionSystem)| {
        let engines = Engines::new(&PORTFOLIO, None);
        let context = context();
        let check = ModelCheck::new(&model.0, &context).unwrap();
        let mut lowered = LoweredModel::of(Input::read(&model.0.file, &model.0.reading).unwrap()).unwrap();
        spoil(&mut lowered.system);
        let attempt = {
            let Some(lowered) = check.lowered.get_or_init(|| Some(lowered)) else {
                unreachable!("it was just made");
            };
            engines::prove(&check, &check.task(lowered, &context), engines).unwrap()
        };
        assert!(matches!(attempt, ProofAttempt::Proved(_)));
        let findings = Findings {
            proving: Some(Ok(attempt)),
            ..Findings::default()
        };
        check.conclude(findings, engines).unwrap()
    };
    let without_mistake = answer(&|_| ());
    assert!(matches!(without_mistake, Answer::Decided(_)));
    let Answer::Mistake(mistake) = answer(&|system| without(system, "hard", "y")) else {
        panic!("the mistake is not noticed");
    };
    assert_eq!(mistake.kind, MistakeKind::WrongSystem);
}

/// Which numbers the system chooses, the search does not find out. What comes before them it notices all the same.
#[test]
fn numbers_that_are_not_found_are_no_mistake() {
    let text = "type P: scalarset(2); Q: scalarset(2); U: union {P, Q};
var f: boolean; n: integer; m: integer;
function cu(): integer; var k: integer; begin k := 0; for u: U do k := k + 1 end; return k; end;
startstate n := 0; m := 0; f := false; end;
rule \"count\" m < 50 ==> n := cu(); m := n + cu(); f := !f; end;
invariant \"u\" n = 0 | m = 2*n;
";
    let behind = looked("numbers", text, |_| ()).unwrap();
    assert_eq!((behind.rules, behind.of), (1, 1), "{behind:?}");
    let found = looked("numbers-lost", text, |system| without(system, "count", "f"));
    assert_eq!(found.unwrap_err(), explore::Difference::Successor);
}
