//! User-chosen sizes and constants.

use murphi::CheckOptions;
use murphi::model::{Model, TypeKind};

use crate::{accepted, constants, messages, sizes};

const MODEL: &str = "
const N: 3; M: N + 1; flag: true; colour_count: 2;
type Node: scalarset(N); Client: 1..N; Place: 0..N-1; Slot: 0..M; Back: N..N+N; Product: scalarset(N * M);
     Pair: scalarset(2); Bit: 0..1; Other: Node; Rest: scalarset(M - 2);
     Any: union {Node, Pair}; Colour: enum {red, green};
var n: Node; c: Client; p: Place; s: Slot; b: Back; q: Product; r: Pair; t: Bit; m: M..M; x: Any; u: Rest;
startstate undefine n; end;
";

fn bounds(model: &Model, name: &str) -> (i64, i64) {
    let ty = model.types.iter().find(|ty| ty.name.as_deref() == Some(name)).unwrap();
    match ty.kind {
        TypeKind::Range { low, high } => (low, high),
        TypeKind::Scalarset { size } => (0, size - 1),
        _ => panic!("{name} has no bounds"),
    }
}

pub(crate) fn a_size_sets_the_constant_behind_it() {
    for option in ["Node", "Client", "Place", "N", "Other"] {
        let model = accepted(MODEL, &sizes(&[(option, 5)]));
        assert_eq!(bounds(&model, "Node"), (0, 4), "{option}");
        assert_eq!(bounds(&model, "Client"), (1, 5), "{option}");
        assert_eq!(bounds(&model, "Place"), (0, 4), "{option}");
        assert_eq!(bounds(&model, "Slot"), (0, 6), "{option}");
        assert_eq!(bounds(&model, "Product"), (0, 29), "{option}");
        assert_eq!(bounds(&model, "Rest"), (0, 3), "{option}");
    }
    // M is N + 1, so that 0..M has N + 2 elements, and M - 2 is N - 1.
    assert_eq!(bounds(&accepted(MODEL, &sizes(&[("Slot", 9)])), "Node"), (0, 6));
    assert_eq!(bounds(&accepted(MODEL, &sizes(&[("Rest", 1)])), "Node"), (0, 1));
}

pub(crate) fn constants_are_set_directly() {
    let model = accepted(MODEL, &constants(&[("M", 9)]));
    assert_eq!(bounds(&model, "Slot"), (0, 9));
    assert_eq!(bounds(&model, "Node"), (0, 2));
    let both = CheckOptions {
        sizes: sizes(&[("Node", 4)]).sizes,
        constants: constants(&[("M", 9), ("flag", 0)]).constants,
        ..CheckOptions::default()
    };
    let model = accepted(MODEL, &both);
    assert_eq!(bounds(&model, "Slot"), (0, 9));
    assert_eq!(bounds(&model, "Client"), (1, 4));
}

pub(crate) fn a_scalarset_without_a_constant_takes_its_size_alone() {
    let model = accepted(MODEL, &sizes(&[("Pair", 4), ("Product", 7)]));
    assert_eq!(bounds(&model, "Pair"), (0, 3));
    assert_eq!(bounds(&model, "Product"), (0, 6));
    assert_eq!(bounds(&model, "Node"), (0, 2));
}

pub(crate) fn local_constants_are_not_meant() {
    let text = "const N: 2; var x: 0..9; startstate const N: 7; begin x := N; end;";
    let model = accepted(text, &constants(&[("N", 3)]));
    let assigned = format!("{:?}", model.starts[0].body);
    assert!(assigned.contains("Literal(7)"), "{assigned}");
}

pub(crate) fn silly_sizes_are_refused() {
    let said = |pairs: &[(&str, i64)]| messages(MODEL, &sizes(pairs)).join("\n");
    assert_eq!(said(&[("Node", 0)]), "size Node=0: a size must be at least 1");
    assert_eq!(said(&[("Node", -3)]), "size Node=-3: a size must be at least 1");
    assert_eq!(
        said(&[("Node", 1 << 40)]),
        "size Node=1099511627776: a size can be at most 1000000"
    );
    assert_eq!(
        said(&[("Nodes", 2)]),
        "size Nodes=2: the model has no type or constant `Nodes`"
    );
    assert_eq!(
        said(&[("Bit", 3)]),
        "size Bit=3: the size of `Bit` is fixed by its declaration"
    );
    assert_eq!(said(&[("Back", 4)]), "");
    assert_eq!(
        said(&[("Any", 4)]),
        "size Any=4: the size of `Any` is fixed by its declaration"
    );
    assert_eq!(
        said(&[("Colour", 4)]),
        "size Colour=4: the size of `Colour` is fixed by its declaration"
    );
    assert_eq!(said(&[("n", 4)]), "size n=4: `n` is neither a type nor a constant");
    assert_eq!(said(&[("flag", 4)]), "size flag=4: `flag` is not a number");
    assert_eq!(said(&[("Rest", 1), ("Client", 2)]), "");
    assert_eq!(
        said(&[("Client", 3), ("Node", 4)]),
        "size Node=4: it makes the constant `N` 4, but another option makes it 3"
    );
}

pub(crate) fn silly_constants_are_refused() {
    let said = |pairs: &[(&str, i64)]| messages(MODEL, &constants(pairs)).join("\n");
    assert_eq!(said(&[("K", 1)]), "constant K=1: the model has no constant `K`");
    assert_eq!(said(&[("Node", 1)]), "constant Node=1: `Node` is not a constant");
    assert_eq!(said(&[("flag", 2)]), "constant flag=2: `flag` is not a number");
    // The error is reported where it occurs.
    assert!(said(&[("N", 0)]).contains("a scalarset must have at least one element"));
    assert!(said(&[("M", -1)]).contains("this range is empty"));
}
