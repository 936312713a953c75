//! S-expressions: what solvers answer in.

use logic::bits::WIDEST;
use logic::{Bits, Rational};

/// Deeper nesting is refused, since dropping and evaluating an expression is recursive.
const DEPTH: usize = 4_000;

/// A symbolic expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expression {
    /// A symbol, without bars.
    Symbol(String),
    /// A number as it was written: digits, perhaps with a point.
    Number(String),
    /// A string literal, with its quotation marks undoubled.
    Text(String),
    List(Vec<Expression>),
}

impl Expression {
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Expression::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Expression]> {
        match self {
            Expression::List(parts) => Some(parts),
            _ => None,
        }
    }
}

/// Reads one expression, with nothing but space and comments around it. The error says what is wrong.
pub fn parse(text: &str) -> Result<Expression, String> {
    let mut open: Vec<Vec<Expression>> = Vec::new();
    let mut result = None;
    let mut rest = text;
    while let Some(token) = next_token(&mut rest)? {
        if result.is_some() {
            return Err("text after the end of the expression".to_owned());
        }
        let complete = match token {
            Token::Open if open.len() == DEPTH => return Err("the expression is nested too deeply".to_owned()),
            Token::Open => {
                open.push(Vec::new());
                continue;
            }
            Token::Close => Expression::List(open.pop().ok_or("a closing parenthesis too many")?),
            Token::Atom(atom) => atom,
        };
        match open.last_mut() {
            Some(parts) => parts.push(complete),
            None => result = Some(complete),
        }
    }
    if open.is_empty() {
        result.ok_or("no expression".to_owned())
    } else {
        Err("a parenthesis is not closed".to_owned())
    }
}

enum Token {
    Open,
    Close,
    Atom(Expression),
}

fn next_token(rest: &mut &str) -> Result<Option<Token>, String> {
    loop {
        *rest = rest.trim_start();
        match rest.strip_prefix(';') {
            Some(comment) => *rest = comment.split_once('\n').map_or("", |(_, after)| after),
            None => break,
        }
    }
    let mut characters = rest.chars();
    let token = match characters.next() {
        None => return Ok(None),
        Some('(') => Token::Open,
        Some(')') => Token::Close,
        Some('|') => {
            let (symbol, after) = characters
                .as_str()
                .split_once('|')
                .ok_or("a quoted symbol does not end")?;
            *rest = after;
            return Ok(Some(Token::Atom(Expression::Symbol(symbol.to_owned()))));
        }
        Some('"') => return text_literal(rest).map(Some),
        Some(_) => {
            let end = rest
                .find(|c: char| c.is_whitespace() || "()|\";".contains(c))
                .unwrap_or(rest.len());
            let (atom, after) = rest.split_at(end);
            *rest = after;
            let number = atom.starts_with(|c: char| c.is_ascii_digit());
            let atom = if number {
                Expression::Number(atom.to_owned())
            } else {
                Expression::Symbol(atom.to_owned())
            };
            return Ok(Some(Token::Atom(atom)));
        }
    };
    *rest = characters.as_str();
    Ok(Some(token))
}

/// Two quotation marks inside of a literal stand for one.
fn text_literal(rest: &mut &str) -> Result<Token, String> {
    let mut text = String::new();
    let mut remaining = &rest[1..];
    loop {
        let (part, after) = remaining.split_once('"').ok_or("a string does not end")?;
        text.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                text.push('"');
                remaining = more;
            }
            None => {
                *rest = after;
                return Ok(Token::Atom(Expression::Text(text)));
            }
        }
    }
}

/// The number that `3`, `1.5`, `(- 2)`, `(/ 1 3)` and the like stand for.
pub fn number(expression: &Expression) -> Option<Rational> {
    match expression {
        Expression::Number(digits) => match digits.split_once('.') {
            None => digits.parse().ok().map(Rational::from_integer),
            Some((whole, fraction)) => {
                let denominator = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
                Rational::new(format!("{whole}{fraction}").parse().ok()?, denominator)
            }
        },
        Expression::List(parts) => match parts.as_slice() {
            [minus, value] if minus.symbol() == Some("-") => number(value)?.checked_neg(),
            [slash, a, b] if slash.symbol() == Some("/") => number(a)?.checked_div(number(b)?),
            _ => None,
        },
        _ => None,
    }
}

/// The bit-vector that `#x0f` or `#b01` stands for.
pub fn bits(text: &str) -> Option<Bits> {
    let (digits, radix, each) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 16, 4),
        (_, digits) => (digits?, 2, 1),
    };
    let width = u32::try_from(digits.len()).ok()?.checked_mul(each)?;
    let number = u128::from_str_radix(digits, radix).ok()?;
    (1..=WIDEST).contains(&width).then(|| Bits::new(width, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read() {
        let read = parse("; hello\n(a |b (c| \"d \"\" e\" (- 1.5) ())").unwrap();
        let parts = read.list().unwrap();
        assert_eq!(parts[1], Expression::Symbol("b (c".to_owned()));
        assert_eq!(parts[2], Expression::Text("d \" e".to_owned()));
        assert_eq!(number(&parts[3]), Rational::new(-3, 2));
        assert_eq!(parts[4], Expression::List(Vec::new()));
        assert_eq!(number(&parse("(- (/ 1.0 3.0))").unwrap()), Rational::new(-1, 3));
        assert_eq!(number(&parse("(/ (- 1) 0)").unwrap()), None);
        assert_eq!(
            number(&parse("99999999999999999999999999999999999999999").unwrap()),
            None
        );
    }

    #[test]
    fn broken_text_is_refused() {
        for text in ["", "(", ")", "(a))", "a b", "|a", "\"a", "(\"a)", ";", "(a;)"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"(".repeat(1_000_000)).is_err());
        assert!(parse(&format!("{}{}", "(".repeat(DEPTH), ")".repeat(DEPTH))).is_ok());
    }
}
