//! Events of requests, as Function URLs and HTTP APIs send them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// A request, as a Function URL makes an event of it.
///
/// ```
/// use theory_lambda::testing::Call;
///
/// let event = Call::post("/orders?dry=1").header("idempotency-key", "k").body("{}").event();
/// assert_eq!((&event["rawPath"], &event["rawQueryString"]), (&"/orders".into(), &"dry=1".into()));
/// ```
#[derive(Debug, Clone)]
pub struct Call {
    method: String,
    target: String,
    host: String,
    address: String,
    headers: Vec<(String, String)>,
    body: Option<Value>,
    is_base64: bool,
}

impl Call {
    /// `GET` this path, with its query.
    #[must_use]
    pub fn get(target: impl Into<String>) -> Self {
        Self::of("GET", target)
    }

    /// `POST` to this path.
    #[must_use]
    pub fn post(target: impl Into<String>) -> Self {
        Self::of("POST", target)
    }

    /// Any method.
    #[must_use]
    pub fn of(method: impl Into<String>, target: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            target: target.into(),
            host: "function.example".to_owned(),
            address: "203.0.113.7".to_owned(),
            headers: Vec::new(),
            body: None,
            is_base64: false,
        }
    }

    /// For this host.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = host.into();
        self
    }

    /// From this address.
    #[must_use]
    pub fn from(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With a body of text.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        (self.body, self.is_base64) = (Some(body.into().into()), false);
        self
    }

    /// With a body of any bytes.
    #[must_use]
    pub fn bytes(mut self, body: impl AsRef<[u8]>) -> Self {
        (self.body, self.is_base64) = (Some(STANDARD.encode(body).into()), true);
        self
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> Value {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut headers = Map::from_iter([("host".to_owned(), Value::from(self.host.as_str()))]);
        for (name, value) in &self.headers {
            // Repeated headers come as one line.
            let line = match headers.get(name).and_then(Value::as_str) {
                Some(line) => format!("{line},{value}"),
                None => value.clone(),
            };
            headers.insert(name.to_ascii_lowercase(), line.into());
        }
        json!({
            "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": query, "headers": headers,
            "requestContext": {
                "accountId": "anonymous", "apiId": "function", "domainName": self.host, "domainPrefix": "function",
                "http": {
                    "method": self.method, "path": path, "protocol": "HTTP/1.1", "sourceIp": self.address, "userAgent": "test",
                },
                "requestId": "r", "routeKey": "$default", "stage": "$default",
                "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1_583_348_638_390_u64,
            },
            "body": self.body, "isBase64Encoded": self.is_base64,
        })
    }
}
