//! What is taken for granted, of a program and by a run.

use super::place;
use crate::terminal::listed;
use c::Unit;
use system::Span;
use system::program::{Body, Library, Program, Root, Scalar, Step, Value, VariableKind, arguments};

/// What was taken for granted, a line for each.
pub(super) fn assumed(unit: &Unit) -> Vec<String> {
    let line = |what: &str, span: Span| match place(&unit.sources, span) {
        Some(place) => format!("{what} ({place})"),
        None => what.to_owned(),
    };
    let read = unit.assumed.iter();
    let mut lines: Vec<String> = read.map(|assumed| line(&assumed.what, assumed.span)).collect();
    let procedures = &unit.program.procedures;
    if procedures
        .iter()
        .any(|procedure| matches!(procedure.body, Body::Unknown))
    {
        lines.push(
            "functions without a body change no global variable that the program names, unless an argument of theirs \
             leads to it"
                .to_owned(),
        );
    }
    if counts_arguments(&unit.program) {
        lines.push("`main` is given the name of the program: `argc` is at least 1".to_owned());
    }
    let allocators = procedures.iter().filter(|procedure| is_allocator(&procedure.body));
    let names: Vec<String> = allocators.map(|procedure| format!("`{}`", procedure.name)).collect();
    if !names.is_empty() {
        let verb = if names.len() == 1 { "returns" } else { "return" };
        lines.push(format!(
            "memory never runs out: {} {verb} no null pointer for want of it",
            listed(&names)
        ));
    }
    if let Some(span) = first_number_of_a_pointer(&unit.program) {
        lines.push(line(
            "no two objects ever have the same address, not even one after the other: a pointer becomes a number",
            span,
        ));
    }
    lines
}

/// Whether the program looks at what `main` is given.
fn counts_arguments(program: &Program) -> bool {
    let start = program[program.start].body.automaton();
    let mut edges = start
        .into_iter()
        .flat_map(|automaton| automaton.locations.iter().flat_map(|location| &location.edges));
    edges.any(|edge| matches!(&edge.step, Step::Choose { name, .. } if name == arguments::NUMBER))
}

fn is_allocator(body: &Body) -> bool {
    matches!(
        body,
        Body::Library(Library::Allocate | Library::AllocateZero | Library::Reallocate)
    )
}

/// Where the address of an object is first converted to an integer.
fn first_number_of_a_pointer(program: &Program) -> Option<Span> {
    // What a rule watches is an object at any address.
    let own = program
        .procedures
        .iter()
        .filter(|procedure| procedure.name != "the rule");
    let automata = own.filter_map(|procedure| procedure.body.automaton());
    let mut edges = automata.flat_map(|automaton| automaton.locations.iter().flat_map(|location| &location.edges));
    let edge = edges.find(|edge| {
        let mut is_found = false;
        edge.step.clone().for_each_value_mut(&mut |value| {
            if let Value::Convert {
                to: Scalar::Integer(_),
                value,
            } = value
            {
                is_found |= value.scalar() == Scalar::Pointer && is_of_an_object(value);
            }
        });
        is_found
    });
    edge.map(|edge| edge.span)
}

/// Not so the address of a member at null, as of `offsetof`.
fn is_of_an_object(pointer: &Value) -> bool {
    let mut is_found = false;
    pointer.clone().for_each_mut(&mut |value| {
        is_found |= match value {
            Value::Read { .. } => true,
            Value::Address(place) => matches!(place.root, Root::Variable(_)),
            _ => false,
        };
    });
    is_found
}

/// What a run takes for granted besides, a line for each.
pub(super) fn assumed_by(unit: &Unit, run: &interpret::RunOutcome) -> Vec<String> {
    let own = "pointers that the program does not make (input -1) point at objects of their own".to_owned();
    let fixed = run.fixed.iter();
    let fixed =
        fixed.map(|address| format!("there is memory from the address {address:#x} on, a number in the program"));
    let behind = run.behind.iter();
    let behind = behind.map(|origin| format!("there is memory behind the end of {}", object(unit, *origin)));
    let own = (run.outside > 0).then_some(own).into_iter();
    own.chain(fixed).chain(behind).collect()
}

/// An object, in words.
fn object(unit: &Unit, origin: interpret::MemoryOrigin) -> String {
    match origin {
        interpret::MemoryOrigin::Variable(variable) => {
            let variable = &unit.program[variable];
            let procedure = variable.procedure.map(|id| format!(" ({})", unit.program[id].name));
            match variable.kind {
                VariableKind::Literal => "a literal".to_owned(),
                _ => format!("`{}`{}", variable.name, procedure.unwrap_or_default()),
            }
        }
        interpret::MemoryOrigin::Allocated => "what is allocated".to_owned(),
        interpret::MemoryOrigin::Call => "what lives as long as a call".to_owned(),
        interpret::MemoryOrigin::Outside => "an object that a pointer from outside points at".to_owned(),
        interpret::MemoryOrigin::Fixed => "what lies at a fixed address".to_owned(),
    }
}
