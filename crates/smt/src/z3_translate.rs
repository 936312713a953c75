//! Terms as Z3 terms.
//!
//! All solvers of a thread share its one Z3 context, which the `z3` crate keeps, and so share this translation. Nothing
//! in this crate makes another context: a term of the wrong one would be dropped without a word.
//!
//! Each symbol gets a Z3 symbol of its own (see [`Symbols`]), since in the logic a function, a variable and an
//! enumerator may have the same name. Variables, free or bound, are Z3 constants; a quantifier closes over them.

use crate::solver::SolverError;
use crate::z3_raw;
use logic::hashing::FastMap;
use logic::smtlib::Symbols;
use logic::term::ListOperation;
use logic::traverse::deep_subterms;
use logic::well_sorted::is_well_sorted;
use logic::{BitOperation, Bits, EnumSort, Function, Kind, Quantifier, Rational, Sort, Term, Value, Variable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use z3::ast::{Ast, BV, Bool, Dynamic, Int, Real, Seq};
use z3::{FuncDecl, Symbol};

/// More translated terms than this are forgotten when a solver is replaced.
const REMEMBERED_TERMS: usize = 500_000;

thread_local! {
    static TRANSLATION: Rc<RefCell<Translation>> = Rc::default();
}

/// See the module.
#[derive(Default)]
pub(crate) struct Translation {
    symbols: Symbols,
    sorts: HashMap<Sort, z3::Sort>,
    /// The constants of each enumeration.
    enumerators: HashMap<EnumSort, Vec<Dynamic>>,
    functions: FastMap<Function, FuncDecl>,
    terms: FastMap<Term, Dynamic>,
}

impl Translation {
    /// That of the current thread.
    pub(crate) fn of_thread() -> Rc<RefCell<Translation>> {
        TRANSLATION.with(Rc::clone)
    }

    /// Forgets terms when there are very many. Solvers keep those that they use alive.
    pub(crate) fn shrink(&mut self) {
        if self.terms.len() > REMEMBERED_TERMS {
            self.terms.clear();
        }
    }

    pub(crate) fn term(&mut self, term: Term) -> Result<Dynamic, SolverError> {
        for inner in deep_subterms(term) {
            self.one(inner)?;
        }
        self.one(term)
    }

    pub(crate) fn formula(&mut self, formula: Term) -> Result<Bool, SolverError> {
        self.term(formula)?.as_bool().ok_or(SolverError::NotAFormula(formula))
    }

    fn one(&mut self, term: Term) -> Result<Dynamic, SolverError> {
        if let Some(known) = self.terms.get(&term) {
            return Ok(known.clone());
        }
        // Z3 answers an ill-sorted term by a null pointer, and the `z3` crate that by a panic.
        if !is_well_sorted(term) {
            return Err(SolverError::IllSorted(term));
        }
        let translated = self.compound(term)?.ok_or(SolverError::IllSorted(term))?;
        self.terms.insert(term, translated.clone());
        Ok(translated)
    }

    /// `None` where Z3 refuses.
    fn compound(&mut self, term: Term) -> Result<Option<Dynamic>, SolverError> {
        Ok(match term.kind() {
            Kind::Bool(value) => Some(Bool::from_bool(*value).into()),
            Kind::Int(value) => Some(Int::from_i128(*value).into()),
            Kind::Real(value) => real(*value),
            Kind::BitVector(value) => literal(*value),
            Kind::Enumerator(sort, position) => self.enumerators(*sort).get(*position as usize).cloned(),
            Kind::EmptyList(sort) => self.empty_list(*sort),
            Kind::Variable(variable) => Some(self.variable(*variable)),
            Kind::Apply(function, arguments) => {
                let arguments = self.all(arguments)?;
                Some(self.application(*function, &arguments))
            }
            Kind::Quantified(quantifier, variables, body) => {
                let body = self.formula(*body)?;
                let variables: Vec<Dynamic> = variables.iter().map(|variable| self.variable(*variable)).collect();
                let bound: Vec<&dyn Ast> = variables.iter().map(|variable| variable as &dyn Ast).collect();
                let quantified = match quantifier {
                    Quantifier::Forall => z3::ast::forall_const(&bound, &[], &body),
                    Quantifier::Exists => z3::ast::exists_const(&bound, &[], &body),
                };
                Some(quantified.into())
            }
            Kind::List(operation, operands) => {
                let operands = self.all(operands)?;
                list(*operation, &operands)
            }
            Kind::Bits(operation, operands) => {
                let operands = self.all(operands)?;
                bits(*operation, &operands)
            }
            Kind::Ite(..) | Kind::Equal(..) => {
                let operands = self.all(&term.children())?;
                match operands.as_slice() {
                    [condition, then, otherwise] => condition.as_bool().map(|c| c.ite(then, otherwise)),
                    [a, b] => a.safe_eq(b).ok().map(Dynamic::from),
                    _ => None,
                }
            }
            _ => {
                let operands = self.all(&term.children())?;
                connective(term, &operands).or_else(|| arithmetic(term, &operands))
            }
        })
    }

    fn all(&mut self, terms: &[Term]) -> Result<Vec<Dynamic>, SolverError> {
        terms.iter().map(|term| self.one(*term)).collect()
    }

    pub(crate) fn sort(&mut self, sort: Sort) -> z3::Sort {
        if let Some(known) = self.sorts.get(&sort) {
            return known.clone();
        }
        let translated = match sort {
            Sort::Bool => z3::Sort::bool(),
            Sort::Int => z3::Sort::int(),
            Sort::Real => z3::Sort::real(),
            Sort::BitVector(width) => z3::Sort::bitvector(width),
            Sort::Index(_) => z3::Sort::uninterpreted(Symbol::String(self.symbols.sort(sort))),
            Sort::List(element) => z3::Sort::seq(&self.sort(*element)),
            Sort::Enum(enumeration) => {
                let name = Symbol::String(self.symbols.sort(sort));
                let values: Vec<Symbol> = (0u32..)
                    .zip(enumeration.values())
                    .map(|(position, _)| Symbol::String(self.symbols.enumerator(enumeration, position)))
                    .collect();
                let (translated, constants, _) = z3::Sort::enumeration(name, &values);
                let constants = constants.iter().map(|constant| constant.apply(&[])).collect();
                self.enumerators.insert(enumeration, constants);
                translated
            }
        };
        self.sorts.insert(sort, translated.clone());
        translated
    }

    /// The values of an enumeration in order.
    pub(crate) fn enumerators(&mut self, sort: EnumSort) -> &[Dynamic] {
        self.sort(Sort::Enum(sort));
        self.enumerators.get(&sort).map_or(&[], Vec::as_slice)
    }

    fn empty_list(&mut self, sort: Sort) -> Option<Dynamic> {
        match sort {
            Sort::List(element) => Some(Seq::empty(&self.sort(*element)).into()),
            _ => None,
        }
    }

    fn variable(&mut self, variable: Variable) -> Dynamic {
        let name = self.symbols.variable(variable);
        Dynamic::new_const(name, &self.sort(variable.sort))
    }

    /// The arguments must fit.
    pub(crate) fn application(&mut self, function: Function, arguments: &[Dynamic]) -> Dynamic {
        if !self.functions.contains_key(&function) {
            let name = self.symbols.function(function);
            let parameters: Vec<z3::Sort> = function.parameters().iter().map(|sort| self.sort(*sort)).collect();
            let parameters: Vec<&z3::Sort> = parameters.iter().collect();
            let declared = FuncDecl::new(name, &parameters, &self.sort(function.result()));
            self.functions.insert(function, declared);
        }
        let arguments: Vec<&dyn Ast> = arguments.iter().map(|argument| argument as &dyn Ast).collect();
        self.functions[&function].apply(&arguments)
    }

    /// A value as a term; `None` where it is not of the sort. Elements of index sorts are up to the caller.
    pub(crate) fn value(
        &mut self,
        value: &Value,
        sort: Sort,
        element: &dyn Fn(u32, Sort) -> Option<Dynamic>,
    ) -> Option<Dynamic> {
        match (value, sort) {
            (Value::Bool(value), Sort::Bool) => Some(Bool::from_bool(*value).into()),
            (Value::Int(value), Sort::Int) => Some(Int::from_i128(*value).into()),
            (Value::Real(value), Sort::Real) => real(*value),
            (Value::Bits(bits), Sort::BitVector(width)) if bits.width() == width => literal(*bits),
            (Value::Enumerator(of, position), Sort::Enum(sort)) if *of == sort => {
                self.enumerators(sort).get(*position as usize).cloned()
            }
            (Value::Index(of, position), Sort::Index(name)) if *of == name => element(*position, sort),
            (Value::List(values), Sort::List(of)) => {
                let mut list = self.empty_list(sort)?.as_seq()?;
                for value in values {
                    let last = self.value(value, *of, element)?;
                    list = Seq::concat(&[list, Seq::unit(&last)]);
                }
                Some(list.into())
            }
            _ => None,
        }
    }
}

fn real(value: Rational) -> Option<Dynamic> {
    let Rational { numerator, denominator } = value;
    Real::from_rational_str(&numerator.to_string(), &denominator.to_string()).map(Dynamic::from)
}

fn list(operation: ListOperation, operands: &[Dynamic]) -> Option<Dynamic> {
    let list = operands.first()?.as_seq()?;
    Some(match operation {
        ListOperation::Append => Seq::concat(&[list, Seq::unit(operands.get(1)?)]).into(),
        ListOperation::Head => list.nth(0),
        ListOperation::Tail => z3_raw::tail(&list)?,
        ListOperation::Length => list.length().into(),
    })
}

fn literal(bits: Bits) -> Option<Dynamic> {
    BV::from_str(bits.width(), &bits.unsigned().to_string()).map(Dynamic::from)
}

/// Only of terms that are well sorted: Z3 does not forgive operands of different widths.
fn bits(operation: BitOperation, operands: &[Dynamic]) -> Option<Dynamic> {
    let operands: Vec<BV> = operands.iter().map(Dynamic::as_bv).collect::<Option<_>>()?;
    let a = operands.first()?;
    let b = operands.get(1).unwrap_or(a);
    Some(match operation {
        BitOperation::Negate => a.bvneg().into(),
        BitOperation::Complement => a.bvnot().into(),
        BitOperation::Add => a.bvadd(b).into(),
        BitOperation::Multiply => a.bvmul(b).into(),
        BitOperation::And => a.bvand(b).into(),
        BitOperation::Or => a.bvor(b).into(),
        BitOperation::ExclusiveOr => a.bvxor(b).into(),
        BitOperation::UnsignedDivide => a.bvudiv(b).into(),
        BitOperation::UnsignedRemainder => a.bvurem(b).into(),
        BitOperation::SignedDivide => a.bvsdiv(b).into(),
        BitOperation::SignedRemainder => a.bvsrem(b).into(),
        BitOperation::ShiftLeft => a.bvshl(b).into(),
        BitOperation::UnsignedShiftRight => a.bvlshr(b).into(),
        BitOperation::SignedShiftRight => a.bvashr(b).into(),
        BitOperation::Concatenate => a.concat(b).into(),
        BitOperation::Extract { high, low } => a.extract(high, low).into(),
        BitOperation::ZeroExtend(by) => a.zero_ext(by).into(),
        BitOperation::SignExtend(by) => a.sign_ext(by).into(),
        BitOperation::UnsignedLess => a.bvult(b).into(),
        BitOperation::UnsignedLessEqual => a.bvule(b).into(),
        BitOperation::SignedLess => a.bvslt(b).into(),
        BitOperation::SignedLessEqual => a.bvsle(b).into(),
    })
}

fn connective(term: Term, operands: &[Dynamic]) -> Option<Dynamic> {
    let operands: Vec<Bool> = operands.iter().map(Dynamic::as_bool).collect::<Option<_>>()?;
    let result = match (term.kind(), operands.as_slice()) {
        (Kind::Not(_), [a]) => a.not(),
        (Kind::And(_), all) => Bool::and(all),
        (Kind::Or(_), all) => Bool::or(all),
        (Kind::Implies(..), [a, b]) => a.implies(b),
        _ => return None,
    };
    Some(result.into())
}

fn arithmetic(term: Term, operands: &[Dynamic]) -> Option<Dynamic> {
    if let Some(integers) = operands.iter().map(Dynamic::as_int).collect::<Option<Vec<Int>>>() {
        return match (term.kind(), integers.as_slice()) {
            (Kind::Less(..), [a, b]) => Some(a.lt(b).into()),
            (Kind::LessEqual(..), [a, b]) => Some(a.le(b).into()),
            (Kind::Add(_), all) => Some(Int::add(all).into()),
            (Kind::Multiply(..), all) => Some(Int::mul(all).into()),
            (Kind::Divide(..), [a, b]) => Some(a.div(b).into()),
            (Kind::Modulo(..), [a, b]) => Some(a.modulo(b).into()),
            _ => None,
        };
    }
    let reals = operands.iter().map(Dynamic::as_real).collect::<Option<Vec<Real>>>()?;
    match (term.kind(), reals.as_slice()) {
        (Kind::Less(..), [a, b]) => Some(a.lt(b).into()),
        (Kind::LessEqual(..), [a, b]) => Some(a.le(b).into()),
        (Kind::Add(_), all) => Some(Real::add(all).into()),
        (Kind::Multiply(..), all) => Some(Real::mul(all).into()),
        (Kind::Divide(..), [a, b]) => Some(a.div(b).into()),
        _ => None,
    }
}
