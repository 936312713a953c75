//! Type checking of whole models.

#![allow(clippy::unwrap_used, clippy::panic)]

mod corpus;
mod mistakes;
mod parametric;
mod sizes;
mod structure;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use murphi::model::{Model, Obstacle, ProofSize};
use murphi::{CheckOptions, check, parse};
use system::{Diagnostic, SourceFile, Sources};

/// The models in a folder, sorted by name.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
    paths.sort();
    paths
}

fn read(path: &Path) -> SourceFile {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

fn checked(file: &SourceFile, options: &CheckOptions) -> (Model, Vec<Diagnostic>) {
    let (program, mut diagnostics) = parse(file);
    let (model, more) = check(&program, options);
    diagnostics.extend(more);
    (model, diagnostics)
}

fn rendered(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}\n", diagnostic.render(&Sources::from(file), false)).unwrap();
    }
    text
}

/// The model of a valid text, which may lack properties.
fn accepted(text: &str, options: &CheckOptions) -> Model {
    let file = SourceFile::new("test.m", text);
    let (model, mut diagnostics) = checked(&file, options);
    diagnostics.retain(|found| found.span != system::Span::default() || found.message.contains('='));
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    model
}

/// The messages about a text, without those about the model as a whole.
fn messages(text: &str, options: &CheckOptions) -> Vec<String> {
    let (_, diagnostics) = checked(&SourceFile::new("test.m", text), options);
    let mut messages: Vec<String> = diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
    messages.retain(|message| !message.starts_with("the model has no"));
    messages
}

fn sizes(pairs: &[(&str, i64)]) -> CheckOptions {
    CheckOptions {
        sizes: pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
        ..CheckOptions::default()
    }
}

fn constants(pairs: &[(&str, i64)]) -> CheckOptions {
    CheckOptions {
        constants: pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
        ..CheckOptions::default()
    }
}

/// Each decision as a line: `NODE: any size, with [0]`, or ``PROC: fixed, its values are ordered by `<=` (line 83)``.
fn decisions(file: &SourceFile, model: &Model) -> String {
    let mut text = String::new();
    for decision in &model.decisions {
        let outcome = match &decision.outcome {
            ProofSize::Parametric { literals } if literals.is_empty() => "any size".to_owned(),
            ProofSize::Parametric { literals } => format!("any size, with {literals:?}"),
            ProofSize::Fixed(Obstacle { reason, span }) => {
                format!("fixed, {reason} (line {})", file.position(span.start).0)
            }
        };
        writeln!(text, "{}: {outcome}", decision.name).unwrap();
    }
    text
}

testing::tests!(
    corpus::the_corpus_is_accepted,
    corpus::the_corpus_is_accepted_at_other_sizes,
    corpus::the_models_of_the_project_are_accepted,
    corpus::decisions_on_the_corpus,
    mistakes::broken_models_are_survived,
    mistakes::mistakes_are_explained,
    parametric::a_range_used_like_a_scalarset,
    parametric::literals_become_distinguished_elements,
    parametric::uses_that_need_the_size,
    parametric::flow_through_calls_records_and_lists,
    parametric::classes_have_one_representative,
    parametric::bounds_must_agree_for_every_value_of_the_constants,
    parametric::a_constant_with_a_value_that_matters_fixes_its_types,
    parametric::a_range_may_be_ordered,
    parametric::scalarsets_with_literal_sizes,
    parametric::the_user_decides,
    parametric::the_user_asks_in_vain,
    parametric::types_that_share_their_parts_are_walked_once,
    parametric::named_elements_of_a_range_that_moves,
    sizes::a_size_sets_the_constant_behind_it,
    sizes::constants_are_set_directly,
    sizes::a_scalarset_without_a_constant_takes_its_size_alone,
    sizes::local_constants_are_not_meant,
    sizes::silly_sizes_are_refused,
    sizes::silly_constants_are_refused,
    structure::members_and_unions_are_converted,
    structure::constants_are_folded_and_literals_take_the_type_of_their_place,
    structure::what_surrounds_a_rule_is_flattened,
    structure::nameless_rules_and_properties_get_names,
    structure::loops_with_constant_bounds_are_loops_over_a_range,
    structure::a_body_that_changes_its_bound_name_changes_a_copy,
    structure::predicates_hold_their_index_variables,
    structure::later_declarations_and_recursion,
    structure::names_hide_those_outside,
    structure::an_alias_of_a_constant_is_one,
    structure::undefined_arguments_and_values,
    structure::lists,
);
