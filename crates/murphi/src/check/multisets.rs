//! The effect of a rule on a multiset must not depend on the order of its elements, since they have none.
//!
//! Exploration keeps elements sorted, proofs keep them at fixed indices, and symmetry reduction sorts them again. These
//! agree as long as no rule can distinguish the indices of elements. Three constructs could, and are rejected:
//! - `multisetremovepred` and `multisetcount` with a condition that has side effects, and `multisetremovepred` with one
//!   that reads the multiset other than at the current element: elements are visited one after another;
//! - an element bound by `choose` that is used after a removal followed by an addition: the new element may have taken
//!   the index of the old one;
//! - an element index of one multiset used to select from another.

use std::collections::{BTreeMap, BTreeSet};

use system::{Diagnostic, Span};

use super::Checker;
use crate::model::*;
use crate::visit;

impl Checker {
    pub(super) fn refuse_order_of_elements(&mut self) {
        let is_multiset = |ty: &Type| matches!(ty.kind, TypeKind::Multiset { .. });
        if self.model.types.iter().any(is_multiset) {
            let found = Order::new(&self.model).refusals();
            self.diagnostics.extend(found);
        }
    }
}

/// Effects on variables of the model, and on the targets of a subprogram's reference parameters and locals.
#[derive(Clone, Default, PartialEq)]
struct Effects {
    /// Multisets that are read.
    reads: BTreeSet<Key>,
    writes: BTreeSet<Key>,
    removes: BTreeSet<Key>,
    adds: BTreeSet<Key>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Variable(VariableId),
    Local(LocalId),
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.removes.extend(other.removes);
        self.adds.extend(other.adds);
    }

    fn mapped(&self, map: impl Fn(Key) -> Option<Key>) -> Effects {
        let all = |keys: &BTreeSet<Key>| keys.iter().copied().filter_map(&map).collect();
        Effects {
            reads: all(&self.reads),
            writes: all(&self.writes),
            removes: all(&self.removes),
            adds: all(&self.adds),
        }
    }
}

/// The code of a rule, property or subprogram, and its locals.
struct Unit<'m> {
    locals: &'m [Local],
    aliases: BTreeMap<LocalId, &'m Designator>,
    /// The multisets that locals index.
    elements: BTreeMap<LocalId, &'m Designator>,
    /// The effects of the code.
    writes: BTreeSet<Key>,
}

/// A designator with aliases resolved.
struct Place<'m> {
    root: Key,
    selectors: Vec<&'m Selector>,
}

impl<'m> Unit<'m> {
    fn new(locals: &'m [Local]) -> Unit<'m> {
        Unit {
            locals,
            aliases: BTreeMap::new(),
            elements: BTreeMap::new(),
            writes: BTreeSet::new(),
        }
    }

    fn context(&mut self, context: &'m [Context]) {
        for part in context {
            match part {
                Context::Alias(local, AliasTarget::Place(place)) => {
                    self.aliases.insert(*local, place);
                }
                Context::Choose { local, multiset } => {
                    self.elements.insert(*local, multiset);
                }
                Context::Alias(_, AliasTarget::Value(_)) | Context::Parameter(_) => {}
            }
        }
    }

    fn body(&mut self, body: &'m [Statement]) {
        visit::statements_in(body, &mut |statement| match &statement.kind {
            StatementKind::Alias { aliases, .. } => {
                for (local, target) in aliases {
                    if let AliasTarget::Place(place) = target {
                        self.aliases.insert(*local, place);
                    }
                }
            }
            StatementKind::MultisetRemoveIf { local, multiset, .. } => {
                self.elements.insert(*local, multiset);
            }
            _ => {}
        });
        visit::expressions_in(body, &mut |expression| self.bind_counted(expression));
    }

    fn bind_counted(&mut self, expression: &'m Expression) {
        if let ExpressionKind::MultisetCount { local, multiset, .. } = &expression.kind {
            self.elements.insert(*local, multiset);
        }
    }

    fn place(&self, designator: &'m Designator) -> Place<'m> {
        let mut place = match designator.root {
            Root::Variable(id) => Place {
                root: Key::Variable(id),
                selectors: Vec::new(),
            },
            Root::Local(id) => match self.aliases.get(&id) {
                Some(target) => self.place(target),
                None => Place {
                    root: Key::Local(id),
                    selectors: Vec::new(),
                },
            },
        };
        place.selectors.extend(&designator.selectors);
        place
    }

    /// Whether two places may overlap: a reference parameter may denote any variable.
    fn may_overlap(&self, a: Key, b: Key) -> bool {
        let is_reference = |key: Key| matches!(key, Key::Local(id) if self.locals[id.0].kind == LocalKind::Reference);
        a == b || is_reference(a) || is_reference(b)
    }

    fn overlaps_any(&self, keys: &BTreeSet<Key>, key: Key) -> bool {
        keys.iter().any(|other| self.may_overlap(*other, key))
    }
}

/// The local that holds an element index.
fn element(index: &Expression) -> Option<LocalId> {
    match &index.kind {
        ExpressionKind::Read(place) if place.selectors.is_empty() => match place.root {
            Root::Local(id) => Some(id),
            Root::Variable(_) => None,
        },
        _ => None,
    }
}

/// The places that a statement names directly, without those in its expressions.
fn places_of_statement(statement: &Statement) -> Vec<&Designator> {
    match &statement.kind {
        StatementKind::Assign { target, .. } => vec![target],
        StatementKind::Clear(place) | StatementKind::Undefine(place) => vec![place],
        StatementKind::MultisetAdd { multiset, .. } | StatementKind::MultisetRemove { multiset, .. } => vec![multiset],
        StatementKind::MultisetRemoveIf { multiset, .. } => vec![multiset],
        StatementKind::Havoc { targets, .. } => targets.iter().collect(),
        StatementKind::Call { arguments, .. } => arguments.iter().filter_map(reference).collect(),
        StatementKind::Alias { aliases, .. } => aliases.iter().filter_map(|(_, target)| aliased(target)).collect(),
        _ => Vec::new(),
    }
}

fn places_of_expression(expression: &Expression) -> Vec<&Designator> {
    match &expression.kind {
        ExpressionKind::Read(place) | ExpressionKind::IsUndefined(place) => vec![place],
        ExpressionKind::MultisetCount { multiset, .. } => vec![multiset],
        ExpressionKind::Call { arguments, .. } => arguments.iter().filter_map(reference).collect(),
        _ => Vec::new(),
    }
}

fn reference(argument: &Argument) -> Option<&Designator> {
    match argument {
        Argument::Reference(place) => Some(place),
        Argument::Value(_) => None,
    }
}

fn aliased(target: &AliasTarget) -> Option<&Designator> {
    match target {
        AliasTarget::Place(place) => Some(place),
        AliasTarget::Value(_) => None,
    }
}

struct Order<'m> {
    model: &'m Model,
    /// By subprogram.
    effects: Vec<Effects>,
    found: Vec<Diagnostic>,
}

/// What happened on the path to a statement.
#[derive(Clone, Default, PartialEq)]
struct Way {
    removed: BTreeSet<Key>,
    /// Whether a new element may have the index of an old one.
    reused: BTreeSet<Key>,
}

impl Way {
    fn join(&mut self, other: Way) {
        self.removed.extend(other.removed);
        self.reused.extend(other.reused);
    }
}

impl<'m> Order<'m> {
    fn new(model: &'m Model) -> Order<'m> {
        let mut order = Order {
            model,
            effects: vec![Effects::default(); model.subprograms.len()],
            found: Vec::new(),
        };
        // Fixpoint iteration, since calls may be recursive.
        loop {
            let before = order.effects.clone();
            for (number, subprogram) in model.subprograms.iter().enumerate() {
                let mut unit = Unit::new(&subprogram.locals);
                unit.body(&subprogram.body);
                let outside = |key: Key| match key {
                    Key::Variable(_) => Some(key),
                    Key::Local(id) => (subprogram.locals[id.0].kind == LocalKind::Reference).then_some(key),
                };
                order.effects[number] = order.effects_of_statements(&unit, &subprogram.body).mapped(outside);
            }
            if order.effects == before {
                return order;
            }
        }
    }

    fn refusals(mut self) -> Vec<Diagnostic> {
        let model = self.model;
        for subprogram in &model.subprograms {
            let mut unit = Unit::new(&subprogram.locals);
            unit.body(&subprogram.body);
            unit.writes = self.effects_of_statements(&unit, &subprogram.body).writes;
            self.check_code(&unit, &subprogram.body, &[]);
        }
        for rule in model.starts.iter().chain(&model.rules) {
            let mut unit = Unit::new(&rule.locals);
            unit.context(&rule.context);
            unit.body(&rule.body);
            let mut around = Vec::new();
            visit::expressions_around(&rule.context, rule.guard.as_ref(), &mut |e| around.push(e));
            around.iter().for_each(|expression| unit.bind_counted(expression));
            unit.writes = self.effects_of_statements(&unit, &rule.body).writes;
            for expression in &around {
                let effects = self.effects_of_operation(&unit, expression);
                unit.writes.extend(effects.writes);
            }
            self.check_code(&unit, &rule.body, &around);
            self.context(&unit, &rule.context);
            let chosen: BTreeSet<LocalId> = rule.context.iter().filter_map(chosen).collect();
            if !chosen.is_empty() {
                let mut way = Some(Way::default());
                for expression in around {
                    self.one_expression(&unit, expression, &mut way);
                }
                let mut walk = Walk {
                    order: &mut self,
                    unit: &unit,
                    chosen,
                };
                walk.statements(&rule.body, &mut way);
            }
        }
        for property in &model.properties {
            let mut unit = Unit::new(&property.locals);
            unit.context(&property.context);
            let mut around = Vec::new();
            visit::expressions_around(&property.context, Some(&property.condition), &mut |e| around.push(e));
            around.iter().for_each(|expression| unit.bind_counted(expression));
            self.check_code(&unit, &[], &around);
            self.context(&unit, &property.context);
        }
        self.found
    }

    fn context(&mut self, unit: &Unit<'m>, context: &'m [Context]) {
        for part in context {
            match part {
                Context::Alias(_, AliasTarget::Place(place)) => self.check_designator(unit, place),
                Context::Choose { multiset, .. } => self.check_designator(unit, multiset),
                Context::Alias(..) | Context::Parameter(_) => {}
            }
        }
    }

    /// Checks that need no control flow.
    fn check_code(&mut self, unit: &Unit<'m>, body: &'m [Statement], around: &[&'m Expression]) {
        let mut expressions = around.to_vec();
        visit::expressions_in(body, &mut |expression| expressions.push(expression));
        for expression in expressions {
            for place in places_of_expression(expression) {
                self.check_designator(unit, place);
            }
            if let ExpressionKind::MultisetCount { condition, .. } = &expression.kind {
                self.require_pure(unit, condition, "counted");
            }
        }
        let mut statements = Vec::new();
        visit::statements_in(body, &mut |statement| statements.push(statement));
        for statement in statements {
            for place in places_of_statement(statement) {
                self.check_designator(unit, place);
            }
            match &statement.kind {
                StatementKind::MultisetRemove { index, multiset } => {
                    self.check_element(unit, index, &unit.place(multiset));
                }
                StatementKind::MultisetRemoveIf {
                    local,
                    multiset,
                    condition,
                } => {
                    self.require_pure(unit, condition, "removed");
                    self.require_local_reads(unit, *local, multiset, condition);
                }
                _ => {}
            }
        }
    }

    /// Element indices in a designator must belong to the multisets that they select from.
    fn check_designator(&mut self, unit: &Unit<'m>, designator: &'m Designator) {
        let place = unit.place(designator);
        for (position, selector) in place.selectors.iter().enumerate() {
            if let Selector::Element(index) = selector {
                let multiset = Place {
                    root: place.root,
                    selectors: place.selectors[..position].to_vec(),
                };
                self.check_element(unit, index, &multiset);
            }
        }
    }

    fn check_element(&mut self, unit: &Unit<'m>, index: &'m Expression, multiset: &Place<'m>) {
        let Some(local) = element(index) else { return };
        let Some(own) = unit.elements.get(&local) else { return };
        if !is_same_place(unit, &unit.place(own), multiset) {
            let name = &unit.locals[local.0].name;
            let message = format!("`{name}` is not known to be an element of this multiset");
            let diagnostic = Diagnostic::error(index.span, message)
                .label(format!("`{name}` is an element of another multiset"))
                .related(own.span, "of this one")
                .help("a multiset has no order: the elements of two multisets do not correspond");
            self.report(diagnostic);
        }
    }

    fn require_pure(&mut self, unit: &Unit<'m>, condition: &'m Expression, what: &str) {
        let effects = self.effects_of_expression(unit, condition);
        if !effects.writes.is_empty() {
            let message = format!("which elements are {what} depends on the order in which they are looked at");
            let diagnostic = Diagnostic::error(condition.span, message)
                .label("this changes variables")
                .help("a multiset has no order: a condition on its elements must change nothing");
            self.report(diagnostic);
        }
    }

    fn require_local_reads(
        &mut self,
        unit: &Unit<'m>,
        local: LocalId,
        multiset: &'m Designator,
        condition: &'m Expression,
    ) {
        let own = unit.place(multiset);
        let mut span = None;
        visit::expressions_below(condition, &mut |expression| {
            let is_foreign = |place: &&Designator| {
                let place = unit.place(place);
                let depth = own.selectors.len();
                let is_own = place.selectors.len() > depth
                    && matches!(place.selectors[depth], Selector::Element(index) if element(index) == Some(local));
                unit.may_overlap(place.root, own.root) && !is_own
            };
            let mut places = places_of_expression(expression).into_iter();
            let looks = places.any(|place| self.depends_on_multiset(unit, place) && is_foreign(&place));
            let calls = match &expression.kind {
                ExpressionKind::Call { subprogram, .. } => {
                    let reads = &self.effects[subprogram.0].reads;
                    // Reads through references are by name here.
                    let is_variable = |key: &Key| matches!(key, Key::Variable(_)) && unit.may_overlap(*key, own.root);
                    reads.iter().any(is_variable)
                }
                _ => false,
            };
            if looks || calls {
                span.get_or_insert(expression.span);
            }
        });
        if let Some(span) = span {
            let message = "which elements are removed depends on the order in which they are looked at";
            let diagnostic = Diagnostic::error(span, message)
                .label("this reads the multiset that elements are being removed from")
                .help(
                    "a multiset has no order: compute what the condition needs before, or remove elements by `choose`",
                );
            self.report(diagnostic);
        }
    }

    /// Whether the place depends on the elements of a multiset.
    fn depends_on_multiset(&self, unit: &Unit<'m>, designator: &'m Designator) -> bool {
        let is_element = |selector: &&Selector| matches!(selector, Selector::Element(_));
        unit.place(designator).selectors.iter().any(is_element) || self.holds_multiset(designator.ty)
    }

    fn holds_multiset(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Multiset { .. } => true,
            TypeKind::Record { fields } => fields.iter().any(|field| self.holds_multiset(field.ty)),
            TypeKind::Array { element, .. } | TypeKind::List { element } => self.holds_multiset(*element),
            _ => false,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let is_known = |known: &Diagnostic| known.span == diagnostic.span;
        if !self.found.iter().any(is_known) {
            self.found.push(diagnostic);
        }
    }

    fn effects_of_statements(&self, unit: &Unit<'m>, body: &'m [Statement]) -> Effects {
        let mut effects = Effects::default();
        visit::statements_in(body, &mut |statement| {
            effects.add(self.effects_of_statement(unit, statement))
        });
        visit::expressions_in(body, &mut |expression| {
            effects.add(self.effects_of_operation(unit, expression))
        });
        effects
    }

    /// The effects of the statement alone, without nested expressions and statements.
    fn effects_of_statement(&self, unit: &Unit<'m>, statement: &'m Statement) -> Effects {
        let mut effects = Effects::default();
        let key = |place: &'m Designator| unit.place(place).root;
        match &statement.kind {
            StatementKind::Assign { target: place, .. }
            | StatementKind::Clear(place)
            | StatementKind::Undefine(place) => {
                effects.writes.insert(key(place));
                // All elements are replaced.
                if self.holds_multiset(place.ty) {
                    effects.removes.insert(key(place));
                    effects.adds.insert(key(place));
                }
            }
            StatementKind::MultisetAdd { multiset, .. } => {
                effects.writes.insert(key(multiset));
                effects.adds.insert(key(multiset));
            }
            StatementKind::MultisetRemove { multiset, .. } | StatementKind::MultisetRemoveIf { multiset, .. } => {
                effects.writes.insert(key(multiset));
                effects.removes.insert(key(multiset));
            }
            StatementKind::Havoc { targets, .. } => effects.writes.extend(targets.iter().map(key)),
            StatementKind::Call { subprogram, arguments } => {
                effects.add(self.effects_of_call(unit, *subprogram, arguments))
            }
            _ => {}
        }
        effects
    }

    fn effects_of_expression(&self, unit: &Unit<'m>, expression: &'m Expression) -> Effects {
        let mut effects = Effects::default();
        visit::expressions_below(expression, &mut |inner| {
            effects.add(self.effects_of_operation(unit, inner))
        });
        effects
    }

    /// The effects of the outermost operation alone.
    fn effects_of_operation(&self, unit: &Unit<'m>, expression: &'m Expression) -> Effects {
        let mut effects = Effects::default();
        for place in places_of_expression(expression) {
            if self.depends_on_multiset(unit, place) {
                effects.reads.insert(unit.place(place).root);
            }
        }
        if let ExpressionKind::Call { subprogram, arguments } = &expression.kind {
            effects.add(self.effects_of_call(unit, *subprogram, arguments));
        }
        effects
    }

    fn effects_of_call(&self, unit: &Unit<'m>, callee: SubprogramId, arguments: &'m [Argument]) -> Effects {
        let parameters = &self.model.subprograms[callee.0].parameters;
        self.effects[callee.0].mapped(|key| match key {
            Key::Variable(_) => Some(key),
            Key::Local(id) => {
                let position = parameters.iter().position(|parameter| *parameter == id)?;
                reference(arguments.get(position)?).map(|place| unit.place(place).root)
            }
        })
    }

    fn one_expression(&self, unit: &Unit<'m>, expression: &'m Expression, way: &mut Option<Way>) {
        compose(unit, way, &self.effects_of_operation(unit, expression));
    }
}

/// The local of a `choose` around a rule.
fn chosen(part: &Context) -> Option<LocalId> {
    match part {
        Context::Choose { local, .. } => Some(*local),
        Context::Parameter(_) | Context::Alias(..) => None,
    }
}

/// Sequentially composes an effect.
fn compose(unit: &Unit, way: &mut Option<Way>, effects: &Effects) {
    let Some(way) = way else { return };
    way.removed.extend(&effects.removes);
    let reused = effects.adds.iter().filter(|key| unit.overlaps_any(&way.removed, **key));
    way.reused.extend(reused);
}

fn is_same_place(unit: &Unit, a: &Place, b: &Place) -> bool {
    let is_same = |(a, b): (&&Selector, &&Selector)| match (a, b) {
        (Selector::Field(a), Selector::Field(b)) => a == b,
        (Selector::Index(a), Selector::Index(b)) | (Selector::Element(a), Selector::Element(b)) => {
            is_same_value(unit, a, b)
        }
        _ => false,
    };
    a.root == b.root && a.selectors.len() == b.selectors.len() && a.selectors.iter().zip(&b.selectors).all(is_same)
}

/// The same constant, or the same variable that the code does not change.
fn is_same_value(unit: &Unit, a: &Expression, b: &Expression) -> bool {
    match (&a.kind, &b.kind) {
        (ExpressionKind::Literal(a), ExpressionKind::Literal(b)) => a == b,
        (ExpressionKind::Convert(a), ExpressionKind::Convert(b)) => is_same_value(unit, a, b),
        (ExpressionKind::Read(a), ExpressionKind::Read(b)) => {
            let (a, b) = (unit.place(a), unit.place(b));
            is_same_place(unit, &a, &b) && !unit.overlaps_any(&unit.writes, a.root)
        }
        _ => false,
    }
}

/// Traverses the body of a rule under `choose`.
struct Walk<'w, 'm> {
    order: &'w mut Order<'m>,
    unit: &'w Unit<'m>,
    chosen: BTreeSet<LocalId>,
}

impl<'m> Walk<'_, 'm> {
    /// `None` on unreachable paths.
    fn statements(&mut self, body: &'m [Statement], way: &mut Option<Way>) {
        for statement in body {
            if way.is_none() {
                return;
            }
            self.statement(statement, way);
        }
    }

    fn statement(&mut self, statement: &'m Statement, way: &mut Option<Way>) {
        match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                let mut end: Option<Way> = None;
                for (condition, body) in branches {
                    self.expression(condition, way);
                    let mut inner = way.clone();
                    self.statements(body, &mut inner);
                    join(&mut end, inner);
                }
                self.statements(otherwise, way);
                join(way, end);
            }
            StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => {
                self.expression(subject, way);
                let mut end: Option<Way> = None;
                for (labels, body) in cases {
                    labels.iter().for_each(|label| self.expression(label, way));
                    let mut inner = way.clone();
                    self.statements(body, &mut inner);
                    join(&mut end, inner);
                }
                self.statements(otherwise, way);
                join(way, end);
            }
            StatementKind::For { body, .. } | StatementKind::While { body, .. } => {
                // Twice: effects of one iteration reach the next one.
                for _ in 0..2 {
                    self.check_operation(statement, way);
                    let mut round = way.clone();
                    self.statements(body, &mut round);
                    join(way, round);
                }
            }
            StatementKind::Alias { body, .. } => {
                self.check_operation(statement, way);
                self.statements(body, way);
            }
            StatementKind::Return(_) => {
                self.check_operation(statement, way);
                *way = None;
            }
            _ => self.check_operation(statement, way),
        }
    }

    /// The effects of a statement, without nested statements.
    fn check_operation(&mut self, statement: &'m Statement, way: &mut Option<Way>) {
        let mut expressions = Vec::new();
        visit::expressions_of(statement, &mut |expression| expressions.push(expression));
        for expression in expressions {
            self.expression(expression, way);
        }
        // Aliasing an element is no use; using the alias is.
        if !matches!(statement.kind, StatementKind::Alias { .. }) {
            places_of_statement(statement)
                .into_iter()
                .for_each(|place| self.check_use(place, way));
        }
        if let StatementKind::MultisetRemove { index, multiset } = &statement.kind {
            self.check_element_use(index, self.unit.place(multiset).root, index.span, way);
        }
        compose(self.unit, way, &self.order.effects_of_statement(self.unit, statement));
        if let StatementKind::Call { arguments, .. } = &statement.kind {
            arguments
                .iter()
                .filter_map(reference)
                .for_each(|place| self.check_use(place, way));
        }
    }

    fn expression(&mut self, expression: &'m Expression, way: &mut Option<Way>) {
        let mut all = Vec::new();
        visit::expressions_below(expression, &mut |inner| all.push(inner));
        for inner in &all {
            self.order.one_expression(self.unit, inner, way);
        }
        for inner in all {
            places_of_expression(inner)
                .into_iter()
                .for_each(|place| self.check_use(place, way));
        }
    }

    fn check_use(&mut self, designator: &'m Designator, way: &Option<Way>) {
        let place = self.unit.place(designator);
        for selector in &place.selectors {
            if let Selector::Element(index) = selector {
                self.check_element_use(index, place.root, designator.span, way);
            }
        }
    }

    fn check_element_use(&mut self, index: &'m Expression, root: Key, span: Span, way: &Option<Way>) {
        let Some(local) = element(index).filter(|local| self.chosen.contains(local)) else {
            return;
        };
        if way
            .as_ref()
            .is_some_and(|way| self.unit.overlaps_any(&way.reused, root))
        {
            let name = &self.unit.locals[local.0].name;
            let message = format!("`{name}` may be another element by now");
            let diagnostic = Diagnostic::error(span, message)
                .label("used after an element was removed and another one added")
                .help("a multiset has no order: read what is needed of an element before something takes its place");
            self.order.report(diagnostic);
        }
    }
}

fn join(way: &mut Option<Way>, other: Option<Way>) {
    match (way.as_mut(), other) {
        (Some(way), Some(other)) => way.join(other),
        (None, other) => *way = other,
        (Some(_), None) => {}
    }
}
