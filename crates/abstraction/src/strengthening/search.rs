//! The search for an inductive set of facts.
//!
//! ```text
//! F := properties
//! while some rule does not keep some f in F:                      F and guard and not f[rule]   is satisfiable
//!     c := a cube around the state before, in no example, as general as that allows
//!     if there is one:   F := F and (forall x. not c(x))
//!     else if f is a property:   the search has failed
//!     else:              F := F without f, and all that relied on f is asked again
//! ```

use super::directed;
use super::induction::{Conjecture, Kept, Step, relations};
use crate::{Reason, SolverQuestion};
use deduction::Samples;
use deduction::generalisation::{Cube, generalise};
use deduction::houdini::{Houdini, Preservation, Steps};
use deduction::sufficient_facts;
use logic::substitute::functions_of;
use logic::{Function, Term};
use smt::{SolverError, Solvers};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use system::transition::Rule;
use system::{Successors, TransitionSystem};

/// How many states a search for one that contradicts a conjecture looks at.
const STATES: usize = 2000;

/// What a search begins with.
pub struct Known<'k> {
    /// Closed formulas that are to be proved, together.
    pub properties: &'k [Term],
    /// Closed formulas that are conjectured from the beginning.
    pub hints: &'k [Term],
    /// Closed formulas that are not to be proved: it is only said which of them the invariant implies.
    pub further: &'k [Term],
    /// Where the samples are not all states of their instance: finds more.
    pub explorer: Option<&'k dyn Successors>,
    /// More conjectures than this, chosen or only considered, are not made.
    pub conjectures: usize,
    /// More checks than this are not spent on what is inductive all the same where the search fails.
    pub last_checks: usize,
}

/// Closed formulas, the properties first; their conjunction is inductive.
pub struct Invariant {
    pub facts: Vec<Term>,
    /// By position: facts that are enough before any rule for this one to hold after it.
    pub premises: BTreeMap<usize, BTreeSet<usize>>,
    /// For each of the further formulas, whether the facts imply it.
    pub implied: Vec<bool>,
    pub conjectures: usize,
    pub withdrawn: usize,
}

/// What came of it.
pub enum StrengtheningResult {
    Proved(Invariant),
    Unknown {
        reason: Reason,
        /// Closed formulas that hold initially, and that every rule keeps where they and the properties hold before:
        /// they hold in every state up to the first in which a property fails.
        inductive: Vec<Term>,
    },
}

/// What the search tells.
pub enum Event<'e> {
    /// A conjecture, and which it protects.
    Conjecture(&'e Cube),
    /// A conjecture that fails, as this cube cannot be excluded.
    Withdrawn(&'e Cube, &'e Cube),
}

/// Proves the properties.
pub fn prove(
    system: &TransitionSystem,
    known: &Known,
    samples: &mut Samples,
    solvers: &Solvers,
    observe: &mut dyn FnMut(Event),
) -> Result<StrengtheningResult, SolverError> {
    let properties = known.properties;
    samples.listen_to(solvers.cancellation());
    let mut search = Search::new(system, known, samples, solvers, observe)?;
    if search.conjectures.len() < properties.len() {
        return Ok(StrengtheningResult::Unknown {
            reason: Reason::NotLookedAt,
            inductive: Vec::new(),
        });
    }
    for (property, formula) in properties.iter().enumerate() {
        if !search.holds_initially(property)? {
            return Ok(StrengtheningResult::Unknown {
                reason: Reason::MayFailInitially { property: *formula },
                inductive: Vec::new(),
            });
        }
        search.enqueue(property);
    }
    known.hints.iter().for_each(|hint| search.suggest(*hint));
    let mut cores: Vec<Option<Vec<usize>>> = Vec::new();
    loop {
        while let Some((conjecture, rule)) = search.pending.pop_front() {
            if let Some(reason) = search.discharge(conjecture, rule)? {
                let inductive = search.inductive(known.last_checks)?;
                return Ok(StrengtheningResult::Unknown { reason, inductive });
            }
        }
        cores.clear();
        let (numbers, facts) = search.believed();
        for further in known.further {
            let core = sufficient_facts(system, &facts, *further, solvers)?;
            cores.push(core.map(|core| core.into_iter().map(|fact| numbers[fact]).collect()));
        }
        if !search.rely_on(cores.iter().flatten().flatten().copied())? {
            break;
        }
    }
    let identity = Step::new(system, &Rule::identity(), false, solvers)?;
    search.proved(identity, known, &cores)
}

struct Search<'s> {
    samples: &'s mut Samples,
    explorer: Option<&'s dyn Successors>,
    /// Cubes that a short search did not reach.
    unreached: BTreeSet<Cube>,
    observe: &'s mut dyn FnMut(Event),
    /// State functions and rigid symbols, without those that could be any.
    global: BTreeSet<Function>,
    relations: BTreeSet<Function>,
    starts: Vec<Step>,
    rules: Vec<Step>,
    limit: usize,
    properties: usize,
    conjectures: Vec<Conjecture>,
    believed: Vec<bool>,
    /// Hints that nothing rests on so far: whether they hold does not matter.
    untested: BTreeSet<usize>,
    refused: Vec<Cube>,
    pending: VecDeque<(usize, usize)>,
    /// By conjecture and rule: the conjectures that were needed to show that the rule keeps it.
    reasons: BTreeMap<(usize, usize), Vec<usize>>,
}

impl<'s> Search<'s> {
    fn new(
        system: &TransitionSystem,
        known: &Known<'s>,
        samples: &'s mut Samples,
        solvers: &Solvers,
        observe: &'s mut dyn FnMut(Event),
    ) -> Result<Search<'s>, SolverError> {
        let properties = known.properties;
        let step = |rule, is_start| Step::new(system, rule, is_start, solvers);
        let symbols = system.state.iter().chain(&system.rigid).map(|symbol| symbol.function);
        Ok(Search {
            samples,
            explorer: known.explorer,
            unreached: BTreeSet::new(),
            observe,
            global: symbols.filter(|f| !system.arbitrary.contains(f)).collect(),
            relations: relations(system),
            starts: system.starts.iter().map(|r| step(r, true)).collect::<Result<_, _>>()?,
            rules: system.rules.iter().map(|r| step(r, false)).collect::<Result<_, _>>()?,
            limit: known.conjectures,
            properties: properties.len(),
            conjectures: properties
                .iter()
                .take_while(|_| !solvers.cancellation().is_cancelled())
                .map(|property| Conjecture::of_formula(*property))
                .collect(),
            believed: vec![true; properties.len()],
            untested: BTreeSet::new(),
            refused: Vec::new(),
            pending: VecDeque::new(),
            reasons: BTreeMap::new(),
        })
    }

    fn suggest(&mut self, hint: Term) {
        self.untested.insert(self.conjectures.len());
        self.conjectures.push(Conjecture::of_formula(hint));
        self.believed.push(true);
    }

    /// Hints among these conjectures now have to hold; whether there are any.
    fn rely_on(&mut self, conjectures: impl IntoIterator<Item = usize>) -> Result<bool, SolverError> {
        let mut any = false;
        for conjecture in conjectures {
            if self.untested.remove(&conjecture) {
                any = true;
                if self.holds_initially(conjecture)? {
                    self.enqueue(conjecture);
                } else {
                    self.withdraw(conjecture, None);
                }
            }
        }
        Ok(any)
    }

    fn holds_initially(&mut self, conjecture: usize) -> Result<bool, SolverError> {
        for start in &mut self.starts {
            let kept = start.keeps(&self.conjectures, &self.believed, conjecture, &self.global)?;
            if !matches!(kept, Kept::Yes(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn enqueue(&mut self, conjecture: usize) {
        let touching = |n: &usize| self.rules[*n].touches(&self.conjectures[conjecture]);
        let rules: Vec<usize> = (0..self.rules.len()).filter(touching).collect();
        self.pending.extend(rules.into_iter().map(|rule| (conjecture, rule)));
    }

    /// Makes sure that the rule keeps the conjecture, by further conjectures where they are needed, or withdraws it.
    /// Returns why the proof fails.
    fn discharge(&mut self, conjecture: usize, rule: usize) -> Result<Option<Reason>, SolverError> {
        while self.believed[conjecture] {
            let step = &mut self.rules[rule];
            let cube = match step.keeps(&self.conjectures, &self.believed, conjecture, &self.global)? {
                Kept::Yes(needed) => {
                    self.reasons.insert((conjecture, rule), needed.clone());
                    self.rely_on(needed)?;
                    return Ok(None);
                }
                Kept::Unknown(reason) => {
                    let (rule, fact) = (step.name.clone(), self.conjectures[conjecture].formula);
                    return Ok(Some(Reason::undecided(SolverQuestion::Kept { rule, fact }, reason)));
                }
                Kept::No(cube) => cube,
            };
            if self.conjectures.len() > self.limit {
                return Ok(Some(Reason::TooManyConjectures { limit: self.limit }));
            }
            if !self.exclude(&cube)? {
                if self.samples.is_interrupted() {
                    return Ok(Some(Reason::Cancelled));
                }
                if conjecture < self.properties {
                    let property = self.conjectures[conjecture].formula;
                    let rule = self.rules[rule].name.clone();
                    return Ok(Some(Reason::CannotExclude { property, rule, cube }));
                }
                self.withdraw(conjecture, Some(&cube));
            }
        }
        Ok(None)
    }

    /// Conjectures that the cube is unreachable; false where it cannot be. Of several ways to say it, the one that the
    /// fewest rules can break.
    fn exclude(&mut self, cube: &Cube) -> Result<bool, SolverError> {
        loop {
            let candidates = generalise(cube, self.samples, &self.refused, &self.relations);
            if candidates.is_empty() {
                return Ok(false);
            }
            if candidates.iter().any(|candidate| self.is_reached(candidate)) {
                continue;
            }
            let only = candidates.len() == 1;
            let mut best: Option<(usize, usize)> = None;
            for candidate in candidates {
                let number = self.conjectures.len();
                self.conjectures.push(Conjecture::of_cube(candidate.clone()));
                self.believed.push(true);
                let initially = self.holds_initially(number)?;
                if !initially {
                    self.refused.push(candidate);
                } else {
                    let least = best.map_or(usize::MAX, |(_, breaking)| breaking);
                    let breaking = if only { 0 } else { self.breaking(number, least)? };
                    if breaking < least {
                        best = Some((number, breaking));
                    }
                }
                self.believed[number] = false;
            }
            if let Some((number, _)) = best {
                self.believed[number] = true;
                self.enqueue(number);
                if let Some(cube) = &self.conjectures[number].cube {
                    (self.observe)(Event::Conjecture(cube));
                }
                return Ok(true);
            }
        }
    }

    /// Whether a short search finds a state that satisfies the cube, which no sample does.
    fn is_reached(&mut self, cube: &Cube) -> bool {
        let Some(explorer) = self.explorer else { return false };
        let reached =
            !self.unreached.contains(cube) && directed::is_reached(cube, None, self.samples, explorer, STATES);
        if !reached {
            self.unreached.insert(cube.clone());
        }
        reached
    }

    /// How many rules do not keep the conjecture, counted up to a limit.
    fn breaking(&mut self, conjecture: usize, limit: usize) -> Result<usize, SolverError> {
        let mut breaking = 0;
        for rule in &mut self.rules {
            if breaking < limit && rule.touches(&self.conjectures[conjecture]) {
                let breaks = rule.breaks(&self.conjectures, &self.believed, conjecture)?;
                breaking += usize::from(breaks);
            }
        }
        Ok(breaking)
    }

    fn withdraw(&mut self, conjecture: usize, because: Option<&Cube>) {
        self.believed[conjecture] = false;
        if let (Some(cube), Some(because)) = (&self.conjectures[conjecture].cube, because) {
            (self.observe)(Event::Withdrawn(cube, because));
            if let Some(explorer) = self.explorer {
                // One more sample says more than that this cube is refused.
                directed::is_reached(cube, Some(because), self.samples, explorer, STATES);
            }
            self.refused.push(cube.clone());
        }
        self.ask_again(conjecture);
    }

    /// What relied on the conjecture is open again.
    fn ask_again(&mut self, conjecture: usize) {
        let relied = |needed: &Vec<usize>| needed.contains(&conjecture);
        let again: Vec<(usize, usize)> = self
            .reasons
            .iter()
            .filter(|(_, needed)| relied(needed))
            .map(|(key, _)| *key)
            .collect();
        for key in again {
            self.reasons.remove(&key);
            self.pending.push_back(key);
        }
    }

    /// The largest set of conjectures that is inductive without further ones, given the properties: Houdini, with what
    /// is known already.
    fn inductive(mut self, max_checks: usize) -> Result<Vec<Term>, SolverError> {
        if max_checks == 0 {
            return Ok(Vec::new());
        }
        for hint in std::mem::take(&mut self.untested) {
            if !self.holds_initially(hint)? {
                self.withdraw(hint, None);
            }
        }
        for conjecture in self.properties..self.conjectures.len() {
            if self.believed[conjecture] {
                self.enqueue(conjecture);
            }
        }
        let mut houdini = Houdini::new(std::mem::take(&mut self.believed), max_checks);
        houdini.premises = std::mem::take(&mut self.reasons);
        let pending = std::mem::take(&mut self.pending);
        if !houdini.run(&mut self, pending)? {
            return Ok(Vec::new());
        }
        self.believed = houdini.standing;
        let (numbers, formulas) = self.believed();
        let lemmas = numbers.into_iter().zip(formulas);
        Ok(lemmas
            .filter(|(n, _)| *n >= self.properties)
            .map(|(_, fact)| fact)
            .collect())
    }

    /// The conjectures that have not been withdrawn, and their formulas.
    fn believed(&self) -> (Vec<usize>, Vec<Term>) {
        let believed = (0..self.conjectures.len()).filter(|n| self.believed[*n]);
        believed.map(|n| (n, self.conjectures[n].formula)).unzip()
    }

    /// The conjectures that were needed to show that rules keep this one.
    fn reasons_of(&self, conjecture: usize) -> impl Iterator<Item = usize> {
        let of_rules = self.reasons.range((conjecture, 0)..(conjecture + 1, 0));
        of_rules.flat_map(|(_, needed)| needed).copied()
    }

    /// The properties, and what they rest on, directly or not, without what follows from the rest. The conjectures that
    /// further formulas follow from (in `cores`, for those that do) are kept as well.
    fn proved(
        self,
        mut identity: Step,
        known: &Known,
        cores: &[Option<Vec<usize>>],
    ) -> Result<StrengtheningResult, SolverError> {
        let mut pending: Vec<usize> = (0..self.properties).collect();
        pending.extend(cores.iter().flatten().flatten());
        let mut needed = vec![false; self.conjectures.len()];
        while let Some(conjecture) = pending.pop() {
            if !std::mem::replace(&mut needed[conjecture], true) {
                pending.extend(self.reasons_of(conjecture));
            }
        }
        // What follows from the rest is left out, and where it was a reason, what it follows from is one instead.
        let mut superfluous: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for lemma in self.properties..self.conjectures.len() {
            if std::mem::replace(&mut needed[lemma], false) {
                match identity.keeps(&self.conjectures, &needed, lemma, &self.global)? {
                    Kept::Yes(core) => drop(superfluous.insert(lemma, core)),
                    _ => needed[lemma] = true,
                }
            }
        }
        let kept: Vec<usize> = (0..self.conjectures.len()).filter(|n| needed[*n]).collect();
        let formula = |conjecture: usize| match known.properties.get(conjecture) {
            Some(property) => *property,
            None => self.conjectures[conjecture].formula,
        };
        let premises = |conjecture: usize| {
            let mut pending: Vec<usize> = self.reasons_of(conjecture).collect();
            // A property as it is written may speak of more than what was asked about: a rule that changes nothing but
            // that keeps the property because it holds before.
            if !functions_of(formula(conjecture)).is_subset(&self.conjectures[conjecture].functions) {
                pending.push(conjecture);
            }
            let mut premises = BTreeSet::new();
            while let Some(reason) = pending.pop() {
                match superfluous.get(&reason) {
                    Some(core) => pending.extend(core),
                    None => premises.extend(kept.binary_search(&reason)),
                }
            }
            premises
        };
        Ok(StrengtheningResult::Proved(Invariant {
            facts: kept.iter().map(|n| formula(*n)).collect(),
            premises: kept.iter().map(|n| premises(*n)).enumerate().collect(),
            implied: cores.iter().map(Option::is_some).collect(),
            withdrawn: self.refused.len(),
            conjectures: self.conjectures.len(),
        }))
    }
}

/// A conjecture and a rule: only conjectures that are no properties may fall.
impl Steps for Search<'_> {
    type Obligation = (usize, usize);

    fn candidates(&self, (conjecture, _): (usize, usize)) -> Vec<usize> {
        match conjecture < self.properties {
            true => Vec::new(),
            false => vec![conjecture],
        }
    }

    fn check(
        &mut self,
        (conjecture, rule): (usize, usize),
        _: &[usize],
        standing: &[bool],
    ) -> Result<Preservation, SolverError> {
        self.rules[rule].preserves(&self.conjectures, standing, conjecture)
    }
}
