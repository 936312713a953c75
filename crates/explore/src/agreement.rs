//! Compares a finite instance with the lowered transition system, state by state.
//!
//! A front end makes both from one model, by different ways: a proof about the system is worth something only if the two
//! agree. In every reachable state of the instance, for every rule and its parameters:
//! - the rule is enabled in both or in neither;
//! - each successor in the instance is one in the system, for some values of what the system's rule chooses;
//! - where the rule does not choose, it has no other successor;
//! - the assertions of the system's rule hold exactly where the instance runs without a fault;
//! - the properties have the same truth.
//!
//! What is undefined in the instance is arbitrary in the system: there anything agrees.

use crate::fault::FaultKind;
use crate::lists::Lists;
use crate::packing::Layout;
use crate::program::{Program, Unit};
use crate::worker::{Attempt, Check, Setting, Worker};
use logic::evaluate::{EvaluateError, PartialOperation};
use logic::{Environment, Function, Interpretation, Sort, Term, Value, evaluate, holds};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use system::TransitionSystem;
use system::correspondence::{Correspondence, RuleMatch};
use system::instance::{Instance, Type};
use system::transition::{Assertion, Rule};

/// How much was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgreementReport {
    pub states: usize,
    pub firings: usize,
    pub successors: usize,
    pub faults: usize,
    /// False where the limit came before the last state.
    pub complete: bool,
}

/// Where instance and system differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The rule and its parameters, or the property.
    pub at: String,
    /// One sentence without a full stop.
    pub what: String,
    /// The state of the instance, one `name = value` for each slot.
    pub state: Vec<String>,
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
    let layout = Layout::new(instance, true);
    let Ok(program) = Program::new(instance, &layout) else {
        return Ok(AgreementReport::default());
    };
    let setting = Setting {
        program,
        layout,
        lists: Lists::default(),
        symmetry: None,
        max_list_length: Some(6),
    };
    let mut comparison = Comparison {
        system,
        correspondence,
        setting: &setting,
        worker: Worker::new(&setting),
        seen: HashSet::new(),
        queue: VecDeque::new(),
        report: AgreementReport {
            complete: true,
            ..AgreementReport::default()
        },
    };
    comparison.run(limit)?;
    Ok(comparison.report)
}

/// Successors of one firing that are compared; a rule that chooses much has more.
const BRANCHES: usize = 200;

struct Comparison<'c> {
    system: &'c TransitionSystem,
    correspondence: &'c Correspondence,
    setting: &'c Setting<'c>,
    worker: Worker<'c>,
    seen: HashSet<Vec<i64>>,
    queue: VecDeque<Vec<i64>>,
    report: AgreementReport,
}

/// What a rule of the instance does in one state.
enum Behaviour {
    Disabled,
    Successors(Vec<Vec<i64>>),
    Fault(FaultKind),
    /// Left out: a window was left, or an assumption stopped it.
    Unknown,
}

impl Comparison<'_> {
    fn run(&mut self, limit: usize) -> Result<(), Disagreement> {
        let setting = self.setting;
        for unit in &setting.program.starts {
            for within in 0..unit.count {
                self.worker.clear();
                let behaviour = self.behaviour(unit, within, true);
                let matching = &self.correspondence.starts[unit.source];
                let rule = &self.system.starts[matching.rule];
                self.compare(unit, within, None, behaviour, matching, rule)?;
            }
        }
        while let Some(state) = self.queue.pop_front() {
            if self.report.states >= limit {
                self.report.complete = false;
                break;
            }
            self.report.states += 1;
            self.properties(&state)?;
            for unit in &setting.program.rules {
                for within in 0..unit.count {
                    self.worker.load_state(&state);
                    let behaviour = self.behaviour(unit, within, false);
                    let matching = &self.correspondence.rules[unit.source];
                    let rule = &self.system.rules[matching.rule];
                    self.compare(unit, within, Some(&state), behaviour, matching, rule)?;
                }
            }
        }
        Ok(())
    }

    fn behaviour(&mut self, unit: &Unit, within: u32, start: bool) -> Behaviour {
        if !start && !unit.traits.impure_guard {
            match self.worker.enabled(unit, within, true) {
                Ok(true) => {}
                Ok(false) => return Behaviour::Disabled,
                Err(Attempt::Fault(fault)) => return Behaviour::Fault(fault.kind),
                Err(_) => return Behaviour::Unknown,
            }
        }
        self.worker.machine.forget_choices();
        let mut successors = Vec::new();
        loop {
            match self.worker.fire(unit, within, start) {
                Attempt::Successor => {
                    self.worker.settle();
                    successors.push(self.worker.state().to_vec());
                }
                Attempt::Disabled => return Behaviour::Disabled,
                Attempt::Fault(fault) => return Behaviour::Fault(fault.kind),
                Attempt::Cut => return Behaviour::Unknown,
                Attempt::Dropped => {}
            }
            self.worker.restore_all();
            let more = self.worker.machine.next_choices();
            if !more || successors.len() >= BRANCHES {
                self.report.complete &= !more;
                break;
            }
        }
        if successors.is_empty() {
            Behaviour::Unknown
        } else {
            Behaviour::Successors(successors)
        }
    }

    fn compare(
        &mut self,
        unit: &Unit,
        within: u32,
        state: Option<&[i64]>,
        behaviour: Behaviour,
        matching: &RuleMatch,
        rule: &Rule,
    ) -> Result<(), Disagreement> {
        self.report.firings += 1;
        self.report.faults += usize::from(matches!(behaviour, Behaviour::Fault(_)));
        let world = World::new(self.setting, self.system, self.correspondence, state);
        let environment = self.environment(unit, within, state.is_none(), matching, rule, &world);
        let at = self.name(unit, within, state.is_none());
        let before = self.describe(state.unwrap_or_default());
        let disagree = |what: String| Disagreement {
            at,
            what,
            state: before,
        };
        match behaviour {
            Behaviour::Unknown => Ok(()),
            Behaviour::Disabled => {
                // With choices, the guard also says which values may be chosen.
                let enabled = rule.choices.is_empty() && holds(rule.guard, &environment, &world) == Ok(true);
                if enabled && !world.unknown.get() {
                    return Err(disagree("the rule is enabled in the system only".to_owned()));
                }
                Ok(())
            }
            // Reading what is undefined is a fault in the instance only.
            Behaviour::Fault(FaultKind::UndefinedRead) => Ok(()),
            Behaviour::Fault(kind) => {
                let errors = matching
                    .errors
                    .iter()
                    .flat_map(|error| &self.system.rules[*error].assertions);
                let assertions = errors.chain(&rule.assertions);
                let fails = |a: &Assertion| holds(a.condition, &environment, &world) == Ok(false);
                if !world.unknown.get() && rule.choices.is_empty() && !assertions.into_iter().any(fails) {
                    return Err(disagree(format!(
                        "the instance stops with a fault ({kind:?}), the system does not"
                    )));
                }
                Ok(())
            }
            Behaviour::Successors(successors) => {
                let mut kept = Vec::new();
                for successor in successors {
                    self.worker.load_state(&successor);
                    if !matches!(self.worker.check(), Check::LeftOut) {
                        kept.push(successor);
                    }
                }
                // What the last state was when the rule fired.
                state.iter().for_each(|state| self.worker.load_state(state));
                for successor in &kept {
                    // A start has no state before it, but rigid symbols have their meaning already.
                    let world = if state.is_some() {
                        world.clone()
                    } else {
                        self.rigid_world(successor)
                    };
                    if let Some(what) = self.different_multiset(rule, successor, &environment, &world) {
                        return Err(disagree(what));
                    }
                    let goals = self.goals(rule, successor, state.is_none());
                    if let Some(goal) = unreachable_goal(&goals, &environment, world, rule) {
                        return Err(disagree(format!(
                            "{goal} after the rule; the instance has:\n{}",
                            self.describe(successor).join("\n")
                        )));
                    }
                }
                for successor in kept {
                    self.report.successors += 1;
                    if self.seen.insert(successor.clone()) {
                        self.queue.push_back(successor);
                    }
                }
                Ok(())
            }
        }
    }

    fn rigid_world(&self, state: &[i64]) -> World<'_> {
        let mut world = World::new(self.setting, self.system, self.correspondence, Some(state));
        let changing: HashSet<Function> = self.system.state.iter().map(|symbol| symbol.function).collect();
        world.values.retain(|(function, _), _| !changing.contains(function));
        world
    }

    fn environment(
        &self,
        unit: &Unit,
        within: u32,
        start: bool,
        matching: &RuleMatch,
        rule: &Rule,
        world: &World,
    ) -> Environment {
        let firing = self.setting.program.firing(unit, within, start, Vec::new());
        let values: Vec<i64> = firing.parameters.iter().map(|p| p.value).collect();
        let mut environment = Environment::new();
        for (variable, (position, reading)) in rule.parameters.iter().zip(&matching.parameters) {
            let number = values.get(*position).copied().unwrap_or_default();
            let value = reading.value(number, &|list| self.setting.lists.elements(list));
            environment.bind(*variable, value.unwrap_or_else(|| world.default_of(variable.sort)));
        }
        environment
    }

    /// What must hold for the system's rule to lead to this successor.
    fn goals(&self, rule: &Rule, successor: &[i64], start: bool) -> Vec<Goal> {
        let mut goals = Vec::new();
        let lists = |list| self.setting.lists.elements(list);
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
                // A start leaves what it does not give a value arbitrary; a rule leaves it as it is.
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
            let world = World::new(self.setting, self.system, self.correspondence, Some(successor));
            let value = holds(rule.constraint, &Environment::new(), &world).unwrap_or(false);
            goals.push(Goal::truth(
                "the initial condition",
                logic::term::bool(value || world.unknown.get()),
            ));
        }
        goals
    }

    /// The multiset and the number of its element that a slot belongs to.
    fn element(&self, slot: usize) -> Option<(usize, usize)> {
        let multisets = self.setting.program.instance.multisets.iter().enumerate();
        multisets.filter(|(_, m)| slot >= m.base).find_map(|(number, m)| {
            let element = (slot - m.base) / (m.stride + 1);
            (element < m.capacity).then_some((number, element))
        })
    }

    /// Says so where a multiset has other elements in the system; their order does not matter. With choices, or undefined
    /// parts, nothing is said.
    fn different_multiset(
        &self,
        rule: &Rule,
        successor: &[i64],
        environment: &Environment,
        world: &World,
    ) -> Option<String> {
        let lists = |list| self.setting.lists.elements(list);
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

    fn properties(&mut self, state: &[i64]) -> Result<(), Disagreement> {
        self.worker.load_state(state);
        let violated = match self.worker.check() {
            Check::Violated { property } => Some(property),
            Check::Fine => None,
            Check::LeftOut | Check::Fault { .. } => return Ok(()),
        };
        let world = World::new(self.setting, self.system, self.correspondence, Some(state));
        for (number, matching) in self.correspondence.properties.iter().enumerate() {
            let Some(property) = matching.and_then(|p| self.system.properties.get(p)) else {
                continue;
            };
            // After the first violation nothing is known of the others.
            let expected = match violated {
                Some(violated) if violated < number => break,
                violated => violated != Some(number),
            };
            world.unknown.set(false);
            let value = holds(property.formula, &Environment::new(), &world);
            if value != Ok(expected) && !world.unknown.get() {
                let what = format!("the system says {value:?}, the instance {expected}");
                let at = format!("property \"{}\"", property.name);
                return Err(Disagreement {
                    at,
                    what,
                    state: self.describe(state),
                });
            }
        }
        Ok(())
    }

    fn name(&self, unit: &Unit, within: u32, start: bool) -> String {
        self.setting.program.firing(unit, within, start, Vec::new()).to_string()
    }

    fn describe(&self, state: &[i64]) -> Vec<String> {
        let instance = self.setting.program.instance;
        let text = |slot: usize| self.setting.lists.text(instance, instance.slots[slot].ty, state[slot]);
        (0..state.len())
            .map(|slot| format!("{} = {}", instance.slot_name(slot), text(slot)))
            .collect()
    }
}

/// The term must have this value.
struct Goal {
    name: String,
    term: Term,
    bindings: Vec<(logic::Variable, Value)>,
    wanted: Value,
}

impl Goal {
    fn truth(name: &str, term: Term) -> Goal {
        Goal {
            name: name.to_owned(),
            term,
            bindings: Vec::new(),
            wanted: Value::Bool(true),
        }
    }
}

/// Searches values for the choices of a rule such that all goals are met. Returns what stands in the way: the goal that
/// was met least.
fn unreachable_goal(goals: &[Goal], environment: &Environment, world: World, rule: &Rule) -> Option<String> {
    let mut search = ChoiceSearch {
        goals,
        environment,
        rule,
        furthest: 0,
        why: String::new(),
        budget: 20_000,
    };
    let mut world = world;
    if search.meet(0, &mut world) || search.budget == 0 {
        return None;
    }
    Some(format!(
        "{} {}",
        goals.get(search.furthest).map_or("", |g| g.name.as_str()),
        search.why
    ))
}

struct ChoiceSearch<'g> {
    goals: &'g [Goal],
    environment: &'g Environment,
    rule: &'g Rule,
    furthest: usize,
    why: String,
    budget: usize,
}

impl ChoiceSearch<'_> {
    fn meet(&mut self, number: usize, world: &mut World) -> bool {
        let Some(goal) = self.goals.get(number) else {
            return true;
        };
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let mut environment = self.environment.clone();
        goal.bindings
            .iter()
            .for_each(|(variable, value)| environment.bind(*variable, value.clone()));
        match evaluate(goal.term, &environment, world) {
            Ok(value) if value == goal.wanted => self.meet(number + 1, world),
            Err(EvaluateError::NoInterpretation { function, arguments }) if self.rule.choices.contains(&function) => {
                let mut candidates = vec![goal.wanted.clone()];
                candidates.extend(world.candidates(function.result()));
                candidates.retain(|value| value.has_sort(function.result()));
                for candidate in candidates {
                    world.choices.insert((function, arguments.clone()), candidate);
                    if self.meet(number, world) {
                        return true;
                    }
                    world.choices.remove(&(function, arguments.clone()));
                }
                false
            }
            other => {
                if number >= self.furthest {
                    self.furthest = number;
                    self.why = format!("is {other:?} in the system, not {:?}", goal.wanted);
                }
                false
            }
        }
    }
}

/// The state of an instance as an interpretation of the system's symbols.
#[derive(Clone)]
struct World<'w> {
    setting: &'w Setting<'w>,
    values: HashMap<(Function, Vec<Value>), Value>,
    /// What stands for undefined values, for each function with entries.
    defaults: HashMap<Function, Value>,
    sizes: &'w [(logic::Name, u32)],
    /// The orders of index sorts: those of their positions.
    orders: Vec<Function>,
    choices: HashMap<(Function, Vec<Value>), Value>,
    /// Set where something was asked for that the instance does not say.
    unknown: Cell<bool>,
}

impl<'w> World<'w> {
    fn new(
        setting: &'w Setting<'w>,
        system: &TransitionSystem,
        correspondence: &'w Correspondence,
        state: Option<&[i64]>,
    ) -> World<'w> {
        let mut world = World {
            setting,
            values: HashMap::new(),
            defaults: HashMap::new(),
            sizes: &correspondence.sizes,
            orders: system.index_sorts.iter().filter_map(|sort| sort.order).collect(),
            choices: HashMap::new(),
            unknown: Cell::new(false),
        };
        for (function, value) in &correspondence.constants {
            world.values.insert((*function, Vec::new()), value.clone());
        }
        let instance = setting.program.instance;
        for entry in &correspondence.entries {
            let least = instance.bounds(instance.slots[entry.slot].ty).0;
            let lists = |list| setting.lists.elements(list);
            if let Some(value) = entry.reading.value(least, &lists) {
                world.defaults.entry(entry.function).or_insert(value);
            }
            if let Some(value) = state.and_then(|state| entry.reading.filled(state[entry.slot], &lists)) {
                world.values.insert((entry.function, entry.arguments.clone()), value);
            }
        }
        world
    }

    fn default_of(&self, sort: Sort) -> Value {
        self.candidates(sort).into_iter().next().unwrap_or(Value::Int(0))
    }

    /// Values to try for a choice.
    fn candidates(&self, sort: Sort) -> Vec<Value> {
        match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Enum(sort) => (0u32..)
                .zip(sort.values())
                .map(|(n, _)| Value::Enumerator(sort, n))
                .collect(),
            Sort::Index(_) => self.domain(sort).unwrap_or_default(),
            Sort::Int => {
                let instance = self.setting.program.instance;
                let mut numbers: Vec<i64> = (0..instance.types.len()).map(|ty| instance.bounds(ty).0).collect();
                numbers.extend([0, 1, 2]);
                numbers.sort_unstable();
                numbers.dedup();
                numbers.into_iter().map(|n| Value::Int(i128::from(n))).collect()
            }
            Sort::Real => vec![Value::Real(logic::Rational::ZERO)],
            Sort::List(_) => vec![Value::List(Vec::new())],
        }
    }
}

impl Interpretation for World<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        let key = (function, arguments.to_vec());
        if let Some(value) = self.values.get(&key).or_else(|| self.choices.get(&key)) {
            return Some(value.clone());
        }
        if let ([Value::Index(_, a), Value::Index(_, b)], true) = (arguments, self.orders.contains(&function)) {
            return Some(Value::Bool(a < b));
        }
        let value = self.defaults.get(&function).cloned();
        if value.is_some() {
            self.unknown.set(true);
        }
        value
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        let name = match sort {
            Sort::Index(name) => name,
            // A quantifier over all integers sees only the window in the instance.
            Sort::Int => {
                let mut types = self.setting.program.instance.types.iter();
                return types.find_map(|ty| match ty {
                    Type::Integer { window } => Some((window.0..=window.1).map(|n| Value::Int(n.into())).collect()),
                    _ => None,
                });
            }
            _ => return None,
        };
        let (_, size) = self.sizes.iter().find(|(of, _)| *of == name)?;
        Some((0..*size).map(|n| Value::Index(name, n)).collect())
    }

    fn undefined(&self, _: PartialOperation, sort: Sort, _: &[Value]) -> Option<Value> {
        self.unknown.set(true);
        Some(self.default_of(sort))
    }
}
