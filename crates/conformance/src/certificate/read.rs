//! The claim of a certificate, read again. A claim that is returned fits the components, for any text.

use super::claim::{Claim, ComponentClaim};
use super::text::{CLAIM, END_OF_CLAIM, symbols};
use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{AbstractState, AbstractTransition, ControlState, Via};
use crate::lts::{Action, TAU};
use deduction::reading::read_formula;
use logic::smtlib::Declarations;
use logic::substitute::functions_of;
use std::collections::{BTreeMap, BTreeSet};

/// What cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("it has none")]
    NoClaim,
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: &'static str },
    #[error("it is about {said} components, and there are {found}")]
    Components { said: usize, found: usize },
    #[error("state {state} of `{component}`: {reason}")]
    Misfit {
        component: String,
        state: usize,
        reason: &'static str,
    },
}

/// The claim that a certificate of these components states.
pub fn stated(text: &str, system: &System) -> Result<Claim, Unreadable> {
    let mut reader = Reader {
        system,
        declarations: symbols(system),
        claim: Claim {
            components: Vec::new(),
            pairs: Vec::new(),
        },
    };
    let mut lines = (1..).zip(text.lines()).skip_while(|(_, line)| *line != CLAIM).skip(1);
    loop {
        match lines.next() {
            None => return Err(Unreadable::NoClaim),
            Some((_, END_OF_CLAIM)) => break,
            Some((line, content)) => {
                let read = reader.line(content);
                read.map_err(|reason| Unreadable::Line { line, reason })?;
            }
        }
    }
    let (said, found) = (reader.claim.components.len(), system.components.len());
    if said != found {
        return Err(Unreadable::Components { said, found });
    }
    for (component, claim) in system.components.iter().zip(&reader.claim.components) {
        claim.fits(component).map_err(|(state, reason)| Unreadable::Misfit {
            component: component.name.clone(),
            state,
            reason,
        })?;
    }
    Ok(reader.claim)
}

struct Reader<'s, 'p> {
    system: &'s System<'p>,
    declarations: Declarations,
    claim: Claim,
}

type Read<T> = Result<T, &'static str>;

const NO_LINE: &str = "this is no line of a claim";
const NO_NUMBER: &str = "a number is missing, or too large";
const NO_MOVE: &str = "this is no move";

impl Reader<'_, '_> {
    fn line(&mut self, line: &str) -> Read<()> {
        let (head, rest) = line
            .strip_prefix("; ")
            .and_then(|line| line.split_once(": "))
            .unwrap_or((line, ""));
        let words: Vec<&str> = head.split(' ').collect();
        match words[..] {
            ["action", _] => Ok(()),
            ["component", number] => self.begin(number),
            ["location", node] => self.predicate(node, rest),
            ["state", number] => self.state(number, rest),
            ["from", number] => self.moves(number, rest),
            ["excluded"] => {
                let numbers = numbers(rest)?;
                self.open()?.1.excluded.extend(numbers);
                Ok(())
            }
            ["together"] => self.pair(rest),
            _ if line == "; one level" => {
                self.open()?.1.classes = None;
                Ok(())
            }
            _ => Err(NO_LINE),
        }
    }

    /// The component that the claim is at.
    fn open(&mut self) -> Read<(&Component<'_>, &mut ComponentClaim)> {
        let position = self.claim.components.len().checked_sub(1);
        let component = position.and_then(|position| self.system.components.get(position));
        match (component, self.claim.components.last_mut()) {
            (Some(component), Some(claim)) => Ok((component, claim)),
            _ => Err("this is of no component"),
        }
    }

    fn begin(&mut self, number: &str) -> Read<()> {
        let next = self.claim.components.len();
        let component = self.system.components.get(next).ok_or("there is no such component")?;
        if number.parse() != Ok(next + 1) {
            return Err("this is not the next component");
        }
        self.claim.components.push(ComponentClaim {
            predicates: vec![Vec::new(); component.automaton.nodes.len()],
            classes: Some(BTreeMap::new()),
            ..ComponentClaim::default()
        });
        Ok(())
    }

    fn predicate(&mut self, node: &str, text: &str) -> Read<()> {
        let node = number(node)?;
        let text = text.strip_prefix("predicate ").ok_or(NO_LINE)?;
        let formula = read_formula(text, self.declarations.symbols()).ok_or("this is no formula over the state")?;
        let (component, claim) = self.open()?;
        let is_own = functions_of(formula)
            .iter()
            .all(|function| component.flow.cells.contains_key(function));
        if !is_own {
            return Err("this is no formula over the state of the component");
        }
        let at = claim.predicates.get_mut(node).ok_or("there is no such location")?;
        at.push(formula);
        Ok(())
    }

    fn state(&mut self, name: &str, text: &str) -> Read<()> {
        let (_, claim) = self.open()?;
        let state = number(name)?;
        if state != claim.states.len() {
            return Err("this is not the next state");
        }
        let mut parts = text.split(", ");
        let words: Vec<&str> = parts.next().unwrap_or_default().split(' ').collect();
        let place = match words[..] {
            ["location", node] => ControlState::At(number(node)?),
            ["call", edge, "abstraction", one, "state", inside] => {
                ControlState::Inside(number(edge)?, number(one)?, number(inside)?)
            }
            ["end"] => ControlState::Stop,
            _ => return Err("this is no place"),
        };
        let values = parts
            .next()
            .and_then(|part| part.strip_prefix("values "))
            .ok_or(NO_LINE)?;
        let value = |value: char| match value {
            '0' => Ok(false),
            '1' => Ok(true),
            _ => Err("a value is 0 or 1"),
        };
        let valuation = match values {
            "-" => Vec::new(),
            values => values.chars().map(value).collect::<Read<Vec<bool>>>()?,
        };
        if let Some(class) = parts.next() {
            let class = class
                .strip_prefix("class ")
                .and_then(|class| class.parse::<u32>().ok())
                .ok_or(NO_NUMBER)?;
            claim.classes.get_or_insert_default().insert(state, class);
        }
        if parts.next().is_some() {
            return Err(NO_LINE);
        }
        claim.states.push(AbstractState {
            place,
            valuation: valuation.into(),
        });
        claim.moves.push(Vec::new());
        Ok(())
    }

    fn moves(&mut self, from: &str, text: &str) -> Read<()> {
        let from = number(from)?;
        let (component, claim) = self.open()?;
        let here = claim
            .states
            .get(from)
            .map(|state| state.place)
            .ok_or("there is no such state")?;
        if !claim.moves[from].is_empty() {
            return Err("its moves are said twice");
        }
        let mut moves = Vec::new();
        for part in text.split(", ") {
            moves.push(moved(component, here, part)?);
        }
        claim.moves[from] = moves;
        Ok(())
    }

    fn pair(&mut self, text: &str) -> Read<()> {
        let (tuple, set) = text.split_once(" with ").ok_or(NO_LINE)?;
        let narrow = |state: usize| u32::try_from(state).map_err(|_| NO_NUMBER);
        let tuple = numbers(tuple)?.into_iter().map(narrow).collect::<Read<Vec<u32>>>()?;
        let set: BTreeSet<usize> = numbers(set)?.into_iter().collect();
        self.claim.pairs.push((tuple.into(), set));
        Ok(())
    }
}

/// A move from a place. Whether there is such a one is looked at later.
fn moved(component: &Component, here: ControlState, text: &str) -> Read<AbstractTransition> {
    let (how, to) = text.split_once(" to ").ok_or(NO_MOVE)?;
    let to = number(to)?;
    let words: Vec<&str> = how.split(' ').collect();
    let action = |text: &str| text.parse().map(Action).map_err(|_| NO_NUMBER);
    let (action, via) = match words[..] {
        ["statement", edge] => (TAU, Via::Edge(number(edge)?)),
        ["enter", edge, one] => (TAU, Via::Enter(number(edge)?, number(one)?)),
        ["action", name] => {
            let ControlState::Inside(edge, abstraction, _) = here else {
                return Err("outside of a call no action happens by itself");
            };
            (action(name)?, Via::Inside(edge, abstraction))
        }
        ["leave", edge] => (TAU, Via::Leave(number(edge)?)),
        ["return", edge, name] => (action(name)?, Via::Return(number(edge)?, action(name)?)),
        ["astray", edge] => (component.astray.ok_or(NO_MOVE)?, Via::Astray(number(edge)?)),
        _ => return Err(NO_MOVE),
    };
    Ok(AbstractTransition { action, to, via })
}

fn number(text: &str) -> Read<usize> {
    text.parse().map_err(|_| NO_NUMBER)
}

fn numbers(text: &str) -> Read<Vec<usize>> {
    text.split(' ').map(number).collect()
}
