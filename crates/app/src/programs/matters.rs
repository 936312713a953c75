//! Which steps of a run matter for its end: those that the end depends on, by values and by branches.
//!
//! B. Korel and J. Laski, *Dynamic program slicing*, 1988, backwards along the run. A branch matters where it decided
//! that something was reached that does; or where the way that was not taken may have written what is needed (T.
//! Gyimóthy et al., *An efficient relevant slicing method for debugging*, 1999): what is forgotten on one way shows
//! there. Memory behind pointers is one place, and so is a variable in all calls of its procedure: a step too many may
//! be said to matter. Nothing but what is shown first depends on it.

use analysis::points_to::PointsTo;
use analysis::slice::deciders;
use interpret::trace::{ChangedPlace, TraceEvent};
use interpret::{MemoryOrigin, Trace};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{
    Argument, Automaton, Callee, Edge, Place, ProcedureId, Program, Root, Selector, Step, Value, VariableId,
};

/// Of each event whether it matters.
pub(super) fn matters(program: &Program, trace: &Trace) -> Vec<bool> {
    let mut needs = Needs {
        deciders: deciders(program, &PointsTo::of(program)),
        written: written(program),
        ..Needs::default()
    };
    let mut result = vec![false; trace.events.len()];
    for (number, event) in trace.events.iter().enumerate().rev() {
        let is_last = number + 1 == trace.events.len();
        let is_inside = needs.calls.remove(&(event.depth + 1)) && event.call.is_some();
        result[number] = needs.event(program, event) || is_last || is_inside;
        if result[number] {
            needs.reached(event);
        }
    }
    result
}

fn edge<'p>(program: &'p Program, event: &TraceEvent) -> Option<&'p Edge> {
    let automaton = program[event.procedure].body.automaton()?;
    let location = automaton.locations.get(event.location.index())?;
    location.edges.get(event.edge? as usize)
}

/// What is read later.
#[derive(Default)]
struct Needs {
    variables: BTreeSet<VariableId>,
    /// Something behind a pointer.
    has_memory: bool,
    /// Branches that decided about something that matters, with how deep in calls they are.
    branches: BTreeSet<(usize, ProcedureId, usize)>,
    /// How deep in calls something matters: the calls that lead there do, too.
    calls: BTreeSet<usize>,
    deciders: BTreeMap<ProcedureId, Vec<Vec<usize>>>,
    /// What each procedure writes, and those that it calls.
    written: BTreeMap<ProcedureId, BTreeSet<VariableId>>,
    /// What is written behind edges that a branch may take.
    behind: BTreeMap<(ProcedureId, usize, u32), BTreeSet<VariableId>>,
}

/// The variables that each procedure writes, by itself or by calls.
fn written(program: &Program) -> BTreeMap<ProcedureId, BTreeSet<VariableId>> {
    let mut written: BTreeMap<ProcedureId, BTreeSet<VariableId>> = BTreeMap::new();
    loop {
        let mut has_grown = false;
        for (procedure, number) in program.procedures.iter().zip(0..) {
            let Some(automaton) = procedure.body.automaton() else {
                continue;
            };
            let mut own = BTreeSet::new();
            for edge in automaton.locations.iter().flat_map(|location| &location.edges) {
                own.extend(writes(&edge.step, &written));
            }
            let known = written.entry(ProcedureId(number)).or_default();
            has_grown |= own.len() > known.len();
            *known = own;
        }
        if !has_grown {
            return written;
        }
    }
}

fn writes(step: &Step, written: &BTreeMap<ProcedureId, BTreeSet<VariableId>>) -> BTreeSet<VariableId> {
    let root = |place: &Place| match place.root {
        Root::Variable(variable) => Some(variable),
        Root::Dereference { .. } => None,
    };
    match step {
        Step::Assign { target, .. } | Step::Copy { target, .. } | Step::Choose { target, .. } => {
            root(target).into_iter().collect()
        }
        Step::Call { callee, result, .. } => {
            let called = match callee {
                Callee::Procedure(callee) => written.get(callee),
                Callee::Pointer(_) => None,
            };
            let called = called.into_iter().flatten().copied();
            called.chain(result.as_ref().and_then(root)).collect()
        }
        Step::Skip | Step::Assume { .. } | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => BTreeSet::new(),
    }
}

impl Needs {
    /// Whether a step matters; what it needs is needed from now on.
    fn event(&mut self, program: &Program, event: &TraceEvent) -> bool {
        if event.is_return {
            let is_needed = event.change.as_ref().is_some_and(|change| self.takes(change.place));
            if is_needed {
                self.variables.extend(program[event.procedure].result);
            }
            return is_needed;
        }
        let Some(edge) = edge(program, event) else {
            return false;
        };
        match &edge.step {
            Step::Violate(_) => true,
            Step::Skip | Step::Enter(_) | Step::Leave(_) => false,
            Step::Assume { condition, .. } => {
                let place = (event.depth, event.procedure, event.location.index());
                let decides = self.branches.remove(&place) || self.is_forgotten(program, event);
                if decides {
                    self.reads(condition);
                }
                decides
            }
            Step::Assign { value, target } => {
                let is_needed = event.change.as_ref().is_some_and(|change| self.takes(change.place));
                if is_needed {
                    self.reads(value);
                    self.address(target);
                }
                is_needed
            }
            Step::Copy { source, target } => {
                let is_needed = event.change.as_ref().is_some_and(|change| self.takes(change.place));
                if is_needed {
                    self.place(source);
                    self.address(target);
                }
                is_needed
            }
            Step::Choose { .. } => event.change.as_ref().is_some_and(|change| self.takes(change.place)),
            Step::Call { arguments, .. } => self.call(program, event, arguments),
        }
    }

    /// Whether the way that a branch did not take may write what is needed.
    fn is_forgotten(&mut self, program: &Program, event: &TraceEvent) -> bool {
        let Some(automaton) = program[event.procedure].body.automaton() else {
            return false;
        };
        let branch = event.location.index();
        let edges = automaton
            .locations
            .get(branch)
            .map_or(0, |location| location.edges.len());
        let others = (0..).take(edges).filter(|edge| Some(*edge) != event.edge);
        for edge in others {
            let key = (event.procedure, branch, edge);
            if !self.behind.contains_key(&key) {
                let behind = self.behind(automaton, event.procedure, branch, edge);
                self.behind.insert(key, behind);
            }
            let behind = self.behind.get(&key);
            if behind.is_some_and(|behind| !behind.is_disjoint(&self.variables)) {
                return true;
            }
        }
        false
    }

    /// What may be written where it depends on this edge whether one comes there.
    fn behind(&self, automaton: &Automaton, id: ProcedureId, branch: usize, edge: u32) -> BTreeSet<VariableId> {
        let deciders = self.deciders.get(&id);
        let depends = |location: usize, inside: &BTreeSet<usize>| {
            let own = deciders.and_then(|deciders| deciders.get(location));
            own.is_some_and(|own| own.iter().any(|decider| *decider == branch || inside.contains(decider)))
        };
        let target = automaton.locations[branch].edges[edge as usize].to.index();
        let (mut inside, mut pending, mut found) = (BTreeSet::new(), vec![target], BTreeSet::new());
        while let Some(location) = pending.pop() {
            if location == branch || !depends(location, &inside) || !inside.insert(location) {
                continue;
            }
            for edge in &automaton.locations[location].edges {
                found.extend(writes(&edge.step, &self.written));
                pending.push(edge.to.index());
            }
        }
        found
    }

    /// What decided that a step was reached.
    fn reached(&mut self, event: &TraceEvent) {
        let deciders = self.deciders.get(&event.procedure);
        let deciders = deciders.and_then(|deciders| deciders.get(event.location.index()));
        let branches = deciders.into_iter().flatten();
        let branches = branches.map(|location| (event.depth, event.procedure, *location));
        self.branches.extend(branches);
        self.calls.insert(event.depth);
    }

    fn call(&mut self, program: &Program, event: &TraceEvent, arguments: &[Argument]) -> bool {
        let mut is_needed = event.change.as_ref().is_some_and(|change| self.takes(change.place));
        let Some((callee, _)) = &event.call else {
            return is_needed;
        };
        if program[*callee].body.automaton().is_none() {
            // It may write behind its arguments.
            if is_needed || self.has_memory {
                arguments.iter().for_each(|argument| self.argument(argument));
            }
            return is_needed;
        }
        for (parameter, argument) in program[*callee].parameters.iter().zip(arguments) {
            if self.variables.remove(parameter) {
                is_needed = true;
                self.argument(argument);
            }
        }
        is_needed
    }

    fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Scalar(value) => self.reads(value),
            Argument::Record(place) => self.place(place),
        }
    }

    /// Whether what is written is needed. A whole variable is not needed before.
    fn takes(&mut self, place: ChangedPlace) -> bool {
        match place {
            ChangedPlace::Variable(variable) => self.variables.remove(&variable),
            ChangedPlace::Object {
                origin: MemoryOrigin::Variable(variable),
                ..
            } => self.has_memory || self.variables.contains(&variable),
            ChangedPlace::Object { .. } => self.has_memory,
        }
    }

    fn place(&mut self, place: &Place) {
        match &place.root {
            Root::Variable(variable) => {
                self.variables.insert(*variable);
            }
            Root::Dereference { .. } => self.has_memory = true,
        }
        self.address(place);
    }

    /// What decides where a place is.
    fn address(&mut self, place: &Place) {
        if let Root::Dereference { pointer, .. } = &place.root {
            self.reads(pointer);
        }
        for selector in &place.selectors {
            if let Selector::Index(index) = selector {
                self.reads(index);
            }
        }
    }

    fn reads(&mut self, value: &Value) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::Read { place, .. } => self.place(place),
                Value::Address(place) => self.address(place),
                Value::Unary { operand: value, .. } | Value::Convert { value, .. } => pending.push(value),
                Value::Binary { left, right, .. }
                | Value::Compare { left, right, .. }
                | Value::Distance { left, right, .. } => pending.extend([&**left, &**right]),
                Value::Offset { pointer, index, .. } => pending.extend([&**pointer, &**index]),
                Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
            }
        }
    }
}
