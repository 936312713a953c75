//! What matters of a step: unsatisfiable cores of the values of its cells.

use crate::finite::{Cell, Failure, Unrolling};
use deduction::cores::minimal_core;
use logic::substitute::functions_of;
use logic::{Term, Value, term};
use smt::{Model, Purpose, Solver, SolverError, Solvers};

/// The values of all cells in a model, and which of them turned out to matter.
pub(super) struct Matters<'m> {
    solvers: &'m Solvers,
    /// The last moment: 1 for a step, 0 for an initial state.
    pub(super) last: usize,
    /// Cells of the state and of rigid symbols, with their values at each moment.
    cells: Vec<(Cell, Vec<Value>)>,
    /// What the rule picks.
    picked: Vec<(Cell, Value)>,
    /// By moment, whether the cell is needed there.
    needed: Vec<Vec<bool>>,
}

impl<'m> Matters<'m> {
    pub(super) fn new(
        unrolling: &mut Unrolling,
        solvers: &'m Solvers,
        model: &dyn Model,
        last: usize,
    ) -> Result<Matters<'m>, Failure> {
        let mut cells = Vec::new();
        for cell in [unrolling.cells.clone(), unrolling.rigid.clone()].concat() {
            let mut values = Vec::new();
            for moment in 0..=last {
                values.extend(unrolling.value(&cell, moment, model)?);
            }
            if values.len() > last {
                cells.push((cell, values));
            }
        }
        let mut picked = Vec::new();
        for cell in unrolling.picked(0)? {
            if let Some(value) = unrolling.value(&cell, 0, model)? {
                picked.push((cell, value));
            }
        }
        Ok(Matters {
            solvers,
            last,
            needed: vec![vec![false; cells.len()]; last + 1],
            cells,
            picked,
        })
    }

    /// The cells that matter, with their values at each moment, in the order of the declarations.
    pub(super) fn cells(&self) -> impl Iterator<Item = &(Cell, Vec<Value>)> {
        let is_needed = |number: usize| self.needed.iter().any(|at| at[number]);
        let cells = self.cells.iter().enumerate();
        cells
            .filter(move |(number, _)| is_needed(*number))
            .map(|(_, cell)| cell)
    }

    /// Those that matter at the first moment, with their values there.
    pub(super) fn first(&self) -> impl Iterator<Item = (&Cell, &Value)> {
        let needed = self.cells.iter().zip(&self.needed[0]);
        needed
            .filter(|(_, needed)| **needed)
            .map(|((cell, values), _)| (cell, &values[0]))
    }

    /// Finds out with which values at the moment the formula is false.
    pub(super) fn fails(&mut self, unrolling: &mut Unrolling, formula: Term, moment: usize) -> Result<(), Failure> {
        let holds = unrolling.anywhere(formula, moment)?;
        self.need(unrolling, &[holds], moment, formula)
    }

    /// Finds out with which values before an instance of a rule can be taken, and makes the formula false.
    pub(super) fn leads_to_failure(
        &mut self,
        unrolling: &mut Unrolling,
        instance: usize,
        formula: Term,
    ) -> Result<(), Failure> {
        let (guard, mut after) = unrolling.taking(instance)?;
        after.push(unrolling.anywhere(formula, 1)?);
        self.need(unrolling, &[term::not(guard)], 0, guard)?;
        self.need(unrolling, &after, 0, formula)
    }

    /// Adds the cells whose values at the moment contradict the formulas; where that cannot be seen, those that `about`
    /// speaks of.
    fn need(
        &mut self,
        unrolling: &mut Unrolling,
        formulas: &[Term],
        moment: usize,
        about: Term,
    ) -> Result<(), Failure> {
        let mut named = Vec::new();
        for (cell, values) in &self.cells {
            named.push(unrolling.has_value(cell, moment, &values[moment])?);
        }
        let mut assumptions = named.clone();
        for (cell, value) in self.picked.iter().filter(|_| moment == 0) {
            assumptions.push(unrolling.has_value(cell, 0, value)?);
        }
        match core(self.solvers, formulas, &assumptions)? {
            Some(core) => {
                let in_core = named.iter().map(|value| core.contains(value));
                self.needed[moment]
                    .iter_mut()
                    .zip(in_core)
                    .for_each(|(needed, is)| *needed |= is);
            }
            None => {
                let spoken: Vec<_> = functions_of(about).iter().map(|function| function.name()).collect();
                let cells = self.cells.iter().zip(&mut self.needed[moment]);
                cells.for_each(|((cell, _), needed)| *needed |= spoken.contains(&cell.function.name()));
            }
        }
        Ok(())
    }
}

/// Assumptions that contradict the formulas, none of which is superfluous; none where it is not known that they do.
fn core(solvers: &Solvers, formulas: &[Term], assumptions: &[Term]) -> Result<Option<Vec<Term>>, SolverError> {
    let mut solver = solvers.solver()?;
    formulas.iter().try_for_each(|formula| solver.assert(*formula))?;
    minimal_core(solver.as_mut(), Purpose::Induction, assumptions)
}
