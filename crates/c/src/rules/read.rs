//! Translation of a rule file to C text.
//!
//! ```text
//! rule "a lock is taken and given back in turn";
//! watch lock;
//! extern stdin, stdout;
//! int held = 0;
//! before spin_lock(lock) { if (held) error "taken twice"; held = 1; }
//! after handle = fopen(_, _) { ... }
//! at end { if (held) error "never given back"; }
//! after result = spin_trylock(lock) { if (result) { assume !held; held = 1; } }
//! ```
//!
//! Line numbers are preserved.

use super::{ASSUME, Call, ERROR, EXTERN, Event, Moment, Piece, Rule};
use crate::lex::{self, Kind, Mark, Stage, Token};
use std::fmt::Write as _;
use system::{Diagnostic, SourceFile, Span};

/// Translates a rule; `number` distinguishes it from other rules of the program.
pub(crate) fn read(file: &SourceFile, number: usize) -> (Rule, Vec<Diagnostic>) {
    let mut reader = Reader {
        file,
        number,
        tokens: lex::lex(&file.text, Stage::Written).tokens,
        position: 0,
        title: stem(&file.name),
        watched: None,
        compared: None,
        variables: Vec::new(),
        state: Vec::new(),
        events: Vec::new(),
        text: String::new(),
        pieces: Vec::new(),
        copied: 0,
        diagnostics: Vec::new(),
    };
    reader.prologue();
    while reader.kind() != Kind::End {
        if reader.item().is_none() {
            break;
        }
    }
    if reader.events.is_empty() && reader.diagnostics.is_empty() {
        let end = Span::new(file.id(), file.text.len(), file.text.len());
        let error = Diagnostic::error(end, "this rule has no events");
        reader
            .diagnostics
            .push(error.help("such as `before spin_lock(lock) { ... }`"));
    }
    let rule = Rule {
        events: reader.events,
        left_out: Vec::new(),
        variables: reader.variables,
        text: reader.text,
        pieces: reader.pieces,
    };
    (rule, reader.diagnostics)
}

/// `lock` of `rules/lock.rule`.
fn stem(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().unwrap_or(file).to_owned()
}

struct Reader<'a> {
    file: &'a SourceFile,
    number: usize,
    tokens: Vec<Token>,
    position: usize,
    /// The description of the rule.
    title: String,
    /// The name of the watched object.
    watched: Option<String>,
    /// The watched object in events that do not bind it.
    compared: Option<String>,
    /// The program variables that it declares.
    variables: Vec<String>,
    /// The names of the rule's own variables.
    state: Vec<String>,
    events: Vec<Event>,
    text: String,
    pieces: Vec<Piece>,
    /// How far the file is translated.
    copied: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn kind(&self) -> Kind {
        self.tokens.get(self.position).map_or(Kind::End, |token| token.kind)
    }

    fn word(&self, position: usize) -> &'a str {
        let token = self.tokens.get(position);
        token.and_then(|token| self.file.text.get(token.range())).unwrap_or("")
    }

    fn span(&self, position: usize) -> Span {
        let token = self.tokens.get(position).or(self.tokens.last());
        token.map_or(Span::default(), |token| {
            Span::new(self.file.id(), token.start as usize, token.end as usize)
        })
    }

    fn is(&self, word: &str) -> bool {
        self.word(self.position) == word && self.kind() != Kind::Text
    }

    fn is_mark(&self, mark: Mark) -> bool {
        self.kind() == Kind::Mark(mark)
    }

    /// The prelude of every rule, on a line of its own.
    fn prologue(&mut self) {
        let _ = writeln!(self.text, "void {ERROR}(const char *); void {ASSUME}(int);");
        let _ = writeln!(self.text, "# 1 {:?}", self.file.name);
    }

    /// Adds blanks for removed text, which preserves lines.
    fn skip_to(&mut self, position: usize) {
        let end = self
            .tokens
            .get(position)
            .map_or(self.file.text.len(), |token| token.start as usize);
        let left_out = self.file.text.get(self.copied..end).unwrap_or("");
        self.text
            .extend(left_out.chars().map(|each| if each == '\n' { '\n' } else { ' ' }));
        self.copied = end.max(self.copied);
    }

    /// Adds text that replaces something in the file.
    fn put(&mut self, text: &str, span: Span, is_copied: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            start,
            end: self.text.len(),
            span,
            is_copied,
        });
    }

    /// Replaces a token.
    fn replace(&mut self, position: usize, by: &str) {
        self.keep_to(position);
        self.put(by, self.span(position), false);
        self.copied = self
            .tokens
            .get(position)
            .map_or(self.copied, |token| token.end as usize);
    }

    /// Copies the text before a token.
    fn keep_to(&mut self, position: usize) {
        let end = self
            .tokens
            .get(position)
            .map_or(self.file.text.len(), |token| token.start as usize);
        let (file, start) = (self.file, self.copied);
        if let Some(text) = file.text.get(start..end) {
            self.put(text, Span::new(file.id(), start, end), true);
        }
        self.copied = end.max(self.copied);
    }

    fn expected(&mut self, what: &str) {
        let found = match self.kind() {
            Kind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.word(self.position)),
        };
        let message = format!("expected {what}, found {found}");
        self.diagnostics
            .push(Diagnostic::error(self.span(self.position), message));
    }

    fn expect(&mut self, mark: Mark, what: &str) -> Option<()> {
        if !self.is_mark(mark) {
            self.expected(what);
            return None;
        }
        self.position += 1;
        Some(())
    }

    fn name(&mut self, what: &str) -> Option<String> {
        if self.kind() != Kind::Identifier {
            self.expected(what);
            return None;
        }
        self.position += 1;
        Some(self.word(self.position - 1).to_owned())
    }

    /// None where parsing cannot continue.
    fn item(&mut self) -> Option<()> {
        self.skip_to(self.position);
        let start = self.position;
        match self.word(self.position) {
            "rule" => {
                self.position += 1;
                if self.kind() != Kind::Text {
                    self.expected("what the rule says, in quotes");
                    return None;
                }
                self.title = self.word(self.position).trim_matches('"').to_owned();
                self.position += 1;
                self.expect(Mark::Semicolon, "`;`")?;
                self.skip_to(self.position);
            }
            "watch" => self.watch()?,
            "extern" => self.variables_of_program()?,
            "before" | "after" => self.event(start)?,
            "at" if self.word(self.position + 1) == "end" => {
                self.position += 2;
                self.handler(start, Moment::End)?;
            }
            _ => self.declaration()?,
        }
        Some(())
    }

    /// One of the objects that events bind to this name.
    fn watch(&mut self) -> Option<()> {
        self.position += 1;
        let name = self.name("the name of what is watched")?;
        self.expect(Mark::Semicolon, "`;`")?;
        self.skip_to(self.position);
        let number = self.number;
        let text = format!(
            "static unsigned long rule${number}$watched; static _Bool rule${number}$chosen; \
             unsigned long __VERIFIER_nondet_ulong();"
        );
        self.put(&text, self.span(self.position.saturating_sub(2)), false);
        self.watched = Some(name);
        Some(())
    }

    /// Program variables, which are null if the program has none of this name. Those that are defined elsewhere are
    /// pointers of the library: each points at an object of its own.
    fn variables_of_program(&mut self) -> Option<()> {
        self.position += 1;
        let mut text = String::new();
        loop {
            let name = self.name("the name of a variable of the program")?;
            let _ = write!(text, "static void *{}{EXTERN}{name}; ", super::prefix(self.number));
            self.variables.push(name);
            if !self.is_mark(Mark::Comma) {
                break;
            }
            self.position += 1;
        }
        self.expect(Mark::Semicolon, "`,` or `;`")?;
        self.skip_to(self.position);
        self.put(&text, self.span(self.position.saturating_sub(2)), false);
        Some(())
    }

    fn event(&mut self, start: usize) -> Option<()> {
        let is_after = self.is("after");
        self.position += 1;
        let mut function = self.name("a function")?;
        let mut result = None;
        if is_after && self.is_mark(Mark::Equal) {
            self.position += 1;
            result = Some(function).filter(|name| name != "_");
            function = self.name("a function")?;
        }
        self.expect(Mark::LeftParenthesis, "`(`")?;
        let mut arguments = Vec::new();
        while !self.is_mark(Mark::RightParenthesis) {
            let argument = self.name("a name for the argument, or `_`")?;
            arguments.push(Some(argument).filter(|name| name != "_"));
            if !self.is_mark(Mark::RightParenthesis) {
                self.expect(Mark::Comma, "`,` or `)`")?;
            }
        }
        self.position += 1;
        let call = Call {
            function,
            arguments,
            result,
        };
        let moment = if is_after {
            Moment::After(call)
        } else {
            Moment::Before(call)
        };
        self.handler(start, moment)
    }

    /// The block of the handler.
    fn handler(&mut self, start: usize, moment: Moment) -> Option<()> {
        if !self.is_mark(Mark::LeftBrace) {
            self.expected("`{` and what to do");
            return None;
        }
        let span = self.span(start).to(self.span(self.position - 1));
        self.skip_to(self.position);
        let handler = format!("rule${}${}", self.number, self.events.len());
        let watching = self.watching(&moment);
        let watched = self.watched.clone();
        self.compared = watched.filter(|watched| !moment.names().any(|name| name == watched));
        self.put(&format!("static void {handler}() {{{watching}"), span, false);
        self.copied = self
            .tokens
            .get(self.position)
            .map_or(self.copied, |token| token.end as usize);
        self.position += 1;
        self.events.push(Event { moment, handler, span });
        let mut depth = 1_usize;
        while depth > 0 {
            match self.kind() {
                Kind::End => {
                    self.expected("`}`");
                    return None;
                }
                Kind::Mark(Mark::LeftBrace) => depth += 1,
                Kind::Mark(Mark::RightBrace) => depth -= 1,
                Kind::Identifier if self.is("error") => {
                    self.error()?;
                    continue;
                }
                Kind::Identifier if self.is("assume") => {
                    self.assume()?;
                    continue;
                }
                Kind::Identifier => self.own_name(),
                _ => {}
            }
            self.position += 1;
        }
        self.keep_to(self.position);
        Some(())
    }

    /// Restricts a handler to the watched object. Which object is watched is an input at the first event: choosing
    /// later would miss earlier events. Events that do not bind the object may compare with it.
    fn watching(&self, moment: &Moment) -> String {
        let Some(watched) = &self.watched else {
            return String::new();
        };
        let number = self.number;
        let chooses = format!(
            " if (!rule${number}$chosen) {{ rule${number}$chosen = 1; {} = __VERIFIER_nondet_ulong(); }}",
            self.chosen()
        );
        if moment.names().any(|name| name == watched) {
            return format!("{chooses} if ({} != (unsigned long){watched}) return;", self.chosen());
        }
        match moment.names().next() {
            _ if self.mentions(watched) => chooses,
            None => format!(" if (!rule${number}$chosen) return;"),
            Some(_) => String::new(),
        }
    }

    /// The variable that holds the watched object.
    fn chosen(&self) -> String {
        format!("rule${}$watched", self.number)
    }

    /// Whether a name occurs in the block that begins here.
    fn mentions(&self, name: &str) -> bool {
        let mut depth = 0_usize;
        for position in self.position.. {
            match self.tokens.get(position).map_or(Kind::End, |token| token.kind) {
                Kind::Mark(Mark::LeftBrace) => depth += 1,
                Kind::Mark(Mark::RightBrace) if depth <= 1 => return false,
                Kind::Mark(Mark::RightBrace) => depth -= 1,
                Kind::Identifier if self.word(position) == name => return true,
                Kind::End => return false,
                _ => {}
            }
        }
        false
    }

    /// `error "message";`
    fn error(&mut self) -> Option<()> {
        let start = self.position;
        self.position += 1;
        if self.kind() != Kind::Text {
            self.expected("what is wrong, in quotes");
            return None;
        }
        let message = self.word(self.position).trim_matches('"').to_owned();
        let text = format!("{ERROR}({:?})", format!("{}: {message}", self.title));
        self.replace(start, &text);
        self.position += 1;
        self.skip_to(self.position);
        Some(())
    }

    /// `assume condition;`: a guarantee of the library. Runs that violate it are discarded.
    fn assume(&mut self) -> Option<()> {
        let start = self.position;
        self.replace(start, &format!("{ASSUME}(("));
        self.position += 1;
        while !self.is_mark(Mark::Semicolon) {
            match self.kind() {
                Kind::End | Kind::Mark(Mark::LeftBrace | Mark::RightBrace) => {
                    self.expected("a condition and `;`");
                    return None;
                }
                Kind::Identifier => self.own_name(),
                _ => {}
            }
            self.position += 1;
        }
        self.keep_to(self.position);
        self.put(") != 0)", self.span(start), false);
        Some(())
    }

    /// Renames a variable of the rule uniquely.
    fn own_name(&mut self) {
        let name = self.word(self.position).to_owned();
        if self.compared.as_ref() == Some(&name) {
            let chosen = self.chosen();
            self.replace(self.position, &chosen);
        } else if self.state.contains(&name) {
            let own = self.own(&name);
            self.replace(self.position, &own);
        }
    }

    fn own(&self, name: &str) -> String {
        format!("{}{name}", super::prefix(self.number))
    }

    /// A variable of the rule as a C declaration.
    fn declaration(&mut self) -> Option<()> {
        let start = self.position;
        let is_over = |reader: &Self| reader.is_mark(Mark::Semicolon) || reader.kind() == Kind::End;
        let is_name_over = |reader: &Self| {
            let marks = [Mark::Equal, Mark::LeftBracket, Mark::Semicolon];
            marks.iter().any(|mark| reader.is_mark(*mark)) || reader.kind() == Kind::End
        };
        while !is_name_over(self) {
            self.position += 1;
        }
        let is_name = self.position > start + 1
            && self
                .tokens
                .get(self.position - 1)
                .is_some_and(|token| token.kind == Kind::Identifier);
        if !is_name {
            self.position = start;
            self.expected("an event, `rule`, `watch` or a variable");
            return None;
        }
        let name = self.word(self.position - 1).to_owned();
        self.put("static ", self.span(start), false);
        let own = self.own(&name);
        self.replace(self.position - 1, &own);
        self.state.push(name);
        let mut depth = 0_usize;
        while !is_over(self) {
            match self.kind() {
                Kind::Mark(Mark::LeftBrace | Mark::LeftParenthesis) => depth += 1,
                Kind::Mark(Mark::RightBrace | Mark::RightParenthesis) => depth = depth.saturating_sub(1),
                Kind::Mark(Mark::Comma) if depth == 0 => {
                    self.expected("`;`: each variable has a declaration of its own");
                    return None;
                }
                _ => {}
            }
            self.position += 1;
        }
        self.expect(Mark::Semicolon, "`;`")?;
        self.keep_to(self.position);
        Some(())
    }
}
