//! A model as text, read through the front end each time, as users' models are.

use abstraction::indexed::samples::Samples;
use explore::{Deadlock, Options, reached_states};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::{Diagnostic, Severity, SourceFile, TransitionSystem};

#[derive(Clone, Debug)]
pub struct Source {
    /// Its extension tells the language.
    pub name: String,
    pub text: String,
}

/// Why a text is no model, in the words of the front end.
#[derive(Clone, Debug)]
pub struct Refused(pub String);

/// Of the numbers of an instance whose source has no bounds for them.
const WINDOW: (i64, i64) = (-2, 6);
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

    fn murphi(&self, sizes: BTreeMap<String, i64>) -> Result<murphi::model::Model, Refused> {
        let file = self.file();
        let (program, found) = murphi::parse(&file);
        no_errors(&found, &file)?;
        let options = murphi::Options {
            sizes,
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
        let decisions = model.decisions.iter().filter(|decision| any_size(&decision.outcome));
        Ok(decisions.map(|decision| decision.name.clone()).collect())
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

    /// The instance in which every type of any size has `size` elements; others keep theirs.
    pub fn instance(&self, size: i64) -> Result<Instance, Refused> {
        let file = self.file();
        let (instance, found) = if self.is_murphi() {
            let sizes = self.parametric_types()?.into_iter().map(|name| (name, size)).collect();
            let options = murphi::CompileOptions { integer_window: WINDOW };
            murphi::compile(&self.murphi(sizes)?, &options)
        } else {
            cubicle::compile(&self.cubicle()?, &processes(size, WINDOW))
        };
        no_errors(&found, &file)?;
        Ok(instance)
    }

    /// The system at this size, its instance, and what the one has to do with the other.
    fn both(&self, size: i64, window: (i64, i64)) -> Result<(TransitionSystem, Instance, Correspondence), Refused> {
        let file = self.file();
        let not_lowered = |_| Refused("not lowered".to_owned());
        if self.is_murphi() {
            let sizes = self.parametric_types()?.into_iter().map(|name| (name, size)).collect();
            let model = self.murphi(sizes)?;
            let lowered = murphi::lower(&model).map_err(not_lowered)?;
            let (instance, found) = murphi::compile(&model, &murphi::CompileOptions { integer_window: window });
            no_errors(&found, &file)?;
            let correspondence = lowered.correspondence(&instance);
            Ok((lowered.system, instance, correspondence))
        } else {
            let model = self.cubicle()?;
            let lowered = cubicle::lower(&model).map_err(not_lowered)?;
            let (instance, found) = cubicle::compile(&model, &processes(size, window));
            no_errors(&found, &file)?;
            let correspondence = lowered.correspondence(&instance);
            Ok((lowered.system, instance, correspondence))
        }
    }

    /// Whether the instance of this size and the system do the same, in up to `limit` states.
    pub fn agreement(&self, size: i64, limit: usize) -> Result<Result<(), String>, Refused> {
        let (system, instance, correspondence) = self.both(size, (0, 2))?;
        let found = explore::check_agreement(&instance, &system, &correspondence, limit);
        Ok(found.map(|_| ()).map_err(|disagreement| disagreement.to_string()))
    }

    /// Reached states of the instance of this size, none where there is no such instance.
    pub fn samples(&self, system: &TransitionSystem, size: i64, states: u64) -> Samples {
        let Ok((_, instance, correspondence)) = self.both(size, WINDOW) else {
            return Samples::default();
        };
        let options = Options {
            deadlock: Deadlock::Off,
            max_states: Some(states),
            time_limit: Some(EXAMPLES),
            traces: false,
            ..Options::default()
        };
        let reached = reached_states(&instance, &options, &AtomicBool::new(false));
        Samples::new(system, &correspondence, reached)
    }
}
