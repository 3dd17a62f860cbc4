//! Which changes take a restart. All others, such as those of sites, routes, limits and origins, take none.

use crate::settings::Settings;

/// What differs that a running gateway cannot take up, by the names in the file.
pub(crate) fn needs_restart(old: &Settings, new: &Settings) -> Vec<&'static str> {
    // Whoever adds a setting is made to decide here.
    let Settings {
        listen,
        edge,
        admin,
        store,
        tables,
        bodies,
        sweep_every,
        memory,
        otlp,
        trusted_proxies: _,
        caller_secret,
        preview,
        sites: _,
    } = new;
    let changes = [
        ("listen", old.listen != *listen),
        ("limits", old.edge != *edge),
        ("admin", old.admin != *admin),
        ("preview", old.preview != *preview),
        ("store", old.store != *store),
        ("tables", old.tables != *tables),
        ("bodies", old.bodies != *bodies || old.sweep_every != *sweep_every),
        ("caller_secret", old.caller_secret != *caller_secret),
        ("telemetry", old.otlp != *otlp),
        ("memory", old.memory != *memory),
    ];
    changes.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
