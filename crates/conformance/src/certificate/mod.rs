//! Certificates of *conforms*: what the proof claims, and queries that show it to any solver.
//!
//! A certificate is one SMT-LIB 2 text about one question. Its header says what was read; comments state the claim;
//! queries follow from the claim and from the components. [`text()`] writes it, [`stated`] reads the
//! claim again, and [`against`] makes the whole text again from the components and the claim, and refuses any
//! difference. So nothing of a file is believed but that its claim is worth a try.
//!
//! ```text
//! ; claim
//! ; component 1: sender
//! ; location 3: predicate (= x 0)
//! ; state 0: location 0, values -
//! ; state 1: location 3, values 1, class 2
//! ; state 2: call 4 abstraction 0 state 1, values 1
//! ; state 3: end, values -
//! ; from 1: statement 7 to 4, enter 4 0 to 2
//! ; from 2: action 3 to 5, leave 9 to 1, return 9 2 to 3, astray 5 to 3
//! ; excluded: 0 2
//! ; together: 0 4 with 1 2
//! ; end of the claim
//! ```
//!
//! All numbers count from 0, but those of components. A location is a node of the control-flow automaton, a statement
//! an edge, a call the edge of a call; `values` are those of the predicates of the location, in order. A state is one
//! of the predicate abstraction `MP_i`; its class is a state of `MA_i`, where there is a second level. `excluded` are
//! steps, by their numbers among those that may be undefined, that never are. `together` is a state of each `MA_i`,
//! with the states that the specification may then be in.

pub mod about;
mod check;
mod claim;
mod obligations;
mod read;
mod text;

pub use check::systems;
pub use claim::{Claim, ComponentClaim};
pub use obligations::{Subject, open};
pub use read::{Unreadable, stated};
pub use text::{Text, text};

use crate::assembly::System;
use crate::confirm::{self, ConfirmationError};
use crate::lts::Lts;
use validate::{CertificateError, Difference, MADE_BY, ParsedConformance, parse_conformance};

/// Why a certificate is not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Form(#[from] CertificateError),
    #[error("its claim cannot be read: {0}")]
    Claim(#[from] Unreadable),
    #[error("it is not what these sources give{}", written_by(.made_by))]
    Differences {
        differences: Vec<Difference>,
        made_by: String,
    },
    #[error("its claim proves nothing: {0}")]
    ConfirmationError(#[from] ConfirmationError),
}

fn written_by(made_by: &str) -> String {
    match made_by {
        MADE_BY => String::new(),
        other => format!(" (it was made by {other}, and this is {MADE_BY})"),
    }
}

/// A certificate that was made again from the sources. What solvers say of its queries is still open.
pub struct Remade {
    pub parsed: ParsedConformance,
    pub claim: Claim,
    /// What each component is in the proof.
    pub systems: Vec<Lts>,
}

/// Makes a certificate again from the components and its claim, refuses any difference, and checks of the claim what
/// needs no solver. `about` is what the header has to say of the sources.
pub fn against(
    given: &str,
    system: &System,
    about: &validate::About,
    is_over: &dyn Fn() -> bool,
) -> Result<Remade, Refusal> {
    let parsed = parse_conformance(given)?;
    let different = |differences: Vec<Difference>| Refusal::Differences {
        differences,
        made_by: parsed.made_by.clone(),
    };
    // Of other sources, the header says so better than the claim.
    let others = about::differences(given, about);
    if !others.is_empty() {
        return Err(different(others));
    }
    let claim = stated(given, system)?;
    let made = text::made_by(system, &claim, about, &parsed.made_by);
    if made.text != given {
        return Err(different(validate::differences(given, &made.text)));
    }
    for component in &system.components {
        confirm::covers(component)?;
    }
    let systems = systems(system, &claim, is_over)?;
    Ok(Remade { parsed, claim, systems })
}
