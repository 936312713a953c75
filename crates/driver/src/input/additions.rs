//! Predicates and properties from files of their own (`--predicates FILE`, `--properties FILE`, `--also FILE`), in the language
//! of the model and typed in its scope.
//!
//! The items of such a file are added to those of the model before typing. So that every message finds its way to the right
//! file, the text is read as if it stood behind the model: spans from `offset` on are those of this file.

use super::{Rejected, has_errors, read_text};
use std::path::Path;
use system::{Diagnostic, Severity, SourceFile, Span};

/// What a file adds to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    Predicates,
    Properties,
    /// Properties that are only looked at when there is an invariant.
    Further,
}

impl Content {
    /// What such a file consists of, as one and as many.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Content::Predicates => ("predicate", "predicates"),
            Content::Properties | Content::Further => ("property", "properties"),
        }
    }
}

pub struct Addition {
    pub content: Content,
    /// As the user wrote it.
    pub file: SourceFile,
    /// How many predicates or properties it adds.
    pub count: usize,
    offset: usize,
}

impl Addition {
    /// Reads a file that is to stand behind `offset` bytes.
    pub(super) fn read(content: Content, path: &Path, offset: usize) -> Result<Addition, Rejected> {
        let name = path.to_string_lossy().into_owned();
        let text = read_text(path).map_err(|diagnostic| Rejected {
            file: SourceFile::new(name.clone(), ""),
            diagnostics: vec![diagnostic],
        })?;
        Ok(Addition {
            content,
            file: SourceFile::new(name, text),
            count: 0,
            offset,
        })
    }

    /// Where the next file may stand.
    pub(super) fn end(&self) -> usize {
        self.offset + self.file.text.len() + 1
    }

    /// The text behind as many newlines as the model has bytes.
    fn behind_model(&self) -> SourceFile {
        SourceFile::new(self.file.name.clone(), "\n".repeat(self.offset) + &self.file.text)
    }

    pub(super) fn add_to_murphi(&mut self, program: &mut murphi::syntax::Program) -> Vec<Diagnostic> {
        use murphi::syntax::{Item, PropertyKind, RuleItem};
        let (read, mut diagnostics) = murphi::parse(&self.behind_model());
        let (allowed, example) = match self.content {
            Content::Predicates => ("`predicate` and `index`", "predicate \"name\" formula;"),
            Content::Properties | Content::Further => ("`invariant`", "invariant \"name\" formula;"),
        };
        for item in read.items {
            match (self.content, &item) {
                (Content::Predicates, Item::Predicate { .. }) => self.count += 1,
                (Content::Predicates, Item::Index { .. }) => {}
                (Content::Properties | Content::Further, Item::Rule(RuleItem::Property { kind, .. }))
                    if *kind == PropertyKind::Invariant =>
                {
                    self.count += 1;
                }
                (_, other) => {
                    diagnostics.push(self.misplaced(murphi_span(other), allowed));
                    continue;
                }
            }
            program.items.push(item);
        }
        self.expect_some(&mut diagnostics, example);
        diagnostics
    }

    /// A predicate without parameters, and an invariant, are what to look at; predicates with parameters are there to be used by them.
    pub(super) fn add_to_cubicle(&mut self, program: &mut cubicle::syntax::Program) -> Vec<Diagnostic> {
        use cubicle::syntax::{Block, BlockKind, Item};
        let (read, mut diagnostics) = cubicle::parse(&self.behind_model());
        program.complete &= read.complete;
        program.unread.extend(read.unread);
        let (wanted, allowed, example) = match self.content {
            Content::Predicates => (
                BlockKind::Invariant,
                "`predicate` and `invariant`",
                "predicate name() { formula }",
            ),
            Content::Properties | Content::Further => {
                (BlockKind::Unsafe, "`unsafe` and `predicate`", "unsafe (x) { formula }")
            }
        };
        for item in read.items {
            match item {
                Item::Predicate(predicate)
                    if predicate.parameters.is_empty() && self.content == Content::Predicates =>
                {
                    self.count += 1;
                    program.items.push(Item::Block(Block {
                        kind: BlockKind::Invariant,
                        variables: Vec::new(),
                        formula: predicate.formula,
                        span: predicate.span,
                    }));
                }
                Item::Block(block) if block.kind == wanted => {
                    self.count += 1;
                    program.items.push(Item::Block(block));
                }
                Item::Predicate(_) => program.items.push(item),
                other => diagnostics.push(self.misplaced(cubicle_span(&other), allowed)),
            }
        }
        self.expect_some(&mut diagnostics, example);
        diagnostics
    }

    fn expect_some(&self, diagnostics: &mut Vec<Diagnostic>, example: &str) {
        if self.count == 0 && !has_errors(diagnostics) {
            let place = Span::new(self.offset, self.offset);
            let (what, _) = self.content.words();
            let message = format!("there is no {what} in {}", self.file.name);
            diagnostics.push(Diagnostic::error(place, message).help(format!("write `{example}`")));
        }
    }

    pub(super) fn is_here(&self, span: Span) -> bool {
        (self.offset..self.end()).contains(&(span.start as usize))
    }

    /// The same place, counted from the beginning of this file.
    pub(super) fn shift(&self, span: Span) -> Span {
        let back = |offset: u32| (offset as usize).saturating_sub(self.offset);
        Span::new(back(span.start), back(span.end))
    }

    /// The message with its places in this file; places in the model can only be told in words.
    fn here(&self, mut diagnostic: Diagnostic, model: &SourceFile) -> Diagnostic {
        diagnostic.span = self.shift(diagnostic.span);
        let (own, others): (Vec<_>, Vec<_>) = diagnostic
            .related
            .into_iter()
            .partition(|(span, _)| self.is_here(*span));
        diagnostic.related = own.into_iter().map(|(span, text)| (self.shift(span), text)).collect();
        if let (Some((span, text)), None) = (others.first(), &diagnostic.help) {
            let (line, column) = model.position(span.start);
            diagnostic.help = Some(format!("{text}: {}:{line}:{column}", model.name));
        }
        diagnostic
    }

    /// Takes the messages about this file out of those about the model.
    pub fn take(&self, diagnostics: &mut Vec<Diagnostic>, model: &SourceFile) -> Vec<Diagnostic> {
        let all = std::mem::take(diagnostics).into_iter();
        let (own, others): (Vec<_>, Vec<_>) = all.partition(|found| self.is_here(found.span));
        *diagnostics = others;
        // That invariants are hints only goes without saying here.
        let told = own.into_iter().filter(|found| found.severity != Severity::Note);
        told.map(|found| self.here(found, model)).collect()
    }

    fn misplaced(&self, span: Span, allowed: &str) -> Diagnostic {
        let (_, what) = self.content.words();
        Diagnostic::error(span, format!("a file with {what} declares nothing else"))
            .label("this belongs into the model")
            .help(format!("only {allowed} may stand here"))
    }
}

fn murphi_span(item: &murphi::syntax::Item) -> Span {
    use murphi::syntax::{Item, RuleItem};
    match item {
        Item::Constant { name, .. } | Item::Type { name, .. } => name.span,
        Item::Variables { names, .. } | Item::Uninterpreted { names, .. } | Item::Index { names, .. } => {
            names.first().map(|name| name.span).unwrap_or_default()
        }
        Item::Subprogram(subprogram) => subprogram.name.span,
        Item::Axiom { span, .. } | Item::Predicate { span, .. } => *span,
        Item::Rule(
            RuleItem::Rule { span, .. }
            | RuleItem::Start { span, .. }
            | RuleItem::Property { span, .. }
            | RuleItem::Ruleset { span, .. }
            | RuleItem::Alias { span, .. }
            | RuleItem::Choose { span, .. },
        ) => *span,
    }
}

fn cubicle_span(item: &cubicle::syntax::Item) -> Span {
    use cubicle::syntax::Item;
    match item {
        Item::NumberOfProcesses { span, .. } | Item::Type { span, .. } | Item::Symbol { span, .. } => *span,
        Item::Block(block) => block.span,
        Item::Predicate(predicate) => predicate.span,
        Item::Transition(transition) => transition.span,
    }
}
