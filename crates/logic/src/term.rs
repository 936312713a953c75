//! Hash-consed terms of many-sorted first-order logic with arithmetic, bit-vectors and lists.
//!
//! A [`Term`] is a pointer into a table that only grows: it is `Copy`, equal terms are the same pointer, and reading it
//! takes no lock. The smart constructors perform cheap simplifications (neutral elements, constants, flattening)
//! immediately, so that equal formulas are mostly equal terms.

use crate::bits::{BitOperation, Bits};
use crate::hashing::{FastMap, FastSet, WordHasher};
use crate::order;
pub use crate::rational::Rational;
use crate::sort::{EnumSort, Name, Sort, intern};
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex};

/// A function symbol: a state variable (no parameters), an array (its indices are the parameters), an uninterpreted
/// constant, function or relation. Two symbols are equal if name and signature are.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct Function(&'static (Name, Vec<Sort>, Sort));

/// Interned: the same symbol is the same pointer.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Symbols of one name with different signatures are rare.
impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Function {
    pub fn new(name: impl Into<Name>, parameters: Vec<Sort>, result: Sort) -> Function {
        Function(intern((name.into(), parameters, result)))
    }

    pub fn constant(name: impl Into<Name>, sort: Sort) -> Function {
        Function::new(name, Vec::new(), sort)
    }

    pub fn name(self) -> Name {
        self.0.0
    }

    pub fn parameters(self) -> &'static [Sort] {
        &self.0.1
    }

    pub fn result(self) -> Sort {
        self.0.2
    }

    /// The application of the symbol to its arguments.
    pub fn apply(self, arguments: impl Into<Vec<Term>>) -> Term {
        let arguments = arguments.into();
        debug_assert_eq!(arguments.len(), self.parameters().len(), "arity of {self:?}");
        debug_assert!(
            arguments.iter().zip(self.parameters()).all(|(a, s)| a.sort() == *s),
            "sorts of {self:?}"
        );
        make(Kind::Apply(self, arguments), self.result())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// A variable bound by a quantifier, a rule or an update.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable {
    pub name: Name,
    pub sort: Sort,
}

impl Variable {
    pub fn new(name: impl Into<Name>, sort: Sort) -> Variable {
        Variable {
            name: name.into(),
            sort,
        }
    }

    pub fn term(self) -> Term {
        make(Kind::Variable(self), self.sort)
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
}

/// Operations on lists. The head of the empty list is an arbitrary value; its tail is the empty list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ListOperation {
    /// Appends one element at the end.
    Append,
    Head,
    Tail,
    Length,
}

/// The structure of a term. Invariants: `And` and `Or` have at least two distinct operands, none of the same kind;
/// `Add` has at least two; a constant factor of `Multiply` comes first; the only comparisons are `Less` and
/// `LessEqual`; division and modulo are SMT-LIB's (Euclidean).
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    Bool(bool),
    Int(i128),
    Real(Rational),
    BitVector(Bits),
    /// The value of an enumerated sort with this position.
    Enumerator(EnumSort, u32),
    EmptyList(Sort),
    Variable(Variable),
    Apply(Function, Vec<Term>),
    Not(Term),
    And(Vec<Term>),
    Or(Vec<Term>),
    Implies(Term, Term),
    /// On Booleans this is "if and only if".
    Equal(Term, Term),
    Ite(Term, Term, Term),
    Less(Term, Term),
    LessEqual(Term, Term),
    Add(Vec<Term>),
    Multiply(Term, Term),
    Divide(Term, Term),
    Modulo(Term, Term),
    List(ListOperation, Vec<Term>),
    /// On bit-vectors; see [`crate::bits`].
    Bits(BitOperation, Vec<Term>),
    Quantified(Quantifier, Vec<Variable>, Term),
}

struct Node {
    /// A hash of the structure, not of an address or age, so that hash tables behave the same in every process.
    hash: u64,
    /// The height of the term.
    depth: u32,
    has_quantifier: bool,
    sort: Sort,
    kind: Kind,
    /// Sorted, without duplicates.
    free_variables: &'static [Variable],
}

/// A hash-consed term; see the module documentation.
#[derive(Clone, Copy)]
pub struct Term(&'static Node);

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Term {
    pub fn kind(self) -> &'static Kind {
        &self.0.kind
    }

    pub fn sort(self) -> Sort {
        self.0.sort
    }

    /// The height of the term as a tree. Recursive algorithms use it to protect the stack.
    pub fn depth(self) -> u32 {
        self.0.depth
    }

    /// Whether a quantifier occurs anywhere in the term.
    pub fn has_quantifier(self) -> bool {
        self.0.has_quantifier
    }

    /// The free variables of the term, sorted.
    pub fn free_variables(self) -> &'static [Variable] {
        self.0.free_variables
    }

    pub fn is_true(self) -> bool {
        matches!(self.kind(), Kind::Bool(true))
    }

    pub fn is_false(self) -> bool {
        matches!(self.kind(), Kind::Bool(false))
    }

    /// Whether the term is a literal: distinct literals of one sort are never equal.
    pub fn is_value(self) -> bool {
        matches!(
            self.kind(),
            Kind::Bool(_)
                | Kind::Int(_)
                | Kind::Real(_)
                | Kind::BitVector(_)
                | Kind::Enumerator(..)
                | Kind::EmptyList(_)
        )
    }

    /// The direct children.
    pub fn children(self) -> Vec<Term> {
        let mut children = Vec::new();
        self.for_each_child(|child| children.push(child));
        children
    }

    /// Calls `visit` with each child, from left to right.
    pub fn for_each_child(self, visit: impl FnMut(Term)) {
        self.kind().for_each_child(visit);
    }
}

impl Kind {
    fn for_each_child(&self, mut visit: impl FnMut(Term)) {
        match self {
            Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVector(_) | Kind::Enumerator(..) => {}
            Kind::EmptyList(_) | Kind::Variable(_) => {}
            Kind::Apply(_, terms)
            | Kind::And(terms)
            | Kind::Or(terms)
            | Kind::Add(terms)
            | Kind::List(_, terms)
            | Kind::Bits(_, terms) => {
                terms.iter().copied().for_each(visit);
            }
            Kind::Not(a) | Kind::Quantified(_, _, a) => visit(*a),
            Kind::Implies(a, b)
            | Kind::Equal(a, b)
            | Kind::Less(a, b)
            | Kind::LessEqual(a, b)
            | Kind::Multiply(a, b)
            | Kind::Divide(a, b)
            | Kind::Modulo(a, b) => [*a, *b].into_iter().for_each(visit),
            Kind::Ite(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
        }
    }
}

/// The free variables of a term of this kind, sorted. They mostly equal those of one child, whose slice is then shared.
fn free_variables_of(kind: &Kind) -> &'static [Variable] {
    let collected: Vec<Variable> = match kind {
        Kind::Variable(variable) => vec![*variable],
        Kind::Quantified(_, bound, body) => body
            .free_variables()
            .iter()
            .filter(|variable| !bound.contains(variable))
            .copied()
            .collect(),
        _ => {
            let mut widest: &'static [Variable] = &[];
            kind.for_each_child(|child| {
                if child.free_variables().len() > widest.len() {
                    widest = child.free_variables();
                }
            });
            let mut others = BTreeSet::new();
            kind.for_each_child(|child| {
                let variables = child.free_variables();
                if !std::ptr::eq(variables, widest) {
                    others.extend(
                        variables
                            .iter()
                            .filter(|variable| widest.binary_search(variable).is_err()),
                    );
                }
            });
            if others.is_empty() {
                return widest;
            }
            others.extend(widest);
            others.into_iter().collect()
        }
    };
    if collected.is_empty() {
        &[]
    } else {
        intern(collected).as_slice()
    }
}

static TERMS: LazyLock<Mutex<FastMap<&'static Kind, Term>>> = LazyLock::new(Mutex::default);

/// The number of terms in the table: all that the process ever created.
pub fn count() -> usize {
    let terms = TERMS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    terms.len()
}

pub(crate) fn make(kind: Kind, sort: Sort) -> Term {
    let mut terms = TERMS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(&term) = terms.get(&kind) {
        return term;
    }
    let mut hasher = WordHasher::default();
    kind.hash(&mut hasher);
    let mut depth: u32 = 0;
    let mut has_quantifier = matches!(kind, Kind::Quantified(..));
    kind.for_each_child(|child| {
        depth = depth.max(child.depth());
        has_quantifier |= child.has_quantifier();
    });
    let free_variables = free_variables_of(&kind);
    let node: &'static Node = Box::leak(Box::new(Node {
        hash: hasher.finish(),
        depth: depth.saturating_add(1),
        has_quantifier,
        sort,
        kind,
        free_variables,
    }));
    terms.insert(&node.kind, Term(node));
    Term(node)
}

pub fn bool(value: bool) -> Term {
    make(Kind::Bool(value), Sort::Bool)
}

pub fn int(value: i128) -> Term {
    make(Kind::Int(value), Sort::Int)
}

pub fn real(value: Rational) -> Term {
    make(Kind::Real(value), Sort::Real)
}

/// The value of an enumerated sort with the given position.
pub fn enumerator(sort: EnumSort, position: usize) -> Term {
    debug_assert!(position < sort.values().len());
    make(Kind::Enumerator(sort, position as u32), Sort::Enum(sort))
}

pub fn empty_list(element: Sort) -> Term {
    let sort = Sort::list(element);
    make(Kind::EmptyList(sort), sort)
}

pub fn not(a: Term) -> Term {
    match a.kind() {
        Kind::Bool(value) => bool(!value),
        Kind::Not(inner) => *inner,
        _ => make(Kind::Not(a), Sort::Bool),
    }
}

pub fn and(operands: impl IntoIterator<Item = Term>) -> Term {
    connective(operands, true)
}

/// The conjuncts of a term: the term itself if it is no conjunction, and none if it is true.
pub fn conjuncts(term: Term) -> Vec<Term> {
    match term.kind() {
        Kind::And(operands) => operands.clone(),
        Kind::Bool(true) => Vec::new(),
        _ => vec![term],
    }
}

pub fn or(operands: impl IntoIterator<Item = Term>) -> Term {
    connective(operands, false)
}

/// `And` for `unit` true, `Or` for false: flattens, drops neutral elements and duplicates, and detects `a` beside `not
/// a`.
fn connective(operands: impl IntoIterator<Item = Term>, unit: bool) -> Term {
    let mut flat: Vec<Term> = Vec::new();
    // The operands, and the arguments of negated operands.
    let (mut seen, mut seen_negated) = (FastSet::default(), FastSet::default());
    let mut pending: Vec<Term> = operands.into_iter().collect();
    pending.reverse();
    while let Some(term) = pending.pop() {
        match term.kind() {
            Kind::Bool(value) if *value == unit => {}
            Kind::Bool(_) => return bool(!unit),
            Kind::And(inner) if unit => pending.extend(inner.iter().rev()),
            Kind::Or(inner) if !unit => pending.extend(inner.iter().rev()),
            _ => {
                let clash = match term.kind() {
                    Kind::Not(inner) => {
                        seen_negated.insert(*inner);
                        seen.contains(inner)
                    }
                    _ => seen_negated.contains(&term),
                };
                if clash {
                    return bool(!unit);
                }
                if seen.insert(term) {
                    flat.push(term);
                }
            }
        }
    }
    match flat.len() {
        0 => bool(unit),
        1 => flat[0],
        _ if unit => make(Kind::And(flat), Sort::Bool),
        _ => make(Kind::Or(flat), Sort::Bool),
    }
}

pub fn implies(a: Term, b: Term) -> Term {
    if a.is_true() {
        b
    } else if a.is_false() || b.is_true() || a == b {
        bool(true)
    } else if b.is_false() {
        not(a)
    } else {
        make(Kind::Implies(a, b), Sort::Bool)
    }
}

pub fn equal(a: Term, b: Term) -> Term {
    debug_assert_eq!(a.sort(), b.sort(), "{a:?} = {b:?}");
    if a == b {
        return bool(true);
    }
    // Ill-sorted terms are left for the solvers to reject.
    if a.is_value() && b.is_value() && a.sort() == b.sort() {
        return bool(false);
    }
    for (x, y) in [(a, b), (b, a)] {
        match x.kind() {
            Kind::Bool(true) => return y,
            Kind::Bool(false) => return not(y),
            _ => {}
        }
    }
    let [a, b] = order::sides(a, b);
    make(Kind::Equal(a, b), Sort::Bool)
}

pub fn distinct(a: Term, b: Term) -> Term {
    not(equal(a, b))
}

pub fn ite(condition: Term, then: Term, otherwise: Term) -> Term {
    debug_assert_eq!(then.sort(), otherwise.sort());
    if condition.is_true() || then == otherwise {
        return then;
    }
    if condition.is_false() {
        return otherwise;
    }
    if let Kind::Not(inner) = condition.kind() {
        return ite(*inner, otherwise, then);
    }
    if then.sort() == Sort::Bool {
        match (then.kind(), otherwise.kind()) {
            (Kind::Bool(true), _) => return or([condition, otherwise]),
            (Kind::Bool(false), _) => return and([not(condition), otherwise]),
            (_, Kind::Bool(true)) => return implies(condition, then),
            (_, Kind::Bool(false)) => return and([condition, then]),
            _ => {}
        }
    }
    make(Kind::Ite(condition, then, otherwise), then.sort())
}

pub fn less(a: Term, b: Term) -> Term {
    match (a.kind(), b.kind()) {
        _ if a == b => bool(false),
        (Kind::Int(x), Kind::Int(y)) => bool(x < y),
        (Kind::Real(x), Kind::Real(y)) => bool(x < y),
        _ => make(Kind::Less(a, b), Sort::Bool),
    }
}

pub fn less_equal(a: Term, b: Term) -> Term {
    match (a.kind(), b.kind()) {
        _ if a == b => bool(true),
        (Kind::Int(x), Kind::Int(y)) => bool(x <= y),
        (Kind::Real(x), Kind::Real(y)) => bool(x <= y),
        _ => make(Kind::LessEqual(a, b), Sort::Bool),
    }
}

/// The literal as a term of sort `Int` or `Real`; `None` for a fraction of sort `Int`.
pub fn number(value: Rational, sort: Sort) -> Option<Term> {
    match sort {
        Sort::Real => Some(real(value)),
        _ if value.denominator == 1 => Some(int(value.numerator)),
        _ => None,
    }
}

/// The value of a numeric literal.
pub fn as_number(term: Term) -> Option<Rational> {
    match term.kind() {
        Kind::Int(value) => Some(Rational::from_integer(*value)),
        Kind::Real(value) => Some(*value),
        _ => None,
    }
}

/// The sum: collects like terms and puts the constant last. The empty sum is the integer 0.
///
/// No operand of a sum is itself a sum or occurs twice; otherwise a variable that is repeatedly added to itself would
/// grow without bound.
pub fn add(operands: impl IntoIterator<Item = Term>) -> Term {
    let mut pending: Vec<Term> = operands.into_iter().collect();
    pending.reverse();
    let sort = pending.first().map_or(Sort::Int, |t| t.sort());
    let mut constant = Rational::ZERO;
    let mut multiples = Multiples::default();
    // Coefficients that overflow are left to the solver.
    let mut apart = Vec::new();
    while let Some(term) = pending.pop() {
        match (term.kind(), as_number(term)) {
            (Kind::Add(inner), _) => pending.extend(inner.iter().rev()),
            (_, Some(value)) => match constant.checked_add(value) {
                Some(sum) => constant = sum,
                None => apart.push(term),
            },
            _ => {
                if !multiples.add(term) {
                    apart.push(term);
                }
            }
        }
    }
    let is_left = |(_, factor): &(Term, Rational)| !factor.is_zero();
    let multiples = multiples.factors.into_iter().filter(is_left);
    let product = |(term, factor)| number(factor, sort).map_or(term, |factor| multiply(factor, term));
    let mut flat: Vec<Term> = multiples.map(product).chain(apart).collect();
    if (!constant.is_zero() || flat.is_empty())
        && let Some(constant) = number(constant, sort)
    {
        flat.push(constant);
    }
    if flat.len() == 1 {
        flat[0]
    } else {
        make(Kind::Add(flat), sort)
    }
}

/// Terms with their coefficients, in insertion order.
#[derive(Default)]
struct Multiples {
    factors: Vec<(Term, Rational)>,
    /// An index into the list, once it is long.
    places: FastMap<Term, usize>,
}

impl Multiples {
    const SHORT: usize = 8;

    /// False on overflow.
    fn add(&mut self, multiple: Term) -> bool {
        let (term, factor) = match multiple.kind() {
            Kind::Multiply(a, b) => match as_number(*a) {
                Some(factor) => (*b, factor),
                None => (multiple, Rational::ONE),
            },
            _ => (multiple, Rational::ONE),
        };
        let place = if self.factors.len() < Self::SHORT {
            self.factors.iter().position(|(known, _)| *known == term)
        } else {
            if self.places.is_empty() {
                self.places = self.factors.iter().enumerate().map(|(n, (t, _))| (*t, n)).collect();
            }
            self.places.get(&term).copied()
        };
        let Some(place) = place else {
            if !self.places.is_empty() {
                self.places.insert(term, self.factors.len());
            }
            self.factors.push((term, factor));
            return true;
        };
        let known = &mut self.factors[place].1;
        known.checked_add(factor).map(|sum| *known = sum).is_some()
    }
}

/// The product: folds constants, and puts a constant factor first, or distributes it over a sum.
pub fn multiply(a: Term, b: Term) -> Term {
    let (a, b) = if as_number(b).is_some() { (b, a) } else { (a, b) };
    let Some(factor) = as_number(a) else {
        return make(Kind::Multiply(a, b), a.sort());
    };
    if factor.is_zero() {
        return a;
    }
    if factor == Rational::ONE {
        return b;
    }
    if let Kind::Add(operands) = b.kind() {
        return add(operands.iter().map(|operand| multiply(a, *operand)));
    }
    let times = |other: Term| number(factor.checked_mul(as_number(other)?)?, a.sort());
    let product = match b.kind() {
        Kind::Multiply(inner, term) => times(*inner).map(|factor| multiply(factor, *term)),
        _ => times(b),
    };
    product.unwrap_or_else(|| make(Kind::Multiply(a, b), a.sort()))
}

pub fn negate(a: Term) -> Term {
    let minus_one = Rational::from_integer(-1);
    multiply(
        if a.sort() == Sort::Real {
            real(minus_one)
        } else {
            int(-1)
        },
        a,
    )
}

pub fn subtract(a: Term, b: Term) -> Term {
    match a.sort() {
        Sort::Real if a == b => real(Rational::ZERO),
        _ if a == b => int(0),
        _ => add([a, negate(b)]),
    }
}

/// SMT-LIB's `div` on integers, `/` on reals. Division by zero is an arbitrary function of the dividend.
pub fn divide(a: Term, b: Term) -> Term {
    let quotient = match (a.kind(), b.kind()) {
        (Kind::Int(x), Kind::Int(y)) => x.checked_div_euclid(*y).map(int),
        (Kind::Real(x), Kind::Real(y)) => x.checked_div(*y).map(real),
        (_, Kind::Int(1)) => Some(a),
        (_, Kind::Real(value)) if *value == Rational::ONE => Some(a),
        _ => None,
    };
    quotient.unwrap_or_else(|| make(Kind::Divide(a, b), a.sort()))
}

/// SMT-LIB's `mod`, which is never negative. Modulo zero is an arbitrary function of the dividend.
pub fn modulo(a: Term, b: Term) -> Term {
    let remainder = match (a.kind(), b.kind()) {
        (Kind::Int(x), Kind::Int(y)) => x.checked_rem_euclid(*y).map(int),
        (_, Kind::Int(1 | -1)) => Some(int(0)),
        _ => None,
    };
    remainder.unwrap_or_else(|| make(Kind::Modulo(a, b), Sort::Int))
}

/// Appends an element at the end of a list.
pub fn append(list: Term, element: Term) -> Term {
    make(Kind::List(ListOperation::Append, vec![list, element]), list.sort())
}

/// The first element.
pub fn head(list: Term) -> Term {
    let element = match list.sort() {
        Sort::List(element) => *element,
        other => other,
    };
    make(Kind::List(ListOperation::Head, vec![list]), element)
}

/// All but the first element.
pub fn tail(list: Term) -> Term {
    make(Kind::List(ListOperation::Tail, vec![list]), list.sort())
}

pub fn length(list: Term) -> Term {
    let (mut rest, mut appended) = (list, 0);
    while let Kind::List(ListOperation::Append, parts) = rest.kind() {
        rest = parts[0];
        appended += 1;
    }
    let rest = match rest.kind() {
        Kind::EmptyList(_) => int(0),
        _ => make(Kind::List(ListOperation::Length, vec![rest]), Sort::Int),
    };
    add([rest, int(appended)])
}

pub fn forall(variables: impl Into<Vec<Variable>>, body: Term) -> Term {
    quantified(Quantifier::Forall, variables, body)
}

pub fn exists(variables: impl Into<Vec<Variable>>, body: Term) -> Term {
    quantified(Quantifier::Exists, variables, body)
}

/// Drops the quantifier if it binds nothing (sorts are never empty) and merges it with a nested one of its kind.
pub fn quantified(quantifier: Quantifier, variables: impl Into<Vec<Variable>>, body: Term) -> Term {
    let mut variables: Vec<Variable> = variables.into();
    let mut body = body;
    if let Kind::Quantified(inner, more, inner_body) = body.kind()
        && *inner == quantifier
    {
        variables.retain(|v| !more.contains(v));
        variables.extend(more);
        body = *inner_body;
    }
    let mut bound = BTreeSet::new();
    variables.retain(|v| body.free_variables().binary_search(v).is_ok() && bound.insert(*v));
    if variables.is_empty() {
        body
    } else {
        make(Kind::Quantified(quantifier, variables, body), Sort::Bool)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", crate::smtlib::TermText(*self))
    }
}
