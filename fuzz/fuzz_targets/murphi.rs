//! Any text through the Murphi front end. Predicate files go the same way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use system::{Severity, SourceFile};

fuzz_target!(|text: &str| {
    let file = SourceFile::new("fuzz.m", text);
    let (program, mut diagnostics) = murphi::parse(&file);
    let (model, found) = murphi::check(&program, &murphi::Options::default());
    diagnostics.extend(found);
    if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        let _ = murphi::lower(&model);
        let _ = murphi::compile(&model, &murphi::CompileOptions { integer_window: (0, 2) });
    }
});
