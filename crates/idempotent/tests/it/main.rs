//! The machine from outside: what callers see, what the store is asked, and what trouble does.

mod bodies;
mod claims;
mod consumer;
mod crowd;
mod defects;
mod endings;
mod entries;
mod figures;
mod hostile;
mod orphans;
mod process;
mod table;
mod threads;
mod trouble;
mod world;
