//! Decides whether the result of a loop is independent of the order of its iterations.
//!
//! Permuting a scalarset preserves the meaning of a model only if no loop over it depends on the order of its elements.
//! C. N. Ip and D. L. Dill, "Better verification through symmetry" (1996), require that no iteration reads or writes
//! what another one writes. This check is more permissive: iterations may write the same value to the same place, add
//! to or subtract from a place that nothing else reads, combine it with `&` or `|`, and add elements to a multiset.
//! Anything that the check cannot analyse counts as dependent.

use crate::model::{
    AliasTarget, Argument, Binary, Binder, Designator, Domain, Expression, ExpressionKind, Local, LocalId, LocalKind,
    Model, Root, Selector, Statement, StatementKind, SubprogramId, VariableId,
};

/// The maximum depth of analysed calls.
const MAXIMUM_CALLS: usize = 16;

/// The meaning of each local of a rule or subprogram.
pub(super) struct Scope {
    names: Vec<Name>,
    /// The call depth.
    depth: usize,
}

impl Scope {
    pub(super) fn new(locals: &[Local]) -> Scope {
        let name = |(position, local): (usize, &Local)| {
            let origin = match local.kind {
                LocalKind::Reference => Origin::Hidden(LocalId(position)),
                _ => Origin::Local(LocalId(position)),
            };
            Name::Place(Path::new(origin))
        };
        Scope {
            names: locals.iter().enumerate().map(name).collect(),
            depth: 0,
        }
    }

    /// Records the target of an alias.
    pub(super) fn bind(&mut self, local: LocalId, target: &AliasTarget) {
        if let AliasTarget::Place(designator) = target {
            self.names[local.0] = self.path(designator).map_or(Name::Private, Name::Place);
        }
    }

    /// The place of a designator, unless it is local to one iteration.
    fn path(&self, designator: &Designator) -> Option<Path> {
        let mut path = match designator.root {
            Root::Variable(variable) => Path::new(Origin::Variable(variable)),
            Root::Local(local) => match &self.names[local.0] {
                Name::Index | Name::Private => return None,
                Name::Place(path) => path.clone(),
            },
        };
        for selector in &designator.selectors {
            path.steps.push(match selector {
                Selector::Field(position) => Step::Field(*position),
                Selector::Index(index) | Selector::Element(index) => self.step(index),
            });
        }
        Some(path)
    }

    fn step(&self, index: &Expression) -> Step {
        match &index.kind {
            ExpressionKind::Literal(value) => Step::Literal(*value),
            _ if self.is_index(index) => Step::Own,
            _ => Step::Other,
        }
    }

    /// Whether an expression is the loop's own element. Conversion to a union preserves distinctness.
    fn is_index(&self, node: &Expression) -> bool {
        match &node.kind {
            ExpressionKind::Read(designator) => match designator.root {
                Root::Local(local) => designator.selectors.is_empty() && matches!(self.names[local.0], Name::Index),
                Root::Variable(_) => false,
            },
            ExpressionKind::Convert(inner) => self.is_index(inner),
            _ => false,
        }
    }
}

/// Why the iterations of a loop may not be reordered, if so.
pub(super) fn dependence(model: &Model, around: &Scope, variable: LocalId, body: &[Statement]) -> Option<Dependence> {
    let mut collector = Collector::new(model);
    let mut scope = Scope {
        names: around.names.clone(),
        depth: 0,
    };
    scope.names[variable.0] = Name::Index;
    collector.statements(&mut scope, body);
    if collector.dependent {
        return Some(Dependence::Flow);
    }
    collector.conflict().map(|origin| match origin {
        Origin::Variable(variable) => Dependence::Variable(variable),
        Origin::Local(local) | Origin::Hidden(local) => Dependence::Local(local),
    })
}

/// Why the result of a loop depends on the order of iterations.
pub(super) enum Dependence {
    /// It exits early, or contains a call that cannot be analysed.
    Flow,
    /// Iterations communicate through this variable.
    Variable(VariableId),
    Local(LocalId),
}

/// Whether evaluating an expression has no side effects. A quantifier exits early, so its order matters if it has side
/// effects.
pub(super) fn is_pure(model: &Model, around: &Scope, node: &Expression) -> bool {
    let mut collector = Collector::new(model);
    let mut scope = Scope {
        names: around.names.clone(),
        depth: 0,
    };
    collector.expression(&mut scope, node);
    !collector.dependent && collector.accesses.iter().all(|access| access.effect == Effect::Read)
}

/// The meaning of a name while accesses are collected.
#[derive(Clone, Debug)]
enum Name {
    /// The loop's own element.
    Index,
    /// Local to one iteration.
    Private,
    Place(Path),
}

/// A variable, and the path to a component of it.
#[derive(Clone, PartialEq, Debug)]
struct Path {
    origin: Origin,
    steps: Vec<Step>,
}

impl Path {
    fn new(origin: Origin) -> Path {
        Path {
            origin,
            steps: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Origin {
    Variable(VariableId),
    /// A local of the code around the loop.
    Local(LocalId),
    /// The target of a `var` parameter of the code around the loop: part of a variable, or of another such parameter.
    Hidden(LocalId),
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Field(usize),
    Literal(i64),
    /// The component indexed by the iteration's own element.
    Own,
    Other,
}

#[derive(Clone, PartialEq, Debug)]
enum Effect {
    Read,
    Write,
    /// Writes a value that is the same in every iteration; the number identifies the value.
    Same(i64),
    Add,
    And,
    Or,
    Insert,
}

struct Access {
    path: Path,
    effect: Effect,
}

struct Collector<'m> {
    model: &'m Model,
    accesses: Vec<Access>,
    dependent: bool,
    calls: Vec<SubprogramId>,
}

impl<'m> Collector<'m> {
    fn new(model: &'m Model) -> Collector<'m> {
        Collector {
            model,
            accesses: Vec::new(),
            dependent: false,
            calls: Vec::new(),
        }
    }

    /// The variable through which iterations interfere.
    fn conflict(&self) -> Option<Origin> {
        let accesses = || self.accesses.iter().enumerate();
        let mut writes = accesses().filter(|(_, access)| access.effect != Effect::Read);
        let conflicting = writes.find(|(position, write)| {
            accesses().any(|(other, access)| {
                // A write also conflicts with itself in another iteration.
                (other >= *position || access.effect == Effect::Read)
                    && !commutes(&write.effect, &access.effect)
                    && may_overlap(&write.path, &access.path)
            })
        });
        conflicting.map(|(_, write)| write.path.origin)
    }

    fn statements(&mut self, scope: &mut Scope, statements: &[Statement]) {
        for statement in statements {
            self.statement(scope, statement);
        }
    }

    fn statement(&mut self, scope: &mut Scope, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(scope, target, value),
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expression(scope, condition);
                    self.statements(scope, body);
                }
                self.statements(scope, otherwise);
            }
            StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => {
                self.expression(scope, subject);
                for (labels, body) in cases {
                    labels.iter().for_each(|label| self.expression(scope, label));
                    self.statements(scope, body);
                }
                self.statements(scope, otherwise);
            }
            StatementKind::For { binder, body } => {
                self.bind(scope, binder);
                self.statements(scope, body);
            }
            StatementKind::While { condition, body } => {
                self.expression(scope, condition);
                self.statements(scope, body);
            }
            StatementKind::Alias { aliases, body } => {
                for (local, target) in aliases {
                    scope.names[local.0] = self.alias(scope, target);
                }
                self.statements(scope, body);
            }
            StatementKind::Call { subprogram, arguments } => self.call(scope, *subprogram, arguments),
            StatementKind::Return(value) => {
                value.iter().for_each(|value| self.expression(scope, value));
                // Leaving the loop early skips iterations; returning from a called subprogram does not.
                self.dependent |= scope.depth == 0;
            }
            StatementKind::Assert { condition, .. } | StatementKind::Assume { condition } => {
                self.expression(scope, condition);
            }
            StatementKind::Error(_) | StatementKind::PutText(_) | StatementKind::Put(_) => {}
            _ => self.bulk_statement(scope, statement),
        }
    }

    fn bulk_statement(&mut self, scope: &mut Scope, statement: &Statement) {
        match &statement.kind {
            StatementKind::Clear(target) => self.write(scope, target, Effect::Same(0)),
            StatementKind::Undefine(target) => self.write(scope, target, Effect::Same(i64::MIN)),
            StatementKind::Havoc { targets, constraint } => {
                targets
                    .iter()
                    .for_each(|target| self.write(scope, target, Effect::Write));
                constraint
                    .iter()
                    .for_each(|constraint| self.expression(scope, constraint));
            }
            StatementKind::MultisetAdd { element, multiset } => {
                self.expression(scope, element);
                self.write(scope, multiset, Effect::Insert);
            }
            StatementKind::MultisetRemove { index, multiset } => {
                self.expression(scope, index);
                self.write(scope, multiset, Effect::Write);
            }
            StatementKind::MultisetRemoveIf {
                local,
                multiset,
                condition,
            } => {
                scope.names[local.0] = Name::Private;
                self.expression(scope, condition);
                self.write(scope, multiset, Effect::Write);
            }
            _ => {}
        }
    }

    fn assign(&mut self, scope: &mut Scope, target: &Designator, value: &Expression) {
        let path = scope.path(target);
        let ExpressionKind::Binary(operator, left, right) = &value.kind else {
            self.expression(scope, value);
            let effect = match &value.kind {
                ExpressionKind::Literal(value) => Effect::Same(*value),
                _ => Effect::Write,
            };
            return self.write(scope, target, effect);
        };
        let effect = match operator {
            Binary::Add | Binary::Subtract => Effect::Add,
            Binary::And | Binary::BitAnd => Effect::And,
            Binary::Or | Binary::BitOr => Effect::Or,
            _ => Effect::Write,
        };
        let is_target = |side: &Expression| match &side.kind {
            ExpressionKind::Read(read) => path.is_some() && scope.path(read) == path,
            _ => false,
        };
        let added = if effect != Effect::Write && is_target(left) {
            Some(right)
        } else if !matches!(effect, Effect::Write) && *operator != Binary::Subtract && is_target(right) {
            Some(left)
        } else {
            None
        };
        match added {
            Some(added) => {
                self.expression(scope, added);
                self.write(scope, target, effect);
            }
            None => {
                self.expression(scope, value);
                self.write(scope, target, Effect::Write);
            }
        }
    }

    fn write(&mut self, scope: &mut Scope, target: &Designator, effect: Effect) {
        self.selectors(scope, target);
        if let Root::Local(local) = target.root
            && matches!(scope.names[local.0], Name::Index)
        {
            // Afterwards, iterations would no longer be distinguished by their element.
            self.dependent = true;
        }
        if let Some(path) = scope.path(target) {
            self.accesses.push(Access { path, effect });
        }
    }

    fn selectors(&mut self, scope: &mut Scope, designator: &Designator) {
        for selector in &designator.selectors {
            if let Selector::Index(index) | Selector::Element(index) = selector {
                self.expression(scope, index);
            }
        }
    }

    fn bind(&mut self, scope: &mut Scope, binder: &Binder) {
        if let Domain::Range { low, high, step } = &binder.domain {
            [Some(low), Some(high), step.as_ref()]
                .into_iter()
                .flatten()
                .for_each(|bound| self.expression(scope, bound));
        }
        scope.names[binder.local.0] = Name::Private;
    }

    fn alias(&mut self, scope: &mut Scope, target: &AliasTarget) -> Name {
        match target {
            AliasTarget::Place(designator) => {
                self.selectors(scope, designator);
                scope.path(designator).map_or(Name::Private, Name::Place)
            }
            AliasTarget::Value(value) => {
                self.expression(scope, value);
                Name::Private
            }
        }
    }

    fn call(&mut self, scope: &mut Scope, subprogram: SubprogramId, arguments: &[Argument]) {
        if self.calls.contains(&subprogram) || self.calls.len() >= MAXIMUM_CALLS {
            self.dependent = true;
            return;
        }
        let callee = &self.model.subprograms[subprogram.0];
        let mut names = vec![Name::Private; callee.locals.len()];
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            names[parameter.0] = match argument {
                Argument::Value(value) => {
                    self.expression(scope, value);
                    match scope.is_index(value) && callee.locals[parameter.0].kind == LocalKind::Value {
                        true => Name::Index,
                        false => Name::Private,
                    }
                }
                Argument::Reference(designator) => {
                    self.selectors(scope, designator);
                    scope.path(designator).map_or(Name::Private, Name::Place)
                }
            };
        }
        self.calls.push(subprogram);
        let mut inner = Scope {
            names,
            depth: scope.depth + 1,
        };
        self.statements(&mut inner, &callee.body);
        self.calls.pop();
    }

    fn expression(&mut self, scope: &mut Scope, node: &Expression) {
        match &node.kind {
            ExpressionKind::Literal(_) | ExpressionKind::EmptyList | ExpressionKind::Error => {}
            ExpressionKind::Read(designator) | ExpressionKind::IsUndefined(designator) => {
                self.read(scope, designator);
            }
            ExpressionKind::Convert(inner)
            | ExpressionKind::Unary(_, inner)
            | ExpressionKind::IsMember(inner, _)
            | ExpressionKind::Head(inner)
            | ExpressionKind::Tail(inner)
            | ExpressionKind::Length(inner) => self.expression(scope, inner),
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Append(left, right) => {
                self.expression(scope, left);
                self.expression(scope, right);
            }
            ExpressionKind::If(condition, then, otherwise) => {
                self.expression(scope, condition);
                self.expression(scope, then);
                self.expression(scope, otherwise);
            }
            ExpressionKind::Quantified { binder, body, .. } => {
                self.bind(scope, binder);
                self.expression(scope, body);
            }
            ExpressionKind::Call { subprogram, arguments } => self.call(scope, *subprogram, arguments),
            ExpressionKind::Apply { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expression(scope, argument));
            }
            ExpressionKind::MultisetCount {
                local,
                multiset,
                condition,
            } => {
                self.read(scope, multiset);
                scope.names[local.0] = Name::Private;
                self.expression(scope, condition);
            }
        }
    }

    fn read(&mut self, scope: &mut Scope, designator: &Designator) {
        self.selectors(scope, designator);
        if let Some(path) = scope.path(designator) {
            self.accesses.push(Access {
                path,
                effect: Effect::Read,
            });
        }
    }
}

/// Whether two effects on one place, in different iterations, commute.
fn commutes(first: &Effect, second: &Effect) -> bool {
    first == second && !matches!(first, Effect::Write)
}

/// Whether places of two different iterations may overlap.
fn may_overlap(first: &Path, second: &Path) -> bool {
    if first.origin != second.origin {
        return match (first.origin, second.origin) {
            (Origin::Local(_), _) | (_, Origin::Local(_)) => false,
            (Origin::Hidden(_), _) | (_, Origin::Hidden(_)) => true,
            (Origin::Variable(_), Origin::Variable(_)) => false,
        };
    }
    for (first, second) in first.steps.iter().zip(&second.steps) {
        let apart = match (first, second) {
            (Step::Own, Step::Own) => true,
            (Step::Field(first), Step::Field(second)) => first != second,
            (Step::Literal(first), Step::Literal(second)) => first != second,
            _ => false,
        };
        if apart {
            return false;
        }
    }
    true
}
