//! `printf`.

use crate::call::Passed;
use crate::code::ArgumentType;
use crate::outcome::{Fault, Unsupported};
use crate::run::Machine;
use crate::word::{Kind, Word};
use system::program::{Integer, Scalar, Undefined};

/// The maximum field width; wider output would exceed the output limit.
const WIDEST: usize = 1 << 20;

/// A parsed conversion specification such as `%-08.3ld`.
#[derive(Clone, Debug, Default)]
struct Conversion {
    is_left: bool,
    has_sign: bool,
    has_space: bool,
    is_alternate: bool,
    has_zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Of the integer, in bits.
    bits: u32,
    is_extended: bool,
    letter: u8,
}

/// The remaining arguments.
struct Arguments<'a> {
    passed: std::slice::Iter<'a, Passed>,
}

impl Arguments<'_> {
    fn next(&mut self) -> Result<(Word, ArgumentType), Fault> {
        self.passed.next().copied().ok_or(Fault::Undefined(Undefined::Call))
    }

    fn integer(&mut self) -> Result<i64, Fault> {
        Ok(self.next()?.0.bits().cast_signed())
    }
}

impl Machine<'_> {
    /// The output of `printf`.
    pub(crate) fn formatted(&mut self, passed: &[Passed]) -> Result<Vec<u8>, Fault> {
        let mut arguments = Arguments { passed: passed.iter() };
        let (format, _) = arguments.next()?;
        let format = self.memory.string(format, u64::MAX, self.wraps)?.to_vec();
        let mut text = Vec::new();
        let mut rest = format.as_slice();
        while let Some((first, after)) = rest.split_first() {
            if *first != b'%' {
                text.push(*first);
                rest = after;
                continue;
            }
            let conversion;
            (conversion, rest) = self.conversion(after, &mut arguments)?;
            let converted = self.converted(&conversion, &mut arguments)?;
            text.extend(converted);
            if text.len() > self.limits.output {
                return Err(Fault::Limit(crate::outcome::Limit::Output));
            }
        }
        Ok(text)
    }

    fn conversion<'t>(&self, text: &'t [u8], arguments: &mut Arguments) -> Result<(Conversion, &'t [u8]), Fault> {
        let mut conversion = Conversion::default();
        let mut rest = text;
        while let Some((flag, after)) = rest.split_first() {
            match flag {
                b'-' => conversion.is_left = true,
                b'+' => conversion.has_sign = true,
                b' ' => conversion.has_space = true,
                b'#' => conversion.is_alternate = true,
                b'0' => conversion.has_zeros = true,
                _ => break,
            }
            rest = after;
        }
        let width;
        (width, rest) = number(rest, arguments)?;
        if width < 0 {
            conversion.is_left = true;
        }
        conversion.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        if let Some((b'.', after)) = rest.split_first() {
            let precision;
            (precision, rest) = number(after, arguments)?;
            conversion.precision = usize::try_from(precision).ok();
        }
        if conversion.width > WIDEST || conversion.precision.is_some_and(|precision| precision > WIDEST) {
            return Err(Fault::Unsupported(Unsupported::PrintConversion));
        }
        let word = u32::try_from(self.memory.pointer_bytes() * 8).unwrap_or(64);
        let lengths: [(&[u8], u32); 8] = [
            (b"hh", 8),
            (b"h", 16),
            (b"ll", 64),
            (b"l", word),
            (b"j", 64),
            (b"z", word),
            (b"t", word),
            (b"q", 64),
        ];
        let length = lengths.iter().find(|(letters, _)| rest.starts_with(letters));
        conversion.bits = length.map_or(32, |(_, bits)| *bits);
        rest = rest
            .get(length.map_or(0, |(letters, _)| letters.len())..)
            .unwrap_or(&[]);
        if let Some((b'L', after)) = rest.split_first() {
            conversion.is_extended = true;
            rest = after;
        }
        let (letter, rest) = rest
            .split_first()
            .ok_or(Fault::Unsupported(Unsupported::PrintConversion))?;
        conversion.letter = *letter;
        Ok((conversion, rest))
    }

    fn converted(&mut self, conversion: &Conversion, arguments: &mut Arguments) -> Result<Vec<u8>, Fault> {
        match conversion.letter {
            b'%' => Ok(vec![b'%']),
            b'd' | b'i' => {
                let kind = Kind::new(Integer::new(conversion.bits, true));
                let value = kind.value(kind.wrap(self.print_number(arguments)?));
                Ok(conversion.integer(value < 0, "", value.unsigned_abs().to_string()))
            }
            b'u' | b'x' | b'X' | b'o' => {
                let kind = Kind::new(Integer::new(conversion.bits, false));
                let value = kind.wrap(self.print_number(arguments)?);
                Ok(conversion.unsigned(value))
            }
            b'c' => {
                let [byte, ..] = arguments.next()?.0.bits().to_le_bytes();
                Ok(conversion.padded(vec![byte], false, 0))
            }
            b's' => {
                let (pointer, _) = arguments.next()?;
                if pointer.is_null() {
                    // As glibc.
                    let text = if conversion.precision.is_some_and(|most| most < 6) {
                        ""
                    } else {
                        "(null)"
                    };
                    return Ok(conversion.padded(text.into(), false, 0));
                }
                let most = conversion.precision.map_or(u64::MAX, |most| most as u64);
                let text = self.memory.string(pointer, most, self.wraps)?.to_vec();
                Ok(conversion.padded(text, false, 0))
            }
            b'p' => {
                let (pointer, _) = arguments.next()?;
                let number = self.memory.number_of(pointer)?;
                let text = if number == 0 {
                    "(nil)".to_owned()
                } else {
                    format!("0x{number:x}")
                };
                Ok(conversion.padded(text.into(), false, 0))
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' if !conversion.is_extended => match arguments.next()? {
                (word, ArgumentType::Scalar(Scalar::Float(_))) => Ok(conversion.float(f64::from_bits(word.bits()))),
                _ => Err(Fault::Undefined(Undefined::Call)),
            },
            _ => Err(Fault::Unsupported(Unsupported::PrintConversion)),
        }
    }

    fn print_number(&mut self, arguments: &mut Arguments) -> Result<u64, Fault> {
        match arguments.next()? {
            (_, ArgumentType::Scalar(Scalar::Float(_)) | ArgumentType::Record(_)) => {
                Err(Fault::Undefined(Undefined::Call))
            }
            (word, _) => self.memory.number_of(word),
        }
    }
}

/// A number in the format string, or `*` for the next argument.
fn number<'t>(text: &'t [u8], arguments: &mut Arguments) -> Result<(i64, &'t [u8]), Fault> {
    if let Some((b'*', rest)) = text.split_first() {
        return Ok((arguments.integer()?, rest));
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    let add = |number: i64, digit: &u8| number.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    Ok((digits.iter().fold(0, add), rest))
}

impl Conversion {
    /// Pads to the width: with zeros after `sign` characters, or with spaces.
    fn padded(&self, text: Vec<u8>, may_have_zeros: bool, sign: usize) -> Vec<u8> {
        let Some(missing) = self.width.checked_sub(text.len()).filter(|missing| *missing > 0) else {
            return text;
        };
        let mut text = text;
        if self.is_left {
            text.resize(self.width, b' ');
        } else if self.has_zeros && may_have_zeros {
            text.splice(sign..sign, std::iter::repeat_n(b'0', missing));
        } else {
            text.splice(0..0, std::iter::repeat_n(b' ', missing));
        }
        text
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.has_sign, self.has_space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Digits with their sign and prefix.
    fn integer(&self, is_negative: bool, prefix: &str, digits: String) -> Vec<u8> {
        let mut digits = digits;
        if let Some(precision) = self.precision {
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            let missing = precision.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        let before = format!("{}{prefix}", self.sign(is_negative));
        let length = before.len();
        self.padded((before + &digits).into(), self.precision.is_none(), length)
    }

    fn unsigned(&self, value: u64) -> Vec<u8> {
        let plain = Conversion {
            has_sign: false,
            has_space: false,
            ..self.clone()
        };
        let (prefix, digits) = match self.letter {
            b'x' => ("0x", format!("{value:x}")),
            b'X' => ("0X", format!("{value:X}")),
            b'o' => {
                let digits = format!("{value:o}");
                let is_short = self.precision.is_none_or(|precision| precision <= digits.len());
                let zero = self.is_alternate && is_short && (value != 0 || self.precision == Some(0));
                return plain.integer(false, if zero { "0" } else { "" }, digits);
            }
            _ => ("", value.to_string()),
        };
        let prefix = if self.is_alternate && value != 0 { prefix } else { "" };
        plain.integer(false, prefix, digits)
    }

    fn float(&self, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let is_upper = self.letter.is_ascii_uppercase();
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            let text = if is_upper { text.to_uppercase() } else { text.to_owned() };
            return self.padded(format!("{sign}{text}").into(), false, 0);
        }
        let precision = self.precision.unwrap_or(6);
        let magnitude = value.abs();
        let digits = match self.letter.to_ascii_lowercase() {
            b'f' => self.with_point(format!("{magnitude:.precision$}")),
            b'e' => self.scientific(magnitude, precision),
            _ => self.general(magnitude, precision.max(1)),
        };
        let digits = if is_upper { digits.to_uppercase() } else { digits };
        self.padded(format!("{sign}{digits}").into(), true, sign.len())
    }

    fn with_point(&self, digits: String) -> String {
        if self.is_alternate && !digits.contains('.') {
            digits + "."
        } else {
            digits
        }
    }

    /// C writes `1.5e+02` where Rust writes `1.5e2`.
    fn scientific(&self, magnitude: f64, precision: usize) -> String {
        let (digits, exponent) = parts(magnitude, precision);
        format!("{}{}", self.with_point(digits), exponent_text(exponent))
    }

    fn general(&self, magnitude: f64, precision: usize) -> String {
        let (digits, exponent) = parts(magnitude, precision - 1);
        let limit = i32::try_from(precision).unwrap_or(i32::MAX);
        let strip = |digits: String| {
            if self.is_alternate || !digits.contains('.') {
                self.with_point(digits)
            } else {
                digits.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        if exponent < -4 || exponent >= limit {
            return format!("{}{}", strip(digits), exponent_text(exponent));
        }
        let behind = usize::try_from(limit - 1 - exponent).unwrap_or(0);
        strip(format!("{magnitude:.behind$}"))
    }
}

/// The mantissa digits and the exponent.
fn parts(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}
