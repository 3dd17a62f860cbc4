//! What a store answered, in a form in which two answers can be compared: sets sorted, lists without an order sorted.

use serde_json::Value as Json;
use tabletheory_core::Number;

/// A store's answer to one operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// It was done, and this is the response.
    Done(Json),
    /// It was refused.
    Refused(Refusal),
}

/// Why an operation was refused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    /// The exception's name, such as `ValidationException`.
    pub class: String,
    pub message: String,
    /// The cancellation reasons of a transaction.
    pub reasons: Vec<Reason>,
    /// The item that a failed condition gives back.
    pub item: Option<Json>,
}

/// Why one operation of a transaction stood in its way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reason {
    pub code: String,
    pub message: Option<String>,
    pub item: Option<Json>,
}

impl Answer {
    /// An answer of the HTTP interface.
    pub(super) fn read(status: u16, body: Json) -> Self {
        if status == 200 {
            let mut body = canonical(body);
            if let Some(fields) = body.as_object_mut() {
                // Local tells the capacity of some deletes unasked.
                fields.remove("ConsumedCapacity");
            }
            return Self::Done(body);
        }
        let text = |json: &Json, name: &str| json[name].as_str().map(str::to_owned);
        let class = text(&body, "__type").unwrap_or_else(|| format!("HTTP {status}"));
        let class = class.rsplit_once('#').map_or(class.as_str(), |(_, name)| name).to_owned();
        let reasons = body["CancellationReasons"].as_array().cloned().unwrap_or_default();
        let reasons = reasons.into_iter().map(|reason| Reason {
            code: text(&reason, "Code").unwrap_or_default(),
            message: text(&reason, "Message"),
            item: reason.get("Item").cloned().map(canonical),
        });
        let message = text(&body, "message").or_else(|| text(&body, "Message"));
        Self::Refused(Refusal {
            class,
            message: message.unwrap_or_default(),
            reasons: reasons.collect(),
            item: body.get("Item").cloned().map(canonical),
        })
    }

    /// Whether it was done.
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Whether the store broke on it. What it had done by then is done.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.class == "InternalFailure")
    }
}

impl Refusal {
    /// The codes of the cancellation reasons.
    pub(super) fn codes(&self) -> Vec<&str> {
        self.reasons.iter().map(|reason| reason.code.as_str()).collect()
    }
}

/// The same JSON with sets in order and numbers in the service's form: Local gives nested numbers back as they came.
fn canonical(json: Json) -> Json {
    match json {
        Json::Object(fields) => Json::Object(fields.into_iter().map(canonical_field).collect()),
        Json::Array(members) => Json::Array(members.into_iter().map(canonical).collect()),
        other => other,
    }
}

fn canonical_field((name, value): (String, Json)) -> (String, Json) {
    let value = match (name.as_str(), value) {
        ("N", Json::String(text)) => Json::String(canonical_number(text)),
        ("NS", Json::Array(members)) => {
            let number = |member: Json| match member {
                Json::String(text) => Json::String(canonical_number(text)),
                other => other,
            };
            sorted(Json::Array(members.into_iter().map(number).collect()))
        }
        ("SS" | "BS", members @ Json::Array(_)) => sorted(members),
        (_, other) => canonical(other),
    };
    (name, value)
}

fn canonical_number(text: String) -> String {
    text.parse::<Number>().map_or(text, |number| number.to_string())
}

/// A list in the order of its members' texts, for lists whose order means nothing.
pub(super) fn sorted(list: Json) -> Json {
    match list {
        Json::Array(mut members) => {
            members.sort_by_cached_key(Json::to_string);
            Json::Array(members)
        }
        other => other,
    }
}
