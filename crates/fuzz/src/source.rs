//! A model as text, read through the front end each time, like users' models.

use driver::{Input, LoweredModel};
use explore::{AgreementReport, Difference, Disagreement};
use logic::Cancellation;
use smt::Solvers;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use system::correspondence::Correspondence;
use system::instance::{Instance, Parameter};
use system::transition::Rule;
use system::{Model, ReadOptions, Rejected, Severity, SourceFile, TransitionSystem};

#[derive(Clone, Debug)]
pub struct Source {
    /// Its extension determines the language.
    pub name: String,
    pub text: String,
}

/// The sizes of the parametric types, by name.
pub type Sizes = BTreeMap<String, i64>;

/// Why a text is no valid model, in the words of the front end.
#[derive(Clone, Debug)]
pub struct Refused(pub String);

/// The integer window of an instance whose source has unbounded integers.
const WINDOW: (i64, i64) = (-2, 6);
/// The maximum number of rule instances that are compared; the limit of states may be reached first.
const WORK: u64 = 3000;

/// The first error.
fn refused(rejected: &Rejected) -> Refused {
    let mut found = rejected.diagnostics.iter();
    let error = found.find(|found| found.severity == Severity::Error);
    Refused(error.map_or_else(String::new, |error| error.render(&rejected.sources, false)))
}

fn for_proof(input: &Input) -> Result<Input, Refused> {
    let provable = input.for_proof(&Cancellation::new());
    provable.map_err(|rejected| refused(&rejected))
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    pub fn is_murphi(&self) -> bool {
        self.name.ends_with(".m")
    }

    /// Reads the text with these sizes of types, some of which must be parametric.
    fn read(&self, sizes: Sizes, parametric: Vec<String>, integers: (i64, i64)) -> Result<Input, Refused> {
        let reading = ReadOptions {
            sizes: sizes.into_iter().collect(),
            parametric,
            integers: Some(integers),
            ..ReadOptions::default()
        };
        let file = SourceFile::new(self.name.as_str(), self.text.as_str());
        Input::of_text(file, &reading).map_err(|rejected| refused(&rejected))
    }

    /// The model as written, and as a proof takes it.
    fn input(&self) -> Result<Input, Refused> {
        for_proof(&self.read(Sizes::new(), Vec::new(), WINDOW)?)
    }

    fn model(&self) -> Result<Arc<dyn Model>, Refused> {
        Ok(self.input()?.model)
    }

    /// The names of the parametric types whose size can be chosen.
    pub fn parametric_types(&self) -> Result<Vec<String>, Refused> {
        let model = self.model()?;
        let any_size = model.sizes().iter().filter(|ty| ty.is_any() && ty.has_name);
        Ok(any_size.map(|ty| ty.name.clone()).collect())
    }

    /// All proof goals, as `cubist check` reads the model.
    pub fn subject(&self) -> Result<LoweredModel, Refused> {
        LoweredModel::of(self.input()?).map_err(|error| Refused(error.to_string()))
    }

    /// The system that proofs are about.
    pub fn system(&self) -> Result<TransitionSystem, Refused> {
        let model = self.model()?;
        model.system().cloned().map_err(|rejected| refused(&rejected))
    }

    /// `size` elements for every parametric type.
    fn all_of(&self, size: i64) -> Result<Sizes, Refused> {
        Ok(self.parametric_types()?.into_iter().map(|name| (name, size)).collect())
    }

    /// The permitted sizes of each parametric type, as far as the source restricts them.
    fn possible_sizes(&self) -> Result<BTreeMap<String, RangeInclusive<i64>>, Refused> {
        let model = self.model()?;
        let any_size = model.sizes().iter().filter(|ty| ty.is_any() && ty.has_name);
        let possible = any_size.map(|ty| (ty.name.clone(), ty.least..=ty.most.unwrap_or(i64::MAX)));
        Ok(possible.collect())
    }

    /// Sizes to explore: equal ones for all parametric types from one on and, if there are several types, unequal ones.
    pub fn sizes(&self, largest: i64) -> Result<Vec<Sizes>, Refused> {
        let mut sizes = Vec::new();
        for size in 1..=largest {
            sizes.push(self.all_of(size)?);
        }
        let types = self.parametric_types()?;
        if let Some((first, others)) = types.split_first() {
            let others: BTreeSet<&String> = others.iter().filter(|other| *other != first).collect();
            let pairs = [(4, 2), (1, 3), (3, 1), (2, 4), (5, 3)].into_iter();
            for (of_first, of_others) in pairs.filter(|(a, b)| !others.is_empty() && *a.max(b) <= largest) {
                let mut unequal: Sizes = others.iter().map(|name| ((*name).clone(), of_others)).collect();
                unequal.insert(first.clone(), of_first);
                sizes.push(unequal);
            }
        }
        let possible = self.possible_sizes()?;
        let can_be = |(name, size): (&String, &i64)| possible.get(name).is_none_or(|sizes| sizes.contains(size));
        sizes.retain(|sizes| sizes.iter().all(can_be));
        Ok(sizes)
    }

    /// The instance in which every parametric type has `size` elements; other types keep theirs.
    pub fn instance(&self, size: i64) -> Result<Instance, Refused> {
        self.instance_of(self.all_of(size)?)
    }

    pub fn instance_of(&self, sizes: Sizes) -> Result<Instance, Refused> {
        let model = self.read(sizes, Vec::new(), WINDOW)?.model;
        let (instance, _) = model.instance().map_err(|rejected| refused(&rejected))?;
        Ok(instance)
    }

    /// The system and the instance at these sizes, and their correspondence. Types stay parametric in proofs, even with
    /// a single element.
    fn system_and_instance(
        &self,
        sizes: Sizes,
        window: (i64, i64),
    ) -> Result<(TransitionSystem, Instance, Correspondence), Refused> {
        let parametric = sizes.keys().cloned().collect();
        let model = for_proof(&self.read(sizes, parametric, window)?)?.model;
        let system = model.system().map_err(|rejected| refused(&rejected))?;
        let (instance, _) = model.instance().map_err(|rejected| refused(&rejected))?;
        let correspondence = model.correspondence(&instance);
        let correspondence = correspondence.ok_or_else(|| Refused("not lowered".to_owned()))?;
        Ok((system.clone(), instance, correspondence))
    }

    /// Compares the instance of this size with the system, in up to `limit` states.
    pub fn agreement(&self, size: i64, limit: usize) -> Result<Result<(), String>, Refused> {
        let found = self.agreement_at(self.all_of(size)?, limit)?;
        Ok(found.map(|_| ()).map_err(|disagreement| disagreement.to_string()))
    }

    /// The same at unequal sizes. The system must also be identical to the one that proofs are about.
    pub fn agreement_at(&self, sizes: Sizes, limit: usize) -> Result<Result<AgreementReport, Disagreement>, Refused> {
        let (system, instance, correspondence) = self.system_and_instance(sizes, (0, 2))?;
        let limit = limit.min(
            usize::try_from(WORK / firings(&instance).max(1))
                .unwrap_or(limit)
                .max(3),
        );
        let found = explore::check_agreement(&instance, &system, &correspondence, limit).and_then(|report| {
            // Also compares steps behind guards that no run passes.
            let cancellation = Cancellation::new();
            let solvers = Solvers::default().under(&cancellation);
            let chosen = driver::chosen_states(&instance, &system, &correspondence, &solvers);
            let steps = explore::check_steps(&instance, &system, &correspondence, &chosen, &cancellation)?;
            Ok(AgreementReport {
                states: report.states + steps.states,
                firings: report.firings + steps.states,
                ..report
            })
        });
        if found.is_ok()
            && let Some(what) = other_system(&self.system()?, &system)
        {
            return Ok(Err(Disagreement {
                kind: Difference::Fact,
                at: "the system".to_owned(),
                what,
                state: Vec::new(),
                hides: true,
            }));
        }
        Ok(found)
    }
}

/// The maximum number of rule instances.
fn firings(instance: &Instance) -> u64 {
    let values = |parameter: &Parameter| parameter.high.abs_diff(parameter.low).saturating_add(1);
    let of_rule = |rule: &system::instance::Rule| {
        let counts = rule.parameters.iter().map(values);
        counts.fold(1, u64::saturating_mul)
    };
    instance.rules.iter().map(of_rule).fold(0, u64::saturating_add)
}

/// The difference between the systems of one model read at different sizes, if any.
fn other_system(declared: &TransitionSystem, sized: &TransitionSystem) -> Option<String> {
    let facts = |of: &[system::transition::Fact]| of.iter().map(|fact| fact.formula).collect::<Vec<_>>();
    if facts(&declared.axioms) != facts(&sized.axioms) || facts(&declared.type_facts) != facts(&sized.type_facts) {
        return Some("its facts depend on the size".to_owned());
    }
    let rules = |of: &TransitionSystem| of.starts.iter().chain(&of.rules).cloned().collect::<Vec<_>>();
    let (declared_rules, sized_rules) = (rules(declared), rules(sized));
    let same = |(a, b): (&Rule, &Rule)| {
        let values = |rule: &Rule| rule.updates.iter().map(|u| (u.function, u.value)).collect::<Vec<_>>();
        let asserted = |rule: &Rule| rule.assertions.iter().map(|a| a.condition).collect::<Vec<_>>();
        (&a.name, a.guard, &a.parameters, &a.choices) == (&b.name, b.guard, &b.parameters, &b.choices)
            && values(a) == values(b)
            && asserted(a) == asserted(b)
    };
    if declared_rules.len() != sized_rules.len() || !declared_rules.iter().zip(&sized_rules).all(same) {
        return Some("its rules depend on the size".to_owned());
    }
    let formulas = |of: &TransitionSystem| of.properties.iter().map(|p| p.formula).collect::<Vec<_>>();
    (formulas(declared) != formulas(sized)).then(|| "its properties depend on the size".to_owned())
}
