//! Whatever is done to a term, it keeps its meaning: random terms, evaluated in random finite interpretations.

use logic::normal_forms::{expand_finite, negation_normal_form};
use logic::simplify::simplify;
use logic::testing::{Choices, RandomInterpretation, Updated, Vocabulary};
use logic::{Environment, EvaluateError, Interpretation, Substitution, Term, Value, evaluate};
use proptest::prelude::*;

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

/// The value; `None` where numbers grow too large to tell.
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
    for interpretation in interpretations() {
        let environment = interpretation.environment(&Vocabulary::finite().all_variables());
        let values = [original, changed].map(|term| value(term, &environment, &interpretation));
        if let [Some(before), Some(after)] = values {
            assert_eq!(before, after, "\n{original:?}\nbecame\n{changed:?}");
        }
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
    fn negation_normal_forms(mut choices in choices(), depth in 1usize..7) {
        let formula = vocabulary(&mut choices).formula(depth, &mut choices);
        same(formula, negation_normal_form(formula));
    }

    #[test]
    fn expansion_of_finite_quantifiers(mut choices in choices(), depth in 1usize..6) {
        let formula = vocabulary(&mut choices).formula(depth, &mut choices);
        same(formula, expand_finite(formula));
    }

    /// The substitution lemma: to evaluate after a substitution is to evaluate where variables and functions mean
    /// what is put in their place.
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
