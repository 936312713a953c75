//! stub
use super::{Found, Observer, Run};
pub(super) fn search(run: &Run, observer: &mut dyn Observer) -> Found { super::sequential::search(run, observer) }
