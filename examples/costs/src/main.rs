//! Prints what a million requests cost.

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    print!("{}", costs::table(&costs::count().await?));
    Ok(())
}
