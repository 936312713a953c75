//! Compares a finite instance with the lowered transition system, state by state.
//!
//! A front end derives both from one model, independently: a proof about the system is worth something only if they
//! agree. In every reachable state of the instance, for every rule and its parameters:
//! - the rule is enabled in both or in neither;
//! - each successor in the instance is one in the system, for some values of the choices of the system's rule;
//! - if the rule has no choices, the system has no other successor;
//! - each fault of the instance is a violated assertion of the system, in a rule whose guard holds there, for some
//!   values of its choices; without a fault, no assertion is violated;
//! - each property has the same truth value in both, and a fault while evaluating one is a violation;
//! - the axioms and type facts hold.
//!
//! The system has no priorities, so each rule is compared in every state in which it could fire by itself; the search
//! only continues from its successors if no rule with a smaller number is enabled.
//!
//! A slot that is undefined in the instance is arbitrary in the system, where any value agrees.

mod search;
mod steps;
mod world;

use crate::fault::FaultKind;
use crate::lists::Lists;
use crate::packing::Layout;
use crate::program::{Program, Unit};
use crate::worker::{Attempt, SearchContext, Worker};
use logic::evaluate::Evaluator;
use logic::{Environment, Function, Interpretation, Value, evaluate, holds};
use search::{Budget, Found, Goal, search};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;
pub use steps::{ChosenState, StepsReport, check_steps};
use system::TransitionSystem;
use system::correspondence::{Correspondence, RuleMatch};
use system::instance::Instance;
use system::transition::Rule;
use world::World;

/// Statistics of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgreementReport {
    pub states: usize,
    pub firings: usize,
    pub successors: usize,
    pub faults: usize,
    /// Inconclusive comparisons: too many choices, a value beyond a window, or an undefined one.
    pub silent: usize,
    /// False if the limit was reached before the last state.
    pub complete: bool,
}

/// The kind of a disagreement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Difference {
    /// A rule is enabled in the system only.
    Enabled,
    /// The instance fails with a fault, the system does not.
    MissedFault,
    /// The system fails an assertion, the instance has no fault.
    AddedFault,
    /// The guard of a rule is false in the system and true in the instance.
    Guard,
    /// A successor of the instance is no successor in the system.
    Successor,
    /// A property has different truth values.
    Property,
    /// A fault in a property or global assumption that the system does not report.
    Evaluation,
    /// An axiom or type fact is false.
    Fact,
}

/// A disagreement between instance and system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    pub kind: Difference,
    /// The rule with its parameters, or the property.
    pub at: String,
    /// One sentence without a full stop.
    pub what: String,
    /// The state of the instance, one `name = value` for each slot.
    pub state: Vec<String>,
    /// Whether the instance has behaviour that the system lacks, so that a proof may miss it. Otherwise the system
    /// merely over-approximates.
    pub hides: bool,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.at, self.what)?;
        self.state.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// Compares all reachable states of the instance, or the first `limit` of them.
pub fn check_agreement(
    instance: &Instance,
    system: &TransitionSystem,
    correspondence: &Correspondence,
    limit: usize,
) -> Result<AgreementReport, Disagreement> {
    let Some(context) = search_context(instance) else {
        return Ok(AgreementReport::default());
    };
    let mut comparison = Comparison::new(&context, system, correspondence, limit);
    comparison.run(limit)?;
    Ok(comparison.report)
}

/// `None` if the instance has too many rule instances to number.
fn search_context(instance: &Instance) -> Option<SearchContext<'_>> {
    let layout = Layout::new(instance, true);
    let program = Program::new(instance, &layout).ok()?;
    Some(SearchContext {
        program,
        layout,
        lists: Lists::default(),
        symmetry: None,
        max_list_length: Some(6),
    })
}

/// The maximum number of successors of one firing that are compared.
const BRANCHES: usize = 200;

/// The budget of goals in the search for choices, and its increment for each state.
const GOALS: usize = 6_000;
const GOALS_OF_STATE: usize = 100;

struct Comparison<'c> {
    system: &'c TransitionSystem,
    correspondence: &'c Correspondence,
    context: &'c SearchContext<'c>,
    worker: Worker<'c>,
    seen: HashSet<Vec<i64>>,
    queue: VecDeque<Vec<i64>>,
    budget: Budget,
    report: AgreementReport,
}

/// What a rule of the instance does in one state, over all its choices.
#[derive(Default)]
struct Behaviour {
    successors: Vec<Vec<i64>>,
    faults: Vec<FaultKind>,
    /// Whether a window was left or the limit of successors was reached.
    cut: bool,
}

/// A rule or start of the instance in one state, with its counterpart in the system.
struct Firing<'f> {
    unit: &'f Unit,
    within: u32,
    /// `None` for a start.
    state: Option<&'f [i64]>,
    matching: &'f RuleMatch,
    rule: &'f Rule,
    /// Whether a rule with a smaller number is enabled, so that the instance does not fire this one.
    waits: bool,
}

/// Whether the fault is a limit of the explorer itself.
fn is_limit(fault: FaultKind) -> bool {
    matches!(
        fault,
        FaultKind::Overflow | FaultKind::LoopLimit | FaultKind::RecursionLimit | FaultKind::Malformed
    )
}

impl<'c> Comparison<'c> {
    /// Limits, and reads of undefined values if these are arbitrary in the system.
    fn is_ignored(&self, fault: FaultKind) -> bool {
        is_limit(fault) || (fault == FaultKind::UndefinedRead && !self.correspondence.asserts_reads)
    }

    fn new(
        context: &'c SearchContext<'c>,
        system: &'c TransitionSystem,
        correspondence: &'c Correspondence,
        limit: usize,
    ) -> Comparison<'c> {
        Comparison {
            system,
            correspondence,
            context,
            worker: Worker::new(context),
            seen: HashSet::new(),
            queue: VecDeque::new(),
            budget: Budget::new(GOALS + limit * GOALS_OF_STATE),
            report: AgreementReport {
                complete: true,
                ..AgreementReport::default()
            },
        }
    }

    /// Compares the states that starts produce, up to this many instances of each.
    fn starts(&mut self, limit: u32) -> Result<(), Disagreement> {
        let context = self.context;
        let (correspondence, system) = (self.correspondence, self.system);
        for unit in &context.program.starts {
            let matching = &correspondence.starts[unit.source];
            let rule = &system.starts[matching.rule];
            for within in 0..unit.count.min(limit) {
                self.worker.clear();
                let behaviour = self.behaviour(unit, within, true);
                let firing = Firing {
                    unit,
                    within,
                    state: None,
                    matching,
                    rule,
                    waits: false,
                };
                self.compare(&firing, behaviour)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, limit: usize) -> Result<(), Disagreement> {
        let context = self.context;
        let (correspondence, system) = (self.correspondence, self.system);
        self.starts(u32::MAX)?;
        while let Some(state) = self.queue.pop_front() {
            if self.report.states >= limit {
                self.report.complete = false;
                break;
            }
            self.report.states += 1;
            self.facts(&state)?;
            self.properties(&state)?;
            self.worker.load_state(&state);
            let level = self.worker.level;
            for unit in &context.program.rules {
                let matching = &correspondence.rules[unit.source];
                let rule = &system.rules[matching.rule];
                for within in 0..unit.count {
                    self.worker.load_state(&state);
                    let behaviour = self.behaviour(unit, within, false);
                    let firing = Firing {
                        unit,
                        within,
                        state: Some(&state),
                        matching,
                        rule,
                        waits: unit.priority > level,
                    };
                    self.compare(&firing, behaviour)?;
                }
            }
        }
        Ok(())
    }

    fn behaviour(&mut self, unit: &Unit, within: u32, start: bool) -> Behaviour {
        let mut behaviour = Behaviour::default();
        if !start && !unit.traits.impure_guard {
            match self.worker.enabled(unit, within, true) {
                Ok(true) => {}
                Err(Attempt::Fault(fault)) => {
                    behaviour.faults.push(fault.kind);
                    return behaviour;
                }
                Ok(false) => return behaviour,
                Err(_) => {
                    behaviour.cut = true;
                    return behaviour;
                }
            }
        }
        self.worker.machine.forget_choices();
        for branches in 1.. {
            match self.worker.fire(unit, within, start) {
                Attempt::Successor => {
                    self.worker.settle();
                    behaviour.successors.push(self.worker.state().to_vec());
                }
                Attempt::Fault(fault) => behaviour.faults.push(fault.kind),
                Attempt::Cut => behaviour.cut = true,
                Attempt::Disabled | Attempt::Dropped => {}
            }
            self.worker.restore_all();
            let more = self.worker.machine.next_choices();
            if !more || branches >= BRANCHES {
                behaviour.cut |= more;
                self.report.complete &= !more;
                break;
            }
        }
        behaviour
    }

    fn compare(&mut self, firing: &Firing, mut behaviour: Behaviour) -> Result<(), Disagreement> {
        self.report.firings += 1;
        self.report.faults += usize::from(!behaviour.faults.is_empty());
        self.report.silent += usize::from(behaviour.cut);
        for successor in std::mem::take(&mut behaviour.successors) {
            self.worker.load_state(&successor);
            match self.worker.assumptions_hold() {
                Ok(true) => behaviour.successors.push(successor),
                Ok(false) => {}
                // The system reports this fault for the rule itself.
                Err(Some(kind)) => behaviour.faults.push(kind),
                Err(None) => behaviour.cut = true,
            }
        }
        // The post-state of the last step is the pre-state of this one.
        firing.state.iter().for_each(|state| self.worker.load_state(state));
        self.faults(firing, &behaviour)?;
        if behaviour.successors.is_empty() && behaviour.faults.is_empty() && !behaviour.cut {
            self.disabled(firing)?;
        }
        for successor in &behaviour.successors {
            self.successor(firing, successor)?;
        }
        for successor in behaviour.successors {
            self.report.successors += 1;
            if !firing.waits && self.seen.insert(successor.clone()) {
                self.queue.push_back(successor);
            }
        }
        Ok(())
    }

    fn world(&self, firing: &Firing) -> (World<'_>, Environment) {
        let world = World::new(self.context, self.system, self.correspondence, firing.state);
        let environment = self.environment(firing, &world);
        (world, environment)
    }

    fn disagreement(&self, firing: &Firing, kind: Difference, what: impl Into<String>) -> Disagreement {
        let program = &self.context.program;
        let start = firing.state.is_none();
        Disagreement {
            kind,
            at: program
                .firing(firing.unit, firing.within, start, Vec::new())
                .to_string(),
            what: what.into(),
            state: self.describe(firing.state.unwrap_or_default()),
            hides: !matches!(kind, Difference::Enabled | Difference::AddedFault),
        }
    }

    /// The counterpart of the rule, and the rules that assert what must not go wrong in it.
    fn rules<'r>(&'r self, firing: &Firing<'r>) -> impl Iterator<Item = &'r Rule> {
        let errors = firing.matching.errors.iter().map(|error| &self.system.rules[*error]);
        errors.chain([firing.rule])
    }

    /// Whether some assertion of the system is violated here, for some choices.
    fn system_stops(&self, firing: &Firing) -> Found {
        let (world, environment) = self.world(firing);
        let mut evaluator = Evaluator::new(&environment, &world);
        let mut unknown = false;
        let mut why = "none is violated".to_owned();
        for rule in self.rules(firing) {
            for assertion in &rule.assertions {
                // For all choices.
                if evaluator.evaluate(assertion.condition) == Ok(Value::Bool(true)) {
                    unknown |= world.unknown.get();
                    continue;
                }
                let name = format!("the assertion \"{}\"", assertion.message);
                let goals = [
                    Goal::is(&name, assertion.condition, false),
                    Goal::truth("the guard", rule.guard),
                ];
                match search(&goals, &environment, &world.clone(), &rule.choices, &self.budget) {
                    Found::Yes => return Found::Yes,
                    Found::No { why: here, unknown: at } => {
                        unknown |= at;
                        // A violated assertion under a false guard is the interesting case.
                        if here.starts_with("the guard") {
                            why = format!("{name} is violated, but {here}");
                        }
                    }
                    Found::Unknown => unknown = true,
                }
            }
        }
        if unknown {
            Found::Unknown
        } else {
            Found::No { why, unknown }
        }
    }

    /// Each fault must be a violated assertion. Without a fault there must be none, which can only be checked for rules
    /// without choices.
    fn faults(&mut self, firing: &Firing, behaviour: &Behaviour) -> Result<(), Disagreement> {
        if let Some(kind) = behaviour.faults.iter().find(|kind| !self.is_ignored(**kind)) {
            match self.system_stops(firing) {
                Found::Yes => {}
                Found::Unknown => self.report.silent += 1,
                Found::No { why, .. } => {
                    let what = format!("the instance stops with a fault ({kind:?}), the system does not: {why}");
                    return Err(self.disagreement(firing, Difference::MissedFault, what));
                }
            }
            return Ok(());
        }
        let chooses = self.rules(firing).any(|rule| !rule.choices.is_empty());
        if !chooses && behaviour.faults.is_empty() && !behaviour.cut && matches!(self.system_stops(firing), Found::Yes)
        {
            let (world, _) = self.world(firing);
            let (what, kind) = (
                "the system stops with an error, the instance does not",
                Difference::AddedFault,
            );
            // An error that depends on an undefined value need not occur in the instance.
            if world.is_complete(self.correspondence) {
                return Err(self.disagreement(firing, kind, what));
            }
        }
        Ok(())
    }

    /// The rule is disabled in the instance.
    fn disabled(&mut self, firing: &Firing) -> Result<(), Disagreement> {
        let (world, environment) = self.world(firing);
        let rule = firing.rule;
        // With choices, the guard also restricts their values, and the system may permit more of them.
        let enabled = rule.choices.is_empty() && holds(rule.guard, &environment, &world) == Ok(true);
        if enabled && !world.unknown.get() && firing.state.is_some() {
            return Err(self.disagreement(firing, Difference::Enabled, "the rule is enabled in the system only"));
        }
        Ok(())
    }

    fn successor(&mut self, firing: &Firing, successor: &[i64]) -> Result<(), Disagreement> {
        let (world, environment) = self.world(firing);
        // A start has no pre-state, but rigid symbols already have their values.
        let start = firing.state.is_none();
        let world = if start { self.rigid_world(successor) } else { world };
        if let Some(what) = self.different_multiset(firing.rule, successor, &environment, &world) {
            return Err(self.disagreement(firing, Difference::Successor, what));
        }
        let goals = self.goals(firing.rule, successor, start);
        match search(&goals, &environment, &world, &firing.rule.choices, &self.budget) {
            Found::Yes => {}
            Found::Unknown => self.report.silent += 1,
            Found::No { why, .. } => {
                let kind = match why.as_str() {
                    guard if guard.starts_with("the guard") => Difference::Guard,
                    assertion if assertion.starts_with("the assertion") => Difference::AddedFault,
                    _ => Difference::Successor,
                };
                let after = self.describe(successor).join("\n");
                let what = format!("{why} after the rule; the instance has:\n{after}");
                return Err(self.disagreement(firing, kind, what));
            }
        }
        Ok(())
    }

    /// Checks axioms and type facts.
    fn facts(&mut self, state: &[i64]) -> Result<(), Disagreement> {
        let world = World::new(self.context, self.system, self.correspondence, Some(state));
        for fact in self.system.axioms.iter().chain(&self.system.type_facts) {
            world.unknown.set(false);
            let value = holds(fact.formula, &Environment::new(), &world);
            // The instance says nothing about irrelevant components, such as the payload of another case of a union.
            if value == Ok(false) && !world.unknown.get() {
                return Err(Disagreement {
                    kind: Difference::Fact,
                    at: format!("\"{}\"", fact.name),
                    what: "the system says that it holds, the instance that it does not".to_owned(),
                    state: self.describe(state),
                    hides: true,
                });
            }
        }
        Ok(())
    }

    /// Compares the truth of each property; the system must report one that cannot be evaluated as violated.
    fn properties(&mut self, state: &[i64]) -> Result<(), Disagreement> {
        let context = self.context;
        let mut expected: BTreeMap<usize, (bool, Difference)> = BTreeMap::new();
        for unit in &context.program.invariants {
            self.worker.load_state(state);
            let (value, kind) = match self.worker.truth(unit) {
                Ok(value) => (value, Difference::Property),
                Err(Some(kind)) if !self.is_ignored(kind) => (false, Difference::Evaluation),
                Err(_) => {
                    // Inconclusive, regardless of other instances of the property.
                    self.report.silent += 1;
                    expected.remove(&unit.source);
                    continue;
                }
            };
            let of_property = expected.entry(unit.source).or_insert((true, Difference::Property));
            if !value {
                *of_property = (false, kind);
            }
        }
        let world = World::new(self.context, self.system, self.correspondence, Some(state));
        for (number, (expected, kind)) in expected {
            let matching = self.correspondence.properties.get(number).copied().flatten();
            let Some(property) = matching.and_then(|p| self.system.properties.get(p)) else {
                continue;
            };
            // The choices and missing results of its functions may be anything.
            let known = |function: &Function| {
                let mut symbols = self.system.state.iter().chain(&self.system.rigid);
                symbols.any(|symbol| symbol.function == *function)
            };
            let functions = logic::substitute::functions_of(property.formula).into_iter();
            let free: Vec<Function> = functions.filter(|function| !known(function)).collect();
            world.unknown.set(false);
            let value = if free.is_empty() {
                holds(property.formula, &Environment::new(), &world).map_err(|error| error.to_string())
            } else {
                let other = [Goal::is("the property", property.formula, !expected)];
                match search(&other, &Environment::new(), &world.clone(), &free, &self.budget) {
                    Found::Yes => Err("that it depends on a choice".to_owned()),
                    Found::No { .. } | Found::Unknown => continue,
                }
            };
            if value != Ok(expected) && !world.unknown.get() {
                return Err(Disagreement {
                    kind,
                    at: format!("property \"{}\"", property.name),
                    what: format!("the system says {value:?}, the instance {expected}"),
                    state: self.describe(state),
                    hides: !expected,
                });
            }
        }
        Ok(())
    }

    fn rigid_world(&self, state: &[i64]) -> World<'_> {
        let mut world = World::new(self.context, self.system, self.correspondence, Some(state));
        let changing: HashSet<Function> = self.system.state.iter().map(|symbol| symbol.function).collect();
        world.values.retain(|(function, _), _| !changing.contains(function));
        world
    }

    fn environment(&self, firing: &Firing, world: &World) -> Environment {
        let start = firing.state.is_none();
        let of_instance = self
            .context
            .program
            .firing(firing.unit, firing.within, start, Vec::new());
        let values: Vec<i64> = of_instance.parameters.iter().map(|p| p.value).collect();
        let mut environment = Environment::new();
        for (variable, (position, reading)) in firing.rule.parameters.iter().zip(&firing.matching.parameters) {
            let number = values.get(*position).copied().unwrap_or_default();
            let value = reading.value(number, &|list| self.context.lists.elements(list));
            environment.bind(*variable, value.unwrap_or_else(|| world.default_of(variable.sort)));
        }
        environment
    }

    /// What must hold for the system's rule to produce this successor.
    fn goals(&self, rule: &Rule, successor: &[i64], start: bool) -> Vec<Goal> {
        let mut goals = Vec::new();
        let lists = |list| self.context.lists.elements(list);
        let updates: BTreeMap<Function, _> = rule.updates.iter().map(|u| (u.function, u)).collect();
        for entry in self
            .correspondence
            .entries
            .iter()
            .filter(|entry| self.element(entry.slot).is_none())
        {
            let Some(wanted) = entry.reading.value(successor[entry.slot], &lists) else {
                continue;
            };
            match updates.get(&entry.function) {
                Some(update) => goals.push(Goal {
                    name: format!("{:?}({:?})", entry.function, entry.arguments),
                    term: update.value,
                    bindings: update
                        .parameters
                        .iter()
                        .copied()
                        .zip(entry.arguments.iter().cloned())
                        .collect(),
                    wanted,
                }),
                // Without an update, a start leaves a function arbitrary and a rule leaves it unchanged.
                None if start => {}
                None => {
                    let before = entry.reading.value(self.worker.state()[entry.slot], &lists);
                    let unchanged = before == Some(wanted);
                    let name = format!("{:?}({:?}) unchanged", entry.function, entry.arguments);
                    goals.push(Goal::truth(&name, logic::term::bool(unchanged)));
                }
            }
        }
        goals.push(Goal::truth("the guard", rule.guard));
        goals.extend(
            rule.assertions
                .iter()
                .map(|a| Goal::truth(&format!("the assertion \"{}\"", a.message), a.condition)),
        );
        if start && !rule.constraint.is_true() {
            let world = World::new(self.context, self.system, self.correspondence, Some(successor));
            let value = holds(rule.constraint, &Environment::new(), &world).unwrap_or(false);
            goals.push(Goal::truth(
                "the initial condition",
                logic::term::bool(value || world.unknown.get()),
            ));
        }
        goals
    }

    /// The multiset that contains a slot, and the index of the element.
    fn element(&self, slot: usize) -> Option<(usize, usize)> {
        let multisets = self.context.program.instance.multisets.iter().enumerate();
        multisets.filter(|(_, m)| slot >= m.base).find_map(|(number, m)| {
            let element = (slot - m.base) / (m.stride + 1);
            (element < m.capacity).then_some((number, element))
        })
    }

    /// Reports a multiset with different elements in the system; their order is irrelevant. Inconclusive with choices
    /// or undefined parts.
    fn different_multiset(
        &self,
        rule: &Rule,
        successor: &[i64],
        environment: &Environment,
        world: &World,
    ) -> Option<String> {
        let lists = |list| self.context.lists.elements(list);
        let mut ours: BTreeMap<(usize, usize), Vec<Option<Value>>> = BTreeMap::new();
        let mut theirs = ours.clone();
        for entry in &self.correspondence.entries {
            let Some(element) = self.element(entry.slot) else {
                continue;
            };
            let update = rule.updates.iter().find(|u| u.function == entry.function);
            let value = match update {
                Some(update) => {
                    let mut environment = environment.clone();
                    let bindings = update.parameters.iter().zip(&entry.arguments);
                    bindings.for_each(|(variable, value)| environment.bind(*variable, value.clone()));
                    evaluate(update.value, &environment, world).ok()
                }
                None => world.apply(entry.function, &entry.arguments),
            };
            theirs.entry(element).or_default().push(value);
            ours.entry(element)
                .or_default()
                .push(entry.reading.value(successor[entry.slot], &lists));
        }
        let present = |elements: BTreeMap<(usize, usize), Vec<Option<Value>>>| {
            let there = elements
                .into_iter()
                .filter(|(_, parts)| parts.first() == Some(&Some(Value::Bool(true))));
            let mut sorted: Vec<_> = there.map(|((multiset, _), parts)| (multiset, parts)).collect();
            sorted.sort();
            sorted
        };
        let (ours, theirs) = (present(ours), present(theirs));
        let unknown =
            |elements: &[(usize, Vec<Option<Value>>)]| elements.iter().any(|(_, parts)| parts.contains(&None));
        let silent = unknown(&ours) || unknown(&theirs) || !rule.choices.is_empty();
        (!silent && ours != theirs).then(|| format!("the instance has the elements {ours:?}, the system {theirs:?}"))
    }

    fn describe(&self, state: &[i64]) -> Vec<String> {
        let instance = self.context.program.instance;
        let text = |slot: usize| self.context.lists.text(instance, instance.slots[slot].ty, state[slot]);
        (0..state.len())
            .map(|slot| format!("{} = {}", instance.slot_name(slot), text(slot)))
            .collect()
    }
}
