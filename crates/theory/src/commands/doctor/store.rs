//! Where rows are: a folder, or DynamoDB, and the tables in it.

use std::path::Path;

use tabletheory_core::StoreExt as _;
use tabletheory_core::store::op::ListTables;
use tabletheory_engine::{Engine, EngineError, KvError, Settings as EngineSettings};
use theory_gateway::settings::{Settings, StorePlace};

use super::finding::Finding;
use super::{disk, server, tables};
use crate::store::{Opened, is_store};

/// Looks at the store. A folder that a running gateway has open is left to it.
pub(super) async fn examine(settings: &Settings, is_running: bool) -> Vec<Finding> {
    match &settings.store {
        StorePlace::Memory => vec![Finding::ok("store", "in memory, and forgotten at the end")],
        StorePlace::Embedded { folder, .. } => {
            let mut findings = vec![disk::examine("disk", folder)];
            findings.extend(embedded(settings, folder, is_running).await);
            findings
        }
        StorePlace::DynamoDb { endpoint, region } => {
            dynamodb(settings, endpoint.clone(), region.clone()).await
        }
    }
}

async fn embedded(settings: &Settings, folder: &Path, is_running: bool) -> Vec<Finding> {
    let name = "store";
    if !is_store(folder) {
        return vec![Finding::ok(name, format!("{} is made when a gateway starts", folder.display()))];
    }
    match Engine::open(folder, EngineSettings::default()) {
        Err(EngineError::Storage(KvError::Locked { .. })) if is_running => {
            vec![Finding::ok(
                name,
                format!(
                    "{} is in use by the running gateway, which has checked its tables",
                    folder.display()
                ),
            )]
        }
        Err(EngineError::Storage(KvError::Locked { .. })) => vec![Finding::fail(
            name,
            format!("{} is in use by another process", folder.display()),
            "stop it: a folder belongs to one process at a time; a gateway whose admin listener is elsewhere may have it",
        )],
        Err(error) => vec![Finding::fail(
            name,
            format!("{} cannot be opened: {error}", folder.display()),
            "restore the folder from a copy, or give another one with `store.dir`",
        )],
        Ok(engine) => {
            let mut findings =
                vec![Finding::ok(name, format!("{} opens, and its files are whole", folder.display()))];
            findings.extend(tables::examine(&tabletheory::Db::new(engine.clone()), &settings.tables).await);
            if let Err(error) = engine.close() {
                findings.push(Finding::fail(name, error.to_string(), "look at the disk"));
            }
            findings
        }
    }
}

async fn dynamodb(settings: &Settings, endpoint: Option<String>, region: Option<String>) -> Vec<Finding> {
    let name = "store";
    let advice =
        "see that the endpoint is right and that the credentials of the environment may use the tables";
    let opened = match Opened::dynamodb(endpoint, region).await {
        Ok(opened) => opened,
        Err(error) => return vec![Finding::fail(name, format!("{error:#}"), advice)],
    };
    let listed = opened.store.list_tables(ListTables { limit: Some(1), ..ListTables::default() });
    match tokio::time::timeout(server::PATIENCE, listed).await {
        Err(_) => vec![Finding::fail(name, format!("{} does not answer", opened.name), advice)],
        Ok(Err(error)) => vec![Finding::fail(name, format!("{} refuses: {error}", opened.name), advice)],
        Ok(Ok(_)) => {
            let mut findings = vec![Finding::ok(name, format!("{} answers", opened.name))];
            findings.extend(tables::examine(&opened.db(), &settings.tables).await);
            findings
        }
    }
}
