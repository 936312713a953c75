//! Running the installed preprocessor, and collecting the source files of a program.

use crate::lex::{self, Stage};
use rustc_hash::FxHashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::SystemTime;
use system::{Diagnostic, Origin, Rejected, Role, SourceFile, Sources, Span};

/// How to call the preprocessor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preprocessing {
    /// The compiler; by default the first of `cc`, `gcc` and `clang` that is installed.
    pub program: Option<String>,
    /// `-m32` or `-m64`, on which headers depend.
    pub machine: Option<&'static str>,
    pub include_paths: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`.
    pub definitions: Vec<String>,
}

impl Preprocessing {
    /// Candidates for the compiler.
    fn programs(&self) -> Vec<&str> {
        match &self.program {
            Some(program) => vec![program],
            None => vec!["cc", "gcc", "clang"],
        }
    }
}

/// Macros defined for every program.
const ATOMICS: &str = include_str!("atomics.h");
/// Larger files are not shown in messages.
const LARGEST: u64 = 64 << 20;

/// A program with all its source files, ready to parse: `.i` is taken as it is, all else goes through the preprocessor.
/// Includes the warnings of the preprocessor.
pub fn read(path: &Path, preprocessing: &Preprocessing) -> Result<(Sources, Vec<Diagnostic>), Rejected> {
    // Otherwise it would be parsed as an option.
    let protected = Path::new(".").join(path);
    let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let path = if is_option { protected.as_path() } else { path };
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no file `{name}`"),
            std::io::ErrorKind::IsADirectory => format!("`{name}` is a folder, not a program"),
            std::io::ErrorKind::PermissionDenied => format!("no permission to read `{name}`"),
            _ => format!("cannot read `{name}`: {error}"),
        };
        rejected(
            Sources::new(SourceFile::new(name.clone(), "")),
            vec![Diagnostic::error(Span::default(), message)],
        )
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if path.extension().is_some_and(|extension| extension == "i") {
        let made = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        return Ok((preprocessed(name, text, made), Vec::new()));
    }
    let model = SourceFile::new(name, text);
    let origins = origins(&model, Stage::Written);
    let sources = Sources::new(model.made_from(origins));
    let (output, borrowed) = match with_headers(path, preprocessing) {
        Ok(output) => output,
        Err(message) => return Err(rejected(sources, vec![message])),
    };
    let expanded = String::from_utf8_lossy(&output.stdout).into_owned();
    let sources = with_included(sources, &expanded, None);
    let mut sources = sources;
    let mut diagnostics = messages(&mut sources, &String::from_utf8_lossy(&output.stderr));
    diagnostics.extend(borrowed);
    if !output.status.success() {
        if !system::frontend::has_errors(&diagnostics) {
            let message = format!("the preprocessor failed: {}", output.status);
            diagnostics.push(Diagnostic::error(Span::default(), message));
        }
        return Err(rejected(sources, diagnostics));
    }
    let name = format!("{} after the preprocessor", path.display());
    Ok((
        sources.with_file(Role::Preprocessed, SourceFile::new(name, expanded)),
        diagnostics,
    ))
}

/// Builds the rejection with all diagnostics.
fn rejected(sources: Sources, diagnostics: Vec<Diagnostic>) -> Rejected {
    Rejected { sources, diagnostics }
}

/// Text that was preprocessed before, with those of its source files that exist and have not changed since.
pub fn preprocessed(name: impl Into<String>, text: impl Into<String>, made: Option<SystemTime>) -> Sources {
    let file = SourceFile::new(name, text);
    let origins = origins(&file, Stage::Preprocessed);
    let text = file.text.clone();
    let sources = Sources::new(file.made_from(origins));
    match made {
        Some(made) => with_included(sources, &text, Some(made)),
        None => sources,
    }
}

/// The origins of the lines of a file, according to its markers.
fn origins(file: &SourceFile, stage: Stage) -> Vec<Origin> {
    let mut name: Arc<str> = Arc::from(file.name.as_str());
    let markers = lex::lex(&file.text, stage).markers.into_iter();
    let origins = markers.map(|marker| {
        if let Some(other) = marker.file {
            name = Arc::from(other);
        }
        Origin {
            offset: marker.offset,
            name: Arc::clone(&name),
            line: marker.line,
        }
    });
    origins.collect()
}

/// The sources with all files that markers name, unless they changed after this time.
fn with_included(sources: Sources, text: &str, made: Option<SystemTime>) -> Sources {
    let mut known: FxHashSet<String> = FxHashSet::default();
    known.insert(sources.model().name.clone());
    let mut sources = sources;
    for line in text.lines().filter(|line| line.starts_with('#')) {
        let Some(name) = lex::marked_file(line) else {
            continue;
        };
        if known.contains(&name) || name.starts_with('<') {
            continue;
        }
        if let Some(text) = included(Path::new(&name), made) {
            sources = sources.with_file(Role::Included, SourceFile::new(name.clone(), text));
        }
        known.insert(name);
    }
    sources
}

fn included(path: &Path, made: Option<SystemTime>) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    if let Some(made) = made
        && metadata.modified().ok()? > made
    {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Preprocesses a file. If the headers of the 32-bit system are not installed, those of the 64-bit system are used,
/// which support both; a note reports it.
fn with_headers(path: &Path, preprocessing: &Preprocessing) -> Result<(Output, Option<Diagnostic>), Diagnostic> {
    let output = run(path, preprocessing, &[])?;
    if output.status.success() || preprocessing.machine != Some("-m32") || !lacks_headers(&output) {
        return Ok((output, None));
    }
    let Some(headers) = OtherHeaders::new(preprocessing) else {
        return Ok((output, None));
    };
    let output = run(path, preprocessing, &headers.options())?;
    let message = "the C library for 32 bits is not installed: the headers of the one for 64 bits are read, \
                   as gcc -m32 would read them";
    Ok((output, Some(Diagnostic::warning(Span::default(), message))))
}

/// Whether a system header includes a missing file.
fn lacks_headers(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines();
    lines.any(|line| line.starts_with("/usr/include/") && line.ends_with("No such file or directory"))
}

/// Headers for another data model. The file that they lack for ours lists stubs only, so an empty one replaces it in a
/// temporary folder.
struct OtherHeaders {
    system: PathBuf,
    ours: children::Folder,
}

impl OtherHeaders {
    fn new(preprocessing: &Preprocessing) -> Option<OtherHeaders> {
        let mut programs = preprocessing.programs().into_iter();
        let name = programs.find_map(|program| {
            let mut command = Command::new(program);
            let output = children::output(command.args(["-m64", "-print-multiarch"]), &[]).ok()?;
            let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
            (!name.is_empty()).then_some(name)
        })?;
        let headers = OtherHeaders {
            system: Path::new("/usr/include").join(name),
            ours: children::folder("headers").ok()?,
        };
        std::fs::create_dir_all(headers.ours.path().join("gnu")).ok()?;
        std::fs::write(headers.ours.path().join("gnu/stubs-32.h"), "").ok()?;
        Some(headers)
    }

    /// Searched after all other folders.
    fn options(&self) -> Vec<OsString> {
        let folders = [self.system.as_path(), self.ours.path()].into_iter();
        folders
            .flat_map(|folder| [OsString::from("-idirafter"), folder.as_os_str().to_owned()])
            .collect()
    }
}

fn run(path: &Path, preprocessing: &Preprocessing, further: &[OsString]) -> Result<Output, Diagnostic> {
    let programs = preprocessing.programs();
    for program in &programs {
        let mut command = Command::new(program);
        // Declares functions of ctype.h as functions, not as macros on tables of one C library.
        command
            .args(["-E", "-std=gnu11", "-D__NO_CTYPE", "-imacros", "/dev/stdin"])
            .args(preprocessing.machine);
        for folder in &preprocessing.include_paths {
            command.arg("-I").arg(folder);
        }
        for definition in &preprocessing.definitions {
            command.arg(format!("-D{definition}"));
        }
        command.args(further);
        // The language is C regardless of the file extension.
        command.args(["-x", "c"]).arg(path);
        command.env("LC_ALL", "C");
        let output = children::output(&mut command, ATOMICS.as_bytes());
        match output {
            Ok(output) => return Ok(output),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("the preprocessor `{program}` cannot be run: {error}");
                return Err(Diagnostic::error(Span::default(), message));
            }
        }
    }
    let names: Vec<String> = programs.iter().map(|program| format!("`{program}`")).collect();
    let message = format!("no C compiler is installed to preprocess {}", path.display());
    let help = format!(
        "looked for {}; a file that was preprocessed, with a name in `.i`, needs none",
        names.join(", ")
    );
    Err(Diagnostic::error(Span::default(), message).help(help))
}

/// Parses the preprocessor's messages: `file:line:column: error: message`.
fn messages(sources: &mut Sources, text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in text.lines() {
        let kinds = [(": fatal error: ", true), (": error: ", true), (": warning: ", false)];
        let Some((place, message, is_error)) = kinds
            .iter()
            .find_map(|(mark, is_error)| line.split_once(mark).map(|(place, text)| (place, text, *is_error)))
        else {
            continue;
        };
        let span = place_of(sources, place).unwrap_or_default();
        let message = message.strip_suffix(" [-Wcpp]").unwrap_or(message);
        let message = format!("the preprocessor says: {message}");
        let mut diagnostic = if is_error {
            Diagnostic::error(span, message)
        } else {
            Diagnostic::warning(span, message)
        };
        if diagnostic.message.ends_with("No such file or directory") {
            diagnostic = diagnostic.help("`-I FOLDER` says where included files are");
        }
        found.push(diagnostic);
    }
    found
}

/// `file:line:column`
fn place_of(sources: &mut Sources, place: &str) -> Option<Span> {
    let (rest, column) = place.rsplit_once(':')?;
    let (name, line) = rest.rsplit_once(':')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let files = || std::iter::once(sources.model()).chain(sources.additions());
    if !files().any(|file| file.name == name) {
        let text = included(Path::new(name), None)?;
        *sources = sources.with_file(Role::Included, SourceFile::new(name, text));
    }
    let file = std::iter::once(sources.model())
        .chain(sources.additions())
        .find(|file| file.name == name)?;
    let mut start = 0;
    for _ in 1..line {
        start += file.text.get(start..)?.find('\n')? + 1;
    }
    let text = file.text.get(start..)?.lines().next()?;
    let offset = column.saturating_sub(1).min(text.len());
    // The word or the quoted name that begins there.
    let rest = text.get(offset..).unwrap_or("");
    let is_end = |character: char| character.is_whitespace() || character == ')';
    let length = rest
        .find(is_end)
        .unwrap_or(rest.len())
        .max(usize::from(!rest.is_empty()));
    Some(Span::new(file.id(), start + offset, start + offset + length))
}
