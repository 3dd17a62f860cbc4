//! Stores that commands open by themselves, without a gateway: a folder of this machine, or DynamoDB.

mod choice;
mod folder;
mod opened;
#[cfg(feature = "aws")]
mod reach;

pub(crate) use choice::Choice;
pub(crate) use folder::is_store;
pub(crate) use opened::Opened;
