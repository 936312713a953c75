//! Every model that a proof can take is lowered; what cannot be lowered is reported with its place.

use std::path::Path;
use system::SourceFile;

fn corpus() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/murphi");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is absent", folder.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|p| p.extension().is_some_and(|e| e == "m")).collect();
    files.sort();
    files
}

#[test]
fn the_corpus_is_lowered() {
    for path in corpus() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = SourceFile::new(name.clone(), std::fs::read_to_string(&path).unwrap());
        let (program, diagnostics) = murphi::parse(&file);
        assert!(diagnostics.is_empty(), "{name}");
        let (model, diagnostics) = murphi::check(&program, &murphi::Options::default());
        for d in diagnostics { eprintln!("{name}: {}", d.render(&file, false)); }
        let start = std::time::Instant::now();
        match murphi::lower(&model) {
            Ok(lowered) => eprintln!("{name}: {} rules {} functions {:?}", lowered.system.rules.len(), lowered.system.state.len(), start.elapsed()),
            Err(diagnostics) => {
                for d in diagnostics { eprintln!("{name}: {}", d.render(&file, false)); }
            }
        }
    }
}
