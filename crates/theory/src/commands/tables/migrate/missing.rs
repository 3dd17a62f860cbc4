//! An attribute for items that lack it, as it is said.

use std::str::FromStr;

use tabletheory_core::{Value, ValueType};

/// An attribute for items that lack it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Missing {
    name: String,
    value: Value,
}

impl Missing {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn kind(&self) -> ValueType {
        self.value.kind()
    }

    pub(super) fn pair(&self) -> (String, Value) {
        (self.name.clone(), self.value.clone())
    }
}

impl FromStr for Missing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "it is a name and a value in DynamoDB's JSON, such as status={\"S\":\"new\"} or hits={\"N\":\"0\"}";
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(form.to_owned());
        };
        match serde_json::from_str(value) {
            Ok(value) => Ok(Self { name: name.to_owned(), value }),
            Err(error) => {
                let why: String = error.to_string().chars().filter(|one| !one.is_control()).collect();
                Err(format!("{why}; {form}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_dynamodbs_json() {
        let read: Missing = "hits={\"N\":\"0\"}".parse().unwrap();
        assert_eq!(read.pair(), ("hits".to_owned(), Value::n(0)));
        for wrong in [
            "",
            "=",
            "hits",
            "={\"N\":\"0\"}",
            "hits=0",
            "hits={\"N\":\"x\"}",
            "hits={}",
            "hits={\"S\":\"a\"} x",
        ] {
            assert!(wrong.parse::<Missing>().is_err_and(|why| why.contains("such as")), "{wrong}");
        }
    }
}
