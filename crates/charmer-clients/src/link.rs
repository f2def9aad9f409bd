//! Links that add a server to a client when they are opened.

use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// The kinds of links.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InstallLink {
    /// The name beside the fields in base64.
    Cursor,
    /// The fields with the name among them.
    VsCode,
}

/// The link for a server.
pub(crate) fn write(link: InstallLink, name: &str, fields: Map<String, Value>) -> String {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    match link {
        InstallLink::Cursor => format!(
            "cursor://anysphere.cursor-deeplink/mcp/install?name={}&config={}",
            encode(name),
            encode(&STANDARD.encode(Value::from(fields).to_string())),
        ),
        InstallLink::VsCode => {
            let mut named = Map::new();
            named.insert("name".to_owned(), name.into());
            named.extend(fields);
            format!(
                "vscode:mcp/install?{}",
                encode(&Value::from(named).to_string())
            )
        }
    }
}
