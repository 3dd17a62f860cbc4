//! Tags of tables.

use std::sync::Arc;

use tabletheory_core::store::op::{
    ListTagsOfResource, ListTagsOfResourceOutput, TagResource, TagResourceOutput, UntagResource,
    UntagResourceOutput,
};
use tabletheory_core::{Response, StoreError};

use super::redefine;
use crate::catalog::Catalog;
use crate::commit::Work;
use crate::definition;
use crate::group::Group;
use crate::table::{TABLE_ARN_PREFIX, Table};
use crate::view::View;

fn tagged(catalog: &Catalog, arn: &str) -> Result<Arc<Table>, StoreError> {
    let Some(name) = arn.strip_prefix(TABLE_ARN_PREFIX) else {
        return Err(StoreError::validation(format!(
            "Invalid TableArn: Invalid ResourceArn provided as input {arn}"
        )));
    };
    catalog.find(name).cloned().ok_or_else(|| {
        StoreError::ResourceNotFound(format!("Requested resource not found: ResourcArn: {arn} not found"))
    })
}

/// `TagResource`.
pub(crate) fn tag(request: TagResource) -> impl Work {
    move |group: &mut Group<'_>| {
        let table = tagged(&group.catalog, &request.arn)?;
        let mut spec = table.spec.clone();
        definition::tags(&request.tags)?;
        spec.tags.retain(|tag| request.tags.iter().all(|new| new.key != tag.key));
        spec.tags.extend(request.tags);
        definition::tags(&spec.tags)?;
        group.apply(|group| redefine(group, &table, spec))?;
        Ok(Response::TagResource(Box::new(TagResourceOutput {})))
    }
}

/// `UntagResource`.
pub(crate) fn untag(request: UntagResource) -> impl Work {
    move |group: &mut Group<'_>| {
        let table = tagged(&group.catalog, &request.arn)?;
        let mut spec = table.spec.clone();
        spec.tags.retain(|tag| !request.keys.contains(&tag.key));
        group.apply(|group| redefine(group, &table, spec))?;
        Ok(Response::UntagResource(Box::new(UntagResourceOutput {})))
    }
}

/// `ListTagsOfResource`. All tags fit one page.
pub(crate) fn list(
    view: &View<'_>,
    request: &ListTagsOfResource,
) -> Result<ListTagsOfResourceOutput, StoreError> {
    let table = tagged(&view.catalog, &request.arn)?;
    Ok(ListTagsOfResourceOutput { tags: table.spec.tags.clone(), next_token: None })
}
