//! Formulas of the lowered system in states of the compiled instance: compares the fast evaluator, which `check` uses
//! before it answers "safe", with the reference evaluator of `logic`.

#![allow(clippy::unwrap_used, clippy::panic)]

use explore::{
    CrosscheckInput, CrosscheckReport, Deadlock, ProvedFact, SearchOptions, SilentObserver, SimulateOptions,
};
use logic::Cancellation;
use logic::evaluate::Value;
use logic::{Environment, Function, Interpretation, Sort, Term, holds, term};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::{ReachedStates, SourceFile, TransitionSystem};

const LIMIT: u64 = 100;

struct Read {
    instance: Instance,
    system: TransitionSystem,
    correspondence: Correspondence,
}

fn read(text: &str, sizes: &[(&str, i64)]) -> Read {
    let file = SourceFile::new("model.m", text);
    let (program, _) = murphi::parse(&file);
    let options = murphi::CheckOptions {
        sizes: sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
        ..murphi::CheckOptions::default()
    };
    let (model, diagnostics) = murphi::check(&program, &options);
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|d| d.severity == system::Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let (mut instance, _) = murphi::compile(&model, &murphi::CompileOptions::default());
    let lowered = murphi::lower(&model).unwrap();
    let correspondence = lowered.correspondence(&model, &instance);
    // Violating states are included.
    instance.properties.clear();
    Read {
        instance,
        system: lowered.system,
        correspondence,
    }
}

fn options() -> SearchOptions {
    SearchOptions {
        deadlock: Deadlock::Off,
        max_states: Some(LIMIT),
        ..SearchOptions::default()
    }
}

impl Read {
    fn orders(&self) -> Vec<Function> {
        self.system.index_sorts.iter().filter_map(|sort| sort.order).collect()
    }

    fn crosscheck(&self, formulas: &[Term]) -> CrosscheckReport {
        let facts: Vec<ProvedFact> = formulas
            .iter()
            .map(|formula| ProvedFact {
                name: String::new(),
                formula: *formula,
            })
            .collect();
        let input = CrosscheckInput {
            facts: &facts,
            correspondence: &self.correspondence,
            orders: &self.orders(),
            max_operations: None,
        };
        let cancellation = Cancellation::new();
        explore::explore_and_crosscheck(&self.instance, &options(), input, &cancellation, &mut SilentObserver).1
    }

    fn states(&self) -> ReachedStates {
        explore::reached_states(&self.instance, &options(), &Cancellation::new())
    }
}

/// A state, decoded entry by entry.
struct World<'w> {
    values: HashMap<(Function, Vec<Value>), Value>,
    read: &'w Read,
    orders: Vec<Function>,
}

impl World<'_> {
    fn new<'w>(read: &'w Read, states: &ReachedStates, state: &[i64]) -> World<'w> {
        let mut values = HashMap::new();
        for (function, value) in &read.correspondence.constants {
            values.insert((*function, Vec::new()), value.clone());
        }
        let list = |number: i64| states.lists.get(&number).cloned().unwrap_or_default();
        for entry in &read.correspondence.entries {
            if let Some(value) = entry.reading.value(state[entry.slot], &list) {
                values.insert((entry.function, entry.arguments.clone()), value);
            }
        }
        World {
            values,
            read,
            orders: read.orders(),
        }
    }
}

impl Interpretation for World<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        if let ([Value::Index(_, a), Value::Index(_, b)], true) = (arguments, self.orders.contains(&function)) {
            return Some(Value::Bool(a < b));
        }
        self.values.get(&(function, arguments.to_vec())).cloned()
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let Sort::Index(name) = sort else { return None };
        let (_, size) = self.read.correspondence.sizes.iter().find(|(of, _)| *of == name)?;
        Some((0..*size).map(|n| Value::Index(name, n)).collect())
    }
}

/// Guards for some and for all parameters, properties, assertions of rules, type facts, and their negations.
fn formulas(system: &TransitionSystem) -> Vec<Term> {
    let mut formulas: Vec<Term> = Vec::new();
    for rule in system.rules.iter().filter(|rule| rule.choices.is_empty()) {
        formulas.push(term::exists(rule.parameters.clone(), rule.guard));
        formulas.push(term::forall(rule.parameters.clone(), rule.guard));
    }
    formulas.extend(system.properties.iter().map(|p| p.formula));
    formulas.extend(system.asserted().iter().map(|p| p.formula));
    formulas.extend(system.type_facts.iter().map(|fact| fact.formula));
    let opposites: Vec<Term> = formulas.iter().map(|formula| term::not(*formula)).collect();
    formulas.extend(opposites);
    formulas
}

/// The number of formulas compared in all states.
fn compare(name: &str, read: &Read) -> usize {
    let states = read.states();
    let worlds: Vec<World> = states.states().map(|state| World::new(read, &states, state)).collect();
    let mut compared = 0;
    let (mut facts, mut falsehoods) = (Vec::new(), Vec::new());
    for formula in formulas(&read.system) {
        let found = read.crosscheck(&[formula]).contradiction.is_some();
        let plain: Vec<_> = worlds.iter().map(|w| holds(formula, &Environment::new(), w)).collect();
        if plain.contains(&Ok(false)) {
            assert!(found, "{name}: {formula:?} is false somewhere, which nobody notices");
            falsehoods.push(formula);
        } else if plain.iter().all(|truth| *truth == Ok(true)) {
            assert!(!found, "{name}: {formula:?} is true everywhere");
            facts.push(formula);
            compared += 1;
        }
    }
    // Several formulas share code, and their instances are checked by turns.
    assert_eq!(read.crosscheck(&facts).contradiction, None, "{name}");
    for formula in falsehoods {
        let alone = read.crosscheck(&[formula]).contradiction.unwrap();
        let last = read.crosscheck(&[facts.as_slice(), &[formula]].concat()).contradiction;
        let last = last.unwrap_or_else(|| panic!("{name}: {formula:?} is not noticed beside facts"));
        assert_eq!((last.fact, last.state), (facts.len(), alone.state), "{name}");
    }
    compared
}

#[test]
fn the_fast_evaluation_is_the_plain_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let models: BTreeMap<&str, &[(&str, i64)]> = BTreeMap::from([
        ("german.m", &[("PROC", 2)][..]),
        ("flash.m", &[("NODE", 2)]),
        ("mutex-server.m", &[]),
        ("bakery.m", &[]),
        ("ticket.m", &[]),
        ("alternating-bit-fifo.m", &[]),
        ("peterson.m", &[]),
    ]);
    for (name, sizes) in models {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(compare(name, &read(&text, sizes)) > 0, "{name}");
    }
}

const PARTLY_UNDEFINED: &str = "
type P: scalarset(2);
var a: array [P] of 0..3; b: 0..3; c: boolean;
startstate begin undefine a; b := 0; c := false; end;
ruleset p: P do rule \"set\" isundefined(a[p]) ==> begin a[p] := 1; end; end;
rule \"b\" b = 0 ==> begin b := 1; end;
";

/// An undefined value contradicts nothing; a defined one beside it does.
#[test]
fn undefined_values_say_nothing() {
    let read = read(PARTLY_UNDEFINED, &[]);
    let symbol = |name: &str| {
        let found = read.system.state.iter().find(|symbol| symbol.display == name);
        found
            .unwrap_or_else(|| panic!("{name} in {:?}", read.system.state))
            .function
    };
    let a = symbol("a[{}]");
    let b = symbol("b").apply([]);
    let p = logic::Variable::new("p", a.parameters()[0]);
    let is = |value: Term, number: i128| term::equal(value, term::int(number));
    let all_are = |number| term::forall([p], is(a.apply([p.term()]), number));
    // Where `a` is undefined it may be 1; where it is defined, it is.
    assert_eq!(read.crosscheck(&[all_are(1)]).contradiction, None);
    assert!(read.crosscheck(&[all_are(2)]).contradiction.is_some());
    assert_eq!(read.crosscheck(&[term::or([is(b, 0), is(b, 1)])]).contradiction, None);
    assert_eq!(read.crosscheck(&[term::or([is(b, 0), all_are(1)])]).contradiction, None);
    // In one state `b` is 1 and `a` undefined: their disjunction may hold, their conjunction may not.
    let contradiction = read
        .crosscheck(&[term::and([is(b, 0), all_are(1)])])
        .contradiction
        .unwrap();
    assert!(contradiction.state.contains(&"b = 1".to_owned()), "{contradiction:?}");
    let contradiction = read
        .crosscheck(&[term::not(term::and([is(b, 1), all_are(1)]))])
        .contradiction
        .unwrap();
    assert!(
        contradiction.state.contains(&"a[P_1] = 1".to_owned()),
        "{contradiction:?}"
    );
}

const BAG: &str = "
var bag: multiset [3] of 0..5; last: 0..5;
startstate begin undefine bag; last := 0; end;
rule \"five\" multisetcount(i: bag, true) = 0 ==> begin multisetadd(5, bag); end;
rule \"two\" multisetcount(i: bag, true) = 1 ==> begin multisetadd(2, bag); end;
";

/// The explorer sorts elements, which the system keeps in order of arrival: `2, 5` there is `5, 2` here.
#[test]
fn the_numbers_of_elements_of_multisets_mean_nothing() {
    let read = read(BAG, &[]);
    assert!(!read.instance.multisets.is_empty());
    let by_arguments = |bool: bool| {
        let mut symbols = read.system.state.iter().map(|symbol| symbol.function);
        symbols
            .find(|f| f.parameters().len() == 1 && (f.result() == Sort::Bool) == bool)
            .unwrap()
    };
    let (present, value) = (by_arguments(true), by_arguments(false));
    let is_five = |number: i128| {
        let number = || [term::int(number)];
        let is = term::equal(value.apply(number()), term::int(5));
        term::implies(present.apply(number()), is)
    };
    assert_eq!(read.crosscheck(&[is_five(0)]).contradiction, None);
    assert!(
        read.crosscheck(&[term::and([0, 1, 2].map(is_five))])
            .contradiction
            .is_some()
    );
}

#[test]
fn random_runs_are_looked_at_as_well() {
    let read = read(PARTLY_UNDEFINED, &[("P", 4)]);
    let b = read.system.state.iter().find(|symbol| symbol.display == "b").unwrap();
    let is_zero = term::equal(b.function.apply([]), term::int(0));
    for (formula, is_false) in [(term::bool(true), false), (is_zero, true)] {
        let facts = [ProvedFact {
            name: "b".to_owned(),
            formula,
        }];
        let input = CrosscheckInput {
            facts: &facts,
            correspondence: &read.correspondence,
            orders: &[],
            max_operations: None,
        };
        let options = SimulateOptions {
            runs: 20,
            length: 20,
            ..SimulateOptions::default()
        };
        let cancellation = Cancellation::new();
        let (_, report) =
            explore::simulate_and_crosscheck(&read.instance, &options, 12, input, &cancellation, &mut SilentObserver);
        assert_eq!(report.contradiction.is_some(), is_false);
        // There are 32 states: each counts once, and twelve suffice.
        assert!(is_false || report.states == 12, "{report:?}");
    }
}

const SHARED: &str = "
type P: scalarset(3);
var st: array [P] of boolean; n: 0..3;
startstate begin for p: P do st[p] := false; end; n := 0; end;
ruleset p: P do rule \"set\" !st[p] ==> begin st[p] := true; end; end;
ruleset p: P do rule \"unset\" st[p] ==> begin st[p] := false; end; end;
";

/// A quantifier inside of others binds nothing of theirs, even if another fact has it outermost.
#[test]
fn shared_quantifiers_bind_only_their_own_variables() {
    let read = read(SHARED, &[]);
    let symbol = |name: &str| read.system.state.iter().find(|symbol| symbol.display == name).unwrap();
    let n = symbol("n").function.apply([]);
    let st = symbol("st[{}]").function;
    let [i, j] = ["i", "j"].map(|name| logic::Variable::new(name, st.parameters()[0]));
    let [at_i, at_j] = [i, j].map(|variable| st.apply([variable.term()]));
    let is_small = |bound: i128| term::less_equal(n, term::int(bound));
    // True, and looks at all elements.
    let inner = term::forall([j], term::or([at_j, is_small(3)]));
    let first = term::or([is_small(4), inner]);
    for (a, b) in [(at_i, inner), (inner, at_i)] {
        let outer = term::forall([i], term::or([term::not(at_i), term::and([a, b])]));
        let nested = term::forall(
            [i],
            term::ite(inner, term::or([at_i, term::not(at_i)]), term::bool(false)),
        );
        assert_eq!(read.crosscheck(&[first, outer, nested]).contradiction, None);
        assert_eq!(read.crosscheck(&[outer, first]).contradiction, None);
    }
}
