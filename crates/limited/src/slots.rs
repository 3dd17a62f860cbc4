//! Concurrency slots: at most so many of an identifier's requests at once, across all processes. Each holder has a slot for a term,
//! gives it back or renews it, and loses it when it is gone without a word.
//!
//! # The row
//!
//! One row for each name and identifier, with the sort key `SLOTS`. The slot `k` is two attributes: `t<k>`, a random token that says
//! whose it is, and `u<k>`, until when, in milliseconds since 1970. A slot is free if `u<k>` is missing, past, or further away
//! than the longest term, which only a wrong clock can write. To take a slot is one UpdateItem on one slot, whatever their number;
//! which one is guessed from what this process has seen, and a wrong guess comes back with the row. A row of 35 slots in use costs
//! one write unit, one of 256 costs seven.
//!
//! # What is promised
//!
//! - Never more holders than slots, by clocks that agree: a slot is taken only after its time, in one conditional write.
//! - A write whose answer was lost is sent again, byte for byte, and recognises itself by its token. If that is lost too, the next
//!   request of this process for the same row takes the slot over, so a request that is repeated does not hold two.
//! - A limit that was lowered holds for who comes from then on. Slots above it are given back or lapse, and are not taken again.

mod acquire;
mod guard;
mod held;
mod protocol;
mod row;
mod tenure;
mod view;

pub use acquire::{Acquire, Slots};
pub use guard::Guarded;
pub use held::{Release, Renewal, Slot};
