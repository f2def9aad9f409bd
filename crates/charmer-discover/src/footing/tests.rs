//! Programs laid out as installers lay them out, and changed as installers change them.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::*;

/// A machine of a few files.
struct TestMachine {
    folder: tempfile::TempDir,
    around: Surroundings,
}

impl TestMachine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let around = Surroundings {
            home: Some(folder.path().join("home")),
            data: Some(folder.path().join("home/.local/share")),
            managers: [".pyenv", ".cargo", ".rustup"]
                .map(|it| folder.path().join("home").join(it))
                .into(),
            path: ["bin", "more/bin"].map(|it| folder.path().join(it)).into(),
            ..Surroundings::default()
        };
        for bin in &around.path {
            fs::create_dir_all(bin).expect("made");
        }
        Self { folder, around }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file anew, as installers do: never into the old one.
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        let new = path.with_extension("new");
        fs::write(&new, text).expect("written");
        fs::rename(&new, &path).expect("moved");
        path
    }

    fn link(&self, path: &str, target: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        let _ = fs::remove_file(&path);
        symlink(target, &path).expect("linked");
        path
    }

    fn footing(&self, program: &Path) -> Footing {
        let mut footing = Footing::of(program, &self.around);
        footing.seal();
        footing
    }

    fn check(&self, footing: &Footing) -> Hold {
        footing.clone().check(&self.around)
    }

    /// Asserts that nothing has changed, that this changes the program, and whether a call sees it at once.
    fn changes(&self, program: &Path, at_once: bool, change: impl FnOnce()) {
        let footing = self.footing(program);
        assert_eq!(self.check(&footing), Hold::Same);
        assert!(footing.files_hold(&[]));
        change();
        assert_eq!(self.check(&footing), Hold::Changed);
        assert_eq!(footing.files_hold(&[]), !at_once);
    }

    /// Asserts that this changes the plugins of a program and leaves the program itself, and whether a call of the
    /// command that the plugin adds sees it at once.
    fn changes_plugins(&self, program: &Path, command: &str, at_once: bool, change: impl FnOnce()) {
        let footing = self.footing(program);
        assert_eq!(self.check(&footing), Hold::Same);
        let holds = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            footing.files_hold(&words)
        };
        assert!(holds(command));
        change();
        assert_eq!(self.check(&footing), Hold::Plugins);
        assert_eq!(holds(command), !at_once, "{command}");
        assert!(holds("other") && holds("ex") && footing.files_hold(&[]));
    }
}

#[test]
fn a_program_is_its_file_and_not_the_marks_of_its_file() {
    let machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let footing = machine.footing(&program);
    machine.write("bin/tool", "one");
    assert_eq!(machine.check(&footing), Hold::Touched);
    machine.write("bin/unrelated", "new");
    assert_eq!(machine.check(&footing), Hold::Touched);
    machine.changes(&program, true, || {
        machine.write("bin/tool", "two");
    });
    machine.changes(&program, true, || {
        fs::remove_file(&program).expect("removed");
    });
}

#[test]
fn a_file_of_the_same_size_and_time_is_another_one() {
    let machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let time = fs::metadata(&program).and_then(|meta| meta.modified());
    let time = time.expect("a time");
    machine.changes(&program, true, || {
        // The clock of files has a coarse tick.
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(&program, "two").expect("written");
        let file = fs::File::options().write(true).open(&program);
        file.and_then(|file| file.set_modified(time)).expect("set");
    });
}

#[test]
fn a_file_that_gets_another_name_while_it_is_read_is_the_same() {
    let machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let mut footing = Footing::of(&program, &machine.around);
    fs::hard_link(&program, machine.at("elsewhere")).expect("linked");
    footing.seal();
    assert_eq!(machine.check(&footing), Hold::Same);
    fs::hard_link(&program, machine.at("and there")).expect("linked");
    assert_ne!(machine.check(&footing), Hold::Changed);
}

#[test]
fn every_link_on_the_way_counts() {
    let machine = TestMachine::new();
    machine.write("opt/tool-1/bin/tool", "same");
    machine.write("opt/tool-2/bin/tool", "same");
    machine.link("opt/current", "tool-1");
    machine.link("etc/tool", "../opt/current/bin/tool");
    let program = machine.link("bin/tool", "../etc/tool");
    machine.changes(&program, true, || {
        machine.link("opt/current", "tool-2");
    });
    machine.changes(&program, true, || {
        machine.link("etc/tool", "../opt/tool-1/bin/tool");
    });
    machine.changes(&program, true, || {
        machine.write("opt/tool-1/bin/tool", "another");
    });
    let around = machine.link("bin/around", "around");
    assert!(!machine.footing(&around).is_empty(), "it comes to an end");
}

/// A script in a virtual environment of Python, and what its package is called there.
fn python(machine: &TestMachine, version: &str) -> PathBuf {
    machine.write("venv/bin/python3.11", "an interpreter");
    machine.link("venv/bin/python", "python3.11");
    let site = "venv/lib/python3.11/site-packages";
    let info = format!("{site}/tidy-{version}.dist-info");
    machine.write(
        &format!("{info}/METADATA"),
        &format!("Version: {version}\n"),
    );
    let points = "[console_scripts]\ntidy = tidy.main:run\n";
    machine.write(&format!("{info}/entry_points.txt"), points);
    let python = machine.at("venv/bin/python");
    let text = format!("#!{}\nfrom tidy.main import run\nrun()\n", python.display());
    machine.write("venv/bin/tidy", &text)
}

#[test]
fn a_script_of_python_is_the_package_that_owns_it() {
    let machine = TestMachine::new();
    let script = python(&machine, "1.0");
    let site = machine.at("venv/lib/python3.11/site-packages");
    // As pipx links it.
    let program = machine.link("bin/tidy", "../venv/bin/tidy");
    machine.changes(&program, true, || {
        fs::remove_dir_all(site.join("tidy-1.0.dist-info")).expect("removed");
        python(&machine, "2.0");
    });
    machine.changes(&script, true, || {
        machine.write(
            "venv/lib/python3.11/site-packages/tidy-2.0.dist-info/METADATA",
            "Version: 2.0\nName: another of the same number\n",
        );
    });
    // What it needs, and what adds to it.
    machine.changes(&script, false, || {
        fs::create_dir(site.join("tidy_more-0.1.dist-info")).expect("made");
    });
    machine.changes(&script, true, || {
        machine.write("venv/bin/python3.11", "a newer interpreter");
    });
    let footing = machine.footing(&script);
    fs::create_dir(site.join("__pycache__")).expect("made");
    assert_eq!(machine.check(&footing), Hold::Touched);
}

#[test]
fn a_package_without_entry_points_is_known_by_its_files_and_a_long_path_by_its_second_line() {
    let machine = TestMachine::new();
    machine.write("venv/bin/python", "an interpreter");
    let record = "../../../bin/tidy,sha256=x,10\ntidy.py,,\n";
    let info = "venv/lib/python3.11/site-packages/tidy-1.0.dist-info";
    machine.write(&format!("{info}/RECORD"), record);
    machine.write(&format!("{info}/METADATA"), "Version: 1.0\n");
    let python = machine.at("venv/bin/python");
    let text = format!(
        "#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n",
        python.display()
    );
    let script = machine.write("venv/bin/tidy", &text);
    machine.changes(&script, true, || {
        machine.write(&format!("{info}/METADATA"), "Version: 1.1\n");
    });
}

#[test]
fn a_package_that_is_worked_on_is_its_source() {
    let machine = TestMachine::new();
    let script = python(&machine, "1.0");
    let source = machine.at("work/tidy");
    machine.write("work/tidy/src/tidy/main.py", "one");
    let url = format!(
        r#"{{"dir_info": {{"editable": true}}, "url": "file://{}"}}"#,
        source.display()
    );
    let info = "venv/lib/python3.11/site-packages/tidy-1.0.dist-info";
    machine.write(&format!("{info}/direct_url.json"), &url);
    machine.changes(&script, true, || {
        machine.write("work/tidy/src/tidy/main.py", "two");
    });
    machine.changes(&script, false, || {
        machine.write("work/tidy/src/tidy/more.py", "new");
    });
}

#[test]
fn a_script_of_javascript_is_its_package() {
    let machine = TestMachine::new();
    for package in ["tidy", "@of/tidy"] {
        let root = format!("lib/node_modules/{package}");
        machine.write(
            &format!("{root}/cli.js"),
            "#!/usr/bin/env node\nrequire('.')\n",
        );
        let description = format!("{root}/package.json");
        machine.write(&description, r#"{"version": "1.0.0"}"#);
        machine.write(&format!("{root}/node_modules/needed/package.json"), "{}");
        let program = machine.link("bin/tidy", &format!("../{root}/cli.js"));
        machine.changes(&program, true, || {
            machine.write(&description, r#"{"version": "1.0.1"}"#);
        });
        machine.changes(&program, false, || {
            machine.write(&format!("{root}/node_modules/more/package.json"), "{}");
        });
    }
}

#[test]
fn a_script_of_ruby_is_the_newest_of_its_gem() {
    let machine = TestMachine::new();
    machine.write("usr/bin/ruby3.1", "an interpreter");
    let ruby = machine.at("usr/bin/ruby3.1");
    let text = format!(
        "#!{}\nrequire 'rubygems'\nload Gem.activate_bin_path('tidy', 'tidy', version)\n",
        ruby.display()
    );
    let program = machine.write("bin/tidy", &text);
    let specifications = "home/.local/share/gem/ruby/3.1.0/specifications";
    machine.write(&format!("{specifications}/tidy-1.0.gemspec"), "one");
    let footing = machine.footing(&program);
    machine.write(&format!("{specifications}/other-1.0.gemspec"), "another");
    assert_eq!(machine.check(&footing), Hold::Touched);
    machine.changes(&program, false, || {
        machine.write(&format!("{specifications}/tidy-1.1.gemspec"), "two");
    });
    // Where there were none of its gems before.
    machine.changes(&program, false, || {
        let newer = "home/.local/share/gem/ruby/3.2.0/specifications";
        machine.write(&format!("{newer}/tidy-2.0.gemspec"), "three");
    });
}

#[test]
fn a_wrapper_is_what_it_runs() {
    let ways = [
        "exec {opt}/tool/run \"$@\"",
        "TOOL_HOME={opt}/tool\nexec \"$TOOL_HOME/run\" \"$@\"",
        "exec \"$(dirname \"$0\")/../opt/tool/run\" \"$@\"",
        "basedir=$(dirname \"$(echo \"$0\" | sed -e 's,x,/,g')\")\nexec \"$basedir/../opt/tool/run\" \"$@\"",
        "here=\"$(cd \"$(dirname \"$0\")/..\" && pwd)\"\n\"${here}/opt/tool/run\" \"$@\"",
        "\"${0%/*}/../opt/tool/run\" \"$@\"",
        "if true; then exec {opt}/tool/run ${1+\"$@\"}; fi",
        "exec helper -jar {opt}/tool/run \"$@\"",
        "exec tool-run-on-path \"$@\"",
    ];
    for way in ways {
        let machine = TestMachine::new();
        let opt = machine.at("opt");
        machine.write("opt/tool/run", "one");
        machine.link("more/bin/tool-run-on-path", "../../opt/tool/run");
        let way = way.replace("{opt}", &opt.to_string_lossy());
        let program = machine.write("bin/wrapper", &format!("#!/bin/sh\n# {way}\n{way}\n"));
        let footing = machine.footing(&program);
        assert_eq!(machine.check(&footing), Hold::Same, "{way}");
        machine.write("opt/tool/run", "two");
        assert_eq!(machine.check(&footing), Hold::Changed, "{way}");
        assert!(!footing.files_hold(&[]), "{way}");
    }
}

#[test]
fn what_a_wrapper_only_reads_is_none_of_it() {
    let machine = TestMachine::new();
    let run = machine.write("opt/tool/run", "one");
    let notes = machine.write("opt/tool/notes", "one");
    let text = format!(
        "#!/bin/sh\ncat {}; exec {} \"$@\"\n",
        notes.display(),
        run.display()
    );
    let program = machine.write("bin/wrapper", &text);
    let footing = machine.footing(&program);
    machine.write("opt/tool/notes", "two");
    assert_eq!(machine.check(&footing), Hold::Same);
    machine.write("opt/tool/run", "two");
    assert_eq!(machine.check(&footing), Hold::Changed);
}

#[test]
fn a_wrapper_of_a_script_is_the_package_behind_that() {
    let machine = TestMachine::new();
    let script = python(&machine, "1.0");
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", script.display());
    let program = machine.write("bin/tidied", &text);
    machine.changes(&program, true, || {
        let info = "venv/lib/python3.11/site-packages/tidy-1.0.dist-info";
        fs::remove_dir_all(machine.at(info)).expect("removed");
    });
}

#[test]
fn plugins_on_path_and_in_folders_of_their_own_count() {
    let machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let plugins = |command: &str, at_once: bool, change: &dyn Fn()| {
        machine.changes_plugins(&program, command, at_once, change);
    };
    plugins("extra more", false, &|| {
        machine.write("more/bin/tool-extra", "a plugin");
    });
    plugins("extra more", true, &|| {
        machine.write("more/bin/tool-extra", "a newer plugin");
    });
    plugins("two-words", false, &|| {
        machine.write("more/bin/tool-two_words", "a plugin");
    });
    plugins("two-words", true, &|| {
        machine.write("more/bin/tool-two_words", "a newer plugin");
    });
    for folder in ["home/.tool/cli-plugins", "home/.local/share/tool/plugins"] {
        let plugin = format!("{folder}/tool-compose");
        plugins("compose", false, &|| {
            machine.write(&plugin, "a plugin");
        });
        plugins("compose up", true, &|| {
            machine.write(&plugin, "a newer plugin");
        });
    }
    // An extension in a folder of its own.
    let extension = "home/.local/share/tool/extensions/tool-dash/tool-dash";
    plugins("dash", false, &|| {
        machine.write(extension, "one");
    });
    plugins("dash", true, &|| {
        machine.write(extension, "two");
    });
    plugins("dash", true, &|| {
        fs::remove_file(machine.at(extension)).expect("removed");
    });
    // A name that does not say which command it adds may be about any.
    let nameless = "home/.local/share/tool/plugins/anything";
    machine.write(nameless, "one");
    let footing = machine.footing(&program);
    machine.write(nameless, "two");
    assert_eq!(machine.check(&footing), Hold::Plugins);
    assert!(!footing.files_hold(&["other".into()]));
    // The program itself comes first.
    machine.write("bin/tool", "two");
    assert_eq!(machine.check(&footing), Hold::Changed);
}

#[test]
fn another_path_matters_where_it_has_plugins() {
    let mut machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let footing = machine.footing(&program);
    machine.write("third/bin/other", "no plugin");
    machine.around.path.push(machine.at("third/bin"));
    assert_eq!(machine.check(&footing), Hold::Same);
    machine.write("third/bin/tool-extra", "a plugin");
    assert_eq!(machine.check(&footing), Hold::Plugins);
    // Who has fewer folders on PATH takes what was read with more: two clients do not take turns in reading it.
    let footing = machine.footing(&program);
    machine.around.path.pop();
    assert_eq!(machine.check(&footing), Hold::Same);
}

#[test]
fn answers_belong_to_a_footing_less_what_comes_and_goes_on_path() {
    let machine = TestMachine::new();
    let program = machine.write("bin/tool", "one");
    let word = machine.footing(&program).word();
    machine.write("bin/unrelated", "new");
    assert_eq!(machine.footing(&program).word(), word);
    let footing = machine.footing(&program);
    let unsealed = Footing::of(&program, &machine.around);
    assert!(footing.is_of_the_same(&unsealed));
    machine.write("bin/tool-extra", "a plugin");
    assert!(!footing.is_of_the_same(&machine.footing(&program)));
    machine.write("bin/tool", "two");
    assert_ne!(machine.footing(&program).word(), word);
}

#[test]
fn a_stand_in_of_a_version_manager_is_whatever_it_may_start() {
    let machine = TestMachine::new();
    let shim = machine.write("home/.pyenv/shims/tidy", "#!/bin/sh\nexec manager \"$@\"\n");
    machine.write("home/.pyenv/version", "3.11");
    machine.write("home/.pyenv/versions/3.11/bin/tidy", "one");
    machine.changes(&shim, true, || {
        machine.write("home/.pyenv/versions/3.11/bin/tidy", "two");
    });
    machine.changes(&shim, true, || {
        machine.write("home/.pyenv/version", "3.12");
    });
    machine.changes(&shim, false, || {
        machine.write("home/.pyenv/versions/3.12/bin/tidy", "three");
    });
    // The manager of one program may keep its versions elsewhere.
    let proxy = machine.write("home/.cargo/bin/kiln", "a proxy");
    machine.write("home/.rustup/toolchains/stable/bin/kiln", "one");
    machine.changes(&proxy, true, || {
        machine.write("home/.rustup/settings.toml", "default = \"nightly\"");
    });
    machine.changes(&proxy, true, || {
        machine.write("home/.rustup/toolchains/stable/bin/kiln", "two");
    });
    let footing = machine.footing(&proxy);
    machine.write("home/.rustup/toolchains/stable/bin/kiln-glaze", "a part");
    assert_eq!(machine.check(&footing), Hold::Plugins);
}

#[test]
fn what_is_installed_beside_stand_ins_is_none() {
    let machine = TestMachine::new();
    let program = machine.write("home/.cargo/bin/alone", "a program");
    machine.write("home/.rustup/toolchains/stable/bin/kiln", "one");
    let footing = machine.footing(&program);
    machine.write("home/.rustup/toolchains/nightly/bin/kiln", "two");
    machine.write("home/.rustup/settings.toml", "default = \"nightly\"");
    assert_eq!(machine.check(&footing), Hold::Same);
}
