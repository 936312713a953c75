//! Times as people write them: `10s`, `2m`, `1m30s`, `500ms`, `1.5h`, and numbers of seconds.

use std::time::Duration;

const EXPECTED: &str = "expected a time such as 10s, 2m, 1m30s or 500ms, or a number of seconds";
/// Some thirty years. Whoever wants more leaves the limit out.
const LONGEST: f64 = 1e9;

/// The units from large to small, in seconds.
const UNITS: [(&str, f64); 5] = [("d", 86400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0), ("ms", 0.001)];

/// Reads a time that is longer than nothing.
pub fn parse(text: &str) -> Result<Duration, String> {
    let seconds = match text.parse::<f64>() {
        Ok(seconds)
            if text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e')) =>
        {
            seconds
        }
        _ => parts(text)?,
    };
    if !seconds.is_finite() || seconds > LONGEST {
        return Err(format!("{text} is too long; without a limit there is none"));
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("the time must be longer than 0".to_owned()),
    }
}

/// The sum of numbers with units, the larger units first.
fn parts(text: &str) -> Result<f64, String> {
    let mut seconds = 0.0;
    let mut rest = text;
    let mut allowed = &UNITS[..];
    while !rest.is_empty() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().map_err(|_| EXPECTED)?;
        rest = &rest[end..];
        let end = rest.find(is_number).unwrap_or(rest.len());
        let unit = rest[..end].trim();
        rest = &rest[end..];
        let Some(position) = allowed.iter().position(|(name, _)| *name == unit) else {
            return Err(wrong_unit(unit));
        };
        seconds += number * allowed[position].1;
        allowed = &allowed[position + 1..];
    }
    Ok(seconds)
}

fn wrong_unit(unit: &str) -> String {
    match unit {
        "" => format!("the last number has no unit; {EXPECTED}"),
        unit if UNITS.iter().any(|(name, _)| *name == unit) => {
            format!("`{unit}` comes after a unit that is not larger; {EXPECTED}")
        }
        unit => format!("`{unit}` is no unit of time (d, h, m, s, ms); {EXPECTED}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, milliseconds) in [
            ("10", 10_000),
            ("1.5", 1500),
            ("0.25", 250),
            ("10s", 10_000),
            ("2m", 120_000),
            ("1m30s", 90_000),
            ("500ms", 500),
            ("1.5h", 5_400_000),
            ("1h5m2s7ms", 3_902_007),
            ("1d", 86_400_000),
            ("1e2", 100_000),
            ("1 m 30 s", 90_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "longer than 0"),
            ("0", "longer than 0"),
            ("0s", "longer than 0"),
            ("-1", "longer than 0"),
            ("0.0000000001", "longer than 0"),
            ("1e300", "too long"),
            ("999999999999h", "too long"),
            ("soon", "expected a time such as 10s"),
            ("nan", "expected a time"),
            ("inf", "expected a time"),
            ("10x", "`x` is no unit"),
            ("10S", "`S` is no unit"),
            ("2µs", "`µs` is no unit"),
            ("1m30", "no unit"),
            ("30s1m", "not larger"),
            ("1s1s", "not larger"),
            ("1..2s", "expected a time"),
            ("-5s", "expected a time"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
