//! `charmer export`: what it writes is what others need to serve, list or run the same.

use std::{
    fs,
    io::{Cursor, Read},
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::support::{Session, charmer, err, out, run, ship};

fn in_folder(folder: &Path, words: &[&str]) -> Output {
    let mut command = charmer(words);
    command.current_dir(folder).output().expect("it was built")
}

/// What it prints in this folder when it works.
fn works_in(folder: &Path, words: &[&str]) -> String {
    let output = in_folder(folder, words);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    out(&output)
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Unpacks a bundle as clients do, and gives its manifest.
fn unpack(bundle: &Path, to: &Path) -> Value {
    let bytes = fs::read(bundle).expect("a bundle");
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).expect("an entry");
        let path = to.join(file.enclosed_name().expect("a path within"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        fs::write(&path, bytes).expect("it can be written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.unix_mode().expect("it has a mode");
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("a mode");
        }
    }
    json_of(&fs::read_to_string(to.join("manifest.json")).expect("a manifest"))
}

/// The server that a manifest describes, with these answers to what it asks, in a folder like that of a client with a
/// window.
fn by_manifest(manifest: &Value, folder: &Path, answers: &[(&str, &str)]) -> Command {
    let filled = |text: &str| {
        let text = text.replace("${__dirname}", &folder.to_string_lossy());
        answers.iter().fold(text, |text, (key, answer)| {
            text.replace(&format!("${{user_config.{key}}}"), answer)
        })
    };
    let server = &manifest["server"]["mcp_config"];
    let mut command = Command::new(filled(server["command"].as_str().expect("a command")));
    let words = server["args"].as_array().expect("words");
    for word in words {
        let word = filled(word.as_str().expect("a word"));
        assert!(!word.contains("${"), "{word}");
        command.arg(word);
    }
    for (name, value) in server["env"].as_object().expect("variables") {
        command.env(name, filled(value.as_str().expect("a value")));
    }
    command
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("RUST_BACKTRACE", "0")
        .env_remove("MCP_MODE")
        .current_dir(std::env::temp_dir());
    command
}

#[test]
fn a_bundle_serves_when_it_is_unpacked_and_started_by_its_manifest() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "export",
        "mcpb",
        &ship(),
        "--read-only",
        "--env",
        "SHIP_SECRET",
        "--env",
        "SHIP_FLEET=north",
        "--json",
    ];
    let report = json_of(&works_in(folder.path(), &words));
    assert_eq!(
        (&report["path"], &report["version"]),
        (&"ship.mcpb".into(), &"1.4.0".into()),
        "{report}"
    );
    let bundle = folder.path().join("ship.mcpb");
    // It is the same whoever makes it from the same, so that it can be checked.
    let again = [&words[..], &["-o", "again.mcpb"]].concat();
    works_in(folder.path(), &again);
    let same = fs::read(&bundle).expect("a bundle")
        == fs::read(folder.path().join("again.mcpb")).expect("another");
    assert!(same);
    // And it is not replaced by accident.
    let refused = in_folder(folder.path(), &words);
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("--force"), "{}", err(&refused));

    let unpacked = tempfile::tempdir().expect("a folder");
    let manifest = unpack(&bundle, unpacked.path());
    assert_eq!(manifest["manifest_version"], "0.4");
    let platforms = &manifest["compatibility"]["platforms"];
    assert_eq!(platforms.as_array().map(Vec::len), Some(1), "{platforms}");
    let asked = manifest["user_config"].as_object().expect("questions");
    let keys: Vec<&str> = asked.keys().map(String::as_str).collect();
    assert_eq!(keys, ["program_ship", "folder", "ship_secret"]);
    assert_eq!(asked["program_ship"]["default"], "ship");
    assert_eq!(
        (&asked["folder"]["type"], &asked["folder"]["default"]),
        (&"directory".into(), &"${HOME}".into())
    );
    assert_eq!(asked["ship_secret"]["sensitive"], true);
    assert!(
        !manifest
            .to_string()
            .contains(&*folder.path().to_string_lossy())
    );

    let work = tempfile::tempdir().expect("a folder");
    let work_folder = work.path().to_string_lossy().into_owned();
    let answers = [
        ("program_ship", &*ship()),
        ("folder", &work_folder),
        ("ship_secret", "s3cret"),
    ];
    let mut command = by_manifest(&manifest, unpacked.path(), &answers);
    let mut session = Session::start(&mut command);
    session.settle();
    let names = session.all_names();
    let tools = manifest["tools"].as_array().expect("tools");
    let told: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(told, names);
    assert!(tools.iter().all(|tool| tool["description"].is_string()));
    let result = session.call("ship_list", json!({}));
    assert!(result.to_string().contains("secret is s3cret"), "{result}");
    assert!(
        !names.contains(&"ship_crew_dismiss".to_owned()),
        "{names:?}"
    );
}

#[test]
fn a_bundle_holds_the_file_and_the_spells() {
    let folder = tempfile::tempdir().expect("a folder");
    let spells = folder.path().join("spells");
    fs::create_dir(&spells).expect("it can be made");
    let spell = format!(
        "name: tide\ndescription: Tells the tide.\ncommand: {} list\npaths: [.]\n",
        ship()
    );
    fs::write(spells.join("tide.yaml"), spell).expect("it can be written");
    let text = "server: {name: fleet, version: 7.1.0}\nsources: [{spells: spells}]\n";
    fs::write(folder.path().join("charmer.yaml"), text).expect("it can be written");
    let words = ["export", "mcpb", "--config", "charmer.yaml", "--json"];
    fs::write(spells.join("ebb.yaml"), "name: ebb").expect("it can be written");
    let refused = in_folder(folder.path(), &words);
    assert_eq!(refused.status.code(), Some(1), "{}", err(&refused));
    assert!(err(&refused).contains("some spells cannot be served"));
    fs::remove_file(spells.join("ebb.yaml")).expect("it is there");
    works_in(folder.path(), &words);

    let unpacked = tempfile::tempdir().expect("a folder");
    let manifest = unpack(&folder.path().join("fleet.mcpb"), unpacked.path());
    assert_eq!(manifest["version"], "7.1.0");
    assert!(manifest["user_config"].is_null(), "{manifest}");
    // Nothing of the first folder is needed.
    drop(folder);
    let mut command = by_manifest(&manifest, unpacked.path(), &[]);
    let mut session = Session::start(&mut command);
    let result = session.call("tide", json!({}));
    assert_eq!(result["isError"], false, "{result}");
    assert!(result.to_string().contains("marked true"), "{result}");
}

#[test]
fn what_is_true_of_this_machine_only_is_not_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = serde_json::to_string(&ship()).expect("a path");
    let text = format!("sources: [{{binary: {path}}}]");
    fs::write(folder.path().join("charmer.yaml"), text).expect("it can be written");
    for (words, said) in [
        (&["mcpb", "-o", "-"][..], "-o git.mcpb"),
        (&["mcpb"], "binary: ship"),
        (
            &["mcpb", &ship(), "--credential", "/etc/secret"],
            "~/.config/gh",
        ),
        (&["mcpb", &ship(), "--env", "A-B"], "GH_TOKEN"),
        (&["mcpb", "--spells", ".", "--locked"], "leave it out"),
        (&["server-json", &ship()], "--name io.github.OWNER/NAME"),
        (
            &["server-json", &ship(), "--name", "ship"],
            "--name io.github.OWNER/NAME",
        ),
        (
            &["server-json", "--name", "io.github.me/ship"],
            "charmer export mcpb",
        ),
        (&["skill", &ship(), "-o", "My Skill"], "-o my-skill"),
    ] {
        let words = [&["export"], words].concat();
        let refused = in_folder(folder.path(), &words);
        assert_eq!(
            refused.status.code(),
            Some(2),
            "{words:?}: {}",
            err(&refused)
        );
        assert!(err(&refused).contains(said), "{words:?}: {}", err(&refused));
    }
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 1, "only the charmer.yaml is there");
}

/// Holds a server.json against what its schema and the registry want of it.
fn check_server_json(server: &Value) {
    let text = |key: &str| {
        server[key]
            .as_str()
            .unwrap_or_else(|| panic!("{key}: {server}"))
    };
    assert!(text("$schema").ends_with("/2025-12-11/server.schema.json"));
    assert!(
        (1..=100).contains(&text("description").chars().count()),
        "{server}"
    );
    let version = text("version");
    assert!(
        version.split('.').count() == 3 && !version.starts_with('v'),
        "{version}"
    );
    for package in server["packages"].as_array().expect("packages") {
        assert_eq!(package["transport"], json!({"type": "stdio"}));
        for key in ["registryType", "identifier"] {
            assert!(package[key].is_string(), "{key}: {package}");
        }
        let arguments = package["packageArguments"].as_array();
        for argument in arguments.into_iter().flatten() {
            match argument["type"].as_str() {
                Some("positional") => assert!(argument["value"].is_string(), "{argument}"),
                Some("named") => assert!(
                    argument["name"]
                        .as_str()
                        .is_some_and(|name| name.starts_with("--"))
                ),
                _ => panic!("{argument}"),
            }
        }
    }
}

#[test]
fn a_server_json_starts_the_same_server() {
    let name = "io.github.me/ship";
    let words = [
        "export",
        "server-json",
        &ship(),
        "--read-only",
        "--allow",
        "list,crew",
        "--timeout",
        "90s",
        "--env",
        "SHIP_SECRET",
        "--name",
        name,
        "-o",
        "-",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let server = json_of(&works_in(folder.path(), &words));
    check_server_json(&server);
    assert_eq!(
        (&server["name"], &server["version"]),
        (&name.into(), &"1.4.0".into())
    );
    assert!(
        server["description"]
            .as_str()
            .is_some_and(|text| text.starts_with("Ship keeps track of ships"))
    );
    let package = &server["packages"][0];
    assert_eq!(
        (&package["registryType"], &package["identifier"]),
        (&"npm".into(), &"charmer-mcp".into())
    );
    assert_eq!(
        package["environmentVariables"][0]["isSecret"], true,
        "{package}"
    );
    // A client that puts the words together starts a server with those rules.
    let arguments = package["packageArguments"].as_array().expect("arguments");
    let mut words: Vec<String> = Vec::new();
    for argument in arguments {
        let value = argument["value"].as_str().expect("a value");
        words.push(match argument["name"].as_str() {
            Some(name) => format!("{name}={value}"),
            None => value.to_owned(),
        });
    }
    assert_eq!(words[..2], ["serve", "ship"]);
    words[1] = ship();
    let names = Session::start(&mut charmer(&words)).settled_names();
    assert!(names.contains(&"ship_list".to_owned()), "{names:?}");
    assert!(
        !names
            .iter()
            .any(|name| name.contains("sail") || name.contains("dismiss")),
        "{names:?}"
    );
}

#[test]
fn a_server_json_knows_a_bundle_by_its_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    works_in(
        folder.path(),
        &["export", "mcpb", &ship(), "--version", "3.2.1"],
    );
    let url = "https://example.com/ship.mcpb";
    let words = [
        "export",
        "server-json",
        "--name",
        "com.example/ship",
        "--bundle",
        "ship.mcpb",
        "--url",
        url,
    ];
    assert_eq!(works_in(folder.path(), &words), "server.json\n");
    let text = fs::read_to_string(folder.path().join("server.json")).expect("a file");
    let server = json_of(&text);
    check_server_json(&server);
    assert_eq!(server["version"], "3.2.1");
    let package = &server["packages"][0];
    assert_eq!(
        (&package["registryType"], &package["identifier"]),
        (&"mcpb".into(), &url.into())
    );
    let bytes = fs::read(folder.path().join("ship.mcpb")).expect("a bundle");
    let hash = Sha256::digest(bytes);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(package["fileSha256"], hash);
    fs::remove_file(folder.path().join("server.json")).expect("it is there");
    let with = |more: &[&str]| {
        let words = [&words[..], more].concat();
        let refused = in_folder(folder.path(), &words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        err(&refused)
    };
    assert!(with(&["--read-only"]).contains("`--read-only` has no meaning with --bundle"));
    assert!(with(&["--folder", "x"]).contains("`--folder` has no meaning with --bundle"));
    let words = [
        "export",
        "server-json",
        "--name",
        "com.example/ship",
        "--bundle",
        "Cargo.toml",
        "--url",
        url,
    ];
    fs::write(folder.path().join("Cargo.toml"), "[package]").expect("it can be written");
    let refused = in_folder(folder.path(), &words);
    assert!(
        err(&refused).contains("`Cargo.toml` is no bundle"),
        "{}",
        err(&refused)
    );
}

#[test]
fn a_skill_names_commands_by_their_effects() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(
        works_in(folder.path(), &["export", "skill", &ship()]),
        "ship/SKILL.md\n"
    );
    let text = fs::read_to_string(folder.path().join("ship/SKILL.md")).expect("a skill");
    assert!(
        text.starts_with("---\nname: ship\ndescription: \"ship: Ship keeps track of ships."),
        "{text}"
    );
    let header = text.split("---\n").nth(1).expect("a header");
    let header: std::collections::HashMap<String, String> =
        serde_saphyr::from_str(header).expect("it is YAML");
    assert_eq!(header.len(), 2);
    assert!(header["description"].len() <= 1024 && header["description"].contains("Use it when"));
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(place("## Read") < place("`ship list`: List the ships (`--all` `--limit`)"));
    assert!(place("## Write") < place("`ship crew dismiss <name>`: Dismiss somebody (`--yes`)"));
    assert!(
        text.contains("ship COMMAND --help")
            && text.contains("charmer call --dry-run --binary ship")
    );

    // Everything that the skill is told to leave out stays out, and the assistant is told so.
    let words = [
        "export",
        "skill",
        &ship(),
        "--read-only",
        "--deny",
        "crew/show",
        "--set",
        "fleet=north",
        "-o",
        "-",
    ];
    let reads = works_in(folder.path(), &words);
    assert_eq!(reads, works_in(folder.path(), &words));
    assert!(
        reads.contains("ship list") && !reads.contains("crew"),
        "{reads}"
    );
    assert!(
        reads.contains("Run no other command") && reads.contains("--fleet=north"),
        "{reads}"
    );

    let refused = in_folder(folder.path(), &["export", "skill", &ship()]);
    assert_eq!(refused.status.code(), Some(2));
    let report = works_in(
        folder.path(),
        &[
            "export",
            "skill",
            &ship(),
            "--force",
            "--json",
            "--budget",
            "500",
        ],
    );
    let report = json_of(&report);
    assert!(
        report["tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens <= 500),
        "{report}"
    );
}

#[test]
fn a_skill_for_nothing_is_refused() {
    let refused = run(&[
        "export",
        "skill",
        &ship(),
        "--allow",
        "no-such-command",
        "-o",
        "-",
    ]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        err(&refused).contains("no command is left"),
        "{}",
        err(&refused)
    );
}
