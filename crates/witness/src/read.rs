//! From YAML to a witness. What is wrong is told with its place.

use crate::yaml::{Kind, Node, Parsed, parse};
use crate::{Content, Invariant, Location, Task, Waypoint, WaypointKind, Witness};
use system::{Diagnostic, Rejected, SourceFile, Sources, Span};

/// Reads a witness.
pub fn read(file: SourceFile) -> Result<Witness, Rejected> {
    let sources = Sources::new(file);
    let read = parse(sources.model()).and_then(|node| witness(&node));
    read.map_err(|error| Rejected::new(sources.clone(), vec![*error]))
}

fn wrong(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, message))
}

fn witness(node: &Node) -> Parsed<Witness> {
    let [entry] = items(node)? else {
        return Err(wrong(
            node.span,
            "expected one entry: a violation sequence, or a set of invariants",
        ));
    };
    let task = task(get(entry, "metadata")?)?;
    let content = get(entry, "content")?;
    let kind = get(entry, "entry_type")?;
    let content = match scalar(kind)? {
        "violation_sequence" => Content::Violation(violation(content)?),
        "invariant_set" => Content::Invariants(items(content)?.iter().map(invariant).collect::<Parsed<_>>()?),
        _ => {
            let message = "expected `violation_sequence` or `invariant_set`";
            return Err(wrong(kind.span, message));
        }
    };
    Ok(Witness { task, content })
}

fn task(metadata: &Node) -> Parsed<Task> {
    let version = get(metadata, "format_version")?;
    if !matches!(scalar(version)?, "2.0" | "2.1") {
        return Err(wrong(version.span, "only format 2.0 is understood"));
    }
    let task = get(metadata, "task")?;
    let language = get(task, "language")?;
    if scalar(language)? != "C" {
        return Err(wrong(language.span, "only witnesses about C are understood"));
    }
    let files = get(task, "input_files")?;
    let [file] = items(files)? else {
        return Err(wrong(files.span, "only witnesses about one file are understood"));
    };
    let hashes = get(task, "input_file_hashes")?;
    let digest = get(hashes, scalar(file)?)?;
    let specification = get(task, "specification")?;
    let data_model = get(task, "data_model")?;
    if !matches!(scalar(data_model)?, "ILP32" | "LP64") {
        return Err(wrong(data_model.span, "expected `ILP32` or `LP64`"));
    }
    Ok(Task {
        file: scalar(file)?.to_owned(),
        digest: scalar(digest)?.to_owned(),
        digest_span: digest.span,
        specification: scalar(specification)?.to_owned(),
        specification_span: specification.span,
        data_model: scalar(data_model)?.to_owned(),
    })
}

/// Each segment ends with the waypoint that is to be followed, the last one with the target.
fn violation(content: &Node) -> Parsed<Vec<Waypoint>> {
    let mut followed = Vec::new();
    let segments = items(content)?;
    for (number, segment) in segments.iter().enumerate() {
        let waypoints = get(segment, "segment")?;
        let all = items(waypoints)?;
        for (position, item) in all.iter().enumerate() {
            let node = get(item, "waypoint")?;
            let action = get(node, "action")?;
            match (scalar(action)?, position + 1 == all.len()) {
                ("follow", true) => followed.push(waypoint(node)?),
                ("avoid", _) => return Err(wrong(action.span, "waypoints that a run avoids are not understood")),
                _ => {
                    return Err(wrong(
                        action.span,
                        "expected `follow` at the end of a segment, and only there",
                    ));
                }
            }
        }
        let is_last = number + 1 == segments.len();
        let is_target = followed.last().is_some_and(|last| last.kind == WaypointKind::Target);
        if is_target != is_last {
            return Err(wrong(
                waypoints.span,
                "the target must be the last waypoint, and only that",
            ));
        }
    }
    match followed.is_empty() {
        true => Err(wrong(content.span, "there are no waypoints")),
        false => Ok(followed),
    }
}

fn waypoint(node: &Node) -> Parsed<Waypoint> {
    let kind = get(node, "type")?;
    let constraint = || -> Parsed<String> {
        let constraint = get(node, "constraint")?;
        if let Some(format) = find(constraint, "format")
            && !matches!(scalar(format)?, "c_expression" | "acsl_expression")
        {
            return Err(wrong(format.span, "expected `c_expression` or `acsl_expression`"));
        }
        Ok(scalar(get(constraint, "value")?)?.to_owned())
    };
    let kind = match scalar(kind)? {
        "assumption" => WaypointKind::Assumption(constraint()?),
        "branching" => WaypointKind::Branching(constraint()?),
        "function_return" => WaypointKind::FunctionReturn(constraint()?),
        "function_enter" => WaypointKind::FunctionEnter,
        "target" => WaypointKind::Target,
        _ => return Err(wrong(kind.span, "there is no such kind of waypoints")),
    };
    Ok(Waypoint {
        kind,
        location: location(get(node, "location")?)?,
        span: node.span,
    })
}

fn invariant(item: &Node) -> Parsed<Invariant> {
    let node = get(item, "invariant")?;
    let kind = get(node, "type")?;
    let is_of_loop = match scalar(kind)? {
        "loop_invariant" => true,
        "location_invariant" => false,
        _ => return Err(wrong(kind.span, "expected `loop_invariant` or `location_invariant`")),
    };
    let format = get(node, "format")?;
    if scalar(format)? != "c_expression" {
        return Err(wrong(format.span, "only C expressions are understood"));
    }
    let value = get(node, "value")?;
    Ok(Invariant {
        is_of_loop,
        location: location(get(node, "location")?)?,
        value: scalar(value)?.to_owned(),
        span: value.span,
    })
}

fn location(node: &Node) -> Parsed<Location> {
    Ok(Location {
        line: number(get(node, "line")?)?,
        column: find(node, "column").map(number).transpose()?,
        function: find(node, "function")
            .map(|node| scalar(node).map(str::to_owned))
            .transpose()?,
    })
}

fn number(node: &Node) -> Parsed<usize> {
    match scalar(node)?.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(wrong(node.span, "expected a number, from 1 on")),
    }
}

fn find<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.kind {
        Kind::Mapping(entries) => entries.iter().find(|(known, _)| known == key).map(|(_, value)| value),
        Kind::Scalar(_) | Kind::Sequence(_) => None,
    }
}

fn get<'n>(node: &'n Node, key: &str) -> Parsed<&'n Node> {
    find(node, key).ok_or_else(|| wrong(node.span, format!("expected `{key}` here")))
}

fn items(node: &Node) -> Parsed<&[Node]> {
    match &node.kind {
        Kind::Sequence(items) => Ok(items),
        Kind::Scalar(_) | Kind::Mapping(_) => Err(wrong(node.span, "expected a list")),
    }
}

fn scalar(node: &Node) -> Parsed<&str> {
    match &node.kind {
        Kind::Scalar(text) => Ok(text),
        Kind::Sequence(_) | Kind::Mapping(_) => Err(wrong(node.span, "expected a single value")),
    }
}
