//! Rules for lists.

use crate::rational::Rational;
use crate::sort::Sort;
use crate::term::{self, Kind, ListOperation, Term, and, append, empty_list, equal, head, tail};

/// The list and the element appended to it.
fn as_append(list: Term) -> Option<(Term, Term)> {
    match list.kind() {
        Kind::List(ListOperation::Append, parts) => Some((parts[0], parts[1])),
        _ => None,
    }
}

fn is_empty_list(list: Term) -> bool {
    matches!(list.kind(), Kind::EmptyList(_))
}

/// Whether the list is visibly non-empty: an element was appended to it.
fn is_visibly_longer(list: Term) -> bool {
    as_append(list).is_some()
}

/// - `head([] ++ x)` is `x`; `head(l ++ x ++ y)` is `head(l ++ x)`.
/// - `tail([])` and `tail([] ++ x)` are `[]`; `tail(l ++ x ++ y)` is `tail(l ++ x) ++ y`.
pub(super) fn head_or_tail_of_append(term: Term) -> Option<Term> {
    let Kind::List(operation, parts) = term.kind() else {
        return None;
    };
    match (operation, parts.as_slice()) {
        (ListOperation::Head, [list]) => {
            let (rest, element) = as_append(*list)?;
            if is_empty_list(rest) {
                return Some(element);
            }
            let mut first = rest;
            while let Some((shorter, _)) = as_append(first).filter(|(shorter, _)| is_visibly_longer(*shorter)) {
                first = shorter;
            }
            is_visibly_longer(first).then(|| head(first))
        }
        (ListOperation::Tail, [list]) if is_empty_list(*list) => Some(*list),
        (ListOperation::Tail, [list]) => {
            let mut appended = Vec::new();
            let mut first = *list;
            while let Some((shorter, element)) = as_append(first).filter(|(shorter, _)| is_visibly_longer(*shorter)) {
                appended.push(element);
                first = shorter;
            }
            let base = match as_append(first) {
                Some((rest, _)) if is_empty_list(rest) => rest,
                _ => tail(first),
            };
            Some(appended.into_iter().rev().fold(base, append))
        }
        _ => None,
    }
}

/// - `l ++ x = []` is false.
/// - `l ++ x = k ++ y` is `l = k and x = y`.
/// - `l = l ++ x` is false, however many elements are appended.
pub(super) fn equal_lists(term: Term) -> Option<Term> {
    let Kind::Equal(a, b) = term.kind() else { return None };
    for (short, long) in [(*a, *b), (*b, *a)] {
        let mut rest = long;
        while let Some((shorter, _)) = as_append(rest) {
            rest = shorter;
            if rest == short {
                return Some(term::bool(false));
            }
        }
        if is_empty_list(short) && is_visibly_longer(long) {
            return Some(term::bool(false));
        }
    }
    let ((list, element), (other_list, other_element)) = (as_append(*a)?, as_append(*b)?);
    Some(and([equal(list, other_list), equal(element, other_element)]))
}

/// A length is never negative, and `length(l) <= 0`, `length(l) < 1` or `length(l) = 0` is `l = []`.
pub(super) fn compare_length(term: Term) -> Option<Term> {
    let (list, number) = match term.kind() {
        Kind::LessEqual(a, b) => (length_of(*a)?, term::as_number(*b)?),
        Kind::Less(a, b) => (
            length_of(*a)?,
            term::as_number(*b)?.checked_add(Rational::from_integer(-1))?,
        ),
        Kind::Equal(a, b) if term::as_number(*b).is_some() => (length_of(*a)?, term::as_number(*b)?),
        Kind::Equal(a, b) => (length_of(*b)?, term::as_number(*a)?),
        _ => return None,
    };
    match number.numerator.signum() {
        -1 => Some(term::bool(false)),
        0 => match list.sort() {
            Sort::List(element) => Some(equal(list, empty_list(*element))),
            _ => None,
        },
        _ => None,
    }
}

fn length_of(term: Term) -> Option<Term> {
    match term.kind() {
        Kind::List(ListOperation::Length, parts) => Some(parts[0]),
        _ => None,
    }
}
