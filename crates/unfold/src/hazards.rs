//! Hazards: steps that have undefined behaviour in some states.
//!
//! The system ends runs at some of them (`Machine::require`) and continues with a semantics of its own at others, such
//! as out-of-bounds accesses. Either way it does not describe what gcc's program does from there on: a proof about the
//! system applies to the program only up to the first hazard.
//!
//! The condition of a hazard is over the state at the preceding cut point and the choices made since: the step is
//! reached, all earlier requirements hold, and the step itself is undefined. [`Unfolded::guarded`] turns hazards into
//! violations, so that a proof about that system excludes them.
//!
//! The lifetime of a block-scoped variable ends with its block, that of allocated memory where a `free` may have been
//! reached. Which lifetimes may have ended at a node is a reachability analysis on the control flow graph; values are
//! ignored.

use crate::blocks::Order;
use crate::contexts::{ContextId, Node};
use crate::machine::{Machine, equal};
use crate::objects::{ObjectId, ObjectOrigin, Objects, inside};
use crate::places::{Region, Regions};
use analysis::points_to::{Object as Target, Site};
use logic::{Term, term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use system::Span;
use system::program::{Argument, Body, Library, LocationId, Place, ProcedureId, Step, Undefined, Value, VariableId};

/// Offset of the names of choices that only hazards use; no step makes this many choices.
const HAZARD_CHOICES: usize = 1 << 24;

/// A step that is undefined where the condition holds.
#[derive(Clone, Debug)]
pub struct Hazard {
    pub kind: Undefined,
    pub span: Span,
    /// The cut point that the condition refers to, by its index among the nodes.
    pub(crate) cut: usize,
    pub(crate) condition: Term,
}

/// A lifetime that may have ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Lifetime {
    Variable(ContextId, VariableId),
    /// Of all objects that a site allocates.
    Site(Site),
}

/// The hazards that a machine finds while it computes blocks.
#[derive(Default)]
pub(crate) struct Hazards {
    /// Those of the current step.
    noted: Vec<(Undefined, Term)>,
    found: BTreeMap<(usize, Span, Undefined), Term>,
    /// The lifetimes that may have ended at a node.
    expired: FxHashMap<Node, FxHashSet<Lifetime>>,
    at: Option<Node>,
}

impl Hazards {
    pub(crate) fn all(self) -> Vec<Hazard> {
        let found = self.found.into_iter();
        let hazards = found.map(|((cut, span, kind), condition)| Hazard {
            kind,
            span,
            cut,
            condition,
        });
        hazards.collect()
    }

    pub(crate) fn clear(&mut self) {
        self.found.clear();
    }
}

/// The address of an access, and what is known of its bounds.
pub(crate) struct Access {
    pub(crate) address: Term,
    /// Through a pointer.
    pub(crate) is_indirect: bool,
    /// The pointer may come from outside of the program.
    pub(crate) is_external: bool,
    /// A requirement already checks the bounds.
    pub(crate) is_checked: bool,
}

impl Machine<'_, '_> {
    /// Notes that the current step is undefined unless the condition holds.
    pub(crate) fn note_hazard(&mut self, kind: Undefined, defined: Term) {
        let Some(hazards) = &mut self.hazards else { return };
        if !defined.is_true() {
            let before = self.requirements.iter().copied();
            hazards
                .noted
                .push((kind, term::and(before.chain([term::not(defined)]))));
        }
    }

    pub(crate) fn begin_hazards(&mut self, node: Node) {
        if let Some(hazards) = &mut self.hazards {
            hazards.at = Some(node);
            hazards.noted.clear();
        }
    }

    /// Keeps the hazards of a step that its block reaches under the condition.
    pub(crate) fn keep_hazards(&mut self, cut: usize, condition: Term, span: Option<Span>) {
        let Some(hazards) = &mut self.hazards else { return };
        for (kind, undefined) in std::mem::take(&mut hazards.noted) {
            let reached = term::and([condition, undefined]);
            if !reached.is_false() {
                let key = (cut, span.unwrap_or_default(), kind);
                let known = hazards.found.entry(key).or_insert_with(|| term::bool(false));
                *known = term::or([*known, reached]);
            }
        }
    }

    /// Takes the hazards of the current step.
    pub(crate) fn noted_hazards(&mut self) -> Vec<(Undefined, Term)> {
        let hazards = self.hazards.as_mut();
        hazards.map_or(Vec::new(), |hazards| std::mem::take(&mut hazards.noted))
    }

    /// An access must lie in a live object: as many bytes as the place has, or `bytes`.
    pub(crate) fn note_access(&mut self, regions: &Regions, access: &Access, bytes: Option<Term>) {
        if self.hazards.is_none() {
            return;
        }
        let extent = match regions.bits {
            Some(bits) => u64::from((bits.first + bits.width).div_ceil(8)),
            None => self.program.types.size(regions.type_id).unwrap_or(0),
        };
        let bytes = bytes.unwrap_or_else(|| term::int(i128::from(extent)));
        let (mut outside, mut expired) = (Vec::new(), Vec::new());
        for region in &regions.candidates {
            match access.is_indirect && !self.is_alive(region.object) {
                true => expired.push(region.condition),
                false => {
                    let fits = self.fits(region, access, bytes);
                    outside.push(term::and([region.condition, term::not(fits)]));
                }
            }
        }
        if !access.is_external {
            outside.push(regions.elsewhere);
        }
        self.note_hazard(Undefined::DeadObject, term::not(term::or(expired)));
        self.note_hazard(Undefined::OutOfBounds, term::not(term::or(outside)));
    }

    fn fits(&self, region: &Region, access: &Access, bytes: Term) -> Term {
        if access.is_checked {
            return term::bool(true);
        }
        let Some(size) = self.known_size(region.object) else {
            return term::bool(false);
        };
        let Some(offset) = region.offset else {
            let start = term::int(Objects::address(region.object));
            let end = term::int(Objects::address(region.object) + i128::from(size));
            let last = term::add([access.address, bytes]);
            return term::and([
                term::less_equal(start, access.address),
                term::less_equal(last, end),
                term::less_equal(access.address, end),
            ]);
        };
        match offset < 0 {
            true => term::bool(false),
            false => term::less_equal(bytes, term::int(i128::from(size) - offset)),
        }
    }

    /// The size of an object in bytes, where it is a constant in the program.
    fn known_size(&self, object: ObjectId) -> Option<u64> {
        match self.objects[object].origin {
            ObjectOrigin::Variable(_, variable) => self.program.types.size(self.program[variable].type_id),
            ObjectOrigin::Allocated(_, site, _) => crate::allocated::bytes(self.program, site),
            ObjectOrigin::Procedure(_) => None,
        }
    }

    /// Whether an object is certainly alive.
    fn is_alive(&self, object: ObjectId) -> bool {
        let is_open = |context: ContextId| self.contexts.chain(self.context).any(|open| open == context);
        let (is_open, lifetime) = match self.objects[object].origin {
            ObjectOrigin::Variable(None, _) | ObjectOrigin::Procedure(_) => return true,
            ObjectOrigin::Variable(Some(context), variable) => {
                (is_open(context), Lifetime::Variable(context, variable))
            }
            ObjectOrigin::Allocated(context, site, _) => (
                !self.calls_library(site, Library::AllocateLocal) || is_open(context),
                Lifetime::Site(site),
            ),
        };
        let hazards = self.hazards.as_ref();
        let expired = hazards.and_then(|hazards| hazards.expired.get(hazards.at.as_ref()?));
        is_open && expired.is_none_or(|expired| !expired.contains(&lifetime))
    }

    fn calls_library(&self, site: Site, library: Library) -> bool {
        let callees = self.contexts.points_to.callees(self.program, site);
        let mut bodies = callees.iter().map(|callee| &self.program[*callee].body);
        bodies.any(|body| matches!(body, Body::Library(known) if *known == library))
    }

    /// A freed pointer must be null, or the beginning of an allocated object that was not freed.
    pub(crate) fn note_free(&mut self, pointer: &Value) {
        if self.hazards.is_none() {
            return;
        }
        let targets = self.contexts.points_to.value(self.program, pointer);
        let (required, counter) = self.begin_hazard_evaluation();
        let freed = self.value(pointer);
        let mut fine = vec![equal(freed, term::int(0))];
        for target in &targets {
            match target.object {
                Target::External => fine.push(term::bool(true)),
                Target::Allocated(site) if !self.calls_library(site, Library::AllocateLocal) => {
                    for object in self.instances(target.object) {
                        if self.is_alive(object) {
                            fine.push(equal(freed, term::int(Objects::address(object))));
                        }
                    }
                }
                _ => {}
            }
        }
        self.note_hazard(Undefined::Free, term::or(fine));
        self.end_hazard_evaluation(required, counter);
    }

    /// Notes the hazards of an access of `size` bytes behind each pointer, at a step that the system only havocs.
    pub(crate) fn note_bytes(&mut self, pointers: &[&Value], size: Term) {
        if self.hazards.is_none() {
            return;
        }
        let (required, counter) = self.begin_hazard_evaluation();
        for pointer in pointers {
            let place = Place::at((*pointer).clone(), self.byte_type());
            let (regions, access) = self.resolve_unchecked(&place);
            self.note_access(&regions, &access, Some(size));
        }
        self.end_hazard_evaluation(required, counter);
    }

    /// Begins an evaluation that only hazards use: its requirements are dropped and its choices have separate names.
    fn begin_hazard_evaluation(&mut self) -> (usize, usize) {
        let before = (self.requirements.len(), self.counter);
        self.counter += HAZARD_CHOICES;
        before
    }

    fn end_hazard_evaluation(&mut self, required: usize, counter: usize) {
        self.requirements.truncate(required);
        self.counter = counter;
    }

    /// A called pointer must not be null and must point at a known procedure, unless it comes from outside.
    pub(crate) fn note_call(&mut self, pointer: &Value, called: Term, known: &[ProcedureId]) {
        if self.hazards.is_none() {
            return;
        }
        let targets = self.contexts.points_to.value(self.program, pointer);
        let is_external = targets.iter().any(|target| target.object == Target::External);
        let is_null = equal(called, term::int(0));
        self.note_hazard(Undefined::NullPointer, term::not(is_null));
        if !is_external {
            let known = known
                .iter()
                .map(|callee| self.objects.get(ObjectOrigin::Procedure(*callee)))
                .map(|object| object.map_or(0, Objects::address));
            let is_known = known.map(|address| equal(called, term::int(address)));
            self.note_hazard(Undefined::Call, term::or(is_known.chain([is_null])));
        }
    }

    /// Pointers that are ordered or subtracted must point into one object.
    pub(crate) fn note_order(&mut self, values: [&Value; 2], pointers: [Term; 2]) {
        if self.hazards.is_none() {
            return;
        }
        let targets = values.map(|value| self.contexts.points_to.value(self.program, value));
        let mut objects: Vec<Target> = targets.iter().flatten().map(|target| target.object).collect();
        objects.sort_unstable();
        objects.dedup();
        let is_one = match objects.as_slice() {
            _ if objects.contains(&Target::External) => true,
            [only] => self.instances(*only).len() == 1,
            _ => false,
        };
        if !is_one {
            let [left, right] = pointers.map(Objects::number_of);
            self.note_hazard(Undefined::DifferentObjects, equal(left, right));
        }
    }

    /// A pointer that is compared or cast to an integer must point at a live object, since addresses are reused.
    pub(crate) fn note_use(&mut self, value: &Value, pointer: Term) {
        if self.hazards.is_none() {
            return;
        }
        let mut regions = Regions {
            candidates: Vec::new(),
            elsewhere: term::bool(false),
            type_id: self.byte_type(),
            bits: None,
        };
        let mut open = Vec::new();
        self.split_known(pointer, term::bool(true), &mut regions, &mut open);
        let known = regions.candidates.iter().filter(|region| !self.is_alive(region.object));
        let mut expired: Vec<Term> = known.map(|region| region.condition).collect();
        if !open.is_empty() {
            let targets = self.contexts.points_to.value(self.program, value);
            let may_be = |origin: ObjectOrigin| match origin {
                ObjectOrigin::Variable(_, variable) => targets.iter().any(|at| at.object == Target::Variable(variable)),
                ObjectOrigin::Allocated(_, site, _) => targets.iter().any(|at| at.object == Target::Allocated(site)),
                ObjectOrigin::Procedure(_) => false,
            };
            let all = (0..).map(ObjectId).zip(&self.objects.objects);
            let dead = all.filter(|(id, object)| may_be(object.origin) && !self.is_alive(*id));
            let dead: Vec<i128> = dead.map(|(id, _)| Objects::address(id)).collect();
            for (condition, pointer) in open {
                let inside = dead.iter().map(|address| inside(pointer, *address));
                expired.push(term::and([condition, term::or(inside)]));
            }
        }
        self.note_hazard(Undefined::DeadObject, term::not(term::or(expired)));
    }

    /// A write through a pointer must not change a constant object, except by its initialiser. Pointers from outside
    /// are trusted.
    pub(crate) fn note_write(&mut self, regions: &Regions, access: &Access) {
        if self.hazards.is_none() || !access.is_indirect || access.is_external {
            return;
        }
        let is_constant = |region: &&Region| match self.objects[region.object].origin {
            ObjectOrigin::Variable(_, variable) => self.program[variable].is_constant,
            _ => false,
        };
        let written = regions
            .candidates
            .iter()
            .filter(is_constant)
            .map(|region| region.condition);
        let written = term::or(written.collect::<Vec<_>>());
        self.note_hazard(Undefined::Constant, term::not(written));
    }

    /// Computes which lifetimes may have ended at each node.
    pub(crate) fn compute_expired(&mut self, order: &Order) {
        if self.hazards.is_none() {
            return;
        }
        let exposed = self.exposed_variables();
        let mut nodes: Vec<Node> = order.position.keys().copied().collect();
        nodes.sort_unstable_by_key(|node| order.position[node]);
        let mut ends: BTreeMap<Lifetime, Vec<Node>> = BTreeMap::new();
        for node in &nodes {
            let Node::At(context, location) = *node else { continue };
            for (number, edge) in self.contexts.edges(context, location).iter().enumerate() {
                let after = Node::At(context, edge.to);
                match &edge.step {
                    Step::Leave(variable) if exposed.contains(variable) => {
                        let lifetime = Lifetime::Variable(context, *variable);
                        ends.entry(lifetime).or_default().push(after);
                    }
                    Step::Call { arguments, .. } => {
                        for site in self.freed((context, location, number), arguments) {
                            ends.entry(Lifetime::Site(site)).or_default().push(after);
                        }
                    }
                    _ => {}
                }
            }
        }
        // A call by contract may free, and its nodes are not in the graph.
        let is_by_contract = !self.contexts.roots.is_empty();
        let mut expired: FxHashMap<Node, FxHashSet<Lifetime>> = FxHashMap::default();
        for (lifetime, mut pending) in ends {
            if is_by_contract && matches!(lifetime, Lifetime::Site(_)) {
                pending.extend(&nodes);
            }
            while let Some(node) = pending.pop() {
                let is_new = expired.entry(node).or_default().insert(lifetime);
                if is_new && !self.restarts(node, lifetime) {
                    pending.extend(self.contexts.successors(node));
                }
            }
        }
        if let Some(hazards) = &mut self.hazards {
            hazards.expired = expired;
        }
    }

    /// Whether a lifetime begins again after this node, or belongs to a call that has returned.
    fn restarts(&self, node: Node, lifetime: Lifetime) -> bool {
        let (Node::At(context, location), Lifetime::Variable(of, variable)) = (node, lifetime) else {
            return false;
        };
        let mut edges = self.contexts.edges(context, location).iter();
        let enters = edges.any(|edge| matches!(edge.step, Step::Enter(entered) if entered == variable));
        context == of && (enters || self.contexts.is_exit(context, location))
    }

    /// The allocation sites whose objects a call may free.
    fn freed(&self, (context, location, number): (ContextId, LocationId, usize), arguments: &[Argument]) -> Vec<Site> {
        let site = self.contexts.site(context, location, number);
        let frees = self.calls_library(site, Library::Free) || self.calls_library(site, Library::Reallocate);
        let Some(Argument::Scalar(pointer)) = arguments.first().filter(|_| frees) else {
            return Vec::new();
        };
        let targets = self.contexts.points_to.value(self.program, pointer);
        let sites = targets.iter().filter_map(|target| match target.object {
            Target::Allocated(site) => Some(site),
            _ => None,
        });
        sites.collect()
    }

    /// Variables that pointers may point at.
    fn exposed_variables(&self) -> FxHashSet<VariableId> {
        let points_to = self.contexts.points_to;
        let held = points_to.all().into_iter().flat_map(|(_, targets)| targets);
        let held = held.map(|target| target.object).chain(points_to.all_shown());
        let variables = held.filter_map(|object| match object {
            Target::Variable(variable) => Some(variable),
            _ => None,
        });
        variables.collect()
    }

    /// The source location of the call that a context is.
    pub(crate) fn span_of_call(&self, node: Node) -> Option<Span> {
        let Node::At(context, _) = node else { return None };
        let (caller, location, number) = self.contexts[context].caller?;
        self.contexts.span(caller, location, number)
    }
}
