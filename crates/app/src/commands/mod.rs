//! One module for each command.

pub(crate) mod check;
pub(crate) mod conform;
pub(crate) mod explore;
pub(crate) mod export;
pub(crate) mod prove;
pub(crate) mod several;
pub(crate) mod show;
pub(crate) mod validate;
