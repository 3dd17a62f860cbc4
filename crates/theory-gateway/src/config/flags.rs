//! What the command line says, as texts: they are read by the same rules as the file.

/// What the command line says.
///
/// ```
/// use theory_gateway::config::Flags;
///
/// let flags = Flags::default().with("--origin", ["http://127.0.0.1:3000"]);
/// assert_eq!(flags.get("--origin").as_deref(), Some("http://127.0.0.1:3000"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Flags(Vec<(&'static str, String)>);

impl Flags {
    /// With what a flag says. Without values it says nothing.
    #[must_use]
    pub fn with<V: Into<String>>(mut self, flag: &'static str, values: impl IntoIterator<Item = V>) -> Self {
        self.0.extend(values.into_iter().map(|value| (flag, value.into())));
        self
    }

    /// What a flag says. If it was given several times, it is a list with commas.
    #[must_use]
    pub fn get(&self, flag: &str) -> Option<String> {
        let values: Vec<&str> =
            self.0.iter().filter(|(name, _)| *name == flag).map(|(_, value)| value.as_str()).collect();
        if values.is_empty() { None } else { Some(values.join(",")) }
    }
}
