//! The structure of the model: conversions, flattening, names, copies.

use murphi::CheckOptions;
use murphi::model::*;

use crate::{accepted, checked};

fn model(text: &str) -> Model {
    accepted(text, &CheckOptions::default())
}

/// The values assigned in the body of the first startstate.
fn assigned(model: &Model) -> Vec<&Expression> {
    let values = model.starts[0]
        .body
        .iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Assign { value, .. } => Some(value),
            _ => None,
        });
    values.collect()
}

pub(crate) fn members_and_unions_are_converted() {
    let model = model(
        "type Node: scalarset(2); Any: union {Node, enum {none}, 0..3};
         var x, y: Any; n: Node; i: 0..9; a: array [Node] of boolean; b: boolean;
         startstate
           x := n; n := x; x := none; x := y; x := i; i := x; b := x = n; b := none = x; b := a[x]; x := b ? y : n;
         end;",
    );
    let converted: Vec<bool> = assigned(&model)
        .into_iter()
        .map(|value| matches!(value.kind, ExpressionKind::Convert(_)))
        .collect();
    assert_eq!(
        converted,
        [true, true, true, false, true, true, false, false, false, false]
    );
    let any = model.variables[0].ty;
    let sides = |value: &Expression| match &value.kind {
        ExpressionKind::Binary(_, left, right) => (left.ty, right.ty),
        _ => panic!("not a comparison"),
    };
    assert_eq!(sides(assigned(&model)[6]), (any, any));
    assert_eq!(sides(assigned(&model)[7]), (any, any));
}

pub(crate) fn constants_are_folded_and_literals_take_the_type_of_their_place() {
    let model = model(
        "const N: 2 * 3 - 1; debug: !true; type Node: 0..N; Colour: enum {red, green}; const best: green;
         var x: Node; b: boolean; c: Colour; i: integer;
         startstate x := N - 1; b := debug; c := best; i := 7; b := x = 1; x := b ? 1 : 0; i := 1 << 4 | 3; end;",
    );
    let literal = |position: usize| match assigned(&model)[position].kind {
        ExpressionKind::Literal(value) => (value, assigned(&model)[position].ty),
        _ => panic!("not a literal"),
    };
    let types: Vec<TypeId> = model.variables.iter().map(|variable| variable.ty).collect();
    assert_eq!(literal(0), (4, types[0]));
    assert_eq!(literal(1), (0, types[1]));
    assert_eq!(literal(2), (1, types[2]));
    assert_eq!(literal(3), (7, types[3]));
    let ExpressionKind::Binary(_, _, one) = &assigned(&model)[4].kind else {
        panic!("not a comparison")
    };
    assert_eq!(one.ty, types[0]);
    assert_eq!(assigned(&model)[5].ty, types[0]);
    assert_eq!(literal(6), (19, types[3]));
}

pub(crate) fn what_surrounds_a_rule_is_flattened() {
    let model = model(
        "type Node: scalarset(2); var a: array [Node] of 0..3; bag: multiset [2] of Node;
         startstate end;
         ruleset i: Node; j: Node do
           alias cell: a[i] do
             choose e: bag do
               rule \"all\" cell = 0 & bag[e] = j ==> begin cell := 1; multisetremove(e, bag); end;
             end;
             rule \"two\" i != j ==> var local: 0..3; begin local := cell; end;
           end;
           invariant a[i] < 3;
         end;
         rule \"none\" true ==> begin end;",
    );
    let shape = |context: &[Context]| -> String {
        let letter = |part: &Context| match part {
            Context::Parameter(_) => 'p',
            Context::Alias(..) => 'a',
            Context::Choose { .. } => 'c',
        };
        context.iter().map(letter).collect()
    };
    let shapes: Vec<String> = model.rules.iter().map(|rule| shape(&rule.context)).collect();
    assert_eq!(shapes, ["ppac", "ppa", ""]);
    assert_eq!(shape(&model.properties[0].context), "pp");
    let names = |locals: &[Local]| {
        locals
            .iter()
            .map(|local| local.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let locals: Vec<String> = model.rules.iter().map(|rule| names(&rule.locals)).collect();
    assert_eq!(locals, ["i j cell e", "i j cell local", ""]);
    assert_eq!(names(&model.properties[0].locals), "i j");
}

pub(crate) fn nameless_rules_and_properties_get_names() {
    let model = model(
        "var b: boolean;
         rule \"first\" b ==> begin b := false; end;
         rule b ==> begin b := true; end;
         startstate b := true; end;
         startstate \"other\" b := false; end;
         invariant b | !b; invariant \"safe\" true; invariant \"safe\" b -> b; invariant b = b; assume b = b;
         invariant \"safe 2\" true; invariant \"safe\" true;",
    );
    let names: Vec<&str> = model
        .rules
        .iter()
        .chain(&model.starts)
        .map(|rule| rule.name.as_str())
        .collect();
    assert_eq!(names, ["first", "Rule 2", "Startstate 1", "other"]);
    let names: Vec<&str> = model.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Invariant 1",
            "safe",
            "safe 3",
            "Invariant 4",
            "Assumption 1",
            "safe 2",
            "safe 4"
        ]
    );
}

pub(crate) fn loops_with_constant_bounds_are_loops_over_a_range() {
    let model = model(
        "const N: 4; var x: 0..9;
         startstate
           for i := 1 to N do x := i; end;
           for i := 0 to 8 by 2 do x := i; end;
           for i := N to 1 by -1 do x := i; end;
           for i := x to 3 do x := i; end;
         end;
         ruleset i := 0 to N - 1 do rule \"r\" true ==> begin x := i; end; end;",
    );
    let domains: Vec<bool> = model.starts[0]
        .body
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::For { binder, .. } => matches!(binder.domain, Domain::Type(_)),
            _ => panic!("not a loop"),
        })
        .collect();
    assert_eq!(domains, [true, false, false, false]);
    assert!(
        matches!(&model.rules[0].context[0], Context::Parameter(binder) if matches!(binder.domain, Domain::Type(_)))
    );
}

pub(crate) fn a_body_that_changes_its_bound_name_changes_a_copy() {
    let file = system::SourceFile::new(
        "test.m",
        "var x: 0..9;
         startstate for i: 0..3 do i := i + 1; x := i; end; end;
         ruleset n: 0..3 do rule \"r\" n < 2 ==> begin n := n + 1; x := n; end; end;
         invariant true;",
    );
    let (model, diagnostics) = checked(&file, &CheckOptions::default());
    assert_eq!(diagnostics.len(), 2);
    let rule = &model.rules[0];
    let kinds: Vec<LocalKind> = rule.locals.iter().map(|local| local.kind).collect();
    assert_eq!(kinds, [LocalKind::Bound, LocalKind::Variable]);
    // n' := n; n' := n' + 1; x := n'
    assert_eq!(rule.body.len(), 3);
    let StatementKind::Assign { target, value } = &rule.body[0].kind else {
        panic!("no copy")
    };
    assert_eq!(target.root, Root::Local(LocalId(1)));
    assert!(matches!(&value.kind, ExpressionKind::Read(place) if place.root == Root::Local(LocalId(0))));
    let StatementKind::For { binder, body } = &model.starts[0].body[0].kind else {
        panic!("no loop")
    };
    let kind = |local: LocalId| model.starts[0].locals[local.0].kind;
    assert_eq!(kind(binder.local), LocalKind::Bound);
    assert_eq!(body.len(), 3);
}

pub(crate) fn predicates_hold_their_index_variables() {
    let model = model(
        "type Node: scalarset(2); var a: array [Node] of boolean;
         uninterpreted leader: Node; less(x, y: Node): boolean;
         index i, j: Node;
         axiom \"order\" forall x: Node do !less(x, x) end;
         predicate \"one\" a[j];
         predicate forall k: Node do less(i, k) -> a[k] & a[j] end;
         predicate \"none\" a[leader];
         startstate havoc a where forall k: Node do a[k] = (k = leader) end; end;",
    );
    let names: Vec<String> = model
        .predicates
        .iter()
        .map(|predicate| {
            let locals: Vec<&str> = predicate.locals.iter().map(|local| local.name.as_str()).collect();
            format!("{}: {}", predicate.name, locals.join(" "))
        })
        .collect();
    assert_eq!(names, ["one: j", "Predicate 2: k i j", "none: "]);
    assert_eq!(model.uninterpreted[1].parameters.len(), 2);
}

pub(crate) fn later_declarations_and_recursion() {
    let model = model(
        "var x: 0..9;
         startstate x := even(4) ? 1 : 0; reset(); end;
         function even(n: 0..9): boolean; begin if n = 0 then return true; end; return odd(n - 1); end;
         function odd(n: 0..9): boolean; begin if n = 0 then return false; else return even(n - 1); end; end;
         procedure reset(); begin y := x; even(3); end;
         var y: 0..9;",
    );
    assert_eq!(model.subprograms.len(), 3);
    assert!(model.subprograms.iter().all(|subprogram| !subprogram.body.is_empty()));
}

pub(crate) fn names_hide_those_outside() {
    model(
        "type Address: 0..1; t: 0..1; Message: record Address: Address; Home: boolean; end;
         const empty: 3; integer: 2;
         var m: Message; l: 0..integer; Home: Address;
         function head(t: boolean): t; begin return t ? 1 : 0; end;
         procedure send(Address: Address; Home: boolean);
         var Home: 0..1;
         begin
           m.Address := Address; m.Home := true; Home := Address;
           for Address: 0..1 do alias Home: m.Home do Home := Address = 1; end; end;
         end;
         startstate send(0, true); l := head(true); l := empty - 2; end;
         ruleset Home: boolean do rule \"r\" Home & exists Home: Address do Home = m.Address end ==> begin end; end;",
    );
}

pub(crate) fn an_alias_of_a_constant_is_one() {
    model(
        "const N: 2; var x: 0..N;
         startstate alias y: N do for i: 0..y do x := i; end; end; end;
         alias y: N; z: y do ruleset i: 0..z do rule \"r\" true ==> begin x := i; end; end; end;",
    );
}

pub(crate) fn undefined_arguments_and_values() {
    let model = model(
        "type Node: scalarset(2); var n: Node;
         procedure set(m: Node); begin if !isundefined(m) then n := m; end; end;
         startstate n := undefined; set(undefined); end;",
    );
    assert!(matches!(model.starts[0].body[0].kind, StatementKind::Undefine(_)));
    assert!(matches!(model.starts[0].body[1].kind, StatementKind::Call { .. }));
}

pub(crate) fn lists() {
    let model = model(
        "type Message: record kind: 0..3; end;
         var queue: list of 0..3; lists: list of list of 0..3; messages: list of Message; x: 0..3; b: boolean; m: Message;
         startstate
           queue := []; queue := append([], 2); queue := append(append([], x), 3); x := head(queue); x := length(queue);
           b := empty(queue); b := queue = [] & [] != queue; queue := b ? [] : tail(queue); lists := append([], []);
           messages := append(messages, m); clear queue; b := isundefined(queue);
           alias first: head(messages) do x := first.kind; end;
         end;",
    );
    let list = model.variables[0].ty;
    let values = assigned(&model);
    for position in [0, 1, 2, 7] {
        assert_eq!(values[position].ty, list);
    }
    let ExpressionKind::Append(empty, last) = &values[1].kind else {
        panic!("no append")
    };
    let TypeKind::List { element } = model.kind(list) else {
        panic!("no list")
    };
    assert_eq!((empty.ty, last.ty), (list, *element));
}
