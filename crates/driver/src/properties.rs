//! What is to be proved.

use crate::error::{Error, Result};
use crate::input::Input;
use system::frontend::formula;
use system::transition::Property;
use system::{Rejected, Role, TransitionSystem};

/// The properties that were asked for, and what the rules assert, each as a closed formula.
pub(crate) fn chosen(only: &[String], input: &Input, system: &TransitionSystem) -> Result<Vec<Property>> {
    let mut properties = system.properties.clone();
    properties.retain(|property| input.sources().role(property.span) != Role::Further);
    if !only.is_empty() {
        for name in only {
            if properties.iter().all(|p| p.name != *name) {
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                return Err(Error::refused(format!(
                    "there is no property `{name}`; the model has: {}",
                    names.join(", ")
                )));
            }
        }
        properties.retain(|p| only.contains(&p.name));
    }
    properties.extend(system.asserted());
    Ok(properties)
}

/// The properties that are only held against the invariant.
pub(crate) fn further(input: &Input, system: &TransitionSystem) -> Vec<Property> {
    let properties = system.properties.iter();
    properties
        .filter(|property| input.sources().role(property.span) == Role::Further)
        .cloned()
        .collect()
}

/// A further property must not change what the proof is about: an error where a type has any size only without it.
pub(crate) fn expect_same_sizes(without: &Input, with: &Input) -> std::result::Result<(), Rejected> {
    formula::same_sizes(without.sizes(), with.sizes(), "the invariant").map_err(|error| {
        let error = error.help("properties for the declared size are checked with `--properties FILE`");
        Rejected::new(with.sources().clone(), vec![error])
    })
}
