//! The archive as a function on the stream of a table: what time to live removed is written down, and Lambda is told from which
//! record on it has to call again.

use facetheory::body::S3Settings;
use tabletheory::stream::{BatchFailures, LambdaEvent};
use theory_archive::{Archive, ArchiveSettings};
use theory_synth::{environment, metric};

use crate::error::Error;
use crate::process::{Process, variable_of};

impl Process {
    /// The archive in the bucket of `ARCHIVE_BUCKET_NAME`, below `ARCHIVE_PREFIX`, of a table whose items expire by `TTL_ATTRIBUTE_NAME`.
    ///
    /// # Errors
    /// If there is no bucket, or none that can be used.
    pub fn archive(&self) -> Result<Archive, Error> {
        let variable = environment::ARCHIVE_BUCKET;
        let missing = |expected| Error::Environment { variable, expected };
        let bucket = variable_of(variable).ok_or(missing("the bucket of the archive"))?;
        let region = variable_of("AWS_REGION").or_else(|| variable_of("AWS_DEFAULT_REGION"));
        let s3 = S3Settings {
            endpoint: variable_of("AWS_ENDPOINT_URL_S3").or_else(|| variable_of("AWS_ENDPOINT_URL")),
            path_style: true,
            ..S3Settings::new(bucket, region.as_deref().unwrap_or("us-east-1"))
        };
        let objects = s3.connect().map_err(|error| {
            tracing::error!(%error, "the bucket of the archive cannot be used");
            missing("a bucket that can be used with the region and the credentials of the environment")
        })?;
        let ttl_attribute = variable_of(environment::TTL_ATTRIBUTE);
        let settings =
            ArchiveSettings { ttl_attribute, is_listed_in_order: true, ..ArchiveSettings::default() };
        let prefix = variable_of(environment::ARCHIVE_PREFIX).unwrap_or_default();
        Ok(Archive::new(objects, prefix).with_settings(settings))
    }
}

/// Archives the records of an event, in the time that there is. From the first on that was not written down in time they come again.
pub(crate) async fn archive(archive: &Archive, event: &LambdaEvent, process: &Process) -> BatchFailures {
    let bound = process.time().bounds().map(|bounds| bounds.calls);
    let figures = process.figures();
    let outcome = match bound {
        Some(bound) => archive.handle_until(event, bound).await,
        None => archive.handle(event).await,
    };
    figures.add(metric::ARCHIVED, outcome.archived);
    figures.add(metric::ARCHIVE_FAILED, outcome.dead);
    if let Some(failure) = &outcome.failure {
        figures.add(metric::ARCHIVE_FAILED, 1);
        tracing::error!(error = crate::error::told(failure), "a record could not be archived");
    }
    outcome.failures()
}
