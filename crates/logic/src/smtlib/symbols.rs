//! SMT-LIB symbols: each sort, enumerator, function and variable gets a unique one.
//!
//! The logic permits what SMT-LIB does not: a variable called `and`, a function and a variable of one name, two
//! enumerations that share a value, arbitrary characters. A name is kept if possible, and otherwise changed until it is
//! legal and unused. A symbol has one meaning, so scopes need no further care.

use crate::sort::{EnumSort, Name, Sort};
use crate::term::{Function, Variable};
use std::collections::{HashMap, HashSet};

/// Symbols reserved by SMT-LIB, Z3 or cvc5.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    // The language.
    "!", "_", "as", "BINARY", "DECIMAL", "exists", "forall", "HEXADECIMAL", "lambda", "let", "match", "NUMERAL", "par",
    "STRING", "choice", "witness", "assert", "check-sat", "define-fun", "declare-fun", "push", "pop", "exit",
    // Core.
    "and", "distinct", "false", "if", "iff", "implies", "ite", "not", "or", "true", "xor", "=", "=>", "is",
    // Numbers.
    "+", "-", "*", "/", "<", "<=", ">", ">=", "^", "**", "abs", "div", "divisible", "is_int", "mod", "rem", "to_int",
    "to_real", "exp", "sin", "cos", "tan", "csc", "sec", "cot", "arcsin", "arccos", "arctan", "arccsc", "arcsec",
    "arccot", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "pi", "euler", "sqrt", "pow",
    "iand", "piand", "root-obj", "div0", "mod0", "rem0", "/0",
    // Arrays, sets, tuples, lists, separation logic.
    "select", "store", "const", "map", "default", "array-ext", "as-array", "eqrange", "union", "intersection",
    "complement", "subset", "setminus", "difference", "card", "tuple", "tuple_update", "update", "bag", "sep", "pto",
    "wand", "insert", "head", "tail", "nil", "pair", "first", "second", "mk-pair",
    // Bit vectors and floating point.
    "concat", "extract", "repeat", "zero_extend", "sign_extend", "rotate_left", "rotate_right", "comp", "int2bv",
    "int_to_bv", "ubv_to_int", "sbv_to_int", "nat2bv", "bit1", "bit0", "to_fp", "to_fp_unsigned", "to_ieee_bv", "fp",
    "RNE", "RNA", "RTP", "RTN", "RTZ", "roundNearestTiesToEven", "roundNearestTiesToAway", "roundTowardPositive",
    "roundTowardNegative", "roundTowardZero", "NaN", "+oo", "-oo", "+zero", "-zero",
    // Sorts, which functions must not use either.
    "Bool", "Int", "Real", "Array", "Seq", "String", "RegLan", "RegEx", "Set", "Bag", "Tuple", "UnitTuple", "Unit",
    "BitVec", "FloatingPoint", "RoundingMode", "Float16", "Float32", "Float64", "Float128", "List", "Pair", "Char",
    "Unicode", "Relation", "Table", "Nullable", "FiniteField", "->",
];

/// Prefixes reserved by the solvers.
#[rustfmt::skip]
const RESERVED_PREFIXES: &[&str] = &[
    "@", ".", "bv", "is-", "update-", "seq.", "str.", "re.", "char.", "int.", "real.", "fp.", "set.", "rel.", "bag.",
    "table.", "tuple.", "nullable.", "ff.", "sep.", "fmf.", "fixedpoint.",
];

/// The meaning of a symbol in the namespace of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Meaning {
    Function(Function),
    Variable(Variable),
    Enumerator(EnumSort, u32),
    /// Defined by the text itself.
    Definition(Name),
}

/// The symbols allocated so far. The same sequence of requests gives the same symbols.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    sorts: HashMap<Sort, String>,
    sort_symbols: HashMap<String, Sort>,
    terms: HashMap<Meaning, String>,
    /// From the symbol, without bars, to its meaning.
    meanings: HashMap<String, Meaning>,
    /// Functions represented as nested arrays, one level for each parameter.
    arrays: HashSet<Function>,
}

impl Symbols {
    /// The text of a sort.
    pub fn sort(&mut self, sort: Sort) -> String {
        if let Some(text) = self.sorts.get(&sort) {
            return text.clone();
        }
        let text = match sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::Int => "Int".to_owned(),
            Sort::Real => "Real".to_owned(),
            Sort::BitVector(width) => format!("(_ BitVec {width})"),
            Sort::List(element) => format!("(Seq {})", self.sort(*element)),
            Sort::Index(name) => self.sort_symbol(name, sort),
            Sort::Enum(enumeration) => self.sort_symbol(enumeration.name(), sort),
        };
        self.sorts.insert(sort, text.clone());
        text
    }

    fn sort_symbol(&mut self, name: Name, sort: Sort) -> String {
        let symbol = choose(name, |symbol| self.sort_symbols.contains_key(symbol));
        let text = quoted(&symbol);
        self.sort_symbols.insert(symbol, sort);
        text
    }

    /// Prints the function as an array from now on: constants can be bound and passed as arguments, functions cannot.
    pub fn as_array(&mut self, function: Function) {
        if !function.parameters().is_empty() {
            self.arrays.insert(function);
        }
    }

    pub fn is_array(&self, function: Function) -> bool {
        self.arrays.contains(&function)
    }

    /// The sort of a nested array with these parameters.
    pub fn array_sort(&mut self, parameters: &[Sort], result: Sort) -> String {
        let result = self.sort(result);
        parameters.iter().rev().fold(result, |element, parameter| {
            format!("(Array {} {element})", self.sort(*parameter))
        })
    }

    pub fn function(&mut self, function: Function) -> String {
        self.symbol(function.name(), Meaning::Function(function))
    }

    /// A function under a preferred name, if that is free.
    pub fn named(&mut self, function: Function, name: &str) -> String {
        self.symbol(Name::new(name), Meaning::Function(function))
    }

    pub fn variable(&mut self, variable: Variable) -> String {
        self.symbol(variable.name, Meaning::Variable(variable))
    }

    pub fn enumerator(&mut self, sort: EnumSort, position: u32) -> String {
        let name = sort.values().get(position as usize).copied().unwrap_or(sort.name());
        self.symbol(name, Meaning::Enumerator(sort, position))
    }

    /// Allocates the symbol of a definition with this name.
    pub fn definition(&mut self, name: &str) -> String {
        let name = Name::new(name);
        self.symbol(name, Meaning::Definition(name))
    }

    fn symbol(&mut self, name: Name, meaning: Meaning) -> String {
        if let Some(text) = self.terms.get(&meaning) {
            return text.clone();
        }
        let symbol = choose(name, |symbol| self.meanings.contains_key(symbol));
        let text = quoted(&symbol);
        self.terms.insert(meaning, text.clone());
        self.meanings.insert(symbol, meaning);
        text
    }

    /// The meaning of a symbol (without bars).
    pub fn meaning(&self, symbol: &str) -> Option<Meaning> {
        self.meanings.get(symbol).copied()
    }

    /// The index or enumerated sort of a symbol (without bars).
    pub fn sort_meaning(&self, symbol: &str) -> Option<Sort> {
        self.sort_symbols.get(symbol).copied()
    }
}

/// The name itself, or a similar one that is legal and free.
fn choose(name: Name, taken: impl Fn(&str) -> bool) -> String {
    let mut safe: String = name
        .as_str()
        .chars()
        .map(|c| if is_legal(c) { c } else { '_' })
        .collect();
    if safe.is_empty() {
        safe.push_str("unnamed");
    }
    // A numeric suffix does not help against a reserved prefix.
    if RESERVED_PREFIXES.iter().any(|prefix| safe.starts_with(prefix)) {
        safe.insert(0, '_');
    }
    let mut candidate = safe.clone();
    let mut number = 1;
    while RESERVED.contains(&candidate.as_str()) || is_let_name(&candidate) || taken(&candidate) {
        number += 1;
        candidate = format!("{safe}_{number}");
    }
    candidate
}

/// Legal inside bars: printable ASCII except the two characters that SMT-LIB excludes. Solvers differ beyond ASCII.
fn is_legal(character: char) -> bool {
    matches!(character, ' '..='~') && character != '|' && character != '\\'
}

/// The name of the `number`th shared sub-term.
pub(super) fn let_name(number: usize) -> String {
    format!("${number}")
}

fn is_let_name(symbol: &str) -> bool {
    symbol
        .strip_prefix('$')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// The symbol with bars where the syntax needs them.
fn quoted(symbol: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let plain = symbol.chars().all(simple) && !symbol.starts_with(|c: char| c.is_ascii_digit());
    if plain {
        symbol.to_owned()
    } else {
        format!("|{symbol}|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_symbol_never_stands_for_two_things() {
        let mut symbols = Symbols::default();
        let function = Function::constant("x", Sort::Int);
        let overloaded = Function::new("x", vec![Sort::Int], Sort::Int);
        let first = EnumSort::new("Colour".into(), vec!["x".into(), "red".into()]);
        let second = EnumSort::new("Alarm".into(), vec!["red".into()]);
        let names = [
            symbols.function(function),
            symbols.function(overloaded),
            symbols.variable(Variable::new("x", Sort::Int)),
            symbols.variable(Variable::new("x", Sort::Bool)),
            symbols.enumerator(first, 0),
            symbols.enumerator(first, 1),
            symbols.enumerator(second, 0),
        ];
        assert_eq!(names, ["x", "x_2", "x_3", "x_4", "x_5", "red", "red_2"]);
        assert_eq!(symbols.function(overloaded), "x_2");
        assert_eq!(
            symbols.meaning("x_3"),
            Some(Meaning::Variable(Variable::new("x", Sort::Int)))
        );
        assert_eq!(symbols.sort(Sort::Index("Int".into())), "Int_2");
        assert_eq!(symbols.sort(Sort::list(Sort::Index("Int".into()))), "(Seq Int_2)");
        assert_eq!(
            symbols.sort(Sort::Enum(EnumSort::new("Int".into(), vec!["x".into()]))),
            "Int_3"
        );
    }

    #[test]
    fn illegal_names_are_made_legal() {
        let mut symbols = Symbols::default();
        let mut name = |text: &str| symbols.function(Function::constant(text, Sort::Int));
        assert_eq!(name("and"), "and_2");
        assert_eq!(name("Chan[0].Cmd"), "|Chan[0].Cmd|");
        assert_eq!(name("a|b\\c\0d"), "a_b_c_d");
        assert_eq!(name("a_b_c_d"), "a_b_c_d_2");
        assert_eq!(name("é"), "__2", "`_` itself is reserved");
        assert_eq!(name(""), "unnamed");
        assert_eq!(name("7up"), "|7up|");
        assert_eq!(name("$1"), "$1_2");
        assert_eq!(name("@x"), "_@x");
        assert_eq!(name("bvadd"), "_bvadd");
    }
}
