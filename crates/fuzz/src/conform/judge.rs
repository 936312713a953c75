//! Reference implementation of trace containment: traces and specifications as plain lists.

use crate::random::Dice;
use std::collections::{BTreeMap, BTreeSet};

/// One event of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    Action(String),
    /// A return, with the conditions of the specification that hold of its value.
    Returned(Vec<bool>),
}

impl Event {
    pub(super) fn new(word: &str) -> Event {
        match word.strip_prefix("return:") {
            Some(mask) => Event::Returned(mask.chars().map(|holds| holds == '1').collect()),
            None => Event::Action(word.to_owned()),
        }
    }
}

/// All traces of a component as a prefix tree: each node maps events to successors.
pub(super) struct Traces {
    nodes: Vec<BTreeMap<Event, usize>>,
    alphabet: BTreeSet<String>,
}

impl Traces {
    pub(super) fn new(alphabet: &BTreeSet<&'static str>) -> Traces {
        Traces {
            nodes: vec![BTreeMap::new()],
            alphabet: alphabet.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    pub(super) fn add(&mut self, events: Vec<Event>) {
        let mut here = 0;
        for event in events {
            let next = self.nodes.len();
            let to = *self.nodes[here].entry(event).or_insert(next);
            if to == next {
                self.nodes.push(BTreeMap::new());
            }
            here = to;
        }
    }
}

/// A transition label of a specification: an action, or a return with the condition of this index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Label {
    Action(String),
    Return(usize),
}

/// A specification: `transitions[state]`.
pub(super) struct Specified {
    transitions: Vec<Vec<(Label, usize)>>,
    alphabet: BTreeSet<Label>,
    conditions: Vec<Option<String>>,
}

/// Mutually exclusive conditions on the return value, or none at all.
pub(super) fn conditions(dice: &mut Dice, result: Option<&str>) -> Vec<Option<String>> {
    if result.is_none() || dice.chance(20) {
        return vec![None];
    }
    let minus_one = match result {
        Some("unsigned char") => "$0 == 0377",
        _ => *dice.pick(&["$0 == -1", "$0 == 0xFFFFFFFF", "$0 == 4294967295u", "-1 == $0"]),
    };
    let all = [
        minus_one,
        *dice.pick(&["$0 == 0", "!$0", "$0 == 0x0", "$0 == 0u"]),
        *dice.pick(&["$0 == 1", "$0 == 01", "$0 == 1l"]),
        *dice.pick(&["$0 == 2", "$0 + 1 == 03"]),
        *dice.pick(&["$0 == 010", "$0 == 8", "$0 == 0x8u"]),
        *dice.pick(&["$0 > 010 && $0 < 0xff", "$0 > 8 && $0 < 255"]),
        "$0 < -1",
    ];
    let mut chosen: Vec<Option<String>> = Vec::new();
    for one in all {
        if dice.chance(80) {
            chosen.push(Some(one.to_owned()));
        }
    }
    match chosen.is_empty() {
        true => vec![None],
        false => chosen,
    }
}

impl Specified {
    /// A specification with all these traces, or all but some: its states are the last events of a trace.
    pub(super) fn drawn(dice: &mut Dice, traces: &[Traces], conditions: Vec<Option<String>>) -> Specified {
        let returns = dice.chance(80);
        let all: BTreeSet<&String> = traces.iter().flat_map(|one| &one.alphabet).collect();
        let spoken: BTreeSet<String> = all.into_iter().filter(|_| dice.chance(80)).cloned().collect();
        let remembered = 1 + dice.roll(2);
        let mut made = Made {
            numbers: BTreeMap::from([(Vec::new(), 0)]),
            transitions: BTreeSet::new(),
            spoken,
            returns,
            remembered,
        };
        let mut met = BTreeSet::new();
        walk(traces, &mut |trace| met.insert(trace.to_vec()) && met.len() < 4000);
        for trace in &met {
            made.follow(trace);
        }
        let mut transitions: Vec<(usize, Label, usize)> = made.transitions.into_iter().collect();
        let labels = |transitions: &[(usize, Label, usize)]| -> BTreeSet<Label> {
            transitions.iter().map(|(_, label, _)| label.clone()).collect()
        };
        let mut alphabet = labels(&transitions);
        if dice.chance(55) && !transitions.is_empty() {
            let number = dice.roll(transitions.len());
            match dice.chance(80) {
                true => drop(transitions.remove(number)),
                false => transitions[number].2 = dice.roll(made.numbers.len()),
            }
        }
        let left = labels(&transitions);
        // Actions that it never waits for are in the alphabet through `+ {a}`, or not at all.
        alphabet.retain(|label| left.contains(label) || dice.chance(70));
        let mut states = vec![Vec::new(); made.numbers.len()];
        for (from, label, to) in transitions {
            states[from].push((label, to));
        }
        Specified {
            transitions: states,
            alphabet,
            conditions,
        }
    }

    fn has_returns(&self) -> bool {
        self.alphabet.iter().any(|label| matches!(label, Label::Return(_)))
    }

    fn word(&self, label: &Label, of_several: bool) -> String {
        match label {
            Label::Action(name) => name.clone(),
            Label::Return(number) => {
                let component = if of_several { "left." } else { "" };
                let condition = self.conditions[*number].as_deref().unwrap_or("");
                format!("{component}return {{{condition}}}")
            }
        }
    }

    /// The specification in its notation, in a random style; its name starts with `S`.
    pub(super) fn text(&self, dice: &mut Dice, of_several: bool) -> String {
        let name = |state: usize| format!("S{state}");
        let mut bodies: Vec<String> = Vec::new();
        for moves in &self.transitions {
            let branches: Vec<String> = moves
                .iter()
                .map(|(label, to)| format!("{} -> {}", self.word(label, of_several), name(*to)))
                .collect();
            bodies.push(match branches.is_empty() {
                true => "STOP".to_owned(),
                false => format!("( {} )", branches.join(" | ")),
            });
        }
        let further: Vec<String> = self.alphabet.iter().map(|label| self.word(label, of_several)).collect();
        let further = match further.is_empty() {
            true => String::new(),
            false => format!(" + {{{}}}", further.join(", ")),
        };
        let definitions: Vec<String> = bodies
            .iter()
            .enumerate()
            .map(|(at, body)| format!("S{at} = {body}"))
            .collect();
        match dice.roll(3) {
            0 => format!("S = S0,\n{}{further}.\n", definitions.join(",\n")),
            1 => format!("{}.\nS = S0{further}.\n", definitions.join(".\n")),
            _ => format!("{}.\nS = T.\nT = S0{further}.\n", definitions.join(",\n")),
        }
    }

    /// The successors of a set of states; `None` if the event is not in the alphabet.
    fn after(&self, states: &BTreeSet<usize>, event: &Event) -> Option<BTreeSet<usize>> {
        let labels: Vec<Label> = match event {
            Event::Action(name) => vec![Label::Action(name.clone())],
            Event::Returned(mask) => {
                let spoken = |number: &usize| self.alphabet.contains(&Label::Return(*number));
                let holding = (0..mask.len()).filter(|number| mask[*number]).filter(spoken);
                let labels: Vec<Label> = holding.map(Label::Return).collect();
                match (labels.is_empty(), self.has_returns()) {
                    // A value that no condition permits.
                    (true, true) => return Some(BTreeSet::new()),
                    (true, false) => return None,
                    _ => labels,
                }
            }
        };
        if !labels.iter().any(|label| self.alphabet.contains(label)) {
            return None;
        }
        let moves = states.iter().flat_map(|state| &self.transitions[*state]);
        Some(
            moves
                .filter(|(label, _)| labels.contains(label))
                .map(|(_, to)| *to)
                .collect(),
        )
    }
}

/// A specification under construction.
struct Made {
    numbers: BTreeMap<Vec<Label>, usize>,
    transitions: BTreeSet<(usize, Label, usize)>,
    spoken: BTreeSet<String>,
    returns: bool,
    remembered: usize,
}

impl Made {
    fn follow(&mut self, trace: &[Event]) {
        let mut last: Vec<Label> = Vec::new();
        for event in trace {
            let label = match event {
                Event::Action(name) if self.spoken.contains(name) => Label::Action(name.clone()),
                Event::Returned(mask) if self.returns => match mask.iter().position(|holds| *holds) {
                    Some(number) => Label::Return(number),
                    None => return,
                },
                _ => continue,
            };
            let from = self.number(&last);
            last.push(label.clone());
            let longest = last.len().saturating_sub(self.remembered);
            last.drain(..longest);
            let to = self.number(&last);
            self.transitions.insert((from, label, to));
        }
    }

    fn number(&mut self, last: &[Label]) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(last.to_vec()).or_insert(next)
    }
}

/// Enumerates the traces of the composition with the event prefix of each, until `more` returns false.
fn walk(traces: &[Traces], more: &mut dyn FnMut(&[Event]) -> bool) {
    let mut pending: Vec<(Vec<usize>, Vec<Event>)> = vec![(vec![0; traces.len()], Vec::new())];
    while let Some((nodes, trace)) = pending.pop() {
        if !more(&trace) {
            continue;
        }
        for (event, next) in together(traces, &nodes) {
            let longer = trace.iter().cloned().chain([event]).collect();
            pending.push((next, longer));
        }
    }
}

/// The next events: an action that all components with it in their alphabets perform, and the return of the first
/// component. Returns of others are unobservable.
fn together(traces: &[Traces], nodes: &[usize]) -> Vec<(Event, Vec<usize>)> {
    let mut found = Vec::new();
    for (number, one) in traces.iter().enumerate() {
        for (event, to) in &one.nodes[nodes[number]] {
            let mut next = nodes.to_vec();
            next[number] = *to;
            match event {
                Event::Returned(_) if number == 0 => found.push((event.clone(), next)),
                Event::Returned(_) => {}
                Event::Action(name) => {
                    let others: Vec<usize> = (0..traces.len())
                        .filter(|other| *other != number && traces[*other].alphabet.contains(name))
                        .collect();
                    let moves = |other: &usize| traces[*other].nodes[nodes[*other]].get(event).map(|to| (*other, *to));
                    let moved: Vec<(usize, usize)> = others.iter().filter_map(moves).collect();
                    // The first of them represents all.
                    let is_first = others.iter().all(|other| number < *other);
                    if moved.len() == others.len() && is_first {
                        moved.into_iter().for_each(|(other, to)| next[other] = to);
                        found.push((event.clone(), next));
                    }
                }
            }
        }
    }
    found
}

/// Whether the composition has a trace outside the specification. `None` if the enumeration takes too long.
pub(super) fn is_violated(traces: &[Traces], specified: &Specified) -> Option<bool> {
    let first = (vec![0; traces.len()], BTreeSet::from([0]));
    let mut seen: BTreeSet<(Vec<usize>, BTreeSet<usize>)> = BTreeSet::from([first.clone()]);
    let mut pending = vec![first];
    while let Some((nodes, states)) = pending.pop() {
        for (event, next) in together(traces, &nodes) {
            let after = specified.after(&states, &event).unwrap_or_else(|| states.clone());
            if after.is_empty() {
                return Some(true);
            }
            let pair = (next, after);
            if seen.insert(pair.clone()) {
                pending.push(pair);
            }
        }
        if seen.len() > 300_000 {
            return None;
        }
    }
    Some(false)
}
