//! What an operator's request says: parameters of the query, and a body of JSON. What is not understood is refused, so that a
//! misspelt word never makes a request mean more than was meant.

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// No request of an operator is longer.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// The parameters of a query.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query that has no other parameters than these, and each once.
    pub(super) fn read(query: Option<&str>, known: &[&str]) -> Result<Self, Problem> {
        let mut parameters: Vec<(String, String)> = Vec::new();
        for part in query.unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let text =
                |text| decoded(text).ok_or_else(|| Problem::bad("the query is not percent-encoded UTF-8"));
            let (name, value) = (text(name)?, text(value)?);
            if !known.contains(&name.as_str()) {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Problem::bad(format!(
                    "the parameter `{name}` is not known here; there are: {known}"
                )));
            }
            if parameters.iter().any(|(other, _)| *other == name) {
                return Err(Problem::bad(format!("the parameter `{name}` is given twice")));
            }
            parameters.push((name, value));
        }
        Ok(Self(parameters))
    }

    /// A parameter, if it is given and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(other, value)| other == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// A parameter that must be there.
    pub(super) fn need(&self, name: &str) -> Result<&str, Problem> {
        self.get(name).ok_or_else(|| Problem::bad(format!("the parameter `{name}` is missing")))
    }

    /// A number from 1 to `max`; `usual` if it is not given.
    pub(super) fn number(&self, name: &str, usual: usize, max: usize) -> Result<usize, Problem> {
        let Some(text) = self.get(name) else { return Ok(usual) };
        match text.parse() {
            Ok(number) if (1..=max).contains(&number) => Ok(number),
            _ => Err(Problem::bad(format!("`{name}` is a number from 1 to {max}"))),
        }
    }
}

/// Reads a body of JSON.
pub(super) async fn json<T: DeserializeOwned, B>(body: B) -> Result<T, Problem>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let bytes = match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let detail = format!("a request here has at most {BODY_BYTES_MAX} bytes");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        Err(_) => return Err(Problem::bad("the body broke off")),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::bad(format!("the body is not what is asked for: {error}")))
}

/// A part of a query without its percent-encoding.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[test]
    fn a_query_is_read_or_refused() {
        let query = Query::read(Some("a=%2Fnews%3Fx%3D1&limit=7&b="), &["a", "b", "limit"]).unwrap();
        assert_eq!((query.get("a"), query.get("b")), (Some("/news?x=1"), None));
        assert_eq!(query.number("limit", 1, 10).unwrap(), 7);
        for wrong in ["c=1", "a=1&a=2", "a=%zz", "a=%f", "a=%ff", "A=1"] {
            assert!(Query::read(Some(wrong), &["a"]).is_err(), "{wrong}");
        }
        for wrong in ["0", "11", "-1", "x", "99999999999999999999"] {
            let query = format!("limit={wrong}");
            assert!(
                Query::read(Some(&query), &["limit"]).unwrap().number("limit", 1, 10).is_err(),
                "{wrong}"
            );
        }
        assert!(Query::read(None, &[]).is_ok());
    }

    #[tokio::test]
    async fn a_body_is_json_of_bounded_length() {
        let read = |text: String| json::<Vec<u8>, _>(Full::new(Bytes::from(text)));
        assert_eq!(read("[1]".to_owned()).await.unwrap(), [1]);
        assert_eq!(read("{".to_owned()).await.unwrap_err().status, StatusCode::BAD_REQUEST);
        let long = format!("[{}1]", " ".repeat(BODY_BYTES_MAX));
        assert_eq!(read(long).await.unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
    }
}
