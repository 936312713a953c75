//! What is told while the search goes on.

use super::super::formula::formula;
use crate::progress::ProofProgress;
use crate::terminal;
use driver::{Event, Observer, Phase};

/// Tells of phases, where that is wanted.
pub(super) struct Narrator {
    pub(super) is_told: bool,
    pub(super) progress: ProofProgress,
}

impl Observer for Narrator {
    fn event(&self, event: &Event) {
        let phase = match event {
            Event::Phase(phase) => phase,
            Event::Slam(event) => return self.slam(event),
            _ => return,
        };
        let words = match phase {
            Phase::Searching => "looking for a violation in runs".to_owned(),
            Phase::Proving => "looking for an invariant".to_owned(),
            Phase::Unrolling => "looking for a violation by the solver".to_owned(),
            Phase::Compiling => "gcc compiles the run".to_owned(),
            Phase::Confirming { solver } => format!("{solver} looks at the certificate"),
            _ => return,
        };
        self.progress.phase(&words, "");
        if self.is_told {
            terminal::complain(&format!("{words}\n"));
        }
    }
}

impl Narrator {
    fn slam(&self, event: &slam::Event) {
        let words = match event {
            slam::Event::Predicate(predicate) => format!("  predicate: {}", formula(*predicate)),
            slam::Event::Searched {
                iteration,
                predicates,
                constraints,
            } => {
                let words = format!("iteration {iteration}, {predicates} predicates, {constraints} constraints");
                self.progress
                    .phase("searching a Boolean program", &format!(", {words}"));
                words
            }
        };
        if self.is_told {
            terminal::complain(&format!("{words}\n"));
        }
    }
}
