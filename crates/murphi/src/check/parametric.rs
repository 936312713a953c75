//! Decides which scalarsets and ranges are parametric, that is, of any size in proofs.
//!
//! A candidate is a scalarset, or a range whose bounds mention a named constant. It stays at its declared size
//! - if its values are used in ways that a scalarset does not permit (`flow.rs`),
//! - if values of ranges with other bounds flow into it, or
//! - if the value of a constant in its bounds matters elsewhere (a counter `0..N` beside the nodes `1..N`): the model
//!   would be a different one at each size, and an unintended one if the sizes varied independently.
//!
//! Two candidates with the same constant that do not mix become parametric independently: a proof then covers more
//! models than intended, including the intended ones.

use std::collections::{BTreeMap, BTreeSet};

use system::{Diagnostic, Span};

use super::constants::{ConstantId, Linear};
use super::flow::Flow;
use super::names::Entity;
use super::{CheckOptions, Checker};
use crate::model::{Obstacle, Parametric, ParametricDecision, ProofSize, TypeId, TypeKind};

/// Types whose values mix, and the obstacles to their being parametric.
struct Class {
    types: Vec<TypeId>,
    literals: Vec<i64>,
    ordered: bool,
    obstacle: Option<Obstacle>,
    /// By the user.
    forced: bool,
    kept: bool,
    /// Also if it has a single element.
    any_size: bool,
}

/// Why the value of a constant matters.
#[derive(Clone, Copy)]
enum Cause {
    /// The constant is used here, other than in the size of a type.
    Use(ConstantId, Span),
    /// It determines the size of a fixed type.
    Size(TypeId),
}

impl Checker {
    /// Decides, marks the types in the model, and reports options that cannot be satisfied.
    pub(super) fn decide_parametric(&mut self, options: &CheckOptions) {
        let forced = self.named_types(&options.parametric, "parametric");
        let kept = self.named_types(&options.fixed, "fixed");
        for ty in forced.iter().filter(|ty| kept.contains(ty)) {
            let name = self.short(*ty);
            self.report(Diagnostic::error(
                Span::default(),
                format!("`{name}` cannot be both parametric and fixed, as the options ask"),
            ));
        }
        let any_size = self.named_types(&options.any_size, "any size");
        let mut classes = self.classes(&forced, &kept);
        for class in &mut classes {
            class.any_size |= class.types.iter().any(|ty| any_size.contains(ty));
            let known = |ty: &TypeId| options.obstacles.get(&self.model.types[ty.0].span);
            class.obstacle = class
                .obstacle
                .take()
                .or_else(|| class.types.iter().find_map(known).cloned());
        }
        self.spread_constants(&mut classes);
        for class in &classes {
            self.decide(class);
        }
        self.model.decisions.sort_by_key(|decision| decision.span);
    }

    fn named_types(&mut self, names: &BTreeSet<String>, option: &str) -> BTreeSet<TypeId> {
        let mut types = BTreeSet::new();
        for name in names {
            let message = match self.scopes.lookup(name).map(|declared| declared.entity) {
                Some(Entity::Type(ty)) => match self.model.kind(ty) {
                    TypeKind::Scalarset { .. } | TypeKind::Range { .. } => {
                        types.insert(ty);
                        continue;
                    }
                    _ => format!("{option} {name}: `{name}` is neither a scalarset nor a range"),
                },
                Some(_) => format!("{option} {name}: `{name}` is not a type"),
                None => format!("{option} {name}: the model has no type `{name}`"),
            };
            let mut diagnostic = Diagnostic::error(Span::default(), message);
            let near = self.scopes.nearest(name, |entity| matches!(entity, Entity::Type(_)));
            if let (Some(near), None) = (near, self.scopes.lookup(name)) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            self.report(diagnostic);
        }
        types
    }

    /// All classes that contain a candidate.
    fn classes(&self, forced: &BTreeSet<TypeId>, kept: &BTreeSet<TypeId>) -> Vec<Class> {
        let mut flow = Flow::of(&self.model);
        self.unite_anonymous(&mut flow);
        let mut members: BTreeMap<usize, Vec<TypeId>> = BTreeMap::new();
        for index in 0..self.model.types.len() {
            let ty = TypeId(index);
            if matches!(self.model.kind(ty), TypeKind::Scalarset { .. } | TypeKind::Range { .. }) {
                members.entry(flow.class(ty)).or_default().push(ty);
            }
        }
        let mut classes = Vec::new();
        for (root, mut types) in members {
            let any = |set: &BTreeSet<TypeId>| types.iter().any(|ty| set.contains(ty));
            let (forced, kept) = (any(forced), any(kept));
            if !forced && !types.iter().any(|ty| self.is_candidate(*ty)) {
                continue;
            }
            // The representative is a named type if there is one.
            types.sort_by_key(|ty| (self.model.types[ty.0].name.is_none(), *ty));
            let literals = flow.literals(root);
            // The position of a named element in the order would be a further assumption.
            let named = flow
                .ordered(root)
                .filter(|_| !literals.is_empty())
                .map(|span| Obstacle {
                    reason: "its values are ordered, and one of them is named".to_owned(),
                    span,
                });
            let obstacle = flow
                .obstacle(root)
                .cloned()
                .or(named)
                .or_else(|| self.moving(&types, &literals))
                .or_else(|| self.other_bounds(&types));
            classes.push(Class {
                types,
                literals,
                ordered: flow.ordered(root).is_some(),
                obstacle,
                forced,
                kept,
                any_size: forced,
            });
        }
        classes
    }

    fn is_candidate(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Scalarset { .. } => true,
            _ => self.depends_on_constant(ty),
        }
    }

    /// Unites anonymous occurrences of `1..N` with each other, and with a declared type of these bounds.
    fn unite_anonymous(&self, flow: &mut Flow) {
        let same = |left: &TypeId, right: &TypeId| {
            let (left, right) = (&self.sizes[left], &self.sizes[right]);
            left.low.is_some() && left.high.is_some() && (&left.low, &left.high) == (&right.low, &right.high)
        };
        let is_named = |ty: &TypeId| self.model.types[ty.0].name.is_some();
        let is_range = |ty: &&TypeId| matches!(self.model.kind(**ty), TypeKind::Range { .. });
        let ranges: Vec<TypeId> = self
            .sizes
            .keys()
            .filter(is_range)
            .filter(|ty| self.depends_on_constant(**ty))
            .copied()
            .collect();
        for anonymous in ranges.iter().filter(|ty| !is_named(ty)) {
            let mut alike = ranges.iter().filter(|ty| same(ty, anonymous));
            let mut named = ranges.iter().filter(|ty| is_named(ty) && same(ty, anonymous));
            let partner = match (named.next(), named.next()) {
                (Some(only), None) => Some(only),
                _ => alike.find(|ty| !is_named(ty)),
            };
            if let Some(partner) = partner {
                flow.unite(*anonymous, *partner);
            }
        }
    }

    /// If the lower bound of a range depends on its size, other sizes have other elements, and a named element need not
    /// be among them.
    fn moving(&self, types: &[TypeId], literals: &[i64]) -> Option<Obstacle> {
        let moves = |ty: &&TypeId| {
            let bounds = self.sizes.get(ty).map(|size| (size.low.as_ref(), size.high.as_ref()));
            match (self.model.kind(**ty), bounds) {
                (TypeKind::Range { .. }, Some((Some(low), Some(high)))) => {
                    let constants = |bound: &Linear| self.with_mentions(bound.terms.keys().copied().collect());
                    let (low, high) = (constants(low), constants(high));
                    !low.is_empty() && (high.is_empty() || low.iter().any(|constant| high.contains(constant)))
                }
                (TypeKind::Range { .. }, Some(_)) => true,
                _ => false,
            }
        };
        let ty = types.iter().filter(|_| !literals.is_empty()).find(moves)?;
        Some(Obstacle {
            reason: "one of its values is named, and its first value is another one at another size".to_owned(),
            span: self.model.types[ty.0].span,
        })
    }

    /// Types of one class must have one size for all values of the constants.
    fn other_bounds(&self, types: &[TypeId]) -> Option<Obstacle> {
        let (first, others) = types.split_first()?;
        let bounds = |ty: &TypeId| {
            let size = self.sizes.get(ty)?;
            Some((size.low.as_ref()?, size.high.as_ref()?))
        };
        let odd = others
            .iter()
            .find(|ty| bounds(ty).is_none() || bounds(ty) != bounds(first))?;
        Some(Obstacle {
            reason: format!("its values are mixed with those of `{}`", self.type_text(*odd)),
            span: self.model.types[odd.0].span,
        })
    }

    /// A constant whose value matters fixes every type whose size mentions it, directly or indirectly; and the
    /// constants of a fixed type matter.
    fn spread_constants(&self, classes: &mut [Class]) {
        let mut matters: BTreeMap<ConstantId, Cause> = BTreeMap::new();
        let mut pending: Vec<(ConstantId, Cause)> = self
            .constant_uses
            .iter()
            .map(|(constant, span)| (*constant, Cause::Use(*constant, *span)))
            .collect();
        // In source order, so that the first use becomes the reason.
        pending.sort_by_key(|(_, cause)| std::cmp::Reverse(self.place_of_cause(*cause)));
        let mut spread = vec![false; classes.len()];
        loop {
            while let Some((constant, cause)) = pending.pop() {
                if matters.contains_key(&constant) {
                    continue;
                }
                matters.insert(constant, cause);
                let mentions = self.constants[constant.0].mentions.iter();
                pending.extend(mentions.map(|(inner, _)| (*inner, cause)));
            }
            for (class, spread) in classes.iter_mut().zip(&mut spread) {
                if *spread {
                    continue;
                }
                let mentioned = || class.types.iter().flat_map(|ty| self.mentions(*ty));
                if class.obstacle.is_none() && !self.has_chosen_size(class) {
                    let culprit = mentioned().find_map(|constant| Some((constant, *matters.get(&constant)?)));
                    class.obstacle = culprit.map(|(constant, cause)| self.obstacle(constant, cause));
                }
                if class.obstacle.is_some() || class.kept {
                    *spread = true;
                    pending.extend(mentioned().map(|constant| (constant, Cause::Size(class.types[0]))));
                }
            }
            if pending.is_empty() {
                return;
            }
        }
    }

    fn place_of_cause(&self, cause: Cause) -> Span {
        match cause {
            Cause::Use(_, span) => span,
            Cause::Size(ty) => self.model.types[ty.0].span,
        }
    }

    /// The obstacle that results from a constant whose value matters.
    fn obstacle(&self, constant: ConstantId, cause: Cause) -> Obstacle {
        let name = &self.constants[constant.0].name;
        let reason = match cause {
            Cause::Use(used, _) if used == constant => format!("the value of `{name}` matters here"),
            Cause::Use(used, _) => {
                let used = &self.constants[used.0].name;
                format!("the value of `{used}`, which depends on `{name}`, matters here")
            }
            Cause::Size(ty) => {
                let ty = self.type_text(ty);
                format!("the size of `{ty}`, which is fixed, depends on `{name}` too")
            }
        };
        Obstacle {
            reason,
            span: self.place_of_cause(cause),
        }
    }

    /// Whether the user detached the size of this scalarset from its declaration.
    fn has_chosen_size(&self, class: &Class) -> bool {
        class.types.iter().all(|ty| {
            let name = self.model.types[ty.0].name.as_ref();
            name.is_some_and(|name| self.overrides.scalarsets.contains_key(name))
        })
    }

    /// The constants that the size of a type depends on, directly mentioned ones first.
    fn mentions(&self, ty: TypeId) -> Vec<ConstantId> {
        let mentioned = self.sizes.get(&ty).map(|size| in_reverse(&size.mentions));
        self.with_mentions(mentioned.unwrap_or_default())
    }

    /// These constants and their transitive dependencies, last one first.
    fn with_mentions(&self, mut pending: Vec<ConstantId>) -> Vec<ConstantId> {
        let mut found: Vec<ConstantId> = Vec::new();
        while let Some(constant) = pending.pop() {
            if !found.contains(&constant) {
                found.push(constant);
                pending.extend(in_reverse(&self.constants[constant.0].mentions));
            }
        }
        found
    }

    /// The declared name, or the bounds as written.
    fn type_text(&self, ty: TypeId) -> String {
        let declared = &self.model.types[ty.0];
        if let Some(name) = &declared.name {
            return name.clone();
        }
        self.sizes
            .get(&ty)
            .map_or_else(|| self.short(ty), |size| size.text.clone())
    }

    fn decide(&mut self, class: &Class) {
        let representative = class.types[0];
        let (name, span) = (self.type_text(representative), self.model.types[representative.0].span);
        let obstacle = match &class.obstacle {
            Some(obstacle) => {
                if class.forced {
                    let message = format!("`{name}` cannot be of any size, as the option asks");
                    let mut diagnostic = Diagnostic::error(obstacle.span, message).label(obstacle.reason.clone());
                    diagnostic = diagnostic.related(span, "declared here");
                    self.report(diagnostic);
                }
                Some(obstacle.clone())
            }
            None if class.kept => Some(Obstacle {
                reason: "the option asks for it".to_owned(),
                span: Span::default(),
            }),
            None if self.is_single(class) && !class.any_size => Some(Obstacle {
                reason: "it is declared to have one element".to_owned(),
                span,
            }),
            None => None,
        };
        let outcome = match obstacle {
            Some(obstacle) => ProofSize::Fixed(obstacle),
            None => {
                for ty in &class.types {
                    self.model.types[ty.0].parametric = Some(Parametric {
                        literals: class.literals.clone(),
                        ordered: class.ordered,
                        representative,
                    });
                }
                ProofSize::Parametric {
                    literals: class.literals.clone(),
                }
            }
        };
        let declared = self.scopes.lookup(&name).map(|declared| declared.entity);
        let counting = class
            .types
            .iter()
            .find_map(|ty| self.sizes.get(ty)?.counting_constant());
        self.model.decisions.push(ParametricDecision {
            constant: counting.map(|constant| self.constants[constant.0].name.clone()),
            has_name: matches!(declared, Some(Entity::Type(ty)) if class.types.contains(&ty)),
            name,
            span,
            types: class.types.clone(),
            outcome,
        });
    }

    /// `scalarset(1)`, written literally: exactly one element is intended.
    fn is_single(&self, class: &Class) -> bool {
        class
            .types
            .iter()
            .all(|ty| matches!(self.model.kind(*ty), TypeKind::Scalarset { size: 1 }) && !self.depends_on_constant(*ty))
    }
}

fn in_reverse(mentions: &[(ConstantId, Span)]) -> Vec<ConstantId> {
    mentions.iter().rev().map(|(id, _)| *id).collect()
}
