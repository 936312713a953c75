//! The checked program: names are resolved, every expression has its type, and implicit conversions are explicit.

use crate::library;
use crate::syntax::Encoding;
use crate::types::{LengthId, Type, Types};
use std::collections::HashMap;
use system::program::{BinaryOperator, Comparison};
use system::{Diagnostic, Span};

macro_rules! identifier {
    ($name:ident, $field:ident: $item:ty) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::ops::Index<$name> for Unit {
            type Output = $item;

            fn index(&self, id: $name) -> &$item {
                &self.$field[id.index()]
            }
        }

        impl std::ops::IndexMut<$name> for Unit {
            fn index_mut(&mut self, id: $name) -> &mut $item {
                &mut self.$field[id.index()]
            }
        }
    };
}

identifier!(VariableId, variables: Variable);
identifier!(FunctionId, functions: Function);
identifier!(LiteralId, literals: Literal);

/// The index of a label in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LabelId(pub(crate) u32);

/// The index of a `case` or `default` in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct CaseId(pub(crate) u32);

#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) types: Types,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) literals: Vec<Literal>,
    /// Library functions with bodies of ours. Functions of the program may have the same names.
    pub(crate) library: HashMap<String, FunctionId>,
}

impl Unit {
    /// Whether a function has a body of ours.
    pub(crate) fn is_of_library(&self, id: FunctionId) -> bool {
        self.library.get(&self[id].name) == Some(&id)
    }

    /// The type that gcc gives to an undeclared function of this name.
    pub(crate) fn builtin_type(&mut self, name: &str) -> Option<Type> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let own = self.library.get(name).or_else(|| self.library.get(plain)).copied();
        match own {
            Some(own) => Some(self[own].function_type),
            None => library::builtin_type(&mut self.types, name),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) variable_type: Type,
    pub(crate) storage: Storage,
    /// For variables with static storage duration.
    pub(crate) initialiser: Option<Initialiser>,
    /// False for a variable that is defined elsewhere.
    pub(crate) is_defined: bool,
    pub(crate) is_used: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// Static storage duration: at file scope, or `static`.
    Static,
    Local,
    Parameter,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) function_type: Type,
    /// Its linker symbol, if declared.
    pub(crate) symbol: Option<String>,
    pub(crate) definition: Option<Definition>,
    pub(crate) is_used: bool,
    /// It was called without a declaration.
    pub(crate) is_implicit: bool,
    /// Declared as not returning.
    pub(crate) is_noreturn: bool,
    /// Declared weak: its definition may be missing.
    pub(crate) is_weak: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) parameters: Vec<VariableId>,
    /// An old-style definition, whose arguments are promoted: C11 6.9.1p10.
    pub(crate) is_old: bool,
    pub(crate) body: Block,
    pub(crate) labels: Vec<Label>,
    /// The number of cases in all its switches.
    pub(crate) cases: u32,
    /// Unsupported constructs in it, which are errors only if the function is reachable.
    pub(crate) refusals: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The characters of a string.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Literal {
    /// With the terminating zero.
    pub(crate) units: Vec<u32>,
    pub(crate) unit_bytes: u32,
    /// Of the array.
    pub(crate) literal_type: Type,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The variables with the lifetime of the block.
    pub(crate) variables: Vec<VariableId>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Expression(Expression),
    Block(Block),
    /// Initialises a variable.
    Initialise(VariableId, Initialiser),
    /// Computes the length of an array.
    Length(LengthId, Expression),
    /// Allocates a variable-length array.
    Allocate(VariableId),
    Label(LabelId),
    Case(CaseId),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Switch(Switch),
    Loop(Loop),
    Goto(LabelId),
    Continue,
    Break,
    Return(Option<Expression>),
    /// The outputs of assembler, which are havocked.
    Assembler {
        outputs: Vec<Expression>,
        inputs: Vec<Expression>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) value: Expression,
    pub(crate) cases: Vec<Case>,
    pub(crate) default: Option<CaseId>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) id: CaseId,
    pub(crate) low: i128,
    pub(crate) high: i128,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) condition: Option<Expression>,
    /// Whether the condition is tested before the first iteration.
    pub(crate) asks_first: bool,
    pub(crate) step: Option<Expression>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Initialiser {
    /// The whole object.
    Whole(Expression),
    /// Parts of it, in order; the rest is zero.
    Parts(Vec<InitialisedPart>),
}

#[derive(Clone, Debug)]
pub(crate) struct InitialisedPart {
    pub(crate) path: Vec<Step>,
    /// Of a scalar, a record, or a literal for an array of characters.
    pub(crate) value: Expression,
    /// The type of the part.
    pub(crate) part_type: Type,
}

/// A selector from an aggregate to its part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    Field(usize),
    Index(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) expression_type: Type,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    /// An error that was reported.
    Error,
    Integer(i128),
    Float(f64),
    // Places, which C11 6.3.2.1 calls lvalues and function designators.
    Literal(LiteralId),
    Variable(VariableId),
    Function(FunctionId),
    Dereference(Box<Expression>),
    Member {
        operand: Box<Expression>,
        field: usize,
    },
    CompoundLiteral {
        variable: VariableId,
        /// None where it is initialised statically.
        initialiser: Option<Box<Initialiser>>,
    },
    // Values of places.
    Load(Box<Expression>),
    /// An array becomes a pointer to its first element: C11 6.3.2.1p3.
    Decay(Box<Expression>),
    Address(Box<Expression>),
    // Operators.
    Convert(Box<Expression>),
    Negate(Box<Expression>),
    Complement(Box<Expression>),
    /// 1 where the operand is zero.
    Not(Box<Expression>),
    Binary {
        operator: BinaryOperator,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Compare {
        comparison: Comparison,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    PointerOffset {
        pointer: Box<Expression>,
        index: Box<Expression>,
        is_back: bool,
    },
    PointerDifference {
        left: Box<Expression>,
        right: Box<Expression>,
    },
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Conditional {
        condition: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
    /// `a ?: b`. A nonzero value is converted.
    ConditionalSame {
        condition: Box<Expression>,
        otherwise: Box<Expression>,
    },
    Comma(Box<Expression>, Box<Expression>),
    Assign {
        target: Box<Expression>,
        value: Box<Expression>,
    },
    /// `+=`, `++` and similar operators.
    Update {
        target: Box<Expression>,
        update: Update,
        value: Box<Expression>,
        /// Whether its value is the old one.
        gives_old: bool,
    },
    Call {
        function: Box<Expression>,
        arguments: Vec<Expression>,
    },
    Statements {
        block: Block,
        result: Option<Box<Expression>>,
    },
    /// The size of a variable-length array.
    VariableSize(Type),
    // Variadic arguments.
    VariadicStart(Box<Expression>),
    VariadicEnd(Box<Expression>),
    VariadicCopy(Box<Expression>, Box<Expression>),
    VariadicArgument(Box<Expression>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Update {
    /// The target is converted to the type, and the result back.
    Arithmetic(BinaryOperator, Type),
    Forward,
    Back,
}

impl Expression {
    pub(crate) fn error(types: &Types, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Error,
            expression_type: types.error(),
            span,
        }
    }

    pub(crate) fn new(kind: ExpressionKind, expression_type: Type, span: Span) -> Expression {
        Expression {
            kind,
            expression_type,
            span,
        }
    }

    /// C11 6.3.2.1p1, and functions.
    pub(crate) fn is_place(&self) -> bool {
        match &self.kind {
            ExpressionKind::Literal(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Function(_)
            | ExpressionKind::Dereference(_)
            | ExpressionKind::CompoundLiteral { .. } => true,
            ExpressionKind::Member { operand, .. } => operand.is_place(),
            _ => false,
        }
    }
}

impl Literal {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for unit in &self.units {
            bytes.extend_from_slice(&unit.to_le_bytes()[..self.unit_bytes.min(4) as usize]);
        }
        bytes
    }
}

/// The size of a code unit in bytes.
pub(crate) fn unit_bytes(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Plain => 1,
        Encoding::Sixteen => 2,
        Encoding::Wide | Encoding::ThirtyTwo => 4,
    }
}
