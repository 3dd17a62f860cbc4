//! What visitors got, and whether that is what the script says.

use std::fmt;

use facetheory::{Error, Served, State};
use http::HeaderMap;

use super::words::Word;

/// What one visitor got.
#[derive(Debug)]
pub(super) enum Answer {
    Page { status: u16, body: String, state: State, age: i64, headers: HeaderMap },
    Error(&'static str),
}

impl Answer {
    pub(super) fn of(served: Result<Served, Error>) -> Self {
        match served {
            Ok(served) => Self::Page {
                status: served.page.status().as_u16(),
                body: String::from_utf8_lossy(served.body.bytes()).into_owned(),
                state: served.state,
                age: served.age.0,
                headers: served.page.headers(),
            },
            Err(Error::Busy { .. }) => Self::Error("busy"),
            Err(Error::BackedOff { .. }) => Self::Error("backed-off"),
            Err(Error::Render(_)) => Self::Error("failed"),
            Err(Error::InProgress { .. }) => Self::Error("in-progress"),
            Err(Error::IntentMismatch) => Self::Error("mismatch"),
            Err(Error::KeyTooLong { .. }) => Self::Error("key-too-long"),
            Err(_) => Self::Error("error"),
        }
    }

    /// Whether this word is true of the answer.
    fn is(&self, word: &Word) -> bool {
        match (self, word) {
            (Self::Error(error), Word::Plain(word)) => error == word,
            (Self::Error(_), _) => false,
            (Self::Page { status, state, .. }, Word::Plain(word)) => {
                word == state.as_str() || *word == status.to_string()
            }
            (Self::Page { body, .. }, Word::Text(text)) => body == text,
            (Self::Page { age, .. }, Word::Pair { name, value, .. }) if name == "age" => {
                *value == age.to_string()
            }
            (Self::Page { headers, .. }, Word::Pair { name, value, quoted }) => match headers.get(name) {
                Some(header) => header.to_str().is_ok_and(|header| header == value),
                None => value == "none" && !quoted,
            },
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page { status, body, state, age, .. } => write!(f, "{status} {body:?} {state} age={age}"),
            Self::Error(error) => f.write_str(error),
        }
    }
}

/// Compares answers with what a script says: `200 "v1" miss, 200 "v1" wait-hit x 19`. A single one without a number
/// holds for all.
pub(super) fn check(answers: &[Answer], expected: &[Word]) -> Result<(), String> {
    let clauses: Vec<&[Word]> = expected.split(|word| *word == Word::Plain(",".into())).collect();
    let alone = clauses.len() == 1;
    let mut open: Vec<(&[Word], usize)> = clauses
        .into_iter()
        .map(|clause| match clause {
            [facts @ .., Word::Plain(x), Word::Plain(times)] if x == "x" => {
                (facts, times.parse().expect("a number"))
            }
            facts => (facts, if alone { answers.len().max(1) } else { 1 }),
        })
        .collect();
    for answer in answers {
        let fits =
            open.iter_mut().find(|(facts, left)| *left > 0 && facts.iter().all(|fact| answer.is(fact)));
        match fits {
            Some((_, left)) => *left -= 1,
            None => return Err(format!("there was {}", summary(answers))),
        }
    }
    if open.iter().any(|(_, left)| *left > 0) {
        return Err(format!("there was only {}", summary(answers)));
    }
    Ok(())
}

fn summary(answers: &[Answer]) -> String {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for answer in answers.iter().map(ToString::to_string) {
        match counted.iter_mut().find(|(other, _)| *other == answer) {
            Some((_, times)) => *times += 1,
            None => counted.push((answer, 1)),
        }
    }
    let counted: Vec<String> =
        counted.into_iter().map(|(answer, times)| format!("{answer} x {times}")).collect();
    if counted.is_empty() { "no answer".to_owned() } else { counted.join(", ") }
}
