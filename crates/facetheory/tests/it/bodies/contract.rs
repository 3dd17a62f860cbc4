//! Every claim, in every world.

use super::claims;
use super::world::World;

macro_rules! contract {
    ($($claim:ident,)*) => {
        contract!(memory: $($claim,)*);
        contract!(folder: $($claim,)*);
        contract!(s3: $($claim,)*);
    };
    ($world:ident: $($claim:ident,)*) => {
        mod $world {
            $(
                #[tokio::test]
                async fn $claim() {
                    super::claims::$claim(super::World::$world().await).await;
                }
            )*
        }
    };
}

contract! {
    what_was_put_is_read_by_another_process,
    bodies_of_every_size_are_read_back,
    putting_the_same_bytes_again_is_harmless,
    puts_at_the_same_time_do_not_disturb_each_other,
    a_pointer_to_nothing_is_a_miss,
    a_hostile_pointer_is_a_miss,
    a_body_of_another_store_is_read,
    a_body_that_is_not_what_was_promised_is_a_miss,
    a_body_altered_in_its_place_is_a_miss,
    a_warm_body_is_served_without_asking_the_store,
    a_wrong_body_in_memory_does_not_hide_the_right_one,
    readers_at_the_same_time_cost_one_read,
    a_large_body_is_not_kept_in_memory,
    a_body_over_the_limit_is_neither_put_nor_read,
    bodies_lie_below_their_prefix,
    the_sweep_spares_young_live_and_foreign_bodies,
    the_sweep_lets_go_of_what_it_deleted,
    the_sweep_goes_through_many_bodies,
    sweeping_nothing_is_nothing,
}
