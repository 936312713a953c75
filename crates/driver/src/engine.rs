//! The proof engines, by name.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Exactly, by images of sets of abstract states.
    Implicit,
    /// In an abstract relation that is refined where a counterexample needs it.
    Approximate,
    /// By facts about every size, which examples of a small instance suggest.
    Indexed,
}

impl Engine {
    pub const ALL: [Engine; 3] = [Engine::Implicit, Engine::Approximate, Engine::Indexed];

    pub fn name(self) -> &'static str {
        match self {
            Engine::Implicit => "implicit",
            Engine::Approximate => "approximate",
            Engine::Indexed => "indexed",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }
}
