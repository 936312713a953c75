//! Quantifiers written out.

use super::{Unsuited, Window};
use logic::hashing::FastMap;
use logic::normal_forms::{constant_bounds, values_of};
use logic::substitute::rebuild;
use logic::traverse::post_order;
use logic::{Cancellation, Function, Kind, Quantifier, Sort, Substitution, Term, Variable, term};

/// More instances than this are not written.
const INSTANCES: usize = 40_000;
/// A quantifier over integers with bounds of its own has all its instances up to this many.
const BOUNDED: i128 = 32;
/// Nor is the recursion deeper than this.
const DEPTH: u32 = 2_000;

/// Writes quantifiers out: over an enumeration, for every value; over integers, for those of the window, but for what
/// exists, which gets a constant.
pub(super) struct Ground {
    window: Window,
    /// Constants for what exists.
    pub(super) witnesses: Vec<Function>,
    /// Whether a formula about all integers was written out for those of the window alone.
    pub(super) is_cut: bool,
    done: FastMap<(Term, Sign), Term>,
    left: usize,
    cancellation: Cancellation,
}

/// Whether a formula occurs as it is (true), negated, or both.
type Sign = Option<bool>;

impl Ground {
    pub(super) fn new(window: Window, cancellation: &Cancellation) -> Ground {
        Ground {
            window,
            witnesses: Vec::new(),
            is_cut: false,
            done: FastMap::default(),
            left: INSTANCES,
            cancellation: cancellation.clone(),
        }
    }

    /// A formula that is asserted.
    pub(super) fn formula(&mut self, formula: Term) -> Result<Term, Unsuited> {
        self.part(formula, Some(true))
    }

    /// A term of any sort.
    pub(super) fn term(&mut self, term: Term) -> Result<Term, Unsuited> {
        self.part(term, None)
    }

    fn part(&mut self, term: Term, sign: Sign) -> Result<Term, Unsuited> {
        if !term.has_quantifier() {
            return Ok(term);
        }
        if let Some(known) = self.done.get(&(term, sign)) {
            return Ok(*known);
        }
        if term.depth() > DEPTH {
            return Err(Unsuited::TooLarge);
        }
        let result = self.compound(term, sign)?;
        self.done.insert((term, sign), result);
        Ok(result)
    }

    fn compound(&mut self, term: Term, sign: Sign) -> Result<Term, Unsuited> {
        let mut parts = |terms: &[Term], sign: Sign| -> Result<Vec<Term>, Unsuited> {
            terms.iter().map(|part| self.part(*part, sign)).collect()
        };
        Ok(match term.kind() {
            Kind::Not(inner) => term::not(self.part(*inner, sign.map(|sign| !sign))?),
            Kind::And(operands) => term::and(parts(operands, sign)?),
            Kind::Or(operands) => term::or(parts(operands, sign)?),
            Kind::Implies(a, b) => term::implies(self.part(*a, sign.map(|sign| !sign))?, self.part(*b, sign)?),
            Kind::Ite(condition, then, otherwise) if term.sort() == Sort::Bool => term::ite(
                self.part(*condition, None)?,
                self.part(*then, sign)?,
                self.part(*otherwise, sign)?,
            ),
            Kind::Quantified(quantifier, variables, body) => self.quantified(*quantifier, variables, *body, sign)?,
            _ => self.both(term)?,
        })
    }

    /// What stands inside occurs as it is and negated.
    fn both(&mut self, term: Term) -> Result<Term, Unsuited> {
        let mut failed = None;
        let result = rebuild(term, |child| match self.part(child, None) {
            Ok(child) => child,
            Err(unsuited) => {
                failed = Some(unsuited);
                child
            }
        });
        failed.map_or(Ok(result), Err)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        variables: &[Variable],
        body: Term,
        sign: Sign,
    ) -> Result<Term, Unsuited> {
        let Some((variable, others)) = variables.split_first() else {
            return self.part(body, sign);
        };
        if self.cancellation.is_cancelled() {
            return Err(Unsuited::Cancelled);
        }
        let exists = sign.is_some_and(|sign| (quantifier == Quantifier::Exists) == sign);
        let inner = term::quantified(quantifier, others.to_vec(), body);
        if exists && variable.sort.is_numeric() {
            let name = format!("{}!{}", variable.name, self.witnesses.len());
            let witness = Function::constant(name.as_str(), variable.sort);
            self.witnesses.push(witness);
            let instance = Substitution::of_variables([(*variable, witness.apply([]))]).apply(inner);
            return self.part(instance, sign);
        }
        let mut instances = Vec::new();
        for value in self.values(*variable, quantifier, body)? {
            let instance = Substitution::of_variables([(*variable, value)]).apply(inner);
            let size = post_order(instance, true).len().div_ceil(50);
            self.left = self.left.checked_sub(size).ok_or(Unsuited::TooLarge)?;
            instances.push(self.part(instance, sign)?);
        }
        Ok(match quantifier {
            Quantifier::Forall => term::and(instances),
            Quantifier::Exists => term::or(instances),
        })
    }

    fn values(&mut self, variable: Variable, quantifier: Quantifier, body: Term) -> Result<Vec<Term>, Unsuited> {
        if let Some(values) = values_of(variable.sort) {
            return Ok(values);
        }
        if variable.sort != Sort::Int {
            return Err(Unsuited::Sorts);
        }
        let bounding = match (quantifier, body.kind()) {
            (Quantifier::Forall, Kind::Implies(premise, _)) => Some(*premise),
            (Quantifier::Forall, _) => None,
            (Quantifier::Exists, _) => Some(body),
        };
        let bounds = bounding.and_then(|bounding| constant_bounds(bounding, variable));
        let bounds = bounds.filter(|(low, high)| high.saturating_sub(*low) < BOUNDED);
        self.is_cut |= bounds.is_none();
        let (low, high) = bounds.unwrap_or(self.window);
        Ok((low..=high).map(term::int).collect())
    }
}
