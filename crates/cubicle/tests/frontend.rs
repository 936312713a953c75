//! The Cubicle implementation of the front-end interface: sizes, additional files, single formulas.

#![allow(clippy::unwrap_used, clippy::panic)]

use cubicle::Cubicle;
use system::frontend::SizeOrigin;
use system::{Language as _, Model, ReadOptions, Rejected, Role, SourceFile};

const MODEL: &str = "\
type t = Idle | Busy
array S[proc] : t
var Free : bool
init (z) { S[z] = Idle && Free = True }
unsafe (x y) { S[x] = Busy && S[y] = Busy }
transition take (x) requires { Free = True } { S[x] := Busy; Free := False }
transition give (x) requires { S[x] = Busy } { S[x] := Idle; Free := True }
";

fn model() -> Box<dyn Model> {
    Cubicle
        .read(SourceFile::new("lock.cub", MODEL), &ReadOptions::default())
        .unwrap()
}

fn shown(rejected: &Rejected) -> String {
    let found = rejected.diagnostics.iter();
    found
        .map(|found| found.render(&rejected.sources, false) + "\n")
        .collect()
}

fn formula_error(text: &str) -> String {
    let result = model().formula(SourceFile::new("conjecture", text));
    shown(&result.map(|found| found.formula).unwrap_err())
}

#[test]
fn the_same_text_with_another_number_of_processes_has_the_same_system() {
    let declared = model();
    assert_eq!(
        (declared.sizes()[0].size, declared.sizes()[0].origin),
        (3, SizeOrigin::Default)
    );
    let other = declared.with_sizes(&[("proc".to_owned(), 5)]).unwrap();
    assert_eq!(
        (other.sizes()[0].size, other.sizes()[0].origin),
        (5, SizeOrigin::Chosen)
    );
    assert!(std::ptr::eq(other.system().unwrap(), declared.system().unwrap()));
    let (instance, _) = other.instance().unwrap();
    assert_eq!(other.correspondence(&instance).unwrap().sizes[0].1, 5);
    let refused = declared.with_sizes(&[("node".to_owned(), 5)]).map(|_| ()).unwrap_err();
    assert!(shown(&refused).contains("the only type of a Cubicle model that has a size is `proc`"));
}

#[test]
fn a_further_file_knows_its_role() {
    let text = "(* more *)\nunsafe (x) { S[x] = Busy && Free = True }\n";
    let with = model()
        .with_file(Role::Further, SourceFile::new("more.cub", text))
        .unwrap();
    let property = with.system().unwrap().properties.last().unwrap();
    assert_eq!(with.sources().role(property.span), Role::Further);
    assert_eq!(with.sources().position(property.span), (2, 1));
}

#[test]
fn a_formula_is_read_in_the_scope_of_the_model() {
    let model = model();
    let read = |text: &str| model.formula(SourceFile::new("conjecture", text)).unwrap();
    assert_eq!(read("Free = True").indices.len(), 0);
    assert_eq!(read("(Free = True) || (Free = False)").indices.len(), 0);
    let claim = read("(x y) { S[x] = Idle || S[y] = Idle }\n");
    assert_eq!((claim.indices.len(), claim.is_claim), (2, true));
    assert_eq!(claim.name, "(x y) { S[x] = Idle || S[y] = Idle }");
    // What the property excludes, for all processes.
    let excluded = read("(x y) { not (S[x] = Busy && S[y] = Busy) }");
    let property = &model.system().unwrap().properties[0];
    assert_eq!(
        logic::term::forall(excluded.indices, excluded.formula),
        property.formula
    );
}

#[test]
fn a_mistake_in_a_formula_is_shown_where_it_is() {
    let shown = formula_error("(x y) {\n  S[x] = Idle || T[y] = Idle\n}");
    assert!(shown.contains("--> conjecture:2:18\n"), "{shown}");
    assert!(
        shown.contains("2 |   S[x] = Idle || T[y] = Idle\n  |                  ^"),
        "{shown}"
    );
    assert!(formula_error("Free = True Free").contains("expected the end of the formula"));
    assert!(formula_error("(x) { x < x && S[x] = Idle && #1 = x }").contains("conjecture:1:"));
    assert!(!formula_error("").is_empty());
}

/// A system that does not need the order of processes does not contain it.
#[test]
fn a_formula_does_not_change_the_model() {
    let asks_for_more = formula_error("(x y) { x < y && S[x] = Idle }");
    assert!(
        asks_for_more.contains("more of the state than the model"),
        "{asks_for_more}"
    );
}
