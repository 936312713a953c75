//! Names and sorts.
//!
//! Both are interned for the life of the process, so that they are `Copy` and compare in one instruction.

use crate::hashing::WordHasher;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex};

/// An interned string, in the order of the text.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct Name(&'static Text);

/// Caches the hash. The text comes first, for the derived order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Text {
    text: Box<str>,
    hash: u64,
}

/// Interned: equal strings are the same pointer.
impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Hashes the text, not its address, so that hash tables behave the same in every process.
impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Name {
    pub fn new(text: &str) -> Name {
        static NAMES: LazyLock<Mutex<HashMap<&'static str, Name>>> = LazyLock::new(Mutex::default);
        let mut names = NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&name) = names.get(text) {
            return name;
        }
        let mut hasher = WordHasher::default();
        hasher.write(text.as_bytes());
        let leaked: &'static Text = Box::leak(Box::new(Text {
            text: text.into(),
            hash: hasher.finish(),
        }));
        names.insert(&leaked.text, Name(leaked));
        Name(leaked)
    }

    pub fn as_str(self) -> &'static str {
        &self.0.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Bool,
    /// Mathematical integers.
    Int,
    Real,
    /// A bit-vector of 1 to 128 bits.
    BitVector(u32),
    /// A non-empty finite set of any size, such as the nodes of a protocol.
    Index(Name),
    /// A finite set of named values.
    Enum(EnumSort),
    /// Finite sequences.
    List(&'static Sort),
}

/// An enumerated sort; two are equal when their names and values are.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct EnumSort(&'static (Name, Vec<Name>));

impl PartialEq for EnumSort {
    fn eq(&self, other: &EnumSort) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Hash for EnumSort {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl EnumSort {
    pub fn new(name: Name, values: Vec<Name>) -> EnumSort {
        EnumSort(intern((name, values)))
    }

    pub fn name(self) -> Name {
        self.0.0
    }

    pub fn values(self) -> &'static [Name] {
        &self.0.1
    }
}

impl Sort {
    pub fn list(element: Sort) -> Sort {
        Sort::List(intern(element))
    }

    pub fn enumeration(name: Name, values: Vec<Name>) -> Sort {
        Sort::Enum(EnumSort::new(name, values))
    }

    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVector(width) => Some(width),
            _ => None,
        }
    }

    /// Unbounded numbers.
    pub fn is_numeric(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::Real => f.write_str("Real"),
            Sort::BitVector(width) => write!(f, "(_ BitVec {width})"),
            Sort::Index(name) => write!(f, "{name}"),
            Sort::Enum(e) => write!(f, "{}", e.name()),
            Sort::List(element) => write!(f, "(List {element})"),
        }
    }
}

impl fmt::Debug for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for EnumSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// Interns a value for the life of the process.
pub(crate) fn intern<T>(value: T) -> &'static T
where
    T: Clone + Eq + std::hash::Hash + Send + Sync + 'static,
{
    use std::any::{Any, TypeId};
    type Tables = HashMap<TypeId, Box<dyn Any + Send>>;
    static TABLES: LazyLock<Mutex<Tables>> = LazyLock::new(Mutex::default);
    let mut tables = TABLES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let table = tables
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Box::new(HashMap::<T, &'static T>::new()))
        .downcast_mut::<HashMap<T, &'static T>>();
    // The table was created for exactly this type above.
    let Some(table) = table else {
        unreachable!("intern table of another type")
    };
    if let Some(found) = table.get(&value) {
        return found;
    }
    let leaked: &'static T = Box::leak(Box::new(value.clone()));
    table.insert(value, leaked);
    leaked
}
