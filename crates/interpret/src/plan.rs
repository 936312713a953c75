//! Guidance for the search: the branches and input values of an abstract counterexample. It may be spurious.

use crate::code::EdgeOrigin;
use rustc_hash::FxHashMap;
use system::program::{LocationId, ProcedureId};

/// A step, by the location that it leaves.
pub type StepId = (ProcedureId, LocationId);

/// The maximum number of planned branches that a run may skip, such as those of a call that it does not make.
const MOST_LEFT_OUT: usize = 100;

#[derive(Clone, Debug)]
pub struct SearchPlan {
    branches: Vec<(StepId, usize)>,
    values: FxHashMap<StepId, Vec<i128>>,
}

impl SearchPlan {
    /// Branches are a location and the index of the edge taken there; values are inputs of the step at a location. Both
    /// are in the order of the run.
    pub fn new(branches: Vec<(StepId, usize)>, values: Vec<(StepId, i128)>) -> SearchPlan {
        let mut by_place: FxHashMap<StepId, Vec<i128>> = FxHashMap::default();
        for (place, value) in values {
            by_place.entry(place).or_default().push(value);
        }
        SearchPlan {
            branches,
            values: by_place,
        }
    }

    pub(crate) fn length(&self) -> usize {
        self.branches.len()
    }
}

/// The progress of a run along a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlanProgress<'a> {
    plan: &'a SearchPlan,
    /// The number of inputs requested at a location.
    asked: FxHashMap<StepId, usize>,
    /// The planned value of each input.
    pub(crate) suggested: Vec<Option<i128>>,
    /// The number of branches that followed the plan.
    pub(crate) taken: usize,
    /// The number of inputs used before the run left the plan.
    pub(crate) left: Option<usize>,
}

impl<'a> PlanProgress<'a> {
    pub(crate) fn new(plan: &'a SearchPlan) -> PlanProgress<'a> {
        PlanProgress {
            plan,
            asked: FxHashMap::default(),
            suggested: Vec::new(),
            taken: 0,
            left: None,
        }
    }

    /// Records that an input is requested here.
    pub(crate) fn ask(&mut self, place: Option<StepId>) {
        let value = place.and_then(|place| {
            let asked = self.asked.entry(place).or_default();
            *asked += 1;
            self.plan.values.get(&place)?.get(*asked - 1).copied()
        });
        self.suggested.push(value);
    }

    /// Records a branch after `used` inputs. Branches that the plan does not mention are ignored.
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
