//! Terms as SMT-LIB text of linear size: `let` names each sub-term that occurs more than once.
//!
//! A scope is the whole term or the body of a quantifier. A shared sub-term gets its `let` at the start of the
//! innermost scope that binds one of its variables. The names of one scope form layers, each of which uses earlier
//! layers only, so that nesting grows with the depth of sharing and not with its amount. Nothing here is recursive:
//! terms may be arbitrarily deep.

use super::symbols::{Symbols, let_name};
use crate::bits::BitOperation;
use crate::hashing::FastMap;
use crate::rational::Rational;
use crate::sort::Sort;
use crate::term::{Kind, ListOperation, Quantifier, Term, Variable};
use crate::traverse::post_order;

/// Sub-terms of at most this many symbols are repeated rather than named, which is easier to read.
const REPEATED_SIZE: u64 = 8;

/// Writes the term, choosing symbols as needed.
pub(super) fn print(term: Term, symbols: &mut Symbols) -> String {
    let mut printer = Printer {
        symbols,
        sizes: printed_sizes(term),
        scopes: Vec::new(),
        text: String::new(),
        names: 0,
        todo: Vec::new(),
    };
    printer.open_scope(&[], term);
    while let Some(piece) = printer.todo.pop() {
        printer.piece(piece);
    }
    printer.text
}

/// The number of symbols that each sub-term prints as without sharing.
fn printed_sizes(term: Term) -> FastMap<Term, u64> {
    let mut sizes: FastMap<Term, u64> = FastMap::default();
    for inner in post_order(term, true) {
        let mut size: u64 = 1;
        inner.for_each_child(|child| size = size.saturating_add(sizes.get(&child).copied().unwrap_or(1)));
        if let Kind::List(ListOperation::Tail, _) = inner.kind() {
            // The operand is printed twice.
            size = size.saturating_mul(2);
        }
        sizes.insert(inner, size);
    }
    sizes
}

struct Scope {
    bound: Vec<Variable>,
    /// The names of shared sub-terms.
    lets: FastMap<Term, String>,
}

/// A pending output item.
enum Piece {
    Fixed(&'static str),
    Text(String),
    /// By name if it has one.
    Term(Term),
    /// In full even if it has a name: the definition of that name.
    Definition(Term),
    CloseScope,
}

struct Printer<'a> {
    symbols: &'a mut Symbols,
    sizes: FastMap<Term, u64>,
    /// From the outermost to the current scope.
    scopes: Vec<Scope>,
    text: String,
    /// The number of names allocated so far.
    names: usize,
    /// A stack: the next item is last.
    todo: Vec<Piece>,
}

impl Printer<'_> {
    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Fixed(text) => self.text.push_str(text),
            Piece::Text(text) => self.text.push_str(&text),
            Piece::CloseScope => {
                self.scopes.pop();
            }
            Piece::Term(term) => match self.name_of(term) {
                Some(name) => {
                    let name = name.to_owned();
                    self.text.push_str(&name);
                }
                None => self.full(term),
            },
            Piece::Definition(term) => self.full(term),
        }
    }

    /// The name that the scope of the term gave it.
    fn name_of(&self, term: Term) -> Option<&str> {
        let free = term.free_variables();
        let depends = |scope: &Scope| scope.bound.iter().any(|variable| free.binary_search(variable).is_ok());
        let home = self.scopes.iter().rposition(depends).unwrap_or(0);
        self.scopes.get(home)?.lets.get(&term).map(String::as_str)
    }

    /// Schedules items to be printed next, in this order.
    fn plan(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        let first = self.todo.len();
        self.todo.extend(pieces);
        self.todo[first..].reverse();
    }

    /// Schedules the body of a scope after the names of its shared sub-terms.
    fn open_scope(&mut self, bound: &[Variable], body: Term) {
        let layers = Sharing::of(self, bound, body).layers();
        let mut pieces = Vec::new();
        let mut lets = FastMap::default();
        for layer in &layers {
            pieces.push(Piece::Fixed("(let ("));
            for (position, term) in layer.iter().enumerate() {
                self.names += 1;
                let name = let_name(self.names);
                let separator = if position == 0 { "" } else { " " };
                pieces.push(Piece::Text(format!("{separator}({name} ")));
                pieces.push(Piece::Definition(*term));
                pieces.push(Piece::Fixed(")"));
                lets.insert(*term, name);
            }
            pieces.push(Piece::Fixed(") "));
        }
        self.scopes.push(Scope {
            bound: bound.to_vec(),
            lets,
        });
        pieces.push(Piece::Term(body));
        pieces.extend(layers.iter().map(|_| Piece::Fixed(")")));
        pieces.push(Piece::CloseScope);
        self.plan(pieces);
    }

    fn full(&mut self, term: Term) {
        match term.kind() {
            Kind::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Kind::Int(value) => self
                .text
                .push_str(&signed(*value < 0, value.unsigned_abs().to_string())),
            Kind::Real(value) => self.text.push_str(&real(*value)),
            Kind::BitVector(bits) => self
                .text
                .push_str(&format!("(_ bv{} {})", bits.unsigned(), bits.width())),
            Kind::Enumerator(sort, position) => {
                let symbol = self.symbols.enumerator(*sort, *position);
                self.text.push_str(&symbol);
            }
            Kind::EmptyList(sort) => {
                let sort = self.symbols.sort(*sort);
                self.text.push_str(&format!("(as seq.empty {sort})"));
            }
            Kind::Variable(variable) => {
                let symbol = self.symbols.variable(*variable);
                self.text.push_str(&symbol);
            }
            Kind::Apply(function, arguments) => {
                let symbol = self.symbols.function(*function);
                if arguments.is_empty() {
                    self.text.push_str(&symbol);
                } else if self.symbols.is_array(*function) {
                    self.selection(&symbol, arguments);
                } else {
                    self.application(&symbol, arguments);
                }
            }
            Kind::Quantified(quantifier, variables, body) => {
                self.quantified(*quantifier, variables);
                self.todo.push(Piece::Fixed(")"));
                self.open_scope(variables, *body);
            }
            Kind::List(operation, operands) => self.list(*operation, operands),
            Kind::Bits(operation, operands) => self.application(&indexed(*operation), operands),
            _ => self.application(operator(term), &term.children()),
        }
    }

    fn application(&mut self, symbol: &str, arguments: &[Term]) {
        self.text.push('(');
        self.text.push_str(symbol);
        let arguments: Vec<Term> = arguments.to_vec();
        let pieces = arguments
            .into_iter()
            .flat_map(|argument| [Piece::Fixed(" "), Piece::Term(argument)]);
        self.plan(pieces.chain([Piece::Fixed(")")]));
    }

    /// `a(x, y)` for an array is `(select (select a x) y)`.
    fn selection(&mut self, array: &str, arguments: &[Term]) {
        self.text.push_str(&"(select ".repeat(arguments.len()));
        self.text.push_str(array);
        let arguments: Vec<Term> = arguments.to_vec();
        let pieces = arguments
            .into_iter()
            .flat_map(|argument| [Piece::Fixed(" "), Piece::Term(argument), Piece::Fixed(")")]);
        self.plan(pieces);
    }

    fn quantified(&mut self, quantifier: Quantifier, variables: &[Variable]) {
        self.text.push_str(if quantifier == Quantifier::Forall {
            "(forall ("
        } else {
            "(exists ("
        });
        for (position, variable) in variables.iter().enumerate() {
            let separator = if position == 0 { "" } else { " " };
            let (symbol, sort) = (self.symbols.variable(*variable), self.symbols.sort(variable.sort));
            self.text.push_str(&format!("{separator}({symbol} {sort})"));
        }
        self.text.push_str(") ");
    }

    /// Lists are sequences. The tail is the subsequence from position 1; extracting more than there is is allowed.
    fn list(&mut self, operation: ListOperation, operands: &[Term]) {
        let list = operands[0];
        let pieces = match operation {
            ListOperation::Append => vec![
                Piece::Fixed("(seq.++ "),
                Piece::Term(list),
                Piece::Fixed(" (seq.unit "),
                Piece::Term(operands[1]),
                Piece::Fixed("))"),
            ],
            ListOperation::Head => vec![Piece::Fixed("(seq.nth "), Piece::Term(list), Piece::Fixed(" 0)")],
            ListOperation::Tail => vec![
                Piece::Fixed("(seq.extract "),
                Piece::Term(list),
                Piece::Fixed(" 1 (seq.len "),
                Piece::Term(list),
                Piece::Fixed("))"),
            ],
            ListOperation::Length => vec![Piece::Fixed("(seq.len "), Piece::Term(list), Piece::Fixed(")")],
        };
        self.plan(pieces);
    }
}

/// The operator of a term that prints as operator and operands.
fn operator(term: Term) -> &'static str {
    match term.kind() {
        Kind::Not(_) => "not",
        Kind::And(_) => "and",
        Kind::Or(_) => "or",
        Kind::Implies(..) => "=>",
        Kind::Equal(..) => "=",
        Kind::Ite(..) => "ite",
        Kind::Less(..) => "<",
        Kind::LessEqual(..) => "<=",
        Kind::Add(_) => "+",
        Kind::Multiply(..) => "*",
        Kind::Divide(..) if term.sort() == Sort::Real => "/",
        Kind::Divide(..) => "div",
        // The callers handle every other kind.
        _ => "mod",
    }
}

/// The name of an operation with its indices.
fn indexed(operation: BitOperation) -> String {
    let symbol = operation.symbol();
    match operation {
        BitOperation::Extract { high, low } => format!("(_ {symbol} {high} {low})"),
        BitOperation::ZeroExtend(by) | BitOperation::SignExtend(by) => format!("(_ {symbol} {by})"),
        _ => symbol.to_owned(),
    }
}

fn signed(negative: bool, magnitude: String) -> String {
    if negative {
        format!("(- {magnitude})")
    } else {
        magnitude
    }
}

fn real(value: Rational) -> String {
    let magnitude = value.numerator.unsigned_abs();
    let magnitude = match value.denominator {
        1 => format!("{magnitude}.0"),
        denominator => format!("(/ {magnitude}.0 {denominator}.0)"),
    };
    signed(value.numerator < 0, magnitude)
}

/// A sub-term as it occurs in a scope, with its free variables that are bound between the scope and the occurrence.
type Occurrence = (Term, Vec<Variable>);

/// The occurrences in a scope, in post-order.
struct Sharing {
    occurrences: Vec<Visited>,
}

struct Visited {
    term: Term,
    /// Positions of the direct children.
    below: Vec<usize>,
    /// Whether it may be named in this scope: it depends on variables of the scope, on none bound further inside, and
    /// is not small.
    eligible: bool,
    /// How often it would be printed.
    uses: usize,
}

enum Step {
    Enter(Occurrence),
    Leave(Occurrence),
}

impl Sharing {
    fn of(printer: &Printer, bound: &[Variable], body: Term) -> Sharing {
        let mut occurrences: Vec<Visited> = Vec::new();
        let mut positions: FastMap<Occurrence, Option<usize>> = FastMap::default();
        let outermost = printer.scopes.is_empty();
        let belongs = |term: Term| outermost || bound.iter().any(|v| term.free_variables().binary_search(v).is_ok());
        let mut steps = vec![Step::Enter((body, Vec::new()))];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(occurrence) => {
                    let (term, inner) = &occurrence;
                    // A term that depends neither on this scope nor on an inner one is named outside.
                    if positions.contains_key(&occurrence) || (inner.is_empty() && !belongs(*term)) {
                        continue;
                    }
                    positions.insert(occurrence.clone(), None);
                    let below = occurrences_below(&occurrence);
                    steps.push(Step::Leave(occurrence));
                    steps.extend(below.into_iter().rev().map(Step::Enter));
                }
                Step::Leave(occurrence) => {
                    let mut below = Vec::new();
                    for child in occurrences_below(&occurrence) {
                        if let Some(Some(position)) = positions.get(&child) {
                            occurrences[*position].uses += 1;
                            below.push(*position);
                        }
                    }
                    let (term, inner) = &occurrence;
                    let small = printer.sizes.get(term).is_none_or(|size| *size <= REPEATED_SIZE);
                    let eligible = inner.is_empty() && !small;
                    occurrences.push(Visited {
                        term: *term,
                        below,
                        eligible,
                        uses: 0,
                    });
                    positions.insert(occurrence, Some(occurrences.len() - 1));
                }
            }
        }
        Sharing { occurrences }
    }

    /// The terms to name, in groups that use names of earlier groups only.
    fn layers(&self) -> Vec<Vec<Term>> {
        let mut layers: Vec<Vec<Term>> = Vec::new();
        // For each occurrence, the number of layers needed to print it in full.
        let mut needed: Vec<usize> = Vec::new();
        for visited in &self.occurrences {
            let named = |position: &usize| {
                let below = &self.occurrences[*position];
                needed[*position] + usize::from(below.eligible && below.uses > 1)
            };
            let layer = visited.below.iter().map(named).max().unwrap_or(0);
            needed.push(layer);
            if visited.eligible && visited.uses > 1 {
                if layers.len() <= layer {
                    layers.push(Vec::new());
                }
                layers[layer].push(visited.term);
            }
        }
        layers
    }
}

fn occurrences_below((term, inner): &Occurrence) -> Vec<Occurrence> {
    let restrict = |inner: &[Variable], child: Term| {
        let free = child.free_variables();
        (
            child,
            inner
                .iter()
                .filter(|v| free.binary_search(v).is_ok())
                .copied()
                .collect(),
        )
    };
    match term.kind() {
        Kind::Quantified(_, variables, body) => {
            let mut inner = inner.clone();
            inner.extend(variables);
            inner.sort_unstable();
            inner.dedup();
            vec![restrict(&inner, *body)]
        }
        // Printed twice.
        Kind::List(ListOperation::Tail, operands) => vec![restrict(inner, operands[0]), restrict(inner, operands[0])],
        _ => term
            .children()
            .into_iter()
            .map(|child| restrict(inner, child))
            .collect(),
    }
}
