//! `charmer export server-json`: the file by which the MCP registry knows a server, about a bundle that can be downloaded
//! or about charmer as a package.

use std::{fs, io::Cursor, path::Path};

use charmer_core::text::shorten;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{
    ReadPrograms,
    bundle::MANIFEST,
    portable::{PortableProgram, PortableServer, first_said},
};
use crate::{
    args::{RegistryArgs, RegistryName, Variable},
    output::{self, print_raw},
    problem::Problem,
    sha256::sha256,
};

/// The schema that the file keeps to.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// The package that has charmer, in every registry.
const PACKAGE: &str = "charmer-mcp";
/// The most characters of a description, a name and a version.
const DESCRIPTION: usize = 100;
const NAME: usize = 200;
const VERSION: usize = 255;
/// The largest manifest that is read.
const MOST_MANIFEST: u64 = 16 << 20;

/// The facts about a server that depend on where clients get it from.
struct RegistryFacts {
    version: String,
    description: String,
    package: Value,
}

pub(super) fn run(args: &RegistryArgs) -> Result<(), Problem> {
    let name = checked_name(args.name.as_deref())?;
    let file = args.destination.file("server.json");
    if let Some(file) = &file {
        args.destination.check(file)?;
    }
    let described = match (&args.bundle, &args.url) {
        (Some(bundle), Some(url)) => of_bundle(args, bundle, url)?,
        _ => of_package(args)?,
    };
    let version = args.version.clone().unwrap_or(described.version);
    check_version(&version)?;
    let description = match &args.description {
        Some(text) if text.is_empty() || text.chars().count() > DESCRIPTION => {
            return Err(Problem::mistake(format!(
                "the description has {} characters",
                text.chars().count()
            ))
            .hint(format!("the registry takes 1 to {DESCRIPTION}: shorten it")));
        }
        Some(text) => text.clone(),
        None => shorten(&described.description, DESCRIPTION),
    };
    let server = json!({
        "$schema": SCHEMA,
        "name": name,
        "description": description,
        "version": version,
        "packages": [described.package],
    });
    let text = format!("{server:#}\n");
    let Some(file) = file else {
        return print_raw(text.as_bytes());
    };
    let report = json!({"form": "server-json", "name": name, "version": version});
    args.destination.write(&file, text.as_bytes(), report)?;
    if args.bundle.is_none() {
        output::note(&format!(
            "the public MCP registry takes this only from whoever owns the package {PACKAGE}; publish a bundle of your \
             own with --bundle and --url there"
        ));
    }
    Ok(())
}

/// A name as the registry takes it: a domain that is the publisher's, reversed, and a name below it. It is not made up
/// here, because only its owner can publish under it.
fn checked_name(name: Option<&str>) -> Result<&str, Problem> {
    const HINT: &str = "write `--name io.github.OWNER/NAME`, where OWNER is your account on GitHub, or a domain of \
                        yours the other way round, as in `--name com.example/NAME`";
    let Some(name) = name else {
        return Err(Problem::mistake("the name in the registry is not said").hint(HINT));
    };
    let plain = |text: &str, more: &str| {
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        edge(text.chars().next())
            && edge(text.chars().next_back())
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let parts = name.split_once('/');
    let right = parts.is_some_and(|(namespace, server)| {
        let mut labels = namespace.split('.');
        namespace.contains('.') && labels.all(|label| plain(label, "-")) && plain(server, "._-")
    });
    match right && name.len() <= NAME {
        true => Ok(name),
        false => {
            Err(Problem::mistake(format!("`{name}` is no name that the registry takes")).hint(HINT))
        }
    }
}

/// The registry takes one version, and no range of them.
fn check_version(version: &str) -> Result<(), Problem> {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-+_".contains(c);
    let is_range = version.split('.').any(|part| matches!(part, "x" | "X"));
    let right = (1..=VERSION).contains(&version.len())
        && version.starts_with(|c: char| c.is_ascii_alphanumeric())
        && version.chars().all(plain)
        && version != "latest"
        && !is_range;
    match right {
        true => Ok(()),
        false => Err(Problem::mistake(format!(
            "`{version}` is no version that the registry takes"
        ))
        .hint("write one such as `--version 1.0.2`")),
    }
}

/// About a bundle: what is served, and how, stands in it.
fn of_bundle(args: &RegistryArgs, bundle: &Path, url: &str) -> Result<RegistryFacts, Problem> {
    if let Some(first) = first_said(&args.options) {
        return Err(
            Problem::mistake(format!("`{first}` has no meaning with --bundle"))
                .hint("remove it: what is served, and how, stands in the bundle"),
        );
    }
    if !url.starts_with("https://")
        || url.contains(char::is_whitespace)
        || !url.to_lowercase().contains("mcp")
    {
        return Err(Problem::mistake(format!(
            "`{url}` is no address that the registry takes for a bundle"
        ))
        .hint("it begins with https:// and has `mcp` in it, as the ending .mcpb does"));
    }
    let bytes = fs::read(bundle).map_err(|error| {
        Problem::mistake(format!("`{}` cannot be read: {error}", bundle.display()))
            .hint("make it with `charmer export mcpb`")
    })?;
    let manifest = manifest(&bytes).ok_or_else(|| {
        Problem::mistake(format!("`{}` is no bundle", bundle.display()))
            .hint("make one with `charmer export mcpb`")
    })?;
    let text = |key: &str| manifest[key].as_str().unwrap_or_default().to_owned();
    Ok(RegistryFacts {
        version: text("version"),
        description: text("description"),
        package: json!({
            "registryType": "mcpb",
            "identifier": url,
            "fileSha256": sha256(&bytes),
            "transport": {"type": "stdio"},
        }),
    })
}

/// The manifest of a bundle, if it is one.
fn manifest(bytes: &[u8]) -> Option<Value> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let file = zip.by_name(MANIFEST).ok()?;
    if file.size() > MOST_MANIFEST {
        return None;
    }
    serde_json::from_reader(std::io::Read::take(file, MOST_MANIFEST)).ok()
}

/// About charmer as a package that is started with these programs and options.
fn of_package(args: &RegistryArgs) -> Result<RegistryFacts, Problem> {
    let programs = ReadPrograms::read(&args.options)?;
    let settings = &programs.settings;
    let files = [
        ("a charmer.yaml is", settings.selection.config.is_some()),
        ("spells are", settings.spells.is_some()),
    ];
    if let Some((what, _)) = files.iter().find(|(_, given)| *given) {
        return Err(Problem::mistake(format!("{what} not part of the package {PACKAGE}"))
            .hint("put everything into a bundle with `charmer export mcpb`, and name it with --bundle and --url"));
    }
    let server = PortableServer::new(&args.options, settings)?;
    let mut arguments = vec![positional("serve")];
    arguments.extend(server.programs.iter().map(|program| match program {
        PortableProgram::OfFile(name) | PortableProgram::Named(name) => positional(name),
    }));
    arguments.extend(server.options.iter().map(|word| argument(word)));
    // Without a folder, calls run in the client's own.
    for _ in &settings.selection.folders {
        arguments.push(json!({
            "type": "named",
            "name": "--folder",
            "description": "The folder to work in",
            "format": "filepath",
            "isRequired": true,
        }));
    }
    let (registry, runtime) = match args.package {
        RegistryName::Npm => ("npm", "npx"),
        RegistryName::Pypi => ("pypi", "uvx"),
    };
    let mut package = json!({
        "registryType": registry,
        "identifier": PACKAGE,
        "version": env!("CARGO_PKG_VERSION"),
        "runtimeHint": runtime,
        "transport": {"type": "stdio"},
        "packageArguments": arguments,
    });
    if !args.variables.is_empty() {
        package["environmentVariables"] = args.variables.iter().map(variable).collect();
    }
    Ok(RegistryFacts {
        version: programs.version(),
        description: programs.description(DESCRIPTION),
        package,
    })
}

fn positional(value: &str) -> Value {
    json!({"type": "positional", "value": value})
}

/// A word of the command line. One that has no value is written as it is: of a named argument without a value, a client
/// may ask for one.
fn argument(word: &str) -> Value {
    match word.split_once('=') {
        Some((name, value)) => json!({"type": "named", "name": name, "value": value}),
        None => positional(word),
    }
}

fn variable(variable: &Variable) -> Value {
    match &variable.value {
        Some(value) => json!({"name": variable.name, "value": value}),
        None => json!({
            "name": variable.name,
            "description": format!("The environment variable {}, which the program needs", variable.name),
            "isRequired": true,
            "isSecret": true,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_registry_takes() {
        for name in [
            "io.github.me/git",
            "com.example/a.b_c-d",
            "io.github.me-2/G1t",
        ] {
            assert_eq!(checked_name(Some(name)).ok(), Some(name));
        }
        let long = format!("io.github.me/{}", "x".repeat(NAME));
        for name in [
            "git",
            "me/git",
            "io.github.me/",
            "/git",
            "io..me/git",
            "a.b/c/d",
            "a.b/-c",
            &long,
        ] {
            assert!(checked_name(Some(name)).is_err(), "{name}");
        }
        let unsaid = checked_name(None).expect_err("there is none");
        assert!(
            unsaid
                .next()
                .is_some_and(|hint| hint.contains("io.github.OWNER/NAME"))
        );
    }

    #[test]
    fn versions_are_no_ranges() {
        for version in ["1.0.2", "2.1.0-alpha", "2024.04.01", "1.0.0+build.5"] {
            assert!(check_version(version).is_ok(), "{version}");
        }
        for version in ["", "latest", "^1.2.3", "~1.2", ">=1", "1.x", "1.*", "1 - 2"] {
            assert!(check_version(version).is_err(), "{version}");
        }
    }

    #[test]
    fn words_become_arguments_that_mean_the_same() {
        assert_eq!(
            argument("--set=context=staging"),
            json!({"type": "named", "name": "--set", "value": "context=staging"})
        );
        assert_eq!(
            argument("--read-only"),
            json!({"type": "positional", "value": "--read-only"})
        );
    }
}
