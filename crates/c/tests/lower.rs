//! Programs of others are lowered, and what comes out is well formed.
#![allow(clippy::unwrap_used, clippy::panic)]

use c::{DataModel, Options, Unit};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::Outcome;

fn read(path: &Path, model: DataModel, include: Option<&Path>) -> Unit {
    let mut options = Options::new(model);
    options.include_paths.extend(include.map(Path::to_owned));
    match c::read_file(path, &options) {
        Ok(unit) => {
            let malformed = unit.program.malformed();
            assert!(malformed.is_empty(), "{} {model:?}: {:?}", path.display(), malformed[0]);
            unit
        }
        Err(rejected) => {
            let errors = rejected
                .diagnostics
                .iter()
                .filter(|found| found.severity == system::Severity::Error);
            let texts: Vec<String> = errors.map(|found| found.render(&rejected.sources, false)).collect();
            panic!("{} {model:?}:\n{}", path.display(), texts.join("\n"));
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "c" || extension == "i")
        {
            found.push(path);
        }
    }
    found.sort();
}

fn the_corpus_is_lowered() -> Outcome {
    testing::tool("gcc", "--version")?;
    let mut found = Vec::new();
    files(&testing::corpus("c")?, &mut found);
    assert!(found.len() >= 40);
    for path in found {
        for model in DataModel::ALL {
            let unit = read(&path, model, None);
            assert!(!unit.program.properties.is_empty(), "{}", path.display());
        }
    }
    Ok(())
}

fn csmith(count: u32) -> Outcome {
    testing::tool("gcc", "--version")?;
    testing::tool("csmith", "--version")?;
    let include = testing::expect(PathBuf::from("/usr/include/csmith"))?;
    let folder = std::env::temp_dir().join(format!("cubist-csmith-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("program.c");
    for seed in 0..count {
        let output = Command::new("csmith")
            .args(["--seed", &seed.to_string(), "--no-float"])
            .output()
            .unwrap();
        std::fs::write(&path, output.stdout).unwrap();
        let model = DataModel::ALL[seed as usize % 2];
        read(&path, model, Some(&include));
    }
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

fn random_programs_are_lowered() -> Outcome {
    csmith(20)
}

fn many_random_programs_are_lowered() -> Outcome {
    csmith(300)
}

testing::tests!(the_corpus_is_lowered, random_programs_are_lowered; ignored: many_random_programs_are_lowered);
