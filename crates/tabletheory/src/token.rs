//! Tokens of leases and transactions: random UUIDs of version 4, written as the other toolkits write them.

use tabletheory_core::Entropy;

/// A token that nobody has seen before.
pub(crate) fn draw(entropy: &dyn Entropy) -> String {
    const VERSION_AND_VARIANT: u128 = 0xF000_C000_0000_0000_0000;
    const FOUR_AND_RFC_9562: u128 = 0x4000_8000_0000_0000_0000;
    let digits = format!("{:032x}", entropy.bits() & !VERSION_AND_VARIANT | FOUR_AND_RFC_9562);
    let (time_low, rest) = digits.split_at(8);
    let (time_mid, rest) = rest.split_at(4);
    let (version, rest) = rest.split_at(4);
    let (variant, node) = rest.split_at(4);
    format!("{time_low}-{time_mid}-{version}-{variant}-{node}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed(u128);

    impl Entropy for Fixed {
        fn bits(&self) -> u128 {
            self.0
        }
    }

    fn check(bits: u128, expected: &str) {
        assert_eq!(draw(&Fixed(bits)), expected);
    }

    #[test]
    fn a_token_is_a_uuid_of_version_four() {
        check(0, "00000000-0000-4000-8000-000000000000");
        check(u128::MAX, "ffffffff-ffff-4fff-bfff-ffffffffffff");
        check(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff, "00112233-4455-4677-8899-aabbccddeeff");
    }
}
