//! Designators: names, fields and elements, and which of them are writable.

use system::{Diagnostic, Span};

use super::names::{Entity, nearest};
use super::{BOOLEAN, Checker, ERROR, INTEGER, LocalDetail, Owner, ReadOnly};
use crate::model::{
    Binary, Designator, Expression, ExpressionKind, LocalId, LocalKind, Root, Selector, TypeId, TypeKind,
};
use crate::syntax;

/// The resolution of a designator.
pub(super) enum Resolved {
    Place(Designator),
    /// A constant, an enumerator or an uninterpreted constant.
    Value(Expression),
    /// Reported.
    Wrong,
}

impl Checker {
    /// Names, fields and elements; deep chains are traversed without recursion.
    pub(super) fn resolve(&mut self, expression: &syntax::Expression) -> Resolved {
        let mut selectors = Vec::new();
        let mut base = expression;
        while let syntax::ExpressionKind::Field(inner, _) | syntax::ExpressionKind::Index(inner, _) = &base.kind {
            selectors.push(base);
            base = inner;
        }
        let mut place = match &base.kind {
            syntax::ExpressionKind::Name(name) => match self.name(name) {
                Resolved::Place(place) => place,
                Resolved::Value(value) if selectors.is_empty() => return Resolved::Value(value),
                Resolved::Value(value) => {
                    let found = self.describe(value.ty);
                    self.report(
                        Diagnostic::error(name.span, format!("`{}` has no parts", name.text))
                            .label(format!("this is {found}")),
                    );
                    return Resolved::Wrong;
                }
                Resolved::Wrong => {
                    self.indices(&selectors);
                    return Resolved::Wrong;
                }
            },
            syntax::ExpressionKind::Error => return Resolved::Wrong,
            _ => {
                self.report(
                    Diagnostic::error(base.span, "parts can be selected from variables only")
                        .label("this is a computed value")
                        .help("give it a name first: `alias name: ... do`"),
                );
                return Resolved::Wrong;
            }
        };
        while let Some(selector) = selectors.pop() {
            if !self.select(&mut place, selector) {
                self.indices(&selectors);
                return Resolved::Wrong;
            }
        }
        if selectors.is_empty() && place.selectors.is_empty() && self.multiset_of(&place).is_some() {
            return self.stray_element_number(&place);
        }
        Resolved::Place(place)
    }

    /// Checks index expressions of an invalid designator for errors of their own.
    fn indices(&mut self, selectors: &[&syntax::Expression]) {
        for selector in selectors.iter().rev() {
            if let syntax::ExpressionKind::Index(_, index) = &selector.kind {
                self.expression(index);
            }
        }
    }

    fn name(&mut self, name: &syntax::Identifier) -> Resolved {
        let span = name.span;
        let Some(declared) = self.scopes.lookup(&name.text) else {
            let is_value = |entity| !matches!(entity, Entity::Type(_) | Entity::Subprogram(_));
            self.report_unknown(name, "name", is_value);
            return Resolved::Wrong;
        };
        match declared.entity {
            Entity::Constant(id) => {
                self.constant_uses.push((id, span));
                let constant = &self.constants[id.0];
                match constant.value {
                    Some(value) => Resolved::Value(self.literal(value, constant.ty, span)),
                    None => Resolved::Wrong,
                }
            }
            Entity::Enumerator { ty, position } => Resolved::Value(self.literal(position, ty, span)),
            Entity::Variable(id) => {
                if !self.may_read_state(name) {
                    return Resolved::Wrong;
                }
                let ty = self.model.variables[id.0].ty;
                self.root(Root::Variable(id), ty, span)
            }
            Entity::Local(id) => {
                let ty = self.frame.locals[id.0].ty;
                if let Some(value) = self.frame.details[id.0].constant {
                    return Resolved::Value(self.literal(value, ty, span));
                }
                self.root(Root::Local(id), ty, span)
            }
            Entity::Uninterpreted(id) => {
                let symbol = &self.model.uninterpreted[id.0];
                if !symbol.parameters.is_empty() {
                    return self.not_a_value(name, "it is a function and needs arguments", declared.span);
                }
                Resolved::Value(Expression {
                    kind: ExpressionKind::Apply {
                        symbol: id,
                        arguments: Vec::new(),
                    },
                    ty: symbol.result,
                    span,
                })
            }
            Entity::Index(position) => self.index_variable(name, position),
            Entity::Type(_) => self.not_a_value(name, "this is a type", declared.span),
            Entity::Subprogram(_) => {
                let label = format!("a call is written `{}(...)`", name.text);
                self.not_a_value(name, &label, declared.span)
            }
        }
    }

    fn not_a_value(&mut self, name: &syntax::Identifier, label: &str, declared: Span) -> Resolved {
        self.report(
            Diagnostic::error(name.span, format!("`{}` is not a value", name.text))
                .label(label)
                .related(declared, "declared here"),
        );
        Resolved::Wrong
    }

    fn root(&self, root: Root, ty: TypeId, span: Span) -> Resolved {
        if self.is_error(ty) {
            return Resolved::Wrong;
        }
        Resolved::Place(Designator {
            root,
            selectors: Vec::new(),
            ty,
            span,
        })
    }

    /// Axioms hold in all states and constants are state-independent, so neither may read the state.
    fn may_read_state(&mut self, name: &syntax::Identifier) -> bool {
        let complaint = match self.frame.owner {
            Owner::Axiom => "an axiom cannot read the state",
            Owner::Declaration => "a declaration cannot read the state",
            _ => return true,
        };
        self.report(Diagnostic::error(name.span, complaint).label(format!("the value of `{}` changes", name.text)));
        false
    }

    fn index_variable(&mut self, name: &syntax::Identifier, position: usize) -> Resolved {
        if self.frame.owner != Owner::Predicate {
            self.report(
                Diagnostic::error(
                    name.span,
                    format!("the index variable `{}` has no meaning here", name.text),
                )
                .label("only predicates may mention it")
                .related(self.index_variables[position].span, "declared here"),
            );
            return Resolved::Wrong;
        }
        let ty = self.index_variables[position].ty;
        let local = match self.frame.index_locals.get(&position) {
            Some(local) => *local,
            None => {
                let declared = syntax::Identifier {
                    text: name.text.clone(),
                    span: self.index_variables[position].span,
                };
                let detail = LocalDetail {
                    read_only: Some(ReadOnly::Bound),
                    ..LocalDetail::default()
                };
                let local = self.add_local(&declared, ty, LocalKind::Bound, detail);
                self.frame.index_locals.insert(position, local);
                local
            }
        };
        self.root(Root::Local(local), ty, name.span)
    }

    /// Adds one selector; false after reporting an error.
    fn select(&mut self, place: &mut Designator, selector: &syntax::Expression) -> bool {
        let selected = match &selector.kind {
            syntax::ExpressionKind::Field(_, field) => self.select_field(place, field),
            syntax::ExpressionKind::Index(_, index) => self.select_element(place, index),
            _ => None,
        };
        let Some((selector_found, ty)) = selected else {
            return false;
        };
        place.selectors.push(selector_found);
        place.ty = ty;
        place.span = place.span.to(selector.span);
        !self.is_error(ty)
    }

    fn select_field(&mut self, place: &Designator, name: &syntax::Identifier) -> Option<(Selector, TypeId)> {
        let TypeKind::Record { fields } = self.model.kind(place.ty) else {
            let found = self.describe(place.ty);
            let mut diagnostic =
                Diagnostic::error(place.span, "only records have fields").label(format!("this is {found}"));
            if matches!(self.model.kind(place.ty), TypeKind::Array { .. }) {
                diagnostic = diagnostic.help("select an element first: `[...]`");
            }
            self.report(diagnostic);
            return None;
        };
        if let Some(position) = fields.iter().position(|field| field.name == name.text) {
            return Some((Selector::Field(position), fields[position].ty));
        }
        let near = nearest(&name.text, fields.iter().map(|field| field.name.as_str()));
        let names: Vec<String> = fields.iter().take(8).map(|field| format!("`{}`", field.name)).collect();
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its fields are {}", names.join(", ")),
        };
        let found = self.describe(place.ty);
        self.report(
            Diagnostic::error(name.span, format!("{found} has no field `{}`", name.text))
                .label("no such field")
                .help(help),
        );
        None
    }

    fn select_element(&mut self, place: &Designator, index: &syntax::Expression) -> Option<(Selector, TypeId)> {
        match *self.model.kind(place.ty) {
            TypeKind::Array { index: ty, element } => {
                let index = self.expression_of(index, ty, "the index");
                Some((Selector::Index(index), element))
            }
            TypeKind::Multiset { element, .. } => {
                let index = self.element_number(index, place.ty)?;
                Some((Selector::Element(index), element))
            }
            _ => {
                let found = self.describe(place.ty);
                self.report(
                    Diagnostic::error(place.span, "only arrays and multisets have elements")
                        .label(format!("this is {found}")),
                );
                self.expression(index);
                None
            }
        }
    }

    /// The type of the multiset whose elements this local indexes.
    fn multiset_of(&self, place: &Designator) -> Option<TypeId> {
        match place.root {
            Root::Local(LocalId(local)) => self.frame.details[local].multiset,
            Root::Variable(_) => None,
        }
    }

    fn stray_element_number(&mut self, place: &Designator) -> Resolved {
        self.report(
            Diagnostic::error(place.span, "this denotes an element of a multiset, not a number")
                .label("it can only select that element or remove it"),
        );
        Resolved::Wrong
    }

    /// The index of a multiset element: a name bound by `choose`, `multisetcount` or `multisetremovepred`.
    pub(super) fn element_number(&mut self, index: &syntax::Expression, multiset: TypeId) -> Option<Expression> {
        let bound = match &index.kind {
            syntax::ExpressionKind::Name(name) => match self.scopes.lookup(&name.text).map(|found| found.entity) {
                Some(Entity::Local(local)) => self.frame.details[local.0].multiset.map(|ty| (local, ty)),
                _ => None,
            },
            _ => None,
        };
        let Some((local, ty)) = bound else {
            let value = self.expression(index);
            if !self.is_wrong(&value) {
                self.report(
                    Diagnostic::error(index.span, "an element of a multiset is not selected by a value")
                        .label("write a name that `choose` binds"),
                );
            }
            return None;
        };
        if !self.same_type(ty, multiset) {
            self.report(
                Diagnostic::error(index.span, "this denotes an element of another multiset")
                    .label(format!("it is bound to {}", self.describe(ty))),
            );
            return None;
        }
        let ty = self.frame.locals[local.0].ty;
        let place = Designator {
            root: Root::Local(local),
            selectors: Vec::new(),
            ty,
            span: index.span,
        };
        Some(Expression {
            kind: ExpressionKind::Read(place),
            ty,
            span: index.span,
        })
    }

    /// A place, writable or not; `what` describes its use, as in "the operand of `isundefined`".
    pub(super) fn place(&mut self, expression: &syntax::Expression, what: &str) -> Option<Designator> {
        if is_designator(expression) {
            return match self.resolve(expression) {
                Resolved::Place(place) => Some(place),
                Resolved::Value(value) => {
                    self.report(
                        Diagnostic::error(value.span, format!("{what} must be a variable")).label("this is a constant"),
                    );
                    None
                }
                Resolved::Wrong => None,
            };
        }
        let label = if matches!(expression.kind, syntax::ExpressionKind::Undefined) {
            "this is no variable"
        } else {
            let value = self.expression(expression);
            if self.is_wrong(&value) {
                return None;
            }
            "this is a computed value"
        };
        self.report(Diagnostic::error(expression.span, format!("{what} must be a variable")).label(label));
        None
    }

    /// A writable place; `what` as in "the target of an assignment".
    pub(super) fn target(&mut self, expression: &syntax::Expression, what: &str) -> Option<Designator> {
        let place = self.place(expression, what)?;
        self.require_writable(&place, what).then_some(place)
    }

    pub(super) fn require_writable(&mut self, place: &Designator, what: &str) -> bool {
        let Root::Local(id) = place.root else { return true };
        let Some(read_only) = self.frame.details[id.0].read_only else {
            return true;
        };
        let local = &self.frame.locals[id.0];
        let (name, declared) = (local.name.clone(), local.span);
        let (label, help) = match read_only {
            ReadOnly::Loop if local.kind == LocalKind::Bound => {
                self.frame.details[id.0].assigned = true;
                return true;
            }
            ReadOnly::Loop | ReadOnly::Bound => ("its value is bound", None),
            ReadOnly::Value => (
                "it is a parameter by value",
                (local.kind == LocalKind::Value)
                    .then(|| format!("declare the parameter as `var {name}` to change the argument")),
            ),
            ReadOnly::AliasOfValue => ("it is another name of a computed value", None),
        };
        let mut diagnostic = Diagnostic::error(place.span, format!("{what} cannot be `{name}`"))
            .label(label)
            .related(declared, "declared here");
        diagnostic.help = help;
        self.report(diagnostic);
        false
    }

    /// Why the root of a place is read-only, if it is.
    pub(super) fn read_only(&self, place: &Designator) -> Option<ReadOnly> {
        match place.root {
            Root::Local(LocalId(local)) => self.frame.details[local].read_only,
            Root::Variable(_) => None,
        }
    }

    pub(super) fn is_undefined(&mut self, operand: &syntax::Expression, span: Span) -> Expression {
        // CMurphi accepts constants, too.
        let constant = match operand.kind {
            syntax::ExpressionKind::Boolean(_) | syntax::ExpressionKind::Number(_) => true,
            syntax::ExpressionKind::Name(ref name) => {
                let found = self.scopes.lookup(&name.text).map(|declared| declared.entity);
                matches!(found, Some(Entity::Constant(_) | Entity::Enumerator { .. }))
            }
            _ => false,
        };
        if constant {
            self.report(Diagnostic::warning(span, "this is always false").label("a constant is always defined"));
            return self.literal(0, BOOLEAN, span);
        }
        let Some(place) = self.place(operand, "the operand of `isundefined`") else {
            return self.wrong(BOOLEAN, span);
        };
        if !self.is_simple(place.ty) && !matches!(self.model.kind(place.ty), TypeKind::List { .. }) {
            let found = self.describe(place.ty);
            self.report(
                Diagnostic::error(place.span, "only a single value can be undefined").label(format!("this is {found}")),
            );
            return self.wrong(BOOLEAN, span);
        }
        Expression {
            kind: ExpressionKind::IsUndefined(place),
            ty: BOOLEAN,
            span,
        }
    }

    pub(super) fn is_member(
        &mut self,
        operand: &syntax::Expression,
        member: &syntax::TypeExpression,
        span: Span,
    ) -> Expression {
        let value = self.expression(operand);
        let ty = self.type_expression(member);
        if self.is_wrong(&value) || self.is_error(ty) {
            return self.wrong(BOOLEAN, span);
        }
        if let TypeKind::Union { members } = self.model.kind(value.ty) {
            if let Some(ty) = members.iter().find(|found| **found == ty).copied() {
                return Expression {
                    kind: ExpressionKind::IsMember(Box::new(value), ty),
                    ty: BOOLEAN,
                    span,
                };
            }
            let names: Vec<String> = members
                .iter()
                .map(|member| format!("`{}`", self.short(*member)))
                .collect();
            let (found, union) = (self.short(ty), self.short(value.ty));
            self.report(
                Diagnostic::error(member.span, format!("`{found}` is not a member of `{union}`"))
                    .label("not a member")
                    .help(format!("its members are {}", names.join(", "))),
            );
            return self.wrong(BOOLEAN, span);
        }
        // CMurphi accepts other types, too: the answer is constant, but an undefined value is still an error.
        let same = value.ty == ty;
        let found = self.describe(value.ty);
        self.report(
            Diagnostic::warning(span, format!("this is always {same}")).label(format!("{found} is not a union")),
        );
        let operator = if same { Binary::Equal } else { Binary::NotEqual };
        Expression {
            kind: ExpressionKind::Binary(operator, Box::new(value.clone()), Box::new(value)),
            ty: BOOLEAN,
            span,
        }
    }

    /// A multiset, and a local in a new scope that indexes its elements. The caller closes the scope.
    pub(super) fn open_multiset(
        &mut self,
        name: &syntax::Identifier,
        multiset: &syntax::Expression,
    ) -> Option<(LocalId, Designator)> {
        let place = self.place(multiset, "what is chosen from");
        let place = place.filter(|place| self.require_multiset(place));
        let detail = |multiset| LocalDetail {
            read_only: Some(ReadOnly::Bound),
            multiset,
            ..LocalDetail::default()
        };
        self.scopes.push(Default::default());
        let (ty, detail) = match place.as_ref().map(|place| (place.ty, self.model.kind(place.ty))) {
            Some((ty, TypeKind::Multiset { capacity, .. })) => {
                let numbers = TypeKind::Range {
                    low: 0,
                    high: capacity - 1,
                };
                (self.add_type(numbers, multiset.span), detail(Some(ty)))
            }
            _ => (ERROR, detail(None)),
        };
        let local = self.add_local(name, ty, LocalKind::Bound, detail);
        self.declare(name, Entity::Local(local));
        place.map(|place| (local, place))
    }

    pub(super) fn require_multiset(&mut self, place: &Designator) -> bool {
        if matches!(self.model.kind(place.ty), TypeKind::Multiset { .. }) {
            return true;
        }
        let found = self.describe(place.ty);
        self.report(Diagnostic::error(place.span, "a multiset is expected here").label(format!("this is {found}")));
        false
    }

    pub(super) fn multiset_count(
        &mut self,
        name: &syntax::Identifier,
        multiset: &syntax::Expression,
        condition: &syntax::Expression,
        span: Span,
    ) -> Expression {
        let opened = self.open_multiset(name, multiset);
        let condition = self.condition(condition, "the condition of `multisetcount`");
        self.scopes.pop();
        let Some((local, multiset)) = opened else {
            return self.wrong(INTEGER, span);
        };
        Expression {
            kind: ExpressionKind::MultisetCount {
                local,
                multiset,
                condition: Box::new(condition),
            },
            ty: INTEGER,
            span,
        }
    }
}

pub(super) fn is_designator(expression: &syntax::Expression) -> bool {
    matches!(
        expression.kind,
        syntax::ExpressionKind::Name(_) | syntax::ExpressionKind::Field(..) | syntax::ExpressionKind::Index(..)
    )
}
