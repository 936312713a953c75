//! What a model asks for that no proof here is about: cover properties, liveness properties, deadlock. Nothing is
//! left out silently: every report says what exploration knows of them.

use crate::input::Input;
use crate::meet::{Explored, Extent};
use system::frontend::TypeSize;

/// Something else than safety.
pub struct Other {
    /// `cover`, `deadlock` or `liveness`.
    pub kind: &'static str,
    pub name: String,
    pub verdict: OtherAnswer,
    /// What is known, and of what.
    pub what: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherAnswer {
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

impl OtherAnswer {
    pub fn word(self) -> &'static str {
        match self {
            OtherAnswer::Reached => "reached",
            OtherAnswer::Found => "found",
            OtherAnswer::NotReached => "not reached",
            OtherAnswer::None => "none",
            OtherAnswer::NotDecided => "not decided",
        }
    }
}

const NOT_LOOKED_AT: &str = "not looked at";

/// What is known of everything that is not a matter of safety.
pub fn others(input: &Input, instances: &[Explored]) -> Vec<Other> {
    let asked = input.model.non_safety_properties();
    let mut others: Vec<Other> = asked.covers.iter().map(|name| cover(name, input, instances)).collect();
    others.extend(asked.liveness.iter().map(|name| Other {
        kind: "liveness",
        name: name.clone(),
        verdict: OtherAnswer::NotDecided,
        what: "only safety is checked".to_owned(),
    }));
    if input.language().has_deadlocks() {
        others.push(deadlock(input, instances));
    }
    others
}

/// The declared instance, where all its states were seen and nothing is said of others.
fn seen_all<'e>(input: &Input, instances: &'e [Explored]) -> Option<&'e Explored> {
    let is_declared = |met: &&Explored| {
        let sizes = input.sizes().iter().map(|ty| (&ty.name, ty.size));
        met.extent == Extent::All && sizes.eq(met.sizes.iter().map(|(name, size)| (name, *size)))
    };
    let has_other_sizes = input.sizes().iter().any(TypeSize::is_any);
    instances.iter().find(is_declared).filter(|_| !has_other_sizes)
}

fn all_states(met: &Explored) -> String {
    format!("all states{} were seen", with(met))
}

fn cover(name: &str, input: &Input, instances: &[Explored]) -> Other {
    let reached = |met: &&Explored| met.covered.iter().any(|(of, reached)| of == name && *reached);
    let (verdict, what) = match instances.iter().find(reached) {
        Some(met) => (OtherAnswer::Reached, format!("in an instance{}", with(met))),
        None => match seen_all(input, instances) {
            Some(met) => (OtherAnswer::NotReached, all_states(met)),
            None => (OtherAnswer::NotDecided, looked_at(instances, "reached in no state")),
        },
    };
    Other {
        kind: "cover",
        name: name.to_owned(),
        verdict,
        what,
    }
}

fn deadlock(input: &Input, instances: &[Explored]) -> Other {
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
            (OtherAnswer::Found, what)
        }
        None => match seen_all(input, instances).filter(|met| met.deadlock.is_some()) {
            Some(met) => (OtherAnswer::None, all_states(met)),
            None => (OtherAnswer::NotDecided, looked_at(instances, "none")),
        },
    };
    Other {
        kind: "deadlock",
        name: "deadlock".to_owned(),
        verdict,
        what,
    }
}

/// What was found in the instances that were searched.
fn looked_at(instances: &[Explored], what: &str) -> String {
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

fn with(met: &Explored) -> String {
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
