//! How procedures that call themselves were unfolded, as a certificate says it.

use unfold::Options;

/// The word of the header.
const WORD: &str = "recursion";
const BY_CONTRACTS: &str = "by contracts";
const DEEP: &str = " calls deep";
/// How many calls are inlined where those of [`Options::default`] are too few.
pub(super) const DEEPER: [usize; 2] = [16, 32];

/// The line of a certificate about an unfolded program. There is none where it was unfolded as ever.
pub fn about(options: &Options) -> Option<(&'static str, String)> {
    if options.by_contracts {
        return Some((WORD, BY_CONTRACTS.to_owned()));
    }
    let is_deeper = options.recursion != Options::default().recursion;
    is_deeper.then(|| (WORD, format!("{}{DEEP}", options.recursion)))
}

/// These options, as the line of a certificate changes them. A line that says nothing changes nothing, and is missing
/// when the certificate is made again. `lines` are those of a word in the header.
pub fn recorded<'c>(options: Options, lines: impl Fn(&str) -> Option<&'c [String]>) -> Options {
    let Some([line]) = lines(WORD) else { return options };
    let deep = line.strip_suffix(DEEP).and_then(|calls| calls.parse().ok());
    Options {
        by_contracts: line == BY_CONTRACTS,
        recursion: deep.filter(|calls| DEEPER.contains(calls)).unwrap_or(options.recursion),
        ..options
    }
}
