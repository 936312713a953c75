//! Checks that every pointer target in a run is in the points-to set of the analysis.

use analysis::PointsTo;
use analysis::points_to::{Object, Site, Target};
use interpret::{Access, Observer, Touched};
use std::collections::HashMap;
use system::program::{
    Argument, Callee, LocationId, Place, ProcedureId, Program, Root, Selector, Step, Value, VariableKind,
};

/// The start of a place, and its size in bytes.
type Part = (Target, Option<u64>);

pub struct PointsToObserver<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// What the steps from a location may read and write.
    known: HashMap<(ProcedureId, LocationId), Vec<Part>>,
    /// What an argument of a call may point to.
    arguments: HashMap<(Site, usize), Vec<Part>>,
    /// The number of checked accesses.
    pub checked: u64,
    /// The first access that the analysis misses.
    pub wrong: Option<Access>,
}

impl<'a> PointsToObserver<'a> {
    pub fn new(program: &'a Program, points_to: &'a PointsTo) -> PointsToObserver<'a> {
        PointsToObserver {
            program,
            points_to,
            known: HashMap::new(),
            arguments: HashMap::new(),
            checked: 0,
            wrong: None,
        }
    }

    fn may_be(&mut self, access: &Access, object: Object) -> bool {
        let (program, points_to) = (self.program, self.points_to);
        let site = Site {
            procedure: access.edge.procedure,
            location: access.edge.location,
            edge: access.edge.number as usize,
        };
        if let Object::Procedure(procedure) = object
            && access.argument.is_none()
        {
            return points_to.callees(program, site).contains(&procedure);
        }
        let parts = match access.argument {
            Some(number) => self
                .arguments
                .entry((site, number))
                .or_insert_with(|| argument_parts(program, points_to, site, number)),
            None => self
                .known
                .entry((site.procedure, site.location))
                .or_insert_with(|| location_parts(program, points_to, site)),
        };
        let covers = |part: &Part| points_to.covers(program, part.0, part.1, object, access.offset);
        parts.iter().any(covers)
    }

    /// Calls assign the parameters.
    fn is_passed(&self, access: &Access) -> bool {
        let Touched::Variable(variable) = access.touched else {
            return matches!(access.touched, Touched::Further(_));
        };
        let site = Site {
            procedure: access.edge.procedure,
            location: access.edge.location,
            edge: access.edge.number as usize,
        };
        let step = analysis::points_to::edge(self.program, site).map(|edge| &edge.step);
        matches!(step, Some(Step::Call { .. })) && self.program[variable].kind == VariableKind::Parameter
    }
}

impl Observer for PointsToObserver<'_> {
    fn access(&mut self, access: &Access) {
        if self.wrong.is_some() || (access.argument.is_none() && self.is_passed(access)) {
            return;
        }
        let object = match access.touched {
            Touched::Variable(variable) => Object::Variable(variable),
            Touched::Procedure(procedure) => Object::Procedure(procedure),
            Touched::Further(procedure) => Object::Variadic(procedure),
            Touched::Allocated(edge) => Object::Allocated(Site {
                procedure: edge.procedure,
                location: edge.location,
                edge: edge.number as usize,
            }),
        };
        self.checked += 1;
        if !self.may_be(access, object) {
            self.wrong = Some(*access);
        }
    }
}

fn argument_parts(program: &Program, points_to: &PointsTo, site: Site, number: usize) -> Vec<Part> {
    let step = analysis::points_to::edge(program, site).map(|edge| &edge.step);
    let Some(Step::Call { arguments, .. }) = step else {
        return Vec::new();
    };
    let targets = match arguments.get(number) {
        Some(Argument::Scalar(value)) => points_to.value(program, value),
        Some(Argument::Record(place)) => points_to.place(program, place),
        None => return Vec::new(),
    };
    targets.into_iter().map(|target| (target, Some(1))).collect()
}

fn location_parts(program: &Program, points_to: &PointsTo, site: Site) -> Vec<Part> {
    let mut places = Vec::new();
    let automaton = program[site.procedure].body.automaton();
    let location = automaton.and_then(|automaton| automaton.locations.get(site.location.index()));
    for edge in location.map_or(&[][..], |location| &location.edges) {
        places_of_step(&edge.step, &mut places);
    }
    let parts = places.into_iter().flat_map(|place| {
        // For a bit-field, all bytes that may contain one of its bits.
        let size = program.types.size(program.type_of(place)).map(|size| size + 1);
        let targets = points_to.place(program, place);
        targets.into_iter().map(move |target| (target, size))
    });
    parts.collect()
}

fn places_of_step<'p>(step: &'p Step, places: &mut Vec<&'p Place>) {
    match step {
        Step::Skip | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
        Step::Assume { condition, .. } => places_of_value(condition, places),
        Step::Assign { target, value } => {
            add_place(target, places);
            places_of_value(value, places);
        }
        Step::Copy { target, source } => {
            add_place(target, places);
            add_place(source, places);
        }
        Step::Choose { target, .. } => add_place(target, places),
        Step::Call {
            callee,
            arguments,
            result,
        } => {
            if let Callee::Pointer(pointer) = callee {
                places_of_value(pointer, places);
            }
            for argument in arguments {
                match argument {
                    Argument::Scalar(value) => places_of_value(value, places),
                    Argument::Record(place) => add_place(place, places),
                }
            }
            if let Some(place) = result {
                add_place(place, places);
            }
        }
    }
}

fn add_place<'p>(place: &'p Place, places: &mut Vec<&'p Place>) {
    places.push(place);
    if let Root::Dereference { pointer, .. } = &place.root {
        places_of_value(pointer, places);
    }
    for selector in &place.selectors {
        if let Selector::Index(index) = selector {
            places_of_value(index, places);
        }
    }
}

fn places_of_value<'p>(value: &'p Value, places: &mut Vec<&'p Place>) {
    match value {
        Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
        Value::Read { place, .. } | Value::Address(place) => add_place(place, places),
        Value::Unary { operand, .. } => places_of_value(operand, places),
        Value::Convert { value, .. } => places_of_value(value, places),
        Value::Binary { left, right, .. }
        | Value::Compare { left, right, .. }
        | Value::Distance { left, right, .. }
        | Value::Offset {
            pointer: left,
            index: right,
            ..
        } => {
            places_of_value(left, places);
            places_of_value(right, places);
        }
    }
}
