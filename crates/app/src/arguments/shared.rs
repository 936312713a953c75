//! What several commands have in common: how a model is read, how results are shown, and parsers of values.

use clap::Args;
use clap::builder::PossibleValuesParser;
use driver::about::assignment;
use std::path::{Path, PathBuf};

/// What decides how a model is read.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Reading {
    /// The other files that were given, each of which is looked at by itself.
    #[arg(skip)]
    pub(crate) beside: Vec<PathBuf>,

    /// The language of the model, whatever its name [default for the standard input: Murphi]
    #[arg(long, value_name = "LANGUAGE", value_parser = languages(), ignore_case = true)]
    pub(crate) language: Option<String>,

    /// Take the type T at size N (its name, or that of the constant behind it; `proc` for Cubicle)
    #[arg(long = "size", value_name = "T=N", value_parser = assignment)]
    pub(crate) sizes: Vec<(String, i64)>,

    /// Give a constant of the model another value
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) constants: Vec<(String, i64)>,

    /// Take the type T at any size in proofs; an error where it is used in other ways than a scalarset
    #[arg(long, value_name = "T")]
    pub(crate) parametric: Vec<String>,

    /// Take the type T at the size that it has, in proofs too
    #[arg(long, value_name = "T")]
    pub(crate) fixed: Vec<String>,

    /// The values of an unbounded integer that are tried: further ones are cut off, and the search is then incomplete
    #[arg(long, value_name = "LOW..HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(crate) integers: Option<(i64, i64)>,
}

impl Reading {
    pub(crate) fn how(&self) -> system::ReadOptions {
        system::ReadOptions {
            sizes: self.sizes.clone(),
            constants: self.constants.clone(),
            parametric: self.parametric.clone(),
            fixed: self.fixed.clone(),
            integers: self.integers,
            asserts_reads: false,
            language: self.language.clone(),
        }
    }
}

/// How results are shown.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct Style {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the verdict only
    #[arg(long, short, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,

    /// Print more
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

pub(super) fn first(files: &[PathBuf]) -> &Path {
    files.first().map_or(Path::new(""), PathBuf::as_path)
}

pub(super) fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(driver::language_names())
}

fn range(text: &str) -> Result<(i64, i64), String> {
    let expected = "expected LOW..HIGH, such as -8..8";
    let (low, high) = text.split_once("..").ok_or(expected)?;
    let low: i64 = low.trim().parse().map_err(|_| expected)?;
    let high: i64 = high.trim().parse().map_err(|_| expected)?;
    if low > high {
        return Err(format!("{low} is greater than {high}"));
    }
    // The least number of 64 bits stands for what is undefined, and values are counted in 64 bits.
    if low == i64::MIN || high.checked_sub(low).is_none_or(|distance| distance == i64::MAX) {
        return Err(format!("{low}..{high} has too many values"));
    }
    Ok((low, high))
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err("expected a number from 1 to 256".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range("-8..8"), Ok((-8, 8)));
        assert_eq!(range("0 .. 0"), Ok((0, 0)));
        assert_eq!(range("1..9223372036854775807"), Ok((1, i64::MAX)));
        let too_wide = ["0..9223372036854775807", "-9223372036854775808..-8"];
        for bad in ["3", "5..1", "a..b", "..", "1...3"].iter().chain(&too_wide) {
            assert!(range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(threads("2"), Ok(2));
        assert!(threads("0").is_err() && threads("1000000").is_err());
    }
}
