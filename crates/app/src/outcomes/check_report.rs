//! What `check` found out, for people.

use super::agreement;
use super::explore_text::{self, seconds, some_of, wrapped};
use super::induction;
use super::provided;
use crate::arguments::Check;
use crate::terminal::{Paint, counted, grouped};
use abstraction::goal::Goal;
use abstraction::induction::Induction;
use abstraction::predicate::AbstractTrace;
use abstraction::predicate::GoalVerdict;
use driver::notation::{closed_formula, formula};
use driver::{
    Account, Caveat, ConjectureSummary, Decided, Evidence, Exploration, FurtherProperty, Input, Proof, PropertyResult,
    Reason, Safe, Stopped, Unknown, Unsafe, Verdict,
};
use explore::ConfirmedExploration;
use logic::Term;
use smt::{Purpose, Statistics};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;
use system::TransitionSystem;
use system::frontend::{InProofs, SizeOrigin, TypeSize};
use system::transition::Rule;
use validate::Opinion;

const WIDTH: usize = 110;
/// This many proof obligations that a solver could not decide are shown.
const UNDECIDED: usize = 5;

/// Of this many properties a step is shown that breaks them.
const STEPS: usize = 2;
/// More advice is none.
const HINTS: usize = 3;

/// What is to be reported.
pub(crate) struct Report<'r> {
    pub(crate) arguments: &'r Check,
    pub(crate) decided: &'r Decided,
    pub(crate) statistics: &'r Statistics,
    /// How long it took; `None` where a person decides that.
    pub(crate) time: Option<Duration>,
}

impl Report<'_> {
    pub(crate) fn text(&self, paint: Paint) -> String {
        let quiet = self.arguments.style.quiet;
        let mut text = match &self.decided.verdict {
            Verdict::Safe(safe) => headline(self.decided, safe, paint),
            Verdict::Unknown(unknown) => format!("{} {}.\n", paint.doubtful("Unknown:"), unknown.reason),
            Verdict::Unsafe(violated) => return self.violation(violated, paint),
        };
        for caveat in &self.decided.caveats {
            item(&mut text, "", &format!("{} {}", paint.doubtful("But:"), words(caveat)));
        }
        if quiet {
            return text;
        }
        match &self.decided.verdict {
            Verdict::Safe(safe) => self.safe(&mut text, safe, paint),
            Verdict::Unknown(unknown) => self.unknown(&mut text, unknown, paint),
            Verdict::Unsafe(_) => {}
        }
        text
    }

    /// Formulas are there only where a system is.
    fn closed(&self, term: Term) -> String {
        let subject = self.decided.subject.as_ref();
        subject.map_or_else(String::new, |subject| closed_formula(&subject.system, term))
    }

    fn of_goal(&self, goal: &Goal, term: Term) -> String {
        let subject = self.decided.subject.as_ref();
        subject.map_or_else(String::new, |subject| formula(&subject.system, goal, term))
    }

    fn safe(&self, text: &mut String, safe: &Safe, paint: Paint) {
        if self.arguments.strict && !safe.scope().is_every_size() {
            let fixed = safe.scope().sizes.iter().filter(|size| !size.is_any());
            let names: Vec<&str> = fixed.map(|size| size.name.as_str()).collect();
            let line = format!(
                "`--strict` asks for every size, also of {}: exit status 20.",
                names.join(", ")
            );
            item(text, "", &line);
        }
        if self.arguments.strict && !safe.open_reads().is_empty() {
            let line = "`--strict` asks for a proof that no undefined value is read: exit status 20.";
            item(text, "", line);
        }
        if self.arguments.strict && safe.qualification().is_some() {
            let line = "`--strict` asks for a proof that is cross-checked against explored states: exit status 20.";
            item(text, "", line);
        }
        match safe.evidence() {
            Evidence::Proof(proof) => self.proof(text, proof, paint),
            Evidence::Exploration(exploration) => self.exploration(text, exploration, paint),
        }
    }

    fn proof(&self, text: &mut String, proof: &Proof, paint: Paint) {
        self.proved(text, proof.account(), paint);
        let title = match proof.facts().is_empty() {
            true => "No invariant is needed.",
            false => "The invariant",
        };
        let _ = writeln!(text, "\n{}", paint.bold(title));
        for fact in proof.facts() {
            item(text, "- ", &format!("{}: {}", fact.name, self.closed(fact.formula)));
        }
        further(text, proof.further(), paint);
        opinions(text, proof.certificate().opinions(), true);
        item(text, "", &agreement::text(proof.agreement()));
        self.others(text, paint);
        self.certificate(text);
        self.counts(text, proof.account().beside.as_deref());
        let confirming = confirming(proof.certificate().opinions());
        self.time(text, confirming, proof.agreement().time);
    }

    /// All states were seen; where there are other sizes, why nothing is known of them.
    fn exploration(&self, text: &mut String, exploration: &Exploration, paint: Paint) {
        let confirmed = exploration.confirmed();
        let (statistics, again) = (&confirmed.outcome().statistics, confirmed.again());
        let symmetric = if statistics.symmetric { " up to symmetry" } else { "" };
        let states = self::states(statistics.states);
        let fired = grouped(statistics.rules_fired);
        let extent = match (again.is_all, statistics.symmetric) {
            (true, true) if again.states == statistics.states => "all of them".to_owned(),
            (true, true) => format!("all {}, without symmetry", grouped(again.states)),
            (true, false) => "all of them".to_owned(),
            (false, _) => format!("the first {}", grouped(again.states)),
        };
        let line = format!(
            "The file as it is written has {states}{symmetric} ({fired} rules fired). A second interpreter has looked at {extent}, and agrees."
        );
        item(text, "", &line);
        for ty in self.decided.parsed.input.sizes().iter().filter(|ty| ty.has_name) {
            if let InProofs::Fixed { reason, span } = &ty.in_proofs {
                let line = self.decided.parsed.input.sources().position(*span).0;
                item(
                    text,
                    "",
                    &format!("Of {} no other size is proved: {reason} (line {line}).", ty.name),
                );
            }
        }
        let never = statistics.never_fired(&exploration.instance);
        if !never.is_empty() {
            let names: Vec<String> = never.iter().map(|rule| format!("\"{}\"", rule.name)).collect();
            let names = some_of(&names, self.arguments.style.verbose, "--verbose shows");
            item(text, "", &format!("Rules that never fire in it: {names}."));
        }
        if let Some(beyond) = &exploration.beyond {
            let mut about = String::new();
            self.unproved(&mut about, beyond, paint);
            if !about.is_empty() {
                let _ = write!(text, "\n{}\n{about}", paint.bold("Other sizes"));
            }
        }
        self.others(text, paint);
        self.certificate(text);
        if let Some(beyond) = &exploration.beyond {
            self.counts(text, beyond.account.beside.as_deref());
            self.time(text, Duration::ZERO, Duration::ZERO);
        }
    }

    fn unknown(&self, text: &mut String, unknown: &Unknown, paint: Paint) {
        if let Some((_, outcome)) = &unknown.explored {
            item(text, "  ", &seen_so_far(outcome.statistics.states));
        }
        self.unproved(text, unknown, paint);
        self.others(text, paint);
        if unknown.certificate.is_some() {
            self.certificate(text);
        }
        self.counts(text, unknown.account.beside.as_deref());
        self.time(text, confirming(&unknown.opinions), Duration::ZERO);
    }

    /// What is not proved, and what could help.
    fn unproved(&self, text: &mut String, unknown: &Unknown, paint: Paint) {
        let account = &unknown.account;
        let open = account.results.iter().filter(|result| !result.is_proved());
        let (untouched, begun): (Vec<&PropertyResult>, Vec<&PropertyResult>) = open.partition(|one| one.is_untouched());
        if let Some(tried) = &account.conjectured {
            item(text, "  ", &conjectured(tried));
        }
        for result in begun {
            self.failure(text, account, result, paint);
        }
        if !untouched.is_empty() {
            let names: Vec<&str> = untouched.iter().map(|result| result.name.as_str()).collect();
            let names = some_of(&names, self.arguments.style.verbose, "--verbose and --json show");
            let line = format!("Predicate abstraction did not get to: {names}");
            item(text, "  ", &line);
        }
        self.proved(text, account, paint);
        let proved = account.results.iter().filter(|result| result.is_proved());
        let proved: HashSet<&str> = proved.map(|result| result.name.as_str()).collect();
        let is_open = |found: &&Induction| found.step().is_some() && !proved.contains(found.name.as_str());
        if let Some(subject) = &self.decided.subject {
            for found in unknown.induction.iter().filter(is_open).take(STEPS) {
                induction::step(text, subject, found, paint);
            }
        }
        let is_stopped = matches!(unknown.reason, Reason::Stopped(_) | Reason::NotCrossChecked(_));
        if is_stopped && !unknown.opinions.is_empty() {
            // On the way to a limit most are left open, which says nothing about them.
            let line = "An invariant was found that all properties follow from; there was no time to be sure of it:";
            item(text, "  ", line);
            opinions(text, &unknown.opinions, false);
            return self.advice(text, unknown, paint);
        }
        self.advice(text, unknown, paint);
        opinions(text, &unknown.opinions, true);
    }

    fn violation(&self, violated: &Unsafe, paint: Paint) -> String {
        let style = &self.arguments.style;
        let detail = explore_text::Detail {
            quiet: style.quiet,
            verbose: style.verbose,
            full_states: false,
            deadlock: false,
        };
        let introduction = match style.quiet {
            true => String::new(),
            false => explore_text::introduction(&violated.input, &violated.instance, paint) + "\n",
        };
        let outcome = explore_text::outcome(&violated.input, &violated.instance, &violated.outcome, detail, paint);
        let mut text = introduction + &outcome;
        if !style.quiet {
            self.others(&mut text, paint);
        }
        text
    }

    /// The properties that are proved, where there is something to say about how.
    fn proved(&self, text: &mut String, account: &Account, paint: Paint) {
        for result in account.results.iter().filter(|result| result.is_proved()) {
            let cycles: usize = result.goals.iter().map(|(_, goal)| goal.cycles).sum();
            let predicates = result.goals.iter().map(|(_, goal)| goal.predicates.len()).max();
            let with = predicates.map(|number| {
                let cycles = counted(cycles, "discovery cycle");
                format!(" with {}, {cycles}", counted(number, "predicate"))
            });
            if cycles > 0 || self.arguments.style.verbose {
                let _ = writeln!(
                    text,
                    "  {}: proved{}",
                    paint.bold(&result.name),
                    with.unwrap_or_default()
                );
            }
        }
    }

    fn certificate(&self, text: &mut String) {
        if let Some(path) = &self.arguments.certificate {
            let _ = writeln!(text, "The certificate is in {}.", path.display());
        }
    }

    fn counts(&self, text: &mut String, beside: Option<&Statistics>) {
        let counts = Counts::new(self.statistics, beside);
        let _ = writeln!(
            text,
            "\n  solver checks  {} (abstraction {}, traces {}, discovery {}, other {})",
            grouped(counts.total),
            grouped(counts.abstraction),
            grouped(counts.trace),
            grouped(counts.discovery),
            grouped(counts.other()),
        );
        if counts.stopped > 0 {
            let stopped = grouped(counts.stopped);
            let _ = writeln!(text, "                 and {stopped} of an engine that was stopped");
        }
    }

    /// How long it took, and what took most of it.
    fn time(&self, text: &mut String, confirming: Duration, meeting: Duration) {
        let Some(time) = self.time else {
            return;
        };
        let parts = [
            (self.statistics.time(), "in the solver"),
            (confirming, "confirming the proof"),
            (meeting, "holding it against explored states"),
        ];
        let parts = parts.iter().filter(|(time, _)| !time.is_zero());
        let parts: Vec<String> = parts.map(|(time, what)| format!("{} {what}", seconds(*time))).collect();
        let parts = match parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", parts.join(", ")),
        };
        let _ = writeln!(text, "  time           {}{parts}", seconds(time));
    }

    /// What the verdict is not about.
    fn others(&self, text: &mut String, paint: Paint) {
        let lines = agreement::other_lines(self.decided.input(), &self.decided.explored());
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{}", paint.bold("Not part of the verdict"));
        for line in lines {
            item(text, "- ", &line);
        }
    }

    /// A property that is not proved: why, the last abstract run into a bad state, and the predicates so far.
    fn failure(&self, text: &mut String, account: &Account, result: &PropertyResult, paint: Paint) {
        let Some((goal, report, reason)) = result.failure() else {
            return;
        };
        let _ = writeln!(text, "  {}: {reason}", paint.bold(&result.name));
        if let GoalVerdict::Unknown { trace: Some(trace), .. } | GoalVerdict::Real { trace, .. } = &report.verdict {
            let count = counted(trace.rules.len(), "rule");
            let _ = writeln!(text, "    the last abstract run into a bad state, {count}:");
            let show = |predicate: Term| self.of_goal(goal, predicate);
            abstract_run(text, &show, &account.system, &report.predicates, trace);
        }
        if !report.predicates.is_empty() {
            let _ = writeln!(text, "    the predicates so far:");
            for predicate in &report.predicates {
                item(text, "    - ", &self.of_goal(goal, *predicate));
            }
        }
    }

    /// What could help.
    fn advice(&self, text: &mut String, unknown: &Unknown, paint: Paint) {
        let arguments = self.arguments;
        let mut hints = Vec::new();
        let stopped = match unknown.reason {
            Reason::Stopped(stopped) | Reason::NotCrossChecked(stopped) => Some(stopped),
            _ => None,
        };
        if stopped.is_some() || arguments.run.is_some() || arguments.resume.is_some() {
            hints.push(arguments.going_on());
        }
        if stopped == Some(Stopped::OutOfTime) {
            hints.push("a larger `--timeout`".to_owned());
        }
        if matches!(unknown.reason, Reason::NothingToCheck(_)) {
            hints.push("state what must hold in the model, or in a file of its own: `--properties FILE`".to_owned());
        }
        let results = &unknown.account.results;
        let unproved: Vec<&PropertyResult> = results.iter().filter(|result| !result.is_proved()).collect();
        if arguments.no_discovery && !unproved.is_empty() {
            hints.push("leave out `--no-discovery`: predicates are then found".to_owned());
        }
        if !unproved.is_empty() {
            let hint = "`--predicates FILE` with what you know about the protocol; they are tried, never believed";
            hints.push(hint.to_owned());
        }
        if unproved.iter().any(|result| result.is_refuted()) {
            hints.push("`cubist explore` with larger sizes, to find the run".to_owned());
        }
        if let ([one, _, ..], true) = (&unproved[..], arguments.property.is_empty()) {
            hints.push(format!("one property at a time: `--property \"{}\"`", one.name));
        }
        let mut sizes = self.decided.input().sizes().iter();
        if let Some(size) = sizes.find(|size| size.is_any() && size.can_be_fixed)
            && !unproved.is_empty()
        {
            hints.push(format!("`--fixed {}`: a proof for the declared size only", size.name));
        }
        if unknown.opinions.iter().any(|opinion| !opinion.undecided.is_empty()) && arguments.certificate.is_none() {
            hints.push("`--certificate FILE`, and another solver: `cubist validate FILE --solver PROGRAM`".to_owned());
        }
        advice(text, &hints, paint);
    }
}

/// What could help, the most promising first.
pub(crate) fn advice(text: &mut String, hints: &[String], paint: Paint) {
    if hints.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("What to try"));
    for hint in hints.iter().take(HINTS) {
        item(text, "- ", hint);
    }
}

/// The verdict, and what it is about.
fn headline(decided: &Decided, safe: &Safe, paint: Paint) -> String {
    let good = paint.good("Safe");
    match safe.evidence() {
        Evidence::Proof(proof) => {
            let qualified = provided::provided_that(safe, decided.input().sources());
            let safe = of_sizes(safe, &decided.caveats);
            let safe = match qualified {
                None => safe,
                Some(qualified) => format!("{}, {qualified}.", safe.trim_end_matches('.')),
            };
            format!("{good}{safe}{}\n", unshown(proof))
        }
        Evidence::Exploration(exploration) => {
            let title = as_written(&decided.parsed.input, exploration.confirmed(), paint);
            match &exploration.beyond {
                Some(beyond) => format!("{title} {}.\n", beyond.reason),
                None => format!("{}.\n", title.trim_end_matches(BEYOND).trim_end_matches(UNPROVED)),
            }
        }
    }
}

/// What comes before the reason why nothing is known of other sizes.
const BEYOND: &str = "; for other sizes unknown:";
/// The same where there are no other sizes, and a proof is asked for all the same.
const UNPROVED: &str = "; there is no proof:";

/// What is known of the file as it is written, up to the reason why nothing is known of other sizes.
pub(crate) fn as_written(input: &Input, confirmed: &ConfirmedExploration, paint: Paint) -> String {
    let good = paint.good("Safe");
    let states = self::states(confirmed.outcome().statistics.states);
    // What has no name has no other size.
    let sizes: Vec<&TypeSize> = input.sizes().iter().filter(|ty| ty.has_name).collect();
    let unproved = match sizes.iter().any(|ty| ty.is_any()) {
        true => BEYOND,
        false => UNPROVED,
    };
    let as_written = match sizes.iter().any(|ty| ty.origin == SizeOrigin::Chosen) {
        true => "",
        false => " as written",
    };
    let texts: Vec<String> = sizes.iter().map(|ty| format!("{} = {}, ", ty.name, ty.size)).collect();
    match sizes.is_empty() {
        true => format!("{good} (all {states}){unproved}"),
        false => format!("{good}{as_written} ({}all {states}){unproved}", texts.concat()),
    }
}

fn of_sizes(safe: &Safe, caveats: &[Caveat]) -> String {
    let sizes = match safe.scope().words().as_str() {
        "" => String::new(),
        words if caveats.is_empty() => format!(" {words}"),
        words => format!(" {words}, as declared"),
    };
    match safe.qualification() {
        Some(qualification) => format!("{sizes}, but {qualification}."),
        None => format!("{sizes}."),
    }
}

fn unshown(proof: &Proof) -> String {
    match proof.further().iter().filter(|further| !further.holds()).count() {
        0 => String::new(),
        unshown => format!(
            " Of {}, {unshown} cannot be shown by the invariant.",
            counted(proof.further().len(), "further property")
        ),
    }
}

/// `1 state`, `69,885 states`
fn states(number: u64) -> String {
    format!("{} {}", grouped(number), if number == 1 { "state" } else { "states" })
}

/// What a verdict leaves out.
pub(crate) fn words(caveat: &Caveat) -> String {
    let sizes = caveat
        .violated
        .iter()
        .map(|(name, size)| format!("--size {name}={size}"));
    let option = match (caveat.violated.first(), caveat.in_proofs) {
        (Some(_), false) => sizes.collect::<Vec<String>>().join(" "),
        (Some((name, _)), true) => format!("--parametric {name}"),
        (None, _) => "--parametric TYPE".to_owned(),
    };
    format!(
        "with {} there is a violation ({}); `{option}` shows it.",
        super::sizes(&caveat.violated),
        caveat.message,
    )
}

/// What solvers say of the invariant.
pub(crate) fn opinions(text: &mut String, opinions: &[Opinion], with_undecided: bool) {
    for opinion in opinions {
        let total = opinion.total;
        let confirmed = total - opinion.undecided.len();
        let solver = &opinion.solver;
        let _ = writeln!(text, "{solver} confirms {confirmed} of {total} proof obligations.");
        for name in opinion.undecided.iter().take(UNDECIDED).filter(|_| with_undecided) {
            item(text, "  undecided: ", name);
        }
    }
}

/// What the invariant says of the further properties.
fn further(text: &mut String, results: &[FurtherProperty], paint: Paint) {
    if results.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("Further properties"));
    for further in results {
        item(text, "- ", &format!("{}: {}", further.name, further.standing));
    }
    if !results.iter().all(FurtherProperty::holds) {
        item(
            text,
            "",
            "What the invariant does not imply may hold all the same: `--properties FILE` instead of `--also FILE` proves or refutes it.",
        );
    }
}

/// How far the search for facts about every size came.
fn conjectured(tried: &ConjectureSummary) -> String {
    let made = counted(tried.made, "conjecture");
    let withdrawn = match tried.withdrawn {
        0 => String::new(),
        withdrawn => format!(", {withdrawn} withdrawn"),
    };
    format!("Facts about every size: {made}{withdrawn}; {}", tried.reason)
}

/// What the solvers took that confirm a proof.
fn confirming(opinions: &[Opinion]) -> Duration {
    opinions.iter().map(|opinion| opinion.time).sum()
}

/// How many checks there were, by purpose.
pub(crate) struct Counts {
    pub(crate) total: u64,
    pub(crate) abstraction: u64,
    pub(crate) trace: u64,
    pub(crate) discovery: u64,
    /// Of an engine that was stopped, and not in the total: how far it came is a matter of time.
    pub(crate) stopped: u64,
}

impl Counts {
    pub(crate) fn new(all: &Statistics, beside: Option<&Statistics>) -> Counts {
        let of = |purpose| all.checks(purpose) - beside.map_or(0, |beside| beside.checks(purpose));
        let stopped = beside.map_or(0, Statistics::total);
        Counts {
            total: all.total() - stopped,
            abstraction: of(Purpose::Abstraction),
            trace: of(Purpose::Trace),
            discovery: of(Purpose::Discovery),
            stopped,
        }
    }

    pub(crate) fn other(&self) -> u64 {
        self.total - self.abstraction - self.trace - self.discovery
    }
}

/// The predicates that hold in the first state, and which ones each rule changes.
fn abstract_run(
    text: &mut String,
    show: &dyn Fn(Term) -> String,
    system: &TransitionSystem,
    predicates: &[Term],
    trace: &AbstractTrace,
) {
    let name = |rules: &[Rule], number: usize| rules.get(number).map_or_else(String::new, |rule| rule.name.clone());
    let show = |number: usize| show(predicates[number]);
    for (number, state) in trace.states.iter().enumerate() {
        let rule = match number.checked_sub(1) {
            None => name(&system.starts, trace.start),
            Some(before) => trace
                .rules
                .get(before)
                .map_or_else(String::new, |rule| name(&system.rules, *rule)),
        };
        let _ = writeln!(text, "    {number:>3}  {rule}");
        // The trace may be older than the last predicates.
        for (predicate, value) in state.iter().enumerate().take(predicates.len()) {
            let before = number.checked_sub(1).map(|before| trace.states[before][predicate]);
            match (before, value) {
                (None, true) => item(text, "           ", &show(predicate)),
                (Some(false), true) => item(text, "           now  ", &show(predicate)),
                (Some(true), false) => item(text, "           not  ", &show(predicate)),
                _ => {}
            }
        }
    }
}

/// A line with something in front, wrapped so that what follows stands below.
pub(crate) fn item(text: &mut String, front: &str, line: &str) {
    let wrapped = wrapped(line, WIDTH - front.len());
    let below = " ".repeat(front.len());
    for (number, line) in wrapped.trim_end().lines().enumerate() {
        let _ = writeln!(text, "{}{line}", if number == 0 { front } else { &below });
    }
}

/// What is known of a file whose states were not all seen.
pub(crate) fn seen_so_far(states: u64) -> String {
    match states {
        1 => "Of the file as it is written, 1 state was seen, and nothing is wrong with it.".to_owned(),
        states => format!(
            "Of the file as it is written, {} states were seen, and nothing is wrong with them.",
            grouped(states)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_conjectured_is_counted() {
        let tried = |made, withdrawn| ConjectureSummary {
            made,
            withdrawn,
            reason: Reason::Stopped(Stopped::OutOfTime),
        };
        let lines = [(0, 0), (1, 0), (451, 59)].map(|(made, withdrawn)| conjectured(&tried(made, withdrawn)));
        assert_eq!(
            lines,
            [
                "Facts about every size: 0 conjectures; the time limit was reached",
                "Facts about every size: 1 conjecture; the time limit was reached",
                "Facts about every size: 451 conjectures, 59 withdrawn; the time limit was reached",
            ]
        );
    }
}
