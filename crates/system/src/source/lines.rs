//! Line starts of a text, so that position lookups need not scan it from the beginning.

/// Character counts are cached once per this many bytes.
const BLOCK: usize = 1024;

#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// The offset of each line.
    starts: Vec<usize>,
    /// The number of characters before each block of bytes.
    before: Vec<usize>,
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl Lines {
    pub(super) fn of(text: &str) -> Lines {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        let mut count = 0;
        let mut before = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.as_bytes().chunks(BLOCK) {
            before.push(count);
            count += characters(block);
        }
        before.push(count);
        Lines { starts, before }
    }

    /// The index of the line that contains an offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The start of a line; the end of the text after the last one.
    pub(super) fn start(&self, line: usize, text: &str) -> usize {
        self.starts.get(line).copied().unwrap_or(text.len())
    }

    /// The number of characters before an offset.
    fn characters_before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.before[block] + characters(&text.as_bytes()[block * BLOCK..offset])
    }

    /// The number of characters between the start of the line and an offset.
    pub(super) fn column(&self, text: &str, offset: usize) -> usize {
        self.characters_before(text, offset) - self.characters_before(text, self.starts[self.line(offset)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_counting_from_the_start_finds() {
        let text = format!("äb\n\n{}\nend€{}", "x€".repeat(900), "\n".repeat(1500));
        let lines = Lines::of(&text);
        let offsets = (0..=text.len()).filter(|offset| text.is_char_boundary(*offset));
        for offset in offsets {
            let before = &text[..offset];
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let counted = (before.matches('\n').count(), before[start..].chars().count());
            assert_eq!((lines.line(offset), lines.column(&text, offset)), counted, "{offset}");
        }
        assert_eq!(Lines::of("").line(0), 0);
        assert_eq!(lines.count(), text.matches('\n').count() + 1);
    }
}
