//! Reduced ordered binary decision diagrams: sets of states and relations between them.
//!
//! A diagram is a number in the table of its [`Manager`]; equal functions have equal numbers. There is no
//! reference counting: between two operations, the owner of a manager says which functions to keep
//! ([`Manager::collect`]). Operations listen to the interrupt, since one alone may take minutes. They are recursive, as
//! deep as there are variables, of which there is a largest number.

mod sets;
mod table;

use logic::Cancellation;
use logic::hashing::FastMap;
use logic::{Term, term};
pub use sets::Renaming;
use table::{Cache, Key, Node, Nodes};

/// A Boolean function, by its number in the manager.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bdd(u32);

/// What a result is remembered under, beside the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    And,
    Or,
    Xor,
    Ite,
    /// Existential quantification over the variables of one parity, of a conjunction.
    Exists,
    /// Moves every variable by one, up or down.
    Shift,
    /// Existential quantification over the variables of a cube, of a conjunction.
    ExistsCube,
    /// `f and not g`
    Without,
}

impl Operation {
    /// The operands are functions, or else 0 or 1.
    fn key(self, first: Bdd, others: [u32; 2]) -> Key {
        Key::new(self as u32, first.0, others)
    }
}

/// Owns the nodes.
#[derive(Debug)]
pub struct Manager {
    nodes: Nodes,
    cache: Cache,
    cancellation: Cancellation,
    /// Work was cut off: since then every function may be wrong.
    exhausted: bool,
    /// How many nodes were asked for.
    asked: u32,
    /// The number of nodes from which garbage collection is worthwhile.
    crowded: usize,
}

/// More nodes than this (about a gigabyte with all tables) are not made.
const LIMIT: usize = 1 << 25;
/// Nor are there more variables: the stack of an engine has room for that many calls within each other.
const VARIABLES: u32 = 1 << 16;
/// Fewer nodes than this are not worth a look.
const CROWDED: usize = 1 << 20;

impl Default for Manager {
    fn default() -> Manager {
        Manager::new()
    }
}

impl Manager {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);

    pub fn new() -> Manager {
        Manager {
            nodes: Nodes::new(),
            cache: Cache::new(),
            cancellation: Cancellation::default(),
            exhausted: false,
            asked: 0,
            crowded: CROWDED,
        }
    }

    /// A manager that stops working at an interrupt.
    pub fn interruptible(cancellation: &Cancellation) -> Manager {
        Manager {
            cancellation: cancellation.clone(),
            ..Manager::new()
        }
    }

    /// Whether work was cut off, by an interrupt or because the diagrams became too large. No function can be trusted
    /// then.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Whether [`Manager::collect`] would look for nodes to free.
    pub fn is_crowded(&self) -> bool {
        self.nodes.used() >= self.crowded
    }

    /// Where there are many nodes: frees all but those of these functions. No other function may be used from then on.
    pub fn collect(&mut self, kept: impl IntoIterator<Item = Bdd>) {
        if self.is_crowded() {
            self.free_others(kept);
            self.crowded = CROWDED.max(2 * self.nodes.used());
        }
    }

    fn free_others(&mut self, kept: impl IntoIterator<Item = Bdd>) {
        self.nodes.retain(kept.into_iter().map(|function| function.0));
        self.cache.retain(&self.nodes);
    }

    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.literal(variable, true)
    }

    pub fn literal(&mut self, variable: u32, value: bool) -> Bdd {
        match value {
            true => self.node(variable, Self::FALSE, Self::TRUE),
            false => self.node(variable, Self::TRUE, Self::FALSE),
        }
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(1 << 12) && self.cancellation.is_cancelled() {
            self.exhausted = true;
        }
        if let Some(known) = self.nodes.find(variable, low.0, high.0) {
            return Bdd(known);
        }
        self.exhausted |= self.nodes.used() >= LIMIT || variable >= VARIABLES;
        if self.exhausted {
            return Self::FALSE;
        }
        let number = self.nodes.add(variable, low.0, high.0);
        self.cache.fit(self.nodes.used());
        Bdd(number)
    }

    fn top(&self, f: Bdd) -> Node {
        self.nodes.get(f.0)
    }

    /// The cofactors of `f` by a variable that is not below its top.
    fn cofactors(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.top(f);
        if node.variable == variable {
            (Bdd(node.low), Bdd(node.high))
        } else {
            (f, f)
        }
    }

    fn known(&self, key: Key) -> Option<Bdd> {
        self.cache.get(key).map(Bdd)
    }

    /// An operation that is commutative.
    fn apply(&mut self, operation: Operation, f: Bdd, g: Bdd) -> Bdd {
        let (f, g) = (f.min(g), f.max(g));
        match (operation, f) {
            (Operation::And, Self::FALSE) => return Self::FALSE,
            (Operation::And, Self::TRUE) => return g,
            (Operation::Or, Self::FALSE) | (Operation::Xor, Self::FALSE) => return g,
            (Operation::Or, Self::TRUE) => return Self::TRUE,
            (Operation::Xor, _) if f == g => return Self::FALSE,
            _ if f == g => return f,
            _ if self.exhausted => return Self::FALSE,
            _ => {}
        }
        let key = operation.key(f, [g.0, 0]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let variable = self.top(f).variable.min(self.top(g).variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let low = self.apply(operation, f0, g0);
        let high = self.apply(operation, f1, g1);
        let result = self.node(variable, low, high);
        self.cache.insert(key, result.0);
        result
    }

    /// `if f then g else h`
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Bdd {
        match (f, g, h) {
            (Self::TRUE, _, _) => return g,
            (Self::FALSE, _, _) => return h,
            _ if g == h => return g,
            (_, Self::TRUE, Self::FALSE) => return f,
            (_, Self::FALSE, Self::TRUE) => return self.not(f),
            (_, _, Self::FALSE) => return self.and(f, g),
            (_, Self::TRUE, _) => return self.or(f, h),
            _ if self.exhausted => return Self::FALSE,
            _ => {}
        }
        let key = Operation::Ite.key(f, [g.0, h.0]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let variable = self.top(f).variable.min(self.top(g).variable).min(self.top(h).variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let (h0, h1) = self.cofactors(h, variable);
        let low = self.ite(f0, g0, h0);
        let high = self.ite(f1, g1, h1);
        let result = self.node(variable, low, high);
        self.cache.insert(key, result.0);
        result
    }

    pub fn not(&mut self, f: Bdd) -> Bdd {
        self.apply(Operation::Xor, f, Self::TRUE)
    }

    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Operation::And, f, g)
    }

    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Operation::Or, f, g)
    }

    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let differ = self.apply(Operation::Xor, f, g);
        self.not(differ)
    }

    /// `exists v. f` for all variables with this parity.
    pub fn exists_parity(&mut self, f: Bdd, parity: u32) -> Bdd {
        self.and_exists(f, Self::TRUE, parity)
    }

    /// `exists v. f and g` for all variables with this parity, without the conjunction in between.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, parity: u32) -> Bdd {
        if f == Self::FALSE || g == Self::FALSE || self.exhausted {
            return Self::FALSE;
        }
        if f == Self::TRUE && g == Self::TRUE {
            return Self::TRUE;
        }
        let key = Operation::Exists.key(f.min(g), [f.max(g).0, parity]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let variable = self.top(f).variable.min(self.top(g).variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let low = self.and_exists(f0, g0, parity);
        let result = if variable % 2 != parity {
            let high = self.and_exists(f1, g1, parity);
            self.node(variable, low, high)
        } else if low == Self::TRUE {
            low
        } else {
            let high = self.and_exists(f1, g1, parity);
            self.or(low, high)
        };
        self.cache.insert(key, result.0);
        result
    }

    /// Renames every variable `v` to `v + 1` (`up`) or `v - 1`.
    pub fn shift(&mut self, f: Bdd, up: bool) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        let key = Operation::Shift.key(f, [u32::from(up), 0]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let Node { variable, low, high } = self.top(f);
        let low = self.shift(Bdd(low), up);
        let high = self.shift(Bdd(high), up);
        let result = self.node(if up { variable + 1 } else { variable - 1 }, low, high);
        self.cache.insert(key, result.0);
        result
    }

    /// Some assignment that satisfies `f`: the variables on one path, others do not matter. `None` for false.
    pub fn pick(&self, f: Bdd) -> Option<Vec<(u32, bool)>> {
        let mut path = Vec::new();
        let mut f = f;
        while f != Self::TRUE {
            if f == Self::FALSE {
                return None;
            }
            let Node { variable, low, high } = self.top(f);
            let (low, high) = (Bdd(low), Bdd(high));
            // The low side first: the fewer predicates hold, the more can still be learnt.
            let value = low == Self::FALSE;
            path.push((variable, value));
            f = if value { high } else { low };
        }
        Some(path)
    }

    /// Whether no assignment satisfies both the function and the cube.
    pub fn is_disjoint(&mut self, f: Bdd, cube: &[(u32, bool)]) -> bool {
        let mut rest = f;
        for (variable, value) in cube {
            let literal = self.literal(*variable, *value);
            rest = self.and(rest, literal);
        }
        rest == Self::FALSE
    }

    /// The function with `functions[n]` in the place of variable `2 n`.
    pub fn compose(&mut self, f: Bdd, functions: &[Bdd]) -> Bdd {
        self.compose_with(f, functions, &mut FastMap::default())
    }

    fn compose_with(&mut self, f: Bdd, functions: &[Bdd], known: &mut FastMap<Bdd, Bdd>) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let Node { variable, low, high } = self.top(f);
        let (low, high) = (Bdd(low), Bdd(high));
        let result = match functions[variable as usize / 2] {
            Self::TRUE => self.compose_with(high, functions, known),
            Self::FALSE => self.compose_with(low, functions, known),
            function => {
                let high = self.compose_with(high, functions, known);
                let low = self.compose_with(low, functions, known);
                self.ite(function, high, low)
            }
        };
        known.insert(f, result);
        result
    }

    /// The function as a formula over the terms of its variables.
    pub fn formula(&self, f: Bdd, variable: &dyn Fn(u32) -> Term) -> Term {
        self.formula_with(f, variable, &mut FastMap::default())
    }

    fn formula_with(&self, f: Bdd, variable: &dyn Fn(u32) -> Term, known: &mut FastMap<Bdd, Term>) -> Term {
        if f == Self::TRUE || f == Self::FALSE {
            return term::bool(f == Self::TRUE);
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let Node {
            variable: number,
            low,
            high,
        } = self.top(f);
        let high = self.formula_with(Bdd(high), variable, known);
        let low = self.formula_with(Bdd(low), variable, known);
        let formula = term::ite(variable(number), high, low);
        known.insert(f, formula);
        formula
    }

    /// Number of assignments to `variables` variables with even numbers, of a function of those only.
    pub fn count(&self, f: Bdd, variables: u32) -> f64 {
        let mut known: FastMap<Bdd, f64> = FastMap::default();
        self.share(f, &mut known) * f64::from(variables).exp2()
    }

    fn share(&self, f: Bdd, known: &mut FastMap<Bdd, f64>) -> f64 {
        match f {
            Self::FALSE => return 0.0,
            Self::TRUE => return 1.0,
            _ => {}
        }
        if let Some(share) = known.get(&f) {
            return *share;
        }
        let Node { low, high, .. } = self.top(f);
        let share = (self.share(Bdd(low), known) + self.share(Bdd(high), known)) / 2.0;
        known.insert(f, share);
        share
    }

    /// An irredundant sum of products between `lower` and `upper` (Minato and Morreale): cubes that cover `lower` and
    /// stay within `upper`, and the function that they make. Once work is cut off `lower` is no longer within `upper`,
    /// and there would be no end.
    pub fn cover(&mut self, lower: Bdd, upper: Bdd) -> (Vec<Vec<(u32, bool)>>, Bdd) {
        if lower == Self::FALSE || self.exhausted {
            return (Vec::new(), Self::FALSE);
        }
        if upper == Self::TRUE {
            return (vec![Vec::new()], Self::TRUE);
        }
        let variable = self.top(lower).variable.min(self.top(upper).variable);
        let (l0, l1) = self.cofactors(lower, variable);
        let (u0, u1) = self.cofactors(upper, variable);
        // What only cubes with the literal can cover.
        let not_u1 = self.not(u1);
        let not_u0 = self.not(u0);
        let only_low = self.and(l0, not_u1);
        let only_high = self.and(l1, not_u0);
        let (cubes_low, f0) = self.cover(only_low, u0);
        let (cubes_high, f1) = self.cover(only_high, u1);
        let not_f0 = self.not(f0);
        let not_f1 = self.not(f1);
        let rest_low = self.and(l0, not_f0);
        let rest_high = self.and(l1, not_f1);
        let rest = self.or(rest_low, rest_high);
        let both = self.and(u0, u1);
        let (cubes_both, f) = self.cover(rest, both);
        let mut cubes = cubes_both;
        let with = |cubes: Vec<Vec<(u32, bool)>>, value: bool| {
            cubes.into_iter().map(move |mut cube| {
                cube.insert(0, (variable, value));
                cube
            })
        };
        cubes.extend(with(cubes_low, false));
        cubes.extend(with(cubes_high, true));
        let low = self.or(f0, f);
        let high = self.or(f1, f);
        let function = self.node(variable, low, high);
        (cubes, function)
    }
}

#[cfg(test)]
mod tests;
