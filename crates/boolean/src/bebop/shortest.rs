//! The shortest run into a failing assertion.
//!
//! Path edges are computed again by time: the minimum number of steps of a run that reaches them, where calls count
//! with all their steps. Each location gets *rings*, the path edges of each time. A procedure that is first called in a
//! state at time `k` and can be at its exit at time `t` takes `t - k` steps from that state for every caller, so
//! summaries have durations. Walking back through the rings yields the run.

use super::encode::{COPIES, Call, ENTRY, Encoded, NEXT, NOW, RESULT, copy};
use super::graph::Step;
use crate::program::{ProcedureId, StatementId, Variable};
use crate::trace::{Control, Point, State, Trace};
use bdd::{Bdd, Manager};
use std::collections::BTreeMap;

type Time = usize;
/// A procedure and a location.
type Place = (usize, usize);

struct Rings<'e, 'p> {
    encoded: &'e mut Encoded<'p>,
    /// By procedure and location: the path edges by the time of their first appearance.
    rings: Vec<Vec<BTreeMap<Time, Bdd>>>,
    seen: Vec<Vec<Bdd>>,
    /// By procedure: its entry states.
    entries: Vec<BTreeMap<Time, Bdd>>,
    entered: Vec<Bdd>,
    /// By procedure and duration.
    summaries: Vec<BTreeMap<Time, Bdd>>,
    pending: BTreeMap<Time, BTreeMap<Place, Bdd>>,
    /// Entry states that become active at a time.
    calls: BTreeMap<Time, BTreeMap<usize, Bdd>>,
}

/// The shortest run; `None` where the work was cancelled, or no assertion can fail.
pub(super) fn shortest(encoded: &mut Encoded<'_>) -> Option<Trace> {
    let of_locations = |encoded: &Encoded<'_>| encoded.graphs.iter().map(|graph| graph.locations()).collect();
    let locations: Vec<usize> = of_locations(encoded);
    let count = locations.len();
    let mut rings = Rings {
        encoded,
        rings: locations.iter().map(|count| vec![BTreeMap::new(); *count]).collect(),
        seen: locations.iter().map(|count| vec![Manager::FALSE; *count]).collect(),
        entries: vec![BTreeMap::new(); count],
        entered: vec![Manager::FALSE; count],
        summaries: vec![BTreeMap::new(); count],
        pending: BTreeMap::new(),
        calls: BTreeMap::new(),
    };
    let (time, place) = rings.search()?;
    rings.trace(time, place)
}

impl Rings<'_, '_> {
    /// The first time at which an assertion fails, and its location.
    fn search(&mut self) -> Option<(Time, Place)> {
        let entry = self.encoded.program.entry.0;
        self.calls.entry(0).or_default().insert(entry, Manager::TRUE);
        loop {
            let next = [self.pending.keys().next(), self.calls.keys().next()];
            let time = *next.into_iter().flatten().min()?;
            self.enter_all(time);
            // Exits first, since callers resume at the same time.
            for is_exit in [true, false] {
                let found = self.pending.remove(&time).unwrap_or_default();
                let (now, later): (BTreeMap<Place, Bdd>, BTreeMap<Place, Bdd>) =
                    found.into_iter().partition(|((procedure, location), _)| {
                        !is_exit || *location == self.encoded.graphs[*procedure].exit
                    });
                if !later.is_empty() {
                    self.pending.insert(time, later);
                }
                for (place, set) in now {
                    if self.arrive(time, place, set) {
                        return (!self.encoded.manager.is_exhausted()).then_some((time, place));
                    }
                }
            }
            if self.encoded.manager.is_exhausted() {
                return None;
            }
            self.collect();
        }
    }

    fn collect(&mut self) {
        if !self.encoded.manager.is_crowded() {
            return;
        }
        let rings = self.rings.iter().flatten().flat_map(BTreeMap::values);
        let maps = self.entries.iter().chain(&self.summaries).flat_map(BTreeMap::values);
        let pending = self.pending.values().flat_map(BTreeMap::values);
        let calls = self.calls.values().flat_map(BTreeMap::values);
        let sets = self.seen.iter().flatten().chain(&self.entered);
        let all = rings.chain(maps).chain(pending).chain(calls).chain(sets).copied();
        let kept: Vec<Bdd> = all.chain(self.encoded.kept()).collect();
        self.encoded.manager.collect(kept);
    }

    fn schedule(&mut self, time: Time, place: Place, set: Bdd) {
        if set != Manager::FALSE {
            let there = self
                .pending
                .entry(time)
                .or_default()
                .entry(place)
                .or_insert(Manager::FALSE);
            *there = self.encoded.manager.or(*there, set);
        }
    }

    /// Enters the procedures that are called at this time.
    fn enter_all(&mut self, time: Time) {
        for (procedure, set) in self.calls.remove(&time).unwrap_or_default() {
            let new = self.encoded.manager.without(set, self.entered[procedure]);
            if new != Manager::FALSE {
                self.entered[procedure] = self.encoded.manager.or(self.entered[procedure], new);
                self.entries[procedure].insert(time, new);
                let first = self.encoded.first(procedure, new);
                let entry = self.encoded.graphs[procedure].entry;
                self.schedule(time, (procedure, entry), first);
            }
        }
    }

    /// Adds path edges to a location; returns whether an assertion fails there.
    fn arrive(&mut self, time: Time, (procedure, location): Place, set: Bdd) -> bool {
        let known = self.seen[procedure][location];
        let new = self.encoded.manager.without(set, known);
        if new == Manager::FALSE {
            return false;
        }
        self.seen[procedure][location] = self.encoded.manager.or(known, new);
        self.rings[procedure][location].insert(time, new);
        if location == self.encoded.graphs[procedure].exit {
            self.leave(time, procedure, new);
            return false;
        }
        if let Some(failing) = self.encoded.failing[procedure][location]
            && self.encoded.manager.and(new, failing) != Manager::FALSE
        {
            return true;
        }
        for edge in self.encoded.graphs[procedure].outgoing[location].clone() {
            let to = self.encoded.graphs[procedure].edges[edge].to;
            let Some(call) = self.encoded.called(procedure, edge) else {
                let image = self.encoded.image(procedure, edge, new);
                self.schedule(time + 1, (procedure, to), image);
                continue;
            };
            let entries = self.encoded.begun(&call, new);
            if entries != Manager::FALSE {
                let of_time = self.calls.entry(time + 1).or_default();
                let there = of_time.entry(call.procedure).or_insert(Manager::FALSE);
                *there = self.encoded.manager.or(*there, entries);
            }
            for (duration, summary) in self.summaries[call.procedure].clone() {
                let returned = self.encoded.returned(procedure, &call, new, summary);
                self.schedule(time + 1 + duration, (procedure, to), returned);
            }
        }
        false
    }

    /// Adds pairs at an exit by duration, and resumes the callers.
    fn leave(&mut self, time: Time, procedure: usize, exits: Bdd) {
        for (begun, entries) in self.entries[procedure].clone() {
            let part = self.encoded.manager.and(exits, entries);
            if part == Manager::FALSE {
                continue;
            }
            let summary = self.encoded.summarised(procedure, part);
            let duration = time - begun;
            let known = self.summaries[procedure].entry(duration).or_insert(Manager::FALSE);
            *known = self.encoded.manager.or(*known, summary);
            for (caller, edge) in self.encoded.callers[procedure].clone() {
                let Some(call) = self.encoded.called(caller, edge) else {
                    continue;
                };
                let (from, to) = {
                    let edge = &self.encoded.graphs[caller].edges[edge];
                    (edge.from, edge.to)
                };
                // A caller before the first call in these entry states has not made this call.
                let earliest = begun.saturating_sub(1);
                let sets: Vec<(Time, Bdd)> = self.rings[caller][from]
                    .range(earliest..)
                    .map(|(called, set)| (*called, *set))
                    .collect();
                for (called, set) in sets {
                    let returned = self.encoded.returned(caller, &call, set, summary);
                    self.schedule(called + 1 + duration, (caller, to), returned);
                }
            }
        }
    }
}

/// A path edge of the run under construction.
struct Moment {
    procedure: usize,
    location: usize,
    time: Time,
    entry: Entry,
    state: State,
}

/// The entry state of a call.
#[derive(Clone)]
struct Entry {
    globals: Vec<bool>,
    parameters: Vec<bool>,
}

/// An assignment to all copies of all slots.
struct Valuation {
    values: Vec<bool>,
}

impl Valuation {
    fn get(&self, slot: usize, kind: u32) -> bool {
        self.values.get(copy(slot, kind) as usize).copied().unwrap_or_default()
    }
}

impl Rings<'_, '_> {
    fn pick(&mut self, set: Bdd, literals: Vec<(u32, bool)>) -> Option<Valuation> {
        let cube = self.encoded.manager.literals(literals);
        let both = self.encoded.manager.and(set, cube);
        if self.encoded.manager.is_exhausted() {
            return None;
        }
        let path = self.encoded.manager.pick(both)?;
        let largest = path
            .last()
            .map_or(0, |(variable, _)| *variable as usize + COPIES as usize);
        let mut values = vec![false; largest];
        for (variable, value) in path {
            values[variable as usize] = value;
        }
        Some(Valuation { values })
    }

    fn state(&self, procedure: usize, valuation: &Valuation) -> State {
        let globals = 0..self.encoded.program.globals.len();
        let locals = self.encoded.local_slots(procedure).into_iter();
        State {
            globals: globals.map(|slot| valuation.get(slot, NOW)).collect(),
            locals: locals.map(|slot| valuation.get(slot, NOW)).collect(),
        }
    }

    fn entry(&self, procedure: usize, valuation: &Valuation) -> Entry {
        let globals = 0..self.encoded.program.globals.len();
        let parameters = self.encoded.parameter_slots(procedure).into_iter();
        Entry {
            globals: globals.map(|slot| valuation.get(slot, ENTRY)).collect(),
            parameters: parameters.map(|slot| valuation.get(slot, ENTRY)).collect(),
        }
    }

    /// That a procedure was entered with these values.
    fn entry_literals(&self, procedure: usize, entry: &Entry, kinds: (u32, u32)) -> Vec<(u32, bool)> {
        let globals = self
            .encoded
            .seen(procedure)
            .map(|slot| (copy(slot, kinds.0), entry.globals[slot]));
        let parameters = self
            .encoded
            .parameter_slots(procedure)
            .into_iter()
            .zip(&entry.parameters);
        globals
            .chain(parameters.map(|(slot, value)| (copy(slot, kinds.1), *value)))
            .collect()
    }

    /// The time of the first call with these values.
    fn called_at(&self, procedure: usize, entry: &Entry) -> Option<Time> {
        let literals = self.entry_literals(procedure, entry, (ENTRY, ENTRY));
        let value = |variable| literals.iter().any(|(number, value)| *number == variable && *value);
        let mut rings = self.entries[procedure].iter();
        rings
            .find(|(_, set)| self.encoded.manager.evaluate(**set, &value))
            .map(|(time, _)| *time)
    }

    fn trace(&mut self, time: Time, (procedure, location): Place) -> Option<Trace> {
        let failing = self.encoded.failing[procedure][location]?;
        let set = *self.rings[procedure][location].get(&time)?;
        let set = self.encoded.manager.and(set, failing);
        let last = self.pick(set, Vec::new())?;
        let mut moment = Moment {
            procedure,
            location,
            time,
            entry: self.entry(procedure, &last),
            state: self.state(procedure, &last),
        };
        let mut points = Vec::new();
        // The callers of procedures that the run traverses completely.
        let mut open: Vec<Moment> = Vec::new();
        loop {
            points.push(self.point(&moment));
            if Some(moment.time) != self.called_at(moment.procedure, &moment.entry) {
                moment = self.before(&moment, &mut open)?;
            } else if let Some(caller) = open.pop() {
                moment = caller;
            } else if moment.time == 0 {
                break;
            } else {
                moment = self.caller(&moment)?;
            }
        }
        points.reverse();
        self.complete(&mut points);
        let failing = StatementId {
            procedure: ProcedureId(procedure),
            number: location,
        };
        Some(Trace { points, failing })
    }

    fn point(&self, moment: &Moment) -> Point {
        let is_end = moment.location == self.encoded.graphs[moment.procedure].end;
        Point {
            procedure: ProcedureId(moment.procedure),
            control: if is_end {
                Control::End
            } else {
                Control::Before(moment.location)
            },
            depth: 0,
            state: moment.state.clone(),
        }
    }

    /// A possible caller of a procedure at its entry.
    fn caller(&mut self, moment: &Moment) -> Option<Moment> {
        let time = moment.time.checked_sub(1)?;
        for (caller, edge) in self.encoded.callers[moment.procedure].clone() {
            let from = self.encoded.graphs[caller].edges[edge].from;
            let (Some(call), Some(set)) = (
                self.encoded.called(caller, edge),
                self.rings[caller][from].get(&time).copied(),
            ) else {
                continue;
            };
            let literals = self.entry_literals(moment.procedure, &moment.entry, (NOW, NEXT));
            let passed = self.encoded.related(set, &call.arguments);
            if let Some(found) = self.pick(passed, literals) {
                return Some(Moment {
                    procedure: caller,
                    location: from,
                    time,
                    entry: self.entry(caller, &found),
                    state: self.state(caller, &found),
                });
            }
        }
        None
    }

    /// The predecessor of a path edge: in the same procedure, or at the end of a callee.
    fn before(&mut self, moment: &Moment, open: &mut Vec<Moment>) -> Option<Moment> {
        let procedure = moment.procedure;
        for edge in self.encoded.graphs[procedure].incoming[moment.location].clone() {
            let found = match self.encoded.called(procedure, edge) {
                Some(call) => self.out_of(moment, edge, &call, open),
                None => {
                    let literals = self.state_literals(procedure, edge, &moment.state);
                    self.step_back(procedure, edge, moment.time.checked_sub(1)?, &moment.entry, literals)
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// That a step along an edge that is no call led to this state.
    fn state_literals(&self, procedure: usize, edge: usize, state: &State) -> Vec<(u32, bool)> {
        let changed: &[Variable] = match self.encoded.graphs[procedure].edges[edge].step {
            Step::Assign { targets, .. } => targets,
            Step::Forget(variables) => {
                let kept = self.all_literals(procedure, state, variables);
                return kept;
            }
            _ => &[],
        };
        let mut literals = self.all_literals(procedure, state, changed);
        let next = changed
            .iter()
            .map(|target| (copy(self.encoded.slot(*target), NEXT), state.get(*target)));
        literals.extend(next);
        literals
    }

    /// The current values of all variables in scope, except these.
    fn all_literals(&self, procedure: usize, state: &State, but: &[Variable]) -> Vec<(u32, bool)> {
        let globals = self.encoded.seen(procedure).map(Variable::Global);
        let locals = (0..state.locals.len()).map(Variable::Local);
        let all = globals.chain(locals).filter(|variable| !but.contains(variable));
        all.map(|variable| (copy(self.encoded.slot(variable), NOW), state.get(variable)))
            .collect()
    }

    /// A predecessor along an edge into the states where the literals hold.
    fn step_back(
        &mut self,
        procedure: usize,
        edge: usize,
        time: Time,
        entry: &Entry,
        mut literals: Vec<(u32, bool)>,
    ) -> Option<Moment> {
        let from = self.encoded.graphs[procedure].edges[edge].from;
        let set = *self.rings[procedure][from].get(&time)?;
        literals.extend(self.entry_literals(procedure, entry, (ENTRY, ENTRY)));
        let cube = self.encoded.manager.literals(literals);
        let set = self.encoded.manager.and(set, cube);
        let set = self.encoded.taken(procedure, edge, set);
        let found = self.pick(set, Vec::new())?;
        Some(Moment {
            procedure,
            location: from,
            time,
            entry: entry.clone(),
            state: self.state(procedure, &found),
        })
    }

    /// The last path edge of the callee whose return led here. The caller is pushed to `open`.
    fn out_of(&mut self, moment: &Moment, edge: usize, call: &Call, open: &mut Vec<Moment>) -> Option<Moment> {
        let (caller, called) = (moment.procedure, call.procedure);
        let graph_edge = &self.encoded.graphs[caller].edges[edge];
        let (from, step) = (graph_edge.from, graph_edge.step);
        let Step::Call { results, .. } = step else {
            return None;
        };
        let literals = self.literals_after_call(moment, called, results);
        let durations: Vec<(Time, Bdd)> = self.summaries[called].iter().map(|(d, s)| (*d, *s)).collect();
        for (duration, summary) in durations {
            let Some(time) = moment.time.checked_sub(1 + duration) else {
                continue;
            };
            let Some(set) = self.rings[caller][from].get(&time).copied() else {
                continue;
            };
            let cube = self.encoded.manager.literals(literals.clone());
            let set = self.encoded.manager.and(set, cube);
            let set = self.encoded.related(set, &call.arguments);
            let set = self.encoded.manager.and(set, summary);
            let Some(found) = self.pick(set, Vec::new()) else {
                continue;
            };
            let state = self.state(caller, &found);
            let parameters = self.encoded.parameter_slots(called).into_iter();
            let entry = Entry {
                globals: state.globals.clone(),
                parameters: parameters.map(|slot| found.get(slot, NEXT)).collect(),
            };
            let end = self.called_at(called, &entry)? + duration;
            let globals: Vec<(u32, bool)> = self
                .encoded
                .seen(called)
                .map(|slot| (copy(slot, NOW), found.get(slot, NEXT)))
                .collect();
            let values = (0..results.len()).map(|number| copy(number, RESULT));
            let values = values.map(|variable| (variable, moment_value(&found, variable)));
            let at_exit: Vec<(u32, bool)> = globals.into_iter().chain(values).collect();
            let last = self.last_of(called, end, &entry, &at_exit)?;
            open.push(Moment {
                procedure: caller,
                location: from,
                time,
                entry: moment.entry.clone(),
                state,
            });
            return Some(last);
        }
        None
    }

    /// The constraints on the state before a call and on its end, by the state after it.
    fn literals_after_call(&self, moment: &Moment, called: usize, results: &[Variable]) -> Vec<(u32, bool)> {
        let state = &moment.state;
        let kept = self.all_literals(moment.procedure, state, results).into_iter();
        let is_seen = |variable: u32| {
            let slot = (variable / COPIES) as usize;
            self.encoded.relevant[called].get(slot).copied().unwrap_or_default()
        };
        // Variables that the callee sees have the values of its end.
        let kept = kept.map(|(variable, value)| match is_seen(variable) {
            true => (variable - NOW + NEXT, value),
            false => (variable, value),
        });
        let values = results.iter().enumerate();
        let values = values.map(|(number, result)| (copy(number, RESULT), state.get(*result)));
        let entry = self.entry_literals(moment.procedure, &moment.entry, (ENTRY, ENTRY));
        kept.chain(values).chain(entry).collect()
    }

    /// The path edge before a return.
    fn last_of(&mut self, procedure: usize, end: Time, entry: &Entry, at_exit: &[(u32, bool)]) -> Option<Moment> {
        let exit = self.encoded.graphs[procedure].exit;
        for edge in self.encoded.graphs[procedure].incoming[exit].clone() {
            let found = self.step_back(procedure, edge, end.checked_sub(1)?, entry, at_exit.to_vec());
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Completes the points with call depths and with globals that their procedure does not see.
    fn complete(&self, points: &mut [Point]) {
        let mut depth = 0;
        let mut globals: Vec<bool> = points
            .first()
            .map(|point| point.state.globals.clone())
            .unwrap_or_default();
        for point in points {
            point.depth = depth;
            for global in self.encoded.seen(point.procedure.0) {
                globals[global] = point.state.globals[global];
            }
            point.state.globals.clone_from(&globals);
            let graph = &self.encoded.graphs[point.procedure.0];
            let location = match point.control {
                Control::Before(number) => number,
                Control::End => graph.end,
            };
            let step = graph.outgoing[location].first().map(|edge| graph.edges[*edge].step);
            match step {
                Some(Step::Call { .. }) => depth += 1,
                Some(Step::Return(_)) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

fn moment_value(valuation: &Valuation, variable: u32) -> bool {
    valuation.values.get(variable as usize).copied().unwrap_or_default()
}
