//! Constant propagation: cells of constant variables, such as the characters of a literal, and of parameters that are
//! never written and are passed a constant. They are no variables of the transition system, which keeps them out of
//! invariants.

use crate::contexts::ContextId;
use crate::machine::Machine;
use crate::numbers::constant;
use crate::objects::{CellId, ObjectOrigin};
use crate::system_of::initial_values;
use logic::Term;
use rustc_hash::FxHashSet;
use system::program::{Argument, Place, Program, Root, Selector, Step, Value, VariableId};

impl Machine<'_, '_> {
    /// Finds the constant cells of all objects. Callers come before their callees, whose arguments may use them.
    pub(crate) fn find_constants(&mut self) {
        let written = written_variables(self.program);
        let mut found: Vec<(CellId, Term)> = Vec::new();
        for (cell, value) in initial_values(self) {
            let object = self.objects[cell].object;
            if let ObjectOrigin::Variable(None, variable) = self.objects[object].origin
                && self.program[variable].is_constant
                && !written.contains(&variable)
            {
                found.push((cell, value));
            }
        }
        self.set_constants(found);
        for number in 0..self.contexts.contexts.len() {
            let context = ContextId(u32::try_from(number).unwrap_or(u32::MAX));
            let found = self.constant_parameters(context, &written);
            self.set_constants(found);
        }
    }

    fn set_constants(&mut self, found: Vec<(CellId, Term)>) {
        for (cell, value) in found {
            self.objects[cell].constant = Some(value);
        }
    }

    /// The constant parameters of a call.
    fn constant_parameters(&mut self, context: ContextId, written: &FxHashSet<VariableId>) -> Vec<(CellId, Term)> {
        let mut found = Vec::new();
        let Some((caller, edge)) = self.contexts.call_of(context) else {
            return found;
        };
        let Step::Call { arguments, .. } = &edge.step else {
            return found;
        };
        if self.contexts[context].is_by_contract {
            return found;
        }
        let parameters = &self.program[self.contexts[context].procedure].parameters;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let Argument::Scalar(value) = argument else { continue };
            if written.contains(parameter) || !may_be_constant(value) {
                continue;
            }
            let object = self.variable_in(context, *parameter);
            let cells = &self.objects[object].cells;
            let (Some(cell), 1) = (cells.values().next().copied(), cells.len()) else {
                continue;
            };
            let is_same = self.objects[cell].scalar == value.scalar();
            let held = logic::simplify(self.value_in_any_state(caller, value));
            if constant(held).is_some() && is_same {
                found.push((cell, held));
            }
        }
        found
    }

    /// The value of an expression in an arbitrary state.
    fn value_in_any_state(&mut self, context: ContextId, value: &Value) -> Term {
        let state = std::mem::take(&mut self.state);
        let around = std::mem::replace(&mut self.context, context);
        let held = self.value(value);
        self.requirements.clear();
        (self.state, self.context) = (state, around);
        held
    }
}

/// Whether a value is a literal, an address, or the content of a variable.
fn may_be_constant(value: &Value) -> bool {
    match value {
        Value::Integer { .. } | Value::Procedure(_) => true,
        Value::Convert { value, .. } => may_be_constant(value),
        Value::Address(place) | Value::Read { place, .. } => {
            let is_fixed = |selector: &Selector| match selector {
                Selector::Field(_) => true,
                Selector::Index(index) => matches!(**index, Value::Integer { .. }),
            };
            matches!(place.root, Root::Variable(_)) && place.selectors.iter().all(is_fixed)
        }
        _ => false,
    }
}

/// Variables that a step writes to, and writable variables whose address is taken.
fn written_variables(program: &Program) -> FxHashSet<VariableId> {
    let mut written = FxHashSet::default();
    let own = |place: &Place| match place.root {
        Root::Variable(variable) => Some(variable),
        Root::Dereference { .. } => None,
    };
    for procedure in &program.procedures {
        let Some(automaton) = procedure.body.automaton() else {
            continue;
        };
        for edge in automaton.locations.iter().flat_map(|location| &location.edges) {
            match &edge.step {
                Step::Assign { target, .. } | Step::Copy { target, .. } | Step::Choose { target, .. } => {
                    written.extend(own(target));
                }
                Step::Call { result, .. } => written.extend(result.as_ref().and_then(own)),
                Step::Enter(variable) => written.extend([*variable]),
                _ => {}
            }
            let mut step = edge.step.clone();
            step.for_each_value_mut(&mut |value| {
                if let Value::Address(place) = value {
                    let variable = own(place).filter(|variable| !program[*variable].is_constant);
                    written.extend(variable);
                }
            });
        }
    }
    written
}
