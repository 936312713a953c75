//! The answer as text.

use super::super::explore::violation;
use super::super::formula::{beginning, formula};
use super::super::rules::unheard;
use super::super::{place, run};
use super::answer::{self, Answer, words};
use crate::outcomes::{check_report, diagnostics};
use crate::terminal::{Paint, counted, grouped};
use driver::program::{LocatedFact, ProvedContract, Unsafe, Verdict};
use report::Status;
use smt::Purpose;
use std::fmt::Write as _;
use system::Diagnostic;

impl Answer<'_> {
    pub(super) fn text(&self, paint: Paint) -> String {
        let quiet = self.arguments.style.quiet;
        let mut text = String::new();
        match self.verdict {
            Verdict::Safe(safe) => {
                let _ = match self.qualified() {
                    None => writeln!(text, "{}", paint.good("Safe.")),
                    Some(qualified) => writeln!(text, "{} {qualified}.", paint.doubtful("Safe,")),
                };
                if self.status() == Status::Incomplete && !quiet {
                    let _ = writeln!(
                        text,
                        "`--strict` asks for a proof that nothing qualifies: exit status 20."
                    );
                }
                if !quiet {
                    self.contracts(&safe.contracts, &mut text);
                    self.invariant(safe.invariant(), &mut text);
                    check_report::opinions(&mut text, safe.certificate.opinions(), true);
                }
            }
            Verdict::Unsafe(found) => {
                let message = violation(&self.unit.program[found.property()]);
                if quiet {
                    let _ = writeln!(text, "{} {message}", paint.bad("Unsafe:"));
                } else {
                    let _ = writeln!(text, "{} {message}.\n", paint.bad("Unsafe:"));
                    let diagnostic = Diagnostic::error(found.outcome().span, message);
                    text.push_str(&diagnostics::text(&[diagnostic], &self.unit.sources, paint));
                    let is_whole = self.arguments.style.verbose;
                    match found.outcome().inputs.as_slice() {
                        [] => text.push_str("without inputs\n"),
                        inputs => {
                            let _ = writeln!(text, "inputs: {}", report::run::inputs(inputs, is_whole));
                        }
                    }
                    self.compiled(found, &mut text);
                    let trace = &found.outcome().trace;
                    let lines = run::lines(&self.unit.program, &self.unit.sources, trace, true);
                    let all = "--verbose, --json or --report";
                    let name = &self.unit.sources.model().name;
                    text.push_str(&report::run::text(&lines, trace.left_out, name, is_whole, all));
                    if !is_whole && lines.iter().any(|line| !line.matters) {
                        text.push_str("(what the violation depends on; --verbose shows every line)\n");
                    }
                    text.push('\n');
                }
            }
            Verdict::Unknown(unknown) => {
                let _ = writeln!(text, "{} {}.", paint.doubtful("Unknown:"), self.why(&unknown.reason));
            }
        }
        if !matches!(self.verdict, Verdict::Unknown(_)) && quiet {
            self.assumptions(&mut text);
        }
        if !quiet {
            self.statistics(&mut text);
            if let Verdict::Unknown(unknown) = self.verdict {
                check_report::advice(&mut text, &self.hints(&unknown.reason), paint);
            }
        }
        text
    }

    /// What gcc says of a run.
    fn compiled(&self, found: &Unsafe, text: &mut String) {
        let compiled = found.compiled();
        let _ = writeln!(text, "{}", answer::compiled(found));
        if let Some(path) = &self.arguments.harness {
            let _ = match compiled.harness.is_some() {
                true => writeln!(text, "the run as a C program: {}", path.display()),
                false => writeln!(
                    text,
                    "there is no C program of this run: {} is not written",
                    path.display()
                ),
            };
        }
    }

    /// What holds whenever procedures are called, and whenever they return.
    fn contracts(&self, contracts: &[ProvedContract], text: &mut String) {
        if contracts.is_empty() {
            return;
        }
        text.push_str("\nContracts\n");
        for promised in contracts {
            let _ = writeln!(text, "- {}: {}", promised.procedure, words(promised));
        }
    }

    /// What holds at the heads of loops, in C.
    fn invariant(&self, placed: &[LocatedFact], text: &mut String) {
        if placed.is_empty() {
            return;
        }
        text.push_str("\nThe invariant\n");
        for fact in placed {
            let at = place(&self.unit.sources, fact.span).unwrap_or_else(|| "the start".to_owned());
            let (shown, rest) = beginning(formula(fact.formula));
            let _ = writeln!(text, "- {at}, in {}: {shown}", fact.calls.join(" > "));
            if rest > 0 {
                let _ = writeln!(
                    text,
                    "  ... and {} more, which --json shows",
                    counted(rest, "character")
                );
            }
        }
    }

    fn statistics(&self, text: &mut String) {
        if let Verdict::Safe(safe) = self.verdict {
            let proved = safe;
            let _ = writeln!(
                text,
                "  {}, {}, {}; checks  {}; random runs that agree  {}{}",
                counted(proved.locations, "location"),
                counted(proved.rules, "rule"),
                counted(proved.state, "variable"),
                grouped(self.statistics.total()),
                proved.runs,
                match proved.prefixes {
                    0 => String::new(),
                    prefixes => format!(", as far as they can be followed  {prefixes}"),
                },
            );
            let checked = proved.checked;
            let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let _ = writeln!(
                text,
                "  compared with a second reading of the program  {}, {}, {} that the solver led; places passed  {} of {}",
                counted(count(checked.steps), "step"),
                counted(count(checked.rules), "rule"),
                counted(count(checked.led), "run"),
                grouped(checked.passed as u64),
                grouped(checked.places as u64),
            );
        }
        if let Some(work) = self.slam {
            let checks = |purpose| grouped(self.statistics.checks(purpose));
            let _ = writeln!(
                text,
                "  slam: {} ({} of no procedure), {}, {}, {}; no difference found  {}",
                counted(work.predicates, "predicate"),
                work.global_predicates,
                counted(work.iterations, "iteration"),
                counted(work.constraints, "constraint"),
                counted(work.invariants, "enforced invariant"),
                work.no_difference,
            );
            let _ = writeln!(
                text,
                "  checks for the abstraction  {}, for runs  {}, for predicates  {}, for constraints  {}",
                checks(Purpose::Abstraction),
                checks(Purpose::Trace),
                checks(Purpose::Discovery),
                checks(Purpose::Constrain),
            );
        }
        self.assumptions(text);
        for line in unheard(self.unit, self.meaning) {
            let _ = writeln!(text, "  {line}");
        }
    }
    fn assumptions(&self, text: &mut String) {
        for line in self.assumed() {
            let _ = writeln!(text, "  assumed: {line}");
        }
    }
}
