//! Numbers against tables of what the service does, and against decimal arithmetic done by hand.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::{Number, NumberError};
use crate::value::Value;

const NINES_38: &str = "99999999999999999999999999999999999999";
const NOT_NUMERIC: &str = "The parameter cannot be converted to a numeric value";
const OVERFLOW: &str =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
const UNDERFLOW: &str =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
const TOO_MANY_DIGITS: &str = "Attempting to store more than 38 significant digits in a Number";

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

fn shown(result: Result<Number, NumberError>) -> String {
    result.map_or_else(|error| error.to_string(), |number| number.to_string())
}

#[test]
fn a_number_keeps_values_at_32_bytes() {
    assert_eq!((size_of::<Number>(), align_of::<Number>()), (24, 8));
    assert_eq!(size_of::<Value>(), 32);
}

#[test]
fn text_is_read_as_the_service_reads_it() {
    let check = |text: &str, expected: &str| assert_eq!(shown(text.parse()), expected, "{text}");
    for zero in
        ["0", "-0", "+0", "000", "0.0", ".0", "0.", "-0e5", "0e1000", "0e99999999999999999999", "0e-1000"]
    {
        check(zero, "0");
    }
    check("1", "1");
    check("+1", "1");
    check("-1", "-1");
    check("1.", "1");
    check(".5", "0.5");
    check("-.5e1", "-5");
    check("0001.2300", "1.23");
    check("-17.4E37", "-174000000000000000000000000000000000000");
    check("1e+5", "100000");
    check("1E20", "100000000000000000000");
    check("12e-4", "0.0012");
    check("9223372036854775807", "9223372036854775807");
    check("18446744073709551615", "18446744073709551615");
    check("1234567890123456789.5", "1234567890123456789.5");
    check("3.1415926535897932384626433832795028841", "3.1415926535897932384626433832795028841");
    check(NINES_38, NINES_38);
    check("1e125", &format!("1{}", "0".repeat(125)));
    check(&format!("{NINES_38}e88"), &format!("{NINES_38}{}", "0".repeat(88)));
    check("1e-130", &format!("0.{}1", "0".repeat(129)));
    check(&format!("-{NINES_38}e-167"), &format!("-0.{}{NINES_38}", "0".repeat(129)));
    check(&format!("{}1{}", "0".repeat(500), "0".repeat(100)), &format!("1{}", "0".repeat(100)));
    check(&format!("0.{}1e500", "0".repeat(499)), "1");
    check(&format!("1{}e-500", "0".repeat(500)), "1");
}

#[test]
fn other_text_is_refused_in_the_services_words() {
    let check = |text: &str, expected: &str| assert_eq!(shown(text.parse()), expected, "{text}");
    check("", NOT_NUMERIC);
    for text in [
        "abc",
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "1_000",
        "1,5",
        " 1",
        "1 ",
        "\t1",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "+",
        "--1",
        "+-1",
        "1-",
        "1.2.3",
        "1..2",
        "1e5e5",
        "1e1.5",
        ".e1",
        "-.",
        "١",
        "1\0",
    ] {
        check(text, &format!("{NOT_NUMERIC}: {text}"));
    }
    check("1e126", OVERFLOW);
    check("-11e125", OVERFLOW);
    check("1.0e100000000", OVERFLOW);
    check("1e99999999999999999999999999", OVERFLOW);
    check("1e-131", UNDERFLOW);
    check("0.9e-130", UNDERFLOW);
    check("-1e-99999999999999999999999999", UNDERFLOW);
    check("314159265358979323846264338327950288419", TOO_MANY_DIGITS);
    check("-3.14159265358979323846264338327950288419", TOO_MANY_DIGITS);
    check(&format!("1{}1", "0".repeat(37)), TOO_MANY_DIGITS);
    check(&format!("{NINES_38}9e300"), OVERFLOW);
    check(&format!("{NINES_38}9e-300"), UNDERFLOW);
}

#[test]
fn integers_come_and_go() {
    let check = |text: &str, signed: Option<i64>, unsigned: Option<u64>| {
        assert_eq!((number(text).to_i64(), number(text).to_u64()), (signed, unsigned), "{text}");
    };
    check("0", Some(0), Some(0));
    check("1700000000", Some(1_700_000_000), Some(1_700_000_000));
    check("-1200", Some(-1200), None);
    check("1.5", None, None);
    check("-9223372036854775808", Some(i64::MIN), None);
    check("-9223372036854775809", None, None);
    check("9223372036854775808", None, Some(1 << 63));
    check("18446744073709551615", None, Some(u64::MAX));
    check("18446744073709551616", None, None);
    check("1e38", None, None);
    check("1e125", None, None);
    assert_eq!(Number::from(i64::MIN), number("-9223372036854775808"));
    assert_eq!(Number::from(u64::MAX), number("18446744073709551615"));
    assert_eq!(Number::from(0u8), Number::ZERO);
    assert_eq!(Number::from(1_000i32), number("1e3"));
    assert!(number("1e125").is_integer() && Number::ZERO.is_integer() && !number("0.5").is_integer());
    assert!(number("-1").is_negative() && !number("-0").is_negative() && number("-0").is_zero());
}

#[test]
fn sizes_count_base_100_digits() {
    let check = |text: &str, bytes: usize| assert_eq!(number(text).size_bytes(), bytes, "{text}");
    check("0", 1);
    check("1", 2);
    check("99", 2);
    check("100", 2);
    check("123", 3);
    check("990", 3);
    check("1000", 2);
    check("-1", 3);
    check("0.1", 2);
    check("0.01", 2);
    check("0.05", 2);
    check("1.5", 3);
    check("10.5", 3);
    check("0.015", 3);
    check("1700000000", 2);
    check("1700000001", 6);
    check(NINES_38, 20);
    check(&format!("{NINES_38}e1"), 21);
    check(&format!("-{NINES_38}"), 21);
    check(&format!("-{NINES_38}e1"), 21);
}

#[test]
fn sums_are_exact_or_refused() {
    let check = |left: &str, right: &str, sum: &str| {
        assert_eq!(shown(number(left).checked_add(&number(right))), sum, "{left} + {right}");
        assert_eq!(shown(number(right).checked_add(&number(left))), sum, "{right} + {left}");
    };
    check("1", "1", "2");
    check("0", "-5", "-5");
    check("0", "0", "0");
    check("1.5", "-1.5", "0");
    check("0.1", "0.2", "0.3");
    check("1", "10000000000000000000000", "10000000000000000000001");
    check(NINES_38, "1", "100000000000000000000000000000000000000");
    check("1e38", "-1", NINES_38);
    check("2e38", "-1", OVERFLOW);
    check("1e39", "-1", OVERFLOW);
    check("1e38", "1", OVERFLOW);
    check("1e125", "1e-130", OVERFLOW);
    check("9e125", "9e125", OVERFLOW);
    check(&format!("{NINES_38}e88"), "1e88", OVERFLOW);
    check("1.1e-130", "-1e-130", UNDERFLOW);
    check("1e-130", "1e-130", &format!("0.{}2", "0".repeat(129)));
    assert_eq!(number("1").checked_sub(&number("3")), Ok(number("-2")));
    assert_eq!(number("0").checked_sub(&number("0")), Ok(Number::ZERO));
    assert_eq!(number("9e125").checked_sub(&number("-9e125")), Err(NumberError::Overflow));
}

#[test]
fn numbers_are_ordered_by_value_and_so_are_their_bytes() {
    let ascending = [
        "-9.9e125",
        "-1e125",
        "-1001",
        "-1000",
        "-999.9",
        "-12",
        "-11",
        "-10.1",
        "-10",
        "-1.01",
        "-1",
        "-0.99",
        "-1e-130",
        "0",
        "1e-130",
        "1.01e-130",
        "0.09",
        "0.1",
        "0.99",
        "1",
        "1.000001",
        "1.01",
        "9",
        "10",
        "10.1",
        "11",
        "12",
        "99",
        "100",
        "999.9",
        "1000",
        "1001",
        "1e125",
        "9.9e125",
    ];
    for (left_at, left) in ascending.iter().enumerate() {
        for (right_at, right) in ascending.iter().enumerate() {
            let order = left_at.cmp(&right_at);
            assert_eq!(number(left).cmp(&number(right)), order, "{left} {right}");
            assert_eq!(ordered(&number(left)).cmp(&ordered(&number(right))), order, "{left} {right}");
        }
    }
}

fn ordered(number: &Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode_ordered(&mut bytes);
    bytes
}

#[test]
fn ordered_bytes_are_as_documented() {
    let check = |text: &str, bytes: &[u8]| assert_eq!(ordered(&number(text)), bytes, "{text}");
    check("0", &[2]);
    check("1", &[3, 130, 11, 0]);
    check("-1", &[1, !130, !11, 255]);
    check("12", &[3, 131, 13, 0]);
    check("1203", &[3, 133, 13, 4, 0]);
    check("0.105", &[3, 129, 11, 51, 0]);
    check("1e-130", &[3, 0, 11, 0]);
    check("1e125", &[3, 255, 11, 0]);
}

#[test]
fn bytes_that_no_number_has_are_refused() {
    let mut too_long = vec![3, 130];
    too_long.extend([51; 20]);
    too_long.push(0);
    for bytes in [
        &[][..],
        &[0],
        &[4],
        &[1],
        &[3],
        &[3, 130],
        &[3, 130, 0],
        &[3, 130, 11],
        &[3, 130, 11, 1, 0],
        &[3, 130, 10, 0],
        &[3, 130, 1, 11, 0],
        &[3, 130, 101, 0],
        &[3, 130, 11, 255, 0],
        &[1, 125, 11, 0],
        &too_long,
    ] {
        let mut input = bytes;
        assert_eq!(Number::decode_ordered(&mut input), None, "{bytes:?}");
        assert_eq!(input, bytes);
    }
}

/// Decimal digits before and after the point, most significant first, wide enough for any sum.
const WHOLE: usize = 128;
const FRACTION: usize = 168;
type Decimal = [i8; WHOLE + FRACTION];

fn decimal(text: &str) -> Decimal {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = [0; WHOLE + FRACTION];
    for (digit, byte) in digits[WHOLE - whole.len()..].iter_mut().zip(whole.bytes().chain(fraction.bytes())) {
        *digit = sign * i8::try_from(byte - b'0').unwrap();
    }
    digits
}

/// The sum of two decimals as text, or the service's words if it is none.
fn sum_by_hand(left: &str, right: &str) -> String {
    let (left, right) = (decimal(left), decimal(right));
    let mut sum: Vec<i8> = left.iter().zip(right).map(|(left, right)| left + right).collect();
    let negative = sum.iter().find(|digit| **digit != 0).is_some_and(|digit| *digit < 0);
    if negative {
        sum.iter_mut().for_each(|digit| *digit = -*digit);
    }
    for at in (1..sum.len()).rev() {
        let carry = sum[at].div_euclid(10);
        sum[at] = sum[at].rem_euclid(10);
        sum[at - 1] += carry;
    }
    let Some(first) = sum.iter().position(|digit| *digit != 0) else { return "0".to_owned() };
    let last = sum.iter().rposition(|digit| *digit != 0).unwrap();
    if last - first >= 38 || first < WHOLE - 126 {
        return OVERFLOW.to_owned();
    }
    if first > WHOLE - 1 + 130 {
        return UNDERFLOW.to_owned();
    }
    let text = |digits: &[i8]| -> String {
        digits.iter().map(|digit| char::from_digit((*digit).try_into().unwrap(), 10).unwrap()).collect()
    };
    let whole = text(&sum[first.min(WHOLE - 1)..WHOLE]);
    let fraction = if last >= WHOLE { format!(".{}", text(&sum[WHOLE..=last])) } else { String::new() };
    format!("{}{whole}{fraction}", if negative { "-" } else { "" })
}

prop_compose! {
    fn any_number_between(from: i32, to: i32)
        (negative: bool, digits in "[1-9]([0-9]{0,8}|[0-9]{0,37}|0{0,36}[0-9])", magnitude in from..=to) -> Number {
        let (first, rest) = digits.split_at(1);
        number(&format!("{}{first}.{rest}e{magnitude}", if negative { "-" } else { "" }))
    }
}

/// Any number, half of them close to one, where two of them have digits in common places.
pub(crate) fn any_number() -> impl Strategy<Value = Number> {
    prop_oneof![
        1 => Just(Number::ZERO),
        6 => any::<i64>().prop_map(Number::from),
        6 => (-20i32..20).prop_map(Number::from),
        12 => any_number_between(-20, 20),
        12 => any_number_between(-130, 125),
    ]
}

fn compare_by_hand(left: &Number, right: &Number) -> Ordering {
    decimal(&left.to_string()).cmp(&decimal(&right.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_that_is_shown_is_read_back(number in any_number()) {
        prop_assert_eq!(number.to_string().parse(), Ok(number));
    }

    #[test]
    fn any_order_is_that_of_the_decimals_and_of_the_bytes(left in any_number(), right in any_number()) {
        let order = compare_by_hand(&left, &right);
        prop_assert_eq!(left.cmp(&right), order);
        prop_assert_eq!(left == right, order.is_eq());
        prop_assert_eq!(ordered(&left).cmp(&ordered(&right)), order);
    }

    #[test]
    fn any_bytes_are_read_back_and_end_where_they_should(number in any_number(), tail: [u8; 3]) {
        let mut bytes = ordered(&number);
        bytes.extend(tail);
        let mut input = bytes.as_slice();
        prop_assert_eq!(Number::decode_ordered(&mut input), Some(number));
        prop_assert_eq!(input, tail);
    }

    #[test]
    fn any_bytes_that_decode_are_canonical(first in 0u8..5, rest in prop::collection::vec(any::<u8>(), 0..24)) {
        let bytes: Vec<u8> = [first].into_iter().chain(rest).collect();
        let mut input = bytes.as_slice();
        if let Some(number) = Number::decode_ordered(&mut input) {
            prop_assert_eq!(ordered(&number), &bytes[..bytes.len() - input.len()]);
            prop_assert_eq!(number.to_string().parse(), Ok(number));
        }
    }

    #[test]
    fn any_sum_is_that_of_the_decimals(left in any_number(), right in any_number()) {
        let (left_text, right_text) = (left.to_string(), right.to_string());
        prop_assert_eq!(shown(left.checked_add(&right)), sum_by_hand(&left_text, &right_text));
        let negated = right_text.strip_prefix('-').map_or_else(|| format!("-{right_text}"), str::to_owned);
        prop_assert_eq!(shown(left.checked_sub(&right)), sum_by_hand(&left_text, &negated));
    }

    #[test]
    fn any_garbage_is_refused_without_panic(text in "[-+0-9.eE ]{0,12}") {
        if let Ok(number) = text.parse::<Number>() {
            prop_assert_eq!(number.to_string().parse(), Ok(number));
        }
    }
}
