//! A line of an export: `{"Item": {…}}`, the item in DynamoDB's JSON.

use serde::{Deserialize, Serialize};
use tabletheory_core::Item;

#[derive(Debug, Serialize)]
struct Written<'a> {
    #[serde(rename = "Item")]
    item: &'a Item,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    #[serde(rename = "Item")]
    item: Item,
}

/// Adds an item's line.
pub fn write(item: &Item, text: &mut Vec<u8>) {
    serde_json::to_writer(&mut *text, &Written { item })
        .expect("an item has text for keys, and a vector takes every byte");
    text.push(b'\n');
}

/// The item of a line.
///
/// # Errors
/// Why it has none.
pub fn read(line: &[u8]) -> Result<Item, String> {
    match serde_json::from_slice::<Read>(line) {
        Ok(Read { item }) if item.is_empty() => Err("the item has no attributes".to_owned()),
        Ok(Read { item }) => Ok(item),
        // Marks of who refused it are no text for people.
        Err(error) => {
            let why: String = error.to_string().chars().filter(|character| !character.is_control()).collect();
            Err(format!("{why}; a line is {{\"Item\": {{\"name\": {{\"S\": \"value\"}}, …}}}}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::Value;

    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let item =
            Item::from([("pk", Value::s("a\n\"é")), ("b", Value::B(vec![0, 255])), ("none", Value::Null)]);
        let mut text = Vec::new();
        write(&item, &mut text);
        assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert_eq!(read(&text), Ok(item));
    }

    #[test]
    fn what_is_no_item_is_refused() {
        for wrong in [
            &b""[..],
            b"{}",
            b"{\"Item\":{}}",
            b"{\"Item\":{\"a\":\"b\"}}",
            b"{\"Item\":{\"a\":{\"N\":\"one\"}}}",
            b"{\"Item\":{\"a\":{\"S\":\"b\"}},\"More\":1}",
            b"{\"Item\":{\"a\":{\"S\":\"b\"}}",
            b"{\"NewImage\":{\"a\":{\"S\":\"b\"}}}",
            b"{\"Item\":{\"a\":{\"S\":\"\xff\"}}}",
        ] {
            let refused = read(wrong).unwrap_err();
            assert!(!refused.chars().any(char::is_control), "{refused:?}");
        }
    }
}
