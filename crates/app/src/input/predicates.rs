//! Predicates from a file of their own (`--predicates FILE`), in the language of the model and typed in its scope.
//!
//! The items of the file are added to those of the model before typing. So that every message finds its way to the right
//! file, the text is read as if it stood behind the model: a span at or behind `offset` is one of this file.

use super::{Rejected, has_errors, read_text};
use std::path::Path;
use system::{Diagnostic, Severity, SourceFile, Span};

pub(crate) struct Predicates {
    /// As the user wrote it.
    pub(crate) file: SourceFile,
    /// How many predicates it adds.
    pub(crate) count: usize,
    offset: usize,
}

impl Predicates {
    pub(super) fn read(path: &Path, model: &SourceFile) -> Result<Predicates, Rejected> {
        let name = path.to_string_lossy().into_owned();
        let text = read_text(path).map_err(|diagnostic| Rejected {
            file: SourceFile::new(name.clone(), ""),
            diagnostics: vec![diagnostic],
        })?;
        Ok(Predicates {
            file: SourceFile::new(name, text),
            count: 0,
            offset: model.text.len(),
        })
    }

    /// The text behind as many newlines as the model has bytes.
    fn behind_model(&self) -> SourceFile {
        SourceFile::new(self.file.name.clone(), "\n".repeat(self.offset) + &self.file.text)
    }

    pub(super) fn add_to_murphi(&mut self, program: &mut murphi::syntax::Program) -> Vec<Diagnostic> {
        use murphi::syntax::Item;
        let (read, mut diagnostics) = murphi::parse(&self.behind_model());
        for item in read.items {
            match &item {
                Item::Predicate { .. } => self.count += 1,
                Item::Index { .. } => {}
                other => {
                    diagnostics.push(misplaced(
                        murphi_span(other),
                        "`predicate \"name\" formula;` and `index`",
                    ));
                    continue;
                }
            }
            program.items.push(item);
        }
        self.expect_some(&mut diagnostics, "predicate \"name\" formula;");
        diagnostics
    }

    /// A predicate without parameters, and an invariant, are what to look at; predicates with parameters are there to be used by them.
    pub(super) fn add_to_cubicle(&mut self, program: &mut cubicle::syntax::Program) -> Vec<Diagnostic> {
        use cubicle::syntax::{Block, BlockKind, Item};
        let (read, mut diagnostics) = cubicle::parse(&self.behind_model());
        program.complete &= read.complete;
        program.unread.extend(read.unread);
        for item in read.items {
            match item {
                Item::Predicate(predicate) if predicate.parameters.is_empty() => {
                    self.count += 1;
                    program.items.push(Item::Block(Block {
                        kind: BlockKind::Invariant,
                        variables: Vec::new(),
                        formula: predicate.formula,
                        span: predicate.span,
                    }));
                }
                Item::Block(block) if block.kind == BlockKind::Invariant => {
                    self.count += 1;
                    program.items.push(Item::Block(block));
                }
                Item::Predicate(_) => program.items.push(item),
                other => diagnostics.push(misplaced(cubicle_span(&other), "`predicate` and `invariant`")),
            }
        }
        self.expect_some(&mut diagnostics, "predicate name() { formula }");
        diagnostics
    }

    fn expect_some(&self, diagnostics: &mut Vec<Diagnostic>, example: &str) {
        if self.count == 0 && !has_errors(diagnostics) {
            let place = Span::new(self.offset, self.offset);
            let message = format!("there is no predicate in {}", self.file.name);
            diagnostics.push(Diagnostic::error(place, message).help(format!("write `{example}`")));
        }
    }

    /// What is wrong, in this file or in the model: whichever holds the first error.
    pub(super) fn reject(&self, model: &SourceFile, diagnostics: Vec<Diagnostic>) -> Rejected {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let (own, others): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(|found| self.is_here(found.span));
        if others.iter().any(is_error) {
            let file = model.clone();
            return Rejected {
                file,
                diagnostics: others,
            };
        }
        let diagnostics = own.into_iter().map(|found| self.here(found, model)).collect();
        Rejected {
            file: self.file.clone(),
            diagnostics,
        }
    }

    fn is_here(&self, span: Span) -> bool {
        span.start as usize >= self.offset
    }

    /// The message with its places in this file; places in the model can only be told in words.
    fn here(&self, mut diagnostic: Diagnostic, model: &SourceFile) -> Diagnostic {
        let back = |offset: u32| (offset as usize).saturating_sub(self.offset);
        let shift = |span: Span| Span::new(back(span.start), back(span.end));
        diagnostic.span = shift(diagnostic.span);
        let (own, others): (Vec<_>, Vec<_>) = diagnostic
            .related
            .into_iter()
            .partition(|(span, _)| self.is_here(*span));
        diagnostic.related = own.into_iter().map(|(span, text)| (shift(span), text)).collect();
        if let (Some((span, text)), None) = (others.first(), &diagnostic.help) {
            let (line, column) = model.position(span.start);
            diagnostic.help = Some(format!("{text}: {}:{line}:{column}", model.name));
        }
        diagnostic
    }

    /// Takes the warnings about this file out of those about the model.
    pub(crate) fn take_warnings(&self, diagnostics: &mut Vec<Diagnostic>, model: &SourceFile) -> Vec<Diagnostic> {
        let (own, others) = std::mem::take(diagnostics)
            .into_iter()
            .partition(|found| self.is_here(found.span));
        *diagnostics = others;
        let own: Vec<Diagnostic> = own;
        // That invariants are hints only goes without saying here.
        let warnings = own.into_iter().filter(|found| found.severity != Severity::Note);
        warnings.map(|found| self.here(found, model)).collect()
    }
}

fn misplaced(span: Span, allowed: &str) -> Diagnostic {
    Diagnostic::error(span, "a file with predicates declares nothing else")
        .label("this belongs into the model")
        .help(format!("only {allowed} may stand here"))
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
