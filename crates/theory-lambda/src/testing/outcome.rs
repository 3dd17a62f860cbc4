//! What came of an invocation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What came of an invocation.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The function answered.
    Answered(Value),
    /// The function said that it failed.
    Failed {
        /// The kind of failure.
        kind: String,
        /// What it said.
        message: String,
    },
    /// The function said that it could not be initialised.
    NotInitialised {
        /// What it said.
        message: String,
    },
    /// The process ended without an answer.
    Ended,
    /// There was no answer until the end of the invocation. Lambda would have killed the process then.
    TimedOut,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The headers, each once.
    pub headers: Vec<(String, String)>,
    /// The cookies that were set.
    pub cookies: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Outcome {
    /// What the function answered.
    ///
    /// # Panics
    /// If it did not.
    #[must_use]
    #[track_caller]
    pub fn answer(self) -> Value {
        match self {
            Self::Answered(answer) => answer,
            other => panic!("the function did not answer: {other:?}"),
        }
    }

    /// The answer to a request, as a Function URL reads it.
    ///
    /// # Panics
    /// If the function did not answer, or with something else.
    #[must_use]
    #[track_caller]
    pub fn http(self) -> HttpAnswer {
        let answer = self.answer();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let body = text(&answer["body"]);
        let is_base64 = answer["isBase64Encoded"] == true;
        HttpAnswer {
            status: answer["statusCode"]
                .as_u64()
                .and_then(|status| u16::try_from(status).ok())
                .expect("a status"),
            headers: answer["headers"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            cookies: answer["cookies"].as_array().into_iter().flatten().map(text).collect(),
            body: if is_base64 { STANDARD.decode(body).expect("base64") } else { body.into_bytes() },
        }
    }
}

impl HttpAnswer {
    /// A header's value; empty if it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body as text.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is text")
    }
}
