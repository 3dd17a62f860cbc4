//! Settings that are taken up while it runs, and those that are not.

use super::world::{World, header, settings};
use crate::origin::raw::Raw;

const PASS: &str =
    "origin = 'ORIGIN'\ncaller_secret = 'one-sixteen-signs'\n[[route]]\npath = '/{*rest}'\nkind = 'pass'";
const LIMITED: &str = "origin = 'ORIGIN'\ncaller_secret = 'two-sixteen-signs'\n[limits]\nbody_max = '1KiB'\n[[route]]\npath = '/{*rest}'\nkind = 'pass'\nrate_limits = [{ limit = '1/h' }]";

#[tokio::test]
async fn limits_are_taken_up_and_what_needs_a_restart_is_named_and_stays() {
    let application = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let world = World::start(application.address, PASS).await;
    for _ in 0..3 {
        assert_eq!(world.get("/").await.status(), 200);
    }
    let rest = world.gateway.reload(settings(application.address, LIMITED)).unwrap();
    assert_eq!(rest, ["limits", "caller_secret"]);
    assert_eq!(world.get("/").await.status(), 200);
    assert_eq!(world.get("/").await.status(), 429);
    // They are still different after a second reading.
    let rest = world.gateway.reload(settings(application.address, LIMITED)).unwrap();
    assert_eq!(rest, ["limits", "caller_secret"]);
    world.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn a_route_of_its_own_counts_before_one_that_takes_everything() {
    let application = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let home = "[[route]]\npath = '/'\nkind = 'page'";
    let world = World::start(application.address, &format!("{PASS}\n{home}")).await;
    let state = async |path: &str| header(&world.get(path).await, "cache-status").to_owned();
    assert_eq!(state("/").await, "theory; fwd=miss; stored");
    assert_eq!(state("/other").await, "theory; fwd=bypass");
    world.gateway.stop().await.unwrap();
}
