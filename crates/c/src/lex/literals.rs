//! The values of numeric, character and string literals.

use crate::syntax::{CharacterLiteral, Encoding, ExpressionKind, FloatLiteral, FloatSuffix, IntegerLiteral};
use std::ops::Range;

/// A problem in a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) help: Option<&'static str>,
    /// gcc accepts it, and we take gcc's value.
    pub(crate) is_warning: bool,
}

impl Problem {
    fn new(range: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            range,
            message: message.into(),
            label: String::new(),
            help: None,
            is_warning: false,
        }
    }

    fn label(mut self, label: impl Into<String>) -> Problem {
        self.label = label.into();
        self
    }

    fn help(mut self, help: &'static str) -> Problem {
        self.help = Some(help);
        self
    }

    fn warning(mut self) -> Problem {
        self.is_warning = true;
        self
    }
}

/// The value of a number.
pub(crate) fn number(text: &str) -> Result<ExpressionKind, Problem> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = if is_hexadecimal {
        lower.contains(['.', 'p'])
    } else {
        lower.contains('.') || (lower.contains('e') && !lower.starts_with("0b"))
    };
    if is_float {
        float(text, &lower, is_hexadecimal)
    } else {
        integer(text, &lower)
    }
}

fn integer(text: &str, lower: &str) -> Result<ExpressionKind, Problem> {
    let (start, base, kind) = match lower.as_bytes() {
        [b'0', b'x', ..] => (2, 16, "hexadecimal"),
        [b'0', b'b', ..] => (2, 2, "binary"),
        [b'0', ..] => (0, 8, "octal"),
        _ => (0, 10, "decimal"),
    };
    let is_digit = |byte: u8| {
        if base == 16 {
            byte.is_ascii_hexdigit()
        } else {
            byte.is_ascii_digit()
        }
    };
    let length = lower[start..].bytes().take_while(|byte| is_digit(*byte)).count();
    let digits = &lower[start..start + length];
    if digits.is_empty() {
        return Err(Problem::new(0..text.len(), format!("`{text}` has no digits")).label("a number is expected"));
    }
    let mut value: u128 = 0;
    for (offset, digit) in digits.char_indices() {
        let Some(digit) = digit.to_digit(base) else {
            let place = start + offset..start + offset + 1;
            let message = format!("`{digit}` is no digit of {} {kind} number", article(kind));
            let problem = Problem::new(place, message).label(format!("in `{text}`"));
            return Err(if base == 8 {
                problem.help("a number that begins with `0` is octal")
            } else {
                problem
            });
        };
        value = value.saturating_mul(u128::from(base)).saturating_add(u128::from(digit));
    }
    if value > u128::from(u64::MAX) {
        let problem = Problem::new(0..text.len(), format!("the number `{text}` is too large"));
        return Err(problem
            .label("no integer type has room for it")
            .help("the largest is 18446744073709551615"));
    }
    let suffix = &text[start + length..];
    let (is_unsigned, longs) = match suffix.to_ascii_lowercase().as_str() {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" if !suffix.contains("lL") && !suffix.contains("Ll") => (false, 2),
        "ull" | "llu" if !suffix.contains("lL") && !suffix.contains("Ll") => (true, 2),
        other => return Err(bad_suffix(text, start + length, suffix, other, "u, l, ul, ll, ull")),
    };
    Ok(ExpressionKind::Integer(IntegerLiteral {
        value,
        is_decimal: base == 10,
        is_unsigned,
        longs,
    }))
}

fn article(word: &str) -> &'static str {
    if word.starts_with('o') { "an" } else { "a" }
}

fn bad_suffix(text: &str, offset: usize, suffix: &str, lower: &str, known: &str) -> Problem {
    let what = if known.starts_with('u') {
        "integers"
    } else {
        "floating numbers"
    };
    if matches!(lower, "i" | "j" | "fi" | "if" | "li" | "il" | "fj" | "jf") {
        return Problem::new(offset..text.len(), "imaginary numbers are not supported").label("makes it imaginary");
    }
    let problem = Problem::new(offset..text.len(), format!("`{suffix}` is no suffix of {what}"));
    let problem = problem.label(format!("behind `{}`", &text[..offset]));
    match what {
        "integers" => problem.help("the suffixes of integers are `u`, `l`, `ul`, `ll` and `ull`"),
        _ => problem.help("the suffixes of floating numbers are `f` and `l`"),
    }
}

fn float(text: &str, lower: &str, is_hexadecimal: bool) -> Result<ExpressionKind, Problem> {
    let bytes = lower.as_bytes();
    let start = if is_hexadecimal { 2 } else { 0 };
    let mark = if is_hexadecimal { b'p' } else { b'e' };
    let is_digit = |byte: u8| {
        if is_hexadecimal {
            byte.is_ascii_hexdigit()
        } else {
            byte.is_ascii_digit()
        }
    };
    let mut end = start;
    let mut has_digits = false;
    let mut has_point = false;
    while let Some(&byte) = bytes.get(end) {
        if byte == b'.' && !has_point {
            has_point = true;
        } else if is_digit(byte) {
            has_digits = true;
        } else {
            break;
        }
        end += 1;
    }
    if !has_digits {
        return Err(Problem::new(0..text.len(), format!("`{text}` has no digits")).label("a number is expected"));
    }
    let mantissa = start..end;
    let mut exponent = 0_i64;
    if bytes.get(end) == Some(&mark) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = bytes[end + 1 + sign..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return Err(Problem::new(end..text.len(), "the exponent has no digits").label(format!("in `{text}`")));
        }
        let past = end + 1 + sign + digits;
        // Beyond this every value is zero or infinite.
        exponent = lower[end + 1..past]
            .parse()
            .unwrap_or(i64::from(i32::MAX))
            .clamp(-100_000, 100_000);
        end = past;
    } else if is_hexadecimal {
        let problem = Problem::new(0..text.len(), "a hexadecimal floating number needs an exponent");
        return Err(problem.label("there is no `p` in it").help("write `p0` behind it"));
    }
    let suffix = match &lower[end..] {
        "" | "f64" | "f32x" | "d" => FloatSuffix::None,
        "f" | "f32" => FloatSuffix::Single,
        "l" | "f64x" | "w" => FloatSuffix::Long,
        "q" | "f128" | "df" | "dd" | "dl" => {
            let problem = Problem::new(end..text.len(), "floating numbers of this type are not supported");
            return Err(problem.label("makes it no `float`, `double` or `long double`"));
        }
        other => return Err(bad_suffix(text, end, &text[end..], other, "f, l")),
    };
    let value = if is_hexadecimal {
        hexadecimal(&lower[mantissa], exponent, suffix == FloatSuffix::Single)
    } else if suffix == FloatSuffix::Single {
        lower[..end].parse::<f32>().map_or(f64::NAN, f64::from)
    } else {
        lower[..end].parse::<f64>().unwrap_or(f64::NAN)
    };
    Ok(ExpressionKind::Float(FloatLiteral { value, suffix }))
}

/// Rounds once, to nearest even.
fn hexadecimal(mantissa: &str, exponent: i64, is_single: bool) -> f64 {
    let mut bits: u128 = 0;
    let mut exponent = exponent;
    let mut is_behind_point = false;
    let mut is_more = false;
    for character in mantissa.chars() {
        let Some(digit) = character.to_digit(16) else {
            is_behind_point = true;
            continue;
        };
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            exponent -= if is_behind_point { 4 } else { 0 };
        } else {
            is_more |= digit != 0;
            exponent += if is_behind_point { 0 } else { 4 };
        }
    }
    if bits == 0 {
        return 0.0;
    }
    let (precision, least) = if is_single { (24, -149) } else { (53, -1074) };
    let length = i64::from(128 - bits.leading_zeros());
    // Keeps as many bits as the type has, fewer for subnormal numbers.
    let drop = (length - precision).max(least - exponent);
    if drop > 0 {
        let (kept, rest, half) = if drop > 127 {
            (0, 1, 2)
        } else {
            (bits >> drop, bits & ((1 << drop) - 1), 1 << (drop - 1))
        };
        let is_up = rest > half || (rest == half && (is_more || kept & 1 == 1));
        bits = kept + u128::from(is_up);
        exponent += drop;
    }
    let limit = if is_single { f64::from(f32::MAX) } else { f64::MAX };
    let value = scale(bits as f64, exponent);
    if value > limit { f64::INFINITY } else { value }
}

/// `value * 2^exponent`, exact if the result is representable.
fn scale(mut value: f64, mut exponent: i64) -> f64 {
    while exponent > 0 && value.is_finite() {
        let step = exponent.min(1000);
        value *= 2_f64.powi(step as i32);
        exponent -= step;
    }
    while exponent < 0 && value != 0.0 {
        // In small steps, so that the factor itself is exact.
        let step = (-exponent).min(1000);
        value /= 2_f64.powi(step as i32);
        exponent += step;
    }
    value
}

/// The encoding prefix.
pub(crate) fn encoding(text: &str) -> (Encoding, usize) {
    match text.as_bytes() {
        [b'u', b'8', ..] => (Encoding::Plain, 2),
        [b'L', ..] => (Encoding::Wide, 1),
        [b'u', ..] => (Encoding::Sixteen, 1),
        [b'U', ..] => (Encoding::ThirtyTwo, 1),
        _ => (Encoding::Plain, 0),
    }
}

/// gcc's value of a terminated character literal.
pub(crate) fn character(text: &str, problems: &mut Vec<Problem>) -> CharacterLiteral {
    let (encoding, prefix) = encoding(text);
    if text.starts_with("u8") {
        problems.push(Problem::new(0..2, "`u8` is only a prefix of strings").label("before a character"));
    }
    let mut units = Vec::new();
    decode(text, prefix, encoding, &mut units, problems);
    if units.is_empty() {
        problems.push(Problem::new(0..text.len(), "there is no character between the quotes").label("empty"));
    }
    let last = units.last().copied().unwrap_or(0);
    let value = match encoding {
        // `char` is signed.
        Encoding::Plain if units.len() == 1 => i64::from(last as u8 as i8),
        Encoding::Plain => {
            if units.len() > 4 {
                let problem = Problem::new(0..text.len(), "more characters than an `int` has bytes");
                problems.push(problem.label("only the last four count").warning());
            }
            let all = units.iter().fold(0_u32, |value, unit| value << 8 | (unit & 0xff));
            i64::from(all as i32)
        }
        Encoding::Wide => i64::from(last as i32),
        Encoding::Sixteen | Encoding::ThirtyTwo => i64::from(last),
    };
    CharacterLiteral { value, encoding }
}

/// Appends the code units of a terminated literal with a prefix of this length.
pub(crate) fn decode(text: &str, prefix: usize, encoding: Encoding, units: &mut Vec<u32>, problems: &mut Vec<Problem>) {
    let end = text.len().saturating_sub(1);
    let mut position = prefix + 1;
    while position < end {
        let Some(character) = text[position..end].chars().next() else {
            break;
        };
        if character == '\\' {
            position = escape(text, position, end, encoding, units, problems);
        } else {
            if character == char::REPLACEMENT_CHARACTER {
                let place = position..position + character.len_utf8();
                let problem =
                    Problem::new(place, "the text is not in UTF-8 here").label("what these bytes mean is not known");
                problems.push(problem.help("write them as `\\x..`"));
            }
            encode(character, encoding, units);
            position += character.len_utf8();
        }
    }
}

fn encode(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain => {
            let mut buffer = [0; 4];
            units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Sixteen => {
            let mut buffer = [0; 2];
            units.extend(character.encode_utf16(&mut buffer).iter().copied().map(u32::from));
        }
        Encoding::Wide | Encoding::ThirtyTwo => units.push(u32::from(character)),
    }
}

/// Decodes the escape sequence at `position`; returns its end.
fn escape(
    text: &str,
    position: usize,
    end: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
    problems: &mut Vec<Problem>,
) -> usize {
    let rest = &text[position + 1..end];
    let Some(letter) = rest.chars().next() else {
        return end;
    };
    let past = position + 1 + letter.len_utf8();
    let simple = match letter {
        'n' => 10,
        't' => 9,
        'r' => 13,
        '0'..='7' => {
            let digits = rest
                .bytes()
                .take(3)
                .take_while(|byte| matches!(byte, b'0'..=b'7'))
                .count();
            let value = u32::from_str_radix(&rest[..digits], 8).unwrap_or(0);
            units.push(in_range(value, position..position + 1 + digits, encoding, problems));
            return position + 1 + digits;
        }
        '\\' | '\'' | '"' | '?' => u32::from(letter),
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        'x' => return hexadecimal_escape(text, position, end, encoding, units, problems),
        'u' | 'U' => return universal(text, position, end, encoding, units, problems),
        '\n' => return past,
        '\r' if rest.starts_with("\r\n") => return past + 1,
        _ => {
            let problem = Problem::new(position..past, format!("`\\{letter}` is no escape"));
            problems.push(problem.label(format!("taken for `{letter}`, as gcc does")).warning());
            encode(letter, encoding, units);
            return past;
        }
    };
    units.push(simple);
    past
}

fn in_range(value: u32, range: Range<usize>, encoding: Encoding, problems: &mut Vec<Problem>) -> u32 {
    let most = match encoding {
        Encoding::Plain => 0xff,
        Encoding::Sixteen => 0xffff,
        Encoding::Wide | Encoding::ThirtyTwo => u32::MAX,
    };
    if value > most {
        let problem =
            Problem::new(range, "the value of this escape is out of range").label("only its lowest bits count");
        problems.push(problem.warning());
    }
    value & most
}

fn hexadecimal_escape(
    text: &str,
    position: usize,
    end: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
    problems: &mut Vec<Problem>,
) -> usize {
    let start = position + 2;
    let length = text[start..end].bytes().take_while(u8::is_ascii_hexdigit).count();
    let range = position..start + length;
    if length == 0 {
        problems.push(Problem::new(range, "`\\x` needs hexadecimal digits").label("there is none behind it"));
        return start;
    }
    let digits = text[start..start + length].trim_start_matches('0');
    let kept = &digits[digits.len().saturating_sub(8)..];
    let value = u32::from_str_radix(kept, 16).unwrap_or(0);
    if digits.len() > 8 {
        let problem =
            Problem::new(range, "the value of this escape is out of range").label("only its lowest bits count");
        problems.push(problem.warning());
        let mut ignored = Vec::new();
        units.push(in_range(value, 0..0, encoding, &mut ignored));
    } else {
        units.push(in_range(value, range, encoding, problems));
    }
    start + length
}

fn universal(
    text: &str,
    position: usize,
    end: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
    problems: &mut Vec<Problem>,
) -> usize {
    let wanted = if text[position + 1..].starts_with('u') { 4 } else { 8 };
    let start = position + 2;
    let length = text[start..end]
        .bytes()
        .take(wanted)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let range = position..start + length;
    let written = &text[range.clone()];
    if length < wanted {
        let message = format!("`{written}` has too few digits");
        problems.push(Problem::new(range, message).label(format!("{wanted} hexadecimal digits are needed")));
        return start + length;
    }
    match u32::from_str_radix(&text[start..start + length], 16)
        .ok()
        .and_then(char::from_u32)
    {
        Some(character) => encode(character, encoding, units),
        None => {
            problems.push(Problem::new(range.clone(), format!("`{written}` is no character")).label("not in Unicode"))
        }
    }
    start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float_of(text: &str) -> f64 {
        match number(text) {
            Ok(ExpressionKind::Float(literal)) => literal.value,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers_have_the_values_that_gcc_gives_them() {
        for (text, value, is_decimal, is_unsigned, longs) in [
            ("0", 0, false, false, 0),
            ("017", 15, false, false, 0),
            ("0xFfull", 255, false, true, 2),
            ("0B101", 5, false, false, 0),
            ("42LU", 42, true, true, 1),
            ("1LLu", 1, true, true, 2),
            ("18446744073709551615", u64::MAX.into(), true, false, 0),
            ("0000000000000000000000001", 1, false, false, 0),
        ] {
            let expected = IntegerLiteral {
                value,
                is_decimal,
                is_unsigned,
                longs,
            };
            match number(text) {
                Ok(ExpressionKind::Integer(literal)) => assert_eq!(literal, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn floating_numbers_are_rounded_once() {
        for (text, bits) in [
            ("0x1p0", 1.0_f64.to_bits()),
            ("0x.8p1", 1.0_f64.to_bits()),
            ("0x1.8p-1", 0.75_f64.to_bits()),
            ("0x10p-4", 1.0_f64.to_bits()),
            ("0x1p-1074", 1),
            ("0x1p-1075", 0),
            ("0x1.8p-1075", 1),
            ("0x1.8p-1074", 2),
            ("0x1.fffffffffffff8p0", 2.0_f64.to_bits()),
            ("0x1.fffffffffffff7p0", (2.0_f64 - f64::EPSILON).to_bits()),
            ("0x1.00000000000008p0", 1.0_f64.to_bits()),
            (
                "0x1.000000000000080000000000000000000000000001p0",
                (1.0 + f64::EPSILON).to_bits(),
            ),
            ("0x1p1024", f64::INFINITY.to_bits()),
            ("0x1.fffffffffffffp1023", f64::MAX.to_bits()),
            (
                "0x123456789abcdef0123456789abcdef0p-100",
                (0x1234_5678_9abc_def0_1234_5678_9abc_def0_u128 as f64 / 2_f64.powi(100)).to_bits(),
            ),
            ("0x0p99999999999", 0),
            ("1e400", f64::INFINITY.to_bits()),
            ("16777217.f", 16_777_216_f64.to_bits()),
            ("0x1.000001p0f", 1.0_f64.to_bits()),
            ("0x1.000003p0f", (1.0 + 4.0 * 2_f64.powi(-24)).to_bits()),
            ("0x1p-149f", 2_f64.powi(-149).to_bits()),
            ("0x1p128f", f64::INFINITY.to_bits()),
        ] {
            assert_eq!(float_of(text).to_bits(), bits, "{text}: {}", float_of(text));
        }
    }

    #[test]
    fn characters_have_the_values_that_gcc_gives_them() {
        for (text, value) in [
            ("'a'", 97),
            ("'\\377'", -1),
            ("'\\xff'", -1),
            ("'ab'", 0x6162),
            ("'\\377\\377'", 0xffff),
            ("'abcd'", 0x6162_6364),
            ("'\\377bcd'", -10_329_244),
            ("'abcde'", 0x6263_6465),
            ("L'\\xffffffff'", -1),
            ("u'\\xffff'", 0xffff),
            ("U'\\xffffffff'", 0xffff_ffff),
            ("L'é'", 0xe9),
            ("'é'", 0xc3a9),
            ("'\\e'", 27),
            ("'\\?'", 63),
        ] {
            assert_eq!(character(text, &mut Vec::new()).value, value, "{text}");
        }
    }

    #[test]
    fn strings_are_in_the_units_of_their_encoding() {
        for (text, encoding, expected) in [
            ("\"a\\0é\"", Encoding::Plain, vec![97, 0, 0xc3, 0xa9]),
            ("u\"\\U0001F600\"", Encoding::Sixteen, vec![0xd83d, 0xde00]),
            ("U\"\\U0001F600\"", Encoding::ThirtyTwo, vec![0x1f600]),
            ("L\"a\\\n b\"", Encoding::Wide, vec![97, 32, 98]),
            ("\"\\1234\\x414\"", Encoding::Plain, vec![0o123, 52, 0x14]),
        ] {
            let mut units = Vec::new();
            let (found, prefix) = super::encoding(text);
            assert_eq!(found, encoding);
            decode(text, prefix, encoding, &mut units, &mut Vec::new());
            assert_eq!(units, expected, "{text}");
        }
    }
}
