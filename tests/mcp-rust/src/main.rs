//! The official Rust client of the Model Context Protocol, driven line by line: JSON in, JSON out.
//!
//! Arguments: the URL, the key, and how it finds the protocol's version (`auto`, `legacy`, or a version).

use std::error::Error;
use std::io::{self, BufRead, Write};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ContentBlock, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    let (url, key, mode) = (argument("the URL")?, argument("the key")?, argument("the mode")?);
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match mode.as_str() {
        "auto" => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        "legacy" => ClientLifecycleMode::Initialize,
        "2026-07-28" => ClientLifecycleMode::Discover { preferred_versions },
        _ => return Err(format!("there is no mode {mode}").into()),
    };
    let http = StreamableHttpClientTransportConfig::with_uri(url).auth_header(key);
    let transport = StreamableHttpClientTransport::from_config(http);
    let config = ClientConfig::new(ClientCapabilities::default(), Implementation::new("stock", "1.0.0"));
    let client = config.serve_with_lifecycle(transport, lifecycle).await?;
    for line in io::stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let answer =
            match (asked.get("tool").and_then(Value::as_str), asked.get("arguments").and_then(Value::as_object)) {
                (Some(tool), Some(arguments)) => {
                    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
                    let result = client.call_tool(params).await?;
                    let text = result.content.first().and_then(ContentBlock::as_text).map(|text| text.text.clone());
                    json!({ "isError": result.is_error.unwrap_or(false), "text": text })
                }
                _ => client.list_all_tools().await?.iter().map(|tool| tool.name.to_string()).collect(),
            };
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    client.cancel().await?;
    Ok(())
}
