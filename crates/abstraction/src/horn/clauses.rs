//! The clauses of a system, as text for a solver.

use super::control::{Edge, Flow};
use super::remainders::Remainders;
use logic::smtlib::Declarations;
use logic::substitute::functions_of;
use logic::{Function, Sort, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Relations are to come back as they were asked for: none is replaced by another. What the solver finds out on its
/// way, it is to tell.
const OPTIONS: &str = "(set-option :fp.xform.inline_eager false)
(set-option :fp.xform.inline_linear false)
(set-option :fp.spacer.trace_file \"/dev/stderr\")
";

/// Where procedures are called, lemmas are generalised by what those found before have in common (H. G. Vediramana
/// Krishnan, Y. Chen, S. Shoham and A. Gurfinkel, *Global guidance for local generalization in model checking*, 2020):
/// else contracts are often found for one depth after the other, without end.
const GUIDANCE: &str = "(set-option :fp.spacer.global true)\n";

pub(super) struct Clauses<'f, 's> {
    flow: &'f Flow<'s>,
    /// Whether remainders are only approximated.
    loose: bool,
    /// What each relation is about, by its name.
    relations: BTreeMap<String, Vec<Term>>,
}

/// What the relation of a location is called.
pub(super) fn name(location: usize) -> String {
    format!("P{location}")
}

/// The location of a relation.
pub(super) fn location(name: &str) -> Option<usize> {
    name.strip_prefix('P')?.parse().ok()
}

impl<'f, 's> Clauses<'f, 's> {
    pub(super) fn new(flow: &'f Flow<'s>) -> Clauses<'f, 's> {
        let mut clauses = Clauses {
            flow,
            loose: false,
            relations: BTreeMap::new(),
        };
        for location in (0..flow.locations()).filter(|location| flow.matters(*location)) {
            let about = flow.live[location].iter().map(|function| function.apply([])).collect();
            clauses.relations.insert(name(location), about);
        }
        clauses
    }

    /// The same, with more solutions to their premises: an invariant of these is one of those, but a run need not be.
    pub(super) fn loosely(flow: &'f Flow<'s>) -> Clauses<'f, 's> {
        Clauses {
            loose: true,
            ..Clauses::new(flow)
        }
    }

    pub(super) fn flow(&self) -> &'f Flow<'s> {
        self.flow
    }

    pub(super) fn relations(&self) -> &BTreeMap<String, Vec<Term>> {
        &self.relations
    }

    /// With a limit in the solver's own units.
    pub(super) fn script(&self, limit: Option<u32>) -> String {
        let guidance = if self.flow.calls.is_empty() { "" } else { GUIDANCE };
        let limit = limit
            .map(|limit| format!("(set-option :rlimit {limit})\n"))
            .unwrap_or_default();
        let mut text = format!("{OPTIONS}{limit}{guidance}(set-logic HORN)\n");
        let mut sorts = Declarations::default();
        for function in &self.flow.state {
            sorts.declare_sort(function.result(), &mut text);
        }
        for (name, about) in &self.relations {
            let sorts: Vec<String> = about.iter().map(|term| sorts.symbols_mut().sort(term.sort())).collect();
            let _ = writeln!(text, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
        }
        for start in &self.flow.starts {
            let values = |function: Function| start.updates.get(&function).copied();
            let constraint = self.flow.system.starts[start.rule].constraint;
            let put = |term: Term| self.flow.before(start, self.flow.here(term, start.to));
            let conclusion = self.application(start.to, &values);
            let premise = term::and([start.guard, put(constraint)]);
            self.clause(&mut text, &mut sorts, None, premise, Some(conclusion));
        }
        for edge in &self.flow.edges {
            self.edge(&mut text, &mut sorts, edge);
        }
        for call in &self.flow.calls {
            let values = |function: Function| call.given.get(&function).copied();
            let conclusion = self.application(call.entry, &values);
            self.clause(&mut text, &mut sorts, Some(call.at), term::bool(true), Some(conclusion));
        }
        for location in (0..self.flow.locations()).filter(|location| self.flow.matters(*location)) {
            for property in self.flow.properties(location) {
                self.clause(&mut text, &mut sorts, Some(location), term::not(property), None);
            }
        }
        text.push_str("(check-sat)\n");
        text
    }

    fn edge(&self, text: &mut String, sorts: &mut Declarations, edge: &Edge) {
        let values = |function: Function| edge.updates.get(&function).copied();
        let conclusion = self.application(edge.to, &values);
        let mut premises = vec![self.application(edge.from, &|_| None)];
        for call in self.flow.calls.iter().filter(|call| call.at == edge.from) {
            let values = |function: Function| call.returned.get(&function).copied();
            premises.push(self.application(call.exit, &values));
        }
        self.implication(text, sorts, &premises, edge.guard, Some(conclusion));
    }

    /// The relation of a location after updates, with its arguments.
    fn application(&self, location: usize, values: &dyn Fn(Function) -> Option<Term>) -> (usize, Vec<Term>) {
        let live = self.flow.live[location].iter();
        let arguments = live.map(|function| values(*function).unwrap_or_else(|| function.apply([])));
        (location, arguments.collect())
    }

    /// `P_from(x) and types and guard -> P_to(arguments)`
    fn clause(
        &self,
        text: &mut String,
        declarations: &mut Declarations,
        from: Option<usize>,
        guard: Term,
        conclusion: Option<(usize, Vec<Term>)>,
    ) {
        let premises: Vec<(usize, Vec<Term>)> =
            from.map(|from| self.application(from, &|_| None)).into_iter().collect();
        self.implication(text, declarations, &premises, guard, conclusion);
    }

    /// The same with any number of relations among the premises.
    fn implication(
        &self,
        text: &mut String,
        declarations: &mut Declarations,
        premises: &[(usize, Vec<Term>)],
        guard: Term,
        conclusion: Option<(usize, Vec<Term>)>,
    ) {
        let applied = || premises.iter().chain(&conclusion);
        if applied().any(|(location, _)| !self.flow.matters(*location)) || guard.is_false() {
            return;
        }
        if self.loose {
            let mut remainders = Remainders::default();
            let mut put = |(location, arguments): &(usize, Vec<Term>)| {
                let arguments = arguments.iter().map(|argument| remainders.put(*argument));
                (*location, arguments.collect())
            };
            let premises: Vec<(usize, Vec<Term>)> = premises.iter().map(&mut put).collect();
            let conclusion = conclusion.as_ref().map(&mut put);
            let guard = term::and([remainders.put(guard), remainders.axioms()]);
            return self.exactly(text, declarations, &premises, guard, conclusion);
        }
        self.exactly(text, declarations, premises, guard, conclusion);
    }

    fn exactly(
        &self,
        text: &mut String,
        declarations: &mut Declarations,
        premises: &[(usize, Vec<Term>)],
        guard: Term,
        conclusion: Option<(usize, Vec<Term>)>,
    ) {
        let applied = || premises.iter().chain(&conclusion);
        let mut mentioned: BTreeSet<Function> = functions_of(guard);
        for argument in applied().flat_map(|(_, arguments)| arguments) {
            mentioned.extend(functions_of(*argument));
        }
        let types = self.flow.system.type_facts.iter().map(|fact| fact.formula);
        let types: Vec<Term> = types.filter(|fact| functions_of(*fact).is_subset(&mentioned)).collect();
        let axioms = self.flow.system.axioms.iter().map(|fact| fact.formula);
        let axioms: Vec<Term> = axioms.collect();
        for axiom in &axioms {
            mentioned.extend(functions_of(*axiom));
        }
        let body = term::and([guard].into_iter().chain(types).chain(axioms));
        let mut parts = Vec::new();
        for (location, arguments) in premises {
            parts.push(self.relation(declarations, *location, arguments));
        }
        if !body.is_true() {
            parts.push(declarations.term(body));
        }
        let premise = match parts.as_slice() {
            [] => "true".to_owned(),
            [only] => only.clone(),
            several => format!("(and {})", several.join(" ")),
        };
        let conclusion = match &conclusion {
            Some((to, arguments)) => self.relation(declarations, *to, arguments),
            None => "false".to_owned(),
        };
        let variables: Vec<String> = mentioned
            .iter()
            .filter(|function| !matches!(function.result(), Sort::Index(_)))
            .map(|function| {
                let symbols = declarations.symbols_mut();
                format!("({} {})", symbols.function(*function), symbols.sort(function.result()))
            })
            .collect();
        let clause = format!("(=> {premise} {conclusion})");
        let _ = match variables.is_empty() {
            true => writeln!(text, "(assert {clause})"),
            false => writeln!(text, "(assert (forall ({}) {clause}))", variables.join(" ")),
        };
    }

    fn relation(&self, declarations: &mut Declarations, location: usize, arguments: &[Term]) -> String {
        let name = name(location);
        if arguments.is_empty() {
            return name;
        }
        let arguments: Vec<String> = arguments.iter().map(|argument| declarations.term(*argument)).collect();
        format!("({name} {})", arguments.join(" "))
    }
}
