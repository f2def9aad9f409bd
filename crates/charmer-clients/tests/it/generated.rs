//! Generated files: whatever is in them, an entry goes in and out and nothing else changes.

use proptest::{collection::vec, prelude::*, sample::select};

use crate::support::{any_order, entry, promises};

/// Lines as they are, with carriage returns, without the last one, and with a byte-order mark.
fn dressed(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (text, any::<[bool; 3]>()).prop_map(|(text, [returns, unfinished, mark])| {
        let text = match unfinished {
            true => text.trim_end_matches('\n').to_owned(),
            false => text,
        };
        let text = match returns {
            true => text.replace('\n', "\r\n"),
            false => text,
        };
        format!("{}{text}", if mark { "\u{feff}" } else { "" })
    })
}

/// Space and comments between the tokens of JSON.
fn trivia() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "",
        "",
        "",
        " ",
        "  ",
        "\n",
        "\n  ",
        "\n    ",
        "\t",
        "\n\n",
        "/* c */",
        "// c, {\n",
        "/*\n * \"x\": 1,\n */",
        " // d  \n",
        "/**/",
    ]);
    vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn json_name() -> impl Strategy<Value = String> {
    select(vec![
        "\"a\"",
        "\"b\"",
        "\"ü € 𝄞\"",
        "\"\"",
        "\"a.b\"",
        "\"\\u0041 \\\"//\"",
        "\"/*\"",
        "\"mcpServer\"",
    ])
    .prop_map(str::to_owned)
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"text\"",
        "\"{[,// \\\\\"",
        "\"\u{1F600}\\n\"",
        "{}",
        "[]",
        "[1,2,]",
        "{ }",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            json_object(vec((json_name(), inner.clone()), 0..4)),
            (vec((trivia(), inner, trivia()), 0..4), any::<bool>()).prop_map(|(items, comma)| {
                let items: Vec<_> = items.iter().map(|(a, b, c)| format!("{a}{b}{c}")).collect();
                let comma = if comma && !items.is_empty() { "," } else { "" };
                format!("[{}{comma}]", items.join(","))
            }),
        ]
    })
}

fn json_object(
    members: impl Strategy<Value = Vec<(String, String)>>,
) -> impl Strategy<Value = String> {
    (members, vec(trivia(), 24), any::<bool>()).prop_map(|(members, trivia, comma)| {
        let mut trivia = trivia.into_iter().cycle();
        let mut space = || trivia.next().unwrap_or_default();
        let members: Vec<_> = members
            .iter()
            .map(|(name, value)| {
                format!("{}{name}{}:{}{value}{}", space(), space(), space(), space())
            })
            .collect();
        let comma = match comma && !members.is_empty() {
            true => format!(",{}", space()),
            false => String::new(),
        };
        let inside = match members.is_empty() {
            true => space(),
            false => members.join(","),
        };
        format!("{{{inside}{comma}}}")
    })
}

fn json_server() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(vec![
            r#"{"command": "x"}"#,
            "{\n      \"command\": \"x\",\n      \"args\": [\"y\"]\n    }",
            r#"{"url": "https://x//y"}"#,
            r#"{/* c */ "command": "x", }"#,
        ])
        .prop_map(str::to_owned),
        1 => json_value(),
    ]
}

/// A file of a client that keeps its servers under `mcpServers`.
fn json_file() -> impl Strategy<Value = String> {
    let servers = json_object(vec((json_name(), json_server()), 0..4));
    let servers = prop_oneof![
        3 => servers,
        1 => select(vec!["{}", "{ }", "{\n  }", "{\n\n  }", "{\n    // none\n  }", "{/*c*/}"])
            .prop_map(str::to_owned),
    ];
    let members = (
        vec((json_name(), json_value()), 0..3),
        proptest::option::of(servers),
        vec((json_name(), json_value()), 0..3),
    )
        .prop_map(|(mut before, servers, after)| {
            before.extend(servers.map(|servers| ("\"mcpServers\"".to_owned(), servers)));
            before.extend(after);
            before
        });
    let root = prop_oneof![
        8 => json_object(members),
        1 => Just(String::new()),
    ];
    dressed((trivia(), root, trivia()).prop_map(|(before, root, after)| before + &root + &after))
}

/// Lines of TOML before the first section.
fn toml_file() -> impl Strategy<Value = String> {
    let lines = vec(
        select(vec![
            "",
            "",
            "# c",
            "  # d  ",
            "\t",
            "KEY = 1",
            "KEY = \"[mcp_servers.git]\" # c",
            "KEY = '''\n[a]\n\n'''",
            "KEY = [ # c\n  1,\n\n  2,\n]",
            "KEY.b.c = true",
            "\"KEY ü\" = { a = 1, b = { c = [] } }",
            "  KEY = 1979-05-27",
        ]),
        0..5,
    );
    let servers = select(vec![
        "",
        "mcp_servers = {}",
        "mcp_servers = { }",
        "mcp_servers = { a = { command = \"x\" } }",
        "mcp_servers = {a={command=\"x\"},b={url=\"y\"},}",
        "mcp_servers.a.command = \"x\"\nmcp_servers.b = { url = 'y' }",
        "'mcp_servers'.\"a b\" = { command = 'x' } # c",
        "[mcp_servers]",
        "[mcp_servers] # none\n# yet",
        "[mcp_servers]\na = { command = \"x\" }\nb.url = \"y\"",
        "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.a.env]\nX = \"1\"",
        "  [ mcp_servers . \"a\" ]\n  command = '''\nx'''",
        "[[list]]\na = 1\n[[list]]\n",
    ]);
    let file = (lines.clone(), servers, vec(lines, 0..3)).prop_map(|(top, servers, sections)| {
        let mut count = 0;
        let mut named = |lines: &[&str]| {
            let lines = lines.iter().map(|line| {
                count += 1;
                line.replace("KEY", &format!("k{count}")) + "\n"
            });
            lines.collect::<String>()
        };
        let mut text = named(&top) + servers + "\n";
        for (index, lines) in sections.iter().enumerate() {
            text += &format!("[s{index}.\"t.u\"] # c\n{}", named(lines));
        }
        text
    });
    dressed(file)
}

/// Pieces at the top of a YAML file, with `KEY` for a name that is not taken.
fn yaml_file(servers: &'static [&'static str]) -> impl Strategy<Value = String> {
    let pieces = vec(
        select(vec![
            "",
            "",
            "# c",
            "  # d  ",
            "KEY: 1",
            "KEY: 'it''s' # c",
            "KEY:",
            "KEY: \"x\n  y\"",
            "KEY: |\n  a\n\n   b\n",
            "KEY: |+\n  a\n\n",
            "KEY: >-\n  a\n  b",
            "KEY: {a: [1, {b: c}], \"d\": *n}",
            "KEY:\n- a\n-\n  b: 1\n- - c",
            "KEY:\n    a: &a1\n        b: c\n    # d\n    <<: *n",
            "\"KEY ü\": plain text\n  over lines",
            "? KEY\n: b",
            "KEY: !!str 1",
        ]),
        0..5,
    );
    let start = select(vec!["", "", "---\n", "%YAML 1.2\n---\n", "# c\n--- # d\n"]);
    let end = select(vec!["", "", "", "...\n", "...\n# after\n"]);
    let file = (start, pieces.clone(), select(servers), pieces, end).prop_map(
        |(start, before, servers, after, end)| {
            let mut text = format!("{start}anchor: &n {{x: 1}}\n");
            for (index, piece) in before.iter().chain([&servers]).chain(&after).enumerate() {
                text += &piece.replace("KEY", &format!("k{index}"));
                text += "\n";
            }
            text + end
        },
    );
    dressed(file)
}

const MAPS: &[&str] = &[
    "",
    "extensions:",
    "extensions: # c",
    "extensions: {}",
    "extensions: { }",
    "extensions: {a: {cmd: x}}",
    "extensions: {a: {cmd: x}, b: {uri: y}, }",
    "\"extensions\":\n  a:\n    cmd: x\n    args: [y]",
    "extensions:\n    # c\n    a: &s\n        cmd: x # d\n    b: *s\n    # e",
    "extensions:\n a: {cmd: x}\n b:\n  cmd: |\n   y\n",
];

const LISTS: &[&str] = &[
    "",
    "mcpServers:",
    "mcpServers: []",
    "mcpServers: [ ]",
    "mcpServers: [{name: a, command: x}]",
    "mcpServers: [{name: a, command: x}, {name: b, url: y}, ]",
    "mcpServers:\n- name: a\n  command: x",
    "mcpServers:\n    # c\n    - &s\n      name: a\n      command: x # d\n    - *s\n    # e",
    "mcpServers:\n -\n  name: a\n  command: >-\n   y\n - uses: b",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json(text in json_file()) {
        promises("cursor", Some(text.as_bytes()), &entry());
        any_order("cursor", Some(text.as_bytes()));
    }

    #[test]
    fn toml(text in toml_file()) {
        promises("codex", Some(text.as_bytes()), &entry());
        any_order("codex", Some(text.as_bytes()));
    }

    #[test]
    fn yaml_mapping(text in yaml_file(MAPS)) {
        promises("goose", Some(text.as_bytes()), &entry());
        any_order("goose", Some(text.as_bytes()));
    }

    #[test]
    fn yaml_list(text in yaml_file(LISTS)) {
        promises("continue", Some(text.as_bytes()), &entry());
        any_order("continue", Some(text.as_bytes()));
    }

    #[test]
    fn names_and_values(name in "\\PC{1,12}|[\\x00-\\x7f\u{80}-\u{a0}\u{2028}\u{feff}]{1,5}", value in any::<String>()) {
        let mut entry = entry();
        entry.name = name;
        entry.args.push(value.clone());
        entry.env.push(("X".to_owned(), value));
        for client in ["cursor", "codex", "goose", "continue", "opencode"] {
            promises(client, None, &entry);
        }
        promises("goose", Some(b"extensions: {}"), &entry);
        promises("continue", Some(b"mcpServers: []"), &entry);
        promises("codex", Some(b"mcp_servers = {}"), &entry);
    }

    /// Texts that nobody made for a client: a clear error or an edit that can be undone.
    #[test]
    fn anything(text in "[ \\n{}\\[\\]:,\"'#a&*|>?!%~=./-]{0,24}") {
        for client in ["cursor", "codex", "goose", "continue"] {
            let Ok(original) = crate::support::file(client, Some(text.as_bytes())) else {
                continue;
            };
            if original.add(&entry()).is_ok() {
                promises(client, Some(text.as_bytes()), &entry());
            }
        }
    }
}

#[test]
fn what_stands_before_the_first_of_several_stays() {
    for text in [
        "{\"mcpServers\":{/**/ },}",
        "{\"mcpServers\":\r\n{/**/ }/**/,// c\r\n}",
        "{\t\"mcpServers\":{\t},/* c */}",
        // The line's own indentation reaches back into a letter of several bytes.
        "   {\"k\":\"ü\",\"b\":{}}",
    ] {
        any_order("cursor", Some(text.as_bytes()));
    }
}
