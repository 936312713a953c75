//! What is done to formulas and systems before anything is asked about them.

mod cone;
pub(crate) mod lift;
mod prepare;

pub use cone::relevant;
pub use prepare::instantiate_finite_parameters;
pub(crate) use prepare::values_of_parameter;
