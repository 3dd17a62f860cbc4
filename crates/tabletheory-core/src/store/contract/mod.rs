//! The contract every [`Store`](crate::Store) keeps: DynamoDB's observable behaviour as small cases that use nothing
//! but the trait. One suite, many worlds: the engine in memory and on disk, the engine behind HTTP, AWS's DynamoDB Local,
//! the service itself.
//!
//! A test binary says how to make a [`World`] and how to wait for a future, and gets one test for each case:
//!
//! ```ignore
//! tabletheory_core::store_contract!(World::new(Arc::new(Engine::memory())), futures_executor::block_on);
//! ```
//!
//! Cases compare an error's code always and its message where the service's wording is stable. A case panics where the
//! store breaks the contract.

mod jar;
mod list;
mod local;
mod words;
mod world;

mod batch;
mod capacity;
mod conditions;
mod indexes;
mod items;
mod keys;
mod projection;
mod query;
mod recipes;
mod scan;
mod schema;
mod sizes;
mod statements;
mod streams;
mod tables;
mod tags;
mod transactions;
mod ttl;
mod updates;

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Poll;

pub use jar::DynamoDbLocal;
pub use local::DYNAMODB_LOCAL_2020;
pub use world::{BoxFuture, Pause, Quirk, World};

/// One claim about every store.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Topic and claim, such as `items::a_put_replaces_the_whole_item`.
    pub name: &'static str,
    /// Puts the claim to the test in a world of its own; panics if it does not hold.
    pub run: fn(World) -> BoxFuture<'static, ()>,
}

macro_rules! list_cases {
    (() $($topic:ident { $($case:ident,)* })*) => {
        /// Every case, by topic.
        #[must_use]
        pub fn cases() -> Vec<Case> {
            vec![$($(Case {
                name: concat!(stringify!($topic), "::", stringify!($case)),
                run: |world| Box::pin($topic::$case(world)),
            },)*)*]
        }
    };
}
crate::__store_contract_cases!(list_cases, ());

/// Runs the case called `name`, removes the tables it made, and panics if the claim does not hold, or if it holds
/// although the world lists it as a [`Quirk`]. That the store was out of reach or broke explains no quirk.
///
/// # Panics
/// As said, and if there is no such case.
pub async fn check(name: &str, world: World) {
    let case =
        cases().into_iter().find(|case| case.name == name).expect("the contract has a case of this name");
    let world = world.in_case(name);
    let outcome = caught((case.run)(world.clone())).await;
    world.clear().await;
    match (outcome, world.quirk(name)) {
        (Ok(()), None) => {}
        (Err(panic), Some(_)) if is_difference(panic.as_ref()) => {}
        (Err(panic), _) => resume_unwind(panic),
        (Ok(()), Some(quirk)) => panic!("{name} holds, although it is listed: {}", quirk.why),
    }
}

/// The outcome of a case that may panic, so that its tables can be removed either way.
async fn caught(mut case: BoxFuture<'static, ()>) -> Result<(), Box<dyn Any + Send>> {
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| case.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(())) => Poll::Ready(Ok(())),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Whether a case panicked because the store answered something else, and not because it could not answer.
fn is_difference(panic: &(dyn Any + Send)) -> bool {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    // The codes of `StoreError::Internal` and `StoreError::Unavailable`.
    !["InternalServerError", "ServiceUnavailable"].iter().any(|code| text.contains(code))
}

/// Makes a test for each case of the contract, in a module for each topic.
///
/// The first argument is an expression that makes the [`World`] of one case; the second is a function that waits for a
/// future, such as `futures_executor::block_on`. Names in both are looked up where the macro is called.
#[macro_export]
macro_rules! store_contract {
    ($world:expr, $block_on:expr $(,)?) => {
        $crate::__store_contract_cases!($crate::__store_contract_tests, (($world)($block_on)));
    };
}

/// The tests of [`store_contract!`].
#[doc(hidden)]
#[macro_export]
macro_rules! __store_contract_tests {
    ($arguments:tt $($topic:ident $cases:tt)*) => {
        $($crate::__store_contract_topic! { $arguments $topic $cases })*
    };
}

/// The tests of one topic.
#[doc(hidden)]
#[macro_export]
macro_rules! __store_contract_topic {
    ((($world:expr) ($block_on:expr)) $topic:ident { $($case:ident,)* }) => {
        mod $topic {
            #[allow(unused_imports, reason = "the expressions may or may not name things of the calling module")]
            use super::*;

            $(
                #[test]
                fn $case() {
                    let name = concat!(stringify!($topic), "::", stringify!($case));
                    ($block_on)($crate::store::contract::check(name, $world));
                }
            )*
        }
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{DYNAMODB_LOCAL_2020, cases, is_difference};

    #[test]
    fn every_case_has_a_name_of_its_own_and_every_quirk_names_a_case() {
        let names: BTreeSet<&str> = cases().iter().map(|case| case.name).collect();
        assert_eq!(names.len(), cases().len());
        assert!(DYNAMODB_LOCAL_2020.iter().all(|quirk| names.contains(quirk.case)));
    }

    #[test]
    fn a_store_out_of_reach_explains_no_quirk() {
        assert!(is_difference(&"a page is longer"));
        assert!(is_difference(&"PutItem was refused: ValidationException: no".to_owned()));
        assert!(!is_difference(&"PutItem was refused: ServiceUnavailable: nobody listens".to_owned()));
        assert!(!is_difference(&"PutItem was refused: InternalServerError: it broke".to_owned()));
    }
}
