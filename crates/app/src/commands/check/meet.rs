//! Before anything is called safe, what was proved is held against the states that the explorer reaches: a net for mistakes between the
//! source and the transition system. The budget is stated below, and the report says what was looked at.

use super::prove::Proof;
use super::refute::{self, Found};
use super::{SMALL, Task};
use crate::bench::measure::own_processor_time;
use crate::input::{Input, Model, TypeSize};
use explore::{
    Claim, Claims, Contradiction, Deadlock, Incomplete, Meeting, Options, Outcome, Silent, SimulateOptions, Verdict,
    Violation, ViolationKind,
};
use logic::Cancellation;
use logic::Function;
use std::time::{Duration, Instant};
use system::instance::Instance;

/// So many states of the declared instance are looked at, or all; and so many of each smaller one.
const STATES: u64 = 100_000;
const SMALLER_STATES: u64 = 20_000;
/// So many choices of rules and starts are tried on the way.
const CHOICES: u64 = 200_000;
/// So many states of random runs at each of two larger sizes, in so many runs of such a length at most.
const RANDOM_STATES: u64 = 5_000;
const RUNS: u64 = 60;
const LENGTH: u64 = 150;
/// How many elements more than declared the larger sizes have.
const LARGER: [i64; 2] = [1, 2];
/// A limit for each instance, where states or what was proved take very long to look at.
const TIME: Duration = Duration::from_secs(60);

/// The states that agree with the proof.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) instances: Vec<Met>,
    /// What could not be evaluated, by name.
    pub(crate) left_out: Vec<String>,
    pub(crate) time: Duration,
    /// Processor time, in seconds.
    pub(crate) processor: f64,
}

impl Agreement {
    pub(crate) fn states(&self) -> u64 {
        self.instances.iter().map(|met| met.states).sum()
    }
}

/// The states of one instance that agree with the proof.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) sizes: Vec<(String, i64)>,
    pub(crate) states: u64,
    pub(crate) extent: Extent,
    pub(crate) covered: Vec<(String, bool)>,
    /// `None` where it was not looked for.
    pub(crate) deadlock: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// All reachable states.
    All,
    /// Those nearest to the initial ones, or inside the windows of integers.
    Some,
    RandomRuns,
}

/// What comes of it.
pub(super) enum Verdicts {
    Agreed(Agreement),
    /// The explorer finds a run that the proof excludes, or an error that no proof is about.
    Violation(Box<Found>),
    /// An explored state contradicts what was proved: a mistake of Cubist.
    Contradiction(Box<Contradicted>),
    /// The time limit or Ctrl-C came first.
    Stopped,
}

/// What is kept of a contradiction.
pub(crate) struct Contradicted {
    pub(crate) sizes: Vec<(String, i64)>,
    pub(crate) claim: Claim,
    pub(crate) contradiction: Contradiction,
}

/// Everything that the proof says of reachable states.
fn claims(task: &Task, proof: &Proof) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut add = |name: &str, formula| {
        if claims.iter().all(|claim| claim.formula != formula) {
            let name = name.to_owned();
            claims.push(Claim { name, formula });
        }
    };
    let system = task.system;
    task.properties.iter().for_each(|p| add(&p.name, p.formula));
    let facts = proof.facts.iter().chain(&system.type_facts).chain(&system.axioms);
    facts.for_each(|fact| add(&fact.name, fact.formula));
    let further = task.further.iter().zip(&proof.further);
    further
        .filter(|(_, result)| result.holds())
        .for_each(|(property, _)| add(&property.name, property.formula));
    claims
}

/// Holds a proof against explored states.
pub(super) fn meet(task: &Task, proof: &Proof, cancellation: &Cancellation) -> Verdicts {
    let (started, processor) = (Instant::now(), own_processor_time());
    task.progress.phase("holding the proof against explored states", "");
    let claims = claims(task, proof);
    let orders: Vec<Function> = task.system.index_sorts.iter().filter_map(|sort| sort.order).collect();
    let mut net = Net {
        task,
        claims: &claims,
        orders: &orders,
        cancellation,
        agreement: Agreement::default(),
    };
    let is_over = || {
        let is_late = task.limits.time_left().is_some_and(|left| left.is_zero());
        is_late || cancellation.is_cancelled()
    };
    for (input, instance, look) in instances(task) {
        if let Some(verdict) = net.look(input, instance, look) {
            return verdict;
        }
        if is_over() {
            return Verdicts::Stopped;
        }
    }
    net.agreement.time = started.elapsed();
    net.agreement.processor = (own_processor_time() - processor).max(0.0);
    Verdicts::Agreed(net.agreement)
}

/// How an instance is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All its states, or so many.
    States(u64),
    RandomRuns,
}

/// The instances to look at.
fn instances<'t>(task: &'t Task) -> impl Iterator<Item = (Input, Instance, Look)> + 't {
    let declared = std::iter::once((0, None, Look::States(STATES)));
    let any_size = task.input.sizes.iter().any(TypeSize::is_any);
    let smaller = SMALL
        .into_iter()
        .map(|size| (0, Some(size), Look::States(SMALLER_STATES)));
    let larger = LARGER.into_iter().map(|more| (more, None, Look::RandomRuns));
    let others = smaller.chain(larger).filter(move |_| any_size);
    let mut seen: Vec<Vec<i64>> = Vec::new();
    declared.chain(others).filter_map(move |(more, most, look)| {
        let size = |ty: &TypeSize| most.map_or(ty.size, |most: i64| ty.size.min(most)).saturating_add(more);
        let sizes: Vec<i64> = task.input.sizes.iter().map(size).collect();
        if seen.contains(&sizes) {
            return None;
        }
        let (input, instance) = refute::with_sizes(task, size)?;
        let taken: Vec<i64> = input.sizes.iter().map(|ty| ty.size).collect();
        if seen.contains(&taken) {
            return None;
        }
        seen.extend([sizes, taken]);
        Some((input, instance, look))
    })
}

struct Net<'n> {
    task: &'n Task<'n>,
    claims: &'n [Claim],
    orders: &'n [Function],
    cancellation: &'n Cancellation,
    agreement: Agreement,
}

impl Net<'_> {
    /// Looks at the states of an instance; says so where that is the end.
    fn look(&mut self, input: Input, mut instance: Instance, look: Look) -> Option<Verdicts> {
        // Without the table nothing can be read in this instance.
        let correspondence = input.correspondence(&instance)?;
        refute::keep_asked_for(self.task, &mut instance, true);
        let left = self.task.limits.time_left().unwrap_or(TIME).min(TIME);
        let claims = Claims {
            claims: self.claims,
            correspondence: &correspondence,
            orders: self.orders,
            until: Some(Instant::now() + left),
        };
        let (outcome, meeting) = self.states(&input, &instance, claims, (left, look));
        let random = look == Look::RandomRuns;
        let sizes: Vec<(String, i64)> = input.sizes.iter().map(|ty| (ty.name.clone(), ty.size)).collect();
        let is_safety = |v: &&Violation| !matches!(v.kind, ViolationKind::Deadlock | ViolationKind::Uncovered { .. });
        if let Some(violation) = violations(&outcome).find(is_safety).cloned() {
            let outcome = Outcome {
                verdict: Verdict::Violation(Box::new(violation)),
                further: Vec::new(),
                statistics: outcome.statistics.clone(),
            };
            return Some(Verdicts::Violation(Box::new(Found {
                input,
                instance,
                outcome,
                beside: None,
            })));
        }
        if let Some(contradiction) = meeting.contradiction {
            let claim = self.claims[contradiction.claim].clone();
            return Some(Verdicts::Contradiction(Box::new(Contradicted {
                sizes,
                claim,
                contradiction,
            })));
        }
        for number in &meeting.left_out {
            let name = &self.claims[*number].name;
            if !self.agreement.left_out.contains(name) {
                self.agreement.left_out.push(name.clone());
            }
        }
        let found_deadlock = violations(&outcome).any(|violation| violation.kind == ViolationKind::Deadlock);
        let covered = outcome.statistics.covered.iter();
        self.agreement.instances.push(Met {
            sizes,
            states: meeting.states,
            extent: extent(&outcome, &meeting, random),
            covered: covered
                .map(|(property, reached)| (instance.properties[*property].name.clone(), *reached))
                .collect(),
            deadlock: (!random && is_murphi(&input)).then_some(found_deadlock),
        });
        None
    }

    fn states(
        &self,
        input: &Input,
        instance: &Instance,
        claims: Claims,
        (left, look): (Duration, Look),
    ) -> (Outcome, Meeting) {
        let Look::States(states) = look else {
            return self.random_runs(instance, claims);
        };
        // Elements of a type that has one size can be named in a proof, which is then not the same for all of them.
        let symmetry = input.sizes.iter().all(TypeSize::is_any);
        let options = Options {
            symmetry,
            max_states: Some(states),
            max_choices: Some(CHOICES),
            time_limit: Some(left),
            ..Options::default()
        };
        let met = self.search(input, instance, claims, &options);
        match &met.1.contradiction {
            // A rule that is not as symmetric as its types leads to states that only stand for others.
            Some(_) if symmetry => {
                let symmetry = false;
                self.search(input, instance, claims, &Options { symmetry, ..options })
            }
            _ => met,
        }
    }

    fn search(&self, input: &Input, instance: &Instance, claims: Claims, options: &Options) -> (Outcome, Meeting) {
        let options = Options {
            // As `explore` does. A deadlock is no violation here, so that the search goes on behind it.
            deadlock: if is_murphi(input) {
                Deadlock::Stuttering
            } else {
                Deadlock::Off
            },
            max_violations: 2,
            ..options.clone()
        };
        explore::explore_and_meet(instance, &options, claims, self.cancellation, &mut Silent)
    }

    fn random_runs(&self, instance: &Instance, claims: Claims) -> (Outcome, Meeting) {
        let options = SimulateOptions {
            runs: RUNS,
            length: LENGTH,
            seed: u64::from(self.task.arguments.seed),
            deadlock: Deadlock::Off,
        };
        let (simulation, meeting) = explore::simulate_and_meet(
            instance,
            &options,
            RANDOM_STATES,
            claims,
            self.cancellation,
            &mut Silent,
        );
        let statistics = explore::Statistics {
            states: meeting.states,
            rules_fired: simulation.steps,
            elapsed: simulation.elapsed,
            ..explore::Statistics::default()
        };
        let outcome = Outcome {
            verdict: match simulation.violation {
                Some(violation) => Verdict::Violation(Box::new(violation)),
                None => Verdict::Incomplete(Incomplete::StateLimit(RANDOM_STATES)),
            },
            further: Vec::new(),
            statistics,
        };
        (outcome, meeting)
    }
}

/// Everything that a search found wrong.
fn violations(outcome: &Outcome) -> impl Iterator<Item = &Violation> {
    let first = match &outcome.verdict {
        Verdict::Violation(first) => Some(&**first),
        _ => None,
    };
    first.into_iter().chain(&outcome.further)
}

fn extent(outcome: &Outcome, meeting: &Meeting, random: bool) -> Extent {
    match &outcome.verdict {
        _ if random => Extent::RandomRuns,
        // There is none to miss.
        Verdict::Incomplete(Incomplete::NoInitialState) => Extent::All,
        Verdict::Incomplete(_) => Extent::Some,
        _ if meeting.stopped || outcome.statistics.incomplete.is_some() => Extent::Some,
        _ => Extent::All,
    }
}

fn is_murphi(input: &Input) -> bool {
    matches!(input.model, Model::Murphi(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command};
    use crate::commands::check::{contradiction, properties};
    use crate::progress::ProofProgress;
    use crate::status::Status;
    use crate::supervise::{Control, Limits};
    use clap::Parser as _;
    use smt::Statistics;
    use std::sync::Arc;
    use system::transition::Fact;

    const MODEL: &str = "type P: scalarset(3);
var st: array [P] of boolean; n: 0..3;
startstate begin n := 0; for p: P do st[p] := false; end; end;
ruleset p: P do rule \"set\" !st[p] & n < 3 ==> begin st[p] := true; n := n + 1; end; end;
invariant \"few\" n <= 3;
";

    /// Holds a proof with one more fact against the states of the model.
    fn with_fact(name: &str, fact: fn(&system::TransitionSystem) -> logic::Term, look: impl FnOnce(&Task, &Proof)) {
        let path = std::env::temp_dir().join(format!("cubist-net-{name}-{}.m", std::process::id()));
        std::fs::write(&path, MODEL).unwrap();
        let file = path.display().to_string();
        let Command::Check(arguments) = Arguments::parse_from(["cubist", "check", &file, "-q"]).command else {
            panic!("not `check`");
        };
        let limits = Limits {
            started: Instant::now(),
            time: None,
            memory: None,
            counts_itself: false,
        };
        let control = Control::default();
        let input = Input::read(&arguments.reading).unwrap();
        let system = input.system().unwrap();
        let chosen = properties::chosen(&arguments, &input, &system).unwrap();
        let statistics = Arc::new(Statistics::default());
        let progress = ProofProgress::new(false, limits.started, &statistics);
        let task = Task {
            arguments: &arguments,
            input: &input,
            system: &system,
            properties: &chosen,
            further: &[],
            limits: &limits,
            control: &control,
            searching: &std::sync::atomic::AtomicBool::new(false),
            statistics,
            progress: &progress,
            drawing: None,
            folder: None,
        };
        let proof = Proof {
            facts: vec![Fact {
                name: name.to_owned(),
                formula: fact(&system),
                span: system::Span::default(),
            }],
            ..Proof::default()
        };
        look(&task, &proof);
        std::fs::remove_file(&path).unwrap();
    }

    fn less(system: &system::TransitionSystem, bound: i128) -> logic::Term {
        let n = system.state.iter().find(|symbol| symbol.display == "n").unwrap();
        logic::term::less(n.function.apply([]), logic::term::int(bound))
    }

    #[test]
    fn a_true_fact_agrees_with_all_states() {
        with_fact(
            "fine",
            |system| less(system, 4),
            |task, proof| {
                let Verdicts::Agreed(agreement) = meet(task, proof, &Cancellation::new()) else {
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
                // By symmetry so many of them are set.
                assert_eq!(agreement.instances[0].states, 4);
            },
        );
    }

    /// With two elements it is true, and with the three of the file it is not.
    #[test]
    fn a_false_fact_is_an_internal_error() {
        with_fact(
            "wrong",
            |system| less(system, 3),
            |task, proof| {
                let Verdicts::Contradiction(found) = meet(task, proof, &Cancellation::new()) else {
                    panic!("nobody notices");
                };
                assert_eq!(found.sizes, [("P".to_owned(), 3)]);
                assert_eq!(found.claim.name, "wrong");
                assert!(found.contradiction.state.contains(&"n = 3".to_owned()));
                assert_eq!(contradiction::report(task, proof, &found).unwrap(), Status::Internal);
                let kept = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
                let ours = format!("cubist-internal-error-{}-", std::process::id());
                let folder = kept
                    .map(|entry| entry.path())
                    .find(|path| path.display().to_string().contains(&ours));
                let folder = folder.unwrap();
                let contradiction = std::fs::read_to_string(folder.join("contradiction.txt")).unwrap();
                assert!(
                    contradiction.contains("n < 3") && contradiction.contains("n = 3"),
                    "{contradiction}"
                );
                assert!(
                    std::fs::read_to_string(folder.join("invariant.txt"))
                        .unwrap()
                        .contains("wrong: n < 3")
                );
                std::fs::remove_dir_all(folder).unwrap();
            },
        );
    }

    #[test]
    fn who_stops_it_gets_no_agreement() {
        with_fact(
            "stopped",
            |system| less(system, 4),
            |task, proof| {
                let cancelled = Cancellation::new();
                cancelled.cancel();
                assert!(matches!(meet(task, proof, &cancelled), Verdicts::Stopped));
            },
        );
    }
}
