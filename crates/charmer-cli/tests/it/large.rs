//! A program of many commands: what a server of it takes of the machine's memory.

use std::{fs, path::Path, thread, time::Duration};

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Session, charmer, example, put};

/// How many commands a group has, itself among them.
const GROUP: u64 = 100;
/// How many bytes a command may take at the most while it is read. Tools of what is known so far are offered meanwhile, so
/// it is there twice at times.
const READ: u64 = 64 << 10;
/// The same where it is known from the last time.
const KEPT: u64 = 24 << 10;

/// The most memory that a server has from its start to the first search that knows all commands.
fn peak(program: &Path) -> u64 {
    let words = ["serve".as_ref(), program.as_os_str()];
    let mut command = charmer(&words);
    let mut session = Session::start(command.env("CHARMER_CACHE", program.with_extension("cache")));
    loop {
        let arguments = json!({"query": "show the quota of a cloud bucket"});
        let params = json!({"name": "search_commands", "arguments": arguments});
        let answer = session.line("tools/call", params);
        if !answer.contains("still being read") {
            assert!(answer.contains("vast_cloud-bucket_show-quota"), "{answer}");
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let peak = session.peak_memory();
    assert!(session.end().success());
    peak
}

/// The peaks of a server that reads a program of so many groups, and of one that knows it from then.
fn peaks(groups: u64) -> [u64; 2] {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("vast");
    put(example("vast"), &program);
    fs::write(program.with_extension("groups"), groups.to_string()).expect("a file");
    [peak(&program), peak(&program)]
}

#[test]
fn each_command_of_a_large_program_takes_little_memory() {
    let (few, many) = (1, 10);
    let (small, large) = (peaks(few), peaks(many));
    for (at, bound) in [READ, KEPT].into_iter().enumerate() {
        let each = large[at].saturating_sub(small[at]) / ((many - few) * GROUP);
        assert!(each <= bound, "{each} bytes a command of {bound}");
    }
}
