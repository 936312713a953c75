//! Every model that a proof supports is lowered; otherwise the refusal has a place.

#![allow(clippy::unwrap_used, clippy::panic)]

use system::{SourceFile, Sources};
use testing::Outcome;

fn lower(file: &SourceFile) -> Result<system::TransitionSystem, String> {
    let render = |diagnostics: &[system::Diagnostic]| -> String {
        diagnostics
            .iter()
            .map(|d| d.render(&Sources::from(file), false) + "\n")
            .collect()
    };
    let errors = |diagnostics: &[system::Diagnostic]| diagnostics.iter().any(|d| d.severity == system::Severity::Error);
    let (program, diagnostics) = murphi::parse(file);
    assert!(!errors(&diagnostics), "{}", render(&diagnostics));
    let (model, diagnostics) = murphi::check(&program, &murphi::CheckOptions::default());
    assert!(!errors(&diagnostics), "{}", render(&diagnostics));
    match murphi::lower(&model) {
        Ok(lowered) => Ok(lowered.system),
        Err(diagnostics) => Err(render(&diagnostics)),
    }
}

fn the_corpus_is_lowered() -> Outcome {
    let folder = testing::corpus("murphi")?;
    for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = SourceFile::new(name.clone(), std::fs::read_to_string(&path).unwrap());
        let system = lower(&file).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(!system.rules.is_empty() && !system.state.is_empty(), "{name}");
    }
    Ok(())
}

/// Declarations shared by the models below.
const HEADER: &str = "\
type Node: scalarset(3);
var state: array [Node] of boolean; next: array [Node] of Node; owner: Node; flag: boolean; count: 0..3;
";

fn lower_rule(body: &str) -> Result<system::TransitionSystem, String> {
    let text = format!("{HEADER}startstate clear state; clear flag; clear count; end;\n{body}");
    lower(&SourceFile::new("model.m", text))
}

/// The updated value of `function` in the only rule, in SMT-LIB.
fn update(body: &str, function: &str) -> String {
    let system =
        lower_rule(&format!("rule \"r\" true ==> begin {body} end;")).unwrap_or_else(|errors| panic!("{errors}"));
    let mut updates = system.rules[0].updates.iter();
    let update = updates.find(|u| u.function.name().as_str() == function).unwrap();
    assert!(
        logic::free_variables(update.value)
            .iter()
            .all(|v| update.parameters.contains(v)),
        "{:?}",
        update.value
    );
    format!("{:?}", update.value)
}

fn loops_over_types_of_any_size_are_one_update() {
    insta::assert_snapshot!(update("for i: Node do state[i] := !state[i]; end;", "state"), @"(not (state _0))");
    let conditional = "for i: Node do if flag then state[i] := false; end; end;";
    insta::assert_snapshot!(update(conditional, "state"), @"(and (not flag) (state _0))");
    let some = "for i: Node do if state[i] then flag := true; end; end;";
    insta::assert_snapshot!(update(some, "flag"), @"(or (exists ((i Node)) (state i)) flag)");
    // Operands of equalities are in creation order, which in tests depends on the threads.
    let elsewhere = update("for i: Node do state[next[i]] := true; end;", "state");
    assert!(
        elsewhere.starts_with("(or (exists ((i Node)) (= ") && elsewhere.ends_with("(state _0))"),
        "{elsewhere}"
    );
    let twice = "for i: Node do state[i] := true; end; for i: Node do state[i] := !state[i]; end;";
    insta::assert_snapshot!(update(twice, "state"), @"false");
}

fn loops_whose_rounds_depend_on_each_other_are_reported() {
    let rule = |body: &str| lower_rule(&format!("rule \"r\" true ==> begin\n{body}\nend;")).unwrap_err();
    insta::assert_snapshot!(rule("for i: Node do state[i] := state[next[i]]; end;"));
    insta::assert_snapshot!(rule("for i: Node do if state[i] then flag := !flag; end; end;"));
    insta::assert_snapshot!(rule("for i: Node do state[next[i]] := !state[i]; end;"));
    insta::assert_snapshot!(rule(
        "for i: Node do if state[i] then return; end; state[i] := true; end;"
    ));
}

fn recursion_is_reported() {
    let model = "function f(n: 0..3): 0..3; begin if n = 0 then return 0; end; return f(n - 1); end;\n\
                 rule \"r\" true ==> begin count := f(count); end;";
    insta::assert_snapshot!(lower_rule(model).unwrap_err());
}

/// After the `return`, the loop condition by itself is undecided, but no second iteration is possible.
fn a_loop_is_not_unrolled_for_runs_that_have_returned() {
    let model = "procedure p(); begin if flag then return; end;\n\
                 while count < 3 do assert state[owner]; count := 3; end; end;\n\
                 rule \"r\" true ==> begin p(); end;";
    let system = lower_rule(model).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(system.rules[0].assertions.len(), 1, "{:?}", system.rules[0].assertions);
}

/// At the second `return`, both conjuncts of the first condition hold; the second contains the first.
fn every_value_of_a_function_that_returns_is_one_that_it_returned() {
    let model = "function f(): 0..3; begin if count = 0 & !(flag & count = 0) then return 1; end; return 2; end;\n\
                 rule \"r\" true ==> begin count := f(); end;";
    let system = lower_rule(model).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(system.rules[0].choices.is_empty(), "{:?}", system.rules[0].updates);
}

testing::tests!(
    a_loop_is_not_unrolled_for_runs_that_have_returned,
    every_value_of_a_function_that_returns_is_one_that_it_returned,
    the_corpus_is_lowered,
    loops_over_types_of_any_size_are_one_update,
    loops_whose_rounds_depend_on_each_other_are_reported,
    recursion_is_reported,
);
