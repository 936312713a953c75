//! The syntax tree of specifications.

use std::collections::BTreeSet;
use std::fmt;
use system::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identifier {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct File {
    pub processes: Vec<Process>,
    pub procedures: Vec<ProcedureBlock>,
    pub programs: Vec<ProgramBlock>,
}

/// `NAME = body`
#[derive(Clone, Debug)]
pub struct Process {
    pub name: Identifier,
    pub body: Body,
    /// `+ { a, b }`: additional actions of the alphabet.
    pub further: Vec<Label>,
}

#[derive(Clone, Debug)]
pub enum Body {
    /// `( a -> P | b -> Q )`
    Choice(Vec<Branch>),
    /// A process, or `STOP`.
    Name(Identifier),
    /// A syntax error.
    Error,
}

/// `{a, b} -> c -> body`
#[derive(Clone, Debug)]
pub struct Branch {
    /// A sequence; each element is one action or a choice of several.
    pub actions: Vec<Vec<Label>>,
    pub body: Body,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Label {
    /// For a return qualified by a component, only the name of the component.
    pub name: String,
    pub returns: Option<Returns>,
    pub span: Span,
}

/// `return {condition}` of this component, or of the only one. Without a condition, any result.
#[derive(Clone, Debug)]
pub struct Returns {
    pub component: Option<Identifier>,
    pub condition: Option<Expression>,
}

/// `cproc name { abstract {...}; predicate (...); }`
#[derive(Clone, Debug)]
pub struct ProcedureBlock {
    pub name: Identifier,
    pub abstractions: Vec<Abstraction>,
    pub predicates: Vec<Expression>,
}

/// `program a || b { abstract {...}; }`
#[derive(Clone, Debug)]
pub struct ProgramBlock {
    pub components: Vec<Identifier>,
    pub abstractions: Vec<Abstraction>,
    pub span: Span,
}

/// `abstract { name, (guard), ..., PROCESS }`, with a guard for each component.
#[derive(Clone, Debug)]
pub struct Abstraction {
    pub name: Identifier,
    pub guards: Vec<Expression>,
    pub process: Identifier,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

impl Expression {
    /// Sets the source location of the whole expression.
    pub(super) fn stand(&mut self, span: Span) {
        self.span = span;
        match &mut self.kind {
            ExpressionKind::Not(of) | ExpressionKind::Negate(of) => of.stand(span),
            ExpressionKind::Binary(_, left, right) => {
                left.stand(span);
                right.stand(span);
            }
            _ => {}
        }
    }

    /// Collects the names in it.
    pub fn names(&self, names: &mut BTreeSet<String>) {
        match &self.kind {
            ExpressionKind::Name(name) => {
                names.insert(name.clone());
            }
            ExpressionKind::Not(of) | ExpressionKind::Negate(of) => of.names(names),
            ExpressionKind::Binary(_, left, right) => {
                left.names(names);
                right.names(names);
            }
            ExpressionKind::Number(_) | ExpressionKind::Dollar(_) | ExpressionKind::Error => {}
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Number(Constant),
    Name(String),
    /// `$0` is what is returned, `$1` the first parameter.
    Dollar(usize),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// A syntax error.
    Error,
}

/// An integer literal with the parts that determine its type: C11 6.4.4.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    pub value: u64,
    /// Octal and hexadecimal literals may be unsigned without a suffix.
    pub is_decimal: bool,
    pub is_unsigned: bool,
    /// The number of `l` in its suffix.
    pub longs: u8,
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Constant { value, .. } = self;
        match self.is_decimal || i32::try_from(*value).is_ok() {
            true => write!(f, "{value}")?,
            false => write!(f, "{value:#x}")?,
        }
        let unsigned = if self.is_unsigned { "u" } else { "" };
        write!(f, "{unsigned}{}", "l".repeat(usize::from(self.longs)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BitAnd,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    fn word(self) -> &'static str {
        match self {
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::BitAnd => "&",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }
}

/// In canonical form: conditions with the same text are the same action.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |of: &Expression| match of.kind {
            ExpressionKind::Binary(..) => format!("({of})"),
            _ => of.to_string(),
        };
        match &self.kind {
            ExpressionKind::Number(number) => write!(f, "{number}"),
            ExpressionKind::Name(name) => f.write_str(name),
            ExpressionKind::Dollar(number) => write!(f, "${number}"),
            ExpressionKind::Not(of) => write!(f, "!{}", inner(of)),
            ExpressionKind::Negate(of) => write!(f, "-{}", inner(of)),
            ExpressionKind::Binary(operator, left, right) => {
                write!(f, "{} {} {}", inner(left), operator.word(), inner(right))
            }
            ExpressionKind::Error => f.write_str("?"),
        }
    }
}

impl Returns {
    /// The name of the action.
    pub fn name(&self) -> String {
        let component = self
            .component
            .as_ref()
            .map_or(String::new(), |name| format!("{}.", name.text));
        match &self.condition {
            None => format!("{component}return {{}}"),
            Some(condition) => format!("{component}return {{{condition}}}"),
        }
    }
}
