//! Runs of an instance as text: what each step changed, or whole states.

use crate::terminal::Paint;
use explore::{Firing, Trace};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use system::instance::{Instance, Type, TypeId};

/// How the line of what is undefined begins.
pub(crate) const UNDEFINED: &str = "undefined";

/// The steps, numbered; `full` shows the whole state after each.
pub(crate) fn text(trace: &Trace, instance: &Instance, full: bool, paint: Paint) -> String {
    let mut text = String::new();
    for (number, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(text, "{number:>4}  {}", paint.bold(&firing(&step.firing)));
        if number == 0 || full {
            for line in state(instance, &step.texts) {
                let _ = writeln!(text, "        {line}");
            }
        } else {
            let changes = trace.changes(instance, number);
            for change in &changes {
                let _ = writeln!(
                    text,
                    "        {}: {} -> {}",
                    change.name,
                    paint.dim(&change.old),
                    change.new
                );
            }
            if changes.is_empty() {
                let _ = writeln!(text, "        {}", paint.dim("(nothing changes)"));
            }
        }
        for line in step.output.iter().flat_map(|output| output.lines()) {
            let _ = writeln!(text, "        prints {line}");
        }
    }
    if let Some(failing) = &trace.failing {
        let number = if trace.steps.is_empty() { 0 } else { trace.steps.len() };
        let _ = writeln!(
            text,
            "{number:>4}  {}  {}",
            paint.bold(&firing(failing)),
            paint.bad("<- fails")
        );
    }
    text
}

/// `ask to read (p = PROC_1)`
pub(crate) fn firing(firing: &Firing) -> String {
    if firing.parameters.is_empty() {
        return firing.name.clone();
    }
    let bindings: Vec<String> = firing
        .parameters
        .iter()
        .map(|binding| format!("{} = {}", binding.name, binding.text))
        .collect();
    format!("{} ({})", firing.name, bindings.join(", "))
}

/// All variables. Arrays that hold the same everywhere take one line, and undefined variables one for all.
pub(crate) fn state(instance: &Instance, texts: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut families: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (slot, data) in instance.slots.iter().enumerate() {
        families.entry(data.family).or_default().push(slot);
    }
    let mut undefined = Vec::new();
    for (family, slots) in &families {
        let same = slots.iter().all(|slot| texts.get(*slot) == texts.get(slots[0]));
        let mut show = |name: String, value: &str| {
            if value == UNDEFINED {
                undefined.push(name);
            } else {
                lines.push(format!("{name} = {value}"));
            }
        };
        let value = |slot: usize| texts.get(slot).map_or("?", String::as_str);
        if same && slots.len() > 1 {
            show(family_name(instance, *family, slots[0]), value(slots[0]));
        } else {
            for slot in slots {
                show(instance.slot_name(*slot), value(*slot));
            }
        }
    }
    if !undefined.is_empty() {
        lines.push(format!("{UNDEFINED}: {}", undefined.join(", ")));
    }
    lines
}

/// The name of all slots of a family at once: `Chan[PROC].Cmd`.
fn family_name(instance: &Instance, family: usize, slot: usize) -> String {
    let mut indices = instance.slots[slot].indices.iter();
    let mut name = String::new();
    let mut rest = instance.families[family].as_str();
    while let Some((before, after)) = rest.split_once("{}") {
        name.push_str(before);
        if let Some((ty, _)) = indices.next() {
            name.push_str(&type_name(instance, *ty));
        }
        rest = after;
    }
    name.push_str(rest);
    name
}

fn type_name(instance: &Instance, ty: TypeId) -> String {
    match &instance.types[ty] {
        Type::Boolean => "boolean".to_owned(),
        Type::Range { low, high } => format!("{low}..{high}"),
        Type::Enum { name, .. } | Type::Scalarset { name, .. } if !name.is_empty() => name.clone(),
        _ => "..".to_owned(),
    }
}
