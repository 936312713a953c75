//! A model as text, read through the front end each time, as users' models are.

use abstraction::strengthening::Samples;
use explore::{AgreementReport, Deadlock, Difference, Disagreement, Options, reached_states};
use logic::Cancellation;
use murphi::model::ParametricDecision;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use system::correspondence::Correspondence;
use system::instance::{Instance, Parameter};
use system::transition::Rule;
use system::{Diagnostic, Severity, SourceFile, TransitionSystem};

#[derive(Clone, Debug)]
pub struct Source {
    /// Its extension tells the language.
    pub name: String,
    pub text: String,
}

/// How many elements the types of any size have, by their names.
pub type Sizes = BTreeMap<String, i64>;

/// Why a text is no model, in the words of the front end.
#[derive(Clone, Debug)]
pub struct Refused(pub String);

/// Of the numbers of an instance whose source has no bounds for them.
const WINDOW: (i64, i64) = (-2, 6);
/// So many instances of rules are compared, one after the other, where the limit of states does not come first.
const WORK: u64 = 3000;
/// How long examples are looked for.
const EXAMPLES: Duration = Duration::from_millis(500);

fn no_errors(diagnostics: &[Diagnostic], file: &SourceFile) -> Result<(), Refused> {
    match diagnostics.iter().find(|found| found.severity == Severity::Error) {
        Some(error) => Err(Refused(error.render(file, false))),
        None => Ok(()),
    }
}

fn processes(size: i64, integer_window: (i64, i64)) -> cubicle::CompileOptions {
    cubicle::CompileOptions {
        processes: u32::try_from(size).unwrap_or(1),
        integer_window,
        ..cubicle::CompileOptions::default()
    }
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

    fn file(&self) -> SourceFile {
        SourceFile::new(self.name.as_str(), self.text.as_str())
    }

    /// With types of these sizes.
    fn murphi(&self, sizes: Sizes) -> Result<murphi::model::Model, Refused> {
        self.murphi_with(sizes, BTreeSet::new())
    }

    /// With types of these sizes, which are still of any size in proofs, also where there is one element.
    fn parametric(&self, sizes: Sizes) -> Result<murphi::model::Model, Refused> {
        // `1..N` has no name that could be asked for.
        let is_name = |name: &&String| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let parametric = sizes.keys().filter(is_name).cloned().collect();
        self.murphi_with(sizes, parametric)
    }

    fn murphi_with(&self, sizes: Sizes, parametric: BTreeSet<String>) -> Result<murphi::model::Model, Refused> {
        let file = self.file();
        let (program, found) = murphi::parse(&file);
        no_errors(&found, &file)?;
        let options = murphi::Options {
            sizes,
            parametric,
            ..murphi::Options::default()
        };
        let (model, found) = murphi::check(&program, &options);
        no_errors(&found, &file)?;
        Ok(model)
    }

    fn cubicle(&self) -> Result<cubicle::model::Model, Refused> {
        let file = self.file();
        let (program, found) = cubicle::parse(&file);
        no_errors(&found, &file)?;
        let (model, found) = cubicle::check(&program);
        no_errors(&found, &file)?;
        Ok(model)
    }

    /// The names of the types that a proof takes at any size.
    pub fn parametric_types(&self) -> Result<Vec<String>, Refused> {
        if !self.is_murphi() {
            return Ok(vec!["proc".to_owned()]);
        }
        let model = self.murphi(BTreeMap::new())?;
        let any_size = |outcome: &murphi::model::Outcome| matches!(outcome, murphi::model::Outcome::Parametric { .. });
        // A local type may have the name of another one, which is meant wherever a size is asked for.
        let is_meant = |decision: &ParametricDecision| {
            let named = |ty: &murphi::model::Type| ty.name.as_ref() == Some(&decision.name);
            let first = model.types.iter().position(named);
            first.is_none_or(|first| decision.types.contains(&murphi::model::TypeId(first)))
        };
        let decisions = model.decisions.iter();
        let parametric = decisions.filter(|decision| any_size(&decision.outcome) && is_meant(decision));
        let names = parametric.map(|decision| decision.name.clone());
        Ok(names.filter(|name| self.can_have_a_size(name)).collect())
    }

    /// Types of one rule cannot be given a size.
    fn can_have_a_size(&self, name: &str) -> bool {
        match self.murphi(BTreeMap::from([(name.to_owned(), 2)])) {
            Ok(_) => true,
            Err(refused) => !refused.0.contains("is neither a type nor a constant"),
        }
    }

    /// The system that proofs are about.
    pub fn system(&self) -> Result<TransitionSystem, Refused> {
        let file = self.file();
        let lowered = if self.is_murphi() {
            murphi::lower(&self.murphi(BTreeMap::new())?).map(|lowered| lowered.system)
        } else {
            cubicle::lower(&self.cubicle()?).map(|lowered| lowered.system)
        };
        let mut system = lowered.map_err(|found| no_errors(&found, &file).err().unwrap_or(Refused(String::new())))?;
        system.name.clone_from(&self.name);
        Ok(system)
    }

    /// Every type of any size has `size` elements.
    fn all_of(&self, size: i64) -> Result<Sizes, Refused> {
        Ok(self.parametric_types()?.into_iter().map(|name| (name, size)).collect())
    }

    /// So many elements each type of any size has at least, since the text names them: there are no smaller ones.
    fn least_sizes(&self) -> Result<Sizes, Refused> {
        let mut least = Sizes::new();
        if !self.is_murphi() {
            return Ok(least);
        }
        let model = self.murphi(Sizes::new())?;
        for decision in &model.decisions {
            let murphi::model::Outcome::Parametric { literals } = &decision.outcome else {
                continue;
            };
            let low = decision.types.first().map_or(0, |ty| match model.kind(*ty) {
                murphi::model::TypeKind::Range { low, .. } => *low,
                _ => 0,
            });
            if let Some(greatest) = literals.iter().max() {
                // A local type may have the name of a global one.
                let of_name = least.entry(decision.name.clone()).or_insert(1);
                *of_name = (greatest - low + 1).max(*of_name);
            }
        }
        Ok(least)
    }

    /// Sizes to look at: the same for all types of any size, from one on, and where there are several of them, unequal ones.
    pub fn sizes(&self, largest: i64) -> Result<Vec<Sizes>, Refused> {
        let mut sizes = Vec::new();
        for size in 1..=largest {
            sizes.push(self.all_of(size)?);
        }
        let types = self.parametric_types()?;
        if let (Some((first, others)), true) = (types.split_first(), self.is_murphi()) {
            let others: BTreeSet<&String> = others.iter().filter(|other| *other != first).collect();
            let pairs = [(4, 2), (1, 3), (3, 1), (2, 4), (5, 3)].into_iter();
            for (of_first, of_others) in pairs.filter(|(a, b)| !others.is_empty() && *a.max(b) <= largest) {
                let mut unequal: Sizes = others.iter().map(|name| ((*name).clone(), of_others)).collect();
                unequal.insert(first.clone(), of_first);
                sizes.push(unequal);
            }
        }
        let least = self.least_sizes()?;
        let can_be = |(name, size): (&String, &i64)| least.get(name).is_none_or(|least| least <= size);
        sizes.retain(|sizes| sizes.iter().all(can_be));
        Ok(sizes)
    }

    /// The instance in which every type of any size has `size` elements; others keep theirs.
    pub fn instance(&self, size: i64) -> Result<Instance, Refused> {
        self.instance_of(self.all_of(size)?)
    }

    pub fn instance_of(&self, sizes: Sizes) -> Result<Instance, Refused> {
        let file = self.file();
        let (instance, found) = if self.is_murphi() {
            let options = murphi::CompileOptions { integer_window: WINDOW };
            murphi::compile(&self.murphi(sizes)?, &options)
        } else {
            let size = sizes.values().next().copied().unwrap_or(1);
            cubicle::compile(&self.cubicle()?, &processes(size, WINDOW))
        };
        no_errors(&found, &file)?;
        Ok(instance)
    }

    /// The system at these sizes, its instance, and what the one has to do with the other.
    fn both(&self, sizes: Sizes, window: (i64, i64)) -> Result<(TransitionSystem, Instance, Correspondence), Refused> {
        let file = self.file();
        let not_lowered = |_| Refused("not lowered".to_owned());
        if self.is_murphi() {
            let model = self.parametric(sizes)?;
            let lowered = murphi::lower(&model).map_err(not_lowered)?;
            let (instance, found) = murphi::compile(&model, &murphi::CompileOptions { integer_window: window });
            no_errors(&found, &file)?;
            let correspondence = lowered.correspondence(&model, &instance);
            Ok((lowered.system, instance, correspondence))
        } else {
            let size = sizes.values().next().copied().unwrap_or(1);
            let model = self.cubicle()?;
            let lowered = cubicle::lower(&model).map_err(not_lowered)?;
            let (instance, found) = cubicle::compile(&model, &processes(size, window));
            no_errors(&found, &file)?;
            let correspondence = lowered.correspondence(&model, &instance);
            Ok((lowered.system, instance, correspondence))
        }
    }

    /// Whether the instance of this size and the system do the same, in up to `limit` states.
    pub fn agreement(&self, size: i64, limit: usize) -> Result<Result<(), String>, Refused> {
        let found = self.agreement_at(self.all_of(size)?, limit)?;
        Ok(found.map(|_| ()).map_err(|disagreement| disagreement.to_string()))
    }

    /// The same for types of unequal sizes. The system must also be the one that proofs are about.
    pub fn agreement_at(&self, sizes: Sizes, limit: usize) -> Result<Result<AgreementReport, Disagreement>, Refused> {
        let (system, instance, correspondence) = self.both(sizes, (0, 2))?;
        let limit = limit.min(
            usize::try_from(WORK / firings(&instance).max(1))
                .unwrap_or(limit)
                .max(3),
        );
        let found = explore::check_agreement(&instance, &system, &correspondence, limit);
        if found.is_ok()
            && let Some(what) = other_system(&self.system()?, &system)
        {
            return Ok(Err(Disagreement {
                kind: Difference::Fact,
                at: "the system".to_owned(),
                what,
                state: Vec::new(),
            }));
        }
        Ok(found)
    }

    /// Reached states of the instance of this size, none where there is no such instance.
    pub fn samples(&self, system: &TransitionSystem, size: i64, states: u64) -> Samples {
        let both = self.all_of(size).and_then(|sizes| self.both(sizes, WINDOW));
        let Ok((_, instance, correspondence)) = both else {
            return Samples::default();
        };
        let options = Options {
            deadlock: Deadlock::Off,
            max_states: Some(states),
            time_limit: Some(EXAMPLES),
            traces: false,
            ..Options::default()
        };
        let reached = reached_states(&instance, &options, &Cancellation::new());
        Samples::new(system, &correspondence, reached)
    }
}

/// How many instances of rules there are, at most.
fn firings(instance: &Instance) -> u64 {
    let values = |parameter: &Parameter| parameter.high.abs_diff(parameter.low).saturating_add(1);
    let of_rule = |rule: &system::instance::Rule| {
        let counts = rule.parameters.iter().map(values);
        counts.fold(1, u64::saturating_mul)
    };
    instance.rules.iter().map(of_rule).fold(0, u64::saturating_add)
}

/// What differs between the systems of one model that was read with different sizes, if anything does.
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
