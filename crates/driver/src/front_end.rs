//! The front ends, and which kind of subject a file is. This is the one place that decides it.

use crate::reason::Kind;
use std::fmt;
use std::path::Path;
use system::Language;

/// What reads files of a kind.
#[derive(Clone, Copy)]
enum Reader {
    Model(&'static dyn Language),
    Program,
    BooleanProgram,
    Components,
}

pub struct FrontEnd {
    /// Of the files that it reads; a language of models has its own.
    extensions: &'static [&'static str],
    reader: Reader,
}

impl FrontEnd {
    /// A language of models.
    pub const fn of_models(language: &'static dyn Language) -> FrontEnd {
        FrontEnd {
            extensions: &[],
            reader: Reader::Model(language),
        }
    }

    const fn new(extensions: &'static [&'static str], reader: Reader) -> FrontEnd {
        FrontEnd { extensions, reader }
    }

    fn reads(&self, extension: &str) -> bool {
        match self.reader {
            Reader::Model(language) => language.extension() == extension,
            _ => self.extensions.contains(&extension),
        }
    }

    fn kind(&self) -> Kind {
        match self.reader {
            Reader::Model(_) => Kind::Model,
            Reader::Program => Kind::Program,
            Reader::BooleanProgram => Kind::BooleanProgram,
            Reader::Components => Kind::Components,
        }
    }
}

/// The front ends. A new one is one row.
static ALL: [FrontEnd; 5] = [
    FrontEnd::of_models(&murphi::Murphi),
    FrontEnd::of_models(&cubicle::Cubicle),
    FrontEnd::new(&["c", "i"], Reader::Program),
    FrontEnd::new(&["bp"], Reader::BooleanProgram),
    FrontEnd::new(&["spec"], Reader::Components),
];

/// A table of front ends.
#[derive(Clone, Copy)]
pub struct FrontEnds(pub &'static [FrontEnd]);

impl Default for FrontEnds {
    fn default() -> FrontEnds {
        FrontEnds(&ALL)
    }
}

impl fmt::Debug for FrontEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrontEnds({})", self.0.len())
    }
}

impl FrontEnds {
    /// The kind of a file, by its name. What no front end reads is a model: reading it says what is wrong.
    pub fn kind_of(self, path: &Path) -> Kind {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let front_end = extension.and_then(|extension| self.0.iter().find(|front_end| front_end.reads(extension)));
        front_end.map_or(Kind::Model, FrontEnd::kind)
    }

    /// The languages of models.
    pub(crate) fn languages(self) -> Vec<&'static dyn Language> {
        let language = |front_end: &FrontEnd| match front_end.reader {
            Reader::Model(language) => Some(language),
            _ => None,
        };
        self.0.iter().filter_map(language).collect()
    }
}

/// The kind of a file, by its name.
pub fn kind_of(path: &Path) -> Kind {
    FrontEnds::default().kind_of(path)
}
