//! Formulas over the variables of a program, as C writes them.

use logic::term::as_number;
use logic::{Kind, Term};

/// How tightly operators bind, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Choice,
    Or,
    And,
    Equality,
    Relation,
    Sum,
    Product,
    Unary,
}

pub(super) fn formula(term: Term) -> String {
    text(term, Tightness::Choice)
}

fn text(term: Term, outer: Tightness) -> String {
    let (written, tightness) = parts(term);
    match tightness < outer {
        true => format!("({written})"),
        false => written,
    }
}

fn joined(terms: &[Term], word: &str, tightness: Tightness) -> (String, Tightness) {
    let parts: Vec<String> = terms.iter().map(|term| text(*term, next(tightness))).collect();
    (parts.join(word), tightness)
}

fn next(tightness: Tightness) -> Tightness {
    match tightness {
        Tightness::Choice => Tightness::Or,
        Tightness::Or => Tightness::And,
        Tightness::And => Tightness::Equality,
        Tightness::Equality => Tightness::Relation,
        Tightness::Relation => Tightness::Sum,
        Tightness::Sum => Tightness::Product,
        Tightness::Product | Tightness::Unary => Tightness::Unary,
    }
}

fn parts(term: Term) -> (String, Tightness) {
    match term.kind() {
        Kind::Bool(value) => (u8::from(*value).to_string(), Tightness::Unary),
        Kind::Int(value) => (value.to_string(), Tightness::Unary),
        Kind::Apply(function, _) => (name(function.name().as_str()), Tightness::Unary),
        Kind::Not(inner) => match inner.kind() {
            Kind::Equal(a, b) => relation(*a, "!=", *b, Tightness::Equality),
            Kind::Less(a, b) => relation(*a, ">=", *b, Tightness::Relation),
            Kind::LessEqual(a, b) => relation(*a, ">", *b, Tightness::Relation),
            _ => (format!("!{}", text(*inner, Tightness::Unary)), Tightness::Unary),
        },
        Kind::And(terms) => joined(terms, " && ", Tightness::And),
        Kind::Or(terms) => joined(terms, " || ", Tightness::Or),
        Kind::Implies(a, b) => {
            let written = format!(
                "{} || {}",
                text(logic::term::not(*a), Tightness::And),
                text(*b, Tightness::And)
            );
            (written, Tightness::Or)
        }
        Kind::Equal(a, b) => relation(*a, "==", *b, Tightness::Equality),
        Kind::Less(a, b) => relation(*a, "<", *b, Tightness::Relation),
        Kind::LessEqual(a, b) => relation(*a, "<=", *b, Tightness::Relation),
        Kind::Ite(condition, a, b) => {
            let written = [*condition, *a, *b].map(|part| text(part, Tightness::Or));
            (
                format!("{} ? {} : {}", written[0], written[1], written[2]),
                Tightness::Choice,
            )
        }
        Kind::Add(terms) => sum(terms),
        Kind::Multiply(a, b) => joined(&[*a, *b], " * ", Tightness::Product),
        Kind::Divide(a, b) => joined(&[*a, *b], " / ", Tightness::Product),
        Kind::Modulo(a, b) => joined(&[*a, *b], " % ", Tightness::Product),
        _ => (logic::pretty::pretty(term), Tightness::Choice),
    }
}

fn relation(a: Term, word: &str, b: Term, tightness: Tightness) -> (String, Tightness) {
    let inner = next(tightness);
    (format!("{} {word} {}", text(a, inner), text(b, inner)), tightness)
}

fn sum(terms: &[Term]) -> (String, Tightness) {
    let mut written = String::new();
    for (number, term) in terms.iter().enumerate() {
        let negated = match term.kind() {
            Kind::Int(value) if *value < 0 => Some(logic::term::int(-value)),
            Kind::Multiply(factor, _) if as_number(*factor).is_some_and(|factor| factor.numerator < 0) => {
                Some(logic::term::negate(*term))
            }
            _ => None,
        };
        let (sign, part) = match (negated, number) {
            (Some(part), 0) => ("-", part),
            (Some(part), _) => (" - ", part),
            (None, 0) => ("", *term),
            (None, _) => (" + ", *term),
        };
        written.push_str(sign);
        written.push_str(&text(part, Tightness::Product));
    }
    (written, Tightness::Sum)
}

/// Variables of procedures go by their own names: the place of the formula says whose they are.
fn name(full: &str) -> String {
    let own = full.split_once(':').map_or(full, |(_, own)| own);
    own.split_once('#').map_or(own, |(own, _)| own).to_owned()
}
