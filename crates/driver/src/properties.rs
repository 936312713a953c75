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
        expect_known(only, properties.iter().map(|p| p.name.as_str()))?;
        properties.retain(|p| only.contains(&p.name));
    }
    properties.extend(system.asserted());
    Ok(properties)
}

/// An error where a property that is asked for is not there.
pub(crate) fn expect_known<'p>(only: &[String], there: impl Iterator<Item = &'p str>) -> Result<()> {
    let there: Vec<&str> = there.collect();
    match only.iter().find(|name| !there.contains(&name.as_str())) {
        Some(name) => Err(Error::refused(format!(
            "there is no property `{name}`; the model has: {}",
            there.join(", ")
        ))),
        None => Ok(()),
    }
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
