//! What a run learned about a program, so that another one can go on from it.
//!
//! | word | what | of |
//! | --- | --- | --- |
//! | `lemmas` | formulas that the solver of Horn clauses took to hold, by the way in which the program was unfolded | `horn` |
//! | `predicates`, `constraints` | what the loop of SLAM works with | `slam` |
//! | `certificate` | the text of a proof that nobody may have confirmed yet | both |
//!
//! Nothing of it is believed. Lemmas are substituted where they are inductive together; constraints that are wrong
//! lead to a certificate that no solver confirms; of the certificate only the facts are read, and one is made from them
//! anew.

use crate::error::{Error, Result};
use crate::run_folder::file::{About, RunFile};
use crate::run_folder::terms::Vocabulary;
use logic::{Function, Term};
use serde_json::{Map, Value, json};
use slam::cubes::Blamed;
use slam::knowledge::{ConstraintPlace, Knowledge};
use slam::predicates::PredicateId;
use slam::statements::{Bit, Site};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use system::TransitionSystem;
use system::program::{LocationId, ProcedureId};
use system::transition::Fact;
use unfold::Options;
use unfold::frames::Way;

const LEMMAS: &str = "lemmas";
const PREDICATES: &str = "predicates";
const CONSTRAINTS: &str = "constraints";
const CERTIFICATE: &str = "certificate";
/// The file is not written more often than this, except for a proof.
const PERIOD: Duration = Duration::from_millis(200);

pub struct RunFolder {
    file: RunFile,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the words above.
    known: Map<String, Value>,
    written: Option<Instant>,
    /// Why it could not be written.
    failure: Option<Error>,
}

impl RunFolder {
    /// The folder of a new run, or of one that is to go on; `about` is what the header of a certificate says of what
    /// was read.
    pub fn open(
        (run, resume): (Option<&Path>, Option<&Path>),
        file: &str,
        about: &[(&'static str, String)],
    ) -> Result<Option<RunFolder>> {
        // Where files lie is of no importance.
        let line = |(word, line): &(&str, String)| match line.strip_prefix("sha256 ") {
            Some(digest) => format!("{word} {}\n", digest.split(' ').next().unwrap_or_default()),
            None => format!("{word} {line}\n"),
        };
        let about = About {
            file: file.to_owned(),
            digest: validate::sha256(about.iter().map(line).collect::<String>().as_bytes()),
        };
        let (file, value) = match (run, resume) {
            (Some(path), _) => {
                let file = RunFile::create(path, about)?;
                file.write(Map::new())?;
                (file, Value::Null)
            }
            (None, Some(path)) => RunFile::resume(path, about)?,
            (None, None) => return Ok(None),
        };
        let words = [LEMMAS, PREDICATES, CONSTRAINTS, CERTIFICATE].into_iter();
        let known = words.filter_map(|word| Some((word.to_owned(), value.get(word)?.clone())));
        let state = State {
            known: known.collect(),
            ..State::default()
        };
        let folder = RunFolder {
            file,
            state: Mutex::new(state),
        };
        Ok(Some(folder))
    }

    /// Why what was learned is not in the folder, where it is not.
    pub(super) fn failure(&self) -> Result<()> {
        self.state().failure.take().map_or(Ok(()), Err)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what is known now under these words, unless that is not due yet.
    fn keep(&self, is_due: bool, known: impl FnOnce(&mut Map<String, Value>)) {
        let mut state = self.state();
        if !is_due && state.written.is_some_and(|written| written.elapsed() < PERIOD) {
            return;
        }
        known(&mut state.known);
        state.failure = self.file.write(state.known.clone()).err();
        state.written = Some(Instant::now());
    }

    /// Keeps formulas over the state of a system, those that can be written.
    pub(crate) fn keep_lemmas(&self, options: &Options, system: &TransitionSystem, facts: &dyn Fn() -> Vec<Fact>) {
        self.keep(false, |known| {
            let vocabulary = Vocabulary::new(system, &[]);
            let written = facts().into_iter().filter_map(|fact| vocabulary.write(fact.formula));
            known.entry(LEMMAS).or_insert_with(|| json!({}))[way(options)] = written.collect();
        });
    }

    pub(crate) fn lemmas(&self, options: &Options, system: &TransitionSystem) -> Result<Vec<Term>> {
        let vocabulary = Vocabulary::new(system, &[]);
        let state = self.state();
        let Some(lemmas) = state.known.get(LEMMAS) else {
            return Ok(Vec::new());
        };
        let by_way = lemmas.as_object().ok_or_else(|| self.file.damaged(LEMMAS))?;
        let Some(lemmas) = by_way.get(&way(options)) else {
            return Ok(Vec::new());
        };
        let read = lemmas
            .as_array()
            .map(|all| all.iter().map(|one| vocabulary.read(one)).collect());
        let read: Option<Vec<Term>> = read.flatten();
        read.ok_or_else(|| self.file.damaged("a lemma is no formula about this program"))
    }

    pub(super) fn keep_certificate(&self, text: &str) {
        self.keep(true, |known| {
            known.insert(CERTIFICATE.to_owned(), json!(text));
        });
    }

    pub(super) fn certificate(&self) -> Option<String> {
        Some(self.state().known.get(CERTIFICATE)?.as_str()?.to_owned())
    }

    /// Keeps what the loop of SLAM knows, but for predicates that cannot be written and constraints that mention them.
    pub(crate) fn keep_knowledge(&self, is_due: bool, functions: &[Function], knowledge: &dyn Fn() -> Knowledge) {
        self.keep(is_due, |known| {
            let (vocabulary, knowledge) = (Vocabulary::of(functions, []), knowledge());
            let predicates: Vec<Option<Value>> =
                knowledge.predicates.iter().map(|one| vocabulary.write(*one)).collect();
            let is_written = |(_, blamed): &&(ConstraintPlace, Vec<Blamed>)| {
                let mut predicates_of = blamed.iter().map(|literal| predicate(literal.bit).0);
                predicates_of.all(|number| predicates.get(number).is_some_and(Option::is_some))
            };
            let constraints = knowledge.constraints.iter().filter(is_written).map(write_constraint);
            known.insert(CONSTRAINTS.to_owned(), constraints.collect());
            known.insert(PREDICATES.to_owned(), json!(predicates));
        });
    }

    pub(crate) fn knowledge(&self, functions: &[Function]) -> Result<Knowledge> {
        let vocabulary = Vocabulary::of(functions, []);
        let state = self.state();
        let list = |word: &'static str| state.known.get(word).map(|list| list.as_array().ok_or(word));
        let read = || -> std::result::Result<Knowledge, &'static str> {
            let (Some(predicates), Some(constraints)) = (list(PREDICATES), list(CONSTRAINTS)) else {
                return Ok(Knowledge::default());
            };
            // One that could not be written keeps its place.
            let predicate = |value: &Value| match value {
                Value::Null => Some(logic::term::bool(true)),
                value => vocabulary.read(value),
            };
            let predicates: Option<Vec<Term>> = predicates?.iter().map(predicate).collect();
            let constraints: Option<Vec<(ConstraintPlace, Vec<Blamed>)>> =
                constraints?.iter().map(read_constraint).collect();
            Ok(Knowledge {
                predicates: predicates.ok_or("a predicate is no formula about this program")?,
                constraints: constraints.ok_or("a constraint is not one")?,
            })
        };
        read().map_err(|what| self.file.damaged(what))
    }
}

/// A way in which a program is unfolded.
fn way(options: &Options) -> String {
    let products = if options.exact_products { "exact" } else { "linear" };
    format!("{products}, {} calls", options.recursion)
}

fn predicate(bit: Bit) -> PredicateId {
    match bit {
        Bit::Predicate(id) | Bit::Argument(id) | Bit::Result(id) => id,
    }
}

fn write_constraint((place, blamed): &(ConstraintPlace, Vec<Blamed>)) -> Value {
    let of_way = |word: &str, way: &Way| {
        let callee = way.callee.map(|callee| callee.0);
        json!([word, way.procedure.0, way.location.0, way.edge, way.number, callee])
    };
    let place = match place {
        ConstraintPlace::Statement(Site::Start) => json!(["start"]),
        ConstraintPlace::Statement(Site::Step(way)) => of_way("step", way),
        ConstraintPlace::Statement(Site::Arguments(way)) => of_way("arguments", way),
        ConstraintPlace::Statement(Site::Results(way)) => of_way("results", way),
        ConstraintPlace::States(owner) => json!(["states", owner.map(|owner| owner.0)]),
    };
    let literal = |literal: &Blamed| {
        let word = match literal.bit {
            Bit::Predicate(_) => "predicate",
            Bit::Argument(_) => "argument",
            Bit::Result(_) => "result",
        };
        json!([word, predicate(literal.bit).0, literal.is_after, literal.value])
    };
    json!({ "place": place, "not": blamed.iter().map(literal).collect::<Value>() })
}

fn read_constraint(value: &Value) -> Option<(ConstraintPlace, Vec<Blamed>)> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let procedure = |value: &Value| match value {
        Value::Null => Some(None),
        value => Some(Some(ProcedureId(number(value)?))),
    };
    let (word, rest) = value["place"].as_array()?.split_first()?;
    let place = match (word.as_str()?, rest) {
        ("start", []) => ConstraintPlace::Statement(Site::Start),
        ("states", [owner]) => ConstraintPlace::States(procedure(owner)?),
        (word, [of, location, edge, branch, callee]) => {
            let way = Way {
                procedure: ProcedureId(number(of)?),
                location: LocationId(number(location)?),
                edge: usize::try_from(edge.as_u64()?).ok()?,
                number: usize::try_from(branch.as_u64()?).ok()?,
                callee: procedure(callee)?,
            };
            ConstraintPlace::Statement(match word {
                "step" => Site::Step(way),
                "arguments" => Site::Arguments(way),
                "results" => Site::Results(way),
                _ => return None,
            })
        }
        _ => return None,
    };
    let literal = |value: &Value| {
        let [word, predicate, is_after, value] = value.as_array()?.as_slice() else {
            return None;
        };
        let predicate = PredicateId(usize::try_from(predicate.as_u64()?).ok()?);
        Some(Blamed {
            bit: match word.as_str()? {
                "predicate" => Bit::Predicate(predicate),
                "argument" => Bit::Argument(predicate),
                "result" => Bit::Result(predicate),
                _ => return None,
            },
            is_after: is_after.as_bool()?,
            value: value.as_bool()?,
        })
    };
    let literals: Option<Vec<Blamed>> = value["not"].as_array()?.iter().map(literal).collect();
    Some((place, literals?))
}
