//! What pointers may point at: Andersen's analysis, field-sensitive, without contexts, with calls by pointer resolved
//! on the fly.
//!
//! L. O. Andersen, *Program Analysis and Specialization for the C Programming Language*, 1994, chapter 4; fields by
//! offsets as D. J. Pearce, P. H. J. Kelly and C. Hankin, *Efficient field-sensitive pointer analysis of C*, 2007.
//!
//! The order of steps does not matter to it: it looks for the least map from parts of objects to sets of [`Target`]s
//! that every step of the program keeps. Every scalar has such a set, not only pointers, so that a pointer which goes
//! through an integer or is copied byte by byte is not lost. A step is looked at again whenever something that it read
//! has grown.
//!
//! The address of an object may become a number, and a number a pointer: such a pointer may point at every object whose
//! address became a number anywhere, since what becomes of numbers is not followed through branches and tables.
//!
//! Bytes that are written as a number and read as a pointer are such a pointer, too.
//!
//! What it merges: all calls of a procedure; all objects that one call of an allocator makes; the elements of an array,
//! as far as nothing else is around it.
//! What it relies on: pointer arithmetic stays in its object, as proofs show or name. An index that may be outside of
//! its array leads anywhere in the object that the array is a part of, and so does a pointer that walks through it.

mod memory;
mod parts;
mod solve;
mod text;

pub use memory::{Object, Offset, Target};

use memory::{EXTERNAL, Memory, extent};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Callee, LocationId, Place, ProcedureId, Program, Step, Value};

/// The targets that a value may have.
pub type Targets = BTreeSet<Target>;

/// An edge of the program: the procedure, where it begins, and its position there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    pub procedure: ProcedureId,
    pub location: LocationId,
    pub edge: usize,
}

/// A part of an object, with elements of arrays made one. No size stands for all bytes from there on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    pub target: Target,
    pub size: Option<u64>,
}

impl Part {
    /// Whether they may have a byte in common.
    pub fn overlaps(&self, other: &Part) -> bool {
        let (a, b) = (self.target, other.target);
        a.object == b.object && a.offset.overlaps(self.size, b.offset, other.size)
    }
}

/// What pointers may point at, in the whole program.
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

    /// What a value may point at.
    pub fn value(&self, program: &Program, value: &Value) -> Targets {
        self.expanded(self.memory.value(program, value, &mut BTreeSet::new()))
    }

    /// The objects and offsets that a place may be.
    pub fn place(&self, program: &Program, place: &Place) -> Targets {
        self.expanded(self.memory.place(program, place, &mut BTreeSet::new()))
    }

    /// The same targets, with all that procedures were shown which nobody knows, where a pointer may come from these.
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

    /// Whether two places may have a byte in common.
    pub fn may_overlap(&self, program: &Program, first: &Place, second: &Place) -> bool {
        let parts = |place: &Place| -> Vec<Part> {
            let size = extent(program, place);
            let targets = self.place(program, place).into_iter();
            targets.map(|target| self.part(program, target, size)).collect()
        };
        let (first, second) = (parts(first), parts(second));
        first.iter().any(|a| second.iter().any(|b| a.overlaps(b)))
    }

    /// The parts of objects that a place may be; [`Object::External`] stands for all that is shown.
    pub(crate) fn parts(&self, program: &Program, place: &Place) -> Vec<Part> {
        let size = extent(program, place);
        let targets = self.memory.place(program, place, &mut BTreeSet::new()).into_iter();
        targets.map(|target| self.part(program, target, size)).collect()
    }

    /// The objects that a value may point into; [`Object::External`] stands for all that is shown.
    pub(crate) fn objects(&self, program: &Program, value: &Value) -> BTreeSet<Object> {
        let targets = self.memory.value(program, value, &mut BTreeSet::new());
        targets.into_iter().map(|target| target.object).collect()
    }

    /// So many bytes from a target on; no size stands for all bytes behind it.
    pub fn part(&self, program: &Program, target: Target, size: Option<u64>) -> Part {
        let (target, size) = self.memory.region(program, target, size.map(|size| size.max(1)));
        Part { target, size }
    }

    /// Whether a place of this many bytes that begins at a target may have the byte at this offset of an object. For
    /// checks against what runs do.
    pub fn covers(&self, program: &Program, target: Target, size: Option<u64>, object: Object, offset: u64) -> bool {
        let seen = self.memory.canonical(program, object, offset);
        let seen = self.part(program, seen, Some(1));
        self.part(program, target, size).overlaps(&seen)
    }

    /// What an object may hold; [`Object::External`] stands for all that is shown.
    pub(crate) fn contents(&self, object: Object) -> Targets {
        self.memory.everything(object)
    }

    /// What may be pointed at from anywhere in an object.
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

    /// Whether procedures that nobody knows may have a pointer to an object: any of them may read it, and write to it.
    pub fn is_shown(&self, object: Object) -> bool {
        self.shown.contains(&object)
    }

    /// The objects whose addresses became numbers, or may be found out: a pointer that is made of numbers may point at
    /// any of them, however it is made.
    pub fn numbered(&self) -> &BTreeSet<Object> {
        self.memory.numbered()
    }

    /// All such objects.
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
