//! Which types are parametric, on small models.

use std::collections::BTreeSet;

use murphi::CheckOptions;
use murphi::model::{Model, TypeKind};
use system::SourceFile;

use crate::{accepted, checked, decisions, messages};

/// The decisions on a model with these declarations and this rule body.
fn decided(declarations: &str, body: &str) -> String {
    decided_with(declarations, body, &CheckOptions::default())
}

fn text(declarations: &str, body: &str) -> String {
    format!("{declarations}\nstartstate end;\nrule \"step\" true ==> begin\n{body}\nend;")
}

fn decided_with(declarations: &str, body: &str, options: &CheckOptions) -> String {
    let file = SourceFile::new("test.m", text(declarations, body));
    let model = accepted(&file.text, options);
    decisions(&file, &model).trim_end().to_owned()
}

fn option(parametric: &[&str], fixed: &[&str]) -> CheckOptions {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<String>>()
    };
    CheckOptions {
        parametric: set(parametric),
        fixed: set(fixed),
        ..CheckOptions::default()
    }
}

const NODES: &str =
    "const N: 3; type Node: 1..N; var a: array [Node] of boolean; x, y: Node; b: boolean; i: 0..9; k: integer;";

pub(crate) fn a_range_used_like_a_scalarset() {
    let uses = "
        for n: Node do a[n] := n = x | n != y; end;
        for n := 1 to N do a[n] := false; end;
        b := forall n: Node do exists m: 1..N do a[n] -> a[m] end end;
        x := b ? x : y; undefine y;
        switch x case y: b := true; end;
        alias z: x do y := z; end;";
    assert_eq!(decided(NODES, uses), "Node: any size");
}

pub(crate) fn literals_become_distinguished_elements() {
    assert_eq!(
        decided(NODES, "x := 2; b := y = 1; a[3] := b;"),
        "Node: any size, with [1, 2, 3]"
    );
    assert_eq!(
        decided(NODES, "x := b ? 1 : y; switch x case 2: b := true; end;"),
        "Node: any size, with [1, 2]"
    );
    assert_eq!(decided(NODES, "clear x;"), "Node: any size, with [1]");
    // Outside of the range it is no element.
    assert_eq!(
        decided(NODES, "b := x = 0;"),
        "Node: fixed, its values are mixed with plain numbers (line 4)"
    );
}

pub(crate) fn uses_that_need_the_size() {
    let fixed = |body: &str| decided(NODES, body);
    assert_eq!(
        fixed("x := x + 1;"),
        "Node: fixed, its values are used in arithmetic, by `+` (line 4)"
    );
    assert_eq!(
        fixed("b := x < y; x := 1;"),
        "Node: fixed, its values are ordered, and one of them is named (line 4)"
    );
    assert_eq!(
        fixed("b := x >= 2;"),
        "Node: fixed, its values are ordered by `>=` (line 4)"
    );
    assert_eq!(
        fixed("k := -x;"),
        "Node: fixed, its values are used in arithmetic (line 4)"
    );
    assert_eq!(
        fixed("k := x;"),
        "Node: fixed, its values are mixed with plain numbers (line 4)"
    );
    assert_eq!(
        fixed("i := x;"),
        "Node: fixed, its values are mixed with those of `0..9` (line 1)"
    );
    assert_eq!(
        fixed("for j := x to 3 do b := true; end;"),
        "Node: fixed, its values bound a loop (line 4)"
    );
    assert_eq!(fixed("i := N;"), "Node: fixed, the value of `N` matters here (line 4)");
    assert_eq!(
        fixed("b := x = N;"),
        "Node: fixed, the value of `N` matters here (line 4)"
    );
}

pub(crate) fn flow_through_calls_records_and_lists() {
    let declarations = "
        const N: 3;
        type Node: 1..N; Message: record from: Node; end;
        var x: Node; m: Message; l: list of Node; a: array [1..N] of Message; k: integer; bag: multiset [2] of Node;
        function first(n: 1..N): Node; begin return n; end;
        function number(n: integer): integer; begin return n; end;
        procedure set(var n: Node); begin n := 1; end;
        uninterpreted next(n: Node): Node;";
    let fine = "
        x := first(m.from); set(x); a[x] := m; m := a[x]; l := append(l, x); x := head(tail(l)); x := next(x);
        multisetadd(x, bag); l := append([], 2);";
    assert_eq!(decided(declarations, fine), "Node: any size, with [1, 2]");
    assert_eq!(
        decided(declarations, "k := number(x);"),
        "Node: fixed, its values are mixed with plain numbers (line 11)"
    );
    assert_eq!(
        decided(declarations, "l := append(l, k);"),
        "Node: fixed, its values are mixed with plain numbers (line 11)"
    );
}

pub(crate) fn classes_have_one_representative() {
    let model = accepted(
        &text(
            "const N: 3; var a: array [1..N] of boolean; b: array [1..N] of boolean;",
            "for i: 1..N do a[i] := b[i]; end;",
        ),
        &CheckOptions::default(),
    );
    let representatives: BTreeSet<_> = parametric(&model);
    assert_eq!(representatives.len(), 1);
    // Anonymous ranges belong to the named one with the same bounds.
    let model = accepted(
        &text(
            "const N: 3; var a: array [1..N] of boolean; type T: 1..N; var x: T;",
            "for i: 1..N do a[i] := true; end;",
        ),
        &CheckOptions::default(),
    );
    let representatives = parametric(&model);
    assert_eq!(representatives, BTreeSet::from([Some("T".to_owned())]));
    // Named types stay distinct until their values mix.
    let declarations = "const N: 3; type T: 1..N; U: 1..N; var t: T; u: U;";
    assert_eq!(
        parametric(&accepted(&text(declarations, "undefine t;"), &CheckOptions::default())).len(),
        2
    );
    assert_eq!(
        parametric(&accepted(&text(declarations, "t := u;"), &CheckOptions::default())).len(),
        1
    );
}

/// The names of the representatives of all parametric types.
fn parametric(model: &Model) -> BTreeSet<Option<String>> {
    let marked = model.types.iter().filter_map(|ty| ty.parametric.as_ref());
    marked
        .map(|mark| model.types[mark.representative.0].name.clone())
        .collect()
}

pub(crate) fn bounds_must_agree_for_every_value_of_the_constants() {
    assert_eq!(
        decided("const N: 3; M: 3; type T: 1..N; U: 1..M; var t: T; u: U;", "t := u;"),
        "T: fixed, its values are mixed with those of `U` (line 1)"
    );
    // The size may be computed in any way if only one type has it.
    assert_eq!(
        decided("const N: 3; type T: 0..N*N; var t, u: T;", "t := u;"),
        "T: any size"
    );
    // The same number, written differently.
    assert_eq!(
        decided(
            "const N: 3; M: N; type T: 0..N-1; U: 0..M-2+1; var t: T; u: U;",
            "t := u;"
        ),
        "T: any size"
    );
}

pub(crate) fn a_constant_with_a_value_that_matters_fixes_its_types() {
    let declarations = "const N: 3; M: N + 1;
        type Node: scalarset(N); Count: 0..N; Message: scalarset(M);
        var a: array [Node] of boolean; c: Count; i: 0..9; m: Message;";
    assert_eq!(
        decided(declarations, "undefine a;"),
        "Node: any size\nCount: any size\nMessage: any size"
    );
    assert_eq!(
        decided(declarations, "c := c + 1;"),
        "Node: fixed, the size of `Count`, which is fixed, depends on `N` too (line 2)\n\
         Count: fixed, its values are used in arithmetic, by `+` (line 6)\n\
         Message: fixed, the size of `Count`, which is fixed, depends on `N` too (line 2)"
    );
    assert_eq!(
        decided(declarations, "i := M;"),
        "Node: fixed, the value of `M`, which depends on `N`, matters here (line 6)\n\
         Count: fixed, the value of `M`, which depends on `N`, matters here (line 6)\n\
         Message: fixed, the value of `M` matters here (line 6)"
    );
    assert_eq!(
        decided(&format!("{declarations} bag: multiset [N] of boolean;"), "undefine a;")
            .lines()
            .next(),
        Some("Node: fixed, the value of `N` matters here (line 3)")
    );
}

pub(crate) fn a_range_may_be_ordered() {
    assert_eq!(decided(NODES, "b := x < y; b := x >= y;"), "Node: any size");
}

pub(crate) fn scalarsets_with_literal_sizes() {
    let declarations = "type Pair: scalarset(2); Head: scalarset(1); Any: union {Pair, Head, enum {none}};
        var p: Pair; h: Head; x: Any; b: boolean;";
    assert_eq!(
        decided(declarations, "x := p; x := none; h := x; b := ismember(x, Pair);"),
        "Pair: any size\nHead: fixed, it is declared to have one element (line 1)"
    );
    assert_eq!(
        decided_with(declarations, "x := h;", &option(&["Head"], &[])),
        "Pair: any size\nHead: any size"
    );
}

pub(crate) fn the_user_decides() {
    assert_eq!(
        decided_with(NODES, "x := y;", &option(&[], &["Node"])),
        "Node: fixed, the option asks for it (line 1)"
    );
    // A range without a constant is parametric only on request.
    let bits = "type Bit: 0..1; var x, y: Bit; b: boolean;";
    assert_eq!(decided(bits, "b := x = y;"), "");
    assert_eq!(
        decided_with(bits, "b := x = 0;", &option(&["Bit"], &[])),
        "Bit: any size, with [0]"
    );
    // Fixing one type fixes all types whose size is the same constant.
    let two = "const N: 3; type A: scalarset(N); B: scalarset(N); var a: A; b: B;";
    assert_eq!(
        decided_with(two, "undefine a;", &option(&[], &["B"])),
        "A: fixed, the size of `B`, which is fixed, depends on `N` too (line 1)\n\
         B: fixed, the option asks for it (line 1)"
    );
}

pub(crate) fn the_user_asks_in_vain() {
    let said = |body: &str, options: &CheckOptions| messages(&text(NODES, body), options).join("\n");
    assert_eq!(
        said("b := x < 2;", &option(&["Node"], &[])),
        "`Node` cannot be of any size, as the option asks"
    );
    assert_eq!(
        said("i := N;", &option(&["Node"], &[])),
        "`Node` cannot be of any size, as the option asks"
    );
    assert_eq!(
        said("", &option(&["Noed"], &[])),
        "parametric Noed: the model has no type `Noed`"
    );
    assert_eq!(said("", &option(&["N"], &[])), "parametric N: `N` is not a type");
    assert_eq!(
        said("", &option(&["Node"], &["Node"])),
        "`Node` cannot be both parametric and fixed, as the options ask"
    );
    let file = SourceFile::new("test.m", text(NODES, "b := x < 2;"));
    let (_, diagnostics) = checked(&file, &option(&["Node"], &[]));
    let error = diagnostics
        .iter()
        .find(|found| found.severity == system::Severity::Error)
        .unwrap();
    assert_eq!(file.snippet(error.span), "x < 2");
    assert_eq!(error.label, "its values are ordered by `<`");
}

pub(crate) fn types_that_share_their_parts_are_walked_once() {
    use std::fmt::Write;
    let mut declarations = "type T0: 0..3; U0: 0..3;".to_owned();
    for n in 1..60 {
        let m = n - 1;
        write!(
            declarations,
            "T{n}: record a, b: T{m}; end; U{n}: record a, b: U{m}; end;"
        )
        .unwrap();
    }
    declarations.push_str("var x: T59; y: U59;");
    let model = accepted(&text(&declarations, "x := y; clear x;"), &CheckOptions::default());
    assert!(matches!(model.kind(model.variables[0].ty), TypeKind::Record { .. }));
}

/// If the first value changes with the size, a named value need not exist at other sizes.
pub(crate) fn named_elements_of_a_range_that_moves() {
    let with_bounds = |bounds: &str| {
        let declarations = format!("const L: 0; N: 3; M: N + 1; type Node: {bounds}; var x: Node;");
        decided(&declarations, "x := 4;")
    };
    for fixed in ["N..2*N", "N..N+3", "N..6", "M..M+N"] {
        let decision = with_bounds(fixed);
        assert!(
            decision.contains("its first value is another one"),
            "{fixed}: {decision}"
        );
    }
    for any in ["0..N+3", "L..N+3", "1..M"] {
        assert_eq!(with_bounds(any), "Node: any size, with [4]", "{any}");
    }
    assert_eq!(
        decided("const N: 3; type Node: N..2*N; var x, y: Node;", "x := y;"),
        "Node: any size"
    );
}
