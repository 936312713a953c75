//! What is known in a session at some time: a plain value, so that a step can be taken back.

use crate::command::Command;
use abstraction::goal::Goal;
use abstraction::predicate::AbstractTrace;
use logic::{Term, Variable};
use system::Span;
use system::transition::Fact;

#[derive(Clone, Default)]
pub struct State {
    /// The properties of the model first, then conjectures.
    pub statements: Vec<Statement>,
    /// Proved: inductive together.
    pub facts: Vec<Fact>,
    /// What was offered so far, in order; labels are never used twice.
    pub offers: Vec<Offer>,
    /// The statement in hand.
    pub(crate) focus: usize,
    /// The labels of the abstract variables in use.
    pub(crate) predicates: Vec<String>,
    /// What is left to show of the statement in hand; `None` before `induct`.
    pub(crate) subgoals: Option<Vec<Subgoal>>,
    /// An abstract run into a violation of a wish.
    pub(crate) run: Option<Run>,
    /// Whether the run was analysed.
    pub(crate) explained: bool,
    /// Whether static analysis was done.
    pub(crate) analysed: bool,
    /// The labels of what the analysis of the run has brought up.
    pub(crate) latest: Vec<String>,
    /// What did not help.
    pub(crate) tried: Vec<Tried>,
}

/// A command for a statement, while so many facts were proved, so many formulas offered, and so many goals stated.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Tried {
    command: String,
    focus: usize,
    facts: usize,
    offers: usize,
    statements: usize,
}

/// Something to prove.
#[derive(Clone)]
pub struct Statement {
    pub name: String,
    /// Closed.
    pub formula: Term,
    pub is_conjecture: bool,
    pub is_proved: bool,
    /// Every rule keeps it where the other open goals hold.
    pub is_kept: bool,
    /// The solver has a run into a state in which it does not hold. Nothing is proved with it, nor for it.
    pub is_refuted: bool,
}

/// A formula that a session names for the user to take up.
#[derive(Clone)]
pub struct Offer {
    pub label: String,
    pub offered: Offered,
    /// In the user's notation.
    pub text: String,
    pub reason: String,
}

/// A predicate with its free variables; a conjecture has none.
#[derive(Clone, PartialEq, Eq)]
pub struct Offered {
    pub indices: Vec<Variable>,
    pub formula: Term,
}

/// A rule does not keep the statement in this case.
#[derive(Clone)]
pub(crate) struct Subgoal {
    pub(crate) rule: String,
    pub(crate) span: Span,
    /// Its constants are those of the statement and the parameters of the rule; bad is the case itself.
    pub(crate) goal: Goal,
    /// Above the line, and below it.
    pub(crate) hypotheses: Vec<Term>,
    pub(crate) conclusions: Vec<Term>,
    pub(crate) is_granted: bool,
}

/// A run of the abstract system that a wish does not allow.
#[derive(Clone)]
pub(crate) struct Run {
    /// The number of the subgoal; `None` where the statement itself was looked at.
    pub(crate) wish: Option<usize>,
    pub(crate) goal: Goal,
    pub(crate) predicates: Vec<Term>,
    pub(crate) trace: AbstractTrace,
}

impl Statement {
    /// Whether it is to be proved.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_proved && !self.is_refuted
    }
}

impl State {
    pub fn in_hand(&self) -> Option<&Statement> {
        self.statements.get(self.focus)
    }

    pub fn is_finished(&self) -> bool {
        let mut stated = self.statements.iter().filter(|statement| !statement.is_conjecture);
        !self.statements.is_empty() && stated.all(|statement| statement.is_proved)
    }

    /// A command for the statement with this number, with all that is known now.
    pub(crate) fn trying(&self, command: &Command, focus: usize) -> Tried {
        Tried {
            command: command.to_string(),
            focus,
            facts: self.facts.len(),
            offers: self.offers.len(),
            statements: self.statements.len(),
        }
    }

    /// Gives the statement in hand up.
    pub(crate) fn refute(&mut self) {
        if let Some(statement) = self.statements.get_mut(self.focus) {
            statement.is_refuted = true;
        }
    }

    /// The formulas of all that is proved.
    pub(crate) fn known(&self) -> Vec<Term> {
        self.facts.iter().map(|fact| fact.formula).collect()
    }

    /// What may be assumed before a rule, for the statement in hand: the other open ones are to be proved with it.
    pub(crate) fn assumed(&self) -> Vec<Term> {
        let others = self.statements.iter().enumerate();
        let others = others.filter(|(number, statement)| *number != self.focus && statement.is_open());
        let others = others.map(|(_, statement)| statement.formula);
        self.known().into_iter().chain(others).collect()
    }

    /// Adds facts that are proved.
    pub(crate) fn prove(&mut self, facts: impl IntoIterator<Item = Fact>) {
        for fact in facts {
            if !fact.formula.is_true() && self.facts.iter().all(|known| known.formula != fact.formula) {
                self.facts.push(fact);
            }
        }
        for statement in &mut self.statements {
            let is_fact = self.facts.iter().any(|fact| fact.formula == statement.formula);
            statement.is_proved |= statement.formula.is_true() || is_fact;
            statement.is_refuted &= !statement.is_proved;
        }
    }

    /// Turns to a statement, of which nothing is known yet.
    pub(crate) fn turn_to(&mut self, statement: usize) {
        self.focus = statement;
        self.subgoals = None;
        self.run = None;
        self.explained = false;
        self.latest.clear();
    }

    /// Turns to the last statement that is open, if there is nothing to do for the one in hand: conjectures come before
    /// what they are for.
    pub(crate) fn go_on(&mut self) {
        let is_due = |statement: &Statement| statement.is_open() && !statement.is_kept;
        if self.in_hand().is_some_and(is_due) {
            return;
        }
        let next = self.statements.iter().rposition(is_due);
        if let Some(next) = next.or_else(|| self.statements.iter().rposition(Statement::is_open)) {
            self.turn_to(next);
        }
    }

    /// A further goal: what was kept where the others hold may be proved with it now.
    pub(crate) fn state(&mut self, statement: Statement) {
        self.statements
            .iter_mut()
            .for_each(|statement| statement.is_kept = false);
        self.statements.push(statement);
        // What was offered with it may be needed, too.
        let latest = std::mem::take(&mut self.latest);
        self.turn_to(self.statements.len() - 1);
        self.latest = latest;
    }

    /// The abstract variables in use.
    pub(crate) fn in_use(&self) -> Vec<Offered> {
        let offers = self
            .predicates
            .iter()
            .flat_map(|label| self.offers.iter().find(|offer| offer.label == *label));
        offers.map(|offer| offer.offered.clone()).collect()
    }

    /// The label of a formula, new or old.
    pub(crate) fn offer(&mut self, letter: char, offered: Offered, text: String, reason: &str) -> String {
        let is_same = |offer: &&Offer| offer.offered == offered && offer.label.starts_with(letter);
        if let Some(known) = self.offers.iter().find(is_same) {
            return known.label.clone();
        }
        let number = self
            .offers
            .iter()
            .filter(|offer| offer.label.starts_with(letter))
            .count()
            + 1;
        let label = format!("{letter}{number}");
        self.offers.push(Offer {
            label: label.clone(),
            offered,
            text,
            reason: reason.to_owned(),
        });
        label
    }
}
