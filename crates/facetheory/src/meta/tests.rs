//! The meta store on a store that can be told to misbehave: every method, every refusal, every lost answer.

mod basics;
mod world;
