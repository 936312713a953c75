//! Points-to analysis: Andersen's, field-sensitive and context-insensitive, with on-the-fly resolution of calls through
//! pointers.
//!
//! L. O. Andersen, *Program Analysis and Specialization for the C Programming Language*, 1994, chapter 4; fields by
//! offsets as D. J. Pearce, P. H. J. Kelly and C. Hankin, *Efficient field-sensitive pointer analysis of C*, 2007.
//!
//! It is flow-insensitive: the least map from parts of objects to sets of [`Target`]s that is closed under every step
//! of the program. Every scalar has such a set, not only pointers, which tracks pointers through integers and byte-wise
//! copies. The solver revisits a step whenever something that it read has grown.
//!
//! Casts between pointers and integers: a pointer cast from an integer may point at every object whose address became
//! an integer anywhere, since integers are not tracked through branches and tables. Bytes that are written as an
//! integer and read as a pointer are such a cast.
//!
//! What it merges: all calls of a procedure; all objects of an allocation site; the elements of an array, unless the
//! array is part of a larger object.
//! What it relies on: pointer arithmetic stays inside of its object, which proofs show or list as an assumption. An
//! index that may be out of bounds leads anywhere in the object that contains the array, and so does a pointer that
//! traverses it.

mod memory;
mod parts;
mod solve;
mod text;

pub use memory::{Object, Offset, Target};

use memory::{EXTERNAL, Memory, extent};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Callee, LocationId, Place, ProcedureId, Program, Step, Value};

/// The targets of a value.
pub type Targets = BTreeSet<Target>;

/// An edge of the program: its procedure, its source location, and its index there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    pub procedure: ProcedureId,
    pub location: LocationId,
    pub edge: usize,
}

/// A part of an object, with the elements of arrays folded. Without a size, all bytes from the offset on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    pub target: Target,
    pub size: Option<u64>,
}

impl Part {
    /// Whether both may have a byte in common.
    pub fn overlaps(&self, other: &Part) -> bool {
        let (a, b) = (self.target, other.target);
        a.object == b.object && a.offset.overlaps(self.size, b.offset, other.size)
    }
}

/// The points-to relation of a whole program.
#[derive(Clone, Debug)]
pub struct PointsTo {
    memory: Memory,
    calls: BTreeMap<Site, BTreeSet<ProcedureId>>,
    shown: BTreeSet<Object>,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        solve::solve(program)
    }

    /// The targets of a value.
    pub fn value(&self, program: &Program, value: &Value) -> Targets {
        self.expanded(self.memory.value(program, value, &mut BTreeSet::new()))
    }

    /// The objects and offsets that a place may denote.
    pub fn place(&self, program: &Program, place: &Place) -> Targets {
        self.expanded(self.memory.place(program, place, &mut BTreeSet::new()))
    }

    /// The targets, with every object that external procedures know where a pointer may come from one.
    fn expanded(&self, mut targets: Targets) -> Targets {
        if targets.contains(&EXTERNAL) {
            let shown = self.shown.iter().map(|object| Target {
                object: *object,
                offset: Offset::Any,
            });
            targets.extend(shown);
        }
        targets
    }

    /// The parts of objects that a place may denote; [`Object::External`] represents all that external procedures know.
    pub(crate) fn parts(&self, program: &Program, place: &Place) -> Vec<Part> {
        let size = extent(program, place);
        let targets = self.memory.place(program, place, &mut BTreeSet::new()).into_iter();
        targets.map(|target| self.part(program, target, size)).collect()
    }

    /// The objects that a value may point into; [`Object::External`] represents all that external procedures know.
    pub(crate) fn objects(&self, program: &Program, value: &Value) -> BTreeSet<Object> {
        let targets = self.memory.value(program, value, &mut BTreeSet::new());
        targets.into_iter().map(|target| target.object).collect()
    }

    /// A range of bytes from a target on; without a size, all bytes behind it.
    pub fn part(&self, program: &Program, target: Target, size: Option<u64>) -> Part {
        let (target, size) = self.memory.region(program, target, size.map(|size| size.max(1)));
        Part { target, size }
    }

    /// Whether a place of this size at a target may contain the byte at this offset of an object. For cross-checks
    /// against concrete runs.
    pub fn covers(&self, program: &Program, target: Target, size: Option<u64>, object: Object, offset: u64) -> bool {
        let seen = self.memory.canonical(program, object, offset);
        let seen = self.part(program, seen, Some(1));
        self.part(program, target, size).overlaps(&seen)
    }

    /// The targets stored in an object; [`Object::External`] represents all that external procedures know.
    pub(crate) fn contents(&self, object: Object) -> Targets {
        self.memory.everything(object)
    }

    /// The targets stored anywhere in an object, with those that external procedures may store there.
    pub fn everything(&self, object: Object) -> Targets {
        self.expanded(self.memory.everything(object))
    }

    /// The procedures that a call may reach, in order.
    pub fn callees(&self, program: &Program, site: Site) -> Vec<ProcedureId> {
        let step = edge(program, site).map(|edge| &edge.step);
        match step {
            Some(Step::Call {
                callee: Callee::Procedure(procedure),
                ..
            }) => vec![*procedure],
            _ => self.calls.get(&site).into_iter().flatten().copied().collect(),
        }
    }

    /// Every part of an object that may hold a pointer, with its targets.
    pub fn all(&self) -> Vec<(Target, Targets)> {
        self.memory.all()
    }

    /// Whether external procedures may have a pointer to an object: then any of them may read and write it.
    pub fn is_shown(&self, object: Object) -> bool {
        self.shown.contains(&object)
    }

    /// The objects whose addresses became integers, or may be observed as such: a pointer cast from any integer may
    /// point at them.
    pub fn numbered(&self) -> &BTreeSet<Object> {
        self.memory.numbered()
    }

    /// All objects that external procedures know.
    pub fn all_shown(&self) -> impl Iterator<Item = Object> {
        self.shown.iter().copied()
    }
}

/// The edge of a site.
pub fn edge(program: &Program, site: Site) -> Option<&system::program::Edge> {
    let automaton = program[site.procedure].body.automaton()?;
    automaton.locations.get(site.location.index())?.edges.get(site.edge)
}

/// All edges of the program, in order.
pub fn sites(program: &Program) -> Vec<Site> {
    let mut sites = Vec::new();
    for (number, procedure) in (0..).zip(&program.procedures) {
        let Some(automaton) = procedure.body.automaton() else {
            continue;
        };
        for (location, at) in (0..).zip(&automaton.locations) {
            let site = |edge| Site {
                procedure: ProcedureId(number),
                location: LocationId(location),
                edge,
            };
            sites.extend((0..at.edges.len()).map(site));
        }
    }
    sites
}
