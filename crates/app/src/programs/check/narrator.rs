//! What is told while the search goes on.

use super::super::formula::formula;
use crate::progress::ProofProgress;
use crate::terminal::{self, counted};
use driver::{Event, Observer, Phase};

const PROVING: &str = "looking for an invariant";

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
            Event::Level(steps) => return self.progress.phase(PROVING, &format!(", {}", counted(*steps, "step"))),
            _ => return,
        };
        let words = match phase {
            Phase::Searching => "looking for a violation in runs".to_owned(),
            Phase::Proving => PROVING.to_owned(),
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
                let (predicates, constraints) = (predicates.len(), constraints.count());
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
