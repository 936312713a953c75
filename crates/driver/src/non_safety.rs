//! What a model asks for that no proof here is about: cover properties, liveness properties, deadlock. Nothing is
//! left out silently: every report says what exploration knows of them.

use crate::crosscheck::{ExploredInstance, Extent};
use crate::input::Input;
use system::frontend::TypeSize;

/// Something else than safety.
pub struct NonSafetyProperty {
    /// `cover`, `deadlock` or `liveness`.
    pub kind: &'static str,
    pub name: String,
    pub verdict: NonSafetyVerdict,
    /// What is known, and of what.
    pub what: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NonSafetyVerdict {
    /// A state satisfies the cover property.
    Reached,
    /// There is a deadlock.
    Found,
    /// No state satisfies the cover property: all there are were seen, and there is no other size.
    NotReached,
    /// In the same way, there is no deadlock.
    None,
    NotDecided,
}

impl NonSafetyVerdict {
    pub fn word(self) -> &'static str {
        match self {
            NonSafetyVerdict::Reached => "reached",
            NonSafetyVerdict::Found => "found",
            NonSafetyVerdict::NotReached => "not reached",
            NonSafetyVerdict::None => "none",
            NonSafetyVerdict::NotDecided => "not decided",
        }
    }
}

const NOT_LOOKED_AT: &str = "not looked at";

/// What is known of everything that is not a matter of safety.
pub fn non_safety_properties(input: &Input, instances: &[ExploredInstance]) -> Vec<NonSafetyProperty> {
    let asked = input.model.non_safety_properties();
    let mut others: Vec<NonSafetyProperty> = asked.covers.iter().map(|name| cover(name, input, instances)).collect();
    others.extend(asked.liveness.iter().map(|name| NonSafetyProperty {
        kind: "liveness",
        name: name.clone(),
        verdict: NonSafetyVerdict::NotDecided,
        what: "only safety is checked".to_owned(),
    }));
    if input.language().has_deadlocks() {
        others.push(deadlock(input, instances));
    }
    others
}

/// The declared instance, where all its states were seen and nothing is said of others.
fn seen_all<'e>(input: &Input, instances: &'e [ExploredInstance]) -> Option<&'e ExploredInstance> {
    let is_declared = |met: &&ExploredInstance| {
        let sizes = input.sizes().iter().map(|ty| (&ty.name, ty.size));
        met.extent == Extent::All && sizes.eq(met.sizes.iter().map(|(name, size)| (name, *size)))
    };
    let has_other_sizes = input.sizes().iter().any(TypeSize::is_any);
    instances.iter().find(is_declared).filter(|_| !has_other_sizes)
}

fn all_states(met: &ExploredInstance) -> String {
    format!("all states{} were seen", with(met))
}

fn cover(name: &str, input: &Input, instances: &[ExploredInstance]) -> NonSafetyProperty {
    let reached = |met: &&ExploredInstance| met.covered.iter().any(|(of, reached)| of == name && *reached);
    let (verdict, what) = match instances.iter().find(reached) {
        Some(met) => (NonSafetyVerdict::Reached, format!("in an instance{}", with(met))),
        None => match seen_all(input, instances) {
            Some(met) => (NonSafetyVerdict::NotReached, all_states(met)),
            None => (
                NonSafetyVerdict::NotDecided,
                looked_at(instances, "reached in no state"),
            ),
        },
    };
    NonSafetyProperty {
        kind: "cover",
        name: name.to_owned(),
        verdict,
        what,
    }
}

fn deadlock(input: &Input, instances: &[ExploredInstance]) -> NonSafetyProperty {
    let (verdict, what) = match instances.iter().find(|met| met.deadlock == Some(true)) {
        Some(met) => {
            let is_declared =
                |(name, size): &(String, i64)| input.sizes().iter().any(|ty| ty.name == *name && ty.size == *size);
            let other = met.sizes.iter().filter(|size| !is_declared(size));
            let options: Vec<String> = other.map(|(name, size)| format!(" --size {name}={size}")).collect();
            let what = format!(
                "in an instance{}; `cubist explore{}` shows it",
                with(met),
                options.concat()
            );
            (NonSafetyVerdict::Found, what)
        }
        None => match seen_all(input, instances).filter(|met| met.deadlock.is_some()) {
            Some(met) => (NonSafetyVerdict::None, all_states(met)),
            None => (NonSafetyVerdict::NotDecided, looked_at(instances, "none")),
        },
    };
    NonSafetyProperty {
        kind: "deadlock",
        name: "deadlock".to_owned(),
        verdict,
        what,
    }
}

/// What was found in the instances that were searched.
fn looked_at(instances: &[ExploredInstance], what: &str) -> String {
    let searched: Vec<String> = instances
        .iter()
        .filter(|met| met.extent != Extent::RandomRuns)
        .map(|met| {
            let part = if met.extent == Extent::All {
                ""
            } else {
                "the explored part of "
            };
            format!("{part}the instance{}", with(met))
        })
        .collect();
    match searched.is_empty() {
        true => NOT_LOOKED_AT.to_owned(),
        false => format!("{what} in {}", searched.join(", ")),
    }
}

fn with(met: &ExploredInstance) -> String {
    match met.sizes.is_empty() {
        true => String::new(),
        false => format!(" with {}", sizes_text(&met.sizes)),
    }
}

/// `P = 3, Q = 2`
pub fn sizes_text(sizes: &[(String, i64)]) -> String {
    let texts: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    texts.join(", ")
}
