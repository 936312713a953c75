//! Weaving: calls of functions with events call the handlers of rules, too.

use super::{Call, Moment, Names, Rule};
use crate::tree::FunctionId;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use system::program::{
    Argument, Automaton, Body, Callee, Edge, Initial, Library, Location, LocationId, Place, Procedure, ProcedureId,
    Program, Scalar, Step, TypeId, Value, Variable, VariableId, VariableKind,
};
use system::{Diagnostic, Severity, Span};

/// Weaves the handlers into all calls of functions with events. A pointer to such a function becomes a pointer to a
/// wrapper. `made` gives the function of each procedure.
pub(crate) fn weave(
    program: &mut Program,
    rules: &[Rule],
    names: &Names,
    made: &[(FunctionId, ProcedureId)],
) -> Vec<Diagnostic> {
    let mut weaver = Weaver {
        handlers: Handlers::new(program, rules, names, made),
        wrappers: BTreeSet::new(),
        program,
        diagnostics: Vec::new(),
    };
    weaver.wrap_pointers();
    for number in 0..weaver.program.procedures.len() {
        weaver.procedure(ProcedureId(u32::try_from(number).unwrap_or(u32::MAX)));
    }
    weaver.rename(rules.len());
    weaver.diagnostics
}

/// The handlers of each function.
struct Handlers {
    before: BTreeMap<ProcedureId, Vec<Handler>>,
    after: BTreeMap<ProcedureId, Vec<Handler>>,
    all: Vec<ProcedureId>,
}

#[derive(Clone)]
struct Handler {
    procedure: ProcedureId,
    /// The positions of the arguments that it receives.
    arguments: Vec<usize>,
    wants_result: bool,
    /// The function, as the rule names it.
    function: String,
    span: Span,
}

impl Handlers {
    fn new(program: &Program, rules: &[Rule], names: &Names, made: &[(FunctionId, ProcedureId)]) -> Handlers {
        // Procedures that the language itself needs have no source location: the user does not call them.
        let named = |name: &str| -> Vec<ProcedureId> {
            let is_it = |(_, procedure): &(u32, &Procedure)| procedure.name == name && !procedure.span.is_nowhere();
            let all = (0..).zip(&program.procedures);
            all.filter(is_it).map(|(number, _)| ProcedureId(number)).collect()
        };
        let mut handlers = Handlers {
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            all: Vec::new(),
        };
        // The functions that the rule means by a name.
        let meant = |rule: &Rule, name: &str| -> Vec<ProcedureId> {
            let own = made.iter().filter(|(function, procedure)| {
                !program[*procedure].span.is_nowhere() && names.in_rule(*function, rule) == Some(name)
            });
            own.map(|(_, procedure)| *procedure).collect()
        };
        let events = rules
            .iter()
            .flat_map(|rule| rule.events.iter().map(move |event| (rule, event)));
        for (rule, event) in events {
            let Some(procedure) = named(&event.handler).first().copied() else {
                continue;
            };
            handlers.all.push(procedure);
            let handler = |call: &Call| Handler {
                procedure,
                arguments: (0..call.arguments.len())
                    .filter(|n| call.arguments[*n].is_some())
                    .collect(),
                wants_result: call.result.is_some(),
                function: call.function.clone(),
                span: event.span,
            };
            let (map, functions, handler) = match &event.moment {
                Moment::Before(call) => (&mut handlers.before, meant(rule, &call.function), handler(call)),
                Moment::After(call) => (&mut handlers.after, meant(rule, &call.function), handler(call)),
                Moment::End => {
                    let is_exit =
                        |(_, procedure): &(u32, &Procedure)| matches!(procedure.body, Body::Library(Library::Exit));
                    let exits = (0..).zip(&program.procedures).filter(is_exit);
                    let handler = Handler {
                        procedure,
                        arguments: Vec::new(),
                        wants_result: false,
                        function: String::new(),
                        span: event.span,
                    };
                    (
                        &mut handlers.before,
                        exits.map(|(number, _)| ProcedureId(number)).collect(),
                        handler,
                    )
                }
            };
            for function in functions {
                map.entry(function).or_default().push(handler.clone());
            }
        }
        handlers
    }

    fn has(&self, procedure: ProcedureId) -> bool {
        self.before.contains_key(&procedure) || self.after.contains_key(&procedure)
    }
}

struct Weaver<'a> {
    program: &'a mut Program,
    handlers: Handlers,
    /// Wrappers of watched functions for calls through pointers.
    wrappers: BTreeSet<ProcedureId>,
    diagnostics: Vec<Diagnostic>,
}

impl Weaver<'_> {
    /// Redirects calls through pointers to wrappers.
    fn wrap_pointers(&mut self) {
        let watched: Vec<ProcedureId> = self
            .handlers
            .before
            .keys()
            .chain(self.handlers.after.keys())
            .copied()
            .collect();
        let mut wrappers: BTreeMap<ProcedureId, ProcedureId> = BTreeMap::new();
        let mut variadic: BTreeSet<ProcedureId> = BTreeSet::new();
        for function in watched {
            if self.program[function].is_variadic {
                variadic.insert(function);
            } else if let Entry::Vacant(place) = wrappers.entry(function) {
                place.insert(self.wrapper(function));
            }
        }
        let mut lost: BTreeSet<(ProcedureId, Span)> = BTreeSet::new();
        for procedure in &mut self.program.procedures {
            let Body::Automaton(automaton) = &mut procedure.body else {
                continue;
            };
            for edge in automaton.locations.iter_mut().flat_map(|location| &mut location.edges) {
                let span = edge.span;
                edge.step.for_each_value_mut(&mut |value| {
                    let Value::Procedure(procedure) = value else { return };
                    if let Some(wrapper) = wrappers.get(procedure) {
                        *procedure = *wrapper;
                    } else if variadic.contains(procedure) {
                        lost.insert((*procedure, span));
                    }
                });
            }
        }
        // Variadic arguments are unknown in the wrapper.
        self.diagnostics.extend(lost.into_iter().map(|(function, span)| {
            let message = format!("a pointer to `{}`, which a rule is about", self.program[function].name);
            let error = Diagnostic::error(span, message).label("calls by this pointer are not seen");
            error.help("functions with `...` can be watched only where they are called by name")
        }));
        self.wrappers = wrappers.into_values().collect();
    }

    /// Display names, assigned after all functions are resolved by their linker symbols.
    fn rename(&mut self, rules: usize) {
        for handler in &self.handlers.all {
            let procedure = &mut self.program.procedures[handler.index()];
            procedure.name = "the rule".to_owned();
        }
        for variable in &mut self.program.variables {
            let own = (0..rules).find_map(|number| variable.name.strip_prefix(&super::prefix(number)));
            if let Some(name) = own {
                variable.name = name.to_owned();
            }
        }
    }

    fn wrapper(&mut self, function: ProcedureId) -> ProcedureId {
        let id = ProcedureId(u32::try_from(self.program.procedures.len()).unwrap_or(u32::MAX));
        let original = self.program[function].clone();
        let copy = |weaver: &mut Self, variable: VariableId| {
            let copied = Variable {
                procedure: Some(id),
                ..weaver.program[variable].clone()
            };
            weaver.add_variable(copied)
        };
        let parameters: Vec<VariableId> = original
            .parameters
            .iter()
            .map(|variable| copy(self, *variable))
            .collect();
        let result = original.result.map(|variable| copy(self, variable));
        let arguments = parameters.iter().map(|variable| self.passed(*variable)).collect();
        let call = Step::Call {
            callee: Callee::Procedure(function),
            arguments,
            result: result.map(Place::variable),
        };
        let location = |edges| Location {
            edges,
            label: None,
            span: original.span,
        };
        let edge = Edge {
            step: call,
            to: LocationId(1),
            span: original.span,
        };
        self.program.procedures.push(Procedure {
            parameters,
            result,
            body: Body::Automaton(Automaton {
                locations: vec![location(vec![edge]), location(Vec::new())],
                entry: LocationId(0),
                exit: LocationId(1),
            }),
            ..original
        });
        id
    }

    fn passed(&self, variable: VariableId) -> Argument {
        let place = Place::variable(variable);
        match self.program.types.scalar(self.program[variable].type_id) {
            Some(scalar) => Argument::Scalar(Value::Read {
                place: Box::new(place),
                scalar,
            }),
            None => Argument::Record(place),
        }
    }

    fn add_variable(&mut self, variable: Variable) -> VariableId {
        self.program.variables.push(variable);
        VariableId(u32::try_from(self.program.variables.len() - 1).unwrap_or(u32::MAX))
    }

    fn procedure(&mut self, id: ProcedureId) {
        let Some(automaton) = self.program[id].body.automaton() else {
            return;
        };
        // Handlers cause no events, nor do our bodies of library functions.
        let is_ours = self.program[id].is_library && !self.wrappers.contains(&id);
        if is_ours || self.handlers.all.contains(&id) {
            return;
        }
        let mut calls: Vec<(usize, usize)> = Vec::new();
        for (location, at) in automaton.locations.iter().enumerate() {
            for (position, edge) in at.edges.iter().enumerate() {
                if let Step::Call {
                    callee: Callee::Procedure(function),
                    ..
                } = &edge.step
                    && self.handlers.has(*function)
                {
                    calls.push((location, position));
                }
            }
        }
        if calls.is_empty() {
            return;
        }
        let mut automaton = automaton.clone();
        for (location, position) in calls {
            self.call(id, &mut automaton, location, position);
        }
        self.program.procedures[id.index()].body = Body::Automaton(automaton);
    }

    /// Instruments one call: arguments for handlers are saved first, since the call may change the variables read.
    fn call(&mut self, id: ProcedureId, automaton: &mut Automaton, location: usize, position: usize) {
        let edge = automaton.locations[location].edges[position].clone();
        let Step::Call {
            callee: Callee::Procedure(function),
            arguments,
            mut result,
        } = edge.step
        else {
            return;
        };
        let before = self.handlers.before.get(&function).cloned().unwrap_or_default();
        let after = self.handlers.after.get(&function).cloned().unwrap_or_default();
        let mut steps: Vec<Step> = Vec::new();
        let mut kept: BTreeMap<usize, VariableId> = BTreeMap::new();
        for handler in before.iter().chain(&after) {
            for (wanted, parameter) in handler
                .arguments
                .iter()
                .zip(self.program[handler.procedure].parameters.clone())
            {
                if let (Some(Argument::Scalar(value)), false) = (arguments.get(*wanted), kept.contains_key(wanted)) {
                    let value = value.clone();
                    let type_id = self.program[parameter].type_id;
                    let variable = self.temporary(id, type_id, handler.span);
                    let value = self.converted(value, type_id);
                    steps.push(Step::Assign {
                        target: Place::variable(variable),
                        value,
                    });
                    kept.insert(*wanted, variable);
                }
            }
        }
        for handler in &before {
            self.notify(function, handler, &kept, None, &mut steps);
        }
        if result.is_none() && after.iter().any(|handler| handler.wants_result) {
            let returned = self.program[function]
                .result
                .map(|variable| self.program[variable].type_id);
            result = returned.map(|type_id| Place::variable(self.temporary(id, type_id, edge.span)));
        }
        steps.push(Step::Call {
            callee: Callee::Procedure(function),
            arguments,
            result: result.clone(),
        });
        for handler in &after {
            self.notify(function, handler, &kept, result.as_ref(), &mut steps);
        }
        append(automaton, (location, position), steps, edge.to, edge.span);
    }

    fn notify(
        &mut self,
        function: ProcedureId,
        handler: &Handler,
        kept: &BTreeMap<usize, VariableId>,
        result: Option<&Place>,
        steps: &mut Vec<Step>,
    ) {
        let parameters = self.program[handler.procedure].parameters.clone();
        let mut arguments = Vec::new();
        for (wanted, parameter) in handler.arguments.iter().zip(&parameters) {
            let Some(variable) = kept.get(wanted) else {
                let message = "this argument is a record, or is not given: a rule cannot name it";
                return self.refuse(function, handler, message);
            };
            let value = self.read(Place::variable(*variable), self.program[*variable].type_id);
            arguments
                .extend(value.map(|value| Argument::Scalar(self.converted(value, self.program[*parameter].type_id))));
        }
        if let (true, Some(place), Some(parameter)) = (handler.wants_result, result, parameters.last()) {
            let value = self.read(place.clone(), self.program.type_of(place));
            arguments
                .extend(value.map(|value| Argument::Scalar(self.converted(value, self.program[*parameter].type_id))));
        }
        if handler.wants_result && result.is_none() {
            return self.refuse(function, handler, "nothing is returned: a rule cannot name it");
        }
        if arguments.len() == parameters.len() {
            steps.push(Step::Call {
                callee: Callee::Procedure(handler.procedure),
                arguments,
                result: None,
            });
        }
    }

    fn refuse(&mut self, function: ProcedureId, handler: &Handler, message: &str) {
        let mut error = Diagnostic::new(Severity::Error, handler.span, message);
        let called = &self.program[function];
        if called.name != handler.function {
            let what = format!("`{}`, which is `{}` by an asm label", called.name, handler.function);
            error = error.related(called.span, what);
        }
        if !self.diagnostics.contains(&error) {
            self.diagnostics.push(error);
        }
    }

    fn read(&self, place: Place, type_id: TypeId) -> Option<Value> {
        let scalar = self.program.types.scalar(type_id)?;
        Some(Value::Read {
            place: Box::new(place),
            scalar,
        })
    }

    fn converted(&self, value: Value, type_id: TypeId) -> Value {
        let to: Option<Scalar> = self.program.types.scalar(type_id);
        match to {
            Some(to) if to != value.scalar() => Value::Convert {
                to,
                value: Box::new(value),
            },
            _ => value,
        }
    }

    fn temporary(&mut self, procedure: ProcedureId, type_id: TypeId, span: Span) -> VariableId {
        self.add_variable(Variable {
            name: "argument".to_owned(),
            type_id,
            kind: VariableKind::Temporary,
            procedure: Some(procedure),
            initial: Initial::Undefined,
            is_constant: false,
            span,
        })
    }
}

/// Replaces an edge by a sequence of steps.
fn append(
    automaton: &mut Automaton,
    (location, position): (usize, usize),
    steps: Vec<Step>,
    target: LocationId,
    span: Span,
) {
    let mut from = (location, position);
    let last = steps.len().saturating_sub(1);
    for (number, step) in steps.into_iter().enumerate() {
        let next = u32::try_from(automaton.locations.len()).unwrap_or(u32::MAX);
        let to = if number == last { target } else { LocationId(next) };
        let edge = Edge { step, to, span };
        match automaton.locations[from.0].edges.get_mut(from.1) {
            Some(place) => *place = edge,
            None => automaton.locations[from.0].edges.push(edge),
        }
        if number != last {
            automaton.locations.push(Location {
                edges: Vec::new(),
                label: None,
                span,
            });
            from = (next as usize, 0);
        }
    }
}
