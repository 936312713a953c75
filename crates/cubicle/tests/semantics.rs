//! The semantics of each construct, by small models whose verdict depends on it.
//!
//! If a `cubicle` executable is on the path, its verdicts are compared.

mod support;

use cubicle::CompileOptions;
use std::process::Command;
use support::{instance, model_of, processes, search, violated};
use testing::Outcome;

/// A model, and whether it has an unsafe state for 1, 2 and 3 processes.
struct Case {
    claim: &'static str,
    text: &'static str,
    violated: [bool; 3],
    /// Whether Cubicle's verdict is right: docs/cubicle.md lists the exceptions.
    cubicle: bool,
}

const SAFE: [bool; 3] = [false, false, false];
const ALL: [bool; 3] = [true, true, true];
const FROM_TWO: [bool; 3] = [false, true, true];

const CASES: &[Case] = &[
    Case {
        claim: "the variables of unsafe are different processes",
        text: "var T : proc\ninit { true }\nunsafe (x y) { T = x && T = y }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "an unused variable of unsafe still stands for a process",
        text: "var B : bool\ninit { B = True }\nunsafe (x y) { B = True }",
        violated: FROM_TWO,
        cubicle: true,
    },
    Case {
        claim: "parameters are different processes",
        text: "var T : proc\nvar B : bool\ninit { B = False }\nunsafe (z) { B = True }
               transition t (x y) requires { T = x && T = y } { B := True }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "the variables of init may be equal",
        text: "array C[proc, proc] : bool\ninit (x y) { C[x, y] = False }\nunsafe (z) { C[z, z] = True }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "init that asks for different variables has no states",
        text: "array C[proc] : bool\ninit (x y) { x <> y && C[x] = False }\nunsafe (z) { C[z] = False }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "what init does not mention is free",
        text: "type t = P | Q\narray S[proc] : t\nvar B : bool\ninit { B = False }\nunsafe (z) { S[z] = Q && B = False }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "the order is asymmetric, total and irreflexive",
        text: "var B : bool\ninit { B = False }\nunsafe (x y) { x < y && y < x }\nunsafe (x y) { not (x < y) && not (y < x) }
               unsafe (x) { x < x }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "the order is transitive",
        text: "var B : bool\ninit { B = False }\nunsafe (x y z) { x < y && y < z && z < x }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "<= and < differ in equality only",
        text: "var T : proc\nvar U : proc\ninit { T <= U && U <= T }\nunsafe (z) { T <> U }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "> and >= are < and <= turned round",
        text: "var X : int\ninit { X = 1 }\nunsafe { X > 1 }\nunsafe { 0 >= X }\nunsafe { not (X >= 1) }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "forall_other is true of no process",
        text: "array A[proc] : bool\nvar B : bool\ninit (z) { A[z] = False && B = False }\nunsafe { B = True }
               transition t (x) requires { forall_other j. A[j] = True } { B := True }",
        violated: [true, false, false],
        cubicle: true,
    },
    Case {
        claim: "forall_other leaves out every parameter",
        text: "array A[proc] : bool\nvar B : bool\ninit (z) { A[z] = False && B = False }\nunsafe { B = True }
               transition t (x y) requires { forall_other j. A[j] = True } { B := True }",
        violated: [false, true, false],
        cubicle: true,
    },
    Case {
        claim: "the body of forall_other reaches to the end",
        text: "array A[proc] : bool\nvar B : bool\ninit (z) { A[z] = False && B = False }\nunsafe (z) { B = True }
               transition t (x) requires { forall_other j. A[j] = False && B = True } { B := True }",
        violated: [true, false, false],
        cubicle: true,
    },
    Case {
        claim: "forall means all processes",
        text: "array A[proc] : bool\nvar B : bool\ninit (z) { A[z] = False && B = False }\nunsafe (z) { B = True }
               transition set (x) { A[x] := True }
               transition t (x) requires { A[x] = False && forall j. A[j] = True } { B := True }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "a quantifier may reuse the name of a parameter",
        text: "array A[proc] : bool\narray P[proc] : bool\ninit (z) { A[z] = False && P[z] = False }
               unsafe (x y) { A[x] = True && A[y] = True }
               transition t (x) requires { P[x] = False && forall_other x. A[x] = False } { A[x] := True }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "exists and several quantifiers in a guard",
        text: "array A[proc] : bool\nvar B : bool\ninit (z) { A[z] = False && B = False }\nunsafe { B = True }
               transition set (x) { A[x] := True }
               transition t () requires { (exists x <> y. A[x] = True && A[y] = True) && exists_other j. A[j] = False }
               { B := True }",
        violated: [false, false, true],
        cubicle: false,
    },
    Case {
        claim: "a constant is arbitrary",
        text: "const N : bool\nvar X : bool\ninit { X = False }\nunsafe { X = N }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "a constant never changes",
        text: "const N : bool\nvar X : bool\nvar Y : bool\ninit { X = Y }\nunsafe { X <> Y }\ntransition t () { X := N; Y := N }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "all right sides read the state before",
        text: "var X : bool\nvar Y : bool\ninit { X = True && Y = False }\nunsafe { X = Y }\ntransition swap () { X := Y; Y := X }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "cells, too, read the state before",
        text: "array A[proc] : bool\nvar X : bool\ninit (z) { A[z] = False && X = False }\nunsafe (z) { A[z] = X }
               transition t () { A[j] := case | _ : X; X := case | X = True : False | _ : True }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "an array may read its other cells",
        text: "array C[proc, proc] : bool\nvar S : bool\ninit (x y) { C[x, y] = False && S = False }
               unsafe (x y) { S = True && C[x, y] = C[y, x] }
               transition mark (x y) requires { S = False } { C[x, y] := True; S := True }
               transition turn () requires { S = True } { C[i, j] := case | _ : C[j, i] }",
        violated: [false, false, true],
        cubicle: true,
    },
    Case {
        claim: "the first branch that holds wins",
        text: "var X : bool\nvar Y : bool\ninit { X = False && Y = True }\nunsafe { X = True }
               transition t () { X := case | Y = True : False | Y = True : True | _ : True }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "without a branch that holds the value stays",
        text: "array A[proc] : bool\ninit (z) { A[z] = False }\nunsafe (x y) { A[x] = True && A[y] = True }
               transition t (x) requires { forall_other j. A[j] = False } { A[j] := case | j = x : True }",
        violated: SAFE,
        cubicle: false,
    },
    Case {
        claim: "an arbitrary value is any value",
        text: "type t = P | Q | R\nvar X : t\nvar T : proc\ninit (z) { X = P }\nunsafe (z) { X = R && T = z }
               transition t () { X := .; T := ? }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "a variable may hold something that is no process",
        text: "var T : proc\nvar B : bool\ninit { B = False }\nunsafe (z) { B = True }
               transition t (x) requires { T <> x && forall_other j. T <> j } { B := True }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "init may ask for that",
        text: "var T : proc\narray A[proc] : bool\ninit (z) { T <> z && A[z] = True }\nunsafe (z) { A[z] = True }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "&& binds tighter than ||, not tighter than both",
        text: "var X : bool\nvar Y : bool\ninit { X = True && Y = False }\nunsafe { not (Y = False || Y = True && X = False) }
               unsafe { not X = True && Y = False }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "=> groups to the right",
        text: "var X : bool\ninit { X = False }\nunsafe { not (X = True => X = True => X = True) }
               unsafe { not (X = False => X = True => X = False) }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "if has a formula in each part",
        text: "var X : bool\ninit { X = False }\nunsafe { if X = True then true else X = True }
               unsafe { not (if X = False then X = False else false) && true }",
        violated: SAFE,
        cubicle: false,
    },
    Case {
        claim: "a disjunction in init is one for each tuple",
        text: "array A[proc] : bool\nvar X : bool\ninit (z) { X = True && A[z] = True || X = False && A[z] = False }
               unsafe (x y) { A[x] <> A[y] }",
        violated: SAFE,
        cubicle: false,
    },
    Case {
        claim: "predicates are put in line",
        text: "type t = P | Q\narray A[proc] : t\npredicate is(x, v) { A[x] = v }\npredicate other(x) { not is(x, P) }
               init (z) { is(z, P) }\nunsafe (x) { other(x) }\ntransition t (y) requires { other(y) } { A[y] := Q }",
        violated: SAFE,
        cubicle: true,
    },
    Case {
        claim: "let is a name for a term",
        text: "array A[proc] : bool\ninit (z) { A[z] = False }\nunsafe (x y) { A[x] = True && A[y] = False }
               transition t (x) { let new = True in let me = x in A[me] := new }",
        violated: FROM_TWO,
        cubicle: false,
    },
    Case {
        claim: "two transitions may share a name",
        text: "var X : bool\nvar Y : bool\ninit { X = False && Y = False }\nunsafe { X = True && Y = True }
               transition t () { X := True }\ntransition t () { Y := True }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "an invariant is not believed",
        text: "var X : bool\ninit { X = False }\ninvariant () { X = True }\nunsafe { X = True }\ntransition t () { X := True }",
        violated: ALL,
        cubicle: false,
    },
    Case {
        claim: "abstract types have several values",
        text: "type data\nvar X : data\nvar Y : data\ninit { X = Y }\nunsafe { X <> Y }\ntransition t () { X := . }",
        violated: ALL,
        cubicle: true,
    },
    Case {
        claim: "sums and products",
        text: "const N : int\nvar X : int\nvar R : real\ninit { X = 1 && N = 2 && R = 0.5 }
               unsafe { X <> N - 1 || X + 2 * N <> 5 || X - N * 2 <> -3 || - 2 * N <> -4 || R + 1 <> 1.5 || R - 0.25 <= 0. }",
        violated: SAFE,
        cubicle: false,
    },
];

fn small_models_have_the_answers_that_their_meaning_gives() {
    for case in CASES {
        let model = model_of(case.text);
        for (count, expected) in (1..=3).zip(case.violated) {
            let outcome = search(&instance(&model, &processes(count)));
            assert_eq!(
                violated(&outcome),
                expected,
                "{} ({count} processes)\n{}",
                case.claim,
                case.text
            );
        }
    }
}

fn cubicle_agrees_where_it_is_right() -> Outcome {
    testing::tool("cubicle", "-version")?;
    let folder = std::env::temp_dir().join(format!("cubist-cubicle-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for case in CASES.iter().filter(|case| case.cubicle) {
        let path = folder.join("case.cub");
        std::fs::write(&path, case.text).expect("a file");
        let output = Command::new("cubicle")
            .arg("-nocolor")
            .arg(&path)
            .output()
            .expect("an answer");
        let text = String::from_utf8_lossy(&output.stdout);
        let (safe, unsafe_) = (text.contains("The system is SAFE"), text.contains("UNSAFE !"));
        assert!(safe != unsafe_, "{}: no answer\n{text}", case.claim);
        assert_eq!(unsafe_, case.violated.contains(&true), "{}\n{text}", case.claim);
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    Ok(())
}

fn process_constants_fix_the_number_of_processes() {
    let text = "number_procs 2\narray A[proc] : bool\ninit { A[#1] = False && A[#2] = True }\nunsafe { A[#2] = False }
                unsafe (x y) { x < y && A[x] = True }";
    let model = model_of(text);
    assert!(!violated(&search(&instance(&model, &processes(2)))));
    for count in [1, 3] {
        assert_eq!(cubicle::compile(&model, &processes(count)).1.len(), 1);
    }
    let bounded = model_of("number_procs 2\nvar B : bool\ninit { B = False }\nunsafe (x y z) { B = False }");
    assert!(!violated(&search(&instance(&bounded, &processes(1)))));
    assert_eq!(cubicle::compile(&bounded, &processes(3)).1.len(), 1);
    assert_eq!(cubicle::compile(&bounded, &processes(0)).1.len(), 1);
}

/// One value for each place that can hold one behaves like infinitely many; with fewer, the search is incomplete.
fn too_few_values_are_said_to_be() {
    let text =
        "type data\nvar X : data\nvar Y : data\nvar Z : data\ninit { true }\nunsafe { X <> Y && Y <> Z && Z <> X }";
    let model = model_of(text);
    for (values, windowed) in [(2, true), (3, false)] {
        let options = CompileOptions {
            abstract_values: values,
            ..processes(1)
        };
        let instance = instance(&model, &options);
        assert_eq!(instance.windowed, windowed);
        assert_eq!(violated(&search(&instance)), !windowed);
    }
}

testing::tests!(
    small_models_have_the_answers_that_their_meaning_gives,
    cubicle_agrees_where_it_is_right,
    process_constants_fix_the_number_of_processes,
    too_few_values_are_said_to_be,
);
