//! What a run of `check` has left for whoever goes on by hand.

use crate::error::Result;
use crate::model::{LoweredModel, Question};
use crate::run_folder::RunFolder;
use abstraction::goal::{Goal, goals};
use logic::Term;
use system::TransitionSystem;

/// Nothing of it is believed: facts are to be proved again, and predicates are only predicates.
#[derive(Default)]
pub struct RunKnowledge {
    /// Closed formulas.
    pub facts: Vec<Term>,
    /// Formulas over the constants of a goal.
    pub predicates: Vec<(Goal, Term)>,
}

/// What the folder that the question resumes knows of the system; `prepared` is the system as engines see it.
pub fn read_run_knowledge(
    question: &Question,
    subject: &LoweredModel,
    prepared: &TransitionSystem,
) -> Result<RunKnowledge> {
    let Some(folder) = RunFolder::open(question, &subject.input)? else {
        return Ok(RunKnowledge::default());
    };
    let system = &subject.system;
    let mut learned = RunKnowledge {
        facts: folder.shared(system)?,
        predicates: Vec::new(),
    };
    if let Some((_, facts)) = folder.invariant(system)? {
        learned.facts.extend(facts.into_iter().map(|fact| fact.formula));
    }
    folder.begin();
    for property in &subject.properties {
        for goal in goals(&property.name, property.formula, prepared) {
            let known = folder.known(&folder.key(&goal), prepared, &goal)?;
            let predicates = known.predicates.into_iter();
            learned
                .predicates
                .extend(predicates.map(|predicate| (goal.clone(), predicate)));
        }
    }
    Ok(learned)
}
