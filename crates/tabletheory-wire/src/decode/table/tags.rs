//! Requests about a table's tags.

use tabletheory_core::StoreError;
use tabletheory_core::schema::Tag;
use tabletheory_core::store::op::{ListTagsOfResource, TagResource, UntagResource};

use crate::constraint::Constraints;
use crate::shape::{List, Text, structure};

structure! {
    /// The members of all three requests; each looks at its own.
    TagsShape {
        arn: Text<'a> = "ResourceArn",
        tags: List<TagShape<'a>> = "Tags",
        keys: List<Text<'a>> = "TagKeys",
        next_token: Text<'a> = "NextToken",
    }
}

structure! {
    /// One tag.
    TagShape {
        key: Text<'a> = "Key",
        value: Text<'a> = "Value",
    }
}

/// The tags of a list.
pub(super) fn read(constraints: &mut Constraints, list: List<TagShape<'_>>) -> Vec<Tag> {
    let read = |(at, shape): (usize, TagShape<'_>)| {
        let member = |rest| format!("tags.{}.member.{rest}", at + 1);
        Tag {
            key: constraints.required(member("key"), shape.key).into_string(),
            value: constraints.required(member("value"), shape.value).into_string(),
        }
    };
    list.0.into_iter().enumerate().map(read).collect()
}

/// Reads a `TagResource`.
pub(crate) fn tag(shape: TagsShape<'_>) -> Result<TagResource, StoreError> {
    let mut constraints = Constraints::default();
    let arn = constraints.required("resourceArn", shape.arn).into_string();
    let tags = constraints.required("tags", shape.tags);
    let tags = read(&mut constraints, tags);
    constraints.finish()?;
    Ok(TagResource { arn, tags })
}

/// Reads an `UntagResource`.
pub(crate) fn untag(shape: TagsShape<'_>) -> Result<UntagResource, StoreError> {
    let mut constraints = Constraints::default();
    let arn = constraints.required("resourceArn", shape.arn).into_string();
    let keys = constraints.required("tagKeys", shape.keys);
    constraints.finish()?;
    Ok(UntagResource { arn, keys: keys.0.into_iter().map(Text::into_string).collect() })
}

/// Reads a `ListTagsOfResource`.
pub(crate) fn list(shape: TagsShape<'_>) -> Result<ListTagsOfResource, StoreError> {
    let mut constraints = Constraints::default();
    let arn = constraints.required("resourceArn", shape.arn).into_string();
    constraints.finish()?;
    Ok(ListTagsOfResource { arn, next_token: shape.next_token.map(Text::into_string) })
}
