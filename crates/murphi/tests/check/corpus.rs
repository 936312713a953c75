//! Models of others are accepted, as they are and at other sizes.

use std::fmt::Write;
use std::path::Path;

use murphi::CheckOptions;
use system::{Diagnostic, Severity};
use testing::Outcome;

use crate::{checked, decisions, models, read, rendered, sizes};

pub(crate) fn the_corpus_is_accepted() -> Outcome {
    let folder = testing::corpus("murphi")?;
    // These have no property, and get a warning about it.
    let without_property = ["pv_flash_nodata.m", "pv_germanish.m", "pv_mesi.m", "pv_mutualEx.m"];
    for path in models(&folder) {
        let file = read(&path);
        let (_, diagnostics) = checked(&file, &CheckOptions::default());
        let expected = if without_property.contains(&file.name.as_str()) {
            1
        } else {
            0
        };
        assert_eq!(diagnostics.len(), expected, "{}", rendered(&file, &diagnostics));
    }
    Ok(())
}

pub(crate) fn the_corpus_is_accepted_at_other_sizes() -> Outcome {
    let folder = testing::corpus("murphi")?;
    let chosen: [(&str, &[(&str, i64)]); 19] = [
        ("2_peterson.m", &[("pid", 3)]),
        ("arbiter.m", &[("n", 1)]),
        ("arbiter.m", &[("n", 6)]),
        ("cache3_sym.m", &[("Proc", 2), ("Value", 1)]),
        ("cache3_sym.m", &[("ProcCount", 1)]),
        ("ctc_flash.m", &[("NODE", 1), ("DATA", 1)]),
        ("ctc_flash.m", &[("NODE_NUM", 4)]),
        ("ctc_german.m", &[("NODE", 4)]),
        ("german_baukus.m", &[("PROC", 1)]),
        ("german_baukus.m", &[("PROC_NUM", 2)]),
        ("german_buggy.m", &[("PROC", 3)]),
        ("list6_sym.m", &[("RestCells", 2)]),
        ("list6_sym.m", &[("CellCount", 2)]),
        ("mcslock1.m", &[("pid", 2)]),
        ("n_peterson.m", &[("N", 3)]),
        ("pv_flash_nodata.m", &[("NODE", 3)]),
        ("pv_flash_nodata.m", &[("NODE", 1)]),
        ("pv_german_orig.m", &[("NODE", 2), ("DATA", 1)]),
        ("szymanski_at.m", &[("PROC", 3)]),
    ];
    for (name, variant) in chosen {
        let file = read(&folder.join(name));
        let (_, mut diagnostics) = checked(&file, &sizes(variant));
        diagnostics.retain(|found| found.message != "the model has no property");
        assert!(diagnostics.is_empty(), "{variant:?}: {}", rendered(&file, &diagnostics));
    }
    Ok(())
}

pub(crate) fn the_models_of_the_project_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    for path in models(&folder) {
        let file = read(&path);
        let (_, diagnostics) = checked(&file, &CheckOptions::default());
        let errors: Vec<Diagnostic> = diagnostics
            .into_iter()
            .filter(|found| found.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{}", rendered(&file, &errors));
    }
}

pub(crate) fn decisions_on_the_corpus() -> Outcome {
    let folder = testing::corpus("murphi")?;
    let mut text = String::new();
    for path in models(&folder) {
        let file = read(&path);
        let (model, _) = checked(&file, &CheckOptions::default());
        writeln!(text, "{}\n{}", file.name, decisions(&file, &model)).unwrap();
    }
    insta::assert_snapshot!(text);
    Ok(())
}
