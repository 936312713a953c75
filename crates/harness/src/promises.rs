//! Attributes that promise something to the compiler, for which gcc drops calls and tests. Where a promise is broken,
//! the semantics of the program is that of its bodies, so a harness has no such attributes.

const PROMISES: [&str; 6] = [
    "const",
    "pure",
    "nonnull",
    "returns_nonnull",
    "assume_aligned",
    "alloc_align",
];

/// Replaces these attributes by spaces; all other text keeps its position.
pub(crate) fn without_promises(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut position = 0;
    while position < bytes.len() {
        match bytes[position] {
            quote @ (b'"' | b'\'') => position = behind_quote(&bytes, position, quote),
            byte if is_word(byte) => {
                let end = behind_word(&bytes, position);
                let is_attribute = matches!(&bytes[position..end], b"__attribute__" | b"__attribute");
                position = if is_attribute { blank(&mut bytes, end) } else { end };
            }
            _ => position += 1,
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Blanks the promises in the parentheses from here on; returns the position behind these.
fn blank(bytes: &mut [u8], from: usize) -> usize {
    let (mut position, mut depth) = (from, 0usize);
    while position < bytes.len() {
        match bytes[position] {
            b'(' => {
                depth += 1;
                position += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                position += 1;
                if depth == 0 {
                    return position;
                }
            }
            quote @ (b'"' | b'\'') => position = behind_quote(bytes, position, quote),
            byte if is_word(byte) => {
                let end = behind_word(bytes, position);
                let word = String::from_utf8_lossy(&bytes[position..end]).into_owned();
                let word = word
                    .strip_prefix("__")
                    .and_then(|word| word.strip_suffix("__"))
                    .unwrap_or(&word);
                // `const` may also be part of a nested type.
                if depth == 2 && PROMISES.contains(&word) {
                    let end = behind_arguments(bytes, end);
                    for byte in &mut bytes[position..end] {
                        if *byte != b'\n' {
                            *byte = b' ';
                        }
                    }
                    position = end;
                } else {
                    position = end;
                }
            }
            byte if depth == 0 && !byte.is_ascii_whitespace() => return position,
            _ => position += 1,
        }
    }
    position
}

/// The position behind an argument list in parentheses, if there is one.
fn behind_arguments(bytes: &[u8], from: usize) -> usize {
    let mut position = from;
    while bytes.get(position).is_some_and(u8::is_ascii_whitespace) {
        position += 1;
    }
    if bytes.get(position) != Some(&b'(') {
        return from;
    }
    let mut depth = 0usize;
    while let Some(byte) = bytes.get(position) {
        position += 1;
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    position
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric()
}

fn behind_word(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..].iter().take_while(|byte| is_word(**byte)).count();
    from + length
}

fn behind_quote(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut position = from + 1;
    while let Some(byte) = bytes.get(position) {
        match *byte {
            b'\\' => position += 2,
            // A directive of the preprocessor may have an unmatched quote.
            b'\n' => return position,
            byte if byte == quote => return position + 1,
            _ => position += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::without_promises;

    #[test]
    fn only_promises_are_left_out() {
        let text = "int f(int) __attribute__((const, noinline));\n__attribute__ ((__pure__)) int g(void);\n\
                    int h(char *) __attribute__((nonnull (1), aligned(sizeof(const int))));\n\
                    const char *s = \"__attribute__((const))\"; char q = '\"'; const int pure = 1;\n";
        let expected = "int f(int) __attribute__((     , noinline));\n__attribute__ ((        )) int g(void);\n\
                        int h(char *) __attribute__((           , aligned(sizeof(const int))));\n\
                        const char *s = \"__attribute__((const))\"; char q = '\"'; const int pure = 1;\n";
        assert_eq!(without_promises(text), expected);
        for text in [
            "",
            "__attribute__",
            "__attribute__((const",
            "__attribute__((nonnull(",
            "'\\",
            "\"é __attribute__",
        ] {
            assert_eq!(without_promises(text).len(), text.len());
        }
    }
}
