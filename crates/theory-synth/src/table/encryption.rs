//! How a table is encrypted where it lies.

use crate::error::Error;
use crate::iam::Statement;
use crate::intrinsic::{attribute, reference, sub};
use crate::name;
use crate::node::{Map, Node};
use crate::resource::Resource;
use crate::template::Template;

/// How a table is encrypted where it lies. It always is; the question is whose key it is.
///
/// ```
/// use theory_synth::Encryption;
///
/// assert_eq!(Encryption::default(), Encryption::AwsOwned);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Encryption {
    /// A key of AWS that nobody sees. It costs nothing and needs no permission.
    #[default]
    AwsOwned,
    /// The account's key for DynamoDB, whose use is recorded.
    AwsManaged,
    /// A key of the account, by its resource name.
    Key(String),
    /// A key that the template makes, which turns every year.
    NewKey,
}

impl Encryption {
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Key(arn) => name::key_arn(arn),
            _ => Ok(()),
        }
    }

    /// The key as the template calls it, if it is one that callers need a permission for.
    fn key(&self, table: &str) -> Option<Node> {
        match self {
            Self::AwsOwned | Self::AwsManaged => None,
            Self::Key(arn) => Some(arn.into()),
            Self::NewKey => Some(attribute(&key_id(table), "Arn")),
        }
    }

    pub(super) fn specification(&self, table: &str) -> Map {
        let map = Map::new().with("SSEEnabled", *self != Self::AwsOwned);
        match self.key(table) {
            Some(key) => map.with("SSEType", "KMS").with("KMSMasterKeyId", key),
            None => map,
        }
    }

    pub(super) fn add_to(&self, template: &mut Template, table: &str, is_kept: bool) -> Result<(), Error> {
        if *self != Self::NewKey {
            return Ok(());
        }
        let id = key_id(table);
        let account = Map::new().with("AWS", sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:root"));
        let statement = Map::new()
            .with("Sid", "TheAccountDecidesWithItsPolicies")
            .with("Effect", "Allow")
            .with("Principal", account)
            .with("Action", "kms:*")
            .with("Resource", "*");
        let policy = Map::new().with("Version", "2012-10-17").with("Statement", [statement]);
        let properties = Map::new()
            .with("Description", sub(&format!("Encrypts the table {table} of ${{AWS::StackName}}.")))
            .with("EnableKeyRotation", true)
            .with("KeyPolicy", policy);
        let key = Resource::new("AWS::KMS::Key", properties);
        // A table without its key is lost, so the key stays as long as the table may.
        template.resource(&id, if is_kept { key.kept() } else { key })?;
        template.output(
            &format!("{id}Arn"),
            "The resource name of the table's key.",
            attribute(&id, "Arn"),
        )?;
        template.output(&format!("{id}Id"), "The identifier of the table's key.", reference(&id))
    }

    /// What somebody who uses the table must be allowed to do with its key, through DynamoDB only.
    pub(crate) fn grant(&self, table: &str) -> Option<Statement> {
        let via = Map::new().with("kms:ViaService", sub("dynamodb.${AWS::Region}.${AWS::URLSuffix}"));
        let statement = Statement::new(format!("UseTheKeyOf{table}"))
            .actions(&[
                "kms:Decrypt",
                "kms:DescribeKey",
                "kms:Encrypt",
                "kms:GenerateDataKey*",
                "kms:ReEncrypt*",
            ])
            .condition("StringEquals", via);
        Some(statement.on(self.key(table)?))
    }
}

fn key_id(table: &str) -> String {
    format!("{table}Key")
}
