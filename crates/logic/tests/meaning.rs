//! Transformations preserve the meaning of terms: random terms, evaluated in random finite interpretations.

use logic::bits::{self, BitOperation, Bits};
use logic::normal_forms::{expand_finite, negation_normal_form};
use logic::simplify::simplify;
use logic::testing::{Choices, RandomInterpretation, Updated, Vocabulary};
use logic::well_sorted::ill_sorted_subterm;
use logic::{Environment, EvaluateError, Interpretation, Sort, Substitution, Term, Value, evaluate};
use proptest::prelude::*;

const WIDTHS: [u32; 5] = [1, 3, 8, 32, 128];

const BIT_OPERATIONS: [BitOperation; 22] = [
    BitOperation::Negate,
    BitOperation::Complement,
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
    BitOperation::Concatenate,
    BitOperation::Extract { high: 0, low: 0 },
    BitOperation::ZeroExtend(5),
    BitOperation::SignExtend(5),
    BitOperation::UnsignedLess,
    BitOperation::UnsignedLessEqual,
    BitOperation::SignedLess,
    BitOperation::SignedLessEqual,
];

fn choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<u32>(), 0..800).prop_map(Choices::new)
}

fn vocabulary(choices: &mut Choices) -> Vocabulary {
    Vocabulary::finite().part(choices)
}

fn interpretations() -> impl Iterator<Item = RandomInterpretation> {
    (0..8).map(|seed| RandomInterpretation {
        seed,
        size: 1 + seed as u32 % 3,
    })
}

/// The value; `None` on overflow.
fn value(term: Term, environment: &Environment, interpretation: &dyn Interpretation) -> Option<Value> {
    let value = evaluate(term, environment, interpretation);
    assert!(
        matches!(value, Ok(_) | Err(EvaluateError::Overflow)),
        "{value:?} in {term:?}"
    );
    value.ok()
}

/// Checks that both terms have the same value.
fn same(original: Term, changed: Term) {
    same_in(&Vocabulary::finite(), original, changed);
}

fn same_in(vocabulary: &Vocabulary, original: Term, changed: Term) {
    for interpretation in interpretations() {
        let environment = interpretation.environment(&vocabulary.all_variables());
        let values = [original, changed].map(|term| value(term, &environment, &interpretation));
        if let [Some(before), Some(after)] = values {
            assert_eq!(before, after, "\n{original:?}\nbecame\n{changed:?}");
        }
    }
}

/// Smart constructors against operations on values, for operands that are equal, literal or of a form that the
/// constructors simplify.
fn constructors_keep_the_meaning(operation: BitOperation, operands: &[Term]) {
    for interpretation in interpretations() {
        let environment = interpretation.environment(&Vocabulary::machine(&WIDTHS).all_variables());
        let values: Vec<Bits> = operands
            .iter()
            .map(|operand| match evaluate(*operand, &environment, &interpretation) {
                Ok(Value::Bits(bits)) => bits,
                other => unreachable!("{other:?}"),
            })
            .collect();
        let expected = match operation.apply(&values) {
            Some(bits::BitResult::Bits(bits)) => Value::Bits(bits),
            Some(bits::BitResult::Truth(value)) => Value::Bool(value),
            None => continue,
        };
        let term = bits::operation(operation, operands);
        let value = evaluate(term, &environment, &interpretation);
        assert_eq!(value, Ok(expected), "{operation:?} of {operands:?} became {term:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplification(mut choices in choices(), depth in 1usize..7) {
        let vocabulary = vocabulary(&mut choices);
        let sort = vocabulary.sort(&mut choices);
        let term = vocabulary.term(sort, depth, &mut choices);
        same(term, simplify(term));
    }

    #[test]
    fn simplification_of_formulas(mut choices in choices(), depth in 1usize..7) {
        let formula = vocabulary(&mut choices).formula(depth, &mut choices);
        let simple = simplify(formula);
        same(formula, simple);
        prop_assert_eq!(simplify(simple), simple, "simple terms stay as they are");
    }

    #[test]
    fn machine_integers(mut choices in choices(), depth in 1usize..6) {
        let vocabulary = Vocabulary::machine(&WIDTHS);
        let sort = vocabulary.sort(&mut choices);
        let term = vocabulary.term(sort, depth, &mut choices);
        prop_assert_eq!(ill_sorted_subterm(term), None);
        same_in(&vocabulary, term, simplify(term));
    }

    #[test]
    fn constructors_of_machine_integers(mut choices in choices(), depth in 0usize..3, index in 0usize..22) {
        let vocabulary = Vocabulary::machine(&WIDTHS);
        let sort = vocabulary.sort(&mut choices);
        let width = sort.width().unwrap_or(8);
        let sort = Sort::BitVector(width);
        let operation = BIT_OPERATIONS[index % BIT_OPERATIONS.len()];
        let operation = match operation {
            BitOperation::Extract { .. } => {
                let high = choices.below(width as usize) as u32;
                BitOperation::Extract { high, low: choices.below(high as usize + 1) as u32 }
            }
            other => other,
        };
        let first = vocabulary.term(sort, depth, &mut choices);
        let second = if choices.below(4) == 0 { first } else { vocabulary.term(sort, depth, &mut choices) };
        for operands in [&[first][..], &[first, second]] {
            let sorts: Vec<Sort> = operands.iter().map(|operand| operand.sort()).collect();
            if operation.result(&sorts).is_some() {
                constructors_keep_the_meaning(operation, operands);
            }
        }
    }

    #[test]
    fn negation_normal_forms(mut choices in choices(), depth in 1usize..7) {
        let formula = vocabulary(&mut choices).formula(depth, &mut choices);
        same(formula, negation_normal_form(formula));
    }

    #[test]
    fn expansion_of_finite_quantifiers(mut choices in choices(), depth in 1usize..6) {
        let formula = vocabulary(&mut choices).formula(depth, &mut choices);
        same(formula, expand_finite(formula));
    }

    /// The substitution lemma: evaluating a substituted term equals evaluating the term with variables and functions
    /// bound to their replacements.
    #[test]
    fn substitution(mut choices in choices(), depth in 1usize..6) {
        let vocabulary = vocabulary(&mut choices);
        let mut substitution = Substitution::default();
        for variable in &vocabulary.variables {
            if choices.below(2) == 1 {
                substitution.variables.insert(*variable, vocabulary.term(variable.sort, 2, &mut choices));
            }
        }
        for function in &vocabulary.functions {
            if choices.below(2) == 1 {
                substitution.functions.insert(*function, vocabulary.lambda(*function, 2, &mut choices));
            }
        }
        let formula = vocabulary.formula(depth, &mut choices);
        for interpretation in interpretations() {
            substitution_lemma(&substitution, formula, &interpretation);
        }
    }
}

fn substitution_lemma(substitution: &Substitution, formula: Term, interpretation: &RandomInterpretation) {
    let environment = interpretation.environment(&Vocabulary::finite().all_variables());
    let mut updated_environment = environment.clone();
    for (variable, term) in &substitution.variables {
        let Some(value) = value(*term, &environment, interpretation) else {
            return;
        };
        updated_environment.bind(*variable, value);
    }
    let updated = Updated {
        base: interpretation,
        environment: &environment,
        functions: &substitution.functions,
    };
    let expected = evaluate(formula, &updated_environment, &updated);
    let after = value(substitution.apply(formula), &environment, interpretation);
    if let (Ok(expected), Some(after)) = (expected, after) {
        assert_eq!(expected, after, "{formula:?} under {substitution:?}");
    }
}
