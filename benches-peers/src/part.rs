//! The parts of a run: what can be asked for by name, measured alone, and put beside what was measured before.

/// A part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Engine,
    Http,
    Limits,
    Hits,
    Clients,
    Keys,
    Fleet,
    Reopen,
    Growth,
}

/// The word for all parts that measure pages.
const PAGES: &str = "pages";

impl Part {
    /// In the order in which they run.
    pub(crate) const ALL: [Self; 9] = [
        Self::Engine,
        Self::Http,
        Self::Limits,
        Self::Hits,
        Self::Clients,
        Self::Keys,
        Self::Fleet,
        Self::Reopen,
        Self::Growth,
    ];

    /// As the command line and the results name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Http => "http",
            Self::Limits => "limits",
            Self::Hits => "hits",
            Self::Clients => "clients",
            Self::Keys => "keys",
            Self::Fleet => "fleet",
            Self::Reopen => "reopen",
            Self::Growth => "growth",
        }
    }

    /// Whether the word names this part, alone or among others.
    pub(crate) fn answers_to(self, word: &str) -> bool {
        self.name() == word || (word == PAGES && self.is_of_pages())
    }

    /// Whether it needs the servers of pages.
    pub(crate) fn is_of_pages(self) -> bool {
        matches!(self, Self::Hits | Self::Clients | Self::Keys | Self::Fleet)
    }
}

/// Whether the word names whole parts rather than rows in them.
pub(crate) fn is_name(word: &str) -> bool {
    Part::ALL.into_iter().any(|part| part.answers_to(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_one_part_or_all_of_pages() {
        let named = |word: &str| Part::ALL.into_iter().filter(|part| part.answers_to(word)).count();
        assert_eq!((named("growth"), named("pages"), named("keys"), named("GetItem")), (1, 4, 1, 0));
        assert!(is_name("pages") && !is_name("page"));
    }
}
