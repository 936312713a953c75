//! Quantification over any set of variables, renaming, and copies in another manager.

use crate::{Bdd, Manager, Operation};
use logic::hashing::FastMap;

/// Which variable takes the place of which: ascending, each at most once.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    pairs: Vec<(u32, u32)>,
}

impl Renaming {
    /// The variables on the left are all different, and so are those on the right. One on the right may occur in a
    /// function only if it is renamed itself.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Renaming {
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Renaming { pairs }
    }

    fn of(&self, variable: u32) -> u32 {
        match self.pairs.binary_search_by_key(&variable, |(from, _)| *from) {
            Ok(found) => self.pairs[found].1,
            Err(_) => variable,
        }
    }

    /// The last variable that is renamed.
    fn last(&self) -> Option<u32> {
        self.pairs.last().map(|(from, _)| *from)
    }
}

impl Manager {
    /// The conjunction of these variables: a set of variables, for [`Manager::exists`].
    pub fn cube(&mut self, variables: impl IntoIterator<Item = u32>) -> Bdd {
        let mut variables: Vec<u32> = variables.into_iter().collect();
        variables.sort_unstable();
        variables.dedup();
        let with = |manager: &mut Manager, cube, variable| manager.node(variable, Self::FALSE, cube);
        let variables = variables.into_iter().rev();
        variables.fold(Self::TRUE, |cube, variable| with(self, cube, variable))
    }

    /// The conjunction of these literals, each variable at most once.
    pub fn literals(&mut self, literals: impl IntoIterator<Item = (u32, bool)>) -> Bdd {
        let mut literals: Vec<(u32, bool)> = literals.into_iter().collect();
        literals.sort_unstable();
        let with = |manager: &mut Manager, cube, (variable, value)| match value {
            true => manager.node(variable, Self::FALSE, cube),
            false => manager.node(variable, cube, Self::FALSE),
        };
        let literals = literals.into_iter().rev();
        literals.fold(Self::TRUE, |cube, literal| with(self, cube, literal))
    }

    /// `exists cube. f`
    pub fn exists(&mut self, f: Bdd, cube: Bdd) -> Bdd {
        self.and_exists_cube(f, Self::TRUE, cube)
    }

    /// `exists cube. f and g`, without the conjunction in between: the relational product.
    pub fn and_exists_cube(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Bdd {
        if f == Self::FALSE || g == Self::FALSE || self.is_exhausted() {
            return Self::FALSE;
        }
        if f == Self::TRUE && g == Self::TRUE {
            return Self::TRUE;
        }
        let variable = self.top(f).variable.min(self.top(g).variable);
        let mut cube = cube;
        while self.top(cube).variable < variable {
            cube = Bdd(self.top(cube).high);
        }
        if cube == Self::TRUE {
            return self.and(f, g);
        }
        let (f, g) = (f.min(g), f.max(g));
        let key = Operation::ExistsCube.key(f, [g.0, cube.0]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let low = self.and_exists_cube(f0, g0, cube);
        let result = if self.top(cube).variable != variable {
            let high = self.and_exists_cube(f1, g1, cube);
            self.node(variable, low, high)
        } else if low == Self::TRUE {
            low
        } else {
            let high = self.and_exists_cube(f1, g1, cube);
            self.or(low, high)
        };
        self.cache.insert(key, result.0);
        result
    }

    /// `f and not g`
    pub fn without(&mut self, f: Bdd, g: Bdd) -> Bdd {
        match (f, g) {
            (Self::FALSE, _) | (_, Self::TRUE) => return Self::FALSE,
            (_, Self::FALSE) => return f,
            (Self::TRUE, _) => return self.not(g),
            _ if f == g || self.is_exhausted() => return Self::FALSE,
            _ => {}
        }
        let key = Operation::Without.key(f, [g.0, 0]);
        if let Some(known) = self.known(key) {
            return known;
        }
        let variable = self.top(f).variable.min(self.top(g).variable);
        let (f0, f1) = self.cofactors(f, variable);
        let (g0, g1) = self.cofactors(g, variable);
        let low = self.without(f0, g0);
        let high = self.without(f1, g1);
        let result = self.node(variable, low, high);
        self.cache.insert(key, result.0);
        result
    }

    /// The function with its variables renamed, all at once.
    pub fn rename(&mut self, f: Bdd, renaming: &Renaming) -> Bdd {
        match renaming.last() {
            Some(last) => self.rename_with(f, renaming, last, &mut FastMap::default()),
            None => f,
        }
    }

    fn rename_with(&mut self, f: Bdd, renaming: &Renaming, last: u32, known: &mut FastMap<Bdd, Bdd>) -> Bdd {
        let node = self.top(f);
        if node.variable > last {
            return f;
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let low = self.rename_with(Bdd(node.low), renaming, last, known);
        let high = self.rename_with(Bdd(node.high), renaming, last, known);
        let variable = renaming.of(node.variable);
        let below = self.top(low).variable.min(self.top(high).variable);
        let result = if variable < below {
            self.node(variable, low, high)
        } else {
            let condition = self.variable(variable);
            self.ite(condition, high, low)
        };
        known.insert(f, result);
        result
    }

    /// The function with other functions in the place of some variables, all at once, where `function` has one.
    pub fn substitute(&mut self, f: Bdd, function: &dyn Fn(u32) -> Option<Bdd>) -> Bdd {
        self.substitute_with(f, function, &mut FastMap::default())
    }

    fn substitute_with(&mut self, f: Bdd, function: &dyn Fn(u32) -> Option<Bdd>, known: &mut FastMap<Bdd, Bdd>) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let node = self.top(f);
        let low = self.substitute_with(Bdd(node.low), function, known);
        let high = self.substitute_with(Bdd(node.high), function, known);
        let condition = function(node.variable).unwrap_or_else(|| self.variable(node.variable));
        let result = self.ite(condition, high, low);
        known.insert(f, result);
        result
    }

    /// A function of another manager, in this one.
    pub fn copied(&mut self, other: &Manager, f: Bdd, known: &mut FastMap<Bdd, Bdd>) -> Bdd {
        if f == Self::TRUE || f == Self::FALSE {
            return f;
        }
        if let Some(known) = known.get(&f) {
            return *known;
        }
        let node = other.top(f);
        let low = self.copied(other, Bdd(node.low), known);
        let high = self.copied(other, Bdd(node.high), known);
        let result = self.node(node.variable, low, high);
        known.insert(f, result);
        result
    }

    /// Whether a diagram has at most so many nodes.
    pub fn is_small(&self, f: Bdd, most: usize) -> bool {
        let mut seen: FastMap<Bdd, ()> = FastMap::default();
        let mut pending = vec![f];
        while let Some(part) = pending.pop() {
            if part == Self::TRUE || part == Self::FALSE || seen.insert(part, ()).is_some() {
                continue;
            }
            if seen.len() > most {
                return false;
            }
            let node = self.top(part);
            pending.extend([Bdd(node.low), Bdd(node.high)]);
        }
        true
    }

    /// The value of a function where each variable has this value.
    pub fn evaluate(&self, f: Bdd, value: &dyn Fn(u32) -> bool) -> bool {
        let mut f = f;
        while f != Self::TRUE && f != Self::FALSE {
            let node = self.top(f);
            f = Bdd(if value(node.variable) { node.high } else { node.low });
        }
        f == Self::TRUE
    }

    /// How many nodes there are now, of all functions.
    pub fn size(&self) -> usize {
        self.nodes.used()
    }
}
