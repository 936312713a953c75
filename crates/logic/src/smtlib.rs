//! SMT-LIB 2 text of terms.

use crate::term::Term;
use std::fmt;

/// Displays a term as SMT-LIB 2.
pub struct TermText(pub Term);

impl fmt::Display for TermText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0.id())
    }
}
