//! The tables of the file, and how they are headed.

/// A table of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Above the first heading.
    Top,
    /// `[tls]`.
    Tls,
    /// `[admin]`.
    Admin,
    /// `[store]`.
    Store,
    /// `[tables]`.
    Tables,
    /// `[bodies]`.
    Bodies,
    /// `[memory]`.
    Memory,
    /// `[limits]`.
    Limits,
    /// `[telemetry]`.
    Telemetry,
    /// `[[site]]`.
    Site,
    /// `[origin]` or `[site.origin]`.
    Origin,
    /// `[[route]]` or `[[site.route]]`.
    Route,
    /// `rate_limits` of a route.
    RateLimit,
    /// `idempotency` of a route.
    Idempotency,
}

impl Scope {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 14] = [
        Self::Top,
        Self::Tls,
        Self::Admin,
        Self::Store,
        Self::Tables,
        Self::Bodies,
        Self::Memory,
        Self::Limits,
        Self::Telemetry,
        Self::Site,
        Self::Origin,
        Self::Route,
        Self::RateLimit,
        Self::Idempotency,
    ];

    /// How it is headed in a file.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Top => "the top of the file",
            Self::Tls => "[tls]",
            Self::Admin => "[admin]",
            Self::Store => "[store]",
            Self::Tables => "[tables]",
            Self::Bodies => "[bodies]",
            Self::Memory => "[memory]",
            Self::Limits => "[limits]",
            Self::Telemetry => "[telemetry]",
            Self::Site => "[[site]]",
            Self::Origin => "[origin]",
            Self::Route => "[[route]]",
            Self::RateLimit => "rate_limits",
            Self::Idempotency => "idempotency",
        }
    }
}
