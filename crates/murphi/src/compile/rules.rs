//! Compiles rules, starts, properties and subprograms. Parameters come first in the frame, then aliases, the guard, and
//! the body.

use std::collections::BTreeSet;

use system::Diagnostic;
use system::instance::{
    self, Binary, Expression, Parameter, Procedure, Property, PropertyKind as InstanceKind, Rule, Statement,
};

use super::Compiler;
use super::expression::and_then;
use super::order;
use super::statement::{choose_in_turn, moved, state_place};
use super::unit::{ReturnKind, Storage, Unit, sequence};
use super::walk::{self, Visitor};
use crate::model::{
    Binder, Context, Designator, Domain, Expression as ModelExpression, ExpressionKind, LocalId, LocalKind,
    PropertyKind, Rule as ModelRule, Subprogram, UninterpretedId,
};

/// The compiled context of a rule: its parameters, slowest varying first, and code that runs before the guard.
struct Surroundings {
    parameters: Vec<Parameter>,
    prologue: Vec<Statement>,
    /// From the first `choose` on: tests, and aliases that are valid only if the preceding test holds.
    layers: Vec<Layer>,
    /// Whether it calls a user-defined function.
    calls: bool,
}

enum Layer {
    Test(Expression),
    Run(Vec<Statement>),
}

impl<'m> Compiler<'m> {
    pub(super) fn rule(&mut self, rule: &'m ModelRule) -> Rule {
        self.rule_or_start(rule, true)
    }

    fn rule_or_start(&mut self, rule: &'m ModelRule, is_rule: bool) -> Rule {
        let mut unit = Unit::new(&rule.locals, 0);
        let around = self.surroundings(&mut unit, &rule.context, &rule.rulesets);
        let guard = match &rule.guard {
            Some(guard) => self.expression(&mut unit, guard),
            None => Expression::Constant(1),
        };
        let mut body = Vec::new();
        if is_rule && (around.calls || rule.guard.as_ref().is_some_and(walk::contains_call)) {
            // Side effects of the guard persist, and aliases are resolved again for the body, as in Rumur. A start has
            // no guard.
            body.extend(around.prologue.iter().cloned());
        }
        // Bindings of the guard are its own.
        body.extend(around.layers.iter().filter_map(Layer::statements).flatten().cloned());
        self.declare_variables(&mut unit);
        body.extend(self.statements(&mut unit, &rule.body));
        Rule {
            name: rule.name.clone(),
            priority: rule.priority,
            parameters: around.parameters,
            prologue: around.prologue,
            guard: wrap(around.layers, guard, Binary::And),
            body,
            frame: unit.frame,
            span: rule.span,
        }
    }

    /// A start first chooses the values of the uninterpreted symbols.
    pub(super) fn start(&mut self, start: &'m ModelRule) -> Rule {
        let mut compiled = self.rule_or_start(start, false);
        let mut choices = self.choose_symbols(&mut compiled.frame);
        choices.append(&mut compiled.body);
        compiled.body = choices;
        compiled
    }

    pub(super) fn property(&mut self, property: &'m crate::model::Property) -> Property {
        let mut unit = Unit::new(&property.locals, 0);
        let around = self.surroundings(&mut unit, &property.context, &[]);
        let condition = self.expression(&mut unit, &property.condition);
        self.warn_of_effects(property);
        let (kind, connective) = match property.kind {
            PropertyKind::Assumption => (InstanceKind::Assumption, Binary::Implies),
            PropertyKind::Cover => (InstanceKind::Cover, Binary::And),
            PropertyKind::Invariant | PropertyKind::Liveness => (InstanceKind::Invariant, Binary::Implies),
        };
        Property {
            name: property.name.clone(),
            kind,
            parameters: around.parameters,
            prologue: around.prologue,
            condition: wrap(around.layers, condition, connective),
            frame: unit.frame,
            span: property.span,
        }
    }

    /// Rumur permits properties with side effects, which are certainly a mistake.
    fn warn_of_effects(&mut self, property: &crate::model::Property) {
        if !order::is_pure(self.model, &order::Scope::new(&property.locals), &property.condition) {
            let message = format!("what \"{}\" changes is undone", property.name);
            let warning = Diagnostic::warning(property.condition.span, message);
            self.diagnostics
                .push(warning.label("calls a function that changes variables"));
        }
    }

    pub(super) fn procedure(&mut self, subprogram: &'m Subprogram) -> Procedure {
        let mut unit = Unit::new(&subprogram.locals, 0);
        for parameter in &subprogram.parameters {
            let local = unit.local(*parameter);
            let storage = match local.kind {
                LocalKind::Reference => Storage::Address(unit.allocate(1)),
                _ => Storage::Frame(self.allocate_value(&mut unit, local.ty, local.span)),
            };
            unit.place_at(*parameter, storage);
        }
        unit.outcome = match subprogram.result {
            None => ReturnKind::Nothing,
            Some(ty) if self.layout.is_simple(ty) => ReturnKind::Value(ty),
            Some(ty) => ReturnKind::Block {
                address: unit.allocate(1),
                ty,
            },
        };
        self.declare_variables(&mut unit);
        let mut body = self.statements(&mut unit, &subprogram.body);
        if subprogram.result.is_some() {
            body.push(Statement::Error {
                message: format!(
                    "the end of function `{}` is reached without a `return`",
                    subprogram.name
                ),
                span: subprogram.span,
            });
        }
        Procedure {
            name: subprogram.name.clone(),
            frame: unit.frame,
            body,
            span: subprogram.span,
        }
    }

    fn surroundings(&mut self, unit: &mut Unit<'m>, context: &'m [Context], rulesets: &[usize]) -> Surroundings {
        let mut around = Surroundings {
            parameters: Vec::new(),
            prologue: Vec::new(),
            layers: Vec::new(),
            calls: false,
        };
        for item in slowest_first(context, rulesets) {
            let (local, parameter) = match item {
                Context::Parameter(binder) => (binder.local, self.parameter(unit, binder)),
                Context::Choose { local, multiset } => (*local, self.element_parameter(unit, *local, multiset)),
                Context::Alias(..) => continue,
            };
            let slot = unit.allocate(1);
            unit.place_at(local, Storage::Frame(slot));
            around.parameters.push(parameter);
        }
        for item in context {
            self.surround(unit, item, &mut around);
        }
        around
    }

    fn surround(&mut self, unit: &mut Unit<'m>, item: &'m Context, around: &mut Surroundings) {
        match item {
            Context::Parameter(_) => {}
            Context::Alias(local, target) => {
                let mut calls = CallFinder(false);
                walk::alias_target(target, &mut calls);
                around.calls |= calls.0;
                let mut code = Vec::new();
                self.bind_alias(unit, *local, target, &mut code);
                match around.layers.is_empty() {
                    true => around.prologue.extend(code),
                    false => around.layers.push(Layer::Run(code)),
                }
            }
            Context::Choose { local, multiset } => {
                let number = Expression::LoadRaw(unit.root(*local, multiset.span));
                let (present, _) = self.presence(unit, multiset, number);
                around.layers.push(Layer::Test(present));
            }
        }
    }

    fn parameter(&mut self, unit: &Unit<'m>, binder: &'m Binder) -> Parameter {
        let local = unit.local(binder.local);
        let (ty, low, high, step) = match &binder.domain {
            Domain::Type(ty) => {
                let bounds = self.layout.bounds(*ty);
                self.instance.windowed |= bounds.windowed;
                (
                    self.layout.simple_type(&mut self.instance, *ty),
                    bounds.low,
                    bounds.high,
                    1,
                )
            }
            Domain::Range { low, high, step } => {
                let (low, high, step) = self.constant_bounds(low, high, step.as_ref());
                let ty = self.layout.range_type(&mut self.instance, low, high);
                (ty, low, high, step)
            }
        };
        Parameter {
            name: local.name.clone(),
            ty,
            low,
            high,
            step,
        }
    }

    /// The bounds of a ruleset are constants. A descending range contains the same numbers as an ascending one.
    fn constant_bounds(
        &mut self,
        low: &ModelExpression,
        high: &ModelExpression,
        step: Option<&ModelExpression>,
    ) -> (i64, i64, i64) {
        let mut constant = |node: &ModelExpression| match constant_value(node) {
            Some(value) => value,
            None => {
                self.diagnostics.push(
                    Diagnostic::error(node.span, "the bounds of a ruleset must be constant")
                        .label("depends on the state or on a parameter"),
                );
                1
            }
        };
        let (low, high, step) = (constant(low), constant(high), step.map_or(1, constant));
        match step {
            0 => (low, low, 1),
            1.. => (low, high, step),
            // The range is empty.
            _ if low < high => (1, 0, 1),
            _ => {
                let distance = i128::from(low) - i128::from(high);
                let rest = distance % i128::from(step.unsigned_abs());
                // At most the distance between `low` and `high`.
                let last = i64::try_from(i128::from(high) + rest).unwrap_or(low);
                (last, low, step.checked_neg().unwrap_or(i64::MAX))
            }
        }
    }

    fn element_parameter(&mut self, unit: &Unit<'m>, local: LocalId, multiset: &Designator) -> Parameter {
        let high = self.shape(multiset.ty).capacity as i64 - 1;
        Parameter {
            name: unit.local(local).name.clone(),
            ty: self.layout.range_type(&mut self.instance, 0, high),
            low: 0,
            high,
            step: 1,
        }
    }

    /// Chooses arbitrary values for the uninterpreted symbols that satisfy the axioms. After every choice, the affected
    /// axioms prune the search; each is checked definitively as soon as all its symbols have values.
    fn choose_symbols(&mut self, frame: &mut usize) -> Vec<Statement> {
        let model = self.model;
        let mut axioms = Vec::with_capacity(model.axioms.len());
        for axiom in &model.axioms {
            let mut unit = Unit::new(&axiom.locals, *frame);
            let condition = self.expression(&mut unit, &axiom.condition);
            *frame = unit.frame;
            axioms.push((condition, self.symbols_of(&axiom.condition)));
        }
        let mut code = Vec::new();
        let settled = |symbol: usize| {
            let tested = axioms
                .iter()
                .filter(move |(_, symbols)| symbols.last().map_or(0, |last| last.0 + 1) == symbol);
            tested.map(|(condition, _)| Statement::Assume {
                condition: condition.clone(),
            })
        };
        code.extend(settled(0));
        for symbol in (0..model.uninterpreted.len()).map(UninterpretedId) {
            let concerned = axioms.iter().filter(|(_, symbols)| symbols.contains(&symbol));
            let conditions: Vec<Expression> = concerned.map(|(condition, _)| condition.clone()).collect();
            code.extend(choose_in_turn(self.choose_symbol(symbol), &conditions));
            code.extend(settled(symbol.0 + 1));
        }
        code
    }

    fn choose_symbol(&mut self, id: UninterpretedId) -> Vec<Statement> {
        let symbol = &self.model.uninterpreted[id.0];
        if !self.is_choosable(symbol.result) {
            self.report_unchoosable(symbol.span);
            return Vec::new();
        }
        self.instance.windowed |= self.layout.bounds(symbol.result).windowed;
        let ty = self.layout.simple_type(&mut self.instance, symbol.result);
        let base = state_place(self.layout.symbol(id), symbol.span);
        let choose = |slot| Statement::Choose {
            place: moved(&base, slot),
            ty,
        };
        (0..self.layout.symbol_size(id)).map(choose).collect()
    }

    /// The symbols that must have values before the formula can be evaluated.
    fn symbols_of(&self, formula: &ModelExpression) -> BTreeSet<UninterpretedId> {
        struct Symbols {
            found: BTreeSet<UninterpretedId>,
            calls: bool,
        }
        impl Visitor for Symbols {
            fn expression(&mut self, expression: &ModelExpression) {
                match &expression.kind {
                    ExpressionKind::Apply { symbol, .. } => {
                        self.found.insert(*symbol);
                    }
                    ExpressionKind::Call { .. } => self.calls = true,
                    _ => {}
                }
            }
        }
        let mut symbols = Symbols {
            found: BTreeSet::new(),
            calls: false,
        };
        walk::expression(formula, &mut symbols);
        match symbols.calls {
            // Includes the symbols used in functions.
            true => (0..self.model.uninterpreted.len()).map(UninterpretedId).collect(),
            false => symbols.found,
        }
    }
}

impl Layer {
    fn statements(&self) -> Option<&Vec<Statement>> {
        match self {
            Layer::Run(statements) => Some(statements),
            Layer::Test(_) => None,
        }
    }
}

struct CallFinder(bool);

impl Visitor for CallFinder {
    fn expression(&mut self, expression: &ModelExpression) {
        self.0 |= matches!(expression.kind, ExpressionKind::Call { .. });
    }
}

/// Wraps tests and aliases around a condition, the first one outermost.
fn wrap(layers: Vec<Layer>, condition: Expression, connective: instance::Binary) -> Expression {
    let add = |inner, layer| match layer {
        Layer::Run(statements) => sequence(statements, inner),
        Layer::Test(test) if connective == Binary::And => and_then(test, inner),
        Layer::Test(test) => Expression::Binary(connective, Box::new(test), Box::new(inner), system::Span::default()),
    };
    layers.into_iter().rev().fold(condition, add)
}

/// The context in the order in which Rumur varies parameters, slowest first: those of the innermost ruleset come first.
fn slowest_first<'m>(context: &'m [Context], rulesets: &[usize]) -> Vec<&'m Context> {
    let mut order = Vec::with_capacity(context.len());
    let mut end = context.len();
    for start in rulesets.iter().rev() {
        order.extend(&context[*start..end]);
        end = *start;
    }
    order.extend(&context[..end]);
    order
}

/// The value of a constant expression.
fn constant_value(node: &ModelExpression) -> Option<i64> {
    match &node.kind {
        ExpressionKind::Literal(value) => Some(*value),
        ExpressionKind::Unary(crate::model::Unary::Negate, inner) => constant_value(inner)?.checked_neg(),
        ExpressionKind::Unary(crate::model::Unary::Plus, inner) | ExpressionKind::Convert(inner) => {
            constant_value(inner)
        }
        _ => None,
    }
}
