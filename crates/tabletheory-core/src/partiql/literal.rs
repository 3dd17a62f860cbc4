//! Values written in a statement: strings, numbers, lists, tuples and sets. What is wrong inside one is reported with the
//! way to it, beginning at `root`.

use std::collections::BTreeSet;

use super::cursor::Cursor;
use super::lexer::Lexeme;
use super::refusal::malformed;
use crate::error::StoreError;
use crate::item::Item;
use crate::limits::NESTING_MAX;
use crate::number::Number;
use crate::value::Value;

/// Whether a value comes next: a literal, or a question mark.
pub(super) fn is_next(cursor: &Cursor<'_>) -> bool {
    matches!(
        cursor.peek(),
        Some(
            Lexeme::Text(_)
                | Lexeme::Number(_)
                | Lexeme::Parameter
                | Lexeme::Keyword("true" | "false" | "null")
                | Lexeme::Symbol("[" | "{" | "<<" | "+" | "-")
        )
    )
}

/// A value: a literal, or a question mark standing for all of it.
pub(super) fn value(cursor: &mut Cursor<'_>) -> Result<Value, StoreError> {
    match cursor.peek() {
        Some(Lexeme::Parameter) => Ok(cursor.take_parameter()),
        _ => inner_value(cursor, &mut Trail::new()),
    }
}

/// The item of an `INSERT`: a tuple whose values may be question marks.
pub(super) fn item(cursor: &mut Cursor<'_>) -> Result<Item, StoreError> {
    if !cursor.take_symbol("{") {
        return Err(cursor.unexpected());
    }
    tuple(cursor, |cursor, _| value(cursor))
}

/// The way from a value into its parts, as the service writes it, and how many containers were entered.
struct Trail {
    text: String,
    depth: usize,
}

impl Trail {
    fn new() -> Self {
        Self { text: "root".to_owned(), depth: 0 }
    }

    fn inside<T>(&mut self, step: &str, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.text.len();
        self.text.push_str(step);
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        self.text.truncate(outside);
        parsed
    }
}

fn inner_value(cursor: &mut Cursor<'_>, trail: &mut Trail) -> Result<Value, StoreError> {
    if trail.depth >= NESTING_MAX {
        let message = format!("Nesting Levels have exceeded supported limits under {}", trail.text);
        return Err(StoreError::validation(message));
    }
    let value = match cursor.peek() {
        Some(Lexeme::Text(text)) => Value::S(text.clone()),
        Some(Lexeme::Keyword("true")) => Value::Bool(true),
        Some(Lexeme::Keyword("false")) => Value::Bool(false),
        Some(Lexeme::Keyword("null")) => Value::Null,
        Some(Lexeme::Number(_) | Lexeme::Symbol("+" | "-")) => {
            return number(cursor, trail).map(|(number, _)| Value::N(number));
        }
        Some(Lexeme::Symbol("[")) => return list(cursor, trail).map(Value::L),
        Some(Lexeme::Symbol("{")) => {
            cursor.advance();
            let part = |cursor: &mut Cursor<'_>, name: &str| {
                trail.inside(&format!(".{name}"), |trail| inner_value(cursor, trail))
            };
            return tuple(cursor, part).map(Value::M);
        }
        Some(Lexeme::Symbol("<<")) => return set(cursor, trail),
        Some(Lexeme::Parameter) => return Err(unsupported(cursor, "Parameter", trail)),
        Some(Lexeme::Name(_)) => return Err(unsupported(cursor, "Identifier", trail)),
        Some(Lexeme::Word(_) | Lexeme::Keyword(_)) => {
            return Err(match (cursor.called_function(), cursor.peek()) {
                (Some(function), _) => unsupported(cursor, &function, trail),
                (None, Some(Lexeme::Word(_))) => unsupported(cursor, "Identifier", trail),
                _ => cursor.unexpected(),
            });
        }
        _ => return Err(cursor.unexpected()),
    };
    cursor.advance();
    Ok(value)
}

fn unsupported(cursor: &Cursor<'_>, kind: &str, trail: &Trail) -> StoreError {
    let place = cursor.place();
    StoreError::validation(format!("Unsupported data type: {kind} under key {} at {place}", trail.text))
}

/// A number and its signs, and the text it was written as.
fn number(cursor: &mut Cursor<'_>, trail: &Trail) -> Result<(Number, String), StoreError> {
    let mut negative = false;
    while let Some(Lexeme::Symbol(sign @ ("+" | "-"))) = cursor.peek() {
        negative ^= *sign == "-";
        cursor.advance();
    }
    let Some(Lexeme::Number(digits)) = cursor.peek() else { return Err(malformed("Unexpected operator")) };
    check_scale(digits)?;
    let written = format!("{}{digits}", if negative { "-" } else { "" });
    let number = written
        .parse::<Number>()
        .map_err(|error| StoreError::validation(format!("{error} under {}", trail.text)))?;
    cursor.advance();
    Ok((number, written))
}

/// The service reads a number as an integer and a scale, each power of ten in 32 bits; beyond that it is no number.
fn check_scale(digits: &str) -> Result<(), StoreError> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent = exponent.parse::<i32>().map_err(|_| malformed(""))?;
    let scale = i64::try_from(fraction).map_err(|_| malformed(""))? - i64::from(exponent);
    i32::try_from(scale).map_err(|_| malformed(""))?;
    Ok(())
}

fn list(cursor: &mut Cursor<'_>, trail: &mut Trail) -> Result<Vec<Value>, StoreError> {
    cursor.advance();
    let mut elements = Vec::new();
    while !(elements.is_empty() && cursor.is_at_symbol("]")) {
        let step = format!("[{}]", elements.len());
        elements.push(trail.inside(&step, |trail| inner_value(cursor, trail))?);
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol("]", "RIGHT_BRACKET")?;
    Ok(elements)
}

/// What stands between braces, the first of which was taken. `part` reads the value of a name.
fn tuple<'a>(
    cursor: &mut Cursor<'a>,
    mut part: impl FnMut(&mut Cursor<'a>, &str) -> Result<Value, StoreError>,
) -> Result<Item, StoreError> {
    let mut attributes = Item::new();
    while !(attributes.is_empty() && cursor.is_at_symbol("}")) {
        let Some(Lexeme::Text(name)) = cursor.peek() else {
            return Err(malformed("Expected a string as a name"));
        };
        let name = name.clone();
        cursor.advance();
        cursor.expect_symbol(":", "COLON")?;
        let value = part(cursor, &name)?;
        if attributes.contains(&name) {
            // Either value would be a guess.
            return Err(malformed(&format!("Duplicate name in a tuple: {name}")));
        }
        attributes.insert(name, value);
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol("}", "RIGHT_CURLY")?;
    Ok(attributes)
}

fn set(cursor: &mut Cursor<'_>, trail: &Trail) -> Result<Value, StoreError> {
    cursor.advance();
    let (mut strings, mut numbers) = (Vec::new(), Vec::new());
    while !(strings.is_empty() && numbers.is_empty() && cursor.is_at_symbol(">>")) {
        match cursor.peek() {
            Some(Lexeme::Text(text)) => {
                strings.push(text.clone());
                cursor.advance();
            }
            Some(Lexeme::Number(_) | Lexeme::Symbol("+" | "-")) => numbers.push(number(cursor, trail)?),
            None => return Err(cursor.unexpected()),
            Some(_) => return Err(StoreError::validation("Unsupported data type in Bag")),
        }
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol(">>", "RIGHT_DOUBLE_ANGLE_BRACKET")?;
    match (strings.is_empty(), numbers.is_empty()) {
        (true, true) => Err(StoreError::validation("Empty bags are not supported")),
        (false, true) => string_set(strings),
        (true, false) => number_set(numbers, trail),
        (false, false) => {
            Err(StoreError::validation("DynamoDB only supports either numbers or strings in bags"))
        }
    }
}

fn string_set(strings: Vec<String>) -> Result<Value, StoreError> {
    let members: BTreeSet<String> = strings.iter().cloned().collect();
    if members.len() < strings.len() {
        return Err(StoreError::validation(format!(
            "One or more parameter values were invalid: Input collection [{}] contains duplicates.",
            strings.join(", ")
        )));
    }
    Ok(Value::Ss(members))
}

fn number_set(numbers: Vec<(Number, String)>, trail: &Trail) -> Result<Value, StoreError> {
    let members: BTreeSet<Number> = numbers.iter().map(|(number, _)| *number).collect();
    if members.len() < numbers.len() {
        let written: Vec<String> = numbers.into_iter().map(|(_, written)| written).collect();
        return Err(StoreError::validation(format!(
            "One or more parameter values were invalid: Input collection [{}] contains duplicates! under {}",
            written.join(", "),
            trail.text
        )));
    }
    Ok(Value::Ns(members))
}
