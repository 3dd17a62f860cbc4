//! The function. Lambda runs it; `cargo test -p lambda-archive` does as Lambda does.

use theory_lambda::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing_subscriber::fmt().json().with_writer(std::io::stderr).init();
    theory_lambda::run(lambda_archive::init).await
}
