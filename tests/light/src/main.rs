//! A CLI that changed one line, with the library as it comes.

use clap::Parser;

/// Keeps names
#[derive(Parser)]
#[command(name = "names")]
enum Names {
    /// List the names
    List {
        /// How many
        #[arg(long)]
        limit: Option<u8>,
    },
    /// Delete a name
    Delete { name: String },
}

fn main() {
    match charmer::parse() {
        Names::List { limit } => println!("[\"Ada\"] of {limit:?}"),
        Names::Delete { name } => println!("{name} is gone"),
    }
}

#[cfg(test)]
mod tests {
    use charmer::Bridge;
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn each_command_is_a_tool_and_effects_are_told_from_names() {
        let tools = Bridge::new(Names::command()).catalogue().tools;
        let seen: Vec<_> = tools
            .iter()
            .map(|tool| (tool.name.as_str(), tool.annotations.read_only))
            .collect();
        assert_eq!(seen, [("names_list", true), ("names_delete", false)]);
    }

    #[tokio::test]
    async fn calls_are_checked_and_answered_as_text() {
        let bridge = Bridge::new(Names::command()).handler(
            "list",
            |matches: &clap::ArgMatches| -> Result<_, charmer::CallError> {
                Ok(format!("{:?}", matches.get_one::<u8>("limit")))
            },
        );
        let tools = bridge.assembled();
        let call = async |arguments: serde_json::Value| {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            tools
                .call("names_list", arguments)
                .await
                .expect("a known tool")
        };
        let answered = call(serde_json::json!({"limit": 3})).await;
        assert_eq!(answered.structured["stdout"], "Some(3)");
        let refused = call(serde_json::json!({"limit": 300})).await;
        assert_eq!(refused.structured["error"]["code"], "invalid_arguments");
    }

    #[tokio::test]
    async fn what_a_handler_gives_as_data_holds_no_secret_and_is_not_too_long() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let given = serde_json::json!({"token": token, "name": "Ada"});
        let long = vec!["x".repeat(100); 10_000];
        let bridge = Bridge::new(Names::command())
            .redact(charmer::Redactor::new(["a1B2"], [""; 0]).expect("no pattern"))
            .handler("list", move |_| Ok(given.clone()))
            .handler("delete", move |_| Ok(long.clone()));
        let tools = bridge.assembled();
        let listed = tools.call("names_list", Default::default()).await;
        let listed = listed.expect("a known tool").structured;
        assert_eq!(listed["data"]["name"], "Ada");
        assert!(!listed["data"].to_string().contains("a1B2"), "{listed:?}");
        let name = serde_json::json!({"name": "Ada"}).as_object().cloned();
        let deleted = tools.call("names_delete", name.unwrap_or_default()).await;
        let deleted = deleted.expect("a known tool").structured;
        let shown = deleted["stdout"].as_str().map_or(0, str::len);
        assert!((1..100_000).contains(&shown), "{shown}");
    }
}
