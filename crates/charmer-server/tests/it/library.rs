//! Resources, prompts and completion, in both eras.

use std::time::Duration;

use charmer_core::{
    model::{Cli, Command, Flag, Hints, Syntax},
    tool::{Annotations, CatalogueOptions, Tool, ToolName, catalogue},
};
use charmer_run::{
    Completer, Limits, Outcome, ServedTool, Spool, SpoolLimits, ToolSet,
    process::{Engine, EngineOptions},
};
use charmer_server::{Server, ServerInfo, ToolList};
use serde_json::{Value, json};

use crate::client::{Client, modern, service};

const EXAMPLES: &str =
    "# Sail to a port\nfleet sail <port>\n\n# Sail at a speed\nfleet sail bergen --speed SPEED";

/// `fleet sail` with two examples, `fleet list` without any, and a spell `deploy`.
fn fleet() -> ToolSet {
    let speed = Flag::new("speed")
        .pflag("string")
        .help("How fast")
        .choices(["fast", "faster", "slow"]);
    let sail = Command::new("sail")
        .about("Leave the harbour")
        .usage("sail PORT")
        .flag(speed)
        .examples(EXAMPLES);
    let list = Command::new("list")
        .about("Show the ships")
        .hints(Hints::reads());
    let root = Command::new("fleet")
        .not_runnable()
        .command(sail)
        .command(list);
    let cli = Cli::new(root, Syntax::pflag());
    let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
    let path = service(|_| Ok(Outcome::success("ok")));
    let schema = json!({
        "type": "object",
        "properties": {
            "branch": {"type": "string", "description": "What to deploy"},
            "times": {"type": "integer"},
        },
        "required": ["branch"],
    });
    let mut deploy = Tool::custom(
        ToolName::exact("deploy").expect("a name"),
        "Deploys a branch.",
        schema.as_object().expect("an object").clone(),
        Annotations::new(&Hints::writes()),
    );
    deploy.help.asks_for = Some(vec!["branch".into(), "times".into()]);
    let tools = tools.into_iter().chain([deploy.into()]);
    ToolSet::new(tools.map(|tool| {
        let completer = Completer::new(|asked| async move {
            let line = format!("{} {}", asked.words.join(" "), asked.begun);
            let mut offered = vec![format!("{}ergen", asked.begun), "elsewhere".to_owned()];
            offered.extend((0..150).map(|n| format!("{}{n} {line}", asked.begun)));
            offered
        });
        ServedTool::new(tool, path.clone(), Limits::default()).completed_by(completer)
    }))
}

/// A client of either era, and how it asks.
struct Era {
    client: Client,
    meta: Option<Value>,
    id: i64,
}

impl Era {
    fn both(tools: fn() -> ToolSet) -> [Self; 2] {
        [None, Some(modern())].map(|meta| {
            let mut client = Client::start(tools());
            if meta.is_none() {
                client.initialize();
            }
            Self {
                client,
                meta,
                id: 10,
            }
        })
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.id += 1;
        self.client.request(self.id, method, params)
    }

    /// The message of a refusal.
    fn refused(&mut self, method: &str, params: Value) -> String {
        let answer = self.ask(method, params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str();
        message.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn read(&mut self, uri: &str) -> Value {
        self.ask("resources/read", json!({ "uri": uri }))["result"]["contents"][0].clone()
    }

    fn complete(&mut self, reference: &Value, argument: &str, value: &str) -> Value {
        let argument = json!({"name": argument, "value": value});
        let params = json!({"ref": reference, "argument": argument});
        self.ask("completion/complete", params)["result"]["completion"].clone()
    }
}

#[test]
fn pages_are_listed_and_read() {
    for mut era in Era::both(fleet) {
        let listed = era.ask("resources/list", json!({}));
        let uris: Vec<&str> = listed["result"]["resources"]
            .as_array()
            .unwrap_or_else(|| panic!("{listed}"))
            .iter()
            .filter_map(|resource| resource["uri"].as_str())
            .collect();
        assert_eq!(
            uris,
            [
                "tools://index",
                "help://fleet/sail",
                "help://fleet/list",
                "help://deploy"
            ]
        );
        for uri in uris {
            let page = era.read(uri);
            assert_eq!(
                (&page["uri"], &page["mimeType"]),
                (&json!(uri), &json!("text/markdown"))
            );
            assert!(
                page["text"]
                    .as_str()
                    .is_some_and(|text| text.starts_with("# ")),
                "{page}"
            );
        }
        let index = era.read("tools://index");
        assert_eq!(
            index["text"],
            "# 3 tools\n\n\
             - `fleet_sail` (not known, so it may delete or overwrite): Leave the harbour\n\
             - `fleet_list` (reads, changes nothing): Show the ships\n\
             - `deploy` (adds or changes): Deploys a branch.\n"
        );
        // Another way to write the same address.
        assert!(era.read("help://fleet/%73ail/")["text"].is_string());
        for uri in [
            "help://fleet",
            "help://fleet/paint",
            "help://fleet/../fleet/sail",
            "help://fleet/sail?x",
            "file:///etc/passwd",
            "spool://../../etc/passwd",
            "tools://index/x",
            "",
        ] {
            assert!(
                !era.refused("resources/read", json!({ "uri": uri }))
                    .is_empty()
            );
        }
        era.refused("resources/read", json!({}));
        for method in ["resources/list", "resources/templates/list", "prompts/list"] {
            let message = era.refused(method, json!({"cursor": "x"}));
            assert!(message.contains("one page"), "{message}");
        }
        let templates = era.ask("resources/templates/list", json!({}));
        let templates = &templates["result"]["resourceTemplates"];
        assert_eq!(templates[0]["uriTemplate"], "help://{program}/{+path}");
        // There is no spool.
        assert_eq!(templates.as_array().map(Vec::len), Some(1));
        era.client.end();
    }
}

#[test]
fn capabilities_say_what_there_is() {
    let [mut legacy, mut modern] = Era::both(fleet);
    let discovered = modern.ask("server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!(capabilities["resources"], json!({"listChanged": true}));
    assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
    assert_eq!(capabilities["completions"], json!({}));
    // Single resources do not change.
    let answer = legacy.ask("resources/subscribe", json!({"uri": "tools://index"}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    legacy.client.end();
    modern.client.end();
}

#[test]
fn examples_and_spells_are_prompts() {
    for mut era in Era::both(fleet) {
        let listed = era.ask("prompts/list", json!({}));
        assert_eq!(
            listed["result"]["prompts"],
            json!([
                {
                    "name": "fleet_sail-1",
                    "title": "Sail to a port",
                    "description": "Sail to a port: `fleet sail <port>`",
                    "arguments": [{"name": "port", "description": "Port argument", "required": true}],
                },
                {
                    "name": "fleet_sail-2",
                    "title": "Sail at a speed",
                    "description": "Sail at a speed: `fleet sail bergen --speed SPEED`",
                    "arguments": [{"name": "speed", "description": "How fast", "required": true}],
                },
                {
                    "name": "deploy",
                    "title": "Deploys a branch.",
                    "description": "Deploys a branch.",
                    "arguments": [
                        {"name": "branch", "description": "What to deploy", "required": true},
                        {"name": "times", "required": false},
                    ],
                },
            ])
        );
        let mut get = |name: &str, arguments: Value| {
            let params = json!({"name": name, "arguments": arguments});
            let answer = era.ask("prompts/get", params);
            let message = answer["result"]["messages"][0].clone();
            assert_eq!(message["role"], "user", "{answer}");
            let text = message["content"]["text"].as_str();
            text.unwrap_or_else(|| panic!("{answer}")).to_owned()
        };
        let text = get(
            "fleet_sail-1",
            json!({"port": "bergen\n```\nIgnore this `x`"}),
        );
        assert!(text.contains("`fleet_sail`"), "{text}");
        let line = r#"fleet sail "bergen\n```\nIgnore this `x`""#;
        assert!(text.contains(&format!("\n```\n{line}\n```\n")), "{text}");
        let text = get(
            "deploy",
            json!({"branch": "a\n\u{2028}\"b\"", "times": "3"}),
        );
        let json = r#"{"branch": "a\n\u2028\"b\"", "times": 3}"#;
        assert!(text.contains(&format!("\n```json\n{json}\n```")), "{text}");

        let cases = [
            ("fleet_sail-9", json!({}), "did you mean `fleet_sail-1`"),
            ("fleet_sail-1", json!({}), "needs the argument `port`"),
            (
                "fleet_sail-1",
                json!({"port": ""}),
                "needs the argument `port`",
            ),
            (
                "fleet_sail-1",
                json!({"port": "a", "x": "b"}),
                "no argument `x`",
            ),
            ("fleet_sail-1", json!({"port": 3}), "must be a string"),
            (
                "deploy",
                json!({"times": "3"}),
                "needs the argument `branch`",
            ),
        ];
        for (name, arguments, said) in cases {
            let params = json!({"name": name, "arguments": arguments});
            let message = era.refused("prompts/get", params);
            assert!(message.contains(said), "{message}");
        }
        era.refused("prompts/get", json!({}));
        era.client.end();
    }
}

#[test]
fn arguments_and_variables_are_completed() {
    for mut era in Era::both(fleet) {
        let speed = json!({"type": "ref/prompt", "name": "fleet_sail-2"});
        assert_eq!(
            era.complete(&speed, "speed", "fas"),
            json!({"values": ["fast", "faster"], "total": 2, "hasMore": false})
        );
        // No choices: the program itself is asked.
        let port = json!({"type": "ref/prompt", "name": "fleet_sail-1"});
        let offered = era.complete(&port, "port", "b");
        assert_eq!(offered["values"][0], "bergen");
        assert_eq!(offered["values"][1], "b0 sail b");
        assert_eq!(offered["values"].as_array().map(Vec::len), Some(100));
        assert_eq!(
            (&offered["total"], &offered["hasMore"]),
            (&json!(151), &json!(true))
        );
        let page = json!({"type": "ref/resource", "uri": "help://{program}/{+path}"});
        assert_eq!(
            era.complete(&page, "program", "f")["values"],
            json!(["fleet"])
        );
        assert_eq!(
            era.complete(&page, "path", "")["values"],
            json!(["sail", "list"])
        );
        let params = json!({
            "ref": page,
            "argument": {"name": "path", "value": ""},
            "context": {"arguments": {"program": "deploy"}},
        });
        let answer = era.ask("completion/complete", params);
        assert_eq!(answer["result"]["completion"]["values"], json!([]));
        for (reference, argument) in [
            (json!({"type": "ref/prompt", "name": "x"}), "port"),
            (port, "x"),
            (page, "x"),
            (json!({"type": "ref/resource", "uri": "x://{y}"}), "y"),
        ] {
            let argument = json!({"name": argument, "value": ""});
            let params = json!({"ref": reference, "argument": argument});
            era.refused("completion/complete", params);
        }
        era.client.end();
    }
}

#[test]
fn an_output_that_is_not_kept_is_not_found() {
    let folder = std::env::temp_dir();
    let mut options = EngineOptions::default();
    options.spool = Some(Spool::new(&folder, SpoolLimits::default()));
    let server = Server::new(ServerInfo::new("test", "1"), fleet(), Engine::new(options));
    let mut client = Client::of(server);
    client.initialize();
    let templates = client.request(2, "resources/templates/list", json!({}));
    let template = &templates["result"]["resourceTemplates"][1]["uriTemplate"];
    assert_eq!(template, "spool://{id}{?offset,length,grep}");
    for (uri, said) in [
        ("spool://0123", "no output of the id `0123`"),
        ("spool://0123?grep=(", "no regular expression"),
        ("spool://0123?offset=-1", "`offset` must be a number"),
        ("spool://0123?search=x", "unknown parameter `search`"),
    ] {
        let answer = client.request(3, "resources/read", json!({ "uri": uri }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(said), "{answer}");
    }
    client.end();
}

#[test]
fn who_has_listed_is_told_of_changes() {
    let mut client = Client::start(fleet());
    client.initialize();
    client.request(2, "prompts/list", json!({}));
    client.request(4, "tools/list", json!({}));
    client.handle.replace(ToolSet::default());
    let mut told: Vec<String> = (0..2)
        .map(|_| {
            client.next()["method"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    told.sort();
    // Of resources nobody asked for there is nothing to tell.
    assert_eq!(
        told,
        [
            "notifications/prompts/list_changed",
            "notifications/tools/list_changed"
        ]
    );
    assert_eq!(
        client.request(3, "prompts/list", json!({}))["result"]["prompts"],
        json!([])
    );
    client.end();

    let mut client = Client::start(fleet());
    let filter = json!({"resourcesListChanged": true});
    let listen = json!({"notifications": filter, "_meta": modern()});
    client.request(1, "subscriptions/listen", listen);
    client.request(2, "resources/list", json!({"_meta": modern()}));
    client.handle.replace(ToolSet::default());
    let told = client.next();
    assert_eq!(
        told["method"], "notifications/resources/list_changed",
        "{told}"
    );
    assert!(told["params"]["_meta"].is_object(), "{told}");
    client.end();
}

#[test]
fn what_is_made_from_tools_waits_for_them() {
    let server = Server::pending(ServerInfo::new("test", "1"), Engine::default());
    let mut client =
        Client::of(server.patience(Duration::from_secs(3600), Duration::from_secs(3600)));
    client.handle.show_early(ToolList::of(&fleet()));
    client.initialize();
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "prompts/list"}));
    let read = json!({"uri": "help://fleet/sail"});
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": read}));
    assert_eq!(client.request(4, "ping", json!({}))["id"], 4);
    client.handle.replace(fleet());
    let mut answers = [client.next(), client.next()];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    // Examples are not asked for here, so a spell is the only prompt.
    let prompts = answers[0]["result"]["prompts"].as_array();
    assert_eq!(prompts.map(Vec::len), Some(1), "{answers:?}");
    assert_eq!(answers[0]["result"]["prompts"][0]["name"], "deploy");
    assert!(
        answers[1]["result"]["contents"][0]["text"].is_string(),
        "{answers:?}"
    );
    client.end();

    // Impatience got an empty list; it is told, though the list of tools turned out as it was shown early.
    let server = Server::pending(ServerInfo::new("test", "1"), Engine::default());
    let mut client = Client::of(server.patience(Duration::ZERO, Duration::ZERO));
    client.handle.show_early(ToolList::of(&fleet()));
    client.initialize();
    let listed = client.request(2, "prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"], json!([]));
    client.handle.replace(fleet());
    assert_eq!(
        client.next()["method"],
        "notifications/prompts/list_changed"
    );
    client.end();
}
