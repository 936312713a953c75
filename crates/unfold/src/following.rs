//! Replay of program runs in a system by contracts.
//!
//! Each call of a procedure with a contract is replayed as a run of its own, from the entry of an arbitrary call: its
//! arguments must satisfy the precondition. Where it returns, the final state must satisfy the postcondition, and only
//! cells that the contract lists may have changed; in the caller's run, the call is one step.

use crate::back::ReplayOutcome;
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
    /// The call in the caller's run.
    context: ContextId,
    procedure: ProcedureId,
    /// The local cells of the enclosing call of the same procedure, and which of them were uninitialized.
    own: State,
    uninitialized: BTreeSet<CellId>,
    /// All other cells on entry, and which of them were uninitialized.
    outside: State,
    blank: BTreeSet<CellId>,
}

/// The next node, or the end of the replay.
type Next = Result<Node, ReplayOutcome>;

/// Follows a run in a machine that walks along given inputs.
pub(crate) fn follow(machine: &mut Machine, first: Node, contracts: &[Contract], longest: usize) -> ReplayOutcome {
    let mut frames: Vec<Frame> = Vec::new();
    let mut node = first;
    for steps in 0..longest {
        let next = step(machine, node, contracts, &mut frames);
        let replay = machine.walk.as_ref().and_then(|walk| walk.replay.as_ref());
        if replay.is_none_or(|replay| replay.is_approximate) {
            return ReplayOutcome::Prefix(steps);
        }
        node = match next {
            Ok(Node::Violated(property)) => return ReplayOutcome::Violated(property),
            Ok(Node::TooDeep) => return ReplayOutcome::Prefix(steps),
            Ok(node) => node,
            Err(followed) => return followed,
        };
    }
    ReplayOutcome::Prefix(longest)
}

fn step(machine: &mut Machine, node: Node, contracts: &[Contract], frames: &mut Vec<Frame>) -> Next {
    let Node::At(context, _) = node else {
        return Err(ReplayOutcome::Stuck(node));
    };
    let contract = |procedure: ProcedureId| contracts.iter().find(|contract| contract.procedure == procedure);
    if machine.contexts[context].is_by_contract {
        let contract = contract(machine.contexts[context].procedure).ok_or(ReplayOutcome::Prefix(0))?;
        let (frame, begun) = machine
            .enter_call(context, contract)
            .ok_or(ReplayOutcome::Stuck(node))?;
        frames.push(frame);
        return Ok(begun);
    }
    let root = machine.contexts.root_of(context);
    if let Some(procedure) = root.filter(|procedure| machine.contexts.exit_of(*procedure) == Some(node)) {
        let (Some(frame), Some(contract)) = (frames.pop(), contract(procedure)) else {
            return Err(ReplayOutcome::Stuck(node));
        };
        return machine.leave_call(frame, contract).ok_or(ReplayOutcome::Stuck(node));
    }
    match machine.next(0, node) {
        None => Err(ReplayOutcome::Stuck(node)),
        Some(None) => Err(ReplayOutcome::Ended),
        Some(Some(next)) => Ok(next),
    }
}

impl Machine<'_, '_> {
    /// Enters a call, if its precondition holds.
    fn enter_call(&mut self, context: ContextId, contract: &Contract) -> Option<(Frame, Node)> {
        let procedure = contract.procedure;
        let root = *self.contexts.roots.get(&procedure)?;
        let parameters = &self.program[procedure].parameters;
        let (passed, taken) = (self.cells_of(context, parameters), self.cells_of(root, parameters));
        let values: Vec<(CellId, Term, bool)> = taken
            .into_iter()
            .zip(passed)
            .map(|(to, from)| (to, self.held(from), self.is_uninitialized(from)))
            .collect();
        let all = std::mem::take(&mut self.state);
        let (own, outside): (State, State) = all.into_iter().partition(|(cell, _)| self.is_own(*cell, procedure));
        self.state.clone_from(&outside);
        let walk = self.walk.as_ref()?;
        let all: Vec<CellId> = walk.uninitialized.iter().copied().collect();
        let uninitialized: BTreeSet<CellId> = all.into_iter().filter(|cell| self.is_own(*cell, procedure)).collect();
        let walk = self.walk.as_mut()?;
        walk.uninitialized.retain(|cell| !uninitialized.contains(cell));
        let blank = walk.uninitialized.clone();
        for (cell, value, is_uninitialized) in values {
            self.set(cell, value);
            if let (Some(walk), true) = (&mut self.walk, is_uninitialized) {
                walk.uninitialized.insert(cell);
            }
        }
        if !self.holds(contract.requires) {
            return None;
        }
        let (begun, _) = self.step_through(Node::Entry(procedure))?;
        let frame = Frame {
            context,
            procedure,
            own,
            uninitialized,
            outside,
            blank,
        };
        Some((frame, begun))
    }

    /// Leaves a call, if its postcondition holds.
    fn leave_call(&mut self, frame: Frame, contract: &Contract) -> Option<Node> {
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
            .map(|(to, from)| (to, self.held(from), self.is_uninitialized(from)))
            .collect();
        let all = std::mem::take(&mut self.state);
        self.state = all
            .into_iter()
            .filter(|(cell, _)| !self.is_own(*cell, procedure))
            .collect();
        self.state.extend(frame.own);
        let uninitialized = std::mem::take(&mut self.walk.as_mut()?.uninitialized);
        let kept = uninitialized.into_iter().filter(|cell| !self.is_own(*cell, procedure));
        let kept: BTreeSet<CellId> = kept.chain(frame.uninitialized).collect();
        self.walk.as_mut()?.uninitialized = kept;
        for (cell, value, is_uninitialized) in values {
            self.set(cell, value);
            if let (Some(walk), true) = (&mut self.walk, is_uninitialized) {
                walk.uninitialized.insert(cell);
            }
        }
        self.return_from_call(frame.context)
    }

    /// Whether the call changed only cells that the procedure may write.
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

    fn is_uninitialized(&self, cell: CellId) -> bool {
        self.walk
            .as_ref()
            .is_some_and(|walk| walk.uninitialized.contains(&cell))
    }

    /// Whether a formula holds in the current state. If it mentions an uninitialized cell, the replay becomes
    /// approximate.
    fn holds(&mut self, formula: Term) -> bool {
        let mut put = formula;
        for function in functions_of(formula) {
            let cell = self.objects.cells.iter().position(|cell| cell.function == function);
            let cell = cell.and_then(|position| u32::try_from(position).ok()).map(CellId);
            let known = cell.filter(|cell| !self.is_uninitialized(*cell));
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
