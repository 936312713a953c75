//! The worked examples of S. Das, Predicate Abstraction (thesis, Stanford 2003), step by step.
//!
//! Abstract states are written as there: one digit for each predicate, `-` for one that does not matter.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::goal::{Goal, goals};
use abstraction::predicate::approximate::{Abstraction, ReachabilityResult, facts};
use abstraction::predicate::discovery::unroll::{Run, partial};
use abstraction::predicate::discovery::{Analysis, Discovery};
use abstraction::predicate::implicit::{self, abstract_next_states};
use abstraction::predicate::machine::{AbstractTrace, Machine, Search, cube};
use abstraction::predicate::query::{Literal, Possible, Query};
use bdd::{Bdd, Manager};
use common::{declared, library, lowered};
use deduction::GroundSolver;
use deduction::Grounding;
use logic::{Function, Kind, Sort, Term, Variable, term};
use smt::{Answer, Purpose, Solvers};
use system::TransitionSystem;

/// Figure 2.7. A node is in `init` or `critical`; a cell that the thesis calls busy is in the critical section.
const MUTUAL_EXCLUSION: &str = "
type CELL: scalarset(2); MESSAGE: scalarset(3);
  PLACE: enum { init, critical }; SORT: enum { invalid, request, grant, release };
uninterpreted a, b: CELL;
axiom \"two cells\" a != b;
var place: array [CELL] of PLACE; sort: array [MESSAGE] of SORT; cell: array [MESSAGE] of CELL;
  owner: CELL; busy: boolean;
startstate
  for c: CELL do place[c] := init; end;
  for m: MESSAGE do sort[m] := invalid; end;
  havoc cell; havoc owner; busy := false;
end;
ruleset c: CELL; m: MESSAGE do
  rule \"client 1\" place[c] = init & sort[m] = invalid ==> sort[m] := request; cell[m] := c; end;
  rule \"client 2\" place[c] = init & sort[m] = grant & cell[m] = c ==> sort[m] := invalid; place[c] := critical; end;
  rule \"client 3\" place[c] = critical & sort[m] = invalid ==> sort[m] := release; cell[m] := c; place[c] := init; end;
end;
ruleset m: MESSAGE do
  rule \"server 1\" !busy & sort[m] = request ==> sort[m] := grant; owner := cell[m]; busy := true; end;
  rule \"server 2\" busy & sort[m] = release & cell[m] = owner ==> sort[m] := invalid; busy := false; end;
end;
invariant \"mutual exclusion\" !(place[a] = critical & place[b] = critical);
predicate \"a\" place[a] = critical;
predicate \"b\" place[b] = critical;
";
const CLIENT_1: usize = 0;
const CLIENT_2: usize = 1;
const SERVER_1: usize = 3;

fn mutual_exclusion(predicates: &str) -> (TransitionSystem, Goal) {
    let system = lowered(&format!("{MUTUAL_EXCLUSION}{predicates}"));
    let goal = only_goal(&system);
    (system, goal)
}

fn only_goal(system: &TransitionSystem) -> Goal {
    let property = &system.properties[0];
    goals(&property.name, property.formula, system).remove(0)
}

fn abstraction(system: &TransitionSystem, goal: &Goal) -> Abstraction {
    Abstraction::new(system, goal, &Solvers::default()).unwrap()
}

fn add_declared(abstraction: &mut Abstraction, system: &TransitionSystem) {
    for predicate in declared(system) {
        assert!(abstraction.add_predicate(predicate).unwrap());
    }
}

/// The predicates of 4.5 and 5.3: `state[a] = CS`, `state[b] = CS`, and that there is a grant.
fn with_grant() -> (TransitionSystem, Goal) {
    mutual_exclusion("predicate \"some grant\" exists m: MESSAGE do sort[m] = grant end;")
}

/// The same system with rules as the thesis reads them: functions `G`, where a rule whose guard does not hold changes
/// nothing.
fn total(system: &TransitionSystem) -> TransitionSystem {
    let mut system = system.clone();
    for rule in &mut system.rules {
        for update in &mut rule.updates {
            let arguments: Vec<Term> = update.parameters.iter().map(|p| p.term()).collect();
            update.value = term::ite(rule.guard, update.value, update.function.apply(arguments));
        }
        rule.guard = term::bool(true);
    }
    system
}

fn state(digits: &str) -> Vec<bool> {
    digits.chars().map(|digit| digit == '1').collect()
}

fn states(manager: &mut Manager, set: Bdd, predicates: usize) -> Vec<String> {
    let all = (0..1u32 << predicates).map(|n| format!("{n:0predicates$b}"));
    all.filter(|digits| {
        let cube = cube(manager, &state(digits), false);
        manager.and(cube, set) == cube
    })
    .collect()
}

/// Figures 2.1 and 2.2: counters that are never 151, which is the first predicate. In the first one the others divide 0
/// to 101 into three; in the second they are `a mod 2 = 0` and `0 <= a <= 10`, of which at least one always holds.
#[test]
fn counters_of_section_2_2() {
    for (name, expected) in [
        ("counter.m", ["0001", "0010", "0100"]),
        ("counter-unbounded.m", ["001", "010", "011"]),
    ] {
        let system = library(name);
        let goal = only_goal(&system);
        let mut abstraction = abstraction(&system, &goal);
        abstraction.add_predicate(goal.atoms()[0]).unwrap();
        add_declared(&mut abstraction, &system);
        let ReachabilityResult::Proved(reached) = implicit::prove(&mut abstraction).unwrap() else {
            panic!("{name} is not proved");
        };
        let count = abstraction.predicates.len();
        assert_eq!(states(&mut abstraction.manager, reached, count), expected, "{name}");
    }
}

/// The image of [00110] under the first rule is [00100] and, where the guard does not hold, [00110] itself; with a
/// guard that is checked first, [00100] alone.
#[test]
fn image_of_section_3_4() {
    let (system, goal) = mutual_exclusion(
        "predicate \"no grant\" forall m: MESSAGE do sort[m] != grant end;
         predicate \"no request\" forall m: MESSAGE do sort[m] != request end;
         predicate \"two grants\" exists i: MESSAGE; j: MESSAGE do i != j & sort[i] = grant & sort[j] = grant end;",
    );
    for (system, expected) in [(total(&system), vec!["00100", "00110"]), (system, vec!["00100"])] {
        let solvers = Solvers::default();
        let mut abstraction = Abstraction::new(&system, &goal, &solvers).unwrap();
        add_declared(&mut abstraction, &system);
        let initial = cube(&mut abstraction.manager, &state("00110"), false);
        let image = abstract_next_states(&mut abstraction, CLIENT_1, initial).unwrap();
        assert_eq!(states(&mut abstraction.manager, image, 5), expected);
        // One check for each state, and at most one that there is no other; figure 3.2 shows the eleven of the thesis.
        assert!(solvers.statistics().total() as usize <= expected.len() + 1);
    }
}

/// What is asked about a rule, as section 4.5 writes it: `000` to `-1-`.
struct Rules {
    queries: Vec<Query>,
}

impl Rules {
    fn new(system: &TransitionSystem, goal: &Goal) -> Rules {
        let solvers = Solvers::default();
        let query = |rule: &system::transition::Rule| {
            let mut query = Query::new(&solvers, &facts(system, goal), rule.substitution()).unwrap();
            declared(system)
                .into_iter()
                .for_each(|p| query.add_predicate(p).unwrap());
            query
        };
        Rules {
            queries: total(system).rules.iter().map(query).collect(),
        }
    }

    fn possible(&mut self, rule: usize, before: &str, after: &str) -> bool {
        let literals = |digits: &str, after: bool| -> Vec<Literal> {
            let digits = digits.chars().enumerate().filter(|(_, digit)| *digit != '-');
            digits
                .map(|(predicate, digit)| Literal {
                    predicate,
                    after,
                    value: digit == '1',
                })
                .collect()
        };
        let both = [literals(before, false), literals(after, true)].concat();
        match self.queries[rule].possible(&both).unwrap() {
            Possible::Yes => true,
            Possible::No(core) => {
                assert!(core.iter().all(|literal| both.contains(literal)));
                false
            }
            Possible::Maybe(reason) => panic!("{reason}"),
        }
    }

    /// `REFINE_TRANS_REL` of figure 4.2: drops one conjunct after the other, those of the state after the rule first.
    fn refine(&mut self, rule: usize, before: &str, after: &str) -> (String, String) {
        let mut both: Vec<char> = format!("{after}{before}").chars().collect();
        for position in 0..both.len() {
            let kept = std::mem::replace(&mut both[position], '-');
            let text: String = both.iter().collect();
            if self.possible(rule, &text[after.len()..], &text[..after.len()]) {
                both[position] = kept;
            }
        }
        let text: String = both.into_iter().collect();
        (text[after.len()..].to_owned(), text[..after.len()].to_owned())
    }
}

/// The first refinement of section 4.5: the transition 000 to 110 by the second client rule.
#[test]
fn first_refinement_of_section_4_5() {
    let (system, goal) = with_grant();
    let mut rules = Rules::new(&system, &goal);
    for (before, after, possible) in [
        ("000", "110", false),
        // Dropping the first bit of the second state, ...
        ("000", "-10", false),
        // ... its second, which must stay, ...
        ("000", "--0", true),
        // ... its last one, and those of the first state.
        ("000", "-1-", false),
        ("-00", "-1-", false),
        ("--0", "-1-", true),
        ("-0-", "-1-", true),
    ] {
        assert_eq!(rules.possible(CLIENT_2, before, after), possible, "{before} to {after}");
    }
    let refined = rules.refine(CLIENT_2, "000", "110");
    assert_eq!(refined, ("-00".to_owned(), "-1-".to_owned()));
}

/// All refinements of section 4.5, from relations that allow everything to a trace whose every step is possible.
#[test]
fn refinements_of_section_4_5() {
    let (system, goal) = with_grant();
    let mut rules = Rules::new(&system, &goal);
    let mut manager = Manager::new();
    let bad = cube(&mut manager, &state("11"), false);
    let mut machine = Machine {
        predicates: 3,
        starts: vec![cube(&mut manager, &state("000"), true)],
        rules: vec![Manager::TRUE; system.rules.len()],
        bad,
    };
    let text = |state: &[bool]| -> String { state.iter().map(|bit| if *bit { '1' } else { '0' }).collect() };
    let mut constraints = Vec::new();
    let trace = loop {
        let Search::Bad(trace) = machine.search(&mut manager, &[]) else {
            panic!("these predicates do not suffice");
        };
        let before = constraints.len();
        for (step, rule) in trace.rules.iter().enumerate() {
            let (s, t) = (text(&trace.states[step]), text(&trace.states[step + 1]));
            if !rules.possible(*rule, &s, &t) {
                let (s, t) = rules.refine(*rule, &s, &t);
                let constraint = not_both(&mut manager, &s, &t);
                machine.rules[*rule] = manager.and(machine.rules[*rule], constraint);
                constraints.push((*rule, s, t));
            }
        }
        if constraints.len() == before {
            break trace;
        }
    };
    // They are thirteen, as in the thesis, and the one that it prints is among them.
    let expected = [
        (0, "-0-", "-1-"),
        (1, "-00", "-1-"),
        (2, "-0-", "-1-"),
        (3, "-0-", "-1-"),
        (4, "-0-", "-1-"),
        (0, "--0", "--1"),
        (1, "--0", "--1"),
        (2, "--0", "--1"),
        (3, "0--", "1--"),
        (4, "--0", "--1"),
        (1, "00-", "11-"),
        (0, "0--", "1--"),
        (1, "0-0", "1--"),
    ];
    let expected = expected.map(|(rule, before, after)| (rule, before.to_owned(), after.to_owned()));
    assert_eq!(constraints, expected);
    assert_eq!(trace.rules, [SERVER_1, CLIENT_2, CLIENT_2]);
    assert_eq!(trace.states, ["000", "001", "011", "110"].map(state));
    // Our engine sees what a rule does not touch without refining, and ends with a trace as well.
    let mut ours = abstraction(&system, &goal);
    add_declared(&mut ours, &system);
    assert!(matches!(ours.prove().unwrap(), ReachabilityResult::Trace(_)));
    assert!(ours.refinements < 13, "{}", ours.refinements);
}

/// `not (s and t)`
fn not_both(manager: &mut Manager, before: &str, after: &str) -> Bdd {
    let mut both = Manager::TRUE;
    for (digits, is_after) in [(before, false), (after, true)] {
        for (predicate, digit) in digits.chars().enumerate().filter(|(_, digit)| *digit != '-') {
            let variable = 2 * predicate as u32 + u32::from(is_after);
            let literal = manager.literal(variable, digit == '1');
            both = manager.and(both, literal);
        }
    }
    manager.not(both)
}

fn satisfiable(formulas: &[Term]) -> bool {
    let mut solver = GroundSolver::new(&Solvers::default()).unwrap();
    for formula in formulas {
        solver.assert(*formula).unwrap();
    }
    match solver.check(Purpose::Other).unwrap() {
        Answer::Sat => true,
        Answer::Unsat => false,
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

/// `[exists x. f(x) >= 10] or [forall y. f(y) <= 15 and forall z. f(z) <= 20]` is valid, for which two instances of `x`
/// are needed.
#[test]
fn instantiation_of_section_4_6_1() {
    let f = Function::new("f", vec![Sort::Int], Sort::Int);
    let variable = |name: &str| Variable::new(name, Sort::Int);
    let at = |name: &str| f.apply([variable(name).term()]);
    let formula = term::or([
        term::exists([variable("x")], term::less_equal(term::int(10), at("x"))),
        term::and([
            term::forall([variable("y")], term::less_equal(at("y"), term::int(15))),
            term::forall([variable("z")], term::less_equal(at("z"), term::int(20))),
        ]),
    ]);
    let mut grounding = Grounding::new("");
    let ground = grounding.assert(term::not(formula));
    // What holds for all of y and of z is negated: they become fresh constants.
    let skolems: Vec<String> = grounding.skolems.values().map(|v| v.name.to_string()).collect();
    assert_eq!(skolems, ["y", "z"]);
    let (instances, first): (Vec<Term>, Vec<Term>) = ground.iter().partition(|g| matches!(g.kind(), Kind::Implies(..)));
    assert_eq!((first.len(), instances.len()), (1, 2));
    let instance = |constant: &Function| {
        let expected = term::not(term::less_equal(term::int(10), f.apply([constant.apply([])])));
        let is_expected = |i: &&Term| matches!(i.kind(), Kind::Implies(_, body) if *body == expected);
        *instances.iter().find(is_expected).unwrap()
    };
    let [y0, z0] = [0, 1].map(|n| instance(grounding.skolems.keys().nth(n).unwrap()));
    // Without instances there is a counterexample, with x = y0 alone there is still one, with x = z0 as well there is
    // none.
    assert!(satisfiable(&first));
    assert!(satisfiable(&[first[0], y0]));
    assert!(!satisfiable(&[first[0], y0, z0]));
}

/// `forall x, y. has(x, y) => 1 <= hops(x, y)` says nothing of pairs to which neither function is applied.
#[test]
fn pairs_without_an_application_need_no_instance() {
    let node = Sort::Index("NODE".into());
    let has = Function::new("has", vec![node, node], Sort::Bool);
    let hops = Function::new("hops", vec![node, node], Sort::Int);
    let [a, b, c] = ["a", "b", "c"].map(|name| Function::constant(name, node).apply([]));
    let variables = ["x", "y"].map(|name| Variable::new(name, node));
    let pair = variables.map(|v| v.term());
    let bound = term::less_equal(term::int(1), hops.apply(pair));
    let fact = term::forall(variables, term::implies(has.apply(pair), bound));
    let used = term::and([has.apply([a, b]), term::less(hops.apply([b, c]), term::int(1))]);
    let instances = |mut grounding: Grounding| {
        let ground = [used, fact].map(|formula| grounding.assert(formula)).concat();
        ground.iter().filter(|g| matches!(g.kind(), Kind::Implies(..))).count()
    };
    assert_eq!(instances(Grounding::new("")), 9);
    assert_eq!(instances(Grounding::where_applied("")), 2);
}

/// The second iteration of discovery for the mutual exclusion protocol.
#[test]
fn discovery_of_section_5_3() {
    let (system, goal) = with_grant();
    let predicates = declared(&system);
    let trace = AbstractTrace {
        start: 0,
        rules: vec![SERVER_1, CLIENT_2, CLIENT_2],
        states: ["000", "001", "011", "111"].map(state).to_vec(),
    };
    let real = |from: usize, to: usize| {
        let run = partial(&system, &goal, &predicates, &trace, Some(from), to);
        satisfiable(&[facts(&system, &goal), run.formulas].concat())
    };
    // The trace is spurious, and [000], [001], [011] is its minimal part.
    assert!(!real(0, 3) && !real(0, 2));
    assert!(real(0, 1) && real(1, 2) && real(1, 3));
    // The six conditions hold in the first state of the real tail; of them, three cannot hold after the step before it,
    // and any two of the three can.
    let formula = |text: &str| {
        let text = format!("{MUTUAL_EXCLUSION} predicate \"p\" exists x: MESSAGE; y: MESSAGE do {text} end;");
        *declared(&lowered(&text)).last().unwrap()
    };
    let run = |from: &str, rule: usize, to: &str, condition: Term| {
        let mut run = Run::new();
        run.meet(&predicates, &state(from));
        if rule == CLIENT_2 {
            run.require(condition);
        }
        run.step(&system.rules[rule], 1);
        run.meet(&predicates, &state(to));
        if rule == SERVER_1 {
            run.require(condition);
        }
        satisfiable(&[facts(&system, &goal), run.formulas].concat())
    };
    let six = "place[a] != critical & place[b] != critical & sort[x] = grant & sort[y] = grant & cell[y] = b & x != y";
    assert!(!run("001", CLIENT_2, "011", term::not(formula(six))));
    let two_grants = formula("sort[x] = grant & sort[y] = grant & x != y");
    assert!(!run("000", SERVER_1, "001", two_grants));
    for less in [
        "sort[x] = grant & sort[y] = grant",
        "sort[x] = grant & x != y",
        "sort[y] = grant & x != y",
    ] {
        assert!(run("000", SERVER_1, "001", formula(less)), "{less}");
    }
    let solvers = Solvers::default();
    let discovery = Discovery {
        system: &system,
        goal: &goal,
        solvers: &solvers,
        specific: false,
    };
    let Analysis::Spurious(found) = discovery.analyse(&predicates, &trace).unwrap() else {
        panic!("no predicate");
    };
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(equivalent(found[0], two_grants), "{found:?}");
}

fn equivalent(left: Term, right: Term) -> bool {
    !satisfiable(&[left, term::not(right)]) && !satisfiable(&[term::not(left), right])
}

/// Figure 5.3: from "no error" discovery comes to "some status is bad" in one step.
#[test]
fn quantified_predicate_of_section_5_2_3() {
    let system = library("good-bad.m");
    let goal = only_goal(&system);
    let solvers = Solvers::default();
    let discovery = Discovery {
        system: &system,
        goal: &goal,
        solvers: &solvers,
        specific: false,
    };
    let trace = AbstractTrace {
        start: 0,
        rules: vec![0],
        states: vec![vec![false], vec![true]],
    };
    let Analysis::Spurious(found) = discovery.analyse(&goal.atoms(), &trace).unwrap() else {
        panic!("no predicate");
    };
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(equivalent(found[0], declared(&system)[1]), "{found:?}");
}
