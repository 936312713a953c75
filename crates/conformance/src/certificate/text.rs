//! The text of a certificate: a function of the components and of the claim, so that it can be made again.

use super::claim::{Claim, ComponentClaim};
use super::obligations::{
    After, Executed, Key, Subject, constants, ended, execute, guard, hazards, returned, statements,
};
use crate::assembly::System;
use crate::component::Component;
use crate::component::abstraction::{AbstractTransition, ControlState, Via};
use crate::lts::Action;
use deduction::constants::substitute;
use logic::smtlib::Declarations;
use logic::substitute::functions_of;
use logic::{Function, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use validate::conformance::TITLE;
use validate::{Label, MADE_BY, QueryKind, one_line, sealed};

pub(super) const CLAIM: &str = "; claim";
pub(super) const END_OF_CLAIM: &str = "; end of the claim";

/// How to check a certificate by hand.
const EXPLANATION: &str = "\
;
; This file proves that every trace of the components is one of the specification. The claim below has, of each component,
; predicates at locations, states (a place in the component with values of the predicates there) and moves between them.
; Each query shows of a statement that it leads from these states to no others, or of a step that it is never undefined.
;
; To have the queries answered, give the file to any solver that reads SMT-LIB 2, such as `z3 FILE` or
; `cvc5 --incremental FILE`. They are confirmed if every answer is the expected one, and there is no error. `unknown` confirms
; nothing. That the file is whole: grep -v '^; sha256:' FILE | sha256sum
; Whoever changes the file can write a new digest, too: it tells of accidents only.
;
; That the statements are those of the components, that no query is missing, and that the moves stay in the specification, no
; solver can tell: `cubist validate FILE --model SPEC --model FILE.c` reads the sources again, makes this text again from the
; claim alone, refuses any difference, and checks the claim.
;
";

/// A certificate, and what each of its queries is about.
pub struct Text {
    pub text: String,
    pub subjects: Vec<Subject>,
}

/// The certificate of a claim that fits the components.
pub fn text(system: &System, claim: &Claim, about: &validate::About) -> Text {
    made_by(system, claim, about, MADE_BY)
}

/// The symbols for the cells of all components, in one order whatever the claim says.
pub(super) fn symbols(system: &System) -> Declarations {
    let mut declarations = Declarations::default();
    let cells = system
        .components
        .iter()
        .flat_map(|component| component.flow.cells.keys());
    for cell in cells {
        declarations.symbols_mut().function(*cell);
    }
    declarations
}

pub(super) fn made_by(system: &System, claim: &Claim, about: &validate::About, made_by: &str) -> Text {
    let mut writer = Writer {
        declarations: symbols(system),
        mentioned: BTreeSet::new(),
        definitions: String::new(),
        queries: String::new(),
        subjects: Vec::new(),
    };
    let stated = writer.claim(system, claim);
    for (position, (component, own)) in system.components.iter().zip(&claim.components).enumerate() {
        writer.component(position, component, own);
    }
    let mut text = format!("{TITLE}\n; made by: {made_by}\n");
    for (word, value) in about {
        let _ = writeln!(text, "; {word}: {}", one_line(value));
    }
    let _ = writeln!(text, "; queries: {}", writer.subjects.len());
    text.push_str(EXPLANATION);
    text.push_str(&stated);
    text.push_str(
        "\n(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n\n; What the components store, and what they choose.\n",
    );
    for function in &writer.mentioned {
        writer.declarations.declare_function(*function, &mut text);
    }
    text.push_str(&writer.definitions);
    text.push_str(&writer.queries);
    Text {
        text: sealed(&text),
        subjects: writer.subjects,
    }
}

struct Writer {
    declarations: Declarations,
    mentioned: BTreeSet<Function>,
    definitions: String,
    queries: String,
    subjects: Vec<Subject>,
}

/// What is defined of a component.
struct Named<'c, 'p> {
    position: usize,
    component: &'c Component<'p>,
    claim: &'c ComponentClaim,
    states: Vec<String>,
}

impl Writer {
    fn claim(&mut self, system: &System, claim: &Claim) -> String {
        let mut text = format!("{CLAIM}\n");
        let of_components = system.components.iter().flat_map(|component| &component.alphabet);
        let actions: BTreeSet<Action> = of_components.chain(&system.specification.alphabet).copied().collect();
        for action in actions {
            let _ = writeln!(text, "; action {}: {}", action.0, one_line(system.actions.name(action)));
        }
        for (number, (component, own)) in (1..).zip(system.components.iter().zip(&claim.components)) {
            let _ = writeln!(text, "; component {number}: {}", one_line(&component.name));
            for (node, predicates) in own.predicates.iter().enumerate() {
                for predicate in predicates {
                    let _ = writeln!(
                        text,
                        "; location {node}: predicate {}",
                        self.declarations.term(*predicate)
                    );
                }
            }
            for (state, about) in own.states.iter().enumerate() {
                let place = match about.place {
                    ControlState::At(node) => format!("location {node}"),
                    ControlState::Inside(edge, one, inside) => format!("call {edge} abstraction {one} state {inside}"),
                    ControlState::Stop => "end".to_owned(),
                };
                let values: String = match about.valuation.is_empty() {
                    true => "-".to_owned(),
                    false => about
                        .valuation
                        .iter()
                        .map(|value| if *value { '1' } else { '0' })
                        .collect(),
                };
                let _ = write!(text, "; state {state}: {place}, values {values}");
                if let Some(class) = own.classes.as_ref().and_then(|classes| classes.get(&state)) {
                    let _ = write!(text, ", class {class}");
                }
                text.push('\n');
            }
            for (state, moves) in own.moves.iter().enumerate().filter(|(_, moves)| !moves.is_empty()) {
                let moves: Vec<String> = moves.iter().map(moved).collect();
                let _ = writeln!(text, "; from {state}: {}", moves.join(", "));
            }
            if own.classes.is_none() {
                text.push_str("; one level\n");
            }
            if !own.excluded.is_empty() {
                let _ = writeln!(text, "; excluded: {}", listed(&own.excluded));
            }
        }
        for (tuple, set) in &claim.pairs {
            let _ = writeln!(text, "; together: {} with {}", listed(tuple), listed(set));
        }
        text.push_str(END_OF_CLAIM);
        text.push('\n');
        text
    }

    /// The text of a formula, whose functions will be declared.
    fn formula(&mut self, formula: Term) -> String {
        self.mentioned.extend(functions_of(formula));
        self.declarations.term(formula)
    }

    fn define(&mut self, name: &str, formula: Term) -> String {
        let formula = self.formula(formula);
        self.define_as(name, &formula)
    }

    fn define_as(&mut self, name: &str, formula: &str) -> String {
        let symbol = self.declarations.symbols_mut().definition(name);
        let _ = writeln!(self.definitions, "(define-fun {symbol} () Bool {formula})");
        symbol
    }

    fn component(&mut self, position: usize, component: &Component, claim: &ComponentClaim) {
        let c = position + 1;
        let _ = writeln!(self.definitions, "\n; Component {c}: {}", one_line(&component.name));
        let reached = hazards::states(component, claim);
        let mut names = vec![String::new(); claim.states.len()];
        for (node, states) in &reached {
            let constants = self.define(&format!("constants-{c}-{node}"), constants(component, *node));
            let predicates: Vec<String> = (claim.predicates[*node].iter().enumerate())
                .map(|(number, predicate)| self.define(&format!("predicate-{c}-{node}-{number}"), *predicate))
                .collect();
            for state in states {
                let values = valued(&predicates, &claim.states[*state].valuation);
                let parts = [&[constants.clone()][..], &values].concat();
                names[*state] = self.define_as(&format!("state-{c}-{state}"), &all(&parts));
            }
            let states: Vec<String> = states.iter().map(|state| names[*state].clone()).collect();
            self.define_as(&format!("reached-{c}-{node}"), &any(&states));
        }
        let named = Named {
            position,
            component,
            claim,
            states: names,
        };
        for statement in statements(component, claim) {
            self.statement(&named, statement.key, &statement.rows);
        }
        for (number, ((_, kind), ways)) in hazards::all(component).iter().enumerate() {
            if claim.excluded.contains(&number) {
                let is_met = |hazard: &&hazards::Hazard| hazard.at.is_none_or(|(_, node)| reached.contains_key(&node));
                for (way, hazard) in ways.iter().filter(is_met).enumerate() {
                    self.defined(&named, (number, way), &format!("{kind:?}"), hazard);
                }
            }
        }
    }

    /// A statement leads from each state to those that the claim says.
    fn statement(&mut self, named: &Named, key: Key, rows: &[(usize, Vec<After>)]) {
        let (c, component, claim) = (named.position + 1, named.component, named.claim);
        let (Key::Edge(edge) | Key::Enter(edge, _)) = key;
        let (from, to) = (component.automaton.edges[edge].from, component.automaton.edges[edge].to);
        let mut all_terms: Vec<Term> = vec![constants(component, from)];
        all_terms.extend(&claim.predicates[from]);
        let (taken, executed, what) = executed_by(component, key);
        let suffix = match key {
            Key::Edge(edge) => format!("{c}-{edge}"),
            Key::Enter(edge, one) => format!("{c}-{edge}-{one}"),
        };
        all_terms.push(taken);
        let taken = self.define(&format!("taken-{suffix}"), taken);
        let afterwards = rows.iter().flat_map(|(_, after)| after);
        let leads_on = afterwards.clone().any(|after| matches!(after, After::State(_)));
        let (mut then, mut predicates) = (String::new(), Vec::new());
        if leads_on {
            let after = |formula: Term| substitute(&executed.state, formula);
            let known = after(constants(component, to));
            all_terms.push(known);
            then = self.define(&format!("constants-after-{suffix}"), known);
            for (number, predicate) in claim.predicates[to].iter().enumerate() {
                let predicate = after(*predicate);
                all_terms.push(predicate);
                predicates.push(self.define(&format!("predicate-after-{suffix}-{number}"), predicate));
            }
        }
        let mut endings: BTreeMap<Action, String> = BTreeMap::new();
        for after in afterwards {
            if let After::Ended(action) = after
                && !endings.contains_key(action)
            {
                let condition = substitute(&executed.state, ended(component, *action));
                all_terms.push(condition);
                let symbol = self.define(&format!("ended-{suffix}-{}", action.0), condition);
                endings.insert(*action, symbol);
            }
        }
        let mut claims = Vec::new();
        for (state, afterwards) in rows.iter().filter(|(_, after)| !after.contains(&After::Taken)) {
            let mut possible = Vec::new();
            for after in afterwards {
                possible.push(match after {
                    After::Taken => "true".to_owned(),
                    After::Ended(action) => endings[action].clone(),
                    After::State(to) => {
                        let values = valued(&predicates, &claim.states[*to].valuation);
                        all(&[&[then.clone()][..], &values].concat())
                    }
                });
            }
            let here = &named.states[*state];
            claims.push(match possible.is_empty() {
                true => format!("(not {here})"),
                false => format!("(=> {here} {})", any(&possible)),
            });
        }
        let ranges = self.ranges(component, &suffix, &all_terms);
        let known: Vec<String> = ranges.into_iter().chain([taken]).collect();
        let subject = Subject::Statement {
            component: named.position,
        };
        self.query(QueryKind::Statement, subject, &what, &known, &all(&claims));
    }

    /// A step is defined where it is taken in this way.
    fn defined(&mut self, named: &Named, (number, way): (usize, usize), kind: &str, hazard: &hazards::Hazard) {
        let c = named.position + 1;
        let suffix = format!("{c}-hazard-{number}-{way}");
        let mut terms = vec![hazard.formula];
        let mut known = Vec::new();
        if let Some((_, node)) = hazard.at {
            terms.push(constants(named.component, node));
            terms.extend(&named.claim.predicates[node]);
            known.push(
                self.declarations
                    .symbols_mut()
                    .definition(&format!("reached-{c}-{node}")),
            );
        }
        let safe = self.define(&format!("defined-{suffix}"), term::not(hazard.formula));
        let ranges = self.ranges(named.component, &suffix, &terms);
        let known: Vec<String> = ranges.into_iter().chain(known).collect();
        let subject = Subject::Defined {
            component: named.position,
            hazard: number,
        };
        let what = format!("{}: step {number} has defined behaviour ({kind})", named.component.name);
        self.query(QueryKind::Defined, subject, &what, &known, &safe);
    }

    /// What the types say of the cells in these formulas.
    fn ranges(&mut self, component: &Component, suffix: &str, terms: &[Term]) -> Option<String> {
        let mut functions = BTreeSet::new();
        terms.iter().for_each(|term| functions.extend(functions_of(*term)));
        let ranges = functions
            .iter()
            .filter_map(|function| component.flow.cells.get(function));
        let ranges = term::and(ranges.copied());
        (!ranges.is_true()).then(|| self.define(&format!("ranges-{suffix}"), ranges))
    }

    fn query(&mut self, kind: QueryKind, subject: Subject, what: &str, known: &[String], claim: &str) {
        self.subjects.push(subject);
        let number = self.subjects.len();
        let label = Label {
            kind,
            step: None,
            number: Some(number),
        };
        let text = &mut self.queries;
        let _ = write!(text, "\n; query {number}: {label}\n; {}\n", one_line(what));
        text.push_str("(push 1)\n(set-info :status unsat)\n");
        for known in known {
            let _ = writeln!(text, "(assert {known})");
        }
        let _ = write!(text, "(assert (not {claim}))\n(check-sat) ; expected unsat\n(pop 1)\n");
    }
}

/// A move, as the claim says it.
fn moved(step: &AbstractTransition) -> String {
    let to = step.to;
    match step.via {
        Via::Edge(edge) => format!("statement {edge} to {to}"),
        Via::Enter(edge, abstraction) => format!("enter {edge} {abstraction} to {to}"),
        Via::Inside(..) => format!("action {} to {to}", step.action.0),
        Via::Leave(edge) => format!("leave {edge} to {to}"),
        Via::Return(edge, action) => format!("return {edge} {} to {to}", action.0),
        Via::Astray(edge) => format!("astray {edge} to {to}"),
    }
}

fn listed<'n, T: ToString + 'n>(numbers: impl IntoIterator<Item = &'n T>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(ToString::to_string).collect();
    numbers.join(" ")
}

fn valued(predicates: &[String], values: &[bool]) -> Vec<String> {
    let pairs = predicates.iter().zip(values);
    pairs
        .map(|(predicate, value)| match value {
            true => predicate.clone(),
            false => format!("(not {predicate})"),
        })
        .collect()
}

fn all(parts: &[String]) -> String {
    match parts {
        [] => "true".to_owned(),
        [only] => only.clone(),
        several => format!("(and {})", several.join(" ")),
    }
}

fn any(parts: &[String]) -> String {
    match parts {
        [] => "false".to_owned(),
        [only] => only.clone(),
        several => format!("(or {})", several.join(" ")),
    }
}

/// When a statement or a call is taken, what it does, and how it is named.
fn executed_by(component: &Component, key: Key) -> (Term, Executed, String) {
    let (Key::Edge(edge) | Key::Enter(edge, _)) = key;
    let (from, to) = (component.automaton.edges[edge].from, component.automaton.edges[edge].to);
    let name = &component.name;
    match key {
        Key::Edge(edge) => {
            let executed = execute(component, edge);
            let taken = executed.conditions.iter().copied().chain(returned(component, edge));
            let what = format!("{name}: statement {edge}, from location {from} to location {to}");
            (term::and(taken), executed, what)
        }
        Key::Enter(edge, one) => {
            let routine = &component.routines[component.sites[&edge].routine].name;
            let what = format!("{name}: call {edge} of {routine} at location {from}, abstraction {one}");
            let executed = Executed {
                conditions: Vec::new(),
                state: BTreeMap::new(),
            };
            (guard(component, edge, one), executed, what)
        }
    }
}
