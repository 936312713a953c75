//! State graphs of small instances.

use crate::search::{Incomplete, Violation};
use crate::simulate::violation;
use crate::stack::on_large_stack;
use crate::store::{NONE, Origin, Store};
use crate::symmetry::Symmetry;
use crate::worker::{Attempt, Check, Identity, SearchContext, Worker};
use logic::Cancellation;
use system::graph::{Graph, Node};
use system::instance::Instance;

/// Larger graphs are unreadable.
pub const GRAPH_LIMIT: usize = 500;

/// Options for drawing a state graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// Merge states that are equal up to symmetry.
    pub symmetry: bool,
    /// At most [`GRAPH_LIMIT`].
    pub max_states: usize,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            symmetry: true,
            max_states: GRAPH_LIMIT,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GraphError {
    #[error("the graph has more than {limit} states")]
    TooManyStates { limit: usize },
    #[error("the search was stopped")]
    Stopped,
    #[error("the instance has too many rules")]
    TooManyRuleInstances,
}

/// Explores all states of a small instance. Violating states have no successors.
pub fn state_graph(
    instance: &Instance,
    options: &GraphOptions,
    cancellation: &Cancellation,
) -> Result<Graph, GraphError> {
    on_large_stack(&mut || {
        let mut context = SearchContext::concrete(instance).map_err(|_| GraphError::TooManyRuleInstances)?;
        context.symmetry = if options.symmetry {
            Symmetry::new(instance)
        } else {
            None
        };
        Builder::new(&context, options.max_states.min(GRAPH_LIMIT)).build(cancellation)
    })
}

struct Builder<'s> {
    context: &'s SearchContext<'s>,
    worker: Worker<'s>,
    store: Store,
    graph: Graph,
    limit: usize,
}

impl<'s> Builder<'s> {
    fn new(context: &'s SearchContext<'s>, limit: usize) -> Builder<'s> {
        let store = Store::new(context.layout.bytes, false);
        Builder {
            context,
            worker: Worker::new(context),
            store,
            graph: Graph::default(),
            limit,
        }
    }

    fn build(mut self, cancellation: &Cancellation) -> Result<Graph, GraphError> {
        self.fire_all(None, cancellation)?;
        let mut next = 0;
        while next < self.graph.nodes.len() {
            if self.graph.nodes[next].violation.is_none() {
                self.worker.load(self.store.get(next as u32));
                self.fire_all(Some(next), cancellation)?;
            }
            next += 1;
        }
        Ok(self.graph)
    }

    /// Fires all rules in the loaded state, or all starts.
    fn fire_all(&mut self, from: Option<usize>, cancellation: &Cancellation) -> Result<(), GraphError> {
        for (unit, within) in self.context.program.instances(from.is_none()) {
            if cancellation.is_cancelled() {
                return Err(GraphError::Stopped);
            }
            let label = self
                .context
                .program
                .firing(unit, within, from.is_none(), Vec::new())
                .to_string();
            let (store, graph, limit) = (&mut self.store, &mut self.graph, self.limit);
            let mut full = false;
            self.worker
                .each_attempt(unit, within, from.is_none(), &mut |worker, attempt| {
                    match attempt {
                        Attempt::Successor => {
                            worker.settle();
                            match worker.identify() {
                                Identity::Packed(hash) => full |= !add(worker, store, graph, limit, hash, from, &label),
                                Identity::Fault(fault) => mark_failure(graph, from, &label, &violation(fault, "")),
                                Identity::Cut(_) => {}
                            }
                        }
                        // Not an error of the model.
                        Attempt::Fault(fault) if Incomplete::by(&fault).is_some() => {}
                        Attempt::Fault(fault) => mark_failure(graph, from, &label, &violation(fault, "")),
                        Attempt::Disabled | Attempt::Dropped | Attempt::Cut => {}
                    }
                    // A single rule may have very many choices.
                    full || cancellation.is_cancelled()
                });
            if full {
                return Err(GraphError::TooManyStates { limit: self.limit });
            }
        }
        Ok(())
    }
}

/// Adds the state in the worker's memory and the edge to it; false if the limit of states is reached.
fn add(
    worker: &mut Worker,
    store: &mut Store,
    graph: &mut Graph,
    limit: usize,
    hash: u64,
    from: Option<usize>,
    label: &str,
) -> bool {
    let to = match store.find(hash, &worker.key) {
        Some(known) => known as usize,
        None => {
            let instance = worker.context.program.instance;
            let violation = match worker.check() {
                Check::LeftOut => return true,
                Check::Fine => None,
                Check::Violated { property } => Some(format!(
                    "invariant \"{}\" is violated",
                    instance.properties[property].name
                )),
                Check::Fault { fault, .. } if Incomplete::by(&fault).is_some() => None,
                Check::Fault { property, fault } => Some(violation(fault, &instance.properties[property].name).message),
            };
            if graph.nodes.len() >= limit {
                return false;
            }
            let depth = from.map_or(0, |from| graph.nodes[from].depth + 1);
            let texts = worker.context.texts(worker.state());
            let lines = texts.iter().enumerate().filter(|(_, text)| *text != "undefined");
            let lines: Vec<String> = lines
                .map(|(slot, text)| format!("{} = {text}", instance.slot_name(slot)))
                .collect();
            graph.nodes.push(Node {
                depth,
                text: lines.join("\n"),
                violation,
                ..Node::default()
            });
            let number = store.insert(hash, &worker.key, Origin { parent: NONE, by: NONE });
            number.map_or(0, |number| number as usize)
        }
    };
    match from {
        Some(from) => graph.connect(from, to, label),
        None => graph.nodes[to].start = true,
    }
    true
}

/// Records that a rule fails in a state.
fn mark_failure(graph: &mut Graph, state: Option<usize>, label: &str, violation: &Violation) {
    if let Some(node) = state.and_then(|state| graph.nodes.get_mut(state)) {
        node.violation
            .get_or_insert(format!("{} in {label}", violation.message));
    }
}
