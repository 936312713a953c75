//! Reached states of a small instance, for engines that learn from examples.

use crate::event::Event;
use crate::input::Input;
use crate::model::ModelTask;
use deduction::Samples;
use explore::{Deadlock, Sampler, SearchOptions};
use system::frontend::TypeSize;
use system::instance::Instance;

/// How often rules are tried with other choices, for each state.
const CHOICES: u64 = 100;

/// A model with types of any size at a certain one.
pub(super) struct Example {
    input: Input,
    instance: Instance,
    size: i64,
}

/// As many elements as the file has, where these are not too many. A single one is no example of several.
fn of_type(ty: &TypeSize, size: i64) -> i64 {
    match ty.size {
        1 => size,
        declared => declared.min(size),
    }
}

impl Example {
    /// None where nothing has any size.
    pub(super) fn at_size(task: &ModelTask, size: i64) -> Option<Example> {
        let any_size = !task.system().index_sorts.is_empty();
        let (input, instance) = any_size
            .then(|| task.instances().with_sizes(|ty| of_type(ty, size)))
            .flatten()?;
        Some(Example { input, instance, size })
    }

    /// For this many states; none where the instance is too large.
    pub(super) fn sampler<'e>(&'e self, states: u64, task: &'e ModelTask) -> Option<Sampler<'e>> {
        let options = SearchOptions {
            deadlock: Deadlock::Off,
            max_states: Some(states),
            max_choices: Some(states.saturating_mul(CHOICES)),
            traces: false,
            ..SearchOptions::default()
        };
        Sampler::new(&self.instance, &options, task.context.cancellation())
    }

    /// The states near the initial ones, or such that differ.
    pub(super) fn samples(&self, task: &ModelTask, sampler: &Sampler, diverse: bool) -> Samples {
        let Some(correspondence) = self.input.model.correspondence(&self.instance) else {
            return Samples::default();
        };
        let reached = if diverse { sampler.diverse() } else { sampler.breadth() };
        let states = reached.len();
        task.context.tell(Event::Examples {
            states,
            size: self.size,
        });
        Samples::new(task.system(), &correspondence, reached)
    }
}
