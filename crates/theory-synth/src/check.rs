//! Whether the tables of a template are such that the runtime can work with them. A table that differs is found before it is deployed:
//! afterwards every call would fail, and a limiter that lets requests pass without a store would limit nobody.
//!
//! ```
//! use theory_synth::Kind;
//! use theory_synth::check::{Claims, check};
//!
//! let template = theory_synth::read(r#"
//! Resources:
//!   Limits:
//!     Type: AWS::DynamoDB::Table
//!     Properties:
//!       AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }]
//!       KeySchema: [{ AttributeName: pk, KeyType: HASH }]
//!   Api:
//!     Type: AWS::Lambda::Function
//!     Properties:
//!       Environment: { Variables: { RATE_LIMIT_TABLE_NAME: !Ref Limits } }
//! "#)?;
//! let report = check(&template, &Claims::default())?;
//! assert!(!report.is_good());
//! assert!(report.to_string().contains("its key is (pk), not (Identifier, WindowTime)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claims;
mod fault;
mod found;
mod need;
mod report;
mod uses;

pub use claims::Claims;
pub use fault::Fault;
pub use found::{Found, tables};
pub use need::Need;
pub use report::{CheckError, Checked, Report};

use tabletheory::table::Standing;
use tabletheory_core::schema::StreamView;

use crate::node::Node;
use need::Use;

/// Compares every table of a template whose purpose is known with what the runtime needs. The purpose is known from what is claimed,
/// and from the environment variables of functions.
///
/// # Errors
/// If it is no template, a claim speaks of a table that is not there, or nothing is known of any table.
pub fn check(template: &Node, claims: &Claims) -> Result<Report, CheckError> {
    let tables = found::tables(template)?;
    let mut uses = uses::of(template, &tables);
    uses.extend(claims.uses(&tables)?);
    let (mut checked, mut unknown) = (Vec::new(), Vec::new());
    for table in &tables {
        let mut needs: Vec<&Use> = uses.iter().filter(|known| known.table == table.id).collect();
        needs.dedup_by(|second, first| second.need == first.need);
        if needs.is_empty() {
            unknown.push(table.id.clone());
        }
        for known in needs {
            let faults = faults(table, known)?;
            checked.push(Checked { id: table.id.clone(), because: known.because.clone(), faults });
        }
    }
    if checked.is_empty() {
        return Err(CheckError::NothingKnown { tables: unknown });
    }
    Ok(Report { checked, unknown })
}

fn faults(table: &Found, known: &Use) -> Result<Vec<Fault>, CheckError> {
    let mut faults = table.unknown.clone();
    let layout = match &known.need {
        Need::Kind(kind) => kind.layout()?,
        Need::Layout(layout) => (**layout).clone(),
        Need::Archive { ttl_attribute } => {
            faults.extend(archive_faults(table, ttl_attribute.as_deref()));
            return Ok(faults);
        }
    };
    // What could not be read is no difference, but a fault of its own.
    if faults.is_empty() {
        let drift = layout.drift(&table.request, table.ttl.as_deref(), None);
        let refused = drift.differences().iter().filter(|one| one.standing() != Standing::Harmless);
        faults.extend(refused.cloned().map(Fault::Difference));
    }
    Ok(faults)
}

/// The archive takes what an item was when it expired, so there must be a stream that says it.
fn archive_faults(table: &Found, ttl_attribute: Option<&str>) -> Vec<Fault> {
    let mut faults = Vec::new();
    match table.request.stream {
        Some(StreamView::NewAndOldImages | StreamView::OldImage) => {}
        Some(view) => faults.push(Fault::StreamWithoutOldImage { view }),
        None => faults.push(Fault::NoStream),
    }
    match (table.ttl.as_deref(), ttl_attribute) {
        (None, _) => faults.push(Fault::NothingExpires),
        (Some(found), Some(told)) if found != told => {
            faults.push(Fault::OtherTtl { found: found.to_owned(), told: told.to_owned() });
        }
        _ => {}
    }
    faults
}
