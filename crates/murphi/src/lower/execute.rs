//! Symbolic execution of statements: from the meaning of the pre-state to that of the post-state.
//!
//! Both branches of a conditional are executed and joined by if-then-else. Calls are inlined, loops over types of fixed
//! size are unrolled, and loops over parametric types are in `parallel`. A `return` makes the following code inactive.
//! Possible errors (an `assert`, a value out of range) become assertions under their path condition and the assumptions
//! made so far: a later assumption does not excuse an error.

use super::Lowering;
use super::counting::Number;
use super::meaning::{self, Meaning, Step, parameter};
use super::refusal::Refusal;
use super::shape::{Component, Index, Role};
use crate::model::*;
use logic::{Function, Lambda, Sort, Substitution, Term, Variable, term};
use system::transition::{Assertion, AssertionKind};
use system::{Diagnostic, Span};

/// The root of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceRoot {
    Variable(usize),
    Local { frame: usize, local: usize },
}

/// A place with evaluated indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) root: PlaceRoot,
    pub(crate) steps: Vec<Step>,
}

impl Place {
    /// A component of the place.
    pub(crate) fn at(&self, step: Step) -> Place {
        let mut part = self.clone();
        part.steps.push(step);
        part
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Binding {
    Value(Meaning),
    Place(Place),
}

/// A symbol that a rule chooses.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) function: Function,
    /// Its axiom, which some value always satisfies.
    pub(crate) fact: Term,
    /// Set if it counts iterations of a loop.
    pub(crate) number: Option<Number>,
}

impl Choice {
    pub(crate) fn new(function: Function, fact: Term) -> Choice {
        Choice {
            function,
            fact,
            number: None,
        }
    }

    /// Substitutes known symbols in its axiom.
    pub(crate) fn apply(&mut self, known: &Substitution) {
        self.fact = known.apply(self.fact);
        if let Some(number) = &mut self.number {
            number.apply(known);
        }
    }
}

/// The locals of a rule or a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) locals: Vec<Option<Binding>>,
    /// Bounds of numbers that aliases of values denote: their types imply none, as function results are not checked.
    pub(crate) bounds: Vec<Option<(i64, i64)>>,
    pub(crate) result: Meaning,
}

impl Frame {
    pub(crate) fn new(locals: Vec<Option<Binding>>, result: Meaning) -> Frame {
        let bounds = vec![None; locals.len()];
        Frame { locals, bounds, result }
    }
}

/// The mutable state of execution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) variables: Vec<Meaning>,
    pub(crate) frames: Vec<Frame>,
    /// False after a `return`.
    pub(crate) active: Term,
    /// False after a failed assumption: the run is blocked.
    pub(crate) possible: Term,
}

/// Executes the code of one rule, start, property or formula.
pub(crate) struct Executor<'l, 'm> {
    pub(crate) lowering: &'l Lowering<'m>,
    /// Locals of the outermost code.
    locals: &'m [Local],
    pub(crate) state: State,
    /// The path condition.
    pub(crate) path: Term,
    pub(crate) assertions: Vec<Assertion>,
    /// Symbols chosen by this rule.
    pub(crate) choices: Vec<Choice>,
    /// Variables bound around the current code: rule parameters, quantified variables and variables of parallel loops.
    pub(crate) scope: Vec<Variable>,
    /// Those of quantifiers and parallel loops only: each of their values has its own choices.
    pub(crate) rounds: Vec<Variable>,
    pub(crate) refusals: Vec<Refusal>,
    calls: Vec<SubprogramId>,
}

const MAXIMAL_UNROLLING: usize = 1000;
const MAXIMAL_WHILE: usize = 32;

impl<'l, 'm> Executor<'l, 'm> {
    pub(crate) fn new(lowering: &'l Lowering<'m>, locals: &'m [Local]) -> Executor<'l, 'm> {
        let frame = Frame::new(vec![None; locals.len()], Vec::new());
        let variables = lowering
            .variables
            .iter()
            .map(|v| v.iter().map(|f| identity(*f)).collect())
            .collect();
        let mut executor = Executor {
            lowering,
            locals,
            state: State {
                variables,
                frames: vec![frame],
                active: term::bool(true),
                possible: term::bool(true),
            },
            path: term::bool(true),
            assertions: Vec::new(),
            choices: Vec::new(),
            scope: Vec::new(),
            rounds: Vec::new(),
            refusals: Vec::new(),
            calls: Vec::new(),
        };
        for (number, local) in locals.iter().enumerate() {
            if local.kind == LocalKind::Variable {
                let undefined = executor.arbitrary(local.ty, &local.name, false);
                executor.bind(LocalId(number), Binding::Value(undefined));
            }
        }
        executor
    }

    /// A local of the current code.
    pub(crate) fn local(&self, id: LocalId) -> &'m Local {
        match self.calls.last() {
            Some(call) => &self.lowering.model.subprograms[call.0].locals[id.0],
            None => &self.locals[id.0],
        }
    }

    /// A local of one of the frames: the first is that of the outermost code, the others are those of calls.
    pub(crate) fn local_of(&self, frame: usize, local: usize) -> &'m Local {
        match frame.checked_sub(1).and_then(|call| self.calls.get(call)) {
            Some(call) => &self.lowering.model.subprograms[call.0].locals[local],
            None => &self.locals[local],
        }
    }

    /// The condition under which the current code runs.
    pub(crate) fn reached(&self) -> Term {
        term::and([self.path, self.state.active, self.state.possible])
    }

    pub(crate) fn require(&mut self, kind: AssertionKind, condition: Term, message: impl Into<String>, span: Span) {
        let condition = term::implies(self.reached(), condition);
        if !condition.is_true() {
            self.assertions.push(Assertion {
                kind,
                message: message.into(),
                condition,
                span,
            });
        }
    }

    pub(crate) fn assume(&mut self, condition: Term) {
        let holds = term::implies(term::and([self.path, self.state.active]), condition);
        self.state.possible = term::and([self.state.possible, holds]);
    }

    pub(crate) fn unsupported(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let refusal = Refusal::new(Diagnostic::error(span, message).help(help), Vec::new());
        self.refusals.push(refusal);
    }

    /// Like `unsupported`, but a fixed size of the parametric type with this sort would help.
    pub(crate) fn unsupported_at_any_size(&mut self, sort: Sort, span: Span, message: impl Into<String>, help: &str) {
        let types = self.lowering.shapes.type_of_sort(sort).into_iter().collect();
        let refusal = Refusal::new(Diagnostic::error(span, message).help(help), types);
        self.refusals.push(refusal);
    }

    /// Makes a symbol a choice of the rule. It must be new: the axiom of an existing one would be lost.
    pub(crate) fn pick(&mut self, choice: Choice) {
        let name = choice.function.name();
        let is_new = self.choices.iter().all(|known| known.function.name() != name);
        assert!(is_new, "`{name}` is picked twice");
        self.choices.push(choice);
    }

    pub(crate) fn frame(&mut self) -> &mut Frame {
        let top = self.state.frames.len() - 1;
        &mut self.state.frames[top]
    }

    pub(crate) fn bind(&mut self, local: LocalId, binding: Binding) {
        self.frame().locals[local.0] = Some(binding);
    }

    // ---- places ----

    /// The components of a type; an unsupported type was reported when the variables were laid out.
    pub(crate) fn components(&self, ty: TypeId) -> Vec<Component> {
        self.lowering.shapes.components(ty).unwrap_or_default()
    }

    pub(crate) fn place(&mut self, designator: &Designator) -> Place {
        let frame = self.state.frames.len() - 1;
        let (mut place, mut ty) = match designator.root {
            Root::Variable(id) => {
                let root = PlaceRoot::Variable(id.0);
                (
                    Place {
                        root,
                        steps: Vec::new(),
                    },
                    self.lowering.model.variables[id.0].ty,
                )
            }
            Root::Local(id) => {
                let ty = self.local(id).ty;
                match &self.state.frames[frame].locals[id.0] {
                    Some(Binding::Place(place)) => (place.clone(), ty),
                    _ => (
                        Place {
                            root: PlaceRoot::Local { frame, local: id.0 },
                            steps: Vec::new(),
                        },
                        ty,
                    ),
                }
            }
        };
        for selector in &designator.selectors {
            let (step, part) = self.step(ty, selector);
            place.steps.push(step);
            ty = part;
        }
        place
    }

    fn step(&mut self, ty: TypeId, selector: &Selector) -> (Step, TypeId) {
        let shapes = &self.lowering.shapes;
        match (self.lowering.model.kind(ty).clone(), selector) {
            (TypeKind::Record { fields }, Selector::Field(position)) => {
                let offset = fields[..*position].iter().map(|f| shapes.width(f.ty)).sum();
                let part = fields[*position].ty;
                (
                    Step::Field {
                        offset,
                        width: shapes.width(part),
                    },
                    part,
                )
            }
            (TypeKind::Array { index, element }, Selector::Index(expression)) => {
                let width = shapes.width(element);
                let value = self.evaluate_as(expression, index);
                let step = match shapes.index(index) {
                    Index::Parameter(scalar) => {
                        let index_term = value[0].body;
                        self.check_bounds(expression, index_term, scalar.bounds, "the index");
                        Step::Index {
                            index: index_term,
                            offset: 0,
                            width,
                        }
                    }
                    Index::Union(union) => Step::Cases {
                        parts: self.union_cases(union, &value),
                        width,
                    },
                };
                (step, element)
            }
            (TypeKind::Multiset { capacity, element }, Selector::Element(expression)) => {
                let index = self.scalar(expression);
                self.check_bounds(expression, index, Some((0, capacity - 1)), "the number of the element");
                (
                    Step::Index {
                        index,
                        offset: 1,
                        width: shapes.width(element),
                    },
                    element,
                )
            }
            // The checker has matched selectors with types.
            _ => (Step::Field { offset: 0, width: 0 }, ty),
        }
    }

    pub(crate) fn read(&self, place: &Place) -> Meaning {
        let root = match place.root {
            PlaceRoot::Variable(id) => &self.state.variables[id],
            PlaceRoot::Local { frame, local } => match &self.state.frames[frame].locals[local] {
                Some(Binding::Value(meaning)) => meaning,
                _ => return Vec::new(),
            },
        };
        let meaning = meaning::read(root, &place.steps);
        let depth = meaning.iter().map(|lambda| u64::from(lambda.body.depth()));
        self.lowering.effort.spend(depth.sum());
        meaning
    }

    pub(crate) fn write(&mut self, place: &Place, new: &[Lambda]) {
        let active = self.state.active;
        let root = match place.root {
            PlaceRoot::Variable(id) => &mut self.state.variables[id],
            PlaceRoot::Local { frame, local } => match &mut self.state.frames[frame].locals[local] {
                Some(Binding::Value(meaning)) => meaning,
                _ => return,
            },
        };
        meaning::assign(root, &place.steps, active, new);
    }

    /// An arbitrary value of a type: new symbols, each a function of its indices and of the enclosing parallel
    /// iterations.
    pub(crate) fn arbitrary(&mut self, ty: TypeId, name: &str, defined: bool) -> Meaning {
        let mut meaning = Vec::new();
        for component in self.components(ty) {
            let parameters: Vec<Variable> = component
                .parameters
                .iter()
                .enumerate()
                .map(|(n, p)| parameter(n, p.sort))
                .collect();
            let body = if component.role == Role::Defined || component.role == Role::Present {
                term::bool(defined && component.role == Role::Defined)
            } else {
                let number = self.lowering.next_choice();
                let mut sorts: Vec<_> = self.rounds.iter().map(|v| v.sort).collect();
                sorts.extend(parameters.iter().map(|p| p.sort));
                let text = format!("{name}{}!{number}", component.suffix);
                let symbol = Function::new(text.as_str(), sorts, component.value.sort);
                let fact = self.lowering.bounds_of(symbol, &component, &self.rounds);
                self.pick(Choice::new(symbol, fact));
                let mut arguments: Vec<Term> = self.rounds.iter().map(|v| v.term()).collect();
                arguments.extend(parameters.iter().map(|p| p.term()));
                symbol.apply(arguments)
            };
            meaning.push(Lambda { parameters, body });
        }
        meaning
    }

    // ---- statements ----

    pub(crate) fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            if self.state.active.is_false() || self.path.is_false() || self.lowering.effort.is_over() {
                break;
            }
            self.lowering.effort.spend(1);
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assignment(target, value),
            StatementKind::If { branches, otherwise } => self.conditional(branches, otherwise),
            StatementKind::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(subject, cases, otherwise),
            StatementKind::For { binder, body } => self.for_loop(binder, body, span),
            StatementKind::While { condition, body } => self.while_loop(condition, body, span),
            StatementKind::Alias { aliases, body } => {
                for (local, target) in aliases {
                    self.alias(*local, target);
                }
                self.run(body);
            }
            StatementKind::Call { subprogram, arguments } => {
                self.call(*subprogram, arguments, span);
            }
            StatementKind::Return(value) => self.return_from(value.as_ref()),
            StatementKind::Clear(designator) => {
                let place = self.place(designator);
                let least = self.least(designator.ty);
                self.write(&place, &least);
            }
            StatementKind::Undefine(designator) => {
                let place = self.place(designator);
                let value = self.arbitrary(designator.ty, "undefined", false);
                self.write(&place, &value);
            }
            StatementKind::Error(message) => {
                self.require(AssertionKind::Stated, term::bool(false), message.clone(), span);
                // Code after an error is unreachable. In a parametric loop that would make iterations depend on each
                // other; executing the code there is harmless, since the run has already failed.
                if self.rounds.is_empty() {
                    self.state.active = term::bool(false);
                }
            }
            StatementKind::Assert { condition, message } => {
                let condition = self.scalar(condition);
                self.require(AssertionKind::Stated, condition, message.clone(), span);
            }
            StatementKind::Assume { condition } => {
                let condition = self.scalar(condition);
                self.assume(condition);
            }
            StatementKind::PutText(_) => {}
            // Output has no effect, but evaluating it may fail or call a function with side effects.
            StatementKind::Put(value) => {
                self.copied_value(value, value.ty);
            }
            StatementKind::MultisetAdd { element, multiset } => self.multiset_add(element, multiset, span),
            StatementKind::MultisetRemove { index, multiset } => self.multiset_remove(index, multiset, span),
            StatementKind::MultisetRemoveIf {
                local,
                multiset,
                condition,
            } => {
                self.multiset_remove_if(*local, multiset, condition);
            }
            StatementKind::Havoc { targets, constraint } => {
                // Subscripts are evaluated before anything changes.
                let places: Vec<Place> = targets.iter().map(|target| self.place(target)).collect();
                for (target, place) in targets.iter().zip(places) {
                    let value = self.arbitrary(target.ty, "havoc", true);
                    self.write(&place, &value);
                }
                if let Some(constraint) = constraint {
                    let constraint = self.scalar(constraint);
                    self.assume(constraint);
                }
            }
        }
    }

    /// The value is evaluated first, then the place, as in the code that Rumur and CMurphi generate. A record is copied
    /// after both.
    fn assignment(&mut self, target: &Designator, value: &Expression) {
        if self.is_block(target.ty) {
            let source = self.block(value, target.ty);
            let source = self.located(source);
            let place = self.place(target);
            let new = self.contents(&source, target.ty);
            return self.write(&place, &new);
        }
        let new = if self.may_copy_undefined(target.ty) {
            self.copy_value(value, target.ty, "the value")
        } else {
            self.read_as(value, target.ty, "the value")
        };
        let place = self.place(target);
        self.write(&place, &new);
    }

    /// Executes both branches and joins the results.
    pub(crate) fn branch<T>(
        &mut self,
        condition: Term,
        then: impl FnOnce(&mut Self) -> T,
        otherwise: impl FnOnce(&mut Self) -> T,
    ) -> (T, T) {
        let path = self.path;
        let before = self.state.clone();
        self.path = term::and([path, condition]);
        let first = then(self);
        let after_then = std::mem::replace(&mut self.state, before);
        self.path = term::and([path, term::not(condition)]);
        let second = otherwise(self);
        self.path = path;
        join(condition, &after_then, &mut self.state);
        (first, second)
    }

    fn conditional(&mut self, branches: &[(Expression, Vec<Statement>)], otherwise: &[Statement]) {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.run(otherwise);
        };
        let condition = self.scalar(condition);
        if condition.is_true() {
            self.run(body);
        } else if condition.is_false() {
            self.conditional(rest, otherwise);
        } else {
            self.branch(condition, |e| e.run(body), |e| e.conditional(rest, otherwise));
        }
    }

    fn switch(&mut self, subject: &Expression, cases: &[(Vec<Expression>, Vec<Statement>)], otherwise: &[Statement]) {
        let value = self.evaluate(subject);
        self.switch_on(subject.ty, &value, cases, otherwise);
    }

    fn switch_on(
        &mut self,
        ty: TypeId,
        value: &Meaning,
        cases: &[(Vec<Expression>, Vec<Statement>)],
        otherwise: &[Statement],
    ) {
        let Some(((labels, body), rest)) = cases.split_first() else {
            return self.run(otherwise);
        };
        let condition = self.fits_some(ty, value, labels);
        if condition.is_true() {
            self.run(body);
        } else if condition.is_false() {
            self.switch_on(ty, value, rest, otherwise);
        } else {
            self.branch(condition, |e| e.run(body), |e| e.switch_on(ty, value, rest, otherwise));
        }
    }

    /// Whether the value equals a label. Labels after the first match are not evaluated.
    fn fits_some(&mut self, ty: TypeId, value: &Meaning, labels: &[Expression]) -> Term {
        let Some((first, rest)) = labels.split_first() else {
            return term::bool(false);
        };
        let label = self.evaluate_as(first, ty);
        let fits = self.same(ty, value, &label);
        if fits.is_true() {
            return fits;
        }
        let (others, _) = self.branch(term::not(fits), |e| e.fits_some(ty, value, rest), |_| term::bool(false));
        term::or([fits, others])
    }

    fn for_loop(&mut self, binder: &Binder, body: &[Statement], span: Span) {
        let Some(values) = self.values(binder, MAXIMAL_UNROLLING) else {
            let help = "loops over numbers need constant bounds, or bounds whose types are small subranges";
            return self.unsupported(span, "this loop cannot be unrolled", help);
        };
        for value in values {
            match value.variable {
                Some(variable) => self.parallel(binder.local, variable, value.meaning, body, span),
                None if value.condition.is_false() => {}
                None => {
                    let meaning = value.meaning;
                    let round = |e: &mut Self| {
                        e.bind(binder.local, Binding::Value(meaning));
                        e.run(body);
                    };
                    if value.condition.is_true() {
                        round(self);
                    } else {
                        self.branch(value.condition, round, |_| ());
                    }
                }
            }
        }
    }

    fn while_loop(&mut self, condition: &Expression, body: &[Statement], span: Span) {
        self.while_rounds(condition, body, span, MAXIMAL_WHILE);
    }

    fn while_rounds(&mut self, condition: &Expression, body: &[Statement], span: Span, left: usize) {
        let value = self.scalar(condition);
        // After a `return` an iteration does nothing: its condition is irrelevant.
        let value = meaning::assuming(value, self.state.active);
        if value.is_false() || self.path.is_false() || self.state.active.is_false() {
            return;
        }
        if left == 0 {
            // The unrolling bound is no error by itself, but a proof must show that no run exceeds it.
            let message = format!("the loop runs for more than {MAXIMAL_WHILE} rounds");
            self.require(AssertionKind::Operation, term::not(value), message, span);
            self.state.active = term::and([self.state.active, term::not(value)]);
            return;
        }
        let round = |e: &mut Self| {
            e.run(body);
            e.while_rounds(condition, body, span, left - 1);
        };
        if value.is_true() {
            round(self);
        } else {
            self.branch(value, round, |_| ());
        }
    }

    pub(crate) fn alias(&mut self, local: LocalId, target: &AliasTarget) {
        let binding = match target {
            AliasTarget::Place(designator) => Binding::Place(self.place(designator)),
            AliasTarget::Value(expression) if self.is_block(expression.ty) => {
                let source = self.block(expression, expression.ty);
                Binding::Value(self.contents(&source, expression.ty))
            }
            AliasTarget::Value(expression) => {
                let value = self.evaluate(expression);
                let number = value
                    .first()
                    .map(|lambda| lambda.body)
                    .filter(|body| body.sort() == Sort::Int);
                let bounds = self.bounds(expression).or_else(|| self.term_bounds(number?));
                self.frame().bounds[local.0] = bounds;
                Binding::Value(value)
            }
        };
        self.bind(local, binding);
    }

    fn return_from(&mut self, value: Option<&Expression>) {
        if let (Some(value), Some(&subprogram)) = (value, self.calls.last())
            && let Some(result) = self.lowering.model.subprograms[subprogram.0].result
        {
            let value = self.returned_value(value, result);
            let active = self.state.active;
            let mut old = std::mem::take(&mut self.frame().result);
            // The function has already returned, or the code is unreachable.
            for part in &mut old {
                part.body = meaning::assuming(part.body, term::not(active));
            }
            self.frame().result = meaning::choose(active, &value, &old);
        }
        self.state.active = term::bool(false);
    }

    /// Inlines a subprogram and returns its result with its definedness mark.
    pub(crate) fn call(&mut self, id: SubprogramId, arguments: &[Argument], span: Span) -> Meaning {
        let subprogram = &self.lowering.model.subprograms[id.0];
        let result_type = subprogram.result;
        if self.calls.contains(&id) {
            let help = "`cubist explore` runs recursive subprograms; for a proof write the recursion as a loop";
            self.unsupported(
                span,
                format!("`{}` calls itself and cannot be put in line", subprogram.name),
                help,
            );
            return result_type.map_or_else(Vec::new, |ty| self.arbitrary(ty, "result", true));
        }
        let mut locals: Vec<Option<Binding>> = vec![None; subprogram.locals.len()];
        let types = subprogram
            .parameters
            .iter()
            .map(|parameter| subprogram.locals[parameter.0].ty);
        let bindings = self.arguments(&types.collect::<Vec<_>>(), arguments);
        for (parameter, binding) in subprogram.parameters.iter().zip(bindings) {
            locals[parameter.0] = Some(binding);
        }
        for (number, local) in subprogram.locals.iter().enumerate() {
            if local.kind == LocalKind::Variable {
                locals[number] = Some(Binding::Value(self.arbitrary(local.ty, &local.name, false)));
            }
        }
        let result = result_type.map_or_else(Vec::new, |ty| self.arbitrary(ty, "result", true));
        let active = self.state.active;
        self.state.frames.push(Frame::new(locals, result));
        self.calls.push(id);
        self.run(&subprogram.body);
        if result_type.is_some() {
            let ended = term::not(self.state.active);
            let active_now = std::mem::replace(&mut self.state.active, active);
            if !active_now.is_false() {
                let message = format!("the function `{}` ends without returning a value", subprogram.name);
                self.require(
                    AssertionKind::Operation,
                    term::or([ended, term::not(active)]),
                    message,
                    span,
                );
            }
        }
        self.calls.pop();
        self.state.active = active;
        self.state.frames.pop().map_or_else(Vec::new, |frame| frame.result)
    }
}

/// `lambda u. f(u)`
pub(crate) fn identity(function: Function) -> Lambda {
    let parameters: Vec<Variable> = function
        .parameters()
        .iter()
        .enumerate()
        .map(|(n, sort)| parameter(n, *sort))
        .collect();
    let arguments: Vec<Term> = parameters.iter().map(|p| p.term()).collect();
    Lambda {
        parameters,
        body: function.apply(arguments),
    }
}

/// Joins `if condition then a else b` into `b`.
fn join(condition: Term, a: &State, b: &mut State) {
    for (x, y) in a.variables.iter().zip(&mut b.variables) {
        *y = meaning::choose(condition, x, y);
    }
    for (x, y) in a.frames.iter().zip(&mut b.frames) {
        for (x, y) in x.locals.iter().zip(&mut y.locals) {
            match (x, y) {
                (Some(Binding::Value(x)), Some(Binding::Value(y))) if x.len() == y.len() => {
                    *y = meaning::choose(condition, x, y);
                }
                _ => {}
            }
        }
        if x.result.len() == y.result.len() {
            y.result = meaning::choose(condition, &x.result, &y.result);
        }
    }
    b.active = term::ite(condition, a.active, b.active);
    b.possible = term::ite(condition, a.possible, b.possible);
}
