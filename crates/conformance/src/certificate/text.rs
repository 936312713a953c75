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

/// The symbols for the cells of all components, in one order for all claims.
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
    text.push_str(&writer.queries);
    Text {
        text: sealed(&text),
        subjects: writer.subjects,
    }
}

struct Writer {
    declarations: Declarations,
    mentioned: BTreeSet<Function>,
    queries: String,
    subjects: Vec<Subject>,
}

/// A component with its claim.
struct Claimed<'c, 'p> {
    position: usize,
    component: &'c Component<'p>,
    claim: &'c ComponentClaim,
}

/// What a query says: premises, and a claim that follows from them.
///
/// Everything is named by `let` in the query itself: cvc5 takes all definitions of a file into account at each query,
/// which is ten times slower.
#[derive(Default)]
struct Query {
    /// Predicates before and after, and states: each layer speaks of earlier ones.
    layers: [Vec<(String, String)>; 2],
    premises: Vec<String>,
    claims: Vec<String>,
    /// The cells that it speaks of.
    functions: BTreeSet<Function>,
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

    /// The text of a formula in a query.
    fn formula(&mut self, formula: Term, query: &mut Query) -> String {
        query.functions.extend(functions_of(formula));
        self.declarations.term(formula)
    }

    /// A name for `let`, which is that of no cell.
    fn name(&mut self, word: &str, number: usize) -> String {
        self.declarations.symbols_mut().definition(&format!("{word}-{number}"))
    }

    /// Names the values of formulas.
    fn named(&mut self, word: &str, formulas: &[Term], query: &mut Query) -> Vec<String> {
        let mut names = Vec::new();
        for (number, formula) in formulas.iter().enumerate() {
            let name = self.name(word, number);
            let text = self.formula(*formula, query);
            query.layers[0].push((name.clone(), text));
            names.push(name);
        }
        names
    }

    /// Names states of a node: the values of predicates. What is constant there is a premise.
    fn states(&mut self, at: &Claimed, node: usize, states: &[usize], query: &mut Query) -> Vec<String> {
        let constants = constants(at.component, node);
        let constants = self.formula(constants, query);
        query.premises.push(constants);
        let predicates = self.named("before", &at.claim.predicates[node], query);
        let mut names = Vec::new();
        for state in states {
            let name = self.name("state", *state);
            let values = valued(&predicates, &at.claim.states[*state].valuation);
            query.layers[1].push((name.clone(), all(&values)));
            names.push(name);
        }
        names
    }

    fn component(&mut self, position: usize, component: &Component, claim: &ComponentClaim) {
        let _ = write!(
            self.queries,
            "\n; Component {}: {}\n",
            position + 1,
            one_line(&component.name)
        );
        let at = Claimed {
            position,
            component,
            claim,
        };
        for statement in statements(component, claim) {
            self.statement(&at, statement.key, &statement.rows);
        }
        let reached = hazards::states(component, claim);
        for (number, ((_, kind), ways)) in hazards::all(component).iter().enumerate() {
            if claim.excluded.contains(&number) {
                for hazard in ways {
                    let states = match hazard.at {
                        None => None,
                        Some((_, node)) => match reached.get(&node) {
                            Some(states) => Some((node, states.as_slice())),
                            None => continue,
                        },
                    };
                    self.defined(&at, number, &format!("{kind:?}"), hazard.formula, states);
                }
            }
        }
    }

    /// A statement leads from each state to those that the claim says.
    fn statement(&mut self, at: &Claimed, key: Key, rows: &[(usize, Vec<After>)]) {
        let (component, claim) = (at.component, at.claim);
        let (Key::Edge(edge) | Key::Enter(edge, _)) = key;
        let (from, to) = (component.automaton.edges[edge].from, component.automaton.edges[edge].to);
        let (taken, executed, what) = executed_by(component, key);
        let after = |formula: Term| substitute(&executed.state, formula);
        let mut query = Query::default();
        // Where it is enough that a statement is taken, there is nothing to show.
        let rows = rows
            .iter()
            .filter(|(_, afterwards)| !afterwards.contains(&After::Taken));
        let numbers: Vec<usize> = rows.clone().map(|(state, _)| *state).collect();
        let states = self.states(at, from, &numbers, &mut query);
        let taken = self.formula(taken, &mut query);
        query.premises.push(taken);
        let afterwards = rows.clone().flat_map(|(_, afterwards)| afterwards);
        let (mut then, mut predicates) = (Vec::new(), Vec::new());
        if afterwards.clone().any(|after| matches!(after, After::State(_))) {
            then = self.named("constants", &[after(constants(component, to))], &mut query);
            let formulas: Vec<Term> = claim.predicates[to].iter().map(|predicate| after(*predicate)).collect();
            predicates = self.named("after", &formulas, &mut query);
        }
        let mut endings: BTreeMap<Action, String> = BTreeMap::new();
        for one in afterwards {
            if let After::Ended(action) = one
                && !endings.contains_key(action)
            {
                let condition = self.formula(after(ended(component, *action)), &mut query);
                let name = self.name("ended", action.0 as usize);
                query.layers[0].push((name.clone(), condition));
                endings.insert(*action, name);
            }
        }
        for (here, (_, afterwards)) in states.iter().zip(rows) {
            let mut possible = Vec::new();
            for one in afterwards {
                possible.push(match one {
                    After::Taken => "true".to_owned(),
                    After::Ended(action) => endings[action].clone(),
                    After::State(to) => {
                        let values = valued(&predicates, &claim.states[*to].valuation);
                        all(&[then.as_slice(), &values].concat())
                    }
                });
            }
            query.claims.push(match possible.is_empty() {
                true => format!("(not {here})"),
                false => format!("(=> {here} {})", any(&possible)),
            });
        }
        let subject = Subject::Statement { component: at.position };
        self.query(QueryKind::Statement, subject, &what, component, query);
    }

    /// A step is defined where it is taken from states of a node, or anywhere.
    fn defined(&mut self, at: &Claimed, number: usize, kind: &str, hazard: Term, states: Option<(usize, &[usize])>) {
        let mut query = Query::default();
        if let Some((node, states)) = states {
            let states = self.states(at, node, states, &mut query);
            query.premises.push(any(&states));
        }
        let defined = self.formula(term::not(hazard), &mut query);
        query.claims.push(defined);
        let subject = Subject::Defined {
            component: at.position,
            hazard: number,
        };
        let what = format!("{}: step {number} has defined behaviour ({kind})", at.component.name);
        self.query(QueryKind::Defined, subject, &what, at.component, query);
    }

    fn query(&mut self, kind: QueryKind, subject: Subject, what: &str, component: &Component, mut query: Query) {
        // What the types say.
        let cells = query.functions.iter();
        let ranges = term::and(cells.filter_map(|function| component.flow.cells.get(function)).copied());
        let ranges = self.formula(ranges, &mut query);
        let premises: Vec<String> = std::iter::once(ranges)
            .chain(query.premises)
            .filter(|one| one != "true")
            .collect();
        self.mentioned.append(&mut query.functions);
        self.subjects.push(subject);
        let number = self.subjects.len();
        let label = Label {
            kind,
            step: None,
            number: Some(number),
        };
        let text = &mut self.queries;
        let _ = write!(text, "\n; query {number}: {label}\n; {}\n", one_line(what));
        text.push_str("(push 1)\n(set-info :status unsat)\n(assert (not ");
        let layers = query.layers.iter().filter(|layer| !layer.is_empty());
        for layer in layers.clone() {
            let named = layer.iter().map(|(name, formula)| format!("({name} {formula})"));
            let _ = writeln!(text, "(let ({})", named.collect::<Vec<_>>().join("\n      "));
        }
        let _ = write!(text, "(=> {}\n    {})", all(&premises), all(&query.claims));
        text.push_str(&")".repeat(layers.count()));
        text.push_str("))\n(check-sat) ; expected unsat\n(pop 1)\n");
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
