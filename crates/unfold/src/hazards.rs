//! Hazards: steps of the program that are undefined in some states.
//!
//! The system ends runs at some of them (`Machine::require`), and goes on in its own way at others, such as accesses
//! behind the end of an object. Either way it says nothing of what gcc's program does from there on: a proof about the
//! system is one about the program only where no hazard happens, or as far as it does not.
//!
//! The condition of a hazard is over the state at the cut point before it, and over what is chosen since: that the step
//! is reached, that all before it that ends runs is defined, and that the step is not. [`Unfolded::guarded`] makes
//! violations of hazards, so that a proof about that system excludes them.
//!
//! The life of a variable of a block ends where the block does, that of allocated memory where a `free` may have been
//! reached: which of them may be over at a node is looked at in the graph of the program, whatever the values are.

use crate::blocks::Order;
use crate::contexts::{ContextId, Node};
use crate::machine::{Machine, equal};
use crate::objects::{ObjectId, Objects, Origin, inside};
use crate::places::{Spot, Spots};
use analysis::points_to::{Object as Target, Site};
use logic::{Term, term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use system::Span;
use system::program::{Argument, Body, Library, LocationId, Place, ProcedureId, Step, Undefined, Value, VariableId};

/// No step chooses so often.
const ASIDE: usize = 1 << 24;

/// A step that is undefined where the condition holds.
#[derive(Clone, Debug)]
pub struct Hazard {
    pub kind: Undefined,
    pub span: Span,
    /// The cut point that the condition is about, by its position among the nodes.
    pub(crate) cut: usize,
    pub(crate) condition: Term,
}

/// Something whose life may be over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Mortal {
    Variable(ContextId, VariableId),
    /// All that it allocates.
    Site(Site),
}

/// What a machine finds out about hazards while it makes blocks.
#[derive(Default)]
pub(crate) struct Hazards {
    /// Of the step that is taken.
    noted: Vec<(Undefined, Term)>,
    found: BTreeMap<(usize, Span, Undefined), Term>,
    /// What may be gone where the program is at a node.
    gone: FxHashMap<Node, FxHashSet<Mortal>>,
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

/// Where a place is: its address, and whether that is known to be inside of an object.
pub(crate) struct Reached {
    pub(crate) address: Term,
    /// What a pointer leads to.
    pub(crate) is_indirect: bool,
    /// The pointer may come from outside of the program.
    pub(crate) is_external: bool,
    /// A requirement says that it is inside of its object.
    pub(crate) is_checked: bool,
}

impl Machine<'_, '_> {
    /// The step that is taken is undefined where the condition does not hold.
    pub(crate) fn note(&mut self, kind: Undefined, defined: Term) {
        let Some(hazards) = &mut self.hazards else { return };
        if !defined.is_true() {
            let before = self.requirements.iter().copied();
            hazards
                .noted
                .push((kind, term::and(before.chain([term::not(defined)]))));
        }
    }

    pub(crate) fn place_hazards(&mut self, node: Node) {
        if let Some(hazards) = &mut self.hazards {
            hazards.at = Some(node);
            hazards.noted.clear();
        }
    }

    /// Keeps what was noted of a step that is taken in a block where the condition holds.
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

    /// What was noted of the step that is taken.
    pub(crate) fn noted_hazards(&mut self) -> Vec<(Undefined, Term)> {
        let hazards = self.hazards.as_mut();
        hazards.map_or(Vec::new(), |hazards| std::mem::take(&mut hazards.noted))
    }

    /// As many bytes as the type of the place has, or these, must lie in an object that lives.
    pub(crate) fn note_access(&mut self, spots: &Spots, reached: &Reached, bytes: Option<Term>) {
        if self.hazards.is_none() {
            return;
        }
        let extent = match spots.bits {
            Some(bits) => u64::from((bits.first + bits.width).div_ceil(8)),
            None => self.program.types.size(spots.type_id).unwrap_or(0),
        };
        let bytes = bytes.unwrap_or_else(|| term::int(i128::from(extent)));
        let (mut outside, mut gone) = (Vec::new(), Vec::new());
        for spot in &spots.spots {
            match reached.is_indirect && !self.lives(spot.object) {
                true => gone.push(spot.condition),
                false => {
                    let fits = self.fits(spot, reached, bytes);
                    outside.push(term::and([spot.condition, term::not(fits)]));
                }
            }
        }
        if !reached.is_external {
            outside.push(spots.elsewhere);
        }
        self.note(Undefined::DeadObject, term::not(term::or(gone)));
        self.note(Undefined::OutOfBounds, term::not(term::or(outside)));
    }

    fn fits(&self, spot: &Spot, reached: &Reached, bytes: Term) -> Term {
        if reached.is_checked {
            return term::bool(true);
        }
        let Some(size) = self.known_size(spot.object) else {
            return term::bool(false);
        };
        let Some(offset) = spot.offset else {
            let start = term::int(Objects::address(spot.object));
            let end = term::int(Objects::address(spot.object) + i128::from(size));
            let last = term::add([reached.address, bytes]);
            return term::and([
                term::less_equal(start, reached.address),
                term::less_equal(last, end),
                term::less_equal(reached.address, end),
            ]);
        };
        match offset < 0 {
            true => term::bool(false),
            false => term::less_equal(bytes, term::int(i128::from(size) - offset)),
        }
    }

    /// How many bytes an object has. What steps allocate has as many as the text of the step says.
    fn known_size(&self, object: ObjectId) -> Option<u64> {
        match self.objects.objects[object.0 as usize].origin {
            Origin::Variable(_, variable) => self.program.types.size(self.program[variable].type_id),
            Origin::Allocated(_, site, _) => crate::allocated::bytes(self.program, site),
            Origin::Procedure(_) => None,
        }
    }

    /// Whether the life of an object is certainly not over.
    fn lives(&self, object: ObjectId) -> bool {
        let is_open = |context: ContextId| self.contexts.chain(self.context).any(|open| open == context);
        let (is_open, mortal) = match self.objects.objects[object.0 as usize].origin {
            Origin::Variable(None, _) | Origin::Procedure(_) => return true,
            Origin::Variable(Some(context), variable) => (is_open(context), Mortal::Variable(context, variable)),
            Origin::Allocated(context, site, _) => (
                !self.calls_library(site, Library::AllocateLocal) || is_open(context),
                Mortal::Site(site),
            ),
        };
        let hazards = self.hazards.as_ref();
        let gone = hazards.and_then(|hazards| hazards.gone.get(hazards.at.as_ref()?));
        is_open && gone.is_none_or(|gone| !gone.contains(&mortal))
    }

    fn calls_library(&self, site: Site, library: Library) -> bool {
        let callees = self.contexts.points_to.callees(self.program, site);
        let mut bodies = callees.iter().map(|callee| &self.program[*callee].body);
        bodies.any(|body| matches!(body, Body::Library(known) if *known == library))
    }

    /// What is freed must be null, or the beginning of something that was allocated and not freed.
    pub(crate) fn note_free(&mut self, pointer: &Value) {
        if self.hazards.is_none() {
            return;
        }
        let targets = self.contexts.points_to.value(self.program, pointer);
        let (required, counter) = self.step_aside();
        let freed = self.value(pointer);
        let mut fine = vec![equal(freed, term::int(0))];
        for target in &targets {
            match target.object {
                Target::External => fine.push(term::bool(true)),
                Target::Allocated(site) if !self.calls_library(site, Library::AllocateLocal) => {
                    for object in self.instances(target.object) {
                        if self.lives(object) {
                            fine.push(equal(freed, term::int(Objects::address(object))));
                        }
                    }
                }
                _ => {}
            }
        }
        self.note(Undefined::Free, term::or(fine));
        self.step_back(required, counter);
    }

    /// As many bytes as a value says are accessed where pointers lead to, at a step of which the system says no more
    /// than what it may change.
    pub(crate) fn note_bytes(&mut self, pointers: &[&Value], size: Term) {
        if self.hazards.is_none() {
            return;
        }
        let (required, counter) = self.step_aside();
        for pointer in pointers {
            let place = Place::at((*pointer).clone(), self.byte_type());
            let (spots, reached) = self.reached(&place);
            self.note_access(&spots, &reached, Some(size));
        }
        self.step_back(required, counter);
    }

    /// What is looked at from here on is not looked at by the system: it chooses under names of its own.
    fn step_aside(&mut self) -> (usize, usize) {
        let before = (self.requirements.len(), self.counter);
        self.counter += ASIDE;
        before
    }

    fn step_back(&mut self, required: usize, counter: usize) {
        self.requirements.truncate(required);
        self.counter = counter;
    }

    /// What is not null must be the address of a procedure that is known, unless it comes from outside.
    pub(crate) fn note_call(&mut self, pointer: &Value, called: Term, known: &[ProcedureId]) {
        if self.hazards.is_none() {
            return;
        }
        let targets = self.contexts.points_to.value(self.program, pointer);
        let is_external = targets.iter().any(|target| target.object == Target::External);
        let is_null = equal(called, term::int(0));
        self.note(Undefined::NullPointer, term::not(is_null));
        if !is_external {
            let known = known
                .iter()
                .map(|callee| self.objects.get(Origin::Procedure(*callee)))
                .map(|object| object.map_or(0, Objects::address));
            let is_known = known.map(|address| equal(called, term::int(address)));
            self.note(Undefined::Call, term::or(is_known.chain([is_null])));
        }
    }

    /// The order of pointers, and their distance, is that of offsets in one object.
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
            self.note(Undefined::DifferentObjects, equal(left, right));
        }
    }

    /// Where a pointer is compared, or becomes a number, its object lives: an address is given again to another object.
    pub(crate) fn note_use(&mut self, value: &Value, pointer: Term) {
        if self.hazards.is_none() {
            return;
        }
        let mut spots = Spots {
            spots: Vec::new(),
            elsewhere: term::bool(false),
            type_id: self.byte_type(),
            bits: None,
        };
        let mut open = Vec::new();
        self.known(pointer, term::bool(true), &mut spots, &mut open);
        let known = spots.spots.iter().filter(|spot| !self.lives(spot.object));
        let mut gone: Vec<Term> = known.map(|spot| spot.condition).collect();
        if !open.is_empty() {
            let targets = self.contexts.points_to.value(self.program, value);
            let may_be = |origin: Origin| match origin {
                Origin::Variable(_, variable) => targets.iter().any(|at| at.object == Target::Variable(variable)),
                Origin::Allocated(_, site, _) => targets.iter().any(|at| at.object == Target::Allocated(site)),
                Origin::Procedure(_) => false,
            };
            let all = (0..).map(ObjectId).zip(&self.objects.objects);
            let dead = all.filter(|(id, object)| may_be(object.origin) && !self.lives(*id));
            let dead: Vec<i128> = dead.map(|(id, _)| Objects::address(id)).collect();
            for (condition, pointer) in open {
                let inside = dead.iter().map(|address| inside(pointer, *address));
                gone.push(term::and([condition, term::or(inside)]));
            }
        }
        self.note(Undefined::DeadObject, term::not(term::or(gone)));
    }

    /// What may not be changed must not be written to, but where it gets its first value. What comes from outside of
    /// the program is taken to know that.
    pub(crate) fn note_write(&mut self, spots: &Spots, reached: &Reached) {
        if self.hazards.is_none() || !reached.is_indirect || reached.is_external {
            return;
        }
        let is_constant = |spot: &&Spot| match self.objects.objects[spot.object.0 as usize].origin {
            Origin::Variable(_, variable) => self.program[variable].is_constant,
            _ => false,
        };
        let written = spots.spots.iter().filter(is_constant).map(|spot| spot.condition);
        let written = term::or(written.collect::<Vec<_>>());
        self.note(Undefined::Constant, term::not(written));
    }

    /// Looks for what may be gone at each node.
    pub(crate) fn look_for_gone(&mut self, order: &Order) {
        if self.hazards.is_none() {
            return;
        }
        let exposed = self.exposed_variables();
        let mut nodes: Vec<Node> = order.position.keys().copied().collect();
        nodes.sort_unstable_by_key(|node| order.position[node]);
        let mut ends: BTreeMap<Mortal, Vec<Node>> = BTreeMap::new();
        for node in &nodes {
            let Node::At(context, location) = *node else { continue };
            for (number, edge) in self.contexts.edges(context, location).iter().enumerate() {
                let after = Node::At(context, edge.to);
                match &edge.step {
                    Step::Leave(variable) if exposed.contains(variable) => {
                        let mortal = Mortal::Variable(context, *variable);
                        ends.entry(mortal).or_default().push(after);
                    }
                    Step::Call { arguments, .. } => {
                        for site in self.freed((context, location, number), arguments) {
                            ends.entry(Mortal::Site(site)).or_default().push(after);
                        }
                    }
                    _ => {}
                }
            }
        }
        // A call by contract may free, and no node is in it.
        let is_by_contract = !self.contexts.roots.is_empty();
        let mut gone: FxHashMap<Node, FxHashSet<Mortal>> = FxHashMap::default();
        for (mortal, mut pending) in ends {
            if is_by_contract && matches!(mortal, Mortal::Site(_)) {
                pending.extend(&nodes);
            }
            while let Some(node) = pending.pop() {
                let is_new = gone.entry(node).or_default().insert(mortal);
                if is_new && !self.is_reborn(node, mortal) {
                    pending.extend(self.contexts.successors(node));
                }
            }
        }
        if let Some(hazards) = &mut self.hazards {
            hazards.gone = gone;
        }
    }

    /// Whether behind this node a variable lives again, or belongs to a call that has returned.
    fn is_reborn(&self, node: Node, mortal: Mortal) -> bool {
        let (Node::At(context, location), Mortal::Variable(of, variable)) = (node, mortal) else {
            return false;
        };
        let mut edges = self.contexts.edges(context, location).iter();
        let enters = edges.any(|edge| matches!(edge.step, Step::Enter(entered) if entered == variable));
        context == of && (enters || self.contexts.is_exit(context, location))
    }

    /// What a call may free, by the steps that allocated it.
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

    /// Variables of blocks that pointers may point at.
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

    /// The text of the call that a context is.
    pub(crate) fn span_of_call(&self, node: Node) -> Option<Span> {
        let Node::At(context, _) = node else { return None };
        let (caller, location, number) = self.contexts.get(context).caller?;
        self.contexts.span(caller, location, number)
    }
}
