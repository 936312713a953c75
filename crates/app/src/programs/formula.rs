//! Formulas over the variables of a program, as C writes them.

use logic::term::as_number;
use logic::traverse::occurrences;
use logic::{Kind, Term};
use system::program::Integer;

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

/// What variables are called.
type Names<'a> = &'a dyn Fn(&str) -> String;

/// Longer formulas are cut off where people read them, before an operator.
const LONGEST: usize = 1_000;
/// Formulas with more parts are not written at all. What shares parts with itself may have more than anyone can write.
const MOST_PARTS: u64 = 20_000;

/// The formula, or a word about it where it is too long.
pub(super) fn formula(term: Term) -> String {
    match is_short(term) {
        true => text(term, Tightness::Choice, &name),
        false => "(a formula too long for C; the certificate has it)".to_owned(),
    }
}

/// Whether it can be written without names for what it shares.
fn is_short(term: Term) -> bool {
    occurrences(term) <= MOST_PARTS
}

/// The beginning of a formula as text, and how many characters there are behind it.
pub(super) fn beginning(mut text: String) -> (String, usize) {
    let cut = text.char_indices().nth(LONGEST).map(|(position, _)| position);
    let Some(cut) = cut.and_then(|cut| text[..cut].rfind(" || ").or_else(|| text[..cut].rfind(' '))) else {
        return (text, 0);
    };
    let rest = text[cut..].chars().count();
    text.truncate(cut);
    (text, rest)
}

/// A variable of C.
pub(super) struct Name {
    pub(super) text: String,
    pub(super) integer: Integer,
}

/// What a formula says as an expression that C evaluates to the same: conjuncts about variables that have names, made
/// wide enough where C would wrap around or convert. None where nothing is left.
pub(super) fn expression(term: Term, names: &dyn Fn(&str) -> Option<Name>) -> Option<String> {
    let conjuncts: Vec<Term> = match term.kind() {
        Kind::And(terms) => terms.to_vec(),
        _ => vec![term],
    };
    let written: Vec<String> = conjuncts
        .into_iter()
        .filter(|conjunct| is_short(*conjunct))
        .filter_map(|conjunct| {
            let is_exact = meant(conjunct, names)?;
            let own = |full: &str| {
                let name = names(full).map_or_else(String::new, |name| name.text);
                if is_exact { name } else { format!("(long long){name}") }
            };
            Some(text(conjunct, Tightness::Equality, &own))
        })
        .collect();
    (!written.is_empty()).then(|| written.join(" && "))
}

/// Whether C means the same by a formula as it stands; where not, it does with wider numbers. None where it does not,
/// or where a variable has no name.
fn meant(term: Term, names: &dyn Fn(&str) -> Option<Name>) -> Option<bool> {
    let all = |terms: &[Term]| {
        let each = terms.iter().map(|term| meant(*term, names));
        each.collect::<Option<Vec<bool>>>()
            .map(|exact| exact.into_iter().all(|exact| exact))
    };
    match term.kind() {
        Kind::Bool(_) => Some(true),
        Kind::Not(inner) => meant(*inner, names),
        Kind::And(terms) | Kind::Or(terms) => all(terms),
        Kind::Implies(a, b) => all(&[*a, *b]),
        Kind::Equal(a, b) | Kind::Less(a, b) | Kind::LessEqual(a, b) => {
            let is_exact = match (variable(*a, names), constant(*b), variable(*b, names), constant(*a)) {
                (Some(name), Some(number), ..) | (_, _, Some(name), Some(number)) => {
                    let is_int = name.integer.bits < 32 || name.integer.is_signed && name.integer.bits == 32;
                    is_int && i32::try_from(number).is_ok() || number >= 0 && i32::try_from(number).is_ok()
                }
                _ => false,
            };
            (is_exact || is_narrow(*a, names) && is_narrow(*b, names)).then_some(is_exact)
        }
        _ => None,
    }
}

fn variable(term: Term, names: &dyn Fn(&str) -> Option<Name>) -> Option<Name> {
    match term.kind() {
        Kind::Apply(function, arguments) if arguments.is_empty() => names(function.name().as_str()),
        _ => None,
    }
}

fn constant(term: Term) -> Option<i64> {
    match term.kind() {
        Kind::Int(value) => i64::try_from(*value).ok(),
        _ => None,
    }
}

/// Whether all numbers in a sum are so small that 64 bits hold it.
fn is_narrow(term: Term, names: &dyn Fn(&str) -> Option<Name>) -> bool {
    let is_small = |term: Term| constant(term).is_some_and(|number| number.unsigned_abs() < 1 << 24);
    match term.kind() {
        Kind::Int(_) => constant(term).is_some_and(|number| number.unsigned_abs() < 1 << 40),
        Kind::Apply(..) => variable(term, names).is_some_and(|name| name.integer.bits <= 32),
        Kind::Add(terms) => terms.len() < 64 && terms.iter().all(|term| is_narrow(*term, names)),
        Kind::Multiply(a, b) => {
            is_small(*a) && variable(*b, names).is_some() && is_narrow(*b, names)
                || is_small(*b) && variable(*a, names).is_some() && is_narrow(*a, names)
        }
        _ => false,
    }
}

fn text(term: Term, outer: Tightness, names: Names) -> String {
    let (written, tightness) = parts(term, names);
    match tightness < outer {
        true => format!("({written})"),
        false => written,
    }
}

fn joined(terms: &[Term], word: &str, tightness: Tightness, names: Names) -> (String, Tightness) {
    let parts: Vec<String> = terms.iter().map(|term| text(*term, next(tightness), names)).collect();
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

fn parts(term: Term, names: Names) -> (String, Tightness) {
    match term.kind() {
        Kind::Bool(value) => (u8::from(*value).to_string(), Tightness::Unary),
        Kind::Int(value) => (value.to_string(), Tightness::Unary),
        Kind::Apply(function, _) => (names(function.name().as_str()), Tightness::Unary),
        Kind::Not(inner) => match inner.kind() {
            Kind::Equal(a, b) => relation(*a, "!=", *b, Tightness::Equality, names),
            Kind::Less(a, b) => relation(*a, ">=", *b, Tightness::Relation, names),
            Kind::LessEqual(a, b) => relation(*a, ">", *b, Tightness::Relation, names),
            _ => (format!("!{}", text(*inner, Tightness::Unary, names)), Tightness::Unary),
        },
        Kind::And(terms) => joined(terms, " && ", Tightness::And, names),
        Kind::Or(terms) => joined(terms, " || ", Tightness::Or, names),
        Kind::Implies(a, b) => {
            let written = format!(
                "{} || {}",
                text(logic::term::not(*a), Tightness::And, names),
                text(*b, Tightness::And, names)
            );
            (written, Tightness::Or)
        }
        Kind::Equal(a, b) => relation(*a, "==", *b, Tightness::Equality, names),
        Kind::Less(a, b) => relation(*a, "<", *b, Tightness::Relation, names),
        Kind::LessEqual(a, b) => relation(*a, "<=", *b, Tightness::Relation, names),
        Kind::Ite(condition, a, b) => {
            let written = [*condition, *a, *b].map(|part| text(part, Tightness::Or, names));
            (
                format!("{} ? {} : {}", written[0], written[1], written[2]),
                Tightness::Choice,
            )
        }
        Kind::Add(terms) => sum(terms, names),
        Kind::Multiply(a, b) => joined(&[*a, *b], " * ", Tightness::Product, names),
        Kind::Divide(a, b) => joined(&[*a, *b], " / ", Tightness::Product, names),
        Kind::Modulo(a, b) => joined(&[*a, *b], " % ", Tightness::Product, names),
        _ => (logic::pretty::pretty(term), Tightness::Choice),
    }
}

fn relation(a: Term, word: &str, b: Term, tightness: Tightness, names: Names) -> (String, Tightness) {
    let inner = next(tightness);
    (
        format!("{} {word} {}", text(a, inner, names), text(b, inner, names)),
        tightness,
    )
}

fn sum(terms: &[Term], names: Names) -> (String, Tightness) {
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
        written.push_str(&text(part, Tightness::Product, names));
    }
    (written, Tightness::Sum)
}

/// Variables of procedures go by their own names: the place of the formula says whose they are.
fn name(full: &str) -> String {
    let own = full.split_once(':').map_or(full, |(_, own)| own);
    own.split_once('#').map_or(own, |(own, _)| own).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_formulas_are_cut_off_before_an_operator() {
        let cases: Vec<String> = (0..500).map(|number| format!("x == {number}")).collect();
        let text = cases.join(" || ");
        let (shown, rest) = beginning(text.clone());
        assert!(shown.len() <= LONGEST && !shown.ends_with(' '));
        assert!(text[shown.len()..].starts_with(" || ") && rest == text.len() - shown.len());
        assert_eq!(beginning("x == 1".to_owned()), ("x == 1".to_owned(), 0));
    }

    #[test]
    fn formulas_that_share_much_are_not_written() {
        let x = logic::Function::constant("x", logic::Sort::Int).apply([]);
        let doubled = (0..100).fold(x, |sum, number| {
            let is_small = logic::term::less(sum, logic::term::int(number));
            logic::term::ite(is_small, logic::term::add([sum, x]), sum)
        });
        let fact = logic::term::equal(doubled, logic::term::int(7));
        assert!(formula(fact).contains("too long"));
        let name = |_: &str| {
            let integer = Integer::new(32, true);
            let text = "x".to_owned();
            Some(Name { text, integer })
        };
        let positive = logic::term::less(logic::term::int(0), x);
        let both = logic::term::and([fact, positive]);
        assert_eq!(expression(both, &name).as_deref(), Some("0 < x"));
    }
}
