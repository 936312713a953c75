//! Certificates of *conforms*: they are made again from the components and the claim, and forged ones are refused.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Subject, about, check, confirming, models};
use conformance::assembly::System;
use conformance::certificate::{self, Claim, Refusal, Remade, against, stated};
use conformance::component::abstraction::ControlState;
use conformance::confirm::ConfirmationError;
use conformance::verify::{Levels, Options};
use driver::Answer;
use driver::components::Verdict;
use logic::{Cancellation, term};
use oorandom::Rand32;
use std::path::{Path, PathBuf};
use validate::{Limits, judge, parse_conformance, sealed};

const PROGRAM: &str = "
int ask(void); void send(int x); void stop(void);
int last;
int left(int n) {
    int r = ask();
    while (r > 0) {
        if (r == 2) { send(1); last = r; } else send(0);
        r = ask();
    }
    if (last == 2) stop();
    return 100 / n;
}
int right(void) { int r = 0; while (r == 0) r = ask(); return r > 0; }
";

const SPECIFICATION: &str = "
ASK = ( asked -> ( return {$0 == 2} -> STOP | return {$0 == 1} -> STOP | return {$0 <= 0} -> STOP ) ).
ONE = ( one -> return {} -> STOP ).
NONE = ( none -> return {} -> STOP ).
STOPS = ( stopped -> return {} -> STOP ).
S = ( asked -> T ),
T = ( one -> asked -> U | none -> S | left.return {} -> STOP ),
U = ( one -> asked -> U | none -> asked -> U | stopped -> left.return {} -> STOP ).
cproc ask { abstract { ask, (1), ASK }; }
cproc send { abstract { one, ($1 == 1), ONE }; abstract { none, ($1 != 1), NONE }; }
cproc stop { abstract { stop, (1), STOPS }; }
program left { abstract { all, (1), S }; }
";

/// Writes the files of a test into a folder of their own.
fn subject(program: &str, specification: &str) -> Subject {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("cubist-certificates-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (spec, file) = (folder.join("a.spec"), folder.join("a.c"));
    std::fs::write(&spec, specification).unwrap();
    std::fs::write(&file, program).unwrap();
    let subject = Subject::read(&spec, &[file]);
    std::fs::remove_dir_all(&folder).unwrap();
    subject
}

/// The certificate of a question, which must conform.
fn certificate_of(subject: &Subject, number: usize, system: &System, options: Options) -> String {
    let Answer::Decided(decided) = check(system, &subject.opened[number], options) else {
        panic!("a mistake");
    };
    match decided.verdict {
        Verdict::Safe(proved) => proved.confirmed.certificate.text().to_owned(),
        Verdict::Unsafe(found) => panic!("violated: {:?}", found.violation.trace),
        Verdict::Unknown(unknown) => panic!("unknown: {}", unknown.reason),
    }
}

fn again(text: &str, system: &System) -> Result<Remade, Refusal> {
    against(text, system, &about(), &|| false)
}

fn is_confirmed(text: &str) -> bool {
    let parsed = parse_conformance(text).unwrap();
    let judgement = judge(
        &parsed,
        &confirming(),
        Limits::default(),
        &Cancellation::new(),
        &mut |_| {},
    )
    .unwrap();
    judgement.report.is_confirmed()
}

/// Whether a claim is accepted with the text that it has: of a forger who uses this program.
fn is_accepted(claim: &Claim, system: &System) -> bool {
    if claim.fits(system).is_err() {
        return false;
    }
    let text = certificate::text(system, claim, &about()).text;
    again(&text, system).is_ok() && is_confirmed(&text)
}

#[test]
fn certificates_are_made_again_from_the_components() {
    let spec = |name: &str| models().join(format!("{name}.spec"));
    let file = |name: &str| models().join(format!("{name}.c"));
    let pairs: [(PathBuf, Vec<PathBuf>); 5] = [
        (spec("example"), vec![file("example")]),
        (spec("mutex"), vec![file("mutex")]),
        (spec("ring-2"), vec![file("ring")]),
        (spec("socket"), vec![file("socket")]),
        (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/transfer/transfer.spec"),
            vec![
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/transfer/sender-fixed.c"),
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/transfer/receiver.c"),
            ],
        ),
    ];
    for (spec, files) in pairs {
        let subject = Subject::read(&spec, &files);
        for number in 0..subject.questions.len() {
            for levels in [Levels::Two, Levels::One] {
                let options = Options {
                    levels,
                    ..Options::default()
                };
                let system = subject.system(number, true).unwrap();
                let text = certificate_of(&subject, number, &system, options);
                // Another process has other terms, and finds no predicates.
                let other = subject.system(number, true).unwrap();
                let remade = again(&text, &other).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", spec.display()));
                assert_eq!(remade.claim.components.len(), other.components.len());
                assert!(is_confirmed(&text));
                // Constants are part of the automaton: without them it is another one, or has the same text.
                let without = subject.system(number, false).unwrap();
                let _ = again(&text, &without);
            }
        }
    }
}

#[test]
fn a_claim_without_a_part_is_refused() {
    let subject = subject(PROGRAM, SPECIFICATION);
    let system = subject.system(0, true).unwrap();
    for levels in [Levels::Two, Levels::One] {
        let options = Options {
            levels,
            ..Options::default()
        };
        let text = certificate_of(&subject, 0, &system, options);
        let claim = stated(&text, &system).unwrap();
        assert!(is_accepted(&claim, &system));
        let own = |claim: &Claim| claim.components[0].clone();
        // Every move is one that some run makes.
        for state in 0..own(&claim).moves.len() {
            for step in 0..own(&claim).moves[state].len() {
                let mut forged = claim.clone();
                let removed = forged.components[0].moves[state].remove(step);
                assert!(
                    !is_accepted(&forged, &system),
                    "{levels:?}: {removed:?} of state {state}"
                );
            }
        }
        for pair in 0..claim.pairs.len() {
            let mut forged = claim.clone();
            forged.pairs.remove(pair);
            assert!(!is_accepted(&forged, &system), "pair {pair}");
        }
        // The values of predicates are those that states have.
        for state in 0..own(&claim).states.len() {
            for value in 0..own(&claim).states[state].valuation.len() {
                let mut forged = claim.clone();
                let values = &mut forged.components[0].states[state].valuation;
                values[value] = !values[value];
                assert!(!is_accepted(&forged, &system), "value {value} of state {state}");
            }
        }
        for node in 0..own(&claim).predicates.len() {
            for number in 0..own(&claim).predicates[node].len() {
                let is_met = own(&claim)
                    .states
                    .iter()
                    .any(|state| state.place == ControlState::At(node));
                let mut forged = claim.clone();
                let predicate = &mut forged.components[0].predicates[node][number];
                *predicate = term::not(*predicate);
                assert!(
                    !is_met || !is_accepted(&forged, &system),
                    "predicate {number} of location {node}"
                );
            }
        }
        // That a division by zero never happens is not so.
        for hazard in 0..4 {
            let mut forged = claim.clone();
            if forged.components[0].excluded.insert(hazard) {
                assert!(!is_accepted(&forged, &system), "step {hazard}");
            }
        }
        // A specification may only be in states that exist.
        let mut forged = claim.clone();
        forged.pairs[0].1.insert(1_000_000);
        assert!(!is_accepted(&forged, &system));
        let mut forged = claim.clone();
        forged.pairs.push(([4_000_000].into(), forged.pairs[0].1.clone()));
        assert!(!is_accepted(&forged, &system));
        let mut forged = claim.clone();
        forged.pairs.push((Box::new([]), forged.pairs[0].1.clone()));
        assert!(!is_accepted(&forged, &system));
    }
}

/// What is said of a text with this instead of that, and a digest that fits.
fn refusal(text: &str, from: &str, to: &str, system: &System) -> String {
    assert!(text.contains(from), "`{from}` is not there");
    let forged = sealed(&text.replacen(from, to, 1));
    match again(&forged, system) {
        Ok(_) => panic!("`{to}` instead of `{from}` is accepted"),
        Err(refusal) => format!("{refusal}: {refusal:?}"),
    }
}

#[test]
#[allow(clippy::too_many_lines)]
fn forged_texts_are_refused() {
    let subject = subject(PROGRAM, SPECIFICATION);
    let system = subject.system(0, true).unwrap();
    let text = certificate_of(&subject, 0, &system, Options::default());
    assert!(again(&text, &system).is_ok());
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    let (component, first) = (line("; component 1"), line("; state 1:"));
    let from = line("; from 0:");
    let location = line("; location");
    let query = {
        let start = text.find("\n; query 2:").unwrap();
        let end = start + 1 + text[start + 1..].find("\n; query 3:").unwrap();
        &text[start..end]
    };
    let refused = |from: &str, to: &str| refusal(&text, from, to, &system);
    let is_different = |from: &str, to: &str, what: &str| {
        let said = refused(from, to);
        assert!(said.contains(what), "`{to}` instead of `{from}`: {said}");
    };
    is_different("; claim\n", "; no claim\n", "it has none");
    is_different("; end of the claim\n", "", "this is no line of a claim");
    is_different(component, "; component 2: left", "this is not the next component");
    is_different(
        component,
        &format!("{component}\n; component 2: left"),
        "there is no such component",
    );
    is_different(&format!("{component}\n"), "", "this is of no component");
    is_different(component, "; component 1: right", "it is not what these sources give");
    is_different(first, "; state 7: location 1, values -", "this is not the next state");
    is_different(
        first,
        "; state 1: location 999999999, values -",
        "there is no such place",
    );
    is_different(
        first,
        "; state 1: location 99999999999999999999999, values -",
        "a number is missing",
    );
    is_different(
        first,
        "; state 1: call 0 abstraction 77 state 0, values -",
        "there is no such place",
    );
    is_different(first, "; state 1: end, values 0101", "as many values");
    is_different(first, "; state 1: end, values 2", "a value is 0 or 1");
    let place = first.split(", class").next().unwrap();
    is_different(
        first,
        &format!("{place}, class 0, class 0"),
        "this is no line of a claim",
    );
    is_different(first, &format!("{place}, class 4294967295"), "no such state or class");
    is_different(first, &format!("{place}, class 4294967296"), "a number is missing");
    is_different(from, "; from 0: statement 0 to 99999", "the component has no such move");
    is_different(from, "; from 0: statement 99999 to 1", "the component has no such move");
    is_different(from, "; from 0: leave 0 to 1", "the component has no such move");
    is_different(from, "; from 0: return 0 77 to 1", "the component has no such move");
    is_different(from, "; from 0: enter 0 0 to 1", "the component has no such move");
    is_different(from, "; from 0: astray 0 to 1", "this is no move");
    is_different(from, "; from 0: action 1 to 1", "outside of a call");
    is_different(from, "; from 0: flies to 1", "this is no move");
    is_different(from, &format!("{from}\n{from}"), "said twice");
    is_different(from, "; from 99999: statement 0 to 1", "there is no such state");
    is_different(&format!("{from}\n"), "", "it is not what these sources give");
    is_different(location, "; location 3: predicate (= nobody 1)", "no formula");
    is_different(location, "; location 3: predicate 1", "no formula");
    is_different(
        location,
        "; location 99999: predicate true",
        "there is no such location",
    );
    is_different(
        location,
        &format!(
            "; location 3: predicate {}true{}",
            "(not ".repeat(100_000),
            ")".repeat(100_000)
        ),
        "no formula",
    );
    is_different(
        "; end of the claim",
        "; excluded: 99999\n; end of the claim",
        "no such step",
    );
    is_different(
        "; end of the claim",
        "; excluded: x\n; end of the claim",
        "a number is missing",
    );
    is_different(
        "; end of the claim",
        "; together: 0 1 with 0\n; end of the claim",
        "are not closed",
    );
    is_different("; proves: it", "; proves: more", "which the sources do not give");
    is_different(
        "; proves: it",
        "; proves: it\n; option: --undefined assume-absent",
        "which the sources do not give",
    );
    is_different("; queries: ", "; queries: 99999999999999999999999", "a number");
    is_different("; queries: ", "; queries: 9999999", "queries");
    is_different(query, "", "query 2 does not have the form");
    is_different("(set-logic ALL)", "(set-logic ALL)\n(assert false)", "`(assert false)`");
    is_different("(set-logic ALL)", "(set-logic ALL)\n(reset)", "`(reset)`");
    is_different(
        "(check-sat) ; expected unsat\n(pop 1)\n",
        "(check-sat) ; expected unsat\n(push 1)\n",
        "query",
    );
    is_different("\n(=> ", "\n(or ", "it is not what these sources give");
    is_different("\n(=> ", "\n((=> ", "a command has no end");
    is_different("; made by: cubist", "; made by: \u{7}cubist", "control characters");
    is_different(
        "; This file proves",
        "; This file  proves",
        "it is not what these sources give",
    );
    // With a digest that does not fit, everything is.
    assert!(matches!(
        again(&text.replacen("; state 1:", "; state 1 :", 1), &system),
        Err(Refusal::Form(_))
    ));
    // A query less, with a count that fits.
    let queries = parse_conformance(&text).unwrap().queries.len();
    let count = |number: usize| format!("; queries: {number}\n");
    let mut fewer = text
        .replacen(query, "", 1)
        .replacen(&count(queries), &count(queries - 1), 1);
    for number in 3..=queries {
        fewer = fewer.replacen(&format!("; query {number}: "), &format!("; query {}: ", number - 1), 1);
    }
    let said = again(&sealed(&fewer), &system).map(|_| ()).unwrap_err();
    assert!(matches!(said, Refusal::Differences { .. }), "{said:?}");
}

#[test]
fn what_is_cut_off_or_garbled_is_refused() {
    let subject = subject(PROGRAM, SPECIFICATION);
    let system = subject.system(0, true).unwrap();
    let text = certificate_of(&subject, 0, &system, Options::default());
    for part in 0..60 {
        let cut = &text[..text.len() * part / 60];
        assert!(again(cut, &system).is_err(), "{part} of 60 parts");
        assert!(
            again(&sealed(cut), &system).is_err(),
            "{part} of 60 parts, with a digest"
        );
    }
    // Numbers and words of the claim at random places; some of them are refused by a check of their own.
    let mut dice = Rand32::new(7);
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| *line == "; claim").unwrap() + 1;
    let end = lines.iter().position(|line| *line == "; end of the claim").unwrap();
    for _ in 0..400 {
        let mut own: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let at = begin + dice.rand_range(0..u32::try_from(end - begin).unwrap()) as usize;
        let mut words: Vec<String> = own[at].split(' ').map(str::to_owned).collect();
        let word = dice.rand_range(0..u32::try_from(words.len()).unwrap()) as usize;
        match dice.rand_range(0..5) {
            0 => drop(words.remove(word)),
            1 => words[word] = dice.rand_range(0..100).to_string(),
            2 => words[word] = "statement".to_owned(),
            3 => words[word] = "18446744073709551615".to_owned(),
            _ => drop(own.swap_remove(at)),
        }
        if at < own.len() {
            own[at] = words.join(" ");
        }
        let forged = sealed(&format!("{}\n", own.join("\n")));
        if forged != text {
            assert!(again(&forged, &system).is_err(), "{}", own[at]);
        }
    }
}

#[test]
fn certificates_are_of_their_components_only() {
    let mine = subject(PROGRAM, SPECIFICATION);
    let system = mine.system(0, true).unwrap();
    let text = certificate_of(&mine, 0, &system, Options::default());
    // Another constant, another condition, one call less.
    for (from, to) in [
        ("r == 2", "r == 1"),
        ("last == 2", "last != 2"),
        ("send(0)", "(void)0"),
        ("r > 0)", "r >= 0)"),
    ] {
        let other = subject(&PROGRAM.replacen(from, to, 1), SPECIFICATION);
        let other = other.system(0, true).unwrap();
        assert!(again(&text, &other).is_err(), "{to}");
    }
    // Another specification: the same statements, and moves that it does not allow.
    let strict = SPECIFICATION.replacen("none -> S | ", "", 1);
    let other = subject(PROGRAM, &strict);
    let refused = again(&text, &other.system(0, true).unwrap()).map(|_| ());
    assert!(
        matches!(
            refused,
            Err(Refusal::ConfirmationError(ConfirmationError::NotClosed) | Refusal::Differences { .. })
        ),
        "{refused:?}"
    );
    let other = subject(
        PROGRAM,
        &SPECIFICATION.replacen("$0 <= 0", "$0 <= 1", 1).replacen(
            "return {$0 == 1} -> STOP | return {$0 <= 1}",
            "return {$0 <= 1}",
            1,
        ),
    );
    assert!(again(&text, &other.system(0, true).unwrap()).is_err());
}

#[test]
fn components_cannot_change_places() {
    let specification = format!("{SPECIFICATION}\n").replacen(
        "program left { abstract { all, (1), S }; }",
        "program left || right { abstract { all, (1), (1), ANY }; }\n\
         ANY = ( {asked, one, none, stopped} -> ANY | left.return {} -> ANY | right.return {} -> ANY ).",
        1,
    );
    let subject = subject(PROGRAM, &specification);
    let system = subject.system(0, true).unwrap();
    let text = certificate_of(&subject, 0, &system, Options::default());
    let mut claim = again(&text, &system).unwrap().claim;
    claim.components.swap(0, 1);
    let swapped = text
        .replacen("; component 1: left", "; component 1: right", 1)
        .replacen("; component 2: right", "; component 2: left", 1);
    assert!(again(&sealed(&swapped), &system).is_err());
    let other = specification.replacen("left || right", "right || left", 1);
    let other = self::subject(PROGRAM, &other);
    assert!(again(&text, &other.system(0, true).unwrap()).is_err());
}
