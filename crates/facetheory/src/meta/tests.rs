//! The meta store on a store that can be told to misbehave: every method, every refusal, every lost answer.

mod basics;
mod guard;
mod held;
mod hostile;
mod intent;
mod lease;
mod lost_answer;
mod publish;
mod purge;
mod request;
mod sweep;
mod version;
mod world;
