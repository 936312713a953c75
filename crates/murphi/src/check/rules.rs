//! Subprograms, rules with their context, properties, axioms and predicates; and checks of the model as a whole.

use std::collections::BTreeMap;

use system::{Diagnostic, Severity, Span};

use super::expressions::BinderUse;
use super::names::{Entity, Scope};
use super::{Checker, ERROR, Frame, Owner, ReadOnly};
use crate::model::{
    Context, ExpressionKind, Formula, Local, LocalId, LocalKind, Model, Property, PropertyKind, Rule, Statement,
    StatementKind, Subprogram, SubprogramId, TypeId, Uninterpreted, UninterpretedId, Variable,
};
use crate::syntax;

impl Checker {
    /// Declares the head of a subprogram, which calls from anywhere may use; returns the scope of its parameters.
    pub(super) fn signature(&mut self, subprogram: &syntax::Subprogram) -> (SubprogramId, Scope) {
        self.frame = Frame::default();
        self.scopes.push(Scope::new());
        let mut parameters = Vec::new();
        for group in &subprogram.parameters {
            let ty = self.type_expression(&group.ty);
            for name in &group.names {
                let (kind, read_only) = if group.by_reference {
                    (LocalKind::Reference, None)
                } else {
                    (LocalKind::Value, Some(ReadOnly::Value))
                };
                parameters.push(self.declare_local(name, ty, kind, read_only));
            }
        }
        // A parameter must not hide the result type of the same name.
        let is_name = |ty: &syntax::TypeExpression| matches!(ty.kind, syntax::TypeKind::Named(_));
        let inner = subprogram.result.as_ref().filter(|result| !is_name(result));
        let inner = inner.map(|result| self.type_expression(result));
        let scope = self.scopes.pop();
        let outer = subprogram.result.as_ref().filter(|result| is_name(result));
        let result = inner.or_else(|| outer.map(|result| self.type_expression(result)));
        let id = SubprogramId(self.model.subprograms.len());
        self.model.subprograms.push(Subprogram {
            name: subprogram.name.text.clone(),
            parameters,
            result,
            locals: std::mem::take(&mut self.frame).locals,
            body: Vec::new(),
            span: subprogram.name.span,
        });
        self.declare(&subprogram.name, Entity::Subprogram(id));
        (id, scope)
    }

    pub(super) fn subprogram(&mut self, id: SubprogramId, subprogram: &syntax::Subprogram, scope: Scope) {
        let declared = &self.model.subprograms[id.0];
        let locals = declared.locals.clone();
        let read_only = |local: &Local| (local.kind == LocalKind::Value).then_some(ReadOnly::Value);
        self.frame = Frame {
            owner: declared.result.map_or(Owner::Procedure, Owner::Function),
            details: locals
                .iter()
                .map(|local| super::LocalDetail {
                    read_only: read_only(local),
                    ..Default::default()
                })
                .collect(),
            locals,
            ..Frame::default()
        };
        self.scopes.push(scope);
        let body = self.block(&subprogram.body);
        self.scopes.pop();
        if matches!(self.frame.owner, Owner::Function(_)) && !self.frame.returns {
            self.report(
                Diagnostic::warning(
                    subprogram.name.span,
                    format!("the function `{}` never returns a value", subprogram.name.text),
                )
                .label("every call of it is an error"),
            );
        }
        let declared = &mut self.model.subprograms[id.0];
        declared.body = body;
        declared.locals = std::mem::take(&mut self.frame).locals;
    }

    pub(super) fn uninterpreted(
        &mut self,
        names: &[syntax::Identifier],
        groups: &[syntax::ParameterGroup],
        result: &syntax::TypeExpression,
    ) {
        let mut parameters: Vec<TypeId> = Vec::new();
        for group in groups {
            let ty = self.uninterpreted_type(&group.ty);
            parameters.extend(group.names.iter().map(|_| ty));
        }
        let result = self.uninterpreted_type(result);
        for name in names {
            let id = UninterpretedId(self.model.uninterpreted.len());
            self.model.uninterpreted.push(Uninterpreted {
                name: name.text.clone(),
                parameters: parameters.clone(),
                result,
                span: name.span,
            });
            self.declare(name, Entity::Uninterpreted(id));
        }
    }

    fn uninterpreted_type(&mut self, definition: &syntax::TypeExpression) -> TypeId {
        let ty = self.type_expression(definition);
        if self.is_simple(ty) {
            return ty;
        }
        let found = self.short(ty);
        self.report(
            Diagnostic::error(
                definition.span,
                format!("an uninterpreted symbol cannot be about `{found}`"),
            )
            .label("only single values are possible here"),
        );
        ERROR
    }

    pub(super) fn index_declaration(&mut self, names: &[syntax::Identifier], definition: &syntax::TypeExpression) {
        let mut ty = self.type_expression(definition);
        if !self.is_simple(ty) {
            let found = self.short(ty);
            self.report(
                Diagnostic::error(
                    definition.span,
                    format!("an index variable cannot range over `{found}`"),
                )
                .label("only simple types are possible here"),
            );
            ty = ERROR;
        }
        for name in names {
            let position = self.index_variables.len();
            self.index_variables.push(Variable {
                name: name.text.clone(),
                ty,
                span: name.span,
            });
            self.declare(name, Entity::Index(position));
        }
    }

    /// An axiom or predicate.
    pub(super) fn formula(
        &mut self,
        owner: Owner,
        name: Option<&str>,
        formula: &syntax::Expression,
        span: Span,
    ) -> Formula {
        let (what, word, count) = match owner {
            Owner::Axiom => ("an axiom", "Axiom", self.model.axioms.len()),
            _ => ("a predicate", "Predicate", self.model.predicates.len()),
        };
        self.frame = Frame {
            owner,
            ..Frame::default()
        };
        let condition = self.condition(formula, what);
        Formula {
            name: name.map_or_else(|| format!("{word} {}", count + 1), str::to_owned),
            locals: std::mem::take(&mut self.frame).locals,
            condition,
            span,
        }
    }

    /// Flattens nested rulesets: `context` and the locals of the frame are those of the enclosing items.
    pub(super) fn rule_item(&mut self, item: &syntax::RuleItem, context: &mut Vec<Context>) {
        let (outer_context, outer_locals) = (context.len(), self.frame.locals.len());
        match item {
            syntax::RuleItem::Rule {
                priority,
                name,
                guard,
                body,
                span,
            } => {
                let rule = self.rule(name.as_deref(), guard.as_ref(), body, *span, context, false);
                self.model.has_priorities |= *priority != 0;
                self.model.rules.push(Rule {
                    priority: *priority,
                    ..rule
                });
            }
            syntax::RuleItem::Start { name, body, span } => {
                let start = self.rule(name.as_deref(), None, body, *span, context, true);
                self.model.starts.push(start);
            }
            syntax::RuleItem::Property {
                kind,
                name,
                formula,
                span,
            } => self.property(*kind, name.as_deref(), formula, *span, context),
            syntax::RuleItem::Ruleset { binders, rules, .. } => {
                self.frame.owner = Owner::Property;
                self.frame.rulesets.push(context.len());
                self.scopes.push(Scope::new());
                for binder in binders {
                    let binder = self.binder(binder, BinderUse::Ruleset);
                    context.push(Context::Parameter(binder));
                }
                self.rule_items(rules, context);
                self.scopes.pop();
                self.frame.rulesets.pop();
            }
            syntax::RuleItem::Alias { aliases, rules, .. } => {
                self.frame.owner = Owner::Property;
                self.scopes.push(Scope::new());
                for alias in aliases {
                    let (local, target) = self.alias(alias);
                    context.push(Context::Alias(local, target));
                }
                self.rule_items(rules, context);
                self.scopes.pop();
            }
            syntax::RuleItem::Choose {
                name, multiset, rules, ..
            } => {
                self.frame.owner = Owner::Property;
                if let Some((local, multiset)) = self.open_multiset(name, multiset) {
                    context.push(Context::Choose { local, multiset });
                }
                self.rule_items(rules, context);
                self.scopes.pop();
            }
        }
        context.truncate(outer_context);
        self.truncate_locals(outer_locals);
    }

    fn rule_items(&mut self, rules: &[syntax::RuleItem], context: &mut Vec<Context>) {
        for rule in rules {
            self.rule_item(rule, context);
        }
    }

    fn truncate_locals(&mut self, count: usize) {
        self.frame.locals.truncate(count);
        self.frame.details.truncate(count);
    }

    fn rule(
        &mut self,
        name: Option<&str>,
        guard: Option<&syntax::Expression>,
        body: &syntax::Block,
        span: Span,
        context: &[Context],
        is_start: bool,
    ) -> Rule {
        self.frame.owner = Owner::Rule;
        let guard = guard.map(|guard| self.condition(guard, "the guard of a rule"));
        if let Some(guard) = &guard
            && matches!(guard.kind, ExpressionKind::Literal(0))
        {
            self.report(Diagnostic::warning(guard.span, "this rule never fires").label("its guard is always false"));
        }
        let body = self.rule_body(body);
        let (word, count) = if is_start {
            ("Startstate", self.model.starts.len())
        } else {
            ("Rule", self.model.rules.len())
        };
        Rule {
            name: name.map_or_else(|| format!("{word} {}", count + 1), str::to_owned),
            priority: 0,
            context: context.to_vec(),
            rulesets: self.frame.rulesets.clone(),
            locals: self.frame.locals.clone(),
            guard,
            body,
            span,
        }
    }

    /// The body. A ruleset parameter that it assigns becomes a local copy, as in Rumur.
    fn rule_body(&mut self, body: &syntax::Block) -> Vec<Statement> {
        let locals = self.frame.locals.len();
        let before = (self.diagnostics.len(), self.constant_uses.len(), self.unknown.clone());
        let statements = self.block(body);
        let changed: Vec<LocalId> = (0..locals)
            .map(LocalId)
            .filter(|local| self.frame.details[local.0].assigned)
            .collect();
        if changed.is_empty() {
            return statements;
        }
        // Detected only now: check the body again with local copies hiding the parameters.
        self.diagnostics.truncate(before.0);
        self.constant_uses.truncate(before.1);
        self.unknown = before.2;
        self.truncate_locals(locals);
        self.scopes.push(Scope::new());
        let mut copies = Vec::new();
        for original in changed {
            self.frame.details[original.0].assigned = false;
            let Local { name, ty, span, .. } = self.frame.locals[original.0].clone();
            let name = syntax::Identifier { text: name, span };
            let copy = self.declare_local(&name, ty, LocalKind::Variable, None);
            copies.push(self.copy_statement(copy, original));
            self.warn_changed_copy(&name);
        }
        copies.extend(self.block(body));
        self.scopes.pop();
        copies
    }

    fn property(
        &mut self,
        kind: PropertyKind,
        name: Option<&str>,
        formula: &syntax::Expression,
        span: Span,
        context: &[Context],
    ) {
        self.frame.owner = Owner::Property;
        let (what, word) = match kind {
            PropertyKind::Invariant => ("an invariant", "Invariant"),
            PropertyKind::Assumption => ("an assumption", "Assumption"),
            PropertyKind::Cover => ("a cover property", "Cover"),
            PropertyKind::Liveness => ("a liveness property", "Liveness"),
        };
        let condition = self.condition(formula, what);
        if kind == PropertyKind::Liveness {
            self.report(
                Diagnostic::warning(span, "this liveness property is left out").label("only safety is checked"),
            );
            let number = self.model.liveness.len() + 1;
            let name = name.map_or_else(|| format!("{word} {number}"), str::to_owned);
            self.model.liveness.push(name);
            return;
        }
        let count = match kind {
            PropertyKind::Invariant => &mut self.properties[0],
            PropertyKind::Assumption => &mut self.properties[1],
            PropertyKind::Cover | PropertyKind::Liveness => &mut self.properties[2],
        };
        *count += 1;
        let name = name.map_or_else(|| format!("{word} {count}"), str::to_owned);
        self.model.properties.push(Property {
            name,
            kind,
            context: context.to_vec(),
            locals: self.frame.locals.clone(),
            condition,
            span,
        });
    }

    /// Makes property names unique: the second `safe` becomes `safe 2`.
    pub(super) fn number_properties(&mut self) {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for property in &self.model.properties {
            taken.entry(property.name.clone()).or_insert(0);
        }
        for property in &mut self.model.properties {
            let count = taken.entry(property.name.clone()).or_insert(0);
            *count += 1;
            let mut number = *count;
            if number == 1 {
                continue;
            }
            let mut name = format!("{} {number}", property.name);
            while taken.contains_key(&name) {
                number += 1;
                name = format!("{} {number}", property.name);
            }
            taken.insert(property.name.clone(), number);
            taken.insert(name.clone(), 1);
            property.name = name;
        }
    }

    /// Warnings about the model as a whole, if there are no errors.
    pub(super) fn general_warnings(&mut self) {
        if self.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            return;
        }
        let nowhere = Span::default();
        if self.model.starts.is_empty() {
            self.report(
                Diagnostic::warning(nowhere, "the model has no startstate").help("without one it has no states at all"),
            );
        } else if !has_something_to_check(&self.model) {
            self.report(
                Diagnostic::new(Severity::Note, nowhere, "the model has no property").help(
                    "only what goes wrong by itself is found; state what must hold: `invariant \"name\" formula;`",
                ),
            );
        }
        self.note_priorities();
    }

    /// Transition systems have no priorities.
    fn note_priorities(&mut self) {
        let rules = &self.model.rules;
        let Some(least) = rules.iter().map(|rule| rule.priority).min() else {
            return;
        };
        if let Some(later) = rules.iter().find(|rule| rule.priority != least) {
            let message = "proofs let rules of every priority fire";
            let note = Diagnostic::new(Severity::Note, later.span, message)
                .label("exploration lets it wait for the rules with a smaller number")
                .help("what is proved holds; where a property rests on the order, say it in the guards, too");
            self.report(note);
        }
    }
}

/// An invariant or cover property, or a statement that can fail.
pub(crate) fn has_something_to_check(model: &Model) -> bool {
    let is_check = |property: &Property| matches!(property.kind, PropertyKind::Invariant | PropertyKind::Cover);
    model.properties.iter().any(is_check)
        || model.rules.iter().chain(&model.starts).any(|rule| can_fail(&rule.body))
        || model.subprograms.iter().any(|subprogram| can_fail(&subprogram.body))
}

fn can_fail(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assert { .. } | StatementKind::Error(_) => true,
        StatementKind::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| can_fail(body)) || can_fail(otherwise)
        }
        StatementKind::Switch { cases, otherwise, .. } => {
            cases.iter().any(|(_, body)| can_fail(body)) || can_fail(otherwise)
        }
        StatementKind::For { body, .. } | StatementKind::While { body, .. } | StatementKind::Alias { body, .. } => {
            can_fail(body)
        }
        _ => false,
    })
}
