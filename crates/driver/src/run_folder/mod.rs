//! The run folder: what a proof has learned, so that another run can go on from it (`--run DIR`, `--resume DIR`).
//!
//! It holds one [`file`]: for each goal of a model the predicates and the constraints found so far, what is known of
//! all states, and in the end the invariant; `program::run_folder` has what is kept of programs. Nothing in it is
//! believed: predicates are tried, and a constraint that is wrong leads to a certificate that no solver confirms, as a
//! wrong invariant does.

pub(crate) mod file;
mod knowledge;
pub(crate) mod terms;

use crate::error::Result;
use crate::input::Input;
use crate::model::Question;
use crate::notation;
use abstraction::goal::Goal;
use abstraction::predicate::Literal;
use abstraction::predicate::{Constraint, Knowledge, QueryPlace};
use file::{About, RunFile};
use knowledge::read_goal;
use logic::Term;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use system::transition::Fact;
use system::{Span, TransitionSystem};
use terms::Vocabulary;

/// The words for facts about all states: the invariant of a proof, and what one engine found out for the other.
const INVARIANT: &str = "invariant";
const SHARED: &str = "shared";
const FACTS: [&str; 2] = [INVARIANT, SHARED];
/// The file is not written more often than this, except when a goal is done with.
const PERIOD: Duration = Duration::from_millis(100);

pub(crate) struct RunFolder {
    file: RunFile,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the key of the goal.
    goals: BTreeMap<String, Value>,
    /// By the word for them.
    facts: BTreeMap<String, Value>,
    /// How often a name has been met in this run.
    met: BTreeMap<String, usize>,
    written: Option<Instant>,
}

impl RunFolder {
    /// The folder that a question names, if it names one.
    pub(crate) fn open(question: &Question, input: &Input) -> Result<Option<RunFolder>> {
        let reading = &question.reading;
        let options = (&reading.sizes, &reading.constants, &reading.parametric, &reading.fixed);
        let about = About {
            file: input.file().name.clone(),
            digest: validate::sha256(format!("{options:?}\n{}", input.file().text).as_bytes()),
        };
        match (&question.run, &question.resume) {
            (Some(path), _) => RunFolder::create(path, about).map(Some),
            (None, Some(path)) => RunFolder::resume(path, about).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A new folder, or an empty one.
    fn create(path: &Path, about: About) -> Result<RunFolder> {
        let folder = RunFolder {
            file: RunFile::create(path, about)?,
            state: Mutex::default(),
        };
        folder.write(&mut State::default())?;
        Ok(folder)
    }

    /// Goes on from a folder that another run left.
    fn resume(path: &Path, about: About) -> Result<RunFolder> {
        let (file, value) = RunFile::resume(path, about)?;
        let Some(goals) = value["goals"].as_object() else {
            return Err(file.damaged("it has no goals"));
        };
        let state = State {
            goals: goals.iter().map(|(key, goal)| (key.clone(), goal.clone())).collect(),
            facts: FACTS
                .iter()
                .filter_map(|word| Some(((*word).to_owned(), value.get(word)?.clone())))
                .collect(),
            ..State::default()
        };
        Ok(RunFolder {
            file,
            state: Mutex::new(state),
        })
    }

    /// Whether nothing has been learned yet.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.goals.is_empty()
    }

    /// Goals are met from the first one on.
    pub(crate) fn begin(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).met.clear();
    }

    /// A goal as the folder knows it: assertions of a rule may have the same name.
    pub(crate) fn key(&self, goal: &Goal) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.met.entry(goal.name.clone()).or_default();
        *number += 1;
        match number {
            1 => goal.name.clone(),
            number => format!("{} #{number}", goal.name),
        }
    }

    /// What is known of a goal.
    pub(crate) fn known(&self, key: &str, system: &TransitionSystem, goal: &Goal) -> Result<Knowledge> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(saved) = state.goals.get(key) else {
            return Ok(Knowledge::default());
        };
        read_goal(saved, &Vocabulary::new(system, &goal.constants))
            .map_err(|what| self.file.damaged(&format!("goal \"{key}\": {what}")))
    }

    /// Keeps what is known of a goal now.
    pub(crate) fn keep(
        &self,
        key: &str,
        system: &TransitionSystem,
        goal: &Goal,
        knowledge: &Knowledge,
        done: bool,
    ) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !done && state.written.is_some_and(|written| written.elapsed() < PERIOD) {
            return Ok(());
        }
        let saved = write_goal(knowledge, &Vocabulary::new(system, &goal.constants), system, goal);
        state.goals.insert(key.to_owned(), saved);
        self.write(&mut state)
    }

    /// Keeps the invariant of a proof, unless a fact cannot be written.
    pub(crate) fn finish(&self, system: &TransitionSystem, engine: &str, facts: &[Fact]) -> Result<()> {
        self.keep_facts(INVARIANT, system, engine, facts)
    }

    /// The invariant of a proof that another run finished, and which engine found it.
    pub(crate) fn invariant(&self, system: &TransitionSystem) -> Result<Option<(String, Vec<Fact>)>> {
        self.facts(INVARIANT, system)
    }

    /// Keeps what one engine found out for another, whose constraints may rest on it.
    pub(crate) fn keep_shared(&self, system: &TransitionSystem, facts: &[Term]) -> Result<()> {
        let fact = |formula: &Term| Fact {
            name: String::new(),
            formula: *formula,
            span: Span::default(),
        };
        let facts: Vec<Fact> = facts.iter().map(fact).collect();
        self.keep_facts(SHARED, system, "strengthening", &facts)
    }

    pub(crate) fn shared(&self, system: &TransitionSystem) -> Result<Vec<Term>> {
        let facts = self.facts(SHARED, system)?.map(|(_, facts)| facts).unwrap_or_default();
        Ok(facts.iter().map(|fact| fact.formula).collect())
    }

    fn keep_facts(&self, word: &str, system: &TransitionSystem, engine: &str, facts: &[Fact]) -> Result<()> {
        let vocabulary = Vocabulary::new(system, &[]);
        let saved = |fact: &Fact| {
            let formula = vocabulary.write(fact.formula)?;
            let text = notation::closed_formula(system, fact.formula);
            Some(json!({ "name": fact.name, "text": text, "formula": formula }))
        };
        let saved: Option<Vec<Value>> = facts.iter().map(saved).collect();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = saved {
            let facts = json!({ "engine": engine, "facts": facts });
            state.facts.insert(word.to_owned(), facts);
        }
        self.write(&mut state)
    }

    fn facts(&self, word: &str, system: &TransitionSystem) -> Result<Option<(String, Vec<Fact>)>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(saved) = state.facts.get(word) else {
            return Ok(None);
        };
        let vocabulary = Vocabulary::new(system, &[]);
        let fact = |value: &Value| {
            Some(Fact {
                name: value["name"].as_str()?.to_owned(),
                formula: vocabulary.read(&value["formula"])?,
                span: Span::default(),
            })
        };
        let facts = saved["facts"].as_array().map(|facts| facts.iter().map(fact).collect());
        let facts: Option<Vec<Fact>> = facts.flatten();
        match (saved["engine"].as_str(), facts) {
            (Some(engine), Some(facts)) => Ok(Some((engine.to_owned(), facts))),
            _ => Err(self.file.damaged(&format!("\"{word}\""))),
        }
    }

    fn write(&self, state: &mut State) -> Result<()> {
        let mut content = Map::new();
        content.insert("goals".to_owned(), json!(state.goals));
        content.extend(state.facts.iter().map(|(word, facts)| (word.clone(), facts.clone())));
        self.file.write(content)?;
        state.written = Some(Instant::now());
        Ok(())
    }
}

/// Reads the JSON of a run folder as far as it can be read, about a system and one of its goals: for tests, since
/// nobody vouches for the file.
pub fn read_all(body: &str, system: &TransitionSystem, goal: &Goal) {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return;
    };
    let vocabulary = Vocabulary::new(system, &goal.constants);
    let _ = read_goal(&value, &vocabulary);
    for fact in value[INVARIANT]["facts"].as_array().into_iter().flatten() {
        let _ = vocabulary.read(&fact["formula"]);
    }
    for saved in value["goals"].as_object().into_iter().flat_map(|goals| goals.values()) {
        let _ = read_goal(saved, &vocabulary);
    }
}

/// Predicates that cannot be written are left out, and the constraints that mention them.
fn write_goal(knowledge: &Knowledge, vocabulary: &Vocabulary, system: &TransitionSystem, goal: &Goal) -> Value {
    let mut numbers = BTreeMap::new();
    let mut predicates = Vec::new();
    for (number, predicate) in knowledge.predicates.iter().enumerate() {
        if let Some(formula) = vocabulary.write(*predicate) {
            numbers.insert(number, predicates.len());
            predicates.push(json!({ "text": notation::formula(system, goal, *predicate), "formula": formula }));
        }
    }
    let constraint = |constraint: &Constraint| {
        let (kind, name) = match &constraint.place {
            QueryPlace::Start(name) => ("start", Some(name)),
            QueryPlace::Rule(name) => ("rule", Some(name)),
            QueryPlace::Bad => ("bad", None),
            QueryPlace::Everywhere => ("everywhere", None),
        };
        let literal = |l: &Literal| Some(json!([numbers.get(&l.predicate)?, l.after, l.value]));
        let literals: Option<Vec<Value>> = constraint.literals.iter().map(literal).collect();
        Some(json!({ "place": kind, "name": name, "not": literals? }))
    };
    let constraints: Vec<Value> = knowledge.constraints.iter().filter_map(constraint).collect();
    json!({ "predicates": predicates, "constraints": constraints })
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Function, Sort, term};
    use system::transition::Symbol;

    #[test]
    fn facts_about_all_states_come_back() {
        let function = Function::constant("busy", Sort::Bool);
        let busy = Symbol {
            function,
            display: "busy".to_owned(),
            span: Span::default(),
        };
        let system = TransitionSystem {
            state: vec![busy],
            ..TransitionSystem::default()
        };
        let about = || About {
            file: "lock.m".to_owned(),
            digest: "1".to_owned(),
        };
        let path = std::env::temp_dir().join(format!("cubist-facts-{}", std::process::id()));
        let folder = RunFolder::create(&path, about()).unwrap();
        let shared = term::not(function.apply([]));
        folder.keep_shared(&system, &[shared]).unwrap();
        let fact = Fact {
            name: "idle".to_owned(),
            formula: shared,
            span: Span::default(),
        };
        folder.finish(&system, "indexed", &[fact]).unwrap();
        let resumed = RunFolder::resume(&path, about()).unwrap();
        assert_eq!(resumed.shared(&system).unwrap(), [shared]);
        let (engine, facts) = resumed.invariant(&system).unwrap().unwrap();
        assert_eq!(
            (engine.as_str(), facts[0].name.as_str(), facts[0].formula),
            ("indexed", "idle", shared)
        );
        // About another system it is nonsense, and refused.
        assert!(resumed.shared(&TransitionSystem::default()).is_err());
        std::fs::remove_dir_all(&path).unwrap();
    }
}
