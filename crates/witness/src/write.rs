//! A witness as YAML.

use crate::{Content, Location, Waypoint, WaypointKind, Witness};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// The text of a witness. `identity` is 32 hexadecimal digits, of which its UUID is made.
pub fn write(witness: &Witness, version: &str, identity: &str, created: SystemTime) -> String {
    let task = &witness.task;
    let entry = match witness.content {
        Content::Violation(_) => "violation_sequence",
        Content::Invariants(_) => "invariant_set",
    };
    let mut text = String::new();
    let _ = write!(
        text,
        "- entry_type: {entry}\n\
         \x20 metadata:\n\
         \x20   format_version: \"2.0\"\n\
         \x20   uuid: {}\n\
         \x20   creation_time: {}\n\
         \x20   producer:\n\
         \x20     name: Cubist\n\
         \x20     version: {}\n\
         \x20   task:\n\
         \x20     input_files:\n\
         \x20     - {file}\n\
         \x20     input_file_hashes:\n\
         \x20       {file}: {}\n\
         \x20     specification: {}\n\
         \x20     data_model: {}\n\
         \x20     language: C\n\
         \x20 content:",
        uuid(identity),
        time(created),
        quoted(version),
        task.digest,
        quoted(&task.specification),
        task.data_model,
        file = quoted(&task.file),
    );
    match &witness.content {
        Content::Violation(waypoints) => {
            text.push('\n');
            for waypoint in waypoints {
                segment(&mut text, waypoint, &task.file);
            }
        }
        Content::Invariants(invariants) if invariants.is_empty() => text.push_str(" []\n"),
        Content::Invariants(invariants) => {
            text.push('\n');
            for invariant in invariants {
                let kind = if invariant.is_of_loop { "loop" } else { "location" };
                let _ = writeln!(text, "  - invariant:\n      type: {kind}_invariant");
                place(&mut text, &invariant.location, &task.file, "      ");
                let _ = writeln!(
                    text,
                    "      value: {}\n      format: c_expression",
                    quoted(&invariant.value)
                );
            }
        }
    }
    text
}

fn segment(text: &mut String, waypoint: &Waypoint, file: &str) {
    let _ = writeln!(
        text,
        "  - segment:\n    - waypoint:\n        type: {}\n        action: follow",
        waypoint.kind.name()
    );
    place(text, &waypoint.location, file, "        ");
    let constraint = match &waypoint.kind {
        WaypointKind::Assumption(value) => Some((value, Some("c_expression"))),
        WaypointKind::FunctionReturn(value) => Some((value, Some("acsl_expression"))),
        WaypointKind::Branching(value) => Some((value, None)),
        WaypointKind::FunctionEnter | WaypointKind::Target => None,
    };
    if let Some((value, format)) = constraint {
        let _ = writeln!(text, "        constraint:\n          value: {}", quoted(value));
        if let Some(format) = format {
            let _ = writeln!(text, "          format: {format}");
        }
    }
}

fn place(text: &mut String, location: &Location, file: &str, indent: &str) {
    let _ = writeln!(text, "{indent}location:\n{indent}  file_name: {}", quoted(file));
    let _ = writeln!(text, "{indent}  line: {}", location.line);
    if let Some(column) = location.column {
        let _ = writeln!(text, "{indent}  column: {column}");
    }
    if let Some(function) = &location.function {
        let _ = writeln!(text, "{indent}  function: {function}");
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace('\t', "\\t"))
}

/// Version 4, from digits that are as good as random.
fn uuid(identity: &str) -> String {
    let part = |start: usize, end: usize| identity.get(start..end).unwrap_or("0");
    format!(
        "{}-{}-4{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}

/// `2025-01-31T12:00:00Z`
fn time(created: SystemTime) -> String {
    let seconds = created.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!(
        "{year}-{month:02}-{:02}T{:02}:{:02}:{:02}Z",
        days + 1,
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times() {
        let at = |seconds| time(UNIX_EPOCH + Duration::from_secs(seconds));
        // As `date -u -d @...` says.
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
    }
}
