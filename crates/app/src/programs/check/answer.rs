//! The answer: its status, the files that are written of it, and the words that text, page and JSON share.

use super::super::explore::{undefined, violation};
use super::super::formula::formula;
use super::super::provided::{provisos, qualified};
use super::super::rules::absent_functions;
use super::super::{assumed, assumed_by, place, witness};
use crate::arguments::{Check, ConstrainName, Meaning, Specified, UndefinedName};
use crate::supervise::LastWords;
use crate::terminal::Paint;
use anyhow::Context as _;
use c::Unit;
use driver::Reason;
use driver::program::{ProvedContract, Unsafe, Verdict};
use driver::{Stopped, write_whole};
use report::Status;
use report::outcome::{self, Proviso};
use smt::Statistics;
use std::path::Path;
use system::program::Undefined;

pub(super) struct Answer<'a> {
    pub(super) unit: &'a Unit,
    pub(super) arguments: &'a Check,
    pub(super) meaning: &'a Meaning,
    pub(super) verdict: &'a Verdict,
    /// Of the engine slam.
    pub(super) slam: Option<slam::Statistics>,
    pub(super) statistics: &'a Statistics,
    pub(super) seconds: f64,
}

impl Answer<'_> {
    pub(super) fn status(&self) -> Status {
        match self.verdict {
            // `--strict` asks for a proof that nothing qualifies.
            Verdict::Safe(_) if self.arguments.strict && self.qualified().is_some() => Status::Incomplete,
            Verdict::Safe(_) => Status::Done,
            Verdict::Unsafe(_) => Status::Violated,
            Verdict::Unknown(_) => Status::Incomplete,
        }
    }

    pub(super) fn word(&self) -> outcome::Verdict {
        match self.verdict {
            Verdict::Safe(_) => outcome::Verdict::Safe,
            Verdict::Unsafe(_) => outcome::Verdict::Unsafe,
            Verdict::Unknown(_) => outcome::Verdict::Unknown,
        }
    }

    /// What a proof is provided that.
    pub(super) fn provisos(&self) -> Vec<Proviso> {
        match self.verdict {
            Verdict::Safe(safe) => provisos(&safe.provided, &self.unit.sources),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Vec::new(),
        }
    }

    /// What qualifies the verdict, in the words of the first line.
    pub(super) fn qualified(&self) -> Option<String> {
        match self.verdict {
            Verdict::Safe(safe) => qualified(safe, &self.unit.sources),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        }
    }

    /// What there is to say if the search does not come back.
    pub(super) fn last_words(&self, paint: Paint) -> anyhow::Result<LastWords> {
        Ok(LastWords {
            status: self.status(),
            title: paint.doubtful("Unknown:"),
            text: match self.arguments.style.quiet {
                true => String::new(),
                false => format!("\nWhat to try\n- {}\n", self.arguments.going_on()),
            },
            json: serde_json::to_value(self.outcome())?,
            certificate: None,
        })
    }

    /// What there is to say if the report does not come: the verdict.
    pub(super) fn verdict_alone(&self, mut words: LastWords, paint: Paint) -> LastWords {
        let said = match self.verdict {
            Verdict::Safe(_) => paint.good("Safe."),
            Verdict::Unsafe(found) => {
                let message = violation(&self.unit.program[found.property()]);
                format!("{} {message}.", paint.bad("Unsafe:"))
            }
            Verdict::Unknown(unknown) => format!("{} {}.", paint.doubtful("Unknown:"), self.why(&unknown.reason)),
        };
        words.status = self.status();
        words.title = format!("{said}\nThere is no report of it:");
        words.text = String::new();
        words.json["verdict"] = self.word().word().into();
        words
    }

    /// Writes what was asked for, as far as this answer has it.
    pub(super) fn write_files(&self, specified: &Specified) -> anyhow::Result<()> {
        let write = |path: &Path, text: &str| {
            write_whole(path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        if let (Some(path), Verdict::Safe(safe)) = (&self.arguments.certificate, self.verdict) {
            write(path, safe.certificate.text())?;
        }
        if let (Some(path), Verdict::Unsafe(found)) = (&self.arguments.harness, self.verdict)
            && let Some(text) = &found.compiled().harness
        {
            write(path, text)?;
        }
        if let Some(path) = &self.arguments.witness {
            let said = specified.property.as_deref().map(super::super::text).transpose()?;
            let data_model = self.meaning.data_model();
            if let Some(text) = witness::text(self.unit, data_model, said.as_deref(), self.verdict, self.qualified()) {
                write(path, &text)?;
            }
        }
        match &self.arguments.report {
            Some(path) => write(path, &self.page().html()),
            None => Ok(()),
        }
    }

    /// What could help where there is no answer.
    pub(super) fn hints(&self, reason: &Reason) -> Vec<String> {
        let has_folder = self.arguments.run.is_some() || self.arguments.resume.is_some();
        let is_slam = self.arguments.engine == Some("slam");
        let mut hints = Vec::new();
        if has_folder || matches!(reason, Reason::Stopped(_)) {
            hints.push(self.arguments.going_on());
        }
        if matches!(reason, Reason::Stopped(Stopped::OutOfTime)) {
            hints.push("a larger `--timeout`".to_owned());
        }
        if matches!(reason, Reason::NoDifference) && self.arguments.constrain == Some(ConstrainName::None) {
            hints.push("`--constrain lazy`: the steps that the program cannot make are excluded".to_owned());
        }
        match reason {
            Reason::Stopped(_) | Reason::Undecided(_) | Reason::SolverFailed(_) | Reason::Recursion(_) if !is_slam => {
                hints.push("`--engine slam`: another way to an invariant, by Boolean programs".to_owned());
            }
            Reason::Stopped(_) | Reason::NoDifference | Reason::Unclear | Reason::TooLarge | Reason::TooWeak
                if is_slam =>
            {
                hints.push("leave out `--engine slam`: Horn clauses are another way to an invariant".to_owned());
            }
            Reason::Spurious { undefined: None, .. } | Reason::NotUnfolded(_) => {
                hints.push("`cubist explore`: it makes runs only, and knows floats and memory as they are".to_owned());
            }
            _ => {}
        }
        hints
    }

    /// Why there is no answer.
    pub(super) fn why(&self, reason: &Reason) -> String {
        let rules = match self.meaning.rule.len() {
            0 => return why(self.unit, reason),
            1 => "the rule is",
            _ => "the rules are",
        };
        let Reason::NothingToCheck(_) = reason else {
            return why(self.unit, reason);
        };
        let about = match absent_functions(self.unit, self.meaning) {
            None => format!("{rules} about no call that is an error"),
            Some(names) => format!("{rules} about calls of {names}, and the program makes none"),
        };
        format!(
            "the program has nothing to check: {about}; nor has it an assertion, or a call of `reach_error` or \
             `__VERIFIER_error`"
        )
    }

    /// What was taken for granted: of the program, and in the run that was found.
    pub(super) fn assumed(&self) -> Vec<String> {
        let mut lines = assumed(self.unit);
        let meanings = [
            (
                self.meaning.is_unbounded(),
                "no integer is too large for its type (--ints unbounded)",
            ),
            (
                self.meaning.is_logical(),
                "memory of its own lies behind each object (--memory-model logical)",
            ),
            (
                self.meaning.undefined() == UndefinedName::AssumeAbsent,
                "runs end where their behaviour is undefined (--undefined assume-absent)",
            ),
        ];
        let chosen = meanings.iter().filter(|(is_chosen, _)| *is_chosen);
        lines.extend(chosen.map(|(_, what)| (*what).to_owned()));
        if let Verdict::Unsafe(found) = self.verdict {
            lines.extend(assumed_by(self.unit, found.outcome()));
        }
        lines
    }
}

/// Why no run into a violation counts.
const UNDEFINED: &str = "has undefined behaviour on the way";

/// Why there is no answer, with the place in the program where that is one.
pub(super) fn why(unit: &Unit, reason: &Reason) -> String {
    let (runs, (kind, span)) = match reason {
        Reason::Spurious {
            runs,
            undefined: Some(undefined),
            ..
        } => (runs, undefined),
        Reason::Spurious {
            approximated: Some(span),
            ..
        } => {
            let place = place(&unit.sources, *span).map(|place| format!("; the first is at {place}"));
            return format!("{reason}{}", place.unwrap_or_default());
        }
        _ => return reason.to_string(),
    };
    let place = place(&unit.sources, *span).map(|place| format!(" at {place}"));
    let behind = match kind {
        Undefined::OutOfBounds => "; `--memory-model logical` takes it that memory lies behind each object",
        _ => "",
    };
    let found = match runs {
        1 => "a run into a violation, but it".to_owned(),
        runs => format!("{runs} runs into a violation, but the first"),
    };
    format!(
        "the solver found {found} {UNDEFINED}{}: {}. C does not say how such a \
         run goes on, so it counts neither as a violation nor as none; `cubist explore --undefined report` finds runs \
         into undefined behaviour{behind}",
        place.unwrap_or_default(),
        undefined(*kind)
    )
}

/// What gcc says of a run, in a line.
pub(super) fn compiled(found: &Unsafe) -> String {
    match &found.compiled().reason {
        None => "gcc's program with these inputs reaches it, too".to_owned(),
        Some(reason) => format!("not confirmed by gcc: {reason}"),
    }
}

/// What a contract says, in words and formulas.
pub(super) fn words(promised: &ProvedContract) -> String {
    let mut words = Vec::new();
    if !promised.requires.is_true() {
        words.push(format!("called only where {}", formula(promised.requires)));
    }
    if promised.ensures.is_false() {
        words.push("never returns".to_owned());
    } else if !promised.ensures.is_true() {
        words.push(format!("returns with {}", formula(promised.ensures)));
    }
    match words.is_empty() {
        true => "nothing is needed of it".to_owned(),
        false => words.join("; "),
    }
}
