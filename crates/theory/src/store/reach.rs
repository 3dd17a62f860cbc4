//! How DynamoDB is reached: as the environment says, and what is said on the command line is stronger.

use anyhow::Context as _;

/// How DynamoDB is reached. An endpoint on this machine that wants no keys gets some, because an SDK does not ask without.
pub(super) fn config(
    endpoint: Option<String>,
    region: Option<String>,
) -> anyhow::Result<tabletheory_aws::Config> {
    let mut config = tabletheory_aws::Config::from_env().context("the environment cannot be followed")?;
    let uri = endpoint.as_deref().map(str::parse::<http::Uri>).transpose();
    let uri = uri.with_context(|| {
        format!("--endpoint {endpoint:?} is no address; it is such as http://127.0.0.1:8000")
    })?;
    let host = uri.as_ref().and_then(http::Uri::host).map(|host| host.trim_matches(['[', ']']));
    let is_local = host.is_some_and(|host| {
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_local && !has("AWS_ACCESS_KEY_ID") && !has("AWS_PROFILE") {
        config.credentials = Some(tabletheory_aws::Credentials::new("local", "local"));
    }
    if is_local && region.is_none() && !has("AWS_REGION") && !has("AWS_DEFAULT_REGION") {
        config.region = Some("us-east-1".to_owned());
    }
    if region.is_some() {
        config.region = region;
    }
    config.endpoint_url = endpoint;
    Ok(config)
}
