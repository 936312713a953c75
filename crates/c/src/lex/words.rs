//! The keywords and punctuators of GNU C11.

use rustc_hash::FxHashMap;

/// Defines an enumeration of tokens and the table of their spellings; messages show the first one.
macro_rules! tokens {
    ($(#[$meta:meta])* $name:ident { $($variant:ident: $first:literal $(| $other:literal)*,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum $name {
            $($variant,)*
        }

        impl $name {
            fn all() -> impl Iterator<Item = (&'static str, $name)> {
                [$(($first, $name::$variant), $(($other, $name::$variant),)*)*].into_iter()
            }
        }
    };
}

tokens! {
    /// Keywords. `__const`, `__const__` and similar forms are alternative spellings.
    Word {
        Alignas: "_Alignas",
        Alignof: "_Alignof" | "__alignof" | "__alignof__",
        Assembler: "asm" | "__asm" | "__asm__",
        Atomic: "_Atomic",
        Attribute: "__attribute__" | "__attribute",
        Auto: "auto",
        AutoType: "__auto_type",
        Bool: "_Bool",
        Break: "break",
        Case: "case",
        Char: "char",
        ChooseExpression: "__builtin_choose_expr",
        Complex: "_Complex" | "__complex" | "__complex__",
        Const: "const" | "__const" | "__const__",
        Continue: "continue",
        Default: "default",
        Do: "do",
        Double: "double",
        Else: "else",
        Enum: "enum",
        Extension: "__extension__",
        Extern: "extern",
        Float: "float",
        Float128: "_Float128" | "__float128",
        Float32: "_Float32",
        Float32x: "_Float32x",
        Float64: "_Float64",
        Float64x: "_Float64x" | "__float80",
        For: "for",
        Generic: "_Generic",
        Goto: "goto",
        If: "if",
        Imaginary: "__imag__" | "__imag",
        Inline: "inline" | "__inline" | "__inline__",
        Int: "int",
        Int128: "__int128" | "__int128_t",
        Label: "__label__",
        Long: "long",
        Noreturn: "_Noreturn",
        Offsetof: "__builtin_offsetof",
        Pragma: "_Pragma",
        Real: "__real__" | "__real",
        Register: "register",
        Restrict: "restrict" | "__restrict" | "__restrict__",
        Return: "return",
        Short: "short",
        Signed: "signed" | "__signed" | "__signed__",
        Sizeof: "sizeof",
        Static: "static",
        StaticAssert: "_Static_assert",
        Struct: "struct",
        Switch: "switch",
        ThreadLocal: "_Thread_local" | "__thread",
        Typedef: "typedef",
        Typeof: "typeof" | "__typeof" | "__typeof__",
        TypesCompatible: "__builtin_types_compatible_p",
        UnsignedInt128: "__uint128_t",
        Union: "union",
        Unsigned: "unsigned",
        // Extensions of gcc that are unsupported; each is rejected by its name.
        Unsupported: "_Decimal32" | "_Decimal64" | "_Decimal128" | "_Float16" | "_Fract" | "_Accum" | "_Sat"
            | "_Imaginary" | "__builtin_has_attribute" | "__builtin_convertvector" | "__seg_fs" | "__seg_gs"
            | "__ibm128",
        VariadicArgument: "__builtin_va_arg",
        VariadicList: "__builtin_va_list",
        Void: "void",
        Volatile: "volatile" | "__volatile" | "__volatile__",
        While: "while",
    }
}

tokens! {
    /// Punctuators, some of which have two spellings.
    Mark {
        Ampersand: "&",
        AmpersandEqual: "&=",
        And: "&&",
        Arrow: "->",
        Bar: "|",
        BarEqual: "|=",
        Caret: "^",
        CaretEqual: "^=",
        Colon: ":",
        Comma: ",",
        Dot: ".",
        Ellipsis: "...",
        Equal: "=",
        EqualEqual: "==",
        Exclamation: "!",
        ExclamationEqual: "!=",
        Greater: ">",
        GreaterEqual: ">=",
        GreaterGreater: ">>",
        GreaterGreaterEqual: ">>=",
        LeftBrace: "{" | "<%",
        LeftBracket: "[" | "<:",
        LeftParenthesis: "(",
        Less: "<",
        LessEqual: "<=",
        LessLess: "<<",
        LessLessEqual: "<<=",
        Minus: "-",
        MinusEqual: "-=",
        MinusMinus: "--",
        Or: "||",
        Percent: "%",
        PercentEqual: "%=",
        Plus: "+",
        PlusEqual: "+=",
        PlusPlus: "++",
        Question: "?",
        RightBrace: "}" | "%>",
        RightBracket: "]" | ":>",
        RightParenthesis: ")",
        Semicolon: ";",
        Slash: "/",
        SlashEqual: "/=",
        Star: "*",
        StarEqual: "*=",
        Tilde: "~",
    }
}

impl Mark {
    /// The spelling in messages.
    pub(crate) fn text(self) -> &'static str {
        Mark::all().find(|(_, mark)| *mark == self).map_or("", |(text, _)| text)
    }
}

/// The spellings. The longest punctuator is matched first.
pub(super) struct Tables {
    words: FxHashMap<&'static str, Word>,
    /// Indexed by first byte.
    marks: Vec<Vec<(&'static str, Mark)>>,
}

impl Tables {
    pub(super) fn new() -> Tables {
        let mut marks = vec![Vec::new(); 128];
        for (text, mark) in Mark::all() {
            if let Some(list) = marks.get_mut(usize::from(text.as_bytes()[0])) {
                list.push((text, mark));
            }
        }
        for list in &mut marks {
            list.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
        Tables {
            words: Word::all().collect(),
            marks,
        }
    }

    pub(super) fn word(&self, text: &str) -> Option<Word> {
        self.words.get(text).copied()
    }

    /// The longest punctuator that the text begins with, and its length.
    pub(super) fn mark(&self, text: &[u8]) -> Option<(Mark, usize)> {
        let list = self.marks.get(usize::from(*text.first()?))?;
        let found = list.iter().find(|(mark, _)| text.starts_with(mark.as_bytes()))?;
        Some((found.1, found.0.len()))
    }
}
