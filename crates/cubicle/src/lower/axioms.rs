//! Axioms about processes: their order and their number.

use super::Lowering;
use crate::model::Processes;
use logic::{Term, Variable, term};
use system::transition::{Fact, total_order};
use system::{Diagnostic, Severity, Span};

/// "At most k" takes k * k equalities. Beyond this bound it is omitted, and proofs cover more models than requested.
const MAXIMAL_BOUND: u32 = 30;

impl Lowering<'_> {
    pub(super) fn axioms(&mut self) {
        let mut axioms: Vec<(String, Term)> = Vec::new();
        if let Some(less) = self.less {
            let order = total_order(less, self.lowered.processes);
            axioms.extend(order.map(|(adjective, axiom)| (format!("the order of processes is {adjective}"), axiom)));
        }
        if let Some(process) = self.lowered.is_process {
            let p = self.process_variable("p");
            axioms.push((
                "there is a process".to_owned(),
                term::exists([p], process.apply([p.term()])),
            ));
        }
        match self.model.processes {
            Processes::Any => {}
            Processes::AtMost(count) if count > MAXIMAL_BOUND => self.bound_left_out(count),
            Processes::AtMost(count) => axioms.push(("the number of processes".to_owned(), self.at_most(count))),
            Processes::Exactly(_) => axioms.extend(self.process_constants()),
        }
        let fact = |(name, formula): (String, Term)| Fact {
            name,
            formula,
            span: Span::default(),
        };
        self.lowered.system.axioms = axioms.into_iter().map(fact).collect();
    }

    fn process_variable(&self, name: &str) -> Variable {
        Variable::new(name, self.lowered.processes)
    }

    /// Among more processes than `count`, two are equal.
    fn at_most(&self, count: u32) -> Term {
        let variables: Vec<Variable> = (0..=count).map(|n| self.process_variable(&format!("p{n}"))).collect();
        let processes = variables.iter().map(|variable| self.is_process(*variable));
        let mut equalities = Vec::new();
        for (number, variable) in variables.iter().enumerate() {
            equalities.extend(
                variables[..number]
                    .iter()
                    .map(|before| term::equal(before.term(), variable.term())),
            );
        }
        let formula = term::implies(term::and(processes), term::or(equalities));
        term::forall(variables, formula)
    }

    fn bound_left_out(&mut self, count: u32) {
        let message = format!("`number_procs {count}` is not used in proofs");
        let note = Diagnostic::new(Severity::Note, Span::default(), message).help(format!(
            "a proof is about any number of processes; bounds up to {MAXIMAL_BOUND} are used"
        ));
        self.lowered.notes.push(note);
    }

    /// The process constants are pairwise distinct, ordered, and all the processes there are.
    fn process_constants(&self) -> Vec<(String, Term)> {
        let constants: Vec<Term> = self.constants.iter().map(|constant| constant.apply([])).collect();
        let mut facts = Vec::new();
        for (number, constant) in constants.iter().enumerate() {
            facts.extend(
                constants[..number]
                    .iter()
                    .map(|before| term::distinct(*before, *constant)),
            );
            facts.extend(self.lowered.is_process.map(|process| process.apply([*constant])));
        }
        if let Some(less) = self.less {
            facts.extend(constants.windows(2).map(|pair| less.apply([pair[0], pair[1]])));
        }
        let p = self.process_variable("p");
        let one_of_them = term::or(constants.iter().map(|constant| term::equal(p.term(), *constant)));
        let all = term::forall([p], term::implies(self.is_process(p), one_of_them));
        vec![
            ("the process constants".to_owned(), term::and(facts)),
            ("there are no other processes".to_owned(), all),
        ]
    }
}
