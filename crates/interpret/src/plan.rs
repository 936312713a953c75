//! A run that somebody else believes in, as a plan: which branches it takes, and which values it has for what the
//! program asks for. It need not be a run of the program.

use crate::code::EdgeOrigin;
use rustc_hash::FxHashMap;
use system::program::{LocationId, ProcedureId};

/// A step, by the place that it leaves.
pub type Place = (ProcedureId, LocationId);

/// How many planned branches may be left out, such as those of a call that the run does not make.
const MOST_LEFT_OUT: usize = 100;

#[derive(Clone, Debug)]
pub struct Plan {
    branches: Vec<(Place, usize)>,
    values: FxHashMap<Place, Vec<i128>>,
}

impl Plan {
    /// Branches are a place and the number of the edge that is taken there; values are what the step at a place asks
    /// for. Both come in their order.
    pub fn new(branches: Vec<(Place, usize)>, values: Vec<(Place, i128)>) -> Plan {
        let mut by_place: FxHashMap<Place, Vec<i128>> = FxHashMap::default();
        for (place, value) in values {
            by_place.entry(place).or_default().push(value);
        }
        Plan {
            branches,
            values: by_place,
        }
    }

    pub(crate) fn length(&self) -> usize {
        self.branches.len()
    }
}

/// How far a run goes as planned.
#[derive(Clone, Debug)]
pub(crate) struct Planning<'a> {
    plan: &'a Plan,
    /// How often the step at a place has asked.
    asked: FxHashMap<Place, usize>,
    /// Of each input, the value that was planned.
    pub(crate) suggested: Vec<Option<i128>>,
    /// How many branches were taken as planned.
    pub(crate) taken: usize,
    /// How many inputs were used before the run left the plan.
    pub(crate) left: Option<usize>,
}

impl<'a> Planning<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Planning<'a> {
        Planning {
            plan,
            asked: FxHashMap::default(),
            suggested: Vec::new(),
            taken: 0,
            left: None,
        }
    }

    /// An input is asked for here.
    pub(crate) fn ask(&mut self, place: Option<Place>) {
        let value = place.and_then(|place| {
            let asked = self.asked.entry(place).or_default();
            *asked += 1;
            self.plan.values.get(&place)?.get(*asked - 1).copied()
        });
        self.suggested.push(value);
    }

    /// A branch is taken, after so many inputs were used. Branches of which the plan knows nothing do not matter.
    pub(crate) fn take(&mut self, origin: EdgeOrigin, used: usize) {
        if self.left.is_some() {
            return;
        }
        let place = (origin.procedure, origin.location);
        let rest = self.plan.branches.iter().skip(self.taken).take(MOST_LEFT_OUT);
        let mut rest = rest.enumerate().filter(|(_, (planned, _))| *planned == place);
        match rest.next() {
            Some((next, (_, edge))) if origin.edge.is_some_and(|taken| taken as usize == *edge) => {
                self.taken += next + 1;
            }
            Some(_) => self.left = Some(used),
            None => {}
        }
    }
}
