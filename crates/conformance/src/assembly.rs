//! Assembles the verification problem from a specification and programs: parallel components and a specification
//! process.

use crate::component::automaton::Automaton;
use crate::component::entry::{self, NoComponent};
use crate::component::{Assumption, Component, Ending, Parts, Routine};
use crate::lts::{Action, Actions, Lts, TAU};
use crate::specification::syntax::{Expression, Identifier, ProcedureBlock, Returns};
use crate::specification::{Formula, Meanings, Specification, StateMachine, formula};
use analysis::points_to::{PointsTo, sites};
use deduction::constants::substitute;
use logic::substitute::functions_of;
use logic::{Function, Sort, Term, simplify, term};
use smt::{Answer, Purpose, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Body, Integer, Place, ProcedureId, Program, Scalar, Value, VariableId, VariableKind};
use system::{Diagnostic, Span, suggest};
use unfold::{ContextId, Flow, Node, Undefinedness};

/// A verification problem: do these components, started in states that satisfy the guards, conform to a process?
#[derive(Clone, Debug)]
pub struct ConformanceProblem {
    pub name: String,
    pub components: Vec<Identifier>,
    pub guards: Vec<Expression>,
    pub process: Identifier,
    pub span: Span,
}

/// The problems of a specification: those of its program blocks; without any, one for each abstraction of a procedure
/// with a body.
pub fn problems(specification: &Specification, is_defined: &dyn Fn(&str) -> bool) -> Vec<ConformanceProblem> {
    let file = &specification.file;
    let of_programs = file
        .programs
        .iter()
        .map(|block| (block.components.clone(), &block.abstractions));
    let of_procedures = file.procedures.iter().filter(|block| is_defined(&block.name.text));
    let of_procedures = of_procedures.map(|block| (vec![block.name.clone()], &block.abstractions));
    let blocks: Vec<_> = match file.programs.is_empty() {
        true => of_procedures.collect(),
        false => of_programs.collect(),
    };
    let question =
        |components: &Vec<Identifier>, abstraction: &crate::specification::syntax::Abstraction| ConformanceProblem {
            name: abstraction.name.text.clone(),
            components: components.clone(),
            guards: abstraction.guards.clone(),
            process: abstraction.process.clone(),
            span: abstraction.span,
        };
    let all = blocks.iter().flat_map(|(components, abstractions)| {
        abstractions
            .iter()
            .map(move |abstraction| question(components, abstraction))
    });
    all.collect()
}

/// The program of a component, closed by an environment that calls its procedure with arbitrary arguments.
pub struct ClosedComponent {
    pub name: String,
    pub program: Program,
    pub points_to: PointsTo,
    pub entry: ProcedureId,
    /// The assumptions about the environment.
    pub assumptions: Vec<String>,
    /// Variables that only the specification mentions.
    pub spoken_of: BTreeSet<String>,
}

impl ClosedComponent {
    /// Closes a program whose start calls the procedure of this name.
    pub fn new(name: &str, program: &Program, specification: &Specification) -> Result<ClosedComponent, NoComponent> {
        let found = program
            .procedures
            .iter()
            .position(|procedure| procedure.name == name && matches!(procedure.body, Body::Automaton(_)));
        let Some(number) = found else {
            return Err(NoComponent::NoStart(name.to_owned()));
        };
        let entry = ProcedureId(u32::try_from(number).unwrap_or(u32::MAX));
        let blocks = specification
            .file
            .procedures
            .iter()
            .filter(|block| !block.abstractions.is_empty());
        let assumed: BTreeSet<String> = blocks
            .map(|block| block.name.text.clone())
            .filter(|own| own != name)
            .collect();
        let bodies = program
            .procedures
            .iter()
            .filter(|procedure| procedure.body.automaton().is_some());
        let replaced: Vec<String> = bodies
            .map(|procedure| procedure.name.clone())
            .filter(|own| assumed.contains(own))
            .collect();
        let (program, mut assumptions) = entry::opened(program, entry, &assumed)?;
        assumptions.extend(replaced.iter().map(|own| {
            format!("`{own}` does what its abstraction says, and changes nothing else: its body is not looked at")
        }));
        let points_to = PointsTo::of(&program);
        let callees = |procedure: ProcedureId| {
            let own = sites(&program).into_iter().filter(|site| site.procedure == procedure);
            own.flat_map(|site| points_to.callees(&program, site)).collect()
        };
        if let Some(recursion) = entry::recursion(&program, entry, &callees) {
            return Err(recursion);
        }
        Ok(ClosedComponent {
            name: name.to_owned(),
            program,
            points_to,
            entry,
            assumptions,
            spoken_of: BTreeSet::new(),
        })
    }

    /// The global variables of the file that the component uses and may write.
    pub fn globals(&self) -> BTreeSet<String> {
        let variables = self.program.variables.iter();
        let own = variables.filter(|variable| variable.kind == VariableKind::Global && !variable.is_constant);
        let names: BTreeSet<String> = own.map(|variable| variable.name.clone()).collect();
        names.difference(&self.spoken_of).cloned().collect()
    }
}

/// Parallel components, and the specification.
pub struct System<'p> {
    pub components: Vec<Component<'p>>,
    pub specification: Lts,
    pub actions: Actions,
    /// Actions of components that are not in the alphabet of the specification.
    pub ignored: BTreeSet<Action>,
    /// Actions of a single component that are not in the alphabet of the specification: equivalent to τ.
    pub hidden: BTreeSet<Action>,
}

/// The settings of systems.
pub struct SystemOptions<'m> {
    pub undefined: Undefinedness,
    /// The maximum number of predicates at a node that are inferred from one branch.
    pub predicates: usize,
    /// Whether constants are propagated, see [`Parts::constants`].
    pub constants: bool,
    pub solvers: &'m Solvers,
    pub is_over: &'m dyn Fn() -> bool,
}

/// Name resolution for conditions in a procedure.
struct Scope<'s> {
    program: &'s Program,
    /// Local variables in scope.
    locals: Vec<VariableId>,
    parameters: &'s [VariableId],
    result: Option<VariableId>,
    is_return: bool,
}

impl Scope<'_> {
    fn read(&self, variable: VariableId, span: Span) -> Result<Value, Diagnostic> {
        match self.program.types.scalar(self.program[variable].type_id) {
            Some(scalar @ (Scalar::Integer(_) | Scalar::Pointer)) => Ok(Value::Read {
                place: Box::new(Place::variable(variable)),
                scalar,
            }),
            _ => Err(Diagnostic::error(span, "this is neither an integer nor a pointer")),
        }
    }
}

const ONLY_THE_RESULT: &str = "a return can only speak of `$0`, what is returned";

impl Meanings for Scope<'_> {
    /// The pointer width, in all our data models.
    fn long_bits(&self) -> u32 {
        self.program.types.pointer_bits
    }

    fn name(&self, name: &str, span: Span) -> Result<Value, Diagnostic> {
        if name == "NULL" {
            return Ok(Value::Integer {
                value: 0,
                integer: Integer::new(32, true),
            });
        }
        let is_global = |id: &VariableId| self.program[*id].procedure.is_none();
        let all = (0..).map(VariableId).take(self.program.variables.len());
        let known: Vec<VariableId> = self.locals.iter().copied().chain(all.filter(is_global)).collect();
        let found = known.iter().find(|id| self.program[**id].name == name);
        match found {
            Some(_) if self.is_return => Err(Diagnostic::error(span, ONLY_THE_RESULT)),
            Some(variable) => self.read(*variable, span),
            None => {
                let message = format!("there is no variable `{name}` here");
                let mut diagnostic = Diagnostic::error(span, message).label("not declared");
                let names = known.iter().map(|id| self.program[*id].name.as_str());
                diagnostic = diagnostic.help(match suggest::nearest(name, names) {
                    Some(near) if !self.is_return => format!("did you mean `{near}`?"),
                    _ => "macros and enumerators are not known here: write the number".to_owned(),
                });
                Err(diagnostic)
            }
        }
    }

    fn dollar(&self, number: usize, span: Span) -> Result<Value, Diagnostic> {
        match (number, self.is_return) {
            (0, true) => match self.result {
                Some(result) => self.read(result, span),
                None => Err(Diagnostic::error(
                    span,
                    "nothing is returned here: the procedure is `void`",
                )),
            },
            (0, false) => Err(Diagnostic::error(
                span,
                "`$0` is what is returned, which is not known yet",
            )),
            (_, true) => Err(Diagnostic::error(span, ONLY_THE_RESULT)),
            (number, false) => match self.parameters.get(number - 1) {
                Some(parameter) => self.read(*parameter, span),
                None => {
                    let count = self.parameters.len();
                    let message = format!("there is no parameter {number}: the procedure has {count}");
                    Err(Diagnostic::error(span, message))
                }
            },
        }
    }
}

fn term_of(flow: &mut Flow, context: ContextId, formula: &Formula) -> Option<Term> {
    Some(match formula {
        Formula::Truth(value) => flow.truth(context, value)?,
        Formula::Not(of) => term::not(term_of(flow, context, of)?),
        Formula::And(a, b) => term::and([term_of(flow, context, a)?, term_of(flow, context, b)?]),
        Formula::Or(a, b) => term::or([term_of(flow, context, a)?, term_of(flow, context, b)?]),
    })
}

/// A condition as a formula over cells.
fn condition(flow: &mut Flow, context: ContextId, scope: &Scope, expression: &Expression) -> Result<Term, Diagnostic> {
    let formula = formula(expression, scope)?;
    let term = term_of(flow, context, &formula);
    let term = term.ok_or_else(|| Diagnostic::error(expression.span, "this is beyond what can be followed here"))?;
    Ok(simplify(term))
}

impl<'p> System<'p> {
    pub fn new(
        specification: &Specification,
        question: &ConformanceProblem,
        opened: &'p [ClosedComponent],
        making: &SystemOptions,
    ) -> Result<System<'p>, Vec<Diagnostic>> {
        let mut actions = specification.actions.clone();
        let Some(machine) = specification.machines.get(&question.process.text) else {
            return Err(vec![Diagnostic::error(
                question.process.span,
                "this process is not known",
            )]);
        };
        let mut specified = machine.lts.clone();
        let mut diagnostics = Vec::new();
        let mut components = Vec::new();
        for (position, opened) in opened.iter().enumerate() {
            let mut maker = Maker {
                specification,
                question,
                position,
                opened,
                making,
                diagnostics: Vec::new(),
            };
            if let Some(component) = maker.component(machine, &mut actions) {
                components.push(component);
            }
            diagnostics.append(&mut maker.diagnostics);
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        for component in &components {
            let otherwise = component.ending.otherwise;
            specified.alphabet.extend((otherwise != TAU).then_some(otherwise));
            specified.alphabet.extend(component.astray);
        }
        let known: BTreeSet<Action> = components
            .iter()
            .flat_map(|component| &component.alphabet)
            .copied()
            .collect();
        // A component need not call every routine.
        let is_routine = |block: &&ProcedureBlock| components.iter().all(|one| one.name != block.name.text);
        let routines = specification.file.procedures.iter().filter(is_routine);
        let abstractions = routines.flat_map(|block| &block.abstractions);
        let machines = abstractions.filter_map(|one| specification.machines.get(&one.process.text));
        let of_routines = machines.flat_map(|machine| &machine.lts.alphabet);
        let possible: BTreeSet<Action> = known.iter().chain(of_routines).copied().collect();
        diagnostics.extend(unknown_actions(machine, &specified, &possible, &actions, question));
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let ignored: BTreeSet<Action> = known.difference(&specified.alphabet).copied().collect();
        let is_alone = |action: &&Action| components.iter().filter(|one| one.alphabet.contains(action)).count() == 1;
        let hidden = ignored.iter().filter(is_alone).copied().collect();
        Ok(System {
            components,
            specification: specified,
            actions,
            ignored,
            hidden,
        })
    }
}

/// Actions that the specification waits for but no component performs. An action that it only forbids, by `+ {a}`, may
/// be absent.
fn unknown_actions(
    machine: &StateMachine,
    specified: &Lts,
    known: &BTreeSet<Action>,
    actions: &Actions,
    question: &ConformanceProblem,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let waited_for: BTreeSet<Action> = (0..specified.states())
        .flat_map(|state| specified.export(state))
        .collect();
    for action in waited_for.difference(known).filter(|action| **action != TAU) {
        let span = machine.places.get(action).copied().unwrap_or(question.process.span);
        let name = actions.name(*action);
        let mut diagnostic =
            Diagnostic::error(span, format!("no component and no routine does `{name}`")).label("unknown action");
        let names = known.iter().map(|action| actions.name(*action));
        match suggest::nearest(name, names) {
            Some(near) => diagnostic = diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                diagnostic = diagnostic.help("an action is done by a routine whose abstraction has it");
            }
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Builds one component.
struct Maker<'m, 'p> {
    specification: &'m Specification,
    question: &'m ConformanceProblem,
    position: usize,
    opened: &'p ClosedComponent,
    making: &'m SystemOptions<'m>,
    diagnostics: Vec<Diagnostic>,
}

impl<'p> Maker<'_, 'p> {
    fn report<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.diagnostics.push(diagnostic)).ok()
    }

    fn refuse<T>(&mut self, message: impl Into<String>) -> Option<T> {
        let span = self.question.components[self.position].span;
        self.diagnostics.push(Diagnostic::error(span, message));
        None
    }

    fn component(&mut self, machine: &StateMachine, actions: &mut Actions) -> Option<Component<'p>> {
        let opened = self.opened;
        let options = unfold::Options {
            undefined: self.making.undefined,
            recursion: 0,
            exact_products: true,
            own_pointers: true,
            ..unfold::Options::default()
        };
        let flow = Flow::new(&opened.program, &opened.points_to, &options, self.making.is_over);
        let mut flow = match flow {
            Ok(flow) => flow,
            Err(refusal) => return self.refuse(refusal.to_string()),
        };
        let Some(context) = first_call(&flow, opened.entry) else {
            return self.refuse(format!("`{}` is never called", opened.name));
        };
        let Some(automaton) = Automaton::of(&flow, context) else {
            return self.refuse(format!("`{}` has no body", opened.name));
        };
        let is_astray = automaton.edges.iter().any(|edge| edge.is_astray);
        let astray = is_astray.then(|| actions.named(&format!("{} calls what is not known", opened.name)));
        let routines = self.routines(&mut flow, &automaton, context)?;
        let procedure = &opened.program[opened.entry];
        let variables = (0..).map(VariableId).zip(&opened.program.variables);
        let own = variables.filter(|(_, variable)| variable.procedure == Some(opened.entry));
        let scope = Scope {
            program: &opened.program,
            locals: own.map(|(id, _)| id).collect(),
            parameters: &procedure.parameters,
            result: procedure.result,
            is_return: false,
        };
        let guard = condition(&mut flow, context, &scope, self.question.guards.get(self.position)?);
        let guard = self.report(guard)?;
        let block = self
            .specification
            .file
            .procedures
            .iter()
            .find(|block| block.name.text == opened.name);
        let mut predicates = Vec::new();
        for predicate in block.into_iter().flat_map(|block| &block.predicates) {
            let predicate = condition(&mut flow, context, &scope, predicate);
            predicates.extend(self.report(predicate));
        }
        let ending = self.ending(&mut flow, context, &scope, machine, actions)?;
        let result = procedure.result.and_then(|result| flow.variable(context, result));
        let parameters = procedure
            .parameters
            .iter()
            .map(|parameter| flow.variable(context, *parameter))
            .collect();
        Some(Component::new(Parts {
            name: opened.name.clone(),
            flow,
            automaton,
            routines,
            parameters,
            result,
            ending,
            astray,
            guard,
            predicates,
            most: self.making.predicates,
            constants: self.making.constants,
        }))
    }

    /// The called routines with their abstractions.
    fn routines(&mut self, flow: &mut Flow<'p>, automaton: &Automaton, context: ContextId) -> Option<Vec<Routine>> {
        let called = automaton
            .edges
            .iter()
            .filter_map(|edge| edge.call.as_ref().map(|call| call.callee));
        let called: BTreeSet<ProcedureId> = called.collect();
        let mut routines = Vec::new();
        let blocks = &self.specification.file.procedures;
        for callee in called {
            let procedure = &self.opened.program[callee];
            let block = blocks
                .iter()
                .find(|block| block.name.text == procedure.name && !block.abstractions.is_empty());
            let Some(block) = block else {
                self.without_abstraction(&procedure.name);
                continue;
            };
            let mut scope = Scope {
                program: &self.opened.program,
                locals: procedure.parameters.clone(),
                parameters: &procedure.parameters,
                result: procedure.result,
                is_return: false,
            };
            let mut abstractions = Vec::new();
            for abstraction in &block.abstractions {
                let machine = self.specification.machines.get(&abstraction.process.text)?;
                scope.is_return = false;
                let guard = condition(flow, context, &scope, abstraction.guards.first()?);
                let Some(guard) = self.report(guard) else { continue };
                scope.is_return = true;
                let mut returns = BTreeMap::new();
                for (action, returned) in &machine.returns {
                    let Some(condition) = self.returned(flow, context, &scope, returned) else {
                        continue;
                    };
                    returns.insert(*action, condition);
                }
                abstractions.push((
                    abstraction.span,
                    Assumption {
                        guard,
                        machine: machine.clone(),
                        returns,
                    },
                ));
            }
            let parameters = procedure
                .parameters
                .iter()
                .map(|parameter| flow.variable(context, *parameter))
                .collect();
            let result = procedure.result.and_then(|result| flow.variable(context, result));
            if self.diagnostics.is_empty() {
                let guards: Vec<(Span, Term)> = abstractions
                    .iter()
                    .map(|(span, assumption)| (*span, assumption.guard))
                    .collect();
                let what = format!("`{}`", procedure.name);
                let found = exclusive_and_complete(&guards, block.name.span, &what, flow, self.making.solvers, true);
                self.diagnostics.extend(found);
            }
            routines.push(Routine {
                name: procedure.name.clone(),
                procedure: callee,
                parameters,
                result,
                abstractions: abstractions.into_iter().map(|(_, assumption)| assumption).collect(),
            });
        }
        self.diagnostics.is_empty().then_some(routines)
    }

    fn without_abstraction(&mut self, callee: &str) {
        let (span, name) = (self.question.components[self.position].span, &self.opened.name);
        let message = format!("`{name}` calls `{callee}`, which has neither a body nor an abstraction");
        let help = format!("say what it does: `cproc {callee} {{ abstract {{ ... }}; }}`");
        self.diagnostics.push(Diagnostic::error(span, message).help(help));
    }

    /// The condition of a return action.
    fn returned(&mut self, flow: &mut Flow, context: ContextId, scope: &Scope, returns: &Returns) -> Option<Term> {
        match &returns.condition {
            None => Some(term::bool(true)),
            Some(expression) => {
                let condition = condition(flow, context, scope, expression);
                self.report(condition)
            }
        }
    }

    /// The return actions of this component.
    fn ending(
        &mut self,
        flow: &mut Flow,
        context: ContextId,
        scope: &Scope,
        machine: &StateMachine,
        actions: &mut Actions,
    ) -> Option<Ending> {
        let scope = Scope {
            locals: Vec::new(),
            is_return: true,
            ..*scope
        };
        let is_alone = self.question.components.len() == 1;
        let mut returns = Vec::new();
        let mut guards = Vec::new();
        for (action, returned) in &machine.returns {
            let span = machine
                .places
                .get(action)
                .copied()
                .unwrap_or(self.question.process.span);
            let is_mine = match &returned.component {
                Some(component) => {
                    let names = self.question.components.iter().map(|own| own.text.as_str());
                    if self.position == 0 && !names.clone().any(|name| name == component.text) {
                        let message = format!("there is no component `{}`", component.text);
                        self.diagnostics.push(Diagnostic::error(span, message));
                    }
                    component.text == self.opened.name
                }
                None if is_alone => true,
                None => {
                    if self.position == 0 {
                        let help = format!("write `{}.return`", self.question.components[0].text);
                        let message = "of several components, which one returns?";
                        self.diagnostics.push(Diagnostic::error(span, message).help(help));
                    }
                    false
                }
            };
            if is_mine {
                let condition = self.returned(flow, context, &scope, returned)?;
                returns.push((*action, condition));
                guards.push((span, condition));
            }
        }
        if returns.is_empty() {
            return Some(Ending {
                returns,
                otherwise: TAU,
            });
        }
        let what = format!("returns of `{}`", self.opened.name);
        let found = exclusive_and_complete(&guards, Span::default(), &what, flow, self.making.solvers, false);
        self.diagnostics.extend(found);
        let name = match is_alone {
            true => "return otherwise".to_owned(),
            false => format!("{}.return otherwise", self.opened.name),
        };
        let otherwise = actions.named(&name);
        self.diagnostics.is_empty().then_some(Ending { returns, otherwise })
    }
}

/// The call of the component by the start procedure.
fn first_call(flow: &Flow, entry: ProcedureId) -> Option<ContextId> {
    flow.nodes.iter().find_map(|node| {
        let Node::At(context, _) = node else { return None };
        let known = flow.context(*context);
        let (caller, ..) = known.caller?;
        (known.procedure == entry && flow.context(caller).caller.is_none()).then_some(*context)
    })
}

/// Diagnostics for guards that are not mutually exclusive or, on request, not exhaustive.
fn exclusive_and_complete(
    guards: &[(Span, Term)],
    place: Span,
    what: &str,
    flow: &Flow,
    solvers: &Solvers,
    is_complete: bool,
) -> Vec<Diagnostic> {
    let mut mentioned: BTreeSet<Function> = BTreeSet::new();
    guards
        .iter()
        .for_each(|(_, guard)| mentioned.extend(functions_of(*guard)));
    let ranges: Vec<Term> = mentioned
        .iter()
        .filter_map(|function| flow.cells.get(function).copied())
        .collect();
    exclusive(guards, place, what, &ranges, solvers, is_complete)
}

/// As [`exclusive_and_complete`], for guards over symbols with these ranges.
pub fn exclusive(
    guards: &[(Span, Term)],
    place: Span,
    what: &str,
    ranges: &[Term],
    solvers: &Solvers,
    is_complete: bool,
) -> Vec<Diagnostic> {
    let possible = |formulas: Vec<Term>| -> Option<bool> {
        let mut solver = solvers.solver().ok()?;
        for formula in ranges.iter().copied().chain(formulas) {
            solver.assert(formula).ok()?;
        }
        match solver.check(Purpose::Other).ok()? {
            Answer::Sat => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        }
    };
    let mut diagnostics = Vec::new();
    for (number, (span, guard)) in guards.iter().enumerate() {
        for (earlier, other) in &guards[..number] {
            let message = match possible(vec![*guard, *other]) {
                Some(false) => continue,
                Some(true) => format!("two conditions of {what} can hold at once"),
                None => format!("it cannot be decided whether two conditions of {what} exclude each other"),
            };
            let diagnostic = Diagnostic::error(*span, message).label("this one");
            diagnostics.push(diagnostic.related(*earlier, "and this one"));
        }
    }
    if is_complete {
        let none = guards.iter().map(|(_, guard)| term::not(*guard)).collect();
        let message = match possible(none) {
            Some(false) => return diagnostics,
            Some(true) => format!("the guards of {what} leave cases out"),
            None => format!("it cannot be decided whether the guards of {what} cover all cases"),
        };
        let help = "together they must hold in every case: `(1)` always does";
        diagnostics.push(
            Diagnostic::error(place, message)
                .label("not covered everywhere")
                .help(help),
        );
    }
    diagnostics
}

impl System<'_> {
    /// Renames the symbols of a formula apart from those of other components.
    pub fn renamed(position: usize, formula: Term) -> Term {
        let apart = |function: &Function| {
            let name = format!("{position}:{}", function.name());
            (*function, Function::constant(name.as_str(), Sort::Int).apply([]))
        };
        let functions: BTreeMap<Function, Term> = functions_of(formula).iter().map(apart).collect();
        substitute(&functions, formula)
    }
}
