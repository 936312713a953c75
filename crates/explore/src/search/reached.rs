//! The states of a search as rows, for engines that learn from them.

use super::{Options, Run, Silent, sequential, setting};
use crate::packing::from_bytes;
use crate::stack::on_large_stack;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use system::ReachedStates;
use system::instance::{Instance, Type};

/// Searches as [`super::explore`] does, on one thread, and returns the states that it met, those before a limit or the first
/// violation where it came to one.
pub fn reached_states(instance: &Instance, options: &Options, stop: &AtomicBool) -> ReachedStates {
    on_large_stack(&mut || search(instance, options, stop))
}

fn search(instance: &Instance, options: &Options, stop: &AtomicBool) -> ReachedStates {
    let Ok(setting) = setting(instance, options) else {
        return ReachedStates::default();
    };
    let run = Run {
        setting: &setting,
        options,
        stop,
        started: Instant::now(),
    };
    let found = sequential::search(&run, &mut Silent);
    let width = instance.slots.len();
    let mut reached = ReachedStates {
        width,
        complete: found.tally.incomplete.is_none() && found.tally.failures.is_empty() && !instance.windowed,
        ..ReachedStates::default()
    };
    let mut words = vec![0; setting.layout.words];
    let mut state = vec![0; width];
    let is_list: Vec<bool> = instance
        .slots
        .iter()
        .map(|slot| matches!(instance.types[slot.ty], Type::List { .. }))
        .collect();
    for number in 0..u32::try_from(found.states.len()).unwrap_or(u32::MAX) {
        from_bytes(found.states.get(number), &mut words);
        setting.layout.unpack(&words, &mut state);
        reached.slots.extend_from_slice(&state);
        for (value, _) in state.iter().zip(&is_list).filter(|(_, is_list)| **is_list) {
            let elements = || setting.lists.elements(*value);
            reached.lists.entry(*value).or_insert_with(elements);
        }
    }
    reached
}
