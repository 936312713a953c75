//! Runs of the program followed in a system by contracts.
//!
//! Each call of a procedure with a contract is followed as a run of its own, from the beginning of any call: what it is
//! given must be what the contract allows. Where it returns, what it leaves behind must be what the contract promises,
//! and nothing else may have changed; the call is one step of the run that it is in.

use crate::back::Followed;
use crate::contexts::{ContextId, Node};
use crate::contracts::Contract;
use crate::machine::{Machine, State};
use crate::objects::CellId;
use logic::substitute::functions_of;
use logic::{Term, term};
use std::collections::BTreeSet;
use system::program::ProcedureId;

/// A call that has not returned yet.
struct Frame {
    /// The call in the run around it.
    context: ContextId,
    procedure: ProcedureId,
    /// What the cells that each call has of its own held for the call around it, and which of them held nothing.
    own: State,
    unwritten: BTreeSet<CellId>,
    /// What all other cells held, and which of them held nothing.
    outside: State,
    blank: BTreeSet<CellId>,
}

/// Where a run goes on, or why it does not.
type Next = Result<Node, Followed>;

/// Follows a run in a machine that walks along given inputs.
pub(crate) fn follow(machine: &mut Machine, first: Node, contracts: &[Contract], longest: usize) -> Followed {
    let mut frames: Vec<Frame> = Vec::new();
    let mut node = first;
    for steps in 0..longest {
        let next = step(machine, node, contracts, &mut frames);
        let replay = machine.walk.as_ref().and_then(|walk| walk.replay.as_ref());
        if replay.is_none_or(|replay| replay.is_approximate) {
            return Followed::Prefix(steps);
        }
        node = match next {
            Ok(Node::Violated(property)) => return Followed::Violated(property),
            Ok(Node::TooDeep) => return Followed::Prefix(steps),
            Ok(node) => node,
            Err(followed) => return followed,
        };
    }
    Followed::Prefix(longest)
}

fn step(machine: &mut Machine, node: Node, contracts: &[Contract], frames: &mut Vec<Frame>) -> Next {
    let Node::At(context, _) = node else {
        return Err(Followed::Stuck(node));
    };
    let contract = |procedure: ProcedureId| contracts.iter().find(|contract| contract.procedure == procedure);
    if machine.contexts.get(context).is_by_contract {
        let contract = contract(machine.contexts.get(context).procedure).ok_or(Followed::Prefix(0))?;
        let (frame, begun) = machine.open(context, contract).ok_or(Followed::Stuck(node))?;
        frames.push(frame);
        return Ok(begun);
    }
    let root = machine.contexts.root_of(context);
    if let Some(procedure) = root.filter(|procedure| machine.contexts.end(*procedure) == Some(node)) {
        let (Some(frame), Some(contract)) = (frames.pop(), contract(procedure)) else {
            return Err(Followed::Stuck(node));
        };
        return machine.close_frame(frame, contract).ok_or(Followed::Stuck(node));
    }
    match machine.next(0, node) {
        None => Err(Followed::Stuck(node)),
        Some(None) => Err(Followed::Ended),
        Some(Some(next)) => Ok(next),
    }
}

impl Machine<'_, '_> {
    /// Begins a call, where the contract allows it.
    fn open(&mut self, context: ContextId, contract: &Contract) -> Option<(Frame, Node)> {
        let procedure = contract.procedure;
        let root = *self.contexts.roots.get(&procedure)?;
        let parameters = &self.program[procedure].parameters;
        let (passed, taken) = (self.cells_of(context, parameters), self.cells_of(root, parameters));
        let values: Vec<(CellId, Term, bool)> = taken
            .into_iter()
            .zip(passed)
            .map(|(to, from)| (to, self.held(from), self.is_unwritten(from)))
            .collect();
        let all = std::mem::take(&mut self.state);
        let (own, outside): (State, State) = all.into_iter().partition(|(cell, _)| self.is_own(*cell, procedure));
        self.state.clone_from(&outside);
        let walk = self.walk.as_ref()?;
        let all: Vec<CellId> = walk.unwritten.iter().copied().collect();
        let unwritten: BTreeSet<CellId> = all.into_iter().filter(|cell| self.is_own(*cell, procedure)).collect();
        let walk = self.walk.as_mut()?;
        walk.unwritten.retain(|cell| !unwritten.contains(cell));
        let blank = walk.unwritten.clone();
        for (cell, value, is_unwritten) in values {
            self.set(cell, value);
            if let (Some(walk), true) = (&mut self.walk, is_unwritten) {
                walk.unwritten.insert(cell);
            }
        }
        if !self.holds(contract.requires) {
            return None;
        }
        let (begun, _) = self.pass(Node::Entry(procedure))?;
        let frame = Frame {
            context,
            procedure,
            own,
            unwritten,
            outside,
            blank,
        };
        Some((frame, begun))
    }

    /// Ends a call, where it does what the contract promises.
    fn close_frame(&mut self, frame: Frame, contract: &Contract) -> Option<Node> {
        let procedure = frame.procedure;
        if !self.holds(contract.ensures) || !self.is_as_written(&frame) {
            return None;
        }
        let root = *self.contexts.roots.get(&procedure)?;
        let result: Vec<_> = self.program[procedure].result.into_iter().collect();
        let (left, wanted) = (self.cells_of(root, &result), self.cells_of(frame.context, &result));
        let values: Vec<(CellId, Term, bool)> = wanted
            .into_iter()
            .zip(left)
            .map(|(to, from)| (to, self.held(from), self.is_unwritten(from)))
            .collect();
        let all = std::mem::take(&mut self.state);
        self.state = all
            .into_iter()
            .filter(|(cell, _)| !self.is_own(*cell, procedure))
            .collect();
        self.state.extend(frame.own);
        let unwritten = std::mem::take(&mut self.walk.as_mut()?.unwritten);
        let kept = unwritten.into_iter().filter(|cell| !self.is_own(*cell, procedure));
        let kept: BTreeSet<CellId> = kept.chain(frame.unwritten).collect();
        self.walk.as_mut()?.unwritten = kept;
        for (cell, value, is_unwritten) in values {
            self.set(cell, value);
            if let (Some(walk), true) = (&mut self.walk, is_unwritten) {
                walk.unwritten.insert(cell);
            }
        }
        self.give_back(frame.context)
    }

    /// Whether nothing has changed but what the procedure may write.
    fn is_as_written(&self, frame: &Frame) -> bool {
        let mut cells = self.state.keys().chain(frame.outside.keys());
        let zero = term::int(0);
        cells.all(|cell| {
            let before = frame.outside.get(cell).copied().unwrap_or(zero);
            self.is_own(*cell, frame.procedure)
                || self.may_write(frame.procedure, *cell)
                || frame.blank.contains(cell)
                || self.held(*cell) == before
        })
    }

    fn is_unwritten(&self, cell: CellId) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.unwritten.contains(&cell))
    }

    /// Whether a formula holds of what cells hold. Nothing follows where it speaks of what nobody has given a value.
    fn holds(&mut self, formula: Term) -> bool {
        let mut put = formula;
        for function in functions_of(formula) {
            let cell = self.objects.cells.iter().position(|cell| cell.function == function);
            let cell = cell.and_then(|position| u32::try_from(position).ok()).map(CellId);
            let known = cell.filter(|cell| !self.is_unwritten(*cell));
            let Some(cell) = known else {
                if let Some(replay) = self.walk.as_mut().and_then(|walk| walk.replay.as_mut()) {
                    replay.is_approximate = true;
                }
                return true;
            };
            put = logic::substitute::replace(put, function.apply([]), self.held(cell));
        }
        logic::simplify(put).is_true()
    }
}
