use super::*;
use crate::{CheckOptions, check, parse};
use system::instance::{Base, Expression, Statement, Type};
use system::{SourceFile, Sources};

fn compiled(text: &str) -> (Instance, Vec<Diagnostic>) {
    let file = SourceFile::new("test.m", text);
    let (program, mut diagnostics) = parse(&file);
    let (model, more) = check(&program, &CheckOptions::default());
    diagnostics.extend(more);
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let rendered: Vec<String> = errors.map(|found| found.render(&Sources::from(&file), false)).collect();
    assert!(rendered.is_empty(), "{}", rendered.join("\n"));
    compile(&model, &CompileOptions { integer_window: (0, 2) })
}

fn instance(text: &str) -> Instance {
    let (instance, diagnostics) = compiled(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    instance
}

fn slot_names(text: &str) -> Vec<String> {
    let instance = instance(text);
    (0..instance.slots.len()).map(|slot| instance.slot_name(slot)).collect()
}

#[test]
fn slots_are_named_as_the_user_writes_them() {
    let names = slot_names(
        "type NODE: scalarset(2); Command: enum { Empty, Request };
         var Chan: array [NODE] of record Cmd: Command; Data: 0..1; end;
             flags: array [boolean] of array [1..2] of boolean;
             owner: NODE;",
    );
    let expected = [
        "Chan[NODE_1].Cmd",
        "Chan[NODE_1].Data",
        "Chan[NODE_2].Cmd",
        "Chan[NODE_2].Data",
        "flags[false][1]",
        "flags[false][2]",
        "flags[true][1]",
        "flags[true][2]",
        "owner",
    ];
    assert_eq!(names, expected);
}

#[test]
fn slots_of_one_variable_share_families() {
    let instance = instance("var a: array [0..2] of record x: boolean; y: 0..3; end; b: boolean;");
    assert_eq!(instance.families, ["a[{}].x", "a[{}].y", "b"]);
    let families: Vec<usize> = instance.slots.iter().map(|slot| slot.family).collect();
    assert_eq!(families, [0, 1, 0, 1, 0, 1, 2]);
}

#[test]
fn unions_are_concatenations() {
    let names = slot_names(
        "type P: scalarset(2); H: enum { Home }; N: union { P, H, 5..6 };
         var a: array [N] of boolean;",
    );
    assert_eq!(names, ["a[P_1]", "a[P_2]", "a[Home]", "a[5]", "a[6]"]);
}

#[test]
fn multisets_have_presence_marks() {
    let text = "type M: record k: boolean; v: 0..1; end; var x: boolean; net: multiset [2] of M;";
    let names = slot_names(text);
    let expected = [
        "x",
        "present(net[0])",
        "net[0].k",
        "net[0].v",
        "present(net[1])",
        "net[1].k",
        "net[1].v",
    ];
    assert_eq!(names, expected);
    let multiset = &instance(text).multisets[0];
    assert_eq!((multiset.base, multiset.capacity, multiset.stride), (1, 2, 2));
}

#[test]
fn uninterpreted_symbols_follow_the_variables() {
    let names = slot_names(
        "type N: scalarset(2); uninterpreted leader: N; edge(a, b: N): boolean; var at: N;
         startstate begin at := leader; end;",
    );
    let expected = [
        "at",
        "leader",
        "edge(N_1, N_1)",
        "edge(N_1, N_2)",
        "edge(N_2, N_1)",
        "edge(N_2, N_2)",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_list_of_records_is_a_list_for_each_part() {
    let instance = instance("type M: record k: boolean; v: 0..1; end; var q: list of M; r: list of boolean;");
    let names: Vec<String> = (0..3).map(|slot| instance.slot_name(slot)).collect();
    assert_eq!(names, ["q.k", "q.v", "r"]);
    let is_list = |slot: &system::instance::Slot| matches!(instance.types[slot.ty], Type::List { .. });
    assert!(instance.slots.iter().all(is_list));
}

#[test]
fn only_windows_make_an_instance_windowed() {
    let unbounded = "var n: integer; startstate begin n := 0; end; rule n < 5 ==> begin n := n + 1; end;";
    assert!(!instance(unbounded).windowed);
    assert!(instance("var a: array [integer] of boolean;").windowed);
    assert_eq!(
        slot_names("var a: array [integer] of boolean;"),
        ["a[0]", "a[1]", "a[2]"]
    );
    assert!(instance("var n: integer; startstate begin havoc n; end;").windowed);
    let quantified = "var n: integer; startstate begin n := 0; end; invariant forall i: integer do i >= n end;";
    assert!(instance(quantified).windowed);
}

#[test]
fn what_is_too_large_is_reported() {
    let (instance, diagnostics) = compiled("var a: array [0..9999] of array [0..9999] of boolean;");
    assert!(instance.slots.is_empty());
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].message, "`a` makes the state too large to explore");
    let local = "var x: boolean; startstate var a: array [0..9999] of array [0..9999] of boolean; begin clear a; end;";
    assert_eq!(compiled(local).1[0].message, "this value is too large to explore");
}

#[test]
fn lists_cannot_be_chosen() {
    let (_, diagnostics) = compiled("var q: list of boolean; startstate begin havoc q; end;");
    assert_eq!(
        diagnostics[0].message,
        "lists and multisets cannot be chosen freely in exploration"
    );
    let (_, diagnostics) = compiled("var q: list of multiset [2] of boolean;");
    assert_eq!(diagnostics[0].message, "lists of multisets cannot be explored");
}

#[test]
fn properties_should_not_change_anything() {
    let text = "var x: 0..1; function f(): boolean; begin x := 1; return true; end;
                startstate begin x := 0; end; invariant \"f\" f();";
    let (_, diagnostics) = compiled(text);
    assert_eq!(diagnostics[0].severity, Severity::Warning);
    assert_eq!(diagnostics[0].message, "what \"f\" changes is undone");
}

#[test]
fn parameters_of_inner_rulesets_vary_slowest() {
    let instance = instance(
        "var x: 0..1; ruleset a: 0..1; b: 0..2 do ruleset c := 5 to 1 by -2 do rule x = 0 ==> begin x := 1; end; end; end;",
    );
    let parameter = |parameter: &system::instance::Parameter| {
        (parameter.name.clone(), parameter.low, parameter.high, parameter.step)
    };
    let parameters: Vec<_> = instance.rules[0].parameters.iter().map(parameter).collect();
    let named = |name: &str, low, high, step| (name.to_owned(), low, high, step);
    assert_eq!(
        parameters,
        [named("c", 1, 5, 2), named("a", 0, 1, 1), named("b", 0, 2, 1)]
    );
}

#[test]
fn aliases_of_places_that_cannot_move_cost_nothing() {
    let text = |alias: &str| {
        format!(
            "type N: 0..2; var i: N; a: array [N] of record x: N; end;
             ruleset n: N do alias q: {alias} do rule q.x = 0 ==> begin q.x := n; end; end; end;"
        )
    };
    let steady = instance(&text("a[n]"));
    assert!(steady.rules[0].prologue.is_empty());
    let Statement::Store { place, .. } = &steady.rules[0].body[0] else {
        panic!("{:?}", steady.rules[0].body);
    };
    assert_eq!((place.base, place.subscripts.len()), (Base::State(1), 1));
    let moving = instance(&text("a[i]"));
    assert!(matches!(
        moving.rules[0].prologue[0],
        Statement::Store {
            value: Expression::Address(_),
            ..
        }
    ));
}

#[test]
fn only_values_that_may_lie_outside_are_checked() {
    let instance =
        instance("var x: 0..3; y: 0..1; rule true ==> begin x := 3; x := y; x := y + 2; y := x; x := x + 1; end;");
    let checked: Vec<bool> = instance.rules[0]
        .body
        .iter()
        .map(|statement| matches!(statement, Statement::Assign { .. }))
        .collect();
    assert_eq!(checked, [false, false, false, true, true]);
}

#[test]
fn long_chains_are_not_nested_deep() {
    let cases: String = (0..5000).map(|case| format!("case {case}: x := {case};")).collect();
    let instance = instance(&format!(
        "var x: 0..5000; rule true ==> begin switch x {cases} else x := 0; end; end;"
    ));
    fn depth(statements: &[Statement]) -> usize {
        let deeper = |statement: &Statement| match statement {
            Statement::If { then, otherwise, .. } => 1 + depth(then).max(depth(otherwise)),
            _ => 0,
        };
        statements.iter().map(deeper).max().unwrap_or(0)
    }
    assert!(depth(&instance.rules[0].body) < 100);
}

/// Whether the scalarset `N` may be permuted, given a loop or another statement in a rule.
fn is_symmetric(statement: &str) -> bool {
    let (instance, _) = compiled(&format!(
        "type N: scalarset(3); M: scalarset(3);
         var a: array [N] of 0..3; b: array [N] of N; c: array [0..1] of array [N] of boolean; n: N; m: M; x: 0..9; t: boolean;
             r: record f: N; g: array [N] of boolean; end;
         procedure set(i: N; v: 0..3); begin a[i] := v; end;
         procedure store(i: N); begin n := i; end;
         function find(): N; begin for i: N do if a[i] = 0 then return i; end; end; return n; end;
         function mark(i: N): boolean; begin t := a[i] = 0; return t; end;
         startstate begin clear a; clear n; for i: N do b[i] := i; n := i; end; end;
         rule true ==> var l: 0..3; begin {statement} end;"
    ));
    let found = instance.types.iter().find_map(|ty| match ty {
        Type::Scalarset { name, symmetric, .. } if name == "N" => Some(*symmetric),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn loops_whose_rounds_are_independent_keep_symmetry() {
    let independent = [
        "for i: N do a[i] := 0; b[i] := i; end;",
        "for i: N do if a[i] = 0 & n = i then a[i] := x; end; end;",
        "for i: N do c[0][i] := c[1][i]; end;",
        "for i: N do for j: N do if b[j] = i then r.g[i] := true; end; end; end;",
        "for i: N do alias q: a[i] do q := q + 1; end; end;",
        "for i: N do if a[i] = 1 then x := x + 1; end; end;",
        "for i: N do t := t | c[0][i]; end;",
        "for i: N do if c[0][i] then t := true; end; end;",
        "for i: N do set(i, 1); end;",
        "for i: N do c[0][b[i]] := true; end;",
        "t := forall i: N do a[i] = 0 end;",
        "n := b[n]; undefine r; havoc n;",
        "clear a;",
    ];
    for statement in independent {
        assert!(is_symmetric(statement), "{statement}");
    }
}

#[test]
fn loops_whose_rounds_depend_on_each_other_break_symmetry() {
    let dependent = [
        "for i: N do n := i; end;",
        "for i: N do if a[i] = 0 then r.f := i; end; end;",
        "for i: N do a[i] := a[n] + 1; end;",
        "for i: N do a[b[i]] := a[i]; end;",
        "for i: N do l := a[i]; x := l; end;",
        "for i: N do if !t then t := true; a[i] := 1; end; end;",
        "for i: N do store(i); end;",
        "for i: N do x := x + x; end;",
        "for i: N do c[x % 2][i] := c[0][n]; end;",
        "for i: N do if a[i] = 0 then return; end; end;",
        "n := find();",
        "t := exists i: N do mark(i) end;",
        "clear n;",
        "clear r;",
        "if n = m then x := 0; end;",
    ];
    for statement in dependent {
        assert!(!is_symmetric(statement), "{statement}");
    }
}

#[test]
fn lost_symmetry_is_explained() {
    let (_, diagnostics) = compiled(
        "type N: scalarset(3); var n: N; startstate begin undefine n; end;
         rule true ==> begin for i: N do n := i; end; end;",
    );
    assert_eq!(diagnostics[0].severity, Severity::Note);
    assert_eq!(diagnostics[0].message, "symmetry of scalarset `N` is not used");
    let why = "the result of this loop depends on the order of the elements: rounds share `n`";
    assert_eq!(diagnostics[0].label, why);
}

/// Test threads have 2 MiB of stack, and debug builds use more of it.
#[test]
fn deep_nesting_is_compiled() {
    let levels = 190;
    // Each nesting takes two levels: the parenthesis and its content.
    let half = levels / 2;
    let sum = "(x + ".repeat(half) + "0" + &")".repeat(half);
    let guard = "!(".repeat(half) + "x = 0" + &")".repeat(half);
    let choice = "(x = 0 ? 1 : ".repeat(half) + "0" + &")".repeat(half);
    let quantifiers = "forall i: 0..0 do ".repeat(levels) + "x = 0" + &" end".repeat(levels);
    let branches = "if x = 0 then ".repeat(levels) + "x := 0;" + &" end;".repeat(levels);
    let loops = "for i: 0..0 do ".repeat(levels) + "x := 0;" + &" end;".repeat(levels);
    let array = "array [0..0] of ".repeat(levels) + "0..1";
    let index = "[0]".repeat(levels);
    let rulesets = "ruleset i: 0..0 do ".repeat(levels) + "rule x = 0 ==> begin end;" + &" end;".repeat(levels);
    let instance = instance(&format!(
        "var x: 0..3; a: {array};
         startstate begin x := 0; a{index} := 0; end;
         rule {guard} ==> begin x := {sum}; x := {choice}; {branches} {loops} end;
         {rulesets}
         invariant {quantifiers};"
    ));
    assert_eq!(instance.slots.len(), 2);
    assert_eq!(instance.rules[1].parameters.len(), levels);
}
