//! From a path to a checked model, whichever language it is in. The path `-` is the standard input.
//!
//! Whatever is wrong with the file or with what the options say about it comes back as [`Rejected`]: all diagnostics of
//! one run, each with its place.

use crate::front_end::FrontEnds;
use logic::Cancellation;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use system::frontend::{TypeSize, language_of};
use system::instance::Instance;
use system::{Diagnostic, Language, Model, ReadOptions, Rejected, Role, SourceFile, Sources, Span};

/// What standard input is called in messages.
const STANDARD_INPUT: &str = "<stdin>";

/// Far beyond any model; spans count bytes in 32 bits.
const LARGEST_FILE: u64 = 64 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A model without errors.
#[derive(Clone)]
pub struct Input {
    pub model: Arc<dyn Model>,
    /// Warnings and notes, of the front end and of whoever looked at the model since.
    pub diagnostics: Vec<Diagnostic>,
}

impl Input {
    /// Reads a model.
    pub fn read(file: &Path, reading: &ReadOptions) -> Result<Input, Rejected> {
        Input::read_by(FrontEnds::default(), file, reading)
    }

    /// Reads a model, by one of these front ends.
    fn read_by(front_ends: FrontEnds, file: &Path, reading: &ReadOptions) -> Result<Input, Rejected> {
        let language = language(front_ends, file, reading)?;
        let model = language.read(read_file(file)?, reading)?;
        Ok(Input::new(model))
    }

    /// A model that is there as text; its name tells the language.
    pub fn of_text(file: SourceFile, reading: &ReadOptions) -> Result<Input, Rejected> {
        let language = language(FrontEnds::default(), Path::new(&file.name), reading)?;
        language.read(file, reading).map(Input::new)
    }

    /// Reads a model, and files that add something to it.
    pub fn read_with(
        front_ends: FrontEnds,
        file: &Path,
        reading: &ReadOptions,
        files: &[(Role, &Path)],
    ) -> Result<Input, Rejected> {
        let model = Input::read_by(front_ends, file, reading)?;
        files
            .iter()
            .try_fold(model, |model, (role, path)| model.with_file(*role, path))
    }

    fn new(model: Box<dyn Model>) -> Input {
        Input {
            diagnostics: model.diagnostics().to_vec(),
            model: Arc::from(model),
        }
    }

    /// The same with what one more file adds to it.
    pub fn with_file(&self, role: Role, path: &Path) -> Result<Input, Rejected> {
        self.model.with_file(role, read_file(path)?).map(Input::new)
    }

    /// The same with these sizes of types.
    pub fn with_sizes(&self, sizes: &[(String, i64)]) -> Result<Input, Rejected> {
        self.model.with_sizes(sizes).map(Input::new)
    }

    /// The same, where reads of undefined values are errors in proofs.
    pub fn with_read_assertions(&self) -> Result<Input, Rejected> {
        self.model.with_read_assertions().map(Input::new)
    }

    /// The same as a proof takes it: its sizes and its notes are final, and it has a transition system.
    pub fn for_proof(&self, cancellation: &Cancellation) -> Result<Input, Rejected> {
        self.model.for_proof(cancellation).map(Input::new)
    }

    pub fn sources(&self) -> &Sources {
        self.model.sources()
    }

    /// The file of the model itself.
    pub fn file(&self) -> &SourceFile {
        self.model.sources().model()
    }

    pub fn sizes(&self) -> &[TypeSize] {
        self.model.sizes()
    }

    pub fn language(&self) -> &'static dyn Language {
        self.model.language()
    }

    /// The finite instance, with warnings added to the input's own.
    pub fn instance(&mut self) -> Result<Instance, Rejected> {
        let (instance, mut diagnostics) = self.model.instance()?;
        self.diagnostics.append(&mut diagnostics);
        Ok(instance)
    }
}

/// The names of all languages; upper and lower case are the same in what a user says.
pub fn language_names() -> Vec<&'static str> {
    let languages = FrontEnds::default().languages().into_iter();
    languages.map(|language| language.name()).collect()
}

/// The language that the user names; else that which the name of the file tells, and for standard input the first.
fn language(front_ends: FrontEnds, path: &Path, reading: &ReadOptions) -> Result<&'static dyn Language, Rejected> {
    let known = front_ends.languages();
    let Some(name) = &reading.language else {
        return match is_standard_input(path) {
            true => Ok(&murphi::Murphi),
            false => language_of(path, &known).map_err(|found| unreadable(path, found)),
        };
    };
    let mut languages = known.into_iter();
    let named = languages.find(|language| language.name().eq_ignore_ascii_case(name));
    named.ok_or_else(|| {
        let message = format!(
            "there is no language `{name}`; there are {}",
            language_names().join(", ")
        );
        unreadable(path, Diagnostic::error(Span::default(), message))
    })
}

/// Whether a path as the user gives it stands for the standard input. A file of that name is `./-`.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// How a path is shown.
pub fn shown_name(path: &Path) -> String {
    match is_standard_input(path) {
        true => STANDARD_INPUT.to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}

/// A file of which nothing is known but its name.
fn unreadable(path: &Path, found: Diagnostic) -> Rejected {
    let nothing = SourceFile::new(shown_name(path), "");
    Rejected::new(Sources::new(nothing), vec![found])
}

pub fn read_file(path: &Path) -> Result<SourceFile, Rejected> {
    let text = read_text(path).map_err(|found| unreadable(path, found))?;
    Ok(SourceFile::new(shown_name(path), text))
}

/// The bytes of a file, at most one more than a model may have.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match is_standard_input(path) {
        true => io::stdin().lock().take(LARGEST_FILE + 1).read_to_end(&mut bytes)?,
        false => {
            let file = File::open(path)?;
            // One byte more, to see that it ends there. A file that says nothing of its length is read all the same.
            let length = file.metadata().map_or(0, |metadata| metadata.len()).min(LARGEST_FILE) + 1;
            bytes.reserve_exact(usize::try_from(length).unwrap_or_default());
            file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?
        }
    };
    Ok(bytes)
}

/// The text of a file. What standard input says can be had once only, and a model may be read again, with other
/// integers say: so it is kept.
fn read_text(path: &Path) -> Result<String, Diagnostic> {
    static KEPT: OnceLock<Result<String, Diagnostic>> = OnceLock::new();
    match is_standard_input(path) {
        true => KEPT.get_or_init(|| decoded(path)).clone(),
        false => decoded(path),
    }
}

/// The text without a byte order mark.
fn decoded(path: &Path) -> Result<String, Diagnostic> {
    let shown = shown_name(path);
    let complaint = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        io::ErrorKind::IsADirectory => format!("`{shown}` is a folder, not a model"),
        io::ErrorKind::PermissionDenied => format!("no permission to read `{shown}`"),
        _ => format!("cannot read `{shown}`: {error}"),
    };
    let bytes = read_bytes(path).map_err(|error| Diagnostic::error(Span::default(), complaint(error)))?;
    if bytes.len() as u64 > LARGEST_FILE {
        let message = format!(
            "`{shown}` is larger than {} MB, too large for a model",
            LARGEST_FILE >> 20
        );
        return Err(Diagnostic::error(Span::default(), message));
    }
    // Murphi does not ask what the bytes of a comment mean. What is not UTF-8 is Latin-1, except for what would be an
    // operator or a control character: that is unreadable wherever it matters.
    let latin = |byte: &u8| match byte {
        0x80..=0x9f | 0xac | 0xd7 | 0xf7 => char::REPLACEMENT_CHARACTER,
        byte => char::from(*byte),
    };
    let by_chunks = |bytes: &[u8]| {
        let chunks = bytes.utf8_chunks();
        let each = chunks.flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(latin)));
        each.collect::<String>()
    };
    let mut text = String::from_utf8(bytes).unwrap_or_else(|error| by_chunks(error.as_bytes()));
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}
