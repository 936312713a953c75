//! A session: one model, what is known of it, and the steps that led there.

use crate::command::{Command, HELP, Operand};
use crate::reply::{Block, Named, Reply};
use crate::state::{Offered, State, Statement};
use crate::suggest::{self, DECLARED, Suggestion};
use crate::{abstracting, analysis, induct, statics};
use abstraction::induction::largest_inductive_subset;
use driver::{Context, FormulaTest, LoweredModel, ModelAnswer, Question, notation};
use logic::{Term, term};
use smt::{SolverError, Solvers};
use system::transition::{Fact, Rule};
use system::{Rejected, SourceFile, Span, TransitionSystem};

/// `auto` ends after so many steps.
const AUTOMATIC: usize = 120;

/// What the steps of a session share.
#[derive(Clone, Copy)]
pub(crate) struct World<'w> {
    /// Rules are split by their finite parameters.
    pub(crate) system: &'w TransitionSystem,
    pub(crate) solvers: &'w Solvers,
    pub(crate) question: &'w Question,
    pub(crate) subject: &'w LoweredModel,
    pub(crate) context: &'w Context<'w>,
}

impl World<'_> {
    /// In how many explored states a formula holds; `None` where there is one in which it does not. Where it is only
    /// tried, a few states are enough.
    pub(crate) fn seen(&self, formula: Term, few: bool) -> Option<u64> {
        match driver::test_formula(self.question, self.subject, formula, few, self.context) {
            FormulaTest::Holds(states) => Some(states),
            FormulaTest::Fails | FormulaTest::Violated(_) | FormulaTest::Unknown => None,
        }
    }

    /// Whether a model of the solver is a state, or a run: with quantifiers it knows of some instances only.
    pub(crate) fn is_believed(&self, formulas: &[Term]) -> bool {
        let facts = self.system.axioms.iter().chain(&self.system.type_facts);
        let of_rule = |rule: &'_ Rule| {
            let values = rule.updates.iter().map(|update| update.value);
            values.chain([rule.guard, rule.constraint]).collect::<Vec<Term>>()
        };
        let rules = self.system.starts.iter().chain(&self.system.rules).flat_map(of_rule);
        let mut all = facts
            .map(|fact| fact.formula)
            .chain(rules)
            .chain(formulas.iter().copied());
        !all.any(Term::has_quantifier)
    }
}

pub struct Session<'s> {
    question: Question,
    subject: LoweredModel,
    pub(crate) prepared: TransitionSystem,
    pub(crate) context: Context<'s>,
    state: State,
    /// Each step, with the state before it.
    history: Vec<(Command, State)>,
}

/// Why a command was not done. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Refused(String),
    /// A formula that cannot be read.
    #[error("{0}")]
    Rejected(Rejected),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Driver(#[from] driver::Error),
}

/// What is proved, as the driver judges it.
pub struct Finished {
    pub answer: ModelAnswer,
}

impl<'s> Session<'s> {
    /// Starts a session: assertions of rules are proved at once where they are inductive.
    pub fn open(question: Question, context: Context<'s>) -> Result<Session<'s>, Error> {
        let subject = LoweredModel::read(&question, &context.solvers)?;
        let prepared =
            deduction::parameters::instantiate_finite_parameters(&subject.system, context.solvers.cancellation());
        let is_stated = |name: &str| subject.system.properties.iter().any(|property| property.name == name);
        let statement = |property: &system::transition::Property| Statement {
            name: property.name.clone(),
            formula: property.formula,
            is_conjecture: false,
            is_proved: false,
            is_kept: false,
            is_refuted: false,
        };
        let mut state = State {
            statements: subject.properties.iter().map(statement).collect(),
            ..State::default()
        };
        let asserted: Vec<&Statement> = state.statements.iter().filter(|s| !is_stated(&s.name)).collect();
        let formulas: Vec<Term> = asserted.iter().map(|statement| statement.formula).collect();
        let inductive = largest_inductive_subset(&prepared, &formulas, false, &context.solvers)?;
        let facts = asserted.iter().zip(inductive).filter(|(_, inductive)| *inductive);
        let facts: Vec<_> = facts
            .map(|(statement, _)| fact(&statement.name, statement.formula))
            .collect();
        state.prove(facts);
        let first = state.statements.iter().position(|statement| !statement.is_proved);
        state.turn_to(first.unwrap_or_default());
        let mut session = Session {
            question,
            subject,
            prepared,
            context,
            state,
            history: Vec::new(),
        };
        session.declare();
        session.recall()?;
        // What follows is no longer a matter of that run.
        session.question.resume = None;
        Ok(session)
    }

    /// Offers the predicates that the model declares.
    fn declare(&mut self) {
        for predicate in self.subject.user_predicates(false) {
            let offered = Offered {
                indices: predicate.indices.clone(),
                formula: predicate.formula,
            };
            let text = notation::closed_formula(&self.prepared, predicate.formula);
            self.state.offer('p', offered, text, DECLARED);
        }
    }

    /// Begins with what a run of `check` has left: its facts, as far as they are inductive together, and predicates.
    fn recall(&mut self) -> Result<(), Error> {
        let learned = driver::read_run_knowledge(&self.question, &self.subject, &self.prepared)?;
        let all = [self.state.known(), learned.facts].concat();
        let inductive = largest_inductive_subset(&self.prepared, &all, true, &self.context.solvers)?;
        let known = self.state.facts.len();
        let found = all
            .iter()
            .zip(inductive)
            .skip(known)
            .filter(|(_, inductive)| *inductive);
        let facts = found
            .enumerate()
            .map(|(number, (formula, _))| fact(&format!("run {}", number + 1), *formula));
        self.state.prove(facts.collect::<Vec<_>>());
        self.state.go_on();
        let mut state = std::mem::take(&mut self.state);
        for (goal, predicate) in &learned.predicates {
            induct::offer_predicate(&self.world(), &mut state, goal, *predicate, "was found by a run");
        }
        self.state = state;
        Ok(())
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn subject(&self) -> &LoweredModel {
        &self.subject
    }

    /// The steps so far, one on each line: a script that leads here again.
    pub fn script(&self) -> String {
        self.history.iter().map(|(command, _)| format!("{command}\n")).collect()
    }

    pub fn suggestions(&self) -> Vec<Suggestion> {
        suggest::suggestions(&self.state)
    }

    /// Has everything that is proved confirmed: a verdict, or what is wrong.
    pub fn finish(&self) -> Result<Finished, Error> {
        let open = self
            .state
            .statements
            .iter()
            .filter(|s| !s.is_proved && !s.is_conjecture)
            .count();
        if self.state.statements.is_empty() {
            return Err(Error::Refused("there is nothing to prove".to_owned()));
        }
        if open > 0 {
            return Err(Error::Refused(format!(
                "{open} goals are open; `goals` shows the one in hand"
            )));
        }
        let answer = driver::check_facts(&self.question, &self.state.facts, &self.context)?;
        Ok(Finished { answer })
    }

    /// Does what a command says. `save` and `qed` are left to the caller, who has files and reports.
    pub fn apply(&mut self, command: &Command) -> Result<Reply, Error> {
        match command {
            Command::Take(number) => {
                let all = self.suggestions();
                let Some(chosen) = number.checked_sub(1).and_then(|number| all.get(number)) else {
                    return Err(Error::Refused(format!("there are {} suggestions", all.len())));
                };
                self.step(&chosen.command)
            }
            Command::Auto => self.auto(),
            Command::Undo => match self.history.pop() {
                Some((command, before)) => {
                    self.state = before;
                    Ok(Reply::new(format!("`{command}` is taken back.")))
                }
                None => Err(Error::Refused("there is nothing to take back".to_owned())),
            },
            Command::Suggest => Ok(self.suggest()),
            Command::Status => Ok(self.status()),
            Command::Goals => Ok(self.goals()),
            Command::Wish => Ok(abstracting::wishes(&self.world(), &self.state)),
            Command::Trace => Ok(abstracting::trace(&self.world(), &self.state)),
            Command::Help => Ok(help()),
            Command::Save(_) | Command::Qed => Err(Error::Refused("this is not a matter of the session".to_owned())),
            step => self.step(step),
        }
    }

    pub(crate) fn world(&self) -> World<'_> {
        World {
            system: &self.prepared,
            solvers: &self.context.solvers,
            question: &self.question,
            subject: &self.subject,
            context: &self.context,
        }
    }

    /// Takes a step; the state before it is kept.
    fn step(&mut self, command: &Command) -> Result<Reply, Error> {
        if !command.is_step() {
            return match command {
                Command::Qed => Err(Error::Refused("everything is proved: `qed` finishes".to_owned())),
                other => self.apply(other),
            };
        }
        let before = self.state.clone();
        let mut state = self.state.clone();
        let world = self.world();
        let reply = match command {
            Command::Goal(name) => self.goal(&mut state, name)?,
            Command::Analyze => statics::analyze(&world, &mut state)?,
            Command::Induct => induct::induct(&world, &mut state)?,
            Command::Strengthen(rounds) => induct::strengthen(&world, &mut state, *rounds)?,
            Command::Abstract(operands) => {
                let labels = self.predicates(&mut state, operands)?;
                abstracting::search(&world, &mut state, labels)?
            }
            Command::Why => analysis::why(&world, &mut state)?,
            Command::Conjecture(operand) => self.conjecture(&mut state, operand)?,
            other => return Err(Error::Refused(format!("`{other}` is no step"))),
        };
        if let Some(stopped) = self.context.stopped() {
            return Err(Error::Refused(format!("{stopped}; nothing has changed")));
        }
        if state.facts.len() == before.facts.len() {
            let tried = state.trying(command, before.focus);
            state.tried.push(tried);
        }
        self.history.push((command.clone(), before));
        self.state = state;
        Ok(reply)
    }

    /// Follows the first suggestion until there is none.
    fn auto(&mut self) -> Result<Reply, Error> {
        let mut lines = Vec::new();
        for _ in 0..AUTOMATIC {
            if self.state.is_finished() {
                break;
            }
            let Some(next) = self.suggestions().into_iter().next() else {
                break;
            };
            let reply = self.step(&next.command)?;
            lines.push((next.command.to_string(), reply.title));
        }
        let refuted = self.state.statements.iter().find(|s| s.is_refuted && !s.is_conjecture);
        let title = match (self.state.is_finished(), refuted) {
            (true, _) => "Everything is proved: `qed` finishes.".to_owned(),
            (false, Some(goal)) => format!("\"{}\" does not hold: `cubist check` looks for a run.", goal.name),
            (false, None) => {
                "There is nothing more to suggest: a conjecture or a predicate of yours may help.".to_owned()
            }
        };
        Ok(Reply::new(title).with(Block::Suggestions(lines)))
    }

    fn goal(&self, state: &mut State, name: &str) -> Result<Reply, Error> {
        let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let by_name = |statement: &Statement| statement.name == name.trim_matches('"');
        let found = number.filter(|number| *number < state.statements.len());
        let found = found.or_else(|| state.statements.iter().position(by_name));
        let Some(found) = found else {
            return Err(Error::Refused(format!(
                "there is no goal `{name}`; `status` lists them"
            )));
        };
        state.turn_to(found);
        Ok(Reply::new(format!("On with \"{}\".", state.statements[found].name)))
    }

    fn conjecture(&self, state: &mut State, operand: &Operand) -> Result<Reply, Error> {
        let (text, formula) = match operand {
            Operand::Label(label) => {
                let offer = state.offers.iter().find(|offer| offer.label == *label);
                let offer = offer.ok_or_else(|| Error::Refused(format!("nothing is called `{label}`")))?;
                (
                    offer.text.clone(),
                    term::forall(offer.offered.indices.clone(), offer.offered.formula),
                )
            }
            Operand::Formula(text) => {
                let read = self.read(text)?;
                (text.clone(), term::forall(read.indices, read.formula))
            }
        };
        if state.statements.iter().any(|statement| statement.formula == formula) {
            return Err(Error::Refused("this is a goal already".to_owned()));
        }
        match driver::test_formula(&self.question, &self.subject, formula, true, &self.context) {
            FormulaTest::Fails => {
                let why = "this does not hold in a state that exploration reaches: it is no invariant";
                return Err(Error::Refused(why.to_owned()));
            }
            FormulaTest::Violated(what) => {
                let why = format!("exploration finds a violation ({what}); `cubist check` shows the run");
                return Err(Error::Refused(why));
            }
            FormulaTest::Holds(_) | FormulaTest::Unknown => {}
        }
        let number = state
            .statements
            .iter()
            .filter(|statement| statement.is_conjecture)
            .count()
            + 1;
        state.state(Statement {
            name: format!("conjecture {number}"),
            formula,
            is_conjecture: true,
            is_proved: false,
            is_kept: false,
            is_refuted: false,
        });
        Ok(Reply::new(format!("A new goal, conjecture {number}: {text}")))
    }

    /// The labels of predicates; where none is named, those in use, and where there are none, all that were offered.
    fn predicates(&self, state: &mut State, operands: &[Operand]) -> Result<Vec<String>, Error> {
        let mut labels = Vec::new();
        for operand in operands {
            let label = match operand {
                Operand::Label(label) if state.offers.iter().any(|offer| offer.label == *label) => label.clone(),
                Operand::Label(label) => return Err(Error::Refused(format!("nothing is called `{label}`"))),
                Operand::Formula(text) => {
                    let offered = self.read(text)?;
                    state.offer('p', offered, text.clone(), "is yours")
                }
            };
            labels.push(label);
        }
        if labels.is_empty() {
            labels.clone_from(&state.predicates);
        }
        if labels.is_empty() {
            let all = state.offers.iter().map(|offer| offer.label.clone());
            labels = all.filter(|label| label.starts_with('p')).collect();
        }
        Ok(labels)
    }

    /// A formula in the scope of the model.
    fn read(&self, text: &str) -> Result<Offered, Error> {
        let file = SourceFile::new("<formula>", text);
        let predicate = self.subject.input.model.formula(file).map_err(Error::Rejected)?;
        Ok(Offered {
            indices: predicate.indices,
            formula: predicate.formula,
        })
    }

    fn suggest(&self) -> Reply {
        let all = self.suggestions();
        let title = match all.len() {
            0 => "There is nothing to suggest: a conjecture or a predicate of yours may help.",
            _ => "What to do next; `take N` does it.",
        };
        let list = all
            .iter()
            .map(|suggestion| (suggestion.command.to_string(), suggestion.reason.clone()));
        Reply::new(title).with(Block::Suggestions(list.collect()))
    }

    fn status(&self) -> Reply {
        let state = &self.state;
        let proved = state.statements.iter().filter(|statement| statement.is_proved).count();
        let title = format!("{proved} of {} goals are proved.", state.statements.len());
        let goals = state.statements.iter().enumerate().map(|(number, statement)| Named {
            name: (number + 1).to_string(),
            text: format!(
                "{}: {}",
                statement.name,
                notation::closed_formula(&self.prepared, statement.formula)
            ),
            note: match (statement.is_proved, number == state.focus, statement.is_conjecture) {
                (true, _, _) => "proved".to_owned(),
                (false, _, _) if statement.is_refuted => "does not hold".to_owned(),
                (false, true, _) => "open, in hand".to_owned(),
                (false, false, true) => "open, a conjecture".to_owned(),
                (false, false, false) => "open".to_owned(),
            },
        });
        let block = |heading: &str, formulas: Vec<Named>| Block::Formulas {
            heading: heading.to_owned(),
            formulas,
        };
        let checks = self.context.solvers.statistics().total();
        Reply::new(title)
            .with(block("goals", goals.collect()))
            .with(block("proved", self.proved_facts()))
            .with(block("offered", self.offered_predicates()))
            .say(format!("{checks} solver checks so far."))
    }

    pub(crate) fn proved_facts(&self) -> Vec<Named> {
        let facts = self.state.facts.iter().map(|fact| Named {
            name: fact.name.clone(),
            text: notation::closed_formula(&self.prepared, fact.formula),
            note: String::new(),
        });
        facts.collect()
    }

    pub(crate) fn offered_predicates(&self) -> Vec<Named> {
        let offers = self.state.offers.iter().map(|offer| Named {
            name: offer.label.clone(),
            text: offer.text.clone(),
            note: match self.state.predicates.contains(&offer.label) {
                true => "in use".to_owned(),
                false => offer.reason.clone(),
            },
        });
        offers.collect()
    }

    fn goals(&self) -> Reply {
        let state = &self.state;
        let Some(statement) = state.in_hand() else {
            return Reply::new("There is nothing to prove.");
        };
        let what = notation::closed_formula(&self.prepared, statement.formula);
        let standing = if statement.is_proved { "proved" } else { "open" };
        let reply = Reply::new(format!("\"{}\" ({standing}): {what}", statement.name));
        match &state.subgoals {
            Some(_) => reply.with(Block::Sequents(abstracting::wishes_of(&self.world(), state))),
            None => reply.say("Nobody asked yet which rules keep it: `induct`."),
        }
    }
}

/// What is proved has a name, and no place in the source.
pub(crate) fn fact(name: &str, formula: Term) -> Fact {
    Fact {
        name: name.to_owned(),
        formula,
        span: Span::default(),
    }
}

fn help() -> Reply {
    let line = |(word, operands, what): &(&str, &str, &str)| {
        let command = if operands.is_empty() {
            (*word).to_owned()
        } else {
            format!("{word} {operands}")
        };
        (command, (*what).to_owned())
    };
    Reply::new("What can be said:").with(Block::Suggestions(HELP.iter().map(line).collect()))
}
