//! Typing: from the syntax tree to the [`Model`], with every name resolved and every mistake reported once.
//!
//! What CMurphi or Rumur accepts is accepted. Two passes over the file: declarations first, in their order (a constant,
//! type or variable must be declared before another declaration uses it), then the bodies of subprograms, rules and
//! properties, which see all declarations of the file.
//!
//! No cascades: what was wrong has the error type, which goes with everything, and an unknown name is reported once.

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

/// What the user says about constants and sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Sizes of types, by name of the type or of the constant behind it.
    pub sizes: BTreeMap<String, i64>,
    pub constants: BTreeMap<String, i64>,
    /// Types that a proof must take at any size; an error where that cannot be.
    pub parametric: BTreeSet<String>,
    /// Types that a proof must take at the size that they have.
    pub fixed: BTreeSet<String>,
    /// Types that are of any size in proofs although a single element is declared here.
    pub any_size: BTreeSet<String>,
    /// Types that cannot be of any size for reasons that typing does not see, by the place of their declaration.
    pub obstacles: BTreeMap<Span, Obstacle>,
}

/// Types that every model starts with.
pub(crate) const BOOLEAN: TypeId = TypeId(0);
pub(crate) const INTEGER: TypeId = TypeId(1);
const ERROR: TypeId = TypeId(2);
/// Of `[]`, until its place says which list it is.
const EMPTY_LIST: TypeId = TypeId(3);

/// Types a program. Where an error is among the diagnostics, the model is not fit for use.
pub fn check(program: &syntax::Program, options: &CheckOptions) -> (Model, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut overrides = Overrides::default();
    if !options.sizes.is_empty() || !options.constants.is_empty() {
        // Declare once as written to learn which constants the sizes stand for.
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

/// The state of typing.
struct Checker {
    model: Model,
    /// How many properties of each kind there are.
    properties: [usize; 3],
    diagnostics: Vec<Diagnostic>,
    overrides: Overrides,
    scopes: Scopes,
    constants: Vec<Constant>,
    /// Constants mentioned in places where their value matters, that is, not in the size of a type.
    constant_uses: Vec<(ConstantId, Span)>,
    /// Of scalarsets and of ranges that were written as a type.
    sizes: BTreeMap<TypeId, SymbolicSize>,
    /// Pairs of types that have been compared.
    same_types: RefCell<BTreeMap<(TypeId, TypeId), bool>>,
    index_variables: Vec<Variable>,
    /// Unknown names that have been reported.
    unknown: BTreeSet<String>,
    frame: Frame,
}

/// What is being checked: its locals, and what it may do.
#[derive(Default)]
struct Frame {
    owner: Owner,
    locals: Vec<Local>,
    details: Vec<LocalDetail>,
    /// Where in the context of a rule the rulesets around it begin.
    rulesets: Vec<usize>,
    /// The locals that stand for `index` variables in a predicate.
    index_locals: BTreeMap<usize, LocalId>,
    /// A function has a `return`.
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

/// What typing knows about a local beyond the model.
#[derive(Clone, Default)]
struct LocalDetail {
    read_only: Option<ReadOnly>,
    /// The local numbers the elements of a multiset of this type.
    multiset: Option<TypeId>,
    /// The local is an alias of this constant.
    constant: Option<i64>,
    /// It was assigned although it is bound by a loop or ruleset, which changes a copy only.
    assigned: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadOnly {
    Value,
    /// By a quantifier, `choose` or `index`.
    Bound,
    /// By a loop or ruleset: Rumur lets the body change its own copy.
    Loop,
    AliasOfValue,
}

/// What the first pass leaves for the second.
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

    /// A local that the innermost scope knows by its name.
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

    /// Reports a name that means nothing, the first time only.
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

    /// An expression that stands for a mistake; its type is known or is the error type.
    fn wrong(&self, ty: TypeId, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Error,
            ty,
            span,
        }
    }

    /// First pass: all declarations in their order.
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

    /// A constant, type or local variable, in whatever scope.
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
            // The parser lets nothing else into a block.
            _ => {}
        }
    }

    /// Second pass: what the declarations were for.
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
