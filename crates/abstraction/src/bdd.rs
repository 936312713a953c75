//! Reduced ordered binary decision diagrams: sets of abstract states and relations between them.
//!
//! Small and plain on purpose: the sets here have tens of variables and thousands of nodes, and the time goes into
//! solver checks. A diagram is a number in the table of its [`Manager`]; equal functions have equal numbers. The table
//! only grows; it lives as long as one property is being checked.

use logic::Cancellation;
use logic::{Term, term};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A Boolean function, by its number in the manager.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bdd(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

/// What a result is remembered under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operation {
    Ite(Bdd, Bdd, Bdd),
    /// Existential quantification over the variables of one parity, of a conjunction.
    Exists(Bdd, Bdd, u32),
    /// Moves every variable by one, up or down.
    Shift(Bdd, bool),
}

/// Owns the nodes.
#[derive(Debug)]
pub struct Manager {
    nodes: Vec<Node>,
    unique: HashMap<Node, Bdd, Quick>,
    done: HashMap<Operation, Bdd, Quick>,
    cancellation: Cancellation,
    /// Work was cut off: since then every function may be wrong.
    exhausted: bool,
}

/// A hash of a few numbers: they are many, and nobody chooses them to collide.
#[derive(Clone, Copy, Default, Debug)]
struct Mix(u64);

type Quick = BuildHasherDefault<Mix>;

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u32(value as u32);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// More nodes than this (some gigabytes with all tables) are not made.
const LIMIT: usize = 1 << 25;

/// The variable of a leaf: below all others.
const LEAF: u32 = u32::MAX;

impl Default for Manager {
    fn default() -> Manager {
        Manager::new()
    }
}

impl Manager {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);

    pub fn new() -> Manager {
        let leaf = |n| Node {
            variable: LEAF,
            low: Bdd(n),
            high: Bdd(n),
        };
        Manager {
            nodes: vec![leaf(0), leaf(1)],
            unique: HashMap::default(),
            done: HashMap::default(),
            cancellation: Cancellation::default(),
            exhausted: false,
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

    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.node(variable, Self::FALSE, Self::TRUE)
    }

    pub fn literal(&mut self, variable: u32, value: bool) -> Bdd {
        let positive = self.variable(variable);
        if value { positive } else { self.not(positive) }
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(known) = self.unique.get(&node) {
            return *known;
        }
        let count = self.nodes.len();
        if count >= LIMIT || count.is_multiple_of(1 << 12) && self.cancellation.is_cancelled() {
            self.exhausted = true;
            return Self::FALSE;
        }
        let number = Bdd(count as u32);
        self.nodes.push(node);
        self.unique.insert(node, number);
        number
    }

    fn top(&self, f: Bdd) -> Node {
        self.nodes[f.0 as usize]
    }

    /// The cofactors of `f` by a variable that is not below its top.
    fn cofactors(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.top(f);
        if node.variable == variable {
            (node.low, node.high)
        } else {
            (f, f)
        }
    }

    /// `if f then g else h`
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Bdd {
        match (f, g, h) {
            (Self::TRUE, _, _) => return g,
            (Self::FALSE, _, _) => return h,
            (_, Self::TRUE, Self::FALSE) => return f,
            _ if g == h => return g,
            _ if self.exhausted => return Self::FALSE,
            _ => {}
        }
        let key = Operation::Ite(f, g, h);
        if let Some(known) = self.done.get(&key) {
            return *known;
        }
        let variable = self.top(f).variable.min(self.top(g).variable).min(self.top(h).variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let (h0, h1) = self.cofactors(h, variable);
        let low = self.ite(f0, g0, h0);
        let high = self.ite(f1, g1, h1);
        let result = self.node(variable, low, high);
        self.done.insert(key, result);
        result
    }

    pub fn not(&mut self, f: Bdd) -> Bdd {
        self.ite(f, Self::FALSE, Self::TRUE)
    }

    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, g, Self::FALSE)
    }

    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.ite(f, Self::TRUE, g)
    }

    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let not_g = self.not(g);
        self.ite(f, g, not_g)
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
        let key = Operation::Exists(f.min(g), f.max(g), parity);
        if let Some(known) = self.done.get(&key) {
            return *known;
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
        self.done.insert(key, result);
        result
    }

    /// Renames every variable `v` to `v + 1` (`up`) or `v - 1`.
    pub fn shift(&mut self, f: Bdd, up: bool) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        let key = Operation::Shift(f, up);
        if let Some(known) = self.done.get(&key) {
            return *known;
        }
        let Node { variable, low, high } = self.top(f);
        let low = self.shift(low, up);
        let high = self.shift(high, up);
        let result = self.node(if up { variable + 1 } else { variable - 1 }, low, high);
        self.done.insert(key, result);
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
        self.compose_with(f, functions, &mut HashMap::default())
    }

    fn compose_with(&mut self, f: Bdd, functions: &[Bdd], known: &mut HashMap<Bdd, Bdd, Quick>) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let Node { variable, low, high } = self.top(f);
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
        self.formula_with(f, variable, &mut HashMap::new())
    }

    fn formula_with(&self, f: Bdd, variable: &dyn Fn(u32) -> Term, known: &mut HashMap<Bdd, Term>) -> Term {
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
        let high = self.formula_with(high, variable, known);
        let low = self.formula_with(low, variable, known);
        let formula = term::ite(variable(number), high, low);
        known.insert(f, formula);
        formula
    }

    /// Number of assignments to `variables` variables with even numbers, of a function of those only.
    pub fn count(&self, f: Bdd, variables: u32) -> f64 {
        let mut known: HashMap<Bdd, f64> = HashMap::new();
        self.share(f, &mut known) * f64::from(variables).exp2()
    }

    fn share(&self, f: Bdd, known: &mut HashMap<Bdd, f64>) -> f64 {
        match f {
            Self::FALSE => return 0.0,
            Self::TRUE => return 1.0,
            _ => {}
        }
        if let Some(share) = known.get(&f) {
            return *share;
        }
        let Node { low, high, .. } = self.top(f);
        let share = (self.share(low, known) + self.share(high, known)) / 2.0;
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
mod tests {
    use super::*;

    /// A function of three variables; there are 256.
    fn from_table(manager: &mut Manager, table: u32) -> Bdd {
        let mut f = Manager::FALSE;
        for row in 0..8u32 {
            if table >> row & 1 == 1 {
                let cube = (0..3).fold(Manager::TRUE, |cube, v| {
                    let literal = manager.literal(v, row >> v & 1 == 1);
                    manager.and(cube, literal)
                });
                f = manager.or(f, cube);
            }
        }
        f
    }

    #[test]
    fn covers_are_exact() {
        for table in 0..256 {
            let mut manager = Manager::new();
            let f = from_table(&mut manager, table);
            let (cubes, covered) = manager.cover(f, f);
            assert_eq!(covered, f);
            let sum = cubes.iter().fold(Manager::FALSE, |sum, cube| {
                let product = cube.iter().fold(Manager::TRUE, |product, (v, value)| {
                    let literal = manager.literal(*v, *value);
                    manager.and(product, literal)
                });
                manager.or(sum, product)
            });
            assert_eq!(sum, f);
            assert_eq!(manager.count(f, 3), f64::from(table.count_ones()));
            assert_eq!(manager.pick(f).is_none(), table == 0);
        }
    }

    #[test]
    fn covers_end_after_an_interrupt() {
        let cancellation = Cancellation::new();
        let mut manager = Manager::interruptible(&cancellation);
        let functions: Vec<Bdd> = (0..256).map(|table| from_table(&mut manager, table)).collect();
        cancellation.cancel();
        let notices = (100..).find(|v| {
            manager.variable(*v);
            manager.is_exhausted()
        });
        assert!(notices.is_some());
        for f in functions {
            manager.cover(f, f);
        }
    }

    #[test]
    fn functions_take_the_place_of_variables() {
        let mut manager = Manager::new();
        let [a, b, x, y] = [0, 2, 1, 3].map(|v| manager.variable(v));
        let implies = manager.ite(a, b, Manager::TRUE);
        assert!(manager.is_disjoint(implies, &[(0, true), (2, false)]));
        assert!(!manager.is_disjoint(implies, &[(0, true)]));
        let both = manager.and(x, y);
        assert_eq!(manager.compose(implies, &[both, x]), Manager::TRUE);
        let composed = manager.compose(implies, &[x, both]);
        assert_eq!(composed, manager.ite(x, y, Manager::TRUE));
        assert_eq!(manager.compose(implies, &[Manager::TRUE, y]), y);
    }
}
