//! The table of clients: what each of them is called, which files it reads and what is special about its entries.
//!
//! A client is added here and nowhere else; the tests and the documents go through this table.

use crate::{
    client::{FileLanguage, Files, KnownClient},
    link::InstallLink,
    place::ServersPlace,
    shape::{EntryShape, Fixed},
};

/// A client of the usual kind, from which the rows differ.
const USUAL: KnownClient = KnownClient {
    id: "",
    title: "",
    syntax: FileLanguage::Json,
    place: ServersPlace::map("mcpServers"),
    shape: EntryShape::PLAIN,
    project_shape: None,
    user_files: Files::everywhere(&[]),
    project_files: &[],
    folders: Files::everywhere(&[]),
    commands: &[],
    graphical: false,
    next_step: "",
    note: "",
    link: None,
};

/// Entries that say that the server speaks over standard input and output.
const STDIO: EntryShape = EntryShape {
    first: &[("type", Fixed::Text("stdio"))],
    ..EntryShape::PLAIN
};

/// Entries of opencode and its descendants: program and arguments in one list.
const ONE_LIST: EntryShape = EntryShape {
    first: &[("type", Fixed::Text("local"))],
    command: "command",
    args: None,
    env: "environment",
    last: &[("enabled", Fixed::Truth(true))],
};

/// All clients, those that most people have first.
pub(crate) const CLIENTS: &[KnownClient] = &[
    KnownClient {
        id: "claude-code",
        title: "Claude Code",
        shape: STDIO,
        user_files: Files::everywhere(&["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"]),
        project_files: &[".mcp.json"],
        folders: Files::everywhere(&["$CLAUDE_CONFIG_DIR", "~/.claude"]),
        commands: &["claude"],
        next_step: "Start a new session of `claude`; `/mcp` shows the server.",
        note: "Claude Code asks before it uses the servers of a project's file for the first time.",
        ..USUAL
    },
    KnownClient {
        id: "claude-desktop",
        title: "Claude Desktop",
        user_files: Files {
            linux: &["$XDG_CONFIG_HOME/Claude/claude_desktop_config.json"],
            macos: &["~/Library/Application Support/Claude/claude_desktop_config.json"],
            windows: &[
                "$LOCALAPPDATA/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
                "$APPDATA/Claude/claude_desktop_config.json",
            ],
        },
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/Claude"],
            macos: &[
                "~/Library/Application Support/Claude",
                "/Applications/Claude.app",
            ],
            windows: &["$APPDATA/Claude", "$LOCALAPPDATA/Packages/Claude_*"],
        },
        commands: &["claude-desktop"],
        graphical: true,
        next_step: "Quit Claude Desktop and start it again; closing its window is not enough.",
        ..USUAL
    },
    KnownClient {
        id: "cursor",
        title: "Cursor",
        user_files: Files::everywhere(&["~/.cursor/mcp.json"]),
        project_files: &[".cursor/mcp.json"],
        folders: Files::everywhere(&["~/.cursor"]),
        commands: &["cursor", "cursor-agent"],
        graphical: true,
        next_step: "Open Cursor's settings, Tools & MCP, and switch the server on.",
        link: Some(InstallLink::Cursor),
        ..USUAL
    },
    KnownClient {
        id: "vscode",
        title: "VS Code",
        place: ServersPlace::map("servers"),
        shape: STDIO,
        user_files: Files {
            linux: &["$XDG_CONFIG_HOME/Code/User/mcp.json"],
            macos: &["~/Library/Application Support/Code/User/mcp.json"],
            windows: &["$APPDATA/Code/User/mcp.json"],
        },
        project_files: &[".vscode/mcp.json"],
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/Code/User"],
            macos: &["~/Library/Application Support/Code/User"],
            windows: &["$APPDATA/Code/User"],
        },
        commands: &["code"],
        graphical: true,
        next_step: "Run `MCP: List Servers` from the Command Palette and start the server.",
        link: Some(InstallLink::VsCode),
        ..USUAL
    },
    KnownClient {
        id: "windsurf",
        title: "Windsurf",
        user_files: Files::everywhere(&["~/.codeium/windsurf/mcp_config.json"]),
        folders: Files::everywhere(&["~/.codeium/windsurf"]),
        commands: &["windsurf"],
        graphical: true,
        next_step: "Press Refresh in the MCP part of Windsurf's Cascade settings.",
        ..USUAL
    },
    KnownClient {
        id: "zed",
        title: "Zed",
        place: ServersPlace::map("context_servers"),
        shape: EntryShape {
            first: &[("source", Fixed::Text("custom"))],
            ..EntryShape::PLAIN
        },
        user_files: Files {
            linux: &["$XDG_CONFIG_HOME/zed/settings.json"],
            macos: &[
                "~/.config/zed/settings.json",
                "~/Library/Application Support/Zed/settings.json",
            ],
            windows: &["$APPDATA/Zed/settings.json"],
        },
        project_files: &[".zed/settings.json"],
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/zed"],
            macos: &["~/.config/zed", "/Applications/Zed.app"],
            windows: &["$APPDATA/Zed"],
        },
        commands: &["zed", "zeditor"],
        graphical: true,
        next_step: "Open Zed's Agent Panel; its settings show the server.",
        note: "Zed reads its settings again by itself when they change.",
        ..USUAL
    },
    KnownClient {
        id: "codex",
        title: "Codex",
        syntax: FileLanguage::Toml,
        place: ServersPlace::map("mcp_servers"),
        user_files: Files::everywhere(&["$CODEX_HOME/config.toml", "~/.codex/config.toml"]),
        project_files: &[".codex/config.toml"],
        folders: Files::everywhere(&["$CODEX_HOME", "~/.codex"]),
        commands: &["codex"],
        next_step: "Start a new session of `codex`; `/mcp` shows the server.",
        note: "Codex reads the file of a project only once the project is trusted.",
        ..USUAL
    },
    KnownClient {
        id: "gemini",
        title: "Gemini CLI",
        user_files: Files::everywhere(&["~/.gemini/settings.json"]),
        project_files: &[".gemini/settings.json"],
        folders: Files::everywhere(&["~/.gemini"]),
        commands: &["gemini"],
        next_step: "Start a new session of `gemini`; `/mcp` shows the server.",
        ..USUAL
    },
    KnownClient {
        id: "copilot",
        title: "Copilot CLI",
        shape: EntryShape {
            first: &[("type", Fixed::Text("local"))],
            last: &[("tools", Fixed::List("*"))],
            ..EntryShape::PLAIN
        },
        // Other clients read this file, too, and know neither `local` nor `tools`.
        project_shape: Some(STDIO),
        user_files: Files::everywhere(&[
            "$COPILOT_HOME/mcp-config.json",
            "~/.copilot/mcp-config.json",
        ]),
        project_files: &[".mcp.json", ".github/mcp.json"],
        folders: Files::everywhere(&["$COPILOT_HOME", "~/.copilot"]),
        commands: &["copilot"],
        next_step: "Start a new session of `copilot`; `/mcp show` lists the server.",
        ..USUAL
    },
    KnownClient {
        id: "goose",
        title: "Goose",
        syntax: FileLanguage::Yaml,
        place: ServersPlace::map("extensions"),
        shape: EntryShape {
            first: &[("name", Fixed::Name), ("type", Fixed::Text("stdio"))],
            command: "cmd",
            args: Some("args"),
            env: "envs",
            last: &[
                ("enabled", Fixed::Truth(true)),
                ("timeout", Fixed::Number(300)),
            ],
        },
        user_files: Files {
            linux: &["$XDG_CONFIG_HOME/goose/config.yaml"],
            macos: &["$XDG_CONFIG_HOME/goose/config.yaml"],
            windows: &["$APPDATA/Block/goose/config/config.yaml"],
        },
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/goose"],
            macos: &["$XDG_CONFIG_HOME/goose"],
            windows: &["$APPDATA/Block/goose"],
        },
        commands: &["goose"],
        // The program for the desktop reads the same file.
        graphical: true,
        next_step: "Start a new session of Goose.",
        ..USUAL
    },
    KnownClient {
        id: "opencode",
        title: "opencode",
        place: ServersPlace {
            inner: Some("servers"),
            ..ServersPlace::map("mcp")
        },
        shape: ONE_LIST,
        user_files: Files::everywhere(&[
            "$XDG_CONFIG_HOME/opencode/opencode.json",
            "$XDG_CONFIG_HOME/opencode/opencode.jsonc",
        ]),
        project_files: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
        ],
        folders: Files::everywhere(&["$XDG_CONFIG_HOME/opencode"]),
        commands: &["opencode"],
        next_step: "Start opencode again.",
        note: "Where the file has `mcp.servers`, the entry goes there.",
        ..USUAL
    },
    KnownClient {
        id: "kiro",
        title: "Kiro",
        user_files: Files::everywhere(&["~/.kiro/settings/mcp.json"]),
        project_files: &[".kiro/settings/mcp.json"],
        folders: Files::everywhere(&["~/.kiro"]),
        commands: &["kiro", "kiro-cli"],
        graphical: true,
        next_step: "Kiro connects by itself when the file changes; its panel MCP Servers shows the server.",
        ..USUAL
    },
    KnownClient {
        id: "lmstudio",
        title: "LM Studio",
        user_files: Files::everywhere(&["~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"]),
        folders: Files::everywhere(&["~/.lmstudio", "~/.cache/lm-studio"]),
        commands: &["lms"],
        graphical: true,
        next_step: "Open a chat in LM Studio and switch the server on under Integrations.",
        ..USUAL
    },
    KnownClient {
        id: "cline",
        title: "Cline",
        shape: EntryShape {
            last: &[("disabled", Fixed::Truth(false))],
            ..EntryShape::PLAIN
        },
        user_files: Files {
            linux: &[
                "$CLINE_MCP_SETTINGS_PATH",
                "$CLINE_DIR/data/settings/cline_mcp_settings.json",
                "~/.cline/data/settings/cline_mcp_settings.json",
                "$XDG_CONFIG_HOME/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ],
            macos: &[
                "$CLINE_MCP_SETTINGS_PATH",
                "$CLINE_DIR/data/settings/cline_mcp_settings.json",
                "~/.cline/data/settings/cline_mcp_settings.json",
                "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ],
            windows: &[
                "$CLINE_MCP_SETTINGS_PATH",
                "$CLINE_DIR/data/settings/cline_mcp_settings.json",
                "~/.cline/data/settings/cline_mcp_settings.json",
                "$APPDATA/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ],
        },
        folders: Files {
            linux: &[
                "~/.cline",
                "$XDG_CONFIG_HOME/Code/User/globalStorage/saoudrizwan.claude-dev",
            ],
            macos: &[
                "~/.cline",
                "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev",
            ],
            windows: &[
                "~/.cline",
                "$APPDATA/Code/User/globalStorage/saoudrizwan.claude-dev",
            ],
        },
        commands: &["cline"],
        graphical: true,
        next_step: "Cline connects by itself when the file changes; its MCP Servers icon shows the server.",
        note: "The extension of VS Code and the command-line program have files of their own; the one that exists is used.",
        ..USUAL
    },
    KnownClient {
        id: "roo",
        title: "Roo Code",
        user_files: Files {
            linux: &[
                "$XDG_CONFIG_HOME/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            ],
            macos: &[
                "~/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            ],
            windows: &[
                "$APPDATA/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            ],
        },
        project_files: &[".roo/mcp.json"],
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/Code/User/globalStorage/rooveterinaryinc.roo-cline"],
            macos: &[
                "~/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline",
            ],
            windows: &["$APPDATA/Code/User/globalStorage/rooveterinaryinc.roo-cline"],
        },
        graphical: true,
        next_step: "Open the MCP settings of Roo Code and refresh the servers.",
        ..USUAL
    },
    KnownClient {
        id: "kilo",
        title: "Kilo Code",
        place: ServersPlace::map("mcp"),
        shape: ONE_LIST,
        user_files: Files::everywhere(&[
            "$XDG_CONFIG_HOME/kilo/kilo.jsonc",
            "$XDG_CONFIG_HOME/kilo/kilo.json",
        ]),
        project_files: &[
            "kilo.jsonc",
            "kilo.json",
            ".kilo/kilo.jsonc",
            ".kilo/kilo.json",
        ],
        folders: Files::everywhere(&["$XDG_CONFIG_HOME/kilo"]),
        commands: &["kilo", "kilocode"],
        graphical: true,
        next_step: "Start Kilo Code again.",
        ..USUAL
    },
    KnownClient {
        id: "continue",
        title: "Continue",
        syntax: FileLanguage::Yaml,
        place: ServersPlace {
            list: true,
            preamble: &[
                ("name", "Local Assistant"),
                ("version", "1.0.0"),
                ("schema", "v1"),
            ],
            ..ServersPlace::map("mcpServers")
        },
        shape: EntryShape {
            first: &[("name", Fixed::Name), ("type", Fixed::Text("stdio"))],
            ..EntryShape::PLAIN
        },
        user_files: Files::everywhere(&[
            "$CONTINUE_GLOBAL_DIR/config.yaml",
            "~/.continue/config.yaml",
        ]),
        folders: Files::everywhere(&["$CONTINUE_GLOBAL_DIR", "~/.continue"]),
        commands: &["cn"],
        graphical: true,
        next_step: "Reload the configuration in Continue; its Agent mode has the tools.",
        note: "Servers are a list of entries with names; a file that has to be made also needs `name`, `version` and `schema`.",
        ..USUAL
    },
    KnownClient {
        id: "amp",
        title: "Amp",
        place: ServersPlace::map("amp.mcpServers"),
        user_files: Files {
            linux: &[
                "$XDG_CONFIG_HOME/amp/settings.json",
                "$XDG_CONFIG_HOME/amp/settings.jsonc",
            ],
            macos: &[
                "~/.config/amp/settings.json",
                "~/.config/amp/settings.jsonc",
            ],
            // Its documents name the first folder, older ones the second.
            windows: &[
                "~/.config/amp/settings.json",
                "~/.config/amp/settings.jsonc",
                "$APPDATA/amp/settings.json",
            ],
        },
        project_files: &[".amp/settings.json", ".amp/settings.jsonc"],
        folders: Files {
            linux: &["$XDG_CONFIG_HOME/amp"],
            macos: &["~/.config/amp"],
            windows: &["~/.config/amp", "$APPDATA/amp"],
        },
        commands: &["amp"],
        next_step: "Start `amp` again.",
        note: "The key is one word with a dot in it, not a key below another. Amp asks before it uses the servers of a \
               project's file.",
        ..USUAL
    },
    KnownClient {
        id: "qwen",
        title: "Qwen Code",
        user_files: Files::everywhere(&["~/.qwen/settings.json"]),
        project_files: &[".qwen/settings.json"],
        folders: Files::everywhere(&["~/.qwen"]),
        commands: &["qwen"],
        next_step: "Start a new session of `qwen`; `/mcp` shows the server.",
        ..USUAL
    },
    KnownClient {
        id: "junie",
        title: "Junie",
        user_files: Files::everywhere(&["~/.junie/mcp/mcp.json"]),
        project_files: &[".junie/mcp/mcp.json"],
        folders: Files::everywhere(&["~/.junie"]),
        commands: &["junie"],
        graphical: true,
        next_step: "Open the MCP settings of Junie and switch the server on.",
        ..USUAL
    },
    KnownClient {
        id: "crush",
        title: "Crush",
        place: ServersPlace::map("mcp"),
        shape: STDIO,
        user_files: Files::everywhere(&[
            "$CRUSH_GLOBAL_CONFIG/crush.json",
            "$XDG_CONFIG_HOME/crush/crush.json",
        ]),
        project_files: &["crush.json", ".crush.json"],
        folders: Files::everywhere(&["$CRUSH_GLOBAL_CONFIG", "$XDG_CONFIG_HOME/crush"]),
        commands: &["crush"],
        next_step: "Start `crush` again.",
        ..USUAL
    },
    KnownClient {
        id: "warp",
        title: "Warp",
        user_files: Files::everywhere(&["~/.warp/.mcp.json"]),
        project_files: &[".warp/.mcp.json"],
        folders: Files::everywhere(&["~/.warp"]),
        commands: &["warp-terminal"],
        graphical: true,
        next_step: "Open the MCP servers in Warp's settings and start the server.",
        ..USUAL
    },
];
