//! The bodies of requests: the name of an operation, a line end, and JSON.

use serde_json::Value;
use tabletheory_wire::{decode, error};

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let Ok(name) = str::from_utf8(input.line()) else { return };
    let body = input.rest();
    let request = match decode::request(name, body) {
        Ok(request) => request,
        Err(refusal) => {
            let (status, body) = error::encode(&refusal);
            assert_eq!(status, 400, "a request that cannot be read is the caller's fault: {refusal:?}");
            let told: Value = serde_json::from_slice(&body).expect("a refusal is JSON");
            assert!(told["__type"].as_str().is_some_and(|name| name.contains('#')), "{told}");
            return;
        }
    };
    assert_eq!(request.name(), name, "a request is of the operation that was named");
    // The same JSON, laid out as another client would: no space, members in the order of their names.
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        let compact = serde_json::to_vec(&value).expect("what was JSON is JSON");
        assert_eq!(decode::request(name, &compact), Ok(request.clone()), "laid out as {value}");
        let pretty = serde_json::to_vec_pretty(&value).expect("what was JSON is JSON");
        assert_eq!(decode::request(name, &pretty), Ok(request), "laid out wide as {value}");
    }
}
