//! Streams as applications read them: from the embedded engine, from a stream of many shards, and from Lambda's events.

mod changes;
mod interruptions;
mod lambda;
mod mixed;
mod resuming;
mod same_records;
mod sealed_images;
mod sharding;
mod splitting;
mod tips;
mod world;
