//! Random terms and interpretations for tests of this and other crates (feature `testing`).
//!
//! A list of numbers, supplied by a property-testing library or a random generator, drives the generator. When the list
//! is exhausted, each choice is the smallest. Shrinking the list therefore shrinks the term.

use crate::bits::{self, BitOperation, Bits, WIDEST};
use crate::evaluate::{Environment, Interpretation, PartialOperation, Value, evaluate};
use crate::rational::Rational;
use crate::sort::{EnumSort, Name, Sort};
use crate::substitute::Lambda;
use crate::term::{self, Function, Term, Variable};
use std::collections::BTreeMap;

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Choices {
    numbers: Vec<u32>,
    position: usize,
}

impl Choices {
    pub fn new(numbers: Vec<u32>) -> Choices {
        Choices { numbers, position: 0 }
    }

    /// `count` pseudo-random numbers (SplitMix64), determined by the seed.
    pub fn random(seed: u64, count: usize) -> Choices {
        let numbers =
            (0..count as u64).map(|n| scramble(seed.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15))) as u32);
        Choices::new(numbers.collect())
    }

    /// A number below `bound`; 0 when the choices are exhausted.
    pub fn below(&mut self, bound: usize) -> usize {
        let number = self.numbers.get(self.position).copied().unwrap_or(0);
        self.position += 1;
        number as usize % bound.max(1)
    }

    fn pick<T: Copy>(&mut self, options: &[T]) -> Option<T> {
        let position = self.below(options.len());
        options.get(position).copied()
    }
}

fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const COMPARISONS: [BitOperation; 4] = [
    BitOperation::UnsignedLess,
    BitOperation::UnsignedLessEqual,
    BitOperation::SignedLess,
    BitOperation::SignedLessEqual,
];

const BINARY: [BitOperation; 12] = [
    BitOperation::Add,
    BitOperation::Multiply,
    BitOperation::And,
    BitOperation::Or,
    BitOperation::ExclusiveOr,
    BitOperation::UnsignedDivide,
    BitOperation::UnsignedRemainder,
    BitOperation::SignedDivide,
    BitOperation::SignedRemainder,
    BitOperation::ShiftLeft,
    BitOperation::UnsignedShiftRight,
    BitOperation::SignedShiftRight,
];

/// The symbols that generated terms may use.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    pub sorts: Vec<Sort>,
    pub functions: Vec<Function>,
    /// Free variables.
    pub variables: Vec<Variable>,
    /// Variables for quantifiers; some share names with each other and with free ones.
    pub bound: Vec<Variable>,
    /// Whether factors and divisors may be non-literal.
    pub nonlinear: bool,
}

pub fn node() -> Sort {
    Sort::Index("Node".into())
}

pub fn colour() -> EnumSort {
    EnumSort::new("Colour".into(), vec!["red".into(), "green".into(), "blue".into()])
}

impl Vocabulary {
    /// Everything that can be evaluated in finite interpretations: quantifiers over nodes, colours and Booleans only.
    pub fn finite() -> Vocabulary {
        let colour = Sort::Enum(colour());
        let (integers, reals) = (Sort::list(Sort::Int), Sort::Real);
        let sorts = vec![Sort::Bool, Sort::Int, reals, node(), colour, integers];
        let mut functions: Vec<Function> = Vec::new();
        for (names, sort) in [
            (["p", "q", "and"], Sort::Bool),
            (["n", "m", "x"], Sort::Int),
            (["r", "s", "div"], reals),
            (["a", "b", "y"], node()),
            (["c", "d", "node"], colour),
            (["l", "k", "tail"], integers),
        ] {
            functions.extend(names.map(|name| Function::constant(name, sort)));
        }
        functions.push(Function::new("next", vec![node()], node()));
        functions.push(Function::new("count", vec![node()], Sort::Int));
        functions.push(Function::new("paint", vec![node()], colour));
        functions.push(Function::new("queue", vec![node()], integers));
        functions.push(Function::new("owns", vec![node(), node()], Sort::Bool));
        functions.push(Function::new("f", vec![Sort::Int], Sort::Int));
        functions.push(Function::new("p", vec![Sort::Bool, colour], Sort::Bool));
        let bound = [
            ("x", node()),
            ("y", node()),
            ("x", colour),
            ("u", Sort::Bool),
            ("x_1", node()),
        ];
        let free = [
            ("x", node()),
            ("x_1", node()),
            ("x", Sort::Int),
            ("x", colour),
            ("u", Sort::Bool),
        ];
        let variables = |pairs: [(&str, Sort); 5]| pairs.map(|(name, sort)| Variable::new(name, sort)).to_vec();
        Vocabulary {
            sorts,
            functions,
            variables: variables(free),
            bound: variables(bound),
            nonlinear: true,
        }
    }

    /// What both solvers mostly decide: linear arithmetic and quantifiers over integers, but no lists.
    pub fn decidable() -> Vocabulary {
        let mut vocabulary = Vocabulary::finite();
        vocabulary.sorts.retain(|sort| !matches!(sort, Sort::List(_)));
        let has_list = |function: &Function| {
            function
                .parameters()
                .iter()
                .chain([&function.result()])
                .any(|sort| matches!(sort, Sort::List(_)))
        };
        vocabulary.functions.retain(|function| !has_list(function));
        vocabulary.bound.push(Variable::new("i", Sort::Int));
        vocabulary.nonlinear = false;
        vocabulary
    }

    /// Machine integers of these widths, connected by conversions.
    pub fn machine(widths: &[u32]) -> Vocabulary {
        let sorts: Vec<Sort> = widths.iter().copied().map(Sort::BitVector).collect();
        let mut functions: Vec<Function> = Vec::new();
        for sort in sorts.iter().copied().chain([Sort::Bool]) {
            functions.extend(["a", "b", "c"].map(|name| Function::constant(name, sort)));
            functions.push(Function::new("f", vec![sort], sort));
        }
        Vocabulary {
            variables: sorts.iter().map(|sort| Variable::new("x", *sort)).collect(),
            sorts: sorts.into_iter().chain([Sort::Bool]).collect(),
            functions,
            bound: vec![Variable::new("u", Sort::Bool)],
            nonlinear: true,
        }
    }

    /// Without quantifiers.
    #[must_use]
    pub fn quantifier_free(mut self) -> Vocabulary {
        self.bound.clear();
        self
    }

    /// Without free variables.
    #[must_use]
    pub fn closed(mut self) -> Vocabulary {
        self.variables.clear();
        self
    }

    /// A random part of the vocabulary: fewer symbols interact more often.
    #[must_use]
    pub fn part(mut self, choices: &mut Choices) -> Vocabulary {
        self.functions.retain(|_| choices.below(2) == 0);
        self.sorts.retain(|sort| *sort == Sort::Bool || choices.below(3) < 2);
        self
    }

    /// All variables, free or bound.
    pub fn all_variables(&self) -> Vec<Variable> {
        self.variables.iter().chain(&self.bound).copied().collect()
    }

    /// A random term of the sort, at most `depth` operators deep.
    pub fn term(&self, sort: Sort, depth: usize, choices: &mut Choices) -> Term {
        Generator::new(self, choices, self.variables.clone()).term(sort, depth)
    }

    /// A random formula, rarely `true` or `false`.
    pub fn formula(&self, depth: usize, choices: &mut Choices) -> Term {
        let mut formula = self.term(Sort::Bool, depth, choices);
        for _ in 0..4 {
            if !formula.is_value() {
                break;
            }
            formula = self.term(Sort::Bool, depth, choices);
        }
        formula
    }

    pub fn sort(&self, choices: &mut Choices) -> Sort {
        choices.pick(&self.sorts).unwrap_or(Sort::Bool)
    }

    /// A lambda with the signature of the function. Its body may mention free variables, even ones that share a name
    /// with a parameter but not its sort.
    pub fn lambda(&self, function: Function, depth: usize, choices: &mut Choices) -> Lambda {
        let names = ["x", "x_1", "y"];
        let parameters: Vec<Variable> = function
            .parameters()
            .iter()
            .zip(names.iter().cycle())
            .map(|(sort, name)| Variable::new(*name, *sort))
            .collect();
        let mut scope = self.variables.clone();
        scope.extend(&parameters);
        let body = Generator::new(self, choices, scope).term(function.result(), depth);
        Lambda { parameters, body }
    }
}

struct Generator<'a> {
    vocabulary: &'a Vocabulary,
    choices: &'a mut Choices,
    /// Variables that may occur.
    scope: Vec<Variable>,
    /// Terms generated so far. Reusing them makes facts interact, and variables occur inside and outside their binders.
    made: Vec<Term>,
}

impl<'a> Generator<'a> {
    fn new(vocabulary: &'a Vocabulary, choices: &'a mut Choices, scope: Vec<Variable>) -> Generator<'a> {
        Generator {
            vocabulary,
            choices,
            scope,
            made: Vec::new(),
        }
    }

    fn term(&mut self, sort: Sort, depth: usize) -> Term {
        if self.choices.below(6) == 5 {
            let closed = self.vocabulary.variables.is_empty();
            let fits = |term: &&Term| {
                term.sort() == sort && (!closed || term.free_variables().iter().all(|v| self.scope.contains(v)))
            };
            let again: Vec<Term> = self.made.iter().filter(fits).copied().collect();
            if let Some(term) = self.choices.pick(&again) {
                return term;
            }
        }
        let term = self.new_term(sort, depth);
        self.made.push(term);
        term
    }

    fn new_term(&mut self, sort: Sort, depth: usize) -> Term {
        if depth == 0 {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        match self.choices.below(14) {
            0 => self.leaf(sort),
            1..3 => self.application(sort, depth),
            3 => term::ite(
                self.term(Sort::Bool, depth),
                self.term(sort, depth),
                self.term(sort, depth),
            ),
            _ => match sort {
                Sort::Bool => self.formula(depth),
                Sort::Int | Sort::Real => self.number(sort, depth),
                Sort::List(element) => self.list(sort, *element, depth),
                Sort::BitVector(width) => self.bits(width, depth),
                _ => self.application(sort, depth),
            },
        }
    }

    fn leaf(&mut self, sort: Sort) -> Term {
        let variables: Vec<Variable> = self
            .scope
            .iter()
            .copied()
            .filter(|variable| variable.sort == sort)
            .collect();
        match self.choices.below(4) {
            // Few Boolean literals, since they make formulas collapse.
            0 if self.literal(sort, 0).is_some() && (sort != Sort::Bool || self.choices.below(6) == 0) => {
                let number = self.choices.below(7);
                self.literal(sort, number).unwrap_or_else(|| term::bool(false))
            }
            1 | 2 if !variables.is_empty() => {
                // Prefers the innermost binder.
                let back = self
                    .choices
                    .below(variables.len())
                    .min(self.choices.below(variables.len()));
                variables[variables.len() - 1 - back].term()
            }
            _ => self.constant(sort),
        }
    }

    fn literal(&self, sort: Sort, number: usize) -> Option<Term> {
        let small = i128::try_from(number).ok()?;
        // 0, 1, -1, 2, -2, ...
        let small = if small % 2 == 0 { -(small / 2) } else { small / 2 + 1 };
        match sort {
            Sort::Bool => Some(term::bool(number % 2 == 1)),
            Sort::Int => Some(term::int(small)),
            Sort::Real => Rational::new(small, 2).map(term::real),
            // Includes the least and the greatest value.
            Sort::BitVector(width) if number >= 5 => Some(bits::literal(Bits::from_signed(
                width,
                i128::MIN >> (WIDEST - width) ^ if number == 5 { 0 } else { -1 },
            ))),
            Sort::BitVector(width) => Some(bits::literal(Bits::from_signed(width, small))),
            Sort::Enum(sort) => Some(term::enumerator(sort, number % sort.values().len())),
            Sort::List(element) => Some(term::empty_list(*element)),
            Sort::Index(_) => None,
        }
    }

    /// A nullary symbol; the vocabulary has one for each sort.
    fn constant(&mut self, sort: Sort) -> Term {
        let fits = |function: &Function| function.result() == sort && function.parameters().is_empty();
        let symbols: Vec<Function> = self.vocabulary.functions.iter().copied().filter(fits).collect();
        let symbol = self
            .choices
            .pick(&symbols)
            .unwrap_or_else(|| Function::constant("some", sort));
        symbol.apply([])
    }

    fn application(&mut self, sort: Sort, depth: usize) -> Term {
        let symbols: Vec<Function> = self
            .vocabulary
            .functions
            .iter()
            .copied()
            .filter(|f| f.result() == sort)
            .collect();
        let Some(symbol) = self.choices.pick(&symbols) else {
            return self.leaf(sort);
        };
        let arguments: Vec<Term> = symbol.parameters().iter().map(|sort| self.term(*sort, depth)).collect();
        symbol.apply(arguments)
    }

    fn formula(&mut self, depth: usize) -> Term {
        match self.choices.below(16) {
            0 => term::not(self.term(Sort::Bool, depth)),
            1 | 2 => self.operands(Sort::Bool, depth, term::and),
            3 | 4 => self.operands(Sort::Bool, depth, term::or),
            5 => term::implies(self.term(Sort::Bool, depth), self.term(Sort::Bool, depth)),
            6..10 => self.equation(depth),
            10 | 11 => self.comparison(depth),
            _ if self.vocabulary.bound.is_empty() => self.equation(depth),
            _ => self.quantified(depth),
        }
    }

    fn equation(&mut self, depth: usize) -> Term {
        let variable = self.choices.pick(&self.scope).filter(|_| self.choices.below(4) == 0);
        if let Some(variable) = variable {
            return term::equal(variable.term(), self.term(variable.sort, depth));
        }
        let sort = self.vocabulary.sort(self.choices);
        term::equal(self.term(sort, depth), self.term(sort, depth))
    }

    fn comparison(&mut self, depth: usize) -> Term {
        let vectors: Vec<Sort> = self
            .vocabulary
            .sorts
            .iter()
            .copied()
            .filter(|s| s.width().is_some())
            .collect();
        if !vectors.is_empty() {
            let sort = self.choices.pick(&vectors).unwrap_or(Sort::BitVector(1));
            let operation = self.choices.pick(&COMPARISONS).unwrap_or(BitOperation::SignedLess);
            return bits::operation(operation, [self.term(sort, depth), self.term(sort, depth)]);
        }
        let reals = self.vocabulary.sorts.contains(&Sort::Real) && self.choices.below(3) == 2;
        let sort = if reals { Sort::Real } else { Sort::Int };
        let (a, b) = (self.term(sort, depth), self.term(sort, depth));
        if self.choices.below(2) == 0 {
            term::less(a, b)
        } else {
            term::less_equal(a, b)
        }
    }

    fn operands(&mut self, sort: Sort, depth: usize, join: impl Fn(Vec<Term>) -> Term) -> Term {
        let count = 2 + self.choices.below(3);
        join((0..count).map(|_| self.term(sort, depth)).collect())
    }

    fn quantified(&mut self, depth: usize) -> Term {
        let count = 1 + self.choices.below(2);
        let variables: Vec<Variable> = (0..count)
            .filter_map(|_| self.choices.pick(&self.vocabulary.bound))
            .collect();
        let outside = self.scope.len();
        self.scope.extend(&variables);
        let body = self.term(Sort::Bool, depth);
        self.scope.truncate(outside);
        if self.choices.below(2) == 0 {
            term::forall(variables, body)
        } else {
            term::exists(variables, body)
        }
    }

    fn number(&mut self, sort: Sort, depth: usize) -> Term {
        let lists = self
            .vocabulary
            .sorts
            .iter()
            .copied()
            .find(|sort| matches!(sort, Sort::List(_)));
        match (self.choices.below(7), lists) {
            (0, Some(list)) if sort == Sort::Int => term::length(self.term(list, depth)),
            (1, Some(list)) if sort == Sort::Int => term::head(self.term(list, depth)),
            (2, _) => term::subtract(self.term(sort, depth), self.term(sort, depth)),
            (3, _) => term::multiply(self.factor(sort, depth), self.term(sort, depth)),
            (4, _) => term::divide(self.term(sort, depth), self.factor(sort, depth)),
            (5, _) if sort == Sort::Int => term::modulo(self.term(sort, depth), self.factor(sort, depth)),
            _ => self.operands(sort, depth, term::add),
        }
    }

    fn factor(&mut self, sort: Sort, depth: usize) -> Term {
        if self.vocabulary.nonlinear {
            return self.term(sort, depth);
        }
        // 1, -1, 2, ...
        let number = 1 + self.choices.below(6);
        self.literal(sort, number).unwrap_or_else(|| self.leaf(sort))
    }

    /// An operation with a result of this width.
    fn bits(&mut self, width: u32, depth: usize) -> Term {
        let sort = Sort::BitVector(width);
        let of_one = [BitOperation::Negate, BitOperation::Complement];
        match self.choices.below(8) {
            0 => {
                let operation = self.choices.pick(&of_one).unwrap_or(BitOperation::Negate);
                bits::operation(operation, [self.term(sort, depth)])
            }
            1 | 2 => self.resized(width, depth),
            _ => {
                let operation = self.choices.pick(&BINARY).unwrap_or(BitOperation::Add);
                bits::operation(operation, [self.term(sort, depth), self.term(sort, depth)])
            }
        }
    }

    /// A value of this width, extended or truncated from another.
    fn resized(&mut self, width: u32, depth: usize) -> Term {
        let widths: Vec<u32> = self.vocabulary.sorts.iter().filter_map(|sort| sort.width()).collect();
        let other = self.choices.pick(&widths).unwrap_or(width);
        let operand = self.term(Sort::BitVector(other), depth);
        if other >= width {
            let low = u32::try_from(self.choices.below((other - width + 1) as usize)).unwrap_or(0);
            let high = low + width - 1;
            return bits::operation(BitOperation::Extract { high, low }, [operand]);
        }
        let by = width - other;
        match self.choices.below(3) {
            0 => bits::operation(BitOperation::ZeroExtend(by), [operand]),
            1 => bits::operation(BitOperation::SignExtend(by), [operand]),
            _ => {
                let first = self.resized(by, depth.min(1));
                bits::operation(BitOperation::Concatenate, [first, operand])
            }
        }
    }

    fn list(&mut self, sort: Sort, element: Sort, depth: usize) -> Term {
        let list = self.term(sort, depth);
        if self.choices.below(3) == 0 {
            term::tail(list)
        } else {
            term::append(list, self.term(element, depth))
        }
    }
}

/// A finite interpretation that gives every symbol a pseudo-random meaning.
#[derive(Clone, Debug)]
pub struct RandomInterpretation {
    pub seed: u64,
    /// The number of elements of every index sort.
    pub size: u32,
}

impl RandomInterpretation {
    pub fn value(&self, sort: Sort, key: &str) -> Value {
        let mut state = self.seed;
        for byte in key.bytes() {
            state = scramble(state ^ u64::from(byte));
        }
        self.value_from(sort, state)
    }

    fn value_from(&self, sort: Sort, state: u64) -> Value {
        let small = i128::from(state % 9) - 4;
        match sort {
            Sort::Bool => Value::Bool(state.is_multiple_of(2)),
            Sort::Int => Value::Int(small),
            Sort::Real => {
                Value::Real(Rational::new(small, 1 + i128::from(scramble(state) % 2)).unwrap_or(Rational::ZERO))
            }
            Sort::BitVector(width) => Value::Bits(match state % 4 {
                0 => Bits::from_signed(width, small),
                1 => Bits::new(width, 1 << (width - 1)),
                _ => Bits::new(width, u128::from(state) | u128::from(scramble(state)) << 64),
            }),
            Sort::Index(name) => Value::Index(name, (state % u64::from(self.size.max(1))) as u32),
            Sort::Enum(sort) => Value::Enumerator(sort, (state % sort.values().len().max(1) as u64) as u32),
            Sort::List(element) => {
                let elements = (0..state % 4).map(|n| self.value_from(*element, scramble(state ^ (n + 1))));
                Value::List(elements.collect())
            }
        }
    }

    /// A value for each variable.
    pub fn environment<'a>(&self, variables: impl IntoIterator<Item = &'a Variable>) -> Environment {
        let bind = |variable: &Variable| {
            (
                *variable,
                self.value(variable.sort, &format!("variable {}", variable.name)),
            )
        };
        variables.into_iter().map(bind).collect()
    }

    pub fn elements(&self, name: Name) -> Vec<Value> {
        (0..self.size.max(1))
            .map(|position| Value::Index(name, position))
            .collect()
    }
}

impl Interpretation for RandomInterpretation {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        Some(self.value(
            function.result(),
            &format!("{}{:?}{arguments:?}", function.name(), function.parameters()),
        ))
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        match sort {
            Sort::Index(name) => Some(self.elements(name)),
            _ => None,
        }
    }

    fn undefined(&self, operation: PartialOperation, sort: Sort, operands: &[Value]) -> Option<Value> {
        Some(self.value(sort, &format!("{operation:?} {sort} {operands:?}")))
    }
}

/// An interpretation that defines some functions by lambdas; the environment gives their other free variables values.
pub struct Updated<'a> {
    pub base: &'a dyn Interpretation,
    pub environment: &'a Environment,
    pub functions: &'a BTreeMap<Function, Lambda>,
}

impl Interpretation for Updated<'_> {
    fn apply(&self, function: Function, arguments: &[Value]) -> Option<Value> {
        let Some(lambda) = self.functions.get(&function) else {
            return self.base.apply(function, arguments);
        };
        let mut environment = self.environment.clone();
        for (parameter, argument) in lambda.parameters.iter().zip(arguments) {
            environment.bind(*parameter, argument.clone());
        }
        evaluate(lambda.body, &environment, self.base).ok()
    }

    fn domain(&self, sort: Sort) -> Option<Vec<Value>> {
        self.base.domain(sort)
    }

    fn undefined(&self, operation: PartialOperation, sort: Sort, operands: &[Value]) -> Option<Value> {
        self.base.undefined(operation, sort, operands)
    }
}
