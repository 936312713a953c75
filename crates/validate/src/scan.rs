//! SMT-LIB text as comments and commands, without looking further into it.

/// A piece of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item<'t> {
    /// A line of comment between commands, from its semicolon on.
    Comment(&'t str),
    Command {
        /// The first word.
        head: &'t str,
        text: &'t str,
    },
}

/// Splits a script. The error says what is wrong with it.
pub(crate) fn scan(text: &str) -> Result<Vec<Item<'_>>, String> {
    let mut items = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (item, length) = match rest.as_bytes()[0] {
            b';' => {
                let length = line_length(rest);
                (Item::Comment(rest[..length].trim_end()), length)
            }
            b'(' => {
                let length = command_length(rest)?;
                let inside = &rest[1..length - 1];
                let end = inside
                    .find(|c: char| c.is_whitespace() || "()|\";".contains(c))
                    .unwrap_or(inside.len());
                (
                    Item::Command {
                        head: &inside[..end],
                        text: &rest[..length],
                    },
                    length,
                )
            }
            _ => return Err(format!("text between commands: {}", beginning(rest))),
        };
        items.push(item);
        rest = rest[length..].trim_start();
    }
    Ok(items)
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of the command at the beginning of the text, up to the parenthesis that closes it.
fn command_length(text: &str) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let (mut position, mut depth) = (0, 0usize);
    while position < bytes.len() {
        match bytes[position] {
            b'(' => depth += 1,
            b')' if depth == 1 => return Ok(position + 1),
            b')' => depth -= 1,
            b';' => position += line_length(&text[position..]),
            quote @ (b'"' | b'|') => {
                let closing = bytes[position + 1..].iter().position(|byte| *byte == quote);
                position += 1 + closing.ok_or_else(|| format!("nothing closes {}", beginning(&text[position..])))?;
            }
            _ => {}
        }
        position += 1;
    }
    Err(format!("a command has no end: {}", beginning(text)))
}

/// Enough of a text to recognise it.
pub(crate) fn beginning(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_in_names_strings_and_comments_do_not_count() {
        let text = "; a (\n(assert |a ) b|) ; b )\n(set-info :x \"(\")\n(f ; )\n)";
        let command = |head, text| Item::Command { head, text };
        assert_eq!(
            scan(text).unwrap(),
            [
                Item::Comment("; a ("),
                command("assert", "(assert |a ) b|)"),
                Item::Comment("; b )"),
                command("set-info", "(set-info :x \"(\")"),
                command("f", "(f ; )\n)"),
            ]
        );
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for text in ["(assert (p)", "(assert |p)", "x", ")", "(", "(assert \"p)"] {
            assert!(scan(text).is_err(), "{text}");
        }
        assert_eq!(scan(" \n").unwrap(), []);
        assert!(scan("()").is_ok());
    }
}
