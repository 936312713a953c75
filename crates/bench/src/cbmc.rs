//! CBMC on the same programs: it unwinds loops, finds violations, and proves programs whose loops are bounded.
//!
//! CBMC runs repeatedly with increasing unwinding bounds, each time from scratch, as in the software verification
//! competitions, until it finds a violation or all loops are fully unwound. The time is the sum of all rounds.

use crate::measure::{self, Limits};
use crate::table::rounded;
use anyhow::Context as _;
use harness::cbmc::{Cbmc, FIRST, Opinion, opinion};
use logic::Cancellation;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The memory limit: without one, unwinding exhausts memory before time.
const GIGABYTES: u64 = 8;

/// The programs are for 32-bit machines.
const BITS: u32 = 32;

/// The given program or, by default, an installed one.
pub(crate) fn find(named: Option<&Path>) -> anyhow::Result<Option<Cbmc>> {
    let Some(path) = named else {
        return Ok(Cbmc::find(Path::new("cbmc")));
    };
    // Programs run in other folders.
    let path = path
        .canonicalize()
        .with_context(|| format!("no CBMC at {}", path.display()))?;
    let cbmc = Cbmc::find(&path).with_context(|| format!("{} does not run", path.display()))?;
    Ok(Some(cbmc))
}

/// The note about CBMC in the table.
pub(crate) fn note(cbmc: Option<&Cbmc>, timeout: f64) -> String {
    match cbmc {
        None => "`cbmc` is absent (`--cbmc PROGRAM` says where it is): its columns are empty.".to_owned(),
        Some(cbmc) => format!(
            "CBMC {} got no more than {timeout} wall-clock seconds for all rounds together, and {GIGABYTES} GB.",
            cbmc.version
        ),
    }
}

/// The verdict, the resources, and the unwinding bound of the last round.
pub(crate) fn ask(
    cbmc: &Cbmc,
    program: &Path,
    limit: Duration,
    (folder, cancellation): (&Path, &Cancellation),
) -> anyhow::Result<Value> {
    let (mut processor_s, mut clock_s, mut unwind) = (0.0, 0.0, FIRST);
    let verdict = loop {
        let limits = Limits {
            clock: Some(limit.saturating_sub(Duration::from_secs_f64(clock_s))),
            bytes: GIGABYTES << 30,
            ..Limits::default()
        };
        let usage = measure::run_at_most(&mut cbmc.check(program, BITS, unwind), folder, cancellation, limits)?;
        processor_s += usage.processor_s;
        clock_s += usage.clock_s;
        // A killed process says nothing.
        match usage.code.map(|_| opinion(&usage.output)) {
            Some(Opinion::Safe) => break "safe",
            Some(Opinion::Unsafe) => break "unsafe",
            Some(Opinion::Open) if clock_s < limit.as_secs_f64() && unwind < u32::MAX / 2 => unwind *= 2,
            _ => break "unknown",
        }
    };
    Ok(json!({
        "verdict": verdict,
        "processor_s": rounded(processor_s),
        "time_s": rounded(clock_s),
        "unwind": unwind,
    }))
}
