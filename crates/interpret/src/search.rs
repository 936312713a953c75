//! Looks for runs that violate a property.
