//! What a certificate says in SMT-LIB, for people: infix operators as in Murphi. For messages only.

use smt::expression::{Expression, parse};

/// A command: what it defines, declares or asserts. What cannot be read stays as it is.
pub(crate) fn readable(command: &str) -> String {
    let parsed = parse(command).ok();
    let parts = parsed.as_ref().and_then(Expression::list).unwrap_or_default();
    let words: Vec<Option<&str>> = parts.iter().take(2).map(Expression::symbol).collect();
    match (words.as_slice(), parts) {
        ([Some("define-fun"), Some(_)], [_, _, _, _, value]) => infix(value, WEAKEST),
        ([Some("declare-fun"), Some(_)], [_, _, parameters, result]) => {
            let parameters = parameters.list().unwrap_or_default();
            let sorts = parameters.iter().chain([result]).map(|sort| infix(sort, WEAKEST));
            sorts.collect::<Vec<_>>().join(" -> ")
        }
        ([Some("assert"), _], [_, formula]) => infix(formula, WEAKEST),
        ([Some("set-info"), Some(":status")], [_, _, status]) => format!("expected {}", infix(status, WEAKEST)),
        _ => command.to_owned(),
    }
}

/// How strongly an operator binds what stands beside it.
type Strength = u8;
const WEAKEST: Strength = 0;
const ATOM: Strength = 9;

/// The sign and the strength of an operator between operands.
fn operator(name: &str) -> Option<(&'static str, Strength)> {
    Some(match name {
        "=>" => ("->", 1),
        "or" => ("|", 2),
        "and" => ("&", 3),
        "=" => ("=", 4),
        "distinct" => ("!=", 4),
        "<" => ("<", 4),
        "<=" => ("<=", 4),
        ">" => (">", 4),
        ">=" => (">=", 4),
        "+" => ("+", 5),
        "-" => ("-", 5),
        "*" => ("*", 6),
        "div" => ("/", 6),
        "mod" => ("%", 6),
        _ => return None,
    })
}

/// The expression, in parentheses where what stands around it binds as strongly.
fn infix(expression: &Expression, around: Strength) -> String {
    let parts = match expression {
        Expression::Symbol(text) | Expression::Number(text) => return text.clone(),
        Expression::Text(text) => return format!("\"{text}\""),
        Expression::List(parts) => parts,
    };
    let head = parts.first().and_then(Expression::symbol);
    let (text, strength) = match (head, parts.get(1..).unwrap_or_default()) {
        (Some("not"), [operand]) => (format!("!{}", infix(operand, ATOM - 1)), ATOM),
        (Some("-"), [operand]) => (format!("-{}", infix(operand, ATOM - 1)), ATOM),
        (Some("ite"), [condition, yes, no]) => {
            let [condition, yes, no] = [condition, yes, no].map(|part| infix(part, 1));
            (format!("{condition} ? {yes} : {no}"), WEAKEST)
        }
        (Some(word @ ("forall" | "exists")), [variables, body]) => {
            let binding = bindings(variables, ": ");
            (format!("{word} {binding}. {}", infix(body, WEAKEST)), WEAKEST)
        }
        (Some("let"), [named, body]) => {
            let named = bindings(named, " = ");
            (format!("let {named} in {}", infix(body, WEAKEST)), WEAKEST)
        }
        (Some(name), operands @ [_, _, ..]) if operator(name).is_some() => {
            let (sign, strength) = operator(name).unwrap_or_default();
            let operands: Vec<String> = operands.iter().map(|operand| infix(operand, strength)).collect();
            (operands.join(&format!(" {sign} ")), strength)
        }
        (_, arguments) => {
            let head = parts.first().map_or(String::new(), |head| infix(head, ATOM));
            let arguments: Vec<String> = arguments.iter().map(|argument| infix(argument, WEAKEST)).collect();
            (format!("{head}({})", arguments.join(", ")), ATOM)
        }
    };
    let alone = around == WEAKEST || strength > around;
    if alone { text } else { format!("({text})") }
}

/// Pairs of a name and its sort, or its value.
fn bindings(pairs: &Expression, between: &str) -> String {
    let pair = |pair: &Expression| match pair.list() {
        Some([name, what]) => format!("{}{between}{}", infix(name, ATOM), infix(what, WEAKEST)),
        _ => infix(pair, WEAKEST),
    };
    let pairs = pairs.list().unwrap_or_default().iter().map(pair);
    pairs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_readable() {
        for (command, expected) in [
            (
                "(define-fun x () Bool (and a (or b (not (= c 1)))))",
                "a & (b | !(c = 1))",
            ),
            (
                "(define-fun f ((_0 PROC)) S (ite (= _0 p) bad (s _0)))",
                "_0 = p ? bad : s(_0)",
            ),
            (
                "(assert (forall ((i P) (j P)) (=> (and (q i) (q j)) (= i j))))",
                "forall i: P, j: P. q(i) & q(j) -> i = j",
            ),
            (
                "(assert (let ((a (+ x 1))) (< a (* 2 (+ a (- 3))))))",
                "let a = x + 1 in a < 2 * (a + -3)",
            ),
            ("(assert (not (exists ((i P)) (q i))))", "!(exists i: P. q(i))"),
            ("(declare-fun |a b| (P) Bool)", "P -> Bool"),
            ("(set-info :status sat)", "expected sat"),
            ("(check-sat", "(check-sat"),
            ("; a comment", "; a comment"),
        ] {
            assert_eq!(readable(command), expected);
        }
    }
}
