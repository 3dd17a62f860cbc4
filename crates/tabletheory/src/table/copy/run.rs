//! What a copy of models carries over: each item is opened, read as a model, transformed, closed, and written.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::Item;

use super::copying::{Copying, Route};
use super::error::{CopyError, CopyFault};
use super::progress::CopyProgress;
use super::seals::Seals;
use super::transformed::Transformed;
use super::walk::{Carrier, walk};
use super::write;
use crate::flight::together;
use crate::model::{KeyNames, Model, ModelError};
use crate::table::site::Site;

/// Who carries items that are models.
struct Models<'c, 't, A, B> {
    route: &'c Route<'t, A, B>,
    /// Without keys for what is encrypted nothing is read or written.
    seals: Result<Seals<'c>, CopyFault>,
}

impl<A: Model, B: Model> Copying<'_, A, B> {
    async fn run(self) -> Result<CopyProgress, CopyError> {
        let Self { route, manner } = self;
        let models = Models { route: &route, seals: Seals::new(&route.from, &route.to) };
        walk(&models, manner).await
    }
}

impl<A: Model, B: Model> Carrier for Models<'_, '_, A, B> {
    fn source(&self) -> &Site {
        self.route.from.site()
    }

    fn target(&self) -> &Site {
        self.route.to.site()
    }

    fn ready(&self) -> Result<(), CopyFault> {
        self.seals.as_ref().map(drop).map_err(Clone::clone)
    }

    fn after(&self, item: &Item) -> Option<Item> {
        Some(KeyNames::of(&A::SCHEMA).key(item))
    }

    async fn carry(&self, items: Vec<Item>) -> Result<CopyProgress, CopyFault> {
        let seals = self.seals.as_ref().map_err(Clone::clone)?;
        let Route { to, transform, if_absent, skip_unreadable, .. } = self.route;
        let mut progress = CopyProgress::default();
        let mut out = Vec::with_capacity(items.len());
        let opened = items.into_iter().map(|item| seals.open(item)).collect();
        for item in together(opened).await? {
            progress.read += 1;
            let item = match item {
                Ok(item) => item,
                Err(_) if *skip_unreadable => {
                    progress.unreadable += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let key = KeyNames::of(&A::SCHEMA).key(&item);
            match readable(item) {
                Ok(value) => match transform(value) {
                    Transformed::Put(value) => out.push(seals.close(value.to_item()?)),
                    Transformed::Skip => progress.skipped += 1,
                    Transformed::Refuse(reason) => return Err(CopyFault::Refused { reason }),
                },
                Err(_) if *skip_unreadable => progress.unreadable += 1,
                Err(source) => {
                    let keys = key.names().map(str::to_owned).collect();
                    return Err(CopyFault::Unreadable { keys, source });
                }
            }
        }
        let out = together(out).await?;
        progress += if *if_absent {
            write::add(to.site(), &B::SCHEMA, out).await?
        } else {
            write::replace(to.site(), &B::SCHEMA, out).await?
        };
        Ok(progress)
    }
}

/// The value of an item, if it is one of the model. The keys of another model may begin alike, and its attributes may be
/// enough for a value that nobody ever stored.
fn readable<A: Model>(item: Item) -> Result<A, ModelError> {
    if A::matches(&item) { A::from_item(item) } else { Err(ModelError::OtherKeys { model: A::NAME }) }
}

impl<'t, A: Model, B: Model> IntoFuture for Copying<'t, A, B> {
    type Output = Result<CopyProgress, CopyError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 't>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
