//! The checked program: every name is known, every expression has its type, and conversions that nobody wrote stand
//! there as if somebody had.

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

/// A label of the function that it stands in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LabelId(pub(crate) u32);

/// A `case` or `default` of the function that it stands in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct CaseId(pub(crate) u32);

#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) types: Types,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) literals: Vec<Literal>,
    /// Functions of the library that have bodies of ours. Functions of the program may have the same names.
    pub(crate) library: HashMap<String, FunctionId>,
}

impl Unit {
    /// Whether a function has a body of ours.
    pub(crate) fn is_of_library(&self, id: FunctionId) -> bool {
        self.library.get(&self[id].name) == Some(&id)
    }

    /// The type that gcc gives to a function of this name which nobody declared.
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
    /// Of variables that live as long as the program.
    pub(crate) initialiser: Option<Initialiser>,
    /// False for one of another file.
    pub(crate) is_defined: bool,
    pub(crate) is_used: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// Lives as long as the program: of the file, or static.
    Static,
    Local,
    Parameter,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) function_type: Type,
    /// What the linker calls it, where that was said.
    pub(crate) symbol: Option<String>,
    pub(crate) definition: Option<Definition>,
    pub(crate) is_used: bool,
    /// Nobody declared it before it was called.
    pub(crate) is_implicit: bool,
    /// A declaration says that it does not return.
    pub(crate) is_noreturn: bool,
    /// A declaration says that there may be none.
    pub(crate) is_weak: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) parameters: Vec<VariableId>,
    /// Its arguments were promoted, because its parameters are declared behind its head: C11 6.9.1p10.
    pub(crate) is_old: bool,
    pub(crate) body: Block,
    pub(crate) labels: Vec<Label>,
    /// How many cases there are in all its switches.
    pub(crate) cases: u32,
    /// What is not supported in it. It matters only where the function can be reached.
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
    /// With the zero at its end.
    pub(crate) units: Vec<u32>,
    pub(crate) unit_bytes: u32,
    /// Of the array.
    pub(crate) literal_type: Type,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Those that live while the block is executed.
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
    /// A variable gets its first value.
    Initialise(VariableId, Initialiser),
    /// The length of an array is computed.
    Length(LengthId, Expression),
    /// An array whose length was computed gets its memory.
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
    /// What assembler writes: places that hold anything afterwards.
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
    /// The condition is asked before the body is executed for the first time.
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

/// From a whole to a part of it.
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
    /// About which a message was given.
    Error,
    Integer(i128),
    Float(f64),
    // Places: C11 6.3.2.1 calls them lvalues and function designators.
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
        /// None where it was initialised before the program starts.
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
    /// `a ?: b`. What is not zero is converted.
    ConditionalSame {
        condition: Box<Expression>,
        otherwise: Box<Expression>,
    },
    Comma(Box<Expression>, Box<Expression>),
    Assign {
        target: Box<Expression>,
        value: Box<Expression>,
    },
    /// `+=`, `++` and the like.
    Update {
        target: Box<Expression>,
        update: Update,
        value: Box<Expression>,
        /// Its value is that from before.
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
    /// The size of an array whose length was computed.
    VariableSize(Type),
    // Further arguments.
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

/// How many bytes a character of a string has.
pub(crate) fn unit_bytes(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Plain => 1,
        Encoding::Sixteen => 2,
        Encoding::Wide | Encoding::ThirtyTwo => 4,
    }
}
