//! What people and programs get to see: text and JSON.

pub(crate) mod agreement;
pub(crate) mod chart;
pub(crate) mod check_json;
pub(crate) mod check_report;
pub(crate) mod conformance_report;
pub(crate) mod diagnostics;
pub(crate) mod exploration_report;
pub(crate) mod explore_json;
pub(crate) mod explore_text;
pub(crate) mod induction;
pub(crate) mod mistake;
pub(crate) mod places;
pub(crate) mod provided;
pub(crate) mod session;
pub(crate) mod system_text;
pub(crate) mod trace;
pub(crate) mod validate_report;

pub(crate) use driver::sizes_text as sizes;
pub(crate) use report::Header;
use serde::Serialize;
use system::printable::printable_json;

/// The object as text, with a newline at its end.
pub(crate) fn json(object: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(object)?;
    Ok(printable_json(&text).into_owned() + "\n")
}

/// The report that was asked for: one for programs, or one for people.
pub(crate) fn written<T: Serialize>(
    as_json: bool,
    object: impl FnOnce() -> T,
    text: impl FnOnce() -> String,
) -> anyhow::Result<String> {
    if as_json { json(&object()) } else { Ok(text()) }
}
