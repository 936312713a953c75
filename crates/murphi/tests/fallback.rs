//! A type that cannot be parametric falls back to its declared size, with a note; other types do not.

#![allow(clippy::unwrap_used, clippy::panic)]

use logic::Cancellation;
use murphi::Murphi;
use system::frontend::InProofs;
use system::{Language as _, Model, ReadOptions, Rejected, Role, Severity, SourceFile};

/// The iterations over `Node` depend on each other; `Data` and the anonymous type are unaffected.
const MODEL: &str = "\
const M: 2;
type Node: scalarset(3); Data: scalarset(2);
var state: array [Node] of boolean; data: array [Data] of boolean; slots: array [1..M] of boolean; odd: boolean;
startstate begin clear state; clear data; clear slots; odd := false; end;
ruleset d: Data do rule \"write\" begin data[d] := true; end; end;
ruleset s: 1..M do rule \"slot\" begin slots[s] := true; end; end;
rule \"count\" begin for n: Node do odd := odd != state[n]; end; end;
ruleset n: Node do rule \"flip\" begin state[n] := !state[n]; end; end;
invariant \"set\" exists d: Data do true end;
";

fn read(text: &str, reading: &ReadOptions) -> Box<dyn Model> {
    let read = Murphi.read(SourceFile::new("model.m", text), reading);
    read.unwrap_or_else(|rejected| panic!("{}", shown(&rejected)))
}

fn for_proof(model: &dyn Model) -> Box<dyn Model> {
    let provable = model.for_proof(&Cancellation::new());
    provable.unwrap_or_else(|rejected| panic!("{}", shown(&rejected)))
}

fn shown(rejected: &Rejected) -> String {
    let found = rejected.diagnostics.iter();
    found
        .map(|found| found.render(&rejected.sources, false) + "\n")
        .collect()
}

fn notes(model: &dyn Model) -> Vec<String> {
    let notes = model
        .diagnostics()
        .iter()
        .filter(|found| found.severity == Severity::Note);
    notes.map(|note| note.render(model.sources(), false)).collect()
}

fn of_any_size(model: &dyn Model) -> Vec<&str> {
    let any = model.sizes().iter().filter(|size| size.is_any());
    any.map(|size| size.name.as_str()).collect()
}

#[test]
fn a_type_whose_loop_cannot_be_done_at_once_has_its_declared_size() {
    let read = read(MODEL, &ReadOptions::default());
    assert_eq!(of_any_size(&*read), ["Node", "Data", "1..M"]);
    let provable = for_proof(&*read);
    assert_eq!(of_any_size(&*provable), ["Data", "1..M"]);
    let expected = "\
note: a proof takes `Node` at the size that it has here
 --> model.m:7:20
  |
2 | type Node: scalarset(3); Data: scalarset(2);
  |      ---- declared here
...
7 | rule \"count\" begin for n: Node do odd := odd != state[n]; end; end;
  |                    ^^^^^^^^^^^^^^ the rounds of this loop depend on each other through `odd`";
    assert_eq!(notes(&*provable), [expected]);
    assert_eq!(provable.system().unwrap().index_sorts.len(), 2);
    let (instance, _) = provable.instance().unwrap();
    assert!(provable.correspondence(&instance).is_some());
}

#[test]
fn other_sizes_and_more_properties_keep_what_was_found() {
    let provable = for_proof(&*read(MODEL, &ReadOptions::default()));
    let larger = provable.with_sizes(&[("Data".to_owned(), 4)]).unwrap();
    assert_eq!(of_any_size(&*larger), ["Data", "1..M"]);
    assert!(std::ptr::eq(larger.system().unwrap(), provable.system().unwrap()));
    let other = provable.with_sizes(&[("Node".to_owned(), 2)]).unwrap();
    assert_eq!((other.sizes()[0].size, other.sizes()[0].is_any()), (2, false));
    assert!(!std::ptr::eq(other.system().unwrap(), provable.system().unwrap()));
    let more = SourceFile::new("more.m", "invariant \"more\" !odd;\n");
    let more = provable.with_file(Role::Properties, more).unwrap();
    assert_eq!(more.system().unwrap().properties.len(), 2);
    let formula = SourceFile::new("conjecture", "forall n: Node do state[n] -> odd end");
    assert!(provable.formula(formula).is_ok());
}

/// On explicit request there is no fallback: the claim is not changed silently, but rejected.
#[test]
fn what_must_be_of_any_size_is_refused() {
    let reading = ReadOptions {
        parametric: vec!["Node".to_owned()],
        ..ReadOptions::default()
    };
    let rejected = read(MODEL, &reading).for_proof(&Cancellation::new()).err().unwrap();
    let error = shown(&rejected);
    assert!(
        error.contains("`Node` cannot be of any size, as the option asks"),
        "{error}"
    );
    assert!(
        error.contains("the rounds of this loop depend on each other through `odd`"),
        "{error}"
    );
}

#[test]
fn a_single_element_is_no_demand() {
    let one = read(MODEL, &ReadOptions::default())
        .with_sizes(&[("Node".to_owned(), 1)])
        .unwrap();
    assert!(one.sizes()[0].is_any());
    assert_eq!(of_any_size(&*for_proof(&*one)), ["Data", "1..M"]);
}

/// A hint must not restrict the claim.
#[test]
fn a_predicate_of_a_file_does_not_fix_a_type() {
    let text = MODEL.replace("odd := odd != state[n];", "state[n] := false;");
    let model = read(&text, &ReadOptions::default());
    assert_eq!(of_any_size(&*for_proof(&*model)), ["Node", "Data", "1..M"]);
    let function = "function parity(): boolean; var p: boolean; begin p := false; \
                    for n: Node do p := p != state[n]; end; return p; end;\n";
    let model = read(
        &text.replace("startstate", &format!("{function}startstate")),
        &ReadOptions::default(),
    );
    let with = |role: Role, text: &str| {
        let with = model.with_file(role, SourceFile::new("more.m", text)).unwrap();
        with.for_proof(&Cancellation::new())
    };
    let property = with(
        Role::Properties,
        "invariant \"even\" forall d: Data do parity() | data[d] end;\n",
    )
    .unwrap();
    assert_eq!(of_any_size(&*property), ["Data", "1..M"]);
    assert_eq!(notes(&*property).len(), 1);
    let error = shown(&with(Role::Predicates, "predicate \"even\" parity();\n").err().unwrap());
    assert!(
        error.contains("depends on a value that the model does not determine"),
        "{error}"
    );
}

/// The constant of a type that falls back is fixed, and with it all other types whose size depends on it.
#[test]
fn types_of_one_constant_fall_back_together() {
    let text = MODEL
        .replace("scalarset(3)", "scalarset(M)")
        .replace("Data: scalarset(2)", "Data: scalarset(M)");
    let provable = for_proof(&*read(&text, &ReadOptions::default()));
    assert_eq!(of_any_size(&*provable), Vec::<&str>::new());
    for size in provable.sizes() {
        assert!(matches!(&size.in_proofs, InProofs::Fixed { span, .. } if !span.is_nowhere()));
    }
}

#[test]
fn nothing_is_learned_from_an_interruption() {
    let model = read(MODEL, &ReadOptions::default());
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let error = shown(&model.for_proof(&cancelled).err().unwrap());
    assert!(error.contains("interrupted"), "{error}");
    assert_eq!(of_any_size(&*for_proof(&*model)), ["Data", "1..M"]);
}
