//! The compiled instance and the lowered system of a model agree, state by state.

#![allow(clippy::unwrap_used, clippy::panic)]

use explore::{AgreementReport, Difference, Disagreement, check_agreement};
use murphi::syntax::Item;
use std::collections::BTreeMap;
use std::path::Path;
use system::{Severity, SourceFile, Sources};
use testing::Outcome;

type Sizes = &'static [(&'static str, i64)];

/// Models of this folder or of the corpus, with constants that make them small and the number of states to compare.
const MODELS: &[(&str, Sizes, usize)] = &[
    ("2_peterson.m", &[], 1000),
    ("abp.m", &[], 1000),
    ("arbiter.m", &[("n", 2)], 2000),
    ("cache3_sym.m", &[], 40),
    ("ctc_flash.m", &[("NODE_NUM", 2)], 200),
    ("ctc_german.m", &[("NODE_NUM", 2)], 2000),
    ("dek.m", &[], 1000),
    ("german_baukus.m", &[("PROC_NUM", 2)], 2000),
    ("german_buggy.m", &[("PROC_NUM", 2)], 400),
    ("list6_sym.m", &[("CellCount", 3)], 600),
    ("mcslock1.m", &[("N", 2)], 400),
    ("n_peterson.m", &[("N", 3)], 2000),
    ("pv_flash_nodata.m", &[("NODE_NUM", 1)], 800),
    ("pv_german_orig.m", &[("NODE_NUM", 2)], 1500),
    ("pv_germanish.m", &[("clientNum", 3)], 1000),
    ("pv_mesi.m", &[("clientNUMS", 3)], 1000),
    ("pv_mutualEx.m", &[("clientNUMS", 3)], 1000),
    ("szymanski_at.m", &[], 100),
];

/// A model as instance and as system, the latter modified by `change`.
fn compare(
    path: &Path,
    sizes: &[(&str, i64)],
    limit: usize,
    change: impl FnOnce(&mut system::TransitionSystem),
) -> Result<AgreementReport, Disagreement> {
    compare_lowered(path, sizes, limit, murphi::lower, change)
}

type Lower = fn(&murphi::model::Model) -> Result<murphi::Lowered, Vec<system::Diagnostic>>;

fn compare_lowered(
    path: &Path,
    sizes: &[(&str, i64)],
    limit: usize,
    lower: Lower,
    change: impl FnOnce(&mut system::TransitionSystem),
) -> Result<AgreementReport, Disagreement> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let file = SourceFile::new(name.clone(), std::fs::read_to_string(path).unwrap());
    let no_errors = |diagnostics: &[system::Diagnostic]| {
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let texts: Vec<String> = errors.map(|d| d.render(&Sources::from(&file), false)).collect();
        assert!(texts.is_empty(), "{}", texts.join("\n"));
    };
    let (program, diagnostics) = murphi::parse(&file);
    no_errors(&diagnostics);
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    let is_type = |name: &String| {
        let is_it = |item: &Item| matches!(item, Item::Type { name: declared, .. } if declared.text == *name);
        program.items.iter().any(is_it)
    };
    let options = murphi::CheckOptions {
        any_size: sizes.keys().filter(|name| is_type(name)).cloned().collect(),
        sizes,
        ..murphi::CheckOptions::default()
    };
    let (model, diagnostics) = murphi::check(&program, &options);
    no_errors(&diagnostics);
    let mut lowered = lower(&model).unwrap_or_else(|diagnostics| {
        no_errors(&diagnostics);
        unreachable!("lowering fails with errors")
    });
    let (instance, diagnostics) = murphi::compile(&model, &murphi::CompileOptions { integer_window: (0, 2) });
    no_errors(&diagnostics);
    let correspondence = lowered.correspondence(&model, &instance);
    change(&mut lowered.system);
    check_agreement(&instance, &lowered.system, &correspondence, limit)
}

fn the_corpus_agrees() -> Outcome {
    let folder = testing::corpus("murphi")?;
    for (name, constants, limit) in MODELS {
        match compare(&folder.join(name), constants, *limit, |_| ()) {
            Ok(report) => {
                assert!(report.successors > 0, "{name}");
            }
            Err(disagreement) => panic!("{name}: {disagreement}"),
        }
    }
    Ok(())
}

fn models_with_every_construct_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let extensions: Sizes = &[("Node", 2)];
    let models = [
        ("everything.m", &[][..]),
        ("extensions.m", extensions),
        ("undefined.m", &[]),
        ("undefined-cmurphi.m", &[]),
        ("unions-of-numbers.m", &[]),
    ];
    for (name, sizes) in models {
        let report = compare(&folder.join(name), sizes, 100, |_| ()).unwrap_or_else(|d| panic!("{name}: {d}"));
        assert!(report.successors > 0, "{name}");
    }
}

/// Loops over parametric types, as in protocols, at sizes from one to five.
fn loops_over_types_of_any_size_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loops");
    let mut count = 0;
    for path in std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        // Errors that depend on the order of elements occur in the system, which has no order.
        let has_order = path.ends_with("order.m");
        for size in 1..=5 {
            let report = compare(&path, &[("P", size)], 150, |_| ());
            if has_order && size > 2 {
                let kind = report.err().map(|disagreement| disagreement.kind);
                assert_eq!(kind, Some(Difference::AddedFault), "of size {size}");
                continue;
            }
            let report = report.unwrap_or_else(|d| panic!("{} of size {size}: {d}", path.display()));
            assert!(report.successors > 0, "{}: {report:?}", path.display());
        }
        count += 1;
    }
    assert!(count > 5, "{count} models");
}

/// Refused with a message: loops with unknown or non-numeric bounds, and recursion.
const NOT_LOWERED: &[&str] = &[
    "for-bounds-call.m",
    "for-elements.m",
    "for-step-zero.m",
    "parameter-recursion.m",
    "record-result-recursive.m",
];

fn small_models_of_each_construct_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics");
    let mut failed = Vec::new();
    for path in std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "m") || NOT_LOWERED.contains(&name.as_str()) {
            continue;
        }
        let outcome = std::panic::catch_unwind(|| compare(&path, &[], 200, |_| ()));
        match outcome {
            Ok(Ok(_)) => {}
            Ok(Err(disagreement)) => failed.push(format!("{name}: {disagreement}")),
            Err(_) => failed.push(format!("{name}: not lowered")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// If reads of undefined values are errors in the system, they are those of the instance.
fn reads_of_undefined_values_agree() -> Outcome {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths: Vec<std::path::PathBuf> = Vec::new();
    for folder in ["semantics", "models", "loops"] {
        paths.extend(
            std::fs::read_dir(here.join(folder))
                .unwrap()
                .flatten()
                .map(|entry| entry.path()),
        );
    }
    let corpus = testing::corpus("murphi")?;
    let small = MODELS
        .iter()
        .filter(|(name, ..)| !["cache3_sym.m", "ctc_flash.m"].contains(name));
    let sized = small.map(|(name, sizes, _)| (corpus.join(name), *sizes));
    let mut failed = Vec::new();
    for (path, sizes) in paths.into_iter().map(|path| (path, &[][..])).chain(sized) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Errors that depend on the order of elements occur in the system, which has no order.
        if path.extension().is_none_or(|e| e != "m") || NOT_LOWERED.contains(&name.as_str()) || name == "order.m" {
            continue;
        }
        let outcome = std::panic::catch_unwind(|| compare_lowered(&path, sizes, 100, murphi::lower_with_reads, |_| ()));
        match outcome {
            Ok(Ok(_)) => {}
            Ok(Err(disagreement)) => failed.push(format!("{name}: {disagreement}")),
            Err(_) => failed.push(format!("{name}: not lowered")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// The comparison must detect wrong systems.
fn wrong_systems_disagree() -> Outcome {
    let folder = testing::corpus("murphi")?;
    let path = folder.join("german_baukus.m");
    let rules = 11;
    for rule in 0..rules {
        let size = [("PROC_NUM", 2)];
        let dropped = compare(&path, &size, 2000, |system| {
            system.rules[rule].updates.pop();
        });
        assert!(dropped.is_err(), "an update of rule {rule} is missing");
        let never = compare(&path, &size, 2000, |system| {
            system.rules[rule].guard = logic::term::bool(false)
        });
        assert!(never.is_err(), "rule {rule} never fires");
        let always = compare(&path, &size, 2000, |system| {
            system.rules[rule].guard = logic::term::bool(true)
        });
        assert!(always.is_err(), "rule {rule} always fires");
    }
    let property = compare(&path, &[("PROC_NUM", 2)], 2000, |system| {
        system.properties[0].formula = logic::term::bool(false);
    });
    assert!(property.is_err(), "the property is another");
    Ok(())
}

/// Likewise for errors, also of rules with choices, for facts, and for properties after a violated one.
fn wrong_errors_and_facts_disagree() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/stops.m");
    let kind = |change: &dyn Fn(&mut system::TransitionSystem)| compare(&path, &[], 100, change).err().map(|d| d.kind);
    let report = compare(&path, &[], 100, |_| ()).unwrap_or_else(|d| panic!("{d}"));
    assert!(report.faults > 0 && report.complete && report.silent == 0, "{report:?}");
    fn rule<'s>(system: &'s mut system::TransitionSystem, name: &str) -> &'s mut system::transition::Rule {
        let mut rules = system.rules.iter_mut();
        rules
            .find(|rule| rule.name == name && !rule.assertions.is_empty())
            .unwrap()
    }
    let excused = kind(&|system| {
        let rule = rule(system, "stop");
        let assertions = rule.assertions.iter().map(|a| a.condition);
        rule.guard = logic::term::and([rule.guard].into_iter().chain(assertions));
    });
    assert_eq!(excused, Some(Difference::MissedFault), "the guard excuses the error");
    let forgotten = kind(&|system| rule(system, "stop").assertions.clear());
    assert_eq!(forgotten, Some(Difference::MissedFault), "the error is forgotten");
    let added = kind(&|system| rule(system, "stop").assertions[0].condition = logic::term::bool(false));
    assert_eq!(added, Some(Difference::AddedFault), "every run of the rule is an error");
    let fact = kind(&|system| system.type_facts[0].formula = logic::term::bool(false));
    assert_eq!(fact, Some(Difference::Fact), "what the type says does not hold");
    let second = kind(&|system| {
        let [first, second] = &mut system.properties[..] else {
            return;
        };
        second.formula = first.formula;
    });
    assert_eq!(second, Some(Difference::Property), "the second property is another");
}

testing::tests!(
    the_corpus_agrees,
    models_with_every_construct_agree,
    loops_over_types_of_any_size_agree,
    reads_of_undefined_values_agree,
    small_models_of_each_construct_agree,
    wrong_systems_disagree,
    wrong_errors_and_facts_disagree,
);
