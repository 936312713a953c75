//! Boolean programs as data, as the parser or an abstraction builds them and the model checker reads them.
//!
//! The language is that of Bebop (Ball and Rajamani, "Bebop: a symbolic model checker for Boolean programs", 2000) with
//! SLAM's later additions: `schoose`, `constrain` and `enforce` (Das' thesis, chapter 6), and several results. The data
//! is independent of text, except for the source locations of statements.

use system::Span;

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The names of the global variables, whose initial values are arbitrary.
    pub globals: Vec<String>,
    /// Invariants that every state of a run satisfies.
    pub enforced: Vec<Expression>,
    pub procedures: Vec<Procedure>,
    /// The entry procedure, whose parameters have arbitrary values.
    pub entry: ProcedureId,
}

/// The index of a procedure in its program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProcedureId(pub usize);

/// The index of a label in its procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub usize);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Procedure {
    pub name: String,
    /// The first locals.
    pub parameters: Vec<String>,
    /// The other locals, whose initial values are arbitrary.
    pub locals: Vec<String>,
    /// The number of values that it returns.
    pub results: usize,
    /// Invariants of every state in which control is in this procedure.
    pub enforced: Vec<Expression>,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// Falling off the end returns arbitrary values.
    pub body: Vec<Statement>,
    pub origin: Option<Span>,
}

impl Procedure {
    /// The names of all locals, parameters first.
    pub fn local_names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().chain(&self.locals).map(String::as_str)
    }

    pub fn local_count(&self) -> usize {
        self.parameters.len() + self.locals.len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    Global(usize),
    /// Parameters come first.
    Local(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub labels: Vec<LabelId>,
    pub action: Action,
    pub origin: Option<Span>,
}

impl From<Action> for Statement {
    fn from(action: Action) -> Statement {
        Statement {
            labels: Vec::new(),
            action,
            origin: None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Skip,
    /// A parallel assignment of possible values that satisfy the constraint.
    Assign {
        targets: Vec<Variable>,
        values: Vec<Expression>,
        /// Over the values before and, with [`Expression::Next`], after the assignment.
        constraint: Option<Expression>,
    },
    /// The values of these variables are irrelevant from here on: they become arbitrary.
    Dead(Vec<Variable>),
    Assume(Expression),
    /// An error where the expression can be false. Where it can also be true, the run continues.
    Assert(Expression),
    /// A nondeterministic jump to one of these.
    Goto(Vec<LabelId>),
    Call {
        /// The targets of the results, one for each.
        results: Vec<Variable>,
        procedure: ProcedureId,
        arguments: Vec<Expression>,
    },
    Return(Vec<Expression>),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
}

/// Each `*` is an independent choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    Constant(bool),
    /// `*`: a nondeterministic value.
    Any,
    Variable(Variable),
    /// `'x`: the value after the assignment, in constraints only.
    Next(Variable),
    Not(Box<Expression>),
    /// Two or more.
    And(Vec<Expression>),
    /// Two or more.
    Or(Vec<Expression>),
    Implies(Box<Expression>, Box<Expression>),
    Equal(Box<Expression>, Box<Expression>),
    Differ(Box<Expression>, Box<Expression>),
    /// `schoose[a, b]`: true where `a` is; else false where `b` is; else either.
    Choose(Box<Expression>, Box<Expression>),
}

impl Expression {
    #[must_use]
    pub fn negated(self) -> Expression {
        Expression::Not(Box::new(self))
    }

    /// The conjunction of any number of expressions.
    pub fn all(parts: Vec<Expression>) -> Expression {
        match <[Expression; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) if parts.is_empty() => Expression::Constant(true),
            Err(parts) => Expression::And(parts),
        }
    }

    pub fn parts(&self) -> Vec<&Expression> {
        match self {
            Expression::Constant(_) | Expression::Any | Expression::Variable(_) | Expression::Next(_) => Vec::new(),
            Expression::Not(inner) => vec![inner],
            Expression::And(parts) | Expression::Or(parts) => parts.iter().collect(),
            Expression::Implies(a, b)
            | Expression::Equal(a, b)
            | Expression::Differ(a, b)
            | Expression::Choose(a, b) => vec![a, b],
        }
    }
}

impl Statement {
    /// The nested blocks.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        match &self.action {
            Action::If { then, otherwise, .. } => vec![then, otherwise],
            Action::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match &mut self.action {
            Action::If { then, otherwise, .. } => vec![then, otherwise],
            Action::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself.
    pub fn expressions(&self) -> Vec<&Expression> {
        match &self.action {
            Action::Skip | Action::Dead(_) | Action::Goto(_) => Vec::new(),
            Action::Assign { values, constraint, .. } => values.iter().chain(constraint).collect(),
            Action::Assume(condition) | Action::Assert(condition) => vec![condition],
            Action::Call { arguments, .. } => arguments.iter().collect(),
            Action::Return(values) => values.iter().collect(),
            Action::If { condition, .. } | Action::While { condition, .. } => vec![condition],
        }
    }

    /// The variables that it writes.
    pub fn written(&self) -> &[Variable] {
        match &self.action {
            Action::Assign { targets, .. } | Action::Dead(targets) => targets,
            Action::Call { results, .. } => results,
            _ => &[],
        }
    }
}

/// A statement of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StatementId {
    pub procedure: ProcedureId,
    /// Its index among the statements of its procedure, in preorder.
    pub number: usize,
}

impl Program {
    pub fn procedure(&self, name: &str) -> Option<ProcedureId> {
        let found = self.procedures.iter().position(|procedure| procedure.name == name);
        found.map(ProcedureId)
    }

    /// All statements of a procedure, by index.
    pub fn statements(&self, procedure: ProcedureId) -> Vec<&Statement> {
        let mut all = Vec::new();
        let body = self.procedures.get(procedure.0).map_or(&[][..], |found| &found.body);
        number(body, &mut all);
        all
    }

    pub fn statement(&self, id: StatementId) -> Option<&Statement> {
        self.statements(id.procedure).get(id.number).copied()
    }

    /// All assertions.
    pub fn assertions(&self) -> Vec<StatementId> {
        let mut found = Vec::new();
        for procedure in (0..self.procedures.len()).map(ProcedureId) {
            for (number, statement) in self.statements(procedure).iter().enumerate() {
                if matches!(statement.action, Action::Assert(_)) {
                    found.push(StatementId { procedure, number });
                }
            }
        }
        found
    }

    /// Makes every label of this name an error, in all procedures, and returns the number of such labels.
    pub fn forbid_label(&mut self, name: &str) -> usize {
        let mut found = 0;
        for procedure in &mut self.procedures {
            if let Some(label) = procedure.labels.iter().position(|label| label == name) {
                found += forbid(&mut procedure.body, LabelId(label));
            }
        }
        found
    }

    /// The name of a variable in a procedure.
    pub fn name(&self, procedure: ProcedureId, variable: Variable) -> &str {
        let found = match variable {
            Variable::Global(number) => self.globals.get(number).map(String::as_str),
            Variable::Local(number) => {
                let procedure = self.procedures.get(procedure.0);
                procedure.and_then(|procedure| procedure.local_names().nth(number))
            }
        };
        found.unwrap_or("?")
    }

    /// The program without source locations.
    #[must_use]
    pub fn without_origins(mut self) -> Program {
        for procedure in &mut self.procedures {
            procedure.origin = None;
            forget(&mut procedure.body);
        }
        self
    }
}

fn number<'a>(block: &'a [Statement], all: &mut Vec<&'a Statement>) {
    for statement in block {
        all.push(statement);
        for block in statement.blocks() {
            number(block, all);
        }
    }
}

fn forget(block: &mut [Statement]) {
    for statement in block {
        statement.origin = None;
        for block in statement.blocks_mut() {
            forget(block);
        }
    }
}

/// Inserts a failing assertion before the statement with this label. The labels move to the assertion.
fn forbid(block: &mut Vec<Statement>, label: LabelId) -> usize {
    let mut found = 0;
    let mut at = 0;
    while at < block.len() {
        for inner in block[at].blocks_mut() {
            found += forbid(inner, label);
        }
        if block[at].labels.contains(&label) {
            found += 1;
            let failure = Statement {
                labels: std::mem::take(&mut block[at].labels),
                action: Action::Assert(Expression::Constant(false)),
                origin: block[at].origin,
            };
            block.insert(at, failure);
            at += 1;
        }
        at += 1;
    }
    found
}
