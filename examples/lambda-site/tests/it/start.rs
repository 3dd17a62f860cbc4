//! A process starts once, or says why it does not.

use theory_lambda::testing::Outcome;

use crate::world::{TIME, World};

#[tokio::test]
async fn a_process_is_initialised_once_for_twenty_invocations() {
    let world = World::new().await;
    let function = world.launch();
    for _ in 0..20 {
        let answer = world.get("/").await;
        assert_eq!((answer.status, answer.text()), (200, "A news site. Articles are at /news/{slug}.\n"));
    }
    let frozen = async {
        while !function.is_frozen() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(TIME, frozen).await.expect("nothing goes on beside the last answer");
    let initialised = function.lines().iter().filter(|line| *line == "initialised").count();
    assert_eq!(initialised, 1);
}

#[tokio::test]
async fn lambda_is_told_why_a_process_cannot_be_initialised() {
    let mut world = World::new().await;
    world.unset("FACETHEORY_ISR_BUCKET");
    let mut function = world.launch();
    let outcome = world.lambda.invoke(serde_json::json!({}), TIME).await;
    let Outcome::NotInitialised { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("FACETHEORY_ISR_BUCKET has to be"), "{message}");
    function.ended().await;

    world.set("FACETHEORY_ISR_BUCKET", "bodies");
    world.set("SITE_FRESH_SECONDS", "soon");
    let mut function = world.launch();
    let outcome = world.lambda.invoke(serde_json::json!({}), TIME).await;
    let Outcome::NotInitialised { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("SITE_FRESH_SECONDS has to be a number of seconds: invalid digit"), "{message}");
    function.ended().await;

    world.unset("SITE_FRESH_SECONDS");
    let _function = world.launch();
    assert_eq!(world.get("/news/one").await.status, 200, "the next process is well");
}
