//! A charmer.yaml that includes another: it can only narrow it, and everybody is told which file says what.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use tempfile::TempDir;

use crate::support::{err, out, run, ship, write_script};

/// A folder with these files; `SHIP` stands for the program.
fn files(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        let above = file.parent().expect("a folder");
        fs::create_dir_all(above).expect("it is ours");
        let program = serde_json::to_string(&ship()).expect("text");
        fs::write(&file, text.replace("SHIP", &program)).expect("it is ours");
        // Whatever the machine's mask is.
        fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).expect("it is ours");
    }
    folder
}

/// What `charmer` says with the file `team/charmer.yaml` of a folder, and the code that it ends with.
fn say(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let file = folder.join("team/charmer.yaml").display().to_string();
    let words = words.iter().map(|word| word.replace("FILE", &file));
    let output = run(&words.collect::<Vec<_>>());
    (output.status.code(), out(&output) + &err(&output))
}

const BASE: &str = "
limits: {timeout: 1m}
redact: {values: [hunter2]}
audit: {file: calls.jsonl}
sources:
  - binary: SHIP
    prefix: ship
    set: {fleet: north}
    select:
      - commands: {exclude: [crew dismiss]}
        timeout: 30s
";

#[test]
fn what_would_widen_is_a_mistake_at_its_place() {
    let own = "include: ../base.yaml
limits: {timeout: 2m, output: 50000}
confine: names
audit: {file: elsewhere.jsonl}
http: {allow_origins: ['https://a.example'], max_calls: 9000}
sources:
  - binary: SHIP
    set: {fleet: south}
    redirects: all
    environment: {set: {LD_PRELOAD: /x}}
    override: {crew dismiss: {effect: read}}
    preview: {sink: --all}
    select:
      - commands: {allow: [crew dismiss, list]}
        timeout: 40s
        stdin: true
  - binary: git
";
    let folder = files(&[("base.yaml", BASE), ("team/charmer.yaml", own)]);
    let (code, said) = say(folder.path(), &["check", "FILE"]);
    assert_eq!(code, Some(1), "{said}");
    for part in [
        "charmer.yaml:2:10",
        "`timeout` is 2m, more than the 1m of",
        "charmer.yaml:2:23",
        "`output` is 50000, more than 40000, the default",
        "charmer.yaml:3:1",
        "charmer.yaml:4:9",
        "charmer.yaml:5:",
        "`https://a.example` is not among the `allow_origins`",
        "`max_calls` is 9000",
        "charmer.yaml:8:11",
        "pins `fleet` to something else",
        "charmer.yaml:9:",
        "charmer.yaml:10:",
        "charmer.yaml:11:",
        "charmer.yaml:12:",
        "charmer.yaml:15:9",
        "charmer.yaml:16:9",
        "charmer.yaml:17:",
        "`git` is not among the `sources`",
        "a file can only narrow what it includes",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Nothing is served until it is corrected.
    let (code, said) = say(folder.path(), &["tools", "-c", "FILE"]);
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn both_files_hold_and_are_named() {
    let own = "include: ../base.yaml
sources:
  - binary: SHIP
    select:
      - commands: {allow: [list, crew dismiss]}
        timeout: 10s
";
    let folder = files(&[("base.yaml", BASE), ("team/charmer.yaml", own)]);
    let folder = folder.path();
    let (code, said) = say(folder, &["check", "FILE"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("base.yaml"), "{said}");

    let (_, said) = say(folder, &["call", "-c", "FILE", "ship_list", "--dry-run"]);
    for part in ["--fleet", "north", "team/charmer.yaml:5", "base.yaml:10"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (code, said) = say(
        folder,
        &["call", "-c", "FILE", "ship_crew_dismiss", "--dry-run"],
    );
    assert!(code != Some(0) && said.contains("select"), "{said}");
    let (_, said) = say(folder, &["inspect", "-c", "FILE", &ship()]);
    assert!(said.contains("charmer.yaml, within"), "{said}");
    let (_, said) = say(folder, &["inspect", "-c", "FILE", &ship(), "list"]);
    assert!(said.contains("base.yaml:10"), "{said}");

    // The included file's log is written, where that file says.
    let (code, said) = say(folder, &["call", "-c", "FILE", "ship_list"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(folder.join("calls.jsonl").is_file());
}

#[test]
fn a_file_that_cannot_be_trusted_is_not_used() {
    let own = "limits: {timeout: 5s}\ninclude: ../base.yaml\n";
    let folder = files(&[("team/charmer.yaml", own)]);
    let folder = folder.path();
    let refused = |what: &str| {
        let (code, said) = say(folder, &["tools", "-c", "FILE", &ship()]);
        assert_eq!(code, Some(2), "{what}: {said}");
        assert!(
            said.contains("charmer.yaml:2:1") && said.contains(what),
            "{what}: {said}"
        );
    };
    refused("No such file");
    let base = folder.join("base.yaml");
    fs::write(&base, "limits: {timeout: 1m}\n").expect("it is ours");
    fs::set_permissions(&base, PermissionsExt::from_mode(0o666)).expect("it is ours");
    refused("others than its owner can write it");
    fs::set_permissions(&base, PermissionsExt::from_mode(0o644)).expect("it is ours");
    fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).expect("it is ours");
    refused("anybody can replace it");
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let (code, said) = say(folder, &["tools", "-c", "FILE", &ship()]);
    assert_eq!(code, Some(0), "{said}");
    // Its mistakes are its own.
    fs::write(&base, "limits: {timeuot: 1m}\n").expect("it is ours");
    let (code, said) = say(folder, &["tools", "-c", "FILE", &ship()]);
    assert!(code == Some(2) && said.contains("base.yaml:1:10"), "{said}");
}

#[test]
fn files_above_one_another_all_hold_and_do_not_go_in_a_circle() {
    let base = BASE.replace("1m}", "50s}");
    let middle = "include: base.yaml\nlimits: {timeout: 40s}\nsources: [{binary: SHIP, select: [{commands: {exclude: [list]}}]}]\n";
    let folder = files(&[
        ("base.yaml", &base),
        ("middle.yaml", middle),
        (
            "team/charmer.yaml",
            "include: ../middle.yaml\nlimits: {timeout: 20s}\n",
        ),
    ]);
    let (code, said) = say(folder.path(), &["tools", "-c", "FILE"]);
    assert_eq!(code, Some(0), "{said}");
    for gone in ["ship_list", "dismiss"] {
        assert!(!said.contains(gone), "{gone}: {said}");
    }
    fs::write(
        folder.path().join("base.yaml"),
        "include: team/charmer.yaml\n",
    )
    .expect("it is ours");
    let (code, said) = say(folder.path(), &["tools", "-c", "FILE"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("includes this file in turn"), "{said}");
}

#[test]
fn the_hooks_of_both_are_asked_and_the_included_ones_judge_last() {
    let own = "include: ../base/base.yaml
hooks: {before: [./own.sh]}
sources: [{binary: SHIP}]
";
    let base = "hooks: {before: [./judge.sh]}\n";
    let folder = files(&[("base/base.yaml", base), ("team/charmer.yaml", own)]);
    let folder = folder.path();
    let judge = r#"asked=$(cat); case "$asked" in *north*) echo '{"version": 1, "decision": "refuse", "reason": "not north"}';; *) echo '{"version": 1, "decision": "allow"}';; esac"#;
    write_script(&folder.join("base/judge.sh"), judge);
    // The including file's hook changes the call; the other one sees what would be run.
    let own =
        r#"cat >/dev/null; echo '{"version": 1, "decision": "allow", "arguments": {"all": true}}'"#;
    write_script(&folder.join("team/own.sh"), own);
    let (code, said) = say(folder, &["call", "-c", "FILE", "ship_list"]);
    assert_eq!(code, Some(0), "{said}");
    let changed = r#"cat >/dev/null; echo '{"version": 1, "decision": "allow", "arguments": {"fleet": "north"}}'"#;
    write_script(&folder.join("team/own.sh"), changed);
    let (code, said) = say(
        folder,
        &["call", "-c", "FILE", "--with-flag", "fleet", "ship_list"],
    );
    assert!(code == Some(1) && said.contains("not north"), "{said}");
}

#[test]
fn an_exception_from_drafts_is_the_included_files_to_make() {
    let own = "include: ../base.yaml\nsources: [{binary: SHIP, drafts: WORD}]\n";
    for (base, word, is_right) in [
        ("drafts: write\nsources: [{binary: SHIP}]\n", "never", false),
        (
            "drafts: write\nsources: [{binary: SHIP}]\n",
            "destroy",
            false,
        ),
        ("drafts: destroy\n", "never", false),
        (
            "drafts: destroy\nsources: [{binary: SHIP}]\n",
            "write",
            true,
        ),
        (
            "drafts: write\nsources: [{binary: SHIP, drafts: never}]\n",
            "never",
            true,
        ),
    ] {
        let own = own.replace("WORD", word);
        let folder = files(&[("base.yaml", base), ("team/charmer.yaml", &own)]);
        let (code, said) = say(folder.path(), &["check", "FILE"]);
        assert_eq!(code == Some(0), is_right, "{base}{word}: {said}");
        assert_eq!(
            said.contains("are drafts from"),
            !is_right,
            "{base}{word}: {said}"
        );
    }
}
