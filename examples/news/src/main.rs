//! Serves the site on this machine: `cargo run -p news`.

use std::net::SocketAddr;

use facetheory::{Bodies, Isr, MetaStore};
use tabletheory::Db;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join("news-example");
    // On AWS: Db::dynamodb(..) with the feature `aws`, and Bodies::s3(..). Nothing else changes.
    let db = Db::embedded(folder.join("rows"))?;
    let isr = Isr::new(MetaStore::new(db.clone()), Bodies::folder(folder.join("pages"))?);
    let app = news::app(db, isr).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("News on http://{}, kept in {}. Publish something:", listener.local_addr()?, folder.display());
    println!(
        "  curl -X PUT http://127.0.0.1:3000/news/first -H 'authorization: Bearer editor-key' \\\n       \
         -H 'content-type: application/json' -d '{{\"title\": \"The first\", \"text\": \"It begins.\"}}'"
    );
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}
