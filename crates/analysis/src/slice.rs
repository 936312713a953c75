//! Program slicing: the steps that decide whether a property is violated, and in which state.
//!
//! M. Weiser, *Program slicing*, 1984; here flow-insensitive except for control dependence: once a part of an object is
//! relevant, every step that may write it is.
//!
//! A slice over-approximates the program: every run of the program has a run of the slice with the same effect on what
//! is relevant. The slice may have more runs, since irrelevant endless loops and undefined behaviour are removed. So a
//! proof about the slice holds of the program; a violation is confirmed in the program itself.

use crate::control::Dependence;
use crate::points_to::{Object, Offset, Part, PointsTo, Site, Target, edge, sites};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{
    Argument, Automaton, Body, Callee, Edge, Library, LocationId, Place, ProcedureId, Program, Reason, Root, Selector,
    Step, Value,
};

/// The slicing criterion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// Whether a property is violated.
    Properties,
    /// Additionally, the output of the program and how it ends.
    Output,
}

/// A sliced program.
#[derive(Clone, Debug)]
pub struct Slice {
    pub program: Program,
    /// The number of relevant steps, and of all steps except skips.
    pub kept: usize,
    pub all: usize,
}

/// Replaces irrelevant steps of the program by skips. Locations keep their indices.
pub fn slice(program: &Program, points_to: &PointsTo, criterion: Criterion) -> Slice {
    let mut slicer = Slicer::new(program, points_to);
    slicer.solve(criterion);
    slicer.cut()
}

/// For each location of each procedure, the locations that it is control dependent on.
pub fn deciders(program: &Program, points_to: &PointsTo) -> BTreeMap<ProcedureId, Vec<Vec<usize>>> {
    let slicer = Slicer::new(program, points_to);
    let dependences = slicer.dependence.iter();
    dependences
        .map(|(id, dependence)| {
            let locations = program[*id]
                .body
                .automaton()
                .map_or(0, |automaton| automaton.locations.len());
            let each = (0..locations).map(|location| dependence.deciders(location).to_vec());
            (*id, each.collect())
        })
        .collect()
}

struct Slicer<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    sites: Vec<Site>,
    /// For each procedure with a body.
    dependence: BTreeMap<ProcedureId, Dependence>,
    /// The steps that may write each object.
    writers: BTreeMap<Object, Vec<(Part, Site)>>,
    /// The steps that may call each procedure.
    callers: BTreeMap<ProcedureId, Vec<Site>>,
    /// Procedures that may end the program.
    may_stop: BTreeSet<ProcedureId>,
    matters: BTreeSet<Site>,
    needed: BTreeMap<Object, BTreeSet<Part>>,
    /// Relevant steps whose dependencies are not processed yet.
    pending: Vec<Site>,
    stops_matter: BTreeSet<ProcedureId>,
    /// Whether an object that external procedures know is relevant.
    shown_matters: bool,
}

fn all_of(object: Object) -> Part {
    Part {
        target: Target {
            object,
            offset: Offset::Any,
        },
        size: None,
    }
}

impl<'a> Slicer<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Slicer<'a> {
        let mut slicer = Slicer {
            program,
            points_to,
            sites: sites(program),
            dependence: BTreeMap::new(),
            writers: BTreeMap::new(),
            callers: BTreeMap::new(),
            may_stop: BTreeSet::new(),
            matters: BTreeSet::new(),
            needed: BTreeMap::new(),
            pending: Vec::new(),
            stops_matter: BTreeSet::new(),
            shown_matters: false,
        };
        slicer.find_calls();
        for (number, procedure) in (0..).zip(&program.procedures) {
            if let Body::Automaton(automaton) = &procedure.body {
                let id = ProcedureId(number);
                let dependence = Dependence::of(&slicer.successors(id, automaton));
                slicer.dependence.insert(id, dependence);
            }
        }
        for site in slicer.sites.clone() {
            for part in slicer.writes(site) {
                slicer.writers.entry(part.target.object).or_default().push((part, site));
            }
        }
        slicer
    }

    fn step(&self, site: Site) -> &'a Step {
        edge(self.program, site).map_or(&Step::Skip, |edge| &edge.step)
    }

    fn find_calls(&mut self) {
        for site in self.sites.clone() {
            if let Step::Call { .. } = self.step(site) {
                for callee in self.points_to.callees(self.program, site) {
                    self.callers.entry(callee).or_default().push(site);
                }
            }
        }
        let mut pending: Vec<ProcedureId> = Vec::new();
        for (number, procedure) in (0..).zip(&self.program.procedures) {
            if let Body::Library(Library::Abort | Library::Exit | Library::Assume | Library::Unreachable) =
                procedure.body
            {
                pending.push(ProcedureId(number));
            }
        }
        pending.extend(
            self.sites
                .iter()
                .filter(|site| stops(self.step(**site)))
                .map(|site| site.procedure),
        );
        while let Some(procedure) = pending.pop() {
            if self.may_stop.insert(procedure) {
                pending.extend(
                    self.callers
                        .get(&procedure)
                        .into_iter()
                        .flatten()
                        .map(|site| site.procedure),
                );
            }
        }
    }

    /// The control flow graph of a procedure; its end is the last node.
    fn successors(&self, procedure: ProcedureId, automaton: &Automaton) -> Vec<Vec<usize>> {
        let end = automaton.locations.len();
        let mut graph: Vec<Vec<usize>> = Vec::new();
        for (number, location) in (0..).zip(&automaton.locations) {
            let mut next: Vec<usize> = Vec::new();
            for (position, edge) in location.edges.iter().enumerate() {
                let site = Site {
                    procedure,
                    location: LocationId(number),
                    edge: position,
                };
                if self.goes_on(site) {
                    next.push(edge.to.index());
                }
                if self.may_stop_at(site) {
                    next.push(end);
                }
            }
            if next.is_empty() {
                next.push(end);
            }
            next.dedup();
            graph.push(next);
        }
        graph.push(Vec::new());
        graph
    }

    fn goes_on(&self, site: Site) -> bool {
        match self.step(site) {
            Step::Violate(_) => false,
            Step::Call {
                callee: Callee::Procedure(procedure),
                ..
            } => !matches!(
                self.program[*procedure].body,
                Body::Library(Library::Abort | Library::Exit)
            ),
            _ => true,
        }
    }

    fn may_stop_at(&self, site: Site) -> bool {
        match self.step(site) {
            Step::Call { .. } => {
                let callees = self.points_to.callees(self.program, site);
                callees.iter().any(|callee| self.may_stop.contains(callee))
            }
            step => stops(step),
        }
    }

    fn solve(&mut self, criterion: Criterion) {
        for site in self.sites.clone() {
            let is_output = || {
                let callees = self.points_to.callees(self.program, site).into_iter();
                callees.into_iter().any(|callee| match self.program[callee].body {
                    Body::Library(library) => prints(library) || library == Library::Exit || library == Library::Abort,
                    Body::Automaton(_) | Body::Unknown => false,
                })
            };
            if matches!(self.step(site), Step::Violate(_)) || (criterion == Criterion::Output && is_output()) {
                self.keep(site);
            }
        }
        while let Some(site) = self.pending.pop() {
            self.look_at(site);
        }
    }

    fn keep(&mut self, site: Site) {
        if self.matters.insert(site) {
            self.pending.push(site);
        }
    }

    /// Processes a relevant step: the parts that it reads, the branches that it depends on, and the calls of its
    /// procedure become relevant.
    fn look_at(&mut self, site: Site) {
        for part in self.reads(site) {
            self.need(part);
        }
        self.decide(site);
        for caller in self.callers.get(&site.procedure).cloned().unwrap_or_default() {
            self.keep(caller);
        }
        if let Step::Call { .. } = self.step(site) {
            for callee in self.points_to.callees(self.program, site) {
                // No step of the program writes the result of a library function.
                let has_body = self.program[callee].body.automaton().is_some();
                let result = self.program[callee].result;
                let result = result.filter(|_| has_body && self.is_result_needed(site));
                if let Some(variable) = result {
                    self.need(self.whole(Target::start(Object::Variable(variable))));
                }
            }
        }
    }

    fn decide(&mut self, site: Site) {
        let Some(dependence) = self.dependence.get(&site.procedure) else {
            return;
        };
        let deciders = dependence.deciders(site.location.index()).to_vec();
        for decider in deciders {
            let location = LocationId(u32::try_from(decider).unwrap_or(u32::MAX));
            let Some(automaton) = self.program[site.procedure].body.automaton() else {
                continue;
            };
            for edge in 0..automaton.locations[decider].edges.len() {
                let deciding = Site { location, edge, ..site };
                self.keep(deciding);
                if let Step::Call { .. } = self.step(deciding) {
                    for callee in self.points_to.callees(self.program, deciding) {
                        self.keep_stops(callee);
                    }
                }
            }
        }
    }

    /// Keeps the steps that decide whether a procedure returns.
    fn keep_stops(&mut self, procedure: ProcedureId) {
        if !self.may_stop.contains(&procedure) || !self.stops_matter.insert(procedure) {
            return;
        }
        for site in self.sites.clone() {
            if site.procedure == procedure && self.may_stop_at(site) {
                self.keep(site);
                for callee in self.points_to.callees(self.program, site) {
                    self.keep_stops(callee);
                }
            }
        }
    }

    /// Marks a part of an object as relevant, and every step that may write it.
    fn need(&mut self, part: Part) {
        let object = part.target.object;
        if !self.needed.entry(object).or_default().insert(part) {
            return;
        }
        if object == Object::External {
            let shown: Vec<Object> = self.points_to.all_shown().collect();
            shown.into_iter().for_each(|object| self.need(all_of(object)));
        } else if self.points_to.is_shown(object) {
            self.keep_writers_of_shown();
        }
        for (written, site) in self.writers.get(&object).cloned().unwrap_or_default() {
            if written.overlaps(&part) {
                self.keep(site);
                // Calls whose result was not needed before.
                if let Step::Call { .. } = self.step(site) {
                    self.pending.push(site);
                }
            }
        }
        let passed_by = match object {
            Object::Variable(variable) => self.program[variable].procedure.filter(|procedure| {
                let procedure = &self.program[*procedure];
                procedure.parameters.contains(&variable) || procedure.result == Some(variable)
            }),
            Object::Variadic(procedure) => Some(procedure),
            Object::Procedure(_) | Object::Allocated(_) | Object::External | Object::Number => None,
        };
        if let Some(procedure) = passed_by {
            for caller in self.callers.get(&procedure).cloned().unwrap_or_default() {
                self.keep(caller);
            }
        }
    }

    /// Keeps the calls of external procedures, which may write every object that such procedures know.
    fn keep_writers_of_shown(&mut self) {
        if !std::mem::replace(&mut self.shown_matters, true) {
            let writers = self.writers.get(&Object::External).cloned().unwrap_or_default();
            writers.into_iter().for_each(|(_, site)| self.keep(site));
        }
    }

    fn is_needed(&self, part: Part) -> bool {
        let object = part.target.object;
        let mut needed = self.needed.get(&object).into_iter().flatten();
        (object == Object::External && self.shown_matters) || needed.any(|needed| needed.overlaps(&part))
    }

    fn is_result_needed(&self, site: Site) -> bool {
        match self.step(site) {
            Step::Call {
                result: Some(place), ..
            } => self.parts(place).into_iter().any(|part| self.is_needed(part)),
            _ => false,
        }
    }

    fn parts(&self, place: &Place) -> Vec<Part> {
        self.points_to.parts(self.program, place)
    }

    fn whole(&self, target: Target) -> Part {
        self.points_to.part(self.program, target, None)
    }

    /// The parts that a step may write.
    fn writes(&self, site: Site) -> Vec<Part> {
        match self.step(site) {
            Step::Assign { target, .. } | Step::Copy { target, .. } | Step::Choose { target, .. } => self.parts(target),
            Step::Call { arguments, result, .. } => {
                let mut parts: Vec<Part> = result.iter().flat_map(|place| self.parts(place)).collect();
                for body in self.bodies(site) {
                    match body {
                        Body::Automaton(_) => {}
                        Body::Library(library) if writes_to_first(*library) => {
                            parts.extend(self.pointed_at(arguments.first()));
                        }
                        Body::Library(_) => {}
                        // It represents every object that external procedures know.
                        Body::Unknown => parts.push(all_of(Object::External)),
                    }
                }
                parts
            }
            Step::Skip | Step::Assume { .. } | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => Vec::new(),
        }
    }

    /// The bodies of the procedures that a call may reach.
    fn bodies(&self, site: Site) -> Vec<&'a Body> {
        let callees = self.points_to.callees(self.program, site).into_iter();
        let mut bodies: Vec<&Body> = callees.map(|callee| &self.program[callee].body).collect();
        if let Step::Call {
            callee: Callee::Pointer(pointer),
            ..
        } = self.step(site)
        {
            let is_unknown = self
                .points_to
                .objects(self.program, pointer)
                .contains(&Object::External);
            bodies.extend(is_unknown.then_some(&Body::Unknown));
        }
        bodies
    }

    fn pointed_at(&self, argument: Option<&Argument>) -> Vec<Part> {
        match argument {
            Some(Argument::Scalar(value)) => {
                let objects = self.points_to.objects(self.program, value);
                objects.into_iter().map(all_of).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Everything reachable from the arguments.
    fn reachable(&self, arguments: &[Argument]) -> Vec<Part> {
        let mut pending: Vec<Object> = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => pending.extend(self.points_to.objects(self.program, value)),
                Argument::Record(place) => {
                    pending.extend(self.parts(place).iter().map(|part| part.target.object));
                }
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(object) = pending.pop() {
            if seen.insert(object) {
                let held = self.points_to.contents(object);
                pending.extend(held.iter().map(|target| target.object));
            }
        }
        seen.into_iter().map(all_of).collect()
    }

    /// The parts that a step reads.
    fn reads(&self, site: Site) -> Vec<Part> {
        let mut parts = Vec::new();
        match self.step(site) {
            Step::Skip | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
            Step::Assume { condition, .. } => self.read_by(condition, &mut parts),
            Step::Assign { target, value } => {
                self.read_to_find(target, &mut parts);
                self.read_by(value, &mut parts);
            }
            Step::Copy { target, source } => {
                self.read_to_find(target, &mut parts);
                self.read_to_find(source, &mut parts);
                parts.extend(self.parts(source));
            }
            Step::Choose { target, .. } => self.read_to_find(target, &mut parts),
            Step::Call {
                callee,
                arguments,
                result,
            } => {
                if let Callee::Pointer(pointer) = callee {
                    self.read_by(pointer, &mut parts);
                }
                if let Some(place) = result {
                    self.read_to_find(place, &mut parts);
                }
                for argument in arguments {
                    match argument {
                        Argument::Scalar(value) => self.read_by(value, &mut parts),
                        Argument::Record(place) => {
                            self.read_to_find(place, &mut parts);
                            parts.extend(self.parts(place));
                        }
                    }
                }
                // External procedures and the library dereference their pointer arguments.
                for body in self.bodies(site) {
                    match body {
                        Body::Automaton(_) => {}
                        Body::Library(_) => parts.extend(self.reachable(arguments)),
                        Body::Unknown => parts.push(all_of(Object::External)),
                    }
                }
            }
        }
        parts
    }

    /// The parts that are read to evaluate the address of a place.
    fn read_to_find(&self, place: &Place, parts: &mut Vec<Part>) {
        if let Root::Dereference { pointer, .. } = &place.root {
            self.read_by(pointer, parts);
        }
        for selector in &place.selectors {
            if let Selector::Index(index) = selector {
                self.read_by(index, parts);
            }
        }
    }

    fn read_by(&self, value: &Value, parts: &mut Vec<Part>) {
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
            Value::Read { place, .. } => {
                self.read_to_find(place, parts);
                parts.extend(self.parts(place));
            }
            Value::Address(place) => self.read_to_find(place, parts),
            Value::Unary { operand, .. } => self.read_by(operand, parts),
            Value::Convert { value, .. } => self.read_by(value, parts),
            Value::Binary { left, right, .. }
            | Value::Compare { left, right, .. }
            | Value::Distance { left, right, .. } => {
                self.read_by(left, parts);
                self.read_by(right, parts);
            }
            Value::Offset { pointer, index, .. } => {
                self.read_by(pointer, parts);
                self.read_by(index, parts);
            }
        }
    }

    /// Removes irrelevant steps.
    fn cut(&self) -> Slice {
        let mut program = self.program.clone();
        let (mut kept, mut all) = (0, 0);
        for (number, procedure) in (0..).zip(&mut program.procedures) {
            let id = ProcedureId(number);
            let (Body::Automaton(automaton), Some(dependence)) = (&mut procedure.body, self.dependence.get(&id)) else {
                continue;
            };
            let (end, exit) = (automaton.locations.len(), automaton.exit.index());
            for (position, location) in (0..).zip(&mut automaton.locations) {
                let site = |edge| Site {
                    procedure: id,
                    location: LocationId(position),
                    edge,
                };
                all += location.edges.iter().filter(|edge| edge.step != Step::Skip).count();
                if location.edges.len() > 1 && !self.matters.contains(&site(0)) {
                    let meeting = dependence.post_dominator(position as usize);
                    // The end is no location.
                    let meeting = meeting.map(|node| if node == end { exit } else { node });
                    skip_branches(&mut location.edges, meeting);
                }
                for (number, edge) in location.edges.iter_mut().enumerate() {
                    self.cut_step(&mut edge.step, site(number));
                }
                kept += location.edges.iter().filter(|edge| edge.step != Step::Skip).count();
            }
        }
        Slice { program, kept, all }
    }

    fn cut_step(&self, step: &mut Step, site: Site) {
        match step {
            // Lifetimes of irrelevant variables are irrelevant, and keeping them does no harm.
            Step::Enter(_) | Step::Leave(_) => {}
            _ if !self.matters.contains(&site) => *step = Step::Skip,
            Step::Call { result, .. } if !self.is_result_needed(site) => *result = None,
            _ => {}
        }
    }
}

/// Redirects an irrelevant branch to its post-dominator.
fn skip_branches(edges: &mut Vec<Edge>, meeting: Option<usize>) {
    edges.truncate(1);
    if let Some(edge) = edges.first_mut() {
        edge.step = Step::Skip;
        if let Some(meeting) = meeting.and_then(|meeting| u32::try_from(meeting).ok()) {
            edge.to = LocationId(meeting);
        }
    }
}

fn stops(step: &Step) -> bool {
    match step {
        Step::Violate(_) => true,
        Step::Assume { reason, .. } => *reason == Reason::Assumption,
        _ => false,
    }
}

fn prints(library: Library) -> bool {
    matches!(library, Library::Print | Library::PutLine | Library::PutCharacter)
}

fn writes_to_first(library: Library) -> bool {
    matches!(
        library,
        Library::MemorySet | Library::MemoryCopy | Library::MemoryMove | Library::VariadicStart
    )
}
