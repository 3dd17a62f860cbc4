//! Scenarios that the typed toolkit passes on every store. They are YAML files; [`scenario`] says what can stand in them,
//! [`player`] plays them, and the models they speak of are in [`subject`].

pub mod answer;
pub mod player;
pub mod scenario;
pub mod subject;
pub mod value;
