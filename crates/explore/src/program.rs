//! An instance prepared for execution: rules expanded over their parameters, and starts and properties as code.
//!
//! Rule instances are numbered consecutively: all of the first rule, then all of the second; within a rule, the first
//! parameter varies slowest. A unit is one piece of code: a single instance, or all instances of a rule that has too
//! many.

use crate::code::{Expression, Function};
use crate::filter::Filter;
use crate::inspect::{self, Use};
use crate::lists::Lists;
use crate::packing::Layout;
use crate::specialise::{RuleCode, Specialiser, recursive_functions};
use crate::trace::{Binding, Firing};
use crate::vm::Machine;
use system::instance::{Instance, Parameter, PropertyKind, Rule};

/// The maximum number of expanded instances of one rule, and of nodes of code in total.
const EXPANDED: u64 = 20_000;
const NODES: usize = 1_000_000;

/// The instance has more rule instances than 32 bits can number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMany;

#[derive(Debug)]
pub(crate) struct Unit {
    /// Index into the rules, starts or properties.
    pub(crate) source: usize,
    /// The priority of a rule (see [`system::instance::Rule::priority`]).
    pub(crate) priority: i64,
    /// The number of the first instance, and the number of instances.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) code: RuleCode,
    /// The parameters if `count` is 1.
    pub(crate) parameters: Box<[i64]>,
    /// `None` if it may write to any slot, or nearly so.
    pub(crate) writes: Option<Writes>,
    /// The rest of the guard to test after the filter passed the unit, if any.
    pub(crate) residual: Option<Expression>,
    pub(crate) traits: Traits,
}

impl Unit {
    /// Whether the filter's pass decides the whole guard.
    #[inline]
    pub(crate) fn passes(&self, full: bool) -> bool {
        !full && self.residual.is_none()
    }
}

/// What a unit may write.
#[derive(Clone, Default, Debug)]
pub(crate) struct Writes {
    /// Sorted; all slots of a multiset.
    pub(crate) slots: Box<[u32]>,
    /// Indices into the multisets of the instance.
    pub(crate) multisets: Box<[usize]>,
}

/// Properties of a unit's code that affect its execution.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Traits {
    /// The guard or the body uses the frame, which must be prepared.
    pub(crate) guard_frame: bool,
    pub(crate) body_frame: bool,
    /// The prologue or guard may change the state or choose: it runs as part of the rule.
    pub(crate) impure_guard: bool,
    /// The rule may choose.
    pub(crate) chooses: bool,
}

#[derive(Debug)]
pub(crate) struct Program<'i> {
    pub(crate) instance: &'i Instance,
    pub(crate) functions: Vec<Function>,
    pub(crate) starts: Vec<Unit>,
    pub(crate) rules: Vec<Unit>,
    pub(crate) assumptions: Vec<Unit>,
    pub(crate) invariants: Vec<Unit>,
    pub(crate) covers: Vec<Unit>,
    /// The size of the largest frame.
    pub(crate) frame: usize,
    pub(crate) rule_instances: u32,
    /// Whether rules differ in priority.
    pub(crate) prioritised: bool,
    pub(crate) filter: Filter,
}

impl<'i> Program<'i> {
    pub(crate) fn new(instance: &'i Instance, layout: &Layout) -> Result<Program<'i>, TooMany> {
        let mut builder = Builder {
            instance,
            specialiser: Specialiser::new(instance),
            frame: 0,
            nodes: 0,
        };
        let starts = builder.starts()?;
        let (mut rules, rule_instances) = builder.rules()?;
        for unit in &mut rules {
            unit.priority = instance.rules[unit.source].priority;
        }
        let prioritised = rules.windows(2).any(|pair| pair[0].priority != pair[1].priority);
        let assumptions = builder.properties(PropertyKind::Assumption)?;
        let invariants = builder.properties(PropertyKind::Invariant)?;
        let covers = builder.properties(PropertyKind::Cover)?;
        let functions = builder.functions();
        let frame = builder.frame;
        let filter = Filter::default();
        let mut program = Program {
            instance,
            functions,
            starts,
            rules,
            assumptions,
            invariants,
            covers,
            frame,
            rule_instances,
            prioritised,
            filter,
        };
        let (filter, residuals) = Filter::new(&program, layout);
        program.filter = filter;
        for (unit, residual) in program.rules.iter_mut().zip(residuals) {
            unit.residual = residual;
        }
        Ok(program)
    }

    pub(crate) fn machine<'p>(&'p self, lists: &'p Lists) -> Machine<'p> {
        Machine::new(self.instance, &self.functions, lists, self.frame)
    }

    /// The unit of a rule instance, and the instance's index in it.
    pub(crate) fn rule_unit(&self, number: u32) -> Option<(usize, u32)> {
        position(&self.rules, number)
    }

    pub(crate) fn start_unit(&self, number: u32) -> Option<(usize, u32)> {
        position(&self.starts, number)
    }

    /// All instances of starts or rules.
    pub(crate) fn instances(&self, start: bool) -> impl Iterator<Item = (&Unit, u32)> {
        let units = if start { &self.starts } else { &self.rules };
        units
            .iter()
            .flat_map(|unit| (0..unit.count).map(move |within| (unit, within)))
    }

    /// The display form of an instance of a unit.
    pub(crate) fn firing(&self, unit: &Unit, within: u32, start: bool, choices: Vec<i64>) -> Firing {
        let rules = if start {
            &self.instance.starts
        } else {
            &self.instance.rules
        };
        let rule = &rules[unit.source];
        let values = parameters(
            &rule.parameters,
            u64::from(within + unit.first - first_of(rules, unit.source)),
        );
        let parameters = rule.parameters.iter().zip(values).map(|(parameter, value)| Binding {
            name: parameter.name.clone(),
            value,
            text: self.instance.value_name(parameter.ty, value),
        });
        let parameters = parameters.collect();
        Firing {
            name: rule.name.clone(),
            index: unit.source,
            start,
            parameters,
            choices,
            span: rule.span,
        }
    }
}

fn first_of(rules: &[Rule], index: usize) -> u32 {
    let count: u64 = rules.iter().take(index).map(|rule| count(&rule.parameters)).sum();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn position(units: &[Unit], number: u32) -> Option<(usize, u32)> {
    let index = units.partition_point(|unit| unit.first <= number).checked_sub(1)?;
    let unit = units.get(index)?;
    (number - unit.first < unit.count).then_some((index, number - unit.first))
}

/// The number of instances that these parameters span.
pub(crate) fn count(parameters: &[Parameter]) -> u64 {
    parameters.iter().fold(1, |count: u64, p| {
        count.saturating_mul(crate::arithmetic::rounds(p.low, p.high, p.step))
    })
}

/// The parameter values of the instance with this number.
pub(crate) fn parameters(parameters: &[Parameter], number: u64) -> Vec<i64> {
    let mut number = number;
    let mut values = vec![0; parameters.len()];
    for (value, p) in values.iter_mut().zip(parameters).rev() {
        let rounds = crate::arithmetic::rounds(p.low, p.high, p.step).max(1);
        *value = p.low.wrapping_add((number % rounds).cast_signed().wrapping_mul(p.step));
        number /= rounds;
    }
    values
}

struct Builder<'i> {
    instance: &'i Instance,
    specialiser: Specialiser<'i>,
    frame: usize,
    nodes: usize,
}

impl Builder<'_> {
    fn starts(&mut self) -> Result<Vec<Unit>, TooMany> {
        let mut units = Vec::new();
        let mut first = 0;
        for (source, rule) in self.instance.starts.iter().enumerate() {
            let count = narrow(count(&rule.parameters))?;
            // Starts run once, so expanding them does not pay off.
            let code = self.specialiser.rule(rule, None);
            self.add(&mut units, source, first, count, Box::default(), code);
            first = first.checked_add(count).ok_or(TooMany)?;
        }
        Ok(units)
    }

    fn rules(&mut self) -> Result<(Vec<Unit>, u32), TooMany> {
        let mut units = Vec::new();
        let mut first = 0;
        for (source, rule) in self.instance.rules.iter().enumerate() {
            let instance = self.instance;
            let make = |this: &mut Self, values: Option<&[i64]>| this.specialiser.rule(&instance.rules[source], values);
            first = self.expand(&mut units, source, &rule.parameters, first, make)?;
        }
        Ok((units, first))
    }

    fn properties(&mut self, kind: PropertyKind) -> Result<Vec<Unit>, TooMany> {
        let mut units = Vec::new();
        let mut first = 0;
        for (source, property) in self.instance.properties.iter().enumerate() {
            if property.kind == kind {
                let make = |this: &mut Self, values: Option<&[i64]>| this.specialiser.property(property, values);
                first = self.expand(&mut units, source, &property.parameters, first, make)?;
            }
        }
        Ok(units)
    }

    /// One unit per instance, or one for all if that would be too much code. Returns the next free number.
    fn expand(
        &mut self,
        units: &mut Vec<Unit>,
        source: usize,
        of: &[Parameter],
        first: u32,
        make: impl Fn(&mut Self, Option<&[i64]>) -> RuleCode,
    ) -> Result<u32, TooMany> {
        let total = count(of);
        let instances = narrow(total)?;
        let next = first.checked_add(instances).ok_or(TooMany)?;
        for number in 0..instances {
            let values = parameters(of, u64::from(number));
            let code = make(self, Some(&values));
            let room = NODES.saturating_sub(self.nodes) as u64;
            if number == 0 && (total > EXPANDED || total.saturating_mul(code.size as u64) > room) {
                let code = make(self, None);
                self.add(units, source, first, instances, Box::default(), code);
                break;
            }
            self.add(units, source, first + number, 1, values.into(), code);
        }
        Ok(next)
    }

    fn add(
        &mut self,
        units: &mut Vec<Unit>,
        source: usize,
        first: u32,
        count: u32,
        parameters: Box<[i64]>,
        code: RuleCode,
    ) {
        self.frame = self.frame.max(code.frame);
        self.nodes += code.size;
        let traits = self.traits(&code);
        let writes = self.writes(&code);
        units.push(Unit {
            source,
            priority: 0,
            first,
            count,
            code,
            parameters,
            writes,
            residual: None,
            traits,
        });
    }

    fn traits(&self, code: &RuleCode) -> Traits {
        let state = self.instance.slots.len();
        let mut traits = Traits::default();
        let mut guard = |usage: Use| match usage {
            Use::Read(start, length) => traits.guard_frame |= start as usize + length as usize > state,
            Use::Write(start, _) => {
                traits.impure_guard |= (start as usize) < state;
                traits.guard_frame = true;
            }
            Use::WriteAnywhere | Use::Choose => traits.impure_guard = true,
            Use::ReadAnywhere | Use::Framed => traits.guard_frame = true,
            Use::Control => {}
        };
        inspect::statements(&code.prologue, &mut guard);
        inspect::expression(&code.guard, &mut guard);
        let mut body = |usage: Use| match usage {
            Use::Read(start, length) | Use::Write(start, length) => {
                traits.body_frame |= start as usize + length as usize > state;
            }
            Use::Choose => traits.chooses = true,
            Use::ReadAnywhere | Use::WriteAnywhere | Use::Framed => traits.body_frame = true,
            Use::Control => {}
        };
        inspect::statements(&code.body, &mut body);
        traits.body_frame |= !code.prologue.is_empty();
        traits.chooses |= traits.impure_guard;
        traits
    }

    fn writes(&self, code: &RuleCode) -> Option<Writes> {
        let state = self.instance.slots.len();
        let mut written = vec![false; state];
        let mut anywhere = false;
        let mut tell = |usage: Use| match usage {
            Use::Write(start, length) => {
                let end = (start as usize).saturating_add(length as usize).min(state);
                if let Some(slots) = written.get_mut(start as usize..end) {
                    slots.fill(true);
                }
            }
            Use::WriteAnywhere => anywhere = true,
            Use::Read(..) | Use::ReadAnywhere | Use::Framed | Use::Choose | Use::Control => {}
        };
        inspect::statements(&code.prologue, &mut tell);
        inspect::expression(&code.guard, &mut tell);
        inspect::statements(&code.body, &mut tell);
        let mut multisets = Vec::new();
        for (number, multiset) in self.instance.multisets.iter().enumerate() {
            let region = multiset.base..multiset.base + multiset.capacity * (multiset.stride + 1);
            if let Some(slots) = written.get_mut(region).filter(|slots| slots.contains(&true)) {
                multisets.push(number);
                slots.fill(true);
            }
        }
        let slots: Vec<u32> = (0..)
            .zip(&written)
            .filter(|(_, is)| **is)
            .map(|(slot, _)| slot)
            .collect();
        // Scanning all slots in order is faster.
        let few = !anywhere && slots.len() <= state / 2;
        few.then(|| Writes {
            slots: slots.into(),
            multisets: multisets.into(),
        })
    }

    /// All transitively called functions. Frames of non-recursive ones follow the frames of rules.
    fn functions(&mut self) -> Vec<Function> {
        let mut functions: Vec<Function> = vec![Function::default(); self.instance.functions.len()];
        let recursive = recursive_functions(self.instance);
        let mut made = std::collections::BTreeSet::new();
        while let Some(&next) = self.specialiser.needed.difference(&made).next() {
            let is_recursive = recursive.get(next).copied().unwrap_or(true);
            let place = (!is_recursive).then_some(self.instance.slots.len() + self.frame);
            let function = self.specialiser.function(next, place);
            if place.is_some() {
                self.frame += function.frame as usize;
            }
            if let Some(place) = functions.get_mut(next) {
                *place = function;
            }
            made.insert(next);
        }
        functions
    }
}

fn narrow(count: u64) -> Result<u32, TooMany> {
    u32::try_from(count)
        .ok()
        .filter(|count| *count < u32::MAX)
        .ok_or(TooMany)
}
