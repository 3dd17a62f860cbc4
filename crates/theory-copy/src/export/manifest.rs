//! The manifests of an export, as DynamoDB writes them: what was exported, and into which files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use serde::{Deserialize, Serialize};
use tabletheory_core::schema::{AttributeDefinition, GlobalIndex, KeyElement, LocalIndex};
use tabletheory_core::store::op::CreateTable;

use super::error::ExportError;

/// The folder of all exports at a place.
pub(super) const FOLDER: &str = "AWSDynamoDB";
/// The manifest that makes an export one. It is written last.
pub(super) const SUMMARY: &str = "manifest-summary.json";
pub(super) const SUMMARY_CHECKSUM: &str = "manifest-summary.checksum";
pub(super) const FILES: &str = "manifest-files.json";
pub(super) const FILES_CHECKSUM: &str = "manifest-files.checksum";
/// Written first: it shows that the place can be written.
pub(super) const STARTED: &str = "_started";
/// What DynamoDB's form does not say of a table. Other readers pass over it.
pub(super) const TABLE: &str = "theory-table.json";

const VERSION: &str = "2020-06-30";
const FORMAT: &str = "DYNAMODB_JSON";
const TYPE: &str = "FULL_EXPORT";

/// What was exported. DynamoDB writes more, which is not needed to read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub(super) version: String,
    pub(super) export_arn: String,
    pub(super) start_time: String,
    pub(super) end_time: String,
    pub(super) table_arn: String,
    #[serde(default)]
    pub(super) table_id: Option<String>,
    pub(super) export_time: String,
    #[serde(default)]
    pub(super) s3_bucket: Option<String>,
    #[serde(default)]
    pub(super) s3_prefix: Option<String>,
    #[serde(default)]
    pub(super) s3_sse_algorithm: Option<String>,
    #[serde(default)]
    pub(super) s3_sse_kms_key_id: Option<String>,
    pub(super) manifest_files_s3_key: String,
    #[serde(default)]
    pub(super) billed_size_bytes: u64,
    pub(super) item_count: u64,
    pub(super) output_format: String,
    /// Older exports, which could only be full ones, do not say it.
    #[serde(default)]
    pub(super) export_type: Option<String>,
}

/// A data file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataFile {
    pub(super) item_count: u64,
    pub(super) md5_checksum: String,
    #[serde(default)]
    pub(super) etag: Option<String>,
    #[serde(rename = "dataFileS3Key")]
    pub(super) key: String,
}

/// How the table was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TableForm {
    pub(super) table: String,
    pub(super) attributes: Vec<AttributeDefinition>,
    pub(super) keys: Vec<KeyElement>,
    pub(super) local_indexes: Vec<LocalIndex>,
    pub(super) global_indexes: Vec<GlobalIndex>,
    pub(super) time_to_live: Option<String>,
}

impl Summary {
    /// A summary with what is the same in all of ours.
    pub(super) fn new(table_arn: String, table_id: String, id: &str, times: [String; 2]) -> Self {
        let [start_time, end_time] = times;
        Self {
            version: VERSION.to_owned(),
            export_arn: format!("{table_arn}/export/{id}"),
            export_time: start_time.clone(),
            start_time,
            end_time,
            table_arn,
            table_id: Some(table_id),
            s3_bucket: None,
            s3_prefix: None,
            s3_sse_algorithm: None,
            s3_sse_kms_key_id: None,
            manifest_files_s3_key: format!("{FOLDER}/{id}/{FILES}"),
            billed_size_bytes: 0,
            item_count: 0,
            output_format: FORMAT.to_owned(),
            export_type: Some(TYPE.to_owned()),
        }
    }

    /// Reads a summary, of an export that can be read.
    pub(super) fn read(file: &str, text: &[u8]) -> Result<Self, ExportError> {
        let wrong = |why: String| ExportError::Manifest { file: file.to_owned(), why };
        let unsupported = |why: String| ExportError::Unsupported { file: file.to_owned(), why };
        let summary: Self = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
        if summary.output_format != FORMAT {
            return Err(unsupported(format!(
                "its format is {}; only {FORMAT} is read",
                summary.output_format
            )));
        }
        match summary.export_type.as_deref() {
            None | Some(TYPE) => {}
            Some(other) => {
                let why =
                    format!("it is an {other}, which holds changes and not the items; only a {TYPE} is read");
                return Err(unsupported(why));
            }
        }
        if summary.table().is_none() {
            return Err(wrong(format!("tableArn {:?} names no table", summary.table_arn)));
        }
        Ok(summary)
    }

    /// The name of the table.
    pub(super) fn table(&self) -> Option<&str> {
        let (_, rest) = self.table_arn.split_once(":table/")?;
        rest.split('/').next().filter(|name| !name.is_empty())
    }
}

impl DataFile {
    /// Reads the list of files: a line of JSON for each.
    pub(super) fn read_all(file: &str, text: &[u8]) -> Result<Vec<Self>, ExportError> {
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        lines
            .map(|(at, line)| {
                let wrong = |why: String| ExportError::Manifest {
                    file: file.to_owned(),
                    why: format!("line {}: {why}", at + 1),
                };
                let data: Self = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
                match data.name() {
                    Some(_) => Ok(data),
                    None => Err(wrong(format!("{:?} is no data file of an export", data.key))),
                }
            })
            .collect()
    }

    /// The name of the file in the folder of data. The rest of its key says where the export was once written, which may not be where
    /// it lies now; and a key that leads out of the folder leads nowhere.
    pub(super) fn name(&self) -> Option<&str> {
        let (folder, name) = self.key.rsplit_once('/')?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_name = !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain);
        (is_name && (folder == "data" || folder.ends_with("/data"))).then_some(name)
    }

    /// The checksum of the file, if it is one.
    pub(super) fn md5(&self) -> Option<[u8; 16]> {
        STANDARD.decode(&self.md5_checksum).ok()?.try_into().ok()
    }
}

impl TableForm {
    pub(super) fn of(request: CreateTable, time_to_live: Option<String>) -> Self {
        let CreateTable { table, attributes, keys, local_indexes, global_indexes, .. } = request;
        Self { table, attributes, keys, local_indexes, global_indexes, time_to_live }
    }
}

/// The checksum of a manifest or a file, as manifests give it.
pub(super) fn checksum(bytes: &[u8]) -> String {
    STANDARD.encode(Md5::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(key: &str) -> DataFile {
        DataFile { item_count: 0, md5_checksum: checksum(b""), etag: None, key: key.to_owned() }
    }

    #[test]
    fn a_data_file_lies_in_its_folder_and_nowhere_else() {
        for (key, name) in [
            ("AWSDynamoDB/0169-2d87/data/asdl123dasas.json.gz", Some("asdl123dasas.json.gz")),
            ("2020-Nov/AWSDynamoDB/0169-2d87/data/a.json.gz", Some("a.json.gz")),
            ("data/a.json.gz", Some("a.json.gz")),
            ("AWSDynamoDB/0169-2d87/data/../../../etc/passwd", None),
            ("AWSDynamoDB/0169-2d87/data/..", None),
            ("AWSDynamoDB/0169-2d87/data/", None),
            ("AWSDynamoDB/0169-2d87/data/a b", None),
            ("/etc/passwd", None),
            ("a.json.gz", None),
        ] {
            assert_eq!(data(key).name(), name, "{key}");
        }
    }

    #[test]
    fn a_checksum_is_that_of_the_service() {
        assert_eq!(checksum(b""), "1B2M2Y8AsgTpgAmY7PhCfg==");
        assert_eq!(data("data/x").md5().map(|md5| md5[0]), Some(0xd4));
    }
}
