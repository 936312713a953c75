//! What a certificate says of what was read, and certificates held against programs that are read again.

use super::super::provided::{provided_that, provisos};
use super::super::{ask, refuse};
use super::undefinedness;
use crate::arguments::{Meaning, Reading, Specified, Validate};
use crate::outcomes::validate_report::Subject;
use analysis::points_to::PointsTo;
use anyhow::bail;
use c::{DataModel, Unit};
use clap::Parser as _;
use driver::about;
use driver::program::{Exclusion, HazardSite, Question, recursion};
use std::path::{Path, PathBuf};
use system::Role;
use unfold::Undefinedness;
use validate::{ParsedCertificate, Refusal};

/// What a certificate says of what was read: the digests of all files, and the options that decide what they mean.
pub(super) fn about(
    unit: &Unit,
    options: &[String],
    specified: &Specified,
) -> anyhow::Result<Vec<(&'static str, String)>> {
    let named = |text: &str, name: &str| format!("sha256 {} of {name}", validate::sha256(text.as_bytes()));
    let file = |word: &'static str, file: &system::SourceFile| (word, named(&file.text, &file.name));
    let mut lines = vec![file("model", unit.sources.model())];
    // What the preprocessor makes of these says where they lie.
    let read = unit
        .sources
        .additions()
        .filter(|added| added.role() != Role::Preprocessed);
    lines.extend(read.map(|added| file("included", added)));
    if let Some(path) = &specified.property {
        let line = named(&super::super::text(path)?, &path.display().to_string());
        lines.push(("property", line));
    }
    lines.extend(options.iter().map(|option| ("option", option.clone())));
    Ok(lines)
}

/// Options that a certificate names, though they are those of `check` where nothing else is said.
const DEFAULTS: [&str; 2] = ["--data-model lp64", "--undefined wrap"];

/// The options that decide what is proved, in one order, a word and its value each.
pub(super) fn options(meaning: &Meaning, specified: &Specified) -> Vec<String> {
    let data_model = match meaning.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let undefined = match undefinedness(meaning) {
        Undefinedness::Wraps | Undefinedness::Unbounded => "wrap",
        Undefinedness::Absent => "assume-absent",
    };
    let mut options = vec![format!("--data-model {data_model}"), format!("--undefined {undefined}")];
    options.extend(meaning.is_unbounded().then(|| "--ints unbounded".to_owned()));
    options.extend(meaning.is_logical().then(|| "--memory-model logical".to_owned()));
    let paths = |word: &str, paths: &[PathBuf]| -> Vec<String> {
        let each = paths.iter().map(|path| format!("--{word} {}", path.display()));
        each.collect()
    };
    let words = |word: &str, values: &[String]| -> Vec<String> {
        let each = values.iter().map(|value| format!("--{word} {value}"));
        each.collect()
    };
    options.extend(meaning.entry.iter().map(|entry| format!("--entry {entry}")));
    options.extend(words("error-function", &meaning.error_function));
    options.extend(words("error-label", &meaning.error_label));
    options.extend(paths("rule", &meaning.rule));
    options.extend(paths("include", &meaning.include));
    options.extend(words("define", &meaning.define));
    let property = specified.property.iter();
    options.extend(property.map(|path| format!("--property {}", path.display())));
    options
}

/// How a program was taken, as a certificate says.
#[derive(clap::Parser)]
struct Recorded {
    #[command(flatten)]
    meaning: Meaning,
    #[command(flatten)]
    specified: Specified,
}

/// The certificate made again from the program, read as the certificate says it was read.
pub(crate) fn remade(
    text: &str,
    certificate: &ParsedCertificate,
    arguments: &Validate,
    model: &Path,
) -> anyhow::Result<(Subject, Result<ParsedCertificate, Refusal>)> {
    refuse(&arguments.of_models())?;
    let said = certificate.header.get("option").map(Vec::as_slice).unwrap_or_default();
    let words = said.iter().flat_map(|option| option.splitn(2, ' '));
    let recorded = Recorded::try_parse_from(["certificate"].into_iter().chain(words))
        .map_err(|_| anyhow::anyhow!("the certificate names options that decide nothing about a C program"))?;
    let (meaning, specified) = (&recorded.meaning, &recorded.specified);
    if meaning.is_logical() {
        bail!("the certificate names --memory-model logical, with which nothing is proved");
    }
    for path in meaning.rule.iter().chain(&specified.property) {
        about::plain_file(path).map_err(anyhow::Error::msg)?;
    }
    let unit = ask(model, meaning, &Reading::default(), specified)?.unit;
    let points_to = PointsTo::of(&unit.program);
    let question = Question::new(&unit.program, &unit.sources, undefinedness(meaning));
    let options = options(meaning, specified);
    let mut about = about(&unit, &options, specified)?;
    // Where the file lies is of no importance.
    let name = about::model_name(certificate).to_owned();
    if let Some((_, line)) = about.first_mut() {
        *line = format!(
            "sha256 {} of {name}",
            validate::sha256(unit.sources.model().text.as_bytes())
        );
    }
    let lines = |word: &str| certificate.header.get(word).map(Vec::as_slice);
    let [linear, exact] = question.options().map(|options| recursion::recorded(options, lines));
    about.extend(recursion::about(&linear));
    let unfolded = unfold::unfold(&unit.program, &points_to, &linear, &|| false)?;
    let mut exclusion = Exclusion::recorded(&unfolded, lines);
    let mut made = against(text, &unfolded, &exclusion, &about);
    if made.is_err() && unfolded.has_products {
        let exact = unfold::unfold(&unit.program, &points_to, &exact, &|| false)?;
        let of_exact = Exclusion::recorded(&exact, lines);
        let made_exact = against(text, &exact, &of_exact, &about);
        if made_exact.is_ok() {
            (made, exclusion) = (made_exact, of_exact);
        }
    }
    let is_proved = |name: &&String| {
        certificate
            .properties
            .iter()
            .any(|proved| validate::is_same_name(proved, name))
    };
    let names = unfolded.system.properties.iter().map(|property| &property.name);
    // What is undefined violates the first property.
    if unfolded
        .system
        .properties
        .first()
        .is_none_or(|first| !is_proved(&&first.name))
    {
        exclusion = Exclusion::none(&unfolded);
    }
    let open: Vec<HazardSite> = exclusion.open().collect();
    let provided = provisos(&open, &unit.sources);
    let subject = Subject {
        model: unit.sources.model().name.clone(),
        digest: validate::sha256(unit.sources.model().text.as_bytes()),
        files: unit.sources.additions().map(|file| file.name.clone()).collect(),
        read_with: options
            .iter()
            .filter(|option| !DEFAULTS.contains(&option.as_str()))
            .cloned()
            .collect(),
        options,
        sizes: Vec::new(),
        qualified: provided_that(&provided, Some(&unit.sources.model().name)),
        provided,
        left_out: names.filter(|name| !is_proved(name)).cloned().collect(),
    };
    Ok((subject, made))
}

/// The certificate made again from an unfolded program. The contracts of procedures are what its facts say of them.
fn against(
    text: &str,
    unfolded: &unfold::Unfolded,
    exclusion: &Exclusion,
    about: &[(&'static str, String)],
) -> Result<ParsedCertificate, Refusal> {
    let system = exclusion.system(unfolded);
    let about = [about, &exclusion.about()].concat();
    if unfolded.signatures.is_empty() {
        return validate::against(text, &system, &about);
    }
    let facts = validate::stated_facts(text, &system)?;
    let contracts = unfolded
        .contracts(&facts)
        .map_err(|no| Refusal::Contract(no.to_string()))?;
    validate::against(text, &unfolded.with_contracts(system, &contracts), &about)
}
