//! Instances of facts, so that a state costs only what differs from the state before.
//!
//! A fact `forall i. a(i) & b(i)` is false exactly where some instance `a(e)` or `b(e)` is. Each instance reads a few
//! entries of the correspondence, and consecutive states of a search or a run differ in a few entries. An instance
//! whose entries are unchanged keeps its value, which was not false in the state before.

use super::compile::{Code, NodeId, Operation};
use logic::Quantifier;

/// Facts are split into up to this many instances; the rest of their quantifiers stay loops.
const MAX_INSTANCES: usize = 10_000;
/// The work for the sets of entries that instances read; instances beyond it are checked in every state.
const MAX_VISITED: usize = 1_000_000;

/// A conjunct below outermost universal quantifiers, with values for their variables.
struct FactInstance {
    /// Index into the formulas.
    formula: usize,
    node: NodeId,
    binding: Vec<i64>,
}

pub(super) struct FactInstances {
    instances: Vec<FactInstance>,
    /// For each entry the instances that read it, as a bit set; empty if there are none.
    readers: Vec<Vec<u64>>,
    /// The instances that are checked in every state.
    always: Vec<u64>,
    /// The instances that remain to be checked in the current state.
    pending: Vec<u64>,
    /// No instance of an earlier word of the bit set is pending.
    word: usize,
}

impl FactInstances {
    /// Of each formula its code, and whether it may be split: one about multisets is false only as a whole.
    pub(super) fn new(code: &Code, formulas: impl IntoIterator<Item = (NodeId, bool)>) -> FactInstances {
        let mut instances = Vec::new();
        let mut whole = Vec::new();
        for (formula, (node, may_split)) in formulas.into_iter().enumerate() {
            if may_split {
                split(code, (formula, node), &mut Vec::new(), &mut instances);
            } else {
                whole.push(instances.len());
                instances.push(FactInstance {
                    formula,
                    node,
                    binding: Vec::new(),
                });
            }
        }
        let words = instances.len().div_ceil(64);
        let mut built = FactInstances {
            readers: vec![Vec::new(); code.entries.len()],
            always: vec![0; words],
            pending: vec![0; words],
            word: 0,
            instances,
        };
        let mut reads = Reads::new(code);
        for number in 0..built.instances.len() {
            let (word, bit) = (number / 64, 1 << (number % 64));
            let instance = &built.instances[number];
            match reads.of(instance).filter(|_| whole.binary_search(&number).is_err()) {
                Some(entries) => entries.iter().for_each(|entry| {
                    let readers = &mut built.readers[*entry];
                    readers.resize(words, 0);
                    readers[word] |= bit;
                }),
                None => built.always[word] |= bit,
            }
        }
        built
    }

    /// Forgets what is pending, before a state is loaded.
    pub(super) fn begin_state(&mut self) {
        self.pending.copy_from_slice(&self.always);
        self.word = 0;
    }

    /// Notes that the current state has another value in this entry than the state before.
    pub(super) fn entry_changed(&mut self, entry: usize) {
        let readers = self.pending.iter_mut().zip(&self.readers[entry]);
        readers.for_each(|(pending, readers)| *pending |= readers);
    }

    /// The next instance to check: the index of its formula, its code and the values of the outermost variables.
    pub(super) fn next_pending(&mut self) -> Option<(usize, NodeId, &[i64])> {
        while *self.pending.get(self.word)? == 0 {
            self.word += 1;
        }
        let bits = &mut self.pending[self.word];
        let number = self.word * 64 + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        let instance = &self.instances[number];
        Some((instance.formula, instance.node, &instance.binding))
    }
}

fn split(code: &Code, (formula, node): (usize, NodeId), binding: &mut Vec<i64>, instances: &mut Vec<FactInstance>) {
    match &code.nodes[node as usize].operation {
        Operation::And(operands) if instances.len() + operands.len() <= MAX_INSTANCES => {
            for operand in operands {
                split(code, (formula, *operand), binding, instances);
            }
        }
        // A node that is shared may bind at another level than its place here says.
        Operation::Loop(Quantifier::Forall, level, domain, body)
            if *level == binding.len()
                && domain.count <= (MAX_INSTANCES - instances.len().min(MAX_INSTANCES)) as i64 =>
        {
            for value in domain.low..domain.low + domain.count {
                binding.push(value);
                split(code, (formula, *body), binding, instances);
                binding.pop();
            }
        }
        _ => instances.push(FactInstance {
            formula,
            node,
            binding: binding.clone(),
        }),
    }
}

/// Finds the entries that instances read.
struct Reads<'c> {
    code: &'c Code,
    /// For each node the last instance that visited it.
    visitors: Vec<usize>,
    visitor: usize,
    /// The remaining work.
    budget: usize,
    entries: Vec<usize>,
}

impl Reads<'_> {
    fn new(code: &Code) -> Reads<'_> {
        Reads {
            code,
            visitors: vec![0; code.nodes.len()],
            visitor: 0,
            budget: MAX_VISITED,
            entries: Vec::new(),
        }
    }

    /// All entries that the value of the instance may depend on; `None` if that is too much work to find out.
    fn of(&mut self, instance: &FactInstance) -> Option<&[usize]> {
        self.visitor += 1;
        self.entries.clear();
        let code = self.code;
        let mut unvisited = vec![instance.node];
        while let Some(node) = unvisited.pop() {
            if std::mem::replace(&mut self.visitors[node as usize], self.visitor) == self.visitor {
                continue;
            }
            let operation = &code.nodes[node as usize].operation;
            match operation {
                Operation::Entry(entry) => self.entries.push(*entry),
                Operation::Lookup(table, arguments) => {
                    let known = |argument: &NodeId| match code.nodes[*argument as usize].operation {
                        Operation::Constant(value) => Some(value),
                        Operation::Bound(level) => instance.binding.get(level).copied(),
                        _ => None,
                    };
                    let arguments: Vec<Option<i64>> = arguments.iter().map(known).collect();
                    let before = self.entries.len();
                    code.tables[*table].matching(&arguments, &mut self.entries);
                    self.budget = self.budget.saturating_sub(self.entries.len() - before);
                }
                // It binds a variable of the instance anew, so that parts of it mean two things.
                Operation::Loop(_, level, ..) if *level < instance.binding.len() => return None,
                _ => {}
            }
            operation.for_each_operand(&mut |operand| unvisited.push(operand));
            self.budget = self.budget.checked_sub(1)?;
        }
        Some(&self.entries)
    }
}
