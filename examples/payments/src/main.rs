//! Serves the API on this machine: `cargo run -p payments`.

use std::net::SocketAddr;

use tabletheory::Db;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join("payments-example");
    let app = payments::app(Db::embedded(&folder)?).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("Payments on http://{}, kept in {}. Try, twice:", listener.local_addr()?, folder.display());
    println!(
        "  curl -i http://127.0.0.1:3000/payments -H 'authorization: Bearer ada-key' -H 'idempotency-key: order-1' \\\n       \
         -H 'content-type: application/json' -d '{{\"cents\": 500}}'"
    );
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}
