//! What was learned about a goal, from JSON that nobody vouches for.

use super::terms::Vocabulary;
use abstraction::predicate::Literal;
use abstraction::predicate::{Constraint, Knowledge, Place};
use anyhow::{Context as _, bail};
use serde_json::Value;

pub(super) fn read_goal(saved: &Value, vocabulary: &Vocabulary) -> anyhow::Result<Knowledge> {
    let list = |name: &str| saved[name].as_array().with_context(|| format!("no {name}"));
    let mut knowledge = Knowledge::default();
    for predicate in list("predicates")? {
        let formula = vocabulary.read(&predicate["formula"]);
        knowledge
            .predicates
            .push(formula.context("a predicate is no formula about this model")?);
    }
    let count = knowledge.predicates.len();
    let literal = |value: &Value| {
        let [predicate, after, holds] = value.as_array()?.as_slice() else {
            return None;
        };
        Some(Literal {
            predicate: usize::try_from(predicate.as_u64()?)
                .ok()
                .filter(|number| *number < count)?,
            after: after.as_bool()?,
            value: holds.as_bool()?,
        })
    };
    for constraint in list("constraints")? {
        let name = constraint["name"].as_str().map(str::to_owned);
        let place = match (constraint["place"].as_str(), name) {
            (Some("start"), Some(name)) => Place::Start(name),
            (Some("rule"), Some(name)) => Place::Rule(name),
            (Some("bad"), None) => Place::Bad,
            (Some("everywhere"), None) => Place::Everywhere,
            _ => bail!("a constraint has no place"),
        };
        let literals = constraint["not"]
            .as_array()
            .map(|all| all.iter().map(literal).collect());
        let literals: Option<Vec<Literal>> = literals.flatten();
        let literals = literals.context("a constraint is not one")?;
        knowledge.constraints.push(Constraint { place, literals });
    }
    Ok(knowledge)
}
