//! What is said about files with mistakes in them, word for word, and that nothing makes the reader panic.

#![allow(clippy::unwrap_used)]

use oorandom::Rand64;
use std::fs;
use std::path::PathBuf;
use system::SourceFile;

fn files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn messages_are_as_recorded() {
    for (name, text) in files() {
        let Err(rejected) = boolean::read(SourceFile::new(format!("{name}.bp"), text)) else {
            panic!("{name}: nothing is said");
        };
        let rendered: Vec<String> = rejected
            .diagnostics
            .iter()
            .map(|found| found.render(&rejected.sources, false))
            .collect();
        insta::with_settings!({ snapshot_path => "errors", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, rendered.join("\n\n"));
        });
    }
}

/// Texts with pieces cut out, doubled and exchanged.
#[test]
fn spoilt_programs_are_no_reason_to_panic() {
    let mut rand = Rand64::new(1);
    let mut roll = |sides: usize| rand.rand_range(0..sides.max(1) as u64) as usize;
    let texts: Vec<String> = files()
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| text.len() < 2_000)
        .collect();
    for _ in 0..3_000 {
        let mut bytes = texts[roll(texts.len())].clone().into_bytes();
        for _ in 0..1 + roll(4) {
            let from = roll(bytes.len() + 1);
            let to = (from + roll(12)).min(bytes.len());
            match roll(3) {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let piece = bytes[from..to].to_vec();
                    let at = roll(bytes.len() + 1);
                    bytes.splice(at..at, piece);
                }
                _ => {
                    let word = [
                        "begin",
                        "end",
                        "(",
                        ")",
                        "'",
                        "*",
                        ":=",
                        "if",
                        "fi",
                        "{",
                        "constrain",
                        ";",
                        "é",
                    ];
                    bytes.splice(from..from, word[roll(word.len())].bytes());
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Ok((program, _)) = boolean::read(SourceFile::new("spoilt.bp", text)) {
            assert_eq!(program.well_formed(), Ok(()), "{program}");
        }
    }
}
