//! What is to be proved.

use crate::arguments::Check;
use anyhow::bail;
use system::TransitionSystem;
use system::transition::Property;

/// The properties that were asked for, and what the rules assert, each as a closed formula.
pub(super) fn chosen(arguments: &Check, system: &TransitionSystem) -> anyhow::Result<Vec<Property>> {
    let mut properties = system.properties.clone();
    if !arguments.property.is_empty() {
        for name in &arguments.property {
            if properties.iter().all(|p| p.name != *name) {
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                bail!("there is no property `{name}`; the model has: {}", names.join(", "));
            }
        }
        properties.retain(|p| arguments.property.contains(&p.name));
    }
    properties.extend(system.asserted());
    Ok(properties)
}
