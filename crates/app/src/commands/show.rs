//! `cubist show`: what was read, and which types a proof takes at any size.

use super::check::CONFORM;
use crate::arguments::Show;
use crate::boolean;
use crate::outcomes::{self, Header, diagnostics, system_text};
use crate::programs;
use crate::terminal::{self, Paint, listed};
use anyhow::bail;
use driver::{Input, Kind, kind_of};
use logic::Cancellation;
use report::Status;
use report::outcome::Message;
use serde::Serialize;
use std::fmt::Write as _;
use system::frontend::{InProofs, SizeOrigin, TypeSize};
use system::instance::{Instance, PropertyKind};
use system::{SourceFile, Span};

pub(crate) fn run(arguments: &Show) -> anyhow::Result<Status> {
    match kind_of(&arguments.file) {
        Kind::Model => model(arguments),
        Kind::Program => programs::show::run(arguments),
        Kind::BooleanProgram => boolean::show(arguments),
        Kind::Components => bail!(CONFORM),
    }
}

fn model(arguments: &Show) -> anyhow::Result<Status> {
    if arguments.points_to || arguments.graph.is_some() {
        bail!("--points-to and --graph are about C programs");
    }
    arguments.meaning.refuse()?;
    let mut input = Input::read(&arguments.file, &arguments.reading.how())?;
    match input.for_proof(&Cancellation::new()) {
        Ok(provable) => input = provable,
        Err(rejected) if arguments.system => return Err(rejected.into()),
        // There is no proof, but still a model to be shown.
        Err(_) => {}
    }
    let instance = input.instance()?;
    let text = if arguments.json {
        outcomes::json(&Report::new(&input, &instance))?
    } else {
        if !arguments.quiet {
            terminal::complain(&diagnostics::text(&input.diagnostics, input.sources(), Paint::stderr()));
        }
        let mut text = text(&input, &instance, Paint::stdout());
        if arguments.system {
            text.push_str(&system_text::text(input.model.system()?, Paint::stdout()));
        }
        text
    };
    terminal::print(&text)?;
    Ok(Status::Done)
}

fn text(input: &Input, instance: &Instance, paint: Paint) -> String {
    let mut text = format!(
        "{}: a {} model\n",
        paint.bold(&input.file().name),
        input.language().name()
    );
    let heading = |text: &mut String, title: &str| {
        let _ = writeln!(text, "\n{}", paint.bold(title));
    };
    heading(&mut text, "types with a size");
    for size in input.sizes() {
        text.push_str(&type_text(size, input.file()));
    }
    if input.sizes().is_empty() {
        text.push_str("  none\n");
    }
    heading(&mut text, "variables");
    let mut seen = vec![false; instance.families.len()];
    for slot in &instance.slots {
        if !std::mem::replace(&mut seen[slot.family], true) {
            let _ = writeln!(text, "  {}", instance.families[slot.family].replace("{}", ".."));
        }
    }
    heading(&mut text, "rules");
    for rule in &instance.rules {
        let parameters: Vec<&str> = rule
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str())
            .collect();
        let parameters = if parameters.is_empty() {
            String::new()
        } else {
            format!(" ({})", parameters.join(", "))
        };
        let _ = writeln!(text, "  {}{parameters}", rule.name);
    }
    heading(&mut text, "properties");
    for property in &instance.properties {
        let (line, _) = input.file().position(property.span.start);
        let _ = writeln!(text, "  {} \"{}\", line {line}", kind(property.kind), property.name);
    }
    text
}

fn kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Assumption => "assumption",
        PropertyKind::Cover => "cover",
    }
}

fn type_text(size: &TypeSize, file: &SourceFile) -> String {
    let origin = match size.origin {
        SizeOrigin::Declared => "as declared",
        SizeOrigin::Chosen => "as chosen",
        SizeOrigin::Default => "by default",
    };
    let proofs = match &size.in_proofs {
        InProofs::AnySize { literals } if literals.is_empty() => match (size.least, size.most) {
            (_, None) => "any size in proofs".to_owned(),
            (least, Some(most)) => format!("any size from {least} to {most} in proofs"),
        },
        InProofs::AnySize { literals } => {
            let literals: Vec<String> = literals.iter().map(ToString::to_string).collect();
            format!(
                "any size from {} on in proofs, with {} as distinguished elements",
                size.least,
                listed(&literals)
            )
        }
        InProofs::Fixed { reason, span } if *span == Span::default() => format!("this size in proofs: {reason}"),
        InProofs::Fixed { reason, span } => {
            let (line, column) = file.position(span.start);
            format!("this size in proofs: {reason} (line {line}, column {column})")
        }
    };
    format!("  {}: {} in exploration ({origin}), {proofs}\n", size.name, size.size)
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    header: Header,
    language: &'static str,
    types: Vec<TypeReport>,
    rules: Vec<String>,
    properties: Vec<PropertyReport>,
    diagnostics: Vec<Message>,
}

#[derive(Serialize)]
struct TypeReport {
    name: String,
    size: i64,
    origin: &'static str,
    parametric: bool,
    /// Distinguished elements.
    literals: Vec<i64>,
    reason: Option<String>,
    line: Option<usize>,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    kind: &'static str,
    line: usize,
}

impl Report {
    fn new(input: &Input, instance: &Instance) -> Report {
        let property = |property: &system::instance::Property| PropertyReport {
            name: property.name.clone(),
            kind: kind(property.kind),
            line: input.file().position(property.span.start).0,
        };
        Report {
            header: Header::new(&input.file().name),
            language: input.language().name(),
            types: input
                .sizes()
                .iter()
                .map(|size| TypeReport::new(size, input.file()))
                .collect(),
            rules: instance.rules.iter().map(|rule| rule.name.clone()).collect(),
            properties: instance.properties.iter().map(property).collect(),
            diagnostics: diagnostics::messages(&input.diagnostics, input.sources()),
        }
    }
}

impl TypeReport {
    fn new(size: &TypeSize, file: &SourceFile) -> TypeReport {
        let (parametric, literals, reason) = match &size.in_proofs {
            InProofs::AnySize { literals } => (true, literals.clone(), None),
            InProofs::Fixed { reason, .. } => (false, Vec::new(), Some(reason.clone())),
        };
        TypeReport {
            name: size.name.clone(),
            size: size.size,
            origin: match size.origin {
                SizeOrigin::Declared => "declared",
                SizeOrigin::Chosen => "chosen",
                SizeOrigin::Default => "default",
            },
            parametric,
            literals,
            reason,
            line: (size.span != Span::default()).then(|| file.position(size.span.start).0),
        }
    }
}
