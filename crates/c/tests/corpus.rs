//! Programs of others: they are read without errors, come back as the same tree, and have their places in the files
//! that their authors wrote.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use c::parse::{Parsed, parse};
use c::preprocess::{self, Preprocessing};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use system::{Role, Severity, Sources};
use testing::Outcome;

fn read(path: &Path, machine: &'static str, folder: Option<&Path>) -> (Sources, Parsed) {
    let preprocessing = Preprocessing {
        machine: Some(machine),
        include_paths: folder.into_iter().map(Path::to_owned).collect(),
        ..Preprocessing::default()
    };
    let (sources, _) = preprocess::read(path, &preprocessing).unwrap_or_else(|rejected| {
        let messages = rejected
            .diagnostics
            .iter()
            .map(|found| found.render(&rejected.sources, false));
        panic!("{}", messages.collect::<Vec<_>>().join("\n"))
    });
    let parsed = parse(&sources);
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|error| error.render(&sources, false)).collect();
    assert!(errors.is_empty(), "{}:\n{}", path.display(), errors.join("\n"));
    (sources, parsed)
}

/// The tree as C is read as the same tree, and no place is in what the preprocessor made.
fn check(path: &Path, machine: &'static str, folder: Option<&Path>) -> String {
    let (sources, parsed) = read(path, machine, folder);
    let printed = support::printer::unit(&parsed.unit);
    let again = support::read(&path.display().to_string(), &printed);
    let again = support::printer::unit(&again.unit);
    assert!(printed == again, "{} does not come back", path.display());
    for item in &parsed.unit.items {
        let span = match item {
            c::syntax::Item::Declaration(one) => one.span,
            c::syntax::Item::Function(one) => one.span,
            c::syntax::Item::StaticAssertion(one) => one.span,
            c::syntax::Item::Assembler(span) => *span,
        };
        assert_ne!(sources.role(span), Role::Preprocessed, "{}: {span:?}", path.display());
    }
    printed
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "c" || extension == "i")
        {
            found.push(path);
        }
    }
}

fn every_file_of_the_corpus_is_read() -> Outcome {
    let folder = testing::corpus("c")?;
    testing::tool("cc", "--version")?;
    let mut found = Vec::new();
    files(&folder, &mut found);
    assert!(found.len() >= 42);
    for path in found {
        check(&path, "-m32", None);
    }
    Ok(())
}

/// Where the headers of csmith's programs are.
fn headers() -> Result<PathBuf, testing::Absent> {
    let named = std::env::var_os("CUBIST_CSMITH").map(PathBuf::from);
    let usual = [
        "/usr/include/csmith",
        "/usr/include/csmith-2.3.0",
        "/usr/local/include/csmith-2.3.0",
    ];
    let folders = named.into_iter().chain(usual.iter().map(PathBuf::from));
    let found = folders.map(|folder| folder.join("csmith.h")).find(|file| file.exists());
    let file = testing::expect(found.unwrap_or_else(|| PathBuf::from("/usr/include/csmith/csmith.h")))?;
    Ok(file.parent().unwrap().to_owned())
}

fn generate(seed: usize, folder: &Path) -> PathBuf {
    let path = folder.join(format!("{seed}.c"));
    let options: &[&str] = match seed % 3 {
        0 => &[],
        1 => &["--bitfields", "--packed-struct", "--unions"],
        _ => &["--builtins", "--inline-function", "--float"],
    };
    let mut command = Command::new("csmith");
    // It leaves a file where it runs.
    command.current_dir(folder).arg("--seed").arg(seed.to_string());
    let output = command.args(options).output().unwrap();
    std::fs::write(&path, output.stdout).unwrap();
    path
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cubist-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn random_programs_are_read() -> Outcome {
    random_programs(1..=20)
}

/// Most of the time csmith is at work.
fn many_random_programs_are_read() -> Outcome {
    random_programs(21..=300)
}

fn random_programs(seeds: RangeInclusive<usize>) -> Outcome {
    testing::tool("csmith", "--version")?;
    testing::tool("cc", "--version")?;
    let headers = headers()?;
    let folder = scratch(&format!("random-{}", seeds.start()));
    for seed in seeds {
        let path = generate(seed, &folder);
        check(&path, if seed % 2 == 0 { "-m32" } else { "-m64" }, Some(&headers));
        std::fs::remove_file(&path).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();
    Ok(())
}

/// What a program writes, compiled by gcc; None where it does not end.
fn output(path: &Path, folder: Option<&Path>) -> Option<Vec<u8>> {
    let program = path.with_extension("out");
    let mut command = Command::new("gcc");
    command.args(["-w", "-O0", "-o"]).arg(&program).arg(path);
    let compiled = command
        .args(folder.map(|folder| format!("-I{}", folder.display())))
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let run = Command::new("timeout").arg("3").arg(program).output().unwrap();
    run.status.success().then_some(run.stdout)
}

/// gcc takes the tree as C for the same program.
fn random_programs_mean_the_same_when_printed() -> Outcome {
    testing::tool("csmith", "--version")?;
    testing::tool("gcc", "--version")?;
    let headers = headers()?;
    let folder = scratch("printed");
    let count = std::env::var("CUBIST_PRINTED")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(5);
    for seed in 1000..1000 + count {
        let path = generate(seed, &folder);
        let printed = check(&path, "-m64", Some(&headers));
        if let Some(expected) = output(&path, Some(&headers)) {
            let again = folder.join("again.c");
            std::fs::write(&again, printed).unwrap();
            assert_eq!(output(&again, None), Some(expected), "{}", path.display());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    Ok(())
}

testing::tests!(
    every_file_of_the_corpus_is_read,
    random_programs_are_read,
    random_programs_mean_the_same_when_printed;
    ignored: many_random_programs_are_read,
);
