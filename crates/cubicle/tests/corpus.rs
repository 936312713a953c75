//! The published models: all are accepted, and exploration gives the known counts and verdicts.

mod support;

use cubicle::CompileOptions;
use explore::{Incomplete, SearchVerdict};
use logic::Cancellation;
use support::{checked, corpus, corpus_file, instance, model, processes, read, search, stem, violated};
use system::instance::Type;
use system::{Severity, SourceFile};
use testing::{Absent, Outcome};

/// Justified warnings.
const WARNINGS: [(&str, &str); 1] = [(
    "distrib_channels",
    "there is no initial state: `init` contradicts itself",
)];

fn all_files_are_read_without_complaint() -> Outcome {
    let files = corpus()?;
    assert_eq!(files.len(), 26);
    for path in files {
        let file = read(&path);
        let (_, diagnostics) = checked(&file);
        let serious = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity != Severity::Note);
        let messages: Vec<&str> = serious.map(|diagnostic| diagnostic.message.as_str()).collect();
        let name = stem(&path);
        let expected: Vec<&str> = WARNINGS
            .iter()
            .filter(|(file, _)| *file == name)
            .map(|(_, text)| *text)
            .collect();
        assert_eq!(messages, expected, "{name}");
    }
    Ok(())
}

/// Outsiders matter only if some value can be distinguished from a process.
fn few_models_need_outsiders() -> Outcome {
    let files = corpus()?;
    let needing: Vec<String> = files
        .iter()
        .filter(|path| model(&read(path)).outsiders)
        .map(|path| stem(path))
        .collect();
    assert_eq!(needing, ["chandra_toueg", "flash", "flash_buggy", "flash_nodata"]);
    Ok(())
}

/// A line of the table of known counts.
struct Row {
    file: SourceFile,
    options: CompileOptions,
    /// Initial states, states, firings, depth.
    numbers: [u64; 4],
    orbits: Option<u64>,
}

fn rows() -> Result<Vec<Row>, Absent> {
    corpus()?;
    let lines = include_str!("data/counts.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |field: usize| fields[field].parse::<u64>().ok();
        let options = CompileOptions {
            processes: number(1)? as u32,
            outsiders: Some(number(2)? as u32),
            ..CompileOptions::default()
        };
        Some(Row {
            file: corpus_file(fields[0]).ok()?,
            options,
            numbers: [number(3)?, number(4)?, number(5)?, number(6)?],
            orbits: number(7),
        })
    };
    Ok(lines.map(|line| row(line).expect("a row of numbers")).collect())
}

fn the_numbers_of_states_and_firings_are_right() -> Outcome {
    for row in rows()? {
        let outcome = search(&instance(&model(&row.file), &row.options));
        let statistics = &outcome.statistics;
        let depth = u64::from(statistics.max_depth);
        let found = [statistics.starts, statistics.states, statistics.rules_fired, depth];
        assert_eq!(found, row.numbers, "{}, {:?}", row.file.name, row.options);
        assert!(!violated(&outcome), "{}", row.file.name);
    }
    Ok(())
}

/// Processes that the file does not distinguish are interchangeable, and so are outsiders.
fn symmetry_leaves_one_state_of_each_orbit() -> Outcome {
    for row in rows()? {
        let instance = instance(&model(&row.file), &row.options);
        let Some(orbits) = row.orbits else {
            let asymmetric = |ty: &Type| !matches!(ty, Type::Scalarset { symmetric: true, .. });
            assert!(
                row.options.processes > 3 || asymmetric(&instance.types[0]),
                "{}",
                row.file.name
            );
            continue;
        };
        let options = explore::SearchOptions {
            deadlock: explore::Deadlock::Off,
            ..explore::SearchOptions::default()
        };
        let cancellation = Cancellation::new();
        let outcome = explore::explore(&instance, &options, &cancellation, &mut explore::SilentObserver);
        assert_eq!(
            outcome.statistics.states, orbits,
            "{}, {:?}",
            row.file.name, row.options
        );
    }
    Ok(())
}

fn the_unsafe_models_are_found_to_be() -> Outcome {
    for (name, count, steps) in [
        ("bakery_lamport_bogus", 2, 6),
        ("futurebus", 2, 6),
        ("flash_buggy", 2, 7),
    ] {
        let file = corpus_file(name)?;
        let outcome = search(&instance(&model(&file), &processes(count)));
        assert!(violated(&outcome), "{name}");
        if let SearchVerdict::Violation(violation) = outcome.verdict {
            let trace = violation.trace.expect("a trace");
            assert_eq!(trace.steps.len(), steps + 1, "{name}");
        }
    }
    Ok(())
}

fn integers_without_bounds_are_cut_off_and_said_to_be() -> Outcome {
    for name in ["bakery_lamport", "sense_barrier", "ricart_abdulla"] {
        let file = corpus_file(name)?;
        let options = CompileOptions {
            integer_window: (0, 4),
            ..processes(2)
        };
        let outcome = search(&instance(&model(&file), &options));
        let verdict = &outcome.verdict;
        assert!(
            matches!(verdict, SearchVerdict::Incomplete(Incomplete::IntegerWindow)),
            "{name}"
        );
        assert!(outcome.statistics.states > 10, "{name}");
    }
    Ok(())
}

fn a_contradictory_start_has_no_states() -> Outcome {
    let file = corpus_file("distrib_channels")?;
    let outcome = search(&instance(&model(&file), &processes(2)));
    assert_eq!(outcome.statistics.states, 0);
    Ok(())
}

testing::tests!(
    all_files_are_read_without_complaint,
    few_models_need_outsiders,
    the_numbers_of_states_and_firings_are_right,
    symmetry_leaves_one_state_of_each_orbit,
    the_unsafe_models_are_found_to_be,
    integers_without_bounds_are_cut_off_and_said_to_be,
    a_contradictory_start_has_no_states,
);
