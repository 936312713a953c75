//! Reached states of a small instance, for engines that learn from examples.

use super::Task;
use super::prove::say;
use super::refute::at_size;
use crate::input::Input;
use abstraction::indexed::samples::Samples;
use explore::{Deadlock, Options, Sampler};
use smt::Z3Options;
use std::time::Duration;
use system::instance::Instance;

/// A limit for models that take long for each state.
const TIME: Duration = Duration::from_secs(10);

/// A model with types of any size at a certain one.
pub(super) struct Example {
    input: Input,
    instance: Instance,
    size: i64,
}

impl Example {
    /// None where nothing has any size.
    pub(super) fn at_size(task: &Task, size: i64) -> Option<Example> {
        let any_size = !task.system.index_sorts.is_empty();
        let (input, instance) = any_size.then(|| at_size(task, size, false)).flatten()?;
        Some(Example { input, instance, size })
    }

    /// For so many states; none where the instance is too large.
    pub(super) fn sampler<'e>(&'e self, states: u64, solver: &'e Z3Options) -> Option<Sampler<'e>> {
        let options = Options {
            deadlock: Deadlock::Off,
            max_states: Some(states),
            time_limit: Some(TIME),
            traces: false,
            ..Options::default()
        };
        Sampler::new(&self.instance, &options, &solver.cancellation)
    }

    /// The states near the initial ones, or such that differ.
    pub(super) fn samples(&self, task: &Task, sampler: &Sampler, diverse: bool) -> Samples {
        let Some(correspondence) = self.input.correspondence(&self.instance) else {
            return Samples::default();
        };
        let reached = if diverse { sampler.diverse() } else { sampler.breadth() };
        let counts = format!("examples: {} states at size {}", reached.len(), self.size);
        say(task, &counts);
        Samples::new(task.system, &correspondence, reached)
    }
}
