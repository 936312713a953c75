//! Source locations: maps the tokens of preprocessed text to the files that the user wrote.
//!
//! The preprocessor reports the origin of lines only. Both texts are scanned in parallel: a token that is next in the
//! file as well has its location there. Otherwise the file has a macro, and its expansion gets the location of the use,
//! up to the token after the use. Arguments of the macro get their own locations.
//!
//! Where this fails (a file that is missing or has changed since it was preprocessed), the location is in the
//! preprocessed text.

use crate::lex::{self, Kind, Lexed, Mark, Marker, Stage, Token};
use rustc_hash::{FxHashMap, FxHashSet};
use system::{Role, SourceFile, Sources, Span};

/// How many tokens to skip in search of the expected one.
const REACH: usize = 50;
/// The maximum number of tokens of a macro use.
const LONGEST_USE: usize = 100_000;
/// The maximum number of consecutive macros with empty expansions.
const MOST_EMPTY: usize = 8;

/// An original file, and how far it was matched.
struct Written<'a> {
    file: &'a SourceFile,
    tokens: Vec<Token>,
    /// The line of each token, counted from 0.
    lines: Vec<u32>,
    /// The offsets of the lines.
    starts: Vec<u32>,
    regions: Vec<Region>,
    /// Of all regions.
    names: FxHashSet<String>,
    /// The current region.
    region: usize,
    /// The next token.
    next: usize,
    /// The open macro use.
    expansion: Option<Expansion>,
}

/// Lines that a `#line` in the file renumbers.
struct Region {
    /// Counted from 0.
    first: u32,
    past: u32,
    name: String,
    line: u32,
}

/// A macro use: the tokens from `start`, which is its name, up to `end`.
#[derive(Clone, Copy)]
struct Expansion {
    start: usize,
    end: usize,
    /// The next argument to match.
    argument: usize,
    /// The number of open brackets in its expansion so far.
    depth: i32,
}

impl Expansion {
    /// The state after one more token of the expansion.
    fn past(mut self, token: &Token) -> Expansion {
        match token.kind {
            Kind::Mark(Mark::LeftParenthesis | Mark::LeftBracket | Mark::LeftBrace) => self.depth += 1,
            Kind::Mark(Mark::RightParenthesis | Mark::RightBracket | Mark::RightBrace) => self.depth -= 1,
            _ => {}
        }
        self
    }
}

/// The origin of a token of the preprocessed text.
struct Line<'n> {
    name: &'n str,
    /// Counted from 1, as in the marker.
    number: u32,
}

pub(crate) struct Places<'a> {
    text: &'a SourceFile,
    files: Vec<Written<'a>>,
    by_name: FxHashMap<String, usize>,
    /// The names of macros, and whether they have parameters.
    macros: FxHashMap<String, bool>,
    markers: Vec<Marker>,
    /// The names in the markers, each with preceding markers without a name.
    names: Vec<Option<String>>,
    /// Of the file that the user passed.
    end: Span,
}

impl<'a> Places<'a> {
    pub(crate) fn new(sources: &'a Sources, text: &'a SourceFile, markers: Vec<Marker>) -> Places<'a> {
        let mut places = Places {
            text,
            files: Vec::new(),
            by_name: FxHashMap::default(),
            macros: FxHashMap::default(),
            names: Vec::new(),
            markers,
            end: Span::new(
                sources.model().id(),
                sources.model().text.len(),
                sources.model().text.len(),
            ),
        };
        let mut name = None;
        for marker in &places.markers {
            if marker.file.is_some() {
                name.clone_from(&marker.file);
            }
            places.names.push(name.clone());
        }
        let is_preprocessed = text.role() == Role::Preprocessed;
        for file in std::iter::once(sources.model()).chain(sources.additions()) {
            let is_written = match file.role() {
                Role::Model => is_preprocessed,
                Role::Included => true,
                _ => false,
            };
            if is_written {
                places.add(file);
            }
        }
        places
    }

    fn add(&mut self, file: &'a SourceFile) {
        let Lexed {
            tokens,
            markers,
            definitions,
            ..
        } = lex::lex(&file.text, Stage::Written);
        for definition in definitions {
            self.macros.insert(definition.name, definition.has_parameters);
        }
        let mut starts = vec![0];
        let newlines = file.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        starts.extend(newlines.map(|(offset, _)| u32::try_from(offset + 1).unwrap_or(u32::MAX)));
        let line_of = |offset: u32| starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let mut lines = Vec::with_capacity(tokens.len());
        let mut line = 0;
        for token in &tokens {
            while starts.get(line + 1).is_some_and(|start| *start <= token.start) {
                line += 1;
            }
            lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        }
        let mut regions = vec![Region {
            first: 0,
            past: u32::MAX,
            name: file.name.clone(),
            line: 1,
        }];
        for marker in markers {
            let first = u32::try_from(line_of(marker.offset)).unwrap_or(u32::MAX);
            let mut name = file.name.clone();
            if let Some(last) = regions.last_mut() {
                last.past = first;
                name.clone_from(&last.name);
            }
            regions.push(Region {
                first,
                past: u32::MAX,
                name: marker.file.unwrap_or(name),
                line: marker.line,
            });
        }
        self.by_name.insert(file.name.clone(), self.files.len());
        self.files.push(Written {
            file,
            tokens,
            lines,
            starts,
            names: regions.iter().map(|region| region.name.clone()).collect(),
            regions,
            region: 0,
            next: 0,
            expansion: None,
        });
    }

    /// The locations of all tokens.
    pub(crate) fn map(&mut self, tokens: &[Token]) -> Vec<Span> {
        if self.files.is_empty() {
            return tokens.iter().map(|token| self.own(token.start, token.end)).collect();
        }
        let mut spans = Vec::with_capacity(tokens.len());
        let mut marker = 0;
        let mut current = None;
        let mut offset = 0;
        let mut line = 0;
        // A marker without a flag leaves the file of the previous marker only for a `#line`.
        let mut includes: Vec<Option<usize>> = Vec::new();
        for (number, token) in tokens.iter().enumerate() {
            if token.kind == Kind::End {
                spans.push(self.end);
                break;
            }
            while self
                .markers
                .get(marker)
                .is_some_and(|marker| marker.offset <= token.start)
            {
                current = self.enter(marker, current, &mut includes);
                offset = self.markers[marker].offset;
                line = self.markers[marker].line;
                marker += 1;
            }
            let between = self.text.text.get(offset as usize..token.start as usize).unwrap_or("");
            let newlines = between.bytes().filter(|byte| *byte == b'\n').count();
            line = line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
            offset = token.start;
            let place = current.and_then(|file: usize| {
                let name = marker
                    .checked_sub(1)
                    .and_then(|last| self.names[last].as_deref())
                    .unwrap_or("");
                let line = Line { name, number: line };
                let texts = Texts {
                    text: &self.text.text,
                    token,
                    following: tokens.get(number + 1),
                    macros: &self.macros,
                };
                let is_faithful = self.text.role() == Role::Preprocessed;
                self.files.get_mut(file)?.place(&line, &texts, is_faithful)
            });
            spans.push(place.unwrap_or_else(|| self.own(token.start, token.end)));
        }
        spans
    }

    /// In the preprocessed text itself.
    fn own(&self, start: u32, end: u32) -> Span {
        Span::new(self.text.id(), start as usize, end as usize)
    }

    /// The file of the lines after a marker.
    fn enter(&mut self, marker: usize, current: Option<usize>, includes: &mut Vec<Option<usize>>) -> Option<usize> {
        let name = self.names.get(marker)?.as_deref()?;
        let found = self.by_name.get(name).copied();
        let marker = &self.markers[marker];
        if marker.enters {
            includes.push(current);
            if let Some(file) = found.and_then(|file| self.files.get_mut(file)) {
                file.next = 0;
                file.region = 0;
                file.expansion = None;
            }
            return found;
        }
        if marker.returns {
            let outer = includes.pop().flatten();
            return outer.filter(|file| self.has_line(*file, name)).or(found);
        }
        current.filter(|file| self.has_line(*file, name)).or(found)
    }

    /// Whether lines of this file have this name.
    fn has_line(&self, file: usize, name: &str) -> bool {
        self.files.get(file).is_some_and(|file| file.names.contains(name))
    }

    /// The location of a line that is no token, such as a pragma.
    pub(crate) fn line(&self, start: u32, end: u32) -> Span {
        let number = self.markers.partition_point(|marker| marker.offset <= start);
        let place = number.checked_sub(1).and_then(|last| {
            let marker = &self.markers[last];
            let between = self.text.text.get(marker.offset as usize..start as usize)?;
            let newlines = between.bytes().filter(|byte| *byte == b'\n').count();
            let line = marker.line.saturating_add(u32::try_from(newlines).ok()?);
            let name = self.names[last].as_deref()?;
            let written = self.text.text.get(start as usize..end as usize)?;
            self.files.iter().find_map(|file| file.line(name, line, written))
        });
        place.unwrap_or_else(|| self.own(start, end))
    }
}

/// A token of the preprocessed text with its context.
struct Texts<'t> {
    text: &'t str,
    token: &'t Token,
    following: Option<&'t Token>,
    macros: &'t FxHashMap<String, bool>,
}

impl Texts<'_> {
    fn of(&self, token: &Token) -> &str {
        self.text.get(token.range()).unwrap_or("")
    }
}

impl Written<'_> {
    fn text(&self, number: usize) -> &str {
        let token = self.tokens.get(number);
        token.and_then(|token| self.file.text.get(token.range())).unwrap_or("")
    }

    fn span(&self, first: usize, last: usize) -> Option<Span> {
        let (first, last) = (self.tokens.get(first)?, self.tokens.get(last)?);
        Some(Span::new(self.file.id(), first.start as usize, last.end as usize))
    }

    /// The line of the file, counted from 0, with this number and name.
    fn physical(&mut self, line: &Line) -> Option<u32> {
        let holds = |region: &Region| {
            let length = region.past.saturating_sub(region.first);
            let is_there = line.number >= region.line && line.number - region.line < length;
            (is_there && region.name == line.name).then(|| region.first + (line.number - region.line))
        };
        let (before, behind) = self.regions.split_at(self.region.min(self.regions.len()));
        let mut candidates = behind
            .iter()
            .enumerate()
            .map(|(number, region)| (number + before.len(), region));
        let found = candidates.find_map(|(number, region)| Some((number, holds(region)?)));
        let found = found.or_else(|| {
            before
                .iter()
                .enumerate()
                .find_map(|(number, region)| Some((number, holds(region)?)))
        });
        let (number, line) = found?;
        self.region = number;
        Some(line)
    }

    fn line(&self, name: &str, number: u32, written: &str) -> Option<Span> {
        let word = written.split_ascii_whitespace().last()?;
        let place = |region: &Region| {
            let length = region.past.saturating_sub(region.first);
            let is_there = region.name == name && number >= region.line && number - region.line < length;
            let line = is_there.then(|| region.first + (number - region.line))?;
            let place = self.whole_line(line)?;
            let is_same = self.file.snippet(place).contains(word.trim_end_matches(')'));
            is_same.then_some(place)
        };
        self.regions.iter().find_map(place)
    }

    /// The location of a token; that of its line where the token is not found, unless the file may have changed.
    fn place(&mut self, line: &Line, texts: &Texts, is_faithful: bool) -> Option<Span> {
        let physical = self.physical(line)?;
        let found = self.follow(physical, texts);
        found.or_else(|| is_faithful.then(|| self.whole_line(physical)).flatten())
    }

    fn whole_line(&self, line: u32) -> Option<Span> {
        let line = line as usize;
        let start = *self.starts.get(line)? as usize;
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.file.text.len(), |next| *next as usize);
        let text = self.file.text.get(start..end)?;
        let indent = text.len() - text.trim_start().len();
        Some(Span::new(
            self.file.id(),
            start + indent,
            (start + text.trim_end().len()).max(start + indent),
        ))
    }

    fn follow(&mut self, physical: u32, texts: &Texts) -> Option<Span> {
        let first = self.lines.partition_point(|other| *other < physical);
        // The preprocessor joins a macro use over several lines with the rest of its last line.
        if self.lines.get(self.next).is_none_or(|other| *other < physical) {
            self.next = first;
            self.expansion = None;
        }
        if let Some(expansion) = self.expansion {
            return self.in_expansion(expansion, texts);
        }
        let wanted = texts.of(texts.token);
        if self.text(self.next) == wanted {
            self.next += 1;
            return self.span(self.next - 1, self.next - 1);
        }
        self.begin_expansion(physical, texts)
    }

    /// The end of the macro use whose name is the token `start`, within the maximum length.
    fn end_of_use(&self, start: usize, has_parameters: bool, reach: usize) -> usize {
        let is_open = |token: &Token| token.kind == Kind::Mark(Mark::LeftParenthesis);
        if !has_parameters || !self.tokens.get(start + 1).is_some_and(is_open) {
            return start + 1;
        }
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(start + 1).take(reach) {
            match token.kind {
                Kind::Mark(Mark::LeftParenthesis) => depth += 1,
                Kind::Mark(Mark::RightParenthesis) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return number + 1;
                    }
                }
                Kind::End => break,
                _ => {}
            }
        }
        start + 1
    }

    /// Handles a mismatch, most likely by the name of a macro.
    fn begin_expansion(&mut self, physical: u32, texts: &Texts) -> Option<Span> {
        let is_name = |token: &Token| matches!(token.kind, Kind::Identifier | Kind::Word(_));
        let start = self.next;
        if self.lines.get(start).is_none_or(|line| *line > physical + 1) || !self.tokens.get(start).is_some_and(is_name)
        {
            return self.resume(physical, texts);
        }
        let has_parameters = texts.macros.get(self.text(start)).copied().unwrap_or(false);
        let end = self.end_of_use(start, has_parameters, LONGEST_USE);
        let expansion = Expansion {
            start,
            end,
            argument: start + 1,
            depth: 0,
        };
        if let Some(found) = self.behind_empty(start, texts, 0) {
            self.next = found + 1;
            return self.span(found, found);
        }
        let expansion = expansion.past(texts.token);
        self.expansion = Some(expansion);
        let argument = self.argument(expansion, texts);
        argument.or_else(|| self.span(start, end - 1))
    }

    /// The token after macro uses with empty expansions.
    fn behind_empty(&self, start: usize, texts: &Texts, depth: i32) -> Option<usize> {
        let mut position = start;
        for _ in 0..MOST_EMPTY {
            let has_parameters = texts.macros.get(self.text(position)).copied()?;
            position = self.end_of_use(position, has_parameters, 4 * REACH);
            if self.matches(position, texts, depth) {
                return Some(position);
            }
        }
        None
    }

    /// Whether the texts match again here: the token and its successor are equal, unless a macro follows and no bracket
    /// is open in the expansion. The expansion of `assert` contains a `;`.
    fn matches(&self, number: usize, texts: &Texts, depth: i32) -> bool {
        if self.text(number) != texts.of(texts.token) || texts.token.kind == Kind::End {
            return false;
        }
        let Some(following) = texts.following else {
            return true;
        };
        let behind = self.text(number + 1);
        behind == texts.of(following) || (depth <= 0 && texts.macros.contains_key(behind))
    }

    fn in_expansion(&mut self, expansion: Expansion, texts: &Texts) -> Option<Span> {
        if self.matches(expansion.end, texts, expansion.depth) {
            self.expansion = None;
            self.next = expansion.end + 1;
            return self.span(expansion.end, expansion.end);
        }
        if let Some(found) = self.behind_empty(expansion.end, texts, expansion.depth) {
            self.expansion = None;
            self.next = found + 1;
            return self.span(found, found);
        }
        let expansion = expansion.past(texts.token);
        self.expansion = Some(expansion);
        let argument = self.argument(expansion, texts);
        argument.or_else(|| self.span(expansion.start, expansion.end - 1))
    }

    /// The location of a name or a literal among the arguments of a macro.
    fn argument(&mut self, expansion: Expansion, texts: &Texts) -> Option<Span> {
        if matches!(texts.token.kind, Kind::Mark(_) | Kind::Word(_)) {
            return None;
        }
        let wanted = texts.of(texts.token);
        let range = expansion.argument..expansion.end;
        let again = expansion.start + 1..expansion.argument.min(expansion.end);
        let found = range
            .chain(again)
            .take(4 * REACH)
            .find(|number| self.text(*number) == wanted)?;
        self.expansion = Some(Expansion {
            argument: found + 1,
            ..expansion
        });
        self.span(found, found)
    }

    /// The token further on in the line, or the beginning of the line.
    fn resume(&mut self, physical: u32, texts: &Texts) -> Option<Span> {
        let wanted = texts.of(texts.token);
        let range = self.next..self.next.saturating_add(REACH);
        let is_near = |number: &usize| self.lines.get(*number).is_some_and(|line| *line <= physical + 1);
        let found = range.take_while(is_near).find(|number| self.text(*number) == wanted)?;
        self.next = found + 1;
        self.span(found, found)
    }
}
