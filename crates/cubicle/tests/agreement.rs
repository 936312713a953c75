//! The compiled instance and the lowered system are independent translations of one model: they must agree, state by
//! state.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use cubicle::CompileOptions;
use cubicle::model::Model;
use explore::check_agreement;
use logic::evaluate::Value;
use logic::{Environment, Function, Interpretation, Sort, evaluate, holds};
use std::collections::HashMap;
use support::{corpus, instance, model, model_of, read, search, stem};
use system::correspondence::Correspondence;
use system::instance::{Instance, Statement, Type};
use system::transition::TransitionSystem;
use testing::Outcome;

/// The maximum number of compared states: term evaluation favours simplicity over speed.
const LIMIT: usize = 300;

/// Instances with more initial states are skipped.
const MOST_STARTS: i64 = 20_000;

fn agree(name: &str, model: &Model, options: &CompileOptions) -> bool {
    let mut instance = instance(model, options);
    if choices_at_start(&instance).is_none_or(|choices| choices > MOST_STARTS) {
        return false;
    }
    let lowered = cubicle::lower(model).expect("a system");
    well_formed(name, &lowered.system);
    let correspondence = lowered.correspondence(model, &instance);
    axioms_hold(name, &lowered.system, &instance, &correspondence);
    let report = check_agreement(&instance, &lowered.system, &correspondence, LIMIT);
    assert!(report.is_ok(), "{name}, {options:?}: {}", report.unwrap_err());
    // A violation would end the search for initial states.
    instance.properties.clear();
    same_starts(name, &lowered.system, &instance, &correspondence);
    true
}

/// The number of ways to make the choices of the start.
fn choices_at_start(instance: &Instance) -> Option<i64> {
    let chosen = instance.starts[0].body.iter().filter_map(|statement| match statement {
        Statement::Choose { ty, .. } => Some(match &instance.types[*ty] {
            Type::Integer { window } | Type::Real { window, .. } => window.1 - window.0 + 1,
            _ => instance.bounds(*ty).1,
        }),
        _ => None,
    });
    chosen
        .into_iter()
        .try_fold(1_i64, |product, count| product.checked_mul(count))
}

/// Every formula is closed except for the parameters of its rule, and every symbol is declared.
fn well_formed(name: &str, system: &TransitionSystem) {
    let mut closed: Vec<logic::Term> = system.axioms.iter().map(|fact| fact.formula).collect();
    closed.extend(system.properties.iter().map(|property| property.formula));
    closed.extend(system.starts.iter().map(|start| start.constraint));
    for term in closed {
        assert_eq!(term.free_variables(), [], "{name}: {term:?}");
    }
    let known: Vec<Function> = system
        .state
        .iter()
        .chain(&system.rigid)
        .map(|symbol| symbol.function)
        .collect();
    for rule in system.starts.iter().chain(&system.rules) {
        for (term, bound) in rule
            .updates
            .iter()
            .map(|u| (u.value, &u.parameters[..]))
            .chain([(rule.guard, &[][..])])
        {
            let free = term.free_variables().iter();
            let mut unbound = free.filter(|v| !rule.parameters.contains(v) && !bound.contains(v));
            assert_eq!(unbound.next(), None, "{name}, {}: {term:?}", rule.name);
            let mut symbols = logic::substitute::functions_of(term).into_iter();
            assert_eq!(
                symbols.find(|f| !known.contains(f) && !rule.choices.contains(f)),
                None,
                "{name}: {term:?}"
            );
        }
    }
}

/// A state of an instance as an interpretation of the system.
struct World<'w> {
    system: &'w TransitionSystem,
    correspondence: &'w Correspondence,
    values: HashMap<(Function, Vec<Value>), Value>,
}

impl<'w> World<'w> {
    fn new(system: &'w TransitionSystem, correspondence: &'w Correspondence, state: &[i64]) -> World<'w> {
        let constants = correspondence
            .constants
            .iter()
            .map(|(f, value)| ((*f, Vec::new()), value.clone()));
        let entries = correspondence.entries.iter().filter_map(|entry| {
            let value = entry.reading.value(state[entry.slot], &|_| Vec::new())?;
            Some(((entry.function, entry.arguments.clone()), value))
        });
        let values = constants.chain(entries).collect();
        World {
            system,
            correspondence,
            values,
        }
    }
}

impl Interpretation for World<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        if let [Value::Index(_, a), Value::Index(_, b)] = arguments
            && self.system.index_sorts.iter().any(|sort| sort.order == Some(function))
        {
            return Some(Value::Bool(a < b));
        }
        self.values.get(&(function, arguments.to_vec())).cloned()
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let Sort::Index(name) = sort else { return None };
        let (_, size) = self.correspondence.sizes.iter().find(|(of, _)| *of == name)?;
        Some((0..*size).map(|n| Value::Index(name, n)).collect())
    }
}

/// An arbitrary state of matching types.
fn any_state(instance: &Instance) -> Vec<i64> {
    instance.slots.iter().map(|slot| instance.bounds(slot.ty).0).collect()
}

fn axioms_hold(name: &str, system: &TransitionSystem, instance: &Instance, correspondence: &Correspondence) {
    let state = any_state(instance);
    let world = World::new(system, correspondence, &state);
    for axiom in &system.axioms {
        assert_eq!(
            holds(axiom.formula, &Environment::new(), &world),
            Ok(true),
            "{name}: {}",
            axiom.name
        );
    }
}

/// The system has as many initial states as the instance. Together with the comparison of each initial state of the
/// instance, this makes the sets equal.
fn same_starts(name: &str, system: &TransitionSystem, instance: &Instance, correspondence: &Correspondence) {
    let counts: Vec<i64> = instance.slots.iter().map(|slot| instance.bounds(slot.ty).1).collect();
    let combinations = counts
        .iter()
        .try_fold(1_i64, |product, count| product.checked_mul(*count));
    let Some(1..=20_000) = combinations else { return };
    let start = &system.starts[0];
    let mut state = any_state(instance);
    let mut initial = 0;
    loop {
        let world = World::new(system, correspondence, &state);
        let updated = correspondence.entries.iter().all(|entry| {
            let Some(update) = start.updates.iter().find(|update| update.function == entry.function) else {
                return true;
            };
            let bindings = update.parameters.iter().copied().zip(entry.arguments.iter().cloned());
            let value = evaluate(update.value, &bindings.collect(), &world).expect("a value");
            world.values.get(&(entry.function, entry.arguments.clone())) == Some(&value)
        });
        if updated && holds(start.constraint, &Environment::new(), &world).expect("a truth value") {
            initial += 1;
        }
        // The next combination, the last slot varying fastest.
        let Some(slot) = (0..counts.len()).rev().find(|slot| state[*slot] + 1 < counts[*slot]) else {
            break;
        };
        state[slot] += 1;
        state[slot + 1..].fill(0);
    }
    assert_eq!(search(instance).statistics.starts, initial, "{name}: initial states");
}

fn the_corpus_agrees() -> Outcome {
    let mut left_out = Vec::new();
    for path in corpus()? {
        let model = model(&read(&path));
        for processes in 1..=3 {
            if matches!(model.processes, cubicle::model::Processes::Exactly(count) if count != processes) {
                continue;
            }
            let options = CompileOptions {
                processes,
                integer_window: (-1, 3),
                ..CompileOptions::default()
            };
            if !agree(&stem(&path), &model, &options) {
                left_out.push(format!("{} {processes}", stem(&path)));
            }
        }
    }
    // Their start leaves much unconstrained.
    assert_eq!(
        left_out,
        [
            "chandra_toueg 3",
            "flash 2",
            "flash 3",
            "flash_buggy 3",
            "flash_nodata 3"
        ]
    );
    Ok(())
}

/// Constructs that the corpus does not use.
fn every_construct_agrees() {
    let texts = [
        "number_procs 3\narray A[proc] : bool\nvar T : proc\ninit { A[#1] = True && T <> #2 }\nunsafe (x) { #1 < x && A[x] = True }
         transition t (x) requires { forall_other j. A[j] <> A[x] || j <= x } { A[#2] := False; T := . }",
        "number_procs 2\nvar B : bool\nvar T : proc\ninit { B = False }\nunsafe (x) { T <> x && B = True }
         transition t (x) requires { forall_other j. T <> j } { B := True }",
        "type data\nconst N : data\nvar X : data\narray D[proc] : data\ninit (z) { D[z] = X || D[z] = N }
         unsafe (x y) { D[x] <> D[y] }\ntransition t (x) { D[x] := X; X := . }",
        "const N : int\nvar X : int\narray R[proc] : real\ninit (z) { X = 2 && R[z] = 0.5 && 0 < N && N < 3 }
         unsafe (x) { R[x] > 2. }\ntransition t (x) requires { X < 2 * N } { X := X + N; R[x] := R[x] + 0.25 }
         transition u (x) { X := X - 1; R[j] := case | R[j] <= 1.0 : R[x] | _ : R[j] - 1 }",
        "array C[proc, proc] : bool\nvar T : proc\ninit (x y) { C[x, x] = True && (C[x, y] = C[y, x] || x = T) }
         unsafe (x y) { C[x, y] = True && not C[y, x] = True }
         transition t (x y) requires { exists z. C[z, x] = True && forall a <> b. (C[a, b] = True => a < b) }
         { C[i, j] := case | i = x && exists_other k. C[k, j] = True : C[j, i] | j = T : False | _ : C[i, i] }
         transition u (x) requires { if T = x then T <> x else C[x, x] = True <=> T < x } { T := x; C[x, x] := False }",
        "array Id[proc] : proc\narray A[proc] : bool\nvar T : proc\ninit (z) { Id[z] = z && A[z] = False }
         unsafe (x y) { Id[x] = Id[y] && A[x] = True }
         transition t (x) requires { T <> Id[x] && forall_other x. (A[x] = False && Id[x] <> T) } { Id[x] := T; A[x] := True; T := x }",
        "var X : bool\nvar Y : bool\narray A[proc] : bool\ninit (x y) { A[x] = X && A[y] = Y && x <= y }
         invariant (x) { A[x] = True }\nunsafe (z) { X <> Y }\ntransition t (x) { X := Y; Y := A[x]; A[j] := case | j < x : X }",
    ];
    for (number, text) in texts.iter().enumerate() {
        let model = model_of(text);
        for processes in 1..=3 {
            let options = CompileOptions {
                processes,
                integer_window: (-2, 6),
                ..CompileOptions::default()
            };
            let fits = match model.processes {
                cubicle::model::Processes::Any => true,
                cubicle::model::Processes::AtMost(count) => processes <= count,
                cubicle::model::Processes::Exactly(count) => processes == count,
            };
            if fits {
                assert!(agree(&format!("model {number}"), &model, &options));
            }
        }
    }
}

testing::tests!(the_corpus_agrees, every_construct_agrees,);
