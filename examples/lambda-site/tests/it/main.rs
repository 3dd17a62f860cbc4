//! The site as Lambda runs it: its program is started, given events by the runtime API, frozen between them, and killed.

mod pages;
mod queue;
mod start;
mod time;
mod trouble;
mod world;
