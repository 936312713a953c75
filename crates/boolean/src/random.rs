//! Random programs for tests: small ones with every construct, and large ones with a known answer.

use crate::program::{Action, Expression, LabelId, Procedure, ProcedureId, Program, Statement, Variable};

/// A random integer below a bound.
pub type Roll<'r> = &'r mut dyn FnMut(usize) -> usize;

/// Upper bounds on the size of programs.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub globals: usize,
    pub locals: usize,
    pub procedures: usize,
    pub statements: usize,
}

/// Small enough for an enumeration of all states.
pub const SMALL: Size = Size {
    globals: 3,
    locals: 3,
    procedures: 3,
    statements: 9,
};

/// A program with an arbitrary call graph.
pub fn program(roll: Roll<'_>, size: Size) -> Program {
    let globals = roll(size.globals + 1);
    let procedures = 1 + roll(size.procedures);
    let mut program = Program {
        globals: (0..globals).map(|number| format!("g{number}")).collect(),
        ..Program::default()
    };
    for number in 0..procedures {
        let parameters = if number == 0 {
            roll(2)
        } else {
            roll(size.locals.min(2) + 1)
        };
        let locals = roll(size.locals - parameters + 1);
        program.procedures.push(Procedure {
            name: if number == 0 {
                "main".to_owned()
            } else {
                format!("f{number}")
            },
            parameters: (0..parameters).map(|number| format!("p{number}")).collect(),
            locals: (0..locals).map(|number| format!("l{number}")).collect(),
            results: roll(3),
            ..Procedure::default()
        });
    }
    if globals > 0 && roll(12) == 0 {
        let maker = Maker::new(&program, 0, roll);
        let invariant = Maker { locals: 0, ..maker }.expression(2, false);
        program.enforced.push(invariant);
    }
    for number in 0..procedures {
        let mut maker = Maker::new(&program, number, roll);
        if (maker.roll)(8) == 0 {
            let invariant = maker.expression(2, false);
            maker.enforced.push(invariant);
        }
        let statements = 1 + (maker.roll)(size.statements);
        let mut body = maker.block(statements, 0);
        if number == 0 || (maker.roll)(3) == 0 {
            let assertion = Action::Assert(maker.assertion());
            body.push(assertion.into());
        }
        maker.label(&mut body);
        let mut numbers = Vec::new();
        order_labels(&mut body, &mut numbers);
        order_gotos(&mut body, &numbers);
        let (enforced, labels) = (maker.enforced, maker.labels);
        program.procedures[number] = Procedure {
            enforced,
            labels: (0..labels).map(|number| format!("L{number}")).collect(),
            body,
            ..program.procedures[number].clone()
        };
    }
    program
}

struct Maker<'a, 'r> {
    program: &'a Program,
    procedure: usize,
    locals: usize,
    /// The number of labels to place.
    labels: usize,
    enforced: Vec<Expression>,
    roll: Roll<'r>,
}

impl<'a, 'r> Maker<'a, 'r> {
    fn new(program: &'a Program, procedure: usize, roll: &'r mut (dyn FnMut(usize) -> usize + 'r)) -> Maker<'a, 'r> {
        let labels = roll(3);
        Maker {
            program,
            procedure,
            locals: program.procedures[procedure].local_count(),
            labels,
            enforced: Vec::new(),
            roll,
        }
    }

    fn variables(&self) -> usize {
        self.program.globals.len() + self.locals
    }

    fn variable(&mut self) -> Option<Variable> {
        let (globals, all) = (self.program.globals.len(), self.variables());
        if all == 0 {
            return None;
        }
        let number = (self.roll)(all);
        Some(match number.checked_sub(globals) {
            Some(local) => Variable::Local(local),
            None => Variable::Global(number),
        })
    }

    /// Distinct variables, at most `number`.
    fn some_variables(&mut self, number: usize) -> Vec<Variable> {
        let mut chosen: Vec<Variable> = Vec::new();
        for _ in 0..8 * number {
            let variable = self.variable();
            chosen.extend(variable.filter(|variable| chosen.len() < number && !chosen.contains(variable)));
        }
        chosen
    }

    fn expression(&mut self, depth: usize, primes: bool) -> Expression {
        if depth == 0 || (self.roll)(3) == 0 {
            return match (self.roll)(8) {
                0 => Expression::Constant((self.roll)(2) == 0),
                1 => Expression::Any,
                kind => match self.variable() {
                    Some(variable) if primes && kind % 2 == 0 => Expression::Next(variable),
                    Some(variable) => Expression::Variable(variable),
                    None => Expression::Constant((self.roll)(2) == 0),
                },
            };
        }
        let mut part = || Box::new(self.expression(depth - 1, primes));
        let (a, b) = (part(), part());
        match (self.roll)(8) {
            0 => a.negated(),
            1 | 2 => {
                let mut parts = vec![*a, *b];
                if (self.roll)(4) == 0 {
                    parts.push(self.expression(depth - 1, primes));
                }
                Expression::And(parts)
            }
            3 | 4 => Expression::Or(vec![*a, *b]),
            5 => Expression::Implies(a, b),
            6 if (self.roll)(2) == 0 => Expression::Equal(a, b),
            6 => Expression::Differ(a, b),
            _ => Expression::Choose(a, b),
        }
    }

    fn expressions(&mut self, number: usize) -> Vec<Expression> {
        (0..number).map(|_| self.expression(2, false)).collect()
    }

    fn block(&mut self, statements: usize, depth: usize) -> Vec<Statement> {
        (0..statements).map(|_| self.action(depth).into()).collect()
    }

    fn action(&mut self, depth: usize) -> Action {
        match (self.roll)(if depth < 2 { 17 } else { 14 }) {
            0 => Action::Skip,
            1..=4 => {
                let wanted = 1 + (self.roll)(3);
                let targets = self.some_variables(wanted);
                if targets.is_empty() {
                    return Action::Skip;
                }
                Action::Assign {
                    values: self.expressions(targets.len()),
                    constraint: ((self.roll)(3) == 0).then(|| self.expression(3, true)),
                    targets,
                }
            }
            5 => match self.some_variables(2) {
                none if none.is_empty() => Action::Skip,
                variables => Action::Dead(variables),
            },
            6 if (self.roll)(2) == 0 => Action::Assume(self.expression(2, false)),
            6..=8 => Action::Assert(self.assertion()),
            9 if self.labels > 0 => {
                let number = 1 + (self.roll)(2);
                Action::Goto((0..number).map(|_| LabelId((self.roll)(self.labels))).collect())
            }
            10 if (self.roll)(2) == 0 => {
                Action::Return(self.expressions(self.program.procedures[self.procedure].results))
            }
            9..=13 => self.call(),
            14 | 15 => {
                let [then, otherwise] = [1 + (self.roll)(2), (self.roll)(2)];
                Action::If {
                    condition: self.expression(2, false),
                    then: self.block(then, depth + 1),
                    otherwise: self.block(otherwise, depth + 1),
                }
            }
            _ => {
                let statements = (self.roll)(3);
                Action::While {
                    condition: self.expression(2, false),
                    body: self.block(statements, depth + 1),
                }
            }
        }
    }

    /// An assertion that holds more often than not.
    fn assertion(&mut self) -> Expression {
        let parts = vec![
            self.expression(1, false),
            self.expression(2, false),
            self.expression(1, false),
        ];
        match (self.roll)(3) {
            0 => Expression::And(parts),
            _ => Expression::Or(parts),
        }
    }

    fn call(&mut self) -> Action {
        let called = (self.roll)(self.program.procedures.len());
        let procedure = &self.program.procedures[called];
        let results = self.some_variables(procedure.results);
        if results.len() < procedure.results {
            return Action::Skip;
        }
        Action::Call {
            results,
            procedure: ProcedureId(called),
            arguments: self.expressions(procedure.parameters.len()),
        }
    }

    /// Places each label before some statement.
    fn label(&mut self, body: &mut [Statement]) {
        for label in 0..self.labels {
            let mut block: &mut [Statement] = body;
            loop {
                let chosen = (self.roll)(block.len());
                let statement = &mut block[chosen];
                let goes_in = (self.roll)(2) == 0;
                match &mut statement.action {
                    Action::If { then, .. } if goes_in && !then.is_empty() => block = then,
                    Action::While { body, .. } if goes_in && !body.is_empty() => block = body,
                    _ => {
                        statement.labels.push(LabelId(label));
                        break;
                    }
                }
            }
        }
    }
}

/// Renumbers labels in order of appearance, as the parser does: the old index of each new one.
fn order_labels(block: &mut [Statement], numbers: &mut Vec<usize>) {
    for statement in block {
        for label in &mut statement.labels {
            numbers.push(label.0);
            *label = LabelId(numbers.len() - 1);
        }
        for block in statement.blocks_mut() {
            order_labels(block, numbers);
        }
    }
}

fn order_gotos(block: &mut [Statement], numbers: &[usize]) {
    for statement in block {
        if let Action::Goto(labels) = &mut statement.action {
            for label in labels {
                let new = numbers.iter().position(|old| *old == label.0);
                *label = LabelId(new.unwrap_or(0));
            }
        }
        for block in statement.blocks_mut() {
            order_gotos(block, numbers);
        }
    }
}

/// A large recursive program. Each procedure takes a lock, which is a global variable, counts to eight with three
/// locals, calls others, asserts after each call that it still has the lock, and restores it; another global gets an
/// arbitrary value. Its assertions hold, unless `is_broken`: then the last procedure takes a lock of its caller.
pub fn large(variables: usize, procedures: usize, is_broken: bool) -> Program {
    let borrowed = variables.div_ceil(2);
    let procedure = |number: usize| Procedure {
        name: if number == 0 {
            "main".to_owned()
        } else {
            format!("f{number}")
        },
        parameters: vec!["x".to_owned()],
        locals: ["old", "result", "a", "b", "c"].map(str::to_owned).to_vec(),
        results: 1,
        body: large_body(
            number,
            procedures,
            (borrowed, variables),
            is_broken && number + 1 == procedures,
        ),
        ..Procedure::default()
    };
    Program {
        globals: (0..variables).map(|number| format!("g{number}")).collect(),
        procedures: (0..procedures).map(procedure).collect(),
        ..Program::default()
    }
}

fn assign(targets: &[Variable], values: Vec<Expression>) -> Statement {
    let assign = Action::Assign {
        targets: targets.to_vec(),
        values,
        constraint: None,
    };
    assign.into()
}

/// The number of procedures of a large program that all others call.
const SHARED: usize = 16;

fn large_body(
    number: usize,
    procedures: usize,
    (borrowed, variables): (usize, usize),
    is_broken: bool,
) -> Vec<Statement> {
    let [x, old, result, a, b, c] = [0, 1, 2, 3, 4, 5].map(Variable::Local);
    let value = Expression::Variable;
    let equal = |a, b| Expression::Equal(Box::new(value(a)), Box::new(value(b)));
    let here = Variable::Global(number % borrowed);
    let left = Variable::Global(borrowed + number % (variables - borrowed).max(1)).min(Variable::Global(variables - 1));
    let no = || Expression::Constant(false);
    let mut body = vec![
        assign(&[old], vec![value(here)]),
        assign(&[here, a, b, c], vec![Expression::Constant(true), no(), no(), no()]),
    ];
    let count = vec![
        value(a).negated(),
        Expression::Differ(Box::new(value(a)), Box::new(value(b))),
        Expression::Differ(Box::new(value(c)), Box::new(Expression::And(vec![value(a), value(b)]))),
    ];
    body.push(Statement::from(Action::While {
        condition: Expression::And(vec![value(a), value(b), value(c)]).negated(),
        body: vec![assign(&[a, b, c], count)],
    }));
    // A tree of calls, one call of a shared procedure, and sometimes a recursive call.
    let own = procedures.saturating_sub(SHARED).max(1);
    let mut calls: Vec<usize> = [2 * number + 1, 2 * number + 2]
        .into_iter()
        .filter(|called| *called < own)
        .collect();
    calls.extend((number < own && own < procedures).then(|| own + number % (procedures - own)));
    calls.extend(number.is_multiple_of(5).then_some(number));
    for called in calls {
        let argument = [x, c][called % 2];
        let call = Action::Call {
            results: vec![result],
            procedure: ProcedureId(called),
            arguments: vec![value(argument)],
        };
        let condition = if called > number { value(a) } else { Expression::Any };
        body.push(Statement::from(Action::If {
            condition,
            then: vec![
                call.into(),
                Action::Assert(Expression::And(vec![value(here), equal(result, argument)])).into(),
            ],
            otherwise: Vec::new(),
        }));
    }
    if left != here {
        body.push(assign(&[left], vec![Expression::Any]));
    }
    body.push(assign(&[here], vec![value(old)]));
    if is_broken {
        // The callers of the last procedure hold this lock.
        body.push(assign(&[Variable::Global((SHARED - 1) % borrowed)], vec![no()]));
    }
    body.push(Action::Return(vec![value(x)]).into());
    body
}
