//! Reading many items: queries and scans as one builder, which differ in what they visit. Every item that is read goes
//! through `Db::read`.

mod builder;
mod count;
mod groups;
mod items;
mod lanes;
mod page;
mod query;
mod scan;
mod signing;
mod source;
mod summary;
mod terms;
mod walk;

pub use builder::Read;
pub use groups::Groups;
pub use items::Items;
pub use page::Page;
pub use query::Query;
pub use scan::{ParallelScan, Scan};
pub use source::{Keys, Resumable, Segments, Source, Whole};
pub use summary::Summary;
