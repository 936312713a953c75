//! What ARCHITECTURE.md says of the structure: an engine is one file and one row, and so is a front end. Both are here
//! and nowhere else. The engine decides a model, a C program and a Boolean program, of which it knows nothing but their
//! transition systems; the driver validates what it claims as it does with any other engine, and notices when it lies.
#![allow(clippy::unwrap_used, clippy::panic)]

use driver::{
    Answer, Blackboard, Claim, Context, Engine, FrontEnd, FrontEnds, Kind, LoweredModel, MistakeKind, Question, Row,
    Start, Task, Verdict,
};
use logic::normal_forms::values_of;
use logic::{Cancellation, Function, Substitution, Term, Value, term};
use smt::{Purpose, Solver, SolverError, Solvers};
use std::collections::BTreeSet;
use std::path::PathBuf;
use system::frontend::Words;
use system::transition::{Fact, Rule, TransitionSystem};
use system::{Language, Model, ReadOptions, Rejected, SourceFile, Span};
use unfold::Undefinedness;

/// Enumerates the reachable states, one solution of the solver after the other.
struct Enumeration;

const MOST_STATES: usize = 2_000;

impl Engine for Enumeration {
    fn name(&self) -> &'static str {
        "enumeration"
    }

    fn summary(&self) -> &'static str {
        "All states, one by one"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model, Kind::Program, Kind::BooleanProgram]
    }

    fn applies(&self, task: &Task) -> bool {
        task.transitions().is_some_and(|system| system.index_sorts.is_empty())
    }

    fn run(&self, task: &Task, _: &Blackboard) -> driver::Result<Claim> {
        let system = task.transitions().unwrap();
        let states = reachable(system, &task.context().solvers)?;
        let fact = |states: &BTreeSet<State>| Fact {
            name: "states".to_owned(),
            formula: term::or(states.iter().map(|state| formula(system, state))),
            span: Span::default(),
        };
        Ok(match states {
            Some(states) => Claim::facts(self.name(), vec![fact(&states)]),
            None => Claim::unknown(self.name(), driver::Reason::NotProved),
        })
    }
}

/// Claims that every property is an invariant by itself, right or wrong.
struct Boasting;

impl Engine for Boasting {
    fn name(&self) -> &'static str {
        "boasting"
    }

    fn summary(&self) -> &'static str {
        "Everything is proved"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model, Kind::Program, Kind::BooleanProgram]
    }

    fn applies(&self, _: &Task) -> bool {
        true
    }

    fn run(&self, _: &Task, _: &Blackboard) -> driver::Result<Claim> {
        Ok(Claim::facts(self.name(), Vec::new()))
    }
}

static ENUMERATION: [Row; 1] = [Row {
    engine: &Enumeration,
    start: Start::InTurn,
}];
static BOASTING: [Row; 1] = [Row {
    engine: &Boasting,
    start: Start::InTurn,
}];

/// The values of the state functions, in the order of the system, as terms; none where any value is possible.
type State = Vec<Option<Term>>;

fn formula(system: &TransitionSystem, state: &State) -> Term {
    let functions = system.state.iter().map(|symbol| symbol.function.apply([]));
    let pairs = functions
        .zip(state)
        .filter_map(|(function, value)| Some((function, (*value)?)));
    term::and(pairs.map(|(function, value)| term::equal(function, value)))
}

fn as_term(value: &Value) -> Term {
    match value {
        Value::Bool(value) => term::bool(*value),
        Value::Int(value) => term::int(*value),
        Value::Enumerator(sort, position) => values_of(logic::Sort::Enum(*sort)).unwrap()[*position as usize],
        other => panic!("{other:?}"),
    }
}

/// All states, unless there are too many.
fn reachable(system: &TransitionSystem, solvers: &Solvers) -> Result<Option<BTreeSet<State>>, SolverError> {
    let mut states: BTreeSet<State> = BTreeSet::new();
    let mut pending: Vec<State> = Vec::new();
    let mut solver = solvers.solver()?;
    for start in &system.starts {
        for state in successors(&mut *solver, system, start, &Substitution::of_constants([]))? {
            pending.extend(states.insert(state.clone()).then_some(state));
        }
    }
    while let Some(state) = pending.pop() {
        if states.len() > MOST_STATES {
            return Ok(None);
        }
        let functions = system.state.iter().map(|symbol| symbol.function);
        let known = functions
            .zip(&state)
            .filter_map(|(function, value)| Some((function, (*value)?)));
        let before = Substitution::of_constants(known);
        for rule in &system.rules {
            for next in successors(&mut *solver, system, rule, &before)? {
                pending.extend(states.insert(next.clone()).then_some(next));
            }
        }
    }
    Ok(Some(states))
}

/// The states after a rule, from a state or from the start.
fn successors(
    solver: &mut dyn Solver,
    system: &TransitionSystem,
    rule: &Rule,
    before: &Substitution,
) -> Result<Vec<State>, SolverError> {
    // What is not known before and not updated is not known after.
    let after = |function: Function| {
        let update = rule.updates.iter().find(|update| update.function == function);
        let same = function.apply([]);
        let value = before.apply(update.map_or(same, |update| update.value));
        (value != same).then_some(value)
    };
    let functions: Vec<Function> = system.state.iter().map(|symbol| symbol.function).collect();
    let next: State = functions.iter().map(|function| after(*function)).collect();
    let known = functions
        .iter()
        .zip(&next)
        .filter_map(|(function, value)| Some((*function, (*value)?)));
    let produced = Substitution::of_constants(known);
    solver.push()?;
    solver.assert(before.apply(rule.guard))?;
    solver.assert(produced.apply(rule.constraint))?;
    for fact in &system.type_facts {
        solver.assert(produced.apply(fact.formula))?;
    }
    let mut found = Vec::new();
    while solver.check(Purpose::Other)? == smt::Answer::Sat && found.len() <= MOST_STATES {
        let model = solver.model()?;
        let value = |term: &Option<Term>| match term {
            Some(term) => Ok(Some(as_term(&model.value(*term)?))),
            None => Ok(None),
        };
        let values = next.iter().map(value).collect::<Result<State, SolverError>>()?;
        let same = next
            .iter()
            .zip(&values)
            .filter_map(|(term, value)| Some(term::equal((*term)?, (*value)?)));
        solver.assert(term::not(term::and(same)))?;
        found.push(values);
    }
    solver.pop()?;
    Ok(found)
}

fn context() -> Context<'static> {
    Context::silent(Solvers::default())
}

/// A file of its own for each model.
fn written(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cubist-structure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The verdict in a word.
fn word<Proof, Run>(verdict: &Verdict<Proof, Run>) -> &'static str {
    match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The verdict with its reason.
fn reason<Proof, Run>(verdict: &Verdict<Proof, Run>) -> String {
    match verdict {
        Verdict::Unknown(unknown) => unknown.reason.to_string(),
        verdict => word(verdict).to_owned(),
    }
}

const MODEL: &str = "type P: scalarset(2);
var n: 0..5; up: boolean;
startstate begin n := 0; up := true; end;
rule \"up\" up & n < 3 ==> begin n := n + 1; end;
rule \"turn\" n = 3 ==> begin up := false; n := 0; end;
rule \"jump\" n = 2 & !up ==> begin n := 5; end;
invariant \"small\" n <= LIMIT;
";

fn model(limit: &str, engines: &[Row]) -> (&'static str, Option<&'static str>) {
    // All states are explored at once, too: a proof is wanted where an engine is named.
    let file = written(
        &format!("counter-{limit}.m"),
        &MODEL.replace("LIMIT", limit).replace("scalarset(2)", "1..2"),
    );
    let question = Question {
        file,
        engine: Some("enumeration"),
        ..Question::default()
    };
    let decided = decided(driver::check_by(&question, engines, &context()).unwrap());
    (word(&decided.verdict), decided.engine())
}

fn program(assertion: &str, engines: &[Row]) -> Answer<driver::program::Decided> {
    let text = format!(
        "extern void reach_error(void); int main(void) {{ int i = 0, s = 0; while (i < 5) {{ i++; s += 2; }}
         if (!({assertion})) reach_error(); return 0; }}"
    );
    let sources = c::preprocess::preprocessed("program.i", text, None);
    let unit = c::read(&sources, &c::Options::default()).unwrap();
    let question = driver::program::Question::new(&unit.program, &unit.sources, Undefinedness::Wraps);
    driver::program::check_by(&question, engines, &context()).unwrap()
}

fn decided<Decided>(answer: Answer<Decided>) -> Decided {
    match answer {
        Answer::Decided(decided) => *decided,
        Answer::Mistake(mistake) => panic!("{}", mistake.message),
    }
}

fn boolean_program(text: &str, engines: &[Row]) -> Answer<driver::boolean::Decided> {
    let (program, sources) = boolean::read(SourceFile::new("program.bp", text)).unwrap();
    let question = driver::boolean::Question {
        program: &program,
        sources: &sources,
        name: &|_| "assertion".to_owned(),
        about: Vec::new(),
        engine: None,
    };
    driver::boolean::check_by(&question, engines, &context()).unwrap()
}

const BOOLEAN: &str = "decl a, b; void main() begin a, b := F, F; while (*) do a, b := !a, !b; od; assert(a = b); end";

fn has_solvers() -> bool {
    !driver::solvers().is_empty()
}

#[test]
fn an_engine_is_one_file_and_one_row() {
    if !has_solvers() {
        return;
    }
    let safe = decided(program("s == 10 && i == 5", &ENUMERATION));
    let Verdict::Safe(proved) = &safe.verdict else {
        panic!("{}", reason(&safe.verdict));
    };
    assert_eq!(proved.account.engine, Some("enumeration"));
    assert_eq!(word(&decided(program("s == 9", &ENUMERATION)).verdict), "unsafe");
    let safe = decided(boolean_program(BOOLEAN, &ENUMERATION));
    assert_eq!(word(&safe.verdict), "safe");
    assert!(safe.certificate().is_some());
    assert_eq!(safe.engine(), "enumeration");
    let (verdict, engine) = model("3", &ENUMERATION);
    assert_eq!((verdict, engine), ("safe", Some("enumeration")));
}

/// A solver confirms what an engine claims. Where it refutes the claim, the engine is wrong: that is a mistake of ours,
/// whatever the subject.
#[test]
fn an_engine_that_lies_is_a_mistake() {
    if !has_solvers() {
        return;
    }
    let question = Question {
        file: written(
            "lie.m",
            &MODEL
                .replace("LIMIT", "3")
                .replace("invariant", "invariant \"odd\" n != 1 | up; invariant"),
        ),
        engine: Some("boasting"),
        ..Question::default()
    };
    expect_mistake(driver::check_by(&question, &BOASTING, &context()).unwrap());
    expect_mistake(program("s == 2 * i", &BOASTING));
    expect_mistake(boolean_program(BOOLEAN, &BOASTING));
}

fn expect_mistake<Decided>(answer: Answer<Decided>) {
    let Answer::Mistake(mistake) = answer else {
        panic!("the lie is not noticed");
    };
    assert_eq!(mistake.kind, MistakeKind::WrongProof);
    assert!(!mistake.sources.is_empty() && mistake.message.contains("boasting"));
}

/// A language of models: lines of `variable bound`, for counters that never exceed their bounds.
struct Counters;

impl Language for Counters {
    fn name(&self) -> &'static str {
        "Counters"
    }

    fn extension(&self) -> &'static str {
        "counters"
    }

    fn has_deadlocks(&self) -> bool {
        false
    }

    fn words(&self) -> &'static Words {
        murphi::Murphi.words()
    }

    fn read(&self, file: SourceFile, reading: &ReadOptions) -> Result<Box<dyn Model>, Rejected> {
        let counters: Vec<(&str, &str)> = file.text.lines().filter_map(|line| line.split_once(' ')).collect();
        let mut text = String::new();
        for (name, bound) in &counters {
            text += &format!("var {name}: 0..{bound};\nstartstate begin {name} := 0; end;\n");
            text += &format!("rule \"{name}\" {name} < {bound} ==> begin {name} := {name} + 1; end;\n");
            text += &format!("invariant \"{name}\" {name} <= {bound};\n");
        }
        murphi::Murphi.read(SourceFile::new(file.name.as_str(), text), reading)
    }
}

static COUNTERS: [FrontEnd; 1] = [FrontEnd::of_models(&Counters)];

#[test]
fn a_front_end_is_one_file_and_one_row() {
    let question = Question {
        front_ends: FrontEnds(&COUNTERS),
        file: written("two.counters", "x 3\n"),
        ..Question::default()
    };
    assert_eq!(FrontEnds(&COUNTERS).kind_of(&question.file), Kind::Model);
    assert_eq!(
        word(&decided(driver::check(&question, &context()).unwrap()).verdict),
        "safe"
    );
    let lowered = LoweredModel::read(&question, &Solvers::default().under(&Cancellation::new())).unwrap();
    assert!(lowered.properties.iter().any(|property| property.name == "x"));
}

/// The kinds of mistakes are the same for all subjects: see `step_check/tests.rs` for models, `program/tests.rs` for C,
/// `conformance/tests/attacks.rs` for components.
#[test]
fn bebop_that_lies_is_a_mistake() {
    if !has_solvers() {
        return;
    }
    static LYING: [Row; 1] = [Row {
        engine: &LyingBebop,
        start: Start::InTurn,
    }];
    let text = BOOLEAN.replace("a = b", "a != b");
    let Answer::Mistake(mistake) = boolean_program(&text, &LYING) else {
        panic!("the lie is not noticed");
    };
    assert_eq!(mistake.kind, MistakeKind::WrongProof);
    assert!(mistake.files.iter().any(|(name, _)| *name == "program.txt"));
}

/// Says that Bebop has proved what is not so.
struct LyingBebop;

impl Engine for LyingBebop {
    fn name(&self) -> &'static str {
        "lying"
    }

    fn summary(&self) -> &'static str {
        "Path edges that are none"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::BooleanProgram]
    }

    fn applies(&self, task: &Task) -> bool {
        matches!(task, Task::Boolean(_))
    }

    fn run(&self, _: &Task, _: &Blackboard) -> driver::Result<Claim> {
        Ok(Claim::PathEdges(Some(Vec::new()), driver::Account::default()))
    }
}
