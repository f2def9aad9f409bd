//! `charmer export mcpb`: one file that clients install. It holds charmer itself and the settings, and says what a person
//! has to fill in.
//!
//! The same bundle comes out of the same charmer and the same settings, byte for byte, so that whoever has both can check
//! one that somebody else made.

use std::{
    fs,
    io::{Cursor, Write},
    path::{Component, Path},
};

use charmer_config::SourceKind;
use charmer_server::ToolList;
use serde_json::{Map, Value, json};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    ReadPrograms,
    portable::{PortableProgram, PortableServer},
};
use crate::{
    args::{BundleArgs, ServedArgs, Variable},
    commands::client_entry::server_name,
    output,
    problem::Problem,
    settings::{Settings, home},
    sha256::sha256,
};

/// The version of the format.
const MANIFEST_VERSION: &str = "0.4";
/// The file that says what is in a bundle.
pub(super) const MANIFEST: &str = "manifest.json";
/// The charmer.yaml in the bundle.
const SETTINGS: &str = "charmer.yaml";
/// The folder of `--spells` in the bundle.
const SPELLS: &str = "spells";
/// The folder that a client has unpacked the bundle to, as its manifest writes it.
const HERE: &str = "${__dirname}";
/// The greatest length that a description may have; clients show it in a line.
const DESCRIPTION: usize = 160;
/// The maximum number of files in a folder of spells, and of their bytes together: more is no folder of spells.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 16 << 20;

/// A file of a bundle.
struct BundleFile {
    path: String,
    bytes: Vec<u8>,
    executable: bool,
}

pub(super) fn run(args: &BundleArgs) -> Result<(), Problem> {
    if let Some(file) = args.destination.file("") {
        args.destination.check(&file)?;
    } else {
        return Err(Problem::mistake("a bundle is no text that can be shown")
            .hint("write it to a file, as in `-o git.mcpb`"));
    }
    let platform = platform()?;
    let programs = ReadPrograms::read(&args.options)?;
    let settings = &programs.settings;
    let name = args.name.clone().unwrap_or_else(|| server_name(settings));
    let usual = format!("{}.mcpb", name.replace(['/', '\\'], "-"));
    let file = args.destination.file(usual).unwrap_or_default();
    args.destination.check(&file)?;

    let server = PortableServer::new(&args.options, settings)?;
    let mut entries = settings_files(&args.options, settings)?;
    let charmer = format!("server/charmer{}", std::env::consts::EXE_SUFFIX);
    let configured = Configured::new(&args.options, settings, &server, &args.variables);
    let version = args.version.clone().unwrap_or_else(|| programs.version());
    let tools = listed_tools(&programs);
    let count = tools.len();
    let mut manifest = json!({
        "manifest_version": MANIFEST_VERSION,
        "name": name,
        "display_name": name,
        "version": version,
        "description": args.description.clone().unwrap_or_else(|| programs.description(DESCRIPTION)),
        "author": {"name": args.author},
        "server": {
            "type": "binary",
            "entry_point": charmer,
            "mcp_config": {
                "command": format!("{HERE}/{charmer}"),
                "args": configured.words,
                "env": configured.environment,
            },
        },
        "tools": tools,
        // Another version of a program may have other commands.
        "tools_generated": true,
        "compatibility": {"platforms": [platform]},
    });
    if !configured.asked.is_empty() {
        manifest["user_config"] = configured.asked.into();
    }
    entries.push(BundleFile {
        path: MANIFEST.to_owned(),
        bytes: format!("{manifest:#}\n").into_bytes(),
        executable: false,
    });
    entries.push(BundleFile {
        path: charmer,
        bytes: own_binary()?,
        executable: true,
    });
    let bytes = zipped(entries)?;
    let report = json!({
        "form": "mcpb",
        "name": name,
        "version": version,
        "platform": platform,
        "architecture": std::env::consts::ARCH,
        "tools": count,
        "sha256": sha256(&bytes),
    });
    args.destination.write(&file, &bytes, report)?;
    if !args.destination.json {
        output::show(&format!(
            "A bundle for {platform} on {} with {count} tools.\nNext:\n  \
             open it with a client that installs bundles, such as Claude Desktop\n  \
             charmer export server-json --name io.github.OWNER/{name} --bundle {} --url URL\n      \
             writes the entry for the MCP registry",
            // Its manifest has no word for it.
            std::env::consts::ARCH,
            file.display()
        ));
    }
    Ok(())
}

/// This platform, as bundles call it.
fn platform() -> Result<&'static str, Problem> {
    match std::env::consts::OS {
        "linux" => Ok("linux"),
        "macos" => Ok("darwin"),
        "windows" => Ok("win32"),
        other => Err(Problem::failed(format!("there are no bundles for {other}"))
            .hint("make it on Linux, macOS or Windows: it holds the charmer that makes it")),
    }
}

/// The program that runs.
fn own_binary() -> Result<Vec<u8>, Problem> {
    let path = std::env::current_exe();
    path.and_then(fs::read).map_err(|error| {
        Problem::failed(format!("charmer's own file cannot be read: {error}"))
            .hint("run charmer from a file that you may read")
    })
}

/// The tools of the server's list, each with a line on what it does.
fn listed_tools(programs: &ReadPrograms) -> Vec<Value> {
    let exposed = programs.assembler.offered(&programs.assembled.tools, false);
    let listing = ToolList::of(&exposed.tools).to_answer();
    let listing: Value = serde_json::from_str(&listing).unwrap_or_default();
    let tools = listing["tools"].as_array().cloned().unwrap_or_default();
    let line = |tool: &Value| {
        let text = tool["description"].as_str().unwrap_or_default();
        text.lines().next().unwrap_or_default().to_owned()
    };
    tools
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": line(tool)}))
        .collect()
}

/// The way the server is started, with what a person is asked for in its place.
struct Configured {
    words: Vec<String>,
    environment: Map<String, Value>,
    /// The questions, by the keys that stand for the answers.
    asked: Map<String, Value>,
}

impl Configured {
    fn new(
        options: &ServedArgs,
        settings: &Settings,
        server: &PortableServer,
        variables: &[Variable],
    ) -> Self {
        let mut configured = Self {
            words: vec!["serve".to_owned()],
            environment: Map::new(),
            asked: Map::new(),
        };
        for program in &server.programs {
            let word = match program {
                PortableProgram::OfFile(name) => name.clone(),
                PortableProgram::Named(name) => configured.ask(
                    &format!("program_{name}"),
                    json!({
                        "type": "string",
                        "title": format!("The program {name}"),
                        "description": "Its name, or its full path where it is not found by name: a client with a window may \
                                        know fewer folders than your shell",
                        "default": name,
                        "required": true,
                    }),
                ),
            };
            configured.words.push(word);
        }
        if settings.selection.config.is_some() {
            configured.words.push(format!("--config={HERE}/{SETTINGS}"));
        }
        if options.spells.spells.is_some() {
            configured.words.push(format!("--spells={HERE}/{SPELLS}"));
        }
        configured.words.extend(server.options.iter().cloned());
        for (at, place) in server.folders.iter().enumerate() {
            let (title, description) = match at {
                0 => (
                    "The folder to work in",
                    "Programs run here, and an assistant can choose folders beneath it",
                ),
                _ => (
                    "Another folder to work in",
                    "An assistant can choose it, or folders beneath it",
                ),
            };
            let answer = configured.ask(
                "folder",
                json!({
                    "type": "directory",
                    "title": title,
                    "description": description,
                    "default": offered_folder(place.as_deref()),
                    "required": true,
                }),
            );
            configured.words.push(format!("--folder={answer}"));
        }
        for variable in variables {
            let value = match &variable.value {
                Some(value) => value.clone(),
                None => configured.ask(
                    &variable.name.to_lowercase(),
                    json!({
                        "type": "string",
                        "title": variable.name,
                        "description": format!("The environment variable {}, which the program needs", variable.name),
                        "sensitive": true,
                        // A client leaves the placeholder where there is no answer, which would be taken for a secret.
                        "required": true,
                    }),
                ),
            };
            configured
                .environment
                .insert(variable.name.clone(), value.into());
        }
        configured
    }

    /// Adds a question; gives the placeholder for the answer.
    fn ask(&mut self, key: &str, question: Value) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let key: String = key.chars().map(plain).collect();
        let taken = |key: &str| self.asked.contains_key(key);
        let numbered = (2..).map(|number| format!("{key}_{number}"));
        let key = std::iter::once(key.clone())
            .chain(numbered)
            .find(|key| !taken(key))
            .expect("there is always a next number");
        self.asked.insert(key.clone(), question);
        format!("${{user_config.{key}}}")
    }
}

/// A folder that others may have, too: below the home folder. One from elsewhere says something of this machine only.
fn offered_folder(path: Option<&Path>) -> String {
    let path = path.and_then(|path| std::path::absolute(path).ok());
    let below = path
        .as_deref()
        .and_then(|path| path.strip_prefix(home()).ok());
    let parts = below.into_iter().flat_map(Path::components);
    let parts = parts.map(|part| part.as_os_str().to_string_lossy());
    std::iter::once("${HOME}".into())
        .chain(parts)
        .collect::<Vec<_>>()
        .join("/")
}

/// The charmer.yaml and the spells, as they are.
fn settings_files(options: &ServedArgs, settings: &Settings) -> Result<Vec<BundleFile>, Problem> {
    let mut entries = Vec::new();
    if let Some(file) = &settings.selection.config {
        let copy = entry(file, SETTINGS.to_owned())?;
        let text = String::from_utf8_lossy(&copy.bytes).into_owned();
        entries.push(copy);
        for source in &settings.config.sources {
            let SourceKind::Spells(path) = &source.origin else {
                continue;
            };
            // Named on the command line, the programs leave the file's spells out; so does another folder of spells.
            if settings.spells.is_some() && options.spells.spells.is_none() {
                let within = bundled_path(path, &settings.folder, &text)?;
                folder(path, &within, &mut entries)?;
            }
        }
    }
    if let Some(spells) = &options.spells.spells {
        folder(spells, SPELLS, &mut entries)?;
    }
    Ok(entries)
}

/// The place in the bundle of a folder that the file names: the same as beside the file.
fn bundled_path(path: &Path, folder: &Path, file: &str) -> Result<String, Problem> {
    // By now the path is absolute; whether the file has it so shows in its text alone.
    let named_so = file.contains(&*path.to_string_lossy());
    let below = path.strip_prefix(folder).ok().filter(|_| !named_so);
    let parts = below.unwrap_or(path).components();
    let parts = parts.filter(|part| *part != Component::CurDir);
    let parts: Option<Vec<&str>> = parts
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let parts = parts.filter(|parts| !parts.is_empty());
    parts.map(|parts| parts.join("/")).ok_or_else(|| {
        Problem::mistake(format!(
            "the spells in `{}` are not beneath the folder of the file",
            path.display()
        ))
        .hint("move them there, and name them by a relative path: a bundle holds nothing from elsewhere")
    })
}

/// Adds the files of a folder and those beneath it. Links are left out: what they lead to may be anything.
fn folder(path: &Path, within: &str, entries: &mut Vec<BundleFile>) -> Result<(), Problem> {
    let mut rest = vec![(path.to_owned(), within.to_owned())];
    let mut size = 0;
    while let Some((path, within)) = rest.pop() {
        let files = fs::read_dir(&path).map_err(|error| unreadable(&path, &error))?;
        for file in files {
            let file = file.map_err(|error| unreadable(&path, &error))?;
            let kind = file
                .file_type()
                .map_err(|error| unreadable(&file.path(), &error))?;
            let inner = format!("{within}/{}", file.file_name().to_string_lossy());
            if kind.is_dir() {
                rest.push((file.path(), inner));
            } else if kind.is_file() {
                let entry = entry(&file.path(), inner)?;
                size += entry.bytes.len();
                entries.push(entry);
            }
            if entries.len() > MOST_FILES || size > MOST_BYTES {
                return Err(Problem::mistake(format!(
                    "there is more in `{}` than a folder of spells has",
                    path.display()
                ))
                .hint("keep nothing there but spells and what they run"));
            }
        }
    }
    Ok(())
}

fn entry(file: &Path, path: String) -> Result<BundleFile, Problem> {
    let bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    Ok(BundleFile {
        path,
        bytes,
        executable: is_executable(file),
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::mistake(format!("`{}` cannot be read: {error}", path.display())).hint("check the path")
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|data| data.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

/// The bundle: the same bytes for the same files.
fn zipped(mut entries: Vec<BundleFile>) -> Result<Vec<u8>, Problem> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let failed = |error: zip::result::ZipError| {
        Problem::failed(format!("the bundle cannot be made: {error}"))
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in &entries {
        // Without the time: it would make every bundle another one.
        let options = SimpleFileOptions::DEFAULT
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(if entry.executable { 0o755 } else { 0o644 });
        zip.start_file(entry.path.as_str(), options)
            .map_err(failed)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish().map_err(failed)?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_keys_of_their_own() {
        let mut configured = Configured {
            words: Vec::new(),
            environment: Map::new(),
            asked: Map::new(),
        };
        let keys = ["folder", "folder", "program_a.b", "program_a-b"];
        let placeholders = keys.map(|key| configured.ask(key, Value::Null));
        assert_eq!(
            placeholders,
            [
                "${user_config.folder}",
                "${user_config.folder_2}",
                "${user_config.program_a_b}",
                "${user_config.program_a_b_2}"
            ]
        );
    }

    #[test]
    fn only_what_is_beneath_the_file_is_bundled() {
        let folder = std::env::temp_dir();
        let bundled = |path: &str, file: &str| bundled_path(&folder.join(path), &folder, file);
        assert_eq!(bundled("./a/b", "a/b").ok().as_deref(), Some("a/b"));
        for path in ["../a", "/a", ".", "a/../.."] {
            assert!(bundled(path, path).is_err(), "{path}");
        }
        let named = folder.join("a");
        assert!(bundled("a", &format!("spells: {}", named.display())).is_err());
    }

    #[test]
    fn folders_are_offered_in_anybodys_home() {
        assert_eq!(offered_folder(None), "${HOME}");
        assert_eq!(offered_folder(Some(&home())), "${HOME}");
        let below = home().join("work").join("site");
        assert_eq!(offered_folder(Some(&below)), "${HOME}/work/site");
        assert_eq!(
            offered_folder(Some(Path::new("/elsewhere/work"))),
            "${HOME}"
        );
    }

    #[test]
    fn the_same_files_make_the_same_bytes() {
        let entries = |turn: bool| {
            let mut entries: Vec<BundleFile> = ["b", "a"]
                .map(|path| BundleFile {
                    path: path.to_owned(),
                    bytes: path.repeat(1000).into_bytes(),
                    executable: path == "a",
                })
                .into();
            if turn {
                entries.reverse();
            }
            entries
        };
        let bytes = zipped(entries(false)).expect("a bundle");
        assert_eq!(bytes, zipped(entries(true)).expect("a bundle"));
    }
}
