//! Verdicts are confirmed here, without any of the code that found them.
//!
//! - [`obligation`]: what must be shown of an invariant;
//! - [`text`]: the same as a file for any solver that reads SMT-LIB 2, and [`parse`]: such a file read again;
//! - [`against`]: such a file compared with the text made from the system of a model;
//! - [`confirm`]: has a solver answer the queries of a certificate; [`confirmed`]: the only place where a confirmed
//!   one is made;
//! - [`conformance`]: the same form for components that conform to a specification. What their queries are made of
//!   only the crate `conformance` knows.
//!
//! There is one way only: an invariant becomes a text, and the text is confirmed. So what is written to a file is what
//! was checked.

pub mod against;
pub mod confirm;
pub mod confirmed;
pub mod conformance;
pub mod exploration;
mod names;
pub mod obligation;
pub mod parse;
pub mod query;
mod readable;
mod scan;
mod sha256;
mod small_instance;
pub mod text;

pub use against::{Difference, Refusal, against, differences, stated_facts};
pub use confirm::{Limits, QueryResult, Report, confirm, confirm_text};
pub use confirmed::{Confirmed, Judgement, Opinion, Unconfirmed, judge};
pub use conformance::{ParsedConformance, is_conformance, parse_conformance};
pub use exploration::{
    Counted, ParsedExploration, exploration_made_by, exploration_text, is_exploration, parse_exploration,
};
pub use names::{is_same_name, one_line};
pub use obligation::{Expected, Obligation, ObligationError, ObligationKind, Part, Step, obligations};
pub use parse::{Asks, CertificateError, ParsedCertificate, Query, parse_certificate};
pub use query::{Label, QueryKind, sealed};
pub use sha256::sha256;
pub use text::{About, MADE_BY, certificate_text};
