//! What was learned about a goal, from JSON that nobody vouches for.

use super::terms::Vocabulary;
use abstraction::predicate::Literal;
use abstraction::predicate::{Constraint, Knowledge, QueryPlace};
use serde_json::Value;

pub(super) fn read_goal(saved: &Value, vocabulary: &Vocabulary) -> Result<Knowledge, String> {
    let list = |name: &str| saved[name].as_array().ok_or_else(|| format!("no {name}"));
    let mut knowledge = Knowledge::default();
    for predicate in list("predicates")? {
        let formula = vocabulary.read(&predicate["formula"]);
        knowledge
            .predicates
            .push(formula.ok_or("a predicate is no formula about this model")?);
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
            (Some("start"), Some(name)) => QueryPlace::Start(name),
            (Some("rule"), Some(name)) => QueryPlace::Rule(name),
            (Some("bad"), None) => QueryPlace::Bad,
            (Some("everywhere"), None) => QueryPlace::Everywhere,
            _ => return Err("a constraint has no place".to_owned()),
        };
        let literals = constraint["not"]
            .as_array()
            .map(|all| all.iter().map(literal).collect());
        let literals: Option<Vec<Literal>> = literals.flatten();
        let literals = literals.ok_or("a constraint is not one")?;
        knowledge.constraints.push(Constraint { place, literals });
    }
    Ok(knowledge)
}
