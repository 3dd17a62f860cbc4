//! The contract of every store, put to the engine in memory and to the engine in a folder.

use std::time::Duration;

use tabletheory_core::store::contract::BoxFuture;

/// Lets the engine's own threads work; they fill new indexes, for example. All pauses of a case together are six seconds: longer than
/// one of these threads stands still on a busy machine.
#[expect(clippy::disallowed_methods, reason = "nothing but time tells when a background thread has run")]
fn pause(span: Duration) -> BoxFuture<'static, ()> {
    std::thread::sleep(span / 20);
    Box::pin(std::future::ready(()))
}

mod memory {
    use std::sync::Arc;

    use futures_executor::block_on;
    use tabletheory_core::store::contract::World;
    use tabletheory_engine::Engine;

    use super::pause;

    fn world() -> World {
        World::new(Arc::new(Engine::memory())).with_pause(pause)
    }

    tabletheory_core::store_contract!(world(), block_on);
}

mod folder {
    use std::sync::Arc;

    use futures_executor::block_on;
    use tabletheory_core::store::contract::World;
    use tabletheory_engine::{Engine, Settings};

    use super::pause;

    fn world() -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let engine = Engine::open(folder.path(), Settings::default()).expect("an empty folder opens");
        World::new(Arc::new(engine)).with_pause(pause).with_guard(folder)
    }

    tabletheory_core::store_contract!(world(), block_on);
}
