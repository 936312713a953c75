//! Any text through the Cubicle front end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use system::{Severity, SourceFile};

fuzz_target!(|text: &str| {
    let file = SourceFile::new("fuzz.cub", text);
    let (program, mut diagnostics) = cubicle::parse(&file);
    let (model, found) = cubicle::check(&program);
    diagnostics.extend(found);
    if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        let _ = cubicle::lower(&model);
        let _ = cubicle::compile(&model, &cubicle::CompileOptions::default());
    }
});
