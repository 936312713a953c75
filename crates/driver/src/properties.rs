//! What is to be proved.

use crate::input::{InProofs, Input, Rejected, TypeSize};
use crate::subject::Question;
use anyhow::bail;
use system::transition::Property;
use system::{Diagnostic, TransitionSystem};

/// The properties that were asked for, and what the rules assert, each as a closed formula.
pub(crate) fn chosen(only: &[String], input: &Input, system: &TransitionSystem) -> anyhow::Result<Vec<Property>> {
    let mut properties = system.properties.clone();
    properties.retain(|property| !input.is_further(property.span));
    if !only.is_empty() {
        for name in only {
            if properties.iter().all(|p| p.name != *name) {
                let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
                bail!("there is no property `{name}`; the model has: {}", names.join(", "));
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
        .filter(|property| input.is_further(property.span))
        .cloned()
        .collect()
}

/// A further property must not change what the proof is about: an error where a type has any size only without it.
pub(crate) fn expect_same_sizes(question: &Question, input: &Input) -> anyhow::Result<()> {
    if question.also.is_none() {
        return Ok(());
    }
    let without = Input::read_with(&question.reading, &question.additions())?;
    let was_any = |name: &str| without.sizes.iter().any(|size| size.name == name && size.is_any());
    let fixed = |size: &TypeSize| match &size.in_proofs {
        InProofs::Fixed { reason, span } if was_any(&size.name) => Some((size.name.clone(), reason.clone(), *span)),
        _ => None,
    };
    let Some((name, reason, span)) = input.sizes.iter().find_map(fixed) else {
        return Ok(());
    };
    let (file, span) = input.locate(span);
    let message = format!("the invariant is about any number of {name}, and this is not");
    let error = Diagnostic::error(span, message).label(reason);
    Err(Rejected {
        file: file.clone(),
        diagnostics: vec![error.help("properties for the declared size are checked with `--properties FILE`")],
    }
    .into())
}
