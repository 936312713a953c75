//! Every kind of error: the models in `tests/errors/types`, each with a snapshot of its diagnostics.

use std::path::Path;

use murphi::{CheckOptions, check, parse};
use system::SourceFile;

use crate::{models, read, rendered};

/// Models with a missing, duplicated or moved word get a diagnostic and never a crash.
pub(crate) fn broken_models_are_survived() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for path in [models(&tests.join("errors/types")), models(&tests.join("models"))].concat() {
        let text = read(&path).text;
        let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
        for position in 0..words.len() {
            let replacement = match position % 3 {
                0 => vec![],
                1 => vec![words[position]; 2],
                _ => vec![words[words.len() - 1 - position]],
            };
            let broken = [&words[..position], &replacement, &words[position + 1..]]
                .concat()
                .concat();
            let (program, _) = parse(&SourceFile::new("broken.m", broken));
            check(&program, &CheckOptions::default());
        }
    }
}

pub(crate) fn mistakes_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors/types");
    let paths = models(&folder);
    assert!(paths.len() >= 40);
    for path in paths {
        let file = read(&path);
        let (program, syntax) = parse(&file);
        assert!(syntax.is_empty(), "{}", rendered(&file, &syntax));
        let (_, diagnostics) = check(&program, &CheckOptions::default());
        assert!(!diagnostics.is_empty(), "{} is accepted", path.display());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "../errors/types/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, rendered(&file, &diagnostics));
        });
    }
}
