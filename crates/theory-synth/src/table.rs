//! A table, from the same definition that the runtime works with: keys, indexes and the attribute by which items expire come from
//! models, and only what models say nothing about is chosen here.

mod billing;
mod encryption;
mod properties;
mod resource;
mod scaling;
mod settings;

pub use billing::{Billing, Capacity};
pub use encryption::Encryption;
pub use resource::TableResource;
pub use settings::TableSettings;
