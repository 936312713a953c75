//! Type checking: from the syntax tree to the [`Model`]; resolves every name and reports every error once.
//!
//! Accepts everything that CMurphi or Rumur accepts. There are two passes over the file: first the declarations, in
//! order (a constant, type or variable must be declared before other declarations use it), then the bodies of
//! subprograms, rules and properties, which see all declarations.
//!
//! Errors do not cascade: an erroneous expression has the error type, which is compatible with everything, and an
//! unknown name is reported once.

mod calls;
mod choices;
mod constants;
mod conversions;
mod designators;
mod expressions;
mod flow;
mod multisets;
mod names;
mod parametric;
mod rules;
mod statements;
mod types;

pub(crate) use rules::has_something_to_check;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use system::{Diagnostic, Severity, Span};

use crate::model::{
    Expression, ExpressionKind, Local, LocalId, LocalKind, Model, Obstacle, SubprogramId, Type, TypeId, TypeKind,
    Variable, VariableId,
};
use crate::syntax;
use constants::{Constant, ConstantId, Overrides, SymbolicSize};
use names::{Entity, Scope, Scopes};

/// Options that determine constants and sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Sizes of types, by the name of the type or of the constant that defines its size.
    pub sizes: BTreeMap<String, i64>,
    pub constants: BTreeMap<String, i64>,
    /// Types that must be parametric; an error if they cannot be.
    pub parametric: BTreeSet<String>,
    /// Types that a proof must take at their declared size.
    pub fixed: BTreeSet<String>,
    /// Types that are parametric although they are declared with a single element.
    pub any_size: BTreeSet<String>,
    /// Types that cannot be parametric for reasons beyond type checking, by the span of their declaration.
    pub obstacles: BTreeMap<Span, Obstacle>,
}

/// Types that every model starts with.
pub(crate) const BOOLEAN: TypeId = TypeId(0);
pub(crate) const INTEGER: TypeId = TypeId(1);
const ERROR: TypeId = TypeId(2);
/// The type of `[]` until the context determines the list type.
const EMPTY_LIST: TypeId = TypeId(3);

/// Checks a program. If a diagnostic is an error, the model is not fit for use.
pub fn check(program: &syntax::Program, options: &CheckOptions) -> (Model, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut overrides = Overrides::default();
    if !options.sizes.is_empty() || !options.constants.is_empty() {
        // Declares everything as written first, to learn which constants determine sizes.
        let mut plain = Checker::new(Overrides::default());
        plain.declarations(program);
        overrides = Overrides::new(options, &plain, &mut diagnostics);
    }
    let mut checker = Checker::new(overrides);
    let bodies = checker.declarations(program);
    checker.bodies(bodies);
    checker.general_warnings();
    checker.refuse_choices_in_formulas();
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|found| found.severity == Severity::Error);
    if !failed(&checker.diagnostics) {
        checker.refuse_order_of_elements();
        checker.decide_parametric(options);
    }
    diagnostics.append(&mut checker.diagnostics);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    (checker.model, diagnostics)
}

/// The state of the type checker.
struct Checker {
    model: Model,
    /// The number of properties of each kind.
    properties: [usize; 3],
    diagnostics: Vec<Diagnostic>,
    overrides: Overrides,
    scopes: Scopes,
    constants: Vec<Constant>,
    /// Uses of constants where their value matters, that is, outside of sizes of types.
    constant_uses: Vec<(ConstantId, Span)>,
    /// For scalarsets, and for ranges written as a type.
    sizes: BTreeMap<TypeId, SymbolicSize>,
    /// Pairs of types already compared.
    same_types: RefCell<BTreeMap<(TypeId, TypeId), bool>>,
    index_variables: Vec<Variable>,
    /// Unknown names already reported.
    unknown: BTreeSet<String>,
    frame: Frame,
}

/// The code unit being checked: its locals, and its restrictions.
#[derive(Default)]
struct Frame {
    owner: Owner,
    locals: Vec<Local>,
    details: Vec<LocalDetail>,
    /// The positions in a rule's context at which enclosing rulesets begin.
    rulesets: Vec<usize>,
    /// The locals of a predicate that represent `index` variables.
    index_locals: BTreeMap<usize, LocalId>,
    /// Whether the function has a `return`.
    returns: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Owner {
    /// Constants, types and bounds.
    #[default]
    Declaration,
    Rule,
    Property,
    Procedure,
    Function(TypeId),
    Axiom,
    Predicate,
}

/// What the type checker knows about a local beyond the model.
#[derive(Clone, Default)]
struct LocalDetail {
    read_only: Option<ReadOnly>,
    /// For a multiset index: the type of the multiset.
    multiset: Option<TypeId>,
    /// For an alias of a constant: its value.
    constant: Option<i64>,
    /// For a loop or ruleset variable: it was assigned, which changes only a copy.
    assigned: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadOnly {
    Value,
    /// Bound by a quantifier, `choose` or `index`.
    Bound,
    /// Bound by a loop or ruleset: Rumur lets the body change its own copy.
    Loop,
    AliasOfValue,
}

/// Work that the first pass leaves for the second.
enum Body<'program> {
    Subprogram(SubprogramId, &'program syntax::Subprogram, Scope),
    Rule(&'program syntax::RuleItem),
    Axiom(Option<&'program str>, &'program syntax::Expression, Span),
    Predicate(Option<&'program str>, &'program syntax::Expression, Span),
}

impl Checker {
    fn new(overrides: Overrides) -> Checker {
        let mut scopes = Scopes::default();
        scopes.push(Scope::new());
        let mut checker = Checker {
            model: Model::default(),
            properties: [0; 3],
            diagnostics: Vec::new(),
            overrides,
            scopes,
            constants: Vec::new(),
            constant_uses: Vec::new(),
            sizes: BTreeMap::new(),
            same_types: RefCell::default(),
            index_variables: Vec::new(),
            unknown: BTreeSet::new(),
            frame: Frame::default(),
        };
        for (name, kind) in [
            (Some("boolean"), TypeKind::Boolean),
            (Some("integer"), TypeKind::Integer),
            (None, TypeKind::Error),
            (None, TypeKind::List { element: ERROR }),
        ] {
            let id = checker.add_type(kind, Span::default());
            checker.model.types[id.0].name = name.map(str::to_owned);
        }
        checker
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn add_type(&mut self, kind: TypeKind, span: Span) -> TypeId {
        self.model.types.push(Type {
            name: None,
            kind,
            parametric: None,
            span,
        });
        TypeId(self.model.types.len() - 1)
    }

    fn add_local(&mut self, name: &syntax::Identifier, ty: TypeId, kind: LocalKind, detail: LocalDetail) -> LocalId {
        let id = LocalId(self.frame.locals.len());
        self.frame.locals.push(Local {
            name: name.text.clone(),
            ty,
            kind,
            span: name.span,
        });
        self.frame.details.push(detail);
        id
    }

    /// A named local in the innermost scope.
    fn declare_local(
        &mut self,
        name: &syntax::Identifier,
        ty: TypeId,
        kind: LocalKind,
        read_only: Option<ReadOnly>,
    ) -> LocalId {
        let detail = LocalDetail {
            read_only,
            ..LocalDetail::default()
        };
        let id = self.add_local(name, ty, kind, detail);
        self.declare(name, Entity::Local(id));
        id
    }

    fn declare(&mut self, name: &syntax::Identifier, entity: Entity) {
        if let Err(earlier) = self.scopes.declare(&name.text, entity, name.span) {
            self.report(
                Diagnostic::error(name.span, format!("`{}` is already declared", name.text))
                    .label("declared again here")
                    .related(earlier, "first declared here"),
            );
        }
    }

    /// Reports an unknown name, once.
    fn report_unknown(&mut self, name: &syntax::Identifier, what: &str, fits: impl Fn(Entity) -> bool) {
        if !self.unknown.insert(name.text.clone()) {
            return;
        }
        let mut diagnostic =
            Diagnostic::error(name.span, format!("unknown {what} `{}`", name.text)).label("not declared");
        if let Some(near) = self.scopes.nearest(&name.text, fits) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic);
    }

    fn literal(&self, value: i64, ty: TypeId, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Literal(value),
            ty,
            span,
        }
    }

    /// A placeholder for an erroneous expression; its type is known or the error type.
    fn wrong(&self, ty: TypeId, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Error,
            ty,
            span,
        }
    }

    /// First pass: all declarations in order.
    fn declarations<'program>(&mut self, program: &'program syntax::Program) -> Vec<Body<'program>> {
        let mut bodies = Vec::new();
        for item in &program.items {
            match item {
                syntax::Item::Constant { .. } | syntax::Item::Type { .. } => self.declaration(item),
                syntax::Item::Variables { names, ty } => {
                    let ty = self.type_expression(ty);
                    for name in names {
                        let id = VariableId(self.model.variables.len());
                        self.model.variables.push(Variable {
                            name: name.text.clone(),
                            ty,
                            span: name.span,
                        });
                        self.declare(name, Entity::Variable(id));
                    }
                }
                syntax::Item::Subprogram(subprogram) => {
                    let (id, scope) = self.signature(subprogram);
                    bodies.push(Body::Subprogram(id, subprogram, scope));
                }
                syntax::Item::Rule(rule) => bodies.push(Body::Rule(rule)),
                syntax::Item::Uninterpreted {
                    names,
                    parameters,
                    result,
                } => self.uninterpreted(names, parameters, result),
                syntax::Item::Axiom { name, formula, span } => {
                    bodies.push(Body::Axiom(name.as_deref(), formula, *span));
                }
                syntax::Item::Index { names, ty } => self.index_declaration(names, ty),
                syntax::Item::Predicate { name, formula, span } => {
                    bodies.push(Body::Predicate(name.as_deref(), formula, *span));
                }
            }
        }
        bodies
    }

    /// A constant, type or local variable, in any scope.
    fn declaration(&mut self, item: &syntax::Item) {
        match item {
            syntax::Item::Constant { name, value } => self.declare_constant(name, value),
            syntax::Item::Type { name, definition } => self.declare_type(name, definition),
            syntax::Item::Variables { names, ty } => {
                let ty = self.type_expression(ty);
                for name in names {
                    self.declare_local(name, ty, LocalKind::Variable, None);
                }
            }
            // The parser permits nothing else in a block.
            _ => {}
        }
    }

    /// Second pass: the bodies.
    fn bodies(&mut self, bodies: Vec<Body>) {
        for body in bodies {
            match body {
                Body::Subprogram(id, subprogram, scope) => self.subprogram(id, subprogram, scope),
                Body::Rule(rule) => {
                    self.frame = Frame::default();
                    self.rule_item(rule, &mut Vec::new());
                }
                Body::Axiom(name, formula, span) => {
                    let formula = self.formula(Owner::Axiom, name, formula, span);
                    self.model.axioms.push(formula);
                }
                Body::Predicate(name, formula, span) => {
                    let formula = self.formula(Owner::Predicate, name, formula, span);
                    self.model.predicates.push(formula);
                }
            }
        }
        self.number_properties();
    }
}
