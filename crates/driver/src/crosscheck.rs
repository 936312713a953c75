//! Before anything is called safe, what was proved is held against the states that the explorer reaches: a net for
//! mistakes between the source and the transition system. The budget is stated below, and the report says what was
//! looked at.
//!
//! Three kinds of states: those of the declared instance and of smaller ones, nearest to the start; those of instances
//! in which types have unequal sizes, since what a system says of one type in the place of another is true where both
//! have as many elements; and those of random runs at larger sizes. What no run reaches, [`behind`] looks at.

use crate::context::Context;
use crate::input::Input;
use crate::model::{LoweredModel, ModelTask, Question};
use crate::search::{self, SMALL, SearchedInstance};
use crate::step_check::{self, StepCheck, StepDisagreement};
use crate::verdict::Proved;
use explore::{
    Contradiction, CrosscheckInput, CrosscheckReport, Deadlock, Incomplete, ProvedFact, SearchOptions, SearchOutcome,
    SearchVerdict, SilentObserver, SimulateOptions,
};
use logic::{Function, Term};
use std::time::{Duration, Instant};
use system::frontend::TypeSize;
use system::instance::Instance;

/// This many states of the declared instance and of each smaller one are looked at, or all. With 100,000 the net took
/// a third of the time of some proofs, and two thirds of one (selection-sort.m).
const STATES: u64 = 20_000;
/// This many of each instance with unequal sizes, and this many instances at most: all pairs of three types.
const UNEQUAL_STATES: u64 = 1_000;
const UNEQUAL_CHOICES: u64 = 7_000;
const UNEQUAL: usize = 16;
/// This many of each where a formula is only tried.
const FEW: u64 = 2_000;
/// This many choices of rules and starts are tried on the way.
const CHOICES: u64 = 200_000;
/// This many states of random runs at each of two larger sizes, in at most this many runs of such a length.
const RANDOM_STATES: u64 = 5_000;
const RUNS: u64 = 60;
const LENGTH: u64 = 150;
/// How many elements more than declared the larger sizes have.
const LARGER: [i64; 2] = [1, 2];
/// A limit for each instance, where what was proved takes very long to look at: half a minute or so.
const OPERATIONS: u64 = 1_000_000_000;

/// The states that agree with the proof.
#[derive(Debug)]
#[non_exhaustive]
pub struct Agreement {
    pub instances: Vec<ExploredInstance>,
    /// What could not be evaluated, by name.
    pub left_out: Vec<String>,
    /// Steps from states that a solver found behind guards. None where there is no instance to make them in.
    pub step_check: Option<StepCheck>,
    pub time: Duration,
}

impl Agreement {
    pub fn states(&self) -> u64 {
        self.instances.iter().map(|met| met.states).sum()
    }
}

/// The states of one instance that agree with the proof.
#[derive(Clone, Debug)]
pub struct ExploredInstance {
    pub sizes: Vec<(String, i64)>,
    pub states: u64,
    pub extent: Extent,
    pub covered: Vec<(String, bool)>,
    /// `None` where it was not looked for.
    pub deadlock: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All reachable states.
    All,
    /// Those nearest to the initial ones, or inside the windows of integers.
    Some,
    RandomRuns,
}

impl ExploredInstance {
    /// What a search has seen.
    pub fn of(input: &Input, instance: &Instance, outcome: &SearchOutcome) -> ExploredInstance {
        let covered = outcome.statistics.covered.iter();
        ExploredInstance {
            sizes: sizes_of(input),
            states: outcome.statistics.states,
            extent: if outcome.is_safe() { Extent::All } else { Extent::Some },
            covered: covered
                .map(|(property, reached)| (instance.properties[*property].name.clone(), *reached))
                .collect(),
            deadlock: input.language().has_deadlocks().then(|| outcome.has_deadlock()),
        }
    }
}

pub(crate) fn sizes_of(input: &Input) -> Vec<(String, i64)> {
    input.sizes().iter().map(|ty| (ty.name.clone(), ty.size)).collect()
}

/// What comes of it.
pub(crate) enum CrosscheckOutcome {
    Agreed(Agreement),
    /// The explorer finds a run that the proof excludes, or an error that no proof is about.
    Violation(Box<SearchedInstance>),
    /// An explored state contradicts what was proved: a mistake of Cubist.
    Contradiction(Box<ContradictedFact>),
    /// The explorer makes a step that the system does not: a mistake of Cubist, too.
    Disagreement(Box<StepDisagreement>),
    /// The time limit or Ctrl-C came first.
    Stopped,
}

/// What is kept of a contradiction.
pub struct ContradictedFact {
    pub sizes: Vec<(String, i64)>,
    pub claim: ProvedFact,
    pub contradiction: Contradiction,
}

/// Everything that the proof says of reachable states.
fn claims(task: &ModelTask, proved: &Proved) -> Vec<ProvedFact> {
    let mut claims: Vec<ProvedFact> = Vec::new();
    let mut add = |name: &str, formula| {
        if claims.iter().all(|claim| claim.formula != formula) {
            let name = name.to_owned();
            claims.push(ProvedFact { name, formula });
        }
    };
    let (subject, system) = (task.subject, task.system());
    subject.properties.iter().for_each(|p| add(&p.name, p.formula));
    let facts = proved.facts.iter().chain(&system.type_facts).chain(&system.axioms);
    facts.for_each(|fact| add(&fact.name, fact.formula));
    let further = subject.further.iter().zip(&proved.further);
    further
        .filter(|(_, result)| result.holds())
        .for_each(|(property, _)| add(&property.name, property.formula));
    claims
}

/// Holds a proof against explored states.
pub(crate) fn crosscheck(task: &ModelTask, proved: &Proved) -> CrosscheckOutcome {
    let started = Instant::now();
    let mut agreement = match crosscheck_facts(task, &claims(task, proved), false) {
        CrosscheckOutcome::Agreed(agreement) => agreement,
        met => return met,
    };
    match step_check::check_steps(task) {
        Some(Err(disagreed)) => return CrosscheckOutcome::Disagreement(disagreed),
        Some(Ok(checked)) => agreement.step_check = Some(checked),
        None => {}
    }
    if task.context.stopped().is_some() {
        return CrosscheckOutcome::Stopped;
    }
    agreement.time = started.elapsed();
    CrosscheckOutcome::Agreed(agreement)
}

/// What explored states say of a formula.
pub enum FormulaTest {
    /// It holds in this many.
    Holds(u64),
    /// It does not hold in one of them.
    Fails,
    /// The model itself is wrong: a violation of what is to be proved.
    Violated(String),
    /// It cannot be evaluated, or something else ended the search.
    Unknown,
}

/// Whether a closed formula holds in explored states: in as many as a proof would be held against, or in a few.
pub fn test_formula(
    question: &Question,
    subject: &LoweredModel,
    formula: Term,
    few: bool,
    context: &Context,
) -> FormulaTest {
    let task = ModelTask {
        question,
        subject,
        context: context.clone(),
        folder: None,
    };
    let name = "formula".to_owned();
    match crosscheck_facts(&task, &[ProvedFact { name, formula }], few) {
        CrosscheckOutcome::Agreed(agreement) if agreement.left_out.is_empty() => FormulaTest::Holds(agreement.states()),
        CrosscheckOutcome::Contradiction(_) => FormulaTest::Fails,
        CrosscheckOutcome::Violation(found) => found.violation().map_or(FormulaTest::Unknown, |violation| {
            FormulaTest::Violated(violation.message.clone())
        }),
        CrosscheckOutcome::Agreed(_) | CrosscheckOutcome::Disagreement(_) | CrosscheckOutcome::Stopped => {
            FormulaTest::Unknown
        }
    }
}

fn crosscheck_facts(task: &ModelTask, claims: &[ProvedFact], few: bool) -> CrosscheckOutcome {
    let started = Instant::now();
    let sorts = &task.system().index_sorts;
    let orders: Vec<Function> = sorts.iter().filter_map(|sort| sort.order).collect();
    let mut net = Crosschecker {
        task,
        claims,
        orders: &orders,
        agreement: Agreement {
            instances: Vec::new(),
            left_out: Vec::new(),
            step_check: None,
            time: Duration::ZERO,
        },
    };
    for (input, instance, look) in instances(task).filter(|(_, _, look)| !few || *look != Look::RandomRuns) {
        let look = look.at_most(few.then_some(FEW));
        if let Some(met) = net.look(input, instance, look) {
            return met;
        }
        if task.context.stopped().is_some() {
            return CrosscheckOutcome::Stopped;
        }
    }
    net.agreement.time = started.elapsed();
    CrosscheckOutcome::Agreed(net.agreement)
}

/// How an instance is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All its states, or this many.
    States(u64),
    RandomRuns,
}

impl Look {
    fn at_most(self, most: Option<u64>) -> Look {
        match (self, most) {
            (Look::States(states), Some(most)) => Look::States(states.min(most)),
            (look, _) => look,
        }
    }
}

/// The instances to look at.
fn instances<'t>(task: &'t ModelTask) -> impl Iterator<Item = (Input, Instance, Look)> + 't {
    let types = task.sizes();
    let at = |size: &dyn Fn(&TypeSize) -> i64| types.iter().map(size).collect::<Vec<i64>>();
    let mut wanted = vec![(at(&|ty| ty.size), Look::States(STATES))];
    if task.subject.has_any_size() {
        let smaller = SMALL.map(|most| (at(&|ty| ty.size.min(most)), Look::States(STATES)));
        let unequal = unequal(types)
            .into_iter()
            .map(|sizes| (sizes, Look::States(UNEQUAL_STATES)));
        let larger = LARGER.map(|more| (at(&|ty| ty.size.saturating_add(more)), Look::RandomRuns));
        wanted.extend(smaller.into_iter().chain(unequal).chain(larger));
    }
    let mut seen: Vec<Vec<i64>> = Vec::new();
    wanted.into_iter().filter_map(move |(sizes, look)| {
        if seen.contains(&sizes) {
            return None;
        }
        let size = |ty: &TypeSize| {
            let number = types.iter().position(|other| other.name == ty.name);
            number.map_or(ty.size, |number| sizes[number])
        };
        let (input, instance) = task.instances().with_sizes(size)?;
        let taken: Vec<i64> = input.sizes().iter().map(|ty| ty.size).collect();
        if seen.contains(&taken) {
            return None;
        }
        seen.extend([sizes, taken]);
        Some((input, instance, look))
    })
}

/// Of two types of any size one has a single element and the other three, and any further ones two; and each type has
/// three where all others have one, and one where they have three.
pub(crate) fn unequal(types: &[TypeSize]) -> Vec<Vec<i64>> {
    let any: Vec<usize> = (0..types.len()).filter(|number| types[*number].is_any()).collect();
    let mut sizes: Vec<Vec<i64>> = Vec::new();
    let mut add = |size: &dyn Fn(usize) -> i64| {
        let of = |number: usize| {
            if types[number].is_any() {
                size(number)
            } else {
                types[number].size
            }
        };
        sizes.push((0..types.len()).map(of).collect());
    };
    if any.len() > 1 {
        for one in &any {
            add(&|number| if number == *one { 3 } else { 1 });
            add(&|number| if number == *one { 1 } else { 3 });
        }
        for few in &any {
            for many in any.iter().filter(|many| *many != few) {
                add(&|number| match number {
                    _ if number == *few => 1,
                    _ if number == *many => 3,
                    _ => 2,
                });
            }
        }
    }
    sizes.truncate(UNEQUAL);
    sizes
}

struct Crosschecker<'n> {
    task: &'n ModelTask<'n>,
    claims: &'n [ProvedFact],
    orders: &'n [Function],
    agreement: Agreement,
}

impl Crosschecker<'_> {
    /// Looks at the states of an instance; says so where that is the end.
    fn look(&mut self, input: Input, mut instance: Instance, look: Look) -> Option<CrosscheckOutcome> {
        // Without the table nothing can be read in this instance.
        let correspondence = input.model.correspondence(&instance)?;
        self.task.instances().keep_asked_for(&mut instance, true);
        let claims = CrosscheckInput {
            facts: self.claims,
            correspondence: &correspondence,
            orders: self.orders,
            max_operations: Some(OPERATIONS),
        };
        let (outcome, meeting) = self.states(&input, &instance, claims, look);
        let random = look == Look::RandomRuns;
        if outcome.unsafe_violation().is_some() {
            return Some(CrosscheckOutcome::Violation(Box::new(SearchedInstance::new(
                input, instance, outcome,
            ))));
        }
        if let Some(contradiction) = meeting.contradiction {
            let claim = self.claims[contradiction.fact].clone();
            return Some(CrosscheckOutcome::Contradiction(Box::new(ContradictedFact {
                sizes: sizes_of(&input),
                claim,
                contradiction,
            })));
        }
        for number in &meeting.skipped {
            let name = &self.claims[*number].name;
            if !self.agreement.left_out.contains(name) {
                self.agreement.left_out.push(name.clone());
            }
        }
        let explored = ExploredInstance::of(&input, &instance, &outcome);
        self.agreement.instances.push(ExploredInstance {
            states: meeting.states,
            extent: extent(&outcome, &meeting, random),
            // Random runs do not look for it.
            deadlock: explored.deadlock.filter(|_| !random),
            ..explored
        });
        None
    }

    fn states(
        &self,
        input: &Input,
        instance: &Instance,
        claims: CrosscheckInput,
        look: Look,
    ) -> (SearchOutcome, CrosscheckReport) {
        let Look::States(states) = look else {
            return self.random_runs(instance, claims);
        };
        // Elements of a type that has one size can be named in a proof, which is then not the same for all of them.
        let symmetry = input.sizes().iter().all(TypeSize::is_any);
        let options = SearchOptions {
            symmetry,
            max_states: Some(states),
            max_choices: Some(if states == UNEQUAL_STATES {
                UNEQUAL_CHOICES
            } else {
                CHOICES
            }),
            ..SearchOptions::default()
        };
        let met = self.search(input, instance, claims, &options);
        match &met.1.contradiction {
            // A rule that is not as symmetric as its types leads to states that only stand for others.
            Some(_) if symmetry => {
                let symmetry = false;
                self.search(input, instance, claims, &SearchOptions { symmetry, ..options })
            }
            _ => met,
        }
    }

    fn search(
        &self,
        input: &Input,
        instance: &Instance,
        claims: CrosscheckInput,
        options: &SearchOptions,
    ) -> (SearchOutcome, CrosscheckReport) {
        let options = SearchOptions {
            deadlock: search::deadlock(input),
            deadlocks_count: false,
            ..options.clone()
        };
        explore::explore_and_crosscheck(
            instance,
            &options,
            claims,
            self.task.context.cancellation(),
            &mut SilentObserver,
        )
    }

    fn random_runs(&self, instance: &Instance, claims: CrosscheckInput) -> (SearchOutcome, CrosscheckReport) {
        let options = SimulateOptions {
            runs: RUNS,
            length: LENGTH,
            seed: u64::from(0u32),
            deadlock: Deadlock::Off,
        };
        let (simulation, meeting) = explore::simulate_and_crosscheck(
            instance,
            &options,
            RANDOM_STATES,
            claims,
            self.task.context.cancellation(),
            &mut SilentObserver,
        );
        let statistics = explore::SearchStatistics {
            states: meeting.states,
            rules_fired: simulation.steps,
            elapsed: simulation.elapsed,
            ..explore::SearchStatistics::default()
        };
        let outcome = SearchOutcome {
            verdict: match simulation.violation {
                Some(violation) => SearchVerdict::Violation(Box::new(violation)),
                None => SearchVerdict::Incomplete(Incomplete::StateLimit(RANDOM_STATES)),
            },
            further: Vec::new(),
            statistics,
        };
        (outcome, meeting)
    }
}

fn extent(outcome: &SearchOutcome, meeting: &CrosscheckReport, random: bool) -> Extent {
    match &outcome.verdict {
        _ if random => Extent::RandomRuns,
        // There is none to miss.
        SearchVerdict::Incomplete(Incomplete::NoInitialState) => Extent::All,
        SearchVerdict::Incomplete(_) => Extent::Some,
        _ if meeting.stopped || outcome.statistics.incomplete.is_some() => Extent::Some,
        _ => Extent::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::model::{LoweredModel, Question};
    use logic::Term;
    use smt::Solvers;
    use system::TransitionSystem;

    const MODEL: &str = "type P: scalarset(3);
var st: array [P] of boolean; n: 0..3;
startstate begin n := 0; for p: P do st[p] := false; end; end;
ruleset p: P do rule \"set\" !st[p] & n < 3 ==> begin st[p] := true; n := n + 1; end; end;
invariant \"few\" n <= 3;
";

    /// Two types, and numbers that count them.
    const COUNTS: &str = "type P: scalarset(2); Q: scalarset(2);
var n: integer; m: integer; done: boolean;
startstate begin n := 0; m := 0; done := false; end;
rule \"count\" !done ==> begin
  for i: P do n := n + 1; end; for i: Q do m := m + 1; end; done := true;
end;
";

    /// Holds a claim against the states of the model.
    fn met(name: &str, claim: fn(&TransitionSystem) -> Term, solvers: Solvers) -> CrosscheckOutcome {
        met_in(MODEL, name, claim, solvers)
    }

    fn met_in(model: &str, name: &str, claim: fn(&TransitionSystem) -> Term, solvers: Solvers) -> CrosscheckOutcome {
        let file = std::env::temp_dir().join(format!("cubist-net-{name}-{}.m", std::process::id()));
        std::fs::write(&file, model).unwrap();
        let question = Question {
            file: file.clone(),
            ..Question::default()
        };
        let subject = LoweredModel::of(Input::read(&file, &question.reading).unwrap()).unwrap();
        let task = ModelTask {
            question: &question,
            subject: &subject,
            context: Context::silent(solvers),
            folder: None,
        };
        let (name, formula) = (name.to_owned(), claim(&subject.system));
        let met = crosscheck_facts(&task, &[ProvedFact { name, formula }], false);
        std::fs::remove_file(&file).unwrap();
        met
    }

    fn number(system: &TransitionSystem, name: &str) -> Term {
        let symbol = system.state.iter().find(|symbol| symbol.display == name).unwrap();
        symbol.function.apply([])
    }

    fn less(system: &TransitionSystem, bound: i128) -> Term {
        logic::term::less(number(system, "n"), logic::term::int(bound))
    }

    /// What a proof would say if both counts had one symbol: true wherever both types have as many elements.
    #[test]
    fn what_holds_at_equal_sizes_only_is_a_contradiction() {
        let same = |system: &TransitionSystem| logic::term::equal(number(system, "n"), number(system, "m"));
        let CrosscheckOutcome::Contradiction(found) = met_in(COUNTS, "equal", same, Solvers::default()) else {
            panic!("nobody notices");
        };
        assert_ne!(found.sizes[0].1, found.sizes[1].1);
        let none = |system: &TransitionSystem| logic::term::less_equal(logic::term::int(0), number(system, "m"));
        assert!(matches!(
            met_in(COUNTS, "none", none, Solvers::default()),
            CrosscheckOutcome::Agreed(_)
        ));
    }

    #[test]
    fn a_true_fact_agrees_with_all_states() {
        let CrosscheckOutcome::Agreed(agreement) = met("fine", |system| less(system, 4), Solvers::default()) else {
            panic!("no agreement");
        };
        let extents: Vec<(i64, Extent)> = agreement
            .instances
            .iter()
            .map(|met| (met.sizes[0].1, met.extent))
            .collect();
        let expected = [
            (3, Extent::All),
            (2, Extent::All),
            (1, Extent::All),
            (4, Extent::RandomRuns),
            (5, Extent::RandomRuns),
        ];
        assert_eq!(extents, expected);
        // By symmetry only how many of them are set counts.
        assert_eq!(agreement.instances[0].states, 4);
    }

    /// With two elements it is true, and with the three of the file it is not.
    #[test]
    fn a_false_fact_is_a_contradiction() {
        let CrosscheckOutcome::Contradiction(found) = met("wrong", |system| less(system, 3), Solvers::default()) else {
            panic!("nobody notices");
        };
        assert_eq!(found.sizes, [("P".to_owned(), 3)]);
        assert_eq!(found.claim.name, "wrong");
        assert!(found.contradiction.state.contains(&"n = 3".to_owned()));
    }

    #[test]
    fn who_stops_it_gets_no_agreement() {
        let solvers = Solvers::default();
        solvers.cancellation().cancel();
        assert!(matches!(
            met("stopped", |system| less(system, 4), solvers),
            CrosscheckOutcome::Stopped
        ));
    }
}
