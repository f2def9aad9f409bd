//! The examples of the specification documents, each reproduced as it stands there, apart from what the design
//! decides otherwise (said beside each).

use std::sync::Arc;

use charmer_core::{
    call::prepare,
    model::{ArgSpec, Cli, Command, Flag, Syntax, ValueType},
    tool::{CatalogueOptions, Layout, Tool, catalogue},
};
use serde_json::{Value, json};

fn tools(root: Command, layout: Layout) -> Vec<Arc<Tool>> {
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    let found = catalogue(&Cli::new(root, Syntax::pflag()), &options);
    assert_eq!(found.warnings, []);
    found.tools
}

fn tool(root: Command, layout: Layout) -> Arc<Tool> {
    tools(root, layout).pop().expect("the command is a tool")
}

fn argv(tool: &Tool, input: Value) -> Vec<String> {
    let prepared = prepare(tool, input.as_object().expect("an object")).expect("valid input");
    prepared
        .argv
        .to_strings()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn flags_schema(command: Command) -> Value {
    tool(command, Layout::Nested).input_schema["properties"]["flags"]["properties"].clone()
}

/// Schema generation, "Example flag schema".
#[test]
fn flag_schema() {
    let command = Command::new("app")
        .flag(
            Flag::new("namespace")
                .pflag("string")
                .default_text("default")
                .help("Kubernetes namespace"),
        )
        .flag(
            Flag::new("replicas")
                .pflag("int")
                .default_text("3")
                .help("Number of replicas"),
        )
        .flag(
            Flag::new("verbose")
                .pflag("bool")
                .default_text("false")
                .help("Enable verbose output"),
        )
        .flag(
            Flag::new("labels")
                .pflag("stringArray")
                .default_text("[]")
                .help("Resource labels"),
        );
    assert_eq!(
        flags_schema(command),
        json!({
            "namespace": {"type": "string", "description": "Kubernetes namespace", "default": "default"},
            "replicas": {"type": "integer", "description": "Number of replicas", "default": 3},
            "verbose": {"type": "boolean", "description": "Enable verbose output", "default": false},
            "labels": {"type": "array", "description": "Resource labels", "items": {"type": "string"}},
        })
    );
}

/// Schema generation, "Arguments".
#[test]
fn args_schema() {
    let found = tool(
        Command::new("app").usage("app [NAME] [flags]"),
        Layout::Nested,
    );
    assert_eq!(
        found.input_schema["properties"]["args"],
        json!({
            "type": "array",
            "description": "Positional command line arguments\nUsage pattern: [NAME] [flags]",
            "items": {"type": "string"},
        })
    );
}

/// Schema generation, "Complete Input Example"; descriptions of flags and arguments are left out there.
#[test]
fn complete_input() {
    let command = Command::new("app")
        .usage("app [NAME]")
        .flag(
            Flag::new("namespace")
                .pflag("string")
                .default_text("default")
                .required(),
        )
        .flag(
            Flag::new("output")
                .pflag("string")
                .help("Output format (json|yaml)"),
        );
    let mut schema = Value::Object((*tool(command, Layout::Nested).input_schema).clone());
    schema["properties"]["args"]
        .as_object_mut()
        .map(|args| args.remove("description"));
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "flags": {
                    "type": "object",
                    "properties": {
                        "namespace": {"type": "string", "default": "default"},
                        "output": {"type": "string", "description": "Output format (json|yaml)"},
                    },
                    "required": ["namespace"],
                },
                "args": {"type": "array", "items": {"type": "string"}},
            },
        })
    );
}

/// Schema generation, "Output Schema"; the design adds `data`, `truncated` and `error`.
#[test]
fn output_schema() {
    let schema = Value::Object((*tool(Command::new("app"), Layout::Nested).output_schema).clone());
    assert_eq!(schema["type"], "object");
    for (key, expected) in [
        (
            "stdout",
            json!({"type": "string", "description": "Standard output"}),
        ),
        (
            "stderr",
            json!({"type": "string", "description": "Standard error"}),
        ),
        (
            "exitCode",
            json!({"type": "integer", "description": "Exit code"}),
        ),
    ] {
        assert_eq!(schema["properties"][key], expected);
    }
}

/// Schema generation, "Array Default Values".
#[test]
fn array_defaults() {
    let command = Command::new("app")
        .flag(
            Flag::new("words")
                .pflag("stringSlice")
                .default_text("[hello,world]"),
        )
        .flag(
            Flag::new("numbers")
                .pflag("intSlice")
                .default_text("[1,2,3]"),
        )
        .flag(Flag::new("nothing").pflag("stringSlice").default_text("[]"));
    let schema = flags_schema(command);
    assert_eq!(schema["words"]["default"], json!(["hello", "world"]));
    assert_eq!(schema["numbers"]["default"], json!([1, 2, 3]));
    assert_eq!(schema["nothing"].get("default"), None);
}

/// "Invalid array elements are logged as warnings and skipped."
#[test]
fn bad_array_defaults_are_skipped_with_a_warning() {
    let command = Command::new("app").flag(
        Flag::new("numbers")
            .pflag("intSlice")
            .default_text("[1,two,3]"),
    );
    let found = catalogue(
        &Cli::new(command, Syntax::pflag()),
        &CatalogueOptions::default(),
    );
    assert_eq!(
        found.tools[0].input_schema["properties"]["numbers"]["default"],
        json!([1, 3])
    );
    assert_eq!(found.warnings.len(), 1);
    assert!(
        found.warnings[0].to_string().contains("\"two\""),
        "{}",
        found.warnings[0]
    );
}

/// Schema generation, "Special Flag Types". The design corrects the patterns of addresses (IPv6 in its short form)
/// and of base64 (whole groups), so those are held to examples instead of to the letter.
#[test]
fn special_types() {
    let command = Command::new("app")
        .flag(
            Flag::new("timeout")
                .pflag("duration")
                .help("Request timeout"),
        )
        .flag(Flag::new("ip").pflag("ip").help("Server IP address"))
        .flag(Flag::new("net").pflag("ipNet").help("Network CIDR"))
        .flag(Flag::new("data").pflag("bytesBase64").help("Encoded data"));
    let schema = flags_schema(command);
    assert_eq!(
        schema["timeout"],
        json!({
            "type": "string",
            "description": "Request timeout (format: Go duration string, e.g., '10s', '2h45m')",
            "pattern": "^-?([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$",
        })
    );
    for (key, description, good, bad) in [
        (
            "ip",
            "Server IP address (format: IPv4 or IPv6 address)",
            ["10.0.0.1", "::1"],
            "10.0.0",
        ),
        (
            "net",
            "Network CIDR (format: CIDR notation, e.g., '192.168.1.0/24')",
            ["192.168.1.0/24", "fd00::/8"],
            "192.168.1.0/33",
        ),
        (
            "data",
            "Encoded data (format: base64 encoded string)",
            ["aGVsbG8=", ""],
            "a",
        ),
    ] {
        assert_eq!(schema[key]["description"], description);
        assert_eq!(schema[key]["type"], "string");
        for text in good {
            assert!(
                jsonschema::is_valid(&schema[key], &json!(text)),
                "{key}: {text}"
            );
        }
        assert!(
            !jsonschema::is_valid(&schema[key], &json!(bad)),
            "{key}: {bad}"
        );
    }
}

/// Bridge specification, "Type Mapping": every pflag type has the JSON type that the table gives it.
#[test]
fn type_mapping() {
    let rows: [(&str, &str, Value); 40] = [
        ("string", "string", json!("x")),
        ("bool", "boolean", json!(true)),
        ("int", "integer", json!(-1)),
        ("int8", "integer", json!(-128)),
        ("int16", "integer", json!(-32768)),
        ("int32", "integer", json!(i32::MIN)),
        ("int64", "integer", json!(i64::MAX)),
        ("uint", "integer", json!(u64::MAX)),
        ("uint8", "integer", json!(255)),
        ("uint16", "integer", json!(65535)),
        ("uint32", "integer", json!(u32::MAX)),
        ("uint64", "integer", json!(u64::MAX)),
        ("float32", "number", json!(0.5)),
        ("float64", "number", json!(1e300)),
        ("count", "integer", json!(3)),
        ("duration", "string", json!("5m0s")),
        ("ip", "string", json!("::1")),
        ("ipMask", "string", json!("255.255.255.0")),
        ("ipNet", "string", json!("10.0.0.0/8")),
        ("bytesHex", "string", json!("00ff")),
        ("bytesBase64", "string", json!("AAA=")),
        ("time", "string", json!("2026-01-02T03:04:05Z")),
        ("stringSlice", "array", json!(["a", "b"])),
        ("stringArray", "array", json!(["a", "b"])),
        ("intSlice", "array", json!([1, 2])),
        ("int32Slice", "array", json!([1, 2])),
        ("int64Slice", "array", json!([i64::MAX])),
        ("uintSlice", "array", json!([1, 2])),
        ("float32Slice", "array", json!([0.5])),
        ("float64Slice", "array", json!([0.5])),
        ("boolSlice", "array", json!([true, false])),
        ("durationSlice", "array", json!(["1s"])),
        ("ipSlice", "array", json!(["::1"])),
        ("ipNetSlice", "array", json!(["10.0.0.0/8"])),
        ("stringToString", "object", json!({"k": "v"})),
        ("stringToInt", "object", json!({"k": 1})),
        ("stringToInt64", "object", json!({"k": i64::MAX})),
        ("strings", "array", json!(["a"])),
        ("ints", "array", json!([1])),
        ("bools", "array", json!([true])),
    ];
    for (name, expected, value) in rows {
        assert!(ValueType::from_pflag(name).is_some(), "{name}");
        let found = tool(
            Command::new("app").flag(Flag::new("f").pflag(name)),
            Layout::Flat,
        );
        let schema = &found.input_schema["properties"]["f"];
        assert_eq!(schema["type"], expected, "{name}");
        assert!(
            jsonschema::is_valid(schema, &value),
            "{name}: {value} under {schema}"
        );
        let input = json!({ "f": value });
        prepare(&found, input.as_object().expect("an object"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Bridge specification, example 1. There `[query]` is required; that comes from an `ArgSpec`.
#[test]
fn simple_search_command() {
    let search = Command::new("search")
        .about("Search for items")
        .usage("search [query]")
        .flag(
            Flag::new("format")
                .short('f')
                .pflag("string")
                .default_text("json")
                .help("Output format"),
        )
        .flag(
            Flag::new("limit")
                .short('l')
                .pflag("int")
                .default_text("10")
                .help("Maximum results"),
        )
        .with_arg_specs(&[ArgSpec::new("query").required()]);
    let found = tool(search, Layout::Flat);
    assert_eq!(found.name.as_str(), "search");
    assert_eq!(found.description, "Search for items");
    assert_eq!(
        Value::Object((*found.input_schema).clone()),
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Query argument"},
                "format": {"type": "string", "description": "Output format", "default": "json"},
                "limit": {"type": "integer", "description": "Maximum results", "default": 10},
            },
            "required": ["query"],
        })
    );
    let call = json!({"query": "golang cli", "format": "json", "limit": 5});
    assert_eq!(
        argv(&found, call),
        ["--format=json", "--limit=5", "golang cli"]
    );
}

/// Bridge specification, "With Enhanced Metadata".
#[test]
fn arg_specs_override_what_was_inferred() {
    let search = Command::new("search")
        .usage("search [query] [path]")
        .with_arg_specs(&[
            ArgSpec::new("query")
                .description("Search query string")
                .value_type("string")
                .required(),
            ArgSpec::new("path")
                .description("Search path")
                .value_type("path"),
        ]);
    let schema = &tool(search, Layout::Flat).input_schema;
    assert_eq!(
        schema["properties"]["query"],
        json!({"type": "string", "description": "Search query string"})
    );
    assert_eq!(
        schema["properties"]["path"],
        json!({"type": "string", "description": "Search path"})
    );
    assert_eq!(schema["required"], json!(["query"]));
}

/// Bridge specification, challenge 1, option A.
#[test]
fn positionals_from_usage_strings() {
    let properties = |usage: &str| {
        let schema = &tool(Command::new("x").usage(usage), Layout::Flat).input_schema;
        (
            schema["properties"].clone(),
            schema.get("required").cloned(),
        )
    };
    let text = |name: &str| json!({"type": "string", "description": format!("{name} argument")});
    assert_eq!(
        properties("search [query] [path]"),
        (json!({"query": text("Query"), "path": text("Path")}), None)
    );
    assert_eq!(
        properties("run <file>"),
        (json!({"file": text("File")}), Some(json!(["file"])))
    );
    let (echo, required) = properties("echo [message...]");
    assert_eq!(echo["message"]["items"], json!({"type": "string"}));
    assert_eq!(required, None);
}

/// Bridge specification, example 2.
#[test]
fn nested_command() {
    let list = Command::new("list").about("List containers").flag(
        Flag::new("all")
            .short('a')
            .pflag("bool")
            .default_text("false")
            .help("Show all containers"),
    );
    let docker = Command::new("docker")
        .not_runnable()
        .command(Command::new("container").not_runnable().command(list));
    let found = tools(docker, Layout::Flat);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].name.as_str(), "docker_container_list");
    assert_eq!(
        found[0].description,
        "docker container list: List containers"
    );
    assert_eq!(
        Value::Object((*found[0].input_schema).clone()),
        json!({
            "type": "object",
            "properties": {"all": {"type": "boolean", "description": "Show all containers", "default": false}},
        })
    );
}

/// Bridge specification, example 3. The pattern of durations and its note are those of the other document, and Go
/// prints the default as `5m0s`.
#[test]
fn complex_types() {
    let deploy = Command::new("deploy")
        .about("Deploy application")
        .usage("deploy <app>")
        .flag(
            Flag::new("tags")
                .pflag("stringSlice")
                .default_text("[]")
                .help("Image tags"),
        )
        .flag(
            Flag::new("env")
                .pflag("stringToString")
                .default_text("[]")
                .help("Environment variables"),
        )
        .flag(
            Flag::new("timeout")
                .pflag("duration")
                .default_text("5m0s")
                .help("Deployment timeout"),
        );
    let found = tool(deploy, Layout::Flat);
    assert_eq!(
        Value::Object((*found.input_schema).clone()),
        json!({
            "type": "object",
            "properties": {
                "app": {"type": "string", "description": "App argument"},
                "tags": {
                    "type": "array", "description": "Image tags (comma-separated)", "items": {"type": "string"},
                },
                "env": {
                    "type": "object",
                    "description": "Environment variables (key=value pairs)",
                    "additionalProperties": {"type": "string"},
                },
                "timeout": {
                    "type": "string",
                    "description": "Deployment timeout (format: Go duration string, e.g., '10s', '2h45m')",
                    "pattern": "^-?([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$",
                    "default": "5m0s",
                },
            },
            "required": ["app"],
        })
    );
    let call = json!({"app": "web", "tags": ["v1", "a,b"], "env": {"A": "1", "B": "x,y"}, "timeout": "90s"});
    assert_eq!(
        argv(&found, call),
        [
            "--tags=v1,\"a,b\"",
            "--env=A=1,\"B=x,y\"",
            "--timeout=90s",
            "web"
        ]
    );
}

/// Tool execution, "Command Construction". The design attaches values.
#[test]
fn constructed_command() {
    let pods = Command::new("pods")
        .usage("pods [NAME]")
        .flag(Flag::new("namespace").pflag("string"))
        .flag(Flag::new("output").pflag("string"))
        .flag(Flag::new("verbose").pflag("bool"));
    let kubectl = Command::new("kubectl")
        .not_runnable()
        .command(Command::new("get").not_runnable().command(pods));
    let found = tool(kubectl, Layout::Nested);
    assert_eq!(found.name.as_str(), "kubectl_get_pods");
    let input = json!({
        "flags": {"namespace": "production", "output": "json", "verbose": true},
        "args": ["web-server"],
    });
    assert_eq!(
        argv(&found, input),
        [
            "get",
            "pods",
            "--namespace=production",
            "--output=json",
            "--verbose",
            "web-server"
        ]
    );
}

/// Tool execution, "Flag Conversion Rules".
#[test]
fn flag_conversion_rules() {
    let command = Command::new("app")
        .flag(Flag::new("flag-name").pflag("bool"))
        .flag(Flag::new("on").pflag("bool").default_text("true"))
        .flag(Flag::new("text").pflag("string"))
        .flag(Flag::new("number").pflag("int"))
        .flag(Flag::new("labels").pflag("stringArray"));
    let found = tool(command, Layout::Nested);
    let written = |flags: Value| argv(&found, json!({ "flags": flags }));
    assert_eq!(written(json!({"flag-name": true})), ["--flag-name"]);
    assert!(written(json!({"flag-name": false})).is_empty());
    // The design: a bool that is on by default is turned off.
    assert_eq!(written(json!({"on": false})), ["--on=false"]);
    assert_eq!(written(json!({"text": "value"})), ["--text=value"]);
    assert_eq!(written(json!({"number": 1_000_000})), ["--number=1000000"]);
    assert_eq!(
        written(json!({"labels": ["a", "b"]})),
        ["--labels=a", "--labels=b"]
    );
    assert!(written(json!({"text": null, "labels": []})).is_empty());
    // The design: an empty string is a value.
    assert_eq!(written(json!({"text": ""})), ["--text="]);
}
