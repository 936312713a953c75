//! C programs: what the commands do with them.

mod assumed;
pub(crate) mod check;
pub(crate) mod explore;
mod formula;
mod graph;
mod linked;
mod matters;
pub(crate) mod provided;
mod rules;
mod run;
pub(crate) mod show;
pub(crate) mod witness;

use self::assumed::{assumed, assumed_by};
use crate::arguments::{Meaning, Reading, Specified, UndefinedName};
use crate::outcomes::Header;
use crate::terminal::Paint;
use anyhow::{Context as _, bail};
use c::{DataModel, Options, RuleFile, Specification, Unit};
use driver::{Kind, kind_of};
use serde::Serialize;
use std::path::Path;
use system::program::Undefined;
use system::{SourceFile, Sources, Span};

/// An error where a command that is about models is given a program.
pub(crate) fn expect_model(path: &Path, command: &str) -> anyhow::Result<()> {
    match kind_of(path) {
        Kind::Model => Ok(()),
        Kind::Components => bail!("`cubist {command}` is about models: `cubist conform` verifies components"),
        Kind::Program | Kind::BooleanProgram => {
            bail!("`cubist {command}` is about models: `cubist check` proves programs")
        }
    }
}

/// A program, and what a property file says about it.
struct Question {
    unit: Unit,
    specification: Option<Specification>,
}

/// Reads a program, and a property file if there is one.
fn ask(path: &Path, meaning: &Meaning, reading: &Reading, specified: &Specified) -> anyhow::Result<Question> {
    let Some(property) = &specified.property else {
        let unit = read(path, meaning, reading)?;
        return Ok(Question {
            unit,
            specification: None,
        });
    };
    let specification = specification(property)?;
    if !specification.undefined.is_empty() && meaning.undefined() != UndefinedName::Report {
        bail!("the property is about undefined behaviour, which --undefined leaves out");
    }
    if specification.undefined.contains(&Undefined::OutOfBounds) && meaning.is_logical() {
        bail!("the property is about accesses outside of objects, which --memory-model logical allows");
    }
    let mut options = options(meaning, reading)?;
    options.specify(&specification);
    let mut unit = c::read_file(path, &options)?;
    linked::expect_whole(&unit, &reading.beside, &options)?;
    unit.assumed.push(c::Assumed {
        what: format!(
            "only what {} says is an error; runs end at any other undefined behaviour",
            property.display()
        ),
        span: Span::default(),
    });
    Ok(Question {
        unit,
        specification: Some(specification),
    })
}

fn specification(property: &Path) -> anyhow::Result<Specification> {
    let file = SourceFile::new(property.display().to_string(), text(property)?);
    Ok(c::specification(file)?)
}

/// Reads a program. Options that only models have are refused.
fn read(path: &Path, meaning: &Meaning, reading: &Reading) -> anyhow::Result<Unit> {
    let options = options(meaning, reading)?;
    let unit = c::read_file(path, &options)?;
    linked::expect_whole(&unit, &reading.beside, &options)?;
    Ok(unit)
}

fn options(meaning: &Meaning, reading: &Reading) -> anyhow::Result<Options> {
    let of_models = [
        ("--size", !reading.sizes.is_empty()),
        ("--const", !reading.constants.is_empty()),
        ("--parametric", !reading.parametric.is_empty()),
        ("--fixed", !reading.fixed.is_empty()),
        ("--integers", reading.integers.is_some()),
        ("--language", reading.language.is_some()),
    ];
    refuse(&of_models)?;
    let mut options = Options {
        error_labels: meaning.error_label.clone(),
        include_paths: meaning.include.clone(),
        definitions: meaning.define.clone(),
        rules: meaning.rule.iter().map(|path| rule(path)).collect::<Result<_, _>>()?,
        ..Options::new(meaning.data_model())
    };
    options.error_functions.extend(meaning.error_function.iter().cloned());
    if let Some(entry) = &meaning.entry {
        options.entry.clone_from(entry);
    }
    Ok(options)
}

fn text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn rule(path: &Path) -> anyhow::Result<RuleFile> {
    Ok(RuleFile {
        name: path.display().to_string(),
        text: text(path)?,
    })
}

/// An error where an option that means nothing for a program was given.
pub(crate) fn refuse(options: &[(&str, bool)]) -> anyhow::Result<()> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => bail!("{option} is about models: it means nothing for a C program"),
        None => Ok(()),
    }
}

/// What stands at the beginning of every report about a program: how it was taken.
fn introduction(unit: &Unit, meaning: &Meaning, paint: Paint) -> String {
    let widths = match meaning.data_model() {
        DataModel::Ilp32 => "ILP32, as gcc -m32",
        DataModel::Lp64 => "LP64, as gcc -m64",
    };
    let undefined = match meaning.undefined() {
        UndefinedName::Report => "undefined behaviour is a finding",
        UndefinedName::AssumeAbsent => "runs end where their behaviour is undefined",
        UndefinedName::Wrap if meaning.is_unbounded() => "runs end at accesses to no object and divisions by zero",
        UndefinedName::Wrap => "numbers that overflow wrap around",
    };
    let ints = match meaning.is_unbounded() {
        true => "; integers are those of mathematics, without end",
        false => "",
    };
    let memory = match meaning.is_logical() {
        true => "; behind each object lies memory of its own",
        false => "",
    };
    let name = paint.bold(&unit.sources.model().name);
    format!("{name}: a C program ({widths}; {undefined}{ints}{memory})\n")
}

/// `driver.c:12`, as the user knows the place.
pub(crate) fn place(sources: &Sources, span: Span) -> Option<String> {
    if span.is_nowhere() {
        return None;
    }
    let file = sources.file(span);
    let (line, _) = file.position(span.start);
    Some(match file.origin(span.start) {
        Some((name, line)) => format!("{name}:{line}"),
        None => format!("{}:{line}", file.name),
    })
}

/// The fields that every report about a program starts with.
#[derive(Serialize)]
struct Head {
    #[serde(flatten)]
    header: Header,
    language: &'static str,
    #[serde(flatten)]
    read: ReadAs,
}

/// How a program is read, and what is assumed about it.
#[derive(Serialize)]
struct ReadAs {
    data_model: &'static str,
    undefined: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ints: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_model: Option<&'static str>,
    assumed: Vec<String>,
}

impl Head {
    fn new(unit: &Unit, meaning: &Meaning) -> Head {
        Head {
            header: Header::new(&unit.sources.model().name),
            language: "C",
            read: ReadAs::new(meaning, assumed(unit)),
        }
    }
}

impl ReadAs {
    fn new(meaning: &Meaning, assumed: Vec<String>) -> ReadAs {
        ReadAs {
            data_model: match meaning.data_model() {
                DataModel::Ilp32 => "ilp32",
                DataModel::Lp64 => "lp64",
            },
            undefined: match meaning.undefined() {
                UndefinedName::Report => "report",
                UndefinedName::AssumeAbsent => "assume-absent",
                UndefinedName::Wrap => "wrap",
            },
            ints: meaning.is_unbounded().then_some("unbounded"),
            memory_model: meaning.is_logical().then_some("logical"),
            assumed,
        }
    }
}
