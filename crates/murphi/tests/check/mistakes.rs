//! Every kind of mistake: the models in `tests/errors/types`, each with a snapshot of what is said about it.

use std::path::Path;

use murphi::{Options, check, parse};

use crate::{models, read, rendered};

#[test]
fn mistakes_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors/types");
    let paths = models(&folder);
    assert!(paths.len() >= 40);
    for path in paths {
        let file = read(&path);
        let (program, syntax) = parse(&file);
        assert!(syntax.is_empty(), "{}", rendered(&file, &syntax));
        let (_, diagnostics) = check(&program, &Options::default());
        assert!(!diagnostics.is_empty(), "{} is accepted", path.display());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "../errors/types/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, rendered(&file, &diagnostics));
        });
    }
}
