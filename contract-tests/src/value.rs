//! Plain values of YAML as attribute values, by the types that the model's document gives them.

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;
use tabletheory::dms::ModelDefinition;
use tabletheory_core::{Item, Value, ValueType};

use crate::scenario::Plain;

/// The item of these attributes.
pub fn item(model: &ModelDefinition, plain: &Plain) -> Result<Item> {
    let mut item = Item::new();
    for (name, json) in plain {
        item.insert(name.as_str(), value(model, name, json)?);
    }
    Ok(item)
}

/// The value of one attribute.
pub fn value(model: &ModelDefinition, name: &str, json: &Json) -> Result<Value> {
    let known = model.attributes.iter().find(|attribute| attribute.attribute == name);
    let kind = known.map(|attribute| attribute.kind);
    let kind = kind.with_context(|| format!("{} has no attribute `{name}`", model.name))?;
    of(kind, json).with_context(|| format!("`{name}` of {}", model.name))
}

fn of(kind: ValueType, json: &Json) -> Result<Value> {
    Ok(match (kind, json) {
        (_, Json::Null) => Value::Null,
        (ValueType::S, Json::String(text)) => Value::s(text),
        (ValueType::N, Json::Number(number)) => Value::N(number.to_string().parse()?),
        (ValueType::N, Json::String(text)) => Value::N(text.parse()?),
        (ValueType::B, Json::String(text)) => Value::B(STANDARD.decode(text)?),
        (ValueType::Bool, Json::Bool(flag)) => Value::Bool(*flag),
        (ValueType::Ss | ValueType::Ns | ValueType::Bs, Json::Array(members)) => set(kind, members)?,
        (ValueType::L | ValueType::M, json) => natural(json)?,
        (kind, _) => bail!("this is no value of the type {}", kind.name()),
    })
}

fn set(kind: ValueType, members: &[Json]) -> Result<Value> {
    ensure!(!members.is_empty(), "DynamoDB has no empty sets");
    let member = |kind| members.iter().map(move |member| of(kind, member));
    Ok(match kind {
        ValueType::Ss => Value::Ss(
            member(ValueType::S).filter_map(|value| value.map(|value| value.as_s().map(str::to_owned)).transpose()).collect::<Result<_>>()?,
        ),
        ValueType::Ns => {
            let numbers = member(ValueType::N).map(|value| match value? {
                Value::N(number) => Ok(number),
                _ => bail!("a set of numbers has numbers"),
            });
            Value::Ns(numbers.collect::<Result<_>>()?)
        }
        _ => {
            let bytes = member(ValueType::B).map(|value| match value? {
                Value::B(bytes) => Ok(bytes),
                _ => bail!("a set of binaries has binaries"),
            });
            Value::Bs(bytes.collect::<Result<_>>()?)
        }
    })
}

/// What stands in lists and maps has the types that its form shows.
fn natural(json: &Json) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::N(number.to_string().parse()?),
        Json::String(text) => Value::s(text),
        Json::Array(members) => Value::L(members.iter().map(natural).collect::<Result<_>>()?),
        Json::Object(members) => {
            let mut map = Item::new();
            for (name, member) in members {
                map.insert(name.as_str(), natural(member)?);
            }
            Value::M(map)
        }
    })
}
