//! The Murphi implementation of the front-end interface: sizes, additional files, single formulas.

#![allow(clippy::unwrap_used, clippy::panic)]

use murphi::Murphi;
use system::frontend::{InProofs, SizeOrigin};
use system::{FileId, Language as _, Model, ReadOptions, Rejected, Role, SourceFile};

const MODEL: &str = "\
const N: 3;
type P: scalarset(N);
var busy: array [P] of boolean; free: boolean; owner: P;
index p: P;
predicate \"own\" owner = p;
startstate begin for p: P do busy[p] := false; end; free := true; undefine owner; end;
ruleset p: P do
rule \"take\" free ==> begin busy[p] := true; free := false; owner := p; end;
rule \"give\" busy[p] ==> begin busy[p] := false; free := true; end;
end;
invariant \"alone\" forall p: P do forall q: P do p != q -> !(busy[p] & busy[q]) end end;
cover \"taken\" !free;
liveness \"free\" free;
";

fn model() -> Box<dyn Model> {
    let read = Murphi.read(SourceFile::new("lock.m", MODEL), &ReadOptions::default());
    read.unwrap_or_else(|rejected| panic!("{}", shown(&rejected)))
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
fn the_same_text_at_another_size_has_the_same_system() {
    let declared = model();
    assert_eq!(
        (declared.sizes()[0].size, declared.sizes()[0].origin),
        (3, SizeOrigin::Declared)
    );
    let first = declared.system().unwrap();
    for size in [1, 2, 5] {
        let other = declared.with_sizes(&[("P".to_owned(), size)]).unwrap();
        assert_eq!(
            (other.sizes()[0].size, other.sizes()[0].origin),
            (size, SizeOrigin::Chosen)
        );
        assert!(other.sizes()[0].is_any(), "also a single element");
        assert!(std::ptr::eq(other.system().unwrap(), first), "it is lowered once");
        let (instance, _) = other.instance().unwrap();
        let correspondence = other.correspondence(&instance).unwrap();
        assert_eq!(correspondence.sizes.len(), 1);
        assert_eq!(i64::from(correspondence.sizes[0].1), size);
        assert_eq!(correspondence.entries.len(), instance.slots.len());
    }
    let fixed = ReadOptions {
        fixed: vec!["P".to_owned()],
        ..ReadOptions::default()
    };
    let fixed = Murphi.read(SourceFile::new("lock.m", MODEL), &fixed).unwrap();
    assert!(matches!(fixed.sizes()[0].in_proofs, InProofs::Fixed { .. }));
    let other = fixed.with_sizes(&[("P".to_owned(), 2)]).unwrap();
    assert!(!std::ptr::eq(other.system().unwrap(), fixed.system().unwrap()));
}

#[test]
fn what_is_no_matter_of_safety_has_a_name() {
    let others = model().non_safety_properties();
    assert_eq!(
        (others.covers, others.liveness),
        (vec!["taken".to_owned()], vec!["free".to_owned()])
    );
}

#[test]
fn a_further_file_knows_its_role_and_its_places() {
    let text = "-- more\ninvariant \"owned\" free | !isundefined(owner);\n";
    let with = model()
        .with_file(Role::Further, SourceFile::new("more.m", text))
        .unwrap();
    let property = with.system().unwrap().properties.last().unwrap();
    assert_eq!(property.name, "owned");
    assert_eq!(with.sources().role(property.span), Role::Further);
    assert_ne!(property.span.file, FileId::MODEL);
    assert_eq!(with.sources().position(property.span), (2, 1));
    assert!(
        with.sources()
            .file(property.span)
            .snippet(property.span)
            .starts_with("invariant")
    );
}

#[test]
fn a_formula_is_read_in_the_scope_of_the_model() {
    let model = model();
    let read = |text: &str| model.formula(SourceFile::new("conjecture", text)).unwrap();
    let closed = read("forall q: P do busy[q] -> !free end");
    assert_eq!(
        (closed.name.as_str(), closed.indices.len()),
        ("forall q: P do busy[q] -> !free end", 0)
    );
    let declared = read("  busy[p] -> !free;\n");
    assert_eq!(
        (declared.name.as_str(), declared.indices.len()),
        ("busy[p] -> !free", 1)
    );
    assert_eq!(read("index a, b: P; busy[a] & busy[b]").indices.len(), 2);
    let known: Vec<_> = model
        .system()
        .unwrap()
        .state
        .iter()
        .map(|symbol| symbol.function)
        .collect();
    for function in logic::substitute::functions_of(declared.formula) {
        assert!(known.contains(&function), "{function:?}");
    }
}

#[test]
fn a_mistake_in_a_formula_is_shown_where_it_is() {
    let expected = "\
error: unknown name `bussy`
 --> conjecture:2:13
  |
2 |   !free & ! bussy[p]
  |             ^^^^^ not declared
  |
  = help: did you mean `busy`?
";
    assert_eq!(formula_error("forall p: P do\n  !free & ! bussy[p]\nend"), expected);
    let expected = "\
error: expected an expression, found the end of the file
 --> conjecture:1:8
  |
1 | free & 
  |        ^ expected an expression
";
    assert_eq!(formula_error("free & "), expected);
    assert!(formula_error("free free").contains("expected the end of the formula, found `free`"));
    assert!(formula_error("5").contains("conjecture:1:1"));
    assert!(formula_error("").contains("conjecture:1:1"));
}

#[test]
fn a_mistake_in_a_formula_may_have_to_do_with_the_model() {
    let expected = "\
error: `free` is already declared
 --> conjecture:1:7
  |
1 | index free: P; busy[free]
  |       ^^^^ declared again here
  |
 ::: lock.m:3:33
  |
3 | var busy: array [P] of boolean; free: boolean; owner: P;
  |                                 ---- first declared here
";
    assert!(formula_error("index free: P; busy[free]").starts_with(expected));
}

/// The scope of a proof does not depend on what is proved about the model.
#[test]
fn a_formula_does_not_change_the_model() {
    let asks_for_more = formula_error("!isundefined(owner)");
    assert!(
        asks_for_more.contains("more of the state than the model"),
        "{asks_for_more}"
    );
    let counts = MODEL.replace("scalarset(N)", "1..N");
    let model = Murphi
        .read(SourceFile::new("lock.m", counts), &ReadOptions::default())
        .unwrap();
    assert!(model.sizes()[0].is_any());
    let result = model.formula(SourceFile::new("conjecture", "owner + 1 > 2"));
    let error = shown(&result.map(|found| found.formula).unwrap_err());
    assert!(
        error.contains("the model is about any number of P, and this is not"),
        "{error}"
    );
    assert!(error.contains("conjecture:1:"), "{error}");
}
