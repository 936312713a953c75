//! Runs as message sequence charts: which elements take part, and what each step does to whom.

use super::explore_text::message;
use super::trace::{UNDEFINED, firing, state};
use anyhow::{Context as _, bail};
use driver::{Input, write_whole};
use explore::{Firing, Trace, Violation};
use report::chart::{Chart, Lifeline, Row};
use std::path::{Path, PathBuf};
use system::instance::{Instance, Parameter, Type, TypeId};

/// Where there are no more elements than this, all have a line; else those that take part.
const ALL: usize = 6;
/// More lines than this are not readable.
const MOST: usize = 24;
const SHARED: &str = "shared state";

/// A file for a chart.
pub(crate) struct ChartFile {
    pub(crate) path: PathBuf,
}

impl ChartFile {
    pub(crate) fn new(path: &Path) -> anyhow::Result<ChartFile> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(ChartFile { path: path.to_owned() }),
            _ => bail!("--chart {}: the name must end in .svg", path.display()),
        }
    }

    /// Where the chart is, or why there is none.
    pub(crate) fn words(&self, is_drawn: bool) -> String {
        match is_drawn {
            true => format!("\nThe run is drawn in {}.\n", self.path.display()),
            false => "\nNo chart is drawn where there is no run to show.\n".to_owned(),
        }
    }

    /// Draws the run of a violation, where there is one.
    pub(crate) fn write_violation(
        &self,
        input: &Input,
        instance: &Instance,
        found: &Violation,
    ) -> anyhow::Result<bool> {
        match &found.trace {
            Some(trace) => self
                .write(input, instance, trace, Some(message(input, found)))
                .map(|()| true),
            None => Ok(false),
        }
    }

    pub(crate) fn write(
        &self,
        input: &Input,
        instance: &Instance,
        trace: &Trace,
        violated: Option<String>,
    ) -> anyhow::Result<()> {
        let chart = chart(input, instance, trace, violated);
        write_whole(&self.path, &chart.svg()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A value of a type; of a union, that of the member.
type Element = (TypeId, i64);

/// The elements that have a line.
struct Elements<'e> {
    instance: &'e Instance,
    /// The types of parameters that the state is about.
    types: Vec<TypeId>,
    shown: Vec<Element>,
    has_shared: bool,
}

fn chart(input: &Input, instance: &Instance, trace: &Trace, violated: Option<String>) -> Chart {
    let elements = Elements::of(instance, trace);
    let mut rows: Vec<Row> = (0..trace.steps.len())
        .map(|number| elements.row(trace, number))
        .collect();
    rows.extend(trace.failing.as_ref().map(|failing| Row {
        fails: true,
        ..elements.fired(failing)
    }));
    let sizes: Vec<String> = input
        .sizes()
        .iter()
        .map(|ty| format!("{} = {}", ty.name, ty.size))
        .collect();
    let what = violated.as_deref().unwrap_or("a random run");
    Chart {
        title: format!("{}: {what}", input.file().name),
        subtitle: sizes.join(", "),
        lifelines: elements.lifelines(),
        rows,
        end: violated,
    }
}

impl<'e> Elements<'e> {
    fn of(instance: &'e Instance, trace: &Trace) -> Elements<'e> {
        let mut elements = Elements {
            instance,
            types: types(instance),
            shown: Vec::new(),
            has_shared: false,
        };
        let slots = 0..instance.slots.len();
        elements.has_shared = slots.clone().any(|slot| elements.owner(slot).is_none());
        let bounds = |ty: &TypeId| {
            let (low, count) = instance.bounds(*ty);
            (*ty, low, count)
        };
        let all: Vec<(TypeId, i64, i64)> = elements.types.iter().map(bounds).collect();
        let total = all.iter().fold(0i64, |sum, (_, _, count)| sum.saturating_add(*count));
        if total <= ALL as i64 {
            let each =
                |(ty, low, count): (TypeId, i64, i64)| (low..low.saturating_add(count)).map(move |value| (ty, value));
            elements.shown = all.into_iter().flat_map(each).collect();
        } else {
            elements.shown = elements.used(trace);
            elements.shown.truncate(MOST);
        }
        elements
    }

    /// The elements that a run is about, in order.
    fn used(&self, trace: &Trace) -> Vec<Element> {
        let fired = trace.steps.iter().map(|step| &step.firing).chain(&trace.failing);
        let mut used: Vec<Element> = fired.flat_map(|firing| self.parameters(firing)).collect();
        for number in 1..trace.steps.len() {
            let changes = trace.changes(self.instance, number).into_iter();
            used.extend(changes.filter_map(|change| self.owner(change.slot)));
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The element as the table of types has it, where it is of a type with lines.
    fn element(&self, ty: TypeId, value: i64) -> Option<Element> {
        let (ty, value) = resolved(self.instance, ty, value)?;
        let all = &self.instance.types;
        let known = self.types.iter().find(|known| all[**known] == all[ty])?;
        Some((*known, value))
    }

    /// Whose part of the state a slot is: that of its first index.
    fn owner(&self, slot: usize) -> Option<Element> {
        let mut indices = self.instance.slots[slot].indices.iter();
        indices.find_map(|(ty, value)| self.element(*ty, *value))
    }

    /// The parameters of what was fired.
    fn declared(&self, firing: &Firing) -> &'e [Parameter] {
        let rules = if firing.start {
            &self.instance.starts
        } else {
            &self.instance.rules
        };
        rules.get(firing.index).map_or(&[], |rule| &rule.parameters)
    }

    /// Those of them that are elements with lines.
    fn parameters(&self, firing: &Firing) -> Vec<Element> {
        let pairs = self.declared(firing).iter().zip(&firing.parameters);
        pairs
            .filter_map(|(parameter, binding)| self.element(parameter.ty, binding.value))
            .collect()
    }

    fn position(&self, element: Element) -> Option<usize> {
        let position = self.shown.iter().position(|shown| *shown == element)?;
        Some(position + usize::from(self.has_shared))
    }

    fn lifelines(&self) -> Vec<Lifeline> {
        let shared = self.has_shared.then(|| Lifeline {
            name: SHARED.to_owned(),
            is_shared: true,
        });
        let name = |(ty, value): &Element| {
            let name = self.instance.value_name(*ty, *value);
            match &self.instance.types[*ty] {
                // A number alone says nothing.
                Type::Range { .. } => format!("{} = {name}", self.parameter_name(*ty)),
                _ => name,
            }
        };
        let elements = self.shown.iter().map(|element| Lifeline {
            name: name(element),
            is_shared: false,
        });
        shared.into_iter().chain(elements).collect()
    }

    /// What rules call an element of this type.
    fn parameter_name(&self, ty: TypeId) -> &str {
        let mut parameters = self.instance.rules.iter().flat_map(|rule| &rule.parameters);
        let found = parameters.find(|parameter| self.instance.types[parameter.ty] == self.instance.types[ty]);
        found.map_or("", |parameter| &parameter.name)
    }

    /// What was fired, without what it changes.
    fn fired(&self, fired: &Firing) -> Row {
        let elements = self.parameters(fired).into_iter();
        let mut label = fired.clone();
        let pairs = self.declared(fired).iter().zip(&fired.parameters);
        let without_line = pairs.filter(|(parameter, binding)| {
            let element = self.element(parameter.ty, binding.value);
            fired.start || element.and_then(|element| self.position(element)).is_none()
        });
        label.parameters = without_line.map(|(_, binding)| binding.clone()).collect();
        Row {
            label: firing(&label),
            detail: firing(fired),
            at: elements.filter_map(|element| self.position(element)).collect(),
            is_start: fired.start,
            ..Row::default()
        }
    }

    fn row(&self, trace: &Trace, number: usize) -> Row {
        let step = &trace.steps[number];
        let mut row = self.fired(&step.firing);
        if number == 0 {
            row.changes = state(self.instance, &step.texts);
            // What is not there yet is of no interest in a picture.
            row.changes.retain(|line| !line.starts_with(UNDEFINED));
            return row;
        }
        for change in trace.changes(self.instance, number) {
            let touched = match self.owner(change.slot) {
                Some(element) => self.position(element),
                None => Some(0),
            };
            row.touches.extend(touched.filter(|touched| !row.at.contains(touched)));
            row.changes
                .push(format!("{}: {} → {}", change.name, change.old, change.new));
        }
        row.touches.sort_unstable();
        row.touches.dedup();
        row.changes.extend(
            step.output
                .iter()
                .flat_map(|output| output.lines())
                .map(|line| format!("prints {line}")),
        );
        if row.changes.is_empty() {
            row.changes.push("(nothing changes)".to_owned());
        }
        row
    }
}

/// A value of a union as one of its member.
fn resolved(instance: &Instance, ty: TypeId, value: i64) -> Option<Element> {
    let Type::Union { members } = instance.types.get(ty)? else {
        return Some((ty, value));
    };
    let mut value = value;
    for member in members {
        let (low, count) = instance.bounds(*member);
        if (0..count).contains(&value) {
            return Some((*member, low.saturating_add(value)));
        }
        value = value.checked_sub(count)?;
    }
    None
}

/// The types of parameters of rules that index the state. Scalarsets are what nodes are; only where there are none,
/// numbers and enumerations count.
fn types(instance: &Instance) -> Vec<TypeId> {
    let members = |ty: TypeId| match &instance.types[ty] {
        Type::Union { members } => members.clone(),
        _ => vec![ty],
    };
    let all = &instance.types;
    let indices = instance.slots.iter().flat_map(|slot| &slot.indices);
    let mut indexing: Vec<TypeId> = indices.map(|(ty, _)| *ty).collect();
    indexing.sort_unstable();
    indexing.dedup();
    let indexing: Vec<TypeId> = indexing.into_iter().flat_map(members).collect();
    let parameters = instance.rules.iter().flat_map(|rule| &rule.parameters);
    let mut found: Vec<TypeId> = Vec::new();
    for ty in parameters.flat_map(|parameter| members(parameter.ty)) {
        let is_node = matches!(all[ty], Type::Scalarset { .. } | Type::Range { .. } | Type::Enum { .. });
        let is_index = indexing.iter().any(|index| all[*index] == all[ty]);
        let is_known = found.iter().any(|known| all[*known] == all[ty]);
        if is_node && is_index && !is_known {
            found.push(ty);
        }
    }
    let is_scalarset = |ty: &TypeId| matches!(all[*ty], Type::Scalarset { .. });
    if found.iter().any(is_scalarset) {
        found.retain(is_scalarset);
    }
    found
}
